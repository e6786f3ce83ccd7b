// metric_back.c: what recorded columns are worth to a metric: its derivative, the other way round.
//
// Metrics are evaluated in an order; here it is gone through backward. What is worth something in
// it is kept for every input of the formulas (`bar`), and handed on through the gradients of their
// programs: from metrics to reducers, from reducers to rows.
#include "study/metric.h"
#include "study/metric_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// `bar` is the usual name of what something is worth: the derivative of the result by it
typedef struct back {
  const hn_metrics *m;
  hn_metric_work *work;
  const hn_result *result;
  int rows;
  const int *column;
  double *bar;        // per input of the formulas but the columns
  double *x, *x_bar;  // of a reducer, per row
  double *registers, *partial;
  int room;  // of registers
  double *z;
  char *message;
} back;

static double time_of(const back *b, int row) {
  return hn_result_row(b->result, row)[0];
}

// what an output of a program is worth goes to its inputs; those that are columns to `columns`
// gradients are compiled when they are needed, and thrown away: a metric is differentiated a few
// hundred times, a run takes far longer
static hn_status hand_on(back *b, const hn_program *program, int output, double worth,
                         double *columns) {
  int count;
  const int *input = hn_program_inputs(program, &count);
  if (worth == 0 || count == 0) return HN_OK;
  hn_program *gradient = hn_program_gradient(program, output);
  if (!gradient) return HN_ERR_MEMORY;
  if (hn_program_registers(gradient) > b->room) {
    double *grown = realloc(b->registers, (size_t)hn_program_registers(gradient) * sizeof *grown);
    if (!grown) return hn_program_destroy(gradient), HN_ERR_MEMORY;
    b->registers = grown, b->room = hn_program_registers(gradient);
  }
  hn_program_run(gradient, b->work->inputs, b->registers, b->partial);
  for (int k = 0; k < count; k++) {
    bool of_row = input[k] < HN_IN_COLUMN + HN_METRIC_ROOM;
    if (!of_row)
      b->bar[input[k]] += worth * b->partial[k];
    else if (columns)
      columns[input[k] - HN_IN_COLUMN] += worth * b->partial[k];
  }
  hn_program_destroy(gradient);
  return HN_OK;
}

// ---- reducers
// ------------------------------------------------------------------------------------

// the transpose of interpolation
static void spread(back *b, const hn_stencil *s, double worth) {
  for (int k = 0; k < s->count; k++) b->x_bar[s->first + k] += worth * s->weight[k];
}

// the same sum as in metric.c, over rows that are kept here
static double value_at(const back *b, const hn_stencil *s) {
  double sum = 0;
  for (int k = 0; k < s->count; k++) sum += s->weight[k] * b->x[s->first + k];
  return sum;
}

// slope of what is interpolated around interval i, by the derivative of Lagrange's polynomial
static double slope_at(const back *b, int i, double t) {
  hn_stencil s = hn_around(b->result, b->rows, i, t);
  double sum = 0;
  for (int k = 0; k < s.count; k++) {
    double of_weight = 0;
    for (int j = 0; j < s.count; j++) {
      if (j == k) continue;
      // of rows around an interval times differ: hn_around falls back to two where they do not
      double product = 1 / (time_of(b, s.first + k) - time_of(b, s.first + j));
      for (int l = 0; l < s.count; l++)
        if (l != k && l != j)
          product *=
              (t - time_of(b, s.first + l)) / (time_of(b, s.first + k) - time_of(b, s.first + l));
      of_weight += product;
    }
    sum += of_weight * b->x[s.first + k];
  }
  return sum;
}

// the transpose of integral(), stencil by stencil
static void integral_back(back *b, double worth, bool squared) {
  for (int i = 0; i + 1 < b->rows; i++) {
    double from = time_of(b, i), to = time_of(b, i + 1), h = 0.5 * (to - from);
    // the same intervals as forth
    if (!(h > 0)) continue;
    for (int side = -1; side <= 1; side += 2) {
      hn_stencil s = hn_around(b->result, b->rows, i, 0.5 * (from + to) + side * hn_gauss * h);
      spread(b, &s, worth * h * (squared ? 2 * value_at(b, &s) : 1));
    }
  }
}

// the derivative of a maximum is that at the row where it is, the first of equal ones
// > and not >=: as extreme() has it
static int extreme_row(const back *b, double sign) {
  int best = 0;
  for (int i = 1; i < b->rows; i++)
    if (sign * b->x[i] > sign * b->x[best]) best = i;
  return best;
}

// x(t) = level: dt = (dlevel - dx) / slope
static void crossing_back(back *b, double t, double worth, double *of_level) {
  int i = hn_interval_of(b->result, b->rows, t);
  hn_stencil s = hn_around(b->result, b->rows, i, t);
  double slope = slope_at(b, i, t);
  // a crossing where the column only touches the level has a slope of zero: an infinite worth,
  // which slopes.c refuses
  *of_level = worth / slope;
  spread(b, &s, -worth / slope);
}

