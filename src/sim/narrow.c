// narrow.c: nothing narrow is stepped over.
//
// Error control judges a step by its stages. A pulse between two of them, a barrier, a bump is not
// seen at all, and the longer nothing happens the longer the steps become. So formulas are bounded
// (expr/bounds.c) over all that a step passes: where the bounds of the rate at which a formula
// changes allow for more than its values in a few points show, something may be hidden, and halves
// are looked at, until the points represent what the formula does.
//
// Formulas of time alone are looked at before a step: time is cut into leaves, halved again and
// again, on each of which all formulas are represented by five points; no step reaches farther than
// the end of the next leaf. Formulas of the state are looked at after a step, along the path the
// step took: where a quarter of it hides something, the step is taken back and made shorter. This
// is for integrators that choose their steps; what fixed steps miss is seen by the companion
// (verify.c), which chooses its own.
//
// A decision in a formula of time alone (a comparison, floor, mod ...) is no matter of values: one
// pulse of a train that a point happens to meet does not stand for the others. The bounds say where
// a decision may be taken either way. No step reaches farther than just behind the first such
// instant, where events.c finds what switches; where nothing did, and the bounds stay in doubt, the
// next one is looked for farther and farther away. Decisions on the state are looked at after the
// step as well: a step in which one is taken twice ends just behind the first time.
//
// What rests, on a stop or by friction, does not move by what pulls at it, and error control sees
// nothing of that. In models with contacts formulas are therefore also followed in time: a step is
// so short that what they change by is nearly a line, and locate.c sees where they overcome what
// holds.
#include "sim/sim.h"

#include <string.h>

enum { POINTS = 5, DEPTH = 20, RETRIES = 40 };
static const double slack = 4;  // what is possible over what is seen
static const double little = 0.01;
static const double negligible = 1e-6;  // part of a formula's largest value
static const double far_off = 1e-8;     // the same of one that is still to come
static const double bent = 0.1;         // bend of a formula within a step, part of its range

struct hn_narrow {
  int timed, *time_formula;    // expressions of t alone
  int shaped, *state_formula;  // expressions of the state
  double *size;                // per expression, then per motion: largest value so far
  double *coming;              // the same of formulas of time: in some points of the window
  hn_bounds *range;  // all that it can be: within the window, of formulas of the state so far
  hn_bounds *in, *rate, *reg, *out;  // scratch
  double *x, *y;                     // the same in numbers
  double *begin;                     // values and rates of the signals at the start of the step
  double *end;
  // leaves of time: the present one and the end of the next
  double origin, window;
  double leaf, leaf_end, next_end;
  double decided;  // nothing is decided anew before this instant, which is just behind the next one
  double distance;  // from which on it was looked for
  long located;     // events when that was found
  bool started;
  const bool *side;  // of a formula that slides along a switching point: looked at on this side
};

void hn_narrow_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  if (!sim->method.integrator->adaptive || sys->expressions + sys->motions == 0) return;
  struct hn_narrow *o = HN_TAKE(arena, struct hn_narrow, 1), n = {0};
  int inputs = 1 + sys->signals + sys->switches, outputs = inputs + 3;
  n.time_formula = HN_TAKE(arena, int, sys->expressions);
  n.state_formula = HN_TAKE(arena, int, sys->expressions);
  n.size = HN_TAKE(arena, double, sys->expressions + sys->motions);
  n.coming = HN_TAKE(arena, double, sys->expressions + sys->motions);
  n.range = HN_TAKE_NUMBERS(arena, hn_bounds, sys->expressions + sys->motions);
  n.in = HN_TAKE_NUMBERS(arena, hn_bounds, inputs);
  n.rate = HN_TAKE_NUMBERS(arena, hn_bounds, inputs);
  n.reg = HN_TAKE_NUMBERS(arena, hn_bounds, sys->registers + 1);
  n.out = HN_TAKE_NUMBERS(arena, hn_bounds, outputs);
  n.x = HN_TAKE(arena, double, inputs);
  n.y = HN_TAKE(arena, double, outputs);
  n.begin = HN_TAKE(arena, double, 2 * sys->signals);
  n.end = HN_TAKE(arena, double, 2 * sys->signals);
  if (!arena->base) return;
  for (int i = 0; i < sys->expressions; i++)
    if (sys->expression[i].recorded)
      continue;
    else if (sys->expression[i].signals)
      n.state_formula[n.shaped++] = i;
    else
      n.time_formula[n.timed++] = i;
  *o = n;
  sim->watch.narrow = o;
}

