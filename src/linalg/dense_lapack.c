// dense_lapack.c: the analyses of dense.h by LAPACK.
//
// LAPACK counts by columns: a row-by-row m x n matrix is, as it lies in memory, the transpose.
// Where that serves (rank of rows, singular values, symmetric matrices) nothing is moved.
#ifndef HN_MINIMAL

#include "linalg/dense_kinds.h"
#include "linalg/lapack_library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool hn_lapack_there(void) {
  return lapack_load();
}

// leading dimensions must be positive, also of matrices without numbers
static int at_least_one(int n) {
  return n > 1 ? n : 1;
}

// one more, so that no size is zero
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

// lwork = -1: only tells how much work space it wants
static const int query = -1;

// pivot[i] = 0 tells dgeqp3 that every column may go anywhere; it counts from one.
bool hn_lapack_rank_qr(int m, int n, const double *A, double rcond, int *rank, int *pivot,
                       double *r) {
  // the columns LAPACK sees are our rows
  int lda = at_least_one(n), least = m < n ? m : n, size, info;
  double wanted, *B = copy(m, n, A), *tau = numbers((size_t)least), *work = NULL;
  // free columns
  for (int i = 0; i < m; i++) pivot[i] = 0;
  bool ok = B && tau;
  if (ok) {
    dgeqp3_(&n, &m, B, &lda, pivot, tau, &wanted, &query, &info);
    work = work_space(wanted, &size);
    ok = work;
  }
  if (ok) {
    dgeqp3_(&n, &m, B, &lda, pivot, tau, work, &size, &info);
    // back to our counting
    for (int i = 0; i < m; i++) pivot[i]--;
    *rank = 0;
    for (int k = 0; k < least; k++) {
      // R lies in the upper triangle, by columns
      r[k] = fabs(B[(size_t)k * (size_t)n + (size_t)k]);
      if (r[k] > rcond * r[0]) ++*rank;
    }
  }
  free(B), free(tau), free(work);
  return ok;
}

bool hn_lapack_svd(int m, int n, const double *A, double *s, double *U, double *Vt) {
  // A^T = V S U^T: what LAPACK calls U is our Vt as it lies in memory, and the other way round
  const char *job_v = Vt ? "A" : "N", *job_u = U ? "A" : "N";
  int ldm = at_least_one(m), ldn = at_least_one(n), size, info = 0;
  // without rows or columns: U and Vt are units
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
    // V and U change places
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

// dgelsy, a complete orthogonal decomposition: its rank is that of a triangle whose estimated
// condition stays below 1 / rcond, which is where singular values would say so, too, but for small
// factors.
bool hn_lapack_lstsq(int m, int n, const double *A, const double *b, double rcond, double *x,
                     int *rank) {
  int lda = at_least_one(m), ldb = at_least_one(m > n ? m : n), one = 1, found = 0, size, info;
  double wanted, *B = copy_transposed(m, n, A), *y = numbers((size_t)ldb), *work = NULL;
  int *pivot = calloc((size_t)n + 1, sizeof *pivot);
  bool ok = B && y && pivot;
  if (ok) {
    // b is overwritten by x, which may be longer
    for (int i = 0; i < ldb; i++) y[i] = i < m ? b[i] : 0;
    dgelsy_(&m, &n, &one, B, &lda, y, &ldb, pivot, &rcond, &found, &wanted, &query, &info);
    work = work_space(wanted, &size);
    ok = work;
  }
  if (ok) {
    dgelsy_(&m, &n, &one, B, &lda, y, &ldb, pivot, &rcond, &found, work, &size, &info);
    // rank 0: LAPACK leaves x as it is
    for (int i = 0; i < n; i++) x[i] = found ? y[i] : 0;
    if (rank) *rank = found;
  }
  free(B), free(y), free(work), free(pivot);
  return ok;
}

bool hn_lapack_solve(int n, const double *A, double *b) {
  int lda = at_least_one(n), one = 1, info = -1;
  double *B = copy_transposed(n, n, A);
  int *pivot = malloc(((size_t)n + 1) * sizeof *pivot);
  // 0: solved; above: singular at that place
  if (B && pivot) dgesv_(&n, &one, B, &lda, pivot, b, &lda, &info);
  free(B), free(pivot);
  return info == 0;
}

// Its columns of eigenvectors are rows as we count.
bool hn_lapack_symmetric_eigen(int n, const double *A, double *w, double *V) {
  // our lower half is LAPACK's upper one
  int lda = at_least_one(n), size, info = -1;
  double wanted, *B = copy(n, n, A), *work = NULL;
  if (B) {
    dsyev_(V ? "V" : "N", "U", &n, B, &lda, w, &wanted, &query, &info, 1, 1);
    work = work_space(wanted, &size);
    // info is of the query; what follows sets it anew
    info = -1;
  }
  if (work) dsyev_(V ? "V" : "N", "U", &n, B, &lda, w, work, &size, &info, 1, 1);
  if (info == 0 && V) memcpy(V, B, (size_t)n * (size_t)n * sizeof *V);
  free(B), free(work);
  return info == 0;
}

// Right eigenvectors of A, which is why this one matrix must be transposed.
bool hn_lapack_eigen(int n, const double *A, double *re, double *im, double *V) {
  int lda = at_least_one(n), size, info = -1;
  double wanted, *B = copy_transposed(n, n, A), *work = NULL;
  if (B) {
    // conjugate pairs are told as real and imaginary columns, as dense.h has them
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

#else
typedef int hn_no_lapack;  // a file must hold something
#endif
