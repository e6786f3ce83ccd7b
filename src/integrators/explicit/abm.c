// abm.c: Adams-Bashforth-Moulton of variable step and variable order 1 to 12, in PECE mode.
//
// The last derivatives are kept as modified divided differences of f over the times t_n, t_n-1 ...
//
//   P_0(n) = f_n,   P_j(n) = (t_n - t_n-1) ... (t_n - t_n-j) f[t_n, ..., t_n-j],
//
// which for equal steps are backward differences. With k of them and a new time t_n+1 = t_n + h,
//
//   b_j = product over i < j of (t_n+1 - t_n-i) / (t_n - t_n-i-1)
//   predict   p = y_n + h sum_{j<k} g_j b_j P_j(n),      d = f(p) - sum_{j<k} b_j P_j(n)
//   correct   y_n+1 = p + h g_k d
//   update    P_0(n+1) = f_n+1,  P_j+1(n+1) = P_j(n+1) - b_j P_j(n)
//
// g_j = c_j,1 where c_0,q = 1/q and c_j,q = c_j-1,q - c_j-1,q+1 h / (t_n+1 - t_n-j+1). The error of
// the formula of order k is h (g_k-1 - g_k) d; the one of order k + 1 is what is kept. Errors at
// neighbouring orders decide the order. Two evaluations a step, whatever the order.
//
// L. F. Shampine & M. K. Gordon, Computer Solution of Ordinary Differential Equations (1975);
// Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, sections III.5 and III.7.
#include "base/elementary.h"
#include "integrators/integrators.h"

#include <string.h>

enum {
  MOST = 12,        // highest order of the predictor
  KEPT = MOST + 2,  // differences kept: two more than the predictor uses
  FIRST = 1,        // stage[0] is the derivative at the start of the step, then the differences
  SCRATCH = FIRST + KEPT
};

typedef struct abm {
  int order;           // of the predictor, for the next step
  bool starting;       // order and step are raised with every step
  int equal;           // how many of the last steps had the same size
  double t[KEPT + 1];  // t_n, t_n-1 ...
  double beta[KEPT];   // b_j and g_j of the last step
  double g[KEPT];
  int last_order;  // of the last step
  bool last_starting;
  int last_equal;
} abm;

// a step may take this part of the tolerance: steps are small and many, and errors of formulas with
// memory add up. Chosen so that errors over a run of the four-bar linkage are those of dopri5
static const double caution = 8;

// |gamma*_j|: errors of the Adams-Moulton formulas for equal steps
static const double moulton[MOST + 2] = {1,
                                         1.0 / 2,
                                         1.0 / 12,
                                         1.0 / 24,
                                         19.0 / 720,
                                         3.0 / 160,
                                         863.0 / 60480,
                                         275.0 / 24192,
                                         33953.0 / 3628800,
                                         8183.0 / 1036800,
                                         3250433.0 / 479001600,
                                         4671.0 / 788480,
                                         13695779093.0 / 2615348736000,
                                         2224234463.0 / 475517952000};

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_stage_layout(sim, arena, SCRATCH + 1);
  sim->method.integrator_data = HN_TAKE(arena, abm, 1);
}

// ---- formulas ------------------------------------------------------------------------------

// b_j and g_j, j <= order, for a step h
static void coefficients(abm *a, double h) {
  int k = a->order;
  double c[KEPT + 1], next = a->t[0] + h;
  for (int q = 0; q <= k; q++) c[q] = 1.0 / (q + 1);
  a->beta[0] = a->g[0] = 1;
  for (int j = 1; j <= k; j++) {
    // the recursion for c_j,q, in place: entries behind q are still those of j - 1
    double r = h / (next - a->t[j - 1]);
    for (int q = 0; q <= k - j; q++) c[q] -= c[q + 1] * r;
    a->g[j] = c[0];
    a->beta[j] = a->beta[j - 1] * (next - a->t[j - 1]) / (a->t[0] - a->t[j]);
  }
}

// sigma_k+1: how far errors for these steps differ from those for equal ones
// 1 for equal steps
static double unequal(const abm *a, double h, int k) {
  double s = 1;
  for (int i = 1; i <= k; i++) s *= i * h / (a->t[0] + h - a->t[i - 1]);
  return s;
}

// ---- one step ------------------------------------------------------------------------------

// estimated errors in units of the tolerance
typedef struct errors {
  double step;                 // of the formula of order k with the steps as they are
  double same, lower, lower2;  // at orders k, k - 1, k - 2, as if steps were equal
} errors;

