// tree_factor.c: the articulated-body factorisation of the mass matrix in relative coordinates,
// and the loop rows transformed by it.
//
// Leaf to root, with IA the articulated inertia of a body and everything that hangs on it:
//   U = IA S,  S^T U = L L^T,  G = U L^-T,  IA_parent += shift^T (IA - G G^T) shift.
// back:     nu = L^-1 (r + S^T p),          p_parent += shift^T (p - G nu)
// forward:  u  = L^-T (nu - G^T a),         a = shift a_parent (+ S u for the children)
#include "base/elementary.h"
#include "system/coordinates/tree.h"
#include "system/coordinates/tree_inertia.h"

#include <string.h>

void hn_tree_factor_layout(hn_tree_factor *f, hn_arena *arena, const hn_system *sys) {
  const hn_tree *t = hn_tree_own(sys);
  int most = 0;
  for (int g = 0; g < sys->groups; g++)
    if (sys->group[g].rows > most) most = sys->group[g].rows;
  f->IA6 = HN_TAKE_NUMBERS(arena, hn_inertia, t->d == 6 ? t->slots : 0);
  f->IA3 = HN_TAKE(arena, double, t->d == 3 ? 9 * t->slots : 0);
  f->G = HN_TAKE(arena, double, t->s_size);
  f->L = HN_TAKE(arena, double, t->l_size);
  f->p = HN_TAKE(arena, double, t->d * t->slots);
  f->JT = HN_TAKE(arena, double, t->block_size);
  f->push = HN_TAKE(arena, double, t->d * t->longest * most);
  f->size = HN_TAKE(arena, double, sys->rows);
  f->lost = HN_TAKE(arena, double, sys->rows);
}

// ---- inertia -------------------------------------------------------------------------------

// shift^T I shift with shift = [1 0 -r_y; 0 1 r_x; 0 0 1]. `first`: the slot has numbers of another
// branch, which are overwritten.
HN_TREE_INLINE void add_shifted3(double *parent, const double *I, const double r[3], bool first) {
  double s0 = -r[1], s1 = r[0];
  double b0 = I[2] + I[0] * s0 + I[1] * s1, b1 = I[5] + I[3] * s0 + I[4] * s1;
  double c = I[8] + s0 * (I[2] + b0) + s1 * (I[5] + b1);
  double N[9] = {I[0], I[1], b0, I[3], I[4], b1, b0, b1, c};
  for (int i = 0; i < 9; i++) parent[i] = first ? N[i] : parent[i] + N[i];
}

// one degree of freedom, the common case: G = IA S / sqrt(S^T IA S), IA -= G G^T
HN_TREE_INLINE void reduce_one3(double *IA, const double *S, double *G, double *L) {
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
// row, stride 6.
// S^T IA S is positive definite as long as the outermost bodies have mass and inertia, which
// coordinates.c makes sure of.
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

// nu = L^-1 x in place
HN_TREE_INLINE void solve_lower(int nv, const double *L, double *x) {
  for (int a = 0; a < nv; a++) {
    for (int b = 0; b < a; b++) x[a] -= L[6 * a + b] * x[b];
    x[a] *= L[7 * a];
  }
}

// one mobilizer's part of the walk inwards: r -> nu.
// p is what the bodies behind have passed on: wrenches that their joints leave unbalanced.
HN_TREE_INLINE void back_link(int d, const hn_tree_factor *f, const hn_work *w, int k, double *r) {
  const hn_link *l = &hn_tree_own(w->sys)->link[k];
  const double *S = w->axes + l->s0, *G = f->G + l->s0, *sum = f->p + d * l->slot;
  double p[6], *x = r + l->v0;
  for (int i = 0; i < d; i++) p[i] = l->leaf ? 0 : sum[i];
  if (l->nv == 1) {
    double dot = 0;
    for (int i = 0; i < d; i++) dot += S[i] * p[i];
    double nu = (x[0] + dot) * f->L[l->l0];
    x[0] = nu;
    for (int i = 0; i < d; i++) p[i] -= G[i] * nu;
  } else {
    for (int a = 0; a < l->nv; a++)
      for (int i = 0; i < d; i++) x[a] += S[d * a + i] * p[i];
    solve_lower(l->nv, f->L + l->l0, x);
    for (int a = 0; a < l->nv; a++)
      for (int i = 0; i < d; i++) p[i] -= G[d * a + i] * x[a];
  }
  if (l->up >= 0) hn_tree_pass_up(d, f->p + d * l->up_slot, p, w->lever + 3 * k, l->last);
}

// unless r is NULL, it becomes nu on the way
HN_TREE_INLINE void factorise6(hn_tree_factor *f, const hn_work *w, double *r) {
  const hn_tree *t = hn_tree_own(w->sys);
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_link *l = &t->link[k];
    const double *S = w->axes + l->s0;
    double *G = f->G + l->s0, *L = f->L + l->l0;
    hn_inertia I = hn_inertia_own(t->inertia + 4 * k, w->kin[l->body].R);
    if (!l->leaf) I = hn_inertia_add(I, &f->IA6[l->slot]);
    if (l->nv == 1) {
      L[0] = hn_inertia_reduce(&I, S, G);
    } else if (l->nv) {
      double full[36];
      hn_inertia_unpack(&I, full);
      reduce_many(6, l->nv, full, S, G, L);
      I = hn_inertia_pack(full);
    }
    if (l->up >= 0) {
      hn_inertia *up = &f->IA6[l->up_slot], shifted = hn_inertia_shift(&I, w->lever + 3 * k);
      *up = l->last ? shifted : hn_inertia_add(shifted, up);
    }
    if (r) back_link(6, f, w, k, r);
  }
}

