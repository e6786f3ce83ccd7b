// sliding.c: motions along a switching point.
//
// Where the force of a formula jumps, and drives the motion back to the switching point from both
// sides, the motion cannot leave it: a block held by -F*sign(v), a relay that keeps a line. It then
// slides along the surface g = 0, under what lies between both sides, (1 - w) f+ + w f-, with the
// weight w that keeps g' = 0 (A. F. Filippov, Differential Equations with Discontinuous Righthand
// Sides, 1988). Formulas are mixed one by one, so that forces, columns and rates of states are all
// those of the mixture. Accelerations are affine in the weights, as far as friction does not follow
// from reactions; then a second and third pass correct them. Where w leaves [0, 1] one side can
// carry the motion away, and the step ends there.
//
// Several surfaces may be slid along at once, as long as no formula belongs to two of them.
#include "sim/sliding.h"

#include <string.h>

enum { PASSES = 4 };
static const double alike = 1e-6;    // functions of one surface have rates in proportion
static const double settled = 1e-9;  // part of its jump that a rate may keep

static void slide_layout(hn_slide *o, const hn_sim *sim, hn_arena *arena, int functions) {
  *o = (hn_slide){.count = 0};
  o->surface = HN_TAKE(arena, int, functions);
  o->across = HN_TAKE(arena, bool, functions);
  o->formula = HN_TAKE(arena, int, sim->sys->expressions);
  o->between = HN_TAKE(arena, double, sim->sys->expressions);
}

void hn_sliding_layout(struct hn_sliding *s, const hn_sim *sim, hn_arena *arena, int functions) {
  *s = (struct hn_sliding){.functions = functions, .back = INFINITY};
  slide_layout(&s->now, sim, arena, functions);
  slide_layout(&s->then, sim, arena, functions);
  s->state = HN_TAKE(arena, double, sim->state.n);
  s->y = HN_TAKE(arena, double, sim->state.n);
  s->ydot = HN_TAKE(arena, double, sim->state.n);
  s->value = HN_TAKE(arena, double, 2 * functions);
  s->rate = HN_TAKE(arena, double, functions);
  s->from = HN_TAKE(arena, double, 2 * functions);
}

static void clear(hn_slide *o, int functions, int expressions) {
  o->count = 0;
  memset(o->surface, 0, (size_t)functions * sizeof(int));
  memset(o->formula, 0, (size_t)expressions * sizeof(int));
  for (int i = 0; i < expressions; i++) o->between[i] = NAN;
}

void hn_sliding_reset(const hn_sim *sim, struct hn_sliding *s) {
  clear(&s->now, s->functions, sim->sys->expressions);
  clear(&s->then, s->functions, sim->sys->expressions);
  s->back = INFINITY;
}

void hn_sliding_keep(const hn_sim *sim, struct hn_sliding *s) {
  hn_slide *a = &s->then, *b = &s->now;
  if (!a->count && !b->count) return;
  size_t functions = (size_t)s->functions, expressions = (size_t)sim->sys->expressions;
  a->count = b->count;
  memcpy(a->lead, b->lead, sizeof a->lead);
  memcpy(a->surface, b->surface, functions * sizeof(int));
  memcpy(a->across, b->across, functions * sizeof(bool));
  memcpy(a->formula, b->formula, expressions * sizeof(int));
  memcpy(a->between, b->between, expressions * sizeof(double));
}

void hn_sliding_hold(hn_sim *sim, struct hn_sliding *s, hn_slide *which, const bool *side) {
  hn_work *work = &sim->stage.work;
  s->active = which && which->count ? which : NULL;
  work->side = side;
  work->between = s->active ? which->between : NULL;
  work->across = s->active ? which->across : NULL;
}

// ---- weights -------------------------------------------------------------------------------

static void set_weights(const hn_sim *sim, hn_slide *o, const double *w) {
  for (int i = 0; i < sim->sys->expressions; i++)
    o->between[i] = o->formula[i] ? w[o->formula[i] - 1] : NAN;
}

static void functions_at(hn_sim *sim, double t, const double *y, double *value) {
  hn_give_states(&sim->stage.work, y + sim->state.x);
  hn_eval_switches(&sim->stage.work, t, y, y + sim->sys->nq, value);
}

// how fast all functions change at (t, y) with the rates s->ydot.
// By central differences along the motion, s->stride to either side
static void rates_of(hn_sim *sim, struct hn_sliding *s, double t, const double *y, double *rate) {
  double *ahead = s->value, *behind = s->value + s->functions, e = s->stride;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < sim->state.n; i++) s->y[i] = y[i] + side * e * s->ydot[i];
    functions_at(sim, t + side * e, s->y, side > 0 ? ahead : behind);
  }
  for (int i = 0; i < s->functions; i++) rate[i] = (ahead[i] - behind[i]) / (2 * e);
}

