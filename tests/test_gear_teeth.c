// test_gear_teeth.c: flanks that push their wheels apart, and friction of teeth, by hand.
#include "friction_rig.h"

static hn_reaction reaction_of(const rig *r, const char *joint) {
  hn_reaction o = {.force = {NAN, NAN, NAN}};
  CHECK(hn_joint_reaction(r->sim, hn_find_joint(r->system, joint), &o) == HN_OK);
  return o;
}

static void check_force(const rig *r, const char *joint, double x, double y, double z) {
  hn_reaction o = reaction_of(r, joint);
  const double expected[3] = {x, y, z};
  for (int i = 0; i < 3; i++)
    if (!CHECK_NEAR(o.force[i], expected[i], 1e-7)) printf("  %s, component %d\n", joint, i);
}

// ---- flanks --------------------------------------------------------------------------------

// Wheel a has 0.02 kg m^2 and a torque on it, b 0.09: b turns 2/3 as fast, whichever way. Teeth
// carry F = I_b (2/3 w') / r_b across the line on which they meet, and F tan(20 deg) apart
static const double apart = 0.36397023426620236;
typedef struct pair_of_wheels {
  const char *b_at, *b_axis, *b_inertia, *a_at, *ratio, *type;
  double r_b, way[3];  // what pushes b, for a unit apart
} pair_of_wheels;

static void flanks(void) {
  double cone = hypot(0.2, 0.3);
  const pair_of_wheels wheels[] = {
      // outside each other; the larger one around the smaller one; shafts at a right angle
      {"[0.5, 0, 0]", "[0, 0, 1]", "0.05, 0.05, 0.09", "[0, 0, 0]", "-2/3", "gear", 0.3, {1, 0, 0}},
      {"[-0.1, 0, 0]", "[0, 0, 1]", "0.05, 0.05, 0.09", "[0, 0, 0]", "2/3", "gear", 0.3, {1, 0, 0}},
      {"[0.2, 0, 0]",
       "[1, 0, 0]",
       "0.09, 0.05, 0.05",
       "[0, 0, 0.3]",
       "-2/3",
       "gear",
       0.3,
       {0.3 / cone, 0, -0.2 / cone}},
      // the smaller one inside the larger one, which is a: b turns 3/2 as fast
      {"[-0.1, 0, 0]", "[0, 0, 1]", "0.05, 0.05, 0.09", "[0, 0, 0]", "3/2", "gear", 0.2, {1, 0, 0}},
  };
  for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++)
    for (int c = 0; c < 6; c++) {
      const pair_of_wheels *w = &wheels[i];
      double ratio = i == 3 ? 1.5 : 2.0 / 3, torque = c < 3 ? 6 : -6;
      double turn = 6 / (0.02 + ratio * ratio * 0.09), F = 0.09 * ratio * turn / w->r_b;
      static const char *const coordinates[] = {"reference", "relative", "natural"};
      char text[1200];
      snprintf(text, sizeof text,
               "bodies:\n"
               "  a: {mass: 1, inertia: [0.01, 0.01, 0.02], position: %s}\n"
               "  b: {mass: 1, inertia: [%s], position: %s}\n"
               "joints:\n"
               "  A: {type: revolute, b: a, at: %s, axis: [0, 0, 1]}\n"
               "  B: {type: revolute, b: b, at: %s, axis: %s}\n"
               "  g: {type: %s, joint_a: A, joint_b: B, ratio: %s, pressure_angle: 20 deg}\n"
               "forces:\n"
               "  m: {type: motor, joint: A, law: %g}\n",
               w->a_at, w->b_inertia, w->b_at, w->a_at, w->b_at, w->b_axis, w->type, w->ratio,
               torque);
      rig r = rig_open(text, (how){.coordinates = coordinates[c % 3]});
      if (rig_ready(&r) && rig_go(&r, 1e-3)) {
        double n[3], y = reaction_of(&r, "g").force[1];
        for (int k = 0; k < 3; k++) n[k] = F * apart * w->way[k];
        CHECK_NEAR(fabs(y), F, 1e-7);
        CHECK((y > 0) == (torque > 0 ? i != 3 : i == 3) || i == 3);
        check_force(&r, "g", n[0], y, n[2]);
        check_force(&r, "A", n[0], y, n[2]);
        check_force(&r, "B", -n[0], -y, -n[2]);
      }
      rig_close(&r);
    }
}

