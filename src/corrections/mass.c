// mass.c: mass-orthogonal projection.
//
//   position   d = -M^-1 J^T (J M^-1 J^T)^-1 Phi,  q <- q (+) d, to tolerance
//   velocity   v <- v - M^-1 J^T (J M^-1 J^T)^-1 psi
//
// Smallest change in the kinetic-energy norm, independent of units. Both are saddle-point solves
// with right-hand side (0, -Phi) and (0, -psi). One factorisation serves all of them: near the
// constraints a modified Newton step converges in one or two iterations.
//
// Close to a singular configuration the same violation asks for an ever larger change, and
// round-off would throw the mechanism onto another branch. There the rows are damped: what cannot
// be corrected safely is left for the steps that follow, where it can.
#include "corrections/corrections.h"

#include <string.h>

enum { MAX_ITERATIONS = 12, DAMPED_ITERATIONS = 3 };
static const double near_singular = 1e-5;  // pivot ratio, the square of a singular value
static const double damping = 1e-6;

static double largest(const hn_sim *sim, const double *x, bool holonomic_only) {
  const hn_system *sys = sim->sys;
  double m = 0;
  for (int i = 0; i < sys->rows; i++) {
    if ((sim->D && sim->D[i] > 0) || (holonomic_only && !sys->holonomic[i])) continue;
    if (!(fabs(x[i]) <= m) && !isnan(m)) m = fabs(x[i]);  // a NaN is kept
  }
  return m;
}

// x_v = least-change solution of J x = -residual
static void pull(hn_sim *sim, const double *residual, bool holonomic_only) {
  const hn_system *sys = sim->sys;
  memset(sim->x_v, 0, (size_t)sys->nv * sizeof(double));
  for (int i = 0; i < sys->rows; i++) {
    bool out = (sim->D && sim->D[i] > 0) || (holonomic_only && !sys->holonomic[i]);
    sim->x_r[i] = out ? 0 : -residual[i];
  }
  hn_kkt_solve(&sim->kkt, &sim->work, sim->x_v, sim->x_r);
}

// factorises at the state last evaluated, unless that was just done; true when damped
static bool factor(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  if (!sim->fresh) {
    hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, sim->D);
    sim->factorisations++;
    sim->fresh = true;
  }
  if (sim->kkt.pivot_ratio > near_singular) return false;
  hn_row_sizes(sim, sim->D_soft);
  for (int i = 0; i < sys->rows; i++)
    sim->D_soft[i] = sim->D && sim->D[i] > 0 ? sim->D[i] : damping * sim->D_soft[i];
  hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, sim->D_soft);
  sim->factorisations++;
  sim->fresh = false;
  return true;
}

static hn_status apply(hn_sim *sim, double t, double *q, double *v, double *moved) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->work;
  *moved = 0;
  if (sys->rows == 0) return HN_OK;
  if (!sim->fresh) hn_eval_jacobian(w, t, q, v);
  bool damped = factor(sim);
  double tol = hn_projection_tolerance(sim), now = largest(sim, w->phi, true);
  double shift = 0;
  bool turned = false;
  // at least one iteration: it costs little and takes the violation to round-off
  int most = damped ? DAMPED_ITERATIONS : MAX_ITERATIONS;
  for (int i = 0; i < most && now > (i ? tol : 1e-15 * sys->length); i++) {
    pull(sim, w->phi, true);
    for (int k = 0; k < sys->nv; k++) {
      *moved = fmax(*moved, fabs(sim->x_v[k]) / sim->scale_d[k]);
      shift = fmax(shift, fabs(sim->x_v[k]));
    }
    hn_retract(sys, q, sim->x_v);
    turned = true;
    hn_eval_position(w, t, q);
    double next = largest(sim, w->phi, true);
    if (!(next < 1e30))
      return hn_sim_fail(sim, HN_ERR_DIVERGED, "t=%.6g: projection onto the constraints diverged",
                         t);
    // slow convergence: the factorisation is too old for this state
    if (!damped && next > 0.1 * now && next > tol) {
      hn_eval_jacobian(w, t, q, v);
      sim->fresh = false;
      damped = factor(sim);
    }
    now = next;
  }
  if (now > (damped ? 1e-5 * sys->length : 1e3 * tol))
    return hn_sim_fail(sim, HN_ERR_ASSEMBLY,
                       "t=%.6g: the joints cannot be closed after the step: violation %.3g stays",
                       t, now);
  if (turned || w->v != v) hn_eval_jacobian(w, t, q, v);
  // the factors are those of the state before: after a large shift once more, with what it left
  bool again = shift * largest(sim, w->psi, false) > 1e-15;
  for (int pass = 0; pass < (again ? 3 : 1); pass++) {
    pull(sim, w->psi, false);
    for (int k = 0; k < sys->nv; k++) {
      *moved = fmax(*moved, fabs(sim->x_v[k]) / sim->scale_y[sys->nq + k]);
      v[k] += sim->x_v[k];
    }
    if (again) hn_eval_jacobian(w, t, q, v);
  }
  sim->fresh = false;
  return HN_OK;
}

const hn_correction_type hn_correction_mass = {
    .info = {.name = "mass",
             .help = "mass-orthogonal projection of positions and velocities",
             .keys = "projection_tol",
             .required = ""},
    .can = HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE,
    .projects = true,
    .apply = apply,
};
