// kkt_general.c: the saddle-point system with any mass matrix, by sparse LU.
//
// Unknowns and equations are scaled by S = diag(s, p), s_i = 1/sqrt(size of M_ii) and p_k such that
// the rows of J s have length one:
//   [ s M s  -s J^T p ] [ x / s ]   [ s r ]
//   [ p J s   p D p   ] [ l / p ] = [ p s ]
// so that pivots are numbers near one and a small one tells that rows depend on each other. M may
// be singular: the matrix is regular as long as the rows determine what M leaves undetermined.
//
// The gradient of a row given by a formula may vanish for an instant, as rows of joints never do.
// That is a singular configuration, too, but one that scaling hides: the row is held against its
// greatest length so far.
#include "system/kkt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double left_out = 1e12;  // scaled compliance beyond which a row takes no part
static const double slight = 1e-13;   // compliance that keeps dependent rows solvable

typedef struct general {
  hn_sparse *sparse;
  int numbers, *row, *column;  // of J: where they belong
  int *mass, *diagonal;        // places among the values: of M's entries, of the diagonal
  int *J, *JT;                 // of the numbers of J, and of the same in -J^T
  double *scale, *x, *rest;    // nv + rows
  bool *out;                   // per row: left out
  bool *formula;               // per row: its gradient may vanish
  double *longest;             // per row: the square of its greatest scaled length so far
} general;

static void layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys) {
  int n = sys->nv + sys->rows;
  general *own = HN_TAKE(arena, general, 1), g = {.numbers = sys->numbers};
  g.row = HN_TAKE(arena, int, g.numbers);
  g.column = HN_TAKE(arena, int, g.numbers);
  g.mass = HN_TAKE(arena, int, sys->mass_entries->count);
  g.diagonal = HN_TAKE(arena, int, n);
  g.J = HN_TAKE(arena, int, g.numbers);
  g.JT = HN_TAKE(arena, int, g.numbers);
  g.scale = HN_TAKE(arena, double, n);
  g.x = HN_TAKE(arena, double, n);
  g.rest = HN_TAKE(arena, double, n);
  g.out = HN_TAKE(arena, bool, sys->rows);
  g.formula = HN_TAKE(arena, bool, sys->rows);
  g.longest = HN_TAKE(arena, double, sys->rows);
  kkt->own = own;
  if (!arena->base) return;
  sys->coordinates->pattern(sys, g.row, g.column);
  *own = g;
}

// ---- pattern -------------------------------------------------------------------------------

typedef struct pattern {
  int n, *start, *row;
} pattern;

static void count_entry(pattern *p, int column) {
  p->start[column + 1]++;
}
static void add_entry(pattern *p, int row, int column) {
  p->row[p->start[column + 1]++] = row;
}

// The diagonal is there throughout, of rows as well: D, or what keeps dependent rows solvable, goes
// there.
// the diagonal, M off its diagonal, J and J^T; the first pass counts, the second fills
static void visit(pattern *p, const hn_system *sys, const general *g, bool fill) {
  const hn_mass_entries *m = sys->mass_entries;
  for (int i = 0; i < p->n; i++) fill ? add_entry(p, i, i) : count_entry(p, i);
  for (int k = 0; k < m->count; k++)
    if (m->row[k] != m->col[k])
      fill ? add_entry(p, m->row[k], m->col[k]) : count_entry(p, m->col[k]);
  for (int k = 0; k < g->numbers; k++) {
    int row = sys->nv + g->row[k], column = g->column[k];
    fill ? add_entry(p, row, column) : count_entry(p, column);
    fill ? add_entry(p, column, row) : count_entry(p, row);
  }
}

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static bool make_pattern(pattern *p, const hn_system *sys, const general *g) {
  p->n = sys->nv + sys->rows;
  // while filling, start[j + 1] runs through column j: one number more than needed
  p->start = calloc((size_t)p->n + 2, sizeof(int));
  if (!p->start) return false;
  visit(p, sys, g, false);
  for (int j = 0; j < p->n; j++) p->start[j + 1] += p->start[j];
  p->row = malloc(((size_t)p->start[p->n] + 1) * sizeof(int));
  if (!p->row) return false;
  memmove(p->start + 1, p->start, (size_t)p->n * sizeof(int));
  p->start[0] = 0;
  visit(p, sys, g, true);
  for (int j = 0; j < p->n; j++)
    qsort(p->row + p->start[j], (size_t)(p->start[j + 1] - p->start[j]), sizeof(int), ascending);
  return true;
}

