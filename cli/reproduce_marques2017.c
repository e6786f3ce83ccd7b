// reproduce_marques2017.c: F. Marques, A. P. Souto, P. Flores, On the constraints violation in
// forward dynamics of multibody systems, Multibody System Dynamics 39 (2017) 385-419, section 4.
//
// Four examples by six methods. The paper shows its results as charts and states in words what
// they show; figures it gives are the order of the violation that remains, and one chart of times.
#include <math.h>
#include <string.h>

#include "reproduce.h"

enum { STANDARD, BAUMGARTE, AUGMENTED, INDEX1, PARTITIONING, DIRECT, METHODS };
static const char *const methods[METHODS] = {"standard",
                                             "baumgarte",
                                             "augmented-lagrangian",
                                             "index1-augmented",
                                             "coordinate-partitioning",
                                             "direct-correction"};

enum { POSITION, VELOCITY, ENERGY, CURVES };
static const char *const columns[CURVES] = {"residual.position_sq", "residual.velocity_sq",
                                            "energy.balance"};

struct study;
typedef struct example {
  const char *model, *title, *about;
  double duration;       // [s]
  bool with_standard;    // the paper shows `standard`, too
  double left[METHODS];  // order of the mean violation the paper states; 0: it does not
  void (*more)(report *r, const struct study *s);  // claims of this example alone
} example;

// what the runs of one example gave
typedef struct study {
  const example *example;
  curve curve[CURVES][METHODS];
  double time[METHODS];  // [s] of processor, the least of several runs
} study;

// coordinate partitioning is part of one comparison only
static bool takes_part(const example *e, int method) {
  return method < METHODS && (method <= AUGMENTED || e->left[method] > 0);
}

// ---- runs ----------------------------------------------------------------------------------

// one run; its curves are kept the first time, its time when it is the least so far
static bool run_method(report *r, study *s, int method, bool first) {
  char text[CELL];
  const setting options[] = {{"method", methods[method]},
                             {"duration", number_text(text, s->example->duration)},
                             {"coordinates", "reference"},
                             {"step", "1e-3"},
                             {"alpha", "5"},
                             {"beta", "5"},
                             {"penalty", "1e7"},
                             {"omega", "10"},
                             {"mu", "1"},
                             {0}};
  experiment e;
  bool good = experiment_run(&e, s->example->model, NULL, options);
  if (first || e.cpu < s->time[method]) s->time[method] = e.cpu;
  for (int k = 0; k < CURVES && first; k++)
    s->curve[k][method] = experiment_curve(&e, methods[method], columns[k]);
  experiment_free(&e);
  if (!good) report_failure(r, "%s by %s: %s", s->example->model, methods[method], e.message);
  return good;
}

static double whole_max(const curve *c) {
  return curve_max(c, 0, c->count);
}
static double whole_mean(const curve *c) {
  return curve_mean(c, 0, c->count);
}
static double ratio(const study *s, int method) {
  return s->time[method] / s->time[STANDARD];
}

// ---- claims of all examples ----------------------------------------------------------------

// the second half reaches farther than the first, and the last quarter is worse than the first
static bool grows(const curve *c) {
  int half = c->count / 2, quarter = c->count / 4;
  return curve_max(c, half, c->count) > curve_max(c, 0, half) &&
         curve_mean(c, c->count - quarter, c->count) > 2 * curve_mean(c, 0, quarter);
}

// the last quarter does not go beyond what was there before
static bool bounded(const curve *c) {
  int late = 3 * c->count / 4;
  return curve_max(c, late, c->count) <= 2 * curve_max(c, 0, late);
}

