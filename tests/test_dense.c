// test_dense.c: dense linear algebra against its own definitions.
#include "base/vec.h"
#include "linalg/dense.h"
#include "linalg/rank.h"
#include "test.h"

#include <stdlib.h>

enum { LARGEST = 80 };  // above what is small (linalg/small.h)

static void fill(double *A, int count) {
  for (int i = 0; i < count; i++) A[i] = test_random(-1, 1);
}

// C (m x q) = A (m x n) B (n x q)
static void multiply(double *C, const double *A, const double *B, int m, int n, int q) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < q; j++) {
      C[i * q + j] = 0;
      for (int k = 0; k < n; k++) C[i * q + j] += A[i * n + k] * B[k * q + j];
    }
}

static double difference(const double *a, const double *b, int count) {
  double worst = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= worst)) worst = fabs(a[i] - b[i]);
  return worst;
}

// rows of Q (n x n) are orthonormal
static double not_orthonormal(const double *Q, int n) {
  double worst = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double dot = -(i == j);
      for (int k = 0; k < n; k++) dot += Q[i * n + k] * Q[j * n + k];
      worst = fmax(worst, fabs(dot));
    }
  return worst;
}

// m x n of the given rank: rows beyond `rank` combine the first ones, then all are shuffled
static void of_rank(double *A, int m, int n, int rank) {
  fill(A, rank * n);
  for (int i = rank; i < m; i++)
    for (int k = 0; k < n; k++) {
      A[i * n + k] = 0;
      for (int j = 0; j < rank; j++) A[i * n + k] += sin(3 * i + 7 * j) * A[j * n + k];
    }
  for (int i = m - 1; i > 0; i--) {
    int j = (int)test_random(0, i + 1);
    for (int k = 0; k < n; k++) {
      double t = A[i * n + k];
      A[i * n + k] = A[j * n + k];
      A[j * n + k] = t;
    }
  }
}

static void test_rank(void) {
  double A[LARGEST * LARGEST], B[LARGEST * LARGEST], r[LARGEST], s[LARGEST];
  int pivot[LARGEST];
  for (int trial = 0; trial < 60; trial++) {
    int most = trial % 6 ? 20 : LARGEST;
    int m = 1 + (int)test_random(0, most), n = 1 + (int)test_random(0, most), rank = -1;
    int least = m < n ? m : n, wanted = 1 + (int)test_random(0, least);
    of_rank(A, m, n, wanted);
    memcpy(B, A, sizeof A);
    CHECK(hn_dense_rank_qr(m, n, A, 1e-10, &rank, pivot, r));
    CHECK(rank == wanted && memcmp(A, B, (size_t)(m * n) * sizeof *A) == 0);
    // every row is listed once, the first has the largest norm, distances do not grow
    int seen[LARGEST] = {0};
    double largest = 0;
    for (int i = 0; i < m; i++) {
      double norm = 0;
      seen[pivot[i]]++;
      for (int k = 0; k < n; k++) norm += A[i * n + k] * A[i * n + k];
      largest = fmax(largest, sqrt(norm));
    }
    for (int i = 0; i < m; i++) CHECK(seen[i] == 1);
    CHECK_REL(r[0], largest, 0, 1e-14);
    for (int k = 1; k < least; k++) CHECK(r[k] <= r[k - 1] * (1 + 1e-14));
    // the rows chosen are independent
    for (int i = 0; i < rank; i++) memcpy(B + i * n, A + pivot[i] * n, (size_t)n * sizeof *A);
    CHECK(hn_dense_svd(rank, n, B, s, NULL, NULL) && s[rank - 1] > 1e-8 * s[0]);
  }
  // a row turned out of another by a small angle is sin(angle) away
  double pair[4] = {2, 0, cos(1e-5), sin(1e-5)};
  int rank;
  CHECK(hn_dense_rank_qr(2, 2, pair, 1e-3, &rank, pivot, r) && rank == 1);
  CHECK_REL(r[1], sin(1e-5), 0, 1e-9);
  double zero[6] = {0};
  CHECK(hn_dense_rank_qr(2, 3, zero, 1e-10, &rank, pivot, r) && rank == 0);
  CHECK(hn_dense_rank_qr(0, 3, zero, 1e-10, &rank, pivot, r) && rank == 0);
}

