// auto.c: the method `default` chooses solver, correction and integrator for a system.
//
// Stiff or not is found by trying: an explicit method is let run some steps from the initial state.
// When its steps h sit at the limit of its stability, h rho near 3 with rho the spectral radius of
// the equations (by power iteration on differences of accelerations), the tolerance would allow
// longer ones, and an implicit method takes them (Hairer & Wanner, Solving Ordinary Differential
// Equations II, section IV.2). Otherwise the order follows the tolerance and the smoothness of
// the forces.
#include "model/options.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_STEPS = 60, POWER_STEPS = 12, ROUND = 4 };
static const double at_the_limit = 2;   // h rho from which stability, not accuracy, rules
static const double worth_it = 500;     // explicit steps a run must have before it matters
static const double high_order = 1e-5;  // tolerance below which order 8 takes fewer evaluations
static const double gaps_order = 1e-9;  // the same where steps end at impacts and lift-off
// Waves in beams that nothing damps are part of the motion. At looser tolerances explicit steps are
// as long as they stay stable, and what they make of the waves spoils velocities; implicit methods
// take more steps to the same error (docs/beams.md)
static const double waves = 1e-5;

// for stiff systems, where the library it needs is there
#ifdef HN_HAVE_SUNDIALS
static const char *const implicit = "index2-bdf";
#else
static const char *const implicit = NULL;
#endif

// accelerations at (q (+) d, v + e), evaluated where integrators evaluate their stages
static hn_status accelerations(hn_sim *sim, const double *d, const double *e, double *out) {
  const hn_system *sys = sim->sys;
  double *y = sim->step.y_stage, *ydot = sim->step.y_new;
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  hn_retract(sys, y, d);
  for (int i = 0; i < sys->nv; i++) y[sys->nq + i] += e[i];
  hn_status status = hn_derivative(sim, sim->state.t, y, ydot);
  if (!status) memcpy(out, ydot + sys->nq, (size_t)sys->nv * sizeof(double));
  return status;
}

// size of a perturbation of positions and velocities, time being measured in 1/rate
static double size_of(int nv, const double *d, const double *e, double rate) {
  double sum = 0;
  for (int i = 0; i < nv; i++) sum += rate * rate * d[i] * d[i] + e[i] * e[i];
  return sqrt(sum);
}

// spectral radius of (d, e) -> (e, da/dq d + da/dv e) at the current state; 0 when it fails.
// Power iteration over (d, e): time is measured in 1 / rho so that both halves weigh alike,
// whatever the units. It finds the size of the largest eigenvalue, not its direction in the plane.
//
// It may end early where only `enough` matters: sizes alternate between what positions and what
// velocities do, over four passes, and all four stay below half of it. A stiff system has ten times
// `enough` or more (is_stiff), so that what is stiff in it grows twentyfold with each pass beside
// what was seen: it would have to begin with less than a part in a hundred thousand.
static double spectral_radius(hn_sim *sim, double enough) {
  int nv = sim->sys->nv;
  double *d = calloc(5 * (size_t)nv + 1, sizeof(double));
  if (!d) return 0;
  double *e = d + nv, *a = e + nv, *found = a + nv, *zero = found + nv, rho = 1;
  int calm = 0;  // passes in a row that stayed far below `enough`
  // A run that has just begun knows them here. One that has stepped may know those of the state
  // before its projection, which at loose tolerances moved it by more than the differences below
  bool known = sim->count.steps == 0 && hn_rate_known(sim);
  const double *a0 = known ? sim->stage.ydot + sim->sys->nq : found;
  hn_status status = known ? HN_OK : accelerations(sim, zero, zero, found);
  for (int i = 0; i < nv; i++) d[i] = e[i] = 1 + 0.37 * (i % 7);  // a part of everything
  for (int pass = 0; pass < POWER_STEPS && calm < ROUND && !status; pass++) {
    double rate = rho, size = size_of(nv, d, e, rate);
    if (!(size > 0) || !isfinite(size)) break;
    // large enough for differences of accelerations to be more than rounding, small enough to be
    // linear
    double small = 1e-7 * sim->sys->length * rate;
    for (int i = 0; i < nv; i++) d[i] *= small / size, e[i] *= small / size;
    status = accelerations(sim, d, e, a);
    // one application: positions change as velocities do, velocities as accelerations
    for (int i = 0; i < nv; i++) d[i] = e[i], e[i] = a[i] - a0[i];
    rho = fmax(size_of(nv, d, e, rate) / small, 1e-3);
    calm = rho < 0.5 * enough ? calm + 1 : 0;
  }
  free(d);
  return status || !isfinite(rho) ? 0 : rho;
}

