// measure.c: scalar functions of two bodies, their gradients, second time derivatives, Hessians.
//
// Gradients are taken on the twists: linear velocity of the centre of mass in world axes, angular
// velocity in body axes. With a small turn d (world axes) of a body, a vector u fixed in it
// changes by d x u = -[u] d, so every formula below is first written for world turns and then
// multiplied by R, which maps body turns to world turns.
//
//   dot1      u.w                    turn of a: u x w,         turn of b: w x u
//   dot2      u.d, d = P_b - P_a     a: -u, u x (d + r_a)      b: u, r_b x u
//   distance  L = |d|, e = d / L     a: -e, -(r_a x e)         b: e, r_b x e
//   surface   s(p), n its gradient   as dot2 along n, which turns with a
//   edges     see edges.c
//   angle     atan2(s, c)            (c grad s - s grad c) / (c^2 + s^2)
//   asin      asin(x)                grad x / sqrt(1 - x^2)
//   spin      rate u.(w_b - w_a)     a: -u,                    b: u; no function has this gradient
#include "system/measure.h"
#include "base/elementary.h"
#include "system/edges.h"
#include "system/polytope.h"
#include "system/rim.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

// a direction product u.w with everything derived from it
typedef struct dot1 {
  double value, rate, bias;
  double n[3];  // u x w: the gradient on world turns of a, its negative on those of b
  double u[3], w[3];
} dot1;

// The rate is n.(w_a - w_b); the bias is the second derivative at constant angular velocities,
// u''.w + 2 u'.w' + u.w'' with u' = w_a x u.
static void eval_dot1(dot1 *o, const hn_kin *a, const hn_kin *b, const double ua[3],
                      const double wb[3], int level) {
  m3_mulv(o->u, a->R, ua);
  m3_mulv(o->w, b->R, wb);
  o->value = v3_dot(o->u, o->w);
  if (level < 1) return;
  v3_cross(o->n, o->u, o->w);
  o->rate = v3_dot(o->n, a->w) - v3_dot(o->n, b->w);
  if (level < 2) return;
  double udot[3], wdot[3], uu[3], ww[3];
  v3_cross(udot, a->w, o->u);
  v3_cross(wdot, b->w, o->w);
  v3_centripetal(uu, a->w, o->u);
  v3_centripetal(ww, b->w, o->w);
  o->bias = v3_dot(uu, o->w) + 2 * v3_dot(udot, wdot) + v3_dot(o->u, ww);
}

// turn gradients in body axes: ja[3..5] = R_a^T ga, jb[3..5] = R_b^T gb
static void turn_gradient(hn_mval *o, const hn_kin *a, const hn_kin *b, const double ga[3],
                          const double gb[3]) {
  m3_tmulv(o->ja + 3, a->R, ga);
  m3_tmulv(o->jb + 3, b->R, gb);
}

static void eval_one_dot1(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                          int level) {
  dot1 x;
  eval_dot1(&x, a, b, m->ua, m->wb, level);
  o->value = x.value;
  if (level < 1) return;
  // the gradient on turns of b is the opposite of that on a's
  double nb[3] = {-x.n[0], -x.n[1], -x.n[2]};
  o->rate = x.rate;
  memset(o->ja, 0, 3 * sizeof(double));
  memset(o->jb, 0, 3 * sizeof(double));
  turn_gradient(o, a, b, x.n, nb);
  if (level >= 2) o->bias = x.bias;
}

// along u, world axes, which is fixed in a
void hn_eval_along(hn_mval *o, const hn_measure *m, const double u[3], const hn_kin *a,
                   const hn_kin *b, int level) {
  double ra[3], rb[3], e[3], d[3];
  m3_mulv(ra, a->R, m->sa);
  m3_mulv(rb, b->R, m->sb);
  v3_sub(e, b->p, a->p);
  v3_add(e, e, rb);  // from the centre of a to the point of b
  v3_sub(d, e, ra);
  o->value = v3_dot(u, d);
  if (level < 1) return;
  double ga[3], gb[3];
  v3_scale(o->ja, -1, u);
  v3_copy(o->jb, u);
  // arms are from the centres of mass: of a to the point of b, as u turns with a
  v3_cross(ga, u, e);
  v3_cross(gb, rb, u);
  turn_gradient(o, a, b, ga, gb);
  double dv[3];
  v3_sub(dv, b->v, a->v);
  o->rate = v3_dot(u, dv) + v3_dot(ga, a->w) + v3_dot(gb, b->w);
  if (level < 2) return;
  // (u.d)'' = u''.d + 2 u'.d' + u.d'', without accelerations
  double udot[3], ddot[3], x[3], ca[3], cb[3];
  v3_cross(udot, a->w, u);
  v3_cross(ddot, b->w, rb);
  v3_cross(x, a->w, ra);
  v3_sub(ddot, ddot, x);
  v3_add(ddot, ddot, dv);
  v3_centripetal(x, a->w, u);
  v3_centripetal(ca, a->w, ra);
  v3_centripetal(cb, b->w, rb);
  o->bias = v3_dot(x, d) + 2 * v3_dot(udot, ddot) + v3_dot(u, cb) - v3_dot(u, ca);
}

