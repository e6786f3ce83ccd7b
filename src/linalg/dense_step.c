// dense_step.c: Householder QR with column pivoting, completed from the right; LU with full
// pivoting; Gram and Schmidt; one-sided Jacobi. Golub & Van Loan, Matrix Computations,
// sections 3.4, 5.4 and 8.6; the update of column lengths is that of Drmac & Bujanovic (2008).
#include "linalg/dense_step.h"
#include "base/elementary.h"

#include <float.h>
#include <math.h>

// four sums side by side: one alone would wait for each addition
static double dot(const double *a, const double *b, int n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 3 < n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

static void add(double *a, double s, const double *b, int n) {
  for (int i = 0; i < n; i++) a[i] += s * b[i];
}

static void swap_columns(double *a, double *b, int n) {
  for (int i = 0; i < n; i++) {
    double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

static void swap_int(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

// the smaller and the larger of two sizes; numbers are compared by fmin and fmax elsewhere
static int least(int a, int b) {
  return a < b ? a : b;
}
static int most(int a, int b) {
  return a > b ? a : b;
}

// as size_t, before the product can overflow an int
static size_t area(int m, int n) {
  return (size_t)m * (size_t)n;
}

// ---- complete orthogonal decomposition -----------------------------------------------------

void hn_cod_layout(hn_cod *f, hn_arena *arena, int m, int n) {
  f->m = m, f->n = n, f->rank = 0;
  // A comes in here; factors take its place
  f->a = HN_TAKE(arena, double, area(m, n));
  f->tau = HN_TAKE(arena, double, least(m, n));
  f->tau_z = HN_TAKE(arena, double, least(m, n));
  f->norm = HN_TAKE(arena, double, area(2, n));
  f->work = HN_TAKE(arena, double, most(m, n));
  f->pivot = HN_TAKE(arena, int, n);
  f->before = HN_TAKE(arena, int, n);
}

static double *column(const hn_cod *f, int j) {
  return f->a + (size_t)j * (size_t)f->m;
}

// Golub & Van Loan, algorithm 5.1.1
// x = H [beta, 0 ...]: overwritten by beta and the vector of H below its leading 1; returns tau.
// The sign of beta is against that of x[0], so that alpha - beta never cancels.
static double reflect(double *x, int n) {
  // tail is zero: the vector is a multiple of e already, and H = 1
  double tail = sqrt(dot(x + 1, x + 1, n - 1));
  if (tail == 0) return 0;
  double alpha = x[0], beta = -copysign(hn_hypot(alpha, tail), alpha);
  for (int i = 1; i < n; i++) x[i] /= alpha - beta;
  x[0] = beta;
  return (beta - alpha) / beta;
}

// y <- H y, h the vector without its leading 1
// one dot product and one addition: H is never formed
static void apply(double tau, const double *h, double *y, int n) {
  if (tau == 0) return;
  double sum = tau * (y[0] + dot(h, y + 1, n - 1));
  y[0] -= sum;
  add(y + 1, -sum, h, n - 1);
}

// column j lost its entry r: what is left of its length, computed anew when too much cancelled.
// now and then: the present length and the one at the last computation. The square of their ratio
// is how many digits the updates have lost.
static void shorten(hn_cod *f, int j, int k) {
  double *now = f->norm + j, *then = f->norm + f->n + j, *x = column(f, j);
  if (*now == 0) return;
  double ratio = x[k] / *now, rest = fmax(0, 1 - ratio * ratio), change = *now / *then;
  // sqrt(eps): half of the digits are left
  if (rest * change * change > sqrt(DBL_EPSILON)) {
    *now *= sqrt(rest);
    return;
  }
  // from the entries themselves
  *now = *then = sqrt(dot(x + k + 1, x + k + 1, f->m - k - 1));
}

// Are the pivots of the last factorisation, as many as its rank, to be remembered? Those of a
// glance are not: what was known before it still is
static bool remembers(int rank, bool glance, bool *glanced, int *known) {
  bool take = !*glanced;
  // rank is that of the last time, whose pivots are in their places still
  if (take) *known = rank;
  *glanced = glance;
  return take;
}

// The pivots of the last time are preferred place by place while they are not much shorter than the
// longest: along a motion the rows used then change seldom.
static void triangulate(hn_cod *f, double rcond, int limit) {
  int m = f->m, n = f->n;
  double first = 0;
  bool take = remembers(f->rank, f->glance, &f->glanced, &f->known);
  int kept = f->keep > 0 ? f->known : 0;
  // before anything is overwritten
  for (int j = 0; j < kept && take; j++) f->before[j] = f->pivot[j];
  f->rank = 0;
  f->smallest = 0;
  for (int j = 0; j < n; j++) {
    f->pivot[j] = j;
    // lengths now and at their last computation
    f->norm[j] = f->norm[n + j] = sqrt(dot(column(f, j), column(f, j), m));
  }
  for (int k = 0; k < least(limit, least(m, n)); k++) {
    // the longest column left
    int best = k;
    for (int j = k + 1; j < n; j++)
      if (f->norm[j] > f->norm[best]) best = j;
    // or the one that was pivot here, when it is long enough
    for (int j = k; k < kept && j < n; j++)
      if (f->pivot[j] == f->before[k] && f->norm[j] > f->keep * f->norm[best]) best = j;
    if (best != k) {
      swap_columns(column(f, k), column(f, best), m);
      swap_int(&f->pivot[k], &f->pivot[best]);
      f->norm[best] = f->norm[k];
      f->norm[n + best] = f->norm[n + k];
    }
    // anew: the list of lengths may have lost digits, the decision about rank must not
    double *x = column(f, k) + k;
    double size = sqrt(dot(x, x, m - k));
    if (k == 0) first = size;
    // NaN fails the comparison too, and ends the rank there
    if (!(size > rcond * first) || size == 0) return;
    f->tau[k] = reflect(x, m - k);
    for (int j = k + 1; j < n; j++) {
      apply(f->tau[k], x + 1, column(f, j) + k, m - k);
      shorten(f, j, k);
    }
    f->smallest = size / first;
    f->rank = k + 1;
  }
}

// row k of the part right of the triangle is reflected into its diagonal entry.
// R = [T' S] with the rank's rows: reflections from the right, from the last row upwards, bring S
// into the triangle; their vectors take its place.
static void complete(hn_cod *f) {
  // right of the triangle, row k
  int r = f->rank, n = f->n;
  size_t m = (size_t)f->m;
  for (int k = r - 1; k >= 0; k--) {
    double *diagonal = column(f, k) + k, *right = column(f, r) + k;
    double square = 0;
    for (int j = 0; j < n - r; j++) square += right[(size_t)j * m] * right[(size_t)j * m];
    f->tau_z[k] = 0;
    if (square == 0) continue;
    // as `reflect`, with the diagonal in the place of x[0]
    double alpha = *diagonal, beta = -copysign(sqrt(alpha * alpha + square), alpha);
    for (int j = 0; j < n - r; j++) right[(size_t)j * m] /= alpha - beta;
    *diagonal = beta;
    f->tau_z[k] = (beta - alpha) / beta;
    // rows above see the same reflection from the right
    for (int i = 0; i < k; i++) {
      double *t = column(f, k) + i, *rest = column(f, r) + i, sum = *t;
      for (int j = 0; j < n - r; j++) sum += right[(size_t)j * m] * rest[(size_t)j * m];
      sum *= f->tau_z[k];
      *t -= sum;
      for (int j = 0; j < n - r; j++) rest[(size_t)j * m] -= sum * right[(size_t)j * m];
    }
  }
}

void hn_cod_factor(hn_cod *f, double rcond, int limit) {
  triangulate(f, rcond, limit);
  if (f->rank < f->n) complete(f);
}

// w (n) <- H_k w for the reflection k from the right
static void apply_right(const hn_cod *f, int k, double *w) {
  // w = (first part of length r, rest): the vector has its 1 in place k
  int r = f->rank, n = f->n;
  if (r == n || f->tau_z[k] == 0) return;
  const double *right = column(f, r) + k;
  double sum = w[k];
  for (int j = 0; j < n - r; j++) sum += right[(size_t)j * (size_t)f->m] * w[r + j];
  sum *= f->tau_z[k];
  w[k] -= sum;
  for (int j = 0; j < n - r; j++) w[r + j] -= sum * right[(size_t)j * (size_t)f->m];
}

// x = P Z^T [T^-1 Q^T b; 0].
void hn_cod_solve(const hn_cod *f, const double *b, double *x) {
  // w <- Q^T b, of which the first r numbers matter
  int r = f->rank, m = f->m, n = f->n;
  double *w = f->work;
  for (int i = 0; i < m; i++) w[i] = b[i];
  for (int k = 0; k < r; k++) apply(f->tau[k], column(f, k) + k + 1, w + k, m - k);
  // T u = w, column by column
  for (int k = r - 1; k >= 0; k--) {
    w[k] /= column(f, k)[k];
    add(w, -w[k], column(f, k), k);
  }
  // what the rank does not see is zero: that makes x the shortest
  for (int k = r; k < n; k++) w[k] = 0;
  for (int k = 0; k < r; k++) apply_right(f, k, w);
  for (int k = 0; k < n; k++) x[f->pivot[k]] = w[k];
}

// x = Q [T^-T (Z P^T b); 0].
void hn_cod_solve_transposed(const hn_cod *f, const double *b, double *x) {
  int r = f->rank, m = f->m;
  double *w = f->work;
  // the same backwards: P^T, Z, T^T, Q
  for (int k = 0; k < f->n; k++) w[k] = b[f->pivot[k]];
  for (int k = r - 1; k >= 0; k--) apply_right(f, k, w);
  for (int k = 0; k < r; k++) x[k] = (w[k] - dot(column(f, k), x, k)) / column(f, k)[k];
  for (int k = r; k < m; k++) x[k] = 0;
  for (int k = r - 1; k >= 0; k--) apply(f->tau[k], column(f, k) + k + 1, x + k, m - k);
}

// Columns of Q beyond the rank are orthogonal to the range of A.
void hn_cod_null(const hn_cod *f, int k, double *x) {
  int r = f->rank, m = f->m;
  // unit vector r + k, taken through Q
  for (int i = 0; i < m; i++) x[i] = i == r + k;
  for (int i = r - 1; i >= 0; i--) apply(f->tau[i], column(f, i) + i + 1, x + i, m - i);
}

// ---- LU with full pivoting -----------------------------------------------------------------

void hn_lu_layout(hn_lu *f, hn_arena *arena, int m, int n) {
  f->m = m, f->n = n, f->rank = 0;
  f->a = HN_TAKE(arena, double, area(m, n));
  f->work = HN_TAKE(arena, double, most(m, n));
  f->row = HN_TAKE(arena, int, m);
  f->col = HN_TAKE(arena, int, n);
  f->before = HN_TAKE(arena, int, m + n);
}

static double *row_of(const hn_lu *f, int i) {
  return f->a + (size_t)i * (size_t)f->n;
}

// linear: factors are small here
static int place_of(const int *list, int from, int count, int what) {
  while (from < count && list[from] != what) from++;
  return from;
}

// the largest entry left becomes the pivot of place k, or the one that was, where it serves.
// Full pivoting costs m n comparisons a step, as much as the elimination: the price of a rank that
// can be trusted.
static double bring_pivot(hn_lu *f, int k, bool known) {
  double largest = 0;
  int at_row = k, at_col = k;
  // all of what is left, every time
  for (int i = k; i < f->m; i++)
    for (int j = k; j < f->n; j++)
      if (fabs(row_of(f, i)[j]) > largest) largest = fabs(row_of(f, i)[j]), at_row = i, at_col = j;
  // only what has not been used as pivot yet
  int was_row = known ? place_of(f->row, k, f->m, f->before[k]) : f->m;
  int was_col = known ? place_of(f->col, k, f->n, f->before[f->m + k]) : f->n;
  if (was_row < f->m && was_col < f->n && fabs(row_of(f, was_row)[was_col]) > f->keep * largest)
    largest = fabs(row_of(f, was_row)[was_col]), at_row = was_row, at_col = was_col;
  if (at_row != k) {
    swap_columns(row_of(f, k), row_of(f, at_row), f->n);
    swap_int(&f->row[k], &f->row[at_row]);
  }
  if (at_col != k) {
    for (int i = 0; i < f->m; i++) swap_columns(row_of(f, i) + k, row_of(f, i) + at_col, 1);
    swap_int(&f->col[k], &f->col[at_col]);
  }
  return largest;
}

void hn_lu_factor(hn_lu *f, double rcond, int limit) {
  double first = 0;
  bool take = remembers(f->rank, f->glance, &f->glanced, &f->known);
  int kept = f->keep > 0 ? f->known : 0;
  for (int k = 0; k < kept && take; k++) f->before[k] = f->row[k], f->before[f->m + k] = f->col[k];
  f->rank = 0;
  for (int i = 0; i < f->m; i++) f->row[i] = i;
  for (int j = 0; j < f->n; j++) f->col[j] = j;
  for (int k = 0; k < least(limit, least(f->m, f->n)); k++) {
    double pivot = bring_pivot(f, k, k < kept);
    if (k == 0) first = pivot;
    if (!(pivot > rcond * first) || pivot == 0) return;
    const double *u = row_of(f, k);
    for (int i = k + 1; i < f->m; i++) {
      double *x = row_of(f, i);
      // multipliers of L stay below the diagonal
      x[k] /= u[k];
      if (x[k] == 0) continue;
      add(x + k + 1, -x[k], u + k + 1, f->n - k - 1);
    }
    f->rank = k + 1;
  }
}

// Equations beyond the rank are not looked at: b is consistent, or they contradict the others.
void hn_lu_solve(const hn_lu *f, const double *b, double *x) {
  int r = f->rank;
  double *w = f->work;
  // L y = P b, unit diagonal
  for (int i = 0; i < r; i++) w[i] = b[f->row[i]] - dot(row_of(f, i), w, i);
  // U of the rank's columns
  for (int i = r - 1; i >= 0; i--)
    w[i] = (w[i] - dot(row_of(f, i) + i + 1, w + i + 1, r - 1 - i)) / row_of(f, i)[i];
  // unknowns without pivot are zero
  for (int j = 0; j < f->n; j++) x[f->col[j]] = j < r ? w[j] : 0;
}

void hn_lu_solve_transposed(const hn_lu *f, const double *b, double *x) {
  int r = f->rank;
  double *w = f->work;
  // U^T first, then L^T
  for (int i = 0; i < r; i++) w[i] = b[f->col[i]];
  for (int i = 0; i < r; i++) {
    w[i] /= row_of(f, i)[i];
    add(w + i + 1, -w[i], row_of(f, i) + i + 1, r - 1 - i);
  }
  for (int i = r - 1; i >= 0; i--) add(w, -w[i], row_of(f, i), i);
  for (int i = 0; i < f->m; i++) x[f->row[i]] = i < r ? w[i] : 0;
}

// U x = 0 with one free unknown set to one and the others to zero.
void hn_lu_null(const hn_lu *f, int k, double *x) {
  // unknown r + k of the reordered ones is one
  int r = f->rank;
  double *w = f->work;
  for (int i = r - 1; i >= 0; i--) {
    const double *u = row_of(f, i);
    w[i] = (-u[r + k] - dot(u + i + 1, w + i + 1, r - 1 - i)) / u[i];
  }
  for (int j = 0; j < f->n; j++) x[f->col[j]] = j < r ? w[j] : j == r + k;
}

// ---- Gram and Schmidt ------------------------------------------------------------------------

void hn_gram_layout(hn_gram *f, hn_arena *arena, int m, int n) {
  int r = least(m, n);
  // a is used up: what is left of the rows
  f->m = m, f->n = n, f->rank = 0;
  f->a = HN_TAKE(arena, double, area(m, n));
  f->q = HN_TAKE(arena, double, area(n, n));
  f->u = HN_TAKE(arena, double, area(m, r));
  f->t = HN_TAKE(arena, double, area(r, r));
  f->length = HN_TAKE(arena, double, m);
  f->work = HN_TAKE(arena, double, most(m, n));
  f->pivot = HN_TAKE(arena, int, m);
  f->before = HN_TAKE(arena, int, m);
}

static double *q_row(const hn_gram *f, int k) {
  return f->q + (size_t)k * (size_t)f->n;
}

// takes from x what lies along the first `count` of vectors of length n; what that was is added to
// c (NULL: not asked for).
// Twice is enough (Kahan; Giraud, Langou & Rozloznik 2005): what rounding leaves along the vectors
// after the second pass is at the level of rounding itself.
static void orthogonalise(double *x, const double *vectors, int count, int n, double *c) {
  // modified Gram and Schmidt's process, done twice
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < count; k++) {
      const double *v = vectors + (size_t)k * (size_t)n;
      double along = dot(v, x, n);
      add(x, -along, v, n);
      if (c) c[k] += along;
    }
}

static double normalise(double *x, int n) {
  double length = sqrt(dot(x, x, n));
  for (int i = 0; i < n && length > 0; i++) x[i] /= length;
  return length;
}

// rows of Q; column k of u becomes what all rows have along row k.
// Modified Gram and Schmidt: each new direction is taken out of all rows at once. Rows that were
// pivots have the length zero and are not chosen again.
static void gram_rows(hn_gram *f, double rcond, int limit) {
  bool take = remembers(f->rank, f->glance, &f->glanced, &f->known);
  int m = f->m, n = f->n, kept = f->keep > 0 ? f->known : 0;
  double first = 0;
  for (int k = 0; k < kept && take; k++) f->before[k] = f->pivot[k];
  f->rank = 0;
  for (int i = 0; i < m; i++) {
    // lengths are computed anew after every pivot, so nothing is lost
    const double *x = f->a + (size_t)i * (size_t)n;
    f->length[i] = sqrt(dot(x, x, n));
  }
  for (int k = 0; k < least(limit, least(m, n)); k++) {
    int best = 0;
    for (int i = 1; i < m; i++)
      if (f->length[i] > f->length[best]) best = i;
    if (k < kept && f->length[f->before[k]] > f->keep * f->length[best]) best = f->before[k];
    double *q = q_row(f, k), *u = f->u + (size_t)k * (size_t)m;
    if (k == 0) first = f->length[best];
    // as above, NaN ends it
    if (!(f->length[best] > rcond * first) || f->length[best] == 0) return;
    for (int j = 0; j < n; j++) q[j] = f->a[(size_t)best * (size_t)n + (size_t)j];
    orthogonalise(q, f->q, k, n, NULL);
    (void)normalise(q, n);
    f->pivot[k] = best;
    // pivots' own rows too: their lengths come out as rounding, and are set to zero
    for (int i = 0; i < m; i++) {
      double *x = f->a + (size_t)i * (size_t)n;
      u[i] = dot(q, x, n);
      add(x, -u[i], q, n);
      f->length[i] = sqrt(dot(x, x, n));
    }
    f->rank = k + 1;
    for (int i = 0; i <= k; i++) f->length[f->pivot[i]] = 0;
  }
}

// unit vectors, of which the most is left first, complete the rows of Q.
// 1 - sum q_ij^2 is what is left of a unit vector, without making it orthogonal first.
static void gram_complete(hn_gram *f) {
  int n = f->n;
  for (int k = f->rank; k < n; k++) {
    double *q = q_row(f, k), most_left = -1;
    int best = 0;
    for (int j = 0; j < n; j++) {
      double left = 1;
      for (int i = 0; i < k; i++) left -= q_row(f, i)[j] * q_row(f, i)[j];
      if (left > most_left) most_left = left, best = j;
    }
    for (int j = 0; j < n; j++) q[j] = j == best;
    orthogonalise(q, f->q, k, n, NULL);
    (void)normalise(q, n);
  }
}

void hn_gram_factor(hn_gram *f, double rcond, int limit) {
  gram_rows(f, rcond, limit);
  gram_complete(f);
  // the columns of what the rows have along Q: u = U T
  int r = f->rank;
  for (int k = 0; k < r * r; k++) f->t[k] = 0;
  // columns of u made orthogonal: u = U T, T upper triangular
  for (int k = 0; k < r; k++) {
    double *u = f->u + (size_t)k * (size_t)f->m;
    for (int i = 0; i < r; i++) f->work[i] = 0;
    orthogonalise(u, f->u, k, f->m, f->work);
    for (int i = 0; i < k; i++) f->t[i * r + k] = f->work[i];
    f->t[k * r + k] = normalise(u, f->m);
  }
}

void hn_gram_solve(const hn_gram *f, const double *b, double *x) {
  int r = f->rank;
  double *w = f->work;
  // A^+ = Q^T T^-1 U^T
  for (int k = 0; k < r; k++) w[k] = dot(f->u + (size_t)k * (size_t)f->m, b, f->m);
  for (int k = r - 1; k >= 0; k--)
    w[k] = (w[k] - dot(f->t + k * r + k + 1, w + k + 1, r - 1 - k)) / f->t[k * r + k];
  for (int j = 0; j < f->n; j++) x[j] = 0;
  for (int k = 0; k < r; k++) add(x, w[k], q_row(f, k), f->n);
}

void hn_gram_solve_transposed(const hn_gram *f, const double *b, double *x) {
  int r = f->rank;
  double *w = f->work;
  for (int k = 0; k < r; k++) w[k] = dot(q_row(f, k), b, f->n);
  for (int k = 0; k < r; k++) {
    w[k] /= f->t[k * r + k];
    add(w + k + 1, -w[k], f->t + k * r + k + 1, r - 1 - k);
  }
  for (int i = 0; i < f->m; i++) x[i] = 0;
  for (int k = 0; k < r; k++) add(x, w[k], f->u + (size_t)k * (size_t)f->m, f->m);
}

const double *hn_gram_null(const hn_gram *f, int k) {
  return q_row(f, f->rank + k);
}

// ---- singular values -----------------------------------------------------------------------

void hn_svd_layout(hn_svd *f, hn_arena *arena, int m, int n) {
  f->m = m, f->n = n, f->rank = 0;
  f->a = HN_TAKE(arena, double, area(m, n));
  f->v = HN_TAKE(arena, double, area(n, n));
  f->s = HN_TAKE(arena, double, n);
}

static void rotate(double *a, double *b, double c, double s, int n) {
  for (int i = 0; i < n; i++) {
    double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// makes columns i and j orthogonal; false when they were.
// The smaller of the two angles that make them orthogonal, which is what makes sweeps converge
// (Golub & Van Loan, 8.6).
static bool rotate_pair(hn_svd *f, int i, int j, double negligible) {
  double *x = f->a + (size_t)i * (size_t)f->m, *y = f->a + (size_t)j * (size_t)f->m;
  // angles between columns, relative to their lengths
  double xx = dot(x, x, f->m), yy = dot(y, y, f->m), xy = dot(x, y, f->m);
  if (fabs(xy) <= 1e-15 * sqrt(xx) * sqrt(yy) || fabs(xy) <= negligible) return false;
  double zeta = (yy - xx) / (2 * xy);
  double t = copysign(1, zeta) / (fabs(zeta) + hn_hypot(1, zeta)), c = 1 / hn_hypot(1, t);
  rotate(x, y, c, c * t, f->m);
  rotate(f->v + (size_t)i * (size_t)f->n, f->v + (size_t)j * (size_t)f->n, c, c * t, f->n);
  return true;
}

bool hn_svd_factor(hn_svd *f, double rcond, int limit) {
  int m = f->m, n = f->n;
  // size: the largest square, for what counts as nothing
  double size = 0, largest = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) f->v[(size_t)i * (size_t)n + (size_t)j] = i == j;
  for (int j = 0; j < n; j++)
    size = fmax(size, dot(f->a + (size_t)j * (size_t)m, f->a + (size_t)j * (size_t)m, m));
  // products below this belong to columns that are zero but for rounding
  double negligible = DBL_EPSILON * DBL_EPSILON * size;
  bool rotated = true;
  // each sweep squares what is left: ten are many
  enum { SWEEPS = 60 };
  for (int sweep = 0; rotated && sweep < SWEEPS; sweep++) {
    rotated = false;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) rotated |= rotate_pair(f, i, j, negligible);
  }
  for (int j = 0; j < n; j++) {
    const double *x = f->a + (size_t)j * (size_t)m;
    f->s[j] = sqrt(dot(x, x, m));
    largest = fmax(largest, f->s[j]);
  }
  f->rank = 0;
  for (int j = 0; j < n; j++) {
    if (!(f->s[j] > rcond * largest)) f->s[j] = 0;
    f->rank += f->s[j] > 0;
  }
  // the smallest go first
  for (; f->rank > limit; f->rank--) {
    int smallest = -1;
    for (int j = 0; j < n; j++)
      if (f->s[j] > 0 && (smallest < 0 || f->s[j] < f->s[smallest])) smallest = j;
    f->s[smallest] = 0;
  }
  return !rotated;
}

// V s^-1 U^T b, a being U s: hence the square.
void hn_svd_solve(const hn_svd *f, const double *b, double *x) {
  size_t m = (size_t)f->m, n = (size_t)f->n;
  for (int i = 0; i < f->n; i++) x[i] = 0;
  for (int j = 0; j < f->n; j++) {
    if (f->s[j] == 0) continue;
    double u = dot(f->a + (size_t)j * m, b, f->m) / (f->s[j] * f->s[j]);
    add(x, u, f->v + (size_t)j * n, f->n);
  }
}

void hn_svd_solve_transposed(const hn_svd *f, const double *b, double *x) {
  size_t m = (size_t)f->m, n = (size_t)f->n;
  for (int i = 0; i < f->m; i++) x[i] = 0;
  for (int j = 0; j < f->n; j++) {
    if (f->s[j] == 0) continue;
    double u = dot(f->v + (size_t)j * n, b, f->n) / (f->s[j] * f->s[j]);
    add(x, u, f->a + (size_t)j * m, f->m);
  }
}
