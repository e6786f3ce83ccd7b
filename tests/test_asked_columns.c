// test_asked_columns.c: columns that are recorded only when they are asked for by name.
#include "run_rig.h"

#include <fnmatch.h>

static const char model[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], frames: {tip: [0.5, 0]}}\n"
    "  top: {mass: 1, inertia: [0.2, 0.2, 0.3], angular_velocity: [0, 0, 1.5], position: [3, 0, "
    "0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
    "forces:\n"
    "  motor: {type: motor, joint: hinge, law: 2*sin(3*t) - 0.4*rate}\n"
    "simulation: {duration: 1.5, output_step: 0.05, rtol: 1e-11}\n"
    "outputs: %s\n";

static hn_status start(run *r, const char *outputs, const char *coordinates) {
  char text[2000];
  *r = (run){.model = hn_model_create()};
  snprintf(text, sizeof text, model, outputs);
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  return status ? status : run_model(r, "explicit", coordinates, 0);
}

static void values(void) {
  run r;
  if (!CHECK(start(&r,
                   "[arm.angle, arm.omega, arm.ax, arm.ay, arm.alpha, arm.tip.x, arm.tip.vy, "
                   "hinge.angle_acceleration, motor.effort, motor.power, top.yaw, top.pitch, "
                   "top.local_wz, top.alphaz]",
                   "reference") == HN_OK)) {
    printf("  %s\n", r.message);
    run_free(&r);
    return;
  }
  const hn_result *x = r.result;
  for (int i = 0; i < hn_result_rows(x); i++) {
    const double *row = hn_result_row(x, i);
#define OF(name) row[column(x, name)]
    double angle = OF("arm.angle"), w = OF("arm.omega"), alpha = OF("arm.alpha"), t = row[0];
    // about the hinge: (0.1 + 0.25) alpha = torque - weight
    CHECK_NEAR(alpha, (OF("motor.effort") - 9.81 * 0.5 * cos(angle)) / 0.35, 1e-9);
    CHECK_NEAR(OF("hinge.angle_acceleration"), alpha, 1e-9);
    CHECK_NEAR(OF("arm.ax"), -0.5 * (alpha * sin(angle) + w * w * cos(angle)), 1e-8);
    CHECK_NEAR(OF("arm.ay"), 0.5 * (alpha * cos(angle) - w * w * sin(angle)), 1e-8);
    CHECK_NEAR(OF("arm.tip.x"), cos(angle), 1e-9);
    CHECK_NEAR(OF("arm.tip.vy"), w * cos(angle), 1e-8);
    CHECK_NEAR(OF("motor.power"), OF("motor.effort") * w, 1e-9);
    CHECK_NEAR(OF("top.yaw"), 1.5 * t, 1e-8);
    CHECK_NEAR(OF("top.pitch"), 0, 1e-9);
    CHECK_NEAR(OF("top.local_wz"), 1.5, 1e-9);
    CHECK_NEAR(OF("top.alphaz"), 0, 1e-9);
  }
  run_free(&r);
}

// a pattern that means everything does not mean these
static void not_asked(void) {
  run r;
  if (CHECK(start(&r, "[arm.*, 'motor.*', 't*.y*']", "reference") == HN_OK)) {
    for (int i = 0; i < hn_result_columns(r.result); i++) {
      const char *name = hn_result_name(r.result, i);
      CHECK(strcmp(name, "arm.ax") != 0 && strcmp(name, "motor.power") != 0);
    }
    CHECK(column(r.result, "top.yaw") > 0);
  }
  run_free(&r);
}