static void restart(hn_sim *sim, abm *a) {
  *a = (abm){.order = 1, .starting = true};
  // the differences do not exist yet; times only keep the formulas finite
  for (int j = 0; j <= KEPT; j++) a->t[j] = sim->state.t - j;
  for (int j = 1; j < KEPT; j++)
    memset(sim->step.k[FIRST + j], 0, (size_t)sim->state.n * sizeof(double));
}

// predicts, evaluates, corrects: the new state is in sim->step.y_new
static hn_status attempt(hn_sim *sim, abm *a, double h, errors *e) {
  int k = a->order, n = sim->state.n;
  double *const *P = sim->step.k + FIRST, *d = sim->step.k[SCRATCH], *x = sim->step.y_new,
                weight[MOST];
  coefficients(a, h);
  for (int j = 0; j < k; j++) weight[j] = a->g[j] * a->beta[j];
  hn_stage_sum(sim->step.y_stage, sim->state.y, h, weight, P, k, n);
  hn_stage_sum(d, NULL, 1, a->beta, P, k, n);
  hn_status status = hn_derivative(sim, sim->state.t + h, sim->step.y_stage, x);
  if (status) return status;
  for (int i = 0; i < n; i++) d[i] = x[i] - d[i];
  double size = caution * h * hn_error_norm(sim, d);
  *e = (errors){.step = size * (a->g[k - 1] - a->g[k]),
                .same = size * unequal(a, h, k) * moulton[k]};
  // the differences the formulas of lower order would have seen
  const double one = 1;
  for (int lower = 1; lower <= 2 && k > lower; lower++) {
    // P_k-1 and P_k-2 added back: what d would be with fewer differences
    hn_stage_sum(x, lower == 1 ? d : x, a->beta[k - lower], &one, P + k - lower, 1, n);
    double error =
        // each by the formula of its own order
        caution * h * hn_error_norm(sim, x) * unequal(a, h, k - lower) * moulton[k - lower];
    *(lower == 1 ? &e->lower : &e->lower2) = error;
  }
  hn_stage_sum(x, sim->step.y_stage, h * a->g[k], &one, &sim->step.k[SCRATCH], 1, n);
  return HN_OK;
}

// should the order fall? The errors at lower orders say so when they are smaller already
static bool too_high(const abm *a, const errors *e) {
  if (a->order > 2) return fmax(e->lower, e->lower2) <= e->same;
  return a->order == 2 && e->lower <= 0.5 * e->same;
}

// differences at the new state, from the derivative there
static void update(hn_sim *sim, abm *a) {
  int k = a->order, n = sim->state.n;
  double *const *P = sim->step.k + FIRST, *carry = sim->step.k[SCRATCH];
  memcpy(carry, sim->stage.ydot, (size_t)n * sizeof(double));
  for (int j = 0; j <= k + 1; j++) {
    double *p = P[j], b = a->beta[j];
    if (j > k) b = 0;
    for (int i = 0; i < n; i++) {
      double old = p[i];
      p[i] = carry[i];
      carry[i] -= b * old;
    }
  }
  memmove(a->t + 1, a->t, KEPT * sizeof(double));
  a->t[0] = sim->state.t;
  a->last_order = k;
}

// order and size of the next step after one of size h
static double choose(hn_sim *sim, abm *a, double h, const errors *e, bool lower) {
  int k = a->order;
  double error = e->same;
  if (lower || k == MOST) a->starting = false;
  // from order 1 up: the differences of higher orders come into being step by step
  if (a->starting) {
    a->order++;
    return 2 * h;
  }
  if (lower) {
    a->order--, error = e->lower;
  } else if (a->equal > k && k < MOST) {
    // only for equal steps the difference of order k + 1 tells the error at that order
    double higher = caution * h * moulton[k + 1] * hn_error_norm(sim, sim->step.k[FIRST + k + 1]);
    if (k > 1 && e->lower <= fmin(e->same, higher))
      a->order--, error = e->lower;
    else if (higher < (k > 1 ? 1 : 0.5) * e->same)
      a->order++, error = higher;
  }
  // doubled, kept, or reduced: equal steps are worth more than the last bit of size
  if (error * ldexp(1, a->order + 1) <= 0.5) return 2 * h;
  if (error <= 0.5) return h;
  return h * fmax(0.5, fmin(0.9, hn_pow(0.5 / error, 1.0 / (a->order + 1))));
}

