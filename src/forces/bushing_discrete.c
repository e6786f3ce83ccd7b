// bushing_discrete.c: the force of a bushing over a step, so that its energy is exact.
//
// With the axes A_i of the frame on a and B_j of that on b, d_i = A_i . (P_b - P_a) and
// R_ij = A_i . B_j are products of vectors that are linear in the bodies' frames u. Their
// differences over a step are D . (u1 - u0) exactly, D being the gradient at the midpoint. The
// rotation vector is
//
//   theta = k(c) s,   s = axial part of R,   c = (tr R - 1) / 2,   k = acos(c) / sqrt(1 - c^2)
//
// and its difference  k_m (s1 - s0) + s_m (k1 - k0)  with the means k_m, s_m. So with x = (d,
// theta) and g = K (x0 + x1) / 2 - p the force -g . Dx does the work V(x0) - V(x1), whatever the
// step; and because D only knows products, it changes no momentum. The damper acts along
//
//   y h = (d1 - d0, axial part of (R1 - R0) R_m^T)
//
// the same way, and takes h y^T C y. O. Gonzalez, Time integration and discrete Hamiltonian
// systems (1996).
#include "forces/bushing.h"

#include <string.h>

enum { FRAMES = 8, PRODUCTS = 12, REDUCED = 7 };  // vectors u; d and R; d, s and c

// every product p is sum_kl Q_kl u_k . u_l
typedef struct products {
  double Q[PRODUCTS][FRAMES][FRAMES];
} products;

void hn_bushing_pair(const void *data, int body[2]) {
  const hn_bushing *e = data;
  body[0] = e->a, body[1] = e->b;
}

static void set_product(double Q[FRAMES][FRAMES], const double x[FRAMES], const double y[FRAMES]) {
  for (int k = 0; k < FRAMES; k++)
    for (int l = 0; l < FRAMES; l++) Q[k][l] = 0.5 * (x[k] * y[l] + y[k] * x[l]);
}

static void make_products(const hn_bushing *e, products *p) {
  double A[3][FRAMES] = {{0}}, B[3][FRAMES] = {{0}}, d[FRAMES] = {-1, 0, 0, 0, 1, 0, 0, 0};
  for (int k = 0; k < 3; k++) {
    d[1 + k] = -e->sa[k], d[5 + k] = e->sb[k];
    for (int i = 0; i < 3; i++) A[i][1 + k] = e->Ma[3 * k + i], B[i][5 + k] = e->Mb[3 * k + i];
  }
  for (int i = 0; i < 3; i++) {
    set_product(p->Q[i], A[i], d);
    for (int j = 0; j < 3; j++) set_product(p->Q[3 + 3 * i + j], A[i], B[j]);
  }
}

// gradients of all products at u, and their values
static void evaluate(const products *p, const double *u, double G[PRODUCTS][24],
                     double z[PRODUCTS]) {
  for (int i = 0; i < PRODUCTS; i++) {
    z[i] = 0;
    for (int k = 0; k < FRAMES; k++)
      for (int r = 0; r < 3; r++) {
        double sum = 0;
        for (int l = 0; l < FRAMES; l++) sum += p->Q[i][k][l] * u[3 * l + r];
        G[i][3 * k + r] = 2 * sum;
        z[i] += sum * u[3 * k + r];
      }
  }
}

// ---- the rotation vector -------------------------------------------------------------------

// k(c) and its first three derivatives; (1 - c^2) k' = c k - 1, and near c = 1 the series of
// 1 - c, whose coefficients are n / (2 n + 1) times the one before
static void factor_of(double c, double k[4]) {
  double rest = 1 - c;
  if (rest < 0.2) {
    double a = 1, power[4] = {1, 0, 0, 0};  // rest^n and its derivatives by rest
    memset(k, 0, 4 * sizeof *k);
    for (int n = 0; n < 26; n++) {
      double sign = 1;
      for (int i = 0; i < 4; i++, sign = -sign) k[i] += sign * a * power[i];
      for (int i = 3; i > 0; i--) power[i] = rest * power[i] + i * power[i - 1];
      power[0] *= rest;
      a *= (n + 1) / (2.0 * n + 3);
    }
    return;
  }
  c = fmax(c, -1 + 1e-9);
  double w = 1 - c * c;
  k[0] = acos(c) / sqrt(w);
  k[1] = (c * k[0] - 1) / w;
  k[2] = (k[0] + 3 * c * k[1]) / w;
  k[3] = (4 * k[1] + 5 * c * k[2]) / w;
}

