// test_beam_motion.c: beams that move.
//
//   energy       a rod in free flight: energy-momentum keeps energy and momenta, energy-decaying
//                lets the energy only fall; 1e5 steps with HN_ALL
//   elements     spin-up manoeuvre, flying rod, slider-crank and four-bar with flexible links, a
//                rotor blade with a flapping hinge: n, 2n, 4n elements converge
//   methods      the same motion by index-3, index-2, BDF, energy-momentum, augmented and explicit
//                methods, each as near as its order lets it be
//   rotation     the steady extension of a rotating arm; frequencies of a rotating cantilever,
//                against Ritz's method; of a hinged rotor blade that flaps and lags, closed forms
#include "beam_rig.h"
#include "linalg/dense.h"
#include "model/model.h"

// ---- energy and momenta --------------------------------------------------------------------

// linear and angular momentum in natural coordinates: all of these are triples in space
static void momenta(const rig *r, double p[6]) {
  const hn_mass_entries *m = r->system->mass_entries;
  const double *q = hn_positions(r->sim), *v = hn_velocities(r->sim);
  memset(p, 0, 6 * sizeof *p);
  for (int k = 0; k < m->count; k++) {
    double L[3];
    if (m->row[k] % 3 || m->col[k] % 3) continue;
    v3_cross(L, q + m->row[k], v + m->col[k]);
    v3_addto(p + 3, m->value[k], L);
  }
  for (int b = 1; b < r->system->bodies; b++) {
    hn_pose pose;
    CHECK(!hn_body_pose(r->sim, (hn_body){b}, &pose));
    v3_addto(p, r->system->body[b].mass, r->sim->stage.work.kin[b].v);
  }
}

#define ROD                                                                                        \
  "beams:\n  rod: {from: [0, 0, 0], to: [4, 0, 0], elements: %d, stiffness: [2000, 1500, 1500,"    \
  " 60, 40, 80], mass: [1, 1, 1, 0.06, 0.02, 0.04], velocity: [1, -2, 0.5],"                       \
  " angular_velocity: [0.7, 1.1, 2.5]}\n"                                                          \
  "simulation: {step: 0.02, duration: 1e4}\n"

static void test_energy(void) {
  rig r;
  int steps = getenv("HN_ALL") ? 100000 : 1500;
  if (open(&r, "energy-momentum", 0, ROD, 4)) {
    double p0[6], p[6], e0 = total_energy(&r), worst = 0, drift = 0;
    momenta(&r, p0);
    for (int i = 0; i < steps; i++) {
      if (!CHECK(!hn_step(r.sim))) {
        printf("  %s\n", hn_sim_error(r.sim));
        break;
      }
      if (i % 50) continue;
      worst = fmax(worst, fabs(total_energy(&r) / e0 - 1));
      momenta(&r, p);
      for (int k = 0; k < 6; k++)
        drift = fmax(drift, fabs(p[k] - p0[k]) / v3_norm(p0 + 3 * (k / 3)));
    }
    printf("flying rod, %d steps: energy kept to %.1e, momenta to %.1e\n", steps, worst, drift);
    // 4.6 km away after 1e5 steps
    CHECK(worst < 1e-10);
    CHECK(drift < 1e-10);
    rig_close(&r);
  }
  if (open(&r, "energy-decaying", 0, ROD, 4)) {
    double last = total_energy(&r), first = last;
    for (int i = 0; i < 200; i++) {
      if (!CHECK(!hn_step(r.sim))) {
        printf("  %s\n", hn_sim_error(r.sim));
        break;
      }
      double now = total_energy(&r);
      CHECK(now <= last + 1e-11 * first);
      last = now;
    }
    rig_close(&r);
  }
}

// ---- more elements, other methods ----------------------------------------------------------

// a problem with n elements to a beam, looked at in one place at one time
typedef struct problem {
  const char *name, *text, *body;
  double at, step;
} problem;

