// test_points.c: named points, their constructions, and bodies and directions between them.
//
// Constructions are held against what defines them: distances from centres, crossed lines, the
// side asked for; at random places.
#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "io/model_reader.h"
#include "test.h"

static hn_model *parse(const char *text) {
  hn_model *m = hn_model_create();
  if (hn_model_parse(m, text, strlen(text), "test.yaml") == HN_OK) return m;
  test_check(0, hn_model_error(m), __FILE__, __LINE__);
  hn_model_destroy(m);
  return NULL;
}

static const double *point(const hn_model *m, const char *name) {
  static const double nowhere[3] = {NAN, NAN, NAN};
  int i = hn_model_find_point(m, name);
  CHECK(i >= 0);
  return i >= 0 ? m->point[i].at : nowhere;
}

static double apart(const double a[3], const double b[3]) {
  double d[3];
  v3_sub(d, a, b);
  return v3_norm(d);
}

// twice the area of a, b, c, seen from z: positive when they turn to the left
static double turn(const double a[3], const double b[3], const double c[3]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static const char body[] = "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n";

static void plane_constructions(void) {
  double v[8], r, s, h = test_random(-3, 3);
  char text[2000];
  for (int i = 0; i < 8; i++) v[i] = test_random(-5, 5);
  const double d = hypot(v[2] - v[0], v[3] - v[1]);
  // radii that meet: the triangle of the centres and the point exists
  r = test_random(0.1, 2) * d;
  s = test_random(fabs(d - r), d + r);
  snprintf(
      text, sizeof text,
      "points:\n"
      "  A: [%.17g, %.17g, %.17g]\n  B: [%.17g, %.17g, A.z]\n"
      "  C: [%.17g, %.17g, A.z]\n  D: [%.17g, %.17g, A.z]\n"
      "  left: {circles: [[A, %.17g], [B, %.17g]], side: left}\n"
      "  right: {circles: [[A, %.17g], [B, %.17g]], side: right}\n"
      "  cross: {lines: [[A, B], [C, D]]}\n"
      "  foot: {foot: C, on: [A, B]}\n"
      "  mirror: {mirror: C, across: [A, B]}\n"
      "  first: {line: [A, B], circle: [C, \"2*hypot(C.x-foot.x, C.y-foot.y)\"], side: first}\n"
      "  last: {line: [A, B], circle: [C, \"2*hypot(C.x-foot.x, C.y-foot.y)\"], side: last}\n"
      "  third: {from: A, to: B, part: 1/3}\n"
      "  metre: {from: A, to: B, distance: 1}\n"
      "  polar: {from: A, distance: 2, angle: 30 deg}\n"
      "  moved: {from: A, offset: [1, 2, 3]}\n"
      "  flipped: {mirror: A, across: xz}\n"
      "  same: C\n%s",
      v[0], v[1], h, v[2], v[3], v[4], v[5], v[6], v[7], r, s, r, s, body);
  hn_model *m = parse(text);
  if (!m) return;
  const double *A = point(m, "A"), *B = point(m, "B"), *C = point(m, "C"), *D = point(m, "D");
  const double *left = point(m, "left"), *right = point(m, "right"), *x;
  // near tangency a point is known to the root of the round-off only
  const double tight = 1e-12 * (d + r + s), loose = 1e-6 * (d + r + s);
  CHECK_NEAR(apart(A, left), r, tight);
  CHECK_NEAR(apart(B, left), s, tight);
  CHECK_NEAR(apart(A, right), r, tight);
  CHECK_NEAR(apart(B, right), s, tight);
  CHECK(turn(A, B, left) >= -loose * d && turn(A, B, right) <= loose * d);
  CHECK(left[2] == A[2]);

  x = point(m, "cross");
  CHECK_NEAR(turn(A, B, x) / d, 0, 1e-11 * (1 + apart(A, x)));
  CHECK_NEAR(turn(C, D, x) / apart(C, D), 0, 1e-11 * (1 + apart(C, x)));

  const double *foot = point(m, "foot"), *mirror = point(m, "mirror");
  CHECK_NEAR((B[0] - A[0]) * (C[0] - foot[0]) + (B[1] - A[1]) * (C[1] - foot[1]), 0,
             1e-12 * d * 20);
  CHECK_NEAR(turn(A, B, foot), 0, 1e-12 * d * 20);
  for (int i = 0; i < 2; i++) CHECK_NEAR((mirror[i] + C[i]) / 2, foot[i], 1e-12 * 20);

  const double *first = point(m, "first"), *last = point(m, "last");
  CHECK_NEAR(apart(C, first), 2 * apart(C, foot), 1e-11);
  CHECK_NEAR(apart(C, last), 2 * apart(C, foot), 1e-11);
  CHECK((last[0] - first[0]) * (B[0] - A[0]) + (last[1] - first[1]) * (B[1] - A[1]) > 0);

  x = point(m, "third");
  CHECK_NEAR(apart(A, x) * 3, d, 1e-12 * d);
  CHECK_NEAR(apart(B, x) * 1.5, d, 1e-12 * d);
  x = point(m, "metre");
  CHECK_NEAR(apart(A, x), 1, 1e-14 * 20);
  CHECK_NEAR(turn(A, B, x), 0, 1e-13 * 20 * d);
  x = point(m, "polar");
  CHECK_NEAR(x[0] - A[0], sqrt(3), 1e-14);
  CHECK_NEAR(x[1] - A[1], 1, 1e-14);
  x = point(m, "moved");
  CHECK(x[0] == A[0] + 1 && x[1] == A[1] + 2 && x[2] == A[2] + 3);
  x = point(m, "flipped");
  CHECK(x[0] == A[0] && x[1] == -A[1] && x[2] == A[2]);
  CHECK(apart(point(m, "same"), C) == 0);
  hn_model_destroy(m);
}

static void spheres(void) {
  double c[3][3], p[3], r[3], u[3], w[3], n[3];
  char text[800];
  // three spheres through a point
  for (int k = 0; k < 3; k++) p[k] = test_random(-2, 2);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) c[i][k] = test_random(-2, 2);
    r[i] = apart(c[i], p);
  }
  v3_sub(u, c[1], c[0]);
  v3_sub(w, c[2], c[0]);
  v3_cross(n, u, w);
  v3_sub(u, p, c[0]);
  double side = v3_dot(n, u);
  // flat arrangements say nothing about the side
  if (v3_norm(n) < 0.3 || fabs(side) < 0.1) return;
  snprintf(text, sizeof text,
           "points:\n  A: [%.17g, %.17g, %.17g]\n  B: [%.17g, %.17g, %.17g]\n"
           "  C: [%.17g, %.17g, %.17g]\n"
           "  P: {spheres: [[A, %.17g], [B, %.17g], [C, %.17g]], side: %s}\n"
           "  first: {line: [A, B], circle: [C, %.17g], side: first}\n"
           "  last: {line: [A, B], circle: [C, %.17g], side: last}\n%s",
           c[0][0], c[0][1], c[0][2], c[1][0], c[1][1], c[1][2], c[2][0], c[2][1], c[2][2], r[0],
           r[1], r[2], side > 0 ? "front" : "back", 2 * r[2] + 9, 2 * r[2] + 9, body);
  hn_model *m = parse(text);
  if (!m) return;
  CHECK_NEAR(apart(point(m, "P"), p), 0, 1e-11);
  const double *first = point(m, "first"), *last = point(m, "last");
  CHECK_NEAR(apart(c[2], first), 2 * r[2] + 9, 1e-11);
  CHECK_NEAR(apart(c[2], last), 2 * r[2] + 9, 1e-11);
  v3_sub(u, c[1], c[0]);
  v3_sub(w, last, first);
  v3_cross(n, u, w);
  CHECK_NEAR(v3_norm(n), 0, 1e-11 * v3_norm(w));
  CHECK(v3_dot(u, w) > 0);
  hn_model_destroy(m);
}

