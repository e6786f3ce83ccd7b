// edges.c: see edges.h.
//
// With u along the edge of a, w along that of b, n = +-u x w / |u x w| and P, Q where the lines are
// nearest to each other, Q - P = g n. As n is across both edges, only the velocities of the bodies
// count at P and Q, not that these move along the edges:
//
//   g' = n.(v_b(Q) - v_a(P))
//
// n and the ways x, y of P and Q along their edges change by
//
//   n'.u = -n.(w_a x u),  n'.w = -n.(w_b x w),  n'.n = 0
//   v_b(Q) - v_a(P) = g' n + g n' + x' u - y' w
//
// and so, for any direction t, without accelerations,
//
//   (t.(v_b(Q) - v_a(P)))' = t'.(v_b(Q) - v_a(P))
//                            + t.(w_b x (w_b x r_b) + y' w_b x w - w_a x (w_a x r_a) - x' w_a x u)
//
// t = n is the gap, t = u and t = n x u are slips along it.
#include "system/edges.h"

#include "base/vec.h"
#include "system/polytope.h"

#include <string.h>

// a corner in the world, from the centre of mass; x, y: axes of the solid in the body
static void corner_of(const hn_kin *k, const double s[3], const double x[3], const double y[3],
                      const double at[3], double o[3]) {
  double z[3], inner[3];
  v3_cross(z, x, y);
  for (int i = 0; i < 3; i++) inner[i] = s[i] + at[0] * x[i] + at[1] * y[i] + at[2] * z[i];
  m3_mulv(o, k->R, inner);
}

bool hn_crossing_find(const hn_measure *m, const hn_kin *a, const hn_kin *b, hn_crossing *o) {
  if (m->pair < 0) return false;
  const hn_polytope A = hn_polytope_of(m->size), B = hn_polytope_of(m->other);
  const double *ea = A.edge + 4 * (m->pair / 2 / B.edges),
               *eb = B.edge + 4 * (m->pair / 2 % B.edges);
  double d[3];
  corner_of(a, m->sa, m->ua, m->u2a, A.corner + 3 * (int)ea[0], o->ra);
  corner_of(a, m->sa, m->ua, m->u2a, A.corner + 3 * (int)ea[1], o->u);
  corner_of(b, m->sb, m->wb, m->w2b, B.corner + 3 * (int)eb[0], o->rb);
  corner_of(b, m->sb, m->wb, m->w2b, B.corner + 3 * (int)eb[1], o->w);
  v3_sub(o->u, o->u, o->ra), v3_sub(o->w, o->w, o->rb);
  o->length[0] = v3_norm(o->u), o->length[1] = v3_norm(o->w);
  v3_scale(o->u, 1 / o->length[0], o->u), v3_scale(o->w, 1 / o->length[1], o->w);
  v3_cross(o->n, o->u, o->w);
  v3_scale(o->n, (m->pair % 2 ? -1 : 1) / v3_norm(o->n), o->n);
  for (int i = 0; i < 3; i++) d[i] = b->p[i] + o->rb[i] - a->p[i] - o->ra[i];
  o->gap = v3_dot(o->n, d);
  double c = o->cosine = v3_dot(o->u, o->w), det = 1 - c * c, du = v3_dot(d, o->u),
         dw = v3_dot(d, o->w);
  o->along[0] = (du - c * dw) / det, o->along[1] = (c * du - dw) / det;
  for (int i = 0; i < 3; i++) o->ra[i] += o->along[0] * o->u[i], o->rb[i] += o->along[1] * o->w[i];
  return true;
}

// of a motion of the two bodies, or of small moves of theirs: world axes
typedef struct moving {
  double dv[3];         // v_b(Q) - v_a(P)
  double ta[3], tb[3];  // turns
  double n[3], x, y;    // how n, and the places along the edges, change
} moving;

static void move(const hn_crossing *o, const double va[3], const double ta[3], const double vb[3],
                 const double tb[3], moving *k) {
  double x[3], y[3], c = o->cosine, det = 1 - c * c;
  v3_copy(k->ta, ta), v3_copy(k->tb, tb);
  v3_cross(x, ta, o->ra), v3_cross(y, tb, o->rb);
  for (int i = 0; i < 3; i++) k->dv[i] = vb[i] + y[i] - va[i] - x[i];
  v3_cross(x, ta, o->u), v3_cross(y, tb, o->w);
  double nu = -v3_dot(o->n, x), nw = -v3_dot(o->n, y);
  double pu = (nu - c * nw) / det, pw = (nw - c * nu) / det;
  for (int i = 0; i < 3; i++) k->n[i] = pu * o->u[i] + pw * o->w[i];
  double du = v3_dot(k->dv, o->u) - o->gap * nu, dw = v3_dot(k->dv, o->w) - o->gap * nw;
  k->x = (du - c * dw) / det, k->y = (c * du - dw) / det;
}

// t: which, 0 the normal, 1 and 2 the tangents; and how it changes
static void direction(const hn_crossing *o, int which, double t[3]) {
  if (which == 2)
    v3_cross(t, o->n, o->u);
  else
    v3_copy(t, which ? o->u : o->n);
}

