// test_kinematics.c: driven mechanisms against closed forms, and what their drivers must do.
#include "analysis_rig.h"

static const double pi = 3.14159265358979323846;

// crank r = 0.2 (1 kg, at its middle), rod l = 0.7 (2 kg), slider 3 kg on the x axis; theta = w t
static const char slider_crank[] =
    "gravity: [0, -9.81]\n"
    "simulation: {duration: 1, output_step: 0.01}\n"
    "bodies:\n"
    "  crank: {type: planar, mass: 1, inertia: 0.01, position: [0.1, 0],"
    " frames: {A: [-0.1, 0], B: [0.1, 0]}}\n"
    "  rod: {type: planar, mass: 2, inertia: 0.1, position: [0.55, 0],"
    " frames: {B: [-0.35, 0], C: [0.35, 0]}}\n"
    "  slider: {type: planar, mass: 3, inertia: 0.02, position: [0.9, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground, b: crank.A}\n"
    "  B: {type: revolute, a: crank.B, b: rod.B}\n"
    "  C: {type: revolute, a: rod.C, b: slider}\n"
    "  rail: {type: prismatic, a: ground, b: slider, axis: [1, 0, 0]}\n"
    "  drive: {type: driver, joint_a: A, motion: 7*t}\n";

typedef struct crank_state {
  double x, v, a;           // slider
  double phi, dphi, ddphi;  // rod
  double torque, fx, fy;    // of the drive; of A on the crank
} crank_state;

static crank_state crank_at(double t) {
  double r = 0.2, l = 0.7, w = 7, th = w * t, g = 9.81;
  crank_state c;
  double s = r * sin(th), cs = r * cos(th);
  c.phi = -asin(s / l);
  double q = sqrt(l * l - s * s);
  c.dphi = -cs * w / q;
  // l cos(phi) phi' = -r cos(th) w, once more
  c.ddphi = (s * w * w / l + sin(c.phi) * c.dphi * c.dphi) / cos(c.phi);
  c.x = cs + q;
  c.v = -s * w - l * sin(c.phi) * c.dphi;
  c.a = -cs * w * w - l * cos(c.phi) * c.dphi * c.dphi - l * sin(c.phi) * c.ddphi;
  // Newton-Euler from the slider inwards; F_C on the rod, F_B on the rod
  double rod_ax = c.a + 0.35 * (cos(c.phi) * c.dphi * c.dphi + sin(c.phi) * c.ddphi);
  double rod_ay = 0.35 * (sin(c.phi) * c.dphi * c.dphi - cos(c.phi) * c.ddphi);
  double cx = -3 * c.a, bx = 2 * rod_ax - cx;
  // moments about B: rod_I ddphi + m r_B x a = r_BC x F_C + r x m g
  double dx = 0.35 * cos(c.phi), dy = 0.35 * sin(c.phi);
  double moment = 0.1 * c.ddphi + 2 * (dx * rod_ay - dy * rod_ax) + dx * 2 * g;
  double cy = (moment + 2 * dy * cx) / (2 * dx);
  double by = 2 * (rod_ay + g) - cy;
  // crank: turns evenly
  double ax = -0.1 * cos(th) * w * w, ay = -0.1 * sin(th) * w * w;
  c.fx = ax + bx;
  c.fy = ay + g + by;
  c.torque = 0.1 * cos(th) * (ay + g) - 0.1 * sin(th) * ax + cs * by - s * bx;
  return c;
}

