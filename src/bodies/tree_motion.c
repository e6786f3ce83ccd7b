// tree_motion.c: poses, twists and bias accelerations along the tree; products with the map K
// from joint rates to body twists. See tree.h for the conventions.
#include "bodies/tree.h"

#include <string.h>

void hn_tree_layout(hn_work *work, hn_arena *arena) {
  const hn_system *sys = work->sys;
  const hn_tree *t = sys->tree;
  work->mob = HN_TAKE(arena, hn_mob_state, t->count);
  work->axes = HN_TAKE(arena, double, t->s_size);
  work->push = HN_TAKE(arena, double, 6 * t->count);
  work->body_q = HN_TAKE(arena, double, sys->bq);
  work->body_v = HN_TAKE(arena, double, sys->bv);
  work->body_x = HN_TAKE(arena, double, sys->bv);
  work->r = HN_TAKE(arena, double, sys->nv);
  if (!arena->base) return;
  work->q = work->body_q;
  work->v = work->body_v;
  memcpy(work->body_q, sys->body_q0, (size_t)sys->bq * sizeof(double));
}

// ---- space ---------------------------------------------------------------------------------

static void turn_z(double o[9], const double R[9], double angle) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) {
    double x = R[3 * i], y = R[3 * i + 1];
    o[3 * i] = c * x + s * y;
    o[3 * i + 1] = c * y - s * x;
    o[3 * i + 2] = R[3 * i + 2];
  }
}

// the most common joint has its own code
static void revolute6(const hn_kin *up, const hn_mobilizer *m, double angle, hn_kin *k,
                      hn_mob_state *st, double *S) {
  double c = cos(angle), s = sin(angle), Q[9], P[3], arm[3], z[3];
  const double *t = m->turn;
  for (int i = 0; i < 9; i++) Q[i] = t[i] + c * t[9 + i] + s * t[18 + i];
  m3_mul(k->R, up->R, Q);
  m3_mulv(P, up->R, m->a.s);
  m3_mulv(arm, k->R, m->b.s);
  z[0] = up->R[0] * m->a.R[2] + up->R[1] * m->a.R[5] + up->R[2] * m->a.R[8];
  z[1] = up->R[3] * m->a.R[2] + up->R[4] * m->a.R[5] + up->R[5] * m->a.R[8];
  z[2] = up->R[6] * m->a.R[2] + up->R[7] * m->a.R[5] + up->R[8] * m->a.R[8];
  for (int i = 0; i < 3; i++) {
    st->arm[i] = -arm[i];
    st->lever[i] = P[i] - arm[i];
    k->p[i] = up->p[i] + st->lever[i];
    S[3 + i] = z[i];
  }
  v3_cross(S, arm, z);
}

