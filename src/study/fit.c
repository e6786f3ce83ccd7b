// fit.c: the values of the factors for which runs come nearest to what was measured.
//
// Least squares of the residuals (model - measured) / sigma by the method of Levenberg and
// Marquardt,
//   (A + l diag A) d = -J^T r,   A = J^T J,
// with J by central differences, or exact (slopes.c). All runs of an iteration (two for every
// factor, and steps for several l) are computed at a time. Variables are places between 0 and 1 in
// the ranges of the factors; a step ends at the ends. The covariance of the estimates is s^2 A^-1
// at the solution, s^2 the variance of the residuals, or 1 where the measurements say how much they
// scatter.
#include "base/elementary.h"
#include "study/engine.h"
#include "study/search.h"

#include "linalg/dense.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// dampings a decade apart: one of them is near the best, and runs are parallel
enum { TRIES = 4 };  // steps that are tried at a time
// Wider than for smooth functions: runs by error control scatter by their tolerance, and the error
// of a central difference falls with its square.
static const double difference = 1e-3;  // half of the distance of two runs, as part of a range

// trial, value and out have a row for each member of a batch; what threads share is `next` and what
// `lock` guards
typedef struct fitting {
  const hn_study *study;
  const hn_study_options *options;
  int n, points, jobs;    // factors, measured values, threads
  double *u, *r;          // n, points: where it stands
  double *J;              // points x n
  double *trial, *value;  // members x n: places, values
  double *out;            // members x points
  double *A, *g, *step;
  double sum, damping;  // of accepted steps; of Marquardt
  long runs;
  hn_slopes *slopes;  // NULL: differences
  // what is computed now
  int members;
  atomic_int next;
  pthread_mutex_t lock;
  hn_status status;
  char message[HN_MESSAGE];
} fitting;

// ---- runs ------------------------------------------------------------------------------------

// false and a sentence where the model has no number to compare: one residual that is none would
// make every sum of squares one, and no step better than another
static bool residuals_of(const fitting *f, const hn_result *result, double *r,
                         char message[HN_MESSAGE]) {
  // k counts points through all columns, in the order of J's rows
  const struct hn_fit *fit = f->study->fit;
  int rows = hn_result_rows(result), k = 0;
  for (int c = 0; c < fit->columns; c++) {
    const hn_fit_column *column = &fit->column[c];
    int at = hn_result_find(result, column->name);
    for (int i = 0; i < column->count; i++) {
      double model = hn_result_between(result, rows, at, column->time[i]);
      // without a sigma residuals are in the unit of the column
      r[k] = (model - column->value[i]) / (column->sigma > 0 ? column->sigma : 1);
      if (isfinite(r[k++])) continue;
      double end = rows > 0 ? hn_result_row(result, rows - 1)[0] : 0;
      hn_fail(message, HN_ERR_MODEL,
              "'%.100s' cannot be compared at t=%.9g, where %.9g was measured: the run ends at "
              "t=%.9g ('from' and 'to' choose a part of the measurements)",
              column->name, column->time[i], column->value[i], end);
      return false;
    }
  }
  return true;
}

// residuals of one member; those of a run that fails are not numbers
// rows of `out` belong to one member each: no lock
static void compute(fitting *f, hn_member *member, int k) {
  hn_result *result = NULL;
  char message[HN_MESSAGE];
  double *r = f->out + (size_t)k * (size_t)f->points;
  for (int i = 0; i < f->n; i++)
    // values are kept beside places: threads write to members of their own
    f->value[k * f->n + i] = hn_variable_value(&f->study->factor[i], f->trial[k * f->n + i]);
  hn_status status =
      hn_member_result(member, f->value + k * f->n, &result, message, sizeof message);
  if (status || !residuals_of(f, result, r, message)) {
    // NAN in the first residual marks a run that failed: those behind it are not read then
    r[0] = NAN;
    pthread_mutex_lock(&f->lock);
    snprintf(f->message, sizeof f->message, "%s", message);
    pthread_mutex_unlock(&f->lock);
  }
  hn_result_destroy(result);
}

