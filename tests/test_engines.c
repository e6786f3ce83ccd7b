// test_engines.c: engines of studies that carry many runs at once give the library's table: by
// lanes, and by the GPU's text on a processor in disguise.
#include "fake_cuda.h"
#include "test.h"

#include <holon/study.h>

static bool gpu_there;  // the processor in disguise

static const char spring[] =
    "parameters: {k: 100, damped: 1}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b: {type: planar, mass: 2, inertia: 0.2, position: [1, 0]}\n"
    "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n"
    "forces:\n"
    "  s: {type: spring, a: ground, b: b, at: [0, 1], at_b: [1, 0], stiffness: k, damping: 0.5,"
    " free: 0.3}\n"
    "  m: {type: motor, joint: j, law: 'damped*sin(3*t) - 0.1*rate'}\n";

static const char options[] =
    "options: {duration: 0.4, output_step: 0.02, step: 0.002, method: mass-projection, verify: "
    "'off'}\n";

static const char *example(const char *name) {
  int i = 0;
  while (strcmp(hn_example_name(i), name) != 0) i++;
  return hn_example_text(i);
}

static hn_study *read_study(const char *text, const char *model) {
  char all[3000], message[600] = "";
  hn_study *study = NULL;
  snprintf(all, sizeof all, "%s%s", text, strstr(text, "options:") ? "" : options);
  if (!CHECK(hn_study_parse(&study, all, strlen(all), "study", model, "model", message,
                            sizeof message) == HN_OK))
    printf("  %s\n", message);
  return study;
}

static hn_study_table *run(const hn_study *study, const char *engine, int jobs) {
  char message[600] = "";
  hn_study_table *table = NULL;
  const hn_study_options o = {.engine = engine, .jobs = jobs};
  if (!CHECK(hn_study_run(study, &o, &table, message, sizeof message) == HN_OK))
    printf("  %s: %s\n", engine, message);
  return table;
}

// tolerance 0: bit by bit
static void compare(const hn_study *study, const hn_study_table *a, const hn_study_table *b,
                    double tolerance) {
  int columns = hn_study_columns(study, NULL);
  if (!CHECK(a && b && hn_study_table_rows(a) == hn_study_table_rows(b))) return;
  for (long k = 0; k < hn_study_table_rows(a); k++) {
    hn_study_row x, y;
    CHECK(hn_study_table_row(a, k, &x) && hn_study_table_row(b, k, &y));
    CHECK(x.run == y.run && x.status == y.status && x.feasible == y.feasible);
    CHECK_STR(y.message, x.message);
    for (int c = 0; c < columns; c++) {
      if (isnan(x.values[c]))
        CHECK(isnan(y.values[c]));
      else
        CHECK_NEAR(y.values[c], x.values[c], tolerance * fmax(1, fabs(x.values[c])));
    }
  }
}

static void compare_engines(const char *text, const char *model) {
  hn_study *study = read_study(text, model);
  if (!study) return;
  hn_study_table *library = run(study, "library", 2), *lanes = run(study, "lanes", 1);
  hn_study_table *more = run(study, "lanes", 3), *gpu = gpu_there ? run(study, "gpu", 2) : NULL;
  compare(study, library, lanes, 1e-10);
  if (gpu_there) compare(study, library, gpu, 1e-10);
  compare(study, lanes, more, 0);
  hn_study_table_destroy(library), hn_study_table_destroy(lanes);
  hn_study_table_destroy(more), hn_study_table_destroy(gpu);
  hn_study_destroy(study);
}

static void parameters(void) {
  compare_engines("name: s\nmodel: model\ndesign: {type: latin-hypercube, runs: 30, seed: 3}\n"
                  "factors:\n"
                  "  crank: {uniform: [1.95, 2.05]}\n  base: {normal: [2.5, 0.01]}\n"
                  "  start: {uniform: [0.9, 1.1]}\n"
                  "  weight: {place: bodies.crank.mass, uniform: [0.9, 1.1]}\n"
                  "  spin: {place: gravity.0, uniform: [-0.1, 0.1]}\n"
                  "metrics:\n"
                  "  a: rms(crank.omega)\n  b: max(coupler.x) - min(coupler.y)\n"
                  "  c: final(A.angle)\n  d: integral(follower.vx)\n  e: at(energy.total, 0.13)\n"
                  "  f: crossing(crank.omega, -0.5)\nconstraints: {small: a <= 1}\n",
                  example("four_bar"));
}

// runs of another shape, and runs that cannot be, beside those that can
static void strangers(void) {
  compare_engines("name: s\nmodel: model\n"
                  "factors:\n"
                  "  damped: [1, 0, 2]\n  k: {grid: [80, 120, 3]}\n"
                  "  mass: {place: bodies.b.mass, list: [2, -1, 3]}\n"
                  "metrics: {a: max(b.x), b: mean(j.angle), c: final(energy.kinetic)}\n",
                  spring);
}

