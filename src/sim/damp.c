// damp.c: near a singular configuration rows are damped, whoever solves with them.
#include "sim/pull.h"

// pivot ratio, the square of a singular value, and what it is away from singular configurations
static const double near_singular = 1e-5, usual = 1e-2;

bool hn_damp_rows(hn_sim *sim, const double *D, double damping) {
  const hn_system *sys = sim->sys;
  sim->watch.firmest = hn_greater(sim->watch.firmest, sim->stage.kkt.pivot_ratio);
  if (sim->stage.kkt.pivot_ratio > near_singular * fmin(1, sim->watch.firmest / usual))
    return false;
  sim->rows.damped = sim->stage.kkt.pivot_ratio;
  hn_row_sizes(&sim->stage.work, sim->rows.D_soft);
  for (int i = 0; i < sys->rows; i++)
    sim->rows.D_soft[i] = D && D[i] > 0 ? D[i] : damping * sim->rows.D_soft[i];
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D_soft);
  sim->count.factorisations++;
  return true;
}
