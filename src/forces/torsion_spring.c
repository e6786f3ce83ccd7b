// torsion_spring.c: spring and damper along an angle.
//
// The angle is a coordinate of `joint`, or the rotation of b about `axis` of a. The torque F of
// law.c with x = angle - free turns it back: the generalized force is -F grad(angle). Without
// `free` the spring is relaxed as assembled.
#include "forces/force.h"
#include "forces/law.h"
#include "system/pair.h"

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"angle", "rate", "torque"};
  static const char *const units[] = {"rad", "rad/s", "N m"};
  (void)data;
  if (k > 2) return NULL;
  *unit = units[k];
  return name[k];
}

static const hn_force_ops ops = {
    .name = "torsion-spring",
    .data_size = sizeof(hn_along),
    .eval = hn_along_eval,
    .tangent = hn_along_tangent,
    .column = column,
    .read = hn_along_read,
    .switches = hn_along_switches,
    .line = hn_along_line,
    .tension = hn_along_tension,
    .formulas = hn_along_formulas,
    .relax = hn_along_relax,
    .beyond = hn_along_beyond,
};

// Angles count turns (system/turns.c): a spring that is wound up by three turns has the torque of
// three turns. Planar bodies have one axis, and another would be a mistake
static hn_status build(hn_builder *builder, const hn_force_def *def) {
  hn_along e = {.sign = -1, .angular = true};
  if (def->joint) {
    // an angle of the joint, counted from its own zero
    e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
    if (!e.angular)
      return hn_build_fail(builder, HN_ERR_UNSUPPORTED,
                           "the coordinate of joint '%s' is no angle (use a spring)", def->joint);
  } else {
    if (!hn_mount_turns(builder, hn_mount_a(builder)) ||
        !hn_mount_turns(builder, hn_mount_b(builder)))
      return hn_build_status(builder);
    // either side of the plane will do: hn_build_angle sees to the sign
    if (hn_build_planar(builder) && fabs(hn_mount_a(builder)->R[8]) < 1 - 1e-9)
      return hn_build_fail(builder, HN_ERR_MODEL,
                           "planar bodies turn about z (leave axis out or give 0 0 1)");
    e.measure = hn_build_angle(builder, hn_mount_a(builder), hn_mount_b(builder));
  }
  hn_law_build(&e.law, builder, def, e.measure, "angle");
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_torsion_spring = {
    .info = {.name = "torsion-spring",
             .help = "spring and damper along a joint's angle, or about an axis between two bodies",
             .keys = "at axis joint coordinate stiffness damping free preload coefficients "
                     "table law",
             .required = ""},
    .build = build,
};
