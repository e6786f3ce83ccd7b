// test_reader.c: model files that are right: every section, every way to write a value, the
// schema and the documentation of the format.
//
// Rotations are compared with products of elementary matrices, everything else with the numbers
// in the text.
#include "io/model_reader.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"
#include "comma.h"
#include "expr/expr.h"
#include "forces/force.h"
#include "joints/joint.h"
#include "model/options.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

// a model from text; NULL, and the reason, when it is refused
static hn_model *parse(const char *text) {
  hn_model *m = hn_model_create();
  if (hn_model_parse(m, text, strlen(text), "test.yaml") == HN_OK) return m;
  test_check(0, hn_model_error(m), __FILE__, __LINE__);
  hn_model_destroy(m);
  return NULL;
}

static void check_v3(const double x[3], double a, double b, double c) {
  CHECK_NEAR(x[0], a, 1e-15);
  CHECK_NEAR(x[1], b, 1e-15);
  CHECK_NEAR(x[2], c, 1e-15);
}

// ---- the whole format ----------------------------------------------------------------------

static const char rich[] =
    "# everything once\n"
    "name: everything\n"
    "description: >\n"
    "  several\n"
    "  lines\n"
    "parameters:\n"
    "  L: 2\n"
    "  k: \"2*L\"\n"
    "  phi0: 60 deg\n"
    "gravity: [0, -9.81]\n"
    "simulation: {duration: 5*L, coordinates: reference, rtol: 1e-8, step: 2 ms}\n"
    "forces:\n"
    "  s: {type: spring, a: ground.D, b: crank.tip, stiffness: 1000, free: 0, preload: -k}\n"
    "  drag: {type: torque, b: crank, torque: -0.1*crank.omega}\n"
    "  push: {type: force, b: crank, at: [1, 2], force: [1, \"2*t\"], axes: body}\n"
    "  m: {type: motor, joint: A, law: 5*cos(t) - rate}\n"
    "joints:\n"
    "  G: {type: gear, joint_a: A, joint_b: B, ratio: -2, coordinate: angle}\n"
    "  A: {type: revolute, a: ground, b: crank, at: [0, 0], value: phi0, hold: true}\n"
    "  B:\n"
    "    type: revolute\n"
    "    a: crank.tip\n"
    "    b: wheel\n"
    "    rate: 0\n"
    "    components: true\n"
    "    stiffness: 3\n"
    "bodies:\n"
    "  crank:\n"
    "    type: planar\n"
    "    mass: 1\n"
    "    inertia: 0.3\n"
    "    shape: {rod: {length: L}}\n"
    "    com: [0.1, 0]\n"
    "    position: [0.5, 0.866]\n"
    "    angle: phi0\n"
    "    velocity: [1, 2, 0]\n"
    "    angular_velocity: 30 rpm\n"
    "    frames: {tip: [L/2, 0], hinge: {position: [-1, 0], orientation: {axis: [0, 0, 1], angle: "
    "1}}}\n"
    "    hold: [x, rotation, velocity]\n"
    "  wheel: {type: planar, mass: 2, inertia: 1}\n"
    "ground: {frames: {D: [2.5, 0]}}\n"
    "outputs: [\"crank.*\", energy.total]\n";

static void everything_once(void) {
  hn_model *m = parse(rich);
  if (!m) return;
  CHECK_STR(hn_model_name(m), "everything");
  CHECK_STR(m->description, "several lines\n");
  check_v3(m->gravity, 0, -9.81, 0);
  CHECK(m->options.duration == 10 && m->options.rtol == 1e-8 && m->options.step == 0.002);
  CHECK_STR(m->options.coordinates, "reference");
  CHECK(m->parameter_count == 3 && m->parameter[1].value == 4);
  CHECK_REL(m->parameter[2].value, pi / 3, 0, 1e-15);

  CHECK(m->body_count == 3 && m->frame_count == 3);
  const hn_body_def *crank = &m->body[1].def;
  CHECK_STR(crank->name, "crank");
  CHECK(crank->kind == HN_PLANAR && crank->mass == 1 && crank->inertia[2] == 0.3);
  CHECK(crank->shape.kind == HN_SHAPE_ROD && crank->shape.length == 2);
  check_v3(crank->com, 0.1, 0, 0);
  check_v3(crank->position, 0.5, 0.866, 0);
  check_v3(crank->velocity, 1, 2, 0);
  check_v3(crank->angular_velocity, 0, 0, pi);
  CHECK_REL(crank->angle, pi / 3, 0, 1e-15);
  CHECK(crank->hold == (HN_HOLD_X | HN_HOLD_ROTATION | HN_HOLD_VELOCITY));
  CHECK(m->body[1].place.line == 28 && m->body[1].place.column == 3);

  // the ground is read first, wherever it stands
  CHECK_STR(m->frame[0].def.name, "D");
  CHECK(m->frame[0].def.body.id == 0 && m->frame[1].def.body.id == 1);
  check_v3(m->frame[1].def.position, 1, 0, 0);
  CHECK(m->frame[1].def.orientation[0] == 0);
  CHECK_REL(m->frame[2].def.orientation[3], sin(0.5), 0, 1e-15);
  CHECK(m->output_count == 2);
  CHECK_STR(m->output[0], "crank.*");
  hn_model_destroy(m);
}

