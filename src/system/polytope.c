// polytope.c: see polytope.h.
//
// The nearest point of the surface lies in a face that sees the point, on an edge or in a corner;
// the distance r has the gradient e away from it and second derivatives
//   face 0      edge (1 - e e^T - u u^T) / r, u along it      corner (1 - e e^T) / r
#include "system/polytope.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 4 };

hn_polytope hn_polytope_of(const double *data) {
  // the head: corners, faces, edges, length of all loops
  hn_polytope p = {.corners = (int)data[0], .faces = (int)data[1], .edges = (int)data[2]};
  p.corner = data + HEAD;
  p.plane = p.corner + 3 * p.corners;
  p.first = p.plane + 4 * p.faces;
  p.loop = p.first + p.faces + 1;
  p.edge = p.loop + (int)data[3];
  return p;
}

// ---- making --------------------------------------------------------------------------------

typedef struct side {
  int low, high, triangle, from;  // edge by its corners; triangle that passes it, from this corner
} side;

typedef struct making {
  const double (*corner)[3];
  const int (*triangle)[3];
  int corners, triangles, faces;
  int *face;        // of a triangle; -1: not known yet
  int *next;        // triangle across edge k
  int *touches;     // how many faces a corner has
  int *last, *way;  // last face seen at a corner; where its boundary goes on from there
  double size;      // the largest of its extents
} making;

static int by_edge(const void *x, const void *y) {
  const side *a = x, *b = y;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return 0;
}

