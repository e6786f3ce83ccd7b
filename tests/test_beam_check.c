// test_beam_check.c: what the number of elements of beams does, told by runs and statics; beams in
// pictures, in other coordinates and in analyses.
//
//   bend        an arc bent in space: told against the limit of ever more elements
//   roll up     constant strain, where nothing depends on the number
//   spin-up     an arm set in rotation: told against eight times the elements
//   halves      names, places, loads, curves and rods survive; what is not comparable is not
//   pictures    a bent beam as a curve through its nodes, and as pieces around them
//   kinematics  beams are not driven: inverse dynamics lets them move, and drivers work for all of
//   it coordinates the same motion in relative and natural ones
#include "analysis_rig.h"
#include "model/beam_make.h"
#include "model/model.h"
#include "record/result.h"

static hn_beam_error told(rig *r) {
  hn_summary s;
  hn_sim_summary(r->sim, &s);
  return s.beams;
}

// limit of 8, 16, 32 elements: tests/test_beams.c finds it, and it is that of the literature
static void test_bend(void) {
  static const double limit[3] = {15.6839, 47.1490, 53.4755};
  static const char *const column[3] = {"arc.end.x", "arc.end.y", "arc.end.z"};
  for (int n = 2; n <= 4; n *= 2) {
    rig r;
    hn_result *rows = NULL;
    if (!rig_open_format(
            &r,
            "beams:\n  arc: {along: [[0, 0, 0], [7.612046748871326, 38.268343236508976, 0],"
            " [29.28932188134524, 70.71067811865476, 0]], curve: arc, elements: %d,"
            " mass: [1, 1, 1, 2, 1, 1],"
            " stiffness: [1e7, 4166670, 4166670, 833300, 833300, 833300]}\n"
            "joints: {clamp: {type: fixed, b: arc.start}}\n"
            "forces: {lift: {type: force, b: arc.end, force: [0, 0, \"600*t\"]}}\n"
            "simulation: {beam_check: on}\n",
            n))
      return;
    CHECK(!hn_statics_path(r.sim, &(hn_path_def){.until = 1}, NULL, &rows));
    hn_beam_error e = told(&r);
    double off = 0;
    for (int k = 0; k < 3 && rows; k++)
      off = fmax(off, fabs(rig_value(rows, hn_result_rows(rows) - 1, column[k]) - limit[k]));
    printf("bend, %d elements: off by %.2e, told %.2e\n", n, off, e.position);
    CHECK(e.known && e.position > off / 2 && e.position < 3 * off);
    CHECK(e.relative[0] > e.position / 100 && e.relative[2] > 0.01);
    hn_result_destroy(rows);
    rig_close(&r);
  }
}

static void test_roll_up(void) {
  rig r;
  hn_result *rows = NULL;
  hn_equilibrium info;
  if (!rig_open(&r, "beams:\n  strip: {type: planar, from: [0, 0], to: [10, 0], elements: 3,"
                    " stiffness: [1e4, 2e4, 3e4, 70, 50, 100],"
                    " mass: [1, 1, 1, 0.02, 0.01, 0.01]}\n"
                    "joints: {clamp: {type: fixed, b: strip.start}}\n"
                    "forces: {bend: {type: torque, b: strip.end, torque: \"20*pi*t\"}}\n"
                    "simulation: {beam_check: on}\n"))
    return;
  CHECK(!hn_statics_path(r.sim, &(hn_path_def){.until = 1}, NULL, &rows));
  hn_beam_error e = told(&r);
  CHECK(e.known && e.position < 1e-10 && e.relative[0] < 1e-10 && e.relative[2] < 1e-6);
  hn_result_destroy(rows);
  rows = NULL;
  // one equilibrium without a way to it: a load in place of the moment
  CHECK(!hn_set_state(r.sim, 0, r.system->q0, r.system->v0));
  CHECK(!hn_statics(r.sim, HN_REST, &info, &rows));
  CHECK(told(&r).known && told(&r).position < 1e-10);
  hn_result_destroy(rows);
  rig_close(&r);
}