static void eval_dot2(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                      int level) {
  double u[3];
  m3_mulv(u, a->R, m->ua);
  hn_eval_along(o, m, u, a, b, level);
}

void hn_surface_point(const hn_measure *m, const hn_kin *a, const hn_kin *b, double axis[3][3],
                      double p[3], double rate[3]) {
  double rb[3], ra[3], e[3], d[3], u[3], x[3];
  // x and y are kept, z completes them
  m3_mulv(axis[0], a->R, m->ua);
  m3_mulv(axis[1], a->R, m->u2a);
  v3_cross(axis[2], axis[0], axis[1]);
  m3_mulv(ra, a->R, m->sa);
  m3_mulv(rb, b->R, m->sb);
  // e from the centre of mass of a, d from the middle of the surface
  for (int i = 0; i < 3; i++) e[i] = b->p[i] + rb[i] - a->p[i], d[i] = e[i] - ra[i];
  v3_cross(u, b->w, rb);
  v3_cross(x, a->w, e);
  // velocity of the point as a sees it
  for (int i = 0; i < 3; i++) u[i] += b->v[i] - a->v[i] - x[i];
  for (int i = 0; i < 3; i++) p[i] = v3_dot(axis[i], d), rate[i] = v3_dot(axis[i], u);
}

// A wheel is measured at the point of its rim that is nearest, as if that were fixed to it; returns
// how the distance bends along the rim, 0: it does not matter. along: the tangent there, world axes
static double to_rim(hn_measure *m, const hn_kin *a, const hn_kin *b, double along[3]) {
  double axis[3][3], p[3], rate[3], w[3], in[3], world[3], inner[3];
  hn_rim rim;
  hn_surface_point(m, a, b, axis, p, rate);
  m3_mulv(w, b->R, m->wb);
  for (int i = 0; i < 3; i++) in[i] = v3_dot(axis[i], w);
  hn_rim_find(m->surface, m->size, p, in, m->rim, &rim);
  for (int i = 0; i < 3; i++) {
    world[i] = along[i] = 0;
    for (int k = 0; k < 3; k++)
      world[i] += rim.arm[k] * axis[k][i], along[i] += rim.along[k] * axis[k][i];
  }
  m3_tmulv(inner, b->R, world);
  v3_add(m->sb, m->sb, inner);
  return rim.bend;
}

// how s_phi of rim.h changes with the positions, over the twists of a and b: g are gradients of the
// point's three coordinates
static void rim_gradient(const hn_kin *a, const hn_kin *b, double axis[3][3], double g[3][12],
                         const hn_surface_at *s, const double n[3], const double along[3],
                         double out[12]) {
  double across[3], in[3], turn[3], inner[3];
  for (int i = 0; i < 3; i++) in[i] = v3_dot(axis[i], along);
  m3_mulv(across, s->hessian, in);
  for (int k = 0; k < 12; k++)
    out[k] = across[0] * g[0][k] + across[1] * g[1][k] + across[2] * g[2][k];
  v3_cross(turn, along, n);
  m3_tmulv(inner, a->R, turn);
  for (int i = 0; i < 3; i++) out[3 + i] -= inner[i];
  m3_tmulv(inner, b->R, turn);
  for (int i = 0; i < 3; i++) out[9 + i] += inner[i];
}

