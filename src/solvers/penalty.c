// penalty.c: constraints as stiff, damped, heavy springs (Bayo, Garcia de Jalon & Serna 1988).
//
//   (M + J^T A J) a = f - J^T A (-gamma + 2 Omega mu psi + Omega^2 Phi)
//   lambda = -A (J a - gamma + 2 Omega mu psi + Omega^2 Phi)
//
// Without the last term in nonholonomic rows. The matrix on the left is never formed: with the
// compliance D = 1/A the same equations are
//   [ M  -J^T ] [ a      ]   [ f                                  ]
//   [ J   D   ] [ lambda ] = [ gamma - 2 Omega mu psi - Omega^2 Phi ]
// which stay sparse and well conditioned for any A. The error is of the order 1/A. Rows may depend
// on each other: they share the load by their stiffness.
#include "solvers/solvers.h"

#include <string.h>

double hn_penalty(const hn_sim *sim) {
  return sim->opt.penalty > 0 ? sim->opt.penalty : 1e7;
}

void hn_penalty_compliance(const hn_sim *sim, double *D) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->rows; i++) D[i] = 1 / (hn_penalty(sim) * hn_row_weight(sys, i));
}

hn_row_gains hn_penalty_gains(const hn_sim *sim, int row) {
  const hn_sys_joint *j = &sim->sys->joint[sim->sys->row_joint[row]];
  return (hn_row_gains){j->omega > 0 ? j->omega : sim->opt.omega, j->mu > 0 ? j->mu : sim->opt.mu};
}

void hn_penalty_feedback(const hn_sim *sim, double *rhs) {
  const hn_system *sys = sim->sys;
  const hn_work *w = &sim->stage.work;
  for (int i = 0; i < sys->rows; i++) {
    hn_row_gains g = hn_penalty_gains(sim, i);
    rhs[i] = w->gamma[i] - 2 * g.omega * g.mu * w->psi[i];
    if (sys->holonomic[i]) rhs[i] -= g.omega * g.omega * w->phi[i];
  }
}

hn_status hn_penalty_accelerate(hn_sim *sim, const double *D, hn_solve_fn solve) {
  hn_penalty_feedback(sim, sim->room.rhs);
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, D);
  sim->count.factorisations++;
  return hn_settle(sim, solve, NULL);
}

static void layout(hn_sim *sim, hn_arena *arena) {
  sim->method.solver_data = HN_TAKE(arena, double, sim->sys->rows);
  if (arena->base) hn_penalty_compliance(sim, sim->method.solver_data);
}

static hn_status solve(hn_sim *sim, void *user) {
  (void)user;
  memcpy(sim->stage.a, sim->stage.work.r, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->stage.work.lambda, sim->room.rhs, (size_t)sim->sys->rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->stage.a, sim->stage.work.lambda);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  return hn_penalty_accelerate(sim, sim->method.solver_data, solve);
}

const hn_solver_type hn_solver_penalty = {
    .info = {.name = "penalty",
             .help = "constraints as stiff damped springs with mass, accurate to 1/penalty",
             .keys = "penalty omega mu",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL | HN_IS_COMPLIANT,
    .layout = layout,
    .accelerate = accelerate,
};
