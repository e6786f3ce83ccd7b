// sparse_own.c: the sparse LU of sparse.h by the library alone.
//
// Columns go in the order given or in one of little fill for A + A^T. Column by column x = L^-1 A_j
// is found from the columns of L that it can reach (J. R. Gilbert, T. Peierls, 1988); the pivot is
// the entry of the same row as the column, if it has `part` of the largest, otherwise the largest.
// Rows are divided by their largest number first. New values go through the same pattern with the
// same pivots, as long as the entries of U do not grow much more than with freshly chosen ones, and
// no pivot fades away.
#include "base/vec.h"
#include "linalg/order.h"
#include "linalg/sparse_kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GROWTH = 1e-3;

typedef struct columns {  // compressed columns
  int *start, *row;
  double *value;
  int room;  // numbers there is room for
} columns;

struct hn_own_sparse {
  int n, *start, *row;
  double *value;
  double part;
  int *order;        // the column that goes k-th
  int *pivot;        // the row that goes k-th
  int *place;        // when a row goes; -1: not yet
  columns L, U;      // rows of L as in A, those of U by their place, in the order they are needed
  double *diagonal;  // of U
  double *scale;     // 1 / the largest number of a row
  double *x;         // one column at work, zero in between
  int *stack, *at, *mark;
  bool ready;                  // pivots were chosen
  double growth, rcond, best;  // best: greatest rcond since pivots were chosen
  int pivotings;
};

// one more than columns need: starts of compressed columns have n + 1
static bool same_size(int n, int **list) {
  *list = calloc((size_t)n + 2, sizeof **list);
  return *list;
}

// A + A^T without the diagonal, for the order.
// For matrices whose pattern is nearly symmetric, as those of mechanics are.
static bool find_order(hn_own_sparse *s) {
  int n = s->n, *count = NULL, *first = NULL, *other = NULL;
  bool ok = same_size(n, &count) && same_size(n, &first) &&
            (other = malloc((2 * (size_t)s->start[n] + 1) * sizeof *other));
  // counted, then filled
  for (int pass = 0; ok && pass < 2; pass++) {
    for (int j = 0; j < n; j++)
      for (int k = s->start[j]; k < s->start[j + 1]; k++) {
        int i = s->row[k];
        // entries above the diagonal whose mirror is there are counted with that
        if (i == j || (i < j && hn_own_sparse_place(s, j, i) >= 0)) continue;  // once for each pair
        if (pass) other[first[i] + count[i]] = j, other[first[j] + count[j]] = i;
        count[i]++, count[j]++;
      }
    for (int i = 0; !pass && i < n; i++) first[i + 1] = first[i] + count[i], count[i] = 0;
  }
  ok = ok && hn_order_least_fill(n, first, other, s->order);
  free(count), free(first), free(other);
  return ok;
}

hn_own_sparse *hn_own_sparse_create(int n, const int *start, const int *row) {
  return hn_own_sparse_create_ordered(n, start, row, NULL);
}

hn_own_sparse *hn_own_sparse_create_ordered(int n, const int *start, const int *row,
                                            const int *order) {
  hn_own_sparse *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  size_t entries = (size_t)start[n];
  // 1e-3: sparsity before size, as long as growth stays small
  s->n = n, s->part = 1e-3;
  s->row = malloc((entries + 1) * sizeof *s->row);
  s->value = calloc(entries + 1, sizeof *s->value);
  s->diagonal = calloc((size_t)n + 1, sizeof(double));
  s->scale = calloc((size_t)n + 1, sizeof(double));
  s->x = calloc((size_t)n + 1, sizeof(double));
  bool ok = s->row && s->value && s->diagonal && s->scale && s->x && same_size(n, &s->start) &&
            same_size(n, &s->order) && same_size(n, &s->pivot) && same_size(n, &s->place) &&
            same_size(n, &s->stack) && same_size(n, &s->at) && same_size(n, &s->mark) &&
            same_size(n, &s->L.start) && same_size(n, &s->U.start);
  if (ok) {
    memcpy(s->start, start, ((size_t)n + 1) * sizeof *start);
    if (entries) memcpy(s->row, row, entries * sizeof *row);
    if (order && n) memcpy(s->order, order, (size_t)n * sizeof *order);
    ok = order || find_order(s);
  }
  if (ok) return s;
  hn_own_sparse_destroy(s);
  return NULL;
}

void hn_own_sparse_prefer_large(hn_own_sparse *s, double part) {
  s->part = part;
}

void hn_own_sparse_destroy(hn_own_sparse *s) {
  if (!s) return;
  free(s->start), free(s->row), free(s->value);
  free(s->order), free(s->pivot), free(s->place);
  free(s->stack), free(s->at), free(s->mark);
  free(s->L.start), free(s->L.row), free(s->L.value);
  free(s->U.start), free(s->U.row), free(s->U.value);
  free(s->diagonal), free(s->scale), free(s->x);
  free(s);
}

