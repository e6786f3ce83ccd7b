// test_transmissions.c: random trees and loops with gears, racks, springs on joint coordinates and
// friction move alike in reference, relative and natural coordinates.
#include "run_rig.h"

#include <stdarg.h>

enum { SIZE = 16384, MOST = 8 };

typedef struct text {
  char body[SIZE], joint[SIZE], force[SIZE], all[4 * SIZE];
} text;

__attribute__((format(printf, 2, 3))) static void add(char *to, const char *format, ...) {
  size_t used = strlen(to);
  va_list args;
  va_start(args, format);
  vsnprintf(to + used, SIZE - used, format, args);
  va_end(args);
}

static int whole(int below) {
  return (int)test_random(0, below);
}

static const char *direction(bool planar) {
  static char out[4][96];
  static int turn;
  char *o = out[turn = (turn + 1) % 4];
  double x[3], n = 0;
  for (int i = 0; i < 3; i++) x[i] = test_random(-1, 1);
  if (planar) x[2] = 0;
  n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  snprintf(o, sizeof out[0], planar ? "[%.9f, %.9f]" : "[%.9f, %.9f, %.9f]", x[0] / n, x[1] / n,
           x[2] / n);
  return o;
}

// A tree of bodies on hinges and slides. Gears and racks couple neighbouring coordinates, so that
// each coordinate follows at most one other and something stays free. With `loops`, the last body
// is also held by a distance
static void random_model(text *t, bool planar, bool friction, bool loops) {
  int n = 2 + whole(MOST - 3);
  double p[MOST][3] = {{0}};
  bool turns[MOST];
  memset(t, 0, sizeof *t);
  for (int i = 1; i <= n; i++) {
    int parent = whole(i);
    turns[i] = i == 1 || test_random(0, 1) < 0.75;
    double at[3], com[3];
    for (int k = 0; k < 3; k++) {
      bool out = planar && k == 2;
      at[k] = out ? 0 : p[parent][k] + test_random(-0.5, 0.5);
      p[i][k] = out ? 0 : at[k] + test_random(-0.5, 0.5);
      com[k] = out ? 0 : test_random(-0.1, 0.1);
    }
    char parent_name[16] = "ground", rate[32] = "";
    if (i == 1) snprintf(rate, sizeof rate, ", rate: %.6f", test_random(-1, 1));
    if (parent) snprintf(parent_name, sizeof parent_name, "b%d", parent);
    if (planar) {
      add(t->body,
          "  b%d: {type: planar, mass: %.6f, inertia: %.6f, position: [%.9f, %.9f], com: [%.6f, "
          "%.6f]}\n",
          i, test_random(0.5, 2), test_random(0.05, 0.3), p[i][0], p[i][1], com[0], com[1]);
      add(t->joint, "  j%d: {type: %s, a: %s, b: b%d, at: [%.9f, %.9f]%s%s%s}\n", i,
          turns[i] ? "revolute" : "prismatic", parent_name, i, at[0], at[1],
          turns[i] ? "" : ", axis: ", turns[i] ? "" : direction(true), rate);
    } else {
      double I = test_random(0.05, 0.3);
      add(t->body,
          "  b%d: {mass: %.6f, inertia: [%.6f, %.6f, %.6f], position: [%.9f, %.9f, %.9f], com: "
          "[%.6f, %.6f, %.6f]}\n",
          i, test_random(0.5, 2), I, I * test_random(0.8, 1.1), I * test_random(0.6, 1), p[i][0],
          p[i][1], p[i][2], com[0], com[1], com[2]);
      add(t->joint, "  j%d: {type: %s, a: %s, b: b%d, at: [%.9f, %.9f, %.9f], axis: %s%s}\n", i,
          turns[i] ? "revolute" : "prismatic", parent_name, i, at[0], at[1], at[2],
          direction(false), rate);
    }
    if (test_random(0, 1) < 0.7)
      add(t->force, "  s%d: {type: %s, joint: j%d, stiffness: %.6f, damping: %.6f, free: %.6f}\n",
          i, turns[i] ? "torsion-spring" : "spring", i, test_random(2, 8), test_random(0, 0.2),
          test_random(-0.5, 0.5));
    if (friction && test_random(0, 1) < 0.6)
      add(t->force, "  f%d: {type: friction, joint: j%d, coulomb: %.6f, speed: 0.1%s}\n", i, i,
          test_random(0.02, 0.1), turns[i] ? ", radius: 0.05" : "");
  }
  int first = 2 + whole(2);
  for (int i = first; i <= n && !(loops && i == n); i += 2) {
    double ratio = test_random(0.5, 2) * (test_random(0, 1) < 0.5 ? -1 : 1);
    if (turns[i] == turns[i - 1])
      add(t->joint, "  g%d: {type: gear, joint_a: j%d, joint_b: j%d, ratio: %.6f}\n", i, i - 1, i,
          ratio);
    else
      add(t->joint, "  g%d: {type: rack-pinion, joint_a: j%d, joint_b: j%d, radius: %.6f}\n", i,
          i - 1, i, 0.2 * ratio);
  }
  if (loops && n > 2) {
    char far[64];
    if (planar)
      snprintf(far, sizeof far, "[%.9f, %.9f]", p[n][0] + 0.7, p[n][1] + 0.6);
    else
      snprintf(far, sizeof far, "[%.9f, %.9f, %.9f]", p[n][0] + 0.7, p[n][1] + 0.6, p[n][2] + 0.5);
    add(t->joint, "  loop: {type: distance, a: ground, b: b%d, at: %s}\n", n, far);
  }
  snprintf(t->all, sizeof t->all,
           "gravity: %s\n"
           "simulation: {duration: 0.4, output_step: 0.2, rtol: 1e-9}\n"
           "bodies:\n%sjoints:\n%s%s%s",
           planar ? "[0.5, -9.81]" : "[0.5, 1, -9.81]", t->body, t->joint,
           t->force[0] ? "forces:\n" : "", t->force);
}