static const problem problems[] = {
    {"spin-up",
     "beams:\n  arm: {type: planar, from: [0, 0], to: [10, 0], elements: %d,"
     " stiffness: [2.8e7, 1e7, 0, 0, 0, 1.4e4], mass: [1.2, 1.2, 1.2, 1, 1, 6e-4]}\n"
     "joints:\n  hub: {type: revolute, b: arm.start}\n"
     "  drive: {type: driver, joint_a: hub, motion: \"0.4*(t^2/2 + (7.5/pi)^2*(cos(2*pi*t/15) -"
     " 1))\"}\n"
     "simulation: {rtol: 1e-8, duration: 100}\n",
     "arm.end", 6, 5e-3},
    {"flying rod",
     "beams:\n  rod: {type: planar, from: [0, 0], to: [6, 8], elements: %d,"
     " stiffness: [1e4, 1e4, 0, 0, 0, 500], mass: [1, 1, 1, 1, 1, 10]}\n"
     "forces:\n  push: {type: force, b: rod.start, force: [\"8*sin(pi*t/5)^2\", 0]}\n"
     "  turn: {type: torque, b: rod.start, torque: \"-80*sin(pi*t/5)^2\"}\n"
     "simulation: {rtol: 1e-8, duration: 100}\n",
     "rod.end", 5, 5e-3},
    {"slider-crank",
     "gravity: [0, -9.81]\n"
     "bodies:\n  crank: {type: planar, mass: 1, inertia: 0.01, from: [0, 0], to: [0.15, 0]}\n"
     "  slider: {type: planar, mass: 0.5, inertia: 0.001, position: [0.45, 0]}\n"
     "beams:\n  rod: {type: planar, from: [0.15, 0], to: [0.45, 0], elements: %d, young: 2e9,"
     " density: 2700, profile: {circle: {radius: 0.003}}}\n"
     "joints:\n  main: {type: revolute, b: crank, at: [0, 0]}\n"
     "  pin: {type: revolute, a: crank, b: rod.start, at: [0.15, 0]}\n"
     "  wrist: {type: revolute, a: rod.end, b: slider, at: [0.45, 0]}\n"
     "  rail: {type: prismatic, b: slider, axis: [1, 0]}\n"
     "  drive: {type: driver, joint_a: main, motion: \"20*t^2\"}\n"
     "simulation: {rtol: 1e-8, duration: 100}\n",
     "slider", 0.5, 5e-4},
    {"four-bar",
     "gravity: [0, -9.81]\n"
     "bodies:\n  crank: {type: planar, mass: 1, inertia: 0.05, from: [0, 0], to: [0, 0.4]}\n"
     "beams:\n  coupler: {type: planar, from: [0, 0.4], to: [1, 0.9], elements: %d, young: 1e9,"
     " density: 2000, profile: {rectangle: {width: 0.012, height: 0.02}}}\n"
     "  rocker: {type: planar, from: [1, 0], to: [1, 0.9], elements: %d, young: 1e9,"
     " density: 2000, profile: {rectangle: {width: 0.012, height: 0.02}}}\n"
     "joints:\n  A: {type: revolute, b: crank, at: [0, 0]}\n"
     "  B: {type: revolute, a: crank, b: coupler.start, at: [0, 0.4]}\n"
     "  C: {type: revolute, a: coupler.end, b: rocker.end, at: [1, 0.9]}\n"
     "  D: {type: revolute, b: rocker.start, at: [1, 0]}\n"
     "  drive: {type: driver, joint_a: A, motion: \"-3*t^2\"}\n"
     "simulation: {rtol: 1e-8, duration: 100}\n",
     "coupler.end", 0.8, 1e-3},
    {"rotor blade",
     "bodies:\n  hub: {mass: 2, inertia: [0.01, 0.01, 0.02], angular_velocity: [0, 0, 30]}\n"
     "beams:\n  blade: {from: [0.1, 0, 0], to: [1, 0, 0], elements: %d, young: 7e10, poisson: 0.3,"
     " density: 2700, profile: {rectangle: {width: 0.05, height: 0.004}},"
     " velocity: [0, 3, 0], angular_velocity: [0, 0, 30]}\n"
     "joints:\n  shaft: {type: revolute, b: hub}\n"
     "  drive: {type: driver, joint_a: shaft, motion: 30*t}\n"
     "  flap: {type: revolute, a: hub, b: blade.start, at: [0.1, 0, 0], axis: [0, 1, 0]}\n"
     "forces:\n  lift: {type: force, b: blade.end, force: [0, 0, \"20*sin(30*t)^2\"]}\n"
     "simulation: {rtol: 1e-8, duration: 100}\n",
     "blade.end", 0.2, 2e-4},
};

static bool result_of(const problem *p, const char *method, int n, double step, double x[3]) {
  rig r;
  if (!open(&r, method, step, p->text, n, n)) return false;
  bool ok = advance(&r, p->at);
  if (ok) position(&r, p->body, x);
  rig_close(&r);
  return ok;
}

static void test_elements(void) {
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    double x[3][3];
    bool ok = true;
    for (int k = 0; k < 3 && ok; k++)
      ok = result_of(&problems[i], "index3-alpha", 4 << k, problems[i].step, x[k]);
    if (!ok) continue;
    double first = distance(x[1], x[0]), second = distance(x[2], x[1]);
    printf("%-13s 4, 8, 16 elements differ by %.2e, %.2e: order %.2f\n", problems[i].name, first,
           second, log2(first / second));
    CHECK(log2(first / second) > 1.8 || second < 1e-7);
  }
}

