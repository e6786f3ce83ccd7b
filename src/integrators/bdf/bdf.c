// bdf.c: what the steppers by CVODE and IDA share.
#include "integrators/bdf/bdf.h"

#ifdef HN_HAVE_SUNDIALS

#include <stdlib.h>
#include <string.h>

void hn_bdf_layout(hn_bdf *s, hn_arena *arena, const hn_sim *sim, int n) {
  const hn_system *sys = sim->sys;
  // what SUNDIALS works on lies in the arena; its vectors only wrap it
  s->n = n;
  s->values = HN_TAKE(arena, double, n);
  s->rates = HN_TAKE(arena, double, n);
  s->kinds = HN_TAKE(arena, double, n);
  s->dense = HN_TAKE(arena, double, n);
  s->state = HN_TAKE(arena, double, sim->state.n);
  s->p = HN_TAKE(arena, double, sys->nq);
  s->x = HN_TAKE(arena, double, sys->nv);
  s->g = HN_TAKE(arena, double, sys->nv);
  s->u = HN_TAKE(arena, double, sys->nv);
  s->l = HN_TAKE(arena, double, sys->rows);
  s->m = HN_TAKE(arena, double, sys->rows);
  s->lambda = HN_TAKE(arena, double, sys->rows);
  s->by_state = HN_TAKE(arena, double, (size_t)sys->nv *(size_t)sys->states);
  s->alone = HN_TAKE(arena, double, sys->states);
  hn_iteration_layout(&s->matrix, arena, sys);
}

// ---- a matrix and a linear solver for SUNDIALS ---------------------------------------------

// the matrix itself lies in hn_bdf and is filled by the caller's function
static SUNMatrix_ID shell_id(SUNMatrix A) {
  (void)A;
  return SUNMATRIX_CUSTOM;
}

static int shell_zero(SUNMatrix A) {
  (void)A;
  return 0;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver S) {
  (void)S;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver S) {
  (void)S;
  return SUNLINEARSOLVER_CUSTOM;
}

static int solver_initialise(SUNLinearSolver S) {
  (void)S;
  return 0;
}

// SUNDIALS hands the run round: what is the integrator's is found through it
static hn_bdf *bdf_of(SUNLinearSolver S) {
  return ((hn_sim *)S->content)->method.integrator_data;
}

// factorised when it was filled; a singular matrix asks for a smaller step
static int solver_setup(SUNLinearSolver S, SUNMatrix A) {
  (void)A;
  return bdf_of(S)->singular ? 1 : 0;
}

static int solver_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b,
                        realtype tolerance) {
  (void)A, (void)tolerance;
  hn_bdf *s = bdf_of(S);
  double *to = N_VGetArrayPointer(x), *from = N_VGetArrayPointer(b);
  if (to != from) memcpy(to, from, (size_t)s->n * sizeof(double));
  s->solve(S->content, to);
  return 0;
}

// The library takes for granted that there is memory for a copy of a vector, and gives some back
// twice when something else fails. So where there is no memory it gets the spare one; copies are
// given back here, once, when its own memory is gone; and the run is refused before anything is
// computed. Copies are made while a stepper is created only.
static _Thread_local hn_bdf *creating;

static N_Vector copy_or_spare(N_Vector v) {
  bool room = !creating || creating->copy_count < HN_BDF_COPIES;
  N_Vector copy = room ? N_VClone_Serial(v) : NULL;
  if (!creating) return copy;
  if (copy) creating->copies[creating->copy_count++] = copy;
  if (!copy) creating->short_of_memory = true;
  return copy ? copy : creating->spare;
}

static void destroy_copy(N_Vector v) {
  if (!creating) N_VDestroy_Serial(v);
}

bool hn_bdf_created(hn_bdf *s, bool ok) {
  ok = ok && !s->short_of_memory;
  for (int i = 0; i < s->copy_count && !ok; i++) N_VDestroy_Serial(s->copies[i]);
  s->copy_count = 0;
  creating = NULL;
  return ok;
}

bool hn_bdf_create(hn_sim *sim, hn_bdf *s) {
  creating = NULL;
  if (!hn_iteration_create(&s->matrix, sim)) return false;
  // the library does not look whether there is memory for its context: there is, if there was for
  // this
  void *enough = malloc(1 << 16);
  bool none = !enough;
  free(enough);
  if (none || SUNContext_Create(NULL, &s->context)) return false;
  s->y = N_VMake_Serial(s->n, s->values, s->context);
  s->yp = N_VMake_Serial(s->n, s->rates, s->context);
  s->id = N_VMake_Serial(s->n, s->kinds, s->context);
  s->between = N_VMake_Serial(s->n, s->dense, s->context);
  s->shell = SUNMatNewEmpty(s->context);
  s->solver = SUNLinSolNewEmpty(s->context);
  s->spare = N_VNew_Serial(s->n, s->context);
  if (!s->y || !s->yp || !s->id || !s->between || !s->shell || !s->solver || !s->spare)
    return false;
  N_Vector vectors[] = {s->y, s->yp, s->id, s->between, s->spare};
  for (int i = 0; i < 5; i++) {
    vectors[i]->ops->nvclone = copy_or_spare;
    vectors[i]->ops->nvdestroy = destroy_copy;
  }
  creating = s;
  s->shell->ops->getid = shell_id;
  s->shell->ops->zero = shell_zero;
  s->solver->content = sim;
  s->solver->ops->gettype = solver_type;
  s->solver->ops->getid = solver_id;
  s->solver->ops->initialize = solver_initialise;
  s->solver->ops->setup = solver_setup;
  s->solver->ops->solve = solver_solve;
  return true;
}

