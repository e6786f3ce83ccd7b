// velocity.c: velocity-level steppers, order 1. Constraints are imposed on the new velocity.
//
//   v*      unconstrained: M v' = f over one step (Euler, midpoint or RK4, option stepper_free)
//   M (v1 - v*) = J^T L,   q1 = q0 (+) h v1,   with
//
//   velocity-hard        J v1 = -Phi_t
//   velocity-baumgarte   J v1 = -Phi_t - Phi / tau   (tau: stepper_tau times the step wanted, so
//                        that a last short step does not kick)
//   velocity-soft        L = -h (k Phi1 + d Phi1'), implicit:  J v1 + D L = -Phi_t - k D h Phi,
//                        D = 1 / (h (d + h k)), which is
//                        (M + h (d + h k) J^T J) v1 = M v* - h J^T (k Phi + (d + h k) Phi_t)
//   velocity-augmented   L = h l - h (k Phi1 + d Phi1'), and l <- L / h until it settles: the
//                        augmented Lagrangian of two terms (Bayo et al. 1991). l starts as it was
//                        in the last step. The limit is k Phi1 + d Phi1' = 0, the feedback of
//                        velocity-baumgarte with tau = h + d / k, whatever the stiffness; dependent
//                        rows share by it
//
// J and Phi are those of the start of the step, Phi_t belongs to its end. The impulses L over h are
// the reactions. In terms of a = (v1 - v0) / h and l = L / h all are one saddle-point system
//
//   M a - J^T l = M (v* - v0) / h,   J a + D l = -psi / h - c Phi
//
// with c = 0, 1 / (tau h), k D. A. Castro, Notes on Constrained Multibody Dynamics (2025),
// equations (10), (11), (26) and, corrected, (31), (32).
#include "integrators/integrators.h"

#include <string.h>

typedef enum constraint_rule { HARD, BAUMGARTE, SOFT, AUGMENTED } constraint_rule;

enum { STAGES = 4, PASSES = 20 };

typedef struct stepper {
  double *a, *lambda;  // of the last step
  double *v;           // its velocity before the correction
  double *extra;       // what v* adds to the forces at the start of the step
  double *D;           // velocity-soft, -augmented: compliance of the rows
  double *a_before;    // velocity-augmented: of the last pass
  double *loose;       // compliance that leaves all rows out
} stepper;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  hn_stage_layout(sim, arena, STAGES);
  stepper *s = HN_TAKE(arena, stepper, 1), place;
  place.a = HN_TAKE(arena, double, sys->nv);
  place.v = HN_TAKE(arena, double, sys->nv);
  place.extra = HN_TAKE(arena, double, sys->nv);
  place.lambda = HN_TAKE(arena, double, sys->rows);
  place.D = HN_TAKE(arena, double, sys->rows);
  place.a_before = HN_TAKE(arena, double, sys->nv);
  place.loose = HN_TAKE(arena, double, sys->rows);
  if (!arena->base) return;
  for (int i = 0; i < sys->rows; i++) place.loose[i] = 1e30;
  *s = place;
  sim->method.integrator_data = s;
}

// ---- unconstrained motion ------------------------------------------------------------------

// ydot without constraints
static void free_rate(hn_sim *sim, double t, const double *y, double *ydot) {
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  const double *q = y, *v = y + sys->nq;
  hn_eval_all(&sim->stage.work, t, q, v);
  sim->count.evaluations++;
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, s->loose);
  sim->count.factorisations++;
  memset(ydot, 0, (size_t)sim->state.n * sizeof(double));
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  memcpy(ydot + sys->nq, sim->stage.work.r, (size_t)sys->nv * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, ydot + sys->nq, sim->room.r);
  hn_qdot(sys, q, v, ydot);
  ydot[sim->state.w] = sim->stage.work.power;
}

// the state after a step h without constraints, in y_stage; false: nothing to be done, since Euler
// only needs the forces at the start
static bool free_step(hn_sim *sim, double h) {
  static const double midpoint_b[] = {0, 1}, rk4_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double *const *k = sim->step.k, *y = sim->step.y_stage;
  bool midpoint = strcmp(sim->opt.stepper_free, "midpoint") == 0;
  if (!midpoint && strcmp(sim->opt.stepper_free, "rk4") != 0) return false;
  int stages = midpoint ? 2 : 4;
  free_rate(sim, sim->state.t, sim->state.y, k[0]);
  for (int j = 1; j < stages; j++) {
    double c = j < 3 ? 0.5 * h : h;
    for (int i = 0; i < sim->state.n; i++) y[i] = sim->state.y[i] + c * k[j - 1][i];
    free_rate(sim, sim->state.t + c, y, k[j]);
  }
  hn_stage_sum(y, sim->state.y, h, midpoint ? midpoint_b : rk4_b, k, stages, sim->state.n);
  return true;
}

