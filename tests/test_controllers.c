// test_controllers.c: values that are held between samples, and machines of modes.
//
// The plant is a torsion pendulum, I a'' + c a' + k a = u. While u is held its motion is known in
// closed form, so that the sampled loop is a recursion over exact steps.
#include "heap.h"
#include "run_rig.h"
#include "sim/sim.h"

#include <limits.h>

#define INERTIA 0.25
#define DAMPING 0.3
#define STIFF   4.0

static const char pendulum[] =
    "bodies:\n"
    "  wheel: {type: planar, mass: 1, inertia: 0.25, angle: 0.4}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: wheel, at: [0, 0]}\n"
    "forces:\n"
    "  wire: {type: torsion-spring, joint: hinge, stiffness: 4, damping: 0.3, free: 0}\n"
    "  motor: {type: motor, joint: hinge, law: u}\n";

static bool start(run *r, const char *controllers, const char *integrator, double step,
                  double rtol) {
  char text[3000];
  bool bodies = strcmp(integrator, "index2-alpha") == 0;
  snprintf(text, sizeof text, "%s%s", pendulum, controllers);
  return CHECK(run_start(r, text,
                         (run_by){.integrator = integrator,
                                  .coordinates = bodies ? "reference" : "relative",
                                  .step = step,
                                  .rtol = rtol}));
}

static void read_state(run *r, double x[2]) {
  CHECK(!hn_joint_coordinate(r->sim, hn_find_joint(r->system, "hinge"), NULL, &x[0], &x[1]));
}

// a step of size h with the torque u
static void exact(double x[2], double h, double u) {
  double d = DAMPING / (2 * INERTIA), w = sqrt(STIFF / INERTIA - d * d), rest = u / STIFF;
  double a = x[0] - rest, v = x[1], e = exp(-d * h), c = cos(w * h), s = sin(w * h) / w;
  x[0] = rest + e * (a * (c + d * s) + v * s);
  x[1] = e * (v * (c - d * s) - a * STIFF / INERTIA * s);
}

typedef struct pid {
  double kp, ki, kd, T, wanted;
} pid;
static const pid gains = {6, 9, 0.4, 0.01, 0.7};
static const char pid_text[] = "signals:\n"
                               "  error: 0.7 - hinge.angle\n"
                               "controllers:\n"
                               "  u:\n"
                               "    period: 0.01\n"
                               "    memory:\n"
                               "      sum: u_sum + 0.01*error\n"
                               "      slope: (error - u_last)/0.01\n"
                               "      last: {next: error, start: 0.3}\n"
                               "    formula: 6*error + 9*u_sum + 0.4*u_slope\n%s";

// the same controller and plant by recursion from the state x; delay in parts of a period
static void recursion(double x[2], int samples, double delay, double quantum) {
  double sum = 0, last = 0.3, u = 0, before;
  const pid *g = &gains;
  for (int k = 0; k < samples; k++) {
    double error = g->wanted - x[0];
    sum += g->T * error;
    before = u;
    u = g->kp * error + g->ki * sum + g->kd * (error - last) / g->T;
    if (quantum > 0) u = quantum * rint(u / quantum);
    last = error;
    if (delay > 0) exact(x, delay * g->T, before);
    exact(x, (1 - delay) * g->T, u);
  }
}