static void position6(hn_work *w, const hn_mobilizer *m, const double *q) {
  const hn_kin *up = &w->kin[m->parent];
  hn_kin *k = &w->kin[m->body];
  hn_mob_state *st = &w->mob[w->sys->tree->of_body[m->body]];
  double *S = w->axes + m->s0;
  if (m->type == HN_MOB_FREE) {
    v3_copy(k->p, q);
    for (int j = 0; j < 6 * m->nv; j++) S[j] = 0;
    for (int j = 0; j < 3; j++) S[6 * j + j] = 1;
    if (m->nv == 6) {
      q_matrix(k->R, q + 3);
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) S[6 * (3 + j) + 3 + i] = k->R[3 * i + j];
    }
    v3_copy(st->lever, k->p);
    v3_set(st->arm, 0, 0, 0);
    return;
  }
  if (m->type == HN_MOB_REVOLUTE) {
    revolute6(up, m, q[0] - m->offset[0], k, st, S);
    return;
  }
  double Rm[9], P[3], T[9], z[3], s[3];
  m3_mul(Rm, up->R, m->a.R);
  m3_mulv(P, up->R, m->a.s);
  v3_add(P, P, up->p);
  z[0] = Rm[2], z[1] = Rm[5], z[2] = Rm[8];
  switch (m->type) {
  case HN_MOB_CYLINDRICAL:
    turn_z(T, Rm, q[1] - m->offset[1]);
    v3_addto(P, q[0] - m->offset[0], z);
    break;
  case HN_MOB_PRISMATIC:
    memcpy(T, Rm, sizeof T);
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
  default: memcpy(T, Rm, sizeof T); break;
  }
  m3_mult(k->R, T, m->b.R);
  m3_mulv(s, k->R, m->b.s);
  v3_sub(k->p, P, s);
  v3_scale(st->arm, -1, s);  // from the joint to the centre of mass
  v3_sub(st->lever, k->p, up->p);
  switch (m->type) {
  case HN_MOB_PRISMATIC:
    v3_copy(S, z);
    v3_set(S + 3, 0, 0, 0);
    break;
  case HN_MOB_CYLINDRICAL:
    v3_copy(S, z);
    v3_set(S + 3, 0, 0, 0);
    v3_cross(S + 6, z, st->arm);
    v3_copy(S + 9, z);
    break;
  case HN_MOB_UNIVERSAL:
    v3_cross(S, z, st->arm);
    v3_copy(S + 3, z);
    v3_set(S + 9, T[2], T[5], T[8]);
    v3_cross(S + 6, S + 9, st->arm);
    break;
  case HN_MOB_PLANAR:
    for (int j = 0; j < 2; j++) {
      v3_set(S + 6 * j, Rm[j], Rm[3 + j], Rm[6 + j]);
      v3_set(S + 6 * j + 3, 0, 0, 0);
    }
    v3_cross(S + 12, z, st->arm);
    v3_copy(S + 15, z);
    break;
  case HN_MOB_SCREW:
    v3_cross(S, z, st->arm);
    v3_addto(S, m->pitch, z);
    v3_copy(S + 3, z);
    break;
  case HN_MOB_SPHERICAL:
    for (int j = 0; j < 3; j++) {
      double axis[3] = {T[j], T[3 + j], T[6 + j]};
      v3_cross(S + 6 * j, axis, st->arm);
      v3_copy(S + 6 * j + 3, axis);
    }
    break;
  default: break;
  }
}

