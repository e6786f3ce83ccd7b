// constant_velocity.c: homokinetic shaft joint, 4 rows.
//   P_b - P_a = 0,   x_a . y_b - y_a . x_b = 0
// z_a and z_b are the shafts. The last row says that the rotation from a to b has no component
// along z_a: b is always a bent by the shortest way, so both shafts turn equally fast at every
// bend. x_b and y_b follow from x_a and y_a by the shortest rotation that takes z_a to z_b.
#include "base/rotation.h"
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  (void)def;
  const hn_mount *a = hn_mount_a(builder);
  hn_mount b = *hn_mount_b(builder);
  if (!hn_part_needs_space(builder, "shafts do not bend")) return hn_build_status(builder);
  double xa[3], ya[3], za[3], xb[3], yb[3], zb[3];
  hn_part_world_axis(builder, a, HN_AXIS_X, xa);
  hn_part_world_axis(builder, a, HN_AXIS_Y, ya);
  hn_part_world_axis(builder, a, HN_AXIS_Z, za);
  hn_part_world_axis(builder, &b, HN_AXIS_Z, zb);
  // a shaft is a line: its sense does not matter. At a right angle that of the description is kept
  if (v3_dot(za, zb) < -1e-9) v3_scale(zb, -1, zb);
  hn_rotation_carry(xb, za, zb, xa);
  hn_rotation_carry(yb, za, zb, ya);
  hn_part_set_axes(builder, &b, xb, yb, zb);
  hn_build_point(builder, a, &b);
  int xy = hn_build_dot1(builder, a, HN_AXIS_X, &b, HN_AXIS_Y);
  int yx = hn_build_dot1(builder, a, HN_AXIS_Y, &b, HN_AXIS_X);
  hn_build_combination(builder, "spin", 2, (int[]){xy, yx}, (double[]){1, -1}, 0, NULL);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_constant_velocity = {
    .info = {.name = "constant-velocity",
             .help = "joint of two shafts, `axis` of a and `axis_b` of b, that turn equally fast",
             .keys = "at axis axis_b",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
