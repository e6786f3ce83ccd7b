// test_mechanisms.c: models of mechanisms whose joints, gaps and contacts come and go, against
// closed forms and scipy (references/mechanisms.py).
//
//   geneva      a pin that enters slots: times of turns by quadrature, nothing is lost
//   ratchet     tooth by tooth, in closed form
//   follower    lift-off and impacts of a flat face on a disc
//   backlash    wheels whose teeth rattle, in closed form
//   tippe-top   turns over as by scipy; Jellett's constant stays
#include "contact_rig.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static rig open_model(const char *path) {
  static char text[20000];
  FILE *file = fopen(path, "r");
  size_t size = CHECK(file) ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[size] = '\0';
  return rig_open(text, (how){0});
}

// ---- geneva --------------------------------------------------------------------------------

static void geneva(void) {
  const double turn = 0.668374790627116, middle = 5.47883863201507;
  rig r = open_model("models/geneva.yaml");
  if (!rig_ready(&r)) return;
  double rate, wheel;
  // the middle of the first slot is half a turn from the start
  if (rig_go(&r, 0.5 * turn)) {
    CHECK_NEAR(rig_value(&r, "axle", &rate), 0, 1e-8);
    CHECK_NEAR(rate, middle, 1e-7);
    CHECK_NEAR(rig_value(&r, "shaft", &wheel), -pi / 4, 1e-8);
    CHECK_NEAR(wheel, -middle / (sqrt(2) - 1), 1e-7);
  }
  for (int k = 1; k <= 4 && rig_go(&r, k * turn); k++) {
    CHECK_NEAR(rig_value(&r, "axle", &rate), (2 * k - 1) * pi, 1e-8);
    CHECK_NEAR(rate, 10, 1e-8);
    CHECK_NEAR(rig_value(&r, "shaft", &wheel), -k * pi / 2, 1e-9);
    CHECK_NEAR(wheel, 0, 1e-9);
  }
  CHECK(hn_sim_change_count(r.sim) == 16);
  CHECK(rig_imbalance(&r) < 1e-9);
  rig_close(&r);
}

// ---- ratchet -------------------------------------------------------------------------------

// pushed by 4 N m of 2 kg m^2 for half a second, then turned back by 8 N m: 0.375 rad up, two teeth
static void ratchet(void) {
  rig r = open_model("models/ratchet.yaml");
  if (!rig_ready(&r)) return;
  double tooth = pi / 18, back = sqrt((0.375 - 2 * tooth) / 2), rate;
  for (int k = 0; k < 4 && rig_go(&r, k + 1); k++) {
    hn_impact hit;
    CHECK_NEAR(rig_value(&r, "axle", &rate), 2 * (k + 1) * tooth, 1e-12);
    CHECK_NEAR(rate, 0, 1e-12);
    if (!CHECK(hn_sim_impact_count(r.sim) == k + 1 && hn_sim_impact(r.sim, k, &hit))) break;
    CHECK_NEAR(hit.time, k + 0.75 + back, 1e-9);
    CHECK_NEAR(hit.before, -4 * back, 1e-9);
  }
  CHECK(rig_imbalance(&r) < 1e-9);
  rig_close(&r);
}

// ---- flat-faced follower -------------------------------------------------------------------

static void follower(void) {
  static const double by_scipy[3][2] = {{0.0819071142608958, -1.36132452096878},
                                        {0.0884825081428755, -0.255113196024353},
                                        {0.0899525340631828, -0.0497411874737583}};
  rig r = open_model("models/flat_follower.yaml");
  if (!rig_ready(&r)) return;
  // it leaves at 0.02625591 s
  hn_joint touch = hn_find_joint(r.system, "touch");
  if (rig_go(&r, 0.0262559)) CHECK(hn_joint_there(r.sim, touch));
  if (rig_go(&r, 0.0262560)) CHECK(!hn_joint_there(r.sim, touch));
  if (rig_go(&r, 0.09))
    for (int k = 0; k < 3; k++) {
      hn_impact hit;
      if (!CHECK(hn_sim_impact(r.sim, k, &hit))) break;
      CHECK_NEAR(hit.time, by_scipy[k][0], 1e-9);
      CHECK_NEAR(hit.before, by_scipy[k][1], 1e-7);
    }
  CHECK(rig_imbalance(&r) < 1e-8);
  rig_close(&r);
}

// ---- backlash ------------------------------------------------------------------------------

