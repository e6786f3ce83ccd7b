// test_search.c: optimising and fitting.
//
// References: functions whose least value is known; measurements made from the closed form of a
// damped oscillator, with noise of known size.
#include "study/random.h"
#include "test.h"

#include <holon/study.h>
#include <unistd.h>

static const char pendulum[] =
    "parameters: {a: 0, b: 0, c: 0}\n"
    "simulation: {duration: 0.01, verify: off}\n"
    "ground: {frames: {O: [0, 0]}}\n"
    "bodies:\n"
    "  rod: {type: planar, mass: 1, shape: {rod: {length: 1}}, position: [0.5, 0],\n"
    "        frames: {O: [-0.5, 0]}}\n"
    "joints: {O: {type: revolute, a: ground.O, b: rod.O}}\n";

static hn_study *study_of(const char *text, const char *model, const char *name) {
  char message[512] = "";
  hn_study *study = NULL;
  if (hn_study_parse(&study, text, strlen(text), name, model, "model", message, sizeof message))
    printf("%s\n", message);
  CHECK(study != NULL);
  return study;
}

// ---- optimising ------------------------------------------------------------------------------

static hn_optimum *optimise(const hn_study *s, const hn_study_options *options) {
  char message[512] = "";
  hn_optimum *o = NULL;
  hn_status status = hn_study_optimise(s, options, &o, message, sizeof message);
  CHECK(status == HN_OK || status == HN_ERR_INTERRUPTED);
  if (status && status != HN_ERR_INTERRUPTED) printf("%s\n", message);
  CHECK(o != NULL);
  return o;
}

// Rosenbrock's valley, a seed after another; the best is at (1, 1)
static void test_valley(void) {
  for (int seed = 1; seed <= (run_quickly() ? 1 : 2); seed++) {
    char text[512];
    snprintf(text, sizeof text,
             "factors: {a: {uniform: [-2, 2]}, b: {uniform: [-1, 3]}}\n"
             "metrics: {f: \"100*(b - a^2)^2 + (1 - a)^2 + 0*max(t)\"}\n"
             "optimise: {minimise: f, evaluations: 2000, tolerance: 1e-6, seed: %d}\n",
             seed);
    hn_study *s = study_of(text, pendulum, "study");
    hn_optimum *o = s ? optimise(s, NULL) : NULL;
    if (o) {
      if (!CHECK(o->converged && o->feasible)) printf("seed %d\n", seed);
      CHECK_NEAR(o->values[0], 1, 1e-5);
      CHECK_NEAR(o->values[1], 1, 1e-5);
    }
    hn_optimum_destroy(o);
    hn_study_destroy(s);
  }
}

// on the line a + b <= 1 the best is where 100 (1 - a - a^2)^2 + (1 - a)^2 is least:
// scipy.optimize.minimize_scalar; at the end of a range it is the end
static void test_constraints(void) {
  hn_study *s = study_of("factors: {a: {uniform: [-2, 2]}, b: {uniform: [-1, 3]}}\n"
                         "metrics: {f: \"100*(b - a^2)^2 + (1 - a)^2 + 0*max(t)\"}\n"
                         "constraints: {line: a + b <= 1}\n"
                         "optimise: {minimise: f, evaluations: 3000, tolerance: 1e-7, seed: 2}\n",
                         pendulum, "study");
  hn_optimum *o = s ? optimise(s, NULL) : NULL;
  if (o) {
    CHECK(o->feasible);
    CHECK_NEAR(o->values[0], 0.61879562, 1e-4);
    CHECK_NEAR(o->values[2], 0.14560701, 1e-5);
  }
  hn_optimum_destroy(o);
  hn_study_destroy(s);
  s = study_of("factors: {a: {log: [0.01, 100]}, b: {uniform: [0, 1]}}\n"
               "metrics: {f: log(a)^2 - b + 0*max(t)}\n"
               "optimise: {maximise: f, evaluations: 1200, tolerance: 1e-5, seed: 3}\n",
               pendulum, "study");
  o = s ? optimise(s, NULL) : NULL;
  if (o) {
    CHECK(fabs(fabs(log(o->values[0])) - log(100)) < 1e-4);
    CHECK_NEAR(o->values[1], 0, 1e-4);
  }
  hn_optimum_destroy(o);
  hn_study_destroy(s);
}

