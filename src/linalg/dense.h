// dense.h: dense linear algebra. All matrices are row by row; sizes come first.
//
// The first part is for analyses (rank, null spaces, eigenvalues): LAPACK where there is one and it
// is worth it, own code otherwise (dense_choice.c). It takes its matrices untouched, allocates its
// work space and returns false when that fails. The second part is for step loops: own code in
// place, nothing allocated.
#ifndef HN_DENSE_H
#define HN_DENSE_H

#include <stdbool.h>

// ---- analyses ----

// which rows of A (m x n) depend on others: QR with column pivoting of the transpose.
// pivot[0..m-1] lists the rows, the most independent first; r[k] = |R_kk|, k < min(m, n), is the
// distance of row pivot[k] from the rows listed before it; *rank counts r[k] > rcond * r[0]
bool hn_dense_rank_qr(int m, int n, const double *A, double rcond, int *rank, int *pivot,
                      double *r);

// A = U diag(s) Vt: s has min(m, n) values, largest first; U (m x m) and Vt (n x n) or NULL.
// rows of Vt beyond the rank span the null space. false also when the iteration does not converge
bool hn_dense_svd(int m, int n, const double *A, double *s, double *U, double *Vt);

// the x (n) of least norm among those with least |A x - b|; singular values below rcond times the
// largest count as zero. *rank may be NULL
bool hn_dense_lstsq(int m, int n, const double *A, const double *b, double rcond, double *x,
                    int *rank);

// A x = b, b overwritten by x; false also when A is singular
bool hn_dense_solve(int n, const double *A, double *b);

// symmetric A (lower half read): eigenvalues ascending, row k of V (n x n or NULL) belongs to w[k]
bool hn_dense_symmetric_eigen(int n, const double *A, double *w, double *V);

// any A: eigenvalues re[k] + i im[k], conjugate pairs together, positive imaginary part first.
// V (n x n or NULL): row k is the eigenvector; of a pair, row k the real part, k + 1 the imaginary
bool hn_dense_eigen(int n, const double *A, double *re, double *im, double *V);

// ---- step loops ----

// A = L L^T in the lower half of A (the rest is left alone); false when A is not positive definite
bool hn_dense_cholesky(int n, double *A);
// b overwritten by A^-1 b
void hn_dense_cholesky_solve(int n, const double *L, double *b);

// P A = L U in place, L with unit diagonal; swap[k] is the row exchanged with row k.
// false when a pivot vanishes (the others are still done)
bool hn_dense_lu(int n, double *A, int *swap);
void hn_dense_lu_solve(int n, const double *LU, const int *swap, double *b);
// the same for the transposed matrix
void hn_dense_lu_solve_transposed(int n, const double *LU, const int *swap, double *b);

#endif
