// recursion.c: relative coordinates as formulas: motion along the tree and the articulated-body
// recursion, in the axes of the bodies, where joint axes and levers are constants.
//
// A body k with parent p, E the rotation from parent to body axes, r the joint from the parent's
// centre of mass, s how fast the joint slides (both in parent axes), c the body's centre from the
// joint (body axes):
//   w = E w_p + w_rel              alpha = E alpha_p + (E w_p) x w_rel + S_w u'
//   a = E (a_p + alpha_p x r + w_p x (w_p x r) + 2 w_p x s) + alpha x c + w x (w x c) + S_v u'
// with accelerations of centres of mass; gravity is an acceleration of the ground. Forces reach
// the recursion as generalized forces. With [A B; B^T C] the articulated inertia,
// (trees; with loops the mass matrix is needed, from composite inertias)
//   U = I S,  D = S^T U,  I - U D^-1 U^T and p + ... + U D^-1 (tau - S^T p) pass to the parent.
#include "code/formulas.h"
#include "system/coordinates/tree.h"

#include <string.h>

// of a joint; a free body
enum { MOST_DOF = 6 };

// a joint's motion
typedef struct link {
  hn_node T[9];        // rotation from body to parent axes
  hn_node r[3], c[3];  // levers, see above
  int nv;
  hn_node turn[MOST_DOF][3];   // S_w, body axes
  hn_node slide[MOST_DOF][3];  // what u_j adds to s, parent axes
  hn_node S[MOST_DOF][6];      // linear, angular; body axes
  hn_node bias[6];             // acceleration without those of parent and joint
  hn_node total[6];            // without those of joints
  hn_node A[9], B[9], C[9];    // articulated inertia
  hn_node p[6];                // its bias force
  hn_node U[MOST_DOF][6], D[MOST_DOF][MOST_DOF], tau[MOST_DOF];
  hn_node acceleration[6];
} link;

// ---- motion --------------------------------------------------------------------------------

// R turned about its z axis
// joints turn about the z axes of their frames
// x and y columns turn, z stays
static void turn_z(hn_graph *g, hn_node o[9], const hn_node R[9], hn_node angle) {
  hn_node c = n_function(g, HN_OP_COS, angle), s = n_function(g, HN_OP_SIN, angle);
  for (int i = 0; i < 3; i++) {
    hn_node x = R[3 * i], y = R[3 * i + 1];
    o[3 * i] = n_add(g, n_mul(g, c, x), n_mul(g, s, y));
    o[3 * i + 1] = n_sub(g, n_mul(g, c, y), n_mul(g, s, x));
    o[3 * i + 2] = R[3 * i + 2];
  }
}

static void column(hn_node o[3], const hn_node R[9], int j) {
  for (int i = 0; i < 3; i++) o[i] = R[3 * i + j];
}

// r += q * axis, and u_j slides along it
// rate: what one unit of u_j moves along the axis (the pitch of a screw)
static void slides(hn_formulas *f, link *l, int j, const hn_node axis[3], hn_node q, double rate) {
  hn_node x[3];
  n3_scale(f->g, x, q, axis);
  n3_add(f->g, l->r, l->r, x);
  n3_scale(f->g, l->slide[j], n_constant(f->g, rate), axis);
}

