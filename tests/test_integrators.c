// test_integrators.c: orders, dense output, coefficients, error control, memory.
//
// Errors are taken against the independent solution of the four-bar linkage
// (tests/references/A1_fourbar.json) and against closed forms.
#include "heap.h"
#include "reference.h"

#include "integrators/explicit/dop853_coefficients.h"
#include "integrators/integrators.h"

// ---- the four-bar linkage ------------------------------------------------------------------

typedef struct crank {
  double x, y, rate;
} crank;

// the reference at time t
static crank crank_at(const table *reference, double t) {
  int row = 0;
  while (row < reference->rows - 1 && table_row(reference, row)[0] < t - 1e-9) row++;
  const double *r = table_row(reference, row);
  return (crank){r[table_find(reference, "crank_com_x", 11)],
                 r[table_find(reference, "crank_com_y", 11)],
                 r[table_find(reference, "crank_rate", 10)]};
}

static double crank_error(const hn_sim *sim, crank c) {
  hn_pose p;
  hn_body_pose(sim, (hn_body){1}, &p);
  return hypot(hypot(p.position[0] - c.x, p.position[1] - c.y),
               0.1 * (p.angular_velocity[2] - c.rate));
}

static bool load_linkage(machine *m, const char *coordinates, const char *integrator) {
  if (!CHECK(machine_load(m, "four_bar", coordinates, NULL, NULL) == HN_OK)) return false;
  snprintf(m->options.integrator, sizeof m->options.integrator, "%s", integrator);
  return true;
}

// largest error within 1 s with steps of h, error control out of the way
static double error_with_step(const char *coordinates, const char *integrator, double h,
                              const table *reference) {
  machine m;
  double error = 0;
  if (!load_linkage(&m, coordinates, integrator)) return NAN;
  m.options.step = h;
  if (hn_integrator_find(integrator)->adaptive) m.options.rtol = 1e6;
  m.options.projection_tol = 1e-13;
  if (CHECK(machine_start(&m) == HN_OK)) {
    m.sim->step.h = h;
    for (int i = 1; i <= 10; i++) {
      CHECK(hn_advance(m.sim, 0.1 * i) == HN_OK);
      error = fmax(error, crank_error(m.sim, crank_at(reference, 0.1 * i)));
    }
    CHECK(m.sim->count.steps == lround(1 / h));
  }
  machine_free(&m);
  return error;
}

// every integrator of fixed order reaches it on a constrained system
static void orders(void) {
  // steps in which the errors lie between the first powers of h and round-off
  static const struct {
    int order;
    double step;
  } choice[] = {{1, 1e-3}, {2, 4e-3}, {3, 6.25e-3}, {4, 1e-2}, {5, 1.25e-2}, {8, 5e-2}};
  table reference;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return;
  int tested = 0;
  for (int i = 0; hn_integrator_at(i); i++) {
    const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
    double h = 0;
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++)
      if (choice[k].order == type->order) h = choice[k].step;
    // multistep methods have no order of their own, steppers have their own test
    if (h == 0 || type->stands_alone || !type->undo) continue;
    tested++;
    for (int k = 0; k < 2; k++) {
      const char *coordinates = k ? "relative" : "reference";
      double e1 = error_with_step(coordinates, type->info.name, h, &reference);
      double e2 = error_with_step(coordinates, type->info.name, h / 2, &reference);
      double e3 = error_with_step(coordinates, type->info.name, h / 4, &reference);
      double p = log2(e2 / e3);
      printf("  %-17s %-9s errors %.2e %.2e %.2e  order %.2f\n", type->info.name, coordinates, e1,
             e2, e3, p);
      CHECK(p > type->order - 0.35 && p < type->order + 1.2);
      CHECK(e1 > e2 && e2 > e3);
    }
  }
  CHECK(tested >= 12);
  table_free(&reference);
}

// ---- dense output ----------------------------------------------------------------------------

// a mass on a linear spring: x = 2 + 0.3 cos(w t), w = 2
typedef struct oscillator {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
} oscillator;

