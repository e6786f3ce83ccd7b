// adams_acts.c: joints, motions and forces of an ADAMS dataset.
//
// What joins the markers I and J acts between frames: a is J, b is I, so that translations and
// angles are those of I seen from J. Forces are those on I; positive ones of springs push apart.
#include "base/elementary.h"
#include "robots/adams.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- joints --------------------------------------------------------------------------------

typedef struct joint_kind {
  const char *argument, *type;
} joint_kind;

// Keys of the statement and types of the model file; their axes agree (z), but for HOOKE.
static const joint_kind joint_kinds[] = {{"REVOLUTE", "revolute"},
                                         {"TRANSLATIONAL", "prismatic"},
                                         {"CYLINDRICAL", "cylindrical"},
                                         {"SPHERICAL", "spherical"},
                                         {"FIXED", "fixed"},
                                         {"UNIVERSAL", "universal"},
                                         {"HOOKE", "universal"},
                                         {"PLANAR", "planar"},
                                         {NULL, NULL}};
static const joint_kind primitives[] = {{"ATPOINT", "spherical"},
                                        {"INLINE", "point-on-line"},
                                        {"INPLANE", "point-on-plane"},
                                        {"ORIENTATION", "generic, locked: [roll, pitch, yaw]"},
                                        {"PARALLEL_AXES", "parallel"},
                                        {"PERPENDICULAR", "perpendicular"},
                                        {NULL, NULL}};

static const joint_kind *kind_of(hn_xml *node, const joint_kind *table) {
  for (; table->argument; table++)
    // the type is an argument without a value
    if (hn_xml_get(node, table->argument)) return table;
  return NULL;
}

// the markers I and J of two parts; false after a failure
// J, or JFLOAT of forces, whose marker lies on the part that takes the reaction.
static bool find_ends(hn_adams *a, hn_xml *node, const char *other, hn_adams_marker **i,
                      hn_adams_marker **j) {
  *i = hn_adams_find_marker(a, node, "I");
  *j = hn_adams_find_marker(a, node, other);
  if (!*i || !*j) return false;
  // a joint within a body would be no joint
  if ((*i)->part == (*j)->part)
    hn_robot_fail(a->robot, node, HN_ERR_MODEL, "%s joins a part with itself", node->name);
  return !a->robot->status;
}

// the arms of the cross are x of I and y of J
// z of the frame made is the arm of the cross: the marker's axes are taken round by one or two
// places.
static void hooke_ends(hn_adams *a, const char *name, hn_adams_marker *const m[2],
                       const char *end[2]) {
  for (int k = 0; k < 2; k++) {
    hn_rigid place = m[k]->place;
    int z = k == 0 ? 0 : 1;  // which of the marker's axes
    for (int row = 0; row < 3; row++)
      for (int c = 0; c < 3; c++) place.R[3 * row + c] = m[k]->place.R[3 * row + (z + 1 + c) % 3];
    end[k] = hn_robot_end(a->robot, hn_adams_link(a, m[k]), &place,
                          hn_robot_text(a->robot, "%s_%c", name, "ij"[k]), true);
  }
}

// A thread couples two motions and nothing else: it needs a cylindrical joint of the same parts,
// with which it is a screw. Which way its axis points and which part is I does not matter to it.
static bool has_thread(hn_adams *a, const hn_adams_marker *i, const hn_adams_marker *j,
                       const char *name, double *pitch) {
  hn_robot *robot = a->robot;
  for (int t = 0; t < a->joints && !robot->status; t++) {
    hn_xml *e = a->joint[t].node;
    hn_adams_marker *ti, *tj;
    // one thread for one joint: the next looks for another
    if (!hn_xml_get(e, "SCREW") || a->joint[t].name || !find_ends(a, e, "J", &ti, &tj)) continue;
    bool same = (ti->part == i->part && tj->part == j->part) ||
                (ti->part == j->part && tj->part == i->part);
    if (!same || hn_adams_numbers(robot, e, "PITCH", pitch, 1, 1) != 1) continue;
    a->joint[t].name = name;
    // metres for a turn into metres for a radian
    *pitch *= a->length / (2 * hn_pi);
    return true;
  }
  return false;
}

