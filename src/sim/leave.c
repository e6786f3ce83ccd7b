// leave.c: a motion that starts in a singular place.
//
// Where rows are dependent for an instant, J leaves more motions z than the mechanism has. Of these
// only some go on: the equation J a = gamma(z), which is quadratic in z, must have a solution. Such
// z are the directions of branches. A velocity that is none contradicts the joints. From rest the
// motion goes where the forces push: it is determined when the acceleration that the joints leave
// lies along a branch, or, where two branches cross, when the forces push along one of them only.
// Everything else has more than one answer and is refused.
//
// From rest the acceleration a along the branch is constant for as long as next to nothing moves:
// until rows are independent enough for the integrator to go on, q = q0 (+) a t^2 / 2 and v = a t.
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { REFINEMENTS = 6 };
static const double soft = 1e-9;      // relative compliance of rows that may be dependent
static const double along = 1e-6;     // what is left of J a = gamma along a branch, relative
static const double beside = 1e-4;    // rad, or part of the model's length
static const double unpushed = 1e-7;  // cosine between force and branch that counts as nothing

typedef struct place {
  hn_sim *sim;
  const hn_system *sys;
  double t;
  const double *q;
  double *D, *a, *x, *y, *z[3], *rest[3];  // nv each; rows each
} place;

static double largest(const place *p, const double *v) {
  double most = 0;
  for (int k = 0; k < p->sys->nv; k++)
    most = fmax(most, fabs(v[k]) / (p->sys->angular_v[k] ? 1 : p->sys->length));
  return most;
}

static void scale(const place *p, double s, double *v) {
  for (int k = 0; k < p->sys->nv; k++) v[k] *= s;
}

static void factor(const place *p) {
  hn_row_sizes(&p->sim->stage.work, p->D);
  for (int i = 0; i < p->sys->rows; i++) {
    bool out = p->sim->rows.D && p->sim->rows.D[i] > 0;
    p->D[i] = out ? HN_LEFT_OUT : soft * (p->D[i] > 0 ? p->D[i] : 1);
  }
  hn_kkt_factor(&p->sim->stage.kkt, &p->sim->stage.work, HN_WEIGHT_MASS, p->D);
}

// x = least change with J x = rhs as far as that is possible
static void least(const place *p, const double *rhs, double *x) {
  double *l = p->sim->room.r2;
  memset(l, 0, (size_t)p->sys->rows * sizeof(double));
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    memset(x, 0, (size_t)p->sys->nv * sizeof(double));
    for (int i = 0; i < p->sys->rows; i++) {
      bool out = p->sim->rows.D && p->sim->rows.D[i] > 0;
      l[i] = out ? 0 : rhs[i] + p->D[i] * l[i];
    }
    hn_kkt_solve(&p->sim->stage.kkt, &p->sim->stage.work, x, l);
  }
}

// what stays of J a = gamma(z), the largest number of it in units of the model; z as velocities
static double remains(const place *p, const double *z, double *rest) {
  hn_work *w = &p->sim->stage.work;
  hn_eval_all(w, p->t, p->q, z);
  factor(p);
  least(p, w->gamma, p->x);
  hn_jacobian_mul(w, p->x, rest);
  double most = 0;
  for (int i = 0; i < p->sys->rows; i++) {
    bool out = p->sim->rows.D && p->sim->rows.D[i] > 0;
    rest[i] = out ? 0 : (w->gamma[i] - rest[i]) / (p->sys->angular_row[i] ? 1 : p->sys->length);
    most = fmax(most, fabs(rest[i]));
  }
  return most;
}

static double inner(const place *p, const double *a, const double *b) {
  double sum = 0;
  hn_mass_mul(&p->sim->stage.work, a, p->y);
  for (int k = 0; k < p->sys->nv; k++) sum += p->y[k] * b[k];
  return sum;
}

// another motion that J leaves, at right angles to z
static void second_motion(const place *p, const double *z, double *o) {
  hn_sim *sim = p->sim;
  hn_eval_all(&sim->stage.work, p->t, p->q, z);
  factor(p);
  for (int k = 0; k < p->sys->nv; k++)
    o[k] = (k % 2 ? -1 : 1) * (0.5 + 7919 * (k + 1) % 101 / 101.0) *
           (p->sys->angular_v[k] ? 1 : p->sys->length);
  hn_jacobian_mul(&sim->stage.work, o, sim->room.r);
  least(p, sim->room.r, p->x);
  for (int k = 0; k < p->sys->nv; k++) o[k] -= p->x[k];
  double c = inner(p, z, o) / inner(p, z, z);
  for (int k = 0; k < p->sys->nv; k++) o[k] -= c * z[k];
  scale(p, 1 / largest(p, o), o);
}

