// reproduce_uk2018.c: the UK optimisation equation (Advances in Mechanical Engineering, 2018), its
// four examples.
//
// The paper minimises the Udwadia-Kalaba equations with Newmark's rule put in, and compares with
// Routh's equations and Lagrange's of the first kind, which are multipliers. Which integrator these
// had its text does not say, so that both kinds of equations are run by the same two integrators
// here: Newmark's rule (beta = 1/4, gamma = 1/2) and RK4. The numbers of the paper are charts only,
// and its parameters are ours where the text has lost them. Each motion has an exact counterpart:
// with s the forward speed, k = g sin(incline) / (inertia factor), w the turning rate,
//   x = s0/w sin wt + k/(2w^2) sin^2 wt,  y = s0/w (1 - cos wt) + k/(2w^2) (wt - sin(2wt)/2)
// for skate and disc; (2/3 + 2 sin^2 th) th'' = -2 sin th cos th th'^2 - g cos th, solved with
// small steps, for the slider-crank; and the four-bar of point masses, which has no singular
// matrix, run with a tight tolerance.
#include <math.h>
#include <string.h>

#include "reproduce.h"

static const double g = 9.81, pi = 3.14159265358979323846;

enum { SKATE, FOUR_BAR, SLIDER_CRANK, DISC, EXAMPLES };
enum { MOST = 4 };  // coordinates of an example
// by minimisation, the same with half the step, by multipliers; and both kinds of equations by RK4
enum { OURS, HALF, ROUTH, OURS_RK4, ROUTH_RK4, RUNS };
static const char *const run_methods[RUNS] = {"uk-newmark", "uk-newmark", "index2-trapezoidal",
                                              "udwadia-kalaba", "standard"};
static const char *const run_labels[RUNS] = {"UK, Newmark", "UK, half the step",
                                             "multipliers, Newmark", "UK, RK4", "multipliers, RK4"};

typedef struct example {
  const char *model, *title, *about, *violation;
  int coordinates;
  const char *column[MOST], *name[MOST];
  const char *figures[3];  // of displacements, violations, differences
  double step;             // [s]
} example;

static const example examples[EXAMPLES] = {
    {.model = "equations_skate",
     .title = "1. Skate on an incline",
     .about = "Nonholonomic: the blade cannot move sideways. The motion is known in closed form.",
     .violation = "residual.velocity",
     .coordinates = 3,
     .column = {"skate.x", "skate.y", "skate.theta"},
     .name = {"x", "y", "theta"},
     .figures = {"Figures 3 and 4", "Figures 5 and 6", "Not in the paper"},
     .step = 0.01},
    {.model = "equations_four_bar",
     .title = "2. Four-bar linkage in three angles",
     .about =
         "Singular mass matrix: the angle of the massless coupler has no inertia. Compared with "
         "the same linkage as point masses, model `four_bar_point_masses`.",
     .violation = "residual.position",
     .coordinates = 3,
     .column = {"bars.theta1", "bars.theta2", "bars.theta3"},
     .name = {"theta1", "theta2", "theta3"},
     .figures = {"Figures 8 and 10", "Figures 9 and 11", "Not in the paper"},
     .step = 0.0025},
    {.model = "equations_slider_crank",
     .title = "3. Slider-crank of equal rods",
     .about = "Singular configuration: where the crank is upright the gradient of the constraint "
              "vanishes. Compared with the one equation of the crank angle.",
     .violation = "residual.position",
     .coordinates = 2,
     .column = {"rods.theta", "rods.phi"},
     .name = {"theta", "phi"},
     .figures = {"Figures 13 and 15", "Figures 14 and 16", "Not in the paper"},
     .step = 0.005},
    {.model = "equations_rolling_disc",
     .title = "4. Rolling disc",
     .about =
         "Redundant constraints: four velocity constraints of which two repeat the others. The "
         "motion is known in closed form.",
     .violation = "residual.velocity",
     .coordinates = 4,
     .column = {"disc.x", "disc.y", "disc.theta", "disc.phi"},
     .name = {"x", "y", "theta", "phi"},
     .figures = {"Figures 18 and 20", "Figures 19 and 21", "Figure 22"},
     .step = 0.01},
};

