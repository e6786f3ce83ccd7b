// settle.c: forces that follow from reactions, which they change: both to a fixed point.
//
// From loads x the forces follow, from these the motion and its loads G(x); wanted is x = G(x).
// Friction that holds is affine in its normal forces as long as nothing switches, however strongly
// it acts back on them: rounds x <- G(x) may go apart there, though the solution is near. How the
// rounds so far went tells the rest (D. G. Anderson, Iterative procedures for nonlinear integral
// equations, J. ACM 12, 1965): changes of the error F = G(x) - x, made orthogonal, with the changes
// of G that belong to them. The next x is G less its part along these. After as many rounds as
// there are normal forces that act on each other an affine problem is solved. Sizes of reactions
// that turn are not affine; there what many rounds ago was seen misleads, and the last two tell
// more.
#include "sim/sim.h"

#include <float.h>
#include <string.h>

enum { DEPTH = 12, ROUNDS = 200, SMOOTH_ROUNDS = 100, AFFINE = 30, LEARNED = 60 };
static const double settled = 1e-13, rounded = 1e-9;
static const double known = 1e-10;  // part of a change that those before do not tell

struct hn_settling {
  double *used, *found, *off;             // of the last round: x, G(x), F; F in units of a force
  double *direction[DEPTH], *way[DEPTH];  // changes of F, of length 1, and those of G with them
  int count;
};

void hn_settle_layout(hn_sim *sim, hn_arena *arena) {
  int n = 6 * sim->sys->loads, depth = sim->sys->holds ? DEPTH : 0;
  if (!n) return;
  struct hn_settling *s = HN_TAKE(arena, struct hn_settling, 1), place = {.count = 0};
  place.used = HN_TAKE(arena, double, n);
  place.found = HN_TAKE(arena, double, n);
  place.off = HN_TAKE(arena, double, n);
  for (int k = 0; k < depth; k++) {
    place.direction[k] = HN_TAKE(arena, double, n);
    place.way[k] = HN_TAKE(arena, double, n);
  }
  if (!arena->base) return;
  *s = place;
  sim->stage.settling = s;
}

static void apply_reactive(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  (void)hn_share_holds(&sim->stage.work, true);
  for (int i = 0; i < sys->batches; i++)
    if (sys->batch[i].ops->reactive)
      sys->batch[i].ops->reactive(sys, &sim->stage.work, sys->batch[i].count, sys->batch[i].data);
  hn_reduce_forces(&sim->stage.work);
}

void hn_add_reactive(hn_sim *sim) {
  hn_find_loads(sim);
  apply_reactive(sim);
}

// moments count by the length of the model
static double unit_of(const hn_sim *sim, int i) {
  return i % 6 < 3 ? 1 : 1 / sim->sys->length;
}

// round-off of a reaction: that of what it holds the balance with. It is all that is left of one
// that is about to vanish, as where bodies part
static double round_off(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const hn_work *w = &sim->stage.work;
  double most = 0;
  for (int i = 0; i < sys->nv; i++)
    most = fmax(most, fabs(w->r[i]) / (sys->angular_v[i] ? sys->length : 1));
  for (int i = 0; i < sys->rows; i++)
    most = fmax(most, fabs(w->lambda[i]) / (sys->angular_row[i] ? sys->length : 1));
  return 8 * DBL_EPSILON * most;
}

// largest change of the reactions that forces read, relative to the largest
static double load_change(const hn_sim *sim) {
  const double *now = sim->stage.work.load, *before = sim->stage.settling->used;
  double change = 0, size = 0;
  for (int i = 0; i < 6 * sim->sys->loads; i++) {
    double unit = unit_of(sim, i), d = unit * fabs(now[i] - before[i]);
    if (!(d <= change) && !isnan(change)) change = d;  // a NaN is kept
    size = fmax(size, unit * fabs(now[i]));
  }
  if (change <= round_off(sim)) return 0;
  return change / size;
}

static double product(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void add(double *a, double part, const double *b, int n) {
  for (int i = 0; i < n; i++) a[i] += part * b[i];
}

// what the last two rounds say beyond those before: s->direction and s->way hold the differences
static void learn(struct hn_settling *s, int n) {
  double *d = s->direction[s->count], *w = s->way[s->count];
  double before = sqrt(product(d, d, n));
  // twice: once leaves round-off of what was subtracted
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < s->count; k++) {
      double part = product(s->direction[k], d, n);
      add(d, -part, s->direction[k], n);
      add(w, -part, s->way[k], n);
    }
  double size = sqrt(product(d, d, n));
  if (!(size > known * before)) return;
  for (int i = 0; i < n; i++) d[i] /= size, w[i] /= size;
  s->count++;
}

// loads of the next round, in place of those found in this one.
// Unknowns stay as they are for the first pass, where nothing is known. Forgetting all after DEPTH
// rounds costs a few rounds and keeps what is old from misleading
static void foresee(hn_sim *sim, int pass) {
  struct hn_settling *s = sim->stage.settling;
  double *now = sim->stage.work.load;
  int n = 6 * sim->sys->loads;
  if (s->count == DEPTH || pass > AFFINE) s->count = 0;
  double *d = s->direction[s->count], *w = s->way[s->count];
  for (int i = 0; i < n; i++) {
    double off = unit_of(sim, i) * (now[i] - s->used[i]);
    d[i] = off - s->off[i], w[i] = now[i] - s->found[i];
    s->off[i] = off, s->found[i] = now[i];
  }
  // what is not affine at all meets half way
  if (pass > LEARNED) {
    for (int i = 0; i < n; i++) now[i] = 0.5 * (now[i] + s->used[i]);
    return;
  }
  if (pass > 0) learn(s, n);
  for (int k = 0; k < s->count; k++) {
    double part = product(s->direction[k], s->off, n);
    add(now, -part, s->way[k], n);
  }
}

hn_status hn_settle(hn_sim *sim, hn_solve_fn solve, void *user) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  if (!sys->reactive) return solve(sim, user);
  memcpy(sim->stage.base_force, w->f, (size_t)sys->bv * sizeof(double));
  double base_power = w->power, last = INFINITY;
  bool holds = sys->holds > 0;
  if (holds) sim->stage.settling->count = 0;
  // from the last ones found
  for (int i = 0; i < 6 * sys->loads; i++)
    if (!isfinite(w->load[i])) w->load[i] = 0;
  for (int pass = 0; pass < (holds ? ROUNDS : SMOOTH_ROUNDS); pass++) {
    memcpy(w->f, sim->stage.base_force, (size_t)sys->bv * sizeof(double));
    w->power = base_power;
    apply_reactive(sim);
    hn_status status = solve(sim, user);
    if (status) return status;
    memcpy(sim->stage.settling->used, w->load, (size_t)(6 * sys->loads) * sizeof(double));
    hn_find_loads(sim);
    double change = fmax(load_change(sim), hn_share_holds(w, false));
    // what does not fall any more is round-off of the method
    bool stands = change > 0.5 * last && change <= rounded && (pass > 8 || !holds);
    if (change <= settled || stands) return HN_OK;
    if (holds) foresee(sim, pass);
    last = change;
  }
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: friction and reactions do not settle (a self-locking joint, or "
                     "Painleve's paradox?)",
                     sim->stage.work.t);
}
