// sparse.h: unsymmetric sparse systems A x = b whose pattern stays while the values change, as in
// Newton iterations: analysed once, factorised again and again (SuiteSparse's KLU, or own code:
// sparse.c).
#ifndef HN_SPARSE_H
#define HN_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hn_sparse hn_sparse;

// compressed columns: those of column j are row[start[j]] ... row[start[j + 1] - 1], ascending.
// the pattern is copied and the values are zero. NULL: out of memory
hn_sparse *hn_sparse_create(int n, const int *start, const int *row);
// the same with an order of elimination: row and column order[k] go k-th, as long as the pivot is
// large enough. NULL: whatever promises least fill
hn_sparse *hn_sparse_create_ordered(int n, const int *start, const int *row, const int *order);
// a pivot is large enough when it has this part of the largest number in its column; 1e-3 unless
// told, more for precision where diagonals may be small
void hn_sparse_prefer_large(hn_sparse *s, double part);
void hn_sparse_destroy(hn_sparse *s);

// the values, in the order of `row`
double *hn_sparse_values(hn_sparse *s);
int hn_sparse_entries(const hn_sparse *s);
// where the value at (row, column) stands among them; -1 when the pattern has no such place
int hn_sparse_place(const hn_sparse *s, int row, int column);

// factorises the values as they are, with the pivots of the last time while they are good enough
// (nothing is allocated then), otherwise with new ones. false: singular or not finite
bool hn_sparse_factor(hn_sparse *s);
// how often pivots were chosen so far
int hn_sparse_pivotings(const hn_sparse *s);
// x overwritten by A^-1 x; after a factorisation that succeeded
void hn_sparse_solve(const hn_sparse *s, double *x);
// b -= A x
void hn_sparse_subtract(const hn_sparse *s, const double *x, double *b);
// sign of the determinant of the matrix last factorised, 0 when that failed
int hn_sparse_sign(const hn_sparse *s);
// smallest over largest pivot of the last factorisation: a cheap estimate of 1/condition
double hn_sparse_rcond(const hn_sparse *s);

// values, factors and pivots as they are: writes them to `bytes` (NULL: nothing) and returns how
// many bytes they take
size_t hn_sparse_save(const hn_sparse *s, void *bytes);
// makes them so again, bit by bit, in a matrix of the same pattern; false: out of memory, or not
// written by one
bool hn_sparse_restore(hn_sparse *s, const void *bytes, size_t size);

// What an object keeps outside its arena, and must have to go on where it stands, it hands to one
// of these, piece by piece and always in the same order.
typedef struct hn_outside hn_outside;
struct hn_outside {
  void (*sparse)(hn_outside *o, hn_sparse *s);
  void (*bytes)(hn_outside *o, void *at, size_t size);
};

#endif