// models are read by each thread for itself: 0.1 ms or so beside a batch of runs
static void *thread_main(void *user) {
  fitting *f = user;
  char message[HN_MESSAGE];
  hn_member *member = NULL;
  hn_status status = hn_member_open(f->study, &member, message);
  // members by a counter: runs take different times
  for (int k; !status && (k = atomic_fetch_add(&f->next, 1)) < f->members;) compute(f, member, k);
  hn_member_close(member);
  if (status) {
    pthread_mutex_lock(&f->lock);
    // a model that cannot be read ends the fit; a run that fails does not
    f->status = status;
    snprintf(f->message, sizeof f->message, "%s", message);
    pthread_mutex_unlock(&f->lock);
  }
  return NULL;
}

static hn_status run_members(fitting *f, int members) {
  // arrays on the stack: more threads than that are not started
  pthread_t thread[256];
  // as many threads as members, if there are fewer of them
  int started = 0, wanted = members < f->jobs ? members : f->jobs;
  f->members = members;
  f->runs += members;
  atomic_store(&f->next, 0);
  // fewer threads than asked for do the same work
  while (started < wanted && started < 256 &&
         pthread_create(&thread[started], NULL, thread_main, f) == 0)
    started++;
  if (started == 0) return hn_fail(f->message, HN_ERR_MEMORY, "no thread can be started");
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  return f->status;
}

static double sum_of_squares(const double *r, int count) {
  double sum = 0;
  // all of them weigh the same: sigma is in them
  for (int i = 0; i < count; i++) sum += r[i] * r[i];
  return sum;
}

// what a run said, and which it was
static hn_status blame(fitting *f, const char *which) {
  char said[HN_MESSAGE];
  snprintf(said, sizeof said, "%s", f->message);
  return hn_fail(f->message, HN_ERR_STEP, "%s: %.400s", which, said);
}

// ---- the method ------------------------------------------------------------------------------

// J by derivatives of the columns at the times that were measured
// residuals are linear in the columns: their derivatives are those of the columns over sigma
static hn_status differentiate_exactly(fitting *f) {
  const struct hn_fit *fit = f->study->fit;
  hn_result *rows = NULL;
  double value[256];
  for (int j = 0; j < f->n; j++) value[j] = hn_variable_value(&f->study->factor[j], f->u[j]);
  hn_status status = hn_slopes_rows(f->slopes, value, &rows, f->message, sizeof f->message);
  f->runs++;
  // by places, as steps are: the slope of the map from places to values
  for (int j = 0; j < f->n && !status; j++) {
    double scale = hn_variable_slope(&f->study->factor[j], f->u[j]);
    int k = 0;
    for (int c = 0; c < fit->columns; c++) {
      const hn_fit_column *column = &fit->column[c];
      char name[300];
      snprintf(name, sizeof name, "%.160s.by.%.100s", column->name, f->study->factor[j].name);
      // the name that slopes.c gave the column
      int at = hn_result_find(rows, name);
      for (int i = 0; i < column->count; i++, k++)
        f->J[k * f->n + j] = scale *
                             hn_result_between(rows, hn_result_rows(rows), at, column->time[i]) /
                             (column->sigma > 0 ? column->sigma : 1);
    }
  }
  hn_result_destroy(rows);
  return status;
}

// J by differences; at the end of a range to one side
static hn_status differentiate_runs(fitting *f) {
  int n = f->n, N = f->points;
  for (int j = 0; j < n; j++)
    for (int side = 0; side < 2; side++) {
      double *u = f->trial + (2 * j + side) * n;
      memcpy(u, f->u, (size_t)n * sizeof *u);
      // pairs of places, clipped to the range
      u[j] = fmin(1, fmax(0, u[j] + (side ? difference : -difference)));
    }
  hn_status status = run_members(f, 2 * n);
  for (int j = 0; j < n && !status; j++) {
    const double *low = f->out + (size_t)(2 * j) * (size_t)N, *high = low + N;
    // not 2 difference where one side was clipped
    double apart = f->trial[(2 * j + 1) * n + j] - f->trial[2 * j * n + j];
    for (int i = 0; i < N; i++) f->J[i * n + j] = (high[i] - low[i]) / apart;
    if (isnan(low[0]) || isnan(high[0])) return blame(f, "a run beside the estimate failed");
  }
  return status;
}

