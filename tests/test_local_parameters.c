// test_local_parameters.c: BDF in local parameters (tangent space, independent coordinates), and
// the modified iteration of the coordinate split.
//
// BDF holds for the parameters alone: across them q' - v and v' - a are what the formula lacks of
// the constraints, along them nothing. A method that integrates all coordinates and pulls them
// back, or that pulls by other directions, has its errors along them as well. Held to formulas of
// order k, errors of these and of index 1 to 3 fall with the k-th power of the steps.
#include "integrators/bdf/bdf.h"
#include "order_rig.h"

#ifdef HN_HAVE_SUNDIALS

// the third is none of them
static const char *const methods[] = {"tangent-space-bdf", "implicit-partitioning-bdf",
                                      "index2-bdf", "index1-bdf", "index3-bdf"};
enum { METHODS = 2, ALL = 5, MOST = 64, INSTANTS = 6 };

// ---- what BDF is applied to ----------------------------------------------------------------

// rows of B in whole, made orthonormal; how many are independent
static int directions(const hn_sim *sim, double E[MOST][MOST]) {
  const hn_system *sys = sim->sys;
  static double whole[MOST * MOST];
  hn_work work = sim->stage.work;
  if (sim->method.integrator->variant != &hn_ida_index2) work.J = (double *)hn_ida_chart(sim);
  hn_jacobian_dense(&work, whole);
  int count = 0;
  for (int r = 0; r < sys->rows; r++) {
    if (!sys->holonomic[r] || (sim->rows.D && sim->rows.D[r] > 0)) continue;
    double size = 0;
    for (int i = 0; i < sys->nv; i++) E[count][i] = whole[r * sys->nv + i];
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < count; k++) {
        double part = 0;
        for (int i = 0; i < sys->nv; i++) part += E[k][i] * E[count][i];
        for (int i = 0; i < sys->nv; i++) E[count][i] -= part * E[k][i];
      }
    for (int i = 0; i < sys->nv; i++) size += E[count][i] * E[count][i];
    if (!(size > 1e-16)) continue;
    for (int i = 0; i < sys->nv; i++) E[count][i] /= sqrt(size);
    count++;
  }
  return count;
}

// the part of x along the rows, and what is left of it
static void divide(int n, int rows, double E[MOST][MOST], double *x, double *across,
                   double *along) {
  for (int k = 0; k < rows; k++) {
    double part = 0;
    for (int i = 0; i < n; i++) part += E[k][i] * x[i];
    for (int i = 0; i < n; i++) x[i] -= part * E[k][i];
    *across = fmax(*across, fabs(part));
  }
  for (int i = 0; i < n; i++) *along = fmax(*along, fabs(x[i]));
}

static void test_definition(void) {
  static const struct {
    const char *model;
    double t;
  } cases[] = {{"four_bar", 0.5},
               {"five_bar_pendulum_planar", 0.3},
               {"bricard", 0.5},
               {"spatial_slider_crank", 0.3}};
  for (int c = 0; c < 4; c++)
    for (int k = 0; k <= METHODS; k++) {
      rig r;
      static double E[MOST][MOST], x[MOST];
      char message[512];
      hn_sim *sim = NULL;
      double across[2] = {0, 0}, along[2] = {0, 0}, place = 0, rate = 0;
      int ends = 0;
      if (!rig_load(&r, &(rig_case){cases[c].model, NULL}, "reference")) continue;
      snprintf(r.options.method, sizeof r.options.method, "%s", methods[k]);
      r.options.rtol = 1e-4;
      const hn_system *sys = r.sys;
      bool ok = CHECK(sys->nv <= MOST) &&
                CHECK(hn_sim_create(&sim, sys, &r.options, message, sizeof message) == HN_OK);
      while (ok && sim->state.t < cases[c].t && (ok = CHECK(hn_step(sim) == HN_OK))) {
        const hn_bdf *s = sim->method.integrator_data;
        const double *y = sim->state.y;
        if (s->t != sim->state.t || sim->state.t < 0.1) continue;
        const double *a = hn_accelerations(sim);
        hn_residuals v;
        CHECK(hn_sim_residuals(sim, &v) == HN_OK);
        place = fmax(place, v.position), rate = fmax(rate, v.velocity);
        int rows = directions(sim, E);
        hn_bdf_tangent(sys, y, s->rates, x);
        for (int i = 0; i < sys->nv; i++) x[i] -= y[sys->nq + i];
        divide(sys->nv, rows, E, x, &across[0], &along[0]);
        for (int i = 0; i < sys->nv; i++) x[i] = s->rates[sys->nq + i] - a[i];
        divide(sys->nv, rows, E, x, &across[1], &along[1]);
        ends++;
      }
      printf("%-26s %-26s %3d steps: q' - v across %.1e, along %.1e; v' - a %.1e, %.1e\n",
             cases[c].model, methods[k], ends, across[0], along[0], across[1], along[1]);
      printf("  violation %.1e m, %.1e m/s\n", place, rate);
      CHECK(ends > 5);
      if (k < METHODS) {
        CHECK(along[0] < 0.05 * across[0] && along[1] < 0.02 * across[1]);
        CHECK(place < 1e-13 && rate < 1e-12);
      } else {
        CHECK(along[1] > 0.05 * across[1]);
      }
      hn_sim_destroy(sim);
      rig_free(&r);
    }
}

