// test_verify.c: what a run says about its own error is true within a factor of ten, and costs no
// more than is said.
//
// The truth is a run in reference coordinates with a tolerance of 1e-13 by order 8; that such runs
// meet the independent solutions of tests/references is the affair of test_references.
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
  const char *parameter, *value;  // given another value than in the file
  int rows;                       // recorded; 0: ROWS
} trial;

enum { ROWS = 40, MANY_ROWS = 500 };

static bool run_trial(judged *j, const trial *x) {
  char path[96], interval[32], name[64];
  snprintf(path, sizeof path, "models/%s.yaml", x->model);
  snprintf(interval, sizeof interval, "%.17g", atof(x->duration) / (x->rows ? x->rows : ROWS));
  snprintf(name, sizeof name, "parameters.%s", x->parameter ? x->parameter : "");
  const char *const set[] = {"method",
                             x->method,
                             "solver",
                             "",
                             "correction",
                             "",
                             "integrator",
                             "",
                             "rtol",
                             x->rtol,
                             "duration",
                             x->duration,
                             "step",
                             x->step,
                             "verify",
                             x->verify,
                             "coordinates",
                             x->coordinates,
                             "output_step",
                             interval,
                             x->parameter ? name : NULL,
                             x->value,
                             NULL};
  return judged_run(j, path, set);
}

static bool truth_of(judged *j, const trial *x) {
  trial exact = *x;
  exact.method = "explicit", exact.step = "0", exact.rtol = "1e-13", exact.verify = "off";
  exact.coordinates = "reference";
  return run_trial(j, &exact);
}

typedef struct tally {
  int honest, unknown;
  double dearest;  // work of companions, relative to that of the run
  double ratio;    // worst between what was said and what is true
} tally;

static void try_out(const trial *x, const judged *truth, tally *all) {
  judged j;
  double worst[KINDS];
  bool ran = run_trial(&j, x);
  const hn_motion_error *e = &j.summary.motion;
  if (ran && e->known && CHECK(differences(&j, truth, worst))) {
    const double said[KINDS] = {e->position, e->angle, e->velocity, e->spin};
    for (int k = 0; k < KINDS; k++) {
      if (k == ANGLE && worst[k] == 0) continue;  // orientations in space have no such column
      // the truth has errors of its own
      double noise = 3e-9 * (k < VELOCITY ? 1 : 10);
      // (too much is no lie where steps hardly follow the tolerance: singular places, BDF)
      if (!CHECK(said[k] >= 0.1 * worst[k] - noise && said[k] <= 20 * worst[k] + noise))
        printf("  %s by %s, %s: said %.2g, true %.2g (%s)\n", x->model, x->method, kind_name[k],
               said[k], worst[k], e->how);
      if (fmax(said[k], worst[k]) > 10 * noise)
        all->ratio = fmax(all->ratio, fmax(said[k] / worst[k], worst[k] / said[k]));
    }
    all->honest++;
    all->dearest = fmax(all->dearest, e->share);
  } else if (ran) {
    all->unknown++;
    printf("  %s by %s: %s\n", x->model, x->method, e->how);
  }
  judged_end(&j);
}

static const struct {
  const char *model, *duration, *step, *parameter, *value;
} references[] = {
    {"four_bar", "1", "1e-3", NULL, NULL},
    {"four_bar_spatial_joints", "1", "1e-3", NULL, NULL},
    {"five_bar_pendulum_planar", "1", "1e-3", NULL, NULL},
    {"five_bar_pendulum_spatial", "1", "1e-3", NULL, NULL},
    {"spatial_slider_crank", "1", "1e-3", NULL, NULL},
    {"iltis_suspension", "1", "1e-3", NULL, NULL},
    {"two_rod_pendulum", "1", "1e-3", NULL, NULL},
    {"parallelogram", "1", "1e-3", NULL, NULL},
    {"parallelogram", "1", "1e-3", "about_end", "0.0985"},
    {"knife_edge", "1", "1e-3", NULL, NULL},
    {"four_bar_point_masses", "1", "1e-3", NULL, NULL},
    {"equal_slider_crank", "1", "1e-3", NULL, NULL},
    {"rolling_disk_incline", "1", "1e-3", "incline", "0"},
    {"rolling_disk_incline", "1", "1e-3", NULL, NULL},
    {"ship_mount", "1", "1e-3", NULL, NULL},
    {"andrews", "0.03", "2e-5", NULL, NULL},
    {"pendulum", "1", "1e-3", NULL, NULL},
    {"n_four_bar_2", "1", "1e-3", NULL, NULL},
    {"n_four_bar_40", "0.4", "1e-3", NULL, NULL},
    {"bricard", "1", "1e-3", NULL, NULL},
    {"flyball_governor", "0.2", "1e-3", NULL, NULL},
    {"heavy_top", "1", "1e-3", NULL, NULL},
    {"torque_free", "0.5", "1e-3", NULL, NULL},
    {"rolling_disk", "1", "1e-3", NULL, NULL},
};
enum { REFERENCES = sizeof references / sizeof *references };

