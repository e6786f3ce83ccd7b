// test_order_matrix.c: every pairing of solver, correction and integrator shows its order.
//
// The four-bar, on its way, is run with four steps, each half of the one before, by every pairing
// that is not refused; the error of its bars against the independent solution must fall with the
// integrator's order, or with what theory leaves of it. Integrators that choose their order are
// asked to follow their tolerance instead.
#include "reference.h"
#include "solver_rig.h"

enum { STEPS = 4 };

// not from the start: at rest the energy says nothing about velocities
static const double begin = 0.25, end = 0.75;

static bool is(const char *name, const char *other) {
  return strcmp(name, other) == 0;
}

// centres and angular velocities of the three bars, as the reference has them, at some times: a
// single instant may be one where an error happens to change its sign
enum { QUANTITIES = 9, TIMES = 5, NUMBERS = QUANTITIES * TIMES };
static const char *const quantities[QUANTITIES] = {
    "crank_com_x",    "crank_com_y", "coupler_com_x", "coupler_com_y", "follower_com_x",
    "follower_com_y", "crank_rate",  "coupler_rate",  "follower_rate"};

static double instant(int i) {
  return begin + (end - begin) * (i + 1) / TIMES;
}

static bool exact_states(double x[NUMBERS]) {
  table reference;
  int found = 0;
  if (!CHECK(reference_read(&reference, "A1_fourbar"))) return false;
  for (int i = 0; i < reference.rows && found < TIMES; i++) {
    const double *row = table_row(&reference, i);
    if (fabs(row[0] - instant(found)) > 1e-12) continue;
    for (int k = 0; k < QUANTITIES; k++)
      x[found * QUANTITIES + k] = row[table_find(&reference, quantities[k], strlen(quantities[k]))];
    found++;
  }
  table_free(&reference);
  return CHECK(found == TIMES);
}

// the linkage and its state at the beginning
typedef struct start {
  rig rig;
  double q[9], v[9];
} start;

static bool load(start *r) {
  if (!rig_load(&r->rig, &rig_cases[0], "reference")) return false;
  r->rig.options.rtol = 1e-13;
  r->rig.options.projection_tol = 1e-14;
  // the compliance of a penalty is an error that no step removes
  r->rig.options.penalty = 1e11;
  return rig_state(&r->rig, begin, r->q, r->v);
}

// false when the parts are refused
static bool run(const start *r, const char *const parts[3], double h, double rtol,
                double x[NUMBERS]) {
  char message[512];
  hn_sim *sim = NULL;
  hn_options o = r->rig.options;
  snprintf(o.solver, sizeof o.solver, "%s", parts[0]);
  snprintf(o.correction, sizeof o.correction, "%s", parts[1]);
  snprintf(o.integrator, sizeof o.integrator, "%s", parts[2]);
  o.step = h;
  o.rtol = rtol;
  // corrections after every step, but not that gains rise all the time
  if (is(parts[1], "hybrid") && !is(parts[0], "baumgarte-adaptive") && h > 0)
    o.violation_bound = 1e-13;
  hn_status status = hn_sim_create(&sim, r->rig.sys, &o, message, sizeof message);
  if (status == HN_ERR_UNSUPPORTED) return false;
  if (!status) status = hn_set_state(sim, begin, r->q, r->v);
  for (int k = 0; k < NUMBERS; k++) x[k] = NAN;
  for (int i = 0; i < TIMES && !status; i++) {
    status = hn_advance(sim, instant(i));
    for (int k = 0; k < QUANTITIES && !status; k++) {
      hn_pose pose;
      status = hn_body_pose(sim, (hn_body){1 + (k < 6 ? k / 2 : k - 6)}, &pose);
      x[i * QUANTITIES + k] = k < 6 ? pose.position[k % 2] : pose.angular_velocity[2];
    }
  }
  if (!CHECK(status == HN_OK))
    printf("  %s + %s + %s, step %g: %s\n", parts[0], parts[1], parts[2], h,
           sim ? hn_sim_error(sim) : message);
  hn_sim_destroy(sim);
  return true;
}

// slope over halved steps where the error is above round-off; NaN when it never is
static double slope(const double error[STEPS], double floor) {
  int last = 0;
  while (last + 1 < STEPS && error[last + 1] > floor) last++;
  // the first step may be too long for the leading term to decide
  if (last >= 2) return log2(error[1] / error[last]) / (last - 1);
  return last == 1 ? log2(error[0] / error[1]) : NAN;
}

