// test_joint_coordinates.c: coordinates of joints with several, generic joints, fields of gravity,
// conditions of the start, and parameters that are solved for.
//
// Expected values are closed forms: products of rotations, oscillators, an orbit, and the same
// motion by joints of their own.
#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "run_rig.h"

static run simulate(const char *text, hn_status expected) {
  run r = {.model = hn_model_create()};
  hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
  if (status) snprintf(r.message, sizeof r.message, "%s", hn_model_error(r.model));
  if (!status) hn_model_options(r.model)->rtol = 1e-11;
  if (!status) status = run_model(&r, "default", "auto", 0);
  if (!CHECK(status == expected)) printf("  %s\n%s\n", r.message, text);
  return r;
}

static double end_of(const run *r, const char *name) {
  return r->result ? last_row(r->result)[column(r->result, name)] : NAN;
}

static void refused(const char *text, const char *words) {
  run r = {.model = hn_model_create()};
  hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
  if (!status) status = hn_compile(&r.system, r.model);
  if (!CHECK(status && strstr(hn_model_error(r.model), words)))
    printf("  '%s' not in: %s\n", words, hn_model_error(r.model));
  run_free(&r);
}

// R = R turned about a unit axis, intrinsic
static void turn(double R[9], const double axis[3], double angle) {
  double q[4] = {cos(angle / 2)}, T[9], o[9];
  for (int i = 0; i < 3; i++) q[1 + i] = sin(angle / 2) * axis[i];
  q_matrix(T, q);
  m3_mul(o, R, T);
  memcpy(R, o, sizeof o);
}

static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};

// is a body's frame tip, at (0.3, 0.5, 0.7), where R puts it, about a point?
static void check_tip(const run *r, const double R[9], const double centre[3]) {
  const double tip[3] = {0.3, 0.5, 0.7};
  double at[3];
  m3_mulv(at, R, tip);
  v3_add(at, at, centre);
  const char *const names[] = {"tx", "ty", "tz"};
  for (int i = 0; i < 3; i++) CHECK_REL(end_of(r, names[i]), at[i], 1, 1e-8);
}

#define BODY                                                                                       \
  "signals: {tx: b.tip.x, ty: b.tip.y, tz: b.tip.z}\n"                                             \
  "bodies:\n  b: {mass: 1, inertia: [0.2, 0.3, 0.25], frames: {tip: [0.3, 0.5, 0.7]}}\n"

// ---- coordinates -----------------------------------------------------------------------------

static void universal_driven(void) {
  double R[9];
  run r =
      simulate("simulation: {duration: 1}\n" BODY
               "joints:\n  u: {type: universal, b: b, axis: [0, 0, 1], axis_b: [0, 1, 0]}\n"
               "  one: {type: driver, joint_a: u, motion: 2.3*t}\n"
               "  two: {type: driver, joint_a: u, coordinate: angle_b, motion: -1.9*t + t^2/8}\n",
               HN_OK);
  m3_identity(R);
  turn(R, Z, 2.3);
  turn(R, Y, -1.9 + 0.125);
  check_tip(&r, R, (double[3]){0, 0, 0});
  CHECK_REL(end_of(&r, "u.angle"), 2.3, 1, 1e-8);
  CHECK_REL(end_of(&r, "u.angle_b"), -1.775, 1, 1e-8);
  CHECK_REL(end_of(&r, "u.angle_b_rate"), -1.9 + 0.25, 1, 1e-8);
  run_free(&r);
}

// a torsion spring along the second angle, the first one held: I b'' = -k b
static void universal_sprung(void) {
  run r = simulate("simulation: {duration: 1}\n" BODY
                   "joints:\n  u: {type: universal, b: b, axis: [0, 0, 1], axis_b: [0, 1, 0], "
                   "coordinate: angle_b, value: 0.2}\n"
                   "  one: {type: driver, joint_a: u, coordinate: angle, motion: 0}\n"
                   "forces:\n  s: {type: torsion-spring, joint: u, coordinate: angle_b, stiffness: "
                   "3, free: 0}\n",
                   HN_OK);
  CHECK_REL(end_of(&r, "u.angle_b"), 0.2 * cos(sqrt(3 / 0.3)), 1, 1e-8);
  run_free(&r);
}

