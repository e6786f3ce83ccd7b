// test_dense_methods.c: methods on whole matrices: bases of the null space, pseudo-inverses,
// removal of rows, and the multipliers they have of their own.
#include "order_rig.h"

// ---- order ---------------------------------------------------------------------------------

// off the constraints the rows of Bricard's mechanism are independent: stages that leave out
// different ones would bring the order down to two
static void orders(void) {
  static const order_case cases[] = {{"four_bar", "reference", 0.5, 5e-3},
                                     {"spatial_slider_crank", "reference", 0.25, 5e-3},
                                     {"rolling_disk", "reference", 0.5, 1e-2},
                                     {"bricard", "reference", 1, 8e-3}};
  static const char *const settings[] = {
      "method=maggi null_basis=qr", "method=maggi null_basis=svd",
      "method=maggi null_basis=lu", "method=maggi null_basis=gram-schmidt",
      "method=udwadia-kalaba",      "method=udwadia-kalaba uk_feedback=on",
      "method=constraint-removal"};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
      double error = NAN, order = order_measure(&cases[c], settings[s], &error);
      CHECK(order > 3.6 && order < 5.3);
      // full digits there: what the basis is does not show
      if (c == 3) CHECK(error < 2e-9);
    }
}

// ---- the choice of a pseudo-inverse --------------------------------------------------------

static void direct_inverses(void) {
  static const char *const words[] = {"sparse", "qr", "svd", "gram-schmidt"};
  static const char *const models[] = {"four_bar", "bricard", "rolling_disk"};
  for (int m = 0; m < 3; m++) {
    static double x[4][ORDER_NUMBERS];
    rig r;
    int count = 0;
    double size = 0;
    if (!rig_load(&r, &(rig_case){models[m], NULL}, "reference")) continue;
    for (int w = 0; w < 4; w++) {
      char settings[128];
      snprintf(settings, sizeof settings, "method=direct-correction direct_inverse=%s", words[w]);
      count = order_run(&r, settings, 5e-3, 0.5, x[w]);
      double difference = rig_difference(x[w], x[0], count, &size);
      printf("  %-14s direct by %-12s differs by %.1e\n", models[m], words[w], difference);
      CHECK(count > 0 && difference < 1e-14);
    }
    // another norm shows
    count = order_run(&r, "method=mass-projection", 5e-3, 0.5, x[1]);
    CHECK(rig_difference(x[1], x[0], count, &size) > 1e-13);
    rig_free(&r);
  }
}

// ---- multipliers of the method -------------------------------------------------------------

typedef struct load {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
  hn_status status;
  char message[300];
} load;

static bool hang(load *h, const char *text, const char *settings) {
  *h = (load){.model = hn_model_create()};
  hn_options *o = hn_model_options(h->model);
  h->status = hn_model_parse(h->model, text, strlen(text), "text");
  if (!h->status && !order_set(o, settings)) h->status = HN_ERR_ARGUMENT;
  if (!h->status) h->status = hn_compile(&h->sys, h->model);
  snprintf(h->message, sizeof h->message, "%s", hn_model_error(h->model));
  if (!h->status) h->status = hn_sim_create(&h->sim, h->sys, o, h->message, sizeof h->message);
  return h->status == HN_OK;
}

static void take_down(load *h) {
  hn_sim_destroy(h->sim);
  hn_system_destroy(h->sys);
  hn_model_destroy(h->model);
}

#define WEIGHT(one, two)                                                                           \
  "gravity: [0, -8]\n"                                                                             \
  "bodies:\n  weight: {type: planar-point, mass: 1}\n"                                             \
  "joints:\n"                                                                                      \
  "  one: {type: spherical, a: ground, b: weight" one "}\n"                                        \
  "  two: {type: spherical, a: ground, b: weight, stiffness: 3" two "}\n"

