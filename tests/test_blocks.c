// test_blocks.c: parts of a model given by their equations.
//
//   derivatives against central differences at random states, alone and mixed with bodies
//   Lagrange's equations against the same mechanism made of bodies and joints
//   functions in place of formulas against formulas
#include "integrators/implicit/implicit.h"
#include "solver_rig.h"

enum { MOST = 64 };

static bool load(rig *r, const char *text) {
  const rig_case c = {"Block", text};
  return rig_load(r, &c, "reference");
}

// ---- derivatives ---------------------------------------------------------------------------

// a block with everything: masses that depend on position and time, potentials, forces and
// constraints that look at bodies, in space and in the plane
static const char *const everything[] = {
    "parameters: {m: 1.5, k: 30}\n"
    "blocks:\n"
    "  arm:\n"
    "    coordinates: {a: 0.3, b: {value: 0.2, unit: m}, c: 1.1}\n"
    "    kinetic_energy: >\n"
    "      0.5*m*(a.rate^2 + (1 + b^2)*c.rate^2 + 2*cos(a - c)*a.rate*c.rate)\n"
    "      + 0.7*b_rate^2 + 0.1*t*sin(c)*a.rate + 0.2*a^2*cos(t) + 0.4*c.rate*b.rate*sin(b)\n"
    "    potential: 0.5*k*b^2 + cos(a)*c + t*a\n"
    "    forces: {a: -0.3*a.rate^3*b + sin(t), c: b.rate*c.rate - a}\n"
    "    constraints: [\"sin(a)*c + b^2*t = 0.3\"]\n"
    "    velocity_constraints: {slip: \"a.rate*cos(c) = b*c.rate + 0.1*sin(t)*a\"}\n",
    "parameters: {k: 30}\n"
    "bodies:\n"
    "  disc: {type: planar, mass: 2, inertia: 0.3, position: [0.3, 0.2], angle: 0.3,"
    " frames: {rim: [0.2, 0.1]}}\n"
    "  ball: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.4, -0.3, 0.8],"
    " frames: {nose: [0.1, 0.2, -0.1]}}\n"
    "joints:\n"
    "  pin: {type: revolute, a: ground, b: disc, at: [0, 0]}\n"
    "  ring: {type: distance, a: ground, b: ball.nose, at: [0, 0, 0]}\n"
    "blocks:\n"
    "  wheel:\n"
    "    coordinates: {phi: 0.4, s: {value: 0.2, unit: m}}\n"
    "    mass_matrix: [[\"2 + sin(phi)\", 0.3*s], [s*0.3, 1]]\n"
    "    potential: k*(s - disc.rim.x*ball.nose.z)^2 + sin(pin.angle)*phi\n"
    "    forces:\n"
    "      phi: disc.rim.vx*ball.nose.y - phi.rate*s\n"
    "      disc.rim.y: sin(phi)*ball.nose.vz*t\n"
    "      pin.angle: -0.2*(pin.rate - phi.rate)\n"
    "    constraints: {mesh: \"phi*ball.nose.x + s^2 = pin.angle*disc.rim.y + 0.1*t\"}\n"
    "    velocity_constraints: [\"phi.rate*disc.rim.x + ball.nose.vy*s + pin.rate = 0.1*phi*t\"]\n"
    "  other:\n"
    "    coordinates: {u: 0.1}\n"
    "    kinetic_energy: 0.5*u.rate^2\n"
    "    potential: u*wheel.s*disc.angle\n"
    "    constraints: [\"u = wheel.phi*wheel.s + disc.y\"]\n"
    "forces:\n"
    "  push: {type: force, b: disc, at: [0.1, 0.1], force: [wheel.s*other.u.rate, 0]}\n",
};

typedef struct bench {
  const hn_system *sys;
  hn_work work;
  hn_arena arena;
} bench;

static void bench_open(bench *b, const hn_system *sys) {
  *b = (bench){.sys = sys};
  hn_work_layout(&b->work, &b->arena, sys);
  CHECK(hn_arena_allocate(&b->arena));
  hn_work_layout(&b->work, &b->arena, sys);
}

static void random_state(const hn_system *sys, double *q, double *v) {
  double d[MOST];
  memcpy(q, sys->q0, (size_t)sys->nq * sizeof *q);
  for (int i = 0; i < sys->nv; i++) d[i] = test_random(-0.3, 0.3), v[i] = test_random(-1, 1);
  hn_retract(sys, q, d);
}

// what a finite difference needs: phi, psi, f, M a, J^T lambda, potential at one state
typedef struct sample {
  double phi[MOST], psi[MOST], f[MOST], Ma[MOST], pull[MOST];
} sample;

static void take(bench *b, double t, const double *q, const double *v, const double *a,
                 const double *lambda, sample *s) {
  const hn_system *sys = b->sys;
  hn_eval_all(&b->work, t, q, v);
  memcpy(s->phi, b->work.phi, (size_t)sys->rows * sizeof(double));
  memcpy(s->psi, b->work.psi, (size_t)sys->rows * sizeof(double));
  memcpy(s->f, b->work.f, (size_t)sys->nv * sizeof(double));
  hn_mass_mul(&b->work, a, s->Ma);
  memset(s->pull, 0, sizeof s->pull);
  hn_jacobian_tmul_add(&b->work, lambda, 1, s->pull);
}

