// test_walking_machine.c: models/walking_machine.yaml, eight legs that walk on ground which does
// not yield: the same walk by methods that share little, standing by statics, and as the limit of
// feet that yield.
#include "contact_rig.h"

enum { ROOM = 1 << 15, LEGS = 8 };
static const char *const leg[LEGS] = {"l1", "r1", "l2", "r2", "l3", "r3", "l4", "r4"};

static void read_model(char *text) {
  FILE *file = fopen("models/walking_machine.yaml", "rb");
  size_t n = file ? fread(text, 1, ROOM - 1, file) : 0;
  if (file) fclose(file);
  text[n] = 0;
  CHECK(n > 0 && n < ROOM - 1);
}

static double place(rig *r) {
  hn_pose p;
  CHECK(hn_body_pose(r->sim, hn_find_body(r->system, "body"), &p) == HN_OK);
  return p.position[0];
}

static double walk(const char *text, how w, double until, double *imbalance) {
  rig r = rig_open(text, w);
  double x = NAN;
  if (rig_ready(&r) && rig_go(&r, until)) x = place(&r);
  if (imbalance) *imbalance = isfinite(x) ? rig_imbalance(&r) : INFINITY;
  rig_close(&r);
  return x;
}

// Event by event with three integrators and two kinds of coordinates, and by a scheme that knows no
// events: it takes impulses over steps (order 1)
static void the_same_walk(void) {
  static char text[ROOM];
  static const struct {
    how w;
    double tol;
  } ways[] = {{{NULL, "relative", 0, 1e-8, NULL}, 1e-8},
              {{"integrator dop853", "reference", 0, 1e-8, NULL}, 1e-8},
              {{NULL, "reference", 0, 1e-6, NULL}, 1e-6},
              {{"moreau", "reference", 2e-4, 0, NULL}, 1e-3}};
  double imbalance;
  read_model(text);
  double x = walk(text, (how){NULL, "reference", 0, 1e-10, NULL}, 1.5, &imbalance);
  printf("  %.9f m, energy %.1e\n", x, imbalance);
  CHECK(x < -0.4 && imbalance < 1e-9);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    double off = fabs(walk(text, ways[i].w, 1.5, &imbalance) - x);
    printf("  %-18s %-9s off by %.1e m, energy %.1e\n",
           ways[i].w.method ? ways[i].w.method : "default", ways[i].w.coordinates, off, imbalance);
    CHECK(off < ways[i].tol);
  }
}

// several steps, and its feet never below ground
static void six_seconds(void) {
  static char text[ROOM];
  read_model(text);
  rig r = rig_open(text, (how){NULL, NULL, 0, 1e-7, NULL});
  double lowest = 0;
  for (int k = 1; rig_ready(&r) && k <= 60 && rig_go(&r, 0.1 * k); k++)
    for (int i = 0; i < LEGS; i++) {
      char name[16];
      hn_reaction at;
      snprintf(name, sizeof name, "%s.floor", leg[i]);
      CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, name), &at) == HN_OK);
      lowest = fmin(lowest, at.point[1]);
    }
  // four feet on either side strike in turn, in two seconds a revolution
  hn_impact hit;
  int strikes = 0;
  for (int s = 0; hn_sim_impact(r.sim, s, &hit); s++) strikes += hit.before < -1e-3;
  printf("  walked %.3f m, %d strikes, energy %.1e\n", place(&r), strikes, rig_imbalance(&r));
  CHECK(place(&r) < -3.5 && strikes >= 20 && lowest > -1e-9 && rig_imbalance(&r) < 1e-6);
  rig_close(&r);
}

// A slip so small that it ended within a nanosecond threw the body up again, by a rebound too low
// to be seen, for ever
static void rocking_ends(void) {
  static char text[ROOM];
  rig r = {.model = hn_model_create()};
  CHECK(hn_model_override(r.model, "mu", "0.4") == HN_OK);
  read_model(text);
  CHECK(hn_model_parse(r.model, text, strlen(text), "test") == HN_OK);
  r.options = *hn_model_options(r.model);
  r.options.rtol = 1e-6;
  snprintf(r.options.verify, sizeof r.options.verify, "off");
  r.status = hn_compile(&r.system, r.model);
  if (!r.status)
    r.status = hn_sim_create(&r.sim, r.system, &r.options, r.message, sizeof r.message);
  for (int k = 0; rig_ready(&r) && k < 4000 && hn_time(r.sim) < 1.2; k++)
    if (!CHECK(hn_step(r.sim) == HN_OK)) break;
  CHECK(hn_time(r.sim) >= 1.2);
  rig_close(&r);
}

