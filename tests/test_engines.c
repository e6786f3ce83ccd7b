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

// what is computed without fused products has the same bits in lanes and on a GPU; numbers of 32
// bits have seven digits of it
static void numbers(void) {
  hn_study *study = read_study(
      "name: s\nmodel: model\ndesign: {type: sobol, runs: 20}\n"
      "factors: {crank: {uniform: [1.95, 2.05]}, start: {uniform: [0.9, 1.1]}}\n"
      "options: {duration: 0.5, step: 0.01, output_step: 0.1, method: mass-projection,"
      " coordinates: relative, verify: 'off', audit_position: 1e-2, audit_velocity: 1e-1,"
      " audit_energy: 1e-2}\n"
      "metrics: {a: rms(crank.omega), b: max(coupler.x), c: final(energy.kinetic)}\n",
      example("four_bar"));
  if (!study) return;
  hn_study_table *lanes = run(study, "lanes", 1), *exact = run(study, "lanes-exact", 2);
  compare(study, lanes, exact, 1e-11);
  if (gpu_there) {
    hn_study_table *gpu = run(study, "gpu-exact", 2);
    compare(study, exact, gpu, 0);
    setenv("FAKE_CUDA_SINGLE", "1", 1);
    hn_study_table *single = run(study, "gpu-single", 1);
    unsetenv("FAKE_CUDA_SINGLE");
    compare(study, exact, single, 2e-5);
    hn_study_row x, y;
    CHECK(hn_study_table_row(exact, 3, &x) && hn_study_table_row(single, 3, &y));
    int columns = hn_study_columns(study, NULL);
    // and no more than seven: it is not the library that has computed them
    CHECK(memcmp(x.values, y.values, (size_t)columns * sizeof(double)) != 0);
    hn_study_table_destroy(gpu), hn_study_table_destroy(single);
  }
  hn_study_table_destroy(lanes), hn_study_table_destroy(exact);
  hn_study_destroy(study);
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

// rows that are the same bit by bit
static int same_rows(const hn_study *study, const hn_study_table *a, const hn_study_table *b) {
  int columns = hn_study_columns(study, NULL), same = 0;
  for (long k = 0; a && b && k < hn_study_table_rows(a); k++) {
    hn_study_row x, y;
    hn_study_table_row(a, k, &x), hn_study_table_row(b, k, &y);
    same += memcmp(x.values, y.values, (size_t)columns * sizeof *x.values) == 0;
  }
  return same;
}

// a pendulum that swings from 17 to 86 degrees, with what it may meet on the way
static const char swing[] = "parameters: {push: 1, k: 5000}\n"
                            "gravity: [0, -9.81]\n"
                            "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [0, -1],"
                            " angular_velocity: push, velocity: [push, 0]}}\n"
                            "joints:\n"
                            "  j: {type: revolute, b: b, at: [0, 0]%s}\n"
                            "%s"
                            "forces:\n"
                            "  s: {type: torsion-spring, joint: j, stiffness: 1, damping: 0.2}\n%s";

// Whoever strikes or switches leaves the others and comes out as by the library, bit by bit; the
// others are carried, and agree with it up to round-off. Of 24 members `least` to `most` are
// carried
static void leaves(const char *study, const char *model, int least, int most) {
  hn_study *s = read_study(study, model);
  if (!s) return;
  hn_study_table *library = run(s, "library", 1), *lanes = run(s, "lanes", 1);
  hn_study_table *gpu = gpu_there ? run(s, "gpu", 1) : NULL;
  compare(s, library, lanes, 1e-10);
  int carried = 24 - same_rows(s, library, lanes);
  if (!CHECK(carried <= most && carried >= least)) printf("  %d carried: %s\n", carried, model);
  if (gpu_there) compare(s, library, gpu, 1e-10);
  hn_study_table_destroy(library), hn_study_table_destroy(lanes), hn_study_table_destroy(gpu);
  hn_study_destroy(s);
}

static void those_who_strike(void) {
  static const struct {
    const char *at_joint, *joints, *forces;
  } cases[] = {
      // rigid: a limit, a rope, a stop, a ball before a box
      {", limits: [-1, 40 deg]", "", ""},
      {"", "  r: {type: rope, a: ground, b: b, at: [-1, -1], at_b: [0, -1], length: 1.6}\n", ""},
      {"",
       "  w: {type: stop, a: ground, b: b, at: [0.8, 0], at_b: [0, -1], axis: [-1, 0, 0],"
       " radius: 0.1}\n",
       ""},
      {"",
       "  c: {type: contact, a: ground, b: b, at: [1.2, -1], at_b: [0, -1], surface: box,"
       " size: [0.8, 0.8, 0], radius: 0.1, restitution: 0.5}\n",
       ""},
      // what yields: a bump stop, contacts with and without memory, on planes and round surfaces
      {"", "", "  e: {type: bump-stop, joint: j, gap: 40 deg, stiffness: k, damping: 3}\n"},
      {"", "",
       "  c: {type: contact, a: ground, b: b, at: [0.8, 0], at_b: [0, -1], radius: 0.1,"
       " axis: [-1, 0, 0], stiffness: k}\n"},
      {"", "",
       "  c: {type: contact, a: ground, b: b, at: [1, -0.8], at_b: [0, -1], radius: 0.1,"
       " surface: cylinder, radius_a: 0.3, stiffness: k, law: flores, restitution: 0.7,"
       " coulomb: 0.2}\n"},
      // decisions of formulas, corners of tables
      {"", "", "  m: {type: motor, joint: j, law: 'if(angle > 0.7, -k/1000, 0)'}\n"},
      {"", "", "  u: {type: torsion-spring, joint: j, table: [[-2, -2], [0.7, 0.7], [2, 5]]}\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char model[1500];
    snprintf(model, sizeof model, swing, cases[i].at_joint, cases[i].joints, cases[i].forces);
    leaves("name: s\nmodel: model\ndesign: {type: list}\n"
           "factors: {push: {grid: [0.8, 3.6, 24]}, k: {grid: [4000, 6000, 24]}}\n"
           "options: {duration: 0.8, output_step: 0.02, step: 0.002, method: mass-projection,"
           " verify: 'off'}\n"
           "metrics: {a: max(b.x), b: rms(j.angle), c: integral(b.vy),"
           " d: 'at(energy.total, 0.77)'}\n",
           model, 8, 16);
  }
}

// The limit is met and left again within a step: its rates in the ends tell. In a hollow with
// friction contacts last from the start on, and remember how they began
static void on_the_way(void) {
  char model[1500];
  snprintf(model, sizeof model, swing, ", limits: [-1, 0.7]", "", "");
  leaves("name: s\nmodel: model\ndesign: {type: list}\n"
         "factors: {push: {grid: [2.2, 2.3, 24]}, k: {grid: [4000, 6000, 24]}}\n"
         "options: {duration: 0.96, output_step: 0.12, step: 0.12, method: mass-projection,"
         " verify: 'off', coordinates: relative, audit_energy: 1e-2}\n"
         "metrics: {b: rms(j.angle), c: integral(b.vy)}\n",
         model, 4, 20);
  snprintf(model, sizeof model, swing, "", "",
           "  c: {type: contact, a: ground, b: b, at: [-0.2, 0.1], at_b: [0, -1], radius: 0.1,"
           " surface: sphere, radius_a: 1.21, inside: true, stiffness: k, law: hunt-crossley,"
           " restitution: 0.7, coulomb: 0.2}\n");
  leaves("name: s\nmodel: model\ndesign: {type: list}\n"
         "factors: {push: {grid: [0.3, 3, 24]}, k: {grid: [4000, 6000, 24]}}\n"
         "options: {duration: 0.4, output_step: 0.02, step: 0.002, method: mass-projection,"
         " verify: 'off'}\n"
         "metrics: {b: rms(j.angle), c: integral(b.vy), d: final(energy.total)}\n",
         model, 4, 20);
}

// what holds, or has no formula to be looked at, is not for members; the library computes it
static void contacts_refused(void) {
  static const struct {
    const char *joints, *forces, *why;
  } cases[] = {
      {"", "  r: {type: friction, joint: j, law: coulomb, coulomb: 0.1, radius: 0.1}\n",
       "friction that depends on reactions"},
      {"  w: {type: fixed, b: b, at: [0, 0], active: 't > 1'}\n", "",
       "joints that come and go, as 'w'"},
      {"  r: {type: limit, joint_a: j, lower: -1, ratchet: 0.5}\n", "", "the ratchet 'r.gap'"},
      {"  c: {type: contact, b: b, at: [1, -3], at_b: [0, -1], surface: curve, radius: 0.1,"
       " points: [-1, 0, 0, 0.5, 1, 0]}\n",
       "", "the gap 'c.gap'"},
      {"",
       "  c: {type: contact, b: b, at: [1, -3], at_b: [0, -1], surface: curve, radius: 0.1,"
       " stiffness: 1000, points: [-1, 0, 0, 0.5, 1, 0]}\n",
       "distances from a 'curve'"},
  };
  static const char study[] =
      "name: s\nmodel: model\nfactors: {push: [1, 1.1]}\nmetrics: {a: max(b.x)}\n";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char model[1500], text[900];
    snprintf(model, sizeof model, swing, "", cases[i].joints, cases[i].forces);
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
  RUN(numbers);
  RUN(strangers);
  RUN(audits);
  RUN(refusals);
  RUN(those_who_strike);
  RUN(on_the_way);
  RUN(contacts_refused);
  fake_cuda_end(fake);
  return test_end();
}
