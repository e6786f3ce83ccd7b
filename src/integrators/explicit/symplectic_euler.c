// symplectic_euler.c: semi-implicit Euler, order 1.
//
//   v1 = v0 + h a(t0, q0, v0),  q1 = q0 (+) h v1
//
// Velocities first, positions with the new velocities: energy oscillates instead of drifting.
#include "integrators/integrators.h"

#include <string.h>

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, 1);
}

static hn_status step(hn_sim *sim, double limit) {
  const hn_system *sys = sim->sys;
  double h = fmin(sim->opt.step, limit), *k = sim->step.k[0], *y = sim->step.y_new;
  hn_status status = hn_first_stage(sim);
  if (status) return status;
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  double *v = y + sys->nq;
  for (int i = 0; i < sys->nv; i++) {
    v[i] += h * k[sys->nq + i];
    // with the velocity at the end of the step
    sim->room.v[i] = h * v[i];
  }
  for (int i = sim->state.w; i < sim->state.n; i++) y[i] += h * k[i];
  hn_retract(sys, y, sim->room.v);
  return hn_accept_step(sim, h, y, NULL);
}

const hn_integrator_type hn_integrator_symplectic_euler = {
    .info = {.name = "symplectic-euler",
             .help = "semi-implicit Euler, order 1, fixed step",
             .keys = "step",
             .required = "step"},
    .order = 1,
    .layout = layout,
    .step = step,
    .dense = hn_dense_hermite,
    .undo = hn_undo_step,
};
