// mjcf.c: MJCF, the format of MuJoCo: settings, bodies, joints, sites and keyframes.
//
// A body's joints follow each other in the order of the file, all described in the frame of the
// body. Where it has several, bodies without mass stand between them (hn_robot_link.carrier).
//
// Values that an element does not give come from its default class, which bodies hand on to what is
// in them (childclass); mjcf_file.c looks them up. Angles are degrees unless the file says
// otherwise, and so are ranges, references and the angles of orientations; velocities and all
// numbers of keyframes are radians. What MuJoCo does softly (equality, limits, contact) is exact
// here.
#include "robots/mjcf.h"

#include "base/elementary.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- settings ------------------------------------------------------------------------------

static void read_eulerseq(hn_mjcf *m, hn_xml *node) {
  const char *text = hn_xml_get(node, "eulerseq");
  if (!text) return;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "eulerseq must be three of x, y, z");
  else
    memcpy(m->euler, text, 4);
}

// The settings hold for the whole file, wherever in it they stand: later ones win, as in MuJoCo.
static void read_compiler(hn_mjcf *m, hn_xml *node) {
  hn_mjcf_element e = {m, node, "", NULL};
  const char *angle = hn_xml_get(node, "angle"), *geom = hn_xml_get(node, "inertiafromgeom");
  const char *coordinate = hn_xml_get(node, "coordinate");
  // any other word is the default, degrees
  if (angle) m->angle = strcmp(angle, "radian") == 0 ? 1 : hn_pi / 180;
  if (geom) m->from_geom = strcmp(geom, "auto") == 0 ? 2 : strcmp(geom, "true") == 0;
  if (coordinate && strcmp(coordinate, "local") != 0)
    hn_robot_fail(m->robot, node, HN_ERR_UNSUPPORTED, "coordinate=\"%.20s\" is not read",
                  coordinate);
  m->autolimits = hn_mjcf_flag(&e, "autolimits", m->autolimits);
  m->balance = hn_mjcf_flag(&e, "balanceinertia", m->balance);
  // before orientations are read: they need the sequence
  read_eulerseq(m, node);
  hn_robot_number(m->robot, node, "boundmass", &m->bound_mass);
  hn_robot_number(m->robot, node, "boundinertia", &m->bound_inertia);
  hn_robot_number(m->robot, node, "settotalmass", &m->total_mass);
  hn_robot_numbers(m->robot, node, "inertiagrouprange", m->group, 2, 2);
  // assetdir is of all assets, meshdir of meshes alone
  if (hn_xml_get(node, "assetdir")) m->mesh_folder = hn_xml_get(node, "assetdir");
  if (hn_xml_get(node, "meshdir")) m->mesh_folder = hn_xml_get(node, "meshdir");
  m->strip = hn_mjcf_flag(&e, "strippath", m->strip);
  hn_mjcf_pass(node, "texturedir discardvisual fusestatic usethread fitaabb "
                     "convexhull saveinertial exactmeshinertia conflict");
  hn_xml_child(node, "lengthrange");
}

// A flag that is disabled takes a part of the physics away; what cannot be taken away here
// (springs, dampers, the clamping of controls) is refused.
static void read_flags(hn_mjcf *m, hn_xml *node) {
  hn_mjcf_element e = {m, node, "", NULL};
  if (!hn_mjcf_flag(&e, "gravity", true)) v3_set(m->robot->gravity, 0, 0, 0);
  // `constraint` switches all of those off at once
  bool all = hn_mjcf_flag(&e, "constraint", true);
  m->equality = all && hn_mjcf_flag(&e, "equality", m->equality);
  m->limits = all && hn_mjcf_flag(&e, "limit", m->limits);
  m->contact = all && hn_mjcf_flag(&e, "contact", m->contact);
  m->friction = all && hn_mjcf_flag(&e, "frictionloss", m->friction);
  m->actuation = hn_mjcf_flag(&e, "actuation", m->actuation);
  static const char *const needed[] = {"passive", "spring", "damper", "clampctrl"};
  for (int i = 0; i < 4; i++)
    if (!hn_mjcf_flag(&e, needed[i], true))
      hn_robot_wrong(m->robot, node, "flag %s=\"disable\"", needed[i]);
  hn_mjcf_pass(node,
               "warmstart filterparent refsafe sensor "
               "midphase eulerdamp autoreset override energy fwdinv invdiscrete multiccd island "
               "nativeccd sleep");
}

