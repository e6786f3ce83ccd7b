// optimise.c: the values of the factors for which a metric is least.
//
// CMA-ES: N. Hansen, The CMA evolution strategy: a tutorial (arXiv:1604.00772), equations by
// number. Variables are places between 0 and 1 in the ranges of the factors (of their logarithm
// where it is the law); a place outside is reflected at the ends. Candidates are ranked: those that
// keep all constraints by the metric, others behind them by how much they violate, those without
// metrics last (K. Deb, Comput. Methods Appl. Mech. Engrg. 186 (2000) 311), which is all that
// CMA-ES wants to know. Every random number has a place of its own (generation, member, variable),
// so a search that is resumed from the rows in the store goes on as if it had never stopped.
#include "study/random.h"
#include "study/search.h"
#include "study/table.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double hn_variable_value(const hn_factor *f, double u) {
  // reflected at 0 and 1
  u = fabs(fmod(u, 2));
  if (u > 1) u = 2 - u;
  if (u >= 1) return f->b;
  return hn_factor_value(f, u);
}

double hn_variable_place(const hn_factor *f, double value) {
  if (f->law == HN_LAW_LOG) return log(value / f->a) / log(f->b / f->a);
  return (value - f->a) / (f->b - f->a);
}

// ---- the strategy ----------------------------------------------------------------------------

typedef struct strategy {
  int n, lambda, mu;
  double *weight;  // mu, their sum is 1
  double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi;
  double *mean, *p_sigma, *p_c;  // n
  double *C, *B, *D;             // covariance, its axes (rows), roots of its eigenvalues
  double sigma;
  double *y, *x;  // lambda x n: steps C^(1/2) z, places
  long generation;
} strategy;

// (49) to (58), with positive weights only
static void set_constants(strategy *s) {
  double n = s->n, sum = 0, squares = 0;
  for (int i = 0; i < s->mu; i++) {
    s->weight[i] = log(s->lambda / 2.0 + 0.5) - log(i + 1.0);
    sum += s->weight[i];
  }
  for (int i = 0; i < s->mu; i++) {
    s->weight[i] /= sum;
    squares += s->weight[i] * s->weight[i];
  }
  s->mu_eff = 1 / squares;
  s->c_sigma = (s->mu_eff + 2) / (n + s->mu_eff + 5);
  s->d_sigma = 1 + 2 * fmax(0, sqrt((s->mu_eff - 1) / (n + 1)) - 1) + s->c_sigma;
  s->c_c = (4 + s->mu_eff / n) / (n + 4 + 2 * s->mu_eff / n);
  s->c_1 = 2 / ((n + 1.3) * (n + 1.3) + s->mu_eff);
  s->c_mu = fmin(1 - s->c_1,
                 2 * (0.25 + s->mu_eff + 1 / s->mu_eff - 2) / ((n + 2) * (n + 2) + s->mu_eff));
  s->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

static bool create(strategy *s, const hn_study *study) {
  const struct hn_optimise *o = study->optimise;
  int n = study->factors;
  s->n = n;
  s->lambda = o->population ? o->population : 4 + (int)(3 * log(n));
  s->mu = s->lambda / 2;
  size_t m = (size_t)n, l = (size_t)s->lambda;
  double *block = calloc(l + 4 * m + 2 * m * m + 2 * l * m + 1, sizeof *block);
  if (!block) return false;
  s->weight = block, block += l;
  s->mean = block, block += m;
  s->p_sigma = block, block += m;
  s->p_c = block, block += m;
  s->D = block, block += m;
  s->C = block, block += m * m;
  s->B = block, block += m * m;
  s->y = block, block += l * m;
  s->x = block;
  for (int i = 0; i < n; i++) {
    s->mean[i] = 0.5;
    s->C[i * n + i] = s->B[i * n + i] = s->D[i] = 1;
  }
  s->sigma = o->step;
  set_constants(s);
  return true;
}

// C = B D^2 B^T; row k of B is an axis
static bool take_apart(strategy *s) {
  if (!hn_dense_symmetric_eigen(s->n, s->C, s->D, s->B)) return false;
  for (int i = 0; i < s->n; i++) {
    if (!(s->D[i] > 0)) return false;
    s->D[i] = sqrt(s->D[i]);
  }
  return true;
}

// y = B D z, (37) to (40)
static void sample(strategy *s, uint64_t seed) {
  int n = s->n;
  for (int k = 0; k < s->lambda; k++) {
    double *y = s->y + k * n, *x = s->x + k * n;
    memset(y, 0, (size_t)n * sizeof *y);
    uint64_t index = (uint64_t)s->generation * (uint64_t)s->lambda + (uint64_t)k;
    for (int j = 0; j < n; j++) {
      double z = hn_normal_quantile(hn_random_open(seed, index, j, HN_DRAW_SEARCH));
      for (int i = 0; i < n; i++) y[i] += s->B[j * n + i] * s->D[j] * z;
    }
    for (int i = 0; i < n; i++) x[i] = s->mean[i] + s->sigma * y[i];
  }
}

// (41) to (47); order[0] is the best candidate
static void update(strategy *s, const int *order) {
  int n = s->n;
  double mean_y[256] = {0}, z[256] = {0}, length = 0;
  for (int i = 0; i < s->mu; i++)
    for (int j = 0; j < n; j++) mean_y[j] += s->weight[i] * s->y[order[i] * n + j];
  for (int j = 0; j < n; j++) s->mean[j] += s->sigma * mean_y[j];
  // C^(-1/2) <y> = B D^-1 B^T <y>
  for (int k = 0; k < n; k++) {
    double along = 0;
    for (int j = 0; j < n; j++) along += s->B[k * n + j] * mean_y[j];
    for (int j = 0; j < n; j++) z[j] += s->B[k * n + j] * along / s->D[k];
  }
  double pull = sqrt(s->c_sigma * (2 - s->c_sigma) * s->mu_eff);
  for (int j = 0; j < n; j++) {
    s->p_sigma[j] = (1 - s->c_sigma) * s->p_sigma[j] + pull * z[j];
    length += s->p_sigma[j] * s->p_sigma[j];
  }
  length = sqrt(length);
  double settled = sqrt(1 - pow(1 - s->c_sigma, 2 * (double)(s->generation + 1)));
  bool calm = length / settled < (1.4 + 2 / (n + 1.0)) * s->chi;
  double path = calm ? sqrt(s->c_c * (2 - s->c_c) * s->mu_eff) : 0;
  for (int j = 0; j < n; j++) s->p_c[j] = (1 - s->c_c) * s->p_c[j] + path * mean_y[j];
  double lost = calm ? 0 : s->c_1 * s->c_c * (2 - s->c_c);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double rank = 0;
      for (int k = 0; k < s->mu; k++)
        rank += s->weight[k] * s->y[order[k] * n + i] * s->y[order[k] * n + j];
      s->C[i * n + j] = (1 + lost - s->c_1 - s->c_mu) * s->C[i * n + j] +
                        s->c_1 * s->p_c[i] * s->p_c[j] + s->c_mu * rank;
    }
  s->sigma *= exp(s->c_sigma / s->d_sigma * (length / s->chi - 1));
  s->generation++;
}

