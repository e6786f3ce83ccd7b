// generic.c: locks any of the six directions of b in the axes of a, one row for each of them.
//   x y z            u_a . d = 0,  d = P_b - P_a
//   roll pitch yaw   z_a . y_b = 0,  z_a . x_b = 0,  y_a . x_b = 0  (sequence z-y-x)
// Where two rotations are locked, the axis of the third stays parallel: k_a . i_b = k_a . j_b = 0,
// and where all three are, it is the orientation of a weld. What is free is a coordinate of its
// name. In the plane the directions are x, y and angle.
#include "joints/parts.h"

enum { TURNS = HN_LOCK_ROLL | HN_LOCK_PITCH | HN_LOCK_YAW };

static void lock_turns(hn_builder *builder, const hn_mount *a, const hn_mount *b, unsigned locked) {
  static const char *const rows[2] = {"rot_1", "rot_2"};
  unsigned free = ~locked & TURNS;
  if (!(locked & TURNS)) return;
  if (!free) {
    hn_part_orientation(builder, a, b);
  } else if (free == HN_LOCK_ROLL || free == HN_LOCK_PITCH || free == HN_LOCK_YAW) {
    int k = free == HN_LOCK_ROLL ? 0 : free == HN_LOCK_PITCH ? 1 : 2;
    hn_mount of_a = hn_mount_cycled(a, k), of_b = hn_mount_cycled(b, k);
    // Alignment takes axes that meet along z, so axis k becomes it; rows are those of a hinge about
    // k, written with the axes as they are.
    hn_build_alignment(builder, HN_ALIGN_Z, &of_a, &of_b, HN_AXIS_Z);
    for (int i = 0; i < 2; i++)
      // near the closed joint each is the small turn about one of the other two axes
      hn_build_row(builder, rows[i], hn_build_dot1(builder, a, k, b, (k + 1 + i) % 3), 0);
  } else if (locked & HN_LOCK_ROLL) {
    // One rotation locked: the row of its name in the sequence z-y-x, as a product of directions.
    // Angles would have a place without meaning, products have none.
    hn_build_row(builder, "roll", hn_build_dot1(builder, a, HN_AXIS_Z, b, HN_AXIS_Y), 0);
  } else if (locked & HN_LOCK_PITCH) {
    hn_build_row(builder, "pitch", hn_build_dot1(builder, a, HN_AXIS_Z, b, HN_AXIS_X), 0);
  } else {
    hn_build_row(builder, "yaw", hn_build_dot1(builder, a, HN_AXIS_Y, b, HN_AXIS_X), 0);
  }
}

static hn_status check_words(hn_builder *builder, unsigned locked) {
  bool planar = hn_build_planar(builder);
  // each dimension has its own words: what the other one means is told, not guessed
  if (planar && locked & (TURNS | HN_LOCK_Z))
    return hn_build_fail(builder, HN_ERR_MODEL, "planar bodies have the directions x, y and angle");
  if (!planar && locked & HN_LOCK_ANGLE)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "spatial bodies have no direction 'angle' (roll, pitch or yaw)");
  return HN_OK;
}

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  static const char *const names[] = {"x", "y", "z"};
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  unsigned locked = def->locked;
  bool planar = hn_build_planar(builder);
  if (check_words(builder, locked)) return hn_build_status(builder);
  if (planar && (!hn_part_axis_normal(builder, a) || !hn_part_axis_normal(builder, b)))
    return hn_build_status(builder);
  for (int k = 0; k < (planar ? 2 : 3); k++)
    if (locked & (unsigned)(HN_LOCK_X << k))
      hn_build_row(builder, names[k], hn_build_dot2(builder, a, k, b), 0);
  if (!planar)
    lock_turns(builder, a, b, locked);
  else if (locked & HN_LOCK_ANGLE)
    hn_part_angle_row(builder, a, b);
  for (int k = 0; k < (planar ? 2 : 3); k++)
    if (!(locked & (unsigned)(HN_LOCK_X << k)))
      hn_build_coordinate(builder, names[k], false, hn_build_dot2(builder, a, k, b), def);
  hn_part_turns(builder, a, b, ~locked & (planar ? (unsigned)HN_LOCK_ANGLE : (unsigned)TURNS), def);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_generic = {
    .info = {.name = "generic",
             .help = "locks the directions named in `locked`, in the axes of a",
             .keys = "at axis locked coordinate value rate hold limits restitution",
             .required = "locked"},
    .needs_rotation = true,
    .build = build,
};