// s(p(q)) with p the point in axes of a: to first order it is a product with the normal n, fixed in
// a, and to second order n turns as p moves: the bias gets p'.(d2s/dp2) p' on top of that of
// eval_along. Where a rim is nearest moves along it as well (rim.h)
static void eval_surface(hn_mval *o, const hn_measure *given, const hn_kin *a, const hn_kin *b,
                         int level) {
  double axis[3][3], p[3], rate[3], n[3], along[3], bend = 0;
  hn_measure own = *given, *m = &own;
  hn_surface_at s;
  if (m->rim > 0) bend = to_rim(m, a, b, along);
  hn_surface_point(m, a, b, axis, p, rate);
  m->surface->eval(m->size, p, level, &s);
  if (level >= 1) {
    // the normal in world axes
    for (int i = 0; i < 3; i++)
      n[i] = s.gradient[0] * axis[0][i] + s.gradient[1] * axis[1][i] + s.gradient[2] * axis[2][i];
    hn_eval_along(o, m, n, a, b, level);
  }
  o->value = s.value;
  if (level < 2) return;
  double change[3];
  m3_mulv(change, s.hessian, rate);
  o->bias += v3_dot(change, rate);
  if (!(bend > 0)) return;
  double w[3], turned[3], moves;
  v3_sub(w, b->w, a->w);
  v3_cross(turned, w, along);
  moves = v3_dot(n, turned);
  for (int i = 0; i < 3; i++) moves += change[i] * v3_dot(axis[i], along);
  o->bias -= moves * moves / bend;
}

// L'' = e.d'' + (|d'|^2 - L'^2) / L: the last term is what moves across the line.
static void eval_distance(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                          int level) {
  double ra[3], rb[3], d[3];
  m3_mulv(ra, a->R, m->sa);
  m3_mulv(rb, b->R, m->sb);
  for (int i = 0; i < 3; i++) d[i] = b->p[i] + rb[i] - a->p[i] - ra[i];
  double L = v3_norm(d);
  o->value = L;
  if (level < 1) return;
  // coincident points have no direction: the gradient is zero there, not undefined
  double e[3] = {0, 0, 0}, ga[3], gb[3];
  if (L > 0) v3_scale(e, 1 / L, d);
  v3_scale(o->ja, -1, e);
  v3_copy(o->jb, e);
  v3_cross(ga, e, ra);
  v3_cross(gb, rb, e);
  turn_gradient(o, a, b, ga, gb);
  o->rate = v3_dot(e, b->v) - v3_dot(e, a->v) + v3_dot(ga, a->w) + v3_dot(gb, b->w);
  if (level < 2) return;
  double ddot[3], x[3], ca[3], cb[3];
  v3_cross(ddot, b->w, rb);
  v3_cross(x, a->w, ra);
  for (int i = 0; i < 3; i++) ddot[i] += b->v[i] - a->v[i] - x[i];
  v3_centripetal(ca, a->w, ra);
  v3_centripetal(cb, b->w, rb);
  double spread = L > 0 ? (v3_dot(ddot, ddot) - o->rate * o->rate) / L : 0;
  o->bias = spread + v3_dot(e, cb) - v3_dot(e, ca);
}

// With r^2 = c^2 + s^2 not one (angles of b out of the plane of a: yaw and roll), the quotient
// makes the gradient right nevertheless; at r = 0 the angle has no meaning, see hn_angle_meaning.
static void eval_angle(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                       const double *near, int level) {
  dot1 c, s;
  eval_dot1(&c, a, b, m->ua, m->wb, level);
  eval_dot1(&s, a, b, m->u2a, m->w2b, level);
  double angle = hn_atan2(s.value, c.value) + m->offset;
  // the turn nearest to the expected angle keeps the coordinate continuous
  o->value = angle + 2 * pi * rint((near[m->turn] - angle) / (2 * pi)) - m->offset;
  if (level < 1) return;
  double r2 = c.value * c.value + s.value * s.value;
  // grad atan2(s, c) = (c grad s - s grad c) / r^2
  double kc = -s.value / r2, ks = c.value / r2;
  double ga[3], gb[3];
  for (int i = 0; i < 3; i++) {
    ga[i] = kc * c.n[i] + ks * s.n[i];
    gb[i] = -ga[i];
  }
  // displacements alone turn nothing
  memset(o->ja, 0, 3 * sizeof(double));
  memset(o->jb, 0, 3 * sizeof(double));
  turn_gradient(o, a, b, ga, gb);
  o->rate = kc * c.rate + ks * s.rate;
  if (level < 2) return;
  // r^2 angle'' = c s'' - s c'' - 2 angle' (c c' + s s')
  o->bias = kc * c.bias + ks * s.bias - 2 * o->rate * (c.value * c.rate + s.value * s.rate) / r2;
}

