// bushing.c: elastic and damping 6x6 connection between a frame of a and a frame of b.
//
// In the axes A of the frame on a (the frames are moved so that they agree where it is relaxed):
//
//   d     = A^T (P_b - P_a)          displacement
//   theta = log(A^T B)               rotation vector, below a half turn
//   y     = (d', A^T (w_b - w_a))    relative velocity, y = E v
//   x     = (d, theta),  x' = T y,   T = diag(1, L),
//   L     = 1 - [theta]/2 + c [theta]^2,   c = (1 - (h/2) cot(h/2)) / h^2,  h = |theta|
//
// (L is the inverse of the left Jacobian of the exponential map.) The potential
// V = x^T K x / 2 - p^T x (K symmetric, p the preload) and the damper give the wrench on b at P_b,
// in axes A, and from it the generalized force:
//
//   w = -T^T (K x - p) - C y,   f = E^T w
//
// so that f is exactly -grad V, however large the rotation, and the damper takes y^T C y. The
// tangent is df/dq = E^T dw/dq + (dE/dq)^T w with d(L^T g)/dtheta, g fixed,
//
//   = -[g]/2 + c (theta g^T + (theta.g) 1 - 2 g theta^T) + (c'/h) (theta x (theta x g)) theta^T.
#include "forces/bushing.h"

#include "forces/force.h"
#include "system/pair.h"

#include <string.h>

// everything the force is made of at one state
typedef struct state {
  double x[6], y[6];
  double w[6];        // force and torque on b in axes A
  double g[3];        // torque rows of K x - p
  double A[9], l[3];  // axes; P_b from the centre of mass of a, in inner axes of a
  double L[9];
  double c, dc;  // c and c'/h
} state;

// theta = log R by the quaternion, which is accurate everywhere; |theta| <= pi
static void rotation_vector(double theta[3], const double R[9]) {
  double q[4];
  q_from_matrix(q, R);
  double s = v3_norm(q + 1), side = q[0] < 0 ? -1 : 1;
  double k = s > 1e-12 ? 2 * atan2(s, side * q[0]) / s : 2;
  v3_scale(theta, side * k, q + 1);
}

// c and c'/h; by series where the closed form loses digits
static void log_coefficients(double h2, double *c, double *dc) {
  if (h2 < 0.01) {
    *c = 1 / 12.0 + h2 * (1 / 720.0 + h2 * (1 / 30240.0 + h2 * (1 / 1209600.0)));
    *dc = 1 / 360.0 + h2 * (1 / 7560.0 + h2 * (1 / 201600.0 + h2 * (1 / 5987520.0)));
    return;
  }
  double h = sqrt(h2), s = sin(h / 2), cot = cos(h / 2) / s;
  *c = (1 - 0.5 * h * cot) / h2;
  *dc = ((0.25 * h / (s * s) - 0.5 * cot) / h - 2 * *c) / h2;
}

static void mul6(double y[6], const double M[36], const double x[6]) {
  for (int i = 0; i < 6; i++) {
    y[i] = 0;
    for (int j = 0; j < 6; j++) y[i] += M[6 * i + j] * x[j];
  }
}

static void evaluate(const hn_bushing *e, const hn_work *work, state *o) {
  const hn_kin *a = &work->kin[e->a], *b = &work->kin[e->b];
  double ra[3], rb[3], r[3], d[3], u[3], B[9], R[9], Kx[6], Cy[6], T[9];
  m3_mul(o->A, a->R, e->Ma);
  m3_mul(B, b->R, e->Mb);
  m3_tmul(R, o->A, B);
  m3_mulv(ra, a->R, e->sa);
  m3_mulv(rb, b->R, e->sb);
  for (int i = 0; i < 3; i++) r[i] = b->p[i] + rb[i] - a->p[i], d[i] = r[i] - ra[i];
  m3_tmulv(o->l, a->R, r);
  m3_tmulv(o->x, o->A, d);
  rotation_vector(o->x + 3, R);

  double wa[3], wb[3];
  v3_cross(wb, b->w, rb);
  v3_cross(wa, a->w, r);
  for (int i = 0; i < 3; i++) u[i] = b->v[i] + wb[i] - a->v[i] - wa[i];
  m3_tmulv(o->y, o->A, u);
  v3_sub(u, b->w, a->w);
  m3_tmulv(o->y + 3, o->A, u);

  const double *theta = o->x + 3;
  double S[9], SS[9];
  log_coefficients(v3_dot(theta, theta), &o->c, &o->dc);
  m3_skew(S, theta);
  m3_mul(SS, S, S);
  m3_identity(o->L);
  for (int i = 0; i < 9; i++) o->L[i] += -0.5 * S[i] + o->c * SS[i];

  mul6(Kx, e->K, o->x);
  for (int i = 0; i < 6; i++) Kx[i] -= e->preload[i];
  mul6(Cy, e->C, o->y);
  v3_copy(o->g, Kx + 3);
  m3_transpose(T, o->L);
  double torque[3];
  m3_mulv(torque, T, o->g);
  for (int i = 0; i < 3; i++) {
    o->w[i] = -Kx[i] - Cy[i];
    o->w[3 + i] = -torque[i] - Cy[3 + i];
  }
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const hn_bushing *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_kin *a = &work->kin[e->a], *b = &work->kin[e->b];
    state s;
    evaluate(e, work, &s);
    double F[3], M[3], rb[3], ra[3], T[3], Kx[6], Cy[6];
    m3_mulv(F, s.A, s.w);
    m3_mulv(M, s.A, s.w + 3);
    m3_mulv(rb, b->R, e->sb);
    m3_mulv(ra, a->R, s.l);
    v3_cross(T, rb, F);
    v3_add(T, T, M);
    hn_apply_wrench(sys, work, e->b, F, T);
    v3_cross(T, ra, F);
    v3_add(T, T, M);
    v3_scale(F, -1, F);
    v3_scale(T, -1, T);
    hn_apply_wrench(sys, work, e->a, F, T);
    mul6(Kx, e->K, s.x);
    mul6(Cy, e->C, s.y);
    for (int k = 0; k < 6; k++) {
      work->potential += s.x[k] * (0.5 * Kx[k] - e->preload[k]);
      work->power -= s.y[k] * Cy[k];
    }
  }
}

