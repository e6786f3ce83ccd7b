// test_ball_friction.c: friction that holds in ball joints and under balls that roll, against
// closed forms and a program of its own in scipy.
#include "friction_rig.h"

static const double g = 9.81;

static hn_pose pose_of(const rig *r, const char *body) {
  hn_pose p = {.orientation = {NAN, NAN, NAN, NAN}};
  CHECK(hn_body_pose(r->sim, hn_find_body(r->system, body), &p) == HN_OK);
  return p;
}

// the angle between two orientations
static double apart(const double a[4], const double b[4]) {
  double cross[3], dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    cross[i] = a[0] * b[1 + i] - b[0] * a[1 + i] - a[1 + j] * b[1 + k] + a[1 + k] * b[1 + j];
  }
  double sine = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
  return 2 * atan2(sine, fabs(dot));
}

// ---- in sockets ----------------------------------------------------------------------------

// A ball whose centre of mass is that of its socket: N = m g. Its spin keeps its direction and
// falls by mu r m g / J each second
static void spins_down(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ball: {mass: 2, inertia: [0.02, 0.02, 0.02], angular_velocity: [6, 4, -12]}\n"
      "joints:\n"
      "  socket: {type: spherical, b: ball, at: [0, 0, 0]}\n"
      "forces:\n"
      "  rub: {type: friction, joint: socket, law: coulomb, coulomb: 0.25, radius: 0.1}\n";
  const double w = 14, falls = 0.25 * 0.1 * 2 * g / 0.02, stop = w / falls;
  const double half = 0.25 * w * w / falls;
  const double rest[4] = {cos(half), sin(half) * 6 / w, sin(half) * 4 / w, -sin(half) * 12 / w};
  for (int i = 0; i < RUB_WAYS; i++) {
    rig r = rig_open(text, rub_ways[i]);
    if (rig_ready(&r) && rig_go(&r, 0.5 * stop)) {
      double left = sqrt(pow(pose_of(&r, "ball").angular_velocity[0], 2) * (w * w / 36));
      CHECK_NEAR(left, 0.5 * w, second_order(&rub_ways[i]) ? 1e-6 : 1e-9);
    }
    if (r.sim && rig_go(&r, 2 * stop)) {
      hn_pose p = pose_of(&r, "ball");
      double off = apart(p.orientation, rest);
      if (!CHECK(off < (second_order(&rub_ways[i]) ? 2e-5 : 1e-9)))
        printf("  %s is off by %.1e rad\n", rub_ways[i].method, off);
      for (int k = 0; k < 3; k++) CHECK_NEAR(p.angular_velocity[k], 0, 1e-13);
      CHECK(rig_imbalance(&r) < (second_order(&rub_ways[i]) ? 1e-5 : 1e-9));
    }
    rig_close(&r);
  }
}

