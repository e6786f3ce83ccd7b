// test_velocity.c: velocity-level steppers.
//
// Convergence is measured against the independent solutions of the four-bar linkage, the ship on
// its mount (which is driven) and the free rigid body; statics and impulses against closed forms.
#include "order_rig.h"
#include "reference.h"

#include "sim/sim.h"

static const char *const steppers[] = {"velocity-hard", "velocity-baumgarte", "velocity-soft",
                                       "velocity-augmented"};
enum { STEPPERS = sizeof steppers / sizeof *steppers };
static const char *const coordinates[] = {"reference", "relative"};

static bool prepare(machine *m, const char *model, const char *where, const char *method,
                    double step) {
  if (!CHECK(machine_load(m, model, where, NULL, NULL) == HN_OK)) return false;
  snprintf(m->options.method, sizeof m->options.method, "%s", method);
  m->options.step = step;
  return true;
}

// ---- order ---------------------------------------------------------------------------------

// errors of a run against the reference, by kind
static bool run_errors(errors *e, const char *model, const char *reference_name, const pair *pairs,
                       const char *where, const char *method, double step, double end) {
  machine m;
  table reference, ours = {0};
  hn_result *result = NULL;
  memset(e, 0, sizeof *e);
  if (!CHECK(reference_read(&reference, reference_name))) return false;
  bool ok = prepare(&m, model, where, method, step);
  // the reference is rigid
  m.options.soft_stiffness = 1e12;
  m.options.soft_damping = 1e8;
  machine_follow(&m, &reference, end);
  ok = ok && CHECK(machine_start(&m) == HN_OK) &&
       CHECK(hn_run(m.sim, &result, NULL, NULL) == HN_OK) &&
       CHECK(table_pick(&ours, result, &reference)) &&
       CHECK(compare(e, pairs, &reference, &ours, 1, "xvf", false));
  hn_result_destroy(result);
  machine_free(&m);
  table_free(&ours);
  table_free(&reference);
  return ok;
}

// positions, velocities and reactions (impulses over the step) converge with the step
static void order_one(void) {
  static const struct {
    const char *model, *reference;
    const pair *pairs;
    double end;
  } cases[] = {{"four_bar", "A1_fourbar", four_bar, 1}, {"ship_mount", "D_ship_mount", ship, 3}};
  for (int c = 0; c < 2; c++)
    for (int s = 0; s < STEPPERS; s++)
      for (int w = 0; w < 2; w++) {
        errors e[2];
        double step = 5e-4;
        for (int k = 0; k < 2; k++, step *= 0.5)
          if (!run_errors(&e[k], cases[c].model, cases[c].reference, cases[c].pairs, coordinates[w],
                          steppers[s], step, cases[c].end))
            return;
        printf("  %-10s %-18s %-9s", cases[c].model, steppers[s], coordinates[w]);
        for (int k = POSITION; k <= FORCE; k++) {
          double p = log2(e[0].worst[k] / e[1].worst[k]);
          printf("  %.1e %.2f", e[1].worst[k], p);
          CHECK(p > 0.85 && p < 2.3);  // now and then errors of both signs meet
          CHECK(e[1].worst[k] < 0.02);
        }
        putchar('\n');
      }
}

