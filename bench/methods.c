// methods.c: what a step of every method costs, relative to `standard` (multipliers alone, RK4).
//
// All methods take the same steps on the same mechanisms from the same state; those with error
// control get so loose a tolerance that they use the step given. A dash stands for a method that
// does not apply to a mechanism or fails on it. A step so slow that it takes a good part of a
// second is timed once: its ratio to `standard` is in the hundreds anyway.
//
//   methods [steps=200] [rounds=9]
#include "models.h"

typedef struct mechanism {
  const char *name, *path;
  double step;
} mechanism;

static const mechanism mechanisms[] = {
    {"four-bar", "models/four_bar.yaml", 1e-3},
    {"slider-crank", "models/spatial_slider_crank.yaml", 1e-3},
    {"Andrews", "models/andrews.yaml", 1e-5},
    {"40 four-bars", "models/n_four_bar_40.yaml", 1e-3},
};
enum { MECHANISMS = sizeof mechanisms / sizeof mechanisms[0], METHODS = BENCH_ITEMS };
enum { SHORT = 20 };                 // runs of so few steps go on from where they are
static const double LONGEST = 0.02;  // [s] of a run
static const double SLOW = 0.1;      // [s] of a step that is timed once

// one method on one mechanism
typedef struct entry {
  hn_sim *sim;  // NULL: not possible
  double *q0, *v0;
  int steps;
  double once;  // [s] of a slow step, else 0
  bool failed;
} entry;

static double *copy(const double *x, int n) {
  double *y = (double *)malloc(((size_t)n + 1) * sizeof *y);
  if (!y) bench_fail("methods", "out of memory");
  memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

// back to the start now and then: some methods drift
static void run(void *user, long repeat) {
  entry *e = (entry *)user;
  for (long r = 0; r < repeat && !e->failed; r++) {
    if (e->steps > SHORT) e->failed = hn_set_state(e->sim, 0, e->q0, e->v0);
    for (int i = 0; i < e->steps && !e->failed; i++) e->failed = hn_step(e->sim);
  }
}

static entry start(const hn_system *system, const mechanism *m, const char *method, int steps) {
  entry e = {.steps = 1};
  char message[256] = "";
  hn_options o = hn_options_default();
  snprintf(o.method, sizeof o.method, "%s", method);
  o.step = m->step;
  o.rtol = 1e-2;
  if (hn_sim_create(&e.sim, system, &o, message, sizeof message)) return e;
  e.q0 = copy(hn_positions(e.sim), hn_system_nq(system));
  e.v0 = copy(hn_velocities(e.sim), hn_system_nv(system));
  // dense methods on large systems take so long that a few steps must do
  bench_time begin = bench_now();
  run(&e, 1);
  double first = bench_since(begin).cpu, most = LONGEST / first;
  if (first > SLOW) {
    e.once = first;
    return e;
  }
  e.steps = most >= steps ? steps : most > 1 ? (int)most : 1;
  run(&e, 1);
  return e;
}

static void finish(entry *e) {
  hn_sim_destroy(e->sim);
  free(e->q0), free(e->v0);
}

// nanoseconds per step of every method, NAN where it is not possible
static void measure(const mechanism *m, int count, int steps, int rounds, double *ns) {
  static entry entries[METHODS];
  static bench_item item[METHODS];
  hn_model *model = bench_load(m->path);
  hn_system *system = bench_compile(model, "reference");
  int items = 0;
  for (int i = 0; i < count; i++) {
    entries[i] = start(system, m, hn_method_at(i)->name, steps);
    if (entries[i].sim && !entries[i].failed && entries[i].once == 0)
      item[items++] = (bench_item){hn_method_at(i)->name, run, &entries[i], 0, {0, 0}};
  }
  bench_compare(item, items, rounds, 0.01);
  for (int i = 0; i < count; i++)
    ns[i] = entries[i].once > 0 && !entries[i].failed ? 1e9 * entries[i].once : NAN;
  for (int i = 0; i < items; i++) {
    const entry *e = (const entry *)item[i].user;
    if (!e->failed) ns[e - entries] = 1e9 * item[i].one.cpu / e->steps;
  }
  for (int i = 0; i < count; i++) finish(&entries[i]);
  hn_system_destroy(system);
  hn_model_destroy(model);
}

int main(int argc, char **argv) {
  static double ns[MECHANISMS][METHODS];
  int steps = (int)bench_argument(argc, argv, "steps", 200);
  int rounds = (int)bench_argument(argc, argv, "rounds", 9);
  int count = 0, standard = 0;
  while (count < METHODS && hn_method_at(count)) {
    if (strcmp(hn_method_at(count)->name, "standard") == 0) standard = count;
    count++;
  }
  printf("Time of a step relative to `standard`, reference coordinates.\n\n| method |");
  for (int m = 0; m < MECHANISMS; m++) {
    measure(&mechanisms[m], count, steps, rounds, ns[m]);
    printf(" %s |", mechanisms[m].name);
  }
  printf("\n|---|");
  for (int m = 0; m < MECHANISMS; m++) printf("---:|");
  printf("\n");
  for (int i = 0; i < count; i++) {
    printf("| `%s` |", hn_method_at(i)->name);
    for (int m = 0; m < MECHANISMS; m++)
      if (isnan(ns[m][i]))
        printf(" - |");
      else
        printf(" %.2f |", ns[m][i] / ns[m][standard]);
    printf("\n");
  }
  printf("| ns per step of `standard` |");
  for (int m = 0; m < MECHANISMS; m++) printf(" %.0f |", ns[m][standard]);
  printf("\n");
  return 0;
}
