// tree_space.c: poses, twists and bias accelerations along a tree in space, in one walk outwards.
//
// With r from the parent's centre of mass to the joint and d from there to the body's, z the axis
// of a revolute joint and u its rate:
//   p = p_p + r + d                  w = w_p + u z          v = v_p + w_p x (r + d) + u z x d
// and the acceleration of the body when all u_dot vanish
//   alpha = alpha_p + w_p x (w - w_p)
//   a = a_p + alpha_p x r + w_p x (w_p x r) + 2 w_p x slide + alpha x d + w x (w x d)
#include "base/elementary.h"
#include "system/coordinates/tree.h"

#include <string.h>

// what a mobilizer reads and writes
typedef struct place {
  const hn_kin *up;     // the parent, and its bias acceleration
  const double *above;  // bias of the parent
  hn_kin *k;
  double *lever, *bias, *S;
} place;

// ---- velocities and accelerations ------------------------------------------------------------

// bias without the part of joints that slide, or turn about two axes; rel = w_p x (w - w_p)
HN_TREE_INLINE void add_bias(const place *o, const double rel[3], const double r[3],
                             const double d[3]) {
  const double *A = o->above;
  double *a = o->bias, *alpha = a + 3, x[3], y[3];
  v3_add(alpha, A + 3, rel);
  v3_cross(x, A + 3, r);
  v3_centripetal(y, o->up->w, r);
  for (int i = 0; i < 3; i++) a[i] = A[i] + x[i] + y[i];
  v3_cross(x, alpha, d);
  v3_centripetal(y, o->k->w, d);
  for (int i = 0; i < 3; i++) a[i] += x[i] + y[i];
}

// velocities in the body's own coordinates
HN_TREE_INLINE void own_velocity(hn_work *w, const hn_link *l, const hn_kin *k, const double *u) {
  double *o = w->body_v + l->body_v0;
  if (l->type == HN_MOB_FREE) {
    memcpy(o, u, (size_t)l->nv * sizeof(double));
    return;
  }
  v3_copy(o, k->v);
  if (l->turns) m3_tmulv(o + 3, k->R, k->w);
}

// weight, and the gyroscopic moment -w x (I w) in principal axes
HN_TREE_INLINE void own_force(hn_work *w, const hn_link *l, const double *inertia) {
  const double *g = w->sys->gravity, *x = w->body_v + l->body_v0 + 3, *I = inertia + 1;
  double *f = w->f + l->body_v0;
  for (int i = 0; i < 3; i++) f[i] = inertia[0] * g[i];
  if (!l->turns) return;
  f[3] = -(I[2] - I[1]) * x[1] * x[2];
  f[4] = -(I[0] - I[2]) * x[2] * x[0];
  f[5] = -(I[1] - I[0]) * x[0] * x[1];
}

// ---- revolute joints ---------------------------------------------------------------------------

// o = s R x, where x may have one coordinate only
HN_TREE_INLINE void reach(double o[3], const double R[9], const double x[3], int along, double s) {
  if (along >= 0) {
    double length = s * x[along];
    for (int i = 0; i < 3; i++) o[i] = length * R[3 * i + along];
    return;
  }
  m3_mulv(o, R, x);
  v3_scale(o, s, o);
}

// R = U turned about its column `axis`
HN_TREE_INLINE void turn_about(double R[9], const double U[9], int axis, double c, double s) {
  int x = axis < 2 ? axis + 1 : 0, y = axis > 0 ? axis - 1 : 2;
  for (int i = 0; i < 9; i += 3) {
    double ux = U[i + x], uy = U[i + y];
    R[i + axis] = U[i + axis];
    R[i + x] = c * ux + s * uy;
    R[i + y] = c * uy - s * ux;
  }
}

