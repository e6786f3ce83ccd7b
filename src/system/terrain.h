// terrain.h: ground given by its heights over a grid, as a surface: the distance of a point from
// it, positive above, in the axes of the grid.
//
// Between the points lies the bicubic spline through them: two cubic splines across each other
// (model/series.h), as smooth as its second derivatives. Beyond its border the ground goes on
// straight, so that what looks there in the middle of a step finds something; nobody is to come
// there (hn_terrain_beyond).
#ifndef HN_TERRAIN_H
#define HN_TERRAIN_H

#include "system/surface.h"

#include <holon/status.h>

#include <stdbool.h>
#include <stddef.h>

// x and y ascend, two of each at least; heights row by row, those of y[0] first
typedef struct hn_grid {
  int nx, ny;
  const double *x, *y, *height;
} hn_grid;

// numbers of its spline; 0: more than can be counted
size_t hn_terrain_size(const hn_grid *grid);
hn_status hn_terrain_fit(const hn_grid *grid, double *data);  // HN_ERR_MEMORY
// by how much a point is beyond the border of the grid; zero or less within
double hn_terrain_beyond(const double *data, const double p[3]);
// the least radius of curvature of the hollows, looked for on a finer grid; where it is. What is
// rounder touches in two places
double hn_terrain_hollow(const double *data, double where[2]);
double hn_terrain_height(const double *data, double x, double y);

extern const hn_surface hn_surface_terrain;

#endif
