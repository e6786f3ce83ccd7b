// test_block_contact.c: contacts of blocks, whose corners stand before a plane.
//
//   rocks     Housner's block: times of its swings by quadrature, speeds by angular momentum
//   slides    down a slope, or holds on it for an hour
//   tips      where tan a is its length by its height
//   tumbles   in space: one place whatever the method, energy kept track of
//   thrown    anyhow: it lies still on a face in the end
//   yields    the same as a force: settles by what its weight bends
//   refusals
#include "friction_rig.h"

#include <stdlib.h>

static const double g = 9.81;

// ---- Housner's block -----------------------------------------------------------------------

static const double width = 0.2, height = 0.8;

static const char rocking[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  block: {type: planar, mass: 2, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g}\n"
    "joints:\n"
    "  floor: {type: contact, b: block, axis: [0, 1, 0], length: 0.2, height: 0.8}\n"
    "forces:\n"
    "  rubs: {type: friction, joint: floor, law: coulomb, coulomb: 0.6}\n";

// Swings about a corner from the angle q and rest to lying flat: w^2 = 2 m g R / J (cos(alpha - q0)
// - cos(alpha - q)) falls as q does; q = q0 - s^2 leaves nothing singular. Simpson's rule
static double fall_time(double q0, double alpha, double R, double *end) {
  enum { N = 4000 };
  double k = 2 * g / (4.0 / 3 * R), most = sqrt(q0), sum = 0;
  for (int i = 0; i <= N; i++) {
    double s = most * i / N;
    // cos(alpha - q) - cos(alpha - q0) with q = q0 - s^2, without cancellation
    double drop = 2 * sin(alpha - q0 + s * s / 2) * sin(s * s / 2);
    double f = s > 0 ? 2 * s / sqrt(k * drop) : 2 / sqrt(k * sin(alpha - q0));
    sum += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * f;
  }
  *end = sqrt(k * (cos(alpha - q0) - cos(alpha)));
  return sum * most / (3 * N);
}

static void rocks(void) {
  const double alpha = atan(width / height), R = hypot(width, height) / 2, tilt = 0.5 * alpha;
  const double inertia = 2 * (width * width + height * height) / 12,
               r = 1 - 1.5 * sin(alpha) * sin(alpha);
  for (int i = 0; i < RUB_WAYS; i++) {
    char text[700];
    double speed, q = tilt, tolerance = second_order(&rub_ways[i]) ? 1e-3 : 1e-8;
    // how near to the blow it is looked at, and what that leaves of the speed
    double beside = second_order(&rub_ways[i]) ? 5e-4 : 1e-6, near = 1e4 * beside * 1e-3;
    snprintf(text, sizeof text, rocking, inertia,
             -width / 2 + width / 2 * cos(tilt) - height / 2 * sin(tilt),
             width / 2 * sin(tilt) + height / 2 * cos(tilt), tilt);
    rig run = rig_open(text, rub_ways[i]);
    double t = fall_time(q, alpha, R, &speed);
    for (int swing = 0; swing < 3 && run.sim; swing++) {
      // just before and after it lies flat: the angular momentum about the new corner is kept
      if (!rig_ready(&run) || !rig_go(&run, t - beside)) break;
      CHECK_REL(fabs(hn_velocities(run.sim)[2]), speed, 0, near);
      if (!rig_go(&run, t + beside)) break;
      CHECK_REL(fabs(hn_velocities(run.sim)[2]), r * speed, 0, near);
      // up to the angle that is left, and down
      q = alpha - acos(cos(alpha) + r * r * (cos(alpha - q) - cos(alpha)));
      t += 2 * fall_time(q, alpha, R, &speed);
    }
    // the corner that was up strikes, the other one is struck in rest
    hn_impact hit = {.before = 0};
    for (int k = 0; k < 2 && !(hit.before < -1e-3); k++)
      if (!hn_sim_impact(run.sim, k, &hit)) break;
    t = fall_time(tilt, alpha, R, &speed);
    CHECK_NEAR(hit.time, t, tolerance);
    CHECK_REL(hit.before, -speed * width, 0, tolerance);
    CHECK(rig_imbalance(&run) < (second_order(&rub_ways[i]) ? 1e-5 : 1e-8));
    rig_close(&run);
  }
}

// ---- on a slope ----------------------------------------------------------------------------

static const char slope[] =
    "gravity: [%.17g, 0, %.17g]\n"
    "bodies:\n"
    "  box: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0.05], velocity: [%.17g, 0, "
    "0]}\n"
    "joints:\n"
    "  floor: {type: contact, b: box, axis: [0, 0, 1], length: 0.3, width: 0.2, height: 0.1%s}\n"
    "forces:\n"
    "  rubs: {type: friction, joint: floor, law: coulomb, coulomb: 0.4, static: 0.5}\n";

static void slides(void) {
  double worst = 0, held[2] = {0, 0};
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < RUB_WAYS; i++) {
      char text[700];
      double a = atan(0.6);
      const char *edges = round ? ", radius: 0.01" : "";
      snprintf(text, sizeof text, slope, g * sin(a), -g * cos(a), 0.3, edges);
      rig run = rig_open(text, rub_ways[i]);
      if (rig_ready(&run) && rig_go(&run, 1)) {
        double way = 0.3 + 0.5 * g * (sin(a) - 0.4 * cos(a));
        worst = fmax(worst, fabs(hn_positions(run.sim)[0] - way));
        CHECK_NEAR(hn_positions(run.sim)[2], 0.05, 1e-9);
        CHECK(rig_imbalance(&run) < 1e-9);
      }
      rig_close(&run);
      how w = rub_ways[i];
      if (w.step > 0) w.step = 0.5;
      a = atan(0.5 * (1 - 1e-6));
      snprintf(text, sizeof text, slope, g * sin(a), -g * cos(a), 0.0, edges);
      run = rig_open(text, w);
      if (rig_ready(&run) && rig_go(&run, 3600))
        for (int k = 0; k < 2; k++) held[round] = fmax(held[round], fabs(hn_positions(run.sim)[k]));
      rig_close(&run);
    }
  printf(
      "  box on a slope: slides to %.1e m, held for an hour to %.1e m, on round corners %.1e m\n",
      worst, held[0], held[1]);
  // balls in space have no place that could be kept: rates alone hold them
  CHECK(worst < 1e-9 && held[0] < 1e-12 && held[1] < 1e-10);
}

