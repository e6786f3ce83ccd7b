// joint_cases.h: for every joint type, random models that use it.
//
// The table says by hand how many rows a type brings; a type without a row here, or a row without
// a type, is a failed check.
#ifndef HN_JOINT_CASES_H
#define HN_JOINT_CASES_H

#include <holon/holon.h>
#include <stdlib.h>

#include "base/base.h"
#include "model/model.h"
#include "system/system.h"
#include "test.h"

enum { GROUND = -1 };  // besides the kinds of bodies

// how the axis stands between planar bodies
typedef enum plane_axis { NO_AXIS, NORMAL, IN_PLANE } plane_axis;

typedef struct joint_case {
  const char *type;
  int space, plane;  // rows between spatial and between planar bodies; 0: refused
  plane_axis axis;
  bool point_a, point_b;  // ends that may be a point mass
  int variants;           // ways to define it, see fill()
} joint_case;

static const joint_case joint_cases[] = {
    {"revolute", 5, 2, NORMAL, false, false, 1},
    {"prismatic", 5, 2, IN_PLANE, false, false, 1},
    {"cylindrical", 4, 0, NORMAL, false, false, 1},
    {"spherical", 3, 2, NO_AXIS, true, true, 2},
    {"universal", 4, 0, NORMAL, false, false, 2},
    {"planar", 3, 0, NORMAL, false, false, 1},
    {"generic", 3, 2, NORMAL, false, false, 3},
    {"fixed", 6, 3, NO_AXIS, false, false, 1},
    {"screw", 5, 0, NORMAL, false, false, 1},
    {"constant-velocity", 4, 0, NORMAL, false, false, 2},
    {"distance", 1, 1, NO_AXIS, true, true, 2},
    {"universal-spherical", 1, 1, NO_AXIS, true, true, 1},
    {"revolute-spherical", 2, 0, NORMAL, false, true, 2},
    {"revolute-prismatic", 4, 1, NORMAL, false, false, 1},
    {"point-on-line", 2, 1, IN_PLANE, false, true, 1},
    {"point-on-plane", 1, 1, IN_PLANE, false, true, 1},
    {"parallel", 2, 1, IN_PLANE, false, false, 1},
    {"perpendicular", 1, 1, IN_PLANE, false, false, 2},
    {"gear", 1, 1, NO_AXIS, false, false, 2},
    {"gear-flank", 1, 1, NO_AXIS, false, false, 2},
    {"rack-pinion", 1, 1, NO_AXIS, false, false, 2},
    {"coordinate", 1, 1, NO_AXIS, true, true, 3},
    {"driver", 1, 1, NO_AXIS, true, true, 4},
    {"rolling-disc", 3, 2, NORMAL, false, false, 1},
    {"rolling-sphere", 3, 2, NORMAL, false, false, 1},
    {"knife-edge", 1, 1, IN_PLANE, false, false, 1},
    {"wheel", 1, 1, IN_PLANE, false, false, 1},
    {"limit", 1, 1, NO_AXIS, false, false, 2},
    {"rope", 1, 1, NO_AXIS, true, true, 1},
    {"apart", 1, 1, NO_AXIS, true, true, 1},
    {"stop", 1, 1, IN_PLANE, false, true, 1},
    {"lock", 1, 1, NO_AXIS, false, false, 2},
    {"grip", 1, 1, NO_AXIS, false, false, 7},
    {"contact", 1, 1, IN_PLANE, false, true, 9},
    {"clearance-revolute", 4, 1, NORMAL, false, false, 1},
    {"clearance-spherical", 1, 1, NO_AXIS, true, true, 1},
    {"clearance-prismatic", 16, 4, IN_PLANE, false, false, 1},
    {"clearance-cylindrical", 2, 0, NORMAL, false, false, 1},
};
enum { JOINT_CASES = sizeof joint_cases / sizeof *joint_cases };

// ---- random things -------------------------------------------------------------------------

