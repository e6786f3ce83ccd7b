// test_pace.c: runs that would never end do, after a number of steps, with the rows they have.
//
// Forces that are noise on every scale, in place and in time, and bodies that turn millions of
// times: random ones. What only takes long is left alone.
#include "audit_rig.h"

enum { MANY = 100000 };  // as in sim/pace.c

static void noise(char *text, size_t size, int kind) {
  double strength = test_random(10, 1000), fine = pow(10, test_random(7, 12));
  double speed = test_random(0.5, 2);
  static const char *const shape[] = {"mod(%.6g*b.x, 1) - 0.5", "sin(%.6g*b.x*(1 + b.x))",
                                      "mod(1e5*sin(%.6g*t), 1)", "sin(%.6g*t + b.y)"};
  char law[100];
  // the formulas stand in this file
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(law, sizeof law, shape[kind], fine);
#pragma GCC diagnostic pop
  snprintf(text, size,
           "simulation: {duration: %.3g, verify: off}\n"
           "bodies: {b: {type: planar-point, mass: 1, velocity: [%.3g, 0.1]}}\n"
           "forces: {f: {type: force, b: b, force: ['%.4g*(%s)', 0]}}\n",
           test_random(5, 50), speed, strength, law);
}

// ends in time, deterministically, and says so
static void ends(const char *text, const char *const *setting, const char *words, int times) {
  double reached[2] = {0};
  for (int i = 0; i < times; i++) {
    judged j;
    bool done = judged_run(&j, text, setting);
    // where noise jumps, it may end with the first jumps that cannot be told apart
    bool jumps = strstr(text, "mod(") && j.status == HN_ERR_UNSUPPORTED &&
                 CHECK(strstr(j.message, "or comes faster than can be followed"));
    if (jumps) {
      judged_end(&j);
      return;
    }
    bool good = CHECK(!done) && CHECK(j.status == HN_ERR_STEP) &&
                CHECK(strstr(j.message, "hardly gets on") && strstr(j.message, words)) &&
                CHECK(strstr(j.message, "max_steps")) &&
                CHECK(j.result && hn_result_rows(j.result) >= 1);
    if (!good) printf("%s%s\n", text, j.message);
    // two windows at the most: noise begins when the body is fast enough for it
    if (good) {
      CHECK(j.sim->count.steps + j.sim->count.rejected < 3 * MANY);
      CHECK(strstr(hn_result_note(j.result, hn_result_notes(j.result) - 1), "incomplete"));
    }
    reached[i] = j.sim ? hn_time(j.sim) : 0;
    judged_end(&j);
    if (!good) return;
  }
  if (times == 2) CHECK(reached[0] == reached[1]);
}

static void test_noise(void) {
  static const char *const bdf[] = {"method", "index1-bdf", NULL};
  for (int i = 0; i < 4; i++) {
    char text[600];
    noise(text, sizeof text, i % 4);
    ends(text, i % 2 ? bdf : NULL, "scatters", i ? 1 : 2);
  }
}

static void test_fast(void) {
  static const char text[] =
      "simulation: {duration: 1, verify: off}\n"
      "bodies: {top: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1e9, 3e9, 2e9]}}\n";
  ends(text, NULL, "'top' would turn", 1);
}

// steps of the size that was asked for are never too many; max_steps counts exactly
static bool stop_late(void *user, double t, double duration) {
  (void)t, (void)duration;
  return ++*(int *)user < MANY + 1000;
}

static void test_patient(void) {
  static const char text[] =
      "simulation: {duration: 1e6, step: 1e-6, method: explicit, integrator: rk4}\n"
      "bodies: {b: {type: planar-point, mass: 1, velocity: [1, 0]}}\n";
  judged j;
  int calls = 0;
  if (CHECK(judged_start(&j, text, NULL))) {
    CHECK(hn_run(j.sim, &j.result, stop_late, &calls) == HN_ERR_INTERRUPTED);
    CHECK(j.sim->count.steps > MANY);
  }
  judged_end(&j);
  static const char *const few[] = {"max_steps", "50", "duration", "1", NULL};
  CHECK(!judged_run(&j, text, few) && j.status == HN_ERR_STEP && j.sim->count.steps == 51);
  CHECK(strstr(j.message, "max_steps") != NULL);
  judged_end(&j);
  // the way of hn_advance is counted alike
  static const char *const more[] = {"max_steps", "60", NULL};
  if (CHECK(judged_start(&j, text, more))) {
    CHECK(hn_advance(j.sim, 59.5e-6) == HN_OK);
    CHECK(hn_advance(j.sim, 1) == HN_ERR_STEP);
  }
  judged_end(&j);
}

// more rows than anybody wants are refused before the first, with what they would amount to
static void test_rows(void) {
  static const char text[] = "simulation: {duration: 10, output_step: 1e-9, verify: off}\n"
                             "bodies: {b: {type: planar-point, mass: 1, velocity: [1, 0]}}\n";
  static const char *const few[] = {"output_step", "0.5", "max_rows", "19", NULL};
  static const char *const enough[] = {"output_step", "0.5", "max_rows", "20", NULL};
  judged j;
  CHECK(!judged_run(&j, text, NULL) && j.status == HN_ERR_ARGUMENT && j.sim->count.steps == 0);
  CHECK(j.result && hn_result_rows(j.result) == 0);
  if (!CHECK(strstr(j.message, "makes 1e+10 rows of ") && strstr(j.message, "max_rows=1e+10")))
    printf("  %s\n", j.message);
  judged_end(&j);
  CHECK(!judged_run(&j, text, few) && strstr(j.message, "more than the 19 that are recorded"));
  judged_end(&j);
  CHECK(judged_run(&j, text, enough) && hn_result_rows(j.result) == 21);
  judged_end(&j);
}

int main(void) {
  RUN(test_noise);
  RUN(test_fast);
  RUN(test_patient);
  RUN(test_rows);
  return test_end();
}
