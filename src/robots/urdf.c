// urdf.c: URDF, a tree of links and joints.
//
// A link's frame is that of the joint which moves it. The root of the tree stands on the ground.
//
// Angles are roll, pitch and yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll). Lengths are
// metres, angles radians, always. The format knows no gravity; 9.81 m/s^2 along -z is what all its
// programs take. Joints stand in any order in the file, so that the tree is put together from their
// names.
#include "robots/urdf.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

// ---- values --------------------------------------------------------------------------------

// Used for <origin> of links, joints and looks alike, and by loops.
void hn_urdf_origin(hn_robot *robot, hn_xml *origin, hn_rigid *place) {
  double rpy[3] = {0, 0, 0}, x[9], y[9], z[9], yx[9];
  // no <origin> is no shift and no turn
  *place = hn_rigid_none;
  if (!origin) return;
  hn_robot_numbers(robot, origin, "xyz", place->p, 3, 3);
  if (!hn_robot_numbers(robot, origin, "rpy", rpy, 3, 3)) return;
  hn_turn_matrix(x, (double[3]){1, 0, 0}, rpy[0]);
  hn_turn_matrix(y, (double[3]){0, 1, 0}, rpy[1]);
  hn_turn_matrix(z, (double[3]){0, 0, 1}, rpy[2]);
  m3_mul(yx, y, x);
  m3_mul(place->R, z, yx);
}

void hn_urdf_axis(hn_robot *robot, hn_xml *axis, double out[3]) {
  v3_set(out, 1, 0, 0);
  // the default of the standard is x
  if (!axis || !hn_robot_numbers(robot, axis, "xyz", out, 3, 3)) return;
  double length = v3_norm(out);
  if (!(length > 1e-9)) {
    hn_robot_fail(robot, axis, HN_ERR_MODEL, "the axis has no length");
    return;
  }
  v3_scale(out, 1 / length, out);
}

const char *hn_urdf_word(hn_robot *robot, hn_xml *node, const char *attribute) {
  // NULL where the element itself is missing: the sentence has a question mark then
  const char *word = node ? hn_xml_get(node, attribute) : NULL;
  if (word && *word) return word;
  hn_robot_fail(robot, node, HN_ERR_SYNTAX, "<%.40s> must have %s=\"...\"", node ? node->name : "?",
                attribute);
  return "";
}

int hn_urdf_link(hn_robot *robot, hn_xml *node, const char *name) {
  // after a failure the first sentence stays
  if (robot->status) return -2;
  int link = hn_robot_find_link(robot, name);
  if (link >= 0) return link;
  hn_robot_fail(robot, node, HN_ERR_MODEL, "<%.40s>: no link named '%.60s'", node->name, name);
  return -2;
}

// ---- links ---------------------------------------------------------------------------------

