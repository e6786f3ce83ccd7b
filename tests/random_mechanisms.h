// random_mechanisms.h: mechanisms with more joints than they need, somewhere in space.
//
// Each family writes a model as text from a seed. The whole is turned and moved at random, so that
// a row that repeats others is no exact zero but round-off, and its numbers are rounded to so many
// decimals (8 to 17), so that joints miss each other by as much.
#ifndef HN_TESTS_RANDOM_MECHANISMS_H
#define HN_TESTS_RANDOM_MECHANISMS_H

#include "test.h"

#include <stdarg.h>
#include <stdbool.h>

typedef struct mechanism {
  char text[65536];
  size_t used;
  double R[9], p[3];  // where it is
  int digits;         // decimals of what is written
  int redundant;      // rows that repeat others, counted by hand; -1: not known
  int dof;            // the same
} mechanism;

static const double mechanism_pi = 3.14159265358979323846;

__attribute__((format(printf, 2, 3))) static inline void put(mechanism *m, const char *format,
                                                             ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(m->text + m->used, sizeof m->text - m->used, format, args);
  va_end(args);
  if (n > 0) m->used += (size_t)n;
  if (m->used >= sizeof m->text) abort();
}

// numbers in [lo, hi), and whole ones from lo to hi
static inline double between(double lo, double hi) {
  return test_random(lo, hi);
}
static inline int whole(int lo, int hi) {
  return lo + (int)floor(test_random(0, hi - lo + 1));
}

static inline void random_direction(double d[3]) {
  double z = between(-1, 1), a = between(0, 2 * mechanism_pi), r = sqrt(1 - z * z);
  d[0] = r * cos(a), d[1] = r * sin(a), d[2] = z;
}

static inline void cross(double o[3], const double a[3], const double b[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  double z = a[0] * b[1] - a[1] * b[0];
  o[0] = x, o[1] = y, o[2] = z;
}

static inline void unit(double d[3]) {
  double n = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int i = 0; i < 3; i++) d[i] /= n;
}

// a place and an orientation; digits < 0: between 8 and 14, or all of them
static inline void mechanism_begin(mechanism *m, unsigned long long seed, int digits) {
  test_seed = 0x9e3779b97f4a7c15ull ^ (seed + 1) * 0xbf58476d1ce4e5b9ull;
  for (int i = 0; i < 20; i++) test_random(0, 1);
  m->used = 0;
  m->redundant = m->dof = -1;
  m->digits = digits >= 0 ? digits : whole(8, 16);
  if (m->digits > 14) m->digits = 17;
  double x[3], y[3], z[3];
  random_direction(z);
  random_direction(y);
  cross(x, y, z);
  unit(x);
  cross(y, z, x);
  for (int i = 0; i < 3; i++) {
    m->R[3 * i] = x[i], m->R[3 * i + 1] = y[i], m->R[3 * i + 2] = z[i];
    m->p[i] = between(-1, 1);
  }
  put(m, "gravity: [0, 0, -9.81]\n");
}

static inline void put_vector(mechanism *m, const char *key, const double local[3], bool point) {
  put(m, ", %s: [", key);
  for (int i = 0; i < 3; i++) {
    double x = point ? m->p[i] : 0;
    for (int k = 0; k < 3; k++) x += m->R[3 * i + k] * local[k];
    put(m, "%s%.*f", i ? ", " : "", m->digits, x);
  }
  put(m, "]");
}

static inline void body(mechanism *m, const char *name, double mass, double radius,
                        const double at[3]) {
  double I = mass * radius * radius;
  put(m, "  %s: {mass: %.6f, inertia: [%.9f, %.9f, %.9f]", name, mass, I * between(1, 1.9),
      I * between(1, 1.9), I * between(1, 1.9));
  put_vector(m, "position", at, true);
  put(m, "}\n");
}

