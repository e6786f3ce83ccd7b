// test_implicit.c: implicit steppers: their tangents, orders, and what they are for.
#include "integrators/implicit/implicit.h"
#include "linalg/dense.h"
#include "reference.h"

static const char *const members[] = {
    "index3-hht",    "index3-alpha",       "index2-hht",       "index2-alpha",      "index1-alpha",
    "tangent-space", "implicit-partition", "coordinate-split", "maggi-perturbation"};
enum { MEMBERS = sizeof members / sizeof *members };

static bool open_machine(machine *m, const char *model, const char *integrator, double step) {
  if (!CHECK(machine_load(m, model, "reference", NULL, NULL) == HN_OK)) return false;
  snprintf(m->options.method, sizeof m->options.method, "default");
  snprintf(m->options.integrator, sizeof m->options.integrator, "%s", integrator);
  snprintf(m->options.correction, sizeof m->options.correction, "none");
  m->options.solver[0] = 0;
  m->options.step = step;
  return true;
}

// ---- the tangent of the whole residual ------------------------------------------------------

static double *numbers(int count) {
  double *x = calloc((size_t)count + 1, sizeof(double));
  if (!x) exit(1);
  return x;
}

// residual with unknown k moved by x from the values kept in `saved`
static void moved_residual(hn_sim *sim, hn_implicit *s, const double *saved, int n, int k, double x,
                           double *out) {
  int nv = sim->sys->nv, rows = sim->sys->rows;
  memcpy(s->end->a, saved, (size_t)nv * sizeof(double));
  memcpy(s->e, saved + nv, (size_t)nv * sizeof(double));
  memset(s->g, 0, (size_t)nv * sizeof(double));
  memcpy(s->end->lambda, saved + 2 * nv, (size_t)rows * sizeof(double));
  memcpy(s->eta, saved + 2 * nv + rows, (size_t)rows * sizeof(double));
  if (k >= 0) {
    memset(s->x, 0, (size_t)n * sizeof(double));
    s->x[k] = x;
    s->form->update(sim, s);
  }
  hn_implicit_follow(sim, s);
  hn_implicit_evaluate(sim, s);
  s->form->residual(sim, s);
  memcpy(out, s->x, (size_t)n * sizeof(double));
}

static void check_residual_tangent(const char *model, const char *integrator) {
  machine m;
  const double h = 5e-3, small = 1e-6;
  if (!open_machine(&m, model, integrator, h) || !CHECK(machine_start(&m) == HN_OK)) return;
  hn_sim *sim = m.sim;
  const hn_system *sys = sim->sys;
  for (int i = 0; i < 3; i++) CHECK(hn_step(sim) == HN_OK);
  hn_implicit *s = sim->method.integrator_data;
  int nv = sys->nv, rows = sys->rows, n = 0;
  for (const char *p = s->form->parts; *p; p++) n += *p == 'v' ? nv : rows;
  double *saved = numbers(2 * nv + 2 * rows), *a = numbers(n), *b = numbers(n);
  // some iterate of the next step, and multipliers that matter
  s->h = h;
  memcpy(s->v0, s->start->v, (size_t)nv * sizeof(double));
  memcpy(s->a0, s->start->a, (size_t)nv * sizeof(double));
  s->end->t = s->start->t + h;
  hn_eval_jacobian(&sim->stage.work, s->start->t, s->start->q, s->start->v);
  memcpy(s->J0, sim->stage.work.J, (size_t)sys->j_size * sizeof(double));
  for (int i = 0; i < nv; i++) {
    saved[i] = s->start->a[i] + test_random(-50, 50);
    // spatial bodies turn far in this step, so that the turns matter
    saved[nv + i] = s->form->keeps_J0 ? test_random(-0.05, 0.05) : 0;
    s->v0[i] += test_random(-30, 30);
  }
  for (int i = 0; i < rows; i++) saved[2 * nv + i] = test_random(-1e4, 1e4);
  for (int i = 0; i < rows && sim->rows.D; i++)
    if (sim->rows.D[i] > 0) saved[2 * nv + i] = 0;
  moved_residual(sim, s, saved, n, -1, 0, a);
  hn_implicit_rows(sim, s);
  s->form->matrix(sim, s);
  hn_sparse *matrix = hn_newton_matrix(s->newton);
  double worst = 0, size = 0;
  for (int k = 0; k < n; k++) {
    moved_residual(sim, s, saved, n, k, small, a);
    moved_residual(sim, s, saved, n, k, -small, b);
    for (int i = 0; i < n; i++) {
      int place = hn_sparse_place(matrix, i, k);
      double exact = place < 0 ? 0 : hn_sparse_values(matrix)[place];
      // rows left out are not moved by anything but their own multiplier, which stays zero
      int row = i < n - rows ? i - (n - 2 * rows) : i - (n - rows);
      bool out =
          row >= 0 && row < rows && i >= n - (s->form->keeps_J0 ? 2 : 1) * rows &&
          (s->kept[row] == 0 || (s->form->keeps_J0 && i >= n - rows && !sys->holonomic[row]));
      if (out) continue;
      double numeric = -(a[i] - b[i]) / (2 * small);
      worst = fmax(worst, fabs(exact - numeric));
      size = fmax(size, fabs(exact));
    }
  }
  if (!CHECK(worst <= 2e-6 * size))
    printf("  %s, %s: off by %g of %g\n", model, integrator, worst, size);
  free(saved), free(a), free(b);
  machine_free(&m);
}