// its name in the model file
// a is J and b is I, so that the joint's coordinates are those of I seen from J.
static const char *read_joint(hn_adams *a, hn_xml *node, const joint_kind *kind) {
  hn_robot *robot = a->robot;
  hn_adams_marker *i, *j;
  double pitch = 0;
  if (!find_ends(a, node, "J", &i, &j)) return NULL;
  const char *name = hn_robot_name(robot, hn_adams_name(robot, node), "joint"), *end[2];
  // axes of the two ends differ there
  if (strcmp(kind->argument, "HOOKE") == 0) {
    hooke_ends(a, name, (hn_adams_marker *[2]){i, j}, end);
  } else {
    end[0] = hn_adams_end(a, i);
    end[1] = hn_adams_end(a, j);
  }
  if (strcmp(kind->argument, "CYLINDRICAL") == 0 && has_thread(a, i, j, name, &pitch))
    hn_text_add(&robot->extra_joints, "  %s: {type: screw, a: %s, b: %s, pitch: %s}\n", name,
                end[1], end[0], hn_robot_number_text(robot, pitch));
  else
    hn_text_add(&robot->extra_joints, "  %s: {type: %s, a: %s, b: %s}\n", name, kind->type, end[1],
                end[0]);
  for (hn_xml_attribute *x = node->attribute; x && !robot->status; x = x->next)
    if (hn_word_in(x->name, "IC ICTRAN ICROT"))
      hn_robot_wrong(robot, node, "%s: initial conditions of joints", x->name);
  return name;
}

// ---- motions -------------------------------------------------------------------------------

// A displacement as a formula of time; VELOCITY and ACCELERATION would need integrals of it.
// no markers: a motion is a function of time alone
static void read_motion(hn_adams *a, hn_xml *node) {
  hn_robot *robot = a->robot;
  hn_adams_scope scope = {.i = -1, .j = -1, .length = a->length, .time = a->time};
  long id = hn_adams_id(robot, node, "JOINT");
  const hn_adams_joint *driven = hn_adams_look_up(id, a->joint, a->joints, sizeof *driven);
  if (hn_xml_get(node, "VELOCITY") || hn_xml_get(node, "ACCELERATION") || id < 0) {
    hn_robot_wrong(robot, node, "a MOTION other than a displacement of a JOINT");
    return;
  }
  if (!driven) {
    hn_robot_fail(robot, node, HN_ERR_MODEL, "no JOINT/%ld", id);
    return;
  }
  hn_xml *joint = driven->node;
  bool turns = hn_xml_get(joint, "REVOLUTE"), slides = hn_xml_get(joint, "TRANSLATIONAL");
  // cylindrical joints have both: the motion says which
  if (hn_xml_get(joint, "CYLINDRICAL"))
    turns = hn_xml_get(node, "ROTATION"), slides = hn_xml_get(node, "TRANSLATION");
  if (turns == slides || !driven->name) {
    hn_robot_wrong(robot, node, "a MOTION of JOINT/%ld that it does not have", id);
    return;
  }
  if (!hn_xml_get(node, "FUNCTION")) hn_robot_wrong(robot, node, "a MOTION without FUNCTION");
  const char *motion = hn_adams_formula(robot, node, "FUNCTION", &scope);
  if (!motion) return;
  // lengths in metres; angles are radians already
  if (slides && a->length != 1)
    motion = hn_robot_text(robot, "%s*%s", hn_robot_number_text(robot, a->length), motion);
  hn_text_add(&robot->extra_joints,
              "  %s: {type: driver, joint_a: %s, coordinate: %s, motion: \"%s\"}\n",
              hn_robot_name(robot, hn_adams_name(robot, node), "motion"), driven->name,
              turns ? "angle" : "translation", motion);
}

// Sorted, since motions name joints by number and threads look for theirs.
static void gather_joints(hn_adams *a) {
  hn_robot *robot = a->robot;
  a->joint = hn_adams_room(robot, "JOINT", sizeof *a->joint);
  for (hn_xml *e = hn_xml_next(robot->root, NULL, "JOINT"); e && !robot->status;
       e = hn_xml_next(robot->root, e, "JOINT"))
    a->joint[a->joints++] = (hn_adams_joint){.id = hn_adams_own_id(robot, e), .node = e};
  // those here say that every part is free
  // they are not in robot->joint, which holds the free joints of parts
  robot->more_joints = a->joints - robot->joints;
  if (!robot->status) hn_adams_sort(robot, "JOINT", a->joint, a->joints, sizeof *a->joint);
}