// largest difference of a column of the last row, relative to the size of its kind
static double difference(const hn_result *a, const hn_result *b, const char **where) {
  double worst = 0, force = 1e-3;
  const double *x = last_row(a), *y = last_row(b);
  int n = hn_result_columns(a);
  for (int i = 0; i < n; i++)
    if (strchr(hn_result_unit(a, i), 'N')) force = fmax(force, fabs(x[i]));
  for (int i = 0; i < n; i++) {
    const char *name = hn_result_name(a, i);
    if (strncmp(name, "residual", 8) == 0 || strncmp(name, "constraints", 11) == 0) continue;
    int k = -1;
    for (int j = 0; j < hn_result_columns(b) && k < 0; j++)
      if (strcmp(hn_result_name(b, j), name) == 0) k = j;
    if (k < 0) continue;
    double unit = strchr(hn_result_unit(a, i), 'N') ? force : fmax(1, fabs(x[i]));
    double d = fabs(x[i] - y[k]) / unit;
    if (!(d <= worst)) worst = d, *where = name;
  }
  return worst;
}

static void family(int count, bool friction, bool loops) {
  static const char *const coordinates[] = {"reference", "relative", "natural"};
  static text t;
  int done = 0;
  for (int i = 0; i < count; i++) {
    test_seed = 1000003ull * (unsigned)(i + 1) + friction * 77 + loops * 991;
    for (int k = 0; k < 8; k++) (void)test_random(0, 1);
    unsigned long long seed = test_seed;
    random_model(&t, i % 2 == 0, friction, loops);
    run r[3];
    bool ok = true;
    for (int c = 0; c < 3; c++) {
      r[c] = (run){.model = hn_model_create()};
      hn_status status = hn_model_parse(r[c].model, t.all, strlen(t.all), "random");
      if (status)
        snprintf(r[c].message, sizeof r[c].message, "%s", hn_model_error(r[c].model));
      else
        status = run_model(&r[c], "explicit", coordinates[c], 0);
      if (!CHECK(status == HN_OK)) {
        printf("%d (seed %llu), %s: %s\n%s\n", i, seed, coordinates[c], r[c].message, t.all);
        ok = false;
      }
    }
    for (int c = 1; c < 3 && ok; c++) {
      const char *where = "";
      double d = difference(r[0].result, r[c].result, &where);
      if (!CHECK(d < 1e-6))
        printf("%d (seed %llu), %s: %s differs by %.3g\n%s\n", i, seed, coordinates[c], where, d,
               t.all);
    }
    for (int c = 0; c < 3; c++) run_free(&r[c]);
    done += ok;
  }
  CHECK(done == count);
}

static void test_gears_and_springs(void) {
  family(120, false, false);
}
static void test_with_friction(void) {
  family(60, true, false);
}
static void test_with_loops(void) {
  family(60, true, true);
}