// J, A and g where it stands
static hn_status differentiate(fitting *f) {
  int n = f->n, N = f->points;
  hn_status status = f->slopes ? differentiate_exactly(f) : differentiate_runs(f);
  memset(f->A, 0, (size_t)(n * n) * sizeof *f->A);
  memset(f->g, 0, (size_t)n * sizeof *f->g);
  for (int i = 0; i < N && !status; i++)
    // A = J^T J in full: the solver takes no half
    for (int j = 0; j < n; j++) {
      f->g[j] += f->J[i * n + j] * f->r[i];
      for (int k = 0; k < n; k++) f->A[j * n + k] += f->J[i * n + j] * f->J[i * n + k];
    }
  return status;
}

// steps for several dampings, each a candidate
// Marquardt's scaling by the diagonal; a direction without effect has 1e-300 there, and does not
// move
static void propose(fitting *f) {
  int n = f->n;
  // a decade below the last damping to two above it
  double *M = f->step + n, l = f->damping / 10;
  for (int t = 0; t < TRIES; t++, l *= 10) {
    memcpy(M, f->A, (size_t)(n * n) * sizeof *M);
    // A with this damping
    for (int j = 0; j < n; j++) {
      M[j * n + j] += l * fmax(f->A[j * n + j], 1e-300);
      f->step[j] = -f->g[j];
    }
    bool good = hn_dense_solve(n, M, f->step);
    for (int j = 0; j < n; j++)
      // no step where the matrix is singular even so: the candidate is where it stands
      f->trial[t * n + j] = good ? fmin(1, fmax(0, f->u[j] + f->step[j])) : f->u[j];
  }
}

// goes to the best of the candidates; false: none is better
// the damping follows the candidate that won: an order of magnitude below it next time
static bool accept(fitting *f, double *change, double *moved) {
  int best = -1, N = f->points;
  double least = f->sum;
  for (int t = 0; t < TRIES; t++) {
    const double *r = f->out + (size_t)t * (size_t)N;
    double sum = isnan(r[0]) ? INFINITY : sum_of_squares(r, N);
    // a run that failed is no candidate
    if (sum < least) least = sum, best = t;
  }
  // a part of the sum: what the tolerance is compared with
  *change = f->sum > 0 ? (f->sum - least) / f->sum : 0;
  *moved = 0;
  if (best < 0) {
    // all four were too long: three decades shorter
    f->damping *= 1000;
    return false;
  }
  for (int j = 0; j < f->n; j++) *moved = fmax(*moved, fabs(f->trial[best * f->n + j] - f->u[j]));
  memcpy(f->u, f->trial + best * f->n, (size_t)f->n * sizeof *f->u);
  memcpy(f->r, f->out + (size_t)best * (size_t)N, (size_t)N * sizeof *f->r);
  f->sum = least;
  // best 0 had the least damping: a tenth of what won
  f->damping = fmax(1e-12, f->damping * hn_pow(10, best - 1) / 10);
  return true;
}

// J is kept while dampings are tried: it costs 2 n runs, a try four
static hn_status iterate(fitting *f, hn_fitted *out) {
  const struct hn_fit *fit = f->study->fit;
  hn_status status = HN_OK;
  for (int i = 0; i < fit->iterations && !status && !out->converged; i++) {
    double change = 0, moved = 0;
    status = differentiate(f);
    bool better = false;
    while (!status && !better && f->damping < 1e12) {
      propose(f);
      status = run_members(f, TRIES);
      if (!status) better = accept(f, &change, &moved);
      // no step helps any more: differences of runs are no smaller than their errors
      // 1e9 times the diagonal is a step of nothing
      if (!status && !better && f->damping > 1e9) out->converged = true, better = true;
    }
    out->iterations = i + 1;
    // little change of the sum, or of the places: both are solutions as far as runs can tell
    if (!status && !out->converged) out->converged = change < fit->tolerance || moved < 1e-9;
    hn_study_progress p = {.runs = fit->iterations, .done = i + 1};
    // the caller may stop it after every iteration
    if (!status && f->options->progress && !f->options->progress(f->options->user, &p))
      status = hn_fail(f->message, HN_ERR_INTERRUPTED, "stopped by the caller");
  }
  return status;
}

