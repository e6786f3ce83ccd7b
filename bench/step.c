// step.c: what one hn_step costs where it costs little: a pendulum by Euler's method. The same from
// Python is measured by python_step.py, which runs this program.
#include "bench.h"

#include <stdio.h>

#include "holon/holon.h"

int main(void) {
  enum { STEPS = 20000, TIMES = 15 };
  static const char *const set[][2] = {
      {"method", "standard"}, {"integrator", "euler"}, {"step", "1e-5"}, {"verify", "off"}};
  char message[256];
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  double best = 1e9;
  int example = 0;
  while (hn_example_name(example) && strcmp(hn_example_name(example), "pendulum") != 0) example++;
  const char *text = hn_example_text(example);
  if (!model || !text || hn_model_parse(model, text, strlen(text), "pendulum")) return 1;
  for (int i = 0; i < 4; i++)
    if (hn_options_set(hn_model_options(model), set[i][0], set[i][1], message, sizeof message))
      return 1;
  if (hn_compile(&system, model)) return 1;
  if (hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message)) return 1;
  for (int k = 0; k < TIMES; k++) {
    bench_time began = bench_now();
    for (int i = 0; i < STEPS; i++)
      if (hn_step(sim)) return 1;
    double took = bench_since(began).cpu / STEPS;
    if (took < best) best = took;
  }
  printf("%.1f\n", 1e9 * best);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return 0;
}
