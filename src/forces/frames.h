// frames.h: two frames, one on each of two bodies, and how they stand to each other. Bushings and
// beams are laws over this.
//
// In the axes A of the frame on a, B being those of the frame on b:
//
//   d     = A^T (P_b - P_a)          displacement
//   theta = log(A^T B)               rotation vector, below a half turn
//   y     = (d', A^T (w_b - w_a))    relative velocity, y = E v
//   theta' = L (w_b - w_a),   L = 1 - [theta]/2 + c [theta]^2,
//   c = (1 - (h/2) cot(h/2)) / h^2,  h = |theta|
//
// L is the inverse of the left Jacobian of the exponential map. A wrench w on b at P_b, in axes A,
// is the generalized force E^T w.
#ifndef HN_FRAMES_H
#define HN_FRAMES_H

#include "base/rotation.h"
#include "system/build.h"

typedef struct hn_frames {
  int a, b;
  double sa[3], sb[3];  // the points, inner frames
  double Ma[9], Mb[9];  // the frames' axes, inner frames
} hn_frames;

typedef struct hn_frames_state {
  double d[3], theta[3], y[6];
  double A[9], l[3];  // axes; P_b from the centre of mass of a, in inner axes of a
  double L[9];        // theta' = L y[3..5]
  double c, dc, ddc;  // c; its derivative by h, over h; the same of that
} hn_frames_state;

// d, y, A and l only, for what does not turn
void hn_frames_place(const hn_frames *f, const hn_work *work, hn_frames_state *o);
void hn_frames_evaluate(const hn_frames *f, const hn_work *work, hn_frames_state *o);
// N = d(L^T g)/dtheta with g held
void hn_log_change(const hn_frames_state *s, const double g[3], double N[9]);

// adds the generalized force of the wrench
void hn_frames_apply(const hn_frames *f, const hn_system *sys, hn_work *work,
                     const hn_frames_state *s, const double w[6]);
// E: 6 rows over the twists of a and b
void hn_frames_map(const hn_frames *f, const hn_work *work, const hn_frames_state *s, double E[72]);
// K += (dE/dq)^T w: directions and lever arms change, the wrench is held in axes A
void hn_frames_geometric(const hn_frames *f, const hn_work *work, const hn_frames_state *s,
                         const double w[6], double K[144]);
// Y = dy/dq with the velocity coordinates held (6 x 12)
void hn_frames_velocity_change(const hn_frames *f, const hn_system *sys, const hn_work *work,
                               const hn_frames_state *s, double Y[72]);
// out (12 x 12) -= E^T M Z
void hn_frames_sandwich(double out[144], const double E[72], const double M[36],
                        const double Z[72]);
// y = M x, 6 x 6
void hn_mul6(double y[6], const double M[36], const double x[6]);
void hn_tmul6(double y[6], const double M[36], const double x[6]);

// ---- over a step: frames_discrete.c ---------------------------------------------------------
//
// d_i = A_i . (P_b - P_a) and R_ij = A_i . B_j are products of vectors that are linear in the
// bodies' frames u (hn_between). Their differences over a step are D . (u1 - u0) exactly, D being
// the gradient at the midpoint. A law gives weights of these products, so that the force is
// -weight . D; because D only knows products, it changes no momentum.

// d (3), R (9, row by row); d, s = axial part of R, c = (tr R - 1) / 2
enum { HN_PRODUCTS = 12, HN_REDUCED = 7 };

typedef struct hn_frames_law {
  double z0[HN_PRODUCTS], z1[HN_PRODUCTS];  // at both ends of the step
  double weight[HN_PRODUCTS];
  double S[HN_PRODUCTS][HN_PRODUCTS];  // derivative of the weights by z1
  double T[HN_PRODUCTS][HN_PRODUCTS];  // by h times the rate of z that dampers act on
} hn_frames_law;

// k(c) = h / sin h and m(c) = (1 - (h/2) cot(h/2)) / sin^2 h with three derivatives by c = cos h:
//   theta = k s,   L d = d - k/2 s x d + m s x (s x d)
void hn_turn_factors(double c, double k[4], double m[4]);
// (f1 - f0) / (c1 - c0) of f = k and m, and its derivative by c1
typedef struct hn_quotient {
  double value, slope;
} hn_quotient;
void hn_turn_quotients(double c0, double c1, hn_quotient *k, hn_quotient *m);
// reduced from products
void hn_frames_reduce(const double z[HN_PRODUCTS], double r[HN_REDUCED]);
// adds what a law says of the reduced ones: weights and derivatives by r1; `rate` may be NULL
void hn_frames_expand(hn_frames_law *law, const double w[HN_REDUCED],
                      double dw[HN_REDUCED][HN_REDUCED], double rate[HN_REDUCED][HN_REDUCED]);
// fills f, K and rate of a step, and its work: what `fill` returns
void hn_frames_between(const hn_frames *f, hn_between *step,
                       double (*fill)(const void *data, hn_between *step, hn_frames_law *law),
                       const void *data);

#endif
