// test_flexible.c: bodies given by finite elements.
//
//   frequencies    with all vibrations kept, those of the finite elements themselves
//   modes          the same by the analysis, clamped
//   accelerations  against Lagrange's equations of the floating frame (references/flexible.py)
//   tangents       against differences, of forces and of M a
//   flight         free, spinning and deformed: energy and momenta stay
//   cantilever     against geometrically exact beam elements, small deflection
//   statics        deflection under load and weight; Euler's buckling load with stiffening
//   rotation       frequency of a rotating cantilever with stiffening, against Ritz's method
//   solid          nodes without rotations in rigid pieces: same mass, moments and rigid motion
//   refusals       every mistake in the files is named with its place
#include "folder.h"
#include "linalg/dense.h"
#include "slopes.h"
#include "system/system.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

// ---- finite elements of a beam ---------------------------------------------------------------

enum { MOST = 6 * 21 };

typedef struct elements {
  int n;      // elements
  int along;  // the axis along which they lie
  double length, young, poisson, density, width, height;
  double K[MOST][MOST], M[MOST][MOST];
} elements;

static void pair(double A[MOST][MOST], int i, int j, double s, double own, double other) {
  A[i][i] += s * own, A[j][j] += s * own, A[i][j] += s * other, A[j][i] += s * other;
}

// cubic shapes: deflection and slope at both ends; `sign` of a rotation that lifts the beam
static void bend(double A[MOST][MOST], int at, int slope, double sign, const double m[4][4],
                 double scale, double l) {
  const int where[4] = {at, slope, at + 6, slope + 6};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      A[where[i]][where[j]] += scale * m[i][j] * (i % 2 ? sign * l : 1) * (j % 2 ? sign * l : 1);
}

