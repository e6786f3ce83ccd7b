// touch.c: see touch.h.
//
// Two boxes: of the 15 directions across faces and pairs of edges, the one in which they are
// farthest apart, or least deep in each other, is the normal (S. Gottschalk, M. C. Lin,
// D. Manocha, OBBTree, SIGGRAPH 1996). Across a face, what the other box turns towards it is cut
// to the size of that face, and every corner of what is left is a point of contact; across edges
// there is one, where they are nearest.
#include "system/touch.h"

#include "base/vec.h"

#include <string.h>

// axis k of a solid
static void axis_of(const hn_solid *s, int k, double o[3]) {
  for (int i = 0; i < 3; i++) o[i] = s->R[3 * i + k];
}

static int spheres(const hn_solid *a, const hn_solid *b, double margin, hn_near *out) {
  double d[3], r = a->half[0], s = b->half[0];
  v3_sub(d, b->p, a->p);
  double n = v3_norm(d);
  if (n - r - s > margin) return 0;
  out->gap = n - r - s;
  // in one place every direction is as good
  if (n > 0)
    v3_scale(out->normal, 1 / n, d);
  else
    memcpy(out->normal, (double[]){0, 0, 1}, sizeof out->normal);
  for (int i = 0; i < 3; i++) {
    out->on_a[i] = a->p[i] + r * out->normal[i];
    out->on_b[i] = b->p[i] - s * out->normal[i];
  }
  return 1;
}

// the normal from the box to the sphere.
// The point of the box nearest to the middle of the ball: its coordinates in axes of the box, each
// limited to the box.
static int box_sphere(const hn_solid *box, const hn_solid *ball, double margin, hn_near *out) {
  double d[3], c[3], q[3], n[3], sum = 0;
  v3_sub(d, ball->p, box->p);
  m3_tmulv(c, box->R, d);
  int nearest = 0;
  for (int k = 0; k < 3; k++) {
    q[k] = fmax(-box->half[k], fmin(box->half[k], c[k]));
    n[k] = c[k] - q[k];
    sum += n[k] * n[k];
    // should the middle be inside: by which face it is nearest to the outside
    if (box->half[k] - fabs(c[k]) < box->half[nearest] - fabs(c[nearest])) nearest = k;
  }
  double far = sqrt(sum);
  if (far - ball->half[0] > margin) return 0;
  if (far > 0) {
    v3_scale(n, 1 / far, n);
  } else {
    // the middle is inside: out by the nearest face
    double side = c[nearest] < 0 ? -1 : 1;
    memset(n, 0, sizeof n);
    n[nearest] = side;
    q[nearest] = side * box->half[nearest];
    far = fabs(c[nearest]) - box->half[nearest];
  }
  out->gap = far - ball->half[0];
  m3_mulv(out->normal, box->R, n);
  m3_mulv(out->on_a, box->R, q);
  v3_add(out->on_a, out->on_a, box->p);
  for (int i = 0; i < 3; i++) out->on_b[i] = ball->p[i] - ball->half[0] * out->normal[i];
  return 1;
}

static void turn_round(hn_near *x) {
  double kept[3];
  v3_copy(kept, x->on_a);
  v3_copy(x->on_a, x->on_b);
  v3_copy(x->on_b, kept);
  v3_scale(x->normal, -1, x->normal);
}

// ---- two boxes -----------------------------------------------------------------------------

// how far the boxes are apart along a direction of length one, d being between their middles
static double apart(const hn_solid *a, const hn_solid *b, const double d[3], const double n[3]) {
  double sum = fabs(v3_dot(d, n));
  for (int k = 0; k < 3; k++) {
    double x[3], y[3];
    axis_of(a, k, x), axis_of(b, k, y);
    sum -= a->half[k] * fabs(v3_dot(x, n)) + b->half[k] * fabs(v3_dot(y, n));
  }
  return sum;
}

typedef struct polygon {
  int count;
  double x[16][3];  // those of a face, and one more per cut
} polygon;

