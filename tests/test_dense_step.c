// test_dense_step.c: the rank-revealing factorisations of step loops against LAPACK and against
// the conditions that define a pseudo-inverse.
#include "linalg/dense.h"
#include "linalg/dense_step.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 14 };

// A (m x n, row by row) of the given rank, columns of very different size when `rough`
static void random_matrix(int m, int n, int rank, int rough, double *A) {
  double left[MOST * MOST], right[MOST * MOST];
  for (int i = 0; i < m * rank; i++) left[i] = test_random(-1, 1);
  for (int i = 0; i < rank * n; i++) right[i] = test_random(-1, 1);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < rank; k++) sum += left[i * rank + k] * right[k * n + j];
      A[i * n + j] = sum * (rough ? pow(10, j % 4 - 1) : 1);
    }
}

static void mul(int m, int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
  }
}
static void tmul(int m, int n, const double *A, const double *x, double *y) {
  for (int j = 0; j < n; j++) {
    y[j] = 0;
    for (int i = 0; i < m; i++) y[j] += A[i * n + j] * x[i];
  }
}
static void transpose(int m, int n, const double *A, double *B) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) B[j * m + i] = A[i * n + j];
}

typedef struct factors {
  hn_cod cod;
  hn_lu lu;
  hn_svd svd;
  hn_arena arena;
} factors;

static void place(factors *f, int m, int n) {
  for (int pass = 0; pass < 2; pass++) {
    hn_cod_layout(&f->cod, &f->arena, m, n);
    hn_lu_layout(&f->lu, &f->arena, m, n);
    hn_svd_layout(&f->svd, &f->arena, m, n);
    if (pass == 0) CHECK(hn_arena_allocate(&f->arena));
  }
}

// least-squares solutions of A x = b and A^T y = c by both decompositions, against LAPACK
static void check_pseudo_inverse(factors *f, int m, int n, const double *A) {
  double B[MOST * MOST], b[MOST], c[MOST], x[MOST], y[MOST], x_lapack[MOST], y_lapack[MOST];
  int rank;
  for (int i = 0; i < m; i++) b[i] = test_random(-1, 1);
  for (int j = 0; j < n; j++) c[j] = test_random(-1, 1);
  transpose(m, n, A, B);
  CHECK(hn_dense_lstsq(m, n, A, b, 1e-9, x_lapack, &rank));
  CHECK(hn_dense_lstsq(n, m, B, c, 1e-9, y_lapack, NULL));
  CHECK(f->cod.rank == rank && f->svd.rank == rank);
  // errors of least-squares solutions grow with the square of the condition
  double s[MOST], size_x = 1e-3, size_y = 1e-3;
  CHECK(hn_dense_svd(m, n, A, s, NULL, NULL));
  double tolerance = 1e-11 + 1e-14 * s[0] / s[rank - 1] * s[0] / s[rank - 1];
  for (int j = 0; j < n; j++) size_x = fmax(size_x, fabs(x_lapack[j]));
  for (int i = 0; i < m; i++) size_y = fmax(size_y, fabs(y_lapack[i]));
  for (int which = 0; which < 2; which++) {
    if (which == 0) {
      hn_cod_solve(&f->cod, b, x);
      hn_cod_solve_transposed(&f->cod, c, y);
    } else {
      hn_svd_solve(&f->svd, b, x);
      hn_svd_solve_transposed(&f->svd, c, y);
    }
    for (int j = 0; j < n; j++) CHECK_NEAR(x[j], x_lapack[j], tolerance * size_x);
    for (int i = 0; i < m; i++) CHECK_NEAR(y[i], y_lapack[i], tolerance * size_y);
  }
}

// bases of the null spaces: of A^T by QR, of A by LU and singular values
static void check_null(const factors *f, int m, int n, const double *A) {
  double x[MOST], other[MOST], y[MOST];
  for (int k = 0; k < m - f->cod.rank; k++) {
    hn_cod_null(&f->cod, k, x);
    tmul(m, n, A, x, y);
    for (int j = 0; j < n; j++) CHECK_NEAR(y[j], 0, 1e-11);
    for (int l = 0; l <= k; l++) {
      hn_cod_null(&f->cod, l, other);
      double dot = 0;
      for (int i = 0; i < m; i++) dot += x[i] * other[i];
      CHECK_NEAR(dot, k == l, 1e-13);
    }
  }
  for (int k = 0; k < n - f->lu.rank; k++) {
    hn_lu_null(&f->lu, k, x);
    mul(m, n, A, x, y);
    for (int i = 0; i < m; i++) CHECK_NEAR(y[i], 0, 1e-9);
    CHECK(x[f->lu.col[f->lu.rank + k]] == 1);
  }
  for (int j = 0; j < n; j++) {
    if (f->svd.s[j] > 0) continue;
    mul(m, n, A, f->svd.v + j * n, y);
    for (int i = 0; i < m; i++) CHECK_NEAR(y[i], 0, 1e-11);
  }
}

// consistent systems by LU
static void check_lu(const factors *f, int m, int n, const double *A) {
  double z[MOST] = {0}, b[MOST] = {0}, x[MOST], y[MOST];
  for (int j = 0; j < n; j++) z[j] = test_random(-1, 1);
  mul(m, n, A, z, b);
  hn_lu_solve(&f->lu, b, x);
  mul(m, n, A, x, y);
  for (int i = 0; i < m; i++) CHECK_NEAR(y[i], b[i], 1e-9);
  for (int i = 0; i < m; i++) z[i] = test_random(-1, 1);
  tmul(m, n, A, z, b);
  hn_lu_solve_transposed(&f->lu, b, x);
  tmul(m, n, A, x, y);
  for (int j = 0; j < n; j++) CHECK_NEAR(y[j], b[j], 1e-9);
}

