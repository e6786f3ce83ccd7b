// output.c: adding what is recorded: patterns of columns, and columns computed from others.
//
// What the names in a formula mean is found out when the model is compiled (record/computed.c).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "model/check.h"
#include "model/model.h"

// Names of columns have no other characters. What a pattern matches is known when there are
// columns.
hn_status hn_add_output(hn_model *model, const char *pattern) {
  hn_model_subject(model, "output", pattern, NULL);
  const char *allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.*?-";
  if (!pattern || !*pattern || pattern[strspn(pattern, allowed)])
    return hn_element_fail(model, NULL,
                           "a pattern has letters, digits, _ . - and the wildcards * and ?");
  char *copy = hn_strdup(pattern);
  if (!copy || !hn_grow((void **)&model->output, &model->output_capacity, model->output_count,
                        sizeof *model->output)) {
    free(copy);
    return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  model->output[model->output_count++] = copy;
  return HN_OK;
}

void hn_model_unread(hn_model *model) {
  model->unread = true;
}

void hn_outputs_free(hn_model *model) {
  for (int i = 0; i < model->output_count; i++) free(model->output[i]);
  for (int i = 0; i < model->column_count; i++) {
    hn_column_def *def = &model->column[i].def;
    free((void *)def->name), free((void *)def->formula), free((void *)def->unit);
    free((void *)def->integral);
  }
  model->output_count = model->column_count = 0;
}

// its text is well formed; any name may be one of a column
// Columns are called like anything, units included: here every name is one.
static hn_node accept(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)name, (void)length;
  return hn_graph_input(graph, (*(int *)user)++);
}

static hn_status check_formula(hn_model *model, const char *key, const char *text) {
  hn_expr_error error = {0};
  int names = 0;
  hn_graph *graph = hn_graph_create();
  hn_node node = graph ? hn_graph_parse(graph, text, strlen(text), accept, &names, &error) : -1;
  if (!graph) snprintf(error.message, sizeof error.message, "out of memory");
  hn_graph_destroy(graph);
  if (node >= 0) return HN_OK;
  return hn_element_fail_at(model, hn_formula_status(error.message), key, error.column, "%s: %s",
                            key, error.message);
}

// Its name must not be that of anything a formula could mean.
static hn_status check_column(hn_model *model, const hn_column_def *def) {
  hn_status status = hn_check_word(model, def->name);
  if (status) return status;
  for (int i = 0; i < model->column_count; i++)
    if (strcmp(model->column[i].def.name, def->name) == 0)
      return hn_element_fail(model, NULL, "there is already a column of this name");
  if (strcmp(def->name, "time") == 0)
    return hn_element_fail(model, NULL, "there is already a column of this name");
  bool formula = def->formula && *def->formula, integral = def->integral && *def->integral;
  if (formula && integral)
    return hn_element_fail(model, "integral",
                           "formula and integral are given, and only one can be");
  if (!formula && !integral) return hn_element_fail(model, NULL, "the formula is missing");
  if (def->unit && (hn_find_control(def->unit) || strlen(def->unit) > 40))
    return hn_element_fail(model, "unit", "unit must be a short word");
  return integral ? check_formula(model, "integral", def->integral)
                  : check_formula(model, "formula", def->formula);
}

// Absent texts are kept as empty ones.
static hn_status keep_column(hn_model *model, const hn_column_def *def) {
  hn_column_def own = {.name = hn_strdup(def->name),
                       .formula = hn_strdup(def->formula ? def->formula : ""),
                       .unit = hn_strdup(def->unit ? def->unit : ""),
                       .integral = hn_strdup(def->integral ? def->integral : "")};
  bool room = own.name && own.formula && own.unit && own.integral &&
              hn_grow((void **)&model->column, &model->column_capacity, model->column_count,
                      sizeof *model->column);
  if (room) {
    model->column[model->column_count++] = (hn_model_column){own, model->now};
    return HN_OK;
  }
  free((void *)own.name), free((void *)own.formula), free((void *)own.unit);
  free((void *)own.integral);
  return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
}

hn_status hn_add_column_sized(hn_model *model, const hn_column_def *def, size_t size) {
  hn_column_def given;
  hn_status status = hn_take_definition(model, &given, sizeof given, def, size);
  if (status) return status;
  hn_model_subject(model, "column", given.name, NULL);
  status = check_column(model, &given);
  if (!status) status = keep_column(model, &given);
  if (status) hn_model_spoil(model);
  return status;
}