static void velocity6(hn_work *w, const hn_mobilizer *m, const double *u) {
  const hn_kin *up = &w->kin[m->parent];
  hn_kin *k = &w->kin[m->body];
  const hn_mob_state *st = &w->mob[w->sys->tree->of_body[m->body]];
  const hn_sys_body *b = &w->sys->body[m->body];
  const double *S = w->axes + m->s0;
  double *o = w->body_v + b->v0;
  if (m->type == HN_MOB_FREE) {
    v3_copy(k->v, u);
    if (m->nv == 6) m3_mulv(k->w, k->R, u + 3);
    memcpy(o, u, (size_t)m->nv * sizeof(double));
    return;
  }
  v3_cross(k->v, up->w, st->lever);
  v3_add(k->v, k->v, up->v);
  v3_copy(k->w, up->w);
  for (int j = 0; j < m->nv; j++) {
    v3_addto(k->v, u[j], S + 6 * j);
    v3_addto(k->w, u[j], S + 6 * j + 3);
  }
  v3_copy(o, k->v);
  m3_tmulv(o + 3, k->R, k->w);
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

// acceleration of the body when all u_dot vanish, world axes:
//   alpha = alpha_p + w_p x w_rel
//   a = a_p + alpha_p x r_p + w_p x (w_p x r_p) + 2 w_p x slide + alpha x arm + w x (w x arm)
static void bias6(hn_work *w, const hn_mobilizer *m, const double *u) {
  const hn_tree *t = w->sys->tree;
  const hn_kin *up = &w->kin[m->parent], *k = &w->kin[m->body];
  hn_mob_state *st = &w->mob[t->of_body[m->body]];
  static const double still[6] = {0};
  if (m->type == HN_MOB_FREE) {
    memset(st->bias, 0, sizeof st->bias);
    return;
  }
  const double *A = m->up >= 0 ? w->mob[m->up].bias : still, *S = w->axes + m->s0;
  double *a = st->bias, *alpha = st->bias + 3, rel[3], slide[3], rp[3], x[3];
  v3_sub(rel, k->w, up->w);
  v3_cross(alpha, up->w, rel);
  v3_add(alpha, alpha, A + 3);
  if (m->type == HN_MOB_UNIVERSAL) {  // the second axis turns about the first
    v3_cross(x, S + 3, S + 9);
    v3_addto(alpha, u[0] * u[1], x);
  }
  v3_sub(rp, st->lever, st->arm);
  v3_cross(a, A + 3, rp);
  v3_add(a, a, A);
  v3_centripetal(x, up->w, rp);
  v3_add(a, a, x);
  if (slides(m, u, S, slide)) {
    v3_cross(x, up->w, slide);
    v3_addto(a, 2, x);
  }
  v3_cross(x, alpha, st->arm);
  v3_add(a, a, x);
  v3_centripetal(x, k->w, st->arm);
  v3_add(a, a, x);
}

// ---- plane ---------------------------------------------------------------------------------

static void position3(hn_work *w, const hn_mobilizer *m, const double *q) {
  const hn_sys_body *b = &w->sys->body[m->body];
  const hn_kin2 *up = &w->kin2[m->parent];
  hn_kin2 *k = &w->kin2[m->body];
  hn_mob_state *st = &w->mob[w->sys->tree->of_body[m->body]];
  double *S = w->axes + m->s0, *x = w->body_q + b->q0;
  if (m->type == HN_MOB_FREE) {
    k->x = q[0], k->y = q[1];
    if (m->nq == 3) k->c = cos(q[2]), k->s = sin(q[2]);
    memcpy(x, q, (size_t)m->nq * sizeof(double));
    for (int j = 0; j < 3 * m->nv; j++) S[j] = j % 4 == 0;
    st->lever[0] = k->x, st->lever[1] = k->y;
    st->arm[0] = st->arm[1] = 0;
    return;
  }
  double Px = up->x + up->c * m->a.s[0] - up->s * m->a.s[1];
  double Py = up->y + up->s * m->a.s[0] + up->c * m->a.s[1];
  double angle = (m->parent ? w->body_q[w->sys->body[m->parent].q0 + 2] : 0) + m->plane_angle;
  double zx = 0, zy = 0;
  if (m->type == HN_MOB_REVOLUTE) angle += q[0] - m->offset[0];
  if (m->type == HN_MOB_PRISMATIC) {
    zx = up->c * m->a.R[2] - up->s * m->a.R[5];
    zy = up->s * m->a.R[2] + up->c * m->a.R[5];
    Px += (q[0] - m->offset[0]) * zx;
    Py += (q[0] - m->offset[0]) * zy;
  }
  k->c = cos(angle), k->s = sin(angle);
  st->arm[0] = -(k->c * m->b.s[0] - k->s * m->b.s[1]);
  st->arm[1] = -(k->s * m->b.s[0] + k->c * m->b.s[1]);
  k->x = Px + st->arm[0], k->y = Py + st->arm[1];
  st->lever[0] = k->x - up->x, st->lever[1] = k->y - up->y;
  x[0] = k->x, x[1] = k->y, x[2] = angle;
  if (m->type == HN_MOB_REVOLUTE)
    S[0] = -st->arm[1], S[1] = st->arm[0], S[2] = 1;
  else if (m->type == HN_MOB_PRISMATIC)
    S[0] = zx, S[1] = zy, S[2] = 0;
}

static void velocity3(hn_work *w, const hn_mobilizer *m, const double *u) {
  const hn_sys_body *b = &w->sys->body[m->body];
  const hn_kin2 *up = &w->kin2[m->parent];
  hn_kin2 *k = &w->kin2[m->body];
  const hn_mob_state *st = &w->mob[w->sys->tree->of_body[m->body]];
  const double *S = w->axes + m->s0;
  double *o = w->body_v + b->v0;
  if (m->type == HN_MOB_FREE) {
    k->vx = u[0], k->vy = u[1];
    if (m->nv == 3) k->w = u[2];
    memcpy(o, u, (size_t)m->nv * sizeof(double));
    return;
  }
  k->vx = up->vx - up->w * st->lever[1];
  k->vy = up->vy + up->w * st->lever[0];
  k->w = up->w;
  for (int j = 0; j < m->nv; j++) {
    k->vx += u[j] * S[3 * j];
    k->vy += u[j] * S[3 * j + 1];
    k->w += u[j] * S[3 * j + 2];
  }
  o[0] = k->vx, o[1] = k->vy, o[2] = k->w;
}

static void bias3(hn_work *w, const hn_mobilizer *m, const double *u) {
  const hn_kin2 *up = &w->kin2[m->parent], *k = &w->kin2[m->body];
  hn_mob_state *st = &w->mob[w->sys->tree->of_body[m->body]];
  static const double still[3] = {0};
  const double *A = m->up >= 0 ? w->mob[m->up].bias : still, *S = w->axes + m->s0;
  double *a = st->bias;
  a[2] = 0;
  if (m->type == HN_MOB_FREE) {
    a[0] = a[1] = 0;
    return;
  }
  double wp = up->w * up->w, wc = k->w * k->w;
  a[0] = A[0] - wp * (st->lever[0] - st->arm[0]) - wc * st->arm[0];
  a[1] = A[1] - wp * (st->lever[1] - st->arm[1]) - wc * st->arm[1];
  if (m->type == HN_MOB_PRISMATIC) {
    a[0] -= 2 * up->w * u[0] * S[1];
    a[1] += 2 * up->w * u[0] * S[0];
  }
}

// ---- whole tree ----------------------------------------------------------------------------

static void fill_kin(hn_work *w) {
  const hn_system *sys = w->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (!b->needs_kin) continue;
    const hn_kin2 *k2 = &w->kin2[i];
    hn_kin *k = &w->kin[i];
    k->p[0] = k2->x, k->p[1] = k2->y;
    k->R[0] = k->R[4] = k2->c, k->R[1] = -k2->s, k->R[3] = k2->s;
    k->v[0] = k2->vx, k->v[1] = k2->vy, k->w[2] = k2->w;
  }
}

