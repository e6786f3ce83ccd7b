// rank.c: A A^T = L D L^T row by row, in an order of little fill.
//
// D_k is the square of what the rows before leave of row k. Where next to nothing is left the row
// is dropped: its D counts as infinite, so that it takes nothing from later rows. Squares halve the
// digits, so dependencies are told down to about 1e-7.
#include "linalg/rank.h"

#include "base/pair.h"
#include "linalg/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gram {
  int n, *start, *other;  // pattern of A A^T, both triangles, in compressed columns
  double *value;
} gram;

typedef struct factor {
  int *parent, *start, *count;  // elimination tree; columns of L, filled so far
  int *row;
  double *value, *D;
  int *mark, *path, *stack;
  double *y;
} factor;

// rows of each column of A
static bool transpose(int rows, int columns, const int *start, const int *column, int **first,
                      int **row, int **place) {
  *first = calloc((size_t)columns + 2, sizeof(int));
  *row = malloc(((size_t)start[rows] + 1) * sizeof(int));
  *place = malloc(((size_t)start[rows] + 1) * sizeof(int));
  if (!*first || !*row || !*place) return false;
  // one place ahead, so that filling leaves starts where they belong
  for (int k = 0; k < start[rows]; k++) (*first)[column[k] + 2]++;
  for (int j = 0; j < columns; j++) (*first)[j + 2] += (*first)[j + 1];
  for (int i = 0; i < rows; i++)
    for (int k = start[i]; k < start[i + 1]; k++) {
      int at = (*first)[column[k] + 1]++;
      (*row)[at] = i, (*place)[at] = k;
    }
  return true;
}

// the products of all rows that share a column.
// Row by row of A A^T; mark[j] is where entry j of the present row lies, and below `begin` when it
// is from an earlier one.
static bool multiply(gram *g, int rows, int columns, const int *start, const int *column,
                     const double *value) {
  int *first = NULL, *row = NULL, *place = NULL, *mark = malloc(((size_t)rows + 1) * sizeof(int));
  bool ok = transpose(rows, columns, start, column, &first, &row, &place) && mark;
  size_t total = 0;
  g->n = rows;
  g->start = calloc((size_t)rows + 1, sizeof(int));
  ok = ok && g->start;
  for (int pass = 0; pass < 2 && ok; pass++) {
    // -1: below every `begin`
    for (int i = 0; i < rows; i++) mark[i] = -1;
    total = 0;
    for (int i = 0; i < rows; i++) {
      size_t begin = total;
      if (pass) g->start[i] = (int)begin;
      // rows that share column[k] with row i
      for (int k = start[i]; k < start[i + 1]; k++)
        for (int l = first[column[k]]; l < first[column[k] + 1]; l++) {
          int j = row[l];
          if (mark[j] < (int)begin) {
            mark[j] = (int)total;
            if (pass) g->other[total] = j, g->value[total] = 0;
            total++;
          }
          if (pass) g->value[mark[j]] += value[k] * value[place[l]];
        }
    }
    if (pass) {
      g->start[rows] = (int)total;
    } else {
      ok = total < 0x7fffffff;
      g->other = malloc((total + 1) * sizeof(int));
      g->value = malloc((total + 1) * sizeof(double));
      ok = ok && g->other && g->value;
    }
  }
  free(first), free(row), free(place), free(mark);
  return ok;
}

// rows in order of elimination, those that give way last, and the place of each in it
static bool find_order(const gram *g, const bool *later, int *order, int *place) {
  int *raw = malloc(((size_t)g->n + 1) * sizeof(int)), count = 0;
  if (!raw) return false;
  bool ok = hn_order_least_fill(g->n, g->start, g->other, raw);
  // order is kept within both kinds
  for (int pass = 0; pass < 2 && ok; pass++)
    for (int k = 0; k < g->n; k++)
      if ((later && later[raw[k]]) == (pass == 1)) order[count++] = raw[k];
  for (int k = 0; k < g->n && ok; k++) place[order[k]] = k;
  free(raw);
  return ok;
}

