// control.c: controllers: values that are held, and change in single instants.
//
// Sampled ones look at the state at t = offset + k period, exactly: steps end there. Their memory
// follows from what it was, all at once, then the output from the memory; it acts from that instant
// on, or a delay later. Machines look at the guards of their mode where a step ends: guards are
// switching functions, so that steps end where one becomes true. Values are kept with the inputs
// (live.c), behind them.
//
// Noise is a function of the seed and the number of the sample: a run that is repeated, or
// restored, meets the same.
#include "sim/control.h"
#include "base/elementary.h"
#include "sim/occurrence.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRANSITIONS = 100 };

// what has been sampled and does not act yet
typedef struct waiting {
  int first, count, room;
  double *when, *value;
} waiting;

struct hn_control {
  long *k;         // per controller: number of the next sample
  double *next;    // and when it is taken
  waiting *queue;  // per controller
  double *memory;  // scratch: the largest memory, then the largest list of inputs
  long samples;    // taken since the state was set, but for those at that instant
};

// functions of the caller live outside of the block of the run
struct hn_functions {
  hn_controller_fn function;
  void *user;
};

// as many as are under way at once: those of a delay, the one being taken, the one being released
static int queue_room(const hn_controller *c) {
  return c->period > 0 && c->delay > 0 ? (int)(c->delay / c->period) + 2 : 0;
}

void hn_control_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int n = sys->controllers, most = 0;
  if (!n) return;
  struct hn_control *o = HN_TAKE(arena, struct hn_control, 1), c = {0};
  c.k = HN_TAKE(arena, long, n);
  c.next = HN_TAKE(arena, double, n);
  c.queue = HN_TAKE(arena, waiting, n);
  for (int i = 0; i < n; i++) {
    waiting w = {.room = queue_room(&sys->controller[i])};
    w.when = HN_TAKE(arena, double, w.room);
    w.value = HN_TAKE(arena, double, w.room);
    if (arena->base) c.queue[i] = w;
    int size = sys->controller[i].memories + sys->controller[i].inputs;
    most = size > most ? size : most;
  }
  c.memory = HN_TAKE(arena, double, most);
  if (!arena->base) return;
  *o = c;
  sim->control = o;
}

// ---- one sample ------------------------------------------------------------------------------

// splitmix64: neighbouring numbers become unlike in every bit
static uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// a normal deviate that belongs to sample k of a controller (Box, Muller)
static double deviate(const hn_controller *c, int number, long k) {
  uint64_t key = mixed(mixed((uint64_t)c->seed) ^ mixed((uint64_t)number << 32 ^ (uint64_t)k));
  // never 0, which has no logarithm
  double a = ((double)(mixed(key) >> 11) + 1) * 0x1p-53,
         b = (double)(mixed(key + 1) >> 11) * 0x1p-53;
  return sqrt(-2 * hn_log(a)) * hn_cos(2 * hn_pi * b);
}

static hn_status set_output(hn_sim *sim, const hn_controller *c, double value) {
  if (!isfinite(value))
    return hn_sim_fail(sim, HN_ERR_DIVERGED, "t=%.6g: controller '%s' gives no finite number",
                       sim->state.t, c->name);
  hn_live_hold(sim, c->output, value);
  return HN_OK;
}

static double read(const hn_sim *sim, int expression) {
  return hn_run_expression(sim->sys, &sim->stage.work, expression, NULL);
}

// the output of a function of the caller
static hn_status call(hn_sim *sim, int number, double *value) {
  const hn_controller *c = &sim->sys->controller[number];
  struct hn_control *o = sim->control;
  const struct hn_functions *f = sim->functions ? &sim->functions[number] : NULL;
  // a function that writes nothing holds its output
  *value = sim->stage.work.input[c->output];
  if ((!f || !f->function) && !(sim->state.t > sim->audit.t_start)) return HN_OK;  // not yet
  if (!f || !f->function)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                       "controller '%s' has no formula, and no function was set for it "
                       "(hn_controller_function)",
                       c->name);
  for (int i = 0; i < c->inputs; i++) o->memory[i] = read(sim, c->input + i);
  if (f->function(f->user, sim->state.t, o->memory, value) == HN_OK) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_INTERRUPTED, "t=%.6g: stopped by controller '%s'", sim->state.t,
                     c->name);
}

