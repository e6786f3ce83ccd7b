// test_beam_element.c: the beam element by itself.
//
//   coefficients   of the logarithm, against long double closed forms on both sides of the place
//                  where series take over
//   tangents       at nodes that hardly strain, and at nodes turned by more than a right angle
//   steps          K and rate of the force over a step, against differences
//   stiffness      one element bends as the beam's closed forms say: straight, and a quarter circle
//   refusals       sections that are none
#include "forces/beam.h"

#include "force_rig.h"
#include "linalg/dense.h"

// ---- coefficients --------------------------------------------------------------------------

// by p = 1 - h/2 cot(h/2) in long double, which at h > 0.05 keeps more digits than are asked for
static void exact_log(double h2, long double out[3]) {
  long double h = sqrtl((long double)h2), s = sinl(h / 2), cot = cosl(h / 2) / s;
  long double p = 1 - h * cot / 2, dp = h / (4 * s * s) - cot / 2;
  long double ddp = (0.5L - h * cot / 4) / (s * s);
  out[0] = p / (h * h);
  out[1] = dp / powl(h, 3) - 2 * p / powl(h, 4);
  out[2] = ddp / powl(h, 4) - 5 * dp / powl(h, 5) + 8 * p / powl(h, 6);
}

static void test_log_coefficients(void) {
  double got[3];
  hn_log_coefficients(0, &got[0], &got[1], &got[2]);
  CHECK_REL(got[0], 1 / 12.0, got[0], 1e-15);
  CHECK_REL(got[1], 1 / 360.0, got[1], 1e-15);
  CHECK_REL(got[2], 8 / 30240.0, got[2], 1e-15);
  for (int i = 0; i < 60; i++) {
    double h2 = i < 30 ? test_random(3, 5) : test_random(0.5, 9.8);
    long double want[3];
    exact_log(h2, want);
    hn_log_coefficients(h2, &got[0], &got[1], &got[2]);
    for (int k = 0; k < 3; k++) CHECK_REL(got[k], (double)want[k], (double)want[k], 1e-13);
  }
}

static void test_turn_factors(void) {
  double k[4], m[4];
  hn_turn_factors(1, k, m);
  CHECK_NEAR(k[0], 1, 1e-15);
  CHECK_NEAR(m[0], 1 / 12.0, 1e-16);
  for (int i = 0; i < 60; i++) {
    // both sides of 0.6, where the series ends, and up to a half turn
    double c = i < 30 ? test_random(0.5, 0.7) : test_random(-0.99, 0.9);
    long double h = acosl((long double)c), s = sinl(h);
    hn_turn_factors(c, k, m);
    CHECK_REL(k[0], (double)(h / s), k[0], 1e-14);
    CHECK_REL(m[0], (double)((1 - h / 2 * cosl(h / 2) / sinl(h / 2)) / (s * s)), m[0], 1e-13);
    // derivatives, each against differences of the one before
    double step = 1e-4, at[2][4], bt[2][4];
    hn_turn_factors(c + step, at[1], bt[1]);
    hn_turn_factors(c - step, at[0], bt[0]);
    for (int n = 0; n < 3; n++) {
      CHECK_REL(k[n + 1], (at[1][n] - at[0][n]) / (2 * step), k[n + 1], 1e-2 * (c < -0.9) + 1e-4);
      CHECK_REL(m[n + 1], (bt[1][n] - bt[0][n]) / (2 * step), m[n + 1], 1e-2 * (c < -0.9) + 1e-4);
    }
  }
}

// ---- tangents ------------------------------------------------------------------------------

static const double section[36] = {
    30, 1, 2, 0,  1, 0, 1, 40, 1, 2, 0,  1, 2, 1, 35, 1, 1, 0,
    0,  2, 1, 20, 1, 2, 1, 0,  1, 1, 25, 1, 0, 1, 0,  2, 1, 22,
};

static bool open(rig *r, int kind_a, int kind_b, double damping) {
  rig_open(r, kind_a, kind_b);
  hn_force_def def = {.type = "beam-element", .stiffness6 = section, .damping = damping};
  near(r, A, 0.2, 0.1, -0.1, def.at);
  near(r, B, -0.1, 0.2, 0.3, def.at_b);
  return rig_force(r, def);
}

