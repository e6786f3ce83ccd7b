// test_reactions.c: reactions where joints share a load, by hand and by compatibility.
//
// The expected shares are those of rigid bodies on springs, solved on paper: every method and both
// kinds of coordinates must report them, since what is shared does not depend on how the motion was
// found. B1 and B2 are the independent solutions of tests/references.
#include "reference.h"

#include <unistd.h>

static const double g = 9.81;

static bool parse(machine *m, const char *text, const char *coordinates) {
  *m = (machine){.model = hn_model_create()};
  hn_status status = hn_model_parse(m->model, text, strlen(text), "test");
  hn_options *o = hn_model_options(m->model);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  if (!status) status = hn_compile(&m->system, m->model);
  if (status) printf("%s\n", hn_model_error(m->model));
  m->options = *o;
  return CHECK(!status);
}

// a joint by its place in the file
static hn_reaction reaction(machine *m, int joint) {
  hn_reaction r = {0};
  CHECK(hn_joint_reaction(m->sim, (hn_joint){joint}, &r) == HN_OK);
  return r;
}

static const char *const coordinates[] = {"reference", "relative"};

// ---- by hand -------------------------------------------------------------------------------

// stiffness k_t across, k_z along (the lowest twice), k_r against bending, hinges at 0, +-c from
// the middle. A weight W at the distance w/2 and a pull P = m omega^2 w/2 outwards:
//   along the axis      W/2, W/4, W/4
//   across              P/3 each, and a turn about y by W w/2 / (2 k_t c^2 + 3 k_r)
// A closer's torque about the axis accelerates the door; what that asks across is shared equally
static void test_door(void) {
  for (int i = 0; i < 2; i++) {
    machine m;
    if (machine_load(&m, "door", coordinates[i], NULL, NULL) || machine_start(&m)) return;
    double W = 20 * g, P = 20 * 0.5, turn = W * 0.5 / (2 * 1e7 * 0.64 + 3 * 1e3);
    double couple = 1e7 * 0.8 * turn;
    hn_reaction low = reaction(&m, 1), middle = reaction(&m, 2), high = reaction(&m, 3);
    CHECK_NEAR(low.force[2], W / 2, 1e-9);
    CHECK_NEAR(middle.force[2], W / 4, 1e-9);
    CHECK_NEAR(high.force[2], W / 4, 1e-9);
    CHECK_NEAR(low.force[0], -P / 3 + couple, 1e-9);
    CHECK_NEAR(middle.force[0], -P / 3, 1e-9);
    CHECK_NEAR(high.force[0], -P / 3 - couple, 1e-9);
    CHECK_NEAR(fabs(middle.torque[1]), 1e3 * turn, 1e-9);
    CHECK_NEAR(low.torque[1], high.torque[1], 1e-9);
    CHECK_NEAR(low.force[1], high.force[1], 1e-9);
    CHECK_STR(hn_system_check(m.system)->reactions,
              "undetermined ones shared by the stiffness of the joints");
    machine_free(&m);
  }
}

// legs of stiffness 1: N = a + b x + c y at the corners, so A + C = B + D. The wedge under C alone
// would take 40 N; when all legs give way alike, a quarter of that stays, alternating
static void test_table(void) {
  for (int i = 0; i < 2; i++) {
    machine m;
    if (machine_load(&m, "table", coordinates[i], NULL, NULL) || machine_start(&m)) return;
    double W = 17 * g, mx = 5 * g * 0.3, my = 5 * g * 0.1;
    for (int leg = 0; leg < 4; leg++) {
      double x = leg == 0 || leg == 3 ? -0.6 : 0.6, y = leg < 2 ? -0.4 : 0.4;
      double N = W / 4 + mx * x / (4 * 0.36) + my * y / (4 * 0.16) + (leg % 2 ? -10 : 10);
      CHECK_NEAR(reaction(&m, leg + 1).force[2], N, 1e-9);
    }
    CHECK_STR(hn_system_check(m.system)->preload,
              "changed to what the joints can hold among themselves: 40 given, 10 kept");
    machine_free(&m);
  }
}