// The inertia is about the centre of mass, along axes turned by rpy; it is brought into those of
// the link. Left out, a link is without mass.
static void read_inertial(hn_robot *robot, hn_xml *node, hn_robot_link *link) {
  hn_xml *inertial = hn_xml_child(node, "inertial");
  if (!inertial) return;
  hn_rigid place;
  double mass = 0, I[9], A[9], x = 0;
  hn_urdf_origin(robot, hn_xml_child(inertial, "origin"), &place);
  hn_xml *m = hn_xml_child(inertial, "mass"), *inertia = hn_xml_child(inertial, "inertia");
  if (!m || !hn_robot_number(robot, m, "value", &mass))
    hn_robot_fail(robot, inertial, HN_ERR_MODEL, "<inertial> without <mass value=\"...\">");
  // a mass of zero is allowed: such links mostly carry frames
  if (mass < 0) hn_robot_fail(robot, m, HN_ERR_MODEL, "the mass is negative");
  // the upper half of a symmetric matrix, and its places in nine numbers
  static const char *const name[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  static const int at[] = {0, 1, 2, 4, 5, 8};
  memset(I, 0, sizeof I);
  for (int k = 0; k < 6 && inertia; k++) {
    x = 0;
    hn_robot_number(robot, inertia, name[k], &x);
    I[at[k]] = x, I[3 * (at[k] % 3) + at[k] / 3] = x;
  }
  // R I R^T
  m3_mul(A, place.R, I);
  m3_mult(I, A, place.R);
  hn_robot_add_mass(link, mass, place.p, I);
}

// colours of the robot by their names, or that of the visual itself
// A material is defined in the first visual that uses it, or at the top of the file, and named
// elsewhere.
static const char *read_color(hn_robot *robot, hn_xml *visual) {
  hn_xml *material = hn_xml_child(visual, "material"), *color = NULL;
  double rgba[4] = {0, 0, 0, 1};
  if (!material) return NULL;
  // a colour here wins over one by name
  color = hn_xml_child(material, "color");
  const char *name = hn_xml_get(material, "name"), *own;
  for (hn_xml *m = hn_xml_next(robot->root, NULL, "material"); m && !color && name;
       m = hn_xml_next(robot->root, m, "material"))
    if ((own = hn_xml_get(m, "name")) && strcmp(own, name) == 0) color = hn_xml_child(m, "color");
  if (!color || hn_robot_numbers(robot, color, "rgba", rgba, 3, 4) == 0) return NULL;
  return hn_robot_color(robot, rgba);
}

// false where it cannot be drawn, which has been said. A colour of the mesh file counts unless the
// robot file has one.
static bool read_mesh(hn_robot *robot, hn_xml *node, hn_robot_shape *shape) {
  char why[200];
  hn_trimesh mesh;
  shape->file = hn_urdf_word(robot, node, "filename");
  v3_set(shape->scale, 1, 1, 1);
  hn_robot_numbers(robot, node, "scale", shape->scale, 3, 3);
  for (int i = 0; i < 3; i++)
    // zero would make a point of it; negative numbers are mirrors
    if (shape->scale[i] == 0)
      hn_robot_fail(robot, node, HN_ERR_MODEL, "the scale of a mesh is zero");
  if (robot->status) return false;
  bool good = hn_robot_open_mesh(robot, &shape->file, &mesh, why);
  if (!good) hn_robot_ignored(robot, node, "%s: not drawn", why);
  if (*mesh.color) shape->color = hn_robot_text(robot, "%s", mesh.color);
  hn_trimesh_free(&mesh);
  return good;
}

// Collision shapes are drawn where a link has no visual ones.
static void read_look(hn_robot *robot, hn_xml *node, hn_robot_link *link, const char *element) {
  // visuals come first: collisions find the link drawn
  bool drawn = link->shape != NULL;
  for (hn_xml *v = hn_xml_next(node, NULL, element); v; v = hn_xml_next(node, v, element)) {
    hn_xml *g = hn_xml_child(v, "geometry"), *e;
    hn_robot_shape s = {.kind = NULL};
    hn_xml_get(v, "name");
    hn_urdf_origin(robot, hn_xml_child(v, "origin"), &s.place);
    // what is touched looks like what is seen
    if (drawn) hn_xml_pass(v, true);
    if (!g || drawn) continue;
    // one of box, cylinder, sphere, or a mesh
    if (!hn_robot_solid(robot, g, hn_robot_numbers, &s) && (e = hn_xml_child(g, "mesh")) &&
        read_mesh(robot, e, &s))
      s.kind = "mesh";
    const char *color = read_color(robot, v);
    if (color) s.color = color;
    if (s.kind) hn_robot_draw(robot, link, &s);
  }
}

// ---- joints --------------------------------------------------------------------------------

// A robot starts with all joints at zero, or where that is beyond its limits between them
// `limit` of a continuous joint has effort and velocity only. Equal numbers stand for no limit, as
// in hn_robot_joint.
static void read_limits(hn_robot *robot, hn_xml *node, hn_robot_joint *j, const char *type) {
  hn_xml *limit = hn_xml_child(node, "limit");
  if (!limit) return;
  double effort = 0, velocity = 0, *range = j->limits;
  hn_robot_number(robot, limit, "lower", &range[0]);
  hn_robot_number(robot, limit, "upper", &range[1]);
  hn_robot_number(robot, limit, "effort", &effort);
  hn_robot_number(robot, limit, "velocity", &velocity);
  const char *unit = j->kind == HN_ROBOT_SLIDE ? "m" : "rad";
  // for people only: nothing here limits speeds or drives
  j->note = hn_robot_text(robot, "effort %g, velocity %g %s/s", effort, velocity, unit);
  if (range[0] > range[1])
    hn_robot_fail(robot, limit, HN_ERR_MODEL, "limits of '%.60s': lower is above upper", j->source);
  // joints of several axes have no coordinate that a range could mean
  if (j->kind > HN_ROBOT_SLIDE || strcmp(type, "continuous") == 0) range[0] = range[1] = 0;
  // both zero is what is not given; elsewhere they hold the joint, which is another type's business
  if (range[0] == range[1] && range[0] != 0)
    hn_robot_wrong(robot, limit,
                   "'%.60s' has no range: lower and upper are both %g (is it 'fixed'?)", j->source,
                   range[0]);
  // assembly would have to push the joint back otherwise
  if (range[0] < range[1] && (range[0] > 0 || range[1] < 0)) {
    j->value[0] = (range[0] + range[1]) / 2;
    hn_robot_approximated(robot, limit, "'%.60s' starts at %g %s: zero is beyond its limits",
                          j->source, j->value[0], unit);
  }
}

static void read_dynamics(hn_robot *robot, hn_xml *node, hn_robot_joint *j) {
  hn_xml *dynamics = hn_xml_child(node, "dynamics");
  if (!dynamics) return;
  // damping [N m s/rad] or [N s/m], friction [N m] or [N]
  hn_robot_number(robot, dynamics, "damping", &j->damping);
  hn_robot_number(robot, dynamics, "friction", &j->friction);
  if (j->damping < 0 || j->friction < 0)
    hn_robot_fail(robot, dynamics, HN_ERR_MODEL, "damping or friction of '%.60s' is negative",
                  j->source);
}

// What is not here has a meaning that nobody agrees on, or none in the standard (spherical joints
// are read all the same: several programs write them).
static bool joint_kind(const char *type, hn_robot_joint_kind *kind) {
  static const struct {
    const char *name;
    hn_robot_joint_kind kind;
  } table[] = {{"revolute", HN_ROBOT_HINGE},  {"continuous", HN_ROBOT_HINGE},
               {"prismatic", HN_ROBOT_SLIDE}, {"floating", HN_ROBOT_FREE},
               {"planar", HN_ROBOT_PLANAR},   {"spherical", HN_ROBOT_BALL},
               {"ball", HN_ROBOT_BALL}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, type) == 0) return *kind = table[i].kind, true;
  return false;
}

