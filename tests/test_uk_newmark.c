// test_uk_newmark.c: the UK optimisation equation against closed forms and independent solutions.
#include "reference.h"
#include "solver_rig.h"

// ---- the four examples ---------------------------------------------------------------------

static const struct {
  const char *model, *reference;
  const char *column[3][2];  // of the reference, of ours
  double step, until;
} examples[] = {
    {"equations_skate", "C1_knife_edge", {{"x", "skate.x"}, {"y", "skate.y"}}, 0.01, 5},
    {"equations_four_bar",
     "C2_fourbar_singular_mass",
     {{"th1", "bars.theta1"}, {"th2", "bars.theta2"}, {"th3_d", "bars.theta3_rate"}},
     0.01,
     4},
    {"equations_slider_crank",
     "C3_equal_slider_crank",
     {{"theta", "rods.theta"}, {"thetadot", "rods.theta_rate"}},
     0.01,
     5},
    {"equations_rolling_disc",
     "C4_rolling_disk_incline",
     {{"x", "disc.x"}, {"y", "disc.y"}, {"phi", "disc.phi"}},
     0.01,
     5},
};

// largest error of any column over all instants both have
static double error_of(const hn_result *result, const table *ref, int example, double until) {
  double worst = 0;
  for (int c = 0; c < 3 && examples[example].column[c][0]; c++) {
    const char *name = examples[example].column[c][0];
    int x = table_find(ref, name, strlen(name)), time = table_find(ref, "t", 1);
    int y = hn_result_find(result, examples[example].column[c][1]);
    if (!CHECK(x >= 0 && y >= 0)) continue;
    for (int i = 0, k = 0; i < ref->rows && table_row(ref, i)[time] <= until + 1e-9; i++) {
      while (k + 1 < hn_result_rows(result) &&
             hn_result_row(result, k)[0] < table_row(ref, i)[time] - 1e-9)
        k++;
      CHECK_NEAR(hn_result_row(result, k)[0], table_row(ref, i)[time], 1e-9);
      worst = fmax(worst, fabs(hn_result_row(result, k)[y] - table_row(ref, i)[x]));
    }
  }
  return worst;
}

// with an optimiser by uk-newmark, without (NULL) by the default method
static hn_result *run_example(int example, const char *optimiser, double step, double until) {
  char path[128], message[512] = "";
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  snprintf(path, sizeof path, "models/%s.yaml", examples[example].model);
  bool ok = CHECK(hn_model_load(model, path) == HN_OK) && CHECK(hn_compile(&sys, model) == HN_OK);
  hn_options o = *hn_model_options(model);
  if (optimiser) {
    snprintf(o.method, sizeof o.method, "uk-newmark");
    snprintf(o.optimiser, sizeof o.optimiser, "%s", optimiser);
  }
  o.step = step;
  o.rtol = 1e-10;
  o.duration = until;
  ok = ok && CHECK(hn_sim_create(&sim, sys, &o, message, sizeof message) == HN_OK) &&
       CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  if (!ok) printf("  %s %s\n", hn_model_error(model), message);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
  return result;
}

static void test_references(void) {
  for (int i = 0; i < (int)(sizeof examples / sizeof *examples); i++) {
    table ref = {0};
    if (!CHECK(reference_read(&ref, examples[i].reference))) continue;
    double error[2];
    for (int k = 0; k < 2; k++) {
      hn_result *r =
          run_example(i, "levenberg-marquardt", examples[i].step / (1 << k), examples[i].until);
      error[k] = r ? error_of(r, &ref, i, examples[i].until) : NAN;
      hn_result_destroy(r);
    }
    printf("%-24s error %.2e, with half the step %.2e: order %.2f\n", examples[i].model, error[0],
           error[1], log2(error[0] / error[1]));
    CHECK(error[1] < 2e-2);
    hn_result *precise = run_example(i, NULL, 0, 10);
    double left = precise ? error_of(precise, &ref, i, 10) : NAN;
    if (!CHECK(left < 1e-7))
      printf("  %s: error %g by the default method\n", examples[i].model, left);
    hn_result_destroy(precise);
    CHECK_NEAR(log2(error[0] / error[1]), 2, 0.2);
    table_free(&ref);
  }
}

// ---- optimisers ----------------------------------------------------------------------------

static double difference(const hn_result *a, const hn_result *b) {
  double worst = 0;
  for (int i = 0; i < hn_result_rows(a); i++)
    for (int c = 0; c < hn_result_columns(a); c++)
      worst = fmax(worst, fabs(hn_result_row(a, i)[c] - hn_result_row(b, i)[c]));
  return worst;
}

static void test_optimisers(void) {
  for (int i = 0; i < 4; i++) {
    hn_result *lm = run_example(i, "levenberg-marquardt", 0.025, 0.1);
    hn_result *gn = run_example(i, "gauss-newton", 0.025, 0.1);
    hn_result *ga = run_example(i, "genetic", 0.025, 0.1);
    hn_result *again = run_example(i, "genetic", 0.025, 0.1);
    if (lm && gn && ga && again) {
      CHECK(difference(lm, gn) < 1e-8);
      printf("  example %d: genetic and levenberg-marquardt differ by %.1e\n", i + 1,
             difference(lm, ga));
      CHECK(difference(lm, ga) < 1e-7);
      CHECK(difference(ga, again) == 0);
    }
    hn_result_destroy(lm);
    hn_result_destroy(gn);
    hn_result_destroy(ga);
    hn_result_destroy(again);
  }
}

// ---- bodies --------------------------------------------------------------------------------

// the equations hold at the end of every step, whatever the coordinates
static void test_bodies(void) {
  static const char *const coordinates[] = {"reference", "relative", "natural"};
  for (int c = 0; c < RIG_CASES; c++)
    for (int k = 0; k < 3; k++) {
      rig r;
      if (!rig_load(&r, &rig_cases[c], coordinates[k])) {
        rig_free(&r);
        continue;
      }
      char message[512];
      hn_sim *sim = NULL;
      hn_options o = r.options;
      snprintf(o.method, sizeof o.method, "uk-newmark");
      o.step = 1e-3;
      hn_status status = hn_sim_create(&sim, r.sys, &o, message, sizeof message);
      if (!CHECK(status == HN_OK)) printf("  %s: %s\n", rig_cases[c].name, message);
      if (!status) {
        if (!CHECK(hn_advance(sim, 0.02) == HN_OK)) printf("  %s\n", hn_sim_error(sim));
        double *x = rig_numbers(r.sys->nv), worst = 0, size = 1;
        const double *a = hn_accelerations(sim);
        hn_mass_mul(&sim->stage.work, a, x);
        for (int i = 0; i < r.sys->nv; i++) {
          size = fmax(size, fabs(x[i]));
          x[i] -= sim->stage.work.r[i];
        }
        hn_jacobian_tmul_add(&sim->stage.work, sim->stage.work.lambda, -1, x);
        for (int i = 0; i < r.sys->nv; i++) worst = fmax(worst, fabs(x[i]));
        if (!r.sys->reactive && !CHECK(worst < 1e-6 * size))
          printf("  %s, %s: %g of %g\n", rig_cases[c].name, coordinates[k], worst, size);
        hn_energy e;
        CHECK(hn_sim_energy(sim, &e) == HN_OK && fabs(e.balance) < 3e-3 * fmax(1, e.scale));
        free(x);
      }
      hn_sim_destroy(sim);
      rig_free(&r);
    }
}

int main(void) {
  RUN(test_references);
  RUN(test_optimisers);
  RUN(test_bodies);
  return test_end();
}