void hn_tree_position(hn_work *w, const double *q) {
  const hn_tree *t = w->sys->tree;
  w->gq = q;
  if (t->d == 3) {
    for (int k = 0; k < t->count; k++) position3(w, &t->mob[k], q + t->mob[k].q0);
    fill_kin(w);
    return;
  }
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    position6(w, m, q + m->q0);
    // the coordinate knows its turns, however far a step goes
    if (m->memory >= 0) w->turn[m->memory] = m->sign * q[m->q0 + m->angle];
    v3_copy(w->body_q + w->sys->body[m->body].q0, w->kin[m->body].p);
  }
}

void hn_tree_velocity(hn_work *w, const double *v) {
  const hn_tree *t = w->sys->tree;
  w->gv = v;
  if (t->d == 3) {
    for (int k = 0; k < t->count; k++) velocity3(w, &t->mob[k], v + t->mob[k].v0);
    fill_kin(w);
    return;
  }
  for (int k = 0; k < t->count; k++) velocity6(w, &t->mob[k], v + t->mob[k].v0);
}

void hn_tree_bias(hn_work *w) {
  const hn_tree *t = w->sys->tree;
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    if (t->d == 3)
      bias3(w, m, w->gv + m->v0);
    else
      bias6(w, m, w->gv + m->v0);
  }
}

void hn_tree_quaternions(hn_work *w) {
  const hn_system *sys = w->sys;
  for (int i = 1; i < sys->bodies; i++) {
    if (sys->body[i].kind != HN_SPATIAL) continue;
    double q[4], *old = w->body_q + sys->body[i].q0 + 3, dot = 0;
    q_from_matrix(q, w->kin[i].R);
    for (int k = 0; k < 4; k++) dot += q[k] * old[k];
    for (int k = 0; k < 4; k++) old[k] = dot < 0 ? -q[k] : q[k];
  }
}

