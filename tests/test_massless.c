// test_massless.c: bodies without mass, without inertia about some axis, and elements in series.
//
// References come from tests/references/massless.py, which eliminates by hand what has no mass, and
// from the same motion described in another way.
#include <math.h>
#include <stdio.h>

#include "run_rig.h"

static run simulate(const char *text, const char *method, double step, hn_status expected) {
  run r = {.model = hn_model_create()};
  hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
  if (status) snprintf(r.message, sizeof r.message, "%s", hn_model_error(r.model));
  if (!status) hn_model_options(r.model)->rtol = 1e-11;
  if (!status) status = run_model(&r, method, "auto", step);
  if (!CHECK(status == expected)) printf("  %s\n  %s\n", r.message, text);
  return r;
}

static double end_of(const run *r, const char *name) {
  return r->result ? last_row(r->result)[column(r->result, name)] : NAN;
}

// ---- elements in series --------------------------------------------------------------------

static void series_case(const char *elements, const char *method, double step, double tolerance,
                        const double *expected, const char *const *states) {
  char text[1000];
  snprintf(text, sizeof text,
           "gravity: [9.81, 0]\n"
           "simulation: {duration: 2}\n"
           "bodies:\n  block: {type: planar-point, mass: 2, position: [0.6, 0]}\n"
           "joints:\n  rail: {type: point-on-line, b: block, at: [0.6, 0], axis: [1, 0]}\n"
           "forces:\n  mount: {type: series, b: block, %s, free: 0.5}\n",
           elements);
  run r = simulate(text, method, step, HN_OK);
  CHECK_REL(end_of(&r, "block.x"), expected[0], 1, tolerance);
  CHECK_REL(end_of(&r, "block.vx"), expected[1], 1, tolerance);
  for (int k = 0; states[k]; k++) CHECK_REL(end_of(&r, states[k]), expected[2 + k], 1, tolerance);
  run_free(&r);
}

static void test_series(void) {
  static const double maxwell[] = {3.0070000002258, 1.30799999468791, 2.44160000070828};
  static const double three[] = {1.03564278849603, 0.207238945634411, 0.0391946363770466,
                                 0.431394690097013};
  static const double dampers[] = {0.604394989005773, 0.00476389830109767, 0.0652590935519504};
  static const char *const one[] = {"mount_e2", NULL},
                           *const two[] = {"mount_e2", "mount_e3", NULL},
                           *const first[] = {"mount_e1", NULL};
  series_case("stiffness: [300, 0], damping: [0, 15]", "default", 0, 1e-8, maxwell, one);
  series_case("stiffness: [300, 500, 0], damping: [0, 20, 90]", "default", 0, 1e-8, three, two);
  series_case("stiffness: [300, 500], damping: [8, 20]", "default", 0, 1e-8, dampers, first);
  // implicit steps of order 2 have the states in their Newton iteration
  series_case("stiffness: [300, 0], damping: [0, 15]", "index3-alpha", 1e-3, 2e-5, maxwell, one);
}

// along a joint's angle, and length of a force read by a formula
static void test_series_on_joint(void) {
  static const char text[] =
      "simulation: {duration: 1}\n"
      "bodies:\n  disc: {type: planar, mass: 1, inertia: 0.5, angular_velocity: 3}\n"
      "joints:\n  hinge: {type: revolute, b: disc, at: [0, 0]}\n"
      "forces:\n  shaft: {type: series, joint: hinge, stiffness: [20, 30], damping: [0, 0], "
      "free: 0}\n";
  run r = simulate(text, "default", 0, HN_OK);
  double omega = sqrt(12 / 0.5);  // two springs: 1/K = 1/20 + 1/30
  CHECK_REL(end_of(&r, "hinge.angle"), 3 / omega * sin(omega), 1, 1e-8);
  run_free(&r);
  static const char lengths[] =
      "simulation: {duration: 1}\n"
      "signals: {long: strut.length, fast: strut.rate}\n"
      "bodies:\n  ball: {type: point, mass: 1, position: [3, 4, 0], velocity: [5, 0, 0]}\n"
      "forces:\n  strut: {type: spring, b: ball, stiffness: 1e-12}\n";
  r = simulate(lengths, "default", 0, HN_OK);
  CHECK_REL(end_of(&r, "long"), hypot(8, 4), 1, 1e-9);
  CHECK_REL(end_of(&r, "fast"), 5 * 8 / hypot(8, 4), 1, 1e-9);
  run_free(&r);
}

// ---- links and rotors ------------------------------------------------------------------------

