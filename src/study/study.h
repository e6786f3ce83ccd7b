// study.h: a study as it was read. Nothing in it changes while it is run.
#ifndef HN_STUDY_H
#define HN_STUDY_H

#include "base/base.h"
#include "base/pool.h"
#include "study/metric.h"

#include <holon/study.h>
#include <stdint.h>

// what a factor sets
// in the order of the words of read_target()
typedef enum hn_target {
  HN_SET_PARAMETER,  // a parameter of the model
  HN_SET_OPTION,     // an option of the run
  HN_SET_PLACE,      // a value of the model file: "bodies.crank.mass", "bodies.crank.velocity.0"
} hn_target;

// how its values lie; u in (0, 1) is what a design hands out
// Quantiles: with u evenly distributed the value has the law, whoever hands out u (chance, a
// sequence, a grid).
typedef enum hn_law {
  HN_LAW_LEVELS,     // level[floor(u n)]
  HN_LAW_UNIFORM,    // a + (b - a) u
  HN_LAW_LOG,        // a (b/a)^u
  HN_LAW_NORMAL,     // a + b z(u), z the standard normal's quantile
  HN_LAW_LOGNORMAL,  // a exp(b z(u)): median a, b the standard deviation of the logarithm
} hn_law;

// texts live in the pool of the study
typedef struct hn_factor {
  const char *name;  // column of the table
  hn_target target;
  const char *path;  // parameter, option, or place
  const char *unit;  // "" where the file gives none
  hn_law law;
  double a, b;              // see hn_law
  int levels;               // of the law, or those that designs on grids take of it
  const double *level;      // HN_LAW_LEVELS; numbers of words from 0 where there are words
  const char *const *word;  // NULL: numbers
  int correlated;           // its place in the correlation matrix, or -1
} hn_factor;

typedef struct hn_design hn_design;

// Read once, then shared by all workers without a lock: nothing may be written to it after
// hn_study_parse. Its texts are those of the files, kept whole, since a store proves by them what
// it is of.
struct hn_study {
  hn_pool pool;  // everything below
  const char *file, *name;
  const char *text;  // of the study file
  const char *model_file, *model_text;
  size_t model_length;
  const hn_design *design;
  long runs;       // of a search: the most there may be
  uint64_t seed;   // of all random numbers (random.h)
  int dimensions;  // of the unit cube the design fills
  long base;       // saltelli: rows of each of its matrices
  bool scrambled;  // sobol: shifted by random bits
  int *fraction;   // fractional: factors whose signs multiply to that of a factor, as bits; 0: free
  int factors;
  hn_factor *factor;
  int correlated;      // factors that are
  const double *chol;  // lower triangle of the root of their correlation matrix
  int parameters;      // set in all runs
  const char **parameter, **parameter_value;
  int options;  // likewise
  const char **option, **option_value;
  hn_metrics metrics;            // formulas over the columns of a run
  struct hn_optimise *optimise;  // search.h; NULL: nothing is optimised
  struct hn_fit *fit;            // NULL: nothing is fitted
  int keep_every;                // trajectories of every so many runs are kept; 0: none
  int keeps;
  const long *keep_run;  // and these
};

// design.c: what u are handed out for run k
// `point` must be a pure function of (study, k): runs are computed in any order, by anybody
struct hn_design {
  const char *name, *help;
  bool on_levels;  // hands out numbers of levels in the place of u
  bool counted;    // `runs` is to be said; others follow from the factors
  // fills study->runs and study->dimensions from what was read (runs 0: not given); a sentence when
  // that cannot be, in message
  bool (*plan)(struct hn_study *study, char message[HN_MESSAGE]);
  void (*point)(const struct hn_study *study, long k, double *u);
};
const hn_design *hn_design_at(int index);  // NULL past the end
// values of all factors in run k
void hn_design_values(const struct hn_study *study, long k, double *values);
enum { HN_FRACTION_MINUS = 1 << 30 };  // bit of `fraction`: the other way round
// the value at u of the unit interval; that of level i of n
double hn_factor_value(const hn_factor *factor, double u);
double hn_factor_level(const hn_factor *factor, int i, int n);

// command.c: what repeats any run of the study, up to its factors: "holon run MODEL --set 'a=2 m'".
// Words are quoted for shells
struct hn_text;
void hn_study_command_head(const hn_study *study, struct hn_text *out);
void hn_study_command_word(struct hn_text *out, const char *text);
// the option that sets a factor, and what stands before its value
const char *hn_study_command_option(const hn_factor *factor);

// how a value is written for the reader of models and for people
void hn_factor_text(const hn_factor *factor, double value, char *out, size_t size);

#endif
