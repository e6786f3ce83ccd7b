// saddle.c: numeric factorisation and solution of K = [W J^T; J -D] along the plan.
//
// A pivot block P with later neighbours coupled by B_i (rows of the neighbour x n):
//   P = C diag(p) C^T,   Y_i = B_i C^-T,   L_i = -Y_i diag(1/p),   K_ij += L_i Y_j^T
// for all pairs i >= j, and for the solution of K y = b, y = (x, -l), with E = C^-1:
//   forward   z_p = E b_p,  b_i += L_i z_p     backward   y_p = E^T (z_p / p + sum L_i^T y_i)
// The minus sign in L leaves additions everywhere, for bodies (p > 0) and for groups (p < 0).
// A body that nothing has touched has P = W, C = 1 and reads B in J.
#include "base/elementary.h"
#include "linalg/saddle_plane.h"

#include <math.h>

// ---- the pivot block: P = C diag(p) C^T

// the collected block and what belongs on its diagonal: W for bodies, -D for groups
// c is the strict lower triangle, packed
HN_INLINE void load_pivot(const run *r, const int *rec, double *c, double *p, int n) {
  const double *P = r->block + rec[HN_REC_PIVOT];
  int at = rec[HN_REC_AT];
  HN_UNROLL
  for (int i = 0; i < n; i++) {
    HN_UNROLL
    for (int j = 0; j < i; j++) c[hn_triangle(i, j)] = P[i * n + j];
    p[i] = P[i * n + i];
  }
  if (at >= 0)
    for (int k = 0; k < n; k++) p[k] += r->weight[at + k];
  // D enters with minus, as in [W J^T; J -D]
  else if (r->D)
    for (int k = 0; k < n; k++) p[k] -= r->D[~at + k];
}

// row by row; inverse[k] = 1 / p_k, or 0 when row k depends on others (or is not finite).
// a body's p_k is never below its w_k: what rounding does beyond that is undone.
// A row with an inverse pivot of 0 takes no part from here on: L and the update are multiplied by
// it, and its multiplier comes out as zero.
static void factor_carefully(const run *r, const int *rec, double *c, double *inverse) {
  int n = rec[HN_REC_SIZE], at = rec[HN_REC_AT];
  load_pivot(r, rec, c, inverse, n);
  for (int k = 0; k < n; k++) {
    // what the groups took cannot make a body's pivot less than its own mass
    if (at >= 0) {
      inverse[k] = 1 / fmax(inverse[k], r->weight[at + k]);
    } else {
      // groups have negative pivots
      double *scale = r->scale + ~at + k;
      int keep = -inverse[k] > noise * *scale;
      inverse[k] = keep ? 1 / inverse[k] : 0;
      // how many times smaller the pivot is than the natural size
      *scale = keep ? *scale * -inverse[k] : INFINITY;
    }
    hn_ldl_step(c, inverse, inverse[k], k, n);
  }
}

// the same for small n and two rows at a time, so that one division does not wait for the other:
// with det = p_k p_k+1, 1 / p_k+1 = p_k / det. 0 when a row has to be left out.
// `good` is collected without branches; only when some pivot is not is everything done again with
// care.
HN_INLINE int factor_small(const run *r, const int *rec, double *c, double *p, int n) {
  int at = rec[HN_REC_AT], good = 1;
  // bodies have no natural size to be compared with: zeros in its place
  double sign = at < 0 ? -1 : 1, *scale = at < 0 ? r->scale + ~at : r->none;
  load_pivot(r, rec, c, p, n);
  HN_UNROLL
  for (int k = 0; k < n; k += 2) {
    double first = p[k], inverse = 1 / first;
    // sign turns both kinds into positive pivots
    good &= sign * first > noise * scale[k];
    if (k + 1 < n) {
      double coupling = c[hn_triangle(k + 1, k)], det = first * p[k + 1] - coupling * coupling;
      // the second pivot is det / first
      good &= det > noise * scale[k + 1] * (sign * first);
      hn_ldl_step(c, p, inverse, k, n);
      p[k + 1] = first / det;
      hn_ldl_step(c, p, p[k + 1], k + 1, n);
    }
    p[k] = inverse;
  }
  // as in factor_carefully, for rows that are all kept
  if (good) {
    HN_UNROLL
    for (int k = 0; k < n; k++) scale[k] *= sign * p[k];
  }
  return good;
}

