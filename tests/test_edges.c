// test_edges.c: solids that touch in space, edges across edges.
//
//   measures  gap and slips of two edges: gradients, biases, second derivatives against differences
//   strikes   an edge falls across an edge of a body that is free: the impulse
//   holds     a box on one that is turned against it by 45 degrees, an hour below the limit
//   falls     boxes and hulls that fall on each other: one place whatever the method
//   refusals
#include "friction_rig.h"

#include "system/measure.h"

#include <stdlib.h>

static const double g = 9.81;

// ---- measures ------------------------------------------------------------------------------

// values at the state q of the described one moved by `move`
static void look_at(const hn_system *sys, hn_work *work, const double move[12], const double v[12],
                    int measure, hn_mval *m) {
  double y[14];
  memcpy(y, sys->q0, sizeof y);
  hn_retract(sys, y, move);
  hn_eval_motion(work, 0, y, v);
  hn_eval_measure(&sys->measure[measure], work, m, 2);
}

// every second pair of edges of two boxes that lie anyhow, with the normal to either side; a slip
// has no value
static void measures(void) {
  static const char text[] =
      "bodies:\n"
      "  low: {mass: 3, shape: {box: {size: [1, 0.8, 0.4]}}, orientation: {axis: [3, 1, 2],\n"
      "    angle: 0.7}}\n"
      "  top: {mass: 2, shape: {box: {size: [0.3, 0.4, 0.5]}}, position: [0.4, 0.3, 1.2],\n"
      "    orientation: {axis: [1, -2, 2], angle: 1.1}}\n"
      "joints:\n"
      "  meet: {type: contact, a: low, b: top, surface: hull, hull: true}\n"
      "forces:\n"
      "  rubs: {type: friction, joint: meet, law: coulomb, coulomb: 0.3}\n";
  rig run = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
  if (!rig_ready(&run)) return;
  const hn_system *sys = run.system;
  hn_arena arena = {0};
  hn_work work = {0};
  int *face = NULL, tried = 0;
  for (int pass = 0; pass < 2; pass++) {
    hn_work_layout(&work, &arena, sys);
    face = HN_TAKE(&arena, int, sys->tips);
    if (!pass && !hn_arena_allocate(&arena)) return;
  }
  int slot = sys->meeting[0].first;
  double worst[4] = {0}, v[12], still[12] = {0}, step = 1e-4;
  work.face = face;
  for (int i = 0; i < 12; i++) v[i] = sin(1.3 * i + 0.4);
  for (int m = 0; m < sys->measures; m++) {
    if (sys->measure[m].tip != slot + 1) continue;
    bool gap = sys->measure[m].type == HN_M_EDGES;
    tried++;
    for (face[slot] = 0; face[slot] < 2 * 144; face[slot] += 5) {
      hn_mval side[2], here;
      double block[4][36], move[12];
      look_at(sys, &work, still, v, m, &here);
      // edges that are nearly parallel have no crossing to speak of
      if (!(fabs(here.bias) < 1e3)) continue;
      hn_measure_hessian(sys, &work, m, block);
      for (int s = 0; s < 2; s++) {
        for (int i = 0; i < 12; i++) move[i] = (s ? step : -step) * v[i];
        look_at(sys, &work, move, v, m, &side[s]);
      }
      double size = 1 + fabs(here.bias);
      if (gap)
        worst[0] = fmax(worst[0], fabs((side[1].value - side[0].value) / (2 * step) - here.rate));
      worst[1] =
          fmax(worst[1], fabs((side[1].rate - side[0].rate) / (2 * step) - here.bias) / size);
      double rate = 0;
      for (int i = 0; i < 12; i++) rate += (i < 6 ? here.ja[i] : here.jb[i - 6]) * v[i];
      worst[2] = fmax(worst[2], fabs(rate - here.rate));
      for (int k = 0; k < 12; k++) {
        for (int s = 0; s < 2; s++) {
          memset(move, 0, sizeof move);
          move[k] = s ? step : -step;
          look_at(sys, &work, move, v, m, &side[s]);
        }
        for (int i = 0; i < 12; i++) {
          double up = i < 6 ? side[1].ja[i] : side[1].jb[i - 6];
          double down = i < 6 ? side[0].ja[i] : side[0].jb[i - 6];
          double by = block[2 * (i / 6) + k / 6][6 * (i % 6) + k % 6];
          worst[3] = fmax(worst[3], fabs((up - down) / (2 * step) - by) / size);
        }
      }
    }
  }
  printf("  edges: rate %.1e, bias %.1e, gradient %.1e, second derivatives %.1e\n", worst[0],
         worst[1], worst[2], worst[3]);
  CHECK(tried == 3);
  CHECK(worst[0] < 1e-6 && worst[1] < 1e-6 && worst[2] < 1e-12 && worst[3] < 1e-6);
  free(arena.base);
  rig_close(&run);
}

