// tree_factor.c: the articulated-body factorisation of the mass matrix in relative coordinates,
// and the loop rows transformed by it.
//
// Leaf to root, with IA the articulated inertia of a body and everything that hangs on it:
//   U = IA S,  S^T U = L L^T,  G = U L^-T,  IA_parent += shift^T (IA - G G^T) shift.
// back:     nu = L^-1 (r + S^T p),          p_parent += shift^T (p - G nu)
// forward:  u  = L^-T (nu - G^T a),         a = shift a_parent (+ S u for the children)
#include "bodies/tree.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// an articulated inertia in space is kept as what it has of different numbers:
//   [ A  B ]   A, C symmetric: xx xy xz yy yz zz
//   [ B' C ]   B row by row
enum { AT_A = 0, AT_B = 6, AT_C = 15, PACKED = 21 };

// numbers kept per mobilizer
static int inertia_size(const hn_tree *t) {
  return t->d == 6 ? PACKED : 9;
}

void hn_tree_factor_layout(hn_tree_factor *f, hn_arena *arena, const hn_system *sys) {
  const hn_tree *t = sys->tree;
  int most = 0;
  for (int g = 0; g < sys->groups; g++)
    if (sys->group[g].rows > most) most = sys->group[g].rows;
  f->IA = HN_TAKE(arena, double, inertia_size(t) * t->count);
  f->G = HN_TAKE(arena, double, t->s_size);
  f->L = HN_TAKE(arena, double, t->l_size);
  f->p = HN_TAKE(arena, double, t->d * t->count);
  f->JT = HN_TAKE(arena, double, t->block_size);
  f->push = HN_TAKE(arena, double, t->d *most * t->longest);
}

// ---- inertia -------------------------------------------------------------------------------

// o = M x, M symmetric and packed
INLINE void packed_mulv(double o[3], const double M[6], const double x[3]) {
  o[0] = M[0] * x[0] + M[1] * x[1] + M[2] * x[2];
  o[1] = M[1] * x[0] + M[3] * x[1] + M[4] * x[2];
  o[2] = M[2] * x[0] + M[4] * x[1] + M[5] * x[2];
}

// the body's own inertia in world axes
static void own_inertia6(double *I, const hn_sys_body *b, const hn_kin *k) {
  for (int i = 0; i < PACKED; i++) I[i] = 0;
  I[AT_A] = I[AT_A + 3] = I[AT_A + 5] = b->mass;
  if (b->kind != HN_SPATIAL) return;
  const double *R = k->R, *J = b->inertia;
  double *C = I + AT_C;
  double x0 = R[0] * J[0], x1 = R[1] * J[1], x2 = R[2] * J[2];
  double y0 = R[3] * J[0], y1 = R[4] * J[1], y2 = R[5] * J[2];
  double z0 = R[6] * J[0], z1 = R[7] * J[1], z2 = R[8] * J[2];
  C[0] = x0 * R[0] + x1 * R[1] + x2 * R[2];
  C[1] = x0 * R[3] + x1 * R[4] + x2 * R[5];
  C[2] = x0 * R[6] + x1 * R[7] + x2 * R[8];
  C[3] = y0 * R[3] + y1 * R[4] + y2 * R[5];
  C[4] = y0 * R[6] + y1 * R[7] + y2 * R[8];
  C[5] = z0 * R[6] + z1 * R[7] + z2 * R[8];
}