// The shaft held, all legs are one stiff body on its feet: they bear the weight, and its moment
static void stands(void) {
  static char text[ROOM], held[ROOM];
  static const struct {
    const char *name;
    double mass;
  } part[] = {{"upper", 0.4},     {"lower", 0.4952}, {"shoulder", 0.6},
              {"rocker", 0.3144}, {"shin", 0.3152},  {"foot", 0.6}};
  read_model(text);
  char *axle = strstr(text, "\n  axle: {"), *motor = strstr(text, "\n  motor:");
  if (!CHECK(axle && motor)) return;
  snprintf(held, sizeof held, "%.*s\n  brake: {type: lock, joint_a: axle}%.*s%s",
           (int)(axle - text), text, (int)(motor - axle), axle, strchr(motor + 1, '\n'));
  rig r = rig_open(held, (how){NULL, NULL, 0, 1e-8, NULL});
  double weight = 0, moment = 0, up = 0, turning = 0, along = 0;
  if (rig_ready(&r) && rig_go(&r, 4)) {
    for (int i = 1; i < hn_system_body_count(r.system); i++) {
      const char *name = hn_body_name(r.system, (hn_body){i});
      double mass = strcmp(name, "body") == 0 ? 20 : 3;
      for (int k = 0; k < 6; k++)
        if (name[2] == '.' && strcmp(name + 3, part[k].name) == 0) mass = part[k].mass;
      hn_pose p;
      CHECK(hn_body_pose(r.sim, (hn_body){i}, &p) == HN_OK);
      CHECK(fabs(p.velocity[0]) + fabs(p.velocity[1]) < 1e-12);
      weight += 9.81 * mass, moment += 9.81 * mass * p.position[0];
    }
    for (int i = 0; i < LEGS; i++) {
      char name[16];
      hn_reaction foot, grip;
      snprintf(name, sizeof name, "%s.floor", leg[i]);
      CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, name), &foot) == HN_OK);
      snprintf(name, sizeof name, "%s.rub.hold", leg[i]);
      CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, name), &grip) == HN_OK);
      CHECK(foot.force[1] >= 0);
      CHECK(fabs(grip.force[0]) <= 0.3 * foot.force[1] + 1e-9);
      up += foot.force[1], turning += foot.point[0] * foot.force[1], along += grip.force[0];
    }
    printf("  feet bear %.9f of %.9f N, turn by %.9f of %.9f N m\n", up, weight, turning, moment);
    CHECK_NEAR(up, weight, 1e-9);
    CHECK_NEAR(turning, moment, 1e-9);
    CHECK_NEAR(along, 0, 1e-9);
  }
  rig_close(&r);
}

// Feet that yield and hardly come back, ten times as stiff, with friction that is full at a tenth
// of the slip, are ten times nearer
static void feet_that_yield(void) {
  static char text[ROOM], soft[ROOM];
  double before = INFINITY;
  read_model(text);
  double x = walk(text, (how){NULL, "reference", 0, 1e-9, NULL}, 0.4, NULL);
  char *stop = strstr(text, "\n      floor:"), *rest = strstr(text, "\n\nbodies:");
  if (!CHECK(stop && rest)) return;
  for (int k = 0; k < 3; k++) {
    double stiffness = 1e7 * pow(10, k), slip = 1e-2 * pow(0.1, k);
    snprintf(soft, sizeof soft,
             "%.*s\n    forces:\n      floor: {type: contact, b: foot.toe, at: [0, -height], axis: "
             "[0, 1, 0], law: kelvin-voigt, stiffness: %g, damping: %g, coulomb: mu, speed: %g}%s",
             (int)(stop - text), text, stiffness, 20 * sqrt(5 * stiffness), slip, rest);
    double off = fabs(walk(soft, (how){NULL, "reference", 0, 1e-7, NULL}, 0.4, NULL) - x);
    printf("  stiffness %.0e N/m: %.1e m from feet that do not yield\n", stiffness, off);
    CHECK(off < 0.3 * before);
    before = off;
  }
  CHECK(before < 1e-4);
}

int main(void) {
  RUN(the_same_walk);
  RUN(six_seconds);
  RUN(rocking_ends);
  RUN(stands);
  RUN(feet_that_yield);
  return test_end();
}
