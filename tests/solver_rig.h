// solver_rig.h: mechanisms and exact answers for the tests of solvers and corrections.
//
// The exact accelerations at a state come from LAPACK: the least-norm solution of the whole
// saddle-point system, written out. A multiplier is compared where it is unique, that is where its
// row takes no part in the null space of J^T.
#ifndef HN_TESTS_SOLVER_RIG_H
#define HN_TESTS_SOLVER_RIG_H

#include "linalg/dense.h"
#include "sim/sim.h"
#include "system/crowd.h"
#include "test.h"

#include <stdlib.h>

typedef struct rig {
  hn_model *model;
  hn_system *sys;
  hn_options options;
} rig;

// models whose name starts with a capital are texts
typedef struct rig_case {
  const char *name, *text;
} rig_case;

static const rig_case rig_cases[] = {
    {"four_bar", NULL},              // closed loop in the plane
    {"spatial_slider_crank", NULL},  // closed loop in space, small inertias
    {"five_bar_pendulum_planar", NULL},
    {"bricard", NULL},  // redundant, and only where the joints are closed
    {"parallelogram", NULL},
    {"two_rod_pendulum", NULL},
    {"knife_edge", NULL},  // nonholonomic
    {"rolling_disk", NULL},
    {"heavy_top", NULL},
    {"Loop of spatial joints in a plane",
     "gravity: [0, -9.81, 0]\n"
     "bodies:\n"
     "  crank: {mass: 1, inertia: [0.1, 0.3, 0.3], position: [0.5, 0.866, 0],"
     " orientation: {axis: [0, 0, 1], angle: pi/3}}\n"
     "  coupler: {mass: 2, inertia: [0.2, 2, 2], position: [2.8, 2.55, 0],"
     " orientation: {axis: [0, 0, 1], angle: 0.42}}\n"
     "  rocker: {mass: 2, inertia: [0.2, 1.3, 1.3], position: [3.57, 1.69, 0],"
     " orientation: {axis: [0, 0, 1], angle: 1}}\n"
     "joints:\n"
     "  A: {type: revolute, a: ground, b: crank, at: [0, 0, 0]}\n"
     "  B: {type: revolute, a: crank, b: coupler, at: [1, 1.732, 0]}\n"
     "  C: {type: revolute, a: coupler, b: rocker, at: [4.65, 3.375, 0]}\n"
     "  D: {type: revolute, a: ground, b: rocker, at: [2.5, 0, 0]}\n"},
    {"Double pendulum, driven",
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  upper: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
     "  lower: {type: planar, mass: 2, inertia: 0.3, position: [1.5, 0]}\n"
     "joints:\n"
     "  A: {type: revolute, a: ground, b: upper, at: [0, 0]}\n"
     "  B: {type: revolute, a: upper, b: lower, at: [1, 0]}\n"
     "  drive: {type: driver, joint_a: A, motion: 0.3*t + 0.5*sin(2*t)}\n"},
    {"Slider with dry friction",
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  slider: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}\n"
     "  bob: {type: planar, mass: 2, inertia: 0.3, position: [0.7, -0.7]}\n"
     "joints:\n"
     "  rail: {type: prismatic, a: ground, b: slider, at: [0, 0], axis: [1, 0]}\n"
     "  pin: {type: revolute, a: slider, b: bob, at: [0, 0]}\n"
     "forces:\n"
     "  rub: {type: friction, joint: rail, coulomb: 0.2, speed: 0.01}\n"},
};
enum { RIG_CASES = sizeof rig_cases / sizeof *rig_cases };

// those, then all other example models; the name is NULL past the end
static inline rig_case rig_case_at(int index) {
  if (index < RIG_CASES) return rig_cases[index];
  index -= RIG_CASES;
  for (int i = 0; hn_example_name(i); i++) {
    bool known = false;
    for (int k = 0; k < RIG_CASES; k++) known |= strcmp(rig_cases[k].name, hn_example_name(i)) == 0;
    if (!known && index-- == 0) return (rig_case){hn_example_name(i), hn_example_text(i)};
  }
  return (rig_case){0};
}

// whole matrices of models beyond this size take too long
enum { RIG_LARGEST = 150 };

