// edges.c: edges of solids in space that cross.
//
// Any edge of one solid may come to cross any edge of the other. Two lines that pass through each
// other change the side on which they lie: g = n.(Q - P) of edges.h changes its sign. So every
// pair is looked at, from the side on which it was when the step began: where both are nearest
// within the edges that is their gap, else their distance is. The least of all pairs is one
// switching function; steps end where it vanishes. What touches there gets a row, one of a few, in
// which this pair is held until the crossing has come to the end of an edge: there a corner stands
// on a face, which is tips.c's.
//
// Edges bear only where their normal leads out of both solids: it lies between the normals of the
// faces at either edge. Others touch as well, where corners stand on faces, and tell nothing.
#include "system/edges.h"
#include "sim/contact.h"
#include "system/polytope.h"

#include <string.h>

static const double beside = 1e-9;  // as in tips.c: beyond the end of an edge, parts of the length
static const double touching = 1e-10;  // edges so near touch
static const double least = 1e-6;      // sine between edges that cross
static const double within = 1e-7;     // by which a normal may miss the faces' normals

// a pair as it lies, in axes of the solid on a
typedef struct crossing {
  double gap, sine;  // n.(Q - P) with n = u x w / sine
  double inside;     // how far the crossing is from the ends of both edges, below zero beyond
  double distance;   // of the edges
  double u[3], w[3], n[3];
} crossing;

void hn_edges_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int most = 0;
  for (int i = 0; i < sys->meetings; i++) {
    const hn_tip *tip = &sys->tip[sys->meeting[i].first];
    int a = hn_polytope_of(tip->solid).corners, b = hn_polytope_of(tip->other).corners;
    most = a > most ? a : most, most = b > most ? b : most;
  }
  place->side = HN_TAKE(arena, int, sys->edge_pairs);
  place->corner = HN_TAKE(arena, double, 3 * most);
}

// ---- geometry ------------------------------------------------------------------------------

// axes of the measure's solid on a (b: on b) in the world, as rows, and its origin
static void axes_of(const hn_sim *sim, const hn_measure *m, bool b, double axis[3][3],
                    double p[3]) {
  const hn_kin *k = &sim->stage.work.kin[b ? m->b : m->a];
  m3_mulv(axis[0], k->R, b ? m->wb : m->ua);
  m3_mulv(axis[1], k->R, b ? m->w2b : m->u2a);
  v3_cross(axis[2], axis[0], axis[1]);
  m3_mulv(p, k->R, b ? m->sb : m->sa);
  v3_add(p, p, k->p);
}

static void turn(double from[3][3], double to[3][3], const double x[3], double o[3]) {
  double world[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) world[i] += x[k] * from[k][i];
  for (int k = 0; k < 3; k++) o[k] = v3_dot(to[k], world);
}

// corners of one solid in axes of the other, into c->corner
static void bring(const hn_sim *sim, const hn_measure *m, bool b, double own[3][3],
                  double other[3][3]) {
  const hn_polytope p = hn_polytope_of(b ? m->other : m->size);
  double from[3], to[3], d[3], away[3];
  axes_of(sim, m, b, own, from);
  axes_of(sim, m, !b, other, to);
  v3_sub(d, from, to);
  for (int k = 0; k < 3; k++) away[k] = v3_dot(other[k], d);
  for (int i = 0; i < p.corners; i++) {
    double *x = sim->contacts->corner + 3 * i;
    turn(own, other, p.corner + 3 * i, x);
    v3_add(x, x, away);
  }
}

// of a point from the line from a along u, of length L
static double from_line(const double x[3], const double a[3], const double u[3], double L) {
  double d[3];
  v3_sub(d, x, a);
  double t = fmax(0, fmin(L, v3_dot(d, u)));
  for (int k = 0; k < 3; k++) d[k] -= t * u[k];
  return v3_norm(d);
}

