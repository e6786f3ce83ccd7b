// model_solve.c: parameters whose values follow from conditions.
//
//   solve: {k: leg.translation_acceleration = 0}
//
// A condition is an equation between columns of results at the start. As many parameters as there
// are conditions are changed from the values the file gives them, by Newton's iteration with
// differences: every trial is the whole model read, assembled and evaluated. Steps that lead to a
// model that is refused, or away from the conditions, are halved. What was found is set as if from
// outside (hn_model_override), before the model itself is read.
//
// Every trial is independent of the last one: no branch of the assembly is followed, so that
// solutions do not depend on the way to them. With n conditions a pass costs 2 n + 1 readings of
// the model and some more where steps are halved; conditions of a start are smooth, and Newton's
// method needs few passes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "io/model_reader.h"
#include "linalg/dense.h"
#include "model/check.h"

// Eight unknowns by differences are as many as anybody has asked for; columns are those of all
// conditions together.
enum { MOST = 8, MOST_COLUMNS = 64 };

// `scale` is the largest value seen of each parameter, by which steps and residuals are judged: a
// parameter that starts at zero is taken for one of size one.
typedef struct solving {
  hn_reader *reader;
  const char *file;
  int n;
  const hn_yaml *entry[MOST];
  const char *text[MOST];
  double x[MOST], scale[MOST];
  // columns the conditions read, and where they stand in a row
  int columns;
  char *column[MOST_COLUMNS];
  double value[MOST_COLUMNS];
  const hn_model *trial;
  char message[HN_MESSAGE];  // why the last trial was refused
} solving;

// ---- conditions --------------------------------------------------------------------------------

// parameters are numbers, everything else is a column
// Names without a dot are parameters or signals: columns of elements have dots.
static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  solving *s = user;
  double value;
  if (s->trial && hn_model_constant(s->trial, name, length, &value))
    return hn_graph_constant(graph, value);
  if (!memchr(name, '.', length) &&
      !(s->trial && hn_model_find_signal(s->trial, name, length) >= 0))
    return -1;
  int k = 0;
  while (k < s->columns &&
         (strlen(s->column[k]) != length || memcmp(s->column[k], name, length) != 0))
    k++;
  if (k == MOST_COLUMNS) return -1;
  if (k == s->columns) {
    char *copy = malloc(length + 1);
    if (!copy) return -1;
    memcpy(copy, name, length);
    copy[length] = 0;
    s->column[s->columns++] = copy;
  }
  return hn_graph_input(graph, k);
}

// left - right; false: s->message says why not
// Parsed anew for each trial, since parameters are constants in it.
static bool evaluate_condition(solving *s, int i, double *out) {
  const char *text = s->text[i], *sign = hn_equals_sign(text);
  hn_expr_error error = {0};
  hn_graph *graph = hn_graph_create();
  hn_node left =
      graph ? hn_graph_parse(graph, text, (size_t)(sign - text), resolve, s, &error) : -1;
  hn_node right =
      left >= 0 ? hn_graph_parse(graph, sign + 1, strlen(sign + 1), resolve, s, &error) : -1;
  hn_node f = right >= 0 ? hn_graph_sub(graph, left, right) : -1;
  hn_program *p = f >= 0 ? hn_program_compile(graph, &f, 1) : NULL;
  double *registers = p ? malloc(((size_t)hn_program_registers(p) + 1) * sizeof(double)) : NULL;
  if (registers) hn_program_run(p, s->value, registers, out);
  if (!registers)
    snprintf(s->message, sizeof s->message, "condition: %s",
             error.message[0] ? error.message : "out of memory");
  bool ok = registers != NULL;
  free(registers);
  hn_program_destroy(p);
  hn_graph_destroy(graph);
  return ok;
}

// ---- one trial ---------------------------------------------------------------------------------

// `solving` keeps the trial from solving in turn.
static hn_status read_trial(solving *s, hn_model *trial, const double *x) {
  const hn_model *model = s->reader->model;
  hn_status status = HN_OK;
  trial->solving = true;
  for (int i = 0; i < model->override_count && !status; i++)
    status = hn_model_override(trial, model->override[i].name, model->override[i].text);
  for (int i = 0; x && i < s->n && !status; i++) {
    char number[40];
    hn_plain_text(number, sizeof number, "%.17g", x[i]);
    status = hn_model_override(trial, s->entry[i]->key->text, number);
  }
  if (!status) status = hn_model_read(trial, s->reader->doc, s->file, s->reader->memory, NULL);
  return status;
}

