// test_alpha_family.c: generalized-alpha steps against their own recursion.
//
// What tells a member from another of the same order is how it treats what is too fast for the
// step: by the number rho_inf in each step, and no other. On a linear oscillator a step is a
// recursion of three numbers, written out here from the formulas of Chung and Hulbert (1993),
// Hilber, Hughes and Taylor (1977) and Newmark (1959).
#include "integrators/implicit/implicit.h"
#include "solver_rig.h"

typedef struct closure {
  double am, af, gamma;
} closure;

static closure chung_hulbert(double rho) {
  double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1);
  return (closure){am, af, 0.5 + af - am};
}

static closure hilber_hughes_taylor(double rho) {
  double af = fmin((1 - rho) / (1 + rho), 1.0 / 3);
  return (closure){0, af, 0.5 + af};
}

static closure newmark(double rho) {
  return (closure){0, 0, (3 - rho) / (2 * (1 + rho))};
}

static closure trapezoidal(double rho) {
  (void)rho;
  return (closure){0, 0, 0.5};
}

static const struct {
  const char *name;
  closure (*closure)(double rho);
} members[] = {
    {"index3-newmark", newmark},           {"index3-trapezoidal", trapezoidal},
    {"index3-hht", hilber_hughes_taylor},  {"index3-alpha", chung_hulbert},
    {"index2-newmark", newmark},           {"index2-trapezoidal", trapezoidal},
    {"index2-hht", hilber_hughes_taylor},  {"index2-alpha", chung_hulbert},
    {"index1-alpha", chung_hulbert},       {"tangent-space", chung_hulbert},
    {"implicit-partition", chung_hulbert}, {"coordinate-split", chung_hulbert},
    {"maggi-perturbation", chung_hulbert},
};
enum { MEMBERS = sizeof members / sizeof *members };

// u'' = -w^2 u + f + g t
typedef struct motion {
  double w2, f, g;
  double t, u, v, rate, a;
} motion;

static double rate_of(const motion *m, double t, double u) {
  return -m->w2 * u + m->f + m->g * t;
}

static void begin(motion *m, const closure *c, double h) {
  m->t = 0;
  m->rate = rate_of(m, 0, m->u);
  m->a = m->rate + (c->am - c->af) * h * (-m->w2 * m->v + m->g);
}

static void go(motion *m, const closure *c, double h) {
  double beta = 0.25 * (c->gamma + 0.5) * (c->gamma + 0.5);
  double far = m->u + h * m->v + h * h * (0.5 - beta) * m->a, t = m->t + h;
  // (1 - am) a + am a0 = (1 - af) rate(u) + af rate0 with u = far + beta h^2 a
  double a = ((1 - c->af) * rate_of(m, t, far) + c->af * m->rate - c->am * m->a) /
             (1 - c->am + (1 - c->af) * m->w2 * beta * h * h);
  m->u = far + beta * h * h * a;
  m->v += h * ((1 - c->gamma) * m->a + c->gamma * a);
  m->a = a;
  m->rate = rate_of(m, t, m->u);
  m->t = t;
}

// a bead on a rail, pulled by a spring or pushed by a force that grows
static bool bead(rig *r, const char *force) {
  static char text[600];
  snprintf(text, sizeof text,
           "gravity: [0, 0]\n"
           "bodies:\n"
           "  bead: {type: planar-point, mass: 2, position: [0.1, 0]}\n"
           "joints:\n"
           "  rail: {type: point-on-line, a: ground, b: bead, at: [0.1, 0], axis: [1, 0, 0]}\n"
           "forces:\n"
           "  %s\n",
           force);
  return rig_load(r, &(rig_case){"Bead", text}, "reference");
}

static void compare(const rig *r, int member, double rho, double h, motion m, int steps) {
  closure c = members[member].closure(rho);
  hn_sim *sim = rig_start(r, "lagrange", "none", members[member].name, h);
  if (!sim) return;
  CHECK(hn_set_state(sim, 0, (double[2]){m.u, 0}, (double[2]){m.v, 0}) == HN_OK);
  double size = fmax(fabs(m.u), fabs(m.v)), speed = fmax(size, sqrt(m.w2) * size);
  begin(&m, &c, h);
  for (int i = 0; i < steps; i++) {
    if (!CHECK(hn_step(sim) == HN_OK)) break;
    go(&m, &c, h);
    if (!CHECK_NEAR(hn_positions(sim)[0], m.u, 1e-9 * size) ||
        !CHECK_NEAR(hn_velocities(sim)[0], m.v, 1e-9 * speed)) {
      printf("  %s, rho %g, step %g, %d\n", members[member].name, rho, h, i + 1);
      break;
    }
  }
  hn_sim_destroy(sim);
}

