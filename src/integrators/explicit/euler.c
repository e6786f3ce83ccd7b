// euler.c: explicit Euler, order 1, fixed step.
//
//   y1 = y0 + h f(t0, y0)
//
// The yardstick of all others. It gains energy in every oscillation; symplectic-euler costs the
// same and does not.
#include "integrators/integrators.h"

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, 1);
}

static hn_status step(hn_sim *sim, double limit) {
  double h = fmin(sim->opt.step, limit);
  hn_status status = hn_first_stage(sim);
  if (status) return status;
  for (int i = 0; i < sim->state.n; i++)
    sim->step.y_new[i] = sim->state.y[i] + h * sim->step.k[0][i];
  return hn_accept_step(sim, h, sim->step.y_new, NULL);
}

const hn_integrator_type hn_integrator_euler = {
    .info = {.name = "euler",
             .help = "explicit Euler, order 1, fixed step",
             .keys = "step",
             .required = "step"},
    .order = 1,
    .layout = layout,
    .step = step,
    .dense = hn_dense_hermite,
    .undo = hn_undo_step,
};
