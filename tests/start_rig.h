// start_rig.h: models written as text, and rotations of the tests' own, for tests of the start.
//
// Rotations are computed here by Rodrigues' formula and plain products, not by the library.
#ifndef START_RIG_H
#define START_RIG_H

#include "test.h"

#include <holon/holon.h>

#include <stdarg.h>

typedef struct text {
  char s[16384];
  size_t n;
} text;

__attribute__((format(printf, 2, 3))) static inline void say(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
  va_end(args);
  if (n > 0) t->n += (size_t)n;
}

typedef struct rot {
  double m[3][3];
} rot;
typedef struct vec {
  double x[3];
} vec;

static inline rot rot_about(vec axis, double angle) {
  double n = sqrt(axis.x[0] * axis.x[0] + axis.x[1] * axis.x[1] + axis.x[2] * axis.x[2]);
  double u[3] = {axis.x[0] / n, axis.x[1] / n, axis.x[2] / n}, c = cos(angle), s = sin(angle);
  // half turns exactly: no sine of a rounded pi
  if (angle == acos(-1)) c = -1, s = 0;
  rot o;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) o.m[i][j] = (i == j) * c + (1 - c) * u[i] * u[j];
  o.m[0][1] -= s * u[2], o.m[1][0] += s * u[2];
  o.m[0][2] += s * u[1], o.m[2][0] -= s * u[1];
  o.m[1][2] -= s * u[0], o.m[2][1] += s * u[0];
  return o;
}
static inline rot rot_mul(rot a, rot b) {
  rot o = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) o.m[i][j] += a.m[i][k] * b.m[k][j];
  return o;
}
static inline rot rot_back(rot a) {
  rot o;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) o.m[i][j] = a.m[j][i];
  return o;
}
static inline vec rot_apply(rot a, vec v) {
  vec o = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) o.x[i] += a.m[i][k] * v.x[k];
  return o;
}
static inline vec rot_column(rot a, int k) {
  return (vec){{a.m[0][k], a.m[1][k], a.m[2][k]}};
}
static inline vec vec_of(double x, double y, double z) {
  return (vec){{x, y, z}};
}
static inline vec vec_add(vec a, double s, vec b) {
  for (int i = 0; i < 3; i++) a.x[i] += s * b.x[i];
  return a;
}
static inline double vec_dot(vec a, vec b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
static inline double vec_size(vec a) {
  return sqrt(vec_dot(a, a));
}
static inline vec vec_cross(vec a, vec b) {
  return vec_of(a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                a.x[0] * b.x[1] - a.x[1] * b.x[0]);
}
// the rotation a quaternion (scalar first, unit) stands for
static inline rot rot_of(const double q[4]) {
  vec axis = vec_of(q[1], q[2], q[3]);
  double s = vec_size(axis);
  if (s < 1e-14) return rot_about(vec_of(1, 0, 0), 0);
  return rot_about(axis, 2 * atan2(s, q[0]));
}
// the angle between two orientations
static inline double rot_angle(rot a, rot b) {
  rot d = rot_mul(rot_back(a), b);
  vec k = vec_of(d.m[2][1] - d.m[1][2], d.m[0][2] - d.m[2][0], d.m[1][0] - d.m[0][1]);
  return atan2(vec_size(k) / 2, (d.m[0][0] + d.m[1][1] + d.m[2][2] - 1) / 2);
}

static inline vec random_direction(void) {
  for (;;) {
    vec v = vec_of(test_random(-1, 1), test_random(-1, 1), test_random(-1, 1));
    double n = vec_size(v);
    if (n > 0.2 && n < 1) return vec_add(vec_of(0, 0, 0), 1 / n, v);
  }
}
static inline vec random_place(double size) {
  return vec_of(test_random(-size, size), test_random(-size, size), test_random(-size, size));
}
static inline rot random_rot(void) {
  return rot_about(random_direction(), test_random(-3, 3));
}

// "{quaternion: [...]}" of a rotation, by its half angle
static inline void say_rot(text *t, rot a) {
  double w = sqrt(fmax(0, 1 + a.m[0][0] + a.m[1][1] + a.m[2][2])) / 2, q[4];
  if (w > 0.3) {
    q[0] = w;
    q[1] = (a.m[2][1] - a.m[1][2]) / (4 * w);
    q[2] = (a.m[0][2] - a.m[2][0]) / (4 * w);
    q[3] = (a.m[1][0] - a.m[0][1]) / (4 * w);
  } else {
    int i = 0;
    for (int k = 1; k < 3; k++)
      if (a.m[k][k] > a.m[i][i]) i = k;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double x = sqrt(fmax(0, 1 + a.m[i][i] - a.m[j][j] - a.m[k][k])) / 2;
    q[1 + i] = x;
    q[1 + j] = (a.m[j][i] + a.m[i][j]) / (4 * x);
    q[1 + k] = (a.m[k][i] + a.m[i][k]) / (4 * x);
    q[0] = (a.m[k][j] - a.m[j][k]) / (4 * x);
  }
  say(t, "{quaternion: [%.17g, %.17g, %.17g, %.17g]}", q[0], q[1], q[2], q[3]);
}
static inline void say_vec(text *t, vec v) {
  say(t, "[%.17g, %.17g, %.17g]", v.x[0], v.x[1], v.x[2]);
}
static inline void say_frame(text *t, const char *name, vec at, rot a) {
  say(t, "%s: {position: ", name);
  say_vec(t, at);
  say(t, ", orientation: ");
  say_rot(t, a);
  say(t, "}");
}

// a model compiled in the coordinates wanted, and a run at its start
typedef struct started {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
  hn_status status;
  char message[512];
} started;

static inline started start_of(const char *yaml, const char *coordinates) {
  started s = {.model = hn_model_create()};
  s.status = hn_model_parse(s.model, yaml, strlen(yaml), "model");
  if (!s.status && coordinates)
    s.status = hn_options_set(hn_model_options(s.model), "coordinates", coordinates, s.message,
                              sizeof s.message);
  if (!s.status) s.status = hn_compile(&s.sys, s.model);
  if (s.status) {
    snprintf(s.message, sizeof s.message, "%s", hn_model_error(s.model));
    return s;
  }
  s.status = hn_sim_create(&s.sim, s.sys, hn_model_options(s.model), s.message, sizeof s.message);
  return s;
}
static inline void start_end(started *s) {
  hn_sim_destroy(s->sim);
  hn_system_destroy(s->sys);
  hn_model_destroy(s->model);
}
static inline hn_pose start_pose(const started *s, int body) {
  hn_pose p = {0};
  CHECK(hn_body_pose(s->sim, (hn_body){body}, &p) == HN_OK);
  return p;
}
// is the model refused with a sentence that has this in it?
static inline void check_refused(const char *yaml, const char *words) {
  started s = start_of(yaml, NULL);
  if (!CHECK(s.status != HN_OK) || !CHECK(strstr(s.message, words) != NULL))
    printf("  wanted: %s\n  got:    %s\n%s\n", words, s.message, yaml);
  start_end(&s);
}
// one of the sentences about the start has this in it
static inline int start_says(const started *s, const char *words) {
  const hn_check *c = hn_system_check(s->sys);
  for (int i = 0; i < c->note_count; i++)
    if (strstr(c->note[i], words)) return 1;
  return 0;
}
static inline void show_notes(const started *s) {
  const hn_check *c = hn_system_check(s->sys);
  for (int i = 0; i < c->note_count; i++) printf("  note: %s\n", c->note[i]);
}

static const char *const families[] = {"reference", "relative", "natural"};

#endif
