// test_augmented.c: augmented Lagrangian methods on position level.
//
// Positions, velocities and reactions must converge with order 2 to the independent solutions;
// redundant mechanisms must run as they are, and their reactions be shared by stiffness as the
// compatibility of elastic rods demands.
#include "reference.h"

typedef struct course {
  const char *model, *reference;
  const pair *pairs;
  double end, step;  // the coarsest of three steps, each half the one before
} course;

static const course courses[] = {
    {"four_bar", "A1_fourbar", four_bar, 0.5, 2e-3},
    {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 0.25, 1e-3},
    {"andrews", "E1_andrews", andrews, 0.01, 2e-5},
    {"heavy_top", "E4_heavy_top", top, 0.2, 1e-3},
    {"bricard", "E2_A04_bricard", bricard, 1, 5e-3},
    {"rolling_disk", "E5_rolling_disk_3d", rolling_disk, 1, 5e-3},
};
enum { COURSES = sizeof courses / sizeof *courses };

// errors of a run against the reference; INFINITY everywhere when it fails
static errors run_errors(const course *c, const char *method, double step, hn_summary *summary) {
  machine m;
  table reference = {0}, ours = {0};
  errors e = {0};
  hn_result *result = NULL;
  bool ok = CHECK(machine_load(&m, c->model, "reference", NULL, NULL) == HN_OK) &&
            CHECK(reference_read(&reference, c->reference));
  if (ok) {
    m.options = hn_options_default();
    snprintf(m.options.method, sizeof m.options.method, "%s", method);
    m.options.step = step;
    machine_follow(&m, &reference, c->end);
    ok = CHECK(machine_start(&m) == HN_OK) && hn_run(m.sim, &result, NULL, NULL) == HN_OK;
    if (m.sim) hn_sim_summary(m.sim, summary);
  }
  ok = ok && CHECK(table_pick(&ours, result, &reference)) &&
       CHECK(compare(&e, c->pairs, &reference, &ours, 1, "xvf", false));
  for (int k = 0; !ok && k < KINDS; k++) e.worst[k] = INFINITY;
  table_free(&ours), table_free(&reference);
  hn_result_destroy(result);
  machine_free(&m);
  return e;
}

static void show_order(const course *c, const char *method) {
  enum { RUNS = 3 };
  errors e[RUNS];
  hn_summary summary = {0};
  for (int i = 0; i < RUNS; i++) e[i] = run_errors(c, method, c->step / (1 << i), &summary);
  printf("%-22s", c->model);
  for (int i = 0; i < RUNS; i++) CHECK(e[i].where[POSITION]);  // a run that fails compares nothing
  for (int k = POSITION; k <= FORCE; k++) {
    bool any = e[0].where[k] != NULL;
    double order = log2(e[RUNS - 2].worst[k] / e[RUNS - 1].worst[k]);
    if (!any) continue;
    printf(" %c: %.1e %.1e %.1e order %.2f", kinds[k], e[0].worst[k], e[1].worst[k], e[2].worst[k],
           order);
    CHECK(order > 1.8 && order < 2.3);
  }
  printf("\n");
  CHECK(summary.audit[0].worst < 1e-10 && summary.audit[1].worst < 1e-8);
}

static void test_orders(void) {
  for (int i = 0; i < COURSES; i++) show_order(&courses[i], "augmented-index3");
}

static void test_combined(void) {
  for (int i = 0; i < 2; i++) show_order(&courses[i], "augmented-combined");
  // a step in which index 3 gives up and index 1 goes on
  static const course rough = {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 1,
                               0.1};
  hn_summary alone = {0}, combined = {0};
  (void)run_errors(&rough, "augmented-index3", 0.1, &alone);
  (void)run_errors(&rough, "augmented-combined", 0.1, &combined);
  CHECK(alone.time < 0.5 && combined.rejected > 0);
  CHECK_NEAR(combined.time, 1, 1e-12);
  CHECK(combined.audit[0].worst < 1e-9);
}