// ---- ranking ---------------------------------------------------------------------------------

typedef struct candidate {
  int index;
  int class;     // 0: keeps all constraints, 1: has metrics, 2: has none
  double value;  // the metric, or how much is violated
} candidate;

static candidate judge(const hn_study *study, const hn_run_row *row, int index) {
  const struct hn_optimise *o = study->optimise;
  const double *metric = row->values + study->factors;
  const double *constraint = metric + study->metrics.metrics;
  candidate c = {index, 2, 0};
  double value = o->maximise ? -metric[o->metric] : metric[o->metric];
  if (row->status > HN_ROW_STOPPED || isnan(value)) return c;
  c.class = row->feasible ? 0 : 1;
  c.value = value;
  if (c.class == 0) return c;
  c.value = 0;
  for (int i = 0; i < study->metrics.constraints; i++) {
    if (isnan(constraint[i])) return (candidate){index, 2, 0};
    c.value += fmax(constraint[i], 0);
  }
  return c;
}

static int compare(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->class != y->class) return x->class - y->class;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->index - y->index;
}

// ---- the search ------------------------------------------------------------------------------

typedef struct search {
  const hn_study *study;
  const hn_study_options *options;
  strategy s;
  hn_store *store;
  hn_study_table *old;  // rows found in the store
  int columns;
  hn_run_row *row;
  double *row_values, *values;
  bool *known;
  candidate *rank;
  int *order;
  hn_optimum *best;
  candidate best_rank;
} search;

static void find_old(search *w, int k) {
  hn_run_row *row = &w->row[k];
  long low = 0, high = w->old ? w->old->rows : 0, run = row->k;
  while (low < high) {
    long middle = (low + high) / 2;
    if (w->old->row[middle].run < run)
      low = middle + 1;
    else
      high = middle;
  }
  if (!w->old || low >= w->old->rows || w->old->row[low].run != run) return;
  const double *values = w->old->values + low * w->columns;
  // a row of other values is not of this search
  if (memcmp(values, row->values, (size_t)w->study->factors * sizeof *values) != 0) return;
  memcpy(row->values, values, (size_t)w->columns * sizeof *values);
  row->status = w->old->row[low].status;
  row->feasible = w->old->row[low].feasible;
  w->known[k] = true;
}

