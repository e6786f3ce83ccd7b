// saddle_plane.h: code of its own for linkages in the plane, part of saddle.c. Their bodies are
// held by pins, and what is left when these are gone are chains of pairs of rows.
#ifndef HN_SADDLE_PLANE_H
#define HN_SADDLE_PLANE_H

#include "linalg/kernels.h"
#include "linalg/saddle_internal.h"

// what is left of a row's pivot below this part of its natural size is rounding noise. The natural
// size is what the row has on its free bodies; J W^-1 J^T of the J given here plus what was lost
static const double noise = 1e-13;

typedef struct run {
  const double *weight, *J, *D, *lost;
  double *block;
  double *none;   // zeros, read and written in place of scale by bodies
  double *scale;  // rows: the natural size, collected; when the row is done, how many times larger
                  // than the pivot that is
} run;

// A body in the plane that is held by pins alone, Y_i = [s 0 a; 0 s b]. Of L_i two
// pairs are kept: -(s / p0, s / p1) and -(a, b) / p2.
// Of linkages in the plane most bodies are such
static inline void eliminate_pins(const run *r, const int *rec) {
  const int *list = rec + HN_REC_HEADER, degree = rec[HN_REC_DEGREE];
  const int *near = list, *to = list + HN_NEAR_INTS * degree;
  const double *J = r->J, *weight = r->weight + rec[HN_REC_AT];
  double *block = r->block, *L = block + rec[HN_REC_FACTOR];
  hn_pair inverse = 1 / hn_pair_load(weight);
  double inverse0 = inverse[0], inverse1 = inverse[1], turn = 1 / weight[2];
  hn_pair_store(L, inverse);
  L[2] = turn;
  L += 3;
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS, L += 4) {
    const double *Y = J + near[HN_NEAR_SOURCE];
    double *scale = r->scale + ~near[HN_NEAR_AT], *K;
    double s = Y[0], a = -turn * Y[2], b = -turn * Y[5];
    double sx = -inverse0 * s, sy = -inverse1 * s;
    L[0] = sx, L[1] = sy, L[2] = a, L[3] = b;
    for (int j = 0; j < i; j++) {
      const double *Yj = J + list[j * HN_NEAR_INTS + HN_NEAR_SOURCE];
      double sj = Yj[0], aj = Yj[2], bj = Yj[5];
      double xx = sx * sj + a * aj, xy = a * bj, yx = b * aj, yy = sy * sj + b * bj;
      K = block + (to[j] < 0 ? ~to[j] : to[j]);
      if (to[j] >= 0) xx += K[0], xy += K[1], yx += K[2], yy += K[3];
      K[0] = xx, K[1] = xy, K[2] = yx, K[3] = yy;
    }
    double xx = a * Y[2] - inverse0, yx = b * Y[2], yy = b * Y[5] - inverse1;
    scale[0] -= xx, scale[1] -= yy;
    K = block + (to[i] < 0 ? ~to[i] : to[i]);
    if (to[i] >= 0) xx += K[0], yx += K[2], yy += K[3];
    K[0] = xx, K[2] = yx, K[3] = yy;
    to += i + 1;
  }
}

// what a pin adds to its own pivot block (lower half), and the forward half of a solution
HN_INLINE void put_own(double *block, int to, hn_pair own, double below) {
  double *K = block + (to < 0 ? ~to : to), first = own[0], last = own[1];
  if (to >= 0) first += K[0], below += K[2], last += K[3];
  K[0] = first, K[2] = below, K[3] = last;
}
HN_INLINE void hand_on(double *b, hn_pair along, hn_pair about, hn_pair z, double turned) {
  hn_pair_store(b, hn_pair_load(b) + (along * z + about * turned));
}

// The same for two pins, which most of them have, in one go: everything is read before anything is
// written. With l the forward half of a solution is made as well
HN_INLINE void eliminate_two_pins(const run *r, const int *rec, const double *x, double *l) {
  const int *near = rec + HN_REC_HEADER, *later = near + HN_NEAR_INTS, *to = later + HN_NEAR_INTS;
  const double *Y = r->J + near[HN_NEAR_SOURCE], *Z = r->J + later[HN_NEAR_SOURCE];
  const double *weight = r->weight + rec[HN_REC_AT];
  double *block = r->block, *L = block + rec[HN_REC_FACTOR];
  hn_pair a = {Y[2], Y[5]}, b = {Z[2], Z[5]}, inverse = 1 / hn_pair_load(weight);
  double s = Y[0], turn = 1 / weight[2];
  hn_pair along_a = -inverse * s, about_a = -turn * a;
  hn_pair along_b = -inverse * Z[0], about_b = -turn * b;
  hn_pair own_a = about_a * a - inverse, own_b = about_b * b - inverse;
  hn_pair upper = about_b[0] * a, lower = about_b[1] * a, straight = along_b * s;
  double xx = straight[0] + upper[0], xy = upper[1], yx = lower[0], yy = straight[1] + lower[1];
  double below_a = about_a[1] * a[0], below_b = about_b[1] * b[0];
  hn_pair_store(L, inverse);
  L[2] = turn;
  hn_pair_store(L + 3, along_a), hn_pair_store(L + 5, about_a);
  hn_pair_store(L + 7, along_b), hn_pair_store(L + 9, about_b);
  double *scale_a = r->scale + ~near[HN_NEAR_AT], *scale_b = r->scale + ~later[HN_NEAR_AT];
  hn_pair_store(scale_a, hn_pair_load(scale_a) - own_a);
  hn_pair_store(scale_b, hn_pair_load(scale_b) - own_b);
  put_own(block, to[0], own_a, below_a);
  double *K = block + (to[1] < 0 ? ~to[1] : to[1]);
  if (to[1] >= 0) xx += K[0], xy += K[1], yx += K[2], yy += K[3];
  K[0] = xx, K[1] = xy, K[2] = yx, K[3] = yy;
  put_own(block, to[2], own_b, below_b);
  if (!l) return;
  const double *z = x + rec[HN_REC_AT];
  hn_pair ahead = hn_pair_load(z);
  hand_on(l + ~near[HN_NEAR_AT], along_a, about_a, ahead, z[2]);
  hand_on(l + ~later[HN_NEAR_AT], along_b, about_b, ahead, z[2]);
}

