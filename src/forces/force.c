// force.c: the force type `force`, a vector F at a point of b.
//
// The point s is fixed in b; with l = R_a^T (P - p_a), the same point seen from a,
//
//   on b:  F,  s x R_b^T F      on a:  -F,  -l x R_a^T F      power  F . (v_b(P) - v_a(P))
//
// (force in world axes, torque in body axes). A small turn d of b, in body axes, changes R_b^T F by
// [R_b^T F] d when F is fixed in the world, and F by -R_b [R_b^T F] d when it is fixed in b.
#include "forces/force.h"
#include "code/formulas.h"
#include "forces/vector.h"

#include <string.h>

typedef struct applied {
  hn_vector vector;
  double s[3];  // the point, inner frame of b
} applied;

// l: the point on b seen from the centre of mass of a, in axes of a
static void lever(const applied *e, const hn_work *work, double l[3]) {
  const hn_kin *a = &work->kin[e->vector.a], *b = &work->kin[e->vector.b];
  double d[3];
  // arm in axes of a: the reaction has its moment about the centre of a
  m3_mulv(d, b->R, e->s);
  for (int i = 0; i < 3; i++) d[i] += b->p[i] - a->p[i];
  m3_tmulv(l, a->R, d);
}

// the generalized force of a unit force along the world direction u
static hn_direction unit_force(const applied *e, const hn_work *work, const double l[3],
                               const double u[3]) {
  hn_direction o = {.a = e->vector.a, .b = e->vector.b};
  double local[3];
  m3_tmulv(local, work->kin[o.a].R, u);
  // on a: -u, and -l x of it in axes of a
  v3_scale(o.j, -1, u);
  v3_cross(o.j + 3, local, l);
  // on b: u, and s x of it in axes of b
  m3_tmulv(local, work->kin[o.b].R, u);
  v3_copy(o.j + 6, u);
  v3_cross(o.j + 9, e->s, local);
  return o;
}

// The reaction acts at the same point of space as the force, not at the centre of a: only so the
// pair changes neither momentum nor angular momentum.
static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const applied *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_kin *a = &work->kin[e->vector.a], *b = &work->kin[e->vector.b];
    double F[3], T[3], rb[3], ra[3], va[3], vb[3], minus[3];
    hn_vector_eval(&e->vector, sys, work, F);
    m3_mulv(rb, b->R, e->s);
    // arms in world axes
    for (int k = 0; k < 3; k++) ra[k] = b->p[k] + rb[k] - a->p[k];
    v3_cross(T, rb, F);
    hn_apply_wrench(sys, work, e->vector.b, F, T);
    v3_scale(minus, -1, F);
    v3_cross(T, ra, minus);
    hn_apply_wrench(sys, work, e->vector.a, minus, T);
    v3_cross(va, a->w, ra);
    v3_cross(vb, b->w, rb);
    // velocities of the point of b, and of the material of a at the same place
    for (int k = 0; k < 3; k++) work->power += F[k] * (b->v[k] + vb[k] - a->v[k] - va[k]);
  }
}

// hn_formulas_apply takes a force and the rate it works along, and finds the generalized force by
// differentiating that rate: lever arms need not be written again
static void formulas(hn_formulas *f, int count, const void *data) {
  const applied *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    const hn_body_formulas *a = &f->body[e->vector.a];
    hn_jet3 at = hn_point_jet(f, e->vector.b, e->s);
    hn_node F[3], l[3], carried[3], rate[3];
    hn_vector_formulas(f, &e->vector, F);
    // how fast the point moves against the body of the reaction
    n3_sub(g, l, at.value, a->p);
    nm_tmulv(g, l, a->R, l);
    n3_cross(g, carried, a->w, l);
    nm_mulv(g, carried, a->R, carried);
    n3_add(g, carried, a->v, carried);
    n3_sub(g, rate, at.rate, carried);
    for (int k = 0; k < 3; k++) hn_formulas_apply(f, F[k], rate[k]);
    hn_formulas_power(f, n3_dot(g, F, rate));
  }
}