double hn_angle_meaning(const hn_measure *m, const hn_work *work) {
  const hn_kin *a = &work->kin[m->a], *b = &work->kin[m->b];
  dot1 c, s;
  eval_dot1(&c, a, b, m->ua, m->wb, 0);
  if (m->type == HN_M_ASIN) return sqrt(fmax(1 - c.value * c.value, 0));
  if (m->type != HN_M_ANGLE) return 1;
  eval_dot1(&s, a, b, m->u2a, m->w2b, 0);
  return hn_hypot(s.value, c.value);
}

static void eval_asin(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                      int level) {
  eval_one_dot1(o, m, a, b, level);
  // round-off may lead out of the range
  double x = o->value < -1 ? -1 : o->value > 1 ? 1 : o->value;
  o->value = hn_asin(x);
  if (level < 1) return;
  // the ends of the range (gimbal lock) give a large, finite gradient
  double c = sqrt(fmax(1 - x * x, 1e-24)), xdot = o->rate;
  for (int i = 3; i < 6; i++) o->ja[i] /= c, o->jb[i] /= c;
  o->rate /= c;
  if (level >= 2) o->bias = o->bias / c + x * xdot * xdot / (c * c * c);
}

// Its gradient is that of no function: the three spins of a ball have no integral. Rows of it are
// nonholonomic, and the value stays zero.
static void eval_spin(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                      int level) {
  double u[3], back[3], udot[3];
  o->value = 0;
  if (level < 1) return;
  m3_mulv(u, a->R, m->ua);
  v3_scale(back, -1, u);
  memset(o->ja, 0, 3 * sizeof(double));
  memset(o->jb, 0, 3 * sizeof(double));
  turn_gradient(o, a, b, back, u);
  o->rate = v3_dot(u, b->w) - v3_dot(u, a->w);
  if (level < 2) return;
  // u turns with a; along it a's own spin does not change by that
  v3_cross(udot, a->w, u);
  o->bias = v3_dot(udot, b->w);
}

const hn_measure *hn_measure_held(const hn_measure *m, const hn_work *work, hn_measure *room) {
  int face = m->tip && work->face ? work->face[m->tip - 1] : -1;
  if (face < 0) return m;
  *room = *m;
  if (m->other) {
    room->pair = face;
    return room;
  }
  room->surface = &hn_surface_face;
  room->size = hn_polytope_of(work->sys->tip[m->tip - 1].solid).plane + 4 * face;
  return room;
}

// What is above `level` in *o is left as it was: level 0 leaves rate and gradient of an earlier
// state behind.
void hn_eval_measure(const hn_measure *given, const hn_work *work, hn_mval *o, int level) {
  hn_measure room;
  const hn_measure *m = hn_measure_held(given, work, &room);
  const hn_kin *a = &work->kin[m->a], *b = &work->kin[m->b];
  switch (m->type) {
  case HN_M_DOT1: eval_one_dot1(o, m, a, b, level); break;
  case HN_M_DOT2: eval_dot2(o, m, a, b, level); break;
  case HN_M_DISTANCE: eval_distance(o, m, a, b, level); break;
  case HN_M_SURFACE: eval_surface(o, m, a, b, level); break;
  case HN_M_ANGLE: eval_angle(o, m, a, b, work->near, level); break;
  case HN_M_ASIN: eval_asin(o, m, a, b, level); break;
  case HN_M_SPIN: eval_spin(o, m, a, b, level); break;
  case HN_M_SLIP: hn_eval_slip(o, m, a, b, level); break;
  case HN_M_EDGES: hn_eval_edges(o, m, a, b, level); break;
  case HN_M_PLANAR_ANGLE: {
    const hn_sys_body *A = &work->sys->body[m->a], *B = &work->sys->body[m->b];
    // the ground has no coordinates: its angle is zero
    double qa = A->nq ? work->q[A->q0 + 2] : 0, qb = B->nq ? work->q[B->q0 + 2] : 0;
    o->value = qb - qa;
    if (level >= 1) {
      memset(o->ja, 0, sizeof o->ja);
      memset(o->jb, 0, sizeof o->jb);
      o->ja[5] = -1, o->jb[5] = 1;
      o->rate = work->kin2[m->b].w - work->kin2[m->a].w;
      o->bias = 0;
    }
    break;
  }
  case HN_M_COORDINATE: {
    const hn_sys_body *B = &work->sys->body[m->b];
    o->value = work->q[B->q0];
    if (level >= 1) {
      memset(o->ja, 0, sizeof o->ja);
      memset(o->jb, 0, sizeof o->jb);
      o->jb[0] = 1;
      o->rate = work->v[B->v0];
      o->bias = 0;
    }
    break;
  }
  }
  o->value += m->offset;
}

