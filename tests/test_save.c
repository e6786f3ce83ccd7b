// test_save.c: runs that are saved in the middle and go on in another process, or as a copy, do so
// bit by bit; what is no saved run of this system is refused.
#include "test.h"

#include <holon/holon.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- models --------------------------------------------------------------------------------

// a pendulum that swings against a one-sided spring, with dry friction in its bearing
static const char stop[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: planar, mass: 2, inertia: 0.1, com: [0.5, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, a: ground, b: rod, at: [0, 0]}\n"
    "forces:\n"
    "  dry: {type: friction, joint: hinge, coordinate: angle, coulomb: 0.2,\n"
    "        radius: 0.05, speed: 0.01}\n"
    "  stop: {type: torque, b: rod,\n"
    "         torque: \"if(hinge.angle < -0.05, 800*(-0.05-hinge.angle), 0)\"}\n";

// a box with three feet bounces on a plane, a mass hangs from it by a rope, a wheel by a ratchet
static const char bounces[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  box: {type: planar, mass: 2, inertia: 0.1, position: [0, 0.011], angle: 0.01}\n"
    "  mass: {type: planar-point, mass: 1, position: [0.1, 0.01]}\n"
    "  wheel: {type: planar, mass: 1, inertia: 1, position: [2, 0]}\n"
    "joints:\n"
    "  left: {type: stop, b: box, at: [0, 0], at_b: [-0.3, 0.01], axis: [0, 1, 0],\n"
    "         restitution: 0.6}\n"
    "  right: {type: stop, b: box, at: [0, 0], at_b: [0.3, 0.01], axis: [0, 1, 0]}\n"
    "  middle: {type: stop, b: box, at: [0, 0], at_b: [0, 0.01], axis: [0, 1, 0]}\n"
    "  rope: {type: rope, a: box, b: mass, at: [0, 0.01], at_b: [0.1, 0.01], length: 0.101}\n"
    "  hinge: {type: revolute, b: wheel, at: [2, 0], rate: 2, limits: [-1, 1]}\n"
    "  pawl: {type: limit, joint_a: hinge, lower: 0, ratchet: 0.01}\n";

typedef struct example {
  const char *name, *coordinates;  // file, or text where it holds lines
  double step;
} example;

static const example examples[] = {
    {"models/four_bar.yaml", "reference", 1e-3},
    {"models/four_bar.yaml", "relative", 1e-3},
    {"models/four_bar.yaml", "natural", 1e-3},
    {stop, "reference", 2e-3},     // events, friction
    {bounces, "reference", 2e-3},  // impacts
    {bounces, "relative", 2e-3},
    {"models/bricard.yaml", "reference", 2e-3},  // redundant, in space
    {"models/bricard.yaml", "natural", 2e-3},    // redundant, in space
    {"tests/findings/friction_shared_bearings.yaml", "reference", 2e-3},
    {"models/stewart_platform.yaml", "relative", 1e-3},         // loops, friction
    {"models/equations_slider_crank.yaml", "reference", 1e-3},  // inertia that depends on the state
    {"models/knife_edge.yaml", "reference", 2e-3},              // nonholonomic
    {"models/heavy_top.yaml", "reference", 1e-3},               // quaternions
    {"models/parallelogram.yaml", "reference", 2e-3},           // singular configurations
};
enum { EXAMPLES = sizeof examples / sizeof *examples, MIDDLE = 11, END = 23, METHODS = 256 };

static hn_system *compile(const example *e, hn_options *options) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_status status = strchr(e->name, '\n') ? hn_model_parse(m, e->name, strlen(e->name), "test")
                                           : hn_model_load(m, e->name);
  hn_options *o = hn_model_options(m);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", e->coordinates);
  o->step = e->step;
  if (!status) status = hn_compile(&sys, m);
  if (status) printf("  %s\n", hn_model_error(m));
  *options = *o;
  hn_model_destroy(m);
  return sys;
}

static hn_sim *start(const hn_system *sys, const hn_options *options, const char *method) {
  char message[512];
  hn_options o = *options;
  hn_sim *sim = NULL;
  snprintf(o.method, sizeof o.method, "%s", method);
  (void)hn_sim_create(&sim, sys, &o, message, sizeof message);
  return sim;
}

// on by calls that no step ends at by itself; methods that lose their way on a model stop, and have
// to stop alike
static hn_status go(hn_sim *sim, const example *e, int from, int to) {
  for (int i = from; i < to; i++) {
    hn_status status = hn_advance(sim, (i + 1) * e->step * 1.37);
    if (status) return status;
  }
  return HN_OK;
}

// ---- bytes ---------------------------------------------------------------------------------

typedef struct bytes {
  void *at;
  size_t length;
} bytes;

static bytes save(const hn_sim *sim) {
  bytes b;
  char message[512];
  if (!CHECK(hn_sim_save(sim, &b.at, &b.length, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  return b;
}

static bool same(const bytes *a, const bytes *b) {
  return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

static bytes load(const char *path) {
  bytes b = {malloc(1 << 24), 0};
  FILE *file = fopen(path, "rb");
  if (file) b.length = fread(b.at, 1, 1 << 24, file), fclose(file);
  return b;
}

static void scratch(char path[300], int e, int m, const char *what) {
  char name[64];
  snprintf(name, sizeof name, "test_save.%d.%d.%s", e, m, what);
  test_scratch(path, 300, name);
}

static void put(const bytes *b, int e, int m, const char *what) {
  char path[300], message[512];
  scratch(path, e, m, what);
  CHECK(hn_file_write(path, b->at, b->length, message, sizeof message) == HN_OK);
}

// what a run says of itself, with all digits
static bytes words(hn_sim *sim) {
  hn_summary s;
  hn_sim_summary(sim, &s);
  bytes b = {calloc(1, 8192), 0};
  int n = snprintf(
      b.at, 8192, "%s %s %s %s %s %s %a %ld %ld %ld %ld %ld %ld %ld %ld %s %s %a %d %s", s.method,
      s.solver, s.correction, s.integrator, s.coordinates, s.choice ? s.choice : "-", s.time,
      s.steps, s.rejected, s.evaluations, s.factorisations, s.regularised, s.singular, s.events,
      s.switches, s.reactions, s.tables, s.energy_drift, (int)s.verdict, hn_sim_error(sim));
  for (int i = 0; i < s.audit_count && n < 8000; i++)
    n += snprintf((char *)b.at + n, 8192 - (size_t)n, " %s %a %a %s", s.audit[i].name,
                  s.audit[i].worst, s.audit[i].time, s.audit[i].where);
  b.length = (size_t)n;
  return b;
}

// ---- going on ------------------------------------------------------------------------------

// in the process that was started for it: runs of one example go on from files
static void go_on(int number) {
  const example *e = &examples[number];
  hn_options o;
  hn_system *sys = compile(e, &o);
  if (!CHECK(sys != NULL)) return;
  for (int m = 0; hn_method_at(m); m++) {
    char path[300], message[512];
    scratch(path, number, m, "middle");
    if (access(path, R_OK) != 0) continue;
    hn_sim *sim = NULL, *again = start(sys, &o, hn_method_at(m)->name);
    bytes middle = load(path);
    if (CHECK(hn_sim_restore_file(&sim, sys, path, message, sizeof message) == HN_OK)) {
      (void)go(sim, e, MIDDLE, END);
      bytes end = save(sim), text = words(sim), old_end, old_text;
      scratch(path, number, m, "end");
      old_end = load(path);
      scratch(path, number, m, "words");
      old_text = load(path);
      if (!CHECK(same(&end, &old_end)) || !CHECK(same(&text, &old_text)))
        printf("  %s, %s\n", e->name, hn_method_at(m)->name);
      hn_free(end.at), free(text.at), free(old_end.at), free(old_text.at);
    } else {
      printf("  %s, %s: %s\n", e->name, hn_method_at(m)->name, message);
    }
    // no address of the other process is in its bytes: the same run here has the same ones
    (void)go(again, e, 0, MIDDLE);
    bytes here = save(again);
    if (!CHECK(same(&here, &middle))) printf("  %s, %s\n", e->name, hn_method_at(m)->name);
    hn_free(here.at), free(middle.at);
    hn_sim_destroy(sim), hn_sim_destroy(again);
  }
  hn_system_destroy(sys);
}

static const char *program;

static void elsewhere(int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    execl(program, program, "go-on", text, (char *)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0);
}

static bool is_sundials(const hn_method_info *m) {
  return strstr(m->integrator, "bdf") != NULL;
}

// saved in the middle, and copied there
static void one(const example *e, int number, int m, hn_sim *sim) {
  char message[512];
  hn_sim *copy = NULL;
  (void)go(sim, e, 0, MIDDLE);
  bytes middle = save(sim), still = {0}, end, copied, text;
  if (!CHECK(hn_sim_copy(&copy, sim, message, sizeof message) == HN_OK)) {
    printf("  %s\n", message);
    hn_free(middle.at);
    return;
  }
  still = save(sim);
  CHECK(same(&middle, &still));  // neither has touched the run
  hn_status status = go(sim, e, MIDDLE, END);
  CHECK(go(copy, e, MIDDLE, END) == status);
  end = save(sim), copied = save(copy), text = words(sim);
  if (!CHECK(same(&end, &copied))) printf("  %s, %s\n", e->name, hn_method_at(m)->name);
  CHECK(hn_time(sim) == hn_time(copy));
  put(&middle, number, m, "middle"), put(&end, number, m, "end"), put(&text, number, m, "words");
  hn_free(middle.at), hn_free(still.at), hn_free(end.at), hn_free(copied.at), free(text.at);
  hn_sim_destroy(copy);
}

static void test_same_bits_elsewhere(void) {
  static bool done[METHODS];
  for (int number = 0; number < EXAMPLES; number++) {
    hn_options o;
    hn_system *sys = compile(&examples[number], &o);
    if (!CHECK(sys != NULL)) return;
    for (int m = 0; hn_method_at(m); m++) {
      hn_sim *sim = start(sys, &o, hn_method_at(m)->name);  // NULL: not for this model
      if (sim && is_sundials(hn_method_at(m))) {
        bytes b;
        char message[512];
        hn_sim *copy;
        CHECK(hn_sim_save(sim, &b.at, &b.length, message, sizeof message) == HN_ERR_UNSUPPORTED);
        CHECK(!b.at && strstr(message, "SUNDIALS") && strstr(message, "bdf"));
        CHECK(hn_sim_copy(&copy, sim, message, sizeof message) == HN_ERR_UNSUPPORTED && !copy);
        done[m] = true;
      } else if (sim) {
        one(&examples[number], number, m, sim);
        done[m] = true;
      }
      hn_sim_destroy(sim);
    }
    hn_system_destroy(sys);
    elsewhere(number);
    for (int m = 0; hn_method_at(m); m++) {
      const char *kinds[] = {"middle", "end", "words"};
      char path[300];
      for (int k = 0; k < 3; k++) scratch(path, number, m, kinds[k]), (void)remove(path);
    }
  }
  for (int m = 0; hn_method_at(m); m++)
    if (!CHECK(done[m])) printf("  %s was not tried\n", hn_method_at(m)->name);
}

// what hn_run found out and verified is part of the run
static void test_after_recording(void) {
  hn_options o;
  hn_system *sys = compile(&examples[0], &o);
  hn_result *result = NULL;
  char message[512];
  if (!CHECK(sys != NULL)) return;
  o.duration = 0.3;
  hn_sim *sim = start(sys, &o, "default"), *copy = NULL;
  CHECK(sim && hn_run(sim, &result, NULL, NULL) == HN_OK);
  bytes b = save(sim), before = words(sim);
  CHECK(hn_sim_restore(&copy, sys, b.at, b.length, message, sizeof message) == HN_OK);
  bytes after = words(copy);
  CHECK(same(&before, &after));
  hn_summary s[2];
  hn_sim_summary(sim, &s[0]), hn_sim_summary(copy, &s[1]);
  CHECK(s[0].motion.known && memcmp(&s[0].motion, &s[1].motion, sizeof s[0].motion) == 0);
  free(before.at), free(after.at), hn_free(b.at);
  CHECK(hn_advance(sim, 0.5) == HN_OK && hn_advance(copy, 0.5) == HN_OK);
  bytes x = save(sim), y = save(copy);
  CHECK(same(&x, &y));
  hn_free(x.at), hn_free(y.at);
  hn_result_destroy(result);
  hn_sim_destroy(sim), hn_sim_destroy(copy), hn_system_destroy(sys);
}

// ---- refused -------------------------------------------------------------------------------

static void refused(const hn_system *sys, const void *at, size_t length, const char *why) {
  char message[512] = "";
  hn_sim *sim = (hn_sim *)&message;
  if (!CHECK(hn_sim_restore(&sim, sys, at, length, message, sizeof message) == HN_ERR_FILE) ||
      !CHECK(sim == NULL) || !CHECK(strstr(message, why)))
    printf("  '%s' and not '%s'\n", message, why);
}

static void test_damaged(void) {
  hn_options o;
  hn_system *sys = compile(&examples[0], &o);
  hn_sim *sim = start(sys, &o, "default");
  if (!CHECK(sim != NULL)) return;
  bytes b = save(sim);
  unsigned char *at = b.at;
  refused(sys, at, 0, "no saved run");
  refused(sys, "HOLONRUN", 8, "no saved run");
  for (int i = 0; i < 300; i++) {
    size_t place = (size_t)test_random(0, (double)b.length);
    unsigned char flip = (unsigned char)(1 << (i % 8));
    at[place] ^= flip;
    refused(sys, at, b.length, "");
    at[place] ^= flip;
    refused(sys, at, place, "");
  }
  refused(sys, at, b.length - 1, "damaged or incomplete");
  // the head: no byte of it may be another, those behind the end of a name included
  for (size_t place = 0; place < 64; place++) {
    at[place] ^= 1;
    refused(sys, at, b.length, "");
    at[place] ^= 1;
  }
  at[8] ^= 1;
  refused(sys, at, b.length, "another version");
  at[8] ^= 1;
  hn_sim *good = NULL;
  char message[512];
  CHECK(hn_sim_restore(&good, sys, at, b.length, message, sizeof message) == HN_OK);
  hn_sim_destroy(good);
  CHECK(hn_sim_restore_file(&good, sys, "tests/no/such/file", message, sizeof message) ==
            HN_ERR_FILE &&
        !good && strstr(message, "tests/no/such/file"));
  CHECK(hn_sim_restore_file(&good, sys, "README.md", message, sizeof message) == HN_ERR_FILE &&
        strstr(message, "README.md: this is no saved run"));
  hn_free(b.at);
  hn_sim_destroy(sim), hn_system_destroy(sys);
}

// one number of the model is another: mass, length, spring, friction, motor, start ...
static void test_other_models(void) {
  static const char text[] =
      "gravity: [0, %d]\n"
      "bodies:\n"
      "  rod: {type: planar, mass: %d, inertia: %d, com: [%d, 0]}\n"
      "  bob: {type: planar, mass: 2, inertia: 1, position: [20, 0]}\n"
      "joints:\n"
      "  hinge: {type: revolute, a: ground, b: rod, at: [0, 0]}\n"
      "  slot: {type: prismatic, a: rod, b: bob, at: [20, 0], axis: [1, 0]}\n"
      "forces:\n"
      "  dry: {type: friction, joint: hinge, coordinate: angle, coulomb: 0.%d, radius: 0.1,\n"
      "        speed: 0.01}\n"
      "  s: {type: spring, joint: slot, stiffness: %d, damping: %d}\n"
      "  drive: {type: torque, b: rod, torque: \"%d*sin(3*t)*rod.x\"}\n";
  bytes b = {0};
  for (int k = -1; k < 8; k++) {
    int x[8] = {9, 3, 4, 5, 2, 30, 2, 7};
    if (k >= 0) x[k]++;
    char model[2000];
    snprintf(model, sizeof model, text, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    hn_options o;
    hn_system *sys = compile(&(example){model, "reference", 1e-3}, &o);
    if (!CHECK(sys != NULL)) break;
    if (k < 0) {
      hn_sim *sim = start(sys, &o, "default");
      CHECK(sim && hn_advance(sim, 0.1) == HN_OK);
      b = save(sim);
      hn_sim_destroy(sim);
    } else {
      refused(sys, b.at, b.length, "another model");
    }
    hn_system_destroy(sys);
  }
  hn_free(b.at);
  hn_options o;
  hn_system *one = compile(&examples[0], &o), *two = compile(&examples[1], &o);
  hn_sim *sim = start(one, &o, "default");
  b = save(sim);
  refused(two, b.at, b.length, "coordinates");
  hn_free(b.at);
  hn_sim_destroy(sim), hn_system_destroy(one), hn_system_destroy(two);
}

int main(int argc, char **argv) {
  program = argv[0];
  if (argc == 3 && strcmp(argv[1], "go-on") == 0) {
    go_on(atoi(argv[2]));
    return test_failed != 0;
  }
  RUN(test_same_bits_elsewhere);
  RUN(test_after_recording);
  RUN(test_damaged);
  RUN(test_other_models);
  return test_end();
}
