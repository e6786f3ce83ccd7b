// tally.c: what adds up along the motion: integrals among the columns, and the work of every source
// of energy.
//
// Neither is a state: the motion knows nothing of them, and its steps care for nothing that is in
// an integrand alone. After every step the integrands are read at Gauss' points of it, as a row
// would be, from the integrator's dense output: as many points as its order asks for. The same over
// both halves tells whether that will do; where it does not (kinks, switches, what is faster than
// the motion) halves are halved again, down to where a jump is worth nothing. Something narrow
// between the points is looked for where that is cheap: the formula is followed along the columns
// as they are interpolated between them. What is left open when the run can afford no more
// evaluations is told in its notes. Rows inside a step take the part up to them in the same way.
// What the run itself needs of these evaluations (factors, the last accelerations and loads) is put
// back.
//
// Sources are forces without potential, drivers, what the caller pushes with, and impacts, whose
// work the run adds at once. Together they bring what the energy balance calls work.
#include "base/elementary.h"
#include "sim/sim.h"

#include "record/columns.h"
#include "record/computed.h"
#include "record/result.h"

#include <stdio.h>
#include <string.h>

enum {
  MOST_POINTS = 4,
  DEPTH = 30,    // halves of halves
  EARNED = 16,   // evaluations for them, which every step adds to what a run begins with:
  FOLLOWED = 64  // places where a formula is looked at by itself
};
static const double at_first = 3000, at_first_numbers = 3e5;  // by the size of the model
static const double closed = 1e-8;  // what may be left open, part of the integral of the size
static const double worth_telling = 1e-5;
// what formulas followed by themselves may differ by, and how much less in every half
static const double narrow = 1e-4, narrower = 0.25;

// places on (0, 1) and weights; n points are of order 2 n
static const double places[MOST_POINTS][MOST_POINTS] = {
    {0.5},
    {0.21132486540518711775, 0.78867513459481288225},
    {0.11270166537925831148, 0.5, 0.88729833462074168852},
    {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240,
     0.93056815579702628761},
};
static const double weights[MOST_POINTS][MOST_POINTS] = {
    {1},
    {0.5, 0.5},
    {5.0 / 18, 8.0 / 18, 5.0 / 18},
    {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131,
     0.17392742256872692869},
};

// sources that are no elements
enum { PUSHES, IMPACTS, OTHERS };

struct hn_tally {
  int points;
  int integrals;  // computed columns, as many as there are in all
  int sources;    // behind them; 0: they are not asked for
  int elements;   // of these, forces; then joints, then those above
  double *value;  // at the end of the last step
  double *at;     // at `t` inside it
  double t;
  double *size, *open;  // at the end of the last step: integrals of sizes, what was left open
  long credit;
  bool smooth;  // the last step took no more than halves
  double work;  // of the run, at the end of the last step
  // scratch: an evaluation, and what it must not spoil
  double *y, *rate, *row, *power;
  double *a, *lambda, *load;
  double *scale, *parts;    // what is left open counts against; integrals over parts of a step
  double *blur;             // per integral
  double *point, *between;  // rows at the points of both halves, and between them
};

// over a part of a step
typedef struct part {
  double *sum, *size;
} part;

static int elements_of(const hn_system *sys) {
  int count = 0;
  for (int i = 0; i < sys->batches; i++) count += sys->batch[i].count;
  return count;
}

static bool has_integrals(const hn_system *sys) {
  for (int i = 0; i < sys->computeds; i++)
    if (sys->computed[i].integral) return true;
  return false;
}