static void claim_violation(report *r, const study *s, int level) {
  const curve *c = s->curve[level];
  const char *name = level == POSITION ? "position" : "velocity";
  char what[100], published[40];
  int half = c[STANDARD].count / 2;
  snprintf(what, sizeof what, "%s, standard", name);
  double at_half = curve_max(&c[STANDARD], 0, half), at_end = whole_max(&c[STANDARD]);
  if (s->example->with_standard)
    report_claim(r, what, "grows indefinitely", grows(&c[STANDARD]), NULL, "%.2g, halfway %.2g",
                 at_end, at_half);
  else
    report_value(r, what, "%.2g, halfway %.2g", at_end, at_half);
  snprintf(what, sizeof what, "%s, baumgarte", name);
  report_claim(r, what, "stays under control",
               bounded(&c[BAUMGARTE]) && whole_mean(&c[BAUMGARTE]) < whole_mean(&c[STANDARD]), NULL,
               "mean %.2g, most %.2g", whole_mean(&c[BAUMGARTE]), whole_max(&c[BAUMGARTE]));
  snprintf(what, sizeof what, "%s, augmented-lagrangian", name);
  report_claim(r, what, "better than Baumgarte",
               whole_mean(&c[AUGMENTED]) < whole_mean(&c[BAUMGARTE]),
               "Both feed violations back, critically damped, Baumgarte's method at 5/s and the "
               "augmented Lagrangian at 10/s. That halves what builds up in the positions; the "
               "violation of velocities is for the most part what single steps add, which neither "
               "gain prevents.",
               "mean %.2g, most %.2g", whole_mean(&c[AUGMENTED]), whole_max(&c[AUGMENTED]));
  for (int m = INDEX1; m < METHODS; m++) {
    double stated = s->example->left[m];
    if (!takes_part(s->example, m)) continue;
    snprintf(what, sizeof what, "%s, %s", name, methods[m]);
    snprintf(published, sizeof published, "of order %g", stated);
    report_claim(r, what, published, whole_mean(&c[m]) < 10 * stated, NULL, "mean %.2g",
                 whole_mean(&c[m]));
  }
}

// ---- claims of single examples -------------------------------------------------------------

static const char coding[] =
    "Times tell as much about a program as about a method. Here the factorisation of the equations "
    "of motion costs little because it is block-sparse, so that what a method adds to it weighs "
    "more.";

static void claim_four_bar(report *r, const study *s) {
  double energy[METHODS], least = INFINITY;
  for (int m = 0; m < METHODS; m++) energy[m] = whole_max(&s->curve[ENERGY][m]);
  for (int m = STANDARD; m <= AUGMENTED; m++) least = fmin(least, energy[m]);
  double worst = fmax(energy[PARTITIONING], energy[DIRECT]);
  report_claim(r, "energy, standard", "drifts", worst < energy[STANDARD], NULL, "%.2g J",
               energy[STANDARD]);
  report_claim(r, "energy, baumgarte", "drifts", worst < energy[BAUMGARTE], NULL, "%.2g J",
               energy[BAUMGARTE]);
  report_claim(r, "energy, augmented-lagrangian", "drifts", worst < energy[AUGMENTED], NULL,
               "%.2g J", energy[AUGMENTED]);
  report_claim(r, "energy, partitioning and direct", "kept best, coincident",
               worst < least && worst < 2 * fmin(energy[PARTITIONING], energy[DIRECT]), NULL,
               "%.2g and %.2g J", energy[PARTITIONING], energy[DIRECT]);
  report_claim(r, "energy, index1-augmented", "drifts", energy[INDEX1] > worst,
               "After its projection this method has positions and velocities on the constraints "
               "as the other two, and what remains is the error of RK4 along them. That it should "
               "keep the energy worse has no cause in the method; the paper gives no figures.",
               "%.2g J", energy[INDEX1]);
  double cheapest = INFINITY;
  for (int m = BAUMGARTE; m < METHODS; m++) cheapest = fmin(cheapest, ratio(s, m));
  report_claim(r, "time, standard", "least of all", cheapest > 0.9, coding, "1");
  report_claim(r, "time, direct-correction", "least of the others",
               ratio(s, DIRECT) <= 1.01 * cheapest,
               "Baumgarte's feedback adds a few multiplications to an evaluation and nothing "
               "else, so that nothing can be cheaper; the paper's own chart for the slider-crank "
               "says the same.",
               "%.2f", ratio(s, DIRECT));
  report_claim(r, "time, coordinate-partitioning", "next",
               ratio(s, PARTITIONING) < ratio(s, INDEX1),
               "Here the dependent coordinates are solved for at every stage of RK4, which keeps "
               "its order, and not once a step.",
               "%.2f", ratio(s, PARTITIONING));
  report_claim(r, "time, augmented and index1", "less than Baumgarte",
               ratio(s, AUGMENTED) < ratio(s, BAUMGARTE),
               "The iteration of the augmented Lagrangian solves the equations several times for "
               "one acceleration, Baumgarte's method once; again the paper's slider-crank has it "
               "the other way round.",
               "%.2f, %.2f; Baumgarte %.2f", ratio(s, AUGMENTED), ratio(s, INDEX1),
               ratio(s, BAUMGARTE));
}

