// test_force_values.c: forces against formulas worked out by hand; columns, refusals, the table.
#include "force_rig.h"
#include "system/reaction.h"

static const double curve[] = {-0.5, -40, -0.1, -6, 0.2, 3, 0.6, 30};  // elongation, tension
static const double profile[] = {-3, 0.1, -1, 0, 0.5, 0.2, 2, -0.1, 5, 0.3};

// two equal bodies, distance L between the points: the tension by hand
static double tension(hn_force_def def, double length, double rate) {
  hn_model *model = hn_model_create();
  rig r = {.model = model, .flat = false, .count = 2, .kind = {HN_POINT, HN_POINT}};
  r.a = hn_add_body(model, &(hn_body_def){.name = "a", .kind = HN_POINT, .mass = 1});
  r.b = hn_add_body(
      model, &(hn_body_def){.name = "b", .kind = HN_POINT, .mass = 1, .position = {0, 0, 1}});
  def.at_b[2] = 1;
  double F = NAN;
  if (rig_force(&r, def)) {
    r.q[5] = length;
    r.v[5] = rate;
    rig_eval(&r, 0.7);
    F = column_value(&r, 2);
    CHECK_NEAR(column_value(&r, 0), length, 1e-15);
    CHECK_NEAR(column_value(&r, 1), rate, 1e-15);
    // tension pulls together
    CHECK_NEAR(r.work.f[2], F, 1e-12);
    CHECK_NEAR(r.work.f[5], -F, 1e-12);
    CHECK(r.work.f[0] == 0 && r.work.f[4] == 0);
  }
  rig_close(&r);
  return F;
}

static void test_spring_values(void) {
  // without a free length the spring is relaxed as described, at 1 m
  CHECK_NEAR(tension((hn_force_def){.type = "spring", .stiffness = 100}, 1.25, 3), 25, 1e-12);
  CHECK_NEAR(
      tension((hn_force_def){.type = "spring", .stiffness = 100, .free = 0.5, .free_given = true},
              1.25, 3),
      75, 1e-12);
  CHECK_NEAR(
      tension((hn_force_def){.type = "spring", .stiffness = 100, .free_given = true}, 1.25, 0), 125,
      1e-12);
  CHECK_NEAR(tension((hn_force_def){.type = "spring", .damping = 6, .preload = 4}, 2, 3), 22,
             1e-12);
  // 2 x + 3 x^2 + 4 x^3 at x = 0.5
  CHECK_NEAR(tension((hn_force_def){.type = "spring",
                                    .coefficients = (double[]){2, 3, 4},
                                    .coefficient_count = 3},
                     1.5, 0),
             1 + 0.75 + 0.5, 1e-12);
  // the table: at a point, between two, straight beyond both ends
  const double x[] = {-0.5, -0.3, 0, 0.4, 0.6, 1}, F[] = {-40, -23, -3, 16.5, 30, 57};
  const hn_force_def table = {.type = "spring", .table = curve, .table_count = 4};
  for (int i = 0; i < 6; i++) CHECK_NEAR(tension(table, 1 + x[i], 0), F[i], 1e-12);
  CHECK_NEAR(tension(table, 0.4, 0), -40 - 0.1 * 85, 1e-12);
  // the law sees length, rate and time
  CHECK_NEAR(
      tension((hn_force_def){.type = "spring", .law = "100*(length - 1) + 6*rate + t"}, 1.25, 3),
      25 + 18 + 0.7, 1e-12);
}

// the same straight line four ways gives the same forces
static void test_spring_equivalence(void) {
  const double line[] = {-1, -80, 0, 0, 2, 160};
  const hn_force_def way[] = {
      {.type = "spring", .stiffness = 80, .free = 0.3, .free_given = true},
      {.type = "spring",
       .coefficients = (double[]){80},
       .coefficient_count = 1,
       .free = 0.3,
       .free_given = true},
      {.type = "spring", .table = line, .table_count = 3, .free = 0.3, .free_given = true},
      {.type = "spring", .law = "80*(length - 0.3)"},
      {.type = "spring",
       .stiffness = 30,
       .preload = -24,
       .free = 0,
       .free_given = true,
       .coefficients = (double[]){50, 0},
       .coefficient_count = 2},
  };
  double f[5][MAX], V[5];
  unsigned long long seed = test_seed;
  for (int i = 0; i < 5; i++) {
    rig r;
    test_seed = seed;
    rig_open(&r, HN_SPATIAL, HN_PLANAR);
    hn_force_def def = way[i];
    near(&r, A, 0.3, -0.2, 0.1, def.at);
    near(&r, B, -0.1, 0.4, 0, def.at_b);
    if (rig_force(&r, def)) {
      random_state(&r, 0.5);
      rig_eval(&r, 0);
      memcpy(f[i], r.work.f, sizeof(double) * 9);
      V[i] = r.work.potential;
    }
    rig_close(&r);
  }
  for (int i = 1; i < 5; i++)
    for (int k = 0; k < 9; k++) CHECK_NEAR(f[i][k], f[0][k], 1e-11);
  CHECK_NEAR(V[1], V[0], 1e-12);
  CHECK_NEAR(V[2], V[0], 1e-12);
  CHECK(V[3] == 0);
  CHECK(V[0] > 0);
}

