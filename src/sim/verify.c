// verify.c: how far the motion may be off.
//
// A companion runs the same equations of motion from the same start, and its states are held
// against those of the run. What it may cost is a share of the run's own work; work is counted,
// never timed. Three kinds of companion there are:
//
// * coarser: the run's own method with a tolerance ten times as large, or a step that makes errors
//   ten times as large but at most twice as long: half to three quarters of the work. The
//   difference is nine times the error of the run if errors follow the tolerance. They do so
//   loosely: high orders fall faster, long steps, kinks and impacts more slowly. Ten is small
//   enough to be honest within a factor of ten in all these cases. Where something else than the
//   tolerance keeps steps short (stiffness, events) they hardly fall, which is seen by how many
//   fewer steps the companion took; it would also take as long as the run: it ends when its share
//   is spent, and the error goes on as it grew until then. Where errors are not small against the
//   motion (`parted`) nothing better can be told than the difference itself, and an exact companion
//   is worth more
//   (`sensitive`).
// * exact: explicit of order 8 with a tolerance far below what the run asked for. The difference is
//   the error of the run, whatever its method, compliance of joints included. Fixed steps and
//   implicit methods often can afford it; it is given up as soon as it is seen to cost too much.
//   Runs so loose that nothing coarser is still a motion, and those of a handful of steps, have it
//   at any rate.
// * finer, with `verify: rerun`, where work is no object: exact, or repeated with half the step.
//
// Errors are told in metres and radians, and relative to the size of the motion: of every body
// against the centre of mass of its part, of these centres themselves, and of rotations (at most
// one radian counts), so that a large motion does not hide errors of a small one on top of it.
// States of first order are held against each other too, each by the range it goes through: one
// that nothing in the motion reads is recorded all the same.
#include "sim/control.h"
#include "system/reaction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double share = 0.4;           // of the run's work that an exact companion may take
static const double most = 0.8;            // the same of a coarser one;
static const double all_of_it = 1.5;       // where impacts may come, after which no growth goes on
static const double coarser = 10;          // how much larger its errors are meant to be
static const double little = 300;          // evaluations that are no object
static const double enough = 3000;         // and those that are none where nothing else will do,
static const double enough_numbers = 1e6;  // of small models as many as make this, times its size
static const double sensitive = 2.5;       // share of an exact one where nothing else will do
static const double loosest[] = {3e-3, 1e-4};  // tolerance at which errors still scale: long steps
                                               // of high order do not
static const long few = 100;        // steps, below which errors do not follow the tolerance
static const double parted = 0.1;   // difference, relative, beyond which errors are not linear
static const double least = 0.25;   // of the run that a companion must have covered
static const double slight = 1e-3;  // part of the model's size below which motions are not told
                                    // apart
static const double exact_rtol = 1e-10;
enum { SAMPLES = 128 };  // most states that are compared: each is interpolated and corrected

struct hn_track {
  double t0, *start;   // where the run began
  int count, room, n;  // states kept, n numbers each: coordinates and velocities of the bodies,
                       // states of first order
  int stride, rows;    // every so many rows one is kept; rows so far
  int known;           // states before this are the companion's only
  int covered;         // states before this are the companion's too
  long changes;        // inputs that had been set when it began
  long samples;        // of controllers that had been taken since the state was set
  double *time, *state, *other;
  long first, *steps;  // of the run: before it began, and from there up to each state
  long companion;      // steps of the companion, up to where it covers
};

// ---- states of the run ---------------------------------------------------------------------

// coordinates and velocities of the bodies at the state y, which was evaluated last, as they are
// recorded: of the frames the model knows, in world axes
static void take(hn_sim *sim, const double *y, double *to) {
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
  free(k->start), free(k->time), free(k->state), free(k->other), free(k->steps);
  free(k);
}

static struct hn_track *track_create(const hn_sim *sim, int room) {
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
  if (k->start && k->time && k->state && k->other && k->steps) return k;
  hn_track_end(k);
  return NULL;
}

