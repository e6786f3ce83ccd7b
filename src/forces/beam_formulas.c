// beam_formulas.c: a beam element in formulas, for code written per model.
//
// In the reduced quantities d, s, c of beam_discrete.c, whose rates are
//
//   d' = y_d,   s' = (tr R - R) w / 2,   c' = -s . w,   R = A^T B,   w = y_w
//
// so that forces along them become the wrench (w_d, (tr R - R)^T w_s / 2 - w_c s).
#include "forces/beam.h"

#include "code/formulas.h"

typedef struct turn {
  hn_node d[3], s[3], c, R[9], rate[6];
  hn_node e[3], se[3];
  hn_node k, m, dk, dm;  // and their derivatives by c
} turn;

// sum of coefficient[n] x^n
static hn_node polynomial(hn_graph *g, const double *coefficient, int count, hn_node x) {
  hn_node sum = n_constant(g, coefficient[count - 1]);
  for (int n = count - 2; n >= 0; n--)
    sum = n_add(g, n_mul(g, sum, x), n_constant(g, coefficient[n]));
  return sum;
}

// as hn_turn_factors: series below an angle of 0.3, closed forms above
static void factors(hn_graph *g, turn *o) {
  enum { TERMS = 9 };
  hn_node one = n_constant(g, 1), s2 = n3_dot(g, o->s, o->s), plus = n_add(g, one, o->c);
  // of frames that are a rotation apart: 1 - c without loss of digits
  hn_node rest = n_div(g, s2, plus), below = n_sub(g, n_constant(g, 2), rest);
  double a[TERMS], p[TERMS], da[TERMS - 1], dp[TERMS - 1];
  for (int n = 0; n < TERMS; n++) {
    a[n] = n == 0 ? 1 : a[n - 1] * n / (2 * n + 1);
    p[n] = a[n] / (4 * n + 6);
    if (n > 0) da[n - 1] = -n * a[n], dp[n - 1] = -n * p[n];
  }
  hn_node P = polynomial(g, p, TERMS, rest), dP = polynomial(g, dp, TERMS - 1, rest);
  hn_node near[4] = {polynomial(g, a, TERMS, rest), polynomial(g, da, TERMS - 1, rest),
                     n_div(g, P, below), n_div(g, n_sub(g, dP, n_div(g, P, below)), below)};
  hn_node sine = n_function(g, HN_OP_SQRT, s2), half = n_scale(g, 0.5, plus);
  hn_node k = n_div(g, hn_graph_apply(g, HN_OP_ATAN2, sine, o->c, -1), sine);
  hn_node dk = n_div(g, n_sub(g, n_mul(g, o->c, k), one), s2);
  hn_node m = n_div(g, n_sub(g, one, n_mul(g, k, half)), s2);
  hn_node dm =
      n_sub(g, n_scale(g, 2, n_mul(g, o->c, m)), n_add(g, n_scale(g, 0.5, k), n_mul(g, dk, half)));
  const hn_node far[4] = {k, dk, m, n_div(g, dm, s2)};
  hn_node small = hn_graph_apply(g, HN_OP_LT, n_constant(g, 0.955), o->c, -1);
  hn_node *const out[4] = {&o->k, &o->dk, &o->m, &o->dm};
  for (int i = 0; i < 4; i++) *out[i] = hn_graph_apply(g, HN_OP_IF, small, near[i], far[i]);
}

// how the frames stand, and how fast that changes
static void look(hn_formulas *f, const hn_frames *at, turn *o) {
  hn_graph *g = f->g;
  const hn_body_formulas *a = &f->body[at->a], *b = &f->body[at->b];
  hn_jet3 pa = hn_point_jet(f, at->a, at->sa), pb = hn_point_jet(f, at->b, at->sb);
  hn_node Ma[9], Mb[9], A[9], B[9], wa[3], wb[3], r[3], u[3], carried[3];
  nm_constant(g, Ma, at->Ma);
  nm_constant(g, Mb, at->Mb);
  nm_mul(g, A, a->R, Ma);
  nm_mul(g, B, b->R, Mb);
  nm_transpose(A, A);  // A^T from here on
  nm_mul(g, o->R, A, B);
  n3_sub(g, r, pb.value, pa.value);
  nm_mulv(g, o->d, A, r);
  nm_mulv(g, wa, a->R, a->w);
  nm_mulv(g, wb, b->R, b->w);
  n3_sub(g, u, pb.rate, pa.rate);
  n3_cross(g, carried, wa, r);
  n3_sub(g, u, u, carried);
  nm_mulv(g, o->rate, A, u);
  n3_sub(g, u, wb, wa);
  nm_mulv(g, o->rate + 3, A, u);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    o->s[i] = n_scale(g, 0.5, n_sub(g, o->R[3 * k + j], o->R[3 * j + k]));
  }
  hn_node trace = n_add(g, n_add(g, o->R[0], o->R[4]), o->R[8]);
  o->c = n_scale(g, 0.5, n_sub(g, trace, n_constant(g, 1)));
  n3_cross(g, o->e, o->s, o->d);
  n3_cross(g, o->se, o->s, o->e);
  factors(g, o);
}

