// shape_surface.c: shapes as triangles, for what draws nothing else.
//
// What is turned about an axis gets SIDES sides. Areas are cut into trapezoids between the heights
// of their corners, which needs no luck with holes.
//
// Corners are found by their place (model/trimesh.h), so that surfaces are closed; triangles
// without area fall away there. The content of a surface is compared with that of the shape by a
// test.
#include "io/shape_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "model/polygon.h"
#include "model/shape.h"

enum { SIDES = 32 };

static const double pi = 3.14159265358979323846;

typedef struct builder {
  hn_trimesh_finder find;
  double R[9], p[3];  // from the shape's axes to those of the body
  bool failed;
} builder;

// Failures are remembered and end everything at the next triangle.
static int corner(builder *b, double x, double y, double z) {
  double at[3], here[3] = {x, y, z};
  m3_mulv(at, b->R, here);
  v3_add(at, at, b->p);
  int n = hn_trimesh_corner(&b->find, at);
  b->failed = b->failed || n < 0;
  return n;
}

static void triangle(builder *b, int i, int j, int k) {
  if (!b->failed) b->failed = !hn_trimesh_triangle(b->find.mesh, i, j, k);
}

// counter-clockwise seen from outside
static void quad(builder *b, int i, int j, int k, int l) {
  triangle(b, i, j, k);
  triangle(b, i, k, l);
}

// ---- round about z -------------------------------------------------------------------------

// a line of distances from the axis and heights, turned; counter-clockwise in that plane, the
// outside is on its right
// Where a point lies on the axis one triangle of each quad has no area.
static void turn_line(builder *b, const double *line, int count, bool closed) {
  for (int k = 0; k + !closed < count; k++) {
    const double *p = line + 2 * k, *q = line + 2 * ((k + 1) % count);
    for (int i = 0; i < SIDES && (p[0] > 0 || q[0] > 0); i++) {
      double a = 2 * pi * i / SIDES, e = 2 * pi * ((i + 1) % SIDES) / SIDES;
      quad(b, corner(b, p[0] * hn_cos(a), p[0] * hn_sin(a), p[1]),
           corner(b, p[0] * hn_cos(e), p[0] * hn_sin(e), p[1]),
           corner(b, q[0] * hn_cos(e), q[0] * hn_sin(e), q[1]),
           corner(b, q[0] * hn_cos(a), q[0] * hn_sin(a), q[1]));
    }
  }
}

// two halves of a ball with a cylinder between them
// STEPS along a quarter circle from each pole to its equator; a sphere is a capsule of no length.
static void capsule(builder *b, double r, double length) {
  enum { STEPS = 8 };
  double line[4 * (STEPS + 1)];
  for (int k = 0; k <= STEPS; k++) {
    double a = pi / 2 * k / STEPS;
    double *low = line + 2 * k, *high = line + 2 * (2 * STEPS + 1 - k);
    low[0] = high[0] = k ? r * hn_sin(a) : 0;
    low[1] = -length / 2 - r * hn_cos(a), high[1] = length / 2 + r * hn_cos(a);
  }
  turn_line(b, line, 2 * (STEPS + 1), false);
}

// Cylinder, cone and tube by four corners; on the axis the line is open.
static void barrel(builder *b, double inner, double radius, double end, double length) {
  const double h = length / 2, outline[8] = {inner, -h, radius, -h, end, h, inner, h};
  turn_line(b, outline, 4, inner > 0);
}

// Clockwise outlines are taken backwards.
static void revolution(builder *b, const hn_shape_def *s) {
  double *line = malloc(2 * (size_t)s->outline_count * sizeof *line), area = 0;
  int n = s->outline_count;
  if (!line) {
    b->failed = true;
    return;
  }
  for (int i = 0, j = n - 1; i < n; j = i++)
    area += s->outline[2 * j] * s->outline[2 * i + 1] - s->outline[2 * i] * s->outline[2 * j + 1];
  for (int i = 0; i < n; i++)
    memcpy(line + 2 * i, s->outline + 2 * (area < 0 ? n - 1 - i : i), 2 * sizeof *line);
  turn_line(b, line, n, true);
  free(line);
}

// ---- areas ---------------------------------------------------------------------------------

typedef struct edge {
  double a[2], b[2];  // a below b
  double at;          // where it crosses the middle of the band
} edge;

static int by_at(const void *p, const void *q) {
  double a = ((const edge *)p)->at, b = ((const edge *)q)->at;
  return (a > b) - (a < b);
}

static int by_value(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}

// Exact at the ends, so that neighbouring bands have the same corners.
static double x_at(const edge *e, double y) {
  if (y == e->a[1]) return e->a[0];
  if (y == e->b[1]) return e->b[0];
  return e->a[0] + (e->b[0] - e->a[0]) * (y - e->a[1]) / (e->b[1] - e->a[1]);
}

// between two edges, over the band from low to high: top and bottom of the plate
static void trapezoid(builder *b, const edge *l, const edge *r, double low, double high, double h) {
  double x[4] = {x_at(l, low), x_at(r, low), x_at(r, high), x_at(l, high)};
  double y[4] = {low, low, high, high};
  for (int side = -1; side <= 1; side += 2) {
    int c[4];
    for (int k = 0; k < 4; k++) c[k] = corner(b, x[k], y[k], side * h);
    if (side > 0)
      quad(b, c[0], c[1], c[2], c[3]);
    else
      quad(b, c[3], c[2], c[1], c[0]);
  }
}

