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

void hn_tree_factor_layout(hn_tree_factor *f, hn_arena *arena, const hn_system *sys) {
  const hn_tree *t = sys->tree;
  int most = 0;
  for (int g = 0; g < sys->groups; g++)
    if (sys->group[g].rows > most) most = sys->group[g].rows;
  f->IA = HN_TAKE(arena, double, t->d * t->d * t->count);
  f->G = HN_TAKE(arena, double, t->s_size);
  f->L = HN_TAKE(arena, double, 36 * t->count);
  f->p = HN_TAKE(arena, double, t->d * t->count);
  f->JT = HN_TAKE(arena, double, t->block_size);
  f->push = HN_TAKE(arena, double, t->d *most * t->longest);
}

// ---- inertia -------------------------------------------------------------------------------

// the body's own inertia in world axes
static void own_inertia6(double *I, const hn_sys_body *b, const hn_kin *k) {
  memset(I, 0, 36 * sizeof(double));
  I[0] = I[7] = I[14] = b->mass;
  if (b->kind != HN_SPATIAL) return;
  const double *R = k->R, *J = b->inertia;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double x = 0;
      for (int c = 0; c < 3; c++) x += R[3 * i + c] * J[c] * R[3 * j + c];
      I[6 * (3 + i) + 3 + j] = I[6 * (3 + j) + 3 + i] = x;
    }
}

// parent += shift^T I shift; I = [A B; B^T C], r the lever:
//   B' = B - A [r],  C' = C + [r] B' - B^T [r]
static void add_shifted6(double *parent, const double *I, const double r[3]) {
  double B[9], B2[9], C[9];
  for (int i = 0; i < 3; i++) {
    const double *a = I + 6 * i, *b = I + 6 * i + 3;
    // row of A times [r] is (row x r)
    double x[3];
    v3_cross(x, a, r);
    for (int j = 0; j < 3; j++) B[3 * i + j] = b[j], B2[3 * i + j] = b[j] - x[j];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = I[6 * (3 + i) + 3 + j];
  // [r] B': column by column r x column; B^T [r]: row i of B^T is column i of B
  for (int j = 0; j < 3; j++) {
    double column[3] = {B2[j], B2[3 + j], B2[6 + j]}, x[3];
    v3_cross(x, r, column);
    for (int i = 0; i < 3; i++) C[3 * i + j] += x[i];
    double row[3] = {B[j], B[3 + j], B[6 + j]};
    v3_cross(x, row, r);
    for (int i = 0; i < 3; i++) C[3 * j + i] -= x[i];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      parent[6 * i + j] += I[6 * i + j];
      parent[6 * i + 3 + j] += B2[3 * i + j];
      parent[6 * (3 + j) + i] += B2[3 * i + j];
      parent[6 * (3 + i) + 3 + j] += C[3 * i + j];
    }
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

// one degree of freedom: the common case, without inner loops over nv
INLINE void reduce_one(int d, double *IA, const double *S, double *G, double *L) {
  double D = 0;
  for (int i = 0; i < d; i++) {
    double x = 0;
    for (int j = 0; j < d; j++) x += IA[d * i + j] * S[j];
    G[i] = x;
    D += x * S[i];
  }
  double l = sqrt(D), inverse = 1 / l;
  L[0] = inverse;
  for (int i = 0; i < d; i++) G[i] *= inverse;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) IA[d * i + j] -= G[i] * G[j];
}

// several: L holds the Cholesky factor with inverted diagonal, row by row, stride 6
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

void hn_tree_factorise(hn_tree_factor *f, const hn_work *w, bool identity) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  int d = t->d, dd = d * d;
  f->identity = identity;
  if (identity) {
    memset(f->G, 0, (size_t)t->s_size * sizeof(double));
    memset(f->L, 0, (size_t)(36 * t->count) * sizeof(double));
    for (int k = 0; k < t->count; k++)
      for (int a = 0; a < 6; a++) f->L[36 * k + 7 * a] = 1;
    return;
  }
  for (int k = 0; k < t->count; k++) {
    const hn_sys_body *b = &sys->body[t->mob[k].body];
    double *I = f->IA + dd * k;
    if (d == 6) {
      own_inertia6(I, b, &w->kin[t->mob[k].body]);
    } else {
      memset(I, 0, 9 * sizeof(double));
      I[0] = I[4] = b->mass;
      I[8] = b->inertia[2];
    }
  }
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_mobilizer *m = &t->mob[k];
    double *I = f->IA + dd * k, *L = f->L + 36 * k;
    const double *S = w->axes + m->s0;
    if (m->nv == 1) {
      if (d == 6)
        reduce_one(6, I, S, f->G + m->s0, L);
      else
        reduce_one(3, I, S, f->G + m->s0, L);
    } else if (m->nv) {
      reduce_many(d, m->nv, I, S, f->G + m->s0, L);
    }
    if (m->up < 0) continue;
    if (d == 6)
      add_shifted6(f->IA + dd * m->up, I, w->mob[k].lever);
    else
      add_shifted3(f->IA + dd * m->up, I, w->mob[k].lever);
  }
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
    solve_lower(m->nv, f->L + 36 * k, x);
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
    solve_upper(m->nv, f->L + 36 * k, x);
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
    const double *S = w->axes + m->s0, *G = f->G + m->s0, *L = f->L + 36 * mob;
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
