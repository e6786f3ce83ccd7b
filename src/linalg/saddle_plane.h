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

// see eliminate_pins
HN_INLINE void forward_pins(const int *rec, const double *factor, const double *x, double *l) {
  const int *near = rec + HN_REC_HEADER, degree = rec[HN_REC_DEGREE];
  const double *z = x + rec[HN_REC_AT], *L = factor + 3;
  double x0 = z[0], x1 = z[1], x2 = z[2];
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS, L += 4) {
    double *b = l + ~near[HN_NEAR_AT];
    b[0] += L[0] * x0 + L[2] * x2;
    b[1] += L[1] * x1 + L[3] * x2;
  }
}

HN_INLINE void backward_pins(const int *rec, const double *factor, double *x, const double *l) {
  const int *near = rec + HN_REC_HEADER, degree = rec[HN_REC_DEGREE];
  const double *L = factor + 3;
  double *y = x + rec[HN_REC_AT];
  double y0 = y[0] * factor[0], y1 = y[1] * factor[1], y2 = y[2] * factor[2];
  for (int i = 0; i < degree; i++, near += HN_NEAR_INTS, L += 4) {
    const double *yi = l + ~near[HN_NEAR_AT];
    y0 += L[0] * yi[0];
    y1 += L[1] * yi[1];
    y2 += L[2] * yi[0] + L[3] * yi[1];
  }
  y[0] = y0, y[1] = y1, y[2] = y2;
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
  scale[0] *= -first, scale[1] *= -second;
  c *= first;
  factor[0] = first, factor[1] = second, factor[2] = -c;
  double *b = l ? l + row : NULL, z0 = b ? b[0] : 0, z1 = b ? b[1] - c * z0 : 0;
  if (b) b[1] = z1;
  if (!rec[HN_REC_DEGREE]) return 1;
  int to = near[HN_NEAR_INTS];
  double *L = factor + 3, *K = block + (to < 0 ? ~to : to);
  double x0 = Y[0], x1 = Y[1] - c * x0, y0 = Y[2], y1 = Y[3] - c * y0;
  double lx0 = -first * x0, lx1 = -second * x1, ly0 = -first * y0, ly1 = -second * y1;
  double xx = lx0 * x0 + lx1 * x1, yx = ly0 * x0 + ly1 * x1, yy = ly0 * y0 + ly1 * y1;
  L[0] = lx0, L[1] = lx1, L[2] = ly0, L[3] = ly1;
  if (to >= 0) xx += K[0], yx += K[2], yy += K[3];
  K[0] = xx, K[2] = yx, K[3] = yy;
  if (!l) return 1;
  double *later = l + ~near[HN_NEAR_AT];
  later[0] += lx0 * z0 + lx1 * z1;
  later[1] += ly0 * z0 + ly1 * z1;
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
  double *b = l + ~rec[HN_REC_AT], y0 = b[0] * factor[0], y1 = b[1] * factor[1];
  if (rec[HN_REC_DEGREE]) {
    const double *later = l + ~near[HN_NEAR_AT];
    y0 += later[0] * L[0], y1 += later[0] * L[1];
    y0 += later[1] * L[2], y1 += later[1] * L[3];
  }
  b[0] = y0 + factor[2] * y1, b[1] = y1;
}

#endif
