// pendulum.c: a model read from text, run whole, its result looked at.
//
// The period of a bar let go from the horizontal is compared with the exact one,
// 4 sqrt(2 L / 3 g) K(sin 45 deg), where the elliptic integral K is 1.8540746773013719.
#include <holon/holon.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "name: pendulum\n"
                           "parameters: {length: 1}\n"
                           "gravity: [0, -9.81]\n"
                           "simulation: {duration: 4, rtol: 1e-9, output_step: 1e-3}\n"
                           "bodies:\n"
                           "  bar:\n"
                           "    type: planar\n"
                           "    mass: 2\n"
                           "    shape: {rod: {length: length}}\n"
                           "    position: [length/2, 0]\n"
                           "joints:\n"
                           "  hinge: {type: revolute, a: ground, b: bar, at: [0, 0]}\n";

// the second time the bar comes to rest, by linear interpolation between rows
static double period(const hn_result *result) {
  int rate = hn_result_find(result, "hinge.angle_rate"), turns = 0;
  for (int i = 1; rate >= 0 && i + 1 < hn_result_rows(result); i++) {
    const double *p = hn_result_row(result, i), *q = hn_result_row(result, i + 1);
    if (p[rate] * q[rate] <= 0 && ++turns == 2)
      return p[0] + (q[0] - p[0]) * p[rate] / (p[rate] - q[rate]);
  }
  return NAN;
}

int main(void) {
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  char message[256] = "";
  hn_status status = hn_model_parse(model, text, strlen(text), "pendulum.c");
  if (!status) status = hn_compile(&system, model);
  if (!status)
    status = hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message);
  if (!status) status = hn_run(sim, &result, NULL, NULL);

  double exact = 4 * sqrt(2.0 / 3 / 9.81) * 1.8540746773013719, found = period(result);
  printf("%d rows of %d columns\n", hn_result_rows(result), hn_result_columns(result));
  printf("period found %.7f s\n       exact %.7f s\n", found, exact);
  if (status) fprintf(stderr, "%s: %s%s\n", hn_status_text(status), hn_model_error(model), message);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return fabs(found - exact) < 1e-6 ? 0 : 1;
}
