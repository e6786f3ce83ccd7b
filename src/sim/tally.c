// tally.c: what adds up along the motion: integrals among the columns, and the work of every source
// of energy.
//
// Neither is a state: the motion knows nothing of them. After every step the integrands are read at
// Gauss' points of it, as a row would be, from the integrator's dense output: as many points as its
// order asks for. Rows inside a step take the part up to them in the same way. What the run itself
// needs of these evaluations (factors, the last accelerations and loads) is put back.
//
// Sources are forces without potential, drivers, what the caller pushes with, and impacts, whose
// work the run adds at once. Together they bring what the energy balance calls work.
#include "sim/sim.h"

#include "record/columns.h"
#include "record/computed.h"

#include <string.h>

enum { MOST_POINTS = 4 };

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
  double work;  // of the run, at the end of the last step
  // scratch: an evaluation, and what it must not spoil
  double *y, *rate, *row, *power;
  double *a, *lambda, *load;
};

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
  }
  hn_events_look_away(sim);
  hn_live_look_back(sim, false);
  hn_stage_left(sim);
  return status;
}

// ---- adding up -----------------------------------------------------------------------------

// to += integrals over [from, end], a part of the last step
static hn_status add(hn_sim *sim, double from, double end, double *to) {
  struct hn_tally *s = sim->tally;
  hn_status status = HN_OK;
  for (int k = 0; k < s->points && !status && end > from; k++) {
    double h = end - from;
    status = look(sim, from + places[s->points - 1][k] * h);
    for (int i = 0; i < s->integrals + s->sources && !status; i++)
      to[i] += weights[s->points - 1][k] * h * s->power[i];
  }
  return status;
}

// the same, and the run is as it was
static hn_status add_unseen(hn_sim *sim, double from, double end, double *to) {
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
  hn_status status = add(sim, from, end, to);
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
  return add_unseen(sim, sim->state.t_old, sim->state.t, s->value);
}

hn_status hn_tally_row(hn_sim *sim, double t) {
  struct hn_tally *s = sim->tally;
  if (!s) return HN_OK;
  hn_status status = HN_OK;
  if (t < sim->state.t) {
    status = add_unseen(sim, s->t, t, s->at);
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