double *hn_own_sparse_values(hn_own_sparse *s) {
  return s->value;
}

int hn_own_sparse_entries(const hn_own_sparse *s) {
  return s->start[s->n];
}

int hn_own_sparse_place(const hn_own_sparse *s, int row, int column) {
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

// ---- factors ---------------------------------------------------------------------------------

static bool make_room(columns *c, int wanted) {
  if (wanted <= c->room) return true;
  // twice what is wanted: realloc is rare
  int room = 2 * wanted + 64;
  // what could be grown is kept, so that nothing is lost or freed twice
  int *row = realloc(c->row, (size_t)room * sizeof *row);
  if (row) c->row = row;
  double *value = realloc(c->value, (size_t)room * sizeof *value);
  if (value) c->value = value;
  if (!row || !value) return false;
  c->room = room;
  return true;
}

// rows reached from `row` through columns of L, depth first: those that depend on others come
// before them in stack[top...].
// stack serves both: what is being visited grows from its beginning, what is finished from its end
// downwards, and together they never have more than n rows.
static int reach(hn_own_sparse *s, int row, int stamp, int top) {
  int depth = 0;
  s->stack[0] = row, s->at[0] = -1;
  s->mark[row] = stamp;
  while (depth >= 0) {
    // at[depth] < 0: its column has not been looked at yet
    int here = s->stack[depth], k = s->place[here], deeper = -1;
    // rows without a place yet have no column in L
    if (k >= 0) {
      if (s->at[depth] < 0) s->at[depth] = s->L.start[k];
      for (; deeper < 0 && s->at[depth] < s->L.start[k + 1]; s->at[depth]++) {
        int next = s->L.row[s->at[depth]];
        if (s->mark[next] != stamp) deeper = next;
      }
    }
    if (deeper >= 0) {
      s->stack[++depth] = deeper, s->at[depth] = -1;
      s->mark[deeper] = stamp;
    } else {
      depth--;
      // finished: everything it leads to is on the stack behind it
      s->stack[--top] = here;
    }
  }
  return top;
}

// divides column k of A, taken in order, by what stands above: x, whose rows are stack[top...]
static int solve_column(hn_own_sparse *s, int k) {
  int column = s->order[k], top = s->n + 1, stamp = k + 1;
  // one search from every entry of the column
  for (int p = s->start[column]; p < s->start[column + 1]; p++)
    if (s->mark[s->row[p]] != stamp) top = reach(s, s->row[p], stamp, top);
  for (int p = s->start[column]; p < s->start[column + 1]; p++)
    s->x[s->row[p]] = s->value[p] * s->scale[s->row[p]];
  // columns of L in an order in which each is complete when it is needed
  for (int t = top; t <= s->n; t++) {
    int row = s->stack[t], j = s->place[row];
    if (j < 0) continue;
    for (int p = s->L.start[j]; p < s->L.start[j + 1]; p++)
      s->x[s->L.row[p]] -= s->L.value[p] * s->x[row];
  }
  return top;
}

// the row that shall go k-th; -1: none is left, or all are zero
static int choose_pivot(const hn_own_sparse *s, int k, int top) {
  int best = -1;
  double most = 0;
  for (int t = top; t <= s->n; t++) {
    int row = s->stack[t];
    if (s->place[row] < 0 && fabs(s->x[row]) > most) most = fabs(s->x[row]), best = row;
  }
  // the row of the same number as the column: the diagonal, as A was given
  int own = s->order[k];
  bool there = s->mark[own] == k + 1 && s->place[own] < 0;
  return best >= 0 && there && fabs(s->x[own]) >= s->part * most ? own : best;
}

// Rows of L keep the numbers they have in A, since which place they will get is not known yet; U's
// are places.
static bool choose_pivots(hn_own_sparse *s) {
  s->ready = false;
  // rows have no place until they are pivots
  for (int i = 0; i < s->n; i++) s->place[i] = -1, s->mark[i] = 0;
  bool ok = true;
  for (int k = 0, nl = 0, nu = 0; k < s->n && ok; k++) {
    // the stack of a search lies below what it has found
    int top = solve_column(s, k), found = s->n + 1 - top;
    int pivot = choose_pivot(s, k, top);
    s->L.start[k] = nl, s->U.start[k] = nu;
    ok = pivot >= 0 && make_room(&s->L, nl + found) && make_room(&s->U, nu + found);
    for (int t = top; t <= s->n; t++) {
      int row = s->stack[t], j = s->place[row];
      // above the diagonal: U; below: L, divided by the pivot
      if (ok && j >= 0)
        s->U.row[nu] = j, s->U.value[nu++] = s->x[row];
      else if (ok && row != pivot)
        s->L.row[nl] = row, s->L.value[nl++] = s->x[row] / s->x[pivot];
    }
    if (ok) s->diagonal[k] = s->x[pivot], s->pivot[k] = pivot, s->place[pivot] = k;
    // only what was touched is cleared: n zeros a column would cost n^2
    for (int t = top; t <= s->n; t++) s->x[s->stack[t]] = 0;
    s->L.start[k + 1] = nl, s->U.start[k + 1] = nu;
  }
  s->ready = ok;
  return ok;
}

// the same pattern and pivots for new values.
// U's numbers are in the order in which they are needed, so that one pass over them is a triangular
// solution.
static void keep_pivots(hn_own_sparse *s) {
  for (int k = 0; k < s->n; k++) {
    int column = s->order[k];
    for (int p = s->start[column]; p < s->start[column + 1]; p++)
      s->x[s->row[p]] = s->value[p] * s->scale[s->row[p]];
    for (int u = s->U.start[k]; u < s->U.start[k + 1]; u++) {
      // x of the row that was pivot j
      int j = s->U.row[u];
      double x = s->U.value[u] = s->x[s->pivot[j]];
      s->x[s->pivot[j]] = 0;
      for (int p = s->L.start[j]; p < s->L.start[j + 1]; p++)
        s->x[s->L.row[p]] -= s->L.value[p] * x;
    }
    s->diagonal[k] = s->x[s->pivot[k]];
    s->x[s->pivot[k]] = 0;
    for (int p = s->L.start[k]; p < s->L.start[k + 1]; p++) {
      // divides by a new pivot of the old place; whether it serves, `measure` says
      s->L.value[p] = s->x[s->L.row[p]] / s->diagonal[k];
      s->x[s->L.row[p]] = 0;
    }
  }
}

// how much the columns of U have grown over those of A, and the ratio of pivots; false when the
// factors are useless
static bool measure(hn_own_sparse *s, double *growth) {
  double least = INFINITY, largest = 0;
  *growth = INFINITY;
  // a: largest of the column of A, u: of U
  for (int k = 0; k < s->n; k++) {
    double pivot = fabs(s->diagonal[k]), a = 0, u = pivot;
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    least = fmin(least, pivot), largest = hn_greater(largest, pivot);
    int column = s->order[k];
    for (int p = s->start[column]; p < s->start[column + 1]; p++)
      a = hn_greater(a, fabs(s->value[p] * s->scale[s->row[p]]));
    for (int p = s->U.start[k]; p < s->U.start[k + 1]; p++) u = hn_greater(u, fabs(s->U.value[p]));
    *growth = fmin(*growth, a / u);
  }
  s->rcond = least / largest;
  return s->rcond > 0 && *growth > 0;
}

// by the largest of the row: all rows count alike
static bool scale_rows(hn_own_sparse *s) {
  for (int i = 0; i < s->n; i++) s->scale[i] = 0;
  for (int k = 0; k < s->start[s->n]; k++) {
    if (!isfinite(s->value[k])) return false;
    s->scale[s->row[k]] = hn_greater(s->scale[s->row[k]], fabs(s->value[k]));
  }
  for (int i = 0; i < s->n; i++) {
    if (!(s->scale[i] > 0)) return false;
    s->scale[i] = 1 / s->scale[i];
  }
  return true;
}

bool hn_own_sparse_factor(hn_own_sparse *s) {
  if (s->n == 0) {
    s->rcond = 1;
    return true;
  }
  s->rcond = 0;
  if (!scale_rows(s)) return false;
  double growth;
  // first with the pivots there are
  if (s->ready) {
    keep_pivots(s);
    if (measure(s, &growth) && growth >= GROWTH * s->growth && s->rcond >= GROWTH * s->best) {
      s->best = fmax(s->best, s->rcond);
      return true;
    }
  }
  // anew, and by these it will be judged from then on
  s->pivotings++;
  if (choose_pivots(s) && measure(s, &s->growth)) {
    s->best = s->rcond;
    return true;
  }
  s->ready = false;
  s->rcond = 0;
  return false;
}

// ---- saving ----------------------------------------------------------------------------------

typedef struct saved {
  int n, entries, pivotings, lower, upper;
  bool ready;
  double growth, rcond, best;
} saved;

// all that `factor` writes, piece by piece; returns how much that is
static size_t each_piece(const hn_own_sparse *s, const saved *h,
                         void (*piece)(unsigned char *at, void *x, size_t size), void *bytes) {
  // sizes of the pieces are in the head, so that a file of another matrix is found out
  size_t n = (size_t)h->n, lower = (size_t)h->lower, upper = (size_t)h->upper;
  const struct {
    void *x;
    size_t size;
  } pieces[] = {{s->value, (size_t)h->entries * sizeof(double)},
                {s->scale, n * sizeof(double)},
                {s->diagonal, n * sizeof(double)},
                {s->L.value, lower * sizeof(double)},
                {s->U.value, upper * sizeof(double)},
                {s->pivot, n * sizeof(int)},
                {s->place, n * sizeof(int)},
                {s->L.start, (n + 1) * sizeof(int)},
                {s->U.start, (n + 1) * sizeof(int)},
                {s->L.row, lower * sizeof(int)},
                {s->U.row, upper * sizeof(int)}};
  size_t at = sizeof *h;
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; at += pieces[i++].size)
    if (piece && pieces[i].size) piece((unsigned char *)bytes + at, pieces[i].x, pieces[i].size);
  return at;
}