// a weight of 8 N on two joints, the second three times as stiff
static void own_multipliers(void) {
  static const struct {
    const char *text, *settings;
    double one, two;  // N
  } cases[] = {
      {WEIGHT("", ""), "method=pseudoinverse step=0.01", 2, 6},
      {WEIGHT("", ""), "method=pseudoinverse step=0.01 reactions=method", 4, 4},
      {WEIGHT("", ", remove: all"), "method=constraint-removal step=0.01 reactions=method", 8, 0},
      {WEIGHT(", remove: all", ""), "method=constraint-removal step=0.01 reactions=method", 0, 8},
      {WEIGHT(", remove: y", ", remove: x"), "method=constraint-removal step=0.01 reactions=method",
       0, 8},
      {WEIGHT(", remove: x", ", remove: y"), "method=constraint-removal step=0.01 reactions=method",
       8, 0},
      {WEIGHT("", ", remove: all"), "method=constraint-removal step=0.01", 2, 6},
      {WEIGHT(", remove: x", ", remove: y"),
       "method=constraint-removal step=0.01 reactions=method coordinates=relative", 8, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    load h;
    hn_reaction one = {0}, two = {0};
    if (CHECK(hang(&h, cases[i].text, cases[i].settings)) &&
        CHECK(hn_advance(h.sim, 0.1) == HN_OK) &&
        CHECK(hn_joint_reaction(h.sim, (hn_joint){1}, &one) == HN_OK) &&
        CHECK(hn_joint_reaction(h.sim, (hn_joint){2}, &two) == HN_OK)) {
      CHECK_NEAR(one.force[1], cases[i].one, 1e-9);
      CHECK_NEAR(two.force[1], cases[i].two, 1e-9);
    } else {
      printf("  %s: %s\n", cases[i].settings, h.message);
    }
    take_down(&h);
  }
  // chosen rows: two of the four carry everything
  load h;
  hn_reaction one = {0}, two = {0};
  if (CHECK(hang(&h, WEIGHT("", ""), "method=constraint-removal step=0.01 reactions=method")) &&
      CHECK(hn_joint_reaction(h.sim, (hn_joint){1}, &one) == HN_OK) &&
      CHECK(hn_joint_reaction(h.sim, (hn_joint){2}, &two) == HN_OK)) {
    CHECK_NEAR(one.force[1] + two.force[1], 8, 1e-9);
    CHECK(one.force[1] == 0 || two.force[1] == 0);
  }
  take_down(&h);
}

static void wrong_removals(void) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {WEIGHT("", ", remove: x"), "1 rows are to be removed, but 2 of the model are redundant"},
      {WEIGHT(", remove: x", ", remove: x"), "depend on each other"},
      {WEIGHT("", ", remove: z"), "the joint has no row 'z'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    load h;
    CHECK(!hang(&h, cases[i].text, "method=constraint-removal step=0.01"));
    if (!CHECK(strstr(h.message, cases[i].message) != NULL)) printf("  %s\n", h.message);
    take_down(&h);
  }
}

// ---- Udwadia and Kalaba --------------------------------------------------------------------

// Phi'' + 2 alpha Phi' + beta^2 Phi = 0 with alpha = beta: Phi = a (1 + alpha t) exp(-alpha t);
// without feedback it would stay
static void uk_feedback(void) {
  static const char text[] = "gravity: [0, -9.81]\n"
                             "bodies:\n  bob: {type: planar-point, mass: 1, position: [1, 0]}\n"
                             "joints:\n  rod: {type: distance, a: ground, b: bob, at: [0, 0],"
                             " at_b: [1, 0]}\n";
  static const char *const methods[] = {"udwadia-kalaba", "uk-newmark"};
  for (int m = 0; m < 2; m++)
    for (int on = 0; on < 2; on++) {
      load h;
      char settings[160];
      snprintf(settings, sizeof settings,
               "method=%s uk_feedback=%s alpha=6 beta=6 step=1e-3 coordinates=reference",
               methods[m], on ? "on" : "off");
      if (CHECK(hang(&h, text, settings))) {
        const double q[2] = {1.001, 0}, v[2] = {0};
        CHECK(hn_set_state(h.sim, 0, q, v) == HN_OK);
        for (int k = 1; k <= 4; k++) {
          double t = 0.2 * k;
          CHECK(hn_advance(h.sim, t) == HN_OK);
          const double *x = hn_positions(h.sim);
          double expected = on ? 1e-3 * (1 + 6 * t) * exp(-6 * t) : 1e-3;
          CHECK_NEAR(hypot(x[0], x[1]) - 1, expected, 1e-5);
        }
      }
      take_down(&h);
    }
}