static void joints_and_forces_once(void) {
  hn_model *m = parse(rich);
  if (!m) return;
  CHECK(m->joint_count == 3 && m->force_count == 4);
  const hn_joint_def *G = &m->joint[0].def, *A = &m->joint[1].def, *B = &m->joint[2].def;
  CHECK_STR(G->joint_a, "A");
  CHECK_STR(G->joint_b, "B");
  CHECK_STR(G->coordinate, "angle");
  CHECK(G->ratio == -2 && !G->coordinate_b);
  CHECK(A->a.body.id == 0 && A->b.body.id == 1 && A->hold && !A->rate_given);
  CHECK_REL(A->value, pi / 3, 0, 1e-15);
  check_v3(A->at, 0, 0, 0);
  CHECK(B->a.body.id == 1 && B->a.frame.id == 2 && B->b.body.id == 2 && B->b.frame.id == 0);
  CHECK(B->rate_given && B->rate == 0 && B->components && B->stiffness == 3);

  const hn_force_def *s = &m->force[0].def;
  CHECK(s->a.frame.id == 1 && s->b.frame.id == 2 && s->stiffness == 1000 && s->preload == -4);
  CHECK(s->free_given && s->free == 0);
  CHECK_STR(m->force[1].def.components[0], "0");
  CHECK_STR(m->force[1].def.components[2], "-0.1*crank.omega");
  CHECK_STR(m->force[2].def.components[0], "1");
  CHECK_STR(m->force[2].def.components[1], "2*t");
  CHECK_STR(m->force[2].def.components[2], "0");
  CHECK(m->force[2].def.body_axes && !m->force[1].def.body_axes);
  check_v3(m->force[2].def.at, 1, 2, 0);
  CHECK_STR(m->force[3].def.law, "5*cos(t) - rate");
  CHECK_STR(m->force[3].def.joint, "A");
  hn_model_destroy(m);
}

static void json(void) {
  hn_model *m = parse("{\"name\": \"json\", \"gravity\": [0, 0, -9.81],\n"
                      " \"bodies\": {\"ball\": {\"type\": \"point\", \"mass\": 1.5e0}},\n"
                      " \"joints\": {\"s\": {\"type\": \"spherical\", \"b\": \"ball\"}},\n"
                      " \"forces\": null, \"outputs\": []}\n");
  if (!m) return;
  CHECK(m->body[1].def.mass == 1.5 && m->body[1].def.kind == HN_POINT && m->joint_count == 1);
  hn_model_destroy(m);
}

// ---- forces with arrays --------------------------------------------------------------------

static void arrays(void) {
  hn_model *m = parse(
      "parameters: {c: 3}\n"
      "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "forces:\n"
      "  p: {type: spring, b: b, coefficients: [1, c, \"c^2\"], table: [[-1, -2], [0, 0], [1, "
      "c]]}\n"
      "  d: {type: bushing, b: b, stiffness: [1, 2, 3, 4, 5, 6]}\n"
      "  f: {type: bushing, b: b, stiffness: [1, 2, 3, 4, 5, 6], damping: [[1, 2, 0, 0, 0, 0],\n"
      "      [2, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0],\n"
      "      [0, 0, 0, 0, 0, 7]]}\n"
      "  r: {type: tyre, b: b, stiffness: 1, radius: 1, road: [[0, 0], [1, 0.5]], shift: 3*t}\n"
      "  q: {type: tyre, b: b, stiffness: 1, radius: 1, road: 0.1*sin(x)}\n");
  if (!m) return;
  const hn_force_def *p = &m->force[0].def;
  CHECK(p->coefficient_count == 3 && p->coefficients[1] == 3 && p->coefficients[2] == 9);
  CHECK(p->table_count == 3 && p->table[1] == -2 && p->table[5] == 3);
  const double *K = m->force[1].def.stiffness6, *C = m->force[2].def.damping6;
  for (int i = 0; i < 36; i++) CHECK(K[i] == (i % 7 == 0 ? i / 7 + 1 : 0));
  CHECK(C[0] == 1 && C[1] == 2 && C[6] == 2 && C[35] == 7 && C[34] == 0);
  CHECK(!m->force[1].def.damping6);
  CHECK(m->force[3].def.road_count == 2 && m->force[3].def.road_table[3] == 0.5);
  CHECK(!m->force[3].def.road);
  CHECK_STR(m->force[3].def.shift, "3*t");
  CHECK_STR(m->force[4].def.road, "0.1*sin(x)");
  CHECK(!m->force[4].def.road_table);
  hn_model_destroy(m);
}

// ---- numbers -------------------------------------------------------------------------------

static double mass_with(const char *parameters, const char *text) {
  char file[300];
  snprintf(file, sizeof file, "parameters: {L: 2%s}\nbodies: {b: {type: point, mass: %s}}\n",
           parameters, text);
  hn_model *m = parse(file);
  double mass = m ? m->body[1].def.mass : NAN;
  hn_model_destroy(m);
  return mass;
}

static double mass_of(const char *text) {
  return mass_with("", text);
}

