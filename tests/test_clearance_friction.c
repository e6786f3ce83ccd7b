// test_clearance_friction.c: friction that holds in joints with clearance, against closed forms.
//
//   rolls     a pin that rolls in its hole is a pendulum of length c (1 + J / m r^2)
//   stays     below the limit of friction nothing moves for an hour
//   in space  shafts and balls that roll in their hollows
//   jams      a drawer pulled at its side: held where 2 mu e > l
//   in a mechanism, and long enough to take every way there is
#include "friction_rig.h"

#include <stdlib.h>

static const double g = 9.81, pi = 3.14159265358979323846;

// ---- a pin that rolls ----------------------------------------------------------------------

// pin of radius r in a hole of radius c + r
static const double c = 0.05, r = 0.06, mass = 2, inertia = 0.004;

static double pendulum_length(void) {
  return c * (1 + inertia / (mass * r * r));
}
// a quarter of the time it swings to and fro through the angle a on both sides, by the
// arithmetic-geometric mean (Gauss)
static double quarter(double a) {
  double x = 1, y = cos(a / 2);
  for (int i = 0; i < 8; i++) {
    double mean = (x + y) / 2;
    y = sqrt(x * y), x = mean;
  }
  return pi / 2 / x * sqrt(pendulum_length() / g);
}

static const char pin_in_hole[] =
    "gravity: [0, -9.81]\n"
    "ground: {frames: {O: [0, 0]}}\n"
    "bodies:\n"
    "  pin: {type: planar, mass: 2, inertia: 0.004, com: [%.17g, %.17g], position: [%.17g, "
    "%.17g],\n"
    "        frames: {m: [0, 0]}}\n"
    "joints:\n"
    "  hole: {type: clearance-revolute, a: ground.O, b: pin.m, clearance: 0.05, radius: 0.06}\n"
    "forces:\n"
    "  rub: {type: friction, joint: hole, law: coulomb, coulomb: %.17g, static: %.17g}\n";

// way along the hole less that over the pin; angle: of the pin from below
static double slipped(const rig *run, double *angle) {
  const double *q = hn_positions(run->sim);
  *angle = atan2(q[0], -q[1]);
  return c * *angle + r * q[2];
}

static void rolls(void) {
  const double a = 1.2, fastest = 2 * sqrt(g / pendulum_length()) * sin(a / 2);
  for (int i = 0; i < RUB_WAYS; i++) {
    char text[900];
    bool fixed = rub_ways[i].step > 0;
    double tolerance = second_order(&rub_ways[i]) ? 2e-3 : fixed ? 1e-6 : 1e-9;
    double angle, begun, worst = 0;
    snprintf(text, sizeof text, pin_in_hole, 0.0, 0.0, c * sin(a), -c * cos(a), 2.0, 2.0);
    rig run = rig_open(text, rub_ways[i]);
    if (rig_ready(&run)) {
      begun = slipped(&run, &angle);
      for (int k = 1; k <= 8 && rig_go(&run, k * quarter(a)); k++) {
        worst = fmax(worst, fabs(slipped(&run, &angle) - begun));
        const double *v = hn_velocities(run.sim);
        CHECK_NEAR(angle, k % 2 ? 0 : k % 4 ? -a : a, tolerance);
        CHECK_NEAR(hypot(v[0], v[1]), k % 2 ? c * fastest : 0, tolerance);
        CHECK_NEAR(fabs(v[2]), k % 2 ? c / r * fastest : 0, 10 * tolerance);
      }
      // feedback lets it slip a little
      CHECK(worst <
            (strcmp(rub_ways[i].method ? rub_ways[i].method : "", "baumgarte") ? 1e-14 : 1e-8));
      CHECK(rig_imbalance(&run) < (second_order(&rub_ways[i]) ? 1e-4 : 1e-7));
    }
    printf("  %-24s %-9s slips by %.1e m in two swings, energy %.1e\n",
           rub_ways[i].method ? rub_ways[i].method : "default", rub_ways[i].coordinates, worst,
           rig_imbalance(&run));
    rig_close(&run);
  }
}

