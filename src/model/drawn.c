// drawn.c: what is drawn of a body of finite elements: triangles whose corners move with its
// deformation.
//
// With faces these are the surface. Without, bars stand between nodes that the stiffness couples;
// of solid elements it couples all nodes with each other, and a bar is drawn only where no third
// node, coupled with both ends, lies in the ball about them (Gabriel's rule): edges stay, diagonals
// do not.
#include "base/elementary.h"
#include "model/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/trimesh.h"

enum {
  MOST_NUMBERS = 150000,  // of shapes: more would be a dead weight in pages
  SIDES = 6               // of a bar
};
static const double slender = 0.012;  // radius of a bar, of the size of the body
static const double stout = 0.2;      // and at most of its length

typedef struct maker {
  const hn_finite_elements *e;
  const double *shape;  // one after the other, over all freedoms
  int shapes;
  const double *origin;
  int most;    // corners
  double bar;  // [m] radius
  hn_drawn *out;
} maker;

static bool make_room(hn_drawn *d, int corners, int triangles, int shapes) {
  // one more of each: nothing is not out of memory
  size_t n = (size_t)corners + 1;
  d->place = malloc(3 * n * sizeof *d->place);
  d->shape = malloc(3 * n * (size_t)(shapes + 1) * sizeof *d->shape);
  d->triangle = malloc(((size_t)triangles + 1) * sizeof *d->triangle);
  d->shapes = shapes;
  return d->place && d->shape && d->triangle;
}

// a corner that is fixed to a node, `off` from it
static void add_corner(const maker *m, int node, const double off[3]) {
  hn_drawn *d = m->out;
  int per = m->e->freedoms, all = per * m->e->nodes;
  // from the frame, as all shapes are
  double *place = d->place + 3 * d->corners;
  v3_add(place, m->e->place + 3 * node, off);
  v3_sub(place, place, m->origin);
  for (int k = 0; k < m->shapes; k++) {
    const double *u = m->shape + (size_t)k * (size_t)all + (size_t)(per * node);
    // shapes of one corner side by side: a page reads them so
    double *out = d->shape + 3 * ((size_t)d->corners * (size_t)m->shapes + (size_t)k), turn[3];
    v3_copy(out, u);
    if (per < 6) continue;
    // of nodes with rotations what stands off moves with them
    v3_cross(turn, u + 3, off);
    v3_add(out, out, turn);
  }
  d->corners++;
}

static void add_triangle(hn_drawn *d, int a, int b, int c) {
  int *t = d->triangle[d->triangles++];
  t[0] = a, t[1] = b, t[2] = c;
}

// ---- faces ---------------------------------------------------------------------------------

// corners of a thinned surface lie in cells, each taken for the node next to it
static int nearest_node(const hn_finite_elements *e, const double at[3]) {
  double least = INFINITY;
  int best = 0;
  for (int i = 0; i < e->nodes; i++) {
    double d[3];
    v3_sub(d, e->place + 3 * i, at);
    if (v3_dot(d, d) < least) least = v3_dot(d, d), best = i;
  }
  return best;
}

static hn_status draw_faces(const maker *m) {
  const hn_finite_elements *e = m->e;
  static const double nothing[3] = {0, 0, 0};
  hn_trimesh all = {0}, few = {0};
  hn_trimesh_finder finder = {.mesh = &all};
  bool ok = true;
  for (int i = 0; i < e->faces && ok; i++) {
    int corner[3];
    for (int k = 0; k < 3; k++) {
      // faces may name nodes that lie in one place
      corner[k] = hn_trimesh_corner(&finder, e->place + 3 * e->face[i][k]);
      ok = ok && corner[k] >= 0;
    }
    ok = ok && hn_trimesh_triangle(&all, corner[0], corner[1], corner[2]);
  }
  free(finder.slot);
  // a closed surface has half as many corners as triangles
  // no more corners than shapes allow; as it is where there are few
  ok = ok && !hn_trimesh_thin(&few, &all, all.corners > m->most ? m->most : all.triangles);
  ok = ok && make_room(m->out, few.corners, few.triangles, m->shapes);
  for (int i = 0; i < few.corners && ok; i++)
    add_corner(m, nearest_node(e, few.corner[i]), nothing);
  for (int i = 0; i < few.triangles && ok; i++)
    add_triangle(m->out, few.triangle[i][0], few.triangle[i][1], few.triangle[i][2]);
  hn_trimesh_free(&all), hn_trimesh_free(&few);
  return ok ? HN_OK : HN_ERR_MEMORY;
}

// ---- bars ----------------------------------------------------------------------------------

typedef struct pairs {
  int *start, *other;  // nodes coupled with each node
} pairs;

static bool couple(const hn_finite_elements *e, pairs *p) {
  int per = e->freedoms, count = 0;
  int *seen = malloc(((size_t)e->nodes + 1) * sizeof *seen);  // the node that last met it
  p->start = calloc((size_t)e->nodes + 1, sizeof *p->start);
  p->other = malloc(((size_t)e->K.start[e->K.n] + 1) * sizeof *p->other);
  bool ok = seen && p->start && p->other;
  for (int i = 0; ok && i < e->nodes; i++) seen[i] = -1;
  for (int i = 0; ok && i < e->nodes; i++) {
    // columns of node i: who is in them is coupled with i
    for (int k = e->K.start[per * i]; k < e->K.start[per * (i + 1)]; k++) {
      int j = e->K.row[k] / per;
      // once each; coupled by zeros is not coupled
      if (j == i || seen[j] == i || e->K.value[k] == 0) continue;
      seen[j] = i;
      p->other[count++] = j;
    }
    p->start[i + 1] = count;
  }
  free(seen);
  return ok;
}