// a bar: x along it, z as near to `up` as can be, ends as frames, a rod unless told otherwise
static void bars(void) {
  double a[3], b[3], up[3], R[9], d[3];
  char text[1200];
  for (int k = 0; k < 3; k++) {
    a[k] = test_random(-2, 2);
    b[k] = test_random(-2, 2);
    up[k] = test_random(-1, 1);
  }
  snprintf(text, sizeof text,
           "points:\n  A: [%.17g, %.17g, %.17g]\n  B: [%.17g, %.17g, %.17g]\n"
           "bodies:\n"
           "  bar: {mass: 2, from: A, to: B, up: [%.17g, %.17g, %.17g], frames: {end: B}}\n"
           "  tube: {from: B, to: A, shape: {cylinder: {radius: 0.1, density: 10}}}\n"
           "  flat: {type: planar, mass: 1, from: [A.x, A.y], to: [B.x, B.y]}\n"
           "  next: {mass: 1, inertia: [1, 1, 1], position: {from: bar.B, offset: [0, 0, 1]}}\n",
           a[0], a[1], a[2], b[0], b[1], b[2], up[0], up[1], up[2]);
  hn_model *m = parse(text);
  if (!m) return;
  const double length = apart(a, b);
  const hn_body_def *bar = &m->body[1].def, *tube = &m->body[2].def, *flat = &m->body[3].def;
  q_matrix(R, bar->orientation);
  const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]};
  v3_sub(d, b, a);
  CHECK_NEAR(v3_dot(x, d), length, 1e-13);
  CHECK_NEAR(v3_dot(y, up), 0, 1e-13);                    // up lies in the plane of x and z
  CHECK(R[2] * up[0] + R[5] * up[1] + R[8] * up[2] > 0);  // on z's side
  for (int k = 0; k < 3; k++) CHECK_NEAR(bar->position[k], (a[k] + b[k]) / 2, 1e-15);
  CHECK(bar->shape.kind == HN_SHAPE_ROD);
  CHECK_NEAR(bar->shape.length, length, 1e-14);
  CHECK_NEAR(bar->inertia[1], 2 * length * length / 12, 1e-13);
  const char *const ends[] = {"A", "B", "end"};
  for (int i = 0; i < 3; i++) {
    int frame = hn_model_find_frame(m, 1, ends[i]);
    CHECK(frame >= 0);
    if (frame < 0) continue;
    const double *at = m->frame[frame].def.position;
    CHECK_NEAR(at[0], i ? length / 2 : -length / 2, 1e-14);
    CHECK_NEAR(hypot(at[1], at[2]), 0, 1e-14);
  }
  CHECK(tube->shape.kind == HN_SHAPE_CYLINDER && tube->shape.axis[0] == 1);
  CHECK_NEAR(tube->mass, 10 * acos(-1) * 0.01 * length, 1e-13);
  CHECK_NEAR(flat->angle, atan2(b[1] - a[1], b[0] - a[0]), 1e-15);
  CHECK_NEAR(flat->shape.length, hypot(b[0] - a[0], b[1] - a[1]), 1e-14);
  const double *next = m->body[4].def.position;
  for (int k = 0; k < 3; k++) CHECK_NEAR(next[k], b[k] + (k == 2), 1e-14);
  hn_model_destroy(m);
}