// on ground that is rough enough a block tips over its lower edge where tan a > length / height
static void tips(void) {
  for (int k = 0; k < 2; k++) {
    char text[500];
    double a = atan(0.25) + (k ? 1e-4 : -1e-4);
    snprintf(text, sizeof text,
             "gravity: [%.17g, %.17g]\n"
             "bodies:\n  block: {type: planar, mass: 2, inertia: 0.1, position: [0, 0.4]}\n"
             "joints:\n"
             "  floor: {type: contact, b: block, axis: [0, 1, 0], length: 0.2, height: 0.8}\n"
             "forces:\n  rubs: {type: friction, joint: floor, law: coulomb, coulomb: 0.6}\n",
             g * sin(a), -g * cos(a));
    rig run = rig_open(text, (how){NULL, "reference", 0, 1e-9, NULL});
    if (rig_ready(&run) && rig_go(&run, 1.5)) {
      double angle = hn_positions(run.sim)[2];
      CHECK(k ? angle < -1e-3 : fabs(angle) < 1e-13);
    }
    rig_close(&run);
  }
}

// ---- in space ------------------------------------------------------------------------------

static const char tumbling[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  box:\n"
    "    mass: 2\n"
    "    shape: {box: {size: [0.3, 0.2, 0.1]}}\n"
    "    position: [0, 0, 0.5]\n"
    "    velocity: [1, 0.3, 0]\n"
    "    angular_velocity: [1, 2, 3]\n"
    "joints:\n"
    "  floor: {type: contact, b: box, axis: [0, 0, 1], length: 0.3, width: 0.2, height: 0.1, "
    "restitution: %g}\n"
    "forces:\n"
    "  rubs: {type: friction, joint: floor, law: coulomb, coulomb: 0.4}\n";

static void tumbles(void) {
  static const how ways[] = {{NULL, "reference", 0, 1e-11, NULL},
                             {NULL, "relative", 0, 1e-10, NULL},
                             {"integrator rk4", "reference", 2e-4, 0, NULL},
                             {"integrator index3-alpha", "reference", 1e-4, 0, NULL}};
  for (int bounces = 0; bounces < 2; bounces++) {
    char text[900];
    double first[3] = {0}, worst[2] = {0, 0};
    snprintf(text, sizeof text, tumbling, bounces ? 0.3 : 0.0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
      rig run = rig_open(text, ways[i]);
      if (rig_ready(&run) && rig_go(&run, 1)) {
        const double *p = hn_positions(run.sim);
        if (!i) memcpy(first, p, sizeof first);
        for (int k = 0; k < 3; k++)
          worst[second_order(&ways[i])] =
              fmax(worst[second_order(&ways[i])], fabs(p[k] - first[k]));
        // flat on the ground, and at rest
        CHECK_NEAR(p[2], 0.05, 1e-9);
        CHECK_NEAR(hn_velocities(run.sim)[0], 0, 1e-12);
        CHECK(rig_imbalance(&run) < (second_order(&ways[i]) ? 1e-5 : 1e-8));
      }
      rig_close(&run);
    }
    printf("  restitution %g: comes to rest in one place to %.1e m (order 2: %.1e m)\n",
           bounces ? 0.3 : 0.0, worst[0], worst[1]);
    CHECK(worst[0] < 1e-8 && worst[1] < 1e-4);
  }
}

// stands on corners that repeat each other: the motion is that of a ball that falls as far
static void stands(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n  box: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0.3]}\n"
      "joints:\n"
      "  floor: {type: contact, b: box, axis: [0, 0, 1], length: 0.3, width: 0.2, height: 0.1, "
      "restitution: 0.5}\n";
  // falls 0.25 m, and bounces in all for (1 + e) / (1 - e) times the time it fell
  double fell = sqrt(2 * 0.25 / g), over = 3 * fell, at = 1.5 * fell, up = g * fell * 0.5;
  for (int i = 0; i < RUB_WAYS; i++) {
    rig run = rig_open(text, rub_ways[i]);
    double tolerance = second_order(&rub_ways[i]) ? 1e-6 : 1e-9;
    hn_reaction r;
    if (rig_ready(&run) && rig_go(&run, at))
      CHECK_NEAR(hn_positions(run.sim)[2],
                 0.05 + up * (at - fell) - g / 2 * (at - fell) * (at - fell), tolerance);
    if (run.sim && rig_go(&run, over + 0.1)) {
      CHECK_NEAR(hn_positions(run.sim)[2], 0.05, 1e-9);
      for (int k = 3; k < 7; k++) CHECK_NEAR(hn_positions(run.sim)[k], k == 3, 1e-9);
      CHECK(hn_joint_reaction(run.sim, hn_find_joint(run.system, "floor"), &r) == HN_OK);
      CHECK_REL(r.force[2], 2 * g, 0, 1e-9);
    }
    rig_close(&run);
  }
}

