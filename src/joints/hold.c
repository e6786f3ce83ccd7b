// hold.c: what friction holds while it sticks: rows whose rates are the slip of two surfaces.
//   a coordinate c of joint_a          radius c', radius 1 for a translation
//   both of a cylindrical joint        translation', radius angle'
//   where joint_a is a stop            x_a . d', y_a . d' (plane: x_a . d' + r (w_b - w_a), r being
//                                      the radius of the stop's ball, which may roll)
// The rows come and go (sim/stick.c); where they hold is where they came.
#include "joints/parts.h"
#include "system/reaction.h"

#include <string.h>

static const hn_sys_joint *find(const hn_builder *builder, const char *name) {
  const hn_system *sys = hn_build_system(builder);
  for (int i = 0; i < sys->joints; i++)
    if (strcmp(sys->joint[i].name, name) == 0) return &sys->joint[i];
  return NULL;
}

// radius of the ball of a stop, the constant of its row
static double ball(const hn_system *sys, const char *stop) {
  for (int i = 0; i < sys->rowcount; i++)
    if (strcmp(sys->joint[sys->row_joint[sys->row[i].row]].name, stop) == 0)
      return sys->row[i].constant;
  return 0;
}

static void hold_coordinate(hn_builder *builder, const hn_joint_def *def, const char *coordinate) {
  bool angular;
  int measure = hn_build_joint_coordinate(builder, def->joint_a, coordinate, &angular);
  if (measure < 0) return;
  hn_build_hold_row(builder, angular ? "turn" : "slide", 1, &measure,
                    (double[]){angular ? def->radius : 1});
}

// the tangent of a line in the plane, for a point or a disc that can roll along it
static void hold_in_plane(hn_builder *builder, double radius, hn_mount a, const hn_mount *b) {
  double x[3], z[3], across[3];
  if (!hn_build_axis_in_plane(builder, &a)) return;
  hn_part_world_axis(builder, &a, HN_AXIS_X, x);
  hn_part_world_axis(builder, &a, HN_AXIS_Z, z);
  v3_cross(across, (double[]){0, 0, 1}, x);
  int measure[2] = {hn_build_dot2(builder, &a, HN_AXIS_X, b)};
  double coefficient[2] = {1, radius * v3_dot(across, z)};
  bool rolls = radius > 0 && hn_build_rotates(builder, b->body);
  if (rolls) measure[1] = hn_build_angle(builder, &a, b);
  if (!hn_build_status(builder))
    hn_build_hold_row(builder, "slide", rolls ? 2 : 1, measure, coefficient);
}

static hn_status hold_on_plane(hn_builder *builder, const hn_joint_def *def,
                               const hn_sys_joint *stop) {
  hn_mount a = stop->a, b = stop->b;
  double radius = ball(hn_build_system(builder), def->joint_a);
  if (hn_joint_is_flat(hn_build_system(builder), stop)) {
    hold_in_plane(builder, radius, a, &b);
    return hn_build_status(builder);
  }
  if (radius > 0 && hn_build_rotates(builder, b.body))
    return hn_build_fail(builder, HN_ERR_UNSUPPORTED,
                         "friction that holds is known for points on a plane in space, not for "
                         "balls that turn (leave out the radius of '%s', or use the law smooth)",
                         def->joint_a);
  int x = hn_build_dot2(builder, &a, HN_AXIS_X, &b), y = hn_build_dot2(builder, &a, HN_AXIS_Y, &b);
  if (!hn_build_status(builder)) {
    hn_build_hold_row(builder, "slide_x", 1, &x, (double[]){1});
    hn_build_hold_row(builder, "slide_y", 1, &y, (double[]){1});
  }
  return hn_build_status(builder);
}

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_sys_joint *joint = find(builder, def->joint_a);
  if (joint && strcmp(joint->type, "stop") == 0) {
    hn_sys_joint stop = *joint;
    hn_build_as_joint(builder, def->joint_a);
    return hold_on_plane(builder, def, &stop);
  }
  if (joint && strcmp(joint->type, "cylindrical") == 0 && !def->coordinate) {
    hold_coordinate(builder, def, "translation");
    hold_coordinate(builder, def, "angle");
  } else {
    hold_coordinate(builder, def, def->coordinate);
  }
  hn_build_as_joint(builder, def->joint_a);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_hold = {
    .info = {.name = "grip",
             .help = "what friction holds in joint_a while it sticks; made by friction",
             .keys = "joint_a coordinate radius",
             .required = "joint_a"},
    .needs_rotation = false,
    .build = build,
};
