// careful.c: a step that hides nothing and after which it is known how often everything went round.
//
// Angles in space count turns by where they are expected (system/turns.c). Where the rates at both
// ends of a step leave that in doubt, the step is taken back and made shorter; where it cannot be,
// the run ends with a word about it.
#include "base/elementary.h"
#include "sim/sim.h"

enum { RETRIES = 40 };

// the longest step in which no angle that is counted goes further than a quarter of a turn. Trials
// before turns are planned (compile/coordinates.c) count none
static double countable_step(const hn_sim *sim) {
  const hn_work *w = &sim->stage.work;
  double fastest = 0;
  for (int i = 0; sim->sys->turn && i < sim->sys->turns; i++)
    if (sim->sys->turn[i].used && !sim->sys->turn[i].known)
      fastest = fmax(fastest, fabs(w->turn_rate[i]));
  return 0.5 * hn_pi / fastest;
}

static hn_status lost_count(hn_sim *sim, double h) {
  const hn_system *sys = sim->sys;
  int measure = sys->turn[sim->stage.work.turn_doubt].measure;
  const char *name = "the model";
  for (int j = 0; measure >= 0 && j < sys->joints; j++)
    for (int k = 0; k < sys->joint[j].coordinates; k++)
      if (sys->joint[j].coordinate[k].measure == measure) name = sys->joint[j].name;
  return hn_sim_fail(sim, HN_ERR_STEP,
                     "t=%.6g: how often an angle of '%s' went round in a step of %.3g s cannot be "
                     "told, its rate changes too much on the way (give a 'step' that is shorter)",
                     sim->state.t, name, h);
}

// the loop ends with a step in which every angle is certain, or with the words that none is
hn_status hn_careful_step(hn_sim *sim, double limit) {
  const hn_integrator_type *i = sim->method.integrator;
  hn_status status = hn_clear_step(sim, limit);
  if (!hn_turns_lag(sim->sys)) return status;
  for (int pass = 0; status || sim->stage.work.turn_doubt >= 0; pass++) {
    double h = sim->state.t - sim->state.t_old, shorter = 0.5 * h;
    // a step of given size may have failed for angles that were expected elsewhere
    if (status) shorter = countable_step(sim);
    if (status && (pass || i->adaptive || !i->undo || !(shorter < fmin(limit, sim->opt.step))))
      return status;
    if (!status && (!i->undo || pass == RETRIES)) return lost_count(sim, h);
    if (!status) i->undo(sim);
    limit = shorter;
    sim->step.h = fmin(sim->step.h, shorter);
    status = hn_clear_step(sim, limit);
  }
  return HN_OK;
}
