// tyre.c: vertical spring and damper under a wheel centre, over a road.
//
// With x, z the coordinates of the point `at` of b (planar bodies: z stands for y), in the world or
// in the frame of the ground that a names, the road h(x + shift(t), t) and the penetration
//
//   d = radius - (z - h),   d' = -z' + h_x x' + h_t,
//
// the force F = k d + c d' acts upwards on b at the point while d > 0, never pulling. It is
// vertical: the horizontal component a sloping road would give is left out. The road moves, so the
// work F z' is counted as power. A road given by points is joined by straight lines and goes on
// straight beyond its ends.
#include "code/formulas.h"
#include "forces/force.h"
#include "forces/law.h"
#include "system/pair.h"

#include <string.h>

typedef struct tyre {
  double stiffness, damping, radius;  // k, c, and of the tyre that carries nothing
  int x, z;                           // measures
  int road, slope;                    // expressions h and h_x, -1 when there are none
  int shift;                          // expression, -1: none; already part of `road`
  const double *table;                // pairs x, h
  int points;
  int touching, pushing, corner;  // switching functions
} tyre;

typedef struct ground {
  double h, x, t;  // height and its derivatives
  double xx, xt;   // second ones; only when asked for
  double at;       // where a road given by points is looked up
} ground;

// `road` already has the shift in it (its local x is x + shift), a table is looked up at the
// shifted place. Second derivatives serve the tangent of the damper, which sees the slope change on
// the way
static ground road_at(const tyre *e, const hn_system *sys, const hn_work *work, bool second) {
  ground g = {0};
  const double *d;
  // the first signal is x; there is no other (build_road)
  if (e->road >= 0) {
    bool sloped = sys->expression[e->road].signals > 0;
    g.h = hn_run_expression(sys, work, e->road, &d);
    g.t = d[0];
    g.x = sloped ? d[1] : 0;
    // gradient of h_x: by t, then by x
    if (second && sloped) {
      hn_run_expression(sys, work, e->slope, &d);
      g.xt = d[0], g.xx = d[1];
    }
  } else if (e->points > 0) {
    double x = work->mval[e->x].value, moved = 0;
    if (e->shift >= 0) {
      // what is added to x moves the road, and with it the height under the wheel
      x += hn_run_expression(sys, work, e->shift, &d);
      moved = d[0];
    }
    // pairs; the line of the interval in which the step began
    const double *p = e->table + 2 * hn_table_place(e->table, 2, e->points, x, work, e->corner);
    g.at = x;
    g.x = (p[3] - p[1]) / (p[2] - p[0]);
    g.h = p[1] + g.x * (x - p[0]);
    g.t = g.x * moved;
  }
  return g;
}

// vertical force; zero off the road and where the damper would pull
static double press(const tyre *e, const hn_work *work, const ground *g) {
  const hn_mval *x = &work->mval[e->x], *z = &work->mval[e->z];
  // d and d' of above
  double d = e->radius - (z->value - g->h);
  double F = e->stiffness * d + e->damping * (g->x * x->rate + g->t - z->rate);
  bool acting = hn_side(work, e->touching, d > 0);
  // both decisions may be held during a step; without damping there is no second
  if (e->damping != 0) acting = acting && hn_side(work, e->pushing, F > 0);
  return acting ? F : 0;
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const tyre *e = data;
  for (int i = 0; i < count; i++, e++) {
    ground g = road_at(e, sys, work, false);
    double F = press(e, work, &g);
    // along z alone, whatever the slope
    hn_apply_measure(sys, work, e->z, F);
    work->power += F * work->mval[e->z].rate;
  }
}

// height of the road under the wheel and how fast it changes
static hn_node road_formula(hn_formulas *f, const tyre *e, hn_node *rate) {
  hn_graph *g = f->g;
  hn_jet x = hn_measure_jet(f, e->x);
  *rate = f->zero;
  if (e->road >= 0) {
    // h_t + h_x x'
    *rate = hn_expression_node(f, e->road, 1);
    if (f->sys->expression[e->road].signals > 0)
      *rate = n_add(g, *rate, n_mul(g, hn_expression_node(f, e->road, 2), x.rate));
    return hn_expression_node(f, e->road, 0);
  }
  if (e->points == 0) return f->zero;
  // the place on the road, and how fast that changes
  hn_node at = x.value, moved = x.rate, slope;
  if (e->shift >= 0) {
    at = n_add(g, at, hn_expression_node(f, e->shift, 0));
    moved = n_add(g, moved, hn_expression_node(f, e->shift, 1));
  }
  hn_node h = hn_table_formula(f, e->table, 2, e->points, e->corner, at, &slope);
  *rate = n_mul(g, slope, moved);
  return h;
}

