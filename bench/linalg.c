// linalg.c: time of one factorisation and of one solution of the saddle system, ours beside KLU
// (refactorisation without scaling, analysed and pivoted once) and CHOLMOD (simplicial LDL^T of
// the matrix with -1e-9 on the constraint diagonal, which it needs).
//
//   bench_linalg          prints nanoseconds, median over several batches
#include "linalg/saddle.h"

#include <cholmod.h>
#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

// ---- mechanisms ----

typedef struct mechanism {
  const char *name;
  int dof, rows;  // of every body and of every joint
  int nbody, njoint;
  int *size, *group_size, *start, *body, *offset, *parent, *parent_group;
  int nentry;  // bodies listed so far
  double *J, *weight;
} mechanism;

static unsigned long long seed = 88172645463325252ull;
static double uniform(double lo, double hi) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return lo + (hi - lo) * (double)(seed >> 11) / 9007199254740992.0;
}

static void *allocate(int count, size_t size) {
  void *p = calloc((size_t)count + 1, size);
  if (!p) exit(1);
  return p;
}

static mechanism start(const char *name, int dof, int rows, int nbody, int njoint) {
  mechanism m = {.name = name, .dof = dof, .rows = rows, .nbody = nbody};
  m.size = allocate(nbody, sizeof(int));
  m.parent = allocate(nbody, sizeof(int));
  m.parent_group = allocate(nbody, sizeof(int));
  m.group_size = allocate(njoint, sizeof(int));
  m.start = allocate(njoint + 1, sizeof(int));
  m.body = allocate(2 * njoint, sizeof(int));
  m.offset = allocate(2 * njoint, sizeof(int));
  m.J = allocate(2 * njoint * rows * dof, sizeof(double));
  m.weight = allocate(nbody * dof, sizeof(double));
  for (int b = 0; b < nbody; b++) {
    m.size[b] = dof;
    m.parent[b] = m.parent_group[b] = -1;
  }
  for (int i = 0; i < nbody * dof; i++) m.weight[i] = uniform(0.5, 2);
  return m;
}

static void finish(mechanism *m) {
  free(m->size), free(m->parent), free(m->parent_group), free(m->group_size), free(m->start);
  free(m->body), free(m->offset), free(m->J), free(m->weight);
}

// revolute joint, two rows: the point at (rx, ry) from the centre of the body
static void planar_block(double *J, double sign, double rx, double ry) {
  double rows[6] = {1, 0, -ry, 0, 1, rx};
  for (int i = 0; i < 6; i++) J[i] = sign * rows[i];
}

// revolute joint, five rows: point at r, two directions u and v across the axis
static void spatial_block(double *J, double sign, const double r[3], const double u[3],
                          const double v[3]) {
  double skew[9] = {0, r[2], -r[1], -r[2], 0, r[0], r[1], -r[0], 0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      J[6 * i + k] = sign * (i == k);
      J[6 * i + 3 + k] = sign * skew[3 * i + k];
    }
  for (int k = 0; k < 3; k++) J[18 + 3 + k] = sign * u[k], J[24 + 3 + k] = sign * v[k];
}