// ---- Hessians ------------------------------------------------------------------------------

// Blocks are over (v, w) of a body: part 0 are translations along world axes, part 1 turns in body
// axes. A turn in body axes is R times one in world axes, which is what the sandwiches are for.
// the 6x6 block's 3x3 part (i, j) += s A
static void add3(double block[36], int i, int j, double s, const double A[9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) block[6 * (3 * i + r) + 3 * j + c] += s * A[3 * r + c];
}
// o = [a][b]
static void skew2(double o[9], const double a[3], const double b[3]) {
  double A[9], B[9];
  m3_skew(A, a);
  m3_skew(B, b);
  m3_mul(o, A, B);
}
// o = R1^T A R2
static void sandwich(double o[9], const double R1[9], const double A[9], const double R2[9]) {
  double T[9];
  m3_mul(T, A, R2);
  m3_tmul(o, R1, T);
}

static void hessian_dot1(const hn_kin *a, const hn_kin *b, const double ua[3], const double wb[3],
                         double block[4][36]) {
  dot1 x;
  eval_dot1(&x, a, b, ua, wb, 1);
  double uw[9], wu[9], n[9], T[9], X[9];
  skew2(uw, x.u, x.w);
  skew2(wu, x.w, x.u);
  m3_skew(n, x.n);
  // (d x u) x w = [w][u] d for a turn d of a; and body axes, in which the gradient is counted, turn
  // with it: -d x n = [n] d
  for (int i = 0; i < 9; i++) X[i] = wu[i] + n[i];
  sandwich(T, a->R, X, a->R);
  add3(block[HN_AA], 1, 1, 1, T);
  sandwich(T, a->R, uw, b->R);
  add3(block[HN_AB], 1, 1, -1, T);
  sandwich(T, b->R, wu, a->R);
  add3(block[HN_BA], 1, 1, -1, T);
  for (int i = 0; i < 9; i++) X[i] = uw[i] - n[i];
  sandwich(T, b->R, X, b->R);
  add3(block[HN_BB], 1, 1, 1, T);
}

// Differentiates the gradients of eval_along once more: u changes by d x u for turns d of a, and
// arms turn with their bodies; u, world axes, is fixed in a. Blocks need not be symmetric, as turns
// do not commute
void hn_hessian_along(const hn_measure *m, const double u[3], const hn_kin *a, const hn_kin *b,
                      double block[4][36]) {
  double rb[3], e[3], h[3], k[3], U[9], T[9], X[9], S[9];
  m3_mulv(rb, b->R, m->sb);
  v3_sub(e, b->p, a->p);
  v3_add(e, e, rb);
  v3_cross(h, u, e);
  v3_cross(k, rb, u);
  m3_skew(U, u);
  // linear rows change only when u turns with a
  m3_mul(T, U, a->R);
  add3(block[HN_AA], 0, 1, 1, T);
  add3(block[HN_BA], 0, 1, -1, T);
  // turn row of a
  m3_tmul(T, a->R, U);
  add3(block[HN_AA], 1, 0, -1, T);
  add3(block[HN_AB], 1, 0, 1, T);
  skew2(X, e, u);
  m3_skew(S, h);
  for (int i = 0; i < 9; i++) X[i] += S[i];
  sandwich(T, a->R, X, a->R);
  add3(block[HN_AA], 1, 1, 1, T);
  skew2(X, u, rb);
  sandwich(T, a->R, X, b->R);
  add3(block[HN_AB], 1, 1, -1, T);
  // turn row of b
  m3_skew(S, k);
  for (int i = 0; i < 9; i++) X[i] += S[i];
  sandwich(T, b->R, X, b->R);
  add3(block[HN_BB], 1, 1, 1, T);
  skew2(X, rb, u);
  sandwich(T, b->R, X, a->R);
  add3(block[HN_BA], 1, 1, -1, T);
}

