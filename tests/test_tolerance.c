// test_tolerance.c: how far joints out of place move a mechanism, against closed forms and against
// mechanisms that are built out of place.
#include "analysis_rig.h"

// ---- closed forms ----------------------------------------------------------------------------

static int row_of(const rig *r, const char *name) {
  for (int i = 0; i < hn_system_rows(r->system); i++)
    if (strcmp(hn_system_row_name(r->system, i), name) == 0) return i;
  CHECK(false);
  printf("  no row %s\n", name);
  return -1;
}

// what a row moves a column by
static double effect(const rig *r, const hn_result *table, const char *row, const char *column) {
  int wanted = row_of(r, row);
  for (int i = 0; i < hn_result_rows(table); i++)
    if ((int)hn_result_row(table, i)[0] == wanted) return rig_value(table, i, column);
  CHECK(false);
  printf("  no line of row %s\n", row);
  return NAN;
}

// A four-bar linkage with its crank held at `angle`: crank from (0, 0) of length a, coupler b,
// rocker c to (d, 0). A point of the rocker that is c from D goes round D, and along the coupler
// (u) it must go by what the coupler's end is pushed, e: turn = e.u / (c t.u), t across the rocker
static void four_bar(void) {
  rig r;
  hn_result *table = NULL;
  for (int trial = 0; trial < 20; trial++) {
    double a = test_random(0.1, 0.3), angle = test_random(-3, 3), d = 1, c = test_random(0.6, 0.8);
    double b = test_random(0.7, 0.9), bx = a * cos(angle), by = a * sin(angle);
    // C is where the circles about B and D meet, above
    double dx = d - bx, dy = -by, far = sqrt(dx * dx + dy * dy);
    double along = (b * b - c * c + far * far) / (2 * far), up = sqrt(b * b - along * along);
    double cx = bx + (along * dx - up * dy) / far, cy = by + (along * dy + up * dx) / far;
    double ux = (cx - bx) / b, uy = (cy - by) / b, tx = -cy / c, ty = (cx - d) / c;
    if (!rig_open_format(
            &r,
            "bodies:\n"
            "  crank: {type: planar, mass: 1, inertia: 1, position: [%.17g, %.17g]}\n"
            "  coupler: {type: planar, mass: 1, inertia: 1, position: [%.17g, %.17g]}\n"
            "  rocker: {type: planar, mass: 1, inertia: 1, position: [%.17g, %.17g]}\n"
            "joints:\n"
            "  A: {type: revolute, b: crank, at: [0, 0]}\n"
            "  B: {type: revolute, a: crank, b: coupler, at: [%.17g, %.17g]}\n"
            "  C: {type: revolute, a: coupler, b: rocker, at: [%.17g, %.17g]}\n"
            "  D: {type: revolute, b: rocker, at: [1, 0]}\n"
            "  drive: {type: driver, joint_a: A, motion: t}\n",
            bx / 2, by / 2, (bx + cx) / 2, (by + cy) / 2, (1 + cx) / 2, cy / 2, bx, by, cx, cy))
      return;
    if (CHECK(!hn_tolerances(r.sim, &table))) {
      double across = c * (tx * ux + ty * uy);
      CHECK(hn_result_rows(table) == 9);
      CHECK_NEAR(effect(&r, table, "B.x", "rocker.angle"), ux / across, 1e-10 / fabs(across));
      CHECK_NEAR(effect(&r, table, "B.y", "rocker.angle"), uy / across, 1e-10 / fabs(across));
      CHECK_NEAR(effect(&r, table, "C.x", "D.angle"), ux / across, 1e-10 / fabs(across));
      // the crank's own bearing takes its whole along, and the coupler's end with it
      CHECK_NEAR(effect(&r, table, "A.y", "crank.y"), 1, 1e-12);
      CHECK_NEAR(effect(&r, table, "A.y", "rocker.angle"), uy / across, 1e-10 / fabs(across));
      // a crank that is off by an angle: its end goes across it
      double push = -by * ux + bx * uy;
      CHECK_NEAR(effect(&r, table, "drive.motion", "crank.angle"), 1, 1e-12);
      CHECK_NEAR(effect(&r, table, "drive.motion", "rocker.angle"), push / across,
                 1e-10 / fabs(across));
      CHECK(rig_value(table, 0, "angular") == 0 && rig_value(table, 8, "angular") == 1);
    }
    hn_result_destroy(table);
    rig_close(&r);
  }
}

