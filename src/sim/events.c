// events.c: steps that end where a force switches.
//
// A force with kinks or jumps names switching functions g that change sign there. While a step is
// taken every force is held on the side on which it was at its start, so that the integrator sees
// smooth equations, also a little beyond the switching point. Afterwards the functions are looked
// at in the ends of the step and in a few points between; where one has changed sign, its first
// root is found on the dense output, the step is taken back, and a shorter one made that ends just
// behind the root. From there the force is held on the other side. No step mixes two formulas,
// and the order of the integrator survives.
//
// Rows that come and go (contact.c) bring further functions, which are positive as long as nothing
// happens. What follows when one of them is not is done before the next step: the dense output of
// the last one belongs to what was before.
//
// Where the force jumps and drives the motion back from both sides, the motion slides along the
// switching point (sliding.c).
//
// A function has changed when it lies beyond zero by more than `noise`: a system at rest on a
// switching point is left alone, and a state after an event is certainly on the new side.
#include "sim/events.h"
#include "base/elementary.h"
#include "sim/outside.h"

#include <stdio.h>
#include <string.h>

enum {
  PASSES = 10,  // times a step is taken back for an event before it ends where it is
  SHORTER = 8,  // quarterings of a step of given size that fails
  CROWD = 20,   // switches in a row, each at once after the one before, that are called chatter
  NESTED = 8,   // rounds for functions that read on which side others are
  EARLY = 2,    // steps in a row that may end for an event which is not there yet
};

void hn_events_layout(hn_sim *sim, hn_arena *arena) {
  int forces = sim->sys->switches, count = forces + hn_contact_functions(sim->sys);
  if (!count || !sim->method.integrator->undo || strcmp(sim->opt.events, "off") == 0) return;
  struct hn_events *e = HN_TAKE(arena, struct hn_events, 1),
                   place = {.count = count, .forces = forces};
  place.side = HN_TAKE(arena, bool, count);
  place.before = HN_TAKE(arena, bool, count);
  place.from = HN_TAKE(arena, bool, count);
  place.scratch = HN_TAKE(arena, bool, count);
  place.slack = HN_TAKE(arena, double, count);
  place.last = HN_TAKE(arena, double, count);
  place.crowd = HN_TAKE(arena, int, count);
  place.slope = HN_TAKE(arena, double, count);
  place.value = HN_TAKE(arena, double, (HN_EVENT_PARTS + 2) * count);
  place.y = HN_TAKE(arena, double, sim->state.n);
  place.acts = HN_TAKE(arena, double, 2 * (sim->sys->bv + sim->sys->states));
  place.noise = HN_TAKE(arena, double, count);
  // steppers that set up the equations of motion themselves do not slide
  hn_sliding_layout(&place.sliding, sim, arena, sim->method.integrator->stands_alone ? 0 : forces);
  if (!arena->base) return;
  *e = place;
  sim->watch.events = e;
}

void hn_events_reset(hn_sim *sim) {
  hn_events_look_away(sim);
  if (sim->watch.events) sim->watch.events->known = false;
}

struct hn_sliding *hn_events_sliding(hn_sim *sim) {
  return &sim->watch.events->sliding;
}

// forces are held as they are for the next step, or (`back`) were in the last one
static void hold(hn_sim *sim, bool back) {
  struct hn_events *e = sim->watch.events;
  hn_slide *slide = back ? &e->sliding.then : &e->sliding.now;
  hn_sliding_hold(sim, &e->sliding, slide, back ? e->before : e->side);
}

static void let_go(hn_sim *sim) {
  hn_sliding_hold(sim, &sim->watch.events->sliding, NULL, NULL);
}

void hn_events_look(hn_sim *sim, bool back) {
  const struct hn_events *e = sim->watch.events;
  if (!e || !e->known) return;
  if (back ? e->sliding.then.count : e->sliding.now.count) hold(sim, back);
}

void hn_events_look_away(hn_sim *sim) {
  if (sim->watch.events && sim->stage.work.between) let_go(sim);
}