// axis may be NULL; `more` ends in nothing or begins with a comma
static inline void joint(mechanism *m, const char *name, const char *type, const char *a,
                         const char *b, const double at[3], const double axis[3],
                         const char *more) {
  put(m, "  %s: {type: %s, a: %s, b: %s", name, type, a, b);
  put_vector(m, "at", at, true);
  if (axis) put_vector(m, "axis", axis, false);
  put(m, "%s}\n", more);
}

static inline void middle(double o[3], const double a[3], const double b[3]) {
  for (int i = 0; i < 3; i++) o[i] = 0.5 * (a[i] + b[i]);
}

static const double along_z[3] = {0, 0, 1};

// ---- a plane loop of hinges: three rows too many -------------------------------------------

static inline void tilted_four_bar(mechanism *m) {
  double phi = between(0.8, 2.3), psi = between(0.9, 2.2), d = between(1, 2.5);
  double la = between(0.4, 1), lc = between(0.6, 1.3), at[4][3] = {{0}}, com[3];
  at[1][0] = la * cos(phi), at[1][1] = la * sin(phi);
  at[2][0] = d + lc * cos(psi), at[2][1] = lc * sin(psi);
  at[3][0] = d;
  for (int i = 0; i < 4; i++) at[i][2] = between(-0.2, 0.2);
  static const char *const name[] = {"a", "b", "c"};
  put(m, "bodies:\n");
  for (int i = 0; i < 3; i++) {
    middle(com, at[i], at[i + 1]);
    body(m, name[i], between(0.5, 3), between(0.1, 0.5), com);
  }
  put(m, "joints:\n");
  joint(m, "A", "revolute", "ground", "a", at[0], along_z, "");
  joint(m, "B", "revolute", "a", "b", at[1], along_z, "");
  joint(m, "C", "revolute", "b", "c", at[2], along_z, "");
  joint(m, "D", "revolute", "ground", "c", at[3], along_z, "");
  m->redundant = 3, m->dof = 1;
}

// ---- a shaft in two or three bearings ------------------------------------------------------

static inline void shaft_in_bearings(mechanism *m) {
  static const char *const kind[] = {"revolute", "cylindrical", "spherical"};
  static const char *const name[] = {"one", "two", "three"};
  static const int rows[] = {5, 4, 3};
  const double com[3] = {between(0.05, 0.3), between(-0.2, 0.2), between(-0.1, 0.3)};
  int bearings = whole(2, 3), sum = 5;
  put(m, "bodies:\n");
  body(m, "shaft", between(0.5, 3), between(0.1, 0.4), com);
  put(m, "joints:\n");
  for (int i = 0; i < bearings; i++) {
    int k = i ? whole(0, 2) : 0;
    const double at[3] = {0, 0, 0.3 * i + between(0, 0.1)};
    joint(m, name[i], kind[k], "ground", "shaft", at, k < 2 ? along_z : NULL,
          i ? "" : ", rate: 1.5");
    if (i) sum += rows[k];
  }
  m->redundant = sum - 5, m->dof = 1;
}

// ---- a parallelogram carried around by a hinge ---------------------------------------------

static inline void skew_parallelogram(mechanism *m) {
  double d[3], l = between(0.06, 0.3), w = between(0.03, 0.2), phi = between(0, 6.28);
  double psi = phi + between(0.6, 2.4), zero[3] = {0}, com[3], p[4][3] = {{0}};
  double x = between(0.02, 0.1), y = between(-0.1, 0.1), z = between(-0.05, 0.05);
  for (int i = 0; i < 4; i++) {
    p[i][0] = x + (i % 2 ? w * cos(phi) : 0) + (i > 1 ? l * cos(psi) : 0);
    p[i][1] = y + (i % 2 ? w * sin(phi) : 0) + (i > 1 ? l * sin(psi) : 0);
    p[i][2] = z;
  }
  random_direction(d);
  put(m, "bodies:\n");
  body(m, "palm", between(0.5, 2), between(0.05, 0.1), zero);
  middle(com, p[0], p[2]);
  body(m, "li", between(0.05, 0.2), 0.5 * l, com);
  middle(com, p[1], p[3]);
  body(m, "lo", between(0.05, 0.2), 0.5 * l, com);
  middle(com, p[2], p[3]);
  body(m, "lf", between(0.05, 0.2), 0.5 * w, com);
  put(m, "joints:\n");
  joint(m, "j", "revolute", "ground", "palm", zero, d, "");
  joint(m, "gl1", "revolute", "palm", "li", p[0], along_z, "");
  joint(m, "gl2", "revolute", "palm", "lo", p[1], along_z, "");
  joint(m, "gl3", "revolute", "li", "lf", p[2], along_z, "");
  joint(m, "gl4", "revolute", "lo", "lf", p[3], along_z, "");
  put(m, "forces:\n  hold: {type: torsion-spring, joint: gl1, stiffness: %.4f, damping: 0.02}\n",
      between(0.5, 3));
  m->redundant = 3, m->dof = 2;
}