// (k1 - k0) / (c1 - c0) and its derivative by c1
static void quotient(double c0, double c1, double *value, double *slope) {
  double k0[4], k1[4], step = c1 - c0;
  if (fabs(step) < 1e-4) {
    double k[4];
    factor_of(0.5 * (c0 + c1), k);
    *value = k[1] + k[3] * step * step / 24;
    *slope = 0.5 * k[2] + k[3] * step / 12;
    return;
  }
  factor_of(c0, k0);
  factor_of(c1, k1);
  *value = (k1[0] - k0[0]) / step;
  *slope = (k1[1] - *value) / step;
}

// rows of (s, c) over the nine R_ij
static void reduce(double L[REDUCED][PRODUCTS]) {
  memset(L, 0, REDUCED * PRODUCTS * sizeof(double));
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    L[i][i] = 1;
    L[3 + i][3 + 3 * k + j] = 0.5;
    L[3 + i][3 + 3 * j + k] = -0.5;
    L[6][3 + 3 * i + i] = 0.5;
  }
}

// adds to e, the weights of the products in the force, and their derivatives S by the products at
// the end; `part` of x0 and the rest of x1 make up the force: a half of each keeps the energy
static void elastic(const hn_bushing *e, double part, const double z0[PRODUCTS],
                    const double z1[PRODUCTS], double weight[PRODUCTS],
                    double S[PRODUCTS][PRODUCTS]) {
  double L[REDUCED][PRODUCTS], r0[REDUCED] = {0}, r1[REDUCED] = {0}, k0[4], k1[4], Q, dQ;
  reduce(L);
  for (int i = 0; i < REDUCED; i++)
    for (int p = 0; p < PRODUCTS; p++) r0[i] += L[i][p] * z0[p], r1[i] += L[i][p] * z1[p];
  r0[6] -= 0.5, r1[6] -= 0.5;
  factor_of(r0[6], k0);
  factor_of(r1[6], k1);
  quotient(r0[6], r1[6], &Q, &dQ);
  double mean = 0.5 * (k0[0] + k1[0]), x[6], g[6] = {0}, X[6][REDUCED] = {{0}}, dg[6][REDUCED];
  for (int i = 0; i < 3; i++) {
    x[i] = part * r0[i] + (1 - part) * r1[i];
    x[3 + i] = part * k0[0] * r0[3 + i] + (1 - part) * k1[0] * r1[3 + i];
    X[i][i] = 1, X[3 + i][3 + i] = k1[0], X[3 + i][6] = k1[1] * r1[3 + i];
  }
  for (int i = 0; i < 6; i++) {
    g[i] = -e->preload[i];
    for (int j = 0; j < 6; j++) g[i] += e->K[6 * i + j] * x[j];
    for (int m = 0; m < REDUCED; m++) {
      dg[i][m] = 0;
      for (int j = 0; j < 6; j++) dg[i][m] += (1 - part) * e->K[6 * i + j] * X[j][m];
    }
  }
  double w[REDUCED] = {0}, dw[REDUCED][REDUCED] = {{0}}, along = 0;
  for (int i = 0; i < 3; i++) {
    double s = 0.5 * (r0[3 + i] + r1[3 + i]);
    w[i] = g[i];
    w[3 + i] = mean * g[3 + i];
    along += s * g[3 + i];
    for (int m = 0; m < REDUCED; m++) {
      dw[i][m] += dg[i][m];
      dw[3 + i][m] += mean * dg[3 + i][m];
      dw[6][m] += Q * s * dg[3 + i][m];
    }
    dw[3 + i][6] += 0.5 * k1[1] * g[3 + i];
    dw[6][3 + i] += 0.5 * Q * g[3 + i];
  }
  w[6] = Q * along;
  dw[6][6] += dQ * along;
  for (int i = 0; i < REDUCED; i++)
    for (int p = 0; p < PRODUCTS; p++) {
      if (L[i][p] == 0) continue;
      weight[p] += L[i][p] * w[i];
      for (int m = 0; m < REDUCED; m++)
        for (int q = 0; q < PRODUCTS; q++) S[p][q] += L[i][p] * dw[i][m] * L[m][q];
    }
}

