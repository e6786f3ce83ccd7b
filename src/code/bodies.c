// bodies.c: poses and twists as formulas of reference coordinates.
// Everything a row or a force asks of a body: where it is, how it is turned, how both change. In
// reference coordinates these are the coordinates themselves; biases are zero, since accelerations
// are theirs as well.
#include "code/formulas.h"

// divided by |q|^2, as q_matrix() of base/vec.h: stages of a step are off the unit sphere
void hn_quaternion_matrix(hn_graph *g, hn_node R[9], const hn_node q[4]) {
  // 2 / |q|^2 instead of 2: exact for every length of q
  hn_node norm = n_constant(g, 0), one = n_constant(g, 1), p[4][4];
  for (int i = 0; i < 4; i++) norm = n_add(g, norm, n_mul(g, q[i], q[i]));
  hn_node s = n_div(g, n_constant(g, 2), norm);
  for (int i = 0; i < 4; i++) {
    hn_node scaled = n_mul(g, s, q[i]);
    for (int j = i; j < 4; j++) p[i][j] = n_mul(g, scaled, q[j]);
  }
  // R of q = (w, x, y, z), scalar first
  R[0] = n_sub(g, one, n_add(g, p[2][2], p[3][3]));
  R[4] = n_sub(g, one, n_add(g, p[1][1], p[3][3]));
  R[8] = n_sub(g, one, n_add(g, p[1][1], p[2][2]));
  R[1] = n_sub(g, p[1][2], p[0][3]);
  R[3] = n_add(g, p[1][2], p[0][3]);
  R[2] = n_add(g, p[1][3], p[0][2]);
  R[6] = n_sub(g, p[1][3], p[0][2]);
  R[5] = n_sub(g, p[2][3], p[0][1]);
  R[7] = n_add(g, p[2][3], p[0][1]);
}

// q' = q (0, w) / 2
void hn_quaternion_rate(hn_graph *g, hn_node o[4], const hn_node q[4], const hn_node w[3]) {
  // half of w, so that the product is q'
  hn_node h[3], turned[3];
  for (int i = 0; i < 3; i++) h[i] = n_scale(g, 0.5, w[i]);
  n3_cross(g, turned, q + 1, h);
  o[0] = n_neg(g, n3_dot(g, q + 1, h));
  for (int i = 0; i < 3; i++) o[1 + i] = n_add(g, n_mul(g, q[0], h[i]), turned[i]);
}

// the ground, and what every body begins with
static void still(hn_formulas *f, hn_body_formulas *b) {
  for (int i = 0; i < 3; i++) b->p[i] = b->v[i] = b->w[i] = b->a[i] = b->alpha[i] = f->zero;
  for (int i = 0; i < 9; i++) b->R[i] = i % 4 ? f->zero : n_constant(f->g, 1);
  b->angle = f->zero;
}

// planar bodies are bodies in space that turn about z
static void planar(hn_formulas *f, hn_body_formulas *b, int q0, int v0) {
  hn_graph *g = f->g;
  b->angle = hn_input_q(f, q0 + 2);
  // R of a turn about z
  hn_node c = n_function(g, HN_OP_COS, b->angle), s = n_function(g, HN_OP_SIN, b->angle);
  b->R[0] = b->R[4] = c;
  b->R[1] = n_neg(g, s);
  b->R[3] = s;
  b->w[2] = hn_input_v(f, v0 + 2);
}

void hn_formulas_bodies(hn_formulas *f) {
  const hn_system *sys = f->sys;
  still(f, &f->body[0]);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *s = &sys->body[i];
    hn_body_formulas *b = &f->body[i];
    still(f, b);
    // lengths first: p' = v
    for (int k = 0; k < hn_body_linear(s); k++) {
      b->p[k] = hn_input_q(f, s->q0 + k);
      b->v[k] = f->qdot[s->q0 + k] = hn_input_v(f, s->v0 + k);
    }
    if (s->kind == HN_PLANAR) {
      planar(f, b, s->q0, s->v0);
      f->qdot[s->q0 + 2] = b->w[2];
    }
    // the rest is of bodies in space
    if (s->kind != HN_SPATIAL) continue;
    hn_node q[4];
    for (int k = 0; k < 4; k++) q[k] = hn_input_q(f, s->q0 + 3 + k);
    for (int k = 0; k < 3; k++) b->w[k] = hn_input_v(f, s->v0 + 3 + k);
    hn_quaternion_matrix(f->g, b->R, q);
    hn_quaternion_rate(f->g, f->qdot + s->q0 + 3, q, b->w);
  }
}