// ---- order ---------------------------------------------------------------------------------

// numbers that describe the motion at some instants
static int motion(const rig *r, const hn_options *o, double t, double *x, double *steps) {
  char message[512];
  hn_sim *sim = NULL;
  int count = 0;
  hn_status status = hn_sim_create(&sim, r->sys, o, message, sizeof message);
  for (int i = 1; i <= INSTANTS && !status; i++) {
    status = hn_advance(sim, t * i / INSTANTS);
    if (!status) count += order_state(sim, x + count);
  }
  if (!CHECK(status == HN_OK)) printf("  %s: %s\n", o->method, sim ? hn_sim_error(sim) : message);
  if (sim) *steps = (double)sim->count.steps;
  hn_sim_destroy(sim);
  return status ? 0 : count;
}

// errors over the number of steps, by least squares
static double slope(const double *steps, const double *error, int count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; i++) {
    double u = log(steps[i]), v = log(error[i]);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return -(count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void test_orders(void) {
  enum { POINTS = 4 };
  static const struct {
    const char *model;
    double t;
  } cases[] = {
      {"four_bar", 0.5}, {"spatial_slider_crank", 0.25}, {"bricard", 0.5}, {"rolling_disk", 0.5}};
  // the loosest, and how much stricter the strictest is
  static const double loose[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-5}, far[] = {30, 300, 1e3, 1e4, 1e4};
  static double exact[INSTANTS * ORDER_NUMBERS], x[INSTANTS * ORDER_NUMBERS];
  for (int c = 0; c < (run_quickly() ? 1 : 4); c++) {
    rig r;
    double steps[POINTS], error[POINTS], size = 0;
    if (!rig_load(&r, &(rig_case){cases[c].model, NULL}, "reference")) continue;
    hn_options best = r.options;
    order_set(&best, "method=explicit integrator=dop853 rtol=1e-13 projection_tol=1e-13");
    int numbers = motion(&r, &best, cases[c].t, exact, steps);
    for (int k = 0; k < ALL; k++) {
      printf("%-22s %-26s", cases[c].model, methods[k]);
      // the others share formulas with these: two orders tell
      for (int order = 1; order <= 5; order++) {
        if (k >= METHODS && order != 2 && order != 4) continue;
        hn_options o = r.options;
        snprintf(o.method, sizeof o.method, "%s", methods[k]);
        o.bdf_order = order;
        for (int i = 0; i < POINTS; i++) {
          o.rtol = loose[order - 1] * pow(far[order - 1], -i / (POINTS - 1.0));
          CHECK(motion(&r, &o, cases[c].t, x, &steps[i]) == numbers);
          error[i] = rig_difference(x, exact, numbers, &size) / size;
        }
        double found = slope(steps, error, POINTS);
        printf("  %d: %.2f", order, found);
        // steps of lower order at the start count as well
        CHECK(found > order - 0.1 - 0.1 * order && found < order + 0.3 + 0.2 * order +
                                                               (order > 4   ? 1.5
                                                                : order > 3 ? 1
                                                                            : 0));
      }
      printf("\n");
    }
    rig_free(&r);
  }
}

int main(void) {
  RUN(test_definition);
  RUN(test_orders);
  return test_end();
}

#else

int main(void) {
  printf("this build has no SUNDIALS\n");
  return 0;
}

#endif
