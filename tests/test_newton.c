// test_newton.c: sparse iteration matrices hold the same numbers as dense ones.
#include "system/newton.h"
#include "test.h"

#include <stdlib.h>

typedef struct rig {
  hn_model *model;
  hn_system *sys;
  hn_work work;
  hn_arena arena;
  double *q, *v, *lambda, *K, *C, *J;
} rig;

static double *numbers(int count, double size) {
  double *x = calloc((size_t)count + 1, sizeof(double));
  if (!x) exit(1);
  for (int i = 0; i < count; i++) x[i] = test_random(-size, size);
  return x;
}

static bool rig_open(rig *r, const char *path) {
  memset(r, 0, sizeof *r);
  r->model = hn_model_create();
  if (!CHECK(hn_model_load(r->model, path) == HN_OK)) return false;
  strcpy(hn_model_options(r->model)->coordinates, "reference");
  if (!CHECK(hn_compile(&r->sys, r->model) == HN_OK)) return false;
  const hn_system *sys = r->sys;
  hn_work_layout(&r->work, &r->arena, sys);
  if (!hn_arena_allocate(&r->arena)) return false;
  hn_work_layout(&r->work, &r->arena, sys);
  r->q = numbers(sys->nq, 0);
  r->v = numbers(sys->nv, 1);
  r->lambda = numbers(sys->rows, 3);
  r->K = numbers(sys->nv * sys->nv, 0);
  r->C = numbers(sys->nv * sys->nv, 0);
  r->J = numbers(sys->rows * sys->nv, 0);
  memcpy(r->q, sys->q0, (size_t)sys->nq * sizeof(double));
  hn_eval_all(&r->work, 0, r->q, r->v);
  return true;
}

static void rig_close(rig *r) {
  free(r->q), free(r->v), free(r->lambda), free(r->K), free(r->C), free(r->J);
  free(r->arena.base);
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

// a state off the one the pattern was planned at
static void move(rig *r) {
  double *d = numbers(r->sys->nv, 0.2);
  hn_retract(r->sys, r->q, d);
  free(d);
  hn_eval_all(&r->work, 0.3, r->q, r->v);
}

static double value(hn_newton *a, int row, int column) {
  hn_sparse *s = hn_newton_matrix(a);
  int place = hn_sparse_place(s, row, column);
  return place < 0 ? 0 : hn_sparse_values(s)[place];
}

// 2 M + 0.5 K - 3 C, J^T with factors, J, and a diagonal
static void check_model(const char *path) {
  static const hn_cell cell[] = {HN_CELL_BODIES, HN_CELL_JT, HN_CELL_J, HN_CELL_DIAGONAL};
  rig r;
  if (!rig_open(&r, path)) return;
  const hn_system *sys = r.sys;
  int nv = sys->nv, rows = sys->rows;
  hn_newton *a = hn_newton_create(&r.work, "vr", cell);
  if (!CHECK(a)) return;
  move(&r);
  double *factor = numbers(rows, 1);
  hn_newton_target target;
  hn_newton_clear(a);
  hn_newton_tangent(a, 0, 0, 0.5, -3, NULL, &target);
  hn_constraint_tangent(&r.work, r.lambda, &target.tangent);
  hn_force_tangent(&r.work, &target.tangent);
  hn_newton_diagonal(a, 0, 0, sys->mass, 2);
  hn_newton_jacobian(a, 0, 1, r.work.J, -1, factor);
  hn_newton_jacobian(a, 1, 0, r.work.J, 4, NULL);
  hn_newton_diagonal(a, 1, 1, NULL, 7);
  hn_tangent dense = {.n = nv, .K = r.K, .C = r.C};
  hn_constraint_tangent(&r.work, r.lambda, &dense);
  hn_force_tangent(&r.work, &dense);
  hn_jacobian_dense(&r.work, r.J);
  double worst = 0, size = 0;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) {
      double x = 0.5 * r.K[i * nv + j] - 3 * r.C[i * nv + j] + (i == j ? 2 * sys->mass[i] : 0);
      worst = fmax(worst, fabs(x - value(a, i, j)));
      size = fmax(size, fabs(x));
    }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nv; j++) {
      double x = r.J[i * nv + j];
      worst = fmax(worst, fabs(-factor[i] * x - value(a, j, nv + i)));
      worst = fmax(worst, fabs(4 * x - value(a, nv + i, j)));
    }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      worst = fmax(worst, fabs((i == j ? 7 : 0) - value(a, nv + i, nv + j)));
  if (!CHECK(worst <= 1e-13 * fmax(1, size))) printf("  %s: %g of %g\n", path, worst, size);
  free(factor);
  hn_newton_destroy(a);
  rig_close(&r);
}

static void test_models(void) {
  static const char *const name[] = {"four_bar",         "andrews",          "bricard",
                                     "flyball_governor", "heavy_top",        "rolling_disk",
                                     "ship_mount",       "iltis_suspension", "n_four_bar_2",
                                     "parallelogram",    "knife_edge"};
  char path[64];
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    snprintf(path, sizeof path, "models/%s.yaml", name[i]);
    check_model(path);
  }
}

// columns of C that turn a spatial body, times a matrix of that body
static void test_turned_columns(void) {
  static const hn_cell cell[] = {HN_CELL_BODIES};
  rig r;
  if (!rig_open(&r, "models/torque_free.yaml")) return;
  int nv = r.sys->nv;
  hn_newton *a = hn_newton_create(&r.work, "v", cell);
  if (!CHECK(a)) return;
  double *turn = numbers(9 * r.sys->bodies, 1);
  hn_newton_target target;
  hn_newton_clear(a);
  hn_newton_tangent(a, 0, 0, 0, 1, turn, &target);
  hn_force_tangent(&r.work, &target.tangent);
  hn_force_tangent(&r.work, &(hn_tangent){.n = nv, .K = r.K, .C = r.C});
  const int v0 = r.sys->body[1].v0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double x = 0;
      for (int k = 0; k < 3; k++) x += r.C[(v0 + 3 + i) * nv + v0 + 3 + k] * turn[9 + 3 * k + j];
      CHECK_NEAR(value(a, v0 + 3 + i, v0 + 3 + j), x, 1e-14);
    }
  free(turn);
  hn_newton_destroy(a);
  rig_close(&r);
}

int main(void) {
  RUN(test_models);
  RUN(test_turned_columns);
  return test_end();
}
