// test_corners.c: drivers whose rate jumps: velocities jump with it, and what the impulses bring in
// is counted. python/tests/wild.py has a family of them against scipy.
#include "audit_rig.h"

static const char *const methods[] = {"default",      "explicit",   "baumgarte",
                                      "index3-alpha", "index2-bdf", "energy-momentum"};
enum { METHODS = sizeof methods / sizeof *methods };

// an arm turned by w1 up to t1 and by w2 from there: the angle is known, and the impulses bring in
// (w2^2 - w1^2) / 2 times its inertia about the hinge, which the energy must follow
static void test_arm(void) {
  for (int k = 0; k < 18; k++) {
    unsigned long long seed = test_seed;
    double w1 = test_random(-3, 3), w2 = w1 + test_random(0.5, 4), t1 = test_random(0.2, 0.8);
    double m = test_random(0.5, 3), J = test_random(0.05, 0.5), c = test_random(0.1, 0.6);
    const char *method = methods[k % METHODS];
    char text[900], note[80];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "bodies:\n  arm: {type: planar, mass: %.17g, inertia: %.17g, com: [%.17g, 0]}\n"
             "joints:\n  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
             "  turn: {type: driver, joint_a: hinge, motion: \"if(t < %.17g, %.17g*t, %.17g + "
             "%.17g*(t - %.17g))\"}\n"
             "simulation: {duration: 1, method: %s%s}\n",
             m, J, c, t1, w1, w1 * t1, w2, t1, method,
             strcmp(method, "baumgarte") == 0 || strcmp(method, "energy-momentum") == 0
                 ? ", step: 1e-3"
                 : "");
    judged j;
    hn_corner corner;
    bool ran = judged_run(&j, text, NULL);
    double work = 0.5 * (J + m * c * c) * (w2 * w2 - w1 * w1);
    snprintf(note, sizeof note, "by impulses that bring in %.4g", work);
    note[strlen(note) - 1] = 0;  // the last digit is rounded
    if (!(CHECK(ran && j.summary.audit_pass) &&
          CHECK_NEAR(judged_last(&j, "arm.angle"), w1 * t1 + w2 * (1 - t1), 1e-8) &&
          CHECK_NEAR(judged_last(&j, "arm.omega"), w2, 1e-5) &&
          CHECK(hn_sim_corner(j.sim, 0, &corner) && !hn_sim_corner(j.sim, 1, &corner)) &&
          CHECK_NEAR(corner.work, work, 1e-6 * (1 + fabs(work))) &&
          CHECK_NEAR(corner.time, t1, 1e-12) && CHECK_NEAR(corner.jump, w2 - w1, 1e-12) &&
          CHECK(corner.angular) && CHECK(strcmp(corner.driver, "turn") == 0) &&
          CHECK(judged_notes(&j, note)))) {
      printf("  seed %llu by %s: %s\n", seed, method, note);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

// saved between two corners and before both, it goes on bit by bit
static void test_saved(void) {
  static const char text[] =
      "bodies:\n  cart: {type: planar, mass: 1, inertia: 1}\n"
      "  rod: {type: planar, mass: 1, inertia: 0.1, com: [0, -0.5]}\n"
      "joints:\n  rail: {type: prismatic, b: cart, axis: [1, 0, 0]}\n"
      "  hinge: {type: revolute, a: cart, b: rod, at: [0, 0]}\n"
      "  drive: {type: driver, joint_a: rail, motion: \"max(t - 0.3, 0) - 2*max(t - 0.6, 0)\"}\n"
      "simulation: {duration: 1}\n";
  static const double when[] = {0.1, 0.45};
  for (int k = 0; k < 2; k++) {
    judged j;
    void *bytes = NULL;
    size_t length;
    char message[300];
    hn_sim *copy = NULL;
    if (!CHECK(judged_start(&j, text, NULL) && !hn_advance(j.sim, when[k]) &&
               !hn_sim_save(j.sim, &bytes, &length, message, sizeof message) &&
               !hn_sim_restore(&copy, j.system, bytes, length, message, sizeof message) &&
               !hn_advance(j.sim, 1) && !hn_advance(copy, 1))) {
      printf("  %s\n", message);
    } else {
      int n = hn_system_nv(j.system);
      CHECK(memcmp(hn_velocities(j.sim), hn_velocities(copy), (size_t)n * sizeof(double)) == 0);
      CHECK(fabs(hn_velocities(j.sim)[n - 1]) > 0.1);
    }
    hn_sim_destroy(copy);
    hn_free(bytes);
    judged_end(&j);
  }
}

// corners behind the duration of the first run are met by the second; run by run all is as in one.
// More of them than can be told at once are followed all the same
static void test_goes_on(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n  arm: {type: planar, mass: 1, inertia: 0.1, com: [0.5, 0]}\n"
      "joints:\n  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
      "  turn: {type: driver, joint_a: hinge, motion: \"min(t, 1.3)\"}\n"
      "simulation: {duration: 1}\n";
  static const char zigzag[] =
      "bodies:\n  cart: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n  rail: {type: prismatic, b: cart, axis: [1, 0, 0]}\n"
      "  drive: {type: driver, joint_a: rail, motion: \"abs(mod(t, 0.02) - 0.01)\"}\n"
      "simulation: {duration: 1, verify: off}\n";
  judged j;
  hn_corner corner;
  if (CHECK(judged_run(&j, text, NULL) && !hn_sim_corner(j.sim, 0, &corner))) {
    hn_result_destroy(j.result);
    CHECK(!hn_run(j.sim, &j.result, NULL, NULL));
    hn_sim_summary(j.sim, &j.summary);
    if (!CHECK(j.summary.audit_pass)) judged_print(&j);
    CHECK(hn_sim_corner(j.sim, 0, &corner) && !hn_sim_corner(j.sim, 1, &corner));
    CHECK_NEAR(corner.time, 1.3, 1e-12);
    CHECK_NEAR(corner.work, -0.5 * (0.1 + 0.25), 1e-9);
    CHECK_NEAR(judged_last(&j, "arm.angle"), 1.3, 1e-12);
  }
  judged_end(&j);
  if (CHECK(judged_start(&j, zigzag, NULL))) {
    CHECK(!hn_advance(j.sim, 3.503));
    CHECK_NEAR(hn_positions(j.sim)[0], 0.007, 1e-9);
    CHECK_NEAR(hn_velocities(j.sim)[0], -1, 1e-9);
    int told = 0;
    double last = 0;
    for (; hn_sim_corner(j.sim, told, &corner); told++) {
      CHECK_NEAR(fabs(corner.jump), 2, 1e-9);
      last = corner.time;
    }
    CHECK(told >= 100);
    CHECK_NEAR(last, 3.5, 1e-9);
  }
  judged_end(&j);
}

typedef struct refusal {
  const char *motion, *more, *words;
} refusal;

static void test_refused(void) {
  static const refusal cases[] = {
      {"if(t < 0.5, 0, 0.1)", "", "the motion of driver 'drive' jumps by 0.1 m"},
      {"abs(mod(t, 0.002) - 0.001)", "", "at most 256 times are followed"},
      {"max(t - 0.5, 0)", "  stop: {type: stop, b: ball, at: [0, -1], axis: [0, 1, 0]}\n",
       "the rate of driver 'drive' jumps by 1 m/s, and with contacts"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[700];
    judged j;
    snprintf(text, sizeof text,
             "bodies:\n  cart: {type: planar, mass: 1, inertia: 1}\n"
             "  ball: {type: planar, mass: 1, inertia: 1}\n"
             "joints:\n  rail: {type: prismatic, b: cart, axis: [1, 0, 0]}\n"
             "  drive: {type: driver, joint_a: rail, motion: \"%s\"}\n%s"
             "simulation: {duration: 1}\n",
             cases[k].motion, cases[k].more);
    bool ran = judged_run(&j, text, NULL);
    if (!CHECK(!ran && j.sim && strstr(hn_sim_error(j.sim), cases[k].words)))
      printf("  %s: %s\n", cases[k].motion, j.sim ? hn_sim_error(j.sim) : "no run");
    judged_end(&j);
  }
}

// A slide that is pushed sideways from t1 on, harder from t2 on and no more behind t3, its rate
// without a jump, and on it a block that slides at an angle: with its acceleration a cos(angle)
// along its rail every motion is quadratic in pieces, and a step that ends where these do makes no
// error. One that does not leaves to the correction what the velocities are, and projections that
// do not measure by the mass get them wrong
static void test_bends(void) {
  static const char *const by[] = {
      "direct-correction",       "mass-projection", "explicit, correction: direct",
      "coordinate-partitioning", "null-space",      "default"};
  for (int k = 0; k < 18; k++) {
    unsigned long long seed = test_seed;
    double t1 = test_random(0.1, 0.3), t2 = test_random(0.4, 0.6), t3 = test_random(0.7, 0.9);
    double c1 = test_random(0.3, 2), c2 = test_random(-2, 2), angle = test_random(0.3, 1.2);
    double m = test_random(0.2, 3), c3 = -c1 - c2;
    const char *method = by[k % 6];
    char text[1200];
    snprintf(text, sizeof text,
             "bodies:\n  slide: {type: planar, mass: 1, inertia: 1}\n"
             "  block: {type: planar, mass: %.17g, inertia: 1}\n"
             "joints:\n  rail: {type: prismatic, b: slide, axis: [1, 0, 0]}\n"
             "  slope: {type: prismatic, a: slide, b: block, axis: [%.17g, %.17g, 0]}\n"
             "  drive: {type: driver, joint_a: rail, motion: \"%.17g*max(t - %.17g, 0)^2 + "
             "%.17g*max(t - %.17g, 0)^2 + %.17g*max(t - %.17g, 0)^2\"}\n"
             "simulation: {duration: 1, rtol: 1e-6, method: %s%s}\n",
             m, cos(angle), sin(angle), c1, t1, c2, t2, c3, t3, method,
             k % 6 == 2 || k % 6 == 5 ? "" : ", step: 0.04");
    judged j;
    bool ran = judged_run(&j, text, NULL);
    double x = c1 * (1 - t1) * (1 - t1) + c2 * (1 - t2) * (1 - t2) + c3 * (1 - t3) * (1 - t3);
    double v = 2 * (c1 * (1 - t1) + c2 * (1 - t2) + c3 * (1 - t3)), s = sin(angle);
    if (!(CHECK(ran && j.summary.audit_pass) && CHECK(!hn_sim_corner(j.sim, 0, &(hn_corner){0})) &&
          CHECK_NEAR(judged_last(&j, "block.x"), s * s * x, 1e-10) &&
          CHECK_NEAR(judged_last(&j, "block.vx"), s * s * v, 1e-10))) {
      printf("  seed %llu by %s\n", seed, method);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

int main(void) {
  RUN(test_arm);
  RUN(test_bends);
  RUN(test_saved);
  RUN(test_goes_on);
  RUN(test_refused);
  return test_end();
}
