// operators.c: products with the Jacobian, motion on the configuration space, energies.
#include "system/coordinates/coordinates.h"

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
  work->sys->coordinates->jacobian_mul(work, x, y);
}

void hn_jacobian_tmul_add(const hn_work *work, const double *l, double s, double *y) {
  work->sys->coordinates->jacobian_tmul_add(work, l, s, y);
}

void hn_jacobian_dense(const hn_work *work, double *J) {
  work->sys->coordinates->jacobian_dense(work, J);
}

void hn_row_sizes(const hn_work *work, double *size) {
  work->sys->coordinates->row_sizes(work, size);
}

void hn_qdot(const hn_system *sys, const double *q, const double *v, double *qdot) {
  sys->coordinates->qdot(sys, q, v, qdot);
}

void hn_retract(const hn_system *sys, double *q, const double *d) {
  sys->coordinates->retract(sys, q, d);
}

void hn_normalise(const hn_system *sys, double *q) {
  if (sys->any_spatial && sys->coordinates->normalise) sys->coordinates->normalise(sys, q);
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
