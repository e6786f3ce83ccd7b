// dense_kinds.h: the two that stand behind the analyses of dense.h; dense_choice.c chooses.
#ifndef HN_DENSE_KINDS_H
#define HN_DENSE_KINDS_H

#include <stdbool.h>

// documented in dense.h; the same arguments
// the library's
bool hn_own_rank_qr(int m, int n, const double *A, double rcond, int *rank, int *pivot, double *r);
bool hn_own_svd(int m, int n, const double *A, double *s, double *U, double *Vt);
bool hn_own_lstsq(int m, int n, const double *A, const double *b, double rcond, double *x,
                  int *rank);
bool hn_own_solve(int n, const double *A, double *b);
bool hn_own_symmetric_eigen(int n, const double *A, double *w, double *V);
bool hn_own_eigen(int n, const double *A, double *re, double *im, double *V);

// by LAPACK; not in minimal builds. Is it there? It is loaded when it is asked for
bool hn_lapack_there(void);
bool hn_lapack_rank_qr(int m, int n, const double *A, double rcond, int *rank, int *pivot,
                       double *r);
bool hn_lapack_svd(int m, int n, const double *A, double *s, double *U, double *Vt);
bool hn_lapack_lstsq(int m, int n, const double *A, const double *b, double rcond, double *x,
                     int *rank);
bool hn_lapack_solve(int n, const double *A, double *b);
bool hn_lapack_symmetric_eigen(int n, const double *A, double *w, double *V);
bool hn_lapack_eigen(int n, const double *A, double *re, double *im, double *V);

#endif