// Bands between heights of corners have no corner inside: edges cross them from bottom to top, and
// sorted along x they bound inside and outside in turn.
static void fill(builder *b, const edge *all, int count, const double *height, double h,
                 edge *band) {
  for (int i = 0; i + 1 < 2 * count; i++) {
    double low = height[i], high = height[i + 1];
    int n = 0;
    if (!(high > low)) continue;
    for (int k = 0; k < count; k++)
      if (all[k].a[1] <= low && all[k].b[1] >= high) {
        band[n] = all[k];
        band[n++].at = x_at(&all[k], 0.5 * (low + high));
      }
    qsort(band, (size_t)n, sizeof *band, by_at);
    for (int k = 0; k + 1 < n; k += 2) trapezoid(b, &band[k], &band[k + 1], low, high, h);
  }
}

// walls of one loop; `inward`: what is enclosed is left out
// The outline's walls face outwards, those of holes into the hole.
static void walls(builder *b, const double *loop, int count, double h, bool inward) {
  double area = 0;
  for (int i = 0, j = count - 1; i < count; j = i++)
    area += loop[2 * j] * loop[2 * i + 1] - loop[2 * i] * loop[2 * j + 1];
  for (int i = 0; i < count; i++) {
    const double *p = loop + 2 * i, *q = loop + 2 * ((i + 1) % count);
    if ((area < 0) != inward) p = loop + 2 * ((i + 1) % count), q = loop + 2 * i;
    quad(b, corner(b, p[0], p[1], -h), corner(b, q[0], q[1], -h), corner(b, q[0], q[1], h),
         corner(b, p[0], p[1], h));
  }
}

// Edges twice HN_POLYGON_CORNERS: the second half is room for a band.
static void extrusion(builder *b, const hn_shape_def *s) {
  const hn_polygon p = {s->outline, s->outline_count, s->holes, s->hole_corners, s->hole_count};
  const double *loop, h = s->shape.length / 2;
  int n = 0, count;
  edge *all = malloc(2 * HN_POLYGON_CORNERS * sizeof *all);
  double *height = malloc(2 * HN_POLYGON_CORNERS * sizeof *height);
  for (int k = 0; all && height && (loop = hn_polygon_loop(&p, k, &count)); k++) {
    walls(b, loop, count, h, k > 0);
    for (int i = 0; i < count; i++) {
      const double *from = loop + 2 * i, *to = loop + 2 * ((i + 1) % count);
      bool up = from[1] < to[1];
      memcpy(all[n].a, up ? from : to, sizeof all[n].a);
      memcpy(all[n].b, up ? to : from, sizeof all[n].b);
      height[2 * n] = from[1], height[2 * n + 1] = to[1];
      n++;
    }
  }
  if (all && height) {
    qsort(height, 2 * (size_t)n, sizeof *height, by_value);
    fill(b, all, n, height, h, all + HN_POLYGON_CORNERS);
  }
  b->failed = b->failed || !all || !height;
  free(all), free(height);
}

// ---- any of them ---------------------------------------------------------------------------

static void box(builder *b, const double size[3]) {
  const double x = size[0] / 2, y = size[1] / 2;
  const double outline[8] = {-x, -y, x, -y, x, y, -x, y};
  extrusion(b,
            &(hn_shape_def){.shape = {.length = size[2]}, .outline = outline, .outline_count = 4});
}

// An odd number of negative factors turns the triangles round.
static void mesh(builder *b, const hn_model *model, const hn_shape_def *s) {
  const hn_model_mesh *known = hn_shape_mesh(model, s);
  double f[3] = {1, 1, 1};
  if (hn_largest(s->scale, 3) > 0) v3_copy(f, s->scale);
  bool turned = f[0] * f[1] * f[2] < 0;
  for (int i = 0; known && i < known->mesh.triangles && !b->failed; i++) {
    int c[3];
    for (int k = 0; k < 3; k++) {
      const double *x = known->mesh.corner[known->mesh.triangle[i][k]];
      c[k] = corner(b, f[0] * x[0], f[1] * x[1], f[2] * x[2]);
    }
    triangle(b, c[0], c[turned ? 2 : 1], c[turned ? 1 : 2]);
  }
}

static void build(builder *b, const hn_model *model, const hn_shape_def *s) {
  double r = hn_shape_radius(&s->shape), l = s->shape.length;
  switch (s->shape.kind) {
  case HN_SHAPE_BOX: box(b, s->shape.size); break;
  case HN_SHAPE_SPHERE: capsule(b, r, 0); break;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_ROD: barrel(b, 0, r, r, l); break;
  case HN_SHAPE_TUBE: barrel(b, s->inner_radius, r, r, l); break;
  case HN_SHAPE_CAPSULE: capsule(b, r, l); break;
  case HN_SHAPE_CONE: barrel(b, 0, r, s->end_radius, l); break;
  case HN_SHAPE_EXTRUSION: extrusion(b, s); break;
  case HN_SHAPE_REVOLUTION: revolution(b, s); break;
  case HN_SHAPE_MESH:
  case HN_SHAPE_HULL: mesh(b, model, s); break;
  case HN_SHAPE_NONE: break;
  }
}

hn_status hn_shape_surface(hn_trimesh *out, const hn_model *model, const hn_shape_def *s) {
  *out = (hn_trimesh){0};
  builder b = {.find = {.mesh = out}};
  hn_shape_axes(s, b.R);
  v3_copy(b.p, s->position);
  build(&b, model, s);
  free(b.find.slot);
  if (!b.failed) return HN_OK;
  hn_trimesh_free(out);
  return HN_ERR_MEMORY;
}
