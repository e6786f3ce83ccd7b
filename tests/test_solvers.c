// test_solvers.c: every acceleration solver, on mechanisms of all kinds.
//
// On consistent states all of them solve the same problem and must agree with LAPACK; on others
// each must do what its equations say. Runs show orders of convergence, how violations decay, and
// that no step touches the heap. The tables are read, so a new solver is tested when it is there.
#include "heap.h"
#include "io/yaml.h"
#include "reference.h"
#include "solver_rig.h"
#include "solvers/chart.h"

static const char *const coordinates[] = {"reference", "relative", "natural"};
static const double step = 1e-3;

static bool is(const char *name, const char *other) {
  return strcmp(name, other) == 0;
}

// ---- consistent states ---------------------------------------------------------------------

// accelerations and multipliers of one solver against LAPACK
static void check_agreement(const rig *r, const char *solver, double t, const double *q,
                            const double *v) {
  hn_sim *sim = rig_start(r, solver, "none", "rk4", step);
  rig_dense d = {0};
  if (!sim) return;
  double size = 1, tolerance = is(solver, "penalty") ? 1e-4 : 1e-9;
  // violations of the size of round-off come back over h^2
  if (is(solver, "baumgarte-rule")) tolerance = 1e-6;
  if (CHECK(hn_set_state(sim, t, q, v) == HN_OK)) {
    const double *a = hn_accelerations(sim);
    rig_write_out(&d, &sim->stage.work);
    rig_solve(&d, sim->stage.work.r, sim->stage.work.gamma);
    rig_uniqueness(&d);
    double difference = rig_difference(a, d.a, d.nv, &size), largest = 1e-3;
    for (int i = 0; i < d.rows; i++) largest = fmax(largest, fabs(d.lambda[i]));
    // the rows of a penalty method yield by lambda / penalty
    double yield = is(solver, "penalty") ? 100 * largest / r->options.penalty : 0;
    // round-off is that of what a joint's force alone would do to a light body
    for (int i = 0; i < d.rows * d.nv; i++) {
      double mass = d.M[i % d.nv * (d.nv + 1)];
      if (mass > 0) yield = fmax(yield, 1e-13 * fabs(d.J[i] * d.lambda[i / d.nv]) / mass);
    }
    if (!CHECK(difference <= tolerance * size + yield))
      printf("  %s, %s: accelerations differ by %g of %g\n", hn_model_name(r->model), solver,
             difference, size);
    for (int i = 0; i < d.rows; i++)
      if (d.unique[i] &&
          !CHECK_NEAR(sim->stage.work.lambda[i], d.lambda[i], 10 * tolerance * largest))
        printf("  %s, %s: row %s\n", hn_model_name(r->model), solver,
               hn_system_row_name(r->sys, i));
    // determined or not, M a = f + J^T lambda holds
    double *balance = rig_numbers(d.nv);
    hn_mass_mul(&sim->stage.work, a, balance);
    hn_jacobian_tmul_add(&sim->stage.work, sim->stage.work.lambda, -1, balance);
    difference = rig_difference(balance, sim->stage.work.r, d.nv, &largest);
    if (!CHECK(difference <= 1e-9 * largest))
      printf("  %s, %s: forces do not balance by %g\n", hn_model_name(r->model), solver,
             difference);
    free(balance);
  }
  rig_dense_free(&d);
  hn_sim_destroy(sim);
}

static void test_solvers_agree(void) {
  static const char *const bases[] = {"qr", "svd", "lu"};
  for (int c = 0; rig_case_at(c).name; c++)
    for (int k = 0; k < 3; k++) {
      rig r;
      rig_case this = rig_case_at(c);
      if (rig_load(&r, &this, coordinates[k]) && r.sys->nv + r.sys->rows < RIG_LARGEST) {
        double *q = rig_numbers(r.sys->nq), *v = rig_numbers(r.sys->nv);
        r.options.penalty = 1e9;
        for (int state = 0; state < 2; state++) {
          double t = 0.21 * state;
          if (!rig_state(&r, t, q, v)) continue;
          for (int s = 0; hn_solver_at(s); s++) {
            const char *name = hn_solver_at(s)->name;
            if (k == 2 && !(hn_solver_find(name)->can & HN_CAN_NATURAL)) continue;
            if ((r.sys->coordinates->ability & HN_CAN_RELATIVE) &&
                !(hn_solver_find(name)->can & HN_CAN_RELATIVE))
              continue;
            if (r.sys->blocks && (hn_solver_find(name)->can & HN_NO_BLOCKS)) continue;
            if (r.sys->unilaterals && !(hn_solver_find(name)->can & HN_CAN_UNILATERAL)) continue;
            if (r.sys->singular_mass && !(hn_solver_find(name)->can & HN_CAN_SINGULAR_MASS))
              continue;
            for (int b = 0; b < (is(name, "null-space") ? 3 : 1); b++) {
              snprintf(r.options.null_basis, sizeof r.options.null_basis, "%s", bases[b]);
              check_agreement(&r, name, t, q, v);
            }
          }
        }
        free(q), free(v);
      }
      rig_free(&r);
    }
}

