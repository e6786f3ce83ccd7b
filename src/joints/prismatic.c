// prismatic.c: slider along z, 5 rows.
//   z_a . y_b = 0,  x_a . z_b = 0,  y_a . x_b = 0,   x_a . d = 0,  y_a . d = 0,   d = P_b - P_a
// leaves the translation along z: coordinate `translation`.
// In the plane, 2 rows: the difference of the angles stays, and x_a . d = 0 with x_a the normal
// of the axis in the plane.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  hn_mount a = *hn_mount_a(builder), b = *hn_mount_b(builder);
  if (hn_build_planar(builder)) {
    if (!hn_build_axis_in_plane(builder, &a) || !hn_build_axis_in_plane(builder, &b))
      return hn_build_status(builder);
    hn_part_angle_row(builder, &a, &b);
    hn_build_row(builder, "x", hn_build_dot2(builder, &a, HN_AXIS_X, &b), 0);
  } else {
    hn_part_orientation(builder, &a, &b);
    hn_part_on_axis(builder, &a, &b);
  }
  hn_build_coordinate(builder, "translation", false, hn_build_dot2(builder, &a, HN_AXIS_Z, &b),
                      def);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_prismatic = {
    .info = {.name = "prismatic",
             .help = "slider: b moves along an axis of a without turning",
             .keys = "at axis value rate hold limits restitution",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