// what lies below `most` along a direction, from a point.
// Sutherland and Hodgman's clipping (1974) by one plane; each adds one corner at most to a convex
// polygon.
static void cut(polygon *p, const double from[3], const double along[3], double most) {
  polygon o = {0};
  for (int i = 0; i < p->count; i++) {
    const double *x = p->x[i], *y = p->x[(i + 1) % p->count];
    double dx[3], dy[3];
    v3_sub(dx, x, from), v3_sub(dy, y, from);
    // how far beyond the plane
    double u = v3_dot(dx, along) - most, w = v3_dot(dy, along) - most;
    if (u <= 0) v3_copy(o.x[o.count++], x);
    if ((u < 0 && w > 0) || (u > 0 && w < 0)) {
      for (int k = 0; k < 3; k++) o.x[o.count][k] = x[k] + (y[k] - x[k]) * u / (u - w);
      o.count++;
    }
  }
  *p = o;
}

// the face of a box that looks most against a direction
static polygon facing(const hn_solid *s, const double n[3]) {
  double axis[3][3], most = -1;
  int face = 0;
  for (int k = 0; k < 3; k++) {
    axis_of(s, k, axis[k]);
    double look = fabs(v3_dot(axis[k], n));
    if (look > most) most = look, face = k;
  }
  // the side that looks against n
  double side = v3_dot(axis[face], n) > 0 ? -1 : 1;
  static const int sign[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  polygon o = {.count = 4};
  // the other two axes span the face
  int u = (face + 1) % 3, w = (face + 2) % 3;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++)
      o.x[i][k] = s->p[k] + side * s->half[face] * axis[face][k] +
                  sign[i][0] * s->half[u] * axis[u][k] + sign[i][1] * s->half[w] * axis[w][k];
  return o;
}

// points of b before face `face` of a.
// Both points are that of b: the gap is small where it matters, and so is what its way along the
// normal adds to the arm.
static int face_points(const hn_solid *a, const hn_solid *b, int face, const double d[3],
                       double margin, hn_near *out) {
  double n[3], axis[3];
  int count = 0;
  axis_of(a, face, n);
  // from a to b
  if (v3_dot(n, d) < 0) v3_scale(n, -1, n);
  polygon p = facing(b, n);
  for (int k = 0; k < 3; k++) {
    if (k == face) continue;
    axis_of(a, k, axis);
    cut(&p, a->p, axis, a->half[k]);
    v3_scale(axis, -1, axis);
    cut(&p, a->p, axis, a->half[k]);
  }
  for (int i = 0; i < p.count && count < HN_NEAR_MOST; i++) {
    double x[3];
    v3_sub(x, p.x[i], a->p);
    double gap = v3_dot(x, n) - a->half[face];
    if (gap > margin) continue;
    hn_near *o = &out[count++];
    o->gap = gap;
    v3_copy(o->normal, n);
    v3_copy(o->on_a, p.x[i]);
    v3_copy(o->on_b, p.x[i]);
  }
  return count;
}

// the point of an edge's middle: edge `k` of the solid that is farthest along n
static void edge_middle(const hn_solid *s, int k, const double n[3], double o[3]) {
  v3_copy(o, s->p);
  for (int i = 0; i < 3; i++) {
    double axis[3];
    if (i == k) continue;
    axis_of(s, i, axis);
    double side = v3_dot(axis, n) > 0 ? s->half[i] : -s->half[i];
    for (int c = 0; c < 3; c++) o[c] += side * axis[c];
  }
}

// Points of two lines nearest to each other; det is the square of the sine between them, which the
// caller keeps above 1e-6.
static int edge_point(const hn_solid *a, const hn_solid *b, int i, int j, const double n[3],
                      double margin, hn_near *out) {
  double p[3], q[3], u[3], w[3], d[3], back[3];
  v3_scale(back, -1, n);
  edge_middle(a, i, n, p), edge_middle(b, j, back, q);
  axis_of(a, i, u), axis_of(b, j, w);
  v3_sub(d, q, p);
  double uw = v3_dot(u, w), det = 1 - uw * uw, du = v3_dot(d, u), dw = v3_dot(d, w);
  double s = (du - uw * dw) / det, t = (uw * du - dw) / det;
  for (int k = 0; k < 3; k++) {
    out->on_a[k] = p[k] + s * u[k];
    out->on_b[k] = q[k] + t * w[k];
    out->normal[k] = n[k];
  }
  v3_sub(d, out->on_b, out->on_a);
  out->gap = v3_dot(d, n);
  return out->gap <= margin;
}

