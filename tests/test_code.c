// test_code.c: code written for a model gives the numbers of the library, at random states, for
// every example model that can have it; runs with it end where runs without it end.
#include "code/compiler.h"
#include "code/formulas.h"
#include "code/native.h"
#include "code/sine_text.h"
#include "comma.h"
#include "sim/sim.h"

#include <stdlib.h>

static const char quick_flags[] = "-O0";  // what is tested are the numbers

typedef struct subject {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
  char message[512];
} subject;

static bool begin(subject *s, const char *text, const char *name, const char *coordinates,
                  const char *code) {
  *s = (subject){.model = hn_model_create()};
  hn_options *o = hn_model_options(s->model);
  hn_status status = hn_model_parse(s->model, text, strlen(text), name);
  if (!status) status = hn_options_set(o, "coordinates", coordinates, s->message, 512);
  if (!status) status = hn_options_set(o, "code", code, s->message, 512);
  if (!status) status = hn_options_set(o, "method", "explicit", s->message, 512);
  o->solver[0] = o->correction[0] = o->integrator[0] = 0;
  if (!status) status = hn_compile(&s->sys, s->model);
  if (status && !s->message[0])
    snprintf(s->message, sizeof s->message, "%s", hn_model_error(s->model));
  if (!status) status = hn_sim_create(&s->sim, s->sys, o, s->message, sizeof s->message);
  return status == HN_OK;
}

static void end(subject *s) {
  hn_sim_destroy(s->sim);
  hn_system_destroy(s->sys);
  hn_model_destroy(s->model);
}

static double largest(const double *x, int n) {
  double m = 0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
  return m;
}

static void same(const char *what, const double *a, const double *b, int n, double scale) {
  double worst = 0;
  int at = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= worst)) worst = fabs(a[i] - b[i]), at = i;
  if (!CHECK(worst <= 1e-9 * fmax(scale, largest(b, n))))
    printf("  %s [%d]: %.17g, library %.17g\n", what, at, n ? a[at] : 0, n ? b[at] : 0);
}

// the smallest changes that take the residuals away, by the library
static void pull(hn_sim *sim, const double *residual, bool position, double *x) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->nv; i++) x[i] = 0;
  for (int i = 0; i < sys->rows; i++)
    sim->room.r[i] = (position && !sys->holonomic[i]) || !sys->active[i] ? 0 : -residual[i];
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, x, sim->room.r);
}

typedef void (*switching_fn)(double t, const double *q, const double *v, const double *turn,
                             const double *side, const double *in, double *value, double *gap);

// switching functions, and gaps as the library has them where all are looked at
static void compare_switching(hn_sim *sim, double t, const double *y, const double *side,
                              const double *in, const double *value) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  enum { MOST = 400 };
  static double own[MOST], gap[MOST], expected[MOST];
  bool all[MOST];
  const bool *on = w->on;
  const double *shift = w->shift;
  switching_fn switching = NULL;
  if (!sys->switches && !sys->unilaterals) return;
  if (!hn_find_function(sys->native->handle, "holon_switching", &switching)) {
    // nothing but gaps to curves, which have no formulas
    CHECK(!sys->switches && strcmp(sys->name, "cam and follower") == 0);
    return;
  }
  switching(t, y, y + sys->nq, w->near, side, in, own, gap);
  same("switching function", own, value, sys->switches, sys->length);
  for (int i = 0; i < sys->unilaterals; i++) all[i] = true;
  w->on = all, w->shift = NULL;
  hn_eval_position(w, t, y);
  for (int i = 0; i < sys->unilaterals; i++) expected[i] = w->phi[sys->unilateral[i].row];
  w->on = on, w->shift = shift;
  same("gap", gap, expected, sys->unilaterals, sys->length);
}