// a joint in space: T, r and the axes
// T = Q R_b^T, Q the orientation of the joint's frame on b in axes of the parent. Coordinates count
// from m->offset, at which both frames coincide.
static void spatial_joint(hn_formulas *f, const hn_mobilizer *m, link *l) {
  hn_graph *g = f->g;
  hn_node Ra[9], Rb[9], za[3], zb[3], q[4], Q[9];
  nm_constant(g, Ra, m->a.R);
  nm_constant(g, Rb, m->b.R);
  // axes of turning and sliding: z of both frames, in axes of the parent and of the body
  column(za, Ra, 2);
  column(zb, Rb, 2);
  // a quaternion has four numbers, others count from their offset
  for (int j = 0; j < m->nq && j < 4; j++) q[j] = hn_input_q(f, m->q0 + j);
  for (int j = 0; j < 2 && j < m->nq && m->type != HN_MOB_SPHERICAL; j++)
    q[j] = n_sub(g, q[j], n_constant(g, m->offset[j]));
  // where nothing turns both frames agree
  for (int i = 0; i < 9; i++) Q[i] = Ra[i];
  switch (m->type) {
  case HN_MOB_REVOLUTE:
    turn_z(g, Q, Ra, q[0]);
    n3_copy(l->turn[0], zb);
    break;
  // slides along z of a
  case HN_MOB_PRISMATIC: slides(f, l, 0, za, q[0], 1); break;
  case HN_MOB_CYLINDRICAL:
    turn_z(g, Q, Ra, q[1]);
    slides(f, l, 0, za, q[0], 1);
    n3_copy(l->turn[1], zb);
    break;
  case HN_MOB_SCREW: {
    // advance: start + pitch angle
    hn_node along = n_add(g, n_constant(g, m->start), n_scale(g, m->pitch, q[0]));
    turn_z(g, Q, Ra, q[0]);
    slides(f, l, 0, za, along, m->pitch);
    n3_copy(l->turn[0], zb);
    break;
  }
  case HN_MOB_PLANAR: {
    hn_node axis[3];
    // about z, and along x and y of the plane
    turn_z(g, Q, Ra, hn_input_q(f, m->q0 + 2));
    for (int j = 0; j < 2; j++) {
      column(axis, Ra, j);
      slides(f, l, j, axis, hn_input_q(f, m->q0 + j), 1);
    }
    n3_copy(l->turn[2], zb);
    break;
  }
  case HN_MOB_UNIVERSAL: {
    // first about z_a, then about the arm of b
    hn_node first[9], second[9], x[3];
    turn_z(g, first, Ra, hn_input_q(f, m->q0));
    // a quarter turn about x: z goes to -y, y to z
    for (int i = 0; i < 3; i++) {
      second[3 * i] = first[3 * i];
      second[3 * i + 1] = first[3 * i + 2];
      second[3 * i + 2] = n_neg(g, first[3 * i + 1]);
    }
    turn_z(g, Q, second, hn_input_q(f, m->q0 + 1));
    // z_a as the body sees it turns with the second angle
    nm_tmulv(g, x, Q, za);
    nm_mulv(g, l->turn[0], Rb, x);
    n3_copy(l->turn[1], zb);
    break;
  }
  case HN_MOB_SPHERICAL: {
    hn_node turn[9];
    // the frame on b by the quaternion alone
    hn_quaternion_matrix(g, turn, q);
    nm_mul(g, Q, Ra, turn);
    for (int j = 0; j < 3; j++) column(l->turn[j], Rb, j);
    break;
  }
  default: break;
  }
  // to the body's own axes
  nm_transpose(Rb, Rb);
  nm_mul(g, l->T, Q, Rb);
}

// all turns are about z: angles add up, and so does the pose
static void planar_joint(hn_formulas *f, const hn_mobilizer *m, link *l) {
  hn_graph *g = f->g;
  // the angle of b against a as described
  hn_node angle = n_constant(g, m->plane_angle), one[9], q = f->zero;
  for (int i = 0; i < 9; i++) one[i] = n_constant(g, i % 4 == 0);
  if (m->nv) q = n_sub(g, hn_input_q(f, m->q0), n_constant(g, m->offset[0]));
  // a pin: the angle is the coordinate
  if (m->type == HN_MOB_REVOLUTE) {
    angle = n_add(g, angle, q);
    l->turn[0][2] = n_constant(g, 1);
  }
  // a slider along the axis, which lies in the plane
  if (m->type == HN_MOB_PRISMATIC) {
    const hn_node axis[3] = {n_direction(g, m->a.R[2]), n_direction(g, m->a.R[5]), f->zero};
    slides(f, l, 0, axis, q, 1);
  }
  turn_z(g, l->T, one, angle);
  f->body[m->body].angle = n_add(g, f->body[m->parent].angle, angle);
}