// All memories are read before any of them changes, so that their formulas see one instant. Noise
// is added before rounding to the quantum, as a converter does. With a delay the value waits in a
// ring whose room is known
static hn_status sample(hn_sim *sim, int number) {
  const hn_controller *c = &sim->sys->controller[number];
  struct hn_control *o = sim->control;
  double value;
  long k = o->k[number];
  for (int i = 0; i < c->memories; i++) o->memory[i] = read(sim, c->memory + i);
  for (int i = 0; i < c->memories; i++) {
    if (!isfinite(o->memory[i]))
      return hn_sim_fail(sim, HN_ERR_DIVERGED,
                         "t=%.6g: the memory of controller '%s' is no finite number", sim->state.t,
                         c->name);
    hn_live_hold(sim, c->output + 1 + i, o->memory[i]);
  }
  hn_status status = HN_OK;
  if (c->expression >= 0)
    value = read(sim, c->expression);
  else
    status = call(sim, number, &value);
  if (status) return status;
  if (c->noise > 0) value += c->noise * deviate(c, number, k);
  if (c->quantum > 0) value = c->quantum * rint(value / c->quantum);
  o->k[number]++;
  // from its number, not from the sample before: rounding does not gather over a long run
  o->next[number] = c->offset + (double)o->k[number] * c->period;
  if (!(c->delay > 0)) return set_output(sim, c, value);
  waiting *w = &o->queue[number];
  int at = (w->first + w->count++) % w->room;
  // after the instant that was meant, wherever the step ended
  w->when[at] = c->offset + (double)k * c->period + c->delay;
  w->value[at] = value;
  return HN_OK;
}

// what has waited long enough
static hn_status release(hn_sim *sim, int number) {
  waiting *w = &sim->control->queue[number];
  hn_status status = HN_OK;
  while (w->count && w->when[w->first] <= sim->state.t && !status) {
    status = set_output(sim, &sim->sys->controller[number], w->value[w->first]);
    w->first = (w->first + 1) % w->room;
    w->count--;
  }
  return status;
}

// ---- machines --------------------------------------------------------------------------------

// one change of mode, the first whose guard is true; false: none is
static bool change_mode(hn_sim *sim, const hn_controller *c) {
  // modes are kept among the inputs, as whole numbers
  int mode = (int)sim->stage.work.input[c->output];
  for (int i = 0; i < c->transitions; i++)
    if (c->from[i] == mode && read(sim, c->guard + i) != 0) {
      hn_live_hold(sim, c->output, c->to[i]);
      return true;
    }
  return false;
}

static bool happens(const hn_sim *sim, const hn_controller *c) {
  return c->event && sim->stage.work.input[c->output] == 1;
}

static hn_status change_modes(hn_sim *sim, int number) {
  const hn_controller *c = &sim->sys->controller[number];
  hn_status status = HN_OK;
  // a circle of guards that are all true would never come to an end
  for (int i = 0; i < MOST_TRANSITIONS && !status; i++) {
    if (!change_mode(sim, c)) return HN_OK;
    if (happens(sim, c)) status = hn_occurrence_note(sim, number);
  }
  if (status) return status;
  return hn_sim_fail(sim, HN_ERR_DIVERGED,
                     "t=%.6g: the modes of '%s' change for ever: guards of a circle are all true",
                     sim->state.t, c->name);
}

// ---- instants --------------------------------------------------------------------------------

double hn_control_next(const hn_sim *sim) {
  const struct hn_control *o = sim->control;
  double next = INFINITY;
  for (int i = 0; o && i < sim->sys->controllers; i++) {
    const waiting *w = &o->queue[i];
    if (sim->sys->controller[i].period > 0) next = fmin(next, o->next[i]);
    if (w->count) next = fmin(next, w->when[w->first]);
  }
  return next;
}

