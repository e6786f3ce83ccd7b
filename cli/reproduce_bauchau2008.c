// reproduce_bauchau2008.c: O. A. Bauchau, A. Laulusa, Review of contemporary approaches for
// constraint enforcement in multibody systems, Journal of Computational and Nonlinear Dynamics 3
// (2008).
//
// The review has no examples of its own; it says of every family of methods what it does. That is
// shown here on a four-bar linkage, a spatial slider-crank and a chain of two stiff beams. Spectra
// of integrators are read off the motion of one stiff oscillator: places in a row obey the
// recurrence
//   u_(n+k) = c_(k-1) u_(n+k-1) + ... + c_0 u_n
// whose roots are the eigenvalues of a step; theory has them from the scheme's own matrix.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce_bauchau2008.h"
#include "reproduce_matrix.h"

static double most(const curve *c) {
  return curve_max(c, 0, c->count);
}

// ---- section 3 and 4: violations -----------------------------------------------------------

enum {
  STANDARD,
  BAUMGARTE,
  BAUMGARTE2,
  STAGGERED,
  PENALTY5,
  PENALTY7,
  ALF3,
  ALF9,
  PROJECTED,
  GGL,
  KINDS
};
static const struct {
  const char *label, *method, *option, *value;
} kinds[KINDS] = {
    {"index 1, nothing else", "standard", NULL, NULL},
    {"Baumgarte", "baumgarte", NULL, NULL},
    {"Baumgarte, order 2", "baumgarte", "integrator", "heun"},
    {"staggered", "staggered", NULL, NULL},
    {"penalty 1e5", "penalty", "penalty", "1e5"},
    {"penalty 1e7", "penalty", "penalty", "1e7"},
    {"augmented, 1e3", "augmented-lagrangian", "penalty", "1e3"},
    {"augmented, 1e9", "augmented-lagrangian", "penalty", "1e9"},
    {"mass projection", "mass-projection", NULL, NULL},
    {"stabilised index 2", "index2-alpha", NULL, NULL},
};

// the same step for all of them
static bool run_kind(report *r, const char *model, const char *method, const char *option,
                     const char *value, double duration, experiment *e) {
  char text[CELL];
  const setting options[] = {
      {"method", method},           {"step", "1e-3"}, {"duration", number_text(text, duration)},
      {"coordinates", "reference"}, {option, value},  {0}};
  bool good = experiment_run(e, model, NULL, options);
  if (!good) report_failure(r, "%s by %s: %s", model, method, e->message);
  return good;
}

// gains that are too large for the step: the largest violation they leave
static double run_gain(const char *model, const char *gain, double duration) {
  char text[CELL];
  const setting options[] = {{"method", "baumgarte"},
                             {"step", "1e-3"},
                             {"duration", number_text(text, duration)},
                             {"coordinates", "reference"},
                             {"alpha", gain},
                             {"beta", gain},
                             {0}};
  experiment e;
  bool ran = experiment_run(&e, model, NULL, options);  // one that breaks off has shown enough
  curve c = experiment_curve(&e, gain, "residual.position");
  double left = ran ? most(&c) : INFINITY;
  curve_free(&c);
  experiment_free(&e);
  return left;
}

