// urdf_loops.c: closed loops, which URDF has no words for; four ways to write them are in use.
//
//   <loop name type><predecessor link><origin/></predecessor><successor .../><axis/></loop>
//   <constraint name type="position"> with predecessor_origin and successor_origin    both URDF+
//   a YAML file beside: closed_loop: [[frame, frame], ...], type: [6d, 3d, ...]
//   <drake:ball_constraint> with bodies and points                                    Drake
//   <loop_joint name type><link1 link xyz rpy/><link2 .../><axis/></loop_joint>
//
// Each way names two links and a place on each; how they meet is a word for a joint. All of them
// become joints of the model file whose rows are recorded one by one, which keeps them out of the
// tree of relative coordinates: that is the tree of the file.
#include "robots/urdf.h"

#include "base/file.h"
#include "base/vec.h"
#include "io/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// the joint that a word for a loop means; NULL: not one that can be had
static const char *loop_type(const char *word) {
  static const char *const table[][2] = {{"revolute", "revolute"},
                                         {"continuous", "revolute"},
                                         {"prismatic", "prismatic"},
                                         {"fixed", "fixed"},
                                         {"6d", "fixed"},
                                         {"6D", "fixed"},
                                         {"spherical", "spherical"},
                                         {"ball", "spherical"},
                                         {"position", "spherical"},
                                         {"3d", "spherical"},
                                         {"3D", "spherical"},
                                         {"planar", "planar"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i][0], word) == 0) return table[i][1];
  return NULL;
}

// z of both ends along the axis of the loop
// The axis counts in both ends' own axes, as those ways are meant: after assembly these are
// parallel.
static void add_loop(hn_robot *robot, hn_robot_meeting *m, const char *word, hn_xml *axis_node) {
  double axis[3], A[9];
  if (robot->status) return;
  m->type = loop_type(word);
  if (!m->type) {
    hn_robot_wrong(robot, m->node, "loop '%.60s' has a type that is not read: '%.40s'", m->name,
                   word);
    return;
  }
  hn_urdf_axis(robot, axis_node, axis);
  hn_axes_along(A, axis, NULL);
  for (int k = 0; k < 2; k++) {
    double R[9];
    m3_mul(R, m->place[k].R, A);
    memcpy(m->place[k].R, R, sizeof R);
  }
  hn_robot_add_meeting(robot, m);
}

// "sucessor" stands in files of the first version of URDF+.
static void read_plus(hn_robot *robot, hn_xml *e) {
  static const char *const side[][3] = {{"predecessor", "predecessor_origin", "predecessor"},
                                        {"successor", "successor_origin", "sucessor"}};
  hn_robot_meeting m = {.name = hn_xml_get(e, "name"), .node = e};
  if (!m.name) m.name = "loop";
  for (int k = 0; k < 2; k++) {
    hn_xml *end = hn_xml_child(e, side[k][0]);
    if (!end) end = hn_xml_child(e, side[k][2]);
    if (!end) {
      hn_robot_fail(robot, e, HN_ERR_SYNTAX, "<%s> needs <%s>", e->name, side[k][0]);
      return;
    }
    const char *link = hn_xml_get(end, "link");
    if (!link) link = hn_urdf_word(robot, end, "name");
    m.link[k] = hn_urdf_link(robot, end, link);
    hn_xml *origin = hn_xml_child(end, "origin");
    hn_urdf_origin(robot, origin ? origin : hn_xml_child(e, side[k][1]), &m.place[k]);
  }
  add_loop(robot, &m, hn_urdf_word(robot, e, "type"), hn_xml_child(e, "axis"));
}

// Without a type the ends meet in a point.
static void read_loop_joint(hn_robot *robot, hn_xml *e) {
  static const char *const side[] = {"link1", "link2"};
  hn_robot_meeting m = {.name = hn_xml_get(e, "name"), .node = e};
  if (!m.name) m.name = "loop";
  for (int k = 0; k < 2; k++) {
    hn_xml *end = hn_xml_child(e, side[k]);
    if (!end) {
      hn_robot_fail(robot, e, HN_ERR_SYNTAX, "<loop_joint> needs <%s>", side[k]);
      return;
    }
    m.link[k] = hn_urdf_link(robot, end, hn_urdf_word(robot, end, "link"));
    hn_urdf_origin(robot, end, &m.place[k]);
  }
  const char *type = hn_xml_get(e, "type");
  add_loop(robot, &m, type ? type : "spherical", hn_xml_child(e, "axis"));
}

static void read_drake(hn_robot *robot, hn_xml *e) {
  static const char *const body[] = {"drake:ball_constraint_body_A",
                                     "drake:ball_constraint_body_B"};
  static const char *const point[] = {"drake:ball_constraint_p_AP", "drake:ball_constraint_p_BQ"};
  hn_robot_meeting m = {.name = "ball_constraint", .node = e};
  for (int k = 0; k < 2; k++) {
    hn_xml *b = hn_xml_child(e, body[k]), *p = hn_xml_child(e, point[k]);
    if (!b) {
      hn_robot_fail(robot, e, HN_ERR_SYNTAX, "<%s> needs <%s>", e->name, body[k]);
      return;
    }
    m.link[k] = hn_urdf_link(robot, b, hn_urdf_word(robot, b, "name"));
    m.place[k] = hn_rigid_none;
    if (p) hn_robot_numbers(robot, p, "value", m.place[k].p, 3, 3);
  }
  add_loop(robot, &m, "ball", NULL);
}

