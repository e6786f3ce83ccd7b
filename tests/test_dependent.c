// test_dependent.c: the rows that become dependent, found by the sparse factorisation, are those
// that a dense decomposition finds, and the cost is linear in the size of the model.
#include "compile/compile.h"
#include "linalg/dense_step.h"
#include "reference.h"
#include "sim/sim.h"

static const double pi = 3.14159265358979323846;

// ---- windows in a row: upright cranks on the ground, level couplers between their tips --------

static hn_body bar(hn_model *model, char letter, int i, double x, double y) {
  char name[32];
  snprintf(name, sizeof name, "%c%d", letter, i);
  hn_body_def def = {.name = name, .kind = HN_PLANAR, .mass = 1, .inertia = {0, 0, 1.0 / 12}};
  def.position[0] = x, def.position[1] = y;
  return hn_add_body(model, &def);
}

static void pin(hn_model *model, char letter, int i, hn_body a, hn_body b, double x, double y) {
  char name[32];
  snprintf(name, sizeof name, "%c%d", letter, i);
  hn_joint_def def = {.name = name, .type = "revolute", .a.body = a, .b.body = b};
  def.at[0] = x, def.at[1] = y, def.axis[2] = 1;
  CHECK(hn_add_joint(model, &def).id >= 0);
}

static hn_system *windows(int n) {
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_body last = bar(model, 'c', 0, 0, 0.5);
  hn_add_output(model, "energy.*");
  pin(model, 'A', 0, HN_GROUND, last, 0, 0);
  for (int i = 1; i <= n; i++) {
    hn_body crank = bar(model, 'c', i, i, 0.5), coupler = bar(model, 'k', i, i - 0.5, 1);
    pin(model, 'A', i, HN_GROUND, crank, i, 0);
    pin(model, 'B', i, last, coupler, i - 1, 1);
    pin(model, 'C', i, coupler, crank, i, 1);
    last = crank;
  }
  hn_options *o = hn_model_options(model);
  snprintf(o->coordinates, sizeof o->coordinates, "reference");
  CHECK(hn_compile(&system, model) == HN_OK);
  hn_model_destroy(model);
  return system;
}

// all bars along the ground: every window could open either way
static void lay_flat(double *q, int n) {
  double *at = q;
  for (int i = 0; i <= n; i++) {
    at[0] = i + 0.5, at[1] = 0, at[2] = -pi / 2;
    at += 3;
    if (i == 0) continue;
    at[0] = i + 0.5, at[1] = 0, at[2] = 0;
    at += 3;
  }
}

static hn_sim *start_sim(const hn_system *system, const double *q) {
  hn_options options = hn_options_default();
  char message[256];
  hn_sim *sim = NULL;
  double *v = calloc((size_t)system->nv, sizeof(double));
  CHECK(hn_sim_create(&sim, system, &options, message, sizeof message) == HN_OK);
  CHECK(hn_set_state(sim, 0, q, v) == HN_OK);
  hn_eval_jacobian(&sim->stage.work, 0, sim->state.y, sim->state.y + system->nq);
  free(v);
  return sim;
}

// ---- the same by a dense decomposition --------------------------------------------------------