// momenta with rk4: order 4; rows may be redundant and configurations singular
static void test_hamiltonian(void) {
  static const course steps[] = {
      {"four_bar", "A1_fourbar", four_bar, 0.5, 1e-2},
      {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 0.25, 5e-3},
      {"heavy_top", "E4_heavy_top", top, 0.2, 1e-3},
      {"rolling_disk", "E5_rolling_disk_3d", rolling_disk, 0.5, 1e-2},
      {"bricard", "E2_A04_bricard", bricard, 1, 2e-3},
  };
  static const course singular = {"equal_slider_crank", "C3_equal_slider_crank", equal_slider_crank,
                                  2, 1e-3};
  hn_summary summary = {0};
  for (int i = 0; i < 5; i++) {
    const course *c = &steps[i];
    errors coarse = run_errors(c, "hamiltonian-augmented", c->step, &summary);
    errors fine = run_errors(c, "hamiltonian-augmented", c->step / 2, &summary);
    printf("%-22s", c->model);
    for (int k = POSITION; k <= FORCE; k++) {
      if (!fine.where[k]) continue;
      double order = log2(coarse.worst[k] / fine.worst[k]);
      printf(" %c: %.1e %.1e order %.2f", kinds[k], coarse.worst[k], fine.worst[k], order);
      CHECK(order > 3.6 && order < 5.2);
    }
    printf("\n");
  }
  errors e = run_errors(&singular, "hamiltonian-augmented", 1e-3, &summary);
  CHECK(fmax(e.worst[POSITION], e.worst[VELOCITY]) < 1e-6);
}

// what the momenta's rows promise: after a disturbance a of the length of a rod,
// Phi' + 2 Omega mu Phi + Omega^2 (integral of Phi) = 0, so that with mu = 1
// Phi = a (1 - Omega t) exp(-Omega t), Omega that of the joint; without the integral it would be
// a exp(-2 Omega t)
static void test_hamiltonian_feedback(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  one: {type: planar-point, mass: 1, position: [1, 0]}\n"
      "  two: {type: planar-point, mass: 2, position: [2, 0]}\n"
      "joints:\n"
      "  slow: {type: distance, a: ground, b: one, at: [0, 0], at_b: [1, 0], omega: 4}\n"
      "  fast: {type: distance, a: one, b: two, at: [1, 0], at_b: [2, 0]}\n"
      "simulation: {method: hamiltonian-augmented, step: 1e-3, coordinates: reference, omega: 9}\n";
  machine m = {.model = hn_model_create()};
  bool ok = CHECK(hn_model_parse(m.model, text, sizeof text - 1, "text") == HN_OK) &&
            CHECK(hn_compile(&m.system, m.model) == HN_OK);
  m.options = *hn_model_options(m.model);
  if (ok && CHECK(machine_start(&m) == HN_OK)) {
    double q[4] = {1.001, 0, 1.999, 0}, v[4] = {0}, phi[2] = {1e-3, -2e-3};
    const double omega[2] = {4, 9};
    // velocities that obey the rows from the start
    v[0] = -2 * omega[0] * phi[0], v[2] = v[0] - 2 * omega[1] * phi[1];
    CHECK(hn_set_state(m.sim, 0, q, v) == HN_OK);
    for (int k = 1; k <= 8; k++) {
      double t = 0.1 * k;
      CHECK(hn_advance(m.sim, t) == HN_OK);
      const double *x = hn_positions(m.sim);
      double now[2] = {hypot(x[0], x[1]) - 1, hypot(x[2] - x[0], x[3] - x[1]) - 1};
      for (int i = 0; i < 2; i++)
        CHECK_NEAR(now[i], phi[i] * (1 - omega[i] * t) * exp(-omega[i] * t), 1e-7);
    }
  }
  machine_free(&m);
}

// ---- shared reactions ----------------------------------------------------------------------

