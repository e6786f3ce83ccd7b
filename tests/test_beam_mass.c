// test_beam_mass.c: beams with consistent masses.
//
//   frequencies  against closed forms of Timoshenko's beam (pinned) and of Euler and Bernoulli's
//                (cantilever): from above, where lumped masses come from below
//   tangents     of forces and of M a against differences, at random states
//   power        forces that velocities bring keep the energy, at random states
//   flight       energy and momenta stay, in reference and natural coordinates; nothing bends in
//                free fall
//   weight       a cantilever under its weight hangs as the closed form says
//   methods      the same motion by all of them; more elements converge
//   refusals     rods, methods with constant masses
#include "beam_rig.h"
#include "slopes.h"

static const double pi = 3.14159265358979323846;

// ---- frequencies ---------------------------------------------------------------------------

static int upwards(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// the lowest of a planar beam with EI = rho A = L = 1
static bool frequencies(int elements, const char *masses, double GA, double rho_I,
                        const char *joints, double *w, int count) {
  rig r;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  double all[400];
  int found = 0;
  if (!rig_open_format(&r,
                       "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0], elements: %d,"
                       " stiffness: [1e8, %.17g, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, %.17g],"
                       " masses: %s}\njoints:\n%s",
                       elements, GA, rho_I, masses, joints))
    return false;
  bool ok = CHECK(!hn_linearise(r.sim, &linear)) && CHECK(!hn_modes_create(&modes, linear));
  for (int i = 0; ok && i < modes->count && found < 400; i++)
    if (modes->mode[i].im > 0) all[found++] = modes->mode[i].im;
  qsort(all, (size_t)found, sizeof *all, upwards);
  ok = ok && CHECK(found >= count);
  if (ok) memcpy(w, all, (size_t)count * sizeof *w);
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  rig_close(&r);
  return ok;
}

// pinned at both ends, w = sin(k x): (GA k^2 - rho A W)(EI k^2 + GA - rho I W) = (GA k)^2, W = w^2
static double timoshenko(int mode, double GA, double rho_I) {
  double k = mode * pi, a = rho_I, b = -(k * k + GA + GA * k * k * rho_I), c = GA * k * k * k * k;
  return sqrt(2 * c / (-b + sqrt(b * b - 4 * a * c)));
}

// above by consistent, below by lumped masses, both of the second order
static void test_pinned(void) {
  enum { COUNT = 4 };
  const char *joints = "  left: {type: revolute, b: arm.start}\n"
                       "  right: {type: revolute, b: arm.end, at: [1, 0]}\n";
  const double GA = 200, rho_I = 0.002;
  for (int kind = 0; kind < 2; kind++) {
    double w[2][COUNT];
    const char *word = kind ? "consistent" : "lumped";
    if (!frequencies(16, word, GA, rho_I, joints, w[0], COUNT) ||
        !frequencies(32, word, GA, rho_I, joints, w[1], COUNT))
      return;
    for (int i = 0; i < COUNT; i++) {
      double exact = timoshenko(i + 1, GA, rho_I), off = w[0][i] / exact - 1;
      double order = log2(off / (w[1][i] / exact - 1));
      printf("pinned, 16 elements, %s: mode %d off by %+.2e, order %.2f\n", word, i + 1, off,
             order);
      CHECK(kind ? off > 0 : off < 0);
      CHECK(fabs(off) < 2e-2);
      CHECK(order > 1.9 && order < 2.3);
    }
  }
}

// a slender cantilever: 4 elements have four frequencies from above, within 15 %, and converge at
// order 4
static void test_cantilever(void) {
  static const double exact[4] = {3.5160152685, 22.0344915647, 61.6972144135, 120.9019160},
                      bound[4] = {2e-4, 4e-3, 3e-2, 0.12};
  double w[2][4];
  for (int k = 0; k < 2; k++)
    if (!frequencies(4 << k, "consistent", 1e7, 1e-9, "  clamp: {type: fixed, b: arm.start}\n",
                     w[k], 4))
      return;
  for (int i = 0; i < 4; i++) {
    double off = w[0][i] / exact[i] - 1, order = log2(off / (w[1][i] / exact[i] - 1));
    printf("cantilever, 4 elements: mode %d off by %+.2e, order %.2f\n", i + 1, off, order);
    CHECK(off > 0 && off < bound[i]);
    if (i > 0) CHECK(order > 3.7);
  }
}

// ---- derivatives ---------------------------------------------------------------------------

// curved, twisted, with a centre of mass beside the axis and products of inertia
#define CURVED                                                                                     \
  "gravity: [0.3, -0.5, -9.81]\n"                                                                  \
  "beams:\n  arm: {along: [[0, 0, 0], [0.5, 0.2, 0.1], [1, 0, 0.3]], elements: 2, twist: 0.4,"     \
  " masses: consistent, damping: 0.01, stiffness: [200, 150, 150, 6, 4, 8], mass:"                 \
  " [[2, 0, 0, 0, 0.1, -0.06], [0, 2, 0, -0.1, 0, 0], [0, 0, 2, 0.06, 0, 0],"                      \
  " [0, -0.1, 0.06, 0.3, 0, 0], [0.1, 0, 0, 0, 0.2, 0.02], [-0.06, 0, 0, 0, 0.02, 0.15]]}\n"
#define FLAT                                                                                       \
  "gravity: [0.3, -9.81]\n"                                                                        \
  "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0.4], elements: 2, masses: consistent,"     \
  " stiffness: [200, 150, 1, 1, 1, 8], mass: [2, 2, 2, 0, 0, 0.3]}\n"

static void random_state(const hn_system *sys, double *q, double *v, double *a) {
  double d[32];
  memcpy(q, sys->q0, (size_t)sys->nq * sizeof *q);
  for (int i = 0; i < sys->nv; i++)
    d[i] = test_random(-0.3, 0.3), v[i] = test_random(-1, 1), a[i] = test_random(-1, 1);
  hn_retract(sys, q, d);
}

static void tangents(const char *text) {
  enum { MOST = 18 };
  rig r;
  if (!rig_open(&r, text)) return;
  double K[MOST * MOST] = {0}, C[MOST * MOST] = {0}, Ka[MOST * MOST] = {0};
  double q[32], v[32], a[32], x[32];
  bench b = bench_open(r.system);
  int n = r.system->nv;
  random_state(r.system, q, v, a);
  hn_eval_all(&b.work, 0, q, v);
  hn_force_tangent(&b.work, &(hn_tangent){.n = n, .K = K, .C = C});
  hn_mass_tangent(&b.work, a, &(hn_tangent){.n = n, .K = Ka});
  size_t all = (size_t)(n * n);
  double sizes[3] = {hn_largest(K, all), hn_largest(C, all), hn_largest(Ka, all)};
  CHECK(sizes[2] > 1e-3);
  for (int j = 0; j < n; j++) {
    slope(&b, q, v, NULL, j, false, x);
    for (int i = 0; i < n; i++) CHECK_REL(K[i * n + j], x[i], sizes[0], 1e-8);
    slope(&b, q, v, NULL, j, true, x);
    for (int i = 0; i < n; i++) CHECK_REL(C[i * n + j], x[i], sizes[1], 1e-8);
    slope(&b, q, v, a, j, false, x);
    for (int i = 0; i < n; i++) CHECK_REL(-Ka[i * n + j], x[i], sizes[2], 1e-8);
  }
  free(b.arena.base);
  rig_close(&r);
}

static void test_tangents(void) {
  tangents(CURVED);
  tangents(FLAT);
}

static void power(const char *text) {
  rig r;
  if (!rig_open(&r, text)) return;
  bench b = bench_open(r.system);
  for (int k = 0; k < 10; k++) {
    double q[32], v[32], a[32];
    random_state(r.system, q, v, a);
    check_power(&b, q, v);
  }
  free(b.arena.base);
  rig_close(&r);
}

static void test_power(void) {
  power(CURVED);
  power(FLAT);
}

// ---- motion --------------------------------------------------------------------------------

#define ROD                                                                                        \
  "beams:\n  rod: {from: [0, 0, 0], to: [4, 0, 0], elements: %d, stiffness: [2000, 1500, 1500,"    \
  " 60, 40, 80], mass: [1, 1, 1, 0.06, 0.02, 0.04], velocity: [1, -2, 0.5], masses: %s,"           \
  " angular_velocity: [0.7, 1.1, 2.5]}\n"                                                          \
  "simulation: {duration: 1e3, rtol: 1e-11}\n"

// M v on the bodies moves the whole rod: momentum, and angular momentum about the origin
static void momenta(const rig *r, double p[6]) {
  const hn_system *sys = r->system;
  double y[64];
  hn_work *work = &r->sim->stage.work;
  hn_eval_all(work, 0, hn_positions(r->sim), hn_velocities(r->sim));
  hn_mass_mul(work, hn_velocities(r->sim), y);
  memset(p, 0, 6 * sizeof *p);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_kin *k = &work->kin[i];
    double L[3], turn[3], *own = y + sys->body[i].v0;
    v3_cross(L, k->p, own);
    m3_mulv(turn, k->R, own + 3);
    v3_add(p, p, own);
    v3_add(p + 3, p + 3, L);
    v3_add(p + 3, p + 3, turn);
  }
}

