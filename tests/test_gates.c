// test_gates.c: joints that come and go: clutches, latches, welds that break, against closed forms.
#include "contact_rig.h"

#include <stdlib.h>

static const how ways[] = {{.coordinates = "reference"},
                           {.coordinates = "relative"},
                           {"integrator dopri5", "reference", 0, 1e-11, NULL},
                           {"integrator rk4", "relative", 2e-3, 0, NULL},
                           {"integrator rk4", "reference", 2e-3, 0, NULL},
                           {"integrator index3-alpha", "reference", 5e-4, 0, NULL},
                           {"integrator index2-alpha", "reference", 5e-4, 0, NULL},
                           {"integrator index1-alpha", "reference", 5e-4, 0, NULL},
                           {"baumgarte", "reference", 2e-3, 0, NULL}};
enum { WAYS = sizeof ways / sizeof *ways };

// methods of order 2 with the steps above
static double good_to(const how *w, double second, double other) {
  return w->method && strstr(w->method, "alpha") ? second : other;
}

static how sharp(how w) {
  if (w.rtol == 0 && w.step == 0) w.rtol = 1e-11;
  return w;
}

static bool changed(rig *r, int i, const char *joint, const char *how_it_did, double time,
                    double tol, hn_change *c) {
  bool there = CHECK(hn_sim_change(r->sim, i, c));
  if (!there) return false;
  return CHECK(strcmp(c->joint, joint) == 0) && CHECK(strcmp(c->how, how_it_did) == 0) &&
         CHECK_NEAR(c->time, time, tol);
}

// ---- clutch --------------------------------------------------------------------------------

