// test_augmented.c: augmented Lagrangian methods on position level.
//
// Positions, velocities and reactions must converge with order 2 to the independent solutions;
// redundant mechanisms must run as they are, and their reactions be shared by stiffness as the
// compatibility of elastic rods demands.
#include "integrators/augmented/augmented.h"
#include "reference.h"

#include <float.h>

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
                               0.088};
  hn_summary alone = {0}, combined = {0};
  (void)run_errors(&rough, "augmented-index3", rough.step, &alone);
  (void)run_errors(&rough, "augmented-combined", rough.step, &combined);
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

// ---- the stepper's own multipliers ----------------------------------------------------------

static bool open_text(machine *m, const char *text, double penalty) {
  *m = (machine){.model = hn_model_create()};
  hn_status status = hn_model_parse(m->model, text, strlen(text), "text");
  if (!status) status = hn_compile(&m->system, m->model);
  if (status) printf("%s\n", hn_model_error(m->model));
  m->options = *hn_model_options(m->model);
  m->options.penalty = penalty;
  return CHECK(!status) && CHECK(machine_start(m) == HN_OK);
}

// A plate on three equal, parallel rods at points that are on no line. The self-stress s of the
// rods, sum s_i = 0 and no moment, turns with them: their arms are u x r_i, u the direction of the
// rods. Shares by stiffness k have s^T (lambda - preload)/k = 0, whatever else happens. Multipliers
// that go on from step to step do not: those of the start stay in them.
#define PLATE                                                                                      \
  "gravity: [0, -9.81]\n"                                                                          \
  "bodies:\n"                                                                                      \
  "  plate: {type: planar, mass: 3, inertia: 0.4, position: [0.8, 0.6]}\n"                         \
  "joints:\n"                                                                                      \
  "  r1: {type: distance, b: plate, at: [0, 0], at_b: [0.8, 0.6], stiffness: 1%s}\n"               \
  "  r2: {type: distance, b: plate, at: [1, 0], at_b: [1.8, 0.6], stiffness: 2}\n"                 \
  "  r3: {type: distance, b: plate, at: [0.3, 0.7], at_b: [1.1, 1.3], stiffness: 5}\n"             \
  "simulation: {method: augmented-index3, step: %g, coordinates: reference}\n"

static const hn_augmented *own_of(const machine *m) {
  return m->sim->method.integrator_data;
}

static double unshared(const machine *m, const double preload[3]) {
  static const double k[3] = {1, 2, 5}, r[3][2] = {{0, 0}, {1, 0}, {0.3, 0.7}};
  const hn_augmented *own = own_of(m);
  const double *q = m->sim->state.y, ux = q[0], uy = q[1];  // the plate does not turn
  double arm[3], s[3], sum = 0, size = 0;
  for (int i = 0; i < 3; i++) arm[i] = ux * r[i][1] - uy * r[i][0];
  for (int i = 0; i < 3; i++) s[i] = arm[(i + 1) % 3] - arm[(i + 2) % 3];
  for (int i = 0; i < 3; i++) {
    double x = s[i] * (own->lambda[i] - preload[i]) / k[i];
    sum += x, size += fabs(x);
  }
  return fabs(sum) / size;
}

// largest deviation on the way; the multipliers at its end
static double plate_worst(const char *preload, double penalty, double step, double end[3]) {
  const double given[3] = {*preload ? 7 : 0, 0, 0};
  double worst = 0;
  machine m;
  char text[1024];
  snprintf(text, sizeof text, PLATE, preload, step);
  if (!open_text(&m, text, penalty)) return INFINITY;
  while (hn_time(m.sim) < 0.3 && CHECK(hn_step(m.sim) == HN_OK))
    worst = fmax(worst, unshared(&m, given));
  // 4/(h^2 Xi), and the stiffness of the first row is 1
  double asked = 4 / (step * step * penalty);
  if (penalty > 0) CHECK_NEAR(own_of(&m)->matrix.D[0] / asked, 1, 1e-6);
  CHECK(m.sim->state.y[1] < 0.3);  // it has come a long way
  memcpy(end, own_of(&m)->lambda, 3 * sizeof(double));
  machine_free(&m);
  return worst;
}

static void test_turning_self_stress(void) {
  static const double penalty[] = {0, 1, 1e4, 1e8};
  double end[4][3] = {{0}}, other[3];
  for (int i = 0; i < 4; i++) {
    double coarse = plate_worst("", penalty[i], 4e-3, other);
    double fine = plate_worst("", penalty[i], 2e-3, end[i]);
    double loaded = plate_worst(", preload: [7]", penalty[i], 2e-3, other);
    printf("self-stress that turns, penalty %g: %.1e %.1e, preloaded %.1e\n", penalty[i], coarse,
           fine, loaded);
    CHECK(fine < 1e-7 && fine < 0.3 * coarse && loaded < 1e-7);
  }
  // the penalty is what was asked for, and does not change the answer
  for (int i = 1; i < 4; i++)
    for (int k = 0; k < 3; k++) {
      // the plate is 1 m wide: round-off of its rows, as force
      CHECK_NEAR(end[i][k], end[1][k], 1e-9 + 4 * DBL_EPSILON * penalty[i]);
      CHECK(i == 1 || end[i][k] != end[1][k]);
      CHECK_NEAR(end[i][k], end[0][k], 1e-5);
    }
}

