// revolute_prismatic.c: massless slider, hinged to a about z and sliding on b along w, 4 rows
// (plane: 1).
//   z_a . m1_b = 0,  z_a . m2_b = 0,   n1_b . (P_a - P_b) = 0,  n2_b . (P_a - P_b) = 0
// m1, m2 are perpendicular to the hinge axis as b sees it in the described configuration; n1, n2
// are perpendicular to w (`axis_b`, or z of frame b), so P_a stays on a line of b.
// In the plane the hinge axis is z, and n . (P_a - P_b) = 0 is left.
// Coordinates are `angle`, about the hinge, and `translation`, w . (P_a - P_b).
#include "joints/parts.h"

static void add_plane(hn_builder *builder, const hn_mount *a, const hn_mount *slide,
                      const hn_joint_def *def) {
  hn_build_row(builder, "x", hn_build_dot2(builder, slide, HN_AXIS_X, a), 0);
  hn_build_coordinate(builder, "angle", true, hn_build_angle(builder, a, hn_mount_b(builder)), def);
  hn_build_coordinate(builder, "translation", false, hn_build_dot2(builder, slide, HN_AXIS_Z, a),
                      def);
}

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_mount *a = hn_mount_a(builder);
  hn_mount slide = *hn_mount_b(builder);
  if (!hn_part_second_axis(builder, def))
    return hn_build_fail(builder, HN_ERR_MODEL, "axis_b, the direction of sliding, is missing");
  if (hn_build_planar(builder)) {
    if (hn_part_axis_normal(builder, a) && hn_build_axis_in_plane(builder, &slide))
      add_plane(builder, a, &slide, def);
    return hn_build_status(builder);
  }
  // the hinge axis on b: all axes of a, as they stand in the described configuration
  hn_mount hinge = slide;
  double axis[3][3];
  for (int k = 0; k < 3; k++) hn_part_world_axis(builder, a, k, axis[k]);
  hn_part_set_axes(builder, &hinge, axis[0], axis[1], axis[2]);
  hn_part_parallel(builder, a, &hinge);
  hn_part_on_axis(builder, &slide, a);
  hn_build_coordinate(builder, "angle", true, hn_build_angle(builder, a, &hinge), def);
  hn_build_coordinate(builder, "translation", false, hn_build_dot2(builder, &slide, HN_AXIS_Z, a),
                      def);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_revolute_prismatic = {
    .info = {.name = "revolute-prismatic",
             .help = "massless slider, hinged to a about `axis`, sliding on b along `axis_b`",
             .keys = "at axis axis_b coordinate value rate hold limits restitution",
             .required = ""},
    .needs_rotation = true,
    .build = build,
};
