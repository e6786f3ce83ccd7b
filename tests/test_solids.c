// test_solids.c: blocks and hulls that touch each other: corners before faces.
//
//   tips      a box slides over the edge of a table and turns about it: as by equations of its own
//   leaves    a point slides off a box, and flies
//   carried   two boxes on a table that moves: hold, or slide, in closed form
//   holds     flush boxes on a slope, 1e-6 below the limit, for an hour
//   strikes   a corner on a face of a body that is free: the impulse
//   rocks     a tetrahedron falls about its edge: time and speed of the blow
//   faces     gradient and second derivatives of the distance from one face
//   refusals
#include "friction_rig.h"

#include "system/measure.h"

#include <stdlib.h>

static const double g = 9.81;

// ---- over an edge --------------------------------------------------------------------------

// A box with half the height h on the edge at the origin, s its middle beyond that along its own
// bottom: r = s t + h n. Where it slides forward with mu, N presses along n:
//   m (s'' - h q'' - s q'^2) = -m g sin q - mu N
//   m (2 s' q' - h q'^2 + s q'') = N - m g cos q
//   J q'' = -N (s + mu h)
typedef struct edge {
  double m, J, h, mu;
} edge;

static void edge_rates(const edge *e, const double y[4], double o[4]) {
  double s = y[0], q = y[1], u = y[2], w = y[3], lever = s + e->mu * e->h;
  double N = (g * cos(q) + 2 * u * w - e->h * w * w) / (1 / e->m + s * lever / e->J);
  o[0] = u, o[1] = w;
  o[3] = -N * lever / e->J;
  o[2] = e->h * o[3] + s * w * w - g * sin(q) - e->mu * N / e->m;
}

static void edge_go(const edge *e, double y[4], double t, int steps) {
  double h = t / steps, k[4][4], x[4];
  for (int i = 0; i < steps; i++) {
    edge_rates(e, y, k[0]);
    for (int s = 1; s < 4; s++) {
      for (int c = 0; c < 4; c++) x[c] = y[c] + (s < 3 ? 0.5 : 1) * h * k[s - 1][c];
      edge_rates(e, x, k[s]);
    }
    for (int c = 0; c < 4; c++) y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
  }
}

// It turns from where friction and weight meet at the edge: s = -mu h. In space the box touches a
// table that is wider by its corners, then its edges, and one that is narrower the other way round
static const char *const over[] = {
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  box: {type: planar, mass: 2, inertia: 0.05, position: [-1, 0.2], velocity: [3, 0]}\n"
    "joints:\n"
    "  table: {type: contact, b: box, at: [-1, -0.25], surface: box, size: [2, 0.5, 0],\n"
    "    length: 0.6, height: 0.4}\n"
    "forces:\n  rubs: {type: friction, joint: table, law: coulomb, coulomb: 0.3}\n",
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  box: {mass: 2, inertia: [0.04, 0.05, 0.06], position: [-1, 0, 0.2], velocity: [3, 0, 0]}\n"
    "joints:\n"
    "  table: {type: contact, b: box, at: [-1, 0, -0.25], surface: box, size: [2, 0.8, 0.5],\n"
    "    length: 0.6, width: 0.5, height: 0.4}\n"
    "forces:\n  rubs: {type: friction, joint: table, law: coulomb, coulomb: 0.3}\n",
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  box: {mass: 2, inertia: [0.04, 0.05, 0.06], position: [-1, 0, 0.2], velocity: [3, 0, 0]}\n"
    "joints:\n"
    "  table: {type: contact, b: box, at: [-1, 0, -0.25], surface: box, size: [2, 0.3, 0.5],\n"
    "    length: 0.6, width: 0.5, height: 0.4}\n"
    "forces:\n  rubs: {type: friction, joint: table, law: coulomb, coulomb: 0.3}\n"};

