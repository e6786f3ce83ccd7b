// dense_own.c: the analyses of dense.h by the library alone, short rather than fast.
//
//   rank                 Householder reflections, the longest remaining row first
//   singular values      one-sided Jacobi rotations: columns are turned until they are orthogonal
//   symmetric matrices   two-sided Jacobi rotations
//   any matrix           balanced, brought to Hessenberg form, then Francis' implicit double steps
//                        (G. H. Golub, C. F. Van Loan, Matrix Computations, chapter 7);
//                        eigenvectors by back substitution in the triangular form
#include "base/complex.h"
#include "linalg/dense.h"
#include "linalg/dense_kinds.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// more than ever needed; what has not converged then never will
enum { MOST_SWEEPS = 60, MOST_STEPS = 60 };

static double *numbers(size_t count) {
  return calloc(count + 1, sizeof(double));
}
// One number more than needed throughout, so that sizes of zero are no failure of memory.
static double *copy(int m, int n, const double *A) {
  size_t count = (size_t)m * (size_t)n;
  double *B = numbers(count);
  if (B && count) memcpy(B, A, count * sizeof *B);
  return B;
}

static double *copy_transposed(int m, int n, const double *A) {
  double *B = numbers((size_t)m * (size_t)n);
  for (int i = 0; B && i < m; i++)
    for (int j = 0; j < n; j++)
      B[(size_t)j * (size_t)m + (size_t)i] = A[(size_t)i * (size_t)n + (size_t)j];
  return B;
}