// ---- shafts joined by universal joints -----------------------------------------------------

// arms of a cross between shafts along u and o, turned by `phase` about u
static inline void cross_arms(double first[3], double second[3], const double u[3],
                              const double o[3], double phase) {
  double side[3], up[3];
  cross(side, u, (double[3]){0.3, 0.2, 1});
  unit(side);
  cross(up, u, side);
  for (int i = 0; i < 3; i++) first[i] = cos(phase) * side[i] + sin(phase) * up[i];
  cross(second, first, o);
  unit(second);
}

static inline void universal(mechanism *m, const char *name, const char *a, const char *b,
                             const double at[3], const double u[3], const double o[3]) {
  double first[3], second[3];
  cross_arms(first, second, u, o, between(0, 6.28));
  put(m, "  %s: {type: universal, a: %s, b: %s", name, a, b);
  put_vector(m, "at", at, true);
  put_vector(m, "axis", first, false);
  put_vector(m, "axis_b", second, false);
  put(m, "}\n");
}

static inline void cardan(mechanism *m) {
  bool driven = whole(0, 1), middle_shaft = whole(0, 1);
  double bend = between(0.15, 0.9), more = between(-0.8, 0.8), l = between(0.4, 1);
  const double u[3] = {1, 0, 0}, n[3] = {cos(bend), sin(bend), 0};
  const double o[3] = {cos(more) * cos(bend), sin(bend) * cos(more), sin(more)};
  const double zero[3] = {0}, far[3] = {l * n[0], l * n[1], 0}, *end = middle_shaft ? far : zero;
  double com[3];
  put(m, "bodies:\n");
  body(m, "in", between(0.5, 2), 0.2, (double[3]){-0.5, between(0.01, 0.1), 0});
  middle(com, zero, far);
  if (middle_shaft) body(m, "shaft", between(0.5, 2), 0.2, com);
  for (int i = 0; i < 3; i++) com[i] = end[i] + 0.4 * o[i];
  body(m, "out", between(0.5, 2), 0.2, com);
  put(m, "joints:\n");
  joint(m, "a", "revolute", "ground", "in", (double[3]){between(-0.6, -0.2), 0, 0}, u,
        driven ? "" : ", rate: 3");
  for (int i = 0; i < 3; i++) com[i] = end[i] + 0.3 * o[i];
  joint(m, "b", "revolute", "ground", "out", com, o, "");
  universal(m, "u1", "in", middle_shaft ? "shaft" : "out", zero, u, middle_shaft ? n : o);
  if (middle_shaft) universal(m, "u2", "shaft", "out", far, n, o);
  if (driven) put(m, "  d: {type: driver, joint_a: a, motion: 2*t}\n");
  m->redundant = middle_shaft ? 1 : 3, m->dof = driven ? 0 : 1;
}

// ---- delta robots --------------------------------------------------------------------------

