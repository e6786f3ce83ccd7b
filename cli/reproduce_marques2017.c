// reproduce_marques2017.c: F. Marques, A. P. Souto, P. Flores, On the constraints violation in
// forward dynamics of multibody systems, Multibody System Dynamics 39 (2017) 385-419, section 4.
//
// Four examples by six methods, the last of them in two models. The paper shows its results as
// charts and states in words what they show; figures it gives are the order of the violation that
// remains, and one chart of times. "Of order x" is taken within a factor of ten either way; "the
// best" is the best of all methods that take part.
#include <math.h>
#include <string.h>

#include "reproduce.h"

// the first three only control the violation, the others eliminate it
enum { STANDARD, BAUMGARTE, AUGMENTED, INDEX1, PARTITIONING, DIRECT, METHODS };
static const char *const methods[METHODS] = {"standard",
                                             "baumgarte",
                                             "augmented-lagrangian",
                                             "index1-augmented",
                                             "coordinate-partitioning",
                                             "direct-correction"};

// squares are summed over rows, as the paper has them
enum { POSITION, VELOCITY, ENERGY, WHEEL, CURVES };
static const char *const columns[CURVES] = {"residual.position_sq", "residual.velocity_sq",
                                            "energy.balance", "wheel.z"};

struct study;
typedef struct example {
  const char *model, *title, *about;
  double duration;       // [s]
  bool with_standard;    // the paper shows `standard`, too
  double left[METHODS];  // order of the mean violation the paper states; 0: it does not
  void (*more)(report *r, const struct study *s);  // claims of this example alone
  const char *figure[CURVES];                      // numbers of the figures; NULL: not drawn
  const char *times;                               // of the chart of times
  int variables, rows;                             // stated
} example;

// what the runs of one example gave
typedef struct study {
  const example *example;
  curve curve[CURVES][METHODS];
  double time[METHODS];  // [s] of processor, the least of several runs
  int coordinates, rows;
  double duration;  // [s]
} study;

// an example without a number for a method did not have it
// coordinate partitioning is part of one comparison only
static bool takes_part(const example *e, int method) {
  return method < METHODS && (method <= AUGMENTED || e->left[method] > 0);
}

// ---- runs ----------------------------------------------------------------------------------

