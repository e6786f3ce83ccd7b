// point_on.c: a point of b stays on a line or a plane of a.
//   line along z:         x_a . d = 0,  y_a . d = 0     2 rows (plane: 1), d = P_b - P_a
//   plane with normal z:  z_a . d = 0                   1 row
// The line leaves coordinate `translation`. b may be a point mass; a must carry an axis.
#include "joints/parts.h"

// a line or a plane turns with a; mass points have no orientation that it could follow
static bool carries_axis(hn_builder *builder) {
  if (hn_build_rotates(builder, hn_mount_a(builder)->body)) return true;
  hn_build_fail(builder, HN_ERR_MODEL, "a is a point mass and carries no axis (let it be body b)");
  return false;
}

static hn_status build_line(hn_builder *builder, const hn_joint_def *def) {
  hn_mount a = *hn_mount_a(builder);
  const hn_mount *b = hn_mount_b(builder);
  if (!carries_axis(builder)) return hn_build_status(builder);
  if (hn_build_planar(builder)) {
    // becomes z of the mount, x its normal in the plane
    if (!hn_build_axis_in_plane(builder, &a)) return hn_build_status(builder);
    // in the plane one distance from the line is left
    hn_build_row(builder, "x", hn_build_dot2(builder, &a, HN_AXIS_X, b), 0);
  } else {
    hn_part_on_axis(builder, &a, b);
  }
  // how far along the line, from `at`
  hn_build_coordinate(builder, "translation", false, hn_build_dot2(builder, &a, HN_AXIS_Z, b), def);
  return hn_build_status(builder);
}

static hn_status build_plane(hn_builder *builder, const hn_joint_def *def) {
  (void)def;
  hn_mount a = *hn_mount_a(builder);
  if (!carries_axis(builder)) return hn_build_status(builder);
  // as for the line: z is the normal, and lies in the plane of the bodies
  if (hn_build_planar(builder) && !hn_build_axis_in_plane(builder, &a))
    return hn_build_status(builder);
  // the distance from the plane, with sign
  hn_build_row(builder, "z", hn_build_dot2(builder, &a, HN_AXIS_Z, hn_mount_b(builder)), 0);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_point_on_line = {
    .info = {.name = "point-on-line",
             .help = "a point of b stays on the line of a through `at` along `axis`",
             .keys = "at axis value rate hold limits restitution",
             .required = ""},
    .needs_rotation = false,
    .build = build_line,
};

const hn_joint_type hn_joint_point_on_plane = {
    .info = {.name = "point-on-plane",
             .help = "a point of b stays on the plane of a through `at` with normal `axis`",
             .keys = "at axis",
             .required = ""},
    .needs_rotation = false,
    .build = build_plane,
};
