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
#include "base/pair.h"
#include "integrators/explicit/dop853_coefficients.h"
#include "integrators/integrators.h"

const hn_tableau hn_tableau_dop853 = {.stages = DOP853_STAGES,
                                      .width = DOP853_ALL,
                                      .c = dop853_c,
                                      .a = dop853_a[0],
                                      .b = dop853_a[DOP853_NEW]};

typedef struct dop853 {
  bool extended;  // stages and coefficients of the dense output belong to the last step
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
  static const double near = 1e-2;  // pivot ratio
  hn_status status = hn_derivative(sim, t, y, k);
  if (status || !sim->sys->rows || !(sim->stage.kkt.pivot_ratio < near)) return status;
  status = hn_pull_inside(sim, t, y);
  return status ? status : hn_derivative(sim, t, y, k);
}

// the missing stages, and in place of stages 2 to 5, which nobody needs any more, the coefficients
static hn_status extend(hn_sim *sim, double h) {
  double *const *k = sim->step.k;
  for (int s = DOP853_NEW + 1; s < DOP853_ALL; s++) {
    hn_stage_sum(sim->step.y_stage, sim->state.y_old, h, dop853_a[s], k, s, sim->state.n);
    hn_status status =
        derivative_on(sim, sim->state.t_old + dop853_c[s] * h, sim->step.y_stage, k[s]);
    if (status) return status;
  }
  for (int p = 0; p < DOP853_POWERS; p++)
    hn_stage_sum(k[1 + p], NULL, h, dop853_d[p], k, DOP853_ALL, sim->state.n);
  return HN_OK;
}

static void dense(hn_sim *sim, double t, double *y) {
  dop853 *data = sim->method.integrator_data;
  double *const *k = sim->step.k, h = sim->state.t - sim->state.t_old;
  if (!data->extended && extend(sim, h)) {
    hn_dense_hermite(sim, t, y);
    return;
  }
  data->extended = true;
  const double *new = k[DOP853_NEW];
  double s = h > 0 ? (t - sim->state.t_old) / h : 1, r = 1 - s;
  const double *before = sim->state.y_old, *after = sim->state.y;
  const double *k0 = k[0], *k1 = k[1], *k2 = k[2], *k3 = k[3], *k4 = k[4];
  int n = sim->state.n, at = 0;
  for (; at + 1 < n; at += 2) {
    hn_pair y0 = hn_pair_load(before + at), diff = hn_pair_load(after + at) - y0;
    hn_pair hk0 = h * hn_pair_load(k0 + at);
    hn_pair high =
        hn_pair_load(k1 + at) +
        s * (hn_pair_load(k2 + at) + r * (hn_pair_load(k3 + at) + s * hn_pair_load(k4 + at)));
    hn_pair low = hk0 - diff + s * (2 * diff - h * hn_pair_load(new + at) - hk0 + r * high);
    hn_pair_store(y + at, y0 + s * (diff + r * low));
  }
  for (; at < n; at++) {
    double diff = after[at] - before[at], hk0 = h * k0[at];
    double high = k1[at] + s * (k2[at] + r * (k3[at] + s * k4[at]));
    double low = hk0 - diff + s * (2 * diff - h * new[at] - hk0 + r *high);
    y[at] = before[at] + s * (diff + r * low);
  }
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
