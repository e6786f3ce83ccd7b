// touch_hulls.c: where convex solids are nearest to each other, or deepest in each other.
//
// As of boxes (touch.c): the direction in which they are farthest apart is across a face of one of
// them or across two edges. Of pairs of edges those count whose arcs on the sphere of normals cross
// (D. Gregorius, GDC 2013): only these are a face of the difference of the two solids. All of it is
// in the axes of the first.
#include "system/touch.h"

#include "base/elementary.h"
#include "base/vec.h"
#include "system/polytope.h"

#include <string.h>

enum { MOST = HN_POLYTOPE_CORNERS };

// a solid in the axes of the first
typedef struct seen {
  hn_polytope p;
  double corner[MOST][3], plane[2 * MOST][4];
  double middle[3], reach;
} seen;

static void see(const hn_solid *s, const hn_solid *from, seen *o) {
  double R[9], d[3], at[3];
  o->p = hn_polytope_of(s->hull);
  // how it lies to the first
  m3_tmul(R, from->R, s->R);
  v3_sub(d, s->p, from->p);
  m3_tmulv(at, from->R, d);
  memset(o->middle, 0, sizeof o->middle);
  for (int i = 0; i < o->p.corners; i++) {
    m3_mulv(o->corner[i], R, o->p.corner + 3 * i);
    v3_add(o->corner[i], o->corner[i], at);
    v3_add(o->middle, o->middle, o->corner[i]);
  }
  v3_scale(o->middle, 1.0 / o->p.corners, o->middle);  // a point inside
  for (int f = 0; f < o->p.faces; f++) {
    m3_mulv(o->plane[f], R, o->p.plane + 4 * f);
    o->plane[f][3] = o->p.plane[4 * f + 3] + v3_dot(o->plane[f], at);
  }
  o->reach = s->reach;
}

// the face of a behind which b goes least deep; how far it is before it
static double best_face(const seen *a, const seen *b, int *face) {
  double most = -INFINITY;
  for (int f = 0; f < a->p.faces; f++) {
    double least = INFINITY;
    // by the corner of b that is deepest
    for (int i = 0; i < b->p.corners; i++) least = fmin(least, v3_dot(a->plane[f], b->corner[i]));
    least -= a->plane[f][3];
    if (least > most) most = least, *face = f;
  }
  return most;
}

// normals of the faces at both edges: do their arcs cross, those of b turned round?
static bool arcs_cross(const double *a, const double *b, const double *c, const double *d) {
  double u[3], w[3];
  v3_cross(u, b, a), v3_cross(w, d, c);
  double cu = -v3_dot(c, u), du = -v3_dot(d, u), aw = v3_dot(a, w), bw = v3_dot(b, w);
  // the ends of each arc lie on both sides of the other's plane, and the arcs in one half of the
  // sphere
  return cu * du < 0 && aw * bw < 0 && cu * bw > 0;
}

static void edge_of(const seen *s, int e, const double **from, double along[3]) {
  *from = s->corner[(int)s->p.edge[4 * e]];
  v3_sub(along, s->corner[(int)s->p.edge[4 * e + 1]], *from);
}

// Edges that are nearly parallel say no more than faces do
static double best_edges(const seen *a, const seen *b, int edge[2], double normal[3]) {
  double most = -INFINITY;
  for (int i = 0; i < a->p.edges; i++) {
    const double *p, *q, *ea = a->p.edge + 4 * i;
    double u[3], w[3], n[3], d[3];
    edge_of(a, i, &p, u);
    for (int j = 0; j < b->p.edges; j++) {
      const double *eb = b->p.edge + 4 * j;
      if (!arcs_cross(a->plane[(int)ea[2]], a->plane[(int)ea[3]], b->plane[(int)eb[2]],
                      b->plane[(int)eb[3]]))
        continue;
      edge_of(b, j, &q, w);
      v3_cross(n, u, w);
      double size = v3_norm(n);
      if (size < 1e-3 * v3_norm(u) * v3_norm(w)) continue;
      // the normal points away from the middle of a
      v3_sub(d, p, a->middle);
      v3_scale(n, (v3_dot(n, d) < 0 ? -1 : 1) / size, n);
      // how far the edge of b is beyond that of a
      v3_sub(d, q, p);
      double s = v3_dot(n, d);
      if (s > most) most = s, edge[0] = i, edge[1] = j, v3_copy(normal, n);
    }
  }
  return most;
}

