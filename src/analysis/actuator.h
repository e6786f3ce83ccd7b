// actuator.h: forces along a measure whose effort is found in place of being given.
#ifndef HN_ACTUATOR_H
#define HN_ACTUATOR_H

#include "analysis/manifold.h"
#include "forces/law.h"

// `along` points into the batches of the system, which outlives it; `name` is the force's
typedef struct hn_actuator {
  const char *name;
  const hn_along *along;
} hn_actuator;

// a motor, spring or torsion-spring by name; HN_ERR_ARGUMENT, and said so, when there is none
hn_status hn_actuator_find(hn_sim *sim, const char *name, hn_actuator *out);
// generalized force (nv) of a unit of effort at the state last evaluated
void hn_actuator_direction(const hn_actuator *actuator, hn_work *work, double *b);
// what its law says, and its rate: effort times rate is power
double hn_actuator_law(const hn_actuator *actuator, const hn_work *work);
double hn_actuator_rate(const hn_actuator *actuator, const hn_work *work);

// efforts (in place of the laws) and multipliers work.lambda for accelerations a at the state last
// evaluated by hn_eval_all; rows in m->skip carry nothing. Needs as many actuators as these rows
// leave free
hn_status hn_actuator_solve(hn_manifold *m, const double *a, int count, const hn_actuator *list,
                            double *effort);

#endif
