// test_servo.c: motions that other forces bring about (program constraints) against closed forms.
#include "analysis_rig.h"

// p(t) = (1 + tanh(c (t - m))) / 2 goes from 0 to 1; both ends are at rest to 1e-14
#define SLOW  "(0.5 + 0.5*tanh(2*(t - 9)))"
#define QUICK "(0.5 + 0.5*tanh(6*(t - 3)))"

typedef long double real;

// its k-th derivative
static real path(real c, real middle, real t, int k) {
  real u = tanhl(c * (t - middle)), d = 1 - u * u;
  switch (k) {
  case 0: return (1 + u) / 2;
  case 2: return -c * c * u * d;
  default: return 4 * c * c * c * c * u * d * (2 - 3 * u * u);
  }
}

// ---- a crane: trolley and winch act, the load follows a path -----------------------------------

static const char crane[] =
    "gravity: [0, -9.81]\n"
    "simulation: {duration: 18, output_step: 0.25}\n"
    "bodies:\n"
    "  trolley: {type: planar, mass: 10, inertia: 1, position: [0.1, 0]}\n"
    "  load: {type: planar-point, mass: 100, position: [0, -4]}\n"
    "joints:\n"
    "  rail: {type: prismatic, a: ground, b: trolley, axis: [1, 0, 0], value: 0.1}\n"
    "  along: {type: driver, b: load, coordinate: x, by: drive, motion: 5*" SLOW "}\n"
    "  up: {type: driver, b: load, coordinate: y, by: winch, motion: -4 + 2*" SLOW "}\n"
    "forces:\n"
    "  drive: {type: motor, joint: rail, law: 0}\n"
    "  winch: {type: spring, a: trolley, b: load, law: 0}\n";

static real at(real t, int k) {
  return path(2, 9, t, k);
}

// the trolley's place follows from the direction of the rope
static real trolley(real t) {
  return 5 * at(t, 0) + (4 - 2 * at(t, 0)) * 5 * at(t, 2) / (9.81L + 2 * at(t, 2));
}

static void crane_efforts(double t, double *drive, double *winch) {
  real h = 2e-3L, d[3];
  for (int i = 0; i < 3; i++) {
    real e = h / (real)(1 << i);
    d[i] = (trolley(t + e) - 2 * trolley(t) + trolley(t - e)) / (e * e);
  }
  real a = (4 * d[1] - d[0]) / 3, b = (4 * d[2] - d[1]) / 3, s2 = (16 * b - a) / 15;
  real ax = 5 * at(t, 2), ay = 2 * at(t, 2);
  *drive = (double)(10 * s2 + 100 * ax);
  *winch = (double)(100 * hypotl(ax, 9.81L + ay));
}

static double crane_error(double step, hn_inverse_info *info) {
  rig r;
  hn_result *efforts = NULL, *motion = NULL;
  double worst = 0;
  if (!rig_open(&r, crane)) return NAN;
  r.sim->opt.step = step;
  if (!CHECK(!hn_inverse(r.sim, info, &efforts, &motion))) printf("%s\n", hn_sim_error(r.sim));
  CHECK(hn_result_rows(efforts) == 73 && hn_result_rows(motion) == 73);
  for (int i = 0; i < hn_result_rows(efforts); i++) {
    double t = 0.25 * i, drive, winch;
    crane_efforts(t, &drive, &winch);
    worst = fmax(worst, fabs(rig_value(efforts, i, "drive.effort") - drive) / 1000);
    worst = fmax(worst, fabs(rig_value(efforts, i, "winch.effort") - winch) / 1000);
    worst = fmax(worst, fabs(rig_value(motion, i, "trolley.x") - (double)trolley(t)) / 5);
    CHECK_NEAR(rig_value(motion, i, "load.x"), 5 * (double)at(t, 0), 1e-12);
    CHECK_NEAR(rig_value(motion, i, "winch.force"), rig_value(efforts, i, "winch.effort"), 1e-9);
    CHECK_NEAR(rig_value(motion, i, "drive.effort"), rig_value(efforts, i, "drive.effort"), 1e-9);
    // what the actuators did is what the energy grew by
    CHECK_NEAR(rig_value(motion, i, "energy.balance"), 0, 1e-9);
  }
  // it was described 0.1 m off; at rest the rope is vertical
  CHECK_NEAR(rig_value(motion, 0, "trolley.x"), 0, 1e-8);
  CHECK_NEAR(rig_value(efforts, 0, "winch.effort"), 981, 1e-6);
  hn_result_destroy(efforts), hn_result_destroy(motion);
  rig_close(&r);
  return worst;
}

