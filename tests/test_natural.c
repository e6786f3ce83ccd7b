// test_natural.c: natural coordinates: the constant mass matrix, rows and their derivatives, shared
// points, rods, and all solvers and corrections on them. That motions and reactions agree with
// those of other coordinates is shown by test_coordinates.c.
#include "sim/sim.h"
#include "system/coordinates/natural.h"
#include "test.h"

#include <stdlib.h>

typedef struct rig {
  hn_model *model;
  hn_system *sys;
  hn_arena arena;
  hn_work work;
  double *q, *v;
} rig;

static bool rig_start(rig *r, const char *model, const char *points) {
  char message[512] = "";
  *r = (rig){.model = hn_model_create()};
  hn_status status = strchr(model, ':') ? hn_model_parse(r->model, model, strlen(model), "text")
                                        : hn_model_load(r->model, model);
  hn_options *o = hn_model_options(r->model);
  if (!status) status = hn_options_set(o, "coordinates", "natural", message, sizeof message);
  if (!status) status = hn_options_set(o, "natural_points", points, message, sizeof message);
  if (!status) status = hn_compile(&r->sys, r->model);
  if (!CHECK(status == HN_OK)) {
    printf("  %s: %s %s\n", model, hn_model_error(r->model), message);
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    hn_work_layout(&r->work, &r->arena, r->sys);
    r->q = HN_TAKE(&r->arena, double, r->sys->nq);
    r->v = HN_TAKE(&r->arena, double, r->sys->nv);
    if (pass == 0 && !CHECK(hn_arena_allocate(&r->arena))) return false;
  }
  return true;
}

static void rig_end(rig *r) {
  free(r->arena.base);
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

static const char *const models[] = {
    "models/four_bar.yaml",
    "models/five_bar_pendulum_planar.yaml",
    "models/spatial_slider_crank.yaml",
    "models/bricard.yaml",
    "models/heavy_top.yaml",
    "models/andrews.yaml",
    "models/flyball_governor.yaml",
    "models/two_rod_pendulum.yaml",
    // angles of planar bodies, driven and in sums; a planar slider; masses on points
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  lower: {type: planar, mass: 2, inertia: 0.3, position: [1.5, 0]}\n"
    "  slider: {type: planar, mass: 2, inertia: 0.3, position: [2, 0]}\n"
    "  bob: {type: planar-point, mass: 2, position: [2, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground, b: upper, at: [0, 0]}\n"
    "  B: {type: revolute, a: upper, b: lower, at: [1, 0]}\n"
    "  C: {type: prismatic, a: lower, b: slider, at: [2, 0], axis: [1, 0, 0]}\n"
    "  D: {type: spherical, a: lower, b: bob, at: [2, 0]}\n"
    "  drive: {type: driver, joint_a: A, motion: 0.3*t + 0.5*sin(2*t)}\n"
    "  geared: {type: gear, joint_a: A, joint_b: B, ratio: 2}\n",
    // a screw, a driven distance, Euler angles, planar and spatial bodies together
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  nut: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.3, 0.1, 0.2]}\n"
    "  arm: {mass: 1, inertia: [[0.2, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.3]],"
    " position: [1, 0.1, 0.2]}\n"
    "  flat: {type: planar, mass: 1, inertia: 0.2, position: [2, 1], angle: 0.4}\n"
    "joints:\n"
    "  thread: {type: screw, a: ground, b: nut, at: [0, 0, 0], axis: [1, 2, 3], pitch: 0.1}\n"
    "  cross: {type: universal, a: nut, b: arm, at: [0.6, 0, 0], axis: [1, 0, 0],"
    " axis_b: [0, 1, 0]}\n"
    "  lean: {type: coordinate, a: ground, b: arm, coordinate: pitch, value: 0}\n"
    "  rod: {type: distance, a: arm, at: [1, 0.1, 0.2], b: flat, at_b: [2, 1, 0]}\n",
};
enum { MODELS = sizeof models / sizeof *models };
static const char *const points[] = {"joined", "shared"};

