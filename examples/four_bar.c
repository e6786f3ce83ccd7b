// four_bar.c: a four-bar linkage described in C and stepped by hand.
//
// A motor turns the crank at 3 rad/s; the follower's angle and the force in the crank's bearing
// are printed over one turn.
#include <holon/holon.h>
#include <math.h>
#include <stdio.h>

// a uniform bar of 1 kg/m from p to q
static hn_body bar(hn_model *model, const char *name, const double p[2], const double q[2]) {
  double x = q[0] - p[0], y = q[1] - p[1];
  hn_shape rod = {.kind = HN_SHAPE_ROD, .length = hypot(x, y), .density = 1};
  hn_body_def def = {.name = name, .kind = HN_PLANAR, .angle = atan2(y, x), .shape = rod};
  def.position[0] = p[0] + x / 2;
  def.position[1] = p[1] + y / 2;
  return hn_add_body(model, &def);
}

static hn_joint pin(hn_model *model, const char *name, hn_body a, hn_body b, const double p[2]) {
  hn_joint_def def = {.name = name, .type = "revolute", .a.body = a, .b.body = b};
  def.at[0] = p[0];
  def.at[1] = p[1];
  return hn_add_joint(model, &def);
}

int main(void) {
  // ground pivots A and D, moving pins B and C
  const double A[2] = {0, 0}, B[2] = {0, 1}, C[2] = {3, 2}, D[2] = {2.5, 0}, pi = acos(-1);
  hn_model *model = hn_model_create();
  hn_model_set_gravity(model, 0, -9.81, 0);
  hn_body crank = bar(model, "crank", A, B), coupler = bar(model, "coupler", B, C);
  hn_body follower = bar(model, "follower", D, C);
  hn_joint a = pin(model, "A", HN_GROUND, crank, A), d = pin(model, "D", HN_GROUND, follower, D);
  pin(model, "B", crank, coupler, B);
  pin(model, "C", coupler, follower, C);
  hn_joint_def motor = {.name = "motor", .type = "driver", .joint_a = "A", .motion = "3*t"};
  hn_add_joint(model, &motor);

  hn_system *system = NULL;
  hn_sim *sim = NULL;
  char message[256] = "";
  hn_status status = hn_compile(&system, model);
  if (!status)
    status = hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message);
  for (int i = 0; i <= 8 && !status; i++) {
    double angle = 0;
    hn_reaction bearing = {0};
    status = hn_advance(sim, i * 2 * pi / 3 / 8);
    if (!status) status = hn_joint_coordinate(sim, d, "angle", &angle, NULL);
    if (!status) status = hn_joint_reaction(sim, a, &bearing);
    printf("t = %5.3f s   follower %+7.4f rad   bearing (%+7.2f, %+7.2f) N\n", hn_time(sim), angle,
           bearing.force[0], bearing.force[1]);
  }
  if (status) fprintf(stderr, "%s: %s%s\n", hn_status_text(status), hn_model_error(model), message);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return status ? 1 : 0;
}
