// test_signals.c: named numbers that formulas read: formulas, tables over time, files, inputs.
//
// The plant is mostly a rotor, I w' = torque, whose motion under a torque that is a polynomial on
// every piece of time is known in closed form: steps that did not end on the pieces would show.
#include "heap.h"
#include "model/model.h"
#include "run_rig.h"

#include <stdint.h>

#define INERTIA 0.25

static const char rotor[] = "bodies:\n"
                            "  wheel: {type: planar, mass: 1, inertia: 0.25}\n"
                            "joints:\n"
                            "  hinge: {type: revolute, b: wheel, at: [0, 0]}\n"
                            "forces:\n"
                            "  motor: {type: motor, joint: hinge, law: %s}\n";

static uint64_t seed = 20261115;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

// a model of the text, ready to step
static bool start(run *r, const char *text, const char *integrator, double step) {
  return CHECK(run_start(r, text,
                         (run_by){.integrator = integrator,
                                  .coordinates = "reference",
                                  .step = step,
                                  .rtol = 1e-12,
                                  .duration = 2}));
}

static double angle_of(run *r, double *rate) {
  double angle = NAN;
  CHECK(!hn_joint_coordinate(r->sim, hn_find_joint(r->system, "hinge"), "angle", &angle, rate));
  return angle;
}

// ---- tables --------------------------------------------------------------------------------

enum { POINTS = 9 };

// angle and rate at time t of the rotor at rest under a torque through points
static void exact(const double x[POINTS][2], bool hold, double t, double *angle, double *rate) {
  *angle = *rate = 0;
  double from = 0;
  for (int i = 0; i < POINTS && from < t; i++) {
    // from this point to the next, the first and the last value hold outside
    double to = i + 1 < POINTS ? x[i + 1][0] : INFINITY;
    if (i == 0 && from < x[0][0]) {
      double h = fmin(t, x[0][0]) - from, a = x[0][1] / INERTIA;
      *angle += h * (*rate + 0.5 * h * a), *rate += h * a;
      from += h;
    }
    double h = fmin(t, to) - from, a = x[i][1] / INERTIA, jerk = 0;
    if (!(h > 0)) continue;
    if (!hold && i + 1 < POINTS) jerk = (x[i + 1][1] - x[i][1]) / (to - x[i][0]) / INERTIA;
    *angle += h * (*rate + h * (0.5 * a + h * jerk / 6));
    *rate += h * (a + 0.5 * h * jerk);
    from += h;
  }
}

// random points, steps that do not fit them: exact for every method of order 3 or more
static void tables(void) {
  static const char *const methods[] = {"rk4", "dopri5", "dop853", "abm"};
  printf("  seed %llu\n", (unsigned long long)seed);
  for (int trial = 0; trial < 12; trial++) {
    double x[POINTS][2], angle, rate, w;
    bool hold = trial % 2;
    char text[1200], points[400] = "";
    for (int i = 0; i < POINTS; i++) {
      x[i][0] = (i ? x[i - 1][0] : 0.05) + uniform(0.01, 0.3);
      x[i][1] = uniform(-2, 2);
      if (i && uniform(0, 1) < 0.2) x[i][1] = x[i - 1][1];
      snprintf(points + strlen(points), sizeof points - strlen(points), "%s[%.17g, %.17g]",
               i ? ", " : "", x[i][0], x[i][1]);
    }
    snprintf(text, sizeof text, rotor, "2*torque - torque");
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "signals:\n  torque: {table: [%s], interpolation: %s}\n", points,
             hold ? "hold" : "linear");
    run r;
    const char *method = methods[trial / 2 % 4];
    if (start(&r, text, method, strcmp(method, "rk4") == 0 ? 0.037 : 0)) {
      for (double t = 0.3; t < 3; t += 0.5) {
        CHECK(hn_advance(r.sim, t) == HN_OK);
        exact((const double(*)[2])x, hold, t, &angle, &rate);
        CHECK_NEAR(angle_of(&r, &w), angle, 1e-11);
        CHECK_NEAR(w, rate, 1e-11);
      }
      hn_energy e;
      CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
      CHECK(fabs(e.balance) < 1e-10 * e.scale);
    }
    run_free(&r);
  }
}