HN_TREE_INLINE void factorise3(hn_tree_factor *f, const hn_work *w, double *r) {
  const hn_tree *t = hn_tree_own(w->sys);
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_link *l = &t->link[k];
    const double *own = t->inertia + 4 * k, *S = w->axes + l->s0, *sum = f->IA3 + 9 * l->slot;
    double I[9], *G = f->G + l->s0, *L = f->L + l->l0;
    for (int i = 0; i < 9; i++) I[i] = l->leaf ? 0 : sum[i];
    I[0] += own[0], I[4] += own[0], I[8] += own[3];
    if (l->nv == 1)
      reduce_one3(I, S, G, L);
    else if (l->nv)
      reduce_many(3, l->nv, I, S, G, L);
    if (l->up >= 0) add_shifted3(f->IA3 + 9 * l->up_slot, I, w->lever + 3 * k, l->last);
    if (r) back_link(3, f, w, k, r);
  }
}

// With weights 1 on the joint rates, T is the identity and the rows are transformed by K^T alone.
void hn_tree_factorise(hn_tree_factor *f, const hn_work *w, bool identity) {
  const hn_tree *t = hn_tree_own(w->sys);
  f->identity = identity;
  if (identity) {
    memset(f->G, 0, (size_t)t->s_size * sizeof(double));
    memset(f->L, 0, (size_t)t->l_size * sizeof(double));
    for (int k = 0; k < t->count; k++)
      for (int a = 0; a < t->mob[k].nv; a++) f->L[t->mob[k].l0 + 7 * a] = 1;
    return;
  }
  if (t->d == 6)
    factorise6(f, w, NULL);
  else
    factorise3(f, w, NULL);
}

void hn_tree_factorise_back(hn_tree_factor *f, const hn_work *w, double *r) {
  f->identity = false;
  if (hn_tree_own(w->sys)->d == 6)
    factorise6(f, w, r);
  else
    factorise3(f, w, r);
}

// ---- passes --------------------------------------------------------------------------------

// x = L^-T x in place
HN_TREE_INLINE void solve_upper(int nv, const double *L, double *x) {
  for (int a = nv - 1; a >= 0; a--) {
    for (int b = a + 1; b < nv; b++) x[a] -= L[6 * b + a] * x[b];
    x[a] *= L[7 * a];
  }
}
// The same slots serve the accelerations here; of a leaf nobody asks.
HN_TREE_INLINE void forward(int d, const hn_tree_factor *f, const hn_work *w, double *nu) {
  const hn_tree *t = hn_tree_own(w->sys);
  static const double still[6] = {0};
  for (int k = 0; k < t->count; k++) {
    const hn_link *l = &t->link[k];
    const double *S = w->axes + l->s0, *G = f->G + l->s0, *r = w->lever + 3 * k;
    const double *u = l->up < 0 ? still : f->p + d * l->up_slot;
    double a[6], *x = nu + l->v0, *o = f->p + d * l->slot;
    for (int i = 0; i < d; i++) a[i] = u[i];
    if (d == 3) {
      a[0] -= u[2] * r[1];
      a[1] += u[2] * r[0];
    } else {
      a[0] += u[4] * r[2] - u[5] * r[1];
      a[1] += u[5] * r[0] - u[3] * r[2];
      a[2] += u[3] * r[1] - u[4] * r[0];
    }
    if (l->nv == 1) {
      double dot = 0;
      for (int i = 0; i < d; i++) dot += G[i] * a[i];
      double y = (x[0] - dot) * f->L[l->l0];
      x[0] = y;
      for (int i = 0; i < d; i++) a[i] += S[i] * y;
    } else {
      for (int j = 0; j < l->nv; j++)
        for (int i = 0; i < d; i++) x[j] -= G[d * j + i] * a[i];
      solve_upper(l->nv, f->L + l->l0, x);
      for (int j = 0; j < l->nv; j++)
        for (int i = 0; i < d; i++) a[i] += S[d * j + i] * x[j];
    }
    if (!l->leaf)
      for (int i = 0; i < d; i++) o[i] = a[i];
  }
}