// one state, both ways
static void compare_state(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  int nq = sys->nq, nv = sys->nv, rows = sys->rows;
  enum { MOST = 2000 };
  static double ydot[MOST], qdot[MOST], a[MOST], lambda[MOST], phi[MOST], psi[MOST], d[MOST];
  static double x[MOST], expected[MOST], value[MOST], side[MOST];
  double power, *v = y + nq;
  for (int i = 0; i < sys->memories; i++)
    side[sys->switches + i] = sim->stage.work.memory[i] = test_random(-1, 1);
  hn_eval_switches(&sim->stage.work, t, y, v, value);
  for (int i = 0; i < sys->switches; i++) side[i] = value[i] > 0;
  static double in[MOST], xdot[MOST];
  hn_native_in(&sim->stage.work, t, y + sim->state.x, in);
  double firm =
      sys->native->motion(t, y, v, sim->stage.work.near, side, in, qdot, a, lambda, &power, xdot);
  sys->native->projection(t, y, v, sim->stage.work.near, side, in, phi, psi, d, x);
  compare_switching(sim, t, y, side, in, value);
  CHECK(hn_derivative(sim, t, y, ydot) == HN_OK);
  if (sim->stage.kkt.pivot_ratio < 1e-6) return;
  same("rate", qdot, ydot, nq, 1);
  same("acceleration", a, ydot + nq, nv, 1);
  same("multiplier", lambda, sim->stage.work.lambda, rows, largest(sys->mass, sys->bv));
  same("power", &power, ydot + sim->state.w, 1, 1);
  same("rate of a state", xdot, ydot + sim->state.x, sys->states, 1);
  if (rows) {
    // the library measures blocks of rows, the code rows one by one; in relative coordinates it
    // measures them against their size at the start
    double most = !sys->coordinates->of_bodies ? 1e3 : 10;
    CHECK(firm > sim->stage.kkt.pivot_ratio / most && firm < most * sim->stage.kkt.pivot_ratio);
    same("position residual", phi, sim->stage.work.phi, rows, sys->length);
    same("velocity residual", psi, sim->stage.work.psi, rows, 1);
    pull(sim, sim->stage.work.phi, true, expected);
    same("position change", d, expected, nv, 1e-4 * sys->length);
    pull(sim, sim->stage.work.psi, false, expected);
    same("velocity change", x, expected, nv, 1e-4);
  }
}

// the start, and states all around it, off the constraints as well
static void compare_states(subject *s) {
  hn_sim *sim = s->sim;
  const hn_system *sys = s->sys;
  double *y = malloc((size_t)sim->state.n * sizeof *y),
         *turn = malloc((size_t)sys->nv * sizeof *turn);
  if (!CHECK(y && turn)) return;
  for (int k = 0; k < 6; k++) {
    memcpy(y, sys->q0, (size_t)sys->nq * sizeof *y);
    memcpy(y + sys->nq, sys->v0, (size_t)sys->nv * sizeof *y);
    double size = k * 0.04;
    for (int i = 0; i < sys->nv; i++) {
      turn[i] = test_random(-size, size) * (sys->angular_v[i] ? 1 : sys->length);
      y[sys->nq + i] += k * test_random(-1, 1);
    }
    hn_retract(sys, y, turn);
    y[sim->state.w] = 0;
    for (int i = 0; i < sys->states; i++) y[sim->state.x + i] = test_random(-1, 1);
    hn_eval_position(&sim->stage.work, 0.1 * k, y);
    compare_state(sim, 0.1 * k, y);
  }
  free(y), free(turn);
}

// models that must have code: planar and spatial loops, trees, redundancy, drivers, springs and
// laws, switching forces
static const char *const must[] = {"four_bar",         "andrews",       "bricard",
                                   "heavy_top",        "torque_free",   "five_bar_pendulum_spatial",
                                   "iltis_suspension", "watt_governor", "excavator_arm",
                                   "spatial_four_bar", "shaft_line",    "stewart_platform",
                                   "knife_edge",       "rolling_disk",  "rolling_disk_incline"};

static bool must_have(const char *name) {
  for (size_t k = 0; k < sizeof must / sizeof *must; k++)
    if (strcmp(name, must[k]) == 0) return true;
  return false;
}