// the state a step h along the motion q' = v, v' = a; in direction k (of q, then of v) or time
static void moved(const hn_system *sys, const double *q, const double *v, const double *along,
                  const double *a, double h, double *q1, double *v1) {
  double d[MOST];
  for (int i = 0; i < sys->nv; i++) {
    d[i] = h * along[i];
    v1[i] = v[i] + h * a[i];
  }
  memcpy(q1, q, (size_t)sys->nq * sizeof *q);
  hn_retract(sys, q1, d);
}

// fourth-order difference of four samples at -2h, -h, h, 2h
static double slope(double a, double b, double c, double d, double h) {
  return (a - 8 * b + 8 * c - d) / (12 * h);
}

static void check_motion(bench *b, const double *q, const double *v) {
  const hn_system *sys = b->sys;
  double a[MOST], q1[MOST], v1[MOST], y[MOST], t = 0.3, h = 1e-3, lambda[MOST] = {0};
  sample s[4];
  for (int i = 0; i < sys->nv; i++) a[i] = test_random(-1, 1);
  static const double at[4] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    moved(sys, q, v, v, a, at[k] * h, q1, v1);
    // q' = v while v changes: second-order term of the position
    double d[MOST];
    for (int i = 0; i < sys->nv; i++) d[i] = 0.5 * at[k] * h * at[k] * h * a[i];
    hn_retract(sys, q1, d);
    take(b, t + at[k] * h, q1, v1, a, lambda, &s[k]);
  }
  hn_eval_all(&b->work, t, q, v);
  hn_jacobian_mul(&b->work, a, y);
  for (int i = 0; i < sys->rows; i++) {
    double rate = slope(s[0].phi[i], s[1].phi[i], s[2].phi[i], s[3].phi[i], h);
    double change = slope(s[0].psi[i], s[1].psi[i], s[2].psi[i], s[3].psi[i], h);
    if (sys->holonomic[i]) CHECK_REL(b->work.psi[i], rate, 1, 1e-7);
    CHECK_REL(y[i] - b->work.gamma[i], change, 1, 1e-6);
  }
  // psi = J v + phi_t
  hn_jacobian_mul(&b->work, v, y);
  for (int i = 0; i < sys->rows; i++) CHECK_REL(y[i] + b->work.phi_t[i], b->work.psi[i], 1, 1e-12);
}

static void check_tangents(bench *b, const double *q, const double *v) {
  const hn_system *sys = b->sys;
  int n = sys->nv;
  double zero[MOST] = {0}, unit[MOST] = {0}, a[MOST], lambda[MOST], q1[MOST], v1[MOST];
  double t = 0.3, h = 1e-4;
  double *K = rig_numbers(n * n), *C = rig_numbers(n * n), *KM = rig_numbers(n * n);
  double *KL = rig_numbers(n * n), *V = rig_numbers(sys->j_size), *whole = rig_numbers(MOST * n);
  for (int i = 0; i < n; i++) a[i] = test_random(-1, 1);
  for (int i = 0; i < sys->rows; i++) lambda[i] = test_random(-1, 1);
  hn_eval_all(&b->work, t, q, v);
  hn_tangent force = {.n = n, .K = K, .C = C}, mass = {.n = n, .K = KM}, rows = {.n = n, .K = KL};
  hn_force_tangent(&b->work, &force);
  hn_mass_tangent(&b->work, a, &mass);
  hn_constraint_tangent(&b->work, lambda, &rows);
  hn_velocity_tangent(&b->work, V);
  double *J = b->work.J;  // parts of it are constant and were written before
  b->work.J = V;
  hn_jacobian_dense(&b->work, whole);
  b->work.J = J;
  static const double at[4] = {-2, -1, 1, 2};
  for (int j = 0; j < n; j++) {
    sample s[4], u[4];
    unit[j] = 1;
    for (int k = 0; k < 4; k++) {
      moved(sys, q, v, unit, zero, at[k] * h, q1, v1);
      take(b, t, q1, v1, a, lambda, &s[k]);
      moved(sys, q, v, zero, unit, at[k] * h, q1, v1);
      take(b, t, q1, v1, a, lambda, &u[k]);
    }
    unit[j] = 0;
#define SLOPE(s, field) slope(s[0].field, s[1].field, s[2].field, s[3].field, h)
    for (int i = 0; i < n; i++) {
      CHECK_REL(K[i * n + j], SLOPE(s, f[i]), 10, 1e-7);
      CHECK_REL(C[i * n + j], SLOPE(u, f[i]), 10, 1e-7);
      CHECK_REL(KM[i * n + j], -SLOPE(s, Ma[i]), 10, 1e-7);
      CHECK_REL(KL[i * n + j], SLOPE(s, pull[i]), 10, 1e-7);
    }
    for (int i = 0; i < sys->rows; i++) CHECK_REL(whole[i * n + j], SLOPE(s, psi[i]), 10, 1e-7);
#undef SLOPE
  }
  free(K), free(C), free(KM), free(KL), free(V), free(whole);
}