static void pid_on_a_pendulum(void) {
  static const struct {
    const char *integrator;
    double step, rtol, tolerance;
  } methods[] = {{"dop853", 0, 1e-13, 1e-12},
                 {"dopri5", 0, 1e-13, 1e-12},
                 {"rk4", 5e-4, 0.1, 1e-10},
                 {"abm", 0, 1e-12, 1e-9},
                 {"index2-alpha", 5e-4, 0.1, 1e-5}};
  static const struct {
    const char *more;
    double delay, quantum;
  } ways[] = {{"", 0, 0}, {"    delay: 0.004\n", 0.4, 0}, {"    quantum: 0.125\n", 0, 0.125}};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
      char text[800];
      double x[2], y[2];
      run r;
      snprintf(text, sizeof text, pid_text, ways[k].more);
      if (start(&r, text, methods[i].integrator, methods[i].step, methods[i].rtol)) {
        read_state(&r, x);
        CHECK(hn_advance(r.sim, 3) == HN_OK);
        recursion(x, 300, ways[k].delay, ways[k].quantum);
        read_state(&r, y);
        double off = fmax(fabs(x[0] - y[0]), fabs(x[1] - y[1]));
        // a rounding of the output the other way is a jump
        double tolerance =
            ways[k].quantum > 0 ? fmax(methods[i].tolerance, 1e-9) : methods[i].tolerance;
        if (ways[k].quantum > 0 && methods[i].tolerance > 1e-9) tolerance = 1e-2;
        if (!CHECK(off < tolerance))
          printf("  %s%s: off by %.2e\n", methods[i].integrator, ways[k].more, off);
        hn_energy e;
        CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
        CHECK(fabs(e.balance) < (i < 4 ? 1e-8 : 1e-4) * e.scale);
      }
      run_free(&r);
    }
}

// ---- functions of the caller -------------------------------------------------------------------

typedef struct memory {
  double sum, last;
  int calls, stop;
} memory;

static hn_status by_function(void *user, double t, const double *in, double *out) {
  memory *m = user;
  (void)t;
  m->sum += 0.01 * in[0];
  *out = 6 * in[0] + 9 * m->sum + 0.4 * (in[0] - m->last) / 0.01;
  m->last = in[0];
  return ++m->calls == m->stop ? HN_ERR_INTERRUPTED : HN_OK;
}

static const char function_text[] = "signals:\n"
                                    "  error: 0.7 - hinge.angle\n"
                                    "controllers:\n"
                                    "  u: {period: 0.01, inputs: [error, t]}\n";

static void functions(void) {
  run r;
  double x[2], y[2];
  memory m = {.last = 0.3};
  if (start(&r, function_text, "dop853", 0, 1e-13)) {
    CHECK(hn_controller_count(r.system) == 1 && hn_controller_find(r.system, "v") == -1);
    CHECK_STR(hn_controller_name(r.system, 0), "u");
    CHECK(hn_advance(r.sim, 0.02) == HN_ERR_ARGUMENT);
    CHECK(strstr(hn_sim_error(r.sim), "no function was set") != NULL);
    CHECK(hn_set_state(r.sim, 0, r.system->q0, r.system->v0) == HN_OK);
    CHECK(hn_controller_function(r.sim, 1, by_function, &m) == HN_ERR_ARGUMENT);
    CHECK(hn_controller_function(r.sim, 0, by_function, &m) == HN_OK);
    read_state(&r, x);
    CHECK(hn_advance(r.sim, 3) == HN_OK);
    recursion(x, 300, 0, 0);
    read_state(&r, y);
    CHECK_NEAR(y[0], x[0], 1e-12);
    CHECK_NEAR(y[1], x[1], 1e-12);
    CHECK(m.calls == 301);
    hn_motion_error error;
    CHECK(hn_verify(r.sim, &error) == HN_OK && !error.known);
    m.stop = m.calls + 3;
    CHECK(hn_advance(r.sim, 4) == HN_ERR_INTERRUPTED);
    CHECK(strstr(hn_sim_error(r.sim), "stopped by controller 'u'") != NULL);
  }
  run_free(&r);
}

// ---- functions in libraries ------------------------------------------------------------------

// the same function as a shared library of its own
static bool make_library(const char *folder, char *path, size_t size) {
  static const char source[] =
      "int control(void *user, double t, const double *in, double *out) {\n"
      "  static double sum, last = 0.3;\n"
      "  if (t == 0) sum = 0, last = 0.3;\n"
      "  (void)user, sum += 0.01 * in[0];\n"
      "  *out = 6 * in[0] + 9 * sum + 0.4 * (in[0] - last) / 0.01;\n"
      "  return last = in[0], 0;\n"
      "}\n";
  char text[700], command[2000];
  snprintf(text, sizeof text, "%s/holon-control.c", folder);
  snprintf(path, size, "%s/holon-control.so", folder);
  FILE *f = fopen(text, "w");
  if (!f) return false;
  fputs(source, f);
  fclose(f);
  snprintf(command, sizeof command, "cc -shared -fPIC -o '%s' '%s'", path, text);
  bool made = system(command) == 0;
  remove(text);
  return made;
}

