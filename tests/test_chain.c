// test_chain.c: chains of many links with a driver in every joint start and move as driven.
//
// Link i turns at the sum of the rates up to it, whatever the number of links.
#include "random_mechanisms.h"

#include <holon/holon.h>

static const double length = 0.1;

static double rate_of(int i) {
  return 1 + 0.01 * i;
}

static void write_chain(mechanism *m, int n, bool space) {
  const char *type = space ? "" : "type: planar, ";
  const char *inertia = space ? "[0.001, 0.001, 0.001]" : "0.001";
  *m = (mechanism){.used = 0};
  put(m, "simulation: {duration: 0.01}\nbodies:\n");
  for (int i = 0; i < n; i++)
    put(m, "  b%d: {%smass: 1, inertia: %s, position: [%.17g, 0]}\n", i, type, inertia,
        (i + 0.5) * length);
  put(m, "joints:\n");
  for (int i = 0; i < n; i++) {
    put(m, "  j%d: {type: revolute, b: b%d, at: [%.17g, 0]", i, i, i * length);
    if (i) put(m, ", a: b%d", i - 1);
    put(m, "%s}\n", space ? ", axis: [0, 0, 1]" : "");
  }
  for (int i = 0; i < n; i++)
    put(m, "  d%d: {type: driver, joint_a: j%d, motion: %.17g*t}\n", i, i, rate_of(i));
}

static void check_chain(int n, const char *coordinates, bool space) {
  static mechanism m;
  char message[512] = "";
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  write_chain(&m, n, space);
  hn_options *o = hn_model_options(model);
  hn_status status = hn_model_parse(model, m.text, m.used, "chain");
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  if (!status) status = hn_compile(&sys, model);
  if (status) snprintf(message, sizeof message, "%s", hn_model_error(model));
  if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
  if (!CHECK(!status))
    printf("  %d links, %s%s: %s\n", n, coordinates, space ? ", in space" : "", message);
  double sum = 0, worst = 0;
  for (int i = 0; !status && i < n; i++) {
    hn_pose pose;
    hn_body_pose(sim, (hn_body){i + 1}, &pose);
    sum += rate_of(i);
    worst = fmax(worst, fabs(pose.angular_velocity[2] - sum) / sum);
  }
  if (!CHECK(worst < 1e-8)) printf("  %d links, %s: off by %.3g\n", n, coordinates, worst);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void test_driven_chains(void) {
  static const int links[] = {10, 100, 200, 250};
  for (int k = 0; k < 4; k++) {
    check_chain(links[k], "reference", k % 2);
    check_chain(links[k], "relative", k % 2);
  }
}

int main(void) {
  RUN(test_driven_chains);
  return test_end();
}
