// live.c: what comes from outside while a run goes on: inputs that are set, tables over time.
//
// Steps end where a table has a corner or a jump, exactly: the time is known. During a step every
// table goes by the formula of the cell in which the step began, so that the integrator sees smooth
// equations; behind the point a new cell, and a new start, since derivatives of earlier steps mean
// nothing there. The same holds when an input is set.
//
// Questions about the state where a step ended are answered by what comes behind it; states inside
// the last step belong to what was before.
#include "sim/control.h"

#include <stdlib.h>
#include <string.h>

struct hn_live {
  bool bare;       // nothing comes from outside but pushes
  bool located;    // steps end on points of tables
  bool known;      // cell and next belong to the current time
  bool restart;    // the equations have changed since the last step
  int *cell;       // of every table, in the step under way or the last one
  int *free_cell;  // the work space's own
  double *next;    // when every table changes its formula
  double wake;     // the first of them
  double *now;     // inputs; those of the last step
  double *before;
  long changes;  // inputs set so far, and up to when the state was set
  long changes_before;
};

void hn_live_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  struct hn_live *o = HN_TAKE(arena, struct hn_live, 1), live = {.wake = INFINITY};
  live.cell = HN_TAKE(arena, int, sys->tables);
  live.next = HN_TAKE(arena, double, sys->tables);
  live.before = HN_TAKE(arena, double, sys->inputs + sys->held);
  if (!arena->base) return;
  live.free_cell = sim->stage.work.cell;
  live.now = sim->stage.work.input;
  live.bare = !sys->tables && !sys->inputs && !sys->held && !sys->controllers;
  live.located = sys->tables && strcmp(sim->opt.events, "off") != 0;
  memcpy(live.before, live.now, (size_t)(sys->inputs + sys->held) * sizeof(double));
  *o = live;
  sim->live = o;
}

void hn_live_reset(hn_sim *sim) {
  if (!sim->live) return;
  sim->live->known = sim->live->restart = false;
  sim->live->changes_before = sim->live->changes;
}

// nothing of earlier steps counts any more
static void begin_anew(hn_sim *sim) {
  hn_state_moved(sim);
  // one-step methods may go on with the size they had
  if (sim->method.integrator->multistep || sim->method.integrator->stands_alone) sim->step.h = 0;
  hn_events_reset(sim);
  sim->live->restart = false;
  sim->watch.located++;
}

// the cells in which a step from here begins
static void find_cells(hn_sim *sim) {
  struct hn_live *l = sim->live;
  const hn_system *sys = sim->sys;
  l->wake = INFINITY;
  for (int i = 0; i < sys->tables; i++) {
    if (!l->known || sim->state.t >= l->next[i]) {
      l->cell[i] = hn_series_cell(sys->table[i], sim->state.t, l->cell[i]);
      l->next[i] = hn_series_next(sys->table[i], l->cell[i]);
    }
    l->wake = fmin(l->wake, l->next[i]);
  }
  l->known = true;
}

// Instants that differ by rounding only (0.3 of a table, the third sample of 0.1) are one: the last
// of them. Between them there is no room for a step
static double together(const hn_sim *sim, double first) {
  const struct hn_live *l = sim->live;
  if (!(first < INFINITY)) return first;
  double until = first + 2e-14 * hn_time_size(sim, first), last = hn_control_last(sim, until);
  for (int i = 0; l->located && i < sim->sys->tables; i++)
    if (l->next[i] <= until) last = fmax(last, l->next[i]);
  return fmax(first, last);
}

// values of the step under way are kept (before), so that whoever looks back into it later sees
// what it saw
double hn_live_begin(hn_sim *sim, double limit) {
  struct hn_live *l = sim->live;
  if (!l) return limit;
  if (l->restart) begin_anew(sim);
  if (l->bare) return limit;
  memcpy(l->before, l->now, (size_t)(sim->sys->inputs + sim->sys->held) * sizeof(double));
  l->wake = INFINITY;
  if (l->located) {
    find_cells(sim);
    // from here to hn_live_end tables go by these cells; readers between steps look theirs up
    sim->stage.work.cell = l->cell;
    sim->stage.work.cells_held = true;
  }
  l->wake = fmin(l->wake, hn_control_next(sim));
  l->wake = together(sim, l->wake);
  return fmin(limit, l->wake - sim->state.t);
}

// the step has ended on points of tables: do the equations change there?
static void leave_cells(hn_sim *sim) {
  struct hn_live *l = sim->live;
  for (int i = 0; l->located && i < sim->sys->tables; i++) {
    const hn_series *s = sim->sys->table[i];
    // a spline goes on smoothly, but for its ends
    bool inside =
        s->kind == HN_CUBIC && sim->state.t > s->time[0] && sim->state.t < s->time[s->count - 1];
    if (sim->state.t >= l->next[i] && !inside) l->restart = true;
  }
}

hn_status hn_live_end(hn_sim *sim, hn_status status) {
  struct hn_live *l = sim->live;
  if (!l || l->bare) return status;
  if (l->located) {
    sim->stage.work.cell = l->free_cell;
    sim->stage.work.cells_held = false;
  }
  if (status) return status;
  // the end of a step is a sum and may miss the instant by rounding: that is no step to make up for
  if (l->wake - sim->state.t <= 4e-16 * hn_time_size(sim, sim->state.t)) {
    sim->state.t = l->wake;
    leave_cells(sim);
  }
  return hn_control_act(sim);
}

void hn_live_hold(hn_sim *sim, int input, double value) {
  struct hn_live *l = sim->live;
  // a controller that holds its value, sample after sample, does not make the integrator begin anew
  if (l->now[input] == value) return;
  l->now[input] = value;
  l->restart = true;
  hn_state_moved(sim);
}

