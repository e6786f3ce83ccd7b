// reproduce_uk2018.c: the UK optimisation equation (Advances in Mechanical Engineering, 2018), its
// four examples.
//
// The paper minimises the Udwadia-Kalaba equations with Newmark's rule put in, and compares with
// Routh's equations and Lagrange's of the first kind (multipliers; here with RK4). Its numbers are
// charts only, and its parameters are ours where the text has lost them. Each motion has an exact
// counterpart: with s the forward speed, k = g sin(incline) / (inertia factor), w the turning rate,
//   x = s0/w sin wt + k/(2w^2) sin^2 wt,  y = s0/w (1 - cos wt) + k/(2w^2) (wt - sin(2wt)/2)
// for skate and disc; (2/3 + 2 sin^2 th) th'' = -2 sin th cos th th'^2 - g cos th, solved with
// small steps, for the slider-crank; and the four-bar of point masses, which has no singular
// matrix, run with a tight tolerance.
#include <math.h>
#include <string.h>

#include "reproduce.h"

static const double g = 9.81;

enum { SKATE, FOUR_BAR, SLIDER_CRANK, DISC, EXAMPLES };
enum { OURS, HALF, ROUTH, RUNS };  // by minimisation, with half the step, by multipliers

typedef struct example {
  const char *model, *title, *about, *column, *violation, *unit;
} example;

static const example examples[EXAMPLES] = {
    {"equations_skate", "1. Skate on an incline",
     "Nonholonomic: the blade cannot move sideways. The motion is known in closed form.", "skate.y",
     "residual.velocity", "m"},
    {"equations_four_bar", "2. Four-bar linkage in three angles",
     "Singular mass matrix: the angle of the massless coupler has no inertia. Compared with the "
     "same linkage as point masses, model `four_bar_point_masses`.",
     "bars.theta1", "residual.position", "(cosine)"},
    {"equations_slider_crank", "3. Slider-crank of equal rods",
     "Singular configuration: where the crank is upright the gradient of the constraint vanishes. "
     "Compared with the one equation of the crank angle.",
     "rods.theta", "residual.position", "rad"},
    {"equations_rolling_disc", "4. Rolling disc",
     "Redundant constraints: four velocity constraints of which two repeat the others. The motion "
     "is known in closed form.",
     "disc.y", "residual.velocity", "m"},
};

typedef struct study {
  curve path[RUNS], violation[RUNS];
  double error[RUNS], cpu[RUNS];
  bool lost;  // the run by multipliers broke off
} study;

static void free_study(study *s) {
  for (int i = 0; i < RUNS; i++) curve_free(&s->path[i]), curve_free(&s->violation[i]);
}

// ---- exact motions -------------------------------------------------------------------------

static double sideways(double speed, double k, double w, double t) {
  return speed / w * (1 - cos(w * t)) + k / (2 * w * w) * (w * t - 0.5 * sin(2 * w * t));
}

static double crank_acceleration(double th, double rate) {
  return -(2 * sin(th) * cos(th) * rate * rate + g * cos(th)) / (2.0 / 3 + 2 * sin(th) * sin(th));
}

static void crank_step(double h, double y[2]) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[2] = {0, 0}, sum[2] = {0, 0};
  for (int j = 0; j < 4; j++) {
    double th = y[0] + node[j] * h * k[0], rate = y[1] + node[j] * h * k[1];
    k[0] = rate;
    k[1] = crank_acceleration(th, rate);
    for (int i = 0; i < 2; i++) sum[i] += weight[j] * k[i];
  }
  for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
}

// the exact value of an example's column at the times of a curve; `bars` is cos of the crank angle
static double largest_error(int which, const curve *c, const curve *bars) {
  const double pi = 3.14159265358979323846, slope = g * sin(pi / 6);
  double y[2] = {pi / 4, 2 * sqrt(2)}, t = 0, worst = 0;
  for (int i = 0; i < c->count; i++) {
    double exact = 0, found = c->y[i];
    switch (which) {
    case SKATE: exact = sideways(1, slope, 2, c->x[i]); break;
    case DISC: exact = sideways(1, slope / 1.5, 1, c->x[i]); break;
    case FOUR_BAR:
      if (i >= bars->count) return worst;
      exact = bars->y[i];
      found = cos(found);
      break;
    default: {
      enum { SUBSTEPS = 200 };
      double h = (c->x[i] - t) / SUBSTEPS;
      for (int n = 0; n < SUBSTEPS && h > 0; n++) crank_step(h, y);
      t = c->x[i];
      exact = y[0];
    }
    }
    if (!(fabs(found - exact) <= worst)) worst = fabs(found - exact);  // a NaN is kept
  }
  return worst;
}

