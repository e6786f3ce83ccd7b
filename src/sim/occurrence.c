// occurrence.c: events: instants at which a condition of the model becomes true.
//
// Conditions are guards of machines of two modes (control.c), so steps end where one switches, and
// the instant is as exact as the integrator. What is true from the start on has not become so.
#include "sim/occurrence.h"

#include "record/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 256, SHOWN = 64 };

struct hn_occurrences {
  int count;             // kept so far
  int event[KEPT];       // numbers of events
  double time[KEPT];     // and when they happened
  long *times;           // per event: how often
  bool *from_the_start;  // per event: its condition was true there
  int ended;             // number of the event that ended the run, counted from one
};

// functions of the caller live outside of the block of the run
struct hn_listeners {
  hn_event_fn function;
  void *user;
};

int hn_event_count(const hn_system *sys) {
  return sys->events;
}

static const hn_controller *event_at(const hn_system *sys, int event) {
  return event >= 0 && event < sys->events ? &sys->controller[sys->event[event]] : NULL;
}

const char *hn_event_name(const hn_system *sys, int event) {
  const hn_controller *c = event_at(sys, event);
  return c ? c->name : NULL;
}

int hn_event_find(const hn_system *sys, const char *name) {
  for (int i = 0; name && i < sys->events; i++)
    if (strcmp(event_at(sys, i)->name, name) == 0) return i;
  return -1;
}

void hn_occurrence_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  if (!sys->events) return;
  struct hn_occurrences *o = HN_TAKE(arena, struct hn_occurrences, 1);
  long *times = HN_TAKE(arena, long, sys->events);
  bool *from_the_start = HN_TAKE(arena, bool, sys->events);
  if (!arena->base) return;
  o->times = times;
  o->from_the_start = from_the_start;
  sim->occurrences = o;
}

void hn_occurrence_reset(hn_sim *sim) {
  struct hn_occurrences *o = sim->occurrences;
  if (!o) return;
  o->count = o->ended = 0;
  memset(o->times, 0, (size_t)sim->sys->events * sizeof *o->times);
  memset(o->from_the_start, 0, (size_t)sim->sys->events * sizeof *o->from_the_start);
}

// conditions that hold at the start have not become true: they are noted, but do not count, end
// nothing and call nobody
hn_status hn_occurrence_note(hn_sim *sim, int controller) {
  struct hn_occurrences *o = sim->occurrences;
  const hn_system *sys = sim->sys;
  int k = 0;
  while (sys->event[k] != controller) k++;
  if (!(sim->state.t > sim->audit.t_start)) {
    o->from_the_start[k] = true;
    return HN_OK;
  }
  o->times[k]++;
  if (o->count < KEPT) {
    o->event[o->count] = k;
    o->time[o->count++] = sim->state.t;
  }
  if (sys->controller[controller].stop) o->ended = k + 1;
  const struct hn_listeners *l = sim->listeners ? &sim->listeners[k] : NULL;
  if (!l || !l->function || l->function(l->user, k, sim->state.t) == HN_OK) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_INTERRUPTED, "t=%.6g: stopped by the caller at event '%s'",
                     sim->state.t, sys->controller[controller].name);
}

void hn_occurrence_go_on(hn_sim *sim) {
  if (sim->occurrences) sim->occurrences->ended = 0;
}

const char *hn_sim_ended(const hn_sim *sim) {
  const struct hn_occurrences *o = sim->occurrences;
  return o && o->ended ? hn_event_name(sim->sys, o->ended - 1) : NULL;
}

long hn_sim_event_count(const hn_sim *sim, int event) {
  const struct hn_occurrences *o = sim->occurrences;
  long sum = 0;
  if (!o) return 0;
  if (event >= 0) return event < sim->sys->events ? o->times[event] : 0;
  for (int i = 0; i < sim->sys->events; i++) sum += o->times[i];
  return sum;
}

bool hn_sim_event(const hn_sim *sim, int index, int *event, double *time) {
  const struct hn_occurrences *o = sim->occurrences;
  if (!o || index < 0 || index >= o->count) return false;
  *event = o->event[index];
  *time = o->time[index];
  return true;
}

hn_status hn_event_function(hn_sim *sim, int event, hn_event_fn function, void *user) {
  if (!event_at(sim->sys, event))
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "there is no event %d (the model has %d)", event,
                       sim->sys->events);
  if (!sim->listeners) sim->listeners = calloc((size_t)sim->sys->events, sizeof *sim->listeners);
  if (!sim->listeners) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  sim->listeners[event] = (struct hn_listeners){function, user};
  return HN_OK;
}

hn_status hn_occurrence_tell(const hn_sim *sim, hn_result *result) {
  const struct hn_occurrences *o = sim->occurrences;
  hn_status status = HN_OK;
  char text[240];
  for (int i = 0; o && !status && i < sim->sys->events; i++) {
    if (!o->from_the_start[i]) continue;
    snprintf(text, sizeof text,
             "event %s: its condition was true from the start, which does not count",
             hn_event_name(sim->sys, i));
    status = hn_result_add_note(result, text);
  }
  for (int i = 0; o && !status && i < o->count && i < SHOWN; i++) {
    snprintf(text, sizeof text, "event %s at t = %.12g s", hn_event_name(sim->sys, o->event[i]),
             o->time[i]);
    status = hn_result_add_note(result, text);
  }
  long all = hn_sim_event_count(sim, -1);
  if (!status && all > SHOWN) {
    snprintf(text, sizeof text, "events: %ld in all, the first %d are listed", all, SHOWN);
    status = hn_result_add_note(result, text);
  }
  if (!status && hn_sim_ended(sim)) {
    snprintf(text, sizeof text, "ended by event %s", hn_sim_ended(sim));
    status = hn_result_add_note(result, text);
  }
  return status;
}
