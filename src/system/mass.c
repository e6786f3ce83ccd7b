// mass.c: products with the mass matrix.
//
// Usually M is the constant diagonal of the bodies. Where it is not (coordinates coupled by their
// inertia, inertia that depends on the state, coordinates without any), its nonzeros are listed in
// sys->mass_entries and their values belong to a work space.
#include "system/coordinates/coordinates.h"

#include <stdlib.h>
#include <string.h>

hn_mass_entries *hn_mass_entries_create(int count) {
  size_t n = (size_t)count + 1;
  hn_mass_entries *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->count = count;
  e->row = calloc(n, sizeof *e->row);
  e->col = calloc(n, sizeof *e->col);
  e->value = calloc(n, sizeof *e->value);
  if (e->row && e->col && e->value) return e;
  hn_mass_entries_destroy(e);
  return NULL;
}

void hn_mass_entries_destroy(hn_mass_entries *e) {
  if (!e) return;
  free(e->row), free(e->col), free(e->value);
  free(e);
}

// the diagonal of all bodies; blocks have theirs behind it
static hn_mass_entries *plain_entries(const hn_system *sys) {
  int plain = sys->blocks ? sys->body[sys->block[0].body].v0 : sys->bv;
  hn_mass_entries *e = hn_mass_entries_create(plain);
  for (int k = 0; e && k < plain; k++) e->row[k] = e->col[k] = k, e->value[k] = sys->mass[k];
  return e;
}

// e->count stays that of the entries there are; the caller writes the new ones and counts them.
// Where there was no list, the diagonal of the bodies begins it: entry k is that of velocity k,
// which others rely on.
bool hn_mass_entries_extend(hn_system *sys, int more) {
  hn_mass_entries *old = sys->mass_entries ? sys->mass_entries : plain_entries(sys);
  hn_mass_entries *e = old ? hn_mass_entries_create(old->count + more) : NULL;
  if (e) {
    size_t n = (size_t)old->count;
    memcpy(e->row, old->row, n * sizeof *e->row);
    memcpy(e->col, old->col, n * sizeof *e->col);
    memcpy(e->value, old->value, n * sizeof *e->value);
    e->count = old->count;
  }
  hn_mass_entries_destroy(old);
  sys->mass_entries = e;
  return e;
}

void hn_mass_mul(const hn_work *work, const double *x, double *y) {
  const hn_system *sys = work->sys;
  if (sys->mass_entries) {
    const hn_mass_entries *e = sys->mass_entries;
    memset(y, 0, (size_t)sys->nv * sizeof(double));
    for (int k = 0; k < e->count; k++) y[e->row[k]] += work->mass_values[k] * x[e->col[k]];
    return;
  }
  sys->coordinates->mass_mul(work, x, y);
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

// Without a list in every family of coordinates by the bodies, whose masses are diagonal.
double hn_kinetic_energy(const hn_work *work) {
  const hn_system *sys = work->sys;
  double T = 0;
  if (sys->mass_entries) {
    const hn_mass_entries *e = sys->mass_entries;
    for (int k = 0; k < e->count; k++)
      T += work->mass_values[k] * work->gv[e->row[k]] * work->gv[e->col[k]];
    return 0.5 * T;
  }
  for (int i = 0; i < sys->bv; i++) T += sys->mass[i] * work->v[i] * work->v[i];
  return 0.5 * T;
}
