// effects.c: how much of a metric's variance each factor brings about (Sobol's indices).
//
// With Saltelli's design, A and B two samples, A_i the first with factor i from the second,
//   first order  S_i = mean(f(B) (f(A_i) - f(A))) / V        Saltelli et al., Comput. Phys. Commun.
//   total        T_i = mean((f(A) - f(A_i))^2) / (2 V)       181 (2010) 259; Jansen, ibid. 117
//   (1999)
// V being the variance of f over A and B. Other designs give the first order only, from the means
// in slices of a factor: the part of the variance that lies between them, less what chance puts
// there.
#include "study/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double metric_of(const hn_study_table *table, long row, int column) {
  return table->values[row * table->columns + column];
}

// ---- Saltelli --------------------------------------------------------------------------------

// the d + 2 rows of one point, if all are there; rows stand in the order of runs
// runs that failed take their whole point with them: means over A, B and A_i must be over the same
// points
static bool group(const hn_study *study, const hn_study_table *table, long first, int column,
                  double *f) {
  int n = study->factors + 2;
  if (first + n > table->rows || table->row[first].run % n != 0) return false;
  for (int i = 0; i < n; i++) {
    if (table->row[first + i].run != table->row[first].run + i) return false;
    f[i] = metric_of(table, first + i, column);
    if (!isfinite(f[i])) return false;
  }
  return true;
}

// B. P. Welford's updating formulas: no sum of squares that cancels
typedef struct moments {
  double count, mean, square;  // of squares about the mean
} moments;

static void add(moments *m, double x) {
  double before = x - m->mean;
  m->count++;
  m->mean += before / m->count;
  m->square += before * (x - m->mean);
}

// f(B) less the mean: that leaves the expectation as it is and makes the estimate scatter less
static bool saltelli(const hn_study *study, const hn_study_table *table, int column, double *first,
                     double *total) {
  double f[258];
  moments all = {0};
  long groups = 0;
  for (long r = 0; r < table->rows; r++)
    if (group(study, table, r, column, f)) add(&all, f[0]), add(&all, f[1]), groups++;
  if (groups < 2 || !(all.square > 0)) return false;
  double variance = all.square / (all.count - 1);
  for (int i = 0; i < study->factors; i++) first[i] = total[i] = 0;
  for (long r = 0; r < table->rows; r++) {
    if (!group(study, table, r, column, f)) continue;
    for (int i = 0; i < study->factors; i++) {
      double change = f[i + 2] - f[0];
      first[i] += (f[1] - all.mean) * change / variance / (double)groups;
      total[i] += change * change / (2 * variance) / (double)groups;
    }
  }
  return true;
}

// ---- slices ----------------------------------------------------------------------------------

typedef struct pair {
  double x, y;
} pair;

static int by_x(const void *a, const void *b) {
  double x = ((const pair *)a)->x, y = ((const pair *)b)->x;
  return (x > y) - (x < y);
}

// Equal values stay together. Where they repeat, or the design is one of levels, each value is a
// slice; otherwise slices have equal numbers of runs. A slice of one run has no scatter that chance
// could be known by: with such slices alone every factor would explain everything
static double between(pair *list, long count, bool on_levels, double within_all) {
  qsort(list, (size_t)count, sizeof *list, by_x);
  long values = count > 0;
  for (long i = 1; i < count; i++) values += list[i].x != list[i - 1].x;
  long wanted = on_levels || 2 * values <= count ? 1 : (long)sqrt((double)count) + 1;
  double sum = 0, within = 0;
  int slices = 0;
  moments all = {0};
  for (long i = 0; i < count; i++) add(&all, list[i].y);
  for (long from = 0, to; from < count; from = to) {
    moments m = {0};
    for (to = from; to < count && (to - from < wanted || list[to].x == list[to - 1].x); to++)
      add(&m, list[to].y);
    sum += m.count * (m.mean - all.mean) * (m.mean - all.mean);
    within += m.square;
    slices++;
  }
  double chance = count > slices ? (slices - 1) * within / (double)(count - slices) : 0;
  return (sum - chance) / within_all;
}

// false also where the metric is the same in all runs: nothing to be explained
static bool slices(const hn_study *study, const hn_study_table *table, int column, double *first,
                   double *total) {
  pair *list = malloc((size_t)(table->rows + 1) * sizeof *list);
  moments all = {0};
  if (!list) return false;
  for (long r = 0; r < table->rows; r++)
    if (isfinite(metric_of(table, r, column))) add(&all, metric_of(table, r, column));
  for (int i = 0; i < study->factors && all.square > 0; i++) {
    long count = 0;
    for (long r = 0; r < table->rows; r++) {
      double y = metric_of(table, r, column);
      if (isfinite(y)) list[count++] = (pair){metric_of(table, r, i), y};
    }
    first[i] = between(list, count, study->design->on_levels, all.square);
    total[i] = NAN;
  }
  free(list);
  return all.square > 0;
}

bool hn_study_effects(const hn_study *study, const hn_study_table *table, int metric, double *first,
                      double *total) {
  if (metric < 0 || metric >= study->metrics.metrics) return false;
  int column = study->factors + metric;
  return (study->base ? saltelli : slices)(study, table, column, first, total);
}
