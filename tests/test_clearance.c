// test_clearance.c: joints with clearance, rigid and yielding.
//
//   ideal      the joint without clearance is the limit: differences fall with the clearance
//   rigid      is the limit of stiff contacts of the same restitution
//   sequence   of impacts does not depend on step and tolerance while the motion is regular
//   space      journals and balls in space, blocks in guides, against closed forms
//   ledger     of energy closes
//   refusals   in words
#include "contact_rig.h"

#include <stdlib.h>

static const char *const families[] = {"reference", "relative"};

// ---- the ideal joint as a limit ------------------------------------------------------------

// a slider-crank that is driven; the pin between rod and slider is given
static const char slider_crank[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {type: planar, mass: 0.3, inertia: 1e-4, com: [0.025, 0]}\n"
    "  rod: {type: planar, mass: 0.21, inertia: 2.5e-4, position: [0.05, 0], com: [0.06, 0],\n"
    "        frames: {pin: [0.12, 0]}}\n"
    "  slider: {type: planar, mass: 0.14, inertia: 1e-4, position: [0.17, 0], frames: {pin: [%s, "
    "0]}}\n"
    "joints:\n"
    "  O: {type: revolute, b: crank, at: [0, 0]}\n"
    "  A: {type: revolute, a: crank, b: rod, at: [0.05, 0]}\n"
    "  guide: {type: prismatic, b: slider, at: [0.17, 0], axis: [1, 0, 0]}\n"
    "  drive: {type: driver, joint_a: O, motion: 30*t}\n"
    "%s\n";

// the slider's way at t; `pin` is one line of joints or forces; `shift` its offset at the start
static double slider_at(const char *pin, const char *shift, double t, double *imbalance) {
  char text[1600];
  snprintf(text, sizeof text, slider_crank, shift, pin);
  rig r = rig_open(text, (how){NULL, "reference", 0, 1e-9, NULL});
  double x = NAN;
  if (rig_ready(&r) && rig_go(&r, t)) {
    x = rig_value(&r, "guide", NULL);
    *imbalance = rig_imbalance(&r);
  }
  rig_close(&r);
  return x;
}

// the slider is decelerated by the rod at first: its pin rests on the outer side of the bearing
static void ideal(void) {
  double none, worst[2] = {0, 0};
  for (int yields = 0; yields < 2; yields++) {
    double error[3];
    for (int k = 0; k < 3; k++) {
      char pin[300], shift[40];
      double c = 1e-3 * pow(0.1, k), most = 0, imbalance;
      snprintf(shift, sizeof shift, "%.17g", -c);
      if (yields)
        snprintf(
            pin, sizeof pin,
            "forces:\n  B: {type: clearance-revolute, a: rod.pin, b: slider.pin, clearance: %g, "
            "stiffness: 1e8, law: hunt-crossley, restitution: 0.1, exponent: 1}",
            c);
      else
        snprintf(pin, sizeof pin,
                 "  B: {type: clearance-revolute, a: rod.pin, b: slider.pin, clearance: %g}", c);
      for (int i = 1; i <= 4; i++) {
        double t = 0.04 * i;
        double with = slider_at(pin, shift, t, &imbalance);
        double ideal =
            slider_at("  B: {type: revolute, a: rod, b: slider, at: [0.17, 0]}", "0", t, &none);
        most = fmax(most, fabs(with - ideal));
        worst[yields] = fmax(worst[yields], imbalance);
      }
      error[k] = most;
    }
    printf("  %-8s %.2e %.2e %.2e, energy %.1e\n", yields ? "yielding" : "rigid", error[0],
           error[1], error[2], worst[yields]);
    for (int k = 0; k < 3; k++) CHECK(error[k] < 2.5e-3 * pow(0.1, k));
    CHECK(error[1] < 0.15 * error[0] && error[2] < 0.15 * error[1]);
  }
  CHECK(worst[0] < 1e-7 && worst[1] < 1e-6);
}

// ---- rigid as a limit of stiff ones --------------------------------------------------------

// a ball falls in a hollow and bounces off its wall, obliquely, three times
static const char hollow[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  ball: {type: planar-point, mass: 1, position: [0.2, 0.3], velocity: [0.4, 0]}\n"
    "  cup: {type: planar, mass: 1, inertia: 1, frames: {middle: [0, 0]}}\n"
    "joints:\n"
    "  fixed: {type: fixed, b: cup, at: [0, 0]}\n"
    "%s\n";

static void place_of_ball(const char *line, double out[2], int *impacts) {
  char text[1000];
  snprintf(text, sizeof text, hollow, line);
  rig r = rig_open(text, (how){NULL, "reference", 0, 1e-11, NULL});
  if (rig_ready(&r) && rig_go(&r, 1)) {
    memcpy(out, hn_positions(r.sim), 2 * sizeof(double));
    *impacts = hn_sim_impact_count(r.sim);
    CHECK(rig_imbalance(&r) < 1e-8);
  }
  rig_close(&r);
}

static void stiff(void) {
  double rigid[2] = {0}, last = INFINITY;
  int impacts = 0, none;
  place_of_ball(
      "  wall: {type: contact, a: cup.middle, b: ball, at_b: [0.2, 0.3], surface: cylinder, "
      "radius: 0.1, radius_a: 0.8, inside: true, restitution: 0.6}",
      rigid, &impacts);
  CHECK(impacts >= 3);
  for (int k = 0; k < 4; k++) {
    double soft[2] = {0};
    char line[400];
    snprintf(line, sizeof line,
             "forces:\n  wall: {type: contact, a: cup.middle, b: ball, at_b: [0.2, 0.3], surface: "
             "cylinder, radius: 0.1, radius_a: 0.8, inside: true, restitution: 0.6, law: exact, "
             "exponent: 1, stiffness: %g}",
             1e4 * pow(100, k));
    place_of_ball(line, soft, &none);
    double error = hypot(soft[0] - rigid[0], soft[1] - rigid[1]);
    printf("  stiffness %.0e: %.2e\n", 1e4 * pow(100, k), error);
    // the time of an impact, and with it the error, falls as the root of the stiffness grows
    CHECK(k == 0 || (error < 0.15 * last && error > 0.05 * last));
    last = error;
  }
  CHECK(last < 1e-4);
}

// ---- the sequence of impacts ---------------------------------------------------------------

// Flores, Leine and Glocker's slider-crank: a guide with play, rigid
static const char guide[] =
    "bodies:\n"
    "  crank: {type: planar, mass: 0.038, inertia: 7.4e-5, com: [0.0765, 0], angular_velocity: "
    "150}\n"
    "  rod: {type: planar, mass: 0.038, inertia: 5.9e-4, position: [0.153, 0], com: [0.153, 0],\n"
    "        velocity: [0, 22.95], angular_velocity: -75}\n"
    "  block: {type: planar, mass: 0.076, inertia: 2.7e-6, position: [0.459, 0]}\n"
    "joints:\n"
    "  O: {type: revolute, b: crank, at: [0, 0]}\n"
    "  A: {type: revolute, a: crank, b: rod, at: [0.153, 0]}\n"
    "  B: {type: revolute, a: rod, b: block, at: [0.459, 0]}\n"
    "  guide: {type: clearance-prismatic, b: block, at: [0.459, 0], axis: [1, 0, 0], clearance: "
    "0.001,\n"
    "          length: 0.1, height: 0.05, restitution: 0.4}\n";

static int sequence_of(how w, hn_impact *hit, int most) {
  rig r = rig_open(guide, w);
  int count = 0;
  // the first turn; gravity is left out
  if (rig_ready(&r) && rig_go(&r, 0.04)) {
    while (count < most && hn_sim_impact(r.sim, count, &hit[count])) count++;
    CHECK(rig_imbalance(&r) < 1e-6);
  }
  rig_close(&r);
  return count;
}

static void sequence(void) {
  enum { MOST = 6 };
  hn_impact exact[MOST], hit[MOST];
  const how cases[] = {{NULL, "reference", 0, 1e-8, NULL},
                       {NULL, "relative", 0, 1e-10, NULL},
                       {"integrator rk4", "reference", 1e-4, 0, NULL},
                       {"integrator rk4", "reference", 5e-5, 0, NULL},
                       {"integrator index3-alpha", "reference", 1e-6, 0, NULL}};
  int expected = sequence_of((how){NULL, "reference", 0, 1e-12, NULL}, exact, MOST);
  CHECK(expected == MOST);
  for (int k = 0; k < expected; k++)
    printf("  %d at %.9f s, %.3g m/s\n", exact[k].row, exact[k].time, exact[k].before);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double worst = 0;
    int count = sequence_of(cases[i], hit, MOST);
    CHECK(count == expected);
    for (int k = 0; k < count; k++) {
      // numbers of rows belong to a family of coordinates
      CHECK(hit[k].row == exact[k].row || strcmp(cases[i].coordinates, "relative") == 0);
      worst = fmax(worst, fabs(hit[k].time - exact[k].time));
    }
    printf("  %-24s %d impacts, times to %.1e s\n", cases[i].method ? cases[i].method : "default",
           count, worst);
    CHECK(worst < 1e-6);
  }
}

// ---- pin in slot ---------------------------------------------------------------------------

// A pin with a hundredth of play in a slot of length 1 that turns with its plate: sides and round
// ends bound it. Seen from the plate, which is at rest: it goes along and strikes an end, or from
// side to side, each time with the part e of its speed across
static void pin_in_slot(void) {
  static const char text[] =
      "bodies:\n"
      "  plate: {type: planar, mass: 1e6, inertia: 1e6}\n"
      "  pin: {type: planar-point, mass: 1, velocity: [%g, %g]}\n"
      "joints:\n"
      "  slot: {type: contact, a: plate, b: pin, at: [-0.5, 0], at_b: [0, 0], axis: [1, 0, 0], "
      "surface: capsule, length: 1, radius: 0.05, radius_a: 0.06, inside: true, restitution: "
      "0.5}\n";
  for (int along = 0; along < 2; along++) {
    char model[600];
    snprintf(model, sizeof model, text, along ? 1.0 : 0.1, along ? 0.0 : 0.5);
    rig r = rig_open(model, (how){.rtol = 1e-10});
    if (!rig_ready(&r) || !rig_go(&r, along ? 2 : 0.7)) return;
    double t = 0, v = along ? 1 : 0.5, way = along ? 0.51 : 0.01;
    int hits = hn_sim_impact_count(r.sim);
    CHECK(hits == (along ? 1 : 4));
    for (int k = 0; k < hits; k++) {
      hn_impact hit;
      CHECK(hn_sim_impact(r.sim, k, &hit));
      t += way / v;
      CHECK_NEAR(hit.time, t, 1e-5 * t);  // the plate is heavy, not fixed
      CHECK_NEAR(hit.before, -v, 1e-5);
      v *= 0.5, way = along ? 1.02 : 0.02;
    }
    CHECK(rig_imbalance(&r) < 1e-9);
    rig_close(&r);
  }
}

// ---- in space ------------------------------------------------------------------------------

// a shaft in a bearing with shoulders falls across the axis, strikes with both ends at once, and
// slides along to the shoulder
static void journal_in_space(void) {
  const double g = 9.81, c = 0.002, vx = 0.05, axial = 0.004;
  for (int f = 0; f < 2; f++) {
    rig r = rig_open(
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n  shaft: {mass: 2, inertia: [0.01, 0.02, 0.02], velocity: [0.05, 0, 0]}\n"
        "joints:\n  bearing: {type: clearance-revolute, b: shaft, at: [0, 0, 0], axis: "
        "[1, 0, 0],\n            clearance: 0.002, axial_clearance: 0.004, length: 0.1}\n",
        (how){NULL, families[f], 0, 1e-10, NULL});
    hn_impact hit;
    if (rig_ready(&r) && rig_go(&r, 0.2)) {
      CHECK(hn_sim_impact_count(r.sim) == 3);
      for (int k = 0; k < 2; k++) {
        CHECK(hn_sim_impact(r.sim, k, &hit));
        CHECK_REL(hit.time, sqrt(2 * c / g), 1, 1e-9);
        CHECK_REL(hit.impulse, sqrt(2 * c * g), 1, 1e-9);  // of half the mass
      }
      CHECK(hn_sim_impact(r.sim, 2, &hit));
      CHECK_REL(hit.time, axial / vx, 1, 1e-9);
      CHECK_NEAR(hn_positions(r.sim)[0], axial, 1e-10);
      CHECK_NEAR(hn_positions(r.sim)[2], -c, 1e-10);
      hn_reaction force;
      CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, "bearing"), &force) == HN_OK);
      CHECK_REL(force.force[2], 2 * g, 1, 1e-9);
    }
    rig_close(&r);
  }
}