// rates of the surfaces slid along with these weights
static hn_status slopes(hn_sim *sim, struct hn_sliding *s, double t, double *y, const double *w,
                        double *slope) {
  hn_slide *o = s->active;
  set_weights(sim, o, w);
  hn_status status = hn_derivative_held(sim, t, y, s->ydot);
  if (status) return status;
  rates_of(sim, s, t, y, s->rate);
  for (int k = 0; k < o->count; k++) slope[k] = s->rate[o->lead[k]];
  return HN_OK;
}

// A x = b in place, by elimination with pivots; false: singular.
// At most HN_SURFACES unknowns: no library is asked for this
static bool eliminate(double (*A)[HN_SURFACES], double *b, int n) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
    if (!(fabs(A[p][k]) > 0)) return false;
    for (int j = 0; j < n; j++) {
      double x = A[k][j];
      A[k][j] = A[p][j], A[p][j] = x;
    }
    double x = b[k];
    b[k] = b[p], b[p] = x;
    for (int i = k + 1; i < n; i++) {
      double f = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return true;
}

// Weights with which the surfaces are kept, or come back to. A surface whose jump has vanished
// lets the motion go: its weight is not a number
static hn_status find_weights(hn_sim *sim, struct hn_sliding *s, double t, double *y, double *w) {
  hn_slide *o = s->active;
  int n = o->count;
  double base[HN_SURFACES], A[HN_SURFACES][HN_SURFACES], r[HN_SURFACES], want[HN_SURFACES],
      jump = 0;
  functions_at(sim, t, y, s->value);
  for (int k = 0; k < n; k++) want[k] = isfinite(s->back) ? -s->value[o->lead[k]] / s->back : 0;
  for (int k = 0; k < n; k++) w[k] = 0;
  hn_status status = slopes(sim, s, t, y, w, base);
  for (int j = 0; j < n && !status; j++) {
    w[j] = 1;
    status = slopes(sim, s, t, y, w, r);
    w[j] = 0;
    for (int k = 0; k < n; k++) A[k][j] = r[k] - base[k], jump = fmax(jump, fabs(A[k][j]));
  }
  for (int pass = 0; pass < PASSES && !status; pass++) {
    double B[HN_SURFACES][HN_SURFACES], off = 0;
    memcpy(B, A, sizeof B);
    for (int k = 0; k < n; k++) r[k] = want[k] - base[k], off = fmax(off, fabs(r[k]));
    if (pass && !(off > settled * jump)) break;
    if (!eliminate(B, r, n)) r[0] = NAN;
    for (int k = 0; k < n; k++) w[k] += r[k];
    // forces that follow from reactions are not affine
    if (!sim->sys->reactive || isnan(r[0])) break;
    status = slopes(sim, s, t, y, w, base);
  }
  return status;
}

hn_status hn_sliding_derivative(hn_sim *sim, double t, double *y, double *ydot) {
  struct hn_sliding *s = hn_events_sliding(sim);
  double w[HN_SURFACES];
  hn_status status = find_weights(sim, s, t, y, w);
  if (status) return status;
  set_weights(sim, s->active, w);
  return hn_derivative_held(sim, t, y, ydot);
}

// Of a surface the lead alone tells: inside [0, 1] by how far the weight is from either end. The
// others of the surface stay on their side. back = INFINITY: weights of the motion as it is,
// without the pull back to the surface
void hn_sliding_values(hn_sim *sim, struct hn_sliding *s, double t, const double *y,
                       const bool *side, double *value) {
  hn_slide *o = s->active;
  double w[HN_SURFACES], back = s->back;
  s->back = INFINITY;
  memcpy(s->state, y, (size_t)sim->state.n * sizeof(double));
  bool known = !find_weights(sim, s, t, s->state, w);
  if (known) set_weights(sim, o, w);
  s->back = back;
  for (int i = 0; i < s->functions; i++)
    if (o->surface[i]) value[i] = side[i] ? 1 : -1;
  for (int k = 0; k < o->count && known; k++) {
    double inside = isnan(w[k]) ? -1 : fmin(w[k], 1 - w[k]);
    value[o->lead[k]] = side[o->lead[k]] ? inside : -inside;
    s->weight[k] = w[k];
  }
}

// ---- entry and exit ------------------------------------------------------------------------