static void hessian_dot2(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                         double block[4][36]) {
  double u[3];
  m3_mulv(u, a->R, m->ua);
  hn_hessian_along(m, u, a, b, block);
}

// First what a change of e does to the gradient, by P = (1 - e e^T) / L across the line, column by
// column of D; then what turning arms do at constant e.
static void hessian_distance(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                             double block[4][36]) {
  double ra[3], rb[3], d[3], e[3];
  m3_mulv(ra, a->R, m->sa);
  m3_mulv(rb, b->R, m->sb);
  for (int i = 0; i < 3; i++) d[i] = b->p[i] + rb[i] - a->p[i] - ra[i];
  double L = v3_norm(d);
  // no direction, and no second derivatives, as there is no gradient
  if (L == 0) return;
  v3_scale(e, 1 / L, d);
  // de = P D dq with D = [-1, [r_a] R_a | 1, -[r_b] R_b]
  double P[9], D[4][9], X[9], Y[9], T[9], S[9], Ra[9], Rb[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) P[3 * i + j] = ((i == j) - e[i] * e[j]) / L;
  m3_skew(Ra, ra);
  m3_skew(Rb, rb);
  m3_identity(D[2]);
  for (int i = 0; i < 9; i++) D[0][i] = -D[2][i];
  m3_mul(D[1], Ra, a->R);
  m3_mul(D[3], Rb, b->R);
  for (int i = 0; i < 9; i++) D[3][i] = -D[3][i];
  for (int column = 0; column < 4; column++) {
    double *first = block[column < 2 ? HN_AA : HN_AB], *second = block[column < 2 ? HN_BA : HN_BB];
    int j = column % 2;
    m3_mul(X, P, D[column]);
    add3(first, 0, j, -1, X);
    add3(second, 0, j, 1, X);
    m3_mul(Y, Ra, X);
    m3_tmul(T, a->R, Y);
    add3(first, 1, j, -1, T);
    m3_mul(Y, Rb, X);
    m3_tmul(T, b->R, Y);
    add3(second, 1, j, 1, T);
  }
  // what turning arms do, e as it is
  double g[3];
  v3_cross(g, e, ra);
  m3_skew(S, g);
  skew2(X, e, ra);
  for (int i = 0; i < 9; i++) X[i] = S[i] - X[i];
  sandwich(T, a->R, X, a->R);
  add3(block[HN_AA], 1, 1, 1, T);
  v3_cross(g, rb, e);
  m3_skew(S, g);
  skew2(X, e, rb);
  for (int i = 0; i < 9; i++) X[i] += S[i];
  sandwich(T, b->R, X, b->R);
  add3(block[HN_BB], 1, 1, 1, T);
}

