// balance.c: see balance.h.
// What statics (statics.c) and paths (path.c) share: both measure by accelerations, so that light
// and heavy parts, lengths and angles, count alike.
#include "analysis/balance.h"

#include <string.h>

// `size` and `scale` are accelerations [m/s^2], angular ones at the model's length; their ratio
// says how well forces cancel
hn_status hn_unbalanced(hn_manifold *m, double t, const double *q, const double *still, double *a,
                        double *size, double *scale) {
  const hn_system *sys = m->sys;
  hn_sim *sim = m->sim;
  hn_status status = hn_manifold_accelerate(m, t, q, still, true);
  if (status) return status;
  *size = *scale = 0;
  for (int i = 0; i < sys->nv; i++) {
    double length = sys->angular_v[i] ? sys->length : 1;
    a[i] = sim->stage.a[i];
    if (!isfinite(a[i]))
      return hn_sim_fail(sim, HN_ERR_DIVERGED, "the forces are not finite in this position");
    *size = fmax(*size, fabs(a[i]) * length);
    *scale = fmax(*scale, fabs(sim->stage.work.r[i]) / sys->mass[i] * length);
  }
  return HN_OK;
}

// K is m x n where joints roll: a displacement that the rates allow is Z (Z^T M U) u
void hn_free_stiffness(const hn_linear *l, double *K) {
  size_t n = (size_t)l->n, m = (size_t)l->m;
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k < m; k++) {
      double sum = 0;
      for (size_t j = 0; j < n; j++) sum += l->K[i * n + j] * l->A[j * (n + m) + n + k];
      K[i * m + k] = sum;
    }
}

// readers of a linearisation have U row by row, searches want it vector by vector
void hn_free_basis(const hn_linear *l, double *U) {
  for (int k = 0; k < l->m; k++)
    for (int i = 0; i < l->nv; i++)
      U[(size_t)k * (size_t)l->nv + (size_t)i] = l->U[(size_t)i * (size_t)l->m + (size_t)k];
}

const double *hn_times_mass(hn_manifold *m, const double *a) {
  if (m->general)
    hn_mass_mul(&m->sim->stage.work, a, m->y);
  else
    for (int i = 0; i < m->sys->nv; i++) m->y[i] = hn_own_mass(m->sys, i) * a[i];
  return m->y;
}

void hn_free_part(hn_manifold *m, const double *U, int dof, const double *a, double *g) {
  const double *f = hn_times_mass(m, a);
  for (int k = 0; k < dof; k++) {
    const double *u = U + (size_t)k * (size_t)m->sys->nv;
    g[k] = 0;
    for (int i = 0; i < m->sys->nv; i++) g[k] += u[i] * f[i];
  }
}

void hn_free_whole(const hn_system *sys, const double *U, int dof, const double *z, double *d) {
  memset(d, 0, (size_t)sys->nv * sizeof(double));
  for (int k = 0; k < dof; k++)
    for (int i = 0; i < sys->nv; i++) d[i] += U[(size_t)k * (size_t)sys->nv + (size_t)i] * z[k];
}
