// slopes.c: derivatives of metrics and rows with respect to the factors of a study.
//
// A run is made of numbers: arguments of the code, the start, parameters that metrics read. How
// these follow from the factors is the business of the reader and the compiler; their derivatives
// are taken by differences of eighth order, which for smooth functions of a few operations are as
// good as exact and whose error is known: those of sixth order come with them. From there on
// everything is exact: the code goes along directions (members.h), or back (backward.h), and so do
// the metrics (metric_back.c).
//
// Models that have no such code (impacts, friction that holds, joints that come and go, states,
// controllers) are run by the library in steps of one length. Between the same events in the same
// order, whose instants move with the factors, its rows are smooth functions of the factors: they
// are the numbers that differences are taken of, and their jumps are in them. Where runs beside one
// meet other events the orders of the differences disagree, and the derivative is refused.
#include "study/engine.h"
#include "study/kinship.h"
#include "study/random.h"

#include "code/backward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// members that show in what numbers they differ; points of a difference on either side
enum { SAMPLES = 24, POINTS = 4 };

// everything is allocated when it is opened: a search asks hundreds of times
struct hn_slopes {
  const hn_study *study;
  hn_member *member;
  hn_kinship *family;
  hn_members_text text;  // along directions
  hn_members_code along;
  hn_backward_code back;
  hn_backward_work *work;
  bool beside;             // no code: by runs of the library
  bool fixed;              // steps of one length, and no companion
  int n, columns;          // factors, columns of a row without time
  int arguments, numbers;  // numbers: arguments, q, v, turns, constants of the metrics; beside:
                           // rows, then constants
  long rows;
  double *time;                       // of rows, where `beside`
  double *factor, *at;                // values; numbers there
  double *shifted[2 * POINTS];        // numbers beside it
  double *slope;                      // n x numbers
  double *row, *along_rows, *by;      // rows; those of one batch; n x rows x columns
  double *z, *seed, *constant, *bar;  // of a metric
  double *value;                      // a row of the table
  hn_passage passage;
  hn_result *result;
  char message[HN_MESSAGE];
};

// ---- numbers of a run --------------------------------------------------------------------------

// rows of a run by the library, behind each other without time; times as well, unless NULL
static hn_status copy_rows(hn_slopes *s, const hn_result *result, double *out, double *time) {
  const hn_metrics *m = &s->study->metrics;
  if (hn_result_rows(result) != s->rows)
    return hn_fail(s->message, HN_ERR_UNSUPPORTED,
                   "it has %d rows in place of %ld: it ends elsewhere", hn_result_rows(result),
                   s->rows);
  for (int c = 0; c < m->columns; c++) {
    int column = hn_result_find(result, m->column[c]);
    if (column < 0)
      return hn_fail(s->message, HN_ERR_UNSUPPORTED, "column '%.80s' is not recorded",
                     m->column[c]);
    // time is column 0 of metrics
    for (long r = 0; r < s->rows; r++) {
      double x = hn_result_row(result, (int)r)[column];
      if (c > 0)
        out[r * s->columns + c - 1] = x;
      else if (time)
        time[r] = x;
    }
  }
  return HN_OK;
}

// constants of the metrics are read from the model, as it was described
static hn_status find_constants(hn_slopes *s, const double *factors, double *out, hn_model **keep) {
  hn_model *model = NULL;
  hn_status status =
      hn_member_model(s->member, factors, false, &model, s->message, sizeof s->message);
  if (!status) hn_member_constants(s->member, model, factors, out);
  if (keep && !status)
    *keep = model;
  else
    hn_model_destroy(model);
  return status;
}

static hn_status run_beside(hn_slopes *s, const double *factors, double *out) {
  hn_result *result = NULL;
  hn_status status = hn_member_result(s->member, factors, &result, s->message, sizeof s->message);
  if (!status) status = copy_rows(s, result, out, NULL);
  hn_result_destroy(result);
  return status ? status : find_constants(s, factors, out + s->rows * s->columns, NULL);
}

