// test_saddle.c: the block factorisation against dense elimination, on mechanisms of every kind.
#include "linalg/dense.h"
#include "linalg/saddle.h"
#include "test.h"

#include <stdbool.h>
#include <time.h>

// ---- a mechanism: graph, spanning tree and numbers ----

typedef struct mechanism {
  int nbody, ngroup, nentry, nnumber, nv, rows;
  int capacity, number_capacity;
  int *size, *parent, *parent_group;       // bodies
  int *group_size, *group_row;             // groups
  int *start, *body, *offset;              // bodies of the groups
  bool *pin;                               // the same, NULL: none
  double *J, *weight, *D, *x, *l, *r, *s;  // numbers
} mechanism;

static void *resize(void *p, int count, size_t size) {
  p = realloc(p, ((size_t)count + 1) * size);
  if (!p) exit(1);
  return p;
}

static mechanism create(void) {
  mechanism m = {0};
  m.start = resize(NULL, 1, sizeof(int));
  m.start[0] = 0;
  return m;
}

static void destroy(mechanism *m) {
  free(m->size), free(m->parent), free(m->parent_group), free(m->group_size), free(m->group_row);
  free(m->start), free(m->body), free(m->offset), free(m->J), free(m->weight), free(m->D);
  free(m->x), free(m->l), free(m->r), free(m->s), free(m->pin);
}

// room for twice as much whenever a power of two is reached
static int full(int count) {
  return (count & (count - 1)) == 0;
}

static int add_body(mechanism *m, int size) {
  if (full(m->nbody)) {
    m->size = resize(m->size, 2 * m->nbody + 1, sizeof(int));
    m->parent = resize(m->parent, 2 * m->nbody + 1, sizeof(int));
    m->parent_group = resize(m->parent_group, 2 * m->nbody + 1, sizeof(int));
  }
  m->size[m->nbody] = size;
  m->parent[m->nbody] = m->parent_group[m->nbody] = -1;
  m->nv += size;
  return m->nbody++;
}

static void list_body(mechanism *m, int body) {
  if (full(m->nentry)) {
    m->body = resize(m->body, 2 * m->nentry + 1, sizeof(int));
    m->offset = resize(m->offset, 2 * m->nentry + 1, sizeof(int));
  }
  m->offset[m->nentry] = m->nnumber;
  m->nnumber += m->group_size[m->ngroup - 1] * m->size[body];
  m->body[m->nentry++] = body;
  m->start[m->ngroup] = m->nentry;
}

// bodies of -1 are not listed
static int add_group(mechanism *m, int rows, int a, int b) {
  if (full(m->ngroup)) {
    m->group_size = resize(m->group_size, 2 * m->ngroup + 1, sizeof(int));
    m->group_row = resize(m->group_row, 2 * m->ngroup + 1, sizeof(int));
    m->start = resize(m->start, 2 * m->ngroup + 2, sizeof(int));
  }
  m->group_size[m->ngroup] = rows;
  m->group_row[m->ngroup] = m->rows;
  m->rows += rows;
  m->start[++m->ngroup] = m->nentry;
  if (a >= 0) list_body(m, a);
  if (b >= 0) list_body(m, b);
  return m->ngroup - 1;
}

// a new body on an old one (or the ground, -1)
static int hang(mechanism *m, int size, int parent, int rows) {
  int body = add_body(m, size);
  m->parent[body] = parent;
  m->parent_group[body] = add_group(m, rows, parent, body);
  return body;
}

static int pick(int n) {
  return (int)test_random(0, n);
}

static void fill(double *x, int n, double lo, double hi) {
  for (int i = 0; i < n; i++) x[i] = test_random(lo, hi);
}

// a tree: each body hangs on an earlier one or on the ground, by less rows than it has velocities
static void random_tree(mechanism *m, int n, int dof) {
  for (int b = 0; b < n; b++) {
    int parent = pick(b + 1) - 1, rows = 1 + pick(dof - 1);
    hang(m, dof, parent, rows);
  }
}

