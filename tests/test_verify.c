// test_verify.c: what a run says about its own error is true within a factor of ten.
//
// The truth is a run in reference coordinates with a tolerance of 1e-12 by another integrator than
// the companion's; that such runs meet the independent solutions of tests/references is the affair
// of test_references.
#include "audit_rig.h"

#include "record/columns.h"

enum { POSITION, ANGLE, VELOCITY, SPIN, KINDS };
static const char *const kind_name[] = {"position", "angle", "velocity", "spin"};

static int kind_of(const hn_column *c) {
  switch (c->kind) {
  case HN_COL_POSITION: return POSITION;
  case HN_COL_ANGLE: return ANGLE;
  case HN_COL_VELOCITY: return VELOCITY;
  case HN_COL_SPIN: return SPIN;
  default: return -1;
  }
}

// largest differences of the bodies' columns in all rows; false: the rows are not the same
static bool differences(const judged *run, const judged *truth, double worst[KINDS]) {
  int rows = hn_result_rows(run->result), columns = hn_result_columns(run->result);
  memset(worst, 0, KINDS * sizeof *worst);
  if (hn_result_rows(truth->result) != rows || hn_result_columns(truth->result) != columns)
    return false;
  for (int i = 0; i < rows; i++)
    for (int k = 1; k < columns; k++) {
      int kind = kind_of(&run->system->column[k]);
      if (kind < 0) continue;
      double d = fabs(hn_result_row(run->result, i)[k] - hn_result_row(truth->result, i)[k]);
      if (!(d <= worst[kind])) worst[kind] = d;
    }
  return true;
}

typedef struct trial {
  const char *model, *method, *step, *duration, *rtol, *verify, *coordinates;
} trial;

static bool truth_of(judged *j, const trial *x) {
  char path[96];
  snprintf(path, sizeof path, "models/%s.yaml", x->model);
  const char *const set[] = {"method", "default",  "integrator",  "dopri5",    "rtol",
                             "1e-12",  "duration", x->duration,   "verify",    "off",
                             "step",   "0",        "coordinates", "reference", NULL};
  return judged_run(j, path, set);
}

// counts: [0] honest, [1] not known
static void try_out(const trial *x, const judged *truth, int count[2]) {
  judged j;
  char path[96];
  double worst[KINDS];
  snprintf(path, sizeof path, "models/%s.yaml", x->model);
  const char *const set[] = {
      "method",     x->method, "solver", "",        "correction",  "",
      "integrator", "",        "rtol",   x->rtol,   "duration",    x->duration,
      "step",       x->step,   "verify", x->verify, "coordinates", x->coordinates,
      NULL};
  bool ran = judged_run(&j, path, set);
  const hn_motion_error *e = &j.summary.motion;
  if (ran && e->known && CHECK(differences(&j, truth, worst))) {
    const double said[KINDS] = {e->position, e->angle, e->velocity, e->spin};
    for (int k = 0; k < KINDS; k++) {
      if (k == ANGLE && worst[k] == 0) continue;  // orientations in space have no such column
      // the truth has errors of its own
      double noise = 3e-9 * (k < VELOCITY ? 1 : 10);
      if (!CHECK(said[k] >= 0.1 * worst[k] - noise && said[k] <= 10 * worst[k] + noise))
        printf("  %s by %s, %s: said %.2g, true %.2g (%s)\n", x->model, x->method, kind_name[k],
               said[k], worst[k], e->how);
    }
    count[0]++;
  } else if (ran) {
    count[1]++;
    printf("  %s by %s: %s\n", x->model, x->method, e->how);
  }
  judged_end(&j);
}

static const char *const references[] = {"four_bar",
                                         "four_bar_spatial_joints",
                                         "five_bar_pendulum_planar",
                                         "five_bar_pendulum_spatial",
                                         "spatial_slider_crank",
                                         "iltis_suspension",
                                         "two_rod_pendulum",
                                         "parallelogram",
                                         "knife_edge",
                                         "four_bar_point_masses",
                                         "equal_slider_crank",
                                         "rolling_disk_incline",
                                         "ship_mount",
                                         "andrews",
                                         "pendulum",
                                         "n_four_bar_2",
                                         "bricard",
                                         "flyball_governor",
                                         "heavy_top",
                                         "torque_free",
                                         "rolling_disk"};
enum { REFERENCES = sizeof references / sizeof *references };

// Andrews' mechanism and the fast ones live for a short time
static const char *duration_of(const char *model) {
  if (strcmp(model, "andrews") == 0) return "0.03";
  if (strcmp(model, "torque_free") == 0 || strcmp(model, "flyball_governor") == 0) return "0.5";
  return "1";
}

