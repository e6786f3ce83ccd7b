// test_embedded.c: embedded projection.
//
// What makes the method is checked by itself: from modified coordinates and momenta that are far
// from the true ones the rates must carry the true state along its own rates, whatever the
// multipliers taken out of them. Then orders against independent solutions, with both levels of the
// constraints at round-off, and rows between steps.
#include "reference.h"
#include "solver_rig.h"

// ---- the equations ---------------------------------------------------------------------------

// numbers between -1 and 1, the same in every run
static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

// modified coordinates and momenta `part` off those of the state that is set
static void disturb(hn_sim *sim, double part, double *y) {
  const hn_system *sys = sim->sys;
  double *star = y + sim->state.w + 1, *p = star + sys->nq, *d = rig_numbers(sys->nv);
  unsigned seed = 7;
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  for (int i = 0; i < sys->nv; i++) {
    double unit = sys->angular_v[i] ? 1 : sys->length;
    d[i] = part * unit * noise(&seed);
    p[i] += 0.3 * sys->mass[i] * unit * noise(&seed);
  }
  hn_retract(sys, star, d);
  free(d);
}

// (q, v) that belong to y + s ydot
static bool along(hn_sim *sim, double t, const double *y, const double *ydot, double s, double *x,
                  double *scratch) {
  for (int i = 0; i < sim->state.n; i++) x[i] = y[i] + s * ydot[i];
  return CHECK(hn_derivative(sim, t + s, x, scratch) == HN_OK);
}

// q' = N v and v' = a at a disturbed state, by differences along (q*, p*)'
static void check_rates(const rig *r, double t) {
  static const double part = 1e-4, delta = 1e-4;
  const hn_system *sys = r->sys;
  hn_sim *sim = rig_start(r, "embedded", "none", "rk4", 1e-3);
  double *q = rig_numbers(sys->nq), *v = rig_numbers(sys->nv);
  if (sim && rig_state(r, t, q, v) && CHECK(hn_set_state(sim, t, q, v) == HN_OK)) {
    int n = sim->state.n, w = sim->state.w;
    double *y = rig_numbers(n), *ydot = rig_numbers(n), *x[4], *scratch = rig_numbers(n);
    for (int k = 0; k < 4; k++) x[k] = rig_numbers(n);
    disturb(sim, part, y);
    bool ok = CHECK(hn_derivative(sim, t, y, ydot) == HN_OK);
    bool holonomic = false;
    double moved = 0, size[2] = {1, 1}, off[2] = {0};
    for (int i = 0; i < sys->nq; i++) moved = fmax(moved, fabs(y[i] - y[w + 1 + i]));
    for (int k = 0; ok && k < 4; k++)
      ok = along(sim, t, y, ydot, (k < 2 ? k - 2 : k - 1) * delta, x[k], scratch);
    for (int i = 0; ok && i < w; i++) {
      double slope = (8 * (x[2][i] - x[1][i]) - (x[3][i] - x[0][i])) / (12 * delta);
      size[i >= sys->nq] = fmax(size[i >= sys->nq], fabs(ydot[i]));
      off[i >= sys->nq] = fmax(off[i >= sys->nq], fabs(slope - ydot[i]));
    }
    // positions were projected, or nothing is shown of them
    for (int i = 0; i < sys->rows; i++) holonomic |= sys->holonomic[i];
    CHECK((moved > 0.01 * part * fmin(1, sys->length)) == holonomic);
    if (!CHECK(off[0] < 1e-6 * size[0] && off[1] < 1e-6 * size[1]))
      printf("  %s, t = %g: q' %.2e of %.1e, v' %.2e of %.1e\n", sys->name, t, off[0], size[0],
             off[1], size[1]);
    for (int k = 0; k < 4; k++) free(x[k]);
    free(y), free(ydot), free(scratch);
  }
  free(q), free(v);
  hn_sim_destroy(sim);
}

static void test_rates(void) {
  for (int i = 0; i < RIG_CASES; i++) {
    rig r;
    if (!rig_load(&r, &rig_cases[i], "reference")) continue;
    r.options.projection_tol = 1e-13;
    for (int k = 0; k < 2; k++) check_rates(&r, 0.11 + 0.2 * k);
    rig_free(&r);
  }
}

