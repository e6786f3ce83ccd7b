// modes.c: where a mechanism comes to rest, and how it swings there.
//
// Two equal bars hung one on the other swing with omega^2 = (3 -+ 6/sqrt(7)) g / length; the
// friction between them changes that little.
#include <holon/holon.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char model_text[] = "gravity: [0, -9.81]\n"
                                 "bodies:\n"
                                 "  up: {type: planar, mass: 1, shape: {rod: {length: 1}},\n"
                                 "    position: [0.5, 0], frames: {end: [0.5, 0]}}\n"
                                 "  low: {type: planar, mass: 1, shape: {rod: {length: 1}},\n"
                                 "    position: [1.5, 0], frames: {top: [-0.5, 0]}}\n"
                                 "joints:\n"
                                 "  A: {type: revolute, a: ground, b: up, at: [0, 0]}\n"
                                 "  B: {type: revolute, a: up.end, b: low.top}\n"
                                 "forces:\n"
                                 "  rub: {type: friction, joint: B, viscous: 0.05}\n";

static int failed(const char *why) {
  fprintf(stderr, "%s\n", why);
  return 1;
}

int main(void) {
  char message[256];
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  if (hn_model_parse(model, model_text, strlen(model_text), "double pendulum"))
    return failed(hn_model_error(model));
  // analyses work in the coordinates of the bodies
  hn_options *options = hn_model_options(model);
  if (hn_options_set(options, "coordinates", "reference", message, sizeof message))
    return failed(message);
  if (hn_compile(&system, model)) return failed(hn_model_error(model));
  if (hn_sim_create(&sim, system, options, message, sizeof message)) return failed(message);

  // the sim is at the equilibrium afterwards
  hn_equilibrium rest;
  if (hn_statics(sim, HN_REST, &rest, NULL)) return failed(hn_sim_error(sim));
  printf("found in %d iterations, %s\n", rest.iterations,
         rest.stability == HN_STABLE ? "stable" : "not stable");

  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  if (hn_linearise(sim, &linear)) return failed(hn_sim_error(sim));
  if (hn_modes_create(&modes, linear)) return failed("no eigenvalues");
  int code = rest.stability == HN_STABLE && modes->count == 2 ? 0 : 1;
  for (int i = 0; i < modes->count; i++) {
    const hn_mode *mode = &modes->mode[i];
    double exact = sqrt((3 + (i ? 6 : -6) / sqrt(7)) * 9.81) / (2 * 3.14159265358979323846);
    printf("mode %d: %.4f Hz, damping %.4f; without friction %.4f Hz\n", i + 1, mode->natural,
           mode->damping, exact);
    if (fabs(mode->natural / exact - 1) > 1e-3) code = 1;
  }
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return code;
}
