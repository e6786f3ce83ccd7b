// test_energy.c: the energy-momentum family: discrete derivatives, Newton matrix, what is
// conserved, what decays, orders, and that multipliers may be eliminated.
#include "integrators/energy/energy_decaying.h"
#include "test.h"

#include <stdlib.h>

typedef struct rig {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
} rig;

static void rig_end(rig *r) {
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

static bool rig_start(rig *r, const char *model, const char *method, const char *points,
                      double step) {
  char message[512] = "";
  *r = (rig){.model = hn_model_create()};
  hn_status status = strchr(model, ':') ? hn_model_parse(r->model, model, strlen(model), "text")
                                        : hn_model_load(r->model, model);
  hn_options *o = hn_model_options(r->model);
  o->solver[0] = o->correction[0] = o->integrator[0] = 0;
  if (!status) status = hn_options_set(o, "method", method, message, sizeof message);
  if (!status) status = hn_options_set(o, "natural_points", points, message, sizeof message);
  o->step = step;
  if (!status) status = hn_compile(&r->sys, r->model);
  if (!status) status = hn_sim_create(&r->sim, r->sys, o, message, sizeof message);
  if (!CHECK(status == HN_OK)) printf("  %.60s: %s %s\n", model, hn_model_error(r->model), message);
  return status == HN_OK;
}

// ---- derivatives ---------------------------------------------------------------------------

static double value_of(hn_function_type type, const double x[2]) {
  switch (type) {
  case HN_F_ROOT: return sqrt(x[0]);
  case HN_F_ASIN: return asin(x[0]);
  case HN_F_ANGLE: return atan2(x[1], x[0]);
  default: return x[0];
  }
}

// d . (y - x) = g(y) - g(x), d becomes the derivative, slopes and g against differences; far
// apart, near, and almost the same
static void test_discrete(void) {
  static const double gap[] = {0.3, 1e-2, 1e-5, 1e-9};
  for (int type = HN_F_VALUE; type <= HN_F_ANGLE; type++)
    for (int k = 0; k < 4; k++)
      for (int repeat = 0; repeat < 20; repeat++) {
        double x[2] = {test_random(0.3, 0.6), test_random(-0.6, 0.6)}, y[2];
        for (int i = 0; i < 2; i++) y[i] = x[i] + gap[k] * test_random(-0.9, 0.9);
        hn_discrete a, b, c;
        hn_discrete_function((hn_function_type)type, x, y, &a);
        double change = value_of((hn_function_type)type, y) - value_of((hn_function_type)type, x);
        CHECK_NEAR(a.change, change, 1e-15 + 1e-13 * gap[k]);
        CHECK_REL(a.d[0] * (y[0] - x[0]) + a.d[1] * (y[1] - x[1]), a.change, 1e-3, 1e-12);
        const double h = 1e-6;
        for (int j = 0; j < 2; j++) {
          double up[2] = {y[0], y[1]}, down[2] = {y[0], y[1]};
          up[j] += h, down[j] -= h;
          hn_discrete_function((hn_function_type)type, x, up, &b);
          hn_discrete_function((hn_function_type)type, x, down, &c);
          for (int i = 0; i < 2; i++) CHECK_NEAR(a.slope[i][j], (b.d[i] - c.d[i]) / (2 * h), 1e-5);
          double g = value_of((hn_function_type)type, up) - value_of((hn_function_type)type, down);
          CHECK_NEAR(a.g[j], g / (2 * h), 1e-8);
        }
      }
}

// springs and torsion springs, linear, with polynomials and damping, a driven angle, a gear
static const char machine[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  lower: {type: planar, mass: 2, inertia: 0.3, position: [1.5, 0], angular_velocity: 2}\n"
    "  slider: {type: planar, mass: 2, inertia: 0.3, position: [2, 0]}\n"
    "  wheel: {type: planar, mass: 1, inertia: 0.2, position: [0, 2]}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground, b: upper, at: [0, 0]}\n"
    "  B: {type: revolute, a: upper, b: lower, at: [1, 0]}\n"
    "  C: {type: prismatic, a: lower, b: slider, at: [2, 0], axis: [1, 0, 0]}\n"
    "  W: {type: revolute, a: ground, b: wheel, at: [0, 2]}\n"
    "  geared: {type: gear, joint_a: A, joint_b: W, ratio: 2}\n"
    "forces:\n"
    "  coil: {type: spring, a: ground, at: [3, 1], b: slider, at_b: [2, 0], stiffness: 50,"
    " damping: 2, free: 1}\n"
    "  hard: {type: spring, a: upper, at: [0.5, 0], b: slider, at_b: [2, 0],"
    " coefficients: [10, 5, 30], free: 1.2}\n"
    "  twist: {type: torsion-spring, joint: B, stiffness: 8, damping: 0.3, free: 0.4}\n"
    "  guide: {type: spring, joint: C, stiffness: 100}\n";

static const char driven[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  nut: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.3, 0.1, 0.2]}\n"
    "  arm: {mass: 1, inertia: [[0.2, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.3]],"
    " position: [1, 0.1, 0.2]}\n"
    "joints:\n"
    "  thread: {type: screw, a: ground, b: nut, at: [0, 0, 0], axis: [1, 2, 3], pitch: 0.1}\n"
    "  cross: {type: universal, a: nut, b: arm, at: [0.6, 0, 0], axis: [1, 0, 0],"
    " axis_b: [0, 1, 0]}\n"
    "  push: {type: driver, a: ground, b: arm, coordinate: x, motion: 0.1*sin(3*t)}\n"
    "forces:\n"
    "  coil: {type: spring, a: ground, at: [3, 1, 0], b: arm, at_b: [1, 0, 0], stiffness: 50}\n"
    "  twist: {type: torsion-spring, a: ground, b: arm, axis: [0, 0, 1], stiffness: 3}\n";

// a frame on bushings that couple everything with everything, with a body that hangs from it
static const char mounted[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  frame: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [0.1, 0.2, 0.3],"
    " angular_velocity: [3, -2, 1], velocity: [0, 1, 0]}\n"
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.05], position: [0.6, 0.2, 0.3],"
    " velocity: [0, 1, 0.5]}\n"
    "joints:\n"
    "  hinge: {type: revolute, a: frame, b: arm, at: [0.3, 0.2, 0.3], axis: [0, 1, 1]}\n"
    "forces:\n"
    "  mount: {type: bushing, a: ground, b: frame, at: [0, 0.1, 0.2], axis: [1, 1, 0],"
    " stiffness: [300, 400, 500, 8, 5, 6]%s}\n"
    "  stay: {type: bushing, a: frame, b: arm, at: [0.5, 0.5, 0.3],"
    " stiffness: [[90, 5, 0, 1, 0, 0], [5, 80, 0, 0, 0, 2], [0, 0, 70, 0, 1, 0],"
    " [1, 0, 0, 3, 0, 0], [0, 0, 1, 0, 4, 0], [0, 2, 0, 0, 0, 5]]%s}\n";

static const char planar_mounted[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  plate: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], angular_velocity: 2}\n"
    "  pad: {type: planar, mass: 2, inertia: 0.2, position: [1.1, 0], velocity: [0, 1]}\n"
    "forces:\n"
    "  one: {type: bushing, a: ground, b: plate, at: [0.2, 0.1],"
    " stiffness: [90, 70, 0, 0, 0, 4]%s}\n"
    "  two: {type: bushing, a: plate, b: pad, at: [0.8, 0.2], stiffness: [50, 60, 0, 0, 0, 3]}\n";

