// hull.c: see hull.h.
//
// Quickhull (C. B. Barber, D. P. Dobkin, H. Huhdanpaa 1996): from a tetrahedron on, the farthest
// point before a triangle becomes a corner. All triangles that it sees go; their rim, one cycle of
// edges, is joined with it. Every point waits at one triangle that sees it, so that each is looked
// at only where the hull still changes.
//
// A point sees a triangle from farther than `thin` before its plane. Then it lies so far from every
// edge of the rim, too, and no triangle is without area.
#include "model/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

typedef struct facet {
  int corner[3];  // counter-clockwise from outside
  int next[3];    // facet across the edge from corner k to the one after it
  double normal[3], offset;
  // lists of waiting points go through work.link
  int first;   // of the points that wait at it; -1: none
  bool gone;   // seen by a later corner
  int looked;  // number of the point that last looked at it
} facet;

typedef struct work {
  const double *x;
  int count;
  // size: extent of the points; thin: what counts as no distance, 1e-11 of it
  double size, thin;
  int facets, room;
  facet *facet;
  int *link;   // the next point that waits at the same facet
  int *start;  // facet that begins at a corner of the rim
  int *stack, *seen;
  int stack_room, seen_room;
} work;

static const double *at(const work *w, int i) {
  return w->x + 3 * (size_t)i;
}

// signed distance before the plane of a facet
static double above(const work *w, int f, int point) {
  return v3_dot(w->facet[f].normal, at(w, point)) - w->facet[f].offset;
}

// number of the new facet; below zero: out of memory
static int add_facet(work *w, int a, int b, int c) {
  if (!hn_grow((void **)&w->facet, &w->room, w->facets, sizeof *w->facet)) return -1;
  facet *f = &w->facet[w->facets];
  double u[3], v[3];
  *f = (facet){.corner = {a, b, c}, .next = {-1, -1, -1}, .first = -1, .looked = -1};
  v3_sub(u, at(w, b), at(w, a)), v3_sub(v, at(w, c), at(w, a));
  v3_cross(f->normal, u, v);
  // never of no area: see the top of this file
  v3_scale(f->normal, 1 / v3_norm(f->normal), f->normal);
  f->offset = v3_dot(f->normal, at(w, a));
  return w->facets++;
}

// ---- where to begin ------------------------------------------------------------------------

// the point farthest from what the first `known` corners span: a point, a line, a plane
static int farthest(const work *w, const int *corner, int known, double *far) {
  double u[3] = {0}, n[3] = {0};
  int best = 0;
  // below any distance, so that the first point is taken
  *far = -1;
  if (known > 1) {
    v3_sub(u, at(w, corner[1]), at(w, corner[0]));
    v3_scale(u, 1 / v3_norm(u), u);
  }
  if (known > 2) {
    double v[3];
    v3_sub(v, at(w, corner[2]), at(w, corner[0]));
    v3_cross(n, u, v);
    v3_scale(n, 1 / v3_norm(n), n);
  }
  // by the distance from all that is known so far
  for (int i = 0; i < w->count; i++) {
    double d[3], across[3];
    v3_sub(d, at(w, i), at(w, corner[0]));
    v3_cross(across, u, d);
    double here = known == 1 ? v3_norm(d) : known == 2 ? v3_norm(across) : fabs(v3_dot(n, d));
    if (here > *far) *far = here, best = i;
  }
  return best;
}