// ---- built out of place ----------------------------------------------------------------------

static const char spatial[] = "parameters: {off: %g, turn: %g}\n"
                              "ground: {frames: {S: [0.9, off, 0.1]}}\n"
                              "bodies:\n"
                              "  crank: {mass: 1, inertia: [1, 1, 1], position: [0, 0.1, 0.2]}\n"
                              "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.4, 0.1, 0.25]}\n"
                              "  slider: {mass: 1, inertia: [1, 1, 1], position: [0.8, 0, 0.1]}\n"
                              "joints:\n"
                              "  A: {type: revolute, b: crank, at: [0, 0, 0], axis: [1, 0, 0]}\n"
                              "  B: {type: spherical, a: crank, b: rod, at: [0, 0.2, 0.4]}\n"
                              "  C: {type: universal, a: rod, b: slider, at: [0.8, 0, 0.1], axis: "
                              "[0, 1, 0], axis_b: [0, 0, 1]}\n"
                              "  rail: {type: prismatic, a: ground.S, b: slider, axis: [1, 0, 0]}\n"
                              "  drive: {type: driver, joint_a: A, motion: turn + t}\n";

// places of the model with e and turn
static bool places(double e, double turn, const char *const *column, int count, double *out) {
  rig r;
  hn_result *row = NULL;
  if (!rig_open_format(&r, spatial, e, turn)) return false;
  hn_kinematics_info info;
  r.sim->opt.duration = 1e-3;
  CHECK(!hn_kinematics(r.sim, &info, &row));
  for (int i = 0; i < count; i++) out[i] = rig_value(row, 0, column[i]);
  hn_result_destroy(row);
  rig_close(&r);
  return true;
}

// a spatial slider-crank whose driver is off by a little, and the same built so
static void built_off(void) {
  static const char *const column[] = {"slider.x", "rod.x", "rod.y", "rod.z", "rail.translation"};
  enum { COUNT = sizeof column / sizeof *column };
  static const double h = 1e-4;
  double before[COUNT], behind[COUNT];
  rig r;
  hn_result *table = NULL;
  if (!places(0, -h, column, COUNT, before) || !places(0, h, column, COUNT, behind)) return;
  if (!rig_open_format(&r, spatial, 0.0, 0.0)) return;
  if (CHECK(!hn_tolerances(r.sim, &table)))
    for (int i = 0; i < COUNT; i++)
      if (!CHECK_NEAR(effect(&r, table, "drive.motion", column[i]),
                      (behind[i] - before[i]) / (2 * h), 1e-6))
        printf("  %s\n", column[i]);
  hn_result_destroy(table);
  rig_close(&r);
}

// two bearings that hold a shaft twice share what one of them is off by
static void shared(void) {
  rig r;
  hn_result *table = NULL;
  if (!rig_open(&r, "bodies: {bar: {type: planar, mass: 1, inertia: 1}}\n"
                    "joints:\n"
                    "  one: {type: fixed, b: bar}\n"
                    "  two: {type: fixed, b: bar}\n"))
    return;
  if (CHECK(!hn_tolerances(r.sim, &table))) {
    CHECK(hn_result_rows(table) == 6);
    CHECK_NEAR(effect(&r, table, "two.x", "bar.x"), 0.5, 1e-12);
  }
  hn_result_destroy(table);
  rig_close(&r);
}

int main(void) {
  RUN(four_bar);
  RUN(built_off);
  RUN(shared);
  return test_end();
}