void hn_tree_back(const hn_tree_factor *f, const hn_work *w, double *r) {
  const hn_tree *t = hn_tree_own(w->sys);
  if (f->identity) return;
  if (t->d == 3)
    for (int k = t->count - 1; k >= 0; k--) back_link(3, f, w, k, r);
  else
    for (int k = t->count - 1; k >= 0; k--) back_link(6, f, w, k, r);
}

void hn_tree_forward(const hn_tree_factor *f, const hn_work *w, double *nu) {
  if (f->identity) return;
  if (hn_tree_own(w->sys)->d == 3)
    forward(3, f, w, nu);
  else
    forward(6, f, w, nu);
}

// ---- loops ---------------------------------------------------------------------------------

// puts a row on the free body into p and returns its size, the sum of J^2 / m.
// Moments of J are along principal axes, those of p along world axes.
HN_TREE_INLINE double body_row(int d, const hn_work *w, const hn_link *l, const double *J,
                               const double *inverse, double *p) {
  double size = 0;
  if (d == 3) {
    size = (J[0] * J[0] + J[1] * J[1]) * inverse[0];
    p[0] += J[0], p[1] += J[1];
    if (l->turns) p[2] += J[2], size += J[2] * J[2] * inverse[3];
    return size;
  }
  for (int i = 0; i < 3; i++) size += J[i] * J[i] * inverse[0], p[i] += J[i];
  if (!l->turns) return size;
  double x[3];
  m3_mulv(x, w->kin[l->body].R, J + 3);
  for (int i = 0; i < 3; i++) size += J[3 + i] * J[3 + i] * inverse[1 + i], p[3 + i] += x[i];
  return size;
}

// the rows of a loop at one mobilizer of its way: their part of the Jacobian in nu, and what they
// ask of the mobilizer before it (to; NULL: the ground). nv and d are constants where it counts
HN_TREE_INLINE void mobilizer_rows(int d, int nv, const hn_tree_factor *f, const hn_work *w,
                                   int mob, int rows, double *push, double *to, double *out,
                                   double *lost) {
  const hn_link *l = &hn_tree_own(w->sys)->link[mob];
  const double *S = w->axes + l->s0, *G = f->G + l->s0, *L = f->L + l->l0;
  for (int r = 0; r < rows; r++) {
    double *p = push + r * d, *x = out + r * nv;
    for (int a = 0; a < nv; a++) {
      double sum = 0;
      for (int i = 0; i < d; i++) sum += S[d * a + i] * p[i];
      x[a] = sum;
    }
    if (!f->identity) solve_lower(nv, L, x);
    for (int a = 0; a < nv; a++) lost[r] -= x[a] * x[a];
    if (!to) continue;
    double left[6];
    for (int i = 0; i < d; i++) left[i] = p[i];
    for (int a = 0; a < nv; a++)
      for (int i = 0; i < d; i++) left[i] -= G[d * a + i] * x[a];
    hn_tree_pass_up(d, to + r * d, left, w->lever + 3 * mob, false);
  }
}