// Numbers of the solver are passed: they say how MuJoCo computes, not what.
static void read_option(hn_mjcf *m, hn_xml *node) {
  double density = 0, viscosity = 0;
  hn_robot_numbers(m->robot, node, "gravity", m->robot->gravity, 3, 3);
  hn_robot_number(m->robot, node, "density", &density);
  hn_robot_number(m->robot, node, "viscosity", &viscosity);
  if (density != 0 || viscosity != 0) hn_robot_wrong(m->robot, node, "forces of a fluid");
  hn_mjcf_pass(node,
               "timestep apirate impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance "
               "wind magnetic o_margin o_solref o_solimp o_friction integrator cone jacobian "
               "solver iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations "
               "sdf_initpoints actuatorgroupdisable sleep_tolerance");
  for (hn_xml *f = hn_xml_next(node, NULL, "flag"); f; f = hn_xml_next(node, f, "flag"))
    read_flags(m, f);
}

// ---- joints --------------------------------------------------------------------------------

// Limits of ball joints are cones about the reference, which no joint of the library has.
static void read_range(hn_mjcf *m, const hn_mjcf_element *e, hn_robot_joint *j) {
  // slides are in metres whatever the unit of angles is
  double range[2] = {0, 0}, unit = j->kind == HN_ROBOT_SLIDE ? 1 : m->angle;
  if (!hn_mjcf_limited(e, "limited", "range", range) || !m->limits) return;
  if (j->kind > HN_ROBOT_SLIDE) {
    hn_robot_ignored(m->robot, e->node, "range of '%.60s', a ball joint, is not enforced", j->name);
    return;
  }
  if (!(range[0] < range[1]))
    hn_robot_fail(m->robot, e->node, HN_ERR_MODEL, "range of '%.60s': its ends are not in order",
                  j->name);
  for (int i = 0; i < 2; i++) j->limits[i] = range[i] * unit;
}

// the first of several coefficients is the linear one
static void read_linear(const hn_mjcf_element *e, const char *attribute, double *out) {
  double x[4] = {0, 0, 0, 0};
  if (!hn_mjcf_numbers(e, attribute, x, 1, 4)) return;
  if (x[0] < 0) hn_robot_fail(e->m->robot, e->node, HN_ERR_MODEL, "%s is negative", attribute);
  if (x[1] != 0 || x[2] != 0 || x[3] != 0)
    hn_robot_wrong(e->m->robot, e->node, "%s that is not linear", attribute);
  *out = x[0];
}

static bool joint_kind(const char *type, hn_robot_joint_kind *kind) {
  static const char *const name[] = {"hinge", "slide", "ball", "free"};
  // the order of hn_robot_joint_kind
  for (int i = 0; i < 4; i++)
    if (strcmp(name[i], type) == 0) return *kind = (hn_robot_joint_kind)i, true;
  return false;
}

