// reading.c: what a run is asked at its present state.
//
// Several threads may ask at once, as long as nobody moves the run: a lock lets them in one by one.
// What needs no forces is evaluated in a room of its own, once for every state, and leaves the run
// untouched. The rest is evaluated where the run itself does so; what it needs of that is kept and
// put back before it goes on (hn_look).
#include "system/measure.h"
#include "system/reaction.h"
#include "system/transmission.h"

#include "record/columns.h"
#include "sim/sim.h"
#include "system/ground.h"

#include <string.h>

#ifdef __wasm__
// there are no other threads
typedef int lock;
static int lock_create(lock *l) {
  return *l = 0;
}
static void lock_destroy(lock *l) {
  (void)l;
}
static void lock_take(lock *l) {
  (void)l;
}
static void lock_give(lock *l) {
  (void)l;
}
#else
#include <pthread.h>
typedef pthread_mutex_t lock;
static int lock_create(lock *l) {
  return pthread_mutex_init(l, NULL);
}
static void lock_destroy(lock *l) {
  pthread_mutex_destroy(l);
}
static void lock_take(lock *l) {
  pthread_mutex_lock(l);
}
static void lock_give(lock *l) {
  pthread_mutex_unlock(l);
}
#endif

// what has been evaluated in the room
enum { NOTHING, POSES, TWISTS };

struct hn_reading {
  lock lock;
  hn_work work;
  unsigned long stamp;  // of the state it belongs to
  int level;
  unsigned long known;  // and a, lambda
  double *a, *lambda;
  double *load, *carried;  // of the run, while somebody looks: friction settles from the last ones
};

// behind all that a run is: saved bytes do not hold it, it is found anew
void hn_reading_layout(hn_sim *sim, hn_arena *arena) {
  struct hn_reading *r = HN_TAKE(arena, struct hn_reading, 1), place = {.level = NOTHING};
  place.a = HN_TAKE(arena, double, sim->sys->nv);
  place.lambda = HN_TAKE(arena, double, sim->sys->rows);
  place.load = HN_TAKE(arena, double, 6 * sim->sys->loads);
  place.carried = HN_TAKE(arena, double, sim->sys->holds);
  hn_work_layout(&place.work, arena, sim->sys);
  if (!arena->base) return;
  *r = place;
  sim->reading = r;
}

// false: the system has no more locks
bool hn_reading_create(hn_sim *sim) {
  if (!lock_create(&sim->reading->lock)) return true;
  sim->reading = NULL;
  return false;
}

void hn_reading_release(hn_sim *sim) {
  // made for this run by hn_reading_create: saved bytes bring none along
  if (sim->reading) lock_destroy(&sim->reading->lock);
}

void hn_reading_begin(const hn_sim *sim) {
  lock_take(&sim->reading->lock);
}

void hn_reading_end(const hn_sim *sim) {
  lock_give(&sim->reading->lock);
}

// ---- poses and twists ----------------------------------------------------------------------

// the bodies at the current state, in the room.
// Stamps say whether the room still shows the present state; a reader of positions alone costs no
// velocities
static hn_work *place_bodies(const hn_sim *sim, int level) {
  struct hn_reading *r = sim->reading;
  const hn_system *sys = sim->sys;
  const hn_work *run = &sim->stage.work;
  if (r->stamp == sim->state.stamp && r->level >= level) return &r->work;
  // turns are counted along the motion: the state alone does not say how many there were
  hn_copy_turns(&r->work, run);
  if (run->body_q) memcpy(r->work.body_q, run->body_q, (size_t)sys->bq * sizeof(double));
  hn_eval_motion(&r->work, sim->state.t, sim->state.y,
                 level == TWISTS ? sim->state.y + sys->nq : NULL);
  r->stamp = sim->state.stamp, r->level = level;
  return &r->work;
}

hn_work *hn_read_past(const hn_sim *sim, double t, const double *y, const double *turn) {
  struct hn_reading *r = sim->reading;
  r->level = NOTHING;
  memcpy(r->work.turn, turn, (size_t)sim->sys->turns * sizeof(double));
  r->work.turn_t = t;
  hn_eval_motion(&r->work, t, y, y + sim->sys->nq);
  return &r->work;
}