// the unconstrained part keeps its own order: a free body's spin obeys equations of its own
static void free_part(void) {
  static const struct {
    const char *name;
    double order, step;
  } cases[] = {{"euler", 1, 2e-3},          {"midpoint", 2, 1e-2},
               {"heun", 2, 1e-2},           {"rk4", 4, 4e-2},
               {"dopri5", 5, 0.04},         {"dop853", 8, 0.4},
               {"crank-nicolson", 2, 1e-2}, {"implicit-euler", 1, 2e-3}};
  enum { CASES = sizeof cases / sizeof *cases };
  table reference;
  if (!CHECK(reference_read(&reference, "E4_torque_free"))) return;
  double *w2 = table_evaluate(&reference, "w2");
  int row = 0;
  while (row < reference.rows - 1 && table_row(&reference, row)[0] < 4 - 1e-9) row++;
  double when = table_row(&reference, row)[0];
  for (int c = 0; c < CASES && w2; c++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      machine m;
      error[k] = NAN;
      if (!prepare(&m, "torque_free", "reference", "velocity-hard", cases[c].step * (k ? 0.5 : 1)))
        continue;
      snprintf(m.options.stepper_free, sizeof m.options.stepper_free, "%s", cases[c].name);
      if (CHECK(machine_start(&m) == HN_OK) && CHECK(hn_advance(m.sim, when) == HN_OK))
        error[k] = fabs(hn_velocities(m.sim)[4] - w2[row]);
      machine_free(&m);
    }
    double p = log2(error[0] / error[1]);
    printf("  spin by %-14s %.1e %.1e order %.2f\n", cases[c].name, error[0], error[1], p);
    CHECK_NEAR(p, cases[c].order, 0.35);
  }
  free(w2);
  table_free(&reference);
}

// with constraints the order is that of the splitting, whatever makes v*: redundant, nonholonomic
// and driven models, spatial ones and blocks
static void order_of_all(void) {
  static const order_case cases[] = {{"spatial_slider_crank", "reference", 0.4, 2e-3},
                                     {"rolling_disk_incline", "reference", 0.4, 2e-3},
                                     {"bricard", "reference", 0.2, 2e-3},
                                     {"two_rod_pendulum", "reference", 0.4, 2e-3},
                                     {"equations_slider_crank", "reference", 0.4, 2e-3}};
  static const char *const free_part[] = {"rk4", "crank-nicolson"};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int s = 0; s < 3; s++)
      for (int k = 0; k < 2; k++) {
        char settings[200];
        double error = NAN;
        snprintf(settings, sizeof settings, "method=%s stepper_free=%s soft_stiffness=1e12%s",
                 steppers[s], free_part[k], s == 2 ? " soft_damping=1e8" : "");
        double order = order_measure(&cases[c], settings, &error);
        CHECK(order > 0.85 && order < 2.3);
        CHECK(error < 0.3);
      }
}

// a weight on a rod with a stiff spring across it, steps of forty of its periods: implicit formulas
// for v* stay, explicit ones do not
static void stiff_forces(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n  bob: {type: planar, mass: 1, inertia: 0.1, position: [0.01, -1]}\n"
      "joints:\n  pin: {type: revolute, a: ground, b: bob, at: [0, 0]}\n"
      "forces:\n  hold: {type: torsion-spring, joint: pin, stiffness: 1e7, damping: 10}\n";
  static const rig_case stiff = {"Stiff", text};
  static const char *const free_part[] = {"crank-nicolson", "implicit-euler", "rk4", "euler"};
  for (int k = 0; k < 4; k++) {
    rig r;
    char message[300] = "";
    hn_sim *sim = NULL;
    if (!rig_load(&r, &stiff, "reference")) return;
    hn_options o = r.options;
    snprintf(o.method, sizeof o.method, "velocity-hard");
    snprintf(o.stepper_free, sizeof o.stepper_free, "%s", free_part[k]);
    o.step = 0.08;
    CHECK(hn_sim_create(&sim, r.sys, &o, message, sizeof message) == HN_OK);
    hn_status status = sim ? hn_advance(sim, 16) : HN_ERR_ARGUMENT;
    // v* and the constraints take turns, so that the spring gives way to gravity by what happens
    // within a step
    double away = status ? INFINITY : fabs(hn_positions(sim)[0] - 0.01);
    printf("  stiff spring, v* by %-14s: moved by %.1e m\n", free_part[k], away);
    CHECK(k < 2 ? away < 1e-2 : away > 0.1);
    hn_sim_destroy(sim);
    rig_free(&r);
  }
  // the tangents are those of bodies: relative coordinates are not chosen, and refused when asked
  // for
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  if (CHECK(hn_model_parse(model, text, sizeof text - 1, "text") == HN_OK)) {
    hn_options *o = hn_model_options(model);
    CHECK(order_set(o, "method=velocity-hard stepper_free=crank-nicolson step=0.01"));
    CHECK(hn_compile(&sys, model) == HN_OK);
    CHECK(sys && strncmp(hn_system_check(sys)->coordinates, "reference", 9) == 0);
    hn_system_destroy(sys);
    CHECK(order_set(o, "coordinates=relative"));
    hn_sim *sim = NULL;
    char message[300] = "";
    CHECK(hn_compile(&sys, model) == HN_OK);
    CHECK(hn_sim_create(&sim, sys, o, message, sizeof message) == HN_ERR_UNSUPPORTED);
    CHECK(strstr(message, "relative coordinates") != NULL);
    hn_system_destroy(sys);
  }
  hn_model_destroy(model);
}

