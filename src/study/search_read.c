// search_read.c: the sections `optimise` and `fit` of a study file.
// A search has no design: it chooses its points itself. So that the rest of the reader need not
// know, it gets one of a single point, the middle of all ranges, of which the model is made that
// names are checked against.
#include "study/optimise.h"
#include "study/random.h"
#include "study/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// no place: the file is not to blame
static hn_status no_memory(hn_study_reader *r) {
  return hn_model_fail(r->in.model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
}

// the middle of all ranges, of which a model can be made before anything is searched for
static void point_middle(const hn_study *study, long k, double *u) {
  (void)k;
  for (int i = 0; i < study->factors; i++) u[i] = 0.5;
}

static bool plan_nothing(hn_study *study, char message[HN_MESSAGE]) {
  (void)study, (void)message;
  return true;
}

// not among those that a file can name
static const hn_design searched = {"search", "", .counted = true, .plan = plan_nothing,
                                   .point = point_middle};

// variables have a range
// searches move in the unit cube (optimise.h), which only ranges map to
static hn_status check_ranges(hn_study_reader *r, const hn_yaml *section) {
  for (int i = 0; i < r->study->factors; i++) {
    // lists and distributions have no ends: a search could not tell where to stop
    const hn_factor *f = &r->study->factor[i];
    if (f->law == HN_LAW_UNIFORM || f->law == HN_LAW_LOG) continue;
    return hn_read_fail(&r->in, section, HN_ERR_MODEL,
                        "factor '%s' has no range (give it 'uniform: [from, to]' or 'log: ...')",
                        f->name);
  }
  return HN_OK;
}

// an optional number within limits; *out keeps its default where the key is not there
static hn_status read_part(hn_study_reader *r, const hn_yaml *map, const char *key, double least,
                           double most, double *out) {
  const hn_yaml *node = hn_yaml_get(map, key);
  if (!node) return HN_OK;
  hn_status status = hn_read_number(&r->in, node, key, out);
  // limits are inclusive; NAN fails both
  if (status || (*out >= least && *out <= most)) return status;
  return hn_read_fail(&r->in, node, HN_ERR_MODEL, "%s must lie between %g and %g", key, least,
                      most);
}

static hn_status read_count(hn_study_reader *r, const hn_yaml *map, const char *key, double least,
                            double most, double *out) {
  const hn_yaml *node = hn_yaml_get(map, key);
  return node ? hn_study_whole(r, node, key, least, most, out) : HN_OK;
}

static hn_status read_derivatives(hn_study_reader *r, const hn_yaml *section, bool *exact) {
  const hn_yaml *node = hn_yaml_get(section, "derivatives");
  // differences need nothing of a model; exact derivatives need code (slopes.c)
  const char *word = "differences";
  hn_status status = node ? hn_study_word(r, node, "derivatives", &word) : HN_OK;
  if (status) return status;
  // a word that is neither is told with both
  *exact = strcmp(word, "exact") == 0;
  if (*exact || strcmp(word, "differences") == 0) return HN_OK;
  return hn_read_fail_word(&r->in, node, HN_ERR_MODEL, "derivatives cannot be", word,
                           "differences exact");
}

static hn_status read_way(hn_study_reader *r, const hn_yaml *section, const hn_optimiser **way) {
  const hn_yaml *node = hn_yaml_get(section, "method");
  // CMA-ES, where nothing is said: it asks least of a metric
  const char *word = "cma-es";
  char known[512] = "";
  hn_status status = node ? hn_study_word(r, node, "method", &word) : HN_OK;
  if (status) return status;
  for (int i = 0; (*way = hn_optimiser_at(i)); i++) {
    if (strcmp((*way)->name, word) == 0) return HN_OK;
    // for the message, if none fits
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? " " : "",
             (*way)->name);
  }
  return hn_read_fail_word(&r->in, node, HN_ERR_MODEL, "no method", word, known);
}