// ---- as a force ----------------------------------------------------------------------------

// lowered on springs of its corners: m g / 4 k deep, and as the rigid one where these are stiff
static void yields(void) {
  static const char text[] =
      "gravity: [%g, 0, -9.81]\n"
      "bodies:\n  box: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0.05]}\n"
      "forces:\n"
      "  floor: {type: contact, b: box, axis: [0, 0, 1], length: 0.3, width: 0.2, height: 0.1, "
      "law: "
      "kelvin-voigt,\n    stiffness: 1e5, damping: 400, coulomb: 0.2, speed: 1e-4}\n";
  char model[600];
  snprintf(model, sizeof model, text, 0.0);
  rig run = rig_open(model, (how){NULL, NULL, 0, 1e-9, NULL});
  if (rig_ready(&run) && rig_go(&run, 2))
    CHECK_NEAR(hn_positions(run.sim)[2], 0.05 - 2 * g / 4e5, 1e-9);
  rig_close(&run);
  snprintf(model, sizeof model, text, 4.0);
  run = rig_open(model, (how){NULL, NULL, 0, 1e-9, NULL});
  // slides with 4 - 0.2 g, once it has sunk in
  if (rig_ready(&run) && rig_go(&run, 1)) CHECK_NEAR(hn_velocities(run.sim)[0], 4 - 0.2 * g, 2e-3);
  rig_close(&run);
}

// ---- thrown --------------------------------------------------------------------------------

static double between(unsigned *seed, double low, double high) {
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (*seed >> 8) / 16777216.0;
}

