// reference.c: reference coordinates: those of the bodies themselves.
//
// q of a body in space is its centre of mass and a unit quaternion, v the velocity of that point in
// world axes and the angular velocity in principal axes: so the mass matrix is a constant diagonal,
// and gyroscopic torques are the only forces of inertia. In the plane q is x, y and the angle,
// whose rates are v. System velocities and those of bodies are one and the same array.
#include "base/elementary.h"
#include "base/pair.h"
#include "system/kkt.h"

#include <string.h>

// ---- motion --------------------------------------------------------------------------------

// What lies across the plane was set when the work space was laid out, and stays.
static void planar_to_kin(const hn_sys_body *b, const hn_kin2 *k2, hn_kin *k) {
  k->p[0] = k2->x, k->p[1] = k2->y;
  k->v[0] = k2->vx, k->v[1] = k2->vy;
  if (b->kind == HN_PLANAR_POINT) return;
  k->R[0] = k->R[4] = k2->c;
  k->R[1] = -k2->s;
  k->R[3] = k2->s;
  k->w[2] = k2->w;
}

// weight, and the gyroscopic torque of spatial bodies, -w x (I w) in principal axes; of bodies in
// the plane move() has it
static void own_force(hn_work *work, const hn_sys_body *b, const double *u) {
  const double *g = work->sys->gravity, *I = b->inertia, *w = u + 3;
  double *f = work->f + b->v0, m = b->mass;
  if (b->kind == HN_SCALAR) {
    f[0] = 0;
    return;
  }
  f[0] = m * g[0], f[1] = m * g[1];
  if (b->kind == HN_POINT || b->kind == HN_SPATIAL) f[2] = m * g[2];
  if (b->kind != HN_SPATIAL) return;
  f[3] = -(I[2] - I[1]) * w[1] * w[2];
  f[4] = -(I[0] - I[2]) * w[2] * w[0];
  f[5] = -(I[1] - I[0]) * w[0] * w[1];
}

// a step begins where the last one was projected to: there sine and cosine are known
static inline void turn(hn_kin2 *k, double angle) {
  if (angle == k->angle) return;
  k->angle = angle;
  hn_sincos(angle, &k->s, &k->c);
}

// bodies in the plane, which most models that are run often are made of
static inline void move_flat(hn_kin2 *k, const double *x, const double *u) {
  turn(k, x[2]);
  hn_pair_store(&k->x, hn_pair_load(x));
  if (u) hn_pair_store(&k->vx, hn_pair_load(u)), k->w = u[2];
}

static void move_other(const hn_sys_body *b, hn_kin2 *k2, hn_kin *k, const double *x,
                       const double *u) {
  switch (b->kind) {
  case HN_PLANAR_POINT:
    k2->x = x[0], k2->y = x[1];
    if (u) k2->vx = u[0], k2->vy = u[1];
    break;
  case HN_SPATIAL:
    q_matrix(k->R, x + 3);
    if (u) m3_mulv(k->w, k->R, u + 3);  // fall through
  case HN_POINT:
    v3_copy(k->p, x);
    if (u) v3_copy(k->v, u);
    break;
  case HN_PLANAR:
  case HN_SCALAR: break;
  }
}

// poses, velocities from level 1 on, and forces that bodies bring themselves from level 2 on
static void move(hn_work *work, const double *q, const double *v, int level) {
  const hn_system *sys = work->sys;
  hn_pair gravity = hn_pair_load(sys->gravity);
  work->q = work->gq = q;
  if (level) work->v = work->gv = v;
  hn_kin2 *k2 = work->kin2 + 1;
  for (const hn_sys_body *b = sys->body + 1, *end = sys->body + sys->bodies; b < end; b++, k2++) {
    const double *x = q + b->q0, *u = level ? v + b->v0 : NULL;
    hn_kin *k = work->kin + (k2 - work->kin2);
    if (b->kind != HN_PLANAR) {
      move_other(b, k2, k, x, u);
      if (b->kind == HN_PLANAR_POINT && b->needs_kin) planar_to_kin(b, k2, k);
      if (level > 1) own_force(work, b, u);
      continue;
    }
    move_flat(k2, x, u);
    if (b->needs_kin) planar_to_kin(b, k2, k);
    if (level < 2) continue;
    double *f = work->f + b->v0;
    hn_pair_store(f, b->mass * gravity), f[2] = 0;
  }
}

// of the two quaternions of an orientation the one nearer to the last: recorded ones do not jump
void hn_bodies_quaternions(hn_work *work) {
  const hn_system *sys = work->sys;
  for (int i = 1; i < sys->bodies; i++) {
    if (sys->body[i].kind != HN_SPATIAL) continue;
    double q[4], *old = work->body_q + sys->body[i].q0 + 3, dot = 0;
    q_from_matrix(q, work->kin[i].R);
    for (int k = 0; k < 4; k++) dot += q[k] * old[k];
    for (int k = 0; k < 4; k++) old[k] = dot < 0 ? -q[k] : q[k];
  }
}