static void test_derivatives(void) {
  for (size_t c = 0; c < sizeof everything / sizeof *everything; c++) {
    rig r;
    if (!load(&r, everything[c])) continue;
    bench b;
    double q[MOST], v[MOST];
    bench_open(&b, r.sys);
    for (int i = 0; i < 5; i++) {
      random_state(r.sys, q, v);
      check_motion(&b, q, v);
      check_tangents(&b, q, v);
    }
    free(b.arena.base);
    rig_free(&r);
  }
}

// the books of energy balance at every state: d/dt (T + V) = power of what has no potential
static void test_energy(void) {
  for (size_t c = 0; c < sizeof everything / sizeof *everything; c++) {
    rig r;
    if (!load(&r, everything[c])) continue;
    bench b;
    double q[MOST], v[MOST], a[MOST], q1[MOST], v1[MOST], e[4], t = 0.3, h = 1e-3;
    bench_open(&b, r.sys);
    hn_kkt kkt = {0};
    hn_arena arena = {0};
    hn_kkt_layout(&kkt, &arena, r.sys);
    CHECK(hn_arena_allocate(&arena));
    hn_kkt_layout(&kkt, &arena, r.sys);
    CHECK(hn_kkt_create(&kkt, r.sys));
    double loose[MOST], none[MOST] = {0};
    for (int i = 0; i < MOST; i++) loose[i] = 1e30;
    random_state(r.sys, q, v);
    // the free motion, whose accelerations are M^-1 f
    hn_eval_all(&b.work, t, q, v);
    memcpy(a, b.work.f, sizeof(double) * (size_t)r.sys->nv);
    hn_kkt_factor(&kkt, &b.work, HN_WEIGHT_MASS, loose);
    hn_kkt_solve(&kkt, &b.work, a, none);
    double power = b.work.power;
    static const double at[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
      double d[MOST];
      moved(r.sys, q, v, v, a, at[k] * h, q1, v1);
      for (int i = 0; i < r.sys->nv; i++) d[i] = 0.5 * at[k] * h * at[k] * h * a[i];
      hn_retract(r.sys, q1, d);
      hn_eval_all(&b.work, t + at[k] * h, q1, v1);
      e[k] = hn_kinetic_energy(&b.work) + hn_potential_energy(&b.work);
    }
    CHECK_REL(slope(e[0], e[1], e[2], e[3], h), power, 10, 1e-6);
    hn_kkt_release(&kkt);
    free(arena.base), free(b.arena.base);
    rig_free(&r);
  }
}

// ---- the same mechanism twice --------------------------------------------------------------

typedef struct twin {
  const char *name, *bodies, *block;
  const char *column[4][2];  // the same quantity in both
} twin;

#define PARAMETERS "parameters: {g: 9.81, m1: 1, m2: 2, l1: 1, l2: 0.7, w0: 0.5}\n"
#define SETTINGS   "simulation: {duration: 2, output_step: 0.1, rtol: 1e-12}\n"
#define ROD                                                                                        \
  "gravity: [0, -9.81]\n"                                                                          \
  "bodies:\n"                                                                                      \
  "  rod: {type: planar, mass: m1, inertia: m1*l1^2/12, position: [l1/2, 0], frames:"              \
  " {foot: [-l1/2, 0], tip: [l1/2, 0]}}\n"