// a free body: velocities in world axes, then turns in its own
static void free_body(hn_formulas *f, const hn_mobilizer *m, link *l) {
  hn_graph *g = f->g;
  bool space = hn_tree_own(f->sys)->d == 6;
  int linear = space ? 3 : 2;
  hn_node one[9], q[4];
  for (int i = 0; i < 9; i++) one[i] = n_constant(g, i % 4 == 0), l->T[i] = one[i];
  // world axes: no joint has turned them
  for (int j = 0; j < linear; j++) slides(f, l, j, one + 3 * j, hn_input_q(f, m->q0 + j), 1);
  // a point has no turns
  if (m->nv == linear) return;
  if (space) {
    for (int j = 0; j < 4; j++) q[j] = hn_input_q(f, m->q0 + 3 + j);
    hn_quaternion_matrix(g, l->T, q);
    for (int j = 0; j < 3; j++) n3_copy(l->turn[3 + j], one + 3 * j);
  } else {
    f->body[m->body].angle = hn_input_q(f, m->q0 + 2);
    turn_z(g, l->T, one, f->body[m->body].angle);
    l->turn[2][2] = one[0];
  }
}

// constants of the joint and what its coordinates make of them
static void place(hn_formulas *f, const hn_mobilizer *m, link *l) {
  hn_graph *g = f->g;
  const hn_node zero = f->zero;
  // zeros of the graph, not of C: node numbers
  *l = (link){.nv = m->nv};
  for (int j = 0; j < MOST_DOF; j++)
    for (int i = 0; i < 3; i++) l->turn[j][i] = l->slide[j][i] = zero;
  f->body[m->body].angle = zero;
  bool is_free = m->type == HN_MOB_FREE;
  const double none[3] = {0, 0, 0};
  // levers: to the joint from the parent's centre, and back from the body's
  hn_point_constant(f, l->r, is_free ? none : m->a.s);
  hn_point_constant(f, l->c, is_free ? none : m->b.s);
  for (int i = 0; i < 3; i++) l->c[i] = n_neg(g, l->c[i]);
  if (is_free)
    free_body(f, m, l);
  else if (hn_tree_own(f->sys)->d == 3)
    planar_joint(f, m, l);
  else
    spatial_joint(f, m, l);
}

// pose, twist and bias of the body
// the equations at the top of the file, in their order
static void move(hn_formulas *f, const hn_mobilizer *m, link *l) {
  hn_graph *g = f->g;
  const hn_body_formulas *up = &f->body[m->parent];
  hn_body_formulas *b = &f->body[m->body];
  hn_node rel[3] = {f->zero, f->zero, f->zero}, s[3] = {f->zero, f->zero, f->zero}, x[3], y[3];
  for (int j = 0; j < m->nv; j++) {
    // rates of turning and sliding against the parent
    hn_node u = hn_input_v(f, m->v0 + j);
    n3_scale(g, x, u, l->turn[j]);
    n3_add(g, rel, rel, x);
    n3_scale(g, x, u, l->slide[j]);
    n3_add(g, s, s, x);
    nm_tmulv(g, l->S[j], l->T, l->slide[j]);
    // what a turn of the joint does to the centre: turn x c
    n3_cross(g, x, l->turn[j], l->c);
    n3_add(g, l->S[j], l->S[j], x);
    n3_copy(l->S[j] + 3, l->turn[j]);
  }
  // w of the parent in axes of the body
  hn_node carried[3];
  nm_tmulv(g, carried, l->T, up->w);
  n3_add(g, b->w, carried, rel);
  nm_mul(g, b->R, up->R, l->T);
  // levers in the world
  nm_mulv(g, x, up->R, l->r);
  nm_mulv(g, y, b->R, l->c);
  n3_add(g, x, x, y);
  n3_add(g, b->p, up->p, x);
  // v = v_p + w_p x r + s, then the part of c
  n3_cross(g, x, up->w, l->r);
  n3_add(g, x, x, s);
  nm_mulv(g, x, up->R, x);
  n3_cross(g, y, b->w, l->c);
  nm_mulv(g, y, b->R, y);
  n3_add(g, x, x, y);
  n3_add(g, b->v, up->v, x);

  hn_node *a = l->bias, *alpha = l->bias + 3;
  // alpha = (E w_p) x w_rel
  n3_cross(g, alpha, carried, rel);
  if (m->type == HN_MOB_UNIVERSAL) {  // the second axis turns about the first
    hn_node both = n_mul(g, hn_input_v(f, m->v0), hn_input_v(f, m->v0 + 1));
    n3_cross(g, x, l->turn[0], l->turn[1]);
    n3_scale(g, x, both, x);
    n3_add(g, alpha, alpha, x);
  }
  // w_p x (w_p x r) + 2 w_p x s, turned to body axes
  n3_centripetal(g, a, up->w, l->r);
  n3_cross(g, x, up->w, s);
  n3_scale(g, x, hn_graph_constant(g, 2), x);
  n3_add(g, a, a, x);
  nm_tmulv(g, a, l->T, a);
  // and what c adds
  n3_centripetal(g, x, b->w, l->c);
  n3_add(g, a, a, x);
  n3_cross(g, x, alpha, l->c);
  n3_add(g, a, a, x);
}