// where a place on a body is in the world, as it is described
static void in_world(const hn_model *m, int body_index, int frame, const double at[3],
                     double out[3]) {
  double R[9], x[3];
  hn_described_pose(m, body_index, frame, R, x);
  m3_mulv(out, R, at);
  v3_add(out, out, x);
}

// corners of a plate are where they were said to be: those that are named as frames, all as the
// outline that is drawn and weighed
static void check_corners(const hn_model *m, int body_index, const double *corner, int count) {
  const hn_body_def *def = &m->body[body_index].def;
  const char *const name[] = {"A", "B", "C"};
  const double origin[3] = {0};
  double at[3];
  for (int i = 0; i < 3; i++) {
    in_world(m, body_index, hn_model_find_frame(m, body_index, name[i]), origin, at);
    CHECK_NEAR(apart(at, corner + 3 * i), 0, 1e-13);
  }
  CHECK(def->shape_count == 1 && def->shapes->outline_count == count);
  for (int i = 0; i < count; i++) {
    const double flat[3] = {def->shapes->outline[2 * i], def->shapes->outline[2 * i + 1], 0};
    in_world(m, body_index, -1, flat, at);
    CHECK_NEAR(apart(at, corner + 3 * i), 0, 1e-12);
  }
}

// a random triangle in space, and one in the plane that becomes a quadrilateral by a corner between
// two others: frame in the middle, x towards the second corner, inertia of a triangle. In a mirror
// everything lies as the picture does
static void plates(void) {
  double v[9], side[3], mirrored[3][3];
  char text[2000];
  for (int k = 0; k < 9; k++) v[k] = test_random(-2, 2);
  const double corner[3][3] = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}};
  for (int k = 0; k < 3; k++) side[k] = apart(corner[k], corner[(k + 1) % 3]);
  const double flat[4][3] = {
      {v[0], v[1]}, {v[3], v[4]}, {v[6], v[7]}, {(v[0] + v[6]) / 2, (v[1] + v[7]) / 2}};
  for (int k = 0; k < 3; k++)
    v3_set(mirrored[k], -corner[k][0] + 1, corner[k][1] + 2, corner[k][2] + 3);
  snprintf(text, sizeof text,
           "parts:\n  p:\n    points: {A: [%.17g, %.17g, %.17g], B: [%.17g, %.17g, %.17g], "
           "C: [%.17g, %.17g, %.17g]}\n    bodies:\n"
           "      b: {mass: 3, corners: [A, B, C], frames: {tip: [0, 0, 1]}}\n"
           "use:\n  own: {part: p}\n  other: {part: p, mirror: yz, at: [1, 2, 3]}\n"
           "points: {A: [%.17g, %.17g], B: [%.17g, %.17g], C: [%.17g, %.17g]}\n"
           "bodies:\n  quad: {type: planar, mass: 2, corners: [A, B, C, "
           "{from: A, to: C, part: 0.5}]}\n"
           "  cut: {type: planar, corners: [A, B, C], shape: {extrusion: {length: 0.01, density: "
           "100}}}\n"
           "  drawn: {type: planar, mass: 1, inertia: 7, corners: [A, B, C]}\n",
           v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[0], v[1], v[3], v[4], v[6],
           v[7]);
  hn_model *m = parse(text);
  if (!m) return;
  int own = hn_model_find_body(m, "own.b"), other = hn_model_find_body(m, "other.b");
  const hn_body_def *b = &m->body[own].def, *q = &m->body[hn_model_find_body(m, "quad")].def;
  check_corners(m, own, corner[0], 3);
  check_corners(m, other, mirrored[0], 3);
  check_corners(m, hn_model_find_body(m, "quad"), flat[0], 4);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(b->position[k], (corner[0][k] + corner[1][k] + corner[2][k]) / 3, 1e-13);
  // what is on the side from which the corners turn to the left stays there in a mirror
  double R[9], x[3], tip[2][3];
  const double up[3] = {0, 0, 1};
  in_world(m, own, -1, up, tip[0]);
  in_world(m, other, -1, up, tip[1]);
  CHECK_NEAR(tip[1][0], 1 - tip[0][0], 1e-12);
  CHECK_NEAR(tip[1][1], 2 + tip[0][1], 1e-12);
  CHECK_NEAR(tip[1][2], 3 + tip[0][2], 1e-12);
  hn_described_pose(m, own, -1, R, x);
  double u[3], w[3], n[3];
  v3_sub(u, corner[1], corner[0]), v3_sub(w, corner[2], corner[0]), v3_cross(n, u, w);
  CHECK_NEAR(R[2] * n[0] + R[5] * n[1] + R[8] * n[2], v3_norm(n), 1e-12);
  CHECK_NEAR(R[0] * u[0] + R[3] * u[1] + R[6] * u[2], v3_norm(u), 1e-12);
  // m (a^2 + b^2 + c^2) / 36 about its middle, across a thin triangle
  double squares = side[0] * side[0] + side[1] * side[1] + side[2] * side[2];
  CHECK_NEAR(b->inertia[2], 3 * squares / 36, 1e-12 * squares);
  CHECK_NEAR(m->body[other].def.inertia[2], b->inertia[2], 1e-12 * squares);
  double area = fabs(turn(flat[0], flat[1], flat[2])) / 2, sum = 0;
  for (int k = 0; k < 3; k++) {
    double a = apart(flat[k], flat[(k + 1) % 3]);
    sum += a * a;
  }
  CHECK_NEAR(q->inertia[2], 2 * sum / 36, 1e-12 * sum);
  CHECK_NEAR(m->body[hn_model_find_body(m, "cut")].def.mass, 100 * 0.01 * area, 1e-13);
  const hn_body_def *drawn = &m->body[hn_model_find_body(m, "drawn")].def;
  CHECK(drawn->inertia[2] == 7 && drawn->shapes->only_drawn);
  hn_model_destroy(m);
}