static void test_residual_tangents(void) {
  static const char *const models[] = {"four_bar",         "andrews",      "bricard",
                                       "heavy_top",        "rolling_disk", "knife_edge",
                                       "flyball_governor", "ship_mount"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    check_residual_tangent(models[i], "index3-alpha");
    check_residual_tangent(models[i], "index2-alpha");
  }
}

// Formulations with matrices of their own: A^-1 applied to the change of the residual with an
// unknown gives that unknown back.
static void check_own_tangent(const char *model, const char *integrator, double h,
                              double tolerance) {
  machine m;
  const double small = 1e-6;
  if (!open_machine(&m, model, integrator, h) || !CHECK(machine_start(&m) == HN_OK)) return;
  hn_sim *sim = m.sim;
  const hn_system *sys = sim->sys;
  for (int i = 0; i < 3; i++) CHECK(hn_step(sim) == HN_OK);
  hn_implicit *s = sim->method.integrator_data;
  int nv = sys->nv, n = (int)strlen(s->form->parts) * nv;
  double *saved = numbers(2 * nv + 2 * sys->rows), *a = numbers(n), *b = numbers(n), worst = 0;
  s->h = h;
  s->end->t = s->start->t + h;
  memcpy(s->v0, s->start->v, (size_t)nv * sizeof(double));
  memcpy(s->a0, s->start->a, (size_t)nv * sizeof(double));
  for (int i = 0; i < nv; i++) {
    saved[i] = s->start->a[i] + test_random(-50, 50);
    s->v0[i] += test_random(-3, 3);
  }
  moved_residual(sim, s, saved, n, -1, 0, a);
  hn_implicit_rows(sim, s);
  CHECK(s->form->factor(sim, s));
  for (int k = 0; k < n; k++) {
    moved_residual(sim, s, saved, n, k, small, a);
    moved_residual(sim, s, saved, n, k, -small, b);
    for (int i = 0; i < n; i++) s->x[i] = -(a[i] - b[i]) / (2 * small);
    s->form->solve(s);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(s->x[i] - (i == k)));
  }
  if (!CHECK(worst <= tolerance)) printf("  %s, %s: off by %g\n", model, integrator, worst);
  free(saved), free(a), free(b);
  machine_free(&m);
}

