// friction.c: friction in a joint, against the rate m' of one of its coordinates.
//
//   F = -viscous m' - coulomb N arm tanh(m' / speed)
//
// N is the magnitude of the joint's reaction force, the one that is recorded: where joints share a
// load, its share. arm is `radius`, the radius of the surfaces that rub, for an angle and 1 for a
// translation. tanh replaces the jump at rest: below `speed` the joint creeps. The Coulomb part
// needs the reactions and so comes after them (`reactive`); its tangent holds N.
#include "code/formulas.h"
#include "forces/force.h"
#include "forces/law.h"

#include <string.h>

typedef struct friction {
  int measure;
  int load;  // number of the joint's reaction
  double viscous;
  double coulomb;  // coefficient times arm
  double speed;
  bool angular;
} friction;

// magnitude of the reaction force
static double load(const friction *e, const hn_work *work) {
  return e->coulomb > 0 ? v3_norm(work->load + 6 * e->load) : 0;
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const friction *e = data;
  for (int i = 0; i < count; i++, e++) {
    double rate = work->mval[e->measure].rate, F = -e->viscous * rate;
    hn_apply_measure(sys, work, e->measure, F);
    work->power += F * rate;
  }
}

static void formulas(hn_formulas *f, int count, const void *data) {
  const friction *e = data;
  for (int i = 0; i < count; i++, e++) {
    hn_jet m = hn_measure_jet(f, e->measure);
    hn_node F = n_scale(f->g, -e->viscous, m.rate);
    hn_formulas_apply(f, F, m.rate);
    hn_formulas_power(f, n_mul(f->g, F, m.rate));
  }
}

static double dry(const friction *e, const hn_work *work) {
  return -e->coulomb * load(e, work) * tanh(work->mval[e->measure].rate / e->speed);
}

static void reactive(const hn_system *sys, hn_work *work, int count, const void *data) {
  const friction *e = data;
  for (int i = 0; i < count; i++, e++) {
    double F = dry(e, work);
    hn_apply_measure(sys, work, e->measure, F);
    work->power += F * work->mval[e->measure].rate;
  }
}

static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const friction *e = data;
  for (int i = 0; i < count; i++, e++) {
    double rate = work->mval[e->measure].rate, s = tanh(rate / e->speed);
    double N = e->coulomb * load(e, work);
    hn_tangent_measure(sys, work, e->measure, -e->viscous * rate - N * s, 0,
                       -e->viscous - N * (1 - s * s) / e->speed, out);
  }
}

static const char *column(const void *data, int k, const char **unit) {
  const friction *e = data;
  if (k > 0) return NULL;
  *unit = e->angular ? "N m" : "N";
  return "force";
}

static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const friction *e = data;
  (void)sys, (void)k;
  return dry(e, work) - e->viscous * work->mval[e->measure].rate;
}

// without Coulomb friction nothing has to wait for the multipliers
static const hn_force_ops viscous_ops = {
    .name = "friction",
    .data_size = sizeof(friction),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
};
static const hn_force_ops dry_ops = {
    .name = "friction",
    .data_size = sizeof(friction),
    .eval = eval,
    .tangent = tangent,
    .reactive = reactive,
    .column = column,
    .read = read,
};

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  const hn_system *sys = hn_build_system(builder);
  friction e = {.viscous = def->viscous, .speed = def->speed > 0 ? def->speed : 1e-3};
  if (def->viscous == 0 && def->coulomb == 0)
    return hn_build_fail(builder, HN_ERR_MODEL, "has no force: give viscous or coulomb");
  e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
  if (e.measure < 0) return hn_build_status(builder);
  if (e.angular && def->coulomb > 0 && !(def->radius > 0))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "needs the radius of the surfaces that rub, as '%s' turns", def->joint);
  e.coulomb = def->coulomb * (e.angular ? def->radius : 1);
  if (def->coulomb > 0) {
    int joint = 0;
    while (joint < sys->joints && strcmp(sys->joint[joint].name, def->joint) != 0) joint++;
    if (joint == sys->joints)
      return hn_build_fail(builder, HN_ERR_MODEL,
                           "needs a joint, whose reaction it follows: '%s' is a block (give "
                           "viscous only)",
                           def->joint);
    e.load = hn_build_load(builder, joint);
  }
  hn_build_force(builder, def->coulomb > 0 ? &dry_ops : &viscous_ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_friction = {
    .info = {.name = "friction",
             .help = "Coulomb and viscous friction against the rate of a joint coordinate",
             .keys = "joint coordinate coulomb viscous speed radius",
             .required = "joint"},
    .build = build,
};