// a shaft in two equal bearings and a third that is softer, loaded off centre: deflection
// u + phi x, forces k (u + phi x); moments of the bearings do not take part (point joints)
static void test_three_bearings(void) {
  machine m;
  if (!parse(&m,
             "gravity: [0, 0, -10]\n"
             "bodies:\n"
             "  shaft: {mass: 1, inertia: [1, 1, 1], position: [0.3, 0, 0]}\n"
             "joints:\n"
             "  a: {type: point-on-line, a: ground, b: shaft, at: [-1, 0, 0], axis: [1, 0, 0], "
             "stiffness: 2}\n"
             "  b: {type: point-on-line, a: ground, b: shaft, at: [0, 0, 0], axis: [1, 0, 0]}\n"
             "  c: {type: point-on-line, a: ground, b: shaft, at: [1, 0, 0], axis: [1, 0, 0], "
             "stiffness: 2}\n"
             "simulation: {duration: 1}\n",
             "reference"))
    return;
  if (machine_start(&m) == HN_OK) {
    // u = 10/5, phi = 3/4
    CHECK_NEAR(reaction(&m, 1).force[2], 2 * (2 - 0.75), 1e-10);
    CHECK_NEAR(reaction(&m, 2).force[2], 2, 1e-10);
    CHECK_NEAR(reaction(&m, 3).force[2], 2 * (2 + 0.75), 1e-10);
  }
  machine_free(&m);
}

// coupled rows: bearing 1 with K = [2 1; 1 2], bearing 2 with 1: K1 (K1 + K2)^-1 (0, W) = W/8 (1,
// 5)
static void test_coupled(void) {
  machine m;
  if (!parse(&m,
             "gravity: [0, -8]\n"
             "bodies: {weight: {type: planar-point, mass: 1}}\n"
             "joints:\n"
             "  one: {type: spherical, a: ground, b: weight, constraint_stiffness: [2, 1, 1, 2]}\n"
             "  two: {type: spherical, a: ground, b: weight, preload: [1, 2]}\n"
             "simulation: {duration: 1}\n",
             "reference"))
    return;
  if (machine_start(&m) == HN_OK) {
    // the preload p of bearing 2 leaves K2^-1 p = (K1^-1 + K2^-1) x: x = [3 1; 1 3]^-1 K1 p
    double px = (3 * 4 - 1 * 5) / 8.0, py = (3 * 5 - 1 * 4) / 8.0;
    hn_reaction one = reaction(&m, 1), two = reaction(&m, 2);
    CHECK_NEAR(one.force[0], 1 - px, 1e-10);
    CHECK_NEAR(one.force[1], 5 - py, 1e-10);
    CHECK_NEAR(two.force[0], -1 + px, 1e-10);
    CHECK_NEAR(two.force[1], 3 + py, 1e-10);
  }
  machine_free(&m);
}

// least norm does not depend on the unit of length: forces of a beam clamped at both ends, in
// metres and in millimetres (masses such that the weights are alike)
static void test_units(void) {
  double force[2], torque[2];
  for (int i = 0; i < 2; i++) {
    double unit = i ? 1000 : 1;
    char text[512];
    snprintf(text, sizeof text,
             "parameters: {u: %g}\n"
             "gravity: [0, 0, -10*u]\n"
             "bodies:\n"
             "  beam: {mass: 1, inertia: [u^2, u^2, u^2], position: [0.3*u, 0, 0]}\n"
             "joints:\n"
             "  a: {type: fixed, a: ground, b: beam, at: [-u, 0, 0]}\n"
             "  b: {type: fixed, a: ground, b: beam, at: [u, 0, 0]}\n",
             unit);
    machine m;
    if (!parse(&m, text, "reference")) return;
    force[i] = torque[i] = 0;
    if (machine_start(&m) == HN_OK) {
      force[i] = reaction(&m, 1).force[2] / unit;
      torque[i] = reaction(&m, 1).torque[1] / unit / unit;
    }
    machine_free(&m);
  }
  CHECK_NEAR(force[0], force[1], 1e-10);
  CHECK_NEAR(torque[0], torque[1], 1e-10);
  CHECK(fabs(torque[0]) > 0.1);
}