// how the model is run does not matter at its start: accelerations are told in the coordinates of
// the bodies
static void plain_method(hn_model *trial) {
  hn_options *o = hn_model_options(trial);
  snprintf(o->method, sizeof o->method, "default");
  snprintf(o->coordinates, sizeof o->coordinates, "reference");
  o->solver[0] = o->correction[0] = o->integrator[0] = 0;
}

// all columns a condition names are to be recorded
// Only these: evaluating all columns of a large model would cost more than the rest.
static hn_status want_columns(solving *s, hn_model *trial) {
  double ignored;
  hn_status status = HN_OK;
  s->trial = trial;
  for (int i = 0; i < s->n && !status; i++)
    if (!evaluate_condition(s, i, &ignored)) return HN_ERR_MODEL;
  while (trial->output_count > 0) free(trial->output[--trial->output_count]);
  for (int i = 0; i < s->columns && !status; i++) status = hn_add_output(trial, s->column[i]);
  if (status) snprintf(s->message, sizeof s->message, "%s", hn_model_error(trial));
  return status;
}

// By name; a condition on a column that the model does not have is told as such.
static hn_status read_columns(solving *s, hn_sim *sim, const hn_system *sys) {
  int count = hn_column_count(sys);
  double *row = malloc(((size_t)count + 1) * sizeof *row);
  hn_status status = row ? hn_sim_row(sim, row) : HN_ERR_MEMORY;
  for (int i = 0; i < s->columns && !status; i++) {
    int k = 0;
    while (k < count && strcmp(hn_column_name(sys, k), s->column[i]) != 0) k++;
    if (k == count) {
      snprintf(s->message, sizeof s->message, "the model has no column '%.80s' (docs/columns.md)",
               s->column[i]);
      status = HN_ERR_MODEL;
    } else {
      s->value[i] = row[k];
    }
  }
  if (status == HN_ERR_MEMORY) snprintf(s->message, sizeof s->message, "out of memory");
  free(row);
  return status;
}

// residuals at x; with x == NULL those of the file, whose values become s->x
// Reads, compiles, evaluates at the start. s->message has the reason where any of that fails.
static hn_status attempt(solving *s, const double *x, double *residual) {
  hn_model *trial = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  if (!trial) return HN_ERR_MEMORY;
  hn_status status = read_trial(s, trial, x);
  for (int i = 0; i < s->n && !status && !x; i++)
    if (!hn_model_constant(trial, s->entry[i]->key->text, strlen(s->entry[i]->key->text),
                           &s->x[i])) {
      snprintf(trial->message, sizeof trial->message, "there is no parameter '%.60s' to solve for",
               s->entry[i]->key->text);
      status = HN_ERR_MODEL;
    }
  if (status) snprintf(s->message, sizeof s->message, "%s", trial->message);
  if (!status) status = want_columns(s, trial);
  if (!status) plain_method(trial);
  if (!status && (status = hn_compile(&sys, trial)))
    snprintf(s->message, sizeof s->message, "%s", hn_model_error(trial));
  if (!status)
    status = hn_sim_create(&sim, sys, hn_model_options(trial), s->message, sizeof s->message);
  if (!status) status = read_columns(s, sim, sys);
  for (int i = 0; i < s->n && !status; i++) {
    if (!evaluate_condition(s, i, &residual[i])) status = HN_ERR_MODEL;
    if (!status && !isfinite(residual[i])) {
      snprintf(s->message, sizeof s->message, "the condition is not a number there");
      status = HN_ERR_MODEL;
    }
  }
  s->trial = NULL;
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(trial);
  return status;
}

// ---- Newton's iteration ------------------------------------------------------------------------

// The largest residual, each in units of what the parameters can change in it.
static double size_of(const double *r, const double *unit, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(r[i]) / unit[i]);
  return most;
}

// derivatives by central differences; unit[i] is how much a condition changes with the parameters
// Steps of 1e-5 of a parameter's size: central differences are then right to ten digits, and
// rounding of the assembly (1e-12) does not show.
static hn_status slopes(solving *s, double *J, double *unit) {
  double x[MOST], low[MOST], high[MOST];
  int n = s->n;
  for (int i = 0; i < n; i++) unit[i] = 0;
  for (int k = 0; k < n; k++) {
    double d = 1e-5 * s->scale[k];
    memcpy(x, s->x, sizeof x);
    x[k] = s->x[k] + d;
    hn_status status = attempt(s, x, high);
    x[k] = s->x[k] - d;
    if (!status) status = attempt(s, x, low);
    if (status) return status;
    for (int i = 0; i < n; i++) {
      J[i * n + k] = (high[i] - low[i]) / (2 * d);
      unit[i] += fabs(J[i * n + k]) * s->scale[k];
    }
  }
  return HN_OK;
}

