// bdf_cvode.c: variable-order BDF on the equations of index 1, with projection (Eich 1993).
//
//   q' = N v,   M v' = f + J^T lambda,   J v' = gamma
//
// CVODE integrates y = [q, v, w, x]; after each of its steps the correction pulls the state onto
// Phi = 0 and psi = 0 before the history is updated. Newton's matrix 1 - gamma df/dy keeps the
// derivatives of forces and constraint forces and leaves out those of J v' = gamma, which are not
// stiff. With x the unknown and b the right-hand side it comes down to
//
//   [ M - c C - c^2 K T   -J^T ] [ x_v ]   [ M b_v + c K T g ]
//   [ J                     0  ] [ c l ] = [ J b_v           ],   x_q = T (g + c x_v),
//
// c = CVODE's gamma, g = b_q in velocity coordinates, T = (1 + c w x)^-1 (see iteration_matrix.h).
// Quaternions enter forces and constraints normalised, so that their length does not matter. States
// of first order x are put into the equations of the motion (bdf.c).
#include "integrators/bdf/bdf.h"

#ifdef HN_HAVE_SUNDIALS

#include <cvode/cvode.h>
#include <stdlib.h>
#include <string.h>

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_bdf *s = HN_TAKE(arena, hn_bdf, 1), place = {0};
  hn_stage_layout(sim, arena, 1);
  hn_bdf_layout(&place, arena, sim, sim->state.n);
  if (!arena->base) return;
  *s = place;
  sim->method.integrator_data = s;
}

// forces and rows see quaternions of length one, whatever CVODE's are
static void take(const hn_sim *sim, hn_bdf *s, N_Vector y) {
  memcpy(s->state, N_VGetArrayPointer(y), (size_t)sim->state.n * sizeof(double));
  hn_normalise(sim->sys, s->state);
}

static int rates(realtype t, N_Vector y, N_Vector rate, void *user) {
  hn_sim *sim = user;
  hn_bdf *s = sim->method.integrator_data;
  double *at = N_VGetArrayPointer(y), *out = N_VGetArrayPointer(rate);
  take(sim, s, y);
  s->status = hn_derivative(sim, t, s->state, out);
  hn_qdot(sim->sys, at, at + sim->sys->nq, out);
  return s->status ? 1 : 0;
}

// CVODE wants the change, not the state
static int project(realtype t, N_Vector y, N_Vector change, realtype tolerance, N_Vector error,
                   void *user) {
  hn_sim *sim = user;
  hn_bdf *s = sim->method.integrator_data;
  const double *at = N_VGetArrayPointer(y);
  double *out = N_VGetArrayPointer(change), moved;
  (void)tolerance, (void)error;
  take(sim, s, y);
  // a state of CVODE's is not the one last evaluated
  hn_stage_left(sim);
  s->status = hn_correct(sim, t, s->state, &moved);
  for (int i = 0; i < sim->state.n; i++) out[i] = s->state[i] - at[i];
  return s->status ? 1 : 0;
}

static int weights(N_Vector y, N_Vector weight, void *user) {
  hn_sim *sim = user;
  hn_bdf *s = sim->method.integrator_data;
  double h = 0;
  (void)y;
  CVodeGetCurrentStep(s->memory, &h);
  return hn_bdf_weights(sim, s, h, N_VGetArrayPointer(weight));
}

