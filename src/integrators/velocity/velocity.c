// velocity.c: velocity-level steppers, order 1. Constraints are imposed on the new velocity.
//
//   v*      unconstrained: M v' = f over one step (velocity_free.c)
//   M (v1 - v*) = J^T L,   q1 = q0 (+) h v1,   with
//
//   velocity-hard        J v1 = -Phi_t
//   velocity-baumgarte   J v1 = -Phi_t - Phi / tau   (tau: stepper_tau times the step wanted, so
//                        that a last short step does not kick)
//   velocity-soft        L = h l0 - h (K Phi1 + C Phi1'), implicit in Phi1 = Phi + h Phi1' and
//                        Phi1' = J v1 + Phi_t, l0 the preload:
//                        (M + J^T A J) v1 = M v* + J^T (h l0 - h K Phi - A Phi_t), A = h (C + h K)
//   velocity-augmented   L = h l - h (K Phi1 + C Phi1'), and l <- L / h until it settles: the
//                        augmented Lagrangian of two terms (Bayo et al. 1991). l starts as it was
//                        in the last step, at first as the preload. The limit is
//                        K Phi1 + C Phi1' = 0, with d = c k the feedback of velocity-baumgarte with
//                        tau = h + c, whatever the stiffness; dependent rows share by it
//
// J and Phi are those of the start of the step, Phi_t belongs to its end. The impulses L over h are
// the reactions. In terms of a = (v1 - v0) / h and l = L / h all are one saddle-point system
//
//   M a - J^T l = M (v* - v0) / h,   J a + D l = -psi / h - c
//
// with c = 0, Phi / (tau h), D (K Phi - l0), and D = A^-1. K and C are stiffness and damping of the
// row's joint, or the options', times the row's weight; matrices where rows are coupled. There the
// factors are those of the diagonal of D, and conjugate gradients do the rest.
// States of first order act as they were at the start of the step (with an implicit stepper_free as
// they follow from the unconstrained motion), and reach its end by the implicit Euler formula along
// the motion that the constraints allow.
// A. Castro, Notes on Constrained Multibody Dynamics (2025), equations (10), (11), (26) and,
// corrected, (31), (32).
#include "integrators/velocity/velocity.h"
#include "linalg/dense.h"

#include <string.h>

typedef enum constraint_rule { HARD, BAUMGARTE, SOFT, AUGMENTED } constraint_rule;

enum { PASSES = 20 };

typedef struct stepper {
  hn_free_motion free;
  double *a, *lambda;  // of the last step
  double *v;           // its velocity before the correction
  double *extra;       // what v* adds to the forces at the start of the step
  double *D;           // velocity-soft, -augmented: compliance of the rows, its diagonal
  double *k, *d;       // stiffness and damping of the rows, where coupled without their weight
  double *given;       // velocity-augmented: right-hand side of a pass
  double *a_before;    // velocity-augmented: of the last pass
  double *inverse;     // D of the couplings, one after the other
  double *root;        // scratch: factor of the largest of their A, and a vector
  double *x, *px, *r, *z, *p, *pr;  // conjugate gradients
} stepper;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int numbers = 0, most = 0, coupled = sys->couplings ? sys->rows : 0;
  for (int i = 0; i < sys->couplings; i++) {
    int n = sys->coupling[i].rows;
    numbers += n * n, most = n > most ? n : most;
  }
  stepper *s = HN_TAKE(arena, stepper, 1), place = {0};
  hn_free_layout(sim, &place.free, arena);
  double **const of_v[] = {&place.a, &place.v, &place.extra, &place.a_before, &place.x, &place.px};
  for (int i = 0; i < 6; i++) *of_v[i] = HN_TAKE(arena, double, sys->nv);
  double **const of_rows[] = {&place.lambda, &place.D, &place.k, &place.d, &place.given};
  for (int i = 0; i < 5; i++) *of_rows[i] = HN_TAKE(arena, double, sys->rows);
  double **const of_coupled[] = {&place.r, &place.z, &place.p, &place.pr};
  for (int i = 0; i < 4; i++) *of_coupled[i] = HN_TAKE(arena, double, coupled);
  place.inverse = HN_TAKE(arena, double, numbers);
  place.root = HN_TAKE(arena, double, most *most + most);
  if (!arena->base) return;
  for (int i = 0; i < sys->rows; i++) {
    const hn_sys_joint *j = &sys->joint[sys->row_joint[i]];
    // a joint's own springs come before those of the options
    bool own = j->soft.stiffness > 0;
    double weight = sys->coupled[i] ? 1 : hn_row_weight(sys, i);
    place.k[i] = weight * (own ? j->soft.stiffness : sim->opt.soft_stiffness);
    place.d[i] = weight * (own ? j->soft.damping : sim->opt.soft_damping);
  }
  *s = place;
  sim->method.integrator_data = s;
}

