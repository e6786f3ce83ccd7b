// bodies.c: bodies of the description become those of the equations, in principal axes at their
// centres of mass, and get the state that is described.
#include "base/elementary.h"
#include "compile/assemble.h"
#include "compile/compile.h"
#include "compile/massless.h"
#include "system/builder.h"

#include <stdlib.h>
#include <string.h>

// principal axes of a symmetric 3x3 matrix by Jacobi rotations; columns of V are the axes.
// I: xx, yy, zz, xy, xz, yz. Cyclic Jacobi, the smaller of the two angles each time.
static void principal_axes(const double I[6], double value[3], double V[9]) {
  // xx xy xz / xy yy yz / xz yz zz
  double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  m3_identity(V);
  for (int sweep = 0; sweep < 50; sweep++) {
    double off = fabs(A[1]) + fabs(A[2]) + fabs(A[5]);
    if (off <= 1e-16 * (fabs(A[0]) + fabs(A[4]) + fabs(A[8]))) break;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        double apq = A[3 * p + q];
        if (apq == 0) continue;
        // tan 2 phi = 2 A_pq / (A_pp - A_qq); t is the smaller root
        double theta = (A[4 * q] - A[4 * p]) / (2 * apq);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        double G[9], T[9];
        m3_identity(G);
        G[4 * p] = G[4 * q] = c;
        G[3 * p + q] = s, G[3 * q + p] = -s;
        m3_mul(T, A, G);
        // A <- G^T A G, V <- V G
        m3_tmul(A, G, T);
        memcpy(T, V, sizeof T);
        m3_mul(V, T, G);
      }
  }
  for (int i = 0; i < 3; i++) value[i] = A[4 * i];
  // right-handed: flip one axis when the rotations left a reflection (they never do in theory)
  double x[3];
  double c0[3] = {V[0], V[3], V[6]}, c1[3] = {V[1], V[4], V[7]}, c2[3] = {V[2], V[5], V[8]};
  v3_cross(x, c0, c1);
  if (v3_dot(x, c2) < 0) V[2] = -V[2], V[5] = -V[5], V[8] = -V[8];
}

// Quaternions have one number more than turns have velocities.
static const int sizes_q[4] = {
    [HN_SPATIAL] = 7, [HN_PLANAR] = 3, [HN_POINT] = 3, [HN_PLANAR_POINT] = 2};
static const int sizes_v[4] = {
    [HN_SPATIAL] = 6, [HN_PLANAR] = 3, [HN_POINT] = 3, [HN_PLANAR_POINT] = 2};

// Bodies of the model, then one for every coordinate of a block. Body 0, the ground, has no
// coordinates. Principal axes are looked for only where the matrix has other entries than its
// diagonal: so bodies described along theirs keep the axes, and the quaternion, they were given.
// Bodies lie together at a multiple of HN_ALIGN, what is rarely asked for (names, frames) apart
// from them.
hn_status hn_compile_bodies(hn_system *sys, hn_model *model) {
  sys->bodies = model->body_count;
  for (int i = 0; i < model->block_count; i++) sys->bodies += model->block[i].def.coordinate_count;
  size_t size = (size_t)sys->bodies * sizeof *sys->body;
  // aligned_alloc wants a multiple of its alignment
  size += (HN_ALIGN - size % HN_ALIGN) % HN_ALIGN;
  sys->body = aligned_alloc(HN_ALIGN, size);
  sys->body_info = calloc((size_t)sys->bodies, sizeof *sys->body_info);
  if (!sys->body || !sys->body_info) return HN_ERR_MEMORY;
  memset(sys->body, 0, size);
  for (int i = 0; i < sys->bodies; i++) sys->body[i].info = &sys->body_info[i];
  for (int i = 0; i < model->body_count; i++) {
    const hn_body_def *d = &model->body[i].def;
    hn_sys_body *b = &sys->body[i];
    // body 0 has no definition
    const char *name = i ? d->name : "ground";
    b->info->name = hn_pool_text(&sys->names, name, strlen(name));
    if (!b->info->name) return HN_ERR_MEMORY;
    m3_identity(b->info->axes);
    if (i == 0) {
      b->kind = HN_SPATIAL;
      continue;
    }
    b->kind = d->kind;
    b->nq = sizes_q[d->kind], b->nv = sizes_v[d->kind];
    // offsets in the order of the model: q and v of a body lie together
    b->q0 = sys->nq, b->v0 = sys->nv;
    b->mass = d->mass;
    v3_copy(b->info->com, d->com);
    if (d->kind == HN_SPATIAL) {
      sys->any_spatial = true;
      // products of inertia: the matrix is not diagonal as it is given
      if (d->inertia[3] != 0 || d->inertia[4] != 0 || d->inertia[5] != 0)
        principal_axes(d->inertia, b->inertia, b->info->axes);
      else
        v3_copy(b->inertia, d->inertia);
    } else {
      // planar bodies turn about z alone
      b->inertia[2] = d->inertia[2];
    }
    sys->any_flat |= d->kind == HN_PLANAR || d->kind == HN_PLANAR_POINT;
    sys->nq += b->nq;
    sys->nv += b->nv;
  }
  hn_status status = hn_builder_block_bodies(sys, model);
  if (status) return status;
  sys->bq = sys->nq, sys->bv = sys->nv;
  sys->mass = calloc((size_t)sys->nv + 1, sizeof(double));
  sys->constant_force = calloc((size_t)sys->nv + 1, sizeof(double));
  if (!sys->mass || !sys->constant_force) return HN_ERR_MEMORY;
  // weight is a constant force; there is none on what turns
  for (int i = 1; i < model->body_count; i++) {
    const hn_sys_body *b = &sys->body[i];
    double *m = sys->mass + b->v0, *f = sys->constant_force + b->v0;
    int linear = hn_body_linear(b);
    for (int k = 0; k < linear; k++) m[k] = b->mass, f[k] = b->mass * sys->gravity[k];
    if (b->kind == HN_PLANAR) m[2] = b->inertia[2];
    if (b->kind == HN_SPATIAL) memcpy(m + 3, b->inertia, sizeof b->inertia);
  }
  hn_builder_flexible_bodies(sys, model);
  return hn_list_massless(sys, model->body_count);
}