// from rest, and as far as it is not too fast for a start with v'' from a state that moves
static void test_oscillator(void) {
  static const double rho[] = {0.05, 0.4, 0.8, 1};
  rig r;
  if (!bead(&r, "s: {type: spring, joint: rail, stiffness: 2, free: -0.1}")) return;
  for (int k = 0; k < MEMBERS; k++)
    for (int i = 0; i < 4; i++) {
      r.options.rho_inf = rho[i];
      for (double h = 0.1; h < 2e3; h *= 10)
        compare(&r, k, rho[i], h, (motion){.w2 = 1, .u = 0.1}, 20);
      compare(&r, k, rho[i], 0.1, (motion){.w2 = 1, .u = 0.1, .v = 0.03}, 20);
    }
  rig_free(&r);
}

// a vibration far too fast for the step, w h = 1e3: all three roots are -rho_inf, to 1/(w h)^2
static void test_limit(void) {
  rig r;
  if (!bead(&r, "s: {type: spring, joint: rail, stiffness: 2, free: -0.1}")) return;
  for (double rho = 0.1; rho < 0.95; rho += 0.2) {
    r.options.rho_inf = rho;
    hn_sim *sim = rig_start(&r, "lagrange", "none", "index3-alpha", 1e3);
    if (!sim) return;
    double u[7];
    for (int k = 0; k < 7; k++) {
      CHECK(hn_step(sim) == HN_OK);
      u[k] = hn_positions(sim)[0];
    }
    for (int k = 3; k < 7; k++)
      CHECK_NEAR(u[k] + rho * (3 * u[k - 1] + rho * (3 * u[k - 2] + rho * u[k - 3])), 0, 1e-6);
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// of forces that depend on time the start knows the derivative, too
static void test_growing_force(void) {
  rig r;
  if (!bead(&r, "push: {type: force, b: bead, force: [\"6*(1 + t)\", 0]}")) return;
  for (int k = 0; k < MEMBERS; k++) {
    r.options.rho_inf = 0.6;
    compare(&r, k, 0.6, 0.1, (motion){.f = 3, .g = 3, .u = 0.1, .v = 0.2}, 10);
  }
  rig_free(&r);
}

// how much multipliers jump to and fro over the first steps
static double jumps(const rig *r, double h) {
  double worst = 0, last[2][3] = {{0}};
  hn_sim *sim = rig_start(r, "lagrange", "none", "index3-alpha", h);
  for (int k = 0; sim && k < 8; k++) {
    if (!CHECK(hn_step(sim) == HN_OK)) break;
    const double *now = hn_multipliers(sim);
    for (int i = 0; i < 3; i++) {
      if (k > 1) worst = fmax(worst, 0.25 * fabs(now[i] - 2 * last[0][i] + last[1][i]));
      last[1][i] = last[0][i], last[0][i] = now[i];
    }
  }
  hn_sim_destroy(sim);
  return worst;
}

// of bodies that turn in space the start knows that rotations do not add: without w x w' / 12 the
// reactions of a top jump by O(h), with it by O(h^2), as they bend
static void test_turning(void) {
  static const char top[] = "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  top: {mass: 1, inertia: [0.3, 0.2, 0.15], position: [0.4, 0.3, 0.5],"
                            " angular_velocity: [2, 3, -4]}\n"
                            "joints:\n"
                            "  tip: {type: spherical, a: ground, b: top, at: [0, 0, 0]}\n";
  rig r;
  if (!rig_load(&r, &(rig_case){"Top", top}, "reference")) return;
  r.options.rho_inf = 0.8;
  snprintf(r.options.reactions, sizeof r.options.reactions, "method");
  double by[3];
  for (int i = 0; i < 3; i++) by[i] = jumps(&r, 4e-3 / (1 << i));
  printf("reactions of a top bend by %.1e, %.1e, %.1e N in steps of 4, 2, 1 ms\n", by[0], by[1],
         by[2]);
  CHECK(log2(by[0] / by[1]) > 1.8 && log2(by[1] / by[2]) > 1.8);
  rig_free(&r);
}

// Gear, Gupta and Leimkuhler's second multipliers vanish: what they put positions right by is the
// error of a step, of order three
static void test_second_multipliers(void) {
  rig r;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  double most[3] = {0};
  for (int i = 0; i < 3; i++) {
    double h = 8e-3 / (1 << i);
    hn_sim *sim = rig_start(&r, "lagrange", "none", "index2-alpha", h);
    if (!sim) return;
    const hn_implicit *s = sim->method.integrator_data;
    for (int k = 0; k < 20 << i; k++) {
      CHECK(hn_step(sim) == HN_OK);
      most[i] = fmax(most[i], hn_largest(s->e, (size_t)r.sys->nv));
    }
    hn_sim_destroy(sim);
  }
  printf("positions put right by %.1e, %.1e, %.1e in steps of 8, 4, 2 ms\n", most[0], most[1],
         most[2]);
  for (int i = 0; i < 2; i++) CHECK(log2(most[i] / most[i + 1]) > 2.7 && most[i] > 0);
  rig_free(&r);
}

int main(void) {
  RUN(test_oscillator);
  RUN(test_limit);
  RUN(test_growing_force);
  RUN(test_turning);
  RUN(test_second_multipliers);
  return test_end();
}
