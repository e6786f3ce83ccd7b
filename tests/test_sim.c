// test_sim.c: running a system: no heap in the loop, same bits every time, last good state kept,
// energy balance of driven and damped models, reactions, holds.
#include "heap.h"
#include "test.h"

#include <holon/holon.h>
#include <stdlib.h>

// ---- helpers -------------------------------------------------------------------------------

static hn_system *compile_text(const char *text, hn_options *options) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_status status = hn_model_parse(m, text, strlen(text), "test");
  if (!status) {
    *options = *hn_model_options(m);
    status = hn_compile(&sys, m);
  }
  if (status) printf("  %s\n", hn_model_error(m));
  hn_model_destroy(m);
  return sys;
}
static hn_system *compile_file(const char *path, hn_options *options) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_status status = hn_model_load(m, path);
  if (!status) {
    *options = *hn_model_options(m);
    status = hn_compile(&sys, m);
  }
  if (status) printf("  %s\n", hn_model_error(m));
  hn_model_destroy(m);
  return sys;
}
static hn_sim *start(const hn_system *sys, const hn_options *options) {
  char message[512];
  hn_sim *sim = NULL;
  if (hn_sim_create(&sim, sys, options, message, sizeof message)) printf("  %s\n", message);
  return sim;
}

// ---- tests ---------------------------------------------------------------------------------

static void test_no_heap_while_stepping(void) {
  const char *files[] = {"models/four_bar.yaml", "models/spatial_slider_crank.yaml",
                         "models/bricard.yaml", "models/flyball_governor.yaml",
                         "models/iltis_suspension.yaml"};
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++)
    for (int m = 0; hn_method_at(m); m++) {
      hn_options o;
      hn_system *sys = compile_file(files[f], &o);
      if (!CHECK(sys != NULL)) return;
      snprintf(o.method, sizeof o.method, "%s", hn_method_at(m)->name);
      o.step = 1e-4;
      char message[512];
      hn_sim *sim = NULL;
      // a method may refuse a model; what it accepts it must run without the heap
      if (hn_sim_create(&sim, sys, &o, message, sizeof message) == HN_OK) {
        long before = heap_calls;
        hn_status status = hn_advance(sim, 2e-3);
        long calls = heap_calls - before;
        if (!CHECK(status == HN_OK || status == HN_ERR_DIVERGED))
          printf("  %s %s: %s\n", files[f], o.method, hn_sim_error(sim));
        // KLU takes memory where it has to choose new pivots, as it does here once for this
        // formulation
        bool pivots = strcmp(o.method, "implicit-partitioning") == 0 ||
                      strcmp(o.method, "modified-state-space") == 0;
        if (COUNT_HEAP && !CHECK(calls <= (pivots ? 17 : 0)))
          printf("  %s %s: %ld calls\n", files[f], o.method, calls);
      }
      hn_sim_destroy(sim);
      hn_system_destroy(sys);
    }
}

// without options a run is one with the defaults
static void test_no_options(void) {
  hn_options o, defaults = hn_options_default();
  hn_system *sys = compile_file("models/four_bar.yaml", &o);
  if (!CHECK(sys != NULL)) return;
  hn_sim *bare = start(sys, NULL), *told = start(sys, &defaults);
  if (CHECK(bare && told)) {
    CHECK(!hn_advance(bare, 0.5) && !hn_advance(told, 0.5));
    CHECK(hn_positions(bare)[0] == hn_positions(told)[0]);
  }
  hn_sim_destroy(bare), hn_sim_destroy(told), hn_system_destroy(sys);
}

static void test_same_bits(void) {
  hn_options o;
  hn_system *sys = compile_file("models/four_bar.yaml", &o);
  if (!CHECK(sys != NULL)) return;
  hn_sim *a = start(sys, &o), *b = start(sys, &o);
  CHECK(hn_advance(a, 1) == HN_OK);
  CHECK(hn_advance(b, 1) == HN_OK);
  CHECK(memcmp(hn_positions(a), hn_positions(b), (size_t)hn_system_nq(sys) * sizeof(double)) == 0);
  CHECK(memcmp(hn_velocities(a), hn_velocities(b), (size_t)hn_system_nv(sys) * sizeof(double)) ==
        0);
  hn_sim_destroy(a), hn_sim_destroy(b);
  hn_system_destroy(sys);
}

