// spread.c: mass spread between two bodies, beyond their own.
//
// The kinetic energy is sum G_ij y_i' . y_j' / 2 with a constant, symmetric 8 x 8 matrix G over
//
//   y = (p, D_1, D_2, D_3) of a, then of b:   centre of mass and axes of the inner frame, world
//
// so places between the bodies may be any constant combinations of theirs: beams interpolate their
// nodes so (forces/beam_mass.c). Where q' = v is of these (natural coordinates) the masses are
// constant. Velocities of bodies are (v, w), w in body axes,
//
//   y' = B (v, w):  p' = v,  D_k' = R (w x e_k)         y'' = B (v', w') + (0, R (w x (w x e_k)))
//
// and Lagrange's equations B^T G y'' = B^T (weights of y) (x) gravity. With h = G y'' (three
// numbers each, world) and l_k = R^T h_k the force is -h_p and the moment -sum e_k x l_k.
#include "system/spread.h"
#include "system/coordinates/coordinates.h"
#include "system/pair.h"

#include <string.h>

enum { EACH = HN_SPREAD_EACH, ALL = HN_SPREAD_ALL };

static const int body_of[ALL] = {0, 0, 0, 0, 1, 1, 1, 1};

static const double *axes(const hn_work *work, const hn_sys_spread *x, int side) {
  return work->kin[side ? x->b : x->a].R;
}

// three numbers each: p along world axes, D along those of their body
static void locate(const double spin[12], const double speed[12], double c[ALL][3]) {
  for (int side = 0; side < 2; side++) {
    const double *w = spin + 6 * side + 3, *u = speed + 6 * side;
    v3_copy(c[EACH * side], u);
    for (int k = 0; k < 3; k++) {
      double e[3] = {k == 0, k == 1, k == 2}, we[3], wwe[3], *o = c[EACH * side + 1 + k];
      // w' x e_k and w x (w x e_k)
      v3_cross(o, u + 3, e);
      v3_cross(we, w, e);
      v3_cross(wwe, w, we);
      v3_add(o, o, wwe);
    }
  }
}

// Points are along world axes already, directions along those of their body.
static void to_world(const hn_work *work, const hn_sys_spread *x, double c[ALL][3],
                     double y[ALL][3]) {
  for (int i = 0; i < ALL; i++)
    if (i % EACH)
      m3_mulv(y[i], axes(work, x, body_of[i]), c[i]);
    else
      v3_copy(y[i], c[i]);
}

static void weigh(const hn_sys_spread *x, double y[ALL][3], double h[ALL][3]) {
  for (int i = 0; i < ALL; i++) {
    v3_set(h[i], 0, 0, 0);
    for (int j = 0; j < ALL; j++) v3_addto(h[i], x->G[ALL * i + j], y[j]);
  }
}

double hn_spread_weight(const hn_sys_spread *x, int i) {
  return x->G[ALL * i] + x->G[ALL * i + EACH];
}

// f += s B^T h
static void push(const hn_work *work, const hn_sys_spread *x, double s, double h[ALL][3],
                 double *f) {
  for (int side = 0; side < 2; side++) {
    const hn_sys_body *b = &work->sys->body[side ? x->b : x->a];
    double F[6] = {0}, l[3], m[3];
    int slot[6], n = hn_twist_slots(b, slot);
    v3_copy(F, h[EACH * side]);
    for (int k = 0; k < 3; k++) {
      double e[3] = {k == 0, k == 1, k == 2};
      // an axis e_k that is pulled at by l feels e_k x l
      m3_tmulv(l, axes(work, x, side), h[EACH * side + 1 + k]);
      v3_cross(m, e, l);
      v3_add(F + 3, F + 3, m);
    }
    for (int i = 0; i < n; i++) f[b->v0 + i] += s * F[slot[i]];
  }
}

void hn_spread_push(const hn_work *work, const hn_sys_spread *x, double y[ALL][3], double *f) {
  double h[ALL][3];
  weigh(x, y, h);
  push(work, x, 1, h, f);
}

// velocities that make inertia forces of their own: none where q' = v
static void find_spin(const hn_work *work, const hn_sys_spread *x, double spin[12]) {
  memset(spin, 0, 12 * sizeof *spin);
  if (!work->sys->coordinates->flat) hn_pair_twist(work->sys, work, x->a, x->b, spin);
}

// G y'' without accelerations, less the weights: minus what acts.
// Gravity pulls at a combination y_i by how much of the whole mass moves with it: the sum of the
// columns of both centres of mass, as a common translation moves these two and no axes.
static void find_load(const hn_work *work, const hn_sys_spread *x, const double spin[12],
                      double c[ALL][3], double h[ALL][3]) {
  static const double none[12] = {0};
  double y[ALL][3];
  locate(spin, none, c);
  to_world(work, x, c, y);
  weigh(x, y, h);
  for (int i = 0; i < ALL; i++) v3_addto(h[i], -hn_spread_weight(x, i), work->sys->gravity);
}