// ---- elimination of small pivots; m is the size of all neighbours, 0 when it must be looked up

// K_ij += L_i Y_j^T (mi x mj).
// ~to: nothing has been written there yet, so that storage need not be cleared.
HN_INLINE void update(double *block, int to, const double *L, const double *Y, int mi, int mj,
                      int n) {
  double *K = block + (to < 0 ? ~to : to);
  if (to < 0)
    for (int row = 0; row < mi; row++)
      hn_lane_times_transpose(K + row * mj, hn_lane_load(L + row * n, n), Y, n, mj, 0);
  else
    for (int row = 0; row < mi; row++)
      hn_lane_times_transpose(K + row * mj, hn_lane_load(L + row * n, n), Y, n, mj, 1);
}

// L = -Y / p and K += L Y^T (m x m, lower half), or K = ... when nothing is there yet. Less the
// diagonal of the product goes into scale, at once when m is a small constant: it is read in pairs
HN_INLINE void couple_diagonal(double *K, double *L, const double *Y, hn_lane minus, double *scale,
                               int m, int n, int small, int add) {
  // L and its product with Y in one pass over the neighbour's rows
  double product[HN_ROW];
  for (int row = 0; row < m; row++) {
    hn_lane l = hn_lane_times(hn_lane_load(Y + row * n, n), minus, n);
    hn_lane_store(L + row * n, l, n);
    double p = hn_lane_times_transpose(K + row * m, l, Y, n, row + 1, add);
    // small: all of scale at once, by pairs
    if (small)
      product[row] = p;
    else
      scale[row] -= p;
  }
  if (small)
    hn_lane_store(scale, hn_lane_add(hn_lane_load(scale, m), -1, hn_lane_collect(product, m), m),
                  m);
}

// Y <- Y C^-T, L = -Y / p and K += L Y^T as before
HN_INLINE void couple(double *K, double *L, double *Y, const double *c, hn_lane minus, int m, int n,
                      int add) {
  double y[HN_ROW];
  // y in registers while the substitution runs
  for (int row = 0; row < m; row++) {
    HN_UNROLL
    for (int k = 0; k < n; k++) y[k] = Y[row * n + k];
    hn_unit_solve(y, c, n);
    hn_lane all = hn_lane_collect(y, n), l = hn_lane_times(all, minus, n);
    hn_lane_store(Y + row * n, all, n);
    hn_lane_store(L + row * n, l, n);
    hn_lane_times_transpose(K + row * m, l, Y, n, row + 1, add);
  }
}

// a body that nothing has touched: P = W
HN_INLINE void eliminate_diagonal(const run *r, const int *rec, int n, int m) {
  const int *list = rec + HN_REC_HEADER, degree = rec[HN_REC_DEGREE];
  const int *near = list, *to = list + HN_NEAR_INTS * degree;
  const double *J = r->J;
  // 1/w, two at a time
  double *block = r->block, *factor = block + rec[HN_REC_FACTOR], *L = factor + n;
  hn_lane inverse = hn_lane_load(r->weight + rec[HN_REC_AT], n), minus;
  for (int k = 0; k < n; k += 2) inverse.p[k / 2] = 1 / inverse.p[k / 2];
  // the number behind an odd row stays zero
  if (n % 2) inverse.p[n / 2][1] = 0;
  hn_lane_store(factor, inverse, n);
  for (int k = 0; k < n; k += 2) minus.p[k / 2] = -inverse.p[k / 2];
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS) {
    int mi = m ? m : near[HN_NEAR_SIZE], own = to[i];
    const double *Y = J + near[HN_NEAR_SOURCE];
    double *scale = r->scale + ~near[HN_NEAR_AT];
    // the first to write sets, all others add
    if (own < 0)
      couple_diagonal(block + ~own, L, Y, minus, scale, mi, n, m, 0);
    else
      couple_diagonal(block + own, L, Y, minus, scale, mi, n, m, 1);
    // pairs of neighbours, the lower triangle of their couplings
    for (int j = 0; j < i; j++) {
      int mj = m ? m : list[j * HN_NEAR_INTS + HN_NEAR_SIZE];
      update(block, to[j], L, J + list[j * HN_NEAR_INTS + HN_NEAR_SOURCE], mi, mj, n);
    }
    to += i + 1;
    L += mi * n;
  }
}