// accelerations are the rates of velocities, of frames too, in all coordinates: differences of the
// recorded velocities tell, by a formula of order 4
static void accelerations(void) {
  static const char *const families[] = {"reference", "relative", "natural"};
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  arm: {mass: 2, com: [0.3, 0.1, 0], inertia: [0.1, 0.2, 0.25], position: [0, 0, 0],\n"
      "    frames: {tip: {position: [0.8, -0.1, 0.2], orientation: {axis: [1, 2, 0], angle: "
      "0.7}}}}\n"
      "  bob: {mass: 1, inertia: [0.05, 0.04, 0.03], position: [0.8, 0, 0], angular_velocity: [1, "
      "2, 3],\n"
      "    frames: {end: [0.3, 0.2, 0.1]}}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: arm, at: [0, 0, 0], axis: [0, 1, 0.2]}\n"
      "  ball: {type: spherical, a: arm, b: bob, at: [0.8, 0, 0]}\n"
      "simulation: {duration: 0.4, output_step: 1e-3, rtol: 1e-12}\n"
      "outputs: [arm.tip.vx, arm.tip.vz, arm.tip.ax, arm.tip.az, arm.tip.wx, arm.tip.wy,\n"
      "  arm.tip.wz, bob.end.vx, bob.end.vy, bob.end.vz, bob.end.ax, bob.end.ay, bob.end.az, "
      "arm.ax, arm.vx, "
      "bob.az,\n"
      "  bob.vz, bob.wx, bob.alphax, arm.wy, arm.alphay, hinge.angle_rate, "
      "hinge.angle_acceleration]\n";
  static const char *const pairs[][2] = {
      {"arm.vx", "arm.ax"},         {"bob.vz", "bob.az"},
      {"bob.wx", "bob.alphax"},     {"arm.wy", "arm.alphay"},
      {"arm.tip.vx", "arm.tip.ax"}, {"arm.tip.vz", "arm.tip.az"},
      {"bob.end.vx", "bob.end.ax"}, {"bob.end.vy", "bob.end.ay"},
      {"bob.end.vz", "bob.end.az"}, {"hinge.angle_rate", "hinge.angle_acceleration"}};
  for (int f = 0; f < 3; f++) {
    run r = {.model = hn_model_create()};
    hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
    if (!status) status = run_model(&r, "explicit", families[f], 0);
    if (!CHECK(status == HN_OK)) {
      printf("  %s: %s %s\n", families[f], r.message, hn_model_error(r.model));
      run_free(&r);
      continue;
    }
    double h = 1e-3;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
      int v = column(r.result, pairs[p][0]), a = column(r.result, pairs[p][1]);
      if (!CHECK(v > 0 && a > 0)) continue;
      for (int i = 2; i < hn_result_rows(r.result) - 2; i += 7) {
#define AT(k) hn_result_row(r.result, i + (k))[v]
        double rate = (8 * (AT(1) - AT(-1)) - (AT(2) - AT(-2))) / (12 * h);
        if (!CHECK_NEAR(hn_result_row(r.result, i)[a], rate, 2e-7))
          printf("  %s, %s\n", pairs[p][1], families[f]);
      }
    }
    // the hinge turns the arm about (0, 1, 0.2), seen from a frame turned by 0.7 about (1, 2, 0)
    const double *row = hn_result_row(r.result, 100);
    double rate = row[column(r.result, "hinge.angle_rate")], c = cos(0.7), s = sin(0.7);
    double n[3] = {1 / sqrt(5), 2 / sqrt(5), 0},
           w[3] = {0, rate / sqrt(1.04), 0.2 * rate / sqrt(1.04)};
    double along = n[0] * w[0] + n[1] * w[1], cross[3];
    cross[0] = n[1] * w[2], cross[1] = -n[0] * w[2], cross[2] = n[0] * w[1] - n[1] * w[0];
    static const char *const spin[] = {"arm.tip.wx", "arm.tip.wy", "arm.tip.wz"};
    for (int k = 0; k < 3; k++)
      CHECK_NEAR(row[column(r.result, spin[k])], c * w[k] - s * cross[k] + (1 - c) * along * n[k],
                 1e-9);
    run_free(&r);
  }
}