// distances alone: those of the decomposition above, from the largest row down to nothing
static void test_distances(void) {
  double A[LARGEST * LARGEST], r[LARGEST], known[LARGEST], size[LARGEST];
  int pivot[LARGEST], rank;
  for (int trial = 0; trial < 60; trial++) {
    int m = 1 + (int)test_random(0, 20), n = 1 + (int)test_random(0, 20);
    int least = m < n ? m : n, wanted = 1 + (int)test_random(0, least), found = 0;
    of_rank(A, m, n, wanted);
    // every other time rows that have nothing in common
    for (int i = 0; trial % 2 && i < m; i++)
      for (int k = 0; k < n; k++)
        if ((i < m / 2) != (k < n / 2)) A[i * n + k] = 0;
    CHECK(hn_dense_rank_qr(m, n, A, 1e-10, &rank, pivot, known));
    hn_rank_distances(m, n, A, r, size);
    for (int k = 0; k < least; k++) {
      CHECK_NEAR(r[k], known[k], 1e-10 * known[0]);
      found += r[k] > 1e-10 * r[0];
    }
    CHECK(found == rank && (trial % 2 || found == wanted));
  }
  double pair[4] = {2, 0, cos(1e-5), sin(1e-5)}, zero[6] = {0};
  hn_rank_distances(2, 2, pair, r, size);
  CHECK(r[0] == 2);
  CHECK_REL(r[1], sin(1e-5), 0, 1e-9);
  hn_rank_distances(2, 3, zero, r, size);
  CHECK(r[0] == 0 && r[1] == 0);
}

static void test_singular_values(void) {
  double A[LARGEST * LARGEST], U[LARGEST * LARGEST], Vt[LARGEST * LARGEST], s[LARGEST];
  double US[LARGEST * LARGEST], B[LARGEST * LARGEST];
  for (int trial = 0; trial < 60; trial++) {
    int m = 1 + (int)test_random(0, 20), n = 1 + (int)test_random(0, 20);
    int least = m < n ? m : n, rank = 1 + (int)test_random(0, least);
    of_rank(A, m, n, rank);
    CHECK(hn_dense_svd(m, n, A, s, U, Vt));
    for (int k = 1; k < least; k++) CHECK(s[k] <= s[k - 1]);
    for (int k = rank; k < least; k++) CHECK(s[k] < 1e-13 * s[0]);
    for (int i = 0; i < m; i++)
      for (int k = 0; k < n; k++) US[i * n + k] = k < least ? U[i * m + k] * s[k] : 0;
    multiply(B, US, Vt, m, n, n);
    CHECK_NEAR(difference(A, B, m * n), 0, 1e-13 * s[0]);
    CHECK_NEAR(not_orthonormal(U, m), 0, 1e-13);
    CHECK_NEAR(not_orthonormal(Vt, n), 0, 1e-13);
  }
  double diagonal[6] = {0, -3, 0, 4, 0, 0};
  CHECK(hn_dense_svd(2, 3, diagonal, s, NULL, NULL));
  CHECK_NEAR(s[0], 4, 1e-15);
  CHECK_NEAR(s[1], 3, 1e-15);
  // no rows: everything is null space
  CHECK(hn_dense_svd(0, 3, diagonal, s, NULL, Vt) && not_orthonormal(Vt, 3) == 0);
}