static hn_status check_conditions(hn_sim *sim) {
  if (!sim->watch.events->lost) return HN_OK;
  sim->watch.events->lost = false;
  return hn_sim_fail(sim, HN_ERR_DIVERGED,
                     "t=%.6g: a condition in a formula is not a number (the root or logarithm of "
                     "a negative number, 0/0?)",
                     sim->state.t);
}

// forces keep how they were switched on
// memory (hysteresis, relays) changes with the sides, and the rates with the memory
static void remember(hn_sim *sim, const bool *was) {
  hn_work *work = &sim->stage.work;
  if (!sim->sys->memories) return;
  hn_eval_signals(work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
  hn_remember(work, was, sim->watch.events->side);
  hn_state_moved(sim);
}

// Values of a function that have no sign. What it is a function of is unknown, and so is its unit:
// a part of the model's length, as if it were a length; of larger values, up to one, a part of
// themselves. Functions that are smaller by nature than a length here is (`reach`) are not to be
// lost in that
static double noise_of(const hn_sim *sim, double value, double reach) {
  double size = sim->sys->length;
  double usual = 1e-13 * fmax(size, fmin(1, fmax(fabs(value), 1e3 * size)));
  double least = 1e-12 * fmax(reach, fabs(value));
  return least > 0 ? fmin(usual, least) : usual;
}

// what number i of a state changes by in the motion, by and large
static double change_of(const hn_sim *sim, int i) {
  const hn_system *sys = sim->sys;
  if (i < sys->nq) return sys->angular_q[i] ? 1 : sys->length;
  if (i < sim->state.w) return sim->step.speed[sys->angular_v[i - sys->nq]];
  if (i < sim->state.x) return 0;
  return fmax(sim->step.size_x[i - sim->state.x], hn_state_floor(sys, i - sim->state.x));
}

// By how much functions of forces would change if all that they may read did, to one side and the
// other; into `reach`
static void reaches(hn_sim *sim, double *reach) {
  static const double part = 1e-6;  // of these changes
  struct hn_events *e = sim->watch.events;
  hn_work *work = &sim->stage.work;
  double *here = e->value, *there = e->value + e->count, t = sim->state.t;
  hn_give_states(work, sim->state.y + sim->state.x);
  hn_eval_switches(work, t, sim->state.y, sim->state.y + sim->sys->nq, here);
  memset(reach, 0, (size_t)e->forces * sizeof(double));
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < sim->state.s; i++)
      e->y[i] = sim->state.y[i] + part * change_of(sim, i) * (side ? hn_cos(i) : hn_sin(i + 1));
    hn_give_states(work, e->y + sim->state.x);
    double later = t + (side ? part : 0) * hn_time_size(sim, t);
    hn_eval_switches(work, later, e->y, e->y + sim->sys->nq, there);
    for (int i = 0; i < e->forces; i++) reach[i] = fmax(reach[i], fabs(there[i] - here[i]) / part);
  }
}

static void begin(hn_sim *sim) {
  struct hn_events *e = sim->watch.events;
  hn_sliding_reset(sim, &e->sliding);
  memset(e->noise, 0, (size_t)e->count * sizeof(double));
  if (e->forces) reaches(sim, e->noise);
  hn_events_evaluate(sim, sim->state.t, sim->state.y, e->value);
  for (int i = 0; i < e->count; i++) {
    e->side[i] = e->before[i] = e->from[i] = i >= e->forces || e->value[i] > 0;
    e->noise[i] = noise_of(sim, e->value[i], e->noise[i]);
    e->slack[i] = 0;
    e->slope[i] = NAN;
    e->last[i] = -INFINITY;
    e->crowd[i] = 0;
  }
  remember(sim, NULL);
  e->longest = e->reach = 0;
  e->early = 0;
  e->known = true;
  e->restart = false;
}

void hn_events_follow(hn_sim *sim, const hn_sim *other) {
  if (!sim->watch.events || !sim->sys->memories) return;
  begin(sim);
  memcpy(sim->stage.work.memory, other->stage.work.memory,
         (size_t)sim->sys->memories * sizeof(double));
}

