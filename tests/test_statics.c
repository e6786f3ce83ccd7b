// test_statics.c: equilibrium, its stability, and the reactions that belong to it.
#include "analysis_rig.h"

// a run with damping settles where statics says
static void relaxed_run(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "simulation: {duration: 60, rtol: 1e-10}\n"
      "ground: {frames: {D: [2, 0], P: [3, 1.2]}}\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.25, 0.43], angle: 60 deg,"
      " frames: {A: [-0.5, 0], B: [0.5, 0]}}\n"
      "  coupler: {type: planar, mass: 2, inertia: 0.8, position: [1.45, 1.3], angle: 0.4,"
      " frames: {B: [-1.1, 0], C: [1.1, 0]}}\n"
      "  rocker: {type: planar, mass: 1.5, inertia: 0.4, position: [2.2, 0.85], angle: 1.3,"
      " frames: {D: [-0.9, 0], C: [0.9, 0]}}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground, b: crank.A}\n"
      "  B: {type: revolute, a: crank.B, b: coupler.B}\n"
      "  C: {type: revolute, a: coupler.C, b: rocker.C}\n"
      "  D: {type: revolute, a: ground.D, b: rocker.D}\n"
      "forces:\n"
      "  brake: {type: friction, joint: A, viscous: 6}\n"
      "  spring: {type: spring, a: ground.P, b: rocker.C, stiffness: 40, free: 0.3}\n";
  rig moving, still;
  hn_result *run = NULL, *row = NULL;
  hn_equilibrium info;
  if (!rig_open(&moving, text)) return;
  if (rig_open(&still, text)) {
    CHECK(!hn_run(moving.sim, &run, NULL, NULL));
    CHECK(!hn_statics(still.sim, HN_REST, &info, &row));
    CHECK(info.stability == HN_STABLE && info.dof == 1 && !info.circulatory);
    CHECK(info.residual < 1e-12);
    int last = hn_result_rows(run) - 1;
    static const char *const same[] = {"crank.x",      "crank.angle", "coupler.angle",
                                       "rocker.angle", "A.fx",        "A.fy",
                                       "C.fx",         "D.fy",        "spring.force"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
      CHECK_NEAR(rig_value(row, 0, same[i]), rig_value(run, last, same[i]), 2e-7);
    CHECK_STR(info.sharing, "every reaction is determined");
    hn_result_destroy(run), hn_result_destroy(row);
    rig_close(&still);
  }
  rig_close(&moving);
}

// from nearly upright it falls; the nearest equilibrium is the upright one, and it is unstable
static void upright_or_hanging(void) {
  rig r;
  hn_equilibrium info;
  hn_result *row = NULL;
  if (!rig_open(&r, PENDULUM("3.1"))) return;
  CHECK(!hn_statics(r.sim, HN_NEAREST, &info, &row));
  CHECK(!hn_statics_holds(r.sim, NULL, NULL));
  CHECK(info.stability == HN_UNSTABLE && info.unstable == 1);
  CHECK_NEAR(rig_value(row, 0, "bar.angle"), acos(-1), 1e-13);
  CHECK_REL(info.softest, -1.3 * 9.81 * 0.7 / (0.21 + 1.3 * 0.49), 0, 1e-12);
  CHECK_NEAR(rig_value(row, 0, "hinge.fy"), 1.3 * 9.81, 1e-12);
  hn_result_destroy(row);
  rig_close(&r);
  if (!rig_open(&r, PENDULUM("3.1"))) return;
  CHECK(!hn_statics(r.sim, HN_REST, &info, &row));
  CHECK(info.stability == HN_STABLE);
  CHECK_NEAR(cos(rig_value(row, 0, "bar.angle")), 1, 1e-14);
  CHECK_NEAR(hn_accelerations(r.sim)[2], 0, 1e-12);
  hn_result_destroy(row);
  rig_close(&r);
  // exactly upright it stays, and is said to be unstable
  if (!rig_open(&r, pendulum_upright)) return;
  CHECK(!hn_statics(r.sim, HN_REST, &info, NULL));
  CHECK(info.stability == HN_UNSTABLE && info.moved < 1e-12);
  rig_close(&r);
}

// a rope of many links sags into the discrete catenary: horizontal force is the same everywhere and
// the vertical one grows by a link's weight
static void catenary(void) {
  enum { LINKS = 12 };
  char text[8000];
  int used =
      snprintf(text, sizeof text,
               "gravity: [0, -9.81]\nground: {frames: {start: [0, 0], end: [0.84, 0]}}\nbodies:\n");
  for (int i = 0; i < LINKS; i++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "  l%d: {type: planar, mass: 0.2, inertia: 0.0002, position: [%g, %g],"
                     " angle: %g, frames: {a: [-0.05, 0], b: [0.05, 0]}}\n",
                     i, 0.035 + 0.07 * i, i < 6 ? 0.035 + 0.07 * i : 0.81 - 0.07 * i,
                     i < 6 ? 0.785 : -0.785);
  used += snprintf(text + used, sizeof text - (size_t)used, "joints:\n");
  used += snprintf(text + used, sizeof text - (size_t)used,
                   "  j0: {type: revolute, a: ground.start, b: l0.a}\n");
  for (int i = 1; i < LINKS; i++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "  j%d: {type: revolute, a: l%d.b, b: l%d.a}\n", i, i - 1, i);
  snprintf(text + used, sizeof text - (size_t)used,
           "  end: {type: revolute, a: ground.end, b: l%d.b}\n", LINKS - 1);
  rig r;
  hn_equilibrium info;
  hn_result *row = NULL;
  if (!rig_open(&r, text)) return;
  if (!CHECK(!hn_statics(r.sim, HN_REST, &info, &row))) printf("%s\n", hn_sim_error(r.sim));
  CHECK(info.stability == HN_STABLE && info.dof == LINKS - 2);
  if (row) {
    double h = rig_value(row, 0, "j0.fx");
    for (int i = 1; i < LINKS; i++) {
      char name[16];
      snprintf(name, sizeof name, "j%d.fx", i);
      CHECK_REL(rig_value(row, 0, name), h, 1, 1e-9);
      snprintf(name, sizeof name, "j%d.fy", i);
      CHECK_NEAR(rig_value(row, 0, name), 0.2 * 9.81 * (LINKS / 2.0 - i), 1e-9);
      // the links hang below the supports and each points along the force in it
      snprintf(name, sizeof name, "l%d.angle", i);
      CHECK_NEAR(tan(rig_value(row, 0, name)) * h - 0.2 * 9.81 * (LINKS / 2.0 - i - 0.5), 0, 1e-8);
    }
    CHECK(rig_value(row, 0, "l5.y") < -0.2);
  }
  hn_result_destroy(row);
  rig_close(&r);
}

// a door on two hinges: vertical load shared by stiffness, equally when they are alike
static void shared_load(void) {
  for (int stiff = 0; stiff < 2; stiff++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "bodies: {door: {mass: 10, shape: {box: {size: [1, 0.05, 2]}}, position: [0.5, 0, 1]}}\n"
        "joints:\n"
        "  low: {type: revolute, a: ground, b: door, at: [0, 0, 0.5]}\n"
        "  high: {type: revolute, a: ground, b: door, at: [0, 0, 1.5], stiffness: %s}\n"
        "forces:\n"
        "  shut: {type: torsion-spring, joint: low, stiffness: 5}\n",
        stiff ? "3" : "1");
    rig r;
    hn_equilibrium info;
    hn_result *row = NULL;
    if (!rig_open(&r, text)) return;
    CHECK(!hn_statics(r.sim, HN_REST, &info, &row));
    double weight = 98.1, low = rig_value(row, 0, "low.fz"), high = rig_value(row, 0, "high.fz");
    CHECK_NEAR(low + high, weight, 1e-10);
    CHECK_NEAR(high, weight * (stiff ? 0.75 : 0.5), 1e-10);
    // moments about the lower hinge: the couple of the two horizontal forces and the torques
    double couple = rig_value(row, 0, "high.fx") * 1.0 + rig_value(row, 0, "low.ty") +
                    rig_value(row, 0, "high.ty");
    CHECK_NEAR(couple, -weight * 0.5, 1e-9);
    CHECK(strstr(info.sharing, stiff ? "stiffness" : "equally"));
    CHECK(info.stability == HN_STABLE && info.dof == 1);
    hn_result_destroy(row);
    rig_close(&r);
  }
}