typedef struct study {
  curve path[RUNS][MOST], exact[MOST], violation[RUNS];
  double error[RUNS];   // largest of all coordinates
  double each[MOST];    // of the run by minimisation
  double cpu[RUNS];     // [s]
  bool lost[RUNS];      // the run broke off
  int redundant, rows;  // rows that repeat others, of how many
} study;

static void free_study(study *s) {
  for (int i = 0; i < MOST; i++) {
    for (int k = 0; k < RUNS; k++) curve_free(&s->path[k][i]);
    curve_free(&s->exact[i]);
  }
  for (int k = 0; k < RUNS; k++) curve_free(&s->violation[k]);
}

// ---- exact motions -------------------------------------------------------------------------

// the speed along the path is s0 + (k / w) sin wt, and its direction turns at w
// skate and disc: place after time t at the turning rate w
static void glide(double speed, double k, double w, double t, double *x, double *y) {
  *x = speed / w * sin(w * t) + k / (2 * w * w) * sin(w * t) * sin(w * t);
  *y = speed / w * (1 - cos(w * t)) + k / (2 * w * w) * (w * t - 0.5 * sin(2 * w * t));
}

// the one equation of the crank: the rod follows it
static double crank_acceleration(double th, double rate) {
  return -(2 * sin(th) * cos(th) * rate * rate + g * cos(th)) / (2.0 / 3 + 2 * sin(th) * sin(th));
}

// classical Runge and Kutta, kept apart from the program's own
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

// from `from` to `to` in small steps
// 200 steps of 0.05 s / 200: far below any difference that is told
static void crank_on(double from, double to, double y[2]) {
  enum { SUBSTEPS = 200 };
  double h = (to - from) / SUBSTEPS;
  for (int n = 0; n < SUBSTEPS && h > 0; n++) crank_step(h, y);
}

// all coordinates of an example at the times of its curves
static void fill_exact(int which, curve *c, const experiment *points) {
  // the incline is 30 degrees
  const double slope = g * sin(pi / 6);
  // angle and rate of the crank at the start
  double crank[2] = {pi / 4, 2 * sqrt(2)};
  for (int i = 0; i < c[0].count; i++) {
    double t = c[0].x[i], v[MOST] = {0};
    if (which == SKATE) glide(1, slope, 2, t, &v[0], &v[1]), v[2] = 2 * t;
    if (which == DISC) {
      double k = slope / 1.5;
      glide(1, k, 1, t, &v[0], &v[1]);
      v[2] = t, v[3] = (t + k * (1 - cos(t))) / 0.5;
    }
    // from row to row: the state is carried on
    if (which == SLIDER_CRANK) {
      if (i > 0) crank_on(c[0].x[i - 1], t, crank);
      v[0] = crank[0], v[1] = -crank[0];
    }
    if (which == FOUR_BAR) {
      double bx = experiment_at(points, i, "B.x"), by = experiment_at(points, i, "B.y"),
             cx = experiment_at(points, i, "C.x"), cy = experiment_at(points, i, "C.y");
      // angles of the three bars, from the places of their ends
      v[0] = atan2(by, bx), v[1] = atan2(cy - by, cx - bx), v[2] = atan2(cy, cx - 2.5);
    }
    for (int k = 0; k < MOST; k++)
      if (i < c[k].count) c[k].y[i] = v[k];
  }
}

// largest difference; angles of the four-bar count up to full turns
static double apart(int which, const curve *a, const curve *b) {
  double worst = 0;
  for (int i = 0; i < a->count && i < b->count; i++) {
    double d = a->y[i] - b->y[i];
    // the four-bar turns: its angles may be told a turn apart
    if (which == FOUR_BAR) d = remainder(d, 2 * pi);
    if (!(fabs(d) <= worst) && !isnan(worst)) worst = fabs(d);  // a NaN is kept
  }
  return worst;
}

// ---- runs ----------------------------------------------------------------------------------

