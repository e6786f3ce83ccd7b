// augmented_index3.c: augmented Lagrangian of index 3 with projections (Cuadrado, Cardenal & Bayo
// 1997; Gonzalez & Kovecses 2013 with the sign of the penalty force corrected). Order 2.
//
// The trapezoidal rule makes velocities and accelerations functions of the position increment d,
//
//   q1 = q0 (+) d,   v1 = 2 d/h - v0,   a1 = 4 (d - h v0)/h^2 - a0,
//
// and the increment follows from the balance of forces at the end of the step, whose constraint
// forces are springs of stiffness Xi plus multipliers that take over what the springs carry:
//
//   [M + h/2 C + h^2/4 (K + J^T Xi J)] dd = -h^2/4 [M a1 + J^T (Xi Phi + l) - f],  l <- l + Xi Phi
//
// until Phi = 0. With lambda = -(l + Xi Phi) this is the saddle-point system
//
//   [ M - h/2 C - h^2/4 K   -J^T ] [ dd           ]   [ h^2/4 (f + J^T lambda - M a1) ]
//   [ J                      D   ] [ h^2/4 dlambda ] = [ -Phi                          ]
//
// with D = 4/(h^2 Xi), K = d(f + J^T lambda)/dq and C = df/dv. Nothing in it grows with Xi. The
// same factors then project velocities and accelerations onto the constraints, J v + Phi_t = 0 and
// J a = gamma, in the metric of the upper left block; what the second adds to the multipliers makes
// them of order 2 as well. Nonholonomic rows enter as h/2 psi = 0.
//
// Xi = penalty * stiffness of the joint * constraint_stiffness, or a matrix where rows are coupled,
// also those of different joints. The motion does not depend on it.
// Multipliers that the equations leave open are shared in proportion to it,
// lambda = preload + Xi J x. Only proportions count, so all of Xi is raised by one factor where it
// is too soft for the multipliers to settle within a few iterations at this step.
#include "integrators/augmented/augmented.h"

#include <string.h>

// least stiffness of a row, in units of 4/h^2 times the inertia it sees. Rows that depend on each
// other are told apart by their compliance alone, which must not drown in round-off
static const double least_stiffness[] = {[false] = 1e9, [true] = 1e4};
enum { ITERATIONS = 30, PROJECTIONS = 8 };

void hn_augmented_layout(hn_augmented *s, hn_arena *arena, const hn_system *sys) {
  int nv = sys->nv, rows = sys->rows;
  hn_iteration_layout(&s->matrix, arena, sys);
  s->a = HN_TAKE(arena, double, nv);
  s->a_old = HN_TAKE(arena, double, nv);
  s->lambda = HN_TAKE(arena, double, rows);
  s->lambda_old = HN_TAKE(arena, double, rows);
  s->d = HN_TAKE(arena, double, nv);
  s->x = HN_TAKE(arena, double, nv);
  s->force = HN_TAKE(arena, double, nv);
  s->l = HN_TAKE(arena, double, rows);
  s->size = HN_TAKE(arena, double, rows);
}

// ---- stiffness of the rows -----------------------------------------------------------------

// compliance of the rows for a step h at the state last evaluated
static void set_compliance(hn_sim *sim, hn_augmented *s, double h) {
  const hn_system *sys = sim->sys;
  double unit = 4 / (h * h * sim->opt.penalty), scale = unit, *D = s->matrix.D;
  double least = least_stiffness[sys->redundant > 0];
  // Xi^-1: the diagonal, then the couplings
  for (int i = 0; i < sys->rows; i++) D[i] = 1 / sys->stiffness[i];
  double *block = D + sys->rows;
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    int n = c->rows;
    for (int i = 0; i < n; i++) D[c->row[i]] = c->inverse[i * (n + 1)];
    memcpy(block, c->inverse, (size_t)(n * n) * sizeof(double));
    block += n * n;
  }
  hn_row_sizes(&sim->stage.work, s->size);
  for (int i = 0; i < sys->rows; i++) scale = fmin(scale, s->size[i] / (least * D[i]));
  if (!(scale > 0)) scale = unit;
  for (double *x = D; x < block; x++) *x *= scale;
}