// each claim is the review's sentence about a family, with the number it comes to here
static void claim_violations(report *r, const curve *c, const double *speed, const double *gain) {
  int half = c[STANDARD].count / 2;
  // a drift grows: twice what it was halfway
  double early = curve_max(&c[STANDARD], 0, half), late = most(&c[STANDARD]);
  report_claim(r, "acceleration level alone", "drifts away", judge(late > 2 * early, false), NULL,
               "%.1e, halfway %.1e", late, early);
  report_claim(r, "Baumgarte", "controlled, never exact",
               judge(most(&c[BAUMGARTE]) < 0.2 * late && most(&c[BAUMGARTE]) > 1e-12, false), NULL,
               "%.1e", most(&c[BAUMGARTE]));
  report_claim(r, "Baumgarte, gains 5, 2000, 5000", "too large: stiff",
               judge(gain[1] > 10 * gain[0] && gain[2] > 1e-2, false), NULL, "%.1e, %.1e, %.1e",
               gain[0], gain[1], gain[2]);
  // both of order 2, so that the integrator does not decide
  double staggered = most(&c[STAGGERED]), fixed = most(&c[BAUMGARTE2]);
  report_claim(
      r, "staggered against Baumgarte", "more accurate",
      judge(staggered < fixed, staggered < 3 * fixed),
      "Both by an integrator of order 2. Gains of 5/s suit this motion; the rates of the "
      "staggered procedure, eigenvalues of J M^-1 J^T/epsilon, are limited by the step here, and "
      "what a step adds is what is left.",
      "%.1e against %.1e", staggered, fixed);
  // penalties leave a violation in proportion to their inverse
  double ratio = most(&c[PENALTY5]) / most(&c[PENALTY7]);
  report_claim(r, "penalty factor x 100", "violation / 100",
               judge(ratio > 50 && ratio < 200, false), NULL, "/ %.0f", ratio);
  double spread = most(&c[ALF3]) / most(&c[ALF9]);
  report_claim(
      r, "augmented, factors 1e3 to 1e9", "all accurate",
      judge(spread > 0.5 && spread < 2 && most(&c[ALF3]) < 0.1 * most(&c[PENALTY5]), false), NULL,
      "%.1e to %.1e", most(&c[ALF3]), most(&c[ALF9]));
  report_claim(r, "projection", "machine accuracy", judge(most(&c[PROJECTED]) < 1e-13, false), NULL,
               "%.1e", most(&c[PROJECTED]));
  report_claim(r, "stabilised index 2", "both levels met",
               judge(most(&c[GGL]) < 1e-10 && speed[GGL] < 1e-8, false), NULL, "%.1e m, %.1e m/s",
               most(&c[GGL]), speed[GGL]);
}

static bool drift(report *r, const char *model, const char *title, double duration) {
  // gains up to what a step of 1 ms allows: 5/s is mild, 5000/s beyond it
  static const char *const gains[] = {"5", "2000", "5000"};
  curve c[KINDS] = {{0}};
  double speed[KINDS] = {0}, gain[3] = {0};
  char heading[100], file[100];
  snprintf(heading, sizeof heading, "Sections 3 and 4: violation of the constraints, %s", title);
  report_heading(r, heading);
  report_text(r,
              "Model `%s`, %g s in steps of 1 ms; explicit methods by RK4, of order 4, unless said "
              "otherwise. Violations are the largest of all rows.",
              model, duration);
  bool good = true;
  for (int i = 0; i < KINDS && good; i++) {
    experiment e;
    good = run_kind(r, model, kinds[i].method, kinds[i].option, kinds[i].value, duration, &e);
    c[i] = experiment_curve(&e, kinds[i].label, "residual.position");
    curve v = experiment_curve(&e, "", "residual.velocity");
    speed[i] = most(&v);
    curve_free(&v);
    experiment_free(&e);
  }
  // shorter runs: what is unstable shows at once
  for (int i = 0; i < 3 && good; i++) gain[i] = run_gain(model, gains[i], 0.2 * duration);
  if (good) {
    claim_violations(r, c, speed, gain);
    report_table(r);
    snprintf(file, sizeof file, "%s_violation.svg", model);
    report_chart(r, file, "What each family leaves of the violation.",
                 &(chart){.title = heading,
                          .label = "violation",
                          .unit = "m or rad",
                          .log_y = true,
                          .count = KINDS,
                          .curves = c});
  }
  for (int i = 0; i < KINDS; i++) curve_free(&c[i]);
  return good;
}

// ---- sections 2 and 5.4: conditioning of index 3 -------------------------------------------

enum { FULL, LEFT, NONE, SCALINGS, STEPS = 7 };
static const char *const scalings[SCALINGS] = {"full", "left", "none"};

// does the iteration still converge with steps of 1e-8 s, and how far off are its multipliers?
static double tiny_steps(const char *scaling) {
  // index 3 by its scheme's own multipliers: nothing is computed anew from the motion
  const setting options[] = {{"method", "index3-alpha"}, {"scaling", scaling},
                             {"step", "1e-8"},           {"output_step", "1e-8"},
                             {"duration", "2e-7"},       {"coordinates", "reference"},
                             {"reactions", "method"},    {0}};
  experiment e;
  bool ran = experiment_run(&e, "four_bar", NULL, options);
  int rows = hn_result_rows(e.result);
  // exact at the start, where the linkage rests
  double off =
      ran && rows > 1 ? fabs(experiment_at(&e, rows - 1, "A.fx") - 7.182017996130158) : INFINITY;
  experiment_free(&e);
  return off;
}

