// lapack_library.h: LAPACK, loaded when the first large matrix asks for it: its symbols are most of
// what a program that is linked to it waits for at its start (base/library.h). Where only an
// archive was there, it is linked.
#ifndef HN_LAPACK_LIBRARY_H
#define HN_LAPACK_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

// the routines used, as Fortran compilers name them (lengths of strings come last)
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

#ifndef HN_LAPACK_NAME

static bool lapack_load(void) {
  return true;
}

#else

#include "base/library.h"

#include <pthread.h>

#define HN_LAPACK_NAMES(X) X(dgeqp3_) X(dgesvd_) X(dgelsy_) X(dgesv_) X(dsyev_) X(dgeev_)

static struct {
#define X(name)            __typeof__(name) *name;
  HN_LAPACK_NAMES(X)
#undef X
} hn_lapack;

static pthread_once_t lapack_once = PTHREAD_ONCE_INIT;
static char lapack_trouble[256];  // empty: it is there

// The one that was found when holon was built comes first, and its BLAS before it: what goes by
// these names elsewhere may be another, with other bits
static void lapack_find(void) {
  static const hn_wanted wanted[] = {
#define X(name) {#name, &hn_lapack.name},
      HN_LAPACK_NAMES(X)
#undef X
  };
  char none[256];
  hn_library_load(HN_BLAS_PATH, HN_BLAS_NAME, NULL, 0, none);
  hn_library_load(HN_LAPACK_PATH, HN_LAPACK_NAME, wanted, sizeof wanted / sizeof *wanted,
                  lapack_trouble);
}

// once in a process, whoever comes first; a failure stays one
static bool lapack_load(void) {
  pthread_once(&lapack_once, lapack_find);
  return !*lapack_trouble;
}

// from here on calls go through the table
#define dgeqp3_ (*hn_lapack.dgeqp3_)
#define dgesvd_ (*hn_lapack.dgesvd_)
#define dgelsy_ (*hn_lapack.dgelsy_)
#define dgesv_  (*hn_lapack.dgesv_)
#define dsyev_  (*hn_lapack.dsyev_)
#define dgeev_  (*hn_lapack.dgeev_)

#endif

#endif
