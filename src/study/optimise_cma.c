// optimise_cma.c: CMA-ES, a population at a time, without derivatives.
//
// N. Hansen, The CMA evolution strategy: a tutorial (arXiv:1604.00772), equations by number. A
// place outside the ranges is reflected at the ends. Candidates are ranked: those that keep all
// constraints by the metric, others behind them by how much they violate, those without metrics
// last (K. Deb, Comput. Methods Appl. Mech. Engrg. 186 (2000) 311), which is all that CMA-ES wants
// to know. Every random number has a place of its own (generation, member, variable).
#include "base/elementary.h"
#include "study/optimise.h"
#include "study/random.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// names are those of the tutorial
typedef struct strategy {
  int n, lambda, mu;  // variables, population, parents
  double *weight;     // mu, their sum is 1
  double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi;
  double *mean, *p_sigma, *p_c;  // n: mean, paths of step size and of C
  double *C, *B, *D;             // covariance, its axes (rows), roots of its eigenvalues
  double sigma;
  double *y, *x;  // lambda x n: steps C^(1/2) z, places
  long generation;
} strategy;

// (49) to (58), with positive weights only
static void set_constants(strategy *s) {
  double n = s->n, sum = 0, squares = 0;
  for (int i = 0; i < s->mu; i++) {
    // logarithms: the best half counts, the best most
    s->weight[i] = hn_log(s->lambda / 2.0 + 0.5) - hn_log(i + 1.0);
    sum += s->weight[i];
  }
  for (int i = 0; i < s->mu; i++) {
    s->weight[i] /= sum;
    squares += s->weight[i] * s->weight[i];
  }
  // how many parents the weighted mean is worth: mu, if all weights were the same
  s->mu_eff = 1 / squares;
  s->c_sigma = (s->mu_eff + 2) / (n + s->mu_eff + 5);
  s->d_sigma = 1 + 2 * fmax(0, sqrt((s->mu_eff - 1) / (n + 1)) - 1) + s->c_sigma;
  s->c_c = (4 + s->mu_eff / n) / (n + 4 + 2 * s->mu_eff / n);
  s->c_1 = 2 / ((n + 1.3) * (n + 1.3) + s->mu_eff);
  s->c_mu = fmin(1 - s->c_1,
                 2 * (0.25 + s->mu_eff + 1 / s->mu_eff - 2) / ((n + 2) * (n + 2) + s->mu_eff));
  // about the mean length of a standard normal vector
  s->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

// one block; it begins with the weights, by which it is freed
static bool create(strategy *s, const hn_study *study) {
  const struct hn_optimise *o = study->optimise;
  int n = study->factors;
  s->n = n;
  // the tutorial's default
  s->lambda = o->population ? o->population : 4 + (int)(3 * hn_log(n));
  s->mu = s->lambda / 2;
  // y and x are lambda x n
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
    // the middle of all ranges, and ranges count alike: the cube is what the search moves in
    s->mean[i] = 0.5;
    s->C[i * n + i] = s->B[i * n + i] = s->D[i] = 1;
  }
  s->sigma = o->step;
  set_constants(s);
  return true;
}

// C = B D^2 B^T; row k of B is an axis
// every generation: a few variables, and runs that cost far more
static bool take_apart(strategy *s) {
  if (!hn_dense_symmetric_eigen(s->n, s->C, s->D, s->B)) return false;
  for (int i = 0; i < s->n; i++) {
    // rounding has eaten the smallest one
    if (!(s->D[i] > 0)) return false;
    s->D[i] = sqrt(s->D[i]);
  }
  return true;
}

// y = B D z, (37) to (40)
static void sample(strategy *s, uint64_t seed) {
  // places may lie outside of [0, 1]: values are reflected (hn_variable_value), steps are not
  int n = s->n;
  for (int k = 0; k < s->lambda; k++) {
    double *y = s->y + k * n, *x = s->x + k * n;
    memset(y, 0, (size_t)n * sizeof *y);
    // numbered through all generations: no two draws have the same place
    uint64_t index = (uint64_t)s->generation * (uint64_t)s->lambda + (uint64_t)k;
    for (int j = 0; j < n; j++) {
      double z = hn_normal_quantile(hn_random_open(seed, index, j, HN_DRAW_SEARCH));
      for (int i = 0; i < n; i++) y[i] += s->B[j * n + i] * s->D[j] * z;
    }
    for (int i = 0; i < n; i++) x[i] = s->mean[i] + s->sigma * y[i];
  }
}

