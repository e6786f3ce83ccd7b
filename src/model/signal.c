// signal.c: adding signals, named numbers that formulas read.
//
// Formulas are looked at here as far as their text goes; what their names mean, and whether signals
// depend on themselves, is found out when the model is compiled (system/build_signal.c).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "model/check.h"
#include "model/fields.h"
#include "model/model.h"

void hn_signal_free(hn_model_signal *signal) {
  free((void *)signal->def.name), free((void *)signal->def.formula), free((void *)signal->def.unit);
  free((void *)signal->def.rate), free((void *)signal->def.file);
  hn_series_release(signal->series);
}

// One way to be known and no other; what belongs to a way (start to states, column to files) is
// refused without it, rather than left unused.
static hn_status check_signal(hn_model *model, const hn_signal_def *def) {
  hn_status status = hn_check_word(model, def->name);
  if (status) return status;
  bool input = def->input_given || def->input != 0, table = def->table || def->table_count > 0;
  int ways = (def->formula != NULL) + input + table + (def->file != NULL) + (def->rate != NULL);
  if (ways != 1)
    return hn_element_fail(model, NULL, "needs one of formula, input, table and file, not %s",
                           ways ? "several" : "none");
  bool begins = def->start != 0 || def->steady;
  if ((begins || def->size != 0) && !def->rate)
    return hn_element_fail(model, begins ? "start" : "size", "only states have a %s",
                           begins ? "start" : "size");
  if (def->start != 0 && def->steady)
    return hn_element_fail(model, "start", "start and steady both say where the state begins");
  const char *extra = def->time ? "time" : def->column ? "column" : NULL;
  if (extra && !def->file)
    return hn_element_fail(model, extra, "%s says where in a file, and there is none", extra);
  if (def->interpolation && !def->file && !table)
    return hn_element_fail(model, "interpolation",
                           "interpolation is between points, and there "
                           "are none");
  if ((unsigned)def->interpolation > HN_CUBIC)
    return hn_element_fail(model, "interpolation", "interpolation is none that there is");
  if (table && (!def->table || def->table_count < 1))
    return hn_element_fail(model, "table", "table has no points");
  if (def->unit && (hn_find_control(def->unit) || strlen(def->unit) > 40))
    return hn_element_fail(model, "unit", "unit must be a short word");
  return hn_check_fields(model, NULL, def->rate ? hn_state_fields : hn_signal_fields, NULL, def);
}

// Points are shared between models and systems (series.h) and never change.
static hn_status read_points(hn_model *model, const hn_signal_def *def, hn_series **series) {
  char message[HN_MESSAGE];
  *series = NULL;
  if (def->table) {
    *series = hn_series_create(def->table, def->table_count, def->interpolation);
    if (!*series) return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  if (!def->file) return HN_OK;
  char *path = hn_model_path(model, def->file);
  if (!path) return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  hn_status status =
      hn_series_read(series, path, def->time, def->column, def->interpolation, message);
  free(path);
  return status ? hn_element_fail_at(model, status, "file", 0, "%.400s", message) : HN_OK;
}

// Only what is used later is kept: tables and names of columns are in the series.
static hn_status add_signal(hn_model *model, const hn_signal_def *def) {
  if (!model) return HN_ERR_ARGUMENT;
  snprintf(model->subject, sizeof model->subject, "%s '%.60s'", def->rate ? "state" : "signal",
           def->name ? def->name : "");
  hn_model_signal added = {
      .place = model->now,
      .def = {.input = def->input, .start = def->start, .steady = def->steady, .size = def->size}};
  hn_status status = check_signal(model, def);
  if (!status) status = read_points(model, def, &added.series);
  if (status) return status;
  added.def.input_given = def->input_given || def->input != 0;
  added.def.name = hn_strdup(def->name);
  added.def.formula = hn_strdup(def->formula);
  added.def.rate = hn_strdup(def->rate);
  added.def.file = hn_strdup(def->file);
  added.def.unit = hn_strdup(def->unit ? def->unit : "");
  if (!added.def.name || !added.def.unit || (def->formula && !added.def.formula) ||
      (def->rate && !added.def.rate) || (def->file && !added.def.file) ||
      !hn_grow((void **)&model->signal, &model->signal_capacity, model->signal_count,
               sizeof *model->signal) ||
      !hn_model_index(model, HN_SCOPE_SIGNAL, added.def.name, model->signal_count)) {
    hn_signal_free(&added);
    return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  model->signal[model->signal_count++] = added;
  return HN_OK;
}

hn_status hn_add_signal_sized(hn_model *model, const hn_signal_def *def, size_t size) {
  hn_signal_def own;
  hn_status status = hn_take_definition(model, &own, sizeof own, def, size);
  if (!status) status = add_signal(model, &own);
  if (status) hn_model_spoil(model);
  return status;
}
