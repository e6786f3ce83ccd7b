// screw.c: b turns about z and advances in proportion, 5 rows.
//   z_a . y_b = 0,  z_a . x_b = 0,   x_a . d = 0,  y_a . d = 0,   d = P_b - P_a,
//   z_a . d - pitch angle = its value as described, once the axes have met the shortest way
// leaves one motion, seen as coordinates `angle` and `translation`. The pitch is the advance per
// radian; a negative one is a left-hand thread.
#include "base/elementary.h"
#include "base/rotation.h"
#include "joints/parts.h"

// what the angle will be when the axes have met the shortest way
static double met_angle(const hn_builder *builder, int angle) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  double xa[3], ya[3], za[3], xb[3], zb[3], x[3];
  hn_part_world_axis(builder, a, HN_AXIS_Z, za);
  hn_part_world_axis(builder, b, HN_AXIS_Z, zb);
  // the axes already agree: the angle is what it is. 1e-12 in the cosine is 1.4e-6 rad
  if (v3_dot(za, zb) > 1 - 1e-12) return hn_build_value(builder, angle);
  hn_part_world_axis(builder, a, HN_AXIS_X, xa);
  hn_part_world_axis(builder, a, HN_AXIS_Y, ya);
  hn_part_world_axis(builder, b, HN_AXIS_X, xb);
  hn_rotation_carry(x, zb, za, xb);
  return hn_atan2(v3_dot(ya, x), v3_dot(xa, x));
}

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  if (!hn_part_needs_space(builder, "there is no screw")) return hn_build_status(builder);
  hn_part_parallel(builder, a, b);
  hn_part_on_axis(builder, a, b);
  int angle = hn_build_angle(builder, a, b);
  int translation = hn_build_dot2(builder, a, HN_AXIS_Z, b);
  hn_build_coordinate(builder, "angle", true, angle, def);
  hn_build_coordinate(builder, "translation", false, translation, def);
  // met: assembly turns axes that are off, and the thread must not take that for advance
  double start = hn_build_value(builder, translation) - def->pitch * met_angle(builder, angle);
  hn_build_combination(builder, "thread", 2, (int[]){translation, angle},
                       (double[]){1, -def->pitch}, start, NULL);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_screw = {
    .info = {.name = "screw",
             .help = "b turns about an axis of a and advances by `pitch` per radian",
             .keys = "at axis pitch coordinate value rate hold limits restitution",
             .required = "pitch"},
    .needs_rotation = true,
    .build = build,
};