HN_TREE_INLINE void revolute(const place *o, const hn_hinge *h, const double *turn, double q,
                             double u, int level) {
  const hn_kin *up = o->up;
  hn_kin *k = o->k;
  double angle = h->sign * q + h->angle, c, s, *S = o->S;
  double r[3], d[3], z[3], R[9], swing[3];
  hn_sincos(angle, &s, &c);
  if (turn) {
    double Q[9];
    m3_mulv(z, up->R, turn);
    for (int i = 0; i < 9; i++) Q[i] = turn[3 + i] + c * turn[12 + i] + s * turn[21 + i];
    m3_mul(R, up->R, Q);
    for (int i = 0; i < 9; i++) k->R[i] = R[i];
  } else {
    const double *column = up->R + h->axis;
    turn_about(k->R, up->R, h->axis, c, s);
    for (int i = 0; i < 3; i++) z[i] = h->sign * column[3 * i];
  }
  reach(r, up->R, h->sa, h->along_a, 1);
  reach(d, k->R, h->sb, h->along_b, -1);
  v3_cross(swing, z, d);
  for (int i = 0; i < 3; i++) {
    double lever = r[i] + d[i];
    o->lever[i] = lever;
    k->p[i] = up->p[i] + lever;
    S[i] = swing[i], S[3 + i] = z[i];
  }
  if (level < 1) return;
  double wp[3] = {up->w[0], up->w[1], up->w[2]}, w[3], e[3], ep[3];
  for (int i = 0; i < 3; i++) k->w[i] = w[i] = wp[i] + u * z[i];
  v3_cross(ep, wp, r);
  v3_cross(e, w, d);
  for (int i = 0; i < 3; i++) k->v[i] = up->v[i] + ep[i] + e[i];
  if (level < 2) return;
  const double *A = o->above;
  double al[3], alp[3] = {A[3], A[4], A[5]}, x[3], a[3];
  v3_cross(x, wp, z);
  for (int i = 0; i < 3; i++) o->bias[3 + i] = al[i] = alp[i] + u * x[i];
  // four products, each on its own: their sums would wait for each other
  v3_cross(a, alp, r);
  v3_cross(x, wp, ep);
  v3_add(a, a, x);
  v3_cross(x, al, d);
  v3_cross(ep, w, e);
  for (int i = 0; i < 3; i++) o->bias[i] = A[i] + (a[i] + (x[i] + ep[i]));
}

// ---- all joints --------------------------------------------------------------------------------

static void turn_z(double o[9], const double R[9], double angle) {
  double c, s;
  hn_sincos(angle, &s, &c);
  for (int i = 0; i < 3; i++) {
    double x = R[3 * i], y = R[3 * i + 1];
    o[3 * i] = c * x + s * y;
    o[3 * i + 1] = c * y - s * x;
    o[3 * i + 2] = R[3 * i + 2];
  }
}

// Axes in world directions for translations, those of the body for turns: velocities of a free body
// are its own reference ones.
static void free_position(const place *o, const hn_mobilizer *m, const double *q) {
  hn_kin *k = o->k;
  v3_copy(k->p, q);
  for (int j = 0; j < 6 * m->nv; j++) o->S[j] = 0;
  for (int j = 0; j < 3; j++) o->S[6 * j + j] = 1;
  if (m->nv == 6) {
    q_matrix(k->R, q + 3);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) o->S[6 * (3 + j) + 3 + i] = k->R[3 * i + j];
  }
  v3_copy(o->lever, k->p);
}