// of each Y the numbers that are not known beforehand: s, a, b
// Y_i diag(1/w) Y_j^T, 2 x 2, with its sign
// s^2 is one
// any other pivot.
// E = C^-1 is kept in place of C: products need not wait for each other as substitutions do
HN_INLINE void eliminate(const run *r, const int *rec, int n, int m) {
  const int *list = rec + HN_REC_HEADER, degree = rec[HN_REC_DEGREE];
  const int *near = list, *to = list + HN_NEAR_INTS * degree;
  double c[HN_ROW * (HN_ROW - 1) / 2], d[HN_ROW];
  double *block = r->block, *factor = block + rec[HN_REC_FACTOR],
         *L = factor + n + hn_triangle(n, 0);
  // some pivot failed: the same once more, with rows left out
  if (!factor_small(r, rec, c, d, n)) {
    double *e = factor + n;
    factor_carefully(r, rec, e, factor);
    for (int k = 0; k < n; k++) d[k] = factor[k];
    for (int k = 0; k < hn_triangle(n, 0); k++) c[k] = e[k];
  }
  hn_lane inverse = hn_lane_collect(d, n), minus;
  hn_lane_store(factor, inverse, n);
  for (int k = 0; k < n; k += 2) minus.p[k / 2] = -inverse.p[k / 2];
  // couplings of the neighbour are in block: fill may have been added
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS) {
    int mi = m ? m : near[HN_NEAR_SIZE], own = to[i];
    double *Y = block + near[HN_NEAR_SOURCE];
    if (own < 0)
      couple(block + ~own, L, Y, c, minus, mi, n, 0);
    else
      couple(block + own, L, Y, c, minus, mi, n, 1);
    for (int j = 0; j < i; j++) {
      int mj = m ? m : list[j * HN_NEAR_INTS + HN_NEAR_SIZE];
      update(block, to[j], L, block + list[j * HN_NEAR_INTS + HN_NEAR_SOURCE], mi, mj, n);
    }
    to += i + 1;
    L += mi * n;
  }
  // solutions multiply by E instead of substituting
  hn_unit_invert(factor + n, c, n);
}

// ---- elimination of pivots of any size, in plain loops

static double sum_of(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}