static void test_least_squares(void) {
  double A[LARGEST * LARGEST], b[LARGEST], x[LARGEST], residual[LARGEST], s[LARGEST];
  double Vt[LARGEST * LARGEST];
  for (int trial = 0; trial < 60; trial++) {
    int m = 1 + (int)test_random(0, 20), n = 1 + (int)test_random(0, 20), rank = -1;
    int wanted = 1 + (int)test_random(0, m < n ? m : n);
    of_rank(A, m, n, wanted);
    fill(b, m);
    CHECK(hn_dense_lstsq(m, n, A, b, 1e-10, x, &rank) && rank == wanted);
    CHECK(hn_dense_svd(m, n, A, s, NULL, Vt));
    // least residual: orthogonal to the columns; least norm: orthogonal to the null space
    multiply(residual, A, x, m, n, 1);
    for (int i = 0; i < m; i++) residual[i] -= b[i];
    double tolerance = 1e-13 * s[0] / s[rank - 1] * (s[0] + 1 / s[rank - 1]);
    for (int k = 0; k < n; k++) {
      double column = 0, null = 0;
      for (int i = 0; i < m; i++) column += A[i * n + k] * residual[i];
      for (int i = 0; i < n && k >= rank; i++) null += Vt[k * n + i] * x[i];
      CHECK_NEAR(column, 0, tolerance);
      CHECK_NEAR(null, 0, tolerance);
    }
  }
  double zero[4] = {0};
  CHECK(hn_dense_lstsq(2, 2, zero, b, 1e-10, x, NULL) && x[0] == 0 && x[1] == 0);
  CHECK(hn_dense_lstsq(0, 2, zero, b, 1e-10, x, NULL) && x[0] == 0 && x[1] == 0);
}

static void test_solve(void) {
  double A[LARGEST * LARGEST], LU[LARGEST * LARGEST], b[LARGEST], x[LARGEST], y[LARGEST];
  double transposed[LARGEST * LARGEST], z[LARGEST];
  int swap[LARGEST];
  for (int n = 1; n <= LARGEST; n++) {
    fill(A, n * n);
    for (int i = 0; i < n * n; i++)
      if (n % 2 && i % 3 == 1) A[i] = 0;
    for (int i = 0; i < n; i++) A[i * n + i] = i % 3 ? A[i * n + i] + 2 : 0;  // needs pivoting
    fill(x, n);
    if (n == 1) A[0] = 3;
    multiply(b, A, x, n, n, 1);
    memcpy(y, b, sizeof b);
    CHECK(hn_dense_solve(n, A, y));
    CHECK_NEAR(difference(x, y, n), 0, 1e-10);
    memcpy(LU, A, sizeof A);
    memcpy(y, b, sizeof b);
    CHECK(hn_dense_lu(n, LU, swap));
    hn_dense_lu_solve(n, LU, swap, y);
    CHECK_NEAR(difference(x, y, n), 0, 1e-10);
    // right-hand sides that begin with zeros
    for (int i = 0; i < n; i++) y[i] = i < n / 2 ? 0 : b[i];
    memcpy(z, y, sizeof y);
    hn_dense_lu_solve(n, LU, swap, y);
    multiply(b, A, y, n, n, 1);
    CHECK_NEAR(difference(b, z, n), 0, 1e-10);
    // and the transposed matrix
    for (int i = 0; i < n * n; i++) transposed[i] = A[i % n * n + i / n];
    multiply(y, transposed, x, n, n, 1);
    hn_dense_lu_solve_transposed(n, LU, swap, y);
    CHECK_NEAR(difference(x, y, n), 0, 1e-10);
    // all factors at most 1: pivoting took place
    for (int i = 0; i < n; i++)
      for (int k = 0; k < i; k++) CHECK(fabs(LU[i * n + k]) <= 1);
  }
  double singular[4] = {1, 2, 2, 4};
  CHECK(!hn_dense_solve(2, singular, b));
  CHECK(!hn_dense_lu(2, singular, swap));
}

static void test_cholesky(void) {
  double A[LARGEST * LARGEST], L[LARGEST * LARGEST], G[LARGEST * LARGEST], b[LARGEST], x[LARGEST];
  for (int n = 1; n <= LARGEST; n++) {
    fill(G, n * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        A[i * n + j] = i == j;
        for (int k = 0; k < n; k++) A[i * n + j] += G[i * n + k] * G[j * n + k];
      }
    // above the diagonal nothing may be read or written
    memcpy(L, A, sizeof A);
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) L[i * n + j] = NAN;
    CHECK(hn_dense_cholesky(n, L));
    double worst = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) {
        double sum = -A[i * n + j];
        for (int k = 0; k <= j; k++) sum += L[i * n + k] * L[j * n + k];
        worst = fmax(worst, fabs(sum));
      }
    CHECK_NEAR(worst, 0, 1e-15 * n * n);
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) CHECK(isnan(L[i * n + j]));
    fill(x, n);
    multiply(b, A, x, n, n, 1);
    hn_dense_cholesky_solve(n, L, b);
    CHECK_NEAR(difference(x, b, n), 0, 1e-11);
  }
  double indefinite[9] = {1, 0, 0, 2, 1, 0, 0, 0, 1}, nan[1] = {NAN};
  CHECK(!hn_dense_cholesky(3, indefinite) && !hn_dense_cholesky(1, nan));
}

