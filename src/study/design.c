// design.c: which values the factors have in run k.
//
// A design hands out a point of the unit cube, one coordinate for a factor, or a level for each;
// the law of a factor makes a value of it. Factors that are correlated meet in between: coordinates
// become standard normals, which are mixed by the root of the correlation matrix and become
// coordinates again (a Gaussian copula), so that normal factors have just these correlations.
#include "base/elementary.h"
#include "study/random.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FACTORS = 256 };
// beyond any machine, below what a double counts exactly
static const long most_runs = 1000000000000;

// ---- laws ------------------------------------------------------------------------------------

// Ranges have their ends among the levels, exactly; distributions have none, and are cut into n
// parts of equal probability, of which the middles count.
double hn_factor_level(const hn_factor *f, int i, int n) {
  // the middle, where a range is to have a single level
  double part = n > 1 ? (double)i / (n - 1) : 0.5;
  switch (f->law) {
  case HN_LAW_LEVELS: return f->level[i];
  case HN_LAW_UNIFORM:
  // the end itself: rounding of the law might miss it
  case HN_LAW_LOG: return i == n - 1 && n > 1 ? f->b : hn_factor_value(f, part);
  default: return hn_factor_value(f, (i + 0.5) / n);
  }
}

double hn_factor_value(const hn_factor *f, double u) {
  switch (f->law) {
  case HN_LAW_LEVELS: {
    // u < 1 keeps i below levels, but for rounding
    int i = (int)(u * f->levels);
    return f->level[i < f->levels ? i : f->levels - 1];
  }
  case HN_LAW_UNIFORM: return f->a + (f->b - f->a) * u;
  case HN_LAW_LOG: return f->a * hn_pow(f->b / f->a, u);
  case HN_LAW_NORMAL: return f->a + f->b * hn_normal_quantile(u);
  case HN_LAW_LOGNORMAL: return f->a * hn_exp(f->b * hn_normal_quantile(u));
  }
  return NAN;
}

// the distribution function of the standard normal, kept inside (0, 1)
// quantiles of 0 and 1 are infinite: never handed on
static double normal_part(double z) {
  double u = 0.5 * erfc(-z / sqrt(2));
  return fmin(fmax(u, 0x1p-1000), 1 - 0x1p-53);
}

// z as they come, then mixed in place of u: each sum reads independent ones only
// the k-th correlated factor is factor member[k]
static void correlate(const hn_study *study, double *u) {
  double z[MOST_FACTORS];
  int n = study->correlated, member[MOST_FACTORS];
  for (int i = 0; i < study->factors; i++) {
    int at = study->factor[i].correlated;
    if (at < 0) continue;
    member[at] = i;
    z[at] = hn_normal_quantile(u[i]);
  }
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k <= i; k++) sum += study->chol[i * n + k] * z[k];
    u[member[i]] = normal_part(sum);
  }
}

// u has room for twice the factors, as designs with two samples want it
void hn_design_values(const hn_study *study, long k, double *values) {
  // Saltelli's design reads two samples of each factor
  double u[2 * MOST_FACTORS];
  study->design->point(study, k, u);
  if (study->correlated) correlate(study, u);
  for (int i = 0; i < study->factors; i++) {
    const hn_factor *f = &study->factor[i];
    // points of designs on levels are numbers of levels
    values[i] = study->design->on_levels ? hn_factor_level(f, (int)u[i], f->levels)
                                         : hn_factor_value(f, u[i]);
  }
}

hn_status hn_study_values(const hn_study *study, long k, double *values) {
  if (!study || !values || k < 0 || k >= study->runs) return HN_ERR_ARGUMENT;
  hn_design_values(study, k, values);
  return HN_OK;
}

// ---- designs on levels -----------------------------------------------------------------------

// lists and grids have them, distributions are told by 'levels'
static bool need_levels(const hn_study *study, char message[HN_MESSAGE]) {
  // 0: a law without 'levels'
  for (int i = 0; i < study->factors; i++)
    if (study->factor[i].levels < 1) {
      hn_fail(message, HN_ERR_MODEL, "factor '%s' has no levels (give it 'levels: 3', or a list)",
              study->factor[i].name);
      return false;
    }
  return true;
}

