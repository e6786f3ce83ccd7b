// control.c: a 1 kHz control loop from C. The double wishbone with a force of the caller between
// wheel and chassis: every millisecond an input is set from what was measured, and one step is
// made.
//
//   control MODEL [loops=20000] [limit=50]
//
// Every round is one step: nothing is audited on the way, and no step is shortened to where a force
// switches.
//
// Prints how long one round took, median, 99 %, 99.9 % and longest [us], on the wall and in
// processor time of the thread, which leaves out what else the machine was busy with, but not what
// that did to the caches. Between the rounds as much time goes into sums in registers, which touch
// nothing: what they take longer than their median is the machine's own doing. Fails when 99.9 % of
// the steps, in time of the thread, are above the limit and those sums are not (limit=0: none). All
// rounds do the same work: scripts/profile.sh and callgrind tell how much.
#include "model/model.h"
#include "models.h"

static hn_sim *make(const char *path, hn_system **system, hn_model **model) {
  char message[256];
  hn_sim *sim = NULL;
  *model = bench_load(path);
  hn_options *o = hn_model_options(*model);
  static const char *const set[][2] = {
      {"method", "standard"}, {"integrator", "rk4"},  {"step", "1e-3"},
      {"verify", "off"},      {"audit_steps", "off"}, {"events", "off"},
  };
  for (size_t i = 0; i < sizeof set / sizeof *set; i++)
    if (hn_options_set(o, set[i][0], set[i][1], message, sizeof message))
      bench_fail(set[i][0], message);
  hn_signal_def input = {.name = "push", .input_given = true};
  hn_force_def force = {.name = "push_on_wheel", .type = "force", .components = {"0", "0", "push"}};
  if (hn_add_signal(*model, &input)) bench_fail(path, hn_model_error(*model));
  force.b.body.id = hn_model_find_body(*model, "upright");
  if (hn_add_force(*model, &force).id < 0 || hn_compile(system, *model))
    bench_fail(path, hn_model_error(*model));
  if (hn_sim_create(&sim, *system, o, message, sizeof message)) bench_fail(path, message);
  return sim;
}

enum { WALL, THREAD, SUMS, KINDS };

// sums in registers, one after the other
static double add_up(long count) {
  double x = 1;
  for (long i = 0; i < count; i++) x = 0.5 * x + 0.25;
  return x;
}

// how many of them take as long [s]
static long sums_in(double time) {
  enum { TRY = 10000000 };
  volatile double sink;
  double began = bench_clock(CLOCK_THREAD_CPUTIME_ID);
  sink = add_up(TRY);
  (void)sink;
  return (long)(TRY * time / (bench_clock(CLOCK_THREAD_CPUTIME_ID) - began));
}

int main(int argc, char **argv) {
  int loops = (int)bench_argument(argc, argv, "loops", 20000);
  double limit = bench_argument(argc, argv, "limit", 50);
  if (argc < 2 || loops < 1000) bench_fail("usage", "control MODEL [loops=20000] [limit=50]");
  hn_system *system = NULL;
  hn_model *model = NULL;
  hn_sim *sim = make(argv[1], &system, &model);
  int push = hn_input_find(system, "push");
  double *took[KINDS];
  for (int k = 0; k < KINDS; k++)
    if (!(took[k] = malloc((size_t)loops * sizeof(double)))) bench_fail("control", "out of memory");
  long sums = sums_in(1e-5);
  volatile double sink;
  for (int i = 0; i < loops; i++) {
    double began = bench_clock(CLOCK_MONOTONIC), busy = bench_clock(CLOCK_THREAD_CPUTIME_ID);
    // damp the first velocity
    if (hn_input_set(sim, push, -50 * hn_velocities(sim)[0] + 20 * sin(0.01 * i)) ||
        hn_advance(sim, (i + 1) * 1e-3))
      bench_fail("control", hn_sim_error(sim));
    took[THREAD][i] = 1e6 * (bench_clock(CLOCK_THREAD_CPUTIME_ID) - busy);
    took[WALL][i] = 1e6 * (bench_clock(CLOCK_MONOTONIC) - began);
    busy = bench_clock(CLOCK_THREAD_CPUTIME_ID);
    sink = add_up(sums);
    (void)sink;
    took[SUMS][i] = 1e6 * (bench_clock(CLOCK_THREAD_CPUTIME_ID) - busy);
  }
  static const char *const name[KINDS] = {"a step, wall", "a step, thread", "sums, thread"};
  double worst[KINDS];
  printf("| [us] | median | 99 %% | 99.9 %% | longest |\n|---|---|---|---|---|\n");
  for (int k = 0; k < KINDS; k++) {
    const double *x = took[k];
    qsort(took[k], (size_t)loops, sizeof(double), bench_ascending);
    worst[k] = x[(int)(0.999 * loops)];
    printf("| %s | %.1f | %.1f | %.1f | %.1f |\n", name[k], x[loops / 2], x[(int)(0.99 * loops)],
           worst[k], x[loops - 1]);
    free(took[k]);
  }
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return limit > 0 && worst[THREAD] > limit && worst[SUMS] <= limit;
}