// ---- runs ----------------------------------------------------------------------------------

static bool run_once(report *r, int which, int kind, double step, double duration, study *s) {
  static const char *const labels[RUNS] = {"UK optimisation", "half the step", "multipliers"};
  char step_text[CELL], time_text[CELL];
  const setting options[] = {{"method", kind == ROUTH ? "standard" : "uk-newmark"},
                             {"step", number_text(step_text, kind == HALF ? 0.5 * step : step)},
                             {"duration", number_text(time_text, duration)},
                             {"output_step", "0.05"},
                             {0}};
  experiment e;
  bool good = experiment_run(&e, examples[which].model, NULL, options);
  s->path[kind] = experiment_curve(&e, labels[kind], examples[which].column);
  s->violation[kind] = experiment_curve(&e, labels[kind], examples[which].violation);
  s->cpu[kind] = e.cpu;
  if (!good && kind == ROUTH) s->lost = true;
  if (!good && kind != ROUTH)
    report_failure(r, "%s by uk-newmark: %s", examples[which].model, e.message);
  experiment_free(&e);
  return good || kind == ROUTH;
}

// the crank of the point masses: x of B is the cosine of its angle
static bool run_points(report *r, double duration, curve *bars) {
  char text[CELL];
  const setting options[] = {
      {"rtol", "1e-12"}, {"duration", number_text(text, duration)}, {"output_step", "0.05"}, {0}};
  experiment e;
  bool good = experiment_run(&e, "four_bar_point_masses", NULL, options);
  *bars = experiment_curve(&e, "exact", "B.x");
  if (!good) report_failure(r, "four_bar_point_masses: %s", e.message);
  experiment_free(&e);
  return good;
}

// ---- claims --------------------------------------------------------------------------------

static double most(const curve *c) {
  return curve_max(c, 0, c->count);
}

static const char routh_accuracy[] =
    "By multipliers the equations are integrated here with RK4, of order 4; Newmark's rule is of "
    "order 2. Which integrator the paper used for the classical equations its text does not say. "
    "Where nothing is singular the comparison is one of integrators.";
static const char routh_time[] =
    "Multipliers are found by one sparse solution, four times a step; the minimisation evaluates "
    "the equations about ten times a step and decomposes the Jacobian each time. The paper "
    "compares with programs of its own.";

static void claim_example(report *r, int which, const study *s) {
  const example *e = &examples[which];
  double order = log2(s->error[OURS] / s->error[HALF]);
  report_claim(r, "UK: order of accuracy", "2", fabs(order - 2) < 0.15, NULL, "%.2f", order);
  report_value(r, "UK: error of the motion", "%.2g %s", s->error[OURS], e->unit);
  report_value(r, "UK: largest violation", "%.2g", most(&s->violation[OURS]));
  double shrinks = most(&s->violation[OURS]) / most(&s->violation[HALF]);
  report_claim(r, "UK: violation, no correction", "within range", most(&s->violation[OURS]) < 2e-3,
               NULL, "half step %.2g, factor %.1f", most(&s->violation[HALF]), shrinks);
  if (which == SLIDER_CRANK) return;
  report_claim(r, "both give the same motion", "to within tolerance",
               s->error[ROUTH] < 1e-2 && s->error[OURS] < 5e-2, NULL, "errors %.2g and %.2g %s",
               s->error[OURS], s->error[ROUTH], e->unit);
  report_claim(r, "UK: accuracy", "higher", s->error[OURS] < s->error[ROUTH], routh_accuracy,
               "%.2g against %.2g %s", s->error[OURS], s->error[ROUTH], e->unit);
  report_claim(r, "UK: speed", "faster", s->cpu[OURS] < s->cpu[ROUTH], routh_time,
               "%.2f of their time", s->cpu[OURS] / s->cpu[ROUTH]);
}

// the passage is what the third example is about
static void claim_passage(report *r, const study *s) {
  int passed = 0;
  const curve *c = &s->path[OURS];
  for (int i = 1; i < c->count; i++) passed += (cos(c->y[i]) > 0) != (cos(c->y[i - 1]) > 0);
  report_claim(r, "UK: singular configurations", "passed smoothly",
               passed > 0 && s->error[OURS] < 5e-2, NULL, "%d passed, error %.2g rad", passed,
               s->error[OURS]);
  report_claim(r, "multipliers: the same", "divergence", s->lost || s->error[ROUTH] > 1, NULL,
               "error %.2g rad, violation %.2g", s->error[ROUTH], most(&s->violation[ROUTH]));
}

