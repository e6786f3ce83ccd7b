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

#include "system/coordinates/natural.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double left_out = 1e12;  // scaled compliance beyond which a row takes no part
static const double slight = 1e-13;   // compliance that keeps dependent rows solvable

void hn_kkt_general_layout(hn_kkt_general *g, hn_arena *arena, const hn_system *sys) {
  int n = sys->nv + sys->rows;
  g->mass = HN_TAKE(arena, int, sys->mass_entries->count);
  g->diagonal = HN_TAKE(arena, int, n);
  int numbers = sys->natural ? sys->natural->start[sys->rows] : sys->j_size;
  g->J = HN_TAKE(arena, int, numbers);
  g->JT = HN_TAKE(arena, int, numbers);
  g->scale = HN_TAKE(arena, double, n);
  g->x = HN_TAKE(arena, double, n);
  g->rest = HN_TAKE(arena, double, n);
  g->out = HN_TAKE(arena, bool, sys->rows);
  g->longest = HN_TAKE(arena, double, sys->rows);
}

// ---- pattern -------------------------------------------------------------------------------

typedef struct pattern {
  int n, *start, *row;
} pattern;

// calls `use` for every number of J with its row, column and place in J
typedef void (*number_fn)(void *user, int row, int column, int at);
static void each_number(const hn_system *sys, number_fn use, void *user) {
  const hn_natural *n = sys->natural;
  for (int i = 0; n && i < sys->rows; i++)
    for (int k = n->start[i]; k < n->start[i + 1]; k++) use(user, i, n->column[k], k);
  if (n) return;
  for (int i = 0; i < sys->groups; i++) {
    const hn_group *group = &sys->group[i];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      for (int r = 0; r < group->rows; r++)
        for (int c = 0; c < b->nv; c++)
          use(user, group->row0 + r, b->v0 + c, sys->block_offset[k] + r * b->nv + c);
    }
  }
}

static void count_entry(pattern *p, int column) {
  p->start[column + 1]++;
}
static void add_entry(pattern *p, int row, int column) {
  p->row[p->start[column + 1]++] = row;
}

typedef struct pattern_job {
  pattern *p;
  int nv;
  bool fill;
} pattern_job;

static void number_entry(void *user, int row, int column, int at) {
  const pattern_job *job = user;
  (void)at;
  if (job->fill) {
    add_entry(job->p, job->nv + row, column);
    add_entry(job->p, column, job->nv + row);
  } else {
    count_entry(job->p, column);
    count_entry(job->p, job->nv + row);
  }
}

// the diagonal, M off its diagonal, J and J^T; the first pass counts, the second fills
static void visit(pattern *p, const hn_system *sys, bool fill) {
  const hn_mass_entries *m = sys->mass_entries;
  pattern_job job = {p, sys->nv, fill};
  for (int i = 0; i < p->n; i++) fill ? add_entry(p, i, i) : count_entry(p, i);
  for (int k = 0; k < m->count; k++)
    if (m->row[k] != m->col[k])
      fill ? add_entry(p, m->row[k], m->col[k]) : count_entry(p, m->col[k]);
  each_number(sys, number_entry, &job);
}

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static bool make_pattern(pattern *p, const hn_system *sys) {
  p->n = sys->nv + sys->rows;
  // while filling, start[j + 1] runs through column j: one number more than needed
  p->start = calloc((size_t)p->n + 2, sizeof(int));
  if (!p->start) return false;
  visit(p, sys, false);
  for (int j = 0; j < p->n; j++) p->start[j + 1] += p->start[j];
  p->row = malloc(((size_t)p->start[p->n] + 1) * sizeof(int));
  if (!p->row) return false;
  memmove(p->start + 1, p->start, (size_t)p->n * sizeof(int));
  p->start[0] = 0;
  visit(p, sys, true);
  for (int j = 0; j < p->n; j++)
    qsort(p->row + p->start[j], (size_t)(p->start[j + 1] - p->start[j]), sizeof(int), ascending);
  return true;
}

typedef struct place_job {
  hn_kkt_general *g;
  int nv;
} place_job;

static void number_places(void *user, int row, int column, int at) {
  const place_job *job = user;
  job->g->J[at] = hn_sparse_place(job->g->sparse, job->nv + row, column);
  job->g->JT[at] = hn_sparse_place(job->g->sparse, column, job->nv + row);
}