static const char linkage[] =
    "gravity: [0, -9.81]\n"
    "simulation: {duration: 1}\n"
    "points: {A: [0, 0], D: [2.5, 0], B: {from: A, distance: 1, angle: 60 deg},\n"
    "         C: {circles: [[B, 2], [D, 2]], side: left}}\n"
    "bodies:\n"
    "  crank: {type: planar, from: A, to: B, mass: 1%s}\n"
    "  coupler: {type: planar, from: B, to: C, mass: 0}\n"
    "  rocker: {type: planar, from: D, to: C, mass: 3}\n"
    "joints:\n"
    "  A: {type: revolute, b: crank, at: A, value: pi/3}\n"
    "  B: {type: revolute, a: crank, b: coupler, at: B}\n"
    "  C: {type: revolute, a: coupler, b: rocker, at: C}\n"
    "  D: {type: revolute, b: rocker, at: D}\n";

static void test_link(void) {
  static const struct {
    const char *method;
    double step, tolerance;
  } cases[] = {{"default", 0, 1e-8},
               {"udwadia-kalaba", 1e-3, 1e-6},
               {"index3-alpha", 5e-4, 2e-4},
               {"augmented-lagrangian", 1e-3, 1e-6}};
  char text[1500];
  snprintf(text, sizeof text, linkage, "");
  for (int i = 0; i < 4; i++) {
    run r = simulate(text, cases[i].method, cases[i].step, HN_OK);
    if (!CHECK_REL(end_of(&r, "A.angle"), -1.0021374276873, 1, cases[i].tolerance) ||
        !CHECK_REL(end_of(&r, "A.angle_rate"), -6.88720207631126, 10, cases[i].tolerance))
      printf("  %s\n", cases[i].method);
    run_free(&r);
  }
}

// velocities that do not fit become so by an impulse, which a link without mass does not feel
static void test_impulse(void) {
  char text[1500];
  snprintf(text, sizeof text, linkage, ", angular_velocity: 1");
  run r = simulate(text, "default", 0, HN_OK);
  if (r.result) {
    const double *first = hn_result_row(r.result, 0);
    double rate = first[column(r.result, "A.angle_rate")],
           p = first[column(r.result, "D.angle_rate")];
    p /= rate;
    // along (w, p w): w = (1/12) / (1/3 + 4 p^2)
    CHECK_REL(rate, 1.0 / 12 / (1.0 / 3 + 4 * p * p), 1, 1e-7);
  }
  run_free(&r);
}

// a cross without mass between two shafts is a universal joint
static void test_cross(void) {
  static const char format[] =
      "gravity: [0, 0, 0]\n"
      "simulation: {duration: 1}\n"
      "bodies:\n"
      "  front: {mass: 1, inertia: [0.3, 0.2, 0.2], position: [-0.5, 0, 0]}\n"
      "  rear: {mass: 1, inertia: [0.2, 0.3, 0.3], position: [0.5, 0.2, 0], orientation: {axis: "
      "[0, "
      "0, 1], angle: atan(0.4)}}\n"
      "%s"
      "joints:\n"
      "  left: {type: revolute, b: front, axis: [1, 0, 0], rate: 3}\n"
      "  right: {type: cylindrical, b: rear, at: [0.5, 0.2, 0], axis: [1, 0.4, 0]}\n"
      "%s"
      "forces:\n  load: {type: torque, b: rear, torque: [-0.4, 0, 0]}\n";
  char text[2000];
  snprintf(text, sizeof text, format, "",
           "  joint: {type: universal, a: front, b: rear, at: [0, 0, 0], axis: [0, 0, 1], axis_b: "
           "[-0.4, 1, 0]}\n");
  run whole = simulate(text, "default", 0, HN_OK);
  snprintf(text, sizeof text, format, "  cross: {mass: 0, position: [0, 0, 0]}\n",
           "  one: {type: revolute, a: front, b: cross, at: [0, 0, 0], axis: [0, 0, 1]}\n"
           "  two: {type: revolute, a: cross, b: rear, at: [0, 0, 0], axis: [-0.4, 1, 0]}\n");
  run parts = simulate(text, "default", 0, HN_OK);
  const char *const names[] = {"left.angle", "left.angle_rate", "right.angle", "right.angle_rate"};
  for (int i = 0; i < 4; i++)
    CHECK_REL(end_of(&parts, names[i]), end_of(&whole, names[i]), 1, 1e-8);
  run_free(&whole), run_free(&parts);
}