static void library(void) {
  const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
  char path[600], text[2000], why[512] = "";
  if (!CHECK(make_library(folder, path, sizeof path))) return;
  static const char *const wrong[] = {"holon-control.so, function: regulate", "holon-nothing.so"};
  static const char *const says[] = {"there is no function 'regulate'", "holon-nothing.so"};
  for (int k = 0; k < 4; k++) {
    // without trust; as it should be; a function that is not there; a library that is not there
    run r = {.model = hn_model_create()};
    snprintf(text, sizeof text,
             "%ssignals: {error: 0.7 - hinge.angle}\n"
             "controllers:\n  u: {period: 0.01, inputs: [error, t], library: %s/%s}\n"
             "simulation: {integrator: dop853, rtol: 1e-13}\n",
             pendulum, folder, k < 2 ? "holon-control.so" : wrong[k - 2]);
    if (k) hn_model_trust(r.model);
    hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
    if (k == 0) {
      CHECK(status == HN_ERR_MODEL && strstr(hn_model_error(r.model), "hn_model_trust"));
    } else if (CHECK(status == HN_OK && hn_compile(&r.system, r.model) == HN_OK)) {
      status = hn_sim_create(&r.sim, r.system, hn_model_options(r.model), why, sizeof why);
      if (k > 1 && !CHECK(status == HN_ERR_FILE && strstr(why, says[k - 2]))) printf("  %s\n", why);
    }
    if (k == 1 && CHECK(status == HN_OK)) {
      double x[2], y[2];
      read_state(&r, x);
      CHECK(hn_advance(r.sim, 3) == HN_OK);
      recursion(x, 300, 0, 0);
      read_state(&r, y);
      CHECK_NEAR(y[0], x[0], 1e-12);
      CHECK_NEAR(y[1], x[1], 1e-12);
      hn_motion_error error;
      CHECK(hn_verify(r.sim, &error) == HN_OK && !error.known);
    } else if (k == 1) {
      printf("  %s%s\n", why, hn_model_error(r.model));
    }
    run_free(&r);
  }
  remove(path);
}

// ---- what runs must keep -----------------------------------------------------------------------

static void companions(void) {
  char text[800];
  void *bytes = NULL;
  size_t length;
  run r;
  hn_sim *other = NULL;
  snprintf(text, sizeof text, pid_text, "    delay: 0.025\n    noise: 0.3\n    seed: 7\n");
  if (start(&r, text, "dop853", 0, 1e-8) && CHECK(hn_advance(r.sim, 0.503) == HN_OK) &&
      CHECK(!hn_sim_save(r.sim, &bytes, &length, r.message, sizeof r.message)) &&
      CHECK(!hn_sim_restore(&other, r.system, bytes, length, r.message, sizeof r.message))) {
    CHECK(hn_advance(r.sim, 2) == HN_OK && hn_advance(other, 2) == HN_OK);
    CHECK(memcmp(hn_velocities(r.sim), hn_velocities(other), sizeof(double)) == 0);
    // from the start again: the same noise
    double v = hn_velocities(r.sim)[0];
    CHECK(hn_set_state(r.sim, 0, r.system->q0, r.system->v0) == HN_OK);
    CHECK(hn_advance(r.sim, 0.503) == HN_OK && hn_advance(r.sim, 2) == HN_OK);
    CHECK(hn_velocities(r.sim)[0] == v);
    hn_motion_error error;
    CHECK(hn_verify(r.sim, &error) == HN_OK);
    CHECK(error.known && error.relative_position < 1e-3);
    long before = heap_calls;
    CHECK(hn_advance(r.sim, 4) == HN_OK);
    CHECK(heap_calls == before);
  }
  hn_free(bytes);
  hn_sim_destroy(other);
  run_free(&r);
}

