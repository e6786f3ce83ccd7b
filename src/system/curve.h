// curve.h: planar curves through points, as surfaces: the distance of a point from the curve, in
// the x-y plane of its axes.
//
// A cubic spline by the length of chords goes through the points; it is as smooth as its second
// derivatives. Closed curves go round, and the distance is positive outside. Open ones go on
// straight beyond their ends, and it is positive to the left of the way from point to point: above
// a road given from left to right.
#ifndef HN_CURVE_H
#define HN_CURVE_H

#include "system/surface.h"

#include <holon/status.h>

#include <stdbool.h>

// numbers of a spline through `count` points (x, y), at least two, of a closed curve three:
// hn_curve_size(count, closed) of them. HN_ERR_MODEL: two points that follow each other are the
// same
int hn_curve_size(int count, bool closed);
hn_status hn_curve_fit(const double *point, int count, bool closed, double *data);

extern const hn_surface hn_surface_curve;

#endif
