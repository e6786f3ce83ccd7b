// flexible_second.c: geometric stiffening of flexible bodies (model/stiffen.c).
//
// What lies inside moves by u2, quadratic in the deformation p. With the matrices over p of its
// first moment A, of x x u2, B, and of D = sum w_a w_b D_ab,
//
//   A = p.A p/2,  B = p.B p/2,  D_ab = p.D_ab p/2
//
// the kinetic energy has more, to the second order in p,
//
//   T = V_0.(A' + w x A) + w.B' + w.D w
//
// and by Lagrange's equations, a_0 being the acceleration of the frame,
//
//   along p:     -a_0.(A p) - w'.(B p) + w.(D p) w
//   on the frame: force   -(A'' + 2 w x A' + w' x A + w x (w x A))
//                 torque  -(B'' + w x B' + A x a_0 + 2 D' w + 2 D w' + 2 w x (D w))
//
// The weight of A is added to that of the first moment. Stiffness is that of p_i + p.fold_i p / 2.
#include "system/flexible.h"

// xx, yy, zz, xy, xz, yz
static const int place_of[3][3] = {{6, 9, 10}, {9, 7, 11}, {10, 11, 8}};
enum { FIELDS = 12 };

// y = matrix c times x, both over the deformation
static void multiply(const hn_bending *m, int c, const dual *x, dual *y) {
  const double *A = m->o->second + (size_t)c * (size_t)m->np * (size_t)m->np;
  for (int i = 0; i < m->np; i++) {
    y[i] = (dual){0, 0};
    for (int k = 0; k < m->np; k++) add(&y[i], A[i * m->np + k], x[k]);
  }
}

static dual dot(const hn_bending *m, const dual *x, const dual *y) {
  dual sum = {0, 0};
  for (int k = 0; k < m->np; k++) add(&sum, 1, times(x[k], y[k]));
  return sum;
}

void hn_second_place(hn_bending *m) {
  for (int c = 0; c < FIELDS; c++) {
    multiply(m, c, m->p, m->along + c * m->np);
    m->sum[c] = dot(m, m->p, m->along + c * m->np);
    m->sum[c].v *= 0.5, m->sum[c].d *= 0.5;
  }
}

void hn_second_rates(hn_bending *m) {
  for (int c = 0; c < FIELDS; c++) {
    const dual *along = m->along + c * m->np;
    dual *along_rate = m->along_rate + c * m->np;
    m->sum_rate[c] = dot(m, m->rate, along);
    if (c >= 6) continue;
    multiply(m, c, m->rate, along_rate);
    m->sum_2[c] = dot(m, m->rate2, along);
    add(&m->sum_2[c], 1, dot(m, m->rate, along_rate));
  }
}

// ---- forces ----------------------------------------------------------------------------------

void hn_second_inertia(hn_bending *m) {
  const dual *w = m->nu + 3, *w_rate = m->push + 3;
  for (int k = 0; k < m->np; k++) {
    dual sum = {0, 0};
    for (int c = 0; c < 3; c++) {
      add(&sum, -1, times(m->own[c], m->along[c * m->np + k]));
      add(&sum, -1, times(w_rate[c], m->along[(3 + c) * m->np + k]));
      for (int d = 0; d < 3; d++)
        add(&sum, 1, times(times(w[c], w[d]), m->along[place_of[c][d] * m->np + k]));
    }
    add(&m->c[k], 1, sum);
  }
}

// D, or D', times a vector; o += s D x
static void add_centrifugal(dual o[3], double s, const dual *sum, const dual x[3]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) add(&o[r], s, times(sum[place_of[r][c]], x[c]));
}

void hn_second_frame(hn_bending *m) {
  const dual *w = m->nu + 3, *w_rate = m->push + 3;
  const dual *A = m->sum, *B_rate = m->sum_rate + 3;
  dual *F = m->F, *frame = m->F + 3, turned[3] = {{0, 0}};
  add3(F, -1, m->sum_2);
  add_cross(F, -2, w, m->sum_rate);
  add_cross(F, -1, w_rate, A);
  add_cross(turned, 1, w, A);
  add_cross(F, -1, w, turned);
  add3(frame, -1, m->sum_2 + 3);
  add_cross(frame, -1, w, B_rate);
  add_cross(frame, -1, A, m->own);
  add_centrifugal(frame, -2, m->sum_rate, w);
  add_centrifugal(frame, -2, m->sum, w_rate);
  memset(turned, 0, sizeof turned);
  add_centrifugal(turned, 1, m->sum, w);
  add_cross(frame, -2, w, turned);
}