static void tips(void) {
  const edge e = {2, 0.05, 0.2, 0.3};
  double worst[3][2] = {{0}};
  for (int i = 0; i < 3 * RUB_WAYS; i++) {
    const how *way = &rub_ways[i % RUB_WAYS];
    int space = i / RUB_WAYS;
    // in space, with many more rows, one of each kind
    if (space && i % RUB_WAYS != 0 && i % RUB_WAYS != 4) continue;
    how w = *way;
    if (space && w.step > 0) w.step = 4e-3;
    rig run = rig_open(over[space], w);
    // -1 + 3 t - mu g t^2 / 2 = -mu h
    double a = e.mu * g, left = 1 - e.mu * e.h, t = (3 - sqrt(9 - 2 * a * left)) / a;
    double y[4] = {-e.mu * e.h, 0, 3 - a * t, 0}, until = t + 0.15;
    edge_go(&e, y, until - t, 2000);
    const double x = y[0] * cos(y[1]) - e.h * sin(y[1]), z = y[0] * sin(y[1]) + e.h * cos(y[1]);
    if (rig_ready(&run) && rig_go(&run, until)) {
      const double *q = hn_positions(run.sim);
      // about y what leads over the edge is positive
      double turn = space ? -2 * asin(q[5]) : q[2], up = space ? q[2] : q[1];
      double off = fmax(fabs(q[0] - x), fmax(fabs(up - z), fabs(turn - y[1])));
      if (space) off = fmax(off, fabs(q[1]));
      double *most = &worst[space][second_order(way)];
      *most = fmax(*most, off);
      CHECK(rig_imbalance(&run) < (second_order(way) ? 1e-4 : 1e-8));
    }
    rig_close(&run);
  }
  for (int k = 0; k < 3; k++) {
    printf("  over the edge of a table: %.1e m (order 2: %.1e m)\n", worst[k][0], worst[k][1]);
    CHECK(worst[k][0] < 1e-8 && worst[k][1] < (k ? 1e-4 : 1e-5));
  }
}

// A point slides along the top of a box without friction and flies on: a parabola from the edge
static void leaves(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n  p: {type: point, mass: 1, position: [0.3, 0.2, 0.5], velocity: [2, 0.5, 0]}\n"
      "joints:\n  on: {type: contact, b: p, surface: box, size: [2, 2, 1]}\n";
  for (int i = 0; i < RUB_WAYS; i++) {
    rig run = rig_open(text, rub_ways[i]);
    double t = 0.35, fall = 0.3;
    if (rig_ready(&run) && rig_go(&run, t + fall)) {
      const double *p = hn_positions(run.sim), *v = hn_velocities(run.sim);
      CHECK_NEAR(p[0], 0.3 + 2 * (t + fall), 1e-9);
      CHECK_NEAR(p[1], 0.2 + 0.5 * (t + fall), 1e-9);
      CHECK_NEAR(p[2], 0.5 - 0.5 * g * fall * fall, 1e-8);
      CHECK_NEAR(v[2], -g * fall, 1e-7);
    }
    rig_close(&run);
  }
}

// ---- carried -------------------------------------------------------------------------------

static const char stack[] =
    "gravity: [%.17g, %.17g]\n"
    "bodies:\n"
    "  low: {type: planar, mass: 2, inertia: 0.05, position: [0, 0.2]}\n"
    "  top: {type: planar, mass: 1, inertia: 0.04, position: [0, 0.6]}\n"
    "  table: {type: planar, mass: 1, inertia: 1}\n"
    "joints:\n"
    "  rail: {type: prismatic, b: table, axis: [1, 0, 0]}\n"
    "  drive: {type: driver, joint_a: rail, motion: \"%.17g * t^2 / 2\"}\n"
    "  under: {type: contact, a: table, b: low, axis: [0, 1, 0], length: 0.6, height: 0.4}\n"
    "  between: {type: contact, a: low, b: top, surface: box, size: [0.6, 0.4, 0], length: 0.6,\n"
    "    height: 0.4}\n"
    "forces:\n"
    "  grips: {type: friction, joint: under, law: coulomb, coulomb: 0.8}\n"
    "  rubs: {type: friction, joint: between, law: coulomb, coulomb: 0.2}\n";

static void place_of(const rig *run, const char *body, double p[3]) {
  hn_pose pose = {.position = {NAN, NAN, NAN}};
  CHECK(hn_body_pose(run->sim, hn_find_body(run->system, body), &pose) == HN_OK);
  memcpy(p, pose.position, sizeof pose.position);
}

