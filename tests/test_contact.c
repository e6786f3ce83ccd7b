// test_contact.c: rows that come and go, against closed forms and independent quadrature.
#include "contact_rig.h"
#include "system/system.h"

#include <stdlib.h>

static const double g = 9.81;
static const char *const families[] = {"reference", "relative"};

// ---- a ball that comes to rest -------------------------------------------------------------

static const char ball[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  ball: {type: planar-point, mass: 2, position: [0, 1.1], velocity: [0.3, 0]}\n"
    "joints:\n"
    "  floor: {type: stop, b: ball, at: [0, 0], at_b: [0, 1.1], axis: [0, 1, 0], radius: 0.1,\n"
    "          restitution: 0.8}\n";

// falls by 1 m; impact k is at t0 (1 + 2 (e + e^2 + ... + e^k)), the end at t0 (1 + e)/(1 - e)
static void accumulation(const how *w) {
  const double e = 0.8, t0 = sqrt(2 / g), v0 = g * t0, end = t0 * (1 + e) / (1 - e);
  rig r = rig_open(ball, *w);
  if (rig_ready(&r) && rig_go(&r, end + 0.5)) {
    double t = t0, v = v0, worst = 0, speed = 0;
    int count = hn_sim_impact_count(r.sim);
    hn_impact hit;
    CHECK(count > 50);
    for (int k = 0; k < 50 && hn_sim_impact(r.sim, k, &hit); k++) {
      worst = fmax(worst, fabs(hit.time - t) / t);
      speed = fmax(speed, fabs(hit.before + v) / v);
      CHECK_REL(hit.impulse, 2 * (1 + e) * v, 2 * v, 1e-5);
      v *= e;
      t += 2 * v / g;
    }
    CHECK(hn_sim_impact(r.sim, count - 1, &hit));
    double x = hn_positions(r.sim)[0], y = hn_positions(r.sim)[1];
    printf(
        "  %-22s %-9s %d impacts, times of 50 to %.1e, speeds to %.1e, end to %.1e, energy %.1e\n",
        w->method ? w->method : "default", w->coordinates, count, worst, speed,
        fabs(hit.until - end) / end, rig_imbalance(&r));
    CHECK(worst < 1e-9);
    CHECK_REL(hit.until, end, end, 1e-9);
    // it rests on the floor and slides on
    CHECK_NEAR(y, 0.1, 1e-12);
    CHECK_NEAR(hn_velocities(r.sim)[1], 0, 1e-12);
    CHECK_NEAR(x, 0.3 * (end + 0.5), 1e-9);
    hn_reaction force;
    CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, "floor"), &force) == HN_OK);
    CHECK_REL(force.force[1], 2 * g, 2 * g, 1e-12);
    CHECK(rig_imbalance(&r) < 1e-9);
  }
  rig_close(&r);
}

static void bouncing_ball(void) {
  const how cases[] = {{.coordinates = "reference"},
                       {.coordinates = "relative"},
                       {"integrator dopri5", "reference", 0, 1e-10, NULL},
                       {"integrator rk4", "reference", 0.02, 0, NULL},
                       {"integrator heun", "relative", 0.02, 0, NULL},
                       {"integrator abm", "reference", 0, 1e-9, NULL},
                       {"integrator dopri5", "reference", 0, 0, "poisson"},
                       {"integrator dopri5", "relative", 0, 0, "sequence"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) accumulation(&cases[i]);
}

// ---- beside a block --------------------------------------------------------------------------

// a stop that is open has no gradient: that is no singular place, also where blocks are in the
// model; and places that miss a point by rounding are no size of the model
static void beside_a_block(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies: {ball: {type: planar-point, mass: 2, position: [0.3, 1]}}\n"
      "joints: {floor: {type: stop, b: ball, at: [0.3, 0], at_b: [0.30000000000000004, 1],"
      " axis: [0, 1, 0], restitution: 0.5}}\n"
      "blocks: {x: {coordinates: {a: 1, b: 0}, kinetic_energy: 0.5*a.rate^2 + 0.5*b.rate^2,"
      " potential: 2*a^2, constraints: {c: b - 2*a + 2 = 0}}}\n";
  rig r = rig_open(text, (how){.rtol = 1e-9});
  if (rig_ready(&r)) {
    double down = sqrt(2 / 9.81), up = 0.5 * 9.81 * down, t = down + 0.3, after = 0.3, v;
    hn_summary s;
    CHECK(r.system->length == 1);
    if (rig_go(&r, t)) {
      hn_pose pose;
      CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "ball"), &pose));
      CHECK_NEAR(pose.position[1], up * after - 0.5 * 9.81 * after * after, 1e-8);
      v = up - 9.81 * after;
      CHECK_NEAR(pose.velocity[1], v, 1e-8);
      hn_sim_summary(r.sim, &s);
      CHECK(s.regularised == 0 && s.events > 0);
    }
  }
  rig_close(&r);
}

