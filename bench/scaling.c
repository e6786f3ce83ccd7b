// scaling.c: how the time of one evaluation of the accelerations grows with the number of bodies.
//
// Chains, trees, ladders of loops and stars of 10 to 100 000 bodies, in reference and in relative
// coordinates. Measured is a step of the classical Runge-Kutta method without correction, which
// evaluates four times; the exponent is a least-squares fit from 100 bodies on.
//
//   scaling [most=100000] [rounds=5]
#include "models.h"

typedef struct family {
  const char *name;
  hn_model *(*build)(int n);
} family;

static const family families[] = {
    {"spatial chain", bench_chain_spatial},
    {"planar chain", bench_chain_planar},
    {"binary tree", bench_tree},
    {"four-bar ladder", bench_ladder},
    {"star", bench_star},
};
static const char *const coordinates[] = {"reference", "relative"};
static const int sizes[] = {10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000};

enum {
  FAMILIES = sizeof families / sizeof families[0],
  COORDINATES = 2,
  SIZES = sizeof sizes / sizeof sizes[0],
  FIT_FROM = 2  // sizes[2] = 100
};

static void steps(void *sim, long repeat) {
  for (long i = 0; i < repeat; i++)
    if (hn_step((hn_sim *)sim)) bench_fail("step", hn_sim_error((hn_sim *)sim));
}

// seconds per evaluation; *compile: of hn_compile
static double measure(const family *f, int n, const char *coordinate, int rounds, double *compile) {
  hn_model *model = f->build(n);
  bench_time start = bench_now();
  hn_system *system = bench_compile(model, coordinate);
  *compile = bench_since(start).cpu;
  // so short a step that no mechanism gets anywhere while it is measured
  hn_sim *sim = bench_sim(system, "standard", 1e-9);
  bench_item item = {.name = f->name, .run = steps, .user = sim};
  bench_compare(&item, 1, rounds, n < 3000 ? 0.01 : 0.05);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return item.one.cpu / 4;
}

int main(int argc, char **argv) {
  int most = (int)bench_argument(argc, argv, "most", 100000);
  int rounds = (int)bench_argument(argc, argv, "rounds", 5);
  printf(
      "Nanoseconds per body and evaluation; exponent of the time of an evaluation from 100 bodies "
      "on; seconds\nto compile the largest.\n\n| family | coordinates |");
  for (int i = 0; i < SIZES; i += 2) printf(" n = %d |", sizes[i]);
  printf(" exponent | compile |\n|---|---|");
  for (int i = 0; i < SIZES; i += 2) printf("---:|");
  printf("---:|---:|\n");
  double steepest = 0;
  for (int f = 0; f < FAMILIES; f++)
    for (int c = 0; c < COORDINATES; c++) {
      double n[SIZES], t[SIZES], compile = 0;
      int count = 0;
      printf("| %s | %s |", families[f].name, coordinates[c]);
      for (int i = 0; i < SIZES; i++) {
        if (sizes[i] <= most) {
          n[i] = sizes[i];
          t[i] = measure(&families[f], sizes[i], coordinates[c], rounds, &compile);
          count = i + 1;
        }
        if (i % 2 == 0 && i < count) printf(" %.0f |", 1e9 * t[i] / n[i]);
        if (i % 2 == 0 && i >= count) printf(" - |");
        fflush(stdout);
      }
      double p =
          count > FIT_FROM + 1 ? bench_exponent(n + FIT_FROM, t + FIT_FROM, count - FIT_FROM) : 0;
      steepest = fmax(steepest, p);
      printf(" %.2f | %.2f |\n", p, compile);
    }
  printf("\nLargest exponent: %.2f (wanted: at most 1.1).\n", steepest);
  return 0;
}
