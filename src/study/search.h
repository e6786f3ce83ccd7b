// search.h: studies whose points depend on what came out before: optimising and fitting.
#ifndef HN_SEARCH_H
#define HN_SEARCH_H

#include "study/store.h"

// what `optimise:` says
struct hn_optimise {
  int metric;  // what is to be least
  bool maximise;
  int population;    // 0: 4 + 3 ln n
  double step;       // standard deviation at the start, as part of every range
  double tolerance;  // of the variables, as part of their ranges
  const struct hn_optimiser *way;
  int starts;  // of ways that go downhill
  bool exact;  // derivatives are exact, not differences of runs
};

// one measured column beside the one of the model
typedef struct hn_fit_column {
  const char *name;      // of the model
  const char *measured;  // of the file
  double sigma;          // standard deviation of its noise; 0: not known
  int count;
  const double *time, *value;
} hn_fit_column;

// what `fit:` says
struct hn_fit {
  int columns;
  hn_fit_column *column;
  int points;  // of all columns
  int iterations;
  double tolerance;  // relative change of the sum of squares that ends it
  bool exact;        // derivatives are exact, not differences of runs
};

// Places outside of [0, 1] are reflected at its ends, so that searches that know no bounds (CMA-ES)
// stay inside.
// values between 0 and 1 over the range of a factor, and back
double hn_variable_value(const hn_factor *f, double u);
double hn_variable_place(const hn_factor *f, double value);
double hn_variable_slope(const hn_factor *f, double u);  // d value / du

struct hn_study_reader;
// reads the sections; study->optimise or study->fit, if they are there
hn_status hn_search_read(struct hn_study_reader *r);
// after the metrics: what they name is there
hn_status hn_search_check(struct hn_study_reader *r);

#endif