static void test_own_tangents(void) {
  static const char *const models[] = {"four_bar",     "andrews",          "bricard",   "heavy_top",
                                       "rolling_disk", "flyball_governor", "ship_mount"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    check_own_tangent(models[i], "coordinate-split", 5e-3, 1e-6);
    // not Newton's, but it comes closer with the step
    check_own_tangent(models[i], "maggi-perturbation", 1e-3, 0.1);
    check_own_tangent(models[i], "maggi-perturbation", 1e-4, 0.01);
  }
}

// ---- order ---------------------------------------------------------------------------------

typedef struct motion {
  const char *model, *reference;
  const pair *pairs;
  double end, longest;
} motion;

static const motion motions[] = {
    {"four_bar", "A1_fourbar", four_bar, 0.5, 1e-2},
    {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 0.5, 5e-3},
    {"andrews", "E1_andrews", andrews, 0.01, 1.25e-4},
    {"heavy_top", "E4_heavy_top", top, 0.1, 5e-4},
    {"bricard", "E2_A04_bricard", bricard, 1, 1e-2},
};

// largest errors of positions, velocities and reactions
static bool run_errors(const motion *x, table *reference, const char *integrator, double step,
                       errors *e) {
  machine m;
  table ours = {0};
  hn_result *result = NULL;
  if (!open_machine(&m, x->model, integrator, step)) return false;
  machine_follow(&m, reference, x->end);
  bool ok = CHECK(machine_start(&m) == HN_OK) && CHECK(hn_run(m.sim, &result, NULL, NULL) == HN_OK);
  if (!ok && m.sim) printf("  %s %s: %s\n", x->model, integrator, hn_sim_error(m.sim));
  *e = (errors){0};
  ok = ok && CHECK(table_pick(&ours, result, reference)) &&
       CHECK(compare(e, x->pairs, reference, &ours, 0, "xvf", false));
  table_free(&ours);
  hn_result_destroy(result);
  machine_free(&m);
  return ok;
}

static void test_orders(void) {
  enum { STEPS = 3 };
  printf("%-22s %-14s %27s   %s\n", "model", "", "position, velocity, force", "orders");
  for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) {
    const motion *x = &motions[k];
    table reference;
    if (!CHECK(reference_read(&reference, x->reference))) return;
    for (int i = 0; i < MEMBERS; i++) {
      errors e[STEPS];
      bool ok = true;
      for (int j = 0; j < STEPS; j++)
        ok = ok && run_errors(x, &reference, members[i], ldexp(x->longest, -j), &e[j]);
      if (!ok) continue;
      printf("%-22s %-14s", x->model, members[i]);
      for (int f = POSITION; f <= FORCE; f++) printf(" %8.1e", e[STEPS - 1].worst[f]);
      for (int f = POSITION; f <= FORCE; f++) {
        double order = log2(e[STEPS - 2].worst[f] / e[STEPS - 1].worst[f]);
        printf("  %5.2f", order);
        if (e[STEPS - 1].worst[f] > 0) CHECK_NEAR(order, 2, 0.25);
      }
      printf("\n");
    }
    table_free(&reference);
  }
}

// ---- small steps ---------------------------------------------------------------------------

// down to steps of a microsecond neither the matrix nor the reactions get worse
static void test_small_steps(void) {
  static const char *const integrators[] = {"index3-alpha", "index2-alpha"};
  table reference;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return;
  // up to the first row of the reference
  const motion x = {"four_bar", "A1_fourbar", four_bar, 0.05, 0};
  printf("%-14s %8s %10s %10s %10s\n", "four_bar", "step", "pivots", "velocity", "force");
  for (int i = 0; i < 2; i++) {
    double rcond = 0, last = INFINITY;
    for (double h = 1e-2; h > 0.9e-6; h /= 10) {
      errors e;
      machine m;
      if (!run_errors(&x, &reference, integrators[i], h, &e)) return;
      if (!open_machine(&m, x.model, integrators[i], h) || machine_start(&m)) return;
      for (int k = 0; k < 3; k++) CHECK(hn_step(m.sim) == HN_OK);
      double now =
          hn_sparse_rcond(hn_newton_matrix(((hn_implicit *)m.sim->method.integrator_data)->newton));
      machine_free(&m);
      printf("%-14s %8.0e %10.2e %10.2e %10.2e\n", integrators[i], h, now, e.worst[VELOCITY],
             e.worst[FORCE]);
      // ever better until nothing is left to gain
      CHECK(e.worst[FORCE] < fmax(last, 1e-8));
      CHECK(e.worst[VELOCITY] < fmax(last, 1e-8));
      if (rcond > 0) CHECK_REL(now, rcond, 0, 0.2);
      rcond = now;
      last = e.worst[FORCE] / 10;
    }
  }
  table_free(&reference);
}