// one run; its curves are kept the first time, its time when it is the least so far
static bool run_method(report *r, study *s, int method, bool first) {
  char text[CELL];
  // gains and factors are the paper's
  const setting options[] = {{"method", methods[method]},
                             {"duration", number_text(text, s->duration)},
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
  // the least of several: other work on the machine only adds
  if (first || e.cpu < s->time[method]) s->time[method] = e.cpu;
  s->coordinates = e.coordinates, s->rows = e.rows;
  for (int k = 0; k < CURVES && first; k++)
    s->curve[k][method] = experiment_curve(&e, methods[method], columns[k]);
  experiment_free(&e);
  if (!good) report_failure(r, "%s by %s: %s", s->example->model, methods[method], e.message);
  return good;
}

// over the whole run
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

// both conditions: one alone is met by a violation that swings
// the second half reaches farther than the first, and the last quarter is worse than the first
static bool grows(const curve *c) {
  int half = c->count / 2, quarter = c->count / 4;
  return curve_max(c, half, c->count) > curve_max(c, 0, half) &&
         curve_mean(c, c->count - quarter, c->count) > 2 * curve_mean(c, 0, quarter);
}

// twice what was there: it may swing
// the last quarter does not go beyond what was there before
static bool bounded(const curve *c) {
  int late = 3 * c->count / 4;
  return curve_max(c, late, c->count) <= 2 * curve_max(c, 0, late);
}

static const char below[] =
    "Corrected until nothing but round-off is left; the paper stops its iteration earlier, at what "
    "it calls acceptable.";
static const char gains[] =
    "Both feed violations back, critically damped, Baumgarte's method at 5/s and the augmented "
    "Lagrangian at 10/s. That halves what builds up in the positions; the violation of velocities "
    "is "
    "for the most part what single steps add, which neither gain prevents.";

// what is said of the methods that only control the violation
// `level`: position or velocity
static void claim_control(report *r, const study *s, int level) {
  const curve *c = s->curve[level];
  const char *name = level == POSITION ? "position" : "velocity";
  char what[100];
  int half = c[STANDARD].count / 2;
  snprintf(what, sizeof what, "%s, standard", name);
  double at_half = curve_max(&c[STANDARD], 0, half), at_end = whole_max(&c[STANDARD]);
  if (s->example->with_standard)
    report_claim(r, what, "grows indefinitely", judge(grows(&c[STANDARD]), false), NULL,
                 "%.2g, halfway %.2g", at_end, at_half);
  else
    report_value(r, what, "%.2g, halfway %.2g", at_end, at_half);
  double feedback = whole_mean(&c[BAUMGARTE]), augmented = whole_mean(&c[AUGMENTED]);
  snprintf(what, sizeof what, "%s, baumgarte", name);
  report_claim(r, what, "stays under control",
               judge(bounded(&c[BAUMGARTE]) && feedback < whole_mean(&c[STANDARD]), false), NULL,
               "%.2g, most %.2g", feedback, whole_max(&c[BAUMGARTE]));
  snprintf(what, sizeof what, "%s, augmented-lagrangian", name);
  // in velocities a factor of two counts as nearly
  report_claim(r, what, "better than Baumgarte",
               judge(augmented < feedback, level == VELOCITY && augmented < 2 * feedback), gains,
               "%.2g, most %.2g", augmented, whole_max(&c[AUGMENTED]));
}

// what is said of those that eliminate it: an order of magnitude, and less than all others leave
static void claim_elimination(report *r, const study *s, int level) {
  const curve *c = s->curve[level];
  const char *name = level == POSITION ? "position" : "velocity";
  char what[100], published[40];
  double worst = 0, others = INFINITY;
  for (int m = STANDARD; m < METHODS; m++) {
    double stated = s->example->left[m], mean = whole_mean(&c[m]);
    if (!takes_part(s->example, m)) continue;
    if (m <= AUGMENTED) others = fmin(others, mean);
    if (m <= AUGMENTED) continue;
    if (!(mean <= worst) && !isnan(worst)) worst = mean;
    snprintf(what, sizeof what, "%s, %s", name, methods[m]);
    snprintf(published, sizeof published, "of order %g", stated);
    report_claim(r, what, published,
                 judge(mean > 0.1 * stated && mean < 10 * stated, mean <= 0.1 * stated), below,
                 "mean %.2g", mean);
  }
  // the worst of those that eliminate against the best of those that control
  snprintf(what, sizeof what, "%s, against all others", name);
  report_claim(r, what, "at the bottom", judge(worst < 0.1 * others, false), NULL,
               "%.2g, others %.2g", worst, others);
}

// ---- claims of single examples -------------------------------------------------------------

static const char coding[] =
    "Times tell as much about a program as about a method. Here the factorisation of the equations "
    "of motion costs little because it is block-sparse, so that what a method adds to it weighs "
    "more.";

// largest imbalance over the run
static void claim_energy(report *r, const study *s) {
  double energy[METHODS], least = INFINITY;
  for (int m = 0; m < METHODS; m++) energy[m] = whole_max(&s->curve[ENERGY][m]);
  double worst = fmax(energy[PARTITIONING], energy[DIRECT]);
  for (int m = 0; m < PARTITIONING; m++) least = fmin(least, energy[m]);
  for (int m = STANDARD; m <= AUGMENTED; m++) {
    char what[100];
    snprintf(what, sizeof what, "energy, %s", methods[m]);
    report_claim(r, what, "drifts", judge(energy[m] > worst, false), NULL, "%.2g J", energy[m]);
  }
  static const char same[] = "After its projection this method has positions and velocities on the "
                             "constraints as the other "
                             "two, and what remains is the error of RK4 along them. That it should "
                             "keep the energy worse has "
                             "no cause in the method; the paper gives no figures.";
  // within a factor of two
  bool alike = energy[INDEX1] > 0.5 * worst && energy[INDEX1] < 2 * worst;
  report_claim(r, "energy, index1-augmented", "drifts", judge(energy[INDEX1] > 2 * worst, alike),
               same, "%.2g J", energy[INDEX1]);
  report_claim(r, "energy, partition, direct", "best of all methods",
               judge(worst < least, alike && worst < fmin(energy[BAUMGARTE], energy[AUGMENTED])),
               same, "%.1e, others %.1e J", worst, least);
  report_claim(r, "energy, these two", "coincident",
               judge(worst < 2 * fmin(energy[PARTITIONING], energy[DIRECT]), false), NULL,
               "%.2g and %.2g J", energy[PARTITIONING], energy[DIRECT]);
}

// times differ, they never fail: they are measured, not computed
static void claim_four_bar(report *r, const study *s) {
  claim_energy(r, s);
  double cheapest = INFINITY;
  // all but the first: how much a method adds
  for (int m = BAUMGARTE; m < METHODS; m++) cheapest = fmin(cheapest, ratio(s, m));
  report_claim(r, "time, standard", "least of all", judge(cheapest > 1, true), coding,
               "1, others %.2f", cheapest);
  report_claim(r, "time, direct-correction", "least of the others",
               judge(ratio(s, DIRECT) <= cheapest, true),
               "Baumgarte's feedback adds a few multiplications to an evaluation and nothing "
               "else, so that nothing can be cheaper; the paper's own chart for the slider-crank "
               "says the same.",
               "%.2f, others %.2f", ratio(s, DIRECT), cheapest);
  double next = INFINITY;
  for (int m = BAUMGARTE; m < PARTITIONING; m++) next = fmin(next, ratio(s, m));
  report_claim(r, "time, coordinate-partitioning", "next",
               judge(ratio(s, PARTITIONING) <= next, true),
               "Here the dependent coordinates are solved for at every stage of RK4, which keeps "
               "its order, and not once a step.",
               "%.2f, others %.2f", ratio(s, PARTITIONING), next);
  report_claim(r, "time, augmented and index1", "less than Baumgarte",
               judge(fmax(ratio(s, AUGMENTED), ratio(s, INDEX1)) < ratio(s, BAUMGARTE), true),
               "The iteration of the augmented Lagrangian solves the equations several times for "
               "one acceleration, Baumgarte's method once; again the paper's slider-crank has it "
               "the other way round.",
               "%.2f, %.2f, not %.2f", ratio(s, AUGMENTED), ratio(s, INDEX1), ratio(s, BAUMGARTE));
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
  // zeros: not among the paper's bars
  static const double published[METHODS] = {1, 1.16, 1.30, 1.49, 0, 1.39};
  for (int m = BAUMGARTE; m < METHODS; m++) {
    char what[100], stated[40];
    if (!takes_part(s->example, m)) continue;
    // within a quarter, on a logarithmic scale
    double off = fabs(log(ratio(s, m) / published[m]));
    snprintf(what, sizeof what, "time, %s", methods[m]);
    snprintf(stated, sizeof stated, "%.2f", published[m]);
    report_claim(r, what, stated, judge(off < log(1.25), true), coding, "%.2f", ratio(s, m));
  }
}

// height of the wheel's centre: it settles, rises over the bump to the stop, settles again
static void claim_wheel(report *r, const study *s) {
  const curve *c = s->curve[WHEEL];
  int n = c[DIRECT].count, apart_at = 0;
  double least = INFINITY, most = 0, apart = 0, top = 0;
  for (int i = 0; i < n; i++) {
    double t = c[DIRECT].x[i], z = c[DIRECT].y[i];
    if (t > 1.5 && t < 1.95) least = fmin(least, z), most = fmax(most, z);
    if (t > 2) top = fmax(top, z);
    for (int m = BAUMGARTE; m < METHODS; m++)
      if (takes_part(s->example, m) && !(fabs(c[m].y[i] - z) <= apart))
        apart = fabs(c[m].y[i] - z), apart_at = i;
  }
  double end = c[DIRECT].y[n - 1];
  report_claim(r, "wheel before the bump", "equilibrium", judge(most - least < 1e-4, false), NULL,
               "%.4f m, still by %.1e m", most, most - least);
  // the upper ball is 0.175 m above the centre; the stop is met at 0.455 + 0.145 m
  report_claim(r, "wheel on the bump", "hits the stop", judge(top > 0.425, false), NULL,
               "%.4f m, stop from 0.425 m", top);
  report_claim(r, "wheel after the bump", "the same equilibrium",
               judge(fabs(end - most) < 1e-4, false), NULL, "%.4f m", end);
  report_claim(r, "wheel, all methods", "one motion", judge(apart < 1e-4, false), NULL,
               "%.1e m apart, at %.2f s", apart, c[DIRECT].x[apart_at]);
}

static void claim_suspension(report *r, const study *s) {
  claim_wheel(r, s);
  double others = fmax(fmax(ratio(s, BAUMGARTE), ratio(s, AUGMENTED)), ratio(s, DIRECT));
  report_claim(r, "time, index1-augmented", "most of the five",
               judge(ratio(s, INDEX1) > fmax(others, 1), true), coding, "%.2f, others to %.2f",
               ratio(s, INDEX1), others);
  report_claim(r, "time, direct-correction", "slightly less",
               judge(ratio(s, DIRECT) < ratio(s, INDEX1), true), coding, "%.2f", ratio(s, DIRECT));
  report_claim(r, "time, baumgarte", "even less",
               judge(ratio(s, BAUMGARTE) < ratio(s, DIRECT), true), coding, "%.2f",
               ratio(s, BAUMGARTE));
  report_claim(r, "time, augmented-lagrangian", "even less",
               judge(ratio(s, AUGMENTED) < ratio(s, DIRECT), true),
               "The correction costs about one evaluation after a step, the iteration of the "
               "augmented Lagrangian more than that in each of its four stages.",
               "%.2f", ratio(s, AUGMENTED));
}

// the wheel of the four bodies beside that of the two with links as constraints
static void claim_reduced(report *r, const study *s) {
  char text[CELL];
  const setting options[] = {{"method", "direct-correction"},
                             {"duration", number_text(text, s->duration)},
                             {"coordinates", "reference"},
                             {"step", "1e-3"},
                             {0}};
  experiment e;
  if (!experiment_run(&e, "iltis_suspension", NULL, options)) {
    report_failure(r, "iltis_suspension: %s", e.message);
  } else {
    double apart = 0;
    const curve *c = &s->curve[WHEEL][DIRECT];
    for (int i = 0; i < c->count; i++) {
      double d = fabs(c->y[i] - experiment_at(&e, i, "wheel.z"));
      if (!(d <= apart) && !isnan(apart)) apart = d;
    }
    report_claim(r, "wheel, two or four bodies", "one motion", judge(apart < 1e-3, false), NULL,
                 "%.1e m apart", apart);
  }
  experiment_free(&e);
}

static void claim_four_bodies(report *r, const study *s) {
  claim_reduced(r, s);
  claim_suspension(r, s);
}

// how many coordinates, Euler's parameters counted as the paper does, and rows
static void claim_size(report *r, const study *s) {
  const example *e = s->example;
  if (!e->variables) return;
  char stated[60];
  int variables = s->coordinates / 6 * 7;
  snprintf(stated, sizeof stated, "%d variables, %d rows", e->variables, e->rows);
  bool same = variables == e->variables && s->rows == e->rows;
  report_claim(
      r, "size of the model", stated,
      judge(same, variables == e->variables && s->rows == e->rows + 3),
      "Two hinges and three balls, 19 rows, leave the end of the tie rod at the rack free, and "
      "with it the steering: four balls are needed, 22 rows.",
      "%d variables, %d rows", variables, s->rows);
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
     .figure = {"5", "6", "7", NULL},
     .times = "8",
     .more = claim_four_bar},
    {.model = "five_bar_pendulum_spatial",
     .title = "Spatial five-bar pendulum",
     .about = "The initial position is given by a figure only; the one here has bars along x, y, "
              "y, x, x and joint axes along y, z, y, z, y in turn. Times are not given in words.",
     .duration = 10,
     .left = {[INDEX1] = 1e-18, [DIRECT] = 1e-18},
     .figure = {"10", "11", NULL, NULL},
     .times = "12",
     .variables = 35,
     .rows = 25,
     .more = claim_pendulum},
    {.model = "spatial_slider_crank",
     .title = "Spatial slider-crank mechanism",
     .about = "The text names one revolute, one spherical and one translational joint, 13 "
              "constraints, but counts 17; the universal joint between rod and slider that makes "
              "up for it is part of the model here. Times are relative to `standard`.",
     .duration = 5,
     .with_standard = true,
     .left = {[INDEX1] = 1e-18, [DIRECT] = 1e-18},
     .figure = {"14", "15", NULL, NULL},
     .times = "16",
     .variables = 21,
     .rows = 17,
     .more = claim_slider_crank},
    {.model = "iltis_suspension",
     .title = "Front suspension of the Iltis on a bump",
     .about = "The bump's profile and the joints' places are not in the paper; they are those of "
              "the public benchmark. Leaf spring and tie rod have no mass and are constraints "
              "here, not bodies, so that there are 11 constraints and not 19. Steps end where the "
              "bump stop engages.",
     .duration = 6,
     .left = {[INDEX1] = 1e-25, [DIRECT] = 1e-32},
     .figure = {"18", "19", NULL, "19 as the text has it"},
     .times = "20",
     .more = claim_suspension},
    {.model = "iltis_four_bodies",
     .title = "Front suspension of the Iltis, all four bodies",
     .about =
         "The same with leaf spring and tie rod as bodies, as the paper counts them; 10 g each in "
         "place of no mass.",
     .duration = 6,
     .left = {[INDEX1] = 1e-25, [DIRECT] = 1e-32},
     .figure = {"18", "19", NULL, "19 as the text has it"},
     .times = "20",
     .variables = 28,
     .rows = 19,
     .more = claim_four_bodies},
};

