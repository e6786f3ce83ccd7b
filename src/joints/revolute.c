// revolute.c: hinge about z, 5 rows (plane: 2).
//   P_b - P_a = 0,   z_a . y_b = 0,   z_a . x_b = 0
// leaves the rotation about z: coordinate `angle`.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  if (hn_build_planar(builder)) {
    // an angle about -z is fine, one axis up and one down is not
    if (!hn_part_hinge_normal(builder, a, b)) return hn_build_status(builder);
    hn_build_point(builder, a, b);
  } else {
    hn_build_point(builder, a, b);
    hn_part_parallel(builder, a, b);
  }
  hn_build_coordinate(builder, "angle", true, hn_build_angle(builder, a, b), def);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_revolute = {
    .info = {.name = "revolute",
             .help = "hinge: b turns about an axis of a",
             .keys = "at axis value rate hold limits restitution",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