// a text run to `end`; `pairs` against the reference, largest error of the forces over the unit
static double text_error(const char *text, const char *reference_name, const pair *pairs,
                         double end, double step, double penalty) {
  machine m = {.model = hn_model_create()};
  table reference = {0}, ours = {0};
  errors e = {0};
  hn_result *result = NULL;
  bool ok = CHECK(hn_model_parse(m.model, text, strlen(text), "text") == HN_OK) &&
            CHECK(reference_read(&reference, reference_name));
  if (!ok) printf("%s\n", hn_model_error(m.model));
  snprintf(hn_model_options(m.model)->coordinates, 32, "reference");
  ok = ok && CHECK(hn_compile(&m.system, m.model) == HN_OK);
  if (ok) {
    m.options = hn_options_default();
    snprintf(m.options.method, sizeof m.options.method, "augmented-index3");
    m.options.step = step;
    m.options.penalty = penalty;
    machine_follow(&m, &reference, end);
    ok = CHECK(machine_start(&m) == HN_OK) && CHECK(hn_run(m.sim, &result, NULL, NULL) == HN_OK);
  }
  ok = ok && CHECK(table_pick(&ours, result, &reference)) &&
       CHECK(compare(&e, pairs, &reference, &ours, 0, "f", false));
  table_free(&ours), table_free(&reference);
  hn_result_destroy(result);
  machine_free(&m);
  return ok ? e.worst[FORCE] : INFINITY;
}

#define PENDULUM                                                                                   \
  "gravity: [0, -9.81]\n"                                                                          \
  "bodies:\n"                                                                                      \
  "  mass: {type: planar-point, mass: 1, position: [2, 0]}\n"                                      \
  "joints:\n"
#define TWO_RODS                                                                                   \
  "  rod1: {type: distance, a: ground, b: mass, stiffness: 1}\n"                                   \
  "  rod2: {type: distance, a: ground, b: mass, stiffness: 2}\n"
// tension of a rod between the origin and the mass
#define TENSION(rod) "-(" rod ".fx*mass.x+" rod ".fy*mass.y)/2"

// two rods of stiffness 1 to 2 share the force like that, whatever the penalty
static void test_two_rods(void) {
  static const pair pairs[] = {
      {'f', "F_rod1", TENSION("rod1")}, {'f', "F_rod2", TENSION("rod2")}, {0}};
  static const double penalty[] = {1e3, 1e7, 1e10};
  double first = 0;
  for (int i = 0; i < 3; i++) {
    double error = text_error(PENDULUM TWO_RODS, "B1_two_rod_pendulum", pairs, 2, 1e-3, penalty[i]);
    CHECK(error < 5e-6);
    if (i == 0) first = error;
    CHECK_NEAR(error, first, 1e-10);
  }
  // what is left is the step's error
  CHECK(text_error(PENDULUM TWO_RODS, "B1_two_rod_pendulum", pairs, 2, 5e-4, 1e7) < 0.3 * first);
}

// equal rods: each half, the solution of least norm
static void test_equal_rods(void) {
  static const pair pairs[] = {
      {'f', "F_each_min_norm", TENSION("rod1")}, {'f', "F_each_min_norm", TENSION("rod2")}, {0}};
  CHECK(text_error(PENDULUM "  rod1: {type: distance, a: ground, b: mass}\n"
                            "  rod2: {type: distance, a: ground, b: mass}\n",
                   "B1_two_rod_pendulum", pairs, 2, 1e-3, 1e7) < 5e-6);
}

// one rod longer than the other by 0.6 um: 4 N more in one, less in the other. A positive
// multiplier of a distance pushes
static void test_preload(void) {
  static const pair pairs[] = {
      {'f', "F_rod1_preload", TENSION("rod1")}, {'f', "F_rod2_preload", TENSION("rod2")}, {0}};
  double error = text_error(
      PENDULUM "  rod1: {type: distance, a: ground, b: mass, stiffness: 1, preload: [4]}\n"
               "  rod2: {type: distance, a: ground, b: mass, stiffness: 2, preload: [-4]}\n",
      "B1_two_rod_pendulum", pairs, 2, 1e-3, 1e7);
  CHECK(error < 1e-5);
}

