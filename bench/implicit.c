// implicit.c: what a step of an implicit stepper costs.
//
// First what it is made of on small mechanisms: Newton iterations (one evaluation and one solution
// each), how often the iteration matrix is factorised, time. Then how the time grows with the
// number of bodies, on ladders of loops; the exponent is a least-squares fit from 100 bodies on.
//
//   implicit [most=10000] [rounds=5]
#include "models.h"

static const char *const methods[] = {"index3-alpha", "index2-ggl", "augmented-index3"};
enum { METHODS = 3 };

static const struct {
  const char *name;
  double step, duration;
} problems[] = {
    {"four_bar", 1e-3, 5},         {"spatial_slider_crank", 1e-3, 5},
    {"andrews", 2e-5, 0.05},       {"heavy_top", 2e-4, 1},
    {"bricard", 2e-3, 5},          {"flyball_governor", 5e-3, 5},
    {"iltis_suspension", 2e-3, 6}, {"n_four_bar_40", 1e-3, 1},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static void measure_problem(int k, const char *method) {
  char path[128];
  snprintf(path, sizeof path, "models/%s.yaml", problems[k].name);
  hn_model *model = bench_load(path);
  hn_system *system = bench_compile(model, "reference");
  hn_sim *sim = bench_sim(system, method, problems[k].step);
  bench_time start = bench_now();
  if (hn_advance(sim, problems[k].duration)) bench_fail(path, hn_sim_error(sim));
  double spent = bench_since(start).cpu;
  hn_summary s;
  hn_sim_summary(sim, &s);
  double n = (double)s.steps;
  printf("| %s | %s | %g | %.2f | %.3f | %.1f |\n", problems[k].name, method,
         1e3 * problems[k].step, (double)s.evaluations / n, (double)s.factorisations / n,
         1e6 * spent / n);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
}

static const int sizes[] = {10, 30, 100, 300, 1000, 3000, 10000};
enum { SIZES = sizeof sizes / sizeof sizes[0], FIT_FROM = 2 };

static void steps(void *sim, long repeat) {
  for (long i = 0; i < repeat; i++)
    if (hn_step((hn_sim *)sim)) bench_fail("step", hn_sim_error((hn_sim *)sim));
}

static double measure_ladder(int n, const char *method, int rounds) {
  hn_model *model = bench_ladder(n);
  hn_system *system = bench_compile(model, "reference");
  hn_sim *sim = bench_sim(system, method, 1e-3);
  bench_item item = {.name = method, .run = steps, .user = sim};
  bench_compare(&item, 1, rounds, n < 3000 ? 0.02 : 0.1);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return item.one.cpu;
}

int main(int argc, char **argv) {
  int most = (int)bench_argument(argc, argv, "most", 10000);
  int rounds = (int)bench_argument(argc, argv, "rounds", 5);
  printf("Per step: Newton iterations, factorisations, microseconds.\n\n");
  printf("| model | stepper | step [ms] | iterations | factorisations | time [us] |\n");
  printf("|---|---|---:|---:|---:|---:|\n");
  for (int k = 0; k < PROBLEMS; k++)
    for (int i = 0; i < METHODS; i++) measure_problem(k, methods[i]);
  printf("\nFour-bar ladder: microseconds per body and step.\n\n| stepper |");
  for (int i = 0; i < SIZES; i++) printf(" n = %d |", sizes[i]);
  printf(" exponent |\n|---|");
  for (int i = 0; i <= SIZES; i++) printf("---:|");
  printf("\n");
  for (int m = 0; m < METHODS; m++) {
    double n[SIZES], t[SIZES];
    int count = 0;
    printf("| %s |", methods[m]);
    for (; count < SIZES && sizes[count] <= most; count++) {
      n[count] = sizes[count];
      t[count] = measure_ladder(sizes[count], methods[m], rounds);
      printf(" %.2f |", 1e6 * t[count] / n[count]);
      fflush(stdout);
    }
    for (int i = count; i < SIZES; i++) printf(" - |");
    printf(" %.2f |\n",
           count > FIT_FROM + 1 ? bench_exponent(n + FIT_FROM, t + FIT_FROM, count - FIT_FROM) : 0);
  }
  return 0;
}
