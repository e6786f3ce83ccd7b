// test_forces.c: every force type between several kinds of bodies, at random states: tangents
// against differences, potentials, the balance of energy, Newton's third law.
#include "force_rig.h"

typedef struct kinds {
  int a, b;
} kinds;
static const kinds all_pairs[] = {
    {HN_SPATIAL, HN_SPATIAL}, {GROUND, HN_SPATIAL},   {HN_SPATIAL, GROUND},
    {HN_PLANAR, HN_PLANAR},   {GROUND, HN_PLANAR},    {HN_PLANAR, HN_SPATIAL},
    {HN_POINT, HN_SPATIAL},   {HN_SPATIAL, HN_POINT}, {HN_PLANAR_POINT, HN_PLANAR},
};
enum { PAIRS = sizeof all_pairs / sizeof *all_pairs, TURNING = 6 };

static bool has_b(int i) {
  return all_pairs[i].b != GROUND;
}
static void open_pair(rig *r, int i) {
  rig_open(r, all_pairs[i].a, all_pairs[i].b);
}

// ---- springs -------------------------------------------------------------------------------

static const double curve[] = {-0.5, -40, -0.1, -6, 0.2, 3, 0.6, 30};  // elongation, tension

static void test_spring(void) {
  for (int i = 0; i < PAIRS; i++)
    for (int damped = 0; damped < 2; damped++) {
      rig r;
      open_pair(&r, i);
      hn_force_def def = {.type = "spring",
                          .stiffness = 30,
                          .damping = damped ? 4 : 0,
                          .preload = 2.5,
                          .coefficients = (double[]){3, 20, 15},
                          .coefficient_count = 3,
                          .table = curve,
                          .table_count = 4};
      near(&r, A, 0.3, -0.2, 0.1, def.at);
      near(&r, B, -0.1, 0.4, 0.2, def.at_b);
      if (rig_force(&r, def)) check_states(&r, INTERNAL | (damped ? 0 : POTENTIAL), 0.5);
      rig_close(&r);
    }
}

static void test_spring_law(void) {
  for (int i = 0; i < PAIRS; i++) {
    rig r;
    open_pair(&r, i);
    const char *law = has_b(i) ? "50*(length-0.4) + 3*rate*length + 2*sin(3*t) + 5*b.x - b.vy*b.y"
                               : "50*(length-0.4) + 3*rate*length + 2*sin(3*t) + 5*a.x - a.vy*a.y";
    hn_force_def def = {.type = "spring", .law = law};
    near(&r, A, 0.3, -0.2, 0.1, def.at);
    near(&r, B, -0.1, 0.4, 0.2, def.at_b);
    if (rig_force(&r, def)) check_states(&r, INTERNAL, 0.5);
    rig_close(&r);
  }
}

// along a prismatic joint
static void test_spring_joint(void) {
  for (int i = 0; i < TURNING; i++) {
    rig r;
    open_pair(&r, i);
    if (!r.flat && all_pairs[i].a == HN_PLANAR) {
      rig_close(&r);
      continue;
    }
    add_joint(&r, "prismatic", (double[]){1, 0.5, r.flat ? 0 : 0.7});
    hn_force_def def = {.type = "spring", .joint = "j", .stiffness = 70, .damping = 3};
    if (rig_force(&r, def)) {
      check_states(&r, INTERNAL, 0.4);
      CHECK_STR(r.sys->batch[0].ops->name, "spring");
    }
    rig_close(&r);
  }
}

static void test_torsion_spring(void) {
  for (int i = 0; i < TURNING; i++)
    for (int way = 0; way < 4; way++) {
      rig r;
      open_pair(&r, i);
      hn_force_def def = {.type = "torsion-spring",
                          .stiffness = 12,
                          .damping = way % 2 ? 0.8 : 0,
                          .preload = 1.5,
                          .coefficients = (double[]){0, 0, 6},
                          .coefficient_count = 3};
      if (way == 3)
        def = (hn_force_def){.type = "torsion-spring", .law = "9*angle + rate*cos(t) + angle^3"};
      if (way < 2)
        v3_set(def.axis, r.flat ? 0 : 0.6, r.flat ? 0 : -0.3, 1);
      else
        add_joint(&r, "revolute", (double[]){r.flat ? 0 : 0.6, r.flat ? 0 : -0.3, 1});
      if (way >= 2) def.joint = "j";
      int what = INTERNAL | (way % 2 ? 0 : POTENTIAL);
      if (rig_force(&r, def)) check_states(&r, what, 0.4);
      rig_close(&r);
    }
}

// ---- motor, force, torque ------------------------------------------------------------------