// ---- an impact -----------------------------------------------------------------------------

// Two bars of square section on their edges, across each other: they meet at X from the middle of
// the lower one and Y from that of the upper one. The impulse is
// (1 + e) v / (1/m + 1/M + X^2/J + Y^2/j)
static void strikes(void) {
  const double quarter = acos(-1) / 4, half = 0.1 * sqrt(2);
  for (int i = 0; i < RUB_WAYS; i++) {
    char model[900];
    snprintf(model, sizeof model,
             "bodies:\n"
             "  low: {mass: 3, inertia: [0.02, 0.3, 0.3], shape: {box: {size: [1, 0.2, 0.2]}},\n"
             "    orientation: {axis: [1, 0, 0], angle: %.17g}}\n"
             "  top: {mass: 2, inertia: [0.2, 0.01, 0.2], shape: {box: {size: [0.2, 1, 0.2]}},\n"
             "    position: [0.3, 0.2, 0.5], orientation: {axis: [0, 1, 0], angle: %.17g},\n"
             "    velocity: [0.1, 0.2, -2]}\n"
             "joints:\n"
             "  meet: {type: contact, a: low, b: top, surface: hull, hull: true,\n"
             "    restitution: 0.6}\n",
             quarter, quarter);
    rig run = rig_open(model, rub_ways[i]);
    hn_impact hit;
    double t = (0.5 - 2 * half) / 2, X = 0.3 + 0.1 * t, Y = -(0.2 + 0.2 * t);
    double impulse = 1.6 * 2 / (1.0 / 3 + 1.0 / 2 + X * X / 0.3 + Y * Y / 0.2);
    if (rig_ready(&run) && rig_go(&run, t + 0.05) && CHECK(hn_sim_impact_count(run.sim) == 1) &&
        CHECK(hn_sim_impact(run.sim, 0, &hit))) {
      const double *v = hn_velocities(run.sim);
      CHECK_NEAR(hit.time, t, 1e-9);
      CHECK_NEAR(hit.impulse, impulse, 1e-9);
      CHECK_NEAR(v[2], -impulse / 3, 1e-9);
      CHECK_NEAR(v[8], -2 + impulse / 2, 1e-9);
      CHECK_NEAR(v[6], 0.1, 1e-9);
      CHECK(rig_imbalance(&run) < 1e-9);
    }
    rig_close(&run);
  }
}

// ---- at rest -------------------------------------------------------------------------------

// they touch in eight points, all of them edges that cross
static void holds(void) {
  static const how ways[] = {{NULL, "reference", 0, 0, NULL},
                             {NULL, "relative", 0, 0, NULL},
                             {"integrator rk4", "relative", 20, 0, NULL},
                             {"integrator index3-alpha", "reference", 20, 0, NULL}};
  double worst = 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char text[900];
    double lean = atan(0.2 * (1 - 1e-6));
    snprintf(text, sizeof text,
             "gravity: [%.17g, 0, %.17g]\n"
             "bodies:\n"
             "  top: {mass: 1, shape: {box: {size: [0.6, 0.6, 0.2]}}, position: [0, 0, 0.1],\n"
             "    orientation: {axis: [0, 0, 1], angle: %.17g}}\n"
             "joints:\n"
             "  on: {type: contact, b: top, at: [0, 0, -0.1], surface: box,\n"
             "    size: [0.6, 0.6, 0.2], hull: true}\n"
             "forces:\n"
             "  rubs: {type: friction, joint: on, law: coulomb, coulomb: 0.2}\n",
             g * sin(lean), -g * cos(lean), acos(-1) / 4);
    rig run = rig_open(text, ways[i]);
    if (rig_ready(&run) && rig_go(&run, 3600)) {
      const double *q = hn_positions(run.sim);
      worst = fmax(worst, fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2] - 0.1))));
    }
    rig_close(&run);
  }
  printf("  eight crossings on a slope, an hour below the limit: %.1e m\n", worst);
  CHECK(worst < 1e-12);
}