// one rod in two bearings at the same place
static void test_parallel_bearings(void) {
  static const pair pairs[] = {{'f', "F_rod1*P_x/2", "-bearing1.fx"},
                               {'f', "F_rod1*P_y/2", "-bearing1.fy"},
                               {'f', "F_rod2*P_x/2", "-bearing2.fx"},
                               {'f', "F_rod2*P_y/2", "-bearing2.fy"},
                               {0}};
  double error = text_error("gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  rod: {type: planar, mass: 1, inertia: 1e-9, com: [2, 0]}\n"
                            "joints:\n"
                            "  bearing1: {type: revolute, a: ground, b: rod, stiffness: 1}\n"
                            "  bearing2: {type: revolute, a: ground, b: rod, stiffness: 2}\n",
                            "B1_two_rod_pendulum", pairs, 2, 1e-3, 1e7);
  CHECK(error < 1e-5);
}

// four parallel rods under a plate: axial forces by compatibility, A - C + E - G = 0
static void test_parallelogram(void) {
  static const pair pairs[] = {{'f', "Ntop_A", TOP("B", "rodA")},
                               {'f', "Ntop_C", TOP("D", "rodC")},
                               {'f', "Ntop_E", TOP("F", "rodE")},
                               {'f', "Ntop_G", TOP("H", "rodG")},
                               {'f', "Nbase_A", BASE("A", "rodA")},
                               {'f', "Nbase_G", BASE("G", "rodG")},
                               {'f', "Ntop_K", TOP("L", "rodK")},
                               {'f', "Ntop_M", TOP("N", "rodM")},
                               {0}};
  static const course shared = {"parallelogram", "B2_parallelogram_end_inertia", pairs, 1, 1e-3};
  hn_summary summary = {0};
  errors coarse = run_errors(&shared, "augmented-index3", 1e-3, &summary);
  errors fine = run_errors(&shared, "augmented-index3", 5e-4, &summary);
  printf("%-22s f: %.1e %.1e\n", shared.model, coarse.worst[FORCE], fine.worst[FORCE]);
  CHECK(coarse.worst[FORCE] < 5e-4 && fine.worst[FORCE] < 0.3 * coarse.worst[FORCE]);
}

// a weight W on two bearings at one place, stiffness K1 = [2 1; 1 2] and K2 = 1: bearing 1 carries
// K1 (K1 + K2)^-1 (0, W) = W/8 (1, 5)
static void test_coupled_rows(void) {
  static const char text[] =
      "gravity: [0, -8]\n"
      "bodies:\n"
      "  weight: {type: planar-point, mass: 1}\n"
      "joints:\n"
      "  one: {type: spherical, a: ground, b: weight, constraint_stiffness: [2, 1, 1, 2]}\n"
      "  two: {type: spherical, a: ground, b: weight}\n"
      "simulation: {method: augmented-index3, step: 0.01, coordinates: reference}\n";
  machine m = {.model = hn_model_create()};
  hn_reaction one = {0}, two = {0};
  bool ok = CHECK(hn_model_parse(m.model, text, sizeof text - 1, "text") == HN_OK) &&
            CHECK(hn_compile(&m.system, m.model) == HN_OK);
  m.options = *hn_model_options(m.model);
  ok = ok && CHECK(machine_start(&m) == HN_OK);
  for (int i = 0; ok && i < 2; i++) {
    ok = CHECK(hn_joint_reaction(m.sim, (hn_joint){1}, &one) == HN_OK) &&
         CHECK(hn_joint_reaction(m.sim, (hn_joint){2}, &two) == HN_OK);
    CHECK_NEAR(one.force[0], 1, 1e-9);
    CHECK_NEAR(one.force[1], 5, 1e-9);
    CHECK_NEAR(two.force[0], -1, 1e-9);
    CHECK_NEAR(two.force[1], 3, 1e-9);
    ok = ok && CHECK(hn_advance(m.sim, 0.1) == HN_OK);
  }
  machine_free(&m);
}

