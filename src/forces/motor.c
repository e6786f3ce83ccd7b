// motor.c: force or torque along a joint coordinate m.
//
// The effort F(m, m', t, measured quantities) is an expression; positive effort drives the
// coordinate up: the generalized force is F grad(m), its power F m'. The expression calls the
// coordinate `value` (also `angle` or `translation`) and its rate `rate`.
#include "forces/drive.h"
#include "forces/force.h"
#include "forces/law.h"

static const char *column(const void *data, int k, const char **unit) {
  const hn_along *e = data;
  if (k > 0) return NULL;
  *unit = e->angular ? "N m" : "N";
  return "effort";
}

static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const hn_along *e = data;
  (void)k;
  return hn_law_eval(&e->law, sys, work, e->measure).force;
}

static const hn_force_ops ops = {
    .name = "motor",
    .data_size = sizeof(hn_along),
    .eval = hn_along_eval,
    .tangent = hn_along_tangent,
    .column = column,
    .read = read,
    .line = hn_along_line,
    .tension = hn_along_tension,
    .formulas = hn_along_formulas,
};

// The law is all expression: there is no potential, and whatever the effort does is work of the
// ledger. As an extra name of the coordinate `angle` or `translation` reads better than `value`
hn_status hn_drive_build(hn_builder *builder, const hn_force_def *def, const char *law) {
  hn_along e = {.sign = 1};
  e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
  if (e.measure < 0) return hn_build_status(builder);
  hn_local_name local[] = {
      {"value", HN_SIGNAL_VALUE, e.measure, NULL},
      {e.angular ? "angle" : "translation", HN_SIGNAL_VALUE, e.measure, NULL},
      {"rate", HN_SIGNAL_RATE, e.measure, NULL},
  };
  e.law.expression = hn_build_expression(builder, "law", law, local, 3);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  return hn_drive_build(builder, def, def->law);
}

const hn_force_type hn_force_motor = {
    .info = {.name = "motor",
             .help = "force or torque along a joint coordinate, given by an expression",
             .keys = "joint coordinate law",
             .required = "joint law"},
    .build = build,
};