void hn_add_outer(double block[4][36], double s, const double x[12], const double y[12]) {
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) block[2 * (i / 6) + j / 6][6 * (i % 6) + j % 6] += s * x[i] * y[j];
}
// As dot2 along the normal; the normal itself changes by the surface's Hessian, between the
// gradients of the point's three coordinates.
static void hessian_surface(const hn_measure *given, const hn_kin *a, const hn_kin *b,
                            double block[4][36]) {
  double axis[3][3], p[3], rate[3], n[3], g[3][12], tangent[3], bend = 0;
  hn_measure own = *given, *m = &own;
  hn_surface_at s;
  hn_mval along;
  if (m->rim > 0) bend = to_rim(m, a, b, tangent);
  hn_surface_point(m, a, b, axis, p, rate);
  m->surface->eval(m->size, p, 2, &s);
  for (int i = 0; i < 3; i++)
    n[i] = s.gradient[0] * axis[0][i] + s.gradient[1] * axis[1][i] + s.gradient[2] * axis[2][i];
  hn_hessian_along(m, n, a, b, block);
  for (int i = 0; i < 3; i++) {
    hn_eval_along(&along, m, axis[i], a, b, 1);
    memcpy(g[i], along.ja, sizeof along.ja);
    memcpy(g[i] + 6, along.jb, sizeof along.jb);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (s.hessian[3 * i + j] != 0) hn_add_outer(block, s.hessian[3 * i + j], g[i], g[j]);
  if (!(bend > 0)) return;
  double by[12];
  rim_gradient(a, b, axis, g, &s, n, tangent, by);
  hn_add_outer(block, -1 / bend, by, by);
}

// over the twists of both bodies
static void dot1_gradient(double g[12], const hn_kin *a, const hn_kin *b, const dot1 *x) {
  memset(g, 0, 12 * sizeof(double));
  m3_tmulv(g + 3, a->R, x->n);
  m3_tmulv(g + 9, b->R, x->n);
  for (int i = 9; i < 12; i++) g[i] = -g[i];
}

// theta = atan2(s, c): theta_q = (c s_q - s c_q) / r^2, differentiated once more; the two mixed
// products and the last one come from the quotient.
static void hessian_angle(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                          double block[4][36]) {
  dot1 c, s;
  eval_dot1(&c, a, b, m->ua, m->wb, 1);
  eval_dot1(&s, a, b, m->u2a, m->w2b, 1);
  double r2 = c.value * c.value + s.value * s.value;
  double kc = -s.value / r2, ks = c.value / r2;
  double Hc[4][36] = {{0}}, Hs[4][36] = {{0}};
  hessian_dot1(a, b, m->ua, m->wb, Hc);
  hessian_dot1(a, b, m->u2a, m->w2b, Hs);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 36; i++) block[k][i] += kc * Hc[k][i] + ks * Hs[k][i];
  double gc[12], gs[12], g[12], r[12];
  dot1_gradient(gc, a, b, &c);
  dot1_gradient(gs, a, b, &s);
  for (int i = 0; i < 12; i++) {
    g[i] = kc * gc[i] + ks * gs[i];
    r[i] = c.value * gc[i] + s.value * gs[i];
  }
  hn_add_outer(block, 1 / r2, gs, gc);
  hn_add_outer(block, -1 / r2, gc, gs);
  hn_add_outer(block, -2 / r2, g, r);
}

static void hessian_asin(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                         double block[4][36]) {
  dot1 x;
  eval_dot1(&x, a, b, m->ua, m->wb, 1);
  // as in eval_asin: finite at the ends of the range
  double c = sqrt(fmax(1 - x.value * x.value, 1e-24));
  double H[4][36] = {{0}}, g[12];
  hessian_dot1(a, b, m->ua, m->wb, H);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 36; i++) block[k][i] += H[k][i] / c;
  dot1_gradient(g, a, b, &x);
  hn_add_outer(block, x.value / (c * c * c), g, g);
}

// the gradient on turns of a is fixed in a; R_b^T u changes with both
static void hessian_spin(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                         double block[4][36]) {
  double u[3], U[9], T[9];
  m3_mulv(u, a->R, m->ua);
  m3_skew(U, u);
  sandwich(T, b->R, U, a->R);
  add3(block[HN_BA], 1, 1, -1, T);
  sandwich(T, b->R, U, b->R);
  add3(block[HN_BB], 1, 1, 1, T);
}

void hn_measure_hessian(const hn_system *sys, const hn_work *work, int measure,
                        double block[4][36]) {
  hn_measure room;
  const hn_measure *m = hn_measure_held(&sys->measure[measure], work, &room);
  const hn_kin *a = &work->kin[m->a], *b = &work->kin[m->b];
  memset(block, 0, 4 * sizeof block[0]);
  switch (m->type) {
  case HN_M_DOT1: hessian_dot1(a, b, m->ua, m->wb, block); break;
  case HN_M_DOT2: hessian_dot2(m, a, b, block); break;
  case HN_M_DISTANCE: hessian_distance(m, a, b, block); break;
  case HN_M_ANGLE: hessian_angle(m, a, b, block); break;
  case HN_M_ASIN: hessian_asin(m, a, b, block); break;
  case HN_M_SURFACE: hessian_surface(m, a, b, block); break;
  case HN_M_SPIN: hessian_spin(m, a, b, block); break;
  case HN_M_SLIP: hn_hessian_slip(m, a, b, block); break;
  case HN_M_EDGES: hn_hessian_edges(m, a, b, block); break;
  case HN_M_PLANAR_ANGLE:
  case HN_M_COORDINATE: break;
  }
}
