// drag.c: the medium that a carries (air, water; a is the ground as a rule) brakes a point of b.
//
// With u the velocity of the point seen from a, less that of the wind, in the axes A of a's end,
//
//   F = -(viscous + k |u|) u,   k = density drag area / 2,   on b; the reaction acts on a
//
//   dF/du = -D,   D = (viscous + k |u|) 1 + k u u^T / |u|
//
// u = y - wind, y as in frames.h. The law has a continuous derivative at rest.
#include "code/formulas.h"
#include "forces/force.h"
#include "forces/frames.h"
#include "system/pair.h"

#include <string.h>

typedef struct drag {
  hn_frames frames;
  double viscous, square;  // [N s/m], k [kg/m]
  int wind[3];             // expressions
} drag;

typedef struct state {
  hn_frames_state s;
  double u[3], speed, w[6];  // force in axes A, without torque
} state;

static void evaluate(const drag *e, const hn_system *sys, const hn_work *work, state *o) {
  // rates seen from a, in its axes
  hn_frames_place(&e->frames, work, &o->s);
  for (int k = 0; k < 3; k++) o->u[k] = o->s.y[k] - hn_run_expression(sys, work, e->wind[k], NULL);
  o->speed = v3_norm(o->u);
  // one factor for both parts
  double factor = e->viscous + e->square * o->speed;
  for (int k = 0; k < 3; k++) o->w[k] = -factor * o->u[k], o->w[3 + k] = 0;
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const drag *e = data;
  for (int i = 0; i < count; i++, e++) {
    state s;
    evaluate(e, sys, work, &s);
    hn_frames_apply(&e->frames, sys, work, &s.s, s.w);
    work->power += v3_dot(s.w, s.s.y);
  }
}

// what the wind changes: dF = D d(wind)
static void wind_tangent(const drag *e, const hn_system *sys, hn_work *work, const double E[72],
                         const double D[36], hn_tangent *out) {
  for (int k = 0; k < 3; k++) {
    hn_direction d = {.a = e->frames.a, .b = e->frames.b};
    const double *gradient;
    // column k of E^T D
    for (int j = 0; j < 12; j++)
      for (int i = 0; i < 3; i++) d.j[j] += E[12 * i + j] * D[6 * i + k];
    hn_run_expression(sys, work, e->wind[k], &gradient);
    hn_tangent_expression(sys, work, &d, 1, e->wind[k], gradient, out);
  }
}

// y depends on the configuration too, with velocity coordinates held: a body that turns sees its
// own velocity from another side (Y). So K has three parts: the geometric one, -E^T D Y, and what
// the wind sees of the state
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const drag *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_frames *f = &e->frames;
    state s;
    double E[72], Y[72], D[36] = {0}, K[144] = {0}, C[144] = {0};
    evaluate(e, sys, work, &s);
    // at rest u u^T / |u| is taken as zero, its limit
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        D[6 * r + c] = (r == c ? e->viscous + e->square * s.speed : 0) +
                       (s.speed > 0 ? e->square * s.u[r] * s.u[c] / s.speed : 0);
    hn_frames_map(f, work, &s.s, E);
    hn_frames_velocity_change(f, sys, work, &s.s, Y);
    // wrench held
    hn_frames_geometric(f, work, &s.s, s.w, K);
    // y by position
    hn_frames_sandwich(K, E, D, Y);
    // y by velocity
    hn_frames_sandwich(C, E, D, E);
    hn_pair_tangent(sys, out, HN_TANGENT_K, f->a, f->b, K);
    hn_pair_tangent(sys, out, HN_TANGENT_C, f->a, f->b, C);
    wind_tangent(e, sys, work, E, D, out);
  }
}

