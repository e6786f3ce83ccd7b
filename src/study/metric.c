// metric.c: metrics of a recorded run.
// A metric is found in two rounds: reducers make a number of a formula over all rows, in the order
// in which they stand in the file, then the metric's own formula takes these numbers. A reducer may
// read metrics before it, which is why both rounds are interleaved (hn_reducer.metrics).
#include "study/metric.h"
#include "study/metric_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

hn_status hn_metric_work_open(const hn_metrics *m, hn_metric_work *work) {
  *work = (hn_metric_work){0};
  // inputs of all kinds at their fixed places; registers as many as the largest program has
  work->inputs = calloc(HN_METRIC_INPUTS, sizeof(double));
  work->registers = calloc((size_t)m->registers + 1, sizeof(double));
  if (work->inputs && work->registers) return HN_OK;
  hn_metric_work_close(work);
  return HN_ERR_MEMORY;
}

void hn_metric_work_close(hn_metric_work *work) {
  free(work->inputs);
  free(work->registers);
  free(work->x);
  *work = (hn_metric_work){0};
}

// ---- between rows ----------------------------------------------------------------------------

// the last interval serves times at and beyond the end
// bisection; times ascend, and events may make two rows of one time: the later one begins the
// interval
int hn_interval_of(const hn_result *result, int rows, double t) {
  int low = 0, high = rows - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (hn_result_row(result, middle)[0] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Lagrange's weights of at most four rows. At an event two rows coincide, and a cubic over them
// would see a jump as a slope of 1e16; there the two ends of the interval are joined by a line.
hn_stencil hn_around(const hn_result *result, int rows, int i, double t) {
  hn_stencil s = {.first = i > 0 ? i - 1 : 0, .count = rows < 4 ? rows : 4};
  // two rows before the interval's end and two behind it, where there are as many
  if (s.first + s.count > rows) s.first = rows - s.count;
  double time[4] = {0}, shortest = INFINITY;
  for (int k = 0; k < s.count; k++) time[k] = hn_result_row(result, s.first + k)[0];
  // ascending times: the shortest distance is that of neighbours
  for (int k = 1; k < s.count; k++) shortest = fmin(shortest, time[k] - time[k - 1]);
  if (s.count > 2 && shortest < 1e-3 * (time[s.count - 1] - time[0])) {
    s.first = i, s.count = 2;
    for (int k = 0; k < 2; k++) time[k] = hn_result_row(result, i + k)[0];
  }
  for (int k = 0; k < s.count; k++) {
    s.weight[k] = 1;
    for (int j = 0; j < s.count; j++)
      // rows of one time are told apart by nothing: the factor is left out
      if (j != k && time[k] != time[j]) s.weight[k] *= (t - time[j]) / (time[k] - time[j]);
  }
  // the later of two rows of one time is what holds from there on
  if (s.count == 2 && time[0] == time[1]) s.weight[0] = 0;
  return s;
}

static double value_at(const hn_stencil *s, const double *x) {
  double sum = 0;
  for (int k = 0; k < s->count; k++) sum += s->weight[k] * x[s->first + k];
  return sum;
}

static double interpolate(const hn_result *result, int rows, const double *x, double t) {
  // a single row holds for all times
  if (rows == 1) return x[0];
  hn_stencil s = hn_around(result, rows, hn_interval_of(result, rows, t), t);
  return value_at(&s, x);
}

// 1e-9 of the run on either side: times of measurements have been rounded
double hn_result_between(const hn_result *result, int rows, int column, double t) {
  // without rows, or without the column, there is nothing
  if (rows < 1 || column < 0) return NAN;
  double first = hn_result_row(result, 0)[0], last = hn_result_row(result, rows - 1)[0];
  double slack = 1e-9 * (last - first), sum = 0;
  if (!(t >= first - slack && t <= last + slack)) return NAN;
  if (rows == 1) return hn_result_row(result, 0)[column];
  hn_stencil s = hn_around(result, rows, hn_interval_of(result, rows, t), t);
  for (int k = 0; k < s.count; k++) sum += s.weight[k] * hn_result_row(result, s.first + k)[column];
  return sum;
}

// ---- reducers --------------------------------------------------------------------------------

// one evaluation
typedef struct run {
  const hn_metrics *m;
  hn_metric_work *work;
  const hn_result *result;
  int rows;
  const int *column;
} run;

static double time_of(const run *r, int row) {
  return hn_result_row(r->result, row)[0];
}

static void take_row(const hn_metrics *m, double *inputs, const double *row, const int *column) {
  // the place of a column in a result is not its number in the metrics
  for (int i = 0; i < m->columns; i++) inputs[HN_IN_COLUMN + i] = row[column[i]];
}

// the first formula of a reducer with columns as they are between rows
// Columns are interpolated, then the formula is evaluated: the other way round a condition such as
// x > 1 would be a smooth function between its truth values.
static double evaluate_between(const run *r, const hn_reducer *reducer, int i, double t) {
  hn_stencil s = hn_around(r->result, r->rows, i, t);
  double out[3];
  for (int c = 0; c < r->m->columns; c++) {
    double sum = 0;
    for (int k = 0; k < s.count; k++)
      sum += s.weight[k] * hn_result_row(r->result, s.first + k)[r->column[c]];
    r->work->inputs[HN_IN_COLUMN + c] = sum;
  }
  // time itself: interpolating it would give t up to rounding
  r->work->inputs[HN_IN_COLUMN] = t;
  hn_program_run(reducer->program, r->work->inputs, r->work->registers, out);
  return out[0];
}

// cubic between rows; Gauss's two points are exact for it
// Two points are exact up to degree 3, which is the square of a line: rms has an error of the order
// of the interpolation's, no better.
static double integral(const run *r, const double *x, bool squared) {
  double sum = 0;
  for (int i = 0; i + 1 < r->rows; i++) {
    double a = time_of(r, i), b = time_of(r, i + 1), h = 0.5 * (b - a);
    // two rows of one time: an event, over which nothing is to be summed
    if (!(h > 0)) continue;
    for (int side = -1; side <= 1; side += 2) {
      // 0.5 (a + b) +- h / sqrt(3), each with the weight h
      hn_stencil s = hn_around(r->result, r->rows, i, 0.5 * (a + b) + side * hn_gauss * h);
      double value = value_at(&s, x);
      sum += h * (squared ? value * value : value);
    }
  }
  return sum;
}

// of the recorded rows: an output_step that misses a peak misses it here, as it does in every plot
static double extreme(const run *r, const double *x, double sign) {
  double best = x[0];
  for (int i = 0; i < r->rows; i++) {
    // one row that is no number makes the whole extreme none: a maximum of what is left would look
    // like one
    if (isnan(x[i])) return NAN;
    if (sign * x[i] > sign * best) best = x[i];
  }
  return best;
}

// halves the interval in which `after` begins to hold until nothing is left of it
// 60 halvings: to the last bit of the time
static double first_time(const run *r, int i, const void *user,
                         bool (*after)(const run *, int, double, const void *)) {
  double a = time_of(r, i), b = time_of(r, i + 1);
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (a + b);
    // neighbours among doubles
    if (middle <= a || middle >= b) break;
    if (after(r, i, middle, user))
      b = middle;
    else
      a = middle;
  }
  return b;
}

static bool condition_holds(const run *r, int i, double t, const void *user) {
  return evaluate_between(r, user, i, t) != 0;
}

static double when(const run *r, const hn_reducer *reducer, const double *x) {
  for (int i = 0; i < r->rows; i++) {
    // not a number is no truth
    if (x[i] == 0 || isnan(x[i])) continue;
    // it may have begun to hold anywhere since the row before
    return i == 0 ? time_of(r, 0) : first_time(r, i - 1, reducer, condition_holds);
  }
  return NAN;
}

typedef struct crossed {
  const double *x;
  double level;
  bool above;  // on the way there
} crossed;

static bool beyond(const run *r, int i, double t, const void *user) {
  const crossed *c = user;
  hn_stencil s = hn_around(r->result, r->rows, i, t);
  double distance = value_at(&s, c->x) - c->level;
  return c->above ? distance >= 0 : distance <= 0;
}

// a row that lies on the level itself belongs to the crossing that comes from its one side
// Rows that are no numbers are on neither side, and passed over.
static double crossing(const run *r, const double *x, double level, double number) {
  double left = number;
  int side = 0;
  for (int i = 0; i < r->rows; i++) {
    int now = (x[i] > level) - (x[i] < level);
    // on the level: the next row says on which side it goes on
    if (now == 0) continue;
    // fewer than one crossing is the first
    if (side && now != side && --left <= 0) {
      // rows on the level lie between: the first of them is where it was reached
      int from = i - 1;
      while (from > 0 && x[from] == level) from--;
      crossed c = {x, level, now > 0};
      return first_time(r, from, &c, beyond);
    }
    side = now;
  }
  return NAN;
}

// argument[1...] are the further arguments, the same at every row
static double reduce(const run *r, const hn_reducer *reducer, const double *x,
                     const double *argument) {
  double duration = time_of(r, r->rows - 1) - time_of(r, 0);
  switch (reducer->kind) {
  case HN_REDUCE_MIN: return extreme(r, x, -1);
  case HN_REDUCE_MAX: return extreme(r, x, 1);
  // a run of no length is its one row
  case HN_REDUCE_MEAN: return duration > 0 ? integral(r, x, false) / duration : x[0];
  case HN_REDUCE_RMS: return duration > 0 ? sqrt(integral(r, x, true) / duration) : fabs(x[0]);
  case HN_REDUCE_INTEGRAL: return integral(r, x, false);
  case HN_REDUCE_FIRST: return x[0];
  case HN_REDUCE_FINAL: return x[r->rows - 1];
  case HN_REDUCE_AT: {
    // the slack of hn_result_between: times of a formula are rounded as well
    double t = argument[1], slack = 1e-9 * duration;
    if (!(t >= time_of(r, 0) - slack && t <= time_of(r, r->rows - 1) + slack)) return NAN;
    return interpolate(r->result, r->rows, x, t);
  }
  case HN_REDUCE_WHEN: return when(r, reducer, x);
  case HN_REDUCE_CROSSING:
    return crossing(r, x, argument[1], reducer->arguments > 2 ? argument[2] : 1);
  }
  return NAN;
}

static void find_metric(const hn_metrics *m, hn_metric_work *work, int i, double *out) {
  hn_program_run(m->metric[i].program, work->inputs, work->registers, &out[i]);
  work->inputs[HN_IN_METRIC + i] = out[i];
}

// work->inputs keeps what was found: hn_metrics_back reads it
hn_status hn_metrics_measure(const hn_metrics *m, hn_metric_work *work, const hn_result *result,
                             int rows, const int *column, double *out) {
  // as many as rows of this run: grown, never shrunk
  if (rows > work->capacity) {
    double *grown = realloc(work->x, (size_t)rows * sizeof *grown);
    if (!grown) return HN_ERR_MEMORY;
    work->x = grown, work->capacity = rows;
  }
  run r = {m, work, result, rows, column};
  int known = 0;
  for (int i = 0; i < m->reducers; i++) {
    double values[3] = {0};
    // metrics that the reducer may read, before it is evaluated
    while (known < m->reducer[i].metrics) find_metric(m, work, known++, out);
    for (int row = 0; row < rows; row++) {
      take_row(m, work->inputs, hn_result_row(result, row), column);
      hn_program_run(m->reducer[i].program, work->inputs, work->registers, values);
      work->x[row] = values[0];
    }
    // values are those of the last row: further arguments do not depend on rows
    work->inputs[HN_IN_REDUCER + i] = rows > 0 ? reduce(&r, &m->reducer[i], work->x, values) : NAN;
  }
  while (known < m->metrics) find_metric(m, work, known++, out);
  for (int i = 0; i < m->constraints; i++)
    hn_program_run(m->constraint[i].program, work->inputs, work->registers, &out[m->metrics + i]);
  return HN_OK;
}

bool hn_metrics_stops(const hn_metrics *m, hn_metric_work *work, const double *row,
                      const int *column) {
  double out = 0;
  // constants are there since the run began; reducers and metrics are not read
  take_row(m, work->inputs, row, column);
  hn_program_run(m->stop, work->inputs, work->registers, &out);
  // nan is not zero in C: it must not end a run
  return out != 0 && !isnan(out);
}