static void formulas(hn_formulas *f, int count, const void *data) {
  const tyre *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    hn_jet z = hn_measure_jet(f, e->z);
    hn_node rising, h = road_formula(f, e, &rising);
    hn_node d = n_sub(g, n_constant(g, e->radius), n_sub(g, z.value, h));
    // the same switching functions as in `switches`, in formulas
    hn_node F =
        n_add(g, n_scale(g, e->stiffness, d), n_scale(g, e->damping, n_sub(g, rising, z.rate)));
    hn_node pushing = n_scale(g, e->damping / e->stiffness, n_sub(g, rising, z.rate));
    // off the road it is positive: nothing is located there
    pushing = hn_graph_apply(g, HN_OP_MAX, n_add(g, d, pushing), n_neg(g, d), -1);
    hn_formulas_switch(f, e->touching, d);
    if (e->damping != 0) hn_formulas_switch(f, e->pushing, pushing);
    F = n_mul(g, hn_side_node(f, e->touching), F);
    if (e->damping != 0) F = n_mul(g, hn_side_node(f, e->pushing), F);
    hn_formulas_apply(f, F, z.rate);
    hn_formulas_power(f, n_mul(g, F, z.rate));
  }
}

// F acts along z alone but depends on x as well: the second part is a force along z by a change of
// x. There is no potential behind it, and K is not symmetric
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const tyre *e = data;
  for (int i = 0; i < count; i++, e++) {
    ground g = road_at(e, sys, work, e->damping > 0);
    // F = 0 means that no formula is in force, and nothing changes
    double F = press(e, work, &g), on = F == 0 ? 0 : 1;
    double k = on * e->stiffness, c = on * e->damping;
    hn_tangent_measure(sys, work, e->z, F, -k, -c, out);
    hn_direction up = hn_direction_measure(sys, work, e->z);
    // dF by x: k h_x and the damper's h_xx x' + h_xt; by x': c h_x
    double by_x = k * g.x + c * (g.xx * work->mval[e->x].rate + g.xt);
    hn_tangent_signal(sys, work, &up, e->x, by_x, c * g.x, out);
  }
}

static const char *column(const void *data, int k, const char **unit) {
  (void)data;
  if (k > 1) return NULL;
  *unit = k ? "m" : "N";
  return k ? "gap" : "force";
}

static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const tyre *e = data;
  ground g = road_at(e, sys, work, false);
  return k ? work->mval[e->z].value - g.h - e->radius : press(e, work, &g);
}

static void switches(const hn_system *sys, const hn_work *work, int count, const void *data,
                     double *value) {
  const tyre *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_mval *x = &work->mval[e->x], *z = &work->mval[e->z];
    ground g = road_at(e, sys, work, false);
    double d = e->radius - (z->value - g.h), rate = g.x * x->rate + g.t - z->rate;
    value[e->touching] = d;
    // the cut at zero matters only on the road
    if (e->damping != 0) value[e->pushing] = fmax(d + e->damping / e->stiffness * rate, -d);
    // the table's corners, where the slope jumps
    if (e->points > 2) hn_table_switches(e->table, 2, e->points, g.at, value + e->corner);
  }
}

static bool beyond(const hn_system *sys, const hn_work *work, const void *data, double *at,
                   double *end) {
  const tyre *e = data;
  // a formula has no ends
  if (e->points < 2) return false;
  *at = road_at(e, sys, work, false).at;
  return hn_table_beyond(e->table, 2, e->points, *at, end);
}

static hn_line line(const void *data) {
  const tyre *e = data;
  // acts along z and sees x
  return (hn_line){.measure = e->z, .sign = 1, .sees = e->x};
}