static void draw_curves(report *r, const study *s, int k) {
  static const char *const what[CURVES] = {"position violation", "velocity violation",
                                           "change of energy", "height of the wheel's centre"};
  static const char *const file[CURVES] = {"position_violation", "velocity_violation", "energy",
                                           "wheel"};
  static const char *const units[CURVES] = {"m^2 or rad^2", "m^2/s^2 or rad^2/s^2", "J", "m"};
  char name[100], title[200], caption[200];
  curve drawn[METHODS];
  int count = 0;
  for (int m = 0; m < METHODS; m++)
    if (takes_part(s->example, m)) drawn[count++] = s->curve[k][m];
  snprintf(name, sizeof name, "%s_%s.svg", s->example->model, file[k]);
  snprintf(title, sizeof title, "%s: %s", s->example->title, what[k]);
  snprintf(caption, sizeof caption, "Figure %s: %s, by all methods.", s->example->figure[k],
           what[k]);
  report_chart(
      r, name, caption,
      &(chart){
          .title = title, .unit = units[k], .log_y = k != WHEEL, .count = count, .curves = drawn});
}

static void draw(report *r, const study *s) {
  char name[100], title[200], caption[200];
  const char *names[METHODS];
  double ratios[METHODS];
  int count = 0;
  for (int k = 0; k < CURVES; k++)
    if (s->example->figure[k]) draw_curves(r, s, k);
  for (int m = 0; m < METHODS; m++)
    if (takes_part(s->example, m)) names[count] = methods[m], ratios[count++] = ratio(s, m);
  snprintf(name, sizeof name, "%s_time_ratio.svg", s->example->model);
  snprintf(title, sizeof title, "%s: time relative to standard", s->example->title);
  snprintf(caption, sizeof caption, "Figure %s: processor time relative to `standard`.",
           s->example->times);
  report_bars(r, name, caption, title, count, names, ratios);
}

static bool run_example(const paper_request *request, const example *e) {
  report *r = request->report;
  study s = {.example = e, .duration = e->duration * (request->quick ? 0.6 : 1)};
  bool good = true;
  report_heading(r, e->title);
  report_text(r, "%s Model `%s`, %g s.", e->about, e->model, s.duration);
  // in turn, so that whatever else keeps the machine busy meets all methods alike
  for (int i = 0; i < (request->quick ? 1 : 3); i++)
    for (int m = 0; m < METHODS && good; m++)
      good = !takes_part(e, m) || run_method(r, &s, m, i == 0);
  if (good) {
    claim_size(r, &s);
    for (int level = POSITION; level <= VELOCITY; level++)
      claim_control(r, &s, level), claim_elimination(r, &s, level);
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
