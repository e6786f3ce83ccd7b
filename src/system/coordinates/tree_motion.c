// tree_motion.c: products with the map K from joint rates to body twists, and what hangs together
// with it. See tree.h for the conventions; motions themselves are in tree_space.c and tree_plane.c.
#include "system/coordinates/tree.h"

#include <string.h>

void hn_tree_layout(hn_work *work, hn_arena *arena) {
  const hn_system *sys = work->sys;
  const hn_tree *t = hn_tree_own(sys);
  work->lever = HN_TAKE(arena, double, 3 * t->count);
  work->bias = HN_TAKE(arena, double, t->d * t->count);
  work->axes = HN_TAKE(arena, double, t->s_size);
  work->push = HN_TAKE(arena, double, 6 * t->count);
  work->sums = HN_TAKE(arena, double, 6 * t->slots);
  work->body_q = HN_TAKE(arena, double, sys->bq);
  work->body_v = HN_TAKE(arena, double, sys->bv);
  work->body_x = HN_TAKE(arena, double, sys->bv);
  work->r = HN_TAKE(arena, double, sys->nv);
  work->wrench = HN_TAKE(arena, double, 6 * t->count);
  work->noise = HN_TAKE(arena, double, 2 * t->count);
  if (!arena->base) return;
  // bodies have coordinates of their own, which every motion fills in
  work->q = work->body_q;
  work->v = work->body_v;
  memcpy(work->body_q, sys->body_q0, (size_t)sys->bq * sizeof(double));
}

void hn_tree_move(hn_work *w, const double *q, const double *v, int level) {
  w->gq = q;
  if (level) w->gv = v;
  if (hn_tree_own(w->sys)->d == 3)
    hn_tree_move_plane(w, q, v, level);
  else
    hn_tree_move_space(w, q, v, level);
}

// Such angles are coordinates, and count their turns themselves.
void hn_tree_know_turns(hn_system *sys) {
  const hn_tree *t = hn_tree_own(sys);
  for (int k = 0; k < t->count; k++)
    if (t->link[k].memory >= 0) sys->turn[t->link[k].memory].known = true;
}

void hn_tree_read_turns(hn_work *w, const double *q) {
  const hn_tree *t = hn_tree_own(w->sys);
  for (int k = 0; k < t->count; k++) {
    const hn_link *l = &t->link[k];
    if (l->memory >= 0) w->near[l->memory] = l->sign * q[l->q0 + l->angle];
  }
}

// body twist coordinates to world axes at the centre of mass, and back.
// Only w differs: principal axes inside, world axes along the tree. In the plane both are one.
HN_TREE_INLINE void to_world(int d, const hn_work *w, int body, const double *x, double o[6]) {
  const hn_sys_body *b = &w->sys->body[body];
  // linear ones; in the plane the angle as well
  for (int k = 0; k < 3; k++)
    if (k < b->nv) o[k] = x[k];
  if (d == 6 && b->kind == HN_SPATIAL) m3_mulv(o + 3, w->kin[body].R, x + 3);
}
HN_TREE_INLINE void to_body(int d, const hn_work *w, int body, const double x[6], double *o) {
  const hn_sys_body *b = &w->sys->body[body];
  for (int k = 0; k < 3; k++)
    if (k < b->nv) o[k] = x[k];
  if (d == 6 && b->kind == HN_SPATIAL) m3_tmulv(o + 3, w->kin[body].R, x + 3);
}