static inline void delta_robot(mechanism *m, bool driven) {
  double rb = between(0.15, 0.25), la = between(0.2, 0.3), alpha = between(0.2, 0.6);
  double rp = between(0.05, 0.1), h = between(0.4, 0.5), w = between(0.04, 0.08);
  double phase = between(0, 6.28), hip[3][3], knee[3][3], ankle[3][3], et[3][3];
  char name[6][16];
  put(m, "bodies:\n");
  body(m, "plate", 0.4, 0.04, (double[3]){0, 0, -h});
  for (int i = 0; i < 3; i++) {
    double t = phase + 2 * mechanism_pi * i / 3, com[3];
    const double r[3] = {cos(t), sin(t), 0}, s[3] = {-sin(t), cos(t), 0};
    for (int k = 0; k < 3; k++) {
      et[i][k] = s[k];
      hip[i][k] = rb * r[k];
      knee[i][k] = (rb + la * cos(alpha)) * r[k] - (k == 2) * la * sin(alpha);
      ankle[i][k] = rp * r[k] - (k == 2) * h;
    }
    static const char *const part[] = {"arm", "top", "bot", "rod0", "rod1"};
    for (int k = 0; k < 5; k++) snprintf(name[k], sizeof name[k], "%s%d", part[k], i);
    middle(com, hip[i], knee[i]);
    body(m, name[0], 0.3, 0.07, com);
    body(m, name[1], 0.05, 0.04, knee[i]);
    body(m, name[2], 0.05, 0.04, ankle[i]);
    middle(com, knee[i], ankle[i]);
    for (int side = 0; side < 2; side++) {
      double at[3];
      for (int k = 0; k < 3; k++) at[k] = com[k] + (side ? -w : w) * s[k];
      body(m, name[3 + side], 0.1, 0.1, at);
    }
  }
  put(m, "joints:\n");
  for (int i = 0; i < 3; i++) {
    static const char *const part[] = {"arm", "top", "bot", "rod"};
    double rod[3], n[3];
    char joints[6][16];
    for (int k = 0; k < 3; k++) snprintf(name[k], sizeof name[k], "%s%d", part[k], i);
    snprintf(joints[0], 16, "hip%d", i);
    snprintf(joints[1], 16, "knee%d", i);
    snprintf(joints[2], 16, "ankle%d", i);
    joint(m, joints[0], "revolute", "ground", name[0], hip[i], et[i], "");
    joint(m, joints[1], "revolute", name[0], name[1], knee[i], et[i], "");
    joint(m, joints[2], "revolute", name[2], "plate", ankle[i], et[i], "");
    for (int k = 0; k < 3; k++) rod[k] = ankle[i][k] - knee[i][k];
    cross(n, et[i], rod);
    unit(n);
    for (int side = 0; side < 2; side++) {
      double top[3], bottom[3];
      for (int k = 0; k < 3; k++) {
        top[k] = knee[i][k] + (side ? -w : w) * et[i][k];
        bottom[k] = ankle[i][k] + (side ? -w : w) * et[i][k];
      }
      snprintf(name[3], sizeof name[3], "rod%d%d", side, i);
      snprintf(joints[3], 16, "k%d%d", i, side);
      snprintf(joints[4], 16, "p%d%d", i, side);
      joint(m, joints[3], "revolute", name[1], name[3], top, n, "");
      joint(m, joints[4], "revolute", name[3], name[2], bottom, n, "");
    }
  }
  for (int i = 0; driven && i < 3; i++)
    put(m, "  drive%d: {type: driver, joint_a: hip%d, motion: 0.3*(sin(4*t + %d) - sin(%d))}\n", i,
        i, 2 * i, 2 * i);
  m->redundant = 12, m->dof = driven ? 0 : 3;
}

static inline void free_delta(mechanism *m) {
  delta_robot(m, false);
}
static inline void driven_delta(mechanism *m) {
  delta_robot(m, true);
}

// ---- walking machines ----------------------------------------------------------------------

