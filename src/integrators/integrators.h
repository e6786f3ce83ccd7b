// integrators.h: time integrators, one file each, one row in table.c; and what several share.
#ifndef HN_INTEGRATORS_H
#define HN_INTEGRATORS_H

#include "sim/sim.h"

extern const hn_integrator_type hn_integrator_euler, hn_integrator_symplectic_euler,
    hn_integrator_heun, hn_integrator_rk4, hn_integrator_dopri5, hn_integrator_dop853,
    hn_integrator_abm, hn_integrator_velocity_hard, hn_integrator_velocity_baumgarte,
    hn_integrator_velocity_soft, hn_integrator_augmented_index3, hn_integrator_augmented_combined,
    hn_integrator_index1_bdf, hn_integrator_index2_bdf, hn_integrator_index3_bdf,
    hn_integrator_tangent_space_bdf, hn_integrator_partition_bdf;
extern const hn_integrator_type hn_integrator_uk_newmark, hn_integrator_velocity_augmented,
    hn_integrator_staggered, hn_integrator_moreau, hn_integrator_augmented_displacement,
    hn_integrator_augmented_acceleration;

// energy_momentum.c
extern const hn_integrator_type hn_integrator_energy_momentum, hn_integrator_energy_momentum_index2,
    hn_integrator_energy_decaying, hn_integrator_discrete_null_space;

// index3-newmark, -trapezoidal, -hht, -alpha, the same of index2, index1-alpha, tangent-space,
// implicit-partition, coordinate-split, maggi-perturbation, modified-state-space
enum { HN_ALPHAS = 14 };
extern const hn_integrator_type hn_integrator_alpha[HN_ALPHAS];

// adams-bashforth-2, -3, -4, adams-moulton-2, -3, -4
enum { HN_ADAMS = 6 };
extern const hn_integrator_type hn_integrator_adams[HN_ADAMS];

// ---- runge_kutta.c -------------------------------------------------------------------------

// out = y + h sum of c[j] k[j] over j < count <= HN_STAGES; y may be NULL (zero) or out itself
void hn_stage_sum(double *out, const double *y, double h, const double *c, double *const *k,
                  int count, int n);

// coefficients of an explicit formula: stage s is at t + c[s] h, y + h sum of a[s][j] k[j], the new
// state y + h sum of b[j] k[j]
typedef struct hn_tableau {
  int stages, width;  // numbers of a row of a
  const double *c, *a, *b;
} hn_tableau;
extern const hn_tableau hn_tableau_dopri5, hn_tableau_dop853;

// an explicit pair of formulas, one to step with and one to tell the error
typedef struct hn_embedded {
  int order;             // errors fall with h^order
  double slowest, most;  // factors by which the step may change at once
  double safety;         // part of the step that would just meet the tolerance
  double memory;         // weight of the last step's error in the choice of the next step
  double gap;            // the fraction of a step farthest from all stages
  double first;          // where the first stage inside the step lies
  int last;              // the stage evaluated at the new state
  bool late;             // it is not part of the error: evaluated when the step is accepted
  // stages after the first for a step h; leaves the new state in sim->step.y_new
  hn_status (*stages)(hn_sim *sim, double h);
  double (*error)(hn_sim *sim, double h);  // in units of the tolerance
} hn_embedded;

// one step of at most `limit` under error control
hn_status hn_embedded_step(hn_sim *sim, double limit, const hn_embedded *method);

// ---- states.c: states of first order in one-step implicit formulas --------------------------

// From here on evaluations of forces make states follow from the motion: x = x0 + h (before x0' +
// now x'), x0 and x0' those of y and its rates (NULL where before = 0). `constant`: room for as
// many numbers as there are states
void hn_states_follow(hn_sim *sim, hn_state_rule *rule, double *constant, double h, double before,
                      const double *y, const double *rate, double now);
// no longer; where they are goes to y, and their rates, if it is not NULL, to `rate`, both whole
// states of the run
void hn_states_settled(hn_sim *sim, double *y, double *rate);
// they stay as y has them
void hn_states_stand(hn_sim *sim, const double *y);

// accepts sim->step.y_new, whose derivative was evaluated last, and remembers how near it is to a
// singular configuration
hn_status hn_accept_fresh(hn_sim *sim, double h, const double *ydot_new);
// the failure of an adaptive integrator whose step fell to h
hn_status hn_step_failed(hn_sim *sim, hn_status status, double h);
// Implicit steppers with a fixed step divide rounding of the positions by h and h^2. Steps far
// shorter than wanted, as the search for an event makes them, are taken by the classical
// Runge-Kutta formula instead, whose error is below rounding there.
bool hn_is_short(const hn_sim *sim, double h);
hn_status hn_short_step(hn_sim *sim, double h);
// below this size a step is given up
double hn_smallest_step(const hn_sim *sim);

#endif