static void examples(void) {
  int written = 0, seen = 0, trees = 0;
  for (int i = 0; hn_example_name(i); i++)
    for (int relative = 0; relative < 2; relative++) {
      subject s;
      const char *name = test_name = hn_example_name(i);
      // seconds of compiling, nothing new
      if (strcmp(name, "n_four_bar_40") == 0 || strcmp(name, "four_cylinder_engine") == 0) continue;
      if (run_quickly() && !must_have(name)) continue;
      if (begin(&s, hn_example_text(i), name, relative ? "relative" : "reference", "native")) {
        CHECK(s.sim->method.native != NULL);
        // code is of no use where something touches from the start
        bool touches = false;
        for (int k = 0; k < s.sys->unilaterals; k++) touches |= s.sim->stage.work.on[k];
        if (!touches) compare_states(&s);
        written++;
        trees += relative;
        seen += !relative && must_have(name);
      } else if (!CHECK(strstr(s.message, "no code can be written for") ||
                        strstr(s.message, "relative coordinates need") ||
                        strstr(s.message, "needs reference coordinates"))) {
        printf("  %s\n", s.message);
      }
      end(&s);
    }
  test_name = "examples";
  CHECK(seen == sizeof must / sizeof *must);
  CHECK(trees >= 3);
  printf("code for %d of the example models\n", written);
}

// ---- every tree joint ----------------------------------------------------------------------

static void tree_joints(void) {
  static const char *const joint[] = {"{type: revolute, axis: [0.2, 1, 0.3]",
                                      "{type: prismatic, axis: [1, 0.5, 0]",
                                      "{type: cylindrical, axis: [0, 1, 0.4]",
                                      "{type: spherical",
                                      "{type: fixed",
                                      "{type: universal, axis: [1, 0, 0], axis_b: [0, 1, 0]",
                                      "{type: planar, axis: [0, 0.2, 1]",
                                      "{type: screw, pitch: 0.1, axis: [1, 0, 0.1]"};
  for (size_t i = 0; i < sizeof joint / sizeof *joint; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             "gravity: [0, 0.3, -9.81]\n"
             "bodies:\n"
             "  b1: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [1, 0, 0], com: [0.1, 0, 0.2]}\n"
             "  b2: {mass: 1, inertia: [0.1, 0.3, 0.3], position: [2, 0.2, 0]}\n"
             "  b3: {mass: 3, inertia: [0.5, 0.3, 0.4], position: [2, 1, 1]}\n"
             "joints:\n"
             "  j1: %s, a: ground, b: b1, at: [0.5, 0, 0]}\n"
             "  j2: %s, a: b1, b: b2, at: [1.5, 0, 0.1]}\n"
             "forces:\n"
             "  s: {type: spring, a: b2, b: b3, at: [2, 0, 0], at_b: [2, 1, 1], stiffness: 30,"
             " damping: 2, free: 0.5}\n"
             "  f: {type: force, a: b1, b: b2, at: [2, 0, 0], force: [1, sin(t), 2], axes: body}\n"
             "  m: {type: torque, a: b1, b: b3, torque: [1, 2, cos(t)]}\n",
             joint[i], joint[i]);
    subject s;
    bool good = CHECK(begin(&s, text, "text", "relative", "native"));
    if (good)
      compare_states(&s);
    else
      printf("  %s: %s\n", joint[i], s.message);
    end(&s);
  }
}