// 1000 runs, steps of 0.3 of the ranges: what CMA-ES wants for a handful of variables
static hn_status read_optimise(hn_study_reader *r, const hn_yaml *section) {
  struct hn_optimise *o = hn_study_take(r, sizeof *o);
  double population = 0, evaluations = 1000, seed = 1, starts = 1;
  if (!o) return no_memory(r);
  // -1: which metric it is, is known once metrics have been read (hn_search_check)
  *o = (struct hn_optimise){.step = 0.3, .tolerance = 1e-6, .metric = -1};
  hn_status status =
      hn_study_keys(r, section,
                    "minimise maximise method derivatives evaluations population starts step "
                    "tolerance seed");
  if (!status) status = check_ranges(r, section);
  if (!status) status = read_way(r, section, &o->way);
  if (!status) status = read_derivatives(r, section, &o->exact);
  if (!status) status = read_count(r, section, "starts", 1, 1e6, &starts);
  if (!status) status = read_count(r, section, "evaluations", 4, 1e9, &evaluations);
  if (!status) status = read_count(r, section, "population", 4, 1e6, &population);
  if (!status) status = read_count(r, section, "seed", 0, 9e15, &seed);
  if (!status) status = read_part(r, section, "step", 1e-6, 1, &o->step);
  if (!status) status = read_part(r, section, "tolerance", 1e-15, 1, &o->tolerance);
  // whole numbers within the limits above: casts are exact
  o->population = (int)population;
  o->starts = (int)starts;
  r->study->optimise = o;
  r->study->runs = (long)evaluations;
  r->study->seed = (uint64_t)seed;
  return status;
}

// ---- measurements ----------------------------------------------------------------------------

// rows without a number (a sensor that was silent) are left out, column by column
static hn_status take_points(hn_study_reader *r, const hn_yaml *e, const hn_result *data,
                             hn_fit_column *c, double from, double to) {
  // the time is the first column, as results of runs have it
  int at = hn_result_find(data, c->measured), rows = hn_result_rows(data);
  if (at < 0)
    return hn_read_fail(&r->in, e, HN_ERR_MODEL, "the file has no column '%.60s'", c->measured);
  // one more: a file without rows is read, and says that it determines nothing
  double *time = hn_study_take(r, (size_t)(rows + 1) * sizeof *time);
  double *value = hn_study_take(r, (size_t)(rows + 1) * sizeof *value);
  if (!time || !value) return no_memory(r);
  // 'from' and 'to' are inclusive
  for (int i = 0; i < rows; i++) {
    const double *row = hn_result_row(data, i);
    if (isnan(row[at]) || isnan(row[0]) || row[0] < from || row[0] > to) continue;
    time[c->count] = row[0];
    value[c->count++] = row[at];
  }
  c->time = time, c->value = value;
  // over all columns: points against factors decide whether there is an answer
  r->study->fit->points += c->count;
  return HN_OK;
}

// files of others may have their time elsewhere: taken for it, the first column would fit anything
static hn_status check_time(hn_study_reader *r, const hn_yaml *file, const hn_result *data) {
  static const char times[] = "time t Time T";
  const char *first = hn_result_name(data, 0);
  // a first column by any other name is taken for time only if no other one is called so
  for (int i = 1; i < hn_result_columns(data) && !hn_word_in(first, times); i++)
    if (hn_word_in(hn_result_name(data, i), times))
      return hn_read_fail(&r->in, file, HN_ERR_MODEL,
                          "its first column must be the time, and is '%.60s' ('%s' is column %d)",
                          first, hn_result_name(data, i), i + 1);
  return HN_OK;
}