static const twin twins[] = {
    {"pendulum",
     PARAMETERS SETTINGS ROD "joints: {pin: {type: revolute, b: rod.foot}}\n",
     PARAMETERS SETTINGS "blocks:\n"
                         "  p:\n"
                         "    coordinates: {theta: {value: 0, unit: rad}}\n"
                         "    kinetic_energy: 0.5*m1*l1^2/3*theta.rate^2\n"
                         "    potential: m1*g*l1/2*sin(theta)\n",
     {{"pin.angle", "p.theta"}, {"energy.kinetic", "energy.kinetic"}}},
    {"double pendulum, its masses from the energy",
     PARAMETERS SETTINGS "gravity: [0, -9.81]\n"
                         "bodies:\n"
                         "  a: {type: planar-point, mass: m1, position: [l1, 0]}\n"
                         "  b: {type: planar-point, mass: m2, position: [l1 + l2, 0]}\n"
                         "joints:\n"
                         "  u: {type: distance, a: ground, at: [0, 0], b: a}\n"
                         "  l: {type: distance, a: a, b: b}\n",
     PARAMETERS SETTINGS "blocks:\n"
                         "  p:\n"
                         "    coordinates: {u: 0, l: 0}\n"
                         "    kinetic_energy: >\n"
                         "      0.5*m1*(l1*u.rate)^2 + 0.5*m2*((l1*u.rate)^2 + (l2*l.rate)^2\n"
                         "      + 2*l1*l2*u.rate*l.rate*cos(u - l))\n"
                         "    potential: m1*g*l1*sin(u) + m2*g*(l1*sin(u) + l2*sin(l))\n",
     {{"a.x", "cos(u)"}, {"energy.kinetic", "energy.kinetic"}}},
    {"double pendulum in Cartesian coordinates, the rods as constraints",
     PARAMETERS SETTINGS "gravity: [0, -9.81]\n"
                         "bodies:\n"
                         "  a: {type: planar-point, mass: m1, position: [l1, 0]}\n"
                         "  b: {type: planar-point, mass: m2, position: [l1 + l2, 0]}\n"
                         "joints:\n"
                         "  u: {type: distance, a: ground, at: [0, 0], b: a, components: true}\n"
                         "  l: {type: distance, a: a, b: b, components: true}\n",
     PARAMETERS SETTINGS
     "blocks:\n"
     "  p:\n"
     "    coordinates: {xa: l1, ya: 0, xb: l1 + l2, yb: 0}\n"
     "    mass_matrix: [[m1, 0, 0, 0], [0, m1, 0, 0], [0, 0, m2, 0], [0, 0, 0, m2]]\n"
     "    potential: g*(m1*ya + m2*yb)\n"
     "    constraints:\n"
     "      u: hypot(xa, ya) = l1\n"
     "      l: hypot(xb - xa, yb - ya) = l2\n",
     {{"a.x", "p.xa"},
      {"b.y", "p.yb"},
      {"l.lambda_length", "p.lambda_l"},
      {"energy.potential", "energy.potential"}}},
    {"flywheel geared to a hinge: constraint between block and body",
     PARAMETERS SETTINGS
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  rod: {type: planar, mass: m1, inertia: m1*l1^2/12 + 9*0.05, position: [l1/2, 0]}\n"
     "joints: {pin: {type: revolute, b: rod, at: [0, 0]}}\n",
     PARAMETERS SETTINGS ROD "joints: {pin: {type: revolute, b: rod.foot}}\n"
                             "blocks:\n"
                             "  wheel:\n"
                             "    coordinates: {phi: 0}\n"
                             "    kinetic_energy: 0.5*0.05*phi.rate^2\n"
                             "    constraints: [\"phi = 3*pin.angle\"]\n",
     {{"pin.angle", "pin.angle"}, {"pin.fx", "pin.fx"}, {"energy.kinetic", "energy.kinetic"}}},
    {"the same by a velocity constraint on the motion of a point",
     PARAMETERS SETTINGS
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  rod: {type: planar, mass: m1, inertia: m1*l1^2/12 + 9*0.05, position: [l1/2, 0]}\n"
     "joints: {pin: {type: revolute, b: rod, at: [0, 0]}}\n",
     PARAMETERS SETTINGS ROD
     "joints: {pin: {type: revolute, b: rod.foot}}\n"
     "blocks:\n"
     "  wheel:\n"
     "    coordinates: {phi: 0}\n"
     "    kinetic_energy: 0.5*0.05*phi.rate^2\n"
     "    velocity_constraints:\n"
     "      roll: phi.rate = 3*(rod.tip.vy*cos(rod.angle) - rod.tip.vx*sin(rod.angle))/l1\n",
     {{"pin.angle", "pin.angle"}, {"energy.kinetic", "energy.kinetic"}}},
    {"gear and driver acting on the coordinate of a block",
     PARAMETERS SETTINGS
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  rod: {type: planar, mass: m1, inertia: m1*l1^2/12 + 9*0.05, position: [l1/2, 0]}\n"
     "joints: {pin: {type: revolute, b: rod, at: [0, 0]}}\n"
     "forces: {s: {type: torsion-spring, joint: pin, stiffness: 36, free: 0}}\n",
     PARAMETERS SETTINGS ROD
     "joints:\n"
     "  pin: {type: revolute, b: rod.foot}\n"
     "  teeth: {type: gear, joint_a: pin, joint_b: wheel, ratio: 3}\n"
     "forces: {s: {type: torsion-spring, joint: wheel, stiffness: 4, free: 0}}\n"
     "blocks:\n"
     "  wheel:\n"
     "    coordinates: {phi: 0}\n"
     "    kinetic_energy: 0.5*0.05*phi.rate^2\n",
     {{"pin.angle", "pin.angle"}, {"pin.fx", "pin.fx"}}},
    {"spring and damper between a block and a body: reactions",
     PARAMETERS SETTINGS
     "bodies:\n"
     "  a: {type: planar-point, mass: m1, position: [0, 0]}\n"
     "  b: {type: planar-point, mass: m2, position: [1, 0], velocity: [0.2, 0]}\n"
     "forces:\n"
     "  s: {type: spring, a: a, b: b, stiffness: 20, damping: 0.3, free: 0.8}\n",
     PARAMETERS SETTINGS "bodies:\n"
                         "  a: {type: planar-point, mass: m1, position: [0, 0]}\n"
                         "blocks:\n"
                         "  b:\n"
                         "    coordinates: {x: {value: 1, velocity: 0.2, unit: m}}\n"
                         "    kinetic_energy: 0.5*m2*x.rate^2\n"
                         "    potential: 10*(x - a.x - 0.8)^2\n"
                         "    forces: {x: -0.3*(x.rate - a.vx), a.x: 0.3*(x.rate - a.vx)}\n",
     {{"a.x", "a.x"}, {"b.x", "b.x"}, {"energy.work", "energy.work"}}},
    {"driven: a constraint that depends on time",
     PARAMETERS SETTINGS ROD "joints:\n"
                             "  pin: {type: revolute, b: rod.foot}\n"
                             "  drive: {type: driver, joint_a: pin, motion: sin(2*t)}\n",
     PARAMETERS SETTINGS "blocks:\n"
                         "  p:\n"
                         "    coordinates: {theta: 0}\n"
                         "    kinetic_energy: 0.5*m1*l1^2/3*theta.rate^2\n"
                         "    potential: m1*g*l1/2*sin(theta)\n"
                         "    constraints: {drive: theta = sin(2*t)}\n",
     {{"pin.angle", "p.theta"},
      {"energy.work", "energy.work"},
      {"drive.lambda_motion", "p.lambda_drive"}}},
};

