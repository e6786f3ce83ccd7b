// spherical.c: ball joint, 3 rows (plane: 2).
//   P_b - P_a = 0
// looks at points only, so point masses can be pinned with it.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  (void)def;
  hn_build_point(builder, hn_mount_a(builder), hn_mount_b(builder));
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_spherical = {
    .info = {.name = "spherical",
             .help = "ball joint: a point of b stays on a point of a (in the plane: a pin)",
             .keys = "at",
             .required = ""},
    .needs_rotation = false,
    .build = build,
};