// of two edges from their first corners to their second ones
static crossing look(const double a[3], const double a2[3], const double b[3], const double b2[3]) {
  crossing o;
  double d[3];
  v3_sub(o.u, a2, a), v3_sub(o.w, b2, b), v3_sub(d, b, a);
  double L = v3_norm(o.u), M = v3_norm(o.w);
  v3_scale(o.u, 1 / L, o.u), v3_scale(o.w, 1 / M, o.w);
  v3_cross(o.n, o.u, o.w);
  o.sine = v3_norm(o.n);
  o.inside = -1, o.gap = 0;
  if (o.sine > least) {
    double c = v3_dot(o.u, o.w), det = 1 - c * c, du = v3_dot(d, o.u), dw = v3_dot(d, o.w);
    double s = (du - c * dw) / det, t = (c * du - dw) / det;
    v3_scale(o.n, 1 / o.sine, o.n);
    o.gap = v3_dot(o.n, d);
    o.inside = fmin(fmin(s, L - s), fmin(t, M - t));
  }
  o.distance = fabs(o.gap);
  if (o.inside < 0)
    o.distance = fmin(fmin(from_line(b, a, o.u, L), from_line(b2, a, o.u, L)),
                      fmin(from_line(a, b, o.w, M), from_line(a2, b, o.w, M)));
  return o;
}

// is a direction between the normals of the faces at an edge? Then it leads into neither of them
static bool between(const double n[3], const double along[3], const double left[3],
                    const double right[3]) {
  double x[3], y[3];
  v3_cross(x, left, along), v3_cross(y, along, right);
  return v3_dot(n, x) <= within && v3_dot(n, y) <= within;
}

// 1: edges bear along n, -1: along -n, 0: not at all
static int bears_along(const crossing *o, const hn_polytope *a, const hn_polytope *b,
                       const double *ea, const double *eb, double own[3][3], double other[3][3]) {
  double left[3], right[3];
  turn(own, other, b->plane + 4 * (int)eb[2], left);
  turn(own, other, b->plane + 4 * (int)eb[3], right);
  for (int sign = 1; sign >= -1; sign -= 2) {
    double n[3], back[3];
    v3_scale(n, sign, o->n), v3_scale(back, -sign, o->n);
    if (between(n, o->u, a->plane + 4 * (int)ea[2], a->plane + 4 * (int)ea[3]) &&
        between(back, o->w, left, right))
      return sign;
  }
  return 0;
}

// ---- every pair ----------------------------------------------------------------------------

// the row in which a pair is held, a tip; -1: none
static int held_in(const hn_sim *sim, const hn_meeting *m, int pair) {
  for (int i = m->first; i < m->first + m->count; i++)
    if (sim->contacts->face[i] >= 0 && sim->contacts->face[i] / 2 == pair) return i;
  return -1;
}

// what is done with a pair; returns whether rows have changed
typedef bool (*pair_fn)(hn_sim *sim, const hn_meeting *m, int pair, const crossing *o, void *user);

static bool each_pair(hn_sim *sim, const hn_meeting *meeting, pair_fn visit, void *user) {
  const hn_measure *m = &sim->sys->measure[sim->sys->tip[meeting->first].measure];
  const hn_polytope a = hn_polytope_of(m->size), b = hn_polytope_of(m->other);
  const double *corner = sim->contacts->corner;
  double own[3][3], other[3][3];
  bool changed = false;
  bring(sim, m, true, own, other);
  for (int i = 0; i < a.edges * b.edges; i++) {
    const double *ea = a.edge + 4 * (i / b.edges), *eb = b.edge + 4 * (i % b.edges);
    if (held_in(sim, meeting, i) >= 0) continue;
    crossing o = look(a.corner + 3 * (int)ea[0], a.corner + 3 * (int)ea[1], corner + 3 * (int)eb[0],
                      corner + 3 * (int)eb[1]);
    changed |= visit(sim, meeting, i, &o, user);
  }
  return changed;
}

static bool nearer(hn_sim *sim, const hn_meeting *m, int pair, const crossing *o, void *user) {
  double *value = user;
  int side = sim->contacts->side[m->pairs + pair];
  if (side) *value = fmin(*value, o->inside > 0 ? side * o->gap : o->distance);
  return false;
}

void hn_edges_values(hn_sim *sim, double *value) {
  for (int i = 0; i < sim->sys->meetings; i++) {
    value[i] = 1;
    each_pair(sim, &sim->sys->meeting[i], nearer, &value[i]);
  }
}

// the side is that of the lines as long as they are away from each other
static bool follow(hn_sim *sim, const hn_meeting *m, int pair, const crossing *o, void *user) {
  int *side = &sim->contacts->side[m->pairs + pair];
  bool away = o->distance > touching * sim->sys->length;
  (void)user;
  if (away && (o->inside < 0 || *side == 0 || *side * o->gap > 0)) *side = o->gap < 0 ? -1 : 1;
  return false;
}