// two flywheels; a torque M acts on the second. Where the clutch comes their momentum is common,
// and J1 J2 (w1 - ratio w2)^2 / 2 (J1 + J2) is lost
static void clutch(void) {
  static const char text[] =
      "gravity: [0, 0]\n"
      "bodies:\n"
      "  a: {type: planar, mass: 1, inertia: 2}\n"
      "  b: {type: planar, mass: 1, inertia: 3, position: [1, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, b: a, at: [0, 0], rate: 10}\n"
      "  B: {type: revolute, b: b, at: [1, 0], rate: -1}\n"
      "  clutch: {type: gear, joint_a: A, joint_b: B, ratio: 1, active: (t > 1)*(t < 2)}\n"
      "forces:\n"
      "  M: {type: torque, b: b, torque: 0.5}\n";
  const double J1 = 2, J2 = 3, M = 0.5, w2 = -1 + M / J2, w = (J1 * 10 + J2 * w2) / (J1 + J2);
  const double lost = 0.5 * J1 * J2 / (J1 + J2) * (10 - w2) * (10 - w2), end = w + M / (J1 + J2);
  for (int i = 0; i < WAYS; i++) {
    rig r = rig_open(text, sharp(ways[i]));
    if (rig_ready(&r) && rig_go(&r, 3)) {
      double rate[2], x[2] = {rig_value(&r, "A", &rate[0]), rig_value(&r, "B", &rate[1])};
      hn_change c;
      CHECK_NEAR(rate[0], end, 1e-9);
      CHECK_NEAR(rate[1], end + M / J2, 1e-9);
      CHECK_NEAR(x[0], 10 + w + 0.5 * M / (J1 + J2) + end, 1e-9);
      CHECK_NEAR(x[1], -1 + 0.5 * M / J2 + w + 0.5 * M / (J1 + J2) + end + 0.5 * M / J2, 1e-9);
      CHECK(hn_sim_change_count(r.sim) == 2);
      if (changed(&r, 0, "clutch", "comes", 1, 1e-9, &c)) {
        CHECK_NEAR(c.work, -lost, 1e-9 * lost);
        CHECK(c.freedom == 1 && c.redundant == 0);
      }
      if (changed(&r, 1, "clutch", "goes", 2, 1e-9, &c)) CHECK(c.freedom == 2 && c.work == 0);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// ---- latch ---------------------------------------------------------------------------------

// a rod falls from the horizontal, is caught at -1, released at rest after a while, and swings on
static const char bar[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: planar, mass: 1.5, inertia: 0.125, com: [0.5, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: rod, at: [0, 0]}\n"
    "  latch: {type: lock, joint_a: hinge, catches: hinge.angle < -1, releases: t > 1}\n";
static const double inertia = 0.125 + 1.5 * 0.25, moment = 1.5 * 9.81 * 0.5;

// time to fall from `from` at rest to `to`, below the horizontal: t = int dx / w, x = from + s^2
static double fall(double from, double to) {
  enum { N = 20000 };
  double end = sqrt(to - from), sum = 0;
  for (int i = 0; i < N; i++) {
    double s = end * (i + 0.5) / N, x = from + s * s;
    sum += 2 * s / sqrt(2 * moment / inertia * (sin(x) - sin(from)));
  }
  return sum * end / N;
}

static void latch(void) {
  double caught = fall(0, 1), worst = 0, ledger = 0;
  for (int i = 0; i < WAYS; i++) {
    rig r = rig_open(bar, sharp(ways[i]));
    double tol = good_to(&ways[i], 1e-5, 1e-8);
    if (rig_ready(&r) && rig_go(&r, 0.9)) {
      double rate, x = rig_value(&r, "hinge", &rate);
      hn_change c;
      CHECK_NEAR(x, -1, 1e-9);
      CHECK_NEAR(rate, 0, 1e-13);
      if (changed(&r, 0, "latch", "comes", caught, tol, &c)) {
        CHECK_NEAR(c.work, -moment * sin(1), 10 * tol);
        CHECK(c.freedom == 0);
        worst = fmax(worst, fabs(c.time - caught));
      }
      // it bears the weight
      hn_reaction load;
      CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, "latch"), &load) == HN_OK);
      CHECK_NEAR(fabs(load.torque[2]), moment * cos(1), 3e-8);
    }
    if (r.sim && rig_go(&r, 1 + fall(1, 1.5))) {
      hn_change c;
      changed(&r, 1, "latch", "goes", 1, 1e-9, &c);
      CHECK(c.freedom == 1);
      CHECK_NEAR(rig_value(&r, "hinge", NULL), -1.5, 2 * tol);
      ledger = fmax(ledger, rig_imbalance(&r) / good_to(&ways[i], 1e4, 1));
    }
    rig_close(&r);
  }
  printf("  caught to %.1e s, energy %.1e\n", worst, ledger);
  CHECK(ledger < 1e-9);
}

static void orders(void) {
  static const struct {
    const char *method;
    double least, step;
  } cases[] = {{"integrator heun", 1.9, 8e-3},
               {"integrator rk4", 3.8, 4e-2},
               {"integrator index3-alpha", 1.9, 8e-3},
               {"integrator index2-alpha", 1.9, 8e-3},
               {"integrator index1-alpha", 1.9, 8e-3}};
  double exact = rig_end_of(bar, "hinge", NULL, 0, 1e-13, 1.6), e[3];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK(rig_order(bar, "hinge", cases[i].method, cases[i].step, 1.6, exact, e) > cases[i].least);
}

// ---- welds that break ----------------------------------------------------------------------

// a body on another one, pulled by c t: the weld bears m2/(m1 + m2) of it, in the plane and in
// space, and as one of two that share it
static void weld(void) {
  static const char *const kinds[] = {"type: planar, mass: %g, inertia: 2",
                                      "mass: %g, inertia: [2, 2, 2]"};
  const double m1 = 2, m2 = 3, c = 4, strength = 5, t0 = strength * (m1 + m2) / m2 / c;
  for (int space = 0; space < 2; space++)
    for (int i = 0; i < WAYS; i++) {
      char text[1000], body[2][100];
      snprintf(body[0], sizeof body[0], kinds[space], m1);
      snprintf(body[1], sizeof body[1], kinds[space], m2);
      snprintf(text, sizeof text,
               "gravity: [0, 0, 0]\n"
               "bodies:\n  a: {%s}\n  b: {%s, position: [1, 0, 0]}\n"
               "joints:\n  w: {type: fixed, a: a, b: b, at: [0.5, 0, 0], breaks: %g}\n"
               "forces:\n  pull: {type: force, b: a, at: [0, 0, 0], force: [%g*t, 0, 0]}\n",
               body[0], body[1], strength, c);
      rig r = rig_open(text, sharp(ways[i]));
      double tol = good_to(&ways[i], 1e-6, 1e-9);
      if (rig_ready(&r) && rig_go(&r, t0 + 1)) {
        hn_change change;
        const double *q = hn_positions(r.sim);
        double v = 0.5 * c * t0 * t0 / (m1 + m2), x = c * t0 * t0 * t0 / 6 / (m1 + m2);
        CHECK_NEAR(q[space ? 7 : 3], 1 + x + v, tol);
        CHECK_NEAR(q[0], x + v + (0.5 * c * t0 + c / 6) / m1, tol);
        if (changed(&r, 0, "w", "breaks", t0, tol, &change))
          CHECK(change.freedom == (space ? 12 : 6) && change.work == 0);
        CHECK(hn_sim_change_count(r.sim) == 1);
        CHECK(rig_imbalance(&r) < good_to(&ways[i], 1e-6, 1e-9));
      }
      rig_close(&r);
    }
}

// where one breaks the other bears all of it, and breaks at once or later
static void welds_in_a_row(void) {
  static const char format[] = "gravity: [0, 0]\n"
                               "bodies:\n  a: {type: planar, mass: 2, inertia: 1}\n"
                               "joints:\n"
                               "  one: {type: fixed, b: a, at: [0, 0], breaks: 5}\n"
                               "  two: {type: fixed, b: a, at: [0, 0], breaks: %g}\n"
                               "forces:\n  pull: {type: force, b: a, at: [0, 0], force: [t, 0]}\n";
  static const double strength[] = {8, 14}, second[] = {10, 14};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text, format, strength[i]);
    rig r = rig_open(text, (how){.coordinates = "reference"});
    hn_change c;
    if (rig_ready(&r) && rig_go(&r, 16)) {
      // they share alike: 5 each
      if (changed(&r, 0, "one", "breaks", 10, 1e-8, &c)) CHECK(c.freedom == 0);
      if (changed(&r, 1, "two", "breaks", second[i], 1e-8, &c)) CHECK(c.freedom == 3);
      double d = 16 - second[i];
      CHECK_NEAR(hn_positions(r.sim)[0], (second[i] * d * d / 2 + d * d * d / 6) / 2, 1e-7);
    }
    rig_close(&r);
  }
}

