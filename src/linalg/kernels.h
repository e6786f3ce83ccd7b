// kernels.h: small dense blocks and vectors, all inline.
//
// Every function takes its sizes as arguments; called with constants it unrolls into straight-line
// code. Numbers are taken two at a time, which plain x86-64 and ARM can do, and sums have one fixed
// order, so that results are the same with every compiler and on every machine.
//
// Memory that was just written is read back in the same pairs, or one number at a time: a load that
// spans two earlier stores makes the processor wait for both.
#ifndef HN_KERNELS_H
#define HN_KERNELS_H

#include "base/pair.h"

// ---- a row of n <= HN_ROW numbers held in registers; odd rows end with a zero ----

enum { HN_ROW = 6 };
typedef struct hn_lane {
  hn_pair p[HN_ROW / 2];
} hn_lane;

HN_INLINE hn_lane hn_lane_load(const double *a, int n) {
  hn_lane r = {{{0}}};
  for (int k = 0; k < n; k += 2) r.p[k / 2] = k + 1 < n ? hn_pair_load(a + k) : (hn_pair){a[k], 0};
  return r;
}
// the same from single numbers
HN_INLINE hn_lane hn_lane_collect(const double *a, int n) {
  hn_lane r = {{{0}}};
  for (int k = 0; k < n; k += 2) r.p[k / 2] = (hn_pair){a[k], k + 1 < n ? a[k + 1] : 0};
  return r;
}
HN_INLINE void hn_lane_store(double *a, hn_lane r, int n) {
  for (int k = 0; k < n; k += 2)
    if (k + 1 < n)
      hn_pair_store(a + k, r.p[k / 2]);
    else
      a[k] = r.p[k / 2][0];
}
// element by element
HN_INLINE hn_lane hn_lane_times(hn_lane a, hn_lane b, int n) {
  for (int k = 0; k < n; k += 2) a.p[k / 2] *= b.p[k / 2];
  return a;
}
// a + s b
HN_INLINE hn_lane hn_lane_add(hn_lane a, double s, hn_lane b, int n) {
  for (int k = 0; k < n; k += 2) a.p[k / 2] += s * b.p[k / 2];
  return a;
}
// products summed by even and odd places
HN_INLINE hn_pair hn_lane_half_dot(hn_lane a, hn_lane b, int n) {
  hn_pair sum = a.p[0] * b.p[0];
  for (int k = 2; k < n; k += 2) sum += a.p[k / 2] * b.p[k / 2];
  return sum;
}
// c (q numbers) = a B^T, or += when add; B has q rows of n. Returns the last product
HN_INLINE double hn_lane_times_transpose(double *c, hn_lane a, const double *B, int n, int q,
                                         int add) {
  double last = 0;
  int j = 0;
  for (; j + 1 < q; j += 2, B += 2 * n) {
    hn_pair b0 = hn_lane_half_dot(a, hn_lane_load(B, n), n);
    hn_pair b1 = hn_lane_half_dot(a, hn_lane_load(B + n, n), n);
    hn_pair v = hn_pair_sums(b0, b1);
    hn_pair_store(c + j, add ? hn_pair_load(c + j) + v : v);
    last = v[1];
  }
  if (j < q) {
    hn_pair b0 = hn_lane_half_dot(a, hn_lane_load(B, n), n);
    last = b0[0] + b0[1];
    c[j] = add ? c[j] + last : last;
  }
  return last;
}

// ---- numbers of any count, two at a time ----

HN_INLINE void hn_negate(double *a, int n) {
  int i = 0;
  for (; i + 1 < n; i += 2) hn_pair_store(a + i, -hn_pair_load(a + i));
  if (i < n) a[i] = -a[i];
}
// the largest, 0 when none is above; what is not a number is passed over
HN_INLINE double hn_largest(const double *a, int n) {
  double even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    even = a[i] > even ? a[i] : even;
    odd = a[i + 1] > odd ? a[i + 1] : odd;
  }
  if (i < n) even = a[i] > even ? a[i] : even;
  return even > odd ? even : odd;
}

// ---- triangular matrices with unit diagonal: the numbers below it, row by row ----

// place of element (i, j), i > j; hn_triangle(n, 0) is how many there are
HN_INLINE int hn_triangle(int i, int j) {
  return i * (i - 1) / 2 + j;
}

// one step of P = C diag(p) C^T: column k of C, and its effect on what is below and to the right.
// P lies in c (below the diagonal) and p; inverse = 1 / p[k], or 0 to leave row k out
HN_INLINE void hn_ldl_step(double *c, double *p, double inverse, int k, int n) {
  HN_UNROLL
  for (int i = n - 1; i > k; i--) {
    double factor = c[hn_triangle(i, k)] * inverse;
    HN_UNROLL
    for (int j = k + 1; j < i; j++) c[hn_triangle(i, j)] -= factor * c[hn_triangle(j, k)];
    p[i] -= factor * c[hn_triangle(i, k)];
    c[hn_triangle(i, k)] = factor;
  }
}

// b <- C^-1 b
HN_INLINE void hn_unit_solve(double *b, const double *c, int n) {
  HN_UNROLL
  for (int i = 1; i < n; i++) {
    HN_UNROLL
    for (int j = 0; j < i; j++) b[i] -= c[hn_triangle(i, j)] * b[j];
  }
}

// E = C^-1
HN_INLINE void hn_unit_invert(double *e, const double *c, int n) {
  HN_UNROLL
  for (int i = 1; i < n; i++) {
    HN_UNROLL
    for (int j = 0; j < i; j++) {
      double sum = c[hn_triangle(i, j)];
      HN_UNROLL
      for (int k = j + 1; k < i; k++) sum += c[hn_triangle(i, k)] * e[hn_triangle(k, j)];
      e[hn_triangle(i, j)] = -sum;
    }
  }
}

// b <- E b
HN_INLINE void hn_unit_times(double *b, const double *e, int n) {
  HN_UNROLL
  for (int i = n - 1; i > 0; i--) {
    HN_UNROLL
    for (int j = 0; j < i; j++) b[i] += e[hn_triangle(i, j)] * b[j];
  }
}

// b <- E^T b
HN_INLINE void hn_unit_transpose_times(double *b, const double *e, int n) {
  HN_UNROLL
  for (int i = 1; i < n; i++) {
    HN_UNROLL
    for (int j = 0; j < i; j++) b[j] += e[hn_triangle(i, j)] * b[i];
  }
}

#endif