static void test_rotor(void) {
  static const char *const bodies[] = {"mass: 2, inertia: [0, 0, 0.3]",
                                       "mass: 0, inertia: [0, 0, 0.3]"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nsimulation: {duration: 2}\n"
             "bodies:\n  rotor: {%s, position: [0, 0, 1]}\n"
             "joints:\n  J: {type: revolute, b: rotor, rate: 2}\n"
             "forces:\n  T: {type: torque, b: rotor, torque: 0.6}\n",
             bodies[i]);
    run r = simulate(text, "default", 0, HN_OK);
    CHECK_REL(end_of(&r, "J.angle"), 2 * 2 + 0.5 * 2 * 4, 1, 1e-10);
    run_free(&r);
  }
}

// ---- points and lines that can turn ------------------------------------------------------------

static void test_points(void) {
  static const char head[] = "gravity: [0, -9.81]\nsimulation: {duration: 2}\nbodies:\n";
  static const char *const tail[] = {
      "  bob: {type: planar-point, mass: 2, position: [0.5, 0]}\n"
      "joints:\n  J: {type: distance, b: bob, at: [0, 0]}\n",
      "  bob: {type: planar, mass: 2, inertia: 0, position: [0.5, 0]}\n"
      "joints:\n  J: {type: revolute, b: bob, at: [0, 0]}\n",
      // held at the mass itself: it may turn as it likes
      "  bob: {type: planar, mass: 2, inertia: 0, position: [0.5, 0]}\n"
      "joints:\n  J: {type: distance, b: bob, at: [0, 0]}\n"};
  run r[3];
  for (int i = 0; i < 3; i++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s", head, tail[i]);
    r[i] = simulate(text, "default", 0, HN_OK);
    CHECK_REL(end_of(&r[i], "bob.x"), end_of(&r[0], "bob.x"), 1, 1e-8);
    CHECK_REL(end_of(&r[i], "bob.vy"), end_of(&r[0], "bob.vy"), 1, 1e-8);
    CHECK_REL(end_of(&r[i], "energy.total"), end_of(&r[0], "energy.total"), 1, 1e-8);
  }
  for (int i = 0; i < 3; i++) run_free(&r[i]);
}

// a spherical pendulum whose mass lies on a line: the moment about that line does not matter
static void test_line(void) {
  static const char *const inertia[] = {"[0.05, 0.1, 0.1]", "[0, 0.1, 0.1]"};
  run r[2];
  for (int i = 0; i < 2; i++) {
    char text[500];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\nsimulation: {duration: 2}\n"
        "bodies:\n  rod: {mass: 2, inertia: %s, position: [0.5, 0, 0], velocity: [0, 0.75, 0], "
        "angular_velocity: [0, 0, 1.5]}\n"
        "joints:\n  J: {type: spherical, b: rod, at: [0, 0, 0]}\n",
        inertia[i]);
    r[i] = simulate(text, "default", 0, HN_OK);
  }
  const char *const names[] = {"rod.x", "rod.y", "rod.z", "rod.vx", "J.fz", "energy.kinetic"};
  for (int i = 0; i < 6; i++) CHECK_REL(end_of(&r[1], names[i]), end_of(&r[0], names[i]), 1, 1e-8);
  run_free(&r[0]), run_free(&r[1]);
}

// ---- analyses --------------------------------------------------------------------------------

// A four-bar linkage with springs, its coupler a body without mass, or a distance: the same
// mechanism, whose analyses must agree. Numbers are drawn
typedef struct numbers {
  double a, b, c, d, at[2], to[2], mass[2], k[2], damping;
} numbers;

static numbers draw(void) {
  numbers l = {.a = test_random(0.3, 0.5), .c = test_random(0.6, 0.9), .d = test_random(0.9, 1.1)};
  double crank = test_random(0.6, 1.6), lean = test_random(1.2, 1.8);
  l.at[0] = l.a * cos(crank), l.at[1] = l.a * sin(crank);
  l.to[0] = l.d + l.c * cos(lean), l.to[1] = l.c * sin(lean);
  for (int i = 0; i < 2; i++) l.mass[i] = test_random(0.5, 2), l.k[i] = test_random(5, 40);
  l.damping = test_random(0.1, 0.5);
  return l;
}

