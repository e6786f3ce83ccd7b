// metric.h: what is to be known of a run: formulas over the columns it recorded.
//
// Inside a formula, functions over the whole run (reducers) take a formula of columns:
//   min(x) max(x) mean(x) rms(x) integral(x)      over the time recorded
//   first(x) final(x)                             at its ends
//   at(x, t)                                      at a time
//   when(condition)                               first time at which it holds; nan: never
//   crossing(x, level) crossing(x, level, n)      time of the first (n-th) crossing, either way
// Between rows columns are cubics through the four nearest rows. min and max with two arguments and
// more are the ordinary functions.
#ifndef HN_METRIC_H
#define HN_METRIC_H

#include "base/base.h"
#include "expr/expr.h"

// those from HN_REDUCE_WHEN on give times
typedef enum hn_reducer_kind {
  HN_REDUCE_MIN,
  HN_REDUCE_MAX,
  HN_REDUCE_MEAN,
  HN_REDUCE_RMS,
  HN_REDUCE_INTEGRAL,
  HN_REDUCE_FIRST,
  HN_REDUCE_FINAL,
  HN_REDUCE_AT,
  HN_REDUCE_WHEN,
  HN_REDUCE_CROSSING,
} hn_reducer_kind;

// one reducer: its formulas as outputs of one program over the inputs of a row
typedef struct hn_reducer {
  hn_reducer_kind kind;
  hn_program *program;  // x, then the further arguments
  int arguments;
  int metrics;  // it may read those before this one
} hn_reducer;

// one metric or constraint: a number from reducers
typedef struct hn_measure_formula {
  const char *name, *unit, *formula;
  hn_program *program;
  bool strict;  // constraint: must be below zero, not at it
} hn_measure_formula;

// inputs of all programs: each kind has its own place, with room for as many
enum {
  HN_METRIC_ROOM = 256,
  HN_IN_COLUMN = 0,
  HN_IN_CONSTANT = HN_METRIC_ROOM,     // parameters of the model, factors
  HN_IN_REDUCER = 2 * HN_METRIC_ROOM,  // what reducers before it gave
  HN_IN_METRIC = 3 * HN_METRIC_ROOM,   // metrics before it
  HN_METRIC_INPUTS = 4 * HN_METRIC_ROOM,
};

// Built while a study is read, then constant. Fixed room: 256 of each kind is more than a table of
// metrics can show, and programs may number their inputs beforehand.
typedef struct hn_metrics {
  hn_graph *graph;
  int columns;
  char *column[HN_METRIC_ROOM];  // those used, by name; column 0 is time
  int constants;
  char *constant[HN_METRIC_ROOM];  // parameters and factors used
  int reducers;
  hn_reducer reducer[HN_METRIC_ROOM];
  int metrics, constraints;
  hn_measure_formula metric[HN_METRIC_ROOM], constraint[HN_METRIC_ROOM];
  hn_program *stop;  // not zero where the run is to end, over columns and constants; NULL: nowhere
  int registers;     // room for the largest program
} hn_metrics;

// what names mean while formulas are read
typedef struct hn_metric_names {
  const hn_system *system;  // its columns
  const hn_model *model;    // its parameters
  bool (*is_factor)(const void *user, const char *name, size_t length);
  const void *user;
} hn_metric_names;

typedef struct hn_metric_error {
  int column;  // in the text, from 1
  char message[256];
} hn_metric_error;

hn_status hn_metrics_begin(hn_metrics *m);  // of zeros
void hn_metrics_end(hn_metrics *m);
hn_status hn_metrics_add(hn_metrics *m, const hn_metric_names *names, const char *name,
                         const char *unit, const char *formula, hn_metric_error *error);
// metric_unit.c: the unit that a formula has by its columns, "" where that cannot be told. The text
// belongs to a column or a metric
const char *hn_metric_unit(const hn_metrics *m, const hn_system *system, const char *formula);
// "a <= b" of metrics: kept where a - b <= 0
hn_status hn_metrics_constrain(hn_metrics *m, const hn_metric_names *names, const char *name,
                               const char *formula, hn_metric_error *error);
// ends a run where it holds; several add up
hn_status hn_metrics_stop(hn_metrics *m, const hn_metric_names *names, const char *condition,
                          hn_metric_error *error);

// a column that is to be recorded although no formula reads it; false: no room, or no memory
bool hn_metrics_column(hn_metrics *m, const char *name);

// a column between rows of a result: the cubic through the four nearest of them; NAN outside
double hn_result_between(const hn_result *result, int rows, int column, double t);

// room for evaluating them over and over
typedef struct hn_metric_work {
  double *inputs, *registers, *x;
  int capacity;  // of x, in rows
} hn_metric_work;
hn_status hn_metric_work_open(const hn_metrics *m, hn_metric_work *work);
void hn_metric_work_close(hn_metric_work *work);
// metrics, then constraints, of the first `rows` rows of a result; work->inputs has the constants.
// column[i] is where column i of the metrics stands in the result. HN_ERR_MEMORY is the only
// failure
hn_status hn_metrics_measure(const hn_metrics *m, hn_metric_work *work, const hn_result *result,
                             int rows, const int *column, double *out);
// A measured run the other way round: z[row * columns + i] += what column i of a row is worth to
// metric (or, from m->metrics on, constraint) number `which`, constant[k] += what constant k is.
// After hn_metrics_measure of the same run with the same work. HN_ERR_UNSUPPORTED: it has no
// derivative, and message says why
hn_status hn_metrics_back(const hn_metrics *m, hn_metric_work *work, const hn_result *result,
                          int rows, const int *column, int which, double *z, double *constant,
                          char message[HN_MESSAGE]);
// does the run end at this row?
bool hn_metrics_stops(const hn_metrics *m, hn_metric_work *work, const double *row,
                      const int *column);

#endif