// o += f (x x y)
static void add_cross(hn_graph *g, hn_node o[3], hn_node f, const hn_node x[3],
                      const hn_node y[3]) {
  hn_node z[3];
  n3_cross(g, z, x, y);
  n3_scale(g, z, f, z);
  n3_add(g, o, o, z);
}

// (tr R - R) / 2
static void turning(hn_graph *g, const turn *o, hn_node M[9]) {
  hn_node trace = n_add(g, n_add(g, o->R[0], o->R[4]), o->R[8]);
  for (int i = 0; i < 9; i++)
    M[i] = n_scale(g, 0.5, i % 4 == 0 ? n_sub(g, trace, o->R[i]) : n_neg(g, o->R[i]));
}

// the logarithm
static void strain(hn_graph *g, const turn *o, hn_node x[6]) {
  for (int i = 0; i < 3; i++) {
    hn_node half = n_scale(g, 0.5, n_mul(g, o->k, o->e[i]));
    x[i] = n_add(g, n_sub(g, o->d[i], half), n_mul(g, o->m, o->se[i]));
    x[3 + i] = n_mul(g, o->k, o->s[i]);
  }
}

// its rate
static void strain_rate(hn_graph *g, const turn *o, hn_node x[6]) {
  hn_node M[9], sr[3], er[3], ser[3], cr = n_neg(g, n3_dot(g, o->s, o->rate + 3)), y[3];
  turning(g, o, M);
  nm_mulv(g, sr, M, o->rate + 3);
  n3_cross(g, er, sr, o->d);
  n3_cross(g, y, o->s, o->rate);
  n3_add(g, er, er, y);
  n3_cross(g, ser, sr, o->e);
  n3_cross(g, y, o->s, er);
  n3_add(g, ser, ser, y);
  hn_node kr = n_mul(g, o->dk, cr), mr = n_mul(g, o->dm, cr);
  for (int i = 0; i < 3; i++) {
    hn_node half = n_scale(g, 0.5, n_add(g, n_mul(g, kr, o->e[i]), n_mul(g, o->k, er[i])));
    hn_node rest = n_add(g, n_mul(g, mr, o->se[i]), n_mul(g, o->m, ser[i]));
    x[i] = n_add(g, n_sub(g, o->rate[i], half), rest);
    x[3 + i] = n_add(g, n_mul(g, kr, o->s[i]), n_mul(g, o->k, sr[i]));
  }
}

// forces g along the strain as a wrench in the axes of a
static void wrench(hn_graph *g, const turn *o, const hn_node force[6], hn_node w[6]) {
  const hn_node *p = force, *q = force + 3;
  hn_node t[3], ws[3], M[9], half = n_scale(g, -0.5, o->k), y[3];
  n3_cross(g, t, p, o->s);
  n3_copy(w, p);
  n3_scale(g, y, half, t);
  n3_add(g, w, w, y);
  add_cross(g, w, o->m, t, o->s);
  n3_scale(g, ws, o->k, q);
  add_cross(g, ws, half, o->d, p);
  add_cross(g, ws, o->m, o->d, t);
  add_cross(g, ws, o->m, o->e, p);
  hn_node wc = n_sub(g, n3_dot(g, o->s, q), n_scale(g, 0.5, n3_dot(g, p, o->e)));
  wc = n_add(g, n_mul(g, o->dk, wc), n_mul(g, o->dm, n3_dot(g, p, o->se)));
  turning(g, o, M);
  nm_tmulv(g, w + 3, M, ws);
  n3_scale(g, y, wc, o->s);
  n3_sub(g, w + 3, w + 3, y);
}

static void mul6(hn_graph *g, hn_node y[6], const double M[36], const hn_node x[6]) {
  for (int i = 0; i < 6; i++) {
    y[i] = n_constant(g, 0);
    for (int j = 0; j < 6; j++)
      if (M[6 * i + j] != 0) y[i] = n_add(g, y[i], n_scale(g, M[6 * i + j], x[j]));
  }
}

void hn_beam_formulas(hn_formulas *f, int count, const void *data) {
  const hn_beam_element *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    turn o;
    hn_node x[6], rate[6], force[6], lossy[6], w[6];
    look(f, &e->frames, &o);
    strain(g, &o, x);
    for (int k = 0; k < 6; k++) x[k] = n_sub(g, x[k], n_constant(g, e->free[k]));
    mul6(g, force, e->K, x);
    for (int k = 0; k < 6; k++) hn_formulas_potential(f, n_scale(g, 0.5, n_mul(g, force[k], x[k])));
    if (e->damping > 0) {
      hn_node power = n_constant(g, 0);
      strain_rate(g, &o, rate);
      mul6(g, lossy, e->K, rate);
      for (int k = 0; k < 6; k++) {
        lossy[k] = n_scale(g, e->damping, lossy[k]);
        force[k] = n_add(g, force[k], lossy[k]);
        power = n_sub(g, power, n_mul(g, lossy[k], rate[k]));
      }
      hn_formulas_power(f, power);
    }
    wrench(g, &o, force, w);
    for (int k = 0; k < 6; k++) hn_formulas_apply(f, n_neg(g, w[k]), o.rate[k]);
  }
}