// the motion leaves a surface along which it slid; it lies on it, whatever round-off says
static void leave(hn_sim *sim, int function) {
  struct hn_events *e = sim->watch.events;
  hn_sliding_leave(sim, &e->sliding, e->sliding.now.surface[function] - 1, e->side);
  hold(sim, false);
  hn_events_evaluate(sim, sim->state.t, sim->state.y, e->value);
  for (int i = 0; i < e->sliding.functions; i++)
    if (e->sliding.then.surface[i] && !e->sliding.now.surface[i])
      e->slack[i] = 2 * fabs(e->value[i]);
  e->restart = true;
}

// functions beyond their switching point change sides. Those that read others (a comparison with an
// absolute value) were held to the sides these had, so they are looked at again
static void change_sides(hn_sim *sim) {
  struct hn_events *e = sim->watch.events;
  for (int pass = 0; pass < NESTED; pass++) {
    bool changed = false, *was = e->before;
    if (pass) was = e->scratch, memcpy(was, e->side, (size_t)e->count * sizeof(bool));
    for (int i = 0; i < e->forces; i++) {
      if (!(hn_events_beyond(sim, i, e->value[i]) > 0)) continue;
      changed = true;
      if (e->sliding.functions && e->sliding.now.surface[i])
        leave(sim, i);
      else
        e->side[i] = !e->side[i];
    }
    if (!changed) return;
    remember(sim, was);
    hn_events_evaluate(sim, sim->state.t, sim->state.y, e->value);
  }
}

// how fast functions approach their switching points at the end of a step: what rests may be about
// to give way however long the next step is
static void note_slopes(hn_sim *sim) {
  struct hn_events *e = sim->watch.events;
  const double *end = e->value + HN_EVENT_PARTS * e->count, *before = end - e->count;
  double part = (sim->state.t - sim->state.t_old) / HN_EVENT_PARTS;
  for (int i = 0; i < e->count; i++)
    e->slope[i] = (hn_events_beyond(sim, i, before[i]) - hn_events_beyond(sim, i, end[i])) / part;
}

static void forget_slopes(struct hn_events *e) {
  for (int i = 0; i < e->count; i++) e->slope[i] = NAN;
}

// sides from which functions came that went over; those that were slid along did not
static void note_sides(struct hn_events *e) {
  for (int i = 0; i < e->forces; i++) {
    bool slid = e->sliding.functions && e->sliding.then.surface[i];
    double inside = e->side[i] ? e->value[i] : -e->value[i];
    e->from[i] = slid ? e->side[i] : e->before[i];
    if (inside > e->slack[i]) e->slack[i] = 0;
  }
}

// the end of the step becomes the start of the next one; functions that switched change sides.
// `met`: the step was made to end where one of a row that comes and goes does, which is not always
// seen from there
static void settle(hn_sim *sim, bool met) {
  struct hn_events *e = sim->watch.events;
  memcpy(e->before, e->side, (size_t)e->count * sizeof(bool));
  if (e->sliding.functions) hn_sliding_keep(sim, &e->sliding);
  note_slopes(sim);
  memcpy(e->value, e->value + HN_EVENT_PARTS * e->count, (size_t)e->count * sizeof(double));
  e->longest = fmax(e->longest, sim->state.t - sim->state.t_old);
  for (int i = e->forces; i < e->count; i++) met |= hn_events_beyond(sim, i, e->value[i]) > 0;
  if (e->count > e->forces) hn_contact_note(sim, e->value + e->forces, met);
  change_sides(sim);
  for (int i = 0; i < e->forces; i++)
    if (e->side[i] != e->before[i]) {
      e->crowd[i] = sim->state.t - e->last[i] < 1e-3 * e->longest ? e->crowd[i] + 1 : 0;
      e->last[i] = sim->state.t;
      e->restart = true;
    }
  note_sides(e);
}

// A step with the forces held. Formulas may be absurd beyond the place where they are left, and
// leave an implicit step of given size without a solution: shorter ones then lead up to that place.
static hn_status attempt(hn_sim *sim, double limit) {
  hn_status status = hn_careful_step(sim, limit);
  if (!status || sim->method.integrator->adaptive) return status;
  // its words are those of the whole step: shorter ones fail for reasons of their own
  char message[HN_MESSAGE];
  memcpy(message, sim->message, sizeof message);
  double h = fmin(limit, sim->opt.step);
  for (int i = 0; i < SHORTER; i++) {
    h *= 0.25;
    sim->count.rejected++;
    if (!sim->method.integrator->step(sim, h)) return HN_OK;
  }
  memcpy(sim->message, message, sizeof message);
  return status;
}