// ---- constraints ---------------------------------------------------------------------------

// the new velocity meets the rows of the start of the step, drivers at its end
static void hard_rows(void) {
  static const char *const models[] = {"four_bar", "ship_mount", "rolling_disk_incline"};
  for (int i = 0; i < 3; i++)
    for (int corrected = 0; corrected < 2; corrected++) {
      machine m;
      if (!prepare(&m, models[i], "reference", "velocity-hard", 1e-3)) continue;
      snprintf(m.options.correction, sizeof m.options.correction, corrected ? "mass" : "none");
      if (CHECK(machine_start(&m) == HN_OK)) {
        double worst = 0;
        for (int k = 0; k < 300; k++) {
          CHECK(hn_step(m.sim) == HN_OK);
          hn_eval_jacobian(&m.sim->stage.work, m.sim->state.t, m.sim->state.y_old,
                           m.sim->state.y + m.sim->sys->nq);
          worst = fmax(worst, largest_of(m.sim->stage.work.psi, m.sim->sys->rows));
        }
        CHECK(worst < 1e-12);
      }
      machine_free(&m);
    }
}

// largest position violation over ten seconds
static double drift(const char *method, const char *correction, double step, double from,
                    double to) {
  machine m;
  double worst = 0;
  if (!prepare(&m, "four_bar", "reference", method, step)) return NAN;
  snprintf(m.options.correction, sizeof m.options.correction, "%s", correction);
  if (CHECK(machine_start(&m) == HN_OK)) {
    CHECK(hn_advance(m.sim, from) == HN_OK);
    while (m.sim->state.t < to) {
      CHECK(hn_step(m.sim) == HN_OK);
      hn_eval_position(&m.sim->stage.work, m.sim->state.t, m.sim->state.y);
      worst = fmax(worst, largest_of(m.sim->stage.work.phi, m.sim->sys->rows));
    }
  }
  machine_free(&m);
  return worst;
}

static void violation(void) {
  // nothing holds the positions: they drift, and go on drifting
  double early = drift("velocity-hard", "none", 1e-3, 0, 2);
  double late = drift("velocity-hard", "none", 1e-3, 8, 10);
  CHECK(early > 1e-4 && late > 1.5 * early);
  // feedback bounds the violation for all times, by a multiple of h^2
  early = drift("velocity-baumgarte", "none", 1e-3, 0, 5);
  late = drift("velocity-baumgarte", "none", 1e-3, 5, 10);
  double half = drift("velocity-baumgarte", "none", 5e-4, 5, 10);
  printf("  violation with feedback: %.1e, later %.1e, with half the step %.1e\n", early, late,
         half);
  CHECK(late < 2 * early && late < 5e-4);
  CHECK(half < 0.35 * late);
  // projection removes it
  CHECK(drift("velocity-hard", "mass", 1e-3, 0, 5) < 1e-9);
}

// ---- a mass on rods ------------------------------------------------------------------------

typedef struct swing {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_joint rod[2];
} swing;