// a quantity of any kind
static double value_of(const char *text) {
  char file[300];
  double value = NAN;
  snprintf(file, sizeof file, "parameters: {p: %s}\nbodies: {b: {type: point, mass: 1}}\n", text);
  hn_model *m = parse(file);
  if (m) hn_model_parameter(m, "p", &value);
  hn_model_destroy(m);
  return value;
}

static void numbers(void) {
  CHECK(mass_of("7") == 7 && mass_of("+7") == 7 && mass_of("7.") == 7 && mass_of(".5") == 0.5);
  CHECK(mass_of("1e-3") == 1e-3 && mass_of("2.5E+2") == 250 && mass_of("\"4\"") == 4);
  CHECK(mass_of("'2*L'") == 4 && mass_of("2*L") == 4 && mass_of("\"L^2 + 1\"") == 5);
  // a parameter called like a unit; after a number it would be either, which is refused
  CHECK(mass_with(", m: 3", "m") == 3 && mass_with(", m: 3", "2*m") == 6);
  CHECK(value_of("2 m") == 2);
  CHECK(mass_of("\"if(L > 1, 8, 9)\"") == 8);
  CHECK(mass_of("\"\\u0037\"") == 7);
  hn_model *m = parse("bodies:\n  b:\n    type: point\n    mass: |\n      5\n      + 1\n");
  if (m) CHECK(m->body[1].def.mass == 6);
  hn_model_destroy(m);
}

// quotients of units; each by itself: test_units.c
static void units(void) {
  CHECK_REL(value_of("36 km/h"), 10.0, 0, 1e-15);
}

// what is given by numbers and kept as formulas: read again by the parser, which knows points alone
static void written_formulas(void) {
  static const char text[] =
      "parameters: {k: 1.5}\n"
      "solve: {k: b.x = 0.75}\n"
      "gravity: [0, -9.5*w, 0]\n"
      "bodies:\n"
      "  b: {type: planar, mass: 0.25, inertia: 0.5, position: [k, 0]}\n"
      "  c: {mass: 0.5, inertia: [1, 1, 1]}\n"
      "beams: {wing: {from: [0, 0, 1], to: [1, 0, 1], elements: 2, profile: {circle: {radius: "
      "0.015}}, young: 2.1e11, density: 7850.5, load: ['0', '0', 't']}}\n"
      "joints:\n  hinge: {type: revolute, b: b, at: [0.5, 0]}\n"
      "  slide: {type: prismatic, b: c, axis: [1, 0, 0]}\n"
      "signals: {w: 0.5*t}\n"
      "states:\n"
      "  lag: {type: lag, input: 't', time: 0.5}\n"
      "  ratio: {type: transfer-function, input: lag, numerator: [1.5], denominator: [0.5, 2.5]}\n"
      "  space: {type: state-space, input: lag, A: [[-0.5]], B: [1.5], C: [2.5]}\n"
      "  control: {type: pid, input: lag, kp: 1.5, ki: 0.5, kd: 0.1, filter: 0.01, low: -2.5, "
      "high: "
      "2.5}\n"
      "  cut: {type: saturation, input: lag, low: -0.5, high: 0.5}\n"
      "  dead: {type: dead-band, input: lag, low: -0.5, high: 0.5}\n"
      "  play: {type: backlash, input: lag, width: 0.5, time: 0.01}\n"
      "  switch: {type: relay, input: lag, width: 0.5, low: -0.5, high: 0.5, time: 0.01}\n"
      "  slope: {type: rate-limiter, input: lag, rising: 0.5, time: 0.01}\n"
      "forces:\n"
      "  drive: {type: dc-motor, joint: hinge, voltage: '12', resistance: 0.5, inductance: 0.01, "
      "constant: 0.1}\n"
      "  rub: {type: friction, joint: hinge, law: lugre, coulomb: 0.25, radius: 0.015, press: 1.5, "
      "stiffness: 1000.5, damping: 0.5}\n"
      "  chain: {type: series, joint: hinge, stiffness: [1.5, 2.5], damping: [0.5, 0], free: 0}\n"
      "  push: {type: hydraulic-cylinder, joint: slide, valve: w, areas: [0.5e-3, 0.25e-3], "
      "volumes: "
      "[1.5e-3, 1.5e-3], bulk_modulus: 1.5e9, supply: 1.5e7, flow: 1.5e-7}\n";
  hn_model *m = parse(text);
  hn_system *sys = NULL;
  double k = 0;
  if (!m) return;
  CHECK(hn_model_parameter(m, "k", &k) == HN_OK);
  CHECK_NEAR(k, 0.75, 1e-9);
  if (!CHECK(hn_compile(&sys, m) == HN_OK)) printf("  %s\n", hn_model_error(m));
  hn_system_destroy(sys);
  hn_model_destroy(m);
  // units count as ever
  m = hn_model_create();
  static const char wrong[] = "bodies: {b: {type: point, mass: 2.5 mm}}\n";
  CHECK(hn_model_parse(m, wrong, strlen(wrong), "test.yaml") == HN_ERR_MODEL);
  CHECK(strstr(hn_model_error(m), "mass must be in kg") != NULL);
  hn_model_destroy(m);
}

