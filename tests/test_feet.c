// test_feet.c: boxes that slide and turn on four feet which rub.
//
// Three feet would carry a box. What the fourth bears follows from all of them yielding alike, and
// the motion depends on it as soon as the box turns: every foot rubs in a direction of its own.
// With feet at (x_i, y_i) from below the centre of mass, which is at the height h, normal forces
// are
//
//   N_i = a + b x_i + c y_i,   sum N_i = m g,   sum r_i x F_i = 0 about x and y
//
// with friction -mu N_i u_i / |u_i| of the slip u_i in F_i; a foot for which that is negative bears
// nothing, and the other three do. The test solves these three equations by itself along runs of
// random boxes. Seeds are printed where one fails.
#include "contact_rig.h"
#include "random_mechanisms.h"

enum { BOXES = 40, ROWS = 6, FEET = 4 };
static const double g = 9.81;

typedef struct box {
  mechanism m;
  double mass, inertia, mu, high, slope;
  double foot[FEET][2];  // from below the centre
} box;

// edge: it stands nearly on one, and the least slip to one side takes a foot its load
static void begin(box *b, int seed, bool edge) {
  mechanism_begin(&b->m, (unsigned long long)seed, 17);
  b->m.used = 0;
  b->mass = between(0.5, 5), b->inertia = between(0.05, 1);
  b->mu = between(0.1, 0.5), b->high = between(0.02, 0.25);
  b->slope = between(0, 0.5) * b->mu * g;
  double x[2] = {edge ? between(0.01, 0.1) : between(0.2, 0.6), between(0.2, 0.6)};
  double y[2] = {edge ? between(0.01, 0.1) : between(0.2, 0.6), between(0.2, 0.6)};
  for (int i = 0; i < FEET; i++) {
    b->foot[i][0] = i == 0 || i == 3 ? x[0] : -x[1];
    b->foot[i][1] = i < 2 ? y[0] : -y[1];
  }
  put(&b->m, "gravity: [%.17g, 0, -9.81]\nbodies:\n", b->slope);
  put(&b->m,
      "  box: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [0, 0, %.17g],"
      " velocity: [%.17g, %.17g, 0], angular_velocity: [0, 0, %.17g]}\njoints:\n",
      b->mass, b->inertia, b->inertia, b->inertia, b->high, between(-3, 3), between(-3, 3),
      between(-8, 8));
  for (int i = 0; i < FEET; i++)
    put(&b->m, "  foot%d: {type: stop, b: box, at: [0, 0, 0], at_b: [%.17g, %.17g, 0]}\n", i,
        b->foot[i][0], b->foot[i][1]);
  put(&b->m, "forces:\n");
  for (int i = 0; i < FEET; i++)
    put(&b->m, "  rub%d: {type: friction, joint: foot%d, law: coulomb, coulomb: %.17g}\n", i, i,
        b->mu);
}

// 3 x 3, by Cramer's rule
static double det(double A[3][3]) {
  return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
         A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
         A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}
static void solve3(double A[3][3], const double b[3], double x[3]) {
  double all = det(A);
  for (int k = 0; k < 3; k++) {
    double B[3][3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) B[i][j] = j == k ? b[i] : A[i][j];
    x[k] = det(B) / all;
  }
}

// what the feet bear in this state, all but `out`
static void bear(const box *b, const double *q, const double *v, int out, double N[FEET]) {
  double yaw = 2 * atan2(q[6], q[3]), c = cos(yaw), s = sin(yaw);
  double A[3][3] = {{0}}, abc[3], at[FEET][2];
  for (int i = 0; i < FEET; i++) {
    at[i][0] = c * b->foot[i][0] - s * b->foot[i][1];
    at[i][1] = s * b->foot[i][0] + c * b->foot[i][1];
    if (i == out) continue;
    double ux = v[0] - v[5] * at[i][1], uy = v[1] + v[5] * at[i][0], u = hypot(ux, uy);
    double balance[3] = {1, at[i][1] - b->high * b->mu * uy / u,
                         b->high * b->mu * ux / u - at[i][0]};
    for (int k = 0; k < 3; k++) {
      A[k][0] += balance[k];
      A[k][1] += balance[k] * at[i][0];
      A[k][2] += balance[k] * at[i][1];
    }
  }
  solve3(A, (double[]){b->mass * g, 0, 0}, abc);
  for (int i = 0; i < FEET; i++)
    N[i] = i == out ? 0 : abc[0] + abc[1] * at[i][0] + abc[2] * at[i][1];
}

