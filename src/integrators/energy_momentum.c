// energy_momentum.c: steppers that keep energy and momentum, or let energy only fall.
//
//   energy-momentum       q1 - q0 = h (v0 + v1) / 2,  M (v1 - v0) / h = f + DPhi^T lambda,
//                         Phi(q1, t1) = 0
//   energy-decaying       q1 - q0 = h (v0 + v1) / 2 + h chi (v1 - v0) / 2, the rest as before
//   discrete-null-space   energy-momentum without lambda: P^T (M (v1 - v0) / h - f) = 0 with
//                         DPhi P = 0
//
// D are the discrete derivatives of discrete.h, so that DPhi (q1 - q0) = 0 and f . (q1 - q0) =
// -(V1 - V0) hold exactly. Multiplied by q1 - q0 the equations of motion say
//
//   T1 - T0 + V1 - V0 = -chi/2 (v1 - v0) . M (v1 - v0)
//
// whatever the step. chi is `dissipation` times |h a| / |v| of the last step (at most one), norms
// being those of the kinetic energy: slow motion keeps order 2, what shakes within a few steps is
// damped by all of `dissipation`.
//
// O. Gonzalez, Mechanical systems subject to holonomic constraints: differential-algebraic
// formulations and conservative integration, Physica D 132 (1999); P. Betsch, The discrete null
// space method for the energy consistent integration of constrained mechanical systems, Comput.
// Methods Appl. Mech. Engrg. 194 (2005).
#include "integrators/discrete_null.h"
#include "integrators/energy.h"
#include "integrators/integrators.h"

#include <string.h>

enum { ITERATIONS = 25 };

typedef struct stepper {
  hn_energy_step step;
  double *a_old, *lambda_old;  // before the last step
  hn_null_space null;          // discrete-null-space
} stepper;

// ---- Newton steps --------------------------------------------------------------------------

// solves for the change of q1, in s->x, and the multipliers l
static bool solve_saddle(hn_sim *sim, stepper *st) {
  hn_energy_step *s = &st->step;
  const hn_system *sys = sim->sys;
  hn_energy_matrix(s, sim);
  sim->factorisations++;
  if (!hn_sparse_factor(s->sparse)) return false;
  for (int i = 0; i < sys->nv; i++) s->x[i] = -s->r[i];
  for (int i = 0; i < sys->rows; i++) s->x[sys->nv + i] = sim->D && sim->D[i] > 0 ? 0 : -s->phi[i];
  hn_sparse_solve(s->sparse, s->x);
  memcpy(s->l, s->x + sys->nv, (size_t)sys->rows * sizeof(double));
  return true;
}

// in the null space of discrete_null.h. Multipliers are by-products that serve the tangent; where
// points shared around loops hide some of them, they are asked of the whole system
static bool solve_reduced(hn_sim *sim, stepper *st) {
  hn_energy_step *s = &st->step;
  hn_null_space *null = &st->null;
  hn_null_update(null, s, sim->y);
  hn_energy_matrix(s, sim);
  sim->factorisations++;
  if (!hn_null_solve(null, s)) return false;
  if (null->hidden && !solve_saddle(sim, st)) return false;
  memcpy(s->x, null->x, (size_t)sim->sys->nv * sizeof(double));
  return true;
}

// largest change in units of the model's own size
static double change_of(const hn_sim *sim, const double *x) {
  const hn_system *sys = sim->sys;
  double most = 0;
  for (int i = 0; i < sys->nv; i++) {
    double c = fabs(x[i]) / (sys->angular_q[i] ? 1 : sys->length);
    if (!(c <= most)) most = c;  // a NaN is kept
  }
  return most;
}