// parent += shift^T I shift, r the lever:
//   B' = B - A [r],  C' = C + [r] B' - B^T [r]
static void add_shifted6(double *parent, const double *I, const double r[3]) {
  const double *A = I + AT_A, *B = I + AT_B, *C = I + AT_C;
  double x = r[0], y = r[1], z = r[2], D[9];
  // rows of A [r] are (row x r)
  D[0] = B[0] - (A[1] * z - A[2] * y);
  D[1] = B[1] - (A[2] * x - A[0] * z);
  D[2] = B[2] - (A[0] * y - A[1] * x);
  D[3] = B[3] - (A[3] * z - A[4] * y);
  D[4] = B[4] - (A[4] * x - A[1] * z);
  D[5] = B[5] - (A[1] * y - A[3] * x);
  D[6] = B[6] - (A[4] * z - A[5] * y);
  D[7] = B[7] - (A[5] * x - A[2] * z);
  D[8] = B[8] - (A[2] * y - A[4] * x);
  for (int i = 0; i < 6; i++) parent[AT_A + i] += A[i];
  for (int i = 0; i < 9; i++) parent[AT_B + i] += D[i];
  // [r] D: column by column r x column; rows of B^T [r]: (column of B) x r
  double *P = parent + AT_C;
  P[0] += C[0] + (y * D[6] - z * D[3]) - (B[3] * z - B[6] * y);
  P[1] += C[1] + (y * D[7] - z * D[4]) - (B[6] * x - B[0] * z);
  P[2] += C[2] + (y * D[8] - z * D[5]) - (B[0] * y - B[3] * x);
  P[3] += C[3] + (z * D[1] - x * D[7]) - (B[7] * x - B[1] * z);
  P[4] += C[4] + (z * D[2] - x * D[8]) - (B[1] * y - B[4] * x);
  P[5] += C[5] + (x * D[5] - y * D[2]) - (B[2] * y - B[5] * x);
}

static void add_shifted3(double *parent, const double *I, const double r[3]) {
  double s0 = -r[1], s1 = r[0];
  double b0 = I[2] + I[0] * s0 + I[1] * s1, b1 = I[5] + I[3] * s0 + I[4] * s1;
  double c = I[8] + s0 * (I[2] + b0) + s1 * (I[5] + b1);
  parent[0] += I[0], parent[1] += I[1], parent[3] += I[3], parent[4] += I[4];
  parent[2] += b0, parent[6] += b0;
  parent[5] += b1, parent[7] += b1;
  parent[8] += c;
}

// one degree of freedom, the common case: G = IA S / sqrt(S^T IA S), IA -= G G^T
static void reduce_one6(double *I, const double *S, double *G, double *L) {
  double *A = I + AT_A, *B = I + AT_B, *C = I + AT_C, U[6], x[3];
  packed_mulv(U, A, S);
  m3_mulv(x, B, S + 3);
  v3_add(U, U, x);
  m3_tmulv(U + 3, B, S);
  packed_mulv(x, C, S + 3);
  v3_add(U + 3, U + 3, x);
  double inverse = 1 / sqrt(v3_dot(S, U) + v3_dot(S + 3, U + 3));
  L[0] = inverse;
  for (int i = 0; i < 6; i++) G[i] = U[i] *= inverse;
  A[0] -= U[0] * U[0], A[1] -= U[0] * U[1], A[2] -= U[0] * U[2];
  A[3] -= U[1] * U[1], A[4] -= U[1] * U[2], A[5] -= U[2] * U[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[3 * i + j] -= U[i] * U[3 + j];
  C[0] -= U[3] * U[3], C[1] -= U[3] * U[4], C[2] -= U[3] * U[5];
  C[3] -= U[4] * U[4], C[4] -= U[4] * U[5], C[5] -= U[5] * U[5];
}

static void reduce_one3(double *IA, const double *S, double *G, double *L) {
  double D = 0;
  for (int i = 0; i < 3; i++) {
    G[i] = IA[3 * i] * S[0] + IA[3 * i + 1] * S[1] + IA[3 * i + 2] * S[2];
    D += G[i] * S[i];
  }
  double inverse = 1 / sqrt(D);
  L[0] = inverse;
  for (int i = 0; i < 3; i++) G[i] *= inverse;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) IA[3 * i + j] -= G[i] * G[j];
}