// some coordinates know an order that keeps chains linear; others leave it to KLU
static hn_sparse *create_sparse(const pattern *p, const hn_system *sys) {
  if (!sys->coordinates->order) return hn_sparse_create(p->n, p->start, p->row);
  int *order = malloc(((size_t)p->n + 1) * sizeof(int));
  hn_sparse *sparse = NULL;
  if (order && sys->coordinates->order(sys, order))
    sparse = hn_sparse_create_ordered(p->n, p->start, p->row, order);
  if (sparse) hn_sparse_prefer_large(sparse, 0.1);
  free(order);
  return sparse;
}

static bool create(hn_kkt *kkt, const hn_system *sys) {
  general *g = kkt->own;
  const hn_mass_entries *m = sys->mass_entries;
  pattern p = {0};
  if (make_pattern(&p, sys, g)) g->sparse = create_sparse(&p, sys);
  free(p.start), free(p.row);
  if (!g->sparse) return false;
  for (int k = 0; k < m->count; k++) g->mass[k] = hn_sparse_place(g->sparse, m->row[k], m->col[k]);
  for (int b = 0; b < sys->blocks; b++)
    for (int i = 0; i < sys->block[b].rows; i++)
      g->formula[sys->group[sys->block[b].group].row0 + i] = true;
  for (int i = 0; i < p.n; i++) g->diagonal[i] = hn_sparse_place(g->sparse, i, i);
  for (int k = 0; k < g->numbers; k++) {
    g->J[k] = hn_sparse_place(g->sparse, sys->nv + g->row[k], g->column[k]);
    g->JT[k] = hn_sparse_place(g->sparse, g->column[k], sys->nv + g->row[k]);
  }
  return true;
}

static void release(hn_kkt *kkt) {
  general *g = kkt->own;
  if (!g) return;
  hn_sparse_destroy(g->sparse);
  g->sparse = NULL;
}

// ---- numbers -------------------------------------------------------------------------------

// returns the pivot ratio, or -1 when there is no solution.
// Rows left out become the equation l = 0, with their numbers in J set to zero, so that the pattern
// stays. If the matrix is singular a slight compliance of all rows makes dependent ones share; what
// is singular even then has motions that neither masses nor rows determine.
static double factorise(general *g, const hn_work *work, hn_weight weight, const double *D) {
  const hn_system *sys = work->sys;
  const hn_mass_entries *m = sys->mass_entries;
  int nv = sys->nv, rows = sys->rows;
  double *value = hn_sparse_values(g->sparse), *scale = g->scale;
  const double *J = work->numbers, *size = sys->coordinates->mass_sizes(sys);
  bool one = weight == HN_WEIGHT_ONE;
  for (int i = 0; i < nv; i++) {
    scale[i] = one ? 1 : 1 / sqrt(size[i]);
    value[g->diagonal[i]] = one;
  }
  for (int k = 0; k < m->count; k++)
    if (!one)
      value[g->mass[k]] = work->mass_values[k] * scale[m->row[k]] * scale[m->col[k]];
    else if (m->row[k] != m->col[k])
      value[g->mass[k]] = 0;
  memset(scale + nv, 0, (size_t)rows * sizeof(double));
  // squared lengths of the rows of J s
  for (int k = 0; k < g->numbers; k++) {
    double x = J[k] * scale[g->column[k]];
    scale[nv + g->row[k]] += x * x;
  }
  double shrunk = 1;
  for (int k = 0; k < rows; k++) {
    double *p = &scale[nv + k], square = *p;
    *p = square > 0 ? 1 / sqrt(square) : 1;
    double d = D ? *p * D[k] * *p : 0;
    g->out[k] = d > left_out;
    // (rows that come and go have no gradient while they are not there)
    if (g->formula[k] && !one && !g->out[k]) {
      g->longest[k] = fmax(g->longest[k], square);
      if (square < shrunk * g->longest[k]) shrunk = square / g->longest[k];
    }
    value[g->diagonal[nv + k]] = g->out[k] ? 1 : d;
  }
  for (int k = 0; k < g->numbers; k++) {
    double x = g->out[g->row[k]] ? 0 : J[k] * scale[g->column[k]] * scale[nv + g->row[k]];
    value[g->J[k]] = x;
    value[g->JT[k]] = -x;
  }
  if (hn_sparse_factor(g->sparse)) return shrunk * hn_sparse_rcond(g->sparse);
  for (int k = 0; k < rows; k++) value[g->diagonal[nv + k]] += slight;
  return hn_sparse_factor(g->sparse) ? 0 : -1;
}