static hn_status evaluate(search *w, char message[HN_MESSAGE]) {
  int n = w->study->factors, lambda = w->s.lambda;
  long first = w->s.generation * lambda;
  for (int k = 0; k < lambda; k++) {
    hn_run_row *row = &w->row[k];
    *row = (hn_run_row){.k = first + k, .values = w->row_values + (size_t)k * (size_t)w->columns};
    w->known[k] = false;
    for (int i = 0; i < n; i++)
      row->values[i] = w->values[k * n + i] =
          hn_variable_value(&w->study->factor[i], w->s.x[k * n + i]);
    for (int i = n; i < w->columns; i++) row->values[i] = NAN;
    find_old(w, k);
  }
  hn_points points = {first, lambda, w->values, w->row, w->known};
  hn_study_options o = *w->options;
  o.progress = NULL;
  return hn_points_run(w->study, &o, w->store, &points, message);
}

static void rank_all(search *w) {
  int lambda = w->s.lambda;
  for (int k = 0; k < lambda; k++) w->rank[k] = judge(w->study, &w->row[k], k);
  qsort(w->rank, (size_t)lambda, sizeof *w->rank, compare);
  for (int k = 0; k < lambda; k++) w->order[k] = w->rank[k].index;
  candidate best = w->rank[0];
  best.index = 0;
  if (w->s.generation > 0 && compare(&best, &w->best_rank) >= 0) return;
  w->best_rank = best;
  const hn_run_row *row = &w->row[w->order[0]];
  w->best->run = row->k;
  w->best->feasible = row->feasible;
  memcpy(w->best->values, row->values, (size_t)w->columns * sizeof(double));
}

static bool has_converged(const search *w) {
  double widest = 0;
  for (int i = 0; i < w->s.n; i++) widest = fmax(widest, sqrt(w->s.C[i * w->s.n + i]));
  return w->s.sigma * widest < w->study->optimise->tolerance;
}

static hn_status go(search *w, char message[HN_MESSAGE]) {
  strategy *s = &w->s;
  hn_status status = HN_OK;
  long generations = w->study->runs / s->lambda;
  while (!status && s->generation < generations) {
    if (!take_apart(s)) return hn_fail(message, HN_ERR_SINGULAR, "the search has lost a direction");
    sample(s, w->study->seed);
    status = evaluate(w, message);
    if (status) break;
    rank_all(w);
    update(s, w->order);
    w->best->evaluations = s->generation * s->lambda;
    w->best->generations = s->generation;
    w->best->spread = s->sigma;
    w->best->converged = has_converged(w);
    if (w->best->converged) break;
    hn_study_progress p = {.runs = w->study->runs, .done = w->best->evaluations};
    if (w->options->progress && !w->options->progress(w->options->user, &p))
      status = hn_fail(message, HN_ERR_INTERRUPTED, "stopped by the caller");
  }
  return status;
}

static hn_status open_search(search *w, char message[HN_MESSAGE]) {
  const hn_study *study = w->study;
  if (!create(&w->s, study)) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  size_t lambda = (size_t)w->s.lambda, columns = (size_t)w->columns;
  w->row = calloc(lambda, sizeof *w->row);
  w->row_values = calloc(lambda * columns, sizeof *w->row_values);
  w->values = calloc(lambda * (size_t)study->factors, sizeof *w->values);
  w->known = calloc(lambda, sizeof *w->known);
  w->rank = calloc(lambda, sizeof *w->rank);
  w->order = calloc(lambda, sizeof *w->order);
  w->best->values = calloc(columns, sizeof(double));
  if (!w->row || !w->row_values || !w->values || !w->known || !w->rank || !w->order ||
      !w->best->values)
    return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (!w->options->store) return HN_OK;
  hn_status status = hn_store_open(&w->store, study, w->options, message);
  return status ? status : hn_store_rows(w->store, &w->old, message);
}

hn_status hn_study_optimise(const hn_study *study, const hn_study_options *options,
                            hn_optimum **out, char *message, size_t size) {
  static const hn_study_options plain;
  char text[HN_MESSAGE];
  *out = NULL;
  if (!study->optimise) {
    snprintf(message, size, "%s: there is no section 'optimise'", study->file);
    return HN_ERR_ARGUMENT;
  }
  search w = {.study = study, .options = options ? options : &plain};
  w.columns = hn_study_columns(study, NULL);
  w.best = calloc(1, sizeof *w.best);
  hn_status status = w.best ? open_search(&w, text) : hn_fail(text, HN_ERR_MEMORY, "out of memory");
  if (!status) status = go(&w, text);
  hn_store_close(w.store);
  hn_study_table_destroy(w.old);
  free(w.s.weight);
  free(w.row), free(w.row_values), free(w.values), free(w.known), free(w.rank), free(w.order);
  if (status) snprintf(message, size, "%s", text);
  if (!status || status == HN_ERR_INTERRUPTED)
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