static inline void rig_free(rig *r) {
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

// false when the model cannot have these coordinates
static inline bool rig_load(rig *r, const rig_case *c, const char *coordinates) {
  char path[128];
  *r = (rig){.model = hn_model_create()};
  snprintf(path, sizeof path, "models/%.100s.yaml", c->name);
  hn_status status = c->text ? hn_model_parse(r->model, c->text, strlen(c->text), c->name)
                             : hn_model_load(r->model, path);
  hn_options *o = hn_model_options(r->model);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  if (!status) status = hn_compile(&r->sys, r->model);
  r->options = *o;
  // what a model file says about methods does not matter here
  r->options.method[0] = r->options.solver[0] = r->options.correction[0] = 0;
  r->options.integrator[0] = 0;
  snprintf(r->options.method, sizeof r->options.method, "default");
  // what comes and goes, and contacts that are stiff beyond these steps, have tests of their own
  hn_crowd crowd;
  if (status == HN_OK)
    return !r->sys->unilaterals && !r->sys->memories && !hn_crowd_of(r->sys, &crowd);
  if (!CHECK(status == HN_ERR_UNSUPPORTED)) printf("%s: %s\n", c->name, hn_model_error(r->model));
  return false;
}

// a simulation with the given parts; NULL and a message when refused
static inline hn_sim *rig_start(const rig *r, const char *solver, const char *correction,
                                const char *integrator, double step) {
  char message[512] = "";
  hn_sim *sim = NULL;
  hn_options o = r->options;
  snprintf(o.solver, sizeof o.solver, "%s", solver);
  snprintf(o.correction, sizeof o.correction, "%s", correction);
  snprintf(o.integrator, sizeof o.integrator, "%s", integrator);
  o.step = step;
  // a tolerance beyond all limits takes error control out of the way
  o.rtol = fmin(o.rtol, 0.1);
  if (!CHECK(hn_sim_create(&sim, r->sys, &o, message, sizeof message) == HN_OK))
    printf("%s: %s + %s + %s: %s\n", hn_model_name(r->model), solver, correction, integrator,
           message);
  if (sim && r->options.rtol > 0.1) {
    sim->opt.rtol = r->options.rtol;
    CHECK(hn_set_state(sim, 0, r->sys->q0, r->sys->v0) == HN_OK);
  }
  return sim;
}

// a consistent state some time after the start
static inline bool rig_state(const rig *r, double t, double *q, double *v) {
  hn_sim *sim = rig_start(r, "lagrange", "mass", "dopri5", 0);
  bool ok = sim && CHECK(hn_advance(sim, t) == HN_OK);
  if (ok) {
    memcpy(q, hn_positions(sim), (size_t)r->sys->nq * sizeof *q);
    memcpy(v, hn_velocities(sim), (size_t)r->sys->nv * sizeof *v);
  }
  hn_sim_destroy(sim);
  return ok;
}

// the same mass matrix as a list, diagonal entry k being number k: the general back end serves it
static inline void rig_list_mass(hn_system *sys) {
  sys->mass_entries = hn_mass_entries_create(sys->nv);
  for (int i = 0; i < sys->nv; i++) {
    sys->mass_entries->row[i] = sys->mass_entries->col[i] = i;
    sys->mass_entries->value[i] = sys->mass[i];
  }
}

// ---- written out ---------------------------------------------------------------------------

// everything a solver sees, as whole matrices
typedef struct rig_dense {
  int nv, rows;
  double *M, *J;  // nv x nv, rows x nv
  double *a, *lambda;
  bool *unique;  // per row: is its multiplier determined?
} rig_dense;

static inline void rig_dense_free(rig_dense *d) {
  free(d->M), free(d->J), free(d->a), free(d->lambda), free(d->unique);
}

static inline double *rig_numbers(int count) {
  return calloc((size_t)count + 1, sizeof(double));
}

// M and J at the state last evaluated
static inline void rig_write_out(rig_dense *d, const hn_work *work) {
  int nv = work->sys->nv, rows = work->sys->rows;
  double *e = rig_numbers(nv);
  *d = (rig_dense){.nv = nv, .rows = rows};
  d->M = rig_numbers(nv * nv), d->J = rig_numbers(rows * nv);
  d->a = rig_numbers(nv), d->lambda = rig_numbers(rows);
  d->unique = calloc((size_t)rows + 1, sizeof(bool));
  hn_jacobian_dense(work, d->J);
  for (int k = 0; k < nv; k++) {
    e[k] = 1;
    hn_mass_mul(work, e, d->M + k * nv);
    e[k] = 0;
  }
  free(e);
}

// [M -J^T; J 0] [a; lambda] = [f; rhs] in the sense of least squares and least norm
static inline void rig_solve(rig_dense *d, const double *f, const double *rhs) {
  int nv = d->nv, rows = d->rows, n = nv + rows;
  double *K = rig_numbers(n * n), *b = rig_numbers(n), *x = rig_numbers(n);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) K[i * n + j] = d->M[i * nv + j];
    for (int j = 0; j < rows; j++) K[i * n + nv + j] = -d->J[j * nv + i];
    b[i] = f[i];
  }
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < nv; j++) K[(nv + i) * n + j] = d->J[i * nv + j];
    b[nv + i] = rhs[i];
  }
  // once more for what is left of b: forces on light bodies may nearly cancel
  double *y = rig_numbers(n);
  for (int pass = 0; pass < 2; pass++) {
    CHECK(hn_dense_lstsq(n, n, K, b, 1e-11, y, NULL));
    for (int i = 0; i < n; i++) x[i] += y[i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) b[i] -= K[i * n + j] * y[j];
  }
  for (int i = 0; i < nv; i++) d->a[i] = x[i];
  for (int i = 0; i < rows; i++) d->lambda[i] = x[nv + i];
  free(K), free(b), free(x), free(y);
}

// which multipliers are determined: rows without part in the null space of J^T
static inline void rig_uniqueness(rig_dense *d) {
  int least = d->rows < d->nv ? d->rows : d->nv;
  double *U = rig_numbers(d->rows * d->rows), *s = rig_numbers(least);
  CHECK(hn_dense_svd(d->rows, d->nv, d->J, s, U, NULL));
  for (int i = 0; i < d->rows; i++) {
    double part = 0;
    for (int k = 0; k < d->rows; k++)
      // rows that vanish altogether have no size to compare with
      if (k >= least || s[k] <= 1e-9 * fmax(s[0], 1e-3))
        part = fmax(part, fabs(U[i * d->rows + k]));
    d->unique[i] = part < 1e-6;
  }
  free(U), free(s);
}

// largest difference of two vectors and largest entry of the second
static inline double rig_difference(const double *a, const double *b, int n, double *size) {
  double difference = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(a[i] - b[i]) <= difference)) difference = fabs(a[i] - b[i]);  // a NaN is kept
    *size = fmax(*size, fabs(b[i]));
  }
  return difference;
}

#endif