// a comma as decimal sign in the surrounding program changes nothing
static void locales(void) {
  if (!test_comma()) printf("  no locale with a decimal comma\n");
  CHECK(mass_of("0.25") == 0.25);
  hn_model *m = parse("simulation: {rtol: 2.5e-4}\nbodies: {b: {type: point, mass: 1}}\n");
  if (m) CHECK(m->options.rtol == 2.5e-4);
  hn_model_destroy(m);
  written_formulas();
  char *schema = hn_schema_json();
  CHECK(schema && strstr(schema, "0.1") && !strstr(schema, "0,1"));
  free(schema);
  setlocale(LC_NUMERIC, "C");
}

// ---- orientations, inertia, shapes ---------------------------------------------------------

// one body with the given keys
static hn_model *body(const char *keys) {
  char file[400];
  snprintf(file, sizeof file, "bodies: {b: {%s}}\n", keys);
  return parse(file);
}

static void check_rotation(const char *orientation, const double R[9]) {
  char keys[300];
  double S[9];
  snprintf(keys, sizeof keys, "mass: 1, inertia: [1, 1, 1], orientation: %s", orientation);
  hn_model *m = body(keys);
  if (!m) return;
  q_matrix(S, m->body[1].def.orientation);
  for (int i = 0; i < 9; i++) CHECK_NEAR(S[i], R[i], 1e-15);
  hn_model_destroy(m);
}

static void elementary(double R[9], char axis, double angle) {
  int i = (axis - 'x' + 1) % 3, j = (axis - 'x' + 2) % 3;
  m3_identity(R);
  R[3 * i + i] = R[3 * j + j] = cos(angle);
  R[3 * j + i] = sin(angle);
  R[3 * i + j] = -sin(angle);
}