void hn_spread_force(hn_work *work, int spread) {
  const hn_sys_spread *x = &work->sys->spread[spread];
  double spin[12], c[ALL][3], h[ALL][3];
  find_spin(work, x, spin);
  find_load(work, x, spin, c, h);
  push(work, x, -1, h, work->f);
  for (int i = 0; i < ALL; i++) {
    const hn_kin *kin = &work->kin[body_of[i] ? x->b : x->a];
    double y[3];
    // the centre of mass, or column k of R
    for (int r = 0; r < 3; r++) y[r] = i % EACH ? kin->R[3 * r + i % EACH - 1] : kin->p[r];
    work->potential -= hn_spread_weight(x, i) * v3_dot(work->sys->gravity, y);
  }
}

double hn_spread_kinetic(const hn_work *work, int spread) {
  const hn_sys_spread *x = &work->sys->spread[spread];
  double twist[12], none[12] = {0}, c[ALL][3], y[ALL][3], h[ALL][3], T = 0;
  hn_pair_twist(work->sys, work, x->a, x->b, twist);
  locate(none, twist, c);
  to_world(work, x, c, y);
  weigh(x, y, h);
  for (int i = 0; i < ALL; i++) T += 0.5 * v3_dot(h[i], y[i]);
  return T;
}

// ---- masses --------------------------------------------------------------------------------

// o = -sum g_kl [e_k] Q [e_l].
// Products of [e_k] and [e_l] written out: each number of the result is four of g times Q, and the
// 81 products of the sum are never made.
static void turn_mass(const double g[9], const double Q[9], double o[9]) {
  for (int r = 0; r < 3; r++)
    for (int s = 0; s < 3; s++) {
      int r1 = (r + 1) % 3, r2 = (r + 2) % 3, s1 = (s + 1) % 3, s2 = (s + 2) % 3;
      o[3 * r + s] = g[3 * r1 + s1] * Q[3 * r2 + s2] + g[3 * r2 + s2] * Q[3 * r1 + s1] -
                     g[3 * r1 + s2] * Q[3 * r2 + s1] - g[3 * r2 + s1] * Q[3 * r1 + s2];
    }
}

// the block of G over the axes of two bodies, its first row and column
static void take_block(const hn_sys_spread *x, int i, int j, double g[9], double row[3],
                       double column[3]) {
  for (int k = 0; k < 3; k++) {
    row[k] = x->G[ALL * (EACH * i) + EACH * j + 1 + k];
    column[k] = x->G[ALL * (EACH * i + 1 + k) + EACH * j];
    for (int l = 0; l < 3; l++) g[3 * k + l] = x->G[ALL * (EACH * i + 1 + k) + EACH * j + 1 + l];
  }
}

// B^T G B over the twists of both bodies
static void find_matrix(const hn_work *work, const hn_sys_spread *x, double M[144]) {
  memset(M, 0, 144 * sizeof *M);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const double *Ri = axes(work, x, i), *Rj = axes(work, x, j),
                   one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      double g[9], row[3], column[3], S[9], Q[9], o[9];
      take_block(x, i, j, g, row, column);
      hn_pair_add(M, 2 * i, 2 * j, x->G[ALL * EACH * i + EACH * j], one);
      m3_skew(S, row);
      m3_mul(o, Rj, S);
      hn_pair_add(M, 2 * i, 2 * j + 1, -1, o);
      m3_skew(S, column);
      m3_mult(o, S, Ri);
      hn_pair_add(M, 2 * i + 1, 2 * j, 1, o);
      m3_tmul(Q, Ri, Rj);
      turn_mass(g, Q, o);
      hn_pair_add(M, 2 * i + 1, 2 * j + 1, 1, o);
    }
}

// Places are set to the bodies' own masses before beams add to them, since several may meet in one
// body.
void hn_spread_masses(hn_work *work) {
  const hn_system *sys = work->sys;
  double M[144];
  if (sys->coordinates->flat) return;
  for (int n = 0; n < sys->spreads; n++)
    for (int k = 0; k < 144; k++) {
      int place = sys->spread[n].place[k];
      if (place >= 0) work->mass_values[place] = sys->mass_entries->value[place];
    }
  for (int n = 0; n < sys->spreads; n++) {
    find_matrix(work, &sys->spread[n], M);
    for (int k = 0; k < 144; k++) {
      int place = sys->spread[n].place[k];
      if (place >= 0) work->mass_values[place] += M[k];
    }
  }
}