// a spring of 1e8 N/m, with steps of thirty times its period: Newton's iteration knows its tangent
// in both coordinates, so that it takes as many iterations, and the motion is that of a rigid rod
static void test_stiff_natural(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.25, 0.4330127018922193],\n"
      "    angle: 60 deg}\n"
      "  mass: {type: planar-point, mass: 2, position: [1.5, 0.8660254037844386]}\n"
      "joints:\n"
      "  A: {type: revolute, b: crank, at: [0, 0]}\n"
      "%s"
      "simulation: {method: augmented-index3, step: 1e-3}\n";
  static const char *const link[] = {
      "forces:\n  bar: {type: spring, a: crank, at: [0.5, 0.8660254037844386], b: mass,\n"
      "    at_b: [1.5, 0.8660254037844386], stiffness: 1e8}\n",
      "  bar: {type: distance, a: crank, at: [0.5, 0.8660254037844386], b: mass,\n"
      "    at_b: [1.5, 0.8660254037844386]}\n"};
  double x[3][2] = {{0}};
  for (int i = 0; i < 3; i++) {
    char model[1024];
    machine m = {.model = hn_model_create()};
    hn_pose pose = {0};
    hn_summary s = {0};
    snprintf(model, sizeof model, text, link[i == 2]);
    bool ok = CHECK(hn_model_parse(m.model, model, strlen(model), "text") == HN_OK);
    snprintf(hn_model_options(m.model)->coordinates, 32, i == 1 ? "natural" : "reference");
    ok = ok && CHECK(hn_compile(&m.system, m.model) == HN_OK);
    m.options = *hn_model_options(m.model);
    ok = ok && CHECK(machine_start(&m) == HN_OK) && CHECK(hn_advance(m.sim, 0.5) == HN_OK) &&
         CHECK(hn_body_pose(m.sim, (hn_body){2}, &pose) == HN_OK);
    if (ok) hn_sim_summary(m.sim, &s);
    CHECK(s.evaluations > 0 && s.evaluations < 6 * s.steps);
    x[i][0] = pose.position[0], x[i][1] = pose.position[1];
    machine_free(&m);
  }
  printf("stiff spring: %.3e %.3e, rod and spring %.3e\n", x[1][0] - x[0][0], x[1][1] - x[0][1],
         hypot(x[2][0] - x[0][0], x[2][1] - x[0][1]));
  for (int k = 0; k < 2; k++) {
    CHECK_NEAR(x[1][k], x[0][k], 1e-5);
    CHECK_NEAR(x[2][k], x[0][k], 1e-5);
  }
}

// rows are known when the model is compiled
static void test_refusals(void) {
  static const char *const cases[][2] = {
      {"preload: [1, 2, 3]", "preload has 3 numbers, but the joint has 2 rows"},
      {"constraint_stiffness: [1, 2, 3]", "constraint_stiffness has 3 numbers, but the joint has 2 "
                                          "rows (give 2 for the diagonal or 4 for the matrix)"},
      {"constraint_stiffness: [1, 2, 2, 1]", "constraint_stiffness must be positive definite"},
      {"constraint_stiffness: [1, 0.5, 0, 1]", "constraint_stiffness must be symmetric"},
  };
  for (int i = 0; i < 4; i++) {
    hn_model *model = hn_model_create();
    hn_system *system = NULL;
    char text[256], expected[256];
    snprintf(text, sizeof text,
             "bodies:\n  arm: {type: planar, mass: 1, inertia: 1}\n"
             "joints:\n  hinge: {type: revolute, a: ground, b: arm, %s}\n",
             cases[i][0]);
    snprintf(expected, sizeof expected, "text:4:3: joint 'hinge': %s", cases[i][1]);
    CHECK(hn_model_parse(model, text, strlen(text), "text") == HN_OK);
    CHECK(hn_compile(&system, model) == HN_ERR_MODEL);
    CHECK_STR(hn_model_error(model), expected);
    hn_system_destroy(system);
    hn_model_destroy(model);
  }
}

int main(void) {
  RUN(test_refusals);
  RUN(test_stiff_natural);
  RUN(test_orders);
  RUN(test_combined);
  RUN(test_hamiltonian);
  RUN(test_hamiltonian_feedback);
  RUN(test_two_rods);
  RUN(test_equal_rods);
  RUN(test_preload);
  RUN(test_parallel_bearings);
  RUN(test_parallelogram);
  RUN(test_coupled_rows);
  return test_end();
}
