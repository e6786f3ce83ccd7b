// staggered.c: multipliers as states integrated beside the motion (Park & Chiou 1988).
//
//   M a = f + J^T lambda,   lambda' = -(psi + d (J a - gamma)) / epsilon    (holonomic rows)
//                           lambda' = -d (J a - gamma) / epsilon           (nonholonomic rows)
//
// Integrated over time the first is lambda = lambda_0 - (Phi + d psi) / epsilon: a joint of
// compliance epsilon, preloaded by the exact multipliers of the start, so that nothing jumps. That
// is also the two-term penalty of Bayo et al. (1991), lambda* + alpha (Phi + mu psi). No constraint
// matrix is factorised and rows may depend on each other.
//
// A row oscillates at the frequency sqrt(c S / epsilon), S = J M^-1 J^T of the row and c the
// largest eigenvalue of that matrix scaled to ones on its diagonal, from a few power iterations. An
// explicit integrator needs steps below that. With the option epsilon = 0 each row gets the
// compliance c S (h / z)^2 that suits the option `step`, also where error control takes smaller
// steps, z a part of the integrator's stability limit; the method is then of order two.
// d = 2 mu sqrt(epsilon / (c S)) damps the oscillation, critically for mu = 1; mu = 0 is the
// undamped original (nonholonomic rows then keep half of critical, as they are held by damping
// alone).
#include "solvers/solvers.h"

#include <string.h>

typedef struct data {
  double limit;  // z
  double *out;   // compliance that leaves every row out
  double *size;  // S per row
  double *mode;  // vector of the power iteration
  double *push;  // nv
  double eigenvalue;
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  int rows = sim->sys->rows;
  data *own = HN_TAKE(arena, data, 1), plan = {0};
  plan.out = HN_TAKE(arena, double, rows);
  plan.size = HN_TAKE(arena, double, rows);
  plan.mode = HN_TAKE(arena, double, rows);
  plan.push = HN_TAKE(arena, double, sim->sys->nv);
  // two roots at -z: Runge-Kutta methods of higher order reach 2.8 and more, Euler 2, multistep
  // methods less than one
  plan.limit = sim->integrator->multistep ? 0.3 : sim->integrator->order > 2 ? 1.5 : 0.7;
  if (!arena->base) return;
  for (int i = 0; i < rows; i++) plan.out[i] = 1e30;
  *own = plan;
  sim->solver_data = own;
}

static int states(const hn_system *sys) {
  return sys->rows;
}

// x = M^-1 x
static void divide_by_mass(hn_sim *sim, double *x) {
  memset(sim->x_r, 0, (size_t)sim->sys->rows * sizeof(double));
  hn_kkt_solve(&sim->kkt, &sim->work, x, sim->x_r);
}

static void factor(hn_sim *sim) {
  const data *own = sim->solver_data;
  hn_row_sizes(&sim->work, own->size);
  for (int i = 0; i < sim->sys->rows; i++)
    if (!(own->size[i] > 0)) own->size[i] = 1;
  hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, own->out);
  sim->factorisations++;
}

// one power iteration with S_ij / sqrt(S_ii S_jj); keeps a margin
static void iterate(hn_sim *sim) {
  data *own = sim->solver_data;
  int rows = sim->sys->rows, nv = sim->sys->nv;
  double square = 0;
  for (int i = 0; i < rows; i++) sim->x_r2[i] = own->mode[i] / sqrt(own->size[i]);
  memset(own->push, 0, (size_t)nv * sizeof(double));
  hn_jacobian_tmul_add(&sim->work, sim->x_r2, 1, own->push);
  divide_by_mass(sim, own->push);
  hn_jacobian_mul(&sim->work, own->push, sim->x_r2);
  for (int i = 0; i < rows; i++) {
    own->mode[i] = sim->x_r2[i] / sqrt(own->size[i]);
    square += own->mode[i] * own->mode[i];
  }
  if (!(square > 0)) return;
  own->eigenvalue = fmax(1, 1.2 * sqrt(square));
  for (int i = 0; i < rows; i++) own->mode[i] /= sqrt(square);
}

// the exact multipliers
static hn_status start(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  data *own = sim->solver_data;
  // error control must not choose the stiffness: smaller steps would make stiffer joints
  if (!(sim->opt.epsilon > 0 || sim->opt.step > 0))
    return hn_sim_fail(
        sim, HN_ERR_ARGUMENT,
        "solver 'staggered' needs 'epsilon', the compliance of the joints, or 'step'");
  hn_eval_all(&sim->work, t, y, y + sys->nq);
  hn_status status = hn_solve_saddle(sim, sim->work.gamma);
  if (status) return status;
  memcpy(y + sim->w + 1, sim->work.lambda, (size_t)sys->rows * sizeof(double));
  factor(sim);
  sim->fresh = false;
  own->eigenvalue = 1;
  // no row is orthogonal to this
  for (int i = 0; i < sys->rows; i++) own->mode[i] = (1 + 0.1 * sin(i)) / sqrt(sys->rows);
  for (int i = 0; i < 30; i++) iterate(sim);
  return HN_OK;
}

static hn_status accepted(hn_sim *sim) {
  hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sim->sys->nq);
  factor(sim);
  sim->fresh = false;
  iterate(sim);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const data *own = sim->solver_data;
  hn_work *w = &sim->work;
  double part = sim->opt.step / own->limit, mu = sim->opt.mu;
  memcpy(w->lambda, sim->s, (size_t)sys->rows * sizeof(double));
  if (sys->reactive) hn_add_reactive(sim);
  memcpy(sim->a, w->r, (size_t)sys->nv * sizeof(double));
  hn_jacobian_tmul_add(w, w->lambda, 1, sim->a);
  factor(sim);
  divide_by_mass(sim, sim->a);
  hn_jacobian_mul(w, sim->a, sim->x_r);
  for (int i = 0; i < sys->rows; i++) {
    double S = own->eigenvalue * own->size[i];
    double epsilon = sim->opt.epsilon > 0 ? sim->opt.epsilon : S * part * part;
    bool holonomic = sys->holonomic[i];
    double d = 2 * (holonomic ? mu : fmax(mu, 0.5)) * sqrt(epsilon / S);
    double rate = (holonomic ? w->psi[i] : 0) + d * (sim->x_r[i] - w->gamma[i]);
    sim->s_rate[i] = -rate / epsilon;
  }
  return HN_OK;
}

const hn_solver_type hn_solver_staggered = {
    .info = {.name = "staggered",
             .help = "multipliers integrated beside the motion: joints of small compliance",
             .keys = "epsilon mu",
             .required = ""},
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_IS_COMPLIANT,
    .layout = layout,
    .states = states,
    .start = start,
    .accelerate = accelerate,
    .accepted = accepted,
};