// a product of doubles: what overflows a long is refused by its size
static bool plan_full(hn_study *study, char message[HN_MESSAGE]) {
  if (!need_levels(study, message)) return false;
  // up to 256 factors of a million levels: 1e1536 would be infinite, which is refused as well
  double runs = 1;
  for (int i = 0; i < study->factors; i++) runs *= study->factor[i].levels;
  if (runs > (double)most_runs) {
    hn_fail(message, HN_ERR_MODEL, "a full design of these levels has %.3g runs", runs);
    return false;
  }
  study->runs = (long)runs;
  return true;
}

// the last factor changes fastest
static void point_full(const hn_study *study, long k, double *u) {
  // as digits of a number count
  for (int i = study->factors - 1; i >= 0; i--) {
    u[i] = (double)(k % study->factor[i].levels);
    k /= study->factor[i].levels;
  }
}

static bool plan_list(hn_study *study, char message[HN_MESSAGE]) {
  if (!need_levels(study, message)) return false;
  for (int i = 0; i < study->factors; i++)
    if (study->factor[i].levels != study->factor[0].levels) {
      hn_fail(message, HN_ERR_MODEL,
              "factor '%s' has %d values and '%s' %d: they are taken together",
              study->factor[0].name, study->factor[0].levels, study->factor[i].name,
              study->factor[i].levels);
      return false;
    }
  study->runs = study->factor[0].levels;
  return true;
}

// place k of every list
static void point_list(const hn_study *study, long k, double *u) {
  for (int i = 0; i < study->factors; i++) u[i] = (double)k;
}

// Two levels, coded -1 and 1. A generated factor follows from the signs of free ones, so that
// effects of its product with them cannot be told apart (they are aliases): docs/commands/study.md.
static bool plan_fractional(hn_study *study, char message[HN_MESSAGE]) {
  int free_factors = 0;
  for (int i = 0; i < study->factors; i++) {
    hn_factor *f = &study->factor[i];
    // ranges take their ends, distributions their quarters; lists must have two already
    if (f->law != HN_LAW_LEVELS) f->levels = 2;
    if (f->levels != 2) {
      hn_fail(message, HN_ERR_MODEL, "factor '%s' has %d levels: a fractional design takes two",
              f->name, f->levels);
      return false;
    }
    free_factors += !study->fraction[i];
  }
  // words of free factors only: a chain of generators would depend on its order
  for (int i = 0; i < study->factors; i++)
    for (int k = 0; k < study->factors && study->fraction[i]; k++)
      if (study->fraction[i] >> k & 1 && study->fraction[k]) {
        hn_fail(message, HN_ERR_MODEL, "'%s' is generated by '%s', which is generated itself",
                study->factor[i].name, study->factor[k].name);
        return false;
      }
  study->runs = 1L << free_factors;
  return true;
}

// the sign of a generated factor is the product of those it is generated by
// signs multiply as parities add: an even number of lows is a high
static void point_fractional(const hn_study *study, long k, double *u) {
  int bit = 0, high = 0;
  for (int i = study->factors - 1; i >= 0; i--)
    // the last free factor changes fastest, as in full designs
    if (!study->fraction[i]) high |= (int)(k >> bit++ & 1) << i;
  for (int i = 0; i < study->factors; i++) {
    int word = study->fraction[i], lows = word & HN_FRACTION_MINUS ? 1 : 0;
    // low factors among those of the word
    for (int j = 0; j < study->factors; j++) lows += word >> j & 1 && !(high >> j & 1);
    u[i] = word ? lows % 2 == 0 : high >> i & 1;
  }
}

// ---- designs in the unit cube ----------------------------------------------------------------

static bool plan_samples(hn_study *study, char message[HN_MESSAGE]) {
  (void)message;
  study->dimensions = study->factors;
  return true;
}

static void point_random(const hn_study *study, long k, double *u) {
  // a draw by (seed, run, factor): no run depends on those before it
  for (int i = 0; i < study->factors; i++)
    u[i] = hn_random_open(study->seed, (uint64_t)k, i, HN_DRAW_SAMPLE);
}

