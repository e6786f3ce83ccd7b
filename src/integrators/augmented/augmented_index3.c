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
// multipliers are updated as often as the linearised rows need to be met (`settle`), without
// another evaluation: with soft Xi one update takes but a small part of the violation, and
// conjugate residuals make few updates of many. The same factors then project velocities and
// accelerations onto the constraints, J v + Phi_t = 0 and J a = gamma, in the metric of the upper
// left block; what the second adds to the multipliers makes them of order 2 as well. Nonholonomic
// rows enter as h/2 psi = 0.
//
// Xi = penalty * stiffness of the joint * constraint_stiffness, or a matrix where rows are coupled,
// also those of different joints and, in natural coordinates, those that keep a body rigid.
// The motion does not depend on it. Every update is -Xi times a violation, which is J x to first
// order: multipliers that the equations leave open are shared in proportion to Xi,
// lambda = preload + Xi J x, if they start from the preload. So they do in every step where rows
// are redundant. (The paper starts from the last step's. Its updates add up Xi J x for all the J of
// the way, and where self-stresses turn with the motion the shares then depend on the way.)
//
// Without the option `penalty` only proportions count, and Xi is what lets the multipliers settle
// at once: a multiple of 4/h^2 times the inertia the rows see.
// augmented-displacement and -acceleration: the penalty of two terms, J^T (l + Xi (Phi + tau
// Phi')), l <- l + Xi (Phi + tau Phi'), without projections (Bayo, Garcia de Jalon, Avello &
// Cuadrado 1991). Along the rows of a step the rates change by 2/h times the positions, so that the
// row is that of Phi + tau Phi' over 1 + 2 tau/h, and D is D over the same. A violation then
// changes by the factor (2 tau/h - 1)/(2 tau/h + 1) a step. With the positions as unknowns the
// iteration is Newton's; with the accelerations, which the trapezoidal rule takes to positions and
// velocities, it is a fixed-point iteration with the matrix [M -J^T; J D].
#include "base/vec.h"
#include "integrators/augmented/augmented.h"

#include <string.h>

// stiffness of the softest row without the option `penalty`, in units of 4/h^2 times the inertia it
// sees. Rows that depend on each other are told apart by their compliance alone, which must not
// drown in round-off
static const double own_stiffness[] = {[false] = 1e9, [true] = 1e4};
enum { ITERATIONS = 30, PASSES = 100 };

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
  s->missing = HN_TAKE(arena, double, rows);
  s->constant = HN_TAKE(arena, double, sys->states);
  for (int k = 0; k < HN_AUGMENTED_KEPT; k++) {
    s->kept[k].x = HN_TAKE(arena, double, nv);
    s->kept[k].l = HN_TAKE(arena, double, rows);
    s->kept[k].y = HN_TAKE(arena, double, rows);
    s->kept[k].z = HN_TAKE(arena, double, rows);
  }
}

// ---- stiffness of the rows -----------------------------------------------------------------

// compliance of the rows for a step h at the state last evaluated
static void set_compliance(hn_sim *sim, hn_augmented *s, double h) {
  const hn_system *sys = sim->sys;
  double scale = 4 / (h * h * sim->opt.penalty * (1 + 2 * s->tau / h)), *D = s->matrix.D;
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
  if (!(sim->opt.penalty > 0)) {
    double times = own_stiffness[sys->redundant > 0];
    scale = INFINITY;
    for (int i = 0; i < sys->rows; i++) scale = fmin(scale, s->size[i] / (times * D[i]));
    if (!(scale > 0 && scale < INFINITY)) scale = 1;
  }
  for (double *x = D; x < block; x++) *x *= scale;
  s->scale = scale;
  s->least = 1;
  for (int i = 0; i < sys->rows; i++)
    if (s->size[i] > 0) s->least = fmin(s->least, s->size[i] / (s->size[i] + D[i]));
}

// those of the last step tell about forces and tangents, until there are better ones
static const double *multipliers(const hn_augmented *s) {
  return s->known ? s->lambda : s->lambda_old;
}

// [M - c C - k K  -J^T; J D] at the state last evaluated, d from the start of the step h
static hn_status factor(hn_sim *sim, hn_augmented *s, double h, double c, double k) {
  const hn_system *sys = sim->sys;
  set_compliance(sim, s, h);
  hn_iteration_increments(&s->matrix, sys, s->d);
  sim->count.factorisations++;
  if (hn_iteration_factor(&s->matrix, &sim->stage.work, multipliers(s), c, k, HN_ROWS_POSITION,
                          NULL))
    return HN_OK;
  return hn_sim_fail(sim, HN_ERR_SINGULAR, "t=%.6g: the iteration matrix is singular",
                     sim->stage.work.t);
}