// the components held: only directions and lever arms change
static void geometric_tangent(const hn_system *sys, hn_work *work, const applied *e,
                              const double F[3], const double l[3], hn_tangent *out) {
  const double *Ra = work->kin[e->vector.a].R, *Rb = work->kin[e->vector.b].R;
  double K[144] = {0}, fa[3], fb[3], S[9], L[9], Fa[9], Fb[9], X[9], Y[9], Z[9];
  m3_tmulv(fa, Ra, F);
  m3_tmulv(fb, Rb, F);
  m3_skew(S, e->s);
  m3_skew(L, l);
  m3_skew(Fa, fa);
  m3_skew(Fb, fb);
  if (e->vector.body_axes) {
    // dF = -R_b [f_b] d_b; the torque on b stays
    m3_mul(X, Rb, Fb);
    hn_pair_add(K, HN_B_LINEAR, HN_B_TURN, -1, X);
    hn_pair_add(K, HN_A_LINEAR, HN_B_TURN, 1, X);
    m3_tmul(Y, Ra, X);
    m3_mul(Z, L, Y);
    hn_pair_add(K, HN_A_TURN, HN_B_TURN, 1, Z);
  } else {
    m3_mul(X, S, Fb);
    hn_pair_add(K, HN_B_TURN, HN_B_TURN, 1, X);
  }
  // torque on a: -l x f_a, df_a = [f_a] d_a, dl = [l] d_a + R_a^T (dp_b - R_b [s] d_b - dp_a)
  m3_mul(X, Fa, L);
  hn_pair_add(K, HN_A_TURN, HN_A_TURN, 1, X);
  m3_mul(X, L, Fa);
  hn_pair_add(K, HN_A_TURN, HN_A_TURN, -1, X);
  m3_mult(X, Fa, Ra);
  hn_pair_add(K, HN_A_TURN, HN_B_LINEAR, 1, X);
  hn_pair_add(K, HN_A_TURN, HN_A_LINEAR, -1, X);
  m3_mul(Y, Rb, S);
  m3_mul(Z, X, Y);
  hn_pair_add(K, HN_A_TURN, HN_B_TURN, -1, Z);
  hn_pair_tangent(sys, out, HN_TANGENT_K, e->vector.a, e->vector.b, K);
}

// Two parts: with the components held, directions and arms change (geometric_tangent); with these
// held, the components change by the gradients of their expressions, each along its own axis
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const applied *e = data;
  for (int i = 0; i < count; i++, e++) {
    double F[3], l[3], axis[3];
    // components as they are now, for the geometric part
    hn_vector_eval(&e->vector, sys, work, F);
    lever(e, work, l);
    geometric_tangent(sys, work, e, F, l, out);
    for (int k = 0; k < 3; k++) {
      const double *gradient;
      // a unit along component k, as a generalized force
      hn_vector_axis(&e->vector, sys, work, k, axis);
      hn_direction d = unit_force(e, work, l, axis);
      hn_run_expression(sys, work, e->vector.expression[k], &gradient);
      hn_tangent_expression(sys, work, &d, 1, e->vector.expression[k], gradient, out);
    }
  }
}

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"fx", "fy", "fz"};
  (void)data;
  if (k > 2) return NULL;
  *unit = "N";
  return name[k];
}

// components as given: in axes of b when they were described there
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const applied *e = data;
  return hn_run_expression(sys, work, e->vector.expression[k], NULL);
}

static const hn_force_ops ops = {
    .name = "force",
    .data_size = sizeof(applied),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
};

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  static const char *const what[3] = {"force x", "force y", "force z"};
  applied e;
  memset(&e, 0, sizeof e);
  // a point mass could not take the moment of the reaction
  if (!hn_mount_turns(builder, hn_mount_a(builder))) return hn_build_status(builder);
  hn_vector_build(&e.vector, builder, def, what);
  v3_copy(e.s, hn_mount_b(builder)->s);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_force = {
    .info = {.name = "force",
             .help = "force on a point of b, components given by expressions; reaction on a",
             .keys = "at force axes",
             .required = "force"},
    .build = build,
};
