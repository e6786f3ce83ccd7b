// test_sliding.c: motions along a switching point of formulas, against closed forms.
#include "contact_rig.h"

static const char *const methods[] = {"default",        "integrator dop853", "integrator dopri5",
                                      "integrator abm", "integrator rk4",    "integrator heun",
                                      "baumgarte"};
enum { METHODS = sizeof methods / sizeof *methods };

static how way(int i) {
  bool fixed = i >= 4;
  return (how){methods[i], NULL, fixed ? 1e-3 : 0, fixed ? 0 : 1e-9, NULL};
}

// the largest force of dry friction, written in several ways
static const char *const ways[] = {"%.17g*sign(rate)", "if(rate > 0, %.17g, %.17g)",
                                   "%.17g*(step(rate) - step(-rate))", "%.17g*(1 - 2*(rate < 0))"};

static void friction_text(char *text, size_t size, int i, double F) {
  snprintf(text, size, ways[i % 4], F, -F);
}

// a block with dry friction as a formula, under a force that grows: it comes to rest, is held, and
// goes on where the force exceeds the friction
static void held_and_released(void) {
  double worst = 0;
  for (int k = 0; k < 8 * METHODS; k++) {
    double m = test_random(0.5, 3), F = test_random(2, 6), c = test_random(1, 2);
    double v0 = test_random(0.2, 0.5) * F * F / (2 * c * m);
    double stops = (F - sqrt(F * F - 2 * c * m * v0)) / c, goes = F / c, until = goes + 1;
    double x = v0 * stops + (c * stops / 3 - F) * stops * stops / (2 * m) + c / (6 * m);
    char rub[120], text[600];
    friction_text(rub, sizeof rub, k, F);
    snprintf(text, sizeof text,
             "simulation: {duration: %.17g}\n"
             "bodies:\n  block: {type: planar, mass: %.17g, inertia: 1}\n"
             "joints:\n  rail: {type: prismatic, b: block, axis: [1, 0], rate: %.17g}\n"
             "forces:\n  act: {type: motor, joint: rail, law: '%.17g*t - %s'}\n",
             until, m, v0, c, rub);
    rig r = rig_open(text, way(k % METHODS));
    double rate = NAN, at = NAN;
    if (rig_ready(&r) && rig_go(&r, 0.5 * (stops + goes))) {
      (void)rig_value(&r, "rail", &rate);
      CHECK(fabs(rate) < 1e-9 && fabs(hn_accelerations(r.sim)[0]) < 1e-6 * F / m);
    }
    if (!r.status && rig_go(&r, until)) at = rig_value(&r, "rail", &rate);
    double tolerance = way(k % METHODS).step > 0 ? 2e-6 : 1e-7;
    if (!CHECK(fabs(at - x) < tolerance && fabs(rate - c / (2 * m)) < tolerance))
      printf("  %s, %s: x %.9g (%.9g), v %.9g (%.9g)\n", methods[k % METHODS], rub, at, x, rate,
             c / (2 * m));
    worst = fmax(worst, fabs(at - x));
    rig_close(&r);
  }
  printf("  held and released, %d blocks: %.1e m\n", 8 * METHODS, worst);
}

// what is recorded while it is held is what holds it, and the audit passes
static void recorded(void) {
  static const char text[] = "simulation: {duration: 2, output_step: 0.1}\n"
                             "bodies:\n  block: {type: planar, mass: 1, inertia: 1}\n"
                             "joints:\n  rail: {type: prismatic, b: block, axis: [1, 0], rate: 1}\n"
                             "signals:\n  rub: 5*sign(rail.rate)\n"
                             "forces:\n  act: {type: motor, joint: rail, law: 2*t}\n"
                             "  hold: {type: motor, joint: rail, law: -5*sign(rate)}\n";
  rig r = rig_open(text, way(0));
  hn_result *result = NULL;
  if (rig_ready(&r) && CHECK(hn_run(r.sim, &result, NULL, NULL) == HN_OK)) {
    hn_summary s;
    hn_sim_summary(r.sim, &s);
    CHECK(s.audit_pass);
    int force = hn_result_find(result, "hold.force"), a = hn_result_find(result, "block.ax");
    if (force < 0) force = hn_result_find(result, "hold.effort");
    CHECK(force >= 0);
    for (int i = 0; i < hn_result_rows(result) && force >= 0; i++) {
      const double *row = hn_result_row(result, i);
      if (row[0] > 0.25) CHECK_NEAR(row[force], -2 * row[0], 1e-6);
      if (row[0] > 0.25 && a >= 0) CHECK_NEAR(row[a], 0, 1e-6);
    }
  }
  hn_result_destroy(result);
  rig_close(&r);
}

