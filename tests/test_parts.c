// test_parts.c: sub-assemblies: their names, where they are put, what moves in them.
//
// A mechanism that is put somewhere moves there as it does at home: joint coordinates are the same
// and bodies are where the placement takes them. Both are computed apart here.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "folder.h"
#include "io/model_reader.h"

static hn_model *parse(const char *text) {
  hn_model *m = hn_model_create();
  if (hn_model_parse(m, text, strlen(text), "test.yaml") == HN_OK) return m;
  test_check(0, hn_model_error(m), __FILE__, __LINE__);
  hn_model_destroy(m);
  return NULL;
}

// ---- names and parameters ------------------------------------------------------------------

static void names(void) {
  hn_model *m = parse(
      "parameters: {k: 100, L: 7}\n"
      "parts:\n"
      "  arm:\n"
      "    parameters: {L: 1, c: L/10}\n"
      "    points: {A: [0, 0], B: [L, 0]}\n"
      "    bodies: {rod: {type: planar, mass: 1, from: A, to: B}}\n"
      "    joints: {hinge: {type: revolute, b: rod, at: A}}\n"
      "    forces: {s: {type: torsion-spring, joint: hinge, law: \"k*angle + c*rate + 0*rod.B.x + "
      "2e3*0*other.x + c*0\"}}\n"
      "bodies: {other: {type: planar, mass: 1, inertia: 1}}\n"
      "use:\n"
      "  left: {part: arm, with: {L: L/2}}\n"
      "  right: {part: arm, at: [3, 0]}\n"
      "joints: {G: {type: gear, joint_a: left.hinge, joint_b: right.hinge, ratio: 2}}\n"
      "forces: {f: {type: force, b: left.rod.B, force: [right.hinge.angle, right.rod.x]}}\n");
  if (!m) return;
  double value;
  CHECK(hn_model_parameter(m, "left.L", &value) == HN_OK && value == 3.5);
  CHECK(hn_model_parameter(m, "left.c", &value) == HN_OK && value == 0.35);
  CHECK(hn_model_parameter(m, "right.c", &value) == HN_OK && value == 0.1);
  CHECK(hn_model_find_body(m, "left.rod") == 2 && hn_model_find_body(m, "right.rod") == 3);
  CHECK(hn_model_find_frame(m, 3, "B") >= 0);
  CHECK_NEAR(m->body[3].def.position[0], 3.5, 1e-15);
  CHECK_STR(m->force[1].def.law,
            "k*angle + left.c*rate + 0*left.rod.B.x + 2e3*0*other.x + left.c*0");
  CHECK_STR(m->force[1].def.joint, "left.hinge");
  CHECK_STR(m->joint[0].def.joint_a, "left.hinge");
  hn_system *sys = NULL;
  if (hn_compile(&sys, m) != HN_OK) test_check(0, hn_model_error(m), __FILE__, __LINE__);
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

// inputs of controllers are formulas; modes are called as they are, whatever else is called so
static void controllers(void) {
  hn_model *m =
      parse("parameters: {K: 100}\n"
            "signals: {v: 2*t}\n"
            "parts:\n"
            "  arm:\n"
            "    parameters: {K: 3}\n"
            "    bodies: {lift: {mass: 1, inertia: [1, 1, 1]}}\n"
            "    joints: {hinge: {type: revolute, b: lift}}\n"
            "    signals: {u: 5*t}\n"
            "    controllers:\n"
            "      law: {period: 0.1, inputs: [\"K*hinge.angle - u\", v]}\n"
            "      machine: {modes: [idle, lift], transitions: {idle -> lift: \"u > K\"}}\n"
            "use: {left: {part: arm}}\n");
  if (!m) return;
  if (CHECK(m->controller_count == 2)) {
    CHECK_STR(m->controller[0].input[0], "left.K*left.hinge.angle - left.u");
    CHECK_STR(m->controller[0].input[1], "v");
    CHECK_STR(m->controller[1].guard[0], "left.u > left.K");
    CHECK(m->controller[1].modes == 2 && m->controller[1].to[0] == 1);
  }
  hn_model_destroy(m);
}

// a parameter of a use can be changed from outside
static void overrides(void) {
  hn_model *m = hn_model_create();
  const char text[] =
      "parts: {p: {parameters: {L: 1}, bodies: {b: {mass: L, inertia: [1, 1, 1]}}}}\n"
      "use: {x: {part: p}, y: {part: p}}\n";
  CHECK(hn_model_override(m, "y.L", "5") == HN_OK);
  CHECK(hn_model_parse(m, text, sizeof text - 1, "test.yaml") == HN_OK);
  CHECK(m->body_count == 3 && m->body[1].def.mass == 1 && m->body[2].def.mass == 5);
  hn_model_destroy(m);
}

// a model may be nothing but blocks, and those may stand in parts
static void blocks_alone(void) {
  hn_model *m = parse("parts:\n"
                      "  mass:\n"
                      "    blocks: {m: {coordinates: {x: 1}, kinetic_energy: 0.5*x.rate^2, "
                      "potential: 2*x^2}}\n"
                      "use: {a: {part: mass}, b: {part: mass}}\n");
  if (m) CHECK(m->block_count == 2 && hn_model_find_block(m, "b.m") == 1);
  hn_model_destroy(m);
  static const char nothing[] = "parts: {p: {parameters: {k: 1}}}\nuse: {a: {part: p}}\n";
  m = hn_model_create();
  CHECK(hn_model_parse(m, nothing, strlen(nothing), "test.yaml") == HN_ERR_MODEL);
  CHECK(strstr(hn_model_error(m), "the model has no bodies") != NULL);
  hn_model_destroy(m);
}

// what is in a part may not be called like something that another element has
static void refuse(const char *text, const char *expected) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_status status = hn_model_parse(m, text, strlen(text), "test.yaml");
  if (!status) status = hn_compile(&sys, m);
  CHECK(status == HN_ERR_MODEL);
  if (!CHECK(strstr(hn_model_error(m), expected) != NULL)) printf("  %s\n", hn_model_error(m));
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

static void same_names(void) {
  refuse("parts: {p: {signals: {x: 5 + t}, bodies: {q: {mass: 1, inertia: [1, 1, 1]}}}}\n"
         "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
         "use: {a: {part: p}}\n",
         "signal 'a.x': another element has a column of this name");
  refuse("parts: {p: {bodies: {tip: {mass: 1, inertia: [1, 1, 1]}}}}\n"
         "bodies: {a: {mass: 1, inertia: [1, 1, 1], frames: {tip: [1, 0, 0]}}}\n"
         "use: {a: {part: p}}\n",
         "body 'a.tip': a body has already a frame that is called so");
  // without anything that is called alike the names are free
  hn_model *m =
      parse("parts: {p: {signals: {u: 5 + t}, bodies: {q: {mass: 1, inertia: [1, 1, 1]}}}}\n"
            "bodies: {a: {mass: 1, inertia: [1, 1, 1], frames: {tip: [1, 0, 0]}}}\n"
            "use: {a: {part: p}}\n");
  hn_system *sys = NULL;
  if (m) CHECK(hn_compile(&sys, m) == HN_OK);
  hn_system_destroy(sys);
  // a program adds in any order
  hn_body outer = {0};
  hn_model *own = hn_model_create();
  CHECK(hn_add_body(own, &(hn_body_def){.name = "a.tip", .kind = HN_POINT, .mass = 1}).id > 0);
  outer = hn_add_body(own, &(hn_body_def){.name = "a", .mass = 1, .inertia = {1, 1, 1}});
  CHECK(hn_add_frame(own, &(hn_frame_def){.name = "tip", .body = outer}).id < 0);
  CHECK(strstr(hn_model_error(own), "there is already a body 'a.tip'") != NULL);
  hn_model_destroy(own);
  hn_model_destroy(m);
}

// in formulas of a block its coordinates are its own, also where a body of the part is called so
static void own_coordinates(void) {
  static const char part[] = "  blocks:\n"
                             "    q:\n"
                             "      coordinates: {x: 1, y: 0.5}\n"
                             "      kinetic_energy: 0.5*x.rate^2 + y.rate^2\n"
                             "      potential: 2*x^2 + k*y^2 + 0*y.z\n"
                             "      forces: {x: -0.1*x.rate}\n"
                             "      constraints: [x = 2*y]\n"
                             "  bodies:\n"
                             "    x: {type: point, mass: 1}\n"
                             "    y: {type: point, mass: 1}\n";
  char text[800];
  snprintf(text, sizeof text, "parts:\n p:\n  parameters: {k: 3}\n%suse: {a: {part: p}}\n", part);
  hn_model *m = parse(text);
  if (!m) return;
  const hn_block_def *b = &m->block[0].def;
  CHECK_STR(b->kinetic_energy, "0.5*x.rate^2 + y.rate^2");
  CHECK_STR(b->potential, "2*x^2 + a.k*y^2 + 0*a.y.z");
  CHECK_STR(b->forces[0].name, "x");
  CHECK_STR(b->constraints[0].formula, "x = 2*y");
  hn_system *sys = NULL;
  if (!CHECK(hn_compile(&sys, m) == HN_OK)) printf("  %s\n", hn_model_error(m));
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

// ---- repetition, nesting, base -------------------------------------------------------------

static void patterns(void) {
  hn_model *m = parse(
      "parts:\n"
      "  leg:\n"
      "    parameters: {m: 1}\n"
      "    bodies: {foot: {mass: m, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
      "    use: {toe: {repeat: 2, step: [0, 0.1, 0], bodies: {tip: {mass: i + 1, inertia: [1, "
      "1, 1],\n"
      "      position: [0, 0, -1]}}, joints: {j: {type: spherical, a: foot, b: tip}}}}\n"
      "use:\n"
      "  leg: {part: leg, repeat: 4, about: z, centre: [0, 2, 0], with: {m: 10 + i}}\n"
      "  row: {part: leg, repeat: 3, at: [0, 0, i], step: [2, 0, 0]}\n");
  if (!m) return;
  CHECK(m->body_count == 1 + 7 * 3);
  for (int i = 0; i < 4; i++) {
    char name[32];
    snprintf(name, sizeof name, "leg%d.foot", i);
    int b = hn_model_find_body(m, name);
    CHECK(b > 0);
    if (b <= 0) continue;
    const double *x = m->body[b].def.position;
    // (1, -2) about (0, 2), turned by i quarters
    const double c[4] = {1, 0, -1, 0}, s[4] = {0, 1, 0, -1};
    CHECK_NEAR(x[0], c[i] * 1 - s[i] * -2, 1e-14);
    CHECK_NEAR(x[1], 2 + s[i] * 1 + c[i] * -2, 1e-14);
    CHECK(m->body[b].def.mass == 10 + i);
    snprintf(name, sizeof name, "leg%d.toe1.tip", i);
    b = hn_model_find_body(m, name);
    CHECK(b > 0 && m->body[b].def.mass == 2);
  }
  int b = hn_model_find_body(m, "row2.toe1.tip");
  CHECK(b > 0);
  if (b > 0) {
    CHECK_NEAR(m->body[b].def.position[0], 4, 1e-15);
    CHECK_NEAR(m->body[b].def.position[1], 0.1, 1e-15);
    CHECK_NEAR(m->body[b].def.position[2], 1, 1e-15);
  }
  hn_model_destroy(m);
}

// on a frame of a body: its axes are the part's, the body is its ground
static void bases(void) {
  hn_model *m = parse(
      "parts: {arm: {bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}},\n"
      "  joints: {j: {type: revolute, b: b, at: [0, 0, 0], axis: [0, 1, 0]}}}}\n"
      "bodies: {car: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 5], frames: {hook: {position: "
      "[1, 2, 3],\n"
      "  orientation: {axis: [0, 0, 1], angle: 90 deg}}}}}\n"
      "use: {a: {part: arm, base: car.hook, at: [0, 0, 1]}}\n");
  if (!m) return;
  const double *x = m->body[2].def.position;
  CHECK_NEAR(x[0], 1, 1e-15);
  CHECK_NEAR(x[1], 3, 1e-15);
  CHECK_NEAR(x[2], 9, 1e-15);
  CHECK(m->joint[0].def.a.body.id == 1 && m->joint[0].def.b.body.id == 2);
  CHECK_NEAR(m->joint[0].def.axis[0], -1, 1e-15);
  CHECK_NEAR(m->joint[0].def.at[2], 9, 1e-15);
  hn_model_destroy(m);
}

// ---- what is placed moves as it does at home -----------------------------------------------

// a spatial arm with hinge, slider, spring between points and a torsion spring; no gravity
static const char mechanism[] =
    "parts:\n"
    "  arm:\n"
    "    points:\n"
    "      A: [0.1, 0.2, 0.3]\n"
    "      B: {from: A, offset: [0.5, 0.3, -0.2]}\n"
    "      C: {from: A, to: B, part: 2}\n"
    "      M: {mirror: B, across: xz}\n"
    "    bodies:\n"
    "      upper: {mass: 2, from: A, to: B, com: [0.05, 0.02, 0.01],\n"
    "        inertia: {xx: 0.02, yy: 0.1, zz: 0.11, xy: 0.003, xz: -0.002, yz: 0.004},\n"
    "        frames: {p: [0.1, 0.2, 0.1]}}\n"
    "      lower: {mass: 1, inertia: {xx: 0.05, yy: 0.06, zz: 0.07, xy: 0.01, yz: -0.01},\n"
    "        position: C, orientation: {axis: [1, 2, 3], angle: 0.7}, frames: {q: [0, 0.3, 0]},\n"
    "        angular_velocity: [0.3, 0.1, -0.2]}\n"
    "      slide: {mass: 0.5, inertia: [0.01, 0.02, 0.025], position: [0.8, 0.9, -0.4]}\n"
    "    joints:\n"
    "      hinge: {type: revolute, b: upper, at: A, axis: [0.3, 1, 0.2], rate: 2}\n"
    "      elbow: {type: revolute, a: upper, b: lower, at: B, rate: -1}\n"
    "      rail: {type: prismatic, a: lower, b: slide, at: C, axis: [1, 0.5, 0.1], rate: 0.4}\n"
    "    forces:\n"
    "      s: {type: spring, a: upper.p, b: slide, at_b: M, stiffness: 30, damping: 0.5, free: "
    "0.2}\n"
    "      tor: {type: torsion-spring, joint: elbow, stiffness: 3, free: 0.4}\n"
    "      u: {type: motor, joint: hinge, law: 0.5*sin(3*t) - 0.1*rate + 0.2*value}\n";

typedef struct motion {
  double angle[2], slide, position[3][3], velocity[3][3];
} motion;

static bool run(const char *placement, motion *out) {
  char text[4000], message[256];
  snprintf(text, sizeof text,
           "%suse: {x: {part: arm%s%s}}\nsimulation: {rtol: 1e-10, verify: off}\n", mechanism,
           *placement ? ", " : "", placement);
  hn_model *m = parse(text);
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  bool ok = m && hn_compile(&sys, m) == HN_OK &&
            hn_sim_create(&sim, sys, hn_model_options(m), message, sizeof message) == HN_OK &&
            hn_advance(sim, 1) == HN_OK;
  if (m && !ok) test_check(0, hn_model_error(m), __FILE__, __LINE__);
  static const char *const joints[] = {"x.hinge", "x.elbow", "x.rail"};
  static const char *const bodies[] = {"x.upper", "x.lower", "x.slide"};
  for (int i = 0; ok && i < 3; i++) {
    double value = 0;
    hn_pose pose = {0};
    hn_body b = hn_find_body(sys, bodies[i]);
    ok = hn_joint_coordinate(sim, hn_find_joint(sys, joints[i]), NULL, &value, NULL) == HN_OK &&
         hn_body_pose(sim, b, &pose) == HN_OK;
    if (i < 2)
      out->angle[i] = value;
    else
      out->slide = value;
    v3_copy(out->position[i], pose.position);
    v3_copy(out->velocity[i], pose.velocity);
  }
  CHECK(ok);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(m);
  return ok;
}

static void compare(const motion *home, const motion *there, const double Q[9], const double p[3]) {
  for (int i = 0; i < 2; i++) CHECK_NEAR(there->angle[i], home->angle[i], 1e-7);
  CHECK_NEAR(there->slide, home->slide, 1e-7);
  for (int i = 0; i < 3; i++) {
    double x[3], v[3];
    m3_mulv(x, Q, home->position[i]);
    v3_add(x, x, p);
    m3_mulv(v, Q, home->velocity[i]);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(there->position[i][k], x[k], 1e-7);
      CHECK_NEAR(there->velocity[i][k], v[k], 1e-6);
    }
  }
}

static void placed(void) {
  motion home, there;
  if (!run("", &home)) return;
  for (int i = 0; i < 12; i++) {
    char text[300];
    double p[3], axis[3], angle = test_random(-3, 3), q[4], R[9];
    for (int k = 0; k < 3; k++) p[k] = test_random(-2, 2), axis[k] = test_random(-1, 1);
    bool mirror = i % 2;
    snprintf(text, sizeof text,
             "at: [%.17g, %.17g, %.17g], orientation: {axis: [%.17g, %.17g, %.17g], angle: "
             "%.17g}%s",
             p[0], p[1], p[2], axis[0], axis[1], axis[2], angle, mirror ? ", mirror: xz" : "");
    q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) q[k + 1] = sin(angle / 2) * axis[k] / v3_norm(axis);
    q_matrix(R, q);
    if (mirror)
      for (int k = 0; k < 3; k++) R[3 * k + 1] = -R[3 * k + 1];
    if (run(text, &there)) compare(&home, &there, R, p);
  }
  // mirrored twice is not mirrored; other planes
  const double yz[9] = {-1, 0, 0, 0, 1, 0, 0, 0, 1}, xy[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  const double origin[3] = {0, 0, 0};
  if (run("mirror: yz", &there)) compare(&home, &there, yz, origin);
  if (run("mirror: xy", &there)) compare(&home, &there, xy, origin);
}

// planar parts turn and are mirrored in their plane
// an end on the ground that is given no place is where the part is put, as it is at the origin of
// the file when the part stands there alone; on a base it is on that body
static void ground_without_place(void) {
  hn_model *m = parse(
      "parts:\n"
      "  drop:\n"
      "    bodies: {ball: {type: planar, mass: 1, inertia: 1, position: [0, 0.2], frames: {toe: "
      "[0, -0.1]}}}\n"
      "    joints:\n"
      "      floor: {type: stop, b: ball.toe, axis: [0, 1, 0]}\n"
      "      pin: {type: revolute, a: ball, b: ground}\n"
      "    forces: {s: {type: spring, b: ball, stiffness: 1}}\n"
      "bodies: {cart: {type: planar, mass: 1, inertia: 1, position: [7, 1]}}\n"
      "use:\n"
      "  there: {part: drop, at: [3, 5], angle: 90 deg}\n"
      "  on: {part: drop, at: [0, 2], base: cart}\n");
  if (!m) return;
  const hn_joint_def *floor = &m->joint[0].def, *pin = &m->joint[1].def;
  const hn_force_def *spring = &m->force[0].def;
  const double place[3] = {3, 5, 0}, ball[3] = {2.8, 5, 0};
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(floor->at[i], place[i], 1e-15);
    CHECK_NEAR(pin->at[i], ball[i], 1e-15);
    CHECK_NEAR(spring->at[i], place[i], 1e-15);
    CHECK_NEAR(spring->at_b[i], ball[i], 1e-15);
  }
  CHECK_NEAR(floor->axis[0], -1, 1e-15);
  const hn_joint_def *on = &m->joint[2].def, *on_pin = &m->joint[3].def;
  int body = hn_model_find_body(m, "on.ball");
  CHECK(on->a.body.id == hn_model_find_body(m, "cart"));
  const double *origin = m->body[body].def.position;
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(on->at[i], origin[i] - (i == 1 ? 0.2 : 0), 1e-15);
    CHECK_NEAR(on_pin->at[i], origin[i], 1e-15);
  }
  hn_model_destroy(m);
}

