// import.c: a robot file becomes a model file.
//
// Which format a file has is told by its first character, and by its root element; only datasets of
// ADAMS, which are plain text, are told by the ending of their name. A format fills an hn_robot
// (robot.h), and robot_write.c makes the text of a model file of it, whatever format it came from:
// a robot file is never run as such, so that what is simulated can always be looked at and edited.
#include "robots/import.h"

#include "base/file.h"
#include "robots/adams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A byte order mark and blank lines may stand before the first '<'; no model file (YAML, JSON)
// begins with that character.
static bool is_xml(const char *text, size_t length) {
  static const char mark[] = "\xef\xbb\xbf";
  size_t at = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  while (at < length && strchr(" \t\r\n", text[at]) && text[at]) at++;
  return at < length && text[at] == '<';
}

// datasets begin with any words at all
static bool is_adams(const char *file) {
  size_t n = strlen(file);
  return n > 4 && (strcmp(file + n - 4, ".adm") == 0 || strcmp(file + n - 4, ".ADM") == 0);
}

bool hn_import_is_robot(const char *text, size_t length, const char *file) {
  return is_xml(text, length) || is_adams(file);
}

// The names of root elements are those that the formats prescribe; there is no namespace in any of
// them.
static void read_root(hn_robot *robot) {
  const char *name = robot->root->name;
  robot->root->seen = true;
  if (strcmp(name, "robot") == 0)
    hn_urdf_read(robot);
  else if (strcmp(name, "mujoco") == 0)
    hn_mjcf_read(robot);
  else if (strcmp(name, "sdf") == 0)
    hn_sdf_read(robot);
  else if (strcmp(name, "OpenSimDocument") == 0)
    hn_osim_read(robot);
  else
    hn_robot_fail(robot, robot->root, HN_ERR_UNSUPPORTED,
                  "<%.40s> is neither a URDF <robot>, a MuJoCo model <mujoco>, <sdf> nor "
                  "<OpenSimDocument>",
                  name);
}

// The last line of the report. A link that is its own body counts as a body; those that are fixed
// to others do not. Numbers of what was approximated, ignored and left out are what scripts look
// for.
static void count_parts(hn_robot *robot) {
  int bodies = 0;
  for (int i = 0; i < robot->links; i++) bodies += robot->link[i].body == i;
  hn_text_add(
      &robot->report,
      "%d links and %d joints read as %d bodies; %d approximated, %d ignored, %d left out\n",
      robot->links, robot->joints + robot->more_joints, bodies, robot->approximated, robot->ignored,
      robot->left_out);
}

// Everything that is read lives in robot.pool and goes with it; what leaves is the text of the
// model and the report, which the caller frees. After a failure both are NULL and `message` has the
// place.
hn_status hn_import_text(const char *text, size_t length, const char *file, bool lenient,
                         char **model, char **report, char message[HN_MESSAGE]) {
  hn_robot robot = {.file = file, .lenient = lenient};
  *model = *report = NULL;
  if (is_xml(text, length) || !is_adams(file)) {
    robot.root = hn_xml_parse(&robot.pool, text, length, file, 0, &robot.status, robot.message);
    if (robot.root) read_root(&robot);
  } else {
    robot.root = hn_adams_parse(&robot, text, length);
    if (robot.root) hn_adams_read(&robot);
  }
  if (!robot.status) hn_robot_tell_unseen(&robot, robot.root);
  if (!robot.status) *model = hn_robot_write(&robot);
  if (!robot.status) {
    count_parts(&robot);
    if (robot.report.failed) hn_robot_fail(&robot, NULL, HN_ERR_MEMORY, "out of memory");
  }
  hn_status status = robot.status;
  if (status) {
    snprintf(message, HN_MESSAGE, "%s", robot.message);
    free(*model);
    *model = NULL;
  } else {
    *report = robot.report.data;
    robot.report.data = NULL;
  }
  hn_robot_destroy(&robot);
  return status;
}

// The public function: a path in place of a text. The message is cut to the caller's buffer.
hn_status hn_import(const char *path, bool lenient, char **model, char **report, char *message,
                    size_t size) {
  char *text = NULL, reason[HN_MESSAGE] = "";
  size_t length = 0;
  if (!path || !model || !report) return HN_ERR_ARGUMENT;
  *model = *report = NULL;
  hn_status status = hn_load_file(&text, &length, path, reason);
  if (!status && !hn_import_is_robot(text, length, path))
    status = hn_fail(reason, HN_ERR_SYNTAX,
                     "%.200s:1:1: not an XML file, nor one of ADAMS (import reads URDF, MJCF, "
                     "SDFormat, OpenSim and ADAMS files)",
                     path);
  if (!status) status = hn_import_text(text, length, path, lenient, model, report, reason);
  free(text);
  if (message && size) snprintf(message, size, "%s", reason);
  return status;
}