// a ball on a table can be anywhere; a free body under gravity has no equilibrium; a follower force
// makes the stiffness unsymmetric
static void kinds(void) {
  static const char table[] = "gravity: [0, 0, -9.81]\n"
                              "bodies: {puck: {mass: 1, inertia: [1, 1, 2]}}\n"
                              "joints: {table: {type: planar, a: ground, b: puck}}\n";
  static const char falling[] = "gravity: [0, -9.81]\n"
                                "bodies: {stone: {type: planar, mass: 1, inertia: 1}}\n";
  static const char follower[] =
      "bodies:\n"
      "  one: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], frames: {a: [-0.5, 0],"
      " b: [0.5, 0]}}\n"
      "  two: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0], frames: {a: [-0.5, 0],"
      " b: [0.5, 0]}}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground, b: one.a}\n"
      "  B: {type: revolute, a: one.b, b: two.a}\n"
      "forces:\n"
      "  kA: {type: torsion-spring, joint: A, stiffness: 1}\n"
      "  kB: {type: torsion-spring, joint: B, stiffness: 1}\n"
      "  push: {type: force, b: two.b, force: [%s, 0], axes: body}\n";
  rig r;
  hn_equilibrium info;
  if (rig_open(&r, table)) {
    CHECK(!hn_statics(r.sim, HN_REST, &info, NULL));
    CHECK(info.stability == HN_INDIFFERENT && info.indifferent == 3 && info.dof == 3);
    rig_close(&r);
  }
  if (rig_open(&r, falling)) {
    CHECK(hn_statics(r.sim, HN_REST, &info, NULL) == HN_ERR_DIVERGED);
    CHECK(strstr(hn_sim_error(r.sim), "'stone'"));
    rig_close(&r);
  }
  // Ziegler's column flutters beyond a critical load although every stiffness is positive
  for (int heavy = 0; heavy < 2; heavy++) {
    char text[1200];
    snprintf(text, sizeof text, follower, heavy ? "-20" : "-0.1");
    if (!rig_open(&r, text)) continue;
    CHECK(!hn_statics(r.sim, HN_REST, &info, NULL));
    CHECK(info.circulatory);
    CHECK(info.stability == (heavy ? HN_UNSTABLE : HN_STABLE));
    rig_close(&r);
  }
}

