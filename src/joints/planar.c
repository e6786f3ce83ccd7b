// planar.c: b slides and turns on a plane of a with normal z, 3 rows.
//   z_a . y_b = 0,  z_a . x_b = 0,   z_a . d = 0,   d = P_b - P_a
// leaves coordinates `x` and `y`, along the axes of a in the plane, and `angle`.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  if (!hn_part_needs_space(builder, "no joint is needed for this")) return hn_build_status(builder);
  // normals stay parallel, and the point at its height: three motions are left
  hn_part_parallel(builder, a, b);
  hn_build_row(builder, "z", hn_build_dot2(builder, a, HN_AXIS_Z, b), 0);
  hn_build_coordinate(builder, "x", false, hn_build_dot2(builder, a, HN_AXIS_X, b), def);
  hn_build_coordinate(builder, "y", false, hn_build_dot2(builder, a, HN_AXIS_Y, b), def);
  hn_build_coordinate(builder, "angle", true, hn_build_angle(builder, a, b), def);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_planar = {
    .info = {.name = "planar",
             .help = "b slides and turns on a plane of a; `axis` is the normal",
             .keys = "at axis coordinate value rate hold limits restitution",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
