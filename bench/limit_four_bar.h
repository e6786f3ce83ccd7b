// limit_four_bar.h: the four-bar linkage of models/four_bar.yaml, written out by hand, twice.
//
// Bars 1, 2, 3 of lengths 2, 4, 4 between the pins A (ground), B, C, D (ground); centres of mass in
// the middle, so that all pins lie on the bars' own x axes: r = a e, e = (cos, sin), n = (-sin,
// cos).
//
// 1. Maximal coordinates. M v' = f + J^T lambda, J v' = gamma, with one pair of rows for each pin:
//      A: P1(-1)    B: P2(-2) - P1(1)    C: P3(2) - P2(2)    D: P3(-2)
//    S = J M^-1 J^T is block tridiagonal with 2 x 2 blocks of the form (1/m) I + (a b / I) n n^T.
//    It is eliminated from both ends at once, so that no division waits for another.
// 2. The crank angle alone. Pin C is where two circles meet; angles never appear except the
//    crank's. With k = d(angles)/d(theta):  m(theta) theta'' = Q(theta) - m'(theta) theta'^2 / 2.
#ifndef HN_BENCH_LIMIT_FOUR_BAR_H
#define HN_BENCH_LIMIT_FOUR_BAR_H

#include <math.h>

#define HAND static inline __attribute__((always_inline))

enum { FOUR_BAR_N = 18 };

static const double fb_g = 9.81;
static const double fb_m1 = 1, fb_m2 = 2.25, fb_m3 = 2.2;    // masses
static const double fb_i1 = 0.3, fb_i2 = 2.0, fb_i3 = 1.35;  // inertias about the centres
static const double fb_r1 = 1, fb_r2 = 2, fb_r3 = 2;         // half lengths
static const double fb_base = 2.5;                           // distance of the ground pins

// ---- maximal coordinates ---------------------------------------------------------------------

// symmetric and general 2 x 2 blocks
typedef struct sym2 {
  double xx, xy, yy;
} sym2;
typedef struct mat2 {
  double xx, xy, yx, yy;
} mat2;
typedef struct vec2 {
  double x, y;
} vec2;