// The pivot ratio of blocks is that of rows; here it is that of a whole matrix, which may be small
// by nature: it counts against the one at the start, where the coordinates know that.
static void factor(hn_kkt *kkt, const hn_work *work, hn_weight weight, const double *D) {
  const hn_system *sys = work->sys;
  double ratio = factorise(kkt->own, work, weight, D);
  kkt->singular = ratio < 0;
  kkt->pivot_ratio = fmax(ratio, 0);
  // pivots of the whole matrix mean something against those at the start only
  double start = sys->coordinates->firmness ? sys->coordinates->firmness(sys) : 0;
  if (start > 0) kkt->pivot_ratio = fmin(1, kkt->pivot_ratio / start);
}

static void solve(const hn_kkt *kkt, const hn_work *work, double *x, double *l) {
  const general *g = kkt->own;
  int nv = work->sys->nv, rows = work->sys->rows;
  double *b = g->x;
  const double *scale = g->scale;
  if (kkt->singular) {
    for (int i = 0; i < nv; i++) x[i] = NAN;
    for (int k = 0; k < rows; k++) l[k] = NAN;
    return;
  }
  for (int i = 0; i < nv; i++) b[i] = x[i] * scale[i];
  for (int k = 0; k < rows; k++) b[nv + k] = g->out[k] ? 0 : l[k] * scale[nv + k];
  memcpy(g->rest, b, (size_t)(nv + rows) * sizeof(double));
  hn_sparse_solve(g->sparse, b);
  if (work->sys->coordinates->order) {
    // slender bodies have small masses in some direction, and pivots in the order of the bodies
    // cost digits: one refinement brings them back
    hn_sparse_subtract(g->sparse, b, g->rest);
    hn_sparse_solve(g->sparse, g->rest);
    for (int i = 0; i < nv + rows; i++) b[i] += g->rest[i];
  }
  for (int i = 0; i < nv; i++) x[i] = b[i] * scale[i];
  for (int k = 0; k < rows; k++) l[k] = b[nv + k] * scale[nv + k];
}

static void factor_solve(hn_kkt *kkt, const hn_work *work, const double *D, double *x, double *l) {
  factor(kkt, work, HN_WEIGHT_MASS, D);
  solve(kkt, work, x, l);
}

static void outside(hn_kkt *kkt, hn_outside *o) {
  o->sparse(o, ((general *)kkt->own)->sparse);
}

const hn_kkt_ops hn_kkt_general = {
    .layout = layout,
    .create = create,
    .release = release,
    .outside = outside,
    .factor = factor,
    .solve = solve,
    .factor_solve = factor_solve,
};