// A pendulum of three dimensions whose socket rubs, as tests/references/ball_pendulum.py has it:
// N follows from the motion, the spin turns all the time, and it comes to rest off the vertical
static const char pendulum[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  bob: {mass: 2, inertia: [0.05, 0.08, 0.03], com: [0.1, -0.05, -0.4],\n"
    "        angular_velocity: [1.5, -2, 5], velocity: [0, 0, 0]}\n"
    "joints:\n"
    "  socket: {type: spherical, b: bob, at: [0, 0, 0], angles: true}\n"
    "forces:\n"
    "  rub: {type: friction, joint: socket, law: coulomb, coulomb: 0.3, static: 0.4, radius: "
    "0.12}\n";

static void pendulum_rests(void) {
  static const double half[4] = {0.8991015619789605, 0.19709344064885567, -0.08012015956347837,
                                 0.3825589064859323};
  static const double rest[4] = {0.8718784671824346, -0.0025210010252935313, 0.1327286458439916,
                                 0.4713859242593684};
  static const double stop = 3.208670084162039, lost = 3.2199644721018945;
  for (int i = 0; i < RUB_WAYS; i++) {
    // the spin nearly vanishes and turns quickly in between, where steps of one size lose their
    // order
    bool fixed = rub_ways[i].step > 0;
    double off = NAN;
    rig r = rig_open(pendulum, rub_ways[i]);
    if (rig_ready(&r) && rig_go(&r, 0.5))
      CHECK_NEAR(apart(pose_of(&r, "bob").orientation, half), 0, fixed ? 1e-4 : 1e-10);
    if (r.sim && rig_go(&r, stop - 1e-3)) {
      double w = 0;
      for (int k = 0; k < 3; k++) w += pow(pose_of(&r, "bob").angular_velocity[k], 2);
      CHECK_NEAR(sqrt(w), 0.0018060008134604367, fixed ? 1e-3 : 1e-10);
    }
    if (r.sim && rig_go(&r, stop + 0.1)) {
      hn_energy e;
      off = apart(pose_of(&r, "bob").orientation, rest);
      CHECK(off < (fixed ? 1e-4 : 1e-10));
      CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
      CHECK_NEAR(e.work, -lost, fixed ? 1e-4 : 1e-10);
      CHECK(rig_imbalance(&r) < (fixed ? 1e-4 : 1e-9));
      double held[4];
      memcpy(held, pose_of(&r, "bob").orientation, sizeof held);
      if (rig_go(&r, stop + 10)) CHECK(apart(pose_of(&r, "bob").orientation, held) < 1e-12);
    }
    printf("  %-24s %-9s rests %.1e rad off, energy %.1e\n",
           rub_ways[i].method ? rub_ways[i].method : "default", rub_ways[i].coordinates, off,
           rig_imbalance(&r));
    rig_close(&r);
  }
}

// m g l sin(a) = static r m g: one part in a million below it holds for an hour
static void holds(void) {
  double sine = 0.5 * 0.2 / 1.5 * (1 - 1e-6), worst = 0;
  char text[700];
  snprintf(text, sizeof text,
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  bob: {mass: 2, inertia: [0.05, 0.08, 0.03], com: [%.17g, %.17g, %.17g]}\n"
           "joints:\n"
           "  socket: {type: spherical, b: bob, at: [0, 0, 0]}\n"
           "forces:\n"
           "  rub: {type: friction, joint: socket, law: coulomb, coulomb: 0.4, static: 0.5, "
           "radius: 0.2}\n",
           1.5 * sine * 0.6, 1.5 * sine * 0.8, -1.5 * sqrt(1 - sine * sine));
  for (int i = 0; i < RUB_WAYS; i++) {
    how w = rub_ways[i];
    if (w.step > 0) w.step = 0.5;
    rig r = rig_open(text, w);
    const double as_is[4] = {1, 0, 0, 0};
    if (rig_ready(&r) && rig_go(&r, 3600))
      worst = fmax(worst, apart(pose_of(&r, "bob").orientation, as_is));
    rig_close(&r);
  }
  printf("  drift in an hour just below the limit, %d methods: %.1e rad\n", RUB_WAYS, worst);
  CHECK(worst <= 1e-12);
}

// a ball with its mass a little aside comes to rest in half a second
static const char aside[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: 2, inertia: [0.02, 0.025, 0.03], com: [0.02, 0.01, -0.03],\n"
    "         angular_velocity: [6, 4, -12]}\n"
    "joints:\n"
    "  socket: {type: spherical, b: ball, at: [0, 0, 0], angles: true}\n"
    "forces:\n"
    "  rub: {type: friction, joint: socket, law: coulomb, coulomb: 0.25, radius: 0.1}\n";

static void orders(void) {
  double e[3], exact[2];
  for (int rests = 0; rests < 2; rests++)
    exact[rests] = rig_end_of(aside, "socket", NULL, 0, 1e-13, rests ? 1 : 0.8);
  for (int i = 0; i < SLIDE_ORDERS; i++) {
    const char *method = slide_orders[i].method;
    double step = slide_orders[i].step;
    CHECK(rig_order(aside, "socket", method, step, 0.8, exact[0], e) > slide_orders[i].least);
    // the way of a slip turns ever faster as it ends, and steps follow it down: order 2
    CHECK(rig_order(aside, "socket", method, step, 1, exact[1], e) > 1.9);
  }
}

// in the plane a ball is a pin: as a hinge of that radius
static void pin_in_the_plane(void) {
  static const char form[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  rod: {type: planar, mass: 1.5, inertia: 0.125, com: [0.5, 0]}\n"
      "joints:\n"
      "  pin: {type: %s, b: rod, at: [0, 0]}\n"
      "forces:\n"
      "  rub: {type: friction, joint: pin, law: coulomb, coulomb: 0.4, static: 0.5, radius: 0.1}\n";
  double angle[2];
  for (int k = 0; k < 2; k++) {
    char text[500];
    snprintf(text, sizeof text, form, k ? "spherical" : "revolute");
    rig r = rig_open(text, rub_ways[0]);
    angle[k] = NAN;
    if (rig_ready(&r) && rig_go(&r, 4)) angle[k] = hn_positions(r.sim)[2];
    rig_close(&r);
  }
  CHECK_NEAR(angle[1], angle[0], 1e-12);
}

// ---- on planes -----------------------------------------------------------------------------

// A ball thrown over the floor with spin: its slip v_s keeps its direction and falls by 7/2 mu g
// each second, so that its path is a parabola until it rolls, in a straight line and for ever
static void ball_begins_to_roll(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ball: {mass: 5, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1], velocity: [3, 0.5, "
      "0],\n"
      "         angular_velocity: [12, -4, 7]}\n"
      "joints:\n"
      "  floor: {type: stop, b: ball, at: [0, 0, 0], at_b: [0, 0, 0.1], axis: [0, 0, 1], radius: "
      "0.1}\n"
      "forces:\n"
      "  rub: {type: friction, joint: floor, law: coulomb, coulomb: 0.2, static: 0.3}\n";
  // slip of the point below: v + w x (-r z) = (v_x - r w_y, v_y + r w_x)
  const double sx = 3 + 0.4, sy = 0.5 + 1.2, s = hypot(sx, sy), a = 0.2 * g, until = 1.5;
  const double roll = s / (3.5 * a), vx = 3 - a * roll * sx / s, vy = 0.5 - a * roll * sy / s;
  const double x = 3 * roll - a * roll * roll / 2 * sx / s + vx * (until - roll);
  const double y = 0.5 * roll - a * roll * roll / 2 * sy / s + vy * (until - roll);
  for (int i = 0; i < RUB_WAYS; i++) {
    double tol = second_order(&rub_ways[i]) ? 1e-4 : rub_ways[i].step > 0 ? 1e-8 : 1e-9;
    rig r = rig_open(text, rub_ways[i]);
    if (rig_ready(&r) && rig_go(&r, until)) {
      hn_pose p = pose_of(&r, "ball");
      CHECK_NEAR(p.position[0], x, tol);
      CHECK_NEAR(p.position[1], y, tol);
      CHECK_NEAR(p.position[2], 0.1, 1e-9);
      CHECK_NEAR(p.velocity[0], vx, tol);
      CHECK_NEAR(p.velocity[1], vy, tol);
      CHECK_NEAR(p.angular_velocity[1], vx / 0.1, 10 * tol);
      CHECK_NEAR(p.angular_velocity[0], -vy / 0.1, 10 * tol);
      CHECK_NEAR(p.angular_velocity[2], 7, 10 * tol);  // a point does not rub against turning
      CHECK(rig_imbalance(&r) < (second_order(&rub_ways[i]) ? 1e-6 : 1e-9));
    }
    rig_close(&r);
  }
}

// down a slope a ball rolls with 5/7 g sin a while tan a < 7/2 static, and slides beyond
static void ball_on_a_slope(void) {
  for (int steep = 0; steep < 2; steep++) {
    double a = steep ? 0.9 : 0.5, mu = 0.25, until = 0.8;
    double expected = steep ? sin(a) - mu * cos(a) : 5.0 / 7 * sin(a);
    char text[700];
    CHECK((tan(a) > 3.5 * mu) == steep);
    snprintf(text, sizeof text,
             "gravity: [%.17g, %.17g, %.17g]\n"
             "bodies:\n"
             "  ball: {mass: 5, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1]}\n"
             "joints:\n"
             "  floor: {type: stop, b: ball, at: [0, 0, 0], at_b: [0, 0, 0.1], axis: [0, 0, 1], "
             "radius: 0.1}\n"
             "forces:\n"
             "  rub: {type: friction, joint: floor, law: coulomb, coulomb: %.17g}\n",
             0.8 * g * sin(a), 0.6 * g * sin(a), -g * cos(a), mu);
    for (int i = 0; i < 2; i++) {
      rig r = rig_open(text, rub_ways[i]);
      if (rig_ready(&r) && rig_go(&r, until)) {
        double way = expected * g * until * until / 2;
        CHECK_NEAR(pose_of(&r, "ball").position[0], 0.8 * way, 1e-9);
        CHECK_NEAR(pose_of(&r, "ball").position[1], 0.6 * way, 1e-9);
        CHECK(rig_imbalance(&r) < 1e-9);
      }
      rig_close(&r);
    }
  }
}

static void refuse(const char *joints, const char *says) {
  char text[900];
  snprintf(text, sizeof text,
           "bodies:\n"
           "  bob: {mass: 2, inertia: [0.05, 0.08, 0.03]}\n"
           "  mote: {type: point, mass: 1, position: [1, 0, 0]}\n"
           "joints:\n%s",
           joints);
  rig r = rig_open(text, (how){0});
  if (!CHECK(r.status != HN_OK && strstr(r.message, says))) printf("  %s\n", r.message);
  rig_close(&r);
}

static void refused(void) {
  refuse("  s: {type: spherical, b: bob, at: [0, 0, 0]}\n"
         "forces:\n  rub: {type: friction, joint: s, law: coulomb, coulomb: 0.2}\n",
         "needs the radius of the ball of 's'");
  refuse("  s: {type: spherical, b: mote, at: [1, 0, 0]}\n"
         "forces:\n  rub: {type: friction, joint: s, law: coulomb, coulomb: 0.2, radius: 0.1}\n",
         "a point mass does not turn");
}

// beside a joint that takes away one of its ways to turn a ball slides; where it would rest, what
// it bears depends on what that joint bears, and is not made up
static void hindered(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  bob: {mass: 2, inertia: [0.05, 0.08, 0.03], com: [0, 0.3, -0.4], angular_velocity: [0.4, "
      "0, "
      "0]}\n"
      "joints:\n"
      "  socket: {type: spherical, b: bob, at: [0, 0, 0]}\n"
      "  guide: {type: perpendicular, b: bob, axis: [1, 1, 1], axis_b: [1, -1, 0]}\n"
      "forces:\n"
      "  rub: {type: friction, joint: socket, law: coulomb, coulomb: 0.3, static: 0.4, radius: "
      "0.4}\n";
  rig r = rig_open(text, rub_ways[0]);
  if (rig_ready(&r) && rig_go(&r, 0.5)) {
    CHECK(rig_imbalance(&r) < 1e-9);
    CHECK(hn_advance(r.sim, 5) == HN_ERR_UNSUPPORTED);
    if (!CHECK(strstr(hn_sim_error(r.sim), "fewer than three ways to turn")))
      printf("  %s\n", hn_sim_error(r.sim));
  }
  rig_close(&r);
}

int main(void) {
  RUN(spins_down);
  RUN(pendulum_rests);
  RUN(holds);
  RUN(orders);
  RUN(pin_in_the_plane);
  RUN(ball_begins_to_roll);
  RUN(ball_on_a_slope);
  RUN(hindered);
  RUN(refused);
  return test_end();
}
