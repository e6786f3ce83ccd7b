// vec.h: 3-vectors, 3x3 matrices (row by row) and unit quaternions (scalar first), all inline.
// destination first, like memcpy; destinations may alias sources unless said otherwise.
#ifndef HN_VEC_H
#define HN_VEC_H

#include <math.h>
#include <stddef.h>

#include "base/elementary.h"

// ---- vectors ----
static inline void v3_set(double o[3], double x, double y, double z) {
  o[0] = x, o[1] = y, o[2] = z;
}
static inline void v3_copy(double o[3], const double a[3]) {
  o[0] = a[0], o[1] = a[1], o[2] = a[2];
}
static inline void v3_add(double o[3], const double a[3], const double b[3]) {
  o[0] = a[0] + b[0], o[1] = a[1] + b[1], o[2] = a[2] + b[2];
}
static inline void v3_sub(double o[3], const double a[3], const double b[3]) {
  o[0] = a[0] - b[0], o[1] = a[1] - b[1], o[2] = a[2] - b[2];
}
static inline void v3_scale(double o[3], double s, const double a[3]) {
  o[0] = s * a[0], o[1] = s * a[1], o[2] = s * a[2];
}
// o += s a
static inline void v3_addto(double o[3], double s, const double a[3]) {
  o[0] += s * a[0], o[1] += s * a[1], o[2] += s * a[2];
}
static inline double v3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double v3_norm(const double a[3]) {
  return sqrt(v3_dot(a, a));
}
static inline void v3_cross(double o[3], const double a[3], const double b[3]) {
  // by way of locals: o may be a or b
  double x = a[1] * b[2] - a[2] * b[1];
  double y = a[2] * b[0] - a[0] * b[2];
  double z = a[0] * b[1] - a[1] * b[0];
  o[0] = x, o[1] = y, o[2] = z;
}
// o = w x (w x r): the centripetal acceleration of a point at r
static inline void v3_centripetal(double o[3], const double w[3], const double r[3]) {
  double wr = v3_dot(w, r), ww = v3_dot(w, w);
  o[0] = w[0] * wr - r[0] * ww;
  o[1] = w[1] * wr - r[1] * ww;
  o[2] = w[2] * wr - r[2] * ww;
}
// any unit vector perpendicular to the unit vector a
static inline void v3_perpendicular(double o[3], const double a[3]) {
  double ax = fabs(a[0]), ay = fabs(a[1]), az = fabs(a[2]);
  double e[3] = {0, 0, 0};
  // along the axis that a is least along, so that the product is not small: at least sqrt(2/3) long
  if (ax <= ay && ax <= az)
    e[0] = 1;
  else if (ay <= az)
    e[1] = 1;
  else
    e[2] = 1;
  v3_cross(o, a, e);
  v3_scale(o, 1 / v3_norm(o), o);
}

// the greater one, and what is no number is passed over: fmax() for sums up that begin with a
// number, without a call
static inline double hn_greater(double most, double x) {
  // false for an x that is no number
  return x > most ? x : most;
}
// the greater one, and what is no number is greater than all and stays: of what has to be small
static inline double hn_worse(double most, double x) {
  return x <= most || isnan(most) ? most : x;
}
// largest absolute value; NaN where there is one, so that no comparison takes it for small
static inline double hn_largest(const double *x, size_t count) {
  // of no numbers it is 0
  double most = 0, sum = 0;
  // which is the largest follows no pattern: no branches
  for (size_t i = 0; i < count; i++) {
    double size = fabs(x[i]);
    most = hn_greater(most, size);
    sum += size;
  }
  return isnan(sum) ? sum : most;
}

