// mass.c: mass-orthogonal projection.
//
//   position   d = -M^-1 J^T (J M^-1 J^T)^-1 Phi,  q <- q (+) d, to tolerance
//   velocity   v <- v - M^-1 J^T (J M^-1 J^T)^-1 psi
//
// Smallest change in the kinetic-energy norm, independent of units. Both are saddle-point solves
// with right-hand side (0, -Phi) and (0, -psi), see project.c.
//
// After a step whose last stage was evaluated at its end, the factorisation is even that of the
// equations of motion.
#include "corrections/corrections.h"

#include <string.h>

// factorises at the state last evaluated, unless that was just done; true when damped
static bool factor(hn_sim *sim, double damping) {
  for (bool made = hn_is_factored(sim); !made || hn_redundant_here(sim); made = true) {
    hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
    sim->count.factorisations++;
  }
  return hn_damp_rows(sim, sim->rows.D, damping);
}

static void pull(hn_sim *sim, const double *residual, bool holonomic_only) {
  memset(sim->room.v, 0, (size_t)sim->sys->nv * sizeof(double));
  hn_project_rows(sim, residual, holonomic_only);
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
}

static hn_status apply(hn_sim *sim, double t, double *q, double *v, double *moved) {
  static const hn_projector projector = {factor, pull, false};
  return hn_project_mass(sim, &projector, t, q, v, moved);
}

const hn_correction_type hn_correction_mass = {
    .info = {.name = "mass",
             .help = "mass-orthogonal projection of positions and velocities",
             .keys = "projection_tol",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .projects = true,
    .apply = apply,
};