// ---- redundant ones ------------------------------------------------------------------------

// a second hinge on the same axis changes nothing
static void second_hinge(void) {
  static const char format[] =
      "gravity: [9.81, 0, 0]\n"
      "bodies:\n  door: {mass: 2, inertia: [1, 1, 1], position: [0.3, 0.5, 0]}\n"
      "joints:\n"
      "  low: {type: revolute, b: door, at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "%s"
      "forces:\n  wind: {type: torque, b: door, torque: [0, 0, 0.3]}\n";
  double x[2] = {NAN, NAN};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text, format,
             i ? "  high: {type: revolute, b: door, at: [0, 0, 1], axis: [0, 0, 1], active: t > "
                 "0.5}\n"
               : "");
    rig r = rig_open(text, (how){NULL, "reference", 0, 1e-11, NULL});
    if (rig_ready(&r) && rig_go(&r, 1.5)) {
      x[i] = rig_value(&r, "low", NULL);
      hn_change c;
      if (i && changed(&r, 0, "high", "comes", 0.5, 1e-9, &c))
        CHECK(c.freedom == 1 && c.redundant == 5 && fabs(c.work) < 1e-12);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
  CHECK_NEAR(x[1], x[0], 1e-9);
}

// ---- impulses of a random family -----------------------------------------------------------

enum { LINKS = 4 };
typedef struct chain {
  double mass[LINKS], inertia[LINKS], rate[LINKS];
} chain;