// x_bar of all rows, and what further arguments are worth
// the second argument is the only one with a derivative: times of at(), levels of crossing()
static hn_status reduce_back(back *b, const hn_reducer *r, double value, const double *argument,
                             double worth, double *of_argument) {
  double duration = time_of(b, b->rows - 1) - time_of(b, 0);
  *of_argument = 0;
  memset(b->x_bar, 0, (size_t)b->rows * sizeof *b->x_bar);
  switch (r->kind) {
  case HN_REDUCE_MIN: b->x_bar[extreme_row(b, -1)] = worth; break;
  case HN_REDUCE_MAX: b->x_bar[extreme_row(b, 1)] = worth; break;
  case HN_REDUCE_MEAN:
    if (duration > 0)
      integral_back(b, worth / duration, false);
    else
      b->x_bar[0] = worth;
    break;
  case HN_REDUCE_RMS:
    // where all is zero the root has no derivative: it is taken for zero
    if (duration > 0 && value > 0)
      integral_back(b, worth / (2 * value * duration), true);
    else if (!(duration > 0))
      // |x| of the only row
      b->x_bar[0] = b->x[0] < 0 ? -worth : worth;
    break;
  case HN_REDUCE_INTEGRAL: integral_back(b, worth, false); break;
  case HN_REDUCE_FIRST: b->x_bar[0] = worth; break;
  case HN_REDUCE_FINAL: b->x_bar[b->rows - 1] = worth; break;
  case HN_REDUCE_AT: {
    if (b->rows == 1) {
      // its time has no effect
      b->x_bar[0] = worth;
      break;
    }
    int i = hn_interval_of(b->result, b->rows, argument[1]);
    hn_stencil s = hn_around(b->result, b->rows, i, argument[1]);
    spread(b, &s, worth);
    // a later time: the column's own slope
    *of_argument = worth * slope_at(b, i, argument[1]);
    break;
  }
  case HN_REDUCE_CROSSING: crossing_back(b, value, worth, of_argument); break;
  case HN_REDUCE_WHEN:
    return hn_fail(b->message, HN_ERR_UNSUPPORTED,
                   "when(...) of a metric has no derivative (crossing(x, level) has one)");
  }
  return HN_OK;
}

static void take_row(back *b, int row) {
  const double *from = hn_result_row(b->result, row);
  // formulas are linearised at each row anew
  for (int i = 0; i < b->m->columns; i++) b->work->inputs[HN_IN_COLUMN + i] = from[b->column[i]];
}

// x of all rows is computed once more: hn_metrics_measure kept only the last reducer's
static hn_status reducer_back(back *b, int i) {
  const hn_reducer *r = &b->m->reducer[i];
  double worth = b->bar[HN_IN_REDUCER + i], value = b->work->inputs[HN_IN_REDUCER + i];
  double argument[3] = {0}, of_argument = 0;
  // what is worth nothing is not gone through: most reducers belong to other metrics
  if (worth == 0) return HN_OK;
  if (isnan(value))
    return hn_fail(b->message, HN_ERR_UNSUPPORTED, "a metric is no number here (%s)",
                   r->kind == HN_REDUCE_CROSSING ? "nothing crosses" : "outside of the run");
  for (int row = 0; row < b->rows; row++) {
    take_row(b, row);
    hn_program_run(r->program, b->work->inputs, b->work->registers, argument);
    b->x[row] = argument[0];
  }
  hn_status status = reduce_back(b, r, value, argument, worth, &of_argument);
  // arguments are those of the last row, which is still taken
  if (!status && of_argument != 0)
    // output 1 of the program: its second argument
    status = hand_on(b, r->program, 1, of_argument, b->z + (b->rows - 1) * b->m->columns);
  for (int row = 0; row < b->rows && !status; row++) {
    if (b->x_bar[row] == 0) continue;
    take_row(b, row);
    status = hand_on(b, r->program, 0, b->x_bar[row], b->z + row * b->m->columns);
  }
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

// metrics and reducers in the opposite order of hn_metrics_measure
static hn_status go_back(back *b, int which) {
  const hn_metrics *m = b->m;
  int metric = m->metrics - 1;
  hn_status status = HN_OK;
  if (which < m->metrics)
    b->bar[HN_IN_METRIC + which] = 1;
  else  // nobody reads a constraint: what its own formula reads is where it begins
    status = hand_on(b, m->constraint[which - m->metrics].program, 0, 1, NULL);
  for (int i = m->reducers; i >= 0 && !status; i--) {
    // metrics that come after reducer i - 1
    int from = i > 0 ? m->reducer[i - 1].metrics : 0;
    // numbers of metrics fall as those of reducers do: each is reached after all that read it
    for (; metric >= from && !status; metric--)
      status = hand_on(b, m->metric[metric].program, 0, b->bar[HN_IN_METRIC + metric], NULL);
    if (!status && i > 0) status = reducer_back(b, i - 1);
  }
  return status;
}

hn_status hn_metrics_back(const hn_metrics *m, hn_metric_work *work, const hn_result *result,
                          int rows, const int *column, int which, double *z, double *constant,
                          char message[HN_MESSAGE]) {
  back b = {.m = m, .work = work, .result = result, .rows = rows, .column = column};
  b.z = z, b.message = message;
  b.bar = calloc(HN_METRIC_INPUTS, sizeof(double));
  b.partial = calloc(HN_METRIC_INPUTS, sizeof(double));
  b.x = calloc((size_t)rows + 1, sizeof(double));
  b.x_bar = calloc((size_t)rows + 1, sizeof(double));
  hn_status status = b.bar && b.partial && b.x && b.x_bar ? go_back(&b, which) : HN_ERR_MEMORY;
  for (int k = 0; k < m->constants && !status; k++) constant[k] += b.bar[HN_IN_CONSTANT + k];
  if (status == HN_ERR_MEMORY) hn_fail(message, status, "out of memory");
  free(b.bar), free(b.partial), free(b.x), free(b.x_bar), free(b.registers);
  return status;
}