// natural coordinates know an order that keeps chains linear; others leave it to KLU
static hn_sparse *create_sparse(const pattern *p, const hn_system *sys) {
  if (!sys->natural) return hn_sparse_create(p->n, p->start, p->row);
  int *order = malloc(((size_t)p->n + 1) * sizeof(int));
  hn_sparse *sparse = NULL;
  if (order && hn_natural_order(sys, order))
    sparse = hn_sparse_create_ordered(p->n, p->start, p->row, order);
  if (sparse) hn_sparse_prefer_large(sparse, 0.1);
  free(order);
  return sparse;
}

bool hn_kkt_general_create(hn_kkt_general *g, const hn_system *sys) {
  const hn_mass_entries *m = sys->mass_entries;
  pattern p = {0};
  if (make_pattern(&p, sys)) g->sparse = create_sparse(&p, sys);
  free(p.start), free(p.row);
  if (!g->sparse) return false;
  place_job job = {g, sys->nv};
  for (int k = 0; k < m->count; k++) g->mass[k] = hn_sparse_place(g->sparse, m->row[k], m->col[k]);
  for (int i = 0; i < p.n; i++) g->diagonal[i] = hn_sparse_place(g->sparse, i, i);
  each_number(sys, number_places, &job);
  return true;
}

// ---- numbers -------------------------------------------------------------------------------

typedef struct number_job {
  hn_kkt_general *g;
  const double *J;
  double *value;
  int nv;
} number_job;

// squared lengths of the rows of J s
static void add_square(void *user, int row, int column, int at) {
  const number_job *job = user;
  double x = job->J[at] * job->g->scale[column];
  job->g->scale[job->nv + row] += x * x;
}

static void put_number(void *user, int row, int column, int at) {
  const number_job *job = user;
  const hn_kkt_general *g = job->g;
  double x = g->out[row] ? 0 : job->J[at] * g->scale[column] * g->scale[job->nv + row];
  job->value[g->J[at]] = x;
  job->value[g->JT[at]] = -x;
}

double hn_kkt_general_factor(hn_kkt_general *g, const hn_work *work, hn_weight weight,
                             const double *D) {
  const hn_system *sys = work->sys;
  const hn_mass_entries *m = sys->mass_entries;
  int nv = sys->nv, rows = sys->rows;
  double *value = hn_sparse_values(g->sparse), *scale = g->scale;
  number_job job = {g, sys->natural ? work->natural.J : work->J, value, nv};
  const double *size = sys->natural ? sys->natural->size : sys->mass;
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
  each_number(sys, add_square, &job);
  double shrunk = 1;
  for (int k = 0; k < rows; k++) {
    double *p = &scale[nv + k];
    if (sys->blocks && !one) {
      g->longest[k] = fmax(g->longest[k], *p);
      if (*p < shrunk * g->longest[k]) shrunk = *p / g->longest[k];
    }
    *p = *p > 0 ? 1 / sqrt(*p) : 1;
    double d = D ? *p * D[k] * *p : 0;
    g->out[k] = d > left_out;
    value[g->diagonal[nv + k]] = g->out[k] ? 1 : d;
  }
  each_number(sys, put_number, &job);
  if (hn_sparse_factor(g->sparse)) return shrunk * hn_sparse_rcond(g->sparse);
  for (int k = 0; k < rows; k++) value[g->diagonal[nv + k]] += slight;
  return hn_sparse_factor(g->sparse) ? 0 : -1;
}

void hn_kkt_general_solve(const hn_kkt_general *g, const hn_system *sys, double *x, double *l) {
  int nv = sys->nv, rows = sys->rows;
  double *b = g->x;
  const double *scale = g->scale;
  for (int i = 0; i < nv; i++) b[i] = x[i] * scale[i];
  for (int k = 0; k < rows; k++) b[nv + k] = g->out[k] ? 0 : l[k] * scale[nv + k];
  memcpy(g->rest, b, (size_t)(nv + rows) * sizeof(double));
  hn_sparse_solve(g->sparse, b);
  if (sys->natural) {
    // slender bodies have small masses in some direction, and pivots in the order of the bodies
    // cost digits: one refinement brings them back
    hn_sparse_subtract(g->sparse, b, g->rest);
    hn_sparse_solve(g->sparse, g->rest);
    for (int i = 0; i < nv + rows; i++) b[i] += g->rest[i];
  }
  for (int i = 0; i < nv; i++) x[i] = b[i] * scale[i];
  for (int k = 0; k < rows; k++) l[k] = b[nv + k] * scale[nv + k];
}
