// dense_step.h: rank-revealing dense factorisations for step loops: nothing is allocated.
//
// Each factorisation lives in the caller's arena (layout) and is filled in place, so the caller
// writes the matrix where `a` points and calls factor. Columns lie one after the other where that
// is said; a constraint Jacobian written row by row is its own transpose written column by column.
//
// Off the constraints rows that depend on each other there need not: which of them are left out
// then matters. A factorisation that is to follow a matrix smoothly along a motion has `keep` > 0:
// the pivots of the factorisation before are taken again as long as they are that part of the best.
// One that is a `glance`, at a state beside the motion, leaves no such memory.
#ifndef HN_DENSE_STEP_H
#define HN_DENSE_STEP_H

#include "base/arena.h"

#include <stdbool.h>

// ---- complete orthogonal decomposition: A P = Q [T 0; 0 0] Z ----
//
// Householder QR with column pivoting gives the rank; reflections from the right then leave a
// regular triangle T. Everything the pseudo-inverse needs is there.
typedef struct hn_cod {
  int m, n, rank;
  double *a;             // m x n, column by column
  double *tau;           // of the reflections from the left
  double *tau_z;         // and from the right
  double *norm;          // lengths of the columns left over, and when last computed
  double *work;          // the longer side
  int *pivot;            // column k of A P is column pivot[k] of A
  int *before;           // the same of the last factorisation that was no glance
  double keep;           // see above
  bool glance, glanced;  // see above; the last one was
  int known;             // pivots in `before`
  double smallest;       // last |R_kk| that counts, relative to the first
} hn_cod;

void hn_cod_layout(hn_cod *f, hn_arena *arena, int m, int n);
// what is left of a column below rcond times the first pivot counts as zero, and so does everything
// after `limit` columns
void hn_cod_factor(hn_cod *f, double rcond, int limit);
// x (n) = A^+ b (m): least norm among those of least |A x - b|; x and b may not overlap
void hn_cod_solve(const hn_cod *f, const double *b, double *x);
// x (m) = (A^T)^+ b (n)
void hn_cod_solve_transposed(const hn_cod *f, const double *b, double *x);
// x (m): vector k < m - rank of an orthonormal basis of the null space of A^T
void hn_cod_null(const hn_cod *f, int k, double *x);

// ---- LU with full pivoting: rows and columns change places, A = L U ----

typedef struct hn_lu {
  int m, n, rank;
  double *a;       // m x n, row by row
  double *work;    // the longer side
  int *row, *col;  // row k of L U is row row[k] of A, likewise columns
  int *before;     // the same of the last one that was no glance, rows then columns
  double keep;     // see above
  bool glance, glanced;
  int known;
} hn_lu;

void hn_lu_layout(hn_lu *f, hn_arena *arena, int m, int n);
// pivots below rcond times the first count as zero, and so do all after `limit`
void hn_lu_factor(hn_lu *f, double rcond, int limit);
// x (n): solution of A x = b (m, consistent) whose entries off the pivot columns are zero
void hn_lu_solve(const hn_lu *f, const double *b, double *x);
// x (m): A^T x = b (n) in the pivot columns, entries off the pivot rows zero
void hn_lu_solve_transposed(const hn_lu *f, const double *b, double *x);
// x (n): vector k < n - rank of the basis of the null space of A with x[col[rank + k]] = 1
void hn_lu_null(const hn_lu *f, int k, double *x);

// ---- Gram and Schmidt's process, on the rows and once more: A = U T Q ----
//
// Rows of Q (rank x n) and columns of U (m x rank) are orthonormal, T is a regular triangle. Every
// vector is made orthogonal twice.
typedef struct hn_gram {
  int m, n, rank;
  double *a;       // m x n, row by row; rows of A in, afterwards what is left of them
  double *q;       // n x n: rows of Q, then an orthonormal basis of the null space of A
  double *u;       // m x least, column by column
  double *t;       // least x least, row by row
  double *length;  // of what is left of the rows
  double *work;    // the longer side
  int *pivot;      // row k of Q comes from row pivot[k] of A
  int *before;     // the same of the last factorisation that was no glance
  double keep;     // see above
  bool glance, glanced;
  int known;
} hn_gram;

void hn_gram_layout(hn_gram *f, hn_arena *arena, int m, int n);
// what is left of a row below rcond times the first pivot counts as zero, and so does everything
// after `limit` rows
void hn_gram_factor(hn_gram *f, double rcond, int limit);
// x (n) = A^+ b (m)
void hn_gram_solve(const hn_gram *f, const double *b, double *x);
// x (m) = (A^T)^+ b (n)
void hn_gram_solve_transposed(const hn_gram *f, const double *b, double *x);
// vector k < n - rank of an orthonormal basis of the null space of A
const double *hn_gram_null(const hn_gram *f, int k);

// ---- singular values by one-sided Jacobi rotations: A V = U diag(s) ----

typedef struct hn_svd {
  int m, n, rank;
  double *a;  // m x n, column by column; U diag(s) afterwards
  double *v;  // n x n, column by column
  double *s;  // n singular values, in no order; columns that count as zero have s = 0
} hn_svd;

void hn_svd_layout(hn_svd *f, hn_arena *arena, int m, int n);
// values below rcond times the largest count as zero, and so do all but the largest `limit`.
// false when the rotations do not come to an end (never seen; the result is still usable)
bool hn_svd_factor(hn_svd *f, double rcond, int limit);
// x (n) = A^+ b (m)
void hn_svd_solve(const hn_svd *f, const double *b, double *x);
// x (m) = (A^T)^+ b (n)
void hn_svd_solve_transposed(const hn_svd *f, const double *b, double *x);

#endif