static hn_status create(hn_sim *sim) {
  stepper *s = sim->method.integrator_data;
  return hn_free_create(sim, &s->free);
}

static void release(hn_sim *sim) {
  stepper *s = sim->method.integrator_data;
  if (s) hn_iteration_release(&s->free.it);
}

static void outside(hn_sim *sim, hn_outside *o) {
  stepper *s = sim->method.integrator_data;
  hn_iteration_outside(&s->free.it, o);
}

// ---- springs in place of constraints -------------------------------------------------------

// what the springs of joints bear before anything acts
static void preloads(const hn_system *sys, double *force) {
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    const double *preload = sys->joint[group->joint].preload;
    for (int r = 0; r < group->rows; r++) force[group->row0 + r] = preload ? preload[r] : 0;
  }
}

// force -= K Phi
static void add_springs(const hn_sim *sim, const double *phi, double *force) {
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  for (int i = 0; i < sys->rows; i++)
    if (!sys->coupled[i] && sys->holonomic[i]) force[i] -= s->k[i] * phi[i];
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    for (int x = 0; x < c->rows * c->rows; x++) {
      int i = c->row[x / c->rows], j = c->row[x % c->rows];
      if (sys->holonomic[j]) force[i] -= sqrt(s->k[i] * s->k[j]) * c->K[x] * phi[j];
    }
  }
}

// D for steps of size h
static void compliance(const hn_sim *sim, double h) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  for (int i = 0; i < sys->rows; i++) s->D[i] = 1 / (h * (s->d[i] + h * s->k[i]));
  double *D = s->inverse;
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    int n = c->rows;
    for (int x = 0; x < n * n; x++) {
      int i = c->row[x / n], j = c->row[x % n];
      s->root[x] = h * (sqrt(s->d[i] * s->d[j]) + h * sqrt(s->k[i] * s->k[j])) * c->K[x];
      D[x] = x % (n + 1) == 0;
    }
    (void)hn_dense_cholesky(n, s->root);  // a sum of two scaled matrices that are positive
    for (int i = 0; i < n; i++) hn_dense_cholesky_solve(n, s->root, D + i * n);
    for (int i = 0; i < n; i++) s->D[c->row[i]] = D[i * (n + 1)];
    D += n * n;
  }
}

// y += D x, or what couplings add to the diagonal of D alone
static void add_compliance(const hn_sim *sim, bool diagonal, const double *x, double *y) {
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  const double *D = s->inverse;
  for (int i = 0; diagonal && i < sys->rows; i++) y[i] += s->D[i] * x[i];
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    int n = c->rows;
    for (int i = 0; i < n * n; i++)
      if (i % (n + 1)) y[c->row[i / n]] += D[i] * x[c->row[i % n]];
    D += n * n;
  }
}

