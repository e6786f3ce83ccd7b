// uk_newmark.c: the UK optimisation equation: Newmark's rule substituted into the Udwadia-Kalaba
// equations, solved by minimisation. Order 2.
//
// Newmark's rule (beta = 1/4, gamma = 1/2) makes positions and velocities at the end of a step
// functions of the accelerations a there,
//   q1 = q0 (+) (h v0 + h^2/4 (a0 + a)),   v1 = v0 + h/2 (a0 + a),
// and a minimises, with M, f, J, gamma taken at (q1, v1),
//   | [ (1 - J^+ J) M ] a - [ (1 - J^+ J) f ] |^2  + eps |a - a0|^2
//   | [       J       ]     [     gamma     ] |
// With an orthonormal basis R of the null space of J, 1 - J^+ J = R R^T, and R^T instead has the
// same length with fewer rows. M may be singular and rows may depend on each other; where J loses
// rank, the term eps keeps accelerations from which nothing else holds, and the configuration is
// passed.
//
// J^T lambda = (M a - f) on the range of J^T gives the multipliers (of least norm), and as R^T J^T
// = 0 they may be kept in the residual, R^T (M a - f - J^T lambda): its derivative with R and
// lambda held is then the right one. It is taken by differences once a step, and again when the
// iteration is slow.
//
// Where [M; J] is deficient eps decides alone, of the first accelerations as well. With the option
// uk_feedback gamma has Baumgarte's terms. A constraint force that is not ideal, C(q, v, t), is one
// of the forces f: with the constraint force of least size beside it the equations give
// M^-1 f + ... + M^-1/2 (1 - B^+ B) M^-1/2 C, B = J M^-1/2, which is Udwadia and Kalaba's term.
//
// Optimisers: levenberg-marquardt, gauss-newton (the same without damping), genetic (uk_genetic.c).
#include "integrators/uk/uk_newmark.h"

#include "solvers/solvers.h"

#include <string.h>

static const double rank_tolerance = 1e-11;
enum { ITERATIONS = 60 };

// ---- layout --------------------------------------------------------------------------------

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int nv = sys->nv, rows = sys->rows, all = nv + rows;
  hn_uk *u = HN_TAKE(arena, hn_uk, 1), p = {0};
  p.a0 = HN_TAKE(arena, double, nv);
  p.a = HN_TAKE(arena, double, nv);
  p.trial = HN_TAKE(arena, double, nv);
  p.lambda = HN_TAKE(arena, double, rows);
  p.y = HN_TAKE(arena, double, sim->state.n);
  p.r = HN_TAKE(arena, double, all);
  p.r_trial = HN_TAKE(arena, double, all);
  p.rhs = HN_TAKE(arena, double, all + 2 * nv);
  p.R = HN_TAKE(arena, double, nv *nv);
  p.x = HN_TAKE(arena, double, all);
  p.b = HN_TAKE(arena, double, all);
  p.B = HN_TAKE(arena, double, all *nv);
  p.rate_old = HN_TAKE(arena, double, sim->state.n);
  p.rate = HN_TAKE(arena, double, sim->state.n);
  p.gamma = HN_TAKE(arena, double, rows);
  p.constant = HN_TAKE(arena, double, sys->states);
  hn_cod_layout(&p.rows, arena, nv, rows);
  // m of the least-squares problem: residuals, eps, damping
  hn_cod_layout(&p.step, arena, all + 2 * nv, nv);
  if (sim->opt.optimiser[0] == 'g' && sim->opt.optimiser[1] == 'e') {
    p.genes = HN_TAKE(arena, double, (HN_UK_POPULATION + 1) * nv);
    p.cost = HN_TAKE(arena, double, HN_UK_POPULATION);
  }
  if (!arena->base) return;
  *u = p;
  sim->method.integrator_data = u;
}

// ---- the equation --------------------------------------------------------------------------

// the state that accelerations a lead to by Newmark's rule, and everything there
static void follow(hn_sim *sim, hn_uk *u, const double *a) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->state.y + sys->nq;
  double h = u->h, *v = u->y + sys->nq;
  memcpy(u->y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  for (int i = 0; i < sys->nv; i++) {
    u->x[i] = h * v0[i] + 0.25 * h * h * (u->a0[i] + a[i]);
    v[i] = v0[i] + 0.5 * h * (u->a0[i] + a[i]);
  }
  hn_retract(sys, u->y, u->x);
  hn_eval_all(&sim->stage.work, sim->state.t + h, u->y, v);
  sim->count.evaluations++;
  if (!sys->reactive) return;
  memcpy(sim->stage.work.lambda, u->lambda, (size_t)sys->rows * sizeof(double));
  hn_add_reactive(sim);
}