void hn_tally_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  struct hn_tally *o, place = {.integrals = sys->computeds, .elements = elements_of(sys)};
  bool ledger = strcmp(sim->opt.ledger, "on") == 0;
  if (!ledger && !has_integrals(sys)) return;
  // Gauss' rule must not lose the order that the steps have
  if (ledger) place.sources = place.elements + sys->joints + OTHERS + 1;
  int count = place.integrals + place.sources, order = sim->method.integrator->order;
  place.points = order > 2 * MOST_POINTS ? MOST_POINTS : order < 2 ? 1 : (order + 1) / 2;
  o = HN_TAKE(arena, struct hn_tally, 1);
  place.value = HN_TAKE(arena, double, count);
  place.at = HN_TAKE(arena, double, count);
  place.power = HN_TAKE(arena, double, count);
  place.size = HN_TAKE(arena, double, count);
  place.open = HN_TAKE(arena, double, count);
  place.scale = HN_TAKE(arena, double, count);
  place.point = HN_TAKE(arena, double, 2 * MOST_POINTS * sys->columns);
  place.blur = HN_TAKE(arena, double, place.integrals);
  place.between = HN_TAKE(arena, double, sys->columns);
  place.parts = HN_TAKE(arena, double, (2 * DEPTH + 4) * 2 * count);
  place.y = HN_TAKE(arena, double, sim->state.n);
  place.rate = HN_TAKE(arena, double, sim->state.n);
  place.row = HN_TAKE(arena, double, sys->columns);
  place.a = HN_TAKE(arena, double, sys->nv);
  place.lambda = HN_TAKE(arena, double, sys->rows);
  place.load = HN_TAKE(arena, double, 6 * sys->loads);
  if (!arena->base) return;
  *o = place;
  sim->tally = o;
}

void hn_tally_reset(hn_sim *sim) {
  struct hn_tally *s = sim->tally;
  if (!s) return;
  memset(s->value, 0, (size_t)(s->integrals + s->sources) * sizeof(double));
  memset(s->at, 0, (size_t)(s->integrals + s->sources) * sizeof(double));
  memset(s->size, 0, (size_t)(s->integrals + s->sources) * sizeof(double));
  memset(s->open, 0, (size_t)(s->integrals + s->sources) * sizeof(double));
  s->credit = (long)fmax(at_first, at_first_numbers / (sim->sys->nv + sim->sys->rows + 1));
  s->t = sim->state.t;
  s->work = sim->state.y[sim->state.w];
}

// ---- integrands ----------------------------------------------------------------------------

// power of every source at the state last evaluated, potentials apart.
// Elements are evaluated one by one into a copy of the work space, whose forces are scratch: what
// each adds to `power` is what it does without a potential. Drivers work through the rows that
// depend on time
static void powers(hn_sim *sim, double *to) {
  const struct hn_tally *s = sim->tally;
  const hn_system *sys = sim->sys;
  hn_work work = sim->stage.work;
  double known = 0, all = work.power, *last = to + s->elements + sys->joints;
  int at = 0;
  // a copy: elements add to its own force and power, not to the run's
  work.f = sim->record.forces;
  for (int i = 0; i < sys->batches; i++)
    for (int k = 0; k < sys->batch[i].count; k++) {
      const hn_batch *b = &sys->batch[i];
      const void *data = b->data + (size_t)k * b->ops->data_size;
      memset(work.f, 0, (size_t)sys->bv * sizeof(double));
      work.power = work.potential = 0;
      b->ops->eval(sys, &work, 1, data);
      if (b->ops->reactive) b->ops->reactive(sys, &work, 1, data);
      known += to[at++] = work.power;
    }
  for (int i = 0; i < sys->joints; i++) to[at + i] = 0;
  for (int i = 0; sys->rheonomic && i < sys->rows; i++)
    to[at + sys->row_joint[i]] -= work.lambda[i] * work.phi_t[i];
  last[PUSHES] = last[IMPACTS] = 0;
  if (work.pushed) {
    memset(work.f, 0, (size_t)sys->bv * sizeof(double));
    work.power = 0;
    hn_eval_pushes(&work);
    known += last[PUSHES] = work.power;
  }
  // blocks and flexible bodies
  last[OTHERS] = sys->blocks || sys->flexibles ? all - known : 0;
}

// What integrands may be off by rounding: columns are known to ten digits or so, and a difference
// of two that are the same to all digits has none. As sizes that it takes to be left open by that
// much
static void blurs(const hn_sim *sim, double *to) {
  static const double move = 1e-6, digits = 1e-10;
  const struct hn_tally *s = sim->tally;
  const hn_system *sys = sim->sys;
  int first = sys->columns - sys->computeds;
  for (int i = 0; i < sys->columns; i++)
    s->between[i] = s->row[i] * (1 + (i ? move * hn_sin(i) : 0));  // times are exact
  for (int i = 0; i < s->integrals; i++) {
    double value = hn_computed_value(&sim->stage.work, i, s->between);
    if (!sys->computed[i].adds_up) s->between[first + i] = value;
    to[i] = sys->computed[i].integral ? fabs(value - s->power[i]) / move * digits / closed : 0;
  }
}

