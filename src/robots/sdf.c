// sdf.c: SDFormat: one model, alone or in a world.
//
// Poses of links and frames are told in the model, joints in their child, or all of them relative
// to another one. A link that no joint moves is free, one that a second joint moves closes a loop.
// Values are texts of elements.
#include "base/elementary.h"
#include "robots/robot.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { HN_ROBOT_DEPTH = 100 };        // of frames on frames; more is a ring
static const double no_limit = 1e15;  // what is beyond it means none

typedef struct sdf {
  hn_robot *robot;
  hn_xml *model;
  bool model_axes;  // xyz of axes counts in the model, as it did before version 1.5
  hn_rigid base;    // of the model
  hn_rigid *place;  // of links, in the world
  hn_xml **link;
  int links;
  bool *done;
} sdf;

// ---- values --------------------------------------------------------------------------------

static int numbers(hn_robot *robot, hn_xml *parent, const char *child, double *out, int least,
                   int most) {
  hn_xml *e = hn_xml_child(parent, child);
  // what is missing keeps its default, which the caller has put there
  if (!e || robot->status) return 0;
  return hn_robot_parse(robot, e, "text", e->text ? e->text : "", out, least, most);
}

static bool number(hn_robot *robot, hn_xml *parent, const char *child, double *out) {
  return numbers(robot, parent, child, out, 1, 1) == 1;
}