// axes by a word, and from one point to another, also where a part is turned
static void directions(void) {
  double a[3], b[3], d[3];
  char text[1500];
  for (int k = 0; k < 3; k++) a[k] = test_random(-2, 2), b[k] = test_random(-2, 2);
  snprintf(text, sizeof text,
           "points: {A: [%.17g, %.17g, %.17g], B: [%.17g, %.17g, %.17g]}\n"
           "parts: {p: {points: {A: [1, 0, 0], B: [0, 2, 0]}, joints: {s: {type: prismatic, b: b, "
           "axis: {from: A, to: B}}}}}\n"
           "use: {t: {part: p, angle: 90 deg, at: [5, 6, 7]}}\n"
           "bodies: {b: {mass: 1, inertia: [1, 1, 1]}, "
           "c: {mass: 1, shape: {cylinder: {radius: 1, length: 1, axis: -x}}},"
           "e: {from: A, to: B, up: {from: B, to: [0, 0, 9]}, mass: 1}}\n"
           "joints:\n"
           "  j: {type: revolute, b: b, axis: {from: A, to: B}}\n"
           "  k: {type: universal, a: b, b: c, axis: -y, axis_b: z}\n",
           a[0], a[1], a[2], b[0], b[1], b[2]);
  hn_model *m = parse(text);
  if (!m) return;
  const double *j = m->joint[hn_model_find_joint(m, "j")].def.axis;
  v3_sub(d, b, a);
  CHECK_NEAR(apart(j, d), 0, 1e-14);
  const hn_joint_def *k = &m->joint[hn_model_find_joint(m, "k")].def;
  CHECK(k->axis[0] == 0 && k->axis[1] == -1 && k->axis[2] == 0 && k->axis_b[2] == 1);
  const hn_body_def *c = &m->body[hn_model_find_body(m, "c")].def;
  CHECK(c->shape.axis[0] == -1 && c->shape.axis[1] == 0);
  // (-1, 2, 0) turned by a quarter
  const double *s = m->joint[hn_model_find_joint(m, "t.s")].def.axis;
  CHECK_NEAR(s[0], -2, 1e-14);
  CHECK_NEAR(s[1], -1, 1e-14);
  hn_model_destroy(m);
}