static void test_flight(void) {
  rig r;
  if (open(&r, "explicit", 0, ROD, 4, "consistent")) {
    double before[6], after[6], e = total_energy(&r), c[3] = {2, 0, 0}, w[3] = {0.7, 1.1, 2.5},
                                v[3];
    momenta(&r, before);
    // that of a rigid rod: m (v + w x c)
    v3_cross(v, w, c);
    const double start[3] = {1, -2, 0.5};
    for (int k = 0; k < 3; k++) CHECK_REL(before[k], 4 * (start[k] + v[k]), 4, 1e-12);
    advance(&r, 3);
    momenta(&r, after);
    for (int k = 0; k < 6; k++) CHECK_REL(after[k], before[k], v3_norm(before), 1e-9);
    CHECK_REL(total_energy(&r), e, e, 1e-9);
    rig_close(&r);
  }
  // far bent, in natural coordinates
  if (open(&r, "energy-momentum", 0.02, ROD, 4, "consistent")) {
    double e = total_energy(&r), worst = 0;
    for (int i = 0; i < 1000 && CHECK(!hn_step(r.sim)); i++)
      worst = fmax(worst, fabs(total_energy(&r) / e - 1));
    printf("flying rod, consistent masses, 1000 steps: energy kept to %.1e\n", worst);
    CHECK(worst < 1e-11);
    rig_close(&r);
  }
}