static void planar_parts(void) {
  const char part[] = "parts: {p: {points: {A: [1, 0], B: [2, 1]}, bodies: {b: {type: planar, "
                      "mass: 1, from: A, to: B,\n"
                      "  velocity: [1, 2], angular_velocity: 3}, c: {type: planar, mass: 1, "
                      "inertia: 1, angle: 0.3,\n"
                      "  position: [0, 1], frames: {f: [1, 1]}}}}}\n";
  char text[800];
  for (int i = 0; i < 20; i++) {
    double phi = test_random(-3, 3), sign = i % 2 ? -1 : 1, c = cos(phi), s = sin(phi);
    snprintf(text, sizeof text, "%suse: {u: {part: p, angle: %.17g%s}}\n", part, phi,
             i % 2 ? ", mirror: xz" : "");
    hn_model *m = parse(text);
    if (!m) return;
    const hn_body_def *b = &m->body[1].def, *d = &m->body[2].def;
    CHECK_NEAR(b->position[0], 1.5 * c - 0.5 * sign * s, 1e-14);
    CHECK_NEAR(b->position[1], 1.5 * s + 0.5 * sign * c, 1e-14);
    CHECK_NEAR(sin(b->angle - phi - sign * acos(-1) / 4), 0, 1e-14);
    CHECK_NEAR(b->velocity[0], c - 2 * sign * s, 1e-14);
    CHECK_NEAR(b->angular_velocity[2], 3 * sign, 1e-14);
    CHECK_NEAR(sin(d->angle - phi - sign * 0.3), 0, 1e-14);
    int f = hn_model_find_frame(m, 2, "f");
    CHECK(f >= 0 && m->frame[f].def.position[1] == sign);
    hn_model_destroy(m);
  }
}