static void orientations(void) {
  const double angle[3] = {0.3, -0.7, 1.9};
  const char *const sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                   "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};
  for (int i = 0; i < 12; i++) {
    // intrinsic: R = R1 R2 R3
    double A[9], B[9], C[9], AB[9], R[9];
    elementary(A, sequences[i][0], angle[0]);
    elementary(B, sequences[i][1], angle[1]);
    elementary(C, sequences[i][2], angle[2]);
    m3_mul(AB, A, B);
    m3_mul(R, AB, C);
    char text[80];
    snprintf(text, sizeof text, "{euler: [0.3, -0.7, 1.9], sequence: %s}", sequences[i]);
    check_rotation(text, R);
  }
  const double quarter_x[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
  check_rotation("{quaternion: [1, 1, 0, 0]}", quarter_x);
  check_rotation("{axis: [3, 0, 0], angle: 90 deg}", quarter_x);
  check_rotation("{axis: [-2, 0], angle: -0.25 rev}", quarter_x);
  // a third of a turn about the space diagonal: x to y to z
  check_rotation("{axis: [1, 1, 1], angle: 120 deg}", (double[]){0, 0, 1, 1, 0, 0, 0, 1, 0});
}

static void inertias(void) {
  const char *const texts[] = {"mass: 1, inertia: {xx: 2, yy: 3, zz: 4, xy: 0.1, xz: 0.2, yz: 0.3}",
                               "mass: 1, inertia: [[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]]"};
  const double expected[] = {2, 3, 4, 0.1, 0.2, 0.3};
  for (int i = 0; i < 2; i++) {
    hn_model *m = body(texts[i]);
    for (int k = 0; m && k < 6; k++) CHECK(m->body[1].def.inertia[k] == expected[k]);
    hn_model_destroy(m);
  }
  hn_model *m = body("mass: 1, inertia: [2, 3, 4]");
  if (m) CHECK(m->body[1].def.inertia[1] == 3 && m->body[1].def.inertia[3] == 0);
  hn_model_destroy(m);
}

static void shapes(void) {
  hn_model *m = body("shape: {box: {size: [1, 2, 3], density: 2}}");
  if (m) CHECK(m->body[1].def.mass == 12 && m->body[1].def.inertia[0] == 13);
  hn_model_destroy(m);
  m = body("mass: 2, shape: {cylinder: {radius: 2, length: 6, axis: [0, 1, 0]}}");
  if (m) CHECK_REL(m->body[1].def.inertia[1], 4.0, 0, 1e-15);
  if (m) CHECK_REL(m->body[1].def.inertia[0], 8.0, 0, 1e-15);
  hn_model_destroy(m);
  m = body("mass: 5, shape: {sphere: {radius: 1}}");
  if (m) CHECK_REL(m->body[1].def.inertia[2], 2.0, 0, 1e-15);
  hn_model_destroy(m);
  m = body("shape: {rod: {length: 2, radius: 0.1, density: 3}}");
  if (m) CHECK_REL(m->body[1].def.mass, 6.0, 0, 1e-15);
  if (m) CHECK_REL(m->body[1].def.inertia[0], 0.03, 0, 1e-14);
  hn_model_destroy(m);
  m = body("type: planar, mass: 12, shape: {box: {size: [1, 2]}}");
  if (m) CHECK_REL(m->body[1].def.inertia[2], 5.0, 0, 1e-15);
  hn_model_destroy(m);
}

// ---- places --------------------------------------------------------------------------------

static void default_places(void) {
  hn_model *m = parse("bodies:\n"
                      "  p: {type: point, mass: 1, position: [1, 2, 3]}\n"
                      "  q: {type: point, mass: 1, position: [4, 5, 6]}\n"
                      "joints:\n"
                      "  one: {type: spherical, a: p, b: q}\n"
                      "  ground_b: {type: spherical, a: p, b: ground}\n"
                      "  two: {type: distance, a: p, b: q}\n"
                      "  given: {type: distance, a: p, b: q, at: [0, 0], at_b: [7, 8, 9]}\n"
                      "  x: {type: coordinate, b: q, coordinate: x}\n"
                      "forces:\n"
                      "  s: {type: spring, b: q, stiffness: 1}\n"
                      "  f: {type: force, b: q, force: [1, 0, 0]}\n");
  if (!m) return;
  check_v3(m->joint[0].def.at, 4, 5, 6);
  check_v3(m->joint[1].def.at, 1, 2, 3);
  check_v3(m->joint[2].def.at, 1, 2, 3);
  check_v3(m->joint[2].def.at_b, 4, 5, 6);
  check_v3(m->joint[3].def.at, 0, 0, 0);
  check_v3(m->joint[3].def.at_b, 7, 8, 9);
  check_v3(m->joint[4].def.at, 4, 5, 6);
  check_v3(m->force[0].def.at, 0, 0, 0);
  check_v3(m->force[0].def.at_b, 4, 5, 6);
  check_v3(m->force[1].def.at, 4, 5, 6);
  hn_model_destroy(m);
}

// ---- aliases, overrides, files -------------------------------------------------------------

static void aliases(void) {
  hn_model *m = parse("parameters: {m: &m 3}\n"
                      "bodies:\n"
                      "  a: &body {mass: *m, inertia: &i [1, 1, 1], frames: {tip: [1, 0]}}\n"
                      "  b: *body\n"
                      "  c: {mass: 2, inertia: *i}\n");
  if (!m) return;
  CHECK(m->body_count == 4 && m->body[2].def.mass == 3 && m->body[3].def.inertia[1] == 1);
  CHECK_STR(m->body[2].def.name, "b");
  CHECK(hn_model_find_frame(m, 2, "tip") == 1);
  hn_model_destroy(m);
}

static hn_status try_override(const char *name, const char *value, char *message, double *L) {
  const char text[] = "parameters: {L: 2, k: 2*L}\nbodies: {b: {type: point, mass: k}}\n";
  hn_model *m = hn_model_create();
  CHECK(hn_model_override(m, name, value) == HN_OK);
  hn_status status = hn_model_parse(m, text, strlen(text), "o.yaml");
  snprintf(message, HN_MESSAGE, "%s", hn_model_error(m));
  *L = status ? NAN : m->body[1].def.mass;
  hn_model_destroy(m);
  return status;
}

static void overrides(void) {
  char message[HN_MESSAGE];
  double mass;
  CHECK(try_override("L", "5", message, &mass) == HN_OK && mass == 10);
  CHECK(try_override("k", "L + 30 cm", message, &mass) == HN_OK && mass == 2.3);
  CHECK(try_override("l", "5", message, &mass) == HN_ERR_MODEL);
  CHECK_STR(message, "o.yaml: no parameter 'l' (parameters: L, k)");
  CHECK(try_override("L", "5 kmm", message, &mass) == HN_ERR_SYNTAX);
  CHECK_STR(message, "o.yaml: parameter 'L' set to '5 kmm', character 3: unknown unit 'kmm'; did "
                     "you mean 'mm'?");
  // overrides outlive a refused file
  hn_model *m = hn_model_create();
  hn_model_override(m, "L", "7");
  CHECK(hn_model_parse(m, "bodies: {}", 10, "a") == HN_ERR_MODEL);
  const char good[] = "parameters: {L: 1}\nbodies: {b: {type: point, mass: L}}";
  CHECK(hn_model_parse(m, good, strlen(good), "b") == HN_OK);
  CHECK(m->body[1].def.mass == 7);
  hn_model_destroy(m);
}

static void files(void) {
  hn_model *m = hn_model_create();
  CHECK(hn_model_load(m, "tests/bad") == HN_ERR_FILE);
  CHECK_STR(hn_model_error(m), "tests/bad: cannot be read: Is a directory");
  CHECK(hn_model_load(m, "no/such/file.yaml") == HN_ERR_FILE);
  CHECK_STR(hn_model_error(m), "no/such/file.yaml: cannot be read: No such file or directory");
  CHECK(hn_model_load(m, NULL) == HN_ERR_ARGUMENT);
  CHECK(hn_model_parse(m, NULL, 0, "x") == HN_ERR_ARGUMENT);
  CHECK(hn_model_parse(m, "", 0, "x") == HN_ERR_SYNTAX);
  CHECK_STR(hn_model_error(m), "x:1:1: the file is empty");

  char name[64], path[80];
  snprintf(name, sizeof name, "test_reader_%ld", (long)getpid());
  snprintf(path, sizeof path, "%s.yaml", name);
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL)) return;
  fputs("bodies: {b: {type: point, mass: 1}}\n", file);
  fclose(file);
  CHECK(hn_model_load(m, path) == HN_OK);
  CHECK_STR(hn_model_name(m), name);
  CHECK(hn_model_load(m, path) == HN_ERR_ARGUMENT);
  CHECK(strstr(hn_model_error(m), "empty model") != NULL);
  CHECK(m->body_count == 2);  // the first reading stands
  remove(path);
  hn_model_destroy(m);
}

