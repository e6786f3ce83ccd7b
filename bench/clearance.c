// clearance.c: what it costs to run a slider-crank whose guide has play, for two seconds.
//
// The mechanism of P. Flores, R. Leine and Ch. Glocker (Multibody Syst. Dyn. 23, 2010): the block
// strikes the walls of its guide with its corners, rigid, some 750 times a second. Processor time
// of the run alone, the least and the median of several; wanted: 100 ms.
//
//   clearance [runs=9] [rtol=1e-6]
#include "bench.h"

#include <holon/holon.h>

static const char text[] =
    "bodies:\n"
    "  crank: {type: planar, mass: 0.038, inertia: 7.4e-5, com: [0.0765, 0], angular_velocity: "
    "150}\n"
    "  rod: {type: planar, mass: 0.038, inertia: 5.9e-4, position: [0.153, 0], com: [0.153, 0],\n"
    "        velocity: [0, 22.95], angular_velocity: -75}\n"
    "  block: {type: planar, mass: 0.076, inertia: 2.7e-6, position: [0.459, 0]}\n"
    "joints:\n"
    "  O: {type: revolute, b: crank, at: [0, 0]}\n"
    "  A: {type: revolute, a: crank, b: rod, at: [0.153, 0]}\n"
    "  B: {type: revolute, a: rod, b: block, at: [0.459, 0]}\n"
    "  guide: {type: clearance-prismatic, b: block, at: [0.459, 0], axis: [1, 0, 0], clearance: "
    "0.001,\n"
    "          length: 0.1, height: 0.05, restitution: 0.4}\n";

// seconds of one run; below zero: it failed, and said so
static double once(const char *integrator, double rtol, hn_summary *summary, int *impacts) {
  char message[300] = "";
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  double time = -1;
  hn_status status = hn_model_parse(model, text, strlen(text), "slider-crank");
  hn_options *o = hn_model_options(model);
  snprintf(o->integrator, sizeof o->integrator, "%s", integrator);
  snprintf(o->verify, sizeof o->verify, "off");
  o->rtol = rtol;
  if (!status) status = hn_compile(&system, model);
  if (!status) status = hn_sim_create(&sim, system, o, message, sizeof message);
  if (!status) {
    bench_time start = bench_now();
    status = hn_advance(sim, 2);
    time = status ? -1 : bench_since(start).cpu;
    *impacts = hn_sim_impact_count(sim);
    hn_sim_summary(sim, summary);
  }
  if (status) printf("%s %s %s\n", hn_model_error(model), message, sim ? hn_sim_error(sim) : "");
  hn_sim_destroy(sim), hn_system_destroy(system), hn_model_destroy(model);
  return time;
}

int main(int argc, char **argv) {
  static const char *const integrators[] = {"dop853", "dopri5"};
  enum { MOST = 99 };
  int runs = (int)bench_argument(argc, argv, "runs", 9);
  double rtol = bench_argument(argc, argv, "rtol", 1e-6), t[MOST];
  if (runs < 1 || runs > MOST) return printf("runs: 1 to %d\n", MOST), 2;
  printf("| integrator | impacts | steps | evaluations | least | median |\n"
         "|---|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < 2; i++) {
    hn_summary s = {0};
    int impacts = 0;
    for (int k = 0; k < runs; k++)
      if ((t[k] = once(integrators[i], rtol, &s, &impacts)) < 0) return 1;
    double median = bench_median(t, runs);  // t is sorted then
    printf("| %s | %d | %ld | %ld | %.0f ms | %.0f ms |\n", integrators[i], impacts, (long)s.steps,
           (long)s.evaluations, 1e3 * t[0], 1e3 * median);
  }
  return 0;
}