struct hn_track *hn_track_begin(const hn_sim *sim) {
  if (strcmp(sim->opt.verify, "off") == 0) return NULL;
  double numbers = sim->sys->bq + sim->sys->bv + sim->sys->states;
  struct hn_track *k = track_create(sim, (int)fmin(fmax(3e6 / numbers, 32), SAMPLES));
  if (!k) return NULL;
  k->t0 = sim->state.t;
  k->first = sim->count.steps;
  k->changes = hn_live_changes(sim);
  k->samples = hn_control_samples(sim);
  memcpy(k->start, sim->state.y, (size_t)sim->state.s * sizeof(double));
  return k;
}

static void keep(struct hn_track *k, hn_sim *sim, double t, const double *y) {
  k->time[k->count] = t;
  k->steps[k->count] = sim->count.steps - k->first;
  take(sim, y, k->state + (size_t)k->count * (size_t)k->n);
  k->count++;
}

void hn_track_row(struct hn_track *k, hn_sim *sim, double t, const double *y) {
  if (!k || k->rows++ % k->stride) return;
  if (k->count == k->room - 1) {  // the last place is for the end
    int kept = 0;
    for (int i = 0; i < k->count; i += 2, kept++) {
      k->time[kept] = k->time[i];
      k->steps[kept] = k->steps[i];
      memmove(k->state + (size_t)kept * (size_t)k->n, k->state + (size_t)i * (size_t)k->n,
              (size_t)k->n * sizeof(double));
    }
    k->count = kept;
    k->stride *= 2;
    if ((k->rows - 1) % k->stride) return;
  }
  keep(k, sim, t, y);
}

// ---- the companion -------------------------------------------------------------------------

static double work_of(const hn_sim *sim) {
  return (double)(sim->count.evaluations + sim->count.factorisations);
}

typedef struct companion {
  hn_options options;
  double budget;  // INFINITY: none
  bool partly;    // what it covers within the budget will do
  double factor;  // from the difference to the error of the run
  double order;   // by which it follows from the steps taken; 0: it is known
  char words[120];
} companion;

static companion exact(const hn_sim *sim, double budget) {
  companion c = {.options = sim->opt, .budget = budget, .factor = 1};
  hn_options *o = &c.options;
  snprintf(o->method, sizeof o->method, "default");
  snprintf(o->solver, sizeof o->solver, "lagrange");
  snprintf(o->correction, sizeof o->correction, "mass");
  snprintf(o->integrator, sizeof o->integrator, "dop853");
  bool adaptive = sim->method.integrator->adaptive;
  o->rtol = adaptive ? fmin(1e-7, fmax(sim->opt.rtol / 100, 1e-13)) : exact_rtol;
  o->atol = 0;
  if (!adaptive) o->step = 0;
  snprintf(c.words, sizeof c.words, "rerun by dop853 at rtol %.0e", o->rtol);
  return c;
}

static companion repetition(const hn_sim *sim, bool finer) {
  companion c = {.options = sim->opt, .budget = INFINITY};
  hn_options *o = &c.options;
  // the parts as chosen, also by `auto`
  snprintf(o->method, sizeof o->method, "default");
  snprintf(o->solver, sizeof o->solver, "%s", sim->method.solver->info.name);
  snprintf(o->correction, sizeof o->correction, "%s", sim->method.correction->info.name);
  snprintf(o->integrator, sizeof o->integrator, "%s", sim->method.integrator->info.name);
  bool adaptive = sim->method.integrator->adaptive;
  double order = sim->method.integrator->order, more = pow(2, order);
  if (!finer) more = fmin(more, coarser);
  o->step *= finer ? 0.5 : pow(more, 1 / order);
  if (adaptive) o->rtol = finer ? fmax(o->rtol / more, 1e-14) : o->rtol * more;
  c.factor = finer ? more / (more - 1) : 1 / (more - 1);
  c.order = finer ? 0 : order;
  if (adaptive)
    snprintf(c.words, sizeof c.words, "repeated at rtol %.0e", o->rtol);
  else
    snprintf(c.words, sizeof c.words, "repeated with step %.3g s", o->step);
  return c;
}

// from the difference to the error of the run, as the steps taken say it: where the companion took
// hardly fewer its errors are hardly larger
static double factor_of(const companion *c, const struct hn_track *k) {
  static const double slack = 0.3;  // errors of smooth motions fall by more than steps say
  if (!(c->order > 0)) return c->factor;
  double fewer = (double)k->steps[k->covered - 1] / (double)k->companion;
  double more = pow(fewer, c->order) - 1;
  return more > slack ? fmax(slack / more, c->factor) : 1;
}