static bool all_zero(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

// The same formulas as above, for sizes that no joint of the library has alone: blocks of
// equations, many rows in one group. Of these most are zero where solids have corners and edges
// that touch nothing
static __attribute__((noinline)) void eliminate_any(const run *r, const int *rec) {
  int n = rec[HN_REC_SIZE], degree = rec[HN_REC_DEGREE];
  int diagonal = rec[HN_REC_PIVOT] < 0;
  const int *list = rec + HN_REC_HEADER, *to = list + HN_NEAR_INTS * degree;
  // L of a diagonal pivot follows 1/w at once
  double *d = r->block + rec[HN_REC_FACTOR], *c = d + n, *L = diagonal ? c : c + hn_triangle(n, 0);
  if (diagonal)
    for (int k = 0; k < n; k++) d[k] = 1 / r->weight[rec[HN_REC_AT] + k];
  else
    factor_carefully(r, rec, c, d);
  // zeros over pivots that are none must become what tells so
  bool finite = isfinite(sum_of(d, n) + (diagonal ? 0 : sum_of(c, hn_triangle(n, 0))));
  for (int i = 0; i < degree; i++) {
    const int *near = list + i * HN_NEAR_INTS;
    const double *base = diagonal ? r->J : r->block;
    int mi = near[HN_NEAR_SIZE];
    for (int row = 0; row < mi; row++, L += n) {
      const double *y = base + near[HN_NEAR_SOURCE] + row * n;
      if (finite && all_zero(y, n)) {
        memset(L, 0, (size_t)n * sizeof(double));
        for (int j = 0; j <= i; j++) {
          int mj = list[j * HN_NEAR_INTS + HN_NEAR_SIZE];
          if (to[j] < 0)
            memset(r->block + ~to[j] + row * mj, 0,
                   (size_t)(j < i ? mj : row + 1) * sizeof(double));
        }
        continue;
      }
      // Y <- Y C^-T in place, where it is not read in J
      if (!diagonal) hn_unit_solve(r->block + near[HN_NEAR_SOURCE] + row * n, c, n);
      for (int k = 0; k < n; k++) {
        L[k] = -y[k] * d[k];
        if (diagonal) r->scale[~near[HN_NEAR_AT] + row] -= L[k] * y[k];
      }
      for (int j = 0; j <= i; j++) {
        const double *Y = base + list[j * HN_NEAR_INTS + HN_NEAR_SOURCE];
        int mj = list[j * HN_NEAR_INTS + HN_NEAR_SIZE], first = to[j] < 0;
        double *K = r->block + (first ? ~to[j] : to[j]) + row * mj;
        // of the diagonal block only the lower half
        for (int q = 0; q < (j < i ? mj : row + 1); q++) {
          double sum = 0;
          for (int k = 0; k < n; k++) sum += L[k] * Y[q * n + k];
          K[q] = first ? sum : K[q] + sum;
        }
      }
    }
    to += i + 1;
  }
  if (!diagonal) hn_unit_invert(c, c, n);
}

// what must be in place before the first pivot.
// scale begins with D and what was lost; bodies that are diagonal add J W^-1 J^T on their way, the
// others have it added here.
static __attribute__((noinline)) void prepare(const hn_saddle_plan *plan, const run *r) {
  // `none` lies behind `scale`
  memset(r->scale, 0, (size_t)(plan->rows + plan->widest) * sizeof *r->scale);
  if (r->D) memcpy(r->scale, r->D, (size_t)plan->rows * sizeof *r->scale);
  if (r->lost)
    for (int i = 0; i < plan->rows; i++) r->scale[i] += r->lost[i];
  // from J, or zeros, to where elimination collects
  for (int c = 0; c < plan->ncopy; c++) {
    hn_saddle_copy copy = plan->copy[c];
    double *to = r->block + copy.to;
    size_t size = (size_t)(copy.rows * copy.cols) * sizeof *to;
    if (copy.from < 0)
      memset(to, 0, size);
    else if (!copy.transpose)
      memcpy(to, r->J + copy.from, size);
    else
      // the group goes first: its block is wanted the other way round
      for (int i = 0; i < copy.rows; i++)
        for (int j = 0; j < copy.cols; j++)
          to[j * copy.rows + i] = r->J[copy.from + i * copy.cols + j];
  }
  for (int c = 0; c < plan->nscale; c++) {
    hn_saddle_scale s = plan->scale[c];
    const double *J = r->J + s.block, *weight = r->weight + s.body;
    for (int i = 0; i < s.rows; i++, J += s.cols)
      for (int k = 0; k < s.cols; k++) r->scale[s.row + i] += J[k] * J[k] / weight[k];
  }
}

int hn_saddle_weakest_row(const hn_saddle *saddle) {
  // INFINITY for rows left out: they win
  double largest = 0;
  int weakest = -1;
  for (int i = 0; i < saddle->plan->rows; i++)
    if (saddle->work[i] > largest) largest = saddle->work[i], weakest = i;
  return weakest;
}

int hn_saddle_dropped(const hn_saddle *saddle, bool *active) {
  const double *excess = saddle->work;
  int count = 0;
  for (int i = 0; i < saddle->plan->rows; i++) {
    if (excess[i] < INFINITY) continue;
    if (active) active[i] = false;
    count++;
  }
  return count;
}

double hn_saddle_log_determinant(const hn_saddle *saddle) {
  const hn_saddle_plan *plan = saddle->plan;
  double sum = 0;
  for (int t = 0; t < plan->npivot; t++) {
    const int *rec = plan->code + plan->start[t];
    const double *inverse = saddle->block + rec[HN_REC_FACTOR];
    // per pivot one logarithm, more where the product of a large group leaves the range of doubles
    double product = 1;
    for (int k = 0; k < rec[HN_REC_SIZE]; k++) {
      if (inverse[k] != 0) product *= inverse[k];
      if (fabs(product) > 1e-100 && fabs(product) < 1e100) continue;
      sum -= hn_log(fabs(product));
      product = 1;
    }
    sum -= hn_log(fabs(product));
  }
  return sum;
}

// ---- solution; x and l hold b, then z, then y

// where a body or a group (at < 0) has its numbers
HN_INLINE double *place(double *x, double *l, int at) {
  return at < 0 ? l + ~at : x + at;
}

HN_INLINE void forward(const int *rec, const double *factor, double *x, double *l, int n, int m,
                       int full) {
  const int *near = rec + HN_REC_HEADER, degree = rec[HN_REC_DEGREE];
  const double *L = factor + n + (full ? hn_triangle(n, 0) : 0);
  double z[HN_ROW], *b = full ? place(x, l, rec[HN_REC_AT]) : x + rec[HN_REC_AT];
  // n numbers, held in registers
  for (int k = 0; k < n; k++) z[k] = b[k];
  if (full) hn_unit_times(z, factor + n, n);
  hn_lane zr = hn_lane_collect(z, n);
  if (full) hn_lane_store(b, zr, n);
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS) {
    int mi = m ? m : near[HN_NEAR_SIZE];
    double *bi = full ? place(x, l, near[HN_NEAR_AT]) : l + ~near[HN_NEAR_AT];
    // b_i += L_i z
    hn_lane_times_transpose(bi, zr, L, n, mi, 1);
    L += mi * n;
  }
}

