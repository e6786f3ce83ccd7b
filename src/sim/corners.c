// corners.c: drivers whose rate jumps.
//
// A motion like min(2*t, 1) has a corner: the velocity jumps there, which takes an infinite force
// for an instant. What follows is determined all the same: of all velocities that meet the new rate
// those nearest to the ones before, measured by the mass matrix, are what impulses along the
// constraints leave. A step ends just before the corner, and the next one begins just behind it;
// what the impulses bring in counts as work. With contacts which of them hold in that instant would
// have to be found as well: such runs are refused.
//
// Where the acceleration jumps and the rate does not a step ends and the next one begins as well,
// but nothing happens between them: a step over that place would have no order, and velocities
// behind it would be what the correction makes of them.
//
// Corners are looked for (scan.h) in motions that decide anything, before the first step and over
// the duration of the run. Whoever goes on from there has the next duration looked through: no step
// leads beyond what has been.
#include "sim/scan.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

typedef struct corner {
  double before, behind;  // instants
  int row;                // whose joint is the driver
  double jump, work;
} corner;

struct hn_corners {
  double from, until;  // what was looked through last; NAN: nothing
  bool further;        // something may be decided behind it, too
  int count, next;     // those found; those passed, which are told
  corner *corner;
  int bends, next_bend;
  corner *bend;
  const struct hn_corners *seen;  // by the run that this one goes beside; NULL: none
};

void hn_corners_layout(hn_sim *sim, hn_arena *arena) {
  if (!sim->sys->motions) return;
  struct hn_corners *o = HN_TAKE(arena, struct hn_corners, 1), place = {.from = NAN};
  place.corner = HN_TAKE_NUMBERS(arena, corner, MOST);
  place.bend = HN_TAKE_NUMBERS(arena, corner, MOST);
  if (!arena->base) return;
  *o = place;
  sim->watch.corners = o;
}

void hn_corners_reset(hn_sim *sim) {
  if (!sim->watch.corners) return;
  sim->watch.corners->from = NAN;
  sim->watch.corners->count = sim->watch.corners->next = 0;
  sim->watch.corners->bends = sim->watch.corners->next_bend = 0;
}

// may a motion decide anything in this time?
static bool decides(hn_sim *sim, double t0, double t1, bool *failed) {
  const hn_system *sys = sim->sys;
  hn_bounds out[3], in = {t0, t1}, *registers = calloc((size_t)sys->registers + 1, sizeof in);
  bool any = false;
  *failed = !registers;
  for (int i = 0; registers && i < sys->motions; i++)
    if (!sys->motion[i].signals)
      any |= hn_program_bounds(sys->motion[i].program, &in, registers, out) > 0;
  free(registers);
  return any;
}

static int row_of(const hn_system *sys, const char *joint) {
  for (int i = 0; i < sys->rowcount; i++)
    if (sys->row[i].motion >= 0 &&
        strcmp(sys->joint[sys->row_joint[sys->row[i].row]].name, joint) == 0)
      return sys->row[i].row;
  return 0;
}

static hn_status keep(hn_sim *sim, const hn_scan *scan) {
  struct hn_corners *o = sim->watch.corners;
  if (scan->kinks > MOST)
    return hn_sim_fail(
        sim, HN_ERR_MODEL,
        "driver '%s': its rate jumps %d times, first at t=%.6g (at most %d times are "
        "followed: smooth the motion)",
        scan->kink[0].driver, scan->kinks, scan->kink[0].time, MOST);
  if (o->count + scan->kinks > MOST) {  // those that were passed long ago are told no more
    o->count -= o->next;
    memmove(o->corner, o->corner + o->next, (size_t)o->count * sizeof *o->corner);
    o->next = 0;
  }
  for (int i = 0; i < scan->kinks; i++) {
    const hn_kink *k = &scan->kink[i];
    corner *last = o->count ? &o->corner[o->count - 1] : NULL;
    // The corner is known to the width of the search: the step before must surely end before it,
    // the one behind it surely begin behind
    double before = k->time - 4 * scan->width, behind = k->time + 4 * scan->width;
    if (k->order == 0) return hn_scan_refuse(sim, k);
    // corners of several drivers in one instant are one; so is one found in two looks
    if (last && before <= last->behind)
      last->behind = fmax(last->behind, behind);
    else if (o->count < MOST)
      o->corner[o->count++] = (corner){before, behind, row_of(sim->sys, k->driver), k->jump, 0};
  }
  return HN_OK;
}

// the first MOST of a look: behind them steps are as long as their errors allow, as without
static void keep_bends(hn_sim *sim, const hn_scan *scan) {
  struct hn_corners *o = sim->watch.corners;
  o->bends = o->next_bend = 0;
  for (int i = 0; i < scan->bends && o->bends < MOST; i++) {
    double before = scan->bend[i] - 4 * scan->width, behind = scan->bend[i] + 4 * scan->width;
    if (o->bends && before <= o->bend[o->bends - 1].behind)
      o->bend[o->bends - 1].behind = behind;
    else if (before > sim->state.t)
      o->bend[o->bends++] = (corner){.before = before, .behind = behind};
  }
}