// formulas of columns, by list, by map and from C; of reactions, of columns nobody asked for, of
// each other
static void computed(void) {
  run r;
  if (CHECK(start(&r,
                  "[arm.angle, {bearing: 'hypot(hinge.fx, hinge.fy)', twice: 2*bearing + t}, "
                  "{power: {formula: motor.effort*hinge.angle_rate, unit: W}}, {reach: "
                  "'hypot(arm.tip.x, arm.tip.y)'}]",
                  "reference") == HN_OK)) {
    const hn_result *x = r.result;
    CHECK(hn_result_find(x, "arm.x") < 0 && column(x, "hinge.fx") > 0 &&
          column(x, "arm.tip.x") > 0);
    CHECK_STR(hn_result_unit(x, column(x, "power")), "W");
    for (int i = 0; i < hn_result_rows(x); i++) {
      const double *row = hn_result_row(x, i);
      CHECK_NEAR(OF("bearing"), hypot(OF("hinge.fx"), OF("hinge.fy")), 1e-12);
      CHECK_NEAR(OF("twice"), 2 * OF("bearing") + row[0], 1e-12);
      CHECK_NEAR(OF("power"), OF("motor.effort") * OF("hinge.angle_rate"), 1e-12);
      CHECK_NEAR(OF("reach"), 1, 1e-9);
    }
  } else {
    printf("  %s %s\n", r.message, hn_model_error(r.model));
  }
  run_free(&r);
  if (CHECK(start(&r, "{lever: arm.tip.x - arm.x}", "reference") == HN_OK)) {
    const hn_result *x = r.result;
    CHECK(column(x, "arm.x") > 0 && column(x, "energy.total") > 0);
    for (int i = 0; i < hn_result_rows(x); i++) {
      const double *row = hn_result_row(x, i);
      CHECK_NEAR(OF("lever"), 0.5 * cos(OF("arm.angle")), 1e-9);
    }
  }
  run_free(&r);
}

// what is asked of a run between its steps
static void asked_by_hand(void) {
  char text[2000], why[256];
  snprintf(text, sizeof text, model, "[motor.power, arm.alpha, {p: motor.effort*arm.omega}]");
  hn_model *m = hn_model_create();
  hn_system *s = NULL;
  hn_sim *sim = NULL;
  double row[16] = {0};
  CHECK(hn_model_parse(m, text, strlen(text), "test.yaml") == HN_OK && hn_compile(&s, m) == HN_OK);
  if (CHECK(s && hn_sim_create(&sim, s, hn_model_options(m), why, sizeof why) == HN_OK) &&
      CHECK(hn_advance(sim, 0.5) == HN_OK) && CHECK(hn_column_count(s) < 16) &&
      CHECK(hn_sim_row(sim, row) == HN_OK)) {
    int power = -1, p = -1;
    for (int i = 0; i < hn_column_count(s); i++) {
      if (strcmp(hn_column_name(s, i), "motor.power") == 0) power = i;
      if (strcmp(hn_column_name(s, i), "p") == 0) p = i;
    }
    CHECK(power > 0 && p > 0 && row[p] != 0);
    CHECK_NEAR(row[power], row[p], 1e-12);
  }
  hn_sim_destroy(sim);
  hn_system_destroy(s);
  hn_model_destroy(m);
}

static void refused(void) {
  static const struct {
    const char *outputs, *says;
  } bad[] = {
      {"[arm.tip.z]", "nothing matches 'arm.tip.z'"},
      {"[{a: arm.nothing + 1}]", "column 'a': formula: unknown name 'arm.nothing'"},
      {"[{a: b}, {b: arm.x}]", "column 'a': formula: unknown name 'b'"},
      {"[{a: arm.x +}]", "column 'a': formula:"},
      {"[{a: arm.x}, {a: arm.y}]", "already a column of this name"},
      {"[{time: arm.x}]", "column 'time'"},
      {"[{sin: arm.x}]", "word of the formula language"},
      {"[{arm: arm.x}]", "column 'arm'"},
      {"[{a: {unit: m}}]", "formula is missing"},
      {"[{a: [1, 2]}]", "must be a formula"},
      {"[[1]]", "a pattern must be a word"},
      {"7", "must be a list of patterns"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    run r;
    CHECK(start(&r, bad[i].outputs, "reference") != HN_OK);
    const char *said = *r.message ? r.message : hn_model_error(r.model);
    if (!CHECK(strstr(said, bad[i].says) != NULL)) printf("  %s: %s\n", bad[i].outputs, said);
    run_free(&r);
  }
}

// what a pattern chooses is what it matches among the names of all columns
static void patterns(void) {
  static const char *const pattern[] = {"arm.x",   "ar*",    "arm*",    "a?m.x",    "*",
                                        "*m.x",    "hi*e.*", "top.q?",  "energy.*", "?op.*",
                                        "motor.*", "arm.?",  "a*m.*g*", "t*",       "res*_sq"};
  run all;
  if (!CHECK(start(&all, "[]", "reference") == HN_OK)) return;
  for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
    char list[64];
    run r;
    snprintf(list, sizeof list, "['%s']", pattern[i]);
    if (CHECK(start(&r, list, "reference") == HN_OK)) {
      int k = 0;
      for (int c = 0; hn_column_name(all.system, c); c++) {
        const char *name = hn_column_name(all.system, c);
        if (c > 0 && fnmatch(pattern[i], name, 0) != 0) continue;
        const char *chosen = hn_column_name(r.system, k++);
        if (!CHECK(chosen && strcmp(chosen, name) == 0)) printf("  %s: %s\n", pattern[i], name);
      }
      CHECK(!hn_column_name(r.system, k));
    }
    run_free(&r);
  }
  run_free(&all);
}

