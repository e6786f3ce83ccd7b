// reproduce_gonzalez2013.c: F. Gonzalez, J. Kovecses, Use of penalty formulations in dynamic
// simulation and analysis of redundantly constrained multibody systems, Multibody System Dynamics
// 29 (2013) 57-76, section 4.
//
// Reactions of redundant constraints by penalty factors in proportion to stiffness: a pendulum on
// two rods, which has a closed solution, and a plate on six rods, whose forces follow from its
// equilibrium and the compatibility of equally stiff rods.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

static const double gravity = 9.81;

// ---- runs ----------------------------------------------------------------------------------

// the paper's formulation: natural coordinates, step 1 ms
static bool run_model(report *r, experiment *e, const char *model, const char *method,
                      const char *penalty, double duration, const setting *set) {
  char text[CELL];
  const setting options[] = {{"method", method},
                             {"penalty", penalty},
                             {"coordinates", "natural"},
                             {"natural_points", "joined"},
                             {"step", "1e-3"},
                             {"duration", number_text(text, duration)},
                             {0}};
  bool good = experiment_run(e, model, set, options);
  if (!good) report_failure(r, "%s by %s: %s", model, method, e->message);
  return good;
}

// a curve with room for what is computed row by row
static curve empty_curve(const experiment *e, const char *label) {
  return experiment_curve(e, label, "energy.total");
}

static double value_at(const experiment *e, int row, const char *column) {
  int k = hn_result_find(e->result, column);
  return k < 0 ? NAN : hn_result_row(e->result, row)[k];
}

static double element_at(const experiment *e, int row, const char *element, const char *what) {
  char name[64];
  snprintf(name, sizeof name, "%s.%s", element, what);
  return value_at(e, row, name);
}

// largest |a - s b - c|
static double distance(const curve *a, double s, const curve *b, double c) {
  double most = 0;
  for (int i = 0; i < a->count; i++) {
    double d = fabs(a->y[i] - s * b->y[i] - c);
    if (!(d <= most)) most = d;  // a NaN is kept
  }
  return a->count ? most : NAN;
}

// ---- pendulum ------------------------------------------------------------------------------

static const double rod_length = 2;

// force of an element along the line from the origin to the mass, and what the energy says that
// all of them carry: F = m l theta'^2 - m g sin(theta) = -3 m g sin(theta)
static curve tension(const experiment *e, const char *label, const char *element, const char *mass,
                     double reach) {
  curve c = empty_curve(e, label);
  for (int i = 0; i < c.count; i++) {
    double fx = element_at(e, i, element, "fx"), fy = element_at(e, i, element, "fy");
    double angle = reach > 0 ? element_at(e, i, mass, "angle") : 0;
    double x = reach > 0 ? cos(angle) : element_at(e, i, mass, "x") / rod_length;
    double y = reach > 0 ? sin(angle) : element_at(e, i, mass, "y") / rod_length;
    c.y[i] = -(fx * x + fy * y);
  }
  return c;
}

static curve pendulum_force(const experiment *e) {
  curve c = empty_curve(e, "F");
  for (int i = 0; i < c.count; i++)
    c.y[i] = -3 * gravity * element_at(e, i, "mass", "y") / rod_length;
  return c;
}

typedef struct pair {
  curve rod[2], force;
} pair;

static void pair_free(pair *p) {
  curve_free(&p->rod[0]), curve_free(&p->rod[1]), curve_free(&p->force);
}

static bool run_pair(report *r, pair *p, const char *method, const char *penalty, const char *k1,
                     const char *k2, const char *preload, double duration) {
  const setting set[] = {{"k1", k1}, {"k2", k2}, {"preload", preload}, {0}};
  experiment e;
  bool good = run_model(r, &e, "two_rod_pendulum", method, penalty, duration, set);
  *p = (pair){0};
  if (good) {
    p->rod[0] = tension(&e, "rod 1", "rod1", "mass", 0);
    p->rod[1] = tension(&e, "rod 2", "rod2", "mass", 0);
    p->force = pendulum_force(&e);
  }
  experiment_free(&e);
  return good;
}

// shares of the force in units of its largest value
static double share_error(const pair *p, int rod, double share, double shift) {
  return distance(&p->rod[rod], share, &p->force, shift) / curve_max(&p->force, 0, p->force.count);
}

static const double precise = 1e-5;  // of the largest force: the error of the step is 3e-6