static void slider_crank_motion(void) {
  rig r;
  hn_kinematics_info info;
  hn_result *result = NULL;
  if (!rig_open(&r, slider_crank)) return;
  CHECK(!hn_kinematics(r.sim, &info, &result));
  CHECK(info.rows == 101 && hn_result_rows(result) == 101);
  CHECK(info.singular_count == 0 && info.weakest > 1e-3);
  CHECK(info.position < 1e-14 && info.velocity < 1e-13);
  CHECK_STR(info.sharing, "every reaction is determined");
  for (int i = 0; i <= 100; i++) {
    crank_state c = crank_at(0.01 * i);
    CHECK_NEAR(rig_value(result, i, "time"), 0.01 * i, 1e-14);
    CHECK_NEAR(rig_value(result, i, "slider.x"), c.x, 1e-13);
    CHECK_NEAR(rig_value(result, i, "slider.vx"), c.v, 1e-12);
    CHECK_NEAR(rig_value(result, i, "slider.ax"), c.a, 1e-11);
    CHECK_NEAR(rig_value(result, i, "rail.translation_acceleration"), c.a, 1e-11);
    CHECK_NEAR(rig_value(result, i, "rod.alpha"), c.ddphi, 1e-11);
    CHECK_NEAR(rig_value(result, i, "C.angle_acceleration"), -c.ddphi, 1e-11);
    CHECK_NEAR(rig_value(result, i, "A.angle_acceleration"), 0, 1e-11);
    CHECK_NEAR(rig_value(result, i, "rod.angle"), c.phi, 1e-13);
    CHECK_NEAR(rig_value(result, i, "rod.omega"), c.dphi, 1e-12);
    CHECK_NEAR(rig_value(result, i, "drive.lambda_motion"), c.torque, 1e-10);
    CHECK_NEAR(rig_value(result, i, "A.fx"), c.fx, 1e-10);
    CHECK_NEAR(rig_value(result, i, "A.fy"), c.fy, 1e-10);
  }
  hn_result_destroy(result);
  rig_close(&r);
  // the same through inverse dynamics
  if (!rig_open(&r, slider_crank)) return;
  CHECK(!hn_inverse(r.sim, NULL, &result, NULL));
  double work = 0;
  for (int i = 0; i <= 100; i++) {
    CHECK_NEAR(rig_value(result, i, "drive.effort"), crank_at(0.01 * i).torque, 1e-10);
    CHECK_NEAR(rig_value(result, i, "drive.power"), 7 * crank_at(0.01 * i).torque, 1e-9);
    CHECK_NEAR(rig_value(result, i, "drive.value"), 0.07 * i, 1e-14);
    CHECK_NEAR(rig_value(result, i, "drive.rate"), 7, 1e-14);
    work += rig_value(result, i, "drive.power");
  }
  CHECK(isfinite(work));
  hn_result_destroy(result);
  rig_close(&r);
}

// a frame off the centre of mass of a body that turns about a skew axis, unevenly: the origin and
// the joint's angle against differences of the recorded rates
static void accelerations_in_space(void) {
  static const char text[] =
      "simulation: {duration: 1, output_step: 1e-3}\n"
      "bodies:\n"
      "  arm: {mass: 2, inertia: {xx: 0.3, yy: 0.2, zz: 0.25, xy: 0.05}, com: [0.2, 0.1, -0.3],"
      " position: [0.5, 0.2, 0.1], orientation: {axis: [1, 1, 0], angle: 0.4}}\n"
      "  fork: {mass: 1, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground, b: arm, at: [0, 0, 0], axis: [1, 2, 2]}\n"
      "  B: {type: revolute, a: arm, b: fork, at: [1, 0, 0], axis: [0, 1, 1]}\n"
      "  da: {type: driver, joint_a: A, motion: sin(3*t)}\n"
      "  db: {type: driver, joint_a: B, motion: t^2 - 0.5*cos(2*t)}\n";
  static const char *const pair[][2] = {{"arm.vx", "arm.ax"},
                                        {"arm.vz", "arm.az"},
                                        {"arm.wy", "arm.alphay"},
                                        {"fork.vy", "fork.ay"},
                                        {"fork.wx", "fork.alphax"},
                                        {"fork.wz", "fork.alphaz"},
                                        {"B.angle_rate", "B.angle_acceleration"}};
  rig r;
  hn_result *result = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(!hn_kinematics(r.sim, NULL, &result));
  for (int i = 2; i + 2 < hn_result_rows(result); i += 37)
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
      const char *rate = pair[k][0];
      double h = 1e-3, d1 = rig_value(result, i + 1, rate) - rig_value(result, i - 1, rate);
      double d2 = rig_value(result, i + 2, rate) - rig_value(result, i - 2, rate);
      CHECK_NEAR(rig_value(result, i, pair[k][1]), (8 * d1 - d2) / (12 * h), 1e-8);
    }
  CHECK_NEAR(rig_value(result, 500, "A.angle_acceleration"), -9 * sin(1.5), 1e-11);
  hn_result_destroy(result);
  rig_close(&r);
}

