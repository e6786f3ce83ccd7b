// block.c: a part of the model given by equations, once as formulas and once as a C function.
//
// A bead on a hoop that turns about its vertical diameter: one coordinate, the kinetic energy has a
// part without rates, and above a certain speed the bead climbs.
#include <holon/holon.h>

#include <math.h>
#include <stdio.h>

static const double g = 9.81, omega = 5;

// M a = f for T = (theta'^2 + omega^2 sin^2 theta) / 2, V = -g cos theta
static void bead_equations(void *user, double t, const double *q, const double *v,
                           const hn_block_values *out) {
  (void)user, (void)t, (void)v;
  if (out->mass) out->mass[0] = 1;
  if (!out->force) return;
  out->force[0] = omega * omega * sin(q[0]) * cos(q[0]) - g * sin(q[0]);
  *out->potential = -g * cos(q[0]) - 0.5 * omega * omega * sin(q[0]) * sin(q[0]);
}

// the angle after two seconds; NaN when something was refused
static double angle_after(hn_model *model, const hn_block_def *def) {
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  char message[256] = "";
  double angle = NAN;
  hn_block bead = hn_add_block(model, def);
  if (bead.id > 0 && hn_compile(&system, model) == HN_OK &&
      hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message) == HN_OK &&
      hn_advance(sim, 2) == HN_OK)
    hn_block_coordinate(sim, bead, "theta", &angle, NULL);
  else
    printf("%s%s\n", hn_model_error(model), message);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  return angle;
}

int main(void) {
  const hn_coordinate_def theta = {.name = "theta", .value = 0.3, .unit = "rad"};
  hn_model *formulas = hn_model_create(), *function = hn_model_create();
  hn_model_set_parameter(formulas, "g", g);
  hn_model_set_parameter(formulas, "omega", omega);
  double a = angle_after(
      formulas, &(hn_block_def){.name = "bead",
                                .coordinates = &theta,
                                .coordinate_count = 1,
                                .kinetic_energy = "0.5*(theta.rate^2 + omega^2*sin(theta)^2)",
                                .potential = "-g*cos(theta)"});
  double b = angle_after(function, &(hn_block_def){.name = "bead",
                                                   .coordinates = &theta,
                                                   .coordinate_count = 1,
                                                   .equations = bead_equations});
  printf("bead after 2 s: %.9f rad by formulas, %.9f rad by a function\n", a, b);
  hn_model_destroy(formulas);
  hn_model_destroy(function);
  return fabs(a - b) < 1e-9 ? 0 : 1;
}
