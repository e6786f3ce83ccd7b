// optimise_sqp.c: sequential quadratic programming with derivatives of the metrics.
//
//   min f(u), c(u) <= 0, 0 <= u <= 1
//
// Every iteration solves a quadratic model of the Lagrange function under the linearised
// constraints,
//
//   min g^T d + d^T B d / 2 + penalty s + s^2 / 2,   c + A d <= s,  s >= 0,  0 <= u + d <= 1
//
// where s lets constraints that contradict each other be missed by as little as can be. Its dual is
// a linear complementarity problem of as many unknowns as there are constraints and ends of ranges.
// B follows from changes of the gradient by the damped formula of Broyden, Fletcher, Goldfarb and
// Shanno (J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., procedure 18.2); steps are
// shortened until f + weight * violation falls (18.4). What is found is the bottom of the valley
// that the search started in: `starts` asks for several.
//
// The metric and every constraint are measured by their slopes at the start, so that units do not
// matter; constraints are asked for with a margin that is small against the tolerance, for what
// lies on the wrong side by round-off is not kept.
#include "base/elementary.h"
#include "study/optimise.h"
#include "study/random.h"

#include "linalg/complementarity.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double penalty = 1e4;  // of missing the constraints, in units of the metric's slope
static const double margin = 0.1;   // of the tolerance
static const double armijo = 1e-4;  // part of the fall that is foreseen
enum { TRIES = 4 };                 // shorter steps that are tried at a time

// laid out in one arena; everything in measured units (`unit`) and places of [0, 1]
typedef struct program {
  hn_optimising *w;
  int n, m, rows;             // variables, constraints, rows of the quadratic program
  double *unit;               // 1 + m: what values are measured by
  double *u, *value, *slope;  // where it stands; 1 + m values, their slopes
  double *next, *new_value, *old_slope;
  double *B, *H, *step, *multiplier;  // H: with s; step: d and s
  double *row, *limit, *solved;       // rows of the quadratic program, H^-1 times them
  double *trial, *change;             // TRIES x n
  double weight;
  hn_lcp lcp;
} program;

static hn_status no_memory(program *p) {
  return hn_fail(p->w->message, HN_ERR_MEMORY, "out of memory");
}

static void lay_out(program *p, hn_arena *a) {
  int n = p->n, values = 1 + p->m, rows = p->rows;
  p->unit = HN_TAKE(a, double, values);
  p->u = HN_TAKE(a, double, n);
  p->next = HN_TAKE(a, double, n);
  p->value = HN_TAKE(a, double, values);
  p->new_value = HN_TAKE(a, double, values);
  p->slope = HN_TAKE(a, double, values *n);
  p->old_slope = HN_TAKE(a, double, values *n);
  p->B = HN_TAKE(a, double, n *n);
  p->H = HN_TAKE(a, double, (n + 1) * (n + 1));
  p->step = HN_TAKE(a, double, n + 1);
  p->multiplier = HN_TAKE(a, double, rows);
  p->row = HN_TAKE(a, double, rows *(n + 1));
  p->solved = HN_TAKE(a, double, rows *(n + 1));
  p->limit = HN_TAKE(a, double, rows);
  p->trial = HN_TAKE(a, double, TRIES *n);
  p->change = HN_TAKE(a, double, 3 * n);
  hn_lcp_layout(&p->lcp, a, rows);
}

// ---- values ----------------------------------------------------------------------------------

// the margin moves constraints by a tenth of the tolerance towards the safe side
static void measure(const program *p, double *value) {
  for (int i = 0; i <= p->m; i++) value[i] /= p->unit[i];
  for (int i = 1; i <= p->m; i++) value[i] += margin * p->w->study->optimise->tolerance;
}

static double violation(const program *p, const double *value) {
  double sum = 0;
  for (int i = 1; i <= p->m; i++) sum += fmax(value[i], 0);
  return sum;
}

// exact penalty function: beyond the largest multiplier its minimum is the constrained one
static double merit(const program *p, const double *value) {
  return value[0] + p->weight * violation(p, value);
}

static hn_status find_slopes(program *p) {
  hn_status status = hn_optimising_slopes(p->w, p->u, p->slope);
  for (int i = 0; i <= p->m && !status; i++)
    for (int j = 0; j < p->n; j++) p->slope[i * p->n + j] /= p->unit[i];
  return status;
}

// values and slopes where it starts, which say what they are measured by; *good false: there are
// none
// B = 1: in these units the first step is one along the steepest descent
static hn_status begin(program *p, bool *good) {
  for (int i = 0; i <= p->m; i++) p->unit[i] = 1;
  *good = false;
  hn_status status = hn_optimising_run(p->w, 1, p->u);
  if (status) return status;
  if (!hn_optimising_values(p->w, 0, p->value)) return HN_OK;
  if (!hn_optimising_has_room(p->w, hn_optimising_slopes_cost(p->w))) return HN_OK;
  status = find_slopes(p);
  if (status) return status;
  for (int i = 0; i <= p->m; i++) {
    double most = 0;
    for (int j = 0; j < p->n; j++) most = fmax(most, fabs(p->slope[i * p->n + j]));
    p->unit[i] = most > 0 ? most : fmax(fabs(p->value[i]), 1e-300);
    for (int j = 0; j < p->n; j++) p->slope[i * p->n + j] /= p->unit[i];
  }
  measure(p, p->value);
  memset(p->B, 0, (size_t)(p->n * p->n) * sizeof *p->B);
  for (int j = 0; j < p->n; j++) p->B[j * p->n + j] = 1;
  p->weight = 1;
  *good = true;
  return HN_OK;
}

