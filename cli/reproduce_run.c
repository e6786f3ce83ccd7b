// reproduce_run.c: runs of example models, and curves from them.
#include "reproduce.h"

#include "paper_models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// models made for papers hide examples of the same name
const char *paper_model(const char *name) {
  for (const hn_embedded_file *file = paper_models; file->name; file++)
    if (strcmp(file->name, name) == 0) return (const char *)file->data;
  for (int i = 0; hn_example_name(i); i++)
    if (strcmp(hn_example_name(i), name) == 0) return hn_example_text(i);
  return NULL;
}

// Values that are set have to be there before the text is read: numbers are computed while reading.
static hn_status load_example(hn_model *model, const char *example, const setting *set) {
  const char *text = paper_model(example);
  if (!text) return HN_ERR_ARGUMENT;
  hn_status status = HN_OK;
  for (; set && set->name && !status; set++)
    status = hn_model_override(model, set->name, set->value);
  return status ? status : hn_model_parse(model, text, strlen(text), example);
}

// from the command line of 'holon reproduce', for all its runs; the caller's
static const setting *overrides;

void experiment_override(const setting *options) {
  overrides = options;
}

// all of them, until one is refused
static hn_status apply(hn_options *o, const setting *s, char *message, size_t size) {
  hn_status status = HN_OK;
  for (; !status && s && s->name; s++) status = hn_options_set(o, s->name, s->value, message, size);
  return status;
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
  // compared with what a paper says: no companion
  static const setting alone[] = {{"verify", "off"}, {0}};
  const setting *const lists[] = {options, overrides, alone};
  for (int i = 0; i < 3 && !status; i++) {
    status = apply(hn_model_options(model), lists[i], e->message, sizeof e->message);
    explained = status != HN_OK;
  }
  if (!status) status = hn_compile(&system, model);
  if (status && !explained)
    snprintf(e->message, sizeof e->message, "%s: %s", example,
             model ? hn_model_error(model) : "out of memory");
  if (!status) {
    e->coordinates = hn_system_nv(system), e->rows = hn_system_rows(system);
    e->redundant = hn_system_check(system)->redundant_count;
  }
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

// may be called for runs that failed, and twice
void experiment_free(experiment *e) {
  hn_result_destroy(e->result);
  e->result = NULL;
}

// NAN for a missing column: it is not to pass for agreement
double experiment_at(const experiment *e, int row, const char *column) {
  int k = hn_result_find(e->result, column);
  return k < 0 ? NAN : hn_result_row(e->result, row)[k];
}

curve experiment_curve(const experiment *e, const char *label, const char *name) {
  curve c = {.name = label};
  int rows = hn_result_rows(e->result), column = hn_result_find(e->result, name);
  // one block for both: `x` is what is freed
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

// rows first to end - 1, of sizes
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
