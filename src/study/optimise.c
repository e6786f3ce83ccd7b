// optimise.c: the values of the factors for which a metric is least (optimise.h).
// What stands between a way of searching and the runs: places become values, runs are looked up in
// the store or computed, the best is kept. The best is that of all runs, those for differences
// included: a search that ends early has found what it has found.
#include "study/optimise.h"
#include "base/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// those of the library, then those of NLopt where it was built with them
const hn_optimiser *hn_optimiser_at(int index) {
  static const hn_optimiser *const own[] = {&hn_optimiser_cma, &hn_optimiser_sqp};
  // names of methods are looked for from the first: those of the library win
  enum { OWN = sizeof own / sizeof *own };
  if (index < OWN) return own[index];
  for (int i = 0; hn_optimiser_nlopt[i].name; i++)
    if (i == index - OWN) return &hn_optimiser_nlopt[i];
  return NULL;
}

const char *hn_study_method_at(int index, const char **help) {
  // help may be NULL
  const hn_optimiser *way = index >= 0 ? hn_optimiser_at(index) : NULL;
  if (way && help) *help = way->help;
  return way ? way->name : NULL;
}

double hn_variable_value(const hn_factor *f, double u) {
  // reflected at 0 and 1
  // period 2: up over [0, 1], down over [1, 2]
  u = fabs(fmod(u, 2));
  if (u > 1) u = 2 - u;
  // the end itself, which rounding of the law might miss
  if (u >= 1) return f->b;
  return hn_factor_value(f, u);
}

double hn_variable_place(const hn_factor *f, double value) {
  // the inverse of the law: place 0 is a, place 1 is b
  if (f->law == HN_LAW_LOG) return hn_log(value / f->a) / hn_log(f->b / f->a);
  return (value - f->a) / (f->b - f->a);
}

// d/du of a (b/a)^u is the value times log(b/a)
double hn_variable_slope(const hn_factor *f, double u) {
  return f->law == HN_LAW_LOG ? hn_variable_value(f, u) * hn_log(f->b / f->a) : f->b - f->a;
}

// ---- ranking ---------------------------------------------------------------------------------

bool hn_optimising_values(const hn_optimising *w, int index, double *value) {
  // columns of a row: factors, metrics, constraints
  const hn_run_row *row = &w->row[index];
  const double *metric = row->values + w->n, *constraint = metric + w->study->metrics.metrics;
  const struct hn_optimise *o = w->study->optimise;
  // searches make things least
  value[0] = o->maximise ? -metric[o->metric] : metric[o->metric];
  // runs that failed their audit or failed altogether have values that mean nothing
  bool known = row->status <= HN_ROW_STOPPED && isfinite(value[0]);
  for (int i = 0; i < w->constraints; i++) {
    value[1 + i] = constraint[i];
    known = known && isfinite(constraint[i]);
  }
  return known;
}

// K. Deb's rule: feasible runs by the metric, others by the sum of what they violate, without a
// factor between them that would have to be chosen
hn_candidate hn_optimising_judge(const hn_optimising *w, int index) {
  const hn_run_row *row = &w->row[index];
  const struct hn_optimise *o = w->study->optimise;
  const double *metric = row->values + w->n;
  const double *constraint = metric + w->study->metrics.metrics;
  // class 2 until there is a number
  hn_candidate c = {index, 2, 0};
  double value = o->maximise ? -metric[o->metric] : metric[o->metric];
  // a metric of nan cannot be compared with any other
  if (row->status > HN_ROW_STOPPED || isnan(value)) return c;
  c.class = row->feasible ? 0 : 1;
  c.value = value;
  if (c.class == 0) return c;
  c.value = 0;
  for (int i = 0; i < w->constraints; i++) {
    if (isnan(constraint[i])) return (hn_candidate){index, 2, 0};
    // what is kept counts nothing, however well
    c.value += fmax(constraint[i], 0);
  }
  return c;
}

int hn_candidate_compare(const void *a, const void *b) {
  const hn_candidate *x = a, *y = b;
  // qsort wants an order without ties: the index breaks them
  if (x->class != y->class) return x->class - y->class;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->index - y->index;
}

// ---- runs ------------------------------------------------------------------------------------

// The table is sorted by run. Values are compared bit by bit: the same study asks for the same
// places, to the last bit, in the same order.
static void find_old(hn_optimising *w, int k) {
  hn_run_row *row = &w->row[k];
  // by bisection for the number of the run
  long low = 0, high = w->old ? w->old->rows : 0, run = row->k;
  while (low < high) {
    long middle = (low + high) / 2;
    if (w->old->row[middle].run < run)
      low = middle + 1;
    else
      high = middle;
  }
  if (!w->old || low >= w->old->rows || w->old->row[low].run != run) return;
  // row by row, n factors first
  const double *values = w->old->values + low * w->columns;
  // a row of other values is not of this search
  if (memcmp(values, row->values, (size_t)w->n * sizeof *values) != 0) return;
  memcpy(row->values, values, (size_t)w->columns * sizeof *values);
  row->status = w->old->row[low].status;
  row->feasible = w->old->row[low].feasible;
  w->known[k] = true;
}