static void test_tangents(void) {
  static const int kinds[][2] = {{HN_SPATIAL, HN_SPATIAL},
                                 {GROUND, HN_SPATIAL},
                                 {HN_SPATIAL, GROUND},
                                 {HN_PLANAR, HN_PLANAR},
                                 {HN_PLANAR, HN_SPATIAL}};
  static const double spread[] = {0, 1e-9, 0.05, 0.8};
  for (int k = 0; k < 5; k++)
    for (int s = 0; s < 4; s++)
      for (int damped = 0; damped < 2; damped++) {
        rig r;
        if (open(&r, kinds[k][0], kinds[k][1], damped ? 0.3 : 0))
          check_states(&r, (damped ? 0 : POTENTIAL) | INTERNAL, spread[s]);
        rig_close(&r);
      }
}

// ---- over a step ---------------------------------------------------------------------------

static void frames(const rig *r, const int body[2], double u[24]) {
  for (int k = 0; k < 2; k++) {
    const hn_kin *kin = &r->work.kin[body[k]];
    v3_copy(u + 12 * k, kin->p);
    for (int i = 0; i < 9; i++) u[12 * k + 3 + i] = kin->R[3 * (i % 3) + i / 3];
  }
}

// columns of K against differences of f over every number of the end
static void test_step(void) {
  static hn_between step, moved;
  for (int k = 0; k < 6; k++) {
    rig r;
    int body[2];
    if (open(&r, HN_SPATIAL, HN_SPATIAL, k % 2 ? 0.2 : 0)) {
      const hn_batch *b = &r.sys->batch[0];
      step = (hn_between){.h = 0.05, .whole = 1, .slope = 1, .end_part = k < 3 ? 0 : 0.4};
      b->ops->pair(b->data, body);
      random_state(&r, 0.4);
      rig_eval(&r, 0);
      frames(&r, body, step.start);
      if (k % 3) random_state(&r, 0.4);
      rig_eval(&r, 0);
      frames(&r, body, step.end);
      b->ops->between(b->data, &step);
      double size = hn_largest(step.K, 576), worst = 0;
      for (int c = 0; c < 24; c++) {
        const double h = 1e-4;
        double f[2][24];
        for (int side = 0; side < 2; side++) {
          moved = step;
          moved.end[c] += side ? h : -h;
          b->ops->between(b->data, &moved);
          memcpy(f[side], moved.f, sizeof f[side]);
        }
        for (int i = 0; i < 24; i++)
          worst = fmax(worst, fabs((f[1][i] - f[0][i]) / (2 * h) - step.K[24 * i + c]));
      }
      if (!CHECK(worst < 1e-6 * size)) printf("  case %d: off by %g of %g\n", k, worst, size);
    }
    rig_close(&r);
  }
}

// ---- stiffness -----------------------------------------------------------------------------

// where the far end goes under a wrench there, the near end held: strain x - x0 = C_x g with g from
// the wrench by the map of small motions, all at x0
static void flexibility(const double section_matrix[36], const double d[3], const double theta[3],
                        double F[36]) {
  double x0[6], K[36], N[9], T[36] = {0};
  hn_beam_log(d, theta, x0);
  CHECK(hn_beam_stiffness(section_matrix, x0, K));
  hn_frames_state s;
  memset(&s, 0, sizeof s);
  v3_copy(s.d, d), v3_copy(s.theta, theta);
  hn_log_coefficients(v3_dot(theta, theta), &s.c, &s.dc, &s.ddc);
  hn_log_matrix(theta, s.c, s.L);
  // T = (L  N L; 0  L), N = d(L d)/dtheta
  hn_log_change(&s, d, N);
  double D[9], NL[9];
  m3_skew(D, d);
  for (int i = 0; i < 9; i++) N[i] += D[i];
  m3_mul(NL, N, s.L);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      T[6 * i + j] = T[6 * (3 + i) + 3 + j] = s.L[3 * i + j];
      T[6 * i + 3 + j] = NL[3 * i + j];
    }
  // K_y = T^T K T; F = K_y^-1 column by column
  double KT[36] = {0}, Ky[36] = {0};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++) KT[6 * i + j] += K[6 * i + k] * T[6 * k + j];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++) Ky[6 * i + j] += T[6 * k + i] * KT[6 * k + j];
  for (int c = 0; c < 6; c++) {
    double unit[6] = {0};
    unit[c] = 1;
    CHECK(hn_dense_solve(6, Ky, unit));
    for (int i = 0; i < 6; i++) F[6 * i + c] = unit[i];
  }
}

