// osim.c: OpenSim models of version 4: bodies, joints, constraints.
//
// A joint joins a frame on its parent to a frame on its child by turns and shifts along axes, each
// a function of a coordinate: shifts along axes of the parent's frame, then turns one after the
// other. Each that is a straight line becomes a hinge or slide, whose value is that of the
// function; those of one joint have bodies of next to no mass between them. Ranges of coordinates
// are those that users may set, no stops, in OpenSim as here.
#include "robots/robot.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

// a joint of the file: what it joins, "" is the ground
typedef struct entry {
  hn_xml *node;
  const char *above, *below;
  hn_rigid parent, child;  // the joint's frames on them
  bool done;
} entry;

// a hinge or slide is slope * coordinate + value
typedef struct line {
  double slope, value;
  int first;  // the first one of the same coordinate, or itself
} line;

typedef struct osim {
  hn_robot *robot;
  hn_xml *model;
  entry *entry;
  int entries;
  line *line;  // of the robot's joints
} osim;

// ---- values --------------------------------------------------------------------------------

static int numbers(hn_robot *robot, hn_xml *parent, const char *child, double *out, int least,
                   int most) {
  // NULL: there is no such element to look into
  hn_xml *e = parent ? hn_xml_child(parent, child) : NULL;
  if (!e || robot->status) return 0;
  return hn_robot_parse(robot, e, child, e->text ? e->text : "", out, least, most);
}

static bool is_true(hn_xml *parent, const char *child) {
  const char *text = parent ? hn_xml_text(parent, child) : NULL;
  // "True" does not occur: the program writes small letters
  return text && strcmp(text, "true") == 0;
}

static const char *name_of(hn_robot *robot, hn_xml *node) {
  const char *name = hn_xml_get(node, "name");
  if (name && *name) return name;
  hn_robot_fail(robot, node, HN_ERR_SYNTAX, "<%.40s> must have name=\"...\"", node->name);
  return "";
}

// the elements of <SetName><objects>, one after the other
// Sets are how OpenSim groups everything of a kind; the set and its objects are marked as seen.
static hn_xml *in_set(hn_xml *model, const char *set, hn_xml *after) {
  // both levels count as seen
  hn_xml *s = hn_xml_child(model, set), *objects = s ? hn_xml_child(s, "objects") : NULL;
  return objects ? hn_xml_next(objects, after, NULL) : NULL;
}