static void check_singular_values(const factors *f, int m, int n, const double *A) {
  double s[MOST], ours[MOST];
  CHECK(hn_dense_svd(m, n, A, s, NULL, NULL));
  for (int j = 0; j < n; j++) ours[j] = f->svd.s[j];
  for (int k = 0; k < f->svd.rank; k++) {
    int best = 0;
    for (int j = 1; j < n; j++)
      if (ours[j] > ours[best]) best = j;
    CHECK_REL(ours[best], s[k], 0, 1e-12 * s[0] / s[k]);
    ours[best] = -1;
  }
}

static void check_all(int m, int n, int rank, int rough, int limit) {
  double A[MOST * MOST];
  factors f = {0};
  place(&f, m, n);
  random_matrix(m, n, rank, rough, A);
  transpose(m, n, A, f.cod.a);  // column by column
  transpose(m, n, A, f.svd.a);
  memcpy(f.lu.a, A, (size_t)(m * n) * sizeof *A);
  hn_cod_factor(&f.cod, 1e-9, limit);
  hn_lu_factor(&f.lu, 1e-9, limit);
  CHECK(hn_svd_factor(&f.svd, 1e-9, limit));
  if (limit < rank) {
    CHECK(f.cod.rank == limit && f.lu.rank == limit && f.svd.rank == limit);
  } else {
    CHECK(f.cod.rank == rank && f.lu.rank == rank && f.svd.rank == rank);
    check_pseudo_inverse(&f, m, n, A);
    check_null(&f, m, n, A);
    check_lu(&f, m, n, A);
    check_singular_values(&f, m, n, A);
  }
  free(f.arena.base);
}

static void test_all_shapes(void) {
  for (int m = 1; m <= MOST; m += 1 + m / 4)
    for (int n = 1; n <= MOST; n += 1 + n / 4)
      for (int rank = 1; rank <= (m < n ? m : n); rank++)
        for (int rough = 0; rough < 2; rough++) check_all(m, n, rank, rough, MOST);
}

static void test_limit(void) {
  check_all(8, 12, 6, 0, 4);
  check_all(12, 8, 8, 0, 7);
}

// Ranks do not depend on units, nor on what lies in memory beside the matrix: times a power of two,
// which rounds nothing, singular values are the same times that power
static void test_scaled(void) {
  for (int trial = 0; trial < 40; trial++) {
    int m = 2 + trial % 7, n = 2 + trial % 5, most = m < n ? m : n, rank = 1 + trial % most;
    double A[MOST * MOST], s[3][MOST];
    random_matrix(m, n, rank, trial % 2, A);
    for (int k = 0; k < 3; k++) {
      double scaled[MOST * MOST];
      factors f = {0};
      place(&f, m, n);
      for (int i = 0; i < m * n; i++) scaled[i] = ldexp(A[i], 60 * k - 60);
      transpose(m, n, scaled, f.cod.a);
      transpose(m, n, scaled, f.svd.a);
      memcpy(f.lu.a, scaled, (size_t)(m * n) * sizeof *A);
      hn_cod_factor(&f.cod, 1e-9, MOST);
      hn_lu_factor(&f.lu, 1e-9, MOST);
      CHECK(hn_svd_factor(&f.svd, 1e-9, MOST));
      CHECK(f.cod.rank == rank && f.lu.rank == rank && f.svd.rank == rank);
      for (int i = 0; i < n; i++) s[k][i] = ldexp(f.svd.s[i], 60 - 60 * k);
      for (int i = 0; i < n; i++) CHECK(s[k][i] == s[0][i]);
      free(f.arena.base);
    }
  }
}

// nothing there, or nothing in it
static void test_empty(void) {
  double A[4] = {0}, x[4] = {1, 1, 1, 1}, b[4] = {1, 2, 3, 4};
  factors f = {0};
  place(&f, 2, 2);
  memcpy(f.cod.a, A, sizeof A);
  memcpy(f.svd.a, A, sizeof A);
  memcpy(f.lu.a, A, sizeof A);
  hn_cod_factor(&f.cod, 1e-9, 2);
  hn_lu_factor(&f.lu, 1e-9, 2);
  CHECK(hn_svd_factor(&f.svd, 1e-9, 2));
  CHECK(f.cod.rank == 0 && f.lu.rank == 0 && f.svd.rank == 0);
  hn_cod_solve(&f.cod, b, x);
  CHECK(x[0] == 0 && x[1] == 0);
  hn_lu_solve(&f.lu, b, x);
  CHECK(x[0] == 0 && x[1] == 0);
  free(f.arena.base);
  f = (factors){0};
  place(&f, 3, 0);
  hn_cod_factor(&f.cod, 1e-9, 3);
  CHECK(f.cod.rank == 0);
  hn_cod_solve_transposed(&f.cod, b, x);
  CHECK(x[0] == 0 && x[1] == 0 && x[2] == 0);
  hn_cod_null(&f.cod, 1, x);
  CHECK(x[0] == 0 && x[1] == 1 && x[2] == 0);
  free(f.arena.base);
}

int main(void) {
  RUN(test_all_shapes);
  RUN(test_limit);
  RUN(test_empty);
  RUN(test_scaled);
  return test_end();
}