// o = shift x: the parent's twist seen at the child's centre of mass
HN_TREE_INLINE void shift_down(int d, double o[6], const double x[6], const double r[3]) {
  if (d == 3) {
    // w x r in the plane
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
HN_TREE_INLINE void shift_up(int d, double o[6], const double x[6], const double r[3]) {
  if (d == 3) {
    o[0] += x[0], o[1] += x[1];
    // r x F in the plane
    o[2] += x[2] + r[0] * x[1] - r[1] * x[0];
    return;
  }
  double c[3];
  v3_cross(c, r, x);
  for (int i = 0; i < 3; i++) o[i] += x[i], o[3 + i] += x[3 + i] + c[i];
}

// K u: twists of all bodies. Scratch is work->push, so neither this nor its transpose may be used
// while the other's result is still wanted there.
HN_TREE_INLINE void expand(int d, const hn_work *w, const double *u, double *body) {
  const hn_tree *t = hn_tree_own(w->sys);
  static const double still[6] = {0};
  for (int k = 0; k < t->count; k++) {
    const hn_link *l = &t->link[k];
    const double *S = w->axes + l->s0;
    double *x = w->push + 6 * k;
    shift_down(d, x, l->up >= 0 ? w->push + 6 * l->up : still, w->lever + 3 * k);
    // the joint's own rates along its axes
    for (int j = 0; j < l->nv; j++)
      for (int i = 0; i < d; i++) x[i] += u[l->v0 + j] * S[d * j + i];
    to_body(d, w, l->body, x, body + l->body_v0);
  }
}

void hn_tree_expand(const hn_work *w, const double *u, double *body) {
  if (hn_tree_own(w->sys)->d == 3)
    expand(3, w, u, body);
  else
    expand(6, w, u, body);
}

// K^T f by one walk inwards, O(bodies).
HN_TREE_INLINE void gather(int d, const hn_work *w, const double *force, double s, double *y) {
  const hn_tree *t = hn_tree_own(w->sys);
  memset(w->push, 0, (size_t)(6 * t->count) * sizeof(double));
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_link *l = &t->link[k];
    const double *S = w->axes + l->s0;
    double *p = w->push + 6 * k, f[6] = {0};
    to_world(d, w, l->body, force + l->body_v0, f);
    for (int i = 0; i < d; i++) p[i] += f[i];
    // what the wrench does along each axis of the joint
    for (int j = 0; j < l->nv; j++) {
      double sum = 0;
      for (int i = 0; i < d; i++) sum += S[d * j + i] * p[i];
      y[l->v0 + j] += s * sum;
    }
    if (l->up >= 0) shift_up(d, w->push + 6 * l->up, p, w->lever + 3 * k);
  }
}

void hn_tree_gather(const hn_work *w, const double *force, double s, double *y) {
  if (hn_tree_own(w->sys)->d == 3)
    gather(3, w, force, s, y);
  else
    gather(6, w, force, s, y);
}

// the bias accelerations of the bodies in loops, in their coordinates.
// Rows are J_body (K u' + bias) = gamma: what the bias does is taken to the right.
static void reduce_gamma(hn_work *w) {
  const hn_system *sys = w->sys;
  const hn_tree *t = hn_tree_own(sys);
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int i = group->first; i < group->first + group->bodies; i++) {
      int body = sys->group_body[i];
      const hn_sys_body *b = &sys->body[body];
      const double *J = w->J + sys->block_offset[i], *bias = w->bias + t->d * t->of_body[body];
      double x[6], *gamma = w->gamma + group->row0;
      to_body(t->d, w, body, bias, x);
      for (int r = 0; r < group->rows; r++, J += b->nv) {
        double sum = 0;
        for (int c = 0; c < b->nv; c++) sum += J[c] * x[c];
        gamma[r] -= sum;
      }
    }
  }
}

// forces less inertia forces of the bias on every body, passed on from the leaves to the ground.
// r = K^T (f - M bias): the same recursion as Newton and Euler's inverse dynamics with joint
// accelerations of zero.
HN_TREE_INLINE void reduce_forces(int d, hn_work *w) {
  const hn_tree *t = hn_tree_own(w->sys);
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_link *l = &t->link[k];
    const double *f = w->f + l->body_v0, *bias = w->bias + d * k, *I = t->inertia + 4 * k;
    const double *S = w->axes + l->s0, *sum = w->sums + 6 * l->slot, *r = w->lever + 3 * k;
    double p[6];
    if (d == 3) {
      p[0] = f[0] - I[0] * bias[0], p[1] = f[1] - I[0] * bias[1];
      p[2] = l->turns ? f[2] : 0;  // nothing turns by itself
    } else {
      for (int i = 0; i < 3; i++) p[i] = f[i] - I[0] * bias[i], p[3 + i] = 0;
      if (l->turns) {
        const double *R = w->kin[l->body].R;
        double x[3];
        // moments of inertia are about principal axes
        m3_tmulv(x, R, bias + 3);
        for (int i = 0; i < 3; i++) x[i] = f[3 + i] - I[1 + i] * x[i];
        m3_mulv(p + 3, R, x);
      }
    }
    if (!l->leaf)
      for (int i = 0; i < d; i++) p[i] += sum[i];
    // r = S^T p
    for (int j = 0; j < l->nv; j++) {
      double x = 0;
      for (int i = 0; i < d; i++) x += S[d * j + i] * p[i];
      w->r[l->v0 + j] = x;
    }
    if (l->up >= 0) hn_tree_pass_up(d, w->sums + 6 * l->up_slot, p, r, l->last);
  }
}

void hn_tree_reduce_forces(hn_work *w) {
  if (hn_tree_own(w->sys)->d == 3)
    reduce_forces(3, w);
  else
    reduce_forces(6, w);
}

void hn_tree_reduce(hn_work *w) {
  reduce_gamma(w);
  hn_tree_reduce_forces(w);
}

// ---- products ------------------------------------------------------------------------------