// a crank-rocker driven by its crank; angles by the cosine law
static void four_bar_motion(void) {
  static const char text[] =
      "simulation: {duration: 2, output_step: 0.02}\n"
      "ground: {frames: {A: [0, 0], D: [2, 0]}}\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0, 0.5], angle: 90 deg,"
      " frames: {A: [-0.5, 0], B: [0.5, 0]}}\n"
      "  coupler: {type: planar, mass: 1, inertia: 0.1, position: [1, 1.5], angle: 0.4,"
      " frames: {B: [-1.1, 0], C: [1.1, 0]}}\n"
      "  rocker: {type: planar, mass: 1, inertia: 0.1, position: [2, 0.9], angle: 1.6,"
      " frames: {D: [-0.9, 0], C: [0.9, 0]}}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground.A, b: crank.A}\n"
      "  B: {type: revolute, a: crank.B, b: coupler.B}\n"
      "  C: {type: revolute, a: coupler.C, b: rocker.C}\n"
      "  D: {type: revolute, a: ground.D, b: rocker.D}\n"
      "  drive: {type: driver, a: ground, b: crank, coordinate: angle,"
      " motion: pi/2 + 2*pi*t + 0.3*sin(3*t)}\n";
  rig r;
  hn_kinematics_info info;
  hn_result *result = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(!hn_kinematics(r.sim, &info, &result));
  for (int i = 0; i < hn_result_rows(result); i++) {
    double t = 0.02 * i, th = pi / 2 + 2 * pi * t + 0.3 * sin(3 * t);
    double dth = 2 * pi + 0.9 * cos(3 * t), bx = cos(th), by = sin(th);
    double dx = 2 - bx, dy = -by, d = hypot(dx, dy);
    double along = (d * d + 2.2 * 2.2 - 1.8 * 1.8) / (2 * d), above = sqrt(4.84 - along * along);
    double cx = bx + along * dx / d - above * dy / d, cy = by + along * dy / d + above * dx / d;
    double a2 = atan2(cy - by, cx - bx), a3 = atan2(cy, cx - 2);
    // sin rule of the velocities
    double w3 = dth * sin(th - a2) / (1.8 * sin(a3 - a2));
    double w2 = dth * sin(th - a3) / (2.2 * sin(a3 - a2));
    double mine = rig_value(result, i, "rocker.angle");
    CHECK_NEAR(remainder(mine - a3, 2 * pi), 0, 1e-13);
    CHECK_NEAR(rig_value(result, i, "rocker.omega"), w3, 1e-11);
    CHECK_NEAR(rig_value(result, i, "coupler.omega"), w2, 1e-11);
  }
  CHECK_NEAR(rig_value(result, 100, "crank.angle"), pi / 2 + 4 * pi + 0.3 * sin(6), 1e-12);
  hn_result_destroy(result);
  rig_close(&r);
}

// a parallelogram turned right through its flat positions stays a parallelogram; in space its
// hinges repeat each other
#define PARALLELOGRAM(kind, inertia, angle)                                                        \
  "simulation: {duration: 1, output_step: 0.013}\n"                                                \
  "ground: {frames: {A: [0, 0, 0], D: [2, 0, 0]}}\n"                                               \
  "bodies:\n"                                                                                      \
  "  one: {type: " kind ", mass: 1, inertia: " inertia ", position: [0, 0.5], " angle ","          \
  " frames: {A: [-0.5, 0, 0], B: [0.5, 0, 0]}}\n"                                                  \
  "  link: {type: " kind ", mass: 1, inertia: " inertia ", position: [1, 1],"                      \
  " frames: {B: [-1, 0, 0], C: [1, 0, 0]}}\n"                                                      \
  "  two: {type: " kind ", mass: 1, inertia: " inertia ", position: [2, 0.5], " angle ","          \
  " frames: {D: [-0.5, 0, 0], C: [0.5, 0, 0]}}\n"                                                  \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, a: ground.A, b: one.A}\n"                                                 \
  "  B: {type: revolute, a: one.B, b: link.B}\n"                                                   \
  "  C: {type: revolute, a: link.C, b: two.C}\n"                                                   \
  "  D: {type: revolute, a: ground.D, b: two.D}\n"                                                 \
  "  drive: {type: driver, joint_a: A, motion: 2*pi*t}\n"