// mean and deviation of the noise, by its quantiles too
static void noise(void) {
  run r = {.model = hn_model_create()};
  char text[2000];
  snprintf(text, sizeof text, "%s%s", pendulum,
           "controllers:\n"
           "  u: {period: 0.001, formula: 5, noise: 0.5, seed: 3}\n"
           "simulation: {duration: 4, output_step: 0.001}\n");
  CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
  if (CHECK(run_model(&r, "explicit", "relative", 0) == HN_OK)) {
    int at = column(r.result, "u"), n = hn_result_rows(r.result), inside = 0;
    double mean = 0, square = 0, last = 0, product = 0;
    for (int i = 0; i < n; i++) {
      double x = (hn_result_row(r.result, i)[at] - 5) / 0.5;
      mean += x / n, square += x * x / n, product += x * last / n, inside += fabs(x) < 1;
      last = x;
    }
    CHECK_NEAR(mean, 0, 0.06);
    CHECK_NEAR(square, 1, 0.08);
    CHECK_NEAR(product, 0, 0.06);
    CHECK_NEAR((double)inside / n, 0.6827, 0.03);
  } else {
    printf("  %s\n", r.message);
  }
  run_free(&r);
}

// recorded rows at a sample show what comes after it; samples lie on their instants to the bit
static void instants(void) {
  run r;
  static const char text[] = "controllers:\n"
                             "  u: {period: 0.1, offset: 0.05, formula: t, start: -1}\n";
  if (start(&r, text, "rk4", 0.03, 0.1)) {
    int at = -1;
    for (int i = 0; i < r.system->named; i++)
      if (strcmp(hn_signal_name(r.system, i), "u") == 0) at = i;
    double now = 0;
    for (int i = 0; i < 40 && CHECK(at >= 0); i++) {
      CHECK(hn_step(r.sim) == HN_OK && !hn_refresh(r.sim));
      now = hn_run_expression(r.system, &r.sim->stage.work, r.system->named_signal[at].expression,
                              NULL);
      double t = hn_time(r.sim), k = floor((t - 0.05) / 0.1 + 1e-9);
      CHECK(now == (k < 0 ? -1 : 0.05 + k * 0.1));
    }
  }
  run_free(&r);
}

// rows between samples show what was held there, not what a step that ended on a sample left
static void rows_between(void) {
  static const char text[] = "simulation: {duration: 0.5, output_step: 0.03, verify: 'off'}\n"
                             "bodies:\n"
                             "  a: {type: planar, mass: 1, inertia: 1}\n"
                             "forces:\n"
                             "  push: {type: force, b: a, force: [u, 0]}\n"
                             "controllers:\n"
                             "  u: {period: 0.1, formula: 1 + t}\n";
  static const char *const methods[] = {"explicit", "index2-alpha", "standard"};
  for (int i = 0; i < 3; i++) {
    run r = {.model = hn_model_create()};
    CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
    if (CHECK(run_model(&r, methods[i], "reference", i == 2 ? 0.05 : 0) == HN_OK)) {
      int u = column(r.result, "u");
      for (int k = 0; k < hn_result_rows(r.result); k++) {
        const double *row = hn_result_row(r.result, k);
        if (!CHECK(fabs(row[u] - 1 - 0.1 * floor(row[0] / 0.1 + 1e-9)) < 1e-12))
          printf("  %s, t=%g: %g\n", methods[i], row[0], row[u]);
      }
    } else {
      printf("  %s\n", r.message);
    }
    run_free(&r);
  }
}

// ---- machines
// ------------------------------------------------------------------------------------

