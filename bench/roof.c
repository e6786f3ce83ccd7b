// roof.c: how far an evaluation is from what the processor can do.
//
// Operations are those of the formulas of a mechanism (src/code), where everything constant is
// folded, zeros are gone and nothing is computed twice: the least that is known to suffice.
// Additions, multiplications, divisions, roots, sines count one each. The roof is measured: sums
// and products of pairs in registers, none of which waits for another (no fused multiply-add, as
// everywhere here); and reading arrays that fit the second-level cache, or nothing but memory.
//
//   roof [rounds=15]
#include "code/formulas.h"
#include "code/native.h"
#include "models.h"
#include "sim/sim.h"

// ---- the machine -----------------------------------------------------------------------------

typedef double pair __attribute__((vector_size(16)));
enum { CHAINS = 10, TURNS = 1000 };
static volatile double sink;

static void multiply_add(void *user, long repeat) {
  (void)user;
  pair x[CHAINS], a = {0.999999, 0.999998}, b = {1e-6, 1e-6};
  for (int i = 0; i < CHAINS; i++) x[i] = (pair){1, i};
  for (long r = 0; r < repeat * TURNS; r++)
    for (int i = 0; i < CHAINS; i++) x[i] = x[i] * a + b;
  double sum = 0;
  for (int i = 0; i < CHAINS; i++) sum += x[i][0] + x[i][1];
  sink = sum;
}

typedef struct array {
  double *x;
  long n;
} array;

static void read_array(void *user, long repeat) {
  const array *a = (const array *)user;
  pair sum[8] = {{0}};
  for (long r = 0; r < repeat; r++)
    for (long i = 0; i < a->n; i += 16)
      for (int k = 0; k < 8; k++) sum[k] += *(const pair *)(a->x + i + 2 * k);
  for (int k = 1; k < 8; k++) sum[0] += sum[k];
  sink = sum[0][0] + sum[0][1];
}

static double measure(void (*run)(void *, long), void *user, int rounds) {
  bench_item item = {.name = "roof", .run = run, .user = user};
  bench_compare(&item, 1, rounds, 0.02);
  return item.one.cpu;
}

// [GB/s] of reading `bytes` again and again
static double bandwidth(long bytes, int rounds) {
  array a = {(double *)aligned_alloc(64, (size_t)bytes), bytes / 8};
  if (!a.x) bench_fail("roof", "out of memory");
  for (long i = 0; i < a.n; i++) a.x[i] = 1;
  double spent = measure(read_array, &a, rounds);
  free(a.x);
  return 1e-9 * (double)bytes / spent;
}

// ---- evaluations -----------------------------------------------------------------------------

static void derivative(void *user, long repeat) {
  hn_sim *sim = (hn_sim *)user;
  for (long i = 0; i < repeat; i++)
    if (hn_derivative(sim, 0, sim->state.y, sim->stage.ydot)) bench_fail("roof", hn_sim_error(sim));
}

static void native(void *user, long repeat) {
  hn_sim *sim = (hn_sim *)user;
  const hn_system *sys = sim->sys;
  for (long i = 0; i < repeat; i++)
    sink = sys->native->motion(0, sim->state.y, sim->state.y + sys->nq, sim->stage.work.near,
                               sim->room.side, sim->room.in, sim->stage.ydot,
                               sim->stage.ydot + sys->nq, sim->stage.work.lambda,
                               sim->stage.ydot + sim->state.w, sim->stage.ydot + sim->state.x);
}

static void row(const char *title, const char *code, double operations, double seconds,
                double roof) {
  double rate = 1e-9 * operations / seconds;
  printf("| %s | %s | %.0f | %.0f | %.2f | %.0f %% |\n", title, code, operations, 1e9 * seconds,
         rate, 100 * rate / roof);
}

// the library in the coordinates that it would choose, and code in those that take fewer operations
static void mechanism(const char *title, hn_model *model, double roof, int rounds) {
  hn_options *o = hn_model_options(model);
  for (int written = 0; written < 2; written++) {
    snprintf(o->code, sizeof o->code, "%s", written ? "native" : "library");
    hn_system *sys = bench_compile(model, "auto");
    hn_sim *sim = bench_sim(sys, "standard", 1e-3);
    double spent = measure(written ? native : derivative, sim, rounds);
    row(title, written ? "native" : hn_system_check(sys)->coordinates,
        (double)hn_formulas_cost(sys), spent, roof);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
  }
  hn_model_destroy(model);
}

// too long for straight-line code: operations are those of a tenth, ten times
static void long_chain(int n, double roof, int rounds) {
  hn_model *model = bench_chain_spatial(n), *part = bench_chain_spatial(50);
  hn_system *sys = bench_compile(model, "relative"), *small = bench_compile(part, "relative");
  hn_sim *sim = bench_sim(sys, "standard", 1e-3);
  char title[32];
  snprintf(title, sizeof title, "chain of %d", n);
  row(title, "relative", (double)hn_formulas_cost(small) * n / 50, measure(derivative, sim, rounds),
      roof);
  hn_sim_destroy(sim);
  hn_system_destroy(sys), hn_system_destroy(small);
  hn_model_destroy(model), hn_model_destroy(part);
}

int main(int argc, char **argv) {
  int rounds = (int)bench_argument(argc, argv, "rounds", 15);
  double roof = 1e-9 * 4 * CHAINS * TURNS / measure(multiply_add, NULL, rounds);
  printf("Sums and products in registers: %.1f billion a second. Reading 256 kB again and again: "
         "%.0f GB/s,\n256 MB: %.0f GB/s.\n\n",
         roof, bandwidth(256L << 10, rounds), bandwidth(256L << 20, rounds));
  printf("| mechanism | code | operations | ns per evaluation | billion a second | of the roof |\n"
         "|---|---|---:|---:|---:|---:|\n");
  mechanism("four-bar", bench_load("models/four_bar.yaml"), roof, rounds);
  mechanism("Andrews", bench_load("models/andrews.yaml"), roof, rounds);
  mechanism("chain of 5", bench_chain_spatial(5), roof, rounds);
  long_chain(500, roof, rounds);
  long_chain(100000, roof, 5);
  return 0;
}