static void flat_parallelogram(const char *text, bool redundant) {
  rig r;
  hn_kinematics_info info;
  hn_result *result = NULL;
  if (!rig_open(&r, text)) return;
  if (!CHECK(!hn_kinematics(r.sim, &info, &result))) printf("%s\n", hn_sim_error(r.sim));
  for (int i = 0; i < hn_result_rows(result); i++) {
    CHECK_NEAR(rig_value(result, i, "D.angle"), rig_value(result, i, "A.angle"), 1e-9);
    CHECK_NEAR(rig_value(result, i, "link.y"), cos(2 * pi * rig_value(result, i, "time")), 1e-9);
    CHECK_NEAR(rig_value(result, i, "D.angle_rate"), 2 * pi, 1e-6);
  }
  CHECK((strstr(info.sharing, "redundant") != NULL) == redundant);
  // flat at a quarter and three quarters of the turn
  if (CHECK(info.singular_count == 2)) {
    CHECK_NEAR(info.singular[0].time, 0.25, 1e-6);
    CHECK_NEAR(info.singular[1].time, 0.75, 1e-6);
  }
  hn_result_destroy(result);
  rig_close(&r);
}

static void flat_parallelograms(void) {
  flat_parallelogram(PARALLELOGRAM("planar", "0.1", "angle: 90 deg"), false);
  flat_parallelogram(
      PARALLELOGRAM("spatial", "[0.1, 0.1, 0.1]", "orientation: {axis: [0, 0, 1], angle: 90 deg}"),
      true);
}

// a slider that is pushed cannot take the crank beyond its dead position: crank 0.2 at 60 degrees
// and rod 0.7, stretched when the slider is at 0.9
static void dead_position(void) {
  static const char text[] =
      "parameters: {x: 0.1 + sqrt(0.46)}\n"
      "simulation: {duration: 1, output_step: 0.01}\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.01, position: [0.05, 0.1*sin(pi/3)],"
      " angle: pi/3, frames: {A: [-0.1, 0], B: [0.1, 0]}}\n"
      "  rod: {type: planar, mass: 2, inertia: 0.1, position: [0.05 + x/2, 0.1*sin(pi/3)],"
      " angle: -asin(2/7*sin(pi/3)), frames: {B: [-0.35, 0], C: [0.35, 0]}}\n"
      "  slider: {type: planar, mass: 3, inertia: 0.02, position: [x, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground, b: crank.A}\n"
      "  B: {type: revolute, a: crank.B, b: rod.B}\n"
      "  C: {type: revolute, a: rod.C, b: slider}\n"
      "  rail: {type: prismatic, a: ground, b: slider, axis: [1, 0, 0]}\n"
      "  drive: {type: driver, joint_a: rail, motion: 0.2*t}\n";
  rig r;
  hn_kinematics_info info;
  hn_result *result = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(hn_kinematics(r.sim, &info, &result) == HN_ERR_SINGULAR);
  CHECK(strstr(hn_sim_error(r.sim), "dead position"));
  double end = (0.8 - sqrt(0.46)) / 0.2, t = rig_value(result, info.rows - 1, "time");
  CHECK(t > end - 0.01 && t <= end);
  CHECK(info.weakest < 0.1);
  hn_result_destroy(result);
  rig_close(&r);
}

static void undriven(void) {
  static const char text[] = "bodies:\n"
                             "  cart: {type: planar, mass: 1, inertia: 1}\n"
                             "  bob: {type: planar, mass: 1, inertia: 1, position: [0, -1]}\n"
                             "  loose: {type: planar-point, mass: 1, position: [5, 5]}\n"
                             "joints:\n"
                             "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0, 0]}\n"
                             "  hang: {type: revolute, a: cart, b: bob, at: [0, 0]}\n"
                             "  drive: {type: driver, joint_a: rail, motion: t}\n";
  rig r;
  hn_kinematics_info info;
  hn_result *result = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(hn_kinematics(r.sim, &info, &result) == HN_ERR_MODEL);
  const char *error = hn_sim_error(r.sim);
  CHECK(strstr(error, "3 degrees of freedom are not driven") && strstr(error, "hang.angle") &&
        strstr(error, "loose.x") && strstr(error, "loose.y"));
  hn_result_destroy(result);
  rig_close(&r);
}