// `frame` is what <frame> elements around the joint say; place and axis are brought into the axes
// of the body. A joint's ref is its value in the configuration that the file describes, and
// springref that at which its spring is relaxed.
static void read_joint(hn_mjcf *m, hn_xml *node, const hn_xml *class, const hn_rigid *frame,
                       const char *body, hn_robot_joint *j) {
  hn_mjcf_element e = hn_mjcf_open(m, node, "joint", class);
  bool free = strcmp(node->name, "freejoint") == 0;
  const char *type = free ? "free" : hn_mjcf_get(&e, "type");
  double x[3], spring[2] = {0, 0};
  *j = (hn_robot_joint){.node = node, .source = hn_xml_get(node, "name"), .axis = {0, 0, 1}};
  if (!joint_kind(type ? type : "hinge", &j->kind)) {
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "unknown type of joint: '%.40s'", type);
    return;
  }
  j->name = hn_robot_name(
      m->robot, j->source ? j->source : hn_robot_text(m->robot, "%s_joint", body), "joint");
  hn_mjcf_pass(node, "group user margin solreflimit solimplimit solreffriction solimpfriction "
                     "actuatorgravcomp align");
  if (j->kind == HN_ROBOT_FREE) m->any_free = true;
  if (j->kind == HN_ROBOT_BALL) j->value[0] = 1;
  // free joints have no axis, no spring and no range
  if (free) return;
  double unit = j->kind == HN_ROBOT_SLIDE ? 1 : m->angle;
  hn_mjcf_numbers(&e, "pos", j->pos, 3, 3);
  hn_mjcf_numbers(&e, "axis", j->axis, 3, 3);
  // from the axes of <frame> elements to those of the body
  hn_rigid_point(j->pos, frame, j->pos);
  m3_mulv(x, frame->R, j->axis);
  if (!(v3_norm(x) > 1e-10)) {
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "the axis has no length");
    return;
  }
  v3_scale(j->axis, 1 / v3_norm(x), x);
  read_linear(&e, "stiffness", &j->stiffness);
  read_linear(&e, "damping", &j->damping);
  hn_mjcf_number(&e, "frictionloss", &j->friction);
  hn_mjcf_number(&e, "armature", &j->armature);
  if (j->kind <= HN_ROBOT_SLIDE) {
    hn_mjcf_number(&e, "ref", &j->ref);
    hn_mjcf_number(&e, "springref", &j->springref);
    j->ref *= unit, j->springref *= unit;
    // the described configuration is that of the references
    j->value[0] = j->ref;
  }
  // stiffness by time constant and damping ratio would need the mass that moves
  hn_mjcf_numbers(&e, "springdamper", spring, 2, 2);
  if (spring[0] > 0 && spring[1] > 0) hn_robot_wrong(m->robot, node, "springdamper");
  if (j->kind > HN_ROBOT_SLIDE && (j->armature != 0 || j->friction != 0)) {
    hn_robot_wrong(m->robot, node, "armature or frictionloss of a joint of several axes");
    j->armature = j->friction = 0;
  }
  if (j->armature < 0 || j->friction < 0)
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "armature or frictionloss is negative");
  if (!m->friction) j->friction = 0;
  if (!hn_mjcf_limited(&e, "actuatorfrclimited", "actuatorfrcrange", j->effort))
    j->effort[0] = j->effort[1] = 0;
  read_range(m, &e, j);
}

// ---- bodies --------------------------------------------------------------------------------

typedef struct body {
  hn_xml *node;
  const hn_xml *class;
  const char *name;
  hn_rigid place;  // in the parent
  int parent, link;
  hn_robot_link own;  // inertia and looks, until the link is there
  bool inertial;
  int last;  // joint read last, -1: none
} body;

// A body's joints first, then its inertia, then the link, then what hangs on it: the link's number
// must be known to its children. Geoms seen meanwhile wait for it with the number -2.
static void read_body(hn_mjcf *m, hn_xml *node, const hn_xml *class, int parent,
                      const hn_rigid *frame);

// a body's joints come before everything that hangs on it: each but the last moves a carrier
// All joints of a body are described in its frame as it is in the file, so that carriers and body
// have one frame there: places after the first one are the identity.
static void add_carrier(hn_mjcf *m, body *b) {
  // carriers hang one on the other, the body on the last of them
  hn_robot_link carrier = {
      .node = b->node, .parent = b->parent, .place = b->place, .joint = b->last, .carrier = true};
  carrier.name = hn_robot_name(m->robot, hn_robot_text(m->robot, "%s_between", b->name), "body");
  b->parent = hn_robot_add_link(m->robot, &carrier);
  b->place = hn_rigid_none;
}