// ---- updates of the multipliers ------------------------------------------------------------

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// y = J x, or J T x for increments of position
static void rows_of(hn_sim *sim, hn_augmented *s, const double *x, bool increments, double *y) {
  if (increments) {
    memcpy(s->force, x, (size_t)sim->sys->nv * sizeof(double));
    hn_iteration_turn(&s->matrix, sim->sys, s->force);
    x = s->force;
  }
  hn_jacobian_mul(&sim->stage.work, x, y);
}

// the next change x with its multipliers l, y = J x, made conjugate to those before it
static void next_update(hn_sim *sim, hn_augmented *s, bool increments, int pass) {
  const hn_system *sys = sim->sys;
  hn_augmented_update *p = &s->kept[pass % HN_AUGMENTED_KEPT];
  memset(p->x, 0, (size_t)sys->nv * sizeof(double));
  memcpy(p->l, s->missing, (size_t)sys->rows * sizeof(double));
  memcpy(p->z, s->missing, (size_t)sys->rows * sizeof(double));
  hn_iteration_solve(&s->matrix, sys, p->x, p->l);
  rows_of(sim, s, p->x, increments, p->y);
  p->rest = 1;
  for (int k = pass - 1; k >= 0 && k > pass - HN_AUGMENTED_KEPT; k--) {
    const hn_augmented_update *o = &s->kept[k % HN_AUGMENTED_KEPT];
    double part = dot(p->y, o->y, sys->rows) / dot(o->y, o->y, sys->rows);
    for (int i = 0; i < sys->nv; i++) p->x[i] -= part * o->x[i];
    for (int i = 0; i < sys->rows; i++) {
      p->l[i] -= part * o->l[i];
      p->y[i] -= part * o->y[i];
      p->z[i] -= part * o->z[i];
    }
    p->rest -= part * o->rest;
  }
}

// l -= times D^-1 missing
static void take_rest(const hn_system *sys, const hn_augmented *s, double times, double *l) {
  for (int i = 0; i < sys->rows; i++)
    if (!sys->coupled[i]) l[i] -= times / s->scale * sys->stiffness[i] * s->missing[i];
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    for (int i = 0; i < c->rows; i++)
      for (int j = 0; j < c->rows; j++)
        l[c->row[i]] -= times / s->scale * c->K[i * c->rows + j] * s->missing[c->row[j]];
  }
}

// x += times the update, with its multipliers
static void take_update(const hn_system *sys, hn_augmented *s, const hn_augmented_update *p,
                        double times, double *x, double *push) {
  for (int i = 0; i < sys->nv; i++) x[i] += times * p->x[i];
  for (int i = 0; push && i < sys->rows; i++) push[i] += times * p->l[i];
  for (int i = 0; i < sys->rows; i++) s->missing[i] -= times * p->y[i];
}

// x += the change that takes s->missing from the rows, which is what they lack of J x = rhs, down
// to `enough` of its size. Multipliers that go with it are added to `push`, unless that is NULL;
// it holds `solved` solutions for all of what is missing already. Redundant rows that are not met
// yet contradict each other by the square of what they miss: the part of it that no change takes
// away says nothing about their shares
static void settle(hn_sim *sim, hn_augmented *s, double *x, double *push, int solved,
                   bool increments, double enough) {
  static const double dependent = 1e-2, round_off = 1e-9, little = 1e-3;
  enum { PATIENCE = 3 };
  const hn_system *sys = sim->sys;
  double now = sqrt(dot(s->missing, s->missing, sys->rows)), end = enough * now, rest = solved;
  int pass = 0, idle = 0;  // updates, and the last ones that took next to nothing
  for (; pass < PASSES && now > end; pass++) {
    hn_augmented_update *p = &s->kept[pass % HN_AUGMENTED_KEPT];
    next_update(sim, s, increments, pass);
    double y = sqrt(dot(p->y, p->y, sys->rows)), z = sqrt(dot(p->z, p->z, sys->rows));
    // rows that contradict each other or, where a mechanism is overconstrained only with its joints
    // closed, are all but dependent; or nothing is left but what the updates before took
    if (!(y > dependent * s->least * z && z > round_off * now)) break;
    p->part = dot(s->missing, p->y, sys->rows) / (y * y);
    // one that is all but orthogonal to what is missing may have to come before those that are not
    idle = fabs(p->part) * y > little * now ? 0 : idle + 1;
    if (idle == PATIENCE) break;
    take_update(sys, s, p, p->part, x, push);
    rest += p->part * p->rest;
    now = sqrt(dot(s->missing, s->missing, sys->rows));
  }
  // what came to nothing is noise
  for (int k = idle == PATIENCE ? PATIENCE - 1 : idle; k > 0; k--) {
    const hn_augmented_update *p = &s->kept[(pass - k) % HN_AUGMENTED_KEPT];
    take_update(sys, s, p, -p->part, x, push);
    rest -= p->part * p->rest;
  }
  if (push && sys->redundant) take_rest(sys, s, rest, push);
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
  memcpy(sim->stage.work.lambda, multipliers(s), (size_t)sys->rows * sizeof(double));
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
    s->l[i] = sys->holonomic[i] ? -(work->phi[i] + s->tau * work->psi[i]) / (1 + 2 * s->tau / h)
                                : -0.5 * h * work->psi[i];
}