// the state of the companion at time t, which its last step has reached
static hn_status state_at(hn_sim *sim, double t, double *to) {
  double moved;
  if (t >= sim->state.t) {
    memcpy(sim->record.y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  } else {
    hn_dense(sim, t, sim->record.y);
    hn_stage_left(sim);
    hn_status status = hn_correct(sim, t, sim->record.y, &moved);
    if (status) return status;
  }
  hn_eval_jacobian(&sim->stage.work, t, sim->record.y, sim->record.y + sim->sys->nq);
  take(sim, sim->record.y, to);
  return HN_OK;
}

// the budget will not do; of one that must get to its end this is known early, so that little is
// lost
static bool too_dear(const hn_sim *sim, const struct hn_track *k, const companion *c) {
  double work = work_of(sim), whole = k->time[k->count - 1] - k->t0, done = sim->state.t - k->t0;
  if (work > c->budget) return true;
  return !c->partly && work > 0.2 * c->budget && work * whole > 1.2 * c->budget * done;
}

static bool covers(const struct hn_track *k) {
  double whole = k->time[k->count - 1] - k->t0;
  return k->covered > k->known && k->time[k->covered - 1] - k->t0 >= least * whole;
}

// fills k->other up to k->covered; the reason when it does not get far enough, NULL: it did
static const char *follow(hn_sim *sim, struct hn_track *k, const companion *c,
                          hn_progress_fn progress, void *user) {
  double end = k->time[k->count - 1], eps = 1e-12 * hn_time_size(sim, end);
  k->covered = 0;
  const double *y = k->start;
  if (hn_start_from(sim, k->t0, y, y + sim->sys->nq, y + sim->state.x)) return "fails";
  sim->count.evaluations = sim->count.factorisations = 0;
  long steps = 0;
  hn_pace pace = hn_pace_begin(sim, end);
  while (k->covered < k->count) {
    while (sim->state.t < k->time[k->covered] - eps) {
      if (hn_take_step(sim, end - sim->state.t)) return "fails";
      if (too_dear(sim, k, c)) return c->partly && covers(k) ? NULL : "costs too much";
      if (hn_pace_keep(sim, &pace)) return "hardly gets on";
      if (progress && ++steps % 64 == 0 && !progress(user, end - k->t0, end - k->t0))
        return "was stopped";
    }
    for (int i = k->covered; i < k->count && k->time[i] <= sim->state.t + eps; i = ++k->covered)
      if (state_at(sim, fmin(k->time[i], sim->state.t), k->other + (size_t)i * (size_t)k->n))
        return "fails";
    k->companion = sim->count.steps;
  }
  return NULL;
}

// ---- how large the motion is ---------------------------------------------------------------

enum { PLACE, TURN, SPEED, SPIN, KINDS };

typedef struct extent {
  double low[3], high[3];
} extent;

// a body's motion in parts: place and speed relative to its part, turn, spin
typedef struct motion {
  double x[KINDS][3];
  double turn;  // rotation since the start, by size
} motion;

typedef struct yardstick {
  const hn_system *sys;
  double *mass;              // of the parts
  double (*centre)[2][3];    // of the parts: place and speed, of the companion's sample at hand
  double (*of_run)[2][3];    // the same of the run
  double (*size)[KINDS];     // per body, then per part: range of motion
  double (*largest)[KINDS];  // per part
  extent (*seen)[KINDS];     // per body, then per part
  double *state;             // range of the states of first order
  double duration;
} yardstick;

static int linear_of(const hn_sys_body *b) {
  return b->kind == HN_SCALAR ? 1 : hn_body_linear(b);
}

static void centres(const yardstick *y, const double *state, double (*centre)[2][3]) {
  const hn_system *sys = y->sys;
  memset(centre, 0, (size_t)sys->parts * sizeof *centre);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int p = sys->part[i];
    if (b->kind == HN_SCALAR || !(y->mass[p] > 0)) continue;
    for (int c = 0; c < linear_of(b); c++) {
      centre[p][0][c] += b->mass / y->mass[p] * state[b->q0 + c];
      centre[p][1][c] += b->mass / y->mass[p] * state[sys->bq + b->v0 + c];
    }
  }
}