// what acts at time t of the last step, with the functions on the sides given.
// Forces on bodies, then rates of states, with the functions held on the sides given
static void act(hn_sim *sim, double t, const double *y, const bool *side, double *to) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  hn_sliding_hold(sim, &sim->watch.events->sliding, NULL, side);
  hn_give_states(work, y + sim->state.x);
  hn_eval_all(work, t, y, y + sys->nq);
  memcpy(to, work->f, (size_t)sys->bv * sizeof(double));
  if (sys->states) hn_state_rates(work, to + sys->bv);
  hold(sim, false);
  hn_stage_left(sim);
}

// the number, of n, in which two lists differ most, if by more than a jump; -1: none
static int jumping(const double *a, const double *b, int n) {
  static const double jump = 1e-6;  // relative to the largest of all; kinks change by round-off
  double size = 0, most = 0;
  int which = -1;
  for (int i = 0; i < n; i++) size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  for (int i = 0; i < n; i++)
    if (fabs(a[i] - b[i]) > fmax(most, jump * size)) most = fabs(a[i] - b[i]), which = i;
  return which;
}

// the body whose velocities contain this one
static int body_at(const hn_system *sys, int velocity) {
  int i = sys->bodies - 1;
  while (i > 1 && sys->body[i].v0 > velocity) i--;
  return i;
}

// the other sides of function i at time t of the last step, and of all that switch with it:
// formulas may ask the same
static void flip(hn_sim *sim, int i, double t, bool *side) {
  struct hn_events *e = sim->watch.events;
  const double *value = e->value + (HN_EVENT_PARTS + 1) * e->count;
  (void)hn_events_beyond_at(sim, i, t);
  for (int k = 0; k < e->forces; k++) {
    bool with = k == i || hn_events_beyond(sim, k, value[k]) > -2 * fmax(e->noise[k], e->slack[k]);
    side[k] = with ? !e->side[k] : e->side[k];
  }
}

// Function i switches to and fro without end at time t of the last step. Where what acts has a kink
// steps may go on across it. Where it jumps the motion would have to slide along the switching
// point, which this method, or these formulas, cannot (sliding.c).
static hn_status refuse_sliding(hn_sim *sim, int i, double t) {
  const hn_system *sys = sim->sys;
  struct hn_events *e = sim->watch.events;
  double *one = e->acts, *other = one + sys->bv + sys->states;
  flip(sim, i, t, e->scratch);
  sim->method.integrator->dense(sim, t, e->y);
  act(sim, t, e->y, e->side, one);
  act(sim, t, e->y, e->scratch, other);
  int force = jumping(one, other, sys->bv);
  int state = jumping(one + sys->bv, other + sys->bv, sys->states);
  if (force < 0 && state < 0) return HN_OK;
  char what[120];
  if (force >= 0)
    snprintf(what, sizeof what, "force on body '%s'",
             hn_body_name(sys, (hn_body){body_at(sys, force)}));
  else
    snprintf(what, sizeof what, "rate of state '%s'", sys->state[state].name);
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "t=%.9g: the %s switches to and fro without end: its jump drives the motion "
                     "back to where it switches from both sides, or comes faster than can be "
                     "followed (%sfor dry friction take the force 'friction' with law: coulomb; "
                     "for a switch a state of type 'relay' with a width; or a formula without the "
                     "jump, such as tanh)",
                     t, what,
                     sim->method.integrator->stands_alone
                         ? "explicit integrators such as dopri5 slide along there; "
                         : "");
}

