// test_singular.c: singular configurations on the way are found, named and passed; locking is told.
//
// Where they lie is known from the equations in one coordinate: with the energy
// I(x) x'^2 / 2 + V(x) = E, the time from a to b is the integral of dx / x'.
#include "reference.h"

static const double g = 9.81, pi = 3.14159265358979323846;

// by Simpson's rule; rate(x, user) = x'
static double time_between(double a, double b, double (*rate)(double x)) {
  enum { PARTS = 20000 };
  double h = (b - a) / PARTS, sum = 0;
  for (int i = 0; i <= PARTS; i++)
    sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) / rate(a + i * h);
  return sum * h / 3;
}

static hn_status run(machine *m, hn_result **result) {
  hn_status status = machine_start(m);
  return status ? status : hn_run(m->sim, result, NULL, NULL);
}

// ---- two equal bars ------------------------------------------------------------------------

static double slider_crank_rate(double x) {
  double E = 0.5 * (2.0 / 3 + 2 * 0.5) * 8 + g * sin(pi / 4), s = sin(x);
  return sqrt(2 * (E - g * s) / (2.0 / 3 + 2 * s * s));
}

// the bars lie on each other at pi/2 + k pi
static void check_slider_crank(const char *coordinates, const char *method, double step,
                               double tolerance) {
  machine m;
  hn_result *result = NULL;
  if (machine_load(&m, "equal_slider_crank", coordinates, NULL, NULL)) return;
  snprintf(m.options.method, sizeof m.options.method, "%s", method);
  m.options.step = step;
  m.options.duration = 3.5;
  if (CHECK(run(&m, &result) == HN_OK)) {
    int count = hn_sim_singular_count(m.sim);
    if (!CHECK(count == 4)) printf("%s: %d places\n", method, count);
    for (int i = 0; i < count; i++) {
      const hn_singular_place *p = hn_sim_singular(m.sim, i);
      CHECK_NEAR(p->time, time_between(pi / 4, pi / 2 + i * pi, slider_crank_rate), tolerance);
      CHECK(p->rows_lost == 1 && p->passed && p->jump < 0.02 && p->sigma < 1e-4);
      CHECK(strstr(p->joints, "slider") && strstr(p->joints, "pivot"));
    }
    CHECK(hn_sim_singular(m.sim, count) == NULL);
    CHECK(hn_result_notes(result) == count);
    CHECK(strstr(hn_result_note(result, 0), "singular configuration at t = 0.3917") != NULL);
  }
  hn_result_destroy(result);
  machine_free(&m);
}

static void test_slider_crank(void) {
  check_slider_crank("reference", "default", 0, 1e-6);
  check_slider_crank("relative", "default", 0, 1e-6);
  check_slider_crank("reference", "mass-projection", 2e-3, 1e-5);
  check_slider_crank("reference", "direct-correction", 2e-3, 1e-5);
  check_slider_crank("reference", "index1-augmented", 2e-3, 1e-5);
  check_slider_crank("reference", "null-space", 2e-3, 1e-4);
}

// the same by its equations: there the gradient of the one row vanishes, and nothing but its length
// tells. The angle reached is that which takes ten seconds
static void test_vanishing_row(void) {
  static const char *const integrators[] = {"dopri5", "dop853", "abm"};
  for (int k = 0; k < 9; k++) {
    machine m;
    hn_result *result = NULL;
    if (machine_load(&m, "equations_slider_crank", "auto", NULL, NULL)) return;
    snprintf(m.options.integrator, sizeof m.options.integrator, "%s", integrators[k % 3]);
    m.options.rtol = k < 3 ? 1e-6 : k < 6 ? 1e-8 : 1e-10;
    if (CHECK(run(&m, &result) == HN_OK)) {
      const double *row = hn_result_row(result, hn_result_rows(result) - 1);
      double angle = row[hn_result_find(result, "rods.theta")];
      CHECK_NEAR(time_between(pi / 4, angle, slider_crank_rate), 10, 10 * m.options.rtol);
    }
    hn_result_destroy(result);
    machine_free(&m);
  }
}

// upright, the rank is one less and the bars could also turn together
static void test_upright(void) {
  machine m;
  hn_redundancy *r = NULL;
  if (machine_load(&m, "equal_slider_crank", "reference", NULL, NULL) || machine_start(&m)) return;
  double q[6] = {0, 0.5, pi / 2, 0, 0.5, -pi / 2}, v[6] = {0};
  CHECK(hn_set_state(m.sim, 0, q, v) == HN_OK);
  if (CHECK(hn_sim_redundancy(m.sim, &r) == HN_OK)) {
    CHECK(r->dof == 2 && r->rows == 5 && r->rank == 4);
    CHECK(r->dependency_count == 1 && strcmp(r->dependency[0].joint, "slider") == 0);
  }
  hn_redundancy_destroy(r);
  machine_free(&m);
}

// ---- windows and straight lines ------------------------------------------------------------

