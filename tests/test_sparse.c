// test_sparse.c: sparse LU against LAPACK on random saddle-point matrices.
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "test.h"

#ifndef HN_MINIMAL
#include <SuiteSparse_config.h>
#endif
#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 120, DENSE = MOST * MOST };

// what SuiteSparse allocates is counted where it lets others allocate for it
static long allocations;
#if defined SUITESPARSE_MAIN_VERSION && SUITESPARSE_MAIN_VERSION < 7
static void *counting_malloc(size_t size) {
  allocations++;
  return malloc(size);
}
static void *counting_realloc(void *p, size_t size) {
  allocations++;
  return realloc(p, size);
}
static void count_allocations(void) {
  SuiteSparse_config.malloc_func = counting_malloc;
  SuiteSparse_config.realloc_func = counting_realloc;
}
#else
static void count_allocations(void) {
}
#endif

// [ K  -J^T ]   K block diagonal and unsymmetric, J two blocks per row, D mostly zero
// [ J   D   ]
typedef struct saddle {
  int n, bodies, rows;
  bool used[DENSE];
  double A[DENSE];
} saddle;

static void pattern(saddle *m, int bodies, int rows) {
  memset(m, 0, sizeof *m);
  m->bodies = bodies, m->rows = rows;
  int nv = 3 * bodies, n = m->n = nv + rows;
  for (int b = 0; b < bodies; b++)
    for (int i = 0; i < 9; i++) m->used[(3 * b + i / 3) * n + 3 * b + i % 3] = true;
  for (int r = 0; r < rows; r++) {
    int body[2] = {r % bodies, (int)test_random(0, bodies)};
    for (int k = 0; k < 6; k++) {
      int c = 3 * body[k / 3] + k % 3;
      m->used[(nv + r) * n + c] = m->used[c * n + nv + r] = true;
    }
    m->used[(nv + r) * n + nv + r] = true;
  }
}

static void numbers(saddle *m, double stiffness) {
  int n = m->n, nv = 3 * m->bodies;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = test_random(-1, 1);
      if (i < nv && j < nv) x *= stiffness;
      if (i < nv && i == j) x += 3;
      if (i >= nv && i == j) x = 0;
      m->A[i * n + j] = m->used[i * n + j] ? x : 0;
    }
}

static hn_sparse *create(const saddle *m) {
  int start[MOST + 1], row[DENSE], count = 0;
  for (int j = 0; j < m->n; j++) {
    start[j] = count;
    for (int i = 0; i < m->n; i++)
      if (m->used[i * m->n + j]) row[count++] = i;
  }
  start[m->n] = count;
  return hn_sparse_create(m->n, start, row);
}

static void fill(hn_sparse *s, const saddle *m) {
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) {
      int place = hn_sparse_place(s, i, j);
      if (place >= 0) hn_sparse_values(s)[place] = m->A[i * m->n + j];
    }
}

// largest difference to LAPACK, relative to the largest number of the solution
static double difference(const hn_sparse *s, const saddle *m) {
  double x[MOST], y[MOST], worst = 0, size = 0;
  for (int i = 0; i < m->n; i++) x[i] = y[i] = test_random(-1, 1);
  hn_sparse_solve(s, x);
  if (!hn_dense_solve(m->n, m->A, y)) return INFINITY;
  for (int i = 0; i < m->n; i++) {
    worst = fmax(worst, fabs(x[i] - y[i]));
    size = fmax(size, fabs(y[i]));
  }
  return worst / size;
}

static void test_against_lapack(void) {
  static saddle m;
  static const int bodies[] = {1, 2, 5, 12, 24}, rows[] = {2, 4, 12, 26, 40};
  for (int k = 0; k < 5; k++) {
    pattern(&m, bodies[k], rows[k]);
    hn_sparse *s = create(&m);
    CHECK(s);
    for (int repeat = 0; repeat < 40; repeat++) {
      // stiffness jumps by decades, so that old pivots turn bad now and then
      numbers(&m, pow(10, test_random(-1, 6)));
      fill(s, &m);
      CHECK(hn_sparse_factor(s));
      CHECK(hn_sparse_rcond(s) > 0 && hn_sparse_rcond(s) <= 1);
      CHECK_NEAR(difference(s, &m), 0, 1e-7);
    }
    hn_sparse_destroy(s);
  }
}

// values that change little keep their pivots and need no memory
static void test_refactor(void) {
  static saddle m;
  pattern(&m, 20, 30);
  numbers(&m, 1);
  hn_sparse *s = create(&m);
  fill(s, &m);
  CHECK(hn_sparse_factor(s));
  CHECK(hn_sparse_pivotings(s) == 1);
  long before = allocations;
  for (int repeat = 0; repeat < 50; repeat++) {
    for (int i = 0; i < m.n * m.n; i++) m.A[i] *= 1 + 1e-3 * test_random(-1, 1);
    fill(s, &m);
    CHECK(hn_sparse_factor(s));
    CHECK_NEAR(difference(s, &m), 0, 1e-9);
  }
  CHECK(hn_sparse_pivotings(s) == 1);
  CHECK(allocations == before);
  hn_sparse_destroy(s);
}