static void planar_tree(void) {
  const char *text =
      "gravity: [0.2, -9.81, 0]\n"
      "bodies:\n"
      "  b1: {type: planar, mass: 2, inertia: 0.2, position: [1, 0], com: [0.1, 0.05]}\n"
      "  b2: {type: planar, mass: 1, inertia: 0.1, position: [2, 0.2], angle: 30 deg}\n"
      "  b3: {type: planar, mass: 3, inertia: 0.5, position: [2, 1]}\n"
      "  b4: {type: planar, mass: 1, inertia: 0.3, position: [0, 1], angle: 1}\n"
      "joints:\n"
      "  j1: {type: revolute, a: ground, b: b1, at: [0.5, 0]}\n"
      "  j2: {type: prismatic, a: b1, b: b2, at: [1.5, 0], axis: [1, 0.4]}\n"
      "  j3: {type: fixed, a: b2, b: b3, at: [2, 0.5]}\n"
      "forces:\n"
      "  s: {type: spring, a: b3, b: b4, at: [2, 1], at_b: [0, 1], stiffness: 30, damping: 2}\n"
      "  c: {type: torsion-spring, joint: j1, stiffness: 5, damping: 0.3}\n"
      "  m: {type: motor, joint: j2, law: '3*sin(t) - 2*rate + translation'}\n";
  subject s;
  if (CHECK(begin(&s, text, "text", "relative", "native")))
    compare_states(&s);
  else
    printf("  %s\n", s.message);
  end(&s);
}

// ---- friction ------------------------------------------------------------------------------

// with a force that presses it depends on no reaction; all laws that do not hold
static void pressed_friction(void) {
  static const char *const law[] = {
      "{type: friction, joint: j2, coulomb: 0.3, speed: 0.5, press: 20",
      "{type: friction, joint: j2, law: brown-mcphee, coulomb: 0.3, static: 0.5, speed: 0.4,"
      " press: 20, viscous: 0.2",
      "{type: friction, joint: j2, law: lugre, coulomb: 0.3, static: 0.5, speed: 0.1,"
      " stiffness: 30, damping: 0.4, press: 20"};
  for (size_t i = 0; i < 2 * sizeof law / sizeof *law; i++) {
    char text[1500];
    bool turns = i % 2;
    snprintf(text, sizeof text,
             "gravity: [0.2, -9.81, 0]\n"
             "bodies:\n"
             "  b1: {type: planar, mass: 2, inertia: 0.2, position: [1, 0], com: [0.1, 0.05]}\n"
             "  b2: {type: planar, mass: 1, inertia: 0.1, position: [2, 0.2], angle: 30 deg}\n"
             "joints:\n"
             "  j1: {type: revolute, a: ground, b: b1, at: [0.5, 0]}\n"
             "  j2: {type: %s, a: b1, b: b2, at: [1.5, 0]}\n"
             "forces:\n"
             "  rub: %s%s}\n",
             turns ? "revolute" : "prismatic, axis: [1, 0.4]", law[i / 2],
             turns ? ", radius: 0.1" : "");
    subject s;
    test_name = law[i / 2];
    if (CHECK(begin(&s, text, "text", i % 3 ? "relative" : "reference", "native")))
      compare_states(&s);
    else
      printf("  %s\n", s.message);
    end(&s);
  }
}

// ---- rolling, skating, bushings ------------------------------------------------------------

