// optimise.h: searches for the values of the factors at which a metric is least: what ways of
// searching share.
//
// Variables are places between 0 and 1 in the ranges of the factors (of their logarithm where it is
// the law). A way asks for runs and derivatives at such places and decides where to go on; it knows
// nothing of models, stores or engines. To add one: a file with a `const hn_optimiser` at its end,
// a line in optimise.c. Runs are numbered in the order in which they are asked for, and a way may
// ask for nothing that depends on anything but the study and the rows before: a search that is
// resumed asks for the same runs again and finds them in the store.
#ifndef HN_OPTIMISE_H
#define HN_OPTIMISE_H

#include "study/search.h"
#include "study/table.h"

// a run among others: the first class is best, in a class the least value
typedef struct hn_candidate {
  int index;
  int class;     // 0: keeps all constraints, 1: has metrics, 2: has none
  double value;  // the metric, or how much is violated
} hn_candidate;
// -1: a is better, 1: b is; equal ones by their index
int hn_candidate_compare(const void *a, const void *b);

// What a way works on. It may read everything, and writes to best->converged, generations and
// spread only.
typedef struct hn_optimising {
  const hn_study *study;
  const hn_study_options *options;
  int n, constraints, columns;  // variables, and columns of a row
  long most;                    // runs
  hn_store *store;
  hn_study_table *old;  // rows found in the store
  hn_slopes *slopes;    // NULL: derivatives are differences of runs
  int room;             // for rows at a time
  hn_run_row *row;      // of the runs last asked for
  double *row_values, *values, *beside;
  bool *known;
  hn_optimum *best;  // `run`, `values`, `feasible`, `evaluations` are kept by hn_optimising_run
  hn_candidate best_rank;
  char message[HN_MESSAGE];
} hn_optimising;

// may so many runs still be made?
bool hn_optimising_has_room(const hn_optimising *w, long runs);
// runs at `count` places, n numbers each; rows are in w->row
hn_status hn_optimising_run(hn_optimising *w, int count, const double *place);
hn_candidate hn_optimising_judge(const hn_optimising *w, int index);
// what is to be least, and then the constraints, which are kept where they are not positive; false:
// the run has none
bool hn_optimising_values(const hn_optimising *w, int index, double *value);
// their derivatives by the variables, row by row, at a place whose run is known
hn_status hn_optimising_slopes(hn_optimising *w, const double *place, double *slope);
// runs that take: none where derivatives are exact
long hn_optimising_slopes_cost(const hn_optimising *w);

typedef struct hn_optimiser {
  const char *name, *help;
  bool derivatives;  // it asks for them
  bool bounds_only;  // it knows nothing of constraints
  // goes on until it has converged, which w->best is told, or runs out of runs
  hn_status (*search)(hn_optimising *w, const struct hn_optimiser *self);
  int variant;
} hn_optimiser;
const hn_optimiser *hn_optimiser_at(int index);  // NULL past the end
extern const hn_optimiser hn_optimiser_cma, hn_optimiser_sqp, hn_optimiser_nlopt[];

#endif