// point mass of 1 kg at (x, y), on two coincident rods to the origin of stiffness 1 and 2
static bool swing_start(swing *p, const char *method, double x, double y, hn_options o) {
  char message[300] = "";
  *p = (swing){.model = hn_model_create()};
  hn_model_set_gravity(p->model, 0, -9.81, 0);
  hn_body b = hn_add_body(
      p->model,
      &(hn_body_def){.name = "mass", .kind = HN_PLANAR_POINT, .mass = 1, .position = {x, y, 0}});
  for (int i = 0; i < 2; i++)
    p->rod[i] = hn_add_joint(p->model, &(hn_joint_def){.name = i ? "rod2" : "rod1",
                                                       .type = "distance",
                                                       .b = {.body = b},
                                                       .at_b = {x, y, 0},
                                                       .stiffness = i + 1});
  snprintf(o.method, sizeof o.method, "%s", method);
  snprintf(hn_model_options(p->model)->coordinates, 32, "reference");
  if (CHECK(hn_compile(&p->system, p->model) == HN_OK) &&
      CHECK(hn_sim_create(&p->sim, p->system, &o, message, sizeof message) == HN_OK))
    return true;
  printf("  %s %s\n", hn_model_error(p->model), message);
  return false;
}

static void swing_stop(swing *p) {
  hn_sim_destroy(p->sim);
  hn_system_destroy(p->system);
  hn_model_destroy(p->model);
}

// radial force of one rod on the mass, towards the origin
static double tension(swing *p, int rod) {
  hn_reaction r;
  CHECK(hn_joint_reaction(p->sim, p->rod[rod], &r) == HN_OK);
  const double *q = hn_positions(p->sim);
  return -(r.force[0] * q[0] + r.force[1] * q[1]) / hypot(q[0], q[1]);
}

// redundant rows carry their share by stiffness, and together what the motion asks for
static void soft_shares(void) {
  swing p;
  hn_options o = hn_options_default();
  o.step = 1e-3;
  if (swing_start(&p, "velocity-soft", 2, 0, o)) {
    CHECK(hn_system_check(p.system)->redundant_count == 1);
    for (int i = 1; i <= 20; i++) {
      CHECK(hn_advance(p.sim, 0.1 * i) == HN_OK);
      double f1 = tension(&p, 0), f2 = tension(&p, 1);
      // the force of a pendulum released from the horizontal is 3 m g sin(depth angle)
      double sine = -hn_positions(p.sim)[1] / 2;
      CHECK_NEAR(f2, 2 * f1, 1e-6 * 30);
      CHECK_NEAR(f1 + f2, 3 * 9.81 * sine, 0.2);
    }
  }
  swing_stop(&p);
  // the hard stepper leaves the repeated row out and goes on as well
  if (swing_start(&p, "velocity-hard", 2, 0, o)) {
    CHECK(hn_advance(p.sim, 0.5) == HN_OK);
    double sine = -hn_positions(p.sim)[1] / 2;
    CHECK_NEAR(tension(&p, 0) + tension(&p, 1), 3 * 9.81 * sine, 0.2);
  }
  swing_stop(&p);
}

// at rest the rods are stretched by what their stiffness says
static void soft_statics(void) {
  swing p;
  hn_options o = hn_options_default();
  o.step = 1e-2;
  o.soft_stiffness = 1e4;
  o.soft_damping = 1e3;
  if (swing_start(&p, "velocity-soft", 0, -2, o)) {
    CHECK(hn_advance(p.sim, 20) == HN_OK);
    // stiffness 1e4 + 2e4
    CHECK_NEAR(hn_positions(p.sim)[1], -2 - 9.81 / 3e4, 1e-12);
    CHECK_NEAR(hn_velocities(p.sim)[1], 0, 1e-12);
    CHECK_NEAR(tension(&p, 0), 9.81 / 3, 1e-9);
    CHECK_NEAR(tension(&p, 1), 2 * 9.81 / 3, 1e-9);
  }
  swing_stop(&p);
}

