// test_walks.c: what walks and drives over ground: the rimless wheel against its closed forms, a
// car on a kerb against a program of its own in scipy (tests/references/kerb.py).
#include "contact_rig.h"

// ---- on spokes -----------------------------------------------------------------------------

// Strike k finds w_k: w_(k+1)^2 = eta^2 w_k^2 + c, from the energy of a step and the angular
// momentum about the foot that strikes, whose speed is 2 l sin(alpha) w
static void rimless_wheel(void) {
  static const how ways[] = {{NULL, "reference", 0, 1e-11, NULL},
                             {NULL, "relative", 0, 1e-11, NULL},
                             {"integrator rk4", "reference", 1e-3, 0, NULL},
                             {"integrator index3-alpha", "reference", 5e-4, 0, NULL}};
  const double a = atan(1) / 2, l = 0.4, k = 0.3, slope = 0.1, eta = (cos(2 * a) + k) / (1 + k);
  const double step = 4 * 9.81 * sin(a) * sin(slope) / (l * (1 + k));
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    bool second = ways[i].method && strstr(ways[i].method, "alpha");
    double until = second ? 2 : 12, tol = second ? 1e-5 : 1e-8, square = 1.6 * 1.6, worst = 0;
    rig r = rig_open_file("models/rimless_wheel.yaml", ways[i]);
    if (rig_ready(&r) && rig_go(&r, until)) {
      hn_impact hit;
      int n = 0;
      for (int s = 0; hn_sim_impact(r.sim, s, &hit); s++) {
        // the foot that stood takes part, and leaves
        if (!(hit.before < -1e-6) || !strstr(hn_system_row_name(r.system, hit.row), ".gap"))
          continue;
        n++;
        square += step;
        worst = fmax(worst, fabs(-hit.before / (2 * l * sin(a)) - sqrt(square)));
        square *= eta * eta;
      }
      double pace = sqrt(step / (1 - eta * eta));
      printf("  %-24s %d strikes, speeds to %.1e rad/s, energy %.1e\n",
             ways[i].method ? ways[i].method : ways[i].coordinates, n, worst, rig_imbalance(&r));
      CHECK(n >= (second ? 4 : 27) && worst < tol);
      if (!second) CHECK_NEAR(sqrt(square) / eta, pace, 1e-6);
      CHECK(rig_imbalance(&r) < (second ? 1e-5 : 1e-9));
    }
    rig_close(&r);
  }
}

// where the slope is too flat it does not get over its feet, and comes to rest on two of them
static void rimless_wheel_rests(void) {
  rig r = {.model = hn_model_create()};
  CHECK(hn_model_override(r.model, "slope", "0.02") == HN_OK);
  CHECK(hn_model_load(r.model, "models/rimless_wheel.yaml") == HN_OK);
  r.status = hn_compile(&r.system, r.model);
  r.options = *hn_model_options(r.model);
  if (!r.status)
    r.status = hn_sim_create(&r.sim, r.system, &r.options, r.message, sizeof r.message);
  if (rig_ready(&r) && rig_go(&r, 20)) {
    double x = hn_positions(r.sim)[0];
    CHECK(fabs(hn_velocities(r.sim)[2]) < 1e-12);
    if (rig_go(&r, 30)) CHECK_NEAR(hn_positions(r.sim)[0], x, 1e-12);
    CHECK_NEAR(hn_positions(r.sim)[1], 0.4 * cos(atan(1) / 2), 1e-9);
    CHECK(rig_imbalance(&r) < 1e-6);
  }
  rig_close(&r);
}