// the state as the definitions say it, before joints are closed: of centres of mass and principal
// axes.
void hn_described_state(const hn_system *sys, const hn_model *model, double *q, double *v) {
  for (int i = 0; i < sys->blocks; i++)
    // blocks have coordinates of their own, given one by one
    for (int k = 0; k < sys->block[i].n; k++)
      q[sys->body[sys->block[i].body + k].q0] = model->block[i].def.coordinates[k].value;
  for (int i = 1; i < model->body_count; i++) {
    const hn_body_def *d = &model->body[i].def;
    const hn_sys_body *b = &sys->body[i];
    double *x = q + b->q0, R[9], r[3], axes_q[4];
    double orientation[4] = {1, 0, 0, 0};
    if (d->kind == HN_SPATIAL) {
      memcpy(orientation, d->orientation, sizeof orientation);
      q_normalise(orientation);  // all zero becomes the identity
    } else if (d->kind == HN_PLANAR) {
      orientation[0] = hn_cos(d->angle / 2), orientation[3] = hn_sin(d->angle / 2);
    }
    q_matrix(R, orientation);
    // from the origin of the user's frame to the centre of mass
    m3_mulv(r, R, b->info->com);
    int linear = hn_body_linear(b);
    for (int k = 0; k < linear; k++) x[k] = d->position[k] + r[k];
    if (b->kind == HN_PLANAR) x[2] = d->angle;
    if (b->kind == HN_SPATIAL) {
      // keeps the user's own quaternion (and its sign) when no turn to principal axes is needed
      q_from_matrix(axes_q, b->info->axes);
      q_mul(x + 3, orientation, axes_q);
    }
  }
  hn_described_velocities(sys, model, q, v);
}

// a work space with nothing but poses, for elements that ask how they lie while they are built.
// Freed by hn_compile_rows. There are poses of all bodies here, also of planar ones, since elements
// ask in space.
// `described` has no rows and no masses: poses are all there is
hn_status hn_describe_poses(hn_builder *b, const double *q) {
  hn_system *sys = b->sys;
  hn_work *w = &b->described;
  w->sys = sys;
  w->q = q;
  w->kin = calloc((size_t)sys->bodies, sizeof *w->kin);
  w->kin2 = calloc((size_t)sys->bodies, sizeof *w->kin2);
  if (!w->kin || !w->kin2) return HN_ERR_MEMORY;
  for (int i = 0; i < sys->bodies; i++) {
    const hn_sys_body *body = &sys->body[i];
    hn_kin *k = &w->kin[i];
    const double *x = q + body->q0;
    m3_identity(k->R);
    if (i == 0) continue;
    int linear = hn_body_linear(body);
    for (int c = 0; c < linear; c++) k->p[c] = x[c];
    if (body->kind == HN_SPATIAL) q_matrix(k->R, x + 3);
    if (body->kind == HN_PLANAR) {
      double c, s;
      hn_sincos(x[2], &s, &c);
      k->R[0] = k->R[4] = c;
      k->R[1] = -s, k->R[3] = s;
    }
  }
  return HN_OK;
}