static bool conditioning(report *r) {
  double step[STEPS], number[SCALINGS][STEPS], slope[SCALINGS], off[SCALINGS];
  curve lines[SCALINGS];
  report_heading(r, "Sections 2 and 5.4: conditioning of index 3");
  report_text(
      r, "Iteration matrix of `index3-alpha` for the four-bar linkage at its start, from the "
         "model's mass matrix, Jacobian and tangents, with steps of 1e-2 to 1e-8 s; condition in "
         "Frobenius' norm, in extended precision. `scaling` left multiplies the dynamics by the "
         "square of the step, full the multipliers as well.");
  bool good = true;
  // 1e-2 to 1e-8 s by decades
  for (int i = 0; i < STEPS; i++) step[i] = pow(10, -2 - i);
  for (int k = 0; k < SCALINGS && good; k++) {
    good = iteration_conditions("four_bar", scalings[k], STEPS, step, number[k]);
    off[k] = tiny_steps(scalings[k]);
    lines[k] = (curve){scalings[k], STEPS, step, number[k]};
    // slopes over all decades, in powers of the step
    slope[k] = -log10(number[k][STEPS - 1] / number[k][0]) / (STEPS - 1);
  }
  if (!good) return report_failure(r, "four_bar: no iteration matrix"), false;
  report_claim(
      r, "without scaling", "h^-3", judge(fabs(slope[NONE] + 3) < 0.3, fabs(slope[NONE] + 4) < 0.3),
      "The cube belongs to unknown positions, velocities and multipliers. Here velocities are "
      "eliminated, so that inertia and multipliers stand h^2 apart in rows and in columns.",
      "h^%.2f, %.1e at 1e-8 s", slope[NONE], number[NONE][STEPS - 1]);
  report_claim(r, "left preconditioning", "h^-2", judge(fabs(slope[LEFT] + 2) < 0.3, false), NULL,
               "h^%.2f, %.1e at 1e-8 s", slope[LEFT], number[LEFT][STEPS - 1]);
  report_claim(r, "left and right", "h^0", judge(fabs(slope[FULL]) < 0.05, false), NULL,
               "h^%.2f, %.0f at 1e-8 s", slope[FULL], number[FULL][STEPS - 1]);
  report_claim(r, "steps of 1e-8 s converge", "with both, hardly without",
               judge(isfinite(off[FULL]) && !isfinite(off[NONE]) && !isfinite(off[LEFT]), false),
               NULL, "full %s, left %s, none %s", isfinite(off[FULL]) ? "yes" : "no",
               isfinite(off[LEFT]) ? "yes" : "no", isfinite(off[NONE]) ? "yes" : "no");
  report_claim(
      r, "multipliers at 1e-8 s", "as those of an ODE", judge(off[FULL] < 1e-3, off[FULL] < 1e4),
      "Positions are rounded to 1e-16 m, and the scheme's multipliers have that over h^2, 1 "
      "m/s^2, whatever the scaling of the equations. Other methods find them from the motion; so "
      "does this one below 1e-4 s unless `reactions: method` asks for its own.",
      "%.2g N off", off[FULL]);
  report_table(r);
  report_chart(r, "condition.svg", "Condition of the iteration matrix over the step.",
               &(chart){.title = "Four-bar linkage: condition of the iteration matrix",
                        .x = "step",
                        .x_unit = "s",
                        .label = "condition",
                        .unit = "",
                        .log_x = true,
                        .log_y = true,
                        .count = SCALINGS,
                        .curves = lines});
  return true;
}

// ---- section 5.1: spectra ------------------------------------------------------------------

enum { SCHEMES = 6, POINTS = 13 };
static const struct {
  const char *label, *method, *rho;
  int terms;  // of the recurrence
} schemes[SCHEMES] = {
    {"trapezoidal", "index3-trapezoidal", "1", 2}, {"Newmark, 0.5", "index3-newmark", "0.5", 2},
    {"HHT, 0.6", "index3-hht", "0.6", 3},          {"alpha, 0.8", "index3-alpha", "0.8", 3},
    {"alpha, 0.2", "index3-alpha", "0.2", 3},      {"energy-decaying", "energy-decaying", "1", 2},
};