// body twist coordinates to world axes at the centre of mass, and back
static void to_world(const hn_work *w, int body, const double *x, double o[6]) {
  const hn_sys_body *b = &w->sys->body[body];
  for (int k = 0; k < b->nv && k < 3; k++) o[k] = x[k];
  if (b->kind == HN_SPATIAL) m3_mulv(o + 3, w->kin[body].R, x + 3);
}
static void to_body(const hn_work *w, int body, const double x[6], double *o) {
  const hn_sys_body *b = &w->sys->body[body];
  for (int k = 0; k < b->nv && k < 3; k++) o[k] = x[k];
  if (b->kind == HN_SPATIAL) m3_tmulv(o + 3, w->kin[body].R, x + 3);
}

// o = shift x: the parent's twist seen at the child's centre of mass
static void shift_down(int d, double o[6], const double x[6], const double r[3]) {
  if (d == 3) {
    o[0] = x[0] - x[2] * r[1];
    o[1] = x[1] + x[2] * r[0];
    o[2] = x[2];
    return;
  }
  double c[3];
  v3_cross(c, x + 3, r);
  v3_add(o, x, c);
  v3_copy(o + 3, x + 3);
}
// o += shift^T x: a wrench on the child seen at the parent's centre of mass
static void shift_up(int d, double o[6], const double x[6], const double r[3]) {
  if (d == 3) {
    o[0] += x[0], o[1] += x[1];
    o[2] += x[2] + r[0] * x[1] - r[1] * x[0];
    return;
  }
  double c[3];
  v3_cross(c, r, x);
  for (int i = 0; i < 3; i++) o[i] += x[i], o[3 + i] += x[3 + i] + c[i];
}

void hn_tree_expand(const hn_work *w, const double *u, double *body) {
  const hn_tree *t = w->sys->tree;
  int d = t->d;
  static const double still[6] = {0};
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    const double *S = w->axes + m->s0;
    double *x = w->push + 6 * k;
    shift_down(d, x, m->up >= 0 ? w->push + 6 * m->up : still, w->mob[k].lever);
    for (int j = 0; j < m->nv; j++)
      for (int i = 0; i < d; i++) x[i] += u[m->v0 + j] * S[d * j + i];
    to_body(w, m->body, x, body + w->sys->body[m->body].v0);
  }
}

void hn_tree_gather(const hn_work *w, const double *force, double s, double *y) {
  const hn_tree *t = w->sys->tree;
  int d = t->d;
  memset(w->push, 0, (size_t)(6 * t->count) * sizeof(double));
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_mobilizer *m = &t->mob[k];
    const double *S = w->axes + m->s0;
    double *p = w->push + 6 * k, f[6] = {0};
    to_world(w, m->body, force + w->sys->body[m->body].v0, f);
    for (int i = 0; i < d; i++) p[i] += f[i];
    for (int j = 0; j < m->nv; j++) {
      double sum = 0;
      for (int i = 0; i < d; i++) sum += S[d * j + i] * p[i];
      y[m->v0 + j] += s * sum;
    }
    if (m->up >= 0) shift_up(d, w->push + 6 * m->up, p, w->mob[k].lever);
  }
}

// body accelerations that come without any u_dot, in body coordinates
static void bias_to_body(hn_work *w, double *x) {
  const hn_tree *t = w->sys->tree;
  for (int k = 0; k < t->count; k++)
    to_body(w, t->mob[k].body, w->mob[k].bias, x + w->sys->body[t->mob[k].body].v0);
}

void hn_tree_reduce_gamma(hn_work *w) {
  if (!w->sys->rows) return;
  bias_to_body(w, w->body_x);
  hn_jacobian_body_mul(w, w->body_x, -1, w->gamma);
}