// angle between two orientations
static double angle_between(const double p[4], const double q[4]) {
  double dot = 0, gap = 0;
  for (int k = 0; k < 4; k++) dot += p[k] * q[k];
  for (int k = 0; k < 4; k++) {
    double d = q[k] - (dot < 0 ? -p[k] : p[k]);
    gap += d * d;
  }
  return 4 * asin(fmin(1, 0.5 * sqrt(gap)));
}

static motion motion_of(const yardstick *y, int body, const double *state, const double *first) {
  const hn_system *sys = y->sys;
  const hn_sys_body *b = &sys->body[body];
  const double *q = state + b->q0, *v = state + sys->bq + b->v0;
  int linear = linear_of(b), p = sys->part[body];
  motion m = {0};
  for (int c = 0; c < linear; c++) {
    bool own = b->kind == HN_SCALAR;
    m.x[PLACE][c] = q[c] - (own ? 0 : y->centre[p][0][c]);
    m.x[SPEED][c] = v[c] - (own ? 0 : y->centre[p][1][c]);
  }
  if (b->kind == HN_PLANAR) {
    m.x[TURN][0] = q[2];
    m.x[SPIN][0] = v[2];
  } else if (b->kind == HN_SPATIAL) {
    m.turn = angle_between(first + b->q0 + 3, q + 3);
    memcpy(m.x[SPIN], v + 3, sizeof m.x[SPIN]);
  }
  return m;
}

static void see(extent *e, const double x[3], bool first) {
  for (int c = 0; c < 3; c++) {
    e->low[c] = first ? x[c] : fmin(e->low[c], x[c]);
    e->high[c] = first ? x[c] : fmax(e->high[c], x[c]);
  }
}

static double range(const extent *e) {
  double d[3];
  v3_sub(d, e->high, e->low);
  return v3_norm(d);
}

// range of a state of first order; what stays as it is has a thousandth of itself
static double state_range(const yardstick *y, const struct hn_track *k, int state) {
  const hn_system *sys = y->sys;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < k->count; i++) {
    const double *x = (i < k->covered ? k->other : k->state) + (size_t)i * (size_t)k->n;
    low = fmin(low, x[sys->bq + sys->bv + state]), high = fmax(high, x[sys->bq + sys->bv + state]);
  }
  return fmax(fmax(high - low, slight * fmax(fabs(high), fabs(low))), hn_state_floor(sys, state));
}

static void measure_motion(yardstick *y, const struct hn_track *k) {
  const hn_system *sys = y->sys;
  for (int i = 0; i < sys->states; i++) y->state[i] = state_range(y, k, i);
  for (int i = 0; i < k->count; i++) {
    const double *state = (i < k->covered ? k->other : k->state) + (size_t)i * (size_t)k->n;
    centres(y, state, y->centre);
    for (int p = 0; p < sys->parts; p++)
      for (int side = 0; side < 2; side++)
        see(&y->seen[sys->bodies + p][side ? SPEED : PLACE], y->centre[p][side], i == 0);
    for (int body = 1; body < sys->bodies; body++) {
      motion m = motion_of(y, body, state, k->other);
      for (int kind = 0; kind < KINDS; kind++) see(&y->seen[body][kind], m.x[kind], i == 0);
      y->size[body][TURN] = fmax(y->size[body][TURN], m.turn);
    }
  }
  for (int i = 1; i < sys->bodies + sys->parts; i++) {
    int p = i < sys->bodies ? sys->part[i] : i - sys->bodies;
    for (int kind = 0; kind < KINDS; kind++) {
      y->size[i][kind] = fmax(y->size[i][kind], range(&y->seen[i][kind]));
      y->largest[p][kind] = fmax(y->largest[p][kind], y->size[i][kind]);
    }
  }
}

// what errors of body (or part) i are measured by
static double scale_of(const yardstick *y, int i, int kind) {
  const hn_system *sys = y->sys;
  const double *largest = y->largest[i < sys->bodies ? sys->part[i] : i - sys->bodies];
  double L = sys->length;
  double far = fmax(largest[PLACE], L * fmin(largest[TURN], 1));
  double fast = fmax(largest[SPEED], L * largest[SPIN]);
  // what rests is measured by the model itself
  far = far > 1e-9 * L ? fmin(far, slight * L) : slight * L;
  fast = fmax(slight * fast, 1e-9 * L / y->duration);
  switch (kind) {
  case PLACE: return fmax(y->size[i][kind], far);
  case TURN: return fmin(fmax(y->size[i][kind], far / L), 1);
  case SPEED: return fmax(y->size[i][kind], fast);
  default: return fmax(y->size[i][kind], fast / L);
  }
}

