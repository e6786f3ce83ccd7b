// pace.c: a run that does not get on comes to an end.
//
// Error control makes steps as short as the motion asks for. Where a force is noise at any step, or
// the motion is faster by many orders of magnitude than the time that was asked for, that never
// ends. Steps are counted, not seconds: MANY of them, those that were refused included, must take
// the run on by a part of its way, or of as many steps of the size that was wished for.
#include "base/elementary.h"
#include "sim/sim.h"

#include <stdio.h>

enum { MANY = 100000 };
static const double least_part = 1e-3, least_step = 1e-2;

hn_pace hn_pace_begin(const hn_sim *sim, double end) {
  return (hn_pace){.start = sim->state.t,
                   .end = end,
                   .since = sim->state.t,
                   .tries = sim->count.steps + sim->count.rejected,
                   .steps = sim->count.steps,
                   .rejected = sim->count.rejected};
}

// the body that turns most often on the way: how often, and who
static double most_turns(hn_sim *sim, double time, int *who) {
  const hn_system *sys = sim->sys;
  double most = 0;
  hn_eval_motion(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    const double *v = sim->stage.work.v + b->v0;
    double rate = b->kind == HN_SPATIAL ? v3_norm(v + 3) : b->kind == HN_PLANAR ? fabs(v[2]) : 0;
    if (rate * time > most) most = rate * time, *who = i;
  }
  return most / (2 * hn_pi);
}

static void find_why(hn_sim *sim, double way, bool scatters, char *why, size_t size) {
  static const double many_turns = 1e5;
  if (hn_spoiled(sim, why, size)) return;
  int who = 0;
  double turns = most_turns(sim, way, &who);
  if (turns > many_turns)
    snprintf(why, size,
             "'%.60s' would turn %.2g times; a shorter duration, or slower motion, will do",
             hn_body_name(sim->sys, (hn_body){who}), turns);
  else if (scatters)
    snprintf(why, size,
             "a force that scatters or vibrates too fast to be followed is to be made smooth, or "
             "taken as it comes by fixed steps (integrator=rk4, step=1e-3)");
  else
    snprintf(why, size,
             "vibrations too fast for the duration want an implicit method, a larger rtol, or a "
             "shorter duration");
}

static hn_status hardly_gets_on(hn_sim *sim, const hn_pace *p, long tries) {
  double got = sim->state.t - p->since, way = p->end - p->start;
  char why[200];
  long refused = sim->count.rejected - p->rejected;
  find_why(sim, way, 10 * refused > tries || sim->sys->expressions, why, sizeof why);
  return hn_sim_fail(
      sim, HN_ERR_STEP,
      "t=%.9g: the run hardly gets on: %ld steps (%ld refused) for %.2g of %.4g s; %s "
      "(max_steps=1e9 lets it go on all the same)",
      sim->state.t, tries, refused, got, way, why);
}

hn_status hn_pace_keep(hn_sim *sim, hn_pace *p) {
  long tries = sim->count.steps + sim->count.rejected - p->tries;
  if (sim->opt.max_steps > 0) {
    if (!((double)tries > sim->opt.max_steps)) return HN_OK;
    return hn_sim_fail(sim, HN_ERR_STEP,
                       "t=%.9g: ended after %ld steps, refused ones included, as max_steps demands",
                       sim->state.t, tries);
  }
  if (tries <= MANY) return HN_OK;
  double least = least_part * (p->end - p->start);
  // as many steps of the size that was wished for would take it that far: it goes on as asked
  if (sim->opt.step > 0) least = fmin(least, least_step * MANY * sim->opt.step);
  if (sim->state.t - p->since < least) return hardly_gets_on(sim, p, tries);
  p->since = sim->state.t;
  // a stretch done fast does not make up for one that stands still behind it
  p->tries += tries;
  p->steps = sim->count.steps, p->rejected = sim->count.rejected;
  return HN_OK;
}
