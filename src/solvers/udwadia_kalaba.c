// udwadia_kalaba.c: the explicit equations of Udwadia and Kalaba.
//
// M regular (1992), with any M = L L^T in the place of the root:
//   a = a_0 + L^-T B^+ (gamma - J a_0),   B = J L^-T,   M a_0 = f
// M singular (Udwadia & Phohomsiri 2006):
//   a = [ (1 - J^+ J) M ]^+ [ (1 - J^+ J) f ]
//       [       J       ]   [     gamma     ]
// unique if and only if [M; J] has full column rank. Written with an orthonormal basis R of the
// null space of J, 1 - J^+ J = R R^T, and as R is a part of a rotation, [R^T M; J]^+ [R^T f; gamma]
// is the same with fewer rows.
//
// The pseudo-inverses come from complete orthogonal decompositions, so rows may depend on each
// other; the multipliers J^T lambda = M a - f are then those of least norm. Non-ideal constraint
// forces, the third term of the 2002 form, are forces that do work and depend on the multipliers:
// friction elements are just that, and are iterated with the solution.
#include "linalg/dense.h"
#include "linalg/dense_step.h"
#include "solvers/solvers.h"

#include <string.h>

static const double rank_tolerance = 1e-11;

typedef struct data {
  double *M, *L;   // nv x nv; L: Cholesky factor in its lower half
  double *b, *x;   // rows + nv each
  hn_cod rows;     // of B^T, or of J^T when M is singular
  hn_cod stacked;  // of [R^T M; J]
  double scale;    // weight of the upper part of `stacked`
  bool regular, diagonal;
  double *gamma;  // right-hand side of the constraints
} data;

void hn_uk_rows(const hn_sim *sim, double *gamma) {
  bool feeds = strcmp(sim->opt.uk_feedback, "on") == 0;
  double alpha = feeds ? sim->opt.alpha : 0, beta = feeds ? sim->opt.beta : 0;
  hn_feedback(sim, alpha, beta, alpha, gamma);
}

static void layout(hn_sim *sim, hn_arena *arena) {
  int rows = sim->sys->rows, nv = sim->sys->nv;
  size_t square = (size_t)nv * (size_t)nv;
  data *own = HN_TAKE(arena, data, 1), plan = {0};
  plan.M = HN_TAKE(arena, double, square);
  plan.L = HN_TAKE(arena, double, square);
  plan.b = HN_TAKE(arena, double, rows + nv);
  plan.x = HN_TAKE(arena, double, rows + nv);
  plan.gamma = HN_TAKE(arena, double, rows);
  hn_cod_layout(&plan.rows, arena, nv, rows);
  plan.rows.keep = 0.3;
  hn_cod_layout(&plan.stacked, arena, rows + nv, nv);
  if (!arena->base) return;
  *own = plan;
  sim->method.solver_data = own;
}

// x <- L^-1 x and x <- L^-T x
static void forward(const data *own, int n, double *x) {
  for (int i = 0; i < n; i++) {
    const double *row = own->L + (size_t)i * (size_t)n;
    for (int k = 0; k < i && !own->diagonal; k++) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
}
static void backward(const data *own, int n, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    const double *row = own->L + (size_t)i * (size_t)n;
    x[i] /= row[i];
    for (int k = 0; k < i && !own->diagonal; k++) x[k] -= row[k] * x[i];
  }
}

// Cholesky factor of M; false when M is singular
static bool factor_mass(data *own, size_t nv) {
  double *L = own->L;
  if (own->diagonal) {
    for (size_t i = 0; i < nv * nv; i += nv + 1) {
      if (!(own->M[i] > 0)) return false;
      L[i] = sqrt(own->M[i]);
    }
    return true;
  }
  memcpy(L, own->M, nv * nv * sizeof(double));
  if (!hn_dense_cholesky((int)nv, L)) return false;
  for (size_t i = 0; i < nv * nv; i += nv + 1)
    if (!(L[i] * L[i] > 1e-14 * own->M[i])) return false;
  return true;
}

// ---- M regular -----------------------------------------------------------------------------

static void factor_regular(hn_sim *sim, data *own) {
  int rows = sim->sys->rows, nv = sim->sys->nv;
  hn_jacobian_dense(&sim->stage.work, own->rows.a);
  for (int i = 0; i < rows; i++) forward(own, nv, own->rows.a + (size_t)i * (size_t)nv);
  own->rows.glance = !sim->stage.stepping;
  hn_cod_factor(&own->rows, rank_tolerance, hn_independent_rows(sim));
}

