// direction.c: two axes stay parallel or perpendicular, wherever the bodies are.
//   parallel:       z_a . y_b = 0,  z_a . x_b = 0    2 rows (plane: 1, the angles' difference)
//   perpendicular:  z_a . w_b = 0                    1 row
// w_b is `axis_b`, or z of frame b; when neither is given, some perpendicular of z_a. Between
// planar bodies the axes lie in the plane.
#include "joints/parts.h"

// mounts with axes in the plane; false after a failure
static bool flatten(hn_builder *builder, hn_mount *a, hn_mount *b) {
  return hn_build_axis_in_plane(builder, a) && hn_build_axis_in_plane(builder, b);
}

static hn_status build_parallel(hn_builder *builder, const hn_joint_def *def) {
  (void)def;
  hn_mount a = *hn_mount_a(builder), b = *hn_mount_b(builder);
  if (!hn_build_planar(builder))
    hn_part_parallel(builder, &a, &b);
  else if (flatten(builder, &a, &b))
    hn_part_angle_row(builder, &a, &b);
  return hn_build_status(builder);
}

static hn_status build_perpendicular(hn_builder *builder, const hn_joint_def *def) {
  hn_mount a = *hn_mount_a(builder), b = *hn_mount_b(builder);
  int second = hn_part_second_axis(builder, def) ? HN_AXIS_Z : HN_AXIS_X;
  if (hn_build_planar(builder) && !flatten(builder, &a, &b)) return hn_build_status(builder);
  // w_b may be given or not: any perpendicular of z_a that b holds does
  int product = hn_build_dot1(builder, &a, HN_AXIS_Z, &b, second);
  if (hn_build_status(builder)) return hn_build_status(builder);
  // axes given in the world are meant to be there
  if (fabs(hn_build_value(builder, product)) > 0.95 && !hn_part_axes_of_frames(builder, def))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "axis and axis_b are described nearly parallel, not perpendicular");
  if (!hn_build_planar(builder)) hn_build_alignment(builder, HN_ALIGN_ACROSS, &a, &b, second);
  hn_build_row(builder, "cross", product, 0);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_parallel = {
    .info = {.name = "parallel",
             .help = "an axis of b stays parallel to `axis` of a",
             .keys = "axis",
             .required = ""},
    .needs_rotation = true,
    .build = build_parallel,
};

const hn_joint_type hn_joint_perpendicular = {
    .info = {.name = "perpendicular",
             .help = "`axis_b` of b stays perpendicular to `axis` of a",
             .keys = "axis axis_b",
             .required = ""},
    .needs_rotation = true,
    .build = build_perpendicular,
};
