// dense.c: what solvers that work on whole matrices share.
#include "solvers/solvers.h"

#include <string.h>

int hn_independent_rows(const hn_system *sys) {
  return sys->rows - sys->redundant;
}

void hn_mass_dense(const hn_work *work, double *M, double *scratch) {
  const hn_system *sys = work->sys;
  size_t nv = (size_t)sys->nv;
  memset(M, 0, nv * nv * sizeof(double));
  if (sys->mass_entries) {
    const hn_mass_entries *e = sys->mass_entries;
    for (int k = 0; k < e->count; k++)
      M[(size_t)e->row[k] * nv + (size_t)e->col[k]] = work->mass_values[k];
    return;
  }
  if (sys->coordinates->of_bodies) {
    for (size_t i = 0; i < nv; i++) M[i * nv + i] = sys->mass[i];
    return;
  }
  // symmetric, so columns may be written as rows
  memset(scratch, 0, nv * sizeof(double));
  for (size_t i = 0; i < nv; i++) {
    scratch[i] = 1;
    hn_mass_mul(work, scratch, M + i * nv);
    scratch[i] = 0;
  }
}
