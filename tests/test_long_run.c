// test_long_run.c: a thousand seconds of the four-bar.
//
// What a correction leaves of the violations must not add up: after a million evaluations it is
// still round-off, and the energy has drifted no more than the integrator's order allows.
#include "reference.h"
#include "solver_rig.h"

static void run(const rig *r, const char *method, double h, double end) {
  char message[256];
  hn_sim *sim = NULL;
  hn_options o = r->options;
  snprintf(o.method, sizeof o.method, "%s", method);
  o.step = h;
  if (!CHECK(hn_sim_create(&sim, r->sys, &o, message, sizeof message) == HN_OK)) return;
  double position = 0, velocity = 0, drift = 0;
  hn_status status = HN_OK;
  // looked at every second, not only at the end
  for (double t = 1; t <= end && !status; t++) {
    hn_residuals now;
    hn_energy energy;
    status = hn_advance(sim, t);
    if (!status) status = hn_sim_residuals(sim, &now);
    if (!status) status = hn_sim_energy(sim, &energy);
    if (status) break;
    position = fmax(position, now.position);
    velocity = fmax(velocity, now.velocity);
    drift = fabs(energy.balance) / energy.scale;
  }
  if (!CHECK(status == HN_OK)) printf("  %s: %s\n", method, hn_sim_error(sim));
  printf("%-18s %g s: position %.1e m, velocity %.1e m/s, energy %.1e\n", method, end, position,
         velocity, drift);
  // bars of 4 m, joints at 10 m/s
  CHECK(position < 2e-14);
  CHECK(velocity < 1e-13);
  CHECK(drift < 1e-3);
  hn_sim_destroy(sim);
}

static void test_four_bar(void) {
  static const char *const methods[] = {"direct-correction", "mass-projection"};
  rig r;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  for (int i = 0; i < 2; i++) run(&r, methods[i], 4e-3, run_quickly() ? 100 : 1000);
  rig_free(&r);
}

int main(void) {
  RUN(test_four_bar);
  return test_end();
}