void hn_adams_joints(hn_adams *a) {
  hn_robot *robot = a->robot;
  gather_joints(a);
  for (int i = 0; i < a->joints && !robot->status; i++) {
    hn_xml *e = a->joint[i].node;
    const joint_kind *kind = kind_of(e, joint_kinds);
    if (kind)
      a->joint[i].name = read_joint(a, e, kind);
    else if (!hn_xml_get(e, "SCREW"))
      hn_robot_wrong(robot, e, "a JOINT of a type that is not read");
  }
  for (int i = 0; i < a->joints && !robot->status; i++)
    if (hn_xml_get(a->joint[i].node, "SCREW") && !a->joint[i].name)
      hn_robot_wrong(robot, a->joint[i].node,
                     "a SCREW without PITCH, or without a CYLINDRICAL joint of the same parts");
  // primitives have numbers of their own and no motions
  for (hn_xml *e = robot->root->first; e && !robot->status; e = e->next) {
    const joint_kind *kind = strcmp(e->name, "JPRIM") == 0 ? kind_of(e, primitives) : NULL;
    if (kind)
      read_joint(a, e, kind);
    else if (strcmp(e->name, "JPRIM") == 0)
      hn_robot_wrong(robot, e, "a JPRIM of a type that is not read");
    if (strcmp(e->name, "MOTION") == 0) read_motion(a, e);
  }
}

// ---- springs -------------------------------------------------------------------------------

// ADAMS: F = -C v - K (x - LENGTH) + FORCE, pushing apart. Here preload pulls.
static void read_spring(hn_adams *a, hn_xml *node) {
  hn_robot *robot = a->robot;
  hn_adams_marker *i, *j;
  bool turns = hn_xml_get(node, "ROTATIONAL");
  // force times length is the unit of a torque
  double k = 0, c = 0, free = 0, preload = 0, effort = a->force * (turns ? a->length : 1);
  double unit = turns ? 1 : a->length;
  if (!find_ends(a, node, "J", &i, &j)) return;
  hn_adams_numbers(robot, node, turns ? "KT" : "K", &k, 1, 1);
  hn_adams_numbers(robot, node, turns ? "CT" : "C", &c, 1, 1);
  hn_adams_numbers(robot, node, turns ? "ANGLE" : "LENGTH", &free, 1, 1);
  hn_adams_numbers(robot, node, turns ? "TORQUE" : "FORCE", &preload, 1, 1);
  // neither or both is no spring
  if (turns == (hn_xml_get(node, "TRANSLATIONAL") != NULL))
    hn_robot_fail(robot, node, HN_ERR_SYNTAX, "either TRANSLATIONAL or ROTATIONAL");
  if (k < 0 || c < 0)
    hn_robot_fail(robot, node, HN_ERR_MODEL, "stiffness and damping are not negative");
  // the reference force pushes apart, a preload pulls
  hn_text_add(&robot->forces,
              "  %s: {type: %s, a: %s, b: %s, stiffness: %s, damping: %s, free: %s, preload: %s}\n",
              hn_robot_name(robot, hn_adams_name(robot, node), "spring"),
              turns ? "torsion-spring" : "spring", hn_adams_end(a, j), hn_adams_end(a, i),
              hn_robot_number_text(robot, k * effort / unit),
              hn_robot_number_text(robot, c * effort * a->time / unit),
              hn_robot_number_text(robot, free * unit),
              hn_robot_number_text(robot, -preload * effort));
}

// ---- vectors -------------------------------------------------------------------------------

// Components along the axes of a marker: of the ground, or of the part that is acted on.
// World axes: the components are turned by numbers here. Body axes: a frame with those of the
// marker is made on the part. `reaction` is the link that takes the opposite, -1: the ground does.
static void put_vector(hn_adams *a, hn_xml *node, const char *key, const char *const f[3],
                       hn_adams_marker *at, const hn_adams_marker *axes, int reaction) {
  hn_robot *robot = a->robot;
  bool world = hn_adams_link(a, axes) < 0;
  const char *part[3] = {"0", "0", "0"};
  // 'f' or 't'
  double unit = a->force * (*key == 't' ? a->length : 1);
  hn_rigid place = at->place;
  if (hn_adams_link(a, at) < 0 || (!world && axes->part != at->part)) {
    hn_robot_wrong(robot, node, "%s on the ground, or along axes of a third part", node->name);
    return;
  }
  if (!world) memcpy(place.R, axes->place.R, sizeof place.R);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double along = world ? axes->place.R[3 * i + k] : i == k;
      if (!f[k] || fabs(along) < 1e-15) continue;
      const char *term =
          hn_robot_text(robot, "%s*%s", hn_robot_number_text(robot, along * unit), f[k]);
      // the first term takes the place of the zero
      part[i] =
          part[i][0] == '0' && !part[i][1] ? term : hn_robot_text(robot, "%s + %s", part[i], term);
    }
  const char *name = hn_robot_name(robot, hn_adams_name(robot, node), key);
  const char *end =
      hn_robot_end(robot, hn_adams_link(a, at), &place, hn_robot_text(robot, "%s_at", name), true);
  hn_text_add(&robot->forces, "  %s: {type: %s", name, key);
  if (reaction >= 0) hn_text_add(&robot->forces, ", a: %s", hn_robot_body(robot, reaction));
  hn_text_add(&robot->forces, ", b: %s, %s: [\"%s\", \"%s\", \"%s\"]%s}\n", end, key, part[0],
              part[1], part[2], world ? "" : ", axes: body");
}