void hn_narrow_reset(hn_sim *sim) {
  struct hn_narrow *n = sim->watch.narrow;
  if (!n) return;
  n->started = false;
  // a state from outside begins another motion: how large formulas became on the one before says
  // nothing of what is small in it
  memset(n->size, 0, (size_t)(sim->sys->expressions + sim->sys->motions) * sizeof(double));
  for (int i = 0; i < n->shaped; i++)
    n->range[n->state_formula[i]] = (hn_bounds){INFINITY, -INFINITY};
}

static double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

// largest size of a product
static double product(hn_bounds a, hn_bounds b) {
  return times(fmax(fabs(a.low), fabs(a.high)), fmax(fabs(b.low), fabs(b.high)));
}

static double magnitude(hn_bounds a) {
  return fmax(fabs(a.low), fabs(a.high));
}

// what is known of a formula over a piece of the way
typedef struct piece {
  double low, high;  // its value in a few points
  double rate;       // and how fast it changed there, what its inputs contribute taken by size
  hn_bounds value;   // what it can be
  double fastest;    // and how fast it can change
  hn_bounds drift;   // with time alone
  double length;
  bool whole;  // nothing is decided in it: it changes by its rate alone
} piece;

// do the points represent it? Sizes of contributions are compared, so that formulas whose terms
// cancel are not suspected
static bool represented(const piece *p, double least_size) {
  if (!(p->high >= p->low)) return true;  // no numbers: others will say so
  // where a rate passes zero its bounds never come as close: a change by little of the value itself
  // is left to error control
  double least = least_size + little * fmax(fabs(p->low), fabs(p->high));
  double seen = p->high - p->low + p->rate * p->length;
  // bounds that overflow leave the values to judge by
  bool steady =
      !isfinite(p->fastest) || p->fastest * p->length <= slack * p->rate * p->length + least;
  // terms that cancel have wide bounds as values; what it changes by is bounded by its rate as well
  double width = p->value.high - p->value.low;
  if (p->whole && isfinite(p->fastest)) width = fmin(width, p->fastest * p->length);
  return steady && width <= slack * seen + least;
}

// may what rests rely on this formula? It stays near a line, with respect to all that it can be
static bool followed(const hn_sim *sim, const piece *p, hn_bounds range) {
  double bend = (p->drift.high - p->drift.low) * p->length, most = range.high - range.low;
  return !sim->contacts || !p->whole || !isfinite(bend) || !isfinite(most) || bend <= bent * most;
}

// ---- time ----------------------------------------------------------------------------------

// a formula of t between a and b: a program of its value and its derivative.
// Sizes of a formula so far, and to come: what is a millionth of that is not worth a short step
static bool timed_piece(hn_sim *sim, const hn_program *program, int formula, double a, double b) {
  struct hn_narrow *n = sim->watch.narrow;
  piece p = {.low = INFINITY, .high = -INFINITY, .length = b - a};
  n->in[0] = (hn_bounds){a, b};
  p.whole = hn_program_bounds(program, n->in, n->reg, n->out) == 0;
  p.value = n->out[0];
  p.drift = n->out[1];
  p.fastest = magnitude(p.drift);
  for (int i = 0; i < POINTS; i++) {
    double t = a + (b - a) * i / (POINTS - 1);
    hn_program_run(program, &t, sim->stage.work.registers, n->y);
    p.low = fmin(p.low, n->y[0]), p.high = fmax(p.high, n->y[0]);
    p.rate = fmax(p.rate, fabs(n->y[1]));
  }
  double *size = &n->size[formula];
  *size = fmax(*size, fmax(fabs(p.low), fabs(p.high)));
  return represented(&p, fmax(negligible * *size, far_off * n->coming[formula])) &&
         followed(sim, &p, n->range[formula]);
}

// how large a formula of time becomes, and what it can be. Motions are followed by what they move
static void see_all_of(hn_sim *sim, const hn_program *program, int formula) {
  enum { LOOKS = 64 };
  struct hn_narrow *n = sim->watch.narrow;
  double size = 0;
  for (int i = 0; i <= LOOKS; i++) {
    double t = n->origin + n->window * i / LOOKS;
    hn_program_run(program, &t, sim->stage.work.registers, n->y);
    if (isfinite(n->y[0])) size = fmax(size, fabs(n->y[0]));
  }
  n->coming[formula] = size;
  n->in[0] = (hn_bounds){n->origin, n->origin + n->window};
  (void)hn_program_bounds(program, n->in, n->reg, n->out);
  bool moves = formula >= sim->sys->expressions;
  n->range[formula] = moves ? (hn_bounds){-INFINITY, INFINITY} : n->out[0];
}

