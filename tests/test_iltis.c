// test_iltis.c: the Iltis, the vehicle of the benchmark of vehicle dynamics codes, at rest as
// published, and on a kerb as a program of its own in scipy has it (tests/references/iltis.py).
#include "contact_rig.h"

#include <stdlib.h>

static const char model[] = "models/iltis_kerb.yaml";

static double column(const hn_result *row, const char *name) {
  int c = hn_result_find(row, name);
  return CHECK(c >= 0) ? hn_result_row(row, 0)[c] : NAN;
}

// Published by the group of Robotran, which has the vehicle from Frik, Leister and Schwartz,
// Vehicle System Dynamics 22 (1993): to all digits they print.
static void at_rest(void) {
  static const struct {
    const char *column;
    double value, digit;
  } published[] = {
      {"road1.force", 3831.31, 0.01},
      {"road2.force", 3831.31, 0.01},
      {"road3.force", 3591.91, 0.01},
      {"road4.force", 3591.91, 0.01},
      {"front_right.shock.force", -335.29, 0.01},
      {"rear_left.shock.force", -241.64, 0.01},
      {"front_left.leaf.force", 3068.62, 0.01},
      {"rear_right.leaf.force", 2885.51, 0.01},
  };
  rig r = rig_open_file(model, (how){NULL, "reference", 0, 0, NULL});
  hn_equilibrium info;
  hn_result *row = NULL;
  if (rig_ready(&r) && !CHECK(hn_statics(r.sim, HN_REST, &info, &row) == HN_OK))
    printf("  %s\n", hn_sim_error(r.sim));
  if (row) {
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
      // half a digit, and the last one may have been cut off
      CHECK_NEAR(column(row, published[i].column), published[i].value, published[i].digit);
    double angle = 2 * atan2(column(row, "chassis.q2"), column(row, "chassis.q0"));
    CHECK_NEAR(1e3 * (column(row, "chassis.z") - 0.57), -7.083, 6e-4);
    CHECK_NEAR(angle * 180 / acos(-1), 0.1465, 6e-5);
    // the leaves are pulled along
    CHECK_NEAR(hypot(column(row, "front_right.blade.fy"), column(row, "front_right.blade.fz")),
               1408.51, 0.01);
    CHECK_NEAR(hypot(column(row, "rear_left.blade.fy"), column(row, "rear_left.blade.fz")), 1335.52,
               0.01);
  }
  hn_result_destroy(row);
  rig_close(&r);
}

// x, z, pitch and roll of the chassis, heights of the wheels, and the rates of the first four
typedef struct state {
  double t, value[12];
} state;

static void measure(rig *r, double *value) {
  static const char *const wheels[] = {"front_right.wheel", "front_left.wheel", "rear_right.wheel",
                                       "rear_left.wheel"};
  hn_pose p;
  CHECK(hn_body_pose(r->sim, hn_find_body(r->system, "chassis"), &p) == HN_OK);
  const double *q = p.orientation, *w = p.angular_velocity;
  // it does not yaw: turned about y, then about its own x
  double pitch = 2 * atan2(q[2], q[0]), roll = 2 * atan2(q[1], q[0]);
  double now[] = {p.position[0],
                  p.position[2],
                  pitch,
                  roll,
                  0,
                  0,
                  0,
                  0,
                  p.velocity[0],
                  p.velocity[2],
                  w[1],
                  cos(pitch) * w[0] - sin(pitch) * w[2]};
  memcpy(value, now, sizeof now);
  for (int i = 0; i < 4; i++) {
    CHECK(hn_body_pose(r->sim, hn_find_body(r->system, wheels[i]), &p) == HN_OK);
    value[4 + i] = p.position[2];
  }
}

static void on_the_kerb(void) {
  static const state by_scipy[] = {
      {0.5,
       {0.9894451052453789, 0.5694306810597478, -0.0015929349916994331, -0.021448372959795944,
        0.42896629707596406, 0.35596567574061566, 0.3593653149521129, 0.35423905882717543,
        1.8351417933679055, 0.13395388824431545, -0.1182635446886367, -0.2728687828027499}},
      {1.0,
       {1.9062752261802447, 0.5799374017531584, -0.016203806409451463, -0.0324589261994168,
        0.43396703680718596, 0.3574651924481097, 0.35801172421681227, 0.35425854191519457,
        1.835109403964077, 0.003456611252742102, 0.011733051826626395, 0.011157033097735327}},
      {2.0,
       {3.673405554399256, 0.6019623112999613, 0.0021280014723757045, -0.06605751849451721,
        0.43622014148270416, 0.35593012014632974, 0.4357659590613965, 0.3554608297645376,
        1.6875674151791231, -0.014361113657287298, -0.030381050103057618, -0.00048621350039971476}},
  };
  static const how ways[] = {{NULL, "relative", 0, 1e-11, NULL},
                             {"integrator dop853", "reference", 0, 1e-10, NULL},
                             {"integrator index3-alpha", "reference", 2e-4, 0, NULL}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    bool second = i == 2;
    double worst = 0, value[12];
    rig r = rig_open_file(model, ways[i]);
    for (size_t k = 0; rig_ready(&r) && k < sizeof by_scipy / sizeof *by_scipy; k++) {
      if (!rig_go(&r, by_scipy[k].t)) break;
      measure(&r, value);
      for (int n = 0; n < 12; n++) worst = fmax(worst, fabs(value[n] - by_scipy[k].value[n]));
    }
    printf("  %s: off scipy by %.1e, energy %.1e\n", ways[i].method ? ways[i].method : "default",
           worst, rig_imbalance(&r));
    CHECK(worst < (second ? 1e-4 : 1e-7));
    CHECK(rig_imbalance(&r) < (second ? 1e-5 : 5e-9));
    rig_close(&r);
  }
}

int main(void) {
  RUN(at_rest);
  RUN(on_the_kerb);
  return test_end();
}