// ---- stiffness of single joints --------------------------------------------------------------

typedef struct hung {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
} hung;

static bool hang(hung *h, const char *text, const char *settings) {
  char message[300] = "";
  *h = (hung){.model = hn_model_create()};
  hn_options *o = hn_model_options(h->model);
  if (CHECK(hn_model_parse(h->model, text, strlen(text), "text") == HN_OK) &&
      order_set(o, settings) && CHECK(hn_compile(&h->system, h->model) == HN_OK) &&
      CHECK(hn_sim_create(&h->sim, h->system, o, message, sizeof message) == HN_OK))
    return true;
  printf("  %s %s\n", hn_model_error(h->model), message);
  return false;
}

static void take_down(hung *h) {
  hn_sim_destroy(h->sim);
  hn_system_destroy(h->system);
  hn_model_destroy(h->model);
}

// a weight on two joints of stiffness 1e4 and 3 * 1e4, the second with one row of half of that, and
// preloads that do not cancel: at rest l0 - K phi = (0, W) together
static void soft_joints(void) {
  static const char text[] =
      "gravity: [0, -8]\n"
      "bodies:\n  weight: {type: planar-point, mass: 1}\n"
      "joints:\n"
      "  one: {type: spherical, a: ground, b: weight, soft: {stiffness: 1e4, damping: 300}}\n"
      "  two: {type: spherical, a: ground, b: weight, soft: {stiffness: 3e4, damping: 900},\n"
      "        constraint_stiffness: [1, 0.5], preload: [7, 2]}\n";
  hung h;
  for (int augmented = 0; augmented < 2; augmented++) {
    char settings[160];
    snprintf(settings, sizeof settings, "method=velocity-%s step=0.01 soft_stiffness=1e9%s",
             augmented ? "augmented" : "soft",
             augmented ? " coordinates=relative reactions=method" : "");
    if (hang(&h, text, settings)) {
      CHECK(hn_advance(h.sim, 20) == HN_OK);
      const double *l = hn_multipliers(h.sim), *q = hn_positions(h.sim);
      double sign = l[1] + l[3] > 0 ? 1 : -1;  // which way rows count is the joint's affair
      double x = sign * 7 / 4e4, y = sign * (2 - sign * 8) / 2.5e4;
      if (augmented) {
        // nothing stretches; what the preloads leave is shared by stiffness
        CHECK_NEAR(q[0], 0, 1e-9);
        CHECK_NEAR(q[1], 0, 1e-9);
      } else {
        CHECK_NEAR(q[0], x, 1e-10);
        CHECK_NEAR(q[1], y, 1e-10);
      }
      CHECK_NEAR(l[0], -7 * 0.25, 1e-6);
      CHECK_NEAR(l[2], 7 * 0.25, 1e-6);
      CHECK_NEAR(l[1], (sign * 8 - 2) * 0.4, 1e-6);
      CHECK_NEAR(l[3], 2 + (sign * 8 - 2) * 0.6, 1e-6);
    }
    take_down(&h);
  }
}

// rows coupled by a matrix: one step from a state off the constraints against the 2 x 2 system
// (m + A) v1 = m v* - h K Phi, A = h (C + h K)
static void soft_coupled(void) {
  static const char text[] =
      "gravity: [0, -8]\n"
      "bodies:\n  weight: {type: planar-point, mass: 2}\n"
      "joints:\n"
      "  one: {type: spherical, a: ground, b: weight, soft: {stiffness: 700, damping: 11},\n"
      "        constraint_stiffness: [2, 1, 1, 3]}\n";
  hung h;
  if (hang(&h, text, "method=velocity-soft step=0.05 coordinates=reference")) {
    const double q[2] = {0.3, -0.2}, v[2] = {0.4, 0.7}, dt = 0.05, m = 2;
    const double K[2][2] = {{1400, 700}, {700, 2100}}, C[2][2] = {{22, 11}, {11, 33}};
    CHECK(hn_set_state(h.sim, 0, q, v) == HN_OK);
    CHECK(hn_step(h.sim) == HN_OK);
    double A[2][2], b[2];
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) A[i][j] = dt * (C[i][j] + dt * K[i][j]) + (i == j ? m : 0);
      b[i] = m * (v[i] - (i ? dt * 8 : 0)) - dt * (K[i][0] * q[0] + K[i][1] * q[1]);
    }
    double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    double x = (A[1][1] * b[0] - A[0][1] * b[1]) / det, y = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
    CHECK_NEAR(hn_velocities(h.sim)[0], x, 1e-12);
    CHECK_NEAR(hn_velocities(h.sim)[1], y, 1e-12);
  }
  take_down(&h);
}