void hn_tree_jacobian_mul(const hn_work *w, const double *x, double *y) {
  memset(y, 0, (size_t)w->sys->rows * sizeof(double));
  hn_tree_expand(w, x, w->body_x);
  hn_jacobian_body_mul(w, w->body_x, 1, y);
}

void hn_tree_jacobian_tmul_add(const hn_work *w, const double *l, double s, double *y) {
  memset(w->body_x, 0, (size_t)w->sys->bv * sizeof(double));
  hn_jacobian_body_tmul(w, l, 1, w->body_x);
  hn_tree_gather(w, w->body_x, s, y);
}

// Row by row, each a walk along the whole tree: rows times bodies.
void hn_tree_jacobian_dense(const hn_work *w, double *out) {
  const hn_system *sys = w->sys;
  size_t nv = (size_t)sys->nv;
  memset(out, 0, (size_t)sys->rows * nv * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int r = 0; r < group->rows; r++) {
      // the row as a force on its bodies
      memset(w->body_x, 0, (size_t)sys->bv * sizeof(double));
      for (int k = group->first; k < group->first + group->bodies; k++) {
        const hn_sys_body *b = &sys->body[sys->group_body[k]];
        const double *J = w->J + sys->block_offset[k] + r * b->nv;
        memcpy(w->body_x + b->v0, J, (size_t)b->nv * sizeof(double));
      }
      hn_tree_gather(w, w->body_x, 1, out + (size_t)(group->row0 + r) * nv);
    }
  }
}

void hn_tree_mass_mul(const hn_work *w, const double *x, double *y) {
  const hn_system *sys = w->sys;
  hn_tree_expand(w, x, w->body_x);
  // of bodies the mass matrix is a diagonal
  for (int i = 0; i < sys->bv; i++) w->body_x[i] *= sys->mass[i];
  memset(y, 0, (size_t)sys->nv * sizeof(double));
  hn_tree_gather(w, w->body_x, 1, y);
}

// ---- reactions -----------------------------------------------------------------------------

// what the joints bring, and what comes from velocities alone
void hn_tree_accelerations(const hn_work *w, const double *a, double *x) {
  const hn_tree *t = hn_tree_own(w->sys);
  hn_tree_expand(w, a, x);
  for (int k = 0; k < t->count; k++) {
    const hn_sys_body *b = &w->sys->body[t->mob[k].body];
    double bias[6];
    to_body(t->d, w, t->mob[k].body, w->bias + t->d * k, bias);
    for (int i = 0; i < b->nv; i++) x[b->v0 + i] += bias[i];
  }
}

void hn_tree_body_forces(const hn_work *w, const double *a, double *x) {
  const hn_system *sys = w->sys;
  hn_tree_accelerations(w, a, x);
  for (int i = 0; i < sys->bv; i++) x[i] = sys->mass[i] * x[i] - w->f[i];
}

// Accelerations come out such that forces along the axes are balanced up to round-off of what is
// added up there: all that hangs on a joint, at the rate of the fastest. In long chains this is
// large against the forces on one body.
// Moments of inertia are bounded by traces and levers: a body's part is I_x + I_y + I_z, shifted by
// the lever with first moments taken along (Steiner), never less than what is about any axis there.
static void find_noise(const hn_work *w, const double *a) {
  static const double round_off = 1e-15;
  const hn_system *sys = w->sys;
  const hn_tree *t = hn_tree_own(sys);
  double *bulk = w->push, fastest[2] = {0};  // mass, its second and first moments about the body:
                                             // of all that hangs on it
  for (int i = 0; i < sys->nv; i++) {
    double *most = &fastest[sys->angular_v[i]];
    *most = hn_greater(*most, fabs(a[i]));
  }
  memset(bulk, 0, (size_t)(6 * t->count) * sizeof(double));
  for (int k = t->count - 1; k >= 0; k--) {
    const double *I = t->inertia + 4 * k, *l = w->lever + 3 * k;
    double lever[3] = {l[0], l[1], t->d == 6 ? l[2] : 0};
    double *own = bulk + 6 * k, *up = t->mob[k].up >= 0 ? bulk + 6 * t->mob[k].up : NULL;
    own[0] += I[0];
    own[1] += I[1] + I[2] + I[3];
    double length = v3_norm(lever), second = own[1] + 2 * v3_dot(lever, own + 2);
    second += own[0] * length * length;
    // round-off of what is found along axes that turn, then along those that slide
    w->noise[2 * k] = round_off * (second * fastest[1] + sqrt(own[0] * second) * fastest[0]);
    w->noise[2 * k + 1] = round_off * (own[0] * fastest[0] + sqrt(own[0] * second) * fastest[1]);
    if (!up) continue;
    up[0] += own[0];
    up[1] += second;
    for (int i = 0; i < 3; i++) up[2 + i] += own[2 + i] + own[0] * lever[i];
  }
}

