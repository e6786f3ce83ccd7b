// profile.c: steps of one mechanism and nothing else, to be run under a profiler.
//
//   profile MECHANISM COORDINATES METHOD [steps=200] [step=1e-3]
//
// MECHANISM is a model file, or FAMILY:N with one of the families below and N bodies.
// scripts/profile.sh counts the instructions of the steps by phase.
#include "models.h"

static const struct {
  const char *name;
  hn_model *(*build)(int n);
} families[] = {
    {"chain", bench_chain_spatial}, {"planar", bench_chain_planar}, {"tree", bench_tree},
    {"ladder", bench_ladder},       {"star", bench_star},
};

static hn_model *find_model(const char *name) {
  const char *colon = strchr(name, ':');
  for (size_t i = 0; colon && i < sizeof families / sizeof families[0]; i++)
    if (strncmp(families[i].name, name, (size_t)(colon - name)) == 0)
      return families[i].build(atoi(colon + 1));
  return bench_load(name);
}

// what the profiler watches
__attribute__((noinline)) void profile_steps(hn_sim *sim, int steps);
void profile_steps(hn_sim *sim, int steps) {
  for (int i = 0; i < steps; i++)
    if (hn_step(sim)) bench_fail("step", hn_sim_error(sim));
}

int main(int argc, char **argv) {
  if (argc < 4) bench_fail("usage", "profile MECHANISM COORDINATES METHOD [steps=200] [step=1e-3]");
  int steps = (int)bench_argument(argc, argv, "steps", 200);
  hn_model *model = find_model(argv[1]);
  hn_system *system = bench_compile(model, argv[2]);
  hn_sim *sim = bench_sim(system, argv[3], bench_argument(argc, argv, "step", 1e-3));
  hn_summary before, after;
  hn_sim_summary(sim, &before);
  profile_steps(sim, steps);
  hn_sim_summary(sim, &after);
  printf("%d %ld\n", steps, after.evaluations - before.evaluations);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return 0;
}