// a mass between two ends: pushed up below, down above; in between the mode remembers
static void machine(void) {
  static const char text[] = "bodies:\n"
                             "  tank: {type: planar, mass: 1, inertia: 1}\n"
                             "states:\n"
                             "  level: {rate: 'if(pump == 1, 0.7, -0.3)', start: 0.5}\n"
                             "controllers:\n"
                             "  pump:\n"
                             "    modes: ['off', 'on', done]\n"
                             "    begin: 'on'\n"
                             "    transitions: {on -> off: level > 1, off -> on: level < 0.2, "
                             "'off -> done': t > 7.3}\n";
  static const char *const integrators[] = {"rk4", "dop853", "index2-alpha"};
  for (int i = 0; i < 3; i++) {
    run r = {.model = hn_model_create()};
    hn_options *o = hn_model_options(r.model);
    if (CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK)) {
      snprintf(o->integrator, sizeof o->integrator, "%s", integrators[i]);
      o->step = i == 1 ? 0 : 0.11;
      o->rtol = 1e-10;
      if (!CHECK(hn_compile(&r.system, r.model) == HN_OK))
        printf("  %s\n", hn_model_error(r.model));
    }
    if (r.system && CHECK(!hn_sim_create(&r.sim, r.system, o, r.message, sizeof r.message))) {
      // 0.5/0.7 up, then 0.8/0.3 down and 0.8/0.7 up
      double up = 0.5 / 0.7, down = 0.8 / 0.3, again = 0.8 / 0.7, t = up + down + again + 1;
      CHECK(hn_advance(r.sim, up + 1) == HN_OK);
      CHECK_NEAR(hn_states(r.sim)[0], 1 - 0.3, 1e-11);
      CHECK(hn_advance(r.sim, up + down + 0.5) == HN_OK);
      CHECK_NEAR(hn_states(r.sim)[0], 0.2 + 0.35, 1e-11);
      CHECK(hn_advance(r.sim, t) == HN_OK);
      CHECK_NEAR(hn_states(r.sim)[0], 1 - 0.3, 1e-11);
      // done for good: it runs dry
      CHECK(hn_advance(r.sim, 20) == HN_OK);
      CHECK_NEAR(hn_states(r.sim)[0], 1 - 0.3 * (20 - up - 2 * (down + again)), 1e-10);
    }
    run_free(&r);
  }
}

// ---- forces of the caller
// ------------------------------------------------------------------------

// a damper and a spring to the ground, by a function
static void hold(void *user, double t, const hn_pose *pose, double force[3], double torque[3]) {
  const double *k = user;
  (void)t;
  for (int i = 0; i < 3; i++) {
    force[i] -= k[0] * pose->position[i] + k[1] * pose->velocity[i];
    torque[i] -= k[1] * pose->angular_velocity[i];
  }
}