// ---- inverse dynamics ------------------------------------------------------------------------

// two driven hinges: closed form of the double pendulum's equations of motion
static void driven_double_pendulum(void) {
  static const char text[] = "gravity: [0, -9.81]\n"
                             "simulation: {duration: 2, output_step: 0.05}\n"
                             "bodies:\n"
                             "  up: {type: planar, mass: 1.1, inertia: 0.05, position: [0.4, 0],"
                             " frames: {top: [-0.4, 0], end: [0.6, 0]}}\n"
                             "  low: {type: planar, mass: 0.7, inertia: 0.03, position: [1.25, 0],"
                             " frames: {top: [-0.25, 0]}}\n"
                             "joints:\n"
                             "  A: {type: revolute, a: ground, b: up.top}\n"
                             "  B: {type: revolute, a: up.end, b: low.top}\n"
                             "  da: {type: driver, joint_a: A, motion: 0.4*sin(3*t)}\n"
                             "  db: {type: driver, joint_a: B, motion: 0.7*sin(5*t)}\n";
  rig r;
  hn_result *result = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(!hn_inverse(r.sim, NULL, &result, NULL));
  for (int i = 0; i < hn_result_rows(result); i++) {
    double t = rig_value(result, i, "time"), g = 9.81, m2 = 0.7, c1 = 0.4, L = 1, c2 = 0.25;
    double q1 = 0.4 * sin(3 * t), q2 = 0.7 * sin(5 * t), d1 = 1.2 * cos(3 * t);
    double d2 = 3.5 * cos(5 * t), e1 = -3.6 * sin(3 * t), e2 = -17.5 * sin(5 * t);
    double I1 = 0.05 + 1.1 * c1 * c1 + m2 * L * L, I2 = 0.03 + m2 * c2 * c2, h = m2 * L * c2;
    double t2 =
        (I2 + h * cos(q2)) * e1 + I2 * e2 + h * sin(q2) * d1 * d1 + m2 * g * c2 * cos(q1 + q2);
    double t1 = (I1 + I2 + 2 * h * cos(q2)) * e1 + (I2 + h * cos(q2)) * e2 -
                h * sin(q2) * (2 * d1 * d2 + d2 * d2) + (1.1 * c1 + m2 * L) * g * cos(q1) +
                m2 * g * c2 * cos(q1 + q2);
    CHECK_NEAR(rig_value(result, i, "da.effort"), t1, 1e-10);
    CHECK_NEAR(rig_value(result, i, "db.effort"), t2, 1e-10);
    CHECK_NEAR(rig_value(result, i, "db.acceleration"), e2, 1e-12);
  }
  hn_result_destroy(result);
  rig_close(&r);
}

// a forward run under known torques; from its accelerations come the torques back
static void forward_and_back(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  one: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\n"
      "  two: {mass: 2, inertia: [0.3, 0.2, 0.15], position: [1.3, 0.4, 0.1]}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground, b: one, at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  B: {type: revolute, a: one, b: two, at: [1, 0, 0], axis: [0, 1, 1]}\n"
      "forces:\n"
      "  ma: {type: motor, joint: A, law: 3*sin(4*t) - 0.2*rate}\n"
      "  mb: {type: motor, joint: B, law: 2 + cos(7*t)}\n"
      "  rub: {type: friction, joint: B, coulomb: 0.2, radius: 0.05, speed: 0.1}\n"
      "  s: {type: spring, a: ground, b: two, at: [1, 1, 1], stiffness: 30, damping: 2,"
      " free: 0.5}\n";
  static const char *const motors[] = {"mb", "ma"};
  rig r;
  if (!rig_open(&r, text)) return;
  for (int i = 0; i < 20; i++) {
    double t = 0.1 * i, effort[2] = {0}, rate;
    CHECK(!hn_advance(r.sim, t));
    CHECK(!hn_joint_coordinate(r.sim, (hn_joint){1}, "angle", NULL, &rate));
    if (!CHECK(!hn_inverse_efforts(r.sim, hn_accelerations(r.sim), 2, motors, effort)))
      printf("%s\n", hn_sim_error(r.sim));
    CHECK_NEAR(effort[0], 2 + cos(7 * t), 1e-9);
    CHECK_NEAR(effort[1], 3 * sin(4 * t) - 0.2 * rate, 1e-9);
  }
  double effort[2];
  CHECK(hn_inverse_efforts(r.sim, hn_accelerations(r.sim), 1, motors, effort) == HN_ERR_ARGUMENT);
  CHECK(strstr(hn_sim_error(r.sim), "1 actuator for 2 degrees of freedom"));
  CHECK(hn_inverse_efforts(r.sim, hn_accelerations(r.sim), 2, (const char *const[]){"ma", "rub"},
                           effort) == HN_ERR_ARGUMENT);
  CHECK(hn_inverse_efforts(r.sim, hn_accelerations(r.sim), 2, (const char *const[]){"ma", "no"},
                           effort) == HN_ERR_ARGUMENT);
  CHECK(hn_inverse_efforts(r.sim, hn_accelerations(r.sim), 2, (const char *const[]){"ma", "ma"},
                           effort) == HN_ERR_SINGULAR);
  rig_close(&r);
}