// ---- falls ---------------------------------------------------------------------------------

static const char *const shapes[] = {
    "box: {size: [0.3, 0.2, 0.2]}",
    "hull: {points: [[0.2, 0, 0], [-0.2, 0, 0], [0, 0.2, 0], [0, -0.2, 0], [0, 0, 0.2], "
    "[0, 0, -0.2]]}"};

// on a table that is narrow enough to be hit at its edges
static void falls(void) {
  static const how ways[] = {{NULL, "reference", 0, 1e-11, NULL},
                             {NULL, "relative", 0, 1e-10, NULL},
                             {NULL, "reference", 0, 1e-9, NULL}};
  for (int shape = 0; shape < 2; shape++) {
    double first[3] = {0}, worst = 0;
    int impacts = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
      char text[900];
      snprintf(text, sizeof text,
               "gravity: [0, 0, -9.81]\n"
               "bodies:\n"
               "  top: {mass: 1, shape: {%s}, position: [0.13, 0.02, 0.4],\n"
               "    orientation: {axis: [1, 2, 2], angle: 0.9}, velocity: [0.2, 0.1, 0],\n"
               "    angular_velocity: [1, 2, 3]}\n"
               "joints:\n"
               "  on: {type: contact, b: top, at: [0, 0, -0.1], surface: box,\n"
               "    size: [0.3, 0.5, 0.2], hull: true, restitution: 0.3}\n"
               "forces:\n"
               "  rubs: {type: friction, joint: on, law: coulomb, coulomb: 0.3}\n",
               shapes[shape]);
      rig run = rig_open(text, ways[i]);
      if (rig_ready(&run) && rig_go(&run, 0.5)) {
        const double *q = hn_positions(run.sim);
        if (!i) memcpy(first, q, sizeof first), impacts = hn_sim_impact_count(run.sim);
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(q[k] - first[k]));
        CHECK(hn_sim_impact_count(run.sim) == impacts && impacts > 0);
        CHECK(rig_imbalance(&run) < 1e-8);
      }
      rig_close(&run);
    }
    printf("  %s falls on a table, %d impacts: one place to %.1e m\n", shape ? "octahedron" : "box",
           impacts, worst);
    CHECK(worst < 1e-7);
  }
}

// ---- refusals ------------------------------------------------------------------------------

static void refusals(void) {
  static const struct {
    const char *place, *method, *says;
  } cases[] = {
      {"[0, 0, 0.1]", NULL, "in each other"},
      {"[0, 0, 2]", "moreau", "a corner leaves a face"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    // a post that leads through a plate: no corner of either is in the other
    snprintf(text, sizeof text,
             "bodies:\n  post: {mass: 1, shape: {box: {size: [0.1, 0.1, 2]}}, position: %s}\n"
             "joints:\n"
             "  on: {type: contact, b: post, surface: box, size: [1, 1, 0.1], hull: true}\n",
             cases[i].place);
    rig run = rig_open(text, (how){cases[i].method, NULL, cases[i].method ? 1e-3 : 0, 0, NULL});
    if (!CHECK(run.status && strstr(run.message, cases[i].says))) printf("  %s\n", run.message);
    rig_close(&run);
  }
}

int main(void) {
  RUN(measures);
  RUN(strikes);
  RUN(holds);
  RUN(falls);
  RUN(refusals);
  return test_end();
}