// ---- points --------------------------------------------------------------------------------

// what is to the inner side of the plane through x with the normal n; room for both: polygons of
// two faces together
typedef struct area {
  int count;
  double x[2 * MOST][3];
} area;

// as in touch.c
static void cut(const area *p, const double at[3], const double n[3], area *o) {
  o->count = 0;
  for (int i = 0; i < p->count; i++) {
    const double *x = p->x[i], *y = p->x[(i + 1) % p->count];
    double dx[3], dy[3];
    v3_sub(dx, x, at), v3_sub(dy, y, at);
    double u = v3_dot(dx, n), w = v3_dot(dy, n);
    if (u <= 0 && o->count < 2 * MOST) v3_copy(o->x[o->count++], x);
    if (((u < 0 && w > 0) || (u > 0 && w < 0)) && o->count < 2 * MOST) {
      for (int k = 0; k < 3; k++) o->x[o->count][k] = x[k] + (y[k] - x[k]) * u / (u - w);
      o->count++;
    }
  }
}

static void put(hn_near *o, double gap, const double n[3], const double x[3]) {
  o->gap = gap;
  v3_copy(o->normal, n);
  v3_copy(o->on_a, x);
  v3_copy(o->on_b, x);
}

// Of more points than a contact has room for, the deepest and those that reach farthest in
// directions all around stay: what stands on them stands as before
int hn_touch_fewest(hn_near *all, int count, hn_near *out) {
  double x[3], y[3];
  int kept = 0, chosen[HN_NEAR_MOST];
  if (count <= HN_NEAR_MOST) {
    memcpy(out, all, (size_t)count * sizeof *out);
    return count;
  }
  v3_perpendicular(x, all->normal);
  v3_cross(y, all->normal, x);
  for (int k = 0; k < HN_NEAR_MOST; k++) {
    double a = 6.283185307179586 * k / (HN_NEAR_MOST - 1), most = -INFINITY;
    int best = 0;
    for (int i = 0; i < count; i++) {
      // the deepest first, then the one that reaches farthest in each direction
      double here = k == 0
                        ? -all[i].gap
                        : hn_cos(a) * v3_dot(x, all[i].on_b) + hn_sin(a) * v3_dot(y, all[i].on_b);
      if (here > most) most = here, best = i;
    }
    bool known = false;
    for (int i = 0; i < kept; i++) known = known || chosen[i] == best;
    if (!known) chosen[kept++] = best;
  }
  for (int i = 0; i < kept; i++) out[i] = all[chosen[i]];
  return kept;
}

// corners of what b turns towards a face of a, cut to the size of the face
static int face_points(const seen *a, const seen *b, int face, double margin, hn_near *out) {
  const double *n = a->plane[face];
  area one, two, *from = &one, *to = &two;
  hn_near all[2 * MOST];
  int facing = 0, count = 0;
  // the face of b that looks most against that of a
  for (int f = 1; f < b->p.faces; f++)
    if (v3_dot(b->plane[f], n) < v3_dot(b->plane[facing], n)) facing = f;
  int first = (int)b->p.first[facing];
  one.count = (int)b->p.first[facing + 1] - first;
  for (int i = 0; i < one.count; i++) v3_copy(one.x[i], b->corner[(int)b->p.loop[first + i]]);
  first = (int)a->p.first[face];
  int sides = (int)a->p.first[face + 1] - first;
  for (int i = 0; i < sides && from->count; i++) {
    const double *x = a->corner[(int)a->p.loop[first + i]];
    const double *y = a->corner[(int)a->p.loop[first + (i + 1) % sides]];
    double u[3], outward[3];
    v3_sub(u, y, x);
    // loops are counter-clockwise seen from outside
    v3_cross(outward, u, n);
    cut(from, x, outward, to);
    area *kept = from;
    from = to, to = kept;
  }
  for (int i = 0; i < from->count; i++) {
    double gap = v3_dot(n, from->x[i]) - a->plane[face][3];
    if (gap <= margin) put(&all[count++], gap, n, from->x[i]);
  }
  return hn_touch_fewest(all, count, out);
}