// a joint between bodies a (-1: ground) and b; where: two points of the joint as seen from a, b
static void joint(mechanism *m, int a, int b, const double where[4]) {
  int ends[2] = {a, b};
  double u[3], v[3], size = m->rows * m->dof;
  for (int k = 0; k < 3; k++) u[k] = uniform(-1, 1), v[k] = uniform(-1, 1);
  for (int e = 0; e < 2; e++) {
    if (ends[e] < 0) continue;
    int offset = m->nentry * (int)size;
    double sign = e ? -1 : 1;
    double r[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    if (m->dof == 3)
      planar_block(m->J + offset, sign, where[2 * e], where[2 * e + 1]);
    else
      spatial_block(m->J + offset, sign, r, u, v);
    m->offset[m->nentry] = offset;
    m->body[m->nentry++] = ends[e];
  }
  m->group_size[m->njoint] = m->rows;
  m->start[++m->njoint] = m->nentry;
}

static void hang(mechanism *m, int body, int parent) {
  m->parent[body] = parent;
  m->parent_group[body] = m->njoint - 1;
}

// links side by side on the ground, couplers between their tips: one degree of freedom
static mechanism ladder(const char *name, int loops) {
  mechanism m = start(name, 3, 2, 2 * loops + 1, 3 * loops + 1);
  double c = 0.25, s = 0.4330127018922193;  // half a link, at 60 degrees
  for (int i = 0; i <= loops; i++) {
    joint(&m, -1, 2 * i, (double[4]){0, 0, -c, -s});
    hang(&m, 2 * i, -1);
    if (i > 0) joint(&m, 2 * i - 1, 2 * i, (double[4]){0.5, 0, c, s});
    if (i < loops) {
      joint(&m, 2 * i, 2 * i + 1, (double[4]){c, s, -0.5, 0});
      hang(&m, 2 * i + 1, 2 * i);
    }
  }
  return m;
}

static mechanism chain(const char *name, int n, int closed) {
  mechanism m = start(name, 6, 5, n, n + closed);
  for (int b = 0; b < n; b++) {
    joint(&m, b - 1, b, (double[4]){0});
    hang(&m, b, b - 1);
  }
  if (closed) joint(&m, n - 1, -1, (double[4]){0});
  return m;
}

// ---- the same matrix by columns; symmetric: lower half only, as CHOLMOD wants it ----

typedef struct columns {
  int n, *p, *i;
  double *x;
} columns;

static int compare(const void *a, const void *b) {
  const double *u = a, *v = b;
  if (u[1] != v[1]) return u[1] < v[1] ? -1 : 1;
  return u[0] < v[0] ? -1 : u[0] > v[0];
}

static columns assemble(const mechanism *m, int lower_only, double diagonal) {
  int nv = m->nbody * m->dof, rows = m->njoint * m->rows, count = 0;
  double(*t)[3] = allocate(nv + rows + 2 * m->nentry * m->rows * m->dof, sizeof *t);
  for (int k = 0; k < nv; k++, count++) t[count][0] = t[count][1] = k, t[count][2] = m->weight[k];
  for (int k = nv; diagonal != 0 && k < nv + rows; k++, count++)
    t[count][0] = t[count][1] = k, t[count][2] = diagonal;
  for (int g = 0; g < m->njoint; g++)
    for (int e = m->start[g]; e < m->start[g + 1]; e++)
      for (int r = 0; r < m->rows; r++)
        for (int k = 0; k < m->dof; k++) {
          double value = m->J[m->offset[e] + r * m->dof + k];
          int row = nv + g * m->rows + r, col = m->body[e] * m->dof + k;
          if (value == 0) continue;
          t[count][0] = row, t[count][1] = col, t[count++][2] = value;
          if (lower_only) continue;
          t[count][0] = col, t[count][1] = row, t[count++][2] = value;
        }
  qsort(t, (size_t)count, sizeof *t, compare);
  columns c = {nv + rows, allocate(nv + rows, sizeof(int)), allocate(count, sizeof(int)),
               allocate(count, sizeof(double))};
  for (int k = 0; k < count; k++) {
    c.p[(int)t[k][1] + 1]++;
    c.i[k] = (int)t[k][0];
    c.x[k] = t[k][2];
  }
  for (int k = 0; k < c.n; k++) c.p[k + 1] += c.p[k];
  free(t);
  return c;
}

static void drop(columns *c) {
  free(c->p), free(c->i), free(c->x);
}

// ---- timing ----

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { BATCHES = 31 };
typedef void action(void *context);

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median_time(action *act, void *context) {
  double batch[BATCHES], begin = now();
  act(context);
  int repeat = 1 + (int)(2e6 / (now() - begin + 1));
  for (int i = 0; i < BATCHES; i++) {
    begin = now();
    for (int k = 0; k < repeat; k++) act(context);
    batch[i] = (now() - begin) / repeat;
  }
  qsort(batch, BATCHES, sizeof *batch, ascending);
  return batch[BATCHES / 2];
}

// ---- the three solvers ----

typedef struct contest {
  const mechanism *m;
  hn_saddle saddle;
  double *x, *l, *y;
  columns A;
  klu_common klu;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  cholmod_common cholmod;
  cholmod_sparse sparse;
  cholmod_factor *factor;
  cholmod_dense dense, *solution, *work_y, *work_e;
} contest;

static void ours_factor(void *p) {
  contest *c = p;
  hn_saddle_factor(&c->saddle, c->m->weight, c->m->J, NULL);
}
static void ours_solve(void *p) {
  contest *c = p;
  hn_saddle_solve(&c->saddle, c->x, c->l);
}
static void klu_again(void *p) {
  contest *c = p;
  klu_refactor(c->A.p, c->A.i, c->A.x, c->symbolic, c->numeric, &c->klu);
}
static void klu_go(void *p) {
  contest *c = p;
  klu_solve(c->symbolic, c->numeric, c->A.n, 1, c->y, &c->klu);
}
static void cholmod_again(void *p) {
  contest *c = p;
  cholmod_factorize(&c->sparse, c->factor, &c->cholmod);
}
static void cholmod_go(void *p) {
  contest *c = p;
  cholmod_solve2(CHOLMOD_A, c->factor, &c->dense, NULL, &c->solution, NULL, &c->work_y, &c->work_e,
                 &c->cholmod);
}

static void run_ours(contest *c, double time[2]) {
  const mechanism *m = c->m;
  int nv = m->nbody * m->dof, rows = m->njoint * m->rows;
  hn_saddle_graph graph = {m->nbody,  m->size, m->njoint, m->group_size,   m->start, m->body,
                           m->offset, NULL,    m->parent, m->parent_group, NULL};
  hn_saddle_plan *plan = hn_saddle_plan_create(&graph);
  hn_arena arena = {0};
  hn_saddle_layout(&c->saddle, &arena, plan);
  if (!plan || !hn_arena_allocate(&arena)) exit(1);
  hn_saddle_layout(&c->saddle, &arena, plan);
  c->x = allocate(nv, sizeof(double));
  c->l = allocate(rows, sizeof(double));
  time[0] = median_time(ours_factor, c);
  time[1] = median_time(ours_solve, c);
  free(c->x), free(c->l), free(arena.base);
  hn_saddle_plan_destroy(plan);
}

static void run_klu(contest *c, double time[2]) {
  c->A = assemble(c->m, 0, 0);
  c->y = allocate(c->A.n, sizeof(double));
  klu_defaults(&c->klu);
  c->klu.scale = -1;
  c->symbolic = klu_analyze(c->A.n, c->A.p, c->A.i, &c->klu);
  c->numeric = klu_factor(c->A.p, c->A.i, c->A.x, c->symbolic, &c->klu);
  if (!c->numeric) exit(1);
  time[0] = median_time(klu_again, c);
  time[1] = median_time(klu_go, c);
  klu_free_numeric(&c->numeric, &c->klu);
  klu_free_symbolic(&c->symbolic, &c->klu);
  free(c->y);
  drop(&c->A);
}

static void run_cholmod(contest *c, double time[2]) {
  c->A = assemble(c->m, 1, -1e-9);
  c->y = allocate(c->A.n, sizeof(double));
  cholmod_start(&c->cholmod);
  c->cholmod.supernodal = CHOLMOD_SIMPLICIAL;
  c->cholmod.final_ll = 0;
  size_t n = (size_t)c->A.n, count = (size_t)c->A.p[c->A.n];
  c->sparse = (cholmod_sparse){.nrow = n,
                               .ncol = n,
                               .nzmax = count,
                               .p = c->A.p,
                               .i = c->A.i,
                               .x = c->A.x,
                               .stype = -1,
                               .itype = CHOLMOD_INT,
                               .xtype = CHOLMOD_REAL,
                               .dtype = CHOLMOD_DOUBLE,
                               .sorted = 1,
                               .packed = 1};
  c->dense = (cholmod_dense){.nrow = n,
                             .ncol = 1,
                             .nzmax = n,
                             .d = n,
                             .x = c->y,
                             .xtype = CHOLMOD_REAL,
                             .dtype = CHOLMOD_DOUBLE};
  c->factor = cholmod_analyze(&c->sparse, &c->cholmod);
  time[0] = median_time(cholmod_again, c);
  time[1] = median_time(cholmod_go, c);
  cholmod_free_dense(&c->solution, &c->cholmod);
  cholmod_free_dense(&c->work_y, &c->cholmod);
  cholmod_free_dense(&c->work_e, &c->cholmod);
  cholmod_free_factor(&c->factor, &c->cholmod);
  cholmod_finish(&c->cholmod);
  free(c->y);
  drop(&c->A);
}

static void compete(mechanism m) {
  contest c = {.m = &m};
  double ours[2], klu[2], cholmod[2];
  run_ours(&c, ours);
  run_klu(&c, klu);
  run_cholmod(&c, cholmod);
  printf("%-22s %9.0f %9.0f   %9.0f %9.0f   %9.0f %9.0f   %6.2f %6.2f\n", m.name, ours[0], ours[1],
         klu[0], klu[1], cholmod[0], cholmod[1], (klu[0] + klu[1]) / (ours[0] + ours[1]),
         (cholmod[0] + cholmod[1]) / (ours[0] + ours[1]));
  finish(&m);
}

int main(void) {
  printf("ns per call            %19s   %19s   %19s   ours faster by\n", "holon", "KLU", "CHOLMOD");
  printf("%-22s %9s %9s   %9s %9s   %9s %9s   %6s %6s\n", "", "factor", "solve", "refactor",
         "solve", "factor", "solve", "KLU", "CHOLM.");
  compete(ladder("planar four-bar", 1));
  compete(ladder("planar ladder 40", 40));
  compete(ladder("planar ladder 1000", 1000));
  compete(chain("spatial chain 5", 5, 0));
  compete(chain("spatial chain 50", 50, 0));
  compete(chain("spatial chain 500", 500, 0));
  compete(chain("spatial chain 5000", 5000, 0));
  compete(chain("spatial loop 6", 6, 1));
  return 0;
}