// every example with an independent solution, adaptive and with fixed steps
static void test_references_are_honest(void) {
  tally all = {0};
  for (int i = 0; i < REFERENCES; i++) {
    // a governor with stiff dampers is asked for what the file asks for: steps that stability keeps
    // short are better than their tolerance says
    bool stiff = strcmp(references[i].model, "flyball_governor") == 0;
    trial x = {references[i].model,
               "default",
               "0",
               references[i].duration,
               "1e-7",
               "estimate",
               "auto",
               references[i].parameter,
               references[i].value,
               0};
    if (i % 2) x.rtol = "1e-5";
    if (stiff) x.rtol = "1e-6";
    judged truth;
    if (CHECK(truth_of(&truth, &x))) {
      try_out(&x, &truth, &all);
      x.method = "mass-projection", x.step = references[i].step;
      try_out(&x, &truth, &all);
    } else {
      judged_print(&truth);
    }
    judged_end(&truth);
  }
  printf("references: %d verified, %d not known; worst ratio %.2g, dearest %.0f %%\n", all.honest,
         all.unknown, all.ratio, 100 * all.dearest);
  CHECK(all.honest >= 2 * REFERENCES - 2);
}

// long runs of order 8: a companion a hundred times as coarse, which takes little more than half of
// the work. Of many rows within a step few are compared, and the errors of all are told
static void test_high_order(void) {
  static const char *const model[] = {"four_bar", "equal_slider_crank"};
  static const char *const rtol[] = {"1e-8", "1e-7", "1e-6"};
  tally all = {0};
  for (int i = 0; i < 2; i++) {
    trial x = {model[i], "default", "0", "8", NULL, "estimate", "auto", NULL, NULL, 0};
    for (int many = 0; many < 2; many++) {
      judged truth;
      x.rows = many ? MANY_ROWS : 0;
      if (CHECK(truth_of(&truth, &x)))
        for (int k = 0; k < 3; k++) {
          x.rtol = rtol[k];
          try_out(&x, &truth, &all);
        }
      judged_end(&truth);
    }
  }
  printf("order 8: %d verified; worst ratio %.2g, dearest %.0f %%\n", all.honest, all.ratio,
         100 * all.dearest);
  CHECK(all.honest == 12 && all.dearest < 0.7);
}

// every preset, by turns on several of them
static void test_presets_are_honest(void) {
  static const char *const turn[] = {"four_bar", "pendulum", "spatial_slider_crank",
                                     "two_rod_pendulum", "heavy_top"};
  tally sum = {0};
  int all = 0;
  judged truth[5];
  trial x = {.rtol = "1e-6", .duration = "0.5", .verify = "estimate"};
  for (int k = 0; k < 5; k++) {
    x.model = turn[k];
    if (!CHECK(truth_of(&truth[k], &x))) return;
  }
  const hn_method_info *m;
  for (int i = 0; (m = hn_method_at(i)); i++) {
    int before = sum.honest + sum.unknown;
    for (int k = 0; k < 5 && sum.honest + sum.unknown == before; k++) {
      x.model = turn[(i + k) % 5];
      x.method = m->name;
      const hn_integrator_type *type = hn_integrator_find(m->integrator);
      // steps of order 1 that meet a tolerance are too many for a test
      bool first = type && type->order < 2;
      x.step = type && type->adaptive && !first ? "0" : "1e-3";
      x.rtol = first ? "1e-2" : "1e-6";
      x.coordinates = strncmp(m->name, "energy-", 7) == 0 || strncmp(m->name, "discrete", 8) == 0
                          ? "natural"
                          : "auto";
      try_out(&x, &truth[(i + k) % 5], &sum);
    }
    all += sum.honest + sum.unknown > before;
    if (sum.honest + sum.unknown == before) printf("  %s runs none of these models\n", m->name);
  }
  for (int k = 0; k < 5; k++) judged_end(&truth[k]);
  printf("presets: %d of %d verified, %d not known; worst ratio %.2g, dearest %.0f %%\n",
         sum.honest, all, sum.unknown, sum.ratio, 100 * sum.dearest);
  CHECK(sum.unknown == 0);
}