// rows of the batch before are not needed any more: no realloc
static bool make_room(hn_optimising *w, int count) {
  if (count <= w->room) return true;
  size_t rows = (size_t)count, columns = (size_t)w->columns;
  free(w->row), free(w->row_values), free(w->values), free(w->known);
  w->room = 0;
  w->row = calloc(rows, sizeof *w->row);
  w->row_values = calloc(rows * columns, sizeof *w->row_values);
  w->values = calloc(rows * (size_t)w->n, sizeof *w->values);
  w->known = calloc(rows, sizeof *w->known);
  if (!w->row || !w->row_values || !w->values || !w->known) return false;
  w->room = count;
  return true;
}

// equal ones: the first stays, so that the answer does not depend on the number of threads
static void note_best(hn_optimising *w, int count) {
  for (int k = 0; k < count; k++) {
    hn_candidate c = hn_optimising_judge(w, k);
    // ties go to who came first, whichever thread computed it
    c.index = 0;
    // NAN classes are 2: a best run is kept even if none has a metric
    if (w->best->run >= 0 && hn_candidate_compare(&c, &w->best_rank) >= 0) continue;
    w->best_rank = c;
    w->best->run = w->row[k].k;
    w->best->feasible = w->row[k].feasible;
    memcpy(w->best->values, w->row[k].values, (size_t)w->columns * sizeof(double));
  }
}

bool hn_optimising_has_room(const hn_optimising *w, long runs) {
  return w->best->evaluations + runs <= w->most;
}

// A batch counts against the limit as a whole; ways ask hn_optimising_has_room first.
hn_status hn_optimising_run(hn_optimising *w, int count, const double *place) {
  int n = w->n;
  if (!make_room(w, count)) return hn_fail(w->message, HN_ERR_MEMORY, "out of memory");
  // runs are numbered through: those of a resumed search have the same numbers
  long first = w->best->evaluations;
  for (int k = 0; k < count; k++) {
    hn_run_row *row = &w->row[k];
    *row = (hn_run_row){.k = first + k, .values = w->row_values + (size_t)k * (size_t)w->columns};
    w->known[k] = false;
    for (int i = 0; i < n; i++)
      // values as the store has them: after mapping and reflection
      row->values[i] = w->values[k * n + i] =
          hn_variable_value(&w->study->factor[i], place[k * n + i]);
    for (int i = n; i < w->columns; i++) row->values[i] = NAN;
    find_old(w, k);
  }
  hn_points points = {first, count, w->values, w->row, w->known};
  // the batch is no study of its own: its progress would be told twice
  hn_study_options o = *w->options;
  o.progress = NULL;
  hn_status status = hn_points_run(w->study, &o, w->store, &points, w->message);
  if (status) return status;
  note_best(w, count);
  w->best->evaluations += count;
  // counted by the limit, since nobody knows when a search will have converged
  hn_study_progress p = {.runs = w->most, .done = w->best->evaluations};
  if (w->options->progress && !w->options->progress(w->options->user, &p))
    status = hn_fail(w->message, HN_ERR_INTERRUPTED, "stopped by the caller");
  return status;
}

// ---- derivatives -----------------------------------------------------------------------------

static const double difference = 1e-4;  // of a range; that of runs has their errors

long hn_optimising_slopes_cost(const hn_optimising *w) {
  // exact ones are no runs of their own
  return w->slopes ? 0 : 2 * (long)w->n;
}

// derivatives by values, then by the chain rule those by places
static hn_status exact_slopes(hn_optimising *w, const double *place, double *slope) {
  const struct hn_optimise *o = w->study->optimise;
  // place for the values, then derivatives: metrics x n
  int n = w->n, metrics = w->study->metrics.metrics;
  double *value = w->beside, *all = value + n;
  for (int j = 0; j < n; j++) value[j] = hn_variable_value(&w->study->factor[j], place[j]);
  // going back costs as much for every metric, going along for every factor
  hn_way way = metrics + w->constraints < n ? HN_BACKWARD : HN_FORWARD;
  hn_status status =
      hn_slopes_metrics(w->slopes, value, way, NULL, all, w->message, sizeof w->message);
  for (int i = 0; i <= w->constraints && !status; i++)
    for (int j = 0; j < n; j++) {
      // constraint i stands behind all metrics
      const double *from = all + (i ? metrics + i - 1 : o->metric) * n;
      double sign = i == 0 && o->maximise ? -1 : 1;
      slope[i * n + j] = sign * from[j] * hn_variable_slope(&w->study->factor[j], place[j]);
    }
  return status;
}