// boxes that are equally long, one above the other: 1 % below the limit they go with the table,
// above it the upper one stays behind with mu g
static void carried(void) {
  for (int slides = 0; slides < 2; slides++)
    for (int i = 0; i < RUB_WAYS; i++) {
      char text[1200];
      double a = 0.2 * g * (slides ? 1.5 : 0.99), t = 0.3;
      snprintf(text, sizeof text, stack, 0.0, -g, a);
      rig run = rig_open(text, rub_ways[i]);
      if (rig_ready(&run) && rig_go(&run, t)) {
        double p[3];
        place_of(&run, "top", p);
        CHECK_NEAR(p[0], 0.5 * fmin(a, 0.2 * g) * t * t, 1e-9);
        CHECK_NEAR(p[1], 0.6, 1e-10);
        place_of(&run, "low", p);
        CHECK_NEAR(p[0], 0.5 * a * t * t, 1e-9);
      }
      rig_close(&run);
    }
}

static void holds(void) {
  double worst = 0;
  for (int i = 0; i < RUB_WAYS; i++) {
    char text[1200];
    double lean = atan(0.2 * (1 - 1e-6)), p[3];
    how w = rub_ways[i];
    if (w.step > 0) w.step = 0.5;
    snprintf(text, sizeof text, stack, g * sin(lean), -g * cos(lean), 0.0);
    rig run = rig_open(text, w);
    if (rig_ready(&run) && rig_go(&run, 3600)) {
      place_of(&run, "top", p);
      worst = fmax(worst, hypot(p[0], p[1] - 0.6));
      place_of(&run, "low", p);
      worst = fmax(worst, hypot(p[0], p[1] - 0.2));
    }
    rig_close(&run);
  }
  printf("  flush boxes on a slope, an hour below the limit: %.1e m\n", worst);
  CHECK(worst < 1e-12);
}

// ---- an impact -----------------------------------------------------------------------------

// A square on its corner falls on the top of a body that floats, beside its middle: the impulse is
// (1 + e) v / (1/m + 1/M + x^2/J), x from the middle of the lower one
static void strikes(void) {
  static const char text[] =
      "bodies:\n"
      "  low: {type: planar, mass: 3, inertia: 0.2, position: [0, 0]}\n"
      "  top: {type: planar, mass: 2, inertia: 0.05, position: [0.25, 1.2], angle: %.17g,\n"
      "    velocity: [0.4, -2]}\n"
      "joints:\n"
      "  meet: {type: contact, a: low, b: top, surface: box, size: [2, 0.4, 0], length: 0.5,\n"
      "    height: 0.5, restitution: 0.6}\n";
  const double pi = acos(-1), far = 0.25 * sqrt(2);
  for (int i = 0; i < RUB_WAYS; i++) {
    char model[700];
    snprintf(model, sizeof model, text, pi / 4);
    rig run = rig_open(model, rub_ways[i]);
    hn_impact hit;
    double t = (1.2 - far - 0.2) / 2, x = 0.25 + 0.4 * t;
    double impulse = 1.6 * 2 / (1.0 / 2 + 1.0 / 3 + x * x / 0.2);
    if (rig_ready(&run) && rig_go(&run, t + 0.1) && CHECK(hn_sim_impact_count(run.sim) == 1) &&
        CHECK(hn_sim_impact(run.sim, 0, &hit))) {
      const double *v = hn_velocities(run.sim);
      CHECK_NEAR(hit.time, t, 1e-9);
      CHECK_NEAR(hit.impulse, impulse, 1e-9);
      CHECK_NEAR(v[1], -impulse / 3, 1e-9);
      CHECK_NEAR(v[2], -impulse * x / 0.2, 1e-9);
      CHECK_NEAR(v[4], -2 + impulse / 2, 1e-9);
      CHECK_NEAR(v[5], 0, 1e-9);
    }
    rig_close(&run);
  }
}

// ---- a tetrahedron -------------------------------------------------------------------------

