// spring.c: spring and damper between a point of a and a point of b.
//
// Along the distance L = |P_b - P_a| acts the tension F of law.c with x = L - free; it pulls the
// points together: the generalized force is -F grad L. Without `free` the spring is relaxed as
// assembled. Where the points coincide there is no direction and so no force.
//
// With `joint` the spring acts along a translation of that joint instead: F pulls the coordinate
// down, and its value takes the place of L.
#include "forces/force.h"
#include "forces/law.h"

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"length", "rate", "force"}, *const units[] = {"m", "m/s", "N"};
  (void)data;
  if (k > 2) return NULL;
  *unit = units[k];
  return name[k];
}

static const hn_force_ops ops = {
    .name = "spring",
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

// A distance is never negative and has no gradient at zero; coordinates of joints have both signs.
// So a spring along a joint may be compressed through zero, one between points may not
static hn_status build(hn_builder *builder, const hn_force_def *def) {
  hn_along e = {.sign = -1};
  if (def->joint) {
    e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
    if (e.angular)
      return hn_build_fail(builder, HN_ERR_UNSUPPORTED,
                           "the coordinate of joint '%s' is an angle (use a torsion-spring)",
                           def->joint);
  } else {
    e.measure = hn_build_distance(builder, hn_mount_a(builder), hn_mount_b(builder));
  }
  hn_law_build(&e.law, builder, def, e.measure, "length");
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_spring = {
    .info = {.name = "spring",
             .help = "spring and damper between two points, or along a joint's translation",
             .keys = "at at_b joint coordinate stiffness damping free preload coefficients "
                     "table law",
             .required = ""},
    .build = build,
};
