// test_references.c: the example models against independent solutions.
//
// The references were computed in minimal coordinates or closed form, without any constraint
// (tests/references/*.json). Every model is run with the default method at falling tolerances, and
// once more in relative and in natural coordinates; for each kind of quantity the largest error
// over all times and columns is printed, relative to the largest magnitude of its column, and held
// against a bound that falls with the tolerance.
#include "reference.h"

static const char *const kind_names[] = {"position", "velocity", "force", "energy", "acceleration"};

// the runs of each example; points of a fast top swing once a turn, so natural coordinates need a
// finer tolerance for the same precision
static const struct {
  double rtol;
  const char *coordinates, *title;
} runs[] = {
    {1e-6, "reference", "1e-6"},   {1e-8, "reference", "1e-8"},     {1e-10, "reference", "1e-10"},
    {1e-12, "reference", "1e-12"}, {1e-10, "relative", "relative"}, {1e-11, "natural", "natural"},
};
enum { RUNS = sizeof runs / sizeof *runs };

typedef struct example {
  const char *model, *reference;
  const pair *pairs;
  int dof, redundant;
  double bound;               // at 1e-10 and below; above in proportion to the tolerance
  const char *alter, *value;  // a parameter given another value
  bool chaotic;               // errors are divided by the reference's growth_factor
  bool costly;                // left out of quick runs
  double finest;              // of the tolerances in reference coordinates; 0: all of them
  const char *method;         // NULL: the default
} example;

// The slider-crank and the four-bar of point masses nearly stop on their way, which makes them some
// hundred times more sensitive than the rest. Mechanisms of equal bars pass singular
// configurations, from which they could also go on in another way than the reference does.
static const example examples[] = {
    {"four_bar", "A1_fourbar", four_bar, 1, 0, .bound = 1e-7},
    {"four_bar_spatial_joints", "A1_fourbar", four_bar_spatial, 1, 3, .bound = 1e-7},
    {"five_bar_pendulum_planar", "A2_five_pendulum_planar", chain_planar, 5, 0, .bound = 1e-8,
     .chaotic = true},
    {"five_bar_pendulum_spatial", "A2_five_pendulum_spatial", chain_spatial, 5, 0, .bound = 1e-8,
     .chaotic = true},
    {"spatial_slider_crank", "A3_spatial_slider_crank", slider_crank, 1, 0, .bound = 1e-7},
    {"iltis_suspension", "A4_iltis_front_right", iltis, 1, 0, .bound = 1e-7},
    {"two_rod_pendulum", "B1_two_rod_pendulum", two_rods, 1, 1, .bound = 1e-7},
    {"parallelogram", "B2_parallelogram_end_inertia", parallelogram, 7, 1, .bound = 1e-7},
    {"parallelogram", "B2_parallelogram_com_inertia", parallelogram, 7, 1, .bound = 1e-7,
     .alter = "about_end", .value = "0.0985"},
    {"knife_edge", "C1_knife_edge", knife_edge, 2, 0, .bound = 1e-7},
    {"four_bar_point_masses", "C2_fourbar_singular_mass", point_masses, 1, 0, .bound = 1e-7},
    {"equal_slider_crank", "C3_equal_slider_crank", equal_slider_crank, 1, 0, .bound = 1e-7},
    {"rolling_disk_incline", "C4_rolling_disk_flat", disk_flat, 2, 1, .bound = 1e-7,
     .alter = "incline", .value = "0"},
    {"rolling_disk_incline", "C4_rolling_disk_incline", disk_incline, 2, 1, .bound = 1e-7},
    {"ship_mount", "D_ship_mount", ship, 1, 0, .bound = 1e-7},
    {"andrews", "E1_andrews", andrews, 1, 0, .bound = 1e-7},
    {"pendulum", "E2_A01_pendulum", pendulum, 1, 0, .bound = 1e-7},
    {"n_four_bar_2", "E2_A02_fourbar_N2", n_four_bar, 1, 0, .bound = 1e-7},
    {"n_four_bar_40", "E2_A02_fourbar_N40", n_four_bar, 1, 0, .bound = 1e-7, .costly = true},
    {"bricard", "E2_A04_bricard", bricard, 1, 1, .bound = 1e-7},
    {"flyball_governor", "E2_A05_flyball", flyball, 4, 0, .bound = 1e-7, .costly = true,
     .finest = 1e-8,
     .method = "explicit"},  // its dampers amplify what order 8 leaves between the steps
    {"heavy_top", "E4_heavy_top", top, 3, 0, .bound = 1e-7},
    {"torque_free", "E4_torque_free", racket, 6, 0, .bound = 1e-7},
    {"rolling_disk", "E5_rolling_disk_3d", rolling_disk, 3, 0, .bound = 1e-7},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

// ---- one run -------------------------------------------------------------------------------

static void check_counts(const example *x, const machine *m) {
  const hn_check *check = hn_system_check(m->system);
  CHECK(check->dof == x->dof);
  CHECK(check->redundant_count == x->redundant);
  // what is described fits together: nothing had to be moved
  CHECK(check->position_before < 1e-14);
  CHECK(check->moved < 1e-12);
  CHECK(check->velocity_after < 1e-12);
}

static bool compare_run(errors *e, const example *x, machine *m, table *reference) {
  table ours = {0};
  hn_result *result = NULL;
  bool ok = CHECK(hn_run(m->sim, &result, NULL, NULL) == HN_OK);
  if (!ok) printf("  %s\n", hn_sim_error(m->sim));
  ok = ok && CHECK(table_pick(&ours, result, reference)) && CHECK(ours.rows == reference->rows) &&
       CHECK(compare(e, x->pairs, reference, &ours, 0, "xvfe", x->chaotic));
  table_free(&ours);
  hn_result_destroy(result);
  // a loose run may leave something to be desired, and then says so
  hn_summary summary;
  hn_sim_summary(m->sim, &summary);
  if (m->options.rtol <= 1e-8) CHECK(summary.audit_pass);
  return ok;
}

// accelerations are asked for at the times of the reference, which is also how hn_advance is tried
static bool compare_accelerations(errors *e, const example *x, machine *m, table *reference) {
  enum { MOST = 30 };
  static char names[MOST][8];
  int count = hn_system_nv(m->system) < MOST ? hn_system_nv(m->system) : MOST;
  const char *name[MOST + 1] = {"time"};
  for (int i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "a%d", i);
    name[i + 1] = names[i];
  }
  table ours = {.rows = reference->rows, .columns = count + 1, .name = name};
  ours.value = calloc((size_t)ours.columns * (size_t)ours.rows, sizeof *ours.value);
  bool ok = ours.value;
  for (int i = 0; ok && i < ours.rows; i++) {
    double *row = table_row(&ours, i);
    row[0] = table_row(reference, i)[0];
    ok = CHECK(hn_advance(m->sim, row[0]) == HN_OK);
    const double *a = ok ? hn_accelerations(m->sim) : NULL;
    ok = ok && CHECK(a != NULL);
    if (ok) memcpy(row + 1, a, (size_t)count * sizeof(double));
  }
  ok = ok && CHECK(compare(e, x->pairs, reference, &ours, 0, "a", x->chaotic));
  free(ours.value);
  return ok;
}