static hn_status start_unread(run *r, const char *outputs) {
  char text[2000];
  *r = (run){.model = hn_model_create()};
  snprintf(text, sizeof text, model, outputs);
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  hn_model_unread(r->model);
  return status ? status : run_model(r, "explicit", "auto", 0);
}

// who reads nothing gets the instants of the rows, the same motion and the same verdicts; what is
// listed is recorded all the same
static void unread(void) {
  run all, none;
  if (CHECK(start(&all, "[]", "auto") == HN_OK) && CHECK(start_unread(&none, "[]") == HN_OK)) {
    CHECK(hn_result_columns(none.result) == 1 &&
          strcmp(hn_result_name(none.result, 0), "time") == 0);
    int rows = hn_result_rows(all.result);
    if (CHECK(rows > 30 && hn_result_rows(none.result) == rows))
      for (int i = 0; i < rows; i++)
        CHECK(hn_result_row(none.result, i)[0] == hn_result_row(all.result, i)[0]);
    hn_summary a, b;
    hn_sim_summary(all.sim, &a), hn_sim_summary(none.sim, &b);
    CHECK(a.audit_pass && a.audit_count == b.audit_count);
    for (int i = 0; i < a.audit_count; i++) CHECK(a.audit[i].worst == b.audit[i].worst);
    CHECK(hn_system_nq(all.system) == hn_system_nq(none.system));
    for (int i = 0; i < hn_system_nq(all.system); i++)
      CHECK(hn_positions(all.sim)[i] == hn_positions(none.sim)[i]);
  }
  run_free(&all);
  run_free(&none);
  if (CHECK(start_unread(&none, "[arm.x, {twice: 2*arm.y}]") == HN_OK))
    CHECK(hn_result_columns(none.result) == 4 && column(none.result, "twice") == 3);
  run_free(&none);
  CHECK(start_unread(&none, "[arm.nothing]") == HN_ERR_MODEL);
  run_free(&none);
}

// the check of beams compares columns of two runs
static void unread_beam(void) {
  static const char text[] =
      "beams:\n  strip: {type: planar, from: [0, 0], to: [10, 0], elements: 3,\n"
      "    stiffness: [1e4, 2e4, 3e4, 70, 50, 100], mass: [1, 1, 1, 0.02, 0.01, 0.01]}\n"
      "joints: {clamp: {type: fixed, b: strip.start}}\n"
      "simulation: {duration: 0.1, beam_check: on}\n";
  run r = {.model = hn_model_create()};
  hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
  hn_model_unread(r.model);
  if (!status) status = run_model(&r, "explicit", "auto", 0);
  hn_summary s = {0};
  if (CHECK(status == HN_OK)) hn_sim_summary(r.sim, &s);
  CHECK(s.beams.known && column(r.result, "strip.end.x") > 0);
  run_free(&r);
}

int main(void) {
  RUN(unread);
  RUN(unread_beam);
  RUN(patterns);
  RUN(values);
  RUN(not_asked);
  RUN(accelerations);
  RUN(computed);
  RUN(asked_by_hand);
  RUN(refused);
  return test_end();
}