static const char spin_up[] =
    "beams:\n  arm: {type: planar, from: [0, 0], to: [10, 0], elements: %d,"
    " stiffness: [2.8e7, 1e7, 0, 0, 0, 1.4e4], mass: [1.2, 1.2, 1.2, 1, 1, 6e-4]}\n"
    "joints:\n  hub: {type: revolute, b: arm.start}\n"
    "  drive: {type: driver, joint_a: hub, motion: \"0.4*(t^2/2 + (7.5/pi)^2*(cos(2*pi*t/15) -"
    " 1))\"}\n"
    "simulation: {method: index3-alpha, step: 0.02, duration: 4, output_step: 0.2, verify: off,"
    " beam_check: %s}\n";

static hn_result *run(rig *r) {
  hn_result *rows = NULL;
  if (!CHECK(!hn_run(r->sim, &rows, NULL, NULL))) printf("  %s\n", hn_sim_error(r->sim));
  return rows;
}

static void test_spin_up(void) {
  rig coarse, fine;
  double off = 0;
  if (!rig_open_format(&coarse, spin_up, 2, "on")) return;
  if (!rig_open_format(&fine, spin_up, 16, "off")) return;
  hn_result *a = run(&coarse), *b = run(&fine);
  for (int i = 0; a && b && i < hn_result_rows(a); i++) {
    off = fmax(off, fabs(rig_value(a, i, "arm.end.x") - rig_value(b, i, "arm.end.x")));
    off = fmax(off, fabs(rig_value(a, i, "arm.end.y") - rig_value(b, i, "arm.end.y")));
  }
  hn_beam_error e = told(&coarse);
  printf("spin-up, 2 elements: off by %.2e, told %.2e, %.2g times the work\n", off, e.position,
         e.share);
  CHECK(e.known && e.position > off / 2 && e.position < 3 * off);
  CHECK(e.share > 1 && e.share < 4);
  hn_summary s;
  hn_sim_summary(coarse.sim, &s);
  CHECK(s.audit_count == 14);
  CHECK_STR(s.audit[13].name, "elements of beams: forces");
  CHECK(!s.audit[13].pass && !s.audit_pass && strstr(s.audit[13].where, "arm.element"));
  hn_sim_summary(fine.sim, &s);
  CHECK(s.audit_count == 11 && !s.beams.known);
  hn_result_destroy(a), hn_result_destroy(b);
  rig_close(&coarse), rig_close(&fine);
}

static void test_halves(void) {
  rig r;
  if (!rig_open(
          &r, "gravity: [0, 0, -9.81]\n"
              "beams:\n"
              "  arm: {along: [[0, 0, 0], [1, 0.1, 0], [2, 0, 0]], elements: 4, young: 1e9,"
              " density: 1000, profile: {circle: {radius: 0.02}},"
              " profile_end: {circle: {radius: 0.01}}, places: {hook: 0.7}, load: [0, 0, \"-t\"]}\n"
              "  rope: {type: rod, from: [2, 0, 0], to: [3, 0, 0], elements: 2, damping: 0.01,"
              " stiffness: [1e3, 1, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, 1]}\n"
              "joints:\n  clamp: {type: fixed, b: arm.start}\n"
              "  tie: {type: spherical, a: arm.end, b: rope.start}\n"
              "  own: {type: spherical, a: arm.hook, b: weight}\n"
              "bodies: {weight: {type: spatial, mass: 0.1, inertia: [1e-3, 1e-3, 1e-3],"
              " position: [0.7, 0.09, 0]}}\n"
              "simulation: {method: index3-alpha, step: 0.005, duration: 0.1, output_step: 0.01,"
              " verify: off, beam_check: on}\n"))
    return;
  hn_model *halved = hn_model_halved(r.model);
  if (CHECK(halved)) {
    double mass[2] = {0};
    CHECK(halved->body_count == r.model->body_count + 6);
    CHECK(halved->force_count == r.model->force_count + 6 + 4);
    CHECK_STR(halved->body[r.model->body_count].def.name, "arm.node1__half");
    for (int i = 1; i < r.model->body_count; i++) {
      CHECK_STR(halved->body[i].def.name, r.model->body[i].def.name);
      for (int k = 0; k < 3; k++)
        CHECK_NEAR(halved->body[i].def.position[k], r.model->body[i].def.position[k], 1e-12);
      mass[0] += r.model->body[i].def.mass;
    }
    for (int i = 1; i < halved->body_count; i++) mass[1] += halved->body[i].def.mass;
    CHECK_REL(mass[1], mass[0], mass[0], 2e-3);  // of a taper, by two rules
    hn_model_halved_destroy(halved);
  }
  hn_result *rows = run(&r);
  hn_beam_error e = told(&r);
  if (!CHECK(e.known && e.relative[0] < 0.3)) printf("  %s %g\n", e.where[0], e.relative[0]);
  // neither what nodes are given to carry nor how long springs are is compared
  for (int k = 0; k < 3; k++) CHECK(!strstr(e.where[k], "load") && !strstr(e.where[k], "length"));
  hn_result_destroy(rows);
  // from there on it is another motion
  rows = run(&r);
  CHECK(!told(&r).known && strstr(told(&r).how, "did not begin"));
  hn_result_destroy(rows);
  rig_close(&r);
}

