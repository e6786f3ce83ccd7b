// outside.c: see outside.h.
#include "sim/outside.h"

#include <string.h>

void hn_outside_set(hn_sim *sim, double t, const double *q, const double *v, const double *x) {
  const hn_system *sys = sim->sys;
  memmove(sim->state.y, q, (size_t)sys->nq * sizeof(double));
  memmove(sim->state.y + sys->nq, v, (size_t)sys->nv * sizeof(double));
  memmove(sim->state.y + sim->state.x, x, (size_t)sys->states * sizeof(double));
  sim->state.t = sim->state.t_old = t;
  hn_state_moved(sim);
  sim->stage.looked_at = false;
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
}

hn_status hn_outside_rates(hn_sim *sim, double *ydot) {
  hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, ydot);
  if (!status && ydot == sim->stage.ydot) hn_rate_found(sim);
  return status;
}

int hn_outside_indicators(const hn_sim *sim) {
  return sim->sys->switches + hn_contact_functions(sim->sys);
}

static void evaluate(hn_sim *sim, double *value) {
  const hn_system *sys = sim->sys;
  const double *y = sim->state.y;
  if (sys->switches) hn_eval_switches(&sim->stage.work, sim->state.t, y, y + sys->nq, value);
  if (sim->contacts) hn_contact_values(sim, sim->state.t, y, value + sys->switches);
  // switches are evaluated in the work space of the run: what was found there is spoiled
  hn_state_moved(sim);
}

// rows that come and go do so where their functions are certainly below zero
static double certain(const hn_sim *sim, int i) {
  return 2 * hn_contact_noise(sim, i);
}

void hn_outside_indicate(hn_sim *sim, double *value) {
  evaluate(sim, value);
  for (int i = 0; sim->contacts && i < hn_contact_functions(sim->sys); i++)
    value[sim->sys->switches + i] += certain(sim, i);
}

void hn_outside_accept(hn_sim *sim) {
  hn_work *work = &sim->stage.work;
  if (!sim->sys->turns) return;
  work->turn_t = sim->state.t;
  hn_eval_motion(work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
  hn_accept_turns(work, true);
  hn_state_moved(sim);
}

static void remember(hn_sim *sim, const bool *was, const bool *side) {
  if (!sim->sys->memories) return;
  hn_eval_signals(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
  hn_remember(&sim->stage.work, was, side);
  hn_state_moved(sim);
}

void hn_outside_begin(hn_sim *sim, double *scratch, bool *side) {
  evaluate(sim, scratch);
  for (int i = 0; i < sim->sys->switches; i++) side[i] = scratch[i] > 0;
  remember(sim, NULL, side);
}

// a gap has closed, a force vanished: whatever follows
static hn_status switch_rows(hn_sim *sim, const double *value, bool *moved) {
  bool met = false;
  for (int i = 0; i < hn_contact_functions(sim->sys); i++) met |= !(value[i] + certain(sim, i) > 0);
  hn_contact_note(sim, value, met);
  hn_status status = HN_OK;
  // what is switched may switch, or break, others
  for (int k = 0; k <= sim->sys->gates + 1 && !status && hn_contact_pending(sim); k++) {
    status = hn_contact_switch(sim);
    *moved = true;
  }
  return status;
}

// `side` is the caller's, who keeps it between events as events.c does for runs of our own
hn_status hn_outside_event(hn_sim *sim, double *scratch, bool *side, bool *was, bool *moved) {
  int forces = sim->sys->switches;
  *moved = false;
  evaluate(sim, scratch);
  hn_status status = sim->contacts ? switch_rows(sim, scratch + forces, moved) : HN_OK;
  memcpy(was, side, (size_t)forces * sizeof(bool));
  for (int i = 0; i < forces; i++) side[i] = scratch[i] > 0;
  remember(sim, was, side);
  hn_state_moved(sim);
  return status;
}
