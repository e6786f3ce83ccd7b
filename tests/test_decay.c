// test_decay.c: energy-decaying and energy-momentum-index2.
//
// energy-decaying exists for what no scheme of one stage has: the energy falls in every step, and a
// vibration that is far too fast for the step vanishes. energy-momentum-index2 keeps the energy,
// and meets the rows by positions and velocities.
#include "order_rig.h"

static double energy_of(hn_sim *sim) {
  hn_energy e;
  CHECK(hn_sim_energy(sim, &e) == HN_OK);
  return e.kinetic + e.potential;
}

static hn_sim *begin(rig *r, const char *text, const char *method, double step) {
  bool bodies = strncmp(method, "index", 5) == 0;
  rig_case c = {strncmp(text, "models/", 7) == 0 ? text + 7 : "Text",
                strncmp(text, "models/", 7) == 0 ? NULL : text};
  return rig_load(r, &c, bodies ? "reference" : "natural")
             ? rig_start(r, "lagrange", "none", method, step)
             : NULL;
}

static const char oscillator[] =
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  m: {type: planar-point, mass: 2, position: [1, 0]}\n"
    "joints:\n"
    "  rail: {type: point-on-line, a: ground, b: m, at: [1, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  s: {type: spring, joint: rail, stiffness: 2, free: -0.1}\n";

// one step on u'' + u = 0 takes the amplitude times |R(i w)|, w = h, R(z) = (1 + z/3) / (1 - 2z/3 +
// z^2/6): the scheme's own polynomials. Less dissipation leaves (1 - a) / (1 + a) of what is fast
static void test_amplification(void) {
  rig r;
  for (double w = 0.1; w < 2e5; w *= 10) {
    hn_sim *sim = begin(&r, oscillator, "energy-decaying", w);
    if (!sim) return;
    double before = energy_of(sim), re = 1 - w * w / 6, im = 2 * w / 3;
    CHECK(hn_step(sim) == HN_OK);
    double factor = (1 + w * w / 9) / (re * re + im * im);
    CHECK_REL(energy_of(sim) / before, factor, 0, 1e-9 + 1e-15 * w * w);
    if (fabs(w - 10) < 1) CHECK_NEAR(sqrt(factor), 0.2044, 1e-4);
    hn_sim_destroy(sim);
    rig_free(&r);
  }
  for (double a = 0.1; a < 1; a += 0.2) {
    hn_sim *sim = begin(&r, oscillator, "energy-decaying", 1e5);
    sim->opt.dissipation = a;
    double before = energy_of(sim), part = (1 - a) / (1 + a);
    CHECK(hn_step(sim) == HN_OK);
    CHECK_REL(energy_of(sim) / before, part * part, 0, 1e-4);
    hn_sim_destroy(sim);
    rig_free(&r);
  }
}

// nothing is left after 200 steps, however stiff
static void test_annihilation(void) {
  for (double w = 10; w <= 1e6; w *= 3) {
    rig r;
    hn_sim *sim = begin(&r, oscillator, "energy-decaying", w);
    if (!sim) return;
    double first = energy_of(sim), last = first;
    for (int i = 0; i < 200; i++) {
      CHECK(hn_step(sim) == HN_OK);
      double now = energy_of(sim);
      CHECK(now <= last + 1e-15 * first);
      last = now;
    }
    CHECK(last <= 1e-12 * first);  // 1e-6 of the amplitude
    hn_sim_destroy(sim);
    rig_free(&r);
  }
}

