// frames_discrete.c: the force of a law between two frames over a step, see frames.h.
// O. Gonzalez, Time integration and discrete Hamiltonian systems (1996).
#include "base/elementary.h"
#include "forces/frames.h"

#include <string.h>

enum { VECTORS = 8 };  // of u

// every product p is sum_kl Q_kl u_k . u_l
typedef struct products {
  double Q[HN_PRODUCTS][VECTORS][VECTORS];
} products;

// symmetric, so that the gradient is 2 Q u and the value u^T Q u whatever the order of the factors
static void set_product(double Q[VECTORS][VECTORS], const double x[VECTORS],
                        const double y[VECTORS]) {
  // half of x y^T + y x^T
  for (int k = 0; k < VECTORS; k++)
    for (int l = 0; l < VECTORS; l++) Q[k][l] = 0.5 * (x[k] * y[l] + y[k] * x[l]);
}

// u is (centre, three axes) of a, then of b: points and axes of frames are linear in these
static void make_products(const hn_frames *f, products *p) {
  // d = P_b - P_a: minus the centre of a, plus that of b, and arms along the axes
  double A[3][VECTORS] = {{0}}, B[3][VECTORS] = {{0}}, d[VECTORS] = {-1, 0, 0, 0, 1, 0, 0, 0};
  for (int k = 0; k < 3; k++) {
    d[1 + k] = -f->sa[k], d[5 + k] = f->sb[k];
    for (int i = 0; i < 3; i++) A[i][1 + k] = f->Ma[3 * k + i], B[i][5 + k] = f->Mb[3 * k + i];
  }
  for (int i = 0; i < 3; i++) {
    // d_i = A_i . d and R_ij = A_i . B_j
    set_product(p->Q[i], A[i], d);
    for (int j = 0; j < 3; j++) set_product(p->Q[3 + 3 * i + j], A[i], B[j]);
  }
}

// gradients of all products at u, and their values
static void evaluate(const products *p, const double *u, double G[HN_PRODUCTS][24],
                     double z[HN_PRODUCTS]) {
  // per product a 24 x 24 form, of which only 8 x 8 numbers differ
  for (int i = 0; i < HN_PRODUCTS; i++) {
    z[i] = 0;
    for (int k = 0; k < VECTORS; k++)
      for (int r = 0; r < 3; r++) {
        double sum = 0;
        for (int l = 0; l < VECTORS; l++) sum += p->Q[i][k][l] * u[3 * l + r];
        G[i][3 * k + r] = 2 * sum;
        z[i] += sum * u[3 * k + r];
      }
  }
}

// ---- functions of the angle ----------------------------------------------------------------

// Near c = 1 by series of r = 1 - c: the coefficients a_n of k are n / (2 n + 1) times the one
// before, and m = sum a_n / (4 n + 6) r^n / (2 - r)
static void factors_near(double rest, double k[4], double m[4]) {
  double a = 1, power[4] = {1, 0, 0, 0}, P[4] = {0};  // r^n and its derivatives by r
  memset(k, 0, 4 * sizeof *k);
  for (int n = 0; n < 34; n++) {
    for (int i = 0; i < 4; i++) k[i] += a * power[i], P[i] += a / (4 * n + 6) * power[i];
    // Leibniz: (r r^(n))^(i) = r r^(n,i) + i r^(n,i-1), from the highest derivative down
    for (int i = 3; i > 0; i--) power[i] = rest * power[i] + i * power[i - 1];
    power[0] *= rest;
    a *= (n + 1) / (2.0 * n + 3);
  }
  double q = 1 / (2 - rest);
  // Q = 1 / (2 - r) and its derivatives; m = P Q
  const double Q[4] = {q, q * q, 2 * q * q * q, 6 * q * q * q * q};
  m[0] = P[0] * Q[0];
  m[1] = P[1] * Q[0] + P[0] * Q[1];
  m[2] = P[2] * Q[0] + 2 * P[1] * Q[1] + P[0] * Q[2];
  m[3] = P[3] * Q[0] + 3 * P[2] * Q[1] + 3 * P[1] * Q[2] + P[0] * Q[3];
  // by c = 1 - r: odd derivatives change their sign
  for (int i = 1; i < 4; i += 2) k[i] = -k[i], m[i] = -m[i];
}

// elsewhere by (1 - c^2) k' = c k - 1 and (1 - c^2) m = 1 - k (1 + c) / 2, differentiated
void hn_turn_factors(double c, double k[4], double m[4]) {
  if (1 - c < 0.4) {
    factors_near(1 - c, k, m);
    return;
  }
  // at half a turn k has a pole: frames of a beam never get there
  c = fmax(c, -1 + 1e-9);
  double w = 1 - c * c, plus = 0.5 * (1 + c);
  k[0] = hn_acos(c) / sqrt(w);
  k[1] = (c * k[0] - 1) / w;
  k[2] = (k[0] + 3 * c * k[1]) / w;
  k[3] = (4 * k[1] + 5 * c * k[2]) / w;
  m[0] = (1 - k[0] * plus) / w;
  m[1] = (2 * c * m[0] - 0.5 * k[0] - k[1] * plus) / w;
  m[2] = (4 * c * m[1] + 2 * m[0] - k[1] - k[2] * plus) / w;
  m[3] = (6 * c * m[2] + 6 * m[1] - 1.5 * k[2] - k[3] * plus) / w;
}