// the points of two lines nearest to each other
static int edge_point(const seen *a, const seen *b, const int edge[2], const double n[3],
                      double margin, hn_near *o) {
  const double *p, *q;
  double u[3], w[3], d[3];
  edge_of(a, edge[0], &p, u), edge_of(b, edge[1], &q, w);
  v3_scale(u, 1 / v3_norm(u), u), v3_scale(w, 1 / v3_norm(w), w);
  v3_sub(d, q, p);
  double uw = v3_dot(u, w), det = 1 - uw * uw, du = v3_dot(d, u), dw = v3_dot(d, w);
  double s = (du - uw * dw) / det, t = (uw * du - dw) / det;
  for (int k = 0; k < 3; k++) {
    o->on_a[k] = p[k] + s * u[k];
    o->on_b[k] = q[k] + t * w[k];
    o->normal[k] = n[k];
  }
  o->gap = v3_dot(d, n);
  return o->gap <= margin;
}

// ---- solids that are apart -----------------------------------------------------------------

// keeps what is nearer than the nearest so far: x on a, y on b
static void consider(hn_near *o, const double x[3], const double y[3]) {
  double d[3];
  v3_sub(d, y, x);
  double r = v3_norm(d);
  if (!(r > 0) || r >= o->gap) return;
  o->gap = r;
  v3_scale(o->normal, 1 / r, d);
  v3_copy(o->on_a, x), v3_copy(o->on_b, y);
}

// points of two segments nearest to each other, where that is inside of both
static void consider_edges(hn_near *o, const double p[3], const double u[3], const double q[3],
                           const double w[3]) {
  double d[3], x[3], y[3];
  v3_sub(d, q, p);
  double uu = v3_dot(u, u), ww = v3_dot(w, w), uw = v3_dot(u, w), det = uu * ww - uw * uw;
  // nearly parallel ones have their ends, which are looked at as corners
  if (det < 1e-12 * uu * ww) return;
  double du = v3_dot(d, u), dw = v3_dot(d, w);
  double s = (du * ww - uw * dw) / det, t = (uw * du - uu * dw) / det;
  // nearest beyond an end: another pair
  if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return;
  for (int k = 0; k < 3; k++) x[k] = p[k] + s * u[k], y[k] = q[k] + t * w[k];
  consider(o, x, y);
}

// Beside a face, what is nearest may be an edge or a corner of both: all are looked at, corners
// before the whole other solid. s: the first and the second as they are, x and y as the first sees
// them
static int nearest(const hn_solid *const s[2], const seen *x, const seen *y, double margin,
                   hn_near *o) {
  *o = (hn_near){.gap = INFINITY};
  for (int turned = 0; turned < 2; turned++) {
    const hn_solid *whole = s[turned], *other = s[1 - turned];
    hn_polytope p = hn_polytope_of(other->hull);
    for (int i = 0; i < p.corners; i++) {
      double at[3], d[3], here[3], near[3], a[3], b[3];
      hn_surface_at v;
      m3_mulv(at, other->R, p.corner + 3 * i);
      v3_add(at, at, other->p);
      v3_sub(d, at, whole->p);
      m3_tmulv(here, whole->R, d);
      hn_surface_hull.eval(whole->hull, here, 1, &v);
      // inside, or not nearer than what is known
      if (v.value <= 0 || v.value >= o->gap) continue;
      // the nearest point of the whole solid
      for (int k = 0; k < 3; k++) near[k] = here[k] - v.value * v.gradient[k];
      m3_mulv(d, whole->R, near);
      v3_add(near, d, whole->p);
      // both into the axes of the first
      v3_sub(d, turned ? at : near, s[0]->p);
      m3_tmulv(a, s[0]->R, d);
      v3_sub(d, turned ? near : at, s[0]->p);
      m3_tmulv(b, s[0]->R, d);
      consider(o, a, b);
    }
  }
  for (int i = 0; i < x->p.edges; i++) {
    const double *p, *q;
    double u[3], w[3];
    edge_of(x, i, &p, u);
    for (int j = 0; j < y->p.edges; j++) {
      edge_of(y, j, &q, w);
      consider_edges(o, p, u, q, w);
    }
  }
  return o->gap <= margin;
}