// ---- what it costs -------------------------------------------------------------------------

// the models as they are: a companion takes about half the work of the run, whatever keeps its
// steps short
static void test_work_is_limited(void) {
  static const char *const models[] = {"andrews",
                                       "bricard",
                                       "door",
                                       "double_wishbone",
                                       "excavator_arm",
                                       "four_bar",
                                       "flyball_governor",
                                       "heavy_top",
                                       "iltis_suspension",
                                       "knife_edge",
                                       "n_four_bar_2",
                                       "planetary_gear",
                                       "pendulum",
                                       "rolling_disk",
                                       "stewart_platform",
                                       "watt_governor",
                                       "spatial_slider_crank"};
  double dearest = 0;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    char path[96];
    judged j;
    snprintf(path, sizeof path, "models/%s.yaml", models[i]);
    // a handful of steps costs nothing, and is held against a finer run
    if (!CHECK(judged_run(&j, path, NULL) && j.summary.motion.known &&
               j.summary.motion.share < (j.summary.steps < 100 ? 2 : 0.95))) {
      judged_print(&j);
      printf("  %s: %.3g (%s)\n", models[i], j.summary.motion.share, j.summary.motion.how);
    }
    dearest = fmax(dearest, j.summary.motion.share);
    judged_end(&j);
  }
  printf("dearest companion: %.0f %% of the work\n", 100 * dearest);
}

// a companion that ends before the run does: its error goes on as it grew. A wheel in thick oil
// keeps steps short, whatever the tolerance
static void test_part_of_a_run(void) {
  int partly = 0;
  for (int i = 0; i < 12; i++) {
    unsigned long long seed = test_seed;
    char text[900], rate[32];
    double w = test_random(100, 200), f = test_random(200, 600);
    snprintf(rate, sizeof rate, "%.17g", pow(10, test_random(-6, -4.5)));
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "simulation: {duration: 4, output_step: 0.1, integrator: dopri5, rtol: %s}\n"
             "bodies:\n  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
             "  wheel: {type: planar, mass: 1, inertia: 0.1}\n"
             "joints:\n  A: {type: revolute, b: a, at: [0, 0]}\n"
             "  B: {type: revolute, b: wheel, at: [0, 0]}\n"
             "forces:\n  m: {type: motor, joint: A, law: \"%.17g*sin(%.17g*t)\"}\n"
             "  n: {type: motor, joint: B, law: \"90*(sin(3*t) - rate)\"}\n",
             rate, f, w);
    judged j, truth;
    double worst[KINDS];
    const char *const fine[] = {"rtol", "1e-12", "verify", "off", NULL};
    if (CHECK(judged_run(&j, text, NULL) && judged_run(&truth, text, fine)) &&
        CHECK(j.summary.motion.known && differences(&j, &truth, worst))) {
      const hn_motion_error *e = &j.summary.motion;
      partly += strstr(e->how, "by its growth") && worst[POSITION] > 1e-8;
      if (!CHECK(e->position >= 0.1 * worst[POSITION] - 1e-9 &&
                 e->position <= 10 * worst[POSITION] + 1e-9))
        printf("  seed %llu: said %.2g, true %.2g (%s)\n", seed, e->position, worst[POSITION],
               e->how);
    }
    judged_end(&j), judged_end(&truth);
  }
  printf("companions that ended early: %d of 12\n", partly);
  CHECK(partly > 2);
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

