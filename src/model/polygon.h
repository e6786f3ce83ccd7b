// polygon.h: areas in a plane with straight edges, and their moments.
#ifndef HN_POLYGON_H
#define HN_POLYGON_H

#include "base/base.h"

enum { HN_POLYGON_CORNERS = 2000 };  // of outline and holes

// x and y of each corner, either way round; the corners of the holes one after the other
typedef struct hn_polygon {
  const double *outline;
  int count;
  const double *holes;
  const int *hole_corners;
  int hole_count;
} hn_polygon;

// the outline (0) or a hole (1 ...) and its number of corners; NULL past the last
const double *hn_polygon_loop(const hn_polygon *p, int index, int *count);

// edges that cross or touch, holes that are not inside: HN_ERR_MODEL and why
hn_status hn_polygon_check(const hn_polygon *p, char message[HN_MESSAGE]);

// the integral of (x - origin)^i (y - origin)^j over the area; exact but for rounding up to
// i + j = 4
double hn_polygon_moment(const hn_polygon *p, const double origin[2], int i, int j);

#endif