// ---- stiff systems -------------------------------------------------------------------------

// a model with some text replaced and something added
typedef struct stiff_case {
  const char *model;
  const char *change[3][2];
  const char *add;
  double duration, step;
  double ratio;  // the step is at least so many times the explicit one
} stiff_case;

static const stiff_case stiff_cases[] = {
    {"spatial_slider_crank",
     {{"  P: {type: spherical, a: crank, b: rod, at: P}\n", ""},
      {"rod: {from: P, to: S,",
       "rod: {from: P, to: S, velocity: [-0.1*pi, 0, 0], angular_velocity: [0, -0.8*pi, 0],"}},
     "forces:\n  P: {type: bushing, a: crank, b: rod, at: P,"
     " stiffness: [1e8, 1e8, 1e8, 0, 0, 0]}\n",
     0.1,
     2e-3,
     80},
    {"flyball_governor",
     {{"stiffness: 8e5", "stiffness: 1e8"}, {"damping: 4e4", "damping: 4e5"}},
     "",
     0.5,
     5e-3,
     60},
    {"four_bar",
     {{"  A: {type: revolute, b: crank, at: A}\n", ""},
      {"  D: {type: revolute, b: follower, at: D}\n", ""}},
     "forces:\n  A: {type: bushing, b: crank, at: A, stiffness: [1e8, 1e8, 0, 0, 0, 0]}\n"
     "  D: {type: bushing, b: follower, at: D, stiffness: [1e8, 1e8, 0, 0, 0, 0]}\n",
     0.2,
     4e-3,
     60},
};

// all occurrences of `from` in text (with room to grow) replaced
static void replace(char *text, size_t room, const char *from, const char *to) {
  size_t a = strlen(from), b = strlen(to);
  CHECK(strstr(text, from));
  for (char *at = strstr(text, from); at; at = strstr(at + b, from)) {
    if (strlen(text) + b - a >= room) exit(1);
    memmove(at + b, at + a, strlen(at + a) + 1);
    memcpy(at, to, b);
  }
}

static hn_model *stiff_model(const stiff_case *x) {
  enum { ROOM = 16384 };
  static char text[ROOM];
  char path[128];
  size_t length = 0;
  snprintf(path, sizeof path, "models/%s.yaml", x->model);
  char *file = read_whole_file(path, &length);
  if (!CHECK(file && length < ROOM / 2)) exit(1);
  memcpy(text, file, length);
  text[length] = 0;
  free(file);
  for (int i = 0; i < 3 && x->change[i][0]; i++)
    replace(text, ROOM - strlen(x->add), x->change[i][0], x->change[i][1]);
  strcat(text, x->add);
  hn_model *model = hn_model_create();
  if (!CHECK(hn_model_parse(model, text, strlen(text), path) == HN_OK))
    printf("  %s\n", hn_model_error(model));
  return model;
}

static hn_result *stiff_run(const stiff_case *x, const char *method, double step, double rtol,
                            hn_summary *summary) {
  char message[512] = "";
  hn_model *model = stiff_model(x);
  hn_options *o = hn_model_options(model);
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  snprintf(o->method, sizeof o->method, "%s", method);
  o->duration = x->duration, o->output_step = x->duration / 10;
  o->step = step, o->rtol = rtol;
  bool ok = CHECK(hn_compile(&sys, model) == HN_OK) &&
            CHECK(hn_sim_create(&sim, sys, o, message, sizeof message) == HN_OK) &&
            CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  if (!ok) printf("  %s %s: %s %s\n", x->model, method, message, sim ? hn_sim_error(sim) : "");
  if (sim) hn_sim_summary(sim, summary);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
  return result;
}

