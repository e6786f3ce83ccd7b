// cones.c: one contact after the other is brought to rest, to slide or to part, with what the
// others do held, round after round (M. Jean, The non-smooth contact dynamics method, Comput.
// Methods Appl. Mech. Engrg. 177, 1999). Every contact's own problem is solved exactly. Rounds end
// when no unknown changes any more.
#include "linalg/cones.h"

#include <math.h>
#include <stddef.h>

// rounds converge linearly; Newton's iteration is over in a few
enum { ROUNDS = 20000, FEW = 300, NEWTON = 60 };
static const double nothing = 1e-11;  // the part of the size that counts as nothing

typedef struct problem {
  const double *A, *b;
  int apart, m;
  double *x;
  double dead;    // a diagonal that is round-off: x does nothing there
  double size;    // largest of what y is made of, or could be
  double change;  // of y by what changed in this round
} problem;

// y_i with all that is known now: Gauss and Seidel
static double residual(problem *p, int i) {
  const double *row = p->A + (long)i * p->apart;
  double sum = p->b[i];
  for (int k = 0; k < p->m; k++) sum += row[k] * p->x[k];
  return sum;
}

static double own(const problem *p, int i, int k) {
  return p->A[(long)i * p->apart + k];
}

static void set(problem *p, int i, double x) {
  // changes are measured by what they do to the own rate, which has one unit for all
  double moved = fabs(own(p, i, i) * (x - p->x[i]));
  p->change = fmax(p->change, moved);
  p->size = fmax(p->size, fabs(own(p, i, i) * x));
  p->x[i] = x;
}

// the sliding friction that follows from a normal unknown; NULL: there is none
static const hn_cone *slider_of(const hn_cone *cone, int cones, int normal) {
  for (int k = 0; k < cones; k++)
    if (cone[k].normal == normal && cone[k].slides) return &cone[k];
  return NULL;
}

static void slide(problem *p, const hn_cone *c) {
  double r = hn_cone_radius(c, p->x);
  // against the direction, as large as the cone allows
  for (int k = 0; k < c->size; k++) set(p, c->first + k, -r * c->direction[k]);
}

// false: paradox.
// The friction that slides with this normal unknown is part of its own problem: the effective
// diagonal is A_ii - mu d.A_if. Where that is not positive, pressing harder closes the contact
// faster, and there may be no solution or several (Painleve's paradox).
static bool press(problem *p, int i, const hn_cone *slider) {
  double diagonal = own(p, i, i);
  if (slider)
    for (int k = 0; k < slider->size; k++)
      diagonal -= slider->coefficient * slider->direction[k] * own(p, i, slider->first + k);
  // nothing moves by this unknown alone
  if (!(own(p, i, i) > p->dead)) return true;
  if (!(diagonal > HN_CONE_OUTWARD * own(p, i, i))) return false;
  // projected: what would pull is zero
  set(p, i, fmax(0, p->x[i] - residual(p, i) / diagonal));
  if (slider) slide(p, slider);
  return true;
}

static void rub_line(problem *p, const hn_cone *c, double r) {
  int i = c->first;
  double y = residual(p, i), diagonal = own(p, i, i);
  if (diagonal > p->dead)
    // clamped to the interval
    set(p, i, fmin(fmax(p->x[i] - y / diagonal, -r), r));
  else
    // no diagonal: x does nothing to y, and may only stand against it
    p->x[i] = fabs(y) > nothing * p->size ? copysign(r, -y) : 0;
}

