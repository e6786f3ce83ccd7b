// test_failures.c: what is said when a run stops.
#include "test.h"

#include <holon/holon.h>

// two bars on a spring; stiffness and where it is fixed are drawn
static hn_status stop(const char *method, double stiffness, double step, char *message,
                      size_t size) {
  char text[1024];
  int n = snprintf(text, sizeof text,
                   "gravity: [0, -9.81]\n"
                   "bodies:\n"
                   "  crank: {type: planar, mass: 1, inertia: 0.1, angle: 0.7, "
                   "frames: {tip: [0.5, 0]}}\n"
                   "  rod: {type: planar, mass: 1, inertia: 0.1, position: [1, 0.3], "
                   "frames: {pin: [-0.5, 0]}}\n"
                   "joints:\n"
                   "  A: {type: revolute, b: crank}\n"
                   "  B: {type: revolute, a: crank.tip, b: rod.pin}\n"
                   "forces:\n"
                   "  s: {type: spring, a: ground, b: rod, at: [%.3f, %.3f], at_b: [1, 0.3], "
                   "stiffness: %.6g}\n",
                   test_random(1.5, 3), test_random(-1, 1), stiffness);
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  hn_status status = hn_model_parse(model, text, (size_t)n, "stop");
  hn_options *o = hn_model_options(model);
  snprintf(o->method, sizeof o->method, "%s", method);
  o->duration = o->output_step = 1;
  o->step = step;
  if (!status) status = hn_compile(&sys, model);
  if (status) snprintf(message, size, "%s", hn_model_error(model));
  if (!status) status = hn_sim_create(&sim, sys, o, message, size);
  if (!status && (status = hn_run(sim, &result, NULL, NULL)))
    snprintf(message, size, "%s", hn_sim_error(sim));
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
  return status;
}

// explicit steps a hundred times too long are unstable; the mechanism is nowhere singular for that
static void test_instability(void) {
  static const char *const methods[] = {"standard", "baumgarte", "mass-projection", "maggi"};
  char message[512];
  for (int seed = 0; seed < 12; seed++) {
    double stiffness = pow(10, test_random(8, 10));
    const char *method = methods[seed % 4];
    hn_status status = stop(method, stiffness, 0.01, message, sizeof message);
    bool good = status && strstr(message, "the steps were unstable") &&
                strstr(message, "a shorter step than 0.01 s") && strstr(message, "index3-alpha") &&
                !strstr(message, "singular configuration: rows") && !strstr(message, "locks");
    if (!CHECK(good)) printf("  %d: %s, %g N/m: %s\n", seed, method, stiffness, message);
  }
}