// the genetic algorithm of the first example
static bool claim_genetic(report *r, bool quick) {
  setting options[] = {{"method", "uk-newmark"},          {"step", "0.01"},
                       {"duration", quick ? "0.1" : "1"}, {"output_step", "0.05"},
                       {"optimiser", "genetic"},          {0}};
  experiment genetic, gradient;
  bool good = experiment_run(&genetic, "equations_skate", NULL, options);
  options[4].value = "levenberg-marquardt";
  good = good && experiment_run(&gradient, "equations_skate", NULL, options);
  if (good) {
    curve a = experiment_curve(&genetic, "", "skate.y"),
          b = experiment_curve(&gradient, "", "skate.y");
    double worst = 0;
    for (int i = 0; i < a.count && i < b.count; i++) worst = fmax(worst, fabs(a.y[i] - b.y[i]));
    report_claim(r, "genetic algorithm", "global minimum", a.count > 1 && worst < 1e-6, NULL,
                 "%.2g m off, %.0f times as slow", worst, genetic.cpu / fmax(gradient.cpu, 1e-6));
    curve_free(&a);
    curve_free(&b);
  } else {
    report_failure(r, "equations_skate by the genetic algorithm: %s", genetic.message);
  }
  experiment_free(&genetic);
  if (good) experiment_free(&gradient);
  return good;
}

static void draw(report *r, int which, const study *s) {
  static const int shown[2] = {OURS, ROUTH};
  char file[100], title[100];
  curve curves[2];
  for (int i = 0; i < 2; i++) curves[i] = s->path[shown[i]];
  snprintf(file, sizeof file, "%s_motion.svg", examples[which].model);
  snprintf(title, sizeof title, "%s: %s", examples[which].title, examples[which].column);
  report_chart(r, file,
               &(chart){.title = title,
                        .label = examples[which].column,
                        .unit = which == SKATE || which == DISC ? "m" : "rad",
                        .count = 2,
                        .curves = curves});
  for (int i = 0; i < 2; i++) curves[i] = s->violation[shown[i]];
  snprintf(file, sizeof file, "%s_violation.svg", examples[which].model);
  snprintf(title, sizeof title, "%s: largest violation", examples[which].title);
  report_chart(r, file,
               &(chart){.title = title,
                        .label = "violation",
                        .unit = "",
                        .log_y = true,
                        .count = 2,
                        .curves = curves});
}

static bool run_example(const paper_request *request, int which, double step, double duration) {
  report *r = request->report;
  study s = {0};
  curve bars = {0};
  report_heading(r, examples[which].title);
  report_text(r, "%s Model `%s`, %g s with a step of %g s.", examples[which].about,
              examples[which].model, duration, step);
  bool good = which != FOUR_BAR || run_points(r, duration, &bars);
  for (int kind = 0; kind < RUNS && good; kind++) {
    good = run_once(r, which, kind, step, duration, &s);
    s.error[kind] = largest_error(which, &s.path[kind], &bars);
  }
  if (good) {
    claim_example(r, which, &s);
    if (which == SLIDER_CRANK) claim_passage(r, &s);
    if (which == SKATE) good = claim_genetic(r, request->quick);
    if (which == DISC)
      report_claim(r, "multipliers: redundant rows", "cannot be solved", false,
                   "Two of the four rows are found to repeat the others and are left out, so that "
                   "multipliers cope as well; the paper gave them two independent rows.",
                   "left out, error %.2g m", s.error[ROUTH]);
    report_table(r);
    draw(r, which, &s);
  }
  free_study(&s);
  curve_free(&bars);
  return good;
}

static int run(const paper_request *request) {
  // slower ones reach the same error with a smaller step
  static const double steps[EXAMPLES] = {0.01, 0.0025, 0.005, 0.01};
  bool good = true;
  for (int i = 0; i < EXAMPLES && good; i++) good = run_example(request, i, steps[i], 10);
  return good ? CODE_DONE : CODE_FAILED;
}

const paper paper_uk2018 = {
    .name = "uk2018",
    .title = "UK optimisation equation for singular problems of multibody systems (2018)",
    .summary = "singular masses, singular configurations, redundant rows by minimisation",
    .run = run,
};