// a pendulum in the range of a stop, with a wheel on a level road
static const char stopped[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], angular_velocity: 0.5}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground, b: rod, at: [0, 0]}\n"
    "forces:\n"
    "  stop: {type: bump-stop, a: ground, b: rod, at: [0, 0], at_b: [0.9, 0.2], axis: [0, -1],"
    " gap: -0.25, stiffness: 300}\n"
    "  wheel: {type: tyre, a: ground, b: rod, at: [0.7, -0.3], radius: 0.1, stiffness: 400,"
    " road: -0.35}\n";

static const char dampers[] = ", damping: [10, 20, 10, 0.3, 0.2, 0.1]";

// A against differences of r - D^T l, J1 against differences of phi, at any w and l
static void check_matrix(const char *model, const char *points) {
  rig r;
  if (rig_start(&r, model, "energy-momentum", points, 0.02)) {
    hn_energy_step *s = r.sim->method.integrator_data;  // its first member
    const hn_system *sys = r.sys;
    const hn_natural *n = hn_natural_of(sys);
    int nv = sys->nv, size = nv + sys->rows;
    double *K = calloc((size_t)(size * size), sizeof(double));
    double *side = calloc(2 * (size_t)size, sizeof(double)), *w = calloc((size_t)nv, sizeof *w);
    double worst = 0, scale = 1;
    hn_energy_begin(s, r.sim, 0.02);
    for (int i = 0; i < nv; i++) s->w[i] += 0.5 * test_random(-1, 1), w[i] = s->w[i];
    for (int i = 0; i < sys->rows; i++) s->l[i] = 1e-2 * test_random(-1, 1);
    hn_energy_evaluate(s, r.sim);
    hn_energy_matrix(s, r.sim);
    for (int j = 0; j < size; j++)
      for (int e = s->start[j]; e < s->start[j + 1]; e++)
        K[s->row[e] * size + j] = hn_sparse_values(s->sparse)[e];
    for (int j = 0; j < nv; j++) {
      const double d = 1e-5;
      for (int k = 0; k < 2; k++) {
        for (int i = 0; i < nv; i++) s->w[i] = w[i] + (i == j ? (k ? -d : d) / s->kappa : 0);
        hn_energy_evaluate(s, r.sim);
        double *o = side + k * size;
        for (int i = 0; i < nv; i++) o[i] = s->r[i];
        for (int i = 0; i < sys->rows; i++) {
          o[nv + i] = s->phi[i];
          for (int e = n->start[i]; e < n->start[i + 1]; e++) o[n->column[e]] -= s->D[e] * s->l[i];
        }
      }
      for (int i = 0; i < size; i++) {
        if (i >= nv && r.sim->rows.D && r.sim->rows.D[i - nv] > 0) continue;
        double slope = (side[i] - side[size + i]) / (2 * d);
        scale = fmax(scale, fabs(slope));
        worst = fmax(worst, fabs(K[i * size + j] - slope));
      }
    }
    if (!CHECK(worst < 1e-7 * scale)) printf("  %.30s: %g of %g\n", model, worst, scale);
    free(K), free(side), free(w);
  }
  rig_end(&r);
}