static void make_beam(elements *e) {
  static const double k[4][4] = {{12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
  static const double m[4][4] = {
      {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
  double l = e->length / e->n, b = e->width, h = e->height, area = b * h, E = e->young;
  double iy = b * h * h * h / 12, iz = h * b * b * b / 12, J = 0.2 * b * h * h * h;
  double G = E / (2 * (1 + e->poisson)), line = e->density * area;
  memset(e->K, 0, sizeof e->K), memset(e->M, 0, sizeof e->M);
  e->along = 0;
  for (int o = 0; o < 6 * e->n; o += 6) {
    pair(e->K, o, o + 6, E * area / l, 1, -1);
    pair(e->K, o + 3, o + 9, G * J / l, 1, -1);
    pair(e->M, o, o + 6, line * l / 6, 2, 1);
    pair(e->M, o + 3, o + 9, e->density * (iy + iz) * l / 6, 2, 1);
    bend(e->K, o + 1, o + 5, 1, k, E * iz / (l * l * l), l);
    bend(e->K, o + 2, o + 4, -1, k, E * iy / (l * l * l), l);
    bend(e->M, o + 1, o + 5, 1, m, line * l / 420, l);
    bend(e->M, o + 2, o + 4, -1, m, line * l / 420, l);
  }
}

static void write_matrix(const char *path, double A[MOST][MOST], int n) {
  FILE *f = fopen(path, "w");
  int count = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) count += A[i][j] != 0;
  if (!CHECK(f)) return;
  fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%% of a test\n%d %d %d\n", n, n,
          count);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      if (A[i][j] != 0) fprintf(f, "%d %d %.17g\n", i + 1, j + 1, A[i][j]);
  fclose(f);
}

// axes in turn: a beam along x comes to lie along y
static void turn_matrix(double A[MOST][MOST], int n) {
  static double kept[MOST][MOST];
  memcpy(kept, A, sizeof kept);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i - i % 3 + (i + 1) % 3][j - j % 3 + (j + 1) % 3] = kept[i][j];
}

static void turn_beam(elements *e) {
  turn_matrix(e->K, 6 * e->n + 6);
  turn_matrix(e->M, 6 * e->n + 6);
  e->along = (e->along + 1) % 3;
}

static void write_beam(elements *e) {
  FILE *f = fopen("nodes.txt", "w");
  for (int i = 0; f && i <= e->n; i++) {
    double x[3] = {0};
    x[e->along] = e->length * i / e->n;
    fprintf(f, "%d %.17g %.17g %.17g\n", i + 1, x[0], x[1], x[2]);
  }
  if (CHECK(f)) fclose(f);
  write_matrix("K.mtx", e->K, 6 * e->n + 6);
  write_matrix("M.mtx", e->M, 6 * e->n + 6);
}

// the soft beam of references/flexible.py
static elements soft = {.n = 3,
                        .length = 1,
                        .young = 7e4,
                        .poisson = 0.3,
                        .density = 2700,
                        .width = 0.03,
                        .height = 0.02};
static elements steel = {.n = 10,
                         .length = 1,
                         .young = 2.1e11,
                         .poisson = 0.3,
                         .density = 7850,
                         .width = 0.02,
                         .height = 0.01};

// ---- models --------------------------------------------------------------------------------

typedef struct rig {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
} rig;

static void rig_close(rig *r) {
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
}

static bool open(rig *r, const char *method, const char *text) {
  char message[512] = "";
  *r = (rig){.model = hn_model_create()};
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  hn_options *o = hn_model_options(r->model);
  snprintf(o->method, sizeof o->method, "%s", method);
  snprintf(o->verify, sizeof o->verify, "off");
  if (!status) status = hn_compile(&r->system, r->model);
  if (!status) status = hn_sim_create(&r->sim, r->system, o, message, sizeof message);
  if (!CHECK(!status)) {
    printf("  %s %s\n", hn_model_error(r->model), message);
    rig_close(r);
  }
  return !status;
}

#define FILES "nodes: nodes.txt, stiffness: K.mtx, mass: M.mtx"

// ---- frequencies ---------------------------------------------------------------------------

static void test_frequencies(void) {
  // by scipy, of the finite elements: free, and with both ends held
  static const double exact[18] = {
      0.659521941653235, 0.989282912479943, 1.82240144511077, 2.73360216766617, 3.99724430471008,
      5.99586645706511,  7.17515476973406,  8.91777030534735, 10.7627321546011, 13.8936595382126,
      16.7332005306815,  17.0912450302706,  19.9407406104857, 20.840489307319,  25.6368675454059,
      28.2004658151129,  37.4165738677394,  52.9150262212918};
  static const double held[6] = {0.660403546224304, 0.990605319336479, 1.84920760463381,
                                 2.77381140695072,  4.30094971216263,  6.45142456824394};
  enum { N = 24 };
  double M[N * N], K[N * N], C[N * N], w[N];
  rig r;
  make_beam(&soft);
  write_beam(&soft);
  if (!open(&r, "default",
            "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 4}, modes: 12}\n"))
    return;
  const double *q = hn_positions(r.sim), *v = hn_velocities(r.sim);
  CHECK(hn_system_nv(r.system) == N);
  CHECK(!hn_evaluate(r.sim, 0, q, v, &(hn_equations){.mass = M}));
  CHECK(!hn_tangents(r.sim, 0, q, v, NULL, K, C));
  CHECK(hn_dense_cholesky(N, M));
  // -L^-1 K L^-T: both sides solved by rows
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < N; c++)
      for (int i = 0; i < N; i++) {
        double *x = side ? &K[c * N + i] : &K[i * N + c];
        for (int k = 0; k < i; k++) *x -= M[i * N + k] * (side ? K[c * N + k] : K[k * N + c]);
        *x /= M[i * N + i];
      }
  for (int i = 0; i < N * N; i++) K[i] = -K[i];
  CHECK(hn_dense_symmetric_eigen(N, K, w, NULL));
  for (int i = 0; i < 6; i++) CHECK_NEAR(w[i], 0, 1e-9);
  for (int i = 0; i < 18; i++) CHECK_REL(sqrt(w[6 + i]), exact[i], 0, 1e-8);
  for (int i = 0; i < 6; i++)
    CHECK_REL(r.system->flexible[0].reduced->frequency[i], held[i], 0, 1e-9);
  rig_close(&r);
}

static void test_modes(void) {
  // by scipy, of the finite elements with one end held
  static const double exact[18] = {
      0.103371608120602, 0.155057412181167, 0.649880574508091, 0.974820861762054, 1.83632726231522,
      2.75449089347282,  4.13534021955998,  4.31134219782642,  6.20301032933994,  7.78272167461559,
      8.08975238007191,  11.6740825119234,  14.1002329075564,  15.5157485774914,  23.273622866237,
      25.5798737952846,  26.4575131106459,  47.9977778200188};
  rig r;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  make_beam(&soft);
  write_beam(&soft);
  if (!open(&r, "default",
            "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 4}, modes: 12,"
            " orientation: {axis: [1, 2, 3], angle: 0.4}}\n"
            "joints:\n  clamp: {type: fixed, b: arm.root}\n"))
    return;
  if (CHECK(!hn_linearise(r.sim, &linear)) && CHECK(!hn_modes_create(&modes, linear)) &&
      CHECK(modes->count == 18))
    for (int i = 0; i < 18; i++) {
      // in any order
      double nearest = INFINITY;
      for (int k = 0; k < 18; k++)
        if (fabs(modes->mode[k].im - exact[i]) < fabs(nearest - exact[i]))
          nearest = modes->mode[k].im;
      CHECK_REL(nearest, exact[i], 0, 1e-8);
    }
  else
    printf("  %s\n", hn_sim_error(r.sim));
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  rig_close(&r);
}

