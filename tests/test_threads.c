// test_threads.c: several threads ask one run, and run one system; reading leaves no trace.
//
// The thread sanitizer looks at the same program (scripts/test.sh threads).
#include "test.h"

#include <holon/holon.h>
#include <pthread.h>

typedef struct example {
  const char *model, *coordinates, *method;
} example;

static const example examples[] = {
    {"models/n_four_bar_40.yaml", "reference", "standard"},
    {"models/n_four_bar_40.yaml", "relative", "standard"},
    {"models/four_bar.yaml", "natural", "standard"},
    {"models/stewart_platform.yaml", "relative", "mass-projection"},  // friction: loads settle
    {"models/bricard.yaml", "reference", "standard"},                 // redundant: loads are shared
    {"models/four_bar.yaml", "reference", "index2-alpha"},            // multipliers of its own
};
enum { EXAMPLES = sizeof examples / sizeof *examples, THREADS = 4, MOST = 200 };

static hn_system *compile(const example *e, hn_options *options) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_status status = hn_model_load(m, e->model);
  hn_options *o = hn_model_options(m);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", e->coordinates);
  snprintf(o->method, sizeof o->method, "%s", e->method);
  o->step = 1e-3;
  if (!status) status = hn_compile(&sys, m);
  if (!CHECK(status == HN_OK)) printf("  %s\n", hn_model_error(m));
  *options = *o;
  hn_model_destroy(m);
  return sys;
}