static const char *const forced[] = {
    // forces and torques on and between bodies that turn
    "bodies:\n"
    "  one: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.3, 0.1, 0.2],\n"
    "    orientation: {axis: [1, 2, 3], angle: 0.7}}\n"
    "  two: {mass: 1, inertia: [0.3, 0.2, 0.25], position: [1, 0.1, 0.2]}\n"
    "  flat: {type: planar, mass: 1, inertia: 0.2, position: [2, 1], angle: 0.4}\n"
    "joints:\n"
    "  ball: {type: spherical, a: ground, b: one, at: [0, 0, 0]}\n"
    "forces:\n"
    "  mount: {type: bushing, a: one, b: two, at: [0.6, 0, 0], stiffness: [50, 60, 70, 5, 6, 7],\n"
    "    damping: [5, 6, 7, 1, 2, 3]}\n"
    "  motor: {type: torque, b: two, torque: [2, -1, 3 + two.x], axes: body}\n"
    "  turn: {type: torque, b: flat, torque: 2}\n"
    "  spring: {type: spring, a: one, at: [0.3, 0.4, 0.2], b: flat, at_b: [2, 1.2, 0],"
    " stiffness: 40, damping: 3, free: 0.5}\n",
    "models/rolling_disk.yaml",
    "models/iltis_suspension.yaml",
};
enum { FORCED = sizeof forced / sizeof *forced };

// a state near the initial one that meets no row
static void disturb(rig *r, double size) {
  for (int i = 0; i < r->sys->nq; i++) {
    r->q[i] = r->sys->q0[i] + size * r->sys->length * test_random(-1, 1);
    r->v[i] = test_random(-1, 1);
  }
}

// J against differences of Phi, psi = J v + Phi_t, gamma against differences of psi along v
static void check_rows(rig *r, const char *model) {
  const hn_system *sys = r->sys;
  const double h = 1e-5, t = 0.3;
  int rows = sys->rows, n = sys->nv;
  double *J = calloc((size_t)(rows * n + 1), sizeof(double)), *x = calloc((size_t)n + 1, sizeof *x);
  double *side = calloc(2 * (size_t)rows + 1, sizeof *side), worst[3] = {0, 0, 0};
  double *gamma = calloc((size_t)rows + 1, sizeof *gamma),
         *psi = calloc((size_t)rows + 1, sizeof *psi);
  disturb(r, 0.02);
  hn_eval_all(&r->work, t, r->q, r->v);
  hn_jacobian_dense(&r->work, J);
  memcpy(gamma, r->work.gamma, (size_t)rows * sizeof(double));
  memcpy(psi, r->work.psi, (size_t)rows * sizeof(double));
  for (int c = 0; c <= n; c++) {
    for (int s = 0; s < 2; s++) {
      double d = s ? -h : h;
      memcpy(x, r->q, (size_t)n * sizeof(double));
      for (int i = 0; i < n; i++) x[i] += c < n ? (i == c) * d : d * r->v[i];
      hn_eval_position(&r->work, c < n ? t : t + d, x);
      memcpy(side + s * rows, r->work.phi, (size_t)rows * sizeof(double));
    }
    for (int i = 0; i < rows; i++) {
      double slope = (side[i] - side[rows + i]) / (2 * h), exact = c < n ? J[i * n + c] : psi[i];
      worst[c == n] = fmax(worst[c == n], fabs(slope - exact) / (1 + fabs(exact)));
    }
  }
  for (int s = 0; s < 2; s++) {
    double d = s ? -h : h;
    for (int i = 0; i < n; i++) x[i] = r->q[i] + d * r->v[i];
    hn_eval_jacobian(&r->work, t + d, x, r->v);
    memcpy(side + s * rows, r->work.psi, (size_t)rows * sizeof(double));
  }
  for (int i = 0; i < rows; i++) {
    double slope = (side[i] - side[rows + i]) / (2 * h);
    worst[2] = fmax(worst[2], fabs(slope + gamma[i]) / (1 + fabs(gamma[i])));
  }
  bool ok = CHECK(worst[0] < 1e-7) & CHECK(worst[1] < 1e-7) & CHECK(worst[2] < 1e-6);
  if (!ok) printf("  %.40s: %g %g %g\n", model, worst[0], worst[1], worst[2]);
  free(J), free(x), free(side), free(gamma), free(psi);
}

