// null_space.c: Maggi's equations. The motion is split into what the rows demand and what they
// leave free,
//   a = p + R z,   J p = gamma,   J R = 0,   (R^T M R) z = R^T (f - M p),
// R a basis of the null space of J; multipliers afterwards from J^T lambda = M a - f. Option
// `null_basis` chooses where R comes from:
//   qr   orthonormal, from the QR decomposition with column pivoting of J^T; p = J^+ gamma
//   svd  orthonormal, from the singular value decomposition; p = J^+ gamma
//   gram-schmidt  orthonormal, by Gram and Schmidt's process on rows and unit vectors; p = J^+
//   gamma lu   from LU with full pivoting: the free coordinates are a choice of the given ones, and
//   p
//        leaves them alone
// Rows may depend on each other, and M may be singular as long as it is not on the null space.
// Multipliers of dependent rows: least norm, or zero in surplus rows (lu). Pivots are kept from one
// evaluation to the next where they serve: off the constraints dependent rows are not quite so, and
// stages that leave out different ones would cost the integrator its order.
#include "linalg/dense.h"
#include "linalg/dense_step.h"
#include "solvers/solvers.h"

#include <string.h>

static const double rank_tolerance = 1e-11, keep = 0.3;

typedef struct data {
  hn_cod qr;   // of J^T
  hn_svd svd;  // of J
  hn_lu lu;    // of J
  hn_gram gram;
  double *J;  // rows x nv
  double *R;  // basis, vector after vector
  double *MR;
  double *A;  // R^T M R
  double *p, *z, *b;
  int free;
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  int rows = sim->sys->rows, nv = sim->sys->nv;
  size_t wide = (size_t)rows * (size_t)nv, square = (size_t)nv * (size_t)nv;
  char kind = sim->opt.null_basis[0];
  data *own = HN_TAKE(arena, data, 1), plan = {0};
  if (kind == 's') {
    hn_svd_layout(&plan.svd, arena, rows, nv);
    plan.J = HN_TAKE(arena, double, wide);
  } else if (kind == 'l') {
    hn_lu_layout(&plan.lu, arena, rows, nv);
  } else if (kind == 'g') {
    hn_gram_layout(&plan.gram, arena, rows, nv);
  } else {
    hn_cod_layout(&plan.qr, arena, nv, rows);
  }
  plan.lu.keep = plan.gram.keep = plan.qr.keep = keep;
  plan.R = HN_TAKE(arena, double, square);
  plan.MR = HN_TAKE(arena, double, square);
  plan.A = HN_TAKE(arena, double, square);
  plan.p = HN_TAKE(arena, double, nv);
  plan.z = HN_TAKE(arena, double, nv);
  plan.b = HN_TAKE(arena, double, nv);
  if (!arena->base) return;
  *own = plan;
  sim->method.solver_data = own;
}

// ---- the basis, p, and the multipliers -------------------------------------------------------

static void basis(hn_sim *sim, data *own) {
  int rows = sim->sys->rows, nv = sim->sys->nv, k = 0, most = hn_independent_rows(sim);
  switch (sim->opt.null_basis[0]) {
  case 's':
    hn_jacobian_dense(&sim->stage.work, own->J);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < nv; j++)
        own->svd.a[(size_t)j * (size_t)rows + (size_t)i] =
            own->J[(size_t)i * (size_t)nv + (size_t)j];
    (void)hn_svd_factor(&own->svd, rank_tolerance, most);
    own->free = nv - own->svd.rank;
    for (int j = 0; j < nv; j++)
      if (own->svd.s[j] == 0)
        memcpy(own->R + (size_t)k++ * (size_t)nv, own->svd.v + (size_t)j * (size_t)nv,
               (size_t)nv * sizeof(double));
    break;
  case 'l':
    hn_jacobian_dense(&sim->stage.work, own->lu.a);
    own->lu.glance = !sim->stage.stepping;
    hn_lu_factor(&own->lu, rank_tolerance, most);
    own->free = nv - own->lu.rank;
    for (; k < own->free; k++) hn_lu_null(&own->lu, k, own->R + (size_t)k * (size_t)nv);
    break;
  case 'g':
    hn_jacobian_dense(&sim->stage.work, own->gram.a);
    own->gram.glance = !sim->stage.stepping;
    hn_gram_factor(&own->gram, rank_tolerance, most);
    own->free = nv - own->gram.rank;
    for (; k < own->free; k++)
      memcpy(own->R + (size_t)k * (size_t)nv, hn_gram_null(&own->gram, k),
             (size_t)nv * sizeof(double));
    break;
  default:
    hn_jacobian_dense(&sim->stage.work, own->qr.a);
    own->qr.glance = !sim->stage.stepping;
    hn_cod_factor(&own->qr, rank_tolerance, most);
    own->free = nv - own->qr.rank;
    for (; k < own->free; k++) hn_cod_null(&own->qr, k, own->R + (size_t)k * (size_t)nv);
  }
}