// pose; T are the axes of mount b, Rm those of mount a, d goes from the joint to the body.
// offset is subtracted from what the coordinate counts: mounts coincide where it has that value.
static void any_position(const place *o, const hn_mobilizer *m, const double *q, double Rm[9],
                         double T[9], double d[3]) {
  const hn_kin *up = o->up;
  hn_kin *k = o->k;
  double P[3], z[3];
  m3_mul(Rm, up->R, m->a.R);
  m3_mulv(P, up->R, m->a.s);
  v3_add(P, P, up->p);
  v3_set(z, Rm[2], Rm[5], Rm[8]);
  switch (m->type) {
  case HN_MOB_CYLINDRICAL:
    turn_z(T, Rm, q[1] - m->offset[1]);
    v3_addto(P, q[0] - m->offset[0], z);
    break;
  case HN_MOB_PRISMATIC:
    memcpy(T, Rm, 9 * sizeof(double));
    v3_addto(P, q[0] - m->offset[0], z);
    break;
  case HN_MOB_UNIVERSAL: {
    double first[9], second[9];
    turn_z(first, Rm, q[0]);
    // then a quarter turn about x: z goes to -y, y to z
    for (int i = 0; i < 3; i++) {
      second[3 * i] = first[3 * i];
      second[3 * i + 1] = first[3 * i + 2];
      second[3 * i + 2] = -first[3 * i + 1];
    }
    turn_z(T, second, q[1]);
    break;
  }
  case HN_MOB_PLANAR:
    turn_z(T, Rm, q[2]);
    for (int i = 0; i < 3; i++) P[i] += q[0] * Rm[3 * i] + q[1] * Rm[3 * i + 1];
    break;
  case HN_MOB_SCREW:
    turn_z(T, Rm, q[0] - m->offset[0]);
    v3_addto(P, m->start + m->pitch * (q[0] - m->offset[0]), z);
    break;
  case HN_MOB_SPHERICAL: {
    double Q[9];
    q_matrix(Q, q);
    m3_mul(T, Rm, Q);
    break;
  }
  default: memcpy(T, Rm, 9 * sizeof(double)); break;
  }
  m3_mult(k->R, T, m->b.R);
  m3_mulv(d, k->R, m->b.s);
  v3_scale(d, -1, d);
  v3_add(k->p, P, d);
  v3_sub(o->lever, k->p, up->p);
}

// Columns of S, each (velocity of the body's centre, angular velocity) per unit rate, world axes;
// turns about an axis through the joint move the centre by axis x d.
static void any_axes(double *S, hn_mobilizer_type type, double pitch, const double Rm[9],
                     const double T[9], const double d[3]) {
  double z[3] = {Rm[2], Rm[5], Rm[8]};
  switch (type) {
  case HN_MOB_PRISMATIC:
    v3_copy(S, z);
    v3_set(S + 3, 0, 0, 0);
    break;
  case HN_MOB_CYLINDRICAL:
    v3_copy(S, z);
    v3_set(S + 3, 0, 0, 0);
    v3_cross(S + 6, z, d);
    v3_copy(S + 9, z);
    break;
  case HN_MOB_UNIVERSAL:
    v3_cross(S, z, d);
    v3_copy(S + 3, z);
    v3_set(S + 9, T[2], T[5], T[8]);
    v3_cross(S + 6, S + 9, d);
    break;
  case HN_MOB_PLANAR:
    for (int j = 0; j < 2; j++) {
      v3_set(S + 6 * j, Rm[j], Rm[3 + j], Rm[6 + j]);
      v3_set(S + 6 * j + 3, 0, 0, 0);
    }
    v3_cross(S + 12, z, d);
    v3_copy(S + 15, z);
    break;
  case HN_MOB_SCREW:
    v3_cross(S, z, d);
    v3_addto(S, pitch, z);
    v3_copy(S + 3, z);
    break;
  case HN_MOB_SPHERICAL:
    for (int j = 0; j < 3; j++) {
      double axis[3] = {T[j], T[3 + j], T[6 + j]};
      v3_cross(S + 6 * j, axis, d);
      v3_copy(S + 6 * j + 3, axis);
    }
    break;
  default: break;
  }
}

// how fast the joint slides, seen from the parent; false: it does not
static bool slides(const hn_mobilizer *m, const double *u, const double *S, double slide[3]) {
  switch (m->type) {
  case HN_MOB_PRISMATIC:
  case HN_MOB_CYLINDRICAL: v3_scale(slide, u[0], S); return true;
  case HN_MOB_PLANAR:
    v3_scale(slide, u[0], S);
    v3_addto(slide, u[1], S + 6);
    return true;
  case HN_MOB_SCREW: v3_scale(slide, m->pitch * u[0], S + 3); return true;
  default: return false;
  }
}