// ---- the tree ------------------------------------------------------------------------------

static void tree(void) {
  const char text[] = "a: 1\nlist:\n  - x\n  - {k: 'v w', é: \"q\"}\n";
  hn_yaml_error error;
  hn_yaml_doc *doc = hn_yaml_parse(text, strlen(text), &error);
  if (!CHECK(doc != NULL)) return;
  const hn_yaml *root = hn_yaml_root(doc), *list = hn_yaml_get(root, "list");
  CHECK(root->kind == HN_YAML_MAP && root->count == 2 && root->line == 1 && root->column == 1);
  CHECK(list && list->kind == HN_YAML_LIST && list->count == 2);
  const hn_yaml *map = hn_yaml_item(list, 1);
  CHECK(map && map->line == 4 && map->column == 5);
  const hn_yaml *k = hn_yaml_get(map, "k"), *e = hn_yaml_get(map, "é");
  CHECK(k && k->quoted && k->verbatim && k->column == 9 && k->key->column == 6);
  CHECK_STR(k->text, "v w");
  CHECK(e && e->column == 19);  // columns count characters, not bytes
  CHECK(!hn_yaml_get(root, "b") && !hn_yaml_item(list, 2) && !hn_yaml_get(list, "a"));
  CHECK(root->weight == 11);
  hn_yaml_destroy(doc);
  hn_yaml_destroy(NULL);
}

// a long chain is read in linear time, and places are right to its end
static void large(void) {
  enum { COUNT = 3000, LINE = 120 };
  char *text = malloc(2 * COUNT * LINE);
  if (!CHECK(text != NULL)) return;
  size_t n = (size_t)sprintf(text, "bodies:\n");
  for (int i = 0; i < COUNT; i++)
    n += (size_t)sprintf(text + n,
                         "  b%d: {type: planar, mass: 1, inertia: 1, frames: {l: [0, 0], r: [1, "
                         "0]}}\n",
                         i);
  n += (size_t)sprintf(text + n, "joints:\n  j0: {type: revolute, b: b0.l}\n");
  for (int i = 1; i < COUNT; i++)
    n += (size_t)sprintf(text + n, "  j%d: {type: revolute, a: b%d.r, b: b%d.l}\n", i, i - 1, i);
  hn_model *m = parse(text);
  if (m) {
    CHECK(m->body_count == COUNT + 1 && m->joint_count == COUNT);
    CHECK(m->joint[COUNT - 1].place.line == 2 * COUNT + 2);
    CHECK(m->joint[COUNT - 1].def.a.body.id == COUNT - 1);
  }
  hn_model_destroy(m);
  free(text);
}

// rows that would take more room than an int counts are refused before any is read: their number
// times that of the first one's columns is 2^32
static void uneven_rows(void) {
  enum { COUNT = 1 << 16 };
  static const char head[] = "bodies: {b: {type: point, mass: 1}}\n"
                             "states: {x: {type: state-space, input: t, B: [1], C: [1], A: [[";
  char *text = malloc(sizeof head + 4 * COUNT + 16), *at = text;
  if (!CHECK(text != NULL)) return;
  at += sprintf(at, "%s", head);
  for (int i = 0; i < COUNT; i++) at += sprintf(at, i ? ",1" : "1");
  at += sprintf(at, "]");
  for (int i = 1; i < COUNT; i++) at += sprintf(at, ",1");
  at += sprintf(at, "]}}\n");
  hn_model *m = hn_model_create();
  CHECK(hn_model_parse(m, text, (size_t)(at - text), "rows.yaml") == HN_ERR_SYNTAX);
  CHECK(strstr(hn_model_error(m), "A must be a list of rows, not a number"));
  hn_model_destroy(m);
  free(text);
}

