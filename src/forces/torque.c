// torque.c: the force type `torque`, a vector T on b with its reaction -T on a.
//
//   on b:  R_b^T T      on a:  -R_a^T T      power  T . (w_b - w_a)
//
// (torques in body axes). A small turn d of a body, in its axes, changes R^T T by [R^T T] d when T
// is fixed in the world; fixed in b, T itself changes by -R_b [R_b^T T] d_b.
#include "code/formulas.h"
#include "forces/force.h"
#include "forces/vector.h"

#include <string.h>

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const hn_vector *e = data;
  const double zero[3] = {0, 0, 0};
  for (int i = 0; i < count; i++, e++) {
    // sizes in world axes; hn_apply_wrench turns them
    double T[3], w[3];
    hn_vector_eval(e, sys, work, T);
    // relative angular velocity, world axes
    v3_sub(w, work->kin[e->b].w, work->kin[e->a].w);
    work->power += v3_dot(T, w);
    // no force goes with it
    hn_apply_wrench(sys, work, e->b, zero, T);
    v3_scale(T, -1, T);
    hn_apply_wrench(sys, work, e->a, zero, T);
  }
}

// torques work along angular velocities in world axes; those of bodies are kept in body axes
static void formulas(hn_formulas *f, int count, const void *data) {
  const hn_vector *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    const hn_body_formulas *a = &f->body[e->a], *b = &f->body[e->b];
    hn_node T[3], wa[3], rate[3];
    hn_vector_formulas(f, e, T);
    nm_mulv(g, wa, a->R, a->w);
    nm_mulv(g, rate, b->R, b->w);
    n3_sub(g, rate, rate, wa);
    for (int k = 0; k < 3; k++) hn_formulas_apply(f, T[k], rate[k]);
    hn_formulas_power(f, n3_dot(g, T, rate));
  }
}

// the same two parts as in force.c; without a point there is no lever, and the linear rows stay
// zero
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const hn_vector *e = data;
  for (int i = 0; i < count; i++, e++) {
    const double *Ra = work->kin[e->a].R, *Rb = work->kin[e->b].R;
    // T seen by both bodies
    double T[3], ta[3], tb[3], Ta[9], Tb[9], X[9], Y[9], K[144] = {0};
    hn_vector_eval(e, sys, work, T);
    m3_tmulv(ta, Ra, T);
    m3_tmulv(tb, Rb, T);
    m3_skew(Ta, ta);
    m3_skew(Tb, tb);
    // fixed in the world, -R_a^T T changes by -[t_a] d_a
    hn_pair_add(K, HN_A_TURN, HN_A_TURN, -1, Ta);
    if (e->body_axes) {
      // fixed in b it turns with b: on a it changes by R_a^T R_b [t_b] d_b, on b not at all
      m3_mul(X, Rb, Tb);
      m3_tmul(Y, Ra, X);
      hn_pair_add(K, HN_A_TURN, HN_B_TURN, 1, Y);
    } else {
      hn_pair_add(K, HN_B_TURN, HN_B_TURN, 1, Tb);
    }
    hn_pair_tangent(sys, out, HN_TANGENT_K, e->a, e->b, K);
    // components change along their axes, which are held here
    for (int k = 0; k < 3; k++) {
      const double *gradient;
      double axis[3];
      hn_vector_axis(e, sys, work, k, axis);
      hn_direction d = {.a = e->a, .b = e->b};
      // rows 3 to 5 and 9 to 11: turns of a and b
      m3_tmulv(d.j + 3, Ra, axis);
      v3_scale(d.j + 3, -1, d.j + 3);
      m3_tmulv(d.j + 9, Rb, axis);
      hn_run_expression(sys, work, e->expression[k], &gradient);
      hn_tangent_expression(sys, work, &d, 1, e->expression[k], gradient, out);
    }
  }
}

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"tx", "ty", "tz"};
  // the fourth is none: callers stop there
  (void)data;
  if (k > 2) return NULL;
  *unit = "N m";
  return name[k];
}

// components as given: in axes of b when they were described there
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const hn_vector *e = data;
  return hn_run_expression(sys, work, e->expression[k], NULL);
}

static const hn_force_ops ops = {
    .name = "torque",
    .data_size = sizeof(hn_vector),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
};

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  static const char *const what[3] = {"torque x", "torque y", "torque z"};
  hn_vector e;
  memset(&e, 0, sizeof e);
  // a point mass has no turns to act on
  if (!hn_mount_turns(builder, hn_mount_a(builder)) ||
      !hn_mount_turns(builder, hn_mount_b(builder)))
    return hn_build_status(builder);
  hn_vector_build(&e, builder, def, what);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_torque = {
    .info = {.name = "torque",
             .help = "torque on b, components given by expressions; reaction on a",
             .keys = "torque axes",
             .required = "torque"},
    .build = build,
};