hn_status hn_body_pose(const hn_sim *sim, hn_body body, hn_pose *pose) {
  const hn_system *sys = sim->sys;
  memset(pose, 0, sizeof *pose);
  pose->orientation[0] = 1;
  if (body.id < 0 || body.id >= sys->bodies) return HN_ERR_ARGUMENT;
  if (sys->body[body.id].kind == HN_SCALAR) return HN_ERR_ARGUMENT;
  if (body.id == 0) return HN_OK;
  hn_reading_begin(sim);
  hn_work *work = place_bodies(sim, TWISTS);
  hn_eval_poses(work);
  hn_user_pose(sys, body.id, work->q, work->v, pose);
  hn_reading_end(sim);
  return HN_OK;
}

hn_status hn_ground_kept(hn_sim *sim) {
  double at[3];
  if (!sim->sys->grounds) return HN_OK;
  hn_reading_begin(sim);
  hn_work *work = place_bodies(sim, POSES);
  hn_eval_poses(work);
  const hn_ground *left = hn_ground_left(work, at);
  hn_reading_end(sim);
  if (!left) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                     "t=%.6g: '%s': x = %.6g, y = %.6g is beyond the border of its terrain, where "
                     "heights are not known",
                     sim->state.t, left->name, at[0], at[1]);
}

static hn_status joint_coordinate(hn_sim *sim, hn_joint joint, const char *name, double *value,
                                  double *rate) {
  int j = hn_system_joint(sim->sys, joint);
  if (j < 0) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no such joint");
  const hn_sys_joint *sj = &sim->sys->joint[j];
  for (int k = 0; k < sj->coordinates; k++)
    if (!name || strcmp(name, sj->coordinate[k].name) == 0) {
      hn_mval m;
      const hn_work *work = place_bodies(sim, rate ? TWISTS : POSES);
      hn_eval_measure(&sim->sys->measure[sj->coordinate[k].measure], work, &m, rate ? 1 : 0);
      if (value) *value = m.value;
      if (rate) *rate = m.rate;
      return HN_OK;
    }
  return hn_sim_fail(sim, HN_ERR_ARGUMENT, "joint '%s' has no coordinate '%s'", sj->name,
                     name ? name : "");
}

hn_status hn_joint_coordinate(hn_sim *sim, hn_joint joint, const char *name, double *value,
                              double *rate) {
  hn_reading_begin(sim);
  hn_status status = joint_coordinate(sim, joint, name, value, rate);
  hn_reading_end(sim);
  return status;
}

hn_status hn_block_coordinate(const hn_sim *sim, hn_block block, const char *name, double *value,
                              double *rate) {
  const hn_system *sys = sim->sys;
  if (block.id < 1 || block.id > sys->blocks) return HN_ERR_ARGUMENT;
  const hn_sys_block *b = &sys->block[block.id - 1];
  for (int k = 0; k < b->n; k++)
    if (!name || strcmp(name, b->label[k]) == 0) {
      const hn_sys_body *body = &sys->body[b->body + k];
      if (value) *value = sim->state.y[body->q0];
      if (rate) *rate = sim->state.y[sys->nq + body->v0];
      return HN_OK;
    }
  return HN_ERR_ARGUMENT;
}

// ---- what forces are needed for --------------------------------------------------------------