// the disc by a force of the model and by the caller; the body by a function: energy balances
static void pushes(void) {
  static const char text[] =
      "bodies:\n"
      "  body: {mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.1, 0, 0.05], velocity: "
      "[1, 0, 0.5], angular_velocity: [0.3, 2, 1]}\n"
      "  disc: {type: planar, mass: 1, inertia: 0.5, velocity: [0.4, 0]}\n";
  static const char springs[] = "forces:\n"
                                "  g: {type: force, b: disc, force: [0, 3]}\n"
                                "  h: {type: torque, b: disc, torque: 0.7}\n";
  static const char *const integrators[] = {"dop853", "dop853", "index2-alpha"};
  static const char *const coordinates[] = {"reference", "natural", "reference"};
  double k[2] = {8, 0.5};
  for (int i = 0; i < 3; i++) {
    double end[2][3], spin[2];
    for (int way = 0; way < 2; way++) {
      run r = {.model = hn_model_create()};
      char all[1500];
      hn_options *o = hn_model_options(r.model);
      snprintf(all, sizeof all, "%s%s", text, way ? "" : springs);
      CHECK(hn_model_parse(r.model, all, strlen(all), "test.yaml") == HN_OK);
      snprintf(o->integrator, sizeof o->integrator, "%s", integrators[i]);
      snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates[i]);
      o->rtol = 1e-10;
      if (i == 2) o->step = 1e-3;
      if (!CHECK(hn_compile(&r.system, r.model) == HN_OK))
        printf("  %s\n", hn_model_error(r.model));
      if (r.system && CHECK(!hn_sim_create(&r.sim, r.system, o, r.message, sizeof r.message))) {
        hn_body body = hn_find_body(r.system, "body"), disc = hn_find_body(r.system, "disc");
        if (way) {
          CHECK(hn_wrench_set(r.sim, body, (double[]){2, 0, 1}, NULL) == HN_OK);
          CHECK(hn_wrench_set(r.sim, disc, (double[]){0, 3, 0}, (double[]){0, 0, 0.7}) == HN_OK);
          CHECK(hn_wrench_set(r.sim, (hn_body){0}, NULL, NULL) == HN_ERR_ARGUMENT);
          CHECK(hn_wrench_set(r.sim, body, (double[]){NAN, 0, 1}, NULL) == HN_ERR_ARGUMENT);
          CHECK(hn_wrench_function(r.sim, body, hold, k) == HN_OK);
        }
        CHECK(hn_advance(r.sim, 0.5) == HN_OK);
        hn_pose pose;
        CHECK(hn_body_pose(r.sim, disc, &pose) == HN_OK);
        memcpy(end[way], pose.position, sizeof end[way]);
        spin[way] = pose.angular_velocity[2];
        hn_energy e;
        CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
        if (!CHECK(fabs(e.balance) < (i == 2 ? 1e-5 : 1e-8) * e.scale))
          printf("  way %d, %d: energy %g of %g\n", way, i, e.balance, e.scale);
      }
      run_free(&r);
    }
    CHECK_NEAR(end[0][0], end[1][0], i == 2 ? 1e-7 : 1e-12);
    CHECK_NEAR(end[0][1], end[1][1], i == 2 ? 1e-7 : 1e-12);
    CHECK_NEAR(spin[0], 0.7 * 0.5 / 0.5, i == 2 ? 1e-7 : 1e-10);
    CHECK_NEAR(spin[1], 0.7 * 0.5 / 0.5, i == 2 ? 1e-7 : 1e-10);
  }
}

// a point mass on a spring and damper made by a function, by every integrator: x'' = -4 x - 0.5 x'
static void pushed_by_a_function(void) {
  // in space and in the plane
  static const char *const texts[] = {"bodies:\n  p: {type: point, mass: 2, position: [1, 0, 0]}\n",
                                      "bodies:\n  p: {type: planar, mass: 2, inertia: 1, "
                                      "position: [1, 0]}\n"};
  double k[2] = {8, 1}, d = 0.25, w = sqrt(4 - d * d), t = 1.5;
  double exact_x = exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
  for (int i = 0; hn_integrator_at(i); i++) {
    const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
    run r = {.model = hn_model_create()};
    hn_options *o = hn_model_options(r.model);
    const char *text = texts[i % 2];
    hn_pose pose;
    CHECK(hn_model_parse(r.model, text, strlen(text), "test.yaml") == HN_OK);
    snprintf(o->integrator, sizeof o->integrator, "%s", type->info.name);
    snprintf(o->coordinates, sizeof o->coordinates, "%s",
             type->can & HN_NEEDS_NATURAL ? "natural" : "reference");
    const char *correction = run_correction(type->info.name);
    if (correction) snprintf(o->correction, sizeof o->correction, "%s", correction);
    o->rtol = 1e-10;
    if (type->order < 5) o->step = 1e-3;
    bool ok = CHECK(hn_compile(&r.system, r.model) == HN_OK) &&
              CHECK(!hn_sim_create(&r.sim, r.system, o, r.message, sizeof r.message)) &&
              CHECK(!hn_wrench_function(r.sim, hn_find_body(r.system, "p"), hold, k)) &&
              CHECK(hn_advance(r.sim, t) == HN_OK) &&
              CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "p"), &pose));
    double enough = type->order == 1 ? 3e-3 : type->order == 2 ? 1e-5 : 1e-8;
    if (!ok || !CHECK(fabs(pose.position[0] - exact_x) < enough))
      printf("  %s: %.3g %s %s\n", type->info.name, pose.position[0] - exact_x, r.message,
             r.sim ? hn_sim_error(r.sim) : "");
    run_free(&r);
  }
}