// where two branches cross: both into p->z[0], p->z[1]; how many there are. z[0] is given
static int two_branches(const place *p) {
  double *z = p->z[0], *o = p->z[1], *both = p->z[2], c[3], size = 0;
  int nv = p->sys->nv, rows = p->sys->rows, lead = 0;
  second_motion(p, z, o);
  for (int k = 0; k < nv; k++) both[k] = z[k] + o[k];
  for (int m = 0; m < 3; m++) {
    double x = remains(p, p->z[m], p->rest[m]);
    if (x > size) size = x, lead = m;
  }
  // the rows that are lost have one direction: all three remainders lie along it
  double norm = 0;
  for (int m = 0; m < 3; m++) c[m] = 0;
  for (int i = 0; i < rows; i++) norm += p->rest[lead][i] * p->rest[lead][i];
  for (int m = 0; m < 3 && norm > 0; m++)
    for (int i = 0; i < rows; i++) c[m] += p->rest[m][i] * p->rest[lead][i] / norm;
  double a = c[0], b = 0.5 * (c[2] - c[0] - c[1]), d = c[1], root = b * b - a * d;
  if (!(root > 1e-12)) return 0;
  // cos(t) z + sin(t) o with a cos^2 + 2 b cos sin + d sin^2 = 0
  double s = sqrt(root), q = -(b + (b < 0 ? -s : s));
  double t[2] = {atan2(q, d), atan2(a, q)};
  memcpy(both, z, (size_t)nv * sizeof(double));
  for (int k = 0; k < nv; k++) {
    double first = both[k], second = o[k];
    z[k] = cos(t[0]) * first + sin(t[0]) * second;
    o[k] = cos(t[1]) * first + sin(t[1]) * second;
  }
  scale(p, 1 / largest(p, z), z);
  scale(p, 1 / largest(p, o), o);
  return 2;
}

// "A.angle 1, B.angle -2": rates along a branch
static void name_branch(const place *p, const double *z, char *text, size_t size) {
  const hn_system *sys = p->sys;
  hn_work *w = &p->sim->stage.work;
  size_t used = 0;
  int said = 0;
  hn_eval_all(w, p->t, p->q, z);
  hn_eval_measures(w);
  text[0] = 0;
  for (int j = 0; j < sys->joints && said < 4; j++)
    for (int k = 0; k < sys->joint[j].coordinates && said < 4; k++) {
      double rate = w->mval[sys->joint[j].coordinate[k].measure].rate;
      int n = snprintf(text + used, size - used, "%s%.40s.%.20s %.3g", said ? ", " : "",
                       sys->joint[j].name, sys->joint[j].coordinate[k].name,
                       fabs(rate) < 1e-7 ? 0 : rate);
      if (n < 0 || used + (size_t)n >= size) return;
      used += (size_t)n;
      said++;
    }
}

static hn_status refuse(const place *p, const char *why, int branches) {
  char text[2][160];
  if (branches < 2)
    return hn_sim_fail(p->sim, HN_ERR_SINGULAR,
                       "t=%.6g: the start is a singular place with several ways out of it, and %s "
                       "(start a little beside it, or with a velocity along one of them)",
                       p->t, why);
  for (int i = 0; i < 2; i++) name_branch(p, p->z[i], text[i], sizeof text[i]);
  return hn_sim_fail(p->sim, HN_ERR_SINGULAR,
                     "t=%.6g: the start is a singular place where two ways cross, and %s. One has "
                     "the rates %s; the other %s (start a little beside, or with a velocity along "
                     "one of them)",
                     p->t, why, text[0], text[1]);
}

// at rest: the branch that the forces push along becomes z[0]
static hn_status pushed_branch(const place *p, bool simple) {
  double strength = sqrt(inner(p, p->a, p->a)), push[2];
  if (remains(p, p->z[0], p->rest[0]) <= along) return HN_OK;
  int branches = simple ? two_branches(p) : 0;
  if (simple && !branches)
    return hn_sim_fail(p->sim, HN_ERR_LOCKED,
                       "t=%.6g: the start is a singular place that no motion leads out of: the "
                       "joints hold the mechanism there",
                       p->t);
  for (int i = 0; i < branches; i++)
    push[i] = inner(p, p->a, p->z[i]) / (strength * sqrt(inner(p, p->z[i], p->z[i])));
  if (!branches) return refuse(p, "forces that push along none of them alone", 0);
  bool one = fabs(push[0]) > unpushed, two = fabs(push[1]) > unpushed;
  if (one && two) return refuse(p, "the forces push along both", branches);
  int taken = one ? 0 : 1;
  if (taken) memcpy(p->z[0], p->z[1], (size_t)p->sys->nv * sizeof(double));
  if (push[taken] < 0) scale(p, -1, p->z[0]);
  return HN_OK;
}