static bool claim_shares(report *r, pair *scaled, double duration) {
  pair equal = {0}, inverse = {0};
  bool good = run_pair(r, scaled, "augmented-index3", "1e10", "1e-3", "2e-3", "0", duration) &&
              run_pair(r, &equal, "augmented-index3", "1e10", "1", "1", "0", duration) &&
              run_pair(r, &inverse, "pseudoinverse", "1e10", "1", "1", "0", duration);
  if (good) {
    double one = share_error(scaled, 0, 1.0 / 3, 0), two = share_error(scaled, 1, 2.0 / 3, 0);
    double half = share_error(&equal, 0, 0.5, 0), norm = share_error(&inverse, 0, 0.5, 0);
    report_claim(r, "rod 1, eta 1e-3", "F/3", one < precise, NULL, "F/3 within %.1e", one);
    report_claim(r, "rod 2, eta 2e-3", "2F/3", two < precise, NULL, "2F/3 within %.1e", two);
    report_claim(r, "unscaled penalties", "F/2", half < precise, NULL, "F/2 within %.1e", half);
    report_claim(r, "generalized inverse", "as unscaled", norm < precise, NULL, "F/2 within %.1e",
                 norm);
    const curve curves[] = {scaled->rod[0], scaled->rod[1], equal.rod[0]};
    curve named[3];
    memcpy(named, curves, sizeof named);
    named[2].name = "either rod, unscaled";
    report_chart(r, "pendulum_rods.svg",
                 &(chart){.title = "Forces of the rods, stiffness 1 to 2",
                          .unit = "N",
                          .count = 3,
                          .curves = named});
  }
  pair_free(&equal), pair_free(&inverse);
  return good;
}

// only the ratio of the factors matters
static bool claim_penalties(report *r, const pair *scaled, double duration) {
  static const char *const penalty[] = {"1e6", "1e7", "1e8", "1e9", "1e11", "1e12"};
  double most = 0, ratio = 0;
  bool good = true;
  for (int i = 0; i < 6 && good; i++) {
    pair p;
    good = run_pair(r, &p, "augmented-index3", penalty[i], "1e-3", "2e-3", "0", duration);
    if (good) most = fmax(most, distance(&p.rod[0], 1, &scaled->rod[0], 0));
    pair_free(&p);
  }
  pair p = {0};
  good = good && run_pair(r, &p, "augmented-index3", "1e10", "1e-1", "2e-1", "0", duration);
  if (good) ratio = distance(&p.rod[0], 1, &scaled->rod[0], 0);
  pair_free(&p);
  if (!good) return false;
  report_claim(r, "alpha 1e6 to 1e12", "no significant change", most < 1e-4, NULL, "%.1e N at most",
               most);
  report_claim(r, "eta 1e-3 to 1e-1", "no significant change", ratio < 1e-4, NULL, "%.1e N at most",
               ratio);
  return true;
}

static bool claim_bearings(report *r, const pair *scaled, double duration) {
  experiment e;
  bool good = run_model(r, &e, "two_bearing_pendulum", "augmented-index3", "1e10", duration, NULL);
  if (good) {
    curve one = tension(&e, "bearing 1", "bearing1", "rod", 1);
    curve two = tension(&e, "bearing 2", "bearing2", "rod", 1);
    double off = fmax(distance(&one, 1, &scaled->rod[0], 0), distance(&two, 1, &scaled->rod[1], 0));
    report_claim(r, "two bearings, 1 to 2", "as the two rods", off < 1e-3, NULL, "%.1e N apart",
                 off);
    curve_free(&one), curve_free(&two);
  }
  experiment_free(&e);
  return good;
}

static bool claim_preload(report *r, double duration) {
  pair p;
  if (!run_pair(r, &p, "augmented-index3", "1e10", "1e-3", "2e-3", "4", duration)) return false;
  double one = share_error(&p, 0, 1.0 / 3, -4), two = share_error(&p, 1, 2.0 / 3, 4), sum = 0;
  for (int i = 0; i < p.force.count; i++)
    sum = fmax(sum, fabs(p.rod[0].y[i] + p.rod[1].y[i] - p.force.y[i]));
  report_claim(r, "pre-load, rod 1", "F/3 - 4 N", one < precise, NULL, "within %.1e", one);
  report_claim(r, "pre-load, rod 2", "2F/3 + 4 N", two < precise, NULL, "within %.1e", two);
  report_claim(r, "pre-load, total", "unchanged", sum < 1e-3, NULL, "%.1e N at most", sum);
  const curve curves[] = {p.rod[0], p.rod[1], p.force};
  report_chart(r, "pendulum_preload.svg",
               &(chart){.title = "Forces of the rods with a pre-load of 4 N",
                        .unit = "N",
                        .count = 3,
                        .curves = curves});
  pair_free(&p);
  return true;
}