// what another run of the same system has found in the same time
static bool copy_seen(struct hn_corners *o) {
  const struct hn_corners *seen = o->seen;
  if (!seen || seen->from != o->from || seen->until != o->until) return false;
  o->further = seen->further;
  o->count = seen->count, o->bends = seen->bends;
  o->next = o->next_bend = 0;
  memcpy(o->corner, seen->corner, (size_t)seen->count * sizeof *seen->corner);
  memcpy(o->bend, seen->bend, (size_t)seen->bends * sizeof *seen->bend);
  for (int i = 0; i < o->count; i++) o->corner[i].work = 0;
  return true;
}

void hn_corners_follow(hn_sim *sim, const hn_sim *run) {
  if (sim->watch.corners) sim->watch.corners->seen = run->watch.corners;
}

// from the current time on, over as long as a run takes
static hn_status look(hn_sim *sim) {
  static const double ever = 1e12;  // [s]
  struct hn_corners *o = sim->watch.corners;
  double t0 = sim->state.t, t1 = t0 + sim->opt.duration;
  hn_scan scan;
  bool failed;
  o->from = t0;
  o->until = t1;
  if (o->count == 0 && copy_seen(o)) return HN_OK;
  // what lies beyond is looked at only roughly, once: whether there is anything to come back for
  o->further = decides(sim, t1, t1 + ever, &failed);
  if (!failed && !decides(sim, t0, t1, &failed) && !failed) return HN_OK;
  if (failed) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  if (!hn_scan_breaks(&scan, sim->sys, t0, t1))
    return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  hn_status status = keep(sim, &scan);
  keep_bends(sim, &scan);
  hn_scan_release(&scan);
  return status;
}

// nothing of earlier steps counts any more: the memory of several, derivative, dense output
static void begin_anew(hn_sim *sim) {
  sim->step.h = 0;
  hn_stage_left(sim);
  hn_state_moved(sim);
  hn_events_reset(sim);
  hn_watch_reset(sim);
}

// velocities jump to those that meet the rates behind the corner
static hn_status pass(hn_sim *sim, corner *c) {
  const hn_system *sys = sim->sys;
  double *q = sim->state.y, *v = q + sys->nq, moved;
  const char *driver = sys->joint[sys->row_joint[c->row]].name;
  if (sim->contacts)
    return hn_sim_fail(
        sim, HN_ERR_MODEL,
        "t=%.6g: the rate of driver '%s' jumps by %.6g %s, and with contacts, limits or "
        "joints that come and go it is not followed (round the corner)",
        c->before, driver, c->jump, sys->angular_row[c->row] ? "rad/s" : "m/s");
  sim->state.t = c->behind;
  hn_stage_left(sim);
  hn_eval_jacobian(&sim->stage.work, sim->state.t, q, v);
  double energy = hn_kinetic_energy(&sim->stage.work);
  hn_status status = hn_correction_find("mass")->apply(sim, sim->state.t, q, v, &moved);
  if (status) return status;
  hn_eval_jacobian(&sim->stage.work, sim->state.t, q, v);
  c->work = hn_kinetic_energy(&sim->stage.work) - energy;
  sim->state.y[sim->state.w] += c->work;
  begin_anew(sim);
  sim->watch.located++;
  return HN_OK;
}

// the next place where the acceleration jumps ends the step that begins here; one that is reached
// lies behind it. Where contacts decide it is theirs to begin anew
static void bend_step(hn_sim *sim, double near, double *limit) {
  struct hn_corners *o = sim->watch.corners;
  if (sim->contacts) return;
  while (o->next_bend < o->bends && sim->state.t >= o->bend[o->next_bend].before - near) {
    const corner *bend = &o->bend[o->next_bend++];
    if (!(sim->state.t < bend->behind)) continue;
    sim->state.t = bend->behind;
    begin_anew(sim);
  }
  if (o->next_bend < o->bends) *limit = fmin(*limit, o->bend[o->next_bend].before - sim->state.t);
}

hn_status hn_corners_step(hn_sim *sim, double *limit) {
  // a loop: behind a corner passed, or a stretch looked through, there may be the next
  struct hn_corners *o = sim->watch.corners;
  if (!o) return HN_OK;
  double near = 4e-16 * hn_time_size(sim, sim->state.t), little = 1e-9 * sim->opt.duration;
  for (;;) {
    bool known = o->from <= sim->state.t && !(o->further && sim->state.t >= o->until - little);
    bool here = o->next < o->count && sim->state.t >= o->corner[o->next].before - near;
    if (known && !here) break;
    hn_status status = known ? pass(sim, &o->corner[o->next]) : look(sim);
    if (status) return status;
    o->next += known;
  }
  if (o->next < o->count) *limit = fmin(*limit, o->corner[o->next].before - sim->state.t);
  if (o->further) *limit = fmin(*limit, o->until - sim->state.t);
  bend_step(sim, near, limit);
  return HN_OK;
}

bool hn_sim_corner(const hn_sim *sim, int index, hn_corner *out) {
  const struct hn_corners *o = sim->watch.corners;
  if (!o || index < 0 || index >= o->next) return false;
  const corner *c = &o->corner[index];
  *out = (hn_corner){.time = 0.5 * (c->before + c->behind),
                     .driver = sim->sys->joint[sim->sys->row_joint[c->row]].name,
                     .jump = c->jump,
                     .angular = sim->sys->angular_row[c->row],
                     .work = c->work};
  return true;
}