static bool begin(run *r, const numbers *l, bool body, const char *more) {
  char text[1600], link[400];
  if (body)
    snprintf(link, sizeof link,
             "  B: {type: revolute, a: crank, b: coupler, at: [%.17g, %.17g]}\n"
             "  C: {type: revolute, a: coupler, b: follower, at: [%.17g, %.17g]}\n",
             l->at[0], l->at[1], l->to[0], l->to[1]);
  else
    snprintf(link, sizeof link,
             "  B: {type: distance, a: crank, b: follower, at: [%.17g, %.17g], at_b: [%.17g, "
             "%.17g]}\n",
             l->at[0], l->at[1], l->to[0], l->to[1]);
  snprintf(text, sizeof text,
           "gravity: [0, -9.81]\nsimulation: {duration: 0.4, output_step: 0.05, coordinates: "
           "reference}\n"
           "bodies:\n"
           "  crank: {type: planar, mass: %.17g, inertia: 0.02, position: [%.17g, %.17g]}\n"
           "  follower: {type: planar, mass: %.17g, inertia: 0.05, position: [%.17g, %.17g]}\n"
           "%s"
           "joints:\n"
           "  A: {type: revolute, b: crank, at: [0, 0]}\n"
           "  D: {type: revolute, b: follower, at: [%.17g, 0]}\n"
           "%s%s"
           "forces:\n"
           "  s: {type: torsion-spring, joint: A, stiffness: %.17g, damping: %.17g, free: 0.2}\n"
           "  u: {type: torsion-spring, joint: D, stiffness: %.17g, free: -0.1}\n",
           l->mass[0], 0.5 * l->at[0], 0.5 * l->at[1], l->mass[1], 0.5 * (l->d + l->to[0]),
           0.5 * l->to[1], body ? "  coupler: {type: planar, mass: 0, position: [0.5, 0.5]}\n" : "",
           l->d, link, more, l->k[0], l->damping, l->k[1]);
  *r = (run){.model = hn_model_create()};
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  if (!status) status = hn_compile(&r->system, r->model);
  if (status) snprintf(r->message, sizeof r->message, "%s", hn_model_error(r->model));
  hn_options *o = hn_model_options(r->model);
  if (!status) status = hn_sim_create(&r->sim, r->system, o, r->message, sizeof r->message);
  if (!CHECK(!status)) printf("  %s\n", r->message);
  return !status;
}

// columns of b that a has, too
static void compare(const hn_result *a, const hn_result *b, double tolerance) {
  if (!CHECK(a && b) || !CHECK(hn_result_rows(a) == hn_result_rows(b))) return;
  for (int k = 0; k < hn_result_columns(b); k++) {
    const char *name = hn_result_name(b, k);
    // of what connects the two ends there are two descriptions
    if (name[0] == 'B' || strncmp(name, "residual", 8) == 0 || strncmp(name, "constr", 6) == 0)
      continue;
    int other = column(a, name);
    for (int i = 0; i < hn_result_rows(b); i++)
      if (!CHECK(fabs(hn_result_row(a, i)[other] - hn_result_row(b, i)[k]) <=
                 tolerance * (1 + fabs(hn_result_row(b, i)[k])))) {
        printf("  %s in row %d: %.17g, %.17g\n", name, i, hn_result_row(a, i)[other],
               hn_result_row(b, i)[k]);
        return;
      }
  }
}

static void analyse_rest(const numbers *l) {
  run r[2];
  hn_linear *linear[2] = {NULL, NULL};
  hn_modes *modes[2] = {NULL, NULL};
  for (int i = 0; i < 2; i++) {
    hn_equilibrium info;
    if (!begin(&r[i], l, i == 0, "")) continue;
    if (!CHECK(hn_statics(r[i].sim, HN_REST, &info, &r[i].result) == HN_OK) ||
        !CHECK(hn_linearise(r[i].sim, &linear[i]) == HN_OK) ||
        !CHECK(hn_modes_create(&modes[i], linear[i]) == HN_OK))
      printf("  %s\n", hn_sim_error(r[i].sim));
    CHECK(info.stability == HN_STABLE);
  }
  compare(r[0].result, r[1].result, 1e-9);
  if (modes[0] && modes[1] && CHECK(modes[0]->count == 1 && modes[1]->count == 1)) {
    CHECK_REL(modes[0]->mode[0].re, modes[1]->mode[0].re, 1, 1e-9);
    CHECK_REL(modes[0]->mode[0].im, modes[1]->mode[0].im, 1, 1e-9);
  }
  for (int i = 0; i < 2; i++) {
    hn_modes_destroy(modes[i]);
    hn_linear_destroy(linear[i]);
    run_free(&r[i]);
  }
}

