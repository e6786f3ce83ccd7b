// gaps.c: joints that repeat others and miss them a little share the gap.
//
// Rows a are solved for, rows d repeat them, J_d = N J_a but for the gap, which no motion closes:
// g = Phi_d - N Phi_a. Of all ways to leave it open the sum of squares is least when
//   Phi_a = -N^T s,   Phi_d = s,   (1 + N N^T) s = g
// with lengths in units of the model's, so that metres and radians may be added: below N is
// U_d^-1 N U_a, U being these units, and vectors are in them. N and its transpose are solutions of
// the saddle-point system, and a few steps of the method of conjugate gradients give s: N N^T has
// few different eigenvalues.
#include "sim/pull.h"

#include <string.h>

enum { STEPS = 8 };

static bool repeats(const hn_sim *sim, int row) {
  return sim->rows.D[row] > 0 && sim->sys->holonomic[row];
}

static double unit_of(const hn_sim *sim, int row) {
  return sim->sys->angular_row[row] ? 1 : sim->sys->length;
}

// out (rows d) = N y, y of rows a
static void times_N(hn_sim *sim, const double *y, double *out) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->rows; i++)
    sim->room.r[i] = sim->rows.D[i] > 0 ? 0 : y[i] * unit_of(sim, i);
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
  hn_jacobian_mul(&sim->stage.work, sim->room.v, sim->room.r);
  for (int i = 0; i < sys->rows; i++)
    out[i] = repeats(sim, i) ? sim->room.r[i] / unit_of(sim, i) : 0;
}

// out (rows a) = N^T z, z of rows d: M x - J_a^T l = J_d^T z, J_a x = 0 gives l = -N^T z
static void times_transpose(hn_sim *sim, const double *z, double *out) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->rows; i++) out[i] = repeats(sim, i) ? z[i] / unit_of(sim, i) : 0;
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_jacobian_tmul_add(&sim->stage.work, out, 1, sim->room.v);
  memset(out, 0, (size_t)sys->rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, out);
  for (int i = 0; i < sys->rows; i++) out[i] = sim->rows.D[i] > 0 ? 0 : -out[i] * unit_of(sim, i);
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

void hn_share_layout(hn_sim *sim, hn_arena *arena) {
  if (sim->sys->check.gap > 0) sim->rows.gap = HN_TAKE(arena, double, 6 * sim->sys->rows);
}

const double *hn_share_gap(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  if (!sim->rows.gap || !sim->rows.D) return NULL;
  int n = sys->rows;
  double *b = sim->rows.gap, *s = b + n, *r = s + n, *p = r + n, *y = p + n, *z = y + n;
  for (int i = 0; i < n; i++)
    y[i] = sim->rows.D[i] > 0 ? 0 : sim->stage.work.phi[i] / unit_of(sim, i);
  times_N(sim, y, r);
  for (int i = 0; i < n; i++) {
    r[i] = repeats(sim, i) ? sim->stage.work.phi[i] / unit_of(sim, i) - r[i] : 0;
    p[i] = r[i], s[i] = 0;
  }
  double now = dot(r, r, n), first = now;
  for (int step = 0; step < STEPS && now > 1e-12 * first; step++) {
    times_transpose(sim, p, y);
    times_N(sim, y, z);
    for (int i = 0; i < n; i++) z[i] += p[i];
    double a = now / dot(p, z, n), before = now;
    for (int i = 0; i < n; i++) s[i] += a * p[i], r[i] -= a * z[i];
    now = dot(r, r, n);
    for (int i = 0; i < n; i++) p[i] = r[i] + now / before * p[i];
  }
  times_transpose(sim, s, b);
  for (int i = 0; i < n; i++) b[i] *= -unit_of(sim, i);
  return b;
}
