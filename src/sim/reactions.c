// reactions.c: what can be said about reactions at a state of a run.
#include "sim/sim.h"

#include "analysis/analysis.h"

#include <stdlib.h>

hn_status hn_sim_redundancy(hn_sim *sim, hn_redundancy **out) {
  const hn_system *sys = sim->sys, *all = sys->reference ? sys->reference : sys;
  *out = NULL;
  bool *active = malloc((size_t)all->rows + 1);
  if (!active) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sys->nq);
  sim->fresh = false;
  if (sys->tree) hn_tree_quaternions(&sim->work);
  if (sys->natural) hn_natural_quaternions(&sim->work);
  hn_status status = hn_redundancy_at(all, sim->t, sim->work.q, sim->work.v, active, out);
  free(active);
  return status ? hn_sim_fail(sim, status, "out of memory") : HN_OK;
}
