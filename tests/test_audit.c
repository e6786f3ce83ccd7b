// test_audit.c: the audit of steps from C, the doors, and energies part by part.
#include "audit_rig.h"

static const char pendulum[] =
    "gravity: [0, -9.81]\n"
    "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
    "joints: {j: {type: revolute, b: b, at: [0, 0]}}\n";

// ---- the doors -----------------------------------------------------------------------------

static void test_options_in_the_struct(void) {
  judged j;
  if (!CHECK(judged_start(&j, pendulum, NULL))) return;
  const hn_options good = *hn_model_options(j.model);
  hn_sim *sim = NULL;
  char message[256];
  for (int k = 0; k < hn_option_count(); k++) {
    const hn_option_info *info = hn_option_at(k);
    hn_options o = good;
    // where the field lies follows from what changes it
    hn_options probe[2] = {good, good};
    if (info->fallback[0] && (info->fallback[0] < 'a' || info->fallback[0] > 'z')) {
      bool moved = false;
      static const char *const value[] = {"0.03", "0.05", "0.5", "1", "2", "1e-7", "1e-9", "1e-3"};
      size_t at = 0;
      for (int a = 0; a < 8 && !moved; a++)
        for (int b = 0; b < 8 && !moved; b++) {
          if (hn_options_set(&probe[0], info->name, value[a], message, sizeof message) ||
              hn_options_set(&probe[1], info->name, value[b], message, sizeof message))
            continue;
          for (at = 0; at < sizeof o && !moved; at += sizeof(double))
            moved = memcmp((char *)&probe[0] + at, (char *)&probe[1] + at, sizeof(double)) != 0;
        }
      if (!CHECK(moved)) continue;
      at -= sizeof(double);
      static const double wrong[] = {NAN, INFINITY, -1, 1e300};
      for (int w = 0; w < 4; w++) {
        o = good;
        memcpy((char *)&o + at, &wrong[w], sizeof(double));
        hn_status status = hn_sim_create(&sim, j.system, &o, message, sizeof message);
        if (!CHECK(status == HN_ERR_ARGUMENT && !sim && strstr(message, info->name)))
          printf("  %s = %g: %s\n", info->name, wrong[w], message);
      }
    }
  }
  hn_options o = good;
  o.rho_inf = 7;
  CHECK(hn_sim_create(&sim, j.system, &o, message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK_STR(message, "rho_inf must lie between 0 and 1, not 7");
  o = good;
  memset(o.method, 'x', sizeof o.method);
  CHECK(hn_sim_create(&sim, j.system, &o, message, sizeof message) == HN_ERR_ARGUMENT);
  o = good;
  snprintf(o.events, sizeof o.events, "perhaps");
  CHECK(hn_sim_create(&sim, j.system, &o, message, sizeof message) == HN_ERR_ARGUMENT);
  // the same at the door of the compiler
  hn_model_options(j.model)->rtol = -1;
  hn_system *system;
  CHECK(hn_compile(&system, j.model) == HN_ERR_ARGUMENT && !system);
  judged_end(&j);
}

static void test_states_and_times(void) {
  judged j;
  if (!CHECK(judged_start(&j, "models/spatial_four_bar.yaml", NULL))) return;
  enum { MOST = 64 };
  int nq = hn_system_nq(j.system), nv = hn_system_nv(j.system);
  double q[MOST], v[MOST];
  if (!CHECK(nq <= MOST)) return;
  CHECK(hn_advance(j.sim, 0.1) == HN_OK);
  memcpy(q, hn_positions(j.sim), (size_t)nq * sizeof *q);
  memcpy(v, hn_velocities(j.sim), (size_t)nv * sizeof *v);
  for (int i = 0; i < nq; i++) {
    double kept = q[i];
    q[i] = i % 2 ? NAN : INFINITY;
    CHECK(hn_set_state(j.sim, 0, q, v) == HN_ERR_ARGUMENT);
    q[i] = kept;
  }
  for (int i = 0; i < nv; i++) {
    double kept = v[i];
    v[i] = i % 2 ? NAN : -INFINITY;
    CHECK(hn_set_state(j.sim, 0, q, v) == HN_ERR_ARGUMENT);
    v[i] = kept;
  }
  CHECK(hn_set_state(j.sim, NAN, q, v) == HN_ERR_ARGUMENT);
  // the run goes on as if nothing had been tried
  CHECK(hn_time(j.sim) == 0.1 && memcmp(q, hn_positions(j.sim), (size_t)nq * sizeof *q) == 0);
  CHECK(hn_advance(j.sim, 0.05) == HN_ERR_ARGUMENT);
  CHECK(strstr(hn_sim_error(j.sim), "backwards") != NULL);
  CHECK(hn_advance(j.sim, NAN) == HN_ERR_ARGUMENT);
  CHECK(hn_advance(j.sim, INFINITY) == HN_ERR_ARGUMENT);
  CHECK(hn_advance(j.sim, 0.1) == HN_OK && hn_time(j.sim) == 0.1);
  CHECK(hn_advance(j.sim, 0.2) == HN_OK);
  CHECK(hn_set_state(j.sim, 0, q, v) == HN_OK);
  judged_end(&j);
}

// ---- steps from C --------------------------------------------------------------------------

static hn_verdict verdict_of(hn_sim *sim) {
  hn_summary s;
  hn_sim_summary(sim, &s);
  CHECK(s.audit_pass == (s.verdict == HN_AUDIT_PASSED));
  return s.verdict;
}

static void test_verdict_of_steps(void) {
  judged j;
  // first order and long steps: energy grows by more than half
  const char *const coarse[] = {"method", "standard", "integrator", "euler", "step", "0.02", NULL};
  if (!CHECK(judged_start(&j, pendulum, coarse))) return;
  CHECK(verdict_of(j.sim) == HN_NOT_AUDITED);
  hn_energy e;
  hn_residuals r;
  CHECK(hn_sim_energy(j.sim, &e) == HN_OK && hn_sim_residuals(j.sim, &r) == HN_OK);
  CHECK(verdict_of(j.sim) == HN_NOT_AUDITED);
  for (int i = 0; i < 100; i++) CHECK(hn_step(j.sim) == HN_OK);
  CHECK(verdict_of(j.sim) == HN_AUDIT_FAILED);
  // back at the start: nothing was audited
  double q[3], v[3] = {0};
  memcpy(q, hn_positions(j.sim), sizeof q);
  memset(q, 0, sizeof q), q[0] = 0.5;
  CHECK(hn_system_nq(j.system) != 3 || hn_set_state(j.sim, 0, q, v) == HN_OK);
  judged_end(&j);

  if (!CHECK(judged_start(&j, pendulum, NULL))) return;
  CHECK(hn_step(j.sim) == HN_OK && verdict_of(j.sim) == HN_AUDIT_PASSED);
  CHECK(hn_advance(j.sim, 3) == HN_OK && verdict_of(j.sim) == HN_AUDIT_PASSED);
  judged_end(&j);
}

// the same steps, asked about all the time and never: the same verdict, item by item
static void test_reading_changes_no_verdict(void) {
  static const char *const steps[] = {"0.02", "0.005", "0.001"};
  for (int k = 0; k < 3; k++) {
    const char *const set[] = {"method", "standard", "integrator", "heun", "step", steps[k], NULL};
    judged j[2];
    hn_summary s[2];
    for (int i = 0; i < 2; i++)
      if (!CHECK(judged_start(&j[i], "models/four_bar.yaml", set))) return;
    for (int n = 0; n < 120; n++) {
      hn_energy e;
      CHECK(hn_step(j[0].sim) == HN_OK && hn_step(j[1].sim) == HN_OK);
      CHECK(hn_sim_energy(j[1].sim, &e) == HN_OK);
      hn_sim_summary(j[1].sim, &s[1]);
    }
    for (int i = 0; i < 2; i++) hn_sim_summary(j[i].sim, &s[i]);
    CHECK(s[0].verdict == s[1].verdict);
    for (int i = 0; i < s[0].audit_count; i++) CHECK(s[0].audit[i].worst == s[1].audit[i].worst);
    for (int i = 0; i < 2; i++) judged_end(&j[i]);
  }
}

// ---- energy part by part -------------------------------------------------------------------

// runs that are exact though their energy vanishes, or is brought in by rows that do work
static void test_exact_runs_pass(void) {
  static const char *const file[] = {"drive_by_velocity_constraint", "torque_from_rest",
                                     "energy_of_nothing", "integral_by_block"};
  for (int i = 0; i < 4; i++) {
    char path[96];
    snprintf(path, sizeof path, "tests/findings/%s.yaml", file[i]);
    judged j;
    if (!CHECK(judged_run(&j, path, NULL) && j.summary.verdict == HN_AUDIT_PASSED))
      judged_print(&j);
    judged_end(&j);
  }
}

static void test_torques_from_rest(void) {
  for (int i = 0; i < 40; i++) {
    unsigned long long seed = test_seed;
    char text[512];
    double power = floor(test_random(0, 8)), duration = pow(10, test_random(-2, 2));
    snprintf(text, sizeof text,
             "simulation: {duration: %.17g}\n"
             "bodies: {b: {type: planar, mass: %.17g, inertia: %.17g}}\n"
             "joints: {r: {type: revolute, b: b}}\n"
             "forces: {T: {type: torque, b: b, torque: \"%.17g*(t/%.17g)^%g\"}}\n",
             duration, pow(10, test_random(-3, 3)), pow(10, test_random(-3, 3)),
             pow(10, test_random(-3, 1)), duration, power);
    judged j;
    if (!CHECK(judged_run(&j, text, NULL) && j.summary.verdict == HN_AUDIT_PASSED)) {
      printf("  seed %llu, power %g, duration %g\n", seed, power, duration);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

// x.rate = f: the row does the work that a driver would
static void test_velocity_constraints_do_work(void) {
  for (int i = 0; i < 20; i++) {
    unsigned long long seed = test_seed;
    char text[768];
    snprintf(text, sizeof text,
             "simulation: {duration: 2}\n"
             "blocks:\n"
             "  m:\n"
             "    coordinates: {x: {value: 0, unit: m}, y: {value: %.6g, unit: m}}\n"
             "    kinetic_energy: %.6g*x.rate^2 + %.6g*y.rate^2\n"
             "    potential: %.6g*(x-y)^2\n"
             "    velocity_constraints: {drive: \"x.rate + %.6g*y.rate = %.6g + %.6g*y\"}\n",
             test_random(-1, 1), test_random(0.1, 2), test_random(0.1, 2), test_random(0.1, 9),
             test_random(-0.4, 0.4), test_random(-2, 2), test_random(-1, 1));
    judged j;
    if (!CHECK(judged_run(&j, text, NULL) && j.summary.verdict == HN_AUDIT_PASSED)) {
      printf("  seed %llu\n", seed);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

// a pendulum whose motion is coarse, beside something with far more energy that is exact
static void test_errors_do_not_hide_behind_others(void) {
  for (int i = 0; i < 30; i++) {
    unsigned long long seed = test_seed;
    char text[1200];
    bool heavy = test_random(0, 1) < 0.5, first = test_random(0, 1) < 0.5;
    double spin = pow(10, test_random(1.5, 3.5)), length = test_random(0.3, 2);
    char pend[256], fly[256];
    snprintf(pend, sizeof pend,
             "  b: {type: planar, mass: 1, inertia: 0.0833, position: [%.6g, 0]}\n", length);
    snprintf(
        fly, sizeof fly,
        heavy ? "  fly: {type: planar, mass: 1000, inertia: 100, position: [5, 0], "
                "angular_velocity: %.6g}\n"
              : "  fly: {type: planar-point, mass: 100, position: [5, 0], velocity: [%.6g, 0]}\n",
        spin);
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "simulation: {duration: 5, method: mass-projection, step: %.6g}\n"
             "bodies:\n%s%s"
             "joints:\n"
             "  j: {type: revolute, b: b, at: [0, 0]}\n%s",
             0.2 * sqrt(length), first ? pend : fly, first ? fly : pend,
             heavy ? "  k: {type: revolute, b: fly, at: [5, 0]}\n"
                   : "  k: {type: coordinate, b: fly, at: [5, 0], coordinate: y}\n");
    judged j;
    bool ran = judged_run(&j, text, NULL);
    const hn_audit_item *energy = judged_item(&j.summary, "energy");
    if (!CHECK(ran && energy && !energy->pass && strcmp(energy->where, "b") == 0)) {
      printf("  seed %llu: %g %s\n", seed, energy ? energy->worst : NAN,
             energy ? energy->where : "");
      judged_print(&j);
    }
    judged_end(&j);
  }
  judged j;
  CHECK(judged_run(&j, "tests/findings/flywheel_beside_pendulum.yaml", NULL));
  CHECK(j.summary.verdict == HN_AUDIT_FAILED);
  judged_end(&j);
}

// parts with dampers and drivers beside free ones: all balance
static void test_parts_of_all_kinds_balance(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "simulation: {duration: 4}\n"
      "bodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "  b: {type: planar, mass: 2, inertia: 0.3, position: [3.7, 0]}\n"
      "  c: {type: planar, mass: 1, inertia: 0.2, position: [6.4, 0]}\n"
      "  d: {type: planar, mass: 1, inertia: 0.2, position: [9.4, 0]}\n"
      "  e: {type: planar, mass: 1, inertia: 0.2, position: [9.9, 0]}\n"
      "  f: {type: planar-point, mass: 3, position: [20, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, b: a, at: [0, 0]}\n"
      "  B: {type: revolute, b: b, at: [3, 0]}\n"
      "  C: {type: revolute, b: c, at: [6, 0]}\n"
      "  D: {type: revolute, b: d, at: [9, 0]}\n"
      "  drive: {type: driver, joint_a: C, motion: \"sin(3*t)\"}\n"
      "forces:\n"
      "  damper: {type: torsion-spring, joint: B, damping: 0.5}\n"
      "  link: {type: spring, a: d, b: e, at: [9.4, 0], at_b: [9.9, 0], stiffness: 50}\n"
      "  push: {type: force, b: f, force: [\"sin(t)\", \"29.43\"]}\n";
  static const char *const family[] = {"reference", "relative", "natural"};
  for (int k = 0; k < 3; k++) {
    const char *const set[] = {"coordinates", family[k], NULL};
    judged j;
    if (!CHECK(judged_run(&j, text, set) && j.summary.verdict == HN_AUDIT_PASSED)) judged_print(&j);
    // a, b, c, (d and e), f
    CHECK(j.system->parts == 5);
    judged_end(&j);
  }
}

// ---- energies of next to nothing -----------------------------------------------------------

// A brake holds what a motor pushes, and nothing falls: for hours there is no energy but rounding,
// and the forces come only after the start
static void test_held_for_long(void) {
  static const char text[] =
      "bodies:\n"
      "  rotor: {type: planar, mass: 1, inertia: 0.1}\n"
      "  load: {type: planar, mass: 3, inertia: 0.4, position: [0.5, 0.2]}\n"
      "joints:\n"
      "  shaft: {type: revolute, b: rotor, at: [0, 0]}\n"
      "  pin: {type: revolute, a: rotor, b: load, at: [0.3, 0.4]}\n"
      "forces:\n"
      "  push: {type: motor, joint: shaft, law: '0.9*min(t, 1) + 0.7*sin(t/7)'}\n"
      "  pull: {type: motor, joint: pin, law: '0.3*min(t, 1)'}\n"
      "  brake: {type: friction, joint: shaft, law: coulomb, coulomb: 0.5, radius: 0.1, press: "
      "60}\n"
      "  clamp: {type: friction, joint: pin, law: coulomb, coulomb: 0.5, radius: 0.1, press: 60}\n";
  static const char *const way[][4] = {
      {"default", "relative", "0"},         {"default", "reference", "0"},
      {"explicit", "reference", "0"},       {"index3-alpha", "reference", "0.5"},
      {"index2-alpha", "reference", "0.5"}, {"baumgarte", "reference", "0.5"}};
  static const char *const duration[] = {"100", "600", "3600"};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++) {
      const char *const set[] = {"method",  way[i][0],  "coordinates", way[i][1],     "step",
                                 way[i][2], "duration", duration[k],   "output_step", "20",
                                 "verify",  "off",      NULL};
      judged j;
      if (!CHECK(judged_run(&j, text, set) && j.summary.verdict == HN_AUDIT_PASSED)) {
        printf("  %s, %s, %s s\n", way[i][0], way[i][1], duration[k]);
        judged_print(&j);
      }
      CHECK_NEAR(judged_last(&j, "shaft.angle"), 0, 1e-12);
      CHECK(j.summary.steps < 100 || i > 2);  // rounding asks for no short ones
      judged_end(&j);
    }
}

// A motor turns a rotor against a torsion spring in steps of rk4, which keep of the energy E of the
// vibration |R(i w h)|^2 a step; E is a quarter of what spring and motor turn over. However small
// the torque, what is lost shows
static void test_lost_in_steps(void) {
  const double h = 0.03, z = 10 * h, even = 1 - z * z / 2 + z * z * z * z / 24,
               odd = z - z * z * z / 6;
  const double lost = 0.25 * (1 - pow(even * even + odd * odd, 100));
  for (double torque = 1; torque > 1e-5; torque *= 1e-2) {
    char text[600];
    snprintf(text, sizeof text,
             "simulation: {duration: 3, output_step: 0.03, step: 0.03, integrator: rk4, "
             "coordinates: relative}\n"
             "bodies: {rotor: {type: planar, mass: 1, inertia: 0.1}}\n"
             "joints: {shaft: {type: revolute, b: rotor, at: [0, 0]}}\n"
             "forces:\n"
             "  push: {type: motor, joint: shaft, law: %.17g}\n"
             "  coil: {type: torsion-spring, joint: shaft, stiffness: 10}\n",
             torque);
    judged j;
    bool ran = judged_run(&j, text, NULL);
    const hn_audit_item *energy = judged_item(&j.summary, "energy");
    if (!CHECK(ran && energy && !energy->pass && j.summary.verdict == HN_AUDIT_FAILED))
      judged_print(&j);
    CHECK_REL(energy ? energy->worst : NAN, lost, 0, 0.02);
    judged_end(&j);
  }
}

int main(void) {
  RUN(test_options_in_the_struct);
  RUN(test_states_and_times);
  RUN(test_verdict_of_steps);
  RUN(test_reading_changes_no_verdict);
  RUN(test_exact_runs_pass);
  RUN(test_torques_from_rest);
  RUN(test_velocity_constraints_do_work);
  RUN(test_errors_do_not_hide_behind_others);
  RUN(test_parts_of_all_kinds_balance);
  RUN(test_held_for_long);
  RUN(test_lost_in_steps);
  return test_end();
}