// ---- runs ------------------------------------------------------------------------------------

typedef struct course {
  const char *model, *reference;
  const pair *pairs;
  double end, step[2];  // the longer of two steps, for rk4 and dopri5
} course;

static const course courses[] = {
    {"four_bar", "A1_fourbar", four_bar, 0.5, {1e-2, 2.5e-2}},
    {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 0.25, {5e-3, 1e-2}},
    {"andrews", "E1_andrews", andrews, 0.01, {5e-5, 2e-4}},
    {"heavy_top", "E4_heavy_top", top, 0.2, {1e-3, 2e-3}},
    {"bricard", "E2_A04_bricard", bricard, 1, {1e-2, 5e-2}},
    {"parallelogram", "B2_parallelogram_end_inertia", parallelogram, 0.5, {5e-3, 2e-2}},
    {"ship_mount", "D_ship_mount", ship, 1, {1e-2, 2e-2}},
    {"rolling_disk", "E5_rolling_disk_3d", rolling_disk, 1, {1e-2, 5e-2}},
};
enum { COURSES = sizeof courses / sizeof *courses };

// errors of a run; step 0: error control
static errors run_errors(const course *c, const char *method, const char *integrator, double step,
                         hn_summary *summary) {
  machine m;
  table reference = {0}, ours = {0};
  errors e = {0};
  hn_result *result = NULL;
  bool ok = CHECK(machine_load(&m, c->model, "reference", NULL, NULL) == HN_OK) &&
            CHECK(reference_read(&reference, c->reference));
  if (ok) {
    m.options = hn_options_default();
    snprintf(m.options.method, sizeof m.options.method, "%s", method);
    snprintf(m.options.integrator, sizeof m.options.integrator, "%s", integrator);
    m.options.step = step;
    m.options.rtol = step > 0 ? 0.1 : 1e-8;
    m.options.projection_tol = 1e-14;
    machine_follow(&m, &reference, c->end);
    ok = CHECK(machine_start(&m) == HN_OK) && CHECK(hn_run(m.sim, &result, NULL, NULL) == HN_OK);
    if (m.sim) hn_sim_summary(m.sim, summary);
    if (!ok) printf("  %s: %s\n", c->model, m.sim ? hn_sim_error(m.sim) : "");
  }
  ok = ok && CHECK(table_pick(&ours, result, &reference)) &&
       CHECK(compare(&e, c->pairs, &reference, &ours, 1, "xvf", false));
  for (int k = 0; !ok && k < KINDS; k++) e.worst[k] = INFINITY;
  table_free(&ours), table_free(&reference);
  hn_result_destroy(result);
  machine_free(&m);
  return e;
}

static void show_order(const course *c, int which) {
  static const char *const integrators[] = {"rk4", "dopri5"};
  double order = which ? 5 : 4, step = c->step[which];
  hn_summary summary = {0};
  errors coarse = run_errors(c, "embedded-projection", integrators[which], step, &summary);
  errors fine = run_errors(c, "embedded-projection", integrators[which], step / 2, &summary);
  printf("%-22s %-7s", c->model, integrators[which]);
  for (int k = POSITION; k <= FORCE; k++) {
    if (!fine.where[k]) continue;
    double found = log2(coarse.worst[k] / fine.worst[k]);
    printf(" %c: %.1e %.1e order %.2f", kinds[k], coarse.worst[k], fine.worst[k], found);
    // long steps of the higher order fall faster still
    CHECK(found > order - 0.4 && (which || found < order + 0.5));
  }
  printf("  violation %.0e %.0e\n", summary.audit[0].worst, summary.audit[1].worst);
  CHECK(summary.audit[0].worst < 1e-12 && summary.audit[1].worst < 1e-10);
}

static void test_orders(void) {
  for (int i = 0; i < COURSES; i++)
    for (int which = 0; which < (run_quickly() ? 1 : 2); which++) show_order(&courses[i], which);
}

