// verify.c: how far the motion may be off.
//
// A companion runs the same equations of motion from the same start, and its states are held
// against those of the run. What it may cost is a share of the run's own work; work is counted,
// never timed. Three kinds of companion there are:
//
// * coarser: the run's own method with a tolerance ten times as large, or a step that makes errors
//   ten times as large but at most twice as long: half to three quarters of the work. Of order 8
//   and more, a hundred: ten would spare a quarter of the steps only. The difference is nine (99)
//   times the error of the run if errors follow the tolerance. They do so loosely: high orders fall
//   faster, long steps, kinks and impacts more slowly. Ten is small enough to be honest within a
//   factor of ten in all these cases, and so is a hundred in smooth ones, which have high orders.
//   Where something else than the tolerance keeps steps short (stiffness, events) they hardly fall,
//   which is seen by how many fewer steps the companion took; it would also take as long as the
//   run: it ends when its share is spent, and the error goes on as it grew until then. Where errors
//   are not small against the motion (`parted`) nothing better can be told than the difference
//   itself, and an exact companion is worth more (`sensitive`).
// * exact: explicit of order 8 with a tolerance far below what the run asked for. The difference is
//   the error of the run, whatever its method, compliance of joints included. Fixed steps and
//   implicit methods often can afford it; it is given up as soon as it is seen to cost too much.
//   Runs so loose that nothing coarser is still a motion, and those of a handful of steps, have it
//   at any rate.
// * finer, with `verify: rerun`, where work is no object: exact, or repeated with half the step.
//
// A coarser one needs nothing of the run but the instants at which states are kept, which are known
// beforehand, and how much of it counts is seen afterwards: where there are two processors it may
// run beside the run (hn_companion).
//
// Errors are told in metres and radians, and relative to the size of the motion: of every body
// against the centre of mass of its part, of these centres themselves, and of rotations (at most
// one radian counts), so that a large motion does not hide errors of a small one on top of it.
// States of first order are held against each other too, each by the range it goes through: one
// that nothing in the motion reads is recorded all the same.
#include "base/elementary.h"
#include "sim/control.h"
#include "sim/yardstick.h"

#include <holon/result.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double share = 0.4;            // of the run's work that an exact companion may take
static const double most = 0.8;             // the same of a coarser one;
static const double all_of_it = 1.5;        // where impacts may come or forces switch, after which
                                            // no growth goes on
static const double coarser[] = {10, 100};  // how much larger its errors are meant to be
static const double little = 300;           // evaluations that are no object
static const double enough = 3000;          // and those that are none where nothing else will do,
static const double enough_numbers = 1e6;   // of small models as many as make this, times its size
static const double sensitive = 2.5;        // share of an exact one where nothing else will do
static const double loosest[] = {3e-3, 1e-4};  // tolerance at which errors still scale: long steps
                                               // of high order do not
static const long few = 100;       // steps, below which errors do not follow the tolerance
static const double parted = 0.1;  // difference, relative, beyond which errors are not linear
static const double least = 0.25;  // of the run that a companion must have covered
static const double exact_rtol = 1e-10;

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

// its tolerance is a hundredth of the run's, where that has one, so that the difference is the
// run's error to two digits
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