// all integrands at time t of the last step
static hn_status look(hn_sim *sim, double t) {
  struct hn_tally *s = sim->tally;
  const hn_system *sys = sim->sys;
  hn_dense(sim, t, s->y);
  hn_live_look_back(sim, true);
  hn_status status = hn_correct_inside(sim, t, s->y);
  hn_events_look(sim, true);
  if (!status) status = hn_derivative(sim, t, s->y, s->rate);
  if (!status) {
    if (sim->method.integrator->reactions) sim->method.integrator->reactions(sim);
    if (s->sources) powers(sim, s->power + s->integrals);
    hn_share_reactions(sim);
    hn_eval_measures(&sim->stage.work);
    sim->audit.energy = hn_balance_here(sim, s->y);
    hn_read_row(sim, s->row);
    for (int i = 0; i < s->integrals; i++)
      if (sys->computed[i].integral) s->power[i] = hn_computed_value(&sim->stage.work, i, s->row);
    blurs(sim, s->blur);
  }
  hn_events_look_away(sim);
  hn_live_look_back(sim, false);
  hn_stage_left(sim);
  return status;
}

// ---- adding up -----------------------------------------------------------------------------

static part scratch(const struct hn_tally *s, int which) {
  size_t count = (size_t)(s->integrals + s->sources);
  double *at = s->parts + (size_t)which * 2 * count;
  return (part){at, at + count};
}

static void clear(const struct hn_tally *s, part p) {
  memset(p.sum, 0, (size_t)(s->integrals + s->sources) * 2 * sizeof(double));
}

// by one formula of n points over [from, end], a part of the last step; rows are kept from number
// `first` on
static hn_status gauss(hn_sim *sim, double from, double end, int n, part to, int first) {
  struct hn_tally *s = sim->tally;
  hn_status status = HN_OK;
  double h = end - from;
  clear(s, to);
  for (int k = 0; k < n && !status; k++) {
    double weight = weights[n - 1][k] * h;
    status = look(sim, from + places[n - 1][k] * h);
    memcpy(s->point + (size_t)(first + k) * (size_t)sim->sys->columns, s->row,
           (size_t)sim->sys->columns * sizeof(double));
    for (int i = 0; i < s->integrals + s->sources && !status; i++) {
      to.sum[i] += weight * s->power[i];
      to.size[i] += weight * (fabs(s->power[i]) + (i < s->integrals ? s->blur[i] : 0));
    }
  }
  return status;
}

// Is it the same over both halves? Sizes are those of the motion up to here: an integral by itself,
// sources of energy against all of them. What is no number gets no better
static bool agree(struct hn_tally *s, part whole, part left, part right, part done) {
  double all = 0;
  bool same = true;
  for (int i = 0; i < s->integrals + s->sources; i++) {
    double size = s->size[i] + done.size[i] + left.size[i] + right.size[i];
    s->scale[i] = fmax(s->scale[i], size);
    if (i >= s->integrals) all += s->scale[i];
  }
  for (int i = 0; i < s->integrals + s->sources; i++) {
    double scale = i < s->integrals ? s->scale[i] : all;
    same &= !(fabs(left.sum[i] + right.sum[i] - whole.sum[i]) > closed * scale);
  }
  return same;
}

// points of both halves of an interval, n in all, and what they weigh when the columns between them
// are interpolated (barycentric)
typedef struct points {
  int n;
  double at[2 * MOST_POINTS], weight[2 * MOST_POINTS];
} points;

static points points_of(int half) {
  points p = {.n = 2 * half};
  for (int i = 0; i < p.n; i++) p.at[i] = 0.5 * (i / half + places[half - 1][i % half]);
  for (int i = 0; i < p.n; i++) {
    p.weight[i] = 1;
    for (int j = 0; j < p.n; j++)
      if (j != i) p.weight[i] /= p.at[i] - p.at[j];
  }
  return p;
}