// ---- the file beside -----------------------------------------------------------------------

// a link, or the link that a joint moves
// Pinocchio's files name frames, and those are called as links or as the joints that move them.
static int frame_link(const hn_robot *robot, const char *name) {
  int link = hn_robot_find_link(robot, name);
  int joint = link < 0 ? hn_robot_find_joint(robot, name) : -1;
  return joint < 0 ? link : robot->joint[joint].link;
}

static void read_pair(hn_robot *robot, const char *path, const hn_yaml *pair, const hn_yaml *type,
                      int number) {
  hn_robot_meeting m = {.name = hn_robot_text(robot, "loop%d", number + 1)};
  if (pair->kind != HN_YAML_LIST || pair->count != 2) {
    hn_robot_fail(robot, NULL, HN_ERR_SYNTAX, "%.200s:%d:%d: closed_loop: two frames expected",
                  path, pair->line, pair->column);
    return;
  }
  for (int k = 0; k < 2; k++) {
    const hn_yaml *name = hn_yaml_item(pair, k);
    m.link[k] = name->kind == HN_YAML_SCALAR ? frame_link(robot, name->text) : -1;
    m.place[k] = hn_rigid_none;
    if (m.link[k] < 0) {
      hn_robot_fail(robot, NULL, HN_ERR_MODEL, "%.200s:%d:%d: no link named '%.60s'", path,
                    name->line, name->column, name->kind == HN_YAML_SCALAR ? name->text : "");
      return;
    }
  }
  add_loop(robot, &m, type && type->kind == HN_YAML_SCALAR ? type->text : "6d", NULL);
}

static void read_pairs(hn_robot *robot, const char *path, const hn_yaml *root) {
  if (root->kind != HN_YAML_MAP) return;
  const hn_yaml *loops = hn_yaml_get(root, "closed_loop"), *types = hn_yaml_get(root, "type");
  if (!loops || hn_yaml_is_empty(loops)) return;
  if (loops->kind != HN_YAML_LIST) {
    hn_robot_fail(robot, NULL, HN_ERR_SYNTAX,
                  "%.200s:%d:%d: closed_loop: a list of pairs of frames expected", path,
                  loops->line, loops->column);
    return;
  }
  bool listed = types && types->kind == HN_YAML_LIST;
  for (int i = 0; i < loops->count && !robot->status; i++)
    read_pair(robot, path, hn_yaml_item(loops, i), listed ? hn_yaml_item(types, i) : types, i);
}

// robot.yaml beside robot.urdf; other YAML files of that name have no closed_loop
// Any robot may have a YAML file of its name for other purposes: one that does not speak of
// closed_loop says nothing here, but one that does must be understood.
static void read_beside(hn_robot *robot) {
  char path[1024], message[HN_MESSAGE];
  const char *dot = strrchr(robot->file, '.'), *slash = strrchr(robot->file, '/');
  size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - robot->file) : 0;
  if (!stem || stem + 6 > sizeof path) return;
  snprintf(path, sizeof path, "%.*s.yaml", (int)stem, robot->file);
  char *text = NULL;
  size_t length;
  if (access(path, F_OK)) return;
  hn_status status = hn_load_named(&text, &length, path, message);
  if (status) {
    hn_robot_fail(robot, NULL, status, "loops may stand in a file that cannot be read: %.200s",
                  message);
    return;
  }
  hn_yaml_error error;
  hn_yaml_doc *doc = hn_yaml_parse(text, length, &error);
  if (doc)
    read_pairs(robot, path, hn_yaml_root(doc));
  else if (strstr(text, "closed_loop"))
    hn_robot_fail(robot, NULL, error.status, "%.200s:%d:%d: %s", path, error.line, error.column,
                  error.message);
  hn_yaml_destroy(doc);
  free(text);
}

void hn_urdf_loops(hn_robot *robot) {
  hn_xml *root = robot->root;
  for (hn_xml *e = root->first; e && !robot->status; e = e->next) {
    bool plus = strcmp(e->name, "loop") == 0 || strcmp(e->name, "constraint") == 0;
    bool joint = strcmp(e->name, "loop_joint") == 0;
    bool drake = strcmp(e->name, "drake:ball_constraint") == 0;
    bool other = strcmp(e->name, "coupling") == 0 ||
                 (strncmp(e->name, "drake:", 6) == 0 &&
                  (strstr(e->name, "_constraint") || strstr(e->name, "bushing")));
    if (plus || joint || drake || other) e->seen = true;
    if (plus) read_plus(robot, e);
    if (joint) read_loop_joint(robot, e);
    if (drake) read_drake(robot, e);
    if (other && !drake) {
      hn_xml_pass(e, true);
      hn_robot_wrong(robot, e, "<%.60s> is not read", e->name);
    }
  }
  if (!robot->status) read_beside(robot);
}
