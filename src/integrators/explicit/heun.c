// heun.c: Heun's method (explicit trapezoidal rule), order 2, fixed step.
//
//   k1 = f(t, y), k2 = f(t + h, y + h k1)
//   y1 = y + h/2 (k1 + k2)
#include "integrators/integrators.h"

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, 2);
}

static hn_status step(hn_sim *sim, double limit) {
  static const double b[2] = {0.5, 0.5};
  double h = fmin(sim->opt.step, limit), *const *k = sim->step.k;
  hn_status status = hn_first_stage(sim);
  if (status) return status;
  for (int i = 0; i < sim->state.n; i++) sim->step.y_stage[i] = sim->state.y[i] + h * k[0][i];
  status = hn_derivative(sim, sim->state.t + h, sim->step.y_stage, k[1]);
  if (status) return status;
  hn_stage_sum(sim->step.y_new, sim->state.y, h, b, k, 2, sim->state.n);
  return hn_accept_step(sim, h, sim->step.y_new, NULL);
}

const hn_integrator_type hn_integrator_heun = {
    .info = {.name = "heun",
             .help = "Heun's method, order 2, fixed step",
             .keys = "step",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step,
    .dense = hn_dense_hermite,
    .undo = hn_undo_step,
};
