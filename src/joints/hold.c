// hold.c: what friction holds while it sticks: rows whose rates are the slip of two surfaces.
//   a coordinate c of joint_a         radius c', radius 1 for a translation
//   both of a cylindrical joint       translation', radius angle'
//   a ball joint                      radius (w_b - w_a) along x_a, y_a, z_a
//                                     (in the plane: radius angle')
//   teeth of a gear, rack or worm     see system/transmission.h
//   where joint_a is a stop           x_a . v, y_a . v (in the plane: x_a . v)
//   where it is a contact, or a       along both tangents of the surface (system/slip.c), where a
//   joint with clearance              joint has several gaps before each of them
// with v = d' - (w_b - w_a) x r z_a, the slip of the stop's ball of radius r, which may roll. The
// rows come and go (sim/stick.c); where they hold is where they came.
#include "joints/parts.h"
#include "system/reaction.h"
#include "system/transmission.h"

#include <stdio.h>
#include <string.h>

// among those built before this one; NULL: it is a block, whose coordinate serves as well
static const hn_sys_joint *find(const hn_builder *builder, const char *name) {
  const hn_system *sys = hn_build_system(builder);
  for (int i = 0; i < sys->joints; i++)
    if (strcmp(sys->joint[i].name, name) == 0) return &sys->joint[i];
  return NULL;
}

// radius of the ball of a stop, the constant of its row
static double ball(const hn_system *sys, const char *stop) {
  // the rows of a stop are its own only: the first one found is its gap, whose constant is the
  // radius
  for (int i = 0; i < sys->rowcount; i++)
    if (strcmp(sys->joint[sys->row_joint[sys->row[i].row]].name, stop) == 0)
      return sys->row[i].constant;
  return 0;
}

static void hold_coordinate(hn_builder *builder, const hn_joint_def *def, const char *coordinate) {
  bool angular;
  // A slip has the unit of a velocity at the surfaces, whatever rubs: so coefficients times the
  // normal force bound the multiplier. Hence an angle counts by the radius.
  int measure = hn_build_joint_coordinate(builder, def->joint_a, coordinate, &angular);
  if (measure < 0) return;
  if (angular && !(def->radius > 0)) {
    hn_build_fail(builder, HN_ERR_MODEL, "needs the radius of the surfaces that rub, as '%s' turns",
                  def->joint_a);
    return;
  }
  hn_build_hold_row(builder, angular ? "turn" : "slide", 1, &measure,
                    (double[]){angular ? def->radius : 1});
}

// the tangent of a line in the plane, for a point or a disc that can roll along it
static void hold_in_plane(hn_builder *builder, double radius, hn_mount a, const hn_mount *b) {
  // hn_build_axis_in_plane makes x the direction along the line, z its normal
  double x[3], z[3], across[3];
  if (!hn_build_axis_in_plane(builder, &a)) return;
  hn_part_world_axis(builder, &a, HN_AXIS_X, x);
  hn_part_world_axis(builder, &a, HN_AXIS_Z, z);
  // x_a . (w e_z x r z_a) = -w r (e_z x x_a) . z_a: which way a disc rolls forward
  v3_cross(across, (double[]){0, 0, 1}, x);
  int measure[2] = {hn_build_dot2(builder, &a, HN_AXIS_X, b)};
  double coefficient[2] = {1, radius * v3_dot(across, z)};
  // a point, or a ball of a point mass, slides with its translation alone
  bool rolls = radius > 0 && hn_build_rotates(builder, b->body);
  if (rolls) measure[1] = hn_build_angle(builder, &a, b);
  if (!hn_build_status(builder))
    hn_build_hold_row(builder, "slide", rolls ? 2 : 1, measure, coefficient);
}