// a preload where nothing is redundant has nowhere to go
static void test_preload_alone(void) {
  machine m;
  if (!parse(&m,
             "bodies: {weight: {type: planar-point, mass: 1}}\n"
             "joints: {pin: {type: spherical, a: ground, b: weight, preload: [1, 2]}}\n",
             "reference"))
    return;
  CHECK_STR(hn_system_check(m.system)->preload,
            "without effect: the joints cannot hold it among themselves");
  CHECK_STR(hn_system_check(m.system)->reactions, "all determined by the motion, preload added");
  if (machine_start(&m) == HN_OK) CHECK_NEAR(reaction(&m, 1).force[0], 0, 1e-12);
  machine_free(&m);
}

// ---- references ----------------------------------------------------------------------------

static double run_against(machine *m, const char *name, const pair *pairs) {
  table reference = {0}, ours = {0};
  hn_result *result = NULL;
  errors e = {0};
  bool ok = CHECK(reference_read(&reference, name));
  if (ok) machine_follow(m, &reference, 10);
  m->options.rtol = 1e-10;
  ok = ok && CHECK(machine_start(m) == HN_OK) && CHECK(!hn_run(m->sim, &result, NULL, NULL)) &&
       CHECK(table_pick(&ours, result, &reference)) &&
       CHECK(compare(&e, pairs, &reference, &ours, 0, "f", false));
  table_free(&ours), table_free(&reference);
  hn_result_destroy(result);
  return ok ? e.worst[FORCE] : INFINITY;
}

#define TENSION(rod)    "-(" rod ".fx*mass.x+" rod ".fy*mass.y)/2"
#define ROD(name, keys) "  " name ": {type: distance, a: ground, b: mass" keys "}\n"
#define PENDULUM                                                                                   \
  "gravity: [0, -9.81]\n"                                                                          \
  "bodies: {mass: {type: planar-point, mass: 1, position: [2, 0]}}\njoints:\n"