// whether the feet bear what they should, within a part of the weight; *light: one of them nothing
static bool agree(const box *b, rig *r, double within, bool *light) {
  double N[FEET], worst = 0;
  int out = -1;
  const double *q = hn_positions(r->sim), *v = hn_velocities(r->sim);
  bear(b, q, v, -1, N);
  for (int i = 0; i < FEET; i++)
    if (N[i] < 0) out = i;
  if (out >= 0) bear(b, q, v, out, N);
  *light |= out >= 0;
  for (int i = 0; i < FEET; i++)
    if (N[i] < 0) return true;  // it tips
  for (int i = 0; i < FEET; i++) {
    char name[] = "foot0";
    hn_reaction force;
    name[4] = (char)('0' + i);
    if (hn_joint_reaction(r->sim, hn_find_joint(r->system, name), &force)) return false;
    worst = fmax(worst, fabs(force.force[2] - N[i]));
  }
  return worst < within * b->mass * g;
}

static void shares(void) {
  static const how ways[] = {{.coordinates = "reference"},
                             {"integrator rk4", "reference", 5e-3, 0, NULL},
                             {"integrator index3-alpha", "reference", 5e-3, 0, NULL},
                             {"baumgarte", "reference", 5e-3, 0, NULL}};
  // multipliers of index3-alpha are as good as its iteration, and less so after a short step
  static const double within[] = {1e-8, 1e-8, 1e-5, 1e-8};
  static box b;
  int lights = 0, rows = 0;
  for (int seed = 0; seed < BOXES; seed++) {
    begin(&b, seed, seed / 4 % 2);
    rig r = rig_open(b.m.text, ways[seed % 4]);
    bool light = false, moves = true;
    for (int k = 0; rig_ready(&r) && k < ROWS && moves; k++) {
      const double *v = hn_velocities(r.sim);
      moves = hypot(v[0], v[1]) + fabs(v[5]) > 0.1 && hypot(v[3], v[4]) < 1e-9;  // it may tip
      if (!moves) break;
      rows++;
      if (!CHECK(agree(&b, &r, within[seed % 4], &light)))
        printf("  seed %d, t = %.3g s\n", seed, hn_time(r.sim));
      if (!rig_go(&r, 0.04 * (k + 1))) printf("  seed %d\n", seed);
    }
    lights += light;
    rig_close(&r);
  }
  printf("  %d boxes in %d places, %d of them on three feet for a while\n", BOXES, rows, lights);
  CHECK(lights > 5 && rows > 4 * BOXES);
}

// all come to rest, and stay
static void rests(void) {
  static box b;
  for (int seed = 100; seed < 112; seed++) {
    begin(&b, seed, false);
    rig r = rig_open(b.m.text, (how){.coordinates = "reference"});
    if (rig_ready(&r) && rig_go(&r, 5)) {
      const double *v = hn_velocities(r.sim), x = hn_positions(r.sim)[0];
      if (!CHECK(hypot(v[0], v[1]) < 1e-12 && fabs(v[5]) < 1e-12)) printf("  seed %d\n", seed);
      CHECK(rig_imbalance(&r) < 1e-6);
      if (rig_go(&r, 6)) CHECK_NEAR(hn_positions(r.sim)[0], x, 1e-12);
    } else {
      printf("  seed %d\n", seed);
    }
    rig_close(&r);
  }
}