// a cart is driven, the pendulum on it swings freely: force on the cart from Newton's law
static void partly_driven(void) {
  static const char text[] = "gravity: [0, -9.81]\n"
                             "simulation: {duration: 1, output_step: 0.1, rtol: 1e-11}\n"
                             "bodies:\n"
                             "  cart: {type: planar, mass: 2, inertia: 1}\n"
                             "  bob: {type: planar-point, mass: 1, position: [0, -1]}\n"
                             "joints:\n"
                             "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0, 0]}\n"
                             "  rope: {type: distance, a: cart, b: bob}\n"
                             "  drive: {type: driver, joint_a: rail, motion: 0.3*sin(6*t)}\n";
  rig r, again;
  hn_result *result = NULL;
  if (!rig_open(&r, text)) return;
  if (!rig_open(&again, text)) return;
  CHECK(!hn_inverse(r.sim, NULL, &result, NULL));
  for (int i = 0; i <= 10; i++) {
    CHECK(!hn_advance(again.sim, 0.1 * i));
    const double *a = hn_accelerations(again.sim);
    CHECK_NEAR(rig_value(result, i, "drive.effort"), 2 * a[0] + a[3], 1e-8);
    CHECK_NEAR(a[0], -10.8 * sin(6 * 0.1 * i), 1e-8);
  }
  hn_result_destroy(result);
  rig_close(&r), rig_close(&again);
  if (!rig_open(&r, pendulum_model)) return;
  CHECK(hn_inverse(r.sim, NULL, &result, NULL) == HN_ERR_MODEL && !result);
  rig_close(&r);
}

// rows far apart: what the drivers did is what the energy grew by, however few rows there are
static void few_rows(void) {
  static const char *const pendulum[] = {"", "  free: {mass: 1, inertia: [1, 1, 1]}\n"};
  for (int kind = 0; kind < 2; kind++) {  // by geometry, and beside a body that is free
    rig r;
    hn_inverse_info info;
    hn_result *result = NULL;
    if (!rig_open_format(&r,
                         "gravity: [0, -9.81]\n"
                         "simulation: {duration: 2, output_step: 0.4}\n"
                         "bodies:\n"
                         "  rod: {type: planar, mass: 2, inertia: 0.5, position: [0.8, 0]}\n%s"
                         "joints:\n"
                         "  hinge: {type: revolute, b: rod, at: [0, 0]}\n"
                         "  drive: {type: driver, joint_a: hinge, motion: 3*t + 0.4*sin(9*t)}\n",
                         pendulum[kind]))
      return;
    CHECK(!hn_inverse(r.sim, &info, &result, NULL));
    CHECK(hn_result_rows(result) == 6 && info.looked > 0);
    const double J = 0.5 + 2 * 0.8 * 0.8, weight = 2 * 9.81 * 0.8, T = 2;
    double w0 = 3 + 3.6, w1 = 3 + 3.6 * cos(18), turned = 3 * T + 0.4 * sin(18);
    double work = 0.5 * J * (w1 * w1 - w0 * w0) + weight * sin(turned), squares = 0, peak = 0;
    enum { FINE = 200000 };
    for (int i = 0; i <= FINE; i++) {
      double t = T * i / FINE;
      double e = -J * 32.4 * sin(9 * t) + weight * cos(3 * t + 0.4 * sin(9 * t));
      squares += (i % FINE ? 1 : 0.5) * e * e / FINE;
      peak = fmax(peak, fabs(e));
    }
    CHECK_NEAR(info.effort[0].work, work, 3e-2);
    CHECK_NEAR(info.effort[0].rms, sqrt(squares), 1e-2);
    CHECK_NEAR(fabs(info.effort[0].peak), peak, 1e-2);
    hn_result_destroy(result);
    rig_close(&r);
  }
}