static void spherical_driven(void) {
  double R[9];
  run r = simulate("simulation: {duration: 1}\n" BODY
                   "joints:\n  s: {type: spherical, b: b, angles: true}\n"
                   "  one: {type: driver, joint_a: s, coordinate: yaw, motion: 2*t}\n"
                   "  two: {type: driver, joint_a: s, coordinate: pitch, motion: 0.9*t}\n"
                   "  three: {type: driver, joint_a: s, coordinate: roll, motion: -2.6*t}\n",
                   HN_OK);
  m3_identity(R);
  turn(R, Z, 2);
  turn(R, Y, 0.9);
  turn(R, X, -2.6);
  check_tip(&r, R, (double[3]){0, 0, 0});
  CHECK_REL(end_of(&r, "s.roll"), -2.6, 1, 1e-8);
  run_free(&r);
  refused("bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
          "joints: {s: {type: spherical, b: b, value: 0.1}}\n",
          "angles: true");
  refused(
      "bodies: {b: {type: point, mass: 1}}\njoints: {s: {type: spherical, b: b, angles: true}}\n",
      "a point mass has no angles");
}

static void slider_driven(void) {
  double R[9];
  run r = simulate(
      "simulation: {duration: 1}\n" BODY
      "joints:\n  j: {type: revolute-prismatic, b: b, axis: [0, 0, 1], axis_b: [1, 0, 0]}\n"
      "  one: {type: driver, joint_a: j, motion: 1.2*t}\n"
      "  two: {type: driver, joint_a: j, coordinate: translation, motion: 0.4*t}\n",
      HN_OK);
  m3_identity(R);
  turn(R, Z, 1.2);
  // the hinge has moved by 0.4 along x of b
  check_tip(&r, R, (double[3]){-0.4 * cos(1.2), -0.4 * sin(1.2), 0});
  run_free(&r);
}

// ---- generic joints ----------------------------------------------------------------------------

static void equal_motion(const char *joint, const char *locked) {
  char text[2][1000];
  run r[2];
  for (int i = 0; i < 2; i++) {
    snprintf(text[i], sizeof text[i],
             "gravity: [1, 2, -9.81]\nsimulation: {duration: 0.5}\n"
             "bodies:\n"
             "  b: {mass: 2, inertia: {xx: 0.2, yy: 0.3, zz: 0.25, xy: 0.02}, position: [0.4, 0.2, "
             "-0.1], com: [0.05, 0, 0.1], velocity: [0.3, 0.1, 0.2], angular_velocity: [1, -0.7, "
             "0.4]}\n"
             "joints:\n  j: {type: %s%s, b: b, at: [0.1, -0.2, 0.3]%s}\n",
             i ? "generic, locked: " : joint, i ? locked : "",
             strcmp(joint, "fixed") == 0 || strcmp(joint, "spherical") == 0
                 ? ""
                 : ", axis: [0.3, 0.5, 0.8]");
    r[i] = simulate(text[i], HN_OK);
  }
  const char *const names[] = {"b.x", "b.y", "b.z", "b.vx", "b.wz", "j.fx", "j.tz"};
  for (int i = 0; i < 7; i++) CHECK_REL(end_of(&r[1], names[i]), end_of(&r[0], names[i]), 1, 1e-7);
  run_free(&r[0]), run_free(&r[1]);
}

static void generic_joints(void) {
  equal_motion("revolute", "[x, y, z, roll, pitch]");
  equal_motion("prismatic", "[x, y, roll, pitch, yaw]");
  equal_motion("cylindrical", "[x, y, roll, pitch]");
  equal_motion("spherical", "[x, y, z]");
  equal_motion("planar", "[z, roll, pitch]");
  equal_motion("fixed", "[x, y, z, roll, pitch, yaw]");
}

