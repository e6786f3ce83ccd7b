// test_reading.c: what a run is asked costs what it needs and is what a whole evaluation says.
#include "sim/sim.h"
#include "test.h"

#include <holon/holon.h>
#include <stdlib.h>
#include <string.h>

static hn_system *compile(const char *path, const char *coordinates) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  CHECK(hn_model_load(model, path) == HN_OK);
  hn_options *o = hn_model_options(model);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  snprintf(o->method, sizeof o->method, "%s", "mass-projection");
  if (!CHECK(hn_compile(&sys, model) == HN_OK)) printf("  %s\n", hn_model_error(model));
  hn_model_destroy(model);
  return sys;
}

// every coordinate of every joint, and the poses of all bodies
static void read_all(const char *path, const char *coordinates) {
  hn_system *sys = compile(path, coordinates);
  hn_options o = sys ? sys->options : hn_options_default();
  hn_sim *sim = NULL;
  char message[256];
  o.step = 1e-3;
  if (!sys || !CHECK(hn_sim_create(&sim, sys, &o, message, sizeof message) == HN_OK)) return;
  CHECK(hn_advance(sim, 0.05) == HN_OK);
  for (int j = 0; j < sys->joints; j++)
    for (int k = 0; k < sys->joint[j].coordinates; k++) {
      const hn_coordinate *c = &sys->joint[j].coordinate[k];
      double value, rate;
      CHECK(hn_refresh(sim) == HN_OK);
      hn_mval whole = sim->stage.work.mval[c->measure];
      // forces and rows are left alone
      for (int i = 0; i < sys->bv; i++) sim->stage.work.f[i] = NAN;
      for (int i = 0; i < sys->rows; i++) sim->stage.work.phi[i] = NAN;
      CHECK(hn_joint_coordinate(sim, (hn_joint){sys->joint[j].handle}, c->name, &value, &rate) ==
            HN_OK);
      CHECK_NEAR(value, whole.value, 0);
      CHECK_NEAR(rate, whole.rate, 0);
      for (int i = 0; i < sys->bv; i++) CHECK(isnan(sim->stage.work.f[i]));
      for (int i = 0; i < sys->rows; i++) CHECK(isnan(sim->stage.work.phi[i]));
    }
  for (int i = 1; i < sys->bodies; i++) {
    hn_pose a, b;
    CHECK(hn_body_pose(sim, (hn_body){i}, &a) == HN_OK);
    CHECK(hn_refresh(sim) == HN_OK && hn_body_pose(sim, (hn_body){i}, &b) == HN_OK);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
  }
  // the run goes on as if nobody had asked
  hn_sim *other = NULL;
  CHECK(hn_sim_create(&other, sys, &o, message, sizeof message) == HN_OK);
  CHECK(hn_advance(other, 0.05) == HN_OK && hn_advance(other, 0.1) == HN_OK);
  CHECK(hn_advance(sim, 0.1) == HN_OK);
  CHECK(memcmp(sim->state.y, other->state.y, (size_t)sim->state.n * sizeof(double)) == 0);
  hn_sim_destroy(sim), hn_sim_destroy(other);
  hn_system_destroy(sys);
}

static void test_coordinates(void) {
  static const char *const model[] = {"models/four_bar.yaml", "models/bricard.yaml",
                                      "models/spatial_slider_crank.yaml"};
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    read_all(model[i], "reference");
    read_all(model[i], "relative");
    read_all(model[i], "natural");
  }
}

// the largest of numbers one of which is none
static void test_largest(void) {
  CHECK_NEAR(hn_largest((double[]){1, -3, 2}, 3), 3, 0);
  CHECK_NEAR(hn_largest(NULL, 0), 0, 0);
  CHECK(isnan(hn_largest((double[]){1, NAN, 2}, 3)));
  CHECK(isnan(hn_largest((double[]){NAN, 1, 2}, 3)));
  CHECK(isnan(hn_largest((double[]){1, 2, NAN}, 3)));
}

// ---- a run that is asked on the way ----------------------------------------------------------

static bool ask(void *user, double t, double duration) {
  hn_sim *sim = *(hn_sim **)user;
  hn_summary summary;
  (void)t, (void)duration;
  if (sim) hn_sim_summary(sim, &summary);
  return true;
}

// what slides, sticks and jams settles from what was found last: whoever asks leaves that alone
static void asked(const char *path, double duration) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_result *result[2] = {NULL, NULL};
  char message[256];
  CHECK(hn_model_load(model, path) == HN_OK);
  hn_options *o = hn_model_options(model);
  snprintf(o->verify, sizeof o->verify, "off");
  o->duration = duration;
  if (!CHECK(hn_compile(&sys, model) == HN_OK)) printf("  %s\n", hn_model_error(model));
  for (int k = 0; k < 2 && sys; k++) {
    hn_sim *sim = NULL, *seen;
    if (!CHECK(hn_sim_create(&sim, sys, o, message, sizeof message) == HN_OK)) break;
    seen = k ? sim : NULL;
    CHECK(hn_run(sim, &result[k], ask, &seen) == HN_OK);
    hn_sim_destroy(sim);
  }
  int rows = result[0] ? hn_result_rows(result[0]) : 0;
  size_t width = sys ? (size_t)hn_result_columns(result[0]) * sizeof(double) : 0;
  bool same = rows > 1 && result[1] && hn_result_rows(result[1]) == rows;
  for (int i = 0; same && i < rows; i++)
    same = memcmp(hn_result_row(result[0], i), hn_result_row(result[1], i), width) == 0;
  if (!CHECK(same)) printf("  %s\n", path);
  hn_result_destroy(result[0]), hn_result_destroy(result[1]);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void runs(void) {
  asked("models/woodpecker.yaml", 0.3);
  asked("models/painleve_rod.yaml", 0.3);
  asked("models/stick_slip_belt.yaml", 1);
  asked("models/block_on_slope.yaml", 1);
  asked("models/newtons_cradle.yaml", 0.5);
  asked("models/double_wishbone.yaml", 0.3);
}

int main(void) {
  RUN(test_coordinates);
  RUN(test_largest);
  RUN(runs);
  return test_end();
}