// "/bodyset/femur", "../femur", "femur": the last word
static const char *last_word(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

// translation, then turns about x, y and z of the turned axes
// Body-fixed x, y, z rotations: R = Rx Ry Rz, unlike URDF's.
static void read_offset(hn_robot *robot, hn_xml *node, const char *shift, const char *turn,
                        hn_rigid *place) {
  double x[3] = {0, 0, 0}, rx[9], ry[9], rz[9], xy[9];
  // an element without numbers leaves the identity
  *place = hn_rigid_none;
  numbers(robot, node, shift, place->p, 3, 3);
  numbers(robot, node, turn, x, 3, 3);
  hn_turn_matrix(rx, (double[3]){1, 0, 0}, x[0]);
  hn_turn_matrix(ry, (double[3]){0, 1, 0}, x[1]);
  hn_turn_matrix(rz, (double[3]){0, 0, 1}, x[2]);
  m3_mul(xy, rx, ry);
  m3_mul(place->R, xy, rz);
}

// ---- frames --------------------------------------------------------------------------------

// an end of a joint or constraint: a body, or a frame of its own on one; "" is the ground
// Sockets are paths of components. A frame of the joint's own list stands between it and the body.
static const char *find_end(osim *o, hn_xml *node, const char *socket, hn_rigid *place) {
  hn_xml *frames = hn_xml_child(node, "frames");
  const char *path = hn_xml_text(node, socket), *name = last_word(path);
  *place = hn_rigid_none;
  if (!name) {
    hn_robot_fail(o->robot, node, HN_ERR_SYNTAX, "<%.40s> needs <%s>", node->name, socket);
    // the socket of a joint in older files names a body directly
    return "";
  }
  for (hn_xml *f = frames ? hn_xml_next(frames, NULL, "PhysicalOffsetFrame") : NULL; f;
       f = hn_xml_next(frames, f, "PhysicalOffsetFrame")) {
    const char *own = hn_xml_get(f, "name");
    if (!own || strcmp(own, name) != 0) continue;
    read_offset(o->robot, f, "translation", "orientation", place);
    hn_xml_pass(f, true);
    name = last_word(hn_xml_text(f, "socket_parent"));
    break;
  }
  // "/ground" is the ground wherever it stands
  return !name || strcmp(name, "ground") == 0 ? "" : name;
}

// the link of an end; -1: the ground
static int link_of(osim *o, hn_xml *node, const char *name) {
  int link = *name ? hn_robot_find_link(o->robot, name) : -1;
  if (*name && link < 0) hn_robot_fail(o->robot, node, HN_ERR_MODEL, "no body named '%.60s'", name);
  return link;
}

// ---- joints --------------------------------------------------------------------------------

// a turn or shift: slope * coordinate + value
typedef struct step {
  bool turns;
  double axis[3], slope, value;
  hn_xml *coordinate;  // NULL: it stays at its value
} step;

enum { STEPS = 6 };

typedef struct motion {
  step step[STEPS];  // shifts first
  int count;
  bool ball, free;
} motion;

// coordinate k of the joint, in the order of the file
static hn_xml *coordinate_at(hn_xml *joint, int k) {
  // in the order in which the joint lists them: values of functions refer to it by name
  hn_xml *all = hn_xml_child(joint, "coordinates"), *e = NULL;
  for (; all && k >= 0; k--)
    if (!(e = hn_xml_next(all, e, "Coordinate"))) return NULL;
  return e;
}

static hn_xml *coordinate_named(hn_xml *joint, const char *name) {
  // ends at the first that is not there
  for (int k = 0;; k++) {
    hn_xml *c = coordinate_at(joint, k);
    const char *own = c ? hn_xml_get(c, "name") : NULL;
    if (!c || (own && strcmp(own, name) == 0)) return c;
  }
}

// joints that always have the same axes: letters x y z shift, X Y Z turn, with the number of their
// coordinate
// Coordinates of a planar joint stand in the order angle, x, y in the file, while shifts come
// before turns in the motion.
static bool plain_joint(hn_robot *robot, hn_xml *joint, motion *m) {
  static const struct {
    const char *type, *steps;
    int coordinate[STEPS];
  } table[] = {{"WeldJoint", "", {0}},
               {"PinJoint", "Z", {0}},
               {"SliderJoint", "x", {0}},
               {"UniversalJoint", "XY", {0, 1}},
               {"GimbalJoint", "XYZ", {0, 1, 2}},
               {"PlanarJoint", "xyZ", {1, 2, 0}}};
  m->ball = strcmp(joint->name, "BallJoint") == 0;
  m->free = strcmp(joint->name, "FreeJoint") == 0;
  if (m->ball || m->free) return true;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].type, joint->name) != 0) continue;
    for (const char *s = table[i].steps; *s; s++) {
      step *p = &m->step[m->count];
      // capital letters are before small ones in the alphabet
      *p = (step){.turns = *s < 'a', .slope = 1};
      // | 32 makes small letters of capitals
      p->axis[(*s | 32) - 'x'] = 1;
      p->coordinate = coordinate_at(joint, table[i].coordinate[m->count++]);
      if (!p->coordinate)
        hn_robot_fail(robot, joint, HN_ERR_SYNTAX, "<%.40s> needs its <Coordinate>", joint->name);
    }
    return true;
  }
  return false;
}

