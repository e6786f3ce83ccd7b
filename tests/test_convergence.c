// test_convergence.c: every integrator shows its order, with constraints and with corrections.
//
// Linkages with closed loops are run with smaller and smaller steps; the largest error, against the
// independent solution, must fall with the order the integrator declares. Integrators with error
// control are held at a fixed step by a loose tolerance and a largest step; then, left to
// themselves, their error must follow the tolerance. Rows between steps come from the dense
// output, which has an order of its own.
#include "reference.h"

#include "sim/sim.h"

// parts of the longest step
static const int parts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
enum { STEPS = sizeof parts / sizeof *parts };

// motions are smooth until `end`; every second row of the references lies on all steps
typedef struct linkage {
  const char *model, *reference;
  const pair *pairs;
  double end, longest;
} linkage;

static const linkage linkages[] = {
    {"four_bar", "A1_fourbar", four_bar, 0.5, 0.1},
    {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 0.25, 0.05},
};
enum { LINKAGES = sizeof linkages / sizeof *linkages };

static int linkage_count(void) {
  return run_quickly() ? 1 : LINKAGES;
}

// leaves every second row
static void thin(table *t) {
  size_t bytes = (size_t)t->columns * sizeof(double);
  t->rows = (t->rows + 1) / 2;
  for (int i = 1; i < t->rows; i++) memcpy(table_row(t, i), table_row(t, 2 * i), bytes);
}

// largest error of positions and velocities over all rows; steps that are far too large may fail
static double run_error(const linkage *l, table *reference, const hn_options *how,
                        hn_summary *summary) {
  machine m;
  table ours = {0};
  errors e = {0};
  hn_result *result = NULL;
  bool ok = CHECK(machine_load(&m, l->model, "reference", NULL, NULL) == HN_OK);
  if (ok) {
    m.options = *how;
    machine_follow(&m, reference, l->end);
    ok = CHECK(machine_start(&m) == HN_OK) && hn_run(m.sim, &result, NULL, NULL) == HN_OK;
    if (m.sim) hn_sim_summary(m.sim, summary);
  }
  ok = ok && CHECK(table_pick(&ours, result, reference)) &&
       CHECK(compare(&e, l->pairs, reference, &ours, 0, "xv", false));
  table_free(&ours);
  hn_result_destroy(result);
  machine_free(&m);
  return ok ? fmax(e.worst[POSITION], e.worst[VELOCITY]) : INFINITY;
}

