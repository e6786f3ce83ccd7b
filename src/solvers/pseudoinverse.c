// pseudoinverse.c: the whole system by its pseudo-inverse (Arabyan & Wu 1998).
//
//   [ a      ]   [  M  -J^T ]^+ [ f                                       ]
//   [ lambda ] = [ -J    0  ]   [ -gamma + 2 mu omega psi + omega^2 Phi ]
//
// (the last term not in nonholonomic rows). For regular M and dependent rows the accelerations are
// unique and the multipliers those of least norm; where not even the accelerations are unique, the
// smallest ones come out. The upper equations are divided by the size of M, which leaves all of
// this as it is and makes the rank a matter of numbers near one.
#include "linalg/dense_step.h"
#include "solvers/solvers.h"

#include <string.h>

static const double rank_tolerance = 1e-12;

typedef struct data {
  hn_cod cod;
  double *J, *M, *b, *x;
  double size;  // of M
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  int rows = sim->sys->rows, nv = sim->sys->nv;
  size_t wide = (size_t)rows * (size_t)nv, square = (size_t)nv * (size_t)nv;
  data *own = HN_TAKE(arena, data, 1), plan = {0};
  hn_cod_layout(&plan.cod, arena, rows + nv, rows + nv);
  plan.J = HN_TAKE(arena, double, wide);
  plan.M = HN_TAKE(arena, double, square);
  plan.b = HN_TAKE(arena, double, rows + nv);
  plan.x = HN_TAKE(arena, double, rows + nv);
  if (!arena->base) return;
  *own = plan;
  sim->method.solver_data = own;
}

// the matrix is symmetric: rows may be written as columns
static void fill(hn_sim *sim, data *own) {
  size_t rows = (size_t)sim->sys->rows, nv = (size_t)sim->sys->nv, n = rows + nv;
  double *K = own->cod.a;
  hn_jacobian_dense(&sim->stage.work, own->J);
  hn_mass_dense(&sim->stage.work, own->M, own->x);
  own->size = 0;
  for (size_t i = 0; i < nv * nv; i++) own->size = fmax(own->size, fabs(own->M[i]));
  if (!(own->size > 0)) own->size = 1;
  memset(K, 0, n * n * sizeof(double));
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < nv; j++) K[i * n + j] = own->M[i * nv + j] / own->size;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < nv; j++) K[(nv + i) * n + j] = K[j * n + nv + i] = -own->J[i * nv + j];
}

static hn_status solve(hn_sim *sim, void *user) {
  const data *own = user;
  int rows = sim->sys->rows, nv = sim->sys->nv;
  for (int i = 0; i < nv; i++) own->b[i] = sim->stage.work.r[i] / own->size;
  for (int i = 0; i < rows; i++) own->b[nv + i] = -sim->room.rhs[i];
  hn_cod_solve(&own->cod, own->b, own->x);
  memcpy(sim->stage.a, own->x, (size_t)nv * sizeof(double));
  for (int i = 0; i < rows; i++) sim->stage.work.lambda[i] = own->size * own->x[nv + i];
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  data *own = sim->method.solver_data;
  hn_penalty_feedback(sim, sim->room.rhs);
  fill(sim, own);
  hn_cod_factor(&own->cod, rank_tolerance, sim->sys->nv + hn_independent_rows(sim));
  sim->count.factorisations++;
  return hn_settle(sim, solve, own);
}

const hn_solver_type hn_solver_pseudoinverse = {
    .info = {.name = "pseudoinverse",
             .help = "accelerations and multipliers of least norm, with feedback of the violation",
             .keys = "omega mu",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .accelerate = accelerate,
};