// energy of the table: trapezoids and triangles from the relaxed length, also beyond the ends
static void test_table_energy(void) {
  rig r = {.model = hn_model_create(), .count = 2, .kind = {HN_POINT, HN_POINT}};
  r.a = hn_add_body(r.model, &(hn_body_def){.name = "a", .kind = HN_POINT, .mass = 1});
  r.b = hn_add_body(
      r.model, &(hn_body_def){.name = "b", .kind = HN_POINT, .mass = 1, .position = {0, 0, 1}});
  hn_force_def def = {.type = "spring", .table = curve, .table_count = 4, .at_b = {0, 0, 1}};
  if (rig_force(&r, def)) {
    const double x[] = {-0.6, -0.5, -0.1, 0, 0.1, 0.2, 0.6, 0.8};
    const double V[] = {0.45 + 9.2 + 4.425, 0.45 + 9.2, 0.45, 0, -0.15, 0, 6.6, 6.6 + 7.35};
    for (int i = 0; i < 8; i++) {
      r.q[5] = 1 + x[i];
      rig_eval(&r, 0);
      CHECK_NEAR(r.work.potential, V[i], 1e-12);
    }
  }
  rig_close(&r);
}

// points that coincide: no direction, no force, no NaN
static void test_spring_zero_length(void) {
  rig r = {.model = hn_model_create(), .count = 2, .kind = {HN_POINT, HN_POINT}};
  r.a = hn_add_body(r.model, &(hn_body_def){.name = "a", .kind = HN_POINT, .mass = 1});
  r.b = hn_add_body(r.model, &(hn_body_def){.name = "b", .kind = HN_POINT, .mass = 1});
  hn_force_def def = {.type = "spring", .stiffness = 50, .free = 0.2};
  if (rig_force(&r, def)) {
    double K[MAX * MAX] = {0}, C[MAX * MAX] = {0};
    r.v[4] = 1;
    rig_eval(&r, 0);
    hn_force_tangent(&r.work, &(hn_tangent){.n = r.sys->nv, .K = K, .C = C});
    for (int i = 0; i < 6; i++) CHECK(r.work.f[i] == 0);
    for (int i = 0; i < 36; i++) CHECK(isfinite(K[i]) && isfinite(C[i]));
    CHECK_NEAR(r.work.potential, 0.5 * 50 * 0.04, 1e-12);
  }
  rig_close(&r);
}

// the angle of a planar body against the ground; whole turns count
static void test_torsion_spring_values(void) {
  rig r;
  rig_open(&r, GROUND, HN_PLANAR);
  hn_force_def def = {.type = "torsion-spring", .stiffness = 5, .damping = 2};
  if (rig_force(&r, def)) {
    r.q[2] += 7;
    r.v[2] = 3;
    rig_eval(&r, 0);
    CHECK_NEAR(r.work.f[2], -5 * 7 - 6, 1e-12);
    CHECK_NEAR(r.work.potential, 2.5 * 49, 1e-12);
    CHECK_NEAR(r.work.power, -18, 1e-12);
    CHECK_NEAR(column_value(&r, 0), 7, 1e-12);
    CHECK_NEAR(column_value(&r, 2), 41, 1e-12);
  }
  rig_close(&r);
}

static void test_motor_values(void) {
  rig r;
  rig_open(&r, GROUND, HN_PLANAR);
  add_joint(&r, "revolute", (double[]){0, 0, 1});
  if (rig_force(&r, (hn_force_def){.type = "motor", .joint = "j", .law = "10*t - rate"})) {
    r.v[2] = 4;
    rig_eval(&r, 3);
    CHECK_NEAR(column_value(&r, 0), 26, 1e-12);
    // positive effort drives the angle up
    CHECK_NEAR(r.work.f[2], 26, 1e-12);
    CHECK_NEAR(r.work.power, 104, 1e-12);
    CHECK(r.work.potential == 0);
  }
  rig_close(&r);
}

