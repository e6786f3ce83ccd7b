// universal.c: Cardan joint, 4 rows.
//   P_b - P_a = 0,   z_a . w_b = 0
// z_a is the arm of the cross held by a (`axis`), w_b the one held by b: `axis_b`, or z of frame b.
// When neither is given, w_b is some perpendicular of z_a. Coordinates are `angle`, of the cross
// about z_a, and `angle_b`, of b about w_b against the cross, zero as described.
#include "base/elementary.h"
#include "joints/parts.h"

// With x the third direction of the cross, which is perpendicular to both arms,
//   angle = atan2(-x_a . w_b, y_a . w_b),   angle_b = atan2(-z_a . x_b, z_a . z_b)
// where y_a and z_b complete the axes. Both are defined wherever the joint is closed.
static void add_angles(hn_builder *builder, const hn_joint_def *def, int arm) {
  hn_mount a = *hn_mount_a(builder), b = *hn_mount_b(builder);
  double w[3], x[3], y[3], z[3], z_b[3], back[3];
  hn_part_world_axis(builder, &a, HN_AXIS_Z, z);
  hn_part_world_axis(builder, &b, arm, w);
  v3_cross(x, w, z);
  if (v3_norm(x) > 1e-3)
    v3_scale(x, 1 / v3_norm(x), x);
  else
    v3_perpendicular(x, z);  // frames that assembly has to turn
  v3_cross(y, z, x);
  v3_cross(z_b, x, w);
  v3_scale(back, -1, x);
  hn_part_set_axes(builder, &a, y, back, z);
  hn_part_set_axes(builder, &b, w, back, z_b);
  hn_build_coordinate(builder, "angle", true, hn_build_angle(builder, &a, &b), def);
  hn_build_coordinate(builder, "angle_b", true, hn_build_euler(builder, &a, &b, 0), def);
}

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  if (!hn_part_needs_space(builder, "use revolute")) return hn_build_status(builder);
  int arm = hn_part_second_axis(builder, def) ? HN_AXIS_Z : HN_AXIS_X;
  int cross = hn_build_dot1(builder, a, HN_AXIS_Z, b, arm);
  if (hn_build_status(builder)) return hn_build_status(builder);
  // a rough description is closed by the assembly, axes that were meant to be there are refused
  double off = hn_asin(fmax(-1, fmin(1, hn_build_value(builder, cross)))) * 180 / hn_pi;
  if (fabs(off) > 5 && !hn_part_axes_of_frames(builder, def))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "the arms of the cross, axis and axis_b, are %.4g degrees apart; they "
                         "must be perpendicular",
                         90 - off);
  hn_build_point(builder, a, b);
  hn_build_alignment(builder, HN_ALIGN_ACROSS, a, b, arm);
  hn_build_row(builder, "cross", cross, 0);
  add_angles(builder, def, arm);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_universal = {
    .info = {.name = "universal",
             .help =
                 "Cardan joint: a cross with one arm along `axis` on a, one along `axis_b` on b",
             .keys = "at axis axis_b coordinate value rate hold limits restitution",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