// A motion over a spline. Values by exact fractions: for the points t, y below, the second
// derivatives m solve h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (s_i - s_(i-1)),
// with (m_1 - m_0) / h_0 = (m_2 - m_1) / h_1 and likewise at the end (Python's fractions.Fraction
// and Gauss-Jordan elimination).
static void splines(void) {
  static const char text[] = "bodies:\n"
                             "  slide: {type: planar, mass: 2, inertia: 0.1}\n"
                             "joints:\n"
                             "  guide: {type: prismatic, b: slide, axis: [1, 0]}\n"
                             "  hinge: {type: driver, joint_a: guide, motion: 3*twice - t}\n"
                             "signals:\n"
                             "  twice: 2*path\n"
                             "  path: {table: [[0, 0], [0.5, 0.2], [1, 0.1], [1.7, 0.3], [2, "
                             "0.5]], interpolation: cubic}\n";
  static const double known[][4] = {
      {0.1, 0.09372932330827068, 0.769937343358396, -3.181954887218045},
      {0.7, 0.16131578947368422, -0.24735588972431077, -0.20902255639097744},
      {1.35, 0.14125986842105262, 0.30428884711779447, 0.9590225563909774},
      {1.9, 0.4284436090225564, 0.6941478696741855, 0.45864661654135336}};
  run r;
  if (start(&r, text, "dop853", 0)) {
    for (int i = 0; i < 4; i++) {
      const double *k = known[i];
      CHECK(hn_advance(r.sim, k[0]) == HN_OK);
      CHECK_NEAR(hn_positions(r.sim)[0], 6 * k[1] - k[0], 1e-12);
      CHECK_NEAR(hn_velocities(r.sim)[0], 6 * k[2] - 1, 1e-12);
      CHECK_NEAR(hn_accelerations(r.sim)[0], 6 * k[3], 1e-11);
    }
    // beyond its end the spline goes on straight
    CHECK(hn_advance(r.sim, 2.2) == HN_OK);
    double v = hn_velocities(r.sim)[0];
    CHECK_NEAR(hn_positions(r.sim)[0], 6 * 0.5 - 2 + 0.2 * v, 1e-12);
    CHECK_NEAR(hn_accelerations(r.sim)[0], 0, 1e-12);
    hn_energy e;
    CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
    CHECK(fabs(e.balance) < 1e-9 * e.scale);
  }
  run_free(&r);
}

// a formula that switches by a table that jumps: both sides are right from the jump on
static void switched_by_a_table(void) {
  char text[1200];
  snprintf(text, sizeof text, rotor, "\"if(u > 0.5, 1, -2) + (hinge.angle > 0.1)\"");
  snprintf(text + strlen(text), sizeof text - strlen(text),
           "signals:\n  u: {table: [[0, 0], [0.4, 1], [0.9, 0.2]], interpolation: hold}\n");
  run r;
  if (start(&r, text, "dopri5", 0)) {
    double a = -2 / INERTIA, w, angle;
    CHECK(hn_advance(r.sim, 0.4) == HN_OK);
    angle = angle_of(&r, &w);
    CHECK_NEAR(angle, 0.5 * a * 0.16, 1e-12);
    CHECK_NEAR(hn_accelerations(r.sim)[2], 1 / INERTIA, 1e-12);
    CHECK(hn_advance(r.sim, 0.9) == HN_OK);
    CHECK_NEAR(angle_of(&r, &w), angle + 0.5 * 0.4 * a + 0.5 * 0.25 / INERTIA, 1e-12);
    CHECK_NEAR(w, 0.4 * a + 0.5 / INERTIA, 1e-12);
  }
  run_free(&r);
}

// ---- recording -----------------------------------------------------------------------------

