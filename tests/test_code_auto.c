// test_code_auto.c: code: auto takes code that was kept, has it compiled for long runs alone, says
// so, and leaves the numbers of runs without code as they are.
#include "folder.h"
#include "sim/sim.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static const char *four_bar(void) {
  int i = 0;
  while (hn_example_name(i) && strcmp(hn_example_name(i), "four_bar") != 0) i++;
  return hn_example_text(i);
}

// runs 0.2 s of the four-bar; what is expected of the run is `duration`
static hn_summary run(const char *code, double duration, double *angle) {
  hn_model *model = hn_model_create();
  hn_options *o = hn_model_options(model);
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_summary s = {.code = "none"};
  char message[512] = "";
  CHECK(hn_model_parse(model, four_bar(), strlen(four_bar()), "four_bar") == HN_OK);
  CHECK(hn_options_set(o, "code", code, message, sizeof message) == HN_OK);
  o->duration = duration;
  if (CHECK(hn_compile(&sys, model) == HN_OK) &&
      CHECK(hn_sim_create(&sim, sys, o, message, sizeof message) == HN_OK)) {
    CHECK(hn_advance(sim, 0.2) == HN_OK);
    *angle = hn_positions(sim)[2];
    hn_sim_summary(sim, &s);
    CHECK(s.audit_pass);
    // the texts are constants
    CHECK((sys->native != NULL) == (strncmp(s.code, "native", 6) == 0));
  }
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
  return s;
}

static void test_choice(void) {
  double library, angle;
  CHECK_STR(run("library", 1, &library).code, "library");
  // too short: the same bits as ever
  CHECK_STR(run("auto", 1, &angle).code,
            "library (auto: the run is too short to pay for compiling code)");
  CHECK(angle == library);
  // without a compiler a long run goes on as well
  setenv("CC", "/no/such/compiler", 1);
  CHECK_STR(run("auto", 1e6, &angle).code, "library (auto: no code could be compiled)");
  CHECK(angle == library);
  unsetenv("CC");
  CHECK_STR(run("auto", 1e6, &angle).code, "native (auto: compiled, since the run is long)");
  CHECK_NEAR(angle, library, 1e-9);
  // from now on it costs nothing
  CHECK_STR(run("auto", 1, &angle).code, "native (auto: kept from an earlier run)");
  CHECK_NEAR(angle, library, 1e-9);
  setenv("HOLON_CACHE", "off", 1);
  CHECK_STR(run("auto", 1, &angle).code,
            "library (auto: the run is too short to pay for compiling code)");
}

// what has no code, and a file that asks for it by itself
static void test_without(void) {
  static const char text[] = "simulation: {code: auto, duration: 1e6}\n"
                             "blocks:\n"
                             "  b: {coordinates: {x: {}}, mass_matrix: [[1]], forces: {x: -x}}\n";
  for (int trusted = 0; trusted < 2; trusted++) {
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    hn_summary s;
    char message[512] = "";
    if (trusted) hn_model_trust(model);
    CHECK(hn_model_parse(model, text, strlen(text), "text") == HN_OK);
    CHECK(hn_model_wants_native(model) == !trusted);
    CHECK_STR(hn_model_options(model)->code, trusted ? "auto" : "library");
    if (!CHECK(hn_compile(&sys, model) == HN_OK)) printf("  %s\n", hn_model_error(model));
    if (sys && CHECK(hn_sim_create(&sim, sys, hn_model_options(model), message, sizeof message) ==
                     HN_OK)) {
      hn_sim_summary(sim, &s);
      CHECK_STR(s.code,
                trusted ? "library (auto: no code can be written for this model)" : "library");
    }
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

static void remove_folder(const char *folder) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.') unlink(path);
  }
  if (d) closedir(d);
  rmdir(folder);
}

int main(void) {
  char folder[300];
  if (!test_folder(folder, sizeof folder, "auto")) return 1;
  setenv("HOLON_CACHE", folder, 1);
  setenv("HOLON_CFLAGS", "-O0", 1);  // quick to compile
  RUN(test_choice);
  RUN(test_without);
  remove_folder(folder);
  return test_end();
}