// the row at place x of the interval
static void interpolate(const struct hn_tally *s, int columns, const points *p, double x) {
  double weight[2 * MOST_POINTS], all = 0;
  for (int i = 0; i < p->n; i++) all += weight[i] = p->weight[i] / (x - p->at[i]);
  memset(s->between, 0, (size_t)columns * sizeof(double));
  for (int i = 0; i < p->n; i++) {
    double of_all = weight[i] / all;
    for (int c = 0; c < columns; c++)
      s->between[c] += of_all * s->point[(size_t)i * (size_t)columns + (size_t)c];
  }
}

// By how much integrals over both halves differ where formulas are followed by themselves, in
// s->power: is it more than a share of them?
static bool hides(hn_sim *sim, double from, double end, int n, double share, part left,
                  part right) {
  struct hn_tally *s = sim->tally;
  const hn_system *sys = sim->sys;
  int first = sys->columns - sys->computeds;
  double h = (end - from) / FOLLOWED, *sum = s->power;
  bool hidden = false;
  points p = points_of(n);
  memset(sum, 0, (size_t)(s->integrals + s->sources) * sizeof(double));
  for (int k = 0; k < FOLLOWED && s->integrals; k++) {
    double x = (k + 0.5) / FOLLOWED;
    interpolate(s, sys->columns, &p, x);
    s->between[0] = from + x * (end - from);
    for (int i = 0; i < s->integrals; i++) {
      double value = hn_computed_value(&sim->stage.work, i, s->between);
      if (sys->computed[i].integral)
        sum[i] += value * h;
      else if (!sys->computed[i].adds_up)
        s->between[first + i] = value;
    }
  }
  for (int i = 0; i < s->integrals; i++)
    if (sys->computed[i].integral) {
      sum[i] = fabs(sum[i] - left.sum[i] - right.sum[i]);
      hidden |= sum[i] > fmax(share, closed) * s->scale[i];
    }
  return hidden;
}

// done += integrals over [from, end], where one formula gave `whole`; open += what they may be off
static hn_status halve(hn_sim *sim, double from, double end, part whole, int level, part done,
                       double *open) {
  struct hn_tally *s = sim->tally;
  part left = scratch(s, 2 + 2 * level), right = scratch(s, 3 + 2 * level);
  double middle = 0.5 * (from + end), share = narrow * hn_pow(narrower, level);
  int n = level ? MOST_POINTS : s->points;  // what the steps' order does not follow takes all
  hn_status status = gauss(sim, from, middle, n, left, 0);
  if (!status) status = gauss(sim, middle, end, n, right, n);
  if (status) return status;
  bool same = agree(s, whole, left, right, done) && !hides(sim, from, end, n, share, left, right);
  if (open) s->smooth &= same;
  if (!same && level + 1 < DEPTH && s->credit > 0) {
    s->credit -= 4 * MOST_POINTS;
    status = halve(sim, from, middle, left, level + 1, done, open);
    return status ? status : halve(sim, middle, end, right, level + 1, done, open);
  }
  if (!same && open) (void)hides(sim, from, end, n, share, left, right);
  for (int i = 0; i < s->integrals + s->sources; i++) {
    done.sum[i] += left.sum[i] + right.sum[i];
    done.size[i] += left.size[i] + right.size[i];
    if (!same && open)
      open[i] += fmax(fabs(left.sum[i] + right.sum[i] - whole.sum[i]), s->power[i]);
  }
  return HN_OK;
}

// to += integrals over [from, end], a part of the last step; `kept`: the run goes on from there.
// Parts of a step that is smooth take one formula
static hn_status add(hn_sim *sim, double from, double end, double *to, bool kept) {
  struct hn_tally *s = sim->tally;
  part whole = scratch(s, 0), done = scratch(s, 1);
  if (!(end > from)) return HN_OK;
  clear(s, done);
  memcpy(s->scale, s->size, (size_t)(s->integrals + s->sources) * sizeof(double));
  if (kept) s->smooth = true;
  hn_status status = gauss(sim, from, end, s->points, whole, 0);
  if (!kept && s->smooth)
    done = whole;
  else if (!status)
    status = halve(sim, from, end, whole, 0, done, kept ? s->open : NULL);
  for (int i = 0; i < s->integrals + s->sources && !status; i++) {
    to[i] += done.sum[i];
    if (kept) s->size[i] += done.size[i];
  }
  if (kept) s->credit += EARNED;
  return status;
}