// equations in natural coordinates, planar and in space, are those of reference coordinates
static void test_coordinates(void) {
  static const char *const rods[2] = {
      ROD "gravity: [0, 0, -9.81]\njoints:\n  ball: {type: spherical, b: rod.start}\n",
      "gravity: [0, -9.81]\n"
      "beams:\n  rod: {type: planar, from: [0, 0], to: [1, 0], elements: %d, masses: %s,"
      " stiffness: [200, 150, 1, 1, 1, 8], mass: [2, 2, 2, 0, 0, 0.3]}\n"
      "joints:\n  pin: {type: revolute, b: rod.start}\nsimulation: {duration: 1e3, rtol: 1e-10}\n"};
  for (int k = 0; k < 2; k++) {
    double x[2][3];
    bool ok = true;
    for (int natural = 0; natural < 2 && ok; natural++) {
      char text[2000];
      rig r;
      snprintf(text, sizeof text, "%s", rods[k]);
      char *at = strstr(text, "rtol");
      CHECK(at);
      memmove(at + 40, at, strlen(at) + 1);
      char words[41];
      snprintf(words, sizeof words, "%-40s",
               natural ? "coordinates: natural," : "coordinates: reference,");
      memcpy(at, words, 40);
      ok = open(&r, "explicit", 0, text, 3, "consistent") && advance(&r, 0.7);
      if (ok) position(&r, "rod.end", x[natural]);
      rig_close(&r);
    }
    if (ok) CHECK(distance(x[0], x[1]) < 1e-7);
  }
}

// in free fall nothing bends; by both families
static void test_fall(void) {
  static const char *const methods[2] = {"index3-alpha", "energy-momentum"};
  for (int k = 0; k < 2; k++) {
    rig r;
    hn_energy e;
    if (!open(&r, methods[k], 0.01,
              "gravity: [1, 2, -9.81]\n"
              "beams:\n  rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 3, masses: consistent,"
              " stiffness: [2000, 1500, 1500, 6, 4, 8], mass: [1, 1, 1, 0.06, 0.02, 0.04]}\n"
              "simulation: {duration: 10}\n"))
      continue;
    double before = total_energy(&r), x[3], exact[3] = {1.5, 1, -9.81 / 2};
    advance(&r, 1);
    position(&r, "rod.end", x);
    CHECK(distance(x, exact) < 1e-9);
    CHECK_NEAR(total_energy(&r), before, 1e-8);
    CHECK(!hn_sim_energy(r.sim, &e));
    // weight does all of the work
    double v2 = 1 + 4 + 9.81 * 9.81;
    CHECK_REL(e.kinetic, 0.5 * v2, 50, 1e-8);
    rig_close(&r);
  }
}

