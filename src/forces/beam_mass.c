// beam_mass.c: consistent mass of a beam element.
//
// Between its nodes, s from 0 to 1, a section stands where, and as, the nodes say:
//
//   x(s) = (1 - s) x_a + s x_b + (h/2) s (1 - s) (d_a - d_b)      d_k(s) = (1 - s) d_k,a + s d_k,b
//
// h being the length and d = d_1 the axis along the beam: arcs through both nodes, straight along
// their axes, as the element bends to leading order. A section of masses mu (4 x 4, over x and the
// d_k: mass, static moments, second moments) has the kinetic energy sum mu_ij y_i' . y_j' / 2; the
// integral over the element is a constant quadratic form of the nodes' velocities
// (system/spread.c). mu is linear along the element. Halves of it, as heavy as at their ends, are
// the nodes' own and are taken off.
#include "forces/beam.h"
#include "system/spread.h"

#include <string.h>

enum { EACH = HN_SPREAD_EACH, ALL = HN_SPREAD_ALL };

// M = (m 1, -m [c]; m [c], J) in masses of x and the axes: second moments are tr(J)/2 - J
static void section_masses(const double M[36], double mu[EACH][EACH]) {
  double trace = M[21] + M[28] + M[35];
  mu[0][0] = M[0];
  mu[0][1] = M[6 * 5 + 1], mu[0][2] = M[6 * 3 + 2], mu[0][3] = M[6 * 4 + 0];
  for (int k = 0; k < 3; k++) {
    mu[1 + k][0] = mu[0][1 + k];
    for (int l = 0; l < 3; l++) mu[1 + k][1 + l] = (k == l) * 0.5 * trace - M[6 * (3 + k) + 3 + l];
  }
}

// y(s) = S (y_a, y_b)
static void shape(double s, double h, double S[EACH][ALL]) {
  memset(S, 0, sizeof(double[EACH][ALL]));
  for (int k = 0; k < EACH; k++) S[k][k] = 1 - s, S[k][EACH + k] = s;
  S[0][1] = 0.5 * h * s * (1 - s);
  S[0][EACH + 1] = -S[0][1];
}

// G += f S^T mu S
static void add_section(double f, double S[EACH][ALL], double mu[EACH][EACH], double G[64]) {
  for (int i = 0; i < ALL; i++)
    for (int j = 0; j < ALL; j++)
      for (int k = 0; k < EACH; k++)
        for (int l = 0; l < EACH; l++) G[ALL * i + j] += f * S[k][i] * mu[k][l] * S[l][j];
}

// frames of the nodes by centre of mass and axes of their bodies: y = C Y
static void frame_map(const double s[3], const double M[9], double C[EACH][EACH]) {
  memset(C, 0, sizeof(double[EACH][EACH]));
  C[0][0] = 1;
  for (int i = 0; i < 3; i++) {
    C[0][1 + i] = s[i];
    for (int k = 0; k < 3; k++) C[1 + k][1 + i] = M[3 * i + k];
  }
}

// First in the frames of the nodes, where the shape functions are; then in the inner frames of
// their bodies, of which points and axes of the nodes are linear functions. Integrands have degree
// 4 + 1: three points of Gauss are exact
void hn_beam_mass(const hn_frames *f, double length, const double *const M[2], double G[64]) {
  // Gauss's rule of three points: exact for polynomials of degree five
  static const double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                      weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double mu[2][EACH][EACH], S[EACH][ALL], frames[64] = {0}, C[2][EACH][EACH];
  for (int end = 0; end < 2; end++) {
    section_masses(M[end], mu[end]);
    shape(end, length, S);
    add_section(-0.5 * length, S, mu[end], frames);
  }
  for (int k = 0; k < 3; k++) {
    shape(at[k], length, S);
    add_section(length * weight[k] * (1 - at[k]), S, mu[0], frames);
    add_section(length * weight[k] * at[k], S, mu[1], frames);
  }
  frame_map(f->sa, f->Ma, C[0]);
  frame_map(f->sb, f->Mb, C[1]);
  memset(G, 0, 64 * sizeof *G);
  for (int i = 0; i < ALL; i++)
    for (int j = 0; j < ALL; j++)
      for (int k = 0; k < EACH; k++)
        for (int l = 0; l < EACH; l++)
          G[ALL * i + j] += C[i / EACH][k][i % EACH] *
                            frames[ALL * (i - i % EACH + k) + j - j % EACH + l] *
                            C[j / EACH][l][j % EACH];
}
