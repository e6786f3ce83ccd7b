// universal.c: Cardan joint, 4 rows.
//   P_b - P_a = 0,   z_a . w_b = 0
// z_a is the arm of the cross held by a (`axis`), w_b the one held by b: `axis_b`, or z of frame b.
// When neither is given, w_b is some perpendicular of z_a.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  if (!hn_part_needs_space(builder, "use revolute")) return hn_build_status(builder);
  int arm = hn_part_second_axis(builder, def) ? HN_AXIS_Z : HN_AXIS_X;
  int cross = hn_build_dot1(builder, a, HN_AXIS_Z, b, arm);
  if (hn_build_status(builder)) return hn_build_status(builder);
  // a rough description is closed by the assembly, axes that were meant to be there are refused
  double off = asin(fmax(-1, fmin(1, hn_build_value(builder, cross)))) * 180 / acos(-1);
  if (fabs(off) > 5 && !hn_part_axes_of_frames(builder, def))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "the arms of the cross, axis and axis_b, are %.4g degrees apart; they "
                         "must be perpendicular",
                         90 - off);
  hn_build_point(builder, a, b);
  hn_build_alignment(builder, HN_ALIGN_ACROSS, a, b, arm);
  hn_build_row(builder, "cross", cross, 0);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_universal = {
    .info = {.name = "universal",
             .help =
                 "Cardan joint: a cross with one arm along `axis` on a, one along `axis_b` on b",
             .keys = "at axis axis_b",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