// on a body that moves itself, in space and in the plane, in both coordinates
static void on_moving_ground(void) {
  static const struct {
    bool planar;
    const char *joint;
  } list[] = {
      {false, "{type: rolling-disc, radius: 0.5, axis: [0.2, 1, 0.3]"},
      {false, "{type: rolling-sphere, radius: 0.5, normal: [0.1, 0.2, 1]"},
      {false, "{type: knife-edge, axis: [0.3, 1, 0.1]"},
      {false, "{type: wheel, axis: [1, 0.2, 0.4]"},
      {true, "{type: rolling-disc, radius: 0.5"},
      {true, "{type: rolling-sphere, radius: 0.5, normal: [0.3, 1, 0]"},
      {true, "{type: knife-edge, axis: [0.3, 1, 0]"},
  };
  for (size_t i = 0; i < 2 * sizeof list / sizeof *list; i++) {
    char text[2000];
    bool planar = list[i / 2].planar;
    snprintf(
        text, sizeof text,
        "gravity: %s\n"
        "bodies:\n"
        "  table: {%s, position: [1, 0, 0], com: [0.1, 0.05, 0]}\n"
        "  wheel: {%s, position: [1.3, 0.6, %s], com: [0.02, 0, 0]}\n"
        "  load: {%s, position: [1.5, 1, 0]}\n"
        "joints:\n"
        "  hinge: {type: revolute, a: ground, b: table, at: [0.5, 0, 0]%s}\n"
        "  roll: %s, a: table, b: wheel, at: [1.3, 0.6, %s]}\n"
        "forces:\n"
        "  mount: {type: bushing, a: wheel, b: load, at: [1.4, 0.8, 0],\n"
        "          stiffness: [100, 200, 300, 20, 30, 40], damping: [1, 2, 3, 0.2, 0.3, 0.1]%s}\n",
        planar ? "[0, -9.81]" : "[0.2, 0.3, -9.81]",
        planar ? "type: planar, mass: 2, inertia: 0.2" : "mass: 2, inertia: [0.2, 0.3, 0.4]",
        planar ? "type: planar, mass: 1, inertia: 0.3" : "mass: 1, inertia: [0.3, 0.2, 0.25]",
        planar ? "0" : "0.7",
        planar ? "type: planar, mass: 1, inertia: 0.1" : "mass: 1, inertia: [0.1, 0.2, 0.15]",
        planar ? "" : ", axis: [0.1, 1, 0.2]", list[i / 2].joint, planar ? "0" : "0.7",
        planar ? "" : ", preload: [1, 2, 3, 0.1, 0.2, 0.3]");
    subject s;
    test_name = list[i / 2].joint;
    if (CHECK(begin(&s, text, "text", i % 2 ? "relative" : "reference", "native")))
      compare_states(&s);
    else
      printf("  %s: %s\n", list[i / 2].joint, s.message);
    end(&s);
  }
}

// ---- runs ----------------------------------------------------------------------------------

static long asked[2];
static hn_motion_fn true_motion;
static hn_projection_fn true_projection;
static double count_motion(double t, const double *q, const double *v, const double *turn,
                           const double *side, const double *in, double *qdot, double *a,
                           double *lambda, double *power, double *xdot) {
  asked[0]++;
  return true_motion(t, q, v, turn, side, in, qdot, a, lambda, power, xdot);
}
static double count_projection(double t, const double *q, const double *v, const double *turn,
                               const double *side, const double *in, double *phi, double *psi,
                               double *d, double *x) {
  asked[1]++;
  return true_projection(t, q, v, turn, side, in, phi, psi, d, x);
}

// end state and audit of a run with and without
// all columns of all rows, by the largest number of each
static void compare_rows(const hn_result *a, const hn_result *b, double tolerance) {
  int rows = hn_result_rows(b), columns = hn_result_columns(b);
  if (!CHECK(hn_result_rows(a) == rows && hn_result_columns(a) == columns && rows > 20)) return;
  for (int c = 0; c < columns; c++) {
    double off = 0, most = 1;
    for (int r = 0; r < rows; r++) {
      double x = hn_result_row(a, r)[c], y = hn_result_row(b, r)[c];
      most = fmax(most, fabs(y));
      if (!(fabs(x - y) <= off)) off = fabs(x - y);
    }
    if (!CHECK(off <= 10 * tolerance * most))
      printf("  %s: off by %.3g of %.3g\n", hn_result_name(b, c), off, most);
  }
}