// largest difference of the positions, relative to the largest of them
static double position_difference(const hn_result *a, const hn_result *b) {
  double worst = 0, size = 0;
  int last = hn_result_rows(a) - 1;
  if (!CHECK(hn_result_rows(b) == last + 1)) return INFINITY;
  for (int c = 1; c < hn_result_columns(a); c++) {
    const char *name = hn_result_name(a, c), *dot = strrchr(name, '.');
    if (!dot || strlen(dot) != 2 || !strchr("xyz", dot[1])) continue;
    for (int i = 0; i <= last; i++) {
      worst = fmax(worst, fabs(hn_result_row(a, i)[c] - hn_result_row(b, i)[c]));
      size = fmax(size, fabs(hn_result_row(a, i)[c]));
    }
  }
  return worst / size;
}

// the same motion as by an explicit method, in far larger steps
static void test_stiff(void) {
  printf("%-22s %-14s %10s %10s %10s\n", "stiff", "", "step", "explicit", "difference");
  for (size_t i = 0; i < sizeof stiff_cases / sizeof *stiff_cases; i++) {
    const stiff_case *x = &stiff_cases[i];
    hn_summary summary = {0};
    hn_result *exact = stiff_run(x, "explicit", 0, 1e-6, &summary);
    double explicit_step = x->duration / (double)summary.steps;
    static const char *const methods[] = {"index3-alpha", "index3-hht", "index2-ggl",
                                          "coordinate-split", "maggi-perturbation"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      hn_result *result = stiff_run(x, methods[k], x->step, 1e-6, &summary);
      double d = exact && result ? position_difference(exact, result) : INFINITY;
      printf("%-22s %-14s %10.1e %10.1e %10.1e\n", x->model, methods[k], x->step, explicit_step, d);
      CHECK(d < 1e-3);
      CHECK(x->step > x->ratio * explicit_step);
      hn_result_destroy(result);
    }
    hn_result_destroy(exact);
  }
}

// the suspension with a bump stop that is hit, against its reference
static void test_iltis(void) {
  table reference;
  if (!CHECK(reference_read(&reference, "A4_iltis_front_right"))) return;
  const motion x = {"iltis_suspension", "A4_iltis_front_right", iltis, 3, 0};
  errors coarse, fine;
  if (run_errors(&x, &reference, "index3-alpha", 2e-3, &coarse) &&
      run_errors(&x, &reference, "index3-alpha", 5e-4, &fine)) {
    printf("iltis_suspension: positions off by %.1e, in quarter steps %.1e\n",
           coarse.worst[POSITION], fine.worst[POSITION]);
    CHECK(coarse.worst[POSITION] < 1e-2);
    CHECK(fine.worst[POSITION] < 0.2 * coarse.worst[POSITION]);
  }
  table_free(&reference);
}

// ---- redundant rows ------------------------------------------------------------------------

// mechanisms with redundant rows run like any other
static void test_redundant(void) {
  static const motion redundant[] = {
      {"bricard", "E2_A04_bricard", bricard, 3, 5e-3},
      {"parallelogram", "B2_parallelogram_end_inertia", parallelogram, 0.2, 2e-4},
  };
  for (int k = 0; k < 2; k++) {
    table reference;
    if (!CHECK(reference_read(&reference, redundant[k].reference))) return;
    for (int i = 0; i < MEMBERS; i++) {
      errors e;
      if (!run_errors(&redundant[k], &reference, members[i], redundant[k].longest, &e)) continue;
      printf("%-22s %-14s %8.1e %8.1e\n", redundant[k].model, members[i], e.worst[POSITION],
             e.worst[VELOCITY]);
      CHECK(e.worst[POSITION] < 1e-3);
    }
    table_free(&reference);
  }
}

// ---- the driver ----------------------------------------------------------------------------