// in world axes, where velocities of points are known; only the wind is given along the axes of a's
// end and has to be turned
static void formulas(hn_formulas *f, int count, const void *data) {
  const drag *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    const hn_body_formulas *a = &f->body[e->frames.a];
    hn_jet3 at = hn_point_jet(f, e->frames.b, e->frames.sb);
    // v of the point less what a carries there, world axes
    hn_node l[3], carried[3], rate[3], wind[3], axes[9], u[3], F[3];
    n3_sub(g, l, at.value, a->p);
    nm_tmulv(g, l, a->R, l);
    n3_cross(g, carried, a->w, l);
    nm_mulv(g, carried, a->R, carried);
    n3_add(g, carried, a->v, carried);
    n3_sub(g, rate, at.rate, carried);
    // three expressions along the axes of the frame
    for (int k = 0; k < 3; k++) wind[k] = hn_expression_node(f, e->wind[k], 0);
    nm_constant(g, axes, e->frames.Ma);
    nm_mulv(g, wind, axes, wind);
    nm_mulv(g, wind, a->R, wind);
    n3_sub(g, u, rate, wind);
    // hypot has a slope where nothing moves; the root of a sum of squares divides by zero there
    hn_node speed = hn_graph_apply(g, HN_OP_HYPOT, u[0], u[1], -1);
    speed = hn_graph_apply(g, HN_OP_HYPOT, speed, u[2], -1);
    // negative: against u
    hn_node factor = n_sub(g, n_constant(g, -e->viscous), n_scale(g, e->square, speed));
    for (int k = 0; k < 3; k++) {
      F[k] = hn_graph_mul(g, factor, u[k]);
      hn_formulas_apply(f, F[k], rate[k]);
    }
    hn_formulas_power(f, n3_dot(g, F, rate));
  }
}

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"speed", "fx", "fy", "fz"};
  (void)data;
  if (k > 3) return NULL;
  *unit = k ? "N" : "m/s";
  return name[k];
}

// the force on b in world axes
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  state s;
  double F[3];
  evaluate(data, sys, work, &s);
  m3_mulv(F, s.s.A, s.w);
  return k ? F[k - 1] : s.speed;
}

static const hn_force_ops ops = {
    .name = "drag",
    .data_size = sizeof(drag),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
};

// One factor k stands for density, drag coefficient and area: only their product acts. A drag of
// zero with an area, or the other way round, is a key that was forgotten
static hn_status build(hn_builder *builder, const hn_force_def *def) {
  static const char *const what[3] = {"wind x", "wind y", "wind z"};
  static const double air = 1.225;  // [kg/m^3] at sea level, 15 degrees
  drag e;
  memset(&e, 0, sizeof e);
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  e.frames.a = a->body, e.frames.b = b->body;
  // a medium has to be carried by something with axes
  if (!hn_mount_turns(builder, a)) return hn_build_status(builder);
  // the ground does not move, whoever blows
  if (b->body == 0)
    return hn_build_fail(builder, HN_ERR_MODEL, "acts on the ground (b must be a body that moves)");
  if ((def->area > 0) != (def->drag > 0))
    return hn_build_fail(builder, HN_ERR_MODEL, "area and drag are given together");
  e.viscous = def->viscous;
  e.square = 0.5 * (def->density > 0 ? def->density : air) * def->drag * def->area;
  if (!(e.viscous + e.square > 0))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "brakes nothing (give area and drag, or viscous, or both)");
  v3_copy(e.frames.sa, a->s), v3_copy(e.frames.sb, b->s);
  memcpy(e.frames.Ma, a->R, sizeof e.frames.Ma);
  memcpy(e.frames.Mb, b->R, sizeof e.frames.Mb);
  for (int k = 0; k < 3; k++)
    e.wind[k] = hn_build_expression(builder, what[k], def->components[k] ? def->components[k] : "0",
                                    NULL, 0);
  hn_build_need_kin(builder, e.frames.a);
  hn_build_need_kin(builder, e.frames.b);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_drag = {
    .info = {.name = "drag",
             .help = "air or water brakes a point of b, seen from a, with the square of the speed",
             .keys = "at area drag density viscous wind",
             .required = ""},
    .build = build,
};
