// augmented.h: the step of the augmented Lagrangian of index 3, shared by the steppers built on it.
#ifndef HN_AUGMENTED_H
#define HN_AUGMENTED_H

#include "integrators/implicit/iteration_matrix.h"
#include "integrators/integrators.h"
#include "linalg/dense.h"

// a change of the unknowns with its multipliers and what it does to the rows
enum { HN_AUGMENTED_KEPT = 12 };
typedef struct hn_augmented_update {
  double *x, *l, *y;
  double *z;    // what was to be taken from the rows; y is taken
  double rest;  // how much of what is missing went into it
  double part;  // of it that was taken
} hn_augmented_update;

typedef struct hn_augmented {
  hn_iteration matrix;
  double *a, *lambda;          // at the current state
  double *a_old, *lambda_old;  // at the start of the last step
  double power, power_old;     // of forces without potential
  double *d;                   // position increment of the step
  double *x, *force, *l;       // scratch: nv, nv, rows
  double *size;                // inertia each row sees, inverted; scratch
  double *missing;             // what the rows lack, rows
  double scale;                // D = scale * Xi^-1, without the penalty in Xi
  double least;                // part of a violation that one update takes away, at least
  bool known;                  // lambda is near that of the end of the step
  // two terms: Phi + tau Phi' = 0 in place of Phi = 0 and projections; 0: one term
  double tau;
  bool accelerations;  // are the unknowns: the matrix has no tangents of forces
  hn_augmented_update kept[HN_AUGMENTED_KEPT];
  // states of first order: by the trapezoidal rule as well
  hn_state_rule rule;
  double *constant;
} hn_augmented;

void hn_augmented_layout(hn_augmented *s, hn_arena *arena, const hn_system *sys);
// takes accelerations and multipliers from sim->stage.ydot, work.lambda, which belong to the state
hn_status hn_augmented_take(hn_sim *sim, hn_augmented *s);
// makes sure that they are known before a step; stage[0] becomes the derivative
hn_status hn_augmented_begin(hn_sim *sim, hn_augmented *s);
// one step h from (sim->state.t, sim->state.y) to y, accelerations and multipliers with it
hn_status hn_augmented_step(hn_sim *sim, hn_augmented *s, double h, double *y);
// the same for a step so short that Newton's iteration would only find rounding
hn_status hn_augmented_short(hn_sim *sim, hn_augmented *s, double h);
void hn_augmented_undo(hn_augmented *s, const hn_system *sys);
// makes y the current state
hn_status hn_augmented_accept(hn_sim *sim, hn_augmented *s, double h, double *y);
// those at time work.t, between the ends of the last step, into sim->stage.a and work.lambda
void hn_augmented_reactions(hn_sim *sim, const hn_augmented *s);

#endif