static void test_methods(void) {
  static const struct {
    const char *method;
    double step, bound;
  } methods[] = {{"index3-alpha", 2e-3, 1e-3},
                 {"index2-alpha", 2e-3, 1e-3},
                 {"energy-momentum", 2e-3, 1e-3},
                 {"energy-decaying", 4e-3, 1e-3},
                 {"augmented-index3", 2e-3, 1e-3},
                 {"staggered", 1e-3, 1e-3},
                 {"explicit", 0, 1e-4}};
  const problem *p = &problems[1];
  double exact[3], x[3];
  if (!result_of(p, "index2-bdf", 4, 0, exact)) return;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (!result_of(p, methods[i].method, 4, methods[i].step, x)) continue;
    double off = distance(x, exact);
    printf("flying rod by %-16s off by %.1e\n", methods[i].method, off);
    CHECK(off < methods[i].bound);
  }
}

// a steel rod that nothing damps, let go under its weight: waves go along it, and velocities are
// theirs. The method that chooses is right at loose tolerances too
static void test_waves(void) {
  static const char *const rtol[2] = {"1e-9", "1e-3"};
  double v[2][60], most = 0, off = 0;
  for (int k = 0; k < 2; k++) {
    rig r;
    if (!open(&r, "default", 0,
              "gravity: [0, 0, -9.81]\n"
              "beams:\n  arm: {from: [0, 0, 0], to: [1, 0, 0], elements: 8, young: 2.1e11,"
              " poisson: 0.3, density: 7850, profile: {circle: {radius: 0.005}}}\n"
              "joints:\n  clamp: {type: fixed, b: arm.start}\n"
              "simulation: {duration: 0.01, coordinates: reference, rtol: %s}\n",
              rtol[k]))
      return;
    CHECK_STR(r.sim->method.integrator->info.name, "dop853");
    if (k) CHECK(strstr(r.sim->method.reason, "every vibration is followed, at rtol 1e-5"));
    if (advance(&r, 0.01)) memcpy(v[k], hn_velocities(r.sim), 54 * sizeof(double));
    rig_close(&r);
  }
  for (int i = 0; i < 54; i++) {
    if (i % 6 > 2) continue;
    most = fmax(most, fabs(v[0][i])), off = fmax(off, fabs(v[1][i] - v[0][i]));
  }
  printf("undamped rod at rtol 1e-3: velocities off by %.1e of the largest\n", off / most);
  CHECK(off < 0.01 * most);
}

// a steady rotation stretches the arm by rho A w^2 L^3 / (3 EA)
static void test_spin_up(void) {
  rig r;
  double x[3];
  if (!open(&r, "index3-alpha", 0,
            "beams:\n  arm: {type: planar, from: [0, 0], to: [10, 0], elements: 8, damping: 0.01,"
            " stiffness: [2.8e7, 1e7, 0, 0, 0, 1.4e4], mass: [1.2, 1.2, 1.2, 1, 1, 6e-4]}\n"
            "joints:\n  hub: {type: revolute, b: arm.start}\n"
            "  drive: {type: driver, joint_a: hub, motion: \"if(t < 15, 0.4*(t^2/2 +"
            " (7.5/pi)^2*(cos(2*pi*t/15) - 1)), 6*t - 45)\"}\n"
            "simulation: {step: 0.01, duration: 100}\n"))
    return;
  if (advance(&r, 40)) {
    position(&r, "arm.end", x);
    double stretch = v3_norm(x) - 10, exact = 1.2 * 36 * 1000 / (3 * 2.8e7);
    printf("spin-up: steady extension %.4e, closed form %.4e\n", stretch, exact);
    CHECK_REL(stretch, exact, exact, 0.01);
  }
  rig_close(&r);
}

// ---- rotation ------------------------------------------------------------------------------