// falls about one of its edges from the angle q and rest until its face lies on the ground: with d
// from the edge to the middle, and that above the face by phi, w^2 = 2 m g d (sin(phi + q0) -
// sin(phi + q)) / (I + m d^2). Simpson's rule over q = q0 - s^2
static double topple(double q0, double phi, double k, double *end) {
  enum { N = 2000 };
  double most = sqrt(q0), sum = 0;
  for (int i = 0; i <= N; i++) {
    double s = most * i / N;
    double drop = 2 * cos(phi + q0 - s * s / 2) * sin(s * s / 2);
    double f = s > 0 ? 2 * s / sqrt(k * drop) : 2 / sqrt(k * cos(phi + q0));
    sum += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * f;
  }
  *end = sqrt(k * (sin(phi + q0) - sin(phi)));
  return sum * most / (3 * N);
}

static void rocks(void) {
  const double a = 0.4, d = a / sqrt(8), I = a * a / 20, phi = asin(sqrt(1.0 / 3)), q0 = 0.4;
  double speed, t = topple(q0, phi, 2 * g * d / (I + d * d), &speed);
  // the edge along y, the third corner of the face on the side of x
  double back = a / sqrt(3) / 2, high = a / sqrt(24), C = cos(q0), S = sin(q0);
  double corner[4][3] = {{-back, -a / 2, -high}, {-back, a / 2, -high}, {2 * back, 0, -high}};
  corner[3][2] = 3 * high;
  for (int i = 0; i < RUB_WAYS; i++) {
    char text[1200];
    hn_impact hit;
    int used = snprintf(text, sizeof text,
                        "gravity: [0, 0, -9.81]\nbodies:\n  tetra: {mass: 1, "
                        "position: [0, 0, %.17g],\n    shape: {hull: {points: [",
                        high * C + back * S);
    for (int k = 0; k < 4; k++) {
      // lifted about the edge: a turn about y that takes the corner in front up
      const double *p = corner[k];
      used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.17g, %.17g, %.17g]",
                       k ? ", " : "", C * p[0] - S * p[2], p[1], S * p[0] + C * p[2]);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "]}}}\n"
             "joints:\n  floor: {type: contact, b: tetra, hull: true}\n"
             "forces:\n  rubs: {type: friction, joint: floor, law: coulomb, coulomb: 2}\n");
    rig run = rig_open(text, rub_ways[i]);
    double tolerance = second_order(&rub_ways[i]) ? 1e-4 : 1e-8;
    if (rig_ready(&run) && rig_go(&run, t + 0.01)) {
      bool found = false;
      for (int k = 0; k < hn_sim_impact_count(run.sim) && !found; k++)
        found = hn_sim_impact(run.sim, k, &hit) && hit.before < -1e-3;
      CHECK(found);
      CHECK_NEAR(hit.time, t, tolerance);
      CHECK_REL(hit.before, -speed * a * sqrt(3) / 2, 0, tolerance);
      CHECK(rig_imbalance(&run) < (second_order(&rub_ways[i]) ? 1e-5 : 1e-8));
    }
    rig_close(&run);
  }
}

// ---- derivatives ---------------------------------------------------------------------------