// a ball in a socket, yielding: at rest it sinks in until Hertz carries it
static void ball_in_socket(void) {
  rig r = rig_open("gravity: [0, 0, -9.81]\n"
                   "bodies:\n  ball: {mass: 3, inertia: [0.01, 0.01, 0.01]}\n"
                   "forces:\n  socket: {type: clearance-spherical, b: ball, at: [0, 0, 0], radius: "
                   "0.02,\n           clearance: 1e-3, young: [2e9, 2e9], poisson: [0.3, 0.3], "
                   "restitution: 0.1}\n",
                   (how){NULL, "reference", 0, 1e-8, NULL});
  if (rig_ready(&r) && rig_go(&r, 2)) {
    const double K = 4.0 / 3 * 2e9 / (2 * (1 - 0.09)) * sqrt(0.02 * 0.021 / 0.001);
    CHECK_REL(hn_positions(r.sim)[2], -1e-3 - pow(3 * 9.81 / K, 2.0 / 3), 1e-3, 1e-6);
    CHECK(rig_imbalance(&r) < 1e-6);
  }
  rig_close(&r);
}

// a block with play on all sides of a guide in space falls flat on four corners and is stopped
static void block_in_space(void) {
  rig r =
      rig_open("gravity: [-9.81, 0, 0]\n"
               "bodies:\n  block: {mass: 2, inertia: [0.01, 0.02, 0.02], velocity: [0, 0, 1]}\n"
               "joints:\n  way: {type: clearance-prismatic, b: block, at: [0, 0, 0], axis: [0, 0, "
               "1],\n        clearance: 0.01, length: 0.4, height: 0.2, width: 0.1}\n",
               (how){NULL, "reference", 0, 1e-10, NULL});
  hn_impact hit;
  if (rig_ready(&r) && rig_go(&r, 0.5)) {
    CHECK(hn_sim_impact_count(r.sim) == 4);
    for (int k = 0; k < 4; k++) {
      CHECK(hn_sim_impact(r.sim, k, &hit));
      CHECK_REL(hit.time, sqrt(2 * 0.01 / 9.81), 1, 1e-9);
    }
    CHECK_NEAR(hn_positions(r.sim)[0], -0.01, 1e-10);
    CHECK_NEAR(hn_positions(r.sim)[2], 0.5, 1e-9);
  }
  rig_close(&r);
}