// ---- the quadratic program -------------------------------------------------------------------

// a^T x <= limit: constraints, s >= 0, upper ends, lower ends
// unknowns are the n steps d and the slack s behind them
static void write_rows(program *p) {
  int n = p->n, m = p->m, wide = n + 1;
  memset(p->row, 0, (size_t)(p->rows * wide) * sizeof *p->row);
  for (int i = 0; i < m; i++) {
    memcpy(p->row + i * wide, p->slope + (1 + i) * n, (size_t)n * sizeof *p->row);
    p->row[i * wide + n] = -1;
    p->limit[i] = -p->value[1 + i];
  }
  p->row[m * wide + n] = -1;
  p->limit[m] = 0;
  for (int j = 0; j < n; j++) {
    p->row[(m + 1 + j) * wide + j] = 1;
    p->limit[m + 1 + j] = 1 - p->u[j];
    p->row[(m + 1 + n + j) * wide + j] = -1;
    p->limit[m + 1 + n + j] = p->u[j];
  }
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// x = -H^-1 (g + rows^T l), l >= 0, limit - rows x >= 0
// The dual: with H = L L^T the multipliers solve l >= 0, A l + b >= 0, l^T (A l + b) = 0, A = rows
// H^-1 rows^T. See linalg/complementarity.h.
static bool solve_program(program *p) {
  int n = p->n, wide = n + 1, rows = p->rows;
  memset(p->H, 0, (size_t)(wide * wide) * sizeof *p->H);
  for (int j = 0; j < n; j++) memcpy(p->H + j * wide, p->B + j * n, (size_t)n * sizeof *p->H);
  p->H[n * wide + n] = 1;
  if (!hn_dense_cholesky(wide, p->H)) return false;
  write_rows(p);
  memcpy(p->step, p->slope, (size_t)n * sizeof *p->step);
  p->step[n] = penalty;
  hn_dense_cholesky_solve(wide, p->H, p->step);
  memcpy(p->solved, p->row, (size_t)(rows * wide) * sizeof *p->solved);
  for (int i = 0; i < rows; i++) {
    hn_dense_cholesky_solve(wide, p->H, p->solved + i * wide);
    p->lcp.b[i] = p->limit[i] + dot(p->row + i * wide, p->step, wide);
  }
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < rows; k++)
      p->lcp.A[i * rows + k] = dot(p->row + i * wide, p->solved + k * wide, wide);
  if (!hn_lcp_solve(&p->lcp, rows, 1e-11)) return false;
  memcpy(p->multiplier, p->lcp.x, (size_t)rows * sizeof *p->multiplier);
  for (int k = 0; k < wide; k++) {
    p->step[k] = -p->step[k];
    for (int i = 0; i < rows; i++) p->step[k] -= p->solved[i * wide + k] * p->multiplier[i];
  }
  return true;
}

// ---- steps -----------------------------------------------------------------------------------

// what f + weight * violation is foreseen to fall by along the step
// to first order, as Armijo's rule compares
static double foreseen_fall(const program *p) {
  double less = violation(p, p->value);
  for (int i = 1; i <= p->m; i++)
    less -= fmax(p->value[i] + dot(p->slope + i * p->n, p->step, p->n), 0);
  return -dot(p->slope, p->step, p->n) + p->weight * less;
}

// rounding must not leave the ranges
static void place_trials(program *p, int count, double part) {
  for (int t = 0; t < count; t++, part *= 0.3)
    for (int j = 0; j < p->n; j++)
      p->trial[t * p->n + j] = fmin(1, fmax(0, p->u[j] + part * p->step[j]));
}

// the longest of the steps last run that falls enough; -1: none
// round: near the end falls drown in the last bits of f
static int choose(program *p, int count, double part) {
  double now = merit(p, p->value), fall = foreseen_fall(p);
  for (int t = 0; t < count; t++, part *= 0.3) {
    if (!hn_optimising_values(p->w, t, p->new_value)) continue;
    measure(p, p->new_value);
    double round = 1e-14 * (fabs(now) + 1);
    if (merit(p, p->new_value) <= now - armijo * part * fall + round) return t;
  }
  return -1;
}