// an arc of three elements: places and directions of the curve are those of its nodes
static void test_pictures(void) {
  static const char *const profile[3] = {
      "profile: {circle: {radius: 0.05}}", "profile: {rectangle: {width: 0.1, height: 0.06}}",
      "profile: {numbers: {area: 1, inertia_y: 1, inertia_z: 1, torsion: 1}}"};
  for (int k = 0; k < 3; k++) {
    rig r;
    char message[512], path[256], text[20000];
    if (!rig_open_format(&r,
                         "beams:\n  arc: {type: planar, along: [[1, 0], [0.70710678118654757,"
                         " 0.70710678118654757], [0, 1]], curve: arc, elements: 3, young: 1e9,"
                         " density: 1000, %s}\n"
                         "joints: {clamp: {type: fixed, b: arc.start}}\n"
                         "simulation: {duration: 0.001, step: 0.001, method: index3-alpha}\n",
                         profile[k]))
      return;
    hn_result *rows = run(&r);
    hn_report_run shown = {.result = rows};
    hn_report report = {.model = r.model, .system = r.system, .run = &shown, .run_count = 1};
    for (int glb = 0; glb < 2; glb++) {
      test_scratch(path, sizeof path, glb ? "arc.glb" : "arc.svg");
      CHECK(!hn_report_write(&report, path, message, sizeof message));
      FILE *file = fopen(path, "rb");
      size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
      if (file) fclose(file);
      text[length] = 0;
      int curves = 0;
      for (char *at = text; !glb && (at = strstr(at, "C ")); at++) curves++;
      CHECK(glb || (curves == 3 && !strstr(text, "<circle cx=\"0")));
      // pieces: half an element at both ends, chords of 2 sin 15 degrees
      CHECK(!glb || length > 1000);
    }
    // the first curve leaves upwards: both its ends' axes in the picture
    double x[4], y[4];
    test_scratch(path, sizeof path, "arc.svg");
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = 0;
    const char *at = strstr(text, "d=\"M");
    if (CHECK(at) && CHECK(sscanf(at, "d=\"M%lf %lfC %lf %lf %lf %lf %lf %lf", x, y, x + 1, y + 1,
                                  x + 2, y + 2, x + 3, y + 3) == 8)) {
      double chord = hypot(x[3] - x[0], y[3] - y[0]);
      CHECK_NEAR(x[1], x[0], 0.11);
      CHECK_REL(y[0] - y[1], chord / 3, chord, 2e-3);
      CHECK_REL(atan2(y[2] - y[3], x[3] - x[2]), 2 * 3.14159265358979323846 / 3, 1, 5e-3);
    }
    hn_result_destroy(rows);
    rig_close(&r);
  }
}

static void test_kinematics(void) {
  rig r;
  hn_kinematics_info info;
  hn_result *rows = NULL;
  if (!rig_open(&r, "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0], elements: 2,"
                    " stiffness: [1e3, 1e3, 0, 0, 0, 10], mass: [1, 1, 1, 0.1, 0.1, 0.1]}\n"
                    "joints:\n  hub: {type: revolute, b: arm.start}\n"
                    "  drive: {type: driver, joint_a: hub, motion: t}\n"
                    "simulation: {duration: 0.01}\n"))
    return;
  CHECK(hn_kinematics(r.sim, &info, &rows) == HN_ERR_MODEL);
  CHECK(strstr(hn_sim_error(r.sim), "beams bend as forces have it"));
  hn_result_destroy(rows);
  rig_close(&r);
}