// Two wheels, inertias 1 and 2, whose teeth have 0.1 rad of play: u = q_b + q_a goes from flank to
// flank, with half of its rate after each impact, while the momentum q_a' - 2 q_b' is kept
static void backlash(void) {
  static const char text[] = "bodies:\n"
                             "  small: {type: planar, mass: 1, inertia: 1, angular_velocity: 1}\n"
                             "  large: {type: planar, mass: 1, inertia: 2, position: [1, 0]}\n"
                             "joints:\n"
                             "  A: {type: revolute, b: small, at: [0, 0]}\n"
                             "  B: {type: revolute, b: large, at: [1, 0]}\n"
                             "  drive: {type: gear-flank, joint_a: A, joint_b: B, ratio: -1, "
                             "upper: 0.05, restitution: 0.5}\n"
                             "  back: {type: gear-flank, joint_a: A, joint_b: B, ratio: -1, lower: "
                             "-0.05, restitution: 0.5}\n";
  for (int f = 0; f < 2; f++) {
    rig r = rig_open(text, (how){.coordinates = f ? "relative" : "reference", .rtol = 1e-10});
    if (!rig_ready(&r) || !rig_go(&r, 1)) return;
    double u = 1, t = 0.05, a, b;
    CHECK(hn_sim_impact_count(r.sim) == 3);
    for (int k = 0; k < 3; k++) {
      hn_impact hit;
      if (!CHECK(hn_sim_impact(r.sim, k, &hit))) break;
      CHECK_NEAR(hit.time, t, 1e-9);
      CHECK_NEAR(hit.before, -u, 1e-9);
      CHECK_NEAR(hit.after, 0.5 * u, 1e-9);
      u *= 0.5, t += 0.1 / u;
    }
    (void)rig_value(&r, "A", &a), (void)rig_value(&r, "B", &b);
    CHECK_NEAR(a + b, -u, 1e-9);
    CHECK_NEAR(a - 2 * b, 1, 1e-9);
    CHECK(rig_imbalance(&r) < 1e-9);
    rig_close(&r);
  }
  // and a motor that goes on to push lies on one flank as a gear without play does
  rig r = rig_open("bodies:\n"
                   "  small: {type: planar, mass: 1, inertia: 1}\n"
                   "  large: {type: planar, mass: 1, inertia: 2, position: [1, 0]}\n"
                   "joints:\n"
                   "  A: {type: revolute, b: small, at: [0, 0]}\n"
                   "  B: {type: revolute, b: large, at: [1, 0]}\n"
                   "  teeth: {type: gear-flank, joint_a: A, joint_b: B, ratio: -2, upper: 0}\n"
                   "forces: {motor: {type: motor, joint: A, law: 3}}\n",
                   (how){.rtol = 1e-10});
  double rate;
  if (rig_ready(&r) && rig_go(&r, 1)) {
    CHECK_NEAR(rig_value(&r, "B", &rate), -2 * 0.5 * 3.0 / 9, 1e-9);
    CHECK_NEAR(rate, -2 * 3.0 / 9, 1e-9);
  }
  rig_close(&r);
}

static void refuse(const char *flank, const char *says) {
  char text[600];
  snprintf(text, sizeof text,
           "bodies:\n  b: {type: planar, mass: 1, inertia: 1}\n"
           "  c: {type: planar, mass: 1, inertia: 1}\njoints:\n  A: {type: revolute, b: b}\n"
           "  B: {type: revolute, b: c}\n  C: {type: prismatic, a: b, b: c, axis: [1, 0, 0]}\n"
           "  flank: {type: gear-flank, joint_a: A, ratio: 1, %s}\n",
           flank);
  rig r = rig_open(text, (how){0});
  if (!CHECK(r.status && strstr(r.message, says))) printf("  %s\n", r.message);
  rig_close(&r);
}

static void refusals(void) {
  refuse("joint_b: B", "needs lower or upper");
  refuse("joint_b: B, lower: 0, upper: 1", "either lower or upper");
  refuse("joint_b: C, lower: 0", "an angle with a translation");
  refuse("joint_b: A, lower: 0", "with itself");
}

// ---- tippe-top -----------------------------------------------------------------------------

typedef struct top_state {
  double height, up, spin;  // up: cosine of the angle between the stem and the vertical
  double jellett;           // angular momentum along the arm from the middle of mass to the ground
} top_state;

static top_state look(const rig *r) {
  const double radius = 0.02, below = 0.006, A = 0.4 * 0.02 * 4e-4, C = 0.42 * 0.02 * 4e-4;
  hn_pose p;
  CHECK(hn_body_pose(r->sim, hn_find_body(r->system, "top"), &p) == HN_OK);
  const double *q = p.orientation, *w = p.angular_velocity;
  double d[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                 1 - 2 * (q[1] * q[1] + q[2] * q[2])};
  double spin = 0, jellett = 0;
  for (int k = 0; k < 3; k++) spin += w[k] * d[k];
  for (int k = 0; k < 3; k++)
    jellett +=
        (A * (w[k] - spin * d[k]) + C * spin * d[k]) * (below * d[k] - (k == 2 ? radius : 0));
  return (top_state){p.position[2], d[2], spin, jellett};
}

static void tippe_top(void) {
  static const double by_scipy[4][3] = {{0.0149001119433, 0.848746488923, 130.020179981},
                                        {0.0180634592443, 0.319840780526, 16.1474737275},
                                        {0.0255239608247, -0.922168564989, -80.5309046351},
                                        {0.0259023727953, -0.98536537669, -85.1926538548}};
  rig r = open_model("models/tippe_top.yaml");
  if (!rig_ready(&r)) return;
  double start = look(&r).jellett;
  for (int k = 0; k < 4 && rig_go(&r, 0.5 * (k + 1)); k++) {
    top_state s = look(&r);
    printf("  t = %.1f: off scipy %.1e, Jellett's constant off %.1e\n", 0.5 * (k + 1),
           fabs(s.up - by_scipy[k][1]), fabs(s.jellett / start - 1));
    CHECK_NEAR(s.height, by_scipy[k][0], 1e-8);
    CHECK_NEAR(s.up, by_scipy[k][1], 1e-6);
    CHECK_NEAR(s.spin, by_scipy[k][2], 1e-4);
    CHECK_NEAR(s.jellett / start, 1, 1e-6);
  }
  rig_close(&r);
}

int main(void) {
  RUN(geneva);
  RUN(ratchet);
  RUN(follower);
  RUN(backlash);
  RUN(refusals);
  RUN(tippe_top);
  return test_end();
}
