// test_feedback.c: what single ways of feedback and stabilisation exist for.
#include "order_rig.h"

static const rig_case bead = {
    "Bead", "gravity: [0, 0, 0]\n"
            "bodies:\n"
            "  bead: {type: point, mass: 2}\n"
            "joints:\n"
            "  rail: {type: point-on-plane, a: ground, b: bead, at: [0, 0, 0]}\n"};

// outside the layer the distance from the sliding surface falls steadily, so that it is reached in
// a time that linear feedback never has; inside it fades at the rate beta, and the violation at the
// rate alpha
static void test_sliding(void) {
  rig r;
  if (!rig_load(&r, &bead, "reference")) return;
  r.options.alpha = 3, r.options.beta = 20, r.options.violation_bound = 0.01;
  const double d = 0.01 * 3, k = 20 * d, q0 = 0.2;
  double s0 = 3 * q0, reach = (s0 - d) / k;
  hn_sim *sim = rig_start(&r, "baumgarte-sliding", "none", "rk4", 1e-4);
  if (!sim) return;
  CHECK(hn_set_state(sim, 0, (double[3]){0, 0, q0}, (double[3]){0, 0, 0}) == HN_OK);
  for (int i = 1; i <= 4; i++) {
    CHECK(hn_advance(sim, 0.25 * i * reach) == HN_OK);
    double s = hn_velocities(sim)[2] + 3 * hn_positions(sim)[2];
    CHECK_REL(s, s0 - 0.25 * i * (s0 - d), 0, 1e-2);
  }
  CHECK(hn_advance(sim, reach + 0.1) == HN_OK);
  CHECK_REL(hn_velocities(sim)[2] + 3 * hn_positions(sim)[2], d * exp(-20 * 0.1), 0, 1e-2);
  double before = 0;
  CHECK(hn_advance(sim, reach + 1.5) == HN_OK);
  before = hn_positions(sim)[2];
  CHECK(hn_advance(sim, reach + 2) == HN_OK);
  CHECK_REL(hn_positions(sim)[2] / before, exp(-3 * 0.5), 0, 1e-2);
  hn_sim_destroy(sim);
  // linear feedback starts at its fastest, nowhere near a constant rate
  sim = rig_start(&r, "baumgarte", "none", "rk4", 1e-4);
  CHECK(hn_set_state(sim, 0, (double[3]){0, 0, q0}, (double[3]){0, 0, 0}) == HN_OK);
  CHECK(hn_advance(sim, 0.25 * reach) == HN_OK);
  double s = hn_velocities(sim)[2] + 3 * hn_positions(sim)[2];
  CHECK(fabs(s - (s0 - 0.25 * (s0 - d))) > 0.05 * s0);
  hn_sim_destroy(sim);
  rig_free(&r);
}

// Two beads off their rails, one by more than the bound: its gain rises, step by step, to what the
// step allows, and falls back afterwards; the other's stays at alpha. Within a step a gain is
// constant, so that the violation is that of critical damping: both follow from their closed forms
static void test_adaptive(void) {
  static const rig_case beads = {
      "Beads", "gravity: [0, 0, 0]\n"
               "bodies:\n"
               "  far: {type: point, mass: 2}\n"
               "  near: {type: point, mass: 3}\n"
               "joints:\n"
               "  a: {type: point-on-plane, a: ground, b: far, at: [0, 0, 0]}\n"
               "  b: {type: point-on-plane, a: ground, b: near, at: [0, 0, 0]}\n"};
  const double alpha = 3, bound = 0.01, h = 1e-3, start[2] = {0.2, 0.005};
  double g[2] = {alpha, alpha}, z[2] = {start[0], start[1]}, v[2] = {0}, most = 0;
  int inside = 0;
  rig r;
  if (!rig_load(&r, &beads, "reference")) return;
  r.options.alpha = alpha, r.options.violation_bound = bound;
  hn_sim *sim = rig_start(&r, "baumgarte-adaptive", "none", "rk4", h);
  if (!sim) return;
  CHECK(hn_set_state(sim, 0, (double[6]){0, 0, z[0], 0, 0, z[1]}, (double[6]){0}) == HN_OK);
  for (int n = 1; n <= 400; n++) {
    if (!CHECK(hn_advance(sim, n * h) == HN_OK)) break;
    const double *gain = sim->method.solver_data;
    for (int i = 0; i < 2; i++) {
      double c = v[i] + g[i] * z[i], fade = exp(-g[i] * h), before = z[i];
      z[i] = (before + c * h) * fade;
      v[i] = (c - g[i] * (before + c * h)) * fade;
      g[i] *= hypot(z[i], v[i] / g[i]) > bound ? 1.3 : 0.97;
      g[i] = fmin(fmax(g[i], alpha), 0.25 / h);
      CHECK_NEAR(hn_positions(sim)[3 * i + 2], z[i], 1e-4);
      CHECK_REL(gain[i], g[i], 0, 1e-12);
    }
    most = fmax(most, g[0]);
    if (!inside && fabs(z[0]) < bound) inside = n;
  }
  printf("gain up to %.0f, within the bound after %d steps\n", most, inside);
  // with gain alpha (1 + x) exp(-x) = 1/20 takes x = alpha t = 4.74
  CHECK(most > 20 * alpha && g[1] == alpha && inside > 0 && inside * h < 0.1 * 4.74 / alpha);
  hn_sim_destroy(sim);
  rig_free(&r);
}