// every subset leaves the others as coordinates, which can be driven where they are wanted
static void all_subsets(void) {
  static const char *const names[] = {"x", "y", "z", "roll", "pitch", "yaw"};
  static const double value[] = {0.3, -0.2, 0.5, 0.7, -0.4, 1.1};
  for (unsigned locked = 0; locked < 64; locked++) {
    char text[3000], list[64] = "";
    double R[9], centre[3] = {0, 0, 0};
    for (int k = 0; k < 6; k++)
      if (locked & 1u << k)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                 names[k]);
    size_t n = (size_t)snprintf(text, sizeof text,
                                "simulation: {duration: 1, output_step: 1}\n" BODY
                                "joints:\n  j: {type: generic, b: b, locked: [%s]}\n",
                                list);
    for (int k = 0; k < 6; k++)
      if (!(locked & 1u << k))
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  d%d: {type: driver, joint_a: j, coordinate: %s, motion: %g*t}\n",
                              k, names[k], value[k]);
    if (!*list) continue;  // nothing locked is no joint
    run r = simulate(text, HN_OK);
    m3_identity(R);
    for (int k = 0; k < 3; k++)
      if (!(locked & 1u << k)) centre[k] = value[k];
    if (!(locked & 32)) turn(R, Z, value[5]);
    if (!(locked & 16)) turn(R, Y, value[4]);
    if (!(locked & 8)) turn(R, X, value[3]);
    check_tip(&r, R, centre);
    run_free(&r);
  }
}

// ---- gravity that depends on the place
// -----------------------------------------------------------

static void orbit(void) {
  // about a centre of attraction at the origin, mu = 4: a = 1 / (2 / r - v^2 / mu)
  double a = 1 / (2 / 1.5 - 1.2 * 1.2 / 4), period = 2 * acos(-1) * sqrt(a * a * a / 4);
  char text[800];
  snprintf(
      text, sizeof text,
      "parameters: {mu: 4}\n"
      "gravity: [-mu*x/(x^2+y^2+z^2)^1.5, -mu*y/(x^2+y^2+z^2)^1.5, -mu*z/(x^2+y^2+z^2)^1.5]\n"
      "simulation: {duration: %.17g}\n"
      "bodies:\n  moon: {mass: 3, inertia: [1, 1, 1], position: [1.3, 0, 0], com: [0.2, 0, 0], "
      "velocity: [0, 0, 1.2]}\n",
      period);
  run r = simulate(text, HN_OK);
  CHECK_REL(end_of(&r, "moon.x"), 1.3, 1, 1e-7);
  CHECK_REL(end_of(&r, "moon.z"), 0.0, 1, 1e-7);
  CHECK_REL(end_of(&r, "moon.vz"), 1.2, 1, 1e-7);
  run_free(&r);
}

// ---- the start
// -----------------------------------------------------------------------------------