// each row of a loop is a wrench on its bodies, passed to the ground like any force
HN_TREE_INLINE void group_rows(int d, hn_tree_factor *f, const hn_work *w, int g) {
  const hn_system *sys = w->sys;
  const hn_tree *t = hn_tree_own(sys);
  const hn_group *group = &sys->group[g];
  int begin = t->path_start[g], count = t->path_start[g + 1] - begin, rows = group->rows;
  double *push = f->push;  // count x rows x d
  double *size = f->size + group->row0, *lost = f->lost + group->row0;
  memset(push, 0, (size_t)(count * rows * d) * sizeof(double));
  for (int k = group->first; k < group->first + group->bodies; k++) {
    int body = sys->group_body[k], mob = t->of_body[body], at = 0, nv = sys->body[body].nv;
    const double *J = w->J + sys->block_offset[k], *own = t->inverse + 4 * mob;
    double inverse[4];
    for (int i = 0; i < 4; i++) inverse[i] = f->identity ? 0 : own[i];
    while (t->path[begin + at] != mob) at++;
    for (int r = 0; r < rows; r++)
      size[r] += body_row(d, w, &t->link[mob], J + r * nv, inverse, push + (at * rows + r) * d);
  }
  for (int r = 0; r < rows; r++) lost[r] = size[r];
  for (int at = 0; at < count; at++) {
    int mob = t->path[begin + at], up = t->path_up[begin + at];
    double *own = push + at * rows * d, *to = up < 0 ? NULL : push + up * rows * d;
    double *out = f->JT + t->path_block[begin + at];
    int nv = t->link[mob].nv;
    if (nv == 1)
      mobilizer_rows(d, 1, f, w, mob, rows, own, to, out, lost);
    else
      mobilizer_rows(d, nv, f, w, mob, rows, own, to, out, lost);
  }
}

// what a wrench (force, torque) on a body asks of a mobilizer at most, its centre being r away
static double reach(int d, const double *S, double force, double torque, double r) {
  int linear = d == 3 ? 2 : 3;
  double slides = 0, turns = 0;
  for (int i = 0; i < d; i++) *(i < linear ? &slides : &turns) += S[i] * S[i];
  return force * sqrt(slides) + (torque + force * r) * sqrt(turns);
}

// the wrench of row r of a group on its body k, as two lengths
static void wrench_of(const hn_work *w, int k, int r, double *force, double *torque) {
  const hn_sys_body *b = &w->sys->body[w->sys->group_body[k]];
  const double *J = w->J + w->sys->block_offset[k] + r * b->nv;
  int linear = hn_body_linear(b);
  *force = *torque = 0;
  for (int i = 0; i < b->nv; i++) *(i < linear ? force : torque) += J[i] * J[i];
  *force = sqrt(*force), *torque = sqrt(*torque);
}

// An upper bound of what a row could ask of each joint on its ways: |force| times what slides,
// (|torque| + |force| distance) times what turns, as if nothing cancelled between the ways.
void hn_tree_row_lengths(const hn_work *w, bool lengths, double *size) {
  const hn_system *sys = w->sys;
  const hn_tree *t = hn_tree_own(sys);
  memset(size, 0, (size_t)sys->rows * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      double r[3] = {0, 0, 0};
      for (int mob = t->of_body[sys->group_body[k]]; mob >= 0; mob = t->link[mob].up) {
        const hn_link *l = &t->link[mob];
        // forces through a hinge ask nothing of it, but for round-off and joints out of line: as in
        // the other coordinates, what they might have asked is measured by the size of the model
        double away = fmax(t->d == 3 ? hn_hypot(r[0], r[1]) : v3_norm(r), sys->length);
        for (int row = 0; row < group->rows; row++) {
          double force, torque;
          wrench_of(w, k, row, &force, &torque);
          for (int a = 0; a < l->nv; a++) {
            double x = reach(t->d, w->axes + l->s0 + t->d * a, force, torque, away);
            if (lengths && !sys->angular_v[l->v0 + a]) x *= sys->length;
            size[group->row0 + row] += x * x;
          }
        }
        v3_add(r, r, w->lever + 3 * mob);
      }
    }
  }
}

// size: by the masses of the free bodies, or with weights 1, which bodies have not, by those upper
// bounds.
void hn_tree_loops(hn_tree_factor *f, const hn_work *w) {
  if (f->identity)
    hn_tree_row_lengths(w, false, f->size);
  else
    memset(f->size, 0, (size_t)w->sys->rows * sizeof(double));
  for (int g = 0; g < w->sys->groups; g++) {
    if (hn_tree_own(w->sys)->d == 3)
      group_rows(3, f, w, g);
    else
      group_rows(6, f, w, g);
  }
}