// drivers stand still: their motion only says where
static void driven(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  cart: {type: planar, mass: 2, inertia: 1}\n"
      "  bob: {type: planar, mass: 1, inertia: 0.01, position: [0.3, -0.4]}\n"
      "joints:\n"
      "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0, 0]}\n"
      "  hang: {type: revolute, a: cart, b: bob, at: [0, 0]}\n"
      "  drive: {type: driver, joint_a: rail, motion: 0.2 + 3*t + 5*t^2}\n";
  rig r;
  hn_equilibrium info;
  hn_result *row = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(!hn_statics(r.sim, HN_REST, &info, &row));
  CHECK(info.dof == 1 && info.stability == HN_STABLE);
  CHECK_NEAR(rig_value(row, 0, "cart.x"), 0.2, 1e-13);
  CHECK_NEAR(rig_value(row, 0, "bob.x"), 0.2, 1e-12);
  CHECK_NEAR(rig_value(row, 0, "bob.y"), -0.5, 1e-13);
  CHECK_NEAR(rig_value(row, 0, "hang.fy"), 9.81, 1e-11);
  CHECK_NEAR(rig_value(row, 0, "hang.fx"), 0, 1e-11);
  hn_result_destroy(row);
  // and who moves is told
  const char *unit;
  double rate;
  CHECK_STR(hn_statics_holds(r.sim, &rate, &unit), "drive");
  CHECK_NEAR(rate, 3, 1e-15);
  CHECK_STR(unit, "m/s");
  rig_close(&r);
}