// the formula a function belongs to; -1: it is none of a formula
static int formula_of(const hn_system *sys, int function) {
  for (int i = 0; i < sys->expressions; i++) {
    const hn_expression *e = &sys->expression[i];
    if (e->held && function >= e->first_switch && function < e->first_switch + e->switches)
      return i;
  }
  return -1;
}

// rates of all functions at the current state, with those of one side
static hn_status rates_on(hn_sim *sim, struct hn_sliding *s, const bool *side, double *rate) {
  hn_sliding_hold(sim, s, &s->now, side);
  memcpy(s->state, sim->state.y, (size_t)sim->state.n * sizeof(double));
  hn_status status = hn_derivative(sim, sim->state.t, s->state, s->ydot);
  if (!status) rates_of(sim, s, sim->state.t, sim->state.y, rate);
  return status;
}

// do two functions, by their rates on either side, tell the same surface?
static bool same_surface(const double *from, const double *to, int i, int k) {
  double a = from[i] * to[k], b = from[k] * to[i];
  return fabs(a - b) <= alike * (fabs(a) + fabs(b));
}

// is every function that went over driven back, and all of them by one surface? Returns one of
// them; -1: no
static int driven_back(const hn_sim *sim, const struct hn_sliding *s, const bool *before,
                       const bool *side, const double *from, const double *to) {
  int lead = -1;
  for (int i = 0; i < s->functions; i++) {
    if (side[i] == before[i]) continue;
    int e = formula_of(sim->sys, i);
    double towards = before[i] ? -from[i] : from[i], back = before[i] ? to[i] : -to[i];
    if (e < 0 || s->now.formula[e] || !(towards > 0) || !(back > settled * towards)) return -1;
    if (lead < 0) lead = i;
    if (!same_surface(from, to, i, lead)) return -1;
  }
  return lead;
}

// those of the last surface: what went over, and what would go over with it
static void join(hn_sim *sim, struct hn_sliding *s, const bool *before, const bool *side,
                 const double *noise) {
  hn_slide *o = &s->now;
  const double *from = s->from, *to = s->from + s->functions;
  functions_at(sim, sim->state.t, sim->state.y, s->value);
  for (int i = 0; i < s->functions; i++) {
    bool over = side[i] != before[i], here = fabs(s->value[i]) <= 1e3 * noise[i] && from[i] != 0;
    if (!over && (o->surface[i] || !here || !same_surface(from, to, i, o->lead[o->count - 1])))
      continue;
    o->surface[i] = o->count;
    o->across[i] = before[i];
    if (over) o->formula[formula_of(sim->sys, i)] = o->count;
  }
}

hn_status hn_sliding_enter(hn_sim *sim, struct hn_sliding *s, const bool *before, const bool *side,
                           const double *noise, bool *slides) {
  hn_slide *o = &s->now;
  double *from = s->from, *to = s->from + s->functions;
  *slides = false;
  if (o->count == HN_SURFACES) return HN_OK;
  s->back = INFINITY;
  for (int i = 0; i < s->functions; i++)
    if (!o->surface[i]) o->across[i] = before[i];
  hn_status status = rates_on(sim, s, before, from);
  for (int i = 0; i < s->functions; i++)
    if (!o->surface[i]) o->across[i] = side[i];
  if (!status) status = rates_on(sim, s, side, to);
  int lead = status ? -1 : driven_back(sim, s, before, side, from, to);
  if (lead < 0) return status;
  o->lead[o->count++] = lead;
  join(sim, s, before, side, noise);
  *slides = true;
  return HN_OK;
}

// A weight beyond one: the sides across carry the motion away; below zero: those it is held on.
// Surfaces behind it move up
void hn_sliding_leave(const hn_sim *sim, struct hn_sliding *s, int k, bool *side) {
  hn_slide *o = &s->now;
  bool over = s->weight[k] > 0.5;
  for (int i = 0; i < s->functions; i++) {
    if (o->surface[i] == k + 1 && over) side[i] = o->across[i];
    if (o->surface[i] == k + 1) o->surface[i] = 0;
    if (o->surface[i] > k + 1) o->surface[i]--;
    if (!o->surface[i]) o->across[i] = side[i];
  }
  for (int i = 0; i < sim->sys->expressions; i++) {
    if (o->formula[i] == k + 1) o->formula[i] = 0, o->between[i] = NAN;
    if (o->formula[i] > k + 1) o->formula[i]--;
  }
  for (int j = k; j + 1 < o->count; j++)
    o->lead[j] = o->lead[j + 1], s->weight[j] = s->weight[j + 1];
  o->count--;
}