// All 15 directions separate if any does. Products of edges that are nearly parallel say no more
// than faces, and are left out.
static int boxes(const hn_solid *a, const hn_solid *b, double margin, hn_near *out) {
  double d[3], n[3], most = -INFINITY, edge_most = -INFINITY, across[3] = {0, 0, 0};
  int face = 0, edge = 0;
  v3_sub(d, b->p, a->p);
  for (int k = 0; k < 6; k++) {
    axis_of(k < 3 ? a : b, k % 3, n);
    double s = apart(a, b, d, n);
    // faces of a are preferred, so that the choice does not flicker
    if (s > most + (k < 3 || face >= 3 ? 0 : 1e-3 * a->reach)) most = s, face = k;
  }
  if (most > margin) return 0;
  for (int k = 0; k < 9; k++) {
    double u[3], w[3];
    axis_of(a, k / 3, u), axis_of(b, k % 3, w);
    v3_cross(n, u, w);
    double size = v3_norm(n);
    if (size < 1e-3) continue;
    // outwards from a
    v3_scale(n, (v3_dot(n, d) < 0 ? -1 : 1) / size, n);
    double s = apart(a, b, d, n);
    if (s > edge_most) edge_most = s, edge = k, v3_copy(across, n);
  }
  if (edge_most > margin) return 0;
  // edges are meant where they are clearly less deep than any face
  if (edge_most > most + 1e-3 * fmin(a->reach, b->reach))
    return edge_point(a, b, edge / 3, edge % 3, across, margin, out);
  if (face < 3) return face_points(a, b, face, d, margin, out);
  // a face of b: the same with a and b exchanged
  v3_scale(d, -1, d);
  int count = face_points(b, a, face - 3, d, margin, out);
  for (int i = 0; i < count; i++) turn_round(&out[i]);
  return count;
}

int hn_touch_solids(const hn_solid *a, const hn_solid *b, double margin, hn_near *out) {
  bool ball_a = !a->box && !a->hull, ball_b = !b->box && !b->hull;
  if (a->box && b->box) return boxes(a, b, margin, out);
  if (ball_a && ball_b) return spheres(a, b, margin, out);
  if (!ball_a && !ball_b) return hn_touch_hulls(a, b, margin, out);
  if (ball_b) return a->box ? box_sphere(a, b, margin, out) : hn_touch_hull_ball(a, b, margin, out);
  int count = b->box ? box_sphere(b, a, margin, out) : hn_touch_hull_ball(b, a, margin, out);
  if (count) turn_round(out);
  return count;
}

int hn_touch_plane(const double point[3], const double normal[3], const hn_solid *b, double margin,
                   hn_near *out) {
  int count = 0, corners = b->box ? 8 : 1;
  if (b->hull && !b->box) return hn_touch_hull_plane(point, normal, b, margin, out);
  for (int i = 0; i < corners; i++) {
    double x[3], d[3];
    v3_copy(x, b->p);
    for (int k = 0; k < 3; k++) {
      double axis[3];
      axis_of(b, k, axis);
      // bits of i are the signs of a corner
      double step = b->box ? (i >> k & 1 ? 1 : -1) * b->half[k] : 0;
      for (int c = 0; c < 3; c++) x[c] += b->box ? step * axis[c] : 0;
      if (!b->box) x[k] -= b->half[0] * normal[k];
    }
    v3_sub(d, x, point);
    double gap = v3_dot(d, normal);
    if (gap > margin) continue;
    hn_near *o = &out[count++];
    o->gap = gap;
    v3_copy(o->normal, normal);
    v3_copy(o->on_b, x);
    for (int c = 0; c < 3; c++) o->on_a[c] = x[c] - gap * normal[c];
  }
  return count;
}
