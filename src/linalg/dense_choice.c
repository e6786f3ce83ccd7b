// dense_choice.c: who analyses. Small matrices that runs ask about are the library's own, so that
// they have the same numbers in all builds, pages that compute among them; all else is LAPACK's
// where there is one that can be loaded.
#include "linalg/dense.h"
#include "linalg/dense_kinds.h"
#include "linalg/small.h"

#ifdef HN_MINIMAL
// in minimal builds the condition is not even looked at
#define BY(small, own_answer, lapack_answer) own_answer
#else
#define BY(small, own_answer, lapack_answer)                                                       \
  (small) || !hn_lapack_there() ? own_answer : lapack_answer
// rotations until all is orthogonal take several times LAPACK's time from some thirty rows on
enum { SMALL_FOR_ROTATIONS = 24 };
#endif

bool hn_dense_rank_qr(int m, int n, const double *A, double rcond, int *rank, int *pivot,
                      double *r) {
  return BY(m <= HN_SMALL && n <= HN_SMALL, hn_own_rank_qr(m, n, A, rcond, rank, pivot, r),
            hn_lapack_rank_qr(m, n, A, rcond, rank, pivot, r));
}

bool hn_dense_svd(int m, int n, const double *A, double *s, double *U, double *Vt) {
  // analyses only, never while stepping
  return BY(false, hn_own_svd(m, n, A, s, U, Vt), hn_lapack_svd(m, n, A, s, U, Vt));
}

bool hn_dense_lstsq(int m, int n, const double *A, const double *b, double rcond, double *x,
                    int *rank) {
  return BY(false, hn_own_lstsq(m, n, A, b, rcond, x, rank),
            hn_lapack_lstsq(m, n, A, b, rcond, x, rank));
}

bool hn_dense_solve(int n, const double *A, double *b) {
  return BY(n <= HN_SMALL, hn_own_solve(n, A, b), hn_lapack_solve(n, A, b));
}

bool hn_dense_symmetric_eigen(int n, const double *A, double *w, double *V) {
  return BY(n <= SMALL_FOR_ROTATIONS, hn_own_symmetric_eigen(n, A, w, V),
            hn_lapack_symmetric_eigen(n, A, w, V));
}

bool hn_dense_eigen(int n, const double *A, double *re, double *im, double *V) {
  return BY(false, hn_own_eigen(n, A, re, im, V), hn_lapack_eigen(n, A, re, im, V));
}