HN_INLINE void backward(const int *rec, const double *factor, double *x, double *l, int n, int m,
                        int full) {
  const int *near = rec + HN_REC_HEADER, degree = rec[HN_REC_DEGREE];
  const double *L = factor + n + (full ? hn_triangle(n, 0) : 0);
  double t[HN_ROW], *b = full ? place(x, l, rec[HN_REC_AT]) : x + rec[HN_REC_AT];
  // z / p
  for (int k = 0; k < n; k++) t[k] = b[k] * factor[k];
  hn_lane sum = hn_lane_collect(t, n);
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS) {
    int mi = m ? m : near[HN_NEAR_SIZE];
    const double *yi = full ? place(x, l, near[HN_NEAR_AT]) : l + ~near[HN_NEAR_AT];
    for (int row = 0; row < mi; row++, L += n)
      // + L_i^T y_i
      sum = hn_lane_add(sum, yi[row], hn_lane_load(L, n), n);
  }
  if (full) {
    // y = E^T (...)
    for (int k = 0; k < n; k++) t[k] = sum.p[k / 2][k % 2];
    hn_unit_transpose_times(t, factor + n, n);
    sum = hn_lane_collect(t, n);
  }
  hn_lane_store(b, sum, n);
}

// L_i = (s/p0, s/p1; a/p2, b/p2) by two pairs
// pivots of any size: z_p = E b_p, b_i += L_i z_p
static __attribute__((noinline)) void forward_any(const int *rec, const double *factor, double *x,
                                                  double *l) {
  int n = rec[HN_REC_SIZE], full = rec[HN_REC_PIVOT] >= 0;
  const int *near = rec + HN_REC_HEADER;
  const double *L = factor + n + (full ? hn_triangle(n, 0) : 0);
  double *z = place(x, l, rec[HN_REC_AT]);
  if (full) hn_unit_times(z, factor + n, n);
  for (int i = 0; i < rec[HN_REC_DEGREE]; i++, near += HN_NEAR_INTS) {
    double *b = place(x, l, near[HN_NEAR_AT]);
    for (int row = 0; row < near[HN_NEAR_SIZE]; row++, L += n)
      for (int k = 0; k < n; k++) b[row] += L[k] * z[k];
  }
}