// x = M a - f
static void inertia(hn_sim *sim, const double *a, double *x) {
  hn_mass_mul(&sim->stage.work, a, x);
  for (int i = 0; i < sim->sys->nv; i++) x[i] -= sim->stage.work.r[i];
}

void hn_uk_evaluate(hn_sim *sim, hn_uk *u, const double *a) {
  const hn_system *sys = sim->sys;
  int nv = sys->nv;
  follow(sim, u, a);
  hn_jacobian_dense(&sim->stage.work, u->rows.a);
  hn_cod_factor(&u->rows, rank_tolerance, hn_independent_rows(sim));
  sim->count.factorisations++;
  u->free = nv - u->rows.rank;
  u->count = u->free + sys->rows;
  for (int k = 0; k < u->free; k++) hn_cod_null(&u->rows, k, u->R + (size_t)k * (size_t)nv);
  inertia(sim, a, u->x);
  hn_cod_solve(&u->rows, u->x, u->lambda);
}

void hn_uk_residual(hn_sim *sim, hn_uk *u, const double *a, double *r) {
  const hn_system *sys = sim->sys;
  int nv = sys->nv;
  inertia(sim, a, u->x);
  hn_jacobian_tmul_add(&sim->stage.work, u->lambda, -1, u->x);
  for (int k = 0; k < u->free; k++) {
    const double *R = u->R + (size_t)k * (size_t)nv;
    double sum = 0;
    for (int i = 0; i < nv; i++) sum += R[i] * u->x[i];
    r[k] = u->scale * sum;
  }
  hn_jacobian_mul(&sim->stage.work, a, r + u->free);
  hn_uk_rows(sim, u->gamma);
  for (int i = 0; i < sys->rows; i++) r[u->free + i] -= u->gamma[i];
}

double hn_uk_cost(const hn_sim *sim, const hn_uk *u, const double *r, const double *a) {
  double sum = 0, change = 0;
  for (int i = 0; i < u->count; i++) sum += r[i] * r[i];
  for (int i = 0; i < sim->sys->nv; i++) change += (a[i] - u->a0[i]) * (a[i] - u->a0[i]);
  return sum + sim->opt.regularisation * change;
}

double hn_uk_cost_of(hn_sim *sim, hn_uk *u, const double *a) {
  hn_uk_evaluate(sim, u, a);
  hn_uk_residual(sim, u, a, u->r_trial);
  return hn_uk_cost(sim, u, u->r_trial, a);
}

void hn_uk_scale(hn_sim *sim, hn_uk *u) {
  const hn_system *sys = sim->sys;
  double J = hn_largest(sim->stage.work.J, (size_t)sys->j_size), M = 0;
  if (sys->mass_entries)
    M = hn_largest(sim->stage.work.mass_values, (size_t)sys->mass_entries->count);
  else
    M = hn_largest(sys->mass, (size_t)sys->bv);
  u->scale = M > 0 ? (J > 0 && isfinite(J) ? fmin(J, 1) : 1) / M : 1;
}

// ---- Gauss-Newton and Levenberg-Marquardt --------------------------------------------------

// B = dr/da with R and lambda of the state evaluated last held, whose residual is u->r
static void differentiate(hn_sim *sim, hn_uk *u) {
  const hn_system *sys = sim->sys;
  int nv = sys->nv;
  memcpy(u->trial, u->a, (size_t)nv * sizeof(double));
  double size = fmax(1, hn_largest(u->a, (size_t)nv));
  for (int j = 0; j < nv; j++) {
    // forward differences: accuracy only bears on how fast it converges
    double d = 1e-6 * size, *column = u->B + (size_t)j * (size_t)u->count;
    u->trial[j] += d;
    follow(sim, u, u->trial);
    hn_uk_residual(sim, u, u->trial, column);
    for (int i = 0; i < u->count; i++) column[i] = (column[i] - u->r[i]) / d;
    u->trial[j] = u->a[j];
  }
}