// of the `runs` slices of every factor each is met once
// a permutation for each factor (random.h), so that run k needs no other run
static void point_latin(const hn_study *study, long k, double *u) {
  for (int i = 0; i < study->factors; i++) {
    // slice k of the permutation for this factor
    uint64_t slice = hn_random_place(study->seed, i, (uint64_t)study->runs, (uint64_t)k);
    double inside = hn_random_open(study->seed, (uint64_t)k, i, HN_DRAW_SAMPLE);
    // the last slice must not round to 1
    u[i] = fmin(((double)slice + inside) / (double)study->runs, 1 - 0x1p-53);
  }
}

static bool plan_sobol(hn_study *study, char message[HN_MESSAGE]) {
  study->dimensions = study->factors;
  if (study->dimensions <= HN_SOBOL_DIMENSIONS) return true;
  hn_fail(message, HN_ERR_MODEL, "Sobol's sequence is known here for %d factors at most",
          HN_SOBOL_DIMENSIONS);
  return false;
}

// random bits added without carry keep the sequence's evenness and make its points random
// the half keeps points off the ends of (0, 1)
static double sobol_part(const hn_study *study, int dimension, long index) {
  uint64_t bits = hn_sobol_bits(dimension, (uint64_t)index);
  // one shift for a whole dimension
  if (study->scrambled)
    bits ^= hn_random_bits(study->seed, 0, dimension, HN_DRAW_SHIFT) >> (64 - HN_SOBOL_BITS);
  return ((double)bits + 0.5) * 0x1p-52;
}

static void point_sobol(const hn_study *study, long k, double *u) {
  for (int i = 0; i < study->factors; i++) u[i] = sobol_part(study, i, k);
}

// Saltelli's design for variance-based indices: two samples A and B of `base` points, and for each
// factor A with that factor from B. Rows of one point stand together: A, B, then the mixed ones
static bool plan_saltelli(hn_study *study, char message[HN_MESSAGE]) {
  study->dimensions = 2 * study->factors;
  if (study->dimensions > HN_SOBOL_DIMENSIONS) {
    hn_fail(message, HN_ERR_MODEL, "a Saltelli design is possible here with %d factors at most",
            HN_SOBOL_DIMENSIONS / 2);
    return false;
  }
  if (study->correlated) {
    hn_fail(message, HN_ERR_MODEL, "Sobol's indices are those of independent factors");
    return false;
  }
  // runs as told are those of each sample
  study->base = study->runs;
  study->runs *= study->factors + 2;
  return true;
}

static void point_saltelli(const hn_study *study, long k, double *u) {
  int d = study->factors;
  // d + 2 rows a point: 0 is A, 1 is B, i + 2 is A with factor i from B
  long point = k / (d + 2);
  int which = (int)(k % (d + 2));
  for (int i = 0; i < d; i++) {
    bool from_b = which == 1 || which == i + 2;
    // dimensions d ... 2 d - 1 are those of B: one sequence of points, twice as wide
    u[i] = sobol_part(study, from_b ? d + i : i, point);
  }
}

// a new design is one row
static const hn_design designs[] = {
    {"full", "all combinations of the factors' levels", true, false, plan_full, point_full},
    {"list", "the first value of every factor, then the second ...", true, false, plan_list,
     point_list},
    {"fractional", "two levels, a part of all combinations", true, false, plan_fractional,
     point_fractional},
    {"monte-carlo", "independent random values", false, true, plan_samples, point_random},
    {"latin-hypercube", "random, each of `runs` slices of every factor once", false, true,
     plan_samples, point_latin},
    {"sobol", "Sobol's evenly spread sequence", false, true, plan_sobol, point_sobol},
    {"saltelli", "for Sobol's indices of sensitivity: runs x (factors + 2)", false, true,
     plan_saltelli, point_saltelli},
};

const hn_design *hn_design_at(int index) {
  return index >= 0 && index < (int)(sizeof designs / sizeof *designs) ? &designs[index] : NULL;
}