// is it stability that keeps the steps of an explicit method short?.
// The trial is an ordinary run by explicit steps. Half of them let it settle; the mean of the later
// half is judged
static bool try_steps(const hn_system *sys, const hn_options *options) {
  hn_options o = *options;
  char message[HN_MESSAGE];
  hn_sim *sim;
  snprintf(o.method, sizeof o.method, "explicit");
  o.solver[0] = o.correction[0] = o.integrator[0] = 0;
  if (hn_sim_create(&sim, sys, &o, message, sizeof message)) return false;
  // where even steps at the limit of stability would be far too few to matter the trial is spared
  double enough = 0.1 * at_the_limit * worth_it;
  if (spectral_radius(sim, enough / o.duration) * o.duration < enough) {
    hn_sim_destroy(sim);
    return false;
  }
  hn_status status = HN_OK;
  // steps of the later half that get so far are too few in a run to matter: the rest is spared
  const int later = TRIAL_STEPS - TRIAL_STEPS / 2;
  double half = o.duration, far = later * o.duration / worth_it;
  for (int i = 0; i < TRIAL_STEPS && !status && sim->state.t < fmin(o.duration, half + far); i++) {
    if (i == TRIAL_STEPS / 2) half = sim->state.t;
    status = hn_step(sim);
  }
  double h = (sim->state.t - half) / later;
  bool long_run = !status && sim->count.steps == TRIAL_STEPS && o.duration > worth_it * h;
  bool stiff = long_run && h * spectral_radius(sim, 0) > at_the_limit;
  hn_sim_destroy(sim);
  return stiff;
}

// Who compiles has tried already, and most run with the options they compiled with
static bool is_stiff(const hn_system *sys, const hn_options *o) {
  if (sys->trial != HN_NOT_TRIED && hn_options_equal(o, &sys->options))
    return sys->trial == HN_STIFF;
  return try_steps(sys, o);
}

double hn_auto_evaluations(const hn_system *sys, const hn_options *options) {
  char message[HN_MESSAGE];
  hn_sim *sim;
  if (hn_sim_create(&sim, sys, options, message, sizeof message)) return NAN;
  hn_status status = HN_OK;
  double half = 0;
  long before = 0;
  // the first steps are short ones
  for (int i = 0; i < TRIAL_STEPS && !status && sim->state.t < options->duration; i++) {
    if (i == TRIAL_STEPS / 2) half = sim->state.t, before = sim->count.evaluations;
    status = hn_step(sim);
  }
  double rate = (double)(sim->count.evaluations - before) / (sim->state.t - half);
  double all = status ? NAN : fmax(rate * options->duration, (double)sim->count.evaluations);
  hn_sim_destroy(sim);
  return all;
}

static bool has_massless(const hn_system *sys) {
  for (int i = 0; i < sys->bv; i++)
    if (!(sys->mass[i] > 0)) return true;
  return false;
}

bool hn_has_beams(const hn_system *sys) {
  for (int i = 0; i < sys->batches; i++)
    if (strcmp(sys->batch[i].ops->name, "beam-element") == 0) return true;
  return false;
}

// rows that come and go, other than those of friction
static bool has_gaps(const hn_system *sys) {
  for (int i = 0; i < sys->unilaterals; i++)
    if (!sys->unilateral[i].hold) return true;
  return false;
}

// the implicit method that copes with the system, NULL: none. Kinks make the one of high order
// begin again at order 1; beams then have one of order 2, since they vibrate far faster than they
// bend
static const char *implicit_for(const hn_system *sys) {
  if (!sys->coordinates->of_bodies || sys->blocks || sys->flexibles || has_massless(sys))
    return NULL;
  bool smooth = !sys->switches && !sys->unilaterals && !sys->singular_mass;
  if (implicit && smooth && !sys->spreads) return implicit;
  return hn_has_beams(sys) ? "index3-alpha" : NULL;
}

bool hn_auto_is_implicit(hn_system *sys) {
  const hn_options *o = &sys->options;
  if (!implicit_for(sys) || !hn_method_chooses(o->method) || o->integrator[0]) return false;
  sys->trial = try_steps(sys, o) ? HN_STIFF : HN_NOT_STIFF;
  return sys->trial == HN_STIFF;
}

const char *hn_auto_choose(const hn_system *sys, hn_options *o) {
  const char *solver = "lagrange", *correction = "mass", *integrator = "dopri5", *why;
  bool asked = !o->integrator[0] && (!sys->switches || hn_has_beams(sys));
  bool stiff = asked && is_stiff(sys, o);
  if (stiff && implicit_for(sys)) {
    correction = "none", integrator = implicit_for(sys);
    why = hn_has_beams(sys)
              ? "stiff: beams vibrate faster than they bend, explicit steps would be short"
              : "stiff: stability would keep explicit steps short";
  } else if (stiff) {
    why = "stiff, and no implicit method copes with it: short steps";
  } else if (sys->switches) {
    why = "forces with kinks: short steps between them";
  } else if (has_gaps(sys) && o->rtol > gaps_order) {
    why = "gaps: short steps between their impacts";
  } else if (hn_has_beams(sys)) {
    integrator = "dop853";
    why = o->rtol > waves ? "beams, nothing damps them: every vibration is followed, at rtol 1e-5"
                          : "beams, not stiff at this tolerance: every vibration is followed";
    if (!o->integrator[0]) o->rtol = fmin(o->rtol, waves);
  } else if (o->rtol <= high_order) {
    integrator = "dop853";
    why = "smooth, and order 8 suits the tolerance";
  } else {
    why = "smooth, and order 5 suits the tolerance";
  }
  if (has_massless(sys)) {
    solver = "udwadia-kalaba", correction = "direct";
    why = "some coordinates have no inertia";
  }
  if (!o->solver[0]) snprintf(o->solver, sizeof o->solver, "%s", solver);
  if (!o->correction[0]) snprintf(o->correction, sizeof o->correction, "%s", correction);
  if (!o->integrator[0]) snprintf(o->integrator, sizeof o->integrator, "%s", integrator);
  return why;
}
