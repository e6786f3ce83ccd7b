// urdf.h: what the readers of URDF share.
#ifndef HN_URDF_H
#define HN_URDF_H

#include "robots/robot.h"

// xyz and rpy of an <origin>, or of another element that has them; none: the identity
void hn_urdf_origin(hn_robot *robot, hn_xml *origin, hn_rigid *place);
// a unit vector; the x axis when it is not given
void hn_urdf_axis(hn_robot *robot, hn_xml *axis, double out[3]);
// a word that must be there; "" after a failure
const char *hn_urdf_word(hn_robot *robot, hn_xml *node, const char *attribute);
// the link of that name; -2 after a failure
int hn_urdf_link(hn_robot *robot, hn_xml *node, const char *name);

// urdf_loops.c: the ways in use to write closed loops
void hn_urdf_loops(hn_robot *robot);

#endif
