// sparse_klu.c: sparse LU with partial pivoting by KLU (block triangular form, minimum degree).
//
// klu_refactor keeps the order of the pivots. How well that serves the new values shows in the
// growth of the entries of U over those of A (klu_rgrowth): while it stays within GROWTH of what
// freshly chosen pivots gave, the old ones are kept. So it does in their ratio: a pivot that fades
// away, beside others that would do, says of the matrix that it is singular where it is not.
#ifndef HN_MINIMAL

#include "linalg/sparse_kinds.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GROWTH = 1e-3;  // as in sparse_own.c

struct hn_klu_sparse {
  int n, *start, *row;
  double *value;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  double growth;       // klu_rgrowth right after the pivots were chosen
  double rcond, best;  // now, and the greatest since then
  int pivotings;
  // to save factors is to say how they came about: values when pivots were chosen, values last
  // factorised, and whether these are others
  double *pivoted, *factored;
  bool again;
};

hn_klu_sparse *hn_klu_sparse_create(int n, const int *start, const int *row) {
  return hn_klu_sparse_create_ordered(n, start, row, NULL);
}

// klu_analyze_given wants its permutations changeable.
// Without the block triangular form, which would reorder what was ordered with care.
// our own order, the same for rows and columns
static klu_symbolic *analyse_given(hn_klu_sparse *s, const int *order) {
  int *copy = malloc((size_t)s->n * sizeof *copy);
  if (!copy) return NULL;
  memcpy(copy, order, (size_t)s->n * sizeof *copy);
  s->common.btf = 0;
  klu_symbolic *symbolic = klu_analyze_given(s->n, s->start, s->row, copy, copy, &s->common);
  free(copy);
  return symbolic;
}

hn_klu_sparse *hn_klu_sparse_create_ordered(int n, const int *start, const int *row,
                                            const int *order) {
  hn_klu_sparse *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  size_t entries = (size_t)start[n];
  s->n = n;
  s->start = malloc(((size_t)n + 1) * sizeof *s->start);
  s->row = malloc((entries + 1) * sizeof *s->row);
  s->value = calloc(entries + 1, sizeof *s->value);
  s->pivoted = calloc(entries + 1, sizeof *s->pivoted);
  // zeros before anything is factorised: a save writes them
  s->factored = calloc(entries + 1, sizeof *s->factored);
  klu_defaults(&s->common);
  if (s->start && s->row && s->value && s->pivoted && s->factored) {
    memcpy(s->start, start, ((size_t)n + 1) * sizeof *start);
    if (entries) memcpy(s->row, row, entries * sizeof *row);
    if (n == 0) return s;
    s->symbolic = order ? analyse_given(s, order) : klu_analyze(n, s->start, s->row, &s->common);
    // a pattern that no values could make regular is no lack of memory: hn_klu_sparse_factor says
    // so
    if (s->symbolic || s->common.status == KLU_SINGULAR) return s;
  }
  hn_klu_sparse_destroy(s);
  return NULL;
}

void hn_klu_sparse_prefer_large(hn_klu_sparse *s, double part) {
  // KLU's threshold of partial pivoting
  s->common.tol = part;
}

void hn_klu_sparse_destroy(hn_klu_sparse *s) {
  if (!s) return;
  // both stand NULL pointers
  klu_free_numeric(&s->numeric, &s->common);
  klu_free_symbolic(&s->symbolic, &s->common);
  free(s->value), free(s->pivoted), free(s->factored);
  free(s->row);
  free(s->start);
  free(s);
}

double *hn_klu_sparse_values(hn_klu_sparse *s) {
  return s->value;
}

int hn_klu_sparse_entries(const hn_klu_sparse *s) {
  return s->start[s->n];
}