static void run_both(const char *name, const char *coordinates, double duration, double tolerance) {
  double state[2][400];
  hn_summary summary[2] = {0};
  hn_result *result[2] = {0};
  int index = 0, nq = 0, rows = 0;
  while (hn_example_name(index) && strcmp(hn_example_name(index), name) != 0) index++;
  test_name = name;
  for (int native = 0; native < 2; native++) {
    subject s;
    if (CHECK(hn_example_name(index)) && CHECK(begin(&s, hn_example_text(index), name, coordinates,
                                                     native ? "native" : "library"))) {
      nq = s.sys->nq, rows = s.sys->rows;
      asked[0] = asked[1] = 0;
      if (native) {
        true_motion = s.sys->native->motion, true_projection = s.sys->native->projection;
        s.sys->native->motion = count_motion, s.sys->native->projection = count_projection;
      }
      hn_sim_destroy(s.sim);
      hn_options o = *hn_model_options(s.model);
      o.rtol = 1e-9;
      o.duration = duration;
      CHECK(hn_sim_create(&s.sim, s.sys, &o, s.message, sizeof s.message) == HN_OK);
      if (!CHECK(hn_run(s.sim, &result[native], NULL, NULL) == HN_OK))
        printf("  %s\n", hn_sim_error(s.sim));
      memcpy(state[native], hn_positions(s.sim), (size_t)nq * sizeof(double));
      hn_sim_summary(s.sim, &summary[native]);
      CHECK(summary[native].audit_pass);
    }
    end(&s);
  }
  for (int i = 0; i < nq; i++) CHECK_NEAR(state[1][i], state[0][i], tolerance);
  // next to singular places reactions are anything
  if (!summary[0].singular) compare_rows(result[1], result[0], tolerance);
  hn_result_destroy(result[0]), hn_result_destroy(result[1]);
  // all but the first evaluation, unless places are singular
  if (!CHECK(asked[0] > summary[1].steps && asked[1] >= (rows ? summary[1].steps : 0)))
    printf("  asked %ld %ld times in %ld steps\n", asked[0], asked[1], summary[1].steps);
  CHECK(labs(summary[1].steps - summary[0].steps) <= 2 + summary[0].steps / 5);
  // of hundreds of rebounds the last ones are round-off
  CHECK(labs((long)summary[1].events - (long)summary[0].events) <= (long)summary[0].events / 50);
  CHECK(summary[1].singular == summary[0].singular);
}

static void runs(void) {
  run_both("four_bar", "reference", 5, 1e-6);
  run_both("andrews", "reference", 0.02, 1e-7);
  run_both("bricard", "reference", 2, 1e-6);
  run_both("n_four_bar_2", "reference", 5, 1e-5);
  run_both("iltis_suspension", "reference", 2, 1e-6);
  run_both("five_bar_pendulum_spatial", "relative", 1, 1e-6);
  run_both("four_bar", "relative", 5, 1e-6);
  run_both("bricard", "relative", 2, 1e-6);
  run_both("n_four_bar_2", "relative", 5, 1e-5);
  run_both("excavator_arm", "reference", 2, 1e-6);
  run_both("rolling_disk", "reference", 1, 1e-6);
  run_both("knife_edge", "reference", 1, 1e-6);
}

// Machine code between impacts and where contacts yield; the library where gaps are closed and
// where sides change
static void impacts(void) {
  run_both("bouncing_ball", "reference", 2, 1e-6);
  run_both("ratchet", "relative", 2, 1e-6);
  run_both("flat_follower", "reference", 2, 1e-6);
  run_both("cam_follower", "relative", 1, 1e-6);
  run_both("kerb", "reference", 1, 1e-6);
  run_both("tippe_top", "reference", 0.2, 1e-6);
  run_both("slider_crank_worn", "reference", 0.05, 1e-6);
}

// ---- what the library must take over ------------------------------------------------------------

static double give_up(double t, const double *q, const double *v, const double *turn,
                      const double *side, const double *in, double *phi, double *psi, double *d,
                      double *x) {
  double firm = true_projection(t, q, v, turn, side, in, phi, psi, d, x);
  return asked[1]++ ? 0 : firm;
}

