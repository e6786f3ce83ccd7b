// dopri5.c: Dormand and Prince 5(4) with error control and dense output of order 4.
//
// Coefficients: Dormand & Prince (1980); continuous extension: Hairer, Norsett & Wanner, Solving
// Ordinary Differential Equations I. The seventh stage is the first of the next step.
#include "integrators/integrators.h"

static const double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
// row s: weights of the stages before s; the last row is the solution of order 5
static const double a[7][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
// difference of the two embedded solutions
static const double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
// dense output
static const double d[7] = {-12715105075.0 / 11282082432,  0,
                            87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                            701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                            69997945.0 / 29380423};

enum { STAGES = 7 };

const hn_tableau hn_tableau_dopri5 = {.stages = 6, .width = 6, .c = c, .a = a[0], .b = a[6]};

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, STAGES);
}

// stages 2 to 7; the last one is evaluated at the new state
static hn_status stages(hn_sim *sim, double h) {
  double *const *k = sim->step.k;
  for (int s = 1; s < STAGES; s++) {
    // the last stage is the derivative at the new state
    double *y = s == STAGES - 1 ? sim->step.y_new : sim->step.y_stage;
    hn_stage_sum(y, sim->state.y, h, a[s], k, s, sim->state.n);
    hn_status status = hn_derivative(sim, sim->state.t + c[s] * h, y, k[s]);
    if (status) return status;
  }
  return HN_OK;
}

static double error(hn_sim *sim, double h) {
  hn_stage_sum(sim->step.y_stage, NULL, h, e, sim->step.k, STAGES, sim->state.n);
  return hn_error_norm(sim, sim->step.y_stage);
}

static hn_status step(hn_sim *sim, double limit) {
  static const hn_embedded method = {.order = 5,
                                     .slowest = 0.2,
                                     .most = 5,
                                     .safety = 0.9,
                                     .memory = 0.04,
                                     .gap = 0.55,
                                     .first = 0.2,
                                     .last = STAGES - 1,
                                     .stages = stages,
                                     .error = error};
  return hn_embedded_step(sim, limit, &method);
}

static void dense(hn_sim *sim, double t, double *y) {
  double *const *k = sim->step.k, h = sim->state.t - sim->state.t_old;
  double s = h > 0 ? (t - sim->state.t_old) / h : 1, s1 = 1 - s;
  hn_stage_sum(y, NULL, h, d, k, STAGES, sim->state.n);
  for (int i = 0; i < sim->state.n; i++) {
    // coefficients from both ends' states and slopes, and one from all stages
    double diff = sim->state.y[i] - sim->state.y_old[i], b = h * k[0][i] - diff;
    double r4 = diff - h * k[6][i] - b, r5 = y[i];
    y[i] = sim->state.y_old[i] + s * (diff + s1 * (b + s * (r4 + s1 * r5)));
  }
  hn_normalise(sim->sys, y);
}

const hn_integrator_type hn_integrator_dopri5 = {
    .info = {.name = "dopri5",
             .help = "Dormand-Prince 5(4), error control, dense output",
             .keys = "rtol atol step",
             .required = ""},
    .order = 5,
    .adaptive = true,
    .layout = layout,
    .step = step,
    .dense = dense,
    .undo = hn_undo_step,
};