// multipliers take over what springs carried: nothing stretches, however soft, and the shares stay
static void augmented_statics(void) {
  swing p;
  hn_options o = hn_options_default();
  o.step = 1e-2;
  o.soft_stiffness = 1e4;
  o.soft_damping = 1e3;
  if (swing_start(&p, "velocity-augmented", 0, -2, o)) {
    CHECK(hn_advance(p.sim, 20) == HN_OK);
    CHECK_NEAR(hn_positions(p.sim)[1], -2, 1e-10);
    CHECK_NEAR(hn_velocities(p.sim)[1], 0, 1e-10);
    CHECK_NEAR(tension(&p, 0), 9.81 / 3, 1e-8);
    CHECK_NEAR(tension(&p, 1), 2 * 9.81 / 3, 1e-8);
  }
  swing_stop(&p);
}

// the limit of the passes is feedback with tau = h + d / k, whatever the stiffness
static void augmented_limit(void) {
  static const double stiffness[] = {1e9, 1e11};
  double end[3][9];
  for (int i = 0; i < 3; i++) {
    machine m;
    if (!prepare(&m, "four_bar", "reference", i ? "velocity-augmented" : "velocity-baumgarte",
                 1e-3))
      return;
    m.options.stepper_tau = 4;
    m.options.iteration_tol = 1e-14;
    m.options.soft_stiffness = i ? stiffness[i - 1] : 1;
    m.options.soft_damping = 3e-3 * m.options.soft_stiffness;
    if (CHECK(machine_start(&m) == HN_OK) && CHECK(hn_advance(m.sim, 1) == HN_OK))
      memcpy(end[i], hn_positions(m.sim), sizeof end[i]);
    machine_free(&m);
  }
  for (int k = 0; k < 9; k++) {
    CHECK_NEAR(end[1][k], end[0][k], 1e-9);
    CHECK_NEAR(end[2][k], end[0][k], 1e-9);
  }
}

// one soft step against the dense system (M + h (d + h k) J^T J) v = M v* - h J^T (k Phi + ...)
static void soft_equation(void) {
  swing p;
  hn_options o = hn_options_default();
  o.step = 1e-2;
  o.soft_stiffness = 300;
  o.soft_damping = 7;
  if (swing_start(&p, "velocity-soft", 1.2, -1.6, o)) {
    double q[2] = {1.3, -1.55}, v[2] = {0.4, 0.7}, h = o.step;
    CHECK(hn_set_state(p.sim, 0, q, v) == HN_OK);
    CHECK(hn_step(p.sim) == HN_OK);
    // two rods: stiffness 900, damping 21; Phi = |q| - 2, J = q / |q|
    double k = 900, d = 21, length = hypot(q[0], q[1]), phi = length - 2;
    double J[2] = {q[0] / length, q[1] / length}, free_v[2] = {v[0], v[1] - h * 9.81};
    double c = h * (d + h * k), A = 1 + c * J[0] * J[0], B = c * J[0] * J[1];
    double D = 1 + c * J[1] * J[1], det = A * D - B * B;
    double r[2] = {free_v[0] - h * k * phi * J[0], free_v[1] - h * k * phi * J[1]};
    double x = (D * r[0] - B * r[1]) / det, y = (A * r[1] - B * r[0]) / det;
    CHECK_NEAR(hn_velocities(p.sim)[0], x, 1e-13);
    CHECK_NEAR(hn_velocities(p.sim)[1], y, 1e-13);
    CHECK_NEAR(hn_positions(p.sim)[0], q[0] + h * x, 1e-14);
    CHECK_NEAR(hn_positions(p.sim)[1], q[1] + h * y, 1e-14);
  }
  swing_stop(&p);
}