static void test_symmetric_eigen(void) {
  double A[LARGEST * LARGEST], V[LARGEST * LARGEST], w[LARGEST], y[LARGEST];
  for (int n = 1; n <= 28; n++) {
    fill(A, n * n);
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) A[i * n + j] = A[j * n + i];
    CHECK(hn_dense_symmetric_eigen(n, A, w, V));
    CHECK_NEAR(not_orthonormal(V, n), 0, 1e-13);
    for (int k = 0; k < n; k++) {
      multiply(y, A, V + k * n, n, n, 1);
      for (int i = 0; i < n; i++) CHECK_NEAR(y[i], w[k] * V[k * n + i], 1e-13 * n);
      if (k) CHECK(w[k] >= w[k - 1]);
    }
  }
  double known[4] = {2, NAN, 1, 2};  // the upper half is not read
  CHECK(hn_dense_symmetric_eigen(2, known, w, NULL));
  CHECK_NEAR(w[0], 1, 1e-15);
  CHECK_NEAR(w[1], 3, 1e-15);
}

static void test_eigen(void) {
  double A[LARGEST * LARGEST], V[LARGEST * LARGEST], re[LARGEST], im[LARGEST];
  double yr[LARGEST], yi[LARGEST];
  // a damped oscillator: x'' = -26 x - 2 x', eigenvalues -1 +- 5 i
  double oscillator[4] = {0, 1, -26, -2};
  CHECK(hn_dense_eigen(2, oscillator, re, im, NULL));
  CHECK_NEAR(re[0], -1, 1e-14);
  CHECK_NEAR(im[0], 5, 1e-14);
  CHECK_NEAR(re[1], -1, 1e-14);
  CHECK_NEAR(im[1], -5, 1e-14);
  for (int n = 1; n <= 20; n++) {
    fill(A, n * n);
    CHECK(hn_dense_eigen(n, A, re, im, V));
    for (int k = 0; k < n; k += im[k] != 0 ? 2 : 1) {
      const double *vr = V + k * n, *vi = im[k] != 0 ? vr + n : NULL;
      if (vi) CHECK(im[k] > 0 && im[k + 1] == -im[k] && re[k + 1] == re[k]);
      multiply(yr, A, vr, n, n, 1);
      if (vi) multiply(yi, A, vi, n, n, 1);
      for (int i = 0; i < n; i++) {
        CHECK_NEAR(yr[i], re[k] * vr[i] - (vi ? im[k] * vi[i] : 0), 1e-12);
        if (vi) CHECK_NEAR(yi[i], im[k] * vr[i] + re[k] * vi[i], 1e-12);
      }
    }
  }
}

// of what has to be small the largest is asked for: a number that is none is large, wherever it
// stands
static void no_numbers(void) {
  for (int where = -1; where < 5; where++) {
    double x[5] = {1, -7, 3, 0, 2}, most = 0;
    if (where >= 0) x[where] = NAN;
    for (int i = 0; i < 5; i++) most = hn_worse(most, fabs(x[i]));
    CHECK(where < 0 ? most == 7 : isnan(most));
    CHECK(where < 0 ? hn_largest(x, 5) == 7 : isnan(hn_largest(x, 5)));
  }
  CHECK(hn_worse(1, INFINITY) == INFINITY && hn_worse(INFINITY, 1) == INFINITY);
}

int main(void) {
  RUN(test_rank);
  RUN(test_distances);
  RUN(test_singular_values);
  RUN(test_least_squares);
  RUN(test_solve);
  RUN(test_cholesky);
  RUN(test_symmetric_eigen);
  RUN(test_eigen);
  RUN(no_numbers);
  return test_end();
}
