// test_mass.c: general mass matrices: products, energy, and the sparse saddle-point system.
#include "solver_rig.h"

// everything at one state
typedef struct bench {
  hn_work work;
  hn_kkt kkt;
  hn_arena arena;
} bench;

static void bench_layout(bench *b, hn_arena *arena, const hn_system *sys) {
  hn_work_layout(&b->work, arena, sys);
  hn_kkt_layout(&b->kkt, arena, sys);
}

static void bench_open(bench *b, const hn_system *sys, const double *q, const double *v) {
  *b = (bench){0};
  bench_layout(b, &b->arena, sys);
  CHECK(hn_arena_allocate(&b->arena));
  bench_layout(b, &b->arena, sys);
  CHECK(hn_kkt_create(&b->kkt, sys));
  hn_eval_jacobian(&b->work, 0, q, v);
}

static void bench_close(bench *b) {
  hn_kkt_release(&b->kkt);
  free(b->arena.base);
}

static void fill_random(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = test_random(-1, 1);
}

// residual of both equations, relative to what they add up
static double residual(const bench *b, hn_weight weight, const double *D, const double *x,
                       const double *l, const double *r, const double *s) {
  const hn_system *sys = b->work.sys;
  double *y = rig_numbers(sys->nv), *z = rig_numbers(sys->rows), worst = 0, size = 1;
  if (weight == HN_WEIGHT_MASS)
    hn_mass_mul(&b->work, x, y);
  else
    memcpy(y, x, (size_t)sys->nv * sizeof *y);
  for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(y[i]));
  hn_jacobian_tmul_add(&b->work, l, -1, y);
  for (int i = 0; i < sys->nv; i++) worst = fmax(worst, fabs(y[i] - r[i]) / size);
  hn_jacobian_mul(&b->work, x, z);
  for (int i = 0; i < sys->rows; i++)
    worst = fmax(worst, fabs(z[i] + (D ? D[i] * l[i] : 0) - s[i]) / size);
  free(y), free(z);
  return worst;
}

static void try_solve(bench *b, hn_weight weight, const double *D) {
  const hn_system *sys = b->work.sys;
  double *r = rig_numbers(sys->nv), *s = rig_numbers(sys->rows);
  double *x = rig_numbers(sys->nv), *l = rig_numbers(sys->rows);
  fill_random(r, sys->nv);
  fill_random(s, sys->rows);
  memcpy(x, r, (size_t)sys->nv * sizeof *r);
  memcpy(l, s, (size_t)sys->rows * sizeof *s);
  hn_kkt_factor(&b->kkt, &b->work, weight, D);
  CHECK(!b->kkt.singular);
  hn_kkt_solve(&b->kkt, &b->work, x, l);
  CHECK(residual(b, weight, D, x, l, r, s) < 1e-9);
  free(r), free(s), free(x), free(l);
}

// the same equations through the general back end as through the usual one
static void test_diagonal(void) {
  for (int c = 0; c < RIG_CASES; c++) {
    rig r;
    if (!rig_load(&r, &rig_cases[c], "reference")) continue;
    double *q = rig_numbers(r.sys->nq), *v = rig_numbers(r.sys->nv);
    double *a = rig_numbers(r.sys->nv), size = 1;
    if (rig_state(&r, 0.1, q, v)) {
      hn_sim *sim = rig_start(&r, "lagrange", "mass", "rk4", 1e-3);
      CHECK(hn_set_state(sim, 0.1, q, v) == HN_OK);
      memcpy(a, hn_accelerations(sim), (size_t)r.sys->nv * sizeof *a);
      double kinetic = sim->audit.energy.kinetic;
      hn_sim_destroy(sim);
      rig_list_mass(r.sys);
      sim = rig_start(&r, "lagrange", "mass", "rk4", 1e-3);
      CHECK(hn_set_state(sim, 0.1, q, v) == HN_OK);
      if (!CHECK(rig_difference(hn_accelerations(sim), a, r.sys->nv, &size) < 1e-9 * size))
        printf("  %s\n", rig_cases[c].name);
      CHECK_REL(sim->audit.energy.kinetic, kinetic, 1, 1e-14);
      CHECK(hn_advance(sim, 0.15) == HN_OK);
      hn_residuals left;
      CHECK(hn_sim_residuals(sim, &left) == HN_OK && left.position < 1e-9 && left.velocity < 1e-9);
      hn_sim_destroy(sim);
    }
    free(q), free(v), free(a);
    rig_free(&r);
  }
}

// masses that couple everything with everything
static void test_full(void) {
  rig r;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  int nv = r.sys->nv;
  double *L = rig_numbers(nv * nv), *D = rig_numbers(r.sys->rows);
  fill_random(L, nv * nv);
  r.sys->mass_entries = hn_mass_entries_create(nv * nv);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) {
      hn_mass_entries *e = r.sys->mass_entries;
      e->row[i * nv + j] = i, e->col[i * nv + j] = j;
      for (int k = 0; k < nv; k++) e->value[i * nv + j] += L[i * nv + k] * L[j * nv + k];
    }
  bench b;
  bench_open(&b, r.sys, r.sys->q0, r.sys->v0);
  for (int i = 0; i < r.sys->rows; i++) D[i] = test_random(0, 0.1);
  try_solve(&b, HN_WEIGHT_MASS, NULL);
  try_solve(&b, HN_WEIGHT_ONE, NULL);
  try_solve(&b, HN_WEIGHT_MASS, D);
  // a row left out has no multiplier
  double *x = rig_numbers(nv), *l = rig_numbers(r.sys->rows);
  D[3] = 1e30;
  fill_random(x, nv);
  hn_kkt_factor(&b.kkt, &b.work, HN_WEIGHT_MASS, D);
  hn_kkt_solve(&b.kkt, &b.work, x, l);
  CHECK(l[3] == 0 && l[2] != 0);
  // M is used where products are formed, too
  double *y = rig_numbers(nv), energy = 0;
  for (int i = 0; i < nv; i++) x[i] = test_random(-1, 1);
  hn_eval_jacobian(&b.work, 0, r.sys->q0, x);
  hn_mass_mul(&b.work, x, y);
  for (int i = 0; i < nv; i++) energy += 0.5 * x[i] * y[i];
  CHECK_REL(hn_kinetic_energy(&b.work), energy, 1, 1e-13);
  bench_close(&b);
  free(L), free(D), free(x), free(y), free(l);
  rig_free(&r);
}

// rows that repeat each other show in the pivot ratio and do not stop the solution
static void test_dependent(void) {
  for (int c = 0; c < RIG_CASES; c++) {
    rig r;
    if (!rig_load(&r, &rig_cases[c], "reference")) continue;
    int redundant = r.sys->redundant;
    rig_list_mass(r.sys);
    bench b;
    bench_open(&b, r.sys, r.sys->q0, r.sys->v0);
    hn_kkt_factor(&b.kkt, &b.work, HN_WEIGHT_MASS, NULL);
    CHECK(!b.kkt.singular);
    if (!CHECK(redundant ? b.kkt.pivot_ratio < 1e-12 : b.kkt.pivot_ratio > 1e-6))
      printf("  %s: pivot ratio %g\n", rig_cases[c].name, b.kkt.pivot_ratio);
    bench_close(&b);
    rig_free(&r);
  }
}

int main(void) {
  RUN(test_diagonal);
  RUN(test_full);
  RUN(test_dependent);
  return test_end();
}