// a joint in the file, and the tree
// names of both ends until all links are known
typedef struct edge {
  hn_xml *node;
  const char *parent, *child;
  bool done;
} edge;
typedef struct tree {
  hn_xml **link;
  const char **name;
  int links;
  edge *joint;
  int joints;
} tree;

// x of the plane is that of the joint, as near as can be
// Where the axis of the plane is nearly x itself any direction across will do: files do not say.
static void plane_side(hn_robot_joint *j) {
  double along = j->axis[0];
  if (fabs(along) > 0.9) {
    v3_perpendicular(j->side, j->axis);
    return;
  }
  v3_set(j->side, 1, 0, 0);
  // x without its part along the axis
  v3_addto(j->side, -along, j->axis);
  v3_scale(j->side, 1 / v3_norm(j->side), j->side);
}

// -1: fixed
// `place` is where the child is described in the world, which only floating joints start from.
static int read_joint(hn_robot *robot, hn_xml *node, const hn_rigid *place) {
  const char *type = hn_urdf_word(robot, node, "type");
  // -1: the link does not exist yet
  hn_robot_joint j = {.node = node, .source = hn_xml_get(node, "name"), .link = -1};
  if (strcmp(type, "fixed") == 0) return -1;
  if (!joint_kind(type, &j.kind)) {
    hn_robot_wrong(robot, node, "joint '%.60s' has a type that is not read: '%.40s'",
                   j.source ? j.source : "", type);
    return -1;
  }
  j.name = hn_robot_name(robot, j.source, "joint");
  hn_urdf_axis(robot, hn_xml_child(node, "axis"), j.axis);
  read_dynamics(robot, node, &j);
  read_limits(robot, node, &j, type);
  if (j.kind == HN_ROBOT_PLANAR) plane_side(&j);
  // a quaternion: zeros would be none
  if (j.kind == HN_ROBOT_BALL) j.value[0] = 1;
  if (j.kind == HN_ROBOT_FREE) {
    v3_copy(j.value, place->p);
    q_from_matrix(j.value + 3, place->R);
  }
  // which of its axes would rub is said nowhere
  if (j.kind > HN_ROBOT_SLIDE && j.friction != 0) {
    hn_robot_wrong(robot, node, "friction of '%.60s', a joint of several axes", j.source);
    j.friction = 0;
  }
  return hn_robot_add_joint(robot, &j);
}