// a force and a torque in described body axes, turned to the world by the described orientation
// a sphere falls through water with a current along x, from rest: by hand
//   u = v - wind, F = -(viscous + density drag area |u| / 2) u
static void test_drag_values(void) {
  rig r = {.model = hn_model_create(), .kind = {GROUND, HN_POINT}, .count = 1};
  r.b = hn_add_body(r.model, &(hn_body_def){.name = "b", .kind = HN_POINT, .mass = 1});
  hn_force_def def = {.type = "drag",
                      .area = 0.02,
                      .drag = 0.47,
                      .density = 998,
                      .viscous = 0.3,
                      .components = {"1 + t", "0", "0"}};
  if (rig_force(&r, def)) {
    r.v[0] = 0.7, r.v[1] = 0.2, r.v[2] = -2;
    rig_eval(&r, 0.5);
    const double u[3] = {0.7 - 1.5, 0.2, -2}, speed = sqrt(0.64 + 0.04 + 4);
    for (int k = 0; k < 3; k++) {
      double F = -(0.3 + 0.5 * 998 * 0.47 * 0.02 * speed) * u[k];
      CHECK_NEAR(r.work.f[k], F, 1e-13);
      CHECK_NEAR(column_value(&r, 1 + k), F, 1e-13);
    }
    CHECK_NEAR(column_value(&r, 0), speed, 1e-15);
    // at rest in the medium nothing acts, and nothing is divided by zero
    r.v[0] = 1.5, r.v[1] = r.v[2] = 0;
    rig_eval(&r, 0.5);
    CHECK(r.work.f[0] == 0 && r.work.f[1] == 0 && r.work.f[2] == 0);
  }
  rig_close(&r);
}