// ---- tangent -------------------------------------------------------------------------------

// y = E v: 6 rows over the twists of a and b
static void velocity_map(const hn_bushing *e, const hn_work *work, const state *s, double E[72]) {
  double At[9], Mt[9], S[9], X[9], Y[9];
  memset(E, 0, 72 * sizeof(double));
  m3_transpose(At, s->A);
  m3_transpose(Mt, e->Ma);
  hn_pair_add(E, 0, HN_A_LINEAR, -1, At);
  hn_pair_add(E, 0, HN_B_LINEAR, 1, At);
  m3_skew(S, s->l);
  m3_mul(X, Mt, S);
  hn_pair_add(E, 0, HN_A_TURN, 1, X);
  m3_mul(X, At, work->kin[e->b].R);
  m3_skew(S, e->sb);
  m3_mul(Y, X, S);
  hn_pair_add(E, 0, HN_B_TURN, -1, Y);
  hn_pair_add(E, 1, HN_A_TURN, -1, Mt);
  hn_pair_add(E, 1, HN_B_TURN, 1, X);
}

// dl over the pair: l = R_a^T (P_b - p_a)
static void lever_change(const hn_bushing *e, const hn_work *work, const state *s, double D[36]) {
  const double *Ra = work->kin[e->a].R, *Rb = work->kin[e->b].R;
  double T[9], S[9], X[9], Y[9];
  memset(D, 0, 36 * sizeof(double));
  m3_transpose(T, Ra);
  hn_pair_add(D, 0, HN_A_LINEAR, -1, T);
  hn_pair_add(D, 0, HN_B_LINEAR, 1, T);
  m3_skew(S, s->l);
  hn_pair_add(D, 0, HN_A_TURN, 1, S);
  m3_skew(S, e->sb);
  m3_tmul(X, Ra, Rb);
  m3_mul(Y, X, S);
  hn_pair_add(D, 0, HN_B_TURN, -1, Y);
}

// out (3 x 12) += s M D
static void add_product(double *out, double s, const double M[9], const double D[36]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 12; j++)
      for (int k = 0; k < 3; k++) out[12 * i + j] += s * M[3 * i + k] * D[12 * k + j];
}