// hinges in the plane turn about the other side of it there, and all that is said of their angles
// stays: a driven crank with a pendulum on a spring, held back by a motor
static void mirrored_plane(void) {
  static const char part[] =
      "gravity: [0, -9.81]\nsimulation: {rtol: 1e-10, verify: off}\nparts:\n  p:\n    bodies:\n"
      "      crank: {type: planar, mass: 1, inertia: 0.1}\n"
      "      rod: {type: planar, mass: 1, inertia: 0.1, position: [1, 0.4], angle: 0.3}\n"
      "    joints:\n      O: {type: revolute, b: crank, at: [0, 0]}\n"
      "      P: {type: revolute, a: crank, b: rod, at: [1, 0], value: 0.2, rate: 3}\n"
      "      turn: {type: driver, joint_a: O, motion: 2*t + t^2}\n"
      "    forces:\n      w: {type: torsion-spring, joint: P, stiffness: 3, free: 0.5}\n"
      "      u: {type: torsion-spring, a: crank, b: rod, stiffness: 2, free: 0.1}\n"
      "      m: {type: motor, joint: P, law: 0.3 - 0.2*rate}\n";
  static const char *const family[] = {"reference", "relative", "natural"};
  double seen[4][4];
  for (int i = 0; i < 4; i++) {
    char text[1200], message[256];
    snprintf(text, sizeof text, "%suse: {x: {part: p%s}}\n", part, i ? ", mirror: yz" : "");
    hn_model *m = parse(text);
    if (!m) return;
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    hn_options *options = hn_model_options(m);
    hn_pose pose = {0};
    CHECK(hn_options_set(options, "coordinates", family[i ? i - 1 : 0], message, sizeof message) ==
              HN_OK &&
          hn_compile(&sys, m) == HN_OK &&
          hn_sim_create(&sim, sys, options, message, sizeof message) == HN_OK &&
          hn_advance(sim, 1.5) == HN_OK);
    CHECK(hn_body_pose(sim, hn_find_body(sys, "x.rod"), &pose) == HN_OK);
    hn_joint_coordinate(sim, hn_find_joint(sys, "x.O"), NULL, &seen[i][0], NULL);
    hn_joint_coordinate(sim, hn_find_joint(sys, "x.P"), NULL, &seen[i][1], NULL);
    seen[i][2] = i ? -pose.position[0] : pose.position[0], seen[i][3] = pose.position[1];
    hn_sim_destroy(sim), hn_system_destroy(sys), hn_model_destroy(m);
  }
  CHECK_NEAR(seen[0][0], 2 * 1.5 + 1.5 * 1.5, 1e-9);
  for (int i = 1; i < 4; i++)
    for (int k = 0; k < 4; k++) CHECK_NEAR(seen[i][k], seen[0][k], 1e-7);
}