// columns of signals; rows inside a step belong to what was before a jump at its end
static void recorded(void) {
  char text[1200];
  snprintf(text, sizeof text, rotor, "push + 0.5*hinge.rate");
  snprintf(text + strlen(text), sizeof text - strlen(text),
           "signals:\n"
           "  push: {formula: \"gain*stairs\", unit: N m}\n"
           "  stairs: {table: [[0, 1], [0.5, 3], [1.5, -2]], interpolation: hold}\n"
           "  spin: {formula: hinge.angle_rate, unit: rad/s}\n"
           "  gain: {input: 2}\n"
           "simulation: {duration: 2, output_step: 0.125}\n");
  run r = {.model = hn_model_create()};
  CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
  CHECK(run_model(&r, "default", "reference", 0) == HN_OK);
  if (r.result) {
    const hn_result *x = r.result;
    CHECK_STR(hn_result_unit(x, column(x, "push")), "N m");
    for (int i = 0; i < hn_result_rows(x); i++) {
      const double *row = hn_result_row(x, i);
      double stairs = row[0] < 0.5 ? 1 : row[0] < 1.5 ? 3 : -2;
      CHECK(row[column(x, "stairs")] == stairs && row[column(x, "push")] == 2 * stairs);
      CHECK(row[column(x, "spin")] == row[column(x, "hinge.angle_rate")]);
      CHECK_NEAR(row[column(x, "motor.effort")], 2 * stairs + 0.5 * row[column(x, "spin")], 1e-12);
    }
    hn_summary s;
    hn_sim_summary(r.sim, &s);
    CHECK(s.audit_pass);
  } else {
    printf("  %s\n", r.message);
  }
  run_free(&r);
}

// ---- files ---------------------------------------------------------------------------------

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "wb");
  if (CHECK(f != NULL)) {
    fputs(text, f);
    fclose(f);
  }
}

static hn_status read_file(const char *extra, char *message, size_t size, run *r) {
  char text[1200], path[600];
  test_scratch(path, sizeof path, "signals.csv");
  snprintf(text, sizeof text, rotor, "torque");
  snprintf(text + strlen(text), sizeof text - strlen(text),
           "signals:\n  torque: {file: signals.csv, %s}\n", extra);
  // the path of the model file says where the other one is
  *strrchr(path, '/') = 0;
  strcat(path, "/model.yaml");
  *r = (run){.model = hn_model_create()};
  hn_status status = hn_model_parse(r->model, text, strlen(text), path);
  snprintf(message, size, "%s", hn_model_error(r->model));
  return status;
}

// one row is a constant, which nothing jumps in: a driver may follow it
static void one_row(void) {
  char path[600];
  test_scratch(path, sizeof path, "signals.csv");
  write_file(path, "t,x\n0,0.3\n");
  static const char text[] = "bodies:\n  slide: {type: planar, mass: 2, inertia: 0.1}\n"
                             "joints:\n  guide: {type: prismatic, b: slide, axis: [1, 0]}\n"
                             "  drive: {type: driver, joint_a: guide, motion: 2*place + t}\n"
                             "signals:\n  place: {file: signals.csv}\n";
  snprintf(strrchr(path, '/'), 20, "/model.yaml");
  run r = {.model = hn_model_create()};
  CHECK(hn_model_parse(r.model, text, strlen(text), path) == HN_OK);
  if (!CHECK(hn_compile(&r.system, r.model) == HN_OK)) printf("  %s\n", hn_model_error(r.model));
  if (r.system && CHECK(hn_sim_create(&r.sim, r.system, hn_model_options(r.model), r.message,
                                      sizeof r.message) == HN_OK)) {
    CHECK(hn_advance(r.sim, 0.7) == HN_OK);
    CHECK_NEAR(hn_positions(r.sim)[0], 2 * 0.3 + 0.7, 1e-12);
  }
  run_free(&r);
}