// a body's acceleration when its joint adds none; above: the parent's
// linear part first, as everywhere here
static void carry(hn_graph *g, const link *l, const hn_node above[6], hn_node a[6]) {
  hn_node x[3];
  // a_p + alpha_p x r, in parent axes
  n3_cross(g, x, above + 3, l->r);
  n3_add(g, x, above, x);
  nm_tmulv(g, a, l->T, x);
  nm_tmulv(g, a + 3, l->T, above + 3);
  // alpha x c in body axes
  n3_cross(g, x, a + 3, l->c);
  n3_add(g, a, a, x);
  for (int i = 0; i < 6; i++) a[i] = n_add(g, a[i], l->bias[i]);
}

// qdot = v but for quaternions, which stand behind the lengths of a free body or alone in a ball
// joint
static void rates(hn_formulas *f, const hn_mobilizer *m) {
  // lengths before the quaternion
  int linear = m->nq == m->nv ? m->nv : m->type == HN_MOB_FREE ? 3 : 0;
  for (int j = 0; j < linear; j++) f->qdot[m->q0 + j] = hn_input_v(f, m->v0 + j);
  if (m->nq == m->nv) return;
  hn_node q[4], w[3];
  for (int j = 0; j < 4; j++) q[j] = hn_input_q(f, m->q0 + linear + j);
  for (int j = 0; j < 3; j++) w[j] = hn_input_v(f, m->v0 + linear + j);
  hn_quaternion_rate(f->g, f->qdot + m->q0 + linear, q, w);
}

// measures that are joint coordinates need no geometry
// angles of joints are coordinates here: counted by themselves, exact over any number of turns
static void coordinates(hn_formulas *f, const hn_mobilizer *m) {
  if (m->memory < 0) return;
  for (int i = 0; i < f->sys->measures; i++) {
    if (f->sys->measure[i].turn != m->memory) continue;
    // sign: the measure may count the other way round
    f->measure[i].value = n_scale(f->g, m->sign, hn_input_q(f, m->q0 + m->angle));
    f->measure[i].rate = n_scale(f->g, m->sign, hn_input_v(f, m->v0 + m->angle));
    f->measure[i].bias = f->zero;
  }
}

// where only numbers are wanted: how the body moves follows from its joint and from its parent
static void stand_in(hn_formulas *f, const hn_mobilizer *m) {
  hn_body_formulas *b = &f->body[m->body];
  // what may differ between members, and is no number
  hn_graph_note(f->g, m->body);
  hn_graph_note(f->g, (long)m->type);
  hn_graph_note(f->g, m->v0);
  hn_graph_stand_in(f->g, m->parent, b->R, 9);
  hn_node *const vector[] = {b->p, b->v, b->w, b->a, b->alpha};
  for (int i = 0; i < 5; i++) hn_graph_stand_in(f->g, i, vector[i], 3);
}

