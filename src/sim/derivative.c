// derivative.c: the right-hand side every explicit integrator sees, and the saddle-point solve
// behind the acceleration solvers.
#include "code/native.h"
#include "sim/sim.h"

#include <string.h>

// a pivot this much smaller than its row means the rows have become dependent
static const double weak_pivot = 1e-11;
// relative compliance given to all rows then, and the refinements that remove its effect
static const double soft = 1e-9;
enum { REFINEMENTS = 4 };

// rows are dependent here: damp all of them a little and iterate the damping away. Components
// of the multipliers that the equations do not determine stay at their smallest norm.
static void solve_damped(hn_sim *sim, const double *top, const double *rhs, double *x, double *l) {
  const hn_system *sys = sim->sys;
  double *D = sim->D_soft;
  hn_row_sizes(&sim->work, D);
  for (int i = 0; i < sys->rows; i++)
    D[i] = sim->D && sim->D[i] > 0 ? sim->D[i] : soft * (D[i] > 0 ? D[i] : 1);
  hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, D);
  sim->factorisations++;
  sim->regularised++;
  memset(l, 0, (size_t)sys->rows * sizeof(double));
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    memcpy(x, top, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->rows; i++) {
      bool out = sim->D && sim->D[i] > 0;
      l[i] = out ? 0 : rhs[i] + D[i] * l[i];
    }
    hn_kkt_solve(&sim->kkt, &sim->work, x, l);
  }
}

// what the factorisation just made says about the constraints; true: rows are dependent here
static bool note_pivots(hn_sim *sim, double t) {
  sim->factorisations++;
  bool damped = sim->sys->rows && sim->kkt.pivot_ratio < weak_pivot;
  sim->fresh = !damped;
  if (sim->sys->rows) {
    if (sim->kkt.pivot_ratio < sim->weakest)
      sim->weakest = sim->kkt.pivot_ratio, sim->weakest_t = t;
    sim->firmest = fmax(sim->firmest, sim->kkt.pivot_ratio);
    sim->seen = true;
    sim->seen_t = t;
    sim->seen_value = sqrt(fmax(sim->kkt.pivot_ratio, 0));
  }
  return damped;
}

bool hn_factor_saddle(hn_sim *sim) {
  hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, sim->D);
  return note_pivots(sim, sim->work.t);
}

// right-hand sides where the solution is wanted; rows that are left out have none
static void load(const hn_sim *sim, const double *top, const double *rhs, double *x, double *l) {
  const hn_system *sys = sim->sys;
  memcpy(x, top, (size_t)sys->nv * sizeof(double));
  memcpy(l, rhs, (size_t)sys->rows * sizeof(double));
  if (sim->D)
    for (int i = 0; i < sys->rows; i++)
      if (sim->D[i] > 0) l[i] = 0;
}

void hn_solve_factored(hn_sim *sim, bool damped, const double *top, const double *rhs, double *x,
                       double *l) {
  if (damped) {
    solve_damped(sim, top, rhs, x, l);
    return;
  }
  load(sim, top, rhs, x, l);
  hn_kkt_solve(&sim->kkt, &sim->work, x, l);
}

static void apply_reactive(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->batches; i++)
    if (sys->batch[i].ops->reactive)
      sys->batch[i].ops->reactive(sys, &sim->work, sys->batch[i].count, sys->batch[i].data);
  hn_reduce_forces(&sim->work);
}

void hn_add_reactive(hn_sim *sim) {
  hn_find_loads(sim);
  apply_reactive(sim);
}

// largest change of the reactions that forces read, relative to the largest; moments by the length
// of the model
static double load_change(const hn_sim *sim) {
  const double *now = sim->work.load, *before = sim->last_load;
  double change = 0, size = 0;
  for (int i = 0; i < 6 * sim->sys->loads; i++) {
    double unit = i % 6 < 3 ? 1 : 1 / sim->sys->length, d = unit * fabs(now[i] - before[i]);
    if (!(d <= change) && !isnan(change)) change = d;  // a NaN is kept
    size = fmax(size, unit * fabs(now[i]));
  }
  return change > 0 || isnan(change) ? change / size : 0;
}