// a and lambda for M a - J^T lambda = r + extra, J a + D lambda = rhs. Of couplings the factors
// only have the diagonal: with P = J M^-1 J^T + diag D, conjugate gradients preconditioned by P, of
// which every product with P is known already
static void solve_springs(hn_sim *sim, const double *extra, const double *rhs) {
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  size_t nv = (size_t)sys->nv, rows = (size_t)sys->rows;
  double *a = sim->stage.a, *lambda = sim->stage.work.lambda, before = 0, first = 0;
  for (size_t i = 0; i < nv; i++) a[i] = sim->stage.work.r[i] + (extra ? extra[i] : 0);
  memcpy(lambda, rhs, rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, a, lambda);
  if (!sys->couplings) return;
  // what P leaves of the equation: the parts of D off its diagonal
  for (size_t i = 0; i < rows; i++) s->r[i] = 0;
  add_compliance(sim, false, lambda, s->r);
  for (size_t i = 0; i < rows; i++) s->r[i] = -s->r[i];
  for (size_t pass = 0; pass <= 2 * rows; pass++) {
    memset(s->x, 0, nv * sizeof(double));
    memcpy(s->z, s->r, rows * sizeof(double));
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, s->x, s->z);
    double now = 0, curve = 0;
    for (size_t i = 0; i < rows; i++) now += s->r[i] * s->z[i];
    if (pass == 0) first = now;
    if (!(now > 1e-30 * first)) return;
    double b = pass ? now / before : 0;
    for (size_t i = 0; i < rows; i++) s->p[i] = s->z[i] + (pass ? b * s->p[i] : 0);
    for (size_t i = 0; i < rows; i++) s->pr[i] = s->r[i] + (pass ? b * s->pr[i] : 0);
    for (size_t i = 0; i < nv; i++) s->px[i] = s->x[i] + (pass ? b * s->px[i] : 0);
    memcpy(s->z, s->pr, rows * sizeof(double));
    add_compliance(sim, false, s->p, s->z);
    for (size_t i = 0; i < rows; i++) curve += s->p[i] * s->z[i];
    if (!(curve > 0)) return;
    double step = now / curve;
    for (size_t i = 0; i < rows; i++) lambda[i] += step * s->p[i], s->r[i] -= step * s->z[i];
    for (size_t i = 0; i < nv; i++) a[i] += step * s->px[i];
    before = now;
  }
}

// ---- the step ------------------------------------------------------------------------------

// right-hand side of the rows; those that yield also set their compliances
static void rows(hn_sim *sim, double h, constraint_rule rule, const double *phi, double *rhs) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  double c = rule == BAUMGARTE ? 1 / (sim->opt.stepper_tau * sim->opt.step * h) : 0;
  for (int i = 0; i < sys->rows; i++)
    rhs[i] = -sim->stage.work.psi[i] / h - (sys->holonomic[i] ? c * phi[i] : 0);
  if (rule == HARD || rule == BAUMGARTE) return;
  compliance(sim, h);
  // in place of the preload velocity-augmented has its multipliers, pass by pass
  memset(s->given, 0, (size_t)sys->rows * sizeof(double));
  if (rule == SOFT) preloads(sys, s->given);
  add_springs(sim, phi, s->given);
  add_compliance(sim, true, s->given, rhs);
}

typedef struct soft_job {
  const double *extra, *rhs;
} soft_job;

static hn_status solve_soft(hn_sim *sim, void *user) {
  const soft_job *job = user;
  solve_springs(sim, job->extra, job->rhs);
  return HN_OK;
}

// passes with one factorisation; rows that contradict each other in the last digits would feed the
// multipliers without end
static hn_status solve_augmented(hn_sim *sim, void *user) {
  const soft_job *job = user;
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  double *lambda = sim->stage.work.lambda, last = INFINITY;
  // from the preload at first, so that shares of dependent rows are those of the stiffness
  if (sim->step.h > 0)
    memcpy(lambda, s->lambda, (size_t)sys->rows * sizeof(double));
  else
    preloads(sys, lambda);
  for (int pass = 0; pass < PASSES; pass++) {
    double change = 0, size = 0;
    memcpy(s->a_before, sim->stage.a, (size_t)sys->nv * sizeof(double));
    memcpy(s->given, job->rhs, (size_t)sys->rows * sizeof(double));
    add_compliance(sim, true, lambda, s->given);
    solve_springs(sim, job->extra, s->given);
    for (int i = 0; i < sys->nv; i++) {
      double unit = sys->angular_v[i] ? sys->length : 1;
      change = fmax(change, unit * fabs(sim->stage.a[i] - s->a_before[i]));
      size = fmax(size, unit * fabs(sim->stage.a[i]));
    }
    if (pass == 0) continue;
    if (change <= sim->opt.iteration_tol * size || change > 0.9 * last) break;
    last = change;
  }
  return HN_OK;
}