// several, IA as a full d x d matrix: L holds the Cholesky factor with inverted diagonal, row by
// row, stride 6
static void reduce_many(int d, int nv, double *IA, const double *S, double *G, double *L) {
  double D[36];
  for (int a = 0; a < nv; a++)
    for (int i = 0; i < d; i++) {
      double x = 0;
      for (int j = 0; j < d; j++) x += IA[d * i + j] * S[d * a + j];
      G[d * a + i] = x;
    }
  for (int a = 0; a < nv; a++)
    for (int b = 0; b <= a; b++) {
      double x = 0;
      for (int i = 0; i < d; i++) x += S[d * a + i] * G[d * b + i];
      D[6 * a + b] = x;
    }
  for (int a = 0; a < nv; a++) {
    for (int b = 0; b < a; b++) {
      double x = D[6 * a + b];
      for (int c = 0; c < b; c++) x -= L[6 * a + c] * L[6 * b + c];
      L[6 * a + b] = x * L[7 * b];
    }
    double x = D[7 * a];
    for (int c = 0; c < a; c++) x -= L[6 * a + c] * L[6 * a + c];
    L[7 * a] = 1 / sqrt(x);
  }
  // G = U L^-T: columns one after the other
  for (int a = 0; a < nv; a++)
    for (int i = 0; i < d; i++) {
      double x = G[d * a + i];
      for (int b = 0; b < a; b++) x -= L[6 * a + b] * G[d * b + i];
      G[d * a + i] = x * L[7 * a];
    }
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int a = 0; a < nv; a++) IA[d * i + j] -= G[d * a + i] * G[d * a + j];
}

// where number (i, j) of the full matrix is kept
static int packed_place(int i, int j) {
  static const int symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  if (i < 3 && j < 3) return AT_A + symmetric[i][j];
  if (i >= 3 && j >= 3) return AT_C + symmetric[i - 3][j - 3];
  return i < 3 ? AT_B + 3 * i + j - 3 : AT_B + 3 * j + i - 3;
}

static void reduce_many6(int nv, double *I, const double *S, double *G, double *L) {
  double full[36];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) full[6 * i + j] = I[packed_place(i, j)];
  reduce_many(6, nv, full, S, G, L);
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++) I[packed_place(i, j)] = full[6 * i + j];
}

static void factorise6(hn_tree_factor *f, const hn_work *w) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  for (int k = 0; k < t->count; k++)
    own_inertia6(f->IA + PACKED * k, &sys->body[t->mob[k].body], &w->kin[t->mob[k].body]);
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_mobilizer *m = &t->mob[k];
    double *I = f->IA + PACKED * k, *L = f->L + m->l0;
    if (m->nv == 1)
      reduce_one6(I, w->axes + m->s0, f->G + m->s0, L);
    else if (m->nv)
      reduce_many6(m->nv, I, w->axes + m->s0, f->G + m->s0, L);
    if (m->up >= 0) add_shifted6(f->IA + PACKED * m->up, I, w->mob[k].lever);
  }
}

static void factorise3(hn_tree_factor *f, const hn_work *w) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  for (int k = 0; k < t->count; k++) {
    const hn_sys_body *b = &sys->body[t->mob[k].body];
    double *I = f->IA + 9 * k;
    for (int i = 0; i < 9; i++) I[i] = 0;
    I[0] = I[4] = b->mass;
    I[8] = b->inertia[2];
  }
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_mobilizer *m = &t->mob[k];
    double *I = f->IA + 9 * k, *L = f->L + m->l0;
    if (m->nv == 1)
      reduce_one3(I, w->axes + m->s0, f->G + m->s0, L);
    else if (m->nv)
      reduce_many(3, m->nv, I, w->axes + m->s0, f->G + m->s0, L);
    if (m->up >= 0) add_shifted3(f->IA + 9 * m->up, I, w->mob[k].lever);
  }
}