// numbers of springs may read what states and controllers bring along, as formulas may, and what
// parts have
static void brought_along(void) {
  hn_model *m = hn_model_create();
  static const char text[] =
      "parameters: {hold_free: 0.25}\n"
      "parts: {p: {parameters: {K: 3}, signals: {w: K*t}, bodies: {q: {type: point, mass: 1}}}}\n"
      "use: {leg: {part: p}, side: {part: p, repeat: 2}}\n"
      "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {h: {type: prismatic, b: b, axis: [1, 0, 0]}}\n"
      "states: {u: {type: pid, input: 1 - h.translation, kp: 1, ki: 1}}\n"
      "controllers: {hold: {period: 0.1, memory: {sum: hold_sum + 0.1}, formula: hold_sum}}\n"
      "forces:\n"
      "  one: {type: spring, joint: h, stiffness: 10*u_integral, free: 0.1}\n"
      "  two: {type: spring, joint: h, stiffness: 10 + hold_sum, free: hold_free}\n"
      "  three: {type: spring, joint: h, stiffness: 10*leg.K, free: hold_free}\n"
      "  four: {type: spring, joint: h, stiffness: 10 + side1.w, free: 0}\n";
  hn_system *sys = NULL;
  hn_status status = hn_model_parse(m, text, strlen(text), "test.yaml");
  if (!status) status = hn_compile(&sys, m);
  if (!CHECK(status == HN_OK)) printf("  %s\n", hn_model_error(m));
  if (!status) {
    CHECK(m->force[0].def.law && strstr(m->force[0].def.law, "(10*u_integral)"));
    CHECK(m->force[1].def.law && strstr(m->force[1].def.law, "(10 + hold_sum)"));
    CHECK(!m->force[2].def.law && m->force[2].def.free == 0.25);
    CHECK(m->force[2].def.stiffness == 30);
    CHECK(m->force[3].def.law && strstr(m->force[3].def.law, "(10 + side1.w)"));
  }
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

// cells in quotes may have separators in them, which count for nothing
static void quoted(void) {
  static const char *const files[] = {
      "t,\"force, left [kN]\",x,\"say \"\"y, z\"\"\"\n0,7,0.3,9\n1,\"8\",0.3,9\n",
      "\"t;\";\"a, b\";x;y\n0;7;0.3;9\n", "\"t, s\"\ta,b\tx\n0\t7\t0.3\n"};
  char path[600], message[600];
  test_scratch(path, sizeof path, "signals.csv");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    run r;
    write_file(path, files[i]);
    CHECK(read_file("column: x", message, sizeof message, &r) == HN_OK);
    const hn_series *series = r.model->signal_count ? r.model->signal[0].series : NULL;
    if (CHECK(series != NULL)) CHECK(series->time[0] == 0 && series->value[0] == 0.3);
    run_free(&r);
  }
  remove(path);
}