static bool oscillator_start(oscillator *o, const char *integrator, double rtol) {
  char message[200] = "";
  *o = (oscillator){.model = hn_model_create()};
  hn_body b = hn_add_body(
      o->model,
      &(hn_body_def){.name = "mass", .kind = HN_PLANAR_POINT, .mass = 1, .position = {2.3, 0, 0}});
  hn_add_force(o->model, &(hn_force_def){.name = "spring",
                                         .type = "spring",
                                         .b = {.body = b},
                                         .at_b = {2.3, 0, 0},
                                         .stiffness = 4,
                                         .free = 2,
                                         .free_given = true});
  if (hn_integrator_find(integrator)->can & HN_NEEDS_NATURAL)
    snprintf(hn_model_options(o->model)->coordinates,
             sizeof hn_model_options(o->model)->coordinates, "natural");
  if (!CHECK(hn_compile(&o->system, o->model) == HN_OK)) return false;
  hn_options options = hn_options_default();
  snprintf(options.integrator, sizeof options.integrator, "%s", integrator);
  options.step = 10;
  options.rtol = fmin(rtol, 0.1);
  if (!CHECK(hn_sim_create(&o->sim, o->system, &options, message, sizeof message) == HN_OK))
    return false;
  o->sim->opt.rtol = rtol;
  return CHECK(hn_set_state(o->sim, 0, o->system->q0, o->system->v0) == HN_OK);
}

static void oscillator_stop(oscillator *o) {
  hn_sim_destroy(o->sim);
  hn_system_destroy(o->system);
  hn_model_destroy(o->model);
}

static double oscillator_error(const double *y, double t) {
  return hypot(y[0] - 2 - 0.3 * cos(2 * t), y[2] + 0.6 * sin(2 * t));
}

// largest error inside one step of size h from the exact start
static double error_inside(const char *integrator, double h) {
  oscillator o;
  double worst = 0, y[5];
  if (!oscillator_start(&o, integrator, 1e6)) return NAN;
  o.sim->step.h = h;
  CHECK(o.sim->state.n == 5 && o.sim->method.integrator->step(o.sim, h) == HN_OK);
  CHECK_NEAR(o.sim->state.t, h, 1e-15);
  for (int i = 1; i < 8; i++) {
    double t = h * i / 8;
    o.sim->method.integrator->dense(o.sim, t, y);
    worst = fmax(worst, oscillator_error(y, t));
  }
  // ends of the step
  o.sim->method.integrator->dense(o.sim, o.sim->state.t, y);
  for (int k = 0; k < 4; k++) CHECK_NEAR(y[k], o.sim->state.y[k], 1e-14);
  o.sim->method.integrator->dense(o.sim, 0, y);
  for (int k = 0; k < 4; k++) CHECK_NEAR(y[k], o.sim->state.y_old[k], 1e-14);
  oscillator_stop(&o);
  return worst;
}

static void dense_orders(void) {
  // errors inside a step fall with this power of its size
  static const struct {
    const char *name;
    double power, step;
  } expected[] = {{"euler", 2, 0.05}, {"symplectic-euler", 2, 0.05},
                  {"heun", 3, 0.05},  {"rk4", 4, 0.1},
                  {"dopri5", 5, 0.2}, {"dop853", 8, 0.8}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    double e1 = error_inside(expected[i].name, expected[i].step);
    double e2 = error_inside(expected[i].name, expected[i].step / 2), p = log2(e1 / e2);
    printf("  %-17s inside a step: %.2e %.2e, power %.2f\n", expected[i].name, e1, e2, p);
    CHECK(p > expected[i].power - 0.3 && p < expected[i].power + 1);
  }
}

// stages of the dense output cost nothing unless somebody asks
static void lazy_dense(void) {
  oscillator o;
  double y[5];
  if (!oscillator_start(&o, "dop853", 1e-9)) return;
  CHECK(hn_step(o.sim) == HN_OK);
  long before = o.sim->count.evaluations;
  CHECK(hn_step(o.sim) == HN_OK);
  if (o.sim->count.rejected == 0) CHECK(o.sim->count.evaluations - before == 12);
  before = o.sim->count.evaluations;
  for (int i = 1; i < 10; i++)
    o.sim->method.integrator->dense(
        o.sim, o.sim->state.t_old + 0.1 * i * (o.sim->state.t - o.sim->state.t_old), y);
  CHECK(o.sim->count.evaluations - before == 3);
  oscillator_stop(&o);
}