static void yardstick_free(yardstick *y) {
  free(y->mass), free(y->centre), free(y->of_run), free(y->size), free(y->largest), free(y->seen);
  free(y->state);
}

static bool yardstick_make(yardstick *y, const hn_system *sys, const struct hn_track *k) {
  size_t parts = (size_t)sys->parts + 1, all = parts + (size_t)sys->bodies;
  *y = (yardstick){.sys = sys, .duration = fmax(k->time[k->count - 1] - k->t0, 1e-12)};
  y->mass = calloc(parts, sizeof *y->mass);
  y->centre = calloc(parts, sizeof *y->centre);
  y->of_run = calloc(parts, sizeof *y->of_run);
  y->size = calloc(all, sizeof *y->size);
  y->largest = calloc(parts, sizeof *y->largest);
  y->seen = calloc(all, sizeof *y->seen);
  y->state = calloc((size_t)sys->states + 1, sizeof *y->state);
  if (!y->mass || !y->centre || !y->of_run || !y->size || !y->largest || !y->seen || !y->state) {
    yardstick_free(y);
    return false;
  }
  for (int i = 1; i < sys->bodies; i++) y->mass[sys->part[i]] += sys->body[i].mass;
  measure_motion(y, k);
  return true;
}

// ---- errors --------------------------------------------------------------------------------

enum { POSITIONS, VELOCITIES, STATES, SIDES };

typedef struct finding {
  hn_motion_error *e;
  double factor;
  double relative[SIDES], time[SIDES];  // worst of all
  int what[SIDES];                      // body or part it belongs to; of states their number
  double now;                           // largest relative error of the sample at hand
  double t;
} finding;

static void find_relative(finding *f, int side, int what, double relative) {
  if (!(relative <= f->now)) f->now = relative;
  if (relative <= f->relative[side]) return;
  f->relative[side] = relative;
  f->time[side] = f->t;
  f->what[side] = what;
}

static void find(finding *f, const yardstick *y, int i, int kind, double error) {
  double *absolute[KINDS] = {&f->e->position, &f->e->angle, &f->e->velocity, &f->e->spin};
  error *= f->factor;
  // of places and speeds the whole error counts, not that against the centre
  if (kind % 2 && !(error <= *absolute[kind])) *absolute[kind] = error;
  find_relative(f, kind >= SPEED ? VELOCITIES : POSITIONS, i, error / scale_of(y, i, kind));
}