// the spectral radius of a step with frequency times step = w, from the motion
static bool measured_radius(report *r, int scheme, double w, double *radius) {
  char text[CELL];
  // the step is fixed, the stiffness makes w
  const double h = 0.01;
  const setting set[] = {{"k", number_text(text, w * w / (h * h))}, {0}};
  // a tolerance that keeps the iteration from being what is seen
  const setting options[] = {{"method", schemes[scheme].method},
                             {"step", "0.01"},
                             {"output_step", "0.01"},
                             {"duration", "0.08"},
                             {"undamped_projection", "off"},
                             {"rho_inf", schemes[scheme].rho},
                             {"newton_tol", "1e-12"},
                             {0}};
  experiment e;
  bool good = experiment_run(&e, "stiff_oscillator", set, options);
  curve c = experiment_curve(&e, "", "m.x");
  if (good)
    // roots of the recurrence that places in a row obey
    *radius = recurrence_radius(schemes[scheme].terms, c.count, c.y);
  else
    report_failure(r, "stiff_oscillator by %s: %s", schemes[scheme].method, e.message);
  curve_free(&c);
  experiment_free(&e);
  return good;
}

static bool spectra(report *r) {
  double w[POINTS], found[SCHEMES][POINTS], theory[SCHEMES][POINTS];
  curve lines[2 * SCHEMES];
  char names[SCHEMES][60];
  report_heading(r, "Section 5.1: spectra of the integrators");
  report_text(
      r,
      "Model `stiff_oscillator`: eigenvalues of a step, read off nine places in a row, against "
      "those of the scheme's matrix. Numbers behind the names are the part of an infinitely fast "
      "vibration that shall survive a step.");
  bool good = true;
  for (int i = 0; i < SCHEMES && good; i++) {
    double worst = 0, high = 0;
    snprintf(names[i], sizeof names[i], "%s, theory", schemes[i].label);
    for (int k = 0; k < POINTS && good; k++) {
      // thirteen frequencies from 0.1 to 100 a step
      w[k] = pow(10, -1 + 0.25 * k);
      good = measured_radius(r, i, w[k], &found[i][k]);
      theory[i][k] = scheme_radius(schemes[i].method, strtod(schemes[i].rho, NULL), w[k]);
      double off = fabs(found[i][k] - theory[i][k]);
      // NaN counts as off
      if (!(off <= worst) && !isnan(worst)) worst = off;
      high = fmax(high, found[i][k]);
    }
    lines[i] = (curve){schemes[i].label, POINTS, w, found[i]};
    lines[SCHEMES + i] = (curve){names[i], POINTS, w, theory[i]};
    if (!good) break;
    report_claim(r, schemes[i].label, "spectrum of the scheme", judge(worst < 5e-3, false), NULL,
                 "within %.1e of theory", worst);
    if (i >= 2)
      report_claim(r, schemes[i].label, "damps high frequencies",
                   judge(high < 1 + 1e-3 && found[i][POINTS - 1] < 0.9, false), NULL,
                   "%.4f left at %.0f/step", found[i][POINTS - 1], w[POINTS - 1]);
  }
  if (!good) return false;
  double flat = fabs(found[0][POINTS - 1] - 1);
  report_claim(r, "trapezoidal", "damps nothing", judge(flat < 1e-6, false), NULL,
               "%.6f left at %.0f/step", found[0][POINTS - 1], w[POINTS - 1]);
  report_table(r);
  report_chart(r, "spectra.svg", "Spectral radius of a step over frequency times step.",
               &(chart){.title = "Spectral radius, measured and by theory",
                        .x = "frequency x step",
                        .x_unit = "",
                        .label = "spectral radius",
                        .unit = "",
                        .log_x = true,
                        .count = 2 * SCHEMES,
                        .curves = lines});
  return true;
}

// ---- section 5.1: Newmark's rule with constraints ------------------------------------------