// ---- coefficients of dop853 ------------------------------------------------------------------

static double power(double x, int n) {
  double p = 1;
  for (int i = 0; i < n; i++) p *= x;
  return p;
}

static void dop853_conditions(void) {
  const double *c = dop853_c, *b = dop853_a[DOP853_NEW];
  for (int i = 0; i < DOP853_ALL; i++) {
    double sum = 0;
    for (int j = 0; j < DOP853_ALL; j++) {
      sum += dop853_a[i][j];
      if (j >= i) CHECK(dop853_a[i][j] == 0);
    }
    CHECK_NEAR(sum, c[i], 1e-14);
  }
  // quadrature: sum b c^k = 1/(k+1), and one level deeper sum b a c^k = 1/((k+1)(k+2))
  for (int k = 0; k < 8; k++) {
    double flat = 0, deep = 0, third = 0, fifth = 0;
    for (int i = 0; i < DOP853_STAGES; i++) {
      double inner = 0;
      for (int j = 0; j < i; j++) inner += dop853_a[i][j] * power(c[j], k);
      flat += b[i] * power(c[i], k);
      deep += b[i] * inner;
      third += dop853_third[i] * power(c[i], k);
      fifth += dop853_fifth[i] * power(c[i], k);
    }
    CHECK_NEAR(flat, 1.0 / (k + 1), 1e-14);
    if (k < 7) CHECK_NEAR(deep, 1.0 / ((k + 1) * (k + 2)), 1e-14);
    if (k < 3) CHECK_NEAR(third, 1.0 / (k + 1), 1e-14);
    if (k < 5) CHECK_NEAR(fifth, 0, 1e-14);
    if (k >= 5) CHECK(fabs(fifth) > 1e-6);
  }
}

// the dense output reproduces integrals of powers up to t^6
static void dop853_dense_conditions(void) {
  const double *c = dop853_c;
  for (int k = 0; k < 7; k++)
    for (int part = 1; part < 8; part++) {
      double s = part / 8.0, r = 1 - s, diff = 1.0 / (k + 1), f[DOP853_POWERS] = {0};
      for (int p = 0; p < DOP853_POWERS; p++)
        for (int i = 0; i < DOP853_ALL; i++) f[p] += dop853_d[p][i] * power(c[i], k);
      double first = k == 0, last = 1;
      double high = f[0] + s * (f[1] + r * (f[2] + s * f[3]));
      double low = first - diff + s * (2 * diff - last - first + r * high);
      CHECK_NEAR(s * (diff + r * low), power(s, k + 1) / (k + 1), 2e-13);
    }
}

// ---- error control ---------------------------------------------------------------------------

// error after 10 s and evaluations of the four-bar linkage
static double error_with_tolerance(const char *integrator, double rtol, double interval, crank c,
                                   hn_summary *s) {
  machine m;
  double error = NAN;
  if (!load_linkage(&m, "auto", integrator)) return error;
  m.options.rtol = rtol;
  if (CHECK(machine_start(&m) == HN_OK)) {
    int count = (int)lround(10 / interval);
    for (int i = 1; i <= count; i++) CHECK(hn_advance(m.sim, interval * i) == HN_OK);
    error = crank_error(m.sim, c);
    hn_sim_summary(m.sim, s);
  }
  machine_free(&m);
  return error;
}

static void work_and_precision(void) {
  // the end error stays in proportion to the tolerance; what ten more digits cost shows the order
  static const struct {
    const char *name;
    double factor, cost;
  } limits[] = {{"dopri5", 100, 45}, {"dop853", 100, 7}, {"abm", 100, 6}};
  table reference;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return;
  crank c = crank_at(&reference, 10);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    hn_summary s = {0};
    long coarse = 0;
    for (int digits = 4; digits <= 12; digits += 2) {
      double rtol = pow(10, -digits);
      double error = error_with_tolerance(limits[i].name, rtol, 10, c, &s);
      printf("  %-7s rtol %.0e error %.1e, %ld steps, %ld rejected, %ld evaluations\n",
             limits[i].name, rtol, error, s.steps, s.rejected, s.evaluations);
      CHECK(error < limits[i].factor * rtol && error > 1e-3 * rtol);
      if (digits == 4) coarse = s.evaluations;
    }
    CHECK((double)s.evaluations < limits[i].cost * (double)coarse);
  }
  table_free(&reference);
}

