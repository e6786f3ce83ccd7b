// cylindrical.c: b turns about and slides along z, 4 rows.
//   z_a . y_b = 0,  z_a . x_b = 0,   x_a . d = 0,  y_a . d = 0,   d = P_b - P_a
// leaves coordinates `translation` and `angle`.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  if (!hn_part_needs_space(builder, "use prismatic or revolute")) return hn_build_status(builder);
  hn_part_parallel(builder, a, b);
  // four rows: the axes parallel, and the point of b on that of a
  hn_part_on_axis(builder, a, b);
  hn_build_coordinate(builder, "translation", false, hn_build_dot2(builder, a, HN_AXIS_Z, b), def);
  hn_build_coordinate(builder, "angle", true, hn_build_angle(builder, a, b), def);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_cylindrical = {
    .info = {.name = "cylindrical",
             .help = "b turns about and slides along an axis of a",
             .keys = "at axis coordinate value rate hold limits restitution",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