// blocks without any relation between them
static void random_numbers(mechanism *m) {
  m->J = resize(m->J, m->nnumber, sizeof(double));
  m->weight = resize(m->weight, m->nv, sizeof(double));
  m->D = resize(m->D, m->rows, sizeof(double));
  m->r = resize(m->r, m->nv, sizeof(double));
  m->s = resize(m->s, m->rows, sizeof(double));
  m->x = resize(m->x, m->nv, sizeof(double));
  m->l = resize(m->l, m->rows, sizeof(double));
  fill(m->J, m->nnumber, -1, 1);
  fill(m->weight, m->nv, 0.5, 2);
  fill(m->D, m->rows, 0.1, 1);
  fill(m->r, m->nv, -1, 1);
  fill(m->s, m->rows, -1, 1);
}

// the blocks of the last body of each group that has several become minus the sum of the others,
// seen through a random map of each body's velocities to common ones: what joints do
static void rigid_numbers(mechanism *m, int dof) {
  random_numbers(m);
  double *map = resize(NULL, m->nbody * dof * dof, sizeof(double)), row[12];
  fill(map, m->nbody * dof * dof, -1, 1);
  for (int g = 0; g < m->ngroup; g++) {
    int from = m->start[g], last = m->start[g + 1] - 1;
    for (int i = 0; i < m->group_size[g] * dof && last > from; i++) {
      double *closing = m->J + m->offset[last] + i;
      *closing = 0;
      for (int e = from; e < last; e++) *closing -= m->J[m->offset[e] + i];
    }
    for (int e = from; e <= last; e++)
      for (int i = 0; i < m->group_size[g]; i++) {
        double *J = m->J + m->offset[e] + i * dof, *X = map + m->body[e] * dof * dof;
        for (int k = 0; k < dof; k++) {
          row[k] = 0;
          for (int c = 0; c < dof; c++) row[k] += J[c] * X[c * dof + k];
        }
        memcpy(J, row, (size_t)dof * sizeof *J);
      }
  }
  free(map);
}

static hn_saddle_plan *plan_of(const mechanism *m, int with_tree) {
  hn_saddle_graph graph = {.nbody = m->nbody,
                           .body_size = m->size,
                           .ngroup = m->ngroup,
                           .group_size = m->group_size,
                           .group_start = m->start,
                           .group_body = m->body,
                           .block_offset = m->offset,
                           .pin = m->pin,
                           .parent = with_tree ? m->parent : NULL,
                           .parent_group = with_tree ? m->parent_group : NULL};
  return hn_saddle_plan_create(&graph);
}

// ---- solutions and how good they are ----

// places of the bodies' velocities
static void velocity_places(const mechanism *m, int *at) {
  for (int b = 0, v = 0; b < m->nbody; v += m->size[b++]) at[b] = v;
}

// [W -J^T; J D] times (x, l), and the same with absolute values
static void multiply(const mechanism *m, const double *D, double *top, double *bottom,
                     double *top_size, double *bottom_size) {
  int *at = resize(NULL, m->nbody, sizeof(int));
  velocity_places(m, at);
  for (int i = 0; i < m->nv; i++) {
    top[i] = m->weight[i] * m->x[i];
    top_size[i] = fabs(top[i]) + fabs(m->r[i]);
  }
  for (int i = 0; i < m->rows; i++) {
    bottom[i] = D ? D[i] * m->l[i] : 0;
    bottom_size[i] = fabs(bottom[i]) + fabs(m->s[i]);
  }
  for (int g = 0; g < m->ngroup; g++)
    for (int e = m->start[g]; e < m->start[g + 1]; e++) {
      int n = m->size[m->body[e]], v = at[m->body[e]];
      for (int i = 0; i < m->group_size[g] * n; i++) {
        int row = m->group_row[g] + i / n, col = v + i % n;
        double J = m->J[m->offset[e] + i];
        top[col] -= J * m->l[row];
        top_size[col] += fabs(J * m->l[row]);
        bottom[row] += J * m->x[col];
        bottom_size[row] += fabs(J * m->x[col]);
      }
    }
  free(at);
}

// largest residual of any row relative to the largest terms in the system
static double residual(const mechanism *m, const double *D) {
  int n = m->nv + m->rows;
  double *y = resize(NULL, 2 * n, sizeof(double)), *size = y + n, worst = 0, scale = 0;
  multiply(m, D, y, y + m->nv, size, size + m->nv);
  for (int i = 0; i < n; i++) {
    double error = fabs(y[i] - (i < m->nv ? m->r[i] : m->s[i - m->nv]));
    if (!(error <= worst)) worst = error;
    if (size[i] > scale) scale = size[i];
  }
  free(y);
  return scale > 0 ? worst / scale : worst;
}

