// robot_write.c: the model file of a robot.
//
// Positions, velocities and axes are those of the start, in the world; the reader of model files
// makes of them what it needs. Numbers are the shortest texts that read back as the same bits.
// Lines are put together per section, because joints and forces still name frames of bodies when
// they are written.
#include "robots/robot.h"

#include "base/file.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static void put_number(hn_text *t, double x) {
  char text[HN_NUMBER_SIZE];
  // a zero has no sign in a file for people
  hn_number_text(text, x == 0 ? 0 : x);
  hn_text_add(t, "%s", text);
}

static void put_numbers(hn_text *t, const double *x, int count) {
  hn_text_add(t, "[");
  for (int i = 0; i < count; i++) {
    if (i) hn_text_add(t, ", ");
    put_number(t, x[i]);
  }
  hn_text_add(t, "]");
}

// for maps in one line
static void put_key_number(hn_text *t, const char *key, double x) {
  hn_text_add(t, "%s: ", key);
  put_number(t, x);
}

// a text in quotes, whatever is in it
static void put_quoted(hn_text *t, const char *text) {
  hn_text_add(t, "\"");
  for (; *text; text++) {
    // unsigned: letters beyond ASCII are not control characters
    unsigned char c = (unsigned char)*text;
    if (c < ' ' || c == 127)
      hn_text_add(t, "\\x%02x", c);
    else
      hn_text_add(t, c == '"' || c == '\\' ? "\\%c" : "%c", c);
  }
  hn_text_add(t, "\"");
}

static bool is_zero(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return false;
  return true;
}

// exactly: a turn by rounding is a turn, and costs nothing
static bool is_turned(const double R[9]) {
  for (int i = 0; i < 9; i++)
    if (R[i] != (i % 4 == 0)) return true;
  return false;
}

// As a quaternion: four numbers that every rotation has, where angles would need a convention.
static void put_orientation(hn_text *t, const double R[9]) {
  double q[4];
  q_from_matrix(q, R);
  hn_text_add(t, "orientation: {quaternion: ");
  put_numbers(t, q, 4);
  hn_text_add(t, "}");
}

// ---- bodies --------------------------------------------------------------------------------

// Of all named places only those that something refers to are in the model file.
static bool shown_frame(const hn_robot *robot, const hn_robot_frame *f, int body) {
  return f->wanted && (f->link < 0 ? -1 : robot->link[f->link].body) == body;
}

static void put_frame(hn_text *t, const char *name, const hn_rigid *place, bool oriented) {
  // places without axes are lists of three numbers
  hn_text_add(t, "      %s: ", name);
  if (oriented) {
    hn_text_add(t, "{position: ");
    put_numbers(t, place->p, 3);
    hn_text_add(t, ", ");
    put_orientation(t, place->R);
    hn_text_add(t, "}\n");
  } else {
    put_numbers(t, place->p, 3);
    hn_text_add(t, "\n");
  }
}

// places on a body: links that are fixed on it, and what is named on them
// Places are in the axes of the body, which are those of the link that gave it its name.
static void put_frames(hn_text *t, const hn_robot *robot, int body) {
  bool begun = false;
  for (int i = 0; i < robot->links; i++) {
    const hn_robot_link *l = &robot->link[i];
    // not the link that is the body itself
    if (l->body != body || i == body) continue;
    if (!begun) hn_text_add(t, "    frames:\n");
    begun = true;
    put_frame(t, l->name, &l->in_body, is_turned(l->in_body.R));
  }
  for (int i = 0; i < robot->frames; i++) {
    const hn_robot_frame *f = &robot->frame[i];
    if (!shown_frame(robot, f, body)) continue;
    if (!begun) hn_text_add(t, "    frames:\n");
    begun = true;
    // places on links that became part of the body
    hn_rigid place = f->place;
    if (f->link >= 0) hn_rigid_mul(&place, &robot->link[f->link].in_body, &f->place);
    put_frame(t, f->name, &place, f->oriented);
  }
}

