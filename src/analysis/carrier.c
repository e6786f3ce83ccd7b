// carrier.c: see carrier.h. Reference coordinates of a body are position, unit quaternion, velocity
// in world axes and angular velocity in its own, which is why lengths are carried by exp(b s) and
// turns by exp(-c s).
#include "analysis/carrier.h"
#include "base/elementary.h"

#include <string.h>

static bool is_flat(const hn_sys_body *b) {
  return b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT;
}

// what remains of the spin in the carrier: c = w - R^T b
static void spin_of(const hn_carrier *k, int body, const double b[3], double c[3]) {
  const hn_sys_body *o = &k->sys->body[body];
  // R takes body axes to world axes; b is given in the world, the spin in the body
  double R[9];
  q_matrix(R, k->q + o->q0 + 3);
  m3_tmulv(c, R, b);
  v3_sub(c, k->v + o->v0 + 3, c);
}

// out = exp(w s) x
static void rotate(const double w[3], double s, const double x[3], double out[3]) {
  double q[4] = {1, 0, 0, 0}, d[3], R[9], y[3];
  v3_scale(d, s, w);
  q_turn(q, d);
  q_matrix(R, q);
  m3_mulv(y, R, x);
  v3_copy(out, y);
}

// integral of exp(b s) v: s v + (1 - cos) / b^2 b x v + (b s - sin) / b^3 b x (b x v)
// the series below 1e-2 is right to 1e-16: its next term is x^6 / 40320
static void travel(const double b[3], double s, const double v[3], double out[3]) {
  double rate = v3_norm(b), x = rate * s, c1, c2, u[3], uu[3];
  if (fabs(x) > 1e-2) {
    c1 = (1 - hn_cos(x)) / (rate * rate);
    c2 = (x - hn_sin(x)) / (rate * rate * rate);
  } else {
    c1 = s * s * (0.5 - x * x / 24 * (1 - x * x / 30));
    c2 = s * s * s * (1.0 / 6 - x * x / 120 * (1 - x * x / 42));
  }
  v3_cross(u, b, v);
  v3_cross(uu, b, u);
  for (int i = 0; i < 3; i++) out[i] = s * v[i] + c1 * u[i] + c2 * uu[i];
}

// closed forms, for any s: nothing is integrated
void hn_carrier_state(const hn_carrier *k, double s, double *q, double *v) {
  const hn_system *sys = k->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *o = &sys->body[i];
    const double *b = k->b + 3 * i, *u = k->v + o->v0;
    int linear = hn_body_linear(o);
    memcpy(q + o->q0, k->q + o->q0, (size_t)o->nq * sizeof(double));
    memcpy(v + o->v0, u, (size_t)o->nv * sizeof(double));
    // modes have no axes, and rest
    if (o->kind == HN_SCALAR) continue;
    double x[3] = {u[0], u[1], linear == 3 ? u[2] : 0}, d[3];
    travel(b, s, x, d);
    rotate(b, s, x, x);
    for (int r = 0; r < linear; r++) q[o->q0 + r] += d[r], v[o->v0 + r] = x[r];
    // a planar body's axis is that of the plane: its angle just goes on
    if (o->kind == HN_PLANAR) q[o->q0 + 2] += s * u[2];
    if (o->kind != HN_SPATIAL) continue;
    // exp(b s) on the left is exp(R^T b s) on the right
    double c[3], R[9];
    q_matrix(R, k->q + o->q0 + 3);
    m3_tmulv(x, R, b);
    v3_scale(x, s, x);
    q_turn(q + o->q0 + 3, x);
    spin_of(k, i, b, c);
    rotate(c, -s, u + 3, v + o->v0 + 3);
    v3_scale(c, s, c);
    q_turn(q + o->q0 + 3, c);
  }
}

void hn_carrier_move(const hn_carrier *k, double s, const double *x, double *out) {
  const hn_system *sys = k->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *o = &sys->body[i];
    const double *u = x + o->v0;
    int linear = hn_body_linear(o);
    if (o->kind == HN_SCALAR) {
      out[o->v0] = u[0];
      continue;
    }
    double y[3] = {u[0], u[1], linear == 3 ? u[2] : 0}, c[3];
    rotate(k->b + 3 * i, s, y, y);
    for (int r = 0; r < linear; r++) out[o->v0 + r] = y[r];
    if (o->kind == HN_PLANAR) out[o->v0 + 2] = u[2];
    if (o->kind != HN_SPATIAL) continue;
    spin_of(k, i, k->b + 3 * i, c);
    rotate(c, -s, u + 3, out + o->v0 + 3);
  }
}

// b x on the lengths of a body
// in the plane b is along z: a turn of two components
static void cross_linear(const hn_sys_body *o, const double b[3], const double *x, double *out) {
  if (is_flat(o)) {
    double y = b[2] * x[0];
    out[0] = -b[2] * x[1], out[1] = y;
    if (o->kind == HN_PLANAR) out[2] = 0;
  } else {
    v3_cross(out, b, x);
  }
}

// T' x = b x x for lengths, x x c = -c x x for turns
void hn_carrier_rate(const hn_carrier *k, const double *x, double *out) {
  const hn_system *sys = k->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *o = &sys->body[i];
    double c[3];
    if (o->kind == HN_SCALAR) {
      out[o->v0] = 0;
      continue;
    }
    cross_linear(o, k->b + 3 * i, x + o->v0, out + o->v0);
    if (o->kind != HN_SPATIAL) continue;
    spin_of(k, i, k->b + 3 * i, c);
    v3_cross(out + o->v0 + 3, x + o->v0 + 3, c);
  }
}

void hn_carrier_turn(const hn_carrier *k, const double *d, double *out) {
  const hn_system *sys = k->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *o = &sys->body[i];
    double R[9], b[3];
    if (o->kind == HN_SCALAR) {
      out[o->v0] = 0;
      continue;
    }
    cross_linear(o, k->b + 3 * i, d + o->v0, out + o->v0);
    if (o->kind != HN_SPATIAL) continue;
    // turns are w x d behind dv in body axes, and c x d of that is the spin in the carrier
    q_matrix(R, k->q + o->q0 + 3);
    m3_tmulv(b, R, k->b + 3 * i);
    v3_cross(out + o->v0 + 3, b, d + o->v0 + 3);
  }
}

// the same as hn_carrier_rate, entry by entry, for equations in which b is unknown
void hn_carrier_matrix(const hn_carrier *k, int body, const double b[3], bool change, double *out) {
  const hn_sys_body *o = &k->sys->body[body];
  int n = o->nv;
  double S[9], c[3], R[9];
  memset(out, 0, (size_t)n * (size_t)n * sizeof(double));
  if (o->kind == HN_SCALAR) return;
  m3_skew(S, b);
  int linear = hn_body_linear(o);
  for (int r = 0; r < linear; r++)
    for (int q = 0; q < linear; q++) out[r * n + q] = S[3 * r + q];
  if (o->kind != HN_SPATIAL) return;
  q_matrix(R, k->q + o->q0 + 3);
  // only the difference of b counts where a change is asked for: the spin w stays
  m3_tmulv(c, R, b);
  if (!change) v3_sub(c, c, k->v + o->v0 + 3);
  m3_skew(S, c);  // -c, which is R^T b - w
  for (int r = 0; r < 3; r++)
    for (int q = 0; q < 3; q++) out[(3 + r) * n + 3 + q] = S[3 * r + q];
}