static void starts(void) {
  static const char linkage[] =
      "simulation: {duration: 0.001}\n"
      "bodies:\n"
      "  one: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], frames: {tip: [0.5, 0]}}\n"
      "  two: {type: planar, mass: 1, inertia: 0.1, position: [2.5, 0], frames: {tip: [-0.5, 0]}}\n"
      "joints:\n"
      "  A: {type: revolute, b: one, at: [0, 0]}\n"
      "  B: {type: revolute, b: two, at: [3, 0]}\n"
      "forces:\n  strut: {type: spring, a: one.tip, b: two.tip, stiffness: 1e-9, free: 1}\n"
      "start:\n%s";
  char text[1500];
  snprintf(text, sizeof text, linkage,
           "  one.tip.x - two.tip.x: -1.2\n"
           "  A.angle + 2*B.angle: {value: 0.1, rate: 0.7}\n"
           "  A.angle: {rate: 0.3}\n");
  run r = simulate(text, HN_OK);
  if (r.result) {
    const double *row = hn_result_row(r.result, 0);
#define AT(name) row[column(r.result, name)]
    CHECK_REL(AT("one.x") * 2 - (2 * AT("two.x") - 3), -1.2, 1, 1e-9);
    CHECK_REL(AT("A.angle") + 2 * AT("B.angle"), 0.1, 1, 1e-9);
    CHECK_REL(AT("A.angle_rate"), 0.3, 1, 1e-9);
    CHECK_REL(AT("B.angle_rate"), 0.2, 1, 1e-9);
#undef AT
  }
  run_free(&r);
  snprintf(text, sizeof text, linkage, "  strut.length: {value: 1.7, rate: -0.25}\n");
  r = simulate(text, HN_OK);
  if (r.result) {
    CHECK_REL(hn_result_row(r.result, 0)[column(r.result, "strut.length")], 1.7, 1, 1e-9);
    CHECK_REL(hn_result_row(r.result, 0)[column(r.result, "strut.rate")], -0.25, 1, 1e-9);
  }
  run_free(&r);
  snprintf(text, sizeof text, linkage, "  strut.length: 9\n");
  refused(text, "test.yaml:11:3: start 'strut.length': it is to be 9, but the joints");
  snprintf(text, sizeof text, linkage, "  one.tip.x*two.tip.x: 9\n");
  refused(text, "no sum of positions");
  snprintf(text, sizeof text, linkage, "  one.vx: 9\n");
  refused(text, "reads a velocity");
  snprintf(text, sizeof text, linkage, "  one.tipp.x: 9\n");
  refused(text, "start 'one.tipp.x'");
}

// ---- parameters that follow
// ------------------------------------------------------------------------

static void solved(void) {
  static const char seat[] =
      "parameters: {m: 80, k: 1000, l0: 0.6}\n"
      "gravity: [0, -9.81]\n"
      "simulation: {duration: 1}\n"
      "bodies:\n  seat: {type: planar-point, mass: m, position: [0, 0.45]}\n"
      "joints:\n  rail: {type: point-on-line, b: seat, at: [0, 0.45], axis: [0, 1], value: 0.45}\n"
      "forces:\n  spring: {type: spring, b: seat, stiffness: k, free: l0}\n"
      "solve:\n%s";
  char text[1000];
  double k = NAN, l0 = NAN;
  snprintf(text, sizeof text, seat, "  k: rail.translation_acceleration = 0\n");
  run r = simulate(text, HN_OK);
  hn_model_parameter(r.model, "k", &k);
  CHECK_REL(k, 80 * 9.81 / 0.15, 1, 1e-9);
  CHECK_REL(end_of(&r, "seat.y"), 0.45, 1, 1e-9);
  run_free(&r);
  // two at once: at rest, and with a given force in the spring
  snprintf(text, sizeof text, seat,
           "  m: rail.translation_acceleration = 0\n  l0: spring.force = -500\n");
  r = simulate(text, HN_OK);
  hn_model_parameter(r.model, "m", &k);
  hn_model_parameter(r.model, "l0", &l0);
  CHECK_REL(k, 500 / 9.81, 1, 1e-9);
  CHECK_REL(l0, 0.95, 1, 1e-9);
  run_free(&r);
  snprintf(text, sizeof text, seat, "  k: rail.translation = 2\n");
  refused(text, "test.yaml:11:6: solve 'k': the condition does not depend");
  snprintf(text, sizeof text, seat, "  k: rail.translatio_acceleration = 2\n");
  refused(text, "solve 'k': ");
  snprintf(text, sizeof text, seat, "  kk: rail.translation = 2\n");
  refused(text, "no parameter");
  snprintf(text, sizeof text, seat, "  k: 17\n");
  refused(text, "must be an equation");
}

int main(void) {
  RUN(universal_driven);
  RUN(universal_sprung);
  RUN(spherical_driven);
  RUN(slider_driven);
  RUN(generic_joints);
  RUN(all_subsets);
  RUN(orbit);
  RUN(starts);
  RUN(solved);
  return test_end();
}