static bool pendulum(report *r, double duration) {
  report_heading(r, "Pendulum on two rods");
  report_text(
      r,
      "Models `two_rod_pendulum` and `two_bearing_pendulum` by `augmented-index3` in natural "
      "coordinates: 1 kg on two rods of 2 m, %g s with a step of 1 ms, alpha = 1e10. F is "
      "the closed solution -3 m g sin(theta); deviations are parts of its largest value, "
      "29.4 N. The penalty force of the paper's equations (11), (17) and (23) points away "
      "from the constraint; its sign is reversed here. The stepper raises all penalty factors "
      "alike where they are too soft for its step, which all of these are: what remains of "
      "them are their proportions.",
      duration);
  pair scaled = {0};
  bool good = claim_shares(r, &scaled, duration) && claim_penalties(r, &scaled, duration) &&
              claim_bearings(r, &scaled, duration) && claim_preload(r, duration);
  if (good) report_table(r);
  pair_free(&scaled);
  return good;
}

// ---- parallelogram -------------------------------------------------------------------------

enum { RODS = 6, ROD_G = 3, ROD_K, ROD_M };
static const char *const rods[RODS] = {"rodA", "rodC", "rodE", "rodG", "rodK", "rodM"};
static const double base[RODS][3] = {{0, 0, 0},   {0.5, 0, 0},  {0.5, 0.5, 0},
                                     {0, 0.5, 0}, {0, 0.25, 1}, {0.5, 0.25, 1}};
// their tops, from the middle of the plate
static const double top[RODS][3] = {{-0.25, -0.25, 0}, {0.25, -0.25, 0}, {0.25, 0.25, 0},
                                    {-0.25, 0.25, 0},  {-0.25, 0, 0},    {0.25, 0, 0}};

// unit vector of a rod, base to top, with the plate at p; the plate does not turn
static void along(int rod, const double p[3], double e[3]) {
  for (int k = 0; k < 3; k++) e[k] = (p[k] + top[rod][k] - base[rod][k]) / sqrt(0.5);
}

static void place_at(const experiment *e, int row, double p[3]) {
  static const char *const names[] = {"plate.x", "plate.y", "plate.z"};
  for (int k = 0; k < 3; k++) p[k] = value_at(e, row, names[k]);
}

static curve axial(const experiment *e, const char *label, int rod) {
  static const char *const names[] = {"fx", "fy", "fz"};
  curve c = empty_curve(e, label);
  for (int i = 0; i < c.count; i++) {
    double p[3], u[3];
    place_at(e, i, p);
    along(rod, p, u);
    c.y[i] = 0;
    for (int k = 0; k < 3; k++) c.y[i] -= u[k] * element_at(e, i, rods[rod], names[k]);
  }
  return c;
}