static void look_ahead(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  struct hn_narrow *n = sim->watch.narrow;
  for (int i = 0; i < n->timed; i++)
    see_all_of(sim, sys->expression[n->time_formula[i]].program, n->time_formula[i]);
  for (int i = 0; i < sys->motions; i++)
    if (!sys->motion[i].signals) see_all_of(sim, sys->motion[i].program, sys->expressions + i);
}

// all formulas of t are represented by a few points
static bool clear_time(hn_sim *sim, double a, double b) {
  const hn_system *sys = sim->sys;
  struct hn_narrow *n = sim->watch.narrow;
  for (int i = 0; i < n->timed; i++) {
    const hn_expression *e = &sys->expression[n->time_formula[i]];
    if (!timed_piece(sim, e->program, n->time_formula[i], a, b)) return false;
  }
  // steps end on the points of tables: nothing is hidden between them
  for (int i = 0; i < sys->motions; i++)
    if (!sys->motion[i].signals &&
        !timed_piece(sim, sys->motion[i].program, sys->expressions + i, a, b))
      return false;
  return true;
}

// the leaf of the given size that begins at t or holds it
static bool clear_leaf(hn_sim *sim, double t, double size, double *a, double *b) {
  const struct hn_narrow *n = sim->watch.narrow;
  *a = n->origin + size * floor((t - n->origin) / size + 1e-9);
  *b = *a + size;
  return size <= ldexp(n->window, -DEPTH) || clear_time(sim, *a, *b);
}

// the largest leaf at t: *a to *b. Leaves are halves of halves of the window; `guess` is the size
// of one nearby.
// Leaves begin at multiples of their size: which one holds t does not depend on who asks
static void find_leaf(hn_sim *sim, double t, double guess, double *a, double *b) {
  double size = sim->watch.narrow->window;
  while (size > 1.5 * guess) size *= 0.5;
  if (!clear_leaf(sim, t, size, a, b)) {
    do size *= 0.5;
    while (!clear_leaf(sim, t, size, a, b));
    return;
  }
  double c, d;
  while (size < sim->watch.narrow->window && clear_leaf(sim, t, 2 * size, &c, &d)) {
    size *= 2;
    *a = c, *b = d;
  }
}

// may a formula of time decide anew between a and b?
static bool decides(hn_sim *sim, double a, double b) {
  const hn_system *sys = sim->sys;
  struct hn_narrow *n = sim->watch.narrow;
  int open = 0;
  n->in[0] = (hn_bounds){a, b};
  for (int i = 0; i < n->timed && !open; i++)
    open = hn_program_bounds(sys->expression[n->time_formula[i]].program, n->in, n->reg, n->out);
  for (int i = 0; i < sys->motions && !open; i++)
    if (!sys->motion[i].signals)
      open = hn_program_bounds(sys->motion[i].program, n->in, n->reg, n->out);
  return open > 0;
}

// just behind the first instant from t on where something may be decided; the end of the window:
// there is none
static double next_decision(hn_sim *sim, double t) {
  const struct hn_narrow *n = sim->watch.narrow;
  double end = n->origin + n->window, least = ldexp(n->window, -DEPTH), size = n->window;
  while (t < end) {
    size = fmin(size, end - t);
    if (!decides(sim, t, t + size))
      t += size, size *= 2;
    else if (size <= least)
      return t + size;
    else
      size *= 0.5;
  }
  return end;
}

static void look_for_decision(hn_sim *sim) {
  struct hn_narrow *n = sim->watch.narrow;
  bool met = sim->watch.located != n->located;
  double t = sim->state.t, least = ldexp(n->window, -DEPTH);
  if (!met && t < n->decided - 0.5 * least) return;
  n->distance = met ? 0 : fmax(2 * n->distance, least);
  n->located = sim->watch.located;
  n->decided = next_decision(sim, t + n->distance);
  // what was in doubt is behind
  if (n->decided > t + n->distance + 2 * least) n->distance = 0;
}