static hn_status hold_on_plane(hn_builder *builder, const hn_joint_def *def,
                               const hn_sys_joint *stop) {
  hn_mount a = stop->a, b = stop->b;
  double radius = ball(hn_build_system(builder), def->joint_a);
  if (hn_joint_is_flat(hn_build_system(builder), stop)) {
    hold_in_plane(builder, radius, a, &b);
    return hn_build_status(builder);
  }
  bool rolls = radius > 0 && hn_build_rotates(builder, b.body);
  // measured in axes of a that turn with it: what remains is motion of b against the material of a
  int x[2] = {hn_build_dot2(builder, &a, HN_AXIS_X, &b), -1};
  int y[2] = {hn_build_dot2(builder, &a, HN_AXIS_Y, &b), -1};
  // x . (w x z) = w . y and y . (w x z) = -w . x give the two coefficients
  if (rolls) x[1] = hn_build_spin(builder, &a, HN_AXIS_Y, &b);
  if (rolls) y[1] = hn_build_spin(builder, &a, HN_AXIS_X, &b);
  if (!hn_build_status(builder)) {
    hn_build_hold_row(builder, "slide_x", rolls ? 2 : 1, x, (double[]){1, -radius});
    hn_build_hold_row(builder, "slide_y", rolls ? 2 : 1, y, (double[]){1, radius});
  }
  return hn_build_status(builder);
}

// along the surface before every gap of the joint, in the order of these
static hn_status hold_on_surfaces(hn_builder *builder, int joint) {
  // rows that are added here come behind those of the joint, wherever the lists are then
  const hn_system *sys = hn_build_system(builder);
  bool flat = hn_joint_is_flat(sys, &sys->joint[joint]);
  int rows = sys->rowcount, gaps = 0;
  for (int i = 0; i < rows && !hn_build_status(builder); i++) {
    if (sys->row_joint[sys->row[i].row] != joint) continue;
    int gap = sys->term[sys->row[i].first_term].measure;
    gaps++;
    for (int k = 0; k < (flat ? 1 : 2); k++) {
      char label[32];
      int slip = hn_build_slip(builder, gap, flat ? 2 : k);
      if (slip < 0) break;
      snprintf(label, sizeof label, flat ? "slide" : k ? "slide_y" : "slide_x");
      if (gaps > 1) snprintf(label + strlen(label), sizeof label - strlen(label), "_%d", gaps);
      hn_build_hold_row(builder, label, 1, &slip, (double[]){1});
    }
  }
  return hn_build_status(builder);
}

// a pin that turns in its bearing rubs on its surface: where that is its radius says
static bool has_radius(const hn_system *sys, int joint) {
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_measure *gap = &sys->measure[sys->term[sys->row[i].first_term].measure];
    if (sys->row_joint[sys->row[i].row] == joint && gap->arm != 0) return true;
  }
  return false;
}

static hn_status hold_in_clearance(hn_builder *builder, const hn_joint_def *def, int joint) {
  const hn_system *sys = hn_build_system(builder);
  const hn_sys_joint *j = &sys->joint[joint];
  bool turns = hn_build_rotates(builder, j->b.body);
  bool block = strcmp(j->type, "clearance-prismatic") == 0;
  if (def->coordinate)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "rubs wherever '%s' touches: leave coordinate out (the coordinates of a "
                         "joint with clearance say where it is)",
                         def->joint_a);
  if (turns && !block && !has_radius(sys, joint))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "needs the radius of what turns in '%s': give joint '%s' a radius",
                         def->joint_a, def->joint_a);
  if (def->radius > 0)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "radius has no effect: where '%s' rubs its own radius says", def->joint_a);
  return hold_on_surfaces(builder, joint);
}