// the same, and the run is as it was
static hn_status add_unseen(hn_sim *sim, double from, double end, double *to, bool kept) {
  struct hn_tally *s = sim->tally;
  const hn_system *sys = sim->sys;
  size_t a = (size_t)sys->nv * sizeof(double), l = (size_t)sys->rows * sizeof(double),
         load = 6 * (size_t)sys->loads * sizeof(double);
  hn_sim_watch watch = sim->watch;
  hn_sim_count count = sim->count;
  hn_energy energy = sim->audit.energy;
  // dense output may find the rate at the end, with loads that are not what the run goes on from
  unsigned long rate = sim->stage.rate_stamp;
  memcpy(s->a, sim->stage.a, a);
  memcpy(s->lambda, sim->stage.work.lambda, l);
  memcpy(s->load, sim->stage.work.load, load);
  hn_status status = add(sim, from, end, to, kept);
  memcpy(sim->stage.a, s->a, a);
  memcpy(sim->stage.work.lambda, s->lambda, l);
  memcpy(sim->stage.work.load, s->load, load);
  sim->stage.rate_stamp = rate;
  sim->watch = watch;
  sim->count = count;
  sim->audit.energy = energy;
  return status;
}

// impacts change the work between steps: what it has at the start of this one and had not at the
// end of the last
hn_status hn_tally_step(hn_sim *sim) {
  struct hn_tally *s = sim->tally;
  if (!s) return HN_OK;
  size_t bytes = (size_t)(s->integrals + s->sources) * sizeof(double);
  if (s->sources)
    s->value[s->integrals + s->sources - OTHERS - 1 + IMPACTS] +=
        sim->state.y_old[sim->state.w] - s->work;
  s->work = sim->state.y[sim->state.w];
  s->t = sim->state.t_old;
  memcpy(s->at, s->value, bytes);
  return add_unseen(sim, sim->state.t_old, sim->state.t, s->value, true);
}

hn_status hn_tally_row(hn_sim *sim, double t) {
  struct hn_tally *s = sim->tally;
  if (!s) return HN_OK;
  hn_status status = HN_OK;
  if (t < sim->state.t) {
    status = add_unseen(sim, s->t, t, s->at, false);
    s->t = t;
  } else {
    memcpy(s->at, s->value, (size_t)(s->integrals + s->sources) * sizeof(double));
    s->t = sim->state.t;
  }
  return status;
}

const double *hn_tally_integrals(const hn_sim *sim) {
  return sim->tally ? sim->tally->at : NULL;
}

hn_status hn_tally_tell(const hn_sim *sim, hn_result *result) {
  const struct hn_tally *s = sim->tally;
  const hn_system *sys = sim->sys;
  hn_status status = HN_OK;
  int first = sys->columns - sys->computeds;
  for (int i = 0; s && i < s->integrals && !status; i++) {
    if (!(s->open[i] > worth_telling * s->size[i])) continue;
    char text[260];
    snprintf(text, sizeof text,
             "integral %.80s: what it adds up changes too fast for the steps: known to %.1e of it "
             "(a state with this rate has its part in the steps)",
             sys->column[first + i].name, s->open[i] / s->size[i]);
    status = hn_result_add_note(result, text);
  }
  return status;
}

// ---- what is told --------------------------------------------------------------------------

int hn_ledger_count(const hn_sim *sim) {
  return sim->tally ? sim->tally->sources : 0;
}

const char *hn_ledger_source(const hn_sim *sim, int source) {
  static const char *const names[] = {
      [PUSHES] = "pushes", [IMPACTS] = "impacts", [OTHERS] = "blocks and flexible bodies"};
  const hn_system *sys = sim->sys;
  if (source < 0 || source >= hn_ledger_count(sim)) return NULL;
  for (int i = 0; i < sys->batches; i++) {
    if (source < sys->batch[i].count) return sys->batch[i].name[source];
    source -= sys->batch[i].count;
  }
  return source < sys->joints ? sys->joint[source].name : names[source - sys->joints];
}

double hn_ledger_work(const hn_sim *sim, int source) {
  if (source < 0 || source >= hn_ledger_count(sim)) return NAN;
  const struct hn_tally *s = sim->tally;
  double work = s->value[s->integrals + source];
  // those of now are known when the next step begins
  if (source == s->sources - OTHERS - 1 + IMPACTS) work += sim->state.y[sim->state.w] - s->work;
  return work;
}