// (B + s) x = -c with |x| = r, or s = 0 and |x| < r; B is [a o; o d], c is (u, v).
// The secular equation |x(s)| = r of a trust region (J. J. More, D. C. Sorensen, 1983).
void hn_cone_disc(double a, double d, double o, double u, double v, double r, double x[2]) {
  double s = 0;
  x[0] = x[1] = 0;
  // alike in all directions, as with balls: at once
  // c scaled to the disc: the minimiser of a round bowl over a disc is on the way to its centre
  if (fabs(a - d) <= 1e-15 * a && fabs(o) <= 1e-15 * a && a > 0) {
    double n = sqrt(u * u + v * v), part = n > a * r ? r / n : 1 / a;
    x[0] = -part * u, x[1] = -part * v;
    return;
  }
  for (int pass = 0; pass < NEWTON; pass++) {
    // (B + s) x = -c by Cramer's rule
    double det = (a + s) * (d + s) - o * o;
    // B alone may be singular
    if (!(det > 1e-14 * a * d)) {
      s = 1e-12 * (a + d);
      continue;
    }
    x[0] = (-(d + s) * u + o * v) / det, x[1] = (o * u - (a + s) * v) / det;
    double n = sqrt(x[0] * x[0] + x[1] * x[1]);
    // inside with s = 0, or on the circle with s > 0
    if (n <= r * (1 + 1e-15) && (s <= 1e-11 * (a + d) || n >= r * (1 - 1e-15))) break;
    // d(1/|x|)/ds is nearly constant
    double tx = (-(d + s) * x[0] + o * x[1]) / det, ty = (o * x[0] - (a + s) * x[1]) / det;
    double slope = (x[0] * tx + x[1] * ty) / n;
    // Newton's step for 1/|x| - 1/r
    double next = s - (n - r) / slope * (n / r);
    if (!(fabs(next - s) > 1e-16 * fabs(s)) || !(next >= 0)) break;
    s = next;
  }
  // what rounding leaves outside
  double n = sqrt(x[0] * x[0] + x[1] * x[1]), part = n > r ? r / n : 1;
  x[0] *= part, x[1] *= part;
}

static void rub_disc(problem *p, const hn_cone *c, double r) {
  int i = c->first, k = i + 1;
  double a = own(p, i, i), d = own(p, k, k), o = own(p, i, k), x[2] = {0, 0};
  // what others do: y less the own part
  double u = residual(p, i) - a * p->x[i] - o * p->x[k];
  double v = residual(p, k) - o * p->x[i] - d * p->x[k];
  if (a > p->dead && d > p->dead && r > 0) hn_cone_disc(a, d, o, u, v, r, x);
  set(p, i, x[0]), set(p, k, x[1]);
}

// axes of a symmetric matrix as columns of V, by rotations (Jacobi); B becomes diagonal
static void principal(double B[3][3], double V[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) V[i][j] = i == j;
  // cyclic sweeps over the three planes; quadratic convergence in the end
  for (int turn = 0; turn < 3 * NEWTON; turn++) {
    int p = turn % 3, q = (p + 1) % 3;
    if (B[p][q] == 0) continue;
    double t = (B[q][q] - B[p][p]) / (2 * B[p][q]);
    t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
    double c = 1 / sqrt(t * t + 1), d = t * c;
    for (int k = 0; k < 3; k++) {
      double x = B[k][p], y = B[k][q], v = V[k][p];
      B[k][p] = c * x - d * y, B[k][q] = d * x + c * y;
      V[k][p] = c * v - d * V[k][q], V[k][q] = d * v + c * V[k][q];
    }
    for (int k = 0; k < 3; k++) {
      double x = B[p][k], y = B[q][k];
      B[p][k] = c * x - d * y, B[q][k] = d * x + c * y;
    }
    B[p][q] = B[q][p] = 0;
  }
}

// along the axes of B: x_i = -c_i / (B_i + s), s by Newton's method for 1/|x|, which is nearly
// linear in s. What does nothing gets nothing
void hn_cone_ball(const double B[9], const double c[3], double r, double x[3]) {
  double D[3][3], V[3][3], along[3] = {0, 0, 0}, z[3] = {0, 0, 0}, most = 0, s = 0;
  for (int i = 0; i < 9; i++) D[i / 3][i % 3] = B[i];
  principal(D, V);
  for (int i = 0; i < 3; i++) {
    most = fmax(most, D[i][i]);
    // c in the axes of B
    for (int k = 0; k < 3; k++) along[i] += V[k][i] * c[k];
  }
  for (int pass = 0; pass < NEWTON && r > 0; pass++) {
    double square = 0, slope = 0;
    for (int i = 0; i < 3; i++) {
      if (!(D[i][i] > 1e-12 * most)) continue;
      z[i] = -along[i] / (D[i][i] + s);
      square += z[i] * z[i], slope -= z[i] * z[i] / (D[i][i] + s);
    }
    double n = sqrt(square);
    if (n <= r * (1 + 1e-15)) break;
    // the same step as in the plane
    s -= (n - r) * n / slope * (n / r);
  }
  double n = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]), part = n > r ? r / n : 1;
  for (int i = 0; i < 3; i++) x[i] = part * (V[i][0] * z[0] + V[i][1] * z[1] + V[i][2] * z[2]);
}

