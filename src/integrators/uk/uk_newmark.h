// uk_newmark.h: the Udwadia-Kalaba equation of a step as a problem of least squares; the stepper
// and its optimisers share it.
#ifndef HN_UK_NEWMARK_H
#define HN_UK_NEWMARK_H

#include "integrators/integrators.h"
#include "linalg/dense_step.h"

typedef struct hn_uk {
  double h;                   // step under way
  double *a0, *a, *trial;     // accelerations at its start, best so far, being tried
  double *lambda;             // multipliers that belong to a, of least norm
  double *y;                  // state the accelerations lead to
  double *r, *r_trial, *rhs;  // residuals: up to nv + rows numbers; rhs also nv of the damping
  double *R;                  // basis of the null space of J, vector after vector
  double *x, *b;              // scratch: nv + rows each
  double *B;                  // derivative of the residual, column by column
  double *gamma;              // right-hand side of the constraints
  hn_cod rows;                // of J^T
  hn_cod step;                // of the damped normal problem
  double scale;               // weight of the dynamic rows
  int free, count;            // vectors in R; numbers in r
  double *rate_old, *rate;    // derivatives of the state at both ends of the step
  double power_old, power;    // of forces without potential and drivers, there
  hn_state_rule rule;         // of states of first order, by the same rule
  double *constant;
  unsigned long long seed;  // of the genetic algorithm
  double *genes, *cost;     // its population and room for a child
} hn_uk;

enum { HN_UK_POPULATION = 32 };

// everything at the state the accelerations a lead to, and a basis R there; u->lambda follows
void hn_uk_evaluate(hn_sim *sim, hn_uk *u, const double *a);
// r = [scale R^T (M a - f - J^T lambda); J a - gamma] at the state last evaluated; R may be older
void hn_uk_residual(hn_sim *sim, hn_uk *u, const double *a, double *r);
// gives dynamic rows and constraints numbers of one size, at the state last evaluated
void hn_uk_scale(hn_sim *sim, hn_uk *u);
// |r|^2 + regularisation |a - a0|^2
double hn_uk_cost(const hn_sim *sim, const hn_uk *u, const double *r, const double *a);
// the same for any accelerations, evaluated from nothing
double hn_uk_cost_of(hn_sim *sim, hn_uk *u, const double *a);

// optimisers: start from u->a, leave the best accelerations there
hn_status hn_uk_least_squares(hn_sim *sim, hn_uk *u, bool damped);
hn_status hn_uk_genetic(hn_sim *sim, hn_uk *u);

#endif