// the first frequency of a cantilever that rotates with W, across the plane of rotation, by Ritz's
// method with x^2 ... x^8: EI = rho A = L = 1, tension W^2 (1 - x^2) / 2
static double ritz(double W) {
  enum { N = 7 };
  double M[N * N], A[N * N], w[N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double p = i + 2, q = j + 2, s = i + j;
      M[N * i + j] = 1 / (s + 5);
      A[N * i + j] =
          p * (p - 1) * q * (q - 1) / (s + 1) + W * W * p * q / 2 * (1 / (s + 3) - 1 / (s + 5));
    }
  // L^-1 A L^-T
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

static void test_rotation(void) {
  CHECK_REL(ritz(0), 3.5160152685, 3.5, 1e-9);
  for (int k = 0; k < 2; k++) {
    rig r;
    double W = k ? 6 : 3, exact = ritz(W), nearest = 0;
    hn_linear *linear = NULL;
    hn_modes *modes = NULL;
    if (!open(&r, "index2-bdf", 0,
              "beams:\n  arm: {from: [0, 0, 0], to: [1, 0, 0], elements: 6, damping: 0.05,"
              " angular_velocity: [0, 0, %g], stiffness: [2e4, 1e5, 1e5, 1, 1, 4],"
              " mass: [1, 1, 1, 2e-4, 1e-4, 1e-4]}\n"
              "joints:\n  hub: {type: revolute, b: arm.start}\n"
              "  drive: {type: driver, joint_a: hub, motion: %g*t}\n"
              "simulation: {duration: 100, rtol: 1e-9}\n",
              W, W))
      return;
    if (advance(&r, 20) && CHECK(!hn_linearise(r.sim, &linear)) &&
        CHECK(!hn_modes_create(&modes, linear)))
      for (int i = 0; i < modes->count; i++) {
        double w = hypot(modes->mode[i].re, modes->mode[i].im);
        if (modes->mode[i].im > 0 && fabs(w - exact) < fabs(nearest - exact)) nearest = w;
      }
    if (!linear) printf("  %s\n", hn_sim_error(r.sim));
    printf("rotating cantilever, W = %g: %.5f, Ritz %.5f\n", W, nearest, exact);
    CHECK_REL(nearest, exact, exact, 1e-3);
    hn_modes_destroy(modes);
    hn_linear_destroy(linear);
    rig_close(&r);
  }
}

// the mode that vibrates nearest to w
static double nearest_mode(rig *r, double w) {
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  double nearest = INFINITY;
  if (CHECK(!hn_linearise(r->sim, &linear)) && CHECK(!hn_modes_create(&modes, linear)))
    for (int i = 0; i < modes->count; i++) {
      double own = hypot(modes->mode[i].re, modes->mode[i].im);
      if (modes->mode[i].im > 0 && fabs(own - w) < fabs(nearest - w)) nearest = own;
    }
  if (!linear) printf("  %s\n", hn_sim_error(r->sim));
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  return nearest;
}

// A rotor blade with hinges for flapping and lagging e from the axis of the rotor, L long: as a
// rigid one it flaps with W sqrt(1 + k) and lags with W sqrt(k), k = 3 e / (2 L)
static void test_rotor(void) {
  const double W = 20, e = 0.1, k = 1.5 * e / 0.9;
  rig r;
  if (!open(&r, "index2-bdf", 0,
            "bodies:\n  hub: {mass: 2, inertia: [0.01, 0.01, 0.02], angular_velocity: [0, 0, %g]}\n"
            "beams:\n  blade: {from: [%g, 0, 0], to: [1, 0, 0], elements: 6, damping: 0.002,"
            " stiffness: [1e6, 1e6, 1e6, 1e4, 1e4, 1e4], mass: [1, 1, 1, 2e-4, 1e-4, 1e-4],"
            " velocity: [0, %g, 0], angular_velocity: [0, 0, %g]}\n"
            "joints:\n  shaft: {type: revolute, b: hub}\n"
            "  drive: {type: driver, joint_a: shaft, motion: %g*t}\n"
            "  hinges: {type: universal, a: hub, b: blade.start, at: [%g, 0, 0], axis: [0, 1, 0],"
            " axis_b: [0, 0, 1]}\n"
            "forces:\n  damper: {type: torsion-spring, joint: hinges, coordinate: angle_b, "
            "damping: 1}\n"
            "simulation: {duration: 100, rtol: 1e-10}\n",
            W, e, W * e, W, W, e))
    return;
  if (advance(&r, 8)) {
    double flap = nearest_mode(&r, W * sqrt(1 + k)), lag = nearest_mode(&r, W * sqrt(k));
    printf("rotor blade: flaps with %.5f, lags with %.5f; rigid %.5f, %.5f\n", flap, lag,
           W * sqrt(1 + k), W * sqrt(k));
    CHECK_REL(flap, W * sqrt(1 + k), W, 1e-3);
    CHECK_REL(lag, W * sqrt(k), W * sqrt(k), 1e-3);
  }
  rig_close(&r);
}

int main(void) {
  RUN(test_energy);
  RUN(test_elements);
  RUN(test_methods);
  RUN(test_waves);
  RUN(test_spin_up);
  RUN(test_rotation);
  RUN(test_rotor);
  return test_end();
}
