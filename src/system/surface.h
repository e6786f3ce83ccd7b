// surface.h: surfaces fixed in a body, as functions of a point near them.
//
// s(p) is the distance of the point p, in the axes of the surface, from a point, line, plane or
// curve; with its gradient n and second derivatives. A ball about p touches what stands off by its
// radius. One measure (HN_M_SURFACE) and one force (forces/contact.c) serve them all.
#ifndef HN_SURFACE_H
#define HN_SURFACE_H

typedef struct hn_surface_at {
  double value, gradient[3], hessian[9];
} hn_surface_at;

typedef struct hn_surface {
  const char *name;
  // level 0: value; 1: + gradient; 2: + hessian. data: numbers that say its size
  void (*eval)(const double *data, const double p[3], int level, hn_surface_at *o);
} hn_surface;

extern const hn_surface hn_surface_centre;   // |p|
extern const hn_surface hn_surface_axis;     // distance from the z axis
extern const hn_surface hn_surface_plane;    // z
extern const hn_surface hn_surface_segment;  // from the points (x, 0, 0), 0 <= x <= data[0]
extern const hn_surface hn_surface_box;      // from a box with half edges data[0..2] about 0

#endif