// a pivot that vanishes: others are chosen, and the answer stays exact
static void test_new_pivots(void) {
  const int start[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
  hn_sparse *s = hn_sparse_create(2, start, row);
  double *a = hn_sparse_values(s);
  a[0] = 1, a[1] = 1e-3, a[2] = 1e-3, a[3] = 1;
  CHECK(hn_sparse_factor(s));
  a[0] = 1e-18, a[1] = 1, a[2] = 1, a[3] = 1;
  CHECK(hn_sparse_factor(s));
  CHECK(hn_sparse_pivotings(s) == 2);
  double x[] = {1, 2};
  hn_sparse_solve(s, x);
  CHECK_NEAR(x[0], 1, 1e-15);
  CHECK_NEAR(x[1], 1, 1e-15);
  hn_sparse_destroy(s);
}

static void test_singular(void) {
  const int start[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
  hn_sparse *s = hn_sparse_create(2, start, row);
  double *a = hn_sparse_values(s);
  a[0] = 1, a[1] = 2, a[2] = 2, a[3] = 4;
  CHECK(!hn_sparse_factor(s));
  CHECK(hn_sparse_rcond(s) == 0);
  a[3] = NAN;
  CHECK(!hn_sparse_factor(s));
  a[3] = 5;  // and it recovers
  CHECK(hn_sparse_factor(s));
  double x[] = {1, 0};
  hn_sparse_solve(s, x);
  CHECK_NEAR(x[0], 5, 1e-14);
  CHECK_NEAR(x[1], -2, 1e-14);
  hn_sparse_destroy(s);

  // no values can make this pattern regular
  const int poor_start[] = {0, 1, 2}, poor_row[] = {0, 0};
  s = hn_sparse_create(2, poor_start, poor_row);
  CHECK(s);
  hn_sparse_values(s)[0] = hn_sparse_values(s)[1] = 1;
  CHECK(!hn_sparse_factor(s));
  hn_sparse_destroy(s);
}

// what is restored solves by the same pivots and the same factors, and goes on from them
static void test_saved(void) {
  static saddle m, next;
  for (int k = 0; k < 20; k++) {
    pattern(&m, 3 + k % 8, 2 + k % 5);
    numbers(&m, 1);
    hn_sparse *s[2] = {create(&m), create(&m)};
    double x[2][MOST];
    fill(s[0], &m);
    CHECK(hn_sparse_factor(s[0]));
    next = m;
    numbers(&next, k % 2 ? 1 : 1e3);  // same pattern: pivots stay, or are chosen anew
    fill(s[0], &next);
    if (k % 3) CHECK(hn_sparse_factor(s[0]));  // else values that are not factorised yet
    size_t size = hn_sparse_save(s[0], NULL);
    unsigned char *bytes = malloc(size);
    CHECK(hn_sparse_save(s[0], bytes) == size);
    CHECK(!hn_sparse_restore(s[1], bytes, size - 1));
    CHECK(hn_sparse_restore(s[1], bytes, size));
    for (int again = 0; again < 2; again++) {
      for (int i = 0; i < m.n; i++) x[0][i] = x[1][i] = test_random(-1, 1);
      for (int i = 0; i < 2; i++) hn_sparse_solve(s[i], x[i]);
      CHECK(memcmp(x[0], x[1], (size_t)m.n * sizeof(double)) == 0);
      CHECK(hn_sparse_rcond(s[0]) == hn_sparse_rcond(s[1]));
      CHECK(hn_sparse_pivotings(s[0]) == hn_sparse_pivotings(s[1]));
      for (int i = 0; i < 2; i++) CHECK(hn_sparse_factor(s[i]));
    }
    free(bytes);
    hn_sparse_destroy(s[0]), hn_sparse_destroy(s[1]);
  }
}

static void test_places(void) {
  const int start[] = {0, 2, 3, 3}, row[] = {0, 2, 1};
  hn_sparse *s = hn_sparse_create(3, start, row);
  CHECK(hn_sparse_place(s, 0, 0) == 0);
  CHECK(hn_sparse_place(s, 1, 0) == -1);
  CHECK(hn_sparse_place(s, 2, 0) == 1);
  CHECK(hn_sparse_place(s, 1, 1) == 2);
  CHECK(hn_sparse_place(s, 2, 1) == -1);
  CHECK(hn_sparse_place(s, 0, 2) == -1);
  hn_sparse_destroy(s);
  const int nothing[] = {0};
  s = hn_sparse_create(0, nothing, NULL);
  CHECK(s && hn_sparse_factor(s));
  hn_sparse_destroy(s);
  hn_sparse_destroy(NULL);
}

int main(void) {
  count_allocations();
  RUN(test_against_lapack);
  RUN(test_refactor);
  RUN(test_new_pivots);
  RUN(test_singular);
  RUN(test_saved);
  RUN(test_places);
  return test_end();
}