// impulses over the step are what changed the momentum, in the C interface and in recorded rows
static void impulses(void) {
  for (int s = 0; s < STEPPERS; s++) {
    swing p;
    hn_options o = hn_options_default();
    o.step = 5e-3;
    if (swing_start(&p, steppers[s], 2, 0, o))
      for (int i = 0; i < 100; i++) {
        CHECK(hn_step(p.sim) == HN_OK);
        const double *lambda = hn_multipliers(p.sim), *q = p.sim->state.y_old;
        double total = lambda[0] + lambda[1], length = hypot(q[0], q[1]);
        for (int k = 0; k < 2; k++) {
          double change = (p.sim->state.y[2 + k] - p.sim->state.y_old[2 + k]) / o.step;
          CHECK_NEAR(change, total * q[k] / length - (k ? 9.81 : 0), 1e-9);
        }
      }
    swing_stop(&p);
  }
}

// ---- how parts go together -----------------------------------------------------------------

static void combinations(void) {
  machine m;
  // what yields must not be projected
  if (prepare(&m, "four_bar", "reference", "velocity-soft", 1e-3)) {
    char message[300] = "";
    snprintf(m.options.correction, sizeof m.options.correction, "mass");
    CHECK(hn_sim_create(&m.sim, m.system, &m.options, message, sizeof message) ==
          HN_ERR_UNSUPPORTED);
    CHECK(strstr(message, "yield") != NULL);
  }
  machine_free(&m);
  // a last short step does not kick
  for (int s = 0; s < STEPPERS; s++) {
    if (prepare(&m, "four_bar", "reference", steppers[s], 1e-3) &&
        CHECK(machine_start(&m) == HN_OK)) {
      CHECK(hn_advance(m.sim, 0.5) == HN_OK);
      double before = hn_velocities(m.sim)[2];
      CHECK(hn_advance(m.sim, 0.5 + 1e-9) == HN_OK);
      CHECK_NEAR(hn_velocities(m.sim)[2], before, 0.02);
    }
    machine_free(&m);
  }
}

// a copy goes on bit by bit as the run does, with the factors of an implicit v* as well
static void copies(void) {
  machine m;
  hn_sim *copy = NULL;
  char message[300] = "";
  if (prepare(&m, "ship_mount", "reference", "velocity-soft", 1e-2)) {
    snprintf(m.options.stepper_free, sizeof m.options.stepper_free, "crank-nicolson");
    if (CHECK(machine_start(&m) == HN_OK) && CHECK(hn_advance(m.sim, 0.3) == HN_OK) &&
        CHECK(hn_sim_copy(&copy, m.sim, message, sizeof message) == HN_OK)) {
      CHECK(hn_advance(m.sim, 0.6) == HN_OK && hn_advance(copy, 0.6) == HN_OK);
      CHECK(memcmp(m.sim->state.y, copy->state.y, (size_t)m.sim->state.n * sizeof(double)) == 0);
    }
  }
  hn_sim_destroy(copy);
  machine_free(&m);
}

int main(void) {
  RUN(order_one);
  RUN(free_part);
  RUN(order_of_all);
  RUN(stiff_forces);
  RUN(hard_rows);
  RUN(violation);
  RUN(soft_shares);
  RUN(soft_statics);
  RUN(soft_joints);
  RUN(soft_coupled);
  RUN(augmented_statics);
  RUN(augmented_limit);
  RUN(soft_equation);
  RUN(impulses);
  RUN(combinations);
  RUN(copies);
  return test_end();
}