static void rub_ball(problem *p, const hn_cone *c, double r) {
  double B[9], rest[3], x[3];
  for (int i = 0; i < 3; i++) {
    rest[i] = residual(p, c->first + i);
    for (int k = 0; k < 3; k++) {
      B[3 * i + k] = own(p, c->first + i, c->first + k);
      rest[i] -= B[3 * i + k] * p->x[c->first + k];
    }
  }
  hn_cone_ball(B, rest, r, x);
  for (int i = 0; i < 3; i++) set(p, c->first + i, x[i]);
}

// Tolerances are parts of the largest rate that loads, or the largest frictions, could make.
static void judge_size(problem *p, const hn_cone *cone, int cones) {
  double most = 0;
  for (int i = 0; i < p->m; i++) {
    // loads, and what the frictions would be
    p->size = fmax(p->size, fabs(p->b[i]));
    most = fmax(most, own(p, i, i));
  }
  for (int k = 0; k < cones; k++)
    for (int i = cone[k].first; i < cone[k].first + cone[k].size; i++)
      p->size = fmax(p->size, hn_cone_radius(&cone[k], p->x) * own(p, i, i));
  p->dead = 1e-13 * most;
}

static void rub(problem *p, const hn_cone *c) {
  double r = hn_cone_radius(c, p->x);
  if (c->slides)
    slide(p, c);
  else if (c->size == 1)
    rub_line(p, c, r);
  else if (c->size == 2)
    rub_disc(p, c, r);
  else
    rub_ball(p, c, r);
}

// near: rounds that creep may still have come close enough
static hn_cones_end go_round(const double *A, int apart, const double *b, int n, int m,
                             const hn_cone *cone, int cones, double *x, double *y, int *which,
                             double *size, int rounds, bool near) {
  problem p = {.A = A, .b = b, .apart = apart, .m = m, .x = x};
  hn_cones_end end = HN_CONES_NONE;
  judge_size(&p, cone, cones);
  // round after round until nothing changes; the number of rounds is not bounded by theory
  for (int round = 0; round < rounds && end == HN_CONES_NONE; round++) {
    p.change = 0;
    for (int i = 0; i < n; i++) {
      const hn_cone *slider = slider_of(cone, cones, i);
      if (press(&p, i, slider)) continue;
      // *which: the cone whose friction makes it so
      *which = (int)(slider - cone);
      return HN_CONES_PARADOX;
    }
    for (int k = 0; k < cones; k++) rub(&p, &cone[k]);
    // rounding of rates: no further change can be told from it
    if (p.change <= 1e-15 * p.size) end = HN_CONES_FOUND;
  }
  if (near && p.change <= nothing * p.size) end = HN_CONES_FOUND;
  for (int i = 0; i < m; i++) y[i] = residual(&p, i);
  *size = p.size;
  return end;
}

hn_cones_end hn_cones_solve(const double *A, int apart, const double *b, int n, int m,
                            const hn_cone *cone, int cones, double *x, double *y, int *which,
                            double *size) {
  return go_round(A, apart, b, n, m, cone, cones, x, y, which, size, ROUNDS, true);
}

hn_cones_end hn_cones_try(const double *A, int apart, const double *b, int n, int m,
                          const hn_cone *cone, int cones, double *x, double *y, int *which,
                          double *size) {
  return go_round(A, apart, b, n, m, cone, cones, x, y, which, size, FEW, false);
}

// ---- by pivots -----------------------------------------------------------------------------
//
// A friction that may hold has x = p - q with p, q >= 0 and the size s of its y (D. E. Stewart,
// J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with inelastic collisions
// and Coulomb friction, Int. J. Numer. Meth. Eng. 39, 1996):
//
//   y + s >= 0  with p,   -y + s >= 0  with q,   r - p - q >= 0  with s
//
// One that slides adds to the column of its normal unknown. Unknowns count in units that make the
// diagonal of A one.

// z = x / unit has a diagonal of one
static double unit_of(const problem *p, int i) {
  double a = own(p, i, i);
  return a > p->dead ? 1 / sqrt(a) : 0;
}