static inline void random_vector(double o[3], double size) {
  for (int i = 0; i < 3; i++) o[i] = test_random(-size, size);
}
static inline void random_unit(double o[3]) {
  double n = 0;
  while (n < 0.1 || n > 1) {
    random_vector(o, 1);
    n = v3_norm(o);
  }
  v3_scale(o, 1 / n, o);
}
// unit, perpendicular to the unit vector a
static inline void random_perpendicular(double o[3], const double a[3]) {
  double n = 0;
  while (n < 0.1) {
    random_unit(o);
    v3_addto(o, -v3_dot(o, a), a);
    n = v3_norm(o);
  }
  v3_scale(o, 1 / n, o);
}
static inline void random_in_plane(double o[3]) {
  double angle = test_random(-3, 3);
  v3_set(o, cos(angle), sin(angle), 0);
}
static inline bool is_flat(int kind) {
  return kind == GROUND || kind == HN_PLANAR || kind == HN_PLANAR_POINT;
}
static inline bool is_point_mass(int kind) {
  return kind == HN_POINT || kind == HN_PLANAR_POINT;
}

// centre of mass off the origin and inertia with off-diagonal entries, so that the frame used
// inside is another one than the user's
static inline hn_body random_body(hn_model *model, const char *name, int kind) {
  if (kind == GROUND) return HN_GROUND;
  hn_body_def def = {.name = name, .kind = (hn_body_kind)kind, .mass = test_random(1, 3)};
  bool flat = is_flat(kind);
  random_vector(def.position, 1);
  if (flat) def.position[2] = 0;
  // point masses keep a distance, which links between them need
  if (is_point_mass(kind)) def.position[0] += 4 * model->body_count;
  if (!is_point_mass(kind)) {
    random_vector(def.com, 0.4);
    if (flat) def.com[2] = 0;
    // five point masses make a possible tensor
    for (int k = 0; k < 5; k++) {
      double r[3];
      random_vector(r, 0.6);
      double rr = v3_dot(r, r);
      for (int i = 0; i < 3; i++) def.inertia[i] += rr - r[i] * r[i];
      def.inertia[3] -= r[0] * r[1], def.inertia[4] -= r[0] * r[2], def.inertia[5] -= r[1] * r[2];
    }
    if (flat)
      def.inertia[0] = def.inertia[1] = def.inertia[3] = def.inertia[4] = def.inertia[5] = 0;
  }
  if (kind == HN_PLANAR) def.angle = test_random(-9, 9);
  if (kind == HN_SPATIAL)
    for (int i = 0; i < 4; i++) def.orientation[i] = test_random(-1, 1);
  return hn_add_body(model, &def);
}

// ---- one model -----------------------------------------------------------------------------

typedef struct trial {
  hn_model *model;
  hn_system *sys;  // NULL when refused; hn_model_error says why
  hn_body a, b;
  bool planar;
  hn_joint_def def;  // the joint under test, named "j"
  hn_work work;
  hn_arena arena;
} trial;

static inline int joint_index(const hn_system *sys, const char *name) {
  for (int i = 0; i < sys->joints; i++)
    if (!strcmp(sys->joint[i].name, name)) return i;
  return -1;
}
static inline int joint_rows(const hn_system *sys, const char *name) {
  return sys->group[sys->joint[joint_index(sys, name)].group].rows;
}

// in the coordinates of the bodies, in which joints are written
static inline void compile_trial(trial *x) {
  strcpy(hn_model_options(x->model)->coordinates, "reference");
  if (hn_compile(&x->sys, x->model)) {
    x->sys = NULL;
    return;
  }
  hn_work_layout(&x->work, &x->arena, x->sys);
  if (!CHECK(hn_arena_allocate(&x->arena))) exit(1);
  hn_work_layout(&x->work, &x->arena, x->sys);
  static bool on[16];
  memset(on, true, sizeof on);
  if (CHECK(x->sys->unilaterals <= 16)) x->work.on = on;  // rows that come and go are there
}

static inline void end_trial(trial *x) {
  hn_system_destroy(x->sys);
  hn_model_destroy(x->model);
  free(x->arena.base);
}