static const char *step_of(const char *model) {
  return strcmp(model, "andrews") == 0 ? "2e-5" : "1e-3";
}

// every example with an independent solution, adaptive and with fixed steps
static void test_references_are_honest(void) {
  int count[2] = {0, 0};
  for (int i = 0; i < REFERENCES; i++) {
    trial x = {references[i], "default",  "0",        duration_of(references[i]),
               "1e-5",        "estimate", "reference"};
    judged truth;
    if (CHECK(truth_of(&truth, &x))) {
      x.rtol = i % 2 ? "1e-5" : "1e-7", x.coordinates = "auto";
      try_out(&x, &truth, count);
      x.method = "mass-projection", x.step = step_of(references[i]);
      try_out(&x, &truth, count);
    }
    judged_end(&truth);
  }
  printf("references: %d verified, %d not known\n", count[0], count[1]);
  CHECK(count[0] >= 2 * REFERENCES - 2);
}

// every preset, by turns on several of them
static void test_presets_are_honest(void) {
  static const char *const turn[] = {"four_bar", "pendulum", "spatial_slider_crank",
                                     "two_rod_pendulum", "heavy_top"};
  int count[2] = {0, 0}, all = 0;
  judged truth[5];
  trial x = {.rtol = "1e-6", .duration = "0.5", .verify = "estimate"};
  for (int k = 0; k < 5; k++) {
    x.model = turn[k];
    if (!CHECK(truth_of(&truth[k], &x))) return;
  }
  const hn_method_info *m;
  for (int i = 0; (m = hn_method_at(i)); i++) {
    int before = count[0] + count[1];
    for (int k = 0; k < 5 && count[0] + count[1] == before; k++) {
      x.model = turn[(i + k) % 5];
      x.method = m->name;
      const hn_integrator_type *type = hn_integrator_find(m->integrator);
      x.step = type && type->adaptive ? "0" : "1e-3";
      x.coordinates = strncmp(m->name, "energy-", 7) == 0 || strncmp(m->name, "discrete", 8) == 0
                          ? "natural"
                          : "auto";
      try_out(&x, &truth[(i + k) % 5], count);
    }
    all += count[0] + count[1] > before;
    if (count[0] + count[1] == before) printf("  %s runs none of these models\n", m->name);
  }
  for (int k = 0; k < 5; k++) judged_end(&truth[k]);
  printf("presets: %d of %d verified, %d not known\n", count[0], all, count[1]);
  CHECK(count[1] == 0);
}

// repetition, coarser and finer, for what no exact companion can follow
static void test_repetitions_are_honest(void) {
  // a stiff spring that explicit methods cannot follow at the steps of an implicit one
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "simulation: {duration: 2, output_step: 0.05}\n"
      "bodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "  b: {type: planar-point, mass: 1e-3, position: [1, 0]}\n"
      "joints: {A: {type: revolute, b: a, at: [0, 0]}}\n"
      "forces: {s: {type: spring, a: a, b: b, at: [0.9, 0], at_b: [1, 0], stiffness: 1e8,"
      " damping: 1e3}}\n";
  static const char *const verify[] = {"estimate", "rerun"};
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {"method", "index3-alpha", "step", "2e-3", "verify", verify[k], NULL};
    const char *const fine[] = {"method", "index3-alpha", "step", "1e-4", "verify", "off", NULL};
    judged j, truth;
    double worst[KINDS];
    if (CHECK(judged_run(&j, text, set) && judged_run(&truth, text, fine)) &&
        CHECK(j.summary.motion.known && differences(&j, &truth, worst))) {
      double said = j.summary.motion.position;
      if (!CHECK(said > 0.1 * worst[0] && said < 10 * worst[0] + 1e-9))
        printf("  said %g, true %g (%s)\n", said, worst[0], j.summary.motion.how);
    } else {
      judged_print(&j);
      printf("  %s\n", j.summary.motion.how);
    }
    judged_end(&j), judged_end(&truth);
  }
}

// ---- verdicts ------------------------------------------------------------------------------

