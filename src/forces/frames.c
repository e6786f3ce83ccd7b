// frames.c: see frames.h.
#include "forces/frames.h"

#include "system/pair.h"

#include <string.h>

// ---- the rotation vector -------------------------------------------------------------------

void hn_log_change(const hn_frames_state *s, const double g[3], double N[9]) {
  hn_log_gradient(s->theta, s->c, s->dc, g, N);
}

void hn_mul6(double y[6], const double M[36], const double x[6]) {
  for (int i = 0; i < 6; i++) {
    // row by row
    y[i] = 0;
    for (int j = 0; j < 6; j++) y[i] += M[6 * i + j] * x[j];
  }
}

void hn_tmul6(double y[6], const double M[36], const double x[6]) {
  for (int i = 0; i < 6; i++) {
    // column by column: M^T x
    y[i] = 0;
    for (int j = 0; j < 6; j++) y[i] += M[6 * j + i] * x[j];
  }
}

// ---- the state -----------------------------------------------------------------------------

// y of the linear part is the rate of d in axes that turn with a: the velocity of the point of b
// less that of the point of a which is at the same place, not at the frame's own origin
void hn_frames_place(const hn_frames *f, const hn_work *work, hn_frames_state *o) {
  const hn_kin *a = &work->kin[f->a], *b = &work->kin[f->b];
  double ra[3], rb[3], r[3], d[3], u[3], wa[3], wb[3];
  // A = R_a M_a
  m3_mul(o->A, a->R, f->Ma);
  m3_mulv(ra, a->R, f->sa);
  m3_mulv(rb, b->R, f->sb);
  // r from the centre of a to the point of b, d from the frame on a to it
  for (int i = 0; i < 3; i++) r[i] = b->p[i] + rb[i] - a->p[i], d[i] = r[i] - ra[i];
  m3_tmulv(o->l, a->R, r);
  m3_tmulv(o->d, o->A, d);
  // carried along with a at the very place of b's point
  v3_cross(wb, b->w, rb);
  v3_cross(wa, a->w, r);
  for (int i = 0; i < 3; i++) u[i] = b->v[i] + wb[i] - a->v[i] - wa[i];
  m3_tmulv(o->y, o->A, u);
  // relative angular velocity, axes A
  v3_sub(u, b->w, a->w);
  m3_tmulv(o->y + 3, o->A, u);
}

void hn_frames_evaluate(const hn_frames *f, const hn_work *work, hn_frames_state *o) {
  double B[9], R[9];
  hn_frames_place(f, work, o);
  m3_mul(B, work->kin[f->b].R, f->Mb);
  // R = A^T B
  m3_tmul(R, o->A, B);
  m3_rotation_vector(o->theta, R);
  // of |theta|^2: series near zero, so that nothing divides by it
  hn_log_coefficients(v3_dot(o->theta, o->theta), &o->c, &o->dc, &o->ddc);
  hn_log_matrix(o->theta, o->c, o->L);
}

// on a at the place where b is touched, as seen from the centre of a (l): equal and opposite forces
// along one line
void hn_frames_apply(const hn_frames *f, const hn_system *sys, hn_work *work,
                     const hn_frames_state *s, const double w[6]) {
  double F[3], M[3], rb[3], ra[3], T[3];
  // in world axes from here on
  m3_mulv(F, s->A, w);
  m3_mulv(M, s->A, w + 3);
  m3_mulv(rb, work->kin[f->b].R, f->sb);
  m3_mulv(ra, work->kin[f->a].R, s->l);
  // moments about the centres of mass
  v3_cross(T, rb, F);
  v3_add(T, T, M);
  hn_apply_wrench(sys, work, f->b, F, T);
  // the reaction at the same place, on a
  v3_cross(T, ra, F);
  v3_add(T, T, M);
  v3_scale(F, -1, F);
  v3_scale(T, -1, T);
  hn_apply_wrench(sys, work, f->a, F, T);
}

// ---- tangents ------------------------------------------------------------------------------

// blocks of three rows and columns: rows d and turn, columns linear and turning of a, then of b.
// Turns are in body axes, velocities of centres in world axes, as everywhere in holon
void hn_frames_map(const hn_frames *f, const hn_work *work, const hn_frames_state *s,
                   double E[72]) {
  // S and X, Y: cross product matrices and products on the way
  double At[9], Mt[9], S[9], X[9], Y[9];
  memset(E, 0, 72 * sizeof(double));
  m3_transpose(At, s->A);
  m3_transpose(Mt, f->Ma);
  // d' = A^T (v_b - v_a) + turns
  hn_pair_add(E, 0, HN_A_LINEAR, -1, At);
  hn_pair_add(E, 0, HN_B_LINEAR, 1, At);
  // A^T (r x) of a: in axes of a, M_a^T [l] w_a
  m3_skew(S, s->l);
  m3_mul(X, Mt, S);
  hn_pair_add(E, 0, HN_A_TURN, 1, X);
  // A^T R_b: from axes of b to A
  m3_mul(X, At, work->kin[f->b].R);
  m3_skew(S, f->sb);
  m3_mul(Y, X, S);
  hn_pair_add(E, 0, HN_B_TURN, -1, Y);
  // w = -M_a^T w_a + A^T R_b w_b
  hn_pair_add(E, 1, HN_A_TURN, -1, Mt);
  hn_pair_add(E, 1, HN_B_TURN, 1, X);
}

