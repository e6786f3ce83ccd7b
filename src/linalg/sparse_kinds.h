// sparse_kinds.h: the two that stand behind sparse.h; sparse.c chooses.
#ifndef HN_SPARSE_KINDS_H
#define HN_SPARSE_KINDS_H

#include <stdbool.h>
#include <stddef.h>

// both have the calls of sparse.h, documented there
// the library's
typedef struct hn_own_sparse hn_own_sparse;
hn_own_sparse *hn_own_sparse_create(int n, const int *start, const int *row);
hn_own_sparse *hn_own_sparse_create_ordered(int n, const int *start, const int *row,
                                            const int *order);
void hn_own_sparse_prefer_large(hn_own_sparse *s, double part);
void hn_own_sparse_destroy(hn_own_sparse *s);
double *hn_own_sparse_values(hn_own_sparse *s);
int hn_own_sparse_entries(const hn_own_sparse *s);
int hn_own_sparse_place(const hn_own_sparse *s, int row, int column);
bool hn_own_sparse_factor(hn_own_sparse *s);
int hn_own_sparse_pivotings(const hn_own_sparse *s);
void hn_own_sparse_solve(const hn_own_sparse *s, double *x);
void hn_own_sparse_subtract(const hn_own_sparse *s, const double *x, double *b);
int hn_own_sparse_sign(const hn_own_sparse *s);
double hn_own_sparse_rcond(const hn_own_sparse *s);
size_t hn_own_sparse_save(const hn_own_sparse *s, void *bytes);
bool hn_own_sparse_restore(hn_own_sparse *s, const void *bytes, size_t size);

// the same with klu in the name
// by KLU; not in minimal builds
typedef struct hn_klu_sparse hn_klu_sparse;
hn_klu_sparse *hn_klu_sparse_create(int n, const int *start, const int *row);
hn_klu_sparse *hn_klu_sparse_create_ordered(int n, const int *start, const int *row,
                                            const int *order);
void hn_klu_sparse_prefer_large(hn_klu_sparse *s, double part);
void hn_klu_sparse_destroy(hn_klu_sparse *s);
double *hn_klu_sparse_values(hn_klu_sparse *s);
int hn_klu_sparse_entries(const hn_klu_sparse *s);
int hn_klu_sparse_place(const hn_klu_sparse *s, int row, int column);
bool hn_klu_sparse_factor(hn_klu_sparse *s);
int hn_klu_sparse_pivotings(const hn_klu_sparse *s);
void hn_klu_sparse_solve(const hn_klu_sparse *s, double *x);
void hn_klu_sparse_subtract(const hn_klu_sparse *s, const double *x, double *b);
int hn_klu_sparse_sign(const hn_klu_sparse *s);
double hn_klu_sparse_rcond(const hn_klu_sparse *s);
size_t hn_klu_sparse_save(const hn_klu_sparse *s, void *bytes);
bool hn_klu_sparse_restore(hn_klu_sparse *s, const void *bytes, size_t size);

#endif