// feedback of energy beside a driver, with steps that are too long for it: a motion that is far off
// does not pass
static void test_feedback_is_seen(void) {
  static const char file[] = "tests/findings/energy_feedback_with_driver.yaml";
  const char *const fine[] = {"rtol", "1e-12", "verify", "off", NULL};
  judged truth;
  int bad = 0;
  if (!CHECK(judged_run(&truth, file, fine))) return;
  for (int i = 0; i < 12; i++) {
    char step[32];
    double worst[KINDS];
    snprintf(step, sizeof step, "%.4g", pow(10, test_random(-3, -0.5)));
    const char *const set[] = {"method", "baumgarte-energy", "step", step, NULL};
    judged j;
    bool ran = judged_run(&j, file, set);
    const hn_motion_error *e = &j.summary.motion;
    if (ran && CHECK(differences(&j, &truth, worst))) {
      bool off = !(worst[ANGLE] < 0.1);
      bad += off;
      if (!CHECK(e->known && (!off || j.summary.verdict == HN_AUDIT_FAILED) &&
                 e->angle > 0.1 * fmin(worst[ANGLE], 1) - 1e-5))
        printf("  step %s: off by %.2g, said %.2g (%s)\n", step, worst[ANGLE], e->angle, e->how);
    }
    judged_end(&j);
  }
  printf("feedback with long steps: %d of 12 far off, all seen\n", bad);
  judged_end(&truth);
}

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
// a brake holds a load that is pulled at: rounding of places over a step is no speed, and no error
static void test_rest(void) {
  judged j;
  if (CHECK(judged_run(&j,
                       "gravity: [1, -9, 2]\n"
                       "bodies:\n"
                       "  pinion: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.3, 0.2, -0.4]}\n"
                       "  load: {mass: 8, inertia: [0.1, 0.1, 0.1], position: [0.5, 0.2, -0.4]}\n"
                       "joints:\n"
                       "  shaft: {type: revolute, b: pinion, axis: [0.3, -0.2, 0.7]}\n"
                       "  rail: {type: prismatic, b: load, axis: [0.2, 1, 0.2]}\n"
                       "  mesh: {type: rack-pinion, joint_a: rail, joint_b: shaft, radius: 0.2}\n"
                       "forces:\n"
                       "  brake: {type: friction, joint: shaft, law: coulomb, coulomb: 0.4, "
                       "radius: 0.05, press: 2000}\n"
                       "  pull: {type: motor, joint: rail, law: 30*sin(4*t)}\n"
                       "simulation: {duration: 1.5, method: index3-alpha}\n",
                       NULL))) {
    CHECK(j.summary.audit_pass && j.summary.motion.known);
    CHECK(j.summary.motion.spin < 1e-8);
    CHECK_NEAR(judged_last(&j, "shaft.angle"), 0, 1e-12);
  }
  judged_end(&j);
}

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

// What is damped away is right in the end, however wrong it was on the way: steps are held against
// a companion wherever the caller halts. Position and speed follow from exp(-d t)
static void test_verify_on_the_way(void) {
  static const char text[] =
      "bodies:\n  block: {type: planar, mass: 1, inertia: 1, position: [1, 0]}\n"
      "joints:\n  rail: {type: prismatic, b: block, axis: [1, 0], value: 1}\n"
      "forces:\n  spring: {type: spring, joint: rail, stiffness: 400, damping: 12, free: 0}\n";
  const char *const how[] = {"method", "baumgarte", "step", "0.01", "duration", "3", NULL};
  const double d = 6, w = sqrt(400 - 36), end = 3;
  for (int halts = 1; halts <= 300; halts += halts < 30 ? 29 : 270) {
    judged j;
    hn_motion_error e;
    double off[2] = {0, 0}, last[2] = {0, 0};
    if (!CHECK(judged_start(&j, text, how))) return;
    for (int i = 1; i <= halts; i++) {
      double t = end * i / halts, x = exp(-d * t) * (cos(w * t) + d / w * sin(w * t)), value, rate;
      double v = -exp(-d * t) * 400 / w * sin(w * t);
      CHECK(hn_advance(j.sim, t) == HN_OK);
      CHECK(!hn_joint_coordinate(j.sim, hn_find_joint(j.system, "rail"), NULL, &value, &rate));
      off[0] = fmax(off[0], last[0] = fabs(value - x));
      off[1] = fmax(off[1], last[1] = fabs(rate - v));
    }
    CHECK(hn_verify(j.sim, &e) == HN_OK && e.known);
    CHECK(e.position > 0.1 * off[0] && e.position < 10 * off[0]);
    CHECK(e.velocity > 0.1 * off[1] && e.velocity < 10 * off[1]);
    if (halts > 1) CHECK(off[0] > 1e3 * last[0] && off[1] > 1e3 * last[1]);
    judged_end(&j);
  }
}