// trial = a + d, d minimising |r + B d|^2 + eps |a + d - a0|^2 + damping |d|^2
static void try_step(const hn_sim *sim, hn_uk *u, double damping) {
  int nv = sim->sys->nv, count = u->count, m = count + 2 * nv;
  double eps = sqrt(sim->opt.regularisation), mu = sqrt(damping);
  u->step.m = m;
  memset(u->step.a, 0, (size_t)m * (size_t)nv * sizeof(double));
  for (int j = 0; j < nv; j++) {
    double *column = u->step.a + (size_t)j * (size_t)m;
    memcpy(column, u->B + (size_t)j * (size_t)count, (size_t)count * sizeof(double));
    column[count + j] = eps;
    column[count + nv + j] = mu;
    u->rhs[count + j] = -eps * (u->a[j] - u->a0[j]);
    u->rhs[count + nv + j] = 0;
  }
  for (int i = 0; i < count; i++) u->rhs[i] = -u->r[i];
  hn_cod_factor(&u->step, rank_tolerance, nv);
  hn_cod_solve(&u->step, u->rhs, u->trial);
  for (int j = 0; j < nv; j++) u->trial[j] += u->a[j];
}

hn_status hn_uk_least_squares(hn_sim *sim, hn_uk *u, bool damped) {
  int nv = sim->sys->nv;
  size_t bytes = (size_t)nv * sizeof(double);
  double damping = 0, cost, tolerance = fmax(sim->opt.iteration_tol, 1e-14);
  bool exact = false;  // B belongs to a
  hn_uk_evaluate(sim, u, u->a);
  hn_uk_scale(sim, u);
  hn_uk_residual(sim, u, u->a, u->r);
  cost = hn_uk_cost(sim, u, u->r, u->a);
  for (int pass = 0, old_count = -1; pass < ITERATIONS; pass++) {
    // a new B where another number of rows is free, or damping says the old one is poor
    if (!exact && (pass == 0 || old_count != u->count || damping > 0)) {
      differentiate(sim, u);
      exact = true;
    }
    old_count = u->count;
    try_step(sim, u, damping);
    double moved = 0, size = 1;
    for (int i = 0; i < nv; i++) {
      moved = fmax(moved, fabs(u->trial[i] - u->a[i]));
      size = fmax(size, fabs(u->trial[i]));
    }
    if (!isfinite(moved)) break;
    double next = hn_uk_cost_of(sim, u, u->trial);
    bool better = next < cost;
    if (better || !damped) {
      bool slow = next > 0.01 * cost;
      memcpy(u->a, u->trial, bytes);
      memcpy(u->r, u->r_trial, (size_t)u->count * sizeof(double));
      cost = next;
      damping = damping > 1e-10 ? 0.1 * damping : 0;
      exact = false;
      // convergence is linear with B of an earlier state: worth a new one only while far
      if (slow && moved > 1e3 * tolerance * size) {
        differentiate(sim, u);
        exact = true;
        old_count = u->count;
      }
      if (moved <= tolerance * size) return HN_OK;
      continue;
    }
    // the state evaluated last is not that of a any more
    hn_uk_evaluate(sim, u, u->a);
    hn_uk_residual(sim, u, u->a, u->r);
    if (moved <= 1e3 * tolerance * size) return HN_OK;  // round-off decides from here
    damping = damping > 0 ? 10 * damping : 1e-6;
    // damped to a standstill: a minimum
    if (damping > 1e12) return HN_OK;
  }
  return isfinite(cost) ? HN_OK
                        : hn_sim_fail(sim, HN_ERR_DIVERGED,
                                      "t=%.6g: the optimisation equation has no finite solution",
                                      sim->state.t + u->h);
}

// ---- the step ------------------------------------------------------------------------------

// derivative of the state at its end, and the power there
static void finish(hn_sim *sim, hn_uk *u, const double *y, double *rate, double *power) {
  const hn_system *sys = sim->sys;
  hn_qdot(sys, y, y + sys->nq, rate);
  memcpy(rate + sys->nq, u->a, (size_t)sys->nv * sizeof(double));
  *power = sim->stage.work.power;
  for (int i = 0; sys->rheonomic && i < sys->rows; i++)
    *power -= u->lambda[i] * sim->stage.work.phi_t[i];
  rate[sim->state.w] = *power;
  if (sys->states) hn_state_rates(&sim->stage.work, rate + sim->state.x);
}

