// robot_texts.h: robot files written in place, and what is said while they are read.
#ifndef HN_TEST_ROBOT_TEXTS_H
#define HN_TEST_ROBOT_TEXTS_H

#include "test.h"

#include "robots/import.h"

// reads a robot file and says what is told about it: the report, or why it was refused
static hn_status import(const char *text, bool lenient, char message[HN_MESSAGE]) {
  char *model, *report;
  hn_status status =
      hn_import_text(text, strlen(text), "r.urdf", lenient, &model, &report, message);
  if (!status) snprintf(message, HN_MESSAGE, "%s", report);
  free(model), free(report);
  return status;
}

#define INERTIAL "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define ARM(joint)                                                                                 \
  "<robot name='r'><link name='base'/><link name='arm'>" INERTIAL "</link>" joint "</robot>"
#define JOINT(type, inner)                                                                         \
  "<joint name='j' type='" type "'><parent link='base'/><child link='arm'/>" inner "</joint>"

#define WORLD(inner, sections)                                                                     \
  "<mujoco>" sections "<worldbody><body name='b'><inertial pos='1 0 0' mass='1' diaginertia='1 1 " \
  "1'/>" inner "</body></worldbody></mujoco>"

#define SDF(inner) "<sdf version='1.9'><model name='m'><link name='a'/>" inner "</model></sdf>"

#endif