// a hinge or slider that other joints can name
static inline void add_helper(trial *x, const char *name, const char *type, hn_body a, hn_body b) {
  hn_joint_def def = {.name = name, .type = type, .a.body = a, .b.body = b};
  random_vector(def.at, 1);
  random_unit(def.axis);
  bool ball = !strcmp(type, "spherical"), stop = !strcmp(type, "stop");
  if (!ball && !stop) def.value = test_random(-0.5, 0.5);
  if (stop) def.radius = test_random(0.1, 0.5);
  if (stop) random_vector(def.at_b, 1);
  if (ball) v3_set(def.axis, 0, 0, 0);
  if (x->planar) {
    def.at[2] = def.at_b[2] = 0;
    v3_set(def.axis, 0, 0, 0);
    if (stop || !strcmp(type, "prismatic")) random_in_plane(def.axis);
  }
  if (stop) {  // it starts a little above
    v3_copy(def.at, def.at_b);
    v3_addto(def.at, -def.radius * 1.1 / v3_norm(def.axis), def.axis);
  }
  CHECK(hn_add_joint(x->model, &def).id > 0);
}

// joints that couple others: a - middle - b with helpers "first" and "second"
static inline void fill_coupling(trial *x, int variant) {
  hn_joint_def *d = &x->def;
  bool rack = !strcmp(d->type, "rack-pinion");
  hn_body middle = random_body(x->model, "middle", x->planar ? HN_PLANAR : HN_SPATIAL);
  const char *first = variant ? "prismatic" : "revolute";
  const char *second = (variant == 0) == rack ? "prismatic" : "revolute";
  add_helper(x, "first", first, d->a.body, middle);
  add_helper(x, "second", second, middle, d->b.body);
  d->a.body = d->b.body = HN_GROUND;
  d->joint_a = "first";
  d->joint_b = "second";
}

static inline void fill_axes(trial *x, const joint_case *c, const char *keys, int variant) {
  hn_joint_def *d = &x->def;
  bool all = variant == 0;  // the second variant leaves optional keys out
  if (hn_word_in("axis", keys)) {
    random_unit(d->axis);
    if (x->planar && c->axis == NORMAL) v3_set(d->axis, 0, 0, 0);
    if (x->planar && c->axis == IN_PLANE) random_in_plane(d->axis);
  }
  if (hn_word_in("axis_b", keys) && all) {
    random_perpendicular(d->axis_b, d->axis);
    // shafts bend, sliders may be oblique
    if (!strcmp(d->type, "constant-velocity") || !strcmp(d->type, "revolute-prismatic"))
      v3_addto(d->axis_b, test_random(0.5, 2), d->axis);
    if (x->planar) {
      random_in_plane(d->axis_b);
      if (c->axis == IN_PLANE) v3_set(d->axis_b, -d->axis[1], d->axis[0], 0);
    }
  }
  if (hn_word_in("normal", keys)) {
    // leaning, not flat
    random_perpendicular(d->normal, d->axis);
    v3_addto(d->normal, test_random(-0.8, 0.8), d->axis);
    if (x->planar) random_in_plane(d->normal);
  }
}

// one coordinate of a body; the last variant is that of a joint
static inline void fill_coordinate(trial *x, bool points, int variant) {
  static const char *const shift[] = {"x", "y", "z"}, *const turn[] = {"roll", "pitch", "yaw"};
  hn_joint_def *d = &x->def;
  int pick = (int)test_random(0, 3);
  bool turns = variant != 0 && !points;
  d->coordinate = turns ? turn[pick] : shift[pick];
  if (x->planar) d->coordinate = turns ? "angle" : shift[pick % 2];
  if (variant < 3 || points) return;
  add_helper(x, "first", "revolute", d->a.body, d->b.body);
  d->a.body = d->b.body = HN_GROUND;
  v3_set(d->at, 0, 0, 0);
  d->joint_a = "first";
  d->coordinate = "angle";
}

// moves a place by d, counted in the axes of a body as it is described
static inline void move_in_body(const hn_model *model, hn_body body, const double d[3],
                                double place[3]) {
  double R[9], turned[3], q[4] = {1, 0, 0, 0};
  const hn_body_def *def = body.id ? &model->body[body.id].def : NULL;
  if (def && def->kind == HN_SPATIAL) memcpy(q, def->orientation, sizeof q), q_normalise(q);
  if (def && def->kind == HN_PLANAR) q[0] = cos(def->angle / 2), q[3] = sin(def->angle / 2);
  q_matrix(R, q);
  m3_mulv(turned, R, d);
  v3_add(place, place, turned);
}