void hn_second_gravity(hn_bending *m, const dual gravity[3]) {
  for (int k = 0; k < m->np; k++)
    for (int c = 0; c < 3; c++) add(&m->c[k], 1, times(gravity[c], m->along[c * m->np + k]));
}

// ---- stiffness -------------------------------------------------------------------------------

static double frequency_2(const hn_reduced *o, int k) {
  double w = o->frequency[k - o->stiff];
  return w * w;
}

// p_i + p.fold_i p / 2, and the stiffness times it
static void widen(hn_bending *m) {
  const hn_reduced *o = m->o;
  int n = m->np;
  for (int i = 0; i < n; i++) {
    const double *h = o->fold + (size_t)i * (size_t)n * (size_t)n;
    m->wide[i] = m->p[i];
    for (int k = 0; k < n; k++) {
      dual sum = {0, 0};
      for (int l = 0; l < n; l++) add(&sum, h[k * n + l], m->p[l]);
      add(&m->wide[i], 0.5, times(m->p[k], sum));
    }
  }
  for (int i = 0; i < n; i++) {
    m->load[i] = (dual){0, 0};
    for (int k = 0; i < o->stiff && k < o->stiff; k++)
      add(&m->load[i], o->K[i * o->stiff + k], m->wide[k]);
    if (i >= o->stiff) add(&m->load[i], frequency_2(o, i), m->wide[i]);
  }
}

// the stiffness of the modes by themselves is that of their block
void hn_second_stiffness(hn_bending *m) {
  const hn_reduced *o = m->o;
  int n = m->np;
  widen(m);
  for (int k = 0; k < n; k++) {
    add(&m->c[k], -1, m->load[k]);
    if (k >= o->stiff) add(&m->c[k], frequency_2(o, k), m->p[k]);
  }
  for (int i = 0; i < n; i++) {
    const double *h = o->fold + (size_t)i * (size_t)n * (size_t)n;
    for (int k = 0; k < n; k++) {
      dual sum = {0, 0};
      for (int l = 0; l < n; l++) add(&sum, h[k * n + l], m->p[l]);
      add(&m->c[k], -1, times(m->load[i], sum));
    }
  }
}

double hn_second_potential(hn_bending *m) {
  const hn_reduced *o = m->o;
  double V = 0;
  widen(m);
  for (int i = 0; i < m->np; i++) {
    V += 0.5 * m->wide[i].v * m->load[i].v;
    if (i >= o->stiff) V -= 0.5 * frequency_2(o, i) * m->p[i].v * m->p[i].v;
  }
  for (int c = 0; c < 3; c++) V -= m->down[c] * m->sum[c].v;
  return V;
}

// ---- masses ----------------------------------------------------------------------------------

// T = V_0.(A' + w x A) + w.B' + w.D w as a form of the velocities
void hn_second_masses(const hn_bending *m, double *M) {
  int n = m->n, modes = 6 * m->o->interfaces;
  double A[3];
  for (int r = 0; r < 6; r++) {
    const dual *x = m->along + r * m->np;
    for (int j = 0; j < n; j++) {
      double value = 0;
      if (j >= modes) value = x[m->o->stiff + j - modes].v;
      for (int i = 1; i < m->o->interfaces; i++) {
        double u[3], t[3] = {0, 0, 0}, lever[3], place[3];
        const dual *E = m->E + 9 * i;
        values(u, x + 6 * (i - 1), 3);
        for (int k = 0; k < 9; k++) t[k % 3] += x[6 * (i - 1) + 3 + k / 3].v * E[k].v;
        if (j == 6 * i + j % 6 && j < modes) value += j % 6 < 3 ? u[j % 3] : t[j % 3];
        values(place, m->r + 3 * i, 3);
        v3_cross(lever, place, u);  // u.(r x w) = w.(u x r)
        if (j < 3) value -= u[j];
        if (j >= 3 && j < 6) value -= lever[j - 3] + t[j - 3];
      }
      M[r * n + j] += value;
      M[j * n + r] += value;
    }
  }
  values(A, m->sum, 3);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      double S[9];
      m3_skew(S, A);
      M[r * n + 3 + c] -= S[3 * r + c];
      M[(3 + c) * n + r] -= S[3 * r + c];
      M[(3 + r) * n + 3 + c] += 2 * m->sum[place_of[r][c]].v;
    }
}