// rows between steps are as good as those of other methods: the states that start anew with every
// step must not be interpolated across
static void test_between_steps(void) {
  static const char *const methods[] = {"embedded-projection", "hamiltonian-augmented"};
  hn_summary summary = {0};
  for (int i = 0; i < 2; i++) {
    // no step ends where a row is
    errors coarse = run_errors(&courses[0], methods[i], "rk4", 7.3e-3, &summary);
    errors fine = run_errors(&courses[0], methods[i], "rk4", 7.3e-3 / 2, &summary);
    errors usual = run_errors(&courses[0], "mass-projection", "rk4", 7.3e-3 / 2, &summary);
    printf("%-22s", methods[i]);
    for (int k = POSITION; k <= FORCE; k++) {
      printf(" %c: %.1e %.1e", kinds[k], coarse.worst[k], fine.worst[k]);
      CHECK(log2(coarse.worst[k] / fine.worst[k]) > 3);
      CHECK(fine.worst[k] < 3 * usual.worst[k]);
    }
    printf("\n");
  }
}

// with error control, also through places where rows are dependent for an instant
static void test_singular_places(void) {
  static const course places[] = {
      {"equal_slider_crank", "C3_equal_slider_crank", equal_slider_crank, 5, {0}},
      {"n_four_bar_2", "E2_A02_fourbar_N2", n_four_bar, 10, {0}},
  };
  static const char *const integrators[] = {"dopri5", "dop853"};
  for (int i = 0; i < 4; i++) {
    hn_summary summary = {0};
    const course *c = &places[i / 2];
    errors e = run_errors(c, "embedded-projection", integrators[i % 2], 0, &summary);
    printf("%-22s %-7s x: %.1e v: %.1e in %ld steps\n", c->model, integrators[i % 2],
           e.worst[POSITION], e.worst[VELOCITY], summary.steps);
    CHECK(fmax(e.worst[POSITION], e.worst[VELOCITY]) < 5e-6);
    CHECK(summary.audit[0].worst < 1e-12 && summary.audit[1].worst < 1e-10);
  }
}

// the models of the rig, driven, rubbing, rolling and redundant ones among them: where all methods
// go, and all the way on the constraints
static void test_agreement(void) {
  for (int i = 0; i < RIG_CASES; i++) {
    rig r;
    if (!rig_load(&r, &rig_cases[i], "reference")) continue;
    const hn_system *sys = r.sys;
    double *q = rig_numbers(sys->nq), *v = rig_numbers(sys->nv), size = 1;
    r.options.rtol = 1e-10;
    hn_sim *sim = rig_start(&r, "embedded", "none", "dopri5", 0);
    hn_residuals left = {0};
    if (sim && rig_state(&r, 0.4, q, v) && CHECK(hn_advance(sim, 0.4) == HN_OK)) {
      CHECK(hn_sim_residuals(sim, &left) == HN_OK);
      double off = fmax(rig_difference(hn_positions(sim), q, sys->nq, &size),
                        rig_difference(hn_velocities(sim), v, sys->nv, &size));
      if (!CHECK(off < 1e-7 * size && left.position < 1e-11 && left.velocity < 1e-10))
        printf("  %s: %.2e of %.1e, violation %.1e %.1e\n", rig_cases[i].name, off, size,
               left.position, left.velocity);
    }
    free(q), free(v);
    hn_sim_destroy(sim);
    rig_free(&r);
  }
}

// inertia that depends on the state is refused by name
static void test_refused(void) {
  static const rig_case block = {"Block", "blocks:\n"
                                          "  bob:\n"
                                          "    coordinates: {x: 0.1}\n"
                                          "    kinetic_energy: 0.5*(1+x^2)*x.rate^2\n"};
  rig r;
  char message[512] = "";
  hn_sim *sim = NULL;
  if (!rig_load(&r, &block, "reference")) return;
  snprintf(r.options.method, sizeof r.options.method, "embedded-projection");
  r.options.step = 1e-3;
  CHECK(hn_sim_create(&sim, r.sys, &r.options, message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK_STR(message, "solver 'embedded' cannot deal with blocks, which this model has");
  rig_free(&r);
}

int main(void) {
  RUN(test_rates);
  RUN(test_orders);
  RUN(test_between_steps);
  RUN(test_singular_places);
  RUN(test_agreement);
  RUN(test_refused);
  return test_end();
}