// the road has the say about the energy: all of the force is without potential
static hn_tension tension(const hn_system *sys, const hn_work *work, const void *data) {
  const tyre *e = data;
  ground g = road_at(e, sys, work, false);
  double F = press(e, work, &g), on = F == 0 ? 0 : 1;
  return (hn_tension){
      .force = F, .lossy = F, .lossy_by_value = -on * e->stiffness, .by_rate = -on * e->damping};
}

static const hn_force_ops ops = {
    .name = "tyre",
    .data_size = sizeof(tyre),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
    .switches = switches,
    .line = line,
    .tension = tension,
    .beyond = beyond,
};

// measures of the wheel centre's coordinates, in the world or in a frame of the ground
static void build_point(hn_builder *builder, const hn_force_def *def, tyre *e) {
  const hn_mount *b = hn_mount_b(builder);
  hn_body_kind kind = hn_build_system(builder)->body[b->body].kind;
  bool flat = kind == HN_PLANAR || kind == HN_PLANAR_POINT;
  // a pseudo mount of the ground: origin and axes of the world, or of the frame that was named
  hn_mount world = {.body = 0};
  bool oriented_a, oriented_b;
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  m3_identity(world.R);
  if (def->a.frame.id) v3_copy(world.s, hn_mount_a(builder)->s);
  if (oriented_a) memcpy(world.R, hn_mount_a(builder)->R, sizeof world.R);
  e->x = hn_build_dot2(builder, &world, HN_AXIS_X, b);
  // planar models stand upright in x and y
  e->z = hn_build_dot2(builder, &world, flat ? HN_AXIS_Y : HN_AXIS_Z, b);
}

static void build_road(hn_builder *builder, const hn_force_def *def, tyre *e) {
  const hn_system *sys = hn_build_system(builder);
  if (def->road && def->road_count > 0)
    hn_build_fail(builder, HN_ERR_MODEL, "the road is given twice, by a formula and by points");
  if (def->shift) {
    // shift adds to x by time alone: h_t needs its rate only
    e->shift = hn_build_expression(builder, "shift", def->shift, NULL, 0);
    if (e->shift >= 0 && sys->expression[e->shift].signals > 0)
      hn_build_fail(builder, HN_ERR_MODEL, "shift may depend on t only");
  }
  if (def->road) {
    // locally `x` is the wheel's x + shift
    hn_local_name x = {"x", HN_SIGNAL_VALUE, e->x, def->shift};
    e->road = hn_build_expression(builder, "road", def->road, &x, 1);
    // a program of h_x, whose gradient has the second derivatives
    e->slope = hn_build_slope(builder, "road", def->road, &x, 1);
    if (e->road < 0) return;
    const hn_expression *road = &sys->expression[e->road];
    for (int k = 0; k < road->signals; k++)
      // other quantities would need tangents that are not here
      if (sys->signal[road->first_signal + k].measure != e->x)
        hn_build_fail(builder, HN_ERR_MODEL, "road may depend on x and t only");
  }
  if (def->road_count > 0) {
    e->points = def->road_count;
    e->table = hn_build_keep(builder, def->road_table, 2 * def->road_count);
  }
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  tyre e = {.stiffness = def->stiffness,
            .damping = def->damping,
            .radius = def->radius,
            .road = -1,
            .slope = -1,
            .shift = -1};
  // a road on a body that moves would need the reaction there
  if (def->b.body.id == 0 || def->a.body.id != 0)
    return hn_build_fail(builder, HN_ERR_MODEL, "acts between the ground (a) and a wheel (b)");
  if (!(def->stiffness > 0))
    return hn_build_fail(builder, HN_ERR_MODEL, "stiffness must be positive");
  build_point(builder, def, &e);
  build_road(builder, def, &e);
  // only damped tyres have a cut
  e.touching = hn_build_switches(builder, e.damping != 0 ? 2 : 1);
  e.pushing = e.touching + 1;
  e.corner = hn_build_switches(builder, hn_table_corners(e.points));
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_tyre = {
    .info = {.name = "tyre",
             .help = "vertical spring and damper under a wheel centre, over a road",
             .keys = "at stiffness damping radius road shift",
             .required = "stiffness radius"},
    .build = build,
};
