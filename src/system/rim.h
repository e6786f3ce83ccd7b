// rim.h: the point of a wheel's rim that is nearest to a surface.
//
// The rim is the circle p + r(phi) about an axis, r' = axis x r. Its distance F from the surface is
// the least s(p + r(phi)): by phi it does not change there, so that to first order the rim's
// nearest point counts as one fixed to the wheel, and to second order
//
//   F'' = s'' - (s_phi')^2 / s_phiphi
//
// with s'' and s_phi' at constant phi.
#ifndef HN_RIM_H
#define HN_RIM_H

#include "system/surface.h"

typedef struct hn_rim {
  double arm[3], along[3];  // r and r', axes of the surface
  double bend;              // s_phiphi; zero where it is not told which point is nearest
  hn_surface_at s;          // of the surface at this point
} hn_rim;

// about p, axes of the surface; the axis has length one
void hn_rim_find(const hn_surface *surface, const double *size, const double p[3],
                 const double axis[3], double radius, hn_rim *o);

// how that point moves, and its arm, where p does (dp) and the wheel turns; all zero in *o: of a
// ball
void hn_rim_change(const hn_rim *o, const double dp[3], const double turn[3], double de[3],
                   double arm[3]);

#endif