// ---- bodies that yield ----------------------------------------------------------------------

// The pendulum of Gonzalez & Kovecses (2013), section 4: a rod as a body in natural coordinates,
// points O and P and two vectors, and a second rod between the same points. Both have the same
// strain, so with K = [a c; c b] over the row of the body's length and the second rod they carry
// (a + c) : (c + b) of F = m v^2/l - m g y/l; of a preload p of the first its own share goes back
// to it, p (b + c)/(a + 2 c + b) remains and pulls in the second. O itself is stiff, but gives in
// series: 1e-9 of it
static const char rods[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies: {rod: {mass: 1, inertia: [1e-9, 1e-9, 1e-9], position: [2, 0, 0]}}\n"
    "joints:\n"
    "  O: {type: revolute, b: rod, at: [0, 0, 0], axis: [0, 0, 1], stiffness: 1e9}\n"
    "  second: {type: distance, b: rod, at: [0, 0, 0], at_b: [2, 0, 0]}\n"
    "couplings: {both: {rows: [rod.rigid22, second], stiffness: [%g, %g, %g, %g]%s}}\n"
    "outputs: [\"rod.*\", \"second.*\"]\n"
    "simulation: {method: augmented-index3, step: 1e-3, natural_points: joined, duration: 1}\n";

static void test_rigid_rows(void) {
  static const double cases[][4] = {{1, 0, 2, 0}, {3, 1, 2, 0}, {1, 0, 2, 4}};
  for (int i = 0; i < 3; i++) {
    machine m;
    char text[1024];
    const double *K = cases[i], a = K[0], c = K[1], b = K[2], p = K[3];
    snprintf(text, sizeof text, rods, a, c, c, b, p > 0 ? ", preload: [4, 0]" : "");
    if (!open_text(&m, text, 1e7)) return;
    hn_result *result = NULL;
    if (!CHECK(hn_run(m.sim, &result, NULL, NULL) == HN_OK)) return;
    int x = hn_result_find(result, "rod.x"), y = hn_result_find(result, "rod.y"),
        vx = hn_result_find(result, "rod.vx"), vy = hn_result_find(result, "rod.vy"),
        first = hn_result_find(result, "rod.lambda_rigid22"),
        second = hn_result_find(result, "second.fx"), other = hn_result_find(result, "second.fy");
    CHECK(first > 0 && second > 0);
    double worst = 0, largest = 0;
    for (int k = 0; k < hn_result_rows(result); k++) {
      const double *r = hn_result_row(result, k);
      double F = (r[vx] * r[vx] + r[vy] * r[vy]) / 2 - 9.81 * r[y] / 2;
      double share = (a + c) / (a + 2 * c + b), kept = p * (1 - share);
      double pull = -(r[second] * r[x] + r[other] * r[y]) / 2;
      worst = fmax(worst, fabs(-r[first] - (share * F - kept)));
      worst = fmax(worst, fabs(pull - ((1 - share) * F + kept)));
      largest = fmax(largest, F);
    }
    printf("yielding body: %.1e of %.3g N\n", worst, largest);
    CHECK(largest > 20 && worst < 2e-4);  // the error of the step
    hn_result_destroy(result);
    machine_free(&m);
  }
}

static void test_rigid_refusals(void) {
  static const char *const cases[][2] = {
      {"coordinates: reference", "only in natural coordinates bodies have rows that keep them"},
      {"coordinates: natural", "no row named 'rod.rigid99' (known: rod.rigid11 rod.rigid12"},
  };
  for (int i = 0; i < 2; i++) {
    char text[1024];
    hn_model *model = hn_model_create();
    hn_system *system = NULL;
    snprintf(text, sizeof text,
             "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {O: {type: revolute, b: rod, at: [-1, 0, 0]}}\n"
             "couplings: {c: {rows: [rod.rigid%s], stiffness: [1]}}\n"
             "simulation: {%s}\n",
             i ? "99" : "11", cases[i][0]);
    CHECK(hn_model_parse(model, text, strlen(text), "text") == HN_OK);
    CHECK(hn_compile(&system, model) != HN_OK);
    if (!CHECK(strstr(hn_model_error(model), cases[i][1]))) printf("%s\n", hn_model_error(model));
    hn_system_destroy(system);
    hn_model_destroy(model);
  }
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

// ---- two terms ------------------------------------------------------------------------------

// a bead off its rail: Phi + tau Phi' = 0 holds at the end of every step, and the trapezoidal rule
// makes of it the factor (2 tau/h - 1)/(2 tau/h + 1), which is nothing for tau = h/2
static void test_two_term_decay(void) {
  static const char text[] = "bodies:\n  bead: {type: point, mass: 2}\n"
                             "joints:\n  rail: {type: point-on-plane, a: ground, b: bead,"
                             " at: [0, 0, 0]}\n"
                             "simulation: {step: 0.01, coordinates: reference}\n";
  static const char *const methods[] = {"augmented-displacement", "augmented-acceleration"};
  static const double tau[] = {0.5, 2, 5}, penalty[] = {1, 1e4, 1e9};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 9; i++) {
      machine m = {.model = hn_model_create()};
      bool ok = CHECK(hn_model_parse(m.model, text, sizeof text - 1, "text") == HN_OK) &&
                CHECK(hn_compile(&m.system, m.model) == HN_OK);
      m.options = *hn_model_options(m.model);
      snprintf(m.options.method, sizeof m.options.method, "%s", methods[k]);
      m.options.stepper_tau = tau[i / 3], m.options.penalty = penalty[i % 3];
      if (ok && CHECK(machine_start(&m) == HN_OK)) {
        double t = 0.01 * tau[i / 3], factor = (2 * tau[i / 3] - 1) / (2 * tau[i / 3] + 1);
        double q[3] = {0, 0, 0.1}, v[3] = {0, 0, -0.1 / t}, expected = 0.1;
        CHECK(hn_set_state(m.sim, 0, q, v) == HN_OK);
        for (int n = 0; n < 10; n++) {
          CHECK(hn_step(m.sim) == HN_OK);
          expected *= factor;
          CHECK_NEAR(hn_positions(m.sim)[2], expected, 1e-12);
          CHECK_NEAR(hn_positions(m.sim)[2] + t * hn_velocities(m.sim)[2], 0, 1e-11);
        }
      }
      machine_free(&m);
    }
}

// a correction would take away what is to decay
static void test_two_term_correction(void) {
  machine m;
  char message[300] = "";
  if (!CHECK(machine_load(&m, "four_bar", "reference", NULL, NULL) == HN_OK)) return;
  m.options = hn_options_default();
  snprintf(m.options.method, sizeof m.options.method, "augmented-displacement");
  snprintf(m.options.correction, sizeof m.options.correction, "mass");
  m.options.step = 1e-3;
  CHECK(hn_sim_create(&m.sim, m.system, &m.options, message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "set 'correction' to none") != NULL);
  machine_free(&m);
}

static void test_two_term_orders(void) {
  static const char *const methods[] = {"augmented-displacement", "augmented-acceleration",
                                        "modified-state-space"};
  static const int which[] = {0, 1, 3, 4};  // four-bar, slider-crank, heavy top, Bricard
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) {
      const course *c = &courses[which[i]];
      hn_summary summary = {0};
      errors coarse = run_errors(c, methods[k], c->step / 4, &summary);
      errors fine = run_errors(c, methods[k], c->step / 8, &summary);
      printf("%-22s %-22s", methods[k], c->model);
      for (int e = POSITION; e <= VELOCITY; e++) {
        double order = log2(coarse.worst[e] / fine.worst[e]);
        printf(" %c: %.1e %.1e order %.2f", kinds[e], coarse.worst[e], fine.worst[e], order);
        CHECK(order > 1.7 && order < 2.4);
      }
      printf("\n");
    }
}