void hn_formulas_tree(hn_formulas *f) {
  const hn_tree *t = hn_tree_own(f->sys);
  hn_body_formulas *ground = &f->body[0];
  // the ground stands still
  for (int i = 0; i < 3; i++)
    ground->p[i] = ground->v[i] = ground->w[i] = ground->a[i] = ground->alpha[i] = f->zero;
  for (int i = 0; i < 9; i++) ground->R[i] = n_constant(f->g, i % 4 == 0);
  ground->angle = f->zero;
  link *all = f->links = calloc((size_t)t->count + 1, sizeof *all);
  if (!all) return;
  const hn_node still[6] = {f->zero, f->zero, f->zero, f->zero, f->zero, f->zero};
  // from the root outwards, so that parents are known
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    hn_body_formulas *b = &f->body[m->body];
    place(f, m, &all[k]);
    if (!hn_graph_only_asks(f->g)) move(f, m, &all[k]);
    rates(f, m);
    coordinates(f, m);
    if (hn_graph_only_asks(f->g)) {
      stand_in(f, m);
      continue;
    }
    carry(f->g, &all[k], m->up >= 0 ? all[m->up].total : still, all[k].total);
    nm_mulv(f->g, b->a, b->R, all[k].total);
    n3_copy(b->alpha, all[k].total + 3);
  }
}

// ---- accelerations -------------------------------------------------------------------------

// the inertia and bias force of a body that does not turn against the point at -r from where they
// are: B' = B - A [r], C' = C + [r] B' - B^T [r]
static void shift(hn_graph *g, hn_node A[9], hn_node B[9], hn_node C[9], hn_node p[6],
                  const hn_node r[3]) {
  hn_node skew[9], X[9], Y[9], moment[3];
  nm_skew(g, skew, r);
  // mass and moments at another point, body axes unchanged
  nm_mul(g, X, A, skew);
  nm_transpose(Y, B);
  nm_sub(g, B, B, X);
  nm_mul(g, Y, Y, skew);
  nm_mul(g, X, skew, B);
  // symmetric, so the upper half is computed
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      int k = 3 * i + j;
      C[k] = C[3 * j + i] = n_add(g, C[k], n_sub(g, X[k], Y[k]));
    }
  // the force's moment about the new point
  n3_cross(g, moment, r, p);
  n3_add(g, p + 3, p + 3, moment);
}

// M <- T M T^T
static void rotate(hn_graph *g, hn_node M[9], const hn_node T[9], bool symmetric) {
  hn_node transposed[9], X[9];
  nm_transpose(transposed, T);
  // X = M T^T, then T X
  nm_mul(g, X, M, transposed);
  nm_mul(g, X, T, X);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) M[3 * i + j] = X[symmetric && j < i ? 3 * j + i : 3 * i + j];
}

static hn_node dot6(hn_graph *g, const hn_node a[6], const hn_node b[6]) {
  return n_add(g, n3_dot(g, a, b), n3_dot(g, a + 3, b + 3));
}

// o = I x
static void inertia_times(hn_graph *g, const link *l, hn_node o[6], const hn_node x[6]) {
  hn_node y[3];
  nm_mulv(g, o, l->A, x);
  nm_mulv(g, y, l->B, x + 3);
  n3_add(g, o, o, y);
  nm_tmulv(g, o + 3, l->B, x);
  nm_mulv(g, y, l->C, x + 3);
  n3_add(g, o + 3, o + 3, y);
}