// ---- what is refused -----------------------------------------------------------------------

static void refused(const char *text, const char *said) {
  hn_model *m = hn_model_create();
  CHECK(hn_model_parse(m, text, strlen(text), "test.yaml") != HN_OK);
  if (!strstr(hn_model_error(m), said)) test_check(0, hn_model_error(m), __FILE__, __LINE__);
  hn_model_destroy(m);
}

#define PART "parts: {p: {parameters: {L: 1}, bodies: {b: {mass: 1, inertia: [1, 1, 1]}}}}\n"

static void wrong_uses(void) {
  refused(PART "use: {x: {part: q}}\n", "test.yaml:2:17: use 'x': no part named 'q'");
  refused(PART "use: {x: {part: p, wiht: {L: 2}}}\n", "did you mean 'with'?");
  refused(PART "use: {x: {part: p, with: {K: 2}}}\n", "test.yaml:2:27: use 'x': the part has no");
  refused(PART "use: {x: {part: p, with: {L: M}}}\n", "parameter 'x.L': value: unknown name 'M'");
  refused(PART "use: {x: {part: p, repeat: 1.5}}\n", "whole number");
  refused(PART "use: {x: {part: p, repeat: 1e9}}\n", "whole number from 1");
  refused(PART "use: {x: {part: p, about: z}}\n", "about needs 'repeat'");
  refused(PART "use: {x: {part: p, repeat: 2, about: w}}\n", "x, y, z or a direction");
  refused(PART "use: {x: {part: p, mirror: z}}\n", "xy, xz or yz");
  refused(PART "use: {x: {part: p, base: car}}\n", "base must be a body");
  refused(PART "use: {2x: {part: p}}\n", "bad name");
  refused(PART "use: {x: {part: p, bodies: {}}}\n", "unknown key 'bodies'");
  refused("parts: {p: {parameters: {rate: 1}}}\nuse: {x: {part: p}}\n", "name of a quantity");
  refused("parts: {p: {bodies: {t: {mass: 1}}}}\nuse: {x: {part: p}}\n", "the name is reserved");
  refused(PART "use: {x: p}\n", "must be a map");
  refused(PART "bodies: {x.b: {mass: 1, inertia: [1, 1, 1]}}\n", "bad name");
  refused("parts: {p: {gravity: [0, 0, 1]}}\nuse: {x: {part: p}}\n", "a part has no 'gravity'");
  refused("parts: {p: {use: {y: {part: p}}}}\nuse: {x: {part: p}}\n", "does one use itself?");
  refused("parts: {p: {bodies: {b: {mass: -1}}}}\nuse: {x: {part: p}}\n",
          "test.yaml:1:32: body 'x.b'");
  refused("parts: {p: {bodies: {b: {type: planar, mass: 1, inertia: 1}}}}\n"
          "use: {x: {part: p, orientation: {axis: [1, 0, 0], angle: 1}}}\n",
          "turned out of the x-y plane");
  refused("parts: {p: {bodies: {b: {mass: 1, inertia: [1, 1, 1], frames: {f: {orientation: {axis: "
          "[1, 0, 0], angle: 1}}}}}}}\nuse: {x: {part: p, mirror: xz}}\n",
          "cannot be oriented");
  refused("parts: {p: {bodies: {b: {mass: 1, inertia: [1, 1, 1]}}, joints: {s: {type: screw, b: b, "
          "pitch: 1}}}}\nuse: {x: {part: p, mirror: xz}}\n",
          "screw cannot be in a part that is mirrored");
  refused("parts: {p: {bodies: {b: {mass: 1, inertia: [1, 1, 1]}}, joints: {s: {type: coordinate, "
          "b: b, coordinate: x}}}}\nuse: {x: {part: p, angle: 1}}\n",
          "coordinate cannot be in a part that is turned");
  refused("parts: {p: {bodies: {b: {mass: 1, inertia: [1, 1, 1]}}, joints: {s: {type: driver, "
          "b: b, coordinate: y, motion: t}}}}\nuse: {x: {part: p, at: [0, 1, 0]}}\n",
          "driver cannot be in a part that is moved");
  hn_model_destroy(
      parse("parts: {p: {bodies: {b: {mass: 1, inertia: [1, 1, 1]}}, joints: {s: {type: driver, "
            "b: b, coordinate: x, motion: t}}}}\nuse: {x: {part: p, at: [0, 1, 0]}}\n"));
  refused("parts: {p: {bodies: {b: {type: point, mass: 1, position: [0, 9]}}, joints: {s: {type: "
          "contact, surface: box, size: [1, 1, 1], b: b}}}}\nuse: {x: {part: p, angle: 1}}\n",
          "a box cannot be in a part that is turned");
  refused("parts: {p: {bodies: {b: {type: point, mass: 1, position: [0, 9]}}, forces: {s: {type: "
          "contact, surface: curve, points: [0, 0, 1, 1], b: b, stiffness: 1}}}}\n"
          "use: {x: {part: p, mirror: xz}}\n",
          "a curve cannot be in a part that is mirrored");
  // a small file that asks for a great many parts
  refused("parts:\n  a: {bodies: {b: {mass: 1, inertia: [1, 1, 1]}}}\n"
          "  c: {use: {x: {part: a, repeat: 1000}}}\n  d: {use: {x: {part: c, repeat: 1000}}}\n"
          "use: {x: {part: d, repeat: 1000}}\n",
          "too many parts");
}