// the longest of the step's halves that comes nearer
// The largest of the halves that comes nearer, down to a ten-thousandth.
static bool advance(solving *s, const double *step, double *r, const double *unit) {
  double x[MOST], trial[MOST], before = size_of(r, unit, s->n);
  for (double part = 1; part > 1e-4; part /= 2) {
    for (int i = 0; i < s->n; i++) x[i] = s->x[i] + part * step[i];
    if (attempt(s, x, trial) || !(size_of(trial, unit, s->n) < before)) continue;
    memcpy(s->x, x, sizeof x);
    memcpy(r, trial, sizeof trial);
    return true;
  }
  return false;
}

static hn_status refuse(solving *s, const double *r) {
  int worst = 0;
  for (int i = 1; i < s->n; i++)
    if (fabs(r[i]) > fabs(r[worst])) worst = i;
  return hn_read_fail(s->reader, s->entry[worst], HN_ERR_MODEL,
                      "no value found: at %.6g the condition is off by %.3g (start nearer, by the "
                      "value in `parameters`)",
                      s->x[worst], r[worst]);
}

// Done at 1e-11; where rounding keeps it from that, 1e-8 is taken, and anything worse refused.
static hn_status iterate(solving *s) {
  static const double close = 1e-11;
  double r[MOST], J[MOST * MOST], step[MOST], unit[MOST];
  int n = s->n;
  if (attempt(s, NULL, r))
    return hn_read_fail(s->reader, s->entry[0], HN_ERR_MODEL, "%s", s->message);
  for (int i = 0; i < n; i++) s->scale[i] = s->x[i] != 0 ? fabs(s->x[i]) : 1;
  for (int pass = 0; pass < 50; pass++) {
    if (slopes(s, J, unit))
      return hn_read_fail(s->reader, s->entry[0], HN_ERR_MODEL, "%s", s->message);
    for (int i = 0; i < n; i++)
      if (!(unit[i] > 0))
        return hn_read_fail(s->reader, s->entry[i], HN_ERR_MODEL,
                            "the condition does not depend on the parameters to be solved for");
    if (size_of(r, unit, n) <= close) return HN_OK;
    for (int i = 0; i < n; i++) step[i] = -r[i];
    if (!hn_dense_solve(n, J, step))
      return hn_read_fail(s->reader, s->entry[0], HN_ERR_MODEL,
                          "the conditions do not determine the parameters");
    if (!advance(s, step, r, unit)) {
      // what is left is round-off
      if (size_of(r, unit, n) <= 1e-8) return HN_OK;
      return refuse(s, r);
    }
    for (int i = 0; i < n; i++) s->scale[i] = fmax(s->scale[i], fabs(s->x[i]));
  }
  return refuse(s, r);
}

// ---- the section -------------------------------------------------------------------------------

static hn_status read_conditions(solving *s, const hn_yaml *section) {
  for (const hn_yaml *e = section->first; e; e = e->next) {
    hn_model *model = s->reader->model;
    snprintf(model->subject, sizeof model->subject, "solve '%.60s'", e->key->text);
    if (s->n == MOST)
      return hn_read_fail(s->reader, e, HN_ERR_UNSUPPORTED, "more than %d parameters", MOST);
    if (e->kind != HN_YAML_SCALAR || !hn_equals_sign(e->text))
      return hn_read_fail(s->reader, e, HN_ERR_SYNTAX,
                          "must be an equation of columns, such as leg.fz = 200");
    for (int i = 0; i < model->override_count; i++)
      if (!model->override[i].solved && strcmp(model->override[i].name, e->key->text) == 0)
        return hn_read_fail(s->reader, e, HN_ERR_MODEL,
                            "the parameter is set from outside and cannot be solved for");
    s->text[s->n] = e->text;
    s->entry[s->n++] = e;
  }
  return HN_OK;
}

// What was found is an override from outside, marked as solved, and the file is read with it.
hn_status hn_solve_parameters(hn_reader *reader, const hn_yaml *section) {
  hn_model *model = reader->model;
  solving *s = calloc(1, sizeof *s);
  if (!s) return hn_read_fail_memory(reader);
  s->reader = reader;
  s->file = model->file;
  hn_status status = read_conditions(s, section);
  if (!status && s->n) status = iterate(s);
  for (int i = 0; i < s->n && !status; i++) {
    char number[40];
    hn_plain_text(number, sizeof number, "%.17g", s->x[i]);
    status = hn_model_override(model, s->entry[i]->key->text, number);
    for (int k = 0; k < model->override_count; k++)
      if (strcmp(model->override[k].name, s->entry[i]->key->text) == 0)
        model->override[k].solved = true;
  }
  for (int i = 0; i < s->columns; i++) free(s->column[i]);
  free(s);
  return status;
}