// L and 1/d of D = L d L^T, in place
// of a joint's own motions; 1 x 1 for most
static void small_factor(hn_graph *g, hn_node D[MOST_DOF][MOST_DOF], int n) {
  for (int k = 0; k < n; k++) {
    // pivots are inertias, and positive
    hn_node inverse = n_div(g, hn_graph_constant(g, 1), D[k][k]);
    for (int i = n - 1; i > k; i--) {
      hn_node L = n_mul(g, D[i][k], inverse);
      for (int j = k + 1; j <= i; j++) D[i][j] = n_sub(g, D[i][j], n_mul(g, L, D[j][k]));
      D[i][k] = L;
    }
    D[k][k] = inverse;
  }
}
static void small_solve(hn_graph *g, hn_node D[MOST_DOF][MOST_DOF], int n, hn_node *b) {
  for (int k = 0; k < n; k++)
    for (int j = 0; j < k; j++) b[k] = n_sub(g, b[k], n_mul(g, D[k][j], b[j]));
  for (int k = n - 1; k >= 0; k--) {
    b[k] = n_mul(g, b[k], D[k][k]);
    for (int j = k + 1; j < n; j++) b[k] = n_sub(g, b[k], n_mul(g, D[j][k], b[j]));
  }
}

// at the centre of mass, along principal axes: two diagonals
static void own_inertia(hn_formulas *f, const hn_mobilizer *m, link *l) {
  hn_graph *g = f->g;
  const hn_sys_body *b = &f->sys->body[m->body];
  const hn_node *w = f->body[m->body].w;
  // points have no moment
  bool turns = b->kind == HN_SPATIAL || b->kind == HN_PLANAR;
  for (int i = 0; i < 9; i++) {
    bool diagonal = i % 4 == 0;
    l->A[i] = n_constant(g, diagonal ? b->mass : 0);
    l->B[i] = f->zero;
    l->C[i] = n_constant(g, diagonal && turns ? b->inertia[i / 4] : 0);
  }
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double difference = turns ? b->inertia[j] - b->inertia[i] : 0;
    l->p[k] = f->zero;
    // w x (I w) by principal moments
    l->p[3 + k] = n_scale(g, difference, n_mul(g, w[i], w[j]));
  }
}

// takes the joint's motions out of the inertia and passes the rest to the parent
// R. Featherstone's articulated-body algorithm, from the tips to the root
static void reduce(hn_formulas *f, const hn_mobilizer *m, link *l, link *up) {
  hn_graph *g = f->g;
  int n = l->nv;
  hn_node V[MOST_DOF][6], load[6], rate[MOST_DOF];
  // U = I S
  for (int j = 0; j < n; j++) inertia_times(g, l, l->U[j], l->S[j]);
  for (int i = 0; i < n; i++) {
    // tau - S^T p
    l->tau[i] = n_sub(g, f->force[m->v0 + i], dot6(g, l->S[i], l->p));
    for (int j = 0; j <= i; j++) l->D[i][j] = dot6(g, l->S[i], l->U[j]);
  }
  small_factor(g, l->D, n);
  // the ground takes everything
  if (!up) return;
  // V = D^-1 U^T, column by column
  for (int i = 0; i < 6; i++) {
    hn_node b[MOST_DOF];
    for (int j = 0; j < n; j++) b[j] = l->U[j][i];
    small_solve(g, l->D, n, b);
    for (int j = 0; j < n; j++) V[j][i] = b[j];
  }
  hn_node A[9], B[9], C[9];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      hn_node a = l->A[3 * i + k], b = l->B[3 * i + k], c = l->C[3 * i + k];
      for (int j = 0; j < n; j++) {
        if (k >= i) a = n_sub(g, a, n_mul(g, V[j][i], l->U[j][k]));
        b = n_sub(g, b, n_mul(g, V[j][i], l->U[j][3 + k]));
        if (k >= i) c = n_sub(g, c, n_mul(g, V[j][3 + i], l->U[j][3 + k]));
      }
      A[3 * i + k] = k >= i ? a : A[3 * k + i];
      B[3 * i + k] = b;
      C[3 * i + k] = k >= i ? c : C[3 * k + i];
    }
  // p + (I - U D^-1 U^T) bias + U D^-1 tau
  for (int j = 0; j < n; j++) rate[j] = n_sub(g, l->tau[j], dot6(g, l->U[j], l->bias));
  inertia_times(g, l, load, l->bias);
  for (int i = 0; i < 6; i++) {
    load[i] = n_add(g, l->p[i], load[i]);
    for (int j = 0; j < n; j++) load[i] = n_add(g, load[i], n_mul(g, V[j][i], rate[j]));
  }
  // at the joint in body axes, turned to the parent's, then at its centre
  shift(g, A, B, C, load, l->c);
  rotate(g, A, l->T, true);
  rotate(g, B, l->T, false);
  rotate(g, C, l->T, true);
  nm_mulv(g, load, l->T, load);
  nm_mulv(g, load + 3, l->T, load + 3);
  shift(g, A, B, C, load, l->r);
  nm_add(g, up->A, up->A, A);
  nm_add(g, up->B, up->B, B);
  nm_add(g, up->C, up->C, C);
  for (int i = 0; i < 6; i++) up->p[i] = n_add(g, up->p[i], load[i]);
}