// K += (dE/dq)^T w: directions and lever arms change, the wrench is held in axes A
static void geometric(const hn_bushing *e, const hn_work *work, const state *s, double K[144]) {
  const double *Ra = work->kin[e->a].R, *Rb = work->kin[e->b].R;
  double fa[3], ta[3], Fa[9], Ta[9], RF[9], RT[9], X[9], Y[9], S[9], D[36];
  m3_mulv(fa, e->Ma, s->w);
  m3_mulv(ta, e->Ma, s->w + 3);
  m3_skew(Fa, fa);
  m3_skew(Ta, ta);
  m3_mul(RF, Ra, Fa);  // dF = -R_a [f_a] d_a, and the torque likewise
  m3_mul(RT, Ra, Ta);
  hn_pair_add(K, HN_B_LINEAR, HN_A_TURN, -1, RF);
  hn_pair_add(K, HN_A_LINEAR, HN_A_TURN, 1, RF);
  // torque on a: -(t_a + l x f_a)
  lever_change(e, work, s, D);
  add_product(K + 12 * 3 * HN_A_TURN, 1, Fa, D);
  // torque on b: R_b^T T + s_b x R_b^T F
  double F[3], T[3], fb[3], tb[3];
  m3_mulv(F, Ra, fa);
  m3_mulv(T, Ra, ta);
  m3_tmulv(fb, Rb, F);
  m3_tmulv(tb, Rb, T);
  m3_skew(S, e->sb);
  m3_skew(X, tb);
  hn_pair_add(K, HN_B_TURN, HN_B_TURN, 1, X);
  m3_skew(X, fb);
  m3_mul(Y, S, X);
  hn_pair_add(K, HN_B_TURN, HN_B_TURN, 1, Y);
  m3_tmul(X, Rb, RT);
  hn_pair_add(K, HN_B_TURN, HN_A_TURN, -1, X);
  m3_tmul(X, Rb, RF);
  m3_mul(Y, S, X);
  hn_pair_add(K, HN_B_TURN, HN_A_TURN, -1, Y);
}

// Y = dy/dq with the velocity coordinates held (6 x 12)
static void velocity_change(const hn_bushing *e, const hn_system *sys, const hn_work *work,
                            const state *s, double Y[72]) {
  const double *Ra = work->kin[e->a].R, *Rb = work->kin[e->b].R;
  double twist[12], D[36], Mt[9], S[9], X[9], Z[9], M[9], swing[3], u[3], v[3];
  memset(Y, 0, 72 * sizeof(double));
  hn_pair_twist(sys, work, e->a, e->b, twist);
  const double *va = twist, *wa = twist + 3, *vb = twist + 6, *wb = twist + 9;
  m3_transpose(Mt, e->Ma);
  // d' = M_a^T (R_a^T u - w_a x l), u = v_b + R_b (w_b x s_b) - v_a
  v3_cross(swing, wb, e->sb);
  m3_mulv(u, Rb, swing);
  for (int i = 0; i < 3; i++) u[i] += vb[i] - va[i];
  m3_tmulv(v, Ra, u);
  m3_skew(S, v);
  m3_mul(X, Mt, S);
  hn_pair_add(Y, 0, HN_A_TURN, 1, X);
  m3_tmul(M, Ra, Rb);
  m3_skew(S, swing);
  m3_mul(X, M, S);
  m3_mul(Z, Mt, X);
  hn_pair_add(Y, 0, HN_B_TURN, -1, Z);
  lever_change(e, work, s, D);
  m3_skew(S, wa);
  m3_mul(X, Mt, S);
  add_product(Y, -1, X, D);
  // relative angular velocity: M_a^T (R_a^T R_b w_b - w_a)
  m3_mulv(v, M, wb);
  m3_skew(S, v);
  m3_mul(X, Mt, S);
  hn_pair_add(Y, 1, HN_A_TURN, 1, X);
  m3_skew(S, wb);
  m3_mul(X, M, S);
  m3_mul(Z, Mt, X);
  hn_pair_add(Y, 1, HN_B_TURN, -1, Z);
}

// H = d(T^T K x)/dx T, by which the elastic wrench changes with E dq
static void elastic_change(const hn_bushing *e, const state *s, double H[36]) {
  const double *theta = s->x + 3, *g = s->g;
  double P[36], N[9], z[3], dot = v3_dot(theta, g);
  m3_skew(N, g);
  v3_cross(z, theta, g);
  v3_cross(z, theta, z);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      N[3 * i + j] = -0.5 * N[3 * i + j] +
                     s->c * (theta[i] * g[j] + (i == j) * dot - 2 * g[i] * theta[j]) +
                     s->dc * z[i] * theta[j];
  // P = T^T K + (0 0; 0 N)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 6; j++) {
      P[6 * i + j] = e->K[6 * i + j];
      P[6 * (3 + i) + j] = j < 3 ? 0 : N[3 * i + j - 3];
      for (int k = 0; k < 3; k++) P[6 * (3 + i) + j] += s->L[3 * k + i] * e->K[6 * (3 + k) + j];
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++) {
      H[6 * i + j] = P[6 * i + j];
      H[6 * i + 3 + j] = 0;
      for (int k = 0; k < 3; k++) H[6 * i + 3 + j] += P[6 * i + 3 + k] * s->L[3 * k + j];
    }
}

// out (12 x 12) -= E^T M Z
static void subtract_sandwich(double out[144], const double E[72], const double M[36],
                              const double Z[72]) {
  double MZ[72] = {0};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 12; j++) MZ[12 * i + j] += M[6 * i + k] * Z[12 * k + j];
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 12; j++) out[12 * i + j] -= E[12 * k + i] * MZ[12 * k + j];
}