// ---- single components ---------------------------------------------------------------------

// along the line between two markers, or about the z axis they have in common; without reaction
// along z of J
static void read_single(hn_adams *a, hn_xml *node) {
  hn_robot *robot = a->robot;
  hn_adams_marker *i, *j;
  bool turns = hn_xml_get(node, "ROTATIONAL"), alone = hn_xml_get(node, "ACTIONONLY");
  hn_adams_scope scope = {.i = -1, .j = -1, .turns = turns, .length = a->length, .time = a->time};
  if (turns == (hn_xml_get(node, "TRANSLATIONAL") != NULL))
    hn_robot_fail(robot, node, HN_ERR_SYNTAX, "either TRANSLATIONAL or ROTATIONAL");
  i = hn_adams_find_marker(a, node, "I"), j = hn_adams_find_marker(a, node, "J");
  // without a reaction the marker J only says along what
  if (robot->status || (!alone && !find_ends(a, node, "J", &i, &j))) return;
  // with both ends known, DM and VR of them may be read
  if (!alone) scope.i = i->id, scope.j = j->id;
  if (!hn_xml_get(node, "FUNCTION")) hn_robot_wrong(robot, node, "SFORCE without FUNCTION");
  const char *f = hn_adams_formula(robot, node, "FUNCTION", &scope);
  if (!f) return;
  if (alone) {
    put_vector(a, node, turns ? "torque" : "force", (const char *[3]){NULL, NULL, f}, i, j, -1);
    return;
  }
  // a law of a spring pulls where it is positive
  hn_text_add(&robot->forces, "  %s: {type: %s, a: %s, b: %s, law: \"%s*%s\"}\n",
              hn_robot_name(robot, hn_adams_name(robot, node), "force"),
              turns ? "torsion-spring" : "spring", hn_adams_end(a, j), hn_adams_end(a, i),
              hn_robot_number_text(robot, -a->force * (turns ? a->length : 1)), f);
}

// JFLOAT's marker has no place: the reaction acts where the force does, which is the ground or the
// body at that point.
static void read_vector(hn_adams *a, hn_xml *node) {
  static const char *const name[] = {"FX", "FY", "FZ", "TX", "TY", "TZ"};
  hn_robot *robot = a->robot;
  hn_adams_scope scope = {.i = -1, .j = -1, .length = a->length, .time = a->time};
  hn_adams_marker *i, *j, *axes = NULL;
  const char *f[6] = {NULL};
  if (!find_ends(a, node, "JFLOAT", &i, &j)) return;
  axes = hn_adams_find_marker(a, node, "RM");
  if (!axes) return;
  for (int k = 0; k < 6 && !robot->status; k++) {
    if (!hn_xml_get(node, name[k])) continue;
    f[k] = hn_adams_formula(robot, node, name[k], &scope);
    if (!f[k]) return;
  }
  if (hn_xml_get(node, "FUNCTION") || hn_xml_get(node, "FXYZ") || hn_xml_get(node, "TXYZ")) {
    hn_robot_wrong(robot, node, "%s by FUNCTION, FXYZ or TXYZ", node->name);
    return;
  }
  if (f[0] || f[1] || f[2]) put_vector(a, node, "force", f, i, axes, hn_adams_link(a, j));
  if (f[3] || f[4] || f[5]) put_vector(a, node, "torque", f + 3, i, axes, hn_adams_link(a, j));
}

void hn_adams_forces(hn_adams *a) {
  hn_robot *robot = a->robot;
  for (hn_xml *e = robot->root->first; e && !robot->status; e = e->next) {
    if (strcmp(e->name, "SPRINGDAMPER") == 0) read_spring(a, e);
    if (strcmp(e->name, "SFORCE") == 0) read_single(a, e);
    if (hn_word_in(e->name, "VFORCE VTORQUE GFORCE")) read_vector(a, e);
  }
}