// a I + b n n^T, n = (-s, c)
HAND sym2 shell(double a, double b, double c, double s) {
  return (sym2){a + b * s * s, -b * s * c, a + b * c * c};
}
HAND sym2 sym2_add(sym2 a, sym2 b) {
  return (sym2){a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
}
HAND sym2 sym2_inverse(sym2 a) {
  double d = 1 / (a.xx * a.yy - a.xy * a.xy);
  return (sym2){a.yy * d, -a.xy * d, a.xx * d};
}
HAND vec2 sym2_times(sym2 a, vec2 x) {
  return (vec2){a.xx * x.x + a.xy * x.y, a.xy * x.x + a.yy * x.y};
}
HAND mat2 sym2_product(sym2 a, sym2 b) {
  return (mat2){a.xx * b.xx + a.xy * b.xy, a.xx * b.xy + a.xy * b.yy, a.xy * b.xx + a.yy * b.xy,
                a.xy * b.xy + a.yy * b.yy};
}
// s - w b with w = b a^-1 and b symmetric: the result is symmetric
HAND sym2 sym2_reduce(sym2 s, mat2 w, sym2 b) {
  return (sym2){s.xx - (w.xx * b.xx + w.xy * b.xy), s.xy - (w.xx * b.xy + w.xy * b.yy),
                s.yy - (w.yx * b.xy + w.yy * b.yy)};
}
HAND vec2 vec2_reduce(vec2 x, mat2 w, vec2 y) {
  return (vec2){x.x - (w.xx * y.x + w.xy * y.y), x.y - (w.yx * y.x + w.yy * y.y)};
}

// y = (x1 y1 phi1 x2 y2 phi2 x3 y3 phi3, velocities in the same order)
HAND void four_bar_rate(const double *restrict y, double *restrict d) {
  const double k1 = fb_r1 * fb_r1 / fb_i1, k2 = fb_r2 * fb_r2 / fb_i2, k3 = fb_r3 * fb_r3 / fb_i3;
  double c1 = cos(y[2]), s1 = sin(y[2]), c2 = cos(y[5]), s2 = sin(y[5]);
  double c3 = cos(y[8]), s3 = sin(y[8]);
  double w1 = fb_r1 * y[11] * y[11], w2 = fb_r2 * y[14] * y[14], w3 = fb_r3 * y[17] * y[17];

  // diagonal and outer blocks of S; the signs of the outer ones are those of the rows
  sym2 SA = shell(1 / fb_m1, k1, c1, s1), SD = shell(1 / fb_m3, k3, c3, s3);
  sym2 N2 = shell(1 / fb_m2, k2, c2, s2);
  sym2 SB = sym2_add(SA, N2), SC = sym2_add(SD, N2);
  sym2 AB = shell(-1 / fb_m1, k1, c1, s1), BC = shell(-1 / fb_m2, k2, c2, s2);
  sym2 CD = shell(1 / fb_m3, -k3, c3, s3);

  // gamma - J M^-1 f; gravity cancels in B and C
  vec2 A = {-w1 * c1, -w1 * s1 + fb_g}, D = {-w3 * c3, -w3 * s3 + fb_g};
  vec2 B = {-w2 * c2 - w1 * c1, -w2 * s2 - w1 * s1}, C = {w3 * c3 - w2 * c2, w3 * s3 - w2 * s2};

  // A into B and D into C, then B into C
  sym2 IA = sym2_inverse(SA), ID = sym2_inverse(SD);
  mat2 WA = sym2_product(AB, IA), WD = sym2_product(CD, ID);
  SB = sym2_reduce(SB, WA, AB);
  SC = sym2_reduce(SC, WD, CD);
  B = vec2_reduce(B, WA, A);
  C = vec2_reduce(C, WD, D);
  sym2 IB = sym2_inverse(SB);
  mat2 WB = sym2_product(BC, IB);
  C = sym2_times(sym2_inverse(sym2_reduce(SC, WB, BC)), vec2_reduce(C, WB, B));
  vec2 t = sym2_times(BC, C);
  B = sym2_times(IB, (vec2){B.x - t.x, B.y - t.y});
  t = sym2_times(AB, B);
  A = sym2_times(IA, (vec2){A.x - t.x, A.y - t.y});
  t = sym2_times(CD, C);
  D = sym2_times(ID, (vec2){D.x - t.x, D.y - t.y});

  for (int i = 0; i < 9; i++) d[i] = y[9 + i];
  d[9] = (A.x - B.x) * (1 / fb_m1);
  d[10] = (A.y - B.y) * (1 / fb_m1) - fb_g;
  d[11] = (fb_r1 / fb_i1) * (s1 * (A.x + B.x) - c1 * (A.y + B.y));
  d[12] = (B.x - C.x) * (1 / fb_m2);
  d[13] = (B.y - C.y) * (1 / fb_m2) - fb_g;
  d[14] = (fb_r2 / fb_i2) * (s2 * (B.x + C.x) - c2 * (B.y + C.y));
  d[15] = (C.x + D.x) * (1 / fb_m3);
  d[16] = (C.y + D.y) * (1 / fb_m3) - fb_g;
  d[17] = (fb_r3 / fb_i3) * (c3 * (C.y - D.y) - s3 * (C.x - D.x));
}

// ---- the crank angle alone -------------------------------------------------------------------

// y = (theta, its rate)
HAND void crank_rate(const double *restrict y, double *restrict d) {
  const double L1 = 2 * fb_r1, L2 = 2 * fb_r2, L3 = 2 * fb_r3;
  double c = cos(y[0]), s = sin(y[0]);
  // from B to D, and C above the middle of it (bars 2 and 3 are equal)
  double bx = fb_base - L1 * c, by = -L1 * s;
  double up = sqrt(L2 * L2 / (bx * bx + by * by) - 0.25);
  double e2x = (0.5 * bx - up * by) / L2, e2y = (0.5 * by + up * bx) / L2;
  double e3x = e2x - bx / L3, e3y = e2y - by / L3;
  // L1 n1 + L2 n2 k2 - L3 n3 k3 = 0; cross products with e3 and e2 separate the two
  double det = 1 / (e2x * e3y - e2y * e3x);
  double k2 = -(L1 / L2) * (c * e3y - s * e3x) * det;
  double k3 = -(L1 / L3) * (c * e2y - s * e2x) * det;
  // its derivative: L2 n2 k2' - L3 n3 k3' = L1 e1 + L2 e2 k2^2 - L3 e3 k3^2 = p
  double px = L1 * c + L2 * e2x * k2 * k2 - L3 * e3x * k3 * k3;
  double py = L1 * s + L2 * e2y * k2 * k2 - L3 * e3y * k3 * k3;
  double q2 = (px * e3x + py * e3y) * det / L2, q3 = (px * e2x + py * e2y) * det / L3;

  // centre of bar 2: velocity and its derivative with theta; those of 1 and 3 are constant
  double vx = -L1 * s - fb_r2 * e2y * k2, vy = L1 * c + fb_r2 * e2x * k2;
  double ax = -L1 * c - fb_r2 * (e2y * q2 + e2x * k2 * k2);
  double ay = -L1 * s + fb_r2 * (e2x * q2 - e2y * k2 * k2);
  const double J1 = fb_i1 + fb_m1 * fb_r1 * fb_r1, J3 = fb_i3 + fb_m3 * fb_r3 * fb_r3;
  double m = J1 + fb_m2 * (vx * vx + vy * vy) + fb_i2 * k2 * k2 + J3 * k3 * k3;
  double half = fb_m2 * (vx * ax + vy * ay) + fb_i2 * k2 * q2 + J3 * k3 * q3;
  double force = -fb_g * (fb_m1 * fb_r1 * c + fb_m2 * vy + fb_m3 * fb_r3 * e3x * k3);
  d[0] = y[1];
  d[1] = (force - half * y[1] * y[1]) / m;
}

// where pin C is
static inline void crank_pin(const double *y, double *x, double *z) {
  double bx = fb_base - 2 * fb_r1 * cos(y[0]), by = -2 * fb_r1 * sin(y[0]);
  double up = sqrt(4 * fb_r2 * fb_r2 / (bx * bx + by * by) - 0.25);
  *x = fb_base - 0.5 * bx - up * by;
  *z = -0.5 * by + up * bx;
}

#endif
