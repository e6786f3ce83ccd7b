// dense.c: wrappers around LAPACK for row-by-row matrices, and factorisations for step loops.
//
// LAPACK counts by columns: a row-by-row m x n matrix is, as it lies in memory, the transpose.
// Where that serves (rank of rows, singular values, symmetric matrices) nothing is moved.
#include "linalg/dense.h"

#include "linalg/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// the LAPACK routines used, as Fortran compilers name them (lengths of strings come last)
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t, size_t);
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t, size_t);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t, size_t);

static int at_least_one(int n) {
  return n > 1 ? n : 1;
}

static double *numbers(size_t count) {
  return malloc((count + 1) * sizeof(double));
}

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

// work space of the size LAPACK asked for in answer to lwork = -1
static double *work_space(double wanted, int *size) {
  *size = at_least_one((int)wanted);
  return numbers((size_t)*size);
}

static const int query = -1;

bool hn_dense_rank_qr(int m, int n, const double *A, double rcond, int *rank, int *pivot,
                      double *r) {
  // the columns LAPACK sees are our rows
  int lda = at_least_one(n), least = m < n ? m : n, size, info;
  double wanted, *B = copy(m, n, A), *tau = numbers((size_t)least), *work = NULL;
  for (int i = 0; i < m; i++) pivot[i] = 0;
  bool ok = B && tau;
  if (ok) {
    dgeqp3_(&n, &m, B, &lda, pivot, tau, &wanted, &query, &info);
    work = work_space(wanted, &size);
    ok = work;
  }
  if (ok) {
    dgeqp3_(&n, &m, B, &lda, pivot, tau, work, &size, &info);
    for (int i = 0; i < m; i++) pivot[i]--;
    *rank = 0;
    for (int k = 0; k < least; k++) {
      r[k] = fabs(B[(size_t)k * (size_t)n + (size_t)k]);
      if (r[k] > rcond * r[0]) ++*rank;
    }
  }
  free(B), free(tau), free(work);
  return ok;
}

bool hn_dense_svd(int m, int n, const double *A, double *s, double *U, double *Vt) {
  // A^T = V S U^T: what LAPACK calls U is our Vt as it lies in memory, and the other way round
  const char *job_v = Vt ? "A" : "N", *job_u = U ? "A" : "N";
  int ldm = at_least_one(m), ldn = at_least_one(n), size, info = 0;
  if (m == 0 || n == 0) {
    if (U) memset(U, 0, (size_t)m * (size_t)m * sizeof *U);
    if (Vt) memset(Vt, 0, (size_t)n * (size_t)n * sizeof *Vt);
    for (int i = 0; U && i < m; i++) U[(size_t)i * ((size_t)m + 1)] = 1;
    for (int i = 0; Vt && i < n; i++) Vt[(size_t)i * ((size_t)n + 1)] = 1;
    return true;
  }
  double wanted, *B = copy(m, n, A), *work = NULL;
  bool ok = B;
  if (ok) {
    dgesvd_(job_v, job_u, &n, &m, B, &ldn, s, Vt, &ldn, U, &ldm, &wanted, &query, &info, 1, 1);
    work = work_space(wanted, &size);
    ok = work;
  }
  if (ok) {
    dgesvd_(job_v, job_u, &n, &m, B, &ldn, s, Vt, &ldn, U, &ldm, work, &size, &info, 1, 1);
    ok = info == 0;
  }
  free(B), free(work);
  return ok;
}

bool hn_dense_lstsq(int m, int n, const double *A, const double *b, double rcond, double *x,
                    int *rank) {
  int lda = at_least_one(m), ldb = at_least_one(m > n ? m : n), one = 1, found = 0, size, info;
  double wanted, *B = copy_transposed(m, n, A), *y = numbers((size_t)ldb), *work = NULL;
  int *pivot = calloc((size_t)n + 1, sizeof *pivot);
  bool ok = B && y && pivot;
  if (ok) {
    for (int i = 0; i < ldb; i++) y[i] = i < m ? b[i] : 0;
    dgelsy_(&m, &n, &one, B, &lda, y, &ldb, pivot, &rcond, &found, &wanted, &query, &info);
    work = work_space(wanted, &size);
    ok = work;
  }
  if (ok) {
    dgelsy_(&m, &n, &one, B, &lda, y, &ldb, pivot, &rcond, &found, work, &size, &info);
    for (int i = 0; i < n; i++) x[i] = found ? y[i] : 0;
    if (rank) *rank = found;
  }
  free(B), free(y), free(work), free(pivot);
  return ok;
}

bool hn_dense_solve(int n, const double *A, double *b) {
  int lda = at_least_one(n), one = 1, info = -1;
  double *B = copy_transposed(n, n, A);
  int *pivot = malloc(((size_t)n + 1) * sizeof *pivot);
  if (B && pivot) dgesv_(&n, &one, B, &lda, pivot, b, &lda, &info);
  free(B), free(pivot);
  return info == 0;
}

bool hn_dense_symmetric_eigen(int n, const double *A, double *w, double *V) {
  // our lower half is LAPACK's upper one
  int lda = at_least_one(n), size, info = -1;
  double wanted, *B = copy(n, n, A), *work = NULL;
  if (B) {
    dsyev_(V ? "V" : "N", "U", &n, B, &lda, w, &wanted, &query, &info, 1, 1);
    work = work_space(wanted, &size);
    info = -1;
  }
  if (work) dsyev_(V ? "V" : "N", "U", &n, B, &lda, w, work, &size, &info, 1, 1);
  if (info == 0 && V) memcpy(V, B, (size_t)n * (size_t)n * sizeof *V);
  free(B), free(work);
  return info == 0;
}