// y_p = E^T (z_p / p + sum L_i^T y_i)
static __attribute__((noinline)) void backward_any(const int *rec, const double *factor, double *x,
                                                   double *l) {
  int n = rec[HN_REC_SIZE], full = rec[HN_REC_PIVOT] >= 0;
  const int *near = rec + HN_REC_HEADER;
  const double *L = factor + n + (full ? hn_triangle(n, 0) : 0);
  double *t = place(x, l, rec[HN_REC_AT]);
  for (int k = 0; k < n; k++) t[k] *= factor[k];
  for (int i = 0; i < rec[HN_REC_DEGREE]; i++, near += HN_NEAR_INTS) {
    const double *y = place(x, l, near[HN_NEAR_AT]);
    for (int row = 0; row < near[HN_NEAR_SIZE]; row++, L += n)
      for (int k = 0; k < n; k++) t[k] += L[k] * y[row];
  }
  if (full) hn_unit_transpose_times(t, factor + n, n);
}

// ---- the program ----

// One function for each shape: together they would leave no registers to each other. Elimination
// and, unless x is NULL, the forward half of a solution while the numbers are at hand.
#define HN_X(n, m)                                                                                 \
  static __attribute__((noinline)) void pass_diagonal_##n##_##m(const run *r, const int *rec,      \
                                                                double *x, double *l) {            \
    eliminate_diagonal(r, rec, n, m);                                                              \
    if (x) forward(rec, r->block + rec[HN_REC_FACTOR], x, l, n, m, 0);                             \
  }
HN_SADDLE_DIAGONAL_SHAPES(HN_X)
#undef HN_X
#define HN_X(n, m)                                                                                 \
  static __attribute__((noinline)) void pass_full_##n##_##m(const run *r, const int *rec,          \
                                                            double *x, double *l) {                \
    eliminate(r, rec, n, m);                                                                       \
    if (x) forward(rec, r->block + rec[HN_REC_FACTOR], x, l, n, m, 1);                             \
  }
HN_SADDLE_FULL_SHAPES(HN_X)
#undef HN_X

// The switch picks straight-line code made for the shape of the pivot; the default takes all
// others.
static void factor(hn_saddle *saddle, const double *weight, const double *J, const double *D,
                   double *x, double *l) {
  const hn_saddle_plan *plan = saddle->plan;
  double *scale = saddle->work, *none = scale + plan->rows;
  // the plan is const: pointers into it are kept in registers
  const run state = {weight, J, D, saddle->lost, saddle->block, none, scale}, *r = &state;
  // where the walk goes is kept at hand: else it is looked up in the plan again for every pivot
  const int *code = plan->code, *next = plan->start, *end = next + plan->npivot;
  double *block = saddle->block, *later = x ? l : NULL;
  prepare(plan, r);
  for (; next < end; next++) {
    const int *rec = code + *next;
    const double *done = block + rec[HN_REC_FACTOR];
    switch (rec[HN_REC_SHAPE]) {
#define HN_X(n, m)                                                                                 \
  case HN_SHAPE_DIAGONAL(n, m): pass_diagonal_##n##_##m(r, rec, x, l); break;
      HN_SADDLE_DIAGONAL_SHAPES(HN_X)
#undef HN_X
#define HN_X(n, m)                                                                                 \
  case HN_SHAPE_FULL(n, m): pass_full_##n##_##m(r, rec, x, l); break;
      HN_SADDLE_FULL_SHAPES(HN_X)
#undef HN_X
    case HN_SHAPE_PINS:
      eliminate_pins(r, rec);
      if (x) forward_pins(rec, done, x, l, rec[HN_REC_DEGREE]);
      break;
    case HN_SHAPE_TWO_PINS: eliminate_two_pins(r, rec, x, later); break;
    case HN_SHAPE_CHAIN:
      if (eliminate_chain(r, rec, later)) break;
      eliminate_any(r, rec);
      if (x) forward_any(rec, done, x, l);
      break;
    default:
      eliminate_any(r, rec);
      if (x) forward_any(rec, done, x, l);
    }
  }
  // the largest number of times a pivot shrank, as a ratio
  saddle->pivot_ratio = plan->rows ? 1 / hn_largest(scale, plan->rows) : 1;
}

// as above: shapes that are inlined would take the registers that the walk itself needs
#define HN_X(n, m)                                                                                 \
  static __attribute__((noinline)) void forward_diagonal_##n##_##m(                                \
      const int *rec, const double *done, double *x, double *l) {                                  \
    forward(rec, done, x, l, n, m, 0);                                                             \
  }                                                                                                \
  static __attribute__((noinline)) void backward_diagonal_##n##_##m(                               \
      const int *rec, const double *done, double *x, double *l) {                                  \
    backward(rec, done, x, l, n, m, 0);                                                            \
  }
