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
// [M -J^T; J D] with D small and right-hand side rhs + D l: the fixed point has D on both sides,
// and so none. Each pass takes away all but a part soft of what is left along rows that are
// independent
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
    // pivots are squares of what the rows are, so their root stands for the smallest singular value
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

// what every solution of hn_settle is about
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

// With friction that follows from reactions the factors are used again and again (settle.c). Else
// factorisation and solution are one passage over the matrix. Among redundant rows another choice
// may be better here: then it is done again with that
hn_status hn_solve_saddle_plus(hn_sim *sim, const double *extra, const double *rhs) {
  double *lambda = sim->stage.work.lambda;
  if (sim->sys->reactive) {
    hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
    if (hn_redundant_here(sim))
      hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
    saddle_job job = {extra, rhs, note_pivots(sim, sim->stage.work.t)};
    return hn_settle(sim, solve_saddle, &job);
  }
  // no force waits for the multipliers: all at once
  const double *force = all_forces(sim, extra);
  do {
    load(sim, force, rhs, sim->stage.a, lambda);
    hn_kkt_factor_solve(&sim->stage.kkt, &sim->stage.work, sim->rows.D, sim->stage.a, lambda);
  } while (sim->rows.choice && hn_redundant_here(sim));
  if (note_pivots(sim, sim->stage.work.t)) solve_damped(sim, force, rhs, sim->stage.a, lambda);
  return HN_OK;
}

static bool touches(const hn_work *work) {
  for (int i = 0; work->on && i < work->sys->unilaterals; i++)
    if (work->on[i]) return true;
  return false;
}

// Code of a model knows neither pushes of the caller, mixtures of a slide, rows chosen anew nor
// rows that come and go, and has plain pivots: near a singular configuration the library, which
// refines, is asked instead. Its switches are numbers: sides are handed over
bool hn_native_ready(hn_sim *sim) {
  if (!sim->method.native || !sim->stage.stepping || sim->stage.work.pushed) return false;
  if (sim->stage.work.between || touches(&sim->stage.work)) return false;
  // unequal inertias may keep the rows' pivots small everywhere
  double near = HN_NEAR_SINGULAR * fmin(1, sqrt(sim->watch.firmest));
  int switches = sim->sys->switches;
  if (sim->watch.sigma[1] < near || sim->rows.reselected || (switches && !sim->stage.work.side))
    return false;
  double *side = sim->room.side;
  for (int i = 0; i < switches; i++) *side++ = sim->stage.work.side[i];
  for (int i = 0; i < sim->sys->memories; i++) *side++ = sim->stage.work.memory[i];
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

// y is not const: solvers that meet the constraints at every stage move it (prepare). What the
// solver leaves in work and factors serves whoever comes next at the same state: corrections, error
// norms, readers.
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
  // the kinematics are the same for every solver: only accelerations are its own
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

hn_status hn_derivative_shown(hn_sim *sim, double t, double *y, double *ydot) {
  const hn_system *sys = sim->sys;
  sim->stage.stepping = true;
  bool known = native_derivative(sim, t, y, ydot);
  sim->stage.stepping = false;
  // the code has told rates and multipliers; what else a row shows is evaluated here
  if (!known) return hn_derivative(sim, t, y, ydot);
  if (sys->states) hn_give_states(&sim->stage.work, y + sim->state.x);
  hn_eval_all(&sim->stage.work, t, y, y + sys->nq);
  sim->stage.yielding = false;
  return HN_OK;
}
