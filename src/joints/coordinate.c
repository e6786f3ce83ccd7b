// coordinate.c: one coordinate of a body, or of a joint, is prescribed; 1 row.
//   coordinate:  c(q) = value
//   driver:      c(q) = motion(t)
// c is x, y or z of a point of b, or roll, pitch, yaw (sequence z-y-x) or angle (planar bodies) of
// b, in the axes of body a (ground: the world). The point is frame b, else `at`, else the origin
// of b; x, y, z count from frame a, else from the origin of a. Frames with an orientation bring
// their own axes, on both sides. A driver may name a joint instead: c is then its coordinate.
#include "joints/parts.h"

#include <string.h>

static const char position[] = "x y z", rotation[] = "roll pitch yaw";

// place in a list of three; these double as axes, HN_AXIS_X and so on
static int index_of(const char *word, const char *const names[3]) {
  for (int i = 0; i < 3; i++)
    if (!strcmp(word, names[i])) return i;
  return -1;
}

// the measure of a body coordinate, -1 after a failure
static int body_coordinate(hn_builder *builder, const hn_joint_def *def) {
  const char *name = def->coordinate;
  // The frames are those of the bodies as the user knows them: an inner frame sits at the centre of
  // mass along principal axes, whose coordinates nobody would recognise.
  hn_mount a = hn_build_body_frame(builder, hn_mount_a(builder)->body);
  hn_mount b = hn_build_body_frame(builder, hn_mount_b(builder)->body);
  // only points that were named move the origin; hn_mount_a has one in any case
  if (def->a.frame.id) v3_copy(a.s, hn_mount_a(builder)->s);
  if (def->b.frame.id || hn_part_given(def->at)) v3_copy(b.s, hn_mount_b(builder)->s);
  bool planar = hn_build_planar(builder), oriented[2];
  hn_build_oriented(builder, &oriented[0], &oriented[1]);
  // frames that are turned say in which axes to measure
  if (oriented[0]) memcpy(a.R, hn_mount_a(builder)->R, sizeof a.R);
  if (oriented[1]) memcpy(b.R, hn_mount_b(builder)->R, sizeof b.R);
  // angles in the plane count about +z: seen from behind they would have the other sign
  if (planar && (!hn_part_axis_normal(builder, &a) || !hn_part_axis_normal(builder, &b))) return -1;
  if (!name) {
    hn_build_fail(builder, HN_ERR_MODEL, "coordinate is missing (one of %s %s angle)", position,
                  rotation);
    return -1;
  }
  int axis = index_of(name, (const char *const[]){"x", "y", "z"});
  int turn = index_of(name, (const char *const[]){"roll", "pitch", "yaw"});
  bool angle = !strcmp(name, "angle");
  if (axis < 0 && turn < 0 && !angle) {
    hn_build_fail(builder, HN_ERR_MODEL, "unknown coordinate '%s' (one of %s %s angle)", name,
                  position, rotation);
    return -1;
  }
  if (planar && (axis == HN_AXIS_Z || turn >= 0)) {
    hn_build_fail(builder, HN_ERR_MODEL, "planar bodies have no coordinate '%s' (x y angle)", name);
    return -1;
  }
  if (!planar && angle) {
    hn_build_fail(builder, HN_ERR_MODEL, "spatial bodies have no coordinate 'angle' (use %s)",
                  rotation);
    return -1;
  }
  // points have places and nothing else
  if ((turn >= 0 || angle) && !hn_build_rotates(builder, b.body)) {
    hn_build_fail(builder, HN_ERR_MODEL, "a point mass has no coordinate '%s' (%s)", name,
                  position);
    return -1;
  }
  if ((turn >= 0 || angle) && !hn_build_rotates(builder, a.body)) {
    hn_build_fail(builder, HN_ERR_MODEL, "'%s' cannot be measured against a point mass", name);
    return -1;
  }
  // dot2 along an axis of a: where b stands, seen from a
  if (axis >= 0) return hn_build_dot2(builder, &a, axis, &b);
  if (turn >= 0) return hn_build_euler(builder, &a, &b, turn);
  return hn_build_angle(builder, &a, &b);
}

static hn_status build_coordinate(hn_builder *builder, const hn_joint_def *def) {
  int measure = body_coordinate(builder, def);
  if (measure < 0) return hn_build_status(builder);
  hn_build_row(builder, def->coordinate, measure, def->value);
  return hn_build_status(builder);
}

static hn_status build_driver(hn_builder *builder, const hn_joint_def *def) {
  bool angular;
  // a joint's own coordinate counts from its own zero, and is found by name
  int measure = def->joint_a
                    ? hn_build_joint_coordinate(builder, def->joint_a, def->coordinate, &angular)
                    : body_coordinate(builder, def);
  // the effort of the driver is that of a drive in the joint, and acts between its bodies
  if (measure >= 0 && def->joint_a) hn_build_as_joint(builder, def->joint_a);
  if (measure >= 0)
    hn_build_combination(builder, "motion", 1, &measure, (double[]){1}, 0, def->motion);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_held_coordinate = {
    .info = {.name = "coordinate",
             .help = "holds x y z, roll pitch yaw or angle of b, in the axes of a, at `value`",
             .keys = "at coordinate value",
             .required = "coordinate"},
    .needs_rotation = false,
    .build = build_coordinate,
};

const hn_joint_type hn_joint_driver = {
    .info = {.name = "driver",
             .help = "moves a coordinate of b, or of joint_a, as `motion` of t says",
             .keys = "at coordinate joint_a motion by",
             .required = "motion"},
    .needs_rotation = false,
    .build = build_driver,
};