// elimination tree and the length of every column of L.
// Ways from the entries of row k up the elimination tree, each as far as one before it has come
// (J. W. H. Liu, 1990): together they are row k of L
static void plan(const gram *g, const int *order, const int *place, factor *f) {
  // rows in order; row k of L by its way up the tree
  for (int k = 0; k < g->n; k++) {
    f->parent[k] = -1;
    f->mark[k] = k;
    f->count[k] = 0;
    for (int p = g->start[order[k]]; p < g->start[order[k] + 1]; p++)
      // i climbs until it meets what has been there for this row
      for (int i = place[g->other[p]]; i < k && f->mark[i] != k; i = f->parent[i]) {
        if (f->parent[i] < 0) f->parent[i] = k;
        f->count[i]++;
        f->mark[i] = k;
      }
  }
  f->start[0] = 0;
  // counts become starts, and begin at zero again
  for (int k = 0; k < g->n; k++) f->start[k + 1] = f->start[k] + f->count[k], f->count[k] = 0;
}

// row k of L, and D_k.
// Up-looking: row k is solved for against the columns that are there. The stack has the nonzeros of
// the row in an order in which each stands before those that depend on it.
static void eliminate(const gram *g, const int *order, const int *place, factor *f, int k) {
  int top = g->n;
  f->y[k] = 0;
  f->mark[k] = k;
  // only what goes before k matters
  for (int p = g->start[order[k]]; p < g->start[order[k] + 1]; p++) {
    int i = place[g->other[p]], length = 0;
    if (i > k) continue;
    f->y[i] += g->value[p];
    // the way up, turned round onto the stack
    for (; f->mark[i] != k; i = f->parent[i]) f->path[length++] = i, f->mark[i] = k;
    while (length > 0) f->stack[--top] = f->path[--length];
  }
  f->D[k] = f->y[k];
  f->y[k] = 0;
  // from the top: each before those that depend on it
  for (; top < g->n; top++) {
    int i = f->stack[top];
    // a dropped row has D infinite, and takes nothing
    double y = f->y[i], l = isinf(f->D[i]) ? 0 : y / f->D[i];
    f->y[i] = 0;
    int end = f->start[i] + f->count[i];
    if (!isinf(f->D[i]))
      for (int p = f->start[i]; p < end; p++) f->y[f->row[p]] -= f->value[p] * y;
    f->D[k] -= l * y;
    // rows of a column of L come in ascending order
    f->row[end] = k, f->value[end] = l;
    f->count[i]++;
  }
}

static bool make_factor(factor *f, int n) {
  size_t size = ((size_t)n + 1) * sizeof(int);
  f->parent = malloc(size), f->start = malloc(size), f->count = malloc(size);
  f->mark = malloc(size), f->path = malloc(size), f->stack = malloc(size);
  f->D = malloc(((size_t)n + 1) * sizeof(double));
  f->y = calloc((size_t)n + 1, sizeof(double));
  return f->parent && f->start && f->count && f->mark && f->path && f->stack && f->D && f->y;
}

static void free_factor(factor *f) {
  free(f->parent), free(f->start), free(f->count), free(f->mark), free(f->path), free(f->stack);
  free(f->D), free(f->y), free(f->row), free(f->value);
}