// p with J p = gamma
static void particular(const hn_sim *sim, const data *own) {
  const double *gamma = sim->stage.work.gamma;
  switch (sim->opt.null_basis[0]) {
  case 's': hn_svd_solve(&own->svd, gamma, own->p); break;
  case 'l': hn_lu_solve(&own->lu, gamma, own->p); break;
  case 'g': hn_gram_solve(&own->gram, gamma, own->p); break;
  default: hn_cod_solve_transposed(&own->qr, gamma, own->p);
  }
}

// lambda with J^T lambda = b
static void multipliers(const hn_sim *sim, const data *own) {
  double *lambda = sim->stage.work.lambda;
  switch (sim->opt.null_basis[0]) {
  case 's': hn_svd_solve_transposed(&own->svd, own->b, lambda); break;
  case 'l': hn_lu_solve_transposed(&own->lu, own->b, lambda); break;
  case 'g': hn_gram_solve_transposed(&own->gram, own->b, lambda); break;
  default: hn_cod_solve(&own->qr, own->b, lambda);
  }
}

// ---- the reduced equations -----------------------------------------------------------------

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static hn_status reduce(hn_sim *sim, data *own) {
  int nv = sim->sys->nv, free = own->free;
  for (int k = 0; k < free; k++) {
    size_t at = (size_t)k * (size_t)nv;
    hn_mass_mul(&sim->stage.work, own->R + at, own->MR + at);
    for (int j = 0; j <= k; j++)
      own->A[(size_t)k * (size_t)free + (size_t)j] =
          dot(own->R + (size_t)j * (size_t)nv, own->MR + at, nv);
  }
  if (hn_dense_cholesky(free, own->A)) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: the accelerations are not unique: a motion that the joints allow has "
                     "no inertia",
                     sim->stage.work.t);
}

static hn_status solve(hn_sim *sim, void *user) {
  data *own = user;
  hn_work *w = &sim->stage.work;
  int nv = sim->sys->nv;
  particular(sim, own);
  hn_mass_mul(w, own->p, own->b);
  for (int i = 0; i < nv; i++) own->b[i] = w->r[i] - own->b[i];
  for (int k = 0; k < own->free; k++) own->z[k] = dot(own->R + (size_t)k * (size_t)nv, own->b, nv);
  hn_dense_cholesky_solve(own->free, own->A, own->z);
  memcpy(sim->stage.a, own->p, (size_t)nv * sizeof(double));
  for (int k = 0; k < own->free; k++)
    for (int i = 0; i < nv; i++)
      sim->stage.a[i] += own->z[k] * own->R[(size_t)k * (size_t)nv + (size_t)i];
  hn_mass_mul(w, sim->stage.a, own->b);
  for (int i = 0; i < nv; i++) own->b[i] -= w->r[i];
  multipliers(sim, own);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  data *own = sim->method.solver_data;
  basis(sim, own);
  hn_status status = reduce(sim, own);
  sim->count.factorisations++;
  return status ? status : hn_settle(sim, solve, own);
}

const hn_solver_type hn_solver_null_space = {
    .info = {.name = "null-space",
             .help = "Maggi's equations: free motion by a basis of the null space, then reactions",
             .keys = "null_basis",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .accelerate = accelerate,
};
