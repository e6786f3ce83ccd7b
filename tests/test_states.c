// test_states.c: states of first order, integrated with the motion.
//
// The plant for orders is a spatial pendulum with a swinging mass that a controller holds with a
// filter, an integral and a nonlinear state in the loop: states drive forces, the motion drives
// states.
#include "run_rig.h"
#include "sim/sim.h"

#include <complex.h>
#include <stdint.h>

#define PLANT(integrand, torque)                                                                   \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies:\n"                                                                                      \
  "  arm: {mass: 1, inertia: [0.1, 0.12, 0.05], position: [0.4, 0, 0]}\n"                          \
  "  tip: {mass: 0.4, inertia: [0.01, 0.02, 0.015], position: [0.8, 0, -0.2]}\n"                   \
  "joints:\n"                                                                                      \
  "  hinge: {type: revolute, b: arm, at: [0, 0, 0], axis: [0, 1, 0]}\n"                            \
  "  wrist: {type: revolute, a: arm, b: tip, at: [0.8, 0, 0], axis: [0.6, 0.8, 0]}\n"              \
  "forces:\n"                                                                                      \
  "  motor: {type: motor, joint: hinge, law: torque}\n"                                            \
  "  brake: {type: motor, joint: wrist, law: -0.2*rate - lagging*wrist.angle}\n"                   \
  "states:\n"                                                                                      \
  "  filtered: {rate: (hinge.angle - filtered)/0.08, start: 0.1}\n"                                \
  "  integral: {rate: " integrand "}\n"                                                            \
  "  lagging: {rate: sin(hinge.rate) - lagging^3 - 0.5*lagging*wrist.angle, start: 0.4}\n"         \
  "signals:\n"                                                                                     \
  "  torque: " torque "\n"
static const char plant[] =
    PLANT("0.3 - filtered", "12*(0.3 - filtered) + 20*integral - 2*hinge.rate");

static bool start(run *r, const char *text, const char *integrator, const char *coordinates,
                  double step, double rtol) {
  return run_start(r, text,
                   (run_by){.integrator = integrator,
                            .coordinates = coordinates,
                            .step = step,
                            .rtol = rtol,
                            .newton_tol = 1e-11,
                            .correction = run_correction(integrator)});
}

// what the end of a run is compared by
enum { NUMBERS = 7 };
static bool read_end(run *r, double x[NUMBERS]) {
  const char *const joint[] = {"hinge", "wrist"};
  for (int i = 0; i < 2; i++)
    if (!CHECK(!hn_joint_coordinate(r->sim, hn_find_joint(r->system, joint[i]), NULL, &x[2 * i],
                                    &x[2 * i + 1])))
      return false;
  for (int i = 0; i < 3; i++) x[4 + i] = hn_states(r->sim)[i];
  return true;
}

static bool run_to(const char *integrator, const char *coordinates, double step, double rtol,
                   double t, double x[NUMBERS]) {
  run r;
  bool started = start(&r, plant, integrator, coordinates, step, rtol), done = false;
  if (started) done = CHECK(hn_advance(r.sim, t) == HN_OK) && read_end(&r, x);
  if (started && !done) printf("  %s: %s\n", integrator, hn_sim_error(r.sim));
  if (!CHECK(started)) printf("  %s: %s\n", integrator, r.message);
  run_free(&r);
  return done;
}