// Boxes that are thrown anyhow: corners strike, slip, are stopped by blows and slip anew, until the
// box lies still on one of its faces
static void thrown(void) {
  static const double edge[] = {0.1, 0.12, 0.08};
  // those that a blow stops while they slip are few
  static const int some[] = {59, 91, 109, 0, 1, 2, 3, 129, 137};
  int count = run_quickly() ? 4 : sizeof some / sizeof *some;
  for (int j = 0; j < count; j++) {
    int k = some[j];
    unsigned seed = 40u + (unsigned)k;
    char text[900];
    double e = k % 2 ? 0.2 : 0, mu = between(&seed, 0.2, 0.7), x[10];
    for (int i = 0; i < 10; i++) x[i] = between(&seed, -1, 1);
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  die: {mass: 0.5, shape: {box: {size: [%g, %g, %g]}}, position: [0, 0, 0.2],\n"
        "    orientation: {axis: [%.6f, %.6f, %.6f], angle: %.6f}, velocity: [%.6f, %.6f, 0],\n"
        "    angular_velocity: [%.6f, %.6f, %.6f]}\n"
        "joints:\n"
        "  on: {type: contact, b: die, axis: [0, 0, 1], hull: true, restitution: %g}\n"
        "forces:\n"
        "  rubs: {type: friction, joint: on, law: coulomb, coulomb: %.6f}\n",
        edge[0], edge[1], edge[2], x[0], x[1], x[2], 1.5 + x[3], 0.3 * x[4], 0.3 * x[5], 2 * x[6],
        2 * x[7], 2 * x[8], e, mu);
    rig run = rig_open(text, (how){NULL, "reference", 0, 1e-9, NULL});
    bool lies = false;
    if (rig_ready(&run) && rig_go(&run, 2)) {
      const double *q = hn_positions(run.sim), *v = hn_velocities(run.sim);
      for (int i = 0; i < 3; i++) lies |= fabs(q[2] - edge[i] / 2) < 1e-9;
      for (int i = 0; i < 6; i++) lies &= fabs(v[i]) < 1e-9;
      CHECK(rig_imbalance(&run) < 1e-7);
    }
    if (!CHECK(lies)) printf("  box %d does not lie still\n", k);
    rig_close(&run);
  }
}

// ---- refusals ------------------------------------------------------------------------------

static void refusals(void) {
  static const struct {
    const char *body, *keys, *says;
  } cases[] = {
      {"type: planar, mass: 1, inertia: 1", "length: 1", "needs length and height"},
      {"type: planar, mass: 1, inertia: 1", "length: 1, height: 1, width: 1", "has no width"},
      {"mass: 1, inertia: [1, 1, 1]", "length: 1, height: 1", "needs length, width and height"},
      {"mass: 1, inertia: [1, 1, 1]", "length: 1, width: 1, height: 1, radius: 0.5",
       "less than half"},
      {"mass: 1, inertia: [1, 1, 1]", "length: 1, width: 1, height: 1, inside: true",
       "not inside of it"},
      {"mass: 1, inertia: [1, 1, 1]",
       "length: 1, width: 1, height: 1, surface: sphere, radius_a: 2", "stands before a plane"},
      {"mass: 1, inertia: [1, 1, 1]", "length: 1, width: 1, height: 1, axis_b: [1, 0, 0]",
       "leave axis_b and rim out"},
      {"type: point, mass: 1", "length: 1, width: 1, height: 1", "a point mass is no block"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[500];
    bool flat = strstr(cases[i].body, "planar");
    snprintf(
        text, sizeof text,
        "bodies: {b: {%s, position: [0, %d, %d]}}\njoints: {floor: {type: contact, b: b, axis: "
        "[0, %d, %d], %s}}\n",
        cases[i].body, flat, !flat, flat, !flat, cases[i].keys);
    rig run = rig_open(text, (how){NULL, NULL, 0, 0, NULL});
    if (!CHECK(run.status && strstr(run.message, cases[i].says))) printf("  %s\n", run.message);
    rig_close(&run);
  }
}

int main(void) {
  RUN(rocks);
  RUN(slides);
  RUN(tips);
  RUN(tumbles);
  RUN(thrown);
  RUN(stands);
  RUN(yields);
  RUN(refusals);
  return test_end();
}