// Depth times links in all, for the place in the world; trees are shallow.
static int add_link(hn_robot *robot, hn_xml *node, const char *name, int parent, edge *e) {
  hn_robot_link l = {.node = node, .source = name, .parent = parent, .joint = -1};
  l.name = hn_robot_name(robot, name, "link");
  // the root has no joint: it stands where the world is
  hn_urdf_origin(robot, e ? hn_xml_child(e->node, "origin") : NULL, &l.place);
  read_inertial(robot, node, &l);
  read_look(robot, node, &l, "visual");
  read_look(robot, node, &l, "collision");
  if (e) {
    // a floating link starts where it is described
    hn_rigid world = l.place;
    for (int up = parent; up >= 0; up = robot->link[up].parent)
      hn_rigid_mul(&world, &robot->link[up].place, &world);
    l.joint = read_joint(robot, e->node, &world);
  }
  return hn_robot_add_link(robot, &l);
}

// ---- the tree ------------------------------------------------------------------------------

static int count_elements(hn_xml *root, const char *name) {
  // joints and links are counted first: their arrays must not move
  int n = 0;
  for (hn_xml *e = hn_xml_next(root, NULL, name); e; e = hn_xml_next(root, e, name)) n++;
  return n;
}

static void gather_joints(hn_robot *robot, tree *t, const char *element) {
  hn_xml *root = robot->root;
  for (hn_xml *e = hn_xml_next(root, NULL, element); e; e = hn_xml_next(root, e, element)) {
    hn_xml *parent = hn_xml_child(e, "parent"), *child = hn_xml_child(e, "child");
    if (!parent || !child) {
      hn_robot_fail(robot, e, HN_ERR_SYNTAX, "<%s> needs <parent> and <child>", element);
      return;
    }
    t->joint[t->joints++] = (edge){.node = e,
                                   .parent = hn_urdf_word(robot, parent, "link"),
                                   .child = hn_urdf_word(robot, child, "link")};
  }
}

static int find_name(const tree *t, const char *name) {
  for (int i = 0; i < t->links; i++)
    if (strcmp(t->name[i], name) == 0) return i;
  // linear: trees of robots have tens of links
  return -1;
}