// every type is accepted with the least it needs
static void least_of_every_type(void) {
  const struct {
    const char *key, *value;
  } values[] = {{"joint_a", "J"},      {"joint_b", "K"},      {"joint", "J"},
                {"ratio", "2"},        {"radius", "1"},       {"pitch", "1"},
                {"coordinate", "x"},   {"motion", "t"},       {"axis", "[1, 0]"},
                {"law", "1"},          {"force", "[1, 0]"},   {"torque", "1"},
                {"stiffness", "1"},    {"length", "1"},       {"input", "t"},
                {"time", "1"},         {"numerator", "[1]"},  {"denominator", "[1, 1]"},
                {"A", "[[1]]"},        {"B", "[1]"},          {"C", "[1]"},
                {"low", "0"},          {"high", "1"},         {"width", "1"},
                {"rising", "1"},       {"voltage", "1"},      {"resistance", "1"},
                {"constant", "1"},     {"valve", "1"},        {"areas", "[1, 1]"},
                {"volumes", "[1, 1]"}, {"bulk_modulus", "1"}, {"supply", "1"},
                {"flow", "1"},         {"damping", "1"},      {"free", "1"},
                {"locked", "x"},       {"clearance", "1"},    {"height", "1"},
                {"viscosity", "1"}};
  const char *const sections[] = {"", "forces:\n", "states:\n"};
  const hn_family *const families[] = {&hn_joint_family, &hn_force_family, &hn_process_family};
  for (int f = 0; f < 3; f++) {
    const hn_type_info *type;
    for (int i = 0; (type = families[f]->type_at(i)); i++) {
      char text[600], word[64];
      size_t n = (size_t)snprintf(
          text, sizeof text,
          "bodies: {c: {mass: 1, inertia: [1, 1, 1]}}\n"
          "joints:\n  J: {type: revolute, b: c}\n  K: {type: prismatic, b: c}\n%s  it: {type: %s",
          sections[f], type->name);
      if (f < 2 && hn_type_has_ends(type))
        n += (size_t)snprintf(text + n, sizeof text - n, ", b: c");
      for (int k = 0; hn_word_at(type->required, k, word, sizeof word); k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
          if (strcmp(values[v].key, word) == 0)
            n += (size_t)snprintf(
                text + n, sizeof text - n, ", %s: %s", word,
                hn_word_in(type->name, "bushing beam-element")        ? "[1, 1, 1, 1, 1, 1]"
                : strcmp(type->name, "series") == 0 && word[0] != 'f' ? "[1, 1]"
                                                                      : values[v].value);
      snprintf(text + n, sizeof text - n, "}\n");
      hn_model *m = parse(text);
      CHECK(m && m->joint_count + m->force_count == (f < 2 ? 3 : 2));
      hn_model_destroy(m);
    }
  }
}

// ---- schema --------------------------------------------------------------------------------

// JSON and nothing else: a parser of a few lines; NULL when the text is not well formed
static const char *skip(const char *s) {
  return s + strspn(s, " \n\t\r");
}
static const char *json_string(const char *s) {
  if (*s++ != '"') return NULL;
  for (; *s && *s != '"'; s++) {
    if ((unsigned char)*s < 0x20) return NULL;
    if (*s == '\\' && !strchr("\"\\/bfnrt", *++s)) return NULL;
  }
  return *s ? s + 1 : NULL;
}
static const char *json_value(const char *s, int depth) {
  s = skip(s);
  if (depth > 40) return NULL;
  if (*s == '"') return json_string(s);
  if (*s == '{' || *s == '[') {
    char close = *s == '{' ? '}' : ']';
    s = skip(s + 1);
    if (*s == close) return s + 1;
    for (;; s++) {
      if (close == '}') {
        s = json_string(skip(s));
        if (!s || *(s = skip(s)) != ':') return NULL;
        s++;
      }
      s = json_value(s, depth + 1);
      if (!s) return NULL;
      s = skip(s);
      if (*s == close) return s + 1;
      if (*s != ',') return NULL;
    }
  }
  if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0) return s + 4;
  if (strncmp(s, "false", 5) == 0) return s + 5;
  char *end;
  strtod(s, &end);
  return end > s ? end : NULL;
}

static bool quoted_in(const char *text, const char *word) {
  char quoted[80];
  snprintf(quoted, sizeof quoted, "\"%s\"", word);
  return strstr(text, quoted) != NULL;
}

static void schema(void) {
  char *text = hn_schema_json();
  if (!CHECK(text != NULL)) return;
  const char *end = json_value(text, 0);
  CHECK(end && *skip(end) == 0);
  CHECK(!json_value("{\"a\": [1, 2,]}", 0) && json_value("{\"a\": [1, {}]}", 0));  // it can fail
  for (int i = 0; hn_joint_type_at(i); i++) CHECK(quoted_in(text, hn_joint_type_at(i)->name));
  for (int i = 0; hn_force_type_at(i); i++) CHECK(quoted_in(text, hn_force_type_at(i)->name));
  for (int i = 0; hn_option_at(i); i++) CHECK(quoted_in(text, hn_option_at(i)->name));
  for (int i = 0; hn_section_at(i); i++) CHECK(quoted_in(text, hn_section_at(i)->key));
  const hn_field *const tables[] = {hn_body_fields,  hn_frame_fields,       hn_joint_fields,
                                    hn_force_fields, hn_orientation_fields, hn_soft_fields};
  for (int t = 0; t < 6; t++)
    for (const hn_field *field = tables[t]; field->key; field++) CHECK(quoted_in(text, field->key));
  // every section of named things has these things in it, which are described
  static const char *const things[][2] = {{"parameters", "number"},
                                          {"points", "position"},
                                          {"signals", "signal"},
                                          {"states", "state"},
                                          {"controllers", "controller"},
                                          {"events", "event"},
                                          {"bodies", "body"},
                                          {"beams", "beam"},
                                          {"flexible", "flexible"},
                                          {"joints", "joint"},
                                          {"forces", "force"},
                                          {"blocks", "block"},
                                          {"couplings", "coupling"},
                                          {"parts", "part"},
                                          {"use", "use"},
                                          {"start", "start"}};
  hn_yaml_error error;
  hn_yaml_doc *doc = hn_yaml_parse(text, strlen(text), &error);
  const hn_yaml *root = doc ? hn_yaml_root(doc) : NULL;
  const hn_yaml *sections = hn_yaml_get(root, "properties"), *defs = hn_yaml_get(root, "$defs");
  for (size_t i = 0; CHECK(sections && defs) && i < sizeof things / sizeof *things; i++) {
    const hn_yaml *section = hn_yaml_get(hn_yaml_get(sections, things[i][0]), "allOf");
    const hn_yaml *of = section ? hn_yaml_get(section->first, "additionalProperties") : NULL;
    const hn_yaml *ref = of ? hn_yaml_get(of, "$ref") : NULL;
    char expected[80];
    snprintf(expected, sizeof expected, "#/$defs/%s", things[i][1]);
    if (!CHECK(ref && strcmp(ref->text, expected) == 0)) printf("  section %s\n", things[i][0]);
    CHECK(hn_yaml_get(defs, things[i][1]) != NULL);
  }
  const hn_yaml *ground = hn_yaml_get(hn_yaml_get(sections, "ground"), "allOf");
  CHECK(ground && hn_yaml_get(hn_yaml_get(ground->first, "properties"), "frames"));
  hn_yaml_destroy(doc);
  // of a joint type only its own keys are allowed
  const char *revolute = strstr(text, "{\"const\": \"revolute\"}");
  const char *then = revolute ? strstr(revolute, "\"then\"") : NULL;
  const char *close = then ? json_value(strchr(then, '{'), 0) : NULL;
  if (CHECK(close != NULL)) {
    char part[8000];
    snprintf(part, sizeof part, "%.*s", (int)(close - then), then);
    CHECK(quoted_in(part, "axis") && quoted_in(part, "hold") && !quoted_in(part, "pitch"));
    CHECK(strstr(part, "\"additionalProperties\": false") != NULL);
  }
  free(text);
}

