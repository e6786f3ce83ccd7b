// fixed.c: weld, 6 rows (plane: 3).
//   P_b - P_a = 0,   z_a . y_b = 0,  x_a . z_b = 0,  y_a . x_b = 0
// In the plane the last three are one: the difference of the angles stays.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  (void)def;
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  hn_build_point(builder, a, b);
  if (!hn_build_planar(builder))
    hn_part_orientation(builder, a, b);
  else if (hn_part_axis_normal(builder, a) && hn_part_axis_normal(builder, b))
    hn_part_angle_row(builder, a, b);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_fixed = {
    .info = {.name = "fixed",
             .help = "weld: b does not move relative to a",
             .keys = "at",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
