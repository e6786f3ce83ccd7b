// baumgarte_sliding.c: variable structure feedback of the violation (Chiou & Wu 1998).
//
// With the sliding surface s = psi + c Phi in every holonomic row,
//
//   J a = gamma - c psi - k sat(s / d),   sat(x) = x within [-1, 1], else its sign
//
// s obeys s' = -k sat(s / d): outside the layer |s| < d it falls steadily by k and reaches the
// layer after (|s0| - d) / k seconds, whatever its size; inside it fades at the rate k / d. On the
// surface the violation fades at the rate c. Nonholonomic rows have s = psi, without c. The force
// stays bounded by c psi and k, where linear feedback kicks as hard as the violation is large.
//
// c is the option alpha, the rate k / d in the layer is beta, and its width d is violation_bound
// times alpha: a violation of violation_bound stands on its edge.
//
// Stages of an integrator violate the rows more than its steps do, and must not meet the edge of
// the layer: sat(s / d) is s / d times a part that is found at the start of the step.
#include "solvers/solvers.h"

static double along(const hn_sim *sim, int row) {
  return sim->sys->holonomic[row] ? sim->opt.alpha : 0;
}

static double surface(const hn_sim *sim, int row) {
  return sim->stage.work.psi[row] + along(sim, row) * sim->stage.work.phi[row];
}

// returns whether some row is outside its layer
static bool sample(hn_sim *sim, double t, const double *y) {
  double *part = sim->method.solver_data, d = sim->opt.violation_bound * fmax(sim->opt.alpha, 1e-9);
  bool outside = false;
  hn_feedback_sample(sim, t, y);
  for (int i = 0; i < sim->sys->rows; i++) {
    double s = fabs(surface(sim, i));
    outside |= s > d || part[i] < 1;
    part[i] = s > d ? d / s : 1;
  }
  return outside;
}

static hn_status start(hn_sim *sim, double t, double *y) {
  (void)sample(sim, t, y);
  return HN_OK;
}

static hn_status accepted(hn_sim *sim) {
  hn_feedback_keep(sim);
  if (sample(sim, sim->state.t, sim->state.y)) hn_state_moved(sim);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  const hn_work *w = &sim->stage.work;
  const double *part = sim->method.solver_data;
  for (int i = 0; i < sim->sys->rows; i++)
    sim->room.rhs[i] =
        w->gamma[i] - along(sim, i) * w->psi[i] - sim->opt.beta * part[i] * surface(sim, i);
  return hn_solve_saddle(sim, sim->room.rhs);
}

const hn_solver_type hn_solver_baumgarte_sliding = {
    .info = {.name = "baumgarte-sliding",
             .help = "variable structure feedback: violations reach a layer in finite time",
             .keys = "alpha beta violation_bound",
             .required = ""},
    .can = HN_FEEDBACK_CAN,
    .layout = hn_feedback_layout,
    .start = start,
    .accelerate = accelerate,
    .accepted = accepted,
    .taken_back = hn_feedback_take_back,
};
