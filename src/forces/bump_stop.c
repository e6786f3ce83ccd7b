// bump_stop.c: one-sided spring and damper.
//
// The measure m is a joint coordinate, or, between a point of a and a point of b, their separation
// along `axis` (fixed in a; z of an oriented frame of a), or their distance when there is none.
// While m > gap acts
//
//   F = k (m - gap) + c m',  never below zero,
//
// against further growth of m: the generalized force is -F grad(m). With `below` it acts while
// m < gap, against further fall, by the same formula, and F is never above zero. The potential is
// k (m - gap)^2 / 2; what the damper and the cut at zero take away is counted as work.
#include "code/formulas.h"
#include "forces/force.h"
#include "forces/law.h"

typedef struct stop {
  double stiffness, damping, gap;
  int measure;
  int engaged, pushing;  // switching functions
  bool angular;
  double side;  // of the gap on which it acts: 1 above, -1 below
} stop;

static bool engaged(const stop *e, const hn_work *work) {
  // side turns "above" into "below": one comparison for both
  return hn_side(work, e->engaged, e->side * (work->mval[e->measure].value - e->gap) > 0);
}

// resisting force and whether its formula is in force (not cut)
static double resist(const stop *e, const hn_work *work, bool *acting) {
  const hn_mval *m = &work->mval[e->measure];
  // the same formula on both sides; its sign says which way it pushes
  double F = e->stiffness * (m->value - e->gap) + e->damping * m->rate;
  *acting = engaged(e, work) && (e->damping == 0 || hn_side(work, e->pushing, e->side * F > 0));
  return *acting ? F : 0;
}

// While engaged the potential is that of the spring, also where the damper's pull has cut the force
// to zero: what is then missing of the spring's force is counted as power, so that the balance
// closes
static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const stop *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_mval *m = &work->mval[e->measure];
    // x is beyond the gap where it is engaged
    double x = m->value - e->gap;
    if (!engaged(e, work)) continue;
    bool acting;
    double F = resist(e, work, &acting);
    // against the measure's growth, or fall
    hn_apply_measure(sys, work, e->measure, -F);
    work->potential += 0.5 * e->stiffness * x * x;
    work->power -= (F - e->stiffness * x) * m->rate;
  }
}

static void formulas(hn_formulas *f, int count, const void *data) {
  const stop *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    hn_jet m = hn_measure_jet(f, e->measure);
    // `in` and the second side are 1 or 0, given from outside during a step
    hn_node x = n_sub(g, m.value, n_constant(g, e->gap)), in = hn_side_node(f, e->engaged);
    hn_node spring = n_mul(g, in, n_scale(g, e->stiffness, x)), F = spring;
    if (e->damping != 0) {
      F = n_add(g, n_scale(g, e->stiffness, x), n_scale(g, e->damping, m.rate));
      F = n_mul(g, n_mul(g, in, hn_side_node(f, e->pushing)), F);
    }
    hn_node beyond = n_scale(g, e->side, x), rate = n_scale(g, e->side * e->damping, m.rate);
    // both in units of length: x + c/k x', so that what is located does not depend on stiffness
    hn_node pushing = n_add(g, beyond, n_scale(g, 1 / e->stiffness, rate));
    hn_formulas_switch(f, e->engaged, beyond);
    if (e->damping != 0)
      // where it does not act it is positive: nothing is located there
      hn_formulas_switch(f, e->pushing,
                         hn_graph_apply(g, HN_OP_MAX, pushing, n_neg(g, beyond), -1));
    hn_formulas_apply(f, n_neg(g, F), m.rate);
    hn_formulas_potential(f, n_mul(g, spring, n_scale(g, 0.5, x)));
    hn_formulas_power(f, n_mul(g, n_sub(g, spring, F), m.rate));
  }
}

static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const stop *e = data;
  for (int i = 0; i < count; i++, e++) {
    bool acting;
    double F = resist(e, work, &acting);
    double on = acting ? 1 : 0;
    hn_tangent_measure(sys, work, e->measure, -F, -on * e->stiffness, -on * e->damping, out);
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
  return resist(e, work, &acting);
}

static void switches(const hn_system *sys, const hn_work *work, int count, const void *data,
                     double *value) {
  const stop *e = data;
  (void)sys;
  for (int i = 0; i < count; i++, e++) {
    const hn_mval *m = &work->mval[e->measure];
    // from the side on which it acts
    double x = e->side * (m->value - e->gap), rate = e->side * m->rate;
    value[e->engaged] = x;
    // the cut at zero matters only while engaged
    if (e->damping != 0) value[e->pushing] = fmax(x + e->damping / e->stiffness * rate, -x);
  }
}

static hn_line line(const void *data) {
  const stop *e = data;
  return (hn_line){.measure = e->measure, .sign = -1, .angular = e->angular, .sees = -1};
}

// for the steppers that take forces as differences of energies over a step: by_value is of the part
// with a potential, lossy_by_value of the rest, which where the force is cut takes the spring back
static hn_tension tension(const hn_system *sys, const hn_work *work, const void *data) {
  const stop *e = data;
  double x = work->mval[e->measure].value - e->gap;
  bool acting;
  (void)sys;
  if (!engaged(e, work)) return (hn_tension){0};
  double F = resist(e, work, &acting), on = acting ? 1 : 0;
  // all of F, the spring's energy, and what is not of it
  return (hn_tension){.force = F,
                      .energy = 0.5 * e->stiffness * x * x,
                      .lossy = F - e->stiffness * x,
                      .by_value = e->stiffness,
                      .lossy_by_value = (on - 1) * e->stiffness,
                      .by_rate = on * e->damping};
}

static const hn_force_ops ops = {
    .name = "bump-stop",
    .data_size = sizeof(stop),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
    .switches = switches,
    .line = line,
    .tension = tension,
};

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  stop e = {.stiffness = def->stiffness, .damping = def->damping, .gap = def->gap};
  // for `below` everything is mirrored
  e.side = def->below ? -1 : 1;
  if (!(def->stiffness > 0))
    return hn_build_fail(builder, HN_ERR_MODEL, "stiffness must be positive");
  if (def->joint) {
    e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
  } else {
    hn_mount a = *hn_mount_a(builder);
    const hn_mount *b = hn_mount_b(builder);
    // an axis makes a separation with a sign, otherwise the distance counts
    bool axis = v3_dot(def->axis, def->axis) > 0, oriented_a, oriented_b;
    hn_build_oriented(builder, &oriented_a, &oriented_b);
    axis = axis || oriented_a;
    // across the plane of planar bodies nothing is ever separated: the stop would never act
    if (axis && hn_build_planar(builder) && !hn_build_axis_in_plane(builder, &a))
      return hn_build_status(builder);
    e.measure = axis ? hn_build_dot2(builder, &a, HN_AXIS_Z, b) : hn_build_distance(builder, &a, b);
  }
  // the second function exists only where there is damping
  e.engaged = hn_build_switches(builder, e.damping != 0 ? 2 : 1);
  e.pushing = e.engaged + 1;
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_bump_stop = {
    .info = {.name = "bump-stop",
             .help = "one-sided spring beyond a gap, along a joint coordinate, an axis or a "
                     "distance",
             .keys = "at at_b axis joint coordinate stiffness damping gap below",
             .required = "stiffness"},
    .build = build,
};