// A free joint starts where the body is described, which is in the world: nothing that moves may
// stand between them.
static void add_joint(hn_mjcf *m, body *b, hn_xml *node, const hn_xml *class,
                      const hn_rigid *frame) {
  hn_robot *robot = m->robot;
  hn_robot_joint j;
  read_joint(m, node, class, frame, b->name, &j);
  if (robot->status) return;
  if (j.kind == HN_ROBOT_FREE) {
    hn_rigid world = b->place;
    for (int up = b->parent; up >= 0; up = robot->link[up].parent) {
      hn_rigid_mul(&world, &robot->link[up].place, &world);
      // a moving parent would take it along
      if (robot->link[up].joint >= 0)
        hn_robot_fail(robot, node, HN_ERR_MODEL, "a free joint must hang on the world");
    }
    if (b->last >= 0)
      hn_robot_fail(robot, node, HN_ERR_MODEL, "a free joint must be the only one of its body");
    // position and quaternion in the world, as keyframes have them
    v3_copy(j.value, world.p);
    q_from_matrix(j.value + 3, world.R);
  }
  if (b->last >= 0) add_carrier(m, b);
  b->last = hn_robot_add_joint(robot, &j);
}

// classes and places of <frame> go on to what is in it
// <frame> is no body: it places and classes what is written in it, and leaves nothing behind.
static hn_rigid inner_frame(hn_mjcf *m, hn_xml *node, const hn_xml **class, const hn_rigid *frame) {
  hn_mjcf_element e = {m, node, "", NULL};
  hn_rigid place;
  node->seen = true;
  hn_mjcf_pass(node, "name");
  *class = hn_mjcf_class(m, node, "childclass", *class);
  hn_mjcf_place(&e, &place);
  hn_rigid_mul(&place, frame, &place);
  return place;
}

// In the order of the file, which is the order in which they move the body, also across <frame>
// elements. Whether there is an <inertial> is noted on the way, for read_inertia asks about it.
static void read_joints(hn_mjcf *m, body *b, hn_xml *node, const hn_xml *class,
                        const hn_rigid *frame) {
  for (hn_xml *e = node->first; e && !m->robot->status; e = e->next) {
    if (strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0) {
      // the last one moves the body itself, those before it carriers
      add_joint(m, b, e, class, frame);
    } else if (strcmp(e->name, "frame") == 0) {
      const hn_xml *inner = class;
      hn_rigid place = inner_frame(m, e, &inner, frame);
      read_joints(m, b, e, inner, &place);
    } else if (strcmp(e->name, "inertial") == 0) {
      e->seen = true;
      b->inertial = true;
    }
  }
}

// Geoms count for the inertia where no <inertial> is given (auto), never, or always.
static void read_inertia(hn_mjcf *m, body *b, hn_xml *node, const hn_xml *class,
                         const hn_rigid *frame) {
  // 2 is "auto": geoms count where there is no <inertial>
  bool shapes = m->from_geom == 1 || (m->from_geom == 2 && !b->inertial);
  for (hn_xml *e = node->first; e && !m->robot->status; e = e->next) {
    if (strcmp(e->name, "inertial") == 0 && m->from_geom != 1)
      hn_mjcf_inertial(m, e, class, &b->own);
    if (strcmp(e->name, "geom") == 0) hn_mjcf_geom(m, e, class, frame, &b->own, shapes);
    if (strcmp(e->name, "frame") == 0) {
      const hn_xml *inner = class;
      hn_rigid place = inner_frame(m, e, &inner, frame);
      read_inertia(m, b, e, inner, &place);
    }
  }
}

// Sites are frames; only those with a name can be referred to.
static void read_site(hn_mjcf *m, hn_xml *node, const hn_xml *class, int link,
                      const hn_rigid *frame) {
  hn_mjcf_element e = hn_mjcf_open(m, node, "site", class);
  double length;
  hn_rigid place;
  hn_mjcf_span(&e, &place, &length);
  hn_mjcf_pass(node, "type group material rgba size user");
  hn_rigid_mul(&place, frame, &place);
  // without a name nothing can refer to it
  const char *name = hn_xml_get(node, "name");
  if (name) hn_robot_add_frame(m->robot, name, link, &place);
}