// every mode has its own ratio; held at its only interface, modes are the vibrations themselves
static void test_ratios(void) {
  static const double ratio[3] = {0.01, 0, 0.2};
  rig r;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  make_beam(&soft);
  write_beam(&soft);
  if (!open(&r, "default",
            "flexible:\n  arm: {" FILES
            ", interface: {root: 1}, modes: 3, damping_ratios: [0.01, 0, 0.2]}\n"
            "joints:\n  clamp: {type: fixed, b: arm.root}\n"))
    return;
  const double *w = r.system->flexible[0].reduced->frequency;
  if (CHECK(!hn_linearise(r.sim, &linear)) && CHECK(!hn_modes_create(&modes, linear)) &&
      CHECK(modes->count == 3))
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++)
        if (fabs(hypot(modes->mode[i].re, modes->mode[i].im) - w[k]) < 1e-6 * w[k])
          CHECK_REL(-modes->mode[i].re, ratio[k] * w[k], w[k], 1e-8);
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  rig_close(&r);
}

// ---- accelerations -------------------------------------------------------------------------

static const char three_modes[] =
    "gravity: [0.3, -0.5, -9.81]\n"
    "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 4}, modes: 3}\n";

static void test_accelerations(void) {
  static const double q[] = {0.2,
                             0.1,
                             -0.3,
                             0.8229839424136313,
                             0.1880534551020415,
                             -0.3290935464285726,
                             0.4231202739795935,
                             0.6215551215671257,
                             0.7214961180219789,
                             0.3689169266539278,
                             0.8428433615051503,
                             0.2012752501663197,
                             -0.2794660926717021,
                             0.4135239348381125,
                             0.01,
                             -0.006,
                             0.004};
  static const double v[] = {
      0.3, -0.2, 0.5,  1.039604839163301, 1.095284914824128,  -2.176824994764923,
      0.9, 0.4,  -0.6, 1.401222739983411, 0.7252164576789017, -1.759369463525615,
      0.5, -0.8, 0.3};
  static const double exact[] = {1.94608122443486,   3.816475134171136,  -8.634732478040346,
                                 -887.0159957723183, -82.00482606274308, -2.14819767006286,
                                 1.134026971444918,  -3.174917570141353, -4.934390243105738,
                                 454.5211434171989,  -125.0650742885436, -29.46131968534564,
                                 -4.398885769112982, -1.317622831393336, -6.599856588507754};
  double a[15];
  rig r;
  make_beam(&soft);
  write_beam(&soft);
  if (!open(&r, "default", three_modes)) return;
  CHECK(!hn_forward(r.sim, 0, q, v, a, NULL));
  for (int i = 0; i < 15; i++) CHECK_REL(a[i], exact[i], 10, 1e-8);
  rig_close(&r);
}

// ---- tangents ------------------------------------------------------------------------------

static void tangents(bool stiffening) {
  enum { N = 21, NQ = 24 };
  double K[N * N] = {0}, C[N * N] = {0}, Ka[N * N] = {0}, q[NQ], v[N], a[N], d[N], x[N];
  rig r;
  make_beam(&soft);
  write_beam(&soft);
  char text[512];
  snprintf(text, sizeof text,
           "gravity: [0.3, -0.5, -9.81]\n"
           "flexible:\n  arm: {" FILES ", interface: {root: 1, middle: 2, tip: 4}, modes: 3,"
           " damping: 0.02, stiffness_damping: 0.1, stiffening: %s}\n",
           stiffening ? "true" : "false");
  if (!open(&r, "default", text)) return;
  bench b = bench_open(r.system);
  memcpy(q, b.sys->q0, sizeof q);
  for (int i = 0; i < N; i++)
    d[i] = test_random(-0.2, 0.2), v[i] = test_random(-1, 1), a[i] = test_random(-1, 1);
  hn_retract(b.sys, q, d);
  hn_eval_all(&b.work, 0, q, v);
  hn_force_tangent(&b.work, &(hn_tangent){.n = N, .K = K, .C = C});
  hn_mass_tangent(&b.work, a, &(hn_tangent){.n = N, .K = Ka});
  double sizes[3] = {hn_largest(K, N * N), hn_largest(C, N * N), hn_largest(Ka, N * N)};
  for (int j = 0; j < N; j++) {
    slope(&b, q, v, NULL, j, false, x);
    for (int i = 0; i < N; i++) CHECK_REL(K[i * N + j], x[i], sizes[0], 1e-8);
    slope(&b, q, v, NULL, j, true, x);
    for (int i = 0; i < N; i++) CHECK_REL(C[i * N + j], x[i], sizes[1], 1e-9);
    slope(&b, q, v, a, j, false, x);
    for (int i = 0; i < N; i++) CHECK_REL(-Ka[i * N + j], x[i], sizes[2], 1e-8);
  }
  CHECK(sizes[1] > 1e-3 && sizes[2] > 1e-3);
  free(b.arena.base);
  rig_close(&r);
}