// friction: a journal that turns climbs against its turning until the sum of what presses and what
// rubs carries its weight: tan of the angle from the lowest place is the coefficient
static void climbing(void) {
  const double angle = atan(0.3), e = 1e-3 + 9.81 * cos(angle) / 1e6;
  const double at[2] = {-e * sin(angle), -e * cos(angle)};
  char text[1000];
  snprintf(
      text, sizeof text,
      "gravity: [0, -9.81]\n"
      "ground: {frames: {middle: [0, 0, 0]}}\n"
      "bodies:\n  shaft: {type: planar, mass: 1, inertia: 0.01, position: [%.17g, %.17g], "
      "frames: {middle: [0, 0]}}\n"
      "joints:\n  turn: {type: driver, b: shaft, coordinate: angle, motion: 20*t}\n"
      "forces:\n  bearing: {type: clearance-revolute, a: ground.middle, b: shaft.middle, "
      "radius: 0.02,\n            clearance: 1e-3, stiffness: 1e6, exponent: 1, coulomb: 0.3}\n",
      at[0], at[1]);
  rig r = rig_open(text, (how){NULL, "reference", 0, 1e-9, NULL});
  if (rig_ready(&r) && rig_go(&r, 0.5)) {
    const double *q = hn_positions(r.sim);
    CHECK_NEAR(q[0], at[0], 1e-9);
    CHECK_NEAR(q[1], at[1], 1e-9);
    CHECK(rig_imbalance(&r) < 1e-6);
  }
  rig_close(&r);
}