// of the run with these factors; HN_ERR_UNSUPPORTED: it is another kind of run
// a member by the library: reading, assembly and start, without a step
static hn_status find_numbers(hn_slopes *s, const double *factors, double *out, hn_model **keep) {
  if (s->beside) return run_beside(s, factors, out);
  const hn_kinship *f = s->family;
  // in the order of `numbers`: arguments, q, v, turns, constants of the metrics
  const hn_backward_sizes *z = &s->back.sizes;
  hn_model *model = NULL;
  hn_system *sys = NULL;
  hn_status status =
      hn_member_model(s->member, factors, false, &model, s->message, sizeof s->message);
  if (!status && (status = hn_kinship_compile(f, model, &sys)))
    hn_fail(s->message, status, "%s", hn_model_error(model));
  // arguments are read by the plan of the family: what is constant there must be the same here
  if (!status && (status = hn_arguments_read(&f->arguments, sys, out)))
    hn_fail(s->message, status,
            "the run is not of the kind its neighbours are (a number that is "
            "zero or one there alone, another redundant row)");
  if (!status) {
    double *start = out + s->arguments;
    memcpy(start, sys->q0, (size_t)z->nq * sizeof *start), start += z->nq;
    memcpy(start, sys->v0, (size_t)z->nv * sizeof *start), start += z->nv;
    memcpy(start, sys->turn0, (size_t)z->turns * sizeof *start), start += z->turns;
    hn_member_constants(s->member, model, factors, start);
  }
  hn_system_destroy(sys);
  if (keep && !status)
    *keep = model;
  else
    hn_model_destroy(model);
  return status;
}

