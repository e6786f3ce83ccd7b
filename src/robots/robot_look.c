// robot_look.c: what is drawn of a robot: solids and meshes, each where the file has it.
//
// Nothing here has an effect on the motion, so what cannot be drawn is told as ignored and never an
// error. Paths of a robot file lead only into its own folder and below, or into the package that
// the folder belongs to: a file from somebody else must not reach further.
#include "robots/robot.h"

#include "base/file.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Also no drive letters and no addresses (a colon), no backslashes: nothing that another system
// would read as a way out.
bool hn_robot_path_stays(const char *path) {
  if (!*path || *path == '/' || strchr(path, '\\') || strchr(path, ':')) return false;
  for (const char *s = path; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL)
    if (strncmp(s, "..", 2) == 0 && (s[2] == '/' || s[2] == 0)) return false;
  return true;
}

// The folder of the robot file as it was given; the name is not looked at.
const char *hn_robot_beside(hn_robot *robot, const char *name) {
  const char *slash = strrchr(robot->file, '/');
  int folder = slash ? (int)(slash - robot->file) + 1 : 0;
  return hn_robot_text(robot, "%.*s%s", folder, robot->file, name);
}

// how many folders above the robot file the one of this name is; 0: it is the file's own, or none
// ROS finds packages by a search path that nobody here knows; but the robot file of a package lies
// in it, so that one of the folders above has the package's name.
static int folders_up(const char *file, const char *name, size_t length) {
  char path[4096] = "";
  if (*file != '/' && !getcwd(path, sizeof path / 2)) return 0;
  size_t n = strlen(path);
  snprintf(path + n, sizeof path - n, "/%s", file);
  int up = -1;
  for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/'), up++) {
    const char *folder = slash + 1;
    if (up >= 0 && strlen(folder) == length && memcmp(folder, name, length) == 0) return up;
    // where a path goes up again is not looked for
    if (strcmp(folder, "..") == 0) return 0;
    *slash = 0;
  }
  return 0;
}

// "package://name/meshes/arm.stl" is meshes/arm.stl in the folder `name` that the robot file is in,
// or where there is none beside the robot file. *up: how many folders above it
static const char *inside_package(const hn_robot *robot, const char *name, int *up) {
  static const char *const scheme[] = {"package://", "model://"};
  *up = 0;
  for (int i = 0; i < 2; i++) {
    size_t n = strlen(scheme[i]);
    if (strncmp(name, scheme[i], n) != 0) continue;
    const char *rest = strchr(name + n, '/');
    if (!rest) return "";
    *up = folders_up(robot->file, name + n, (size_t)(rest - name) - n);
    return rest + 1;
  }
  return name;
}

// The name that goes into the model file begins with as many "../" as folders_up found, and nothing
// else can put them there.
bool hn_robot_open_mesh(hn_robot *robot, const char **name, hn_trimesh *mesh, char why[200]) {
  char message[HN_MESSAGE] = "";
  int up;
  *name = inside_package(robot, *name, &up);
  *mesh = (hn_trimesh){0};
  if (!hn_robot_path_stays(*name)) {
    snprintf(why, 200, "mesh '%.100s' leaves the folder of the robot file", *name);
    return false;
  }
  for (; up > 0 && !robot->status; up--) *name = hn_robot_text(robot, "../%s", *name);
  const char *path = hn_robot_beside(robot, *name);
  if (!hn_trimesh_load(mesh, path, message)) return true;
  // the reader's words, which begin with the path, and the line where there is one; the robot
  // file's folder is known
  bool placed = strncmp(message, path, strlen(path)) == 0;
  snprintf(why, 200, "mesh %.80s%.100s", *name,
           placed ? message + strlen(path) : ": cannot be read");
  return false;
}

const char *hn_robot_color(hn_robot *robot, const double rgba[4]) {
  int c[3];
  if (!(rgba[3] > 0)) return NULL;
  for (int i = 0; i < 3; i++) c[i] = (int)(255 * fmin(1, fmax(0, rgba[i])) + 0.5);
  return hn_robot_text(robot, "#%02x%02x%02x", c[0], c[1], c[2]);
}

// Sizes of zero mean that a number was missing or odd: nothing is drawn of it.
void hn_robot_draw(hn_robot *robot, hn_robot_link *link, const hn_robot_shape *shape) {
  bool mesh = strcmp(shape->kind, "mesh") == 0, sphere = strcmp(shape->kind, "sphere") == 0;
  if (robot->status || !(mesh || shape->size[0] > 0)) return;
  if (!mesh && !sphere && !(shape->size[1] > 0)) return;
  if (strcmp(shape->kind, "box") == 0 && !(shape->size[2] > 0)) return;
  hn_robot_shape *own = hn_pool_take(&robot->pool, sizeof *own);
  if (!own) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return;
  }
  *own = *shape;
  own->next = NULL;
  if (link->last_shape)
    link->last_shape->next = own;
  else
    link->shape = own;
  link->last_shape = own;
}

bool hn_robot_solid(hn_robot *robot, hn_xml *geometry, hn_robot_read_fn *read,
                    hn_robot_shape *shape) {
  static const struct {
    const char *kind, *name[2];
    int numbers;
  } table[] = {{"box", {"size", NULL}, 3},
               {"sphere", {"radius", NULL}, 1},
               {"cylinder", {"radius", "length"}, 1},
               {"capsule", {"radius", "length"}, 1}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    hn_xml *node = hn_xml_child(geometry, table[i].kind);
    bool whole = node != NULL;
    for (int k = 0; k < 2 && whole && table[i].name[k]; k++)
      whole = read(robot, node, table[i].name[k], shape->size + k, table[i].numbers,
                   table[i].numbers) > 0;
    if (!whole) continue;
    shape->kind = table[i].kind;
    return true;
  }
  return false;
}