// ---- states that violate the constraints ----------------------------------------------------

// rows of J a must come out as gamma - damping psi - stiffness Phi (holonomic rows)
typedef struct feedback {
  const char *solver;
  double velocity, position, nonholonomic;
} feedback;

static const feedback feedbacks[] = {
    {"lagrange", 0, 0, 0},
    {"baumgarte", 2 * 7, 9 * 9, 7},
    {"baumgarte-step", 1.5 / 1e-3, 1 / 1e-6, 1 / 1e-3},
    {"baumgarte-rule", 3.458888462135380 / 1e-3, 3.78125278977457 / 1e-6, 1.729444231067690 / 1e-3},
    {"baumgarte-adaptive", 2 * 7, 7 * 7, 7},
    {"baumgarte-integral", 2 * 7, 9 * 9, 7},
    {"penalty", 2 * 1.5 * 11, 11 * 11, 2 * 1.5 * 11},
    {"augmented-lagrangian", 2 * 1.5 * 11, 11 * 11, 2 * 1.5 * 11},
    {"pseudoinverse", 2 * 1.5 * 11, 11 * 11, 2 * 1.5 * 11},
    {"udwadia-kalaba", 0, 0, 0},
    {"null-space", 0, 0, 0},
};

static void check_feedback(rig *r, const feedback *f, const double *q, const double *v) {
  r->options.alpha = 7, r->options.beta = 9;
  r->options.omega = 11, r->options.mu = 1.5;
  r->options.penalty = 1e9;
  hn_sim *sim = rig_start(r, f->solver, "none", "rk4", 1e-3);
  if (!sim) return;
  if (CHECK(hn_set_state(sim, 0.1, q, v) == HN_OK)) {
    const hn_work *w = &sim->stage.work;
    const double *a = hn_accelerations(sim);
    double *Ja = rig_numbers(r->sys->rows), size = 1;
    hn_jacobian_mul(w, a, Ja);
    for (int i = 0; i < r->sys->rows; i++) {
      double expected =
          w->gamma[i] - (r->sys->holonomic[i] ? f->velocity : f->nonholonomic) * w->psi[i];
      if (r->sys->holonomic[i]) expected -= f->position * w->phi[i];
      size = fmax(size, fabs(expected));
      if (!CHECK_REL(Ja[i], expected, size, is(f->solver, "penalty") ? 1e-3 : 1e-8))
        printf("  %s, %s: row %s\n", hn_model_name(r->model), f->solver,
               hn_system_row_name(r->sys, i));
    }
    free(Ja);
  }
  hn_sim_destroy(sim);
}

// models with independent rows only, as others cannot follow an arbitrary right-hand side
static void test_feedback(void) {
  static const int cases[] = {0, 1, 6, 7, 10};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int k = 0; k < 3; k++) {
      rig r;
      if (rig_load(&r, &rig_cases[cases[c]], coordinates[k])) {
        double *q = rig_numbers(r.sys->nq), *v = rig_numbers(r.sys->nv);
        if (rig_state(&r, 0.1, q, v)) {
          for (int i = 0; i < r.sys->nv; i++) v[i] += test_random(-1e-3, 1e-3);
          for (int i = 0; i < r.sys->nq; i++) q[i] += test_random(-1e-4, 1e-4);
          hn_normalise(r.sys, q);
          for (size_t f = 0; f < sizeof feedbacks / sizeof *feedbacks; f++)
            check_feedback(&r, &feedbacks[f], q, v);
        }
        free(q), free(v);
      }
      rig_free(&r);
    }
}