bool hn_dense_eigen(int n, const double *A, double *re, double *im, double *V) {
  int lda = at_least_one(n), size, info = -1;
  double wanted, *B = copy_transposed(n, n, A), *work = NULL;
  if (B) {
    dgeev_("N", V ? "V" : "N", &n, B, &lda, re, im, NULL, &lda, V, &lda, &wanted, &query, &info, 1,
           1);
    work = work_space(wanted, &size);
    info = -1;
  }
  if (work)
    dgeev_("N", V ? "V" : "N", &n, B, &lda, re, im, NULL, &lda, V, &lda, work, &size, &info, 1, 1);
  free(B), free(work);
  return info == 0;
}

// ---- step loops ----

// a . b, even and odd places summed apart
static double dot(const double *a, const double *b, int n) {
  hn_pair sum = {0, 0};
  for (int k = 0; k + 1 < n; k += 2) sum += hn_pair_load(a + k) * hn_pair_load(b + k);
  return n % 2 ? sum[0] + sum[1] + a[n - 1] * b[n - 1] : sum[0] + sum[1];
}

// row j of L is complete; element j of four rows from `rows` on, which share the loads of row j
static void cholesky_four(const double *Lj, double *rows, int j, int n, double inverse) {
  double *L[4];
  hn_pair sum[4];
  for (int i = 0; i < 4; i++) {
    L[i] = rows + (size_t)i * (size_t)n;
    sum[i] = (hn_pair){0, 0};
  }
  for (int k = 0; k + 1 < j; k += 2) {
    hn_pair a = hn_pair_load(Lj + k);
    for (int i = 0; i < 4; i++) sum[i] += a * hn_pair_load(L[i] + k);
  }
  for (int i = 0; i < 4; i++) {
    double total = sum[i][0] + sum[i][1];
    if (j % 2) total += Lj[j - 1] * L[i][j - 1];
    L[i][j] = (L[i][j] - total) * inverse;
  }
}

bool hn_dense_cholesky(int n, double *A) {
  for (int j = 0; j < n; j++) {
    double *Lj = A + (size_t)j * (size_t)n, square = Lj[j] - dot(Lj, Lj, j);
    if (!(square > 0)) return false;
    Lj[j] = sqrt(square);
    double inverse = 1 / Lj[j];
    int i = j + 1;
    for (; i + 3 < n; i += 4) cholesky_four(Lj, A + (size_t)i * (size_t)n, j, n, inverse);
    for (; i < n; i++) {
      double *Li = A + (size_t)i * (size_t)n;
      Li[j] = (Li[j] - dot(Lj, Li, j)) * inverse;
    }
  }
  return true;
}

void hn_dense_cholesky_solve(int n, const double *L, double *b) {
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)i * (size_t)n;
    b[i] = (b[i] - dot(row, b, i)) / row[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = L + (size_t)i * (size_t)n;
    b[i] /= row[i];
    for (int k = 0; k < i; k++) b[k] -= row[k] * b[i];
  }
}

static void exchange(double *a, double *b, int n) {
  for (int k = 0; k < n; k++) {
    double t = a[k];
    a[k] = b[k];
    b[k] = t;
  }
}

bool hn_dense_lu(int n, double *A, int *swap) {
  bool regular = true;
  for (int k = 0; k < n; k++) {
    double *row = A + (size_t)k * (size_t)n, largest = fabs(row[k]);
    swap[k] = k;
    for (int i = k + 1; i < n; i++) {
      double value = fabs(A[(size_t)i * (size_t)n + (size_t)k]);
      if (value > largest) largest = value, swap[k] = i;
    }
    if (!(largest > 0)) {
      regular = false;
      continue;
    }
    if (swap[k] != k) exchange(row, A + (size_t)swap[k] * (size_t)n, n);
    double inverse = 1 / row[k];
    for (int i = k + 1; i < n; i++) {
      double *other = A + (size_t)i * (size_t)n, factor = other[k] *= inverse;
      if (factor == 0) continue;  // matrices of mechanisms are mostly zeros
      for (int j = k + 1; j < n; j++) other[j] -= factor * row[j];
    }
  }
  return regular;
}

void hn_dense_lu_solve(int n, const double *LU, const int *swap, double *b) {
  for (int k = 0; k < n; k++) {
    double t = b[k];
    b[k] = b[swap[k]];
    b[swap[k]] = t;
  }
  int first = 0;
  while (first < n && b[first] == 0) first++;
  for (int i = first + 1; i < n; i++)
    b[i] -= dot(LU + (size_t)i * (size_t)n + first, b + first, i - first);
  for (int i = n - 1; i >= 0; i--) {
    const double *row = LU + (size_t)i * (size_t)n;
    double rest = i + 1 < n ? dot(row + i + 1, b + i + 1, n - 1 - i) : 0;
    b[i] = (b[i] - rest) / row[i];
  }
}

// A = P^T L U: U^T first, from the rows of U, then L^T, then the exchanges backwards
void hn_dense_lu_solve_transposed(int n, const double *LU, const int *swap, double *b) {
  for (int i = 0; i < n; i++) {
    const double *row = LU + (size_t)i * (size_t)n;
    b[i] /= row[i];
    for (int j = i + 1; j < n && b[i] != 0; j++) b[j] -= row[j] * b[i];
  }
  for (int i = n - 1; i > 0; i--) {
    const double *row = LU + (size_t)i * (size_t)n;
    for (int j = 0; j < i && b[i] != 0; j++) b[j] -= row[j] * b[i];
  }
  for (int k = n - 1; k >= 0; k--) {
    double t = b[k];
    b[k] = b[swap[k]];
    b[swap[k]] = t;
  }
}