// slope of log(error) over log(x) by least squares, where the error is neither round-off nor so
// large that its leading term does not decide yet; NaN when that leaves fewer than three points
static double slope(const double *x, const double *error, int count, double low, double high) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; i++) {
    if (!(error[i] > low && error[i] < high)) continue;
    double u = log(x[i]), v = log(error[i]);
    n++, sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return n < 3 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static hn_options options_for(const hn_integrator_type *type, const char *correction) {
  hn_options o = hn_options_default();
  snprintf(o.integrator, sizeof o.integrator, "%s", type->info.name);
  snprintf(o.correction, sizeof o.correction, "%s", correction);
  // of Newmark's family, one whose error of order 1 is large enough to be seen
  if (type->order == 1) o.rho_inf = 0.3;
  return o;
}

static double measured_order(const linkage *l, table *reference, const hn_integrator_type *type,
                             const char *correction, double longest) {
  double step[STEPS], error[STEPS];
  hn_options how = options_for(type, correction);
  hn_summary summary = {0};
  if (type->adaptive) how.rtol = 0.1;
  bool worth = true;
  for (int i = 0; i < STEPS; i++) {
    how.step = step[i] = longest / parts[i];
    // beyond round-off smaller steps show nothing, and low orders have shown theirs long before
    error[i] = worth ? run_error(l, reference, &how, &summary) : 0;
    worth = error[i] > (type->order < 3 ? 1e-5 : 1e-12);
    if (type->adaptive && error[i] > 0 && error[i] < 1e-4) CHECK(summary.rejected == 0);
    // a run that took other steps than these says nothing about them
    if (type->adaptive && error[i] > 0 && summary.rejected) error[i] = INFINITY;
  }
  double high = type->order < 3 ? 3e-2 : type->order < 6 ? 1e-6 : 1e-8;
  // the penalty of positions and velocities has a time of its own, which steps have to be well
  // below
  if (!strcmp(type->info.name, "augmented-displacement") ||
      !strcmp(type->info.name, "augmented-acceleration"))
    high = 1e-4;
  return slope(step, error, STEPS, 1e-12, high);
}

// multistep methods choose their order themselves and have none to show; Adams' formulas of fixed
// step show theirs in test_order_matrix.c
static bool varies_order(const hn_integrator_type *type) {
  return type->multistep || strstr(type->info.name, "-bdf");
}

// some go with no correction, some need a library that may be missing
static bool can_run(const linkage *l, const hn_integrator_type *type, const char *correction) {
  machine m;
  hn_status status = machine_load(&m, l->model, "reference", NULL, NULL);
  m.options = options_for(type, correction);
  m.options.step = 1e-3;
  if (!status) status = machine_start(&m);
  machine_free(&m);
  return status != HN_ERR_UNSUPPORTED;
}

static bool has_order(const linkage *l, const hn_integrator_type *type, const char *correction) {
  return !varies_order(type) && can_run(l, type, correction);
}

// ---- tests ---------------------------------------------------------------------------------

// integrators of high order are so good that steps in which their leading term alone decides
// already meet round-off
static void check_order(double order, const hn_integrator_type *type) {
  int declared = type->order;
  CHECK(order > declared - (declared < 6 ? 0.3 : 0.5));
  // those that step over contacts say the order with them, and are better without
  if (!(type->can & HN_STEPS_OVER)) CHECK(order < declared + (declared < 5 ? 0.3 : 1));
}

static void test_orders(void) {
  static const char *const corrections[] = {"none", "mass"};
  printf("%-22s %-18s %-10s %8s %8s\n", "model", "integrator", "correction", "declared",
         "measured");
  for (int k = 0; k < linkage_count(); k++) {
    const linkage *l = &linkages[k];
    table reference;
    if (!CHECK(reference_read(&reference, l->reference))) return;
    thin(&reference);
    for (int i = 0; hn_integrator_at(i); i++)
      for (int c = run_quickly() ? 1 : 0; c < 2; c++) {
        const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
        // implicit steppers go on from their own state, whatever the correction makes of it
        if (type->stands_alone && type->adaptive && c == 1) continue;
        if (!has_order(l, type, corrections[c])) continue;
        double order = measured_order(l, &reference, type, corrections[c], l->longest);
        printf("%-22s %-18s %-10s %8d %8.2f\n", l->model, type->info.name, corrections[c],
               type->order, order);
        check_order(order, type);
      }
    table_free(&reference);
  }
}

// rows between steps: as good as the steps, up to order 4
static void test_dense_output(void) {
  printf("%-22s %-18s %8s %8s\n", "model", "dense output of", "needed", "measured");
  for (int k = 0; k < linkage_count(); k++) {
    const linkage *l = &linkages[k];
    table reference;
    if (!CHECK(reference_read(&reference, l->reference))) return;
    for (int i = 0; hn_integrator_at(i); i++) {
      const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
      if (!has_order(l, type, "mass") || (type->stands_alone && type->adaptive)) continue;
      // no multiple of a step is a time of the reference
      double order = measured_order(l, &reference, type, "mass", l->longest / 1.371934);
      int needed = type->order < 4 ? type->order : 4;
      printf("%-22s %-18s %8d %8.2f\n", l->model, type->info.name, needed, order);
      CHECK(order > needed - 0.3);
    }
    table_free(&reference);
  }
}

// how many times the tolerance an error may be. BDF of index 3 differentiates positions twice, and
// its velocities lose what round-off takes from them
static double allowed(const hn_integrator_type *type) {
  return strcmp(type->info.name, "index3-bdf") == 0 ? 100 : 10;
}

// the error follows the tolerance. BDF holds the error of a step, of which a run of order 5 takes
// tol^(-1/6): the slope is 5/6, less where the order is
static void check_slope(const hn_integrator_type *type, double s) {
  if (strstr(type->info.name, "-bdf"))
    CHECK(s > 0.7 && s < 1.2);
  else
    CHECK_NEAR(s, 1, 0.2);
}

// error control
static void test_tolerance(void) {
  static const double rtol[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  enum { COUNT = sizeof rtol / sizeof *rtol };
  printf("%-22s %-18s %8s\n", "model", "error control of", "slope");
  for (int k = 0; k < linkage_count(); k++) {
    table reference;
    if (!CHECK(reference_read(&reference, linkages[k].reference))) return;
    for (int i = 0; hn_integrator_at(i); i++) {
      const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
      // low orders would take forever to be precise
      int count = type->order < 3 ? 3 : COUNT;
      if (!type->adaptive || type->order == 1 || !can_run(&linkages[k], type, "mass")) continue;
      double error[COUNT];
      hn_options how = options_for(type, "mass");
      hn_summary summary;
      for (int j = 0; j < count; j++) {
        how.rtol = rtol[j];
        error[j] = run_error(&linkages[k], &reference, &how, &summary);
        // no tolerance is missed by much
        CHECK(error[j] < allowed(type) * rtol[j]);
      }
      double s = slope(rtol, error, count, 1e-12, 1e-2);
      printf("%-22s %-18s %8.2f\n", linkages[k].model, type->info.name, s);
      check_slope(type, s);
    }
    table_free(&reference);
  }
}

int main(void) {
  RUN(test_orders);
  RUN(test_dense_output);
  RUN(test_tolerance);
  return test_end();
}