static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const hn_bushing *e = data;
  for (int i = 0; i < count; i++, e++) {
    state s;
    double E[72], H[36], K[144] = {0};
    evaluate(e, work, &s);
    velocity_map(e, work, &s, E);
    geometric(e, work, &s, K);
    elastic_change(e, &s, H);
    subtract_sandwich(K, E, H, E);
    if (e->damped) {
      double Y[72], C[144] = {0};
      velocity_change(e, sys, work, &s, Y);
      subtract_sandwich(K, E, e->C, Y);
      subtract_sandwich(C, E, e->C, E);
      hn_pair_tangent(sys, out, HN_TANGENT_C, e->a, e->b, C);
    }
    hn_pair_tangent(sys, out, HN_TANGENT_K, e->a, e->b, K);
  }
}

// ---- columns and building ------------------------------------------------------------------

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  (void)data;
  if (k > 5) return NULL;
  *unit = k < 3 ? "N" : "N m";
  return name[k];
}

// wrench on b at its point, in the axes of the frame on a
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  state s;
  (void)sys;
  evaluate(data, work, &s);
  return s.w[k];
}

// as assembled: the frame on a takes the place of b's point, that on b the axes of a's
static void relax(const hn_work *work, int count, void *data) {
  hn_bushing *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_kin *a = &work->kin[e->a], *b = &work->kin[e->b];
    double d[3], A[9];
    if (e->place_as_assembled) {
      m3_mulv(d, b->R, e->sb);
      for (int k = 0; k < 3; k++) d[k] += b->p[k] - a->p[k];
      m3_tmulv(e->sa, a->R, d);
    }
    if (e->turn_as_assembled) {
      m3_mul(A, a->R, e->Ma);
      m3_tmul(e->Mb, b->R, A);
    }
  }
}

static const hn_force_ops ops = {
    .name = "bushing",
    .data_size = sizeof(hn_bushing),
    .eval = eval,
    .tangent = tangent,
    .column = column,
    .read = read,
    .pair = hn_bushing_pair,
    .between = hn_bushing_between,
    .relax = relax,
};

// exp of a rotation vector
static void rotation_of(double R[9], const double theta[3]) {
  double q[4] = {1, 0, 0, 0};
  q_turn(q, theta);
  q_matrix(R, q);
}

// where it is relaxed: as `free` says; between two frames where they agree, points with points, and
// axes with axes if both have an orientation; otherwise as assembled
static void choose_rest(hn_builder *builder, const hn_force_def *def, hn_bushing *e) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  bool oriented_a, oriented_b;
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  v3_copy(e->sa, a->s), v3_copy(e->sb, b->s);
  memcpy(e->Ma, a->R, sizeof e->Ma);
  memcpy(e->Mb, b->R, sizeof e->Mb);
  e->place_as_assembled = !def->free6 && !(def->a.frame.id && def->b.frame.id);
  e->turn_as_assembled = !def->free6 && !(oriented_a && oriented_b && v3_norm(def->axis) == 0);
  if (!def->free6) return;
  double d[3], back[3], R[9], M[9];
  m3_mulv(d, e->Ma, def->free6);
  v3_add(e->sa, e->sa, d);
  v3_scale(back, -1, def->free6 + 3);
  rotation_of(R, back);
  memcpy(M, e->Mb, sizeof M);
  m3_mul(e->Mb, M, R);
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  hn_bushing e;
  memset(&e, 0, sizeof e);
  e.a = hn_mount_a(builder)->body, e.b = hn_mount_b(builder)->body;
  if (!hn_mount_turns(builder, hn_mount_a(builder)) ||
      !hn_mount_turns(builder, hn_mount_b(builder)))
    return hn_build_status(builder);
  memcpy(e.K, def->stiffness6, sizeof e.K);
  if (def->damping6) {
    memcpy(e.C, def->damping6, sizeof e.C);
    for (int i = 0; i < 36; i++) e.damped = e.damped || e.C[i] != 0;
  }
  if (def->preload6) memcpy(e.preload, def->preload6, sizeof e.preload);
  bool flat = hn_build_planar(builder) && hn_mount_a(builder)->R[8] > 1 - 1e-9;
  if (flat && (e.preload[2] != 0 || e.preload[3] != 0 || e.preload[4] != 0))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "preload: planar bodies do not move along z nor turn about x and y (leave "
                         "these numbers zero)");
  choose_rest(builder, def, &e);
  hn_build_need_kin(builder, e.a);
  hn_build_need_kin(builder, e.b);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_bushing = {
    .info = {.name = "bushing",
             .help = "6x6 stiffness and damping between a frame of a and a frame of b",
             .keys = "at axis stiffness damping free preload",
             .required = "stiffness"},
    .build = build,
};
