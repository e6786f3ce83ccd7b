// test_coordinates.c: every model moves the same in reference, relative and natural coordinates,
// with the same reactions at every joint.
#include "test.h"

#include <holon/holon.h>
#include <stdlib.h>

typedef struct run {
  hn_model *model;
  hn_system *sys;
  hn_result *result;
  hn_summary summary;
  char where[64];
} run;

static int go(run *r, const char *path, const char *coordinates, const char *points,
              double duration, double rtol) {
  char message[512] = "";
  *r = (run){.model = hn_model_create()};
  hn_sim *sim = NULL;
  // a text with line breaks is the model itself
  hn_status status = strchr(path, '\n') ? hn_model_parse(r->model, path, strlen(path), "text")
                                        : hn_model_load(r->model, path);
  hn_options *o = hn_model_options(r->model);
  if (!status) status = hn_options_set(o, "method", "explicit", message, sizeof message);
  if (!status) status = hn_options_set(o, "coordinates", coordinates, message, sizeof message);
  if (!status) status = hn_options_set(o, "natural_points", points, message, sizeof message);
  o->duration = duration;
  o->output_step = duration / 10;
  o->rtol = rtol;
  o->step = 0;
  if (!status) status = hn_compile(&r->sys, r->model);
  if (!status) {
    snprintf(r->where, sizeof r->where, "%s", hn_system_check(r->sys)->coordinates);
    status = hn_sim_create(&sim, r->sys, o, message, sizeof message);
  }
  if (!status) status = hn_run(sim, &r->result, NULL, NULL);
  if (status)
    printf("%s (%s): %s %s %s\n", path, coordinates, hn_model_error(r->model), message,
           sim ? hn_sim_error(sim) : "");
  if (sim) hn_sim_summary(sim, &r->summary);
  hn_sim_destroy(sim);
  return status == HN_OK;
}