static void chain_text(const chain *c, int locked, double when, char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "gravity: [0, -9.81]\nbodies:\n");
  for (int i = 0; i < LINKS; i++)
    n += (size_t)snprintf(text + n, size - n,
                          "  b%d: {type: planar, mass: %.17g, inertia: %.17g, position: [%g, 0]}\n",
                          i, c->mass[i], c->inertia[i], i + 0.5);
  n += (size_t)snprintf(text + n, size - n, "joints:\n");
  for (int i = 0; i < LINKS; i++) {
    char carrier[8] = "ground";
    if (i) snprintf(carrier, sizeof carrier, "b%d", i - 1);
    n += (size_t)snprintf(text + n, size - n,
                          "  j%d: {type: revolute, a: %s, b: b%d, at: [%d, 0], rate: %.17g}\n", i,
                          carrier, i, i, c->rate[i]);
  }
  snprintf(text + n, size - n, "  lock: {type: lock, joint_a: j%d, active: t > %.17g}\n", locked,
           when);
}

static double kinetic(const chain *c, const double *v) {
  double T = 0;
  for (int i = 0; i < LINKS; i++)
    T += 0.5 * c->mass[i] * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1]) +
         0.5 * c->inertia[i] * v[3 * i + 2] * v[3 * i + 2];
  return T;
}

// Carnot: what is lost is the energy of the velocities lost, and no more
static void carnot(void) {
  double worst = 0;
  for (int seed = 0; seed < 20; seed++) {
    chain c;
    char text[2000];
    double when = test_random(0.05, 0.4), before[3 * LINKS], lost[3 * LINKS];
    int locked = seed % LINKS;
    for (int i = 0; i < LINKS; i++) {
      c.mass[i] = test_random(0.5, 3);
      c.inertia[i] = test_random(0.05, 0.3);
      c.rate[i] = test_random(-4, 4);
    }
    chain_text(&c, locked, when, text, sizeof text);
    char name[8];
    snprintf(name, sizeof name, "j%d", locked);
    rig r = rig_open(text, (how){NULL, "reference", 0, 1e-11, NULL});
    if (rig_ready(&r) && rig_go(&r, when - 1e-9)) {
      double rate;
      memcpy(before, hn_velocities(r.sim), sizeof before);
      double T = kinetic(&c, before);
      if (rig_go(&r, when + 1e-9)) {
        const double *v = hn_velocities(r.sim);
        for (int i = 0; i < 3 * LINKS; i++) lost[i] = before[i] - v[i];
        // 2e-9 s of gravity are in it, too
        CHECK_NEAR(T - kinetic(&c, v), kinetic(&c, lost), 1e-5);
        worst = fmax(worst, fabs(T - kinetic(&c, v) - kinetic(&c, lost)));
        rig_value(&r, name, &rate);
        CHECK_NEAR(rate, 0, 1e-10);
      }
      double at = rig_value(&r, name, NULL);
      if (rig_go(&r, when + 0.5)) {
        CHECK_NEAR(rig_value(&r, name, NULL), at, 1e-9);
        if (!CHECK(rig_imbalance(&r) < 1e-9)) printf("  seed %d\n", seed);
      }
    }
    rig_close(&r);
  }
  printf("  energy of what is lost: %.1e J\n", worst);
}

// ---- signals from outside ------------------------------------------------------------------

// an input of the program switches a lock; a run that was kept goes on as it was
static void by_input(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "signals:\n  pedal: {input: 0}\n"
      "bodies:\n  rod: {type: planar, mass: 1.5, inertia: 0.125, com: [0.5, 0]}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: rod, at: [0, 0]}\n"
      "  brake: {type: lock, joint_a: hinge, active: pedal > 0.5}\n";
  rig r = rig_open(text, (how){.coordinates = "reference"});
  if (rig_ready(&r) && rig_go(&r, 0.3)) {
    double rate;
    CHECK(hn_input_set(r.sim, 0, 1) == HN_OK);
    double x = rig_value(&r, "hinge", NULL);
    if (rig_go(&r, 0.6)) {
      CHECK_NEAR(rig_value(&r, "hinge", &rate), x, 1e-12);
      CHECK_NEAR(rate, 0, 1e-14);
    }
    CHECK(hn_input_set(r.sim, 0, 0) == HN_OK);
    if (rig_go(&r, 0.6 + 1e-3)) {
      rig_value(&r, "hinge", &rate);
      CHECK_NEAR(rate, -moment * cos(x) / inertia * 1e-3, 1e-6);
    }
    CHECK(hn_sim_change_count(r.sim) == 2);
  }
  rig_close(&r);
}

// ---- beside stops and frictions ------------------------------------------------------------