// ends after some generations
static bool end_soon(void *user, const hn_study_progress *p) {
  (void)p;
  return --*(int *)user > 0;
}

// stopped and resumed, with other numbers of threads, it finds the same by the same way
static void test_resumed(void) {
  char store[512];
  hn_study *s = study_of("factors: {a: {uniform: [-2, 2]}, b: {uniform: [-1, 3]}}\n"
                         "metrics: {f: \"(b - a^2)^2 + (1 - a)^2 + 0*max(t)\"}\n"
                         "optimise: {minimise: f, evaluations: 240, seed: 4}\n",
                         pendulum, "study");
  if (!s) return;
  test_scratch(store, sizeof store, "search.db");
  unlink(store);
  hn_optimum *whole = optimise(s, NULL);
  int left = 7;
  hn_study_options o = {.jobs = 3, .store = store, .progress = end_soon, .user = &left};
  char message[512];
  hn_optimum *part = NULL;
  hn_status status = hn_study_optimise(s, &o, &part, message, sizeof message);
  // without SQLite there is nothing to resume
  if (status != HN_ERR_UNSUPPORTED) {
    CHECK(status == HN_ERR_INTERRUPTED && part && part->generations == 7);
    hn_optimum_destroy(part);
    o = (hn_study_options){.jobs = 1, .store = store, .resume = true};
    part = optimise(s, &o);
    if (part && whole) {
      CHECK(part->run == whole->run && part->evaluations == whole->evaluations);
      CHECK(memcmp(part->values, whole->values, 3 * sizeof(double)) == 0);
    }
    hn_optimum_destroy(part);
    unlink(store);
  }
  hn_optimum_destroy(whole);
  hn_study_destroy(s);
}

// ---- fitting ---------------------------------------------------------------------------------

static const char oscillator[] =
    "parameters: {k: 40, d: 0.5, x: 0.3}\n"
    "simulation: {duration: 3, output_step: 0.02, rtol: 1e-9, verify: off}\n"
    "bodies: {block: {type: planar, mass: 1, inertia: 1, position: [2 + x, 0]}}\n"
    "joints: {slide: {type: prismatic, b: block, axis: [1, 0, 0]}}\n"
    "forces: {spring: {type: spring, b: block, at: [0, 0], at_b: [2 + x, 0], stiffness: k,\n"
    "                  damping: d, free: 2}}\n";

static double damped(double t, double k, double d, double x) {
  double decay = d / 2, w = sqrt(k - decay * decay);
  return 2 + x * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
}

static const double truth[3] = {40, 0.5, 0.3}, sigma = 0.004;

static void measure(const char *path, int seed) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  if (!file) return;
  fputs("time [s],place [m]\n", file);
  for (int i = 0; i < 150; i++) {
    double t = i * 0.0199;
    double noise =
        hn_normal_quantile(hn_random_open((uint64_t)seed, (uint64_t)i, 0, HN_DRAW_NOISE));
    fprintf(file, "%.17g,%.17g\n", t, damped(t, truth[0], truth[1], truth[2]) + sigma * noise);
  }
  fclose(file);
}

// covariance from the closed form: sigma^2 (J^T J)^-1
static void closed_errors(double error[3]) {
  double A[9] = {0}, inverse[9];
  for (int i = 0; i < 150; i++) {
    double g[3];
    for (int j = 0; j < 3; j++) {
      double p[3] = {truth[0], truth[1], truth[2]}, h = 1e-5 * truth[j], f[2];
      for (int side = 0; side < 2; side++) {
        p[j] = truth[j] + (side ? h : -h);
        f[side] = damped(i * 0.0199, p[0], p[1], p[2]);
      }
      g[j] = (f[1] - f[0]) / (2 * h);
    }
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) A[3 * j + k] += g[j] * g[k];
  }
  double det = A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
               A[2] * (A[3] * A[7] - A[4] * A[6]);
  inverse[0] = (A[4] * A[8] - A[5] * A[7]) / det;
  inverse[4] = (A[0] * A[8] - A[2] * A[6]) / det;
  inverse[8] = (A[0] * A[4] - A[1] * A[3]) / det;
  for (int j = 0; j < 3; j++) error[j] = sigma * sqrt(inverse[4 * j]);
}

