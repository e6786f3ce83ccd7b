// test_preset_orders.c: every preset shows its order on every kind of model it says it can do.
//
// Planar and spatial linkages, a spinning top, a linkage with redundant rows, rolling without
// slipping and a linkage with a singular mass matrix are run with a step, half of it and a quarter;
// the error against an explicit method of order eight must fall with the order the integrator
// declares. Every preset must show it on at least four of them.
#include "order_rig.h"

typedef struct field {
  const char *model, *coordinates;
  double t;
  unsigned needs;  // what a method must be able to do
} field;

static const field fields[] = {
    {"four_bar", "reference", 0.4, 0},
    {"spatial_slider_crank", "reference", 0.1, 0},
    {"heavy_top", "reference", 0.03, 0},
    {"five_bar_pendulum_planar", "reference", 0.1, 0},
    {"bricard", "reference", 0.4, HN_CAN_REDUNDANT},
    {"rolling_disk", "reference", 0.3, HN_CAN_NONHOLONOMIC},
    {"equations_four_bar", "reference", 0.3, HN_CAN_SINGULAR_MASS},
    {"four_bar", "natural", 0.4, HN_NEEDS_NATURAL},
    {"heavy_top", "natural", 0.03, HN_NEEDS_NATURAL},
    {"five_bar_pendulum_planar", "natural", 0.1, HN_NEEDS_NATURAL},
    {"bricard", "natural", 0.4, HN_NEEDS_NATURAL | HN_CAN_REDUNDANT},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static bool is(const char *name, const char *other) {
  return strcmp(name, other) == 0;
}

// gains of the size 1/h act on the stages: positions keep order two, velocities one
static double declared(const hn_method_info *method, const hn_integrator_type *type) {
  return is(method->name, "baumgarte-rule") ? 1 : type->order;
}

// steps of the longest run, such that few of the errors are round-off
static int steps_for(const hn_method_info *method, int order) {
  if (is(method->name, "moreau")) return 800;  // errors of both signs meet in longer ones
  if (is(method->name, "penalty")) return 50;  // its springs are stiff
  return order == 1 ? 200 : order == 2 ? 60 : order < 5 ? 25 : 10;
}

// feedback of violations below a bound is none: errors fall unevenly, the more steps the better
// seen
static int spread(const hn_method_info *method) {
  return is(method->name, "baumgarte-step") ? 2 : 1;
}

// below this errors are those of round-off, of dependent coordinates solved for to a tolerance, and
// of compliance
static double floor_of(const hn_method_info *method) {
  bool loose = is(method->solver, "penalty") || is(method->correction, "partition");
  return loose ? 1e-10 : is(method->name, "baumgarte-step") ? 0 : 3e-12;
}

static bool run(const rig *r, const field *f, const hn_method_info *method, int steps, double *x,
                int *count, bool *refused) {
  const hn_integrator_type *type = hn_integrator_find(method->integrator);
  char message[512] = "";
  hn_sim *sim = NULL;
  hn_options o = r->options;
  snprintf(o.method, sizeof o.method, "%s", method->name);
  o.step = f->t / steps;
  if (type->adaptive && !type->stands_alone) o.rtol = 0.1;
  o.projection_tol = 1e-13, o.newton_tol = 1e-12;
  // compliance is an error that no step removes
  o.penalty = is(method->solver, "penalty") ? 1e11 : 0;
  o.soft_stiffness = 1e12, o.soft_damping = 1e8;
  // of Newmark's family, one whose error of order 1 is large enough to be seen
  if (type->order == 1) o.rho_inf = 0.3;
  hn_status status = hn_sim_create(&sim, r->sys, &o, message, sizeof message);
  *refused = status == HN_ERR_UNSUPPORTED;
  if (!status) status = hn_advance(sim, f->t);
  if (!*refused && !CHECK(status == HN_OK))
    printf("  %s, %s: %s\n", method->name, f->model, sim ? hn_sim_error(sim) : message);
  *count = status ? 0 : order_state(sim, x);
  hn_sim_destroy(sim);
  return !status;
}

// 1: shown, 0: round-off from the start, or the method refuses the model
static int show(const rig *r, const field *f, const hn_method_info *method, const double *exact,
                int numbers) {
  static double x[ORDER_NUMBERS];
  const hn_integrator_type *type = hn_integrator_find(method->integrator);
  double e[3], size = 0, want = declared(method, type);
  int steps = steps_for(method, type->order), wide = spread(method), count;
  for (int i = 0; i < 3; i++) {
    bool refused;
    if (!run(r, f, method, steps << i * wide, x, &count, &refused)) return 0;
    if (!CHECK(count == numbers)) return 0;
    e[i] = rig_difference(x, exact, count, &size) / size;
  }
  const double floor = floor_of(method);
  double order = e[2] > floor ? log2(e[1] / e[2]) : log2(e[0] / e[1]);
  if (wide > 1) order = log2(e[0] / e[2]) / (2 * wide);
  if (!(e[1] > floor)) return 0;
  if (!CHECK(order > want - (want < 5 ? 0.4 : 0.7)))
    printf("  %s on %s (%s): %.1e %.1e %.1e, order %.2f for %g\n", method->name, f->model,
           f->coordinates, e[0], e[1], e[2], order, want);
  printf(" %s %.2f", f->model, order);
  return 1;
}

static bool shows_none(const hn_method_info *method, const hn_integrator_type *type) {
  return hn_method_chooses(method->name) || is(type->info.name, "abm") ||
         strstr(type->info.name, "-bdf") != NULL;
}

static void test_orders(void) {
  static double exact[FIELDS][ORDER_NUMBERS];
  static rig rigs[FIELDS];
  int numbers[FIELDS] = {0};
  for (int k = 0; k < FIELDS; k++) {
    rig_case c = {fields[k].model, NULL};
    if (!CHECK(rig_load(&rigs[k], &c, fields[k].coordinates))) return;
    numbers[k] =
        order_run(&rigs[k], "method=explicit integrator=dop853 rtol=1e-13 projection_tol=1e-13", 0,
                  fields[k].t, exact[k]);
    CHECK(numbers[k] > 0);
  }
  const hn_method_info *method;
  for (int i = 0; (method = hn_method_at(i)); i++) {
    const hn_integrator_type *type = hn_integrator_find(method->integrator);
    if (!CHECK(type != NULL) || shows_none(method, type)) continue;
    if (run_quickly() && i % 3) continue;
    hn_options o = hn_options_default();
    snprintf(o.method, sizeof o.method, "%s", method->name);
    unsigned can = hn_method_can(&o);
    int shown = 0;
    printf("%-24s %d:", method->name, type->order);
    for (int k = 0; k < FIELDS; k++) {
      bool natural = fields[k].needs & HN_NEEDS_NATURAL;
      if (natural != ((can & HN_NEEDS_NATURAL) != 0)) continue;
      if ((can & fields[k].needs) != fields[k].needs) continue;
      shown += show(&rigs[k], &fields[k], method, exact[k], numbers[k]);
    }
    printf("\n");
    if (!CHECK(shown >= 4)) printf("  %s: on %d models only\n", method->name, shown);
  }
  for (int k = 0; k < FIELDS; k++) rig_free(&rigs[k]);
}

int main(void) {
  RUN(test_orders);
  return test_end();
}
