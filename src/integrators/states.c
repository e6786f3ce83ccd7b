// states.c: states of first order in one-step implicit formulas, see integrators.h.
//
// x(n+1) = x(n) + h (before x'(n) + now x'(n+1)) is solved where the motion is evaluated: the rule
// is left in the work space, and whoever evaluates forces finds the states that belong to that
// motion first. So Newton's iteration on the motion needs no unknowns for them.
#include "integrators/integrators.h"

#include <string.h>

void hn_states_follow(hn_sim *sim, hn_state_rule *rule, double *constant, double h, double before,
                      const double *y, const double *rate, double now) {
  int first = sim->state.x, count = sim->sys->states;
  if (!count) return;
  for (int i = 0; i < count; i++)
    constant[i] = y[first + i] + (before > 0 ? h * before * rate[first + i] : 0);
  *rule = (hn_state_rule){.keep = 1, .rate = h * now, .constant = constant};
  hn_give_states(&sim->stage.work, y + first);
  sim->stage.work.rule = rule;
}

void hn_states_settled(hn_sim *sim, double *y, double *rate) {
  hn_work *work = &sim->stage.work;
  if (!sim->sys->states) return;
  work->rule = NULL;
  memcpy(y + sim->state.x, work->state, (size_t)sim->sys->states * sizeof(double));
  if (rate) hn_state_rates(work, rate + sim->state.x);
}

void hn_states_stand(hn_sim *sim, const double *y) {
  if (!sim->sys->states) return;
  sim->stage.work.rule = NULL;
  hn_give_states(&sim->stage.work, y + sim->state.x);
}
