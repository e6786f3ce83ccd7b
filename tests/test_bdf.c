// test_bdf.c: variable-order BDF by SUNDIALS, against independent solutions.
//
// Errors must follow the tolerance, on Andrews' mechanism down to 1e-10; events must not spoil
// them; redundant, nonholonomic and stiff mechanisms run as they are.
#include "reference.h"

static const char *const methods[] = {"index1-bdf", "index2-bdf", "index3-bdf"};
enum { METHODS = 3 };

typedef struct course {
  const char *model, *reference;
  const pair *pairs;
  double end;
} course;

static const course courses[] = {
    {"four_bar", "A1_fourbar", four_bar, 1},
    {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 1},
    {"andrews", "E1_andrews", andrews, 0.03},
    {"heavy_top", "E4_heavy_top", top, 0.5},
    {"bricard", "E2_A04_bricard", bricard, 2},
    {"flyball_governor", "E2_A05_flyball", flyball, 1},
    {"rolling_disk", "E5_rolling_disk_3d", rolling_disk, 1},
    {"iltis_suspension", "A4_iltis_front_right", iltis, 3},
};
enum { COURSES = sizeof courses / sizeof *courses };

// largest error of positions and velocities; INFINITY when the run fails, NaN when the build has
// no SUNDIALS
static double run_error(const course *c, const char *method, double rtol, hn_summary *summary) {
  machine m;
  table reference = {0}, ours = {0};
  errors e = {0};
  hn_result *result = NULL;
  hn_status status = machine_load(&m, c->model, "reference", NULL, NULL);
  bool ok = CHECK(status == HN_OK) && CHECK(reference_read(&reference, c->reference));
  if (ok) {
    m.options = hn_options_default();
    snprintf(m.options.method, sizeof m.options.method, "%s", method);
    m.options.rtol = rtol;
    machine_follow(&m, &reference, c->end);
    status = machine_start(&m);
    ok = status == HN_OK && CHECK(hn_run(m.sim, &result, NULL, NULL) == HN_OK);
    if (!ok && m.sim) printf("%s, %s: %s\n", c->model, method, hn_sim_error(m.sim));
    if (m.sim) hn_sim_summary(m.sim, summary);
  }
  ok = ok && CHECK(table_pick(&ours, result, &reference)) &&
       CHECK(compare(&e, c->pairs, &reference, &ours, 0, "xv", false));
  table_free(&ours), table_free(&reference);
  hn_result_destroy(result);
  machine_free(&m);
  if (status == HN_ERR_UNSUPPORTED) return NAN;
  return ok ? fmax(e.worst[POSITION], e.worst[VELOCITY]) : INFINITY;
}

static void test_references(void) {
  for (int k = 0; k < METHODS; k++)
    for (int i = 0; i < COURSES; i++) {
      hn_summary summary = {0};
      double error = run_error(&courses[i], methods[k], 1e-7, &summary);
      printf("%s %-22s %.1e with %ld steps, %ld refused, %ld evaluations\n", methods[k],
             courses[i].model, error, summary.steps, summary.rejected, summary.evaluations);
      CHECK(error < 100 * 1e-7);
      CHECK(summary.audit[0].worst < 1e-6);
    }
}

// how many times the tolerance an error may be: the last tolerance is beyond what round-off allows
// in a step. Velocities of index 3 are as good as the round-off of positions lets them be
static double allowed(int method, double tolerance) {
  if (tolerance < 1e-12) return method == 2 ? 1e5 : 3e3;
  return method == 2 && tolerance < 1e-10 ? 1e3 : 100;
}

// errors fall with the tolerance, and with them grows the work
static void test_work_precision(void) {
  static const double tolerance[] = {1e-5, 1e-7, 1e-9, 1e-11, 1e-13};
  for (int k = 0; k < METHODS; k++) {
    double error = 1;
    printf("%s on Andrews' mechanism:", methods[k]);
    for (int i = 0; i < (run_quickly() ? 3 : 5); i++) {
      hn_summary summary = {0};
      error = run_error(&courses[2], methods[k], tolerance[i], &summary);
      printf("  %.0e: %.1e, %ld", tolerance[i], error, summary.evaluations);
      CHECK(error < allowed(k, tolerance[i]) * tolerance[i]);
    }
    printf("\n");
  }
}

int main(void) {
  hn_summary summary = {0};
  if (isnan(run_error(&courses[0], methods[0], 1e-3, &summary))) {
    printf("this build has no SUNDIALS\n");
    return test_end();
  }
  RUN(test_references);
  RUN(test_work_precision);
  return test_end();
}