static void files(void) {
  char path[600], message[600];
  double w, angle, rate;
  test_scratch(path, sizeof path, "signals.csv");
  run r;
  // units of the header; other columns, blanks and comments are stepped over
  write_file(path, "\xef\xbb\xbfname,\"clock [ms]\", force [kN], torque [N*m]\r\n# a comment\r\n"
                   "a,0,7,0.5\r\nb, 500 ,7,1\r\n\r\nc,1000,7,-1\r\nd,1e3,7,0\r\n");
  CHECK(read_file("time: clock, column: torque", message, sizeof message, &r) == HN_ERR_SYNTAX);
  CHECK(strstr(message, "signals.csv:7: the times do not ascend") != NULL);
  CHECK(strstr(message, "model.yaml:8:18: signal 'torque': ") != NULL);
  run_free(&r);
  write_file(path, "\xef\xbb\xbfname,\"clock [ms]\", force [kN], torque [N*m]\r\n# a comment\r\n"
                   "a,0,7,0.5\r\nb, 500 ,7,1\r\n\r\nc,1000,7,-1\r\nd,1.5e3,7,0\r\n");
  CHECK(read_file("time: clock, column: torque", message, sizeof message, &r) == HN_OK);
  CHECK(hn_compile(&r.system, r.model) == HN_OK);
  hn_options *o = hn_model_options(r.model);
  o->rtol = 1e-12;
  CHECK(hn_sim_create(&r.sim, r.system, o, r.message, sizeof r.message) == HN_OK);
  const double x[POINTS][2] = {{0, 0.5}, {0.5, 1}, {1, -1}, {1.5, 0}, {9, 0},
                               {10, 0},  {11, 0},  {12, 0}, {13, 0}};
  CHECK(hn_advance(r.sim, 1.25) == HN_OK);
  exact(x, false, 1.25, &angle, &rate);
  CHECK_NEAR(angle_of(&r, &w), angle, 1e-12);
  CHECK_NEAR(w, rate, 1e-12);
  run_free(&r);
  // what is wrong with a file is said with its line
  static const struct {
    const char *text, *keys, *wrong;
  } bad[] = {
      {"t,x\n0,1\n1,no\n", "interpolation: hold", "signals.csv:3: no finite number in column 2"},
      {"t,x\n0,1\n1\n", "interpolation: hold", "signals.csv:3: no finite number in column 2"},
      {"t,x\n", "interpolation: hold", "the file has no rows"},
      {"", "interpolation: hold", "the file has no rows"},
      {"t,x\n0,1\n", "column: y", "signals.csv:1: no column 'y' (there are 't', 'x')"},
      {"t,x [furlong]\n0,1\n", "interpolation: hold", "unit 'furlong': unknown unit"},
      {"0,1\n1,2\n", "column: y", "no header names a column 'y'"},
      {"t,x\n0,1\n", "column: 3", "signals.csv:1: there is no column 3"},
      {"t,x\n0,1\n", "time: x", "time and value are one column"},
      {"t,x\n0,inf\n", "interpolation: hold", "no finite number"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_file(path, bad[i].text);
    CHECK(read_file(bad[i].keys, message, sizeof message, &r) == HN_ERR_SYNTAX);
    if (!CHECK(strstr(message, bad[i].wrong) != NULL)) printf("  %s\n", message);
    run_free(&r);
  }
  remove(path);
  CHECK(read_file("column: 2", message, sizeof message, &r) == HN_ERR_FILE);
  run_free(&r);
}

// ---- inputs --------------------------------------------------------------------------------

// torques set on the way: the motion is a parabola on every piece, for every method
static void inputs(void) {
  static const struct {
    const char *name;
    double step, tolerance;
  } methods[] = {{"rk4", 0.03, 1e-12},   {"heun", 0.03, 1e-12},
                 {"dopri5", 0, 1e-12},   {"dop853", 0, 1e-12},
                 {"abm", 0, 1e-11},      {"index3-alpha", 0.01, 2e-4},
                 {"cvode-bdf", 0, 1e-7}, {"index3-newmark", 0.01, 2e-4}};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    if (!hn_integrator_at(0)) continue;
    bool there = false;
    for (int i = 0; hn_integrator_at(i); i++)
      there |= strcmp(hn_integrator_at(i)->name, methods[m].name) == 0;
    if (!there) continue;
    char text[1200];
    snprintf(text, sizeof text, rotor, "half + half");
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "signals:\n  half: 0.5*torque\n  torque: {input: 1}\n  other: {input: 0}\n");
    run r;
    if (!start(&r, text, methods[m].name, methods[m].step)) {
      run_free(&r);
      continue;
    }
    CHECK(hn_input_count(r.system) == 2 && hn_input_find(r.system, "torque") == 0);
    CHECK_STR(hn_input_name(r.system, 1), "other");
    CHECK(hn_input_find(r.system, "half") == -1 && hn_input_name(r.system, 2) == NULL);
    double torque = 1, angle = 0, rate = 0, w, work = 0;
    for (int i = 0; i < 6; i++) {
      double h = uniform(0.05, 0.4), a = torque / INERTIA, moved = h * (rate + 0.5 * h * a);
      CHECK(hn_advance(r.sim, hn_time(r.sim) + h) == HN_OK);
      angle += moved, rate += h * a, work += torque * moved;
      CHECK_NEAR(angle_of(&r, &w), angle, methods[m].tolerance);
      CHECK_NEAR(w, rate, 10 * methods[m].tolerance);
      torque = uniform(-3, 3);
      CHECK(hn_input_set(r.sim, 0, torque) == HN_OK);
      CHECK(hn_input_value(r.sim, 0) == torque);
      // it acts at once
      CHECK_NEAR(hn_accelerations(r.sim)[2], torque / INERTIA, 1e-12);
    }
    hn_energy e;
    CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
    CHECK_NEAR(e.work, work, 100 * methods[m].tolerance);
    CHECK(fabs(e.balance) < 100 * methods[m].tolerance * e.scale);
    CHECK(hn_input_set(r.sim, 2, 0) == HN_ERR_ARGUMENT);
    CHECK(hn_input_set(r.sim, -1, 0) == HN_ERR_ARGUMENT);
    CHECK(hn_input_set(r.sim, 0, NAN) == HN_ERR_ARGUMENT);
    CHECK(hn_input_value(r.sim, 0) == torque && isnan(hn_input_value(r.sim, 7)));
    run_free(&r);
  }
}

