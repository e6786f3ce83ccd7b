// first.c: a program compiled for the first version of the library.
//
// A cart on a rail is pushed by 6 N times an input and held by a spring:
//   x'' = (6 u - k x) / m,   x = 6 u / k (1 - cos(w t)),   w^2 = k / m
// What lies behind its definitions is anything but zero.
#include "holon_first.h"

#include "test.h"

static const double m = 2, k = 50, u = 0.5;

// a definition with something behind it
#define BEHIND(type, name, ...)                                                                    \
  struct {                                                                                         \
    type def;                                                                                      \
    unsigned char behind[256];                                                                     \
  } name;                                                                                          \
  memset(&name, 0xff, sizeof name);                                                                \
  name.def = (type) {                                                                              \
    __VA_ARGS__                                                                                    \
  }

static void cart(void) {
  char why[256] = "";
  double x = 0, rate = 0;
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_model_set_gravity(model, 0, 0, 0);
  BEHIND(hn_signal_def, pull, .name = "pull", .input_given = true);
  CHECK(hn_add_signal(model, &pull.def) == 0);
  BEHIND(hn_body_def, body, .name = "cart", .kind = HN_PLANAR, .mass = m, .inertia = {0, 0, 1});
  hn_body cart = hn_add_body(model, &body.def);
  BEHIND(hn_frame_def, frame, .name = "hook", .body = cart, .position = {0.1});
  hn_frame hook = hn_add_frame(model, &frame.def);
  BEHIND(hn_joint_def, rail, .name = "rail", .type = "prismatic", .b = {.body = cart},
         .axis = {1, 0, 0});
  hn_joint joint = hn_add_joint(model, &rail.def);
  BEHIND(hn_force_def, spring, .name = "spring", .type = "spring", .b = {cart, hook},
         .at = {-1, 0, 0}, .stiffness = k, .free = 1.1);
  CHECK(hn_add_force(model, &spring.def).id > 0);
  BEHIND(hn_force_def, push, .name = "push", .type = "force", .b = {.body = cart},
         .components = {"6*pull"});
  CHECK(hn_add_force(model, &push.def).id > 0);
  if (!CHECK(hn_compile(&system, model) == 0)) printf("  %s\n", hn_model_error(model));
  if (system && !CHECK(!hn_sim_create(&sim, system, hn_model_options(model), why, sizeof why)))
    printf("  %s\n", why);
  if (sim) {
    double w = sqrt(k / m), t = 0.7;
    CHECK(hn_input_set(sim, 0, u) == 0);
    CHECK(hn_advance(sim, t) == 0);
    CHECK(hn_joint_coordinate(sim, joint, NULL, &x, &rate) == 0);
    CHECK_NEAR(x, 6 * u / k * (1 - cos(w * t)), 1e-7);
    CHECK_NEAR(rate, 6 * u / k * w * sin(w * t), 1e-6);
  }
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
}

int main(void) {
  RUN(cart);
  return test_end();
}