void hn_edges_note(hn_sim *sim) {
  hn_contact_look(sim, sim->state.t, sim->state.y);
  for (int i = 0; i < sim->sys->meetings; i++) each_pair(sim, &sim->sys->meeting[i], follow, NULL);
}

// a free row; -1: as many bear as may at once, and others would repeat them
static int free_row(const hn_sim *sim, const hn_meeting *m) {
  for (int i = m->first; i < m->first + m->count; i++)
    if (sim->contacts->face[i] < 0) return i;
  return -1;
}

static bool meet(hn_sim *sim, const hn_meeting *m, int pair, const crossing *o, void *user) {
  struct hn_contacts *c = sim->contacts;
  const hn_measure *at = &sim->sys->measure[sim->sys->tip[m->first].measure];
  const hn_polytope a = hn_polytope_of(at->size), b = hn_polytope_of(at->other);
  int *side = &c->side[m->pairs + pair], row = free_row(sim, m);
  double length = sim->sys->length, own[3][3], other[3][3], p[3];
  (void)user;
  *side = o->gap < 0 ? -1 : 1;
  if (o->distance > touching * length) return false;
  *side = 0;
  if (row < 0 || o->inside < 0.5 * beside * length) return false;
  axes_of(sim, at, true, own, p), axes_of(sim, at, false, other, p);
  int sign = bears_along(o, &a, &b, a.edge + 4 * (pair / b.edges), b.edge + 4 * (pair % b.edges),
                         own, other);
  if (!sign) return false;
  c->face[row] = 2 * pair + (sign < 0);
  return true;
}

bool hn_edges_meet(hn_sim *sim) {
  bool changed = false;
  for (int i = 0; i < sim->sys->meetings; i++)
    changed |= each_pair(sim, &sim->sys->meeting[i], meet, NULL);
  return changed;
}

double hn_edges_margin(const hn_sim *sim, int tip) {
  hn_measure room;
  const hn_measure *m =
      hn_measure_held(&sim->sys->measure[sim->sys->tip[tip].measure], &sim->stage.work, &room);
  const hn_kin *kin = sim->stage.work.kin;
  hn_crossing o;
  if (!hn_crossing_find(m, &kin[m->a], &kin[m->b], &o)) return 1;
  double s = fmin(o.along[0], o.length[0] - o.along[0]);
  return fmin(s, fmin(o.along[1], o.length[1] - o.along[1])) + beside * sim->sys->length;
}

// ---- at the start --------------------------------------------------------------------------

// how deep the edges of one solid lead through the other, in axes of that
static double depth_in(const hn_polytope *solid, const hn_polytope *of, const double *corner) {
  double deepest = 0;
  for (int e = 0; e < of->edges; e++) {
    const double *x = corner + 3 * (int)of->edge[4 * e], *y = corner + 3 * (int)of->edge[4 * e + 1];
    double from = 0, to = 1, depth = INFINITY;
    for (int f = 0; f < solid->faces; f++) {
      const double *n = solid->plane + 4 * f;
      double s = v3_dot(n, x) - n[3], t = v3_dot(n, y) - n[3];
      if (s > 0 && t > 0) from = 1, to = 0;
      if (s > 0 && t <= 0) from = fmax(from, s / (s - t));
      if (s <= 0 && t > 0) to = fmin(to, s / (s - t));
    }
    for (int f = 0; f < solid->faces && from < to; f++) {
      const double *n = solid->plane + 4 * f;
      double part = 0.5 * (from + to);
      depth = fmin(depth, n[3] - (1 - part) * v3_dot(n, x) - part * v3_dot(n, y));
    }
    if (from < to) deepest = fmax(deepest, depth);
  }
  return deepest;
}

double hn_edges_depth(hn_sim *sim, int meeting) {
  const hn_measure *m = &sim->sys->measure[sim->sys->tip[sim->sys->meeting[meeting].first].measure];
  const hn_polytope a = hn_polytope_of(m->size), b = hn_polytope_of(m->other);
  double own[3][3], other[3][3];
  bring(sim, m, true, own, other);
  double deep = depth_in(&a, &b, sim->contacts->corner);
  bring(sim, m, false, own, other);
  return fmax(deep, depth_in(&b, &a, sim->contacts->corner));
}