static hn_status factor(hn_sim *sim, hn_augmented *s, double h) {
  const hn_system *sys = sim->sys;
  set_compliance(sim, s, h);
  hn_iteration_increments(&s->matrix, sys, s->d);
  sim->count.factorisations++;
  if (hn_iteration_factor(&s->matrix, &sim->stage.work, s->lambda, 0.5 * h, 0.25 * h * h,
                          HN_ROWS_POSITION, NULL))
    return HN_OK;
  return hn_sim_fail(sim, HN_ERR_SINGULAR, "t=%.6g: the iteration matrix is singular",
                     sim->stage.work.t);
}

// ---- Newton's iteration for the increment --------------------------------------------------

// everything at q0 (+) d
static void evaluate(hn_sim *sim, hn_augmented *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->state.y + sys->nq;
  double *v = y + sys->nq;
  memcpy(y, sim->state.y, (size_t)sys->nq * sizeof(double));
  hn_retract(sys, y, s->d);
  for (int i = 0; i < sys->nv; i++) {
    v[i] = 2 * s->d[i] / h - v0[i];
    s->a[i] = 4 * (s->d[i] - h * v0[i]) / (h * h) - s->a_old[i];
  }
  hn_eval_all(&sim->stage.work, sim->state.t + h, y, v);
  sim->count.evaluations++;
  if (!sys->reactive) return;
  memcpy(sim->stage.work.lambda, s->lambda, (size_t)sys->rows * sizeof(double));
  hn_add_reactive(sim);
}

// x, l: right-hand side of the system above
static void residual(hn_sim *sim, hn_augmented *s, double h) {
  const hn_system *sys = sim->sys;
  const hn_work *work = &sim->stage.work;
  double part = 0.25 * h * h;
  hn_mass_mul(work, s->a, s->x);
  for (int i = 0; i < sys->nv; i++) s->x[i] = part * (work->r[i] - s->x[i]);
  hn_jacobian_tmul_add(work, s->lambda, part, s->x);
  for (int i = 0; i < sys->rows; i++)
    s->l[i] = sys->holonomic[i] ? -work->phi[i] : -0.5 * h * work->psi[i];
}

// adds the solution; returns the largest change of the increment, angles by the model's length
static double improve(hn_sim *sim, hn_augmented *s, double h) {
  const hn_system *sys = sim->sys;
  double change = 0;
  hn_iteration_solve(&s->matrix, sys, s->x, s->l);
  for (int i = 0; i < sys->nv; i++) {
    double moved = fabs(s->x[i]) * (sys->angular_v[i] ? sys->length : 1);
    if (!(moved <= change)) change = moved;  // a NaN is kept
    s->d[i] += s->x[i];
  }
  for (int i = 0; i < sys->rows; i++) s->lambda[i] += 4 / (h * h) * s->l[i];
  return change;
}

// leaves everything evaluated at the end of the step, before the projections
static hn_status solve(hn_sim *sim, hn_augmented *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->state.y + sys->nq;
  double enough = fmax(sim->opt.iteration_tol, 1e-14) * sys->length, last = INFINITY;
  bool old = true;
  for (int i = 0; i < sys->nv; i++) s->d[i] = h * v0[i] + 0.5 * h * h * s->a_old[i];
  evaluate(sim, s, h, y);
  for (int pass = 0; pass < ITERATIONS; pass++) {
    if (old) {
      hn_status status = factor(sim, s, h);
      if (status) return status;
    }
    residual(sim, s, h);
    double change = improve(sim, s, h);
    if (!(change < 1e6 * sys->length)) break;
    evaluate(sim, s, h, y);
    if (change <= enough) return HN_OK;
    // round-off
    if (change <= 1e4 * enough && change > 0.5 * last) return HN_OK;
    // too slow: the matrix belongs to another state
    old = change > 0.1 * last;
    last = change;
  }
  return hn_sim_fail(sim, HN_ERR_STEP,
                     "t=%.6g: the iteration of the step %.3g s does not converge (a smaller 'step' "
                     "may help)",
                     sim->state.t, h);
}

// ---- projections with the same factors -----------------------------------------------------

// x += the change that takes `missing` from the rows, which is what they lack of J x = rhs;
// multipliers that go with it are added to `push`, unless that is NULL
static void project(hn_sim *sim, hn_augmented *s, double *x, double *missing, double *push) {
  const hn_system *sys = sim->sys;
  double now = hn_largest(missing, (size_t)sys->rows), enough = 1e-3 * now;
  for (int pass = 0; pass < PROJECTIONS && now > 0; pass++) {
    memset(s->x, 0, (size_t)sys->nv * sizeof(double));
    memcpy(s->l, missing, (size_t)sys->rows * sizeof(double));
    hn_iteration_solve(&s->matrix, sys, s->x, s->l);
    for (int i = 0; i < sys->nv; i++) x[i] += s->x[i];
    for (int i = 0; push && i < sys->rows; i++) push[i] += s->l[i];
    hn_jacobian_mul(&sim->stage.work, s->x, s->l);
    for (int i = 0; i < sys->rows; i++) missing[i] -= s->l[i];
    double next = hn_largest(missing, (size_t)sys->rows);
    if (!(next < 0.5 * now)) return;  // round-off
    now = next;
    if (pass > 0 && now < 1e-9 * enough) return;
  }
}