// a bushing between a body and the ground that is not linear: force and torque depend on place,
// orientation and rates
static void bushing(void *user, double t, const hn_pose *pose, double force[3], double torque[3]) {
  const double *k = user, *q = pose->orientation;
  (void)t;
  for (int i = 0; i < 3; i++) {
    double x = pose->position[i], turned = 2 * q[0] * q[1 + i];
    force[i] -= k[0] * (x + x * x * x) + k[1] * pose->velocity[i] * (1 + turned);
    torque[i] -= k[2] * turned + k[3] * pose->angular_velocity[i] + k[1] * x;
  }
}

// d(2 q0 q_i) for a rotation vector u in world axes: q' = (0, u) q / 2
static void bushing_tangent(void *user, double t, const hn_pose *pose, double K[36], double C[36]) {
  const double *k = user, *q = pose->orientation;
  (void)t;
  for (int c = 0; c < 3; c++) {
    double u[3] = {c == 0, c == 1, c == 2}, dq[4];
    dq[0] = -0.5 * (u[0] * q[1] + u[1] * q[2] + u[2] * q[3]);
    dq[1] = 0.5 * (u[0] * q[0] + u[1] * q[3] - u[2] * q[2]);
    dq[2] = 0.5 * (u[1] * q[0] + u[2] * q[1] - u[0] * q[3]);
    dq[3] = 0.5 * (u[2] * q[0] + u[0] * q[2] - u[1] * q[1]);
    for (int i = 0; i < 3; i++) {
      double turned = 2 * (dq[0] * q[1 + i] + q[0] * dq[1 + i]);
      K[6 * i + 3 + c] = -k[1] * pose->velocity[i] * turned;
      K[6 * (3 + i) + 3 + c] = -k[2] * turned;
    }
  }
  for (int i = 0; i < 3; i++) {
    double x = pose->position[i];
    K[6 * i + i] = -k[0] * (1 + 3 * x * x);
    K[6 * (3 + i) + i] = -k[1];
    C[6 * i + i] = -k[1] * (1 + 2 * q[0] * q[1 + i]);
    C[6 * (3 + i) + 3 + i] = -k[3];
  }
}

static const char pushed_bodies[] =
    "bodies:\n"
    "  body: {mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.1, 0.2, 0.05], position: "
    "[0.1, 0.2, -0.1], velocity: [0.5, -0.3, 0.2], angular_velocity: [1, 2, -1]}\n"
    "  disc: {type: planar, mass: 1, inertia: 0.5, com: [0.2, 0.1], velocity: [0.4, 0]}\n";

// what the tangents of functions are made into, against differences at random states
static void push_tangents(void) {
  enum { N = 9, Q = 10 };
  double k[4] = {7, 0.8, 3, 0.4};
  run r;
  if (!CHECK(run_start(&r, pushed_bodies,
                       (run_by){.integrator = "dop853", .coordinates = "reference"})))
    return;
  const hn_system *sys = r.system;
  hn_work *work = &r.sim->stage.work;
  CHECK(hn_wrench_tangent(r.sim, hn_find_body(sys, "body"), bushing_tangent) == HN_ERR_ARGUMENT);
  for (int i = 0; i < 2; i++) {
    hn_body body = hn_find_body(sys, i ? "disc" : "body");
    CHECK(hn_wrench_function(r.sim, body, bushing, k) == HN_OK);
    CHECK(hn_wrench_tangent(r.sim, body, bushing_tangent) == HN_OK);
    CHECK(hn_wrench_set(r.sim, body, (double[]){1, 2, 3}, (double[]){0.3, -0.2, 0.1}) == HN_OK);
  }
  if (!CHECK(sys->nv == N && sys->nq == Q)) return;
  for (int trial = 0; trial < 20; trial++) {
    double K[N * N] = {0}, C[N * N] = {0}, q[Q], v[N], d[N], f[2][N], most = 0;
    memcpy(q, sys->q0, sizeof q);
    for (int i = 0; i < N; i++) d[i] = test_random(-0.7, 0.7), v[i] = test_random(-2, 2);
    hn_retract(sys, q, d);
    hn_tangent tangent = {.n = N, .K = K, .C = C};
    hn_eval_all(work, 0, q, v);
    hn_force_tangent(work, &tangent);
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
    if (!CHECK(most < 1e-7)) printf("  trial %d: %.1e\n", trial, most);
  }
  run_free(&r);
}