// a coordinate without inertia, force or constraint: [M; J] is deficient. eps keeps it where it
// moves to, and everything else moves as if it were not there; others refuse
static void uk_deficient(void) {
  static const char text[] = "blocks:\n"
                             "  two:\n"
                             "    coordinates: {x: 1, y: {value: 0, velocity: 2}}\n"
                             "    kinetic_energy: 0.5*x.rate^2\n"
                             "    potential: 2*x^2\n";
  load h;
  if (CHECK(hang(&h, text, "method=uk-newmark step=1e-3"))) {
    CHECK(hn_advance(h.sim, 1) == HN_OK);
    CHECK_NEAR(hn_positions(h.sim)[0], cos(2.0), 1e-6);
    CHECK_NEAR(hn_velocities(h.sim)[0], -2 * sin(2.0), 1e-6);
    CHECK_NEAR(hn_velocities(h.sim)[1], 2, 1e-12);
    CHECK_NEAR(hn_positions(h.sim)[1], 2, 1e-12);
  } else {
    printf("  %s\n", h.message);
  }
  take_down(&h);
  CHECK(!hang(&h, text, "method=udwadia-kalaba step=1e-3") && h.status == HN_ERR_SINGULAR);
  take_down(&h);
}

// a constraint force that is not ideal: C = -c v along a wire is the force of the model, and the
// accelerations are those of Udwadia and Kalaba's formula with the term M^-1/2 (1 - B^+ B) M^-1/2 C
static void uk_not_ideal(void) {
  static const char text[] =
      "gravity: [0, -9.81]\n"
      "bodies:\n  bead: {type: planar-point, mass: 2, position: [0.6, -0.8], velocity: [0.8, "
      "0.6]}\n"
      "joints:\n  wire: {type: distance, a: ground, b: bead, at: [0, 0], at_b: [0.6, -0.8]}\n"
      "forces:\n  drag: {type: force, b: bead, force: [-3*bead.vx + 5*bead.x, -3*bead.vy + "
      "5*bead.y]}\n";
  load h;
  if (CHECK(hang(&h, text, "method=udwadia-kalaba step=1e-3 coordinates=reference"))) {
    const double m = 2, n[2] = {0.6, -0.8}, v[2] = {0.8, 0.6}, g[2] = {0, -9.81 * 2};
    double C[2], a[2], along = 0, free_n = 0;
    for (int i = 0; i < 2; i++) C[i] = -3 * v[i] + 5 * n[i];
    // J = n, B = n / sqrt(m), gamma = -v^2 / r; ideal part, then (1 - n n^T) C / m
    for (int i = 0; i < 2; i++) free_n += n[i] * g[i] / m, along += n[i] * C[i];
    for (int i = 0; i < 2; i++) a[i] = g[i] / m + n[i] * (-1 - free_n) + (C[i] - along * n[i]) / m;
    const double *found = hn_accelerations(h.sim);
    for (int i = 0; i < 2; i++) CHECK_NEAR(found[i], a[i], 1e-12);
  } else {
    printf("  %s\n", h.message);
  }
  take_down(&h);
}

int main(void) {
  RUN(orders);
  RUN(direct_inverses);
  RUN(own_multipliers);
  RUN(wrong_removals);
  RUN(uk_feedback);
  RUN(uk_deficient);
  RUN(uk_not_ideal);
  return test_end();
}