// and back from the root to the tips
static void accelerate(hn_formulas *f, const hn_mobilizer *m, link *l, const hn_node above[6]) {
  hn_graph *g = f->g;
  hn_node a[6], rate[MOST_DOF];
  carry(g, l, above, a);
  // D u' = tau - U^T a
  for (int j = 0; j < l->nv; j++) rate[j] = n_sub(g, l->tau[j], dot6(g, l->U[j], a));
  small_solve(g, l->D, l->nv, rate);
  for (int j = 0; j < l->nv; j++) {
    f->a[m->v0 + j] = rate[j];
    // and the joint's own part of the acceleration
    for (int i = 0; i < 6; i++) a[i] = n_add(g, a[i], n_mul(g, l->S[j][i], rate[j]));
  }
  for (int i = 0; i < 6; i++) l->acceleration[i] = a[i];
}

// Which operations are made of the numbers asked for so far is known by which body hangs on which,
// and by what forces are: where only numbers are wanted (arguments.h) the recursions are left out.
static bool only_noted(hn_formulas *f) {
  const hn_tree *t = hn_tree_own(f->sys);
  if (!hn_graph_only_asks(f->g)) return false;
  for (int k = 0; k < t->count; k++) {
    hn_graph_note(f->g, t->mob[k].up);
    hn_graph_note(f->g, t->mob[k].v0);
    hn_graph_note(f->g, t->mob[k].nv);
  }
  for (int i = 0; i < f->sys->nv; i++) hn_graph_note(f->g, f->force[i]);
  return true;
}

// trees have no rows: nothing to project, and firm everywhere
void hn_formulas_accelerations(hn_formulas *f) {
  const hn_tree *t = hn_tree_own(f->sys);
  link *all = f->links;
  // without links there was no memory
  f->firmness = n_constant(f->g, all ? 1 : NAN);
  if (!all) return;
  for (int k = 0; k < t->count; k++) own_inertia(f, &t->mob[k], &all[k]);
  hn_node ground[6];
  // weight as an acceleration of the ground upwards
  for (int i = 0; i < 3; i++) {
    ground[i] = n_constant(f->g, -f->sys->gravity[i]);
    ground[3 + i] = f->zero;
  }
  for (int i = 0; i < f->sys->nv; i++) f->a[i] = f->d[i] = f->x[i] = f->zero;
  if (only_noted(f)) return;
  for (int k = t->count - 1; k >= 0 && !hn_formulas_full(f); k--)
    reduce(f, &t->mob[k], &all[k], t->mob[k].up >= 0 ? &all[t->mob[k].up] : NULL);
  for (int k = 0; k < t->count && !hn_formulas_full(f); k++)
    accelerate(f, &t->mob[k], &all[k], t->mob[k].up >= 0 ? all[t->mob[k].up].acceleration : ground);
}

// ---- mass matrix ---------------------------------------------------------------------------