// from the axes of the first into those both are given in
static void place_points(const hn_solid *a, bool turned, hn_near *o, int count) {
  for (int i = 0; i < count; i++) {
    double on_a[3], on_b[3], n[3];
    m3_mulv(on_a, a->R, turned ? o[i].on_b : o[i].on_a);
    m3_mulv(on_b, a->R, turned ? o[i].on_a : o[i].on_b);
    m3_mulv(n, a->R, o[i].normal);
    v3_add(o[i].on_a, on_a, a->p), v3_add(o[i].on_b, on_b, a->p);
    v3_scale(o[i].normal, turned ? -1 : 1, n);
  }
}

// Which of two nearly equal ones is taken, and when edges are meant: as of boxes
int hn_touch_hulls(const hn_solid *a, const hn_solid *b, double margin, hn_near *out) {
  seen x, y;
  int face[2] = {0, 0}, edge[2] = {0, 0}, count;
  double across[3];
  see(a, a, &x), see(b, a, &y);
  double first = best_face(&x, &y, &face[0]);
  if (first > margin) return 0;
  double second = best_face(&y, &x, &face[1]);
  if (second > margin) return 0;
  double edges = best_edges(&x, &y, edge, across);
  if (edges > margin) return 0;
  // the first is preferred, so that the choice does not flicker
  bool turned = second > first + 1e-3 * x.reach, apart = fmax(fmax(first, second), edges) > 0;
  // edges are meant where they are clearly less deep than any face
  if (edges > (turned ? second : first) + 1e-3 * fmin(x.reach, y.reach)) {
    count = edge_point(&x, &y, edge, across, margin, out);
    turned = false;
  } else {
    count = turned ? face_points(&y, &x, face[1], margin, out)
                   : face_points(&x, &y, face[0], margin, out);
  }
  if (!count && apart) {
    const hn_solid *const both[2] = {a, b};
    count = nearest(both, &x, &y, margin, out);
    turned = false;
  }
  place_points(a, turned, out, count);
  return count;
}

// the normal from the hull to the ball
int hn_touch_hull_ball(const hn_solid *hull, const hn_solid *ball, double margin, hn_near *out) {
  double d[3], x[3];
  hn_surface_at s;
  v3_sub(d, ball->p, hull->p);
  m3_tmulv(x, hull->R, d);
  hn_surface_hull.eval(hull->hull, x, 1, &s);
  out->gap = s.value - ball->half[0];
  if (out->gap > margin) return 0;
  m3_mulv(out->normal, hull->R, s.gradient);
  for (int k = 0; k < 3; k++) {
    out->on_a[k] = ball->p[k] - s.value * out->normal[k];
    out->on_b[k] = ball->p[k] - ball->half[0] * out->normal[k];
  }
  return 1;
}

// every corner before the plane
int hn_touch_hull_plane(const double point[3], const double normal[3], const hn_solid *b,
                        double margin, hn_near *out) {
  hn_near all[MOST];
  hn_polytope p = hn_polytope_of(b->hull);
  int count = 0;
  for (int i = 0; i < p.corners; i++) {
    double x[3], d[3];
    m3_mulv(x, b->R, p.corner + 3 * i);
    v3_add(x, x, b->p);
    v3_sub(d, x, point);
    double gap = v3_dot(d, normal);
    if (gap > margin) continue;
    put(&all[count], gap, normal, x);
    for (int c = 0; c < 3; c++) all[count].on_a[c] -= gap * normal[c];
    count++;
  }
  return hn_touch_fewest(all, count, out);
}
