// mass_augmented.c: mass-orthogonal projection by augmented Lagrangian (Bayo & Ledesma 1996).
//
// Least |q - q*|_M with Phi(q) = 0, its multipliers by iteration, A the penalty:
//   (M + J^T A J) d = -M (q_i - q*) - J^T (lambda_i + A Phi_i),   lambda_i+1 = lambda_i + A Phi_i+1
// from lambda_0 = 0 (with A Phi_0 in the place of lambda_0 and without A Phi_i on the right, as it
// is sometimes printed, the iteration goes to and fro between two points). As M (q_i - q*) and
// -J^T lambda_i are equal after every pass, up to terms of second order, what remains on the right
// is -J^T A Phi_i, and each pass is the solution of
//   [ M  -J^T ] [ d ]   [  0     ]
//   [ J   1/A ] [ l ] = [ -Phi_i ]
// which is how it is done here; velocities likewise with -psi: the first pass of those is
// (M + J^T A J) v = M v* - J^T A Phi_t. All passes use one factorisation. Rows may depend on each
// other, and singular configurations are passed.
#include "corrections/corrections.h"
#include "solvers/solvers.h"

#include <string.h>

static void layout(hn_sim *sim, hn_arena *arena) {
  sim->method.correction_data = HN_TAKE(arena, double, sim->sys->rows);
  if (arena->base) hn_penalty_compliance(sim, sim->method.correction_data);
}

// rows so close to dependent that the penalty decides are damped by nature
static bool factor(hn_sim *sim, double damping) {
  (void)damping;
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->method.correction_data);
  sim->count.factorisations++;
  sim->rows.damped = fmin(sim->rows.damped, sim->stage.kkt.pivot_ratio);
  return sim->stage.kkt.pivot_ratio < 1e-5;
}

static void pull(hn_sim *sim, const double *residual, bool holonomic_only) {
  const hn_system *sys = sim->sys;
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  for (int i = 0; i < sys->rows; i++)
    sim->room.r[i] = holonomic_only && !sys->holonomic[i] ? 0 : -residual[i];
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
}

static hn_status apply(hn_sim *sim, double t, double *q, double *v, double *moved) {
  static const hn_projector projector = {factor, pull, false};
  return hn_project(sim, &projector, t, q, v, moved);
}

const hn_correction_type hn_correction_mass_augmented = {
    .info = {.name = "mass-augmented",
             .help = "mass-orthogonal projection by penalty and iterated multipliers",
             .keys = "penalty projection_tol",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .apply = apply,
    .projects = true,
};