// A, scaled to ones in its diagonal, has an inverse worth the name; otherwise says who is to blame
// eigenvectors of the smallest eigenvalue name the factor that enters it most
static hn_status check_told_apart(fitting *f) {
  int n = f->n;
  double *M = f->step + n, w[256], scale[256];
  double *V = malloc((size_t)(n * n) * sizeof *V);
  if (!V) return hn_fail(f->message, HN_ERR_MEMORY, "out of memory");
  // relative to the factor that matters most: 1e-12 of its effect, squared
  double most = 0;
  int worst = -1;
  for (int j = 0; j < n; j++) most = fmax(most, f->A[j * n + j]);
  for (int j = 0; j < n; j++) {
    scale[j] = sqrt(f->A[j * n + j]);
    // sums of squares: their roots are lengths of columns of J
    if (f->A[j * n + j] <= 1e-24 * most) worst = j;
  }
  if (worst >= 0) {
    free(V);
    return hn_fail(f->message, HN_ERR_SINGULAR, "factor '%s' changes nothing of what was measured",
                   f->study->factor[worst].name);
  }
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) M[j * n + k] = f->A[j * n + k] / (scale[j] * scale[k]);
  bool good = hn_dense_symmetric_eigen(n, M, w, V);
  // row 0 of V belongs to the smallest eigenvalue
  worst = 0;
  for (int j = 1; good && j < n; j++)
    if (fabs(V[j]) > fabs(V[worst])) worst = j;
  free(V);
  // differences of runs do not see smaller angles between columns of J
  if (good && w[0] > 1e-7 * w[n - 1]) return HN_OK;
  return hn_fail(f->message, HN_ERR_SINGULAR,
                 "the measurements do not tell factor '%s' from the others",
                 f->study->factor[worst].name);
}

// s^2 A^-1 in the factors' own units
// Linear theory: right where the model is about linear over the errors themselves. By places first,
// then by the slopes of the maps in the factors' own units.
static hn_status find_covariance(fitting *f, hn_fitted *out) {
  const struct hn_fit *fit = f->study->fit;
  int n = f->n;
  hn_status status = differentiate(f);
  if (!status) status = check_told_apart(f);
  bool known = true;
  for (int c = 0; c < fit->columns; c++) known = known && fit->column[c].sigma > 0;
  // as many degrees of freedom as points are left over
  int left = f->points - n;
  out->variance = left > 0 ? f->sum / left : NAN;
  // a sigma that is given says what the scatter is; otherwise residuals say it
  double scale = known ? 1 : out->variance;
  for (int k = 0; k < n && !status; k++) {
    // columns of the inverse one by one
    double *column = f->step;
    memset(column, 0, (size_t)n * sizeof *column);
    column[k] = 1;
    if (!hn_dense_solve(n, f->A, column))
      return hn_fail(f->message, HN_ERR_SINGULAR, "the covariance cannot be found");
    for (int j = 0; j < n; j++)
      out->covariance[j * n + k] = scale * column[j] *
                                   hn_variable_slope(&f->study->factor[j], f->u[j]) *
                                   hn_variable_slope(&f->study->factor[k], f->u[k]);
  }
  for (int j = 0; j < n; j++) {
    out->value[j] = hn_variable_value(&f->study->factor[j], f->u[j]);
    out->error[j] = sqrt(out->covariance[j * n + j]);
    // at an end the linear theory does not hold: the caller is told
    out->at_end[j] = f->u[j] <= 0 || f->u[j] >= 1;
  }
  return status;
}

// ---- memory ----------------------------------------------------------------------------------

static bool create(fitting *f, hn_fitted *out) {
  // two runs a factor, or four trials: whatever is more
  size_t n = (size_t)f->n, N = (size_t)f->points, members = 2 * n > TRIES ? 2 * n : TRIES;
  f->u = calloc(n, sizeof(double));
  f->r = calloc(N + 1, sizeof(double));
  f->J = calloc(N * n + 1, sizeof(double));
  f->trial = calloc(members * n, sizeof(double));
  f->value = calloc(members * n, sizeof(double));
  f->out = calloc(members * N + 1, sizeof(double));
  f->A = calloc(n * n, sizeof(double));
  f->g = calloc(n, sizeof(double));
  f->step = calloc(n + n * n, sizeof(double));
  out->value = calloc(n, sizeof(double));
  out->error = calloc(n, sizeof(double));
  out->at_end = calloc(n, sizeof(bool));
  out->covariance = calloc(n * n, sizeof(double));
  return f->u && f->r && f->J && f->trial && f->value && f->out && f->A && f->g && f->step &&
         out->value && out->error && out->at_end && out->covariance;
}

static void release(fitting *f) {
  hn_slopes_close(f->slopes);
  free(f->u), free(f->r), free(f->J), free(f->trial), free(f->value);
  free(f->out), free(f->A), free(f->g), free(f->step);
}