static hn_status hold_ball(hn_builder *builder, const hn_joint_def *def, const hn_mount *a,
                           const hn_mount *b, bool flat) {
  static const char *const label[] = {"spin_x", "spin_y", "spin_z"};
  if (!(def->radius > 0))
    return hn_build_fail(builder, HN_ERR_MODEL, "needs the radius of the ball of '%s'",
                         def->joint_a);
  if (!hn_build_rotates(builder, a->body) || !hn_build_rotates(builder, b->body))
    return hn_build_fail(builder, HN_ERR_MODEL, "a point mass does not turn: nothing rubs in '%s'",
                         def->joint_a);
  // any of the three turns may be held: each axis has its own row, and together they stay below the
  // bound
  for (int k = 0; k < (flat ? 1 : 3); k++) {
    // in the plane there is one turn, and it has an angle; in space spins have no coordinate, only
    // a rate
    int measure = flat ? hn_build_angle(builder, a, b) : hn_build_spin(builder, a, k, b);
    if (measure < 0) break;
    hn_build_hold_row(builder, flat ? "turn" : label[k], 1, &measure, &def->radius);
  }
  return hn_build_status(builder);
}

static hn_status hold_teeth(hn_builder *builder, const hn_joint_def *def,
                            const hn_sys_joint *gear) {
  const hn_system *sys = hn_build_system(builder);
  hn_tooth_slide teeth;
  // axes that neither meet nor are parallel have no pitch point, hence no mesh
  bool worm = !gear->mesh;
  if (!(def->radius > 0))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         worm ? "needs radius_a and radius, of the worm and its wheel: those of "
                                "'%s' have no pitch point"
                              : "needs the radius at which teeth of '%s' rub: how far from the "
                                "pitch point they touch, on average",
                         def->joint_a);
  if (!hn_tooth_slip(sys, (int)(gear - sys->joint), def->radius, def->radius_a, &teeth))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         worm ? "needs radius_a, that of the worm: the wheels of '%s' have no "
                                "pitch point (their axes are neither parallel nor meet)"
                              : "radius_a is that of a worm, but the wheels of '%s' have a pitch "
                                "point: radius is how far from it their teeth rub",
                         def->joint_a);
  hn_build_hold_row(builder, "slide", 2, teeth.measure, teeth.coefficient);
  // terms are in the order of the joints, as in the row of the gear itself
  hn_build_coupler(builder, true);
  return hn_build_status(builder);
}

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  const hn_sys_joint *joint = find(builder, def->joint_a);
  if (joint && joint->coupler) return hold_teeth(builder, def, joint);
  if (joint && strcmp(joint->type, "stop") == 0) {
    hn_sys_joint stop = *joint;
    hn_build_as_joint(builder, def->joint_a);
    return hold_on_plane(builder, def, &stop);
  }
  if (joint && strcmp(joint->type, "contact") == 0 && !def->coordinate) {
    int index = (int)(joint - hn_build_system(builder)->joint);
    hn_build_as_joint(builder, def->joint_a);
    return hold_on_surfaces(builder, index);
  }
  if (joint && strncmp(joint->type, "clearance", 9) == 0) {
    int index = (int)(joint - hn_build_system(builder)->joint);
    hn_build_as_joint(builder, def->joint_a);
    return hold_in_clearance(builder, def, index);
  }
  if (joint && strcmp(joint->type, "spherical") == 0 && !def->coordinate) {
    hn_mount a = joint->a, b = joint->b;
    bool flat = hn_joint_is_flat(hn_build_system(builder), joint);
    hn_build_as_joint(builder, def->joint_a);
    return hold_ball(builder, def, &a, &b, flat);
  }
  if (joint && strcmp(joint->type, "cylindrical") == 0 && !def->coordinate) {
    hold_coordinate(builder, def, "translation");
    hold_coordinate(builder, def, "angle");
  } else {
    // joints with one coordinate, or the one that was named
    hold_coordinate(builder, def, def->coordinate);
  }
  // efforts of these rows count among those of the joint, and are recorded with it
  hn_build_as_joint(builder, def->joint_a);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_hold = {
    .info = {.name = "grip",
             .help = "what friction holds in joint_a while it sticks; made by friction",
             .keys = "joint_a coordinate radius radius_a",
             .required = "joint_a"},
    .needs_rotation = false,
    .build = build,
};
