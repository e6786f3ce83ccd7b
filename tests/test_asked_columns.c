// test_asked_columns.c: columns that are recorded only when they are asked for by name.
#include "run_rig.h"

static const char model[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], frames: {tip: [0.5, 0]}}\n"
    "  top: {mass: 1, inertia: [0.2, 0.2, 0.3], angular_velocity: [0, 0, 1.5], position: [3, 0, "
    "0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
    "forces:\n"
    "  motor: {type: motor, joint: hinge, law: 2*sin(3*t) - 0.4*rate}\n"
    "simulation: {duration: 1.5, output_step: 0.05, rtol: 1e-11}\n"
    "outputs: %s\n";

static hn_status start(run *r, const char *outputs, const char *coordinates) {
  char text[2000];
  *r = (run){.model = hn_model_create()};
  snprintf(text, sizeof text, model, outputs);
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  return status ? status : run_model(r, "explicit", coordinates, 0);
}

static void values(void) {
  run r;
  if (!CHECK(start(&r,
                   "[arm.angle, arm.omega, arm.ax, arm.ay, arm.alpha, arm.tip.x, arm.tip.vy, "
                   "hinge.angle_acceleration, motor.effort, motor.power, top.yaw, top.pitch, "
                   "top.local_wz, top.alphaz]",
                   "reference") == HN_OK)) {
    printf("  %s\n", r.message);
    run_free(&r);
    return;
  }
  const hn_result *x = r.result;
  for (int i = 0; i < hn_result_rows(x); i++) {
    const double *row = hn_result_row(x, i);
#define OF(name) row[column(x, name)]
    double angle = OF("arm.angle"), w = OF("arm.omega"), alpha = OF("arm.alpha"), t = row[0];
    // about the hinge: (0.1 + 0.25) alpha = torque - weight
    CHECK_NEAR(alpha, (OF("motor.effort") - 9.81 * 0.5 * cos(angle)) / 0.35, 1e-9);
    CHECK_NEAR(OF("hinge.angle_acceleration"), alpha, 1e-9);
    CHECK_NEAR(OF("arm.ax"), -0.5 * (alpha * sin(angle) + w * w * cos(angle)), 1e-8);
    CHECK_NEAR(OF("arm.ay"), 0.5 * (alpha * cos(angle) - w * w * sin(angle)), 1e-8);
    CHECK_NEAR(OF("arm.tip.x"), cos(angle), 1e-9);
    CHECK_NEAR(OF("arm.tip.vy"), w * cos(angle), 1e-8);
    CHECK_NEAR(OF("motor.power"), OF("motor.effort") * w, 1e-9);
    CHECK_NEAR(OF("top.yaw"), 1.5 * t, 1e-8);
    CHECK_NEAR(OF("top.pitch"), 0, 1e-9);
    CHECK_NEAR(OF("top.local_wz"), 1.5, 1e-9);
    CHECK_NEAR(OF("top.alphaz"), 0, 1e-9);
  }
  run_free(&r);
}

// a pattern that means everything does not mean these
static void not_asked(void) {
  run r;
  if (CHECK(start(&r, "[arm.*, 'motor.*', 't*.y*']", "reference") == HN_OK)) {
    for (int i = 0; i < hn_result_columns(r.result); i++) {
      const char *name = hn_result_name(r.result, i);
      CHECK(strcmp(name, "arm.ax") != 0 && strcmp(name, "motor.power") != 0);
    }
    CHECK(column(r.result, "top.yaw") > 0);
  }
  run_free(&r);
}

static void refused(void) {
  run r;
  CHECK(start(&r, "[arm.ax]", "natural") == HN_ERR_UNSUPPORTED);
  CHECK(strstr(r.message, "known in reference coordinates only") != NULL);
  run_free(&r);
  CHECK(start(&r, "[arm.tip.z]", "reference") == HN_ERR_MODEL);
  CHECK(strstr(r.message, "nothing matches 'arm.tip.z'") != NULL);
  run_free(&r);
}

int main(void) {
  RUN(values);
  RUN(not_asked);
  RUN(refused);
  return test_end();
}