static void solve_regular(hn_sim *sim, data *own) {
  int rows = sim->sys->rows, nv = sim->sys->nv;
  hn_work *w = &sim->stage.work;
  memcpy(sim->stage.a, w->r, (size_t)nv * sizeof(double));
  forward(own, nv, sim->stage.a);
  backward(own, nv, sim->stage.a);
  hn_jacobian_mul(w, sim->stage.a, own->b);
  for (int i = 0; i < rows; i++) own->b[i] = own->gamma[i] - own->b[i];
  hn_cod_solve_transposed(&own->rows, own->b, own->x);
  hn_cod_solve(&own->rows, own->x, w->lambda);
  backward(own, nv, own->x);
  for (int i = 0; i < nv; i++) sim->stage.a[i] += own->x[i];
}

// ---- M singular ----------------------------------------------------------------------------

static hn_status factor_singular(hn_sim *sim, data *own) {
  size_t rows = (size_t)sim->sys->rows, nv = (size_t)sim->sys->nv;
  hn_jacobian_dense(&sim->stage.work, own->rows.a);
  double size = hn_largest(own->M, nv * nv);
  own->scale = size > 0 ? fmax(hn_largest(own->rows.a, rows * nv), 1e-300) / size : 1;
  own->rows.glance = !sim->stage.stepping;
  hn_cod_factor(&own->rows, rank_tolerance, hn_independent_rows(sim));
  // the rows of R^T M, then those of J
  hn_cod *stacked = &own->stacked;
  size_t free = nv - (size_t)own->rows.rank;
  stacked->m = (int)(free + rows);
  for (size_t k = 0; k < free; k++) {
    hn_cod_null(&own->rows, (int)k, own->x);
    hn_mass_mul(&sim->stage.work, own->x, own->b);
    for (size_t j = 0; j < nv; j++) stacked->a[j * (free + rows) + k] = own->scale * own->b[j];
  }
  // the Jacobian again, as the decomposition has overwritten it
  for (size_t j = 0; j < nv; j++) {
    memset(own->x, 0, nv * sizeof(double));
    own->x[j] = 1;
    hn_jacobian_mul(&sim->stage.work, own->x, stacked->a + j * (free + rows) + free);
  }
  hn_cod_factor(stacked, rank_tolerance, (int)nv);
  if (stacked->rank == (int)nv) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: the accelerations are not unique: the mass matrix is singular and "
                     "[M; J] has rank %d of %d (a body without inertia is free to move)",
                     sim->stage.work.t, stacked->rank, (int)nv);
}

static void solve_singular(hn_sim *sim, data *own) {
  int rows = sim->sys->rows, nv = sim->sys->nv, free = nv - own->rows.rank;
  hn_work *w = &sim->stage.work;
  for (int k = 0; k < free; k++) {
    hn_cod_null(&own->rows, k, own->x);
    own->b[k] = 0;
    for (int i = 0; i < nv; i++) own->b[k] += own->scale * own->x[i] * w->r[i];
  }
  memcpy(own->b + free, own->gamma, (size_t)rows * sizeof(double));
  hn_cod_solve(&own->stacked, own->b, sim->stage.a);
  hn_mass_mul(w, sim->stage.a, own->x);
  for (int i = 0; i < nv; i++) own->x[i] -= w->r[i];
  hn_cod_solve(&own->rows, own->x, w->lambda);
}

// --------------------------------------------------------------------------------------------

static hn_status solve(hn_sim *sim, void *user) {
  data *own = user;
  if (own->regular)
    solve_regular(sim, own);
  else
    solve_singular(sim, own);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  data *own = sim->method.solver_data;
  hn_status status = HN_OK;
  hn_uk_rows(sim, own->gamma);
  hn_mass_dense(&sim->stage.work, own->M, own->x);
  own->diagonal = sim->sys->coordinates->of_bodies && !sim->sys->mass_entries;
  own->regular = factor_mass(own, (size_t)sim->sys->nv);
  if (own->regular)
    factor_regular(sim, own);
  else
    status = factor_singular(sim, own);
  sim->count.factorisations++;
  return status ? status : hn_settle(sim, solve, own);
}

const hn_solver_type hn_solver_udwadia_kalaba = {
    .info = {.name = "udwadia-kalaba",
             .help = "explicit equations by pseudo-inverses; also for singular mass matrices",
             .keys = "uk_feedback alpha beta",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .accelerate = accelerate,
};