// every window at once, twice in each turn of known period
static void check_windows(const char *model, int windows, double period, const char *integrator) {
  machine m;
  hn_result *result = NULL;
  if (machine_load(&m, model, "auto", NULL, NULL)) return;
  snprintf(m.options.integrator, sizeof m.options.integrator, "%s", integrator);
  m.options.output_step = 1;
  if (CHECK(run(&m, &result) == HN_OK)) {
    int count = hn_sim_singular_count(m.sim);
    CHECK(count == 10);
    for (int i = 0; i < count; i++) {
      const hn_singular_place *p = hn_sim_singular(m.sim, i);
      CHECK(p->rows_lost == windows && p->passed);
      CHECK(p->energy < 1e-8);
      if (i >= 2) CHECK_NEAR(p->time - hn_sim_singular(m.sim, i - 2)->time, period, 1e-6);
    }
    hn_summary s;
    hn_sim_summary(m.sim, &s);
    CHECK(s.singular == count && s.audit_pass && s.energy_drift < 1e-7);
  }
  hn_result_destroy(result);
  machine_free(&m);
}

static void test_windows(void) {
  check_windows("n_four_bar_2", 2, 1.94251492260708, "dopri5");
  check_windows("n_four_bar_2", 2, 1.94251492260708, "dop853");
  check_windows("n_four_bar_2", 2, 1.94251492260708, "abm");
  if (!run_quickly()) check_windows("n_four_bar_40", 40, 1.96560192870465, "dopri5");
}

// long steps: no place hides between the stages or close to an end
static void test_long_steps(void) {
  static const char *const coordinates[] = {"reference", "relative"},
                           *integrators[] = {"dopri5", "dop853"};
  for (int k = 0; k < 20; k++) {
    machine m;
    hn_result *result = NULL;
    if (machine_load(&m, "n_four_bar_2", coordinates[k % 2], NULL, NULL)) return;
    snprintf(m.options.integrator, sizeof m.options.integrator, "%s", integrators[k / 2 % 2]);
    m.options.output_step = 10;
    m.options.rtol = pow(10, -3.5 - 0.5 * (k / 4));
    if (CHECK(run(&m, &result) == HN_OK)) {
      int count = hn_sim_singular_count(m.sim);
      if (!CHECK(count == 10))
        printf("%s, %s, rtol %g: %d\n", integrators[k / 2 % 2], coordinates[k % 2], m.options.rtol,
               count);
      for (int i = 0; i < count; i++) {
        const hn_singular_place *p = hn_sim_singular(m.sim, i);
        CHECK(p->rows_lost == 2 && p->passed);
        // what the windows share may have little part in it
        CHECK(strncmp(p->joints, "A0, ", 4) == 0 && strstr(p->joints, "A2, L1, R1, L2, R2"));
      }
    }
    hn_result_destroy(result);
    machine_free(&m);
  }
}

// rows beside a place, recorded from inside of long steps: the joints hardly keep the couplers of a
// parallelogram from turning there, and ask for spins that are as wrong as angles are, divided by
// the smallest singular value; in the place itself they tell nothing
static void test_rows_beside(void) {
  static const char *const coordinates[] = {"reference", "relative", "natural"},
                           *corrections[] = {"mass", "mass", "direct"};
  for (int k = 0; k < 36; k++) {
    machine m;
    hn_result *result = NULL;
    if (machine_load(&m, "n_four_bar_2", coordinates[k % 3], NULL, NULL)) return;
    double rtol = m.options.rtol = pow(10, -5 - 0.7 * (k / 3 % 6)), worst = 0;
    snprintf(m.options.correction, sizeof m.options.correction, "%s", corrections[k / 12]);
    // the second half has a row in the first place
    m.options.output_step = k < 18 ? 10.0 / (1999 + 7 * k) : 0.714355524771145 / (200 + k);
    if (k >= 18) m.options.duration = 0.8;
    if (CHECK(run(&m, &result) == HN_OK)) {
      int one = hn_result_find(result, "coupler1.omega"),
          two = hn_result_find(result, "coupler2.omega");
      for (int i = 0; i < hn_result_rows(result); i++) {
        const double *row = hn_result_row(result, i);
        worst = fmax(worst, fmax(fabs(row[one]), fabs(row[two])));
      }
      if (!CHECK(worst < 10 * rtol + 1e-6))
        printf("%s, rtol %.1g: %.2g\n", coordinates[k % 3], rtol, worst);
    }
    hn_result_destroy(result);
    machine_free(&m);
  }
}

// two cranks (1 kg, 1 m) and two rods (2 kg, 2 m): I = 2 (1/3 + 8/3), released at -30 degrees
static double scott_russell_rate(double x) {
  return -sqrt(2 * 2 * (0.5 + 2) * g * (sin(-pi / 6) - sin(x)) / 6);
}

// near the start the rate is small: the last part of the way down takes the difference of angles
// as a square, x = -pi/6 - y^2
static double time_to_the_bottom(void) {
  enum { PARTS = 20000 };
  double end = sqrt(pi / 2 - pi / 6), h = end / PARTS, sum = 0;
  for (int i = 0; i <= PARTS; i++) {
    double y = i * h, x = -pi / 6 - y * y;
    double f = i ? 2 * y / -scott_russell_rate(x) : 2 / sqrt(2 * 2 * 2.5 * g * cos(pi / 6) / 6);
    sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * f;
  }
  return sum * h / 3;
}