// accelerations and reactions of the step
static hn_status solve(hn_sim *sim, constraint_rule rule, const double *extra, const double *rhs) {
  const stepper *s = sim->method.integrator_data;
  if (rule == HARD || rule == BAUMGARTE) return hn_solve_saddle_plus(sim, extra, rhs);
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, s->D);
  sim->count.factorisations++;
  sim->stage.yielding = sim->method.integrator->compliant;
  soft_job job = {extra, rhs};
  return hn_settle(sim, rule == SOFT ? solve_soft : solve_augmented, &job);
}

// forces at the start of the step; *out: what it would take beside them for v*, NULL: nothing.
// *done is the work of the forces without potential.
static hn_status forces(hn_sim *sim, double h, const double **out, double *done) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  const double *v = sim->state.y + sys->nq, *star = sim->step.y_stage;
  bool euler = hn_free_is_euler(&s->free);
  hn_status status = euler ? HN_OK : hn_free_step(sim, &s->free, h);
  if (status) return status;
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
  hn_eval_all(&sim->stage.work, sim->state.t, sim->state.y, v);
  sim->count.evaluations++;
  *done = h * sim->stage.work.power;
  *out = euler ? NULL : s->extra;
  if (euler) return HN_OK;
  *done = star[sim->state.w] - sim->state.y[sim->state.w];
  for (int i = 0; i < sys->nv; i++) sim->room.v[i] = (star[sys->nq + i] - v[i]) / h;
  hn_mass_mul(&sim->stage.work, sim->room.v, s->extra);
  for (int i = 0; i < sys->nv; i++) s->extra[i] -= sim->stage.work.r[i];
  return HN_OK;
}

// at the end of the step, whose motion is in y
static void take_states(hn_sim *sim, stepper *s, double h, double *y) {
  if (!sim->sys->states) return;
  hn_states_follow(sim, &s->free.rule, s->free.constant, h, 0, sim->state.y, NULL, 1);
  hn_eval_all(&sim->stage.work, sim->state.t + h, y, y + sim->sys->nq);
  sim->count.evaluations++;
  hn_states_settled(sim, y, NULL);
}

static hn_status advance(hn_sim *sim, double limit, constraint_rule rule) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  hn_work *work = &sim->stage.work;
  double h = fmin(sim->opt.step, limit), *y = sim->step.y_new, *v = y + sys->nq, done;
  size_t row_bytes = (size_t)sys->rows * sizeof(double);
  const double *extra;
  hn_status status = forces(sim, h, &extra, &done);
  if (status) return status;
  // Phi of the start: evaluating Phi_t at the end overwrites it
  memcpy(sim->room.r2, work->phi, row_bytes);
  if (sys->rheonomic)
    hn_eval_jacobian(work, sim->state.t + h, sim->state.y, sim->state.y + sys->nq);
  rows(sim, h, rule, sim->room.r2, sim->room.rhs);
  double power = work->power;
  status = solve(sim, rule, extra, sim->room.rhs);
  if (status) return status;
  memcpy(s->lambda, work->lambda, row_bytes);
  memcpy(s->a, sim->stage.a, (size_t)sys->nv * sizeof(double));
  // friction came with the solution; drivers work through the rows that depend on time
  done += h * (work->power - power);
  for (int i = 0; sys->rheonomic && i < sys->rows; i++) done -= h * s->lambda[i] * work->phi_t[i];
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  for (int i = 0; i < sys->nv; i++) {
    s->v[i] = v[i] += h * s->a[i];
    sim->room.v[i] = h * v[i];
  }
  hn_retract(sys, y, sim->room.v);
  y[sim->state.w] += done;
  take_states(sim, s, h, y);
  sim->step.h = h;
  status = hn_accept_step(sim, h, y, NULL);
  // a correction is for positions: the velocity already is what the rows ask for, and an impulse
  // behind the step would take its part of the reactions
  if (!status) memcpy(sim->state.y + sys->nq, s->v, (size_t)sys->nv * sizeof(double));
  return status;
}