int hn_klu_sparse_place(const hn_klu_sparse *s, int row, int column) {
  // rows of a column ascend
  int low = s->start[column], high = s->start[column + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (s->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->start[column + 1] && s->row[low] == row ? low : -1;
}

// growth and pivot ratio of the factors at hand; false when they are useless.
// rgrowth is the least over the columns of max|A| / max|U|, one where nothing grows.
static bool measure(hn_klu_sparse *s, double *growth) {
  klu_common *c = &s->common;
  if (c->status != KLU_OK || !klu_rcond(s->symbolic, s->numeric, c) || !(c->rcond > 0.0) ||
      !isfinite(c->rcond) || !klu_rgrowth(s->start, s->row, s->value, s->symbolic, s->numeric, c) ||
      !(c->rgrowth > 0.0))
    return false;
  *growth = c->rgrowth;
  s->rcond = c->rcond;
  return true;
}

// refactor runs through the pattern that is there and costs a fraction of a factorisation with
// pivoting; it is tried first, and what it gives is looked at before it is trusted.
bool hn_klu_sparse_factor(hn_klu_sparse *s) {
  if (s->n == 0) {
    s->rcond = 1.0;
    return true;
  }
  s->rcond = 0.0;
  if (!s->symbolic) return false;
  // KLU does not look for what is not finite
  for (int k = 0; k < s->start[s->n]; k++)
    if (!isfinite(s->value[k])) return false;
  double growth;
  size_t bytes = (size_t)s->start[s->n] * sizeof(double);
  memcpy(s->factored, s->value, bytes);
  s->again = s->numeric != NULL;
  // pivots as they are, first
  if (s->numeric) {
    if (klu_refactor(s->start, s->row, s->value, s->symbolic, s->numeric, &s->common) &&
        measure(s, &growth) && growth >= GROWTH * s->growth && s->rcond >= GROWTH * s->best) {
      s->best = fmax(s->best, s->rcond);
      return true;
    }
    // they do not serve: chosen anew
    klu_free_numeric(&s->numeric, &s->common);
  }
  s->numeric = klu_factor(s->start, s->row, s->value, s->symbolic, &s->common);
  s->pivotings++;
  memcpy(s->pivoted, s->value, bytes);
  s->again = false;
  if (!s->numeric || !measure(s, &s->growth)) {
    klu_free_numeric(&s->numeric, &s->common);
    s->rcond = 0.0;
    return false;
  }
  s->best = s->rcond;
  return true;
}

// ---- saving ----------------------------------------------------------------------------------

typedef struct saved {
  int n, entries, pivotings;
  // of both kinds of factor, only how they came about
  bool factors, again;
  double growth, rcond, best;
} saved;

// KLU's factors are not ours to write; made again from the same values by the same calls they are
// the same bits.
size_t hn_klu_sparse_save(const hn_klu_sparse *s, void *bytes) {
  size_t part = (size_t)s->start[s->n] * sizeof(double);
  if (!bytes) return sizeof(saved) + 3 * part;
  saved head;
  memset(&head, 0, sizeof head);  // gaps too
  // padding would differ from run to run, and files with it
  head.n = s->n, head.entries = s->start[s->n], head.pivotings = s->pivotings;
  head.factors = s->numeric != NULL, head.again = s->again;
  head.growth = s->growth, head.rcond = s->rcond, head.best = s->best;
  unsigned char *to = bytes;
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, s->pivoted, part);
  memcpy(to + sizeof head + part, s->factored, part);
  memcpy(to + sizeof head + 2 * part, s->value, part);
  return sizeof head + 3 * part;
}

bool hn_klu_sparse_restore(hn_klu_sparse *s, const void *bytes, size_t size) {
  size_t part = (size_t)s->start[s->n] * sizeof(double);
  const unsigned char *from = bytes;
  saved head;
  if (size != sizeof head + 3 * part) return false;
  memcpy(&head, from, sizeof head);
  if (head.n != s->n || head.entries != s->start[s->n]) return false;
  memcpy(s->pivoted, from + sizeof head, part);
  memcpy(s->factored, from + sizeof head + part, part);
  memcpy(s->value, from + sizeof head + 2 * part, part);
  klu_free_numeric(&s->numeric, &s->common);
  // chosen for `pivoted`, then run through with `factored`
  if (head.factors) {
    s->numeric = klu_factor(s->start, s->row, s->pivoted, s->symbolic, &s->common);
    if (!s->numeric) return false;
    if (head.again &&
        !klu_refactor(s->start, s->row, s->factored, s->symbolic, s->numeric, &s->common))
      return false;
  }
  s->again = head.again, s->growth = head.growth, s->rcond = head.rcond, s->best = head.best;
  s->pivotings = head.pivotings;
  return true;
}

int hn_klu_sparse_pivotings(const hn_klu_sparse *s) {
  return s->pivotings;
}

void hn_klu_sparse_solve(const hn_klu_sparse *s, double *x) {
  if (s->n == 0 || !s->numeric) return;
  klu_common common = s->common;  // klu_solve reports here
  klu_solve(s->symbolic, s->numeric, s->n, 1, x, &common);
}

void hn_klu_sparse_subtract(const hn_klu_sparse *s, const double *x, double *b) {
  for (int j = 0; j < s->n; j++)
    for (int k = s->start[j]; k < s->start[j + 1]; k++) b[s->row[k]] -= s->value[k] * x[j];
}

double hn_klu_sparse_rcond(const hn_klu_sparse *s) {
  return s->rcond;
}

// 1 for an even permutation of n, -1 for an odd one; order is put in its place on the way
static int parity(int n, int *order) {
  int sign = 1;
  for (int i = 0; i < n; i++)
    while (order[i] != i) {
      int k = order[i];
      order[i] = order[k];
      order[k] = k;
      sign = -sign;
    }
  return sign;
}

// P A Q = L U in blocks, the scaling of rows is positive
int hn_klu_sparse_sign(const hn_klu_sparse *s) {
  if (s->n == 0) return 1;
  if (!s->numeric) return 0;
  int *order = malloc((size_t)s->n * sizeof *order), sign = 0;
  if (!order) return 0;
  memcpy(order, s->numeric->Pnum, (size_t)s->n * sizeof *order);
  sign = parity(s->n, order);
  memcpy(order, s->symbolic->Q, (size_t)s->n * sizeof *order);
  sign *= parity(s->n, order);
  free(order);
  const double *pivot = s->numeric->Udiag;
  for (int i = 0; i < s->n; i++)
    if (pivot[i] < 0) sign = -sign;
  return sign;
}

#else
typedef int hn_no_klu;  // a file must hold something
#endif
