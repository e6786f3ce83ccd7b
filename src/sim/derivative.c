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
  double *D = sim->rows.D_soft;
  hn_row_sizes(&sim->stage.work, D);
  for (int i = 0; i < sys->rows; i++)
    D[i] = sim->rows.D && sim->rows.D[i] > 0 ? sim->rows.D[i] : soft * (D[i] > 0 ? D[i] : 1);
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, D);
  sim->count.factorisations++;
  sim->count.regularised++;
  memset(l, 0, (size_t)sys->rows * sizeof(double));
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    memcpy(x, top, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->rows; i++) {
      bool out = sim->rows.D && sim->rows.D[i] > 0;
      l[i] = out ? 0 : rhs[i] + D[i] * l[i];
    }
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, x, l);
  }
}

// what the factorisation just made says about the constraints; true: rows are dependent here
static bool note_pivots(hn_sim *sim, double t) {
  sim->count.factorisations++;
  bool damped = sim->sys->rows && sim->stage.kkt.pivot_ratio < weak_pivot;
  if (sim->sys->rows) {
    if (sim->stage.kkt.pivot_ratio < sim->watch.weakest)
      sim->watch.weakest = sim->stage.kkt.pivot_ratio, sim->watch.weakest_t = t;
    sim->watch.firmest = hn_greater(sim->watch.firmest, sim->stage.kkt.pivot_ratio);
    sim->watch.seen_t = t;
    sim->watch.seen_value = sqrt(hn_greater(0, sim->stage.kkt.pivot_ratio));
  }
  return damped;
}

bool hn_factor_saddle(hn_sim *sim) {
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
  return note_pivots(sim, sim->stage.work.t);
}

// right-hand sides where the solution is wanted; rows that are left out have none
static void load(const hn_sim *sim, const double *top, const double *rhs, double *x, double *l) {
  const hn_system *sys = sim->sys;
  memcpy(x, top, (size_t)sys->nv * sizeof(double));
  memcpy(l, rhs, (size_t)sys->rows * sizeof(double));
  if (sim->rows.D)
    for (int i = 0; i < sys->rows; i++)
      if (sim->rows.D[i] > 0) l[i] = 0;
}

void hn_solve_factored(hn_sim *sim, bool damped, const double *top, const double *rhs, double *x,
                       double *l) {
  if (damped) {
    solve_damped(sim, top, rhs, x, l);
    return;
  }
  load(sim, top, rhs, x, l);
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, x, l);
}

static void apply_reactive(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  (void)hn_share_holds(&sim->stage.work, true);
  for (int i = 0; i < sys->batches; i++)
    if (sys->batch[i].ops->reactive)
      sys->batch[i].ops->reactive(sys, &sim->stage.work, sys->batch[i].count, sys->batch[i].data);
  hn_reduce_forces(&sim->stage.work);
}

void hn_add_reactive(hn_sim *sim) {
  hn_find_loads(sim);
  apply_reactive(sim);
}

// largest change of the reactions that forces read, relative to the largest; moments by the length
// of the model
static double load_change(const hn_sim *sim) {
  const double *now = sim->stage.work.load, *before = sim->stage.last_load;
  double change = 0, size = 0;
  for (int i = 0; i < 6 * sim->sys->loads; i++) {
    double unit = i % 6 < 3 ? 1 : 1 / sim->sys->length, d = unit * fabs(now[i] - before[i]);
    if (!(d <= change) && !isnan(change)) change = d;  // a NaN is kept
    size = fmax(size, unit * fabs(now[i]));
  }
  return change > 0 || isnan(change) ? change / size : 0;
}

// Loads of the next round. A round that falls slowly, or swings, is told by how the last two were
// off: along their difference the next one would be right if all were linear (D. G. Anderson,
// Iterative procedures for nonlinear integral equations, J. ACM 12, 1965)
static void foresee(hn_sim *sim, int pass) {
  double *now = sim->stage.work.load, *used = sim->stage.last_load;
  double *found = sim->stage.found_load, *off = sim->stage.off_load, up = 0, down = 0;
  int n = 6 * sim->sys->loads;
  for (int i = 0; i < n; i++) {
    double unit = i % 6 < 3 ? 1 : 1 / sim->sys->length;
    double r = unit * (now[i] - used[i]), step = r - unit * off[i];
    up += r * step, down += step * step;
  }
  double part = pass > 2 && down > 0 ? up / down : 0;
  if (!(fabs(part) < 100)) part = 0;
  // what is not linear at all meets half way
  bool halves = pass > 25;
  for (int i = 0; i < n; i++) {
    double here = now[i];
    off[i] = here - used[i];
    now[i] = halves ? 0.5 * (here + used[i]) : here - part * (here - found[i]);
    found[i] = here;
  }
}

// friction depends on the reactions it changes: iterate to a fixed point, from the last ones found
hn_status hn_settle(hn_sim *sim, hn_solve_fn solve, void *user) {
  static const double settled = 1e-13, rounded = 1e-9;
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  if (!sys->reactive) return solve(sim, user);
  memcpy(sim->stage.base_force, w->f, (size_t)sys->bv * sizeof(double));
  double base_power = w->power, last = INFINITY;
  bool holds = sys->holds > 0;
  for (int i = 0; i < 6 * sys->loads; i++)
    if (!isfinite(w->load[i])) w->load[i] = 0;
  for (int pass = 0; pass < (holds ? 200 : 100); pass++) {
    memcpy(w->f, sim->stage.base_force, (size_t)sys->bv * sizeof(double));
    w->power = base_power;
    apply_reactive(sim);
    hn_status status = solve(sim, user);
    if (status) return status;
    memcpy(sim->stage.last_load, w->load, (size_t)(6 * sys->loads) * sizeof(double));
    hn_find_loads(sim);
    double change = fmax(load_change(sim), hn_share_holds(w, false));
    // what does not fall any more is round-off of the method
    bool stands = change > 0.5 * last && change <= rounded && (pass > 8 || !holds);
    if (change <= settled || stands) return HN_OK;
    if (holds) foresee(sim, pass);
    last = change;
  }
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: friction and reactions do not settle (a self-locking joint, or "
                     "Painleve's paradox?)",
                     sim->stage.work.t);
}