static void test_motor(void) {
  for (int i = 0; i < TURNING; i++)
    for (int way = 0; way < 2; way++) {
      rig r;
      open_pair(&r, i);
      const char *law[2][2] = {
          {"3*sin(t) - 2*angle + 0.5*rate^2 + a.vx*a.y", "4 - value*translation + rate*t + a.x^2"},
          {"3*sin(t) - 2*angle + 0.5*rate^2 + b.vx*b.y", "4 - value*translation + rate*t + b.x^2"},
      };
      if (way && !r.flat && all_pairs[i].a == HN_PLANAR) {
        rig_close(&r);
        continue;
      }
      add_joint(&r, way ? "prismatic" : "revolute",
                way ? (double[]){1, 0.5, r.flat ? 0 : 0.7} : (double[]){0, 0, 1});
      hn_force_def def = {.type = "motor", .joint = "j", .law = law[has_b(i)][way]};
      if (rig_force(&r, def)) check_states(&r, INTERNAL, 0.4);
      rig_close(&r);
    }
}

static void test_force(void) {
  for (int i = 0; i < PAIRS; i++)
    for (int body_axes = 0; body_axes < 2; body_axes++) {
      // no reaction on point masses
      if (!has_b(i) || all_pairs[i].a == HN_POINT || all_pairs[i].a == HN_PLANAR_POINT) continue;
      rig r;
      open_pair(&r, i);
      hn_force_def def = {.type = "force",
                          .components = {"2 + b.x*t", "b.vy*b.x - 3", "4*cos(t) + b.y"},
                          .body_axes = body_axes};
      if (r.flat) def.components[2] = NULL;  // has no effect there
      near(&r, B, -0.1, 0.4, 0.2, def.at);
      if (rig_force(&r, def)) check_states(&r, INTERNAL, 0.5);
      rig_close(&r);
    }
}

static void test_drag(void) {
  for (int i = 0; i < PAIRS; i++)
    for (int way = 0; way < 3; way++) {  // square, linear, both with a wind
      if (!has_b(i) || all_pairs[i].a == HN_POINT || all_pairs[i].a == HN_PLANAR_POINT) continue;
      rig r;
      open_pair(&r, i);
      hn_force_def def = {.type = "drag", .viscous = way ? 3 : 0};
      if (way != 1) def.area = 0.5, def.drag = 1.1, def.density = 20;
      if (way == 2)
        def.components[0] = "2 + b.x*t", def.components[1] = "b.vy*b.x - 3",
        def.components[2] = "4*cos(t)";
      near(&r, B, -0.1, 0.4, 0.2, def.at);
      if (rig_force(&r, def)) check_states(&r, INTERNAL, 0.5);
      rig_close(&r);
    }
}

static void test_torque(void) {
  for (int i = 0; i < TURNING; i++)
    for (int body_axes = 0; body_axes < 2; body_axes++) {
      if (!has_b(i)) continue;
      rig r;
      open_pair(&r, i);
      hn_force_def def = {.type = "torque",
                          .components = {"2 + b.x*t", NULL, "4*cos(t) + b.y*b.vx"},
                          .body_axes = body_axes};
      if (r.flat) def.components[0] = NULL;  // has no effect there
      if (rig_force(&r, def)) check_states(&r, INTERNAL, 0.5);
      rig_close(&r);
    }
}

// ---- bushing -------------------------------------------------------------------------------

// symmetric positive definite with couplings
static void random_matrix(double K[36], double size) {
  double G[36];
  for (int i = 0; i < 36; i++) G[i] = test_random(-1, 1);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      K[6 * i + j] = i == j ? size : 0;
      for (int k = 0; k < 6; k++) K[6 * i + j] += size * 0.5 * G[6 * i + k] * G[6 * j + k];
    }
}

static void test_bushing(void) {
  for (int i = 0; i < TURNING; i++)
    for (int damped = 0; damped < 2; damped++) {
      rig r;
      double K[36], C[36];
      open_pair(&r, i);
      random_matrix(K, 40);
      random_matrix(C, 3);
      C[1] += 0.7;  // damping need not be symmetric
      hn_force_def def = {.type = "bushing", .stiffness6 = K, .damping6 = damped ? C : NULL};
      const double preload[6] = {3, -2, 1, 0.3, -0.2, 0.5};
      if (i % 2) def.preload6 = preload, def.preload6_count = 6;
      v3_set(def.axis, 0.3, 0.2, 1);
      near(&r, B, -0.1, 0.4, 0.2, def.at);
      if (rig_force(&r, def)) {
        rig_eval(&r, 0);
        CHECK_NEAR(r.work.potential, 0, i % 2 ? 1e-14 : 1e-20);  // relaxed as assembled
        check_states(&r, INTERNAL | (damped ? 0 : POTENTIAL), 0.3);
        check_states(&r, INTERNAL | (damped ? 0 : POTENTIAL), 1);
        check_states(&r, INTERNAL | (damped ? 0 : POTENTIAL), 1e-4);
      }
      rig_close(&r);
    }
}