// redundant and singular at once: it swings through the bottom every half period
static void test_scott_russell(void) {
  static const char *const coordinates[] = {"reference", "relative"};
  double quarter = time_to_the_bottom();
  for (int k = 0; k < 2; k++) {
    machine m;
    hn_result *result = NULL;
    if (machine_load(&m, "double_scott_russell", coordinates[k], NULL, NULL)) return;
    m.options.duration = 8 * quarter;
    m.options.output_step = 4 * quarter;
    m.options.rtol = 1e-9;
    if (CHECK(run(&m, &result) == HN_OK)) {
      CHECK(hn_sim_singular_count(m.sim) == 4);
      for (int i = 0; i < hn_sim_singular_count(m.sim); i++) {
        const hn_singular_place *p = hn_sim_singular(m.sim, i);
        CHECK_NEAR(p->time, (2 * i + 1) * quarter, 1e-6);
        CHECK(p->passed && p->rows_lost > 0);
      }
      // after two periods it is back
      int x = hn_result_find(result, "rod1.x"), y = hn_result_find(result, "rod1.y");
      const double *row = hn_result_row(result, hn_result_rows(result) - 1);
      CHECK_NEAR(row[x], cos(-pi / 6), 1e-6);
      CHECK_NEAR(row[y], sin(-pi / 6), 1e-6);
    }
    hn_result_destroy(result);
    machine_free(&m);
  }
}

// mechanisms without such places have none, redundant or not
static void test_regular(void) {
  static const char *const models[] = {"four_bar",         "andrews",       "bricard",
                                       "spatial_four_bar", "parallelogram", "spatial_slider_crank",
                                       "iltis_suspension"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    machine m;
    hn_result *result = NULL;
    if (machine_load(&m, models[i], "auto", NULL, NULL)) return;
    m.options.duration = fmin(m.options.duration, 3);
    if (CHECK(run(&m, &result) == HN_OK) && !CHECK(hn_sim_singular_count(m.sim) == 0))
      printf("%s: %g s\n", models[i], hn_sim_singular(m.sim, 0)->time);
    hn_result_destroy(result);
    machine_free(&m);
  }
}

// ---- the end of a motion -------------------------------------------------------------------

// a slider is pushed away from the pivot until crank (1) and rod (sqrt 0.8) are stretched
static void check_lock(const char *method, double step) {
  static const char text[] =
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.3, 0.4]}\n"
      "  rod: {type: planar, mass: 1, inertia: 0.1, position: [0.8, 0.4]}\n"
      "  slider: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}\n"
      "joints:\n"
      "  O: {type: revolute, a: ground, b: crank, at: [0, 0]}\n"
      "  A: {type: revolute, a: crank, b: rod, at: [0.6, 0.8]}\n"
      "  B: {type: revolute, a: rod, b: slider, at: [1, 0]}\n"
      "  guide: {type: prismatic, a: ground, b: slider, at: [1, 0], axis: [1, 0, 0], value: 1}\n"
      "  push: {type: driver, joint_a: guide, motion: 1 + 0.5*t}\n"
      "simulation: {duration: 5, output_step: 0.1}\n";
  machine m = {.model = hn_model_create()};
  hn_result *result = NULL;
  hn_status status = hn_model_parse(m.model, text, sizeof text - 1, "text");
  if (!status) status = hn_compile(&m.system, m.model);
  if (!CHECK(!status)) return;
  m.options = *hn_model_options(m.model);
  snprintf(m.options.method, sizeof m.options.method, "%s", method);
  m.options.step = step;
  status = run(&m, &result);
  double end = 2 * sqrt(0.8);
  if (!CHECK(status == HN_ERR_LOCKED)) printf("%s: %s\n", method, m.sim ? hn_sim_error(m.sim) : "");
  if (m.sim) {
    CHECK(hn_time(m.sim) <= end && hn_time(m.sim) > end - fmax(1.5 * step, 1e-6));
    CHECK(strstr(hn_sim_error(m.sim), "the mechanism locks") != NULL);
    CHECK(strstr(hn_sim_error(m.sim), "push") != NULL);
    CHECK(hn_result_rows(result) == 18);  // what was computed is kept
  }
  hn_result_destroy(result);
  machine_free(&m);
}

static void test_lock(void) {
  check_lock("default", 0);
  check_lock("mass-projection", 2e-3);
  check_lock("index1-augmented", 2e-3);
  check_lock("coordinate-partitioning", 2e-3);
}

int main(void) {
  RUN(test_slider_crank);
  RUN(test_vanishing_row);
  RUN(test_upright);
  RUN(test_windows);
  RUN(test_long_steps);
  RUN(test_rows_beside);
  RUN(test_scott_russell);
  RUN(test_regular);
  RUN(test_lock);
  return test_end();
}
