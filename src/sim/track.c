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
static void take(hn_work *work, const double *states, double *to) {
  const hn_system *sys = work->sys;
  memcpy(to + sys->bq + sys->bv, states, (size_t)sys->states * sizeof(double));
  hn_eval_poses(work);
  memcpy(to, work->q, (size_t)sys->bq * sizeof(double));
  memcpy(to + sys->bq, work->v, (size_t)sys->bv * sizeof(double));
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    double *q = to + b->q0, *v = to + sys->bq + b->v0;
    hn_pose pose;
    if (b->kind == HN_SCALAR || hn_centred(b)) continue;
    hn_user_pose(sys, i, work->q, work->v, &pose);
    memcpy(q, pose.position, (size_t)hn_body_linear(b) * sizeof(double));
    memcpy(v, pose.velocity, (size_t)hn_body_linear(b) * sizeof(double));
    if (b->kind != HN_SPATIAL) continue;
    memcpy(q + 3, pose.orientation, sizeof pose.orientation);
    memcpy(v + 3, pose.angular_velocity, sizeof pose.angular_velocity);
  }
}

void hn_track_take(hn_sim *sim, const double *y, double *to) {
  take(&sim->stage.work, y + sim->state.x, to);
}

void hn_track_end(struct hn_track *k) {
  if (!k) return;
  hn_sim_destroy(k->like);
  free(k->start), free(k->time), free(k->state), free(k->other), free(k->steps);
  free(k->spent), free(k->taken), free(k->own), free(k->turn);
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
  k->own = calloc((size_t)room, sizeof *k->own);
  k->turn = malloc(((size_t)sys->turns + 1) * sizeof(double));
  if (k->start && k->time && k->state && k->other && k->steps && k->spent && k->taken && k->own &&
      k->turn)
    return k;
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
  memcpy(k->turn, sim->stage.work.turn, (size_t)sim->sys->turns * sizeof(double));
  // a copy serves where the state alone does not say what was decided before
  k->gone_on = sim->count.steps != sim->audit.steps_before && decides(sim->sys);
  char message[HN_MESSAGE];
  if (k->gone_on && !k->samples && !hn_control_called(sim->sys))
    (void)hn_sim_copy(&k->like, sim, message, sizeof message);
  return k;
}

void hn_track_ask(struct hn_track *k, double t, long steps) {
  k->time[k->count] = t;
  k->steps[k->count] = steps;
  k->own[k->count++] = false;
}

void hn_track_keep(struct hn_track *k, hn_sim *sim, double t, const double *y) {
  k->time[k->count] = t;
  k->steps[k->count] = sim->count.steps - k->first;
  k->own[k->count] = true;
  hn_track_take(sim, y, k->state + (size_t)k->count * (size_t)k->n);
  k->count++;
}

static void move_state(struct hn_track *k, int to, int from) {
  if (to == from) return;
  k->time[to] = k->time[from];
  k->own[to] = k->own[from];
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
    if (!k->own[i] || k->steps[i] > k->steps[kept - 1] + 1) move_state(k, kept++, i);
  move_state(k, kept++, k->count - 1);
  k->count = kept;
}

void hn_track_row(struct hn_track *k, hn_sim *sim, double t, const double *y) {
  if (k && wants_row(k)) hn_track_keep(k, sim, t, y);
}

static void plan(struct hn_track *k, double t) {
  k->own[k->count] = true;
  k->time[k->count++] = t;
}

bool hn_track_plan(struct hn_track *k, const hn_sim *sim) {
  double interval, rows = hn_rows_asked(&sim->opt, &interval);
  double end = k->t0 + sim->opt.duration, eps = 1e-9 * interval, last = k->t0;
  if (!(rows < most_planned)) return false;
  memset(k->state, 0, (size_t)k->room * ((size_t)k->n + 1) * sizeof(double));
  for (double row = 0; last < end - eps; row++) {
    last = k->t0 + row * interval;
    if (last > end - eps) last = end;  // also where that is no multiple of the interval
    if (wants_row(k)) plan(k, last);
  }
  if (k->count == 0 || k->time[k->count - 1] < end) plan(k, end);
  return true;
}