// until the next change would be round-off; quadratic convergence makes that three or four
static hn_status iterate(hn_sim *sim, stepper *st, bool (*solve)(hn_sim *, stepper *)) {
  static const double round_off = 1e-15, small = 1e-10;
  hn_energy_step *s = &st->step;
  double last = 0;
  for (int i = 0; i < ITERATIONS; i++) {
    hn_energy_evaluate(s, sim);
    if (!solve(sim, st))
      return hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the equations of the step have no unique solution (step %.3g s)",
                         sim->t, s->h);
    for (int k = 0; k < sim->sys->nv; k++) s->w[k] += s->x[k] / s->kappa;
    double now = change_of(sim, s->x), ratio = i ? now / last : 1;
    if (!(now < 1e30)) break;
    if (now <= round_off || (ratio < 0.5 && now * ratio / (1 - ratio) <= round_off)) return HN_OK;
    if (i > 2 && ratio > 0.5 && now < small) return HN_OK;  // round-off decides
    last = now;
  }
  return hn_sim_fail(sim, HN_ERR_STEP,
                     "t=%.6g: the iteration of the step does not converge (step %.3g s; a smaller "
                     "one may help)",
                     sim->t, s->h);
}

// ---- the step ------------------------------------------------------------------------------

// a first guess of the next step from sim->ydot and work.lambda
static hn_status start(hn_sim *sim) {
  hn_energy_step *s = &((stepper *)sim->integrator_data)->step;
  memcpy(s->a, sim->ydot + sim->sys->nq, (size_t)sim->sys->nv * sizeof(double));
  memcpy(s->lambda, sim->work.lambda, (size_t)sim->sys->rows * sizeof(double));
  return HN_OK;
}

static double kinetic_norm(const hn_sim *sim, const double *x, double *scratch) {
  double sum = 0;
  hn_mass_mul(&sim->work, x, scratch);
  for (int i = 0; i < sim->sys->nv; i++) sum += x[i] * scratch[i];
  return sqrt(fmax(sum, 0));
}

static hn_status advance(hn_sim *sim, double limit, double dissipation,
                         bool (*solve)(hn_sim *, stepper *)) {
  stepper *st = sim->integrator_data;
  hn_energy_step *s = &st->step;
  const hn_system *sys = sim->sys;
  double h = fmin(sim->opt.step, limit), chi = 0, *y = sim->y_new;
  if (sim->events && !(sim->h > 0)) {  // a force switched, and with it the accelerations
    hn_status status = hn_derivative(sim, sim->t, sim->y, sim->ydot);
    if (!status) status = start(sim);
    if (status) return status;
  }
  memcpy(st->a_old, s->a, (size_t)sys->nv * sizeof(double));
  memcpy(st->lambda_old, s->lambda, (size_t)sys->rows * sizeof(double));
  if (hn_is_short(sim, h)) {
    sim->h = sim->opt.step;
    return hn_short_step(sim, h);
  }
  if (dissipation > 0) {
    double change = h * kinetic_norm(sim, s->a, s->r);
    double speed = kinetic_norm(sim, sim->y + sys->nq, s->r);
    chi = change < speed ? dissipation * change / speed : dissipation;
  }
  hn_energy_begin(s, sim, h, chi);
  hn_status status = iterate(sim, st, solve);
  if (status) return status;
  if (s->forces || s->others) hn_energy_evaluate(s, sim);  // the work of the last change counts
  for (int i = 0; i < sys->nv; i++) {
    s->a[i] = s->w[i] / h;
    y[i] = sim->y[i] + h * sim->y[sys->nq + i] + s->kappa * s->w[i];
    y[sys->nq + i] = sim->y[sys->nq + i] + s->w[i];
  }
  for (int i = 0; i < sys->rows; i++) s->lambda[i] = s->l[i] / (h * s->kappa);
  y[sim->w] = sim->y[sim->w] + hn_energy_work(s, sim);
  sim->h = h;
  sim->fresh = false;
  return hn_accept_step(sim, h, y, NULL);
}