// a function far stiffer than the step: with its tangent Newton's iteration takes it, without it
// the steps become short, or fail
static void stiff_pushes(void) {
  static const char *const integrators[] = {"index2-alpha", "index3-alpha"};
  double k[4] = {1e7, 1e3, 1e6, 1e2};
  for (int i = 0; i < 2; i++) {
    long steps[2];
    for (int known = 0; known < 2; known++) {
      run r;
      bool ok = CHECK(run_start(&r, pushed_bodies,
                                (run_by){.integrator = integrators[i],
                                         .coordinates = "reference",
                                         .step = 5e-3,
                                         .rtol = 1e-4}));
      for (int b = 0; b < 2 && ok; b++) {
        hn_body body = hn_find_body(r.system, b ? "disc" : "body");
        ok = CHECK(!hn_wrench_function(r.sim, body, bushing, k)) &&
             (!known || CHECK(!hn_wrench_tangent(r.sim, body, bushing_tangent)));
      }
      hn_status status = ok ? hn_advance(r.sim, 0.03) : HN_ERR_ARGUMENT;
      hn_summary s;
      if (r.sim) hn_sim_summary(r.sim, &s);
      steps[known] = status ? LONG_MAX : s.steps + s.rejected;
      if (known && !CHECK(!status)) printf("  %s: %s\n", integrators[i], hn_sim_error(r.sim));
      run_free(&r);
    }
    printf("  %-14s %ld steps with the tangent, without %ld\n", integrators[i], steps[1], steps[0]);
    CHECK(steps[1] < steps[0] / 2);
  }
}

static void refused(void) {
  char before[sizeof pendulum + 20];
  snprintf(before, sizeof before, "%scontrollers:\n", pendulum);
  static const refusal cases[] = {
      {"  u: {formula: 1}\n", "needs a period"},
      {"  u: {period: -1, formula: 1}\n", "period must be positive"},
      {"  u: {period: 1}\n", "needs a formula, or the inputs"},
      {"  u: {period: 1, formula: 1, inputs: [t]}\n", "needs a formula, or the inputs"},
      {"  u: {period: 1, formula: w}\n", "controller 'u': formula, column 1: unknown name 'w'"},
      {"  u: {period: 1, formula: 1, delay: 2000}\n", "thousand periods"},
      {"  u: {period: 1, formula: 1, memory: {a: v}}\n", "unknown name 'v'"},
      {"  u: {period: 1, formula: 1, memory: {a: {nex: v}}}\n", "did you mean 'next'?"},
      {"  u: {period: 1, formula: 1, memory: {a: {start: 1}}}\n", "'a' needs a formula"},
      {"  u: {period: 1, formula: 1, function: f}\n", "there is no library"},
      {"  u: {modes: [a]}\n", "at least two modes"},
      {"  u: {modes: [a, b], period: 1}\n", "no period"},
      {"  u: {modes: [a, b], begin: c}\n", "there is no mode 'c'"},
      {"  u: {modes: [a, b], transitions: {a to b: t > 1}}\n", "is no way between two"},
      {"  u: {modes: [a, b], transitions: {a -> c: t > 1}}\n", "is no way between two"},
      {"  u: {period: 1, formula: 1}\nsignals: {u: 1}\n", "already"},
  };
  run_refused(before, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  RUN(pid_on_a_pendulum);
  RUN(functions);
  RUN(library);
  RUN(companions);
  RUN(noise);
  RUN(instants);
  RUN(rows_between);
  RUN(machine);
  RUN(pushes);
  RUN(pushed_by_a_function);
  RUN(push_tangents);
  RUN(stiff_pushes);
  RUN(refused);
  return test_end();
}