// a wheel on a plane, whose middle is above it by what the rim reaches down and half a tyre; a ball
// on the top of a hill, which lies as the body does
static inline void fill_in_space(trial *x, bool terrain) {
  static double line[9], height[81];
  hn_joint_def *d = &x->def;
  v3_copy(d->at, d->at_b);
  if (!terrain) {
    double axis[3], wheel[3];
    v3_scale(axis, 1 / v3_norm(d->axis), d->axis);
    do {
      for (int i = 0; i < 3; i++) wheel[i] = test_random(-1, 1);
      v3_scale(wheel, 1 / v3_norm(wheel), wheel);
    } while (fabs(v3_dot(axis, wheel)) > 0.8);
    double lean = v3_dot(axis, wheel);
    d->rim = 1.3;
    v3_copy(d->axis, axis), v3_copy(d->axis_b, wheel);
    v3_addto(d->at, -d->radius - d->rim * sqrt(1 - lean * lean), axis);
    return;
  }
  for (int i = 0; i < 9; i++) line[i] = i - 4;
  for (int i = 0; i < 81; i++)
    height[i] = -0.1 * (line[i % 9] * line[i % 9] + line[i / 9] * line[i / 9]);
  d->grid_x = d->grid_y = line, d->grid_x_count = d->grid_y_count = 9;
  d->heights = height, d->height_count = 81;
  v3_set(d->axis, 0, 0, 0);
  move_in_body(x->model, d->a.body, (double[3]){0, 0, -d->radius}, d->at);
}

// a ball that touches a surface: of a plane, sphere (from outside, from inside), cylinder, capsule,
// box or curve, in this order; then, in space, a wheel on a plane and a ball on a hill
static inline void fill_contact(trial *x, int variant) {
  static const char *const surface[] = {"plane", "sphere", "sphere", "cylinder", "capsule",
                                        "box",   "curve",  "plane",  "terrain"};
  hn_joint_def *d = &x->def;
  if (x->planar && variant > 6) variant = 0;
  if (variant == 7 && is_point_mass((int)x->model->body[d->b.body.id].def.kind)) variant = 0;
  static double ring[32];
  double axis[3] = {0, 0, 1}, across[3], off = d->radius;
  d->surface = surface[variant];
  d->length = d->width = d->height = 0;  // of a capsule below, of blocks: a ball here
  if (variant > 6) {
    fill_in_space(x, variant == 8);
    return;
  }
  if (variant == 0 || variant == 4 || !x->planar) v3_scale(axis, 1 / v3_norm(d->axis), d->axis);
  if (variant >= 5) v3_set(axis, 0, 0, 0);  // they lie as the body does
  if (variant != 0 && variant != 4) v3_copy(d->axis, axis);
  if (variant < 5) random_perpendicular(across, axis);
  if (x->planar) v3_set(across, variant == 4 ? -axis[1] : 0.6, variant == 4 ? axis[0] : 0.8, 0);
  if (variant) d->radius_a = test_random(1, 2);
  d->inside = variant == 2;
  off = d->inside ? d->radius_a - d->radius : d->radius_a + d->radius;
  v3_copy(d->at, d->at_b);
  if (variant == 0) v3_addto(d->at, -d->radius, axis);
  if (variant >= 1 && variant <= 4) v3_addto(d->at, -off, across);
  if (variant == 3 && !x->planar) v3_addto(d->at, 0.7, axis);
  if (variant == 4) d->length = 0.5, v3_addto(d->at, -0.3, axis);
  if (variant == 6) {
    // before one of sixteen points on a circle, where the normal of the spline is that of the
    // circle
    for (int k = 0; k < 16; k++)
      ring[2 * k] = 1.5 * cos(k * acos(-1) / 8), ring[2 * k + 1] = 1.5 * sin(k * acos(-1) / 8);
    d->points = ring, d->point_count = 32, d->closed = true, d->radius_a = 0;
    double far = -(1.5 + d->radius), angle = 3 * acos(-1) / 8;
    move_in_body(x->model, d->a.body, (double[3]){far * cos(angle), far * sin(angle), 0}, d->at);
  }
  if (variant == 5) {
    // before an edge along z: 3/5 and 4/5 of the radius from it
    v3_set(d->size, 1, 2, 3);
    d->radius_a = 0;
    const double away[3] = {-0.5 - 0.6 * d->radius, 1 + 0.8 * d->radius, 0};
    move_in_body(x->model, d->a.body, away, d->at);
  }
}