double hn_control_last(const hn_sim *sim, double until) {
  const struct hn_control *o = sim->control;
  double last = -INFINITY;
  for (int i = 0; o && i < sim->sys->controllers; i++) {
    const waiting *w = &o->queue[i];
    double next = sim->sys->controller[i].period > 0 ? o->next[i] : INFINITY;
    if (next <= until) last = fmax(last, next);
    if (w->count && w->when[w->first] <= until) last = fmax(last, w->when[w->first]);
  }
  return last;
}

hn_status hn_control_act(hn_sim *sim) {
  struct hn_control *o = sim->control;
  const hn_system *sys = sim->sys;
  hn_status status = HN_OK;
  if (!o) return HN_OK;
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
  hn_eval_signals(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  for (int i = 0; i < sys->controllers && !status; i++) {
    const hn_controller *c = &sys->controller[i];
    if (c->period > 0 && o->next[i] <= sim->state.t) {
      status = sample(sim, i);
      o->samples += sim->state.t > sim->audit.t_start;
    }
    if (!status) status = c->period > 0 ? release(sim, i) : change_modes(sim, i);
  }
  return status;
}

hn_status hn_control_start(hn_sim *sim) {
  struct hn_control *o = sim->control;
  const hn_system *sys = sim->sys;
  if (!o) return HN_OK;
  for (int i = 0; i < sys->held; i++) hn_live_hold(sim, sys->inputs + i, sys->held_start[i]);
  for (int i = 0; i < sys->controllers; i++) {
    const hn_controller *c = &sys->controller[i];
    o->queue[i].first = o->queue[i].count = 0;
    if (!(c->period > 0)) continue;
    // the first sample not before the state; one missed by rounding is taken now
    double behind = (sim->state.t - c->offset) / c->period;
    o->k[i] = behind > 0 ? (long)ceil(behind - 1e-9) : 0;
    o->next[i] = c->offset + (double)o->k[i] * c->period;
    if (fabs(o->next[i] - sim->state.t) <= 1e-9 * c->period) o->next[i] = sim->state.t;
  }
  o->samples = 0;
  hn_occurrence_reset(sim);
  // calls ask it whether this is the start, before the audit begins
  sim->audit.t_start = sim->state.t;
  return hn_control_act(sim);
}

long hn_control_samples(const hn_sim *sim) {
  return sim->control ? sim->control->samples : 0;
}

bool hn_control_called(const hn_system *sys) {
  for (int i = 0; i < sys->controllers; i++)
    if (sys->controller[i].inputs) return true;
  return false;
}

// ---- functions of the caller -----------------------------------------------------------------

int hn_controller_count(const hn_system *sys) {
  return sys->controllers;
}

const char *hn_controller_name(const hn_system *sys, int controller) {
  return controller >= 0 && controller < sys->controllers ? sys->controller[controller].name : NULL;
}

int hn_controller_find(const hn_system *sys, const char *name) {
  for (int i = 0; name && i < sys->controllers; i++)
    if (strcmp(sys->controller[i].name, name) == 0) return i;
  return -1;
}

int hn_controller_inputs(const hn_system *sys, int controller) {
  return controller >= 0 && controller < sys->controllers ? sys->controller[controller].inputs : 0;
}

hn_status hn_controller_function(hn_sim *sim, int controller, hn_controller_fn function,
                                 void *user) {
  const hn_system *sys = sim->sys;
  if (controller < 0 || controller >= sys->controllers)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "there is no controller %d (the model has %d)",
                       controller, sys->controllers);
  if (!sys->controller[controller].inputs)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "controller '%s' has no 'inputs': it is no function",
                       sys->controller[controller].name);
  if (!sim->functions) sim->functions = calloc((size_t)sys->controllers, sizeof *sim->functions);
  if (!sim->functions) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  sim->functions[controller] = (struct hn_functions){function, user};
  // the sample at the start was left out
  if (sim->state.t > sim->audit.t_start || !function) return HN_OK;
  return hn_start_from(sim, sim->state.t, sim->state.y, sim->state.y + sys->nq,
                       sim->state.y + sim->state.x);
}
