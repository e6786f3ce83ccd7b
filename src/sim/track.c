// track.c: states of a run that are kept until it is verified (verify.c).
//
// Which these are is known beforehand: a row now and then, half as many whenever there is no room
// for more, and the end. A companion that runs beside is given the same instants (hn_track_plan).
#include "sim/control.h"
#include "sim/yardstick.h"
#include "system/reaction.h"

#include <holon/result.h>
#include <stdlib.h>
#include <string.h>

enum {
  SAMPLES = 128,  // most states that are compared: each is interpolated and corrected
  ENOUGH = 40     // as many are, whatever the steps
};
static const double most_planned = 1e7;  // rows: telling their instants takes no time to speak of

// coordinates and velocities of the bodies at the state y, which was evaluated last, as they are
// recorded: of the frames the model knows, in world axes. Those of bodies have the same meaning in
// all coordinates that a companion may have
void hn_track_take(hn_sim *sim, const double *y, double *to) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->states; i++) to[sys->bq + sys->bv + i] = y[sim->state.x + i];
  hn_eval_poses(&sim->stage.work);
  memcpy(to, sim->stage.work.q, (size_t)sys->bq * sizeof(double));
  memcpy(to + sys->bq, sim->stage.work.v, (size_t)sys->bv * sizeof(double));
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    double *q = to + b->q0, *v = to + sys->bq + b->v0;
    hn_pose pose;
    if (b->kind == HN_SCALAR || hn_centred(b)) continue;
    hn_user_pose(sys, i, sim->stage.work.q, sim->stage.work.v, &pose);
    memcpy(q, pose.position, (size_t)hn_body_linear(b) * sizeof(double));
    memcpy(v, pose.velocity, (size_t)hn_body_linear(b) * sizeof(double));
    if (b->kind != HN_SPATIAL) continue;
    memcpy(q + 3, pose.orientation, sizeof pose.orientation);
    memcpy(v + 3, pose.angular_velocity, sizeof pose.angular_velocity);
  }
}

void hn_track_end(struct hn_track *k) {
  if (!k) return;
  hn_sim_destroy(k->like);
  free(k->start), free(k->time), free(k->state), free(k->other), free(k->steps);
  free(k->spent), free(k->taken);
  free(k);
}

void hn_track_destroy(hn_track *states) {
  hn_track_end(states);
}

struct hn_track *hn_track_create(const hn_sim *sim, int room) {
  const hn_system *sys = sim->sys;
  struct hn_track *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  k->n = sys->bq + sys->bv + sys->states;
  k->room = room;
  k->stride = 1;
  k->start = malloc((size_t)sim->state.s * sizeof(double));
  k->time = malloc((size_t)room * sizeof(double));
  k->state = malloc((size_t)room * ((size_t)k->n + 1) * sizeof(double));
  k->other = malloc((size_t)room * ((size_t)k->n + 1) * sizeof(double));
  k->steps = calloc((size_t)room, sizeof *k->steps);
  k->spent = calloc((size_t)room, sizeof *k->spent);
  k->taken = calloc((size_t)room, sizeof *k->taken);
  if (k->start && k->time && k->state && k->other && k->steps && k->spent && k->taken) return k;
  hn_track_end(k);
  return NULL;
}

// a run that goes on has more than its state: joints that came or broke, teeth of ratchets, speeds
// that contacts began with, modes
static bool decides(const hn_system *sys) {
  bool teeth = false;
  for (int i = 0; i < sys->unilaterals; i++) teeth |= sys->unilateral[i].pitch > 0;
  return sys->gates || sys->memories || sys->held || teeth;
}

struct hn_track *hn_track_begin(const hn_sim *sim) {
  if (strcmp(sim->opt.verify, "off") == 0) return NULL;
  double numbers = sim->sys->bq + sim->sys->bv + sim->sys->states;
  struct hn_track *k = hn_track_create(sim, (int)fmin(fmax(3e6 / numbers, 32), SAMPLES));
  if (!k) return NULL;
  k->t0 = sim->state.t;
  k->first = sim->count.steps;
  k->changes = hn_live_changes(sim);
  k->samples = hn_control_samples(sim);
  memcpy(k->start, sim->state.y, (size_t)sim->state.s * sizeof(double));
  // a copy serves where the state alone does not say what was decided before
  k->gone_on = sim->count.steps != sim->audit.steps_before && decides(sim->sys);
  char message[HN_MESSAGE];
  if (k->gone_on && !k->samples && !hn_control_called(sim->sys))
    (void)hn_sim_copy(&k->like, sim, message, sizeof message);
  return k;
}

void hn_track_keep(struct hn_track *k, hn_sim *sim, double t, const double *y) {
  k->time[k->count] = t;
  k->steps[k->count] = sim->count.steps - k->first;
  hn_track_take(sim, y, k->state + (size_t)k->count * (size_t)k->n);
  k->count++;
}

static void move_state(struct hn_track *k, int to, int from) {
  if (to == from) return;
  k->time[to] = k->time[from];
  k->steps[to] = k->steps[from];
  memcpy(k->state + (size_t)to * (size_t)k->n, k->state + (size_t)from * (size_t)k->n,
         (size_t)k->n * sizeof(double));
}

// is the next row one that is kept? Where there is no room for it every second one goes
static bool wants_row(struct hn_track *k) {
  if (k->rows++ % k->stride) return false;
  if (k->count < k->room - 1) return true;  // the last place is for the end
  int kept = 0;
  for (int i = 0; i < k->count; i += 2) move_state(k, kept++, i);
  k->count = kept;
  k->stride *= 2;
  return (k->rows - 1) % k->stride == 0;
}

// Errors change from step to step, not within one: where states lie closer than in every other step
// of the run, those between tell nothing more, and the companion takes longer ones. Where the
// motion is fast, and errors have their peaks, steps are short, and more states stay. The last one
// is the end
void hn_track_thin(struct hn_track *k) {
  int kept = 1;
  if (k->count <= ENOUGH || k->steps[k->count - 1] < 2 * ENOUGH) return;
  for (int i = 1; i < k->count - 1; i++)
    if (k->steps[i] > k->steps[kept - 1] + 1) move_state(k, kept++, i);
  move_state(k, kept++, k->count - 1);
  k->count = kept;
}

void hn_track_row(struct hn_track *k, hn_sim *sim, double t, const double *y) {
  if (k && wants_row(k)) hn_track_keep(k, sim, t, y);
}

bool hn_track_plan(struct hn_track *k, const hn_sim *sim) {
  double interval, rows = hn_rows_asked(&sim->opt, &interval);
  double end = k->t0 + sim->opt.duration, eps = 1e-9 * interval, last = k->t0;
  if (!(rows < most_planned)) return false;
  memset(k->state, 0, (size_t)k->room * ((size_t)k->n + 1) * sizeof(double));
  for (double row = 0; last < end - eps; row++) {
    last = k->t0 + row * interval;
    if (last > end - eps) last = end;  // also where that is no multiple of the interval
    if (wants_row(k)) k->time[k->count++] = last;
  }
  if (k->count == 0 || k->time[k->count - 1] < end) k->time[k->count++] = end;
  return true;
}