static void test_tangents(void) {
  tangents(false);
  tangents(true);
}

// ---- power ---------------------------------------------------------------------------------

// along each axis: what lies along x does not fold when its end moves along x
static void power(bool stiffening, int along) {
  enum { N = 15, NQ = 17 };
  double q[NQ], v[N], d[N];
  rig r;
  char text[512];
  make_beam(&soft);
  for (int k = 0; k < along; k++) turn_beam(&soft);
  write_beam(&soft);
  snprintf(text, sizeof text,
           "flexible:\n  arm: {" FILES
           ", interface: {root: 1, tip: 4}, modes: 3, stiffening: %s}\n",
           stiffening ? "true" : "false");
  if (!open(&r, "default", text)) return;
  bench b = bench_open(r.system);
  for (int k = 0; k < 10; k++) {
    memcpy(q, b.sys->q0, sizeof q);
    for (int i = 0; i < N; i++) d[i] = test_random(-0.2, 0.2), v[i] = test_random(-1, 1);
    hn_retract(b.sys, q, d);
    check_power(&b, q, v);
  }
  free(b.arena.base);
  rig_close(&r);
}

static void test_power(void) {
  for (int along = 0; along < 3; along++) {
    power(false, along);
    power(true, along);
  }
}

// ---- flight --------------------------------------------------------------------------------

// momentum, and angular momentum about the origin: M v on the interfaces moves the whole body
static void momenta(rig *r, double p[6]) {
  enum { N = 15 };
  double M[N * N], y[N] = {0};
  const double *q = hn_positions(r->sim), *v = hn_velocities(r->sim);
  CHECK(!hn_evaluate(r->sim, 0, q, v, &(hn_equations){.mass = M}));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y[i] += M[i * N + j] * v[j];
  memset(p, 0, 6 * sizeof *p);
  for (int i = 0; i < 2; i++) {
    double R[9], L[3], turn[3];
    q_matrix(R, q + 7 * i + 3);
    m3_mulv(turn, R, y + 6 * i + 3);
    v3_cross(L, q + 7 * i, y + 6 * i);
    v3_add(p, p, y + 6 * i);
    v3_add(p + 3, p + 3, L);
    v3_add(p + 3, p + 3, turn);
  }
}

static void fly(bool stiffening) {
  rig r;
  double before[6], after[6];
  hn_energy e0, e1;
  char text[512];
  // slow against its vibrations: deflections are small
  const double w[3] = {0.06, 0.045, 0.09};
  make_beam(&soft);
  write_beam(&soft);
  snprintf(text, sizeof text,
           "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 4}, modes: 3,"
           " position: [0.1, 0.2, 0.3], orientation: {axis: [1, 2, 3], angle: 0.4}, stiffening: %s,"
           " velocity: [0.3, -0.2, 0.1], angular_velocity: [%g, %g, %g]}\n"
           "simulation: {duration: 10, rtol: 1e-11}\n",
           stiffening ? "true" : "false", w[0], w[1], w[2]);
  if (!open(&r, "default", text)) return;
  momenta(&r, before);
  CHECK(!hn_sim_energy(r.sim, &e0));
  // momentum of a rigid rod: m (v + w x r), where r is half its length along x of its axes
  double m = 2700 * 0.03 * 0.02, R[9], half[3] = {0.5, 0, 0}, arm[3], v[3];
  q_matrix(R, hn_positions(r.sim) + 3);
  m3_mulv(arm, R, half);
  v3_cross(v, w, arm);
  const double start[3] = {0.3, -0.2, 0.1};
  for (int k = 0; k < 3; k++) CHECK_REL(before[k], m * (start[k] + v[k]), m, 1e-12);
  if (!CHECK(!hn_advance(r.sim, 10))) printf("  %s\n", hn_sim_error(r.sim));
  momenta(&r, after);
  CHECK(!hn_sim_energy(r.sim, &e1));
  for (int k = 0; k < 6; k++) CHECK_REL(after[k], before[k], 0.1, 1e-9);
  CHECK_REL(e1.kinetic + e1.potential, e0.kinetic + e0.potential, 0, 1e-9);
  // it has been stretched and bent on the way
  CHECK(e1.potential > 1e-6 * e0.kinetic);
  rig_close(&r);
}

static void test_flight(void) {
  fly(false);
  fly(true);
}

// ---- cantilever ----------------------------------------------------------------------------