// slope and value of a function that is a straight line
// Constant, linear, or a multiple of one of these, nested as deep as the document is.
static bool straight(hn_robot *robot, hn_xml *where, double *slope, double *value) {
  hn_xml *e = where ? hn_xml_child(where, "LinearFunction") : NULL;
  double x[2] = {1, 0}, scale = 1;
  hn_xml *m = where ? hn_xml_child(where, "MultiplierFunction") : NULL;
  if (m) {
    // some versions write the function directly into the multiplier
    hn_xml *inner = hn_xml_child(m, "function");
    numbers(robot, m, "scale", &scale, 1, 1);
    if (!straight(robot, inner ? inner : m, slope, value)) return false;
    *slope *= scale, *value *= scale;
    return true;
  }
  hn_xml *c = where ? hn_xml_child(where, "Constant") : NULL;
  if (e) numbers(robot, e, "coefficients", x, 2, 2);
  if (c) x[0] = x[1] = 0, numbers(robot, c, "value", &x[1], 1, 1);
  *slope = x[0], *value = x[1];
  return e || c;
}

// An axis without coordinate, or with a slope of zero, stays at the function's value: part of the
// place, no joint.
static void read_axis(osim *o, hn_xml *joint, hn_xml *e, bool turns, motion *m) {
  step p = {.turns = turns};
  const char *name = hn_xml_text(e, "coordinates");
  hn_xml *function = hn_xml_child(e, "function"), *where = function ? function : e;
  if (numbers(o->robot, e, "axis", p.axis, 3, 3) != 3 || !(v3_norm(p.axis) > 1e-9)) {
    hn_robot_fail(o->robot, e, HN_ERR_MODEL, "<axis> needs three numbers that are not all zero");
    return;
  }
  v3_scale(p.axis, 1 / v3_norm(p.axis), p.axis);
  if (!straight(o->robot, where, &p.slope, &p.value)) {
    hn_robot_wrong(o->robot, e, "a function of the coordinates that is no straight line");
    return;
  }
  // with a slope of zero the coordinate does not move the axis
  if (name && *name && p.slope != 0) {
    p.coordinate = coordinate_named(joint, name);
    if (!p.coordinate)
      hn_robot_fail(o->robot, e, HN_ERR_MODEL, "no coordinate named '%.60s' in this joint", name);
  }
  if (!o->robot->status) m->step[m->count++] = p;
}

// OpenSim moves translation axes in the parent's frame after the rotations, which is the same as
// before them in a chain: shifts first, then turns.
// six axes by name, three shifts and three turns
static bool read_motion(osim *o, hn_xml *joint, motion *m) {
  static const char *const axes[] = {"translation1", "translation2", "translation3",
                                     "rotation1",    "rotation2",    "rotation3"};
  hn_xml *t = hn_xml_child(joint, "SpatialTransform"), *set = t ? t : joint;
  if (strcmp(joint->name, "CustomJoint") != 0) return plain_joint(o->robot, joint, m);
  if (!t) hn_robot_fail(o->robot, joint, HN_ERR_SYNTAX, "<CustomJoint> needs <SpatialTransform>");
  for (int k = 0; k < 6; k++)
    for (hn_xml *e = hn_xml_next(set, NULL, "TransformAxis"); e && !o->robot->status;
         e = hn_xml_next(set, e, "TransformAxis")) {
      const char *name = hn_xml_get(e, "name");
      if (!name || strcmp(name, axes[k]) != 0 || m->count == STEPS) continue;
      read_axis(o, joint, e, k >= 3, m);
    }
  return true;
}

// where a coordinate starts
static void read_start(osim *o, hn_xml *c, double *value, double *rate) {
  *value = *rate = 0;
  numbers(o->robot, c, "default_value", value, 1, 1);
  numbers(o->robot, c, "default_speed_value", rate, 1, 1);
  // its function of time is not read
  if (is_true(c, "prescribed")) hn_robot_wrong(o->robot, c, "a prescribed coordinate");
  hn_xml_pass(c, true);
}