static void name_dense(const hn_system *sys, const double *z, char *text, size_t size) {
  double most = 0;
  int said = 0, more = 0;
  size_t used = 0;
  for (int i = 0; i < sys->rows; i++) most = fmax(most, fabs(z[i]));
  for (int j = 0; j < sys->joints; j++) {
    const hn_group *g = &sys->group[sys->joint[j].group];
    double part = 0;
    for (int i = 0; i < g->rows; i++) part = fmax(part, fabs(z[g->row0 + i]));
    if (part < 0.1 * most) continue;
    if (said++ < 8)
      used +=
          (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", sys->joint[j].name);
    else
      more++;
  }
  if (more) snprintf(text + used, size - used, " and %d more", more);
}

// rows lost, and who takes part in z less what the independent rows make of J^T z
static int lost_dense(hn_sim *sim, char *text, size_t size) {
  const hn_system *sys = sim->sys;
  size_t rows = (size_t)sys->rows, nv = (size_t)sys->nv;
  hn_arena arena = {0};
  hn_cod cod = {0};
  hn_cod_layout(&cod, &arena, sys->nv, sys->rows);
  hn_arena_allocate(&arena);
  hn_cod_layout(&cod, &arena, sys->nv, sys->rows);
  double *z = calloc(2 * rows + nv, sizeof(double)), *x = z + rows, *b = x + rows;
  hn_jacobian_dense(&sim->stage.work, cod.a);
  for (size_t i = 0; i < rows; i++) {
    double *row = cod.a + i * nv, n = 0;
    for (size_t c = 0; c < nv; c++) row[c] /= sqrt(sys->mass[c]), n += row[c] * row[c];
    for (size_t c = 0; c < nv; c++) row[c] /= sqrt(n);
  }
  for (size_t i = 0; i < rows; i++) {
    int k = (int)i;
    z[i] = (k % 2 ? -1 : 1) * (0.5 + 7919 * (k + 1) % 101 / 101.0);
    for (size_t c = 0; c < nv; c++) b[c] += cod.a[i * nv + c] * z[i];
  }
  hn_cod_factor(&cod, 1e-6, sys->rows);
  hn_cod_solve(&cod, b, x);
  for (size_t i = 0; i < rows; i++) z[i] -= x[i];
  name_dense(sys, z, text, size);
  int lost = sys->rows - cod.rank;
  free(z), free(arena.base);
  return lost;
}

static void check_against_dense(hn_sim *sim, int lost) {
  hn_singular_place place = {0};
  char text[400] = "";
  CHECK(lost_dense(sim, text, sizeof text) == lost);
  CHECK(hn_dependent_rows(sim, 0, &place));
  CHECK(place.rows_lost == lost);
  CHECK_STR(place.joints, text);
}

static void test_windows(void) {
  static const int sizes[] = {1, 2, 7, 40};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int n = sizes[k];
    hn_system *system = windows(n);
    double *q = calloc((size_t)system->nq, sizeof(double));
    lay_flat(q, n);
    hn_sim *sim = start_sim(system, q);
    check_against_dense(sim, n);
    hn_sim_destroy(sim);
    // upright nothing is lost
    sim = start_sim(system, system->q0);
    hn_singular_place place = {0};
    CHECK(!hn_dependent_rows(sim, 0.1, &place) && place.rows_lost == 0);
    hn_sim_destroy(sim);
    free(q);
    hn_system_destroy(system);
  }
}

// the first window is flat and the cranks from the third on stand upright, the second coupler
// beside the third crank: the first window alone has lost a row
static void test_one_flat(void) {
  enum { N = 5 };
  hn_system *system = windows(N);
  double q[3 * (2 * N + 1)];
  lay_flat(q, N);
  for (int i = 2; i <= N; i++) {
    double *crank = q + 3 * (2 * i - 1), *coupler = crank + 3;
    crank[0] = i, crank[1] = 0.5, crank[2] = 0;
    coupler[0] = i == 2 ? i : i - 0.5, coupler[1] = i == 2 ? 0.5 : 1;
    coupler[2] = i == 2 ? pi / 2 : 0;
  }
  hn_sim *sim = start_sim(system, q);
  double worst = 0;
  for (int i = 0; i < system->rows; i++) worst = fmax(worst, fabs(sim->stage.work.phi[i]));
  CHECK(worst < 1e-14);
  check_against_dense(sim, 1);
  hn_singular_place place = {0};
  hn_dependent_rows(sim, 0, &place);
  CHECK_STR(place.joints, "A0, A1, B1, C1");
  hn_sim_destroy(sim);
  hn_system_destroy(system);
}

// two equal bars on each other: one row, all joints
static void test_slider_crank(void) {
  machine m;
  if (machine_load(&m, "equal_slider_crank", "reference", NULL, NULL) || machine_start(&m)) return;
  double q[6] = {0, 0.5, pi / 2, 0, 0.5, -pi / 2}, v[6] = {0};
  CHECK(hn_set_state(m.sim, 0, q, v) == HN_OK);
  hn_eval_jacobian(&m.sim->stage.work, 0, m.sim->state.y, m.sim->state.y + 6);
  check_against_dense(m.sim, 1);
  machine_free(&m);
}

// a thousand windows are found dependent, each by itself: a dense decomposition of their rows would
// not end within the time a test has
static void test_many(void) {
  for (int n = 120; n <= 12000; n *= 10) {
    hn_system *system = windows(n);
    double *q = calloc((size_t)system->nq, sizeof(double));
    lay_flat(q, n);
    hn_sim *sim = start_sim(system, q);
    hn_singular_place place = {0};
    hn_dependent_rows(sim, 0, &place);
    CHECK(place.rows_lost == n);
    hn_sim_destroy(sim);
    free(q);
    hn_system_destroy(system);
  }
}

int main(void) {
  RUN(test_windows);
  RUN(test_one_flat);
  RUN(test_slider_crank);
  RUN(test_many);
  return test_end();
}
