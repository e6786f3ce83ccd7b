// test_staggered.c: the explicit-implicit staggered procedure.
//
// What it exists for, and an explicit integration of the multipliers lacks: the joints' compliance
// may be as small as one likes, rows may become dependent, and the violation is smaller than what
// Baumgarte's feedback leaves with an integrator of the same order.
#include "order_rig.h"
#include "reference.h"

// a point mass held on a line by a joint of compliance epsilon, moving against it: an oscillator
static const rig_case bead = {"Bead",
                              "gravity: [0, 0, 0]\n"
                              "bodies:\n"
                              "  bead: {type: point, mass: 2}\n"
                              "joints:\n"
                              "  rail: {type: point-on-plane, a: ground, b: bead, at: [0, 0, 0]"
                              "}\n"};

// z'' = -z / (m epsilon): the equation of the multipliers, whose frequency the mechanism decides
static void test_compliance(void) {
  rig r;
  if (!rig_load(&r, &bead, "reference")) return;
  const double speed = 0.1, m = 2, pi = acos(-1);
  for (int k = 0; k < 3; k++) {
    r.options.epsilon = pow(10, -3 - 2 * k);
    double w = 1 / sqrt(m * r.options.epsilon), h = 0.02 / w;
    hn_sim *sim = rig_start(&r, "lagrange", "none", "staggered", h);
    if (!sim) return;
    double q[3] = {0, 0, 0}, v[3] = {0.3, 0, speed};
    CHECK(hn_set_state(sim, 0, q, v) == HN_OK);
    CHECK(hn_advance(sim, 0.5 * pi / w) == HN_OK);
    CHECK_REL(hn_positions(sim)[2], speed / w, 0, 1e-3);
    CHECK_NEAR(hn_velocities(sim)[2], 0, 1e-3 * speed);
    // the force is the joint's spring's
    CHECK_REL(fabs(hn_multipliers(sim)[0]), speed / w / r.options.epsilon, 0, 1e-2);
    CHECK(hn_advance(sim, 20 * pi / w) == HN_OK);
    CHECK_NEAR(hn_positions(sim)[2], 0, 0.02 * speed / w);
    hn_sim_destroy(sim);
    // the implicit module lets the compliance be far too stiff for the step: nothing grows
    sim = rig_start(&r, "lagrange", "none", "staggered", 1e4 / w);
    CHECK(hn_set_state(sim, 0, q, v) == HN_OK);
    for (int i = 0; i < 1000; i++) CHECK(hn_step(sim) == HN_OK);
    CHECK(fabs(hn_velocities(sim)[2]) <= 1.0001 * speed);
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// a nonholonomic row has lambda = -psi / epsilon, whose disturbances decay at the rate J M^-1 J^T /
// epsilon; the hard limit takes them away at once
static void test_rate(void) {
  rig r;
  rig_case c = {"knife_edge", NULL};
  if (!rig_load(&r, &c, "reference")) return;
  r.options.epsilon = 2;
  hn_sim *sim = rig_start(&r, "lagrange", "none", "staggered", 1e-4);
  if (!sim) return;
  double q[3], v[3], size[1], t = 0.4;
  memcpy(q, hn_positions(sim), sizeof q);
  memcpy(v, hn_velocities(sim), sizeof v);
  // a sideways disturbance: only a constraint that decays lets it be seen
  hn_eval_jacobian(&sim->stage.work, 0, q, v);
  double J[3], psi0 = 0, free_psi = 0, disturbed_psi = 0;
  hn_jacobian_dense(&sim->stage.work, J);
  hn_row_sizes(&sim->stage.work, size);
  for (int run = 0; run < 2; run++) {
    double u[3];
    for (int i = 0; i < 2; i++) u[i] = v[i] + (run ? 0.05 * J[i] : 0);
    u[2] = 0;  // turning would mix both directions
    CHECK(hn_set_state(sim, 0, q, u) == HN_OK);
    psi0 = sim->stage.work.psi[0] - psi0;
    CHECK(hn_advance(sim, t) == HN_OK);
    hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + 3);
    *(run ? &disturbed_psi : &free_psi) = sim->stage.work.psi[0];
  }
  CHECK_REL((disturbed_psi - free_psi) / psi0, exp(-size[0] / r.options.epsilon * t), 0, 0.02);
  hn_sim_destroy(sim);
  rig_free(&r);
}

// the numbers of an independent program that writes the scheme out (references/staggered.py): with
// steps so long, or joints so soft, another scheme of order two would end elsewhere
static void test_scheme(void) {
  static const struct {
    double step, epsilon, angle;
  } cases[] = {{1e-3, 1e-10, 0.057235253754},
               {4e-3, 1e-10, 0.057262707998},
               {4e-3, 1e-6, 0.063272862527},
               {1e-2, 1e-5, 0.278934355166}};
  rig r;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    r.options.epsilon = cases[i].epsilon;
    hn_sim *sim = rig_start(&r, "lagrange", "none", "staggered", cases[i].step);
    if (!sim) return;
    CHECK(hn_advance(sim, 1) == HN_OK);
    CHECK_NEAR(hn_positions(sim)[2], cases[i].angle, 1e-9);
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// largest error of the crank's angle up to t
static double angle_error(hn_sim *sim, const table *reference, double t) {
  int time = table_find(reference, "t", 1), angle = table_find(reference, "crank_angle", 11);
  double worst = 0;
  for (int k = 0; k < reference->rows && table_row(reference, k)[time] <= t + 1e-9; k++) {
    const double *row = table_row(reference, k);
    if (row[time] < hn_time(sim) || !CHECK(hn_advance(sim, row[time]) == HN_OK)) continue;
    worst = fmax(worst, fabs(hn_positions(sim)[2] - row[angle]));
  }
  return worst;
}

// four-bar linkage in steps of 1 ms. Over its fast place, at 0.55 s, any scheme of order two loses
// digits
static void test_four_bar(void) {
  rig r;
  table reference;
  if (!rig_load(&r, &rig_cases[0], "reference")) return;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return;
  r.options.epsilon = 1e-10;
  hn_sim *sim = rig_start(&r, "lagrange", "none", "staggered", 1e-3);
  if (!sim) return;
  CHECK(angle_error(sim, &reference, 0.45) < 4e-7);
  CHECK(angle_error(sim, &reference, 1) < 1.1e-5);
  CHECK(angle_error(sim, &reference, 10) < 2.2e-4);
  hn_sim_destroy(sim);
  table_free(&reference);
  rig_free(&r);
}

typedef struct course {
  double violation, energy, error;
} course;

// every step of 2 s at 1 ms, and the motion at the ends of tenths of it
static course follow(const rig *r, const char *solver, const char *integrator,
                     double (*exact)[ORDER_NUMBERS]) {
  static double x[ORDER_NUMBERS];
  course c = {0};
  hn_energy e;
  double size;
  hn_sim *sim = rig_start(r, solver, "none", integrator, 1e-3);
  for (int i = 1; sim && i <= 2000; i++) {
    if (!CHECK(hn_step(sim) == HN_OK)) break;
    hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + r->sys->nq);
    for (int k = 0; k < r->sys->rows; k++)
      c.violation = fmax(c.violation, fabs(sim->stage.work.phi[k]));
    hn_stage_left(sim);
    CHECK(hn_sim_energy(sim, &e) == HN_OK);
    c.energy = fmax(c.energy, fabs(e.balance));
    if (i % 200) continue;
    int count = order_state(sim, x);
    c.error = fmax(c.error, rig_difference(x, exact[i / 200 - 1], count, &size));
  }
  hn_sim_destroy(sim);
  return c;
}

// the examples of Marques, Souto and Flores: closer to the motion, and to its energy, than fixed
// gains with an integrator of the same order, which takes twice the work. What is left of the
// energy is what the joints' springs hold, epsilon lambda^2 / 2
static void test_against_feedback(void) {
  static const struct {
    const char *model;
    double violation;  // at most
    double nearer;     // to the motion, at least so many times
  } cases[] = {{"four_bar", 1e-5, 10},
               {"spatial_slider_crank", 5e-4, 20},
               {"five_bar_pendulum_planar", 1e-5, 2},
               {"five_bar_pendulum_spatial", 2e-5, 2}};
  static double exact[10][ORDER_NUMBERS];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    if (!rig_load(&r, &(rig_case){cases[i].model, NULL}, "reference")) continue;
    r.options.epsilon = 1e-10;
    hn_sim *sim = rig_start(&r, "lagrange", "mass", "dop853", 0);
    if (!sim) continue;
    for (int k = 0; k < 10; k++) {
      CHECK(hn_advance(sim, 0.2 * (k + 1)) == HN_OK);
      order_state(sim, exact[k]);
    }
    hn_sim_destroy(sim);
    course ours = follow(&r, "lagrange", "staggered", exact),
           theirs = follow(&r, "baumgarte", "heun", exact);
    printf("%-26s violation %.1e, feedback %.1e; energy %.1e, %.1e; motion %.1e, %.1e\n",
           cases[i].model, ours.violation, theirs.violation, ours.energy, theirs.energy, ours.error,
           theirs.error);
    CHECK(ours.violation < cases[i].violation);
    CHECK(cases[i].nearer * ours.error < theirs.error);
    CHECK(10 * ours.energy < theirs.energy);
    rig_free(&r);
  }
}