// what hangs on a link, and what is said of it
// Geoms of the world itself are surfaces to touch, without a body.
static void read_inside(hn_mjcf *m, hn_xml *node, const hn_xml *class, int link,
                        const hn_rigid *frame) {
  static const char refused[] = "replicate attach flexcomp composite plugin";
  for (hn_xml *e = node->first; e && !m->robot->status; e = e->next) {
    if (strcmp(e->name, "body") == 0) read_body(m, e, class, link, frame);
    if (strcmp(e->name, "site") == 0) read_site(m, e, class, link, frame);
    if (strcmp(e->name, "geom") == 0 && link < 0) hn_mjcf_geom(m, e, class, frame, NULL, false);
    // for the viewer
    if (strcmp(e->name, "camera") == 0 || strcmp(e->name, "light") == 0) hn_xml_pass(e, true);
    if (strcmp(e->name, "frame") == 0) {
      const hn_xml *inner = class;
      hn_rigid place = inner_frame(m, e, &inner, frame);
      read_inside(m, e, inner, link, &place);
    }
    if (hn_word_in(e->name, refused)) {
      hn_xml_pass(e, true);
      hn_robot_wrong(m->robot, e, "<%.40s> is not read", e->name);
    }
  }
}

static void read_body(hn_mjcf *m, hn_xml *node, const hn_xml *class, int parent,
                      const hn_rigid *frame) {
  hn_robot *robot = m->robot;
  hn_mjcf_element e = {m, node, "", NULL};
  body b = {.node = node, .parent = parent, .last = -1};
  double gravcomp = 0;
  const char *source = hn_xml_get(node, "name");
  node->seen = true;
  hn_mjcf_pass(node, "user");
  b.class = hn_mjcf_class(m, node, "childclass", class);
  b.name = hn_robot_name(robot, source, "body");
  hn_mjcf_place(&e, &b.place);
  hn_rigid_mul(&b.place, frame, &b.place);
  // such a body has no joint: it stands where it is described
  if (hn_mjcf_flag(&e, "mocap", false))
    hn_robot_approximated(robot, node, "'%.60s' is moved from outside: it stands still", b.name);
  read_joints(m, &b, node, b.class, &hn_rigid_none);
  read_inertia(m, &b, node, b.class, &hn_rigid_none);
  b.own.node = node, b.own.name = b.name, b.own.source = source;
  b.own.parent = b.parent, b.own.place = b.place, b.own.joint = b.last;
  hn_robot_number(robot, node, "gravcomp", &gravcomp);
  // 1 is no weight at all, 2 would lift it
  b.own.lifted = gravcomp;
  int link = hn_robot_add_link(robot, &b.own);
  for (int i = 0; i < m->touches; i++)
    // geoms of this body waited for its number
    if (m->touch[i].link == -2) m->touch[i].link = link;
  if (link >= 0) read_inside(m, node, b.class, link, &hn_rigid_none);
}

// ---- the state at the start ----------------------------------------------------------------

static int coordinates_of(const hn_robot_joint *j) {
  return j->kind == HN_ROBOT_FREE ? 7 : j->kind == HN_ROBOT_BALL ? 4 : 1;
}

static int rates_of(const hn_robot_joint *j) {
  return j->kind == HN_ROBOT_FREE ? 6 : j->kind == HN_ROBOT_BALL ? 3 : 1;
}

// One more than asked for, so that a count of zero is no failure.
static double *room(hn_robot *robot, int count) {
  double *x = hn_pool_take(&robot->pool, (size_t)(count + 1) * sizeof *x);
  if (!x) hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
  return x;
}