static double height_of(rig *r, const char *body, double t) {
  hn_pose pose = {0};
  CHECK(!hn_advance(r->sim, t));
  CHECK(!hn_body_pose(r->sim, hn_find_body(r->system, body), &pose));
  return pose.position[2];
}

static void test_cantilever(void) {
  rig modes, exact;
  make_beam(&steel);
  write_beam(&steel);
  bool ok = open(&modes, "default",
                 "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 11},"
                 " modes: 4}\n"
                 "joints:\n  clamp: {type: fixed, b: arm.root}\n"
                 "forces:\n  push: {type: force, b: arm.tip, force: [0, 0, 1]}\n"
                 "simulation: {duration: 0.06, rtol: 1e-7}\n");
  if (!ok) return;
  if (open(&exact, "default",
           "beams:\n  arm: {from: [0, 0, 0], to: [1, 0, 0], elements: 16,"
           " young: 2.1e11, poisson: 0.3, density: 7850,"
           " profile: {rectangle: {width: 0.02, height: 0.01}}}\n"
           "joints:\n  clamp: {type: fixed, b: arm.start}\n"
           "forces:\n  push: {type: force, b: arm.end, force: [0, 0, 1]}\n"
           "simulation: {duration: 0.06, rtol: 1e-6}\n")) {
    double sag = 1 / (3 * 2.1e11 * 0.02 * 1e-6 / 12);
    for (int k = 1; k <= 2; k++) {
      double t = 0.03 * k, a = height_of(&modes, "arm.tip", t), b = height_of(&exact, "arm.end", t);
      CHECK_NEAR(a, b, 1e-3 * 2 * sag);
    }
    rig_close(&exact);
  }
  rig_close(&modes);
}

// ---- statics, stiffening ---------------------------------------------------------------------

static void test_statics(void) {
  rig r;
  hn_pose pose = {0};
  hn_equilibrium info;
  make_beam(&steel);
  write_beam(&steel);
  if (!open(&r, "default",
            "gravity: [0, 0, -9.81]\n"
            "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 11}, modes: 4}\n"
            "joints:\n  clamp: {type: fixed, b: arm.root}\n"
            "forces:\n  push: {type: force, b: arm.tip, force: [0, 0, 1]}\n"))
    return;
  double EI = 2.1e11 * 0.02 * 1e-6 / 12, weight = 7850 * 2e-4 * 9.81;
  if (CHECK(!hn_statics(r.sim, HN_REST, &info, NULL))) {
    CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "arm.tip"), &pose));
    // P L^3/3EI - q L^4/8EI: consistent loads are exact at nodes
    CHECK_REL(pose.position[2], (1 / 3.0 - weight / 8) / EI, 1e-3, 2e-5);
    CHECK(info.stability == HN_STABLE);
  } else {
    printf("  %s\n", hn_sim_error(r.sim));
  }
  rig_close(&r);
}

// Euler: a column clamped below buckles at pi^2 EI / (4 L^2)
static void test_buckling(void) {
  make_beam(&steel);
  write_beam(&steel);
  double critical = acos(-1) * acos(-1) * 2.1e11 * 0.02 * 1e-6 / 12 / 4;
  for (int k = 0; k < 3; k++) {
    rig r;
    hn_equilibrium info;
    char text[512];
    double load = (k == 0 ? 0.995 : 1.005) * critical;
    snprintf(text, sizeof text,
             "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 11}, modes: 4,"
             " stiffening: %s}\n"
             "joints:\n  clamp: {type: fixed, b: arm.root}\n"
             "forces:\n  push: {type: force, b: arm.tip, force: [%.17g, 0, 0]}\n",
             k < 2 ? "true" : "false", -load);
    if (!open(&r, "default", text)) return;
    if (!CHECK(!hn_statics(r.sim, HN_NEAREST, &info, NULL))) printf("  %s\n", hn_sim_error(r.sim));
    // linear stiffness never buckles
    CHECK(info.stability == (k == 1 ? HN_UNSTABLE : HN_STABLE));
    rig_close(&r);
  }
}

// the first frequency of a cantilever on a hub of radius R that rotates with W, across the plane
// of rotation, by Ritz's method with x^2 ... x^8: EI = rho A = L = 1, tension W^2 ((1 - x^2)/2 + R
// (1 - x))
static double ritz(double W, double R) {
  enum { N = 7 };
  double M[N * N], A[N * N], w[N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double p = i + 2, q = j + 2, s = i + j;
      double tension = 0.5 * (1 / (s + 3) - 1 / (s + 5)) + R * (1 / (s + 3) - 1 / (s + 4));
      M[N * i + j] = 1 / (s + 5);
      A[N * i + j] = p * (p - 1) * q * (q - 1) / (s + 1) + W * W * p * q * tension;
    }
  CHECK(hn_dense_cholesky(N, M));
  for (int pass = 0; pass < 2; pass++) {
    for (int c = 0; c < N; c++)
      for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++) A[N * i + c] -= M[N * i + k] * A[N * k + c];
        A[N * i + c] /= M[N * i + i];
      }
    for (int i = 0; i < N; i++)
      for (int j = 0; j < i; j++) {
        double x = A[N * i + j];
        A[N * i + j] = A[N * j + i], A[N * j + i] = x;
      }
  }
  CHECK(hn_dense_symmetric_eigen(N, A, w, NULL));
  return sqrt(w[0]);
}

