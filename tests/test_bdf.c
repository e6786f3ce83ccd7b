// test_bdf.c: variable-order BDF by SUNDIALS, against independent solutions.
//
// Errors must follow the tolerance, on Andrews' mechanism down to 1e-10; events must not spoil
// them; redundant, nonholonomic and stiff mechanisms run as they are. Driven chains run at every
// tolerance, and contacts that come and go crash nothing.
#include "reference.h"

static const char *const methods[] = {"index1-bdf", "index2-bdf", "index3-bdf", "tangent-space-bdf",
                                      "implicit-partitioning-bdf"};
enum { METHODS = 5 };

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
// in a step, and parameters lose some of it again. Velocities of index 3 are as good as the
// round-off of positions lets them be, and change by a factor of five with the first step
static double allowed(int method, double tolerance) {
  if (tolerance < 1e-12) return method == 2 ? 1e5 : method > 2 ? 1e4 : 3e3;
  return method != 2 ? 100 : tolerance < 1e-10 ? 3e3 : 300;
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

// ---- random driven chains ------------------------------------------------------------------

// a chain of `links` bodies on revolute joints, in the plane or in space, the joint `driven` moved
static void write_chain(char *text, size_t size, int links, int driven, bool spatial) {
  static const char *const motion[] = {"%.3f*sin(%.3f*t)", "%.3f*t + 0.2*cos(%.3f*t)",
                                       "smoothstep(t, 0.1, 0, 0.6, %.3f) + 0.0*%.3f",
                                       "%.3f + 0.3*t^2*sin(%.3f*t)"};
  size_t used = (size_t)snprintf(text, size, "gravity: [0, -9.81]\nbodies:\n");
  double x = 0, at[8];
  for (int i = 0; i < links; i++) {
    double length = test_random(0.4, 1.2), mass = test_random(0.5, 3);
    double J = mass * length * length / 12;
    at[i] = x;
    if (spatial)
      used += (size_t)snprintf(text + used, size - used,
                               "  b%d: {mass: %.4f, inertia: [%.5f, %.5f, %.5f], position: "
                               "[%.4f, 0, 0]}\n",
                               i, mass, 0.2 * J, J, J, x + length / 2);
    else
      used += (size_t)snprintf(text + used, size - used,
                               "  b%d: {type: planar, mass: %.4f, inertia: %.5f, position: "
                               "[%.4f, 0]}\n",
                               i, mass, J, x + length / 2);
    x += length;
  }
  used += (size_t)snprintf(text + used, size - used, "joints:\n");
  for (int i = 0; i < links; i++) {
    char a[16] = "ground", axis[64] = "";
    if (i) snprintf(a, sizeof a, "b%d", i - 1);
    if (spatial)
      snprintf(axis, sizeof axis, ", axis: [%.3f, %.3f, 1]", test_random(-0.4, 0.4),
               test_random(-0.4, 0.4));
    used += (size_t)snprintf(text + used, size - used,
                             "  j%d: {type: revolute, a: %s, b: b%d, at: [%.4f, 0]%s}\n", i, a, i,
                             at[i], axis);
  }
  char formula[96];
  snprintf(formula, sizeof formula, motion[(int)test_random(0, 4)], test_random(0.3, 1),
           test_random(1, 6));
  snprintf(text + used, size - used, "  d: {type: driver, joint_a: j%d, motion: \"%s\"}\n", driven,
           formula);
}

// coordinates of all bodies at 1 s; false: failed
static bool run_chain(const char *text, const char *method, double rtol, double *q, char *message) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  hn_options *o = hn_model_options(model);
  bool ok = CHECK(!hn_model_parse(model, text, strlen(text), "chain"));
  snprintf(o->coordinates, sizeof o->coordinates, "reference");
  snprintf(o->method, sizeof o->method, "%s", method);
  o->rtol = rtol, o->duration = 1, o->output_step = 0.25;
  ok = ok && CHECK(!hn_compile(&sys, model)) && CHECK(!hn_sim_create(&sim, sys, o, message, 256));
  if (ok && hn_run(sim, &result, NULL, NULL)) {
    snprintf(message, 256, "%s", hn_sim_error(sim));
    ok = false;
  }
  for (int i = 0; ok && i < hn_system_nq(sys); i++) q[i] = hn_positions(sim)[i];
  hn_result_destroy(result);
  hn_sim_destroy(sim), hn_system_destroy(sys), hn_model_destroy(model);
  return ok;
}

static void test_driven_chains(void) {
  enum { MOST = 7 * 5 };
  static const double tolerance[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-12};
  int cases = run_quickly() ? 2 : 6;
  for (int n = 0; n < cases; n++) {
    char text[4096], message[256] = "";
    double right[MOST] = {0}, q[MOST] = {0};
    int links = 2 + n % 4, driven = (int)test_random(0, links);
    write_chain(text, sizeof text, links, driven, n % 2);
    if (!CHECK(run_chain(text, "default", 1e-11, right, message))) continue;
    for (int k = 0; k < METHODS; k++)
      for (int i = 0; i < 5; i++) {
        double worst = 0;
        bool ok = run_chain(text, methods[k], tolerance[i], q, message);
        for (int j = 0; j < MOST; j++) worst = fmax(worst, fabs(q[j] - right[j]));
        double limit = fmax(300 * tolerance[i], 3e-8);
        if (!CHECK(ok && worst < limit))
          printf("chain %d, %s, rtol %g: off by %.2g: %s\n%s", n, methods[k], tolerance[i], worst,
                 ok ? "" : message, text);
      }
  }
}

// feet that touch and leave the ground: how many numbers a tangent has depends on the state
static void test_contacts(void) {
  for (int k = 0; k < (run_quickly() ? 3 : METHODS); k++) {
    machine m;
    hn_result *result = NULL;
    if (!CHECK(machine_load(&m, "jansen_walker", "reference", NULL, NULL) == HN_OK)) return;
    snprintf(m.options.method, sizeof m.options.method, "%s", methods[k]);
    m.options.duration = 0.15;
    hn_summary summary = {0};
    if (CHECK(machine_start(&m) == HN_OK) && CHECK(hn_run(m.sim, &result, NULL, NULL) == HN_OK)) {
      hn_sim_summary(m.sim, &summary);
      CHECK(summary.audit_pass);
      CHECK(summary.events > 0);
    }
    hn_result_destroy(result);
    machine_free(&m);
  }
}

// a step that fails is explained in our words
static void test_words(void) {
  static const char *const text[] = {
      // a force that grows beyond all bounds
      "bodies: {b: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}\n"
      "joints: {j: {type: revolute, b: b, at: [0, 0]}}\n"
      "forces: {f: {type: motor, joint: j, law: \"1/(0.5 - t)^2\"}}\n"};
  char message[256] = "";
  double q[35];
  for (int i = 0; i < 1; i++)
    for (int k = 0; k < METHODS; k++) {
      CHECK(!run_chain(text[i], methods[k], 1e-6, q, message));
      CHECK(strstr(message, "t=0") != NULL);
      CHECK(!strstr(message, "hmin") && !strstr(message, "corrector") && !strstr(message, "IDA") &&
            !strstr(message, "CVODE") && !strstr(message, "mxstep") && !strstr(message, "|h|"));
      printf("%s: %s\n", methods[k], message);
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
  RUN(test_driven_chains);
  RUN(test_contacts);
  RUN(test_words);
  return test_end();
}