double hn_narrow_limit(hn_sim *sim, double limit) {
  struct hn_narrow *n = sim->watch.narrow;
  if (!n || n->timed + sim->sys->motions == 0) return limit;
  if (!n->started || sim->state.t < n->origin || sim->state.t >= n->origin + n->window) {
    n->origin = sim->state.t;
    n->window = sim->opt.duration;
    n->leaf = n->window;
    n->leaf_end = n->next_end = n->decided = sim->state.t;
    n->distance = 0;
    n->located = sim->watch.located - 1;
    n->started = true;
    look_ahead(sim);
  }
  look_for_decision(sim);
  double tiny = 1e-12 * hn_time_size(sim, sim->state.t);
  if (sim->state.t >= n->leaf_end - tiny) {
    double a, b, c, d;
    find_leaf(sim, sim->state.t, n->leaf, &a, &b);
    n->leaf = b - a;
    if (b - sim->state.t <= tiny) find_leaf(sim, b, n->leaf, &a, &b);
    n->leaf_end = b;
    find_leaf(sim, b, n->leaf, &c, &d);
    n->next_end = d;
  }
  double end = fmin(n->next_end, n->decided);
  return fmin(limit, fmax(end - sim->state.t, ldexp(n->window, -DEPTH)));
}

// ---- state ---------------------------------------------------------------------------------