static bool run_once(report *r, int which, int kind, double duration, study *s) {
  char step_text[CELL], time_text[CELL];
  const example *x = &examples[which];
  const setting options[] = {
      {"method", run_methods[kind]},
      {"step", number_text(step_text, kind == HALF ? 0.5 * x->step : x->step)},
      {"duration", number_text(time_text, duration)},
      {"output_step", "0.05"},
      {0}};
  experiment e;
  s->lost[kind] = !experiment_run(&e, x->model, NULL, options);
  for (int i = 0; i < x->coordinates; i++) {
    s->path[kind][i] = experiment_curve(&e, x->name[i], x->column[i]);
    // room for what is computed beside: the same times
    if (kind == OURS) s->exact[i] = experiment_curve(&e, x->name[i], x->column[i]);
  }
  s->violation[kind] = experiment_curve(&e, run_labels[kind], x->violation);
  s->cpu[kind] = e.cpu;
  s->redundant = e.redundant, s->rows = e.rows;
  // what must go to its end is the paper's own method
  bool good = !s->lost[kind] || kind > HALF;  // classical equations may break off
  if (!good) report_failure(r, "%s by %s: %s", x->model, run_methods[kind], e.message);
  experiment_free(&e);
  return good;
}

// exact values of all coordinates, and the errors of all runs
static bool measure(report *r, int which, double duration, study *s) {
  char text[CELL];
  const setting options[] = {
      {"rtol", "1e-12"}, {"duration", number_text(text, duration)}, {"output_step", "0.05"}, {0}};
  // a tight tolerance: it stands for the exact motion
  experiment points = {0};
  if (which == FOUR_BAR && !experiment_run(&points, "four_bar_point_masses", NULL, options)) {
    report_failure(r, "four_bar_point_masses: %s", points.message);
    experiment_free(&points);
    return false;
  }
  fill_exact(which, s->exact, &points);
  experiment_free(&points);
  // of all coordinates the worst
  for (int kind = 0; kind < RUNS; kind++)
    for (int i = 0; i < examples[which].coordinates; i++) {
      double error = apart(which, &s->path[kind][i], &s->exact[i]);
      if (kind == OURS) s->each[i] = error;
      if (!(error <= s->error[kind])) s->error[kind] = error;
    }
  return true;
}

// ---- claims --------------------------------------------------------------------------------

static double most(const curve *c) {
  return curve_max(c, 0, c->count);
}

static const char same_rule[] = "By the same rule both kinds of equations give the same motion up "
                                "to errors of the same size: where "
                                "nothing is singular, accelerations are the same whatever finds "
                                "them, and accuracy belongs to the "
                                "integrator.";
static const char routh_time[] = "Multipliers are found by one sparse solution an evaluation; the "
                                 "minimisation evaluates the equations "
                                 "about ten times a step and decomposes the Jacobian each time. "
                                 "The paper compares with programs of "
                                 "its own.";

static void claim_motion(report *r, int which, const study *s) {
  const example *e = &examples[which];
  // half the step, a quarter of the error
  double order = log2(s->error[OURS] / s->error[HALF]);
  report_claim(r, "UK: order of accuracy", "2", judge(fabs(order - 2) < 0.15, false), NULL, "%.2f",
               order);
  for (int i = 0; i < e->coordinates; i++) {
    char what[60];
    snprintf(what, sizeof what, "UK: error of %s", e->name[i]);
    report_value(r, what, "%.2g, reaches %.3g", s->each[i], most(&s->exact[i]));
  }
  // what is not corrected falls with the square of the step, unless it is rounding
  double shrinks = most(&s->violation[OURS]) / most(&s->violation[HALF]);
  report_claim(
      r, "UK: violation, no correction", "within range",
      judge(most(&s->violation[OURS]) < 2e-3 && (shrinks > 3 || most(&s->violation[OURS]) < 1e-8),
            false),
      NULL, "%.2g, half step %.2g", most(&s->violation[OURS]), most(&s->violation[HALF]));
}