static void end(run *r) {
  hn_result_destroy(r->result);
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

// largest value of a column's family ("fx", "fy" and "fz" together), for relative comparison
static double scale_of(const hn_result *a, int column) {
  const char *unit = hn_result_unit(a, column);
  double m = 0;
  for (int c = 1; c < hn_result_columns(a); c++) {
    if (strcmp(hn_result_unit(a, c), unit) != 0) continue;
    for (int i = 0; i < hn_result_rows(a); i++) m = fmax(m, fabs(hn_result_row(a, i)[c]));
  }
  return m;
}

static void compare_with(const char *family, const char *points, const char *path, double duration,
                         double rtol, double tolerance, bool reactions) {
  run a, b;
  int ok = go(&a, path, "reference", "auto", duration, rtol);
  ok &= go(&b, path, family, points, duration, rtol);
  CHECK(ok);
  if (ok) {
    CHECK(strcmp(a.where, "reference") == 0);
    CHECK(strncmp(b.where, family, strlen(family)) == 0);
    CHECK(hn_result_rows(a.result) == hn_result_rows(b.result));
    double worst = 0;
    const char *name = "";
    for (int c = 1; c < hn_result_columns(a.result); c++) {
      const char *n = hn_result_name(a.result, c);
      int k = hn_result_find(b.result, n);
      bool noise = strncmp(n, "residual", 8) == 0 || strncmp(n, "constraints", 11) == 0;
      if (noise || strncmp(n, "energy", 6) == 0 || k < 0) continue;
      bool reaction =
          strstr(n, ".f") || strstr(n, ".t") || strstr(n, "local_") || strstr(n, "lambda");
      if (reaction && !reactions) continue;
      double s = fmax(scale_of(a.result, c), 1e-3);
      for (int i = 0; i < hn_result_rows(a.result) && i < hn_result_rows(b.result); i++) {
        double d = fabs(hn_result_row(a.result, i)[c] - hn_result_row(b.result, i)[k]) / s;
        if (!(d <= worst)) worst = d, name = n;
      }
    }
    if (!CHECK(worst <= tolerance)) printf("  %s: %s differs by %.3g\n", path, name, worst);
    printf("%-40.40s %-35s worst relative difference %.2e (%s)\n",
           strchr(path, '\n') ? "text" : path, b.where, worst, name);
  }
  end(&a), end(&b);
}

static void compare(const char *path, double duration, double rtol, double tolerance,
                    bool reactions) {
  compare_with("relative", "auto", path, duration, rtol, tolerance, reactions);
  compare_with("natural", "joined", path, duration, rtol, tolerance, reactions);
  compare_with("natural", "shared", path, duration, rtol, tolerance, false);
}

// an arm with a cross, a puck on a tilted table, a nut on a thread; written both ways round, so
// that bodies hang on either end of their joints
static void test_mobilizers(void) {
  static const char *const text[] = {
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  one: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0], orientation: {axis: [1, "
      "2, 0], angle: 0.4}}\n"
      "  two: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [1.4, 0.1, 0.1]}\n"
      "joints:\n"
      "  a: {type: universal, b: one, at: [0, 0, 0], axis: [0, 1, 0], axis_b: [0, 0, 1]}\n"
      "  b: {type: universal, a: two, b: one, at: [1, 0, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]}\n",
      "gravity: [0, 3, -9.81]\n"
      "bodies:\n"
      "  table: {mass: 4, inertia: [0.4, 0.3, 0.6], position: [0.1, 0, 0]}\n"
      "  puck: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.2, 0.1, 0.3]}\n"
      "  other: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [-0.2, 0.1, -0.2]}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: table, at: [0, 0, 0], axis: [1, 1, 0], rate: 1}\n"
      "  slide: {type: planar, a: table, b: puck, at: [0.2, 0.2, 0.1], axis: [0.1, 0, 1]}\n"
      "  under: {type: planar, a: other, b: table, at: [0.1, 0, -0.1], axis: [0, 0.2, 1]}\n"
      "forces:\n"
      "  s: {type: spring, a: table, b: puck, stiffness: 30, at_b: [0.3, 0.1, 0.3]}\n"
      "  u: {type: spring, a: table, b: other, stiffness: 20, at_b: [-0.3, 0.1, -0.3]}\n",
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  arm: {mass: 4, inertia: [0.4, 0.3, 0.6], position: [0.5, 0, 0]}\n"
      "  nut: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.6, 0.1, 0.3]}\n"
      "  bolt: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.1, 0.1, 0.2]}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: arm, at: [0, 0, 0], axis: [0, 1, 0.3]}\n"
      "  thread: {type: screw, a: arm, b: nut, at: [0.6, 0.2, 0], axis: [0.2, 0, 1], pitch: 0.1}\n"
      "  other: {type: screw, a: bolt, b: arm, at: [0.1, 0, 0], axis: [0, 0.1, 1], pitch: "
      "-0.05}\n"};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++)
    compare_with("relative", "auto", text[i], 1, 1e-11, 1e-8, true);
  compare_with("relative", "auto", "models/stewart_platform.yaml", 0.5, 1e-10, 1e-7, true);
  compare_with("relative", "auto", "models/shaft_line.yaml", 0.4, 1e-10, 1e-7, true);
}

static void test_models(void) {
  compare("models/four_bar.yaml", 2, 1e-10, 1e-8, true);
  compare("models/five_bar_pendulum_planar.yaml", 1, 1e-10, 1e-8, true);
  compare("models/five_bar_pendulum_spatial.yaml", 1, 1e-10, 1e-8, true);
  compare("models/spatial_slider_crank.yaml", 1, 1e-10, 1e-8, true);
  compare("models/andrews.yaml", 0.01, 1e-10, 1e-6, true);
  compare("models/heavy_top.yaml", 0.2, 1e-11, 1e-7, true);
  compare("models/torque_free.yaml", 2, 1e-10, 1e-8, true);
  compare("models/ship_mount.yaml", 1, 1e-10, 1e-8, true);
  compare("models/flyball_governor.yaml", 0.02, 1e-10, 1e-7, true);
  compare("models/n_four_bar_2.yaml", 1, 1e-10, 1e-6, false);
  compare("models/bricard.yaml", 1, 1e-10, 1e-7, false);
  compare("models/iltis_suspension.yaml", 0.5, 1e-10, 1e-7, true);
}

// rows with a formula of their own and rows that repeat others, which relative coordinates share
// out differently
static void test_natural(void) {
  static const char *const path[] = {
      "models/rolling_disk.yaml",     "models/rolling_disk_incline.yaml",
      "models/knife_edge.yaml",       "models/parallelogram.yaml",
      "models/two_rod_pendulum.yaml", "models/equal_slider_crank.yaml"};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 2; k++)
      compare_with("natural", k ? "shared" : "joined", path[i], 0.5, 1e-10, 1e-7, false);
}

int main(void) {
  RUN(test_mobilizers);
  RUN(test_models);
  RUN(test_natural);
  return test_end();
}