// ---- where the caller halts ----------------------------------------------------------------

// Steps that are not recorded are seen by the caller wherever it halts. Every so many of these
// states are kept as they are, and half as many whenever there is no room for more

// of one that is kept: its time, the steps up to it, the state, on which turns its angles are
static size_t halt_size(const hn_sim *sim) {
  return 2 + (size_t)sim->state.s + (size_t)sim->sys->turns;
}

// how many there is room for, an even number: of large models a few
static int most_halts(const hn_sim *sim) {
  return 2 * (int)fmin(fmax(5e5 / (double)halt_size(sim), 1), 16);
}

static double *halt(const hn_sim *sim, int i) {
  return sim->audit.halt + (size_t)i * halt_size(sim);
}

void hn_halts_layout(hn_sim *sim, hn_arena *arena) {
  sim->audit.halt = HN_TAKE(arena, double, halt_size(sim) * (size_t)most_halts(sim));
}

void hn_halts_reset(hn_sim *sim) {
  sim->audit.halts = 0;
  sim->audit.halts_seen = 0;
  sim->audit.halts_stride = 1;
}

void hn_halts_keep(hn_sim *sim) {
  hn_sim_audit *a = &sim->audit;
  size_t bytes = halt_size(sim) * sizeof(double);
  // what is seen in the instant of an event is before it in one run and behind it in another
  if (strcmp(sim->opt.audit_steps, "off") == 0 || sim->watch.located_t == sim->state.t) return;
  if (a->halts_seen++ % a->halts_stride) return;
  if (a->halts == most_halts(sim)) {
    for (int i = 1; i < a->halts / 2; i++) memcpy(halt(sim, i), halt(sim, 2 * i), bytes);
    a->halts /= 2;
    a->halts_stride *= 2;
  }
  double *to = halt(sim, a->halts++);
  to[0] = sim->state.t, to[1] = (double)(sim->count.steps - a->steps_before);
  memcpy(to + 2, sim->state.y, (size_t)sim->state.s * sizeof(double));
  memcpy(to + 2 + sim->state.s, sim->stage.work.turn, (size_t)sim->sys->turns * sizeof(double));
}

// between these, companions alone tell how large the motion is; the end comes behind them
struct hn_track *hn_halts_track(hn_sim *sim) {
  enum { FEW = 32 };
  const hn_sim_audit *a = &sim->audit;
  struct hn_track *k = hn_track_create(sim, a->halts + FEW + 1);
  if (!k) return NULL;
  k->changes = hn_live_changes_before(sim);
  k->first = a->steps_before;
  k->t0 = a->t_start;
  memcpy(k->start, a->y_start, (size_t)sim->state.s * sizeof(double));
  memcpy(k->turn, a->turn_start, (size_t)sim->sys->turns * sizeof(double));
  double whole = sim->state.t - k->t0;
  long steps = sim->count.steps - k->first;
  for (int i = 0, asked = 0; i < a->halts || asked < FEW;) {
    double next = asked < FEW ? k->t0 + whole * asked / FEW : INFINITY;
    const double *kept = i < a->halts ? halt(sim, i) : NULL;
    if (!kept || next < kept[0]) {
      hn_track_ask(k, next, steps * asked++ / FEW);
      continue;
    }
    i++;
    if (kept[0] >= sim->state.t) continue;  // the end is added by whoever compares
    take(hn_read_past(sim, kept[0], kept + 2, kept + 2 + sim->state.s), kept + 2 + sim->state.x,
         k->state + (size_t)k->count * (size_t)k->n);
    hn_track_ask(k, kept[0], (long)kept[1]);
    k->own[k->count - 1] = true;
  }
  return k;
}