// *found: a place that is better, in p->next with its values
// the whole step alone, which is right near the end; then four at a time, each 0.3 of the one
// before
static hn_status shorten(program *p, bool *found) {
  double part = 1;
  *found = false;
  for (int round = 0; round < 4 && !*found; round++) {
    int count = round ? TRIES : 1;
    if (!hn_optimising_has_room(p->w, count)) return HN_OK;
    place_trials(p, count, part);
    hn_status status = hn_optimising_run(p->w, count, p->trial);
    if (status) return status;
    int t = choose(p, count, part);
    *found = t >= 0;
    if (*found) memcpy(p->next, p->trial + t * p->n, (size_t)p->n * sizeof *p->next);
    part *= round ? hn_pow(0.3, TRIES) : 0.3;
  }
  return HN_OK;
}

// gradient of the Lagrange function, with the multipliers of the step
static double lagrange_slope(const program *p, const double *slope, int j) {
  double sum = slope[j];
  for (int i = 0; i < p->m; i++) sum += p->multiplier[i] * slope[(1 + i) * p->n + j];
  return sum;
}

// from the step in p->change; damped, so that B stays positive definite
// Powell's damping: y is mixed with B s where the curvature along s is too small or negative
static void learn(program *p) {
  int n = p->n;
  double *s = p->change, *y = s + n, *Bs = y + n;
  for (int j = 0; j < n; j++)
    y[j] = lagrange_slope(p, p->slope, j) - lagrange_slope(p, p->old_slope, j);
  for (int j = 0; j < n; j++) Bs[j] = dot(p->B + j * n, s, n);
  double sBs = dot(s, Bs, n), sy = dot(s, y, n);
  if (!(sBs > 0)) return;
  double part = sy >= 0.2 * sBs ? 1 : 0.8 * sBs / (sBs - sy);
  for (int j = 0; j < n; j++) y[j] = part * y[j] + (1 - part) * Bs[j];
  sy = dot(s, y, n);
  if (!(sy > 0)) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) p->B[i * n + j] += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// multipliers of constraints only: ends of ranges are kept exactly and need no penalty
static void raise_weight(program *p) {
  double most = largest(p->multiplier, p->m);
  if (p->weight < 1.5 * most) p->weight = 2 * most;
}

// one iteration; *end: it has converged or gets no further
// converged: the step that the model asks for is below the tolerance, whether it could be taken or
// not
static hn_status iterate(program *p, bool *end) {
  hn_optimum *best = p->w->best;
  double tolerance = p->w->study->optimise->tolerance;
  bool found = false;
  if (!solve_program(p))
    return hn_fail(p->w->message, HN_ERR_SINGULAR, "the search has lost a direction");
  best->spread = largest(p->step, p->n);
  if (best->spread < tolerance) {
    best->converged = *end = true;
    return HN_OK;
  }
  raise_weight(p);
  *end = true;
  hn_status status = shorten(p, &found);
  if (status || !found) return status;
  if (!hn_optimising_has_room(p->w, hn_optimising_slopes_cost(p->w))) return HN_OK;
  memcpy(p->old_slope, p->slope, (size_t)((1 + p->m) * p->n) * sizeof *p->slope);
  memcpy(p->value, p->new_value, (size_t)(1 + p->m) * sizeof *p->value);
  for (int j = 0; j < p->n; j++) p->change[j] = p->next[j] - p->u[j];
  memcpy(p->u, p->next, (size_t)p->n * sizeof *p->u);
  status = find_slopes(p);
  if (status) return status;
  learn(p);
  best->generations++;
  *end = false;
  return HN_OK;
}

// the middle of all ranges first, then anywhere
static void place_start(program *p, int start) {
  for (int j = 0; j < p->n; j++)
    p->u[j] =
        start == 0 ? 0.5 : hn_random_open(p->w->study->seed, (uint64_t)start, j, HN_DRAW_SEARCH);
}

// w->best keeps the best of all starts by itself; converged means that every start has
static hn_status search_all(program *p) {
  hn_optimising *w = p->w;
  bool all = true, any = false;
  hn_status status = HN_OK;
  for (int start = 0; start < w->study->optimise->starts && !status; start++) {
    bool good, end = false;
    if (!hn_optimising_has_room(w, 1)) break;
    place_start(p, start);
    w->best->converged = false;
    status = begin(p, &good);
    while (!status && good && !end) status = iterate(p, &end);
    any = any || good;
    all = all && w->best->converged;
  }
  w->best->converged = !status && all;
  if (status || any) return status;
  return hn_fail(w->message, HN_ERR_STEP,
                 "no run that the search could begin with has metrics%s%.200s",
                 w->row[0].message[0] ? ": " : "", w->row[0].message);
}

static hn_status search(hn_optimising *w, const hn_optimiser *self) {
  program p = {.w = w, .n = w->n, .m = w->constraints, .rows = w->constraints + 1 + 2 * w->n};
  hn_arena arena = {0};
  (void)self;
  lay_out(&p, &arena);
  if (!hn_arena_allocate(&arena)) return no_memory(&p);
  lay_out(&p, &arena);
  hn_status status = search_all(&p);
  free(arena.base);
  return status;
}

const hn_optimiser hn_optimiser_sqp = {
    .name = "gradient",
    .help = "down the slope of the metric along the constraints (sequential quadratic programming)",
    .derivatives = true,
    .search = search,
};