// setting and stepping allocates nothing
static void no_allocation(void) {
  char text[1200];
  snprintf(text, sizeof text, rotor, "\"torque*max(stairs, 0.5)\"");
  snprintf(text + strlen(text), sizeof text - strlen(text),
           "signals:\n  torque: {input: 1}\n"
           "  stairs: {table: [[0, 1], [0.5, 3], [1.5, -2]], interpolation: linear}\n");
  run r;
  if (start(&r, text, "dopri5", 0)) {
    CHECK(hn_advance(r.sim, 0.1) == HN_OK);
    long before = heap_calls;
    for (int i = 0; i < 200; i++) {
      CHECK(hn_input_set(r.sim, 0, uniform(-1, 1)) == HN_OK);
      CHECK(hn_advance(r.sim, 0.1 + 0.01 * (i + 1)) == HN_OK);
    }
    CHECK(heap_calls == before);
  }
  run_free(&r);
}

// ---- numbers that read signals -------------------------------------------------------------

// a mass on a spring whose stiffness and free length jump: harmonic on every piece
static void springs(void) {
  static const char text[] =
      "bodies:\n"
      "  slide: {type: planar, mass: 2, inertia: 0.1, position: [0.3, 0]}\n"
      "joints:\n"
      "  hinge: {type: prismatic, b: slide, axis: [1, 0], value: 0.3}\n"
      "forces:\n"
      "  spring: {type: spring, joint: hinge, stiffness: 40*(1 + stage), free: 0.1 m*stage, "
      "preload: 1}\n"
      "signals:\n"
      "  stage: {table: [[0, 0], [0.4, 1], [1.1, 0.5]], interpolation: hold}\n";
  static const double from[] = {0, 0.4, 1.1, 1.6}, stage[] = {0, 1, 0.5};
  double x = 0.3, v = 0, value = NAN, rate = NAN;
  run r;
  if (start(&r, text, "dop853", 0)) {
    for (int i = 0; i < 3; i++) {
      double k = 40 * (1 + stage[i]), rest = 0.1 * stage[i] - 1 / k, w = sqrt(k / 2);
      double h = from[i + 1] - from[i], a = x - rest, b = v / w;
      x = rest + a * cos(w * h) + b * sin(w * h);
      v = w * (b * cos(w * h) - a * sin(w * h));
      CHECK(hn_advance(r.sim, from[i + 1]) == HN_OK);
      CHECK(!hn_joint_coordinate(r.sim, hn_find_joint(r.system, "hinge"), NULL, &value, &rate));
      CHECK_NEAR(value, x, 1e-10);
      CHECK_NEAR(rate, v, 1e-9);
    }
    hn_energy e;
    CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
    CHECK(fabs(e.balance) < 1e-9 * e.scale);
  }
  run_free(&r);
}

