// beam_curve.h: the line that a beam follows.
#ifndef HN_BEAM_CURVE_H
#define HN_BEAM_CURVE_H

#include "base/base.h"

// straight, a circular arc, or cubic pieces through the points with the slopes of parabolas through
// three neighbours each
typedef struct hn_curve {
  const double *point;
  int count;
  double *slope;  // per point, by chord length
  double *start;  // per point: arc length up to it
  double length;  // of all
  bool arc;
  double centre[3], u[3], w[3], radius, angle;  // of an arc: centre + r (cos u + sin w)
} hn_curve;
typedef enum hn_curve_fault { HN_CURVE_FINE, HN_CURVE_NO_MEMORY, HN_CURVE_NO_ARC } hn_curve_fault;

// through `count` points, three numbers each, which stay the caller's
hn_curve_fault hn_curve_open(hn_curve *c, const double *points, int count, bool arc);
void hn_curve_close(hn_curve *c);
// place and unit tangent at arc length s
void hn_curve_at(const hn_curve *c, double s, double p[3], double t[3]);

#endif