// What feedback remembers is that of the steps taken, not of those that were taken back for an
// event. The bead is pushed along its plane by a force that switches often, which its distance from
// the plane knows nothing of: that follows step by step from what is fed back
static void test_steps_taken_back(void) {
  static const rig_case pushed = {
      "Pushed",
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  bead: {type: point, mass: 2}\n"
      "joints:\n"
      "  rail: {type: point-on-plane, a: ground, b: bead, at: [0, 0, 0]}\n"
      "forces:\n"
      "  push: {type: force, b: bead, force: ['if(mod(t, 0.013) < 0.005, 10, 0)', 0, 0]}\n"};
  static const char *const solver[] = {"baumgarte-integral", "baumgarte-adaptive", "baumgarte-step",
                                       "baumgarte-sliding"};
  const double h = 2e-3, alpha = 3, bound = 0.05, q0 = 0.2;
  rig r;
  if (!rig_load(&r, &pushed, "reference")) return;
  r.options.alpha = alpha, r.options.beta = 20, r.options.violation_bound = bound;
  for (int k = 0; k < 4; k++) {
    hn_sim *sim = rig_start(&r, solver[k], "none", "rk4", h);
    if (!CHECK(sim != NULL)) continue;
    const double *own = sim->method.solver_data;
    double z = q0, v = 0, sum = 0, gain = alpha;
    CHECK(hn_set_state(sim, 0, (double[3]){0, 0, q0}, (double[3]){0, 0, 0}) == HN_OK);
    for (int i = 0; i < 60 && CHECK(hn_step(sim) == HN_OK); i++) {
      double step = sim->step.h_last, now = hn_positions(sim)[2], rate = hn_velocities(sim)[2];
      if (k == 0) {
        sum += step * now;
        CHECK_REL(own[0], sum, 0, 1e-12);
      } else if (k == 1) {
        gain *= hypot(now, rate / gain) > bound ? 1.3 : 0.97;
        gain = fmin(fmax(gain, alpha), fmax(alpha, 0.25 / step));
        CHECK_REL(own[0], gain, 0, 1e-12);
      } else if (k == 2) {
        double a = -1.5 * v / h - z / (h * h);
        CHECK_NEAR(now, z + step * (v + 0.5 * step * a), 1e-12);
        CHECK_NEAR(rate, v + step * a, 1e-9);
      } else {
        // s' = -beta part s, the part being that of the start of the step
        double s = v + alpha * z, d = bound * alpha, part = fmin(1, d / fabs(s));
        CHECK_REL(rate + alpha * now, s * exp(-20 * part * step), d, 1e-7);
      }
      z = now, v = rate;
    }
    CHECK(sim->count.rejected > 5);
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// a pendulum on a driven cart: the motion is that of the default method, the energy balance closes,
// and strong gains do not break it
static void test_energy_with_driver(void) {
  static const char format[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  a: {type: planar, mass: %.3f, inertia: 0.1, position: [%.3f, 0]}\n"
      "  base: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n"
      "  r: {type: prismatic, b: base, axis: [1, 0, 0]}\n"
      "  d: {type: driver, joint_a: r, motion: %.3f*sin(%.3f*t)}\n"
      "  A: {type: revolute, a: base, b: a, at: [0, 0]}\n";
  for (int n = 0; n < 6; n++) {
    char text[600];
    static double x[2][ORDER_NUMBERS];
    double size = 0;
    snprintf(text, sizeof text, format, 0.5 + 0.4 * n, 0.4 + 0.1 * n, 0.05 + 0.05 * n, 4.0 + 3 * n);
    rig r;
    rig_case c = {"Driven", text};
    if (!rig_load(&r, &c, "reference")) return;
    int count = order_run(&r, "method=explicit rtol=1e-11", 0, 1, x[0]);
    for (int strong = 0; strong < 2; strong++) {
      order_run(&r,
                strong ? "method=baumgarte-energy alpha=500 beta=20" : "method=baumgarte-energy",
                1e-3, 1, x[1]);
      double off = rig_difference(x[1], x[0], count, &size);
      // gains of the order 1/h act on stages, which leaves order two
      if (!CHECK(off < (strong ? 1e-3 : 1e-6) * fmax(1, size)))
        printf("  case %d, %d: %g\n", n, strong, off);
    }
    rig_free(&r);
  }
}

// the feedback of energy acts: with a step that loses energy it keeps it
static void test_energy_acts(void) {
  rig r;
  rig_case c = {"five_bar_pendulum_planar", NULL};
  double off[2];
  if (!rig_load(&r, &c, "reference")) return;
  r.options.alpha = 20, r.options.beta = 20;
  for (int k = 0; k < 2; k++) {
    hn_sim *sim = rig_start(&r, k ? "baumgarte-energy" : "baumgarte", "none", "heun", 2e-3);
    hn_energy e;
    if (!sim) return;
    CHECK(hn_advance(sim, 2) == HN_OK && hn_sim_energy(sim, &e) == HN_OK);
    off[k] = fabs(e.balance);
    hn_sim_destroy(sim);
  }
  printf("energy off by %.1e without, %.1e with feedback\n", off[0], off[1]);
  CHECK(off[1] < 0.2 * off[0]);
  rig_free(&r);
}

// gains that a rule finds, on a bead off its rail: Phi'' = -2 alpha Phi' - beta^2 Phi exactly. By
// digital control nothing is left after two steps of the integrator the gains were made for, since
// both eigenvalues of the discrete equation vanish, and with Taylor's gains after two of heun's
// (1 + z + z^2/2 has the zeros -1 +- i); Bae and Yang's slow root fades with exp(-t), their fast
// one is half of what the integrator bears. Feedback twice as strong as digital control has it is
// beyond Euler's region of stability: it grows
static void test_rules(void) {
  static const struct {
    const char *rule, *integrator;
  } dead[] = {{"digital", "euler"},
              {"digital", "symplectic-euler"},
              {"digital", "heun"},
              {"digital", "rk4"},
              {"taylor", "heun"}};
  rig r;
  if (!rig_load(&r, &bead, "reference")) return;
  for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) {
    snprintf(r.options.baumgarte_gains, sizeof r.options.baumgarte_gains, "%s", dead[i].rule);
    hn_sim *sim = rig_start(&r, "baumgarte-rule", "none", dead[i].integrator, 0.1);
    if (!sim) continue;
    CHECK(hn_set_state(sim, 0, (double[3]){0, 0, 0.2}, (double[3]){0, 0, 0.3}) == HN_OK);
    CHECK(hn_step(sim) == HN_OK);
    double once = fabs(hn_positions(sim)[2]);
    CHECK(hn_step(sim) == HN_OK);
    printf("  %s with %s: %.1e after a step, %.1e after two\n", dead[i].rule, dead[i].integrator,
           once, fabs(hn_positions(sim)[2]));
    CHECK(fabs(hn_positions(sim)[2]) < 1e-14);
    hn_sim_destroy(sim);
  }
  snprintf(r.options.baumgarte_gains, sizeof r.options.baumgarte_gains, "taylor");
  // with rk4 Taylor's gains leave the part |R(-1 + i)| = sqrt(5)/6 a step
  hn_sim *sim = rig_start(&r, "baumgarte-rule", "none", "rk4", 0.1);
  CHECK(hn_set_state(sim, 0, (double[3]){0, 0, 0.2}, (double[3]){0, 0, 0}) == HN_OK);
  CHECK(hn_advance(sim, 1) == HN_OK);
  CHECK(fabs(hn_positions(sim)[2]) < 2e-5 && fabs(hn_positions(sim)[2]) > 1e-7);
  hn_sim_destroy(sim);
  // s^2 + a s + a = 0 with s = -0.5 * 2 / h for euler
  snprintf(r.options.baumgarte_gains, sizeof r.options.baumgarte_gains, "bae-yang");
  sim = rig_start(&r, "baumgarte-rule", "none", "euler", 0.05);
  double fast = 20, slow = fast / (fast - 1);  // roots: their product is their sum
  CHECK(hn_set_state(sim, 0, (double[3]){0, 0, 0.2}, (double[3]){0, 0, -0.2 * slow}) == HN_OK);
  CHECK(hn_advance(sim, 1) == HN_OK);
  CHECK_REL(hn_positions(sim)[2], 0.2 * pow(1 - 0.05 * slow, 20), 0, 1e-9);
  CHECK(hn_set_state(sim, 0, (double[3]){0, 0, 0.2}, (double[3]){0, 0, -0.2 * fast}) == HN_OK);
  CHECK(hn_step(sim) == HN_OK);
  CHECK_NEAR(hn_positions(sim)[2], 0.2 * (1 - 0.05 * fast), 1e-12);
  hn_sim_destroy(sim);
  // inside and outside of the region of stability
  for (int twice = 0; twice < 2; twice++) {
    r.options.alpha = 10 * (1 + 2 * twice), r.options.beta = 10 * (1 + 2 * twice);
    sim = rig_start(&r, "baumgarte", "none", "euler", 0.1);
    CHECK(hn_set_state(sim, 0, (double[3]){0, 0, 0.2}, (double[3]){0, 0, 0}) == HN_OK);
    (void)hn_advance(sim, 1);
    CHECK(twice ? fabs(hn_positions(sim)[2]) > 1 : fabs(hn_positions(sim)[2]) < 1e-12);
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// how much is left of a violation by a step in the long run, of a bead off its rail with steps h
static double left_by_a_step(rig *r, const char *solver, const char *integrator, double h) {
  hn_sim *sim = rig_start(r, solver, "none", integrator, h);
  double size[2] = {0};
  if (!sim) return NAN;
  CHECK(hn_set_state(sim, 0, (double[3]){0, 0, 1}, (double[3]){0, 0, 0.3}) == HN_OK);
  // roots of opposite sign and pairs turn the violation round: the largest of some steps
  for (int n = 1; n <= 256; n++) {
    // what grows without bound is refused in the end
    double now = hn_step(sim) ? INFINITY : hypot(hn_positions(sim)[2], h * hn_velocities(sim)[2]);
    if (n > 248 && isinf(now)) size[0] = 1;
    if (n > 120 && n <= 128) size[0] = fmax(size[0], now);
    if (n > 248) size[1] = fmax(size[1], now);
  }
  hn_sim_destroy(sim);
  return pow(size[1] / size[0], 1.0 / 128);
}

// Formulas of several steps: the largest root of rho(x) - z sigma(x) = 0 (of the PECE formula: of
// its polynomial), z both roots of z^2 + 2 alpha h z + beta^2 h^2 = 0, is what digital control
// makes smallest. Roots by numpy, closed forms where there are any. Gains a fifth off leave more
// by a step; beyond the reach of the region of stability violations grow, before it they fade
static void test_rules_of_adams(void) {
  static const struct {
    const char *integrator;
    double root, velocity, position, reach;
  } cases[] = {
      {"adams-bashforth-2", 0.5773502691896258, 4.0 / 3, 4.0 / 9, 1},
      {"adams-bashforth-3", 0.6915640748081229, 33.0 / 46, 0.1286625708884684, 6.0 / 11},
      {"adams-bashforth-4", 0.8070073480794399, 0.4292886771925, 0.0460721920914, 0.3},
      {"adams-moulton-2", 1.0 / 3, 4.0 / 3, 4.0 / 9, 2},
      {"adams-moulton-3", 0.4508238930587981, 1.17018231, 0.5076083993, 1.7287835680},
      {"adams-moulton-4", 0.5231310008974102, 1.2195985416932, 0.3718551507250, 1.2848162631},
  };
  const double h = 0.1;
  rig r;
  if (!rig_load(&r, &bead, "reference")) return;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *by = cases[i].integrator;
    snprintf(r.options.baumgarte_gains, sizeof r.options.baumgarte_gains, "digital");
    double best = left_by_a_step(&r, "baumgarte-rule", by, h);
    // where m roots are equal n^(m-1) more of them is left after n steps
    CHECK(best > 0.995 * cases[i].root && best < 1.02 * cases[i].root);
    r.options.alpha = 0.5 * cases[i].velocity / h, r.options.beta = sqrt(cases[i].position) / h;
    CHECK_REL(left_by_a_step(&r, "baumgarte", by, h), best, 0, 1e-6);
    double off = 9;
    for (int side = -1; side <= 1; side += 2) {
      r.options.alpha = 0.5 * (1 + 0.2 * side) * cases[i].velocity / h;
      r.options.beta = (1 + 0.2 * side) * sqrt(cases[i].position) / h;
      off = fmin(off, left_by_a_step(&r, "baumgarte", by, h));
    }
    CHECK(off > 1.02 * best);
    double edge[2];
    for (int out = 0; out < 2; out++) {
      r.options.alpha = r.options.beta = (out ? 1.05 : 0.95) * cases[i].reach / h;
      edge[out] = left_by_a_step(&r, "baumgarte", by, h);
    }
    CHECK(edge[0] < 1 && edge[1] > 1);
    // Bae and Yang's fast root is half of the reach, the slow one fades as exp(-t) nearly
    snprintf(r.options.baumgarte_gains, sizeof r.options.baumgarte_gains, "bae-yang");
    double fast = 0.5 * cases[i].reach / 0.01, slow = fast / (fast - 1);
    CHECK_REL(left_by_a_step(&r, "baumgarte-rule", by, 0.01), exp(-0.01 * slow), 0, 1e-3);
    printf(
        "  %s: %.4f left by a step (root %.4f), %.4f with other gains; %.3f and %.3f at the edge\n",
        by, best, cases[i].root, off, edge[0], edge[1]);
  }
  rig_free(&r);
}

// Baumgarte's form of 1983: positions are fed back alone, Phi = a exp(-alpha t); the constraints
// are differentiated once, so that velocities are off by alpha Phi and nothing else
static void test_hamiltonian(void) {
  static const rig_case pendulum = {
      "Pendulum",
      "gravity: [0, -9.81]\n"
      "bodies:\n  bob: {type: planar-point, mass: 2, position: [1, 0]}\n"
      "joints:\n  rod: {type: distance, a: ground, b: bob, at: [0, 0], at_b: [1, 0]}\n"};
  rig r;
  if (!rig_load(&r, &pendulum, "reference")) return;
  r.options.alpha = 5;
  hn_sim *sim = rig_start(&r, "baumgarte-hamiltonian", "none", "rk4", 2e-3);
  if (sim) {
    CHECK(hn_set_state(sim, 0, (double[2]){1.01, 0}, (double[2]){-0.05, 0}) == HN_OK);
    for (int i = 1; i <= 5; i++) {
      CHECK(hn_advance(sim, 0.2 * i) == HN_OK);
      const double *q = hn_positions(sim), *v = hn_velocities(sim);
      double length = hypot(q[0], q[1]), phi = 0.01 * exp(-5 * 0.2 * i);
      CHECK_NEAR(length - 1, phi, 1e-8);
      CHECK_NEAR((q[0] * v[0] + q[1] * v[1]) / length, -5 * phi, 1e-8);
    }
  }
  hn_sim_destroy(sim);
  rig_free(&r);
  static const order_case cases[] = {{"four_bar", "reference", 0.5, 1e-2},
                                     {"spatial_slider_crank", "reference", 0.25, 5e-3},
                                     {"bricard", "reference", 1, 8e-3},
                                     {"rolling_disk", "reference", 0.5, 1e-2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double error = NAN, order = order_measure(&cases[i], "method=baumgarte-hamiltonian", &error);
    CHECK(order > 3.6 && order < 5.2);
    // gains of the size 1/h act on the stages: positions keep order two, velocities one
    order = order_measure(&cases[i], "method=baumgarte-rule baumgarte_gains=taylor", &error);
    CHECK(order > 0.7 && order < 2.4);
    order = order_measure(&cases[i], "method=baumgarte-rule baumgarte_gains=bae-yang", &error);
    CHECK(order > 1.6);
  }
}

static void test_order(void) {
  static const order_case cases[] = {{"four_bar", "reference", 0.5, 1e-2},
                                     {"spatial_slider_crank", "relative", 0.2, 4e-3},
                                     {"knife_edge", "reference", 0.5, 2e-2},
                                     {"bricard", "reference", 0.5, 2e-2},
                                     {"five_bar_pendulum_planar", "natural", 0.2, 4e-3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double error, order = order_measure(&cases[i], "method=baumgarte-sliding", &error);
    CHECK(order > 3.5 || error < 1e-10);
  }
}

int main(void) {
  RUN(test_sliding);
  RUN(test_adaptive);
  RUN(test_steps_taken_back);
  RUN(test_energy_with_driver);
  RUN(test_energy_acts);
  RUN(test_rules);
  RUN(test_rules_of_adams);
  RUN(test_hamiltonian);
  RUN(test_order);
  return test_end();
}