void hn_bdf_release(hn_bdf *s) {
  hn_iteration_release(&s->matrix);
  if (s->solver) SUNLinSolFreeEmpty(s->solver);
  if (s->shell) SUNMatFreeEmpty(s->shell);
  creating = NULL;
  N_Vector vectors[] = {s->y, s->yp, s->id, s->between, s->spare};
  for (int i = 0; i < 5; i++)
    if (vectors[i]) N_VDestroy_Serial(vectors[i]);
  if (s->context) SUNContext_Free(&s->context);
}

void hn_bdf_quiet(int code, const char *module, const char *function, char *words, void *user) {
  (void)code, (void)module, (void)function, (void)words, (void)user;
}

hn_status hn_bdf_fail(hn_sim *sim, const hn_bdf *s, int flag, double h) {
  // both libraries number these alike
  enum { TOO_ACCURATE = -2, ERROR_TEST = -3, NEWTON = -4, CV_NO_MEMORY = -20, IDA_NO_MEMORY = -21 };
  if (s->status) return s->status;
  if (flag == TOO_ACCURATE)
    return hn_sim_fail(sim, HN_ERR_STEP,
                       "t=%.6g: rtol=%g asks for more than round-off allows (a larger rtol helps)",
                       sim->state.t, sim->opt.rtol);
  if (flag == ERROR_TEST)
    return hn_sim_fail(sim, HN_ERR_STEP,
                       "t=%.6g: even steps of %.2g s miss the tolerance: the motion is not smooth "
                       "there, or rtol=%g is below round-off",
                       sim->state.t, h, sim->opt.rtol);
  if (flag == NEWTON)
    return hn_sim_fail(sim, HN_ERR_STEP,
                       "t=%.6g: Newton's iteration does not converge, even with steps of %.2g s "
                       "(rtol=%g may be below round-off, or the motion ends here)",
                       sim->state.t, h, sim->opt.rtol);
  if (flag == CV_NO_MEMORY || flag == IDA_NO_MEMORY)
    return hn_sim_fail(sim, HN_ERR_MEMORY, "t=%.6g: out of memory", sim->state.t);
  return hn_sim_fail(sim, HN_ERR_STEP,
                     "t=%.6g: the equations cannot be evaluated or solved near this state, even "
                     "with steps of %.2g s",
                     sim->state.t, h);
}

// ---- configurations and velocities ---------------------------------------------------------

// w = 2 conj(p) p' for unit p
// r need not be orthogonal to p: only the part that turns counts
static void turning(const double p[4], const double r[4], double w[3]) {
  w[0] = 2 * (p[0] * r[1] - p[1] * r[0] - p[2] * r[3] + p[3] * r[2]);
  w[1] = 2 * (p[0] * r[2] - p[2] * r[0] - p[3] * r[1] + p[1] * r[3]);
  w[2] = 2 * (p[0] * r[3] - p[3] * r[0] - p[1] * r[2] + p[2] * r[1]);
}

void hn_bdf_tangent(const hn_system *sys, const double *q, const double *rate, double *x) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = b->kind == HN_SPATIAL ? 3 : b->nv;
    for (int k = 0; k < linear; k++) x[b->v0 + k] = rate[b->q0 + k];
    if (b->kind == HN_SPATIAL) turning(q + b->q0 + 3, rate + b->q0 + 3, x + b->v0 + 3);
  }
}

void hn_bdf_lift(const hn_system *sys, const double *q, const double *x, const double *across,
                 double s, double *rate) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind != HN_SPATIAL) {
      for (int k = 0; k < b->nv; k++) rate[b->q0 + k] = x[b->v0 + k];
      continue;
    }
    const double *p = q + b->q0 + 3, *r = across + b->q0 + 3;
    double part = s * (p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3]), o[4];
    q_rate(o, p, x + b->v0 + 3);
    for (int k = 0; k < 3; k++) rate[b->q0 + k] = x[b->v0 + k];
    for (int k = 0; k < 4; k++) rate[b->q0 + 3 + k] = o[k] + part * p[k];
  }
}