// Sorted by their corners, the two triangles at an edge stand next to each other. false: somewhere
// there are one or three.
static bool find_neighbours(making *m, side *list) {
  int count = 3 * m->triangles;
  for (int i = 0; i < count; i++) {
    int a = m->triangle[i / 3][i % 3], b = m->triangle[i / 3][(i + 1) % 3];
    list[i] = (side){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
  }
  qsort(list, (size_t)count, sizeof *list, by_edge);
  if (count % 2) return false;
  for (int i = 0; i < count; i += 2) {
    if (by_edge(&list[i], &list[i + 1]) != 0) return false;
    m->next[3 * list[i].triangle + list[i].from] = list[i + 1].triangle;
    m->next[3 * list[i + 1].triangle + list[i + 1].from] = list[i].triangle;
  }
  return true;
}

// unit normal of a triangle (zero where it has no area); returns twice its area
static double normal_of(const making *m, int t, double n[3]) {
  double u[3], v[3];
  const int *c = m->triangle[t];
  v3_sub(u, m->corner[c[1]], m->corner[c[0]]), v3_sub(v, m->corner[c[2]], m->corner[c[0]]);
  v3_cross(n, u, v);
  double area = v3_norm(n);
  if (area > 0) v3_scale(n, 1 / area, n);
  return area;
}

// From the largest triangle that has no face yet to its neighbours, as long as they lie in its
// plane
static void gather_face(making *m, int seed, int *stack) {
  double n[3], other[3];
  int waiting = 0;
  normal_of(m, seed, n);
  double offset = v3_dot(n, m->corner[m->triangle[seed][0]]);
  m->face[seed] = m->faces;
  stack[waiting++] = seed;
  while (waiting) {
    int t = stack[--waiting];
    for (int k = 0; k < 3; k++) {
      int g = m->next[3 * t + k];
      if (m->face[g] >= 0) continue;
      bool flat = true;
      for (int c = 0; c < 3; c++)
        flat = flat && fabs(v3_dot(n, m->corner[m->triangle[g][c]]) - offset) < 1e-6 * m->size;
      // slivers have no normal to speak of, and go where they lie; others must not turn by more
      // than 26 degrees
      if (!flat || (normal_of(m, g, other) > 1e-6 * m->size * m->size && v3_dot(n, other) < 0.9))
        continue;
      m->face[g] = m->faces;
      stack[waiting++] = g;
    }
  }
  m->faces++;
}

// what is inside of a face, or between two of them only, is no corner
static void count_faces(making *m) {
  for (int c = 0; c < m->corners; c++) m->touches[c] = 0;
  for (int f = 0; f < m->faces; f++)
    for (int t = 0; t < m->triangles; t++)
      for (int k = 0; k < 3 && m->face[t] == f; k++) {
        int c = m->triangle[t][k];
        // a corner counts once per face
        if (m->last[c] == f + 1) continue;
        m->last[c] = f + 1;
        m->touches[c]++;
      }
}

// corners of a face in order, those that are some; how many, 0: it is none
static int walk(making *m, int f, double *loop, const int *number) {
  int start = -1, count = 0, steps = 0;
  for (int t = 0; t < m->triangles; t++)
    for (int k = 0; k < 3 && m->face[t] == f; k++) {
      // inside of the face: no boundary
      if (m->face[m->next[3 * t + k]] == f) continue;
      start = m->triangle[t][k];
      m->way[start] = m->triangle[t][(k + 1) % 3];
    }
  if (start < 0) return 0;
  // corners of fewer than three faces lie within an edge; the boundary ends where it began, or
  // never
  for (int c = start; steps < 3 * m->triangles; steps++) {
    if (m->touches[c] >= 3) loop[count++] = number[c];
    c = m->way[c];
    if (c == start) break;
  }
  return count < 3 ? 0 : count;
}

// Newell's normal, of the whole polygon; on it the outermost corner
static void plane_of(const double *corner, const double *loop, int count, double plane[4]) {
  double n[3] = {0, 0, 0};
  for (int i = 0; i < count; i++) {
    const double *x = corner + 3 * (int)loop[i], *y = corner + 3 * (int)loop[(i + 1) % count];
    double c[3];
    v3_cross(c, x, y);
    v3_add(n, n, c);
  }
  v3_scale(plane, 1 / v3_norm(n), n);
  plane[3] = -INFINITY;
  for (int i = 0; i < count; i++)
    plane[3] = fmax(plane[3], v3_dot(plane, corner + 3 * (int)loop[i]));
}

// every edge is passed twice, once each way
static int find_edges(const hn_polytope *p, double *edge) {
  int count = 0;
  for (int f = 0; f < p->faces; f++) {
    int from = (int)p->first[f], n = (int)p->first[f + 1] - from;
    for (int i = 0; i < n; i++) {
      double a = p->loop[from + i], b = p->loop[from + (i + 1) % n];
      bool known = false;
      for (int e = 0; e < count && !known; e++)
        // passed the other way round, by the second face of the edge
        if (edge[4 * e] == b && edge[4 * e + 1] == a) edge[4 * e + 3] = f, known = true;
      if (known) continue;
      double *o = edge + 4 * count++;
      o[0] = a, o[1] = b, o[2] = f, o[3] = -1;
    }
  }
  // an edge with one face: the surface is not closed
  for (int e = 0; e < count; e++)
    if (edge[4 * e + 3] < 0) return 0;
  return count;
}

static double *write_down(making *m, int *number, int *size) {
  int corners = 0, most = 3 * m->triangles;
  for (int c = 0; c < m->corners; c++) number[c] = m->touches[c] >= 3 ? corners++ : -1;
  // the boundaries of all faces are edges of triangles: none is longer than all of these
  *size = HEAD + 3 * corners + 4 * m->faces + m->faces + 1 + 5 * most;
  double *data = calloc((size_t)*size, sizeof *data);
  if (!data) return NULL;
  double *x = data + HEAD, *plane = x + 3 * corners, *first = plane + 4 * m->faces;
  double *loop = first + m->faces + 1;
  for (int c = 0; c < m->corners; c++)
    if (number[c] >= 0) v3_copy(x + 3 * number[c], m->corner[c]);
  int used = 0;
  bool good = true;
  for (int f = 0; f < m->faces; f++) {
    int count = walk(m, f, loop + used, number);
    good = good && count > 0;
    first[f] = used;
    if (count) plane_of(x, loop + used, count, plane + 4 * f);
    used += count;
  }
  first[m->faces] = used;
  data[0] = corners, data[1] = m->faces, data[3] = used;
  hn_polytope p = hn_polytope_of(data);
  int edges = good ? find_edges(&p, loop + used) : 0;
  data[2] = edges;
  *size = HEAD + 3 * corners + 4 * m->faces + m->faces + 1 + used + 4 * edges;
  // Euler: a solid without holes
  if (corners - edges + m->faces != 2) data[0] = 0;
  return data;
}

static double *make(making *m, int *room, side *sides, int *size, hn_status *status,
                    char message[HN_MESSAGE]) {
  // a stack, more than long enough for all triangles, and new numbers of the corners behind it
  int *stack = room, *number = room + 3 * m->triangles;
  *status = hn_fail(message, HN_ERR_MODEL, "the triangles of the hull do not close");
  if (!find_neighbours(m, sides)) return NULL;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 3 * m->corners; i++) {
    low[i % 3] = fmin(low[i % 3], m->corner[i / 3][i % 3]);
    high[i % 3] = fmax(high[i % 3], m->corner[i / 3][i % 3]);
  }
  m->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  for (int t = 0; t < m->triangles; t++) m->face[t] = -1;
  // faces begin with the largest triangle left, whose plane is known best
  for (;;) {
    int seed = -1;
    double most = 0, n[3];
    for (int t = 0; t < m->triangles; t++) {
      double area = m->face[t] < 0 ? normal_of(m, t, n) : 0;
      if (m->face[t] < 0 && (seed < 0 || area > most)) seed = t, most = area;
    }
    if (seed < 0) break;
    gather_face(m, seed, stack);
  }
  for (int c = 0; c < m->corners; c++) m->last[c] = 0;
  count_faces(m);
  int corners = 0;
  for (int c = 0; c < m->corners; c++) corners += m->touches[c] >= 3;
  if (corners > HN_POLYTOPE_CORNERS) {
    *status = hn_fail(message, HN_ERR_MODEL,
                      "a hull of %d corners is too fine to touch anything (at most %d: take a "
                      "coarser mesh)",
                      corners, HN_POLYTOPE_CORNERS);
    return NULL;
  }
  double *data = write_down(m, number, size);
  if (!data) *status = hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (data && data[0] == 0) {
    free(data);
    *status = hn_fail(message, HN_ERR_MODEL,
                      "faces of the hull are too narrow to be told apart (less than a millionth of "
                      "its size)");
    return NULL;
  }
  if (data) *status = HN_OK;
  return data;
}