// a rod on a hinge carries a weight, fixed or on a stiff spring, w h = `fast`; the state after 1 s
static int sling(const char *method, bool rigid, double fast, double h, double *x) {
  static const char format[] = "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  rod: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                               "  bob: {type: planar, mass: 2, inertia: 0.05, position: [1.5, 0]}\n"
                               "joints:\n"
                               "  A: {type: revolute, a: ground, b: rod, at: [0, 0]}\n"
                               "  %s\n"
                               "%s";
  char text[800], force[120];
  double k = 2 * (fast / h) * (fast / h), off = 1e-3 / fast;
  rig r;
  snprintf(force, sizeof force,
           "forces:\n  s: {type: spring, joint: slide, stiffness: %.9g, free: %.9g}\n", k, -off);
  snprintf(text, sizeof text, format,
           rigid ? "slide: {type: fixed, a: rod, b: bob, at: [1, 0]}"
                 : "slide: {type: prismatic, a: rod, b: bob, at: [1, 0], axis: [1, 0]}",
           rigid ? "" : force);
  hn_sim *sim = begin(&r, text, method, h);
  if (!sim) return 0;
  double last = energy_of(sim);
  for (int i = 0; i < (int)lround(1 / h); i++) {
    if (!CHECK(hn_advance(sim, h * (i + 1)) == HN_OK)) {
      printf("  %s\n", hn_sim_error(sim));
      break;
    }
    double now = energy_of(sim);
    if (strcmp(method, "energy-decaying") == 0) CHECK(now <= last + 1e-12 * (20 + k * off * off));
    last = now;
  }
  int count = order_state(sim, x);
  hn_sim_destroy(sim);
  rig_free(&r);
  return count;
}

// the vibration goes through the joint and has to vanish, and the swing has to stay that of a rigid
// pendulum: not further off than by index3-alpha, whose steps are as long
static void test_sling(void) {
  static double exact[ORDER_NUMBERS], x[ORDER_NUMBERS], y[ORDER_NUMBERS];
  const double h = 5e-3;
  int count = sling("index3-alpha", true, 1, 1e-3, exact);
  for (double fast = 10; fast < 2e3; fast *= 10) {
    double size = 0;
    if (!CHECK(sling("energy-decaying", false, fast, h, x) == count)) return;
    if (!CHECK(sling("index3-alpha", false, fast, h, y) == count)) return;
    double ours = rig_difference(x, exact, count, &size);
    double alpha = rig_difference(y, exact, count, &size);
    printf("w h = %.0e: off the rigid pendulum by %.1e of %.1f, index3-alpha by %.1e\n", fast, ours,
           size, alpha);
    // the spring's own yielding under the weight's pull, and the first steps' shaking
    CHECK(ours < 2e-3 + 0.5 / (fast * fast));
    CHECK(ours < 1.2 * alpha + 0.5 / (fast * fast));
  }
}

// random trees of bodies with springs, dampers and bushings: the energy never rises
static unsigned seed = 20260115;
static double random_number(double low, double high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (high - low) * (double)(seed >> 8) / (1u << 24);
}

static void test_never_rises(void) {
  for (int n = 0; n < 8; n++) {
    char text[3000];
    unsigned from = seed;
    int at = snprintf(text, sizeof text, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int b = 0; b < 3; b++)
      at += snprintf(text + at, sizeof text - (size_t)at,
                     "  b%d: {mass: %.3f, inertia: [0.1, 0.12, 0.15], position: [%d, %.3f, 0],"
                     " velocity: [0, 0, 0], angular_velocity: [0, 0, 0]}\n",
                     b, random_number(0.5, 3), b + 1, random_number(-0.2, 0.2));
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "joints:\n"
                   "  j0: {type: revolute, a: ground, b: b0, at: [0.5, 0, 0], axis: [0, 1, 0]}\n"
                   "  j1: {type: %s, a: b0, b: b1, at: [1.5, 0, 0]}\n"
                   "forces:\n"
                   "  s: {type: spring, a: ground, at: [0, 1, 1], b: b1, at_b: [2, 0, 0],"
                   " stiffness: %.6g, damping: %.6g}\n"
                   "  c: {type: spring, a: ground, at: [0, -1, 1], b: b2, at_b: [3, 0.2, 0],"
                   " coefficients: [%.6g, 0, %.6g]}\n"
                   "  m: {type: bushing, a: b1, b: b2, at: [2.5, 0, 0],"
                   " stiffness: [1e4, 1e4, %.6g, 100, 100, 100], damping: [%.3f, 1, 1, 1, 1, 1]}\n",
                   n % 2 ? "spherical" : "universal", pow(10, random_number(1, 7)),
                   n % 3 ? pow(10, random_number(-1, 4)) : 0, random_number(1, 50),
                   random_number(0, 50), pow(10, random_number(2, 6)), random_number(0, 30));
    rig r;
    hn_sim *sim = begin(&r, text, "energy-decaying", 0.01);
    if (!sim) {
      printf("  seed %u\n", from);
      continue;
    }
    double last = energy_of(sim), scale = fabs(last) + 100;
    for (int i = 0; i < 60; i++) {
      if (!CHECK(hn_step(sim) == HN_OK)) {
        printf("  seed %u: %s\n", from, hn_sim_error(sim));
        break;
      }
      double now = energy_of(sim);
      if (!CHECK(now <= last + 1e-11 * scale)) {
        printf("  seed %u: %g\n", from, now - last);
        break;
      }
      last = now;
    }
    hn_sim_destroy(sim);
    rig_free(&r);
  }
}