// S depends on the state: beside what turns with the parent, sliding directions bring Coriolis'
// acceleration and the second arm of a cross turns about the first. Axes of a ball are those of the
// body, along which u is counted, and bring nothing more.
static void any_bias(const place *o, const hn_mobilizer *m, const double *u, const double d[3]) {
  const double *S = o->S;
  double rel[3], slide[3], r[3], x[3];
  v3_sub(rel, o->k->w, o->up->w);
  v3_cross(rel, o->up->w, rel);
  if (m->type == HN_MOB_UNIVERSAL) {  // the second axis turns about the first
    v3_cross(x, S + 3, S + 9);
    v3_addto(rel, u[0] * u[1], x);
  }
  v3_sub(r, o->lever, d);
  add_bias(o, rel, r, d);
  if (slides(m, u, S, slide)) {
    v3_cross(x, o->up->w, slide);
    v3_addto(o->bias, 2, x);
  }
}

static void any_mobilizer(const place *o, const hn_mobilizer *m, const double *q, const double *u,
                          int level) {
  const hn_kin *up = o->up;
  hn_kin *k = o->k;
  if (m->type == HN_MOB_FREE) {
    free_position(o, m, q);
    if (level < 1) return;
    v3_copy(k->v, u);
    if (m->nv == 6) m3_mulv(k->w, k->R, u + 3);
    for (int i = 0; i < 6; i++) o->bias[i] = 0;
    return;
  }
  double Rm[9], T[9], d[3];
  any_position(o, m, q, Rm, T, d);
  any_axes(o->S, m->type, m->pitch, Rm, T, d);
  if (level < 1) return;
  v3_cross(k->v, up->w, o->lever);
  v3_add(k->v, k->v, up->v);
  v3_copy(k->w, up->w);
  for (int j = 0; j < m->nv; j++) {
    v3_addto(k->v, u[j], o->S + 6 * j);
    v3_addto(k->w, u[j], o->S + 6 * j + 3);
  }
  if (level == 2) any_bias(o, m, u, d);
}

// ---- the walk ----------------------------------------------------------------------------------

// Parents stand before children: one loop.
HN_TREE_INLINE void move(hn_work *w, const double *q, const double *v, int level) {
  const hn_tree *t = hn_tree_own(w->sys);
  static const double still[6] = {0};
  for (int i = 0; i < t->count; i++) {
    const hn_link *l = &t->link[i];
    const double *u = level ? v + l->v0 : still;
    const place o = {.up = &w->kin[l->parent],
                     .above = l->up >= 0 ? w->bias + 6 * l->up : still,
                     .k = &w->kin[l->body],
                     .lever = w->lever + 3 * i,
                     .bias = w->bias + 6 * i,
                     .S = w->axes + l->s0};
    if (l->shape == HN_LINK_AXIS)
      revolute(&o, &t->hinge[i], NULL, q[l->q0], u[0], level);
    else if (l->shape == HN_LINK_TURN)
      revolute(&o, &t->hinge[i], t->turn + t->hinge[i].turn, q[l->q0], u[0], level);
    else
      any_mobilizer(&o, &t->mob[i], q + l->q0, u, level);
    // the coordinate knows its turns, however far a step goes
    if (l->memory >= 0) w->near[l->memory] = l->sign * q[l->q0 + l->angle];
    v3_copy(w->body_q + l->body_q0, o.k->p);
    if (level >= 1) own_velocity(w, l, o.k, u);
    if (level >= 2) own_force(w, l, t->inertia + 4 * i);
  }
}

void hn_tree_move_space(hn_work *w, const double *q, const double *v, int level) {
  switch (level) {
  case 0: move(w, q, v, 0); break;
  case 1: move(w, q, v, 1); break;
  default: move(w, q, v, 2); break;
  }
}
