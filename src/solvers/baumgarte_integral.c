// baumgarte_integral.c: feedback of the integral of the violation as well (Ostermeyer 1990).
//
//   J a = gamma - 2 alpha psi - beta^2 Phi - kappa z,   z' = Phi     (holonomic rows)
//   J a = gamma - alpha psi - kappa z,                  z' = psi     (nonholonomic rows)
//
// A disturbance that acts steadily in one sense, such as the truncation error of a uniform motion,
// leaves an offset with Baumgarte's two terms; the third one removes it. The roots of
// s^3 + 2 alpha s^2 + beta^2 s + kappa are stable for kappa < 2 alpha beta^2, those of
// s^2 + alpha s + kappa always; `integral` is kappa as a part of 2 alpha beta^2, and of alpha^2.
//
// z sums the violations at the ends of steps, and does not change within one. That costs no order:
// a violation is itself an error of the integrator, of size h^p, and the sum is as accurate as that
// times h. The violations of its stages, which are larger and cancel only in part, must not enter.
#include "solvers/solvers.h"

#include <string.h>

static hn_status start(hn_sim *sim, double t, double *y) {
  (void)t, (void)y;
  memset(sim->method.solver_data, 0, (size_t)sim->sys->rows * sizeof(double));
  return HN_OK;
}

static hn_status accepted(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double *z = sim->method.solver_data;
  hn_feedback_keep(sim);
  hn_feedback_sample(sim, sim->state.t, sim->state.y);
  for (int i = 0; i < sys->rows; i++)
    z[i] +=
        sim->step.h_last * (sys->holonomic[i] ? sim->stage.work.phi[i] : sim->stage.work.psi[i]);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const double *z = sim->method.solver_data;
  double alpha = sim->opt.alpha, beta = sim->opt.beta, part = sim->opt.integral;
  hn_feedback(sim, alpha, beta, alpha, sim->room.rhs);
  for (int i = 0; i < sys->rows; i++)
    sim->room.rhs[i] -= part * (sys->holonomic[i] ? 2 * alpha * beta * beta : alpha * alpha) * z[i];
  return hn_solve_saddle(sim, sim->room.rhs);
}

const hn_solver_type hn_solver_baumgarte_integral = {
    .info = {.name = "baumgarte-integral",
             .help = "feedback of the integral of the violation as well",
             .keys = "alpha beta integral",
             .required = ""},
    .can = HN_FEEDBACK_CAN,
    .layout = hn_feedback_layout,
    .start = start,
    .accelerate = accelerate,
    .accepted = accepted,
    .taken_back = hn_feedback_take_back,
};
