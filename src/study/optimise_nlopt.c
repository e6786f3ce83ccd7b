// optimise_nlopt.c: the ways of NLopt, where the library was built with it (HN_NLOPT).
//
// S. G. Johnson, The NLopt nonlinear-optimization package. It asks for the metric and for every
// constraint by itself; one run has all of them, and is kept until another place is asked for.
#include "study/optimise.h"

#ifdef HN_HAVE_NLOPT

#include "study/nlopt_library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// what was asked last; NLopt asks for the metric and each constraint at one place, one after the
// other
typedef struct caller {
  hn_optimising *w;
  nlopt_opt opt;
  double *place, *value, *slope;  // last asked for; 1 + constraints values, their slopes
  bool known, sloped;             // are value and slope of this place?
  hn_status status;
} caller;

typedef struct question {
  // handed to NLopt as user data of each function
  caller *of;
  int which;  // 0: the metric, then the constraints
} question;

// HN_OK: runs have been used up, which is no failure
static double give_up(caller *c, hn_status status) {
  c->status = status;
  nlopt_force_stop(c->opt);
  return HUGE_VAL;
}

// finite: NLopt's models are spoiled by infinity
// a run that failed is worse than any that did not
static const double failed = 1e30;

// a failed run has slopes as well as others: those beside it say where it gets better
static double ask(unsigned n, const double *x, double *gradient, void *user) {
  const question *q = user;
  caller *c = q->of;
  hn_optimising *w = c->w;
  // bits, not distances: another place has another run
  if (!c->known || memcmp(x, c->place, n * sizeof *x) != 0) {
    c->known = c->sloped = false;
    // it is asked for as many runs as it likes: the limit is ours
    if (!hn_optimising_has_room(w, 1)) return give_up(c, HN_OK);
    memcpy(c->place, x, n * sizeof *x);
    hn_status status = hn_optimising_run(w, 1, x);
    if (status) return give_up(c, status);
    if (!hn_optimising_values(w, 0, c->value))
      for (int i = 0; i <= w->constraints; i++) c->value[i] = failed;
    c->known = true;
  }
  if (gradient && !c->sloped) {
    if (!hn_optimising_has_room(w, hn_optimising_slopes_cost(w))) return give_up(c, HN_OK);
    // runs for differences come after that of the place: w->row is theirs then
    hn_status status = hn_optimising_slopes(w, x, c->slope);
    if (status) return give_up(c, status);
    c->sloped = true;
  }
  // row by row, as hn_optimising_slopes writes them
  if (gradient) memcpy(gradient, c->slope + (unsigned)q->which * n, n * sizeof *gradient);
  return c->value[q->which];
}

// NLopt returns positive numbers for success
static nlopt_result set_up(caller *c, question *q) {
  const hn_optimising *w = c->w;
  const struct hn_optimise *o = w->study->optimise;
  // places in the unit cube, as everywhere in searches
  nlopt_result result = nlopt_set_lower_bounds1(c->opt, 0);
  if (result > 0) result = nlopt_set_upper_bounds1(c->opt, 1);
  for (int i = 0; i <= w->constraints; i++) q[i] = (question){c, i};
  if (result > 0) result = nlopt_set_min_objective(c->opt, ask, &q[0]);
  for (int i = 1; i <= w->constraints && result > 0; i++)
    result = nlopt_add_inequality_constraint(c->opt, ask, &q[i], 0);
  // absolute: places have the size of their ranges
  if (result > 0) result = nlopt_set_xtol_abs1(c->opt, o->tolerance);
  if (result > 0) result = nlopt_set_initial_step1(c->opt, o->step);
  if (result > 0 && o->population) result = nlopt_set_population(c->opt, (unsigned)o->population);
  return result;
}

// Results below zero are failures, of which those of rounding (NLOPT_ROUNDOFF_LIMITED) are none
// where something was found.
static hn_status search(hn_optimising *w, const hn_optimiser *self) {
  unsigned n = (unsigned)w->n;
  if (!hn_nlopt_load())
    return hn_fail(w->message, HN_ERR_UNSUPPORTED, "NLopt cannot be loaded: %s",
                   hn_nlopt_trouble());
  size_t values = (size_t)w->constraints + 1;
  caller c = {.w = w, .opt = nlopt_create((nlopt_algorithm)self->variant, n)};
  question *q = calloc(values, sizeof *q);
  // place n, values, slopes, and the start n
  double *block = calloc(2 * n + values * (n + 1), sizeof *block), least = 0;
  hn_status status = HN_OK;
  nlopt_result result = NLOPT_OUT_OF_MEMORY;
  if (c.opt && q && block) {
    c.place = block, c.value = block + n, c.slope = c.value + values;
    double *u = c.slope + values * n;
    // the middle of all ranges, as other ways begin
    for (unsigned j = 0; j < n; j++) u[j] = 0.5;
    // for the ways that draw: a search that is resumed must draw the same
    nlopt_srand((unsigned long)w->study->seed);
    result = set_up(&c, q);
    if (result > 0) result = nlopt_optimize(c.opt, u, &least);
  }
  // a limit that was reached is no answer
  w->best->converged = result > 0 && result != NLOPT_MAXEVAL_REACHED;
  w->best->spread = w->study->optimise->tolerance;
  if (result == NLOPT_OUT_OF_MEMORY)
    status = hn_fail(w->message, HN_ERR_MEMORY, "out of memory");
  else if (result == NLOPT_FORCED_STOP)
    // our own stop: HN_OK where runs were used up
    status = c.status;
  else if (result == NLOPT_INVALID_ARGS || (result < 0 && w->best->run < 0))
    status = hn_fail(w->message, HN_ERR_UNSUPPORTED, "NLopt cannot search this way: %s",
                     c.opt ? nlopt_get_errmsg(c.opt) : "");
  nlopt_destroy(c.opt);
  free(q), free(block);
  return status;
}

#define WAY(word, algorithm, text, ...)                                                            \
  { .name = word, .help = text, .search = search, .variant = (int)(algorithm), __VA_ARGS__ }
// algorithms by their names: numbers of NLopt's differ between versions
const hn_optimiser hn_optimiser_nlopt[] = {
    WAY("nlopt-slsqp", NLOPT_LD_SLSQP, "sequential least squares (Kraft)", .derivatives = true),
    WAY("nlopt-mma", NLOPT_LD_MMA, "method of moving asymptotes (Svanberg)", .derivatives = true),
    WAY("nlopt-lbfgs", NLOPT_LD_LBFGS, "BFGS with limited memory", .derivatives = true,
        .bounds_only = true),
    WAY("nlopt-cobyla", NLOPT_LN_COBYLA, "linear models, without derivatives (Powell)",
        .derivatives = false),
    WAY("nlopt-bobyqa", NLOPT_LN_BOBYQA, "quadratic models, without derivatives (Powell)",
        .bounds_only = true),
    WAY("nlopt-direct", NLOPT_GN_DIRECT, "dividing boxes, all over the ranges (Jones)",
        .bounds_only = true),
    WAY("nlopt-isres", NLOPT_GN_ISRES, "evolution all over the ranges (Runarsson, Yao)",
        .derivatives = false),
    {0},
};

#else

const hn_optimiser hn_optimiser_nlopt[] = {{0}};

#endif
