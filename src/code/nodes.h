// nodes.h: arithmetic, vectors and 3 x 3 matrices of formulas, named like those of numbers in
// base/vec.h. The graph folds what is constant, so zeros of a model never reach the code.
#ifndef HN_NODES_H
#define HN_NODES_H

#include "expr/internal.h"

// one line each: they take the place of C's operators
// a number of the model, or one of the formulas; members of a family may differ in it
static inline hn_node n_constant(hn_graph *g, double x) {
  return hn_graph_number(g, x);
}
static inline hn_node n_add(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_add(g, a, b);
}
static inline hn_node n_sub(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_sub(g, a, b);
}
static inline hn_node n_mul(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_mul(g, a, b);
}
static inline hn_node n_div(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_div(g, a, b);
}
// by the operation's own rule: signs move outwards
static inline hn_node n_neg(hn_graph *g, hn_node a) {
  return hn_graph_apply(g, HN_OP_NEG, a, -1, -1);
}
static inline hn_node n_scale(hn_graph *g, double s, hn_node a) {
  return n_mul(g, n_constant(g, s), a);
}
static inline hn_node n_function(hn_graph *g, hn_op op, hn_node a) {
  return hn_graph_apply(g, op, a, -1, -1);
}

// Only sums and products here: whoever writes a law in these terms gets its derivatives, its code
// for one machine, for lanes and for GPUs from the same lines.
// component of a unit vector: what rounding left of 0 and 1 is not worth code
// nothing is lost: directions have rounding errors of 1e-16
static inline hn_node n_direction(hn_graph *g, double x) {
  double whole = rint(x);
  return n_constant(g, fabs(x - whole) < 1e-15 ? whole : x);
}
// o may be one of the operands in all of these
static inline void n3_copy(hn_node o[3], const hn_node a[3]) {
  for (int i = 0; i < 3; i++) o[i] = a[i];
}
static inline void n3_add(hn_graph *g, hn_node o[3], const hn_node a[3], const hn_node b[3]) {
  for (int i = 0; i < 3; i++) o[i] = n_add(g, a[i], b[i]);
}
static inline void n3_sub(hn_graph *g, hn_node o[3], const hn_node a[3], const hn_node b[3]) {
  for (int i = 0; i < 3; i++) o[i] = n_sub(g, a[i], b[i]);
}
static inline void n3_scale(hn_graph *g, hn_node o[3], hn_node s, const hn_node a[3]) {
  for (int i = 0; i < 3; i++) o[i] = n_mul(g, s, a[i]);
}
static inline hn_node n3_dot(hn_graph *g, const hn_node a[3], const hn_node b[3]) {
  hn_node sum = n_mul(g, a[0], b[0]);
  for (int i = 1; i < 3; i++) sum = n_add(g, sum, n_mul(g, a[i], b[i]));
  return sum;
}
// into x first, so that o may be a or b
static inline void n3_cross(hn_graph *g, hn_node o[3], const hn_node a[3], const hn_node b[3]) {
  hn_node x[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    x[i] = n_sub(g, n_mul(g, a[j], b[k]), n_mul(g, a[k], b[j]));
  }
  n3_copy(o, x);
}
// w x (w x r)
static inline void n3_centripetal(hn_graph *g, hn_node o[3], const hn_node w[3],
                                  const hn_node r[3]) {
  hn_node x[3];
  n3_cross(g, x, w, r);
  n3_cross(g, o, w, x);
}

// a constant rotation
static inline void nm_constant(hn_graph *g, hn_node o[9], const double a[9]) {
  for (int i = 0; i < 9; i++) o[i] = n_direction(g, a[i]);
}
// likewise
static inline void nm_mulv(hn_graph *g, hn_node o[3], const hn_node A[9], const hn_node x[3]) {
  hn_node y[3];
  for (int i = 0; i < 3; i++) y[i] = n3_dot(g, A + 3 * i, x);
  n3_copy(o, y);
}
static inline void nm_tmulv(hn_graph *g, hn_node o[3], const hn_node A[9], const hn_node x[3]) {
  hn_node y[3];
  for (int i = 0; i < 3; i++) {
    // column i of A
    const hn_node column[3] = {A[i], A[3 + i], A[6 + i]};
    y[i] = n3_dot(g, column, x);
  }
  n3_copy(o, y);
}
static inline void nm_transpose(hn_node o[9], const hn_node A[9]) {
  hn_node x[9];
  for (int i = 0; i < 9; i++) x[i] = A[3 * (i % 3) + i / 3];
  for (int i = 0; i < 9; i++) o[i] = x[i];
}
// rows of A by columns of B
static inline void nm_mul(hn_graph *g, hn_node o[9], const hn_node A[9], const hn_node B[9]) {
  hn_node x[9], T[9];
  nm_transpose(T, B);
  for (int i = 0; i < 9; i++) x[i] = n3_dot(g, A + 3 * (i / 3), T + 3 * (i % 3));
  for (int i = 0; i < 9; i++) o[i] = x[i];
}
static inline void nm_add(hn_graph *g, hn_node o[9], const hn_node A[9], const hn_node B[9]) {
  for (int i = 0; i < 9; i++) o[i] = n_add(g, A[i], B[i]);
}
static inline void nm_sub(hn_graph *g, hn_node o[9], const hn_node A[9], const hn_node B[9]) {
  for (int i = 0; i < 9; i++) o[i] = n_sub(g, A[i], B[i]);
}
// [a] b = a x b
static inline void nm_skew(hn_graph *g, hn_node o[9], const hn_node a[3]) {
  const hn_node zero = hn_graph_constant(g, 0);
  const hn_node x[9] = {zero,           n_neg(g, a[2]), a[1], a[2], zero,
                        n_neg(g, a[0]), n_neg(g, a[1]), a[0], zero};
  for (int i = 0; i < 9; i++) o[i] = x[i];
}

#endif