// wheels balanced on axles in any direction: nothing holds them, and round-off is no push
static void balanced(void) {
  for (int i = 0; i < 100; i++) {
    char text[512];
    rig r;
    hn_equilibrium info;
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "bodies: {w: {mass: %.17g, inertia: [2, 2.5, 3], position: [%.17g, %.17g, %.17g]},\n"
        "  v: {mass: 1, inertia: [1, 1.5, 2], position: [0, 0, %.17g]}}\n"
        "joints: {a: {type: revolute, b: w, axis: [%.17g, %.17g, %.17g]}, b: {type: universal, "
        "b: v, axis: [1, %.17g, 0], axis_b: [0, 0, 1]}}\n",
        test_random(0.1, 50), test_random(-1, 1), test_random(-1, 1), test_random(-1, 1),
        test_random(-1, 1), test_random(-1, 1), test_random(-1, 1), test_random(0.1, 1),
        test_random(-1, 1));
    if (!CHECK(rig_open(&r, text))) continue;
    CHECK(!hn_statics(r.sim, HN_REST, &info, NULL));
    CHECK(info.stability == HN_INDIFFERENT && info.indifferent == 3);
    rig_close(&r);
  }
}

// ---- every example ---------------------------------------------------------------------------

// where statics finds an equilibrium nothing accelerates, joints are closed, and it is stable
// exactly when no mode grows
static void examples(void) {
  int found = 0, none = 0;
  for (int i = 0; hn_example_name(i); i++) {
    rig r;
    hn_equilibrium info;
    if (!rig_open(&r, hn_example_text(i))) continue;
    // the largest take their time under sanitizers
    if (hn_system_nv(r.system) > 100) {
      rig_close(&r);
      continue;
    }
    hn_status status = hn_statics(r.sim, HN_REST, &info, NULL);
    bool known = status == HN_OK || status == HN_ERR_DIVERGED || status == HN_ERR_UNSUPPORTED;
    // statics leaves stops out: what it finds behind one is refused
    known |= status == HN_ERR_ARGUMENT && strstr(hn_sim_error(r.sim), "behind the stop");
    if (!CHECK(known)) printf("%s: %s\n", hn_example_name(i), hn_sim_error(r.sim));
    none += status == HN_ERR_DIVERGED;
    hn_linear *linear = NULL;
    hn_modes *modes = NULL;
    // at a singular place there are no modes
    if (!status && info.rows_lost) CHECK(hn_linearise(r.sim, &linear) != HN_OK && !linear);
    if (!status && !info.rows_lost && CHECK(!hn_linearise(r.sim, &linear)) &&
        CHECK(!hn_modes_create(&modes, linear))) {
      found++;
      bool grows = false;
      double fastest = 0;
      for (int k = 0; k < modes->count; k++)
        fastest = fmax(fastest, hypot(modes->mode[k].re, modes->mode[k].im));
      for (int k = 0; k < modes->count; k++) grows |= modes->mode[k].re > 1e-6 * fastest;
      hn_residuals residuals;
      CHECK(!hn_sim_residuals(r.sim, &residuals));
      if (!CHECK(linear->equilibrium) || !CHECK(grows == (info.stability == HN_UNSTABLE)) ||
          !CHECK(residuals.position < 1e-9))
        printf("  in %s\n", hn_example_name(i));
    }
    hn_modes_destroy(modes);
    hn_linear_destroy(linear);
    rig_close(&r);
  }
  // some slide, roll or are driven for ever
  CHECK(found > 20 && none >= 2);
}