// Points nearer to a plane than a millionth of their extent span no volume worth the name
static hn_status begin(work *w, char message[HN_MESSAGE]) {
  static const char *const lie[] = {"in one place", "on one line", "in one plane"};
  int c[4] = {0};
  double far;
  for (int k = 1; k < 4; k++) {
    c[k] = farthest(w, c, k, &far);
    // the tolerance is known with the first distance
    if (k == 1) w->size = far, w->thin = 1e-11 * far;
    if (!(far > 1e-6 * w->size))
      return hn_fail(message, HN_ERR_MODEL, "all points lie %s: a hull needs a volume", lie[k - 1]);
    // the first corner is any point: begin at one that is on the hull for sure
    if (k == 1) c[0] = c[1], c[1] = farthest(w, c, 1, &far);
  }
  double u[3], v[3], d[3], n[3];
  v3_sub(u, at(w, c[1]), at(w, c[0])), v3_sub(v, at(w, c[2]), at(w, c[0]));
  v3_sub(d, at(w, c[3]), at(w, c[0]));
  v3_cross(n, u, v);
  // so that the fourth corner lies behind the first three
  if (v3_dot(n, d) > 0) {
    int kept = c[1];
    c[1] = c[2], c[2] = kept;
  }
  // the fourth is behind the first facet; edge k of each meets the facets named
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; f++) {
    if (add_facet(w, c[corner[f][0]], c[corner[f][1]], c[corner[f][2]]) < 0)
      return hn_fail(message, HN_ERR_MEMORY, "out of memory");
    memcpy(w->facet[f].next, next[f], sizeof next[f]);
  }
  return HN_OK;
}

// a point waits at the facet it is highest above, of those from `from` on; or is inside
static void wait_at(work *w, int point, int from) {
  // `thin`, not 0: what is in the plane is inside
  double most = w->thin;
  int best = -1;
  for (int f = from; f < w->facets; f++) {
    double here = above(w, f, point);
    if (here > most) most = here, best = f;
  }
  if (best < 0) return;
  w->link[point] = w->facet[best].first;
  w->facet[best].first = point;
}

// ---- one more corner -----------------------------------------------------------------------

// lists that only grow: their memory serves the next point
static bool push(int **list, int *room, int count, int value) {
  if (!hn_grow((void **)list, room, count, sizeof **list)) return false;
  (*list)[count] = value;
  return true;
}

// all facets that the point sees, going from one to its neighbours; how many, below zero: out of
// memory
static int look(work *w, int from, int point) {
  int waiting = 0, seen = 0;
  if (!push(&w->stack, &w->stack_room, waiting++, from)) return -1;
  // marked when put on the stack, so that none is put there twice
  w->facet[from].looked = point;
  while (waiting) {
    int f = w->stack[--waiting];
    if (!push(&w->seen, &w->seen_room, seen++, f)) return -1;
    w->facet[f].gone = true;
    for (int k = 0; k < 3; k++) {
      int g = w->facet[f].next[k];
      if (w->facet[g].looked == point) continue;
      w->facet[g].looked = point;
      // not seen: its edge is part of the rim
      if (above(w, g, point) <= w->thin) continue;
      if (!push(&w->stack, &w->stack_room, waiting++, g)) return -1;
    }
  }
  return seen;
}

// facets from every edge of the rim to the point, with their neighbours
static bool join(work *w, int seen, int point) {
  int first = w->facets;
  for (int s = 0; s < seen; s++)
    for (int k = 0; k < 3; k++) {
      facet f = w->facet[w->seen[s]];  // a copy: add_facet() may move the array
      int other = f.next[k], a = f.corner[k], b = f.corner[(k + 1) % 3];
      // an edge within what goes
      if (w->facet[other].gone) continue;
      int n = add_facet(w, a, b, point);
      if (n < 0) return false;
      w->start[a] = n;
      w->facet[n].next[0] = other;
      // the neighbour's way back, from the other end of the edge
      for (int e = 0; e < 3; e++)
        if (w->facet[other].corner[e] == b) w->facet[other].next[e] = n;
    }
  // who begins where another ends is its neighbour
  // each corner of the rim begins one edge of it
  for (int n = first; n < w->facets; n++) {
    int after = w->start[w->facet[n].corner[1]];
    w->facet[n].next[1] = after;
    w->facet[after].next[2] = n;
  }
  // points of what is gone wait at new ones, or are inside
  for (int s = 0; s < seen; s++)
    for (int p = w->facet[w->seen[s]].first, next; p >= 0; p = next) {
      next = w->link[p];
      if (p != point) wait_at(w, p, first);
    }
  return true;
}

