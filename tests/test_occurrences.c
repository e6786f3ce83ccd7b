// test_occurrences.c: events of a model: when they happen, how often, and runs that end with one.
#include "audit_rig.h"

static const char *const methods[] = {"default", "explicit", "mass-projection", "index3-alpha",
                                      "index2-alpha"};
enum { METHODS = sizeof methods / sizeof *methods };

// a stone thrown up comes down again: t = (v + sqrt(v^2 + 2 g h)) / g, and is highest at v / g. The
// run ends there, in the very instant
static void test_instants(void) {
  for (int k = 0; k < 30; k++) {
    unsigned long long seed = test_seed;
    double v = test_random(1, 9), h = test_random(0.1, 3), g = 9.81;
    double lands = (v + sqrt(v * v + 2 * g * h)) / g;
    const char *method = methods[k % METHODS];
    char text[700];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "bodies:\n  stone: {type: planar-point, mass: 1, position: [0, %.17g], velocity: [2, "
             "%.17g]}\n"
             "events:\n  highest: stone.vy < 0\n  landed: {when: stone.y < 0, stop: true}\n"
             "simulation: {duration: 10, output_step: 0.05, method: %s%s}\n",
             h, v, method, k % METHODS > 1 ? ", step: 0.013" : "");
    judged j;
    bool ran = judged_run(&j, text, NULL);
    // schemes of order 2 follow a parabola exactly
    bool good = ran && CHECK_NEAR(judged_last(&j, "time"), lands, 1e-9) &&
                CHECK_NEAR(judged_last(&j, "stone.x"), 2 * lands, 1e-8) &&
                CHECK_NEAR(judged_last(&j, "stone.y"), 0, 1e-8) && CHECK(j.summary.audit_pass) &&
                CHECK(judged_last(&j, "landed") == 1 && judged_last(&j, "highest") == 1) &&
                CHECK(judged_notes(&j, "ended by event landed"));
    if (CHECK(good) && CHECK(hn_sim_event_count(j.sim, -1) == 2)) {
      int event = -1;
      double t = 0;
      CHECK(hn_sim_event(j.sim, 0, &event, &t) && event == 0);
      CHECK_NEAR(t, v / g, 1e-9);
      CHECK(hn_sim_event(j.sim, 1, &event, &t) && event == 1);
      CHECK_NEAR(t, lands, 1e-9);
      CHECK(!hn_sim_event(j.sim, 2, &event, &t));
      CHECK_STR(hn_sim_ended(j.sim), "landed");
    } else {
      printf("  seed %llu by %s\n", seed, method);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

// as often as it happens, however narrow: a wheel at constant speed passes marks of its rim
static void test_counts(void) {
  for (int k = 0; k < 20; k++) {
    unsigned long long seed = test_seed;
    double w = test_random(3, 40), period = test_random(0.2, 2),
           width = period * test_random(0.02, 0.3);
    double shift = test_random(width, period);
    long right = (long)floor((w + shift) / period);  // in one second
    char text[600];
    snprintf(text, sizeof text,
             "bodies:\n  wheel: {type: planar, mass: 1, inertia: 1, angular_velocity: %.17g}\n"
             "joints:\n  axle: {type: revolute, b: wheel}\n"
             "events:\n  mark: mod(axle.angle + %.17g, %.17g) < %.17g\n"
             "simulation: {duration: 1, method: %s}\n",
             w, shift, period, width, methods[k % 2]);
    judged j;
    bool ran = judged_run(&j, text, NULL);
    if (!CHECK(ran && hn_sim_event_count(j.sim, 0) == right)) {
      printf("  seed %llu: %ld marks, right is %ld\n", seed,
             ran ? hn_sim_event_count(j.sim, 0) : -1, right);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

typedef struct heard {
  int count, last;
  double t;
  bool enough;
} heard;

static hn_status hear(void *user, int event, double t) {
  heard *h = user;
  h->count++, h->last = event, h->t = t;
  return h->enough ? HN_ERR_INTERRUPTED : HN_OK;
}

static const char pendulum[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n  bob: {type: planar-point, mass: 1, position: [0.1, -1]}\n"
    "joints:\n  rod: {type: distance, b: bob, at: [0, 0], at_b: [0.1, -1]}\n"
    "events:\n  right: bob.x > 0\n  low: {when: bob.vx < 0 && bob.x < 0, stop: true}\n"
    "simulation: {duration: 20, rtol: 1e-10}\n";

// stepping by hand: advance ends at an event that stops, and goes on from there when called again
static void test_by_hand(void) {
  char why[256];
  hn_model *m = hn_model_create();
  hn_system *s = NULL;
  hn_sim *sim = NULL, *copy = NULL;
  heard h = {0};
  CHECK(hn_model_parse(m, pendulum, strlen(pendulum), "test.yaml") == HN_OK);
  CHECK(hn_compile(&s, m) == HN_OK && hn_event_count(s) == 2);
  if (!CHECK(s && hn_sim_create(&sim, s, hn_model_options(m), why, sizeof why) == HN_OK)) return;
  CHECK(hn_event_find(s, "low") == 1 && hn_event_find(s, "high") == -1);
  CHECK_STR(hn_event_name(s, 0), "right");
  CHECK(hn_event_name(s, 2) == NULL);
  CHECK(hn_event_function(sim, 1, hear, &h) == HN_OK);
  CHECK(hn_event_function(sim, 2, hear, &h) == HN_ERR_ARGUMENT);
  CHECK(hn_advance(sim, 20) == HN_OK && h.count == 1 && hn_time(sim) == h.t);
  double first = hn_time(sim);
  CHECK(first > 0.4 && first < 0.6);
  CHECK_STR(hn_sim_ended(sim), "low");
  // it was right of the middle from the start, so that does not count yet
  CHECK(hn_sim_event_count(sim, 0) == 0);
  CHECK(hn_sim_copy(&copy, sim, why, sizeof why) == HN_OK);
  CHECK(hn_advance(sim, 20) == HN_OK && h.count == 2 && hn_sim_event_count(sim, 0) == 1);
  // a copy knows what has happened, and is told nothing
  CHECK(copy && hn_sim_event_count(copy, 1) == 1 && hn_advance(copy, 20) == HN_OK);
  CHECK(copy && hn_time(copy) == hn_time(sim) && h.count == 2);
  // one swing lies between two of them: its amplitude a = atan(0.1) makes the period
  // 2 pi sqrt(l / g) (1 + a^2 / 16 + 11 a^4 / 3072 ...)
  double a = atan(0.1), l = hypot(0.1, 1);
  double swing = 2 * acos(-1) * sqrt(l / 9.81) * (1 + a * a / 16 + 11 * pow(a, 4) / 3072);
  CHECK_NEAR(hn_time(sim) - first, swing, 1e-7);
  h.enough = true;
  CHECK(hn_advance(sim, 20) == HN_ERR_INTERRUPTED);
  CHECK(strstr(hn_sim_error(sim), "at event 'low'") != NULL);
  hn_sim_destroy(copy);
  hn_sim_destroy(sim);
  hn_system_destroy(s);
  hn_model_destroy(m);
}

// its signal is read by formulas: a push from the moment on in which the cart passes a gate
static void test_signal(void) {
  static const char text[] =
      "bodies:\n  cart: {type: planar-point, mass: 2, velocity: [1, 0]}\n"
      "events:\n  passed: cart.x > 0.5\n  again: passed == 1\n  both: passed && again\n"
      "forces:\n  push: {type: force, b: cart, force: [4*passed, 0]}\n"
      "simulation: {duration: 1}\n";
  judged j;
  if (CHECK(judged_run(&j, text, NULL))) {
    CHECK_NEAR(judged_last(&j, "cart.vx"), 2, 1e-9);
    CHECK_NEAR(judged_last(&j, "cart.x"), 1.25, 1e-9);
    CHECK(hn_sim_ended(j.sim) == NULL && j.summary.audit_pass);
    CHECK(judged_last(&j, "again") == 1 && judged_last(&j, "both") == 1);
  }
  judged_end(&j);
}

static void test_refused(void) {
  static const struct {
    const char *events, *says;
  } bad[] = {
      {"{z: b.x <}", "event 'z': when:"},
      {"{z: {stop: true}}", "event 'z': needs a condition"},
      {"{z: {when: b.x < 0, end: true}}", "unknown key 'end'"},
      {"{z: [1]}", "event 'z': needs a condition"},
      {"{b: b.x < 0}", "event 'b':"},
      {"{z: nothing.x < 0}", "event 'z': when, column 1: unknown name 'nothing.x'"},
      {"[b.x < 0]", "events: must be a map of names"},
      {"{z: b.x}", "event 'z': when: is a number, no condition"},
      {"{z: b.x - 3 && t < 1}", "is a number, no condition"},
      {"{z: b.x == 0}", "ask for < or >"},
      {"{z: t != 1}", "ask for < or >"},
      {"{z: sin(t)}", "is a number, no condition"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[300];
    judged j;
    snprintf(text, sizeof text, "bodies:\n  b: {type: planar-point, mass: 1}\nevents: %s\n",
             bad[i].events);
    CHECK(!judged_run(&j, text, NULL));
    if (!CHECK(strstr(j.message, bad[i].says) != NULL))
      printf("  %s: %s\n", bad[i].events, j.message);
    judged_end(&j);
  }
}

int main(void) {
  RUN(test_instants);
  RUN(test_counts);
  RUN(test_by_hand);
  RUN(test_signal);
  RUN(test_refused);
  return test_end();
}