// the same constraint forces, shared by stiffness: lambda = preload + Xi J x
void hn_augmented_share(hn_sim *sim, hn_augmented *s) {
  const hn_system *sys = sim->sys;
  if (!sys->redundant) return;
  memset(s->force, 0, (size_t)sys->nv * sizeof(double));
  hn_jacobian_tmul_add(&sim->stage.work, s->lambda, 1, s->force);
  double size = hn_largest(s->force, (size_t)sys->nv), last = INFINITY;
  memset(s->lambda, 0, (size_t)sys->rows * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    const double *preload = sys->joint[group->joint].preload;
    for (int r = 0; preload && r < group->rows; r++) s->lambda[group->row0 + r] = preload[r];
  }
  hn_jacobian_tmul_add(&sim->stage.work, s->lambda, -1, s->force);
  for (int pass = 0; pass < PROJECTIONS; pass++) {
    for (int i = 0; i < sys->nv; i++) s->x[i] = -s->force[i];
    memset(s->l, 0, (size_t)sys->rows * sizeof(double));
    hn_iteration_solve(&s->matrix, sys, s->x, s->l);
    for (int i = 0; i < sys->rows; i++) s->lambda[i] += s->l[i];
    hn_jacobian_tmul_add(&sim->stage.work, s->l, -1, s->force);
    double left = hn_largest(s->force, (size_t)sys->nv);
    if (left < 1e-13 * size || left > 0.5 * last) return;
    last = left;
  }
}

static void project_all(hn_sim *sim, hn_augmented *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  double *v = y + sys->nq;
  for (int i = 0; i < sys->rows; i++) sim->room.r[i] = -work->psi[i];
  project(sim, s, v, sim->room.r, NULL);
  hn_eval_all(work, sim->state.t + h, y, v);
  sim->count.evaluations++;
  hn_jacobian_mul(work, s->a, sim->room.r);
  for (int i = 0; i < sys->rows; i++) sim->room.r[i] = work->gamma[i] - sim->room.r[i];
  project(sim, s, s->a, sim->room.r, s->lambda);
  hn_augmented_share(sim, s);
  memcpy(work->lambda, s->lambda, (size_t)sys->rows * sizeof(double));
  if (sys->reactive) hn_add_reactive(sim);
}

// ---- the stepper ---------------------------------------------------------------------------

// power of what has no potential: forces, and drivers through the rows that depend on time
static double power_now(const hn_sim *sim, const hn_augmented *s) {
  double power = sim->stage.work.power;
  for (int i = 0; sim->sys->rheonomic && i < sim->sys->rows; i++)
    power -= s->lambda[i] * sim->stage.work.phi_t[i];
  return power;
}

hn_status hn_augmented_step(hn_sim *sim, hn_augmented *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  memcpy(s->a_old, s->a, (size_t)sys->nv * sizeof(double));
  memcpy(s->lambda_old, s->lambda, (size_t)sys->rows * sizeof(double));
  s->power_old = s->power;
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  hn_status status = solve(sim, s, h, y);
  if (status) {
    hn_augmented_undo(s, sys);
    return status;
  }
  project_all(sim, s, h, y);
  s->power = power_now(sim, s);
  y[sim->state.w] += 0.5 * h * (s->power_old + s->power);
  return HN_OK;
}

void hn_augmented_undo(hn_augmented *s, const hn_system *sys) {
  memcpy(s->a, s->a_old, (size_t)sys->nv * sizeof(double));
  memcpy(s->lambda, s->lambda_old, (size_t)sys->rows * sizeof(double));
  s->power = s->power_old;
}