static void put_inertia(hn_text *t, const double I[9]) {
  static const char *const name[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  // the lower half is the same
  double x[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  hn_text_add(t, "    inertia: {");
  for (int k = 0; k < 6; k++) {
    // products of inertia only where there are any
    if (k > 2 && x[k] == 0) continue;
    if (k) hn_text_add(t, ", ");
    put_key_number(t, name[k], x[k]);
  }
  hn_text_add(t, "}\n");
}

static void put_shape(hn_text *t, const hn_robot_shape *s, const hn_rigid *place) {
  hn_text_add(t, "      - %s: {", s->kind);
  if (strcmp(s->kind, "mesh") == 0) {
    hn_text_add(t, "file: "), put_quoted(t, s->file);
    if (s->scale[0] != 1 || s->scale[1] != 1 || s->scale[2] != 1)
      hn_text_add(t, ", scale: "), put_numbers(t, s->scale, 3);
  } else if (strcmp(s->kind, "box") == 0) {
    hn_text_add(t, "size: "), put_numbers(t, s->size, 3);
  } else {
    put_key_number(t, "radius", s->size[0]);
    if (strcmp(s->kind, "sphere") != 0)
      hn_text_add(t, ", "), put_key_number(t, "length", s->size[1]);
  }
  if (!is_zero(place->p, 3)) hn_text_add(t, ", position: "), put_numbers(t, place->p, 3);
  if (is_turned(place->R)) hn_text_add(t, ", "), put_orientation(t, place->R);
  if (s->color) hn_text_add(t, ", color: \"%s\"", s->color);
  hn_text_add(t, "}\n");
}

// of all links that are parts of the body
// Links that became one body keep their looks, each at its place.
static void put_shapes(hn_text *t, const hn_robot *robot, int body) {
  bool begun = false;
  for (int i = 0; i < robot->links; i++) {
    const hn_robot_link *l = &robot->link[i];
    // parts of this body only
    if (l->body != body) continue;
    for (const hn_robot_shape *s = l->shape; s; s = s->next) {
      hn_rigid place;
      hn_rigid_mul(&place, &l->in_body, &s->place);
      if (!begun) hn_text_add(t, "    shapes:\n");
      begun = true;
      put_shape(t, s, &place);
    }
  }
}

static void put_body(hn_text *t, const hn_robot *robot, int i) {
  const hn_robot_link *l = &robot->link[i];
  hn_text_add(t, "  %s:\n    ", l->name);
  put_key_number(t, "mass", l->mass);
  hn_text_add(t, "\n");
  // a centre of mass at the origin is the reader's default
  if (!is_zero(l->com, 3))
    hn_text_add(t, "    com: "), put_numbers(t, l->com, 3), hn_text_add(t, "\n");
  put_inertia(t, l->inertia);
  hn_text_add(t, "    position: ");
  put_numbers(t, l->world.p, 3);
  hn_text_add(t, "\n");
  if (is_turned(l->world.R)) {
    hn_text_add(t, "    ");
    put_orientation(t, l->world.R);
    hn_text_add(t, "\n");
  }
  // a body at rest says nothing of velocities
  if (!is_zero(l->v, 3))
    hn_text_add(t, "    velocity: "), put_numbers(t, l->v, 3), hn_text_add(t, "\n");
  if (!is_zero(l->w, 3))
    hn_text_add(t, "    angular_velocity: "), put_numbers(t, l->w, 3), hn_text_add(t, "\n");
  put_shapes(t, robot, i);
  put_frames(t, robot, i);
}

// ---- joints --------------------------------------------------------------------------------

// what starts behind a stop would have to be pushed back by a force that nobody knows
// Within `near` of a stop counts as on it: files round. One-sided limits are joints of their own,
// since the key `limits` has two numbers.
static void put_limits(hn_text *t, hn_robot *robot, const hn_robot_joint *j) {
  const double *l = j->limits, x = j->value[0];
  // equal numbers mean none (robot.h)
  if (!(l[0] < l[1])) return;
  bool below = isfinite(l[0]), above = isfinite(l[1]);
  // relative to the range, where there is one
  double near = 1e-9 * (below && above ? l[1] - l[0] : 1);
  if (x >= l[0] - near && x <= l[1] + near) {
    if (below && above) {
      hn_text_add(t, ", limits: ");
      put_numbers(t, l, 2);
    } else {
      const char *side = below ? "lower" : "upper";
      const char *name =
          hn_robot_name(robot, hn_robot_text(robot, "%s_%s", j->name, side), "limit");
      // rows of their own: they stand behind the joints they limit
      hn_text_add(&robot->extra_joints, "  %s: {type: limit, joint_a: %s, %s: %s}\n", name, j->name,
                  side, hn_robot_number_text(robot, below ? l[0] : l[1]));
    }
    return;
  }
  hn_robot_approximated(robot, j->node,
                        "'%.60s' starts at %g, beyond its limits %g to %g, which "
                        "are not enforced",
                        j->name, x, l[0], l[1]);
}

// Place and axis in the world, as described: frames are needed only where they say more than that.
// `value` is where the coordinate is counted from.
static void put_axis_joint(hn_text *t, hn_robot *robot, const hn_robot_joint *j) {
  const hn_robot_link *l = &robot->link[j->link];
  bool slide = j->kind == HN_ROBOT_SLIDE, ball = j->kind == HN_ROBOT_BALL;
  double at[3], axis[3];
  // at the start: the reader counts coordinates from there, and `value` says what they are
  hn_rigid_point(at, &l->world, j->pos);
  m3_mulv(axis, l->world.R, j->axis);
  hn_text_add(t, "  %s: {type: %s", j->name, slide ? "prismatic" : ball ? "spherical" : "revolute");
  // without a: the ground
  if (l->parent >= 0 && robot->link[l->parent].body >= 0)
    hn_text_add(t, ", a: %s", hn_robot_body(robot, l->parent));
  hn_text_add(t, ", b: %s, at: ", l->name);
  put_numbers(t, at, 3);
  if (!ball) hn_text_add(t, ", axis: "), put_numbers(t, axis, 3);
  if (!ball && j->value[0] != 0) hn_text_add(t, ", "), put_key_number(t, "value", j->value[0]);
  if (!ball) put_limits(t, robot, j);
  hn_text_add(t, "}");
}

// the axes of both frames say where zero is, and which way is x
// Frame a is where b would be with the joint at zero: both of its coordinates are counted from
// there.
static void put_planar_joint(hn_text *t, hn_robot *robot, const hn_robot_joint *j) {
  const hn_robot_link *l = &robot->link[j->link];
  hn_rigid b, a;
  v3_copy(b.p, j->pos);
  // z along the axis, x along the side
  hn_axes_along(b.R, j->axis, j->side);
  // where the link is with the joint at its reference
  hn_rigid_mul(&a, &l->place, &b);
  const char *on_a =
      hn_robot_end(robot, l->parent, &a, hn_robot_text(robot, "%s_a", j->name), true);
  const char *on_b = hn_robot_end(robot, j->link, &b, hn_robot_text(robot, "%s_b", j->name), true);
  hn_text_add(t, "  %s: {type: planar, a: %s, b: %s}", j->name, on_a, on_b);
}

static void put_joint(hn_text *t, hn_robot *robot, const hn_robot_joint *j) {
  // a joint whose link has become part of another is not there any more
  if (robot->link[j->link].joint < 0) return;
  // six free coordinates need no joint
  if (j->kind == HN_ROBOT_FREE) return;
  if (j->kind == HN_ROBOT_PLANAR)
    put_planar_joint(t, robot, j);
  else
    put_axis_joint(t, robot, j);
  // what else the file says of it stands behind it, for people
  hn_text_add(t, j->note ? "  # %s\n" : "%s\n", j->note ? j->note : "");
}

// ---- what joints do besides ----------------------------------------------------------------

// Of a hinge or slide: force = stiffness (free - coordinate) - damping rate.
static void put_spring(hn_text *t, hn_robot *robot, const hn_robot_joint *j) {
  const char *type = j->kind == HN_ROBOT_SLIDE ? "spring" : "torsion-spring";
  hn_text_add(t, "  %s: {type: %s, joint: %s, ", hn_robot_name(robot, j->name, "spring"), type,
              j->name);
  put_key_number(t, "stiffness", j->stiffness);
  if (j->damping != 0) hn_text_add(t, ", "), put_key_number(t, "damping", j->damping);
  hn_text_add(t, ", "), put_key_number(t, "free", j->springref);
  hn_text_add(t, "}\n");
}

// springs and dampers of ball joints and free bodies act on all directions alike
// Bushings couple all six directions of two frames; those that the joint holds anyway get zeros.
static void put_bushing(hn_text *t, hn_robot *robot, const hn_robot_joint *j) {
  const hn_robot_link *l = &robot->link[j->link];
  bool free = j->kind == HN_ROBOT_FREE;
  hn_rigid b = hn_rigid_none, a;
  if (!free) v3_copy(b.p, j->pos);
  hn_rigid_mul(&a, &l->place, &b);
  const char *name = hn_robot_name(robot, j->name, "spring");
  const char *on_a =
      hn_robot_end(robot, free ? -1 : l->parent, &a, hn_robot_text(robot, "%s_a", name), true);
  const char *on_b = hn_robot_end(robot, j->link, &b, hn_robot_text(robot, "%s_b", name), true);
  hn_text_add(t, "  %s: {type: bushing, a: %s, b: %s, stiffness: ", name, on_a, on_b);
  double k[6], c[6];
  for (int i = 0; i < 6; i++)
    // turns only: shifts are the joint's
    k[i] = i < 3 && !free ? 0 : j->stiffness, c[i] = i < 3 && !free ? 0 : j->damping;
  put_numbers(t, k, 6);
  hn_text_add(t, ", damping: ");
  put_numbers(t, c, 6);
  hn_text_add(t, "}\n");
}

// Friction of robot files is a constant torque, whatever the joint bears: pressed together by a
// force that is given it needs no reaction, and may stick.
static void put_joint_forces(hn_text *t, hn_robot *robot, const hn_robot_joint *j) {
  if (robot->link[j->link].joint < 0) return;
  if (j->kind == HN_ROBOT_PLANAR) {
    // in the plane along both axes and about the normal
    static const char *const coordinate[] = {"x", "y", "angle"};
    for (int k = 0; k < 3 && j->damping != 0; k++) {
      hn_text_add(t, "  %s: {type: friction, joint: %s, coordinate: %s, ",
                  hn_robot_name(robot, j->name, "damping"), j->name, coordinate[k]);
      put_key_number(t, "viscous", j->damping);
      hn_text_add(t, "}\n");
    }
    return;
  }
  if (j->kind == HN_ROBOT_BALL || j->kind == HN_ROBOT_FREE) {
    if (j->stiffness != 0 || j->damping != 0) put_bushing(t, robot, j);
    return;
  }
  // a spring has the damping in it; without one the damping is friction without a Coulomb part
  if (j->stiffness != 0) {
    put_spring(t, robot, j);
  } else if (j->damping != 0) {
    hn_text_add(t, "  %s: {type: friction, joint: %s, ", hn_robot_name(robot, j->name, "damping"),
                j->name);
    put_key_number(t, "viscous", j->damping);
    hn_text_add(t, "}\n");
  }
  if (j->friction != 0) {
    // whatever the joint bears: pressed together by a force that is given, coefficient and arm 1
    hn_text_add(t, "  %s: {type: friction, joint: %s, law: coulomb, coulomb: 1%s, ",
                hn_robot_name(robot, j->name, "friction"), j->name,
                j->kind == HN_ROBOT_SLIDE ? "" : ", radius: 1");
    put_key_number(t, "press", j->friction);
    hn_text_add(t, "}\n");
  }
}

// the inertia of a drive is that of a wheel on the ground which turns as the joint does
static bool has_rotor(const hn_robot *robot, const hn_robot_joint *j) {
  // hinges and slides only: of others no single speed is the rotor's
  return j->armature > 0 && j->kind <= HN_ROBOT_SLIDE && robot->link[j->link].joint >= 0;
}

// gravity must not pull at it
static void rotor_axis(const hn_robot *robot, double axis[3]) {
  double g = v3_norm(robot->gravity), down[3];
  if (!(g > 0)) {
    v3_set(axis, 1, 0, 0);
    return;
  }
  v3_scale(down, 1 / g, robot->gravity);
  v3_perpendicular(axis, down);
}

// A wheel beside the robot is geared to the joint, ratio one: it adds its inertia to the joint and
// nothing else. On the ground and balanced it feels neither gravity nor the motion of the links, as
// `armature` and rotor inertias are meant.
static void put_rotor(hn_text *bodies, hn_text *joints, hn_robot *robot, const hn_robot_joint *j) {
  bool slide = j->kind == HN_ROBOT_SLIDE;
  const char *name = hn_robot_name(robot, hn_robot_text(robot, "%s_rotor", j->name), "body");
  const char *axle = hn_robot_name(robot, hn_robot_text(robot, "%s_axle", j->name), "joint");
  // mass of a slide or as inertia of a hinge [kg] or [kg m^2]: the other one has no effect
  double axis[3], inertia[3] = {j->armature, j->armature, j->armature}, spin[3];
  rotor_axis(robot, axis);
  // the wheel turns as fast as the joint from the start on
  v3_scale(spin, j->rate[0], axis);
  hn_text_add(bodies, "  %s: {", name);
  put_key_number(bodies, "mass", j->armature);
  hn_text_add(bodies, ", inertia: ");
  put_numbers(bodies, inertia, 3);
  if (j->rate[0] != 0) {
    hn_text_add(bodies, slide ? ", velocity: " : ", angular_velocity: ");
    put_numbers(bodies, spin, 3);
  }
  hn_text_add(bodies, "}\n");
  hn_text_add(joints, "  %s: {type: %s, b: %s, axis: ", axle, slide ? "prismatic" : "revolute",
              name);
  put_numbers(joints, axis, 3);
  // signs follow the joint: both turn the same way
  hn_text_add(joints, "}\n  %s: {type: gear, joint_a: %s, joint_b: %s, ratio: 1}\n",
              hn_robot_name(robot, j->name, "drive"), j->name, axle);
}

// ---- all of it -----------------------------------------------------------------------------

static void put_section(hn_text *t, const char *name, const hn_text *entries) {
  if (entries->length) hn_text_add(t, "%s:\n%s", name, entries->data);
}

// NULL and robot->status on failure; free() the text.
char *hn_robot_write(hn_robot *robot) {
  hn_text t = {0}, bodies = {0}, joints = {0}, rotor_bodies = {0}, rotor_joints = {0}, forces = {0};
  hn_text ground = {0};
  // joints and forces come first, because some of them put frames on bodies
  // what is wanted of frames is known after that
  for (int i = 0; i < robot->joints; i++) {
    // naming things may move nothing, but frames grow
    put_joint(&joints, robot, &robot->joint[i]);
    put_joint_forces(&forces, robot, &robot->joint[i]);
    if (has_rotor(robot, &robot->joint[i]))
      put_rotor(&rotor_bodies, &rotor_joints, robot, &robot->joint[i]);
  }
  // the first link of each body
  for (int i = 0; i < robot->links; i++)
    if (robot->link[i].body == i) put_body(&bodies, robot, i);
  put_frames(&ground, robot, -1);

  hn_text_add(&t, "# made by holon import\nname: %s\ngravity: ", robot->name);
  put_numbers(&t, robot->gravity, 3);
  hn_text_add(&t, "\n");
  // bodies with next to no mass are no unknowns of the tree
  if (robot->carriers) hn_text_add(&t, "simulation: {coordinates: relative}\n");
  if (ground.length) hn_text_add(&t, "ground:\n%s", ground.data);
  put_section(&t, "signals", &robot->signals);
  put_section(&t, "states", &robot->states);
  hn_text_add(&t, "bodies:\n%s%s", bodies.length ? bodies.data : "",
              rotor_bodies.length ? rotor_bodies.data : "");
  if (joints.length || robot->extra_joints.length || rotor_joints.length)
    hn_text_add(&t, "joints:\n%s%s%s", joints.length ? joints.data : "",
                rotor_joints.length ? rotor_joints.data : "",
                robot->extra_joints.length ? robot->extra_joints.data : "");
  if (forces.length || robot->forces.length)
    hn_text_add(&t, "forces:\n%s%s", forces.length ? forces.data : "",
                robot->forces.length ? robot->forces.data : "");
  if (bodies.failed || joints.failed || rotor_bodies.failed || rotor_joints.failed ||
      forces.failed || ground.failed || robot->signals.failed || robot->states.failed ||
      robot->extra_joints.failed || robot->forces.failed)
    t.failed = true;
  free(bodies.data), free(joints.data), free(rotor_bodies.data), free(rotor_joints.data);
  free(forces.data), free(ground.data);
  if (!t.failed && !robot->status) return t.data;
  free(t.data);
  if (!robot->status) hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
  return NULL;
}