// {file: measured.csv, columns: {wheel.z: height}, sigma: 0.001, from: 0, to: 2}
static hn_status read_data(hn_study_reader *r, const hn_yaml *e) {
  struct hn_fit *fit = r->study->fit;
  char message[HN_MESSAGE];
  if (e->kind != HN_YAML_MAP)
    return hn_read_fail(&r->in, e, HN_ERR_SYNTAX, "an entry is {file: ..., columns: {...}}");
  hn_status status = hn_study_keys(r, e, "file columns sigma from to");
  // files may be anything hn_result_read knows: CSV or HDF5
  const hn_yaml *file = hn_yaml_get(e, "file"), *columns = hn_yaml_get(e, "columns");
  if (!status &&
      (!file || file->kind != HN_YAML_SCALAR || !columns || columns->kind != HN_YAML_MAP))
    return hn_read_fail(&r->in, e, HN_ERR_SYNTAX,
                        "needs 'file' and 'columns: {column of the model: column of the file}'");
  // seconds; without them all rows count
  double sigma = 0, from = -INFINITY, to = INFINITY;
  if (!status) status = read_part(r, e, "sigma", 1e-300, 1e300, &sigma);
  if (!status) status = read_part(r, e, "from", -1e12, 1e12, &from);
  if (!status) status = read_part(r, e, "to", -1e12, 1e12, &to);
  // beside the study file
  const char *path = status ? NULL : hn_study_path(r, file->text);
  hn_result *data = NULL;
  if (!status && !path) return no_memory(r);
  if (!status && (status = hn_result_read(&data, path, message, sizeof message)))
    return hn_read_fail(&r->in, file, status, "%s", message);
  if (!status) status = check_time(r, file, data);
  for (const hn_yaml *c = status ? NULL : columns->first; c && !status; c = c->next) {
    // room was counted by read_fit
    hn_fit_column *to_fill = &fit->column[fit->columns];
    *to_fill = (hn_fit_column){.name = hn_study_text(r, c->key->text), .sigma = sigma};
    status = hn_study_word(r, c, "a column", &to_fill->measured);
    if (!status) status = take_points(r, c, data, to_fill, from, to);
    // a column that failed is not counted: nothing points to it
    if (!status) fit->columns++;
  }
  hn_result_destroy(data);
  return status;
}

// columns are counted before they are read: their array must not move
static hn_status read_fit(hn_study_reader *r, const hn_yaml *section) {
  struct hn_fit *fit = hn_study_take(r, sizeof *fit);
  double iterations = 50;
  if (!fit) return no_memory(r);
  r->study->fit = fit;
  // relative to the sum of squares
  fit->tolerance = 1e-8;
  hn_status status = hn_study_keys(r, section, "data derivatives iterations tolerance");
  if (!status) status = check_ranges(r, section);
  if (!status) status = read_count(r, section, "iterations", 1, 1e6, &iterations);
  if (!status) status = read_part(r, section, "tolerance", 1e-15, 1, &fit->tolerance);
  // iterations of Levenberg and Marquardt, not runs
  fit->iterations = (int)iterations;
  if (!status) status = read_derivatives(r, section, &fit->exact);
  const hn_yaml *data = hn_yaml_get(section, "data");
  if (!status && (!data || data->kind != HN_YAML_LIST || !data->first))
    return hn_read_fail(&r->in, data ? data : section, HN_ERR_SYNTAX,
                        "needs 'data', a list of {file: ..., columns: {...}}");
  size_t count = 0;
  for (const hn_yaml *e = status ? NULL : data->first; e; e = e->next) {
    const hn_yaml *columns = e->kind == HN_YAML_MAP ? hn_yaml_get(e, "columns") : NULL;
    count += columns ? (size_t)columns->count : 0;
  }
  fit->column = status ? NULL : hn_study_take(r, (count + 1) * sizeof *fit->column);
  if (!status && !fit->column) return no_memory(r);
  for (const hn_yaml *e = status ? NULL : data->first; e && !status; e = e->next)
    status = read_data(r, e);
  // as many points as factors leave nothing to tell the scatter by
  if (!status && fit->points <= r->study->factors)
    return hn_read_fail(&r->in, data, HN_ERR_MODEL,
                        "%d measured values do not determine %d factors", fit->points,
                        r->study->factors);
  // the middle of all ranges, by which names are checked
  r->study->runs = 1;
  return status;
}

