// solvers.h: acceleration solvers, one file each, one row in table.c.
#ifndef HN_SOLVERS_H
#define HN_SOLVERS_H

#include "sim/sim.h"

extern const hn_solver_type hn_solver_lagrange, hn_solver_baumgarte, hn_solver_baumgarte_step,
    hn_solver_baumgarte_adaptive, hn_solver_baumgarte_integral, hn_solver_baumgarte_energy,
    hn_solver_baumgarte_sliding, hn_solver_penalty, hn_solver_augmented_lagrangian,
    hn_solver_udwadia_kalaba, hn_solver_null_space, hn_solver_pseudoinverse, hn_solver_partition,
    hn_solver_hamiltonian, hn_solver_embedded, hn_solver_removal, hn_solver_baumgarte_rule,
    hn_solver_baumgarte_hamiltonian;

// rhs = gamma - 2 alpha psi - beta^2 Phi in holonomic rows, gamma - rate psi in the others
void hn_feedback(const hn_sim *sim, double alpha, double beta, double rate, double *rhs);
// feedback that remembers: a number per row in solver_data, and behind them what these were before
// the last step; phi and psi of the state (t, y), asked at the ends of steps
void hn_feedback_layout(hn_sim *sim, hn_arena *arena);
void hn_feedback_sample(hn_sim *sim, double t, const double *y);
// before a step changes the numbers: keeps them; the step was taken back: they are as they were
void hn_feedback_keep(hn_sim *sim);
void hn_feedback_take_back(hn_sim *sim);
enum {
  HN_FEEDBACK_CAN = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS |
                    HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_NATURAL
};

// the option, or the value most papers take
double hn_penalty(const hn_sim *sim);
// D = 1 / (penalty * hn_row_weight), rows numbers
void hn_penalty_compliance(const hn_sim *sim, double *D);
// Omega and mu of the row's joint, or else the options'
typedef struct hn_row_gains {
  double omega, mu;
} hn_row_gains;
hn_row_gains hn_penalty_gains(const hn_sim *sim, int row);
// rhs = gamma - 2 Omega mu psi - Omega^2 Phi, Omega and mu of the row's joint; the last in
// holonomic rows only
void hn_penalty_feedback(const hn_sim *sim, double *rhs);
// accelerations by `solve` of the system with compliances D and that right-hand side
hn_status hn_penalty_accelerate(hn_sim *sim, const double *D, hn_solve_fn solve);

// right-hand side of the constraints in Udwadia and Kalaba's equations: gamma, with Baumgarte's
// feedback where the option uk_feedback asks for it
void hn_uk_rows(const hn_sim *sim, double *gamma);

// rows that are independent of each other: at the start, and of those that come and go the ones
// that bear. A violation, however small, makes the rows of an overconstrained mechanism independent
// and would lock it: more are never used
int hn_independent_rows(const hn_sim *sim);

#endif