static double difference(const double *x, const double *y) {
  double most = 0;
  for (int i = 0; i < NUMBERS; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

static const char *coordinates_of(const hn_integrator_type *type) {
  return type->can & HN_NEEDS_NATURAL ? "natural" : "reference";
}

// every integrator carries the states at its order
static void orders(void) {
  static const double end = 0.8;
  double exact[NUMBERS], x[NUMBERS];
  int carried = 0;
  if (!CHECK(run_to("dop853", "reference", 0, 1e-13, end, exact))) return;
  for (int i = 0; hn_integrator_at(i); i++) {
    const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
    bool bdf = strstr(type->info.name, "bdf") != NULL;
    if (bdf || strcmp(type->info.name, "abm") == 0) continue;  // choose their order
    static const double longest[] = {0, 4e-3, 1e-2, 2e-2, 4e-2, 8e-2, 0, 0, 0.2};
    double error[3], h = longest[type->order] * (type->multistep ? 0.5 : 1);
    bool runs = true;
    for (int k = 0; k < 3 && runs; k++) {
      runs = run_to(type->info.name, coordinates_of(type), h / (1 << k), 0.1, end, x);
      error[k] = difference(x, exact);
    }
    if (!CHECK(runs)) continue;
    double order = 0.5 * log2(error[0] / error[2]);
    printf("  %-22s %.1e %.1e %.1e order %.2f of %d\n", type->info.name, error[0], error[1],
           error[2], order, type->order);
    CHECK(order > type->order - (type->order < 5 ? 0.3 : 0.6));
    carried++;
  }
  CHECK(carried >= 34);
  // methods that choose order or step: errors follow the tolerance
  static const char *const chosen[] = {
      "abm",        "dopri5",       "dop853",       "index2-bdf",        "index1-bdf",
      "index3-bdf", "index2-alpha", "index3-alpha", "tangent-space-bdf", "implicit-partition-bdf"};
  for (int i = 0; i < 10; i++) {
    double loose[NUMBERS], tight[NUMBERS];
    bool low = strstr(chosen[i], "-alpha") != NULL;
    if (!run_to(chosen[i], "reference", 0, low ? 1e-3 : 1e-5, end, loose) ||
        !run_to(chosen[i], "reference", 0, low ? 1e-5 : 1e-9, end, tight)) {
      CHECK(false);
      continue;
    }
    printf("  %-22s tolerance: %.1e %.1e\n", chosen[i], difference(loose, exact),
           difference(tight, exact));
    CHECK(difference(tight, exact) < (low ? 1e-4 : 1e-7));
    CHECK(difference(tight, exact) < 0.2 * difference(loose, exact));
  }
  // the other coordinates
  static const char *const families[] = {"relative", "natural"};
  for (int i = 0; i < 2; i++) {
    if (CHECK(run_to("dop853", families[i], 0, 1e-11, end, x))) CHECK(difference(x, exact) < 1e-9);
  }
}

// x' = a x + b, from a start, a steady one, and beside a motion that knows nothing of it
static void closed_forms(void) {
  static const char text[] = "bodies:\n"
                             "  mass: {type: planar, mass: 2, inertia: 1}\n"
                             "joints:\n"
                             "  guide: {type: prismatic, b: mass, axis: [1, 0]}\n"
                             "forces:\n"
                             "  push: {type: force, b: mass, force: [3*lag, 0]}\n"
                             "states:\n"
                             "  lag: {rate: (u - lag)/0.2, start: 2, unit: N}\n"
                             "  calm: {rate: lag - 4*calm - twin, steady: true}\n"
                             "  twin: {rate: calm - twin^3, steady: true}\n"
                             "  ramp: 1.5\n"
                             "signals:\n"
                             "  u: {input: 0.5}\n";
  static const char *const integrators[] = {"dop853", "index2-alpha"};
  for (int i = 0; i < 2; i++) {
    run r;
    double tol = i ? 2e-5 : 1e-10;
    if (!CHECK(start(&r, text, integrators[i], "reference", 0, i ? 1e-6 : 1e-12)))
      printf("  %s\n", r.message);
    else {
      int lag = hn_state_find(r.system, "lag"), ramp = hn_state_find(r.system, "ramp");
      CHECK(hn_state_count(r.system) == 4 && hn_state_find(r.system, "none") == -1);
      CHECK(strcmp(hn_state_name(r.system, lag), "lag") == 0 && !hn_state_name(r.system, 4));
      const double *x = hn_states(r.sim);
      double calm = x[1], twin = x[2];
      CHECK_NEAR(2 - 4 * calm - twin, 0, 1e-14);
      CHECK_NEAR(calm - twin * twin * twin, 0, 1e-14);
      CHECK(hn_advance(r.sim, 0.7) == HN_OK);
      double e = exp(-0.7 / 0.2);
      CHECK_NEAR(hn_states(r.sim)[lag], 0.5 + 1.5 * e, tol);
      CHECK_NEAR(hn_states(r.sim)[ramp], 1.05, tol);
      double v, p;
      CHECK(!hn_joint_coordinate(r.sim, hn_find_joint(r.system, "guide"), NULL, &p, &v));
      CHECK_NEAR(v, 1.5 * (0.5 * 0.7 + 1.5 * 0.2 * (1 - e)), tol);
      // an input acts from here on
      double before = hn_states(r.sim)[lag];
      CHECK(hn_input_set(r.sim, 0, -1) == HN_OK && hn_advance(r.sim, 0.9) == HN_OK);
      CHECK_NEAR(hn_states(r.sim)[lag], -1 + (before + 1) * exp(-1), tol);
      // and states can be set
      double y[4] = {1, 2, 3, 4};
      CHECK(hn_set_states(r.sim, y) == HN_OK && hn_advance(r.sim, 1.1) == HN_OK);
      CHECK_NEAR(hn_states(r.sim)[lag], -1 + 2 * exp(-1), tol);
      y[2] = NAN;
      CHECK(hn_set_states(r.sim, y) == HN_ERR_ARGUMENT && strstr(hn_sim_error(r.sim), "twin"));
      hn_energy energy;
      CHECK(hn_sim_energy(r.sim, &energy) == HN_OK);
      CHECK(fabs(energy.balance) < (i ? 1e-4 : 1e-9) * energy.scale);
    }
    run_free(&r);
  }
}

// derivatives of the forces by the motion, states following it, against differences
static uint64_t seed = 20261116;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static void check_tangents(const char *text) {
  run r;
  printf("  seed %llu\n", (unsigned long long)seed);
  if (!CHECK(start(&r, text, "dop853", "reference", 0, 1e-8))) return;
  const hn_system *sys = r.system;
  hn_work *work = &r.sim->stage.work;
  enum { N = 12, Q = 14 };
  double constant[3], K[N * N], C[N * N], q[Q], v[N], d[N], f[2][N];
  if (!CHECK(sys->nv == N && sys->nq == Q)) return;
  for (int trial = 0; trial < 20; trial++) {
    bool steady = trial % 4 == 3;  // what an equilibrium asks for; an integral has no such value
    hn_state_rule rule = {
        .keep = 1, .rate = steady ? 5 : uniform(0.001, 0.3), .constant = constant};
    for (int i = 0; i < 3; i++) constant[i] = uniform(-1, 1);
    memcpy(q, sys->q0, sizeof q);
    for (int i = 0; i < N; i++) d[i] = uniform(-0.5, 0.5), v[i] = uniform(-2, 2);
    hn_retract(sys, q, d);
    hn_tangent tangent = {.n = N, .K = K, .C = C};
    memset(K, 0, sizeof K), memset(C, 0, sizeof C);
    hn_give_states(work, constant);
    work->rule = &rule;
    hn_eval_all(work, 0, q, v);
    hn_force_tangent(work, &tangent);
    double most = 0;
    for (int j = 0; j < 2 * N; j++) {
      double h = 1e-6;
      for (int side = 0; side < 2; side++) {
        double moved[Q], speed[N];
        memcpy(moved, q, sizeof q), memcpy(speed, v, sizeof v), memset(d, 0, sizeof d);
        d[j % N] = side ? h : -h;
        if (j < N)
          hn_retract(sys, moved, d);
        else
          speed[j - N] += d[j - N];
        hn_eval_all(work, 0, moved, speed);
        memcpy(f[side], work->f, sizeof f[side]);
      }
      for (int i = 0; i < N; i++) {
        double slope = (f[1][i] - f[0][i]) / (2 * h), given = (j < N ? K : C)[i * N + j % N];
        most = fmax(most, fabs(slope - given) / (1 + fabs(given)));
      }
    }
    if (!CHECK(most < 2e-7)) printf("  trial %d: %.1e\n", trial, most);
    work->rule = NULL;
  }
  run_free(&r);
}

// an integral of the motion, too: a state that reads no state, not even itself
static void tangents(void) {
  check_tangents(plant);
  check_tangents(PLANT("wrist.rate*hinge.angle", "20*integral"));
}

// a run restored, copied, verified or run again knows the states
static void companions(void) {
  static const char *const integrators[] = {"dop853", "abm", "index3-alpha", "rk4"};
  for (int i = 0; i < 4; i++) {
    run r;
    hn_sim *other = NULL, *twin = NULL;
    void *bytes = NULL;
    size_t length;
    if (CHECK(start(&r, plant, integrators[i], "reference", i == 3 ? 0.01 : 0, 1e-6)) &&
        CHECK(hn_advance(r.sim, 0.5) == HN_OK) &&
        CHECK(!hn_sim_save(r.sim, &bytes, &length, r.message, sizeof r.message)) &&
        CHECK(!hn_sim_restore(&other, r.system, bytes, length, r.message, sizeof r.message)) &&
        CHECK(!hn_sim_copy(&twin, r.sim, r.message, sizeof r.message))) {
      hn_sim *all[] = {r.sim, other, twin};
      for (int k = 0; k < 3; k++) CHECK(hn_advance(all[k], 1) == HN_OK);
      for (int k = 1; k < 3; k++) {
        CHECK(memcmp(hn_states(r.sim), hn_states(all[k]), 3 * sizeof(double)) == 0);
        CHECK(memcmp(hn_positions(r.sim), hn_positions(all[k]), 14 * sizeof(double)) == 0);
      }
    }
    hn_free(bytes);
    hn_sim_destroy(other), hn_sim_destroy(twin);
    run_free(&r);
  }
  run r;
  hn_motion_error error;
  double x[3] = {0.5, 0.2, -0.7};  // a companion that starts elsewhere would be seen
  if (CHECK(start(&r, plant, "dopri5", "reference", 0, 1e-6)) &&
      CHECK(hn_set_states(r.sim, x) == HN_OK && hn_advance(r.sim, 1) == HN_OK) &&
      CHECK(hn_verify(r.sim, &error) == HN_OK)) {
    printf("  verified: %.1e m, %.1e rad (%s)\n", error.position, error.angle, error.how);
    CHECK(error.known && error.relative_position < 1e-3);
  }
  run_free(&r);
}

// recorded: the states with their units; rows far apart are run again with them
static void recorded(void) {
  run r = {.model = hn_model_create()};
  char text[2000];
  snprintf(text, sizeof text, "%ssimulation: {duration: 2, output_step: 0.25}\n", plant);
  CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
  if (CHECK(run_model(&r, "explicit", "reference", 0) == HN_OK)) {
    int at = column(r.result, "integral");
    double exact[NUMBERS];
    CHECK(run_to("dop853", "reference", 0, 1e-12, 2, exact));
    CHECK_NEAR(last_row(r.result)[at], exact[5], 1e-3);
    hn_summary s;
    hn_sim_summary(r.sim, &s);
    CHECK(s.audit_pass);
  } else {
    printf("  %s\n", r.message);
  }
  run_free(&r);
}

// x' = a x + sin(w t), which nothing in the motion reads
static double filter(double a, double w, double x0, double t) {
  double size = a * a + w * w, start = -w / size;
  return (x0 - start) * exp(a * t) + (-a * sin(w * t) - w * cos(w * t)) / size;
}

// a recorded state may be off by ten times what the audit says and no more, though the motion is
// exact: steps are drawn from hardly enough to plenty
static void audited(void) {
  static const char *const methods[] = {"standard", "symplectic", "index2-alpha", "index3-alpha",
                                        "default"};
  int failed = 0, passed = 0;
  for (int k = 0; k < 40; k++) {
    double a = -test_random(0.2, 6), w = test_random(3, 30), x0 = test_random(-1, 1),
           step = pow(10, test_random(-3, -1)), worst = 0, low = x0, high = x0;
    char text[400];
    run r = {.model = hn_model_create()};
    hn_options *o = hn_model_options(r.model);
    snprintf(text, sizeof text,
             "bodies:\n  cart: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}\n"
             "states:\n  filtered: {rate: '%.17g*filtered + sin(%.17g*t)', start: %.17g}\n",
             a, w, x0);
    CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
    snprintf(o->method, sizeof o->method, "%s", methods[k % 5]);
    o->duration = 2, o->output_step = 0.05;
    o->step = k % 5 == 4 ? 0 : step;
    o->rtol = pow(10, test_random(-8, -4));
    hn_status status = hn_compile(&r.system, r.model);
    if (!status) status = hn_sim_create(&r.sim, r.system, o, r.message, sizeof r.message);
    if (!status) status = hn_run(r.sim, &r.result, NULL, NULL);
    if (CHECK(!status)) {
      hn_summary s;
      hn_sim_summary(r.sim, &s);
      int at = column(r.result, "filtered");
      for (int i = 0; i < hn_result_rows(r.result); i++) {
        const double *row = hn_result_row(r.result, i);
        double x = filter(a, w, x0, row[0]);
        worst = fmax(worst, fabs(row[at] - x));
        low = fmin(low, x), high = fmax(high, x);
      }
      worst /= high - low;
      s.audit_pass ? passed++ : failed++;
      if (!CHECK(!s.audit_pass || (s.motion.known && worst < 10 * s.motion.relative_state + 1e-9)))
        printf("  %s, step %g, rtol %g: off by %.2g, told %.2g (%s)\n", methods[k % 5], o->step,
               o->rtol, worst, s.motion.relative_state, s.motion.how);
      if (worst > 0.1) CHECK(!s.audit_pass);
    }
    run_free(&r);
  }
  printf("  states: %d runs passed their audit, %d failed\n", passed, failed);
  CHECK(passed > 10 && failed > 3);
}

// where a state switches a force, steps end there
static void switches(void) {
  static const char text[] = "bodies:\n"
                             "  mass: {type: planar, mass: 1, inertia: 1}\n"
                             "joints:\n"
                             "  guide: {type: prismatic, b: mass, axis: [1, 0]}\n"
                             "forces:\n"
                             "  push: {type: force, b: mass, force: ['if(fill > 1, -3, 1)', 0]}\n"
                             "states:\n"
                             "  fill: {rate: 'if(fill > 1, 0.25, 2 - t)'}\n";
  static const char *const integrators[] = {"rk4", "dop853", "index2-alpha"};
  // 2 t - t^2 / 2 = 1
  double at = 2 - sqrt(2), end = 2, p, v;
  for (int i = 0; i < 3; i++) {
    run r;
    bool low = i == 2;
    if (CHECK(start(&r, text, integrators[i], "reference",
                    i == 0 ? 0.09
                    : low  ? 0.01
                           : 0,
                    1e-10)) &&
        CHECK(hn_advance(r.sim, end) == HN_OK) &&
        CHECK(!hn_joint_coordinate(r.sim, hn_find_joint(r.system, "guide"), NULL, &p, &v))) {
      CHECK_NEAR(v, at - 3 * (end - at), low ? 1e-4 : 1e-10);
      CHECK_NEAR(hn_states(r.sim)[0], 1 + 0.25 * (end - at), low ? 1e-4 : 1e-10);
    }
    run_free(&r);
  }
}

// m x'' + c x' + k x = -g f + i,  T f' = x - f: eigenvalues, and the way from the input to signals,
// by the characteristic polynomial p(s) = (m s^2 + c s + k)(T s + 1) + g
static const char oscillator[] = "bodies:\n"
                                 "  mass: {type: planar, mass: 2, inertia: 1}\n"
                                 "joints:\n"
                                 "  guide: {type: prismatic, b: mass, axis: [1, 0]}\n"
                                 "forces:\n"
                                 "  law: {type: force, b: mass, force: [push, 0]}\n"
                                 "signals:\n"
                                 "  i: {input: 0}\n"
                                 "  push: i - 3*mass.vx - 80*mass.x - 25*f\n"
                                 "states:\n"
                                 "  f: {rate: (mass.x - f)/0.1, start: %g}\n";

static complex double polynomial(complex double s) {
  return (2 * s * s + 3 * s + 80) * (0.1 * s + 1) + 25;
}

// row `output` of Y (s - A)^-1 B + D for the only input, size 3 by Cramer's rule
static complex double response(const hn_linear *l, int output, complex double s) {
  complex double M[3][3], x[3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) M[i][k] = (i == k ? s : 0) - l->A[3 * i + k];
  for (int k = 0; k < 4; k++) {
    complex double N[3][3];
    memcpy(N, M, sizeof N);
    for (int i = 0; i < 3 && k < 3; i++) N[i][k] = l->B[i];
    complex double det = N[0][0] * (N[1][1] * N[2][2] - N[1][2] * N[2][1]) -
                         N[0][1] * (N[1][0] * N[2][2] - N[1][2] * N[2][0]) +
                         N[0][2] * (N[1][0] * N[2][1] - N[1][1] * N[2][0]);
    if (k < 3)
      x[k] = det;
    else
      for (int i = 0; i < 3; i++) x[i] /= det;
  }
  complex double sum = l->D[output];
  for (int i = 0; i < 3; i++) sum += l->Y[3 * output + i] * x[i];
  return sum;
}

// three masses in a row, m q'' + C q' + K q = b i with C = K / 20: rates of all of them, measured
// across freedoms that the library chose, answer as i w (K (1 + i w / 20) - w^2 m)^-1 b. K's
// eigenvectors sin(j k pi / 4) give that in closed form
static void rates_of_three(void) {
  static const char text[] =
      "bodies:\n"
      "  a: {type: planar, mass: 2, inertia: 1}\n"
      "  b: {type: planar, mass: 2, inertia: 1, position: [1, 0]}\n"
      "  c: {type: planar, mass: 2, inertia: 1, position: [2, 0]}\n"
      "joints:\n"
      "  one: {type: prismatic, b: a, axis: [1, 0]}\n"
      "  two: {type: prismatic, b: b, at: [1, 0], axis: [1, 0]}\n"
      "  three: {type: prismatic, b: c, at: [2, 0], axis: [1, 0]}\n"
      "forces:\n"
      "  on_a: {type: force, b: a, force: ['i - 80*(2*x1 - x2) - 4*(2*v1 - v2)', 0]}\n"
      "  on_b: {type: force, b: b, force: ['-80*(2*x2 - x1 - x3) - 4*(2*v2 - v1 - v3)', 0]}\n"
      "  on_c: {type: force, b: c, force: ['-80*(2*x3 - x2) - 4*(2*v3 - v2)', 0]}\n"
      "signals:\n"
      "  i: {input: 0}\n"
      "  x1: a.x\n"
      "  x2: b.x - 1\n"
      "  x3: c.x - 2\n"
      "  v1: one.rate\n"
      "  v2: two.rate\n"
      "  v3: three.rate\n";
  run r;
  hn_linear *l = NULL;
  hn_result *bode = NULL;
  static const char *const name[] = {"v1/i.gain", "v2/i.gain", "v3/i.gain"};
  if (CHECK(start(&r, text, "dop853", "reference", 0, 1e-8)) &&
      CHECK(hn_linearise(r.sim, &l) == HN_OK) &&
      CHECK(hn_frequency_response(r.sim, l, 0.1, 10, 30, &bode) == HN_OK))
    for (int i = 0; i < 30; i++) {
      const double *row = hn_result_row(bode, i);
      double w = 2 * acos(-1) * row[0], quarter = acos(-1) / 4;
      for (int k = 1; k <= 3; k++) {
        complex double sum = 0;
        for (int j = 1; j <= 3; j++) {
          double K = 80 * (2 - 2 * cos(j * quarter));
          sum += 0.5 * sin(j * quarter) * sin(j * k * quarter) * I * w /
                 (K * (1 + I * w / 20) - 2 * w * w);
        }
        CHECK_NEAR(row[column(bode, name[k - 1])], 20 * log10(cabs(sum)), 1e-9);
      }
    }
  hn_result_destroy(bode);
  hn_linear_destroy(l);
  run_free(&r);
}

static void linearised(void) {
  run r;
  hn_linear *l = NULL;
  hn_modes *modes = NULL;
  char text[700];
  snprintf(text, sizeof text, oscillator, 0.0);
  if (CHECK(start(&r, text, "dop853", "reference", 0, 1e-8)) &&
      CHECK(hn_linearise(r.sim, &l) == HN_OK) && CHECK(hn_modes_create(&modes, l) == HN_OK)) {
    CHECK(l->equilibrium && l->states == 1 && l->inputs == 1 && l->outputs == 3 &&
          !l->conservative);
    CHECK(modes->count == 2);
    for (int i = 0; i < modes->count; i++)
      CHECK(cabs(polynomial(modes->mode[i].re + I * modes->mode[i].im)) < 1e-9);
    for (double w = 0; w < 40; w += 1.7) {
      complex double s = I * w, p = polynomial(s), x = (0.1 * s + 1) / p, f = 1 / p;
      CHECK_STR(hn_signal_name(r.system, 1), "push");
      CHECK(cabs(response(l, 1, s) - (1 - (3 * s + 80) * x - 25 * f)) < 1e-12);
      CHECK(cabs(response(l, 2, s) - f) < 1e-12);
      CHECK(cabs(response(l, 0, s) - 1) < 1e-15);
    }
  }
  // the same as gain and phase, and as a table
  hn_result *bode = NULL, *table = NULL;
  if (l && CHECK(hn_frequency_response(r.sim, l, 0.1, 10, 50, &bode) == HN_OK) &&
      CHECK(hn_linear_table(r.sim, l, &table) == HN_OK)) {
    CHECK(hn_result_rows(bode) == 50 && hn_result_columns(bode) == 7);
    for (int i = 0; i < 50; i++) {
      const double *row = hn_result_row(bode, i);
      complex double s = 2 * I * acos(-1) * row[0], f = 1 / polynomial(s);
      CHECK_NEAR(row[column(bode, "f/i.gain")], 20 * log10(cabs(f)), 1e-10);
      CHECK_NEAR(remainder(row[column(bode, "f/i.phase")] - carg(f) * 180 / acos(-1), 360), 0,
                 1e-9);
      if (i)
        CHECK(fabs(row[column(bode, "f/i.phase")] -
                   hn_result_row(bode, i - 1)[column(bode, "f/i.phase")]) <= 180);
    }
    CHECK(hn_result_rows(table) == 6 && hn_result_columns(table) == 4);
    CHECK(hn_result_row(table, 1)[column(table, "i.input")] == l->B[1]);
    CHECK(hn_result_row(table, 4)[column(table, "f")] == l->Y[3 + 2]);
  }
  hn_result *none = NULL;
  if (l) CHECK(hn_frequency_response(r.sim, l, 1, 0.5, 50, &none) == HN_ERR_ARGUMENT);
  CHECK(!none);
  hn_result_destroy(bode);
  hn_result_destroy(table);
  hn_modes_destroy(modes);
  hn_linear_destroy(l);
  run_free(&r);
  // off balance: statics finds the equilibrium with the state
  snprintf(text, sizeof text, oscillator, 1.0);
  hn_equilibrium info;
  if (CHECK(start(&r, text, "dop853", "reference", 0, 1e-8))) {
    CHECK(hn_linearise(r.sim, &l) == HN_ERR_UNSUPPORTED);
    CHECK(hn_input_set(r.sim, 0, 21) == HN_OK);
    if (!CHECK(hn_statics(r.sim, HN_REST, &info, NULL) == HN_OK))
      printf("  %s\n", hn_sim_error(r.sim));
    CHECK(info.stability == HN_STABLE);
    CHECK_NEAR(hn_states(r.sim)[0], 0.2, 1e-12);
    CHECK_NEAR(hn_positions(r.sim)[0], 0.2, 1e-12);
    CHECK(hn_linearise(r.sim, &l) == HN_OK);
    hn_linear_destroy(l);
  }
  run_free(&r);
}

static void refused(void) {
  static const char plain[] = "bodies:\n  a: {type: planar, mass: 1, inertia: 1}\n";
  static const refusal cases[] = {
      {"states:\n  x: {start: 1}\n", "a state needs a rate, or a type"},
      {"states:\n  x: {rate: 1, start: 1, steady: true}\n", "both say where"},
      {"states:\n  x: {rate: y}\n", "unknown name 'y'"},
      {"states:\n  t: 1\n", "state 't': the name is reserved"},
      {"states:\n  x: 1\nsignals:\n  x: 2\n", "already"},
      {"states:\n  x: {rate: 1, size: -1}\n", "size must be positive"},
      {"joints:\n  g: {type: prismatic, b: a, axis: [1, 0]}\n  d: {type: driver, joint_a: g, "
       "motion: x}\nstates:\n  x: 1\n",
       "is a state"},
  };
  run_refused(plain, cases, sizeof cases / sizeof *cases);
  run r;
  CHECK(!start(&r,
               "bodies:\n  a: {type: planar, mass: 1, inertia: 1}\nstates:\n  x: {rate: 1, "
               "steady: true}\n",
               "dop853", "reference", 0, 1e-6));
  CHECK(strstr(r.message, "an integrator has none") != NULL);
  run_free(&r);
}

int main(void) {
  RUN(closed_forms);
  RUN(orders);
  RUN(tangents);
  RUN(companions);
  RUN(recorded);
  RUN(audited);
  RUN(switches);
  RUN(linearised);
  RUN(rates_of_three);
  RUN(refused);
  return test_end();
}