// errors are as large as they are said to be: of 3 x seeds estimates those within two standard
// deviations are 95 %
static void test_fit(void) {
  int seeds = run_quickly() ? 2 : 8, within = 0;
  double expected[3];
  closed_errors(expected);
  for (int seed = 1; seed <= seeds; seed++) {
    char path[512], text[1024], message[512] = "";
    test_scratch(path, sizeof path, "measured.csv");
    measure(path, seed);
    bool weighted = seed % 2, exact = seed % 4 < 2;
    snprintf(text, sizeof text,
             "factors:\n"
             "  k: {log: [10, 100]}\n"
             "  d: {uniform: [0, 2]}\n"
             "  x: {uniform: [0.1, 0.6]}\n"
             "fit:\n"
             "  data:\n"
             "    - {file: %s, columns: {block.x: place}%s}\n%s",
             path, weighted ? ", sigma: 0.004" : "",
             exact ? "  derivatives: exact\n"
                     "options: {method: mass-projection, integrator: rk4, step: 0.005}\n"
                   : "");
    hn_study *s = study_of(text, oscillator, "study");
    hn_fitted *f = NULL;
    if (!s || !CHECK(hn_study_fit(s, NULL, &f, message, sizeof message) == HN_OK)) {
      printf("%s\n", message);
      hn_study_destroy(s);
      continue;
    }
    CHECK(f->converged && f->points == 150 && f->factors == 3);
    CHECK_REL(f->variance, weighted ? 1 : sigma * sigma, 0, 0.4);
    for (int j = 0; j < 3; j++) {
      double off = fabs(f->value[j] - truth[j]) / f->error[j];
      if (!CHECK(off < 3.5)) printf("seed %d, factor %d: off by %.2f deviations\n", seed, j, off);
      CHECK_REL(f->error[j], expected[j], 0, weighted ? 0.03 : 0.25);
      within += off < 2;
    }
    CHECK(hn_result_rows(f->residuals) == 150 &&
          hn_result_find(f->residuals, "block.x.model") == 2);
    hn_fitted_destroy(f);
    hn_study_destroy(s);
    unlink(path);
  }
  CHECK(within >= 0.85 * 3 * seeds);
}

// a factor without effect, and two that do the same, are told by name
static void test_undetermined(void) {
  char path[512], text[1024], message[512] = "";
  test_scratch(path, sizeof path, "measured.csv");
  measure(path, 1);
  snprintf(text, sizeof text,
           "factors:\n"
           "  k: {uniform: [10, 100]}\n"
           "  y: {place: bodies.block.position.1, uniform: [-1, 1]}\n"
           "fit: {data: [{file: %s, columns: {block.x: place}}]}\n",
           path);
  hn_study *s = study_of(text, oscillator, "study");
  hn_fitted *f = NULL;
  if (s) {
    CHECK(hn_study_fit(s, NULL, &f, message, sizeof message) == HN_ERR_SINGULAR);
    if (!CHECK(strstr(message, "factor 'y' changes nothing") != NULL)) printf("%s\n", message);
  }
  hn_fitted_destroy(f);
  hn_study_destroy(s);
  // stiffness and mass act by their ratio, once damping is none
  snprintf(text, sizeof text,
           "factors:\n"
           "  k: {uniform: [20, 60]}\n"
           "  m: {place: bodies.block.mass, uniform: [0.5, 1.5]}\n"
           "parameters: {d: 0}\n"
           "fit: {data: [{file: %s, columns: {block.x: place}}]}\n",
           path);
  s = study_of(text, oscillator, "study");
  f = NULL;
  if (s) {
    CHECK(hn_study_fit(s, NULL, &f, message, sizeof message) == HN_ERR_SINGULAR);
    CHECK(strstr(message, "do not tell factor") != NULL);
  }
  hn_fitted_destroy(f);
  hn_study_destroy(s);
  unlink(path);
}

int main(void) {
  RUN(test_valley);
  RUN(test_constraints);
  RUN(test_resumed);
  RUN(test_fit);
  RUN(test_undetermined);
  return test_end();
}