// a body that is turned to a pitch of 90 degrees while its roll or yaw is held: no joint locks
// there
static void test_angle_without_meaning(void) {
  static const char *const methods[] = {"default", "index3-alpha", "explicit"};
  char text[1024], message[512] = "";
  for (int i = 0; i < 12; i++) {
    const char *held = i % 2 ? "roll" : "yaw";
    int n = snprintf(text, sizeof text,
                     "bodies:\n  b: {mass: 1, inertia: [0.2, 0.25, 0.3]}\n"
                     "joints:\n  h: {type: coordinate, b: b, coordinate: %s}\n"
                     "  d: {type: driver, b: b, coordinate: pitch, motion: %.4f*t}\n",
                     held, test_random(1.7, 3));
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    hn_result *result = NULL;
    hn_status status = hn_model_parse(model, text, (size_t)n, "turn");
    hn_options *o = hn_model_options(model);
    snprintf(o->method, sizeof o->method, "%s", methods[i % 3]);
    o->duration = o->output_step = 1;
    if (i % 3 == 1) o->step = 1e-3;
    if (!status) status = hn_compile(&sys, model);
    if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
    if (CHECK(!status) && CHECK((status = hn_run(sim, &result, NULL, NULL)) != HN_OK))
      snprintf(message, sizeof message, "%s", hn_sim_error(sim));
    if (!CHECK(strstr(message, "at a pitch of 90 degrees roll and yaw have no meaning")))
      printf("  %s, %s: %s\n", held, methods[i % 3], message);
    hn_result_destroy(result);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

// a force whose formula has no value from some place on is named, whoever meets it; another one
// beside it is not
static void test_no_number(void) {
  static const char *const methods[] = {"default",  "mass-projection", "index3-alpha",
                                        "explicit", "index2-alpha",    "velocity-hard"};
  static const char *const formulas[] = {"sqrt(%.4f - cart.x)", "log(%.4f - t)",
                                         "(%.4f - cart.x)^0.3", "asin(cart.x/%.4f)",
                                         "1 + sqrt(%.4f - tank)"};  // a state
  static const char *const says[] = {"force 'spoiled' is not a number",
                                     "the rate of state 'tank' is not a number"};
  char text[1024], formula[64], message[512];
  for (int i = 0; i < 39; i++) {
    bool state = i >= 24;  // those of velocities do not know states
    const char *method = methods[i % (state ? 5 : 6)];
    snprintf(formula, sizeof formula, formulas[i % (state ? 5 : 4)], test_random(0.3, 0.7));
    int n = snprintf(text, sizeof text,
                     "bodies:\n  cart: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}\n"
                     "  other: {type: planar, mass: 1, inertia: 1}\n"
                     "joints:\n  rail: {type: prismatic, b: cart, axis: [1, 0]}\n"
                     "forces:\n  good: {type: force, b: other, force: [cart.x, 1]}\n"
                     "%s'%s'%s\n",
                     state ? "states:\n  tank: {rate: "
                           : "  spoiled: {type: force, b: other, force: [0, ",
                     formula, state ? "}" : "]}");
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    hn_result *result = NULL;
    hn_status status = hn_model_parse(model, text, (size_t)n, "no number");
    hn_options *o = hn_model_options(model);
    snprintf(o->method, sizeof o->method, "%s", method);
    o->duration = 1, o->output_step = 0.1, o->step = strcmp(method, "default") ? 0.01 : 0;
    snprintf(message, sizeof message, "%s", "");
    if (!status) status = hn_compile(&sys, model);
    if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
    if (CHECK(!status) && CHECK(hn_run(sim, &result, NULL, NULL) != HN_OK))
      snprintf(message, sizeof message, "%s", hn_sim_error(sim));
    if (!CHECK(strstr(message, says[state]) && !strstr(message, "'good'")))
      printf("  %s, %s: %s\n", method, formula, message);
    hn_result_destroy(result);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

// steps look beyond switching points with what holds there: what is no number for any side is
// found all the same, and so is a condition that has no answer
static void test_no_number_for_any_side(void) {
  static const char *const methods[] = {"default", "mass-projection", "index3-alpha", "explicit"};
  static const char *const formulas[] = {
      "if(cart.x < 0.8, sqrt(0.5 - cart.x), 0)", "max(log(0.5 - cart.x), -50)",
      "abs(0.3 - cart.x)*(0.5 - cart.x)^0.3", "if(sqrt(0.5 - cart.x) > 0, 1, 2)"};
  char text[1024], message[512];
  for (int i = 0; i < 16; i++) {
    const char *method = methods[i % 4];
    int n = snprintf(text, sizeof text,
                     "bodies:\n  cart: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}\n"
                     "  other: {type: planar, mass: 1, inertia: 1}\n"
                     "forces:\n  spoiled: {type: force, b: other, force: [0, '%s']}\n",
                     formulas[i / 4]);
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    hn_result *result = NULL;
    hn_status status = hn_model_parse(model, text, (size_t)n, "no number");
    hn_options *o = hn_model_options(model);
    snprintf(o->method, sizeof o->method, "%s", method);
    o->duration = 1, o->output_step = 0.1, o->step = strcmp(method, "default") ? 0.01 : 0;
    snprintf(message, sizeof message, "%s", "");
    if (!status) status = hn_compile(&sys, model);
    if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
    if (CHECK(!status) && CHECK(hn_run(sim, &result, NULL, NULL) != HN_OK))
      snprintf(message, sizeof message, "%s", hn_sim_error(sim));
    if (!CHECK(strstr(message, "is not a number")))
      printf("  %s, %s: %s\n", method, formulas[i / 4], message);
    if (sim) CHECK(hn_time(sim) > 0.4 && hn_time(sim) < 0.51);
    hn_result_destroy(result);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

int main(void) {
  RUN(test_angle_without_meaning);
  RUN(test_instability);
  RUN(test_no_number);
  RUN(test_no_number_for_any_side);
  return test_end();
}