// asking for energies and reactions must not change the motion
static void test_looking_changes_nothing(void) {
  hn_options o;
  hn_system *sys = compile_file("models/four_bar.yaml", &o);
  if (!CHECK(sys != NULL)) return;
  hn_sim *a = start(sys, &o), *b = start(sys, &o);
  for (int i = 0; i < 20; i++) {
    hn_energy e;
    hn_residuals r;
    hn_pose p;
    CHECK(hn_step(a) == HN_OK && hn_step(b) == HN_OK);
    CHECK(hn_sim_energy(b, &e) == HN_OK && hn_sim_residuals(b, &r) == HN_OK);
    CHECK(hn_body_pose(b, (hn_body){1}, &p) == HN_OK);
  }
  CHECK(hn_time(a) == hn_time(b));
  CHECK(hn_advance(a, 1) == HN_OK && hn_advance(b, 1) == HN_OK);
  for (int i = 0; i < hn_system_nq(sys); i++) CHECK(hn_positions(a)[i] == hn_positions(b)[i]);
  hn_sim_destroy(a), hn_sim_destroy(b);
  hn_system_destroy(sys);
}

// a spring stiff beyond the fixed step: the run must stop, say so, and keep the last good state
static void test_divergence_keeps_state(void) {
  const char *text = "gravity: [0, 0, 0]\n"
                     "bodies:\n"
                     "  mass: {type: planar, mass: 1, inertia: 1, position: [1.1, 0]}\n"
                     "joints:\n"
                     "  slide: {type: prismatic, a: ground, b: mass, axis: [1, 0, 0]}\n"
                     "forces:\n"
                     "  s: {type: spring, a: ground, b: mass, at: [0, 0], at_b: [1.1, 0],"
                     " stiffness: 1e8, free: 1}\n"
                     "simulation: {duration: 1, method: standard, step: 1e-2}\n";
  hn_options o;
  hn_system *sys = compile_text(text, &o);
  if (!CHECK(sys != NULL)) return;
  hn_sim *sim = start(sys, &o);
  hn_result *result = NULL;
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_ERR_DIVERGED);
  CHECK(strstr(hn_sim_error(sim), "unbounded") != NULL);
  CHECK(result && hn_result_rows(result) >= 1);
  for (int i = 0; i < hn_system_nq(sys); i++) CHECK(isfinite(hn_positions(sim)[i]));
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
}