static void put(unsigned char *at, void *x, size_t size) {
  memcpy(at, x, size);
}

static void get(unsigned char *at, void *x, size_t size) {
  memcpy(x, at, size);
}

size_t hn_own_sparse_save(const hn_own_sparse *s, void *bytes) {
  saved h;
  memset(&h, 0, sizeof h);  // gaps too
  h.n = s->n, h.entries = s->start[s->n], h.pivotings = s->pivotings, h.ready = s->ready;
  h.growth = s->growth, h.rcond = s->rcond, h.best = s->best;
  if (s->ready) h.lower = s->L.start[s->n], h.upper = s->U.start[s->n];
  if (bytes) memcpy(bytes, &h, sizeof h);
  return each_piece(s, &h, bytes ? put : NULL, bytes);
}

bool hn_own_sparse_restore(hn_own_sparse *s, const void *bytes, size_t size) {
  saved h;
  if (size < sizeof h) return false;
  memcpy(&h, bytes, sizeof h);
  // checked before anything is written: a restore succeeds or changes nothing but room
  if (h.n != s->n || h.entries != s->start[s->n] || h.lower < 0 || h.upper < 0 ||
      size != each_piece(s, &h, NULL, NULL) || !make_room(&s->L, h.lower) ||
      !make_room(&s->U, h.upper))
    return false;
  each_piece(s, &h, get, (void *)bytes);
  s->pivotings = h.pivotings, s->ready = h.ready, s->growth = h.growth, s->rcond = h.rcond;
  s->best = h.best;
  return true;
}