// a falling body reaches v = w tanh(g t / w), w^2 = 2 m g / (density drag area), having fallen
// w^2 / g ln cosh(g t / w); at 1 m/s its power is that of the force
static void test_drag_fall(void) {
  for (int native = 0; native < 2; native++) {
    const double m = 80, g = 9.81, w = sqrt(2 * m * g / (1.225 * 1.2 * 0.7)), t = 9;
    char why[256] = "";
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    hn_model_set_gravity(model, 0, 0, -g);
    hn_body body = hn_add_body(model, &(hn_body_def){.name = "b", .kind = HN_POINT, .mass = m});
    hn_add_force(model,
                 &(hn_force_def){
                     .name = "air", .type = "drag", .b = {.body = body}, .area = 0.7, .drag = 1.2});
    hn_options_set(hn_model_options(model), "rtol", "1e-10", why, sizeof why);
    if (native) hn_options_set(hn_model_options(model), "code", "native", why, sizeof why);
    CHECK(!hn_compile(&sys, model) && !hn_sim_create(&sim, sys, hn_model_options(model), why, 256));
    if (sim && CHECK(!hn_advance(sim, t))) {
      CHECK_NEAR(hn_velocities(sim)[2], -w * tanh(g * t / w), 1e-8);
      CHECK_NEAR(hn_positions(sim)[2], -w * w / g * log(cosh(g * t / w)), 1e-7);
      hn_energy e;
      CHECK(!hn_sim_energy(sim, &e) && fabs(e.balance) < 1e-8 * e.scale);
    } else
      printf("  %s %s\n", why, hn_model_error(model));
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

static void test_body_axes(void) {
  for (int torque = 0; torque < 2; torque++) {
    rig r = {.model = hn_model_create(), .kind = {GROUND, HN_SPATIAL}, .count = 1};
    double c = cos(0.4), s = sin(0.4);  // 0.8 rad about x
    r.b = hn_add_body(r.model, &(hn_body_def){.name = "b",
                                              .mass = 1,
                                              .inertia = {1, 2, 2.5, 0.3, 0.2, -0.4},
                                              .com = {0.1, 0.2, 0.3},
                                              .orientation = {c, s, 0, 0}});
    hn_force_def def = {
        .type = torque ? "torque" : "force", .components = {NULL, "5", NULL}, .body_axes = true};
    if (rig_force(&r, def)) {
      double F[3], T[3];
      rig_eval(&r, 0);
      resultant(&r, F, T);
      // y of the body is (0, cos 0.8, sin 0.8); the force acts at the origin, so has no moment
      const double expected[3] = {0, 5 * cos(0.8), 5 * sin(0.8)};
      for (int k = 0; k < 3; k++) {
        CHECK_NEAR(torque ? T[k] : F[k], expected[k], 1e-12);
        CHECK_NEAR(torque ? F[k] : T[k], 0, 1e-12);
      }
      CHECK_NEAR(column_value(&r, 1), 5, 1e-15);
      CHECK(column_value(&r, 0) == 0);
    }
    rig_close(&r);
  }
}

// one stiffness at a time: turning about an axis, moving along one
static void test_bushing_values(void) {
  const double K[36] = {[0] = 100, [7] = 200, [14] = 300, [21] = 10, [28] = 20, [35] = 30};
  const double C[36] = {[0] = 1, [7] = 2, [14] = 3, [21] = 4, [28] = 5, [35] = 6};
  rig r = {.model = hn_model_create(), .kind = {GROUND, HN_SPATIAL}, .count = 1};
  r.b = hn_add_body(r.model, &(hn_body_def){.name = "b", .mass = 1, .inertia = {1, 1, 1}});
  if (rig_force(&r, (hn_force_def){.type = "bushing", .stiffness6 = K, .damping6 = C})) {
    for (int k = 0; k < 6; k++) {
      double d[6] = {0}, amount = k < 3 ? 0.01 : 2.5;
      memcpy(r.q, r.sys->q0, 7 * sizeof(double));
      memset(r.v, 0, sizeof r.v);
      d[k] = amount;
      hn_retract(r.sys, r.q, d);
      r.v[k] = 0.5;
      rig_eval(&r, 0);
      for (int i = 0; i < 6; i++) {
        double expected = i == k ? -K[7 * k] * amount - C[7 * k] * 0.5 : 0;
        CHECK_NEAR(r.work.f[i], expected, 1e-12);
        CHECK_NEAR(column_value(&r, i), expected, 1e-12);
      }
      CHECK_NEAR(r.work.potential, 0.5 * K[7 * k] * amount * amount, 1e-12);
      CHECK_NEAR(r.work.power, -C[7 * k] * 0.25, 1e-12);
    }
  }
  rig_close(&r);
}

// two frames that do not agree: relaxed where they would; `free` says otherwise
static void test_bushing_frames(void) {
  const double K[36] = {[0] = 100, [7] = 200, [14] = 300, [21] = 10, [28] = 20, [35] = 30};
  // from a to b: (0.5, 1, 0) in the axes of a, which are turned by 90 degrees about z, and a third
  // of a turn about (1, -1, -1), the product of both orientations
  const double third = 2.0943951023931953 / sqrt(3);
  const double free[6] = {0.5, 1, 0, third, -third, -third};
  const double preload[6] = {1, 2, 3, 4, 5, 6};
  for (int k = 0; k < 3; k++) {
    rig r = {.model = hn_model_create(), .kind = {GROUND, HN_SPATIAL}, .count = 1};
    r.b = hn_add_body(r.model, &(hn_body_def){.name = "b", .mass = 1, .inertia = {1, 1, 1}});
    hn_frame fa = hn_add_frame(
        r.model, &(hn_frame_def){.name = "fa", .position = {1, 0, 0}, .orientation = {1, 0, 0, 1}});
    hn_frame fb = hn_add_frame(r.model, &(hn_frame_def){.name = "fb",
                                                        .body = r.b,
                                                        .position = {0, 0.5, 0},
                                                        .orientation = {1, 1, 0, 0}});
    hn_force_def def = {
        .type = "bushing", .a = {.frame = fa}, .b = {.body = r.b, .frame = fb}, .stiffness6 = K};
    if (k > 0) def.free6 = free, def.free6_count = 6;
    if (k > 1) def.preload6 = preload, def.preload6_count = 6;
    if (rig_force(&r, def)) {
      rig_eval(&r, 0);
      // x of frame a is y of the world, y is -x
      const double start[3][3] = {{200, -50, 0}, {0, 0, 0}, {-2, 1, 3}};
      for (int i = 0; i < 3; i++) CHECK_NEAR(r.work.f[i], start[k][i], 1e-12);
      if (k == 1)
        for (int i = 3; i < 6; i++) CHECK_NEAR(r.work.f[i], 0, 1e-12);
      // the torque (4, 5, 6) in the axes of a is (-5, 4, 6), and (0, 0.5, 0) x (-2, 1, 3) is added
      const double torque[3] = {-5 + 1.5, 4, 6 + 1};
      for (int i = 0; k == 2 && i < 3; i++) CHECK_NEAR(r.work.f[3 + i], torque[i], 1e-12);
      r.q[0] = 0.1;
      rig_eval(&r, 0);
      CHECK_NEAR(r.work.f[0], start[k][0] - 20, 1e-12);
      // at (0, 0.5, 0): moment 0.5 * 20
      if (k == 1) CHECK_NEAR(r.work.f[5], 10, 1e-12);
      CHECK_NEAR(column_value(&r, 1), 20 - start[k][0], 1e-12);
    }
    rig_close(&r);
  }
}

// side: 1 above the gap, -1 below its mirror image
static void bump_stop_values(double side) {
  rig r = {.model = hn_model_create(), .kind = {GROUND, HN_POINT}, .count = 1};
  r.b = hn_add_body(r.model, &(hn_body_def){.name = "b", .kind = HN_POINT, .mass = 1});
  hn_force_def def = {
      .type = "bump-stop", .stiffness = 1000, .damping = 10, .gap = 0.2 * side, .axis = {0, 0, 2}};
  def.below = side < 0;
  if (rig_force(&r, def)) {
    const struct {
      double z, rate, force, power, energy;
    } sample[] = {
        {0.1, 5, 0, 0, 0},          // not reached
        {-3, 1, 0, 0, 0},           // far on the other side
        {0.25, 0, 50, 0, 1.25},     // spring alone
        {0.25, 2, 70, -40, 1.25},   // going in
        {0.25, -2, 30, -40, 1.25},  // coming out
        {0.25, -8, 0, -400, 1.25},  // the damper would pull: cut; the spring's energy is lost
    };
    for (int i = 0; i < 6; i++) {
      r.q[2] = side * sample[i].z;
      r.v[2] = side * sample[i].rate;
      rig_eval(&r, 0);
      CHECK_NEAR(r.work.f[2], -side * sample[i].force, 1e-12);
      CHECK_NEAR(column_value(&r, 0), side * sample[i].force, 1e-12);
      CHECK_NEAR(r.work.power, sample[i].power, 1e-12);
      CHECK_NEAR(r.work.potential, sample[i].energy, 1e-12);
      check_tangent(&r, 0);
      check_energy(&r, 0);
    }
  }
  rig_close(&r);
}

static void test_bump_stop_values(void) {
  bump_stop_values(1);
  bump_stop_values(-1);
}

// contact and loss of it over a ramp, on a road that moves
static void test_tyre_values(void) {
  for (int flat = 0; flat < 2; flat++) {
    rig r = {.model = hn_model_create(), .kind = {GROUND, HN_POINT}, .count = 1, .flat = flat};
    r.b = hn_add_body(
        r.model, &(hn_body_def){.name = "b", .kind = flat ? HN_PLANAR_POINT : HN_POINT, .mass = 1});
    hn_force_def def = {.type = "tyre",
                        .stiffness = 1000,
                        .damping = 10,
                        .radius = 0.5,
                        .road = "0.1*x",
                        .shift = "5*t"};
    const int up = flat ? 1 : 2;
    if (rig_force(&r, def)) {
      // x + 5 t = 3: the road is at 0.3, rising at 0.1 * (x' + 5)
      r.q[0] = 1, r.q[up] = 0.75;
      r.v[0] = 2, r.v[up] = -1;
      rig_eval(&r, 0.4);
      double F = 1000 * 0.05 + 10 * (1 + 0.7);
      CHECK_NEAR(r.work.f[up], F, 1e-12);
      CHECK(r.work.f[0] == 0);
      CHECK_NEAR(r.work.power, -F, 1e-12);
      CHECK_NEAR(column_value(&r, 0), F, 1e-12);
      CHECK_NEAR(column_value(&r, 1), -0.05, 1e-14);
      check_tangent(&r, 0.4);
      // off the road there is neither spring nor damper
      r.q[up] = 0.9;
      rig_eval(&r, 0.4);
      CHECK(r.work.f[up] == 0 && r.work.power == 0);
      CHECK_NEAR(column_value(&r, 1), 0.1, 1e-14);
      check_tangent(&r, 0.4);
      // leaving fast: the damper does not pull
      r.q[up] = 0.79;
      r.v[up] = 20;
      rig_eval(&r, 0.4);
      CHECK(r.work.f[up] == 0);
    }
    rig_close(&r);
  }
}

// a road given by points is the formula of its straight pieces
static void test_tyre_table(void) {
  rig r = {.model = hn_model_create(), .kind = {GROUND, HN_POINT}, .count = 1};
  r.b = hn_add_body(r.model, &(hn_body_def){.name = "b", .kind = HN_POINT, .mass = 1});
  hn_force_def def = {.type = "tyre",
                      .stiffness = 100,
                      .radius = 3,
                      .road_table = profile,
                      .road_count = 5,
                      .shift = "t"};
  if (rig_force(&r, def)) {
    const double x[] = {-5, -2, 0.5, 1.25, 8}, height[] = {0.2, 0.05, 0.2, 0.05, 0.7};
    for (int i = 0; i < 5; i++) {
      r.q[0] = x[i] - 2;
      rig_eval(&r, 2);
      CHECK_NEAR(r.work.f[2], 100 * (3 + height[i]), 1e-11);
    }
  }
  rig_close(&r);
}

// the reaction that friction reads, from given multipliers
static void read_load(rig *r) {
  hn_reaction o;
  hn_reaction_of_rows(&r->work, r->sys->load[0].joint, r->work.lambda, &o);
  v3_copy(r->work.load, o.force);
  v3_copy(r->work.load + 3, o.torque);
}

// friction per normal force in a hinge of radius 0.05, by the formulas of the papers
static double hinge_friction(bool steep, double rate) {
  double u = 0.05 * rate / 0.2;
  if (!steep) return 0.3 * tanh(rate / 0.2);
  return 0.3 * tanh(4 * u) + 0.15 * u / pow(0.25 * u * u + 0.75, 2);
}

// Coulomb friction in a hinge with given multipliers: size, sign, power and tangent
static void friction_in_hinge(bool steep) {
  const int kinds_b[] = {HN_SPATIAL, HN_PLANAR};
  for (int i = 0; i < 2; i++)
    for (int swap = 0; swap < 2; swap++) {
      rig r;
      if (swap)
        rig_open(&r, kinds_b[i], GROUND);
      else
        rig_open(&r, GROUND, kinds_b[i]);
      add_joint(&r, "revolute", (double[]){0, 0, 1});
      hn_force_def def = {.type = "friction",
                          .joint = "j",
                          .coulomb = 0.3,
                          .viscous = 0.7,
                          .radius = 0.05,
                          .speed = 0.2,
                          .law = steep ? "brown-mcphee" : NULL,
                          .sticking = steep ? 0.45 : 0};
      if (rig_force(&r, def)) {
        int turn = i ? 2 : 5;
        CHECK(r.sys->reactive);
        memset(r.v, 0, sizeof r.v);
        double *lambda = r.work.lambda;
        // the rows of a hinge start with the coincidence of points: force of a on b in the world
        lambda[0] = 3, lambda[1] = -4;
        if (!i) lambda[2] = 12, lambda[3] = 77;  // the last one is a moment
        double N = i ? 5 : 13, rate = 0, mass_free = 0;
        for (int pass = 0; pass < 3; pass++) {
          for (int k = 0; k < r.sys->nv; k++) r.v[k] = 0;
          r.v[turn] = pass == 0 ? 0.1 : pass == 1 ? -3 : 0;
          rig_eval(&r, 0);
          double before = r.work.power;
          const hn_batch *b = &r.sys->batch[0];
          rate = r.work.mval[r.sys->joint[0].coordinate[0].measure].rate;
          mass_free = -N * 0.05 * hinge_friction(steep, rate);
          double was[6];
          memcpy(was, r.work.f, (size_t)r.sys->nv * sizeof(double));
          read_load(&r);
          b->ops->reactive(r.sys, &r.work, b->count, b->data);
          double done = 0;
          for (int k = 0; k < r.sys->nv; k++) done += (r.work.f[k] - was[k]) * r.v[k];
          CHECK_NEAR(before, -0.7 * rate * rate, 1e-12);
          CHECK_NEAR(r.work.power - before, mass_free * rate, 1e-12);
          CHECK_NEAR(done, mass_free * rate, 1e-12);
          CHECK(r.work.power <= 0);
          CHECK_NEAR(column_value(&r, 0), mass_free - 0.7 * rate, 1e-12);
          check_tangent(&r, 0);
        }
      }
      rig_close(&r);
    }
}

static void test_friction_coulomb(void) {
  friction_in_hinge(false);
  friction_in_hinge(true);
}

// in a slider the load is what the two rows across the axis carry, and the arm is 1
static void test_friction_slider(void) {
  rig r;
  rig_open(&r, GROUND, HN_SPATIAL);
  add_joint(&r, "prismatic", (double[]){1, 0.5, 0.7});
  hn_force_def def = {.type = "friction", .joint = "j", .coulomb = 0.2, .speed = 0.05};
  if (rig_force(&r, def)) {
    const hn_batch *b = &r.sys->batch[0];
    CHECK_STR(hn_system_row_name(r.sys, 3), "j.x");
    r.work.lambda[0] = 99;  // a moment
    r.work.lambda[3] = 3, r.work.lambda[4] = -4;
    // along the axis, fast enough for the full friction
    const double length = sqrt(1 + 0.25 + 0.49);
    r.v[0] = 2 / length, r.v[1] = 1 / length, r.v[2] = 1.4 / length;
    rig_eval(&r, 0);
    read_load(&r);
    b->ops->reactive(r.sys, &r.work, b->count, b->data);
    CHECK_NEAR(column_value(&r, 0), -0.2 * 5, 1e-12);
    CHECK_NEAR(r.work.power, -0.2 * 5 * 2, 1e-12);
    CHECK_NEAR(r.work.f[0], -0.2 * 5 / length, 1e-12);
    random_state(&r, 0.5);
    for (int i = 0; i < 6; i++) r.v[i] *= 0.05;  // within the smoothed part
    check_tangent(&r, 0);
  }
  rig_close(&r);
}

// joints in relative coordinates have no multipliers, and friction still knows their reactions
static void test_friction_coordinates(void) {
  const char *const wish[] = {"auto", "relative"};
  for (int coulomb = 0; coulomb < 2; coulomb++)
    for (int i = 0; i < 2; i++) {
      rig r;
      rig_open(&r, GROUND, HN_SPATIAL);
      add_joint(&r, "revolute", (double[]){0, 0, 1});
      hn_force_def def = {
          .name = "it", .type = "friction", .joint = "j", .viscous = 1, .coulomb = 0.1 * coulomb};
      if (coulomb) def.radius = 0.1;
      CHECK(hn_add_force(r.model, &def).id > 0);
      hn_options *options = hn_model_options(r.model);
      snprintf(options->coordinates, sizeof options->coordinates, "%s", wish[i]);
      CHECK(hn_compile(&r.sys, r.model) == HN_OK);
      if (i && r.sys) CHECK(hn_system_rows(r.sys) == 0);
      rig_close(&r);
    }
}

static void check_columns(hn_force_def def, const char *joint, const char *expected) {
  rig r;
  char text[128] = "";
  rig_open(&r, GROUND, HN_PLANAR);
  if (joint) {
    add_joint(&r, joint, joint[0] == 'p' ? (double[]){1, 0, 0} : (double[]){0, 0, 1});
    def.joint = "j";
  }
  if (rig_force(&r, def)) {
    const char *unit = "", *name;
    const hn_batch *b = &r.sys->batch[0];
    CHECK_STR(b->name[0], "it");
    for (int k = 0; (name = b->ops->column(b->data, k, &unit)); k++)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s [%s]", k ? ", " : "", name,
               unit);
    CHECK_STR(text, expected);
  }
  rig_close(&r);
}

static void test_columns(void) {
  const double K[36] = {1};
  check_columns((hn_force_def){.type = "spring", .stiffness = 1, .at_b = {1, 1, 0}}, NULL,
                "length [m], rate [m/s], force [N]");
  check_columns((hn_force_def){.type = "torsion-spring", .stiffness = 1}, NULL,
                "angle [rad], rate [rad/s], torque [N m]");
  check_columns((hn_force_def){.type = "motor", .law = "1"}, "revolute", "effort [N m]");
  check_columns((hn_force_def){.type = "motor", .law = "1"}, "prismatic", "effort [N]");
  check_columns((hn_force_def){.type = "force", .components = {"1"}}, NULL,
                "fx [N], fy [N], fz [N]");
  check_columns((hn_force_def){.type = "torque", .components = {NULL, NULL, "1"}}, NULL,
                "tx [N m], ty [N m], tz [N m]");
  check_columns((hn_force_def){.type = "bushing", .stiffness6 = K}, NULL,
                "fx [N], fy [N], fz [N], tx [N m], ty [N m], tz [N m]");
  check_columns((hn_force_def){.type = "bump-stop", .stiffness = 1}, "revolute", "force [N m]");
  check_columns((hn_force_def){.type = "bump-stop", .stiffness = 1, .at_b = {1, 1, 0}}, NULL,
                "force [N]");
  check_columns((hn_force_def){.type = "tyre", .stiffness = 1, .radius = 1}, NULL,
                "force [N], gap [m]");
  check_columns((hn_force_def){.type = "friction", .viscous = 1}, "revolute", "force [N m]");
  check_columns((hn_force_def){.type = "friction", .coulomb = 1}, "prismatic", "force [N]");
}

// refused when added or when compiled, with a message that names the force and says `why`
static void refuse(int kind_b, const char *joint, hn_force_def def, const char *why) {
  rig r;
  rig_open(&r, GROUND, kind_b);
  if (joint) add_joint(&r, joint, joint[0] == 'p' ? (double[]){1, 0, 0} : (double[]){0, 0, 1});
  def.name = "culprit";
  if (!def.joint && def.b.body.id >= 0) def.b.body = r.b;
  if (def.b.body.id < 0) def.b.body.id = 0;
  bool refused = hn_add_force(r.model, &def).id < 0 || hn_compile(&r.sys, r.model) != HN_OK;
  const char *message = hn_model_error(r.model);
  if (!CHECK(refused && strstr(message, "'culprit'") && strstr(message, why)))
    printf("  %s, expected: %s\n", refused ? message : "accepted", why);
  rig_close(&r);
}

// a point mass cannot take the moment of a reaction
static void refuse_reaction(void) {
  rig r;
  rig_open(&r, HN_POINT, HN_SPATIAL);
  hn_force_def def = {
      .name = "it", .type = "force", .a = {.body = r.a}, .b = {.body = r.b}, .components = {"1"}};
  v3_copy(def.at, r.p[A]);
  CHECK(hn_add_force(r.model, &def).id < 0 || hn_compile(&r.sys, r.model) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(hn_model_error(r.model), "'it'") != NULL);
  rig_close(&r);
}

static void test_refusals(void) {
  const double falling[] = {0, 0, 2, 1, 1, 3};
  double K[36] = {[0] = 1, [1] = 2, [7] = 3};
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "spring", .table = falling, .table_count = 3},
         "ascend");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "spring", .stiffness = 1, .b = {{-1}, {0}}},
         "joint");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){.type = "torsion-spring", .stiffness = 1, .b = {{-1}, {0}}}, "joint");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "spring", .law = "3*length + lenght"},
         "unknown name 'lenght'");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "spring", .law = "3*length + lenght"},
         "column 12");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "spring", .law = "3*length +"}, "law");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){.type = "spring", .stiffness = 1, .free = -1, .free_given = true},
         "free must not be negative");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "spring"}, "has no force");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "spring", .stiffness = 1, .law = "length"},
         "law");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){.type = "spring", .law = "length", .free = 0.5, .free_given = true},
         "law says the whole force");
  refuse(HN_SPATIAL, "revolute", (hn_force_def){.type = "spring", .stiffness = 1, .joint = "j"},
         "torsion-spring");
  refuse(HN_PLANAR, "prismatic",
         (hn_force_def){.type = "torsion-spring", .stiffness = 1, .joint = "j"}, "use a spring");
  refuse(HN_SPATIAL, "revolute",
         (hn_force_def){.type = "motor", .law = "1", .joint = "j", .coordinate = "translation"},
         "no coordinate 'translation'");
  refuse(HN_SPATIAL, "revolute", (hn_force_def){.type = "motor", .law = "1", .joint = "jj"},
         "'jj'");
  refuse(HN_SPATIAL, "revolute", (hn_force_def){.type = "motor", .joint = "j"}, "law");
  refuse_reaction();
  refuse(HN_POINT, NULL, (hn_force_def){.type = "torque", .components = {"1"}}, "point");
  refuse(HN_POINT, NULL, (hn_force_def){.type = "torsion-spring", .stiffness = 1}, "point");
  refuse(HN_PLANAR, NULL,
         (hn_force_def){.type = "torsion-spring", .stiffness = 1, .axis = {1, 0, 0}}, "about z");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "force"}, "force");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "force", .components = {"1", "oops"}}, "oops");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "bushing", .stiffness6 = K}, "symmetric");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "bushing"}, "stiffness");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "bump-stop"}, "stiffness");
  // along z nothing of planar bodies is ever separated
  refuse(HN_PLANAR, NULL, (hn_force_def){.type = "bump-stop", .stiffness = 1, .axis = {0, 0, 1}},
         "leaves the plane");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "tyre", .stiffness = 1}, "radius");
  refuse(HN_SPATIAL, NULL, (hn_force_def){.type = "tyre", .radius = 1}, "stiffness");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){.type = "tyre", .stiffness = 1, .radius = 1, .road = "b.y"},
         "x and t only");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){.type = "tyre", .stiffness = 1, .radius = 1, .road = "2 + sin(y)"},
         "road, column 9");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){.type = "tyre", .stiffness = 1, .radius = 1, .road = "x", .shift = "b.x"},
         "t only");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){
             .type = "tyre", .stiffness = 1, .radius = 1, .road_table = falling, .road_count = 3},
         "ascend");
  refuse(HN_SPATIAL, NULL,
         (hn_force_def){.type = "tyre",
                        .stiffness = 1,
                        .radius = 1,
                        .road = "x",
                        .road_table = curve,
                        .road_count = 4},
         "road");
  refuse(HN_SPATIAL, "revolute", (hn_force_def){.type = "friction", .coulomb = 1, .joint = "j"},
         "radius");
  refuse(HN_SPATIAL, "revolute", (hn_force_def){.type = "friction", .joint = "j"}, "has no force");
}

