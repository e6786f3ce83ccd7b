// bump_stop.c: one-sided spring and damper.
//
// The measure m is a joint coordinate, or, between a point of a and a point of b, their separation
// along `axis` (fixed in a), or their distance when no axis is given. While m > gap acts
//
//   F = k (m - gap) + c m',  never below zero,
//
// against further growth of m: the generalized force is -F grad(m). A stop for the other direction
// has the opposite axis. The potential is k (m - gap)^2 / 2; what the damper and the cut at zero
// take away is counted as work.
#include "forces/force.h"
#include "forces/law.h"

typedef struct stop {
  double stiffness, damping, gap;
  int measure;
  bool angular;
} stop;

// resisting force and whether its formula is in force (not cut)
static double resist(const stop *e, const hn_mval *m, bool *acting) {
  double x = m->value - e->gap, F = e->stiffness * x + e->damping * m->rate;
  *acting = x > 0 && F > 0;
  return *acting ? F : 0;
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const stop *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_mval *m = &work->mval[e->measure];
    double x = m->value - e->gap;
    if (!(x > 0)) continue;
    bool acting;
    double F = resist(e, m, &acting);
    hn_apply_measure(sys, work, e->measure, -F);
    work->potential += 0.5 * e->stiffness * x * x;
    work->power -= (F - e->stiffness * x) * m->rate;
  }
}

static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const stop *e = data;
  for (int i = 0; i < count; i++, e++) {
    bool acting;
    double F = resist(e, &work->mval[e->measure], &acting);
    if (acting) hn_tangent_measure(sys, work, e->measure, -F, -e->stiffness, -e->damping, out);
  }
}

static const char *column(const void *data, int k, const char **unit) {
  const stop *e = data;
  if (k > 0) return NULL;
  *unit = e->angular ? "N m" : "N";
  return "force";
}

static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const stop *e = data;
  bool acting;
  (void)sys, (void)k;
  return resist(e, &work->mval[e->measure], &acting);
}

// engaged or not; and, when there is a damper, pushing or cut while engaged
static int switches(const hn_system *sys, const hn_work *work, const void *data, double *value,
                    int room) {
  const stop *e = data;
  int count = e->damping > 0 ? 2 : 1;
  (void)sys;
  if (room < count) return count;
  const hn_mval *m = &work->mval[e->measure];
  value[0] = m->value - e->gap;
  if (count > 1) value[1] = fmax(value[0] + e->damping / e->stiffness * m->rate, -value[0]);
  return count;
}

static const hn_force_ops ops = {
    .name = "bump-stop",
    .data_size = sizeof(stop),
    .eval = eval,
    .tangent = tangent,
    .column = column,
    .read = read,
    .switches = switches,
};

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  stop e = {.stiffness = def->stiffness, .damping = def->damping, .gap = def->gap};
  if (!(def->stiffness > 0))
    return hn_build_fail(builder, HN_ERR_MODEL, "stiffness must be positive");
  if (def->joint) {
    e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
  } else {
    const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
    bool axis = v3_dot(def->axis, def->axis) > 0;
    e.measure = axis ? hn_build_dot2(builder, a, HN_AXIS_Z, b) : hn_build_distance(builder, a, b);
  }
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_bump_stop = {
    .info = {.name = "bump-stop",
             .help = "one-sided spring beyond a gap, along a joint coordinate, an axis or a "
                     "distance",
             .keys = "at at_b axis joint coordinate stiffness damping gap",
             .required = "stiffness"},
    .build = build,
};