static void crane_follows_path(void) {
  hn_inverse_info info;
  double coarse = crane_error(0.03125, &info), told = info.error;
  double fine = crane_error(0.015625, &info);
  CHECK(info.program);
  CHECK_NEAR(info.step, 0.015625, 1e-15);
  // order 4, and the error that is told bounds the true one
  CHECK(fine < 1e-3 && coarse / fine > 12);
  CHECK(told > coarse && info.error > fine);
}

// no row lies behind the end, where an interval would be cut
static void crane_ends(void) {
  rig r;
  hn_result *efforts = NULL;
  if (!rig_open(&r, crane)) return;
  r.sim->opt.step = 0.125;
  r.sim->opt.duration = 1.1;
  CHECK(!hn_inverse(r.sim, NULL, &efforts, NULL));
  CHECK(hn_result_rows(efforts) == 5);
  CHECK_NEAR(hn_result_row(efforts, 4)[0], 1, 1e-12);
  hn_result_destroy(efforts);
  // longer intervals than the whole: its end
  r.sim->opt.duration = 0.2;
  efforts = NULL;
  CHECK(!hn_inverse(r.sim, NULL, &efforts, NULL));
  CHECK(hn_result_rows(efforts) == 2);
  CHECK_NEAR(hn_result_row(efforts, 1)[0], 0.2, 1e-12);
  hn_result_destroy(efforts);
  rig_close(&r);
}

// where the rate of a motion jumps, the effort of the motor that acts for its driver is infinite
static void kink_of_another(void) {
  rig r;
  hn_inverse_info info;
  hn_result *efforts = NULL;
  if (!rig_open(&r, "simulation: {duration: 1, output_step: 0.1}\n"
                    "bodies:\n"
                    "  arm: {type: planar, mass: 1, inertia: 1}\n"
                    "  disc: {type: planar, mass: 1, inertia: 1}\n"
                    "joints:\n"
                    "  A: {type: revolute, a: ground, b: arm}\n"
                    "  B: {type: revolute, a: ground, b: disc}\n"
                    "  smooth: {type: driver, joint_a: B, by: n, motion: t^2}\n"
                    "  jerk: {type: driver, joint_a: A, by: m, motion: abs(t - 0.55)}\n"
                    "forces:\n"
                    "  m: {type: motor, joint: A, law: 0}\n"
                    "  n: {type: motor, joint: B, law: 0}\n"))
    return;
  CHECK(!hn_inverse(r.sim, &info, &efforts, NULL));
  CHECK(info.efforts == 2);
  for (int i = 0; i < 2; i++) CHECK(info.effort[i].infinite == (info.effort[i].name[0] == 'm'));
  hn_result_destroy(efforts);
  rig_close(&r);
}

// ---- an arm behind an elastic joint, in space ---------------------------------------------------

// both turn about the same skew axis; the motor turns `one`, the spring takes `two` along
static const char elastic_arm[] =
    "simulation: {duration: 6, output_step: 0.1}\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [0.5, 0.5, 0.5]}\n"
    "  two: {mass: 1, inertia: [0.2, 0.2, 0.2]}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground, b: one, at: [0, 0, 0], axis: [1, 2, 2]}\n"
    "  B: {type: revolute, a: ground, b: two, at: [0, 0, 0], axis: [1, 2, 2]}\n"
    "  turn: {type: driver, joint_a: B, by: motor, motion: 2.5*" QUICK "}\n"
    "forces:\n"
    "  motor: {type: motor, joint: A, law: 3}\n"
    "  shaft: {type: torsion-spring, a: one, b: two, axis: [1, 2, 2], stiffness: 40}\n";

static void elastic_arm_effort(void) {
  rig r;
  hn_inverse_info info;
  hn_result *efforts = NULL, *motion = NULL;
  if (!rig_open(&r, elastic_arm)) return;
  if (!CHECK(!hn_inverse(r.sim, &info, &efforts, &motion))) printf("%s\n", hn_sim_error(r.sim));
  CHECK(info.program && info.error < 1e-3);
  for (int i = 1; i < hn_result_rows(efforts) - 1; i++) {
    real t = 0.1L * i, q2 = 2.5L * path(6, 3, t, 0), a2 = 2.5L * path(6, 3, t, 2);
    real s2 = 2.5L * path(6, 3, t, 4);
    CHECK_NEAR(rig_value(motion, i, "A.angle"), (double)(q2 + 0.2L * a2 / 40), 1e-6);
    CHECK_NEAR(rig_value(efforts, i, "motor.effort"),
               (double)(0.5L * (a2 + 0.2L * s2 / 40) + 0.2L * a2), 2e-3);
  }
  hn_result_destroy(efforts), hn_result_destroy(motion);
  rig_close(&r);
}

