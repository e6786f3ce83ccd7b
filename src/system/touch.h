// touch.h: where two solids are nearest to each other, or deepest in each other.
#ifndef HN_TOUCH_H
#define HN_TOUCH_H

#include <stdbool.h>

// a sphere (half[0]: its radius), a box (half of its edges) or a convex hull in some axes
typedef struct hn_solid {
  bool box;
  // numbers of a hull (polytope.h) about p in its axes; boxes have them, too, where there are hulls
  const double *hull;
  double half[3];
  double p[3], R[9];  // its middle, and its axes as columns
  double reach;       // radius of the ball about it
} hn_solid;

// A point of contact: the gap, below zero inside; its normal from the first to the second; and the
// points that are nearest to each other. The gap's rate is that of the points along the normal
typedef struct hn_near {
  double gap, normal[3];
  double on_a[3], on_b[3];
} hn_near;

enum { HN_NEAR_MOST = 32 };  // boxes have 8 at most
// points nearer than `margin`; returns how many
int hn_touch_solids(const hn_solid *a, const hn_solid *b, double margin, hn_near *out);
// the same of a plane through `point` and a solid, on the side of the normal
int hn_touch_plane(const double point[3], const double normal[3], const hn_solid *b, double margin,
                   hn_near *out);

// the same of hulls and boxes (touch_hulls.c), also with balls; each takes `hull`
int hn_touch_hulls(const hn_solid *a, const hn_solid *b, double margin, hn_near *out);
int hn_touch_hull_ball(const hn_solid *hull, const hn_solid *ball, double margin, hn_near *out);
int hn_touch_hull_plane(const double point[3], const double normal[3], const hn_solid *b,
                        double margin, hn_near *out);
// HN_NEAR_MOST of these at most, that bear as all of them do
int hn_touch_fewest(hn_near *all, int count, hn_near *out);

#endif