// what alternates from step to step, from fourth differences, over the points first <= i < end
static double jumps(const curve *c, int first, int end) {
  double worst = 0;
  for (int i = first > 2 ? first : 2; i + 2 < end && i + 2 < c->count; i++) {
    const double *y = c->y + i;
    // fourth differences see what alternates, and hardly what is smooth
    double d = fabs(y[2] - 4 * y[1] + 6 * y[0] - 4 * y[-1] + y[-2]) / 16;
    if (!(d <= worst) && !isnan(worst)) worst = d;
  }
  return worst;
}

static bool instability(report *r, double duration) {
  static const struct {
    const char *label, *method, *projection, *rho;
  } rules[] = {{"trapezoidal", "index3-trapezoidal", "off", "1"},
               {"trapezoidal, projected", "index3-trapezoidal", "on", "1"},
               {"HHT, 0.8", "index3-hht", "off", "0.8"},
               {"alpha, 0.8", "index3-alpha", "off", "0.8"}};
  enum { RULES = sizeof rules / sizeof *rules };
  curve c[RULES] = {{0}};
  double own[RULES], smooth = 0;
  char text[CELL];
  report_heading(r, "Section 5.1: the trapezoidal rule in the presence of constraints");
  report_text(
      r,
      "Model `four_bar`, %g s in steps of 1 ms, reactions as the scheme has them: what of the "
      "force in joint A alternates from step to step.",
      duration);
  bool good = true;
  for (int i = 0; i < RULES && good; i++) {
    const setting options[] = {{"method", rules[i].method},
                               {"step", "1e-3"},
                               {"output_step", "1e-3"},
                               {"duration", number_text(text, duration)},
                               {"undamped_projection", rules[i].projection},
                               {"rho_inf", rules[i].rho},
                               {"reactions", "method"},
                               {0}};
    experiment e;
    good = experiment_run(&e, "four_bar", NULL, options);
    c[i] = experiment_curve(&e, rules[i].label, "A.fx");
    if (!good) report_failure(r, "four_bar by %s: %s", rules[i].method, e.message);
    experiment_free(&e);
    // the second half: what the start excites has gone by then
    own[i] = jumps(&c[i], c[i].count / 2, c[i].count);
    if (i == RULES - 1) smooth = own[i];
  }
  if (good) {
    report_claim(r, "trapezoidal rule", "unstable", judge(own[0] > 10 * smooth, false), NULL,
                 "%.1e N", own[0]);
    report_claim(r, "the same with projections", "stable", judge(own[1] < 3 * smooth, false), NULL,
                 "%.1e N", own[1]);
    report_claim(r, "HHT and generalized-alpha", "stable", judge(own[2] < 3 * smooth, false), NULL,
                 "%.1e N, %.1e N", own[2], own[3]);
    report_table(r);
    // in place: the curve of what alternates at each time
    for (int i = 0; i < RULES; i++)
      for (int k = 0; k < c[i].count; k++)
        c[i].y[k] = k + 4 < c[i].count ? jumps(&(curve){.count = 5, .y = c[i].y + k}, 2, 5) : NAN;
    report_chart(r, "newmark.svg",
                 "Cardona and Geradin: what alternates in a reaction from step to step.",
                 &(chart){.title = "Four-bar linkage: alternation of the force in joint A",
                          .unit = "N",
                          .log_y = true,
                          .count = RULES,
                          .curves = c});
  }
  for (int i = 0; i < RULES; i++) curve_free(&c[i]);
  return good;
}

// ---- sections 5.1 and 5.2: energy ----------------------------------------------------------

enum { KEEPING, DECAYING, ALPHA, TRAPEZOIDAL, ENERGIES };
static const struct {
  const char *label, *method;
} energies[ENERGIES] = {{"energy-momentum", "energy-momentum"},
                        {"energy-decaying", "energy-decaying"},
                        {"alpha, 0.8", "index3-alpha"},
                        {"trapezoidal", "index3-trapezoidal"}};

// an explicit method has no chance with such steps
static void claim_explicit(report *r, const setting *options) {
  experiment e;
  bool ran = experiment_run(&e, "stiff_chain", NULL, options);
  curve c = experiment_curve(&e, "", "energy.balance");
  report_claim(r, "RK4 on multipliers", "conditionally stable",
               judge(!ran || !(most(&c) < 1e3), false), NULL,
               ran ? "energy of %.0e J after %.2g s" : "fails: energy of %.0e J at %.2g s",
               most(&c), e.summary.time);
  curve_free(&c);
  experiment_free(&e);
}