// the longest step, such that few of the errors are round-off; formulas of several steps have
// larger errors
static double longest_step(const hn_integrator_type *type) {
  static const double step[] = {0, 2e-3, 5e-3, 1e-2, 1e-2, 1e-2, 2e-2, 2e-2, 5e-2};
  return step[type->order < 8 ? type->order : 8] * (type->multistep ? 0.25 : 1);
}

// the compliance of a penalty remains
static double round_off(const char *solver) {
  return is(solver, "penalty") ? 3e-9 : 1e-12;
}

// order of one pairing; false when it is refused
static bool measure(const start *r, const char *const parts[3], double h, const double *exact,
                    double *found, double error[STEPS]) {
  double x[NUMBERS], size = 0;
  for (int i = 0; i < STEPS; i++) {
    if (!run(r, parts, h / (1 << i), 0.1, x)) return false;
    error[i] = rig_difference(x, exact, NUMBERS, &size);
  }
  *found = slope(error, round_off(parts[0]));
  return true;
}

static void test_matrix(void) {
  start r;
  double exact[NUMBERS], error[STEPS], found;
  if (!exact_states(exact) || !load(&r)) return;
  int shown = 0;
  for (int s = 0; hn_solver_at(s); s++)
    for (int c = 0; hn_correction_at(c); c++) {
      bool line = false;
      for (int i = 0; hn_integrator_at(i); i++) {
        const hn_integrator_type *type = hn_integrator_find(hn_integrator_at(i)->name);
        const char *const parts[3] = {hn_solver_at(s)->name, hn_correction_at(c)->name,
                                      type->info.name};
        if (is(parts[2], "abm") || (type->stands_alone && type->adaptive)) continue;
        // what a correction does to the past of Adams' formulas, one solver tells
        if (type->multistep && !is(parts[1], "none") && !is(parts[0], "lagrange")) continue;
        if (!measure(&r, parts, longest_step(type), exact, &found, error)) continue;
        // gains of the size 1/h act on the stages, which Adams' formulas do not have
        int wanted = is(parts[0], "baumgarte-rule") && !type->multistep ? 1 : type->order;
        if (!line) printf("%-21s %-15s", parts[0], parts[1]);
        printf(" %s %.2f", parts[2], found);
        line = true;
        shown++;
        double below = type->multistep ? 0.4 : wanted < 5 ? 0.3 : 0.6;
        if (!CHECK(found > wanted - below || error[STEPS - 1] < round_off(parts[0])))
          printf("\n  %s + %s + %s: %.2f for %d: %.1e %.1e %.1e %.1e\n", parts[0], parts[1],
                 parts[2], found, wanted, error[0], error[1], error[2], error[3]);
      }
      if (line) putchar('\n');
    }
  printf("%d pairings\n", shown);
  CHECK(shown >= 350);
  rig_free(&r.rig);
}

// Adams-Bashforth-Moulton, of variable order: the error follows the tolerance
static void test_variable_order(void) {
  start r;
  double exact[NUMBERS], x[NUMBERS];
  if (!exact_states(exact) || !load(&r)) return;
  for (int s = 0; hn_solver_at(s); s++)
    for (int c = 0; hn_correction_at(c); c++) {
      const char *const parts[3] = {hn_solver_at(s)->name, hn_correction_at(c)->name, "abm"};
      // a penalty yields; gains that follow the step do not let it follow small tolerances
      if (is(parts[0], "penalty") || is(parts[0], "baumgarte-rule")) continue;
      double size = 0, error[2];
      bool refused = false;
      for (int i = 0; i < 2; i++) {
        refused = !run(&r, parts, 0, i ? 1e-9 : 1e-6, x);
        if (refused) break;
        error[i] = rig_difference(x, exact, NUMBERS, &size);
      }
      if (refused) continue;
      if (!CHECK(error[0] < 1e-4 && error[1] < 1e-7))
        printf("  %s + %s + abm: %.1e at 1e-6, %.1e at 1e-9\n", parts[0], parts[1], error[0],
               error[1]);
    }
  rig_free(&r.rig);
}

int main(void) {
  RUN(test_matrix);
  RUN(test_variable_order);
  return test_end();
}