// the hinge or slide of a step in its link, whose frame is `at` as seen from the joint
// The joint's axis and place are told in the link, which is `at` away from the joint's own frame.
// The first joint of a coordinate has its name; further ones are coupled to it by gears
// (hold_coordinates).
static int add_step(osim *o, const step *p, const hn_rigid *at) {
  hn_robot *robot = o->robot;
  hn_robot_joint j = {.kind = p->turns ? HN_ROBOT_HINGE : HN_ROBOT_SLIDE, .link = -1};
  hn_rigid back;
  double value, rate, range[2];
  // the coordinate, for messages and for `locked`
  j.node = p->coordinate;
  j.source = name_of(robot, p->coordinate);
  hn_rigid_inverse(&back, at);
  v3_copy(j.pos, back.p);
  m3_mulv(j.axis, back.R, p->axis);
  read_start(o, p->coordinate, &value, &rate);
  // the value of the hinge is that of the function, not of the coordinate
  j.value[0] = p->slope * value + p->value;
  j.rate[0] = p->slope * rate;
  // only a note: ranges are no stops
  if (numbers(robot, p->coordinate, "range", range, 2, 2) == 2)
    j.note = hn_robot_text(robot, "range %.6g to %.6g", range[0], range[1]);
  // a coordinate that moves along several axes
  // by the coordinate itself: another joint may have one of this name
  int first = 0;
  while (first < robot->joints && robot->joint[first].node != j.node) first++;
  bool again = first < robot->joints || hn_robot_find_joint(robot, j.source) >= 0;
  if (first == robot->joints) first = -1;
  if (again) j.source = hn_robot_text(robot, "%s_%d", j.source, robot->joints);
  j.name = hn_robot_name(robot, j.source, "joint");
  int at_last = hn_robot_add_joint(robot, &j);
  if (at_last >= 0) o->line[at_last] = (line){p->slope, p->value, first >= 0 ? first : at_last};
  return at_last;
}

// turned by the start of three coordinates, about x, y and z of the turned axes
// Three angles, then three shifts, in the order of the file. Speeds of such coordinates are no
// angular velocities, and are refused.
static void start_turned(osim *o, hn_xml *joint, hn_rigid *at) {
  double R[9], A[9], value, rate;
  *at = hn_rigid_none;
  for (int k = 0; k < 6 && coordinate_at(joint, k); k++) {
    // x, y, z in turn
    double axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    read_start(o, coordinate_at(joint, k), &value, &rate);
    if (rate != 0)
      hn_robot_wrong(o->robot, coordinate_at(joint, k), "a speed of a ball or free joint");
    if (k >= 3) at->p[k - 3] = value;
    if (k >= 3) continue;
    hn_turn_matrix(R, axis, value);
    m3_mul(A, at->R, R);
    memcpy(at->R, A, sizeof A);
  }
}

// B = C A C^T: the turn of the joint's frame, seen in the axes of the child.
static int add_ball(osim *o, hn_xml *joint, const motion *m, const hn_rigid *parent,
                    const hn_rigid *child) {
  hn_robot *robot = o->robot;
  hn_robot_joint j = {.kind = m->free ? HN_ROBOT_FREE : HN_ROBOT_BALL, .node = joint, .link = -1};
  hn_rigid at, back, world;
  start_turned(o, joint, &at);
  hn_rigid_inverse(&back, child);
  hn_rigid_mul(&world, parent, &at);
  hn_rigid_mul(&world, &world, &back);
  v3_copy(j.pos, child->p);
  if (m->free) v3_copy(j.value, world.p);
  // of a ball: how the child is turned against where it is at zero, in its own axes
  double A[9], B[9];
  m3_mul(A, child->R, at.R);
  m3_mult(B, A, child->R);
  q_from_matrix(j.value + (m->free ? 3 : 0), m->free ? world.R : B);
  j.source = name_of(robot, joint);
  j.name = hn_robot_name(robot, j.source, "joint");
  return hn_robot_add_joint(robot, &j);
}