// factor and solve; the saddle's report is copied out
typedef struct report {
  double ratio;
  int weakest, dropped;
} report;

static bool same(const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

// factorising and solving at once gives the same numbers
static void check_at_once(const mechanism *m, hn_saddle *saddle, const double *D) {
  size_t nv = (size_t)m->nv, rows = (size_t)m->rows;
  double *x = resize(NULL, m->nv, sizeof(double)), *l = resize(NULL, m->rows, sizeof(double));
  double ratio = saddle->pivot_ratio;
  memcpy(x, m->r, nv * sizeof(double));
  memcpy(l, m->s, rows * sizeof(double));
  for (long i = 0; i < hn_saddle_plan_storage(saddle->plan); i++) saddle->block[i] = NAN;
  hn_saddle_factor_solve(saddle, m->weight, m->J, D, x, l);
  CHECK(same(x, m->x, m->nv) && same(l, m->l, m->rows));
  CHECK(saddle->pivot_ratio == ratio || (isnan(ratio) && isnan(saddle->pivot_ratio)));
  free(x), free(l);
}

static report solve(mechanism *m, const hn_saddle_plan *plan, const double *D) {
  hn_saddle saddle;
  hn_arena arena = {0};
  hn_saddle_layout(&saddle, &arena, plan);
  if (!hn_arena_allocate(&arena)) exit(1);
  memset(arena.base, 0xff, 1);
  hn_saddle_layout(&saddle, &arena, plan);
  // whatever lies in the storage must not matter
  for (long i = 0; i < hn_saddle_plan_storage(plan); i++) saddle.block[i] = NAN;
  hn_saddle_factor(&saddle, m->weight, m->J, D);
  memcpy(m->x, m->r, (size_t)m->nv * sizeof(double));
  memcpy(m->l, m->s, (size_t)m->rows * sizeof(double));
  hn_saddle_solve(&saddle, m->x, m->l);
  check_at_once(m, &saddle, D);
  bool *active = resize(NULL, m->rows, sizeof(bool));
  for (int i = 0; i < m->rows; i++) active[i] = true;
  report rep = {saddle.pivot_ratio, hn_saddle_weakest_row(&saddle),
                hn_saddle_dropped(&saddle, active)};
  for (int i = 0; i < m->rows; i++)
    if (!active[i]) CHECK(m->l[i] == 0 || isnan(m->l[i]));
  free(active);
  free(arena.base);
  return rep;
}

static double *dense_jacobian(const mechanism *m) {
  double *J = resize(NULL, m->nv * m->rows, sizeof(double));
  int *at = resize(NULL, m->nbody, sizeof(int));
  velocity_places(m, at);
  memset(J, 0, (size_t)m->nv * (size_t)m->rows * sizeof *J);
  for (int g = 0; g < m->ngroup; g++)
    for (int e = m->start[g]; e < m->start[g + 1]; e++) {
      int n = m->size[m->body[e]];
      for (int i = 0; i < m->group_size[g] * n; i++)
        J[(m->group_row[g] + i / n) * m->nv + at[m->body[e]] + i % n] = m->J[m->offset[e] + i];
    }
  free(at);
  return J;
}

// how far the solution is from the one of dense elimination with pivoting
static double distance_from_dense(const mechanism *m, const double *D) {
  int n = m->nv + m->rows;
  double *A = resize(NULL, n * n, sizeof(double)), *y = resize(NULL, n, sizeof(double));
  double *J = dense_jacobian(m), worst = 0, scale = 0;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  for (int i = 0; i < n; i++) {
    y[i] = i < m->nv ? m->r[i] : m->s[i - m->nv];
    A[i * n + i] = i < m->nv ? m->weight[i] : D ? D[i - m->nv] : 0;
  }
  for (int i = 0; i < m->rows; i++)
    for (int k = 0; k < m->nv; k++) {
      A[(m->nv + i) * n + k] = J[i * m->nv + k];
      A[k * n + m->nv + i] = -J[i * m->nv + k];
    }
  CHECK(hn_dense_solve(n, A, y));
  for (int i = 0; i < n; i++) {
    double error = fabs(y[i] - (i < m->nv ? m->x[i] : m->l[i - m->nv]));
    if (!(error <= worst)) worst = error;
    scale = fmax(scale, fabs(y[i]));
  }
  free(A), free(y), free(J);
  return scale > 0 ? worst / scale : worst;
}

// smallest singular value of the first rows of J over the largest
static double conditioning(const mechanism *m, int rows) {
  if (rows == 0) return 1;
  if (rows > m->nv) return 0;
  double *J = dense_jacobian(m), *s = resize(NULL, rows, sizeof(double));
  CHECK(hn_dense_svd(rows, m->nv, J, s, NULL, NULL));
  double value = s[rows - 1] / s[0];
  free(J), free(s);
  return value;
}

// with D = 0 (the rows must be independent and not nearly dependent) and with D > 0
static void check_against_dense(mechanism *m, int with_tree) {
  hn_saddle_plan *plan = plan_of(m, with_tree);
  if (!CHECK(plan != NULL)) return;
  CHECK(hn_saddle_plan_nv(plan) == m->nv && hn_saddle_plan_rows(plan) == m->rows);
  double cond = conditioning(m, m->rows);
  if (cond > 1e-3) {
    report rep = solve(m, plan, NULL);
    CHECK(rep.ratio > 1e-3 * cond * cond && rep.ratio < 1.0001);
    CHECK((m->rows == 0) == (rep.weakest < 0) && rep.weakest < m->rows);
    CHECK(rep.dropped == 0);
    CHECK_NEAR(residual(m, NULL), 0, 1e-11);
    CHECK_NEAR(distance_from_dense(m, NULL), 0, 1e-13 / (cond * cond));
  }
  report rep = solve(m, plan, m->D);
  CHECK(rep.dropped == 0 && rep.ratio > 1e-3);
  CHECK_NEAR(residual(m, m->D), 0, 2e-13);
  CHECK_NEAR(distance_from_dense(m, m->D), 0, 1e-12);
  hn_saddle_plan_destroy(plan);
}

static void check_numbers(mechanism m, int rigid_dof) {
  for (int with_tree = 0; with_tree < 2; with_tree++) {
    if (rigid_dof)
      rigid_numbers(&m, rigid_dof);
    else
      random_numbers(&m);
    check_against_dense(&m, with_tree);
  }
  destroy(&m);
}

// ---- the tests ----

static void test_chains(void) {
  int sizes[] = {2, 3, 6};
  for (int k = 0; k < 3; k++)
    for (int rows = 1; rows <= sizes[k]; rows++)
      for (int n = 1; n < 6; n++) {
        mechanism m = create();
        for (int b = 0; b < n; b++) hang(&m, sizes[k], b - 1, rows);
        check_numbers(m, sizes[k]);
      }
}

static void test_trees_of_mixed_sizes(void) {
  int sizes[] = {1, 2, 3, 6, 4, 9, 12};
  for (int trial = 0; trial < 150; trial++) {
    mechanism m = create();
    int n = 1 + pick(12), kinds = trial < 75 ? 4 : 7;
    for (int b = 0; b < n; b++) {
      int size = sizes[pick(kinds)], parent = pick(b + 1) - 1;
      hang(&m, size, parent, 1 + pick(size));
    }
    check_numbers(m, 0);
  }
}

// loop closures whose rows keep some distance from the full count, so that most have full rank
static void test_loops(void) {
  for (int trial = 0; trial < 300; trial++) {
    mechanism m = create();
    int dof = trial % 2 ? 3 : 6, n = 2 + pick(9);
    random_tree(&m, n, dof);
    for (int loops = pick(4); loops > 0; loops--) {
      int a = pick(n), b = pick(n + 1) - 1;
      if (a != b) add_group(&m, 1 + pick(dof / 2), a, b);
    }
    check_numbers(m, dof);
  }
}

// one closed loop with as many rows as it can have, from the four-bar linkage upwards
static void test_single_loops(void) {
  for (int n = 2; n < 9; n++)
    for (int grounded = 0; grounded < 2; grounded++) {
      mechanism m = create();
      for (int b = 0; b < n; b++) hang(&m, 3, b - 1, b || grounded ? 2 : 0);
      add_group(&m, 2, n - 1, grounded ? -1 : 0);
      check_numbers(m, 3);
      m = create();
      for (int b = 0; b < n; b++) hang(&m, 6, b - 1, b || grounded ? 5 : 0);
      add_group(&m, n < 5 ? n + 1 : 5, n - 1, grounded ? -1 : 0);
      check_numbers(m, 6);
    }
}

// two rails and rungs; every rung closes a loop
static mechanism ladder(int rungs, int dof, int rows, int loop_rows) {
  mechanism m = create();
  int left = -1, right = -1;
  for (int i = 0; i < rungs; i++) {
    left = hang(&m, dof, left, rows);
    right = hang(&m, dof, right, rows);
    int rung = hang(&m, dof, left, rows);
    add_group(&m, loop_rows, rung, right);
  }
  return m;
}

// planar bodies held by pins, some also by other rows: the code for pins against the general one
static void test_pins(void) {
  for (int trial = 0; trial < 60; trial++) {
    mechanism m = create();
    int n = 1 + pick(8), others = trial % 3 == 0 ? 2 : 0;
    for (int b = 0; b < n; b++) hang(&m, 3, trial % 2 ? b - 1 : pick(b + 1) - 1, 2);
    int pins = m.nentry;
    if (n > 2) add_group(&m, 2, n - 1, -1), pins = m.nentry;
    for (int k = 0; k < others; k++) add_group(&m, 1, pick(n), -1);
    random_numbers(&m);
    for (int g = 0; g < m.ngroup; g++)
      for (int e = m.start[g]; e < m.start[g + 1] && e < pins; e++) {
        double *J = m.J + m.offset[e], sign = e == m.start[g] ? -1 : 1;
        J[0] = J[4] = sign, J[1] = J[3] = 0;
      }
    const double *D = trial % 4 ? NULL : m.D;
    double *x = resize(NULL, m.nv, sizeof(double)), *l = resize(NULL, m.rows, sizeof(double));
    hn_saddle_plan *plain = plan_of(&m, 1);
    report general = solve(&m, plain, D);
    memcpy(x, m.x, (size_t)m.nv * sizeof(double));
    memcpy(l, m.l, (size_t)m.rows * sizeof(double));
    m.pin = calloc((size_t)m.nentry + 1, sizeof(bool));
    for (int e = 0; e < pins; e++) m.pin[e] = true;
    hn_saddle_plan *special = plan_of(&m, 1);
    report pinned = solve(&m, special, D);
    if (general.ratio > 1e-6) {
      CHECK_NEAR(residual(&m, D), 0, 1e-11 / general.ratio);
      CHECK_NEAR(pinned.ratio, general.ratio, 1e-9);
      for (int i = 0; i < m.nv; i++) CHECK_NEAR(m.x[i], x[i], 1e-10 / general.ratio);
      for (int i = 0; i < m.rows; i++) CHECK_NEAR(m.l[i], l[i], 1e-10 / general.ratio);
    }
    hn_saddle_plan_destroy(plain), hn_saddle_plan_destroy(special);
    free(x), free(l);
    destroy(&m);
  }
}

static void test_ladders(void) {
  for (int rungs = 1; rungs < 6; rungs++) {
    check_numbers(ladder(rungs, 3, 2, 2), 3);
    check_numbers(ladder(rungs, 6, 5, 3), 6);
    check_numbers(ladder(rungs, 6, 3, 5), 6);
  }
}

static mechanism star(int n, int dof, int rows, int floating) {
  mechanism m = create();
  int hub = hang(&m, dof, -1, floating ? 0 : rows);
  for (int i = 0; i < n; i++) hang(&m, dof, hub, rows);
  return m;
}

static void test_stars(void) {
  for (int n = 1; n < 30; n += 7) {
    check_numbers(star(n, 3, 2, 0), 3);
    check_numbers(star(n, 6, 5, 1), 6);
  }
}

// two plates with legs between them
static void test_two_hubs(void) {
  for (int legs = 1; legs < 12; legs++) {
    mechanism m = create();
    int low = hang(&m, 6, -1, 5), high = hang(&m, 6, low, legs < 6 ? 0 : 1);
    for (int b = 0; b < legs; b++) add_group(&m, 1 + b % 2, hang(&m, 6, low, 3), high);
    check_numbers(m, 6);
  }
}

// groups of three and four bodies, groups that list the ground as a body without velocities
static void test_groups_of_many_bodies(void) {
  for (int trial = 0; trial < 150; trial++) {
    mechanism m = create();
    int dof = trial % 2 ? 3 : 6, n = 4 + pick(6);
    random_tree(&m, n, dof);
    for (int k = 0; k < 2; k++) {
      int first = pick(n - 3);
      add_group(&m, 1 + pick(2), first, first + 1);
      list_body(&m, first + 2);
      if (k) list_body(&m, first + 3);
    }
    check_numbers(m, dof);
  }
}

static void test_rows_that_act_on_the_ground(void) {
  for (int trial = 0; trial < 150; trial++) {
    mechanism m = create();
    int sizes[] = {2, 3, 6}, ground = add_body(&m, 0), n = 3 + pick(8);
    for (int b = 1; b <= n; b++) {
      int size = sizes[pick(3)], parent = pick(b);
      int body = hang(&m, size, parent, 1 + pick(size - 1));
      if (parent == 0 && pick(2)) m.parent[body] = -1;
    }
    // rows without any symmetry are safe when the ground is listed
    for (int k = 0; k < 3; k++) {
      int a = 1 + pick(n - 1);
      add_group(&m, 1, a, a + 1);
      list_body(&m, ground);
    }
    check_numbers(m, 0);
  }
}

static void test_dependent_rows(void) {
  for (int trial = 0; trial < 200; trial++) {
    mechanism m = create();
    int dof = trial % 2 ? 3 : 6, n = 2 + pick(8);
    random_tree(&m, n, dof);
    int twin = pick(n), rows = m.group_size[twin];
    add_group(&m, rows, m.parent[twin], twin);
    rigid_numbers(&m, dof);
    for (int e = m.start[twin], f = m.start[n]; e < m.start[twin + 1]; e++, f++)
      memcpy(m.J + m.offset[f], m.J + m.offset[e], (size_t)(rows * dof) * sizeof(double));
    // a right-hand side that can be met
    double *J = dense_jacobian(&m);
    for (int i = 0; i < m.rows; i++) {
      m.s[i] = 0;
      for (int k = 0; k < m.nv; k++) m.s[i] += J[i * m.nv + k] * sin(k + 1.0);
    }
    free(J);
    hn_saddle_plan *plan = plan_of(&m, trial % 3 > 0);
    report rep = solve(&m, plan, NULL);
    if (conditioning(&m, m.rows - rows) > 1e-3) {
      CHECK(rep.ratio < 1e-12 && rep.dropped == rows);
      CHECK(rep.weakest >= 0);
      CHECK_NEAR(residual(&m, NULL), 0, 1e-11);
    }
    rep = solve(&m, plan, m.D);
    CHECK(rep.dropped == 0);
    CHECK_NEAR(residual(&m, m.D), 0, 1e-13);
    CHECK_NEAR(distance_from_dense(&m, m.D), 0, 1e-12);
    hn_saddle_plan_destroy(plan);
    destroy(&m);
  }
}

// a polygon of spatial bodies whose hinges are parallel moves in a plane: three of the rows that
// close it repeat what the others say, whatever its size
static void test_parallel_hinges(void) {
  for (int n = 3; n < 60; n = 2 * n + 1) {
    mechanism m = create();
    for (int b = 0; b < n; b++) hang(&m, 6, b - 1, 5);
    add_group(&m, 5, n - 1, -1);
    random_numbers(&m);
    for (int g = 0; g <= n; g++)
      for (int e = m.start[g]; e < m.start[g + 1]; e++) {
        // from the middle of body b, between hinges b and b + 1, to hinge g
        int b = m.body[e];
        double turn = 2 * 3.14159265358979 / (n + 1), sign = b == g ? -1 : 1, r[3];
        r[0] = 1.5 * (cos(turn * g) - cos(turn * (2 * b + 1 - g)));
        r[1] = sin(turn * g) - sin(turn * (2 * b + 1 - g));
        r[2] = 0.3 * (cos(3.0 * g) - cos(3.0 * (2 * b + 1 - g)));
        double rows[30] = {1,    0,     0, 0, r[2], -r[1], 0, 1, 0, -r[2], 0, r[0], 0, 0, 1,
                           r[1], -r[0], 0, 0, 0,    0,     1, 0, 0, 0,     0, 0,    0, 1, 0};
        for (int i = 0; i < 30; i++) m.J[m.offset[e] + i] = sign * rows[i];
      }
    memset(m.s, 0, (size_t)m.rows * sizeof *m.s);
    for (int with_tree = 0; with_tree < 2; with_tree++) {
      hn_saddle_plan *plan = plan_of(&m, with_tree);
      report rep = solve(&m, plan, NULL);
      CHECK(rep.dropped == 3 && rep.ratio < 1e-13);
      CHECK_NEAR(residual(&m, NULL), 0, 1e-13);
      hn_saddle_plan_destroy(plan);
    }
    destroy(&m);
  }
}

// a row turned by a small angle out of the span of the others: its pivot is sin^2 of that angle
static void test_pivot_ratio(void) {
  for (double angle = 1e-1; angle > 1e-6; angle /= 10) {
    mechanism m = create();
    hang(&m, 3, -1, 2);
    random_numbers(&m);
    for (int i = 0; i < 3; i++) m.weight[i] = 1;
    double J[6] = {1, 0, 0, 3 * cos(angle), 3 * sin(angle), 0};
    memcpy(m.J, J, sizeof J);
    hn_saddle_plan *plan = plan_of(&m, 1);
    report rep = solve(&m, plan, NULL);
    CHECK_REL(rep.ratio, sin(angle) * sin(angle), 0, 1e-15 / (angle * angle));
    CHECK(rep.weakest == 1);
    hn_saddle_plan_destroy(plan);
    destroy(&m);
  }
}

static void test_degenerate_graphs(void) {
  // nothing at all, free bodies, rows without bodies
  for (int bodies = 0; bodies < 3; bodies++)
    for (int groups = 0; groups < 3; groups++) {
      mechanism m = create();
      for (int i = 0; i < bodies; i++) add_body(&m, i ? 3 : 0);
      for (int i = 0; i < groups; i++) add_group(&m, i + 1, i && bodies ? 0 : -1, -1);
      random_numbers(&m);
      hn_saddle_plan *plan = plan_of(&m, 1);
      report rep = solve(&m, plan, m.D);
      CHECK_NEAR(residual(&m, m.D), 0, 1e-15);
      rep = solve(&m, plan, NULL);
      CHECK(rep.dropped == m.rows && rep.ratio == (groups ? 0 : 1));
      hn_saddle_plan_destroy(plan);
      destroy(&m);
    }
}

// a not-a-number must come out as a useless factorisation, not as a crash or a good report
static void test_not_finite(void) {
  mechanism m = ladder(3, 6, 5, 3);
  rigid_numbers(&m, 6);
  hn_saddle_plan *plan = plan_of(&m, 1);
  m.J[17] = NAN;
  CHECK(solve(&m, plan, NULL).ratio == 0);
  hn_saddle_plan_destroy(plan);
  destroy(&m);
}

static void test_same_bits(void) {
  mechanism m = ladder(5, 6, 5, 3);
  rigid_numbers(&m, 6);
  double *x = resize(NULL, m.nv, sizeof(double));
  for (int i = 0; i < 2; i++) {
    hn_saddle_plan *plan = plan_of(&m, 1);
    solve(&m, plan, NULL);
    if (i) CHECK(memcmp(x, m.x, (size_t)m.nv * sizeof(double)) == 0);
    memcpy(x, m.x, (size_t)m.nv * sizeof(double));
    hn_saddle_plan_destroy(plan);
  }
  free(x);
  destroy(&m);
}

// masses six decades apart, heavy at the end and heavy at the root
static void test_mass_ratios(void) {
  for (int end = 0; end < 2; end++) {
    mechanism m = create();
    for (int b = 0; b < 9; b++) hang(&m, 6, (b - 1) / 2 - (b == 0), 5);
    rigid_numbers(&m, 6);
    for (int i = 0; i < m.nv; i++) m.weight[i] *= pow(10, (end ? 1 : -1) * 6.0 * (i / 6) / 8);
    hn_saddle_plan *plan = plan_of(&m, 1);
    report rep = solve(&m, plan, NULL);
    CHECK(rep.dropped == 0);
    CHECK_NEAR(residual(&m, NULL), 0, 1e-10);
    hn_saddle_plan_destroy(plan);
    destroy(&m);
  }
}

// ---- size: everything linear in the number of bodies ----

static mechanism long_chain(int n) {
  mechanism m = create();
  for (int b = 0; b < n; b++) hang(&m, 6, b - 1, 5);
  return m;
}

static mechanism binary_tree(int n) {
  mechanism m = create();
  for (int b = 0; b < n; b++) hang(&m, 6, b ? (b - 1) / 2 : -1, 5);
  return m;
}

static mechanism long_ladder(int n) {
  return ladder(n / 3, 3, 2, 2);
}

static mechanism wide_star(int n) {
  return star(n - 1, 6, 5, 0);
}

// one chain closed at its end, all links also held together in pairs
static mechanism closed_chain(int n) {
  mechanism m = create();
  for (int b = 0; b < n; b++) hang(&m, 6, b - 1, 3);
  add_group(&m, 3, n - 1, -1);
  for (int b = 0; b + 2 < n; b += 2) add_group(&m, 1, b, b + 2);
  return m;
}

static void test_linear_cost(void) {
  mechanism (*kind[])(int) = {long_chain, binary_tree, long_ladder, wide_star, closed_chain};
  const char *name[] = {"chain", "binary tree", "ladder", "star", "closed chain"};
  for (int k = 0; k < 5; k++) {
    double flops[2], storage[2];
    for (int large = 0; large < 2; large++) {
      int n = large ? 100000 : 1000;
      mechanism m = kind[k](n);
      clock_t begin = clock();
      hn_saddle_plan *plan = plan_of(&m, 1);
      double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
      if (!CHECK(plan != NULL)) return;
      flops[large] = (double)hn_saddle_plan_flops(plan) / n;
      storage[large] = (double)hn_saddle_plan_storage(plan) / n;
      if (large == 0) {
        rigid_numbers(&m, m.size[0]);
        CHECK(solve(&m, plan, m.D).ratio > 0);
        CHECK_NEAR(residual(&m, m.D), 0, 1e-12);
      } else {
        printf("%-13s 100000 bodies: plan %.2f s, per body %.0f multiply-adds, %.0f numbers\n",
               name[k], seconds, flops[1], storage[1]);
      }
      hn_saddle_plan_destroy(plan);
      destroy(&m);
    }
    CHECK(flops[1] < 1.1 * flops[0] && flops[1] < 2500);
    CHECK(storage[1] < 1.1 * storage[0] && storage[1] < 500);
  }
}

// where nothing couples the rows the determinant is the product of all diagonals, also where that
// is no double
static void test_determinant(void) {
  for (int k = -2; k <= 2; k++) {
    mechanism m = create();
    add_group(&m, 40, add_body(&m, 6), -1);
    random_numbers(&m);
    double sum = 0, D = pow(10, 6 * k);
    for (int i = 0; i < m.nnumber; i++) m.J[i] = 0;
    for (int i = 0; i < m.rows; i++) m.D[i] = D, sum += log(D);
    for (int i = 0; i < m.nv; i++) sum += log(m.weight[i]);
    hn_saddle_plan *plan = plan_of(&m, 0);
    hn_saddle saddle;
    hn_arena arena = {0};
    hn_saddle_layout(&saddle, &arena, plan);
    if (CHECK(hn_arena_allocate(&arena))) {
      hn_saddle_layout(&saddle, &arena, plan);
      hn_saddle_factor(&saddle, m.weight, m.J, m.D);
      CHECK_NEAR(hn_saddle_log_determinant(&saddle), sum, 1e-12 * fabs(sum) + 1e-12);
    }
    free(arena.base);
    hn_saddle_plan_destroy(plan);
    destroy(&m);
  }
}

int main(void) {
  RUN(test_chains);
  RUN(test_trees_of_mixed_sizes);
  RUN(test_loops);
  RUN(test_single_loops);
  RUN(test_pins);
  RUN(test_ladders);
  RUN(test_stars);
  RUN(test_two_hubs);
  RUN(test_groups_of_many_bodies);
  RUN(test_rows_that_act_on_the_ground);
  RUN(test_dependent_rows);
  RUN(test_parallel_hinges);
  RUN(test_pivot_ratio);
  RUN(test_degenerate_graphs);
  RUN(test_not_finite);
  RUN(test_same_bits);
  RUN(test_mass_ratios);
  RUN(test_determinant);
  RUN(test_linear_cost);
  return test_end();
}