hn_status hn_augmented_take(hn_sim *sim, hn_augmented *s) {
  const hn_system *sys = sim->sys;
  memcpy(s->a, sim->stage.ydot + sys->nq, (size_t)sys->nv * sizeof(double));
  memcpy(s->lambda, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
  s->power = sim->stage.ydot[sim->state.w];
  if (!sys->redundant) return HN_OK;
  memset(s->d, 0, (size_t)sys->nv * sizeof(double));
  hn_status status = factor(sim, s, sim->opt.step);
  if (!status) hn_augmented_share(sim, s);
  return status;
}

hn_status hn_augmented_begin(hn_sim *sim, hn_augmented *s) {
  if (!hn_rate_known(sim)) {
    // a force switched, or a correction moved the state
    hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
    if (!status) status = hn_augmented_take(sim, s);
    if (status) return status;
    hn_rate_found(sim);
  }
  memcpy(sim->step.k[0], sim->stage.ydot, (size_t)sim->state.n * sizeof(double));
  return HN_OK;
}

hn_status hn_augmented_accept(hn_sim *sim, hn_augmented *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  double *rate = sim->step.y_stage;
  memset(rate, 0, (size_t)sim->state.n * sizeof(double));
  hn_qdot(sys, y, y + sys->nq, rate);
  memcpy(rate + sys->nq, s->a, (size_t)sys->nv * sizeof(double));
  rate[sim->state.w] = s->power;
  sim->step.h = h;
  return hn_accept_step(sim, h, y, rate);
}

hn_status hn_augmented_short(hn_sim *sim, hn_augmented *s, double h) {
  memcpy(s->a_old, s->a, (size_t)sim->sys->nv * sizeof(double));
  memcpy(s->lambda_old, s->lambda, (size_t)sim->sys->rows * sizeof(double));
  s->power_old = s->power;
  sim->step.h = sim->opt.step;
  return hn_short_step(sim, h);
}

void hn_augmented_reactions(hn_sim *sim, const hn_augmented *s) {
  const hn_system *sys = sim->sys;
  double h = sim->state.t - sim->state.t_old,
         part = h > 0 ? (sim->stage.work.t - sim->state.t_old) / h : 1;
  part = fmin(fmax(part, 0), 1);
  for (int i = 0; i < sys->nv; i++) sim->stage.a[i] = (1 - part) * s->a_old[i] + part * s->a[i];
  for (int i = 0; i < sys->rows; i++)
    sim->stage.work.lambda[i] = (1 - part) * s->lambda_old[i] + part * s->lambda[i];
}

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_augmented *s = HN_TAKE(arena, hn_augmented, 1), place = {0};
  hn_stage_layout(sim, arena, 1);
  hn_augmented_layout(&place, arena, sim->sys);
  if (!arena->base) return;
  *s = place;
  sim->method.integrator_data = s;
}

static hn_status create(hn_sim *sim) {
  hn_augmented *s = sim->method.integrator_data;
  bool ok = hn_iteration_create(&s->matrix, sim);
  return ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

static void release(hn_sim *sim) {
  hn_iteration_release(&((hn_augmented *)sim->method.integrator_data)->matrix);
}

static void outside(hn_sim *sim, hn_outside *o) {
  hn_iteration_outside(&((hn_augmented *)sim->method.integrator_data)->matrix, o);
}

static hn_status start(hn_sim *sim) {
  return hn_augmented_take(sim, sim->method.integrator_data);
}

static hn_status step(hn_sim *sim, double limit) {
  hn_augmented *s = sim->method.integrator_data;
  double h = fmin(sim->opt.step, limit);
  hn_status status = hn_augmented_begin(sim, s);
  if (!status && hn_is_short(sim, h)) return hn_augmented_short(sim, s, h);
  if (!status) status = hn_augmented_step(sim, s, h, sim->step.y_new);
  return status ? status : hn_augmented_accept(sim, s, h, sim->step.y_new);
}

static void undo(hn_sim *sim) {
  hn_undo_step(sim);
  hn_augmented_undo(sim->method.integrator_data, sim->sys);
}

static void reactions(hn_sim *sim) {
  hn_augmented_reactions(sim, sim->method.integrator_data);
}

const hn_integrator_type hn_integrator_augmented_index3 = {
    .info = {.name = "augmented-index3",
             .help = "trapezoidal rule, order 2: penalty and multipliers on position level",
             .keys = "step penalty iteration_tol",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step,
    .dense = hn_dense_hermite,
    .undo = undo,
    .stands_alone = true,
    .can = HN_CAN_STIFF | HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_SINGULAR_MASS |
           HN_CAN_NATURAL | HN_CAN_BLOCKS,
    .create = create,
    .release = release,
    .outside = outside,
    .start = start,
    .reactions = reactions,
};