// quotients of functions that are almost the same lose digits: below 1e-4 by Taylor's formula about
// the middle, whose next term is of order step^4
void hn_turn_quotients(double c0, double c1, hn_quotient *k, hn_quotient *m) {
  double k0[4], k1[4], m0[4], m1[4], step = c1 - c0;
  hn_quotient *const out[2] = {k, m};
  if (fabs(step) < 1e-4) {
    hn_turn_factors(0.5 * (c0 + c1), k0, m0);
    const double *const f[2] = {k0, m0};
    for (int i = 0; i < 2; i++) {
      out[i]->value = f[i][1] + f[i][3] * step * step / 24;
      out[i]->slope = 0.5 * f[i][2] + f[i][3] * step / 12;
    }
    return;
  }
  hn_turn_factors(c0, k0, m0);
  hn_turn_factors(c1, k1, m1);
  const double *const from[2] = {k0, m0}, *const to[2] = {k1, m1};
  for (int i = 0; i < 2; i++) {
    // by c1: (f1' - quotient) / (c1 - c0)
    out[i]->value = (to[i][0] - from[i][0]) / step;
    out[i]->slope = (to[i][1] - out[i]->value) / step;
  }
}

// ---- reduced products ----------------------------------------------------------------------

// rows of (d, s, c) over the products; c is 1/2 below its row
static void rows(double L[HN_REDUCED][HN_PRODUCTS]) {
  memset(L, 0, HN_REDUCED * HN_PRODUCTS * sizeof(double));
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    L[i][i] = 1;
    // the axial part of R is (R_kj - R_jk) / 2
    L[3 + i][3 + 3 * k + j] = 0.5;
    L[3 + i][3 + 3 * j + k] = -0.5;
    L[6][3 + 3 * i + i] = 0.5;
  }
}

void hn_frames_reduce(const double z[HN_PRODUCTS], double r[HN_REDUCED]) {
  double L[HN_REDUCED][HN_PRODUCTS];
  rows(L);
  for (int i = 0; i < HN_REDUCED; i++) {
    r[i] = i == 6 ? -0.5 : 0;
    for (int p = 0; p < HN_PRODUCTS; p++) r[i] += L[i][p] * z[p];
  }
}

// out += L^T M L
static void expand_matrix(double L[HN_REDUCED][HN_PRODUCTS], double M[HN_REDUCED][HN_REDUCED],
                          double out[HN_PRODUCTS][HN_PRODUCTS]) {
  for (int i = 0; i < HN_REDUCED; i++)
    for (int p = 0; p < HN_PRODUCTS; p++) {
      // most of L is zero
      if (L[i][p] == 0) continue;
      for (int j = 0; j < HN_REDUCED; j++)
        for (int q = 0; q < HN_PRODUCTS; q++) out[p][q] += L[i][p] * M[i][j] * L[j][q];
    }
}

void hn_frames_expand(hn_frames_law *law, const double w[HN_REDUCED],
                      double dw[HN_REDUCED][HN_REDUCED], double rate[HN_REDUCED][HN_REDUCED]) {
  double L[HN_REDUCED][HN_PRODUCTS];
  rows(L);
  for (int i = 0; i < HN_REDUCED; i++)
    for (int p = 0; p < HN_PRODUCTS; p++) law->weight[p] += L[i][p] * w[i];
  expand_matrix(L, dw, law->S);
  if (rate) expand_matrix(L, rate, law->T);
}

// ---- the step ------------------------------------------------------------------------------

// f = -sum of weight_i D_i with the gradients D = 2 Q u at the midpoint. Its derivative by the end
// of the step has two parts: the weights change with the products there (S, by G1), and the
// gradients with the midpoint, which moves by half of what the end does: Q
void hn_frames_between(const hn_frames *f, hn_between *step,
                       double (*fill)(const void *data, hn_between *step, hn_frames_law *law),
                       const void *data) {
  products p;
  hn_frames_law law;
  double unused[HN_PRODUCTS], Gm[HN_PRODUCTS][24], G1[HN_PRODUCTS][24], middle[24];
  memset(&law, 0, sizeof law);
  make_products(f, &p);
  for (int i = 0; i < 24; i++) middle[i] = 0.5 * (step->start[i] + step->end[i]);
  // Gm is overwritten: of the start only the values are wanted
  evaluate(&p, step->start, Gm, law.z0);
  evaluate(&p, middle, Gm, unused);
  evaluate(&p, step->end, G1, law.z1);
  step->work = fill(data, step, &law);
  memset(step->f, 0, sizeof step->f);
  memset(step->K, 0, sizeof step->K);
  memset(step->rate, 0, sizeof step->rate);
  for (int i = 0; i < HN_PRODUCTS; i++) {
    double row[24] = {0}, rate[24] = {0};
    for (int j = 0; j < HN_PRODUCTS; j++)
      for (int r = 0; r < 24; r++) {
        row[r] += law.S[i][j] * G1[j][r];
        rate[r] += law.T[i][j] * G1[j][r];
      }
    for (int r = 0; r < 24; r++) {
      step->f[r] -= law.weight[i] * Gm[i][r];
      for (int c = 0; c < 24; c++) {
        // by the weights
        step->K[24 * r + c] -= Gm[i][r] * row[c];
        step->rate[24 * r + c] -= Gm[i][r] * rate[c];
      }
    }
    for (int k = 0; k < VECTORS; k++)
      for (int l = 0; l < VECTORS; l++)
        for (int r = 0; r < 3; r++)
          // and by the midpoint, half of 2 Q
          step->K[24 * (3 * k + r) + 3 * l + r] -= law.weight[i] * p.Q[i][k][l];
  }
}