// EI = rho A = L = 1, EA = 5e4
static elements unit = {.n = 16,
                        .length = 1,
                        .young = 64549722.43679028,
                        .density = 1290.9944487358055,
                        .width = 0.05,
                        .height = 0.015491933384829668};

enum { KEPT = 8 };  // modes

// what changes in axes that rotate: the acceleration of the tip along the arm, and of the modes
static void unsteady(rig *r, double W, double R, const double *x, double *out) {
  double q[14 + KEPT] = {0}, v[12 + KEPT] = {0}, a[12 + KEPT];
  q[3] = q[10] = 1, q[7] = 1 + x[0];
  v[1] = W * R, v[7] = W * (R + q[7]);
  v[5] = v[11] = W;
  memcpy(q + 14, x + 1, KEPT * sizeof *q);
  CHECK(!hn_set_state(r->sim, 0, q, v));
  CHECK(!hn_forward(r->sim, 0, q, v, a, NULL));
  out[0] = a[6] + W * W * (R + q[7]);
  memcpy(out + 1, a + 12, KEPT * sizeof *a);
}

// the steady state by Newton's method; the residual is all but linear
static void find_steady(rig *r, double W, double R) {
  enum { N = 1 + KEPT };
  double x[N] = {0}, f[N], g[N], J[N * N], d[N];
  for (int pass = 0; pass < 4; pass++) {
    unsteady(r, W, R, x, f);
    for (int k = 0; k < N; k++) {
      double before = x[k], h = 1e-4;
      x[k] += h;
      unsteady(r, W, R, x, g);
      x[k] = before;
      for (int i = 0; i < N; i++) J[N * i + k] = (g[i] - f[i]) / h;
    }
    CHECK(hn_dense_lstsq(N, N, J, f, 1e-14, d, NULL));
    for (int k = 0; k < N; k++) x[k] -= d[k];
  }
  unsteady(r, W, R, x, f);
  CHECK(hn_largest(f, N) < 1e-8 * (1 + W * W));
}

static double rotating(double W, double R, bool stiffening, double exact) {
  rig r;
  char text[640];
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  double nearest = 0;
  snprintf(text, sizeof text,
           "flexible:\n  arm: {" FILES ", interface: {root: 1, tip: 17}, modes: %d, stiffening: %s,"
           " angular_velocity: [0, 0, %g]}\n"
           "joints:\n  hub: {type: revolute, b: arm.root, at: [%g, 0, 0]}\n"
           "  drive: {type: driver, joint_a: hub, motion: %g*t}\n",
           KEPT, stiffening ? "true" : "false", W, -R, W);
  if (!open(&r, "default", text)) return 0;
  find_steady(&r, W, R);
  if (CHECK(!hn_linearise(r.sim, &linear)) && CHECK(!hn_modes_create(&modes, linear)))
    for (int i = 0; i < modes->count; i++) {
      double w = hypot(modes->mode[i].re, modes->mode[i].im);
      if (modes->mode[i].im > 0 && fabs(w - exact) < fabs(nearest - exact)) nearest = w;
    }
  if (!modes) printf("  %s\n", hn_sim_error(r.sim));
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  rig_close(&r);
  return nearest;
}

static void test_rotation(void) {
  static const double W[] = {0, 3, 6, 6}, R[] = {0, 0, 0, 1};
  make_beam(&unit);
  write_beam(&unit);
  CHECK_REL(ritz(0, 0), 3.5160152685, 3.5, 1e-9);
  for (int k = 1; k < 4; k++) {
    double exact = ritz(W[k], R[k]), found = rotating(W[k], R[k], true, exact);
    printf("rotating cantilever, W = %g, hub %g: %.5f, Ritz %.5f\n", W[k], R[k], found, exact);
    CHECK_REL(found, exact, exact, 1e-3);
  }
  // without, a flap of the cantilever keeps its frequency
  double still = ritz(0, 0);
  CHECK_REL(rotating(3, 0, false, still), still, still, 2e-3);
}

// ---- rigid pieces --------------------------------------------------------------------------