// the trajectory leaves what the audit allows: the library says so, not the engine
static void audits(void) {
  compare_engines("name: s\nmodel: model\nfactors: {k: [100, 90]}\n"
                  "options: {duration: 2, output_step: 0.1, step: 0.1, method: mass-projection, "
                  "verify: 'off', audit_energy: 1e-9}\n"
                  "metrics: {a: max(b.x)}\n",
                  spring);
}

static void refused(const char *text, const char *model, const char *why) {
  char message[600] = "";
  hn_study *study = read_study(text, model);
  hn_study_table *table = NULL;
  const hn_study_options o = {.engine = "lanes", .jobs = 1};
  CHECK(study && hn_study_run(study, &o, &table, message, sizeof message) == HN_ERR_UNSUPPORTED);
  if (!CHECK(strstr(message, why) && strstr(message, "engine 'lanes'"))) printf("  %s\n", message);
  hn_study_table_destroy(table);
  hn_study_destroy(study);
}

static void refusals(void) {
  const char *head = "name: s\nmodel: model\nfactors: {k: [100, 90]}\nmetrics: {a: max(b.x)}\n";
  char text[600];
  snprintf(text, sizeof text,
           "%soptions: {duration: 1, step: 0.01, output_step: 0.1, method: "
           "mass-projection}\n",
           head);
  refused(text, spring, "set the option 'verify' to off");
  snprintf(text, sizeof text,
           "%soptions: {duration: 1, output_step: 0.1, verify: 'off', method: explicit}\n", head);
  refused(text, spring, "the option 'step' must say which");
  snprintf(text, sizeof text,
           "%soptions: {duration: 1, output_step: 0.1, step: 0.03, verify: 'off', method: "
           "mass-projection}\n",
           head);
  refused(text, spring, "must be a multiple of 'step'");
  snprintf(text, sizeof text,
           "%soptions: {duration: 1, output_step: 0.1, step: 0.01, verify: "
           "'off', method: augmented-index3}\n",
           head);
  refused(text, spring, "rk4, dopri5 or dop853");
  refused("name: s\nmodel: model\nfactors: {k: [100, 90]}\nmetrics: {a: max(j.fx)}\n", spring,
          "no code can be written for the column 'j.fx'");
  refused("name: s\nmodel: model\nfactors: {k: [100, 90]}\nmetrics: {a: max(b.x)}\n"
          "stop: b.x < 0\n",
          spring, "stops runs on a condition");
}

// what strikes, holds or remembers is not for steps of one length; the library computes it
static void contacts_refused(void) {
  static const struct {
    const char *joints, *forces, *why;
  } cases[] = {
      {"limits: [-1, 1]", "", "limits, ropes, stops"},
      {"value: 0",
       "  c: {type: contact, b: b, at: [0, 0], at_b: [1, 1], radius: 0.1, axis: [0, 1, 0], "
       "stiffness: 1e5, law: hertz}\n",
       "contacts, which remember how fast they began, as 'c'"},
      {"value: 0", "  r: {type: friction, joint: j, law: coulomb, coulomb: 0.1, radius: 0.1}\n",
       "friction that depends on reactions"},
      {"value: 0", "  e: {type: bump-stop, joint: j, gap: 1, stiffness: 100}\n", "switch"},
  };
  static const char study[] =
      "name: s\nmodel: model\nfactors: {k: [100, 90]}\nmetrics: {a: max(b.x)}\n";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char model[900], text[900];
    snprintf(model, sizeof model,
             "parameters: {k: 100}\n"
             "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [1, 1]}}\n"
             "joints:\n"
             "  j: {type: revolute, b: b, at: [0, 1], %s}\n"
             "forces:\n"
             "  s: {type: torsion-spring, joint: j, stiffness: k}\n%s",
             cases[i].joints, cases[i].forces);
    snprintf(text, sizeof text, "%s%s", study, options);
    refused(text, model, cases[i].why);
    hn_study *s = read_study(study, model);
    hn_study_table *table = s ? run(s, "library", 1) : NULL;
    CHECK(table && hn_study_table_rows(table) == 2);
    hn_study_table_destroy(table);
    hn_study_destroy(s);
  }
}

int main(void) {
  char fake[400];
  setenv("HOLON_CFLAGS", "-O0 -ffp-contract=off", 1);  // what is tested are the numbers
  // started by hand somewhere else the rest is tested
  gpu_there = fake_cuda_begin(fake, sizeof fake, "libfake_engines.so");
  CHECK(gpu_there || !getenv("HN_SOURCE_DIR"));
  RUN(parameters);
  RUN(strangers);
  RUN(audits);
  RUN(refusals);
  RUN(contacts_refused);
  fake_cuda_end(fake);
  return test_end();
}