static void layout(place *p, hn_arena *arena) {
  int nv = p->sys->nv, rows = p->sys->rows;
  p->D = HN_TAKE(arena, double, rows);
  p->a = HN_TAKE(arena, double, nv);
  p->x = HN_TAKE(arena, double, nv);
  p->y = HN_TAKE(arena, double, nv);
  for (int m = 0; m < 3; m++) {
    p->z[m] = HN_TAKE(arena, double, nv);
    p->rest[m] = HN_TAKE(arena, double, rows);
  }
}

static hn_status leave(place *p) {
  hn_sim *sim = p->sim;
  const hn_system *sys = p->sys;
  const double *v = sim->state.y + sys->nq;
  bool simple = sys->check.singular_rows == 1 && sys->check.dof == 1;
  double speed = largest(p, v), push = largest(p, p->a);
  if (!(speed > 0) && !(push > 1e-12)) return HN_OK;  // at rest, and it stays so
  memcpy(p->z[0], speed > 0 ? v : p->a, (size_t)sys->nv * sizeof(double));
  scale(p, 1 / (speed > 0 ? speed : push), p->z[0]);
  if (speed > 0) {
    if (remains(p, p->z[0], p->rest[0]) <= along) return HN_OK;
    int branches = simple ? two_branches(p) : 0;
    return refuse(p, "the initial velocity leads along none of them", branches);
  }
  hn_status status = pushed_branch(p, simple);
  if (status) return status;
  // least constraint: of all accelerations along the branch the one nearest to that left free
  double a = inner(p, p->a, p->z[0]) / inner(p, p->z[0], p->z[0]);
  for (int k = 0; k < sys->nv; k++) sim->rows.leaving[k] = a * p->z[0][k];
  sim->rows.leave_until = sim->state.t + sqrt(2 * beside / fabs(a));
  return HN_OK;
}

void hn_leave_layout(hn_sim *sim, hn_arena *arena) {
  if (sim->sys->check.singular_rows) sim->rows.leaving = HN_TAKE(arena, double, sim->sys->nv);
}

bool hn_leaves(const hn_sim *sim) {
  return sim->rows.leaving && sim->state.t < sim->rows.leave_until;
}

// the state at t, work apart; the start was at t = 0
static void state_at(const hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  double *v = y + sys->nq;
  memcpy(y, sys->q0, (size_t)sys->nq * sizeof(double));
  for (int k = 0; k < sys->nv; k++) v[k] = 0.5 * t * t * sim->rows.leaving[k];
  hn_retract(sys, y, v);
  for (int k = 0; k < sys->nv; k++) v[k] = t * sim->rows.leaving[k];
}

bool hn_leave_dense(const hn_sim *sim, double t, double *y) {
  if (!sim->rows.leaving || !(sim->state.t_old < sim->rows.leave_until)) return false;
  for (int i = sim->state.w; i < sim->state.n; i++) y[i] = sim->state.y[i];
  state_at(sim, t, y);
  // power grows with the speed, work with its square
  y[sim->state.w] =
      sim->state.t > 0 ? sim->state.y[sim->state.w] * t * t / (sim->state.t * sim->state.t) : 0;
  return true;
}

hn_status hn_leave_step(hn_sim *sim, double limit) {
  double t = fmin(sim->state.t + limit, sim->rows.leave_until);
  memcpy(sim->step.y_new, sim->state.y, (size_t)sim->state.n * sizeof(double));
  state_at(sim, t, sim->step.y_new);
  hn_status status = hn_derivative(sim, t, sim->step.y_new, sim->step.y_stage);
  if (status) return status;
  sim->step.y_new[sim->state.w] = 0.5 * t * sim->step.y_stage[sim->state.w];
  status = hn_accept_step(sim, t - sim->state.t, sim->step.y_new, NULL);
  if (status || hn_leaves(sim)) return status;
  status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  if (!status) hn_rate_found(sim);
  return !status && sim->method.integrator->start ? sim->method.integrator->start(sim) : status;
}

hn_status hn_leave_singular(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  sim->rows.leave_until = -1;
  if (!sys->check.singular_rows || sys->rheonomic || sys->mass_entries) return HN_OK;
  if (sim->state.t != 0 || memcmp(sim->state.y, sys->q0, (size_t)sys->nq * sizeof(double)) != 0)
    return HN_OK;
  hn_arena arena = {0};
  place p = {.sim = sim, .sys = sys, .t = sim->state.t};
  layout(&p, &arena);
  if (!hn_arena_allocate(&arena)) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  layout(&p, &arena);
  memcpy(p.a, sim->stage.a, (size_t)sys->nv * sizeof(double));
  p.q = sys->q0;
  hn_status status = leave(&p);
  free(arena.base);
  hn_state_moved(sim);
  return status;
}