// Coordinates in the order of the joints, as MuJoCo counts them: 7 of a free joint (position, then
// quaternion), 4 of a ball joint, else one; velocities 6, 3 and 1. Quaternions of any length are
// made unit ones, a zero one is the identity, as MuJoCo does it.
static void read_key(hn_mjcf *m, hn_xml *node, hn_mjcf_key *key) {
  hn_robot *robot = m->robot;
  int nq = 0, nv = 0;
  // of all joints of the file, also of those that move nothing
  for (int i = 0; i < robot->joints; i++) {
    nq += coordinates_of(&robot->joint[i]);
    nv += rates_of(&robot->joint[i]);
  }
  double *q = room(robot, nq), *v = room(robot, nv), *ctrl = room(robot, HN_ROBOT_PARTS);
  if (robot->status) return;
  hn_mjcf_pass(node, "name time act mpos mquat");
  bool given_q = hn_robot_numbers(robot, node, "qpos", q, nq, nq) > 0;
  bool given_v = hn_robot_numbers(robot, node, "qvel", v, nv, nv) > 0;
  key->count = hn_robot_numbers(robot, node, "ctrl", ctrl, 1, HN_ROBOT_PARTS);
  key->ctrl = ctrl;
  if (robot->status) return;
  for (int i = 0, p = 0, d = 0; i < robot->joints; i++) {
    hn_robot_joint *j = &robot->joint[i];
    if (given_q) memcpy(j->value, q + p, (size_t)coordinates_of(j) * sizeof *q);
    if (given_v) memcpy(j->rate, v + d, (size_t)rates_of(j) * sizeof *v);
    if (given_q && j->kind == HN_ROBOT_BALL) q_normalise(j->value);
    if (given_q && j->kind == HN_ROBOT_FREE) q_normalise(j->value + 3);
    p += coordinates_of(j), d += rates_of(j);
  }
}

static void read_keys(hn_mjcf *m, hn_mjcf_key *key) {
  hn_xml *root = m->robot->root, *first = NULL;
  for (hn_xml *s = hn_xml_next(root, NULL, "keyframe"); s; s = hn_xml_next(root, s, "keyframe"))
    for (hn_xml *k = hn_xml_next(s, NULL, "key"); k && !m->robot->status;
         k = hn_xml_next(s, k, "key")) {
      if (!first)
        read_key(m, first = k, key);
      else
        hn_xml_pass(k, true),
            hn_robot_ignored(m->robot, k, "another <key>: the first is the start");
    }
}

// ---- all of it -----------------------------------------------------------------------------

static void each(hn_mjcf *m, const char *section, void (*read)(hn_mjcf *m, hn_xml *node)) {
  hn_xml *root = m->robot->root;
  for (hn_xml *e = hn_xml_next(root, NULL, section); e && !m->robot->status;
       e = hn_xml_next(root, e, section))
    read(m, e);
}

// The world has no joints and no mass: only what is in it counts.
static void read_world(hn_mjcf *m, hn_xml *node) {
  read_inside(m, node, hn_mjcf_class(m, node, "childclass", NULL), -1, &hn_rigid_none);
}

static void pass_known(hn_mjcf *m) {
  static const char known[] = "size visual statistic asset default custom extension";
  for (hn_xml *e = m->robot->root->first; e; e = e->next)
    if (hn_word_in(e->name, known)) hn_xml_pass(e, true);
}

// Order matters: files are included before anything is looked at, settings come before bodies,
// masses are settled before bodies are joined, keyframes before they are placed, and constraints,
// drives and contacts come when everything has its place.
void hn_mjcf_read(hn_robot *robot) {
  hn_mjcf m = {.robot = robot,
               .angle = hn_pi / 180,
               .euler = "xyz",
               .autolimits = true,
               .from_geom = 2,
               .group = {0, 5},
               .equality = true,
               .limits = true,
               .friction = true,
               .contact = true,
               .actuation = true};
  hn_mjcf_key key = {0};
  hn_mjcf_include(&m);
  if (robot->status) return;
  robot->name = hn_robot_name(robot, hn_xml_get(robot->root, "model"), "robot");
  robot->used_count = 0;  // a model may be called as one of its parts is
  v3_set(robot->gravity, 0, 0, -9.81);
  pass_known(&m);
  each(&m, "compiler", read_compiler);
  each(&m, "option", read_option);
  each(&m, "worldbody", read_world);
  if (robot->links == 0 && !robot->status)
    hn_robot_fail(robot, robot->root, HN_ERR_MODEL, "there is no body");
  hn_mjcf_settle_mass(&m);
  read_keys(&m, &key);
  hn_robot_settle(robot);
  hn_robot_lift(robot);
  if (!robot->status) hn_mjcf_acts(&m, &key);
  hn_mjcf_touches(&m);
  // the only array that is not in the pool
  free(m.touch);
}
