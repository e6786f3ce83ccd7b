// sides.h: states in which a force is about to switch, and places in which joints lose rows.
//
// At a kink (a stop that just touches, abs(x) at 0, a damper that is stiffer one way) the
// derivatives of the forces are those of one side or another. Small random displacements (and
// velocities) in the free directions show which sides meet there; held on each of them, the forces
// are smooth.
#ifndef HN_SIDES_H
#define HN_SIDES_H

#include "analysis/manifold.h"

enum { HN_SIDES = 16 };  // most that are told apart

// a side is a row of `pattern`: for every switching function whether it is positive
typedef struct hn_sides {
  int count;      // sides that meet here; 1: smooth
  int switches;   // forces or formulas that switch here
  bool *pattern;  // count x sys->switches; NULL when there are none
  double *way;    // count x nv: a displacement that leads to each
} hn_sides;

// U: basis of n free directions, vector after vector; `moving`: velocities are varied too. The
// state q, v stays; false: out of memory
bool hn_sides_find(hn_sides *sides, hn_manifold *m, double t, const double *q, const double *v,
                   const double *U, int n, bool moving);
void hn_sides_release(hn_sides *sides);
// the side a displacement leads to; -1: none of them
int hn_sides_towards(const hn_sides *sides, hn_manifold *m, double t, const double *q,
                     const double *v, const double *d);

// rows that are independent nearby and dependent here, -1 when the joints close nowhere nearby: a
// singular place, in which not all free directions are those of motions. The work space is at (t,
// q) again afterwards
int hn_rows_lost(hn_manifold *m, double t, const double *q);

#endif
