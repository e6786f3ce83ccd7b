// reproduce_run.c: runs of example models, and curves from them.
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static hn_status load_example(hn_model *model, const char *example, const setting *set) {
  const char *text = NULL;
  for (int i = 0; hn_example_name(i); i++)
    if (strcmp(hn_example_name(i), example) == 0) text = hn_example_text(i);
  if (!text) return HN_ERR_ARGUMENT;
  hn_status status = HN_OK;
  for (; set && set->name && !status; set++)
    status = hn_model_override(model, set->name, set->value);
  return status ? status : hn_model_parse(model, text, strlen(text), example);
}

bool experiment_run(experiment *e, const char *example, const setting *set,
                    const setting *options) {
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  *e = (experiment){.message = "out of memory"};
  hn_status status = model ? load_example(model, example, set) : HN_ERR_MEMORY;
  // the model's own words for what is wrong, unless options are to blame
  bool explained = false;
  for (; !status && options && options->name; options++) {
    status = hn_options_set(hn_model_options(model), options->name, options->value, e->message,
                            sizeof e->message);
    explained = status != HN_OK;
  }
  // compared with what a paper says: no companion
  if (!status)
    (void)hn_options_set(hn_model_options(model), "verify", "off", e->message, sizeof e->message);
  if (!status) status = hn_compile(&system, model);
  if (status && !explained)
    snprintf(e->message, sizeof e->message, "%s: %s", example,
             model ? hn_model_error(model) : "out of memory");
  if (!status)
    status = hn_sim_create(&sim, system, hn_model_options(model), e->message, sizeof e->message);
  if (!status) {
    double began = thread_time();
    status = hn_run(sim, &e->result, NULL, NULL);
    e->cpu = thread_time() - began;
    hn_sim_summary(sim, &e->summary);
    snprintf(e->message, sizeof e->message, "%s", status ? hn_sim_error(sim) : "");
  }
  // what the summary points to in the system goes with it
  e->summary.coordinates = "";
  for (int i = 0; i < e->summary.audit_count; i++) e->summary.audit[i].where = "";
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return status == HN_OK;
}

void experiment_free(experiment *e) {
  hn_result_destroy(e->result);
  e->result = NULL;
}

curve experiment_curve(const experiment *e, const char *label, const char *name) {
  curve c = {.name = label};
  int rows = hn_result_rows(e->result), column = hn_result_find(e->result, name);
  double *block = column >= 0 ? calloc(2 * (size_t)rows + 1, sizeof *block) : NULL;
  if (!block) return c;
  for (int i = 0; i < rows; i++) {
    block[i] = hn_result_row(e->result, i)[0];
    block[rows + i] = hn_result_row(e->result, i)[column];
  }
  c.count = rows;
  c.x = block;
  c.y = block + rows;
  return c;
}

void curve_free(curve *c) {
  free(c->x);
  *c = (curve){0};
}

double curve_max(const curve *c, int first, int end) {
  double most = 0;
  for (int i = first; i < end && i < c->count; i++)
    if (!(fabs(c->y[i]) <= most) && !isnan(most)) most = fabs(c->y[i]);  // a NaN is kept
  return most;
}

double curve_mean(const curve *c, int first, int end) {
  double sum = 0;
  int n = 0;
  for (int i = first; i < end && i < c->count; i++, n++) sum += fabs(c->y[i]);
  return n ? sum / n : 0;
}