// a box on two rough feet is held on a slope by a rod; when that goes it slides
static void let_go(void) {
  const double a = 0.6, mu = 0.4, down = 9.81 * (sin(a) - mu * cos(a));
  char text[1500];
  snprintf(text, sizeof text,
           "gravity: [%.17g, %.17g]\n"
           "bodies:\n  box: {type: planar, mass: 3, inertia: 0.2, position: [0, 0.1]}\n"
           "joints:\n"
           "  left: {type: stop, b: box, at: [0, 0], at_b: [-0.3, 0], axis: [0, 1, 0]}\n"
           "  right: {type: stop, b: box, at: [0, 0], at_b: [0.4, 0], axis: [0, 1, 0]}\n"
           "  rod: {type: distance, b: box, at: [-1, 0.1], at_b: [0, 0.1], active: t < 1}\n"
           "forces:\n"
           "  l: {type: friction, joint: left, law: coulomb, coulomb: %g}\n"
           "  r: {type: friction, joint: right, law: coulomb, coulomb: %g}\n",
           9.81 * sin(a), -9.81 * cos(a), mu, mu);
  for (int i = 0; i < WAYS; i++) {
    rig r = rig_open(text, sharp(ways[i]));
    if (rig_ready(&r) && rig_go(&r, 1)) CHECK_NEAR(hn_positions(r.sim)[0], 0, 1e-12);
    if (r.sim && rig_go(&r, 1.5)) {
      CHECK_NEAR(hn_positions(r.sim)[0], 0.125 * down, 1e-9);
      CHECK_NEAR(hn_positions(r.sim)[2], 0, 1e-12);
      CHECK(rig_imbalance(&r) < 1e-9);
    }
    rig_close(&r);
  }
}

// a copy goes on as the run it was made of
static void copied(void) {
  rig r = rig_open(bar, (how){.coordinates = "reference"});
  hn_sim *copy = NULL;
  char message[200];
  if (rig_ready(&r) && rig_go(&r, 0.8) &&
      CHECK(hn_sim_copy(&copy, r.sim, message, sizeof message) == HN_OK)) {
    CHECK(hn_advance(copy, 1.4) == HN_OK);
    if (rig_go(&r, 1.4)) {
      CHECK(memcmp(hn_positions(copy), hn_positions(r.sim), 3 * sizeof(double)) == 0);
      CHECK(hn_sim_change_count(copy) == 2);
    }
  }
  hn_sim_destroy(copy);
  rig_close(&r);
}

// ---- methods -------------------------------------------------------------------------------

// every method runs the latch, or says that it cannot
static void all_methods(void) {
  static const char *const families[] = {"reference", "relative"};
  const hn_method_info *info;
  int right = 0, refused = 0;
  double caught = fall(0, 1);
  for (int i = 0; (info = hn_method_at(i)); i++)
    for (int f = 0; f < 2; f++) {
      rig r = rig_open(bar, (how){info->name, families[f], 1e-3, 1e-8, NULL});
      if (r.status) {
        bool said = strstr(r.message, "stop") || strstr(r.message, "relative coordinates") ||
                    strstr(r.message, "a joint that is switched");
        if (!CHECK(said)) printf("  %s: %s\n", info->name, r.message);
        refused++;
      } else if (rig_go(&r, 0.8)) {
        hn_change c;
        bool good = changed(&r, 0, "latch", "comes", caught, 2e-3, &c);
        good &= CHECK_NEAR(rig_value(&r, "hinge", NULL), -1, 1e-5);
        if (!good) printf("  %s %s\n", info->name, families[f]);
        right++;
      }
      rig_close(&r);
    }
  printf("  %d right, %d refused\n", right, refused);
  CHECK(right > 20);
}

// ---- what cannot be right ------------------------------------------------------------------