// an arm that swings up: what its driver does is what the arm has in the end
static void test_inverse(void) {
  rig r;
  hn_inverse_info info;
  hn_result *efforts = NULL, *motion = NULL;
  if (!rig_open(&r, "gravity: [0, -9.81]\n"
                    "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0], elements: 2,"
                    " stiffness: [1e3, 1e3, 0, 0, 0, 10], mass: [1, 1, 1, 0.1, 0.1, 0.1]}\n"
                    "joints:\n  hub: {type: revolute, b: arm.start}\n"
                    "  drive: {type: driver, joint_a: hub, motion: t^2}\n"
                    "simulation: {duration: 0.5, output_step: 0.001}\n"))
    return;
  if (CHECK(!hn_inverse(r.sim, &info, &efforts, &motion))) {
    int last = hn_result_rows(motion) - 1;
    double gained = rig_value(motion, last, "energy.total") - rig_value(motion, 0, "energy.total");
    CHECK(info.efforts == 1);
    CHECK_REL(info.effort[0].work, gained, gained, 1e-4);
    // it bends on the way, as it likes
    CHECK(fabs(rig_value(motion, last, "arm.end.angle") - rig_value(motion, last, "hub.angle")) >
          0.01);
  } else {
    printf("  %s\n", hn_sim_error(r.sim));
  }
  hn_result_destroy(efforts), hn_result_destroy(motion);
  rig_close(&r);
}

static void test_coordinates(void) {
  static const char *const word[3] = {"reference", "relative", "natural"};
  double x[3][2];
  for (int k = 0; k < 3; k++) {
    rig r;
    char message[512] = "";
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {hub: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "beams:\n  arm: {from: [0.1, 0, 0], to: [1, 0, 0.1], elements: 2,"
        " stiffness: [1e3, 1e3, 1e3, 10, 10, 20], mass: [1, 1, 1, 0.02, 0.01, 0.01],"
        " velocity: [0, 0.3, 0], angular_velocity: [0, 0, 3]}\n"
        "joints:\n  shaft: {type: revolute, b: hub}\n"
        "  flap: {type: revolute, a: hub, b: arm.start, at: [0.1, 0, 0], axis: [0, 1, 0]}\n"
        "start: {shaft.angle: {rate: 3}}\n"
        "simulation: {method: explicit, rtol: 1e-10, duration: 0.2, verify: off}\n";
    memset(&r, 0, sizeof r);
    r.model = hn_model_create();
    CHECK(!hn_model_parse(r.model, text, strlen(text), "test"));
    hn_options *o = hn_model_options(r.model);
    snprintf(o->coordinates, sizeof o->coordinates, "%s", word[k]);
    bool good = CHECK(!hn_compile(&r.system, r.model)) &&
                CHECK(!hn_sim_create(&r.sim, r.system, o, message, sizeof message)) &&
                CHECK(!hn_advance(r.sim, 0.2));
    hn_pose pose = {0};
    if (good) CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "arm.end"), &pose));
    if (!good) printf("  %s %s\n", hn_model_error(r.model), message);
    x[k][0] = pose.position[1], x[k][1] = pose.position[2];
    if (good) CHECK(strstr(r.system->check.coordinates, word[k]));
    rig_close(&r);
  }
  for (int k = 1; k < 3; k++)
    for (int i = 0; i < 2; i++) CHECK_NEAR(x[k][i], x[0][i], 1e-8);
  CHECK(fabs(x[0][1]) > 0.05);
}

int main(void) {
  RUN(test_bend);
  RUN(test_roll_up);
  RUN(test_spin_up);
  RUN(test_halves);
  RUN(test_pictures);
  RUN(test_kinematics);
  RUN(test_inverse);
  RUN(test_coordinates);
  return test_end();
}