// ---- refusals ------------------------------------------------------------------------------

static void refused(const char *line, const char *words) {
  char text[900];
  snprintf(text, sizeof text,
           "bodies:\n  rod: {type: planar, mass: 1, inertia: 1, frames: {pin: [0.1, 0]}}\n"
           "  ball: {mass: 1, inertia: [1, 1, 1]}\n  dot: {type: planar-point, mass: 1}\n%s\n",
           line);
  rig r = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
  if (!CHECK(r.status != HN_OK && strstr(r.message, words)))
    printf("  '%s' instead of '%s'\n", r.message, words);
  rig_close(&r);
}

static void refusals(void) {
  refused("joints:\n  B: {type: clearance-revolute, b: rod, at: [0, 0]}", "needs 'clearance'");
  refused("joints:\n  B: {type: clearance-revolute, b: rod, at: [0, 0], clearance: -1e-3}",
          "clearance must be positive");
  refused("joints:\n  B: {type: clearance-revolute, b: rod, at: [0, 0], clearance: 1, restitution: "
          "1.5}",
          "no impact gains energy");
  refused("ground: {frames: {pin: [0, 0, 0]}}\njoints:\n  B: {type: clearance-revolute, a: "
          "ground.pin, b: "
          "rod.pin, clearance: 0.01}",
          "behind the stop");
  refused("joints:\n  B: {type: clearance-revolute, b: ball, at: [0, 0, 0], clearance: 1}",
          "length of the bearing");
  refused(
      "joints:\n  B: {type: clearance-cylindrical, b: rod, at: [0, 0], clearance: 1, length: 1}",
      "do not slide along z");
  refused("joints:\n  B: {type: clearance-prismatic, b: ball, at: [0, 0, 0], axis: [1, 0, 0], "
          "clearance: 1, length: 1, height: 1, width: 1}",
          "frame of a with an orientation");
  refused("joints:\n  B: {type: clearance-revolute, b: dot, at: [0, 0], clearance: 1}",
          "bodies that can turn");
  refused(
      "forces:\n  B: {type: clearance-revolute, b: rod, at: [0, 0], clearance: 1, stiffness: 1, "
      "coulomb: 0.1}",
      "radius of the journal");
  refused(
      "forces:\n  B: {type: clearance-revolute, b: rod, at: [0, 0], clearance: 1, stiffness: 1, "
      "law: lankarani, restitution: 0.5}",
      "known: hertz kelvin-voigt");
}

int main(void) {
  if (!run_quickly()) RUN(ideal);
  RUN(stiff);
  RUN(sequence);
  RUN(pin_in_slot);
  RUN(journal_in_space);
  RUN(ball_in_socket);
  RUN(block_in_space);
  RUN(climbing);
  RUN(refusals);
  return test_end();
}