// every use has a controller, a filter and a signal of its own: as if each were written out
static void control_in_parts(void) {
  static const char part[] =
      "simulation: {duration: 0.5}\n"
      "parts:\n"
      "  axis:\n"
      "    parameters: {goal: 0.1, gain: 40}\n"
      "    bodies:\n      arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "    joints:\n      hinge: {type: revolute, b: arm, at: [0, 0]}\n"
      "    signals:\n      error: goal - hinge.angle\n"
      "    states:\n      calm: {rate: (error - calm)/0.05, steady: true}\n"
      "      smooth: {type: lag, input: calm, time: 0.02}\n"
      "    controllers:\n"
      "      torque: {period: 0.01, memory: {sum: torque_sum + 0.01*error}, formula: gain*calm + "
      "5*torque_sum}\n"
      "    forces:\n      motor: {type: motor, joint: hinge, law: torque - 3*rate + smooth}\n"
      "use:\n"
      "  one: {part: axis}\n"
      "  two: {part: axis, at: [2, 0], with: {goal: -0.3, gain: 25}}\n";
  static const char flat[] =
      "simulation: {duration: 0.5}\n"
      "bodies:\n  one: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "  two: {type: planar, mass: 1, inertia: 0.1, position: [2.5, 0]}\n"
      "joints:\n  h1: {type: revolute, b: one, at: [0, 0]}\n"
      "  h2: {type: revolute, b: two, at: [2, 0]}\n"
      "signals: {e1: 0.1 - h1.angle, e2: -0.3 - h2.angle}\n"
      "states:\n"
      "  c1: {rate: (e1 - c1)/0.05, steady: true}\n"
      "  c2: {rate: (e2 - c2)/0.05, steady: true}\n"
      "  s1: {type: lag, input: c1, time: 0.02}\n"
      "  s2: {type: lag, input: c2, time: 0.02}\n"
      "controllers:\n"
      "  t1: {period: 0.01, memory: {sum: t1_sum + 0.01*e1}, formula: 40*c1 + 5*t1_sum}\n"
      "  t2: {period: 0.01, memory: {sum: t2_sum + 0.01*e2}, formula: 25*c2 + 5*t2_sum}\n"
      "forces:\n"
      "  m1: {type: motor, joint: h1, law: t1 - 3*rate + s1}\n"
      "  m2: {type: motor, joint: h2, law: t2 - 3*rate + s2}\n";
  static const char *const names[][2] = {{"one.hinge.angle", "h1.angle"},
                                         {"two.hinge.angle", "h2.angle"},
                                         {"two.error", "e2"},
                                         {"one.calm", "c1"},
                                         {"two.smooth", "s2"},
                                         {"one.torque_sum", "t1_sum"}};
  const char *const text[2] = {part, flat};
  hn_result *result[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    hn_model *m = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    char message[512] = "";
    hn_status status = hn_model_parse(m, text[k], strlen(text[k]), "test.yaml");
    if (!status) status = hn_compile(&sys, m);
    if (!CHECK(status == HN_OK)) printf("  %s\n", hn_model_error(m));
    if (!status) status = hn_sim_create(&sim, sys, hn_model_options(m), message, sizeof message);
    if (!status) CHECK(hn_run(sim, &result[k], NULL, NULL) == HN_OK);
    hn_sim_destroy(sim), hn_system_destroy(sys), hn_model_destroy(m);
  }
  for (size_t i = 0; result[0] && result[1] && i < sizeof names / sizeof *names; i++) {
    int a = hn_result_find(result[0], names[i][0]), b = hn_result_find(result[1], names[i][1]);
    if (!CHECK(a >= 0 && b >= 0)) continue;
    int last = hn_result_rows(result[0]) - 1;
    CHECK_REL(hn_result_row(result[0], last)[a], hn_result_row(result[1], last)[b], 1e-3, 1e-12);
  }
  hn_result_destroy(result[0]), hn_result_destroy(result[1]);
}