// ---- a pendulum between stops --------------------------------------------------------------

// a rod hung at its end, from the horizontal; J = m l^2 / 3
static const char pendulum[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: planar, mass: 1.5, inertia: 0.125, com: [0.5, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: rod, at: [0, 0], limits: [-1.2, 0.4], restitution: 0.7}\n";

// w^2 = w0^2 + 3 g / l (sin a0 - sin a): angle from the horizontal
static double squared_rate(double a0, double w0, double a) {
  return w0 * w0 + 3 * g * (sin(a0) - sin(a));
}

// time from a0, left at rate w0, to a, without a turning point on the way but perhaps at a0:
// a = a0 + (a1 - a0) s^2 takes the root away; composite Gauss of order 6
static double travel(double a0, double w0, double a1) {
  static const double node[3] = {-0.7745966692414834, 0, 0.7745966692414834},
                      weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  enum { PARTS = 400 };
  double sum = 0;
  for (int i = 0; i < PARTS; i++)
    for (int k = 0; k < 3; k++) {
      double s = (i + 0.5 * (1 + node[k])) / PARTS, a = a0 + (a1 - a0) * s * s;
      sum += weight[k] / 2 / PARTS * 2 * fabs(a1 - a0) * s / sqrt(squared_rate(a0, w0, a));
    }
  return sum;
}

// where the pendulum, left at a0 with w0 upwards, turns
static double turning(double a0, double w0) {
  return asin(sin(a0) + w0 * w0 / (3 * g));
}

// impact times: falls from rest at 0, strikes -1.2, swings up, turns (or strikes 0.4), and back
static int swing(double until, double *times, double *rates) {
  const double low = -1.2, e = 0.7;
  double t = travel(0, 0, low), w = sqrt(squared_rate(0, 0, low));
  int n = 0;
  while (t < until) {
    times[n] = t, rates[n++] = w;
    w *= e;
    double top = turning(low, w);
    t += 2 * travel(top, 0, low);
  }
  return n;
}

static void pendulum_on_stop(void) {
  double times[200], rates[200];
  int expected = swing(2.5, times, rates);
  for (int f = 0; f < 2; f++) {
    rig r = rig_open(pendulum, (how){NULL, families[f], 0, 1e-11, NULL});
    if (rig_ready(&r) && rig_go(&r, 2.5)) {
      hn_impact hit;
      double worst = 0, rate = 0;
      int count = hn_sim_impact_count(r.sim);
      CHECK(count == expected);
      for (int k = 0; k < count && k < expected && hn_sim_impact(r.sim, k, &hit); k++) {
        worst = fmax(worst, fabs(hit.time - times[k]));
        rate = fmax(rate, fabs(hit.before + rates[k]));
        CHECK_STR(hn_system_row_name(r.system, hit.row), "hinge.lower.gap");
      }
      printf("  %-9s %d impacts: times to %.1e s, rates to %.1e rad/s, energy %.1e\n", families[f],
             count, worst, rate, rig_imbalance(&r));
      CHECK(worst < 1e-8 && rate < 1e-8);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// ---- order ---------------------------------------------------------------------------------

// the first coordinate of the state at the end
static double end_of(const char *text, const char *method, double step, double rtol, double until) {
  rig r = rig_open(text, (how){method, "reference", step, rtol, NULL});
  double x = NAN;
  if (rig_ready(&r) && rig_go(&r, until)) x = hn_positions(r.sim)[0];
  rig_close(&r);
  return x;
}

// a mass on a rope is thrown upwards along a circle, too slowly for the whole of it: the rope goes
// slack, and later taut again
static const char looping[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  mass: {type: planar-point, mass: 1, position: [0, -1], velocity: [6.2641839053463298, 0]}\n"
    "joints:\n"
    "  rope: {type: rope, b: mass, at: [0, 0], at_b: [0, -1], length: 1}\n";

static void orders(void) {
  static const struct {
    const char *method;
    double least, step, looping_step;
  } cases[] = {{"integrator heun", 1.9, 2e-3, 2e-3},
               {"integrator rk4", 3.8, 1e-2, 2.5e-3},
               {"integrator index3-alpha", 1.9, 2e-3, 2e-3},
               {"integrator index2-alpha", 1.9, 2e-3, 2e-3},
               {"integrator index1-alpha", 1.9, 2e-3, 2e-3},
               {"integrator index3-trapezoidal", 1.9, 2e-3, 2e-3}};
  double swung = end_of(pendulum, NULL, 0, 1e-13, 1.3),
         thrown = end_of(looping, NULL, 0, 1e-13, 0.8);
  double again = end_of(looping, NULL, 0, 1e-13, 1.3);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double a[3], b[3], c[3];
    for (int k = 0; k < 3; k++) {
      double h = cases[i].step * pow(0.5, k), d = cases[i].looping_step * pow(0.5, k);
      a[k] = fabs(end_of(pendulum, cases[i].method, h, 0, 1.3) - swung);
      b[k] = fabs(end_of(looping, cases[i].method, d, 0, 0.8) - thrown);
      c[k] = fabs(end_of(looping, cases[i].method, d, 0, 1.3) - again);
    }
    double p = log2(a[0] / a[2]) / 2, q = log2(b[0] / b[2]) / 2, r = log2(c[0] / c[2]) / 2;
    printf("  %-30s impacts %.1e %.1e order %.2f, lift-off %.1e %.1e order %.2f, both %.1e %.1e "
           "order %.2f\n",
           cases[i].method, a[0], a[2], p, b[0], b[2], q, c[0], c[2], r);
    CHECK(p > cases[i].least && q > cases[i].least && r > cases[i].least);
  }
}

// ---- lift-off -----------------------------------------------------------------------------

// a mass lies on a table that shakes so that it is thrown up and falls back again
static const char shaken[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  table: {type: planar, mass: 1, inertia: 1, velocity: [0, 1]}\n"
    "  mass: {type: planar-point, mass: 1, position: [0, 0], velocity: [0, 1]}\n"
    "joints:\n"
    "  guide: {type: prismatic, b: table, at: [0, 0], axis: [0, 1, 0]}\n"
    "  shake: {type: driver, joint_a: guide, motion: 0.1*sin(10*t)}\n"
    "  up: {type: point-on-line, b: mass, at: [0, 0], axis: [0, 1, 0]}\n"
    "  rest: {type: stop, a: table, b: mass, at: [0, 0], at_b: [0, 0], axis: [0, 1, 0]}\n";

// it leaves where 10 sin(10 t) = g, flies, and strikes (e = 0: stays)
static double shaken_exact(double until, double *leave, double *land) {
  *leave = asin(g / 10) / 10;
  double y = 0.1 * sin(10 * *leave), v = cos(10 * *leave), low = *leave + 1e-3, high = low;
  while (y + v * (high - *leave) - 0.5 * g * (high - *leave) * (high - *leave) >
         0.1 * sin(10 * high))
    low = high, high += 1e-3;
  for (int i = 0; i < 100; i++) {
    double t = 0.5 * (low + high), d = t - *leave;
    *(y + v * d - 0.5 * g * d * d > 0.1 * sin(10 * t) ? &low : &high) = t;
  }
  *land = low;
  double d = until - *leave;
  return until > *leave && until < low ? y + v * d - 0.5 * g * d * d : 0.1 * sin(10 * until);
}

static void thrown_from_a_table(void) {
  for (int f = 0; f < 2; f++) {
    double leave, land;
    shaken_exact(1, &leave, &land);
    rig r = rig_open(shaken, (how){NULL, families[f], 0, 1e-11, NULL});
    if (!rig_ready(&r)) continue;
    for (double t = 0.05; t < land + 0.05; t += 0.05) {
      double low, high;
      if (!rig_go(&r, t)) break;
      CHECK_NEAR(rig_value(&r, "up", NULL), shaken_exact(t, &low, &high), 1e-9);
    }
    hn_impact hit;
    CHECK(hn_sim_impact(r.sim, 0, &hit));
    CHECK_NEAR(hit.time, land, 1e-9);
    CHECK(rig_imbalance(&r) < 1e-9);
    printf("  %-9s leaves at %.9f, lands at %.9f (%.1e off), energy %.1e\n", families[f], leave,
           hit.time, fabs(hit.time - land), rig_imbalance(&r));
    rig_close(&r);
  }
}

// ---- several at once -----------------------------------------------------------------------

// three equal bodies in a row, two of which touch; the first comes with 1 m/s
static void simultaneous(void) {
  static const char text[] =
      "bodies:\n"
      "  a: {type: planar, mass: 1, inertia: 1, position: [-0.5, 0], velocity: [1, 0]}\n"
      "  b: {type: planar, mass: 1, inertia: 1, position: [1, 0]}\n"
      "  c: {type: planar, mass: 1, inertia: 1, position: [2, 0]}\n"
      "joints:\n"
      "  ga: {type: prismatic, b: a, at: [-0.5, 0], axis: [1, 0, 0]}\n"
      "  gb: {type: prismatic, b: b, at: [1, 0], axis: [1, 0, 0]}\n"
      "  gc: {type: prismatic, b: c, at: [2, 0], axis: [1, 0, 0]}\n"
      "  ab: {type: stop, a: a, b: b, at: [0.5, 0], at_b: [1, 0], axis: [1, 0, 0], restitution: "
      "1}\n"
      "  bc: {type: stop, a: b, b: c, at: [2, 0], at_b: [2, 0], axis: [1, 0, 0], restitution: 1}\n";
  static const struct {
    const char *law;
    double v[3];
  } cases[] = {{"newton", {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
               {"poisson", {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
               {"sequence", {0, 0, 1}}};
  for (int i = 0; i < 3; i++)
    for (int f = 0; f < 2; f++) {
      rig r = rig_open(text, (how){.coordinates = families[f], .law = cases[i].law});
      if (rig_ready(&r) && rig_go(&r, 1)) {
        const char *const guide[] = {"ga", "gb", "gc"};
        for (int k = 0; k < 3; k++) {
          double rate = NAN;
          rig_value(&r, guide[k], &rate);
          CHECK_NEAR(rate, cases[i].v[k], 1e-12);
        }
        CHECK(rig_imbalance(&r) < 1e-12);
      }
      rig_close(&r);
    }
}

// a box with four feet falls flat on a plane and stays: as a ball does, whatever feet carry it
static void four_feet(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  box: {mass: 3, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0.7]}\n"
      "joints:\n"
      "  f1: {type: stop, b: box, at: [0, 0, 0], at_b: [0.3, 0.2, 0.5], restitution: 0.5}\n"
      "  f2: {type: stop, b: box, at: [0, 0, 0], at_b: [-0.3, 0.2, 0.5], restitution: 0.5}\n"
      "  f3: {type: stop, b: box, at: [0, 0, 0], at_b: [0.3, -0.2, 0.5], restitution: 0.5}\n"
      "  f4: {type: stop, b: box, at: [0, 0, 0], at_b: [-0.3, -0.2, 0.5], restitution: 0.5}\n";
  const double t0 = sqrt(2 * 0.5 / g), end = t0 * 3;
  const how cases[] = {{.coordinates = "reference"},
                       {.coordinates = "relative"},
                       {"integrator dopri5", "reference", 0, 0, "poisson"},
                       {"integrator rk4", "relative", 0.01, 0, NULL},
                       {"integrator index3-alpha", "reference", 0.01, 0, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r = rig_open(text, cases[i]);
    if (rig_ready(&r) && rig_go(&r, end + 0.2)) {
      const double *q = hn_positions(r.sim);
      double sum = 0, turned = 0;
      for (int k = 1; k <= 4; k++) {
        char name[] = "f0";
        hn_reaction force;
        name[1] = (char)('0' + k);
        CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, name), &force) == HN_OK);
        sum += force.force[2];
        // shared evenly: the load is in the middle
        CHECK_REL(force.force[2], 3 * g / 4, 3 * g, 1e-9);
      }
      for (int k = 0; k < 3; k++) turned = fmax(turned, fabs(q[4 + k]));
      printf("  %-24s %-9s height %.1e off, turned by %.1e, forces %.1e off, energy %.1e\n",
             cases[i].method ? cases[i].method : "default", cases[i].coordinates, fabs(q[2] - 0.2),
             turned, fabs(sum - 3 * g), rig_imbalance(&r));
      CHECK_NEAR(q[2], 0.2, 1e-9);
      CHECK(turned < 1e-9);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// ---- ropes and ratchets --------------------------------------------------------------------

// a mass falls beside its rope, which pulls taut at an angle: the speed along it is lost, and it
// swings on as a pendulum
static void rope(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  mass: {type: planar-point, mass: 1, position: [0.6, 0]}\n"
      "joints:\n"
      "  rope: {type: rope, b: mass, at: [0, 0], at_b: [0.6, 0], length: 1}\n";
  // taut at (0.6, -0.8) with v = sqrt(2 g 0.8) downwards; along the rope 0.8 v is lost
  double v = sqrt(1.6 * g), left = 0.6 * v, energy = 0.5 * left * left;
  for (int f = 0; f < 2; f++) {
    rig r = rig_open(text, (how){NULL, families[f], 0, 1e-10, NULL});
    if (rig_ready(&r) && rig_go(&r, 0.8)) {
      hn_impact hit;
      CHECK(hn_sim_impact(r.sim, 0, &hit));
      CHECK_NEAR(hit.time, v / g, 1e-12);
      CHECK_NEAR(hit.before, -0.8 * v, 1e-10);
      const double *q = hn_positions(r.sim), *u = hn_velocities(r.sim);
      CHECK_NEAR(hypot(q[0], q[1]), 1, 1e-10);
      CHECK_NEAR(0.5 * (u[0] * u[0] + u[1] * u[1]) + g * (q[1] + 0.8), energy, 1e-8);
      hn_energy e;
      CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
      CHECK_NEAR(e.work, -0.5 * 0.64 * v * v, 1e-8);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// a wheel driven to and fro turns on and stays behind the last tooth it passed
static void ratchet(void) {
  static const char text[] = "bodies:\n"
                             "  wheel: {type: planar, mass: 1, inertia: 1}\n"
                             "joints:\n"
                             "  hinge: {type: revolute, b: wheel, at: [0, 0], rate: 1}\n"
                             "  pawl: {type: limit, joint_a: hinge, lower: 0, ratchet: 0.25}\n"
                             "forces:\n"
                             "  brake: {type: torque, b: wheel, torque: -1}\n";
  // turns by 1/2 until t = 1, past two teeth, and falls back onto the second
  for (int f = 0; f < 2; f++) {
    rig r = rig_open(text, (how){NULL, families[f], 0, 1e-10, NULL});
    if (rig_ready(&r) && rig_go(&r, 0.95)) {
      CHECK_NEAR(rig_value(&r, "hinge", NULL), 0.95 - 0.95 * 0.95 / 2, 1e-9);
      rig_go(&r, 4);
      CHECK_NEAR(rig_value(&r, "hinge", NULL), 0.25, 1e-9);
    }
    rig_close(&r);
  }
}

// a start may lie ahead of the first tooth by more of them than could be counted one by one
static void many_teeth(void) {
  static const char text[] = "bodies:\n"
                             "  load: {type: planar, mass: 1, inertia: 1}\n"
                             "joints:\n"
                             "  rail: {type: prismatic, b: load, axis: [1, 0, 0], value: 4000}\n"
                             "  pawl: {type: limit, joint_a: rail, lower: 0, ratchet: 1e-7}\n"
                             "forces:\n"
                             "  back: {type: motor, joint: rail, law: -1}\n";
  rig r = rig_open(text, (how){.coordinates = "relative"});
  if (rig_ready(&r) && rig_go(&r, 1)) CHECK_NEAR(rig_value(&r, "rail", NULL), 4000, 1.01e-7);
  rig_close(&r);
}

// v^2 = 4 g at the lowest point: the rope goes slack where its angle from there has cos = -2/3
static void slack(void) {
  for (int f = 0; f < 2; f++) {
    rig r = rig_open(looping, (how){NULL, families[f], 0, 1e-11, NULL});
    if (rig_ready(&r) && rig_go(&r, 0.9)) {
      // of the parabola that follows, the velocity along x and the energy are known
      double v = sqrt(2 * g / 3) * 2.0 / 3, height = 2.0 / 3 + 5.0 / 9 * 2.0 / 3 / 2;
      const double *q = hn_positions(r.sim), *u = hn_velocities(r.sim);
      CHECK(hypot(q[0], q[1]) < 0.99);
      CHECK_NEAR(u[0], -v, 1e-9);
      CHECK_NEAR(q[1] + u[1] * u[1] / (2 * g), height, 1e-9);
      CHECK(hn_sim_impact_count(r.sim) == 0);
      rig_go(&r, 1.3);
      CHECK(hn_sim_impact_count(r.sim) == 1);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// both stops of a pendulum that loses nothing: the period is known, and so is every impact
static void between_stops(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  rod: {type: planar, mass: 1.5, inertia: 0.125, com: [0.5, 0], angular_velocity: -4,\n"
      "        velocity: [0, 0]}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: rod, at: [0, 0], limits: [-1.2, 0.4], restitution: 1}\n";
  double down = travel(0, 4, -1.2), low = sqrt(squared_rate(0, 4, -1.2));
  double across = travel(0.4, sqrt(squared_rate(0, 4, 0.4)), -1.2);
  for (int f = 0; f < 2; f++) {
    rig r = rig_open(text, (how){NULL, families[f], 0, 1e-12, NULL});
    if (rig_ready(&r) && rig_go(&r, down + 20.5 * across)) {
      hn_impact hit;
      CHECK(hn_sim_impact_count(r.sim) == 21);
      for (int k = 0; k < 21 && hn_sim_impact(r.sim, k, &hit); k++) {
        CHECK_NEAR(hit.time, down + k * across, 1e-8);
        CHECK_STR(hn_system_row_name(r.system, hit.row),
                  k % 2 ? "hinge.upper.gap" : "hinge.lower.gap");
        if (k % 2 == 0) CHECK_NEAR(hit.before, -low, 1e-8);
      }
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// what impacts lose is missing in the part that they happen in, and in no other
static void several_parts(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  rod: {type: planar, mass: 1.5, inertia: 0.125, com: [0.5, 0]}\n"
      "  ball: {type: planar-point, mass: 1, position: [2, 1]}\n"
      "  swing: {type: planar, mass: 1, inertia: 0.1, position: [-1, 0.5]}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: rod, at: [0, 0], limits: [-1.2, 0.4], restitution: 0.7}\n"
      "  floor: {type: stop, b: ball, at: [2, 0], at_b: [2, 1], axis: [0, 1, 0], radius: 0.1,\n"
      "          restitution: 0.8}\n"
      "  pivot: {type: revolute, b: swing, at: [-1.2, 0.4]}\n";
  rig r = rig_open(text, (how){NULL, NULL, 0, 1e-11, NULL});
  if (rig_ready(&r) && rig_go(&r, 2.5)) {
    hn_summary summary;
    hn_sim_summary(r.sim, &summary);
    CHECK(hn_sim_impact_count(r.sim) > 8);
    if (!CHECK(summary.energy_drift < 1e-9)) printf("  imbalance %g\n", summary.energy_drift);
  }
  rig_close(&r);
}

// a ball strikes another one off centre: what each has along the line of centres is exchanged
// (e = 0.5), the rest stays; and the result tells it
static void balls(void) {
  static const char text[] =
      "bodies:\n"
      "  a: {type: point, mass: 1, position: [0, 0, 0], velocity: [2, 0, 0]}\n"
      "  b: {type: point, mass: 3, position: [2, 0.6, 0]}\n"
      "joints:\n"
      "  meet: {type: apart, a: a, b: b, at: [0, 0, 0], at_b: [2, 0.6, 0], length: 1,\n"
      "         restitution: 0.5}\n"
      "simulation: {duration: 1}\n";
  // they meet where b lies in the direction (0.8, 0.6) of a; 1/m = 1 + 1/3
  const double n[2] = {0.8, 0.6}, p = 1.5 * 2 * 0.8 / (4.0 / 3);
  rig r = rig_open(text, (how){0});
  hn_result *result = NULL;
  if (rig_ready(&r) && CHECK(hn_run(r.sim, &result, NULL, NULL) == HN_OK)) {
    hn_impact hit = {0};
    CHECK(hn_sim_impact_count(r.sim) == 1 && hn_sim_impact(r.sim, 0, &hit));
    CHECK_NEAR(hit.time, 0.6, 1e-12);
    CHECK_NEAR(hit.impulse, p, 1e-12);
    const double *v = hn_velocities(r.sim);
    for (int k = 0; k < 2; k++) {
      CHECK_NEAR(v[k], (k ? 0 : 2) - p * n[k], 1e-12);
      CHECK_NEAR(v[3 + k], p * n[k] / 3, 1e-12);
    }
    CHECK(rig_imbalance(&r) < 1e-12);
    bool told = false;
    for (int i = 0; i < hn_result_notes(result); i++)
      told |=
          strstr(hn_result_note(result, i), "impact at t = 0.6 s: joint meet, -1.6 m/s") != NULL;
    CHECK(told);
  }
  hn_result_destroy(result);
  rig_close(&r);
}

// ---- methods and words ---------------------------------------------------------------------

// every method finds the first impacts of the pendulum, or says that it cannot
static void all_methods(void) {
  double times[200], rates[200];
  swing(2.5, times, rates);
  const hn_method_info *info;
  int right = 0, refused = 0;
  for (int i = 0; (info = hn_method_at(i)); i++)
    for (int f = 0; f < 2; f++) {
      rig r = rig_open(pendulum, (how){info->name, families[f], 1e-3, 1e-7, NULL});
      if (r.status) {
        bool said = strstr(r.message, "stop") || strstr(r.message, "relative coordinates");
        if (!CHECK(said)) printf("  %s: %s\n", info->name, r.message);
        refused++;
      } else if (rig_go(&r, 1.2)) {
        hn_impact hit = {0};
        CHECK(hn_sim_impact_count(r.sim) == 2);
        CHECK(hn_sim_impact(r.sim, 1, &hit));
        if (!CHECK_NEAR(hit.time, times[1], 2e-3)) printf("  %s %s\n", info->name, families[f]);
        right++;
      }
      rig_close(&r);
    }
  printf("  %d right, %d refused\n", right, refused);
  CHECK(right > 20);
}

static void refuse(const char *text, const char *words) {
  rig r = rig_open(text, (how){0});
  if (!CHECK(r.status != HN_OK && strstr(r.message, words)))
    printf("  wanted: %s\n  got: %s\n", words, r.message);
  rig_close(&r);
}

static void refusals(void) {
  refuse("bodies:\n  rod: {type: planar, mass: 1, inertia: 1}\n"
         "joints:\n  hinge: {type: revolute, b: rod, at: [0, 0], limits: [0.5, 1]}\n",
         "test:4:3: joint 'hinge.lower': the model starts behind the stop, by 0.5 rad");
  refuse("bodies:\n  rod: {type: planar, mass: 1, inertia: 1}\n"
         "joints:\n  hinge: {type: revolute, b: rod, at: [0, 0]}\n"
         "  low: {type: limit, joint_a: hinge, lower: 0}\n"
         "  high: {type: limit, joint_a: hinge, upper: -0.1}\n",
         "test:6:3: joint 'high': the model starts behind the stop, by 0.1 rad");
  refuse(
      "bodies:\n  rod: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n  hinge: {type: revolute, b: rod, at: [0, 0], limits: [1, 0.5]}\n",
      "test:4:55: joint 'hinge': limits: the lower one, 1, must be less than the upper one, 0.5");
  refuse("bodies:\n  rod: {type: planar, mass: 1, inertia: 1}\njoints:\n"
         "  hinge: {type: revolute, b: rod, at: [0, 0], limits: [-1, 1], restitution: 1.2}\n",
         "test:4:77: joint 'hinge': restitution must not be larger than 1: no impact gains energy");
  refuse("bodies:\n  ball: {type: point, mass: 1, position: [0, 0, 1]}\n"
         "joints:\n  floor: {type: stop, b: ball, at: [0, 0, 0], at_b: [0, 0, 1], radius: 1.5}\n",
         "joint 'floor': the model starts behind the stop, by 0.5 m");
  refuse("bodies:\n  ball: {type: point, mass: 1, position: [0, 0, 1]}\n"
         "joints:\n  rope: {type: rope, b: ball, at: [0, 0, 0], at_b: [0, 0, 1], length: 0.5}\n",
         "joint 'rope': the model starts behind the stop, by 0.5 m");
  refuse("bodies:\n  ball: {type: point, mass: 1, position: [0, 0, 1]}\n"
         "joints:\n  floor: {type: stop, b: ball, at: [0, 0, 0], at_b: [0, 0, 1]}\n"
         "simulation: {coordinates: natural}\n",
         "natural coordinates cannot deal with limits, ropes, stops");
  refuse("bodies:\n  ball: {type: point, mass: 1, position: [0, 0, 1]}\n"
         "joints:\n  floor: {type: stop, b: ball, at: [0, 0, 0], at_b: [0, 0, 1]}\n"
         "simulation: {events: off}\n",
         "events 'off' does not end steps where a limit, rope or stop is met");
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  static const char latch[] =
      "bodies:\n  ball: {type: point, mass: 1, position: [0, 0, 1]}\n"
      "joints:\n  latch: {type: spherical, b: ball, at: [0, 0, 1], active: 't < 1'}\n";
  CHECK(hn_model_parse(m, latch, sizeof latch - 1, "test") == HN_OK);
  snprintf(hn_model_options(m)->code, sizeof hn_model_options(m)->code, "native");
  CHECK(hn_compile(&sys, m) == HN_ERR_UNSUPPORTED);
  CHECK(
      strstr(hn_model_error(m), "no code can be written for joints that come and go, as 'latch'"));
  hn_model_destroy(m);
  // a state from outside is held to the same
  rig r = rig_open(pendulum, (how){.coordinates = "relative"});
  if (rig_ready(&r)) {
    double q = 1, v = 0;
    CHECK(hn_set_state(r.sim, 0, &q, &v) == HN_ERR_ARGUMENT);
    CHECK(
        strstr(hn_sim_error(r.sim), "joint 'hinge.upper': the state lies behind the stop by 0.6"));
  }
  rig_close(&r);
}

// ---- statics -------------------------------------------------------------------------------

// A spring draws a mass along the floor to x = 1; a force lifts it there by 20 N, or by 5 N. It
// weighs 9.81 N: with 5 N the floor bears 4.81 N, with 20 N it would have to pull
static void floor_does_not_pull(void) {
  for (int lift = 5; lift <= 20; lift += 15) {
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "bodies: {mass: {type: planar-point, mass: 1}}\n"
             "joints: {floor: {type: stop, b: mass, at: [0, 0], at_b: [0, 0], axis: [0, 1, 0]}}\n"
             "forces:\n"
             "  spring: {type: spring, b: mass, at: [3, 0], at_b: [0, 0], stiffness: 10, free: 2}\n"
             "  lift: {type: force, b: mass, at: [0, 0], force: [0, %d*mass.x]}\n",
             lift);
    rig r = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
    hn_result *result = NULL;
    hn_reaction floor;
    if (rig_ready(&r)) {
      hn_status status = hn_statics(r.sim, HN_REST, NULL, &result);
      if (lift == 5 && CHECK(status == HN_OK)) {
        CHECK_NEAR(hn_positions(r.sim)[0], 1, 1e-9);
        CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, "floor"), &floor) == HN_OK);
        CHECK_NEAR(floor.force[1], g - 5, 1e-9);
      }
      if (lift == 20)
        CHECK(status == HN_ERR_DIVERGED && !result &&
              strstr(hn_sim_error(r.sim), "needs 'floor' to pull"));
      if (status && lift == 5) printf("  %s\n", hn_sim_error(r.sim));
    }
    hn_result_destroy(result);
    rig_close(&r);
  }
}

// A block lies on a table that is driven: as long as the table falls more slowly than the block
// would
static void table_does_not_pull(void) {
  for (int fall = 2; fall <= 6; fall += 4) {
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "simulation: {duration: 0.5, output_step: 0.1}\n"
             "bodies: {table: {type: planar, mass: 1, inertia: 1}, block: {type: planar-point, "
             "mass: 2}}\n"
             "joints:\n"
             "  guide: {type: prismatic, b: table, at: [0, 0], axis: [0, 1, 0]}\n"
             "  drive: {type: driver, joint_a: guide, motion: -%d*t^3}\n"
             "  rail: {type: point-on-line, b: block, at: [0, 0], axis: [0, 1, 0]}\n"
             "  top: {type: stop, a: table, b: block, at: [0, 0], at_b: [0, 0], axis: [0, 1, 0]}\n",
             fall);
    rig r = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
    hn_result *motion = NULL;
    hn_kinematics_info info;
    if (rig_ready(&r)) {
      hn_status status = hn_kinematics(r.sim, &info, &motion);
      if (fall == 2) CHECK(status == HN_OK);
      if (fall == 6)
        CHECK(status == HN_ERR_UNSUPPORTED && strstr(hn_sim_error(r.sim), "needs 'top' to pull"));
      if (status && fall == 2) printf("  %s\n", hn_sim_error(r.sim));
    }
    hn_result_destroy(motion);
    rig_close(&r);
  }
}

// two balls that meet far from the origin, where places are known less well than the model is small
static void far_away(void) {
  double worst = 0;
  for (int k = 0; k < 120; k++) {
    double far = pow(10, test_random(0, 7)), fast = pow(10, test_random(0, 4)),
           e = test_random(0, 1);
    double x = test_random(-1, 1) * far, y = test_random(-1, 1) * far,
           v = test_random(-1, 1) * fast;
    double m[2] = {test_random(0.2, 3), test_random(0.2, 3)}, u = test_random(0.5, 2);
    char text[600];
    snprintf(
        text, sizeof text,
        "bodies:\n"
        "  a: {type: planar-point, mass: %.17g, position: [%.17g, %.17g], velocity: [%.17g, 0]}\n"
        "  b: {type: planar-point, mass: %.17g, position: [%.17g, %.17g], velocity: [%.17g, 0]}\n"
        "joints:\n  touch: {type: apart, a: a, b: b, length: 0.2, restitution: %.17g}\n",
        m[0], x, y, v + u, m[1], x + 1, y, v - u, e);
    rig r = rig_open(text, (how){k % 2 ? "integrator rk4" : NULL, NULL, k % 2 ? 0.01 : 0, 0, NULL});
    hn_options *o = &r.options;
    o->max_steps = 2000;
    if (rig_ready(&r) && rig_go(&r, 1.5)) {
      double p = (1 + e) * 2 * u / (1 / m[0] + 1 / m[1]);
      double after[2] = {v + u - p / m[0], v - u + p / m[1]}, grain = 1 + fast + far;
      for (int i = 0; i < 2; i++) {
        double off = fabs(hn_velocities(r.sim)[2 * i] - after[i]);
        worst = fmax(worst, off / grain);
        if (!CHECK(off < 1e-13 * grain + 1e-11)) printf("  number %d: off by %.1e\n", k, off);
      }
    }
    rig_close(&r);
  }
  printf("  balls that meet far away: %.1e of the distance\n", worst);
}

int main(void) {
  RUN(bouncing_ball);
  RUN(beside_a_block);
  RUN(pendulum_on_stop);
  RUN(thrown_from_a_table);
  RUN(orders);
  RUN(simultaneous);
  RUN(four_feet);
  RUN(rope);
  RUN(ratchet);
  RUN(many_teeth);
  RUN(slack);
  RUN(between_stops);
  RUN(several_parts);
  RUN(balls);
  RUN(all_methods);
  RUN(refusals);
  RUN(floor_does_not_pull);
  RUN(table_does_not_pull);
  RUN(far_away);
  return test_end();
}
