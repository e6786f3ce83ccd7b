// test_tally.c: integrals among the columns, and the ledger of what brings energy in.
#include "run_rig.h"
#include "sim/sim.h"

#include <stdlib.h>

// a pendulum with a spring and a state that has the integral's rate, which integrates it with the
// motion: columns must agree with it at the order of the integrator
static const char pendulum[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
    "forces:\n"
    "  motor: {type: motor, joint: hinge, law: 3*sin(5*t) - 0.4*rate}\n"
    "states:\n"
    "  swept: {rate: hinge.angle*hinge.rate + cos(3*hinge.angle)}\n"
    "outputs:\n"
    "  swept_too: {integral: hinge.angle*hinge.angle_rate + cos(3*hinge.angle), unit: rad}\n"
    "  brought: {integral: motor.power, unit: J}\n"
    "  twice: 2*swept_too\n"
    "  reached: {integral: arm.vx, unit: m}\n";

static bool value(run *r, const char *name, double *x) {
  double row[200];
  int k = 0, count = hn_column_count(r->system);
  while (k < count && strcmp(hn_column_name(r->system, k), name) != 0) k++;
  if (!CHECK(k < count && count < 200) || !CHECK(hn_sim_row(r->sim, row) == HN_OK)) return false;
  *x = row[k];
  return true;
}

static bool integral_by(const char *integrator, const char *coordinates, double step, double rtol,
                        double end, double x[2]) {
  run r;
  bool ok = run_start(&r, pendulum,
                      (run_by){.integrator = integrator,
                               .coordinates = coordinates,
                               .step = step,
                               .rtol = rtol,
                               .newton_tol = 1e-11,
                               .correction = run_correction(integrator)}) &&
            CHECK(hn_advance(r.sim, end) == HN_OK) && value(&r, "swept_too", &x[0]) &&
            value(&r, "brought", &x[1]);
  if (!CHECK(ok)) printf("  %s: %s\n", integrator, r.sim ? hn_sim_error(r.sim) : r.message);
  run_free(&r);
  return ok;
}

// the integral by itself, and against the same run's state and work
static void exact(void) {
  run r;
  double x = NAN, y = NAN;
  if (run_start(&r, pendulum, (run_by){.integrator = "dop853", .rtol = 1e-12}) &&
      CHECK(hn_advance(r.sim, 1.3) == HN_OK)) {
    hn_energy e;
    CHECK(value(&r, "swept", &x) && value(&r, "swept_too", &y));
    CHECK_NEAR(y, x, 1e-9);
    CHECK(value(&r, "twice", &x));
    CHECK_NEAR(x, 2 * y, 1e-15);
    CHECK(value(&r, "brought", &x) && hn_sim_energy(r.sim, &e) == HN_OK);
    CHECK_NEAR(x, e.work, 1e-9 * e.scale);
    CHECK(value(&r, "reached", &x) && value(&r, "arm.x", &y));
    CHECK_NEAR(x, y - 0.5, 1e-9);
  }
  run_free(&r);
}

static void orders(void) {
  static const double end = 0.8;
  double right[2], x[2], error[3];
  if (!integral_by("dop853", "reference", 0, 1e-13, end, right)) return;
  for (int i = 0; hn_integrator_at(i); i++) {
    const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
    const char *name = type->info.name;
    bool chooses = strstr(name, "bdf") || strcmp(name, "abm") == 0;
    static const double longest[] = {0, 4e-3, 1e-2, 1e-2, 4e-2, 4e-2, 0, 0, 0.1};
    const char *coordinates = type->can & HN_NEEDS_NATURAL ? "natural" : "reference";
    bool ran = true;
    for (int k = 0; k < 3 && ran; k++) {
      ran = integral_by(name, coordinates, chooses ? 0 : longest[type->order] / (1 << k),
                        chooses ? pow(10, -4 - 2 * k) : 0.1, end, x);
      error[k] = fmax(fabs(x[0] - right[0]), fabs(x[1] - right[1]));
    }
    if (!ran) continue;
    double order = 0.5 * log2(error[0] / error[2]);
    printf("  %-22s %.1e %.1e %.1e", name, error[0], error[1], error[2]);
    printf(chooses ? "\n" : " order %.2f of %d\n", order, type->order);
    // what is at hand inside steps of low order may be better than they are
    if (chooses)
      CHECK(error[2] < 1e-6 && error[2] < 0.2 * error[0]);
    else
      CHECK(order > fmin(type->order, 7) - (type->order < 5 ? 0.3 : 0.7) || error[2] < 1e-12);
  }
}

// ---- what the motion does not care for ------------------------------------------------------

// A stone flies in steps of seconds. Integrands have kinks, jump, are faster than any of these
// steps or narrower; one is nothing but rounding, which must not take what the others need
static void no_matter_of_steps(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n  stone: {type: planar-point, mass: 1, velocity: [1, 20]}\n"
      "outputs:\n"
      "  nothing: {integral: stone.vx - 1}\n"
      "  way: {integral: abs(stone.vy), unit: m}\n"
      "  fast: {integral: \"if(stone.vy > 3, 1, 0)\", unit: s}\n"
      "  passing: {integral: \"if(abs(stone.x - 2.5) < 0.02, 1, 0)\", unit: s}\n"
      "  near: exp(-((t - 1.234)/0.01)^2)\n"
      "  pulse: {integral: near}\n"
      "  wave: {integral: sin(300*t)^2}\n";
  const double top = 20 / 9.81, end = 4;
  const struct {
    const char *name;
    double value;
  } right[] = {{"way", 20 * top - 9.81 * top * top / 2 + 9.81 * (end - top) * (end - top) / 2},
               {"fast", 17 / 9.81},
               {"passing", 0.04},
               {"pulse", 0.01 * sqrt(hn_pi)},
               {"wave", 0.5 * end - sin(600 * end) / 1200},
               {"nothing", 0}};
  const run_by by[] = {{.integrator = "dop853"},
                       {.integrator = "rk4", .step = 0.05},
                       {.integrator = "index3-alpha", .step = 0.02, .newton_tol = 1e-12}};
  for (int k = 0; k < 3; k++) {
    run r;
    double x = NAN;
    if (run_start(&r, text, by[k]) && CHECK(hn_advance(r.sim, end) == HN_OK))
      for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        if (value(&r, right[i].name, &x))
          CHECK_NEAR(x, right[i].value, 2e-7 * fmax(1, right[i].value));
    run_free(&r);
  }
}

// what no number of evaluations finds is said, and is no more than what it may be off by
static void said(void) {
  static const char text[] =
      "bodies:\n  stone: {type: planar-point, mass: 1, velocity: [1, 20]}\n"
      "simulation: {duration: 4}\n"
      "outputs: {wild: {integral: \"sin(1e9*t)^2\"}, tame: {integral: stone.vx}}\n";
  run r = {.model = hn_model_create()};
  hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
  if (!status) status = hn_compile(&r.system, r.model);
  if (!status)
    status =
        hn_sim_create(&r.sim, r.system, hn_model_options(r.model), r.message, sizeof r.message);
  if (!status) status = hn_run(r.sim, &r.result, NULL, NULL);
  int told = 0;
  for (int i = 0; !status && hn_result_note(r.result, i); i++) {
    CHECK(!strstr(hn_result_note(r.result, i), "integral tame"));
    told += strstr(hn_result_note(r.result, i),
                   "integral wild: what it adds up changes too fast") != NULL;
  }
  CHECK(!status && told == 1);
  run_free(&r);
}

// ---- nothing of the motion changes ---------------------------------------------------------

static const char machine[] =
    "gravity: [0, -9.81]\n"
    "simulation: {duration: 1.2, output_step: 0.03, method: %s}\n"
    "bodies:\n"
    "  crank: {type: planar, mass: 1, inertia: 0.05, position: [0.1, 0.1]}\n"
    "  rod: {type: planar, mass: 2, inertia: 0.2, position: [0.5, 0.1]}\n"
    "  slider: {type: planar, mass: 1, inertia: 0.01, position: [0.8, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, b: crank, at: [0, 0]}\n"
    "  B: {type: revolute, a: crank, b: rod, at: [0.2, 0.2]}\n"
    "  C: {type: revolute, a: rod, b: slider, at: [0.8, 0]}\n"
    "  D: {type: prismatic, b: slider, axis: [1, 0]}\n"
    "forces:\n"
    "  motor: {type: motor, joint: A, law: torque}\n"
    "  rub: {type: friction, joint: D, coulomb: 0.2, speed: 0.01}\n"
    "  drag: {type: spring, joint: D, stiffness: 5, damping: 3, free: 0}\n"
    "controllers:\n"
    "  torque: {period: 0.1, formula: 4*(3 - A.rate)}\n"
    "%s";

static void undisturbed(void) {
  static const char *const methods[] = {"explicit", "standard, step: 0.01", "index2-alpha",
                                        "index3-alpha, step: 0.005", "udwadia-kalaba, step: 0.01"};
  static const char *const asked[] = {
      "", "outputs: {used: {integral: motor.power}, bearing: {integral: 'hypot(A.fx, A.fy)'}}\n"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    run r[2];
    for (int k = 0; k < 2; k++) {
      char text[2000];
      r[k] = (run){.model = hn_model_create()};
      snprintf(text, sizeof text, machine, methods[m], asked[k]);
      hn_options *o = hn_model_options(r[k].model);
      hn_status status = hn_model_parse(r[k].model, text, strlen(text), "test.yaml");
      snprintf(o->verify, sizeof o->verify, "off");
      if (k) snprintf(o->ledger, sizeof o->ledger, "on");
      if (!status) status = hn_compile(&r[k].system, r[k].model);
      if (!status) status = hn_sim_create(&r[k].sim, r[k].system, o, r[k].message, 512);
      if (!status) status = hn_run(r[k].sim, &r[k].result, NULL, NULL);
      if (!CHECK(!status))
        printf("  %s: %s %s %s\n", methods[m], hn_model_error(r[k].model), r[k].message,
               r[k].sim ? hn_sim_error(r[k].sim) : "");
    }
    const hn_result *a = r[0].result, *b = r[1].result;
    if (a && b && CHECK(hn_result_rows(a) == hn_result_rows(b)))
      for (int i = 0; i < hn_result_rows(a); i++)
        for (int c = 0; c < hn_result_columns(a); c++) {
          int other = column(b, hn_result_name(a, c));
          if (!CHECK(hn_result_row(a, i)[c] == hn_result_row(b, i)[other])) {
            printf("  %s: %s in row %d: %.17g, %.17g\n", methods[m], hn_result_name(a, c), i,
                   hn_result_row(a, i)[c], hn_result_row(b, i)[other]);
            i = hn_result_rows(a);
            break;
          }
        }
    // the ledger closes
    if (r[1].sim && b) {
      double sum = 0, size = 0;
      hn_energy e;
      CHECK(hn_sim_energy(r[1].sim, &e) == HN_OK);
      for (int i = 0; i < hn_ledger_count(r[1].sim); i++) {
        sum += hn_ledger_work(r[1].sim, i);
        size = fmax(size, fabs(hn_ledger_work(r[1].sim, i)));
      }
      printf("  %-28s work %.6g J, by its sources %.1e J apart\n", methods[m], e.work,
             sum - e.work);
      CHECK(fabs(sum - e.work) < (m == 0 ? 1e-5 : 3e-3) * size);
    }
    run_free(&r[0]), run_free(&r[1]);
  }
}

// saved, restored and copied runs go on counting, bit by bit
static void companions(void) {
  static const char *const integrators[] = {"dop853", "index2-alpha", "rk4"};
  for (int i = 0; i < 3; i++) {
    run r;
    hn_sim *other = NULL, *twin = NULL;
    void *bytes = NULL;
    size_t length;
    double row[3][200];
    if (run_start(
            &r, pendulum,
            (run_by){.integrator = integrators[i], .step = i == 2 ? 0.01 : 0, .rtol = 1e-6}) &&
        CHECK(hn_advance(r.sim, 0.5) == HN_OK) &&
        CHECK(!hn_sim_save(r.sim, &bytes, &length, r.message, sizeof r.message)) &&
        CHECK(!hn_sim_restore(&other, r.system, bytes, length, r.message, sizeof r.message)) &&
        CHECK(!hn_sim_copy(&twin, r.sim, r.message, sizeof r.message))) {
      hn_sim *all[] = {r.sim, other, twin};
      for (int k = 0; k < 3; k++)
        CHECK(hn_advance(all[k], 1) == HN_OK && hn_sim_row(all[k], row[k]) == HN_OK);
      size_t count = (size_t)hn_column_count(r.system) * sizeof(double);
      CHECK(memcmp(row[0], row[1], count) == 0 && memcmp(row[0], row[2], count) == 0);
      // from a new state they count anew
      CHECK(hn_set_state(r.sim, 0, hn_positions(r.sim), hn_velocities(r.sim)) == HN_OK);
      CHECK(value(&r, "brought", &row[0][0]) && row[0][0] == 0);
    }
    hn_free(bytes);
    hn_sim_destroy(other), hn_sim_destroy(twin);
    run_free(&r);
  }
}

// ---- sources -------------------------------------------------------------------------------

static double work_of(const run *r, const char *source) {
  for (int i = 0; i < hn_ledger_count(r->sim); i++)
    if (strcmp(hn_ledger_source(r->sim, i), source) == 0) return hn_ledger_work(r->sim, i);
  printf("  no source '%s'\n", source);
  return NAN;
}

// a damper takes m v0^2 / 2 (1 - exp(-2 c t / m)); a driver lifts m g z and gives m z'^2 / 2; an
// input pushes with 3 N over x; an impact takes m v^2 / 2 (1 - e^2); the caller pushes with 2 N
static void sources(void) {
  static const char text[] =
      "gravity: [0, -10]\n"
      "simulation: {ledger: 'on', rtol: 1e-10, verify: 'off', method: explicit}\n"
      "bodies:\n"
      "  brake: {type: planar, mass: 2, inertia: 1, velocity: [3, 0]}\n"
      "  load: {type: planar, mass: 4, inertia: 1, position: [5, 0], velocity: [0, 0]}\n"
      "  cart: {type: planar, mass: 1, inertia: 1, position: [0, 3]}\n"
      "  ball: {type: planar, mass: 0.5, inertia: 1, position: [9, 1.25]}\n"
      "  sled: {type: planar, mass: 8, inertia: 1, position: [0, 7]}\n"
      "joints:\n"
      "  rail: {type: prismatic, b: brake, axis: [1, 0]}\n"
      "  shaft: {type: prismatic, b: load, axis: [0, 1]}\n"
      "  hoist: {type: driver, joint_a: shaft, motion: 0.5*t^2}\n"
      "  track: {type: prismatic, b: cart, axis: [1, 0]}\n"
      "  fall: {type: prismatic, b: ball, axis: [0, 1], limits: [-1.25, 100], restitution: 0.6}\n"
      "  ice: {type: prismatic, b: sled, axis: [1, 0]}\n"
      "forces:\n"
      "  damper: {type: spring, joint: rail, stiffness: 0, damping: 1.5, free: 0}\n"
      "  engine: {type: force, b: cart, force: [u, 0]}\n"
      "signals:\n"
      "  u: {input: 3}\n";
  run r;
  const double end = 0.7;
  if (run_start(&r, text, (run_by){0})) {
    hn_energy e;
    double sum = 0;
    CHECK(hn_wrench_set(r.sim, hn_find_body(r.system, "sled"), (double[3]){2, 0, 0}, NULL) ==
          HN_OK);
    CHECK(hn_advance(r.sim, end) == HN_OK);
    CHECK_NEAR(work_of(&r, "damper"), -9 * (1 - exp(-1.5 * end)), 1e-8);
    CHECK_NEAR(work_of(&r, "hoist"), 4 * 10 * 0.5 * end * end + 2 * end * end, 1e-8);
    CHECK_NEAR(work_of(&r, "engine"), 3 * 0.5 * 3 * end * end, 1e-8);
    CHECK_NEAR(work_of(&r, "impacts"), -0.5 * 10 * 1.25 * (1 - 0.36), 1e-8);
    CHECK_NEAR(work_of(&r, "pushes"), 2 * 0.5 * (2.0 / 8) * end * end, 1e-8);
    for (int i = 0; i < hn_ledger_count(r.sim); i++) sum += hn_ledger_work(r.sim, i);
    CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
    CHECK_NEAR(sum, e.work, 1e-8);
    CHECK(fabs(e.balance) < 1e-8);
    CHECK(!hn_ledger_source(r.sim, -1) && !hn_ledger_source(r.sim, hn_ledger_count(r.sim)) &&
          isnan(hn_ledger_work(r.sim, -1)));
  }
  run_free(&r);
}

static void refused(void) {
  static const char plain[] = "bodies:\n  a: {type: planar, mass: 1, inertia: 1}\n";
  static const refusal cases[] = {
      {"outputs: {x: {integral: a.vx, formula: a.x}}\n", "only one can be"},
      {"outputs: {x: {unit: m}}\n", "the formula is missing"},
      {"outputs: {x: {integral: a.vz}}\n", "column 'x': integral: unknown name 'a.vz'"},
      {"outputs: {x: {integral: 'a.vx +'}}\n", "integral: "},
      {"outputs: {x: {integral: a.vx}, y: {integral: x}}\n", "it reads an integral"},
      {"outputs: {x: {integral: a.vx}, z: 2*x, y: {integral: z}}\n", "it reads an integral"},
  };
  run_refused(plain, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  RUN(exact);
  RUN(orders);
  RUN(no_matter_of_steps);
  RUN(said);
  RUN(undisturbed);
  RUN(companions);
  RUN(sources);
  RUN(refused);
  return test_end();
}