// the same of the step that lets the energy fall: all unknowns but the multipliers
static void check_decaying_matrix(const char *model, double tolerance) {
  rig r;
  if (rig_start(&r, model, "energy-decaying", "joined", 0.02)) {
    r.sim->opt.dissipation = 0.8;
    hn_decaying *d = r.sim->method.integrator_data;  // its first member
    int nv = r.sys->nv, rows = r.sys->rows, small = nv + rows, size = 2 * small;
    double *K = calloc((size_t)(size * size), sizeof(double));
    double *side = calloc(2 * (size_t)size, sizeof(double)), worst = 0, scale = 1;
    hn_decaying_begin(d, r.sim, 0.02);
    for (int i = 0; i < nv; i++)
      d->x[i] += 1e-3 * test_random(-1, 1), d->y[i] += 1e-3 * test_random(-1, 1);
    for (int i = 0; i < rows; i++) {
      bool out = r.sim->rows.D && r.sim->rows.D[i] > 0;
      d->l[i] = out ? 0 : 1e-2 * test_random(-1, 1);
      d->n[i] = out ? 0 : 1e-2 * test_random(-1, 1);
    }
    hn_decaying_evaluate(d, r.sim);
    for (int j = 0; j < size; j++)
      for (int i = 0; i < size; i++) {
        int at = hn_sparse_place(d->sparse, i, j);
        K[i * size + j] = at < 0 ? 0 : hn_sparse_values(d->sparse)[at];
      }
    for (int j = 0; j < 2 * nv; j++) {
      const double step = 1e-6;
      double *x = j < nv ? &d->x[j] : &d->y[j - nv], kept = *x;
      int column = j < nv ? j : rows + j;
      for (int k = 0; k < 2; k++) {
        *x = kept + (k ? -step : step);
        hn_decaying_evaluate(d, r.sim);
        double *o = side + k * size;
        for (int i = 0; i < size; i++) {
          o[i] = -d->r[i];
          for (int row = 0; row < rows && i % small < nv; row++)
            for (int n = 0; n < 2; n++) {
              int at = hn_sparse_place(d->sparse, i, n * small + nv + row);
              if (at >= 0) o[i] += hn_sparse_values(d->sparse)[at] * (n ? d->n : d->l)[row];
            }
        }
      }
      *x = kept;
      for (int i = 0; i < size; i++) {
        if (i % small >= nv && r.sim->rows.D && r.sim->rows.D[i % small - nv] > 0) continue;
        double slope = (side[i] - side[size + i]) / (2 * step);
        scale = fmax(scale, fabs(slope));
        worst = fmax(worst, fabs(K[i * size + column] - slope));
      }
    }
    if (!CHECK(worst < tolerance * scale)) printf("  %.30s: %g of %g\n", model, worst, scale);
    free(K), free(side);
  }
  rig_end(&r);
}

