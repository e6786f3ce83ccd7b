// velocity.h: the unconstrained motion that velocity-level steppers start from.
#ifndef HN_VELOCITY_H
#define HN_VELOCITY_H

#include "integrators/implicit/iteration_matrix.h"
#include "integrators/integrators.h"

// velocity_free.c: M v' = f over one step by the integrator that the option stepper_free names
typedef struct hn_free_motion {
  const hn_tableau *tableau;  // an explicit formula; NULL: an implicit one
  double theta;               // of that: weight of the end of the step
  double *loose;              // compliance that leaves all rows out
  double *a0, *a1, *d;        // implicit: accelerations at both ends, increment of the positions
  double *change;
  hn_state_rule rule;  // implicit: of states of first order, with the same theta
  double *constant;
  hn_iteration it;
} hn_free_motion;

void hn_free_layout(hn_sim *sim, hn_free_motion *f, hn_arena *arena);
hn_status hn_free_create(hn_sim *sim, hn_free_motion *f);
// false: v* only takes the forces at the start of the step, which the stepper needs anyway
bool hn_free_is_euler(const hn_free_motion *f);
// the state after a step h without constraints, in sim->step.y_stage
hn_status hn_free_step(hn_sim *sim, hn_free_motion *f, double h);
// abilities these options take away from steppers that have the option stepper_free
unsigned hn_free_without(const hn_options *o);

#endif