static hn_result *run_text(const char *text) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  char message[512] = "";
  bool ok = CHECK(hn_model_parse(model, text, strlen(text), "twin") == HN_OK) &&
            CHECK(hn_compile(&sys, model) == HN_OK);
  if (ok)
    ok = CHECK(hn_sim_create(&sim, sys, hn_model_options(model), message, sizeof message) == HN_OK);
  if (ok) ok = CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  if (!ok) printf("  %s %s\n", hn_model_error(model), sim ? hn_sim_error(sim) : message);
  if (ok) {
    hn_summary summary;
    hn_sim_summary(sim, &summary);
    CHECK(summary.audit_pass);
  }
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
  return result;
}

static void test_twins(void) {
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
    hn_result *a = run_text(twins[i].bodies), *b = run_text(twins[i].block);
    if (!a || !b || !CHECK(hn_result_rows(a) == hn_result_rows(b))) {
      printf("  %s\n", twins[i].name);
      continue;
    }
    for (int c = 0; c < 4 && twins[i].column[c][0]; c++) {
      bool cosine = strcmp(twins[i].column[c][1], "cos(u)") == 0;
      int x = hn_result_find(a, twins[i].column[c][0]);
      int y = hn_result_find(b, cosine ? "p.u" : twins[i].column[c][1]);
      if (!CHECK(x >= 0 && y >= 0)) {
        printf("  %s: %s, %s\n", twins[i].name, twins[i].column[c][0], twins[i].column[c][1]);
        continue;
      }
      double worst = 0, size = 1;
      for (int k = 0; k < hn_result_rows(a); k++) {
        double p = hn_result_row(a, k)[x], q = hn_result_row(b, k)[y];
        worst = fmax(worst, fabs(p - (cosine ? cos(q) : q)));
        size = fmax(size, fabs(p));
      }
      if (!CHECK(worst < 1e-9 * size))
        printf("  %s: %s differs by %g of %g\n", twins[i].name, twins[i].column[c][0], worst, size);
    }
    hn_result_destroy(a);
    hn_result_destroy(b);
  }
}

// a bead on a rotating hoop: T has a part without rates, and Jacobi's energy is kept
static void test_rotating_hoop(void) {
  static const char *const text = "parameters: {g: 9.81, omega: 5}\n" SETTINGS "blocks:\n"
                                  "  bead:\n"
                                  "    coordinates: {theta: {value: 0.3, unit: rad}}\n"
                                  "    kinetic_energy: 0.5*(theta.rate^2 + omega^2*sin(theta)^2)\n"
                                  "    potential: -g*cos(theta)\n";
  hn_result *r = run_text(text);
  if (!r) return;
  int balance = hn_result_find(r, "energy.balance"), at = hn_result_find(r, "bead.theta");
  int rate = hn_result_find(r, "bead.theta_rate"), rows = hn_result_rows(r);
  CHECK_NEAR(hn_result_row(r, rows - 1)[balance], 0, 1e-9);
  // by hand: theta'^2 = omega^2 (sin^2 theta - sin^2 theta0) + 2 g (cos theta - cos theta0)
  for (int k = 0; k < rows; k++) {
    double x = hn_result_row(r, k)[at], v = hn_result_row(r, k)[rate];
    double expected = 25 * (sin(x) * sin(x) - sin(0.3) * sin(0.3)) + 2 * 9.81 * (cos(x) - cos(0.3));
    CHECK_NEAR(v * v, expected, 1e-9);
  }
  hn_result_destroy(r);
}

// ---- every part of a method ----------------------------------------------------------------

static const char four_bar[] = "parameters: {g: 9.81}\n"
                               "blocks:\n"
                               "  linkage:\n"
                               "    coordinates: {a: {value: pi/3, hold: true}, b: 0.58, c: 1.73}\n"
                               "    kinetic_energy: 0.5*a.rate^2 + 0.5*0.4*b.rate^2 + 4*c.rate^2 + "
                               "0.1*a.rate*c.rate*cos(a-c)\n"
                               "    potential: g*(sin(a) + 4*sin(c))\n"
                               "    constraints:\n"
                               "      x: cos(a) + 2*cos(b) - 2*cos(c) = 2.5\n"
                               "      y: sin(a) + 2*sin(b) - 2*sin(c) = 0\n";