// once round the hole and further, where the angle begins anew
static void rolls_round(void) {
  char text[1000];
  // fast enough for the top: v^2 = g c there at least, against the wall all the way
  double bottom = sqrt(6 * g * pendulum_length()), spin = -bottom / r, angle, begun, worst = 0;
  snprintf(text, sizeof text, pin_in_hole, 0.0, 0.0, 0.0, -c, 3.0, 3.0);
  rig run = rig_open(text, (how){NULL, "reference", 0, 1e-10, NULL});
  if (!rig_ready(&run)) return;
  double v[3] = {bottom, 0, spin}, q[3];
  memcpy(q, hn_positions(run.sim), sizeof q);
  CHECK(hn_set_state(run.sim, 0, q, v) == HN_OK);
  begun = slipped(&run, &angle);
  for (int k = 1; k <= 40 && rig_go(&run, 0.05 * k); k++) {
    double turns = 2 * pi * c, off = remainder(slipped(&run, &angle) - begun, turns);
    worst = fmax(worst, fabs(off));
  }
  printf("  %.1f turns, slips by %.1e m, energy %.1e\n", hn_positions(run.sim)[2] / (2 * pi), worst,
         rig_imbalance(&run));
  CHECK(fabs(hn_positions(run.sim)[2]) > 2 * pi && worst < 1e-12 && rig_imbalance(&run) < 1e-8);
  rig_close(&run);
}

// A pin whose centre of mass hangs beside its middle stands still on the slope of its hole, where
// that centre is below the point of contact: com = r sin(a) aside, tan(a) up to static. It may roll
// to and fro about that place, which steps must resolve
static void pin_stays(void) {
  static const how ways[] = {{"integrator rk4", "reference", 1e-2, 0, NULL},
                             {"integrator index3-alpha", "reference", 0.5, 0, NULL},
                             {"integrator index2-alpha", "reference", 0.5, 0, NULL}};
  const double a = atan(0.5 * (1 - 1e-6));
  double worst = 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char text[900];
    double before[3];
    snprintf(text, sizeof text, pin_in_hole, r * sin(a), -0.05, c * sin(a), -c * cos(a), 0.4, 0.5);
    rig run = rig_open(text, ways[i]);
    if (rig_ready(&run)) {
      memcpy(before, hn_positions(run.sim), sizeof before);
      if (rig_go(&run, 3600))
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(hn_positions(run.sim)[k] - before[k]));
    }
    rig_close(&run);
  }
  printf("  pin on the slope of its hole, an hour: %.1e m\n", worst);
  CHECK(worst <= 1e-12);
}

// a block in its guide, 1e-6 below the limit
static void block_stays(void) {
  char text[700];
  double worst = 0;
  snprintf(text, sizeof text,
           "gravity: [%.17g, -8]\n"
           "bodies:\n  block: {type: planar, mass: 2, inertia: 0.01}\n"
           "joints:\n"
           "  guide: {type: clearance-prismatic, b: block, at: [0, 0], axis: [1, 0, 0], clearance: "
           "0.001, length: 0.1, height: 0.05}\n"
           "forces:\n  rub: {type: friction, joint: guide, law: coulomb, coulomb: 0.4, static: "
           "0.5}\n",
           4 * (1 - 1e-6));
  for (int i = 0; i < RUB_WAYS; i++) {
    how w = rub_ways[i];
    double down[3] = {0, -0.001, 0}, none[3] = {0, 0, 0};
    if (w.step > 0) w.step = 0.5;
    rig run = rig_open(text, w);
    // on the wall from the start
    if (rig_ready(&run) && CHECK(hn_set_state(run.sim, 0, down, none) == HN_OK) &&
        rig_go(&run, 3600))
      worst = fmax(worst, fmax(fabs(hn_positions(run.sim)[0]), fabs(hn_positions(run.sim)[2])));
    rig_close(&run);
  }
  printf("  block in its guide, an hour, %d methods: %.1e m\n", RUB_WAYS, worst);
  CHECK(worst <= 1e-12);
}

// ---- in space ------------------------------------------------------------------------------

// a shaft that rolls in its bearing, and a ball in its socket: the same pendulum in any plane,
// through the lowest place
static const char shaft[] =
    "gravity: [0, 0, -9.81]\n"
    "ground: {frames: {O: {position: [0, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}}}\n"
    "bodies:\n"
    "  pin: {mass: 2, inertia: [0.004, 0.03, 0.03], position: [0, %.17g, %.17g],\n"
    "        frames: {m: {position: [0, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}}}\n"
    "joints:\n"
    "  hole: {type: clearance-revolute, a: ground.O, b: pin.m, clearance: 0.05, radius: 0.06, "
    "length: 0.2}\n"
    "forces:\n  rub: {type: friction, joint: hole, law: coulomb, coulomb: 2}\n";
static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "ground: {frames: {O: [0, 0, 0]}}\n"
    "bodies:\n"
    "  pin: {mass: 2, inertia: [0.004, 0.004, 0.004], position: [0, %.17g, %.17g], frames: {m: [0, "
    "0, 0]}}\n"
    "joints:\n"
    "  hole: {type: clearance-spherical, a: ground.O, b: pin.m, clearance: 0.05, radius: 0.06}\n"
    "forces:\n  rub: {type: friction, joint: hole, law: coulomb, coulomb: 2}\n";

