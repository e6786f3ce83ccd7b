// distance.c: two points keep their distance, 1 row.
//   |P_b - P_a| = length
// The massless link with a universal joint at one end and a spherical one at the other has the
// same row. A distance of zero has no gradient: that is a spherical joint with three rows.
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  int distance = hn_build_distance(builder, hn_mount_a(builder), hn_mount_b(builder));
  if (hn_build_status(builder)) return hn_build_status(builder);
  double described = hn_build_value(builder, distance);
  // a length that is given may start from nothing: assembly finds some direction, and says so
  if (described < 1e-12 && !(def->length > 0))
    return hn_build_fail(
        builder, HN_ERR_MODEL,
        "its points coincide, so the link has no length (give one, or use spherical)");
  hn_build_row(builder, "length", distance, def->length > 0 ? def->length : described);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_distance = {
    .info = {.name = "distance",
             .help = "a point of a and a point of b keep their distance `length`",
             .keys = "at at_b length",
             .required = ""},
    .needs_rotation = false,
    .build = build,
};

const hn_joint_type hn_joint_universal_spherical = {
    .info = {.name = "universal-spherical",
             .help = "massless link, universal joint on a at `at`, spherical on b at `at_b`",
             .keys = "at at_b length",
             .required = ""},
    .needs_rotation = false,
    .build = build,
};
