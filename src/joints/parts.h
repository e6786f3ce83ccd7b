// parts.h: what several joint types share: groups of rows, and checks and changes of mounts.
#ifndef HN_PARTS_H
#define HN_PARTS_H

#include "joints/joint.h"
#include "system/build.h"

// rows. Near alignment each measures the small rotation of b about the axis of its name
void hn_part_parallel(hn_builder *builder, const hn_mount *a, const hn_mount *b);     // rot_x rot_y
void hn_part_orientation(hn_builder *builder, const hn_mount *a, const hn_mount *b);  // + rot_z
// the point of b stays on the z axis of a: x, y
void hn_part_on_axis(hn_builder *builder, const hn_mount *a, const hn_mount *b);

// coordinates of the rotations that are free (HN_LOCK_ bits): roll, pitch, yaw of b in the axes of
// a, sequence z-y-x; in the plane `angle`
void hn_part_turns(hn_builder *builder, const hn_mount *a, const hn_mount *b, unsigned free,
                   const hn_joint_def *def);

// the angle of planar bodies stays where the x axes of the mounts coincide: rot_z
void hn_part_angle_row(hn_builder *builder, const hn_mount *a, const hn_mount *b);

// joints that mean nothing in the plane: fails with `instead` as a hint, returns false
bool hn_part_needs_space(hn_builder *builder, const char *instead);
// the axis of a rotation in the plane must be +z; fails and returns false otherwise
bool hn_part_axis_normal(hn_builder *builder, const hn_mount *mount);
// the same of a hinge, whose axis may be -z on both sides
bool hn_part_hinge_normal(hn_builder *builder, const hn_mount *a, const hn_mount *b);
// does b have an axis of its own, by `axis_b` or an oriented frame?
bool hn_part_second_axis(const hn_builder *builder, const hn_joint_def *def);
// do oriented frames say both axes?
bool hn_part_axes_of_frames(const hn_builder *builder, const hn_joint_def *def);

// an axis of a mount in world axes, in the described configuration
void hn_part_world_axis(const hn_builder *builder, const hn_mount *mount, int axis,
                        double world[3]);
// x, y, z from world directions in the described configuration
void hn_part_set_axes(const hn_builder *builder, hn_mount *mount, const double x[3],
                      const double y[3], const double z[3]);

// was this optional place or direction given?
bool hn_part_given(const double x[3]);

#endif