// (M + J^T A J) a = f - J^T A (-gamma + 2 Omega mu psi + Omega^2 Phi), written out; A, Omega and mu
// of each joint its own, or those of the options
static void test_penalty_equation(void) {
  static const double A[3] = {40, 40 * 2, 40 * 2 * 3}, omega[3] = {3, 5, 3}, mu[3] = {0.7, 0.7, 2};
  rig r;
  rig_case c = {
      "Mass on three rods",
      "gravity: [0, -9.81, 0]\n"
      "bodies: {mass: {type: point, mass: 1.5, position: [2, 0, 0]}}\n"
      "joints:\n"
      "  one: {type: distance, a: ground, at: [0, 0, 0], b: mass}\n"
      "  two: {type: distance, a: ground, at: [2, 2, 0], b: mass, stiffness: 2, omega: 5}\n"
      "  three: {type: distance, a: ground, at: [2, 0, 2], b: mass, stiffness: 2,"
      " constraint_stiffness: [3], mu: 2}\n"};
  if (!rig_load(&r, &c, "reference")) return;
  r.options.penalty = 40, r.options.omega = 3, r.options.mu = 0.7;
  hn_sim *sim = rig_start(&r, "penalty", "none", "rk4", step);
  double q[3] = {1.9, -0.3, 0.1}, v[3] = {0.2, 1.1, -0.4}, left[3], right[3];
  if (sim && CHECK(hn_set_state(sim, 0, q, v) == HN_OK)) {
    const double *a = hn_accelerations(sim);
    const hn_work *w = &sim->stage.work;
    rig_dense d;
    rig_write_out(&d, w);
    for (int i = 0; i < 3; i++) left[i] = a[i], right[i] = w->r[i];
    hn_mass_mul(w, a, left);
    for (int k = 0; k < 3; k++) {
      double Ja = 0;
      for (int i = 0; i < 3; i++) Ja += d.J[3 * k + i] * a[i];
      double pull = A[k] * (-w->gamma[k] + 2 * omega[k] * mu[k] * w->psi[k] +
                            omega[k] * omega[k] * w->phi[k]);
      for (int i = 0; i < 3; i++) {
        left[i] += d.J[3 * k + i] * A[k] * Ja;
        right[i] -= d.J[3 * k + i] * pull;
      }
      CHECK_REL(w->lambda[k], -A[k] * Ja - pull, 1, 1e-11);
    }
    for (int i = 0; i < 3; i++) CHECK_REL(left[i], right[i], 1, 1e-11);
    rig_dense_free(&d);
  }
  hn_sim_destroy(sim);
  rig_free(&r);
}

static double violation(hn_sim *sim) {
  double worst = 0;
  hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
  for (int i = 0; i < sim->sys->rows; i++) worst = fmax(worst, fabs(sim->stage.work.phi[i]));
  return worst;
}

// A weight of 3 kg on a rod has one row with J M^-1 J^T = 1/3: with D = 1/penalty a pass leaves
// D/(1/3 + D) of what the multiplier misses. Two passes where any change will do; as many as it
// takes for round-off where none will, and then the penalty is of no account
static void test_augmented_passes(void) {
  static const char text[] = "gravity: [0, -9.81]\n"
                             "bodies:\n  bob: {type: planar-point, mass: 3, position: [0, -1]}\n"
                             "joints:\n  rod: {type: distance, a: ground, b: bob, at: [0, 0],"
                             " at_b: [0, -1]}\n";
  rig r;
  if (!rig_load(&r, &(rig_case){"Rod", text}, "reference")) return;
  for (double penalty = 10; penalty < 1e9; penalty *= 10)
    for (int all = 0; all < 2; all++) {
      r.options.penalty = penalty;
      hn_sim *sim = rig_start(&r, "augmented-lagrangian", "none", "rk4", step);
      if (!sim) return;
      sim->opt.iteration_tol = all ? 1e-15 : INFINITY;
      CHECK(hn_set_state(sim, 0, r.sys->q0, r.sys->v0) == HN_OK);
      double left = 1 / penalty / (1.0 / 3 + 1 / penalty), weight = 3 * 9.81;
      double force = fabs(sim->stage.work.lambda[0]) * sim->stage.work.J[1] * sim->stage.work.J[1];
      CHECK_REL(force, all ? weight : weight * (1 - left * left), 0, 1e-12);
      CHECK_NEAR(sim->stage.a[1], all ? 0 : -9.81 * left * left, 1e-11);
      hn_sim_destroy(sim);
    }
  rig_free(&r);
}