static void test_coarse_runs_fail(void) {
  static const char *const file[] = {"pendulum_on_fast_cart", "flywheel_beside_pendulum"};
  for (int i = 0; i < 2; i++) {
    char path[96];
    snprintf(path, sizeof path, "tests/findings/%s.yaml", file[i]);
    judged j;
    CHECK(judged_run(&j, path, NULL));
    const hn_audit_item *item = judged_item(&j.summary, "error of positions");
    if (!CHECK(item && item->known && !item->pass && j.summary.verdict == HN_AUDIT_FAILED))
      printf("  %s: %s\n", file[i], j.summary.motion.how);
    CHECK(j.summary.motion.until < j.summary.time);
    judged_end(&j);
  }
  // five radians a step: the turns are right, or the audit fails
  static const char *const family[] = {"auto", "reference", "relative"};
  for (int i = 0; i < 3; i++) {
    const char *const set[] = {"coordinates", family[i], NULL};
    judged j;
    CHECK(judged_run(&j, "tests/findings/fast_rotor.yaml", set));
    CHECK(fabs(judged_last(&j, "j.angle") - 500) < 0.1 || j.summary.verdict == HN_AUDIT_FAILED);
    judged_end(&j);
  }
}

// rotors of all speeds: turns are counted right, or the audit fails
static void test_rotors(void) {
  int right = 0, refused = 0;
  for (int i = 0; i < 30; i++) {
    unsigned long long seed = test_seed;
    char text[400];
    double spin = pow(10, test_random(0, 2.3)), step = pow(10, test_random(-3, -0.7));
    snprintf(text, sizeof text,
             "simulation: {duration: 5, method: %s, step: %.6g, output_step: %.6g,"
             " coordinates: reference}\n"
             "bodies:\n  rotor: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, %.17g]}\n"
             "joints:\n  j: {type: revolute, b: rotor, axis: [0, 0, 1]}\n",
             i % 3 ? "mass-projection" : "default", step, i % 2 ? step : 0.02, spin);
    judged j;
    bool ran = judged_run(&j, text, NULL);
    double angle = judged_last(&j, "j.angle");
    bool good = fabs(angle - 5 * spin) < 0.05;
    if (!CHECK(ran && (good || j.summary.verdict == HN_AUDIT_FAILED))) {
      printf("  seed %llu: %g rad/s, step %g: %g, should be %g\n", seed, spin, step, angle,
             5 * spin);
      judged_print(&j);
    }
    right += good, refused += !good;
    judged_end(&j);
  }
  printf("rotors: %d right, %d refused\n", right, refused);
  CHECK(right > 5 && refused > 2);
}

// rows that a run cannot have meant: a force between the rows it stepped over
static void test_rows_against_their_rates(void) {
  const char *const fixed[] = {"method", "mass-projection", "step", "0.5", "output_step",
                               "0.02",   "verify",          "off",  NULL};
  judged j;
  CHECK(judged_run(&j, "tests/findings/barrier.yaml", fixed));
  const hn_audit_item *item = judged_item(&j.summary, "rows against");
  CHECK(item && item->known && !item->pass);
  judged_end(&j);
  // few rows of a fast motion are right all the same
  const char *const sparse[] = {"output_step", "0.9", "duration", "9", NULL};
  if (!CHECK(judged_run(&j, "models/four_bar.yaml", sparse) && j.summary.audit_pass))
    judged_print(&j);
  judged_end(&j);
}

static void test_verify_steps(void) {
  judged j;
  hn_motion_error e;
  const char *const coarse[] = {"method", "mass-projection", "step", "0.02", NULL};
  if (!CHECK(judged_start(&j, "models/four_bar.yaml", coarse))) return;
  CHECK(hn_verify(j.sim, &e) == HN_ERR_ARGUMENT);
  CHECK(hn_advance(j.sim, 1) == HN_OK);
  CHECK(hn_verify(j.sim, &e) == HN_OK && e.known && e.position > 1e-8 && e.position < 1);
  hn_summary s;
  hn_sim_summary(j.sim, &s);
  CHECK(s.motion.known && s.motion.position == e.position);
  CHECK(judged_item(&s, "error of positions")->known);
  judged_end(&j);
}

static void test_options(void) {
  judged j;
  const char *const off[] = {"verify", "off", NULL};
  CHECK(judged_run(&j, "models/pendulum.yaml", off));
  CHECK(!j.summary.motion.known && !judged_item(&j.summary, "error of positions")->known);
  CHECK(j.summary.audit_pass);
  judged_end(&j);
  const char *const strict[] = {"audit_motion_absolute", "1e-14", NULL};
  CHECK(judged_run(&j, "models/pendulum.yaml", strict));
  CHECK(j.summary.verdict == HN_AUDIT_FAILED &&
        !judged_item(&j.summary, "error of the motion")->pass);
  judged_end(&j);
}

int main(void) {
  RUN(test_references_are_honest);
  RUN(test_presets_are_honest);
  RUN(test_repetitions_are_honest);
  RUN(test_coarse_runs_fail);
  RUN(test_rotors);
  RUN(test_rows_against_their_rates);
  RUN(test_verify_steps);
  RUN(test_options);
  return test_end();
}
