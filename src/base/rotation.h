// rotation.h: rotation vectors, theta = log(R), below a half turn.
//
//   theta' = L w,  L = 1 - [theta]/2 + c [theta]^2,  c = (1 - (h/2) cot(h/2)) / h^2,  h = |theta|
//
// for R' = [w] R: L is the inverse of the left Jacobian of the exponential map.
#ifndef HN_ROTATION_H
#define HN_ROTATION_H

// exp of a rotation vector
void hn_rotation_of(double R[9], const double theta[3]);
// c of h^2; its derivative by h, over h; the same of that
void hn_log_coefficients(double h2, double *c, double *dc, double *ddc);
// L(theta)
void hn_log_matrix(const double theta[3], double c, double L[9]);
// N = d(L^T g)/dtheta with g held; d(L g)/dtheta is N + [g]
void hn_log_gradient(const double theta[3], double c, double dc, const double g[3], double N[9]);
// o = x turned by the shortest rotation that takes the unit vector u to w
void hn_rotation_carry(double o[3], const double u[3], const double w[3], const double x[3]);

#endif