// Everything at the current state: derivatives, then the multipliers of the stepper where it has
// its own, shared among redundant joints. The evaluation is not counted, as the method did not ask
// for it.
static hn_status evaluate(hn_sim *sim) {
  memcpy(sim->record.y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  hn_events_look(sim, false);
  hn_status status = hn_derivative(sim, sim->state.t, sim->record.y, sim->step.y_new);
  // hn_derivative counts, but it is the reader who asked
  sim->count.evaluations--;
  if (status) return status;
  // what the last step came to holds unless an input was set since
  if (sim->method.integrator->reactions && !hn_live_pending(sim))
    sim->method.integrator->reactions(sim);
  hn_share_reactions(sim);
  hn_eval_measures(&sim->stage.work);
  return HN_OK;
}

// Nothing to do while state and evaluation are those last shown: stamps tell. Readers hold the
// lock; whoever moves the run needs none.
hn_status hn_refresh(hn_sim *sim) {
  hn_sim_stage *s = &sim->stage;
  if (s->looked_at && s->shown == sim->state.stamp && s->shown_by == s->work.stamp) return HN_OK;
  hn_look(sim);
  hn_status status = evaluate(sim);
  if (status) return status;
  s->shown = sim->state.stamp, s->shown_by = s->work.stamp;
  return HN_OK;
}

// what frictions begin with when they settle, to and from where it is kept
static void keep_loads(hn_sim *sim, bool back) {
  size_t loads = 6 * (size_t)sim->sys->loads * sizeof(double);
  size_t holds = (size_t)sim->sys->holds * sizeof(double);
  double *load = sim->stage.work.load, *carried = sim->stage.work.carried;
  struct hn_reading *r = sim->reading;
  if (loads) memcpy(back ? load : r->load, back ? r->load : load, loads);
  if (carried) memcpy(back ? carried : r->carried, back ? r->carried : carried, holds);
}

// what the run needs of the stage is kept once, however often it is then asked
void hn_look(hn_sim *sim) {
  if (sim->stage.looked_at) return;
  keep_loads(sim, false);
  memcpy(sim->stage.a_kept, sim->stage.a, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->stage.lambda_kept, sim->stage.work.lambda, (size_t)sim->sys->rows * sizeof(double));
  sim->stage.looked_at = true;
}

void hn_look_away(hn_sim *sim) {
  hn_events_look_away(sim);
  if (!sim->stage.looked_at) return;
  keep_loads(sim, true);
  memcpy(sim->stage.a, sim->stage.a_kept, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->stage.work.lambda, sim->stage.lambda_kept, (size_t)sim->sys->rows * sizeof(double));
  sim->stage.looked_at = false;
}

// they stay while others ask something else
static const struct hn_reading *solution(hn_sim *sim) {
  // what is handed out stays valid without the lock, until the run is moved
  struct hn_reading *r = sim->reading;
  hn_reading_begin(sim);
  bool known = r->known == sim->state.stamp || !hn_refresh(sim);
  if (known && r->known != sim->state.stamp) {
    memcpy(r->a, sim->stage.a, (size_t)sim->sys->nv * sizeof(double));
    memcpy(r->lambda, sim->stage.work.lambda, (size_t)sim->sys->rows * sizeof(double));
    r->known = sim->state.stamp;
  }
  hn_reading_end(sim);
  return known ? r : NULL;
}

const double *hn_accelerations(hn_sim *sim) {
  const struct hn_reading *r = solution(sim);
  return r ? r->a : NULL;
}

const double *hn_multipliers(hn_sim *sim) {
  const struct hn_reading *r = solution(sim);
  return r ? r->lambda : NULL;
}

static hn_status joint_reaction(hn_sim *sim, hn_joint joint, hn_reaction *reaction) {
  int j = hn_system_joint(sim->sys, joint);
  if (j < 0) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no such joint");
  hn_status status = hn_refresh(sim);
  if (status) return status;
  if (sim->sys->joint[j].group < 0 && !sim->sys->coordinates->wrench)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "the bodies of joint '%s' share their points, so that it has no reaction "
                       "(set 'natural_points' to joined)",
                       sim->sys->joint[j].name);
  if (sim->sys->joint[j].coupler)
    hn_transmitted(&sim->reaction.told, j, reaction);
  else
    hn_reaction_of(&sim->reaction.told, j, reaction);
  return HN_OK;
}

hn_status hn_joint_reaction(hn_sim *sim, hn_joint joint, hn_reaction *reaction) {
  hn_reading_begin(sim);
  hn_status status = joint_reaction(sim, joint, reaction);
  hn_reading_end(sim);
  return status;
}

hn_status hn_sim_energy(hn_sim *sim, hn_energy *energy) {
  hn_reading_begin(sim);
  hn_status status = hn_refresh(sim);
  if (!status) *energy = sim->audit.energy = hn_balance_here(sim, sim->state.y);
  hn_reading_end(sim);
  return status;
}

// ---- columns -------------------------------------------------------------------------------

int hn_column_count(const hn_system *sys) {
  return sys->columns;
}

const char *hn_column_name(const hn_system *sys, int column) {
  return column >= 0 && column < sys->columns ? sys->column[column].name : NULL;
}

const char *hn_column_unit(const hn_system *sys, int column) {
  return column >= 0 && column < sys->columns ? sys->column[column].unit : NULL;
}

hn_status hn_sim_row(hn_sim *sim, double *row) {
  hn_reading_begin(sim);
  hn_status status = hn_tally_row(sim, sim->state.t);
  if (!status) status = hn_refresh(sim);
  if (!status) {
    sim->audit.energy = hn_balance_here(sim, sim->state.y);
    hn_read_row(sim, row);
  }
  hn_reading_end(sim);
  return status;
}
