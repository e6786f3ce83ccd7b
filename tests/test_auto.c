// test_auto.c: what the method `default` takes, and that it is not worse than one that does not
// choose.
#include "holon/holon.h"
#include "system/system.h"
#include "test.h"

#include <math.h>
#include <string.h>

// runs a model by a method; the last position of a body, and what was used
static hn_summary run(const char *path, const char *method, double rtol, double duration,
                      hn_body body, double position[3]) {
  hn_summary summary = {0};
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  char message[256];
  if (!CHECK(hn_model_load(model, path) == HN_OK)) return summary;
  hn_options *o = hn_model_options(model);
  snprintf(o->method, sizeof o->method, "%s", method);
  o->rtol = rtol;
  o->duration = duration;
  if (CHECK(hn_compile(&system, model) == HN_OK) &&
      CHECK(hn_sim_create(&sim, system, o, message, sizeof message) == HN_OK)) {
    hn_pose pose;
    CHECK(hn_advance(sim, duration) == HN_OK);
    CHECK(hn_body_pose(sim, body, &pose) == HN_OK);
    memcpy(position, pose.position, sizeof pose.position);
    hn_sim_summary(sim, &summary);
    // texts of the summary that live as long as the sim are compared by the caller through tables
    for (int i = 0; hn_integrator_at(i); i++)
      if (strcmp(hn_integrator_at(i)->name, summary.integrator) == 0)
        summary.integrator = hn_integrator_at(i)->name;
  }
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return summary;
}

static bool is(const char *a, const char *b) {
  return a && strcmp(a, b) == 0;
}

// smooth forces: the order follows the tolerance
static void test_smooth(void) {
  double fine[3], coarse[3], usual[3];
  hn_summary s = run("models/four_bar.yaml", "default", 1e-9, 3, (hn_body){2}, fine);
  CHECK(is(s.integrator, "dop853") && s.choice != NULL);
  s = run("models/four_bar.yaml", "default", 1e-4, 3, (hn_body){2}, coarse);
  CHECK(is(s.integrator, "dopri5") && s.choice != NULL);
  s = run("models/four_bar.yaml", "explicit", 1e-9, 3, (hn_body){2}, usual);
  CHECK(s.choice == NULL);
  // the other name
  s = run("models/four_bar.yaml", "auto", 1e-9, 3, (hn_body){2}, coarse);
  CHECK(is(s.integrator, "dop853") && s.choice != NULL);
  for (int k = 0; k < 3; k++) CHECK(coarse[k] == fine[k]);
  s = run("models/four_bar.yaml", "default", 1e-4, 3, (hn_body){2}, coarse);
  for (int k = 0; k < 3; k++) {
    CHECK_NEAR(fine[k], usual[k], 1e-7);
    CHECK_NEAR(coarse[k], usual[k], 1e-2);
  }
}

static void test_kinks(void) {
  double position[3];
  hn_summary s = run("models/iltis_suspension.yaml", "default", 1e-7, 0.2, (hn_body){1}, position);
  CHECK(is(s.integrator, "dopri5"));
}

// the governor's dampers make it stiff: an implicit method where there is one, far fewer steps
static void test_stiff(void) {
  double ours[3], usual[3];
  hn_summary s = run("models/flyball_governor.yaml", "default", 1e-6, 2, (hn_body){2}, ours);
  hn_summary d = run("models/flyball_governor.yaml", "explicit", 1e-6, 2, (hn_body){2}, usual);
  bool available = false;  // a build without SUNDIALS says in the help text that it is not there
  for (int i = 0; hn_integrator_at(i); i++)
    if (is(hn_integrator_at(i)->name, "index2-bdf"))
      available = strstr(hn_integrator_at(i)->help, "lacks") == NULL;
  CHECK(is(s.integrator, "index2-bdf") == available);
  if (available) CHECK(s.steps < d.steps / 3);
  for (int k = 0; k < 3; k++) CHECK_NEAR(ours[k], usual[k], 1e-4);
}

// does a run of the system choose because of stiffness?
static bool says_stiff(const hn_system *system, const hn_options *o) {
  char message[256];
  hn_sim *sim;
  hn_summary s = {0};
  if (!CHECK(hn_sim_create(&sim, system, o, message, sizeof message) == HN_OK)) return false;
  hn_sim_summary(sim, &s);
  bool stiff = s.choice && strstr(s.choice, "stiff");
  hn_sim_destroy(sim);
  return stiff;
}

// what was tried while compiling is not tried again, unless options are others
static void test_tried_once(void) {
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  CHECK(hn_model_load(model, "models/four_bar.yaml") == HN_OK);
  hn_options *o = hn_model_options(model);
  if (CHECK(hn_compile(&system, model) == HN_OK) && system->trial != HN_NOT_TRIED) {
    CHECK(system->trial == HN_NOT_STIFF && !says_stiff(system, o));
    system->trial = HN_STIFF;
    CHECK(says_stiff(system, o));
    o->rtol *= 2;
    CHECK(!says_stiff(system, o));
    o->rtol /= 2;
    snprintf(o->audit_steps, sizeof o->audit_steps, "off");
    CHECK(!says_stiff(system, o));
  }
  hn_system_destroy(system);
  hn_model_destroy(model);
}

int main(void) {
  RUN(test_smooth);
  RUN(test_kinks);
  RUN(test_stiff);
  RUN(test_tried_once);
  return test_end();
}
