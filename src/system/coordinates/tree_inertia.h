// tree_inertia.h: articulated inertias in space, all inline.
//
//   [ A  B ]   A, C symmetric 3 x 3
//   [ B' C ]
//
// kept by the pairs that the processor takes at a time: of every column the first two rows
// together. The third rows of A and C are their third columns, that of B is a pair and a number of
// its own.
#ifndef HN_TREE_INERTIA_H
#define HN_TREE_INERTIA_H

#include "base/pair.h"

#include <math.h>

typedef struct hn_inertia {
  hn_pair ax, ay, az, bx, by, bz, cx, cy, cz;
  hn_pair bl;      // row 2 of B, first two columns
  double a, b, c;  // (2, 2)
} hn_inertia;

// a body's own inertia in world axes, own = mass and principal moments along the columns of R
HN_INLINE hn_inertia hn_inertia_own(const double *own, const double *R) {
  double m = own[0], x = own[1], y = own[2], z = own[3];
  hn_pair none = {0, 0};
  hn_pair j0 = (hn_pair){R[0], R[3]} * x, j1 = (hn_pair){R[1], R[4]} * y;
  hn_pair j2 = (hn_pair){R[2], R[5]} * z;
  return (hn_inertia){
      .ax = {m, 0},
      .ay = {0, m},
      .az = none,
      .bx = none,
      .by = none,
      .bz = none,
      .cx = j0 * R[0] + j1 * R[1] + j2 * R[2],
      .cy = j0 * R[3] + j1 * R[4] + j2 * R[5],
      .cz = j0 * R[6] + j1 * R[7] + j2 * R[8],
      .bl = none,
      .a = m,
      .b = 0,
      .c = x * R[6] * R[6] + y * R[7] * R[7] + z * R[8] * R[8],
  };
}

HN_INLINE hn_inertia hn_inertia_add(hn_inertia p, const hn_inertia *q) {
  p.ax += q->ax, p.ay += q->ay, p.az += q->az;
  p.bx += q->bx, p.by += q->by, p.bz += q->bz;
  p.cx += q->cx, p.cy += q->cy, p.cz += q->cz;
  p.bl += q->bl;
  p.a += q->a, p.b += q->b, p.c += q->c;
  return p;
}

// takes out one degree of freedom with axes S: G = I S / sqrt(S^T I S), I -= G G^T. Returns
// 1 / sqrt(S^T I S)
HN_INLINE double hn_inertia_reduce(hn_inertia *i, const double *S, double *G) {
  hn_pair s = hn_pair_load(S), t = {S[3], S[4]};
  double s2 = S[2], t2 = S[5];
  hn_pair u = i->ax * S[0] + i->ay * S[1] + i->az * s2 + i->bx * S[3] + i->by * S[4] + i->bz * t2;
  hn_pair v =
      hn_pair_sums(i->bx * s, i->by * s) + i->bl * s2 + i->cx * S[3] + i->cy * S[4] + i->cz * t2;
  double u2 = hn_pair_sum(i->az * s + i->bl * t) + i->a * s2 + i->b * t2;
  double v2 = hn_pair_sum(i->bz * s + i->cz * t) + i->b * s2 + i->c * t2;
  double inverse = 1 / sqrt(hn_pair_sum(s * u + t * v) + s2 * u2 + t2 * v2);
  u *= inverse, v *= inverse, u2 *= inverse, v2 *= inverse;
  G[0] = u[0], G[1] = u[1], G[2] = u2, G[3] = v[0], G[4] = v[1], G[5] = v2;
  i->ax -= u * u[0], i->ay -= u * u[1], i->az -= u * u2, i->a -= u2 * u2;
  i->bx -= u * v[0], i->by -= u * v[1], i->bz -= u * v2;
  i->bl -= v * u2, i->b -= u2 * v2;
  i->cx -= v * v[0], i->cy -= v * v[1], i->cz -= v * v2, i->c -= v2 * v2;
  return inverse;
}

// shift^T I shift, seen from a point at -r:
//   B' = B - A [r],  C' = C + [r] B' - B^T [r]
HN_INLINE hn_inertia hn_inertia_shift(const hn_inertia *i, const double r[3]) {
  double x = r[0], y = r[1], z = r[2];
  hn_inertia o = *i;
  // rows of A [r] are (row x r)
  o.bx -= i->ay * z - i->az * y;
  o.by -= i->az * x - i->ax * z;
  o.bz -= i->ax * y - i->ay * x;
  o.bl -= (hn_pair){i->az[1] * z - i->a * y, i->a * x - i->az[0] * z};
  o.b -= i->az[0] * y - i->az[1] * x;
  // columns of [r] B' are r x column; rows of B^T [r] are (column of B) x r
  hn_pair across = {y, -x}, turn = {-z, z};
  hn_pair b0 = {i->bx[0], i->by[0]}, b1 = {i->bx[1], i->by[1]};
  o.cx += across * o.bl[0] + turn * (hn_pair){o.bx[1], o.bx[0]} + (i->bl * y - b1 * z);
  o.cy += across * o.bl[1] + turn * (hn_pair){o.by[1], o.by[0]} + (b0 * z - i->bl * x);
  o.cz += across * o.b + turn * (hn_pair){o.bz[1], o.bz[0]} + (b1 * x - b0 * y);
  o.c += (x * o.bz[1] - y * o.bz[0]) - (i->bz[0] * y - i->bz[1] * x);
  o.cx[1] = o.cy[0];  // symmetric to the last digit
  return o;
}

// to and from a full 6 x 6 matrix
HN_INLINE void hn_inertia_unpack(const hn_inertia *i, double M[36]) {
  const hn_pair a[3] = {i->ax, i->ay, i->az}, b[3] = {i->bx, i->by, i->bz};
  const hn_pair c[3] = {i->cx, i->cy, i->cz};
  const double row[3] = {i->bl[0], i->bl[1], i->b};
  for (int k = 0; k < 3; k++) {
    for (int j = 0; j < 2; j++) {
      M[6 * j + k] = a[k][j];
      M[6 * j + 3 + k] = M[6 * (3 + k) + j] = b[k][j];
      M[6 * (3 + j) + 3 + k] = c[k][j];
    }
    M[12 + k] = k < 2 ? i->az[k] : i->a;
    M[15 + k] = M[6 * (3 + k) + 2] = row[k];
    M[33 + k] = k < 2 ? i->cz[k] : i->c;
  }
}
HN_INLINE hn_inertia hn_inertia_pack(const double M[36]) {
  return (hn_inertia){
      .ax = {M[0], M[6]},
      .ay = {M[1], M[7]},
      .az = {M[2], M[8]},
      .bx = {M[3], M[9]},
      .by = {M[4], M[10]},
      .bz = {M[5], M[11]},
      .cx = {M[21], M[27]},
      .cy = {M[22], M[28]},
      .cz = {M[23], M[29]},
      .bl = {M[15], M[16]},
      .a = M[14],
      .b = M[17],
      .c = M[35],
  };
}

#endif