static void test_straight(void) {
  const double EA = 2e5, GA = 7e4, GJ = 30, EIy = 20, EIz = 55, L = 0.8;
  double S[36] = {0}, F[36];
  const double diagonal[6] = {EA, GA, GA, GJ, EIy, EIz};
  for (int i = 0; i < 6; i++) S[7 * i] = diagonal[i];
  flexibility(S, (double[3]){L, 0, 0}, (double[3]){0, 0, 0}, F);
  CHECK_REL(F[0], L / EA, L / EA, 1e-12);
  CHECK_REL(F[7], L * L * L / (3 * EIz) + L / GA, F[7], 1e-12);
  CHECK_REL(F[14], L * L * L / (3 * EIy) + L / GA, F[14], 1e-12);
  CHECK_REL(F[21], L / GJ, F[21], 1e-12);
  CHECK_REL(F[6 * 1 + 5], L * L / (2 * EIz), F[11], 1e-12);
  CHECK_REL(F[6 * 2 + 4], -L * L / (2 * EIy), F[16], 1e-12);
  CHECK_REL(F[35], L / EIz, F[35], 1e-12);
}

// a quarter circle of radius r in the x-y plane that starts along x: Castigliano's theorem, the
// wrench at angle p from the start being that of the force at the end. In plane M = -P r cos(p) of
// P along x..., out of plane bending and torsion; the integrals are over products of sines and
// cosines and are taken by the trapezoid rule with 4000 intervals, twice, extrapolated
static double castigliano(double r, const double C[6], int column, int row, int intervals) {
  double sum = 0, quarter = acos(-1) / 2, h = quarter / intervals;
  for (int i = 0; i <= intervals; i++) {
    double p = i * h, c = cos(p), s = sin(p), wrench[2][6];
    for (int k = 0; k < 2; k++) {
      double w[6] = {0}, F[3], M[3], lever[3] = {r - r * s, r - (r - r * c), 0}, x[3];
      w[k ? row : column] = 1;
      v3_copy(F, w);
      v3_cross(x, lever, F);
      v3_add(M, w + 3, x);
      const double axes[3][3] = {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
      for (int j = 0; j < 3; j++) {
        wrench[k][j] = v3_dot(axes[j], F);
        wrench[k][3 + j] = v3_dot(axes[j], M);
      }
    }
    double energy = 0;
    for (int j = 0; j < 6; j++) energy += wrench[0][j] * C[j] * wrench[1][j];
    sum += (i == 0 || i == intervals ? 0.5 : 1) * h * r * energy;
  }
  return sum;
}

static void test_quarter_circle(void) {
  const double r = 0.7, diagonal[6] = {2e4, 7e3, 6e3, 30, 20, 55};
  double S[36] = {0}, C[6], F[36], quarter = acos(-1) / 2;
  for (int i = 0; i < 6; i++) S[7 * i] = diagonal[i], C[i] = 1 / diagonal[i];
  flexibility(S, (double[3]){r, r, 0}, (double[3]){0, 0, quarter}, F);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double fine = castigliano(r, C, j, i, 400), coarse = castigliano(r, C, j, i, 200);
      CHECK_NEAR(F[6 * i + j], fine + (fine - coarse) / 3, 1e-8);
    }
}

// ---- refusals ------------------------------------------------------------------------------

static void refuse(const double *matrix, const double *at_b, const char *word) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_body_def body = {.name = "b", .mass = 1, .inertia = {1, 1, 1}, .position = {1, 0, 0}};
  hn_force_def def = {.name = "it", .type = "beam-element", .stiffness6 = matrix};
  hn_body b = hn_add_body(model, &body);
  def.b.body = b;
  v3_copy(def.at_b, at_b);
  if (hn_add_force(model, &def).id > 0) CHECK(hn_compile(&sys, model) != HN_OK);
  if (!CHECK(strstr(hn_model_error(model), word))) printf("  %s\n", hn_model_error(model));
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void test_refusals(void) {
  const double one[3] = {1, 0, 0}, none[3] = {0, 0, 0};
  double indefinite[36] = {0}, negative[36] = {0}, skew[36] = {0};
  for (int i = 0; i < 6; i++) indefinite[7 * i] = negative[7 * i] = skew[7 * i] = 1;
  indefinite[1] = indefinite[6] = 2;
  negative[7] = -1;
  skew[1] = 0.5;
  refuse(indefinite, one, "positive definite");
  refuse(negative, one, "must not be negative");
  refuse(skew, one, "must be symmetric");
  refuse(section, none, "no length");
}

int main(void) {
  RUN(test_log_coefficients);
  RUN(test_turn_factors);
  RUN(test_tangents);
  RUN(test_step);
  RUN(test_straight);
  RUN(test_quarter_circle);
  RUN(test_refusals);
  return test_end();
}