hn_status hn_search_read(hn_study_reader *r) {
  const hn_yaml *optimise = NULL, *fit = NULL;
  hn_status status = hn_study_section(r, "optimise", HN_YAML_MAP, &optimise);
  if (!status && optimise) status = read_optimise(r, optimise);
  if (!status) status = hn_study_section(r, "fit", HN_YAML_MAP, &fit);
  if (!status && fit && optimise)
    return hn_read_fail(&r->in, fit, HN_ERR_MODEL, "is either fitted or optimised, not both");
  // one at a time: both would write runs and design
  if (!status && fit) status = read_fit(r, fit);
  if (!status && (fit || optimise) && hn_yaml_get(hn_yaml_root(r->in.doc), "design"))
    return hn_read_fail(&r->in, fit ? fit : optimise, HN_ERR_MODEL,
                        "chooses its points itself: there can be no 'design'");
  // also after a failure, where nobody reads it any more
  if (fit || optimise) r->study->design = &searched;
  return status;
}

// what is fitted must be recorded, although no metric reads it
static hn_status check_columns(hn_study_reader *r) {
  const struct hn_fit *fit = r->study->fit;
  const hn_yaml *section = hn_yaml_get(hn_yaml_root(r->in.doc), "fit");
  const char *name;
  for (int c = 0; c < fit->columns; c++) {
    bool there = false;
    // names as the compiled model has them: beams and robots bring columns of their own
    for (int i = 0; (name = hn_column_name(r->system, i)); i++)
      there = there || strcmp(name, fit->column[c].name) == 0;
    if (!there)
      return hn_read_fail(&r->in, section, HN_ERR_MODEL, "the model has no column '%.60s'",
                          fit->column[c].name);
    // what no formula reads would not be recorded otherwise
    if (!hn_metrics_column(&r->study->metrics, fit->column[c].name)) return no_memory(r);
  }
  return HN_OK;
}

hn_status hn_search_check(hn_study_reader *r) {
  const hn_yaml *root = hn_yaml_root(r->in.doc), *section = hn_yaml_get(root, "optimise");
  struct hn_optimise *o = r->study->optimise;
  if (r->study->fit) {
    hn_study_enter(r, "fit", NULL);
    return check_columns(r);
  }
  if (!o) return HN_OK;
  hn_study_enter(r, "optimise", NULL);
  const hn_yaml *least = hn_yaml_get(section, "minimise"), *most = hn_yaml_get(section, "maximise");
  // one of the two, and by name
  const hn_yaml *node = least ? least : most;
  if (!node || (least && most) || node->kind != HN_YAML_SCALAR)
    return hn_read_fail(&r->in, section, HN_ERR_MODEL,
                        "needs 'minimise: METRIC' or 'maximise: METRIC'");
  char known[1024] = "";
  const hn_metrics *m = &r->study->metrics;
  // the last metric of a name is the only one: names are unique
  for (int i = 0; i < m->metrics; i++) {
    if (strcmp(m->metric[i].name, node->text) == 0) o->metric = i;
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? " " : "",
             m->metric[i].name);
  }
  // maximised is what was asked; values are turned round where they are compared (optimise.c)
  o->maximise = most != NULL;
  // such a way would look for the least without them
  if (o->way->bounds_only && m->constraints)
    return hn_read_fail(&r->in, hn_yaml_get(section, "method"), HN_ERR_MODEL,
                        "'%s' knows nothing of constraints", o->way->name);
  if (o->metric >= 0) return HN_OK;
  return hn_read_fail_word(&r->in, node, HN_ERR_MODEL, "no metric", node->text, known);
}