static void refuse(const char *joint, double until, const char *words) {
  char text[1000];
  snprintf(text, sizeof text,
           "gravity: [0, -9.81]\n"
           "bodies:\n  rod: {type: planar, mass: 1, inertia: 1}\n"
           "  far: {type: planar, mass: 1, inertia: 1, position: [3, 0]}\n"
           "joints:\n  hinge: {type: revolute, b: rod, at: [-0.5, 0]}\n%s",
           joint);
  rig r = rig_open(text, (how){0});
  hn_status status = r.status;
  if (!status) status = hn_advance(r.sim, until);
  const char *says = r.status ? r.message : hn_sim_error(r.sim);
  if (!CHECK(status && strstr(says, words))) printf("  wanted: %s\n  got: %s\n", words, says);
  rig_close(&r);
}

static void refusals(void) {
  refuse("  x: {type: lock, joint_a: hinge, active: t > 1, catches: t > 1}\n", 1, "give one of");
  refuse("  x: {type: lock, joint_a: hinge, releases: t > 1}\n", 1, "catches nothing");
  refuse("  x: {type: limit, joint_a: hinge, lower: -9, active: t > 1}\n", 1, "by itself");
  refuse("  x: {type: lock, joint_a: hinge, breaks: -1}\n", 1, "breaks must");
  refuse("  x: {type: lock, joint_a: hinge, active: hinge.angel > 1}\n", 1, "hinge.angel");
  refuse("  x: {type: fixed, a: rod, b: far, at: [1, 0], active: t > 0.1}\n", 1,
         "joint 'x' comes while 'x.");
  refuse("  d: {type: driver, joint_a: hinge, motion: t}\n"
         "  x: {type: lock, joint_a: hinge, active: t > 0.1}\n",
         1, "comes while other joints, or drivers, hold its rate");
  refuse("  x: {type: lock, joint_a: hinge, active: t > 0.1}\n"
         "simulation: {coordinates: natural}\n",
         1, "natural coordinates cannot deal with");
}

// a plate on three cranks, one of them geared to a wheel by a clutch if there is one: inertia is
// the same all around, and so is the speed, also where the rows of the redundant ones that were
// left out are needed. From several angles, for these places to lie anywhere in a step
static void plate_on_cranks(double phi, const char *clutch, double w0, double w, how by) {
  char text[2000];
  double x = 0.5 * cos(phi), y = 0.5 * sin(phi);
  static const double feet[3][2] = {{0, 0}, {1, 0}, {0.3, 0.9}};
  int n = snprintf(text, sizeof text,
                   "simulation: {duration: 3, output_step: 0.1}\n"
                   "bodies:\n"
                   "  wheel: {type: planar, mass: 1, inertia: 0.2, position: [3, 0]}\n"
                   "  plate: {type: planar, mass: 2, inertia: 0.3, position: [%.15g, %.15g]}\n",
                   0.4 + x, 0.3 + y);
  for (int i = 0; i < 3; i++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  c%d: {type: planar, mass: 1, inertia: 0.1, position: [%.15g, %.15g]}\n", i,
                  feet[i][0] + x / 2, feet[i][1] + y / 2);
  n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
  for (int i = 0; i < 3; i++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  O%d: {type: revolute, b: c%d, at: [%g, %g], rate: %g}\n"
                  "  A%d: {type: revolute, a: c%d, b: plate, at: [%.15g, %.15g]}\n",
                  i, i, feet[i][0], feet[i][1], w0, i, i, feet[i][0] + x, feet[i][1] + y);
  snprintf(text + n, sizeof text - (size_t)n, "  axle: {type: revolute, b: wheel, at: [3, 0]}\n%s",
           clutch);
  rig r = rig_open(text, by);
  hn_result *rows = NULL;
  hn_summary s;
  double rate;
  if (rig_ready(&r) && CHECK(hn_run(r.sim, &rows, NULL, NULL) == HN_OK)) {
    hn_sim_summary(r.sim, &s);
    if (!CHECK(s.audit_pass)) printf("  phi %g, %s\n", phi, by.method ? by.method : "default");
    CHECK_NEAR(rig_value(&r, "O0", &rate), 0.01 * w0 + 2.99 * w, 2e-5);
    CHECK_NEAR(rate, w, 2e-5);
  }
  hn_result_destroy(rows);
  rig_close(&r);
}