static hn_status step_hard(hn_sim *sim, double limit) {
  return advance(sim, limit, HARD);
}
static hn_status step_baumgarte(hn_sim *sim, double limit) {
  return advance(sim, limit, BAUMGARTE);
}
static hn_status step_soft(hn_sim *sim, double limit) {
  return advance(sim, limit, SOFT);
}

static hn_status step_augmented(hn_sim *sim, double limit) {
  return advance(sim, limit, AUGMENTED);
}

static void dense(hn_sim *sim, double t, double *y) {
  double h = sim->state.t - sim->state.t_old, s = h > 0 ? (t - sim->state.t_old) / h : 1;
  for (int i = 0; i < sim->state.n; i++) y[i] = (1 - s) * sim->state.y_old[i] + s * sim->state.y[i];
  hn_normalise(sim->sys, y);
}

// before the first step there are no impulses, and the solver's reactions stand
static void reactions(hn_sim *sim) {
  const stepper *s = sim->method.integrator_data;
  if (!(sim->step.h > 0)) return;
  sim->stage.yielding = sim->method.integrator->compliant;
  memcpy(sim->stage.a, s->a, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->stage.work.lambda, s->lambda, (size_t)sim->sys->rows * sizeof(double));
}

const hn_integrator_type hn_integrator_velocity_hard = {
    .info = {.name = "velocity-hard",
             .help = "velocity-level stepper, order 1: constraints met by the new velocity",
             .keys = "step stepper_free",
             .required = "step"},
    .order = 1,
    .layout = layout,
    .step = step_hard,
    .dense = dense,
    .create = create,
    .release = release,
    .outside = outside,
    .without = hn_free_without,
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_BLOCKS | HN_CAN_STATES,
};

const hn_integrator_type hn_integrator_velocity_baumgarte = {
    .info = {.name = "velocity-baumgarte",
             .help = "velocity-level stepper, order 1: position violation decays within steps",
             .keys = "step stepper_free stepper_tau",
             .required = "step"},
    .order = 1,
    .layout = layout,
    .step = step_baumgarte,
    .dense = dense,
    .create = create,
    .release = release,
    .outside = outside,
    .without = hn_free_without,
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_BLOCKS | HN_CAN_STATES,
};

const hn_integrator_type hn_integrator_velocity_soft = {
    .info = {.name = "velocity-soft",
             .help = "velocity-level stepper, order 1: constraints as implicit springs and dampers",
             .keys = "step stepper_free soft_stiffness soft_damping",
             .required = "step"},
    .order = 1,
    .layout = layout,
    .step = step_soft,
    .dense = dense,
    .create = create,
    .release = release,
    .outside = outside,
    .without = hn_free_without,
    .compliant = true,
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_BLOCKS | HN_CAN_STATES,
};

const hn_integrator_type hn_integrator_velocity_augmented = {
    .info = {.name = "velocity-augmented",
             .help = "velocity-level stepper, order 1: springs whose force multipliers take over",
             .keys = "step stepper_free soft_stiffness soft_damping iteration_tol",
             .required = "step"},
    .order = 1,
    .layout = layout,
    .step = step_augmented,
    .dense = dense,
    .create = create,
    .release = release,
    .outside = outside,
    .without = hn_free_without,
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_STATES,
};