// (41) to (47); order[0] is the best candidate
// Means, paths, covariance, step size, in this order: the paths want the mean's step in units of
// the old covariance.
static void update(strategy *s, const int *order) {
  int n = s->n;
  // 256: the most factors
  double mean_y[256] = {0}, z[256] = {0}, length = 0;
  for (int i = 0; i < s->mu; i++)
    for (int j = 0; j < n; j++) mean_y[j] += s->weight[i] * s->y[order[i] * n + j];
  for (int j = 0; j < n; j++) s->mean[j] += s->sigma * mean_y[j];
  // (43) wants the mean's step whitened: C^(-1/2) <y> = B D^-1 B^T <y>
  for (int k = 0; k < n; k++) {
    double along = 0;
    for (int j = 0; j < n; j++) along += s->B[k * n + j] * mean_y[j];
    for (int j = 0; j < n; j++) z[j] += s->B[k * n + j] * along / s->D[k];
  }
  // with this factor a path of random steps keeps a length of about chi
  double pull = sqrt(s->c_sigma * (2 - s->c_sigma) * s->mu_eff);
  for (int j = 0; j < n; j++) {
    s->p_sigma[j] = (1 - s->c_sigma) * s->p_sigma[j] + pull * z[j];
    length += s->p_sigma[j] * s->p_sigma[j];
  }
  length = sqrt(length);
  // h_sigma (equation 45 and text): the path of C stalls while the step size still grows
  double settled = sqrt(1 - hn_pow(1 - s->c_sigma, 2 * (double)(s->generation + 1)));
  bool calm = length / settled < (1.4 + 2 / (n + 1.0)) * s->chi;
  double path = calm ? sqrt(s->c_c * (2 - s->c_c) * s->mu_eff) : 0;
  // (45)
  for (int j = 0; j < n; j++) s->p_c[j] = (1 - s->c_c) * s->p_c[j] + path * mean_y[j];
  // what the stalled path would have brought is given back (text to (47))
  double lost = calm ? 0 : s->c_1 * s->c_c * (2 - s->c_c);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double rank = 0;
      for (int k = 0; k < s->mu; k++)
        // rank-mu: the parents' steps, by their weights
        rank += s->weight[k] * s->y[order[k] * n + i] * s->y[order[k] * n + j];
      // rank-one: the path's own direction
      s->C[i * n + j] = (1 + lost - s->c_1 - s->c_mu) * s->C[i * n + j] +
                        s->c_1 * s->p_c[i] * s->p_c[j] + s->c_mu * rank;
    }
  // (44): a path longer than chance would have it makes steps longer
  s->sigma *= hn_exp(s->c_sigma / s->d_sigma * (length / s->chi - 1));
  s->generation++;
}

// the widest direction, as part of the ranges
static bool has_converged(const strategy *s, double tolerance) {
  double widest = 0;
  for (int i = 0; i < s->n; i++) widest = fmax(widest, sqrt(s->C[i * s->n + i]));
  // sigma times the largest standard deviation
  return s->sigma * widest < tolerance;
}

static void rank_all(const hn_optimising *w, int count, hn_candidate *rank, int *order) {
  for (int k = 0; k < count; k++) rank[k] = hn_optimising_judge(w, k);
  qsort(rank, (size_t)count, sizeof *rank, hn_candidate_compare);
  for (int k = 0; k < count; k++) order[k] = rank[k].index;
}

// also an interrupted generation is ranked: its rows are there
static hn_status go(hn_optimising *w, strategy *s, hn_candidate *rank, int *order) {
  hn_status status = HN_OK;
  // whole generations only
  while (!status && !w->best->converged && hn_optimising_has_room(w, s->lambda)) {
    // C has become indefinite by rounding
    if (!take_apart(s))
      return hn_fail(w->message, HN_ERR_SINGULAR, "the search has lost a direction");
    sample(s, w->study->seed);
    status = hn_optimising_run(w, s->lambda, s->x);
    if (status && status != HN_ERR_INTERRUPTED) break;
    rank_all(w, s->lambda, rank, order);
    update(s, order);
    w->best->generations = s->generation;
    w->best->spread = s->sigma;
    w->best->converged = has_converged(s, w->study->optimise->tolerance);
  }
  return status;
}

static hn_status search(hn_optimising *w, const hn_optimiser *self) {
  strategy s = {0};
  (void)self;
  bool made = create(&s, w->study);
  // said before anything runs
  if (made && !hn_optimising_has_room(w, s.lambda)) {
    free(s.weight);
    return hn_fail(w->message, HN_ERR_ARGUMENT,
                   "a generation has %d runs, and 'evaluations' allows %ld in all", s.lambda,
                   w->most);
  }
  hn_candidate *rank = made ? calloc((size_t)s.lambda, sizeof *rank) : NULL;
  int *order = made ? calloc((size_t)s.lambda, sizeof *order) : NULL;
  hn_status status =
      rank && order ? go(w, &s, rank, order) : hn_fail(w->message, HN_ERR_MEMORY, "out of memory");
  free(s.weight), free(rank), free(order);
  return status;
}

const hn_optimiser hn_optimiser_cma = {
    .name = "cma-es",
    .help = "a population at a time, without derivatives; forgives noise and runs that fail",
    .search = search,
};