// Outermost bodies first: a joint bears what its body needs beyond the loads, loop rows and the
// joints behind it.
HN_TREE_INLINE void wrenches(int d, hn_work *w, const double *x) {
  const hn_tree *t = hn_tree_own(w->sys);
  double *wrench = w->wrench;
  memset(wrench, 0, (size_t)(6 * t->count) * sizeof(double));
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_link *l = &t->link[k];
    double f[6] = {0}, *p = wrench + 6 * k;
    to_world(d, w, l->body, x + l->body_v0, f);
    for (int i = 0; i < d; i++) p[i] += f[i];
    if (l->up >= 0) shift_up(d, wrench + 6 * l->up, p, w->lever + 3 * k);
  }
}

void hn_tree_reactions(hn_work *w, const double *a) {
  double *x = w->body_x;
  hn_tree_body_forces(w, a, x);
  hn_jacobian_body_tmul(w, w->lambda, -1, x);
  if (hn_tree_own(w->sys)->d == 3)
    wrenches(3, w, x);
  else
    wrenches(6, w, x);
  find_noise(w, a);
}

// a tree joint acts on the body that hangs on it
void hn_tree_wrench(const hn_work *work, int joint, bool *on_a, double F[3], double T[3]) {
  const hn_tree *t = hn_tree_own(work->sys);
  const hn_sys_joint *j = &work->sys->joint[joint];
  // on a where b is the ground, or hangs on another joint
  *on_a = j->b.body == 0 || t->mob[t->of_body[j->b.body]].joint != joint;
  const double *w = work->wrench + 6 * t->of_body[*on_a ? j->a.body : j->b.body];
  if (t->d == 3) {
    v3_set(F, w[0], w[1], 0);
    v3_set(T, 0, 0, w[2]);
  } else {
    v3_copy(F, w);
    v3_copy(T, w + 3);
  }
}

// What is within rounding of the sum it was found from counts as nothing.
HN_TREE_INLINE double idle(int d, const hn_work *work, int joint) {
  const hn_tree *t = hn_tree_own(work->sys);
  const hn_sys_joint *j = &work->sys->joint[joint];
  int k = t->of_body[j->b.body];
  if (k < 0 || t->mob[k].joint != joint) k = t->of_body[j->a.body];
  const double *S = work->axes + t->link[k].s0, *w = work->wrench + 6 * k;
  double worst = 0;
  for (int i = 0; i < t->link[k].nv; i++, S += d) {
    double sum = 0, turn = 0;
    // an axis with an angular part turns
    for (int c = 0; c < d; c++) sum += S[c] * w[c];
    for (int c = d / 3 + 1; c < d; c++) turn += S[c] * S[c];
    if (fabs(sum) <= work->noise[2 * k + (turn > 0 ? 0 : 1)]) continue;
    // a moment by the length of the model: as a force
    worst = fmax(worst, fabs(sum) / (turn > 0 ? work->sys->length : 1));
  }
  return worst;
}

double hn_tree_idle(const hn_work *work, int joint) {
  return hn_tree_own(work->sys)->d == 3 ? idle(3, work, joint) : idle(6, work, joint);
}

// ---- motion on the configuration space -----------------------------------------------------

void hn_tree_qdot(const hn_system *sys, const double *q, const double *v, double *qdot) {
  const hn_tree *t = hn_tree_own(sys);
  if (t->plain) {
    memcpy(qdot, v, (size_t)sys->nv * sizeof(double));
    return;
  }
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    const double *u = v + m->v0;
    double *o = qdot + m->q0;
    if (m->nq == m->nv) {
      for (int i = 0; i < m->nv; i++) o[i] = u[i];
      continue;
    }
    // positions of a free body, then the quaternion, whose rate depends on itself
    int linear = m->type == HN_MOB_FREE ? 3 : 0;
    for (int i = 0; i < linear; i++) o[i] = u[i];
    q_rate(o + linear, q + m->q0 + linear, u + linear);
  }
}

void hn_tree_retract(const hn_system *sys, double *q, const double *d) {
  const hn_tree *t = hn_tree_own(sys);
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    int linear = m->nq == m->nv ? m->nv : m->type == HN_MOB_FREE ? 3 : 0;
    for (int i = 0; i < linear; i++) q[m->q0 + i] += d[m->v0 + i];
    if (m->nq != m->nv) q_turn(q + m->q0 + linear, d + m->v0 + linear);
  }
}

void hn_tree_normalise(const hn_system *sys, double *q) {
  const hn_tree *t = hn_tree_own(sys);
  if (t->plain) return;
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    if (m->nq != m->nv) q_normalise(q + m->q0 + (m->type == HN_MOB_FREE ? 3 : 0));
  }
}