// code that gives up after it has moved the state: the library goes on from there, and what was
// moved before counts
static void taken_over(void) {
  subject s;
  int index = 0;
  while (strcmp(hn_example_name(index), "four_bar") != 0) index++;
  if (!CHECK(begin(&s, hn_example_text(index), "four_bar", "reference", "native"))) return;
  hn_sim *sim = s.sim;
  double moved[2] = {0}, *q = sim->state.y, *v = q + s.sys->nq;
  true_projection = s.sys->native->projection;
  for (int k = 0; k < 2; k++) {
    CHECK(hn_set_state(sim, 0, s.sys->q0, s.sys->v0) == HN_OK);
    q[0] += 1e-6;
    CHECK(hn_derivative(sim, 0, sim->state.y, sim->stage.ydot) ==
          HN_OK);  // by the library: factors are fresh
    sim->stage.stepping = true;
    asked[1] = 0;
    if (k) s.sys->native->projection = give_up;
    CHECK(sim->method.correction->apply(sim, 0, q, v, &moved[k]) == HN_OK);
    sim->stage.stepping = false;
    CHECK(asked[1] == (k ? 2 : 0));
    hn_eval_jacobian(&sim->stage.work, 0, q, v);
    CHECK(largest(sim->stage.work.phi, s.sys->rows) < 1e-12);
    CHECK(largest(sim->stage.work.psi, s.sys->rows) < 1e-12);
  }
  CHECK(moved[0] > 1);
  CHECK_REL(moved[1], moved[0], 0, 1e-3);
  end(&s);
}

// springs wind up over several turns: spatial wheels, whose orientations know no turns, swing by
// w sin(sqrt(k / J) t) / sqrt(k / J), 17 rad and more
static void turns(void) {
  static const char text[] =
      "simulation: {duration: 3, rtol: 1e-11, atol: 1e-13, verify: off}\n"
      "bodies:\n"
      "  one: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 40]}\n"
      "  two: {mass: 1, inertia: [1, 1, 2], position: [1, 0, 0], angular_velocity: [0, 0, -50]}\n"
      "joints:\n"
      "  A: {type: revolute, b: one, at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  B: {type: revolute, b: two, at: [1, 0, 0], axis: [0, 0, 1]}\n"
      "forces:\n"
      "  on_one: {type: torsion-spring, joint: A, stiffness: 5}\n"
      "  on_two: {type: torsion-spring, joint: B, stiffness: 6}\n";
  subject s;
  if (CHECK(begin(&s, text, "turns", "reference", "native")))
    for (double t = 0.25; t < 3; t += 0.25) {
      double a, b;
      if (!CHECK(hn_advance(s.sim, t) == HN_OK)) break;
      CHECK(hn_joint_coordinate(s.sim, hn_find_joint(s.sys, "A"), NULL, &a, NULL) == HN_OK);
      CHECK(hn_joint_coordinate(s.sim, hn_find_joint(s.sys, "B"), NULL, &b, NULL) == HN_OK);
      CHECK_NEAR(a, 40 / sqrt(5) * sin(sqrt(5) * t), 1e-7);
      CHECK_NEAR(b, -50 / sqrt(3) * sin(sqrt(3) * t), 1e-7);
    }
  else
    printf("  %s\n", s.message);
  end(&s);
}

// loops that fill in are given up on the way, not when all is written
static void too_large(void) {
  subject s;
  hn_formulas f;
  int index = 0;
  while (strcmp(hn_example_name(index), "jansen_walker") != 0) index++;
  if (!CHECK(begin(&s, hn_example_text(index), "jansen_walker", "reference", "library"))) return;
  CHECK(hn_formulas_build(&f, s.sys) == HN_ERR_UNSUPPORTED);
  CHECK_STR(f.missing, "a model of this size");
  CHECK(f.g->count < 120000);
  hn_formulas_clear(&f);
  end(&s);
}

// ---- sine and cosine -------------------------------------------------------------------------

