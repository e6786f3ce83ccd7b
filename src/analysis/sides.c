// sides.c: see sides.h.
#include "analysis/sides.h"

#include <stdlib.h>
#include <string.h>

static const double small = 1e-7;   // of the model's length, or radians
static const double nearby = 1e-3;  // the same, to look at the rows elsewhere
enum { SAMPLES = 64, TRIALS = 4 };

// repeatable numbers in [-1, 1)
// Marsaglia's xorshift: the same sides are found every time
static double noise(unsigned long long *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

// d = a mixture of the directions, of size 1
static void mix(const hn_system *sys, const double *U, int n, unsigned long long *seed, double *d) {
  memset(d, 0, (size_t)sys->nv * sizeof(double));
  for (int k = 0; k < n; k++) {
    double c = noise(seed);
    for (int i = 0; i < sys->nv; i++) d[i] += c * U[(size_t)k * (size_t)sys->nv + (size_t)i];
  }
  double size = hn_displacement_size(sys, d);
  for (int i = 0; i < sys->nv && size > 0; i++) d[i] /= size;
}

// sides of all switching functions a little way along d and w; value is scratch
// joints are not closed again: at 1e-7 of the model what they are off by is 1e-14
static void look(hn_manifold *m, double t, const double *q, const double *v, const double *d,
                 const double *w, double *value, bool *pattern) {
  const hn_system *sys = m->sys;
  for (int i = 0; i < sys->nv; i++) m->x[i] = small * d[i], m->y[i] = v[i] + (w ? small * w[i] : 0);
  memcpy(m->trial, q, (size_t)sys->nq * sizeof(double));
  hn_retract(sys, m->trial, m->x);
  hn_eval_switches(&m->sim->stage.work, t, m->trial, m->y, value);
  for (int i = 0; i < sys->switches; i++) pattern[i] = value[i] > 0;
}

// which of the patterns found; -1: a new one
static int find(const hn_sides *s, const bool *pattern, int switches) {
  for (int i = 0; i < s->count; i++)
    if (memcmp(s->pattern + (size_t)i * (size_t)switches, pattern, (size_t)switches) == 0) return i;
  return -1;
}

// functions that are positive on some of the sides and not on others
static void count_switches(hn_sides *s, int switches) {
  for (int k = 0; k < switches; k++) {
    bool varies = false;
    for (int i = 1; i < s->count; i++)
      varies = varies || s->pattern[(size_t)i * (size_t)switches + (size_t)k] != s->pattern[k];
    s->switches += varies;
  }
}

// 64 samples find all sides of a few forces; where more meet than HN_SIDES, the first are taken
bool hn_sides_find(hn_sides *s, hn_manifold *m, double t, const double *q, const double *v,
                   const double *U, int n, bool moving) {
  const hn_system *sys = m->sys;
  size_t switches = (size_t)sys->switches, nv = (size_t)sys->nv;
  *s = (hn_sides){.count = 1};
  if (!switches || !n) return true;
  double *value = calloc(switches, sizeof(double)), *d = calloc(2 * nv, sizeof(double));
  bool *pattern = calloc(switches, 1);
  s->pattern = calloc(HN_SIDES * switches, 1);
  s->way = calloc(HN_SIDES * nv, sizeof(double));
  bool ok = value && d && pattern && s->pattern && s->way;
  unsigned long long seed = 0x9e3779b97f4a7c15ull;
  s->count = 0;
  // every mixture and its opposite, so that a single direction shows both its sides
  for (int k = 0; k < SAMPLES && ok && s->count < HN_SIDES; k++) {
    if (k % 2 == 0) {
      mix(sys, U, n, &seed, d);
      if (moving) mix(sys, U, n, &seed, d + nv);
    } else {
      for (size_t i = 0; i < 2 * nv; i++) d[i] = -d[i];
    }
    look(m, t, q, v, d, moving ? d + nv : NULL, value, pattern);
    if (find(s, pattern, sys->switches) >= 0) continue;
    memcpy(s->pattern + (size_t)s->count * switches, pattern, switches);
    memcpy(s->way + (size_t)s->count * nv, d, nv * sizeof(double));
    s->count++;
  }
  if (ok) count_switches(s, sys->switches);
  free(value), free(d), free(pattern);
  if (!ok) hn_sides_release(s);
  return ok;
}

void hn_sides_release(hn_sides *s) {
  free(s->pattern), free(s->way);
  *s = (hn_sides){0};
}

int hn_sides_towards(const hn_sides *s, hn_manifold *m, double t, const double *q, const double *v,
                     const double *d) {
  size_t switches = (size_t)m->sys->switches;
  double *value = calloc(switches + 1, sizeof(double)), size = hn_displacement_size(m->sys, d);
  double *unit = calloc((size_t)m->sys->nv + 1, sizeof(double));
  bool *pattern = calloc(switches + 1, 1);
  int side = -1;
  if (value && pattern && unit && size > 0) {
    for (int i = 0; i < m->sys->nv; i++) unit[i] = d[i] / size;
    look(m, t, q, v, unit, NULL, value, pattern);
    side = find(s, pattern, m->sys->switches);
  }
  free(value), free(pattern), free(unit);
  return side;
}

// The rank at places 1e-3 of the model away is what it is almost everywhere. Of four of them the
// largest counts: one alone may lie on another singular set.
int hn_rows_lost(hn_manifold *m, double t, const double *q) {
  const hn_system *sys = m->sys;
  size_t nv = (size_t)sys->nv;
  if (!sys->rows) return 0;
  double *U = malloc((nv * nv + 1) * sizeof(double)), *d = malloc((nv + 1) * sizeof(double));
  double *away = malloc(((size_t)sys->nq + 1) * sizeof(double));
  double *still = calloc(nv + 1, sizeof(double));
  unsigned long long seed = 0x2545f4914f6cdd1dull;
  int here = 0, best = -1, n;
  if (U && d && away && still) {
    hn_eval_jacobian(&m->sim->stage.work, t, q, still);
    hn_manifold_factor(m, true);
    here = best = m->cod.rank;
    n = m->free;
    memcpy(U, m->Z, (size_t)n * nv * sizeof(double));
    // a mechanism that cannot move has no places nearby
    if (n) best = -1;
    for (int k = 0; k < TRIALS && n; k++) {
      mix(sys, U, n, &seed, d);
      for (size_t i = 0; i < nv; i++) d[i] *= nearby;
      memcpy(away, q, (size_t)sys->nq * sizeof(double));
      hn_retract(sys, away, d);
      // what does not close again has nothing to say about the rank there
      if (hn_manifold_close(m, t, away)) continue;
      if (m->cod.rank > best) best = m->cod.rank;
    }
    hn_eval_jacobian(&m->sim->stage.work, t, q, still);
    hn_manifold_factor(m, true);
  }
  free(U), free(d), free(away), free(still);
  return best < 0 ? -1 : best - here;
}