// after the first failures the step is halved; then the history is to blame
static double reduce(abm *a, double h, const errors *e, bool failed, int failures) {
  a->starting = false;
  if (failed) return 0.1 * h;
  if (failures < 3) {
    if (too_high(a, e)) a->order--;
    return 0.5 * h;
  }
  a->order = 1;
  return h * (failures > 3 && e->same > 2 ? sqrt(0.5 / e->same) : 0.5);
}

// steps are spread evenly over what is left before a near limit
static double fit(double wanted, double limit) {
  double count = ceil(limit / wanted - 1e-6);
  return count < 20 ? limit / fmax(1, count) : wanted;
}

// the derivative at the new state is in the scratch stage
static hn_status accept(hn_sim *sim, abm *a, double h, const errors *e) {
  hn_status status = hn_accept_fresh(sim, h, sim->step.k[SCRATCH]);
  // the correction moved the state noticeably: the history goes on from the derivative there
  if (!status && !hn_rate_known(sim))
    status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  if (status) return status;
  hn_rate_found(sim);
  bool equal = fabs(h - (a->t[0] - a->t[1])) <= 1e-6 * h;
  a->last_equal = a->equal, a->last_starting = a->starting;
  a->equal = equal ? a->equal + 1 : 1;
  update(sim, a);
  sim->step.h = choose(sim, a, h, e, too_high(a, e));
  return HN_OK;
}

static hn_status step(hn_sim *sim, double limit) {
  abm *a = sim->method.integrator_data;
  size_t bytes = (size_t)sim->state.n * sizeof(double);
  hn_status status;
  if (sim->opt.step > 0) limit = fmin(limit, sim->opt.step);
  if (!(sim->step.h > 0)) {
    status = hn_first_stage(sim);
    if (!status) status = hn_first_step(sim, 2, limit, &sim->step.h);
    if (status) return status;
    memcpy(sim->step.k[FIRST], sim->step.k[0], bytes);
    restart(sim, a);
  }
  a->t[0] = sim->state.t;
  memcpy(sim->step.k[0], sim->step.k[FIRST], bytes);
  double wanted = sim->step.h, smallest = hn_smallest_step(sim);
  for (int failures = 1;; failures++) {
    errors e;
    double h = fit(wanted, limit);
    status = attempt(sim, a, h, &e);
    bool good = !status && e.step <= 1;
    if (good) status = hn_derivative(sim, sim->state.t + h, sim->step.y_new, sim->step.k[SCRATCH]);
    if (good && !status) return accept(sim, a, h, &e);
    sim->count.rejected++;
    wanted = reduce(a, h, &e, status || !(e.step > 1), failures);
    if (!(wanted > smallest)) return hn_step_failed(sim, status, wanted);
  }
}

// the update backwards: b_j P_j(n) = P_j(n+1) - P_j+1(n+1)
static void undo(hn_sim *sim) {
  abm *a = sim->method.integrator_data;
  double *const *P = sim->step.k + FIRST;
  hn_undo_step(sim);
  for (int j = 0; j <= a->last_order; j++)
    for (int i = 0; i < sim->state.n; i++) P[j][i] = (P[j][i] - P[j + 1][i]) / a->beta[j];
  sim->step.h = a->t[0] - a->t[1];
  memmove(a->t, a->t + 1, KEPT * sizeof(double));
  a->order = a->last_order;
  a->equal = a->last_equal;
  a->starting = a->last_starting;
}

// integral of the polynomial through the last derivatives, backwards from the end of the step
static void dense(hn_sim *sim, double t, double *y) {
  const abm *a = sim->method.integrator_data;
  int k = a->last_order;
  double back = t - sim->state.t, before = 0, w[KEPT + 1], g[KEPT];
  for (int q = 0; q <= k; q++) w[q] = 1.0 / (q + 1);
  g[0] = 1;
  for (int j = 1; j <= k; j++) {
    double span = a->t[0] - a->t[j], gamma = (back + before) / span, eta = back / span;
    for (int q = 0; q <= k - j; q++) w[q] = gamma * w[q] - eta * w[q + 1];
    g[j] = w[0];
    before = span;
  }
  hn_stage_sum(y, sim->state.y, back, g, sim->step.k + FIRST, k + 1, sim->state.n);
  hn_normalise(sim->sys, y);
}

const hn_integrator_type hn_integrator_abm = {
    .info = {.name = "abm",
             .help = "Adams-Bashforth-Moulton, variable step and order 1 to 12: fewest evaluations "
                     "for smooth motion",
             .keys = "rtol atol step",
             .required = ""},
    .order = MOST,
    .adaptive = true,
    .layout = layout,
    .step = step,
    .dense = dense,
    .undo = undo,
    .multistep = true,
};
