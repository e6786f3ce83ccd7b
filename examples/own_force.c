// own_force.c: a moon circles a planet by a force that the library does not have.
#include <math.h>
#include <stdio.h>

#include "own_force.h"

// k = 8, radius 2, mass 1: speed 2, once round in 2 pi
static const char model[] =
    "bodies:\n"
    "  moon: {type: point, mass: 1, position: [2, 0, 0], velocity: [0, 2, 0]}\n"
    "forces:\n"
    "  gravity: {type: attraction, b: moon, at: [0, 0, 0], at_b: [2, 0, 0], stiffness: 8}\n";

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

int main(void) {
  char why[256];
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_pose pose = {{0}, {0}, {0}, {0}};
  if (hn_extend_force(&own_force, why, sizeof why)) return fail(why);
  hn_model *m = hn_model_create();
  if (hn_model_parse(m, model, sizeof model - 1, "moon") || hn_compile(&system, m))
    return fail(hn_model_error(m));
  if (hn_sim_create(&sim, system, hn_model_options(m), why, sizeof why)) return fail(why);
  double once = 2 * acos(-1);
  if (hn_advance(sim, once)) return fail(hn_sim_error(sim));
  hn_body_pose(sim, hn_find_body(system, "moon"), &pose);
  printf("once round: x = %.9f m, y = %.2g m\n", pose.position[0], pose.position[1]);
  int ok = fabs(pose.position[0] - 2) < 1e-5 && fabs(pose.position[1]) < 1e-5;
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(m);
  return ok ? 0 : fail("that is not once round");
}