// positions, velocities, energy and momenta to round-off, and no work of the joints
static void test_index2(void) {
  static const char flying[] =
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0], velocity: [0.3, 0, 0],"
      " angular_velocity: [1, 2, 3]}\n"
      "  b: {mass: 2, inertia: [0.3, 0.2, 0.15], position: [1, 0, 0], velocity: [0, 0.5, 0],"
      " angular_velocity: [-1, 0, 2]}\n"
      "joints:\n"
      "  ball: {type: spherical, a: a, b: b, at: [0.5, 0, 0]}\n"
      "forces:\n"
      "  s: {type: spring, a: a, at: [0, 0.5, 0], b: b, at_b: [1, 0.5, 0], stiffness: 30,"
      " free: 0.8}\n";
  static const char *const models[] = {flying, "models/four_bar", "models/bricard",
                                       "models/five_bar_pendulum_planar"};
  for (int m = 0; m < 4; m++)
    for (int plain = 0; plain < 2; plain++) {
      rig r;
      hn_sim *sim =
          begin(&r, models[m], plain ? "energy-momentum" : "energy-momentum-index2", 0.01);
      if (!sim) continue;
      double first = energy_of(sim), off = 0, rate = 0, place = 0;
      for (int i = 0; i < 200; i++) {
        if (!CHECK(hn_step(sim) == HN_OK)) break;
        off = fmax(off, fabs(energy_of(sim) - first));
        hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + r.sys->nq);
        hn_stage_left(sim);
        for (int k = 0; k < r.sys->rows; k++) {
          rate = fmax(rate, fabs(sim->stage.work.psi[k]));
          place = fmax(place, fabs(sim->stage.work.phi[k]));
        }
      }
      printf("%-32.32s %-24s energy %.1e positions %.1e velocities %.1e\n",
             m ? models[m] : "flying", plain ? "energy-momentum" : "energy-momentum-index2", off,
             place, rate);
      CHECK(off < 1e-11 * fmax(1, fabs(first)) && place < 1e-12);
      if (!plain) CHECK(rate < 1e-11);
      // the other form does not meet them, or this would show nothing
      if (plain && m > 0) CHECK(rate > 1e-7);
      hn_sim_destroy(sim);
      rig_free(&r);
    }
}