// the initial configuration with a random velocity that meets all rows
static bool rigid_motion(rig *r) {
  const hn_system *sys = r->sys;
  hn_kkt kkt = {0};
  hn_arena arena = {0};
  double *D = NULL, *l = NULL;
  for (int pass = 0; pass < 2; pass++) {
    hn_kkt_layout(&kkt, &arena, sys);
    D = HN_TAKE(&arena, double, sys->rows), l = HN_TAKE(&arena, double, sys->rows);
    if (pass == 0 && !CHECK(hn_arena_allocate(&arena))) return false;
  }
  bool ok = CHECK(hn_kkt_create(&kkt, sys));
  for (int i = 0; i < sys->rows; i++) D[i] = sys->active[i] ? 0 : HN_LEFT_OUT;
  memcpy(r->q, sys->q0, (size_t)sys->nq * sizeof(double));
  for (int i = 0; i < sys->nv; i++) r->v[i] = test_random(-1, 1);
  hn_eval_jacobian(&r->work, 0, r->q, r->v);
  hn_kkt_factor(&kkt, &r->work, HN_WEIGHT_ONE, D);
  hn_kkt_solve(&kkt, &r->work, r->v, l);  // nearest velocity with J v = 0
  hn_kkt_release(&kkt);
  free(arena.base);
  return ok;
}

// tangent velocities: energy in natural coordinates is that of the recovered twists, and so is the
// power of the forces; M is symmetric and never negative
static void check_mass(rig *r, const char *model) {
  const hn_system *sys = r->sys;
  double *x = calloc((size_t)sys->nv + 1, sizeof *x), *y = calloc((size_t)sys->nv + 1, sizeof *y);
  if (!CHECK(x && y) || !rigid_motion(r)) return;
  hn_eval_all(&r->work, 0, r->q, r->v);
  double T = 0, power = 0, natural = 0, xMy = 0, yMx = 0, xMx = 0;
  for (int i = 0; i < sys->bv; i++) {
    T += 0.5 * sys->mass[i] * r->work.v[i] * r->work.v[i];
    power += r->work.f[i] * r->work.v[i];
  }
  for (int i = 0; i < sys->nv; i++) natural += r->work.r[i] * r->v[i];
  if (!CHECK_REL(hn_kinetic_energy(&r->work), T, 1e-6, 1e-11)) printf("  %.40s\n", model);
  CHECK_REL(natural, power, 1, 1e-11);
  for (int i = 0; i < sys->nv; i++) x[i] = test_random(-1, 1), r->v[i] = test_random(-1, 1);
  hn_mass_mul(&r->work, r->v, y);
  for (int i = 0; i < sys->nv; i++) xMy += x[i] * y[i];
  hn_mass_mul(&r->work, x, y);
  for (int i = 0; i < sys->nv; i++) yMx += r->v[i] * y[i], xMx += x[i] * y[i];
  CHECK_REL(xMy, yMx, 1e-9, 1e-12);
  CHECK(xMx >= 0);
  free(x), free(y);
}

