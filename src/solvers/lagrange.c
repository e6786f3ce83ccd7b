// lagrange.c: multipliers.
//
//   M a = f + J^T lambda,  J a = gamma
//
// The constraints are imposed on accelerations only; violations are neither caused nor removed.
#include "solvers/solvers.h"

static hn_status accelerate(hn_sim *sim) {
  return hn_solve_saddle(sim, sim->stage.work.gamma);
}

const hn_solver_type hn_solver_lagrange = {
    .info = {.name = "lagrange",
             .help = "multipliers: exact accelerations and reactions",
             .keys = "",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .accelerate = accelerate,
};
