// test_coupling.c: rows of different joints that are stiff against each other, against solutions by
// hand: what is reported by every method, what augmented-index3 finds itself, statics; and what is
// refused.
#include "integrators/augmented/augmented.h"
#include "reference.h"

static bool parse(machine *m, const char *text, const char *method, const char *coordinates) {
  *m = (machine){.model = hn_model_create()};
  hn_status status = hn_model_parse(m->model, text, strlen(text), "test");
  hn_options *o = hn_model_options(m->model);
  snprintf(o->method, sizeof o->method, "%s", method);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  snprintf(o->natural_points, sizeof o->natural_points, "joined");
  o->step = 0.01;
  if (!status) status = hn_compile(&m->system, m->model);
  if (status) printf("%s\n", hn_model_error(m->model));
  m->options = *o;
  return CHECK(!status) && CHECK(machine_start(m) == HN_OK);
}

static hn_reaction reaction(machine *m, int joint) {
  hn_reaction r = {0};
  CHECK(hn_joint_reaction(m->sim, (hn_joint){joint}, &r) == HN_OK);
  return r;
}

static const struct {
  const char *method, *coordinates;
} ways[] = {
    {"standard", "reference"},       {"standard", "relative"},
    {"standard", "natural"},         {"augmented-index3", "reference"},
    {"augmented-index3", "natural"}, {"index3-alpha", "reference"},
};
enum { WAYS = sizeof ways / sizeof *ways };

// ---- a shaft on an elastic beam ------------------------------------------------------------

// A rigid shaft rests at x = -1, 0, 1 on supports of compliance s = 1, which stand on a beam of
// bending stiffness EI = 1, simply supported at x = -2 and 2. A load P on the beam at the distance
// b from its far end (length L = 4) moves the point at x from the other end by P b x (L^2 - b^2 -
// x^2) / (6 L EI), which gives the numbers below. The load W at x = e is carried by (W (1 - e)/2,
// 0, W (1 + e)/2) plus c (1, -2, 1), the only self-stress. The settlements F lambda stay on a
// straight line: (1, -2, 1) F lambda = 0, and with
//   n F n = 6 s + 2/(3 EI),   n F (1/2, 0, 1/2) = s - 1/(2 EI)     c = -W (s - 1/2)/(6 s + 2/3)
// lambda = (W (1 - e)/2 - 3 W/40, 6 W/40, W (1 + e)/2 - 3 W/40). Supports on their own would give
// the middle one a third.
static const char shaft[] =
    "parameters: {s: 1}\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  shaft: {mass: 4, inertia: [1, 1, 1], position: [0.3, 0, 0]}\n"
    "joints:\n"
    "  left: {type: point-on-plane, b: shaft, at: [-1, 0, 0], axis: [0, 0, 1]}\n"
    "  middle: {type: point-on-plane, b: shaft, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  right: {type: point-on-plane, b: shaft, at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  push: {type: force, b: shaft, force: [0, 0, -30*sin(5*t)]}\n"
    "couplings:\n"
    "  beam:\n"
    "    rows: [left, middle.z, right]\n"
    "    compliance:\n"
    "      - [s + 3/4, 11/12, 7/12]\n"
    "      - [11/12, s + 4/3, 11/12]\n"
    "      - [7/12, 11/12, s + 3/4]\n"
    "simulation: {duration: 1}\n";

static void test_shaft(void) {
  for (int i = 0; i < WAYS; i++) {
    machine m;
    if (!parse(&m, shaft, ways[i].method, ways[i].coordinates)) return;
    for (int k = 0; k < 3; k++) {
      double W = 40 + 30 * sin(5 * hn_time(m.sim)), e = 0.3;
      CHECK_NEAR(reaction(&m, 1).force[2], W * (1 - e) / 2 - 3 * W / 40, 1e-8);
      CHECK_NEAR(reaction(&m, 2).force[2], 6 * W / 40, 1e-8);
      CHECK_NEAR(reaction(&m, 3).force[2], W * (1 + e) / 2 - 3 * W / 40, 1e-8);
      CHECK(hn_advance(m.sim, 0.1) == HN_OK);
    }
    machine_free(&m);
  }
}

// the stepper's own multipliers, before they are shared for the report
static void test_stepper(void) {
  machine m;
  if (!parse(&m, shaft, "augmented-index3", "reference")) return;
  const hn_augmented *s = m.sim->method.integrator_data;
  for (int k = 0; k < 5; k++) {
    CHECK(hn_step(m.sim) == HN_OK);
    double W = 40 + 30 * sin(5 * hn_time(m.sim));
    CHECK_NEAR(s->lambda[0], 0.35 * W - 3 * W / 40, 1e-8);
    CHECK_NEAR(s->lambda[1], 6 * W / 40, 1e-8);
    CHECK_NEAR(s->lambda[2], 0.65 * W - 3 * W / 40, 1e-8);
  }
  machine_free(&m);
}

// ---- two pins in one bracket ---------------------------------------------------------------

// Two pins at one place, K = [A B; B^T C] with A = diag(3, 4), C = diag(2, 5), B = [1 1; 0 -1].
// They move alike, by x: (A + B + B^T + C) x = f, pin 1 carries (A + B) x, pin 2 (B^T + C) x. For
// f = (0, 8): x = (-1, 7)/6, so (1, 7)/2 and (-1, 9)/2. A preload p = (1, 2) of pin 2 leaves
// (A + B) x = (33, 39)/48 of it, x = (5, 13)/48, and the opposite in pin 1
static const char pins[] = "gravity: [0, -8]\n"
                           "bodies: {weight: {type: planar-point, mass: 1}}\n"
                           "joints:\n"
                           "  one: {type: spherical, b: weight}\n"
                           "  two: {type: spherical, b: weight%s}\n"
                           "couplings:\n"
                           "  bracket: {rows: [one, two],\n"
                           "    stiffness: [3, 0, 1, 1, 0, 4, 0, -1, 1, 0, 2, 0, 1, -1, 0, 5]}\n"
                           "simulation: {duration: 1}\n";

