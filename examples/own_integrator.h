// own_integrator.h: an integrator of our own: Ralston's method, order 3, fixed step.
//
//   k1 = f(t, y), k2 = f(t + h/2, y + h/2 k1), k3 = f(t + 3h/4, y + 3h/4 k2)
//   y1 = y + h/9 (2 k1 + 3 k2 + 4 k3)
#ifndef OWN_INTEGRATOR_H
#define OWN_INTEGRATOR_H

#include <holon/extend.h>

static inline void ralston_layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, 3);
}

static inline hn_status ralston_step(hn_sim *sim, double limit) {
  static const double node[] = {0, 0.5, 0.75};
  double h = hn_stepper_step(sim) < limit ? hn_stepper_step(sim) : limit, t = hn_time(sim);
  double *stage = hn_stepper_stage(sim), *next = hn_stepper_next(sim);
  const double *y = hn_stepper_state(sim);
  int n = hn_stepper_size(sim);
  hn_status status = hn_first_stage(sim);
  for (int s = 1; s < 3 && !status; s++) {
    const double *slope = hn_stepper_slope(sim, s - 1);
    for (int i = 0; i < n; i++) stage[i] = y[i] + node[s] * h * slope[i];
    status = hn_derivative(sim, t + node[s] * h, stage, hn_stepper_slope(sim, s));
  }
  if (status) return status;
  const double *k1 = hn_stepper_slope(sim, 0), *k2 = hn_stepper_slope(sim, 1),
               *k3 = hn_stepper_slope(sim, 2);
  for (int i = 0; i < n; i++) next[i] = y[i] + h / 9 * (2 * k1[i] + 3 * k2[i] + 4 * k3[i]);
  return hn_accept_step(sim, h, next, NULL);
}

static const hn_integrator_type own_integrator = {
    .info = {.name = "ralston",
             .help = "Ralston's method, order 3, fixed step",
             .keys = "step",
             .required = "step"},
    .order = 3,
    .layout = ralston_layout,
    .step = ralston_step,
    .dense = hn_dense_hermite,
    .undo = hn_undo_step,
};

#endif
