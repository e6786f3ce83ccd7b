// dop853.c: Dormand and Prince 8(5,3) with error control and dense output of order 7.
//
// The error combines the differences e5, e3 to embedded solutions of order 5 and 3 into
//
//   e5^2 / sqrt(e5^2 + 0.01 e3^2),
//
// which falls with h^8. The dense output needs three more stages; they are evaluated only when a
// state inside the step is asked for. Hairer, Norsett & Wanner, Solving Ordinary Differential
// Equations I, section II.10.
#include "base/elementary.h"
#include "integrators/explicit/dop853_coefficients.h"
#include "integrators/integrators.h"

const hn_tableau hn_tableau_dop853 = {.stages = DOP853_STAGES,
                                      .width = DOP853_ALL,
                                      .c = dop853_c,
                                      .a = dop853_a[0],
                                      .b = dop853_a[DOP853_NEW]};

typedef struct dop853 {
  bool extended;  // stages of the dense output belong to the last step
} dop853;

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, DOP853_ALL);
  sim->method.integrator_data = HN_TAKE(arena, dop853, 1);
}

// stages 2 to 12 and the new state
static hn_status stages(hn_sim *sim, double h) {
  double *const *k = sim->step.k;
  for (int s = 1; s < DOP853_STAGES; s++) {
    hn_stage_sum(sim->step.y_stage, sim->state.y, h, dop853_a[s], k, s, sim->state.n);
    hn_status status = hn_derivative(sim, sim->state.t + dop853_c[s] * h, sim->step.y_stage, k[s]);
    if (status) return status;
  }
  hn_stage_sum(sim->step.y_new, sim->state.y, h, dop853_a[DOP853_NEW], k, DOP853_STAGES,
               sim->state.n);
  return HN_OK;
}

static double error(hn_sim *sim, double h) {
  double *const *k = sim->step.k, *difference = sim->step.y_stage, weight[DOP853_STAGES];
  hn_stage_sum(difference, NULL, h, dop853_fifth, k, DOP853_STAGES, sim->state.n);
  // e5: the embedded solution of order 5, e3: that of order 3
  double e5 = hn_error_norm(sim, difference);
  for (int j = 0; j < DOP853_STAGES; j++) weight[j] = dop853_a[DOP853_NEW][j] - dop853_third[j];
  hn_stage_sum(difference, NULL, h, weight, k, DOP853_STAGES, sim->state.n);
  double e3 = hn_error_norm(sim, difference);
  // squares of errors from rest may underflow
  return e5 == 0 ? 0 : e5 * (e5 / hn_hypot(e5, 0.1 * e3));
}

static hn_status step(hn_sim *sim, double limit) {
  static const hn_embedded method = {.order = 8,
                                     .slowest = 0.333,
                                     .most = 6,
                                     .safety = 0.85,  // a step refused costs 12 evaluations
                                     .memory = 0.02,
                                     .gap = 0.467,
                                     .first = 0.0526,
                                     .last = DOP853_NEW,
                                     .late = true,
                                     .stages = stages,
                                     .error = error};
  ((dop853 *)sim->method.integrator_data)->extended = false;
  return hn_embedded_step(sim, limit, &method);
}

// Next to a singular configuration accelerations of a state off the constraints are wrong by what
// it is off, divided by the smallest singular value: those of the other stages the step has been
// chosen to keep away from there, these three it has not. The state is pulled onto the constraints
// first.
static hn_status derivative_on(hn_sim *sim, double t, double *y, double *k) {
  static const double near = 0.1, usual = 0.1;  // unequal inertias may keep pivots small everywhere
  hn_status status = hn_derivative(sim, t, y, k);
  double ratio = sim->stage.kkt.pivot_ratio, firmest = fmin(usual, sim->watch.firmest);
  if (status || !sim->sys->rows || !(ratio < near * firmest)) return status;
  status = hn_pull_inside(sim, t, y);
  return status ? status : hn_derivative(sim, t, y, k);
}

// the missing stages
static hn_status extend(hn_sim *sim, double h) {
  double *const *k = sim->step.k;
  for (int s = DOP853_NEW + 1; s < DOP853_ALL; s++) {
    hn_stage_sum(sim->step.y_stage, sim->state.y_old, h, dop853_a[s], k, s, sim->state.n);
    hn_status status =
        derivative_on(sim, sim->state.t_old + dop853_c[s] * h, sim->step.y_stage, k[s]);
    if (status) return status;
  }
  return HN_OK;
}

// The polynomial at s, r = 1 - s, is
//
//   y0 + s (d + r (h k0 - d + s (2 d - h k1 - h k0 + r (F0 + s (F1 + r (F2 + s F3)))))),
//   d = y1 - y0,  Fp = h sum of dop853_d[p][j] k[j].
//
// Most steps are asked for a few states only: then it is cheaper to add up the weights that each
// stage has in it than to find all Fp.
static void dense(hn_sim *sim, double t, double *y) {
  dop853 *data = sim->method.integrator_data;
  double h = sim->state.t - sim->state.t_old, weight[DOP853_ALL];
  if (!data->extended && extend(sim, h)) {
    hn_dense_hermite(sim, t, y);
    return;
  }
  data->extended = true;
  double s = h > 0 ? (t - sim->state.t_old) / h : 1, r = 1 - s;
  for (int j = 0; j < DOP853_ALL; j++)
    weight[j] = s * r * s * r *
                (dop853_d[0][j] + s * (dop853_d[1][j] + r * (dop853_d[2][j] + s * dop853_d[3][j])));
  weight[0] += s * r * r;
  weight[DOP853_NEW] -= s * r * s;
  const double *before = sim->state.y_old, *after = sim->state.y;
  double part = s + s * r * (2 * s - 1);
  for (int i = 0; i < sim->state.n; i++) y[i] = before[i] + part * (after[i] - before[i]);
  hn_stage_sum(y, y, h, weight, sim->step.k, DOP853_ALL, sim->state.n);
  hn_normalise(sim->sys, y);
}

const hn_integrator_type hn_integrator_dop853 = {
    .info = {.name = "dop853",
             .help = "Dormand-Prince 8(5,3), error control, dense output: for high precision",
             .keys = "rtol atol step",
             .required = ""},
    .order = 8,
    .adaptive = true,
    .layout = layout,
    .step = step,
    .dense = dense,
    .undo = hn_undo_step,
};