typedef struct saddle_job {
  const double *extra, *rhs;
  bool damped;
} saddle_job;

static const double *all_forces(hn_sim *sim, const double *extra) {
  if (!extra) return sim->stage.work.r;
  for (int i = 0; i < sim->sys->nv; i++) sim->room.v[i] = sim->stage.work.r[i] + extra[i];
  return sim->room.v;
}

static hn_status solve_saddle(hn_sim *sim, void *user) {
  const saddle_job *job = user;
  const double *force = all_forces(sim, job->extra);
  hn_solve_factored(sim, job->damped, force, job->rhs, sim->stage.a, sim->stage.work.lambda);
  return HN_OK;
}

hn_status hn_solve_saddle(hn_sim *sim, const double *rhs) {
  return hn_solve_saddle_plus(sim, NULL, rhs);
}

hn_status hn_solve_saddle_plus(hn_sim *sim, const double *extra, const double *rhs) {
  double *lambda = sim->stage.work.lambda;
  if (sim->sys->reactive) {
    saddle_job job = {extra, rhs, hn_factor_saddle(sim)};
    return hn_settle(sim, solve_saddle, &job);
  }
  // no force waits for the multipliers: all at once
  const double *force = all_forces(sim, extra);
  load(sim, force, rhs, sim->stage.a, lambda);
  hn_kkt_factor_solve(&sim->stage.kkt, &sim->stage.work, sim->rows.D, sim->stage.a, lambda);
  if (note_pivots(sim, sim->stage.work.t)) solve_damped(sim, force, rhs, sim->stage.a, lambda);
  return HN_OK;
}

bool hn_native_ready(hn_sim *sim) {
  if (!sim->method.native || !sim->stage.stepping || sim->stage.work.pushed) return false;
  if (sim->stage.work.between) return false;
  // unequal inertias may keep the rows' pivots small everywhere
  double near = HN_NEAR_SINGULAR * fmin(1, sqrt(sim->watch.firmest));
  int switches = sim->sys->switches;
  if (sim->watch.sigma[1] < near || sim->rows.reselected || (switches && !sim->stage.work.side))
    return false;
  for (int i = 0; i < switches; i++) sim->room.side[i] = sim->stage.work.side[i];
  return true;
}

// false: here it takes the library
static bool native_derivative(hn_sim *sim, double t, const double *y, double *ydot) {
  const hn_system *sys = sim->sys;
  if (!hn_native_ready(sim)) return false;
  hn_expect_turns_at(&sim->stage.work, t, y);
  hn_native_in(&sim->stage.work, t, y + sim->state.x, sim->room.in);
  double ratio = sim->method.native->motion(
      t, y, y + sys->nq, sim->stage.work.near, sim->room.side, sim->room.in, ydot, ydot + sys->nq,
      sim->stage.work.lambda, ydot + sim->state.w, ydot + sim->state.x);
  if (!(ratio >= weak_pivot)) return false;
  sim->count.evaluations++;
  sim->stage.kkt.pivot_ratio = ratio;
  note_pivots(sim, t);
  hn_stage_left(sim);
  memcpy(sim->stage.a, ydot + sys->nq, (size_t)sys->nv * sizeof(double));
  return true;
}

hn_status hn_derivative(hn_sim *sim, double t, double *y, double *ydot) {
  return sim->stage.work.between ? hn_sliding_derivative(sim, t, y, ydot)
                                 : hn_derivative_held(sim, t, y, ydot);
}

hn_status hn_derivative_held(hn_sim *sim, double t, double *y, double *ydot) {
  const hn_system *sys = sim->sys;
  const double *q = y, *v = y + sys->nq;
  if (native_derivative(sim, t, y, ydot)) return HN_OK;
  hn_status status = sim->method.solver->prepare ? sim->method.solver->prepare(sim, t, y) : HN_OK;
  if (status) return status;
  if (sys->states) hn_give_states(&sim->stage.work, y + sim->state.x);
  hn_eval_all(&sim->stage.work, t, q, v);
  sim->count.evaluations++;
  sim->stage.yielding = false;
  sim->stage.s = y + sim->state.s;
  sim->stage.s_rate = ydot + sim->state.s;
  status = sim->method.solver->accelerate(sim);
  if (!status && sim->stage.kkt.singular && sim->method.integrator->resolves) {
    memset(sim->stage.a, 0, (size_t)sys->nv * sizeof(double));
    memset(sim->stage.work.lambda, 0, (size_t)sys->rows * sizeof(double));
  } else if (!status && sim->stage.kkt.singular)
    status = hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the accelerations are not unique: the mass matrix is singular "
                         "and the constraints leave a motion without inertia free",
                         t);
  if (status) return status;
  hn_qdot(sys, q, v, ydot);
  memcpy(ydot + sys->nq, sim->stage.a, (size_t)sys->nv * sizeof(double));
  // drivers do work through the rows that depend on time
  double power = sim->stage.work.power;
  if (sys->rheonomic)
    for (int i = 0; i < sys->rows; i++)
      power -= sim->stage.work.lambda[i] * sim->stage.work.phi_t[i];
  ydot[sim->state.w] = power;
  if (sys->states) hn_state_rates(&sim->stage.work, ydot + sim->state.x);
  return HN_OK;
}