// one step with the forces held, shortened to the first event.
// Up to PASSES times: step, look for the first event, take the step back, aim just behind it. The
// end of a step that arrived may lie behind by as much as time resolves, or where it chatters stand
// where it is
static hn_status held_step(hn_sim *sim, double limit) {
  struct hn_events *e = sim->watch.events;
  for (int pass = 0, aim = -1;; pass++) {
    hn_status status = attempt(sim, limit);
    if (status) return status;
    int which = 0;
    double at = hn_events_first(sim, &which), tick = hn_events_resolution(sim);
    // the same function again within no time, or again and again within next to none: it chatters,
    // and the step stands as it is if it may
    bool slides = which < e->sliding.functions && e->sliding.now.surface[which];
    bool chatters = which < e->forces && !slides &&
                    (at - e->last[which] < 1e3 * tick || e->crowd[which] > CROWD);
    // refuse_sliding returns HN_OK where what acts has but a kink
    if (chatters && at < INFINITY && refuse_sliding(sim, which, at)) return HN_ERR_UNSUPPORTED;
    bool stands = at == INFINITY || chatters;
    double size = sim->state.t - sim->state.t_old;
    bool arrived = sim->state.t - at <= 4 * tick || pass == PASSES;
    // velocities of some steppers jump by a little in any step, however short, and leave nothing to
    // be found inside: a short step across will do
    bool across = pass == 1 && e->reach > 0 && size > 0.999 * e->reach;
    double shortest = fmax(1e-3 * e->longest, 1e-11 * sim->opt.duration);
    arrived |= at < INFINITY && across && size < shortest;
    if (stands || arrived) {
      bool met = aim >= e->forces;
      settle(sim, met);
      if (!stands || met) sim->watch.located++, sim->watch.located_t = sim->state.t;
      // the dense output of a longer step had seen an event too early; the next one finds it, but
      // where steps have jumps of their own they might creep up to it for ever
      e->early = stands && !met && pass > 0 ? e->early + 1 : 0;
      e->reach = e->early > EARLY ? 2 * size : 0;
      return HN_OK;
    }
    limit = at + tick - sim->state.t_old;
    aim = which;
    // where it does so again the steps would creep
    if (pass == 0 && which < e->forces && e->reach > limit && e->reach < 0.5 * size)
      limit = e->reach;
    sim->method.integrator->undo(sim);
  }
}

// a gap has closed or a force vanished: what follows is decided, and the next step begins anew
static hn_status switch_rows(hn_sim *sim) {
  struct hn_events *e = sim->watch.events;
  hn_status status = hn_contact_switch(sim);
  if (status) return status;
  sim->step.h = 0;
  forget_slopes(e);
  hn_events_evaluate(sim, sim->state.t, sim->state.y, e->value);
  return check_conditions(sim);
}

// functions have changed sides: the new formula knows nothing of the old one's derivatives.
// step.h = 0 makes integrators with memory begin anew; one-step methods choose a first step
static hn_status start_anew(hn_sim *sim) {
  struct hn_events *e = sim->watch.events;
  bool slides = false;
  hn_status status = HN_OK;
  forget_slopes(e);
  sim->step.h = 0;
  e->restart = false;
  if (memcmp(e->from, e->side, (size_t)e->sliding.functions * sizeof(bool)) != 0)
    status = hn_sliding_enter(sim, &e->sliding, e->from, e->side, e->noise, &slides);
  hold(sim, false);
  if (slides) hn_events_evaluate(sim, sim->state.t, sim->state.y, e->value);
  memcpy(e->from, e->side, (size_t)e->count * sizeof(bool));
  hn_state_moved(sim);
  return status;
}

// whatever happens at this instant
static hn_status switch_all(hn_sim *sim) {
  struct hn_events *e = sim->watch.events;
  hn_status status = e->restart ? start_anew(sim) : HN_OK;
  e->sliding.back = sim->step.h > 0 ? 4 * sim->step.h : INFINITY;
  // what is switched may switch, or break, others
  for (int k = 0; k <= sim->sys->gates + 1 && !status && hn_contact_pending(sim); k++)
    status = switch_rows(sim);
  return status;
}

hn_status hn_events_happen(hn_sim *sim, bool *moved) {
  *moved = false;
  if (!sim->watch.events || !sim->watch.events->known) return HN_OK;
  hn_look_away(sim);
  *moved = sim->watch.events->restart || hn_contact_pending(sim);
  sim->stage.stepping = true;
  hold(sim, false);
  // whoever calls is between steps: what the step would have done first is done now
  hn_status status = switch_all(sim);
  let_go(sim);
  sim->stage.stepping = false;
  return status ? hn_explain_failure(sim, status) : HN_OK;
}