static void test_methods(void) {
  rig r;
  if (!load(&r, four_bar)) return;
  double q[3], v[3], a[3], size = 1;
  rig_state(&r, 0.5, q, v);
  hn_sim *sim = rig_start(&r, "lagrange", "none", "rk4", 1e-3);
  CHECK(hn_set_state(sim, 0.5, q, v) == HN_OK);
  memcpy(a, hn_accelerations(sim), sizeof a);
  hn_sim_destroy(sim);
  for (int i = 0; hn_solver_at(i); i++) {
    const hn_solver_type *type = hn_solver_find(hn_solver_at(i)->name);
    if (type->can & HN_NO_BLOCKS) continue;
    sim = rig_start(&r, type->info.name, "none", "rk4", 1e-4);
    if (!sim) continue;
    double tolerance = strcmp(type->info.name, "penalty") == 0 ||
                               strcmp(type->info.name, "baumgarte-step") == 0 ||
                               strcmp(type->info.name, "baumgarte-rule") == 0
                           ? 1e-4
                           : 1e-9;
    CHECK(hn_set_state(sim, 0.5, q, v) == HN_OK);
    if (!CHECK(rig_difference(hn_accelerations(sim), a, 3, &size) < tolerance * size))
      printf("  %s\n", type->info.name);
    if (!CHECK(hn_advance(sim, 0.51) == HN_OK))
      printf("  %s: %s\n", type->info.name, hn_sim_error(sim));
    hn_sim_destroy(sim);
  }
  for (int i = 0; hn_correction_at(i); i++) {
    sim = rig_start(&r, "lagrange", hn_correction_at(i)->name, "rk4", 1e-2);
    CHECK(hn_advance(sim, 1) == HN_OK);
    hn_residuals left;
    const hn_correction_type *type = hn_correction_find(hn_correction_at(i)->name);
    CHECK(hn_sim_residuals(sim, &left) == HN_OK);
    if (type->projects && !CHECK(left.position < 1e-9 && left.velocity < 1e-8))
      printf("  %s: %g %g\n", type->info.name, left.position, left.velocity);
    hn_sim_destroy(sim);
  }
  double at[3];
  rig_state(&r, 0.3, at, v);
  for (int i = 0; hn_integrator_at(i); i++) {
    const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
    char message[512];
    hn_options o = r.options;
    snprintf(o.solver, sizeof o.solver, "lagrange");
    snprintf(o.correction, sizeof o.correction, "none");
    snprintf(o.integrator, sizeof o.integrator, "%s", type->info.name);
    o.step = 1e-3;
    hn_status status = hn_sim_create(&sim, r.sys, &o, message, sizeof message);
    bool able = !type->stands_alone || (type->can & HN_CAN_BLOCKS);
    if (!CHECK(status == (able ? HN_OK : HN_ERR_UNSUPPORTED))) printf("  %s\n", message);
    if (status) continue;
    if (!CHECK(hn_advance(sim, 0.3) == HN_OK)) printf("  %s\n", type->info.name);
    double off = rig_difference(hn_positions(sim), at, 3, &size);
    if (!CHECK(off < (type->order == 1 ? 1e-2 : 1e-4)))
      printf("  %s: off by %g\n", type->info.name, off);
    hn_energy e;
    if (CHECK(hn_sim_energy(sim, &e) == HN_OK) && !CHECK(fabs(e.balance) < 0.2))
      printf("  %s: %g\n", type->info.name, e.balance);
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// implicit steppers iterate with the whole inertia of a block, whatever they ask of the end of a
// step: none needs many more iterations than index3-alpha, which has the smallest matrix
static void test_iterations(void) {
  static const char *const integrators[] = {
      "index3-alpha",       "index2-alpha",     "index1-alpha",      "tangent-space",
      "implicit-partition", "coordinate-split", "maggi-perturbation"};
  enum { COUNT = sizeof integrators / sizeof *integrators };
  for (int m = 0; hn_example_name(m); m++) {
    rig_case example = {hn_example_name(m), hn_example_text(m)};
    rig r;
    if (!strstr(example.text, "\nblocks:") || !rig_load(&r, &example, "reference")) continue;
    r.options.rtol = 1e10;  // steps are held
    double least = 0;
    printf("%-24s", example.name);
    for (int i = 0; i < COUNT; i++) {
      hn_sim *sim = rig_start(&r, "lagrange", "none", integrators[i], 1e-2);
      if (!sim) continue;
      CHECK(hn_advance(sim, 0.5) == HN_OK);
      const hn_implicit *stepper = sim->method.integrator_data;
      double iterations = (double)stepper->iterations / 50;
      if (i == 0) least = iterations;
      printf(" %.2f", iterations);
      CHECK(sim->count.steps == 50 && sim->count.rejected == 0);
      CHECK(iterations < 1.3 * least);
      hn_sim_destroy(sim);
    }
    printf("\n");
    rig_free(&r);
  }
}

// a constraint force that does work, given as C(q, v, t), by the formula of Udwadia and Kalaba
// (2002):
//   a = a0 + M^-1 J^T (J M^-1 J^T)^-1 (gamma - J a0) + (M^-1 - M^-1 J^T (J M^-1 J^T)^-1 J M^-1) C
// It is what `forces` of a block do: what they have along the constraints is carried by them
static void test_nonideal_force(void) {
  static const char *const base =
      "blocks: {p: {coordinates: {x: {value: 1, velocity: 0.3}, y: 0.5},"
      " kinetic_energy: x.rate^2 + 0.25*y.rate^2 + 0.1*x.rate*y.rate*x,"
      " potential: 3*y, constraints: [\"x^2 + 2*y = 2\"]";
  char with[512], without[512];
  rig r, ideal;
  snprintf(without, sizeof without, "%s}}", base);
  snprintf(with, sizeof with, "%s, forces: {x: -0.7*x.rate, y: 0.4*x}}}", base);
  if (!load(&ideal, without) || !load(&r, with)) return;
  hn_sim *a = rig_start(&ideal, "udwadia-kalaba", "none", "rk4", 1e-3);
  hn_sim *b = rig_start(&r, "udwadia-kalaba", "none", "rk4", 1e-3);
  const double *q = hn_positions(a), *v = hn_velocities(a);
  double M[4] = {2, 0.1 * q[0], 0.1 * q[0], 0.5}, J[2] = {2 * q[0], 2};
  double C[2] = {-0.7 * v[0], 0.4 * q[0]}, det = M[0] * M[3] - M[1] * M[2];
  double W[4] = {M[3] / det, -M[1] / det, -M[2] / det, M[0] / det};
  double WJ[2] = {W[0] * J[0] + W[1] * J[1], W[2] * J[0] + W[3] * J[1]};
  double S = J[0] * WJ[0] + J[1] * WJ[1], along = (WJ[0] * C[0] + WJ[1] * C[1]) / S;
  double size = 1, expected[2];
  memcpy(expected, hn_accelerations(a), sizeof expected);
  for (int i = 0; i < 2; i++) expected[i] += W[2 * i] * C[0] + W[2 * i + 1] * C[1] - WJ[i] * along;
  CHECK(rig_difference(hn_accelerations(b), expected, 2, &size) < 1e-12);
  hn_sim_destroy(a);
  hn_sim_destroy(b);
  rig_free(&ideal);
  rig_free(&r);
}

// ---- functions in place of formulas ---------------------------------------------------------

typedef struct numbers {
  double g;
  int calls;
} numbers;

// the four-bar above, written by hand
static void four_bar_equations(void *user, double t, const double *q, const double *v,
                               const hn_block_values *out) {
  const numbers *p = user;
  double s[3], c[3];
  (void)t;
  for (int i = 0; i < 3; i++) s[i] = sin(q[i]), c[i] = cos(q[i]);
  if (out->phi) {
    out->phi[0] = c[0] + 2 * c[1] - 2 * c[2] - 2.5;
    out->phi[1] = s[0] + 2 * s[1] - 2 * s[2];
  }
  double coupled = 0.1 * cos(q[0] - q[2]), slope_ = -0.1 * sin(q[0] - q[2]);
  if (out->mass) {
    double *M = out->mass;
    M[0] = 1, M[4] = 0.4, M[8] = 8;
    M[2] = M[6] = coupled;
  }
  if (out->force) {
    out->force[0] = -p->g * c[0] + slope_ * v[2] * v[2];
    out->force[2] = -4 * p->g * c[2] - slope_ * v[0] * v[0];
    *out->potential = p->g * (s[0] + 4 * s[2]);
  }
  static const double length[3] = {1, 2, -2};
  for (int i = 0; i < 3; i++) {
    if (out->J) out->J[i] = -length[i] * s[i], out->J[3 + i] = length[i] * c[i];
    if (out->gamma) out->gamma[0] += length[i] * c[i] * v[i] * v[i];
    if (out->gamma) out->gamma[1] += length[i] * s[i] * v[i] * v[i];
  }
}

static void test_function(void) {
  static const hn_coordinate_def coordinates[] = {
      {.name = "a", .value = 1.0471975511965976, .hold = true},
      {.name = "b", .value = 0.58},
      {.name = "c", .value = 1.73},
  };
  static const hn_equation rows[] = {{.name = "x"}, {.name = "y"}};
  numbers p = {.g = 9.81};
  rig r;
  if (!load(&r, four_bar)) return;
  hn_model *model = hn_model_create();
  hn_block block = hn_add_block(model, &(hn_block_def){.name = "linkage",
                                                       .coordinates = coordinates,
                                                       .coordinate_count = 3,
                                                       .constraints = rows,
                                                       .constraint_count = 2,
                                                       .equations = four_bar_equations,
                                                       .user = &p});
  hn_system *sys = NULL;
  if (CHECK(block.id == 1) && CHECK(hn_compile(&sys, model) == HN_OK)) {
    bench x, y;
    double q[MOST], v[MOST];
    CHECK_STR(hn_system_row_name(sys, 1), "linkage.y");
    bench_open(&x, r.sys);
    bench_open(&y, sys);
    for (int i = 0; i < 5; i++) {
      random_state(sys, q, v);
      hn_eval_all(&x.work, 0, q, v);
      hn_eval_all(&y.work, 0, q, v);
      for (int k = 0; k < 9; k++) CHECK_NEAR(x.work.mass_values[k], y.work.mass_values[k], 1e-14);
      for (int k = 0; k < 6; k++) CHECK_NEAR(x.work.J[k], y.work.J[k], 1e-14);
      for (int k = 0; k < 3; k++) CHECK_NEAR(x.work.f[k], y.work.f[k], 1e-12);
      for (int k = 0; k < 2; k++) {
        CHECK_NEAR(x.work.phi[k], y.work.phi[k], 1e-14);
        CHECK_NEAR(x.work.psi[k], y.work.psi[k], 1e-13);
        CHECK_NEAR(x.work.gamma[k], y.work.gamma[k], 1e-13);
      }
      CHECK_NEAR(x.work.potential, y.work.potential, 1e-12);
      check_motion(&y, q, v);
      check_tangents(&y, q, v);
    }
    free(x.arena.base), free(y.arena.base);
    rig other = {.model = model, .sys = sys, .options = r.options};
    hn_sim *a = rig_start(&r, "lagrange", "mass", "rk4", 1e-3);
    hn_sim *b = rig_start(&other, "lagrange", "mass", "rk4", 1e-3);
    CHECK(hn_advance(a, 1) == HN_OK && hn_advance(b, 1) == HN_OK);
    double angle, rate;
    CHECK(hn_block_coordinate(b, block, "c", &angle, &rate) == HN_OK);
    CHECK_NEAR(angle, hn_positions(a)[2], 1e-10);
    CHECK_NEAR(rate, hn_velocities(a)[2], 1e-10);
    CHECK(hn_block_coordinate(b, block, "d", &angle, &rate) == HN_ERR_ARGUMENT);
    CHECK(hn_block_coordinate(b, (hn_block){2}, NULL, &angle, &rate) == HN_ERR_ARGUMENT);
    hn_sim_destroy(a);
    hn_sim_destroy(b);
  }
  hn_system_destroy(sys);
  hn_model_destroy(model);
  rig_free(&r);
}

// ---- refused -------------------------------------------------------------------------------

#define ONE "blocks: {p: {coordinates: {x: 1, y: 2}, "
static const struct {
  const char *text, *message;
} refused[] = {
    {ONE "kinetic_energy: x.rate^4}}", "second degree"},
    {ONE "kinetic_energy: z.rate^2}}", "kinetic_energy, column 1: unknown name 'z.rate'"},
    {ONE "kinetic_energy: x.rate^2 + y.rate^2, potential: x*y.rate}}", "cannot depend on rates"},
    {ONE "mass_matrix: [[1, x], [y, 1]]}}", "must be symmetric"},
    {ONE "mass_matrix: [[1, t], [0, 1]]}}", "must be symmetric"},
    {"bodies: {b: {type: point, mass: 1}}\n" ONE "mass_matrix: [[1, b.x], [b.y, 1]]}}",
     "only depend on its own"},
    {ONE "mass_matrix: [[1, 0], [0, x.rate]]}}", "a mass cannot depend on rates"},
    {ONE "kinetic_energy: x.rate^2 - y.rate^2}}", "positive semidefinite"},
    {ONE "kinetic_energy: x.rate^2/(x - 1) + y.rate^2}}", "not finite"},
    {ONE "kinetic_energy: x.rate^2 + y.rate^2, forces: {z: 3}}}", "'z'"},
    {ONE "kinetic_energy: x.rate^2 + y.rate^2, forces: {x.rate: 3}}}", "neither a coordinate"},
    {ONE "kinetic_energy: x.rate^2 + y.rate^2, constraints: [x.rate = y]}}", "depends on rates"},
    {ONE "kinetic_energy: x.rate^2 + y.rate^2, velocity_constraints: [x = y]}}", "no rate"},
    {ONE "kinetic_energy: x.rate^2 + y.rate^2, velocity_constraints: [x.rate^2 = y]}}", "linear"},
    {ONE "kinetic_energy: x.rate^2 + y.rate^2, constraints: [x^2 + y^2 = -1]}}", "cannot be met"},
    {"bodies: {b: {type: point, mass: 1}}\n" ONE "kinetic_energy: x.rate^2 + b.x*y.rate^2}}",
     "only depend on its own"},
    {"simulation: {coordinates: relative}\n" ONE "kinetic_energy: x.rate^2 + y.rate^2}}",
     "reference coordinates"},
};

static void test_refused(void) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_status status = hn_model_parse(model, refused[i].text, strlen(refused[i].text), "x.yaml");
    if (!CHECK(status == HN_OK)) printf("  %s\n", hn_model_error(model));
    if (!CHECK(hn_compile(&sys, model) != HN_OK) ||
        !CHECK(strstr(hn_model_error(model), refused[i].message) != NULL))
      printf("  %s\n  %s\n", refused[i].message, hn_model_error(model));
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
  // a coordinate that neither inertia nor constraints determine
  rig r;
  char message[512];
  hn_sim *sim = NULL;
  if (load(&r, ONE "kinetic_energy: x.rate^2}}")) {
    CHECK(hn_sim_create(&sim, r.sys, &r.options, message, sizeof message) == HN_ERR_SINGULAR);
    CHECK(strstr(message, "not unique") != NULL);
    snprintf(r.options.solver, sizeof r.options.solver, "baumgarte-energy");
    snprintf(r.options.correction, sizeof r.options.correction, "none");
    CHECK(hn_sim_create(&sim, r.sys, &r.options, message, sizeof message) == HN_ERR_UNSUPPORTED);
    rig_free(&r);
  }
}

int main(void) {
  RUN(test_derivatives);
  RUN(test_energy);
  RUN(test_twins);
  RUN(test_rotating_hoop);
  RUN(test_methods);
  RUN(test_iterations);
  RUN(test_nonideal_force);
  RUN(test_function);
  RUN(test_refused);
  return test_end();
}