static double *unit_matrix(int n) {
  double *E = numbers((size_t)n * (size_t)n);
  for (int i = 0; E && i < n; i++) E[(size_t)i * ((size_t)n + 1)] = 1;
  return E;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// without overflow. The comparison leaves out what is no number, as fmax() would by a call for each
static double length(const double *x, int n) {
  // by the largest number, so that squares neither overflow nor vanish
  double most = 0, sum = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  if (!(most > 0) || !isfinite(most)) return most;
  for (int i = 0; i < n; i++) sum += (x[i] / most) * (x[i] / most);
  return most * sqrt(sum);
}

static void swap_rows(double *a, double *b, int n) {
  for (int i = 0; i < n; i++) {
    double x = a[i];
    a[i] = b[i], b[i] = x;
  }
}

static bool all_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// ---- rank ------------------------------------------------------------------------------------

// x (n) becomes the reflection that takes it to a multiple of the first unit vector; returns that
// multiple. Applied as y -= x (x . y) / x[0]; x[0] is 0 where nothing is to be done
static double reflection(double *x, int n) {
  double size = length(x, n);
  if (!(size > 0)) return 0;
  // away from x[0], so that image and x[0] do not cancel
  double image = x[0] > 0 ? -size : size;
  // v = x - image e, scaled so that v . v / 2 = v[0]
  x[0] -= image;
  double scale = -1 / image;
  for (int i = 0; i < n; i++) x[i] *= scale;
  return image;
}

static void reflect(const double *v, double *y, int n) {
  if (v[0] == 0) return;
  double part = dot(v, y, n) / v[0];
  for (int i = 0; i < n; i++) y[i] -= part * v[i];
}

// Lengths are computed anew for every pivot: there are no updates that could lose their digits
bool hn_own_rank_qr(int m, int n, const double *A, double rcond, int *rank, int *pivot, double *r) {
  // rows of A are columns of the transpose: they are reflected as they lie
  int least = m < n ? m : n;
  double *B = copy(m, n, A);
  if (!B) return false;
  for (int i = 0; i < m; i++) pivot[i] = i;
  *rank = 0;
  for (int k = 0; k < least; k++) {
    int best = k;
    double most = -1;
    for (int i = k; i < m; i++) {
      // what is left of the row behind column k
      double left = length(B + (size_t)i * (size_t)n + k, n - k);
      if (left > most) most = left, best = i;
    }
    double *row = B + (size_t)k * (size_t)n;
    if (best != k) {
      int other = pivot[k];
      pivot[k] = pivot[best], pivot[best] = other;
      swap_rows(row, B + (size_t)best * (size_t)n, n);
    }
    // below the diagonal there is nothing left to look at
    r[k] = fabs(reflection(row + k, n - k));
    // all rows behind, whether they become pivots or not
    for (int i = k + 1; i < m; i++) reflect(row + k, B + (size_t)i * (size_t)n + k, n - k);
    if (r[k] > rcond * r[0]) ++*rank;
  }
  free(B);
  return true;
}

// ---- singular values ---------------------------------------------------------------------------

static void rotate(double *a, double *b, int n, double c, double s) {
  for (int i = 0; i < n; i++) {
    double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// cosine and sine that make off vanish in [left off; off right].
// t = tan of the smaller angle, the root of t^2 + 2 zeta t - 1 = 0 that does not cancel.
static void jacobi(double left, double off, double right, double *c, double *s) {
  // zeta = cot of twice the angle
  double zeta = (right - left) / (2 * off);
  double t = copysign(1, zeta) / (fabs(zeta) + hn_hypot(1, zeta));
  *c = 1 / sqrt(1 + t * t);
  *s = *c * t;
}

// the q vectors of W (length p each) are turned among each other until they are orthogonal; V (q x
// q) follows. Vectors that are nothing but rounding errors of the longest one are left alone
static bool make_orthogonal(int p, int q, double *W, double *V) {
  // an absolute size: vectors of rounding errors have no direction
  double whole = length(W, p * q), nothing = DBL_EPSILON * whole;
  bool done = false;
  for (int sweep = 0; sweep < MOST_SWEEPS && !done; sweep++) {
    done = true;
    for (int i = 0; i < q; i++)
      for (int j = i + 1; j < q; j++) {
        double *a = W + (size_t)i * (size_t)p, *b = W + (size_t)j * (size_t)p, c, s;
        double x = length(a, p), y = length(b, p), z = dot(a, b, p);
        // cosine of the angle between them below rounding: orthogonal
        if (x <= nothing || y <= nothing || fabs(z) <= 4 * DBL_EPSILON * x * y) continue;
        jacobi(x * x, z, y * y, &c, &s);
        rotate(a, b, p, c, s);
        rotate(V + (size_t)i * (size_t)q, V + (size_t)j * (size_t)q, q, c, s);
        done = false;
      }
  }
  return done;
}

// rows `known` ... p - 1 of U (p x p) are added so that all are orthogonal and of length 1.
// The unit vector of which the most is left, made orthogonal twice.
static void complete(int p, double *U, int known) {
  for (int k = known; k < p; k++) {
    double *u = U + (size_t)k * (size_t)p, best = -1;
    int from = 0;
    for (int i = 0; i < p; i++) {
      // of a unit vector k orthonormal ones leave 1 - sum of the squares of its parts along them
      double left = 1;
      for (int j = 0; j < k; j++) {
        double part = U[(size_t)j * (size_t)p + (size_t)i];
        left -= part * part;
      }
      if (left > best) best = left, from = i;
    }
    memset(u, 0, (size_t)p * sizeof *u);
    u[from] = 1;
    for (int again = 0; again < 2; again++) {
      for (int j = 0; j < k; j++) {
        const double *v = U + (size_t)j * (size_t)p;
        double part = dot(u, v, p);
        for (int i = 0; i < p; i++) u[i] -= part * v[i];
      }
      double size = length(u, p);
      for (int i = 0; i < p; i++) u[i] /= size;
    }
  }
}

// of W, p >= q: singular values s, rows of left (p x p) and right (q x q)
static bool singular(int p, int q, double *W, double *s, double *left, double *right) {
  if (!make_orthogonal(p, q, W, right)) return false;
  // W = left diag(s): lengths are the singular values
  for (int k = 0; k < q; k++) s[k] = length(W + (size_t)k * (size_t)p, p);
  // descending, by selection: few
  for (int k = 0; k < q; k++) {
    int most = k;
    for (int i = k + 1; i < q; i++)
      if (s[i] > s[most]) most = i;
    if (most == k) continue;
    swap_rows(s + k, s + most, 1);
    swap_rows(W + (size_t)k * (size_t)p, W + (size_t)most * (size_t)p, p);
    swap_rows(right + (size_t)k * (size_t)q, right + (size_t)most * (size_t)q, q);
  }
  int known = 0;
  // left vectors of what is zero have no direction of their own
  while (known < q && s[known] > DBL_EPSILON * sqrt(q) * s[0]) {
    for (int i = 0; i < p; i++)
      left[(size_t)known * (size_t)p + (size_t)i] =
          W[(size_t)known * (size_t)p + (size_t)i] / s[known];
    known++;
  }
  complete(p, left, known);
  return true;
}

bool hn_own_svd(int m, int n, const double *A, double *s, double *U, double *Vt) {
  bool tall = m >= n;
  int p = tall ? m : n, q = tall ? n : m;
  // A^T has columns of A as its rows, which is what W wants
  double *W = tall ? copy_transposed(m, n, A) : copy(m, n, A);
  double *left = numbers((size_t)p * (size_t)p), *right = unit_matrix(q);
  bool ok = W && left && right && all_finite(W, (size_t)m * (size_t)n) &&
            singular(p, q, W, s, left, right);
  // of a wide matrix left and right change places
  const double *u = tall ? left : right, *v = tall ? right : left;
  for (int i = 0; ok && U && i < m; i++)
    for (int k = 0; k < m; k++) U[i * m + k] = u[k * m + i];
  if (ok && Vt && n) memcpy(Vt, v, (size_t)n * (size_t)n * sizeof *Vt);
  free(W), free(left), free(right);
  return ok;
}

bool hn_own_lstsq(int m, int n, const double *A, const double *b, double rcond, double *x,
                  int *rank) {
  int least = m < n ? m : n, found = 0;
  double *s = numbers((size_t)least), *U = numbers((size_t)m * (size_t)m);
  double *Vt = numbers((size_t)n * (size_t)n);
  bool ok = s && U && Vt && hn_own_svd(m, n, A, s, U, Vt);
  for (int i = 0; ok && i < n; i++) x[i] = 0;
  // terms with s = 0 would divide by zero, and have no say
  for (int k = 0; ok && k < least && s[k] > 0 && s[k] >= rcond * s[0]; k++, found++) {
    double part = 0;
    for (int i = 0; i < m; i++) part += U[i * m + k] * b[i];
    for (int i = 0; i < n; i++) x[i] += Vt[k * n + i] * (part / s[k]);
  }
  if (ok && rank) *rank = found;
  free(s), free(U), free(Vt);
  return ok;
}

bool hn_own_solve(int n, const double *A, double *b) {
  double *B = copy(n, n, A);
  int *swap = malloc(((size_t)n + 1) * sizeof *swap);
  bool ok = B && swap && hn_dense_lu(n, B, swap);
  if (ok) hn_dense_lu_solve(n, B, swap, b);
  free(B), free(swap);
  return ok;
}

// ---- symmetric matrices
// --------------------------------------------------------------------------

// turns the vectors i and j of the basis so that B[i][j] vanishes.
// J^T B J with the rotation J in the plane (i, j); rows of V become the eigenvectors.
// as in singular values, but from both sides
static void turn(int n, double *B, double *V, int i, int j) {
  double c, s;
  jacobi(B[i * n + i], B[i * n + j], B[j * n + j], &c, &s);
  rotate(B + (size_t)i * (size_t)n, B + (size_t)j * (size_t)n, n, c, s);
  for (int k = 0; k < n; k++) {
    double x = B[k * n + i], y = B[k * n + j];
    B[k * n + i] = c * x - s * y;
    B[k * n + j] = s * x + c * y;
  }
  rotate(V + (size_t)i * (size_t)n, V + (size_t)j * (size_t)n, n, c, s);
}

static bool diagonalise(int n, double *B, double *V) {
  double whole = length(B, n * n);
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    bool done = true;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        double off = fabs(B[i * n + j]);
        // beside large diagonals nothing, and nothing beside the whole
        // relative to both diagonals: small eigenvalues keep their digits
        if (off <= DBL_EPSILON / 8 * sqrt(fabs(B[i * n + i] * B[j * n + j])) ||
            off <= DBL_MIN + DBL_EPSILON * DBL_EPSILON * whole)
          continue;
        turn(n, B, V, i, j);
        done = false;
      }
    if (done) return true;
  }
  // what is left turns for ever between places that are equal in all their digits
  return true;
}

bool hn_own_symmetric_eigen(int n, const double *A, double *w, double *V) {
  double *B = copy(n, n, A), *T = unit_matrix(n);
  bool ok = B && T;
  for (int i = 0; ok && i < n; i++)
    for (int j = i + 1; j < n; j++) B[i * n + j] = B[j * n + i];
  ok = ok && all_finite(B, (size_t)n * (size_t)n) && diagonalise(n, B, T);
  for (int k = 0; ok && k < n; k++) w[k] = B[k * n + k];
  for (int k = 0; ok && k < n; k++) {
    int least = k;
    for (int i = k + 1; i < n; i++)
      // ascending, by selection
      if (w[i] < w[least]) least = i;
    swap_rows(w + k, w + least, 1);
    if (least != k) swap_rows(T + (size_t)k * (size_t)n, T + (size_t)least * (size_t)n, n);
  }
  if (ok && V && n) memcpy(V, T, (size_t)n * (size_t)n * sizeof *V);
  free(B), free(T);
  return ok;
}

// ---- any matrix
// ------------------------------------------------------------------------------------

// rows and columns of similar size: H becomes D^-1 H D, D made of powers of 2
// powers of 2 change no digit
static void balance(int n, double *H, double *D) {
  for (int i = 0; i < n; i++) D[i] = 1;
  // until no row gains by more than 5 %
  for (bool done = false; !done;) {
    done = true;
    for (int i = 0; i < n; i++) {
      double row = 0, column = 0, factor = 1;
      for (int j = 0; j < n; j++)
        if (j != i) row += fabs(H[i * n + j]), column += fabs(H[j * n + i]);
      if (!(row > 0) || !(column > 0)) continue;
      double before = row + column;
      while (column < row / 2 && factor < 0x1p500) column *= 2, row /= 2, factor *= 2;
      while (column >= row * 2 && factor > 0x1p-500) column /= 2, row *= 2, factor /= 2;
      if (!(row + column < 0.95 * before)) continue;
      done = false;
      D[i] *= factor;
      for (int j = 0; j < n; j++) H[i * n + j] /= factor;
      // columns by D, rows by its inverse
      for (int j = 0; j < n; j++) H[j * n + i] *= factor;
    }
  }
}

// H becomes P H P with the reflection P of rows first ... first + size - 1, Q becomes Q P
static void reflect_both(int n, double *H, double *Q, const double *v, int first, int size) {
  if (v[0] == 0) return;
  // from the left, column by column, then from the right, row by row
  for (int j = 0; j < n; j++) {
    double part = 0;
    for (int i = 0; i < size; i++) part += v[i] * H[(first + i) * n + j];
    part /= v[0];
    for (int i = 0; i < size; i++) H[(first + i) * n + j] -= part * v[i];
  }
  for (int i = 0; i < n; i++) {
    reflect(v, H + (size_t)i * (size_t)n + first, size);
    reflect(v, Q + (size_t)i * (size_t)n + first, size);
  }
}

static void make_hessenberg(int n, double *H, double *Q, double *v) {
  for (int k = 0; k + 2 < n; k++) {
    int size = n - k - 1;
    // below the subdiagonal nothing must be left
    for (int i = 0; i < size; i++) v[i] = H[(k + 1 + i) * n + k];
    reflection(v, size);
    reflect_both(n, H, Q, v, k + 1, size);
    for (int i = k + 2; i < n; i++) H[i * n + k] = 0;
  }
}

// one implicit double step on rows low ... high with the shifts whose sum and product are given.
// v is the first column of H^2 - sum H + product: a reflection by it, and the bulge it makes is
// chased down the matrix by further ones, three rows at a time.
static void francis_step(int n, double *H, double *Q, int low, int high, double sum,
                         double product) {
  double *h = H + low * n + low;
  double v[3] = {h[0] * h[0] + h[1] * h[n] - sum * h[0] + product, h[n] * (h[0] + h[n + 1] - sum),
                 high - low > 1 ? h[n] * h[2 * n + 1] : 0};
  for (int k = low; k < high; k++) {
    // the last bulge has two rows
    int size = high - k + 1 < 3 ? high - k + 1 : 3;
    if (k > low)
      for (int i = 0; i < size; i++) v[i] = H[(k + i) * n + k - 1];
    reflection(v, size);
    reflect_both(n, H, Q, v, k, size);
    for (int i = 1; k > low && i < size; i++) H[(k + i) * n + k - 1] = 0;
  }
}

// Against its neighbours on the diagonal, or the whole where these vanish.
static bool negligible(int n, const double *H, int k, double whole) {
  double beside = fabs(H[k * n + k]) + fabs(H[(k - 1) * n + k - 1]);
  // eps of the neighbours: a perturbation of that size is rounding of A
  return fabs(H[k * n + k - 1]) <= DBL_EPSILON * (beside > 0 ? beside : whole);
}

// a 2 x 2 block with real eigenvalues is made triangular
static void split_block(int n, double *H, double *Q, int k) {
  double a = H[k * n + k], b = H[k * n + k + 1], c = H[(k + 1) * n + k], d = H[(k + 1) * n + k + 1],
         half = (a - d) / 2, root = half * half + b * c;
  // the discriminant of the 2 x 2 block; below zero a pair of conjugates
  if (c == 0 || root < 0) return;
  // (x, c) is the eigenvector of the eigenvalue that is computed without cancellation
  double x = half + copysign(sqrt(root), half), v[2] = {x, c};
  reflection(v, 2);
  reflect_both(n, H, Q, v, k, 2);
  H[(k + 1) * n + k] = 0;
}

// H becomes quasi-triangular; false: no convergence
static bool make_triangular(int n, double *H, double *Q) {
  double whole = length(H, n * n);
  for (int high = n - 1, steps = 0; high > 0;) {
    // low: where the block that has not split off begins
    int low = high;
    while (low > 0 && !negligible(n, H, low, whole)) low--;
    if (low > 0) H[low * n + low - 1] = 0;
    // one or two rows are done
    if (high - low < 2) {
      if (high > low) split_block(n, H, Q, low);
      high = low - 1, steps = 0;
      continue;
    }
    if (++steps > MOST_STEPS) return false;
    // the eigenvalues of the last 2 x 2 block as shifts
    const double *h = H + (high - 1) * n + high - 1;
    double sum = h[0] + h[n + 1], product = h[0] * h[n + 1] - h[1] * h[n];
    if (steps % 10 == 0) {  // another place to start from, when it goes in circles
      double off = fabs(h[n]) + fabs(H[(high - 1) * n + high - 2]);
      sum = 1.5 * off, product = off * off;
    }
    francis_step(n, H, Q, low, high, sum, product);
  }
  return true;
}

// the eigenvector of T that belongs to lambda, whose block ends in row `last`.
// T is quasi-triangular: blocks of 1 or 2 rows from below upwards. Where lambda is met again,
// `small` in the place of zero gives a vector of the same invariant space.
static void back_substitute(int n, const double *T, double complex lambda, int last, bool pair,
                            double small, double complex *x) {
  // at its own place one; rows above follow
  for (int i = 0; i < n; i++) x[i] = 0;
  x[last] = 1;
  int k = last - 1;
  if (pair) {
    x[last - 1] =
        hn_complex_quotient(-T[(last - 1) * n + last], T[(last - 1) * n + last - 1] - lambda);
    k = last - 2;
  }
  while (k >= 0) {
    bool two = k > 0 && T[k * n + k - 1] != 0;
    double complex right[2] = {0, 0};
    for (int r = 0; r < (two ? 2 : 1); r++)
      // what is known already goes to the right
      for (int j = k + 1; j <= last; j++) right[r] -= T[(k - r) * n + j] * x[j];
    double complex d = T[k * n + k] - lambda;
    if (two) {
      // a block of two is solved by Cramer's rule
      double complex a = T[(k - 1) * n + k - 1] - lambda;
      double b = T[(k - 1) * n + k], c = T[k * n + k - 1];
      double complex det = a * d - b * c;
      if (hn_complex_size(det) < small * small) det = small * small;
      x[k] = hn_complex_quotient(a * right[0] - c * right[1], det);
      x[k - 1] = hn_complex_quotient(d * right[1] - b * right[0], det);
    } else {
      if (hn_complex_size(d) < small) d = small;
      x[k] = hn_complex_quotient(right[0], d);
    }
    k -= two ? 2 : 1;
    // grows where eigenvalues nearly coincide: only the direction matters
    double most = 0;
    for (int i = 0; i <= last; i++) most = fmax(most, hn_complex_size(x[i]));
    for (int i = 0; most > 1e100 && i <= last; i++) x[i] /= most;
  }
}

// D Q x of length 1, its largest element real
static void eigenvector(int n, const double *Q, const double *D, const double complex *x, int last,
                        double *re, double *im) {
  double most = 0, size = 0;
  double complex phase = 1;
  for (int i = 0; i < n; i++) {
    double complex sum = 0;
    for (int j = 0; j <= last; j++) sum += Q[i * n + j] * x[j];
    sum *= D[i];
    re[i] = creal(sum);
    if (im) im[i] = cimag(sum);
    if (hn_complex_size(sum) > most) most = hn_complex_size(sum), phase = conj(sum) / most;
  }
  // twice scaled: numbers of any size
  for (int i = 0; i < n; i++) size += (re[i] / most) * (re[i] / most);
  for (int i = 0; im && i < n; i++) size += (im[i] / most) * (im[i] / most);
  size = most * sqrt(size);
  for (int i = 0; i < n; i++) {
    double complex z = (re[i] + I * (im ? im[i] : 0)) / size;
    if (im) z *= phase;
    re[i] = creal(z);
    if (im) im[i] = cimag(z);
  }
}

bool hn_own_eigen(int n, const double *A, double *re, double *im, double *V) {
  double *H = copy(n, n, A), *Q = unit_matrix(n), *D = numbers((size_t)n),
         *v = numbers((size_t)n + 3);
  // LAPACK's order of work: balance, Hessenberg, triangle
  double complex *x = calloc((size_t)n + 1, sizeof *x);
  bool ok = H && Q && D && v && x && all_finite(A, (size_t)n * (size_t)n);
  if (ok) {
    balance(n, H, D);
    make_hessenberg(n, H, Q, v);
    ok = make_triangular(n, H, Q);
  }
  double small = ok ? fmax(DBL_EPSILON * length(H, n * n), DBL_MIN) : 0;
  for (int k = 0; ok && k < n;) {
    // what is not zero below the diagonal is a pair
    bool pair = k + 1 < n && H[(k + 1) * n + k] != 0;
    double a = H[k * n + k];
    re[k] = a, im[k] = 0;
    if (pair) {
      double d = H[(k + 1) * n + k + 1], half = (a - d) / 2;
      double root = half * half + H[k * n + k + 1] * H[(k + 1) * n + k];
      re[k] = re[k + 1] = (a + d) / 2;
      // root is below zero of a pair
      im[k] = sqrt(fabs(root)), im[k + 1] = -im[k];
    }
    int last = pair ? k + 1 : k;
    if (V) {
      back_substitute(n, H, re[k] + I * im[k], last, pair, small, x);
      eigenvector(n, Q, D, x, last, V + (size_t)k * (size_t)n,
                  pair ? V + (size_t)(k + 1) * (size_t)n : NULL);
    }
    k = last + 1;
  }
  free(H), free(Q), free(D), free(v), free(x);
  return ok;
}