// `whole` is the row's own square, D_k what is left of it.
bool hn_sparse_rank(int rows, int columns, const int *start, const int *column, const double *value,
                    const bool *later, double tolerance, bool *active, int *rank,
                    double *smallest_kept, double *largest_dropped) {
  gram g = {0};
  factor f = {0};
  int *order = malloc(((size_t)rows + 1) * sizeof(int));
  int *place = malloc(((size_t)rows + 1) * sizeof(int));
  *rank = 0, *smallest_kept = 1, *largest_dropped = 0;
  bool ok = order && place && multiply(&g, rows, columns, start, column, value) &&
            find_order(&g, later, order, place) && make_factor(&f, rows);
  if (ok) {
    plan(&g, order, place, &f);
    f.row = malloc(((size_t)f.start[rows] + 1) * sizeof(int));
    f.value = malloc(((size_t)f.start[rows] + 1) * sizeof(double));
    ok = f.row && f.value;
  }
  // no row has been visited
  for (int k = 0; k < rows && ok; k++) f.mark[k] = -1;
  for (int k = 0; k < rows && ok; k++) {
    double whole = 0;
    for (int p = start[order[k]]; p < start[order[k] + 1]; p++) whole += value[p] * value[p];
    eliminate(&g, order, place, &f, k);
    // left: sine of the angle to the rows before
    double left = whole > 0 ? sqrt(fmax(f.D[k], 0) / whole) : 0;
    active[order[k]] = left > tolerance;
    if (left > tolerance) {
      ++*rank;
      *smallest_kept = fmin(*smallest_kept, left);
    } else {
      *largest_dropped = fmax(*largest_dropped, left);
      f.D[k] = INFINITY;
    }
  }
  free(order), free(place);
  free(g.start), free(g.other), free(g.value);
  free_factor(&f);
  return ok;
}

// ---- few rows, dense -----------------------------------------------------------------------

// sums by even and odd places: the same with every compiler
static double dot(const double *a, const double *b, int n) {
  hn_pair sum = {0, 0};
  for (int k = 0; k + 1 < n; k += 2) sum += hn_pair_load(a + k) * hn_pair_load(b + k);
  return sum[0] + sum[1] + (n % 2 ? a[n - 1] * b[n - 1] : 0);
}

// y -= s x; returns what y . y becomes
static double take_away(double s, const double *x, double *y, int n) {
  hn_pair sum = {0, 0};
  for (int k = 0; k + 1 < n; k += 2) {
    hn_pair rest = hn_pair_load(y + k) - s * hn_pair_load(x + k);
    hn_pair_store(y + k, rest);
    sum += rest * rest;
  }
  if (n % 2 == 0) return sum[0] + sum[1];
  y[n - 1] -= s * x[n - 1];
  return sum[0] + sum[1] + y[n - 1] * y[n - 1];
}

// Householder's reflections, row by row: v takes row k to a multiple of a unit vector, and every
// other row becomes y - v (v . y) / v[0]. What is left of a row is computed anew from its numbers,
// on the way: no update loses digits. Rows of joints apart have nothing in common at first.
void hn_rank_distances(int rows, int columns, double *A, double *r, double *size) {
  int least = rows < columns ? rows : columns;
  for (int i = 0; i < rows; i++) {
    const double *row = A + (size_t)i * (size_t)columns;
    size[i] = dot(row, row, columns);
  }
  // the longest row left comes next
  for (int k = 0; k < least; k++) {
    int best = k, n = columns - k;
    for (int i = k + 1; i < rows; i++)
      if (size[i] > size[best]) best = i;
    double *v = A + (size_t)k * (size_t)columns + k, *other = v + (best - k) * columns;
    // rows change places, from column k on
    for (int j = 0; best != k && j < n; j++) {
      double x = v[j];
      v[j] = other[j], other[j] = x;
    }
    r[k] = sqrt(size[best]);
    size[best] = size[k];
    if (!(r[k] > 0)) continue;
    double image = v[0] > 0 ? -r[k] : r[k];
    v[0] -= image;
    for (int j = 0; j < n; j++) v[j] /= -image;
    for (int i = k + 1; i < rows; i++) {
      double *y = v + (i - k) * columns, part = dot(v, y, n) / v[0];
      // rows that have nothing to do with it cost one product
      if (part == 0 && y[0] == 0) continue;
      y[0] -= part * v[0];
      size[i] = take_away(part, v + 1, y + 1, n - 1);
    }
  }
}