int hn_own_sparse_pivotings(const hn_own_sparse *s) {
  return s->pivotings;
}

// L y = P R x, then U z = y, and x = Q z; row i of x is free for z once its pivot is done
void hn_own_sparse_solve(const hn_own_sparse *s, double *x) {
  if (s->n == 0 || !s->ready) return;
  double *y = s->x;
  // R: scale of rows
  for (int i = 0; i < s->n; i++) x[i] *= s->scale[i];
  for (int k = 0; k < s->n; k++) {
    double z = x[s->pivot[k]];
    for (int p = s->L.start[k]; p < s->L.start[k + 1]; p++) x[s->L.row[p]] -= s->L.value[p] * z;
    y[k] = z;
  }
  for (int k = s->n - 1; k >= 0; k--) {
    double z = y[k] /= s->diagonal[k];
    for (int p = s->U.start[k]; p < s->U.start[k + 1]; p++) y[s->U.row[p]] -= s->U.value[p] * z;
  }
  // Q: the order of columns
  for (int k = 0; k < s->n; k++) x[s->order[k]] = y[k], y[k] = 0;
}

void hn_own_sparse_subtract(const hn_own_sparse *s, const double *x, double *b) {
  for (int j = 0; j < s->n; j++)
    for (int k = s->start[j]; k < s->start[j + 1]; k++) b[s->row[k]] -= s->value[k] * x[j];
}

double hn_own_sparse_rcond(const hn_own_sparse *s) {
  return s->rcond;
}

// 1 for an even permutation, -1 for an odd one
static int parity(int n, const int *order, int *seen) {
  int sign = 1;
  for (int i = 0; i < n; i++) seen[i] = 0;
  for (int i = 0; i < n; i++)
    for (int j = order[i]; !seen[i] && j != i; j = order[j]) seen[j] = 1, sign = -sign;
  return sign;
}

int hn_own_sparse_sign(const hn_own_sparse *s) {
  if (s->n == 0) return 1;
  if (!s->ready) return 0;
  int sign = parity(s->n, s->pivot, s->mark) * parity(s->n, s->order, s->mark);
  for (int i = 0; i < s->n; i++)
    if (s->diagonal[i] < 0) sign = -sign;
  return sign;
}