double *hn_polytope_make(const double (*corner)[3], int corners, const int (*triangle)[3],
                         int triangles, int *size, hn_status *status, char message[HN_MESSAGE]) {
  size_t t = (size_t)triangles, c = (size_t)corners;
  int *room = calloc(7 * t + 4 * c + 1, sizeof *room);
  side *sides = malloc((3 * t + 1) * sizeof *sides);
  double *data = NULL;
  *status = HN_ERR_MEMORY;
  if (room && sides) {
    making m = {.corner = corner, .triangle = triangle, .corners = corners, .triangles = triangles};
    m.face = room + 3 * t + c, m.next = m.face + t;
    m.touches = m.next + 3 * t, m.last = m.touches + c, m.way = m.last + c;
    data = make(&m, room, sides, size, status, message);
  } else {
    hn_fail(message, HN_ERR_MEMORY, "out of memory");
  }
  free(room), free(sides);
  return data;
}

// ---- distance ------------------------------------------------------------------------------

// does the face lie below the point, seen along its normal?
static bool is_below(const hn_polytope *p, int f, const double x[3]) {
  const double *n = p->plane + 4 * f;
  int from = (int)p->first[f], count = (int)p->first[f + 1] - from;
  for (int i = 0; i < count; i++) {
    const double *a = p->corner + 3 * (int)p->loop[from + i];
    const double *b = p->corner + 3 * (int)p->loop[from + (i + 1) % count];
    double u[3], d[3], c[3];
    v3_sub(u, b, a), v3_sub(d, x, a);
    v3_cross(c, u, d);
    // outside of this edge
    if (v3_dot(c, n) < 0) return false;
  }
  return true;
}

