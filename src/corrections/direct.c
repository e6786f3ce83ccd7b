// direct.c: direct correction, the projection of least Euclidean change (Yu & Chen 2000; Marques,
// Souto & Flores 2017).
//
//   position   d = -J^T (J J^T)^-1 Phi,  q <- q (+) d, to tolerance
//   velocity   v <- v - J^T (J J^T)^-1 psi
//
// Metres and radians (or metres and joint angles, in relative coordinates) count alike, and inertia
// does not: the result depends on the units and on the choice of coordinates. Otherwise it is as
// the mass-orthogonal one. Rows that depend on each other are met in the sense of Moore and
// Penrose, d = -J^+ Phi, by a rank-revealing decomposition; beyond DENSE_ROWS rows, by leaving out
// those that were found to be redundant at the start. The option direct_inverse asks for such a
// decomposition always, and which: QR, singular values, Gram and Schmidt's process. Close to a
// singular configuration J^+ is taken for a lower rank: a direction that only an excessive change
// could correct is left for later steps.
#include "corrections/corrections.h"
#include "linalg/dense_step.h"
#include "solvers/solvers.h"

#include <string.h>

enum { DENSE_ROWS = 500 };
static const double near_singular = 1e-5;   // pivot ratio, the square of a singular value
static const double singular_rank = 3e-3;   // of rows of unit length there
static const double redundant_rank = 1e-7;  // the same for rows known to be redundant

typedef struct data {
  bool possible, dense;  // may the decomposition be used, and was it
  char kind;             // of decomposition: first letter of the option
  hn_cod cod;            // of J^T, its columns in units of their natural lengths
  hn_svd svd;            // of J likewise
  hn_gram gram;
  double *J;     // where it is written
  double *size;  // these lengths
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  data *own = HN_TAKE(arena, data, 1),
       plan = {.kind = sim->opt.direct_inverse[0] == 's' && sim->opt.direct_inverse[1] == 'p'
                           ? 0
                           : sim->opt.direct_inverse[0]};
  plan.possible = plan.kind || sys->rows <= DENSE_ROWS;
  if (plan.kind == 's') {
    hn_svd_layout(&plan.svd, arena, sys->rows, sys->nv);
    plan.J = HN_TAKE(arena, double, (size_t)sys->rows *(size_t)sys->nv);
  } else if (plan.kind == 'g') {
    hn_gram_layout(&plan.gram, arena, sys->rows, sys->nv);
    plan.J = plan.gram.a;
  } else if (plan.possible) {
    hn_cod_layout(&plan.cod, arena, sys->nv, sys->rows);
    plan.J = plan.cod.a;
  }
  plan.size = HN_TAKE(arena, double, sys->rows);
  if (!arena->base) return;
  *own = plan;
  sim->method.correction_data = own;
}

// decomposes own->J and returns its rank
static int decompose(data *own, int rows, int nv, double tolerance, int limit) {
  switch (own->kind) {
  case 's':
    for (int i = 0; i < rows * nv; i++)
      own->svd.a[(size_t)(i % nv) * (size_t)rows + (size_t)(i / nv)] = own->J[i];
    (void)hn_svd_factor(&own->svd, tolerance, limit);
    return own->svd.rank;
  case 'g': hn_gram_factor(&own->gram, tolerance, limit); return own->gram.rank;
  default: hn_cod_factor(&own->cod, tolerance, limit); return own->cod.rank;
  }
}

static bool factor(hn_sim *sim, double damping) {
  (void)damping;
  data *own = sim->method.correction_data;
  int independent = hn_independent_rows(sim);
  // rows that come and go are left out one by one, others where they repeat each other
  bool redundant = sim->sys->redundant > sim->sys->unilaterals;
  own->dense = own->kind || (own->possible && redundant);
  sim->count.factorisations++;
  if (!own->dense) {
    hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_ONE, sim->rows.D);
    own->dense = own->possible && sim->stage.kkt.pivot_ratio < near_singular;
  }
  if (!own->dense) return false;
  hn_jacobian_scaled(&sim->stage.work, HN_METRIC_PLAIN, own->J, own->size);
  int rank = decompose(own, sim->sys->rows, sim->sys->nv,
                       redundant ? redundant_rank : singular_rank, independent);
  if (rank < independent) sim->rows.damped = 0;
  return rank < independent;
}

static void pull(hn_sim *sim, const double *residual, bool holonomic_only) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.correction_data;
  if (!own->dense) {
    memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
    hn_project_rows(sim, residual, holonomic_only);
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
    return;
  }
  for (int i = 0; i < sys->rows; i++)
    sim->room.r[i] = holonomic_only && !sys->holonomic[i] ? 0 : -residual[i] / own->size[i];
  switch (own->kind) {
  case 's': hn_svd_solve(&own->svd, sim->room.r, sim->room.v); break;
  case 'g': hn_gram_solve(&own->gram, sim->room.r, sim->room.v); break;
  default: hn_cod_solve_transposed(&own->cod, sim->room.r, sim->room.v);
  }
}

static hn_status apply(hn_sim *sim, double t, double *q, double *v, double *moved) {
  static const hn_projector projector = {factor, pull, true};
  return hn_project(sim, &projector, t, q, v, moved);
}

const hn_correction_type hn_correction_direct = {
    .info = {.name = "direct",
             .help = "projection of positions and velocities with least Euclidean change",
             .keys = "projection_tol direct_inverse",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .apply = apply,
    .projects = true,
};
