// spherical.c: ball joint, 3 rows (plane: 2).
//   P_b - P_a = 0
// looks at points only, so point masses can be pinned with it. With `angles` it has the coordinates
// roll, pitch and yaw of b in the axes of a (z-y-x; plane: angle), zero as described.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  hn_build_point(builder, a, b);
  bool asked = def->coordinate || def->value != 0 || def->rate_given || def->hold;
  if (!def->angles && asked)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "a ball joint has coordinates when it is given `angles: true`");
  if (!def->angles) return hn_build_status(builder);
  if (!hn_build_rotates(builder, a->body) || !hn_build_rotates(builder, b->body))
    return hn_build_fail(builder, HN_ERR_MODEL, "a point mass has no angles");
  hn_part_turns(builder, a, b, HN_LOCK_ROLL | HN_LOCK_PITCH | HN_LOCK_YAW, def);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_spherical = {
    .info = {.name = "spherical",
             .help = "ball joint: a point of b stays on a point of a (in the plane: a pin)",
             .keys = "at angles coordinate value rate hold limits restitution",
             .required = ""},
    .needs_rotation = false,
    .build = build,
};