// the child on what is there already, with links between where the joint has several coordinates
// A chain of links, one for each step with a coordinate but the last, which moves the child itself.
// Steps that stay are gathered into the place of the next link, or behind the last into `rest`.
static void add_moved(osim *o, hn_xml *joint, hn_robot_link *l, const hn_rigid *parent,
                      const hn_rigid *child) {
  hn_robot *robot = o->robot;
  motion m = {.count = 0};
  hn_rigid back, place = *parent;
  hn_rigid_inverse(&back, child);
  if (!read_motion(o, joint, &m)) hn_robot_wrong(robot, joint, "<%.40s> is not read", joint->name);
  if (m.free && l->parent >= 0) hn_robot_wrong(robot, joint, "a free joint between bodies");
  // steps without a coordinate at the end are no joints of their own
  int last = m.count;
  while (last > 0 && !m.step[last - 1].coordinate) last--;
  for (int k = 0; k < m.count && !robot->status; k++) {
    step *p = &m.step[k];
    // what follows the last coordinate is part of the way to the child
    // from the frame of the last joint to the child's origin
    hn_rigid stays = hn_rigid_none, rest = back;
    for (int i = m.count - 1; i > k && i >= last; i--) {
      hn_rigid fixed = hn_rigid_none;
      const step *q = &m.step[i];
      if (q->turns) hn_turn_matrix(fixed.R, q->axis, q->value);
      if (!q->turns) v3_scale(fixed.p, q->value, q->axis);
      hn_rigid_mul(&rest, &fixed, &rest);
    }
    if (!p->coordinate) {
      if (p->turns) hn_turn_matrix(stays.R, p->axis, p->value);
      if (!p->turns) v3_scale(stays.p, p->value, p->axis);
      hn_rigid_mul(&place, &place, &stays);
      continue;
    }
    if (k == last - 1) {
      l->joint = add_step(o, p, &rest);
      hn_rigid_mul(&l->place, &place, &rest);
      return;
    }
    // one coordinate, one carrier: relative coordinates have no masses to divide by there
    hn_robot_link between = {.node = joint, .parent = l->parent, .place = place, .carrier = true};
    between.joint = add_step(o, p, &hn_rigid_none);
    between.name = hn_robot_name(robot, hn_robot_text(robot, "%s_between", l->name), "body");
    l->parent = hn_robot_add_link(robot, &between);
    place = hn_rigid_none;
  }
  // weld, ball and free joint: nothing stands between
  hn_rigid_mul(&l->place, &place, &back);
  if (m.ball || m.free) l->joint = add_ball(o, joint, &m, parent, child);
}

// ---- bodies --------------------------------------------------------------------------------