static void test_order(void) {
  static const order_case cases[] = {
      {"four_bar", "reference", 0.5, 4e-3},
      {"five_bar_pendulum_planar", "relative", 0.2, 2e-3},
      {"spatial_slider_crank", "reference", 0.2, 2e-3},
      {"heavy_top", "reference", 0.2, 2e-3},
      {"knife_edge", "reference", 0.5, 4e-3},              // nonholonomic
      {"rolling_disk", "reference", 0.2, 2e-3},            // nonholonomic, in space
      {"bricard", "reference", 0.5, 4e-3},                 // redundant
      {"four_bar", "natural", 0.5, 4e-3},                  // singular mass
      {"equations_slider_crank", "reference", 0.2, 1e-3},  // mass that depends on the state
      {"iltis_suspension", "reference", 0.05, 5e-4},       // damped
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double error, order = order_measure(&cases[i], "method=staggered", &error);
    CHECK(order > 1.8 && order < 2.6);
  }
}

// motors turn an arm and a wheel without weight: their work is the energy there is, to round-off
// and the joints' compliance, as the explicit module is the midpoint rule. Of eight rows, so that
// nothing lies between them and what comes behind in memory, which does no work
static void test_work_of_drivers(void) {
  static const char text[] = "gravity: [0, 0]\n"
                             "bodies:\n"
                             "  arm: {type: planar, mass: 3, inertia: 2, position: [0, 1]}\n"
                             "  wheel: {type: planar, mass: 1, inertia: 0.5, position: [2, 0]}\n"
                             "  idle: {type: planar, mass: 1, inertia: 0.1, position: [3, 1]}\n"
                             "joints:\n"
                             "  hub: {type: revolute, a: ground, b: arm, at: [0, 0]}\n"
                             "  pin: {type: revolute, a: ground, b: wheel, at: [2, 0]}\n"
                             "  tip: {type: revolute, a: ground, b: idle, at: [3, 1]}\n"
                             "  motor: {type: driver, joint_a: hub, motion: t^3}\n"
                             "  slow: {type: driver, joint_a: pin, motion: 0.2*t^3}\n";
  rig r;
  if (!rig_load(&r, &(rig_case){"Arm", text}, "reference")) return;
  CHECK(r.sys->rows == 8);
  for (int k = 0; k < 2; k++) {
    r.options.epsilon = k ? 1e-8 : 1e-10;
    hn_sim *sim = rig_start(&r, "lagrange", "none", "staggered", 0.02);
    if (!sim) return;
    hn_energy e;
    CHECK(hn_advance(sim, 1) == HN_OK && hn_sim_energy(sim, &e) == HN_OK);
    printf("work of drivers %.9f J, energy %.9f J\n", sim->state.y[sim->state.w], e.kinetic);
    CHECK_REL(e.kinetic, 4.5 * (5 + 0.02), 0, 0.02);  // (3 t^2)^2 (5 + 0.2^2 0.5)/2
    CHECK_NEAR(sim->state.y[sim->state.w], e.kinetic, 2e3 * r.options.epsilon);
    hn_sim_destroy(sim);
  }
  rig_free(&r);
}