// numbers and names from elsewhere than 0 and i
static void counted(void) {
  hn_model *m = parse("parameters: {n: 4, w: 0.5}\n"
                      "parts:\n  post:\n    bodies:\n      p: {type: planar-point, mass: k + 1, "
                      "position: [0, 10*k]}\n"
                      "use:\n  row: {part: post, for: k in 2..n, at: [k*w, 0]}\n");
  if (!m) return;
  CHECK(m->body_count == 4 && hn_model_find_body(m, "row1.p") < 0);
  int b = hn_model_find_body(m, "row4.p");
  if (CHECK(b > 0)) {
    CHECK(m->body[b].def.mass == 5);
    CHECK_REL(m->body[b].def.position[0], 2.0, 1, 1e-15);
    CHECK_REL(m->body[b].def.position[1], 40.0, 1, 1e-15);
  }
  hn_model_destroy(m);
  static const char *const wrong[][2] = {{"k in 3..2", "must go upwards"},
                                         {"k of 1..2", "written as"},
                                         {"k in 0.5..2", "whole number"},
                                         {"2k in 0..2", "bad name"},
                                         {"pi in 0..2", "reserved"}};
  for (int i = 0; i < 5; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "use:\n  r:\n    for: %s\n    bodies: {p: {type: point, mass: 1}}\n", wrong[i][0]);
    m = hn_model_create();
    hn_status status = hn_model_parse(m, text, strlen(text), "test.yaml");
    if (!CHECK(status && strstr(hn_model_error(m), wrong[i][1])))
      printf("  %s: %s\n", wrong[i][0], hn_model_error(m));
    hn_model_destroy(m);
  }
}