// gravity that jumps: parabolas, with the centre of mass away from the origin of the body
static void gravity(void) {
  static const char text[] =
      "gravity: [0.5, -9.81*lift]\n"
      "bodies:\n"
      "  ball: {type: planar, mass: 3, inertia: 0.2, com: [0.1, 0.2], angle: 0.7}\n"
      "signals:\n"
      "  lift: {table: [[0, 1], [0.5, -0.25]], interpolation: hold}\n";
  run r;
  if (start(&r, text, "rk4", 0.03)) {
    hn_pose pose;
    double g = 9.81, t = 0.9;
    CHECK(hn_advance(r.sim, t) == HN_OK);
    CHECK(hn_body_pose(r.sim, hn_find_body(r.system, "ball"), &pose) == HN_OK);
    CHECK_NEAR(pose.position[0], 0.25 * t * t, 1e-12);
    CHECK_NEAR(pose.position[1], -g * 0.125 - g * 0.5 * 0.4 + 0.125 * g * 0.16, 1e-12);
    CHECK_NEAR(pose.angular_velocity[2], 0, 1e-13);
    hn_energy e;
    CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
    CHECK(fabs(e.balance) < 1e-12 * e.scale && e.work > 0.1);
  }
  run_free(&r);
}

// ---- through the C interface, and what is refused ------------------------------------------

static void from_c(void) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  const double points[] = {0, 1, 1, 2};
  hn_body ball = hn_add_body(m, &(hn_body_def){.name = "ball", .kind = HN_POINT, .mass = 1});
  CHECK(hn_add_signal(m, &(hn_signal_def){.name = "u", .input_given = true}) == HN_OK);
  CHECK(hn_add_signal(m, &(hn_signal_def){.name = "w", .input = 3, .unit = "N"}) == HN_OK);
  CHECK(hn_add_signal(m, &(hn_signal_def){.name = "x", .table = points, .table_count = 2}) ==
        HN_OK);
  CHECK(hn_add_signal(m, &(hn_signal_def){.name = "f", .formula = "u + w*x"}) == HN_OK);
  CHECK(hn_add_force(m, &(hn_force_def){.name = "push",
                                        .type = "force",
                                        .b = {.body = ball},
                                        .components = {"f", "0", "0"}})
            .id > 0);
  CHECK(hn_compile(&sys, m) == HN_OK);
  CHECK(sys && hn_input_count(sys) == 2);
  hn_system_destroy(sys);
  CHECK(hn_add_signal(m, &(hn_signal_def){.name = "u", .formula = "1"}) == HN_ERR_MODEL);
  CHECK_STR(hn_model_error(m), "signal 'u': there is already a signal of this name");
  CHECK(hn_compile(&sys, m) == HN_ERR_MODEL);
  hn_model_destroy(m);
}

