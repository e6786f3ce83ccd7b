// baumgarte.c: multipliers with feedback of the violation (Baumgarte 1972).
//
//   M a = f + J^T lambda,  J a = gamma - 2 alpha psi - beta^2 Phi    (holonomic rows)
//                          J a = gamma - alpha psi                   (nonholonomic rows)
//
// alpha = beta damps violations critically; they stay bounded, at the size the integrator makes.
// The gains act on the stages of the integrator too, whose positions are less accurate than its
// steps: gains of the order of 1/h (such as alpha = 1/h, beta = sqrt(2)/h, which follow from a
// Taylor expansion) reduce its order to two.
#include "solvers/solvers.h"

#include <string.h>

void hn_feedback(const hn_sim *sim, double alpha, double beta, double rate, double *rhs) {
  const hn_system *sys = sim->sys;
  const hn_work *w = &sim->stage.work;
  for (int i = 0; i < sys->rows; i++)
    rhs[i] = sys->holonomic[i] ? w->gamma[i] - 2 * alpha * w->psi[i] - beta * beta * w->phi[i]
                               : w->gamma[i] - rate * w->psi[i];
}

void hn_feedback_layout(hn_sim *sim, hn_arena *arena) {
  sim->method.solver_data = HN_TAKE(arena, double, 2 * sim->sys->rows);
}

// what feedback remembers belongs to the ends of steps: events take steps back, and a number that
// stayed would count a violation that never was
void hn_feedback_keep(hn_sim *sim) {
  double *now = sim->method.solver_data;
  memcpy(now + sim->sys->rows, now, (size_t)sim->sys->rows * sizeof(double));
}

void hn_feedback_take_back(hn_sim *sim) {
  double *now = sim->method.solver_data;
  memcpy(now, now + sim->sys->rows, (size_t)sim->sys->rows * sizeof(double));
}

void hn_feedback_sample(hn_sim *sim, double t, const double *y) {
  hn_eval_jacobian(&sim->stage.work, t, y, y + sim->sys->nq);
}

static hn_status accelerate(hn_sim *sim) {
  double alpha = sim->opt.alpha, beta = sim->opt.beta;
  hn_feedback(sim, alpha, beta, alpha, sim->room.rhs);
  return hn_solve_saddle(sim, sim->room.rhs);
}

const hn_solver_type hn_solver_baumgarte = {
    .info = {.name = "baumgarte",
             .help = "multipliers with feedback of position and velocity violation",
             .keys = "alpha beta",
             .required = ""},
    .can = HN_FEEDBACK_CAN,
    .accelerate = accelerate,
};