static void gather_links(hn_robot *robot, tree *t) {
  hn_xml *root = robot->root;
  for (hn_xml *e = hn_xml_next(root, NULL, "link"); e; e = hn_xml_next(root, e, "link")) {
    const char *name = hn_urdf_word(robot, e, "name");
    if (robot->status) return;
    // names are what joints refer to
    if (find_name(t, name) >= 0) {
      hn_robot_fail(robot, e, HN_ERR_MODEL, "a second link named '%.60s'", name);
      return;
    }
    t->name[t->links] = name;
    t->link[t->links++] = e;
  }
}

// what joints connect is there
static void check_ends(hn_robot *robot, const tree *t) {
  for (int k = 0; k < t->joints && !robot->status; k++) {
    const edge *e = &t->joint[k];
    const char *missing = find_name(t, e->child) < 0    ? e->child
                          : find_name(t, e->parent) < 0 ? e->parent
                                                        : NULL;
    if (missing && *missing)
      hn_robot_fail(robot, e->node, HN_ERR_MODEL, "joint '%.60s': no link named '%.60s'",
                    hn_urdf_word(robot, e->node, "name"), missing);
  }
}

// the link that no joint moves
// Two parents of one link are a loop, which URDF cannot say: it is refused with a hint how loops
// are written (urdf_loops.c).
static int find_root(hn_robot *robot, const tree *t) {
  int root = -1;
  for (int i = 0; i < t->links && !robot->status; i++) {
    int moved = 0;
    for (int k = 0; k < t->joints; k++) {
      // the second joint that moves a link closes a loop
      if (strcmp(t->joint[k].child, t->name[i]) != 0) continue;
      if (moved++)
        hn_robot_fail(robot, t->joint[k].node, HN_ERR_MODEL,
                      "link '%.60s' has two parents (write a loop as <loop>)", t->name[i]);
    }
    // one root: a file is one robot
    if (moved) continue;
    if (root >= 0)
      hn_robot_fail(robot, t->link[i], HN_ERR_MODEL, "links '%.50s' and '%.50s' are not connected",
                    t->name[root], t->name[i]);
    root = i;
  }
  if (root < 0) hn_robot_fail(robot, robot->root, HN_ERR_MODEL, "there is no root link");
  return root;
}

// parents before their children
// Breadth first from the root: links and joints are looked up by name, links times joints in all,
// which HN_ROBOT_PARTS keeps small.
static void add_tree(hn_robot *robot, tree *t, int root) {
  add_link(robot, t->link[root], t->name[root], -1, NULL);
  for (int i = 0; i < robot->links && !robot->status; i++)
    // robot->links grows while links are added: children are looked for behind their parents
    for (int k = 0; k < t->joints && !robot->status; k++) {
      edge *e = &t->joint[k];
      if (e->done || strcmp(e->parent, robot->link[i].source) != 0) continue;
      e->done = true;
      int child = find_name(t, e->child);
      if (child < 0) {
        hn_robot_fail(robot, e->node, HN_ERR_MODEL, "no link named '%.60s'", e->child);
        return;
      }
      add_link(robot, t->link[child], t->name[child], i, e);
    }
  // rings of joints hang on nothing
  for (int k = 0; k < t->joints; k++)
    if (!t->joint[k].done)
      hn_robot_fail(robot, t->joint[k].node, HN_ERR_MODEL, "no way from the root to link '%.60s'",
                    t->joint[k].parent);
}

// Two spellings of <joint>: those of Drake have joint types of their own, some of which are read.
static void read_tree(hn_robot *robot) {
  hn_xml *root = robot->root;
  size_t links = (size_t)count_elements(root, "link");
  size_t joints = (size_t)(count_elements(root, "joint") + count_elements(root, "drake:joint"));
  if (links + joints > HN_ROBOT_PARTS) {
    hn_robot_fail(robot, root, HN_ERR_UNSUPPORTED, "more than %d links and joints", HN_ROBOT_PARTS);
    return;
  }
  tree t = {.link = hn_pool_take(&robot->pool, (links + 1) * sizeof *t.link),
            .name = hn_pool_take(&robot->pool, (links + 1) * sizeof *t.name),
            .joint = hn_pool_take(&robot->pool, (joints + 1) * sizeof *t.joint)};
  if (!t.link || !t.name || !t.joint) {
    hn_robot_fail(robot, root, HN_ERR_MEMORY, "out of memory");
    return;
  }
  gather_links(robot, &t);
  gather_joints(robot, &t, "joint");
  gather_joints(robot, &t, "drake:joint");
  check_ends(robot, &t);
  int first = robot->status ? -1 : find_root(robot, &t);
  if (!robot->status) add_tree(robot, &t, first);
}

