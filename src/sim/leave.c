// leave.c: a motion that starts in a singular place (branches.h), or has come upon one that its
// integrator cannot pass.
//
// A velocity that leads along none of the branches contradicts the joints. One that does says where
// the motion goes: the accelerations a little before and behind are regular, and from these the
// motion over the place is a polynomial, q = q0 (+) (v t + a t^2 / 2 + j t^3 / 6).
//
// From rest the motion goes where forces or drivers push: it is determined when the acceleration
// that the joints leave lies along a branch, or, where two branches cross, when the forces push
// along one of them only. Everything else has more than one answer and is refused. The acceleration
// along the branch is constant for as long as next to nothing moves: v and j are zero.
//
// The polynomial is followed until rows are independent enough for the integrator to go on.
//
// On the way steps may get stuck before a place where rows become dependent for an instant. The
// branch is the one that the motion came on, and the place is passed over in the same way, from
// where the steps got stuck, unless there is no state behind it: then the mechanism locks.
#include "sim/branches.h"

#include <stdio.h>
#include <string.h>

enum { PASSES = 4 };
static const double along = 1e-6;     // what is left of J a = gamma along a branch, relative
static const double beside = 1e-4;    // rad, or part of the model's length
static const double before = 1e-3;    // the same where accelerations are looked at
static const double astray = 0.1;     // part of the way by which a state may be off the polynomial
static const double nearby = 1e-3;    // singular value before a place that is passed over
static const double unpushed = 1e-7;  // cosine between force and branch that counts as nothing

// how long until drivers have moved by so much; 0: there are none
// doubling until they have moved enough: the scale of a motion's time is not known before
static double time_to(const hn_place *p, double way) {
  double h = p->sys->motions ? 1e-9 * p->sim->step.own_time : 0, now[3], then[3], most = 0;
  for (int i = 0; i < 60 && h > 0 && most < way; i++, h *= 2)
    for (int k = 0; k < p->sys->motions; k++) {
      hn_run_motion(&p->sim->stage.work, k, p->t, now);
      hn_run_motion(&p->sim->stage.work, k, p->t + 2 * h, then);
      most = fmax(most, fabs(then[0] - now[0]));
    }
  return h;
}

static hn_status refuse(const hn_place *p, const char *why) {
  const hn_system *sys = p->sys;
  bool simple = sys->check.singular_rows == 1 && sys->check.dof == 1 && !sys->rheonomic;
  int found =
      simple ? hn_two_branches(p) : hn_some_branches(p, sys->rheonomic ? time_to(p, before) : 0);
  char text[HN_BRANCHES][110];
  if (simple && !found)
    return hn_sim_fail(p->sim, HN_ERR_LOCKED,
                       "t=%.6g: the start is a singular place that no motion leads out of: the "
                       "joints hold the mechanism there",
                       p->t);
  if (found < 2)
    return hn_sim_fail(p->sim, HN_ERR_SINGULAR,
                       "t=%.6g: the start is a singular place with several ways out of it, and %s "
                       "(start a little beside it, or with a velocity along one of them)",
                       p->t, why);
  for (int i = 0; i < found; i++) hn_name_branch(p, p->z[i], text[i], sizeof text[i]);
  return hn_sim_fail(p->sim, HN_ERR_SINGULAR,
                     "t=%.6g: the start is a singular place where %s ways cross, and %s. One has "
                     "the rates %s; another %s (start a little beside, or with a velocity along "
                     "one of them)",
                     p->t, simple ? "two" : "several", why, text[0], text[1]);
}

// where two branches cross: the forces push along one of them only, which becomes z[0]
static hn_status pushed_branch(const hn_place *p) {
  double strength = sqrt(hn_place_inner(p, p->a, p->a)), push[2];
  bool simple = p->sys->check.singular_rows == 1 && p->sys->check.dof == 1 && !p->sys->rheonomic;
  if (!simple || hn_two_branches(p) < 2) return refuse(p, "nothing pushes along one of them alone");
  for (int i = 0; i < 2; i++)
    push[i] =
        hn_place_inner(p, p->a, p->z[i]) / (strength * sqrt(hn_place_inner(p, p->z[i], p->z[i])));
  bool one = fabs(push[0]) > unpushed, two = fabs(push[1]) > unpushed;
  if (one && two) return refuse(p, "the forces push along both");
  int taken = one ? 0 : 1;
  if (taken) memcpy(p->z[0], p->z[1], (size_t)p->sys->nv * sizeof(double));
  return HN_OK;
}

// ---- from rest -----------------------------------------------------------------------------