// a driven crank put where it is after several turns: the driver agrees with it
static void test_state_after_turns(void) {
  const char *text = "bodies:\n"
                     "  crank: {mass: 1, inertia: [1, 1, 1], position: [1, 0]}\n"
                     "joints:\n"
                     "  O: {type: revolute, b: crank, at: [0, 0]}\n"
                     "  drive: {type: driver, joint_a: O, motion: 10*t}\n";
  const char *family[] = {"reference", "relative"};
  for (int k = 0; k < 2; k++) {
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    hn_sim *sim[2] = {NULL, NULL};
    char message[256];
    if (!CHECK(hn_model_parse(model, text, strlen(text), "turns") == HN_OK)) return;
    hn_options *o = hn_model_options(model);
    snprintf(o->coordinates, sizeof o->coordinates, "%s", family[k]);
    if (!CHECK(hn_compile(&sys, model) == HN_OK)) return;
    for (int i = 0; i < 2; i++)
      if (!CHECK(hn_sim_create(&sim[i], sys, o, message, sizeof message) == HN_OK)) return;
    CHECK(hn_advance(sim[0], 3) == HN_OK);
    CHECK(hn_set_state(sim[1], 3, hn_positions(sim[0]), hn_velocities(sim[0])) == HN_OK);
    double angle, rate;
    CHECK(hn_joint_coordinate(sim[1], (hn_joint){1}, "angle", &angle, &rate) == HN_OK);
    CHECK_NEAR(angle, 30, 1e-9);
    CHECK(hn_advance(sim[1], 4) == HN_OK);
    CHECK(hn_joint_coordinate(sim[1], (hn_joint){1}, "angle", &angle, &rate) == HN_OK);
    CHECK_NEAR(angle, 40, 1e-9);
    hn_summary summary;
    hn_sim_summary(sim[1], &summary);
    CHECK(summary.audit_pass);
    for (int i = 0; i < 2; i++) hn_sim_destroy(sim[i]);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

// drivers and dampers: kinetic + potential - work must stay constant
static void test_energy_balance_closes(void) {
  const char *text = "gravity: [0, -9.81, 0]\n"
                     "bodies:\n"
                     "  crank: {type: planar, mass: 2, inertia: 0.2, position: [0.5, 0]}\n"
                     "  rod: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
                     "joints:\n"
                     "  O: {type: revolute, a: ground, b: crank, at: [0, 0]}\n"
                     "  P: {type: revolute, a: crank, b: rod, at: [1, 0]}\n"
                     "  drive: {type: driver, joint_a: O, motion: \"0.5*t^2 + 0.3*sin(3*t)\"}\n"
                     "forces:\n"
                     "  d: {type: torsion-spring, joint: P, stiffness: 5, damping: 0.7}\n"
                     "  w: {type: force, b: rod, at: [2, 0], force: [\"sin(2*t)\", 0.5, 0]}\n"
                     "simulation: {duration: 3, rtol: 1e-9}\n";
  hn_options o;
  hn_system *sys = compile_text(text, &o);
  if (!CHECK(sys != NULL)) return;
  hn_sim *sim = start(sys, &o);
  hn_result *result = NULL;
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  hn_energy e;
  CHECK(hn_sim_energy(sim, &e) == HN_OK);
  CHECK(fabs(e.work) > 1);
  CHECK_NEAR(e.balance / e.scale, 0, 1e-7);
  // the driven angle follows its motion exactly
  double angle, rate;
  CHECK(hn_joint_coordinate(sim, (hn_joint){1}, "angle", &angle, &rate) == HN_OK);
  CHECK_NEAR(angle, 4.5 + 0.3 * sin(9), 1e-9);
  CHECK_NEAR(rate, 3 + 0.9 * cos(9), 1e-8);
  hn_summary s;
  hn_sim_summary(sim, &s);
  CHECK(s.audit_pass);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
}

// a hanging pendulum at rest: the hinge carries the weight
static void test_static_reaction(void) {
  const char *text =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  bob: {mass: 3, inertia: [0.1, 0.2, 0.3], position: [0, 0, -1]}\n"
      "joints:\n"
      "  hinge: {type: revolute, a: ground, b: bob, at: [0, 0, 0], axis: [0, 1, 0]}\n";
  const char *coordinates[] = {"reference", "relative", "natural"};
  for (int c = 0; c < 3; c++) {
    hn_model *m = hn_model_create();
    hn_system *sys = NULL;
    char message[256];
    CHECK(hn_model_parse(m, text, strlen(text), "test") == HN_OK);
    hn_options *o = hn_model_options(m);
    CHECK(hn_options_set(o, "coordinates", coordinates[c], message, sizeof message) == HN_OK);
    CHECK(hn_compile(&sys, m) == HN_OK);
    hn_sim *sim = start(sys, o);
    hn_reaction r;
    CHECK(hn_joint_reaction(sim, (hn_joint){1}, &r) == HN_OK);
    CHECK_NEAR(r.force[0], 0, 1e-12);
    CHECK_NEAR(r.force[1], 0, 1e-12);
    CHECK_NEAR(r.force[2], 3 * 9.81, 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(r.torque[i], 0, 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(r.point[i], 0, 1e-12);
    hn_sim_destroy(sim);
    hn_system_destroy(sys);
    hn_model_destroy(m);
  }
}

// rough positions are closed, what is held stays, given rates are met
static void test_assembly_holds(void) {
  const char *text = "gravity: [0, -9.81, 0]\n"
                     "bodies:\n"
                     "  crank: {type: planar, mass: 1, inertia: 0.3, position: [0.5, 0.9],"
                     " angle: 60 deg, frames: {o: [-1, 0], p: [1, 0]}}\n"
                     "  coupler: {type: planar, mass: 2.25, inertia: 2, position: [2.8, 2.5],"
                     " angle: 0.4, frames: {p: [-2, 0], q: [2, 0]}}\n"
                     "  follower: {type: planar, mass: 2.2, inertia: 1.35, position: [3.6, 1.7],"
                     " angle: 1, frames: {d: [-2, 0], q: [2, 0]}}\n"
                     "ground: {frames: {A: [0, 0], D: [2.5, 0]}}\n"
                     "joints:\n"
                     "  A: {type: revolute, a: ground.A, b: crank.o, value: 60 deg, hold: true,"
                     " rate: 2}\n"
                     "  B: {type: revolute, a: crank.p, b: coupler.p}\n"
                     "  C: {type: revolute, a: coupler.q, b: follower.q}\n"
                     "  D: {type: revolute, a: ground.D, b: follower.d}\n";
  hn_options o;
  hn_system *sys = compile_text(text, &o);
  if (!CHECK(sys != NULL)) return;
  const hn_check *check = hn_system_check(sys);
  CHECK(check->position_before > 1e-3);
  CHECK(check->position_after < 1e-12);
  CHECK(check->velocity_after < 1e-12);
  CHECK(check->dof == 1);
  hn_sim *sim = start(sys, &o);
  double angle, rate;
  CHECK(hn_joint_coordinate(sim, (hn_joint){1}, NULL, &angle, &rate) == HN_OK);
  CHECK_NEAR(angle, acos(-1) / 3, 1e-9);
  CHECK_NEAR(rate, 2, 1e-9);
  hn_pose p;
  CHECK(hn_body_pose(sim, (hn_body){2}, &p) == HN_OK);
  // closed form of the same branch
  CHECK_NEAR(p.position[0], 2.823521, 1e-6);
  CHECK_NEAR(p.position[1], 2.553494, 1e-6);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
}

static void test_impossible_assembly(void) {
  const char *text = "bodies:\n"
                     "  a: {type: planar, mass: 1, inertia: 1, position: [0, 0],"
                     " frames: {l: [-1, 0], r: [1, 0]}}\n"
                     "ground: {frames: {P: [0, 0], Q: [5, 0]}}\n"
                     "joints:\n"
                     "  left: {type: revolute, a: ground.P, b: a.l}\n"
                     "  right: {type: revolute, a: ground.Q, b: a.r}\n";
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  CHECK(hn_model_parse(m, text, strlen(text), "gap.yaml") == HN_OK);
  CHECK(hn_compile(&sys, m) == HN_ERR_ASSEMBLY);
  CHECK(strstr(hn_model_error(m), "cannot be closed") != NULL);
  CHECK(strstr(hn_model_error(m), "gap.yaml:") != NULL);
  hn_model_destroy(m);
}

static bool stop_at_once(void *user, double t, double duration) {
  (void)t, (void)duration;
  return ++*(int *)user < 3;
}

static void test_interrupt_keeps_rows(void) {
  hn_options o;
  hn_system *sys = compile_file("models/four_bar.yaml", &o);
  if (!CHECK(sys != NULL)) return;
  hn_sim *sim = start(sys, &o);
  hn_result *result = NULL;
  int calls = 0;
  CHECK(hn_run(sim, &result, stop_at_once, &calls) == HN_ERR_INTERRUPTED);
  CHECK(calls == 3);
  CHECK(hn_result_rows(result) >= 1);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
}

int main(void) {
  RUN(test_state_after_turns);
  RUN(test_no_options);
  RUN(test_no_heap_while_stepping);
  RUN(test_same_bits);
  RUN(test_looking_changes_nothing);
  RUN(test_divergence_keeps_state);
  RUN(test_energy_balance_closes);
  RUN(test_static_reaction);
  RUN(test_assembly_holds);
  RUN(test_impossible_assembly);
  RUN(test_interrupt_keeps_rows);
  return test_end();
}