// ---- tangents ------------------------------------------------------------------------------

// what a change X_k (3 x 3) of the local vectors c_k of body j does to the forces -B^T h: into the
// columns `to` of K
static void add_change(const hn_work *work, const hn_sys_spread *x, int j, double X[3][9], int to,
                       double K[144]) {
  const double *Rj = axes(work, x, j);
  for (int i = 0; i < ALL; i++) {
    double sum[9] = {0}, o[9], S[9], l[9];
    for (int k = 0; k < 3; k++)
      for (int n = 0; n < 9; n++) sum[n] += x->G[ALL * i + EACH * j + 1 + k] * X[k][n];
    m3_mul(o, Rj, sum);
    int at = body_of[i];
    if (i % EACH == 0) {
      hn_pair_add(K, 2 * at, to, -1, o);
      continue;
    }
    double e[3] = {i % EACH == 1, i % EACH == 2, i % EACH == 3};
    m3_tmul(l, axes(work, x, at), o);
    m3_skew(S, e);
    m3_mul(o, S, l);
    hn_pair_add(K, 2 * at + 1, to, -1, o);
  }
}

// the forces -B^T h with the turns: c along, and the axes h is brought back to
static void turn_tangent(const hn_work *work, const hn_sys_spread *x, double c[ALL][3],
                         double h[ALL][3], double K[144]) {
  for (int j = 0; j < 2; j++) {
    double X[3][9], S[9], L[9], o[9], l[3];
    // a turn theta changes c by theta x c = -[c] theta
    for (int k = 0; k < 3; k++) {
      m3_skew(X[k], c[EACH * j + 1 + k]);
      for (int n = 0; n < 9; n++) X[k][n] = -X[k][n];
    }
    add_change(work, x, j, X, 2 * j + 1, K);
    for (int k = 0; k < 3; k++) {
      double e[3] = {k == 0, k == 1, k == 2};
      m3_tmulv(l, axes(work, x, j), h[EACH * j + 1 + k]);
      m3_skew(S, e);
      m3_skew(L, l);
      m3_mul(o, S, L);
      hn_pair_add(K, 2 * j + 1, 2 * j + 1, -1, o);
    }
  }
}

// with the angular velocities: c_k = w x (w x e_k)
static void spin_tangent(const hn_work *work, const hn_sys_spread *x, const double spin[12],
                         double C[144]) {
  for (int j = 0; j < 2; j++) {
    const double *w = spin + 6 * j + 3;
    double X[3][9], W[9], S[9], o[9], we[3];
    m3_skew(W, w);
    for (int k = 0; k < 3; k++) {
      double e[3] = {k == 0, k == 1, k == 2};
      // w x (w x e) changes by dw x (w x e) + w x (dw x e)
      v3_cross(we, w, e);
      m3_skew(S, e);
      m3_mul(o, W, S);
      m3_skew(S, we);
      for (int n = 0; n < 9; n++) X[k][n] = -S[n] - o[n];
    }
    add_change(work, x, j, X, 2 * j + 1, C);
  }
}

void hn_spread_tangent(hn_work *work, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  for (int n = 0; n < sys->spreads; n++) {
    const hn_sys_spread *x = &sys->spread[n];
    double spin[12], c[ALL][3], h[ALL][3], K[144] = {0}, C[144] = {0};
    find_spin(work, x, spin);
    find_load(work, x, spin, c, h);
    turn_tangent(work, x, c, h, K);
    hn_pair_tangent(sys, tangent, HN_TANGENT_K, x->a, x->b, K);
    if (sys->coordinates->flat) continue;
    spin_tangent(work, x, spin, C);
    hn_pair_tangent(sys, tangent, HN_TANGENT_C, x->a, x->b, C);
  }
}

void hn_spread_mass_tangent(hn_work *work, const double *a, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  static const double none[12] = {0};
  for (int n = 0; n < sys->spreads && !sys->coordinates->flat; n++) {
    const hn_sys_spread *x = &sys->spread[n];
    double speed[12] = {0}, c[ALL][3], y[ALL][3], h[ALL][3], K[144] = {0};
    // accelerations in the places of the twists
    for (int side = 0; side < 2; side++) {
      const hn_sys_body *b = &sys->body[side ? x->b : x->a];
      int slot[6], count = hn_twist_slots(b, slot);
      for (int i = 0; i < count; i++) speed[6 * side + slot[i]] = a[b->v0 + i];
    }
    locate(none, speed, c);
    to_world(work, x, c, y);
    weigh(x, y, h);
    turn_tangent(work, x, c, h, K);
    hn_pair_tangent(sys, tangent, HN_TANGENT_K, x->a, x->b, K);
  }
}