// Inertia is xx yy zz xy xz yz about the centre of mass, in the axes of the body.
static hn_robot_link read_body(osim *o, hn_xml *node) {
  hn_robot *robot = o->robot;
  hn_robot_link l = {.node = node, .source = name_of(robot, node), .parent = -1, .joint = -1};
  double mass = 0, com[3] = {0, 0, 0}, x[6] = {0, 0, 0, 0, 0, 0};
  l.name = hn_robot_name(robot, l.source, "body");
  l.place = hn_rigid_none;
  numbers(robot, node, "mass", &mass, 1, 1);
  numbers(robot, node, "mass_center", com, 3, 3);
  numbers(robot, node, "inertia", x, 6, 6);
  if (mass < 0) hn_robot_fail(robot, node, HN_ERR_MODEL, "the mass is negative");
  // the matrix itself, with the signs of the file
  const double I[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
  hn_robot_add_mass(&l, mass, com, I);
  hn_xml_pass(node, true);
  return l;
}

static hn_xml *body_named(osim *o, const char *name) {
  for (hn_xml *e = in_set(o->model, "BodySet", NULL); e; e = in_set(o->model, "BodySet", e)) {
    const char *own = hn_xml_get(e, "name");
    if (own && strcmp(own, name) == 0) return e;
  }
  return NULL;
}

// Ends are looked up among the bodies at once, so that a wrong name is told at its joint.
static void gather_joints(osim *o) {
  hn_robot *robot = o->robot;
  int n = 0;
  for (hn_xml *e = in_set(o->model, "JointSet", NULL); e; e = in_set(o->model, "JointSet", e)) n++;
  if (n > HN_ROBOT_PARTS / STEPS)
    hn_robot_fail(robot, o->model, HN_ERR_UNSUPPORTED, "more than %d joints",
                  HN_ROBOT_PARTS / STEPS);
  if (robot->status) return;
  o->entry = hn_pool_take(&robot->pool, (size_t)(n + 1) * sizeof *o->entry);
  o->line = hn_pool_take(&robot->pool, (size_t)(STEPS * n + 1) * sizeof *o->line);
  if (!o->entry || !o->line) hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
  // joints without a line are their own coordinate
  for (int i = 0; i < STEPS * n && !robot->status; i++) o->line[i] = (line){1, 0, i};
  for (hn_xml *e = in_set(o->model, "JointSet", NULL); e && !robot->status;
       e = in_set(o->model, "JointSet", e)) {
    entry *j = &o->entry[o->entries++];
    *j = (entry){.node = e};
    j->above = find_end(o, e, "socket_parent_frame", &j->parent);
    j->below = find_end(o, e, "socket_child_frame", &j->child);
    bool known = body_named(o, j->below) && (!*j->above || body_named(o, j->above));
    if (!robot->status && !known)
      hn_robot_fail(robot, e, HN_ERR_MODEL, "no body named '%.60s'",
                    body_named(o, j->below) ? j->above : j->below);
  }
}

// one joint whose parent is there and whose child is not; false: there is none
static bool add_next(osim *o) {
  hn_robot *robot = o->robot;
  for (int i = 0; i < o->entries && !robot->status; i++) {
    entry *j = &o->entry[i];
    int parent = *j->above ? hn_robot_find_link(robot, j->above) : -1;
    // a body that is there already is left for add_bodies to tell
    if (j->done || hn_robot_find_link(robot, j->below) >= 0 || (*j->above && parent < 0)) continue;
    hn_robot_link l = read_body(o, body_named(o, j->below));
    l.parent = parent;
    add_moved(o, j->node, &l, &j->parent, &j->child);
    hn_robot_add_link(robot, &l);
    hn_xml_pass(j->node, true);
    return j->done = true;
  }
  return false;
}

// Joint by joint as parents become known; quadratic, HN_ROBOT_PARTS / STEPS at most.
static void add_bodies(osim *o) {
  hn_robot *robot = o->robot;
  while (add_next(o)) continue;
  for (int i = 0; i < o->entries && !robot->status; i++) {
    if (o->entry[i].done) continue;
    hn_xml_pass(o->entry[i].node, true);
    hn_robot_wrong(robot, o->entry[i].node,
                   "a second joint of the body '%.60s', or a ring of joints", o->entry[i].below);
  }
  // what no joint moves is free
  for (hn_xml *e = in_set(o->model, "BodySet", NULL); e && !robot->status;
       e = in_set(o->model, "BodySet", e)) {
    if (hn_robot_find_link(robot, name_of(robot, e)) >= 0) continue;
    hn_robot_link l = read_body(o, e);
    // a free body starts at the origin, upright
    hn_robot_joint j = {.kind = HN_ROBOT_FREE, .node = e, .link = -1, .value = {0, 0, 0, 1}};
    j.name = hn_robot_name(robot, hn_robot_text(robot, "%s_free", l.name), "joint");
    l.joint = hn_robot_add_joint(robot, &j);
    hn_robot_add_link(robot, &l);
  }
}

// ---- constraints ---------------------------------------------------------------------------

// coordinate b = ratio * coordinate a + offset, for the hinges and slides they are
// Given for coordinates c_b = ratio c_a + offset, wanted for joints x = slope c + value: both are
// put in, and c_a is taken out.
static void couple(osim *o, hn_xml *node, const char *name, int a, int b, double ratio,
                   double offset) {
  const line *p = &o->line[a], *q = &o->line[b];
  // p->slope is not zero: such an axis has no joint
  double r = q->slope * ratio / p->slope;
  hn_robot_add_gear(o->robot, node, name, a, b, r, q->slope * offset + q->value - r * p->value);
}

static void read_coupler(osim *o, hn_xml *node, const char *name) {
  hn_robot *robot = o->robot;
  const char *from = hn_xml_text(node, "independent_coordinate_names");
  const char *to = hn_xml_text(node, "dependent_coordinate_name");
  double slope = 0, value = 0;
  if (!straight(robot, hn_xml_child(node, "coupled_coordinates_function"), &slope, &value)) {
    hn_robot_wrong(robot, node, "coordinates that are coupled by no straight line");
    return;
  }
  // paths of components end in the name
  int a = from ? hn_robot_find_joint(robot, last_word(from)) : -1;
  int b = to ? hn_robot_find_joint(robot, last_word(to)) : -1;
  if (a < 0 || b < 0)
    hn_robot_fail(robot, node, HN_ERR_MODEL, "no coordinate named '%.60s'",
                  (a < 0 ? from : to) ? (a < 0 ? from : to) : "");
  else
    couple(o, node, name, a, b, slope, value);
}

static void read_constraint(osim *o, hn_xml *node) {
  hn_robot *robot = o->robot;
  const char *name = hn_xml_get(node, "name"), *enforced = hn_xml_text(node, "isEnforced");
  hn_robot_meeting m = {.name = name ? name : "constraint", .node = node};
  bool weld = strcmp(node->name, "WeldConstraint") == 0;
  bool point = strcmp(node->name, "PointConstraint") == 0;
  hn_rigid unused;
  // a constraint that is switched off
  if (enforced && strcmp(enforced, "false") == 0) {
    // it is not there
  } else if (strcmp(node->name, "CoordinateCouplerConstraint") == 0) {
    read_coupler(o, node, m.name);
  } else if (weld || point) {
    const char *a = find_end(o, node, weld ? "socket_frame1" : "socket_body_1", &m.place[0]);
    const char *b = find_end(o, node, weld ? "socket_frame2" : "socket_body_2", &m.place[1]);
    m.type = weld ? "fixed" : "spherical";
    m.link[0] = link_of(o, node, a), m.link[1] = link_of(o, node, b);
    // their places are points in the axes of the bodies
    if (point) {
      read_offset(robot, node, "location_body_1", "", &unused), m.place[0] = unused;
      read_offset(robot, node, "location_body_2", "", &unused), m.place[1] = unused;
    }
    if (!robot->status) hn_robot_add_meeting(robot, &m);
  } else {
    hn_robot_wrong(robot, node, "<%.40s> is not read", node->name);
  }
  hn_xml_pass(node, true);
}

// coordinates that are held, and those that move along several axes
// A held coordinate is a driver with a constant motion.
static void hold_coordinates(osim *o) {
  hn_robot *robot = o->robot;
  for (int i = 0; i < robot->joints && !robot->status; i++) {
    const hn_robot_joint *j = &robot->joint[i];
    if (j->kind != HN_ROBOT_HINGE && j->kind != HN_ROBOT_SLIDE) continue;
    const char *name = hn_robot_text(robot, "%s_held", j->name);
    if (o->line[i].first != i)
      // several axes of one coordinate: equal coordinates, ratio 1
      couple(o, j->node, name, o->line[i].first, i, 1, 0);
    else if (is_true(j->node, "locked"))
      hn_robot_add_gear(robot, j->node, name, -1, i, 0, j->value[0]);
  }
}

// ---- forces --------------------------------------------------------------------------------

static bool ends_in(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// muscles and actuators that nothing excites; others act on the motion
// Springs and bushings of OpenSim act on the motion and are refused rather than left out.
static void read_force(osim *o, hn_xml *node) {
  const char *name = hn_xml_get(node, "name"), *applied = hn_xml_text(node, "appliesForce");
  // looked at: what is refused is told as a whole
  hn_xml_pass(node, true);
  if (applied && strcmp(applied, "false") == 0) return;
  if (ends_in(node->name, "Muscle"))
    hn_robot_ignored(o->robot, node, "muscle '%.60s'", name ? name : "");
  else if (ends_in(node->name, "Actuator"))
    hn_robot_ignored(o->robot, node, "actuator '%.60s': it has no control", name ? name : "");
  else
    hn_robot_wrong(o->robot, node, "<%.40s> is not read", node->name);
}

// ---- all of it -----------------------------------------------------------------------------

void hn_osim_read(hn_robot *robot) {
  static const char looks[] =
      "credits publications length_units force_units assembly_accuracy "
      "ground Ground MarkerSet ContactGeometrySet ControllerSet ProbeSet "
      "ComponentSet ModelVisualPreferences WrapObjectSet defaults components";
  osim o = {.robot = robot, .model = hn_xml_child(robot->root, "Model")};
  const char *version = hn_xml_get(robot->root, "Version");
  if (!o.model) hn_robot_fail(robot, robot->root, HN_ERR_MODEL, "there is no <Model>");
  // older files have other elements for joints and bodies
  if (!version || atol(version) < 40000)
    hn_robot_fail(robot, robot->root, HN_ERR_UNSUPPORTED,
                  "files of OpenSim 4 are read (Version=\"40000\"): save older ones with it");
  if (robot->status) return;
  const char *length = hn_xml_text(o.model, "length_units");
  if (length && strcmp(length, "meters") != 0)
    hn_robot_fail(robot, o.model, HN_ERR_UNSUPPORTED, "length_units are meters");
  robot->name = hn_robot_name(robot, hn_xml_get(o.model, "name"), "model");
  robot->used_count = 0;  // a model may be called as one of its parts is
  // y is up in OpenSim
  v3_set(robot->gravity, 0, -9.80665, 0);
  numbers(robot, o.model, "gravity", robot->gravity, 3, 3);
  for (hn_xml *e = o.model->first; e; e = e->next)
    if (hn_word_in(e->name, looks)) hn_xml_pass(e, true);
  gather_joints(&o);
  if (!robot->status) add_bodies(&o);
  if (!robot->status && !robot->links)
    hn_robot_fail(robot, o.model, HN_ERR_MODEL, "there is no <Body>");
  if (!robot->status) hn_robot_settle(robot);
  if (!robot->status) hold_coordinates(&o);
  for (hn_xml *e = in_set(o.model, "ConstraintSet", NULL); e && !robot->status;
       e = in_set(o.model, "ConstraintSet", e))
    read_constraint(&o, e);
  hn_robot_settle_gears(robot);
  for (hn_xml *e = in_set(o.model, "ForceSet", NULL); e && !robot->status;
       e = in_set(o.model, "ForceSet", e))
    read_force(&o, e);
  // what stands beside the objects of a set is for the program's windows
  static const char *const sets[] = {"BodySet", "JointSet", "ConstraintSet", "ForceSet"};
  for (int i = 0; i < 4; i++) {
    hn_xml *set = hn_xml_child(o.model, sets[i]),
           *groups = set ? hn_xml_child(set, "groups") : NULL;
    if (set) hn_xml_get(set, "name");
    if (groups) hn_xml_pass(groups, true);
  }
}