// The error of a method of order p with step h is C h^p: with steps longer by a factor that makes
// it `more` times as large, the difference of both is (more - 1) times that of the run. Adaptive
// ones: the tolerance in place of the step
static companion repetition(const hn_sim *sim, bool finer) {
  companion c = {.options = sim->opt, .budget = INFINITY};
  hn_options *o = &c.options;
  // the parts as chosen, also by `auto`
  snprintf(o->method, sizeof o->method, "default");
  snprintf(o->solver, sizeof o->solver, "%s", sim->method.solver->info.name);
  snprintf(o->correction, sizeof o->correction, "%s", sim->method.correction->info.name);
  snprintf(o->integrator, sizeof o->integrator, "%s", sim->method.integrator->info.name);
  bool adaptive = sim->method.integrator->adaptive;
  double order = sim->method.integrator->order, more = hn_pow(2, order);
  bool high = order >= 8;
  if (!finer) more = fmin(more, coarser[high]);
  // rather less than where errors do not scale any more
  if (!finer && adaptive) more = fmin(more, fmax(coarser[0], loosest[high] / o->rtol));
  o->step *= finer ? 0.5 : hn_pow(more, 1 / order);
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
static double factor_by(const companion *c, double fewer) {
  static const double slack = 0.3;  // errors of smooth motions fall by more than steps say
  double more = hn_pow(fewer, c->order) - 1;
  return more > slack ? fmax(slack / more, c->factor) : 1;
}

static double factor_of(const companion *c, const struct hn_track *k) {
  int last = k->covered - 1;
  return c->order > 0 ? factor_by(c, (double)k->steps[last] / (double)k->taken[last]) : c->factor;
}

// At state i. What has been damped away leaves errors of the last steps only: where these are as
// long in both (a stiff spring keeps them so), they follow the tolerance loosely, come and go in
// bursts, and how the steps differed when much moved says nothing of them
static double factor_at(const companion *c, const struct hn_track *k, int i, double factor) {
  static const long steps = 60;  // of the run, by which it is told
  static const double alike = 1.1, loose = 0.1;
  int from = i;
  if (!(c->order > 0) || factor >= loose) return factor;
  for (int j = i - 1; j >= 0 && k->steps[i] - k->steps[from] < steps; j--)
    if (k->own[j]) from = j;
  double own = (double)(k->steps[i] - k->steps[from]);
  double others = (double)(k->taken[i] - k->taken[from]);
  return own >= (double)steps && own < alike * others ? loose : factor;
}

// the state of the companion at time t, which its last step has reached
static hn_status state_at(hn_sim *sim, double t, double *to) {
  hn_look(sim);
  if (t >= sim->state.t) {
    memcpy(sim->record.y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  } else {
    hn_dense_shown(sim, t, sim->record.y);
    hn_status status = hn_correct_inside(sim, t, sim->record.y);
    if (status) return status;
  }
  hn_eval_jacobian(&sim->stage.work, t, sim->record.y, sim->record.y + sim->sys->nq);
  hn_track_take(sim, sim->record.y, to);
  return HN_OK;
}

// the budget will not do; of one that must get to its end this is known early, so that little is
// lost
static bool too_dear(double t, double work, const struct hn_track *k, const companion *c) {
  double whole = k->time[k->count - 1] - k->t0, done = t - k->t0;
  if (work > c->budget) return true;
  return !c->partly && work > 0.2 * c->budget && work * whole > 1.2 * c->budget * done;
}

static bool covers(const struct hn_track *k) {
  double whole = k->time[k->count - 1] - k->t0;
  bool any = false;
  for (int i = 0; i < k->covered; i++) any |= k->own[i];
  return any && k->time[k->covered - 1] - k->t0 >= least * whole;
}

// fills k->other up to k->covered; the reason when it does not get far enough, NULL: it did
static const char *follow(hn_sim *sim, struct hn_track *k, const companion *c,
                          hn_progress_fn progress, void *user) {
  double end = k->time[k->count - 1], eps = 1e-12 * hn_time_size(sim, end);
  k->covered = 0;
  const double *y = k->start;
  if (k->like) hn_contact_follow(sim, k->like);
  memcpy(sim->stage.work.turn, k->turn, (size_t)sim->sys->turns * sizeof(double));
  if (hn_start_from(sim, k->t0, y, y + sim->sys->nq, y + sim->state.x)) return "fails";
  if (k->like) {
    hn_events_follow(sim, k->like);
    hn_live_follow(sim, k->like, false);
  }
  sim->count.evaluations = sim->count.factorisations = 0;
  long steps = 0;
  // Of the budget steps are paid: how far it gets does not depend on at how many states it is
  // looked, which beside the run are more than those that the run keeps in the end
  double work = 0, looks = 0;
  hn_pace pace = hn_pace_begin(sim, end);
  while (k->covered < k->count) {
    while (sim->state.t < k->time[k->covered] - eps) {
      if (hn_take_step(sim, end - sim->state.t)) return "fails";
      work = work_of(sim) - looks;
      if (too_dear(sim->state.t, work, k, c))
        return c->partly && covers(k) ? NULL : "costs too much";
      if (hn_pace_keep(sim, &pace)) return "hardly gets on";
      if (progress && ++steps % 64 == 0 && !progress(user, end - k->t0, end - k->t0))
        return "was stopped";
    }
    for (int i = k->covered; i < k->count && k->time[i] <= sim->state.t + eps; i = ++k->covered) {
      double before = work_of(sim);
      k->spent[i] = work, k->taken[i] = sim->count.steps;
      if (state_at(sim, fmin(k->time[i], sim->state.t), k->other + (size_t)i * (size_t)k->n))
        return "fails";
      looks += work_of(sim) - before;
    }
  }
  return NULL;
}

// ---- a companion beside the run ------------------------------------------------------------

// what hn_companion hands out: how many numbers a state has, how many states there are, all of the
// work; then of the states their times, the work and the steps up to each, and the states
enum { BESIDE_HEAD = 3 };

static size_t beside_size(int n, int count) {
  return BESIDE_HEAD + (size_t)count * (3 + (size_t)n);
}

// which of those handed out from `from` on is that at time t; -1: none. The run may have thinned
// its states out since (hn_track_thin)
static int beside_at(const struct hn_track *k, int from, double t, double eps) {
  int count = (int)k->beside[1];
  const double *time = k->beside + BESIDE_HEAD;
  while (from < count && time[from] < t - eps) from++;
  return from < count && time[from] <= t + eps ? from : -1;
}

static double instant(const hn_sim *sim, const struct hn_track *k) {
  return 1e-12 * hn_time_size(sim, k->time[k->count - 1]);
}

// was it of this run: the same instants?
static bool fits(const hn_sim *sim, const struct hn_track *k) {
  const double *b = k->beside;
  size_t each = 3 + (size_t)k->n;
  if (!b || k->gone_on || k->beside_size < BESIDE_HEAD + each) return false;
  size_t count = (k->beside_size - BESIDE_HEAD) / each;
  if (k->beside_size != beside_size(k->n, (int)count) || b[0] != k->n || b[1] != (double)count)
    return false;
  double eps = instant(sim, k);
  for (int i = 0, at = 0; i < k->count; i++, at++)
    if ((at = beside_at(k, at, k->time[i], eps)) < 0) return false;
  return true;
}

// as far as the budget lets one get that runs behind the run; as `follow`
static const char *take_beside(const hn_sim *sim, struct hn_track *k, const companion *c,
                               double *spent) {
  size_t count = (size_t)k->beside[1];
  const double *work = k->beside + BESIDE_HEAD + count, *steps = work + count;
  double eps = instant(sim, k);
  k->covered = 0;
  for (int at = 0; k->covered < k->count; at++, k->covered++) {
    at = beside_at(k, at, k->time[k->covered], eps);
    if (work[at] > c->budget) break;
    k->taken[k->covered] = (long)steps[at];
    memcpy(k->other + (size_t)k->covered * (size_t)k->n, steps + count + (size_t)at * (size_t)k->n,
           (size_t)k->n * sizeof(double));
  }
  *spent += fmin(k->beside[2], c->budget);
  return k->covered < k->count && !covers(k) ? "costs too much" : NULL;
}

// ---- errors --------------------------------------------------------------------------------

static double worst_of(const hn_finding *f) {
  return fmax(f->relative[HN_POSITIONS], fmax(f->relative[HN_VELOCITIES], f->relative[HN_STATES]));
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
static int parting(const hn_sim *sim, hn_yardstick *y, const struct hn_track *k) {
  for (int i = 0; i < k->covered; i++) {
    if (!k->own[i]) continue;
    hn_motion_error e = {0};
    hn_finding f = {.e = &e, .factor = 1};
    hn_find_sample(&f, y, k, i);
    double apart = fmax(fmax(e.position / sim->sys->length, e.angle), f.relative[HN_STATES]);
    if (!(apart <= parted)) return i;
  }
  return k->covered;
}

// how much larger errors will be at the end than those the companion covers: as they grew over the
// second half of it, and in proportion to time at least
static double growth(const struct hn_track *k, double half, double whole) {
  double covered = k->time[k->covered - 1] - k->t0, all = k->time[k->count - 1] - k->t0;
  if (k->covered == k->count || !(half > 0)) return 1;
  return fmax(all / covered, hn_pow(whole / half, (all - covered) / (0.5 * covered)));
}

// e->until: up to when all errors were below the limit. Behind a parting the difference itself
// counts, as no factor tells more
static void judge(hn_sim *sim, hn_yardstick *y, const struct hn_track *k, const companion *c,
                  double factor, int parts, hn_motion_error *e) {
  hn_finding f = {.e = e};
  double half = 0;  // worst of the first half of what is covered
  e->until = k->time[k->count - 1];
  bool known = true;
  double before = k->t0;
  for (int i = 0; i < k->covered; before = k->time[i++]) {
    if (!k->own[i]) continue;
    f.factor = i < parts ? factor_at(c, k, i, factor) : fmax(factor, 1);
    hn_find_sample(&f, y, k, i);
    // the first sample beyond the limit ends what is vouched for
    if (known && !(f.now <= sim->opt.audit_motion)) {
      known = false;
      e->until = before;
    }
    if (k->time[i] - k->t0 <= 0.5 * (k->time[k->covered - 1] - k->t0)) half = worst_of(&f);
  }
  double more = growth(k, half, worst_of(&f));
  if (more > 1) {
    e->position *= more, e->angle *= more, e->velocity *= more, e->spin *= more;
    for (int side = 0; side < HN_JUDGED; side++)
      f.relative[side] *= more, f.time[side] = sim->state.t;
    if (known && !(worst_of(&f) <= sim->opt.audit_motion)) e->until = k->time[k->covered - 1];
  }
  e->relative_position = f.relative[HN_POSITIONS];
  e->relative_velocity = f.relative[HN_VELOCITIES];
  e->relative_state = f.relative[HN_STATES];
  e->known = true;
  for (int side = HN_POSITIONS; side <= HN_VELOCITIES; side++) {
    int which = side == HN_POSITIONS ? HN_AUDIT_MOTION : HN_AUDIT_SPEED;
    hn_audit_note(sim, which, f.relative[side], f.time[side], -1);
    sim->audit.item[which].body = body_of(sim->sys, f.what[side]);
  }
  if (sim->sys->states) {
    hn_audit_note(sim, HN_AUDIT_STATES, f.relative[HN_STATES], f.time[HN_STATES], -1);
    sim->audit.item[HN_AUDIT_STATES].state = f.what[HN_STATES] + 1;
  }
  if (sim->opt.audit_motion_absolute > 0)
    hn_audit_note(sim, HN_AUDIT_ABSOLUTE,
                  fmax(fmax(e->position, e->angle), fmax(e->velocity, e->spin)),
                  fmax(f.time[HN_POSITIONS], f.time[HN_VELOCITIES]), -1);
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
  bool measured;       // the motion, with that companion:
  hn_yardstick y;
  int parts;  // from this sample on it has parted from the run
} search;

static void forget(search *f) {
  if (f->measured) hn_yardstick_free(&f->y);
  f->measured = false;
}

// false: out of memory
static bool measure(search *f) {
  if (f->measured) return true;
  f->measured = hn_yardstick_make(&f->y, f->sim->sys, f->k);
  if (f->measured) f->parts = parting(f->sim, &f->y, f->k);
  return f->measured;
}

// runs a companion; where it does not get to its end, what was known before stays.
// Results of a companion that got to its end are worth more than none, so a second one works on an
// array of its own until it has got there as well
static bool try_companion(search *f, companion c) {
  hn_sim *other = NULL;
  char message[HN_MESSAGE];
  // a second companion must not spoil what the first has found: it fills a list of its own
  struct hn_track *k = f->k;
  size_t numbers = (size_t)k->room * ((size_t)k->n + 1);
  double *mine = k->other, *fresh = f->why ? NULL : malloc(numbers * sizeof(double));
  long *taken = k->taken, *fresh_taken = f->why ? NULL : malloc((size_t)k->room * sizeof(long));
  int covered = k->covered;
  if (!f->why && (!fresh || !fresh_taken)) {
    free(fresh), free(fresh_taken);
    return false;
  }
  const char *why = "cannot run";
  if (fresh) k->other = fresh, k->taken = fresh_taken;
  if (!hn_sim_create(&other, f->sim->sys, &c.options, message, sizeof message)) {
    hn_live_copy(other, f->sim);
    hn_corners_follow(other, f->sim);
    why = follow(other, k, &c, f->progress, f->user);
    f->spent += work_of(other);
    hn_sim_destroy(other);
  }
  if (fresh && why) k->other = mine, k->taken = taken, k->covered = covered;
  if (fresh) free(why ? fresh : mine), free(why ? fresh_taken : taken);
  if (!why) f->best = c, forget(f);
  if (!why || f->why) f->why = why;
  return !why;
}

static bool stopped(const search *f) {
  return f->why && strcmp(f->why, "was stopped") == 0;
}

// does the coarser companion at hand stay with the run?
static bool stays(search *f) {
  return !measure(f) || f->parts == f->k->covered;
}

// samples of controllers kept steps as short as they were, not the tolerance: the companion has
// stepped as the run did, and shares its errors
static bool in_step(const search *f) {
  static const double alike = 0.9;
  const struct hn_track *k = f->k;
  return hn_control_samples(f->sim) > 0 &&
         (double)k->taken[k->covered - 1] > alike * (double)k->steps[k->covered - 1];
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

// what keeps a coarser companion from telling anything: it would yield as the run does, be no
// motion any more, or be blind to what the run missed
typedef struct objections {
  bool yields, loose, blind;
  bool hope;  // that an exact one is cheap enough to be tried first
} objections;

static objections object(const hn_sim *sim, const companion *coarse) {
  bool adaptive = sim->method.integrator->adaptive;
  objections o;
  // errors of joints that yield are the same at any step: nothing coarser tells them
  o.yields = (sim->method.solver->can & HN_IS_COMPLIANT) || sim->method.integrator->compliant;
  // with its own order and tolerance an exact companion takes more work than the run
  o.hope = !adaptive || sim->method.integrator->stands_alone;
  // steps that are given, or end where tables bend, are as blind when repeated: what they miss in
  // a formula or a table, twice as long ones miss too; and what switches within them takes away
  // the order by which errors would follow
  o.blind = o.hope && (sim->sys->expressions || sim->sys->motions || sim->sys->tables ||
                       sim->sys->switches || hn_contact_functions(sim->sys));
  o.loose =
      adaptive && coarse->options.rtol > (1 + 1e-9) * loosest[sim->method.integrator->order >= 8];
  return o;
}

// a coarser companion; one that ran beside need not run again
static bool try_coarse(search *f, const companion *c) {
  struct hn_track *k = f->k;
  if (!fits(f->sim, k)) return try_companion(f, *c);
  f->why = take_beside(f->sim, k, c, &f->spent);
  if (!f->why) f->best = *c, forget(f);
  return !f->why;
}

// Cheapest honest one first
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
  bool adaptive = sim->method.integrator->adaptive;
  companion coarse = repetition(sim, false),
            fine = exact(sim, sensitive * work + no_object(sim->sys));
  objections o = object(sim, &coarse);
  // a handful of long steps follows its tolerance by chance only
  bool handful = adaptive && sim->count.steps - f->k->first < few;
  bool fine_first = o.yields || o.loose || o.blind || handful;
  bool jumps = hn_contact_functions(sim->sys) || sim->sys->switches;
  // no order survives where a root begins: the difference says how large errors are, and no more
  if (sim->sys->steep) coarse.factor = 1;
  coarse.budget = (jumps ? all_of_it : most) * work + little;
  coarse.partly = true;
  if (fine_first) {
    if (try_companion(f, fine) || stopped(f)) return;
  } else if (o.hope) {
    if (try_companion(f, exact(sim, share * work)) || stopped(f)) return;
  }
  if (adaptive && coarse.options.rtol > 0.1) return;
  bool got = try_coarse(f, &coarse);
  if (stopped(f)) return;
  if (got && adaptive && !sim->method.integrator->stands_alone && in_step(f))
    (void)try_companion(f, halved(f, fine.budget));
  else if (!(got && stays(f)) && !fine_first)
    (void)try_companion(f, fine);
}

// nothing that is known of the run only may decide whether it is a coarser one
static bool known_beforehand(const hn_sim *sim, const companion *coarse) {
  objections o = object(sim, coarse);
  if (strcmp(sim->opt.verify, "estimate") != 0 || hn_control_called(sim->sys)) return false;
  return !(o.yields || o.loose || o.blind || o.hope) && coarse->options.rtol <= 0.1;
}

static double *hand_out(const struct hn_track *k, double work) {
  size_t count = (size_t)k->count;
  double *out = malloc(beside_size(k->n, k->count) * sizeof *out);
  if (!out) return NULL;
  out[0] = k->n, out[1] = k->count, out[2] = work;
  double *time = out + BESIDE_HEAD, *spent = time + count, *steps = spent + count;
  for (size_t i = 0; i < count; i++)
    time[i] = k->time[i], spent[i] = k->spent[i], steps[i] = (double)k->taken[i];
  memcpy(steps + count, k->other, count * (size_t)k->n * sizeof(double));
  return out;
}

hn_status hn_companion(hn_sim *sim, double **numbers, size_t *count, hn_progress_fn progress,
                       void *user) {
  *numbers = NULL, *count = 0;
  companion c = repetition(sim, false);
  struct hn_track *k = known_beforehand(sim, &c) ? hn_track_begin(sim) : NULL;
  hn_sim *other = NULL;
  char message[HN_MESSAGE];
  c.partly = true;
  if (k && !k->gone_on && !k->samples && hn_track_plan(k, sim) &&
      !hn_sim_create(&other, sim->sys, &c.options, message, sizeof message)) {
    hn_live_copy(other, sim);
    if (!follow(other, k, &c, progress, user)) *numbers = hand_out(k, work_of(other));
  }
  if (*numbers) *count = beside_size(k->n, k->count);
  hn_sim_destroy(other);
  hn_track_end(k);
  return HN_OK;
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
  if (k->gone_on && !k->like) {
    snprintf(e->how, sizeof e->how, "not verified: the run had begun before, and cannot be copied");
    return;
  }
  if (hn_live_changes(sim) != k->changes) {
    snprintf(e->how, sizeof e->how, "not verified: inputs were set on the way");
    return;
  }
  if (k->count == 0 || k->time[k->count - 1] < sim->state.t) {
    if (hn_refresh(sim)) return;
    hn_track_keep(k, sim, sim->state.t, sim->state.y);
  }
  hn_track_thin(k);
  search f = {sim, k, progress, user, .work = fmax(work_of(sim), 1)};
  find_companion(&f);
  e->share = f.spent / f.work;
  if (f.why || !measure(&f)) {
    forget(&f);
    snprintf(e->how, sizeof e->how, "not verified: a companion run %s",
             f.why ? f.why : "has no memory");
    return;
  }
  double factor = factor_of(&f.best, k);
  judge(sim, &f.y, k, &f.best, factor, factor < 1 ? f.parts : k->count, e);
  forget(&f);
  if (k->covered < k->count)
    snprintf(e->how, sizeof e->how, "%s up to t = %.4g s, from there by its growth", f.best.words,
             k->time[k->covered - 1]);
  else
    snprintf(e->how, sizeof e->how, "%s", f.best.words);
}

void hn_run_verify(hn_sim *sim, hn_track *states, const double *beside, size_t count,
                   hn_progress_fn progress, void *user) {
  if (states) states->beside = beside, states->beside_size = count;
  hn_verify_track(sim, states, progress, user);
  hn_track_end(states);
}

hn_status hn_verify(hn_sim *sim, hn_motion_error *error) {
  *error = (hn_motion_error){0};
  if (sim->state.t <= sim->audit.t_start)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "nothing was stepped yet that could be verified");
  hn_reading_begin(sim);
  struct hn_track *k = hn_halts_track(sim);
  hn_reading_end(sim);
  if (!k) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  char kept[sizeof sim->opt.verify];
  memcpy(kept, sim->opt.verify, sizeof kept);
  if (strcmp(kept, "off") == 0) snprintf(sim->opt.verify, sizeof kept, "estimate");
  hn_verify_track(sim, k, NULL, NULL);
  memcpy(sim->opt.verify, kept, sizeof kept);
  hn_track_end(k);
  *error = sim->audit.motion;
  return HN_OK;
}