// through configurations where rows become dependent, without any help: one matrix for all
static void test_singular(void) {
  static const char *const models[] = {"n_four_bar_2", "equal_slider_crank", "parallelogram"};
  for (int i = 0; i < 3; i++) {
    rig r;
    rig_case c = {models[i], NULL};
    if (!rig_load(&r, &c, "reference")) continue;
    hn_sim *sim = rig_start(&r, "lagrange", "none", "staggered", 1e-3);
    if (!sim) continue;
    long before = sim->count.regularised;
    double worst = 0;
    for (int k = 1; k <= 50; k++) {
      CHECK(hn_advance(sim, 0.04 * k) == HN_OK);
      hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + r.sys->nq);
      hn_stage_left(sim);
      for (int row = 0; row < r.sys->rows; row++)
        worst = fmax(worst, fabs(sim->stage.work.phi[row]));
    }
    printf("%-24s violation %.1e\n", models[i], worst);
    CHECK(worst < 1e-4);
    CHECK(sim->count.regularised == before);
    hn_sim_destroy(sim);
    rig_free(&r);
  }
}

int main(void) {
  RUN(test_compliance);
  RUN(test_rate);
  RUN(test_scheme);
  RUN(test_four_bar);
  RUN(test_against_feedback);
  RUN(test_work_of_drivers);
  RUN(test_order);
  RUN(test_singular);
  return test_end();
}