// UK and multipliers by the same integrators
static void claim_pairs(report *r, int which, const study *s) {
  double difference = 0, reach = 0;
  for (int i = 0; i < examples[which].coordinates; i++) {
    double d = apart(which, &s->path[OURS][i], &s->path[ROUTH][i]);
    if (!(d <= difference) && !isnan(difference)) difference = d;
    reach = fmax(reach, most(&s->exact[i]));
  }
  report_claim(r, "both give the same motion", "to within tolerance",
               judge(!s->lost[ROUTH] && difference < 1e-2 * reach, false), NULL,
               "differ by %.2g of %.3g", difference, reach);
  static const int pairs[2][2] = {{OURS, ROUTH}, {OURS_RK4, ROUTH_RK4}};
  static const char *const what[2] = {"UK: accuracy, both by Newmark", "UK: accuracy, both by RK4"};
  for (int i = 0; i < 2; i++) {
    double uk = s->error[pairs[i][0]], routh = s->error[pairs[i][1]];
    report_claim(r, what[i], "higher", judge(uk < 0.5 * routh, uk < 10 * routh), same_rule,
                 "%.2g against %.2g", uk, routh);
  }
  report_claim(r, "UK: speed, both by Newmark", "faster", judge(s->cpu[OURS] < s->cpu[ROUTH], true),
               routh_time, "%.2f of their time", s->cpu[OURS] / s->cpu[ROUTH]);
}

// the passage is what the third example is about
static void claim_passage(report *r, const study *s) {
  int passed = 0;
  const curve *c = &s->path[OURS][0];
  for (int i = 1; i < c->count; i++) passed += (cos(c->y[i]) > 0) != (cos(c->y[i - 1]) > 0);
  report_claim(r, "UK: singular configurations", "passed smoothly",
               judge(passed > 0 && s->error[OURS] < 5e-2, false), NULL, "%d passed, error %.2g rad",
               passed, s->error[OURS]);
  report_claim(r, "multipliers, RK4: the same", "divergence",
               judge(s->lost[ROUTH_RK4] || s->error[ROUTH_RK4] > 1, false), NULL,
               "error %.2g rad, violation %.2g", s->error[ROUTH_RK4],
               most(&s->violation[ROUTH_RK4]));
  report_claim(
      r, "multipliers, Newmark: the same", "divergence",
      judge(s->lost[ROUTH] || s->error[ROUTH] > 1, s->error[ROUTH] < 5e-2),
      "Constraints on positions and velocities, of index 2, keep the branch where those on "
      "accelerations alone lose it; the paper's multipliers are on accelerations.",
      "error %.2g rad", s->error[ROUTH]);
}

static void claim_redundant(report *r, const study *s) {
  report_claim(
      r, "multipliers: redundant rows", "cannot be solved",
      judge(s->lost[ROUTH_RK4], s->redundant == 2 && s->error[ROUTH_RK4] < 1e-3),
      "Rows that repeat others are found and left out, so that multipliers cope as well; the "
      "paper gave them two independent rows.",
      "%d of %d left out, error %.2g m", s->redundant, s->rows, s->error[ROUTH_RK4]);
}

// the genetic algorithm finds the minimum that steps along the gradient find
static bool claim_genetic(report *r, int which, double duration) {
  char step_text[CELL], time_text[CELL];
  const example *x = &examples[which];
  setting options[] = {{"method", "uk-newmark"},
                       {"step", number_text(step_text, x->step)},
                       {"duration", number_text(time_text, duration)},
                       {"output_step", number_text(step_text, x->step)},
                       {"optimiser", "genetic"},
                       {0}};
  experiment genetic = {0}, gradient = {0};
  bool good = experiment_run(&genetic, x->model, NULL, options);
  options[4].value = "levenberg-marquardt";
  good = good && experiment_run(&gradient, x->model, NULL, options);
  double worst = 0, moved = 0;
  for (int i = 0; i < x->coordinates && good; i++) {
    curve a = experiment_curve(&genetic, "", x->column[i]),
          b = experiment_curve(&gradient, "", x->column[i]);
    for (int k = 0; k < a.count && k < b.count; k++) {
      if (!(fabs(a.y[k] - b.y[k]) <= worst) && !isnan(worst)) worst = fabs(a.y[k] - b.y[k]);
      moved = fmax(moved, fabs(b.y[k] - b.y[0]));
    }
    curve_free(&a), curve_free(&b);
  }
  if (good)
    report_claim(r, "genetic algorithm", "global minimum",
                 judge(moved > 1e-4 && worst < 1e-6 * moved, false), NULL,
                 "%.1e off in a motion of %.2g", worst, moved);
  else
    report_failure(r, "%s by the genetic algorithm: %s", x->model, genetic.message);
  experiment_free(&genetic), experiment_free(&gradient);
  return good;
}

// ---- pictures ------------------------------------------------------------------------------