// energy and its gradient up to nearly half a turn, about every axis
static void test_bushing_large(void) {
  for (int i = 0; i < 14; i++) {
    rig r;
    double K[36];
    rig_open(&r, i % 2 ? HN_SPATIAL : GROUND, HN_SPATIAL);
    random_matrix(K, 40);
    hn_force_def def = {.type = "bushing", .stiffness6 = K};
    near(&r, B, 0, 0, 0, def.at);
    if (rig_force(&r, def)) {
      double axis[3], d[MAX] = {0}, angle = i < 10 ? 0.3 * (i + 1) : i < 12 ? 0.097 : 3.1;
      for (int k = 0; k < 3; k++) axis[k] = test_random(-1, 1);
      v3_scale(axis, angle / v3_norm(axis), axis);
      memcpy(d + r.sys->body[r.b.id].v0 + 3, axis, sizeof axis);
      for (int k = 0; k < r.sys->nv; k++) r.v[k] = test_random(-1, 1);
      hn_retract(r.sys, r.q, d);
      check_tangent(&r, 0);
      check_energy(&r, 0);
      check_potential(&r, 0);
    }
    rig_close(&r);
  }
}

// ---- bump stop -----------------------------------------------------------------------------

// along a joint coordinate, above or below, an axis, a distance; always engaged, damper or not
static void test_bump_stop(void) {
  for (int i = 0; i < TURNING; i++)
    for (int way = 0; way < 3; way++)
      for (int damped = 0; damped < 2; damped++) {
        rig r;
        open_pair(&r, i);
        hn_force_def def = {.type = "bump-stop",
                            .stiffness = 90,
                            .damping = damped ? 2 : 0,
                            .gap = way == 2 ? 0.01 : -20};
        if (way == 0) {
          add_joint(&r, "revolute", (double[]){0, 0, 1});
          def.joint = "j";
          if (i % 2) def.below = true, def.gap = 20;
        } else {
          near(&r, A, 0.3, -0.2, 0.1, def.at);
          near(&r, B, -0.1, 0.4, 0.2, def.at_b);
          if (way == 1) v3_set(def.axis, 0.3, -1, r.flat ? 0 : 0.5);
        }
        if (rig_force(&r, def)) check_states(&r, INTERNAL | (damped ? 0 : POTENTIAL), 0.4);
        rig_close(&r);
      }
}

// ---- tyre ----------------------------------------------------------------------------------

static const double profile[] = {-3, 0.1, -1, 0, 0.5, 0.2, 2, -0.1, 5, 0.3};

static void test_tyre(void) {
  const int kinds_b[] = {HN_SPATIAL, HN_PLANAR, HN_POINT, HN_PLANAR_POINT};
  for (int i = 0; i < 4; i++)
    for (int way = 0; way < 4; way++) {
      rig r;
      rig_open(&r, GROUND, kinds_b[i]);
      // deep contact, so that every random state presses
      hn_force_def def = {
          .type = "tyre", .stiffness = 500, .damping = way % 2 ? 7 : 0, .radius = 4};
      if (way < 2) {
        def.road = "0.3*sin(2*x) + 0.1*t*x + 0.2*cos(t)";
        def.shift = "0.5*t^2 + t";
      } else {
        def.road_table = profile;
        def.road_count = 5;
        def.shift = way == 3 ? "0.4*t^2" : NULL;
      }
      near(&r, B, -0.1, 0.4, 0.2, def.at);
      if (rig_force(&r, def)) check_states(&r, 0, 0.5);
      rig_close(&r);
    }
}

// ---- friction ------------------------------------------------------------------------------

static void test_friction(void) {
  for (int i = 0; i < TURNING; i++)
    for (int way = 0; way < 2; way++) {
      rig r;
      open_pair(&r, i);
      if (way && !r.flat && all_pairs[i].a == HN_PLANAR) {
        rig_close(&r);
        continue;
      }
      add_joint(&r, way ? "prismatic" : "revolute",
                way ? (double[]){1, 0.5, r.flat ? 0 : 0.7} : (double[]){0, 0, 1});
      hn_force_def def = {.type = "friction", .joint = "j", .viscous = 0.7};
      if (rig_force(&r, def)) {
        CHECK(!r.sys->reactive);
        check_states(&r, INTERNAL, 0.4);
      }
      rig_close(&r);
    }
}

int main(void) {
  RUN(test_spring);
  RUN(test_spring_law);
  RUN(test_spring_joint);
  RUN(test_torsion_spring);
  RUN(test_motor);
  RUN(test_force);
  RUN(test_drag);
  RUN(test_torque);
  RUN(test_bushing);
  RUN(test_bushing_large);
  RUN(test_bump_stop);
  RUN(test_tyre);
  RUN(test_friction);
  return test_end();
}