// what is found out when the model is compiled: the place is that of the signal
static void refusals(void) {
  static const struct {
    const char *law, *signals, *wrong;
  } bad[] = {
      {"a", "  a: b + 1\n  b: 2*c\n  c: sin(a)\n",
       "test.yaml:8:3: signal 'a': depends on itself: 'a' reads 'b' reads 'c' reads 'a'"},
      {"1", "  a: a\n", "signal 'a': depends on itself: 'a' reads 'a'"},
      {"a", "  a: 1 + b\n  b: hinge.angel\n",
       "test.yaml:9:3: signal 'b': formula, column 1: unknown name 'hinge.angel'"},
      {"1", "  a: 3 + unknown\n", "signal 'a': formula, column 5: unknown name 'unknown'"},
      {"b", "  a: 3\n", "force 'motor': law, column 1: unknown name 'b'"},
      {"angle", "  angle: 3\n", "force 'motor': law: 'angle' is a signal and also a quantity"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[1200];
    snprintf(text, sizeof text, rotor, bad[i].law);
    snprintf(text + strlen(text), sizeof text - strlen(text), "signals:\n%s", bad[i].signals);
    run r = {.model = hn_model_create()};
    CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
    CHECK(hn_compile(&r.system, r.model) != HN_OK);
    if (!CHECK(strstr(hn_model_error(r.model), bad[i].wrong) != NULL))
      printf("  %s\n", hn_model_error(r.model));
    run_free(&r);
  }
  static const struct {
    const char *motion, *signals, *wrong;
  } motion[] = {
      {"u", "  u: {input: 1}\n", "joint 'd': motion: 'u' is an input, and would make the motion"},
      {"u", "  u: {table: [[0, 1], [1, 2]]}\n", "motion: the velocity jumps in the points of 'u'"},
      {"u", "  u: hinge.angle\n", "(a motion depends on time only)"},
  };
  for (size_t i = 0; i < sizeof motion / sizeof *motion; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             "bodies:\n  wheel: {type: planar, mass: 1, inertia: 0.25}\njoints:\n"
             "  hinge: {type: revolute, b: wheel, at: [0, 0]}\n"
             "  d: {type: driver, joint_a: hinge, motion: %s}\nsignals:\n%s",
             motion[i].motion, motion[i].signals);
    run r = {.model = hn_model_create()};
    CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
    CHECK(hn_compile(&r.system, r.model) != HN_OK);
    if (!CHECK(strstr(hn_model_error(r.model), motion[i].wrong) != NULL))
      printf("  %s\n", hn_model_error(r.model));
    run_free(&r);
  }
}

// signals that read each other twice each are written out once each
static void long_chain(void) {
  char text[8000];
  snprintf(text, sizeof text, rotor, "s60 - s59*2");
  strcat(text, "signals:\n  s0: 1 + hinge.angle\n");
  for (int i = 1; i <= 60; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "  s%d: s%d + s%d\n", i, i - 1,
             i - 1);
  run r = {.model = hn_model_create()};
  CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
  CHECK(hn_compile(&r.system, r.model) == HN_OK);
  run_free(&r);
}

// Of whatever unit: a force that is there while a state s sin(3 t) is above half of s acts from
// t = pi/18 to 5 pi/18, be s amperes or parts of a picoampere
static void switches_of_any_unit(void) {
  static const double sizes[] = {1e-18, 1e-13, 1e-9, 1e-6, 1, 1e9};
  const double pi = acos(-1), a = pi / 18, b = 5 * pi / 18,
               right = (b - a) * (b - a) / 2 + (b - a) * (1 - b);
  for (int k = 0; k < 6; k++) {
    char model[900];
    double s = sizes[k], x = NAN;
    run r;
    snprintf(model, sizeof model,
             "bodies: {cart: {type: planar, mass: 1, inertia: 1}}\n"
             "joints: {rail: {type: prismatic, b: cart, axis: [1, 0]}}\n"
             "states: {u: {rate: %.17g*cos(3*t), size: %.17g}}\n"
             "forces: {push: {type: motor, joint: rail, law: \"if(u > %.17g, 1, 0)\"}}\n",
             3 * s, s, 0.5 * s);
    if (run_start(&r, model, (run_by){.integrator = "dop853", .rtol = 1e-10}) &&
        CHECK(!hn_advance(r.sim, 1)) &&
        CHECK(!hn_joint_coordinate(r.sim, hn_find_joint(r.system, "rail"), NULL, &x, NULL)))
      if (!CHECK_NEAR(x, right, 1e-11)) printf("  %g\n", s);
    run_free(&r);
  }
}

int main(void) {
  RUN(tables);
  RUN(splines);
  RUN(switched_by_a_table);
  RUN(recorded);
  RUN(one_row);
  RUN(files);
  RUN(quoted);
  RUN(brought_along);
  RUN(inputs);
  RUN(no_allocation);
  RUN(springs);
  RUN(gravity);
  RUN(from_c);
  RUN(refusals);
  RUN(long_chain);
  RUN(switches_of_any_unit);
  return test_end();
}