// k sees i and j at a right angle or a wider one; the tolerance takes in corners of rectangles,
// whose diagonals go that way
static bool in_ball(const hn_finite_elements *e, int i, int j, int k) {
  double a[3], b[3];
  v3_sub(a, e->place + 3 * i, e->place + 3 * k);
  v3_sub(b, e->place + 3 * j, e->place + 3 * k);
  return v3_dot(a, b) <= 1e-9 * v3_norm(a) * v3_norm(b);
}

static bool is_edge(const hn_finite_elements *e, const pairs *p, int i, int j) {
  for (int x = p->start[i]; x < p->start[i + 1]; x++) {
    int k = p->other[x];
    if (k == j || !in_ball(e, i, j, k)) continue;
    // coupled with both
    for (int y = p->start[j]; y < p->start[j + 1]; y++)
      if (p->other[y] == k) return false;
  }
  return true;
}

static void add_bar(const maker *m, int i, int j) {
  double d[3], x[3], y[3];
  int first = m->out->corners;
  v3_sub(d, m->e->place + 3 * j, m->e->place + 3 * i);
  double length = v3_norm(d), r = fmin(m->bar, stout * length);
  // an axis along d, two across
  v3_scale(d, 1 / length, d);
  v3_perpendicular(x, d);
  v3_cross(y, d, x);
  for (int end = 0; end < 2; end++)
    for (int k = 0; k < SIDES; k++) {
      // a prism with six sides, each end fixed to its node
      double a = 2 * hn_pi * k / SIDES, off[3] = {0, 0, 0};
      v3_addto(off, r * hn_cos(a), x);
      v3_addto(off, r * hn_sin(a), y);
      add_corner(m, end ? j : i, off);
    }
  // sides, then both caps as fans
  for (int k = 0; k < SIDES; k++) {
    int a = first + k, b = first + (k + 1) % SIDES;
    add_triangle(m->out, a, b, b + SIDES);
    add_triangle(m->out, a, b + SIDES, a + SIDES);
  }
  for (int k = 1; k + 1 < SIDES; k++) {
    add_triangle(m->out, first, first + k + 1, first + k);
    add_triangle(m->out, first + SIDES, first + SIDES + k, first + SIDES + k + 1);
  }
}

// counts them; draws every `stride`-th when there is room
static int each_bar(const maker *m, const pairs *p, int stride) {
  int count = 0;
  for (int i = 0; i < m->e->nodes; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int j = p->other[k];
      double d[3];
      v3_sub(d, m->e->place + 3 * j, m->e->place + 3 * i);
      // each pair once, from its lower node
      if (j < i || !(v3_norm(d) > 0) || !is_edge(m->e, p, i, j)) continue;
      if (stride && count % stride == 0) add_bar(m, i, j);
      count++;
    }
  return count;
}

// diagonal of the box around all nodes
static double extent(const hn_finite_elements *e) {
  double low[3], high[3], d[3];
  v3_copy(low, e->place), v3_copy(high, e->place);
  for (int i = 0; i < 3 * e->nodes; i++) {
    low[i % 3] = fmin(low[i % 3], e->place[i]);
    high[i % 3] = fmax(high[i % 3], e->place[i]);
  }
  v3_sub(d, high, low);
  return v3_norm(d);
}

static hn_status draw_bars(maker *m) {
  pairs p = {0};
  bool ok = couple(m->e, &p);
  m->bar = slender * extent(m->e);
  int count = ok ? each_bar(m, &p, 0) : 0, room = m->most / (2 * SIDES);
  // so that what is drawn fits; without room nothing is
  int stride = room ? (count + room - 1) / room : count + 1;
  int drawn = stride ? (count + stride - 1) / stride : 0;
  ok = ok && make_room(m->out, 2 * SIDES * drawn, (4 * SIDES - 4) * drawn, m->shapes);
  if (ok && drawn) each_bar(m, &p, stride);
  free(p.start), free(p.other);
  return ok ? HN_OK : HN_ERR_MEMORY;
}

hn_status hn_drawn_make(hn_drawn *out, const hn_finite_elements *e, const double *shape, int shapes,
                        const double origin[3]) {
  maker m = {.e = e, .shape = shape, .shapes = shapes, .origin = origin, .out = out};
  // numbers per corner: its place, and three for every shape
  m.most = MOST_NUMBERS / (3 * (shapes + 1));
  *out = (hn_drawn){0};
  return e->faces ? draw_faces(&m) : draw_bars(&m);
}

void hn_drawn_free(hn_drawn *drawn) {
  free(drawn->place), free(drawn->shape), free(drawn->triangle);
  *drawn = (hn_drawn){0};
}

void hn_drawn_at(const hn_drawn *drawn, const double *p, double (*corner)[3]) {
  for (int i = 0; i < drawn->corners; i++) {
    const double *s = drawn->shape + 3 * (size_t)i * (size_t)drawn->shapes;
    v3_copy(corner[i], drawn->place + 3 * i);
    // linear in p: what is drawn is not exact for large turns between interfaces
    for (int k = 0; k < drawn->shapes; k++) v3_addto(corner[i], p[k], s + 3 * k);
  }
}