// energies at the ends of steps, forces in one element
static void claim_energies(report *r, const curve *energy, const curve *force) {
  double rise[ENERGIES], noise[ENERGIES], falls = most(&energy[DECAYING]);
  for (int i = 0; i < ENERGIES; i++) {
    rise[i] = -INFINITY;
    // the largest gain of energy in one step
    for (int k = 1; k < energy[i].count; k++)
      rise[i] = fmax(rise[i], energy[i].y[k] - energy[i].y[k - 1]);
    noise[i] = jumps(&force[i], force[i].count / 2, force[i].count);
  }
  report_claim(r, "energy-momentum: energy", "E_f = E_i",
               judge(most(&energy[KEEPING]) < 1e-10, false), NULL, "within %.1e J",
               most(&energy[KEEPING]));
  report_claim(r, "energy-decaying: every step", "E falls",
               judge(rise[DECAYING] <= 0 && falls > 0 && falls < 0.05, false), NULL,
               "falls by %.1e J in all", falls);
  report_claim(r, "trapezoidal rule: energy", "no guarantee",
               judge(rise[TRAPEZOIDAL] > 1e-7, false), NULL, "rises by %.1e J in a step",
               rise[TRAPEZOIDAL]);
  report_claim(r, "energy-momentum: stress", "oscillates",
               judge(noise[KEEPING] > 5 * noise[DECAYING], false), NULL, "%.1e N, decaying %.1e N",
               noise[KEEPING], noise[DECAYING]);
  report_value(r, "alpha, trapezoidal: stress", "%.1e N, %.1e N", noise[ALPHA], noise[TRAPEZOIDAL]);
}

static bool energy(report *r, double duration) {
  curve total[ENERGIES] = {{0}}, force[ENERGIES] = {{0}};
  const double step = 2e-3;
  char time_text[CELL];
  report_heading(r, "Sections 5.1 and 5.2: energy kept and energy decaying");
  report_text(
      r,
      "Model `stiff_chain`: two strips of steel, %g s in steps of %g s, a hundred times the "
      "period of their fastest vibrations.",
      duration, step);
  bool good = true;
  // one list, whose first entry is the method
  setting options[] = {{"method", ""},          {"step", "2e-3"},
                       {"output_step", "2e-3"}, {"duration", number_text(time_text, duration)},
                       {"rho_inf", "0.8"},      {0}};
  for (int i = 0; i < ENERGIES && good; i++) {
    experiment e;
    options[0].value = energies[i].method;
    good = experiment_run(&e, "stiff_chain", NULL, options);
    total[i] = experiment_curve(&e, energies[i].label, "energy.total");
    force[i] = experiment_curve(&e, energies[i].label, "one.element1.normal");
    if (!good) report_failure(r, "stiff_chain by %s: %s", energies[i].method, e.message);
    experiment_free(&e);
  }
  if (good) {
    claim_energies(r, total, force);
    // the same step by an explicit method, which it is much too long for
    options[0].value = "standard";
    claim_explicit(r, options);
    report_table(r);
    report_chart(
        r, "energy.svg", "Total energy, zero at the start.",
        &(chart){.title = "Stiff chain: energy", .unit = "J", .count = ENERGIES, .curves = total});
    report_chart(
        r, "stress.svg",
        "Normal force of the element at the hinge: what vibrates at frequencies no step can "
        "follow is kept by a scheme that keeps energy, and taken out by one that decays.",
        &(chart){
            .title = "Stiff chain: normal force", .unit = "N", .count = ENERGIES, .curves = force});
  }
  for (int i = 0; i < ENERGIES; i++) curve_free(&total[i]), curve_free(&force[i]);
  return good;
}

// ---- section 5: sparsity and cost ----------------------------------------------------------

static const char lumped[] = "Bodies have a mass matrix that is a constant diagonal here, so that "
                             "its inverse is one as well; of "
                             "finite elements with consistent masses the review is right.";