// r + J^T lambda by q and r by v, against differences, where all rows are met
static void check_tangent(rig *r, const char *model) {
  const hn_system *sys = r->sys;
  const double h = 1e-6;
  size_t n = (size_t)sys->nv;
  double *K = calloc(n * n + 1, sizeof *K), *C = calloc(n * n + 1, sizeof *C);
  double *lambda = calloc((size_t)sys->rows + 1, sizeof *lambda);
  double *y = calloc(2 * n + 1, sizeof *y), worst[2] = {0, 0}, size = 1;
  bool ok = CHECK(K && C && lambda && y) && rigid_motion(r);
  for (int i = 0; ok && i < sys->rows; i++) lambda[i] = test_random(-10, 10);
  if (ok) {
    hn_eval_all(&r->work, 0, r->q, r->v);
    hn_natural_tangent(&r->work, lambda, K, C);
  }
  for (size_t i = 0; i < n * n; i++) size = fmax(size, fmax(fabs(K[i]), fabs(C[i])));
  for (size_t c = 0; ok && c < 2 * n; c++) {
    double *at = c < n ? &r->q[c] : &r->v[c - n], was = *at;
    for (int side = 0; side < 2; side++) {
      *at = was + (side ? -h : h);
      hn_eval_all(&r->work, 0, r->q, r->v);
      memcpy(y + (side ? n : 0), r->work.r, n * sizeof *y);
      if (c < n) hn_jacobian_tmul_add(&r->work, lambda, 1, y + (side ? n : 0));
    }
    *at = was;
    for (size_t i = 0; i < n; i++) {
      double slope = (y[i] - y[n + i]) / (2 * h), exact = c < n ? K[i * n + c] : C[i * n + c - n];
      worst[c >= n] = fmax(worst[c >= n], fabs(slope - exact) / size);
    }
  }
  if (ok && !(CHECK(worst[0] < 1e-7) & CHECK(worst[1] < 1e-7)))
    printf("  %.40s: %g %g of %g\n", model, worst[0], worst[1], size);
  free(K), free(C), free(lambda), free(y);
}

static void test_equations(void) {
  for (int m = 0; m < MODELS; m++)
    for (int p = 0; p < 2; p++) {
      rig r;
      if (rig_start(&r, models[m], points[p])) {
        check_rows(&r, models[m]);
        check_mass(&r, models[m]);
        check_tangent(&r, models[m]);
      }
      rig_end(&r);
    }
}

// mechanisms whose forces, or rolling wheels, make torques
static void test_tangents(void) {
  for (int m = 0; m < FORCED; m++)
    for (int p = 0; p < 2; p++) {
      rig r;
      if (rig_start(&r, forced[m], points[p])) check_tangent(&r, forced[m]);
      rig_end(&r);
    }
}

// a four-bar linkage is two points and three lengths; joined, three bars with two points each
static void test_shared(void) {
  rig r;
  if (rig_start(&r, "models/four_bar.yaml", "shared")) {
    CHECK(r.sys->nq == 4 && r.sys->rows == 3);
    hn_sim *sim;
    char message[512];
    CHECK(hn_sim_create(&sim, r.sys, hn_model_options(r.model), message, sizeof message) == HN_OK);
    hn_reaction reaction;
    CHECK(hn_joint_reaction(sim, (hn_joint){1}, &reaction) == HN_ERR_UNSUPPORTED);
    CHECK(strstr(hn_sim_error(sim), "natural_points") != NULL);
    hn_sim_destroy(sim);
  }
  rig_end(&r);
  if (rig_start(&r, "models/four_bar.yaml", "joined")) CHECK(r.sys->nq == 12 && r.sys->rows == 11);
  rig_end(&r);
  // what is recorded decides: B keeps its rows, the others share
  static const char text[] = "gravity: [0, -9.81]\n"
                             "bodies:\n"
                             "  upper: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                             "  lower: {type: planar, mass: 2, inertia: 0.3, position: [1.5, 0]}\n"
                             "joints:\n"
                             "  A: {type: revolute, a: ground, b: upper, at: [0, 0]}\n"
                             "  B: {type: revolute, a: upper, b: lower, at: [1, 0]}\n"
                             "outputs: [upper.x, B.fx]\n";
  if (rig_start(&r, text, "auto")) {
    CHECK(r.sys->nq == 2 + 4 && r.sys->rows == 2 + 2);
    CHECK_STR(hn_system_row_name(r.sys, 0), "B.x");
    CHECK_STR(hn_system_row_name(r.sys, 2), "upper.rigid11");
  }
  rig_end(&r);
}