// rows of nonholonomic joints hold at velocity level, the holonomic ones at position level
static void test_nonholonomic(void) {
  for (int i = 0; i < MEMBERS; i++) {
    machine m;
    hn_residuals r;
    if (!open_machine(&m, "rolling_disk", members[i], 1e-3) || machine_start(&m)) return;
    CHECK(hn_advance(m.sim, 0.5) == HN_OK);
    CHECK(hn_sim_residuals(m.sim, &r) == HN_OK);
    CHECK(r.position < 1e-12);
    if (strncmp(members[i], "index2", 6) == 0) CHECK(r.velocity < 1e-8);
    for (int k = 0; k < m.sim->sys->rows; k++)
      if (!m.sim->sys->holonomic[k]) CHECK(fabs(m.sim->stage.work.psi[k]) < 1e-8);
    machine_free(&m);
  }
}

// a time asked for that is a hair's breadth away brings no noise
static void test_short_steps(void) {
  machine m;
  if (!open_machine(&m, "four_bar", "index3-alpha", 1e-3) || machine_start(&m)) return;
  CHECK(hn_advance(m.sim, 0.1) == HN_OK);
  double before = hn_multipliers(m.sim)[0];
  for (int i = 1; i <= 10; i++) CHECK(hn_advance(m.sim, 0.1 + i * 1e-10) == HN_OK);
  CHECK_REL(hn_multipliers(m.sim)[0], before, 1, 1e-6);
  CHECK(hn_advance(m.sim, 0.2) == HN_OK);
  machine_free(&m);
}