HN_SADDLE_DIAGONAL_SHAPES(HN_X)
#undef HN_X
#define HN_X(n, m)                                                                                 \
  static __attribute__((noinline)) void forward_full_##n##_##m(const int *rec, const double *done, \
                                                               double *x, double *l) {             \
    forward(rec, done, x, l, n, m, 1);                                                             \
  }                                                                                                \
  static __attribute__((noinline)) void backward_full_##n##_##m(                                   \
      const int *rec, const double *done, double *x, double *l) {                                  \
    backward(rec, done, x, l, n, m, 1);                                                            \
  }
HN_SADDLE_FULL_SHAPES(HN_X)
#undef HN_X

static void solve_forward(const hn_saddle *saddle, double *x, double *l) {
  const hn_saddle_plan *plan = saddle->plan;
  const int *code = plan->code, *next = plan->start, *end = next + plan->npivot;
  const double *block = saddle->block;
  for (; next < end; next++) {
    const int *rec = code + *next;
    const double *done = block + rec[HN_REC_FACTOR];
    switch (rec[HN_REC_SHAPE]) {
#define HN_X(n, m)                                                                                 \
  case HN_SHAPE_DIAGONAL(n, m): forward_diagonal_##n##_##m(rec, done, x, l); break;
      HN_SADDLE_DIAGONAL_SHAPES(HN_X)
#undef HN_X
#define HN_X(n, m)                                                                                 \
  case HN_SHAPE_FULL(n, m): forward_full_##n##_##m(rec, done, x, l); break;
      HN_SADDLE_FULL_SHAPES(HN_X)
#undef HN_X
    case HN_SHAPE_PINS: forward_pins(rec, done, x, l, rec[HN_REC_DEGREE]); break;
    case HN_SHAPE_TWO_PINS: forward_pins(rec, done, x, l, 2); break;
    case HN_SHAPE_CHAIN: forward_chain(rec, done, l); break;
    default: forward_any(rec, done, x, l);
    }
  }
}

static void solve_backward(const hn_saddle *saddle, double *x, double *l) {
  const hn_saddle_plan *plan = saddle->plan;
  const int *code = plan->code, *begin = plan->start, *next = begin + plan->npivot;
  const double *block = saddle->block;
  while (next > begin) {
    const int *rec = code + *--next;
    const double *done = block + rec[HN_REC_FACTOR];
    switch (rec[HN_REC_SHAPE]) {
#define HN_X(n, m)                                                                                 \
  case HN_SHAPE_DIAGONAL(n, m): backward_diagonal_##n##_##m(rec, done, x, l); break;
      HN_SADDLE_DIAGONAL_SHAPES(HN_X)
#undef HN_X
#define HN_X(n, m)                                                                                 \
  case HN_SHAPE_FULL(n, m): backward_full_##n##_##m(rec, done, x, l); break;
      HN_SADDLE_FULL_SHAPES(HN_X)
#undef HN_X
    case HN_SHAPE_PINS: backward_pins(rec, done, x, l, rec[HN_REC_DEGREE]); break;
    case HN_SHAPE_TWO_PINS: backward_pins(rec, done, x, l, 2); break;
    case HN_SHAPE_CHAIN: backward_chain(rec, done, l); break;
    default: backward_any(rec, done, x, l);
    }
  }
  // unknowns of K are (x, -l)
  hn_negate(l, plan->rows);
}

void hn_saddle_factor(hn_saddle *saddle, const double *weight, const double *J, const double *D) {
  factor(saddle, weight, J, D, NULL, NULL);
}

void hn_saddle_solve(const hn_saddle *saddle, double *x, double *l) {
  solve_forward(saddle, x, l);
  solve_backward(saddle, x, l);
}

void hn_saddle_factor_solve(hn_saddle *saddle, const double *weight, const double *J,
                            const double *D, double *x, double *l) {
  factor(saddle, weight, J, D, x, l);
  solve_backward(saddle, x, l);
}