// how far a spatial body turned is an angle, not a component of a quaternion
static void turned_in_space(void) {
  rig r;
  hn_equilibrium info;
  if (!rig_open(&r,
                "gravity: [0, 0, -9.81]\n"
                "bodies: {rod: {mass: 1, inertia: [1e-6, 1e-6, 1e-6], position: [0.001, 0, 0]}}\n"
                "joints: {O: {type: revolute, a: ground, b: rod, at: [0, 0, 0],"
                " axis: [0, 1, 0]}}\n"))
    return;
  CHECK(!hn_statics(r.sim, HN_REST, &info, NULL));
  CHECK_NEAR(info.moved, acos(-1) / 2, 1e-9);
  rig_close(&r);
}

// ---- along a load ------------------------------------------------------------------------------

// a state of first order rests at every point as the bodies do: y = 5 t, and 10 x = y
static void path_with_states(void) {
  rig r;
  hn_path info;
  hn_result *rows = NULL;
  if (!rig_open(&r, "bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
                    "joints: {rail: {type: prismatic, a: ground, b: b, axis: [1, 0]}}\n"
                    "states: {y: {rate: 5*t - y}}\n"
                    "forces:\n"
                    "  s: {type: spring, joint: rail, stiffness: 10}\n"
                    "  m: {type: motor, joint: rail, law: y}\n"))
    return;
  CHECK(!hn_statics_path(r.sim, &(hn_path_def){.until = 2}, &info, &rows));
  CHECK(hn_result_rows(rows) > 3);
  for (int i = 0; i < hn_result_rows(rows); i++) {
    double t = hn_result_row(rows, i)[0];
    CHECK_NEAR(rig_value(rows, i, "y"), 5 * t, 1e-9);
    CHECK_NEAR(rig_value(rows, i, "b.x"), 0.5 * t, 1e-9);
  }
  CHECK_NEAR(info.reached, 2, 0);
  hn_result_destroy(rows);
  // the run goes on from there: nothing moves
  hn_pose pose;
  CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "b"), &pose));
  CHECK_NEAR(pose.position[0], 1, 1e-9);
  rig_close(&r);
}

// a stop carries a block until the load lifts it off, 20 t = 9.81; then it would have to pull
static void path_that_lets_go(void) {
  rig r;
  hn_result *rows = NULL;
  if (!rig_open(&r, "gravity: [0, -9.81]\n"
                    "bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
                    "joints: {rail: {type: prismatic, a: ground, b: b, axis: [0, 1],"
                    " limits: [0, 1]}}\n"
                    "forces: {m: {type: motor, joint: rail, law: 20*t}}\n"))
    return;
  CHECK(!hn_statics_path(r.sim, &(hn_path_def){.until = 0.4}, NULL, &rows));
  int last = hn_result_rows(rows) - 1;
  CHECK_NEAR(rig_value(rows, last, "rail.lower.fy"), 9.81 - 8, 1e-9);
  hn_result_destroy(rows);
  rows = NULL;
  CHECK(hn_statics_path(r.sim, &(hn_path_def){.until = 1}, NULL, &rows) == HN_ERR_DIVERGED);
  CHECK(strstr(hn_sim_error(r.sim), "rail.lower") != NULL);
  CHECK(hn_result_row(rows, hn_result_rows(rows) - 1)[0] < 9.81 / 20);
  hn_result_destroy(rows);
  rig_close(&r);
}

int main(void) {
  RUN(relaxed_run);
  RUN(upright_or_hanging);
  RUN(catenary);
  RUN(shared_load);
  RUN(kinds);
  RUN(driven);
  RUN(balanced);
  RUN(examples);
  RUN(turned_in_space);
  RUN(path_with_states);
  RUN(path_that_lets_go);
  return test_end();
}