// ends at frames that do not meet: in the middle of its room a journal has no direction to go
static inline void fill_frames(trial *x) {
  hn_end *const end[2] = {&x->def.a, &x->def.b};
  for (int i = 0; i < 2; i++) {
    hn_frame_def f = {.name = "pin", .body = end[i]->body};
    if (!is_point_mass((int)x->model->body[f.body.id].def.kind)) random_vector(f.position, 1);
    if (x->planar || is_flat((int)x->model->body[f.body.id].def.kind)) f.position[2] = 0;
    end[i]->frame = hn_add_frame(x->model, &f);
  }
  v3_set(x->def.at, 0, 0, 0);
}

// what a grip on a surface is about: a ball, or in space a wheel, on a ball, or a ball on a
// cylinder; it slips wherever it is
static inline void add_ball(trial *x, bool wheel, bool shaft) {
  hn_joint_def first = {.name = "first", .type = "contact", .surface = "sphere", .radius_a = 1.5};
  first.a.body = x->def.a.body, first.b.body = x->def.b.body;
  first.radius = 0.4;
  random_vector(first.at, 1);
  for (int i = 0; i < 3; i++) first.at_b[i] = first.at[i] + test_random(2, 3);
  if (x->planar) first.at[2] = first.at_b[2] = 0;
  if (shaft) {
    first.surface = "cylinder";
    v3_set(first.axis, 0, 0, 1);
    if (!x->planar) random_unit(first.axis);
  }
  if (wheel && !x->planar) {
    first.rim = 0.7;
    random_unit(first.axis_b);
  }
  CHECK(hn_add_joint(x->model, &first).id > 0);
}

// joints whose rows come and go are met where they begin
static inline void fill_stop(trial *x, int variant) {
  hn_joint_def *d = &x->def;
  double link[3];
  if (!strcmp(d->type, "contact")) {
    fill_contact(x, variant);
  } else if (!strncmp(d->type, "clearance", 9)) {
    d->clearance = 20, d->length = 0.6, d->height = 0.3, d->width = 0.2;
    // a height is along x of a frame, or of the world
    if (!strcmp(d->type, "clearance-prismatic") && !x->planar) v3_set(d->axis, 0, 0, 0);
    if (!strcmp(d->type, "clearance-spherical") || x->planar)
      if (strcmp(d->type, "clearance-prismatic") != 0) d->length = 0;
    if (strcmp(d->type, "clearance-prismatic") != 0) d->height = d->width = 0;
    fill_frames(x);
  } else if (!strcmp(d->type, "gear-flank")) {
    fill_coupling(x, variant);
    *(variant ? &d->upper_given : &d->lower_given) = true;
  } else if (!strcmp(d->type, "limit") || !strcmp(d->type, "grip") || !strcmp(d->type, "lock")) {
    static const char *const on[] = {"revolute", "prismatic", "spherical", "stop"};
    if (variant < 4)
      add_helper(x, "first", on[variant], d->a.body, d->b.body);
    else
      add_ball(x, variant == 5, variant == 6);
    d->a.body = d->b.body = HN_GROUND;
    d->joint_a = "first";
    if (!strcmp(d->type, "limit"))
      *(variant ? &d->upper : &d->lower) = x->model->joint[x->model->joint_count - 1].def.value;
  } else if (strcmp(d->type, "stop") != 0) {
    v3_sub(link, d->at_b, d->at);
    d->length = v3_norm(link);
  } else {
    v3_copy(d->at, d->at_b);
    v3_addto(d->at, -d->radius / v3_norm(d->axis), d->axis);
  }
}

// as many directions as the table has rows, any of them
static inline unsigned random_locked(bool planar) {
  static const unsigned of_plane[] = {HN_LOCK_X, HN_LOCK_Y, HN_LOCK_ANGLE};
  unsigned locked = 0;
  for (int count = planar ? 2 : 3; count > 0;) {
    unsigned bit = planar ? of_plane[(int)test_random(0, 3)] : 1u << (int)test_random(0, 6);
    if (!(locked & bit)) locked |= bit, count--;
  }
  return locked;
}