// A x where x is one in column `k` and what slides along with it.
// Sliders of one direction only: hn_cones_pivot has refused others.
static double column(const problem *p, const hn_cone *cone, int cones, int i, int k) {
  double a = own(p, i, k);
  for (int c = 0; c < cones; c++)
    if (cone[c].slides && cone[c].normal == k)
      a -= cone[c].coefficient * cone[c].direction[0] * own(p, i, cone[c].first);
  return a;
}

// b and what slides under forces that are given
static double loaded(const problem *p, const hn_cone *cone, int cones, int i) {
  double b = p->b[i];
  for (int c = 0; c < cones; c++)
    if (cone[c].slides && cone[c].normal < 0)
      b -= cone[c].radius * cone[c].direction[0] * own(p, i, cone[c].first);
  return b;
}

// row `i` of A becomes row `at` of M with a sign
static void pose(const problem *p, const hn_cone *cone, int cones, int n, int i, int at,
                 double sign, hn_lemke *o) {
  int size = hn_cones_pivots(n, cones);
  double unit = sign * unit_of(p, i), *row = o->M + (long)at * size;
  for (int k = 0; k < n; k++) row[k] = unit * unit_of(p, k) * column(p, cone, cones, i, k);
  for (int c = 0; c < cones; c++) {
    double a = cone[c].slides ? 0 : unit * unit_of(p, cone[c].first) * own(p, i, cone[c].first);
    row[n + 3 * c] = a, row[n + 3 * c + 1] = -a;
  }
  o->q[at] = unit * loaded(p, cone, cones, i);
}

static void pose_cone(const problem *p, const hn_cone *cone, int cones, int n, int c, hn_lemke *o) {
  int size = hn_cones_pivots(n, cones), at = n + 3 * c, i = cone[c].first;
  double unit = unit_of(p, i), *limit = o->M + (long)(at + 2) * size;
  // p, q and s of frictions that slide are not needed: w = z says nothing about others
  if (cone[c].slides || !(unit > 0)) {
    o->M[(long)at * size + at] = o->M[(long)(at + 1) * size + at + 1] = limit[at + 2] = 1;
    return;
  }
  pose(p, cone, cones, n, i, at, 1, o);
  pose(p, cone, cones, n, i, at + 1, -1, o);
  // + s in the first two rows
  o->M[(long)at * size + at + 2] = o->M[(long)(at + 1) * size + at + 2] = 1;
  // r - p - q
  limit[at] = limit[at + 1] = -1;
  // a given radius is a constant, otherwise it grows with the normal unknown
  if (cone[c].normal < 0)
    o->q[at + 2] = cone[c].radius / unit;
  else
    limit[cone[c].normal] = cone[c].coefficient * unit_of(p, cone[c].normal) / unit;
}

hn_cones_end hn_cones_pivot(const double *A, int apart, const double *b, int n, int m,
                            const hn_cone *cone, int cones, double *x, double *y, double *size,
                            hn_lemke *room) {
  problem p = {.A = A, .b = b, .apart = apart, .m = m, .x = x};
  int count = hn_cones_pivots(n, cones);
  // discs are no polyhedra
  for (int c = 0; c < cones; c++)
    if (cone[c].size > 1) return HN_CONES_NONE;
  if (count > room->size) return HN_CONES_NONE;
  for (int i = 0; i < m; i++) x[i] = 0;
  judge_size(&p, cone, cones);
  for (long i = 0; i < (long)count * count; i++) room->M[i] = 0;
  for (int i = 0; i < count; i++) room->q[i] = 0;
  for (int i = 0; i < n; i++) pose(&p, cone, cones, n, i, i, 1, room);
  for (int c = 0; c < cones; c++) pose_cone(&p, cone, cones, n, c, room);
  if (!hn_lemke_solve(room, count)) return HN_CONES_NONE;
  for (int i = 0; i < n; i++) set(&p, i, unit_of(&p, i) * room->z[i]);
  for (int c = 0; c < cones; c++) {
    const double *z = room->z + n + 3 * c;
    double r = hn_cone_radius(&cone[c], x), found = unit_of(&p, cone[c].first) * (z[0] - z[1]);
    // sliding follows from normal unknowns, which are known now
    if (cone[c].slides)
      slide(&p, &cone[c]);
    else
      set(&p, cone[c].first, fmin(fmax(found, -r), r));
  }
  for (int i = 0; i < m; i++) y[i] = residual(&p, i);
  *size = p.size;
  return HN_CONES_FOUND;
}