// A measure that is held by a face is linear in the place of the tip: value, rate, bias and second
// derivatives against differences along a motion with constant velocities
static void faces(void) {
  static const char text[] =
      "bodies:\n"
      "  low: {mass: 3, shape: {box: {size: [1, 0.8, 0.4]}}, orientation:\n"
      "    {quaternion: [0.9, 0.1, 0.3, 0.2]}}\n"
      "  top: {mass: 2, shape: {box: {size: [0.3, 0.3, 0.3]}}, position: [0.4, 0.3, 1.2],\n"
      "    orientation: {quaternion: [0.8, 0.3, -0.2, 0.4]}}\n"
      "joints:\n"
      "  meet: {type: contact, a: low, b: top, at_b: [0.5, 0.4, 1.1], surface: hull}\n";
  rig run = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
  if (!rig_ready(&run)) return;
  const hn_system *sys = run.system;
  hn_arena arena = {0};
  hn_work work = {0};
  for (int pass = 0; pass < 2; pass++) {
    hn_work_layout(&work, &arena, sys);
    if (!pass && !hn_arena_allocate(&arena)) return;
  }
  const hn_tip *tip = sys->tip;
  double worst[3] = {0, 0, 0};
  for (int f = 0; f < 6; f++) {
    double q[14], v[12], y[14], step = 1e-4, value[3], rate[3];
    hn_mval m;
    work.face = &f;
    for (int i = 0; i < 12; i++) v[i] = sin(1.3 * i + f);
    for (int k = -1; k <= 1; k++) {
      double move[12];
      memcpy(y, sys->q0, sizeof y);
      for (int i = 0; i < 12; i++) move[i] = k * step * v[i];
      hn_retract(sys, y, move);
      hn_eval_motion(&work, 0, y, v);
      hn_eval_measure(&sys->measure[tip->measure], &work, &m, 2);
      value[k + 1] = m.value, rate[k + 1] = m.rate;
      if (!k) memcpy(q, y, sizeof q);
    }
    hn_eval_motion(&work, 0, q, v);
    hn_eval_measure(&sys->measure[tip->measure], &work, &m, 2);
    worst[0] = fmax(worst[0], fabs((value[2] - value[0]) / (2 * step) - m.rate));
    // retraction along constant body rates: no accelerations
    worst[1] = fmax(worst[1], fabs((rate[2] - rate[0]) / (2 * step) - m.bias));
    // the second derivative along the motion is that of the Hessian, between the velocities
    double block[4][36], sum = 0;
    hn_measure_hessian(sys, &work, tip->measure, block);
    for (int i = 0; i < 12; i++)
      for (int k = 0; k < 12; k++)
        sum += v[i] * block[2 * (i / 6) + k / 6][6 * (i % 6) + k % 6] * v[k];
    worst[2] = fmax(worst[2], fabs(sum - m.bias));
  }
  printf("  one face: rate %.1e, bias %.1e, second derivatives %.1e\n", worst[0], worst[1],
         worst[2]);
  CHECK(worst[0] < 1e-7 && worst[1] < 1e-7 && worst[2] < 1e-12);
  free(arena.base);
  rig_close(&run);
}

// ---- refusals ------------------------------------------------------------------------------

static void refusals(void) {
  static const char box[] = "shape: {box: {size: [1, 1, 1]}}", flat[] = "type: planar, inertia: 1";
  static const struct {
    const char *body, *joint, *says;
  } cases[] = {
      {box, "hull: true, length: 1", "leave length, width and height out"},
      {box, "hull: true, surface: hull", "the ground has no shape"},
      {box, "surface: hull", "the ground has no shape"},
      {"inertia: [1, 1, 1]", "hull: true", "no box and no hull"},
      {"shapes: [{box: {size: [1, 1, 1]}}, {box: {size: [1, 2, 1]}}]", "hull: true", "several"},
      {flat, "hull: true", "does not move in space"},
      {flat, "surface: box, size: [1, 1, 0], length: 1, height: 1, radius: 0.1", "are sharp"},
      {flat, "surface: box, length: 1, height: 1", "needs the size of the box"},
      {flat, "surface: sphere, radius_a: 1, length: 1, height: 1", "before a plane, a box or a"},
      {flat, "surface: box, size: [1, 1, 0], length: 1, height: 1, inside: true", "not inside"},
      {flat, "at: [0, 9], surface: box, size: [2, 2, 0], length: 1, height: 1",
       "starts behind the stop"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "bodies: {b: {mass: 1, %s, position: [0, 9%s]}}\n"
             "joints: {meet: {type: contact, b: b, axis: [0, %d, %d], %s}}\n",
             cases[i].body, cases[i].body == flat ? "" : ", 9", cases[i].body == flat,
             cases[i].body != flat, cases[i].joint);
    rig run = rig_open(text, (how){NULL, NULL, 0, 0, NULL});
    if (!CHECK(run.status && strstr(run.message, cases[i].says))) printf("  %s\n", run.message);
    rig_close(&run);
  }
}

int main(void) {
  RUN(tips);
  RUN(leaves);
  RUN(carried);
  RUN(holds);
  RUN(strikes);
  RUN(rocks);
  RUN(faces);
  RUN(refusals);
  return test_end();
}
