// adams.c: Adams-Bashforth and Adams-Moulton formulas of fixed step and order 2 to 4.
//
//   adams-bashforth-k   y1 = y0 + h sum_{j<k} b_j f_-j
//   adams-moulton-k     p = y0 + h sum_{j<k} b_j f_-j,
//                       y1 = y0 + h (c_0 f(p) + sum_{0<j<k} c_j f_1-j), evaluated once more (PECE)
//
// f_-j is the derivative j steps ago. The formulas hold for equal steps: the first k - 1 steps, and
// those after an event or one cut short, are taken by the classical Runge-Kutta formula.
//
// Gains of feedback are known for them (baumgarte_rule.c); abm.c is the one to work with.
#include "integrators/integrators.h"

#include <string.h>

enum { MOST = 4, STARTS = MOST, STAGES = 3 };  // stages of the Runge-Kutta formula after the first

typedef struct formula {
  int order;
  double predict[MOST], correct[MOST];  // b and c; no c: no correction
} formula;

typedef struct adams {
  int past;    // derivatives of earlier steps, all h apart
  double h;    // of the last step
  bool taken;  // the derivative of vector 0 is that of the start of a step that was accepted
} adams;

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, STARTS + STAGES);
  sim->method.integrator_data = HN_TAKE(arena, adams, 1);
}

// vector j is to be the derivative j steps ago
static void remember(hn_sim *sim, adams *a, int most) {
  if (!(sim->step.h > 0)) a->past = 0, a->taken = false;
  if (!a->taken) return;
  // shifted only here: a step taken back must find them as they were
  for (int j = most - 1; j > 0; j--)
    memcpy(sim->step.k[j], sim->step.k[j - 1], (size_t)sim->state.n * sizeof(double));
  if (a->past < most - 1) a->past++;
  a->taken = false;
}

// the classical Runge-Kutta formula: the new state is in sim->step.y_new
static hn_status begin(hn_sim *sim, double h) {
  static const double half = 0.5, one = 1, sixths[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double *k[] = {sim->step.k[0], sim->step.k[STARTS], sim->step.k[STARTS + 1],
                 sim->step.k[STARTS + 2]};
  int n = sim->state.n;
  for (int s = 1; s <= STAGES; s++) {
    const double *c = s < STAGES ? &half : &one;
    hn_stage_sum(sim->step.y_stage, sim->state.y, h, c, &k[s - 1], 1, n);
    hn_status status = hn_derivative(sim, sim->state.t + *c * h, sim->step.y_stage, k[s]);
    if (status) return status;
  }
  hn_stage_sum(sim->step.y_new, sim->state.y, h, sixths, k, STAGES + 1, n);
  return HN_OK;
}

static hn_status go_on(hn_sim *sim, const formula *f, double h) {
  double *const *k = sim->step.k, *at_end = k[STARTS];
  int n = sim->state.n;
  hn_stage_sum(sim->step.y_new, sim->state.y, h, f->predict, k, f->order, n);
  if (f->correct[0] == 0) return HN_OK;
  memcpy(sim->step.y_stage, sim->step.y_new, (size_t)n * sizeof(double));
  hn_status status = hn_derivative(sim, sim->state.t + h, sim->step.y_stage, at_end);
  if (status) return status;
  hn_stage_sum(sim->step.y_new, sim->state.y, h, f->correct + 1, k, f->order - 1, n);
  hn_stage_sum(sim->step.y_new, sim->step.y_new, h, f->correct, &at_end, 1, n);
  return HN_OK;
}

static hn_status step(hn_sim *sim, double limit) {
  static const double equal = 1e-9;
  const formula *f = sim->method.integrator->variant;
  adams *a = sim->method.integrator_data;
  double h = fmin(sim->opt.step, limit);
  remember(sim, a, f->order);
  hn_status status = hn_first_stage(sim);
  if (status) return status;
  // formulas hold for equal steps: one that was cut short begins anew
  if (fabs(h - a->h) > equal * h) a->past = 0;
  status = a->past == f->order - 1 ? go_on(sim, f, h) : begin(sim, h);
  if (!status) status = hn_accept_step(sim, h, sim->step.y_new, NULL);
  if (status) return status;
  a->taken = true;
  a->h = sim->step.h = h;
  return HN_OK;
}

// the derivatives are still those of the start of the step
static void undo(hn_sim *sim) {
  adams *a = sim->method.integrator_data;
  hn_undo_step(sim);
  a->taken = false;
}

static const formula formulas[HN_ADAMS] = {
    {2, {3.0 / 2, -1.0 / 2}, {0}},
    {3, {23.0 / 12, -16.0 / 12, 5.0 / 12}, {0}},
    {4, {55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}, {0}},
    {2, {3.0 / 2, -1.0 / 2}, {1.0 / 2, 1.0 / 2}},
    {3, {23.0 / 12, -16.0 / 12, 5.0 / 12}, {5.0 / 12, 8.0 / 12, -1.0 / 12}},
    {4, {55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}, {9.0 / 24, 19.0 / 24, -5.0 / 24, 1.0 / 24}},
};

#define HN_ADAMS_TYPE(NAME, WHAT, ORDER, AT)                                                       \
  {                                                                                                \
    .info = {.name = NAME,                                                                         \
             .help = WHAT ", order " #ORDER ", fixed step: for feedback made for it",              \
             .keys = "step",                                                                       \
             .required = "step"},                                                                  \
    .order = ORDER, .layout = layout, .step = step, .dense = hn_dense_hermite, .undo = undo,       \
    .multistep = true, .variant = &formulas[AT]                                                    \
  }

const hn_integrator_type hn_integrator_adams[HN_ADAMS] = {
    HN_ADAMS_TYPE("adams-bashforth-2", "Adams-Bashforth", 2, 0),
    HN_ADAMS_TYPE("adams-bashforth-3", "Adams-Bashforth", 3, 1),
    HN_ADAMS_TYPE("adams-bashforth-4", "Adams-Bashforth", 4, 2),
    HN_ADAMS_TYPE("adams-moulton-2", "Adams-Moulton (PECE)", 2, 3),
    HN_ADAMS_TYPE("adams-moulton-3", "Adams-Moulton (PECE)", 3, 4),
    HN_ADAMS_TYPE("adams-moulton-4", "Adams-Moulton (PECE)", 4, 5),
};
