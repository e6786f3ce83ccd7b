// beam_section.c: the stiffness of a beam element from that of its section.
//
// Along an element without load the section's wrench s = (n, m), in axes that go with the beam,
// changes as
//
//   n' = -k x n,   m' = -k x m - t x n      s' = ad^T s,   e = (t, k) = x0 / length
//
// that is, from its value at the middle, s(r) = exp(r ad^T) s(0). The energy of all sections,
// with the compliance C of each, is that of the mean compliance
//
//   C_m = 1/length int exp(r ad^T)^T C exp(r ad^T) dr
//
// For a straight element this adds length^2 / (12 EI) to the shear compliance 1 / GA: bending by
// moments that grow along the element. So straight elements, and curved ones in their plane or out
// of it, bend under loads at their nodes as the beam itself does as long as deflections are small,
// however few there are. Constant wrenches (a roll-up) are exact for any deflection.
//
// Forces g along x are those of the middle, g = Z^T s, because frames there see changes of x as
// Z dx with Z = sinh(ad/2) / (ad/2), ad = ad(x). Hence K = Z^T (length C_m)^-1 Z.
#include "forces/beam.h"

#include "linalg/dense.h"

#include <string.h>

// ad(x): y -> (theta x y_u + u x y_t, theta x y_t)
static void adjoint(double ad[36], const double x[6]) {
  double U[9], T[9];
  m3_skew(U, x);
  m3_skew(T, x + 3);
  memset(ad, 0, 36 * sizeof *ad);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      ad[6 * i + j] = ad[6 * (3 + i) + 3 + j] = T[3 * i + j];
      ad[6 * i + 3 + j] = U[3 * i + j];
    }
}

static void mul66(double o[36], const double A[36], const double B[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      o[6 * i + j] = 0;
      for (int k = 0; k < 6; k++) o[6 * i + j] += A[6 * i + k] * B[6 * k + j];
    }
}

static void transpose6(double o[36], const double A[36]) {
  for (int i = 0; i < 36; i++) o[i] = A[6 * (i % 6) + i / 6];
}

static void identity6(double o[36]) {
  for (int i = 0; i < 36; i++) o[i] = i % 7 == 0;
}

// o = X^T A X
static void congruence(double o[36], const double X[36], const double A[36]) {
  double T[36], B[36];
  transpose6(T, X);
  mul66(B, A, X);
  mul66(o, T, B);
}

// exp(r A), |r A| of the order of one
static void exponential(double o[36], double r, const double A[36]) {
  double term[36], next[36];
  identity6(o), identity6(term);
  for (int n = 1; n < 24; n++) {
    mul66(next, term, A);
    for (int i = 0; i < 36; i++) term[i] = next[i] * r / n, o[i] += term[i];
  }
}

// sinh(ad/2) / (ad/2)
static void middle_map(double Z[36], const double x[6]) {
  double ad[36], square[36], term[36], next[36];
  adjoint(ad, x);
  mul66(square, ad, ad);
  identity6(Z), identity6(term);
  for (int n = 1; n < 12; n++) {
    mul66(next, term, square);
    for (int i = 0; i < 36; i++) {
      term[i] = next[i] / (4.0 * (2 * n) * (2 * n + 1));
      Z[i] += term[i];
    }
  }
}

static bool invert(double o[36], const double A[36]) {
  double L[36];
  memcpy(L, A, sizeof L);
  if (!hn_dense_cholesky(6, L)) return false;
  identity6(o);
  for (int i = 0; i < 6; i++) hn_dense_cholesky_solve(6, L, o + 6 * i);
  return true;
}

// Five points of Gauss are exact for polynomials of degree 9 along the element, far beyond what an
// element that bends by less than a radian has
bool hn_beam_stiffness(const double section[36], const double x0[6], double K[36]) {
  // Gauss points and weights over -1/2 ... 1/2, times the length
  static const double at[5] = {-0.45308992296933200, -0.26923465505284155, 0, 0.26923465505284155,
                               0.45308992296933200};
  static const double weight[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                   0.23931433524968324, 0.11846344252809454};
  double C[36], ad[36], T[36], X[36], part[36], mean[36] = {0}, inverse[36], Z[36];
  double length = v3_norm(x0);
  if (!invert(C, section)) return false;
  adjoint(ad, x0);
  transpose6(T, ad);
  for (int k = 0; k < 5; k++) {
    exponential(X, at[k], T);
    congruence(part, X, C);
    for (int i = 0; i < 36; i++) mean[i] += weight[k] * length * part[i];
  }
  if (!invert(inverse, mean)) return false;
  middle_map(Z, x0);
  congruence(K, Z, inverse);
  return true;
}

void hn_beam_middle(const double x[6], const double g[6], double wrench[6]) {
  double Z[36], T[36];
  int swap[6];
  middle_map(Z, x);
  transpose6(T, Z);
  for (int i = 0; i < 6; i++) wrench[i] = g[i];
  if (hn_dense_lu(6, T, swap)) hn_dense_lu_solve(6, T, swap, wrench);
}

void hn_beam_strain(const double section[36], const double wrench[6], double strain[6]) {
  double L[36];
  memcpy(L, section, sizeof L);
  memcpy(strain, wrench, 6 * sizeof *strain);
  if (hn_dense_cholesky(6, L)) hn_dense_cholesky_solve(6, L, strain);
}