static void test_pins(void) {
  for (int i = 0; i < 2 * WAYS; i++) {
    machine m;
    char text[512];
    double px = i % 2 ? 33 / 48.0 : 0, py = i % 2 ? 39 / 48.0 : 0;
    snprintf(text, sizeof text, pins, i % 2 ? ", preload: [1, 2]" : "");
    if (!parse(&m, text, ways[i / 2].method, ways[i / 2].coordinates)) return;
    for (int k = 0; k < 2; k++) {
      hn_reaction one = reaction(&m, 1), two = reaction(&m, 2);
      CHECK_NEAR(one.force[0], 0.5 - px, 1e-9);
      CHECK_NEAR(one.force[1], 3.5 - py, 1e-9);
      CHECK_NEAR(two.force[0], -0.5 + px, 1e-9);
      CHECK_NEAR(two.force[1], 4.5 + py, 1e-9);
      CHECK(hn_advance(m.sim, 0.05) == HN_OK);
    }
    machine_free(&m);
  }
}

static void test_statics(void) {
  machine m;
  char text[512];
  hn_result *result = NULL;
  hn_equilibrium info;
  snprintf(text, sizeof text, pins, ", preload: [1, 2]");
  if (!parse(&m, text, "standard", "reference")) return;
  if (CHECK(hn_statics(m.sim, HN_REST, &info, &result) == HN_OK)) {
    const double *row = hn_result_row(result, 0);
    CHECK_NEAR(row[hn_result_find(result, "one.fx")], 0.5 - 33 / 48.0, 1e-9);
    CHECK_NEAR(row[hn_result_find(result, "two.fy")], 4.5 + 39 / 48.0, 1e-9);
  }
  hn_result_destroy(result);
  machine_free(&m);
}

// the motion does not depend on how the joints yield: the parallelogram of the references, feet of
// two rods coupled
static void test_motion(void) {
  static const double K[] = {2, 1, 1, 3};
  static const char *const rows[] = {"A.x", "G.x"};
  double x[2][3] = {{0}};
  for (int i = 0; i < 2; i++) {
    machine m = {.model = hn_model_create()};
    if (!CHECK(hn_model_load(m.model, "models/parallelogram.yaml") == HN_OK)) return;
    hn_coupling_def def = {
        .name = "frame", .rows = rows, .row_count = 2, .stiffness = K, .stiffness_count = 4};
    if (i) CHECK(hn_add_coupling(m.model, &def) == HN_OK);
    m.options = *hn_model_options(m.model);
    snprintf(m.options.method, sizeof m.options.method, "augmented-index3");
    m.options.step = 1e-3;
    hn_pose pose = {0};
    if (CHECK(hn_compile(&m.system, m.model) == HN_OK) && CHECK(machine_start(&m) == HN_OK)) {
      CHECK(hn_advance(m.sim, 0.3) == HN_OK);
      CHECK(hn_body_pose(m.sim, (hn_body){1}, &pose) == HN_OK);
    } else {
      printf("%s\n", hn_model_error(m.model));
    }
    memcpy(x[i], pose.position, sizeof x[i]);
    machine_free(&m);
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(x[0][k], x[1][k], 1e-9);
}

// ---- what is refused -----------------------------------------------------------------------

// when rows are known, that is when the model is compiled
static void test_refusals(void) {
  static const char *const cases[][2] = {
      {"one: {rows: [a.q, b], stiffness: [2, 1, 1, 2]}",
       "6:3: coupling 'one': no row named 'a.q' (known: a.x a.y)"},
      {"one: {rows: [a, b], stiffness: [2, 1, 1, 2]}",
       "6:3: coupling 'one': stiffness is 2 x 2, but there are 4 rows ('holon check' names them)"},
      {"one: {rows: [a.x, a.x], compliance: [2, 1, 1, 2]}",
       "6:3: coupling 'one': row 'a.x' is there twice"},
      {"one: {rows: [a.x, b.x], stiffness: [2, 1, 1, 2]}\n"
       "  two: {rows: [a.y, b.x], stiffness: [2, 1, 1, 2]}",
       "7:3: coupling 'two': row 'b.x' is in another coupling already"},
  };
  for (int i = 0; i < 4; i++) {
    hn_model *model = hn_model_create();
    hn_system *system = NULL;
    char text[512], expected[256];
    snprintf(text, sizeof text,
             "bodies: {arm: {type: planar-point, mass: 1}}\n"
             "joints:\n  a: {type: spherical, b: arm}\n  b: {type: spherical, b: arm}\n"
             "couplings:\n  %s\n",
             cases[i][0]);
    snprintf(expected, sizeof expected, "text:%s", cases[i][1]);
    CHECK(hn_model_parse(model, text, strlen(text), "text") == HN_OK);
    CHECK(hn_compile(&system, model) == HN_ERR_MODEL);
    CHECK_STR(hn_model_error(model), expected);
    hn_system_destroy(system);
    hn_model_destroy(model);
  }
}

int main(void) {
  RUN(test_shaft);
  RUN(test_stepper);
  RUN(test_pins);
  RUN(test_statics);
  RUN(test_motion);
  RUN(test_refusals);
  return test_end();
}
