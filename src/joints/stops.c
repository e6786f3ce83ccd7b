// stops.c: joints whose row comes and goes, 1 row each; its value is a gap g >= 0 and its
// multiplier pushes.
//   limit:  g = c - lower, or upper - c      c a coordinate of another joint
//   rope:   g = length - |P_b - P_a|
//   apart:  g = |P_b - P_a| - length         two balls, their radii together `length`
//   stop:   g = z_a . (P_b - P_a) - radius   a ball about a point of b, before a plane of a
#include "joints/parts.h"

static hn_status build_limit(hn_builder *builder, const hn_joint_def *def) {
  bool angular;
  int measure = hn_build_joint_coordinate(builder, def->joint_a, def->coordinate, &angular);
  if (measure < 0) return hn_build_status(builder);
  // One row, one bound: `limits` of a joint make two of these. The row is sign (c - at), so that
  // its multiplier pushes where it is positive.
  double sign = def->upper_given ? -1 : 1, at = def->upper_given ? def->upper : def->lower;
  // reactions and impacts count among those of the joint that is limited
  hn_build_as_joint(builder, def->joint_a);
  hn_build_unilateral(builder, "gap", measure, sign, sign * at, def->restitution, def->ratchet);
  return hn_build_status(builder);
}

static hn_status build_rope(hn_builder *builder, const hn_joint_def *def) {
  // the length is the constant of the row: g = -(|d| - length), taut at zero
  int measure = hn_build_distance(builder, hn_mount_a(builder), hn_mount_b(builder));
  if (measure >= 0)
    hn_build_unilateral(builder, "gap", measure, -1, -def->length, def->restitution, 0);
  return hn_build_status(builder);
}

static hn_status build_apart(hn_builder *builder, const hn_joint_def *def) {
  int measure = hn_build_distance(builder, hn_mount_a(builder), hn_mount_b(builder));
  // the opposite of a rope: balls that must not overlap; g = |d| - length
  if (measure >= 0)
    hn_build_unilateral(builder, "gap", measure, 1, def->length, def->restitution, 0);
  return hn_build_status(builder);
}

static hn_status build_stop(hn_builder *builder, const hn_joint_def *def) {
  hn_mount a = *hn_mount_a(builder);
  // a normal has to be carried by something that turns
  if (!hn_build_rotates(builder, a.body))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "a is a point mass and carries no plane (let it be body b)");
  if (hn_build_planar(builder) && !hn_build_axis_in_plane(builder, &a))
    return hn_build_status(builder);
  // z of the mount is the normal, and points to the side where b may be
  int measure = hn_build_dot2(builder, &a, HN_AXIS_Z, hn_mount_b(builder));
  if (measure >= 0)
    hn_build_unilateral(builder, "gap", measure, 1, def->radius, def->restitution, 0);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_limit = {
    .info = {.name = "limit",
             .help = "a coordinate of joint_a stays above `lower`, or below `upper`",
             .keys = "joint_a coordinate lower upper restitution ratchet",
             .required = "joint_a"},
    .needs_rotation = false,
    .build = build_limit,
};

const hn_joint_type hn_joint_rope = {
    .info = {.name = "rope",
             .help = "a point of a and a point of b stay within `length` of each other",
             .keys = "at at_b length restitution",
             .required = "length"},
    .needs_rotation = false,
    .build = build_rope,
};

const hn_joint_type hn_joint_apart = {
    .info = {.name = "apart",
             .help = "a point of a and a point of b stay `length` apart: balls that meet",
             .keys = "at at_b length restitution",
             .required = "length"},
    .needs_rotation = false,
    .build = build_apart,
};

const hn_joint_type hn_joint_stop = {
    .info = {.name = "stop",
             .help = "a point of b, or a ball about it, stays before a plane of a (`axis`)",
             .keys = "at at_b axis radius restitution",
             .required = ""},
    .needs_rotation = false,
    .build = build_stop,
};