// ---- the step ------------------------------------------------------------------------------

// right-hand side of the rows; those that yield also set their compliances
static void rows(hn_sim *sim, double h, constraint_rule rule, const double *phi, double *rhs) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  for (int i = 0; i < sys->rows; i++) {
    double c = 0;
    if (rule == BAUMGARTE) c = 1 / (sim->opt.stepper_tau * sim->opt.step * h);
    if (rule == SOFT || rule == AUGMENTED) {
      double weight = sys->joint[sys->row_joint[i]].stiffness;
      double k = weight * sim->opt.soft_stiffness, d = weight * sim->opt.soft_damping;
      s->D[i] = 1 / (h * (d + h * k));
      c = k * s->D[i];
    }
    rhs[i] = -sim->stage.work.psi[i] / h - (sys->holonomic[i] ? c * phi[i] : 0);
  }
}

typedef struct soft_job {
  const double *extra, *rhs;
} soft_job;

static hn_status solve_soft(hn_sim *sim, void *user) {
  const soft_job *job = user;
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->nv; i++)
    sim->stage.a[i] = sim->stage.work.r[i] + (job->extra ? job->extra[i] : 0);
  memcpy(sim->stage.work.lambda, job->rhs, (size_t)sys->rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->stage.a, sim->stage.work.lambda);
  return HN_OK;
}

// passes with one factorisation; rows that contradict each other in the last digits would feed the
// multipliers without end
static hn_status solve_augmented(hn_sim *sim, void *user) {
  const soft_job *job = user;
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  double *lambda = sim->stage.work.lambda, last = INFINITY;
  // from nothing at first, so that shares of dependent rows are those of the stiffness alone
  for (int i = 0; i < sys->rows; i++) lambda[i] = sim->step.h > 0 ? s->lambda[i] : 0;
  for (int pass = 0; pass < PASSES; pass++) {
    double change = 0, size = 0;
    memcpy(s->a_before, sim->stage.a, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->nv; i++)
      sim->stage.a[i] = sim->stage.work.r[i] + (job->extra ? job->extra[i] : 0);
    for (int i = 0; i < sys->rows; i++) lambda[i] = job->rhs[i] + s->D[i] * lambda[i];
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->stage.a, lambda);
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

// forces at the start of the step; in place of v* what it would take beside them, NULL: nothing.
// *done is the work of the forces without potential.
static const double *forces(hn_sim *sim, double h, double *done) {
  const hn_system *sys = sim->sys;
  const double *v = sim->state.y + sys->nq, *star = sim->step.y_stage;
  double *extra = ((stepper *)sim->method.integrator_data)->extra;
  bool stepped = free_step(sim, h);
  hn_eval_all(&sim->stage.work, sim->state.t, sim->state.y, v);
  sim->count.evaluations++;
  *done = h * sim->stage.work.power;
  if (!stepped) return NULL;
  *done = star[sim->state.w] - sim->state.y[sim->state.w];
  for (int i = 0; i < sys->nv; i++) sim->room.v[i] = (star[sys->nq + i] - v[i]) / h;
  hn_mass_mul(&sim->stage.work, sim->room.v, extra);
  for (int i = 0; i < sys->nv; i++) extra[i] -= sim->stage.work.r[i];
  return extra;
}

static hn_status advance(hn_sim *sim, double limit, constraint_rule rule) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  hn_work *work = &sim->stage.work;
  double h = fmin(sim->opt.step, limit), *y = sim->step.y_new, *v = y + sys->nq, done;
  size_t row_bytes = (size_t)sys->rows * sizeof(double);
  const double *extra = forces(sim, h, &done);
  memcpy(sim->room.r2, work->phi, row_bytes);
  if (sys->rheonomic)
    hn_eval_jacobian(work, sim->state.t + h, sim->state.y, sim->state.y + sys->nq);
  rows(sim, h, rule, sim->room.r2, sim->room.rhs);
  double power = work->power;
  hn_status status = solve(sim, rule, extra, sim->room.rhs);
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
  sim->step.h = h;
  sim->stage.fresh = false;
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
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_BLOCKS,
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
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_BLOCKS,
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
    .compliant = true,
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_BLOCKS,
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
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE,
};