// a run that goes on where joints have come or broken, and modes changed, is held against one that
// starts there with all of that; its rows against steps by the same values that controllers hold
static void test_goes_on(void) {
#define TWO_RODS                                                                                   \
  "gravity: [0, -9.81]\nbodies:\n"                                                                 \
  "  a: {type: planar, mass: 1, inertia: 0.1, com: [0.5, 0]}\n"                                    \
  "  b: {type: planar, mass: 1, inertia: 0.1, com: [0.5, 0], position: [1, 0]}\n"                  \
  "joints:\n  A: {type: revolute, b: a, at: [0, 0]}\n"                                             \
  "  B: {type: revolute, a: a, b: b, at: [1, 0]}\n"
  static const char *const text[] = {
      TWO_RODS "  lock: {type: lock, joint_a: B, catches: (t > 0.5)*(t < 0.6)}\n"
               "simulation: {duration: 1}\n",
      TWO_RODS "forces:\n  m: {type: motor, joint: B, law: 5*gear}\n"
               "controllers:\n"
               "  gear: {modes: ['low', high], transitions: {low -> high: A.angle < -0.3}}\n"
               "simulation: {duration: 1}\n",
      TWO_RODS "forces:\n  w: {type: torsion-spring, joint: A, stiffness: 5000, free: 0}\n"
               "  m: {type: motor, joint: A, law: u}\n"
               "controllers:\n  u: {period: 0.8, formula: \"if(t > 0.5, 3000, 0)\"}\n"
               "simulation: {duration: 2, output_step: 0.09, rtol: 1e-9}\n",
  };
  for (int k = 0; k < 3; k++) {
    judged j;
    for (bool ran = CHECK(judged_run(&j, text[k], NULL)); ran; ran = false) {
      if (!CHECK(j.summary.audit_pass)) judged_print(&j);
      hn_result_destroy(j.result);
      if (!CHECK(!hn_run(j.sim, &j.result, NULL, NULL))) break;
      hn_sim_summary(j.sim, &j.summary);
      if (!CHECK(j.summary.audit_pass)) judged_print(&j);
      CHECK(j.summary.motion.known == (k < 2));
    }
    judged_end(&j);
  }
}

// A spring that has been wound up by turns. A run that goes on from there is held against one that
// begins on the same turns, and so are rows that lie far apart; angle 20 sin(2 t)
static void test_goes_on_wound(void) {
  static const char *const coordinates[] = {"reference", "relative", "natural"};
  static const char *const arm[] = {"inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 40]",
                                    "type: planar, inertia: 0.1, angular_velocity: 40"};
  for (int k = 0; k < 6; k++) {
    const char *const how[] = {"coordinates", coordinates[k % 3], NULL};
    char text[400];
    snprintf(text, sizeof text,
             "bodies:\n  arm: {mass: 1, %s}\n"
             "joints:\n  hinge: {type: revolute, b: arm}\n"
             "forces:\n  wound: {type: motor, joint: hinge, law: -0.4*value}\n"
             "simulation: {duration: 0.6, output_step: 0.15}\n",
             arm[k / 3]);
    hn_motion_error e;
    judged j;
    bool ran = CHECK(judged_run(&j, text, how));
    for (int i = 1; ran && i <= 3; i++) {
      if (!CHECK(j.summary.audit_pass && j.summary.motion.known)) judged_print(&j);
      CHECK_NEAR(judged_last(&j, "hinge.angle"), 20 * sin(1.2 * i), 2e-4);
      hn_result_destroy(j.result), j.result = NULL;
      ran = CHECK(!hn_run(j.sim, &j.result, NULL, NULL));
      hn_sim_summary(j.sim, &j.summary);
    }
    // the state alone, set anew where it is; then where it halts on its way round
    const double *q = hn_positions(j.sim), *v = hn_velocities(j.sim);
    CHECK(ran && !hn_set_state(j.sim, hn_time(j.sim), q, v));
    for (int i = 0; ran && i < 10; i++) CHECK(!hn_advance(j.sim, 2.5 + 0.1 * i));
    if (!CHECK(!hn_verify(j.sim, &e) && e.known && e.angle < 1e-3 && e.spin < 1e-2))
      printf("  %s: %s: %g %g\n", coordinates[k % 3], e.how, e.angle, e.spin);
    judged_end(&j);
  }
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
  RUN(test_high_order);
  RUN(test_presets_are_honest);
  RUN(test_work_is_limited);
  RUN(test_part_of_a_run);
  RUN(test_repetitions_are_honest);
  RUN(test_coarse_runs_fail);
  RUN(test_feedback_is_seen);
  RUN(test_rotors);
  RUN(test_rest);
  RUN(test_rows_against_their_rates);
  RUN(test_verify_steps);
  RUN(test_verify_on_the_way);
  RUN(test_goes_on);
  RUN(test_goes_on_wound);
  RUN(test_options);
  return test_end();
}
