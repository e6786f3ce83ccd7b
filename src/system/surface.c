// surface.c: distances from simple things.
//
// A distance r = |x| from a point, in as many of the axes as count, has the gradient e = x / r and
// the second derivatives (1 - e e^T) / r. Distances from a segment and from a box are such
// distances from the point of it that is nearest; where that is a face, one axis counts.
#include "system/surface.h"

#include <math.h>
#include <string.h>

// distance of x from zero, `counts` saying in which axes. At zero there is no direction: the
// gradient is zero there, not undefined
static void from_zero(const double x[3], const int counts[3], int level, hn_surface_at *o) {
  double square = 0, e[3];
  int axes = 0;
  for (int i = 0; i < 3; i++)
    if (counts[i]) square += x[i] * x[i], axes++;
  double r = sqrt(square);
  o->value = r;
  if (level < 1) return;
  for (int i = 0; i < 3; i++) o->gradient[i] = e[i] = counts[i] && r > 0 ? x[i] / r : 0;
  if (level < 2) return;
  memset(o->hessian, 0, sizeof o->hessian);
  if (!(r > 0) || axes < 2) return;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (counts[i] && counts[j]) o->hessian[3 * i + j] = ((i == j) - e[i] * e[j]) / r;
}

static void centre(const double *data, const double p[3], int level, hn_surface_at *o) {
  (void)data;
  from_zero(p, (int[3]){1, 1, 1}, level, o);
}

static void axis(const double *data, const double p[3], int level, hn_surface_at *o) {
  (void)data;
  from_zero(p, (int[3]){1, 1, 0}, level, o);
}

static void plane(const double *data, const double p[3], int level, hn_surface_at *o) {
  (void)data, (void)level;
  *o = (hn_surface_at){.value = p[2], .gradient = {0, 0, 1}};
}

// Beyond an end all three axes count, beside it the two across.
static void segment(const double *data, const double p[3], int level, hn_surface_at *o) {
  double end = p[0] < 0 ? 0 : p[0] > data[0] ? data[0] : p[0];
  double x[3] = {p[0] - end, p[1], p[2]};
  from_zero(x, (int[3]){p[0] < 0 || p[0] > data[0], 1, 1}, level, o);
}

// inside, the distance from the nearest face, below zero
static void inside_box(const double *data, const double p[3], hn_surface_at *o) {
  int face = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(p[i]) - data[i] > fabs(p[face]) - data[face]) face = i;
  *o = (hn_surface_at){.value = fabs(p[face]) - data[face]};
  o->gradient[face] = p[face] < 0 ? -1 : 1;
}

// Outside, the axes in which the point is beyond the box count: one before a face, two at an edge,
// three at a corner.
static void box(const double *data, const double p[3], int level, hn_surface_at *o) {
  double x[3];
  int counts[3], any = 0;
  for (int i = 0; i < 3; i++) {
    counts[i] = fabs(p[i]) > data[i];
    x[i] = counts[i] ? p[i] - copysign(data[i], p[i]) : 0;
    any |= counts[i];
  }
  if (any)
    from_zero(x, counts, level, o);
  else
    inside_box(data, p, o);
}

const hn_surface hn_surface_centre = {"sphere", centre};
const hn_surface hn_surface_axis = {"cylinder", axis};
const hn_surface hn_surface_plane = {"plane", plane};
const hn_surface hn_surface_segment = {"capsule", segment};
const hn_surface hn_surface_box = {"box", box};
