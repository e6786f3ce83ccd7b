// bushing_discrete.c: the force of a bushing over a step, so that its energy is exact.
//
// With the products d_i and R_ij of the frames (frames.h) the rotation vector is
//
//   theta = k(c) s,   s = axial part of R,   c = (tr R - 1) / 2
//
// and its difference over a step  k_m (s1 - s0) + s_m (k1 - k0)  with the means k_m, s_m. So with
// x = (d, theta) and g = K (x0 + x1) / 2 - p the force -g . Dx does the work V(x0) - V(x1),
// whatever the step. The damper acts along
//
//   y h = (d1 - d0, axial part of (R1 - R0) R_m^T)
//
// the same way, and takes h y^T C y.
#include "forces/bushing.h"

enum { PRODUCTS = HN_PRODUCTS, REDUCED = HN_REDUCED };

void hn_bushing_pair(const void *data, int body[2]) {
  const hn_bushing *e = data;
  body[0] = e->frames.a, body[1] = e->frames.b;
}

// adds the elastic part; `part` of x0 and the rest of x1 make up the force: a half of each keeps
// the energy
static void elastic(const hn_bushing *e, double part, hn_frames_law *law) {
  double r0[REDUCED], r1[REDUCED], k0[4], k1[4], unused[4];
  hn_quotient Q = {0}, unused_quotient = {0};
  hn_frames_reduce(law->z0, r0);
  hn_frames_reduce(law->z1, r1);
  hn_turn_factors(r0[6], k0, unused);
  hn_turn_factors(r1[6], k1, unused);
  hn_turn_quotients(r0[6], r1[6], &Q, &unused_quotient);
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
      dw[6][m] += Q.value * s * dg[3 + i][m];
    }
    dw[3 + i][6] += 0.5 * k1[1] * g[3 + i];
    dw[6][3 + i] += 0.5 * Q.value * g[3 + i];
  }
  w[6] = Q.value * along;
  dw[6][6] += Q.slope * along;
  hn_frames_expand(law, w, dw, NULL);
}

// ---- the damper ----------------------------------------------------------------------------

// the same for the damper; returns its work.
// y h is a product of means and differences of the same quantities, so that it is exact for a
// constant rate and its derivative by both kinds (N, P) is at hand
static double damper(const hn_bushing *e, hn_between *step, hn_frames_law *law) {
  const double *z0 = law->z0, *z1 = law->z1;
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
      law->weight[p] += g[i] * N[i][p];
      for (int j = 0; j < 6; j++)
        for (int q = 0; q < PRODUCTS; q++) {
          double along = N[i][p] * e->C[6 * i + j] / h;
          law->S[p][q] += step->slope * along * (N[j][q] + 0.5 * P[j][q]);
          law->T[p][q] += along * N[j][q];
        }
    }
  // N itself changes with the mean
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < 3; l++) {
      int jl = 3 + 3 * ((i + 1) % 3) + l, kl = 3 + 3 * ((i + 2) % 3) + l;
      law->S[kl][jl] += 0.25 * g[3 + i];
      law->S[jl][kl] -= 0.25 * g[3 + i];
    }
  return done;
}

static double fill(const void *data, hn_between *step, hn_frames_law *law) {
  const hn_bushing *e = data;
  elastic(e, 0.5 * (1 - step->end_part), law);
  return e->damped ? damper(e, step, law) : 0;
}

void hn_bushing_between(const void *data, hn_between *step) {
  const hn_bushing *e = data;
  hn_frames_between(&e->frames, step, fill, e);
}
