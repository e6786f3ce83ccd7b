// leave.c: a motion that starts in a singular place (branches.h).
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
#include "sim/branches.h"

#include <stdio.h>
#include <string.h>

enum { PASSES = 4 };
static const double along = 1e-6;     // what is left of J a = gamma along a branch, relative
static const double beside = 1e-4;    // rad, or part of the model's length
static const double before = 1e-3;    // the same where accelerations are looked at
static const double unpushed = 1e-7;  // cosine between force and branch that counts as nothing

// how long until drivers have moved by so much; 0: there are none
static double time_to(const hn_place *p, double way) {
  double h = p->sys->motions ? 1e-9 : 0, now[3], then[3], most = 0;
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
  sim->rows.leave_until = p->t + sqrt(2 * beside / fabs(a));
  return HN_OK;
}

// ---- with a velocity along a branch --------------------------------------------------------

// acceleration h seconds off the place, on the branch; the motion so far is in sim->rows.leaving
static hn_status regular(const hn_place *p, double h, double *a, double *power) {
  hn_sim *sim = p->sim;
  const hn_system *sys = p->sys;
  const double *v0 = sim->rows.leaving, *a0 = v0 + sys->nv, *j0 = a0 + sys->nv;
  double *q = p->y, *v = p->y + sys->nq, *rate = p->y + sim->state.n;
  memcpy(p->y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  memcpy(q, p->q, (size_t)sys->nq * sizeof(double));
  for (int k = 0; k < sys->nv; k++) v[k] = h * (v0[k] + h / 2 * (a0[k] + h / 3 * j0[k]));
  hn_retract(sys, q, v);
  for (int k = 0; k < sys->nv; k++) v[k] = v0[k] + h * (a0[k] + h / 2 * j0[k]);
  if (!hn_place_close(p, p->t + h, q)) return refuse(p, "the initial velocity leads along none");
  hn_place_join(p, p->t + h, q, v);
  hn_status status = hn_derivative(sim, p->t + h, p->y, rate);
  memcpy(a, rate + sys->nq, (size_t)sys->nv * sizeof(double));
  *power = rate[sim->state.w];
  return status;
}

static hn_status leave_moving(const hn_place *p, double speed) {
  hn_sim *sim = p->sim;
  int nv = p->sys->nv;
  double *v = sim->rows.leaving, *a = v + nv, *j = a + nv, h = before / speed, power[2];
  memcpy(v, sim->state.y + p->sys->nq, (size_t)nv * sizeof(double));
  memset(a, 0, 2 * (size_t)nv * sizeof(double));
  memcpy(p->z[0], v, (size_t)nv * sizeof(double));
  hn_place_scale(p, 1 / speed, p->z[0]);
  if (hn_place_remains(p, v, p->rest[0]) > along * speed * speed)
    return refuse(p, "the initial velocity leads along none of them");
  for (int pass = 0; pass < PASSES; pass++) {
    hn_status status = regular(p, -h, p->z[0], &power[0]);
    if (!status) status = regular(p, h, p->z[1], &power[1]);
    if (status) return status;
    for (int k = 0; k < nv; k++) {
      a[k] = 0.5 * (p->z[1][k] + p->z[0][k]);
      j[k] = 0.5 * (p->z[1][k] - p->z[0][k]) / h;
    }
  }
  sim->rows.leave_power = 0.5 * (power[0] + power[1]);
  sim->rows.leave_until = p->t + h;
  return HN_OK;
}

// ---- stepping ------------------------------------------------------------------------------

void hn_leave_layout(hn_sim *sim, hn_arena *arena) {
  if (sim->sys->check.singular_rows) sim->rows.leaving = HN_TAKE(arena, double, 3 * sim->sys->nv);
}

bool hn_leaves(const hn_sim *sim) {
  return sim->rows.leaving && sim->state.t < sim->rows.leave_until;
}

// the state at t, work apart; the start was at t = 0
static void state_at(const hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->rows.leaving, *a0 = v0 + sys->nv, *j0 = a0 + sys->nv;
  double *v = y + sys->nq;
  memcpy(y, sys->q0, (size_t)sys->nq * sizeof(double));
  for (int k = 0; k < sys->nv; k++) v[k] = t * (v0[k] + t / 2 * (a0[k] + t / 3 * j0[k]));
  hn_retract(sys, y, v);
  for (int k = 0; k < sys->nv; k++) v[k] = v0[k] + t * (a0[k] + t / 2 * j0[k]);
}

bool hn_leave_here(hn_sim *sim, double t) {
  int nv = sim->sys->nv;
  if (!sim->rows.leaving || t != 0 || !(sim->rows.leave_until > 0)) return false;
  memcpy(sim->stage.a, sim->rows.leaving + nv, (size_t)nv * sizeof(double));
  return true;
}

bool hn_leave_dense(const hn_sim *sim, double t, double *y) {
  if (!sim->rows.leaving || !(sim->state.t_old < sim->rows.leave_until)) return false;
  double s = (t - sim->state.t_old) / (sim->state.t - sim->state.t_old);
  for (int i = sim->state.w; i < sim->state.n; i++)
    y[i] = sim->state.y_old[i] + s * (sim->state.y[i] - sim->state.y_old[i]);
  state_at(sim, t, y);
  // power changes linearly, beginning with that of the start
  double end = sim->state.t, first = sim->rows.leave_power;
  double rest = sim->state.y[sim->state.w] - first * end;
  y[sim->state.w] = end > 0 ? first * t + rest * t * t / (end * end) : 0;
  return true;
}

hn_status hn_leave_step(hn_sim *sim, double limit) {
  double t = fmin(sim->state.t + limit, sim->rows.leave_until);
  memcpy(sim->step.y_new, sim->state.y, (size_t)sim->state.n * sizeof(double));
  state_at(sim, t, sim->step.y_new);
  hn_status status = hn_derivative(sim, t, sim->step.y_new, sim->step.y_stage);
  if (status) return status;
  sim->step.y_new[sim->state.w] =
      0.5 * t * (sim->rows.leave_power + sim->step.y_stage[sim->state.w]);
  // the model's states, whose rates the start knows as well
  for (int i = sim->state.w + 1; i < sim->state.n; i++) {
    double rate = hn_rate_known(sim) ? 0.5 * (sim->stage.ydot[i] + sim->step.y_stage[i])
                                     : sim->step.y_stage[i];
    sim->step.y_new[i] = sim->state.y[i] + (t - sim->state.t) * rate;
  }
  status = hn_accept_step(sim, t - sim->state.t, sim->step.y_new, NULL);
  if (status || hn_leaves(sim)) return status;
  status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  if (!status) hn_rate_found(sim);
  return !status && sim->method.integrator->start ? sim->method.integrator->start(sim) : status;
}

hn_status hn_leave_singular(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  sim->rows.leave_until = -1;
  sim->rows.leave_power = 0;
  if (!sys->check.singular_rows) return HN_OK;
  if (sim->state.t != 0 || memcmp(sim->state.y, sys->q0, (size_t)sys->nq * sizeof(double)) != 0)
    return HN_OK;
  hn_arena arena = {0};
  hn_place p = {.sim = sim, .sys = sys, .t = sim->state.t};
  hn_place_layout(&p, &arena);
  if (!hn_arena_allocate(&arena)) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  hn_place_layout(&p, &arena);
  memcpy(p.a, sim->stage.a, (size_t)sys->nv * sizeof(double));
  p.q = sys->q0;
  double speed = hn_place_speed(&p, sim->state.y + sys->nq);
  hn_status status = speed > 0 ? leave_moving(&p, speed) : leave_rest(&p);
  free(arena.base);
  hn_state_moved(sim);
  return status;
}
