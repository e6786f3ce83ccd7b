// test_split_iteration.c: the modified iteration of the coordinate split.
//
// What it is for: where stiff forces shake a mechanism, iterates that are still off have reactions
// as large as these forces, and the exact derivative of the projection, which contains them,
// misleads Newton's iteration. Without it steps converge that else have to be shortened. What it
// converges to is the same.
#include "order_rig.h"

static const char *const methods[] = {"coordinate-split", "maggi-perturbation"};
static const char *const words[] = {"full", "modified"};

// a weight on two links, shaken by a spring that is too stiff for the step
static void shaken(char *text, size_t size) {
  double arm = test_random(0.7, 1.3), rod = test_random(0.4, 0.8), up = test_random(0.8, 1.5);
  double length = hypot(arm + rod, up);
  snprintf(text, size,
           "gravity: [0, -9.81]\n"
           "bodies:\n"
           "  arm: {type: planar, mass: %.4f, inertia: 0.1, position: [%.9g, 0]}\n"
           "  bob: {type: planar, mass: %.4f, inertia: 0.05, position: [%.9g, 0],"
           " velocity: [0, %.4f]}\n"
           "joints:\n"
           "  A: {type: revolute, a: ground, b: arm, at: [0, 0]}\n"
           "  B: {type: distance, a: arm, b: bob, at: [%.9g, 0], at_b: [%.9g, 0]}\n"
           "forces:\n"
           "  s: {type: spring, a: ground, at: [0, %.9g], b: bob, at_b: [%.9g, 0],"
           " stiffness: %.6g, free: %.9g}\n",
           test_random(0.5, 2), arm / 2, test_random(0.5, 2), arm + rod, test_random(3, 6), arm,
           arm + rod, up, arm + rod, pow(10, test_random(7.7, 8.5)), length);
}

// steps refused and evaluations until t; *count numbers of the end in x
static bool run(const rig *r, int method, int word, double step, double t, double x[ORDER_NUMBERS],
                int *count, long *refused, long *evaluations) {
  char message[512];
  hn_sim *sim = NULL;
  hn_options o = r->options;
  snprintf(o.method, sizeof o.method, "%s", methods[method]);
  snprintf(o.split_iteration, sizeof o.split_iteration, "%s", words[word]);
  o.step = step;
  hn_status status = hn_sim_create(&sim, r->sys, &o, message, sizeof message);
  if (!status) status = hn_advance(sim, t);
  if (!CHECK(status == HN_OK)) printf("  %s\n", sim ? hn_sim_error(sim) : message);
  if (!status) {
    *count = order_state(sim, x);
    *refused += sim->count.rejected;
    *evaluations += sim->count.evaluations;
  }
  hn_sim_destroy(sim);
  return !status;
}

static void test_convergence(void) {
  enum { CASES = 12 };
  static double x[2][ORDER_NUMBERS];
  long refused[2] = {0, 0}, evaluations[2] = {0, 0}, other[2];
  for (int n = 0; n < CASES; n++) {
    char text[1200];
    unsigned long long from = test_seed;
    shaken(text, sizeof text);
    rig_case c = {"Text", text};
    rig r;
    int count = 0;
    double size = 0;
    if (!CHECK(rig_load(&r, &c, "reference"))) continue;
    for (int w = 0; w < 2; w++)
      if (!run(&r, 0, w, 2e-3, 0.1, x[w], &count, &refused[w], &evaluations[w]))
        printf("  seed %llu\n", from);
    // in steps that need no help both are the same
    for (int w = 0; w < 2; w++) (void)run(&r, 0, w, 2e-4, 0.01, x[w], &count, &other[0], &other[1]);
    if (!CHECK(rig_difference(x[0], x[1], count, &size) < 1e-5 * size))
      printf("  seed %llu: %g of %g\n", from, rig_difference(x[0], x[1], count, &size), size);
    rig_free(&r);
  }
  printf("shaken weights: %ld steps refused and %ld evaluations, modified %ld and %ld\n",
         refused[0], evaluations[0], refused[1], evaluations[1]);
  CHECK(refused[1] < refused[0] / 4);
  CHECK(evaluations[1] < evaluations[0] / 2);
}

static void test_order(void) {
  static const order_case cases[] = {{"four_bar", "reference", 0.4, 6e-3},
                                     {"spatial_slider_crank", "reference", 0.1, 2e-3},
                                     {"heavy_top", "reference", 0.03, 5e-4},
                                     {"bricard", "reference", 0.4, 6e-3},
                                     {"rolling_disk", "reference", 0.3, 5e-3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < 2; k++) {
      char settings[128];
      double error;
      snprintf(settings, sizeof settings, "method=%s split_iteration=modified newton_tol=1e-12",
               methods[k]);
      CHECK_NEAR(order_measure(&cases[i], settings, &error), 2, 0.1);
    }
}

int main(void) {
  RUN(test_convergence);
  RUN(test_order);
  return test_end();
}