// being stopped again and again costs accuracy nothing, and the multistep method little work
static void interrupted(void) {
  table reference;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return;
  crank c = crank_at(&reference, 10);
  hn_summary s, whole;
  for (int i = 0; i < 3; i++) {
    const char *name = (const char *const[]){"dopri5", "dop853", "abm"}[i];
    CHECK(error_with_tolerance(name, 1e-9, 10, c, &whole) < 1e-6);
    CHECK(error_with_tolerance(name, 1e-9, 0.05, c, &s) < 1e-6);
    if (i == 2) CHECK((double)s.evaluations < 1.3 * (double)whole.evaluations);
  }
  table_free(&reference);
}

// two evaluations a step, and a third only where the correction moved the state noticeably
static void abm_economy(void) {
  oscillator o;
  if (!oscillator_start(&o, "abm", 1e-10)) return;
  CHECK(hn_advance(o.sim, 50) == HN_OK);
  CHECK(oscillator_error(o.sim->state.y, 50) < 1e-7);
  CHECK(o.sim->count.evaluations <= 2 * o.sim->count.steps + o.sim->count.rejected + 3);
  // 70 steps for each of the 16 periods would be out of reach for low orders
  CHECK(o.sim->count.steps < 1120);
  printf("  abm: %ld steps, %ld rejected, error %.1e over 16 periods\n", o.sim->count.steps,
         o.sim->count.rejected, oscillator_error(o.sim->state.y, 50));
  oscillator_stop(&o);
}

// dense output of the multistep method is as good as its steps
static void abm_dense(void) {
  oscillator o;
  double y[5], worst = 0;
  if (!oscillator_start(&o, "abm", 1e-9)) return;
  while (o.sim->state.t < 10) {
    CHECK(hn_step(o.sim) == HN_OK);
    for (int i = 0; i < 4; i++) {
      double t = o.sim->state.t_old + 0.25 * i * (o.sim->state.t - o.sim->state.t_old);
      o.sim->method.integrator->dense(o.sim, t, y);
      worst = fmax(worst, oscillator_error(y, t));
    }
  }
  CHECK(worst < 2e-7);
  oscillator_stop(&o);
}

// a step taken back and made again is the same step
static void undone(void) {
  double y[5];
  for (int i = 0; hn_integrator_at(i); i++) {
    const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
    oscillator o;
    if (!type->undo || !oscillator_start(&o, type->info.name, 1e-8)) continue;
    o.sim->opt.step = 0.02;
    for (int k = 0; k < 60; k++) {
      CHECK(hn_step(o.sim) == HN_OK);
      if (k % 7) continue;
      double t = o.sim->state.t, t_old = o.sim->state.t_old;
      memcpy(y, o.sim->state.y, sizeof y);
      type->undo(o.sim);
      CHECK(o.sim->state.t == t_old);
      CHECK(type->step(o.sim, t - t_old) == HN_OK);
      CHECK_NEAR(o.sim->state.t, t, 1e-15);
      for (int n = 0; n < 4; n++) CHECK_NEAR(o.sim->state.y[n], y[n], 1e-13);
    }
    oscillator_stop(&o);
  }
}

// ---- memory ------------------------------------------------------------------------------------

static void no_allocation(void) {
  for (int i = 0; hn_integrator_at(i); i++) {
    machine m;
    const char *name = hn_integrator_at(i)->name;
    const hn_integrator_type *type = hn_integrator_find(name);
    // sparse factors may choose their pivots anew
    if (type->can & HN_NEEDS_NATURAL) continue;
    bool relative = i % 2 && (!type->stands_alone || (type->can & HN_CAN_RELATIVE));
    if (!load_linkage(&m, relative ? "relative" : "reference", name)) continue;
    snprintf(m.options.correction, sizeof m.options.correction, type->compliant ? "none" : "mass");
    m.options.step = 1e-3;
    hn_status status = machine_start(&m);
    // steppers of libraries that are not there are refused
    if (CHECK(status == HN_OK || (type->create && status == HN_ERR_UNSUPPORTED)) && !status) {
      double y[64];
      long before = heap_calls;
      for (int k = 0; k < 50; k++) {
        CHECK(hn_step(m.sim) == HN_OK);
        m.sim->method.integrator->dense(
            m.sim, m.sim->state.t_old + 0.3 * (m.sim->state.t - m.sim->state.t_old), y);
      }
      CHECK(heap_calls == before);
    }
    machine_free(&m);
  }
  // the counter counts
  if (COUNT_HEAP) CHECK(heap_calls > 10);
}

