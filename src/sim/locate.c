// locate.c: the first place in a step where a switching function changes sign.
//
// Functions are looked at in the ends of a step and in a few points between. One that has changed
// sign there has a root on the dense output; one that has not may still have passed zero and
// returned, which its slopes tell: a function that is convex between two points lies above both
// lines that lead on from beside, so that only where these meet below zero a place is to be sought.
#include "sim/events.h"

enum {
  ROOT_STEPS = 100,  // of the search for a root; bisection alone needs fewer
  HIDDEN = 12        // halvings of a stretch in which a function may have passed zero and returned
};

void hn_events_evaluate(hn_sim *sim, double t, const double *y, double *value) {
  struct hn_events *e = sim->watch.events;
  hn_give_states(&sim->stage.work, y + sim->state.x);
  if (e->forces) hn_eval_switches(&sim->stage.work, t, y, y + sim->sys->nq, value);
  if (e->sliding.active) hn_sliding_values(sim, &e->sliding, t, y, e->side, value);
  if (e->count > e->forces) hn_contact_values(sim, t, y, value + e->forces);
  // neither side is right where a condition is not a number
  for (int i = 0; i < e->count; i++) sim->watch.events->lost |= isnan(value[i]);
}

double hn_events_beyond(const hn_sim *sim, int i, double value) {
  const struct hn_events *e = sim->watch.events;
  double noise =
      i < e->forces ? fmax(e->noise[i], e->slack[i]) : hn_contact_noise(sim, i - e->forces);
  return (e->side[i] ? -value : value) - noise;
}

double hn_events_resolution(const hn_sim *sim) {
  return 1e-13 * hn_time_size(sim, sim->state.t);
}

double hn_events_beyond_at(hn_sim *sim, int i, double t) {
  struct hn_events *e = sim->watch.events;
  // behind the points of the step, which the search still reads
  double *value = e->value + (HN_EVENT_PARTS + 1) * e->count;
  const double *y = sim->state.y;
  if (t < sim->state.t) {
    sim->method.integrator->dense(sim, t, e->y);
    y = e->y;
  }
  hn_events_evaluate(sim, t, y, value);
  return hn_events_beyond(sim, i, value[i]);
}

// root of function i between a (before it, value fa) and b: regula falsi that halves the weight of
// an end that stays (Illinois), with a bisection every third time. Returns a time just behind the
// root, or INFINITY when the dense output has none.
static double root(hn_sim *sim, int i, double a, double fa, double b) {
  double fb = hn_events_beyond_at(sim, i, b), tol = 0.25 * hn_events_resolution(sim);
  if (!(fb > 0)) return INFINITY;
  int kept = 0;  // which end stayed last time
  for (int pass = 1; pass < ROOT_STEPS && b - a > tol; pass++) {
    double x = fa < 0 && pass % 3 ? b - fb * (b - a) / (fb - fa) : 0.5 * (a + b);
    x = fmin(fmax(x, a + 0.4 * tol), b - 0.4 * tol);
    double f = hn_events_beyond_at(sim, i, x);
    if (f > 0) {
      b = x, fb = f;
      if (kept == 1) fa *= 0.5;
      kept = 1;
    } else {
      a = x, fa = f;
      if (kept == -1) fb *= 0.5;
      kept = -1;
    }
  }
  return b;
}

// a stretch of the last step in whose ends a function lies before its switching point, by so much,
// and the slopes of the stretches beside it: NAN where there is none
typedef struct stretch {
  double a, b, fa, fb, left, right;
} stretch;

// how near the function may come to its switching point within: exact for those that are convex, as
// distances of bodies that fly past each other are
static double nearest(const stretch *s) {
  double L = s->b - s->a;
  // where a slope is not known the line from the other side alone says how near it comes
  if (!(s->left < 0)) return isnan(s->left) && s->right > 0 ? s->fb - s->right * L : s->fa;
  if (!(s->right > 0)) return isnan(s->right) ? s->fa + s->left * L : s->fb;
  double x = (s->fb - s->right * L - s->fa) / (s->left - s->right);
  return s->fa + s->left * fmin(fmax(x, 0), L);
}