void hn_tree_factorise(hn_tree_factor *f, const hn_work *w, bool identity) {
  const hn_tree *t = w->sys->tree;
  f->identity = identity;
  if (identity) {
    memset(f->G, 0, (size_t)t->s_size * sizeof(double));
    memset(f->L, 0, (size_t)t->l_size * sizeof(double));
    for (int k = 0; k < t->count; k++)
      for (int a = 0; a < t->mob[k].nv; a++) f->L[t->mob[k].l0 + 7 * a] = 1;
    return;
  }
  if (t->d == 6)
    factorise6(f, w);
  else
    factorise3(f, w);
}

// ---- passes --------------------------------------------------------------------------------

// nu = L^-1 x in place
INLINE void solve_lower(int nv, const double *L, double *x) {
  for (int a = 0; a < nv; a++) {
    for (int b = 0; b < a; b++) x[a] -= L[6 * a + b] * x[b];
    x[a] *= L[7 * a];
  }
}
// x = L^-T x in place
INLINE void solve_upper(int nv, const double *L, double *x) {
  for (int a = nv - 1; a >= 0; a--) {
    for (int b = a + 1; b < nv; b++) x[a] -= L[6 * b + a] * x[b];
    x[a] *= L[7 * a];
  }
}
INLINE void shift_up(int d, double *o, const double *x, const double r[3]) {
  if (d == 3) {
    o[0] += x[0], o[1] += x[1];
    o[2] += x[2] + r[0] * x[1] - r[1] * x[0];
    return;
  }
  for (int i = 0; i < 6; i++) o[i] += x[i];
  o[3] += r[1] * x[2] - r[2] * x[1];
  o[4] += r[2] * x[0] - r[0] * x[2];
  o[5] += r[0] * x[1] - r[1] * x[0];
}

INLINE void back(int d, const hn_tree_factor *f, const hn_work *w, double *r) {
  const hn_tree *t = w->sys->tree;
  memset(f->p, 0, (size_t)(d * t->count) * sizeof(double));
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_mobilizer *m = &t->mob[k];
    const double *S = w->axes + m->s0, *G = f->G + m->s0;
    double *p = f->p + d * k, *x = r + m->v0;
    for (int a = 0; a < m->nv; a++)
      for (int i = 0; i < d; i++) x[a] += S[d * a + i] * p[i];
    solve_lower(m->nv, f->L + m->l0, x);
    if (m->up < 0) continue;
    for (int a = 0; a < m->nv; a++)
      for (int i = 0; i < d; i++) p[i] -= G[d * a + i] * x[a];
    shift_up(d, f->p + d * m->up, p, w->mob[k].lever);
  }
}

INLINE void forward(int d, const hn_tree_factor *f, const hn_work *w, double *nu) {
  const hn_tree *t = w->sys->tree;
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    const double *S = w->axes + m->s0, *G = f->G + m->s0, *r = w->mob[k].lever;
    double *a = f->p + d * k, *x = nu + m->v0;
    if (m->up < 0) {
      for (int i = 0; i < d; i++) a[i] = 0;
    } else {
      const double *u = f->p + d * m->up;
      for (int i = 0; i < d; i++) a[i] = u[i];
      if (d == 3) {
        a[0] -= u[2] * r[1];
        a[1] += u[2] * r[0];
      } else {
        a[0] += u[4] * r[2] - u[5] * r[1];
        a[1] += u[5] * r[0] - u[3] * r[2];
        a[2] += u[3] * r[1] - u[4] * r[0];
      }
    }
    for (int j = 0; j < m->nv; j++)
      for (int i = 0; i < d; i++) x[j] -= G[d * j + i] * a[i];
    solve_upper(m->nv, f->L + m->l0, x);
    for (int j = 0; j < m->nv; j++)
      for (int i = 0; i < d; i++) a[i] += S[d * j + i] * x[j];
  }
}