// what a penalty leaves is lambda / (penalty Omega^2): a tenth with ten times the penalty
static void test_penalty_yields(void) {
  rig r;
  double off[3];
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  for (int i = 0; i < 3; i++) {
    r.options.penalty = 1e5 * pow(10, i);
    hn_sim *sim = rig_start(&r, "penalty", "none", "rk4", step);
    if (!sim) return;
    off[i] = 0;
    for (int k = 0; k < 1000; k++) {
      CHECK(hn_step(sim) == HN_OK);
      off[i] = fmax(off[i], violation(sim));
    }
    hn_sim_destroy(sim);
  }
  printf("penalty 1e5, 1e6, 1e7: violation %.2e, %.2e, %.2e\n", off[0], off[1], off[2]);
  for (int i = 0; i < 2; i++) CHECK_REL(off[i] / off[i + 1], 10.0, 0, 0.02);
  rig_free(&r);
}

// rods that share a load by their stiffness, one to two
static void test_sharing(void) {
  rig r;
  if (!rig_load(&r, &rig_cases[5], "reference")) return;
  static const char *const by_stiffness[] = {"penalty", "augmented-lagrangian"};
  static const char *const evenly[] = {"udwadia-kalaba", "pseudoinverse", "null-space"};
  double q[2], v[2];
  rig_state(&r, 0.3, q, v);
  for (size_t i = 0; i < 5; i++) {
    bool even = i >= 2;
    hn_sim *sim = rig_start(&r, even ? evenly[i - 2] : by_stiffness[i], "none", "rk4", step);
    if (sim && CHECK(hn_set_state(sim, 0.3, q, v) == HN_OK)) {
      // the solver's own; what is reported is shared by stiffness whatever it was
      const double *lambda = sim->stage.work.lambda;
      CHECK_REL(lambda[1], (even ? 1 : 2) * lambda[0], 1, 1e-8);
      lambda = hn_multipliers(sim);
      CHECK_REL(lambda[1], 2 * lambda[0], 1, 1e-8);
    }
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// ---- mass matrices that are singular --------------------------------------------------------

// removes mass and inertia of a body from the compiled system: models refuse such bodies
static void make_massless(hn_system *sys, const char *body) {
  if (!sys->mass_entries) rig_list_mass(sys);
  sys->singular_mass = true;
  for (int i = 1; i < sys->bodies; i++) {
    hn_sys_body *b = &sys->body[i];
    if (strcmp(b->info->name, body) != 0) continue;
    b->mass = 0;
    memset(b->inertia, 0, sizeof b->inertia);
    for (int k = b->v0; k < b->v0 + b->nv; k++)
      sys->mass_entries->value[k] = sys->constant_force[k] = 0;
  }
}

// a coupler without inertia against one with next to none
static void test_singular_mass(void) {
  static const char *const capable[] = {
      "udwadia-kalaba", "null-space", "pseudoinverse",        "lagrange",      "baumgarte",
      "partition",      "penalty",    "augmented-lagrangian", "baumgarte-step"};
  static const char *const text =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.3, position: [0.5, 0.866], angle: pi/3}\n"
      "  coupler: {type: planar, mass: 1e-6, inertia: 1e-6, position: [2.82, 2.55],"
      " angle: 0.4232}\n"
      "  rocker: {type: planar, mass: 2.2, inertia: 1.35, position: [3.57, 1.69], angle: 1}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground, b: crank, at: [0, 0]}\n"
      "  B: {type: revolute, a: crank, b: coupler, at: [1, 1.732]}\n"
      "  C: {type: revolute, a: coupler, b: rocker, at: [4.65, 3.375]}\n"
      "  D: {type: revolute, a: ground, b: rocker, at: [2.5, 0]}\n";
  rig light, massless;
  rig_case c = {"Light coupler", text};
  if (!rig_load(&light, &c, "reference") || !rig_load(&massless, &c, "reference")) return;
  hn_sim *sim = rig_start(&light, "lagrange", "none", "rk4", step);
  double a[9], lambda[8], size = 1;
  memcpy(a, hn_accelerations(sim), sizeof a);
  memcpy(lambda, hn_multipliers(sim), sizeof lambda);
  hn_sim_destroy(sim);
  make_massless(massless.sys, "coupler");
  for (size_t s = 0; s < sizeof capable / sizeof *capable; s++) {
    sim = rig_start(&massless, capable[s], "none", "rk4", step);
    if (!sim) continue;
    if (!CHECK(rig_difference(hn_accelerations(sim), a, 9, &size) < 1e-5 * size) ||
        !CHECK(rig_difference(hn_multipliers(sim), lambda, 8, &size) < 1e-5 * size))
      printf("  %s\n", capable[s]);
    CHECK(hn_advance(sim, 0.1) == HN_OK);
    hn_sim_destroy(sim);
  }
  // the others refuse, and say why
  char message[512];
  hn_options o = light.options;
  snprintf(o.solver, sizeof o.solver, "baumgarte-energy");
  snprintf(o.correction, sizeof o.correction, "none");
  CHECK(hn_sim_create(&sim, massless.sys, &o, message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "without inertia") != NULL);
  // a crank without inertia still is moved by the rest; the rocker alone would not be
  make_massless(massless.sys, "crank");
  make_massless(massless.sys, "rocker");
  snprintf(o.solver, sizeof o.solver, "udwadia-kalaba");
  CHECK(hn_sim_create(&sim, massless.sys, &o, message, sizeof message) == HN_ERR_SINGULAR);
  CHECK(strstr(message, "rank 8 of 9") != NULL);
  snprintf(o.solver, sizeof o.solver, "null-space");
  CHECK(hn_sim_create(&sim, massless.sys, &o, message, sizeof message) == HN_ERR_SINGULAR);
  snprintf(o.solver, sizeof o.solver, "lagrange");
  CHECK(hn_sim_create(&sim, massless.sys, &o, message, sizeof message) == HN_ERR_SINGULAR);
  CHECK(strstr(message, "not unique") != NULL);
  rig_free(&light);
  rig_free(&massless);
}

// ---- parts that do not go together ----------------------------------------------------------

static void test_refused(void) {
  rig r;
  char message[512];
  hn_sim *sim = NULL;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  hn_options o = r.options;
  snprintf(o.solver, sizeof o.solver, "partition");
  snprintf(o.correction, sizeof o.correction, "mass");
  CHECK(hn_sim_create(&sim, r.sys, &o, message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "nothing to do") != NULL);
  snprintf(o.solver, sizeof o.solver, "lagrange");
  snprintf(o.integrator, sizeof o.integrator, "velocity-soft");
  o.step = 1e-3;
  CHECK(hn_sim_create(&sim, r.sys, &o, message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "yield") != NULL);
  snprintf(o.solver, sizeof o.solver, "lagrnage");
  CHECK(hn_sim_create(&sim, r.sys, &o, message, sizeof message) == HN_ERR_ARGUMENT);
  rig_free(&r);
}

// ---- orders of convergence ------------------------------------------------------------------

// error of the bars' centres and velocities against the independent solution
static double error_at(hn_sim *sim, const table *reference, double t) {
  static const char *const names[] = {"crank_com_x",   "crank_com_y",    "coupler_com_x",
                                      "coupler_com_y", "follower_com_x", "follower_com_y"};
  static const char *const rates[] = {"crank_rate", "coupler_rate", "follower_rate"};
  const double *row = NULL;
  double worst = 0;
  for (int i = 0; i < reference->rows; i++)
    if (fabs(table_row(reference, i)[0] - t) < 1e-9) row = table_row(reference, i);
  if (!CHECK(row != NULL)) return NAN;
  for (int i = 0; i < 9; i++) {
    hn_pose pose;
    int body = i < 6 ? i / 2 : i - 6;
    const char *name = i < 6 ? names[i] : rates[body];
    CHECK(hn_body_pose(sim, (hn_body){1 + body}, &pose) == HN_OK);
    double ours = i < 6 ? pose.position[i % 2] : pose.angular_velocity[2];
    double e = fabs(ours - row[table_find(reference, name, strlen(name))]);
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

// error after t seconds in steps of h; adaptive integrators are held at that step
static double run_error(const rig *r, const char *solver, const char *correction,
                        const char *integrator, double h, double t, const table *reference,
                        long *switches) {
  rig loose = *r;
  loose.options.rtol = 0.1;
  hn_sim *sim = rig_start(&loose, solver, correction, integrator, h);
  if (!sim) return NAN;
  long before = heap_calls;
  hn_status status = hn_advance(sim, t);
  long calls = heap_calls - before;
  if (!CHECK(status == HN_OK))
    printf("  %s + %s + %s: %s\n", solver, correction, integrator, hn_sim_error(sim));
  // sparse factors may choose their pivots anew, which allocates
  if (COUNT_HEAP && !(r->sys->coordinates->ability & HN_CAN_NATURAL) && !CHECK(calls == 0))
    printf("  %s + %s + %s: %ld heap calls\n", solver, correction, integrator, calls);
  double error = status ? NAN : error_at(sim, reference, t);
  if (switches) *switches = sim->count.switches;
  hn_sim_destroy(sim);
  return error;
}

static void check_order(const rig *r, const char *solver, const char *correction,
                        const hn_integrator_type *type, const table *reference) {
  enum { STEPS = 4 };
  double error[STEPS], h = type->order > 4 ? 0.05 : 0.025, slope = 0;
  if (is(solver, "hamiltonian")) h *= 0.5;  // its feedback makes the longest step too rough
  int used = 0;
  for (int i = 0; i < STEPS; i++) {
    error[i] = run_error(r, solver, correction, type->info.name, h / (1 << i), 1, reference, NULL);
    if (i == 0 || !(error[i] > 1e-11)) continue;
    slope += log2(error[i - 1] / error[i]);
    used++;
  }
  slope = used ? slope / used : NAN;
  // the error of a penalty does not depend on the step
  // gains of the size 1/h act on the stages
  double order = is(solver, "baumgarte-rule") ? 0.8 : type->order;
  bool ok = slope > order - 0.4 || error[STEPS - 1] < 1e-10;
  if (is(solver, "penalty")) ok = error[STEPS - 1] < 1e3 / 1e7;
  if (!CHECK(ok))
    printf("  %s + %s + %s: order %.2f, errors %.2e %.2e %.2e %.2e\n", solver, correction,
           type->info.name, slope, error[0], error[1], error[2], error[3]);
}

static void test_order(void) {
  table reference;
  rig r;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return;
  for (int k = 0; k < 3; k++) {
    if (!rig_load(&r, &rig_cases[0], coordinates[k])) continue;
    r.options.projection_tol = 1e-13;
    for (int s = 0; hn_solver_at(s); s++) {
      const char *solver = hn_solver_at(s)->name;
      if (k == 2 && !(hn_solver_find(solver)->can & HN_CAN_NATURAL)) continue;
      if ((r.sys->coordinates->ability & HN_CAN_RELATIVE) &&
          !(hn_solver_find(solver)->can & HN_CAN_RELATIVE))
        continue;
      bool alone = hn_solver_find(solver)->can & HN_IS_EXACT;
      for (int c = 0; hn_correction_at(c); c++) {
        const char *correction = hn_correction_at(c)->name;
        if (alone && !is(correction, "none")) continue;
        check_order(&r, solver, correction, hn_integrator_find("rk4"), &reference);
        if (k == 0) check_order(&r, solver, correction, hn_integrator_find("dopri5"), &reference);
      }
    }
    rig_free(&r);
  }
  table_free(&reference);
}

// ---- coordinate partitioning ----------------------------------------------------------------

// independent coordinates change on the way, and the order does not suffer
static void test_partition_switches(void) {
  table reference;
  rig r;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return;
  if (rig_load(&r, &rig_cases[0], "reference")) {
    double error[3];
    for (int i = 0; i < 3; i++) {
      long switches = 0;
      error[i] =
          run_error(&r, "partition", "none", "rk4", 0.01 / (1 << i), 2, &reference, &switches);
      CHECK(switches >= 3);
    }
    double order = log2(error[0] / error[2]) / 2;
    if (!CHECK(order > 3.6))
      printf("  order %.2f: %g %g %g\n", order, error[0], error[1], error[2]);
    rig_free(&r);
  }
  table_free(&reference);
}

// a stage moves dependent entries only, whatever the coordinates
static void test_partition_keeps_independent(void) {
  for (int c = 0; c < RIG_CASES; c++)
    for (int k = 0; k < 3; k++) {
      rig r;
      if (rig_load(&r, &rig_cases[c], coordinates[k])) {
        const hn_system *sys = r.sys;
        hn_sim *sim = rig_start(&r, "partition", "none", "rk4", step);
        if (sim) {
          double *y = rig_numbers(sim->state.n), *before = rig_numbers(sim->state.n);
          const hn_chart *chart = sim->method.solver_data;
          memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof *y);
          for (int i = 0; i < sim->state.w; i++) y[i] += test_random(-1e-4, 1e-4);
          memcpy(before, y, (size_t)sim->state.n * sizeof *y);
          CHECK(sim->method.solver->prepare(sim, 0, y) == HN_OK);
          for (int i = 0; i < chart->position.free; i++) {
            int at = chart->position.coordinate[i];
            CHECK_NEAR(y[at], before[at], chart->plain ? 0 : 1e-11);
          }
          const hn_chart_level *velocity = chart->shared ? &chart->position : &chart->velocity;
          for (int i = 0; i < velocity->free; i++) {
            int at = sys->nq + velocity->coordinate[i];
            CHECK(y[at] == before[at]);
          }
          hn_eval_jacobian(&sim->stage.work, 0, y, y + sys->nq);
          for (int i = 0; i < sys->rows; i++) {
            if (!CHECK(!sys->holonomic[i] || fabs(sim->stage.work.phi[i]) < 1e-8))
              printf("  %s: %g\n", hn_system_row_name(sys, i), sim->stage.work.phi[i]);
            CHECK(fabs(sim->stage.work.psi[i]) < 1e-8);
          }
          // and what is exact is not touched again, but for the last digit of quaternions
          memcpy(before, y, (size_t)sim->state.n * sizeof *y);
          CHECK(sim->method.solver->prepare(sim, 0, y) == HN_OK);
          for (int i = 0; i < sim->state.w; i++) CHECK_NEAR(y[i], before[i], 3e-16);
          free(y), free(before);
        }
        hn_sim_destroy(sim);
      }
      rig_free(&r);
    }
}

// ---- what becomes of violations -------------------------------------------------------------

// the four-bar with the crank's pin torn apart by d
static hn_sim *start_torn(const rig *r, const char *solver, const char *integrator, double h,
                          double d) {
  hn_sim *sim = rig_start(r, solver, "none", integrator, h);
  double *q = rig_numbers(r->sys->nq);
  if (sim) {
    memcpy(q, r->sys->q0, (size_t)r->sys->nq * sizeof *q);
    for (int i = 0; i < r->sys->nq; i++) q[i] += d * (i % 3 == 0);
    CHECK(hn_set_state(sim, 0, q, r->sys->v0) == HN_OK);
  }
  free(q);
  return sim;
}

// gains from the step remove a violation within two steps of every one-step integrator
static void test_dead_beat(void) {
  rig r;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  for (int i = 0; hn_integrator_at(i); i++) {
    const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
    if (type->stands_alone || type->multistep) continue;
    hn_sim *sim = start_torn(&r, "baumgarte-step", type->info.name, 1e-3, 1e-6);
    if (!sim) continue;
    double before = violation(sim);
    sim->step.h = 1e-3;
    for (int n = 0; n < 3; n++) CHECK(hn_step(sim) == HN_OK);
    // what is new belongs to the truncation error of the integrator
    double limit = type->order == 1 ? 2e-8 : 1e-10;
    if (type->adaptive) limit = 1e-8;  // its steps are its own
    if (!CHECK(before > 5e-7 && violation(sim) < limit))
      printf("  %s: %g, then %g\n", type->info.name, before, violation(sim));
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

static void test_violation_decays(void) {
  rig r;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  // after 0.4 s the exponential (1 + 5 t) e^-5t is at 0.41
  hn_sim *fixed = start_torn(&r, "baumgarte", "rk4", 1e-3, 1e-3);
  hn_sim *adaptive = start_torn(&r, "baumgarte-adaptive", "rk4", 1e-3, 1e-3);
  hn_sim *standard = start_torn(&r, "lagrange", "rk4", 1e-3, 1e-3);
  double start = violation(fixed);
  CHECK(hn_advance(fixed, 0.4) == HN_OK);
  CHECK_REL(violation(fixed), start * 3 * exp(-2), 0, 0.05);
  CHECK(hn_advance(standard, 0.4) == HN_OK);
  CHECK_REL(violation(standard), start, 0, 1e-6);
  CHECK(hn_advance(adaptive, 0.4) == HN_OK);
  CHECK(violation(adaptive) < 1e-2 * start);
  hn_sim_destroy(fixed), hn_sim_destroy(adaptive), hn_sim_destroy(standard);
  rig_free(&r);
}

// a mass on a rod in steady rotation: the integrator errs by the same amount in every step
static void test_integral_removes_offset(void) {
  rig r;
  rig_case c = {"Mass on a rod",
                "bodies:\n"
                "  mass: {type: planar-point, mass: 1, position: [1, 0], velocity: [0, 3]}\n"
                "joints:\n"
                "  rod: {type: distance, a: ground, at: [0, 0], b: mass}\n"};
  if (!rig_load(&r, &c, "reference")) return;
  r.options.integral = 0.2;
  hn_sim *two = rig_start(&r, "baumgarte", "none", "rk4", 0.05);
  hn_sim *three = rig_start(&r, "baumgarte-integral", "none", "rk4", 0.05);
  CHECK(hn_advance(two, 20) == HN_OK && hn_advance(three, 20) == HN_OK);
  if (!CHECK(violation(three) < 1e-3 * violation(two)))
    printf("  %g and %g\n", violation(two), violation(three));
  hn_sim_destroy(two), hn_sim_destroy(three);
  rig_free(&r);
}

static void test_energy_is_kept(void) {
  rig r;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  hn_energy without, with;
  hn_sim *a = rig_start(&r, "baumgarte", "none", "rk4", 0.01);
  hn_sim *b = rig_start(&r, "baumgarte-energy", "none", "rk4", 0.01);
  CHECK(hn_advance(a, 10) == HN_OK && hn_advance(b, 10) == HN_OK);
  CHECK(hn_sim_energy(a, &without) == HN_OK && hn_sim_energy(b, &with) == HN_OK);
  if (!CHECK(fabs(with.balance) < 0.02 * fabs(without.balance)))
    printf("  %g without, %g with\n", without.balance, with.balance);
  hn_sim_destroy(a), hn_sim_destroy(b);
  rig_free(&r);
}

// ---- documentation ---------------------------------------------------------------------------

// every solver and correction has a page, and every page the same headings
static void test_pages(void) {
  static const char *const headings[] = {"## Equations",   "## Properties", "## Cost",
                                         "## When to use", "## Pitfalls",   "## Reference"};
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; (kind ? hn_correction_at(i) : hn_solver_at(i)); i++) {
      char path[128], *text = NULL;
      size_t length = 0;
      snprintf(path, sizeof path, "docs/methods/%s-%s.md", kind ? "correction" : "solver",
               (kind ? hn_correction_at(i) : hn_solver_at(i))->name);
      text = read_whole_file(path, &length);
      if (CHECK(text != NULL)) {
        text[length] = 0;
        for (size_t k = 0; k < sizeof headings / sizeof *headings; k++)
          if (!CHECK(strstr(text, headings[k]) != NULL)) printf("  %s: %s\n", path, headings[k]);
      } else {
        printf("  %s\n", path);
      }
      free(text);
    }
}

int main(void) {
  RUN(test_solvers_agree);
  RUN(test_feedback);
  RUN(test_penalty_equation);
  RUN(test_augmented_passes);
  RUN(test_penalty_yields);
  RUN(test_sharing);
  RUN(test_singular_mass);
  RUN(test_refused);
  RUN(test_order);
  RUN(test_partition_switches);
  RUN(test_partition_keeps_independent);
  RUN(test_dead_beat);
  RUN(test_violation_decays);
  RUN(test_integral_removes_offset);
  RUN(test_energy_is_kept);
  RUN(test_pages);
  return test_end();
}
