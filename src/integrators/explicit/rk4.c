// rk4.c: the classical Runge-Kutta method, order 4, fixed step.
//
//   k1 = f(t, y), k2 = f(t + h/2, y + h/2 k1), k3 = f(t + h/2, y + h/2 k2), k4 = f(t + h, y + h k3)
//   y1 = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
#include "integrators/integrators.h"

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, 4);
}

static hn_status step(hn_sim *sim, double limit) {
  double h = fmin(sim->opt.step, limit), *const *k = sim->step.k, *y = sim->step.y_stage;
  int n = sim->state.n;
  hn_status status = hn_first_stage(sim);
  if (status) return status;
  for (int s = 1; s < 4; s++) {
    double c = s < 3 ? 0.5 * h : h;
    for (int i = 0; i < n; i++) y[i] = sim->state.y[i] + c * k[s - 1][i];
    status = hn_derivative(sim, sim->state.t + c, y, k[s]);
    if (status) return status;
  }
  for (int i = 0; i < n; i++)
    sim->step.y_new[i] = sim->state.y[i] + h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
  return hn_accept_step(sim, h, sim->step.y_new, NULL);
}

const hn_integrator_type hn_integrator_rk4 = {
    .info = {.name = "rk4",
             .help = "classical Runge-Kutta, order 4, fixed step",
             .keys = "step",
             .required = "step"},
    .order = 4,
    .layout = layout,
    .step = step,
    .dense = hn_dense_hermite,
    .undo = hn_undo_step,
};