// The first of 150 cranks in a row turns all: 299 bodies in 149 loops. A row costs what
// the bodies cost; were it worse than linear, as it once was, this test would not come to its end
static void many_bodies(void) {
  enum { CRANKS = 150, SIZE = 80000 };
  char *text = malloc(SIZE);
  rig r;
  hn_result *result = NULL;
  int n = snprintf(text, SIZE, "simulation: {duration: 2, output_step: 0.02}\nbodies:\n");
  for (int i = 0; i < CRANKS; i++) {
    n += snprintf(text + n, SIZE - (size_t)n,
                  "  c%d: {type: planar, mass: 1, inertia: 0.1, position: [%d, 0.5]}\n", i, i);
    if (i)
      n +=
          snprintf(text + n, SIZE - (size_t)n,
                   "  r%d: {type: planar, mass: 1, inertia: 0.1, position: [%g, 1]}\n", i, i - 0.5);
  }
  n += snprintf(text + n, SIZE - (size_t)n, "joints:\n");
  for (int i = 0; i < CRANKS; i++) {
    n += snprintf(text + n, SIZE - (size_t)n, "  A%d: {type: revolute, b: c%d, at: [%d, 0]}\n", i,
                  i, i);
    if (i)
      n += snprintf(text + n, SIZE - (size_t)n,
                    "  B%d: {type: revolute, a: c%d, b: r%d, at: [%d, 1]}\n"
                    "  C%d: {type: revolute, a: r%d, b: c%d, at: [%d, 1]}\n",
                    i, i - 1, i, i - 1, i, i, i, i);
  }
  (void)snprintf(text + n, SIZE - (size_t)n,
                 "  drive: {type: driver, joint_a: A0, motion: 0.4*sin(t)}\n"
                 "outputs: [\"A%d.angle\"]\n",
                 CRANKS - 1);
  if (rig_open(&r, text)) {
    CHECK(!hn_kinematics(r.sim, NULL, &result));
    CHECK(result && hn_result_rows(result) == 101);
    const double *row = result ? hn_result_row(result, 100) : NULL;
    if (row) CHECK_NEAR(row[1], 0.4 * sin(2), 1e-9);
    hn_result_destroy(result);
    result = NULL;
    CHECK(!hn_inverse(r.sim, NULL, &result, NULL) && hn_result_rows(result) == 101);
    hn_result_destroy(result);
    rig_close(&r);
  }
  free(text);
}

// rows that nobody counts any more are refused, by inverse dynamics too
static void too_many_rows(void) {
  rig r;
  hn_result *result = NULL;
  if (!rig_open(&r, "simulation: {duration: 1, output_step: 1e-12}\n"
                    "bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
                    "joints:\n"
                    "  hinge: {type: revolute, b: b, at: [0, 0]}\n"
                    "  turn: {type: driver, joint_a: hinge, motion: t}\n"))
    return;
  CHECK(hn_kinematics(r.sim, NULL, &result) == HN_ERR_ARGUMENT && !result);
  CHECK(strstr(hn_sim_error(r.sim), "makes 1e+12 rows") != NULL);
  CHECK(hn_inverse(r.sim, NULL, &result, NULL) == HN_ERR_ARGUMENT && !result);
  rig_close(&r);
}

int main(void) {
  RUN(few_rows);
  RUN(slider_crank_motion);
  RUN(accelerations_in_space);
  RUN(four_bar_motion);
  RUN(flat_parallelograms);
  RUN(dead_position);
  RUN(undriven);
  RUN(driven_double_pendulum);
  RUN(forward_and_back);
  RUN(partly_driven);
  RUN(many_bodies);
  RUN(too_many_rows);
  return test_end();
}