static void from_face(const hn_polytope *p, int f, double value, hn_surface_at *o) {
  *o = (hn_surface_at){.value = value};
  v3_copy(o->gradient, p->plane + 4 * f);
}

static void from_edges(const hn_polytope *p, const double x[3], int level, hn_surface_at *o) {
  double least = INFINITY, away[3] = {0}, along[3] = {0};
  bool inner = false;
  for (int e = 0; e < p->edges; e++) {
    const double *a = p->corner + 3 * (int)p->edge[4 * e];
    const double *b = p->corner + 3 * (int)p->edge[4 * e + 1];
    double u[3], d[3];
    v3_sub(u, b, a), v3_sub(d, x, a);
    // the nearest point of the edge is a + t u
    double length = v3_dot(u, u), t = fmax(0, fmin(1, v3_dot(u, d) / length));
    for (int k = 0; k < 3; k++) d[k] -= t * u[k];
    double square = v3_dot(d, d);
    if (square >= least) continue;
    least = square, inner = t > 0 && t < 1;
    v3_copy(away, d);
    v3_scale(along, 1 / sqrt(length), u);
  }
  double r = sqrt(least), *e = o->gradient;
  *o = (hn_surface_at){.value = r};
  if (r > 0) v3_scale(e, 1 / r, away);
  // see the head of the file: nothing changes along an edge
  for (int i = 0; i < 3 && level > 1 && r > 0; i++)
    for (int j = 0; j < 3; j++)
      o->hessian[3 * i + j] = ((i == j) - e[i] * e[j] - (inner ? along[i] * along[j] : 0)) / r;
}

static void hull(const double *data, const double x[3], int level, hn_surface_at *o) {
  hn_polytope p = hn_polytope_of(data);
  double most = -INFINITY;
  int face = 0;
  for (int f = 0; f < p.faces; f++) {
    double s = v3_dot(p.plane + 4 * f, x) - p.plane[4 * f + 3];
    // above a face, that is the distance
    if (s > 0 && is_below(&p, f, x)) {
      from_face(&p, f, s, o);
      return;
    }
    if (s > most) most = s, face = f;
  }
  if (most > 0)
    from_edges(&p, x, level, o);
  else
    from_face(&p, face, most, o);
}

static void face(const double *data, const double x[3], int level, hn_surface_at *o) {
  (void)level;
  *o = (hn_surface_at){.value = v3_dot(data, x) - data[3]};
  v3_copy(o->gradient, data);
}

const hn_surface hn_surface_hull = {"hull", hull};
const hn_surface hn_surface_face = {"face", face};

double hn_polytope_margin(const hn_polytope *p, int f, const double x[3]) {
  const double *n = p->plane + 4 * f;
  int from = (int)p->first[f], count = (int)p->first[f + 1] - from;
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    const double *a = p->corner + 3 * (int)p->loop[from + i];
    const double *b = p->corner + 3 * (int)p->loop[from + (i + 1) % count];
    double u[3], d[3], in[3];
    v3_sub(u, b, a), v3_sub(d, x, a);
    v3_cross(in, n, u);
    least = fmin(least, v3_dot(in, d) / v3_norm(u));
  }
  return least;
}

int hn_polytope_spokes(const hn_polytope *p, int corner, double (*along)[3], int most) {
  int count = 0;
  for (int e = 0; e < p->edges; e++) {
    int from = (int)p->edge[4 * e], to = (int)p->edge[4 * e + 1];
    if ((from != corner && to != corner) || count == most) continue;
    if (from != corner) to = from;
    v3_sub(along[count], p->corner + 3 * to, p->corner + 3 * corner);
    v3_scale(along[count], 1 / v3_norm(along[count]), along[count]);
    count++;
  }
  return count;
}