// the multiplier of a rod is the force along it: m v^2 / L + m g sin(angle), on one rod or two
static void test_rods(void) {
  rig r;
  CHECK(rig_start(&r, "models/two_rod_pendulum.yaml", "auto"));
  CHECK(r.sys->nq == 2 && r.sys->rows == 2);
  hn_sim *sim;
  char message[512];
  hn_options *o = hn_model_options(r.model);
  o->rtol = 1e-11;
  CHECK(hn_sim_create(&sim, r.sys, o, message, sizeof message) == HN_OK);
  for (int k = 1; k <= 10; k++) {
    CHECK(hn_advance(sim, 0.3 * k) == HN_OK);
    const double *q = hn_positions(sim), *v = hn_velocities(sim);
    double L = 2, tension = (v[0] * v[0] + v[1] * v[1]) / L - 9.81 * q[1] / L;
    const double *lambda = hn_multipliers(sim);
    CHECK_REL(-(lambda[0] + lambda[1]), tension, 1, 1e-9);
  }
  hn_sim_destroy(sim);
  rig_end(&r);
}

// position of the last body after a short run
static bool end_of(const rig *r, const char *solver, const char *correction, hn_pose *pose) {
  hn_options o = *hn_model_options(r->model);
  char message[512];
  hn_sim *sim;
  snprintf(o.method, sizeof o.method, "default");
  snprintf(o.solver, sizeof o.solver, "%s", solver);
  snprintf(o.correction, sizeof o.correction, "%s", correction);
  snprintf(o.integrator, sizeof o.integrator, "rk4");
  o.step = 2e-3;
  if (hn_sim_create(&sim, r->sys, &o, message, sizeof message)) return false;
  hn_status status = hn_advance(sim, 0.05);
  if (!CHECK(status == HN_OK)) printf("  %s, %s: %s\n", solver, correction, hn_sim_error(sim));
  hn_body_pose(sim, (hn_body){r->sys->bodies - 1}, pose);
  hn_sim_destroy(sim);
  return status == HN_OK;
}

static void test_methods(void) {
  static const char *const mechanisms[] = {"models/four_bar.yaml", "models/bricard.yaml",
                                           "models/spatial_slider_crank.yaml"};
  for (int m = 0; m < 3; m++)
    for (int p = 0; p < 2; p++) {
      rig r;
      hn_pose expected, pose;
      int runs = 0;
      CHECK(rig_start(&r, mechanisms[m], points[p]));
      CHECK(end_of(&r, "lagrange", "mass", &expected));
      for (int s = 0; hn_solver_at(s); s++)
        for (int c = 0; hn_correction_at(c); c++) {
          const char *solver = hn_solver_at(s)->name, *correction = hn_correction_at(c)->name;
          if (!end_of(&r, solver, correction, &pose)) continue;
          runs++;
          // penalties yield a little, and gains of the size 1/h cost orders
          bool soft = !strcmp(solver, "penalty") || !strcmp(solver, "baumgarte-rule");
          double off = 0;
          for (int k = 0; k < 3; k++)
            off = fmax(off, fabs(pose.position[k] - expected.position[k]));
          if (!CHECK(off < (soft ? 1e-2 : 1e-5)))
            printf("  %s: %s, %s: %g\n", mechanisms[m], solver, correction, off);
        }
      CHECK(runs > 20);
      rig_end(&r);
    }
}

int main(void) {
  RUN(test_equations);
  RUN(test_tangents);
  RUN(test_shared);
  RUN(test_rods);
  RUN(test_methods);
  return test_end();
}