// next to multiples of pi/2, where most digits go, and anywhere; beyond 1e5 the library's own
static void sines(void) {
  char text[8000], message[256] = "";
  void *handle = NULL;
  void (*both)(double x, double *s, double *c);
  snprintf(text, sizeof text,
           "#include <math.h>\n%svoid both(double x, double *s, double *c) "
           "{ *s = sin(x), *c = cos(x); }\n",
           hn_sine_of_numbers);
  unsetenv("HOLON_CFLAGS");
  bool made = CHECK(!hn_compile_text(text, NULL, "", &handle, message, sizeof message)) &&
              CHECK(hn_find_function(handle, "both", &both));
  setenv("HOLON_CFLAGS", quick_flags, 1);
  if (!made) return;
  double worst = 0, x, s, c;
  for (int i = 0; i < 200000; i++) {
    double far = pow(10, test_random(-8, 5)), near = pow(10, test_random(-16, -1));
    x = i % 2 ? test_random(-far, far) : 1.5707963267948966 * round(test_random(-far, far)) + near;
    if (fabs(x) > 1e5) continue;
    both(x, &s, &c);
    worst = fmax(worst, fabs(s - sin(x)) / (fabs(sin(x)) + 1e-30));
    worst = fmax(worst, fabs(c - cos(x)) / (fabs(cos(x)) + 1e-30));
  }
  printf("sine and cosine: off by %.2g of their value\n", worst);
  CHECK(worst < 3.4e-16);
  static const double special[] = {0, 1.0000001e5, -3e5, 1e300, INFINITY, NAN};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
    both(x = special[i], &s, &c);
    CHECK(s == sin(x) || (isnan(s) && isnan(sin(x))));
    CHECK(c == cos(x) || (isnan(c) && isnan(cos(x))));
  }
  hn_unload(handle);
}

// ---- refusals ------------------------------------------------------------------------------

// numbers as they were given, to the last bit, with a point in every locale
static void numbers(void) {
  char message[256], *text = NULL;
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  static const char spring[] =
      "bodies: {b: {type: planar, mass: 1, inertia: 0.3, position: [0.1, 0]}}\n"
      "forces: {s: {type: spring, a: ground, b: b, stiffness: 0.7, free: 1e-5}}\n";
  if (!test_comma()) printf("no locale with a decimal comma\n");
  CHECK(!hn_model_parse(model, spring, strlen(spring), "spring") && !hn_compile(&sys, model));
  if (sys) CHECK(!hn_code_write(sys, &text, message, sizeof message));
  CHECK(text && strstr(text, "0.7)") && strstr(text, "1e-05)") && !strstr(text, "0.6999"));
  setlocale(LC_NUMERIC, "C");
  hn_free(text);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void refusals(void) {
  subject s;
  const char *text = "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints: {hinge: {type: revolute, a: ground, b: b, axis: [0, 0, 1]}}\n";
  setenv("CC", "no-such-compiler", 1);
  CHECK(!begin(&s, text, "text", "reference", "native"));
  CHECK(strstr(s.message, "no C compiler to be started: no-such-compiler"));
  end(&s);
  setenv("CC", "false", 1);
  CHECK(!begin(&s, text, "text", "reference", "native"));
  CHECK(strstr(s.message, "the C compiler failed"));
  end(&s);
  unsetenv("CC");
  // more flags than there is room for are not left out in silence
  char many[512] = "";
  for (int i = 0; i < 40; i++) strcat(many, "-Wall ");
  setenv("HOLON_CFLAGS", many, 1);
  CHECK(!begin(&s, text, "text", "reference", "native"));
  CHECK(strstr(s.message, "CC or HOLON_CFLAGS is longer"));
  end(&s);
  setenv("HOLON_CFLAGS", "-O0", 1);
  setenv("TMPDIR", "/no/such/folder", 1);
  CHECK(!begin(&s, text, "text", "reference", "native"));
  CHECK(strstr(s.message, "no temporary file"));
  end(&s);
  unsetenv("TMPDIR");
  CHECK(begin(&s, text, "text", "reference", "native"));
  end(&s);
}

int main(void) {
  setenv("HOLON_CFLAGS", quick_flags, 1);
  RUN(tree_joints);
  RUN(planar_tree);
  RUN(pressed_friction);
  RUN(on_moving_ground);
  RUN(examples);
  RUN(runs);
  RUN(impacts);
  RUN(taken_over);
  RUN(turns);
  RUN(too_large);
  RUN(numbers);
  RUN(sines);
  RUN(refusals);
  return test_end();
}
