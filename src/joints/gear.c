// gear.c: transmissions between the coordinates of two joints, 1 row each.
//   gear:         q_b - ratio q_a = its value in the described configuration
//   rack-pinion:  translation - radius angle = its value in the described configuration
//   gear-flank:   gap u - lower >= 0, or upper - u >= 0, u = q_b - ratio q_a less its value in the
//                 described configuration: one side of teeth with backlash
// A negative ratio reverses the sense; so does turning round the axis of one of the joints. The
// bodies are those of the joints, so a moving carrier (planetary gears) needs nothing more.
#include "joints/parts.h"
#include "system/transmission.h"

// the two coordinates; false after a failure
static bool find(hn_builder *builder, const hn_joint_def *def, int measure[2], bool angular[2]) {
  // names alone decide, so two joints may have any bodies, also no common one
  measure[0] = hn_build_joint_coordinate(builder, def->joint_a, def->coordinate, &angular[0]);
  if (measure[0] < 0) return false;
  measure[1] = hn_build_joint_coordinate(builder, def->joint_b, def->coordinate_b, &angular[1]);
  if (measure[1] < 0) return false;
  // the same measure twice has no row: (1 - ratio) c = constant would lock it, or say nothing
  if (measure[0] == measure[1]) {
    hn_build_fail(builder, HN_ERR_MODEL, "couples a coordinate of joint '%s' with itself",
                  def->joint_a);
    return false;
  }
  return true;
}

static void couple(hn_builder *builder, int driven, int driver, double ratio) {
  // teeth mesh as described: the constant keeps assembly from turning anything
  double start = hn_build_value(builder, driven) - ratio * hn_build_value(builder, driver);
  hn_build_combination(builder, "mesh", 2, (int[]){driven, driver}, (double[]){1, -ratio}, start,
                       NULL);
}

static hn_status build_gear(hn_builder *builder, const hn_joint_def *def) {
  int measure[2];
  bool angular[2];
  if (!find(builder, def, measure, angular)) return hn_build_status(builder);
  // a ratio between an angle and a length would have a unit that nobody has stated
  if (angular[0] != angular[1])
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "couples an angle with a translation (use rack-pinion)");
  couple(builder, measure[1], measure[0], def->ratio);
  // for the forces of the teeth on shafts and carriers; coefficients in the order of joint_a and
  // joint_b, as the row has them
  hn_build_transmission(builder, def, -def->ratio, 1, false);
  return hn_build_status(builder);
}

static hn_status build_rack(hn_builder *builder, const hn_joint_def *def) {
  int measure[2];
  bool angular[2];
  if (!find(builder, def, measure, angular)) return hn_build_status(builder);
  if (angular[0] == angular[1])
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "needs an angle (pinion) and a translation (rack), but joints '%s' and "
                         "'%s' give two %s (name coordinates, or use gear)",
                         def->joint_a, def->joint_b, angular[0] ? "angles" : "translations");
  // which of the two is the angle: users may name them either way round
  int pinion = angular[0] ? 0 : 1;
  couple(builder, measure[1 - pinion], measure[pinion], def->radius);
  hn_build_transmission(builder, def, pinion ? 1 : -def->radius, pinion ? -def->radius : 1,
                        pinion == 1);
  return hn_build_status(builder);
}

static hn_status build_flank(hn_builder *builder, const hn_joint_def *def) {
  int measure[2];
  bool angular[2];
  if (!find(builder, def, measure, angular)) return hn_build_status(builder);
  if (angular[0] != angular[1])
    return hn_build_fail(builder, HN_ERR_MODEL, "couples an angle with a translation");
  if (!def->lower_given && !def->upper_given)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "needs lower or upper: how far joint_b's coordinate may be from ratio "
                         "times that of joint_a");
  // One flank, so one bound. gap = sign (u - at) with u counted from the description; both terms
  // and the constant take the sign.
  double sign = def->upper_given ? -1 : 1, at = def->upper_given ? def->upper : def->lower;
  double start =
      hn_build_value(builder, measure[1]) - def->ratio * hn_build_value(builder, measure[0]);
  hn_build_unilateral_sum(builder, "flank", 2, (int[]){measure[1], measure[0]},
                          (double[]){sign, -sign * def->ratio}, sign * (start + at),
                          def->restitution);
  hn_build_transmission(builder, def, -sign * def->ratio, sign, false);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_gear_flank = {
    .info = {.name = "gear-flank",
             .help = "teeth with backlash, on one side: b less `ratio` times a stays within it",
             .keys = "joint_a joint_b coordinate coordinate_b ratio lower upper restitution "
                     "pressure_angle",
             .required = "joint_a joint_b ratio"},
    .needs_rotation = false,
    .build = build_flank,
};

const hn_joint_type hn_joint_gear = {
    .info = {.name = "gear",
             .help = "coordinate of joint_b moves `ratio` times as far as that of joint_a",
             .keys = "joint_a joint_b coordinate coordinate_b ratio pressure_angle",
             .required = "joint_a joint_b ratio"},
    .needs_rotation = false,
    .build = build_gear,
};

const hn_joint_type hn_joint_rack_pinion = {
    .info = {.name = "rack-pinion",
             .help = "translation of one joint is `radius` times the angle of the other",
             .keys = "joint_a joint_b coordinate coordinate_b radius pressure_angle",
             .required = "joint_a joint_b radius"},
    .needs_rotation = false,
    .build = build_rack,
};