bool hn_live_pending(const hn_sim *sim) {
  return sim->live && sim->live->restart;
}

void hn_live_look_back(hn_sim *sim, bool back) {
  struct hn_live *l = sim->live;
  if (!l) return;
  sim->stage.work.input = back ? l->before : l->now;
  if (!l->located || !l->known) return;
  sim->stage.work.cell = back ? l->cell : l->free_cell;
  sim->stage.work.cells_held = back;
}

void hn_live_copy(hn_sim *sim, const hn_sim *from) {
  size_t count = (size_t)(sim->sys->inputs + sim->sys->held);
  // the companion is pushed as the run was; functions of the caller are asked at its own times
  memcpy(sim->live->now, from->live->now, count * sizeof(double));
  memcpy(sim->stage.work.wrench_set, from->stage.work.wrench_set,
         6 * (size_t)sim->sys->bodies * sizeof(double));
  sim->stage.work.pushed = from->stage.work.pushed;
  sim->stage.work.pusher = from->stage.work.pusher;
}

void hn_live_follow(hn_sim *sim, const hn_sim *other, bool back) {
  const double *held = back ? other->live->before : other->live->now;
  for (int i = sim->sys->inputs; i < sim->sys->inputs + sim->sys->held; i++)
    hn_live_hold(sim, i, held[i]);
}

long hn_live_changes(const hn_sim *sim) {
  return sim->live ? sim->live->changes : 0;
}

long hn_live_changes_before(const hn_sim *sim) {
  return sim->live ? sim->live->changes_before : 0;
}

// ---- inputs --------------------------------------------------------------------------------

int hn_signal_count(const hn_system *sys) {
  return sys->named;
}

const char *hn_signal_name(const hn_system *sys, int signal) {
  return signal >= 0 && signal < sys->named ? sys->named_signal[signal].name : NULL;
}

int hn_input_count(const hn_system *sys) {
  return sys->inputs;
}

const char *hn_input_name(const hn_system *sys, int input) {
  return input >= 0 && input < sys->inputs ? sys->input[input].name : NULL;
}

int hn_input_find(const hn_system *sys, const char *name) {
  for (int i = 0; name && i < sys->inputs; i++)
    if (strcmp(sys->input[i].name, name) == 0) return i;
  return -1;
}

hn_status hn_input_set(hn_sim *sim, int input, double value) {
  if (input < 0 || input >= sim->sys->inputs)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "there is no input %d (the model has %d)", input,
                       sim->sys->inputs);
  if (!isfinite(value))
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "input '%s' must be a finite number",
                       sim->sys->input[input].name);
  struct hn_live *l = sim->live;
  if (l->now[input] == value) return HN_OK;
  l->now[input] = value;
  l->restart = true;
  l->changes++;
  hn_state_moved(sim);
  return HN_OK;
}

double hn_input_value(const hn_sim *sim, int input) {
  if (input < 0 || input >= sim->sys->inputs) return NAN;
  return sim->live->now[input];
}

// ---- forces of the caller --------------------------------------------------------------------

static hn_status check_push(hn_sim *sim, hn_body body) {
  const hn_integrator_type *type = sim->method.integrator;
  if (body.id < 1 || body.id >= sim->sys->bodies || sim->sys->body[body.id].kind == HN_SCALAR)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "there is no such body to push");
  if (type->stands_alone && !(type->can & HN_CAN_STATES))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' knows no forces but those of the model (all of holon's own "
                       "do)",
                       type->info.name);
  return HN_OK;
}

// the equations are others from here on
static void pushed(hn_sim *sim) {
  hn_work *work = &sim->stage.work;
  work->pushed = work->pusher != NULL;
  for (int i = 0; i < 6 * sim->sys->bodies; i++) work->pushed |= work->wrench_set[i] != 0;
  sim->live->restart = true;
  sim->live->changes++;
  hn_state_moved(sim);
}

hn_status hn_wrench_set(hn_sim *sim, hn_body body, const double force[3], const double torque[3]) {
  hn_status status = check_push(sim, body);
  if (status) return status;
  double wrench[6] = {0};
  if (force) memcpy(wrench, force, 3 * sizeof(double));
  if (torque) memcpy(wrench + 3, torque, 3 * sizeof(double));
  for (int k = 0; k < 6; k++)
    if (!isfinite(wrench[k]))
      return hn_sim_fail(sim, HN_ERR_ARGUMENT, "force and torque must be finite numbers");
  memcpy(sim->stage.work.wrench_set + 6 * body.id, wrench, sizeof wrench);
  pushed(sim);
  return HN_OK;
}

hn_status hn_wrench_function(hn_sim *sim, hn_body body, hn_wrench_fn function, void *user) {
  hn_status status = check_push(sim, body);
  if (status) return status;
  if (!sim->pushers) sim->pushers = calloc((size_t)sim->sys->bodies, sizeof *sim->pushers);
  if (!sim->pushers) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  sim->pushers[body.id] = (hn_pusher){function, user, NULL};
  sim->stage.work.pusher = sim->pushers;
  pushed(sim);
  return HN_OK;
}

hn_status hn_wrench_tangent(hn_sim *sim, hn_body body, hn_wrench_tangent_fn tangent) {
  hn_status status = check_push(sim, body);
  if (status) return status;
  if (!sim->pushers || !sim->pushers[body.id].function)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                       "body '%s' has no function that pushes it (hn_wrench_function first)",
                       sim->sys->body[body.id].info->name);
  sim->pushers[body.id].tangent = tangent;
  return HN_OK;
}