// values of the signals at the end of the last step, and how fast they change
static void read_signals(hn_sim *sim, double *to) {
  const hn_system *sys = sim->sys;
  if (sim->stage.work.t != sim->state.t || sim->method.native)
    hn_eval_signals(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
  for (int i = 0; i < sys->signals; i++)
    to[2 * i] = hn_read_signal(&sim->stage.work, &sys->signal[i], &to[2 * i + 1]);
}

// signal i at part s of the step: a cubic through both ends, a line where rates are not known
static double path(const struct hn_narrow *n, int i, double s, double h) {
  const double *p = n->begin + 2 * i, *q = n->end + 2 * i;
  if (isnan(p[1])) return p[0] + s * (q[0] - p[0]);
  double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * s * (3 - 2 * s);
  return a * p[0] + b * q[0] + h * s * (1 - s) * ((1 - s) * p[1] - s * q[1]);
}

static double path_rate(const struct hn_narrow *n, int i, double s, double h) {
  const double *p = n->begin + 2 * i, *q = n->end + 2 * i;
  if (isnan(p[1])) return (q[0] - p[0]) / h;
  return 6 * s * (1 - s) * (q[0] - p[0]) / h + (1 - s) * (1 - 3 * s) * p[1] +
         s * (3 * s - 2) * q[1];
}

static void include(hn_bounds *r, double x, bool first) {
  *r = first ? (hn_bounds){x, x} : (hn_bounds){fmin(r->low, x), fmax(r->high, x)};
}

// formulas are looked at as they are; those that slide on either side, decided as they are there
static const hn_program *program_of(const struct hn_narrow *n, const hn_expression *x) {
  return n->side ? x->held : x->program;
}

// the inputs of formula x at part s of the last step; `first`: their ranges begin with them,
// otherwise they are widened to hold them
static void visit(hn_sim *sim, const hn_expression *x, double s, double h, bool first) {
  struct hn_narrow *n = sim->watch.narrow;
  n->x[0] = sim->state.t - h + s * h;
  include(&n->in[0], n->x[0], first);
  for (int j = 0; j < x->signals; j++) {
    n->x[1 + j] = path(n, x->first_signal + j, s, h);
    include(&n->in[1 + j], n->x[1 + j], first);
  }
  for (int j = 0; n->side && j < x->switches; j++) {
    n->x[1 + x->signals + j] = n->side[x->first_switch + j];
    include(&n->in[1 + x->signals + j], n->x[1 + x->signals + j], first);
  }
}

// a piece of the step, from part s to part e: is formula k represented by a few points of it?
// *decides: something in it may be decided either way
static bool clear_piece(hn_sim *sim, int k, double s, double e, double h, bool *decides) {
  const hn_expression *x = &sim->sys->expression[k];
  struct hn_narrow *n = sim->watch.narrow;
  piece p = {.low = INFINITY, .high = -INFINITY, .length = (e - s) * h};
  for (int i = 0; i < POINTS; i++) {
    double at = s + (e - s) * i / (POINTS - 1);
    visit(sim, x, at, h, i == 0);
    for (int j = 0; j < x->signals; j++)
      include(&n->rate[j], path_rate(n, x->first_signal + j, at, h), i == 0);
    hn_program_run(program_of(n, x), n->x, sim->stage.work.registers, n->y);
    p.low = fmin(p.low, n->y[0]), p.high = fmax(p.high, n->y[0]);
    double rate = fabs(n->y[1]);
    for (int j = 0; j < x->signals; j++)
      rate += fabs(n->y[2 + j] * path_rate(n, x->first_signal + j, at, h));
    p.rate = fmax(p.rate, rate);
  }
  *decides = hn_program_bounds(program_of(n, x), n->in, n->reg, n->out) > 0;
  p.whole = !*decides;
  p.value = n->out[0];
  p.drift = n->out[1];
  p.fastest = magnitude(p.drift);
  for (int j = 0; j < x->signals; j++) p.fastest += product(n->out[2 + j], n->rate[j]);
  double *size = &n->size[k], most = magnitude(p.value);
  if (isfinite(most)) {
    hn_bounds *range = &n->range[k];
    *size = fmax(*size, most);
    *range = (hn_bounds){fmin(range->low, p.value.low), fmax(range->high, p.value.high)};
  }
  return represented(&p, negligible * *size) && followed(sim, &p, n->range[k]);
}

// may formula x decide anew between parts s and e of the last step?
static bool open_piece(hn_sim *sim, const hn_expression *x, double s, double e, double h) {
  struct hn_narrow *n = sim->watch.narrow;
  for (int i = 0; i < POINTS; i++) visit(sim, x, s + (e - s) * i / (POINTS - 1), h, i == 0);
  return hn_program_bounds(program_of(n, x), n->in, n->reg, n->out) > 0;
}

static unsigned long long decided(hn_sim *sim, const hn_expression *x, double s, double h) {
  visit(sim, x, s, h, true);
  return hn_program_decided(program_of(sim->watch.narrow, x), sim->watch.narrow->x,
                            sim->stage.work.registers);
}

// Just behind the place in the last step where formula x decides anew for the first time, when it
// does so again later on: two changes may look like none from the ends of a step, and one that is
// met does not stand for those before it. 1: it decides once at most. Where the bounds stay in
// doubt although nothing changes, the places looked at lie farther and farther apart.
static double first_of_several(hn_sim *sim, const hn_expression *x, double h) {
  double s = 0, size = 1, first = 1, apart = ldexp(1, -DEPTH);
  unsigned long long now = decided(sim, x, 0, h);
  for (int changes = 0; s < 1;) {
    size = fmin(size, 1 - s);
    bool open = open_piece(sim, x, s, s + size, h);
    if (open && size > apart) {
      size *= 0.5;
      continue;
    }
    s += size;
    size *= 2;
    if (!open) {
      apart = ldexp(1, -DEPTH);
      continue;
    }
    unsigned long long then = decided(sim, x, s, h);
    if (then == now) {
      apart *= 2;
      continue;
    }
    if (changes++) return first;
    first = s;
    now = then;
    apart = ldexp(1, -DEPTH);
  }
  return 1;
}

// how much of the last step formula k lets stand: 1 all of it, 0 not even its first quarter
static double clear_of(hn_sim *sim, int k, double h) {
  bool decides, unused;
  double part = 1;
  bool clear = clear_piece(sim, k, 0, 1, h, &decides);
  for (int q = 0; !clear && 0.25 * q < part; q++)
    if (!clear_piece(sim, k, 0.25 * q, 0.25 * (q + 1), h, &unused)) part = 0.25 * q;
  if (decides) part = fmin(part, first_of_several(sim, &sim->sys->expression[k], h));
  return part;
}

// how much of it can stand
static double clear_part(hn_sim *sim, double h) {
  struct hn_narrow *n = sim->watch.narrow;
  const hn_work *work = &sim->stage.work;
  double part = 1;
  for (int i = 0; i < n->shaped; i++) {
    int k = n->state_formula[i];
    bool slides = work->between && !isnan(work->between[k]);
    for (int side = 0; side < (slides ? 2 : 1); side++) {
      n->side = !slides ? NULL : side ? work->across : work->side;
      part = fmin(part, clear_of(sim, k, h));
    }
    n->side = NULL;
  }
  return part;
}

// steps taken back count as refused. A step of a quarter, or of the part that was clear, is tried
// next; below what time resolves it stands as it is
hn_status hn_clear_step(hn_sim *sim, double limit) {
  struct hn_narrow *n = sim->watch.narrow;
  if (!n) return sim->method.integrator->step(sim, limit);
  limit = hn_narrow_limit(sim, limit);
  if (!n->shaped || !sim->method.integrator->undo) return sim->method.integrator->step(sim, limit);
  read_signals(sim, n->begin);
  for (int pass = 0;; pass++) {
    hn_status status = sim->method.integrator->step(sim, limit);
    if (status) return status;
    double h = sim->state.t - sim->state.t_old;
    read_signals(sim, n->end);
    double part = clear_part(sim, h);
    double shorter = h * (part > 0 ? part : 0.25);
    if (part == 1 || pass == RETRIES || !(shorter > 1e-10 * hn_time_size(sim, sim->state.t)))
      return HN_OK;
    sim->method.integrator->undo(sim);
    limit = shorter;
    sim->step.h = fmin(sim->step.h, shorter);
  }
}
