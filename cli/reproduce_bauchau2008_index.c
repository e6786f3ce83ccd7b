// reproduce_bauchau2008_index.c: section 2 of the review, index reduction.
//
// Formulas of order k (BDF) on equations of index 1, 2 and 3 and in local parameters: errors over
// the number of steps. The coordinate split by generalized-alpha, and its modified iteration.
#include "reproduce_bauchau2008.h"

#include <math.h>
#include <string.h>

// tolerances of a line, formulas of order 1 to 5, and those that solve with them
enum { POINTS = 4, ORDERS = 5, METHODS = 5 };
static const char *const methods[METHODS] = {"index1-bdf", "index2-bdf", "index3-bdf",
                                             "tangent-space-bdf", "implicit-partitioning-bdf"};
static const char *const columns[] = {"crank.x",   "crank.y",    "coupler.x",
                                      "coupler.y", "follower.x", "follower.y"};

// the first of the options is the method: it is named when the run fails
static bool run(report *r, const setting *options, experiment *e) {
  bool good = experiment_run(e, "four_bar", NULL, options);
  if (!good) report_failure(r, "four_bar by %s: %s", options->value, e->message);
  return good;
}

// largest difference of the bars' places
static double apart(const experiment *a, const experiment *b) {
  double most = 0;
  for (int i = 0; i < hn_result_rows(a->result); i++)
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
      double d = fabs(experiment_at(a, i, columns[k]) - experiment_at(b, i, columns[k]));
      if (!(d <= most) && !isnan(most)) most = d;
    }
  return most;
}