// a linkage by points is the linkage by arithmetic
static void a_linkage(void) {
  hn_model *m =
      parse("parameters: {L: 2}\ngravity: [0, -9.81]\n"
            "points:\n"
            "  A: [0, 0]\n  D: [2.5, 0]\n"
            "  B: {from: A, distance: L, angle: 60 deg}\n"
            "  C: {circles: [[B, 4], [D, 4]], side: left}\n"
            "bodies:\n"
            "  crank: {type: planar, from: A, to: B, mass: 1}\n"
            "  coupler: {type: planar, from: B, to: C, mass: 4}\n"
            "  rocker: {type: planar, from: D, to: C, mass: 3}\n"
            "joints:\n"
            "  A: {type: revolute, b: crank, at: A}\n"
            "  B: {type: revolute, a: crank, b: coupler, at: B}\n"
            "  C: {type: revolute, a: coupler.C, b: rocker.C}\n"
            "  D: {type: revolute, b: rocker, at: D}\n"
            "forces: {s: {type: spring, a: ground, b: rocker, at: A, at_b: C, stiffness: 10}}\n");
  if (!m) return;
  hn_system *sys = NULL;
  CHECK(hn_compile(&sys, m) == HN_OK);
  const hn_check *check = sys ? hn_system_check(sys) : NULL;
  CHECK(check && check->dof == 1 && check->position_before < 1e-14);
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

// ---- what is refused ------------------------------------------------------------------------

static void refused(const char *points, const char *bodies, const char *said) {
  char text[1000];
  snprintf(text, sizeof text, "points:\n  A: [0, 0]\n  B: [1, 0]\n%sbodies:\n%s", points,
           *bodies ? bodies : "  b: {mass: 1, inertia: [1, 1, 1]}\n");
  hn_model *m = hn_model_create();
  CHECK(hn_model_parse(m, text, strlen(text), "test.yaml") != HN_OK);
  if (!strstr(hn_model_error(m), said)) test_check(0, hn_model_error(m), __FILE__, __LINE__);
  hn_model_destroy(m);
}

static void wrong_points(void) {
  refused("  C: D\n", "", "test.yaml:4:6: point 'C': no point named 'D'");
  refused("  C: {from: D, offset: [1, 1]}\n", "", "test.yaml:4:13: point 'C': no point named 'D'");
  // what is used before it is read: told where it stands
  refused("  C: D\n  D: [0, 1]\n", "",
          "test.yaml:4:6: point 'C': point 'D' is described further down, in line 5");
  refused("  C: [D.x, 0]\n  D: [0, 1]\n", "",
          "test.yaml:4:7: point 'C': a point: 'D.x' is described further down, in line 5");
  refused("  C: {from: b, offset: [1, 1]}\n", "",
          "'b' belongs to a body, and points are read before bodies");
  refused("  C: [c, 0]\nparameters: {d: C.x, c: 1}\n", "",
          "parameter 'd': value: 'C.x' belongs to a point, and parameters are read before");
  refused("",
          "  b: {mass: 1, inertia: [1, 1, 1], position: c}\n  c: {mass: 1, inertia: [1, 1, 1]}\n",
          "test.yaml:5:46: body 'b': body 'c' is described further down, in line 6");
  refused("  A: [1, 1]\n", "", "test.yaml:4");
  refused("  2C: [1, 1]\n", "", "bad name");
  refused("  C: [1]\n", "", "must have 2 or 3 numbers");
  refused("  C: [1, nan]\n", "", "finite");
  refused("  C: [C.x, 1]\n", "", "unknown name 'C.x'");
  refused("  C: {circles: [[A, 1], [B, 1]]}\n", "", "side must be left or right");
  refused("  C: {circles: [[A, 1], [B, 1]], side: lift}\n", "", "did you mean 'left'?");
  refused("  C: {circles: [[A, 0.3], [B, 0.3]], side: left}\n", "", "do not meet");
  refused("  C: {circles: [[A, 3], [B, 1]], side: left}\n", "", "do not meet");
  refused("  C: {circles: [[A, 3], [A, 3]], side: left}\n", "", "one centre");
  refused("  C: {circles: [[A, -3], [B, 3]], side: left}\n", "", "radius must be positive");
  refused("  C: {circles: [A, 3], side: left}\n", "", "a centre and a radius, [A, r]");
  refused("  C: {lines: [[A, B], [A, A]]}\n", "", "the two points are one");
  refused("  C: {lines: [[A, B], [[0, 1], [1, 1]]]}\n", "", "parallel");
  refused("  C: {lines: [[A, B], [[0, 1, 1], [1, 2, 1]]]}\n", "", "must have one z");
  refused("  C: {line: [A, B], circle: [[0, 3], 1], side: last}\n", "", "beyond its radius");
  refused("  C: {mirror: A, across: zz}\n", "", "across must be");
  refused("  C: {from: A, to: A, part: 0.5}\n", "", "no line");
  refused("  C: {from: A, to: B, prat: 0.5}\n", "", "did you mean 'part'?");
  refused("  C: {from: A, to: B}\n", "", "a point is constructed by");
  refused("  C: {spheres: [[A, 1], [B, 1], [[2, 0], 1]], side: front}\n", "", "on one line");
  refused("  C: {from: A, offset: [1e12, 1e12], side: left}\n", "", "a point is constructed by");
}

static void wrong_bars(void) {
  refused("", "  b: {mass: 1, from: A}\n", "both 'from' and 'to' are needed");
  refused("", "  b: {mass: 1, from: A, to: A}\n", "are one point");
  refused("", "  b: {mass: 1, from: A, to: B, position: [0, 0]}\n", "position follows");
  refused("", "  b: {type: planar, mass: 1, from: A, to: B, angle: 1}\n", "angle follows");
  refused("", "  b: {type: point, mass: 1, from: A, to: B}\n", "has no extent");
  refused("", "  b: {mass: 1, from: A, to: B, up: [0, 0, 0]}\n", "up must not be zero");
  refused("", "  b: {type: planar, mass: 1, from: A, to: B, up: [0, 1, 0]}\n", "is the world's");
  refused("", "  A: {mass: 1, inertia: [1, 1, 1]}\n", "already a point of this name");
  refused("", "  b: {mass: 1, from: A, to: B, frames: {A: [0, 0]}}\n", "already a frame");
  refused("", "  b: {mass: 1, from: A, to: C}\n", "test.yaml:5:29: body 'b': no point named 'C'");
}

static void wrong_plates(void) {
  refused("", "  b: {mass: 1, corners: [A, B]}\n", "a list of three points or more");
  refused("", "  b: {mass: 1, corners: A}\n", "a list of three points or more");
  refused("", "  b: {mass: 1, corners: [A, B, [2, 0]]}\n", "enclose no area");
  refused("", "  b: {mass: 1, corners: [A, A, B, [2, 1]]}\n", "first two corners are one point");
  refused("", "  b: {mass: 1, corners: [A, B, [0, 1], [2, 2]]}\n", "cross");
  refused("", "  b: {mass: 1, corners: [A, [0.5, 0, 0.01], B, [1, 1], [0, 1]]}\n",
          "test.yaml:5:29: body 'b': the corners do not lie in a plane: number 2 is 0.01 m off");
  refused("", "  b: {type: planar, mass: 1, corners: [A, B, [0, 1, 1]]}\n",
          "not lie in a plane: number 3 is 1 m off");
  refused("", "  b: {mass: 1, corners: [A, B, [0, 1]], position: [0, 0]}\n", "position follows");
  refused("", "  b: {mass: 1, corners: [A, B, [0, 1]], from: A}\n", "from follows");
  refused("", "  b: {type: point, mass: 1, corners: [A, B, [0, 1]]}\n", "has no extent");
  refused("", "  b: {mass: 1, corners: [A, B, C]}\n", "no point named 'C'");
  refused("", "  b: {mass: 1, corners: [A, B, [0, 1]], frames: {A: [0, 0]}}\n", "already a frame");
}

static void wrong_directions(void) {
#define WITH(axis)                                                                                 \
  "  b: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  j: {type: revolute, b: b, axis: " axis "}\n"
  refused("", WITH("w"), "axis must be x, y, z or a list of numbers");
  refused("", WITH("{from: A}"), "'from' one point 'to' another");
  refused("", WITH("{from: A, to: B, part: 1}"), "'from' one point 'to' another");
  refused("", WITH("{from: A, to: A}"), "axis must not be zero");
  refused("", WITH("{from: A, to: C}"), "no point named 'C'");
  refused("", "  b: {mass: 1, shape: {rod: {length: 1, axis: {from: A, to: B}}}}\n", "axis");
#undef WITH
}

int main(void) {
  for (int i = 0; i < 300; i++) {
    RUN(plane_constructions);
    RUN(spheres);
    RUN(bars);
    RUN(plates);
    RUN(directions);
  }
  RUN(a_linkage);
  RUN(wrong_points);
  RUN(wrong_bars);
  RUN(wrong_plates);
  RUN(wrong_directions);
  return test_end();
}
