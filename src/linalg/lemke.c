// lemke.c: complementary pivoting (C. E. Lemke, Bimatrix equilibrium points and mathematical
// programming, Management Science 11, 1965).
//
// An unknown z0, added to all rows alike, makes every w non-negative. From there one unknown of a
// complementary pair after the other enters the basis, in place of the one that first meets zero,
// until z0 leaves. Of several that meet zero together the one with the largest pivot goes, z0
// before all others. Each row's first w has a tiny part of its own, so that ties do not lead in
// circles.
#include "linalg/lemke.h"

#include <math.h>
#include <string.h>

static const double tiny = 1e-11;  // pivots below this part of the largest number are none

void hn_lemke_layout(hn_lemke *p, hn_arena *arena, int size) {
  size_t n = (size_t)size;
  p->size = size;
  p->M = HN_TAKE(arena, double, n *n);
  p->q = HN_TAKE(arena, double, n);
  p->z = HN_TAKE(arena, double, n);
  p->tableau = HN_TAKE(arena, double, n *(2 * n + 2));
  p->basis = HN_TAKE(arena, int, n);
}

static double *row_of(const hn_lemke *p, int n, int i) {
  return p->tableau + (size_t)i * (2 * (size_t)n + 2);
}

// columns: w, z, z0, then the right-hand side
static double begin(hn_lemke *p, int n) {
  double largest = 0, size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(p->q[i]));
  for (int i = 0; i < n; i++) {
    // w - M z - z0 = q, w in the basis
    double *row = row_of(p, n, i);
    memset(row, 0, (2 * (size_t)n + 2) * sizeof(double));
    row[i] = 1;
    for (int k = 0; k < n; k++) {
      row[n + k] = -p->M[(size_t)i * (size_t)n + (size_t)k];
      largest = fmax(largest, fabs(row[n + k]));
    }
    row[2 * n] = -1;
    // ties: q differs in the last digits from row to row
    row[2 * n + 1] = p->q[i] + size * 1e-14 * (1 + (double)i / n);
    p->basis[i] = i;
  }
  return largest;
}

// row[in] = 0 by hand, as from[in] is one but for rounding
static void pivot(hn_lemke *p, int n, int out, int in) {
  // row `out` solved for unknown `in`
  double *from = row_of(p, n, out), part = 1 / from[in];
  for (int k = 0; k < 2 * n + 2; k++) from[k] *= part;
  for (int i = 0; i < n; i++) {
    double *row = row_of(p, n, i), f = row[in];
    if (i == out || f == 0) continue;
    for (int k = 0; k < 2 * n + 2; k++) row[k] -= f * from[k];
    row[in] = 0;
  }
  p->basis[out] = in;
}

// the row whose unknown first meets zero as `in` grows; -1: none does
static int leaves(const hn_lemke *p, int n, int in, double least) {
  int best = -1;
  double most = INFINITY;
  for (int i = 0; i < n; i++) {
    const double *row = row_of(p, n, i);
    // only rows that fall stop it
    if (!(row[in] > least)) continue;
    double ratio = row[2 * n + 1] / row[in];
    // equal but for rounding
    bool tie = best >= 0 && fabs(ratio - most) <= 1e-13 * fabs(most);
    bool better =
        tie ? p->basis[i] == 2 * n || (p->basis[best] != 2 * n && row[in] > row_of(p, n, best)[in])
            : ratio < most;
    if (best < 0 || better) most = ratio, best = i;
  }
  return best;
}

// Complements: w_i is column i, z_i column n + i. z0 enters first, for the lowest q.
bool hn_lemke_solve(hn_lemke *p, int n) {
  double least = tiny * fmax(1, begin(p, n)), lowest = 0;
  int in = 2 * n, out = -1;
  memset(p->z, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++)
    // already non-negative: z = 0 solves it
    if (p->q[i] < lowest) lowest = p->q[i], out = i;
  if (out < 0) return true;
  for (int round = 0; round < 50 * n + 50; round++) {
    int gone = p->basis[out];
    pivot(p, n, out, in);
    // z0 has left: what is in the basis is the solution
    if (gone == 2 * n) {
      for (int i = 0; i < n; i++)
        if (p->basis[i] >= n) p->z[p->basis[i] - n] = fmax(0, row_of(p, n, i)[2 * n + 1]);
      return true;
    }
    // the complement of what has left enters
    in = gone < n ? gone + n : gone - n;
    out = leaves(p, n, in, least);
    // a ray
    if (out < 0) return false;
  }
  return false;
}