static hn_status leave_rest(const hn_place *p) {
  hn_sim *sim = p->sim;
  int nv = p->sys->nv;
  double push = hn_place_speed(p, p->a), *z = p->z[0], *still = p->m;
  if (!(push > 1e-12)) return HN_OK;  // it stays there
  memcpy(z, p->a, (size_t)nv * sizeof(double));
  hn_place_scale(p, 1 / push, z);
  // what drivers demand of accelerations is no part of where branches lead
  memset(still, 0, (size_t)nv * sizeof(double));
  double demanded = hn_place_remains(p, still, p->rest[1]);
  double left = hn_place_remains(p, z, p->rest[0]);
  if (demanded > along * push) return refuse(p, "the drivers lead along none of them");
  if (left > along + demanded) {
    hn_status status = pushed_branch(p);
    if (status) return status;
  }
  // least constraint: of all accelerations along the branch the one nearest to that left free
  double a = hn_place_inner(p, p->a, z) / hn_place_inner(p, z, z);
  memset(sim->rows.leaving, 0, 3 * (size_t)nv * sizeof(double));
  for (int k = 0; k < nv; k++) sim->rows.leaving[nv + k] = a * z[k];
  sim->rows.leave_power = 0;
  sim->rows.leave_until = p->t + sqrt(2 * beside / fabs(a));
  return HN_OK;
}

// ---- with a velocity along a branch --------------------------------------------------------

// the motion t seconds after it was at the place
static void follow(const hn_sim *sim, double t, double *q, double *v) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->rows.leaving, *a0 = v0 + sys->nv, *j0 = a0 + sys->nv;
  memcpy(q, j0 + sys->nv, (size_t)sys->nq * sizeof(double));
  for (int k = 0; k < sys->nv; k++) v[k] = t * (v0[k] + t / 2 * (a0[k] + t / 3 * j0[k]));
  hn_retract(sys, q, v);
  for (int k = 0; k < sys->nv; k++) v[k] = v0[k] + t * (a0[k] + t / 2 * j0[k]);
}

// acceleration h seconds off the place, on the branch; false: the rows have no state near there.
// The polynomial is closed onto the rows, positions then velocities; where that moves it too far
// there is no such state, and the mechanism ends here
static bool regular(const hn_place *p, double h, double speed, double *a, double *power) {
  hn_sim *sim = p->sim;
  const hn_system *sys = p->sys;
  double *q = p->y, *v = p->y + sys->nq, *rate = p->y + sim->state.n, way = 0, change = 0;
  memcpy(p->y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  follow(sim, h, q, v);
  memcpy(rate, p->y, (size_t)(sys->nq + sys->nv) * sizeof(double));
  if (!hn_place_close(p, p->t + h, q)) return false;
  hn_place_join(p, p->t + h, q, v);
  for (int k = 0; k < sys->nq; k++)
    way = fmax(way, fabs(q[k] - rate[k]) / (sys->angular_q[k] ? 1 : sys->length));
  for (int k = 0; k < sys->nv; k++) rate[sys->nq + k] -= v[k];
  change = hn_place_speed(p, rate + sys->nq);
  if (!(way < astray * before && change < astray * speed)) return false;
  if (hn_derivative(sim, p->t + h, p->y, rate)) return false;
  memcpy(a, rate + sys->nq, (size_t)sys->nv * sizeof(double));
  *power = rate[sim->state.w];
  return true;
}

// the polynomial over the place; false: it has no states on both sides
static bool pass_over(const hn_place *p, double speed, double h) {
  hn_sim *sim = p->sim;
  int nv = p->sys->nv;
  double *v = sim->rows.leaving, *a = v + nv, *j = a + nv, power[2];
  memcpy(v, sim->state.y + p->sys->nq, (size_t)nv * sizeof(double));
  memset(a, 0, 2 * (size_t)nv * sizeof(double));
  // a and j are part of the way on which they are measured: found again where they lead
  for (int pass = 0; pass < PASSES; pass++) {
    if (!regular(p, -h, speed, p->z[0], &power[0]) || !regular(p, h, speed, p->z[1], &power[1]))
      return false;
    for (int k = 0; k < nv; k++) {
      a[k] = 0.5 * (p->z[1][k] + p->z[0][k]);
      j[k] = 0.5 * (p->z[1][k] - p->z[0][k]) / h;
    }
  }
  sim->rows.leave_power = 0.5 * (power[0] + power[1]);
  sim->rows.leave_until = p->t + h;
  return true;
}

static hn_status leave_moving(const hn_place *p, double speed) {
  const double *v = p->sim->state.y + p->sys->nq;
  memcpy(p->z[0], v, (size_t)p->sys->nv * sizeof(double));
  hn_place_scale(p, 1 / speed, p->z[0]);
  bool leads = hn_place_remains(p, v, p->rest[0]) <= along * speed * speed;
  if (leads && pass_over(p, speed, before / speed)) return HN_OK;
  return refuse(p, "the initial velocity leads along none of them");
}

// ---- stepping ------------------------------------------------------------------------------

void hn_leave_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  if (!sys->rows) return;
  hn_place *p = HN_TAKE(arena, hn_place, 1), place = {.sim = sim, .sys = sys};
  hn_place_layout(&place, arena);
  sim->rows.leaving = HN_TAKE(arena, double, 3 * sys->nv + sys->nq);
  if (!arena->base) return;
  place.q = sim->rows.leaving + 3 * sys->nv;
  *p = place;
  sim->rows.place = p;
}