// ---- parts in files of their own
// -----------------------------------------------------------------

static void write_file(const char *name, const char *text) {
  FILE *f = fopen(name, "w");
  if (!CHECK(f != NULL)) return;
  fputs(text, f);
  fclose(f);
}

// compiled, so that errors that show late are met, too
static void load_fails(const char *name, const char *words) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_status status = hn_model_load(m, name);
  if (!status) status = hn_compile(&sys, m);
  if (!CHECK(status && strstr(hn_model_error(m), words)))
    printf("  '%s' not in: %s\n", words, hn_model_error(m));
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

#define MAIN(part) "parts: {arm: {file: " part "}}\nuse:\n  left: {part: arm}\n"

static void files(void) {
  char folder[1024];
  if (!CHECK(test_folder(folder, sizeof folder, "parts"))) return;
  if (!CHECK(chdir(folder) == 0 && mkdir("below", 0700) == 0)) return;
  // a model that can be run by itself, and includes another one beside it
  write_file("below/arm.yaml",
             "name: an arm\ngravity: [0, -9.81]\nsimulation: {duration: 1}\n"
             "parameters: {L: 1}\n"
             "bodies:\n  bar: {type: planar, from: [0, 0], to: [L, 0], mass: 1}\n"
             "joints:\n  hinge: {type: revolute, b: bar, at: [0, 0]}\n"
             "parts: {tip: {file: tip.yaml}}\nuse:\n  end: {part: tip, base: bar, at: [L/2, 0]}\n");
  write_file("below/tip.yaml", "bodies:\n  tip: {type: planar, mass: 0.2, inertia: 0.01}\n"
                               "joints:\n  weld: {type: fixed, b: tip}\n");
  write_file("main.yaml",
             "parts: {arm: {file: below/arm.yaml}}\n"
             "use:\n  left: {part: arm}\n  right: {part: arm, at: [3, 0], with: {L: 2}}\n");
  hn_model *m = hn_model_create();
  if (!CHECK(hn_model_load(m, "main.yaml") == HN_OK)) printf("  %s\n", hn_model_error(m));
  CHECK(m->body_count == 5 && m->joint_count == 4);
  CHECK(m->gravity[1] == 0);
  int tip = hn_model_find_body(m, "right.end.tip");
  if (CHECK(tip > 0)) CHECK_REL(m->body[tip].def.position[0], 5.0, 1, 1e-12);
  hn_model_destroy(m);
  m = hn_model_create();
  CHECK(hn_model_load(m, "below/arm.yaml") == HN_OK && m->body_count == 3);
  hn_model_destroy(m);
  // places of errors: while reading, and when compiled
  write_file("below/bad.yaml", "bodies:\n  bar: {type: planar, mass: 1, inertia: 1, mas: 3}\n");
  write_file("main.yaml", MAIN("below/bad.yaml"));
  load_fails("main.yaml", "below/bad.yaml:2:44: body 'left.bar': unknown key 'mas'");
  write_file("below/bad.yaml", "bodies:\n  bar: {type: planar, mass: 1, inertia: 1}\n"
                               "forces:\n  f: {type: force, b: bar, force: [bar.q, 0]}\n");
  load_fails("main.yaml", "below/bad.yaml:4:3: force 'left.f'");
  write_file("below/bad.yaml", "bodies: [\n");
  load_fails("main.yaml", "below/bad.yaml:");
  write_file("below/bad.yaml", "solve: {k: a = 1}\n");
  load_fails("main.yaml", "below/bad.yaml:1:1: use 'left': a part has no 'solve'");
  // where files may be
  static const char *const outside[] = {"../x.yaml", "/etc/passwd", "below/../../x.yaml", ".."};
  for (int i = 0; i < 4; i++) {
    char text[200];
    snprintf(text, sizeof text, MAIN("%s"), outside[i]);
    write_file("main.yaml", text);
    load_fails("main.yaml", "must be beside this one");
  }
  write_file("main.yaml", MAIN("none.yaml"));
  load_fails("main.yaml", "main.yaml:1:21: use 'left': ");
  write_file("main.yaml", "parts: {arm: {file: main.yaml}}\nuse: {left: {part: arm}}\n");
  load_fails("main.yaml", "includes itself: main.yaml includes main.yaml");
  write_file("one.yaml", "parts: {p: {file: main.yaml}}\nuse: {q: {part: p}}\n");
  write_file("main.yaml", "parts: {arm: {file: one.yaml}}\nuse: {left: {part: arm}}\n");
  load_fails("main.yaml", "main.yaml includes one.yaml includes main.yaml");
  const char *const made[] = {"below/arm.yaml", "below/tip.yaml", "below/bad.yaml", "main.yaml",
                              "one.yaml"};
  for (int i = 0; i < 5; i++) remove(made[i]);
  rmdir("below");
  if (CHECK(chdir("..") == 0)) rmdir(folder);
}

int main(void) {
  RUN(names);
  RUN(controllers);
  RUN(overrides);
  RUN(blocks_alone);
  RUN(own_coordinates);
  RUN(same_names);
  RUN(patterns);
  RUN(bases);
  RUN(placed);
  RUN(ground_without_place);
  RUN(planar_parts);
  RUN(mirrored_plane);
  RUN(wrong_uses);
  RUN(control_in_parts);
  RUN(counted);
  RUN(files);
  return test_end();
}