static void claim_pendulum(report *r, const study *s) {
  for (int m = BAUMGARTE; m < METHODS; m++) {
    char what[100];
    if (!takes_part(s->example, m)) continue;
    snprintf(what, sizeof what, "time, %s", methods[m]);
    report_value(r, what, "%.2f", ratio(s, m));
  }
}

static void claim_slider_crank(report *r, const study *s) {
  static const double published[METHODS] = {1, 1.16, 1.30, 1.49, 0, 1.39};
  for (int m = STANDARD; m < METHODS; m++) {
    char what[100], stated[40];
    if (!takes_part(s->example, m)) continue;
    double off = fabs(log(ratio(s, m) / published[m]));
    snprintf(what, sizeof what, "time, %s", methods[m]);
    snprintf(stated, sizeof stated, "%.2f", published[m]);
    report_claim(r, what, stated, off < log(1.25), coding, "%.2f", ratio(s, m));
  }
}

static void claim_suspension(report *r, const study *s) {
  double others = fmax(fmax(ratio(s, BAUMGARTE), ratio(s, AUGMENTED)), ratio(s, DIRECT));
  report_claim(r, "time, index1-augmented", "most of the five", ratio(s, INDEX1) > others, coding,
               "%.2f", ratio(s, INDEX1));
  report_claim(r, "time, direct-correction", "slightly less", ratio(s, DIRECT) < ratio(s, INDEX1),
               coding, "%.2f", ratio(s, DIRECT));
  report_claim(r, "time, baumgarte", "even less", ratio(s, BAUMGARTE) < ratio(s, DIRECT), coding,
               "%.2f", ratio(s, BAUMGARTE));
  report_claim(r, "time, augmented-lagrangian", "even less", ratio(s, AUGMENTED) < ratio(s, DIRECT),
               "The correction costs about one evaluation after a step, the iteration of the "
               "augmented Lagrangian more than that in each of its four stages.",
               "%.2f", ratio(s, AUGMENTED));
}

// ---- the examples --------------------------------------------------------------------------

static const example examples[] = {
    {.model = "four_bar",
     .title = "Planar four-bar mechanism",
     .about = "The coupler's angle of Table 1 is a misprint (0.4332 for 0.4232 rad; as printed the "
              "joints are 2 cm open) and corrected here. The simulated time is not stated; it is "
              "10 s here.",
     .duration = 10,
     .with_standard = true,
     .left = {[INDEX1] = 1e-18, [PARTITIONING] = 1e-18, [DIRECT] = 1e-18},
     .more = claim_four_bar},
    {.model = "five_bar_pendulum_spatial",
     .title = "Spatial five-bar pendulum",
     .about = "The initial position is given by a figure only; the one here has bars along x, y, "
              "y, x, x and joint axes along y, z, y, z, y in turn. Times are not given in words.",
     .duration = 10,
     .left = {[INDEX1] = 1e-18, [DIRECT] = 1e-18},
     .more = claim_pendulum},
    {.model = "spatial_slider_crank",
     .title = "Spatial slider-crank mechanism",
     .about = "The text names one revolute, one spherical and one translational joint, 13 "
              "constraints, but counts 17; the universal joint between rod and slider that makes "
              "up for it is part of the model here. Times are relative to `standard`.",
     .duration = 5,
     .with_standard = true,
     .left = {[INDEX1] = 1e-18, [DIRECT] = 1e-18},
     .more = claim_slider_crank},
    {.model = "iltis_suspension",
     .title = "Front suspension of the Iltis on a bump",
     .about = "The bump's profile and the joints' places are not in the paper; they are those of "
              "the public benchmark. Leaf spring and tie rod have no mass and are constraints "
              "here, not bodies, so that there are 11 constraints and not 19. Steps end where the "
              "bump stop engages.",
     .duration = 6,
     .left = {[INDEX1] = 1e-25, [DIRECT] = 1e-32},
     .more = claim_suspension},
};