static bool has_accelerations(const example *x) {
  for (const pair *p = x->pairs; p->kind; p++)
    if (p->kind == 'a') return true;
  return false;
}

// false: there is nothing to show, because it failed or the coordinates do not exist
static bool run_once(errors *e, const example *x, table *reference, int run) {
  memset(e, 0, sizeof *e);
  bool reference_coordinates = strcmp(runs[run].coordinates, "reference") == 0;
  bool accelerate = reference_coordinates && has_accelerations(x);
  bool ok = true;
  for (int part = 0; ok && part < (accelerate ? 2 : 1); part++) {
    machine m;
    hn_status status = machine_load(&m, x->model, runs[run].coordinates, x->alter, x->value);
    ok = reference_coordinates || status != HN_ERR_UNSUPPORTED ? CHECK(status == HN_OK) : false;
    if (ok) {
      machine_follow(&m, reference, INFINITY);
      m.options.rtol = runs[run].rtol;
      if (x->method) snprintf(m.options.method, sizeof m.options.method, "%s", x->method);
      if (part == 0) check_counts(x, &m);
      ok = CHECK(machine_start(&m) == HN_OK) &&
           (part == 0 ? compare_run(e, x, &m, reference)
                      : compare_accelerations(e, x, &m, reference));
    }
    machine_free(&m);
  }
  return ok;
}

// ---- one example ---------------------------------------------------------------------------

static void print_errors(const example *x, const errors *e, const bool *done) {
  for (int k = 0; k < KINDS; k++) {
    const char *where = NULL;
    for (int i = 0; i < RUNS; i++)
      if (done[i] && e[i].where[k]) where = e[i].where[k];
    if (!where) continue;
    printf("%-29s %-12s", x->reference, kind_names[k]);
    for (int i = 0; i < RUNS; i++)
      if (done[i] && e[i].where[k])
        printf(" %8.1e", e[i].worst[k]);
      else
        printf(" %8s", "");
    printf("  %s\n", where);
  }
}

static void run_example(const example *x) {
  errors e[RUNS];
  bool done[RUNS] = {false};
  table reference;
  test_name = x->reference;
  if (!CHECK(reference_read(&reference, x->reference))) return;
  for (int i = 0; i < RUNS; i++) {
    if (x->costly && strcmp(runs[i].coordinates, "natural") == 0) continue;
    if (runs[i].rtol < x->finest && strcmp(runs[i].coordinates, "reference") == 0) continue;
    if (!run_quickly() || i == 1) done[i] = run_once(&e[i], x, &reference, i);
  }
  print_errors(x, e, done);
  for (int i = 0; i < RUNS; i++)
    for (int k = 0; done[i] && k < KINDS; k++) {
      double bound = x->bound * fmax(1, 2 * runs[i].rtol / 1e-10 - 1);
      if (!CHECK(e[i].worst[k] <= bound))
        printf("  %s, %s: %.2e in %s\n", runs[i].title, kind_names[k], e[i].worst[k],
               e[i].where[k] ? e[i].where[k] : "nothing");
    }
  table_free(&reference);
}

int main(void) {
  printf("%-29s %-12s", "reference", "error of");
  for (int i = 0; i < RUNS; i++) printf(" %8s", runs[i].title);
  printf("  last one largest in\n");
  for (int i = 0; i < EXAMPLES; i++)
    if (!(run_quickly() && examples[i].costly)) run_example(&examples[i]);
  return test_end();
}