// forces less inertia forces of the bias on every body, passed on from the leaves to the ground
static inline __attribute__((always_inline)) void reduce_forces(int d, hn_work *w) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  for (int k = 0; k < t->count; k++) {
    int body = t->mob[k].body;
    const hn_sys_body *b = &sys->body[body];
    const double *f = w->f + b->v0, *bias = w->mob[k].bias;
    double *p = w->push + d * k;
    if (d == 3) {
      p[0] = f[0] - b->mass * bias[0], p[1] = f[1] - b->mass * bias[1];
      p[2] = b->nv == 3 ? f[2] - b->inertia[2] * bias[2] : 0;
      continue;
    }
    for (int i = 0; i < 3; i++) p[i] = f[i] - b->mass * bias[i], p[3 + i] = 0;
    if (b->kind != HN_SPATIAL) continue;
    double x[3];
    m3_tmulv(x, w->kin[body].R, bias + 3);
    for (int i = 0; i < 3; i++) x[i] = f[3 + i] - b->inertia[i] * x[i];
    m3_mulv(p + 3, w->kin[body].R, x);
  }
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_mobilizer *m = &t->mob[k];
    const double *S = w->axes + m->s0, *p = w->push + d * k;
    for (int j = 0; j < m->nv; j++) {
      double sum = 0;
      for (int i = 0; i < d; i++) sum += S[d * j + i] * p[i];
      w->r[m->v0 + j] = sum;
    }
    if (m->up >= 0) shift_up(d, w->push + d * m->up, p, w->mob[k].lever);
  }
}

void hn_tree_reduce_forces(hn_work *w) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  if (t->d == 3)
    reduce_forces(3, w);
  else
    reduce_forces(6, w);
}

void hn_tree_body_forces(const hn_work *w, const double *a, double *x) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  hn_tree_expand(w, a, x);
  // M (a + bias) - f, body by body
  for (int k = 0; k < t->count; k++) {
    const hn_sys_body *b = &sys->body[t->mob[k].body];
    double bias[6];
    to_body(w, t->mob[k].body, w->mob[k].bias, bias);
    for (int i = 0; i < b->nv; i++)
      x[b->v0 + i] = sys->mass[b->v0 + i] * (x[b->v0 + i] + bias[i]) - w->f[b->v0 + i];
  }
}

void hn_tree_reactions(const hn_work *w, const double *a, const double *lambda, double *wrench) {
  const hn_system *sys = w->sys;
  const hn_tree *t = sys->tree;
  int d = t->d;
  double *x = w->body_x;
  hn_tree_body_forces(w, a, x);
  hn_jacobian_body_tmul(w, lambda, -1, x);
  memset(wrench, 0, (size_t)(6 * t->count) * sizeof(double));
  for (int k = t->count - 1; k >= 0; k--) {
    double f[6] = {0}, *p = wrench + 6 * k;
    to_world(w, t->mob[k].body, x + sys->body[t->mob[k].body].v0, f);
    for (int i = 0; i < d; i++) p[i] += f[i];
    if (t->mob[k].up >= 0) shift_up(d, wrench + 6 * t->mob[k].up, p, w->mob[k].lever);
  }
}

void hn_tree_qdot(const hn_system *sys, const double *q, const double *v, double *qdot) {
  const hn_tree *t = sys->tree;
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    const double *u = v + m->v0;
    double *o = qdot + m->q0;
    if (m->nq == m->nv) {
      for (int i = 0; i < m->nv; i++) o[i] = u[i];
      continue;
    }
    int linear = m->type == HN_MOB_FREE ? 3 : 0;
    for (int i = 0; i < linear; i++) o[i] = u[i];
    q_rate(o + linear, q + m->q0 + linear, u + linear);
  }
}

void hn_tree_retract(const hn_system *sys, double *q, const double *d) {
  const hn_tree *t = sys->tree;
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    int linear = m->nq == m->nv ? m->nv : m->type == HN_MOB_FREE ? 3 : 0;
    for (int i = 0; i < linear; i++) q[m->q0 + i] += d[m->v0 + i];
    if (m->nq != m->nv) q_turn(q + m->q0 + linear, d + m->v0 + linear);
  }
}

void hn_tree_normalise(const hn_system *sys, double *q) {
  const hn_tree *t = sys->tree;
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    if (m->nq != m->nv) q_normalise(q + m->q0 + (m->type == HN_MOB_FREE ? 3 : 0));
  }
}
