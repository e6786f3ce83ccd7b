// revolute_spherical.c: massless link, hinged to a about z and held by a ball joint on b, 2 rows.
//   |d| = length,   z_a . d = its value in the described configuration,   d = P_b - P_a
// P_b runs on a circle about the hinge axis; its plane passes through P_a when the link is
// perpendicular to the axis.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  if (!hn_part_needs_space(builder, "use distance")) return hn_build_status(builder);
  if (!hn_build_rotates(builder, a->body))
    return hn_build_fail(builder, HN_ERR_MODEL, "a point mass has no axis for the hinge at a");
  int distance = hn_build_distance(builder, a, b);
  // both describe the same point of b, so they share what the description says
  int height = hn_build_dot2(builder, a, HN_AXIS_Z, b);
  if (hn_build_status(builder)) return hn_build_status(builder);
  double h = hn_build_value(builder, height);
  double length = def->length != 0 ? def->length : hn_build_value(builder, distance);
  // on the axis itself both rows say the same and the link cannot turn
  if (length - fabs(h) <= 1e-9 * length)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "the link (length %g) must reach away from its hinge axis (at_b is %g "
                         "along it)",
                         length, h);
  hn_build_row(builder, "length", distance, length);
  hn_build_row(builder, "z", height, h);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_revolute_spherical = {
    .info = {.name = "revolute-spherical",
             .help = "massless link, hinge about `axis` on a at `at`, spherical on b at `at_b`",
             .keys = "at axis at_b length",
             .required = ""},
    .needs_rotation = false,
    .build = build,
};