// ---- besides -------------------------------------------------------------------------------

static void read_mimic(hn_robot *robot) {
  for (int i = 0; i < robot->joints && !robot->status; i++) {
    // the joint itself holds what it follows: q = multiplier * q_other + offset
    hn_xml *mimic = hn_xml_child(robot->joint[i].node, "mimic");
    if (!mimic) continue;
    double ratio = 1, offset = 0;
    const char *name = hn_urdf_word(robot, mimic, "joint");
    hn_robot_number(robot, mimic, "multiplier", &ratio);
    hn_robot_number(robot, mimic, "offset", &offset);
    int other = robot->status ? -1 : hn_robot_find_joint(robot, name);
    if (robot->status) return;
    if (other < 0) {
      hn_robot_fail(robot, mimic, HN_ERR_MODEL, "no moving joint named '%.60s'", name);
      return;
    }
    hn_robot_add_gear(robot, mimic, hn_robot_text(robot, "%s_mimic", robot->joint[i].name), other,
                      i, ratio, offset);
  }
  hn_robot_settle_gears(robot);
}

// the inertia of a drive seen at its joint
// Seen at the joint a rotor has its inertia times the square of the gear ratio.
static void read_drives(hn_robot *robot) {
  hn_xml *root = robot->root;
  for (hn_xml *t = hn_xml_next(root, NULL, "transmission"); t;
       t = hn_xml_next(root, t, "transmission")) {
    hn_xml *joint = hn_xml_child(t, "joint"), *actuator = hn_xml_child(t, "actuator");
    hn_xml *inertia = hn_xml_child(actuator, "drake:rotor_inertia");
    hn_xml *gear = hn_xml_child(actuator, "drake:gear_ratio");
    double J = 0, n = 1;
    hn_xml_pass(t, true);
    // transmissions without a rotor only name interfaces of programs
    if (!inertia) continue;
    hn_robot_number(robot, inertia, "value", &J);
    if (gear) hn_robot_number(robot, gear, "value", &n);
    const char *name = hn_urdf_word(robot, joint, "name");
    int index = hn_robot_find_joint(robot, name);
    if (index < 0 || J < 0) {
      hn_robot_fail(robot, t, HN_ERR_MODEL,
                    J < 0 ? "the inertia of a rotor is negative" : "no moving joint named '%.60s'",
                    name);
      return;
    }
    robot->joint[index].armature += J * n * n;
  }
}

// what says nothing about the motion
static void pass_known(hn_robot *robot) {
  static const char *const known = "material gazebo transmission";
  // known to have no effect on motion; what else is there is told as ignored
  for (hn_xml *e = robot->root->first; e; e = e->next)
    if (hn_word_in(e->name, known)) hn_xml_pass(e, true);
}

void hn_urdf_read(hn_robot *robot) {
  const char *name = hn_xml_get(robot->root, "name");
  // taken before parts are named, so that it is not changed for theirs
  robot->name = hn_robot_name(robot, name, "robot");
  robot->used_count = 0;  // a model may be called as one of its parts is
  // the format has no gravity of its own
  v3_set(robot->gravity, 0, 0, -9.81);
  hn_xml_get(robot->root, "version");
  pass_known(robot);
  read_tree(robot);
  read_drives(robot);
  hn_robot_settle(robot);
  read_mimic(robot);
  hn_urdf_loops(robot);
}
