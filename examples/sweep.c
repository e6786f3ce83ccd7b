// sweep.c: one compiled system, many runs.
//
// A system is immutable, so each run is a sim of its own and could have a thread of its own. Here a
// pendulum (mass point, 1 m) is let go at different angles; its period is compared with the exact
// one, 2 pi sqrt(L/g) / agm(1, cos(angle/2)).
#include <holon/holon.h>
#include <math.h>
#include <stdio.h>

static double exact(double angle) {
  double a = 1, g = cos(angle / 2);
  for (int i = 0; i < 8; i++) {
    double mean = (a + g) / 2;
    g = sqrt(a * g);
    a = mean;
  }
  return 2 * acos(-1) * sqrt(1 / 9.81) / a;
}

// twice the time from one side to the other, where the angular momentum changes its sign
static double period(const hn_system *system, double angle) {
  hn_options options = hn_options_default();
  options.rtol = 1e-10;
  hn_sim *sim;
  if (hn_sim_create(&sim, system, &options, NULL, 0)) return NAN;
  double found = NAN, t0 = 0, l0 = 0;
  hn_status status = hn_set_state(sim, 0, (double[]){sin(angle), -cos(angle)}, (double[]){0, 0});
  while (!status && isnan(found) && hn_time(sim) < 20) {
    status = hn_advance(sim, hn_time(sim) + 1e-3);
    const double *q = hn_positions(sim), *v = hn_velocities(sim);
    double t = hn_time(sim), l = q[0] * v[1] - q[1] * v[0];
    if (l0 < 0 && l >= 0) found = 2 * (t0 - l0 * (t - t0) / (l - l0));
    t0 = t, l0 = l;
  }
  hn_sim_destroy(sim);
  return found;
}

int main(void) {
  hn_model *model = hn_model_create();
  hn_model_set_gravity(model, 0, -9.81, 0);
  hn_body_def ball = {.name = "ball", .kind = HN_PLANAR_POINT, .mass = 1, .position = {0, -1}};
  hn_joint_def rod = {.name = "rod", .type = "distance", .a.body = HN_GROUND, .at_b = {0, -1}};
  rod.b.body = hn_add_body(model, &ball);
  hn_add_joint(model, &rod);
  hn_system *system = NULL;
  double worst = hn_compile(&system, model) ? NAN : 0;
  if (!system) fprintf(stderr, "%s\n", hn_model_error(model));
  printf("angle [deg]   period [s]    exact [s]\n");
  for (int degrees = 10; system && degrees <= 170; degrees += 40) {
    double angle = degrees * acos(-1) / 180, found = period(system, angle);
    printf("%11d   %.8f    %.8f\n", degrees, found, exact(angle));
    if (!(fabs(found - exact(angle)) <= worst)) worst = fabs(found - exact(angle));
  }
  hn_system_destroy(system);
  hn_model_destroy(model);
  return worst < 1e-6 ? 0 : 1;
}