static void in_space(void) {
  const double a = 1.2;
  for (int k = 0; k < 2; k++)
    for (int f = 0; f < 2; f++) {
      char text[1200];
      snprintf(text, sizeof text, k ? ball : shaft, c * sin(a), -c * cos(a));
      rig run = rig_open(text, (how){NULL, f ? "relative" : "reference", 0, 1e-11, NULL});
      double off = NAN;
      hn_pose p;
      if (rig_ready(&run) && rig_go(&run, 2 * quarter(a)) &&
          CHECK(hn_body_pose(run.sim, hn_find_body(run.system, "pin"), &p) == HN_OK)) {
        // on the other side, turned by what it rolled: 2 a c / r about x
        off = hypot(p.position[1] + c * sin(a), p.position[2] + c * cos(a));
        CHECK_NEAR(off, 0, 1e-9);
        CHECK_NEAR(fabs(p.orientation[1]), sin(a * c / r), 1e-9);
        CHECK_NEAR(p.position[0], 0, 1e-12);
      }
      if (run.sim && rig_go(&run, 8 * quarter(a)))
        CHECK(hn_body_pose(run.sim, hn_find_body(run.system, "pin"), &p) == HN_OK);
      CHECK_NEAR(p.position[1], c * sin(a), 1e-8);
      printf("  %s %s off by %.1e m, energy %.1e\n", k ? "ball in socket " : "shaft in hole",
             f ? "relative" : "reference", off, rig_imbalance(&run));
      CHECK(rig_imbalance(&run) < 1e-9);
      rig_close(&run);
    }
}

// A shaft that slides, spins and lies askew: one end parts and lands again, ends come to rest one
// by one, and what they hold together along the shaft goes from one to the other. The motion must
// not depend on the tolerance, nor stop where one of them is at its limit and the other is not
static void askew(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "ground: {frames: {O: {position: [0, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 "
      "deg}}}}\n"
      "bodies:\n"
      "  shaft: {mass: 2, inertia: [0.003, 0.02, 0.02], position: [0, 0.003, -0.001], velocity: "
      "[0.3, 0, 0],\n"
      "          angular_velocity: [20, 0, 0],\n"
      "          frames: {m: {position: [0, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 "
      "deg}}}}\n"
      "joints:\n"
      "  bearing: {type: clearance-revolute, a: ground.O, b: shaft.m, clearance: 0.01, "
      "axial_clearance: 0.05,\n            length: 0.2, radius: 0.05}\n"
      "forces:\n  rub: {type: friction, joint: bearing, law: coulomb, coulomb: 0.3}\n";
  double place[2][3];
  for (int k = 0; k < 2; k++) {
    rig run = rig_open(text, (how){NULL, "reference", 0, k ? 1e-11 : 1e-9, NULL});
    if (rig_ready(&run) && rig_go(&run, 1)) {
      memcpy(place[k], hn_positions(run.sim), sizeof place[k]);
      CHECK(rig_imbalance(&run) < 1e-8);
    }
    rig_close(&run);
  }
  double off = 0;
  for (int i = 0; i < 3; i++) off = fmax(off, fabs(place[1][i] - place[0][i]));
  printf("  shaft askew: %.1e m between tolerances\n", off);
  CHECK(off < 1e-7);
}

// ---- jams ----------------------------------------------------------------------------------

// A drawer of length l, pulled by m g at a distance e from its middle: corners on both sides bear
// m g e / l each and rub by mu of that. It stays where 2 mu e > l, else it goes with
// g (1 - 2 mu e / l), but for what little the clearance tilts it
static void jams(void) {
  const double l = 0.2, e = 0.3, limit = l / (2 * e);
  for (int k = 0; k < 2; k++) {
    char text[700];
    double mu = limit * (k ? 1.02 : 0.9), v, before, after;
    snprintf(text, sizeof text,
             "bodies:\n  drawer: {type: planar, mass: 3, inertia: 0.05}\n"
             "joints:\n"
             "  guide: {type: clearance-prismatic, b: drawer, at: [0, 0], axis: [1, 0, 0], "
             "clearance: 1e-5, length: 0.2, height: 0.06}\n"
             "forces:\n  rub: {type: friction, joint: guide, law: coulomb, coulomb: %.17g}\n"
             "  pull: {type: force, b: drawer, at: [0, %.17g], force: [-%.17g, 0]}\n",
             mu, e, 3 * g);
    rig run = rig_open(text, (how){NULL, "reference", 0, 1e-10, NULL});
    if (rig_ready(&run) && rig_go(&run, 0.5)) {
      before = hn_positions(run.sim)[0], v = hn_velocities(run.sim)[0];
      hn_energy
          energy;  // play turns over microjoules: the ledger is held to the work of a way of l
      CHECK(hn_sim_energy(run.sim, &energy) == HN_OK && fabs(energy.balance) < 1e-9 * 3 * g * l);
      if (k) CHECK_NEAR(v, 0, 1e-12);
      if (rig_go(&run, k ? 3600 : 1)) {
        after = hn_positions(run.sim)[0];
        if (k)
          CHECK_NEAR(after, before, 1e-12);
        else
          CHECK_REL(after - before - 0.5 * v, -0.125 * g * (1 - mu / limit), 0, 1e-3);
      }
    }
    rig_close(&run);
  }
}