// A block rocks ever faster, from one corner to the other, until it stands: by quadrature of all
// swings, each with 1 - 3/2 sin(alpha)^2 of the speed before (tests/references/rocking_block.py)
static void block_comes_to_rest(void) {
  static const how ways[] = {{NULL, "reference", 0, 1e-11, NULL},
                             {"integrator rk4", "relative", 2e-3, 0, NULL},
                             {"integrator index2-alpha", "reference", 5e-4, 0, NULL}};
  const double ends = 5.022615635470778;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    bool second = i == 2;
    rig r = rig_open_file("models/rocking_block.yaml", ways[i]);
    if (rig_ready(&r) && rig_go(&r, second ? 5.5 : 20)) {
      hn_impact hit, last = {.time = NAN};
      for (int k = 0; hn_sim_impact(r.sim, k, &hit); k++) last = hit;
      printf("  %-24s stands %.1e s off, energy %.1e\n",
             ways[i].method ? ways[i].method : "default", fabs(last.time - ends),
             rig_imbalance(&r));
      // swings less high than 1e-13 of its size are not followed: the last 7 us
      CHECK_NEAR(last.time, ends, second ? 1e-3 : 1e-5);
      CHECK_NEAR(hn_positions(r.sim)[1], 0.4, 1e-9);
      for (int k = 0; k < 3; k++) CHECK_NEAR(hn_velocities(r.sim)[k], 0, 1e-13);
      CHECK(rig_imbalance(&r) < (second ? 1e-5 : 1e-9));
    }
    rig_close(&r);
  }
}

// ---- on wheels -----------------------------------------------------------------------------

static void kerb(void) {
  static const struct {
    double t, place[3], below[2], speed[3];
  } by_scipy[] = {
      {0.5,
       {1.4370510141456545, 0.6309763658123515, 0.03646771844769025},
       {0.236874784920086, 0.2649696470764901},
       {2.710890350644833, 0.2218061601210389, 0.21760552932898303}},
      {1.2,
       {3.282040406938117, 0.6612539290067558, 0.004464736250222413},
       {0.24132103483057002, 0.22581687148522106},
       {2.408493176681355, 0.2594484391847779, -0.32380910133778146}},
      {2.0,
       {5.203348567851762, 0.6683520599573779, 0.01439502332924689},
       {0.25473752931870547, 0.2304128836042342},
       {2.401232403911525, 0.017101021998276476, 0.030784510867364716}},
  };
  static const how ways[] = {{NULL, "relative", 0, 1e-11, NULL},
                             {"integrator dop853", "reference", 0, 1e-10, NULL},
                             {"integrator index3-alpha", "reference", 2e-4, 0, NULL}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    bool second = i == 2;
    double tol = second ? 1e-4 : 1e-8, worst = 0;
    rig r = rig_open_file("models/kerb.yaml", ways[i]);
    for (int k = 0; rig_ready(&r) && k < 3 && rig_go(&r, by_scipy[k].t); k++) {
      hn_pose p;
      CHECK(hn_body_pose(r.sim, hn_find_body(r.system, "car"), &p) == HN_OK);
      double angle = 2 * atan2(p.orientation[3], p.orientation[0]);
      worst = fmax(worst, fabs(p.position[0] - by_scipy[k].place[0]));
      worst = fmax(worst, fabs(p.position[1] - by_scipy[k].place[1]));
      worst = fmax(worst, fabs(angle - by_scipy[k].place[2]));
      worst = fmax(worst, fabs(0.25 - rig_value(&r, "strut1", NULL) - by_scipy[k].below[0]));
      worst = fmax(worst, fabs(0.25 - rig_value(&r, "strut2", NULL) - by_scipy[k].below[1]));
      worst = fmax(worst, fabs(p.velocity[0] - by_scipy[k].speed[0]));
      worst = fmax(worst, fabs(p.velocity[1] - by_scipy[k].speed[1]));
      worst = fmax(worst, fabs(p.angular_velocity[2] - by_scipy[k].speed[2]));
    }
    printf("  %s: off scipy by %.1e, energy %.1e\n", ways[i].method ? ways[i].method : "default",
           worst, rig_imbalance(&r));
    CHECK(worst < tol);
    CHECK(rig_imbalance(&r) < (second ? 1e-5 : 1e-9));
    rig_close(&r);
  }
}

int main(void) {
  RUN(rimless_wheel);
  RUN(rimless_wheel_rests);
  RUN(block_comes_to_rest);
  RUN(kerb);
  return test_end();
}