// ---- matrices, element (i, j) at 3 i + j ----
static inline void m3_identity(double o[9]) {
  for (int i = 0; i < 9; i++) o[i] = i % 4 == 0;
}
// o = A x; o must not alias x
static inline void m3_mulv(double o[3], const double A[9], const double x[3]) {
  o[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  o[1] = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  o[2] = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}
// o = A^T x; o must not alias x
static inline void m3_tmulv(double o[3], const double A[9], const double x[3]) {
  o[0] = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
  o[1] = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
  o[2] = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
}
// o = A B; o must not alias
static inline void m3_mul(double o[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      o[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
// o = A^T B; o must not alias
static inline void m3_tmul(double o[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      o[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}
// o = A B^T; o must not alias
static inline void m3_mult(double o[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      o[3 * i + j] =
          A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}
// o must not alias A
static inline void m3_transpose(double o[9], const double A[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) o[3 * i + j] = A[3 * j + i];
}
// skew matrix: (m3_skew(a)) x = a x x
static inline void m3_skew(double o[9], const double a[3]) {
  o[0] = 0, o[1] = -a[2], o[2] = a[1];
  o[3] = a[2], o[4] = 0, o[5] = -a[0];
  o[6] = -a[1], o[7] = a[0], o[8] = 0;
}

// ---- quaternions (w, x, y, z), of body axes in the frame around ----
// to length one; zero becomes the identity, since a key left out or a form not yet filled is no
// rotation
static inline void q_normalise(double q[4]) {
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (n > 0)
    for (int i = 0; i < 4; i++) q[i] /= n;
  else
    q[0] = 1;
}
// o = a * b (Hamilton); o must not alias
static inline void q_mul(double o[4], const double a[4], const double b[4]) {
  o[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  o[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  o[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  o[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}
// rotation matrix; divides by |q|^2, so a quaternion slightly off the unit sphere (a stage of a
// Runge-Kutta step) still gives an exact rotation
static inline void q_matrix(double R[9], const double q[4]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  // q = 0 divides by zero: NaN everywhere
  double s = 2 / (w * w + x * x + y * y + z * z);
  double xx = s * x * x, yy = s * y * y, zz = s * z * z;
  double xy = s * x * y, xz = s * x * z, yz = s * y * z;
  double wx = s * w * x, wy = s * w * y, wz = s * w * z;
  R[0] = 1 - yy - zz, R[1] = xy - wz, R[2] = xz + wy;
  R[3] = xy + wz, R[4] = 1 - xx - zz, R[5] = yz - wx;
  R[6] = xz - wy, R[7] = yz + wx, R[8] = 1 - xx - yy;
}
// quaternion of a rotation matrix, largest component first for accuracy
static inline void q_from_matrix(double q[4], const double R[9]) {
  double t = R[0] + R[4] + R[8];  // 4 w^2 - 1 of a unit quaternion
  // differences of elements have 4 w as a factor, sums the other products; dividing by a small one
  // would lose digits, so each case begins with one that is at least 1
  if (t > 0) {
    q[0] = 1 + t, q[1] = R[7] - R[5], q[2] = R[2] - R[6], q[3] = R[3] - R[1];
  } else if (R[0] >= R[4] && R[0] >= R[8]) {
    q[0] = R[7] - R[5], q[1] = 1 + R[0] - R[4] - R[8], q[2] = R[1] + R[3], q[3] = R[2] + R[6];
  } else if (R[4] >= R[8]) {
    q[0] = R[2] - R[6], q[1] = R[1] + R[3], q[2] = 1 - R[0] + R[4] - R[8], q[3] = R[5] + R[7];
  } else {
    q[0] = R[3] - R[1], q[1] = R[2] + R[6], q[2] = R[5] + R[7], q[3] = 1 - R[0] - R[4] + R[8];
  }
  q_normalise(q);
}
// the rotation vector of a rotation matrix, at most a half turn; by the quaternion, which is
// accurate everywhere
static inline void m3_rotation_vector(double o[3], const double R[9]) {
  double q[4];
  q_from_matrix(q, R);
  // q and -q are the same rotation: the one with w >= 0 turns by half a turn at most
  double s = v3_norm(q + 1), side = q[0] < 0 ? -1 : 1;
  double k = s > 1e-12 ? 2 * hn_atan2(s, side * q[0]) / s : 2;  // the limit of angle / sine
  v3_scale(o, side * k, q + 1);
}
// o = q_dot when the body turns with angular velocity w (body axes)
static inline void q_rate(double o[4], const double q[4], const double w[3]) {
  o[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  o[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  o[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
  o[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}
// q <- q * exp(d / 2): the body turns by the rotation vector d, given in body axes
static inline void q_turn(double q[4], const double d[3]) {
  double a2 = 0.25 * v3_dot(d, d), a = sqrt(a2);
  double s, c, o[4];
  hn_sincos(a, &s, &c);
  // sin(a)/a by series for small angles keeps full precision
  s = a > 1e-4 ? s / a : 1 - a2 / 6 * (1 - a2 / 20);
  double e[4] = {c, 0.5 * s * d[0], 0.5 * s * d[1], 0.5 * s * d[2]};
  q_mul(o, q, e);
  for (int i = 0; i < 4; i++) q[i] = o[i];
  q_normalise(q);
}

#endif