// ---- geometry determines the motion: a rocker is prescribed, the crank's motor acts -------------

#define FOUR_BAR(rate, drive, law)                                                                 \
  "gravity: [0, -9.81]\n"                                                                          \
  "simulation: {duration: 1, output_step: 0.05}\n"                                                 \
  "ground: {frames: {A: [0, 0], D: [2, 0]}}\n"                                                     \
  "bodies:\n"                                                                                      \
  "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0, 0.5], angle: 90 deg,"              \
  " frames: {A: [-0.5, 0], B: [0.5, 0]}}\n"                                                        \
  "  coupler: {type: planar, mass: 1, inertia: 0.1, position: [1, 1.5], angle: 0.4,"               \
  " frames: {B: [-1.1, 0], C: [1.1, 0]}}\n"                                                        \
  "  rocker: {type: planar, mass: 1, inertia: 0.1, position: [2, 0.9], angle: 1.6,"                \
  " frames: {D: [-0.9, 0], C: [0.9, 0]}}\n"                                                        \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, a: ground.A, b: crank.A}\n"                                               \
  "  B: {type: revolute, a: crank.B, b: coupler.B}\n"                                              \
  "  C: {type: revolute, a: coupler.C, b: rocker.C}\n"                                             \
  "  D: {type: revolute, a: ground.D, b: rocker.D, hold: true" rate "}\n" drive "forces:\n"        \
  "  motor: {type: motor, joint: A, law: " law "}\n"                                               \
  "  rub: {type: friction, joint: B, coulomb: 0.1, radius: 0.1, speed: 0.05}\n"
#define SWING(by)  "  swing: {type: driver, joint_a: D, motion: 0.1*sin(4*t) + 0.3*t^2" by "}\n"
#define DRIVEN(by) FOUR_BAR("", SWING(by), "0")

// the effort found, given to the motor as its law, makes the rocker accelerate as prescribed
static void rocker_by_crank(void) {
  rig r;
  hn_inverse_info info;
  hn_result *by = NULL, *motion = NULL;
  char law[40], text[2000];
  if (!rig_open(&r, DRIVEN(", by: motor"))) return;
  if (!CHECK(!hn_inverse(r.sim, &info, &by, &motion))) printf("%s\n", hn_sim_error(r.sim));
  CHECK(!info.program);
  rig_close(&r);
  snprintf(law, sizeof law, "%.17g", rig_value(by, 0, "motor.effort"));
  snprintf(text, sizeof text, FOUR_BAR(", rate: 0.4", "", "%s"), law);
  if (!rig_open(&r, text)) return;
  CHECK_NEAR(hn_velocities(r.sim)[8], 0.4, 1e-13);
  CHECK_NEAR(hn_accelerations(r.sim)[8], 0.6, 1e-9);
  // and the reactions are those of that motion
  hn_reaction reaction;
  CHECK(!hn_joint_reaction(r.sim, (hn_joint){3}, &reaction));
  CHECK_NEAR(reaction.force[0], rig_value(motion, 0, "C.fx"), 1e-9);
  CHECK_NEAR(reaction.force[1], rig_value(motion, 0, "C.fy"), 1e-9);
  hn_result_destroy(by), hn_result_destroy(motion);
  rig_close(&r);
}

// without friction the power is the same whoever acts
static void same_power(void) {
  char text[2][2000];
  hn_result *result[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    rig r;
    snprintf(text[k], sizeof text[k], "%s", k ? DRIVEN(", by: motor") : DRIVEN(""));
    *strstr(text[k], "  rub:") = 0;
    if (!rig_open(&r, text[k])) return;
    CHECK(!hn_inverse(r.sim, NULL, &result[k], NULL));
    rig_close(&r);
  }
  for (int i = 0; i < hn_result_rows(result[0]); i++)
    CHECK_NEAR(rig_value(result[1], i, "motor.power"), rig_value(result[0], i, "swing.power"),
               1e-10);
  hn_result_destroy(result[0]), hn_result_destroy(result[1]);
}

// ---- a regular case: what acts can accelerate what is prescribed --------------------------------

#define CART(by)                                                                                   \
  "gravity: [0, -9.81]\n"                                                                          \
  "simulation: {duration: 6, output_step: 0.1, rtol: 1e-11, step: 2.5e-3}\n"                       \
  "bodies:\n"                                                                                      \
  "  cart: {type: planar, mass: 2, inertia: 1}\n"                                                  \
  "  bob: {type: planar, mass: 1, inertia: 0.02, position: [0, -1]}\n"                             \
  "joints:\n"                                                                                      \
  "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0, 0]}\n"                               \
  "  pin: {type: revolute, a: cart, b: bob, at: [0, 0]}\n"                                         \
  "  drive: {type: driver, joint_a: rail, motion: " QUICK by "}\n"                                 \
  "forces:\n"                                                                                      \
  "  motor: {type: motor, joint: rail, law: 0}\n"

