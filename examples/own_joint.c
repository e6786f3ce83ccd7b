// own_joint.c: a bead runs inside a pipe that lies along y: a joint that the library does not have.
//
// It swings across the pipe like a pendulum as long as the pipe is wide, and slides along it
// freely.
#include <math.h>
#include <stdio.h>

#include "own_joint.h"

static const char model[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  bead: {mass: 0.1, inertia: [1e-6, 1e-6, 1e-6], position: [0.002, 0, -2],\n"
    "         velocity: [0, 0.3, 0]}\n"
    "joints:\n"
    "  pipe: {type: point-on-cylinder, a: ground, b: bead, at: [0, 0, 0], at_b: [0.002, 0, -2],\n"
    "         axis: [0, 1, 0], radius: 2}\n";

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

int main(void) {
  char why[256];
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_pose pose = {{0}, {0}, {0}, {0}};
  if (hn_extend_joint(&own_joint, why, sizeof why)) return fail(why);
  hn_model *m = hn_model_create();
  if (hn_model_parse(m, model, sizeof model - 1, "pipe") || hn_compile(&system, m))
    return fail(hn_model_error(m));
  if (hn_sim_create(&sim, system, hn_model_options(m), why, sizeof why)) return fail(why);
  // half a period of small swings
  double half = acos(-1) * sqrt(2 / 9.81);
  if (hn_advance(sim, half)) return fail(hn_sim_error(sim));
  hn_body_pose(sim, hn_find_body(system, "bead"), &pose);
  printf("after %.4f s at x = %.6f m, y = %.6f m\n", half, pose.position[0], pose.position[1]);
  int ok = fabs(pose.position[0] + 0.002) < 1e-6 && fabs(pose.position[1] - 0.3 * half) < 1e-9;
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(m);
  return ok ? 0 : fail("that is not where it should be");
}