static void draw_motion(report *r, int which, const study *s) {
  const example *e = &examples[which];
  char file[100], title[100], caption[200], names[MOST][40];
  curve curves[2 * MOST];
  for (int i = 0; i < e->coordinates; i++) {
    snprintf(names[i], sizeof names[i], "%s, multipliers", e->name[i]);
    curves[i] = s->path[OURS][i];
    curves[e->coordinates + i] = s->path[ROUTH][i];
    curves[e->coordinates + i].name = names[i];
  }
  snprintf(file, sizeof file, "%s_motion.svg", e->model);
  snprintf(title, sizeof title, "%s: displacements", e->title);
  snprintf(caption, sizeof caption,
           "%s: every coordinate by the UK optimisation equation and by multipliers, both by "
           "Newmark's rule.",
           e->figures[0]);
  report_chart(r, file, caption,
               &(chart){.title = title,
                        .label = "coordinates",
                        .unit = which == SKATE || which == DISC ? "m or rad" : "rad",
                        .count = 2 * e->coordinates,
                        .curves = curves});
}

static void draw_violation(report *r, int which, const study *s) {
  const example *e = &examples[which];
  char file[100], title[100], caption[200];
  const curve curves[] = {s->violation[OURS], s->violation[ROUTH], s->violation[OURS_RK4],
                          s->violation[ROUTH_RK4]};
  snprintf(file, sizeof file, "%s_violation.svg", e->model);
  snprintf(title, sizeof title, "%s: largest violation", e->title);
  snprintf(caption, sizeof caption, "%s: errors of the constraint equations.", e->figures[1]);
  report_chart(r, file, caption,
               &(chart){.title = title,
                        .label = "violation",
                        .unit = "",
                        .log_y = true,
                        .count = 4,
                        .curves = curves});
}

static void draw_difference(report *r, int which, study *s) {
  const example *e = &examples[which];
  char file[100], title[100], caption[200];
  // in place: nothing is computed from these any more
  for (int i = 0; i < e->coordinates; i++)
    for (int k = 0; k < s->path[OURS][i].count; k++) {
      double d = k < s->path[ROUTH][i].count ? s->path[OURS][i].y[k] - s->path[ROUTH][i].y[k] : NAN;
      s->path[OURS][i].y[k] = which == FOUR_BAR ? remainder(d, 2 * pi) : d;
    }
  snprintf(file, sizeof file, "%s_difference.svg", e->model);
  snprintf(title, sizeof title, "%s: difference of the displacements", e->title);
  snprintf(caption, sizeof caption,
           "%s: coordinates by the UK optimisation equation less those by "
           "multipliers.",
           e->figures[2]);
  report_chart(r, file, caption,
               &(chart){.title = title,
                        .label = "difference",
                        .unit = which == SKATE || which == DISC ? "m or rad" : "rad",
                        .count = e->coordinates,
                        .curves = s->path[OURS]});
}

static bool run_example(const paper_request *request, int which) {
  report *r = request->report;
  const example *x = &examples[which];
  const double duration = 10;
  study s = {0};
  report_heading(r, x->title);
  report_text(r, "%s Model `%s`, %g s with a step of %g s.", x->about, x->model, duration, x->step);
  bool good = true;
  for (int kind = 0; kind < RUNS && good; kind++) good = run_once(r, which, kind, duration, &s);
  good = good && measure(r, which, duration, &s);
  if (good) {
    claim_motion(r, which, &s);
    if (which == SLIDER_CRANK)
      claim_passage(r, &s);
    else
      claim_pairs(r, which, &s);
    if (which == DISC) claim_redundant(r, &s);
    good = claim_genetic(r, which, (request->quick ? 10 : 100) * x->step);
    report_table(r);
    draw_motion(r, which, &s), draw_violation(r, which, &s), draw_difference(r, which, &s);
  }
  free_study(&s);
  return good;
}

static int run(const paper_request *request) {
  bool good = true;
  for (int i = 0; i < EXAMPLES && good; i++) good = run_example(request, i);
  return good ? CODE_DONE : CODE_FAILED;
}

const paper paper_uk2018 = {
    .name = "uk2018",
    .title = "UK optimisation equation for singular problems of multibody systems (2018)",
    .summary = "singular masses, singular configurations, redundant rows by minimisation",
    .run = run,
};