// slope of log y over log x by least squares: -p where errors fall as n^-p
static double slope(const double *x, const double *y, int count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; i++) {
    double u = log(x[i]), v = log(y[i]);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

// far finer than anything it is compared with; the rows at the same times
static const setting exact_run[] = {{"method", "default"},        {"rtol", "1e-12"},
                                    {"duration", "0.5"},          {"output_step", "0.05"},
                                    {"coordinates", "reference"}, {0}};

// Steps and errors of a method held to order k, at tolerances ever smaller. Tolerances only decide
// how many steps are taken: the order is forced, and the power is that of the formula.
static bool errors_of(report *r, const char *method, int order, const experiment *exact,
                      double *steps, double *error) {
  // chosen for each order such that errors are those of steps: neither the first steps nor rounding
  static const double loose[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-5}, far[] = {30, 300, 1e3, 1e4, 1e4};
  for (int i = 0; i < POINTS; i++) {
    char k[CELL], rtol[CELL];
    const setting options[] = {
        {"method", method},
        {"bdf_order", number_text(k, order)},
        // evenly on the logarithm, from loose to loose / far
        {"rtol", number_text(rtol, loose[order - 1] * pow(far[order - 1], -i / (POINTS - 1.0)))},
        {"duration", "0.5"},
        {"output_step", "0.05"},
        {"coordinates", "reference"},
        {0}};
    experiment e;
    if (!run(r, options, &e)) return false;
    steps[i] = (double)e.summary.steps;
    error[i] = apart(&e, exact);
    experiment_free(&e);
  }
  return true;
}

// a build may be without the library that has the formulas
static bool have_bdf(void) {
  const setting options[] = {
      {"method", methods[0]}, {"duration", "1e-3"}, {"coordinates", "reference"}, {0}};
  experiment e;
  bool good = experiment_run(&e, "four_bar", NULL, options) || !strstr(e.message, "SUNDIALS");
  experiment_free(&e);
  return good;
}

static bool formulas(report *r, const experiment *exact) {
  static double steps[ORDERS][POINTS], error[ORDERS][POINTS];
  static const char *const labels[ORDERS] = {"order 1", "order 2", "order 3", "order 4", "order 5"};
  if (!have_bdf()) report_value(r, "BDF", "this build has no SUNDIALS");
  for (int m = 0; m < METHODS && have_bdf(); m++) {
    double found[ORDERS];
    bool right = true;
    for (int k = 0; k < ORDERS; k++) {
      if (!errors_of(r, methods[m], k + 1, exact, steps[k], error[k])) return false;
      found[k] = -slope(steps[k], error[k], POINTS);
      // Wider for higher orders: over so few points errors still change faster than h^k, and
      // rounding is near.
      right = right && found[k] > k + 1 - 0.2 - 0.1 * k && found[k] < k + 1.6 + 0.2 * k;
    }
    report_claim(r, methods[m], "O(h^k), k = 1 to 5", judge(right, false), NULL,
                 "%.1f, %.1f, %.1f, %.1f, %.1f", found[0], found[1], found[2], found[3], found[4]);
    // one chart stands for all: the one of local parameters
    if (m != 3) continue;
    curve lines[ORDERS];
    for (int k = 0; k < ORDERS; k++) lines[k] = (curve){labels[k], POINTS, steps[k], error[k]};
    report_chart(r, "local_parameters.svg",
                 "BDF along a tangent space of the constraints, held to orders 1 to 5.",
                 &(chart){.title = "Four-bar linkage: error of positions over the number of steps",
                          .x = "steps",
                          .x_unit = "",
                          .label = "error",
                          .unit = "m",
                          .log_x = true,
                          .log_y = true,
                          .count = ORDERS,
                          .curves = lines});
  }
  return true;
}

// two steps, one half of the other: the error falls to a quarter
static bool split(report *r, const experiment *exact) {
  static const char *const words[] = {"full", "modified"};
  double error[2];
  long refused[2], evaluations[2];
  experiment e;
  for (int i = 0; i < 2; i++) {
    const setting options[] = {
        {"method", "coordinate-split"}, {"step", i ? "1e-3" : "2e-3"}, {"duration", "0.5"},
        {"output_step", "0.05"},        {"coordinates", "reference"},  {0}};
    if (!run(r, options, &e)) return false;
    error[i] = apart(&e, exact);
    experiment_free(&e);
  }
  // of two points the slope needs no fit
  double order = log2(error[0] / error[1]);
  report_claim(r, "coordinate split, alpha", "second order", judge(fabs(order - 2) < 0.2, false),
               NULL, "%.2f", order);
  for (int i = 0; i < 2; i++) {
    const setting options[] = {{"method", "coordinate-split"},
                               {"split_iteration", words[i]},
                               {"step", "2e-3"},
                               {"coordinates", "reference"},
                               {0}};
    if (!experiment_run(&e, "shaken_weight", NULL, options))
      return report_failure(r, "shaken_weight: %s", e.message), false;
    refused[i] = e.summary.rejected, evaluations[i] = e.summary.evaluations;
    experiment_free(&e);
  }
  // at least halved: fewer by chance is not enough
  report_claim(r, "modified iteration, refused steps", "improved convergence",
               judge(refused[1] < refused[0] / 2, false), NULL, "%ld, modified %ld", refused[0],
               refused[1]);
  report_claim(r, "modified iteration, evaluations", "improved convergence",
               judge(evaluations[1] < evaluations[0], false), NULL, "%ld, modified %ld",
               evaluations[0], evaluations[1]);
  return true;
}

static bool embedded(report *r) {
  const setting options[] = {{"method", "embedded-projection"},
                             {"step", "1e-3"},
                             {"duration", "0.5"},
                             {"coordinates", "reference"},
                             {0}};
  experiment e;
  if (!run(r, options, &e)) return false;
  curve position = experiment_curve(&e, "", "residual.position");
  curve velocity = experiment_curve(&e, "", "residual.velocity");
  double most[2] = {curve_max(&position, 0, position.count),
                    curve_max(&velocity, 0, velocity.count)};
  // both at rounding: the projection is exact, not a stabilisation
  report_claim(r, "embedded projection", "index 1, both levels met",
               judge(most[0] < 1e-13 && most[1] < 1e-12, false), NULL, "%.1e m, %.1e m/s", most[0],
               most[1]);
  curve_free(&position), curve_free(&velocity);
  experiment_free(&e);
  return true;
}

bool index_reduction(report *r) {
  experiment exact;
  report_heading(r, "Section 2: index reduction");
  report_text(
      r, "Model `four_bar`, 0.5 s. BDF by SUNDIALS, steps chosen, held to formulas of order "
         "k: the power of the number of steps with which errors of positions fall. "
         "`index1-bdf` is projected after each step (Eich), `index2-bdf` is stabilised (Gear, "
         "Gupta, Leimkuhler), the last two are in local parameters (Potra, Yen, Haug). "
         "Iterations of the coordinate split in steps of 2 ms on `shaken_weight`, whose spring "
         "has a period of 0.6 ms.");
  if (!run(r, exact_run, &exact)) return false;
  bool good = formulas(r, &exact) && split(r, &exact) && embedded(r);
  experiment_free(&exact);
  if (good) report_table(r);
  return good;
}