static void direction_change(const hn_crossing *o, int which, const moving *k, double dt[3]) {
  double x[3], y[3];
  v3_copy(dt, k->n);
  if (which == 0) return;
  v3_cross(x, k->ta, o->u);
  v3_copy(dt, x);
  if (which == 1) return;
  v3_cross(dt, k->n, o->u);
  v3_cross(y, o->n, x);
  v3_add(dt, dt, y);
}

// t.(v_b(Q) - v_a(P)), its gradient on the twists, its change without accelerations
static void eval_along(hn_mval *o, const hn_crossing *e, int which, const hn_kin *a,
                       const hn_kin *b, int level) {
  double t[3], x[3], y[3], dt[3];
  moving k;
  direction(e, which, t);
  v3_scale(o->ja, -1, t), v3_copy(o->jb, t);
  v3_cross(x, t, e->ra), v3_cross(y, e->rb, t);
  m3_tmulv(o->ja + 3, a->R, x), m3_tmulv(o->jb + 3, b->R, y);
  move(e, a->v, a->w, b->v, b->w, &k);
  o->rate = v3_dot(t, k.dv);
  if (level < 2) return;
  direction_change(e, which, &k, dt);
  o->bias = v3_dot(dt, k.dv);
  v3_centripetal(x, b->w, e->rb), v3_centripetal(y, a->w, e->ra);
  o->bias += v3_dot(t, x) - v3_dot(t, y);
  v3_cross(x, b->w, e->w), v3_cross(y, a->w, e->u);
  o->bias += k.y * v3_dot(t, x) - k.x * v3_dot(t, y);
}

// The gradient is (-t, -R_a^T (r_a x t), t, R_b^T (r_b x t)): by small moves of the bodies, in turn
// along world axes and about their own
static void hessian_along(const hn_crossing *e, int which, const hn_kin *a, const hn_kin *b,
                          double block[4][36]) {
  const hn_kin *of[2] = {a, b};
  double t[3];
  direction(e, which, t);
  for (int column = 0; column < 12; column++) {
    double v[2][3] = {{0}}, turn[2][3] = {{0}}, dt[3];
    int body = column / 6, i = column % 6;
    for (int r = 0; r < 3 && i >= 3; r++) turn[body][r] = of[body]->R[3 * r + i - 3];
    if (i < 3) v[body][i] = 1;
    moving k;
    move(e, v[0], turn[0], v[1], turn[1], &k);
    direction_change(e, which, &k, dt);
    for (int s = 0; s < 2; s++) {
      const double *arm = s ? e->rb : e->ra, *along = s ? e->w : e->u;
      double darm[3], z[3], dz[3], x[3], row[6];
      v3_cross(darm, turn[s], arm);
      for (int r = 0; r < 3; r++) darm[r] += (s ? k.y : k.x) * along[r];
      v3_cross(z, arm, t);
      v3_cross(dz, darm, t), v3_cross(x, arm, dt);
      v3_add(dz, dz, x);
      v3_cross(x, turn[s], z);
      v3_sub(dz, dz, x);
      v3_copy(row, dt);
      m3_tmulv(row + 3, of[s]->R, dz);
      for (int r = 0; r < 6; r++) block[2 * s + body][6 * r + i] += (s ? 1 : -1) * row[r];
    }
  }
}

// without a pair the edges are farther apart than anything is
static const double far = 1e30;
void hn_eval_edges(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b, int level) {
  hn_crossing e;
  bool found = hn_crossing_find(m, a, b, &e);
  if (level >= 1) *o = (hn_mval){0};
  o->value = found ? e.gap : far;
  if (level >= 1 && found) eval_along(o, &e, 0, a, b, level);
}

void hn_hessian_edges(const hn_measure *m, const hn_kin *a, const hn_kin *b, double block[4][36]) {
  hn_crossing e;
  if (hn_crossing_find(m, a, b, &e)) hessian_along(&e, 0, a, b, block);
}

void hn_eval_edge_slip(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                       int level) {
  hn_crossing e;
  if (level >= 1) *o = (hn_mval){0};
  o->value = 0;
  if (level >= 1 && hn_crossing_find(m, a, b, &e)) eval_along(o, &e, 1 + m->way, a, b, level);
}

void hn_hessian_edge_slip(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                          double block[4][36]) {
  hn_crossing e;
  if (hn_crossing_find(m, a, b, &e)) hessian_along(&e, 1 + m->way, a, b, block);
}

void hn_edge_place(const hn_measure *m, const hn_kin *a, const hn_kin *b, double place[6]) {
  hn_crossing e;
  if (!hn_crossing_find(m, a, b, &e)) return;
  m3_tmulv(place, a->R, e.ra), m3_tmulv(place + 3, b->R, e.rb);
}

double hn_edge_slip_since(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                          const double place[6]) {
  hn_crossing e;
  double t[3], p[3], q[3];
  if (!hn_crossing_find(m, a, b, &e)) return 0;
  direction(&e, 1 + m->way, t);
  m3_mulv(p, a->R, place), m3_mulv(q, b->R, place + 3);
  for (int i = 0; i < 3; i++) q[i] += b->p[i] - a->p[i] - p[i];
  return v3_dot(t, q);
}
