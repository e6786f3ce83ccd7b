// lock.c: a coordinate of another joint stays where it is; 1 row.
//   c = its value where the lock came (always there: in the described configuration)
#include "joints/parts.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  bool angular;
  int measure = hn_build_joint_coordinate(builder, def->joint_a, def->coordinate, &angular);
  if (measure < 0) return hn_build_status(builder);
  hn_build_as_joint(builder, def->joint_a);
  // a clutch closes wherever it is: the constant is set anew then (hn_gate.anywhere)
  hn_build_row(builder, angular ? "turn" : "slide", measure, hn_build_value(builder, measure));
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_lock = {
    .info = {.name = "lock",
             .help = "a coordinate of joint_a stays where it is: brakes, clutches, latches",
             .keys = "joint_a coordinate",
             .required = "joint_a"},
    .needs_rotation = false,
    .build = build,
};