static void redundant(void) {
  static const char clutch[] =
      "  clutch: {type: gear, joint_a: O0, joint_b: axle, ratio: 2, active: t > 0.01}\n"
      "  more: {type: revolute, a: c2, b: plate, active: (t > 0.1)*(t < 1.6), at: [";
  static const int with[] = {2, 8, 9}, without[] = {8, 16, 17, 23, 26, 39, 49, 59};
  const double J = 3 * (0.1 + 0.25 * 0.25) + 2 * 0.25, w = 3.2 * J / (J + 4 * 0.2);
  const how by[] = {{"index2-alpha", "reference", 0, 1e-5, NULL},
                    {"index3-alpha", "reference", 0, 1e-5, NULL},
                    {.coordinates = "reference"}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      double phi = 0.1 + 0.52 * with[k];
      char joints[400];
      snprintf(joints, sizeof joints, "%s%.15g, %.15g]}\n", clutch, 0.3 + 0.5 * cos(phi),
               0.9 + 0.5 * sin(phi));
      plate_on_cranks(phi, joints, 3.2, w, by[i]);
    }
  for (int k = 0; k < 8; k++)
    plate_on_cranks(0.03 + 0.105 * without[k], "", 3.2, 3.2, (how){.coordinates = "reference"});
}

// rows far apart after a bolt broke and a latch caught: their check remembers both
static void remembered(void) {
  static const char text[] =
      "simulation: {duration: 2, output_step: 0.1, rtol: 1e-5}\n"
      "bodies:\n"
      "  rod: {type: planar, mass: 1, inertia: 0.1}\n"
      "  wheel: {type: planar, mass: 1, inertia: 0.3, position: [1, 0]}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: rod, at: [0, 0]}\n"
      "  axle: {type: revolute, b: wheel, at: [1, 0], rate: 9}\n"
      "  bolt: {type: lock, joint_a: hinge, breaks_torque: 2}\n"
      "  pawl: {type: lock, joint_a: axle, catches: (t > 0.2)*(t < 0.3)}\n"
      "forces:\n"
      "  push: {type: motor, joint: hinge, law: 20*t}\n"
      "  wind: {type: torsion-spring, joint: hinge, coefficients: [0, 0, 40], free: 0}\n";
  rig r = rig_open(text, (how){"index2-alpha", "reference", 0, 0, NULL});
  hn_result *rows = NULL;
  hn_summary s;
  if (rig_ready(&r) && CHECK(hn_run(r.sim, &rows, NULL, NULL) == HN_OK)) {
    hn_sim_summary(r.sim, &s);
    for (int i = 0; i < s.audit_count; i++)
      if (strcmp(s.audit[i].name, "rows against their own rates") == 0)
        CHECK(s.audit[i].worst > 0);  // they are so far apart that there was a check
    CHECK(s.audit_pass);
  }
  hn_result_destroy(rows);
  rig_close(&r);
}

// nothing moves until a bolt breaks: one step goes there, and the rows in it lie before that
static void rows_before_it_breaks(void) {
  static const char text[] =
      "simulation: {duration: 1, output_step: 0.08}\n"
      "bodies:\n"
      "  rod: {type: planar, mass: 1, inertia: 0.02}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: rod, at: [0, 0]}\n"
      "  bolt: {type: lock, joint_a: hinge, breaks_torque: 2}\n"
      "forces:\n"
      "  push: {type: motor, joint: hinge, law: 8*t}\n"
      "  wind: {type: torsion-spring, joint: hinge, stiffness: 3, free: 0}\n";
  rig r = rig_open(text, (how){"index2-alpha", "reference", 0, 1e-5, NULL});
  hn_result *rows = NULL;
  hn_summary s;
  if (rig_ready(&r) && CHECK(hn_run(r.sim, &rows, NULL, NULL) == HN_OK)) {
    hn_sim_summary(r.sim, &s);
    CHECK(s.audit_pass);
  }
  hn_result_destroy(rows);
  rig_close(&r);
}

int main(void) {
  RUN(redundant);
  RUN(remembered);
  RUN(rows_before_it_breaks);
  RUN(clutch);
  RUN(latch);
  RUN(orders);
  RUN(weld);
  RUN(welds_in_a_row);
  RUN(second_hinge);
  RUN(carnot);
  RUN(by_input);
  RUN(let_go);
  RUN(copied);
  RUN(all_methods);
  RUN(refusals);
  return test_end();
}