// bodies that gears and a strut hold in place are no singular configuration, and what moves beside
// them goes its way
static void test_structures(void) {
  static const char *const coordinates[] = {"reference", "relative", "natural"};
  for (int i = 0; i < 60; i++) {
    unsigned long long seed = test_seed;
    static text t;
    memset(&t, 0, sizeof t);
    int n = 2 + i % 3;
    double p[MOST][2] = {{0}};
    add(t.body,
        "  free: {type: planar, mass: 1, inertia: 0.1, position: [3, 0], velocity: [1, 2]}\n");
    for (int k = 1; k <= n; k++) {
      double at[2];
      for (int c = 0; c < 2; c++) {
        at[c] = p[k - 1][c] + test_random(-0.5, 0.5);
        p[k][c] = at[c] + test_random(-0.5, 0.5);
      }
      char parent[16] = "ground", axis[128] = "";
      if (k > 1) snprintf(parent, sizeof parent, "b%d", k - 1);
      bool turns = test_random(0, 1) < 0.6;
      if (!turns) snprintf(axis, sizeof axis, ", axis: %s", direction(true));
      add(t.body, "  b%d: {type: planar, mass: %.6f, inertia: %.6f, position: [%.9f, %.9f]}\n", k,
          test_random(0.5, 2), test_random(0.1, 0.4), p[k][0], p[k][1]);
      add(t.joint, "  j%d: {type: %s, a: %s, b: b%d, at: [%.9f, %.9f]%s}\n", k,
          turns ? "revolute" : "prismatic", parent, k, at[0], at[1], axis);
      static bool before;
      bool gear = turns == before;
      if (k > 1)
        add(t.joint, "  g%d: {type: %s, joint_a: j%d, joint_b: j%d, %s: %.6f}\n", k,
            gear ? "gear" : "rack-pinion", k - 1, k, gear ? "ratio" : "radius",
            test_random(0.3, 2));
      before = turns;
    }
    add(t.joint, "  strut: {type: distance, a: %s, b: b%d, at: [%.9f, %.9f], at_b: [%.9f, %.9f]}\n",
        i % 4 ? "b1" : "ground", n, p[n][0] + 0.7, p[n][1] + 0.6, p[n][0] + test_random(-0.3, 0.3),
        p[n][1] + test_random(-0.3, 0.3));
    snprintf(
        t.all, sizeof t.all,
        "gravity: [0, -9.81]\nsimulation: {duration: 1, output_step: 0.5}\nbodies:\n%sjoints:\n%s",
        t.body, t.joint);
    run r = {.model = hn_model_create()};
    hn_status status = hn_model_parse(r.model, t.all, strlen(t.all), "random");
    if (!status) status = run_model(&r, "default", coordinates[i / 3 % 3], 0);
    double y = 0;
    bool ok = CHECK(status == HN_OK) && CHECK(hn_sim_singular_count(r.sim) == 0);
    for (int c = 0; ok && c < hn_result_columns(r.result); c++) {
      if (strcmp(hn_result_name(r.result, c), "free.y") == 0) y = last_row(r.result)[c];
      if (strcmp(hn_result_name(r.result, c), "b1.x") == 0)
        ok = CHECK_NEAR(last_row(r.result)[c], p[1][0], 2e-9);
    }
    ok = ok && CHECK_NEAR(y, 2 - 9.81 / 2, 1e-9);
    if (!ok) printf("%d (seed %llx): %s\n%s\n", i, seed, r.message, t.all);
    run_free(&r);
  }
}

// Nothing is small by itself: two wheels in gear, one turned by a motor and the other held. Teeth
// push with the torque over the pitch radius, and hinges bear that, however large the wheels are
static void test_any_size(void) {
  static const double sizes[] = {1e-9, 1e-6, 1e-3, 1, 1e5};
  for (int k = 0; k < 5; k++) {
    const double L = sizes[k], torque = 3 * L, radius = 0.2 * L;
    char model[1200];
    run r = {.model = hn_model_create()};
    snprintf(model, sizeof model,
             "bodies:\n"
             "  one: {type: planar, mass: 1, inertia: %.17g}\n"
             "  two: {type: planar, mass: 1, inertia: %.17g, position: [%.17g, 0]}\n"
             "joints:\n"
             "  A: {type: revolute, b: one, at: [0, 0]}\n"
             "  B: {type: revolute, b: two, at: [%.17g, 0]}\n"
             "  teeth: {type: gear, joint_a: A, joint_b: B, ratio: -0.5}\n"
             "  held: {type: driver, joint_a: B, motion: 0}\n"
             "forces: {motor: {type: motor, joint: A, law: %.17g}}\n"
             "simulation: {duration: 0.1}\n",
             0.01 * L * L, 0.04 * L * L, 0.6 * L, 0.6 * L, torque);
    bool ran = !hn_model_parse(r.model, model, strlen(model), "test.yaml") &&
               !run_model(&r, "default", "reference", 0);
    if (CHECK(ran)) {
      const double *row = hn_result_row(r.result, 0);
      double fy = row[hn_result_find(r.result, "A.fy")], fx = row[hn_result_find(r.result, "A.fx")];
      double by = row[hn_result_find(r.result, "B.fy")];
      CHECK_NEAR(fabs(fy), torque / radius, 1e-9);
      CHECK_NEAR(fx, 0, 1e-9);
      CHECK_NEAR(by, -fy, 1e-9);
    } else {
      printf("  %g: %s %s\n", L, hn_model_error(r.model), r.message);
    }
    run_free(&r);
  }
}

int main(void) {
  RUN(test_structures);
  RUN(test_gears_and_springs);
  RUN(test_with_friction);
  RUN(test_with_loops);
  RUN(test_any_size);
  return test_end();
}