// On level ground nothing pushes what has come to rest: it stays, by all methods in one place
static void rests_on_the_level(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0.05], velocity: [1, 0.3, 0], "
      "angular_velocity: [0, 0, 4]}\n"
      "joints:\n"
      "  f0: {type: stop, b: b, at: [0, 0, 0], at_b: [-0.15, -0.1, 0], axis: [0, 0, 1]}\n"
      "  f1: {type: stop, b: b, at: [0, 0, 0], at_b: [0.15, -0.1, 0], axis: [0, 0, 1]}\n"
      "  f2: {type: stop, b: b, at: [0, 0, 0], at_b: [0.15, 0.1, 0], axis: [0, 0, 1]}\n"
      "  f3: {type: stop, b: b, at: [0, 0, 0], at_b: [-0.15, 0.1, 0], axis: [0, 0, 1]}\n"
      "forces:\n"
      "  r0: {type: friction, joint: f0, law: coulomb, coulomb: 0.4}\n"
      "  r1: {type: friction, joint: f1, law: coulomb, coulomb: 0.4}\n"
      "  r2: {type: friction, joint: f2, law: coulomb, coulomb: 0.4}\n"
      "  r3: {type: friction, joint: f3, law: coulomb, coulomb: 0.4}\n";
  static const how ways[] = {{NULL, "reference", 0, 1e-11, NULL},
                             {NULL, "relative", 0, 1e-11, NULL},
                             {"integrator rk4", "reference", 1e-3, 0, NULL}};
  double place[3][2] = {{0}}, early[2];
  for (int i = 0; i < 3; i++) {
    rig r = rig_open(text, ways[i]);
    if (rig_ready(&r) && rig_go(&r, 2)) {
      memcpy(early, hn_positions(r.sim), sizeof early);
      CHECK(rig_imbalance(&r) < 1e-8);
      if (rig_go(&r, ways[i].step > 0 ? 4 : 3600))
        memcpy(place[i], hn_positions(r.sim), sizeof place[i]);
      CHECK(hypot(place[i][0] - early[0], place[i][1] - early[1]) < 1e-13);
    }
    rig_close(&r);
    CHECK_NEAR(hypot(place[i][0] - place[0][0], place[i][1] - place[0][1]), 0, 1e-7);
  }
}

// A block on a slope stands on four feet of unequal loads up to tan(a) = static, all of them at
// their limits there, and slides beyond it: also by a hair
static void near_the_limit(void) {
  static const double beside[] = {1e-2, 1e-4, 1e-5, 1e-6, 1e-7, -1e-7, -1e-6, -1e-5, -1e-4, -1e-2};
  static const double feet[2][4][2] = {{{-0.2, 0}, {-0.07, 0}, {0.1, 0}, {0.2, 0}},
                                       {{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}}};
  double worst = 0, off = 0;
  for (int space = 0; space < 2; space++)
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
      double a = atan(0.5 * (1 - beside[i])), at[3];
      char text[2000];
      int n =
          snprintf(text, sizeof text,
                   space ? "gravity: [%.17g, 0, %.17g]\nbodies:\n  b: {mass: 2, inertia: [0.02, "
                           "0.03, 0.04], position: [0, 0, 0.05]}\njoints:\n"
                         : "gravity: [%.17g, %.17g]\nbodies:\n  b: {type: planar, mass: 2, "
                           "inertia: 0.02, position: [0, 0.05]}\njoints:\n",
                   g * sin(a), -g * cos(a));
      for (int k = 0; k < 4; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  f%d: {type: stop, b: b, at: [0, 0, 0], at_b: [%g, %g, 0], axis: [0, %d, "
                      "%d]}\n",
                      k, feet[space][k][0], feet[space][k][1], !space, space);
      n += snprintf(text + n, sizeof text - (size_t)n, "forces:\n");
      for (int k = 0; k < 4; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  r%d: {type: friction, joint: f%d, law: coulomb, coulomb: 0.4, static: "
                      "0.5}\n",
                      k, k);
      rig r = rig_open(text, (how){NULL, "reference", 0, 1e-10, NULL});
      if (rig_ready(&r) && rig_go(&r, 10)) {
        double way = beside[i] > 0 ? 0 : 50 * g * (sin(a) - 0.4 * cos(a));
        for (int k = 0; k < 3; k++) at[k] = hn_positions(r.sim)[k];
        *(beside[i] > 0 ? &worst : &off) = fmax(beside[i] > 0 ? worst : off, fabs(at[0] - way));
        if (space) CHECK_NEAR(at[1], 0, 1e-9);
      }
      rig_close(&r);
    }
  printf("  four feet beside the limit: below %.1e m in 10 s, above %.1e m off\n", worst, off);
  CHECK(worst < 1e-12 && off < 1e-8);
}

int main(void) {
  RUN(shares);
  RUN(rests);
  RUN(rests_on_the_level);
  RUN(near_the_limit);
  return test_end();
}