static int linearise(realtype t, N_Vector y, N_Vector rate, SUNMatrix A, booleantype old,
                     booleantype *current, realtype gamma, void *user, N_Vector a, N_Vector b,
                     N_Vector c) {
  hn_sim *sim = user;
  hn_bdf *s = sim->method.integrator_data;
  const hn_system *sys = sim->sys;
  (void)rate, (void)A, (void)old, (void)b, (void)c;
  take(sim, s, y);
  s->status = hn_derivative(sim, t, s->state, N_VGetArrayPointer(a));
  if (s->status) return 1;
  *current = SUNTRUE;
  s->c = gamma;
  memcpy(s->p, s->state, (size_t)sys->nq * sizeof(double));
  memcpy(s->lambda, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
  hn_iteration_rates(&s->matrix, sys, s->state + sys->nq, gamma);
  hn_iteration_diagonal(&s->matrix, sys, NULL);
  sim->count.factorisations++;
  s->singular = !hn_bdf_states_follow(sim, s, gamma) ||
                !hn_iteration_factor(&s->matrix, &sim->stage.work, s->lambda, gamma, gamma * gamma,
                                     HN_ROWS_VELOCITY, sim->rows.D);
  sim->stage.work.rule = NULL;
  return 0;
}

static void solve(hn_sim *sim, double *b) {
  hn_bdf *s = sim->method.integrator_data;
  const hn_system *sys = sim->sys;
  double *v = b + sys->nq;
  // gamma of now; the matrix may have been made with an earlier one, as CVODE allows
  CVodeGetCurrentGamma(s->memory, &s->c);
  hn_bdf_tangent(sys, s->p, b, s->g);
  hn_mass_mul(&sim->stage.work, v, s->x);
  hn_bdf_states_leave(sim, s, b + sim->state.x, s->c, s->x);
  hn_iteration_stiffness(&s->matrix, sys, s->g, s->c, s->x);
  hn_jacobian_mul(&sim->stage.work, v, s->l);
  hn_iteration_solve(&s->matrix, sys, s->x, s->l);
  memcpy(v, s->x, (size_t)sys->nv * sizeof(double));
  for (int i = 0; i < sys->nv; i++) s->g[i] += s->c * s->x[i];
  hn_iteration_turn(&s->matrix, sys, s->g);
  hn_bdf_states_return(sim, s, s->g, s->x, b + sim->state.x);
  hn_bdf_lift(sys, s->p, s->g, b, 1, b);
}

static hn_status create(hn_sim *sim) {
  hn_bdf *s = sim->method.integrator_data;
  s->solve = solve;
  s->finest = 3e-14;
  bool ok = hn_bdf_create(sim, s) && (s->memory = CVodeCreate(CV_BDF, s->context)) &&
            !CVodeInit(s->memory, rates, 0, s->y);
  if (ok) {
    CVodeSetErrHandlerFn(s->memory, hn_bdf_quiet, sim);
    CVodeSetUserData(s->memory, sim);
    ok = !CVodeWFtolerances(s->memory, weights) &&
         !CVodeSetLinearSolver(s->memory, s->solver, s->shell) &&
         !CVodeSetLinSysFn(s->memory, linearise);
    CVodeSetMaxStep(s->memory, sim->opt.step);  // 0: no bound
    CVodeSetMaxOrd(s->memory, (int)sim->opt.bdf_order);
    CVodeSetMaxHnilWarns(s->memory, -1);
    CVodeSetLinearSolutionScaling(s->memory, SUNFALSE);  // solve() knows the current gamma
  }
  if (ok && sim->method.correction->projects) {
    ok = !CVodeSetProjFn(s->memory, project);
    CVodeSetProjErrEst(s->memory, SUNFALSE);
  }
  if (s->memory && (!ok || s->short_of_memory)) CVodeFree(&s->memory);
  ok = hn_bdf_created(s, ok);
  return ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

static void release(hn_sim *sim) {
  hn_bdf *s = sim->method.integrator_data;
  if (s->memory) CVodeFree(&s->memory);
  hn_bdf_release(s);
}

static hn_status begin(hn_sim *sim, hn_bdf *s) {
  double first = 0;
  hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  if (status) return status;
  hn_rate_found(sim);
  status = hn_first_step(sim, 2, 1e9, &first);
  if (status) return status;
  memcpy(s->values, sim->state.y, (size_t)sim->state.n * sizeof(double));
  s->t = sim->state.t;
  s->failed = 0;
  s->started = true;
  // the estimate is for order 2, but the first step is of order 1
  CVodeSetInitStep(s->memory, 0.1 * first);
  return CVodeReInit(s->memory, s->t, s->y) ? HN_ERR_STEP : HN_OK;
}

// a step of the integrator's own
static hn_status ahead(hn_sim *sim, hn_bdf *s) {
  long errors = 0, iterations = 0;
  double reached = s->t;
  s->status = HN_OK;
  // words of an earlier failure must not be taken for those of this one
  sim->message[0] = 0;
  // one step, which ends where CVODE likes: the time given is only a direction
  int flag = CVode(s->memory, s->t + 1e9, s->y, &reached, CV_ONE_STEP);
  if (flag < 0) {
    double h = 0;
    CVodeGetCurrentStep(s->memory, &h);
    return hn_bdf_fail(sim, s, flag, h);
  }
  s->t = reached;
  CVodeGetNumErrTestFails(s->memory, &errors);
  CVodeGetNumNonlinSolvConvFails(s->memory, &iterations);
  // CVODE counts since it was started, the run since it was created
  sim->count.rejected += errors + iterations - s->failed;
  s->failed = errors + iterations;
  return HN_OK;
}

static hn_status step(hn_sim *sim, double limit) {
  hn_bdf *s = sim->method.integrator_data;
  hn_status status = sim->watch.events ? hn_first_stage(sim) : HN_OK;
  if (!status && (!s->started || !(sim->step.h > 0))) status = begin(sim, s);
  if (!status && !(s->t > sim->state.t)) status = ahead(sim, s);
  if (status) return status;
  double next = 0;
  CVodeGetCurrentStep(s->memory, &next);
  return hn_bdf_piece(sim, s, limit, next);
}

static void dense(hn_sim *sim, double t, double *y) {
  hn_bdf *s = sim->method.integrator_data;
  bool ok = !CVodeGetDky(s->memory, t, 0, s->between);
  hn_bdf_between(sim, t, ok ? s->dense : s->values, y);
}

const hn_integrator_type hn_integrator_index1_bdf = {
    .info = {.name = "index1-bdf",
             .help = "BDF of variable order and step (CVODE), projected onto the constraints",
             .keys = "rtol atol step bdf_order",
             .required = ""},
    .order = 5,
    .adaptive = true,
    .layout = layout,
    .step = step,
    .dense = dense,
    .undo = hn_undo_step,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_STIFF | HN_CAN_STATES,
    .create = create,
    .release = release,
    .start = hn_bdf_start,
};

#endif