static hn_status step_momentum(hn_sim *sim, double limit) {
  return advance(sim, limit, 0, solve_saddle);
}
static hn_status step_decaying(hn_sim *sim, double limit) {
  return advance(sim, limit, sim->opt.dissipation, solve_saddle);
}
static hn_status step_null_space(hn_sim *sim, double limit) {
  return advance(sim, limit, 0, solve_reduced);
}

static void undo(hn_sim *sim) {
  const stepper *st = sim->integrator_data;
  memcpy(st->step.a, st->a_old, (size_t)sim->sys->nv * sizeof(double));
  memcpy(st->step.lambda, st->lambda_old, (size_t)sim->sys->rows * sizeof(double));
  hn_undo_step(sim);
}

// the acceleration is constant over a step
static void dense(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  double h = sim->t - sim->t_old, s = h > 0 ? (t - sim->t_old) / h : 1;
  const double *q0 = sim->y_old, *q1 = sim->y, *v0 = q0 + sys->nq, *v1 = q1 + sys->nq;
  for (int i = 0; i < sys->nv; i++) {
    double start = h * v0[i];
    y[i] = q0[i] + s * start + s * s * (q1[i] - q0[i] - start);
    y[sys->nq + i] = (1 - s) * v0[i] + s * v1[i];
  }
  for (int i = sim->w; i < sim->n; i++) y[i] = (1 - s) * sim->y_old[i] + s * sim->y[i];
}

// ---- the run -------------------------------------------------------------------------------

static void layout(hn_sim *sim, hn_arena *arena) {
  stepper *st = HN_TAKE(arena, stepper, 1), place = {0};
  if (!arena->base) st = &place;
  st->a_old = HN_TAKE(arena, double, sim->sys->nv);
  st->lambda_old = HN_TAKE(arena, double, sim->sys->rows);
  hn_energy_layout(&st->step, sim, arena);
  if (arena->base) sim->integrator_data = st;
}

static hn_status create(hn_sim *sim) {
  stepper *st = sim->integrator_data;
  return hn_energy_create(&st->step, sim);
}

static hn_status create_null_space(hn_sim *sim) {
  stepper *st = sim->integrator_data;
  hn_status status = hn_energy_create(&st->step, sim);
  if (status) return status;
  hn_eval_jacobian(&sim->work, 0, sim->sys->q0, sim->sys->v0);
  bool ok = hn_null_create(&st->null, &st->step, hn_natural_at(&sim->work)->J);
  return ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

static void release(hn_sim *sim) {
  stepper *st = sim->integrator_data;
  if (!st || !hn_natural_of(sim->sys)) return;
  hn_energy_release(&st->step);
  if (st->null.sys) hn_null_release(&st->null);
}

enum {
  CAN = HN_CAN_STIFF | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NATURAL | HN_NEEDS_NATURAL
};

const hn_integrator_type hn_integrator_energy_momentum = {
    .info = {.name = "energy-momentum",
             .help = "implicit, order 2, natural coordinates: keeps energy and momentum exactly",
             .keys = "step",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step_momentum,
    .dense = dense,
    .undo = undo,
    .stands_alone = true,
    .can = CAN,
    .create = create,
    .release = release,
    .start = start,
};

const hn_integrator_type hn_integrator_energy_decaying = {
    .info = {.name = "energy-decaying",
             .help = "the same with dissipation of fast motion: the energy never rises",
             .keys = "step dissipation",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step_decaying,
    .dense = dense,
    .undo = undo,
    .stands_alone = true,
    .can = CAN,
    .create = create,
    .release = release,
    .start = start,
};

const hn_integrator_type hn_integrator_discrete_null_space = {
    .info = {.name = "discrete-null-space",
             .help = "energy-momentum without multipliers: equations in the null space of the rows",
             .keys = "step",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step_null_space,
    .dense = dense,
    .undo = undo,
    .stands_alone = true,
    .can = CAN,
    .create = create_null_space,
    .release = release,
    .start = start,
};