// ---- a mechanism ---------------------------------------------------------------------------

// a slider-crank whose pin has play and rubs: strikes, slides, rolls and stops sliding
static const char slider_crank[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {type: planar, mass: 0.3, inertia: 1e-4, com: [0.025, 0]}\n"
    "  rod: {type: planar, mass: 0.21, inertia: 2.5e-4, position: [0.05, 0], com: [0.06, 0],\n"
    "        frames: {pin: [0.12, 0]}}\n"
    "  slider: {type: planar, mass: 0.14, inertia: 1e-4, position: [0.17, 0], frames: {pin: [0, "
    "0]}}\n"
    "joints:\n"
    "  O: {type: revolute, b: crank, at: [0, 0]}\n"
    "  A: {type: revolute, a: crank, b: rod, at: [0.05, 0]}\n"
    "  guide: {type: prismatic, b: slider, at: [0.17, 0], axis: [1, 0, 0]}\n"
    "  drive: {type: driver, joint_a: O, motion: 30*t}\n"
    "  B: {type: clearance-revolute, a: rod.pin, b: slider.pin, clearance: 0.0005, radius: 0.01, "
    "restitution: 0.3}\n"
    "forces:\n"
    "  rub: {type: friction, joint: B, law: coulomb, coulomb: 0.1, static: 0.15}\n";

static void in_a_mechanism(void) {
  enum { MOST = 400 };
  static hn_impact hit[3][MOST];
  static const double tolerance[] = {1e-9, 1e-10, 1e-12};
  int count[3];
  double worst = 0;
  for (int k = 0; k < 3; k++) {
    rig run = rig_open(slider_crank,
                       (how){NULL, k == 1 ? "relative" : "reference", 0, tolerance[k], NULL});
    count[k] = 0;
    if (rig_ready(&run) && rig_go(&run, 0.25)) {
      while (count[k] < MOST && hn_sim_impact(run.sim, count[k], &hit[k][count[k]])) count[k]++;
      double imbalance = rig_imbalance(&run);
      if (!CHECK(imbalance < (k == 2 ? 1e-9 : 1e-7))) printf("  energy %.1e\n", imbalance);
    }
    rig_close(&run);
  }
  CHECK(count[2] > 5 && count[0] == count[2] && count[1] == count[2]);
  for (int i = 0; i < count[2] && i < count[0]; i++)
    worst = fmax(worst, fabs(hit[0][i].time - hit[2][i].time));
  printf("  slider-crank: %d impacts, times to %.1e s\n", count[2], worst);
  CHECK(worst < 1e-6);
}

// ---- refusals ------------------------------------------------------------------------------

static void refusals(void) {
  static const struct {
    const char *joint, *rub, *says;
  } cases[] = {
      {"clearance-revolute, b: b, at: [0, 0], clearance: 0.01", "", "give joint 'pin' a radius"},
      {"clearance-revolute, b: b, at: [0, 0], clearance: 0.01, radius: 0.1", ", radius: 0.1",
       "radius has no effect"},
      {"clearance-revolute, b: b, at: [0, 0], clearance: 0.01, radius: 0.1", ", coordinate: x",
       "leave coordinate out"},
      {"clearance-revolute, b: b, at: [0, 0], clearance: 0.01, radius: 0.1", ", press: 3",
       "presses by itself"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "bodies: {b: {type: planar, mass: 1, inertia: 1}}\njoints: {pin: {type: %s}}\nforces: "
             "{rub: {type: friction, joint: pin, law: coulomb, coulomb: 0.1%s}}\n",
             cases[i].joint, cases[i].rub);
    rig run = rig_open(text, (how){NULL, NULL, 0, 0, NULL});
    if (!CHECK(run.status && strstr(run.message, cases[i].says))) printf("  %s\n", run.message);
    rig_close(&run);
  }
}

int main(void) {
  RUN(rolls);
  RUN(rolls_round);
  RUN(pin_stays);
  RUN(block_stays);
  RUN(in_space);
  RUN(askew);
  RUN(jams);
  RUN(in_a_mechanism);
  RUN(refusals);
  return test_end();
}