// a spring far too fast for the step: Newton's iteration on positions knows its tangent, the
// fixed-point iteration on accelerations does not converge
static void test_two_term_stiff(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n  bob: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "joints:\n  pin: {type: revolute, a: ground, b: bob, at: [0, 0]}\n"
      "forces:\n  hold: {type: torsion-spring, joint: pin, stiffness: 1e7, damping: 1e4}\n"
      "simulation: {step: 0.01, coordinates: reference}\n";
  for (int k = 0; k < 2; k++) {
    machine m = {.model = hn_model_create()};
    bool ok = CHECK(hn_model_parse(m.model, text, sizeof text - 1, "text") == HN_OK) &&
              CHECK(hn_compile(&m.system, m.model) == HN_OK);
    m.options = *hn_model_options(m.model);
    snprintf(m.options.method, sizeof m.options.method, "augmented-%s",
             k ? "acceleration" : "displacement");
    if (ok && CHECK(machine_start(&m) == HN_OK)) {
      hn_status status = hn_advance(m.sim, 1);
      CHECK(k ? status == HN_ERR_STEP : status == HN_OK);
      if (!k) CHECK_NEAR(hn_positions(m.sim)[2], -9.81 * 0.5 / 1e7, 1e-8);
    }
    machine_free(&m);
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
  RUN(test_turning_self_stress);
  RUN(test_rigid_rows);
  RUN(test_rigid_refusals);
  RUN(test_two_term_decay);
  RUN(test_two_term_correction);
  RUN(test_two_term_orders);
  RUN(test_two_term_stiff);
  return test_end();
}