static void cart_with_pendulum(void) {
  rig r;
  hn_inverse_info info;
  hn_result *direct = NULL, *by = NULL;
  if (!rig_open(&r, CART(", by: motor"))) return;
  if (!CHECK(!hn_inverse(r.sim, &info, &by, NULL))) printf("%s\n", hn_sim_error(r.sim));
  CHECK(info.program);
  rig_close(&r);
  if (!rig_open(&r, CART(""))) return;
  CHECK(!hn_inverse(r.sim, &info, &direct, NULL));
  CHECK(!info.program);
  for (int i = 0; i < hn_result_rows(by); i++)
    CHECK_NEAR(rig_value(by, i, "motor.effort"), rig_value(direct, i, "drive.effort"), 1e-4);
  hn_result_destroy(direct), hn_result_destroy(by);
  rig_close(&r);
}

// ---- refusals
// ------------------------------------------------------------------------------------

static void refused(const char *text, const char *why) {
  rig r;
  hn_result *efforts = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(hn_inverse(r.sim, NULL, &efforts, NULL) != HN_OK);
  if (!CHECK(strstr(hn_sim_error(r.sim), why))) printf("%s\n", hn_sim_error(r.sim));
  hn_result_destroy(efforts);
  rig_close(&r);
}

static void not_a_model(const char *text, const char *why) {
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_status status = hn_model_parse(model, text, strlen(text), "test");
  if (!status) status = hn_compile(&system, model);
  CHECK(status == HN_ERR_MODEL);
  if (!CHECK(strstr(hn_model_error(model), why))) printf("%s\n", hn_model_error(model));
  hn_system_destroy(system);
  hn_model_destroy(model);
}

static void refusals(void) {
  rig r;
  hn_result *result = NULL;
  hn_kinematics_info info;
  if (rig_open(&r, crane)) {
    CHECK(hn_step(r.sim) == HN_ERR_UNSUPPORTED);
    CHECK(strstr(hn_sim_error(r.sim), "holon inverse"));
    CHECK(hn_statics(r.sim, HN_REST, NULL, NULL) == HN_ERR_UNSUPPORTED);
    CHECK(hn_kinematics(r.sim, &info, &result) == HN_ERR_UNSUPPORTED);
    rig_close(&r);
  }
  char text[1600];
  snprintf(text, sizeof text, "%s", crane);
  memcpy(strstr(text, "5*("), "t+(", 3);
  refused(text, "does not start from rest");
  // both pull on the load the same way
  static const char twice[] =
      "gravity: [0, -9.81]\n"
      "simulation: {duration: 1, output_step: 0.1}\n"
      "bodies: {load: {type: planar-point, mass: 1, position: [0, -1]}}\n"
      "joints:\n"
      "  along: {type: driver, b: load, coordinate: x, by: one, motion: 0}\n"
      "  up: {type: driver, b: load, coordinate: y, by: two, motion: -1}\n"
      "forces:\n"
      "  one: {type: spring, a: ground, b: load, law: 0}\n"
      "  two: {type: spring, a: ground, b: load, law: 0}\n";
  refused(twice, "cannot produce this motion");
  static const char base[] = "bodies: {p: {type: planar-point, mass: 1, position: [1, 0]}}\n"
                             "joints:\n"
                             "  a: {type: driver, b: p, coordinate: x, by: %s, motion: 1}\n"
                             "  b: {type: driver, b: p, coordinate: y, by: f, motion: 0}\n"
                             "forces:\n"
                             "  f: {type: spring, a: ground, b: p, law: 0}\n"
                             "  g: {type: force, b: p, force: [1, 0]}\n";
  snprintf(text, sizeof text, base, "nobody");
  not_a_model(text, "no force is named 'nobody'");
  snprintf(text, sizeof text, base, "g");
  not_a_model(text, "'g' is a force");
  snprintf(text, sizeof text, base, "f");
  not_a_model(text, "acts for driver");
}

int main(void) {
  RUN(crane_follows_path);
  RUN(crane_ends);
  RUN(kink_of_another);
  RUN(elastic_arm_effort);
  RUN(rocker_by_crank);
  RUN(same_power);
  RUN(cart_with_pendulum);
  RUN(refusals);
  return test_end();
}