// ---- the damper ----------------------------------------------------------------------------

// the same for the damper, and T, the derivatives by the products its rate is measured at; returns
// its work
static double damper(const hn_bushing *e, hn_between *step, const double z0[PRODUCTS],
                     const double z1[PRODUCTS], double weight[PRODUCTS],
                     double S[PRODUCTS][PRODUCTS], double T[PRODUCTS][PRODUCTS]) {
  double h = step->h, N[6][PRODUCTS] = {{0}},
         P[6][PRODUCTS] = {{0}};  // derivatives of y h by z1 - z0, by z_m
  double y[6] = {0}, g[6] = {0}, done = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    N[i][i] = 1;
    for (int l = 0; l < 3; l++) {
      int kl = 3 + 3 * k + l, jl = 3 + 3 * j + l;
      N[3 + i][kl] = 0.25 * (z0[jl] + z1[jl]);
      N[3 + i][jl] = -0.25 * (z0[kl] + z1[kl]);
      P[3 + i][jl] = 0.5 * (z1[kl] - z0[kl]);
      P[3 + i][kl] = -0.5 * (z1[jl] - z0[jl]);
    }
  }
  for (int i = 0; i < 6; i++) {
    step->moved[i] = 0;
    for (int p = 0; p < PRODUCTS; p++) step->moved[i] += N[i][p] * (z1[p] - z0[p]);
    y[i] = (step->whole * step->moved[i] + step->before[i]) / h;
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) g[i] += e->C[6 * i + j] * y[j];
    done -= step->moved[i] * g[i];
  }
  for (int i = 0; i < 6; i++)
    for (int p = 0; p < PRODUCTS; p++) {
      weight[p] += g[i] * N[i][p];
      for (int j = 0; j < 6; j++)
        for (int q = 0; q < PRODUCTS; q++) {
          double along = N[i][p] * e->C[6 * i + j] / h;
          S[p][q] += step->slope * along * (N[j][q] + 0.5 * P[j][q]);
          T[p][q] += along * N[j][q];
        }
    }
  // N itself changes with the mean
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < 3; l++) {
      int jl = 3 + 3 * ((i + 1) % 3) + l, kl = 3 + 3 * ((i + 2) % 3) + l;
      S[kl][jl] += 0.25 * g[3 + i];
      S[jl][kl] -= 0.25 * g[3 + i];
    }
  return done;
}

void hn_bushing_between(const void *data, hn_between *step) {
  const hn_bushing *e = data;
  products p;
  double z0[PRODUCTS], z1[PRODUCTS], unused[PRODUCTS], weight[PRODUCTS] = {0};
  double Gm[PRODUCTS][24], G1[PRODUCTS][24], middle[24];
  double S[PRODUCTS][PRODUCTS] = {{0}}, T[PRODUCTS][PRODUCTS] = {{0}};
  make_products(e, &p);
  for (int i = 0; i < 24; i++) middle[i] = 0.5 * (step->start[i] + step->end[i]);
  evaluate(&p, step->start, Gm, z0);
  evaluate(&p, middle, Gm, unused);
  evaluate(&p, step->end, G1, z1);
  elastic(e, 0.5 * (1 - step->end_part), z0, z1, weight, S);
  step->work = e->damped ? damper(e, step, z0, z1, weight, S, T) : 0;
  memset(step->f, 0, sizeof step->f);
  memset(step->K, 0, sizeof step->K);
  memset(step->rate, 0, sizeof step->rate);
  for (int i = 0; i < PRODUCTS; i++) {
    double row[24] = {0}, rate[24] = {0};
    for (int j = 0; j < PRODUCTS; j++)
      for (int r = 0; r < 24; r++) row[r] += S[i][j] * G1[j][r], rate[r] += T[i][j] * G1[j][r];
    for (int r = 0; r < 24; r++) {
      step->f[r] -= weight[i] * Gm[i][r];
      for (int c = 0; c < 24; c++) {
        step->K[24 * r + c] -= Gm[i][r] * row[c];
        step->rate[24 * r + c] -= Gm[i][r] * rate[c];
      }
    }
    for (int k = 0; k < FRAMES; k++)
      for (int l = 0; l < FRAMES; l++)
        for (int r = 0; r < 3; r++)
          step->K[24 * (3 * k + r) + 3 * l + r] -= weight[i] * p.Q[i][k][l];
  }
}