// q L^4 / (8 EI) + q L^2 / (2 GA), exactly by any number of elements
static void test_weight(void) {
  rig r;
  hn_equilibrium info;
  double x[3], exact = 1e-4 * (1 / 8.0 + 1 / (2 * 50.0));
  if (!rig_open(&r,
                "gravity: [0, -1e-4]\n"
                "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0], elements: 3,"
                " masses: consistent, stiffness: [1e4, 50, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, 1]}\n"
                "joints:\n  clamp: {type: fixed, b: arm.start}\n"))
    return;
  CHECK(!hn_statics(r.sim, HN_REST, &info, NULL));
  position(&r, "arm.end", x);
  printf("cantilever under its weight: %.9e, closed form %.9e\n", -x[1], exact);
  CHECK_REL(-x[1], exact, exact, 1e-6);
  rig_close(&r);
}

#define TAPER                                                                                      \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "beams:\n  arm: {from: [0, 0, 0], to: [2, 0, 0], elements: %d, young: 3e9, poisson: 0.3,"        \
  " density: 1200, profile: {rectangle: {width: 0.03, height: 0.05}}, damping: 1e-4,"              \
  " profile_end: {rectangle: {width: 0.02, height: 0.03}}, masses: %s}\n"                          \
  "joints:\n  ball: {type: revolute, b: arm.start, axis: [0, 1, 0.3]}\n"                           \
  "simulation: {duration: 100, rtol: 1e-8}\n"

static bool taper(const char *method, double step, int n, const char *masses, double x[3]) {
  rig r;
  bool ok = open(&r, method, step, TAPER, n, masses) && advance(&r, 0.5);
  if (ok) position(&r, "arm.end", x);
  rig_close(&r);
  return ok;
}

static void test_methods(void) {
  static const struct {
    const char *method;
    double step;
  } methods[] = {{"index3-alpha", 5e-4},
                 {"index2-alpha", 5e-4},
                 {"augmented-index3", 5e-4},
                 {"energy-momentum", 5e-4},
                 {"energy-decaying", 1e-3}};
  double exact[3], x[3], fine[3], lumped[3];
  if (!taper("explicit", 0, 4, "consistent", exact)) return;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (!taper(methods[i].method, methods[i].step, 4, "consistent", x)) continue;
    printf("tapered pendulum by %-16s off by %.1e\n", methods[i].method, distance(x, exact));
    CHECK(distance(x, exact) < 2e-4);
  }
  // both kinds of mass are of one beam
  if (!taper("index3-alpha", 5e-4, 16, "consistent", fine) ||
      !taper("index3-alpha", 5e-4, 16, "lumped", lumped))
    return;
  printf("tapered pendulum, 16 elements, both kinds of mass: differ by %.1e\n",
         distance(fine, lumped));
  CHECK(distance(fine, lumped) < 3e-4);
}

// ---- refusals ------------------------------------------------------------------------------

static void test_refusals(void) {
  rig r = {.model = hn_model_create()};
  const char *rod = "beams:\n  rod: {type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2,"
                    " stiffness: [1, 1, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, 1],\n"
                    "        masses: consistent}\n";
  CHECK(hn_model_parse(r.model, rod, strlen(rod), "test") == HN_ERR_MODEL);
  CHECK(strstr(hn_model_error(r.model), "rods have lumped masses"));
  CHECK(strstr(hn_model_error(r.model), ":3:"));
  rig_close(&r);
  char message[512] = "";
  if (rig_open(&r, FLAT)) {
    hn_sim *sim = NULL;
    hn_options o = *hn_model_options(r.model);
    snprintf(o.method, sizeof o.method, "index2-bdf");
    CHECK(hn_sim_create(&sim, r.system, &o, message, sizeof message) == HN_ERR_UNSUPPORTED);
    CHECK(strstr(message, "beams with consistent masses"));
    hn_sim_destroy(sim);
    rig_close(&r);
  }
}

int main(void) {
  RUN(test_pinned);
  RUN(test_cantilever);
  RUN(test_tangents);
  RUN(test_power);
  RUN(test_flight);
  RUN(test_coordinates);
  RUN(test_fall);
  RUN(test_weight);
  RUN(test_methods);
  RUN(test_refusals);
  return test_end();
}
