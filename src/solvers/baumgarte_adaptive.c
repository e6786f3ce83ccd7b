// baumgarte_adaptive.c: feedback gains that every row finds for itself.
//
//   J a = gamma - 2 g psi - g^2 Phi,   g per row (critical damping, alpha = beta = g)
//
// After each step a row whose violation e, e^2 = (Phi / bound)^2 + (psi / (g bound))^2, exceeds one
// raises its gain, up to a quarter of what the step would allow; the others lower theirs towards
// alpha. That the gains differ between rows and follow the violation is the proposal of Chang &
// Nikravesh (1985); the rule is ours. Within a step the gains are constant, so the integrator keeps
// its order.
#include "base/elementary.h"
#include "solvers/solvers.h"

static const double up = 1.3, down = 0.97;  // change of a gain in one step
static const double step_part = 0.25;       // largest gain times the step

static hn_status start(hn_sim *sim, double t, double *y) {
  double *gain = sim->method.solver_data;
  (void)t, (void)y;
  for (int i = 0; i < sim->sys->rows; i++) gain[i] = sim->opt.alpha;
  return HN_OK;
}

static hn_status accepted(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const hn_work *w = &sim->stage.work;
  double *gain = sim->method.solver_data, low = sim->opt.alpha, bound = sim->opt.violation_bound;
  double high = fmax(low, step_part / sim->step.h_last);
  hn_feedback_keep(sim);
  hn_feedback_sample(sim, sim->state.t, sim->state.y);
  for (int i = 0; i < sys->rows; i++) {
    double position = sys->holonomic[i] ? w->phi[i] : 0;
    double velocity = gain[i] > 0 ? w->psi[i] / gain[i] : 0;
    gain[i] *= hn_hypot(position, velocity) > bound ? up : down;
    gain[i] = fmin(fmax(gain[i], low), high);
  }
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const hn_work *w = &sim->stage.work;
  const double *gain = sim->method.solver_data;
  for (int i = 0; i < sys->rows; i++) {
    double g = gain[i];
    sim->room.rhs[i] = sys->holonomic[i] ? w->gamma[i] - 2 * g * w->psi[i] - g * g * w->phi[i]
                                         : w->gamma[i] - g * w->psi[i];
  }
  return hn_solve_saddle(sim, sim->room.rhs);
}

const hn_solver_type hn_solver_baumgarte_adaptive = {
    .info = {.name = "baumgarte-adaptive",
             .help = "feedback gains of every row rise while its violation exceeds a bound",
             .keys = "alpha violation_bound",
             .required = ""},
    .can = HN_FEEDBACK_CAN,
    .layout = hn_feedback_layout,
    .start = start,
    .accelerate = accelerate,
    .accepted = accepted,
    .taken_back = hn_feedback_take_back,
};