// two triangles of nodes without rotations, with springs between all of them: each is an interface
static void test_pieces(void) {
  enum { NODES = 7, N = 3 * NODES };
  static const double at[NODES][3] = {{0, 0, 0},     {0, 0.2, 0}, {0, 0, 0.2},    {1, 0, 0},
                                      {1, 0.2, 0.1}, {1, 0, 0.2}, {0.5, 0.3, 0.1}};
  static double K[MOST][MOST], M[MOST][MOST];
  memset(K, 0, sizeof K), memset(M, 0, sizeof M);
  double total = 0;
  FILE *f = fopen("nodes.txt", "w");
  if (!CHECK(f)) return;
  for (int i = 0; i < NODES; i++) {
    fprintf(f, "%d %g %g %g\n", 10 * i + 7, at[i][0], at[i][1], at[i][2]);
    for (int k = 0; k < 3; k++) M[3 * i + k][3 * i + k] = 0.1 * (i + 1);
    total += 0.1 * (i + 1);
    for (int j = 0; j < i; j++) {
      double d[3];
      v3_sub(d, at[i], at[j]);
      double l = v3_norm(d);
      for (int x = 0; x < 9; x++) {
        double k = 50 * d[x / 3] * d[x % 3] / (l * l);
        K[3 * i + x / 3][3 * i + x % 3] += k, K[3 * j + x / 3][3 * j + x % 3] += k;
        K[3 * i + x / 3][3 * j + x % 3] -= k, K[3 * j + x / 3][3 * i + x % 3] -= k;
      }
    }
  }
  fclose(f);
  write_matrix("K.mtx", K, N);
  write_matrix("M.mtx", M, N);
  rig r;
  if (!open(&r, "default",
            "flexible:\n  truss: {" FILES ", interface: {left: [7, 17, 27], right: [37, 47, 57]},"
            " modes: 3}\n"))
    return;
  const hn_reduced *o = r.system->flexible[0].reduced;
  CHECK_REL(o->mass, total, 0, 1e-12);
  double moment[3] = {0, 0, 0}, left[3] = {0, 0.2 / 3, 0.2 / 3};
  for (int i = 0; i < NODES; i++) {
    double d[3];
    v3_sub(d, at[i], left);
    v3_addto(moment, 0.1 * (i + 1), d);
  }
  for (int k = 0; k < 3; k++) CHECK_REL(o->moment[k], moment[k], total, 1e-12);
  // a single node inside, held by springs to all others: its three vibrations
  double inside[9], w[3];
  for (int k = 0; k < 9; k++) inside[k] = K[18 + k / 3][18 + k % 3] / 0.7;
  CHECK(hn_dense_symmetric_eigen(3, inside, w, NULL));
  for (int k = 0; k < 3; k++) CHECK_REL(o->frequency[k], sqrt(w[k]), 0, 1e-10);
  rig_close(&r);
}

// ---- refusals ------------------------------------------------------------------------------

static void refused(const char *keys, const char *expected) {
  char text[512];
  hn_model *model = hn_model_create();
  snprintf(text, sizeof text, "flexible:\n  arm: {%s}\n", keys);
  CHECK(hn_model_parse(model, text, strlen(text), "test.yaml") != HN_OK);
  if (!CHECK(strstr(hn_model_error(model), expected)))
    printf("  got:      %s\n  expected: %s\n", hn_model_error(model), expected);
  hn_model_destroy(model);
}

__attribute__((format(printf, 2, 3))) static void put_file(const char *path, const char *format,
                                                           ...) {
  FILE *f = fopen(path, "w");
  va_list arguments;
  va_start(arguments, format);
  if (CHECK(f)) vfprintf(f, format, arguments), fclose(f);
  va_end(arguments);
}

#define HEAD "%%%%MatrixMarket matrix coordinate real "

