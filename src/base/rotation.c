// rotation.c: see rotation.h.
#include "base/rotation.h"

#include <math.h>

#include "base/elementary.h"
#include "base/vec.h"

void hn_rotation_of(double R[9], const double theta[3]) {
  double q[4] = {1, 0, 0, 0};
  q_turn(q, theta);
  q_matrix(R, q);
}

// by series where the closed form loses digits: the coefficient of h^(2 n) is 2 zeta(2 n + 2) /
// (2 pi)^(2 n + 2), which falls by 4 pi^2 from one to the next
void hn_log_coefficients(double h2, double *c, double *dc, double *ddc) {
  static const double term[] = {
      0.08333333333333333,   0.001388888888888889,  3.306878306878307e-05,  8.267195767195768e-07,
      2.08767569878681e-08,  5.284190138687493e-10, 1.3382536530684679e-11, 3.3896802963225827e-13,
      8.586062056277845e-15, 2.174868698558062e-16, 5.5090028283602295e-18, 1.3954464685812522e-19,
      3.534707039629467e-21, 8.953517427037546e-23, 2.267952452337683e-24,  5.744790668872202e-26,
      1.455172475614865e-27, 3.6859949406653103e-29};
  // of the first coefficient of c, h^0, to that of h^34: for h < 2 what follows is below the last
  // digit of c
  enum { TERMS = sizeof term / sizeof *term };
  // the closed form subtracts numbers near one: at h = 2 it loses about a digit, near 0 all of them
  if (h2 < 4) {
    *c = *dc = *ddc = 0;
    for (int n = TERMS - 1; n >= 0; n--) {
      // Horner's rule, from the last term on; differentiation by h brings 2 n down, and division by
      // h leaves powers of h^2 again
      *c = *c * h2 + term[n];
      if (n >= 1) *dc = *dc * h2 + 2 * n * term[n];
      if (n >= 2) *ddc = *ddc * h2 + 4 * n * (n - 1) * term[n];
    }
    return;
  }
  double h = sqrt(h2), s, c1, h4 = h2 * h2;
  // up to a full turn, where the sine of h/2 ends; callers stay below a half
  hn_sincos(h / 2, &s, &c1);
  double cot = c1 / s, p = 1 - 0.5 * h * cot, dp = 0.25 * h / (s * s) - 0.5 * cot;
  double ddp = (0.5 - 0.25 * h * cot) / (s * s);
  *c = p / h2;
  *dc = (dp * h - 2 * p) / h4;
  *ddc = (ddp * h2 - 5 * dp * h + 8 * p) / (h4 * h2);
}

void hn_log_matrix(const double theta[3], double c, double L[9]) {
  double S[9], SS[9];
  // L = 1 - [theta]/2 + c [theta]^2, as in rotation.h
  m3_skew(S, theta);
  m3_mul(SS, S, S);
  m3_identity(L);
  for (int i = 0; i < 9; i++) L[i] += -0.5 * S[i] + c * SS[i];
}

// -[g]/2 + c (theta g^T + (theta.g) 1 - 2 g theta^T) + (c'/h) (theta x (theta x g)) theta^T
void hn_log_gradient(const double theta[3], double c, double dc, const double g[3], double N[9]) {
  double z[3], dot = v3_dot(theta, g);
  m3_skew(N, g);
  v3_cross(z, theta, g);
  v3_cross(z, theta, z);
  // dc is c'/h already, so no division is needed at theta = 0
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      N[3 * i + j] = -0.5 * N[3 * i + j] +
                     c * (theta[i] * g[j] + (i == j) * dot - 2 * g[i] * theta[j]) +
                     dc * z[i] * theta[j];
}

// o = x + k x x + k x (k x x) / (1 + u.w), k = u x w
void hn_rotation_carry(double o[3], const double u[3], const double w[3], const double x[3]) {
  double k[3], kx[3], kkx[3], c = 1 + v3_dot(u, w);
  v3_cross(k, u, w);
  if (c < 1e-12) {
    // opposite: half a turn about some perpendicular
    v3_perpendicular(k, u);
    double along = 2 * v3_dot(k, x);
    for (int i = 0; i < 3; i++) o[i] = along * k[i] - x[i];
    return;
  }
  v3_cross(kx, k, x);
  v3_cross(kkx, k, kx);
  v3_add(o, x, kx);
  v3_addto(o, 1 / c, kkx);
}