// Tolerances of other integrators bound the largest error of a step, and their steps are better
// than they estimate, since they go on from the higher of two orders. BDF steps are as bad as
// estimated: their errors add up in the same direction, in proportion to the number of steps. So
// the mean square is taken for the largest error (sqrt(w) at worst), and a step may have its share
// of the error allowed while the mechanism moves by its own length, h / way. This is the error per
// unit time, as long as there are not too many steps (the first ones are of order 1 and very short)
// and round-off allows.
enum { MOST_STEPS = 30 };

// energy of the largest speeds so far
static double energy_scale(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double energy = 0;
  for (int i = 0; i < sys->nv; i++) {
    double speed = sim->step.speed[sys->angular_v[i]];
    energy += 0.5 * sys->mass[i] * speed * speed;
  }
  return energy;
}

double hn_bdf_strictness(const hn_sim *sim, const hn_bdf *s, double h) {
  double way = sim->sys->length / sim->step.speed[0];
  double steps = h > 0 ? fmin(fmax(way / h, 1), MOST_STEPS) : 1;
  return fmax(1, fmin(steps * sqrt(sim->state.w), sim->opt.rtol / s->finest));
}

int hn_bdf_weights(const hn_sim *sim, const hn_bdf *s, double h, double *weight) {
  // SUNDIALS takes the mean square over all entries; those that count are to fill it
  int states = sim->sys->states, first = sim->state.x;
  double share = sqrt((double)s->n / (sim->state.w + states)) * hn_bdf_strictness(sim, s, h);
  for (int i = 0; i < s->n; i++)
    weight[i] = i < sim->state.w ? share / sim->step.scale_y[i] : 1e-100;
  // the first steps are of order 1: without a say the work would keep their error
  weight[sim->state.w] = share / (sim->opt.rtol * energy_scale(sim));
  for (int i = first; i < first + states; i++) weight[i] = share / sim->step.scale_y[i];
  return 0;
}

// ---- states of first order -----------------------------------------------------------------
//
// With P = df/dx, A = 1 - c dx'/dx and G the gain, Newton's equations of the states are x = A^-1 b
// + G dm: put into those of the motion, P G dm is part of the tangents, and P A^-1 b a force.

bool hn_bdf_states_follow(hn_sim *sim, hn_bdf *s, double c) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  if (!sys->states) return true;
  memset(s->by_state, 0, (size_t)sys->nv * (size_t)sys->states * sizeof(double));
  hn_tangent tangent = {.n = sys->nv, .by_state = s->by_state};
  hn_force_tangent(work, &tangent);
  s->rule = (hn_state_rule){.keep = 1, .rate = c};
  work->rule = &s->rule;
  bool regular = hn_state_gains(work);
  if (!regular) work->rule = NULL;
  return regular;
}

void hn_bdf_states_leave(hn_sim *sim, hn_bdf *s, const double *b, double scale, double *r) {
  const hn_system *sys = sim->sys;
  if (!sys->states) return;
  hn_state_solve(&sim->stage.work, b, s->alone);
  for (int i = 0; i < sys->nv; i++)
    for (int k = 0; k < sys->states; k++)
      r[i] += scale * s->by_state[(size_t)i * (size_t)sys->states + (size_t)k] * s->alone[k];
}

void hn_bdf_states_return(hn_sim *sim, hn_bdf *s, const double *dq, const double *dv, double *b) {
  if (!sim->sys->states) return;
  memcpy(b, s->alone, (size_t)sim->sys->states * sizeof(double));
  hn_state_follow_change(&sim->stage.work, dq, dv, b);
}

void hn_bdf_between(hn_sim *sim, double t, const double *values, double *y) {
  double moved;
  memcpy(y, values, (size_t)sim->state.n * sizeof(double));
  hn_normalise(sim->sys, y);
  // events are looked for between steps: there the state must be the same as it would be at an end
  if (!sim->watch.events || !sim->method.correction->projects) return;
  hn_stage_left(sim);
  (void)hn_correct(sim, t, y, &moved);
}

// ---- steps ---------------------------------------------------------------------------------

hn_status hn_bdf_start(hn_sim *sim) {
  hn_bdf *s = sim->method.integrator_data;
  s->started = false;
  return HN_OK;
}

hn_status hn_bdf_piece(hn_sim *sim, hn_bdf *s, double limit, double size) {
  // what would be left is rounding: one piece instead of two
  double left = s->t - sim->state.t, h = limit < left * (1 - 1e-12) ? limit : left;
  double *y = sim->step.y_new;
  if (h < left)
    sim->method.integrator->dense(sim, sim->state.t + h, y);
  else
    memcpy(y, s->values, (size_t)sim->state.n * sizeof(double));
  hn_normalise(sim->sys, y);
  sim->step.h = size;
  return hn_accept_step(sim, h, y, NULL);
}

#endif