static void analyse_driven(const numbers *l) {
  run r[2];
  hn_result *efforts[2] = {NULL, NULL};
  for (int i = 0; i < 2; i++) {
    hn_kinematics_info info;
    if (!begin(&r[i], l, i == 0, "  move: {type: driver, joint_a: A, motion: 0.3*sin(2*t)}\n"))
      continue;
    if (!CHECK(hn_kinematics(r[i].sim, &info, &r[i].result) == HN_OK) ||
        !CHECK(hn_set_state(r[i].sim, 0, hn_positions(r[i].sim), hn_velocities(r[i].sim)) ==
               HN_OK) ||
        !CHECK(hn_inverse(r[i].sim, NULL, &efforts[i], NULL) == HN_OK))
      printf("  %s\n", hn_sim_error(r[i].sim));
  }
  compare(r[0].result, r[1].result, 1e-8);
  compare(efforts[0], efforts[1], 1e-8);
  for (int i = 0; i < 2; i++) {
    hn_result_destroy(efforts[i]);
    run_free(&r[i]);
  }
}

static void test_analyses(void) {
  for (int k = 0; k < 12; k++) {
    numbers l = draw();
    analyse_rest(&l);
    analyse_driven(&l);
  }
}

// a bob on a rod without mass: sqrt(g/l)
static void test_rod(void) {
  static const char text[] = "gravity: [0, -9.81]\nsimulation: {coordinates: reference}\n"
                             "bodies:\n"
                             "  rod: {type: planar, mass: 0, position: [0, -0.4]}\n"
                             "  bob: {type: planar, mass: 1.7, inertia: 0, position: [0, -0.8]}\n"
                             "joints:\n"
                             "  pin: {type: revolute, b: rod, at: [0, 0]}\n"
                             "  end: {type: fixed, a: rod, b: bob, at: [0, -0.8]}\n";
  run r = {.model = hn_model_create()};
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
  if (!status) status = hn_compile(&r.system, r.model);
  if (!status)
    status =
        hn_sim_create(&r.sim, r.system, hn_model_options(r.model), r.message, sizeof r.message);
  if (CHECK(!status) && CHECK(hn_linearise(r.sim, &linear) == HN_OK) &&
      CHECK(hn_modes_create(&modes, linear) == HN_OK) && CHECK(modes->count == 1))
    CHECK_NEAR(modes->mode[0].im, sqrt(9.81 / 0.8), 1e-10);
  else
    printf("  %s %s\n", hn_model_error(r.model), r.sim ? hn_sim_error(r.sim) : r.message);
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  run_free(&r);
}

// ---- refused ---------------------------------------------------------------------------------

static void refused(const char *text, hn_status status, const char *words) {
  run r = simulate(text, "default", 0, status);
  if (!CHECK(strstr(r.message, words) != NULL)) printf("  '%s' not in: %s\n", words, r.message);
  run_free(&r);
}

static void test_refused(void) {
  refused(
      "bodies:\n  b: {type: planar, mass: 0}\njoints:\n  J: {type: revolute, b: b, at: [1, 0]}\n",
      HN_ERR_MODEL, "test.yaml:2:3: body 'b' ");
  refused(
      "bodies:\n  b: {type: point, mass: 0}\nforces:\n  s: {type: spring, b: b, stiffness: 1}\n",
      HN_ERR_MODEL, "body 'b' moves along");
  // a line that a torque turns about itself
  refused("bodies:\n  b: {mass: 1, inertia: [0, 1, 1]}\n"
          "joints:\n  J: {type: spherical, b: b, at: [-1, 0, 0]}\n"
          "forces:\n  T: {type: torque, b: b, axes: body, torque: [1, 0, 0]}\n",
          HN_ERR_MODEL, "body 'b' turns about its axis x without inertia");
  refused("bodies:\n  b: {mass: 1, inertia: [0, 1, 1], angular_velocity: [3, 0, 0]}\n",
          HN_ERR_MODEL, "means nothing");
  refused("bodies:\n  b: {mass: 1, inertia: [0, 1, 3]}\n", HN_ERR_MODEL,
          "no body has this inertia");
  refused("bodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
          "forces:\n  s: {type: series, b: b, stiffness: [1, 0], damping: [1], free: 0}\n",
          HN_ERR_MODEL, "one number for every element");
  refused("bodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
          "forces:\n  s: {type: series, b: b, stiffness: [1, 0], damping: [1, 0], free: 0}\n",
          HN_ERR_MODEL, "neither stiffness nor damping");
}

int main(void) {
  RUN(test_series);
  RUN(test_series_on_joint);
  RUN(test_link);
  RUN(test_impulse);
  RUN(test_cross);
  RUN(test_rotor);
  RUN(test_points);
  RUN(test_line);
  RUN(test_analyses);
  RUN(test_rod);
  RUN(test_refused);
  return test_end();
}