static bool is_true(const char *text) {
  // XML Schema's two ways of writing it
  return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static void read_pose(hn_robot *robot, hn_xml *parent, hn_rigid *place) {
  double x[6] = {0, 0, 0, 0, 0, 0}, rx[9], ry[9], rz[9], yx[9];
  hn_xml *pose = hn_xml_child(parent, "pose");
  *place = hn_rigid_none;
  if (!pose || !numbers(robot, parent, "pose", x, 6, 6)) return;
  const char *format = hn_xml_get(pose, "rotation_format"), *degrees = hn_xml_get(pose, "degrees");
  // quaternions and the like are options of later versions
  if (format && strcmp(format, "euler_rpy") != 0)
    hn_robot_fail(robot, pose, HN_ERR_UNSUPPORTED, "rotation_format=\"%.20s\" is not read", format);
  double unit = is_true(degrees) ? hn_pi / 180 : 1;
  v3_copy(place->p, x);
  hn_turn_matrix(rx, (double[3]){1, 0, 0}, unit * x[3]);
  hn_turn_matrix(ry, (double[3]){0, 1, 0}, unit * x[4]);
  hn_turn_matrix(rz, (double[3]){0, 0, 1}, unit * x[5]);
  m3_mul(yx, ry, rx);
  // fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll)
  m3_mul(place->R, rz, yx);
}

static const char *word(hn_robot *robot, hn_xml *node, const char *attribute) {
  const char *text = hn_xml_get(node, attribute);
  // an empty name is none: names are what everything is found by
  if (text && *text) return text;
  hn_robot_fail(robot, node, HN_ERR_SYNTAX, "<%.40s> must have %s=\"...\"", node->name, attribute);
  return "";
}

// ---- where links are -----------------------------------------------------------------------

// Names were looked for when links were counted: every link has one.
static int find(const sdf *s, const char *name) {
  for (int i = 0; i < s->links; i++)
    if (strcmp(hn_xml_get(s->link[i], "name"), name) == 0) return i;
  return -1;
}

// Frames and joints share the names of links in SDFormat; links were looked for before.
static hn_xml *part_named(const sdf *s, const char *name) {
  for (hn_xml *e = s->model->first; e; e = e->next) {
    const char *own = hn_word_in(e->name, "frame joint") ? hn_xml_get(e, "name") : NULL;
    if (own && strcmp(own, name) == 0) return e;
  }
  return NULL;
}

static void place_link(sdf *s, int i, int depth);
static void place_part(sdf *s, hn_xml *part, const char *in, int depth, hn_rigid *world);

static const char *attached_to(hn_xml *frame) {
  const char *to = hn_xml_get(frame, "attached_to");
  // "" means the model's own frame, as a missing attribute does
  return to && *to ? to : "__model__";
}

// a link, frame or joint in the world, as `said` has it; depth: how many there were before
// Poses refer to each other in any order, so that a place is found by following them. Links keep
// theirs, frames are found anew each time; `depth` ends rings.
static void locate(sdf *s, const hn_xml *said, const char *name, int depth, hn_rigid *world) {
  int link = find(s, name);
  hn_xml *part = link < 0 ? part_named(s, name) : NULL;
  // the world is where it is; the model's frame stands in it
  *world = strcmp(name, "__model__") == 0 ? s->base : hn_rigid_none;
  if (s->robot->status || strcmp(name, "__model__") == 0 || strcmp(name, "world") == 0) return;
  if (depth > HN_ROBOT_DEPTH) {
    hn_robot_fail(s->robot, said, HN_ERR_MODEL,
                  "'%.60s' is placed by itself, or by too many others", name);
  } else if (link >= 0) {
    place_link(s, link, depth + 1);
    *world = s->place[link];
  } else if (part) {
    // a joint is placed in its child, a frame in what it is attached to
    const char *in = strcmp(part->name, "frame") ? hn_xml_text(part, "child") : attached_to(part);
    place_part(s, part, in ? in : "__model__", depth + 1, world);
  } else {
    hn_robot_fail(s->robot, said, HN_ERR_MODEL, "there is no link, frame or joint '%.60s'", name);
  }
}

// by its pose in what that is relative to, or else `in`
static void place_part(sdf *s, hn_xml *part, const char *in, int depth, hn_rigid *world) {
  hn_xml *pose = hn_xml_child(part, "pose");
  const char *to = pose ? hn_xml_get(pose, "relative_to") : NULL;
  // its name up to version 1.6
  if (pose && !to) to = hn_xml_get(pose, "frame");
  hn_rigid own, from;
  read_pose(s->robot, part, &own);
  locate(s, pose ? pose : part, to && *to ? to : in, depth, &from);
  hn_rigid_mul(world, &from, &own);
}

static void place_link(sdf *s, int i, int depth) {
  if (s->done[i] || s->robot->status) return;
  place_part(s, s->link[i], "__model__", depth, &s->place[i]);
  s->done[i] = true;
}

// where a joint is in its child
// Without a pose a joint lies where its child does.
static void joint_place(sdf *s, hn_xml *joint, int child, hn_rigid *at) {
  const char *in = hn_xml_text(joint, "child");
  hn_rigid world, back;
  place_part(s, joint, in ? in : "__model__", 0, &world);
  hn_rigid_inverse(&back, &s->place[child]);
  hn_rigid_mul(at, &back, &world);
}

// the link that an end of a joint names, itself or by a frame on it; -1: none
// Frames on frames on a link count as that link. "__model__" is the model's own frame, which moves
// with its canonical link.
static int link_of(const sdf *s, const char *name) {
  int link = find(s, name);
  for (int depth = 0; link < 0 && depth < HN_ROBOT_DEPTH; depth++) {
    hn_xml *part = part_named(s, name);
    // the model is where its first link is, unless it names another
    const char *first = hn_xml_get(s->model, "canonical_link");
    if (strcmp(name, "__model__") == 0) return first && *first ? find(s, first) : 0;
    if (!part || strcmp(part->name, "frame") != 0) return -1;
    name = attached_to(part);
    link = find(s, name);
  }
  return link;
}

// ---- links ---------------------------------------------------------------------------------

// Products of inertia are elements of the matrix itself, with their signs.
static void read_inertial(hn_robot *robot, hn_xml *node, hn_robot_link *link) {
  static const char *const name[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  static const int at[] = {0, 1, 2, 4, 5, 8};
  hn_xml *inertial = hn_xml_child(node, "inertial");
  hn_xml *inertia = hn_xml_child(inertial, "inertia");
  hn_rigid place;
  // what is not said is a kilogram with moments of one
  // SDFormat's defaults, where <inertial> or a part of it is missing
  double mass = 1, I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, A[9], x;
  if (is_true(hn_xml_get(inertial, "auto")))
    hn_robot_wrong(robot, inertial, "the inertia of '%.60s' is that of its collisions",
                   link->source);
  read_pose(robot, inertial, &place);
  number(robot, inertial, "mass", &mass);
  if (mass < 0) hn_robot_fail(robot, inertial, HN_ERR_MODEL, "the mass is negative");
  for (int k = 0; k < 6 && inertia; k++)
    // both of the pair of equal elements: k -> (row, column) and back
    if (number(robot, inertia, name[k], &x)) I[at[k]] = x, I[3 * (at[k] % 3) + at[k] / 3] = x;
  // A = R I, I = A R^T: into the axes of the link
  m3_mul(A, place.R, I);
  m3_mult(I, A, place.R);
  hn_robot_add_mass(link, mass, place.p, I);
}

// What cannot be drawn is told, and no error.
static void read_mesh(hn_robot *robot, hn_xml *node, hn_robot_shape *shape) {
  char why[200];
  hn_trimesh mesh;
  // as it is in the file: hn_robot_open_mesh looks for it and may find another path
  shape->file = hn_xml_text(node, "uri");
  v3_set(shape->scale, 1, 1, 1);
  numbers(robot, node, "scale", shape->scale, 3, 3);
  if (!shape->file || robot->status) return;
  if (hn_robot_open_mesh(robot, &shape->file, &mesh, why))
    shape->kind = "mesh";
  else
    hn_robot_ignored(robot, node, "%s: not drawn", why);
  if (*mesh.color) shape->color = hn_robot_text(robot, "%s", mesh.color);
  hn_trimesh_free(&mesh);
}

static void read_looks(hn_robot *robot, hn_xml *node, hn_robot_link *link, const char *element) {
  // collisions are drawn only where there is no visual
  bool drawn = link->shape != NULL;
  for (hn_xml *v = hn_xml_next(node, NULL, element); v; v = hn_xml_next(node, v, element)) {
    hn_xml *g = hn_xml_child(v, "geometry"), *e, *material = hn_xml_child(v, "material");
    hn_robot_shape shape = {.kind = NULL};
    double rgba[4] = {0, 0, 0, 1};
    read_pose(robot, v, &shape.place);
    hn_xml_pass(v, true);
    if (!g || drawn) continue;
    // solids of all formats are read in one place, by this format's way of giving numbers
    if (!hn_robot_solid(robot, g, numbers, &shape) && (e = hn_xml_child(g, "mesh")))
      read_mesh(robot, e, &shape);
    if (numbers(robot, material, "diffuse", rgba, 3, 4)) shape.color = hn_robot_color(robot, rgba);
    if (shape.kind) hn_robot_draw(robot, link, &shape);
  }
}

// ---- joints --------------------------------------------------------------------------------

// one axis of a joint, in the child
// Directions are expressed in the joint's frame, or `expressed_in` another; here they are turned
// into the axes of the child. Limits of 1e16 are how the format says none.
static void read_axis(sdf *s, hn_xml *node, int child, const hn_rigid *at, hn_robot_joint *j) {
  hn_robot *robot = s->robot;
  hn_xml *xyz = hn_xml_child(node, "xyz"), *limit = hn_xml_child(node, "limit");
  hn_xml *dynamics = hn_xml_child(node, "dynamics");
  double x[3] = {0, 0, 1}, R[9];
  const char *in = xyz ? hn_xml_get(xyz, "expressed_in") : NULL;
  numbers(robot, node, "xyz", x, 3, 3);
  double length = v3_norm(x);
  if (!(length > 1e-9)) hn_robot_fail(robot, node, HN_ERR_MODEL, "the axis has no length");
  if (robot->status) return;
  memcpy(R, at->R, sizeof R);
  // up to version 1.4 all axes were told in the model's frame
  const char *parent = hn_xml_text(node, "use_parent_model_frame");
  if (!in && (parent ? is_true(parent) : s->model_axes)) in = "__model__";
  if (in && *in) {
    hn_rigid axes;
    locate(s, xyz, in, 0, &axes);
    // axes.R in the axes of the child
    m3_tmul(R, s->place[child].R, axes.R);
  }
  m3_mulv(j->axis, R, x);
  v3_scale(j->axis, 1 / length, j->axis);
  double range[2] = {-1e16, 1e16};
  number(robot, limit, "lower", &range[0]);
  number(robot, limit, "upper", &range[1]);
  // effort and velocity are limits of drives, of which there are none
  if (limit) hn_xml_pass(limit, true);
  if (range[0] > range[1])
    hn_robot_fail(robot, limit, HN_ERR_MODEL, "limits of '%.60s': lower is above upper", j->source);
  // what is beyond no_limit on one side only is a limit on the other
  if (range[0] > -no_limit || range[1] < no_limit) {
    j->limits[0] = range[0] > -no_limit ? range[0] : -INFINITY;
    j->limits[1] = range[1] < no_limit ? range[1] : INFINITY;
  }
  number(robot, dynamics, "damping", &j->damping);
  number(robot, dynamics, "friction", &j->friction);
  number(robot, dynamics, "spring_stiffness", &j->stiffness);
  number(robot, dynamics, "spring_reference", &j->springref);
  if (j->damping < 0 || j->friction < 0 || j->stiffness < 0)
    hn_robot_fail(robot, dynamics, HN_ERR_MODEL, "damping, friction or stiffness is negative");
}

static bool joint_kind(const char *type, hn_robot_joint_kind *kind) {
  static const struct {
    const char *name;
    hn_robot_joint_kind kind;
  } table[] = {{"revolute", HN_ROBOT_HINGE},  {"continuous", HN_ROBOT_HINGE},
               {"universal", HN_ROBOT_HINGE}, {"screw", HN_ROBOT_HINGE},
               {"prismatic", HN_ROBOT_SLIDE}, {"ball", HN_ROBOT_BALL}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, type) == 0) return *kind = table[i].kind, true;
  return false;
}

// the joint, or that of its second axis; -1: fixed
// Universal joints and screws are two joints one behind the other, with a link of next to no mass
// in between: "axis" and "axis2", or turning and sliding.
static int read_joint(sdf *s, hn_xml *node, int child, const char *axis) {
  hn_robot *robot = s->robot;
  const char *type = word(robot, node, "type");
  // -1: the link is known when it is added
  hn_robot_joint j = {.node = node, .source = hn_xml_get(node, "name"), .link = -1};
  hn_rigid at;
  // a fixed joint leaves its link a part of the parent's body
  if (robot->status || strcmp(type, "fixed") == 0) return -1;
  if (!joint_kind(type, &j.kind)) {
    hn_robot_wrong(robot, node, "joint '%.60s' has a type that is not read: '%.40s'",
                   j.source ? j.source : "", type);
    return -1;
  }
  joint_place(s, node, child, &at);
  v3_copy(j.pos, at.p);
  // a quaternion: zeros would be none
  if (j.kind == HN_ROBOT_BALL)
    j.value[0] = 1;
  else
    read_axis(s, hn_xml_child(node, axis), child, &at, &j);
  bool second = strcmp(axis, "axis2") == 0;
  j.name = hn_robot_name(
      robot, second ? hn_robot_text(robot, "%s_2", j.source ? j.source : "joint") : j.source,
      "joint");
  // the second axis has no name in the file: mimic finds it by this one
  if (second) j.source = j.name;
  return hn_robot_add_joint(robot, &j);
}

// a screw moves along the axis about which it turns: a slide behind its hinge, coupled to it below
static int read_thread(sdf *s, hn_xml *node, int hinge) {
  hn_robot *robot = s->robot;
  hn_robot_joint j = robot->joint[hinge];
  hn_robot_joint slide = {.kind = HN_ROBOT_SLIDE, .node = node, .link = -1};
  slide.name = slide.source =
      hn_robot_name(robot, hn_robot_text(robot, "%s_2", j.source ? j.source : "joint"), "joint");
  v3_copy(slide.axis, j.axis);
  return hn_robot_add_joint(robot, &slide);
}

// The slide follows the hinge behind which it was added (b = a + 1).
static void couple_thread(sdf *s, hn_xml *node) {
  hn_robot *robot = s->robot;
  const char *type = hn_xml_get(node, "type"), *name = hn_xml_get(node, "name");
  double pitch = 0;
  if (robot->status || !type || strcmp(type, "screw") != 0) return;
  // older files say it in radians a metre, with the other sign
  if (!number(robot, node, "screw_thread_pitch", &pitch) && !robot->status)
    hn_robot_fail(robot, node, HN_ERR_UNSUPPORTED,
                  "a screw needs <screw_thread_pitch>, metres a turn (<thread_pitch> is not read)");
  int a = hn_robot_find_joint(robot, name), b = a + 1;
  if (robot->status || a < 0) return;
  hn_robot_add_gear(robot, node, hn_robot_text(robot, "%s_thread", name), a, b, pitch / (2 * hn_pi),
                    0);
}

// follower = multiplier (leader - reference) + offset, axis by axis. The joint of a second axis is
// called NAME_2 (read_joint)
static void couple_axes(sdf *s, hn_xml *node) {
  static const char *const axis[] = {"axis", "axis2"};
  hn_robot *robot = s->robot;
  for (int k = 0; k < 2 && !robot->status; k++) {
    hn_xml *mimic = hn_xml_child(hn_xml_child(node, axis[k]), "mimic");
    if (!mimic) continue;
    double ratio = 1, offset = 0, reference = 0;
    const char *name = word(robot, node, "name"), *leader = word(robot, mimic, "joint");
    const char *which = hn_xml_get(mimic, "axis");
    number(robot, mimic, "multiplier", &ratio);
    number(robot, mimic, "offset", &offset);
    number(robot, mimic, "reference", &reference);
    if (which && strcmp(which, "axis2") == 0) leader = hn_robot_text(robot, "%s_2", leader);
    int a = hn_robot_find_joint(robot, leader);
    int b = hn_robot_find_joint(robot, k ? hn_robot_text(robot, "%s_2", name) : name);
    if (robot->status) return;
    if (a < 0 || b < 0) {
      hn_robot_fail(robot, mimic, HN_ERR_MODEL, "no moving joint named '%.60s'",
                    a < 0 ? leader : name);
      return;
    }
    hn_robot_add_gear(robot, mimic, hn_robot_text(robot, "%s_mimic", name), a, b, ratio,
                      offset - ratio * reference);
  }
}

// ---- the tree ------------------------------------------------------------------------------

static const char *end_of(hn_robot *robot, hn_xml *joint, const char *which) {
  // ends are elements with a text here, not attributes
  const char *name = hn_xml_text(joint, which);
  if (name) return name;
  hn_robot_fail(robot, joint, HN_ERR_SYNTAX, "<joint> needs <%s>", which);
  return "";
}

// what else is said of a link that its motion depends on
static void read_ways(hn_robot *robot, hn_xml *node, hn_robot_link *link) {
  const char *gravity = hn_xml_text(node, "gravity");
  hn_xml *decay = hn_xml_child(node, "velocity_decay");
  double linear = 0, angular = 0;
  // gravity can be taken away from single links: a force against their weight does it
  if (gravity && !is_true(gravity)) link->lifted = 1;
  number(robot, decay, "linear", &linear);
  number(robot, decay, "angular", &angular);
  if (linear != 0 || angular != 0)
    hn_robot_wrong(robot, decay, "velocity_decay of '%.60s'", link->source);
  if (is_true(hn_xml_text(node, "kinematic")))
    hn_robot_wrong(robot, node, "'%.60s' is kinematic: forces do not move it", link->source);
}

static hn_robot_link new_link(sdf *s, int i) {
  // joints are read afterwards, once it is known what moves it
  hn_robot_link l = {.node = s->link[i], .source = hn_xml_get(s->link[i], "name"), .joint = -1};
  l.name = hn_robot_name(s->robot, l.source, "link");
  read_ways(s->robot, s->link[i], &l);
  read_inertial(s->robot, s->link[i], &l);
  read_looks(s->robot, s->link[i], &l, "visual");
  read_looks(s->robot, s->link[i], &l, "collision");
  return l;
}

// on what is there already (parent -1: the world), moved by a joint (NULL: free, or standing still)
// Where a joint has two axes the first moves a carrier, and the link hangs on that with the second;
// both start at the same place.
static void add_link(sdf *s, int i, int parent, const hn_rigid *parent_place, hn_xml *joint,
                     bool stands) {
  hn_robot *robot = s->robot;
  hn_robot_link l = new_link(s, i);
  hn_rigid back;
  l.parent = parent;
  hn_rigid_inverse(&back, parent_place);
  // a link is placed in its parent as the poses have both in the world
  hn_rigid_mul(&l.place, &back, &s->place[i]);
  if (joint) {
    const char *type = hn_xml_get(joint, "type");
    l.joint = read_joint(s, joint, i, "axis");
    bool screw = type && strcmp(type, "screw") == 0;
    // two axes need a body between: next to no mass, which robot_place.c gives it
    if (type && (screw || strcmp(type, "universal") == 0) && l.joint >= 0) {
      hn_robot_link carrier = {
          .node = joint, .parent = parent, .place = l.place, .joint = l.joint, .carrier = true};
      carrier.name = hn_robot_name(robot, hn_robot_text(robot, "%s_between", l.name), "body");
      l.parent = hn_robot_add_link(robot, &carrier);
      l.place = hn_rigid_none;
      l.joint = screw ? read_thread(s, joint, l.joint) : read_joint(s, joint, i, "axis2");
    }
  } else if (!stands) {
    hn_robot_joint j = {.kind = HN_ROBOT_FREE, .node = l.node, .link = -1};
    j.name = hn_robot_name(robot, hn_robot_text(robot, "%s_free", l.name), "joint");
    v3_copy(j.value, s->place[i].p);
    q_from_matrix(j.value + 3, s->place[i].R);
    l.joint = hn_robot_add_joint(robot, &j);
  }
  hn_robot_add_link(robot, &l);
}

// joints whose child is there already: loops
// The joint's frame is seen from both ends: in the parent it is where the poses of the file put it,
// so that files whose poses do not close are closed by assembly.
static void add_loop(sdf *s, hn_xml *node) {
  hn_robot *robot = s->robot;
  const char *type = hn_xml_get(node, "type"), *parent = end_of(robot, node, "parent");
  int child = link_of(s, end_of(robot, node, "child")), other = link_of(s, parent);
  hn_robot_meeting m = {.name = word(robot, node, "name"), .node = node};
  hn_robot_joint j = {.source = m.name};
  hn_rigid at, world, back, turned = hn_rigid_none;
  if (robot->status || child < 0) return;
  m.type = !type                                                              ? NULL
           : strcmp(type, "fixed") == 0                                       ? "fixed"
           : strcmp(type, "ball") == 0                                        ? "spherical"
           : strcmp(type, "prismatic") == 0                                   ? "prismatic"
           : strcmp(type, "revolute") == 0 || strcmp(type, "continuous") == 0 ? "revolute"
                                                                              : NULL;
  if (!m.type) {
    hn_robot_wrong(robot, node, "a loop by a joint of type '%.40s'", type ? type : "");
    return;
  }
  joint_place(s, node, child, &at);
  hn_xml *axis = hn_xml_child(node, "axis");
  if (axis) {
    read_axis(s, axis, child, &at, &j);
    if (robot->status) return;
    // z of the frames along the axis: joints of the model file turn about it
    hn_axes_along(turned.R, j.axis, NULL);
    memcpy(at.R, turned.R, sizeof at.R);
  }
  // they would act on a coordinate that a loop does not have
  if (j.limits[0] < j.limits[1] || j.damping != 0 || j.friction != 0 || j.stiffness != 0 ||
      hn_xml_child(axis, "mimic"))
    hn_robot_wrong(robot, node,
                   "limits, damping, friction, a spring or mimic where a loop is closed");
  m.link[1] = hn_robot_find_link(robot, hn_xml_get(s->link[child], "name"));
  m.place[1] = at;
  hn_rigid_mul(&world, &s->place[child], &at);
  m.link[0] = other < 0 ? -1 : hn_robot_find_link(robot, hn_xml_get(s->link[other], "name"));
  // where the joint is in its child, taken back to the parent: both ends meet there at the start
  hn_rigid_inverse(&back, other < 0 ? &hn_rigid_none : &s->place[other]);
  hn_rigid_mul(&m.place[0], &back, &world);
  hn_robot_add_meeting(robot, &m);
}

typedef struct joint {
  hn_xml *node;
  int parent, child;  // -1: the world
  bool done;
} joint;

static int gather_joints(sdf *s, joint *list) {
  hn_robot *robot = s->robot;
  int n = 0;
  for (hn_xml *e = hn_xml_next(s->model, NULL, "joint"); e && !robot->status;
       e = hn_xml_next(s->model, e, "joint")) {
    const char *parent = end_of(robot, e, "parent"), *child = end_of(robot, e, "child");
    // ends may be frames on links
    list[n] = (joint){.node = e, .parent = link_of(s, parent), .child = link_of(s, child)};
    if (!robot->status && (list[n].child < 0 || (list[n].parent < 0 && strcmp(parent, "world"))))
      hn_robot_fail(robot, e, HN_ERR_MODEL, "no link named '%.60s'",
                    list[n].child < 0 ? child : parent);
    n++;
  }
  return n;
}

// Nothing of a model that stands still moves, also not one part against another: every link is a
// place on the ground. How many joints are left: none
static int leave_out(hn_robot *robot, const joint *list, int n) {
  for (int k = 0; k < n; k++) {
    hn_xml_pass(list[k].node, true);
    hn_robot_ignored(robot, list[k].node, "joint '%.60s' of a static model",
                     hn_xml_get(list[k].node, "name") ? hn_xml_get(list[k].node, "name") : "");
  }
  return 0;
}

// s->done: links that are there. Parents come before their children
// One link per call, the first whose parent is there: quadratic in the joints, of which there are
// HN_ROBOT_PARTS / 4 at most.
static bool add_next(sdf *s, joint *list, int n) {
  for (int k = 0; k < n && !s->robot->status; k++) {
    joint *j = &list[k];
    bool ready = j->parent < 0 || s->done[j->parent];
    // its child may have got a place by another joint: that one closes a loop then
    if (j->done || !ready || s->done[j->child]) continue;
    const char *above = j->parent < 0 ? NULL : hn_xml_get(s->link[j->parent], "name");
    int parent = above ? hn_robot_find_link(s->robot, above) : -1;
    add_link(s, j->child, parent, above ? &s->place[j->parent] : &hn_rigid_none, j->node, false);
    s->done[j->child] = j->done = true;
    return true;
  }
  return false;
}

// Links that no joint moves become free; in a ring of joints the first one of the file does, and
// the joint that would move it closes the ring as a loop.
static void add_tree(sdf *s, joint *list, int n, bool stands) {
  memset(s->done, 0, (size_t)s->links * sizeof *s->done);
  while (!s->robot->status) {
    if (add_next(s, list, n)) continue;
    // the first that no joint moves, or of a ring of joints any
    int root = -1;
    for (int pass = 0; pass < 2 && root < 0; pass++)
      for (int i = 0; i < s->links && root < 0; i++) {
        bool moved = false;
        for (int k = 0; k < n; k++) moved |= list[k].child == i;
        if (!s->done[i] && (pass || !moved)) root = i;
      }
    if (root < 0) return;
    add_link(s, root, -1, &hn_rigid_none, NULL, stands);
    s->done[root] = true;
  }
}

// ---- all of it -----------------------------------------------------------------------------

// Of several models in a world the first is read; the others are an end unless reading is lenient.
static hn_xml *find_model(hn_robot *robot) {
  hn_xml *world = hn_xml_child(robot->root, "world"), *in = world ? world : robot->root;
  hn_xml *model = hn_xml_child(in, "model");
  // the standard's default, which is not 9.81
  v3_set(robot->gravity, 0, 0, -9.8);
  if (world) {
    // up to version 1.5 it stands with the physics
    if (!numbers(robot, world, "gravity", robot->gravity, 3, 3))
      numbers(robot, hn_xml_child(world, "physics"), "gravity", robot->gravity, 3, 3);
    hn_xml_get(world, "name");
  }
  // a second model could touch the first
  if (!model)
    hn_robot_fail(robot, robot->root, HN_ERR_MODEL, "there is no <model>");
  else if (hn_xml_next(in, model, "model"))
    hn_robot_wrong(robot, hn_xml_next(in, model, "model"), "a second <model>");
  return model;
}

// What has no effect on the motion of one model by itself. Links are asked about what has
// (read_ways).
static void pass_known(hn_xml *node) {
  static const char known[] = "static self_collide allow_auto_disable enable_wind plugin sensor "
                              "light physics scene gui wind atmosphere magnetic_field kinematic "
                              "must_be_base_link velocity_decay battery audio_sink audio_source "
                              "particle_emitter spherical_coordinates";
  for (hn_xml *e = node->first; e; e = e->next)
    // marked as seen: nobody asks about them
    if (hn_word_in(e->name, known)) hn_xml_pass(e, true);
}

static void refuse_parts(hn_robot *robot, hn_xml *model) {
  static const char refused[] = "include model gripper";
  for (hn_xml *e = model->first; e; e = e->next) {
    if (!hn_word_in(e->name, refused)) continue;
    hn_xml_pass(e, true);
    hn_robot_wrong(robot, e, "<%.40s> in a model is not read", e->name);
  }
}

// "1.4": of files without one the latest
static bool is_before(hn_xml *root, int major, int minor) {
  const char *text = hn_xml_get(root, "version");
  char *end = NULL;
  long first = text ? strtol(text, &end, 10) : 0;
  // a version without a point is none
  if (!text || end == text || *end != '.') return false;
  return first < major || (first == major && strtol(end + 1, NULL, 10) < minor);
}

// places are found by name
static void refuse_twins(const sdf *s) {
  for (int i = 0; i < s->links && !s->robot->status; i++) {
    const char *name = hn_xml_get(s->link[i], "name");
    if (find(s, name) < i)
      hn_robot_fail(s->robot, s->link[i], HN_ERR_MODEL, "a second link named '%.60s'", name);
  }
}

void hn_sdf_read(hn_robot *robot) {
  sdf s = {.robot = robot, .model = find_model(robot)};
  int joints = 0;
  s.model_axes = is_before(robot->root, 1, 5);
  if (robot->status) return;
  hn_xml *world = s.model->parent;
  robot->name = hn_robot_name(robot, hn_xml_get(s.model, "name"), "robot");
  robot->used_count = 0;  // a model may be called as one of its parts is
  pass_known(s.model);
  pass_known(world);
  refuse_parts(robot, s.model);
  for (hn_xml *e = hn_xml_next(s.model, NULL, "link"); e; e = hn_xml_next(s.model, e, "link"))
    s.links++, word(robot, e, "name"), pass_known(e);
  for (hn_xml *e = hn_xml_next(s.model, NULL, "joint"); e; e = hn_xml_next(s.model, e, "joint"))
    joints++;
  if (!robot->status && s.links + joints > HN_ROBOT_PARTS / 4)
    hn_robot_fail(robot, s.model, HN_ERR_UNSUPPORTED, "more than %d links and joints",
                  HN_ROBOT_PARTS / 4);
  if (!robot->status && s.links == 0)
    hn_robot_fail(robot, s.model, HN_ERR_MODEL, "there is no <link>");
  s.link = hn_pool_take(&robot->pool, (size_t)(s.links + 1) * sizeof *s.link);
  // one more than there are: none is no failure
  s.place = hn_pool_take(&robot->pool, (size_t)(s.links + 1) * sizeof *s.place);
  s.done = hn_pool_take(&robot->pool, (size_t)(s.links + 1) * sizeof *s.done);
  joint *list = hn_pool_take(&robot->pool, (size_t)(joints + 1) * sizeof *list);
  if (!s.link || !s.place || !s.done || !list)
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
  if (robot->status) return;
  int n = 0;
  for (hn_xml *e = hn_xml_next(s.model, NULL, "link"); e; e = hn_xml_next(s.model, e, "link"))
    // false until placed; add_tree uses the same array for another question
    s.done[n] = false, s.link[n++] = e;
  refuse_twins(&s);
  read_pose(robot, s.model, &s.base);
  for (int i = 0; i < s.links; i++) place_link(&s, i, 0);
  bool stands = is_true(hn_xml_text(s.model, "static"));
  joints = gather_joints(&s, list);
  if (stands) joints = leave_out(robot, list, joints);
  if (!robot->status) add_tree(&s, list, joints, stands);
  hn_robot_settle(robot);
  hn_robot_lift(robot);
  for (int k = 0; k < joints && !robot->status; k++)
    // joints that moved a link were read with it; couplings and loops need all links
    if (list[k].done)
      couple_thread(&s, list[k].node), couple_axes(&s, list[k].node);
    else
      add_loop(&s, list[k].node);
  hn_robot_settle_gears(robot);
}