// adds the solution; returns the largest change of the increment, angles by the model's length
static double improve(hn_sim *sim, hn_augmented *s, double h) {
  const hn_system *sys = sim->sys;
  double change = 0;
  memcpy(s->missing, s->l, (size_t)sys->rows * sizeof(double));
  hn_iteration_solve(&s->matrix, sys, s->x, s->l);
  rows_of(sim, s, s->x, true, s->size);
  for (int i = 0; i < sys->rows; i++) s->missing[i] -= s->size[i];
  if (sys->redundant || hn_largest(s->missing, (size_t)sys->rows) > 1e-14 * sys->length)
    settle(sim, s, s->x, s->l, 1, true, 1e-9);
  for (int i = 0; i < sys->nv; i++) {
    double moved = fabs(s->x[i]) * (sys->angular_v[i] ? sys->length : 1);
    change = hn_worse(change, moved);  // a NaN is kept
    s->d[i] += s->x[i];
  }
  for (int i = 0; i < sys->rows; i++) s->lambda[i] += 4 / (h * h) * s->l[i];
  s->known = true;
  return change;
}

// leaves everything evaluated at the end of the step, before the projections
static hn_status solve(hn_sim *sim, hn_augmented *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->state.y + sys->nq;
  double enough = fmax(sim->opt.iteration_tol, 1e-14) * sys->length, last = INFINITY;
  bool old = true;
  // shares of redundant rows are those of the stiffness alone
  s->known = !sys->redundant;
  if (!s->known) hn_preload(sys, s->lambda);
  for (int i = 0; i < sys->nv; i++) s->d[i] = h * v0[i] + 0.5 * h * h * s->a_old[i];
  evaluate(sim, s, h, y);
  for (int pass = 0; pass < ITERATIONS; pass++) {
    if (old) {
      hn_status status =
          s->accelerations ? factor(sim, s, h, 0, 0) : factor(sim, s, h, 0.5 * h, 0.25 * h * h);
      if (status) return status;
    }
    residual(sim, s, h);
    double change = improve(sim, s, h);
    // behind the last change once more, so that forces and rows belong to where the step ends
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

static void project_all(hn_sim *sim, hn_augmented *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  double *v = y + sys->nq;
  for (int i = 0; i < sys->rows; i++) s->missing[i] = -work->psi[i];
  // without multipliers: they would be impulses, which nobody reports
  settle(sim, s, v, NULL, 0, false, 1e-12);
  hn_eval_all(work, sim->state.t + h, y, v);
  sim->count.evaluations++;
  hn_jacobian_mul(work, s->a, s->missing);
  for (int i = 0; i < sys->rows; i++) s->missing[i] = work->gamma[i] - s->missing[i];
  settle(sim, s, s->a, s->lambda, 0, false, 1e-12);
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
  hn_states_follow(sim, &s->rule, s->constant, h, 0.5, y, sim->step.k[0], 0.5);
  hn_status status = solve(sim, s, h, y);
  if (status) {
    hn_states_stand(sim, sim->state.y);
    hn_augmented_undo(s, sys);
    return status;
  }
  if (s->tau > 0)
    memcpy(sim->stage.work.lambda, s->lambda, (size_t)sys->rows * sizeof(double));
  else
    project_all(sim, s, h, y);
  hn_states_settled(sim, y, sim->step.y_stage);
  s->power = power_now(sim, s);
  y[sim->state.w] += 0.5 * h * (s->power_old + s->power);
  return HN_OK;
}

void hn_augmented_undo(hn_augmented *s, const hn_system *sys) {
  memcpy(s->a, s->a_old, (size_t)sys->nv * sizeof(double));
  memcpy(s->lambda, s->lambda_old, (size_t)sys->rows * sizeof(double));
  s->power = s->power_old;
}

// Where rows are redundant the multipliers are found by the same iteration on the level of
// accelerations: M a = f + J^T lambda, J a = gamma, from the preload
hn_status hn_augmented_take(hn_sim *sim, hn_augmented *s) {
  const hn_system *sys = sim->sys;
  size_t nv = (size_t)sys->nv * sizeof(double), rows = (size_t)sys->rows * sizeof(double);
  memcpy(s->a, sim->stage.ydot + sys->nq, nv);
  memcpy(s->lambda, sim->stage.work.lambda, rows);
  s->power = sim->stage.ydot[sim->state.w];
  if (!sys->redundant) return HN_OK;
  memset(s->d, 0, nv);
  s->known = true;
  hn_status status = factor(sim, s, sim->opt.step, 0, 0);
  if (status) return status;
  hn_mass_mul(&sim->stage.work, s->a, s->x);
  // lambda and a belong together here: what is left of M a is f
  hn_jacobian_tmul_add(&sim->stage.work, s->lambda, -1, s->x);  // f
  hn_preload(sys, s->lambda);
  hn_jacobian_tmul_add(&sim->stage.work, s->lambda, 1, s->x);
  hn_jacobian_mul(&sim->stage.work, s->a, s->l);  // gamma
  memcpy(s->missing, s->l, rows);
  hn_iteration_solve(&s->matrix, sys, s->x, s->l);
  hn_jacobian_mul(&sim->stage.work, s->x, s->size);
  for (int i = 0; i < sys->rows; i++) s->missing[i] -= s->size[i];
  settle(sim, s, s->x, s->l, 1, false, 1e-12);
  for (int i = 0; i < sys->rows; i++) s->lambda[i] += s->l[i];
  return HN_OK;
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
  double *rate = sim->step.y_stage;  // those of the states are there
  memset(rate, 0, (size_t)sim->state.x * sizeof(double));
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

// what the variants of the stepper differ in
typedef struct form {
  bool two_terms, accelerations;
} form;

static void layout(hn_sim *sim, hn_arena *arena) {
  const form *variant = sim->method.integrator->variant;
  hn_augmented *s = HN_TAKE(arena, hn_augmented, 1),
               place = {.tau = variant->two_terms ? sim->opt.stepper_tau * sim->opt.step : 0,
                        .accelerations = variant->accelerations};
  hn_stage_layout(sim, arena, 1);
  hn_augmented_layout(&place, arena, sim->sys);
  if (!arena->base) return;
  *s = place;
  sim->method.integrator_data = s;
}

static hn_status create(hn_sim *sim) {
  hn_augmented *s = sim->method.integrator_data;
  const char *correction = sim->method.correction->info.name;
  if (s->tau > 0 && sim->sys->rows && strcmp(correction, "none") != 0)
    return hn_sim_fail(
        sim, HN_ERR_UNSUPPORTED,
        "integrator '%s' lets violations decay by a rule of its own, which correction "
        "'%s' would upset (set 'correction' to none)",
        sim->method.integrator->info.name, correction);
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

#define MEMBER(name_, help_, keys_, two_terms_, accelerations_, stiff)                             \
  {                                                                                                \
    .info = {.name = name_, .help = help_, .keys = keys_, .required = "step"}, .order = 2,         \
    .layout = layout, .step = step, .dense = hn_dense_hermite, .undo = undo, .stands_alone = true, \
    .can = (stiff) | HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_SINGULAR_MASS |               \
           HN_CAN_NATURAL | HN_CAN_BLOCKS | HN_CAN_STATES,                                         \
    .create = create, .release = release, .outside = outside, .start = start,                      \
    .reactions = reactions, .variant = &(const form){two_terms_, accelerations_},                  \
  }

const hn_integrator_type hn_integrator_augmented_index3 = MEMBER(
    "augmented-index3", "trapezoidal rule, order 2: penalty and multipliers on position level",
    "step penalty iteration_tol", false, false, HN_CAN_STIFF);

const hn_integrator_type hn_integrator_augmented_displacement =
    MEMBER("augmented-displacement",
           "trapezoidal rule, order 2: penalty of positions and velocities with multipliers, "
           "unknown positions",
           "step penalty iteration_tol stepper_tau", true, false, HN_CAN_STIFF);

const hn_integrator_type hn_integrator_augmented_acceleration =
    MEMBER("augmented-acceleration", "the same with unknown accelerations: no tangents of forces",
           "step penalty iteration_tol stepper_tau", true, true, 0);
