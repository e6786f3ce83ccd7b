// operators.c: products with the Jacobian, motion on the configuration space, energies.
#include "system/coordinates/natural.h"
#include "system/coordinates/tree.h"

#include <string.h>

void hn_jacobian_body_mul(const hn_work *work, const double *x, double s, double *y) {
  const hn_system *sys = work->sys;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = work->J + sys->block_offset[k], *u = x + b->v0;
      for (int r = 0; r < group->rows; r++, J += b->nv) {
        double sum = 0;
        for (int c = 0; c < b->nv; c++) sum += J[c] * u[c];
        y[group->row0 + r] += s * sum;
      }
    }
  }
}

void hn_jacobian_body_tmul(const hn_work *work, const double *l, double s, double *x) {
  const hn_system *sys = work->sys;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = work->J + sys->block_offset[k];
      double *u = x + b->v0;
      for (int r = 0; r < group->rows; r++, J += b->nv) {
        double w = s * l[group->row0 + r];
        for (int c = 0; c < b->nv; c++) u[c] += J[c] * w;
      }
    }
  }
}

void hn_jacobian_mul(const hn_work *work, const double *x, double *y) {
  const hn_system *sys = work->sys;
  if (sys->natural) {
    hn_natural_jacobian_mul(work, x, y);
    return;
  }
  memset(y, 0, (size_t)sys->rows * sizeof(double));
  if (sys->tree) {
    hn_tree_expand(work, x, work->body_x);
    x = work->body_x;
  }
  hn_jacobian_body_mul(work, x, 1, y);
}

void hn_jacobian_tmul_add(const hn_work *work, const double *l, double s, double *y) {
  const hn_system *sys = work->sys;
  if (sys->natural) {
    hn_natural_jacobian_tmul_add(work, l, s, y);
    return;
  }
  if (!sys->tree) {
    hn_jacobian_body_tmul(work, l, s, y);
    return;
  }
  memset(work->body_x, 0, (size_t)sys->bv * sizeof(double));
  hn_jacobian_body_tmul(work, l, 1, work->body_x);
  hn_tree_gather(work, work->body_x, s, y);
}

void hn_jacobian_dense(const hn_work *work, double *out) {
  const hn_system *sys = work->sys;
  size_t nv = (size_t)sys->nv;
  if (sys->natural) {
    hn_natural_jacobian_dense(work, out);
    return;
  }
  memset(out, 0, (size_t)sys->rows * nv * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int r = 0; r < group->rows; r++) {
      double *row = out + (size_t)(group->row0 + r) * nv;
      if (sys->tree) memset(work->body_x, 0, (size_t)sys->bv * sizeof(double));
      for (int k = group->first; k < group->first + group->bodies; k++) {
        const hn_sys_body *b = &sys->body[sys->group_body[k]];
        const double *J = work->J + sys->block_offset[k] + r * b->nv;
        memcpy((sys->tree ? work->body_x : row) + b->v0, J, (size_t)b->nv * sizeof(double));
      }
      if (sys->tree) hn_tree_gather(work, work->body_x, 1, row);
    }
  }
}

void hn_qdot(const hn_system *sys, const double *q, const double *v, double *qdot) {
  if (sys->tree) {
    hn_tree_qdot(sys, q, v, qdot);
    return;
  }
  // only quaternions have rates of their own
  if (sys->natural || !sys->any_spatial) {
    memcpy(qdot, v, (size_t)sys->nv * sizeof(double));
    return;
  }
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    const double *x = q + b->q0, *u = v + b->v0;
    double *o = qdot + b->q0;
    if (b->kind != HN_SPATIAL) {
      for (int k = 0; k < b->nv; k++) o[k] = u[k];
      continue;
    }
    o[0] = u[0], o[1] = u[1], o[2] = u[2];
    q_rate(o + 3, x + 3, u + 3);
  }
}

void hn_retract(const hn_system *sys, double *q, const double *d) {
  if (sys->tree) {
    hn_tree_retract(sys, q, d);
    return;
  }
  if (sys->natural) {
    for (int i = 0; i < sys->nv; i++) q[i] += d[i];
    return;
  }
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    double *x = q + b->q0;
    const double *u = d + b->v0;
    int linear = b->kind == HN_SPATIAL ? 3 : b->nv;
    for (int k = 0; k < linear; k++) x[k] += u[k];
    if (b->kind == HN_SPATIAL) q_turn(x + 3, u + 3);
  }
}

void hn_normalise(const hn_system *sys, double *q) {
  if (!sys->any_spatial || sys->natural) return;
  if (sys->tree) {
    hn_tree_normalise(sys, q);
    return;
  }
  for (int i = 1; i < sys->bodies; i++)
    if (sys->body[i].kind == HN_SPATIAL) q_normalise(q + sys->body[i].q0 + 3);
}

double hn_potential_energy(hn_work *work) {
  const hn_system *sys = work->sys;
  double V = work->potential;
  // every body's position coordinates come first; the plane has no z
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind == HN_SCALAR) continue;
    int n = b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT ? 2 : 3;
    for (int k = 0; k < n; k++) V -= b->mass * sys->gravity[k] * work->q[b->q0 + k];
  }
  return V;
}

void hn_row_sizes(const hn_work *work, double *size) {
  const hn_system *sys = work->sys;
  if (sys->natural) {
    hn_natural_row_sizes(work, size);
    return;
  }
  memset(size, 0, (size_t)sys->rows * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = work->J + sys->block_offset[k];
      for (int r = 0; r < group->rows; r++, J += b->nv)
        for (int i = 0; i < b->nv; i++) size[group->row0 + r] += J[i] * J[i] / sys->mass[b->v0 + i];
    }
  }
}