// the table of types: names differ, help is one line, every type can be found
static void test_table(void) {
  int count = 0;
  const hn_type_info *info;
  for (; (info = hn_force_type_at(count)); count++) {
    const hn_force_type *type = hn_force_type_find(info->name);
    CHECK(type && &type->info == info && type->build);
    CHECK(*info->help && !strchr(info->help, '\n'));
    for (int i = 0; i < count; i++) CHECK(strcmp(hn_force_type_at(i)->name, info->name) != 0);
  }
  CHECK(!hn_force_type_find("gravity"));
  CHECK(!hn_force_type_at(-1));
}

int main(void) {
  RUN(test_spring_values);
  RUN(test_table_energy);
  RUN(test_spring_equivalence);
  RUN(test_spring_zero_length);
  RUN(test_torsion_spring_values);
  RUN(test_motor_values);
  RUN(test_drag_values);
  RUN(test_drag_fall);
  RUN(test_body_axes);
  RUN(test_bushing_values);
  RUN(test_bushing_frames);
  RUN(test_bump_stop_values);
  RUN(test_tyre_values);
  RUN(test_tyre_table);
  RUN(test_friction_coulomb);
  RUN(test_friction_slider);
  RUN(test_friction_coordinates);
  RUN(test_columns);
  RUN(test_refusals);
  RUN(test_table);
  return test_end();
}