// momenta about all axes, from generalized momenta in natural coordinates: sum of m_ij q_i x v_j
static void test_momentum(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  a: {type: point, mass: 1, position: [0, 0, 0], velocity: [0.3, 0.1, 0]}\n"
      "  b: {type: point, mass: 2, position: [1, 0, 0], velocity: [0.3, 0.5, 0.4]}\n"
      "  c: {type: point, mass: 0.7, position: [1, 1, 0], velocity: [-0.2, 0.5, 0.9]}\n"
      "joints:\n"
      "  ab: {type: distance, a: a, b: b}\n"
      "  bc: {type: distance, a: b, b: c}\n";
  rig r;
  hn_sim *sim = begin(&r, text, "energy-momentum-index2", 0.05);
  if (!sim) return;
  double L[2][3] = {{0}}, rate = 0;
  for (int i = 0; i <= 2000; i++) {
    for (int b = 1; b < 4 && (i == 0 || i == 2000); b++) {
      hn_pose p;
      CHECK(hn_body_pose(sim, (hn_body){b}, &p) == HN_OK);
      for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        L[i > 0][k] +=
            r.sys->body[b].mass * (p.position[u] * p.velocity[v] - p.position[v] * p.velocity[u]);
      }
    }
    CHECK(hn_step(sim) == HN_OK);
    hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + r.sys->nq);
    hn_stage_left(sim);
    for (int k = 0; k < r.sys->rows; k++) rate = fmax(rate, fabs(sim->stage.work.psi[k]));
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(L[1][k], L[0][k], 1e-11);
  CHECK(rate < 1e-11);
  hn_sim_destroy(sim);
  rig_free(&r);
}

static void test_order(void) {
  static const order_case cases[] = {
      {"four_bar", "natural", 0.5, 1e-2},
      {"bricard", "natural", 0.5, 2e-2},
      {"heavy_top", "natural", 0.02, 2e-4},
      {"iltis_suspension", "natural", 0.05, 1e-3},
      {"five_bar_pendulum_planar", "natural", 0.1, 2e-3},
  };
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      double error,
          order = order_measure(
              &cases[i], k ? "method=energy-decaying" : "method=energy-momentum-index2", &error);
      CHECK(order > 1.8 && order < (k ? 3.5 : 2.5));
    }
}

// the text of a governor whose spring-dampers are stiffer: every 8e5 N/m and 4e4 N s/m times
// `stiffer`
static const char *governor(double stiffer) {
  static char text[8000];
  size_t used = 0;
  char line[256];
  FILE *file = fopen("models/flyball_governor.yaml", "r");
  if (!CHECK(file != NULL)) return "";
  while (fgets(line, sizeof line, file) && used < sizeof text - sizeof line) {
    bool stiffness = strstr(line, "stiffness: 8e5"), damping = strstr(line, "damping: 4e4");
    if (stiffness) snprintf(line, sizeof line, "    stiffness: %.9g\n", 8e5 * stiffer);
    if (damping) snprintf(line, sizeof line, "    damping: %.9g\n", 4e4 * stiffer);
    int n = snprintf(text + used, sizeof text - used, "%s", line);
    used += (size_t)n;
  }
  fclose(file);
  return text;
}

// flyballs on rods held by spring-dampers, as they are and a hundred times stiffer. The energy
// falls in every step, by what the dampers and the scheme take, and the motion has its order
static void test_governor(void) {
  const order_case course = {"flyball_governor", "natural", 0.3, 4e-3};
  double error, order = order_measure(&course, "method=energy-decaying", &error);
  CHECK(order > 1.8);
  for (double stiffer = 1; stiffer < 200; stiffer *= 100)
    for (double h = 5e-3; h > 1e-4; h /= 5) {
      rig r;
      hn_sim *sim = begin(&r, governor(stiffer), "energy-decaying", h);
      if (!sim) return;
      double first = energy_of(sim), last = first, rise = 0;
      for (int i = 0; i < 100; i++) {
        if (!CHECK(hn_step(sim) == HN_OK)) {
          printf("  %s\n", hn_sim_error(sim));
          break;
        }
        double now = energy_of(sim);
        rise = fmax(rise, now - last);
        last = now;
      }
      printf("governor, step %.0e: energy falls by %.1e of %.1e, never rises by more than %.0e\n",
             h, first - last, first, rise);
      CHECK(last < first && rise <= 1e-12 * fabs(first));
      hn_sim_destroy(sim);
      rig_free(&r);
    }
}

int main(void) {
  RUN(test_amplification);
  RUN(test_annihilation);
  RUN(test_sling);
  RUN(test_never_rises);
  RUN(test_index2);
  RUN(test_momentum);
  RUN(test_order);
  RUN(test_governor);
  return test_end();
}
