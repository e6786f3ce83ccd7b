// sparse.c: who factorises. A small system is the library's own, so that it has the same numbers in
// all builds, pages that compute among them; a large one KLU's where there is one.
#include "linalg/sparse.h"
#include "linalg/small.h"
#include "linalg/sparse_kinds.h"

#include <stdlib.h>

struct hn_sparse {
  // one of the two; the other is NULL
  hn_own_sparse *own;
#ifndef HN_MINIMAL
  hn_klu_sparse *klu;
#endif
};

// what a call gives that is asked of the one that is there
#ifdef HN_MINIMAL
#define BY(own_answer, klu_answer) own_answer
#else
// asked of the object, not of its size: s->own says which it is
#define BY(own_answer, klu_answer) s->own ? own_answer : klu_answer
#endif

hn_sparse *hn_sparse_create(int n, const int *start, const int *row) {
  return hn_sparse_create_ordered(n, start, row, NULL);
}

hn_sparse *hn_sparse_create_ordered(int n, const int *start, const int *row, const int *order) {
  hn_sparse *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  bool ok;
#ifndef HN_MINIMAL
  // above 64 unknowns KLU's speed counts, below equal bits
  if (n > HN_SMALL) {
    s->klu = hn_klu_sparse_create_ordered(n, start, row, order);
    ok = s->klu;
  } else
#endif
  {
    s->own = hn_own_sparse_create_ordered(n, start, row, order);
    ok = s->own;
  }
  // `ok` may be false for lack of memory only
  if (ok) return s;
  free(s);
  return NULL;
}

void hn_sparse_destroy(hn_sparse *s) {
  if (!s) return;
  BY(hn_own_sparse_destroy(s->own), hn_klu_sparse_destroy(s->klu));
  free(s);
}

void hn_sparse_prefer_large(hn_sparse *s, double part) {
  BY(hn_own_sparse_prefer_large(s->own, part), hn_klu_sparse_prefer_large(s->klu, part));
}

double *hn_sparse_values(hn_sparse *s) {
  return BY(hn_own_sparse_values(s->own), hn_klu_sparse_values(s->klu));
}

int hn_sparse_entries(const hn_sparse *s) {
  return BY(hn_own_sparse_entries(s->own), hn_klu_sparse_entries(s->klu));
}

int hn_sparse_place(const hn_sparse *s, int row, int column) {
  return BY(hn_own_sparse_place(s->own, row, column), hn_klu_sparse_place(s->klu, row, column));
}

bool hn_sparse_factor(hn_sparse *s) {
  return BY(hn_own_sparse_factor(s->own), hn_klu_sparse_factor(s->klu));
}

int hn_sparse_pivotings(const hn_sparse *s) {
  return BY(hn_own_sparse_pivotings(s->own), hn_klu_sparse_pivotings(s->klu));
}

void hn_sparse_solve(const hn_sparse *s, double *x) {
  BY(hn_own_sparse_solve(s->own, x), hn_klu_sparse_solve(s->klu, x));
}

void hn_sparse_subtract(const hn_sparse *s, const double *x, double *b) {
  BY(hn_own_sparse_subtract(s->own, x, b), hn_klu_sparse_subtract(s->klu, x, b));
}

int hn_sparse_sign(const hn_sparse *s) {
  return BY(hn_own_sparse_sign(s->own), hn_klu_sparse_sign(s->klu));
}

double hn_sparse_rcond(const hn_sparse *s) {
  return BY(hn_own_sparse_rcond(s->own), hn_klu_sparse_rcond(s->klu));
}

size_t hn_sparse_save(const hn_sparse *s, void *bytes) {
  return BY(hn_own_sparse_save(s->own, bytes), hn_klu_sparse_save(s->klu, bytes));
}

bool hn_sparse_restore(hn_sparse *s, const void *bytes, size_t size) {
  return BY(hn_own_sparse_restore(s->own, bytes, size), hn_klu_sparse_restore(s->klu, bytes, size));
}