// A shaft in three bearings with a crank for each leg; a leg is four bars in a plane across it, two
// loops. Hinges are hinges in space: three rows of every loop are too many, and five of every
// bearing but the first. Axes are written with different lengths, so that each is rounded its own
// way.
enum { WALKER_POINTS = 4 };

static const double walker_low[2] = {0.9, -0.5}, walker_high[2] = {1, 0.9};

// where bars of lengths p and q from a and b meet; side: 1 left of the way from a to b, -1 right
static inline void bars_meet(double o[2], const double a[2], double p, const double b[2], double q,
                             int side) {
  double x = b[0] - a[0], y = b[1] - a[1], d = hypot(x, y);
  double along = (p * p - q * q + d * d) / (2 * d), across = side * sqrt(p * p - along * along);
  o[0] = a[0] + (along * x - across * y) / d;
  o[1] = a[1] + (along * y + across * x) / d;
}

// hinges of a leg whose crank stands at an angle: crank, knee, end of the coupler, foot
static inline void walker_leg(double at[WALKER_POINTS][2], double angle) {
  at[0][0] = 0.2 * cos(angle), at[0][1] = 0.2 * sin(angle);
  bars_meet(at[1], at[0], 0.9, walker_low, 0.6, 1);
  for (int i = 0; i < 2; i++) at[2][i] = at[0][i] + (at[1][i] - at[0][i]) * 1.2 / 0.9;
  bars_meet(at[3], at[2], 0.8, walker_high, 0.5, -1);
}

// the same in space, with the pivots on the ground: crank, knee, end, foot, low, high
static inline void walker_hinges(double at[6][3], int leg, double angle) {
  double plane[WALKER_POINTS][2];
  walker_leg(plane, angle);
  for (int i = 0; i < 6; i++) {
    const double *p = i < 4 ? plane[i] : i == 4 ? walker_low : walker_high;
    at[i][0] = p[0], at[i][1] = p[1], at[i][2] = 0.1 * leg;
  }
}

static const char *const walker_bar[4] = {"coupler", "low", "shank", "high"};
static const int walker_ends[4][2] = {{0, 2}, {4, 1}, {2, 3}, {5, 3}};  // among walker_hinges

static inline double walker_phase(int leg, int legs) {
  return 2 * mechanism_pi * leg / legs;
}

static inline void walker(mechanism *m, int legs, double rate, bool driven) {
  static const struct {
    const char *name;
    int a, b, at;  // bars; -1: the shaft, -2: the ground
  } hinge[6] = {{"A", -1, 0, 0}, {"B", 0, 1, 1}, {"C", -2, 1, 4},
                {"D", 0, 2, 2},  {"E", 2, 3, 3}, {"F", -2, 3, 5}};
  double at[6][3], com[3];
  char name[16], a[16], b[16], more[32] = "";
  put(m, "bodies:\n");
  body(m, "shaft", 10, 0.3, (double[3]){0, 0, 0.05 * legs});
  for (int k = 0; k < legs; k++) {
    walker_hinges(at, k, walker_phase(k, legs));
    for (int i = 0; i < 4; i++) {
      middle(com, at[walker_ends[i][0]], at[walker_ends[i][1]]);
      snprintf(name, sizeof name, "%s%d", walker_bar[i], k);
      body(m, name, between(0.5, 1.2), 0.3, com);
    }
  }
  put(m, "joints:\n");
  if (!driven) snprintf(more, sizeof more, ", rate: %.3f", rate);
  for (int k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "bearing%d", k);
    joint(m, name, "revolute", "ground", "shaft", (double[3]){0, 0, 0.05 * legs * k},
          (double[3]){0, 0, between(0.5, 2)}, k ? "" : more);
  }
  for (int k = 0; k < legs; k++) {
    walker_hinges(at, k, walker_phase(k, legs));
    for (int i = 0; i < 6; i++) {
      snprintf(name, sizeof name, "%s%d", hinge[i].name, k);
      if (hinge[i].a >= 0) snprintf(a, sizeof a, "%s%d", walker_bar[hinge[i].a], k);
      snprintf(b, sizeof b, "%s%d", walker_bar[hinge[i].b], k);
      joint(m, name, "revolute",
            hinge[i].a >= 0    ? a
            : hinge[i].a == -1 ? "shaft"
                               : "ground",
            b, at[hinge[i].at], (double[3]){0, 0, between(0.5, 2)}, "");
    }
  }
  if (driven) put(m, "  motor: {type: driver, joint_a: bearing0, motion: %.3f*t}\n", rate);
  m->redundant = 10 + 6 * legs, m->dof = driven ? 0 : 1;
}