// A x = b of size RODS by elimination with pivots
static void eliminate(double A[RODS][RODS + 1], double x[RODS]) {
  for (int k = 0; k < RODS; k++) {
    int pivot = k;
    for (int i = k + 1; i < RODS; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    for (int j = 0; j <= RODS; j++) {
      double swap = A[k][j];
      A[k][j] = A[pivot][j], A[pivot][j] = swap;
    }
    for (int i = k + 1; i < RODS; i++)
      for (int j = RODS; j >= k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  }
  for (int k = RODS - 1; k >= 0; k--) {
    x[k] = A[k][RODS];
    for (int j = k + 1; j < RODS; j++) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
}

// forces of all rods when the plate is at angle theta: its equilibrium with inertia forces, of rank
// 5, and N_A - N_C + N_E - N_G = 0, in the sense of least squares, which they meet exactly
static void compatible_forces(double theta, double N[RODS]) {
  const double lump = 0.056 / 0.5, mass = 39 + 6 * lump, weight = (39 + 3 * 0.34) * gravity;
  const double s = sin(theta), c = cos(theta), inertia = 0.25 * mass;
  double rate2 = (2000 * s - 3000 * (1 - c)) / inertia,
         accel = 0.5 * (2000 * c - 3000 * s) / inertia;
  const double a[3] = {0.5 * (c * accel - s * rate2), -0.5 * (s * accel + c * rate2), 0};
  const double p[3] = {0.25 + 0.5 * s, 0.75 + 0.5 * (c - 1), 0.5};
  double E[7][RODS] = {{0}}, A[RODS][RODS + 1] = {{0}};
  const double b[7] = {
      2000 - mass * a[0], 3000 - mass * a[1], 3000 - weight - mass * a[2], 300, 0, 500, 0};
  static const double compatible[RODS] = {1, -1, 1, -1, 0, 0};
  for (int i = 0; i < RODS; i++) {
    double u[3];
    const double *t = top[i];
    along(i, p, u);
    for (int k = 0; k < 3; k++) E[k][i] = u[k];
    for (int k = 0; k < 3; k++)
      E[3 + k][i] = t[(k + 1) % 3] * u[(k + 2) % 3] - t[(k + 2) % 3] * u[(k + 1) % 3];
    E[6][i] = compatible[i];
  }
  for (int i = 0; i < RODS; i++)
    for (int k = 0; k < 7; k++) {
      for (int j = 0; j < RODS; j++) A[i][j] += E[k][i] * E[k][j];
      A[i][RODS] += E[k][i] * b[k];
    }
  eliminate(A, N);
}

static curve compatible(const experiment *e, const char *label, int rod) {
  curve c = empty_curve(e, label);
  for (int i = 0; i < c.count; i++) {
    double p[3], N[RODS];
    place_at(e, i, p);
    compatible_forces(asin(2 * (p[0] - 0.25)), N);
    c.y[i] = N[rod];
  }
  return c;
}

// speed of the plate against what the work of the force says
static double motion_error(const experiment *e) {
  double worst = 0, most = 0;
  for (int i = 0; i < hn_result_rows(e->result); i++) {
    double p[3];
    place_at(e, i, p);
    double s = 2 * (p[0] - 0.25), c = sqrt(1 - s * s);
    double speed = sqrt(fmax(0, (2000 * s - 3000 * (1 - c)) / (39 + 6 * 0.112)));
    double ours = hypot(value_at(e, i, "plate.vx"), value_at(e, i, "plate.vy"));
    worst = fmax(worst, fabs(ours - speed));
    most = fmax(most, speed);
  }
  return worst / most;
}

enum { RATIOS = 4 };
static const char *const ratios[RATIOS] = {"1", "10", "100", "1000"};

static bool run_plate(report *r, experiment *e, const char *method, const char *penalty,
                      const char *ratio, double duration) {
  const setting set[] = {{"ratio", ratio}, {0}};
  return run_model(r, e, "parallelogram_rods", method, penalty, duration, set);
}

static void claim_plate(report *r, const experiment *e) {
  curve found[RODS], exact[RODS];
  double unique = 0, open = 0, motion = motion_error(e);
  for (int i = 0; i < RODS; i++) {
    found[i] = axial(e, rods[i] + 3, i);
    exact[i] = compatible(e, rods[i] + 3, i);
    double error = distance(&found[i], 1, &exact[i], 0) / curve_max(&exact[i], 0, exact[i].count);
    if (i >= ROD_K)
      unique = fmax(unique, error);
    else
      open = fmax(open, error);
  }
  report_claim(r, "motion of the plate", "that of flexible rods", motion < 1e-3, NULL,
               "speed within %.1e", motion);
  report_claim(r, "K and M", "those of flexible rods", unique < 1e-3, NULL, "within %.1e", unique);
  report_claim(r, "A, C, E, G, ratio 1000", "those of flexible rods", open < 5e-3, NULL,
               "within %.1e", open);
  report_chart(r, "parallelogram_rods.svg",
               &(chart){.title = "Axial forces, rods a thousand times softer than the rest",
                        .unit = "N",
                        .count = RODS,
                        .curves = found});
  curve place[] = {experiment_curve(e, "x", "plate.x"), experiment_curve(e, "y", "plate.y"),
                   experiment_curve(e, "z", "plate.z")};
  report_chart(r, "parallelogram_position.svg",
               &(chart){.title = "Middle of the plate", .unit = "m", .count = 3, .curves = place});
  for (int i = 0; i < 3; i++) curve_free(&place[i]);
  for (int i = 0; i < RODS; i++) curve_free(&found[i]), curve_free(&exact[i]);
}

static void draw_ratios(report *r, const curve *g) {
  report_chart(r, "parallelogram_ratios.svg",
               &(chart){.title = "Axial force of rod G by the ratio of the penalty factors",
                        .unit = "N",
                        .count = RATIOS + 1,
                        .curves = g});
}

// rod G against the compatible solution, for all ratios; the last curve of g is the solution
static bool claim_ratios(report *r, curve *g, double duration) {
  static const char *const labels[RATIOS] = {"ratio 1", "ratio 10", "ratio 100", "ratio 1000"};
  double error[RATIOS];
  for (int i = 0; i < RATIOS; i++) {
    experiment e;
    bool good = run_plate(r, &e, "augmented-index3", "8.89e6", ratios[i], duration);
    if (good) {
      g[i] = axial(&e, labels[i], ROD_G);
      if (i == RATIOS - 1) {
        g[RATIOS] = compatible(&e, "elastic rods", ROD_G);
        claim_plate(r, &e);
      }
    }
    experiment_free(&e);
    if (!good) return false;
  }
  for (int i = 0; i < RATIOS; i++)
    error[i] = distance(&g[i], 1, &g[RATIOS], 0) / curve_max(&g[RATIOS], 0, g[RATIOS].count);
  report_claim(r, "G, unscaled (ratio 1)", "clearly off", error[0] > 0.05, NULL, "%.1f %% off",
               100 * error[0]);
  report_value(r, "G, ratio 10", "%.2f %% off", 100 * error[1]);
  report_claim(r, "G, ratio 100", "realistic", error[2] < 0.01, NULL, "%.2f %% off",
               100 * error[2]);
  report_claim(r, "G, ratio 1000", "as flexible rods", error[3] < 0.002, NULL, "%.3f %% off",
               100 * error[3]);
  return true;
}

static bool claim_methods(report *r, const curve *g, double duration) {
  static const char *const penalty[] = {"8.89e7", "8.89e8"};
  double most = 0;
  experiment e;
  bool good = true;
  for (int i = 0; i < 2 && good; i++) {
    good = run_plate(r, &e, "augmented-index3", penalty[i], "1000", duration);
    curve c = good ? axial(&e, "", ROD_G) : (curve){0};
    if (good) most = fmax(most, distance(&c, 1, &g[RATIOS - 1], 0));
    curve_free(&c);
    experiment_free(&e);
  }
  if (!good || !run_plate(r, &e, "pseudoinverse", "8.89e6", "1", duration)) return false;
  curve c = axial(&e, "generalized inverse", ROD_G);
  double inverse = distance(&c, 1, &g[0], 0) / curve_max(&g[0], 0, g[0].count);
  report_claim(r, "G, alpha x 10 and x 100", "negligible change", most < 0.1, NULL,
               "%.1e N at most", most);
  report_claim(r, "G, generalized inverse", "as unscaled", inverse < 1e-3, NULL, "within %.1e",
               inverse);
  curve_free(&c);
  experiment_free(&e);
  return true;
}

static bool parallelogram(report *r, double duration) {
  curve g[RATIOS + 1] = {{0}};
  report_heading(r, "Spatial parallelogram");
  report_text(
      r,
      "Model `parallelogram_rods` by `augmented-index3` in natural coordinates, %g s with a "
      "step of 1 ms, alpha = 8.89e6. Rods are constant distances; as in the paper only the "
      "bases of G, K and M are points of their own with joints. Joints are `ratio` times "
      "stiffer than rods. The solution for flexible rods is the equilibrium of the plate "
      "with N_A - N_C + N_E - N_G = 0, all rods being equally stiff.",
      duration);
  bool good = claim_ratios(r, g, duration) && claim_methods(r, g, duration);
  if (good) {
    report_table(r);
    report_text(
        r, "Put right: Table 2 gives joints L and N places that do not fit the rods' length; "
           "the inertias of Table 1 are about the rods' ends and the plate's corner; gravity is "
           "along -z. With the paper's distance |d|^2/L - L, which is twice the elongation, the "
           "axial force is 2 lambda and the stiffness 4 alpha; here distances are elongations. "
           "Between the ratios 1 and 1000 the share of G follows from its rod and its joint in "
           "series: it is 4r/(4r + 1) of that for rigid joints.");
    draw_ratios(r, g);
  }
  for (int i = 0; i <= RATIOS; i++) curve_free(&g[i]);
  return good;
}

static int run(const paper_request *request) {
  report *r = request->report;
  bool good = pendulum(r, request->quick ? 1 : 10) && parallelogram(r, request->quick ? 0.2 : 1);
  return good ? CODE_DONE : CODE_FAILED;
}

const paper paper_gonzalez2013 = {
    .name = "gonzalez2013",
    .title = "F. Gonzalez, J. Kovecses, Use of penalty formulations in dynamic simulation and "
             "analysis of redundantly constrained multibody systems (2013)",
    .summary = "reactions of redundant constraints by penalty factors in proportion to stiffness",
    .run = run,
};