void hn_tree_back(const hn_tree_factor *f, const hn_work *w, double *r) {
  if (f->identity) return;
  if (w->sys->tree->d == 3)
    back(3, f, w, r);
  else
    back(6, f, w, r);
}

void hn_tree_forward(const hn_tree_factor *f, const hn_work *w, double *nu) {
  if (f->identity) return;
  if (w->sys->tree->d == 3)
    forward(3, f, w, nu);
  else
    forward(6, f, w, nu);
}

// ---- loops ---------------------------------------------------------------------------------

// each row of a loop is a wrench on its bodies, passed to the ground like any force
INLINE void group_rows(int d, hn_tree_factor *f, const hn_work *w, int g) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  const hn_group *group = &sys->group[g];
  int begin = t->path_start[g], count = t->path_start[g + 1] - begin, rows = group->rows;
  double *push = f->push;  // count x rows x d
  memset(push, 0, (size_t)(count * rows * d) * sizeof(double));
  for (int k = group->first; k < group->first + group->bodies; k++) {
    int body = sys->group_body[k], mob = t->of_body[body], at = 0;
    const hn_sys_body *b = &sys->body[body];
    const double *J = w->J + sys->block_offset[k];
    while (t->path[begin + at] != mob) at++;
    for (int r = 0; r < rows; r++, J += b->nv) {
      double *p = push + (at * rows + r) * d;
      for (int i = 0; i < b->nv && i < 3; i++) p[i] += J[i];
      if (b->kind == HN_SPATIAL) {
        double x[3];
        m3_mulv(x, w->kin[body].R, J + 3);
        for (int i = 0; i < 3; i++) p[3 + i] += x[i];
      }
    }
  }
  for (int at = 0; at < count; at++) {
    int mob = t->path[begin + at], up = t->path_up[begin + at];
    const hn_mobilizer *m = &t->mob[mob];
    const double *S = w->axes + m->s0, *G = f->G + m->s0, *L = f->L + m->l0;
    double *out = f->JT + t->path_block[begin + at];
    for (int r = 0; r < rows; r++) {
      double *p = push + (at * rows + r) * d, *x = out + r * m->nv;
      for (int a = 0; a < m->nv; a++) {
        x[a] = 0;
        for (int i = 0; i < d; i++) x[a] += S[d * a + i] * p[i];
      }
      if (!f->identity) solve_lower(m->nv, L, x);
      if (up < 0) continue;
      for (int a = 0; a < m->nv; a++)
        for (int i = 0; i < d; i++) p[i] -= G[d * a + i] * x[a];
      shift_up(d, push + (up * rows + r) * d, p, w->mob[mob].lever);
    }
  }
}

void hn_tree_loops(hn_tree_factor *f, const hn_work *w) {
  for (int g = 0; g < w->sys->groups; g++) {
    if (w->sys->tree->d == 3)
      group_rows(3, f, w, g);
    else
      group_rows(6, f, w, g);
  }
}

double hn_tree_shrink(const hn_tree_factor *f, const hn_work *w) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  double smallest = 1;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int r = 0; r < group->rows; r++) {
      if (sys->active && !sys->active[group->row0 + r]) continue;  // left out anyway
      double here = 0, free_bodies = 0;
      for (int k = t->path_start[g]; k < t->path_start[g + 1]; k++) {
        int nv = t->mob[t->path[k]].nv;
        const double *x = f->JT + t->path_block[k] + r * nv;
        for (int i = 0; i < nv; i++) here += x[i] * x[i];
      }
      for (int k = group->first; k < group->first + group->bodies; k++) {
        const hn_sys_body *b = &sys->body[sys->group_body[k]];
        const double *x = w->J + sys->block_offset[k] + r * b->nv;
        for (int i = 0; i < b->nv; i++) free_bodies += x[i] * x[i] / sys->mass[b->v0 + i];
      }
      if (here < smallest * free_bodies) smallest = here / free_bodies;
    }
  }
  return smallest;
}