// forces of inertia and weight on a body when no joint accelerates
static void bias_force(hn_formulas *f, const hn_mobilizer *m, link *l) {
  hn_graph *g = f->g;
  const hn_sys_body *b = &f->sys->body[m->body];
  hn_node weight[3], x[6];
  // weight in body axes
  for (int i = 0; i < 3; i++) weight[i] = n_constant(g, b->mass * f->sys->gravity[i]);
  nm_tmulv(g, weight, f->body[m->body].R, weight);
  inertia_times(g, l, x, l->total);
  for (int i = 0; i < 6; i++) l->p[i] = n_add(g, l->p[i], x[i]);
  n3_sub(g, l->p, l->p, weight);
}

// a wrench on the body as one on its parent
static void pass_up(hn_graph *g, const link *l, hn_node p[6]) {
  hn_node moment[3];
  // moment about the joint, then about the parent's centre
  n3_cross(g, moment, l->c, p);
  n3_add(g, p + 3, p + 3, moment);
  nm_mulv(g, p, l->T, p);
  nm_mulv(g, p + 3, l->T, p + 3);
  n3_cross(g, moment, l->r, p);
  n3_add(g, p + 3, p + 3, moment);
}

// what hangs on body k moves with its parent
// composite bodies: the joint is locked, inertia passes whole
static void compose(hn_formulas *f, const link *l, link *up) {
  hn_graph *g = f->g;
  hn_node A[9], B[9], C[9], p[6];
  memcpy(A, l->A, sizeof A), memcpy(B, l->B, sizeof B), memcpy(C, l->C, sizeof C);
  // no force goes along: bias forces have their own way
  for (int i = 0; i < 6; i++) p[i] = f->zero;
  shift(g, A, B, C, p, l->c);
  rotate(g, A, l->T, true);
  rotate(g, B, l->T, false);
  rotate(g, C, l->T, true);
  shift(g, A, B, C, p, l->r);
  nm_add(g, up->A, up->A, A);
  nm_add(g, up->B, up->B, B);
  nm_add(g, up->C, up->C, C);
  memcpy(p, l->p, sizeof p);
  pass_up(g, l, p);
  for (int i = 0; i < 6; i++) up->p[i] = n_add(g, up->p[i], p[i]);
}

// the composite-body algorithm: row of M of joint motion j of body k against all below it
static void mass_rows(hn_formulas *f, int k) {
  const hn_tree *t = hn_tree_own(f->sys);
  const link *all = f->links;
  int n = f->sys->nv;
  for (int j = 0; j < all[k].nv; j++) {
    hn_node F[6];
    // the force that a unit of this motion asks for
    inertia_times(f->g, &all[k], F, all[k].S[j]);
    int row = t->mob[k].v0 + j;
    // up to the root: what each joint on the way feels of it
    for (int i = k, child = -1; i >= 0; child = i, i = t->mob[i].up) {
      if (child >= 0) pass_up(f->g, &all[child], F);
      for (int l = 0; l < all[i].nv; l++) {
        int column = t->mob[i].v0 + l;
        f->M[row * n + column] = f->M[column * n + row] = dot6(f->g, all[i].S[l], F);
      }
    }
  }
}

// M and the bias forces in one walk from the tips to the root; f->force becomes the right-hand side
void hn_formulas_mass(hn_formulas *f) {
  const hn_tree *t = hn_tree_own(f->sys);
  link *all = f->links;
  for (long i = 0; i < (long)f->sys->nv * f->sys->nv; i++) f->M[i] = all ? f->zero : -1;
  if (!all) return;
  for (int k = 0; k < t->count; k++) {
    own_inertia(f, &t->mob[k], &all[k]);
    bias_force(f, &t->mob[k], &all[k]);
  }
  if (only_noted(f)) return;
  for (int k = t->count - 1; k >= 0 && !hn_formulas_full(f); k--) {
    // f - S^T p: what is left for M
    for (int j = 0; j < all[k].nv; j++) {
      hn_node *r = &f->force[t->mob[k].v0 + j];
      *r = n_sub(f->g, *r, dot6(f->g, all[k].S[j], all[k].p));
    }
    mass_rows(f, k);
    if (t->mob[k].up >= 0) compose(f, &all[k], &all[t->mob[k].up]);
  }
}