// what counts in radians when errors are weighed
static void mark_angles(const hn_system *sys, bool *q, bool *v) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_body_linear(b);
    for (int k = linear; k < b->nq; k++) q[b->q0 + k] = true;
    for (int k = linear; k < b->nv; k++) v[b->v0 + k] = true;
  }
}

static void qdot(const hn_system *sys, const double *q, const double *v, double *o) {
  // only quaternions have rates of their own
  if (!sys->any_spatial) {
    memcpy(o, v, (size_t)sys->nv * sizeof(double));
    return;
  }
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    const double *x = q + b->q0, *u = v + b->v0;
    double *rate = o + b->q0;
    if (b->kind != HN_SPATIAL) {
      for (int k = 0; k < b->nv; k++) rate[k] = u[k];
      continue;
    }
    rate[0] = u[0], rate[1] = u[1], rate[2] = u[2];
    q_rate(rate + 3, x + 3, u + 3);
  }
}

// q (+) d: displacements add, turns in body axes multiply from the right.
// Quaternions stay of unit length by this, to rounding.
static void retract(const hn_system *sys, double *q, const double *d) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    double *x = q + b->q0;
    const double *u = d + b->v0;
    int linear = b->kind == HN_SPATIAL ? 3 : b->nv;
    for (int k = 0; k < linear; k++) x[k] += u[k];
    if (b->kind == HN_SPATIAL) q_turn(x + 3, u + 3);
  }
}

static void normalise(const hn_system *sys, double *q) {
  for (int i = 1; i < sys->bodies; i++)
    if (sys->body[i].kind == HN_SPATIAL) q_normalise(q + sys->body[i].q0 + 3);
}

static bool part(const hn_system *sys, int k, hn_coordinate_part *out) {
  if (k + 1 >= sys->bodies) return false;
  const hn_sys_body *b = &sys->body[k + 1];
  *out = (hn_coordinate_part){"body", b->info->name, b->q0, b->nq, b->v0, b->nv};
  return true;
}

// ---- products ------------------------------------------------------------------------------

static void jacobian_mul(const hn_work *work, const double *x, double *y) {
  memset(y, 0, (size_t)work->sys->rows * sizeof(double));
  hn_jacobian_body_mul(work, x, 1, y);
}

// A body is in a group once, so blocks never overlap and are copied, not added.
static void jacobian_dense(const hn_work *work, double *out) {
  const hn_system *sys = work->sys;
  size_t nv = (size_t)sys->nv;
  memset(out, 0, (size_t)sys->rows * nv * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = work->J + sys->block_offset[k];
      for (int r = 0; r < group->rows; r++, J += b->nv)
        memcpy(out + (size_t)(group->row0 + r) * nv + b->v0, J, (size_t)b->nv * sizeof(double));
    }
  }
}

// sum J_i^2 / weight: the square of the row's length on bodies that are free.
void hn_bodies_weighted_sizes(const hn_work *work, const double *weight, double *size) {
  const hn_system *sys = work->sys;
  memset(size, 0, (size_t)sys->rows * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = work->J + sys->block_offset[k];
      for (int r = 0; r < group->rows; r++, J += b->nv)
        for (int i = 0; i < b->nv; i++) size[group->row0 + r] += J[i] * J[i] / weight[b->v0 + i];
    }
  }
}

void hn_bodies_row_sizes(const hn_work *work, double *size) {
  hn_bodies_weighted_sizes(work, work->sys->mass, size);
}

static void mass_mul(const hn_work *work, const double *x, double *y) {
  for (int i = 0; i < work->sys->nv; i++) y[i] = work->sys->mass[i] * x[i];
}

// where each number of work->J stands in the matrix
static void pattern(const hn_system *sys, int *row, int *column) {
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      for (int r = 0; r < group->rows; r++)
        for (int c = 0; c < b->nv; c++) {
          int at = sys->block_offset[k] + r * b->nv + c;
          row[at] = group->row0 + r, column[at] = b->v0 + c;
        }
    }
  }
}

static const double *mass_sizes(const hn_system *sys) {
  return sys->mass;
}

const hn_coordinates hn_reference_coordinates = {
    .name = "reference",
    .of_bodies = true,
    .kkt = &hn_kkt_blocks,
    .mark_angles = mark_angles,
    .part = part,
    .move = move,
    .qdot = qdot,
    .retract = retract,
    .normalise = normalise,
    .jacobian_mul = jacobian_mul,
    .jacobian_tmul_add = hn_jacobian_body_tmul,
    .jacobian_dense = jacobian_dense,
    .row_sizes = hn_bodies_row_sizes,
    .mass_mul = mass_mul,
    .pattern = pattern,
    .mass_sizes = mass_sizes,
};