void hn_fitted_destroy(hn_fitted *fitted) {
  if (!fitted) return;
  free(fitted->value);
  free(fitted->error);
  free(fitted->at_end);
  free(fitted->covariance);
  hn_result_destroy(fitted->residuals);
  free(fitted);
}

// measured and modelled, side by side: a row for every point; what a row has not is not a number
// files are sampled at times of their own: a row has one point
static hn_status tell_residuals(const fitting *f, hn_fitted *out) {
  const struct hn_fit *fit = f->study->fit;
  // time, and three columns for each that was measured
  hn_result *result = hn_result_create(f->study->name, 1 + 3 * fit->columns);
  if (!result) return HN_ERR_MEMORY;
  out->residuals = result;
  hn_status status = hn_result_set_column(result, 0, "time", "s");
  int k = 0;
  for (int c = 0; c < fit->columns && !status; c++) {
    static const char *const tail[] = {"measured", "model", "residual"};
    for (int i = 0; i < 3 && !status; i++) {
      char name[160];
      snprintf(name, sizeof name, "%.120s.%s", fit->column[c].name, tail[i]);
      status = hn_result_set_column(result, 1 + 3 * c + i, name, "");
    }
  }
  for (int c = 0; c < fit->columns && !status; c++)
    for (int i = 0; i < fit->column[c].count; i++, k++) {
      double *row = hn_result_append(result);
      if (!row) return HN_ERR_MEMORY;
      // back in the unit of the column
      double off = f->r[k] * (fit->column[c].sigma > 0 ? fit->column[c].sigma : 1);
      for (int j = 0; j < 3 * fit->columns; j++) row[1 + j] = NAN;
      row[0] = fit->column[c].time[i];
      row[1 + 3 * c] = fit->column[c].value[i];
      row[2 + 3 * c] = fit->column[c].value[i] + off;
      row[3 + 3 * c] = off;
    }
  return status;
}

// the middle of all ranges (of their logarithm where that is the law)
static hn_status start(fitting *f) {
  // places in the middle: nothing is known that would speak for another
  for (int j = 0; j < f->n; j++) f->u[j] = 0.5;
  memcpy(f->trial, f->u, (size_t)f->n * sizeof *f->u);
  hn_status status = run_members(f, 1);
  if (status) return status;
  // nothing to compare with: a fit cannot begin there
  if (isnan(f->out[0])) return blame(f, "the run in the middle of all ranges failed");
  memcpy(f->r, f->out, (size_t)f->points * sizeof *f->r);
  f->sum = sum_of_squares(f->r, f->points);
  // a hundredth of the diagonal: nearly Gauss and Newton's step
  f->damping = 1e-2;
  return HN_OK;
}

hn_status hn_study_fit(const hn_study *study, const hn_study_options *options, hn_fitted **out,
                       char *message, size_t size) {
  static const hn_study_options plain;
  *out = NULL;
  if (!study->fit) {
    snprintf(message, size, "%s: there is no section 'fit'", study->file);
    return HN_ERR_ARGUMENT;
  }
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  fitting f = {.study = study, .options = options ? options : &plain, .n = study->factors};
  f.points = study->fit->points;
  // one thread a processor, unless told otherwise
  f.jobs = f.options->jobs > 0 ? f.options->jobs : processors > 0 ? (int)processors : 1;
  pthread_mutex_init(&f.lock, NULL);
  hn_fitted *fitted = calloc(1, sizeof *fitted);
  hn_status status = fitted && create(&f, fitted) ? HN_OK : HN_ERR_MEMORY;
  if (status) snprintf(f.message, sizeof f.message, "out of memory");
  if (!status && study->fit->exact)
    status = hn_slopes_open(study, &f.slopes, f.message, sizeof f.message);
  if (!status) status = start(&f);
  if (!status) status = iterate(&f, fitted);
  if (!status) status = find_covariance(&f, fitted);
  if (!status) status = tell_residuals(&f, fitted);
  if (!status) {
    fitted->points = f.points;
    fitted->runs = f.runs;
    fitted->factors = f.n;
    *out = fitted;
  } else {
    snprintf(message, size, "%s", f.message);
    hn_fitted_destroy(fitted);
  }
  release(&f);
  pthread_mutex_destroy(&f.lock);
  return status;
}
