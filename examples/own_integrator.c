// own_integrator.c: a four-bar linkage by an integrator that the library does not have: with half
// the step an eighth of the error.
#include <math.h>
#include <stdio.h>

#include "own_integrator.h"

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

// the first coordinate after a while
static int run(const hn_system *system, hn_options options, const char *integrator, double step,
               double *x) {
  char why[256];
  hn_sim *sim = NULL;
  snprintf(options.integrator, sizeof options.integrator, "%s", integrator);
  options.step = step;
  if (hn_sim_create(&sim, system, &options, why, sizeof why)) return fail(why);
  if (hn_advance(sim, 0.5)) return fail(hn_sim_error(sim));
  *x = hn_positions(sim)[0];
  hn_sim_destroy(sim);
  return 0;
}

int main(void) {
  char why[256];
  double exact, coarse, fine;
  hn_system *system = NULL;
  if (hn_extend_integrator(&own_integrator, why, sizeof why)) return fail(why);
  hn_model *m = hn_model_create();
  if (hn_model_load(m, "models/four_bar.yaml") || hn_compile(&system, m))
    return fail(hn_model_error(m));
  hn_options options = *hn_model_options(m);
  snprintf(options.method, sizeof options.method, "mass-projection");
  if (run(system, options, "rk4", 1e-4, &exact) || run(system, options, "ralston", 4e-3, &coarse) ||
      run(system, options, "ralston", 2e-3, &fine))
    return 1;
  double ratio = fabs(coarse - exact) / fabs(fine - exact);
  printf("errors %.2e and %.2e: %.1f times less\n", coarse - exact, fine - exact, ratio);
  hn_system_destroy(system);
  hn_model_destroy(m);
  return ratio > 6 && ratio < 10 ? 0 : fail("that is not order 3");
}
