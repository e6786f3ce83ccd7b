// parts.c: what several joint types share.
//
// Orientation rows are dot products of axes that are perpendicular in the closed joint. A small
// rotation d of b, in joint axes, changes u_a . w_b by d . (w x u), so
//   z_a . y_b -> d_x,   z_a . x_b -> -d_y,   x_a . z_b -> d_y,   y_a . x_b -> d_z:
// three such rows near alignment are as well conditioned as rotation angles.
#include "joints/parts.h"
#include "base/elementary.h"

void hn_part_parallel(hn_builder *builder, const hn_mount *a, const hn_mount *b) {
  // how the axes are brought together is told first: the rows that follow are of this alignment
  hn_build_alignment(builder, HN_ALIGN_Z, a, b, HN_AXIS_Z);
  hn_build_row(builder, "rot_x", hn_build_dot1(builder, a, HN_AXIS_Z, b, HN_AXIS_Y), 0);
  hn_build_row(builder, "rot_y", hn_build_dot1(builder, a, HN_AXIS_Z, b, HN_AXIS_X), 0);
}

void hn_part_orientation(hn_builder *builder, const hn_mount *a, const hn_mount *b) {
  hn_build_alignment(builder, HN_ALIGN_ALL, a, b, HN_AXIS_Z);
  // x_a . z_b instead of -z_a . x_b: with the others it forms a cycle, and all three have the same
  // sign of d
  hn_build_row(builder, "rot_x", hn_build_dot1(builder, a, HN_AXIS_Z, b, HN_AXIS_Y), 0);
  hn_build_row(builder, "rot_y", hn_build_dot1(builder, a, HN_AXIS_X, b, HN_AXIS_Z), 0);
  hn_build_row(builder, "rot_z", hn_build_dot1(builder, a, HN_AXIS_Y, b, HN_AXIS_X), 0);
}

void hn_part_on_axis(hn_builder *builder, const hn_mount *a, const hn_mount *b) {
  hn_build_row(builder, "x", hn_build_dot2(builder, a, HN_AXIS_X, b), 0);
  hn_build_row(builder, "y", hn_build_dot2(builder, a, HN_AXIS_Y, b), 0);
}

// a single rotation is an angle about its axis, without a place where it has no meaning
void hn_part_turns(hn_builder *builder, const hn_mount *a, const hn_mount *b, unsigned free,
                   const hn_joint_def *def) {
  static const char *const name[] = {"roll", "pitch", "yaw"};
  if (hn_build_planar(builder)) {
    if (free) hn_build_coordinate(builder, "angle", true, hn_build_angle(builder, a, b), def);
    return;
  }
  // the bits of roll, pitch and yaw as 0 to 7; the k-th is the turn about axis k
  unsigned turns = free / HN_LOCK_ROLL & 7;
  for (int k = 0; k < 3; k++) {
    if (!(turns & 1u << k)) continue;
    // an axis that turns alone becomes z of both mounts: an angle that counts turns. With two or
    // three free, the sequence decides, and pitch 90 degrees has no meaning
    hn_mount of_a = hn_mount_cycled(a, k), of_b = hn_mount_cycled(b, k);
    int measure =
        turns == 1u << k ? hn_build_angle(builder, &of_a, &of_b) : hn_build_euler(builder, a, b, k);
    hn_build_coordinate(builder, name[k], true, measure, def);
  }
}

// an angle counts turns, a joint does not: the closed position nearest to the description is meant
void hn_part_angle_row(hn_builder *builder, const hn_mount *a, const hn_mount *b) {
  const double turn = 2 * hn_pi;
  int angle = hn_build_angle(builder, a, b);
  hn_build_row(builder, "rot_z", angle, turn * rint(hn_build_value(builder, angle) / turn));
}

bool hn_part_needs_space(hn_builder *builder, const char *instead) {
  if (!hn_build_planar(builder)) return true;
  hn_build_fail(builder, HN_ERR_UNSUPPORTED,
                "this type needs a spatial body; between planar bodies %s", instead);
  return false;
}

// z of a planar body's inner frame is the normal of the plane, so mounts can be judged there
bool hn_part_axis_normal(hn_builder *builder, const hn_mount *mount) {
  // 1e-9: mounts are computed, not written; anything beyond round-off was meant otherwise
  if (mount->R[8] > 1 - 1e-9) return true;
  hn_build_fail(builder, HN_ERR_MODEL,
                "planar bodies turn about z: leave `axis` out or give 0 0 1");
  return false;
}

bool hn_part_hinge_normal(hn_builder *builder, const hn_mount *a, const hn_mount *b) {
  // a hinge seen from below has both axes down: its angle then counts the other way
  if (a->R[8] < -(1 - 1e-9) && b->R[8] < -(1 - 1e-9)) return true;
  return hn_part_axis_normal(builder, a) && hn_part_axis_normal(builder, b);
}

void hn_part_world_axis(const hn_builder *builder, const hn_mount *mount, int axis,
                        double world[3]) {
  const double *R = mount->R;
  double inner[3] = {R[axis], R[3 + axis], R[6 + axis]};
  // world component i is the product with the world axis i, both seen from the body
  for (int i = 0; i < 3; i++) {
    double unit[3] = {i == 0, i == 1, i == 2}, seen[3];
    hn_build_direction(builder, mount->body, unit, seen);
    world[i] = v3_dot(seen, inner);
  }
}

void hn_part_set_axes(const hn_builder *builder, hn_mount *mount, const double x[3],
                      const double y[3], const double z[3]) {
  const double *axis[3] = {x, y, z};
  for (int k = 0; k < 3; k++) {
    double inner[3];
    hn_build_direction(builder, mount->body, axis[k], inner);
    // column k of R is axis k of the mount
    for (int i = 0; i < 3; i++) mount->R[3 * i + k] = inner[i];
  }
}

// a frame with an orientation is one, unless it is all that says where the axis of a is
bool hn_part_second_axis(const hn_builder *builder, const hn_joint_def *def) {
  bool a, b;
  hn_build_oriented(builder, &a, &b);
  return hn_part_given(def->axis_b) || (b && (a || hn_part_given(def->axis)));
}

// are the axes of a and b fixed by frames alone? Then the description may leave them anywhere;
// axes given in the world are those of the described configuration, and must fit there
bool hn_part_axes_of_frames(const hn_builder *builder, const hn_joint_def *def) {
  bool a, b;
  hn_build_oriented(builder, &a, &b);
  return a && b && !hn_part_given(def->axis) && !hn_part_given(def->axis_b);
}

bool hn_part_given(const double x[3]) {
  return x[0] != 0 || x[1] != 0 || x[2] != 0;
}