// see eliminate_pins
HN_INLINE void forward_pins(const int *rec, const double *factor, const double *x, double *l,
                            int degree) {
  const int *near = rec + HN_REC_HEADER;
  const double *z = x + rec[HN_REC_AT], *L = factor + 3;
  hn_pair ahead = hn_pair_load(z);
  double turned = z[2];
  HN_UNROLL
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS, L += 4)
    hand_on(l + ~near[HN_NEAR_AT], hn_pair_load(L), hn_pair_load(L + 2), ahead, turned);
}

HN_INLINE void backward_pins(const int *rec, const double *factor, double *x, const double *l,
                             int degree) {
  const int *near = rec + HN_REC_HEADER;
  const double *L = factor + 3;
  double *y = x + rec[HN_REC_AT], turned = y[2] * factor[2];
  hn_pair ahead = hn_pair_load(y) * hn_pair_load(factor);
  HN_UNROLL
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS, L += 4) {
    hn_pair yi = hn_pair_load(l + ~near[HN_NEAR_AT]);
    ahead += hn_pair_load(L) * yi;
    turned += hn_pair_sum(hn_pair_load(L + 2) * yi);
  }
  hn_pair_store(y, ahead), y[2] = turned;
}

// Two rows that meet at most two later ones, P = [p0 c; c p1]: as any pivot in saddle.c, the same
// operations in the same order, but nothing passes through memory on the way. With l the forward
// half of a solution is made as well. false: a row has to be left out, and nothing was written
HN_INLINE int eliminate_chain(const run *r, const int *rec, double *l) {
  const int *near = rec + HN_REC_HEADER, row = ~rec[HN_REC_AT];
  double *block = r->block, *factor = block + rec[HN_REC_FACTOR], *scale = r->scale + row;
  const double *P = block + rec[HN_REC_PIVOT], *Y = block + near[HN_NEAR_SOURCE];
  double p0 = P[0], c = P[2], p1 = P[3];
  if (r->D) p0 -= r->D[row], p1 -= r->D[row + 1];
  double first = 1 / p0, det = p0 * p1 - c * c, second = p0 / det;
  if (!(-p0 > noise * scale[0]) || !(det > noise * scale[1] * -p0)) return 0;
  hn_pair inverse = {first, second};
  hn_pair_store(scale, hn_pair_load(scale) * -inverse);
  c *= first;
  hn_pair_store(factor, inverse), factor[2] = -c;
  double *b = l ? l + row : NULL, z0 = b ? b[0] : 0, z1 = b ? b[1] - c * z0 : 0;
  if (b) b[1] = z1;
  if (!rec[HN_REC_DEGREE]) return 1;
  // by columns, of both later rows at a time: x first, y second
  int to = near[HN_NEAR_INTS];
  double *K = block + (to < 0 ? ~to : to);
  hn_pair y0 = {Y[0], Y[2]}, y1 = (hn_pair){Y[1], Y[3]} - c * y0;
  hn_pair l0 = -first * y0, l1 = -second * y1;
  hn_pair left = l0 * y0[0] + l1 * y1[0];
  double last = l0[1] * y0[1] + l1[1] * y1[1], top = left[0], below = left[1];
  double *L = factor + 3;
  hn_pair_store(L, (hn_pair){l0[0], l1[0]}), hn_pair_store(L + 2, (hn_pair){l0[1], l1[1]});
  if (to >= 0) top += K[0], below += K[2], last += K[3];
  K[0] = top, K[2] = below, K[3] = last;
  if (!l) return 1;
  double *later = l + ~near[HN_NEAR_AT];
  hn_pair_store(later, hn_pair_load(later) + (l0 * z0 + l1 * z1));
  return 1;
}

HN_INLINE void forward_chain(const int *rec, const double *factor, double *l) {
  const int *near = rec + HN_REC_HEADER;
  const double *L = factor + 3;
  double *b = l + ~rec[HN_REC_AT], z0 = b[0], z1 = b[1] + factor[2] * z0;
  b[1] = z1;
  if (!rec[HN_REC_DEGREE]) return;
  double *later = l + ~near[HN_NEAR_AT];
  later[0] += L[0] * z0 + L[1] * z1;
  later[1] += L[2] * z0 + L[3] * z1;
}

HN_INLINE void backward_chain(const int *rec, const double *factor, double *l) {
  const int *near = rec + HN_REC_HEADER;
  const double *L = factor + 3;
  double *b = l + ~rec[HN_REC_AT];
  hn_pair y = hn_pair_load(b) * hn_pair_load(factor);
  if (rec[HN_REC_DEGREE]) {
    const double *later = l + ~near[HN_NEAR_AT];
    y += later[0] * hn_pair_load(L);
    y += later[1] * hn_pair_load(L + 2);
  }
  b[0] = y[0] + factor[2] * y[1], b[1] = y[1];
}

#endif