// by counting what is not zero
static bool sparsity(report *r, const char *model) {
  fills f;
  char heading[100];
  snprintf(heading, sizeof heading, "Section 5: sparsity, %s", model);
  report_heading(r, heading);
  if (!matrix_fills(model, &f)) return report_failure(r, "%s: no matrices", model), false;
  report_text(
      r,
      "Matrices of `%s` at its start, %d velocities and %d rows: the part of their places that "
      "is filled.",
      model, f.velocities, f.rows);
  // the saddle matrix is the measure for all others
  report_claim(r, "index 3: [M J^T; J 0]", "sparse", judge(f.saddle < 0.15, false), NULL, "%.1f %%",
               100 * f.saddle);
  report_claim(r, "null space (Maggi)", "band destroyed", judge(f.basis > 3 * f.saddle, false),
               NULL, "basis %.1f %%, R^T M R %.1f %%", 100 * f.basis, 100 * f.reduced);
  report_claim(r, "pseudo-inverse (UK)", "not preserved", judge(f.inverse > 3 * f.saddle, false),
               NULL, "%.1f %%", 100 * f.inverse);
  report_claim(r, "index 1: J M^-1 J^T", "band destroyed",
               judge(f.schur > 3 * f.saddle, f.schur <= 3 * f.saddle), lumped, "%.1f %%",
               100 * f.schur);
  report_table(r);
  return true;
}

// from 15 to 243 velocities: the power of the number tells sparse from dense
static bool cost(report *r) {
  static const struct {
    const char *method, *steps;
    bool sparse;
  } families[] = {{"index3-alpha", "0.1", true},    {"index2-alpha", "0.1", true},
                  {"mass-projection", "0.1", true}, {"coordinate-split", "0.02", false},
                  {"null-space", "0.02", false},    {"udwadia-kalaba", "0.02", false}};
  enum { FAMILIES = sizeof families / sizeof *families };
  double power[FAMILIES], most_sparse = 0, least_dense = INFINITY;
  report_heading(r, "Section 5: cost");
  report_text(
      r, "Models `n_four_bar_2` and `n_four_bar_40`, 15 and 243 velocities: by what power of their "
         "number the time of a step grows.");
  for (int i = 0; i < FAMILIES; i++) {
    double time[2];
    // longer for those that are cheap: times must be long enough to be measured
    for (int k = 0; k < 2; k++) {
      const setting options[] = {{"method", families[i].method},  {"step", "1e-2"},
                                 {"duration", families[i].steps}, {"output_step", "0.1"},
                                 {"coordinates", "reference"},    {0}};
      experiment e;
      const char *model = k ? "n_four_bar_40" : "n_four_bar_2";
      if (!experiment_run(&e, model, NULL, options))
        return report_failure(r, "%s by %s: %s", model, families[i].method, e.message), false;
      // processor time of a step
      time[k] = e.cpu / (double)e.summary.steps;
      experiment_free(&e);
    }
    power[i] = log(time[1] / time[0]) / log(243.0 / 15);
    if (families[i].sparse) most_sparse = fmax(most_sparse, power[i]);
    if (!families[i].sparse) least_dense = fmin(least_dense, power[i]);
    report_value(r, families[i].method, "%.2g ms a step, power %.1f", 1e3 * time[1], power[i]);
  }
  report_claim(r, "methods that destroy sparsity", "unlikely to be effective",
               judge(least_dense > most_sparse, true),
               "Times are measured on a machine that has other "
               "things to do.",
               "powers from %.1f, sparse to %.1f", least_dense, most_sparse);
  report_table(r);
  return true;
}

// quick: shorter runs of the same models, for the same claims
static int run(const paper_request *request) {
  report *r = request->report;
  bool quick = request->quick;
  bool good = drift(r, "four_bar", "four-bar linkage", quick ? 2 : 10) &&
              drift(r, "spatial_slider_crank", "spatial slider-crank", quick ? 2 : 5) &&
              index_reduction(r) && conditioning(r) && spectra(r) && instability(r, 3) &&
              energy(r, quick ? 0.5 : 2) && sparsity(r, "five_bar_pendulum_spatial") &&
              sparsity(r, "n_four_bar_40") && cost(r);
  return good ? CODE_DONE : CODE_FAILED;
}

const paper paper_bauchau2008 = {
    .name = "bauchau2008",
    .title = "O. A. Bauchau, A. Laulusa, Review of contemporary approaches for constraint "
             "enforcement in "
             "multibody systems (2008)",
    .summary = "what the review says of each family: drift, index, conditioning, spectra, energy, "
               "sparsity",
    .run = run,
};