static void test_matrix(void) {
  static const char *const models[] = {machine, driven, "models/bricard.yaml",
                                       "models/flyball_governor.yaml"};
  for (int m = 0; m < 4; m++)
    for (int p = 0; p < 2; p++) check_matrix(models[m], p ? "shared" : "joined");
  char text[1200];
  for (int d = 0; d < 2; d++) {
    snprintf(text, sizeof text, mounted, d ? dampers : "", d ? dampers : "");
    check_matrix(text, "joined");
  }
  snprintf(text, sizeof text, planar_mounted, ", damping: [1, 2, 0, 0, 0, 0.4]");
  check_matrix(text, "joined");
  check_matrix(stopped, "shared");
  for (int m = 0; m < 4; m++) check_decaying_matrix(models[m], 1e-6);
  for (int d = 0; d < 2; d++) {
    snprintf(text, sizeof text, mounted, d ? dampers : "", d ? dampers : "");
    check_decaying_matrix(text, d ? 5e-2 : 1e-6);  // how dampers turn with the way is left out
  }
  check_decaying_matrix(stopped, 1e-6);
}

// ---- conservation --------------------------------------------------------------------------

// energy in natural coordinates
static double energy_of(const rig *r) {
  hn_energy e;
  CHECK(hn_sim_energy(r->sim, &e) == HN_OK);
  return e.kinetic + e.potential - e.work;
}

// linear and angular momentum of a system in space: all coordinates are triples there
static void momentum_of(const rig *r, double p[6]) {
  const hn_mass_entries *m = r->sys->mass_entries;
  const double *q = hn_positions(r->sim), *v = hn_velocities(r->sim);
  memset(p, 0, 6 * sizeof *p);
  for (int k = 0; k < m->count; k++) {
    if (m->row[k] % 3 || m->col[k] % 3) continue;
    double L[3];
    v3_cross(L, q + m->row[k], v + m->col[k]);
    v3_addto(p + 3, m->value[k], L);
  }
  hn_pose pose;
  for (int b = 1; b < r->sys->bodies; b++) {
    hn_body_pose(r->sim, (hn_body){b}, &pose);
    for (int i = 0; i < 3; i++) p[i] += r->sys->body[b].mass * r->sim->stage.work.kin[b].v[i];
  }
}

// two bodies that fly and spin, joined by a ball and two springs, without gravity
static const char flight[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0], velocity: [0.3, 0, 0],"
    " angular_velocity: [1, 2, 3]}\n"
    "  b: {mass: 2, inertia: [0.3, 0.2, 0.15], position: [1, 0, 0], velocity: [0, 0.5, 0],"
    " angular_velocity: [-1, 0, 2]}\n"
    "joints:\n"
    "  ball: {type: spherical, a: a, b: b, at: [0.5, 0, 0]}\n"
    "forces:\n"
    "  one: {type: spring, a: a, at: [0, 0.5, 0], b: b, at_b: [1, 0.5, 0], stiffness: 30,"
    " free: 0.8}\n"
    "  two: {type: spring, a: a, at: [0, 0, 0.5], b: b, at_b: [1, 0.3, 0],"
    " coefficients: [5, 2, 20]}\n";