// a rack falls and turns a pinion: the pinion pushes it away, whichever of the two is first
static void rack(void) {
  for (int first = 0; first < 2; first++) {
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  pinion: {mass: 1, inertia: [0.04, 0.1, 0.1]}\n"
             "  rack: {mass: 1, inertia: [0.1, 0.1, 0.04], position: [0, 0.1, 0]}\n"
             "joints:\n"
             "  hinge: {type: revolute, b: pinion, at: [0, 0, 0], axis: [1, 0, 0]}\n"
             "  rail: {type: prismatic, b: rack, at: [0, 0.1, 0], axis: [0, 0, 1]}\n"
             "  mesh: {type: rack-pinion, joint_a: %s, joint_b: %s, radius: 0.1, pressure_angle: "
             "20 deg}\n",
             first ? "hinge" : "rail", first ? "rail" : "hinge");
    rig r = rig_open(text, (how){0});
    double F = 0.8 * 9.81;
    if (rig_ready(&r) && rig_go(&r, 0.1)) {
      check_force(&r, "hinge", 0, F * apart, 9.81 + F);
      check_force(&r, "rail", 0, -F * apart, 0);
    }
    rig_close(&r);
  }
}

// Teeth with play: no force in between, and where a flank meets the same as without play. Wheels of
// radius 0.2 and 0.3 again, 0.01 rad of play: the first goes alone until it strikes
static void with_play(void) {
  static const char text[] =
      "bodies:\n"
      "  a: {mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
      "  b: {mass: 1, inertia: [0.05, 0.05, 0.09], position: [0.5, 0, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, b: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  B: {type: revolute, b: b, at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
      "  drive: {type: gear-flank, joint_a: A, joint_b: B, ratio: -2/3, upper: 0.01, "
      "pressure_angle: 20 deg}\n"
      "  back: {type: gear-flank, joint_a: A, joint_b: B, ratio: -2/3, lower: 0, pressure_angle: "
      "20 "
      "deg}\n"
      "forces:\n"
      "  m: {type: motor, joint: A, law: 6}\n";
  // q_b + 2/3 q_a reaches 0.01, with w = 300 t; then both go on with the momentum of a
  const double meets = sqrt(2 * 0.015 / 300), mass = 0.02 + 4.0 / 9 * 0.09;
  const double after = 0.02 * 300 * meets / mass, F = 0.09 * 2 / 3 * (6 / mass) / 0.3;
  for (int i = 0; i < 2; i++) {
    rig r = rig_open(text, (how){.coordinates = i ? "relative" : "reference", .rtol = 1e-10});
    if (rig_ready(&r) && rig_go(&r, 0.9 * meets)) {
      check_force(&r, "drive", 0, 0, 0);
      check_force(&r, "B", 0, 0, 0);
    }
    if (r.sim && rig_go(&r, meets + 0.01)) {
      double rate, angle = rig_value(&r, "A", &rate);
      hn_impact hit;
      CHECK_NEAR(rate, after + 6 / mass * 0.01, 1e-8);
      CHECK_NEAR(angle, 0.015 + after * 0.01 + 3 / mass * 1e-4, 1e-9);
      if (CHECK(hn_sim_impact(r.sim, 0, &hit))) CHECK_NEAR(hit.time, meets, 1e-10);
      check_force(&r, "drive", F * apart, F, 0);
      check_force(&r, "A", F * apart, F, 0);
      check_force(&r, "B", -F * apart, -F, 0);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// ---- friction ------------------------------------------------------------------------------

// Wheels with radii 0.2 and 0.3 whose teeth touch 4 mm from the pitch point on average: friction
// has the moment k F on either, k = mu 4 mm / cos(20 deg)
static void wheels_rub(void) {
  static const char text[] =
      "bodies:\n"
      "  a: {mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
      "  b: {mass: 1, inertia: [0.05, 0.05, 0.09], position: [0.5, 0, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, b: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  B: {type: revolute, b: b, at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
      "  g: {type: gear, joint_a: A, joint_b: B, ratio: -2/3, pressure_angle: 20 deg}\n"
      "forces:\n"
      "  m: {type: motor, joint: A, law: 6}\n"
      "  rub: {type: friction, joint: g, law: coulomb, coulomb: 0.3, radius: 4 mm}\n";
  const double k = 0.3 * 0.004 / 0.93969262078590838;
  const double turn = 6 / (0.02 + 0.09 * 2 / 3 * (0.2 + k) / (0.3 - k));
  for (int i = 0; i < RUB_WAYS; i++) {
    rig r = rig_open(text, rub_ways[i]);
    if (rig_ready(&r) && rig_go(&r, 0.1)) {
      double rate;
      rig_value(&r, "A", &rate);
      CHECK_NEAR(rate, 0.1 * turn, second_order(&rub_ways[i]) ? 1e-5 : 1e-8);
      CHECK(rig_imbalance(&r) < (second_order(&rub_ways[i]) ? 1e-5 : 1e-9));
    }
    rig_close(&r);
  }
}

// The same with play, which the first wheel crosses in a time of its own. Where a flank strikes,
// with as much friction as while it presses: Ia (w - u) = (0.2 + k) P, Ib 2/3 u = (0.3 - k) P
static void flanks_rub(void) {
  static const char text[] =
      "bodies:\n"
      "  a: {mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
      "  b: {mass: 1, inertia: [0.05, 0.05, 0.09], position: [0.5, 0, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, b: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  B: {type: revolute, b: b, at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
      "  drive: {type: gear-flank, joint_a: A, joint_b: B, ratio: -2/3, upper: 0.01,\n"
      "    pressure_angle: 20 deg}\n"
      "  back: {type: gear-flank, joint_a: A, joint_b: B, ratio: -2/3, lower: 0,\n"
      "    pressure_angle: 20 deg}\n"
      "forces:\n"
      "  m: {type: motor, joint: A, law: 6}\n"
      "  rub: {type: friction, joint: drive, law: coulomb, coulomb: 0.3, radius: 4 mm}\n"
      "  too: {type: friction, joint: back, law: coulomb, coulomb: 0.3, radius: 4 mm}\n";
  const double k = 0.3 * 0.004 / 0.93969262078590838, meets = sqrt(2 * 0.015 / 300);
  const double mass = 0.02 + 0.09 * 2 / 3 * (0.2 + k) / (0.3 - k),
               after = 0.02 * 300 * meets / mass;
  for (int i = 0; i < RUB_WAYS; i++) {
    rig r = rig_open(text, rub_ways[i]);
    if (rig_ready(&r) && rig_go(&r, meets + 0.1)) {
      double rate, tolerance = second_order(&rub_ways[i]) ? 1e-5 : 1e-8;
      rig_value(&r, "A", &rate);
      CHECK_NEAR(rate, after + 0.1 * 6 / mass, tolerance);
      CHECK(hn_sim_impact_count(r.sim) == 1);
      CHECK(rig_imbalance(&r) < (second_order(&rub_ways[i]) ? 1e-5 : 1e-9));
    }
    rig_close(&r);
  }
}

// A worm of radius 20 mm and a wheel of 80 mm, 40 turns for one: the tangent of its lead is 0.1.
// A weight hangs on the wheel
static bool has_play;  // the teeth press by one of two flanks
static void worm_text(char *text, size_t size, double sliding, double sticking, double torque,
                      double rate) {
  char wheel[40] = "";
  // what presses must not strike first
  if (has_play) snprintf(wheel, sizeof wheel, ", rate: %.17g", rate / 40);
  snprintf(text, size,
           "bodies:\n"
           "  worm: {mass: 1, inertia: [0.002, 0.01, 0.01]}\n"
           "  wheel: {mass: 3, inertia: [0.05, 0.05, 0.09], position: [0, 0.1, 0]}\n"
           "joints:\n"
           "  A: {type: revolute, b: worm, at: [0, 0, 0], axis: [1, 0, 0], rate: %.17g}\n"
           "  B: {type: revolute, b: wheel, at: [0, 0.1, 0], axis: [0, 0, 1]%s}\n"
           "  g: {type: %s, joint_a: A, joint_b: B, ratio: 1/40%s}\n"
           "forces:\n"
           "  m: {type: motor, joint: A, law: %.17g}\n"
           "  load: {type: motor, joint: B, law: -20}\n"
           "  rub: {type: friction, joint: g, law: coulomb, coulomb: %.17g, static: %.17g, "
           "radius_a: 20 mm, radius: 80 mm}\n",
           rate, wheel, has_play ? "gear-flank" : "gear",
           has_play ? ", lower: 0}\n  h: {type: gear-flank, joint_a: A, joint_b: B, ratio: 1/40, "
                      "upper: 0.01"
                    : "",
           torque, sliding, fmax(sliding, sticking));
}

// angular acceleration of the worm that turns with (way 1) or against (-1) the torque on it, by
// the forces on a thread: N across it, mu N along it
static double worm_accelerates(double torque, double mu, int way) {
  const double r = 0.02, R = 0.08, lead = atan(0.1), load = 20, Ia = 0.002, Ib = 0.09, i = 1.0 / 40;
  double on_worm = r * (sin(lead) + way * mu * cos(lead)),
         on_wheel = R * (cos(lead) - way * mu * sin(lead));
  // Ia x = torque - on_worm N, Ib i x = on_wheel N - load
  return (torque - on_worm / on_wheel * load) / (Ia + on_worm / on_wheel * Ib * i);
}

static void worm(void) {
  // lifted, let down by friction that is too small, and let down with the motor's help
  static const struct {
    double mu, torque;
    int way;
  } cases[] = {{0.05, 1, 1}, {0.05, 0, -1}, {0.12, -0.5, -1}, {0.3, 3, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int i = 0; i < RUB_WAYS; i++) {
      char text[1000];
      double x = worm_accelerates(cases[k].torque, cases[k].mu, cases[k].way);
      CHECK((x > 0) == (cases[k].way > 0));
      worm_text(text, sizeof text, cases[k].mu, 0, cases[k].torque, 0);
      rig r = rig_open(text, rub_ways[i]);
      if (rig_ready(&r) && rig_go(&r, 0.2)) {
        double rate;
        rig_value(&r, "A", &rate);
        if (!CHECK_NEAR(rate, 0.2 * x, (second_order(&rub_ways[i]) ? 1e-5 : 1e-8) * fabs(x)))
          printf("  case %zu, %s\n", k, rub_ways[i].method ? rub_ways[i].method : "default");
        CHECK(rig_imbalance(&r) < (second_order(&rub_ways[i]) ? 1e-5 : 1e-9));
      }
      rig_close(&r);
    }
}

// with a coefficient above the tangent of its lead it does not go back, for an hour; and a worm
// that turns comes to rest and stays
static void worm_locks(void) {
  char text[1000];
  double worst = 0, stop = 10 / -worm_accelerates(0, 0.12, 1), way = 5 * stop;
  for (int i = 0; i < RUB_WAYS; i++) {
    how w = rub_ways[i];
    if (w.step > 0) w.step = 0.5;
    worm_text(text, sizeof text, 0.09, 0.1 * (1 + 1e-6), 0, 0);
    rig r = rig_open(text, w);
    if (rig_ready(&r) && rig_go(&r, 3600)) worst = fmax(worst, fabs(rig_value(&r, "A", NULL)));
    rig_close(&r);
    worm_text(text, sizeof text, 0.12, 0, 0, 10);
    r = rig_open(text, rub_ways[i]);
    if (rig_ready(&r) && rig_go(&r, stop + 1)) {
      double rate, angle = rig_value(&r, "A", &rate);
      CHECK_NEAR(angle, way, second_order(&rub_ways[i]) ? 1e-5 : 1e-9);
      CHECK_NEAR(rate, 0, 1e-12);
      CHECK(rig_imbalance(&r) < (second_order(&rub_ways[i]) ? 1e-5 : 1e-9));
    }
    rig_close(&r);
  }
  printf("  drift of a worm in an hour, %d methods: %.1e rad\n", RUB_WAYS, worst);
  CHECK(worst <= 1e-12);
  // a millionth below it the weight goes down
  worm_text(text, sizeof text, 0.09, 0.1 * (1 - 1e-6), 0, 0);
  rig r = rig_open(text, rub_ways[0]);
  if (rig_ready(&r) && rig_go(&r, 1)) CHECK(rig_value(&r, "A", NULL) < -1);
  rig_close(&r);
}

// ---- what is refused -----------------------------------------------------------------------

static void refuse(const char *joint, const char *force, const char *says) {
  char text[1200];
  snprintf(text, sizeof text,
           "bodies:\n"
           "  a: {mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
           "  b: {mass: 1, inertia: [0.05, 0.05, 0.09], position: [0.5, 0, 0]}\n"
           "  c: {mass: 1, inertia: [0.05, 0.05, 0.09], position: [0.5, 1, 0]}\n"
           "joints:\n"
           "  A: {type: revolute, b: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
           "  B: {type: revolute, b: b, at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
           "  C: {type: revolute, b: c, at: [0.5, 1, 0.2], axis: [1, 0, 0]}\n"
           "  g: {%s}\n%s%s",
           joint, force[0] ? "forces:\n  rub: {type: friction, joint: g, law: coulomb, " : "",
           force);
  rig r = rig_open(text, (how){0});
  if (!CHECK(r.status != HN_OK && strstr(r.message, says))) printf("  %s\n", r.message);
  rig_close(&r);
}

static void refused(void) {
  static const char spur[] = "type: gear, joint_a: A, joint_b: B, ratio: -2/3";
  static const char skew[] = "type: gear, joint_a: A, joint_b: C, ratio: -2/3";
  refuse("type: gear, joint_a: A, joint_b: B, ratio: -2/3, pressure_angle: 50 deg", "", "45 deg");
  refuse("type: gear, joint_a: A, joint_b: C, ratio: -2/3, pressure_angle: 20 deg", "",
         "no wheels whose pitch surfaces touch");
  refuse(spur, "coulomb: 0.1}\n", "needs the radius at which teeth of 'g' rub");
  refuse(spur, "coulomb: 0.1, radius: 0.1, radius_a: 0.1}\n", "radius_a is that of a worm");
  refuse(skew, "coulomb: 0.1}\n", "needs radius_a and radius");
  refuse(skew, "coulomb: 0.1, radius: 0.1}\n", "needs radius_a, that of the worm");
}

int main(void) {
  RUN(flanks);
  RUN(rack);
  RUN(with_play);
  RUN(wheels_rub);
  RUN(flanks_rub);
  for (int play = 0; play < 2; play++) {
    has_play = play;
    RUN(worm);
    RUN(worm_locks);
  }
  RUN(refused);
  return test_end();
}