// a relay that keeps x + c v = 0: along the line x decays as exp(-t/c), whatever else acts
static void kept_on_a_line(void) {
  static const char text[] =
      "bodies:\n  block: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n  rail: {type: prismatic, b: block, axis: [1, 0], value: 0.5, rate: -1}\n"
      "forces:\n  act: {type: motor, joint: rail, law: '3*sin(5*t) - 2*value^2 +"
      " if(value + 0.5*rate > 0, -20, 20)'}\n";
  double e[3], exact = 0.5 * exp(-2.0 / 0.5);
  for (int i = 0; i < METHODS; i++) {
    rig r = rig_open(text, way(i));
    if (rig_ready(&r) && rig_go(&r, 2)) CHECK_NEAR(rig_value(&r, "rail", NULL), exact, 2e-6);
    rig_close(&r);
  }
  CHECK(rig_order(text, "rail", "integrator heun", 0.02, 2, exact, e) > 1.6);
  CHECK(rig_order(text, "rail", "integrator rk4", 0.1, 2, exact, e) > 3.6);
}

// several at once: three blocks in a row, each held by its own friction until the pull comes
// through
static void several(void) {
  static const char text[] =
      "bodies:\n"
      "  a: {type: planar, mass: 1, inertia: 1}\n  b: {type: planar, mass: 1, inertia: 1}\n"
      "  c: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n"
      "  ra: {type: prismatic, b: a, axis: [1, 0], rate: 1}\n"
      "  rb: {type: prismatic, b: b, axis: [1, 0], rate: 2}\n"
      "  rc: {type: prismatic, b: c, axis: [1, 0], rate: -1}\n"
      "forces:\n"
      "  fa: {type: motor, joint: ra, law: t - 4*sign(rate)}\n"
      "  fb: {type: motor, joint: rb, law: t - 5*sign(rate)}\n"
      "  fc: {type: motor, joint: rc, law: -t - 6*sign(rate)}\n";
  static const double friction[] = {4, 5, 6};
  for (int i = 0; i < METHODS; i++) {
    rig r = rig_open(text, way(i));
    double v[3];
    if (!rig_ready(&r) || !rig_go(&r, 3)) continue;
    for (int k = 0; k < 3; k++) {
      const char *name = (const char *const[]){"ra", "rb", "rc"}[k];
      (void)rig_value(&r, name, &v[k]);
      CHECK_NEAR(v[k], 0, 1e-9);
    }
    if (rig_go(&r, 8))
      for (int k = 0; k < 3; k++) {
        const char *name = (const char *const[]){"ra", "rb", "rc"}[k];
        double late = 8 - friction[k];
        (void)rig_value(&r, name, &v[k]);
        CHECK_NEAR(v[k], (k == 2 ? -0.5 : 0.5) * late * late, 1e-5);
      }
    rig_close(&r);
  }
}

// what cannot slide says so: implicit steppers, and a formula with two switching points at once
static void refused(void) {
  static const char one[] = "bodies:\n  block: {type: planar, mass: 1, inertia: 1}\n"
                            "joints:\n  rail: {type: prismatic, b: block, axis: [1, 0], rate: 1}\n"
                            "forces:\n  act: {type: motor, joint: rail, law: -5*sign(rate)}\n";
  rig r = rig_open(one, (how){"index3-alpha", NULL, 0, 0, NULL});
  if (rig_ready(&r)) {
    CHECK(hn_advance(r.sim, 1) == HN_ERR_UNSUPPORTED);
    CHECK(strstr(hn_sim_error(r.sim), "switches to and fro without end"));
    CHECK(strstr(hn_sim_error(r.sim), "explicit"));
  }
  rig_close(&r);
  static const char two[] = "bodies:\n  a: {type: planar, mass: 1, inertia: 1}\n  b: {type: "
                            "planar, mass: 1, inertia: 1}\n"
                            "joints:\n  ra: {type: prismatic, b: a, axis: [1, 0], rate: 1}\n"
                            "  rb: {type: prismatic, b: b, axis: [1, 0], rate: 2}\n"
                            "signals:\n  rub: 5*sign(ra.rate) + 0.5*sign(rb.rate)\n"
                            "forces:\n  fa: {type: motor, joint: ra, law: -rub}\n"
                            "  fb: {type: motor, joint: rb, law: -rub - 3*sign(rate)}\n";
  r = rig_open(two, way(0));
  if (rig_ready(&r)) {
    CHECK(hn_advance(r.sim, 1) == HN_ERR_UNSUPPORTED);
    CHECK(strstr(hn_sim_error(r.sim), "switches to and fro without end"));
  }
  rig_close(&r);
}

int main(void) {
  RUN(held_and_released);
  RUN(recorded);
  RUN(kept_on_a_line);
  RUN(several);
  RUN(refused);
  return test_end();
}
