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

// columns of K that turn a spatial body, times its matrix: the change of what depends on
// q (+) d with d, by differences
static void test_turned_columns(void) {
  static const hn_cell cell[] = {HN_CELL_BODIES, HN_CELL_JT, HN_CELL_J, HN_CELL_EMPTY};
  const double h = 1e-6;
  rig r;
  if (!rig_open(&r, "models/bricard.yaml")) return;
  const hn_system *sys = r.sys;
  hn_work *w = &r.work;
  int nv = sys->nv, rows = sys->rows;
  hn_newton *a = hn_newton_create(w, "vr", cell);
  if (!CHECK(a)) return;
  double *d = numbers(nv, 0.6), *turn = numbers(9 * sys->bodies, 0), *q = numbers(sys->nq, 0);
  double *J = numbers(sys->j_size, 0), *phi = numbers(rows, 0), *force = numbers(2 * nv, 0);
  memcpy(q, r.q, (size_t)sys->nq * sizeof(double));
  hn_retract(sys, q, d);
  hn_eval_all(w, 0, q, r.v);
  hn_newton_turns(sys, d, turn);
  hn_newton_target target;
  hn_newton_clear(a);
  hn_newton_tangent(a, 0, 0, 1, 0, turn, &target);
  hn_constraint_tangent(w, r.lambda, &target.tangent);
  hn_newton_turn_rows(sys, w->J, turn, J);
  hn_newton_jacobian(a, 1, 0, J, 1, NULL);
  double worst = 0;
  for (int k = 0; k < nv; k++) {
    memset(force, 0, 2 * (size_t)nv * sizeof(double));
    for (int side = 0; side < 2; side++) {
      double old = d[k];
      d[k] += side ? h : -h;
      memcpy(q, r.q, (size_t)sys->nq * sizeof(double));
      hn_retract(sys, q, d);
      d[k] = old;
      hn_eval_jacobian(w, 0, q, r.v);
      hn_jacobian_tmul_add(w, r.lambda, 1, force + side * nv);
      if (!side) memcpy(phi, w->phi, (size_t)rows * sizeof(double));
    }
    for (int i = 0; i < nv; i++)
      worst = fmax(worst, fabs(value(a, i, k) - (force[nv + i] - force[i]) / (2 * h)));
    for (int i = 0; i < rows; i++)
      worst = fmax(worst, fabs(value(a, nv + i, k) - (w->phi[i] - phi[i]) / (2 * h)));
  }
  CHECK_NEAR(worst, 0, 1e-7);
  free(d), free(turn), free(q), free(J), free(phi), free(force);
  hn_newton_destroy(a);
  rig_close(&r);
}

int main(void) {
  RUN(test_models);
  RUN(test_turned_columns);
  return test_end();
}
