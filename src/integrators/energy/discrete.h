// discrete.h: discrete derivatives of the functions natural coordinates are made of.
//
// A measure or row is a function g of one or two products pi(q), which are quadratic. Its discrete
// derivative between q0 and q1 is
//
//   Dg = sum_i d_i(pi0, pi1) grad pi_i(q_m),  q_m = (q0 + q1) / 2,   with   Dg . (q1 - q0) = g1 -
//   g0
//
// exactly, because grad pi(q_m) . (q1 - q0) = pi1 - pi0 for quadratic pi. Rotations leave products
// and so the direction of Dg alone: forces along it change no momentum. (O. Gonzalez, Time
// integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 (1996).)
#ifndef HN_DISCRETE_H
#define HN_DISCRETE_H

#include "system/coordinates/natural.h"

typedef struct hn_discrete {
  double change;       // g1 - g0
  double d[2];         // derivatives by the products
  double slope[2][2];  // slope[i][j]: derivative of d[i] by pi1[j]
  double g[2];         // derivatives of g at pi1
} hn_discrete;

// x and y hold the products at q0 and q1; the second is used by angles only
void hn_discrete_function(hn_function_type type, const double x[2], const double y[2],
                          hn_discrete *out);

#endif