static void draw(report *r, const study *s) {
  static const char *const what[CURVES] = {"position violation", "velocity violation",
                                           "change of energy"};
  static const char *const file[CURVES] = {"position_violation", "velocity_violation", "energy"};
  static const char *const units[CURVES] = {"m^2 or rad^2", "m^2/s^2 or rad^2/s^2", "J"};
  char name[100], title[200];
  const char *names[METHODS];
  double ratios[METHODS];
  int count = 0;
  for (int k = 0; k < CURVES; k++) {
    curve drawn[METHODS];
    count = 0;
    for (int m = 0; m < METHODS; m++)
      if (takes_part(s->example, m)) drawn[count++] = s->curve[k][m];
    snprintf(name, sizeof name, "%s_%s.svg", s->example->model, file[k]);
    snprintf(title, sizeof title, "%s: %s", s->example->title, what[k]);
    const chart c = {
        .title = title, .unit = units[k], .log_y = true, .count = count, .curves = drawn};
    report_chart(r, name, &c);
  }
  count = 0;
  for (int m = 0; m < METHODS; m++)
    if (takes_part(s->example, m)) names[count] = methods[m], ratios[count++] = ratio(s, m);
  snprintf(name, sizeof name, "%s_time_ratio.svg", s->example->model);
  snprintf(title, sizeof title, "%s: time relative to standard", s->example->title);
  report_bars(r, name, title, count, names, ratios);
}

static bool run_example(const paper_request *request, const example *e) {
  report *r = request->report;
  study s = {.example = e};
  bool good = true;
  report_heading(r, e->title);
  report_text(r, "%s Model `%s`, %g s.", e->about, e->model, e->duration);
  // in turn, so that whatever else keeps the machine busy meets all methods alike
  for (int i = 0; i < (request->quick ? 1 : 3); i++)
    for (int m = 0; m < METHODS && good; m++)
      good = !takes_part(e, m) || run_method(r, &s, m, i == 0);
  if (good) {
    claim_violation(r, &s, POSITION);
    claim_violation(r, &s, VELOCITY);
    e->more(r, &s);
    report_table(r);
    draw(r, &s);
  }
  for (int k = 0; k < CURVES; k++)
    for (int m = 0; m < METHODS; m++) curve_free(&s.curve[k][m]);
  return good;
}

static int run(const paper_request *request) {
  report_text(request->report,
              "All runs: RK4 with a step of 1e-3 s; Baumgarte alpha = beta = 5; penalty 1e7, "
              "omega = 10, mu = 1; every joint as constraints of all bodies' coordinates. A "
              "violation is the sum of squares of all constraints, energy its largest change, "
              "time that of the processor relative to `standard`%s.",
              request->quick ? "" : ", the least of three runs");
  int code = CODE_DONE;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    if (!run_example(request, &examples[i])) code = CODE_FAILED;
  return code;
}

const paper paper_marques2017 = {
    .name = "marques2017",
    .title = "F. Marques, A. P. Souto, P. Flores, On the constraints violation in forward dynamics "
             "of multibody systems (2017)",
    .summary = "violation, energy and time of six explicit methods on four mechanisms",
    .run = run,
};