static bool wrap(work *w) {
  for (int i = 0; i < w->count; i++) wait_at(w, i, 0);
  // new facets come behind, so that one pass meets all
  for (int f = 0; f < w->facets; f++) {
    if (w->facet[f].gone || w->facet[f].first < 0) continue;
    int best = w->facet[f].first;
    // the farthest: it is a corner of the hull for sure
    for (int p = best; p >= 0; p = w->link[p])
      if (above(w, f, p) > above(w, f, best)) best = p;
    int seen = look(w, f, best);
    if (seen < 0 || !join(w, seen, best)) return false;
  }
  return true;
}

// Rounding may cut a corner where many points are nearly in one plane; that is looked at, not hoped
// for: closed and around all points to 1e-9 of their extent
static bool holds_all(const work *w) {
  int alive = 0;
  for (int f = 0; f < w->facets; f++) {
    const facet *here = &w->facet[f];
    if (here->gone) continue;
    alive++;
    for (int k = 0; k < 3; k++) {
      const facet *other = &w->facet[here->next[k]];
      int back = 0;
      for (int e = 0; e < 3; e++) back += other->next[e] == f;
      if (other->gone || back != 1) return false;
    }
    // all points against all facets, where that is affordable
    for (int i = 0; i < w->count && (size_t)w->count * (size_t)w->facets < 100000000; i++)
      if (above(w, f, i) > 1e-9 * w->size) return false;
  }
  return alive >= 4;
}

static hn_status write_out(const work *w, hn_trimesh *out, char message[HN_MESSAGE]) {
  // corners that several facets share become one
  hn_trimesh_finder find = {.mesh = out};
  bool ok = true;
  for (int f = 0; f < w->facets && ok; f++) {
    int c[3];
    if (w->facet[f].gone) continue;
    for (int k = 0; k < 3 && ok; k++) {
      c[k] = hn_trimesh_corner(&find, at(w, w->facet[f].corner[k]));
      ok = c[k] >= 0;
    }
    ok = ok && hn_trimesh_triangle(out, c[0], c[1], c[2]);
  }
  free(find.slot);
  return ok ? HN_OK : hn_fail(message, HN_ERR_MEMORY, "out of memory");
}

static hn_status make(work *w, hn_trimesh *out, char message[HN_MESSAGE]) {
  hn_status status = begin(w, message);
  if (status) return status;
  if (!wrap(w)) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (!holds_all(w))
    return hn_fail(message, HN_ERR_MODEL,
                   "the hull of these points does not close: many of them are nearly, but not "
                   "quite, in one plane");
  return write_out(w, out, message);
}

hn_status hn_hull_wrap(hn_trimesh *out, const double *points, int count, char message[HN_MESSAGE]) {
  work w = {.x = points, .count = count};
  *out = (hn_trimesh){0};
  if (count < 4)
    return hn_fail(message, HN_ERR_MODEL, "%d points span no volume: a hull needs four or more",
                   count > 0 ? count : 0);
  // memory and time of the worst case
  if (count > HN_HULL_POINTS)
    return hn_fail(message, HN_ERR_MODEL, "a hull of more than %d points", HN_HULL_POINTS);
  for (int i = 0; i < 3 * count; i++)
    if (!isfinite(points[i]))
      return hn_fail(message, HN_ERR_MODEL, "point %d has a coordinate that is no number",
                     i / 3 + 1);
  w.link = malloc((size_t)count * sizeof *w.link);
  w.start = malloc((size_t)count * sizeof *w.start);
  hn_status status =
      w.link && w.start ? make(&w, out, message) : hn_fail(message, HN_ERR_MEMORY, "out of memory");
  free(w.link), free(w.start), free(w.facet), free(w.stack), free(w.seen);
  if (status) hn_trimesh_free(out);
  return status;
}