static void test_refusals(void) {
  static const char good[] = FILES ", interface: {root: 1, tip: 4}, modes: 3";
  refused(FILES ", interface: {root: 1}, modes: 2, damping_ratios: [0.1]",
          "has 1 numbers for 2 modes");
  refused(FILES ", interface: {root: 1}, modes: 1, damping_ratios: [-0.1]",
          "a ratio must not be negative");
  refused(FILES ", interface: {root: 1}, modes: 1, damping: 0.1, damping_ratios: [0.1]",
          "exclude each other");
  static elements e;
  e = soft;
  make_beam(&e);
  write_beam(&e);
  refused(FILES ", modes: 3", "needs an 'interface'");
  refused(FILES ", interface: {root: 9}", "test.yaml:2:76: flexible body 'arm': there is no node");
  refused(FILES ", interface: {root: 1, tip: 1}", "a node is in two of them");
  refused(FILES ", interface: {mode1: 1}", "what a modal coordinate is called");
  refused(FILES ", interface: {root: 1, tip: 4}, modes: 13", "fewer freedoms inside");
  refused(FILES ", interface: {root: 1}, damping: 0.1", "there are none");
  refused("nodes: none.txt, stiffness: K.mtx, mass: M.mtx, interface: {root: 1}",
          "none.txt: cannot be read");
  refused("nodes: ., stiffness: K.mtx, mass: M.mtx, interface: {root: 1}", ".: is no file");
  hn_model *model = hn_model_create();
  const char field[] =
      "gravity: [0, 0, -9.81*(1 + z)]\nflexible:\n  arm: {" FILES ", interface: {root: 1}}\n";
  CHECK(hn_model_parse(model, field, strlen(field), "test.yaml") == HN_ERR_UNSUPPORTED);
  CHECK(strstr(hn_model_error(model), "gravity as a field does not act on flexible bodies"));
  hn_model_destroy(model);
  // a support in the stiffness
  e.K[2][2] += 1e3;
  write_beam(&e);
  refused(good, "stiffness: moving along z as a whole meets a resistance of 1e+03");
  // masses
  make_beam(&e);
  e.M[0][0] += 1;
  write_beam(&e);
  refused(good, "the same positive mass in all directions");
  make_beam(&e);
  for (int i = 0; i < MOST; i++)
    for (int j = 0; j < MOST; j++) e.M[i][j] = -e.M[i][j];
  write_beam(&e);
  refused(good, "mass: some vibration has a negative kinetic energy");
  // stiffening wants pairs of nodes
  make_beam(&e);
  for (int i = 0; i < 3; i++) {
    // a stiffness among three nodes that no pair explains: moves (1, -2, 1) along y
    static const double way[3] = {1, -2, 1};
    for (int j = 0; j < 3; j++) e.K[6 * i + 1][6 * j + 1] += 50 * way[i] * way[j];
  }
  write_beam(&e);
  refused(FILES ", interface: {root: 1, tip: 4}, modes: 3, stiffening: true",
          "stiffening needs elements of two nodes with rotations");
  // a node that hangs on nothing
  make_beam(&e);
  for (int i = 0; i < MOST; i++)
    for (int k = 6; k < 12; k++) e.K[i][k] = e.K[k][i] = 0;
  write_beam(&e);
  refused(good, "stiffness");
  make_beam(&e);
  write_beam(&e);
  put_file("K.mtx", HEAD "general\n24 24 3\n1 1 5\n2 1 3\n1 2 2\n");
  refused(good, "K.mtx: the matrix must be symmetric: row 2, column 1 differs from row 1");
  put_file("K.mtx", HEAD "symmetric\n23 23 1\n1 1 5\n");
  refused(good, "K.mtx:2: the matrix is 23 x 23, where the nodes make it 24 x 24");
  put_file("K.mtx", HEAD "symmetric\n24 24 2\n1 1 5\n");
  refused(good, "K.mtx:3: there are fewer numbers");
  put_file("K.mtx", HEAD "symmetric\n24 24 1\n25 1 5\n");
  refused(good, "K.mtx:3: there is no such row or column");
  put_file("K.mtx", HEAD "symmetric\n24 24 1\n1 2 5\n");
  refused(good, "on and below its diagonal only");
  put_file("K.mtx", HEAD "symmetric\n24 24 1\n1 1 nan\n");
  refused(good, "K.mtx:3: a line 'row column number' is expected");
  put_file("K.mtx", HEAD "symmetric\n24 24 1e300\n1 1 1\n");
  refused(good, "K.mtx:2: a line 'rows columns numbers' is expected");
  put_file("K.mtx", HEAD "symmetric\n1e300 24 many\n1 1 1\n");
  refused(good, "K.mtx:2: a line 'rows columns numbers' is expected");
  put_file("K.mtx", "24 24 1\n");
  refused(good, "K.mtx:1: it does not begin as Matrix Market files do");
  put_file("nodes.txt", "1 0 0 0\n1 1 0 0\n");
  refused(good, "nodes.txt:2: a node has this number");
  put_file("nodes.txt", "1 0 0\n");
  refused(good, "nodes.txt:1: a node is a line 'number x y z'");
  put_file("nodes.txt", "# nothing\n");
  refused(good, "nodes.txt: there are no nodes");
}

int main(void) {
  if (!test_enter_folder("flexible")) return 1;
  RUN(test_frequencies);
  RUN(test_modes);
  RUN(test_ratios);
  RUN(test_accelerations);
  RUN(test_tangents);
  RUN(test_power);
  RUN(test_flight);
  RUN(test_cantilever);
  RUN(test_statics);
  RUN(test_buckling);
  RUN(test_rotation);
  RUN(test_pieces);
  RUN(test_refusals);
  return test_end();
}