// differences with steps of h; the largest distance between those of sixth and eighth order, as
// part of the largest derivative
static hn_status differ(hn_slopes *s, int factor, double h, double *slope, double *error) {
  // weights of f(x + k h) - f(x - k h), over h; the last of the sixth order is none
  static const double eighth[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  static const double sixth[] = {3.0 / 4, -3.0 / 20, 1.0 / 60, 0};
  double x = s->factor[factor], most = 0, size = 0;
  hn_status status = HN_OK;
  // pairs: x + h, x - h, x + 2 h, ...
  for (int i = 0; i < 2 * POINTS && !status; i++) {
    s->factor[factor] = x + (i % 2 ? -1 : 1) * (i / 2 + 1) * h;
    status = find_numbers(s, s->factor, s->shifted[i], NULL);
  }
  // the factor is as it was, also after a failure
  s->factor[factor] = x;
  for (int k = 0; k < s->numbers && !status; k++) {
    double a = 0, b = 0;
    for (int i = 0; i < POINTS; i++) {
      double apart = (s->shifted[2 * i][k] - s->shifted[2 * i + 1][k]) / h;
      a += eighth[i] * apart, b += sixth[i] * apart;
    }
    slope[k] = a;
    // numbers below one count absolutely: their last digits are as good as those of one
    most = fmax(most, fabs(a - b) / fmax(1, fabs(s->at[k])));
    size = fmax(size, fabs(a) / fmax(1, fabs(s->at[k])));
  }
  *error = size > 0 ? most / size : 0;
  return status;
}

// how far a factor is told to go, or how large it is
// a first length for differences: the number itself, or a tenth of its range where that is larger
static double reach(const hn_factor *f, double x) {
  // distributions of logarithms have no width of their own: their value is the length
  double range = f->law == HN_LAW_LEVELS ? 0 : f->law == HN_LAW_NORMAL ? f->b : f->b - f->a;
  if (f->law == HN_LAW_LOG || f->law == HN_LAW_LOGNORMAL) range = 0;
  // 1: a factor that is zero and has no range
  return fmax(fabs(x), fabs(range)) > 0 ? fmax(fabs(x), 0.1 * fabs(range)) : 1;
}

// steps get shorter until both orders agree
// From 1/64 of the reach down by threes: truncation falls with the eighth power, rounding rises
// with the first; the least disagreement of the two orders lies in between. More than 1e-9 of it is
// refused as no derivative at all; runs have the rounding of all their steps in them.
static const double of_numbers = 1e-9, of_runs = 1e-8;

// Runs cost too much to look for better than good.
static bool is_enough(const hn_slopes *s, double least, int worse) {
  return least <= 1e-12 || (s->beside && least <= of_runs && (least <= 1e-10 || worse > 0));
}

static hn_status differ_well(hn_slopes *s, int factor) {
  const hn_factor *f = &s->study->factor[factor];
  double *best = s->slope + factor * s->numbers, least = INFINITY,
         h = reach(f, s->factor[factor]) / 64;
  double *trial = s->bar;  // room for numbers
  hn_status status = HN_OK;
  int worse = 0;  // shorter steps that were no better
  for (int k = 0; k < 8 && !is_enough(s, least, worse); k++, h /= 3) {
    // the largest disagreement of all numbers
    double error;
    status = differ(s, factor, h, trial, &error);
    worse++;
    if (status || !(error < least)) continue;
    least = error, worse = 0;
    memcpy(best, trial, (size_t)s->numbers * sizeof *best);
  }
  if (least <= (s->beside ? of_runs : of_numbers)) return HN_OK;
  char why[HN_MESSAGE];
  // s->message is both what is read and what is written
  snprintf(why, sizeof why, "%s", s->message);
  if (status) return hn_fail(s->message, status, "beside '%.60s': %.300s", f->name, why);
  if (s->beside)
    return hn_fail(
        s->message, HN_ERR_UNSUPPORTED,
        "the run has no derivative with respect to '%.60s' (known to %.1g of it only): runs "
        "beside it meet other events, or an event falls on a row",
        f->name, least);
  return hn_fail(
      s->message, HN_ERR_UNSUPPORTED,
      "the start or a number of the run has no derivative with respect to '%.60s' (known "
      "to %.1g of it only)",
      f->name, least);
}

// ---- runs --------------------------------------------------------------------------------------

// the same steps as those of the engine `lanes`, in the form that can be gone back
static hn_status go_forth(hn_slopes *s) {
  // corrections are part of the passage: derivatives are those of the run as it is projected
  s->passage = (hn_passage){.p = s->at,
                            .start = s->at + s->arguments,
                            .h = s->family->h,
                            .steps = s->family->steps,
                            .every = s->family->every,
                            .rows = s->row};
  hn_backward_forth(s->work, &s->passage);
  if (hn_kinship_holds(s->family, s->passage.end)) return HN_OK;
  return hn_fail(
      s->message, HN_ERR_STEP,
      "the run leaves its constraints (by %.2g m), loses energy or comes near a singular "
      "place: its derivatives would mean nothing",
      s->passage.end[HN_END_POSITION]);
}

// numbers of a factor's direction into a lane
// behind every number stands its derivative in this factor's direction; turns have none
static void place(const hn_slopes *s, int lane, int factor, double *p, double *table,
                  double *start) {
  const hn_backward_sizes *z = &s->back.sizes;
  const hn_members_sizes *m = &s->text.sizes;
  const double *d = s->slope + factor * s->numbers, *q = s->at + s->arguments;
  int lanes = s->along.lanes, nq = z->nq, nv = z->nv;
  memcpy(p, s->at, (size_t)s->arguments * sizeof *p);
  memcpy(p + s->arguments, d, (size_t)s->arguments * sizeof *p);
  double *one = p + 2 * s->arguments;
  s->along.prepare(p, one);
  // the code makes its table of the numbers and of their derivatives at a time
  for (int k = 0; k < m->table; k++) table[k * lanes + lane] = one[k];
  d += s->arguments;
  for (int k = 0; k < nq; k++) {
    start[k * lanes + lane] = q[k];
    start[(nq + k) * lanes + lane] = d[k];
  }
  for (int k = 0; k < nv; k++) {
    start[(2 * nq + k) * lanes + lane] = q[nq + k];
    start[(2 * nq + nv + k) * lanes + lane] = d[nq + k];
  }
  for (int k = 0; k < z->turns; k++) {
    // counted turns are whole numbers
    start[(2 * (nq + nv) + k) * lanes + lane] = q[nq + nv + k];
    start[(2 * (nq + nv) + z->turns + k) * lanes + lane] = 0;
  }
}

// by[factor][row][column], lanes of factors at a time
// lanes that no factor is left for repeat the first of the batch
static hn_status go_along(hn_slopes *s) {
  const hn_members_sizes *m = &s->text.sizes;
  int lanes = s->along.lanes, columns = s->columns;
  size_t wide = (size_t)lanes;
  // arguments, their derivatives, and a table of one lane
  double *p = calloc(2 * (size_t)s->arguments + (size_t)m->table + 1, sizeof *p);
  // a table is that of all lanes, number by number
  double *table = calloc(wide * (size_t)(m->table + 1), sizeof *table);
  double *start = calloc(wide * (size_t)m->start, sizeof *start);
  double *end = calloc(wide * (size_t)m->end, sizeof *end);
  bool room = p && table && start && end;
  for (int first = 0; room && first < s->n; first += lanes) {
    for (int l = 0; l < lanes; l++)
      place(s, l, first + l < s->n ? first + l : first, p, table, start);
    s->along.run(lanes, table, start, 0, s->family->h, s->family->steps, s->family->every,
                 s->along_rows, end);
    for (int l = 0; l < lanes && first + l < s->n; l++)
      for (long r = 0; r < s->rows; r++)
        for (int c = 0; c < columns; c++)
          s->by[((first + l) * s->rows + r) * columns + c] =
              // values stand before derivatives in every row
              s->along_rows[((2 * r + 1) * columns + c) * lanes + l];
  }
  free(p), free(table), free(start), free(end);
  return room ? HN_OK : hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
}

// metrics read results: the rows of the code become one
static hn_status tell_rows(hn_slopes *s) {
  const hn_metrics *m = &s->study->metrics;
  // the result of the point before
  hn_result_destroy(s->result);
  s->result = hn_result_create("run", m->columns);
  // columns without units: nobody looks at them but formulas
  hn_status status = s->result ? HN_OK : HN_ERR_MEMORY;
  for (int c = 0; c < m->columns && !status; c++)
    status = hn_result_set_column(s->result, c, m->column[c], "");
  for (long r = 0; r < s->rows && !status; r++) {
    double *x = hn_result_append(s->result);
    if (!x) return hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
    // time is column 0 of metrics, and none of the rows of the code
    x[0] = s->beside ? s->time[r] : hn_kinship_time(s->family, r);
    memcpy(x + 1, s->row + r * s->columns, (size_t)s->columns * sizeof *x);
  }
  return status ? hn_fail(s->message, status, "out of memory") : HN_OK;
}

static hn_status take_room(hn_slopes *s);
static void leave_room(hn_slopes *s);

// the same by runs of the library: rows are numbers, and how they change is what there is to know
static hn_status begin_beside(hn_slopes *s, const double *factors, hn_model **model) {
  hn_result *result = NULL;
  hn_status status = hn_member_result(s->member, factors, &result, s->message, sizeof s->message);
  if (!status && hn_result_rows(result) != s->rows) {
    // how many there are is known when there was a run
    leave_room(s);
    s->rows = hn_result_rows(result);
    status = take_room(s);
  }
  if (!status) status = copy_rows(s, result, s->at, s->time);
  hn_result_destroy(result);
  size_t count = (size_t)(s->rows * s->columns);
  if (!status) status = find_constants(s, factors, s->at + count, model);
  for (int j = 0; j < s->n && !status; j++) {
    status = differ_well(s, j);
    memcpy(s->by + (size_t)j * count, s->slope + j * s->numbers, count * sizeof *s->by);
  }
  if (status) return status;
  memcpy(s->row, s->at, count * sizeof *s->row);
  return tell_rows(s);
}

// the run at these factors, and how its numbers change with them
static hn_status begin_point(hn_slopes *s, const double *factors, hn_model **model) {
  memcpy(s->factor, factors, (size_t)s->n * sizeof *factors);
  if (s->beside) return begin_beside(s, factors, model);
  // in this order: differences first, since they are what may not exist
  hn_status status = find_numbers(s, factors, s->at, model);
  for (int j = 0; j < s->n && !status; j++) status = differ_well(s, j);
  if (!status) status = go_forth(s);
  if (!status) status = tell_rows(s);
  return status;
}

// ---- metrics -----------------------------------------------------------------------------------

// what start and arguments are worth to the metric, from what its rows are
// s->bar: arguments first, then q and v, as in `numbers`
static void worth_backward(hn_slopes *s, double *derivative) {
  const hn_backward_sizes *z = &s->back.sizes;
  hn_backward_back(s->work, &s->passage, s->seed, s->bar + s->arguments, s->bar);
  for (int j = 0; j < s->n; j++) {
    const double *d = s->slope + j * s->numbers;
    for (int k = 0; k < s->arguments + z->nq + z->nv; k++) derivative[j] += s->bar[k] * d[k];
  }
}

static void worth_forward(const hn_slopes *s, double *derivative) {
  long count = s->rows * s->columns;
  for (int j = 0; j < s->n; j++)
    for (long i = 0; i < count; i++) derivative[j] += s->seed[i] * s->by[j * count + i];
}

// a metric depends on the factors by its rows, and by constants that it reads itself
static hn_status differentiate(hn_slopes *s, int which, hn_way way, double *derivative) {
  const hn_metrics *m = &s->study->metrics;
  int rows = (int)s->rows;
  memset(s->z, 0, (size_t)(rows * m->columns) * sizeof *s->z);
  memset(s->constant, 0, ((size_t)m->constants + 1) * sizeof *s->constant);
  memset(derivative, 0, (size_t)s->n * sizeof *derivative);
  hn_status status =
      // after hn_member_measure of the same result: the work has its inputs
      hn_member_back(s->member, s->result, rows, which, s->z, s->constant, s->message);
  if (status) return status;
  // time has no derivative
  for (int r = 0; r < rows; r++)
    memcpy(s->seed + r * s->columns, s->z + r * m->columns + 1,
           (size_t)s->columns * sizeof *s->seed);
  if (way == HN_BACKWARD && !s->beside)
    worth_backward(s, derivative);
  else
    worth_forward(s, derivative);
  // constants stand last among the numbers
  for (int j = 0; j < s->n; j++) {
    const double *d = s->slope + j * s->numbers + s->numbers - m->constants;
    for (int k = 0; k < m->constants; k++) derivative[j] += s->constant[k] * d[k];
    if (!isfinite(derivative[j]))
      return hn_fail(s->message, HN_ERR_STEP, "the derivative with respect to '%.60s' is no number",
                     s->study->factor[j].name);
  }
  return HN_OK;
}

hn_status hn_slopes_metrics(hn_slopes *s, const double *factors, hn_way way, double *values,
                            double *derivatives, char *message, size_t size) {
  const hn_metrics *m = &s->study->metrics;
  int count = m->metrics + m->constraints;
  hn_model *model = NULL;
  // the model is kept for its parameters
  hn_status status = begin_point(s, factors, &model);
  hn_run_row row = {.values = s->value};
  // factors stand first in a row, as everywhere
  memcpy(s->value, factors, (size_t)s->n * sizeof *factors);
  if (!status && !hn_member_measure(s->member, model, s->result, (int)s->rows, &row))
    status = hn_fail(s->message, HN_ERR_STEP, "%s", row.message);
  if (!status && way == HN_FORWARD && !s->beside) status = go_along(s);
  for (int i = 0; i < count && !status; i++)
    status = differentiate(s, i, way, derivatives + i * s->n);
  // factors come back as they were given
  if (!status && values) memcpy(values, s->value + s->n, (size_t)count * sizeof *values);
  if (status) snprintf(message, size, "%s", s->message);
  hn_model_destroy(model);
  return status;
}

// ---- rows --------------------------------------------------------------------------------------

static hn_status name_columns(const hn_slopes *s, hn_result *out) {
  const hn_metrics *m = &s->study->metrics;
  hn_status status = HN_OK;
  for (int c = 0; c < m->columns && !status; c++)
    status = hn_result_set_column(out, c, m->column[c], "");
  // s->n groups of columns behind those of the run: column.by.factor
  for (int j = 0; j < s->n; j++)
    for (int c = 1; c < m->columns && !status; c++) {
      char name[300];
      // 160 and 100 fit; fit.c makes the same names
      snprintf(name, sizeof name, "%.160s.by.%.100s", m->column[c], s->study->factor[j].name);
      status = hn_result_set_column(out, m->columns + j * s->columns + c - 1, name, "");
    }
  return status;
}

hn_status hn_slopes_rows(hn_slopes *s, const double *factors, hn_result **out, char *message,
                         size_t size) {
  const hn_metrics *m = &s->study->metrics;
  *out = NULL;
  hn_status status = begin_point(s, factors, NULL);
  if (!status && !s->beside) status = go_along(s);
  hn_result *result = status ? NULL : hn_result_create("run", m->columns + s->n * s->columns);
  if (!status && (!result || name_columns(s, result)))
    status = hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
  for (long r = 0; r < s->rows && !status; r++) {
    double *x = hn_result_append(result);
    if (!x) {
      status = hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
      break;
    }
    memcpy(x, hn_result_row(s->result, (int)r), (size_t)m->columns * sizeof *x);
    for (int j = 0; j < s->n; j++)
      memcpy(x + m->columns + j * s->columns, s->by + (j * s->rows + r) * s->columns,
             (size_t)s->columns * sizeof *x);
  }
  if (status) {
    snprintf(message, size, "%s", s->message);
    hn_result_destroy(result);
  } else {
    *out = result;
  }
  return status;
}

// ---- opening -----------------------------------------------------------------------------------

static hn_status check_study(hn_slopes *s) {
  const hn_study *study = s->study;
  if (study->metrics.stop)
    return hn_fail(s->message, HN_ERR_UNSUPPORTED, "the study stops runs on a condition");
  // what is differentiated must be a number
  for (int i = 0; i < study->factors; i++) {
    const hn_factor *f = &study->factor[i];
    if (f->target == HN_SET_OPTION || f->word)
      return hn_fail(s->message, HN_ERR_UNSUPPORTED, "factor '%.60s' %s", f->name,
                     f->word ? "is one of several words" : "sets an option of the run");
  }
  return HN_OK;
}

// runs all over the ranges say in which numbers they differ
// random points off the ends, so that no number is by chance what it is nowhere else
static hn_status gather(hn_slopes *s) {
  const hn_study *study = s->study;
  hn_status status = HN_OK;
  bool begun = false;  // the first that can be built is the base of the family
  for (int k = 0; k < SAMPLES && !status; k++) {
    // by the range of every factor, less 5 % at both ends
    hn_model *model = NULL;
    for (int i = 0; i < s->n; i++) {
      double u = hn_random_open(study->seed, (uint64_t)k, i, HN_DRAW_SEARCH);
      // draws have places of their own: SAMPLES runs of any study are the same
      const hn_factor *f = &study->factor[i];
      double x = hn_factor_value(f, 0.05 + 0.9 * u);
      // levels are looked at between each other, too
      s->factor[i] =
          f->law == HN_LAW_LEVELS ? x * (1 + 0.01 * (u - 0.5)) + 1e-3 * (u - 0.5) * (x == 0) : x;
    }
    // who cannot be built says nothing about the others
    if (hn_member_model(s->member, s->factor, false, &model, s->message, sizeof s->message))
      continue;
    const hn_options *o = hn_model_options(model);
    s->fixed = o->step > 0 && strcmp(o->verify, "off") == 0;
    if (begun)
      hn_kinship_widen(s->family, model);
    else
      status = hn_kinship_begin(s->family, model, s->message);
    begun = true;
    hn_model_destroy(model);
  }
  if (begun) return status;
  // the message is in s->message: it cannot be printed into itself
  char why[HN_MESSAGE];
  snprintf(why, sizeof why, "%s", s->message);
  return hn_fail(s->message, HN_ERR_UNSUPPORTED, "no run of the study can be made: %.400s", why);
}

static hn_status write_code(hn_slopes *s) {
  const hn_kinship *f = s->family;
  // two corrections, as the library makes them
  hn_members_plan plan = {
      .sys = f->base, .arguments = &f->arguments, .stepper = f->stepper, .corrections = 2};
  hn_status status = hn_backward_create(&s->back, &plan, s->message, sizeof s->message);
  // the same formulas, once with and once without directions: both engines must make the same steps
  plan.tangent = true;
  if (!status) status = hn_members_write(&plan, &s->text, s->message, sizeof s->message);
  if (!status)
    status = hn_members_compile(&s->along, &s->text, hn_members_lanes(), HN_NUMBERS_FAST,
                                s->message, sizeof s->message);
  return status;
}

static double *numbers(size_t count) {
  // one more, so that nothing is never NULL
  return calloc(count + 1, sizeof(double));
}

// all rows of all factors are kept (`by`), which bounds what a derivative may be asked of
static hn_status take_room(hn_slopes *s) {
  const hn_metrics *m = &s->study->metrics;
  // all zero where there is no code
  const hn_backward_sizes *z = &s->back.sizes;
  size_t n = (size_t)s->n, columns = (size_t)s->columns, lanes = (size_t)s->along.lanes;
  bool good = true;
  if (s->beside) {
    s->arguments = 0;
    s->numbers = (int)s->rows * s->columns + m->constants;
  } else {
    s->arguments = z->arguments;
    s->numbers = z->arguments + z->nq + z->nv + z->turns + m->constants;
    s->rows = hn_kinship_rows(s->family);
    // 0: the usual limit for states that are kept
    s->work = hn_backward_open(&s->back, s->family->steps, s->family->every, 0);
    good = s->work != NULL;
  }
  size_t count = (size_t)s->numbers, rows = (size_t)s->rows;
  for (int i = 0; i < 2 * POINTS; i++) good = (s->shifted[i] = numbers(count)) && good;
  s->at = numbers(count), s->slope = numbers(n * count), s->bar = numbers(count);
  s->row = numbers(rows * columns), s->by = numbers(n * rows * columns);
  s->along_rows = numbers(2 * rows * columns * lanes), s->time = numbers(rows);
  s->z = numbers(rows * (columns + 1)), s->seed = numbers(rows * columns);
  s->constant = numbers((size_t)m->constants + 1);
  s->value = numbers((size_t)hn_study_columns(s->study, NULL));
  good = good && s->at && s->slope && s->bar && s->row && s->by && s->along_rows && s->z &&
         s->seed && s->constant && s->value && s->time;
  return good ? HN_OK : hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
}

static void leave_room(hn_slopes *s) {
  double **const all[] = {&s->at, &s->slope, &s->bar,      &s->row,   &s->by,  &s->along_rows,
                          &s->z,  &s->seed,  &s->constant, &s->value, &s->time};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(*all[i]), *all[i] = NULL;
  for (int i = 0; i < 2 * POINTS; i++) free(s->shifted[i]), s->shifted[i] = NULL;
  hn_backward_close(s->work);
  s->work = NULL;
}

hn_status hn_slopes_open(const hn_study *study, hn_slopes **out, char *message, size_t size) {
  hn_slopes *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) {
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  s->study = study, s->n = study->factors, s->columns = study->metrics.columns - 1;
  s->factor = numbers((size_t)s->n);
  // column 0 of the metrics is time
  s->family = hn_kinship_create(false, HN_NUMBERS_FAST, s->columns,
                                (const char *const *)study->metrics.column + 1);
  hn_status status =
      s->factor && s->family ? check_study(s) : hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
  // the member reads models; the family compares them
  if (!status) status = hn_member_open(study, &s->member, s->message);
  if (!status) {
    status = gather(s);
    if (!status) status = write_code(s);
    s->beside = status == HN_ERR_UNSUPPORTED && s->fixed;
    if (s->beside) status = HN_OK;
  }
  if (!status && !s->beside) status = take_room(s);
  if (!status) {
    *out = s;
    return HN_OK;
  }
  snprintf(message, size, "derivatives: %s", s->message);
  // whatever was opened so far
  hn_slopes_close(s);
  return status;
}

void hn_slopes_close(hn_slopes *s) {
  if (!s) return;
  leave_room(s);
  hn_backward_unload(&s->back);
  hn_members_unload(&s->along);
  hn_kinship_destroy(s->family);
  hn_member_close(s->member);
  hn_result_destroy(s->result);
  free(s->text.text), free(s->factor);
  free(s);
}