// a time within at which function i has passed its switching point, though in both ends it has not;
// INFINITY: none
static double hidden(hn_sim *sim, int i, const stretch *s, int depth) {
  if (depth == 0 || nearest(s) > 0) return INFINITY;
  double m = 0.5 * (s->a + s->b), fm = -hn_events_beyond_at(sim, i, m);
  if (!(fm >= 0)) return m;
  stretch first = {s->a, m, s->fa, fm, s->left, (s->fb - fm) / (s->b - m)};
  stretch second = {m, s->b, fm, s->fb, (fm - s->fa) / (m - s->a), s->right};
  double at = hidden(sim, i, &first, depth - 1);
  return at < INFINITY ? at : hidden(sim, i, &second, depth - 1);
}

// how far function i lies before its switching point in point k of the last step
static double before_at(const hn_sim *sim, int i, int k) {
  const struct hn_events *e = sim->watch.events;
  return -hn_events_beyond(sim, i, e->value[k * e->count + i]);
}

// a function that lies before its switching point in both ends of stretch k may still pass it
// between them and return: the time of such a place; INFINITY when there is none
static double hidden_in(hn_sim *sim, int i, const double *t, int k) {
  double from = before_at(sim, i, k), to = before_at(sim, i, k + 1);
  stretch s = {t[k], t[k + 1], from, to, sim->watch.events->slope[i], NAN};
  if (k > 0) s.left = (from - before_at(sim, i, k - 1)) / (t[k] - t[k - 1]);
  if (k < HN_EVENT_PARTS - 1) s.right = (before_at(sim, i, k + 2) - to) / (t[k + 2] - t[k + 1]);
  return hidden(sim, i, &s, HIDDEN);
}

// a state inside the last step, good enough to look at, and free of further stages; steppers that
// keep no derivatives have a dense output as cheap as that
static void glance(hn_sim *sim, double t, double *y) {
  if (sim->step.k[0])
    hn_dense_hermite(sim, t, y);
  else
    sim->method.integrator->dense(sim, t, y);
}

// the first change of sign of function i in the last step, if it comes before `first`; INFINITY:
// there is none. A point looked at in passing may lie behind the switching point where the dense
// output has not come to it yet: then it comes in the next stretch
static double root_of(hn_sim *sim, int i, const double *t, double first) {
  for (int k = 0; k < HN_EVENT_PARTS && t[k] < first; k++) {
    double f = before_at(sim, i, k);
    bool passed = before_at(sim, i, k + 1) < 0;
    double behind = passed ? t[k + 1] : f >= 0 ? hidden_in(sim, i, t, k) : INFINITY;
    double at = behind < INFINITY ? root(sim, i, t[k], -f, behind) : INFINITY;
    if (at < INFINITY) return at;
  }
  return INFINITY;
}

double hn_events_first(hn_sim *sim, int *which) {
  struct hn_events *e = sim->watch.events;
  int n = e->count;
  double t[HN_EVENT_PARTS + 1], first = INFINITY;
  for (int k = 0; k <= HN_EVENT_PARTS; k++)
    t[k] = sim->state.t_old + (sim->state.t - sim->state.t_old) * k / HN_EVENT_PARTS;
  for (int k = 1; k < HN_EVENT_PARTS; k++) {
    glance(sim, t[k], e->y);
    hn_events_evaluate(sim, t[k], e->y, e->value + k * n);
  }
  t[HN_EVENT_PARTS] = sim->state.t;
  hn_events_evaluate(sim, sim->state.t, sim->state.y, e->value + HN_EVENT_PARTS * n);
  for (int i = 0; i < n; i++) {
    double at = root_of(sim, i, t, first);
    if (at < first) first = at, *which = i;
  }
  return first;
}