static double gap(const double *a, const double *b, int n) {
  double sum = 0;
  for (int c = 0; c < n; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(sum);
}

static void find_body(finding *f, const yardstick *y, int i, const double *a, const double *b) {
  const hn_sys_body *body = &y->sys->body[i];
  int q = body->q0, v = y->sys->bq + body->v0, linear = linear_of(body);
  double turn = 0;
  if (body->kind == HN_PLANAR) turn = fabs(a[q + 2] - b[q + 2]);
  if (body->kind == HN_SPATIAL) turn = angle_between(a + q + 3, b + q + 3);
  find(f, y, i, TURN, turn);
  find(f, y, i, SPIN, gap(a + v + linear, b + v + linear, body->nv - linear));
}

// place and speed of body i against the centre of its part: differences of these are linear
static void find_place(finding *f, const yardstick *y, int i, const double *a, const double *b) {
  const hn_system *sys = y->sys;
  const hn_sys_body *body = &sys->body[i];
  int p = sys->part[i], linear = linear_of(body), at[2] = {body->q0, sys->bq + body->v0};
  double *whole[2] = {&f->e->position, &f->e->velocity};
  for (int side = 0; side < 2; side++) {
    double e[3] = {0};
    *whole[side] = fmax(*whole[side], f->factor * gap(a + at[side], b + at[side], linear));
    for (int c = 0; c < linear; c++) {
      e[c] = a[at[side] + c] - b[at[side] + c];
      if (body->kind != HN_SCALAR) e[c] -= y->of_run[p][side][c] - y->centre[p][side][c];
    }
    find(f, y, i, side ? SPEED : PLACE, v3_norm(e));
  }
}

static void find_sample(finding *f, yardstick *y, const struct hn_track *k, int sample) {
  const hn_system *sys = y->sys;
  const double *a = k->state + (size_t)sample * (size_t)k->n;
  const double *b = k->other + (size_t)sample * (size_t)k->n;
  f->t = k->time[sample];
  f->now = 0;
  centres(y, a, y->of_run);
  centres(y, b, y->centre);
  for (int p = 0; p < sys->parts; p++)
    for (int side = 0; side < 2; side++)
      find(f, y, sys->bodies + p, side ? SPEED : PLACE,
           gap(y->of_run[p][side], y->centre[p][side], 3));
  for (int i = 1; i < sys->bodies; i++) {
    find_body(f, y, i, a, b);
    find_place(f, y, i, a, b);
  }
  for (int i = 0, at = sys->bq + sys->bv; i < sys->states; i++)
    find_relative(f, STATES, i, f->factor * fabs(a[at + i] - b[at + i]) / y->state[i]);
}

static double worst_of(const finding *f) {
  return fmax(f->relative[POSITIONS], fmax(f->relative[VELOCITIES], f->relative[STATES]));
}

// numbers behind the bodies' are parts of the model, which are told by their first body; 0: none
static int body_of(const hn_system *sys, int i) {
  if (i < sys->bodies) return i > 0 ? i : 0;
  for (int body = 1; body < sys->bodies; body++)
    if (sys->part[body] == i - sys->bodies) return body;
  return 0;
}

// from which sample on the companion has parted from the run: errors there are not small against
// the motion, and do not scale
static int parting(const hn_sim *sim, yardstick *y, const struct hn_track *k) {
  for (int i = k->known; i < k->covered; i++) {
    hn_motion_error e = {0};
    finding f = {.e = &e, .factor = 1};
    find_sample(&f, y, k, i);
    double apart = fmax(fmax(e.position / sim->sys->length, e.angle), f.relative[STATES]);
    if (!(apart <= parted)) return i;
  }
  return k->covered;
}

// how much larger errors will be at the end than those the companion covers: as they grew over the
// second half of it, and in proportion to time at least
static double growth(const struct hn_track *k, double half, double whole) {
  double covered = k->time[k->covered - 1] - k->t0, all = k->time[k->count - 1] - k->t0;
  if (k->covered == k->count || !(half > 0)) return 1;
  return fmax(all / covered, pow(whole / half, (all - covered) / (0.5 * covered)));
}

static void judge(hn_sim *sim, yardstick *y, const struct hn_track *k, double factor, int parts,
                  hn_motion_error *e) {
  finding f = {.e = e};
  double half = 0;  // worst of the first half of what is covered
  e->until = k->time[k->count - 1];
  bool known = true;
  for (int i = k->known; i < k->covered; i++) {
    f.factor = i < parts ? factor : fmax(factor, 1);
    find_sample(&f, y, k, i);
    if (known && !(f.now <= sim->opt.audit_motion)) {
      known = false;
      e->until = i > k->known ? k->time[i - 1] : k->t0;
    }
    if (k->time[i] - k->t0 <= 0.5 * (k->time[k->covered - 1] - k->t0)) half = worst_of(&f);
  }
  double more = growth(k, half, worst_of(&f));
  if (more > 1) {
    e->position *= more, e->angle *= more, e->velocity *= more, e->spin *= more;
    for (int side = 0; side < SIDES; side++) f.relative[side] *= more, f.time[side] = sim->state.t;
    if (known && !(worst_of(&f) <= sim->opt.audit_motion)) e->until = k->time[k->covered - 1];
  }
  e->relative_position = f.relative[POSITIONS];
  e->relative_velocity = f.relative[VELOCITIES];
  e->relative_state = f.relative[STATES];
  e->known = true;
  for (int side = POSITIONS; side <= VELOCITIES; side++) {
    int which = side == POSITIONS ? HN_AUDIT_MOTION : HN_AUDIT_SPEED;
    hn_audit_note(sim, which, f.relative[side], f.time[side], -1);
    sim->audit.item[which].body = body_of(sim->sys, f.what[side]);
  }
  if (sim->sys->states) {
    hn_audit_note(sim, HN_AUDIT_STATES, f.relative[STATES], f.time[STATES], -1);
    sim->audit.item[HN_AUDIT_STATES].state = f.what[STATES] + 1;
  }
  if (sim->opt.audit_motion_absolute > 0)
    hn_audit_note(sim, HN_AUDIT_ABSOLUTE,
                  fmax(fmax(e->position, e->angle), fmax(e->velocity, e->spin)),
                  fmax(f.time[POSITIONS], f.time[VELOCITIES]), -1);
}

// ---- which companion -----------------------------------------------------------------------

typedef struct search {
  hn_sim *sim;
  struct hn_track *k;
  hn_progress_fn progress;
  void *user;
  double work, spent;  // of the run, of all companions
  companion best;      // the last one that got to the end
  const char *why;     // NULL: there is one; or why not
} search;

// runs a companion; where it does not get to its end, what was known before stays
static bool try_companion(search *f, companion c) {
  hn_sim *other = NULL;
  char message[HN_MESSAGE];
  struct hn_track *k = f->k;
  size_t numbers = (size_t)k->room * ((size_t)k->n + 1);
  double *mine = k->other, *fresh = f->why ? NULL : malloc(numbers * sizeof(double));
  int covered = k->covered;
  if (!f->why && !fresh) return false;
  const char *why = "cannot run";
  if (fresh) k->other = fresh;
  if (!hn_sim_create(&other, f->sim->sys, &c.options, message, sizeof message)) {
    hn_live_copy(other, f->sim);
    why = follow(other, k, &c, f->progress, f->user);
    f->spent += work_of(other);
    hn_sim_destroy(other);
  }
  if (fresh && why) k->other = mine, k->covered = covered;
  if (fresh) free(why ? fresh : mine);
  if (!why) f->best = c;
  if (!why || f->why) f->why = why;
  return !why;
}

static bool stopped(const search *f) {
  return f->why && strcmp(f->why, "was stopped") == 0;
}

// does the coarser companion at hand stay with the run?
static bool stays(const search *f) {
  yardstick y;
  if (!yardstick_make(&y, f->sim->sys, f->k)) return true;
  bool all = parting(f->sim, &y, f->k) == f->k->covered;
  yardstick_free(&y);
  return all;
}

// samples of controllers kept steps as short as they were, not the tolerance: the companion has
// stepped as the run did, and shares its errors
static bool in_step(const search *f) {
  static const double alike = 0.9;
  const struct hn_track *k = f->k;
  return hn_control_samples(f->sim) > 0 &&
         (double)k->companion > alike * (double)k->steps[k->covered - 1];
}

// a finer one that cannot step as the run did
static companion halved(const search *f, double budget) {
  const hn_sim *sim = f->sim;
  companion c = repetition(sim, true);
  double mean = (sim->state.t - f->k->t0) / (double)(sim->count.steps - f->k->first);
  c.options.step = 0.5 * mean;
  c.budget = budget;
  snprintf(c.words, sizeof c.words, "repeated with steps up to %.2g s", c.options.step);
  return c;
}

static double no_object(const hn_system *sys) {
  return fmax(enough, enough_numbers / (sys->nv + sys->rows));
}

static void find_companion(search *f) {
  hn_sim *sim = f->sim;
  double work = f->work;
  f->why = "cannot run";
  if (strcmp(sim->opt.verify, "rerun") == 0) {
    // what is stiff for an explicit method is not to be waited for
    if (try_companion(f, exact(sim, 100 * (work + little))) || stopped(f)) return;
    (void)try_companion(f, repetition(sim, true));
    return;
  }
  // errors of joints that yield are the same at any step: nothing coarser tells them
  bool yields = (sim->method.solver->can & HN_IS_COMPLIANT) || sim->method.integrator->compliant;
  // with its own order and tolerance an exact companion takes more work than the run
  bool adaptive = sim->method.integrator->adaptive,
       hope = !adaptive || sim->method.integrator->stands_alone;
  // steps that are given, or end where tables bend, are as blind when repeated: what they miss in
  // a formula or a table, twice as long ones miss too; and what switches within them takes away
  // the order by which errors would follow
  bool blind = hope && (sim->sys->expressions || sim->sys->motions || sim->sys->tables ||
                        sim->sys->switches || hn_contact_functions(sim->sys));
  // a handful of long steps follows its tolerance by chance only
  bool handful = adaptive && sim->count.steps - f->k->first < few;
  companion coarse = repetition(sim, false),
            fine = exact(sim, sensitive * work + no_object(sim->sys));
  bool loose = adaptive && coarse.options.rtol > loosest[sim->method.integrator->order >= 8];
  coarse.budget = (hn_contact_functions(sim->sys) ? all_of_it : most) * work + little;
  coarse.partly = true;
  if (yields || loose || blind || handful) {
    if (try_companion(f, fine) || stopped(f)) return;
  } else if (hope) {
    if (try_companion(f, exact(sim, share * work)) || stopped(f)) return;
  }
  if (adaptive && coarse.options.rtol > 0.1) return;
  bool got = try_companion(f, coarse);
  if (stopped(f)) return;
  if (got && adaptive && !sim->method.integrator->stands_alone && in_step(f))
    (void)try_companion(f, halved(f, fine.budget));
  else if (!(got && stays(f)) && !(yields || loose || blind || handful))
    (void)try_companion(f, fine);
}

void hn_verify_track(hn_sim *sim, struct hn_track *k, hn_progress_fn progress, void *user) {
  hn_motion_error *e = &sim->audit.motion;
  *e = (hn_motion_error){0};
  if (!k || strcmp(sim->opt.verify, "off") == 0) {
    snprintf(e->how, sizeof e->how, "not verified");
    return;
  }
  if (k->samples || hn_control_called(sim->sys)) {
    snprintf(e->how, sizeof e->how, "not verified: %s",
             k->samples ? "controllers had begun before"
                        : "functions of the caller control the motion");
    return;
  }
  if (hn_live_changes(sim) != k->changes) {
    snprintf(e->how, sizeof e->how, "not verified: inputs were set on the way");
    return;
  }
  if (k->count == 0 || k->time[k->count - 1] < sim->state.t) {
    if (hn_refresh(sim)) return;
    keep(k, sim, sim->state.t, sim->state.y);
  }
  search f = {sim, k, progress, user, .work = fmax(work_of(sim), 1)};
  yardstick y;
  find_companion(&f);
  e->share = f.spent / f.work;
  if (f.why || !yardstick_make(&y, sim->sys, k)) {
    snprintf(e->how, sizeof e->how, "not verified: a companion run %s",
             f.why ? f.why : "has no memory");
    return;
  }
  double factor = factor_of(&f.best, k);
  judge(sim, &y, k, factor, factor < 1 ? parting(sim, &y, k) : k->count, e);
  yardstick_free(&y);
  if (k->covered < k->count)
    snprintf(e->how, sizeof e->how, "%s up to t = %.4g s, from there by its growth", f.best.words,
             k->time[k->covered - 1]);
  else
    snprintf(e->how, sizeof e->how, "%s", f.best.words);
}

hn_status hn_verify(hn_sim *sim, hn_motion_error *error) {
  *error = (hn_motion_error){0};
  if (sim->state.t <= sim->audit.t_start)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "nothing was stepped yet that could be verified");
  // states on the way are not kept: a few of the companion's tell how large the motion is
  enum { FEW = 32 };
  struct hn_track *k = track_create(sim, FEW + 1);
  if (!k) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  k->changes = hn_live_changes_before(sim);
  k->first = sim->audit.steps_before;
  for (k->t0 = sim->audit.t_start; k->count < FEW; k->count++) {
    k->time[k->count] = k->t0 + (sim->state.t - k->t0) * k->count / FEW;
    k->steps[k->count] = (sim->count.steps - k->first) * k->count / FEW;
  }
  k->known = FEW;
  memcpy(k->start, sim->audit.y_start, (size_t)sim->state.s * sizeof(double));
  char kept[sizeof sim->opt.verify];
  memcpy(kept, sim->opt.verify, sizeof kept);
  if (strcmp(kept, "off") == 0) snprintf(sim->opt.verify, sizeof kept, "estimate");
  hn_verify_track(sim, k, NULL, NULL);
  memcpy(sim->opt.verify, kept, sizeof kept);
  hn_track_end(k);
  *error = sim->audit.motion;
  return HN_OK;
}
