// implicit.c: what a step of an implicit stepper costs.
//
// First what it is made of on small mechanisms: Newton iterations (one evaluation and one solution
// each), how often the iteration matrix is factorised, time. Then how the time grows with the
// number of bodies, on ladders of loops and, for the energy-momentum family, on chains; the
// exponent is a least-squares fit from 100 bodies on. Last what precision costs: BDF on Andrews'
// mechanism, with an explicit and a low-order method beside it.
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

// mechanisms of any size, and the steppers that run them
static const struct {
  const char *title, *coordinates;
  hn_model *(*make)(int n);
  const char *stepper[3];
  double step;
  int most;  // bodies: rows in natural coordinates are chosen by dense algebra when compiling
} families[] = {
    {"Four-bar ladder",
     "reference",
     bench_ladder,
     {"index3-alpha", "index2-ggl", "augmented-index3"},
     1e-3,
     10000},
    {"Bodies on bushings", "reference", bench_bushings, {"index3-alpha", NULL, NULL}, 1e-3, 3000},
    {"Beam",
     "reference",
     bench_beam,
     {"index3-alpha", "index2-ggl", "augmented-index3"},
     1e-3,
     3000},
    {"Spatial chain",
     "natural",
     bench_chain_spatial,
     {"energy-momentum", "discrete-null-space", NULL},
     1e-3,
     300},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static double measure_family(int f, int n, const char *method, int rounds) {
  hn_model *model = families[f].make(n);
  hn_system *system = bench_compile(model, families[f].coordinates);
  hn_sim *sim = bench_sim(system, method, families[f].step);
  bench_item item = {.name = method, .run = steps, .user = sim};
  bench_compare(&item, 1, rounds, n < 3000 ? 0.02 : 0.1);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return item.one.cpu;
}

// ---- families ----------------------------------------------------------------------------------

static void print_family(int f, int most, int rounds) {
  printf("\n%s: microseconds per body and step.\n\n| stepper |", families[f].title);
  for (int i = 0; i < SIZES; i++) printf(" n = %d |", sizes[i]);
  printf(" exponent |\n|---|");
  for (int i = 0; i <= SIZES; i++) printf("---:|");
  printf("\n");
  if (families[f].most < most) most = families[f].most;
  for (int m = 0; m < 3 && families[f].stepper[m]; m++) {
    const char *method = families[f].stepper[m];
    double n[SIZES], t[SIZES];
    int count = 0;
    printf("| %s |", method);
    for (; count < SIZES && sizes[count] <= most; count++) {
      n[count] = sizes[count];
      t[count] = measure_family(f, sizes[count], method, rounds);
      printf(" %.2f |", 1e6 * t[count] / n[count]);
      fflush(stdout);
    }
    for (int i = count; i < SIZES; i++) printf(" - |");
    printf(" %.2f |\n",
           count > FIT_FROM + 1 ? bench_exponent(n + FIT_FROM, t + FIT_FROM, count - FIT_FROM) : 0);
  }
}

// ---- precision -------------------------------------------------------------------------------

// Andrews' mechanism at its end: angles (beta, Theta, gamma, phi, delta, Omega, epsilon) and their
// rates, by the independent solution in tests/references/E1_andrews.json
static const double andrews_end = 0.03;
static const double andrews_angle[7] = {
    15.81077119515371, -15.75637105841184, 0.04082224011964581, -0.5347301163420796,
    0.524409965879954, 0.5347301163420796, 1.048080741041938};
static const double andrews_rate[7] = {1139.920302259106, -1424.37929517754,  11.03291191061867,
                                       19.29337410503217, 0.5735699148295063, -19.29337410503217,
                                       0.3231791492491331};

// largest difference relative to the largest value; x has the angles of the bodies K1 ... K7 in
// steps of three, of which K2, K4 and K6 are measured from K1, K5 and K7
static double andrews_error(const double *x, const double *expected) {
  static const int from[7] = {-1, 0, -1, 4, -1, 6, -1};
  double worst = 0, largest = 0;
  for (int i = 0; i < 7; i++) {
    double value = x[3 * i + 2] - (from[i] < 0 ? 0 : x[3 * from[i] + 2]);
    worst = fmax(worst, fabs(value - expected[i]));
    largest = fmax(largest, fabs(expected[i]));
  }
  return worst / largest;
}

// one line of the table; returns the time [s], 0 when the library lacks the integrator
static double measure_precision(const hn_system *system, const char *name, double rtol,
                                int rounds) {
  double spent[BENCH_ROUNDS], error = 0;
  hn_summary s = {0};
  for (int i = 0; i < rounds; i++) {
    hn_sim *sim = NULL;
    char message[256] = "";
    hn_options o = hn_options_default();
    snprintf(o.integrator, sizeof o.integrator, "%s", name);
    o.rtol = rtol;
    hn_status status = hn_sim_create(&sim, system, &o, message, sizeof message);
    if (status == HN_ERR_UNSUPPORTED) return 0;
    if (status) bench_fail(name, message);
    bench_time start = bench_now();
    if (hn_advance(sim, andrews_end)) bench_fail(name, hn_sim_error(sim));
    spent[i] = bench_since(start).cpu;
    error = fmax(andrews_error(hn_positions(sim), andrews_angle),
                 andrews_error(hn_velocities(sim), andrews_rate));
    hn_sim_summary(sim, &s);
    hn_sim_destroy(sim);
  }
  double time = bench_median(spent, rounds);
  printf("| %s | %.0e | %.1e | %ld | %ld | %.2f |\n", name, rtol, error, s.steps, s.evaluations,
         1e3 * time);
  return time;
}

static void table_precision(int rounds) {
  static const char *const names[] = {"index1-bdf", "index2-bdf", "index3-bdf", "dop853",
                                      "index3-alpha"};
  static const double enough = 0.2;  // [s] after a run as long as this no finer one is made
  hn_model *model = bench_load("models/andrews.yaml");
  hn_system *system = bench_compile(model, "reference");
  printf("\nAndrews' mechanism, 0.03 s: error of angles and rates at the end.\n\n");
  printf("| integrator | rtol | error | steps | evaluations | time [ms] |\n");
  printf("|---|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
    double time = 1e-9;
    for (int k = 4; k <= 12 && time > 0 && time < enough; k += 2)
      time = measure_precision(system, names[i], pow(10, -k), rounds);
  }
  hn_system_destroy(system);
  hn_model_destroy(model);
}

int main(int argc, char **argv) {
  int most = (int)bench_argument(argc, argv, "most", 10000);
  int rounds = (int)bench_argument(argc, argv, "rounds", 5);
  printf("Per step: Newton iterations, factorisations, microseconds.\n\n");
  printf("| model | stepper | step [ms] | iterations | factorisations | time [us] |\n");
  printf("|---|---|---:|---:|---:|---:|\n");
  for (int k = 0; k < PROBLEMS; k++)
    for (int i = 0; i < METHODS; i++) measure_problem(k, methods[i]);
  for (int f = 0; f < FAMILIES; f++) print_family(f, f ? most / 10 : most, rounds);
  table_precision(rounds);
  return 0;
}
