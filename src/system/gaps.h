// gaps.h: the gaps that a contact or a joint with clearance has; joints make rows of them that come
// and go, forces press where they are closed.
//
//   contact                 a ball about the point of b (radius 0: the point) and a surface of a;
//                           or a block or hull and a plane: every corner; before a box or hull
//                           these and its own
//   clearance-spherical     ball in a socket: g = c - |e|
//   clearance-revolute      journal in a bearing: in the plane the same. In space both ends of a
//                           journal of length L, e across the axis of a; and its shoulders
//   clearance-cylindrical   the same without shoulders
//   clearance-prismatic     block in a guide: every corner before the wall on its side
#ifndef HN_GAPS_H
#define HN_GAPS_H

#include "system/build.h"

enum { HN_MOST_GAPS = 64, HN_MOST_SPOKES = 16, HN_MOST_EDGES = 8 };

// g = sign (s - offset), s the distance of the point of b from a surface of a
typedef struct hn_gap {
  char label[16];
  hn_mount a, b;
  const hn_surface *surface;
  const double *size;
  double sign, offset;
  double arm;  // radius of what rubs about the point of b
  double rim;  // b is a wheel about z of its mount: radius of the circle that the ball is led along
  // a point, or a corner, before a solid with faces (polytope.h); of a corner the directions of its
  // edges in axes of b
  const double *solid;
  const double *other;  // edges that cross: the solid on b, in the axes of this mount
  int spokes;
  double spoke[HN_MOST_SPOKES][3];
} hn_gap;

// what the definitions of joints and forces say of it
typedef struct hn_gaps_def {
  const char *type;
  double clearance, axial_clearance, length, height, width;
  double radius, radius_a;
  const double *axis;   // 0 when not given
  const char *surface;  // NULL: plane
  const double *size;   // of a box, 3 numbers
  bool inside;
  const double *points;  // of a curve, x and y of each
  int point_count;       // numbers
  bool closed;
  const double *grid_x, *grid_y, *heights;  // of a terrain
  int grid_x_count, grid_y_count;
  double rim;
  const double *axis_b;
  bool hull;
} hn_gaps_def;
// joints and forces have keys of the same names
#define HN_GAPS_OF(def)                                                                            \
  {                                                                                                \
    .type = (def)->type, .clearance = (def)->clearance, .axial_clearance = (def)->axial_clearance, \
    .length = (def)->length, .height = (def)->height, .width = (def)->width,                       \
    .radius = (def)->radius, .radius_a = (def)->radius_a, .axis = (def)->axis,                     \
    .surface = (def)->surface, .size = (def)->size, .inside = (def)->inside,                       \
    .points = (def)->points, .point_count = (def)->point_count, .closed = (def)->closed,           \
    .grid_x = (def)->grid_x, .grid_y = (def)->grid_y, .heights = (def)->heights,                   \
    .grid_x_count = (def)->grid_x_count, .grid_y_count = (def)->grid_y_count, .rim = (def)->rim,   \
    .axis_b = (def)->axis_b, .hull = (def)->hull                                                   \
  }

typedef struct hn_gaps {
  int count;
  hn_gap gap[HN_MOST_GAPS];
  hn_mount a, b;  // the point of b in the axes of a is where the joint stands
  // by which Hertz's stiffness is found: of b, and of a (0: plane, below zero: hollow; NAN:
  // neither)
  double radius, other;
} hn_gaps;

// false after a failure
bool hn_gaps_find(hn_builder *builder, const hn_gaps_def *def, hn_gaps *out);
// the measure s of a gap
int hn_gap_measure(hn_builder *builder, const hn_gap *gap);

#endif
