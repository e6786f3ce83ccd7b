// branches.h: the ways that lead out of a singular place.
//
// Where rows are dependent for an instant, J leaves more motions z than the mechanism has. Of these
// only some go on: the equation J a = gamma(z), which is quadratic in z, must have a solution. Such
// z are the directions of branches.
#ifndef HN_BRANCHES_H
#define HN_BRANCHES_H

#include "sim/sim.h"

enum { HN_BRANCHES = 3 };  // directions there is room for

typedef struct hn_place {
  hn_sim *sim;
  const hn_system *sys;
  double t;
  const double *q;
  double *y;                                                   // a state and its derivative: 2 n
  double *D, *a, *x, *m, *z[HN_BRANCHES], *rest[HN_BRANCHES];  // nv each; rows each
} hn_place;

void hn_place_layout(hn_place *place, hn_arena *arena);

// largest number of a velocity, in radians and lengths of the model
double hn_place_speed(const hn_place *place, const double *v);
void hn_place_scale(const hn_place *place, double s, double *v);
// the product by the masses at the state last evaluated
double hn_place_inner(const hn_place *place, const double *a, const double *b);

// what stays of J a = gamma(z), the largest number of it in units of the model; z as velocities.
// rest (rows) is what it is of each row
double hn_place_remains(const hn_place *place, const double *z, double *rest);

// brings positions q (nq), then velocities v onto the rows at time t; false: they do not get there
bool hn_place_close(const hn_place *place, double t, double *q);
void hn_place_join(const hn_place *place, double t, const double *q, double *v);

// directions in place->z; how many there are. One row is lost, one degree of freedom and nothing
// driven: z[0], a motion that J leaves, is given, and none means that there is none
int hn_two_branches(const hn_place *place);
// any other place: those that are met from several sides, where drivers have got to after h seconds
// (0: there are none)
int hn_some_branches(const hn_place *place, double h);
// "A.angle 1, B.angle -2": rates along a branch
void hn_name_branch(const hn_place *place, const double *z, char *text, size_t size);

#endif