// ---- trees and loops of all joints ---------------------------------------------------------

static inline void random_loops(mechanism *m) {
  static const char *const kind[] = {"revolute",    "prismatic", "spherical", "universal",
                                     "cylindrical", "planar",    "screw",     "fixed"};
  static const char *const closing[] = {"spherical", "distance", "point-on-line", "point-on-plane"};
  int bodies = whole(3, 8), loops = whole(0, 2);
  double at[8][3], axis[3], other[3], joint_at[3];
  char a[16], b[16], name[16];
  put(m, "bodies:\n");
  for (int i = 0; i < bodies; i++) {
    for (int k = 0; k < 3; k++) at[i][k] = between(-1, 1) + (k == 0) * 0.8 * i;
    snprintf(b, sizeof b, "b%d", i);
    body(m, b, between(0.5, 2), between(0.2, 0.5), at[i]);
  }
  put(m, "joints:\n");
  for (int i = 0; i < bodies; i++) {
    int parent = i ? whole(i > 2 ? i - 3 : -1, i - 1) : -1, type = i ? whole(0, 7) : 0;
    snprintf(a, sizeof a, parent < 0 ? "ground" : "b%d", parent);
    snprintf(b, sizeof b, "b%d", i);
    snprintf(name, sizeof name, "j%d", i);
    random_direction(axis);
    random_direction(other);
    for (int k = 0; k < 3; k++)
      joint_at[k] = at[i][k] - 0.4 * between(0.5, 1) * (k == 0) + between(-0.1, 0.1);
    if (type == 3) {
      double second[3];
      cross(second, axis, other);
      put(m, "  %s: {type: universal, a: %s, b: %s", name, a, b);
      put_vector(m, "at", joint_at, true);
      put_vector(m, "axis", axis, false);
      put_vector(m, "axis_b", second, false);
      put(m, "}\n");
    } else {
      joint(m, name, kind[type], a, b, joint_at, type == 2 || type == 7 ? NULL : axis,
            type == 6 ? ", pitch: 0.1" : "");
    }
  }
  for (int i = 0; i < loops; i++) {
    int type = whole(0, 3), from = whole(-1, bodies - 2), to = whole(from + 1, bodies - 1);
    snprintf(a, sizeof a, from < 0 ? "ground" : "b%d", from);
    snprintf(b, sizeof b, "b%d", to);
    random_direction(axis);
    for (int k = 0; k < 3; k++) joint_at[k] = at[to][k] + between(-0.4, 0.4);
    put(m, "  loop%d: {type: %s, a: %s, b: %s", i, closing[type], a, b);
    put_vector(m, "at", joint_at, true);
    for (int k = 0; k < 3; k++) joint_at[k] += between(0.5, 1);
    if (type == 1) put_vector(m, "at_b", joint_at, true);
    if (type > 1) put_vector(m, "axis", axis, false);
    put(m, "}\n");
  }
  put(m, "forces:\n");
  for (int i = 0; i < bodies; i++) {
    put(m, "  s%d: {type: spring, a: ground, b: b%d, stiffness: %.3f, damping: 1", i, i,
        between(5, 30));
    for (int k = 0; k < 3; k++) joint_at[k] = at[i][k] + between(0.5, 1.5);
    put_vector(m, "at", joint_at, true);
    put_vector(m, "at_b", at[i], true);
    put(m, "}\n");
  }
}

#endif
