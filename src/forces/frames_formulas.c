// frames_formulas.c: see frames_formulas.h.
#include "forces/frames_formulas.h"

// sum of coefficient[n] x^n
static hn_node polynomial(hn_graph *g, const double *coefficient, int count, hn_node x) {
  hn_node sum = n_constant(g, coefficient[count - 1]);
  // Horner's rule
  for (int n = count - 2; n >= 0; n--)
    sum = n_add(g, n_mul(g, sum, x), n_constant(g, coefficient[n]));
  return sum;
}

// As hn_turn_factors: series below an angle of 0.3, closed forms above. Below, the closed forms are
// given a number they can divide by: nobody reads them there, but derivatives taken backwards
// multiply them by zero, which does not make a number of what is none
static void factors(hn_graph *g, hn_frames_turn *o) {
  enum { TERMS = 9 };
  hn_node one = n_constant(g, 1), s2 = n3_dot(g, o->s, o->s), plus = n_add(g, one, o->c);
  // of frames that are a rotation apart: 1 - c without loss of digits
  hn_node rest = n_div(g, s2, plus), below = n_sub(g, n_constant(g, 2), rest);
  double a[TERMS], p[TERMS], da[TERMS - 1], dp[TERMS - 1];
  // k and m by their series in r = 1 - c, and derivatives by c, whence the signs
  for (int n = 0; n < TERMS; n++) {
    a[n] = n == 0 ? 1 : a[n - 1] * n / (2 * n + 1);
    p[n] = a[n] / (4 * n + 6);
    if (n > 0) da[n - 1] = -n * a[n], dp[n - 1] = -n * p[n];
  }
  hn_node P = polynomial(g, p, TERMS, rest), dP = polynomial(g, dp, TERMS - 1, rest);
  hn_node near[4] = {polynomial(g, a, TERMS, rest), polynomial(g, da, TERMS - 1, rest),
                     n_div(g, P, below), n_div(g, n_sub(g, dP, n_div(g, P, below)), below)};
  hn_node small = hn_graph_apply(g, HN_OP_LT, n_constant(g, 0.955), o->c, -1);
  // closed forms divide by s2, which is one where nobody reads them
  s2 = hn_graph_apply(g, HN_OP_IF, small, one, s2);
  hn_node sine = n_function(g, HN_OP_SQRT, s2), half = n_scale(g, 0.5, plus);
  // h / sin h, with h = atan2(sin h, cos h): right up to half a turn
  hn_node k = n_div(g, hn_graph_apply(g, HN_OP_ATAN2, sine, o->c, -1), sine);
  hn_node dk = n_div(g, n_sub(g, n_mul(g, o->c, k), one), s2);
  hn_node m = n_div(g, n_sub(g, one, n_mul(g, k, half)), s2);
  hn_node dm =
      n_sub(g, n_scale(g, 2, n_mul(g, o->c, m)), n_add(g, n_scale(g, 0.5, k), n_mul(g, dk, half)));
  const hn_node far[4] = {k, dk, m, n_div(g, dm, s2)};
  hn_node *const out[4] = {&o->k, &o->dk, &o->m, &o->dm};
  for (int i = 0; i < 4; i++) *out[i] = hn_graph_apply(g, HN_OP_IF, small, near[i], far[i]);
}

// R = A^T B as a matrix of nodes; its axial part s and c = cos h are polynomials of it, and all
// that is transcendental is in k and m. Hence no quaternion, whose sign would have to be chosen
void hn_frames_look(hn_formulas *f, const hn_frames *at, hn_frames_turn *o) {
  hn_graph *g = f->g;
  const hn_body_formulas *a = &f->body[at->a], *b = &f->body[at->b];
  hn_jet3 pa = hn_point_jet(f, at->a, at->sa), pb = hn_point_jet(f, at->b, at->sb);
  hn_node Ma[9], Mb[9], A[9], B[9], wa[3], wb[3], r[3], u[3], carried[3];
  nm_constant(g, Ma, at->Ma);
  nm_constant(g, Mb, at->Mb);
  nm_mul(g, A, a->R, Ma);
  nm_mul(g, B, b->R, Mb);
  // what follows is seen in axes A
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

void hn_formulas_mul6(hn_graph *g, hn_node y[6], const double M[36], const hn_node x[6]) {
  for (int i = 0; i < 6; i++) {
    y[i] = n_constant(g, 0);
    for (int j = 0; j < 6; j++)
      if (M[6 * i + j] != 0) y[i] = n_add(g, y[i], n_scale(g, M[6 * i + j], x[j]));
  }
}