// ---- documentation -------------------------------------------------------------------------

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = calloc(1, 100001);
  if (text && fread(text, 1, 100000, file) == 0) text[0] = 0;
  fclose(file);
  return text;
}

// is the word somewhere between backquotes?
static bool documented(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *s = text; (s = strstr(s, word)); s++) {
    bool starts = s > text && strchr("` ", s[-1]), ends = strchr("` ", s[n]) && s[n];
    const char *line = s, *stop = s;
    while (line > text && line[-1] != '\n') line--;
    int quotes = 0;
    for (; line < stop; line++) quotes += *line == '`';
    if (starts && ends && quotes % 2 == 1) return true;
  }
  printf("  not in docs/format.md: %s\n", word);
  return false;
}

static void documentation(void) {
  char *text = read_text("docs/format.md"), word[64];
  if (!CHECK(text != NULL)) return;
  for (int i = 0; hn_joint_type_at(i); i++) CHECK(documented(text, hn_joint_type_at(i)->name));
  for (int i = 0; hn_force_type_at(i); i++) CHECK(documented(text, hn_force_type_at(i)->name));
  for (int i = 0; hn_option_at(i); i++) CHECK(documented(text, hn_option_at(i)->name));
  for (int i = 0; hn_section_at(i); i++) CHECK(documented(text, hn_section_at(i)->key));
  for (int i = 0; hn_unit_at(i); i++) CHECK(documented(text, hn_unit_at(i)->name));
  const hn_field *const tables[] = {hn_body_fields,     hn_joint_fields,     hn_force_fields,
                                    hn_coupling_fields, hn_signal_fields,    hn_state_fields,
                                    hn_process_fields,  hn_controller_fields};
  for (int t = 0; t < 8; t++)
    for (const hn_field *field = tables[t]; field->key; field++)
      CHECK(documented(text, field->key));
  // the row of a type names all its keys; joints and forces may share names
  const hn_family *const families[] = {&hn_joint_family, &hn_force_family, &hn_process_family};
  const char *const sections[] = {"\n## Joints", "\n## Forces", "\n## "};
  for (int f = 0; f < 3; f++) {
    const hn_type_info *type;
    const char *section = strstr(text, sections[f]);
    if (!CHECK(section != NULL)) continue;
    for (int i = 0; (type = families[f]->type_at(i)); i++) {
      char start[64], row[900];
      snprintf(start, sizeof start, "\n| `%s` | ", type->name);
      const char *line = strstr(section, start);
      if (!CHECK(line != NULL)) continue;
      snprintf(row, sizeof row, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
      for (int k = 0; hn_word_at(type->keys, k, word, sizeof word); k++)
        CHECK(documented(row, word));
    }
  }
  free(text);
}

// every complete model in the documentation can be read
static void documented_models(void) {
  char *text = read_text("docs/format.md");
  int count = 0;
  for (char *s = text; s && (s = strstr(s, "```yaml\n"));) {
    s += 8;
    char *end = strstr(s, "```");
    if (!end) break;
    *end = 0;
    hn_model *m = parse(s);
    CHECK(m != NULL);
    hn_model_destroy(m);
    count++;
    s = end + 3;
  }
  CHECK(count >= 7);
  free(text);
}

int main(void) {
  RUN(everything_once);
  RUN(joints_and_forces_once);
  RUN(json);
  RUN(arrays);
  RUN(numbers);
  RUN(units);
  RUN(locales);
  RUN(orientations);
  RUN(inertias);
  RUN(shapes);
  RUN(default_places);
  RUN(aliases);
  RUN(overrides);
  RUN(files);
  RUN(tree);
  RUN(large);
  RUN(uneven_rows);
  RUN(least_of_every_type);
  RUN(schema);
  RUN(documentation);
  RUN(documented_models);
  return test_end();
}