static void test_two_rods(void) {
  static const struct {
    const char *text;
    pair pairs[3];
  } cases[] = {
      {PENDULUM ROD("rod1", ", stiffness: 1") ROD("rod2", ", stiffness: 2"),
       {{'f', "F_rod1", TENSION("rod1")}, {'f', "F_rod2", TENSION("rod2")}, {0}}},
      {PENDULUM ROD("rod1", "") ROD("rod2", ""),
       {{'f', "F_each_min_norm", TENSION("rod1")}, {'f', "F_each_min_norm", TENSION("rod2")}, {0}}},
      // rod 1 too long by 6e-7 m at 1e7 N/m: alone it would push with 6 N; 4 N remain
      {PENDULUM ROD("rod1", ", stiffness: 1e7, preload: [6]") ROD("rod2", ", stiffness: 2e7"),
       {{'f', "F_rod1_preload", TENSION("rod1")}, {'f', "F_rod2_preload", TENSION("rod2")}, {0}}},
      // the same as a self-stress
      {PENDULUM ROD("rod1", ", stiffness: 1, preload: [4]")
           ROD("rod2", ", stiffness: 2, preload: [-4]"),
       {{'f', "F_rod1_preload", TENSION("rod1")}, {'f', "F_rod2_preload", TENSION("rod2")}, {0}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    machine m;
    if (!parse(&m, cases[i].text, "reference")) continue;
    CHECK(run_against(&m, "B1_two_rod_pendulum", cases[i].pairs) < 1e-8);
    machine_free(&m);
  }
}

static void test_parallelogram(void) {
  static const pair pairs[] = {{'f', "Ntop_A", TOP("B", "rodA")},
                               {'f', "Ntop_C", TOP("D", "rodC")},
                               {'f', "Ntop_E", TOP("F", "rodE")},
                               {'f', "Ntop_G", TOP("H", "rodG")},
                               {'f', "Nbase_A", BASE("A", "rodA")},
                               {'f', "Nbase_C", BASE("C", "rodC")},
                               {'f', "Nbase_E", BASE("E", "rodE")},
                               {'f', "Nbase_G", BASE("G", "rodG")},
                               {'f', "Ntop_K", TOP("L", "rodK")},
                               {'f', "base_reaction_on_rod_G_x", "G.fx"},
                               {'f', "base_reaction_on_rod_G_y", "G.fy"},
                               {'f', "base_reaction_on_rod_G_z", "G.fz"},
                               {0}};
  for (int i = 0; i < 2; i++) {
    machine m;
    if (machine_load(&m, "parallelogram", coordinates[i], NULL, NULL)) return;
    CHECK(run_against(&m, "B2_parallelogram_end_inertia", pairs) < 1e-8);
    machine_free(&m);
  }
}

// the planar four-bar's reference holds for hinges in space; out of plane there is nothing
static void test_spatial_four_bar(void) {
  static const pair pairs[] = {{'f', "FA_x", "A.fx"},   {'f', "FA_y", "A.fy"},
                               {'f', "FB_x", "B.fx"},   {'f', "FC_y", "C.fy"},
                               {'f', "FD_x", "D.fx"},   {'f', "FD_y", "D.fy"},
                               {'f', "0*FA_x", "A.fz"}, {'f', "0*FA_x", "C.tx"},
                               {'f', "0*FA_x", "D.ty"}, {0}};
  for (int i = 0; i < 2; i++) {
    machine m;
    if (machine_load(&m, "spatial_four_bar", coordinates[i], NULL, NULL)) return;
    CHECK(run_against(&m, "A1_fourbar", pairs) < 1e-6);
    machine_free(&m);
  }
}

// ---- every method --------------------------------------------------------------------------

// shares that hold whatever error the motion has
static const struct {
  const char *model, *zero, *size;
} shares[] = {
    {"two_rod_pendulum", "2*rod1.fx-rod2.fx", "rod1.fx"},
    {"two_rod_pendulum", "2*rod1.fy-rod2.fy", "rod1.fy"},
    {"door", "low.fz-2*high.fz", "low.fz"},
    {"door", "low.fx-2*middle.fx+high.fx", "low.fx"},
    {"parallelogram", "B.fz-D.fz+F.fz-H.fz", "B.fz"},
    {"parallelogram", "A.fy-C.fy+E.fy-G.fy", "A.fy"},
    {"table", "A.fz-B.fz+C.fz-D.fz-40", "A.fz"},
};

static bool run_method(machine *m, table *t, hn_result **result) {
  m->options.duration = 0.02;
  m->options.output_step = 0.002;
  m->options.step = 1e-3;
  m->options.solver[0] = m->options.correction[0] = m->options.integrator[0] = 0;
  hn_status status = machine_start(m);
  if (status == HN_ERR_UNSUPPORTED) return false;
  if (!CHECK(!status) || !CHECK(!hn_run(m->sim, result, NULL, NULL))) return false;
  t->columns = hn_result_columns(*result), t->rows = hn_result_rows(*result);
  t->name = calloc((size_t)t->columns, sizeof *t->name);
  t->value = calloc((size_t)t->columns * (size_t)t->rows, sizeof *t->value);
  for (int i = 0; i < t->columns; i++) t->name[i] = hn_result_name(*result, i);
  for (int i = 0; i < t->rows; i++)
    memcpy(table_row(t, i), hn_result_row(*result, i), (size_t)t->columns * sizeof(double));
  return true;
}

static void test_every_method(void) {
  int runs = 0;
  const hn_method_info *method;
  for (int k = 0; (method = hn_method_at(k)); k++) {
    if (strcmp(method->name, "velocity-soft") == 0) continue;  // springs of its own
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
      for (int c = 0; c < 2; c++) {
        machine m;
        table t = {0};
        hn_result *result = NULL;
        if (machine_load(&m, shares[i].model, coordinates[c], NULL, NULL)) return;
        snprintf(m.options.method, sizeof m.options.method, "%s", method->name);
        if (run_method(&m, &t, &result)) {
          double *zero = table_evaluate(&t, shares[i].zero);
          double *size = table_evaluate(&t, shares[i].size);
          double scale = largest_of(size, t.rows), error = largest_of(zero, t.rows);
          // a violation changes the geometry, and some steppers have multipliers of their last step
          hn_summary s;
          hn_sim_summary(m.sim, &s);
          bool late =
              strncmp(method->name, "velocity", 8) == 0 || strcmp(method->name, "moreau") == 0;
          // those of staggered are a line through the last two middles of steps
          bool line = strcmp(method->name, "staggered") == 0;
          double tolerance = (late ? 3e-2 : line ? 1e-3 : 1e-8) + 300 * s.audit[0].worst;
          if (!CHECK(error <= tolerance * scale))
            printf("%s, %s: %s is %g of %g\n", method->name, shares[i].model, shares[i].zero, error,
                   scale);
          free(zero), free(size);
          runs++;
        }
        table_free(&t);
        hn_result_destroy(result);
        machine_free(&m);
      }
  }
  CHECK(runs > 100);
}

// ---- power ---------------------------------------------------------------------------------

// joints do no work, except the one that heaves the ship: F_z h', h = 0.08 sin 3t
static void test_power(void) {
  static const pair driven[] = {{'f', "mount_Fz*0.24*cos(3*t)", "constraints.power"}, {0}};
  static const pair ideal[] = {{'f', "FA_x", "A.fx+0*constraints.power"}, {0}};
  for (int i = 0; i < 2; i++) {
    machine m;
    if (machine_load(&m, "ship_mount", coordinates[i], NULL, NULL)) return;
    CHECK(run_against(&m, "D_ship_mount", driven) < 1e-8);
    machine_free(&m);
    if (machine_load(&m, "four_bar", coordinates[i], NULL, NULL)) return;
    CHECK(run_against(&m, "A1_fourbar", ideal) < 1e-6);
    hn_summary s;
    hn_sim_summary(m.sim, &s);
    CHECK(s.audit_count >= 7 && s.audit[6].worst < 1e-12 && s.audit_pass);
    machine_free(&m);
  }
}

// ---- notes ---------------------------------------------------------------------------------

// what is undetermined is said in the file too
static void test_notes(void) {
  static const char *const ending[] = {"csv", "h5"};
  machine m;
  hn_result *result = NULL, *back = NULL;
  if (machine_load(&m, "table", "reference", NULL, NULL)) return;
  m.options.duration = 0.01;
  if (!CHECK(!machine_start(&m)) || !CHECK(!hn_run(m.sim, &result, NULL, NULL))) return;
  CHECK_STR(hn_result_note(result, 0),
            "reactions: undetermined ones of least norm (moments over 1 m), preload added");
  CHECK_STR(hn_result_note(result, 2),
            "joint 'D': position along z repeats what 'A', 'B' and 'C' already impose");
  CHECK_STR(hn_result_note(result, 3), "undetermined: A.fz");
  CHECK(hn_result_notes(result) == 11 && hn_result_note(result, 11) == NULL);
  for (int i = 0; i < 2; i++) {
    char path[64], message[256] = "";
    snprintf(path, sizeof path, "/tmp/holon_notes_%ld.%s", (long)getpid(), ending[i]);
    hn_status status = hn_result_write(result, path, message, sizeof message);
    if (status == HN_ERR_UNSUPPORTED) continue;
    CHECK(!status && !hn_result_read(&back, path, message, sizeof message));
    CHECK(hn_result_notes(back) == 11 && hn_result_rows(back) == hn_result_rows(result));
    for (int k = 0; k < 11; k++) CHECK_STR(hn_result_note(back, k), hn_result_note(result, k));
    hn_result_destroy(back);
    unlink(path);
  }
  hn_result_destroy(result);
  machine_free(&m);
}

// an unbalanced rotor in three bearings, driven round and round: each carries its share of the
// pull m omega^2 e, however often it has turned
static void test_driven_rotor(void) {
  const char text[] = "bodies: {rotor: {mass: 3, inertia: [0.2, 0.3, 0.1], com: [0.01, 0, 0]}}\n"
                      "joints:\n"
                      "  low: {type: revolute, b: rotor, at: [0, 0, -1], stiffness: 1e4}\n"
                      "  middle: {type: revolute, b: rotor, at: [0, 0, 0], stiffness: 2}\n"
                      "  high: {type: revolute, b: rotor, at: [0, 0, 1], stiffness: 1e4}\n"
                      "  motor: {type: driver, joint_a: middle, motion: 50*t}\n";
  for (int i = 0; i < 2; i++) {
    machine m;
    if (!parse(&m, text, coordinates[i]) || machine_start(&m)) return;
    const double pull = 3 * 2500 * 0.01, share[3] = {1e4 / 20002, 2.0 / 20002, 1e4 / 20002};
    for (int k = 0; k < 40; k++) {
      double t = 0.02 * k, angle = 50 * t;
      CHECK(hn_advance(m.sim, t) == HN_OK);
      for (int j = 0; j < 3; j++) {
        hn_reaction r = reaction(&m, j + 1);
        CHECK_NEAR(r.force[0], -pull * share[j] * cos(angle), 1e-10 * pull);
        CHECK_NEAR(r.force[1], -pull * share[j] * sin(angle), 1e-10 * pull);
      }
    }
    machine_free(&m);
  }
}

// Wheels of radius 1 and 2 mesh where they touch, T on the first: with I and 4 I the teeth press by
// F = T/2 (T - F = I a, 2 F = 4 I a / 2), and each bearing holds its wheel against that. A rack
// instead of the second wheel, of mass m: T - F r = I a, F = m r a
static void test_teeth(void) {
  static const char wheels[] = "bodies:\n"
                               "  one: {type: planar, mass: 3, inertia: 1}\n"
                               "  two: {type: planar, mass: 5, inertia: 4, position: [3, 0]}\n"
                               "joints:\n"
                               "  A: {type: revolute, b: one, at: [0, 0]}\n"
                               "  B: {type: revolute, b: two, at: [3, 0]}\n"
                               "  teeth: {type: gear, joint_a: A, joint_b: B, ratio: -0.5}\n"
                               "forces:\n"
                               "  drive: {type: motor, joint: A, law: 6}\n";
  static const char rack[] = "bodies:\n"
                             "  one: {type: planar, mass: 3, inertia: 1}\n"
                             "  two: {type: planar, mass: 2, inertia: 4, position: [0, 1]}\n"
                             "joints:\n"
                             "  A: {type: revolute, b: one, at: [0, 0]}\n"
                             "  B: {type: prismatic, b: two, at: [0, 1], axis: [1, 0]}\n"
                             "  teeth: {type: rack-pinion, joint_a: A, joint_b: B, radius: 1}\n"
                             "forces:\n"
                             "  drive: {type: motor, joint: A, law: 6}\n";
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      machine m;
      char message[256];
      if (!parse(&m, k ? rack : wheels, coordinates[i])) continue;
      if (CHECK(!hn_sim_create(&m.sim, m.system, &m.options, message, sizeof message))) {
        hn_reaction a = reaction(&m, 1), b = reaction(&m, 2), teeth = reaction(&m, 3);
        // wheels: across the line of centres at (1, 0); rack: along it at (0, +-1)
        int along = !k;
        for (int x = 0; x < 3; x++) {
          CHECK_NEAR(fabs(teeth.force[x]), x != along ? 0 : k ? 4 : 3, 1e-9);
          CHECK_NEAR(teeth.torque[x], 0, 1e-9);
          CHECK_NEAR(fabs(teeth.point[x]), x == k ? 1 : 0, 1e-9);
          CHECK_NEAR(a.force[x], teeth.force[x], 1e-9);
          CHECK_NEAR(b.force[x], k ? 0 : -teeth.force[x], 1e-9);
        }
      }
      machine_free(&m);
    }
}

int main(void) {
  RUN(test_door);
  RUN(test_table);
  RUN(test_three_bearings);
  RUN(test_driven_rotor);
  RUN(test_coupled);
  RUN(test_units);
  RUN(test_preload_alone);
  RUN(test_two_rods);
  RUN(test_parallelogram);
  RUN(test_spatial_four_bar);
  RUN(test_every_method);
  RUN(test_power);
  RUN(test_notes);
  RUN(test_teeth);
  return test_end();
}