// relative coordinates are refused where they are asked for, and not chosen where they are not
static void test_coordinates(void) {
  machine m;
  if (!CHECK(machine_load(&m, "four_bar", "relative", NULL, NULL) == HN_OK)) return;
  snprintf(m.options.method, sizeof m.options.method, "index3-alpha");
  CHECK(machine_start(&m) == HN_ERR_UNSUPPORTED);
  machine_free(&m);
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  CHECK(hn_model_load(model, "models/four_bar.yaml") == HN_OK);
  strcpy(hn_model_options(model)->method, "index2-ggl");
  CHECK(hn_compile(&sys, model) == HN_OK);
  CHECK(strncmp(hn_system_check(sys)->coordinates, "reference", 9) == 0);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

// ---- what index 3 is like without help ------------------------------------------------------

// how much multipliers jump to and fro from step to step, in steps `from` to `from` + 20: a quarter
// of the largest second difference
static double jumps(const char *integrator, const char *projection, double step, int from) {
  machine m;
  double worst = 0, last[2][16] = {{0}};
  if (!open_machine(&m, "pendulum", integrator, step)) return NAN;
  snprintf(m.options.undamped_projection, sizeof m.options.undamped_projection, "%s", projection);
  snprintf(m.options.reactions, sizeof m.options.reactions, "method");
  m.options.rho_inf = 0.8;
  if (CHECK(machine_start(&m) == HN_OK))
    for (int k = 0; k < from + 20; k++) {
      if (hn_step(m.sim)) {
        worst = INFINITY;
        break;
      }
      const double *now = hn_multipliers(m.sim);
      for (int i = 0; i < m.sim->sys->rows && i < 16; i++) {
        double bend = 0.25 * fabs(now[i] - 2 * last[0][i] + last[1][i]);
        if (k >= from) worst = fmax(worst, bend);
        last[1][i] = last[0][i], last[0][i] = now[i];
      }
    }
  machine_free(&m);
  return worst;
}

// Newmark's rule without damping: what oscillates across the constraints grows, unless velocities
// and accelerations are projected or damped
static void test_undamped(void) {
  static const struct {
    const char *integrator, *projection;
    bool grows;
  } cases[] = {{"index3-trapezoidal", "off", true},
               {"index3-trapezoidal", "on", false},
               {"index3-alpha", "off", false}};
  for (int i = 0; i < 3; i++) {
    double early = jumps(cases[i].integrator, cases[i].projection, 1e-3, 30);
    double late = jumps(cases[i].integrator, cases[i].projection, 1e-3, 3000);
    printf("%s, projection %s: multipliers jump by %.1e N, later %.1e N\n", cases[i].integrator,
           cases[i].projection, early, late);
    CHECK(cases[i].grows ? !(late < 30 * early) : late < 10 * early);
  }
}

// condition of the iteration matrix of the last step
static double condition_of(hn_sim *sim) {
  const hn_implicit *s = sim->method.integrator_data;
  hn_sparse *matrix = hn_newton_matrix(s->newton);
  int n = sim->sys->nv + sim->sys->rows;
  double *A = numbers(n * n), *values = numbers(n), result = NAN;
  for (int i = 0; i < n * n; i++) {
    int at = hn_sparse_place(matrix, i / n, i % n);
    A[i] = at < 0 ? 0 : hn_sparse_values(matrix)[at];
  }
  if (CHECK(hn_dense_svd(n, n, A, values, NULL, NULL))) result = values[0] / values[n - 1];
  free(A), free(values);
  return result;
}

// with rows and unknowns scaled the condition does not depend on the step; with rows alone it grows
// as h^-2, with nothing as h^-4 (steps beyond which nothing can be told of it are left out)
static void test_scaling(void) {
  static const char *const words[] = {"full", "left", "none"};
  static const double power[] = {0, 2, 4};
  for (int w = 0; w < 3; w++) {
    double condition[4] = {0}, step[4] = {1e-2, 1e-4, 1e-6, 1e-8};
    if (w == 2) step[1] = 1e-3;
    int steps = w == 0 ? 4 : 2;
    for (int k = 0; k < steps; k++) {
      machine m;
      if (!open_machine(&m, "four_bar", "index3-alpha", step[k])) return;
      snprintf(m.options.scaling, sizeof m.options.scaling, "%s", words[w]);
      if (CHECK(machine_start(&m) == HN_OK) && CHECK(hn_step(m.sim) == HN_OK))
        condition[k] = condition_of(m.sim);
      machine_free(&m);
    }
    printf("scaling %s: condition %.1e %.1e %.1e %.1e\n", words[w], condition[0], condition[1],
           condition[2], condition[3]);
    for (int k = 1; k < steps; k++)
      CHECK_NEAR(log(condition[k] / condition[k - 1]) / log(step[k - 1] / step[k]), power[w], 0.3);
  }
  // none of it changes what the iteration converges to
  double end[3];
  for (int w = 0; w < 3; w++) {
    machine m;
    if (!open_machine(&m, "four_bar", "index3-alpha", 1e-2)) return;
    snprintf(m.options.scaling, sizeof m.options.scaling, "%s", words[w]);
    if (CHECK(machine_start(&m) == HN_OK) && CHECK(hn_advance(m.sim, 1) == HN_OK))
      end[w] = hn_positions(m.sim)[2];
    machine_free(&m);
  }
  CHECK_NEAR(end[1], end[0], 1e-7);
  CHECK_NEAR(end[2], end[0], 1e-7);
}

// below steps where rounding shows in them, the scheme's multipliers are told when they are asked
// for
static void test_own_reactions(void) {
  static const char *const words[] = {"method", "shared"};
  for (int w = 0; w < 2; w++) {
    machine m;
    if (!open_machine(&m, "four_bar", "index3-alpha", 1e-6)) return;
    snprintf(m.options.reactions, sizeof m.options.reactions, "%s", words[w]);
    if (CHECK(machine_start(&m) == HN_OK)) {
      double difference = 0;
      for (int k = 0; k < 50; k++) CHECK(hn_step(m.sim) == HN_OK);
      const hn_implicit *s = m.sim->method.integrator_data;
      const double *told = hn_multipliers(m.sim);
      for (int i = 0; i < m.sim->sys->rows; i++)
        difference = fmax(difference, fabs(told[i] - s->start->lambda[i]));
      printf("steps of 1e-6 s: told and own multipliers differ by %.1e (%s)\n", difference,
             words[w]);
      CHECK(w ? difference > 1e-9 : difference == 0);
    }
    machine_free(&m);
  }
}

// forces that begin to act on what rests: until then nothing has a speed to measure errors by
static void test_from_rest(void) {
  static const char *const forces[] = {"%.4f*t", "if(t > 0.437, %.4f, 0)",
                                       "if(t > 0.2, %.4f*(t - 0.2), 0)"};
  const double far[] = {1.0 / 6, 0.5 * 0.563 * 0.563, 0.8 * 0.8 * 0.8 / 6};
  for (int k = 0; k < 3 * MEMBERS; k++) {
    double size = pow(10, test_random(-1, 2));
    char text[400], force[64], message[512] = "";
    const char *member = members[k % MEMBERS];
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    snprintf(force, sizeof force, forces[k % 3], size);
    int n = snprintf(text, sizeof text,
                     "bodies:\n  m: {type: planar, mass: 1, inertia: 1}\n"
                     "joints:\n  rail: {type: prismatic, b: m, axis: [1, 0]}\n"
                     "forces:\n  F: {type: force, b: m, force: ['%s', 0]}\n",
                     force);
    hn_options *o = hn_model_options(model);
    hn_status status = hn_model_parse(model, text, (size_t)n, "rest");
    snprintf(o->integrator, sizeof o->integrator, "%s", member);
    snprintf(o->correction, sizeof o->correction, "none");
    o->duration = 1, o->rtol = 1e-5;
    if (!status) status = hn_compile(&sys, model);
    if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
    if (!status && (status = hn_advance(sim, 1)))
      snprintf(message, sizeof message, "%s", hn_sim_error(sim));
    double x = status ? NAN : hn_positions(sim)[0],
           right = strtod(strpbrk(force, "0123456789"), NULL);
    if (k % 3) right = strtod(strchr(force, ',') + 1, NULL);
    right *= far[k % 3];
    if (!CHECK(fabs(x - right) < 1e-3 * right))
      printf("  %s, %s: %.9g, right is %.9g; %s\n", member, force, x, right, message);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

// a force that grows from nothing on what rests: first steps are controlled as all others are
static void test_rest_controlled(void) {
  static const char text[] =
      "bodies:\n  m: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n  rail: {type: prismatic, b: m, axis: [1, 0]}\n"
      "forces:\n  F: {type: motor, joint: rail, law: 5*sin(3*t) - 49*value}\n";
  for (int k = 0; k < MEMBERS; k++) {
    char message[512] = "";
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim = NULL;
    hn_options *o = hn_model_options(model);
    hn_status status = hn_model_parse(model, text, sizeof text - 1, "rest");
    snprintf(o->integrator, sizeof o->integrator, "%s", members[k]);
    snprintf(o->correction, sizeof o->correction, "none");
    o->duration = 0.1, o->rtol = 1e-7;
    if (!status) status = hn_compile(&sys, model);
    if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
    if (!status) status = hn_advance(sim, 0.1);
    double x = status ? NAN : hn_positions(sim)[0];
    double right = 5.0 / 40 * (sin(0.3) - 3.0 / 7 * sin(0.7));
    hn_energy e = {0};
    if (!status) status = hn_sim_energy(sim, &e);
    CHECK(fabs(e.balance) < 1e-4 * e.kinetic);
    if (!CHECK(fabs(x - right) < 1e-4 * right))
      printf("  %s: off by %.2e; %s\n", members[k], x - right, message);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

int main(void) {
  RUN(test_residual_tangents);
  RUN(test_own_tangents);
  RUN(test_orders);
  RUN(test_small_steps);
  RUN(test_stiff);
  RUN(test_iltis);
  RUN(test_redundant);
  RUN(test_nonholonomic);
  RUN(test_short_steps);
  RUN(test_from_rest);
  RUN(test_rest_controlled);
  RUN(test_coordinates);
  RUN(test_undamped);
  RUN(test_scaling);
  RUN(test_own_reactions);
  return test_end();
}