static hn_sim *begin(const hn_system *sys, const hn_options *options) {
  char message[512];
  hn_sim *sim = NULL;
  if (!CHECK(hn_sim_create(&sim, sys, options, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  return sim;
}

// ---- one run, many readers -----------------------------------------------------------------

// everything that can be asked, as numbers
typedef struct answers {
  int failed;
  hn_pose pose[MOST];
  hn_reaction reaction[MOST];
  double angle[MOST], rate[MOST];
  hn_energy energy;
  double a, lambda, forward;
} answers;

static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; x && i < n; i++) s += x[i];
  return s;
}

static void ask(hn_sim *sim, const hn_system *sys, answers *o) {
  memset(o, 0, sizeof *o);
  int bodies = hn_system_body_count(sys), joints = hn_system_joint_count(sys);
  for (int i = 0; i < bodies && i < MOST; i++)
    o->failed += hn_body_pose(sim, (hn_body){i}, &o->pose[i]) != HN_OK;
  for (int i = 1; i <= joints && i < MOST; i++) {
    hn_joint joint = {i};
    if (hn_joint_coordinate_name(sys, joint, 0))
      o->failed += hn_joint_coordinate(sim, joint, NULL, &o->angle[i], &o->rate[i]) != HN_OK;
    o->failed += hn_joint_reaction(sim, joint, &o->reaction[i]) != HN_OK;
  }
  o->failed += hn_sim_energy(sim, &o->energy) != HN_OK;
  o->a = sum(hn_accelerations(sim), hn_system_nv(sys));
  o->lambda = sum(hn_multipliers(sim), hn_system_rows(sys));
  double *a = malloc(((size_t)hn_system_nv(sys) + 1) * sizeof(double));
  o->failed += hn_forward(sim, hn_time(sim), hn_positions(sim), hn_velocities(sim), a, NULL) != 0;
  o->forward = sum(a, hn_system_nv(sys));
  free(a);
}

typedef struct reader {
  pthread_t thread;
  hn_sim *sim;
  const hn_system *sys;
  const answers *expected;
  int different;
} reader;

static void *read_all(void *user) {
  reader *r = user;
  answers *mine = malloc(sizeof *mine);
  for (int i = 0; mine && i < (run_quickly() ? 3 : 20); i++) {
    ask(r->sim, r->sys, mine);
    r->different += memcmp(mine, r->expected, sizeof *mine) != 0;
  }
  free(mine);
  return NULL;
}

static void read_by_threads(hn_sim *sim, const hn_system *sys) {
  reader readers[THREADS];
  answers *expected = malloc(sizeof *expected);
  ask(sim, sys, expected);
  CHECK(expected->failed == 0);
  for (int i = 0; i < THREADS; i++) {
    readers[i] = (reader){.sim = sim, .sys = sys, .expected = expected};
    CHECK(pthread_create(&readers[i].thread, NULL, read_all, &readers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(readers[i].thread, NULL);
    CHECK(readers[i].different == 0);
  }
  free(expected);
}

static void one_run_is_read_by_many(void) {
  for (int e = 0; e < EXAMPLES; e++) {
    hn_options options;
    hn_system *sys = compile(&examples[e], &options);
    hn_sim *sim = sys ? begin(sys, &options) : NULL;
    for (int k = 0; sim && k < 3; k++) {
      read_by_threads(sim, sys);
      for (int i = 0; i < 5; i++) CHECK(hn_step(sim) == HN_OK);
    }
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
  }
}

// ---- one system, many runs -------------------------------------------------------------------

typedef struct runner {
  pthread_t thread;
  const hn_system *sys;
  hn_options options;
  hn_result *result;
  hn_status status;
} runner;

static void *run_all(void *user) {
  runner *r = user;
  char message[512];
  hn_sim *sim = NULL;
  r->status = hn_sim_create(&sim, r->sys, &r->options, message, sizeof message);
  if (!r->status) r->status = hn_run(sim, &r->result, NULL, NULL);
  hn_sim_destroy(sim);
  return NULL;
}

static int same(const hn_result *a, const hn_result *b) {
  int rows = hn_result_rows(a);
  size_t bytes = (size_t)hn_result_columns(a) * sizeof(double);
  if (rows != hn_result_rows(b)) return 0;
  for (int i = 0; i < rows; i++)
    if (memcmp(hn_result_row(a, i), hn_result_row(b, i), bytes) != 0) return 0;
  return 1;
}

static void one_system_serves_many(void) {
  for (int e = 0; e < EXAMPLES; e++) {
    runner alone = {0}, r[THREADS];
    hn_system *sys = compile(&examples[e], &alone.options);
    if (!sys) continue;
    alone.sys = sys;
    alone.options.duration = 0.02;
    alone.options.output_step = 0.005;
    run_all(&alone);
    CHECK(alone.status == HN_OK);
    for (int i = 0; i < THREADS; i++) {
      r[i] = (runner){.sys = sys, .options = alone.options};
      CHECK(pthread_create(&r[i].thread, NULL, run_all, &r[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
      pthread_join(r[i].thread, NULL);
      CHECK(r[i].status == HN_OK && same(alone.result, r[i].result));
      hn_result_destroy(r[i].result);
    }
    hn_result_destroy(alone.result);
    hn_system_destroy(sys);
  }
}

// ---- reading leaves no trace -----------------------------------------------------------------

typedef struct bytes {
  void *at;
  size_t length;
} bytes;

static bytes save(const hn_sim *sim) {
  bytes b = {NULL, 0};
  char message[512];
  CHECK(hn_sim_save(sim, &b.at, &b.length, message, sizeof message) == HN_OK);
  return b;
}

static int equal(bytes a, bytes b) {
  int ok = a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
  hn_free(a.at), hn_free(b.at);
  return ok;
}

// poses and joint coordinates are read beside the run, which is the same to the last bit; what
// needs forces is put back before the next step
static void reading_leaves_no_trace(void) {
  for (int e = 0; e < EXAMPLES; e++) {
    hn_options options;
    char message[512];
    hn_system *sys = compile(&examples[e], &options);
    hn_sim *sim = sys ? begin(sys, &options) : NULL, *copy = NULL;
    answers *unused = malloc(sizeof *unused);
    for (int i = 0; sim && i < 3; i++) CHECK(hn_step(sim) == HN_OK);
    if (sim) {
      bytes before = save(sim);
      hn_pose pose;
      double angle, rate;
      for (int i = 0; i < hn_system_body_count(sys); i++) hn_body_pose(sim, (hn_body){i}, &pose);
      for (int i = 1; i <= hn_system_joint_count(sys); i++)
        if (hn_joint_coordinate_name(sys, (hn_joint){i}, 0))
          CHECK(hn_joint_coordinate(sim, (hn_joint){i}, NULL, &angle, &rate) == HN_OK);
      CHECK(equal(before, save(sim)));
      CHECK(hn_sim_copy(&copy, sim, message, sizeof message) == HN_OK);
      for (int i = 0; copy && i < 5; i++) {
        ask(sim, sys, unused);
        CHECK(hn_step(sim) == HN_OK && hn_step(copy) == HN_OK);
        size_t n = (size_t)(hn_system_nq(sys) + hn_system_nv(sys)) * sizeof(double);
        CHECK(memcmp(hn_positions(sim), hn_positions(copy), n) == 0);
      }
    }
    free(unused);
    hn_sim_destroy(copy);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
  }
}

// what was asked before a state, an input or time changed is not answered again
static void answers_follow_the_run(void) {
  static const char text[] = "signals: {pull: {input: 1}}\n"
                             "bodies: {cart: {type: planar, mass: 2, inertia: 1}}\n"
                             "joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}}\n"
                             "forces: {push: {type: force, b: cart, force: [\"6*pull\", 0]}}\n";
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  if (!CHECK(hn_model_parse(m, text, strlen(text), "text") == HN_OK && !hn_compile(&sys, m)))
    printf("  %s\n", hn_model_error(m));
  hn_sim *sim = sys ? begin(sys, hn_model_options(m)) : NULL;
  if (sim) {
    double x, rate, q[3], v[3];
    int nq = hn_system_nq(sys), nv = hn_system_nv(sys);
    hn_pose pose;
    CHECK_NEAR(hn_accelerations(sim)[0], 3, 1e-12);
    CHECK(hn_input_set(sim, 0, -2) == HN_OK);
    CHECK_NEAR(hn_accelerations(sim)[0], -6, 1e-12);
    CHECK(hn_joint_coordinate(sim, (hn_joint){1}, NULL, &x, NULL) == HN_OK);
    CHECK_NEAR(x, 0, 1e-15);
    CHECK(hn_joint_coordinate(sim, (hn_joint){1}, NULL, &x, &rate) == HN_OK);
    CHECK_NEAR(rate, 0, 1e-15);
    memcpy(q, hn_positions(sim), (size_t)nq * sizeof(double));
    memcpy(v, hn_velocities(sim), (size_t)nv * sizeof(double));
    q[0] = 0.25, v[0] = 4;
    CHECK(hn_set_state(sim, 1, q, v) == HN_OK);
    CHECK(hn_joint_coordinate(sim, (hn_joint){1}, NULL, &x, &rate) == HN_OK);
    CHECK_NEAR(x, 0.25, 1e-12);
    CHECK_NEAR(rate, 4, 1e-12);
    CHECK(hn_body_pose(sim, (hn_body){1}, &pose) == HN_OK);
    CHECK_NEAR(pose.position[0], 0.25, 1e-12);
    // x = 1/4 + 4 s - 3 s^2
    CHECK(hn_advance(sim, 1.5) == HN_OK);
    CHECK(hn_body_pose(sim, (hn_body){1}, &pose) == HN_OK);
    CHECK_NEAR(pose.position[0], 1.5, 1e-9);
    CHECK(hn_joint_coordinate(sim, (hn_joint){1}, NULL, &x, &rate) == HN_OK);
    CHECK_NEAR(x, 1.5, 1e-9);
    CHECK_NEAR(rate, 1, 1e-9);
  }
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

int main(void) {
  RUN(one_run_is_read_by_many);
  RUN(one_system_serves_many);
  RUN(reading_leaves_no_trace);
  RUN(answers_follow_the_run);
  return test_end();
}