// Where a motion begins anew velocities may have jumped: angles are expected by those behind it. A
// first step from rest is as long as it likes.
static void renew_turns(hn_sim *sim) {
  hn_work *work = &sim->stage.work;
  if (sim->step.h > 0 || !sim->method.integrator->adaptive || !hn_turns_lag(sim->sys)) return;
  hn_eval_motion(work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
  hn_accept_turns(work, true);
  hn_state_moved(sim);
}

static hn_status plain_step(hn_sim *sim, double limit) {
  renew_turns(sim);
  return hn_careful_step(sim, limit);
}

static hn_status step_with_events(hn_sim *sim, double limit) {
  struct hn_events *e = sim->watch.events;
  if (!e->known) begin(sim);
  if (check_conditions(sim)) return HN_ERR_DIVERGED;
  double whole = fmin(hn_own_time(sim), sim->opt.duration);
  e->sliding.stride = fmax(1e-4 * e->longest, 1e-6 * whole);
  hold(sim, false);
  hn_status status = switch_all(sim);
  if (!status && e->count > e->forces) limit = hn_contact_limit(sim, limit);
  if (!status) renew_turns(sim);
  if (!status) status = held_step(sim, limit);
  let_go(sim);
  return status ? status : check_conditions(sim);
}

// a step failed before a singular place that can be passed over
static bool gets_stuck(hn_sim *sim, hn_status status) {
  char message[HN_MESSAGE];
  if (status != HN_ERR_STEP && status != HN_ERR_ASSEMBLY && status != HN_ERR_SINGULAR) return false;
  memcpy(message, sim->message, sizeof message);
  bool passed = hn_leave_stuck(sim);
  if (!passed) memcpy(sim->message, message, sizeof message);
  if (passed) hn_events_reset(sim);
  return passed;
}

// The one way by which a run moves. Corners of drivers and corners of tables limit the step, events
// end it; what fails is tried again over singular places, then explained. Where it ends well inputs
// may act, and what is watched is looked at.
hn_status hn_take_step(hn_sim *sim, double limit) {
  hn_status status = hn_refuse_programs(sim, "a run");
  if (status) return status;
  hn_look_away(sim);
  status = hn_corners_step(sim, &limit);
  if (status) return status;
  limit = hn_live_begin(sim, limit);
  sim->stage.stepping = true;
  if (hn_leaves(sim))
    status = hn_leave_step(sim, limit);
  else
    status = sim->watch.events ? step_with_events(sim, limit) : plain_step(sim, limit);
  sim->stage.stepping = false;
  // what no contact can obey is said already
  bool said = status && hn_contact_refused(sim);
  if (status && !said && gets_stuck(sim, status)) {
    sim->stage.stepping = true;
    status = hn_leave_step(sim, limit);
    sim->stage.stepping = false;
  }
  if (status) {
    (void)hn_live_end(sim, status);
    return said ? status : hn_explain_failure(sim, status);
  }
  status = hn_live_end(sim, HN_OK);
  if (!status) status = hn_ground_kept(sim);
  if (status) return status;
  hn_watch_step(sim);
  return hn_tally_step(sim);
}

void hn_dense_shown(hn_sim *sim, double t, double *y) {
  unsigned long rate = sim->stage.rate_stamp;
  hn_dense(sim, t, y);
  sim->stage.rate_stamp = rate;
}

void hn_dense(hn_sim *sim, double t, double *y) {
  if (hn_leave_dense(sim, t, y)) return;
  // what the dense output still has to evaluate belongs to the step, not to what came after
  bool held = sim->watch.events && sim->watch.events->known, stepping = sim->stage.stepping;
  if (held) hold(sim, true);
  hn_live_look_back(sim, true);
  sim->stage.stepping = true;
  sim->method.integrator->dense(sim, t, y);
  if (sim->method.solver->follow) sim->method.solver->follow(sim, y);
  sim->stage.stepping = stepping;
  hn_live_look_back(sim, false);
  if (held) let_go(sim);
}