// friction depends on the reactions it changes: iterate to a fixed point, from the last ones found
hn_status hn_settle(hn_sim *sim, hn_solve_fn solve, void *user) {
  static const double settled = 1e-13, rounded = 1e-9;
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->work;
  if (!sys->reactive) return solve(sim, user);
  memcpy(sim->base_force, w->f, (size_t)sys->bv * sizeof(double));
  double base_power = w->power, last = INFINITY;
  for (int i = 0; i < 6 * sys->loads; i++)
    if (!isfinite(w->load[i])) w->load[i] = 0;
  for (int pass = 0; pass < 100; pass++) {
    memcpy(w->f, sim->base_force, (size_t)sys->bv * sizeof(double));
    w->power = base_power;
    apply_reactive(sim);
    hn_status status = solve(sim, user);
    if (status) return status;
    memcpy(sim->last_load, w->load, (size_t)(6 * sys->loads) * sizeof(double));
    hn_find_loads(sim);
    double change = load_change(sim);
    // what does not fall any more is round-off of the method
    if (change <= settled || (change > 0.5 * last && change <= rounded)) return HN_OK;
    last = change;
  }
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: friction and reactions do not settle (a self-locking joint?)",
                     sim->work.t);
}

typedef struct saddle_job {
  const double *extra, *rhs;
  bool damped;
} saddle_job;

static const double *all_forces(hn_sim *sim, const double *extra) {
  if (!extra) return sim->work.r;
  for (int i = 0; i < sim->sys->nv; i++) sim->x_v[i] = sim->work.r[i] + extra[i];
  return sim->x_v;
}

static hn_status solve_saddle(hn_sim *sim, void *user) {
  const saddle_job *job = user;
  const double *force = all_forces(sim, job->extra);
  hn_solve_factored(sim, job->damped, force, job->rhs, sim->a, sim->work.lambda);
  return HN_OK;
}

hn_status hn_solve_saddle(hn_sim *sim, const double *rhs) {
  return hn_solve_saddle_plus(sim, NULL, rhs);
}

hn_status hn_solve_saddle_plus(hn_sim *sim, const double *extra, const double *rhs) {
  double *lambda = sim->work.lambda;
  if (sim->sys->reactive) {
    saddle_job job = {extra, rhs, hn_factor_saddle(sim)};
    return hn_settle(sim, solve_saddle, &job);
  }
  // no force waits for the multipliers: all at once
  const double *force = all_forces(sim, extra);
  load(sim, force, rhs, sim->a, lambda);
  hn_kkt_factor_solve(&sim->kkt, &sim->work, sim->D, sim->a, lambda);
  if (note_pivots(sim, sim->work.t)) solve_damped(sim, force, rhs, sim->a, lambda);
  return HN_OK;
}

bool hn_native_ready(hn_sim *sim) {
  if (!sim->native || !sim->stepping) return false;
  // unequal inertias may keep the rows' pivots small everywhere
  double near = HN_NEAR_SINGULAR * fmin(1, sqrt(sim->firmest));
  int switches = sim->sys->switches;
  if (sim->sigma[1] < near || sim->reselected || (switches && !sim->work.side)) return false;
  for (int i = 0; i < switches; i++) sim->side[i] = sim->work.side[i];
  return true;
}

// false: here it takes the library
static bool native_derivative(hn_sim *sim, double t, const double *y, double *ydot) {
  const hn_system *sys = sim->sys;
  if (!hn_native_ready(sim)) return false;
  double ratio = sim->native->motion(t, y, y + sys->nq, sim->work.turn, sim->side, ydot,
                                     ydot + sys->nq, sim->work.lambda, ydot + sim->w);
  if (!(ratio >= weak_pivot)) return false;
  sim->evaluations++;
  sim->kkt.pivot_ratio = ratio;
  note_pivots(sim, t);
  sim->fresh = false;
  memcpy(sim->a, ydot + sys->nq, (size_t)sys->nv * sizeof(double));
  return true;
}

hn_status hn_derivative(hn_sim *sim, double t, double *y, double *ydot) {
  const hn_system *sys = sim->sys;
  const double *q = y, *v = y + sys->nq;
  if (native_derivative(sim, t, y, ydot)) return HN_OK;
  hn_status status = sim->solver->prepare ? sim->solver->prepare(sim, t, y) : HN_OK;
  if (status) return status;
  hn_eval_all(&sim->work, t, q, v);
  sim->evaluations++;
  sim->fresh = false;
  sim->yielding = false;
  sim->s = y + sim->w + 1;
  sim->s_rate = ydot + sim->w + 1;
  status = sim->solver->accelerate(sim);
  if (!status && sim->kkt.singular)
    status = hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the accelerations are not unique: the mass matrix is singular "
                         "and the constraints leave a motion without inertia free",
                         t);
  if (status) return status;
  hn_qdot(sys, q, v, ydot);
  memcpy(ydot + sys->nq, sim->a, (size_t)sys->nv * sizeof(double));
  // drivers do work through the rows that depend on time
  double power = sim->work.power;
  if (sys->rheonomic)
    for (int i = 0; i < sys->rows; i++) power -= sim->work.lambda[i] * sim->work.phi_t[i];
  ydot[sim->w] = power;
  return HN_OK;
}