// the keys of the joint under test; variant < c->variants
static inline void fill(trial *x, const joint_case *c, int variant) {
  hn_joint_def *d = &x->def;
  const char *keys = "";
  for (int i = 0; hn_joint_type_at(i); i++)
    if (!strcmp(hn_joint_type_at(i)->name, c->type)) keys = hn_joint_type_at(i)->keys;
  if (hn_word_in("at", keys)) random_vector(d->at, 1);
  if (hn_word_in("at_b", keys)) {
    double link[3];
    random_unit(link);
    if (x->planar) random_in_plane(link);
    v3_copy(d->at_b, d->at);
    v3_addto(d->at_b, test_random(2.5, 3.5), link);
  }
  if (x->planar) d->at[2] = d->at_b[2] = 0;
  // the place of a point mass is its own
  const hn_body_def *a = &x->model->body[d->a.body.id].def, *b = &x->model->body[d->b.body.id].def;
  bool point_a = is_point_mass((int)a->kind), point_b = is_point_mass((int)b->kind);
  if (point_a) v3_copy(d->at, a->position);
  if (point_b) v3_copy(hn_word_in("at_b", keys) ? d->at_b : d->at, b->position);
  fill_axes(x, c, keys, variant);
  if (hn_word_in("length", keys) && variant == 1) {
    double link[3];
    v3_sub(link, d->at_b, d->at);
    d->length = test_random(1.05, 1.3) * v3_norm(link);
  }
  if (hn_word_in("pitch", keys)) d->pitch = test_random(-0.5, 0.5);
  if (hn_word_in("ratio", keys)) d->ratio = test_random(-3, 3);
  if (hn_word_in("radius", keys)) d->radius = test_random(0.2, 0.8);
  if (!strcmp(c->type, "point-on-cylinder")) {
    double axis[3] = {0, 0, 1}, across[3];
    if (v3_norm(d->axis) > 0) v3_copy(axis, d->axis);
    v3_sub(across, d->at_b, d->at);
    v3_addto(across, -v3_dot(across, axis), axis);
    d->radius = v3_norm(across);
  }
  if (hn_word_in("rate", keys)) d->value = test_random(-0.5, 0.5);
  if (!strcmp(c->type, "spherical")) {
    d->angles = variant == 1 && !point_a && !point_b;
    if (!d->angles) d->value = 0;
  }
  if (!strcmp(c->type, "generic")) d->locked = random_locked(x->planar);
  if (!strcmp(c->type, "gear") || !strcmp(c->type, "rack-pinion")) fill_coupling(x, variant);
  if (!strcmp(c->type, "coordinate")) d->value = test_random(-0.5, 0.5);
  if (!strcmp(c->type, "driver")) d->motion = "0.3*sin(2*t + 1) + 0.1*t^2";
  if (!strcmp(c->type, "coordinate") || !strcmp(c->type, "driver"))
    fill_coordinate(x, point_a || point_b, variant);
  bool goes = hn_word_in("restitution", keys) && !hn_word_in("limits", keys);
  if (goes || !strcmp(c->type, "grip") || !strcmp(c->type, "lock")) fill_stop(x, variant);
}

// a model with one joint of the type between bodies of these kinds
static inline trial make_trial(const joint_case *c, int kind_a, int kind_b, int variant) {
  trial x = {.model = hn_model_create()};
  x.planar = is_flat(kind_a) && is_flat(kind_b);
  x.a = random_body(x.model, "A", kind_a);
  x.b = random_body(x.model, "B", kind_b);
  CHECK(x.a.id >= 0 && x.b.id >= 0);
  x.def = (hn_joint_def){.name = "j", .type = c->type, .a.body = x.a, .b.body = x.b};
  fill(&x, c, variant);
  if (hn_add_joint(x.model, &x.def).id > 0) compile_trial(&x);
  return x;
}

// which ends a type accepts, by its row of the table
static inline int expected_rows(const joint_case *c, int kind_a, int kind_b, int variant) {
  static const int of_grips[] = {1, 1, 3, 2, 2, 2, 2};  // in space
  if (is_point_mass(kind_a) && !c->point_a) return 0;
  if (is_point_mass(kind_b) && !c->point_b) return 0;
  bool grip = !strcmp(c->type, "grip") && !(is_flat(kind_a) && is_flat(kind_b));
  if (grip) return of_grips[variant];
  return is_flat(kind_a) && is_flat(kind_b) ? c->plane : c->space;
}

#endif