bool hn_leaves(const hn_sim *sim) {
  return sim->rows.leaving && sim->state.t < sim->rows.leave_until;
}

bool hn_leave_here(hn_sim *sim, double t) {
  int nv = sim->sys->nv;
  if (!hn_leaves(sim) || t != sim->rows.place->t) return false;
  memcpy(sim->stage.a, sim->rows.leaving + nv, (size_t)nv * sizeof(double));
  return true;
}

bool hn_leave_dense(const hn_sim *sim, double t, double *y) {
  if (!sim->rows.leaving || !(sim->state.t_old < sim->rows.leave_until)) return false;
  const double *first = sim->state.y_old, *last = sim->state.y;
  double s = (t - sim->state.t_old) / (sim->state.t - sim->state.t_old);
  for (int i = sim->state.w; i < sim->state.n; i++) y[i] = first[i] + s * (last[i] - first[i]);
  follow(sim, t - sim->rows.place->t, y, y + sim->sys->nq);
  return true;
}

// states that are integrated beside the motion, over h seconds
static void carry_states(hn_sim *sim, double h, double power, const double *rate, double *y) {
  int w = sim->state.w;
  y[w] = sim->state.y[w] + 0.5 * h * (power + rate[w]);
  for (int i = w + 1; i < sim->state.n; i++)
    y[i] =
        sim->state.y[i] + h * (hn_rate_known(sim) ? 0.5 * (sim->stage.ydot[i] + rate[i]) : rate[i]);
}

hn_status hn_leave_step(hn_sim *sim, double limit) {
  const hn_system *sys = sim->sys;
  double end = fmin(sim->state.t + limit, sim->rows.leave_until), h = end - sim->state.t;
  double *y = sim->step.y_new, *rate = sim->step.y_stage;
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  follow(sim, end - sim->rows.place->t, y, y + sys->nq);
  hn_status status = hn_derivative(sim, end, y, rate);
  if (status) return status;
  carry_states(sim, h, sim->rows.leave_power, rate, y);
  sim->rows.leave_power = rate[sim->state.w];
  status = hn_accept_step(sim, h, y, NULL);
  if (status || hn_leaves(sim)) return status;
  // the integrator begins behind the place, with the derivative there
  status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  if (!status) hn_rate_found(sim);
  sim->step.h = 0;
  return !status && sim->method.integrator->start ? sim->method.integrator->start(sim) : status;
}

// ---- beginning -----------------------------------------------------------------------------

static hn_place *begin(hn_sim *sim) {
  hn_place *p = sim->rows.place;
  p->t = sim->state.t;
  memcpy(sim->rows.leaving + 3 * sim->sys->nv, sim->state.y, (size_t)sim->sys->nq * sizeof(double));
  return p;
}

void hn_leave_reset(hn_sim *sim) {
  // no time: the polynomial does not hold anywhere
  sim->rows.leave_until = -INFINITY;
  sim->rows.leave_power = 0;
}

hn_status hn_leave_singular(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  if (!sys->check.singular_rows || !sim->rows.leaving) return HN_OK;
  if (sim->state.t != 0 || memcmp(sim->state.y, sys->q0, (size_t)sys->nq * sizeof(double)) != 0)
    return HN_OK;
  hn_place *p = begin(sim);
  memcpy(p->a, sim->stage.a, (size_t)sys->nv * sizeof(double));
  double speed = hn_place_speed(p, sim->state.y + sys->nq);
  hn_status status = speed > 0 ? leave_moving(p, speed) : leave_rest(p);
  hn_state_moved(sim);
  return status;
}

// only near a singular configuration: other reasons why steps fail are not to be stepped over
bool hn_leave_stuck(hn_sim *sim) {
  if (!sim->rows.leaving || sim->state.t <= sim->rows.leave_until) return false;
  hn_place *p = begin(sim);
  double speed = hn_place_speed(p, sim->state.y + sim->sys->nq);
  hn_eval_jacobian(&sim->stage.work, p->t, p->q, sim->state.y + sim->sys->nq);
  (void)hn_factor_saddle(sim);
  double sigma = sqrt(fmax(sim->stage.kkt.pivot_ratio, 0));
  bool passed = speed > 0 && sigma < nearby && pass_over(p, speed, before / speed);
  if (!passed) hn_leave_reset(sim);
  hn_state_moved(sim);
  return passed;
}