// ---- failure -----------------------------------------------------------------------------------

// a mass falls into a centre of attraction 1/x^2, which it reaches at t = pi / sqrt(8): adaptive
// integrators stop there with a sentence, and the state before stands
static void collapse(void) {
  for (int i = 0; i < 3; i++) {
    char message[200] = "";
    hn_model *model = hn_model_create();
    hn_body b = hn_add_body(
        model,
        &(hn_body_def){.name = "mass", .kind = HN_PLANAR_POINT, .mass = 1, .position = {1, 0, 0}});
    hn_add_force(model, &(hn_force_def){.name = "pull",
                                        .type = "spring",
                                        .b = {.body = b},
                                        .at_b = {1, 0, 0},
                                        .law = "1/length^2"});
    hn_options options = hn_options_default();
    snprintf(options.integrator, sizeof options.integrator, "%s",
             (const char *const[]){"dopri5", "dop853", "abm"}[i]);
    options.rtol = 1e-9;
    hn_system *system = NULL;
    hn_sim *sim = NULL;
    if (CHECK(hn_compile(&system, model) == HN_OK) &&
        CHECK(hn_sim_create(&sim, system, &options, message, sizeof message) == HN_OK)) {
      CHECK(hn_advance(sim, 2) == HN_ERR_STEP);
      CHECK(strstr(hn_sim_error(sim), "the step fell to") != NULL);
      CHECK_NEAR(hn_time(sim), acos(-1) / sqrt(8), 1e-5);
      CHECK(hn_positions(sim)[0] > 0 && hn_positions(sim)[0] < 1e-3);
    }
    hn_sim_destroy(sim);
    hn_system_destroy(system);
    hn_model_destroy(model);
  }
}

// Sums of stages of all lengths are those made one number at a time, to the last bit, whatever the
// processor takes at once; also where they are added to what they replace. Stages of no weight may
// hold anything
static void stage_sums(void) {
  enum { MOST = 130, STAGES = 5 };
  static const double c[STAGES] = {0.3, -1.7, 0, 2.1e-3, 11};
  double stage[STAGES][MOST], y[MOST], out[MOST + 1], in_place[MOST + 1], h = 0.37;
  double *k[STAGES];
  for (int j = 0; j < STAGES; j++) {
    k[j] = stage[j];
    for (int i = 0; i < MOST; i++) stage[j][i] = c[j] == 0 ? NAN : sin(1 + 7 * i + 100 * j);
  }
  for (int i = 0; i < MOST; i++) y[i] = cos(3 * i);
  for (int n = 1; n <= MOST; n++) {
    bool same = true;
    out[n] = in_place[n] = 5;
    memcpy(in_place, y, (size_t)n * sizeof *y);
    hn_stage_sum(out, y, h, c, k, STAGES, n);
    hn_stage_sum(in_place, in_place, h, c, k, STAGES, n);
    for (int i = 0; i < n; i++) {
      double sum = y[i];
      for (int j = 0; j < STAGES; j++)
        if (c[j] != 0) sum += h * c[j] * stage[j][i];
      same = same && out[i] == sum && in_place[i] == sum;
    }
    hn_stage_sum(in_place, NULL, h, c, k, STAGES, n);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < STAGES; j++)
        if (c[j] != 0) sum += h * c[j] * stage[j][i];
      same = same && in_place[i] == sum;
    }
    CHECK(same && out[n] == 5 && in_place[n] == 5);
  }
}

int main(void) {
  RUN(stage_sums);
  RUN(orders);
  RUN(dense_orders);
  RUN(lazy_dense);
  RUN(dop853_conditions);
  RUN(dop853_dense_conditions);
  RUN(work_and_precision);
  RUN(interrupted);
  RUN(abm_economy);
  RUN(abm_dense);
  RUN(undone);
  RUN(no_allocation);
  RUN(collapse);
  return test_end();
}