static hn_status start(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_uk *u = sim->method.integrator_data;
  u->seed = 0x9e3779b97f4a7c15ull;
  // where [M; J] leaves accelerations open, those of least size: the equation of a step of no
  // length
  if (sim->stage.kkt.singular) {
    u->h = 0;
    memset(u->a, 0, (size_t)sys->nv * sizeof(double));
    memset(u->a0, 0, (size_t)sys->nv * sizeof(double));
    hn_status status = hn_uk_least_squares(sim, u, true);
    if (status) return status;
    hn_uk_evaluate(sim, u, u->a);
    finish(sim, u, u->y, u->rate, &u->power);
    return HN_OK;
  }
  memcpy(u->a, sim->stage.ydot + sys->nq, (size_t)sys->nv * sizeof(double));
  memcpy(u->lambda, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
  memcpy(u->rate, sim->stage.ydot, (size_t)sim->state.n * sizeof(double));
  u->power = sim->stage.ydot[sim->state.w];
  return HN_OK;
}

static hn_status step(hn_sim *sim, double limit) {
  const hn_system *sys = sim->sys;
  hn_uk *u = sim->method.integrator_data;
  double h = fmin(sim->opt.step, limit);
  const char *optimiser = sim->opt.optimiser;
  // a force switched, or an input was set, and with it the accelerations
  if (!(sim->step.h > 0) && !hn_rate_known(sim)) {
    hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
    if (!status) status = start(sim);
    if (status) return status;
  }
  u->h = h;
  memcpy(u->a0, u->a, (size_t)sys->nv * sizeof(double));
  memcpy(u->rate_old, u->rate, (size_t)sim->state.n * sizeof(double));
  u->power_old = u->power;
  hn_states_follow(sim, &u->rule, u->constant, h, 0.5, sim->state.y, u->rate_old, 0.5);
  hn_status status = HN_OK;
  if (optimiser[0] == 'g' && optimiser[1] == 'e')
    status = hn_uk_genetic(sim, u);
  else
    status = hn_uk_least_squares(sim, u, optimiser[0] == 'l');
  if (status) {
    memcpy(u->a, u->a0, (size_t)sys->nv * sizeof(double));
    hn_states_stand(sim, sim->state.y);
    return status;
  }
  hn_uk_evaluate(sim, u, u->a);
  hn_states_settled(sim, u->y, NULL);
  finish(sim, u, u->y, u->rate, &u->power);
  memcpy(sim->step.y_new, u->y, (size_t)sim->state.n * sizeof(double));
  sim->step.y_new[sim->state.w] = sim->state.y[sim->state.w] + 0.5 * h * (u->power_old + u->power);
  sim->step.h = h;
  return hn_accept_step(sim, h, sim->step.y_new, NULL);
}

static void undo(hn_sim *sim) {
  hn_uk *u = sim->method.integrator_data;
  hn_undo_step(sim);
  memcpy(u->a, u->a0, (size_t)sim->sys->nv * sizeof(double));
  memcpy(u->rate, u->rate_old, (size_t)sim->state.n * sizeof(double));
  u->power = u->power_old;
}

// the cubic through both ends with the stepper's own derivatives
static void dense(hn_sim *sim, double t, double *y) {
  const hn_uk *u = sim->method.integrator_data;
  double h = sim->state.t - sim->state.t_old, s = h > 0 ? (t - sim->state.t_old) / h : 1;
  double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * s * (3 - 2 * s);
  double c = h * s * (1 - s) * (1 - s), d = -h * s * s * (1 - s);
  for (int i = 0; i < sim->state.n; i++)
    y[i] = a * sim->state.y_old[i] + b * sim->state.y[i] + c * u->rate_old[i] + d * u->rate[i];
  hn_normalise(sim->sys, y);
}

static void reactions(hn_sim *sim) {
  const hn_uk *u = sim->method.integrator_data;
  if (!(sim->step.h > 0)) return;
  memcpy(sim->stage.a, u->a, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->stage.work.lambda, u->lambda, (size_t)sim->sys->rows * sizeof(double));
}

const hn_integrator_type hn_integrator_uk_newmark = {
    .info = {.name = "uk-newmark",
             .help = "Udwadia-Kalaba equations with Newmark's rule by minimisation, order 2: "
                     "singular configurations, singular masses, redundant rows",
             .keys = "step optimiser regularisation iteration_tol uk_feedback alpha beta",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .start = start,
    .step = step,
    .dense = dense,
    .undo = undo,
    .reactions = reactions,
    .stands_alone = true,
    .resolves = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE |
           HN_CAN_NATURAL | HN_CAN_BLOCKS | HN_CAN_STATES,
};