// central differences; at the end of a range to one side
// all 2 n runs at a time: they are the parallel part of a descent
static hn_status difference_slopes(hn_optimising *w, const double *place, double *slope) {
  int n = w->n;
  for (int j = 0; j < n; j++)
    for (int side = 0; side < 2; side++) {
      double *u = w->beside + (2 * j + side) * n;
      memcpy(u, place, (size_t)n * sizeof *u);
      u[j] = fmin(1, fmax(0, u[j] + (side ? difference : -difference)));
    }
  hn_status status = hn_optimising_run(w, 2 * n, w->beside);
  // behind the places: two sets of values
  double *low = w->beside + 2 * n * n, *high = low + 1 + w->constraints;
  for (int j = 0; j < n && !status; j++) {
    // less than twice the difference at an end of the range
    double apart = w->beside[(2 * j + 1) * n + j] - w->beside[2 * j * n + j];
    if (!hn_optimising_values(w, 2 * j, low) || !hn_optimising_values(w, 2 * j + 1, high))
      return hn_fail(w->message, HN_ERR_STEP, "a run beside the best one failed: %.300s",
                     w->row[2 * j].message[0] ? w->row[2 * j].message : w->row[2 * j + 1].message);
    for (int i = 0; i <= w->constraints; i++) slope[i * n + j] = (high[i] - low[i]) / apart;
  }
  return status;
}

hn_status hn_optimising_slopes(hn_optimising *w, const double *place, double *slope) {
  return w->slopes ? exact_slopes(w, place, slope) : difference_slopes(w, place, slope);
}

// ---- the search ------------------------------------------------------------------------------

// w->beside is room for the places of differences (2 n n), two sets of values, and exact
// derivatives
static hn_status open_search(hn_optimising *w) {
  const hn_study *study = w->study;
  const struct hn_optimise *o = study->optimise;
  size_t n = (size_t)w->n, values = (size_t)(study->metrics.metrics + w->constraints) + 1;
  w->best->values = calloc((size_t)w->columns, sizeof(double));
  w->best->method = o->way->name;
  w->best->run = -1;
  // whatever is larger: places of differences, or values and derivatives of exact ones
  w->beside = calloc(2 * n * n + n + (n + 2) * values, sizeof *w->beside);
  if (!w->best->values || !w->beside) return hn_fail(w->message, HN_ERR_MEMORY, "out of memory");
  hn_status status = HN_OK;
  if (o->way->derivatives && o->exact)
    status = hn_slopes_open(study, &w->slopes, w->message, sizeof w->message);
  // searches in memory ask for everything anew
  if (status || !w->options->store) return status;
  status = hn_store_open(&w->store, study, w->options, w->message);
  return status ? status : hn_store_rows(w->store, &w->old, w->message);
}

hn_status hn_study_optimise(const hn_study *study, const hn_study_options *options,
                            hn_optimum **out, char *message, size_t size) {
  static const hn_study_options plain;
  *out = NULL;
  if (!study->optimise) {
    snprintf(message, size, "%s: there is no section 'optimise'", study->file);
    return HN_ERR_ARGUMENT;
  }
  const hn_optimiser *way = study->optimise->way;
  hn_optimising w = {.study = study,
                     .options = options ? options : &plain,
                     .n = study->factors,
                     .constraints = study->metrics.constraints,
                     .columns = hn_study_columns(study, NULL),
                     .most = study->runs};
  w.best = calloc(1, sizeof *w.best);
  hn_status status = w.best ? open_search(&w) : hn_fail(w.message, HN_ERR_MEMORY, "out of memory");
  if (!status) status = way->search(&w, way);
  hn_store_close(w.store);
  // everything that search opened, in any state
  hn_study_table_destroy(w.old);
  hn_slopes_close(w.slopes);
  free(w.row), free(w.row_values), free(w.values), free(w.known), free(w.beside);
  if (status) snprintf(message, size, "%s", w.message);
  bool some = w.best && w.best->run >= 0;
  // an interrupted search tells what it has found; others may have stopped before anything was
  // worth telling
  if (some && (!status || status == HN_ERR_INTERRUPTED))
    *out = w.best;
  else
    hn_optimum_destroy(w.best);
  return status;
}

void hn_optimum_destroy(hn_optimum *optimum) {
  if (!optimum) return;
  free(optimum->values);
  free(optimum);
}