// the same on a bushing
static const char coupled[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], velocity: [0.3, 0, 0], angular_velocity: [1, 2, "
    "3]}\n"
    "  b: {mass: 2, inertia: [0.3, 0.2, 0.15], position: [1, 0, 0], velocity: [0, 0.5, 0],"
    " angular_velocity: [-1, 0, 2]}\n"
    "forces:\n"
    "  mount: {type: bushing, a: a, b: b, at: [0.5, 0.1, 0],"
    " stiffness: [[90, 5, 0, 1, 0, 0], [5, 80, 0, 0, 0, 2], [0, 0, 70, 0, 1, 0],"
    " [1, 0, 0, 3, 0, 0], [0, 0, 1, 0, 4, 0], [0, 2, 0, 0, 0, 5]]%s}\n";

static const char double_pendulum[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  lower: {type: planar, mass: 2, inertia: 0.3, position: [1.5, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground, b: upper, at: [0, 0]}\n"
    "  B: {type: revolute, a: upper, b: lower, at: [1, 0]}\n";

// energy at every thousandth of the run, relative to the largest kinetic energy
static void check_energy(const char *model, const char *method, const char *points, double step,
                         int steps, double tolerance) {
  rig r;
  if (rig_start(&r, model, method, points, step)) {
    double start = energy_of(&r), worst = 0, scale = 0;
    bool ok = true;
    for (int k = 0; k < 50 && ok; k++) {
      for (int i = 0; i < steps / 50 && ok; i++) ok = CHECK(hn_step(r.sim) == HN_OK);
      if (!ok) printf("  %.40s: %s\n", model, hn_sim_error(r.sim));
      worst = fmax(worst, fabs(energy_of(&r) - start));
      scale = fmax(scale, r.sim->audit.energy.kinetic);
    }
    if (!CHECK(worst <= tolerance * scale)) printf("  %.40s %s\n", model, method);
    printf("%-40.40s %-20s %6d steps: energy off by %.1e\n",
           strchr(model, ':') ? model + strcspn(model, "]") + 9 : model, method, steps,
           worst / scale);
  }
  rig_end(&r);
}

static void test_conservation(void) {
  check_energy(double_pendulum, "energy-momentum", "shared", 2e-3, 100000, 1e-11);
  check_energy("models/pendulum.yaml", "energy-momentum", "joined", 2e-3, 100000, 1e-11);
  check_energy("models/heavy_top.yaml", "energy-momentum", "shared", 1e-3, 2000, 1e-11);
  check_energy("models/four_bar.yaml", "energy-momentum", "joined", 5e-3, 2000, 1e-11);
  check_energy("models/bricard.yaml", "energy-momentum", "joined", 1e-2, 500, 1e-10);
  check_energy("models/parallelogram.yaml", "energy-momentum", "shared", 5e-3, 200, 1e-11);
  check_energy("models/flyball_governor.yaml", "energy-momentum", "shared", 1e-3, 500, 1e-10);
  check_energy(machine, "energy-momentum", "shared", 5e-3, 1000, 1e-10);
  check_energy(driven, "energy-momentum", "joined", 5e-3, 300, 1e-10);
}

// bushings and stops have potentials, and their energy is exact; a tyre on a level road is a spring
static void test_elements(void) {
  char text[1200];
  snprintf(text, sizeof text, mounted, "", "");
  check_energy(text, "energy-momentum", "joined", 5e-3, 2000, 1e-10);
  check_energy(text, "discrete-null-space", "joined", 5e-3, 500, 1e-10);
  snprintf(text, sizeof text, planar_mounted, "");
  check_energy(text, "energy-momentum", "joined", 5e-3, 2000, 1e-10);
  check_energy(stopped, "energy-momentum", "shared", 2e-3, 1000, 1e-10);
  // what dampers take they never give back
  snprintf(text, sizeof text, mounted, dampers, dampers);
  for (int m = 0; m < 2; m++) {
    rig r;
    if (rig_start(&r, text, m ? "energy-decaying" : "energy-momentum", "joined", 0.02)) {
      hn_energy e;
      CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
      for (int k = 0; k < 300; k++) {
        double last = e.kinetic + e.potential;
        CHECK(hn_step(r.sim) == HN_OK && hn_sim_energy(r.sim, &e) == HN_OK);
        CHECK(e.kinetic + e.potential <= last + 1e-12);
      }
    }
    rig_end(&r);
  }
}

// a wheel that leaves a level road and comes down again: with the energy of the tyre, k d^2 / 2,
// the sum is kept, because every step ends where the wheel touches or leaves
static void test_tyre(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  axle: {type: planar, mass: 2, inertia: 0.3, position: [0, 0.6], angular_velocity: 1}\n"
      "forces:\n"
      "  tyre: {type: tyre, a: ground, b: axle, at: [0.1, 0.55], radius: 0.4, stiffness: 900}\n";
  rig r;
  if (rig_start(&r, text, "energy-momentum", "joined", 0.01)) {
    double first = 0, worst = 0;
    for (int k = 0; k < 300; k++) {
      hn_energy e;
      hn_pose p;
      CHECK(hn_sim_energy(r.sim, &e) == HN_OK && hn_body_pose(r.sim, (hn_body){1}, &p) == HN_OK);
      double angle = 2 * atan2(p.orientation[3], p.orientation[0]);
      double z = p.position[1] + 0.1 * sin(angle) - 0.05 * cos(angle), d = fmax(0, 0.4 - z);
      double sum = e.kinetic + e.potential + 450 * d * d;
      if (k == 0) first = sum;
      worst = fmax(worst, fabs(sum - first));
      CHECK(hn_step(r.sim) == HN_OK);
    }
    printf("bouncing wheel: %ld events, energy off by %.1e of %.1e J\n", r.sim->watch.located,
           worst, first);
    CHECK(r.sim->watch.located > 4 && worst < 1e-10 * first);
  }
  rig_end(&r);
}

static void check_momentum(const char *model, const char *name, int steps, double tolerance) {
  rig r;
  if (!rig_start(&r, model, "energy-momentum", "joined", 0.01)) {
    rig_end(&r);
    return;
  }
  double E = energy_of(&r), start[6], now[6], worst[3] = {0, 0, 0};
  momentum_of(&r, start);
  for (int k = 0; k < steps; k++) {
    if (hn_step(r.sim)) CHECK(false);
    if (k % 100) continue;
    worst[0] = fmax(worst[0], fabs(energy_of(&r) - E));
    momentum_of(&r, now);
    for (int i = 0; i < 6; i++) worst[1 + i / 3] = fmax(worst[1 + i / 3], fabs(now[i] - start[i]));
  }
  printf("%s, %d steps: energy, linear, angular momentum off by %.1e %.1e %.1e\n", name, steps,
         worst[0], worst[1], worst[2]);
  CHECK(worst[0] < tolerance && worst[1] < 1e-11 && worst[2] < 1e-11);
  rig_end(&r);
}

static void test_momentum(void) {
  check_momentum("models/torque_free.yaml", "spinning body", 100000, 1e-11);
  check_momentum(flight, "two bodies and springs", 10000, 1e-11);
  char text[1000];
  for (int d = 0; d < 2; d++) {
    snprintf(text, sizeof text, coupled, d ? dampers : "");
    // the work of dampers is a sum over all steps
    check_momentum(text, d ? "two bodies and a damped bushing" : "two bodies and a bushing", 4000,
                   d ? 1e-10 : 1e-11);
  }
}

// ---- accuracy ------------------------------------------------------------------------------

// largest distance of body origins between two runs at the same time
static double apart(const rig *a, const rig *b) {
  double worst = 0;
  for (int i = 1; i < a->sys->bodies; i++) {
    hn_pose x, y;
    CHECK(hn_body_pose(a->sim, (hn_body){i}, &x) == HN_OK);
    CHECK(hn_body_pose(b->sim, (hn_body){i}, &y) == HN_OK);
    for (int k = 0; k < 3; k++) {
      worst = fmax(worst, fabs(x.position[k] - y.position[k]));
      worst = fmax(worst, fabs(x.angular_velocity[k] - y.angular_velocity[k]));
    }
  }
  return worst;
}

// against an explicit run with tight tolerances in reference coordinates
static void check_order(const char *model, const char *method, double step, double t) {
  double error[3];
  rig exact, r;
  if (rig_start(&exact, model, "default", "auto", 0)) {
    hn_sim_destroy(exact.sim);
    hn_options o = *hn_model_options(exact.model);
    char message[512];
    o.rtol = 1e-11;
    CHECK(hn_sim_create(&exact.sim, exact.sys, &o, message, sizeof message) == HN_OK);
    CHECK(hn_advance(exact.sim, t) == HN_OK);
    for (int k = 0; k < 3; k++) {
      if (rig_start(&r, model, method, "auto", step / (1 << k))) {
        CHECK(hn_advance(r.sim, t) == HN_OK);
        error[k] = apart(&r, &exact);
      }
      rig_end(&r);
    }
    double order = log2(error[0] / error[2]) / 2;
    if (!CHECK(order > 1.8 && order < (strcmp(method, "energy-decaying") ? 2.4 : 3.3)))
      printf("  %.40s, %s\n", model, method);
    printf("%-20s order %.2f, errors %.1e %.1e %.1e\n", method, order, error[0], error[1],
           error[2]);
  }
  rig_end(&exact);
}

static void test_order(void) {
  check_order("models/four_bar.yaml", "energy-momentum", 4e-3, 1);
  check_order("models/bricard.yaml", "energy-momentum", 1e-2, 0.5);
  check_order("models/heavy_top.yaml", "energy-momentum", 2e-4, 0.02);
  check_order(machine, "energy-momentum", 5e-3, 0.5);
  check_order(machine, "discrete-null-space", 5e-3, 0.5);
  check_order("models/four_bar.yaml", "energy-decaying", 4e-3, 1);
  check_order(machine, "energy-decaying", 5e-3, 0.5);
  char text[1200];
  snprintf(text, sizeof text, mounted, dampers, dampers);
  check_order(text, "energy-momentum", 5e-3, 0.4);
  snprintf(text, sizeof text, planar_mounted, ", damping: [1, 2, 0, 0, 0, 0.4]");
  check_order(text, "energy-momentum", 5e-3, 0.4);
  check_order(stopped, "energy-momentum", 5e-3, 0.2);
}

// the same motion and the same reactions without multipliers among the unknowns
static void check_null_space(const char *model, const char *points, double step, int steps,
                             bool determined) {
  rig a, b;
  bool ok = rig_start(&a, model, "energy-momentum", points, step);
  if (rig_start(&b, model, "discrete-null-space", points, step) && ok) {
    for (int k = 0; k < steps; k++) {
      CHECK(hn_step(a.sim) == HN_OK);
      if (!CHECK(hn_step(b.sim) == HN_OK)) printf("  %.40s: %s\n", model, hn_sim_error(b.sim));
    }
    double off = apart(&a, &b), size = 1e-3, difference = 0;
    const hn_energy_step *s = a.sim->method.integrator_data, *t = b.sim->method.integrator_data;
    for (int i = 0; i < a.sys->rows; i++) {
      size = fmax(size, fabs(s->lambda[i]));
      difference = fmax(difference, fabs(s->lambda[i] - t->lambda[i]));
    }
    if (!CHECK(off < 1e-9)) printf("  %.40s: %g\n", model, off);
    if (determined && !CHECK(difference < 1e-7 * size)) printf("  %.40s\n", model);
  }
  rig_end(&a), rig_end(&b);
}

static void test_null_space(void) {
  check_null_space("models/four_bar.yaml", "joined", 5e-3, 200, true);
  check_null_space("models/four_bar.yaml", "shared", 5e-3, 200, true);
  check_null_space("models/bricard.yaml", "joined", 1e-2, 20, false);
  check_null_space("models/parallelogram.yaml", "shared", 5e-3, 10, false);
  check_null_space("models/heavy_top.yaml", "joined", 1e-3, 100, true);
  check_null_space(machine, "joined", 5e-3, 100, true);
  check_null_space(driven, "joined", 5e-3, 50, true);
}

// ---- decay ---------------------------------------------------------------------------------

// a pendulum with a stiff spring in it: slow swing, fast shaking of 1.6 kHz
static const char stiff[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  bob: {type: planar-point, mass: 1, position: [1.02, 0]}\n"
    "forces:\n"
    "  rod: {type: spring, a: ground, at: [0, 0], b: bob, at_b: [1.02, 0], stiffness: 1e6,"
    " free: 1}\n";

static double shaking_after(const char *method, double dissipation, double t, double *rise) {
  rig r;
  double last, length = NAN;
  *rise = NAN;
  if (rig_start(&r, stiff, method, "auto", 5e-3)) {
    hn_options o = *hn_model_options(r.model);
    char message[512];
    o.dissipation = dissipation;
    hn_sim_destroy(r.sim);
    CHECK(hn_sim_create(&r.sim, r.sys, &o, message, sizeof message) == HN_OK);
    *rise = 0;
    last = energy_of(&r);
    double most = 0;
    while (hn_time(r.sim) < t) {
      if (!CHECK(hn_step(r.sim) == HN_OK)) {
        printf("  %s\n", hn_sim_error(r.sim));
        break;
      }
      double now = energy_of(&r);
      *rise = fmax(*rise, now - last);
      last = now;
      const double *q = hn_positions(r.sim);
      length = fabs(hypot(q[0], q[1]) - 1);
      most = hn_time(r.sim) > 0.9 * t ? fmax(most, length) : 0;
    }
    length = most;
  }
  rig_end(&r);
  return length;
}

static void test_decay(void) {
  double rise, kept = shaking_after("energy-momentum", 0, 2, &rise);
  CHECK(rise < 1e-9);  // of 200 J
  double damped = shaking_after("energy-decaying", 0.5, 2, &rise);
  CHECK(rise < 1e-10);
  double undamped = shaking_after("energy-decaying", 0, 2, &rise);
  printf("spring stretched by %.2e, with dissipation %.2e\n", kept, damped);
  CHECK(kept > 5e-3);
  CHECK(damped < 1e-3);
  CHECK_NEAR(undamped, kept, 1e-6);
  static const char *const models[] = {"models/four_bar.yaml", "models/bricard.yaml", flight};
  for (int m = 0; m < 3; m++) {
    rig r;
    if (rig_start(&r, models[m], "energy-decaying", "joined", 0.01)) {
      double last = energy_of(&r), start = last;
      for (int k = 0; k < 300; k++) {
        CHECK(hn_step(r.sim) == HN_OK);
        double now = energy_of(&r);
        if (!CHECK(now <= last + 1e-12 * r.sim->audit.energy.scale))
          printf("  %.30s %d %g of %g\n", models[m], k, now - last, r.sim->audit.energy.scale);
        last = now;
      }
      CHECK(last < start);
    }
    rig_end(&r);
  }
}

// a pendulum on a bushing of 1e7 N/m, whose frequency no explicit method would follow in such
// steps; forces that are no springs between points converge because their tangents are in the
// matrix
static void test_stiff_forces(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  bar: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}\n"
      "forces:\n"
      "  mount: {type: bushing, a: ground, b: bar, at: [0, 0, 0],"
      " stiffness: [1e7, 1e7, 1e7, 1e4, 0, 1e4], damping: [100, 100, 100, 1, 0, 1]}\n";
  rig r;
  if (rig_start(&r, text, "energy-momentum", "auto", 5e-3)) {
    hn_pose pose;
    for (int k = 0; k < 100; k++)
      if (!CHECK(hn_step(r.sim) == HN_OK)) printf("  %s\n", hn_sim_error(r.sim));
    CHECK(r.sim->count.evaluations < 100 * 10);
    // half a second of a bar of 0.35 m^2 kg about its end, from rest: explicit, on a hinge
    hn_body_pose(r.sim, (hn_body){1}, &pose);
    rig exact;
    static const char hinged[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  bar: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "joints:\n"
        "  hinge: {type: revolute, a: ground, b: bar, at: [0, 0, 0], axis: [0, 1, 0]}\n";
    if (rig_start(&exact, hinged, "default", "auto", 0)) {
      CHECK(hn_advance(exact.sim, 0.5) == HN_OK);
      CHECK(apart(&r, &exact) < 1e-2);
    }
    rig_end(&exact);
  }
  rig_end(&r);
  if (rig_start(&r, "models/iltis_suspension.yaml", "energy-momentum", "auto", 5e-3)) {
    hn_status status = hn_advance(r.sim, 3);
    if (!CHECK(status == HN_OK)) printf("  %s\n", hn_sim_error(r.sim));
    printf("suspension: %.1f evaluations a step\n", (double)r.sim->count.evaluations / 600);
  }
  rig_end(&r);
}

// ---- what is refused -----------------------------------------------------------------------

static void check_refused(const char *model, const char *coordinates, const char *words) {
  char message[512] = "";
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_status status = strchr(model, ':') ? hn_model_parse(m, model, strlen(model), "text")
                                        : hn_model_load(m, model);
  hn_options *o = hn_model_options(m);
  snprintf(o->method, sizeof o->method, "energy-momentum");
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  o->step = 1e-3;
  if (!status) status = hn_compile(&sys, m);
  CHECK(status == HN_OK);
  if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
  CHECK(status == HN_ERR_UNSUPPORTED);
  if (!CHECK(strstr(message, words) != NULL)) printf("  %s\n", message);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

static void test_refusals(void) {
  check_refused("models/four_bar.yaml", "reference", "natural");
  check_refused("models/four_bar.yaml", "relative", "relative");
  check_refused("models/rolling_disk.yaml", "auto", "nonholonomic");
  check_refused("gravity: [0, -9.81]\n"
                "bodies:\n"
                "  slider: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}\n"
                "joints:\n"
                "  rail: {type: prismatic, a: ground, b: slider, at: [0, 0], axis: [1, 0]}\n"
                "forces:\n"
                "  rub: {type: friction, joint: rail, coulomb: 0.2, speed: 0.01}\n",
                "auto", "friction");
  rig r;
  if (rig_start(&r, "models/four_bar.yaml", "energy-momentum", "auto", 1e-3))
    CHECK_STR(hn_system_check(r.sys)->coordinates, "natural");
  rig_end(&r);
}

int main(void) {
  RUN(test_discrete);
  RUN(test_matrix);
  RUN(test_conservation);
  RUN(test_elements);
  RUN(test_tyre);
  RUN(test_momentum);
  RUN(test_order);
  RUN(test_null_space);
  RUN(test_decay);
  RUN(test_stiff_forces);
  RUN(test_refusals);
  return test_end();
}