// dl over the pair: l = R_a^T (P_b - p_a)
static void lever_change(const hn_frames *f, const hn_work *work, const hn_frames_state *s,
                         double D[36]) {
  const double *Ra = work->kin[f->a].R, *Rb = work->kin[f->b].R;
  double T[9], S[9], X[9], Y[9];
  memset(D, 0, 36 * sizeof(double));
  // l' = R_a^T (v_b - v_a) + [l] w_a - R_a^T R_b [s_b] w_b
  m3_transpose(T, Ra);
  hn_pair_add(D, 0, HN_A_LINEAR, -1, T);
  hn_pair_add(D, 0, HN_B_LINEAR, 1, T);
  m3_skew(S, s->l);
  hn_pair_add(D, 0, HN_A_TURN, 1, S);
  m3_skew(S, f->sb);
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

// The wrench is fixed in axes A, which turn with a: its force in the world changes by -R_a [f_a]
// d_a. Torques are in body axes, so that turning b changes how it sees force and torque
void hn_frames_geometric(const hn_frames *f, const hn_work *work, const hn_frames_state *s,
                         const double w[6], double K[144]) {
  const double *Ra = work->kin[f->a].R, *Rb = work->kin[f->b].R;
  double fa[3], ta[3], Fa[9], Ta[9], RF[9], RT[9], X[9], Y[9], S[9], D[36];
  // force and moment in axes of a
  m3_mulv(fa, f->Ma, w);
  m3_mulv(ta, f->Ma, w + 3);
  m3_skew(Fa, fa);
  m3_skew(Ta, ta);
  m3_mul(RF, Ra, Fa);  // dF = -R_a [f_a] d_a, and the torque likewise
  m3_mul(RT, Ra, Ta);
  // F on b and -F on a turn with a
  hn_pair_add(K, HN_B_LINEAR, HN_A_TURN, -1, RF);
  hn_pair_add(K, HN_A_LINEAR, HN_A_TURN, 1, RF);
  // torque on a: -(t_a + l x f_a)
  lever_change(f, work, s, D);
  // -l x f_a changes by f_a x dl
  add_product(K + 12 * 3 * HN_A_TURN, 1, Fa, D);
  // torque on b: R_b^T T + s_b x R_b^T F
  double F[3], T[3], fb[3], tb[3];
  m3_mulv(F, Ra, fa);
  m3_mulv(T, Ra, ta);
  m3_tmulv(fb, Rb, F);
  m3_tmulv(tb, Rb, T);
  m3_skew(S, f->sb);
  m3_skew(X, tb);
  // R_b^T T turns back as b turns
  hn_pair_add(K, HN_B_TURN, HN_B_TURN, 1, X);
  // and so does R_b^T F under the arm s_b
  m3_skew(X, fb);
  m3_mul(Y, S, X);
  hn_pair_add(K, HN_B_TURN, HN_B_TURN, 1, Y);
  // both turn forward with a
  m3_tmul(X, Rb, RT);
  hn_pair_add(K, HN_B_TURN, HN_A_TURN, -1, X);
  m3_tmul(X, Rb, RF);
  m3_mul(Y, S, X);
  hn_pair_add(K, HN_B_TURN, HN_A_TURN, -1, Y);
}

// what the same velocity coordinates mean in another configuration
void hn_frames_velocity_change(const hn_frames *f, const hn_system *sys, const hn_work *work,
                               const hn_frames_state *s, double Y[72]) {
  const double *Ra = work->kin[f->a].R, *Rb = work->kin[f->b].R;
  double twist[12], D[36], Mt[9], S[9], X[9], Z[9], M[9], swing[3], u[3], v[3];
  memset(Y, 0, 72 * sizeof(double));
  // velocity coordinates: world for centres, body axes for turns
  hn_pair_twist(sys, work, f->a, f->b, twist);
  const double *va = twist, *wa = twist + 3, *vb = twist + 6, *wb = twist + 9;
  m3_transpose(Mt, f->Ma);
  // d' = M_a^T (R_a^T u - w_a x l), u = v_b + R_b (w_b x s_b) - v_a
  v3_cross(swing, wb, f->sb);
  m3_mulv(u, Rb, swing);
  for (int i = 0; i < 3; i++) u[i] += vb[i] - va[i];
  m3_tmulv(v, Ra, u);
  // turning a by d_a changes R_a^T u by [R_a^T u] d_a
  m3_skew(S, v);
  m3_mul(X, Mt, S);
  hn_pair_add(Y, 0, HN_A_TURN, 1, X);
  // R_b (w_b x s_b) turns with b
  m3_tmul(M, Ra, Rb);
  m3_skew(S, swing);
  m3_mul(X, M, S);
  m3_mul(Z, Mt, X);
  hn_pair_add(Y, 0, HN_B_TURN, -1, Z);
  // - w_a x l by the change of l
  lever_change(f, work, s, D);
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

void hn_frames_sandwich(double out[144], const double E[72], const double M[36],
                        const double Z[72]) {
  double MZ[72] = {0};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      // M Z first: 6 x 12
      for (int j = 0; j < 12; j++) MZ[12 * i + j] += M[6 * i + k] * Z[12 * k + j];
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 12; j++) out[12 * i + j] -= E[12 * k + i] * MZ[12 * k + j];
}
