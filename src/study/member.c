// member.c: one run of a study by the library: values in, a row out.
//
// The model file is parsed once for every worker; a member is read from that tree with its own
// values in it, since parameters mean something only while a model is read.
// What the metrics do not read is not recorded, so that a run of a study costs little more than its
// steps. A run that is to be kept records what the model asks for.
#include "base/file.h"
#include "compile/workshop.h"
#include "io/model_reader.h"
#include "io/yaml.h"
#include "study/engine.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SIZE = 128 };  // numbers have HN_NUMBER_SIZE at most, words 100 (read_design.c)

// belongs to one worker, and to one run at a time
struct hn_member {
  const hn_study *study;
  hn_yaml_doc *doc;
  hn_memory *memory;         // of its formulas
  hn_refill *refill;         // what of it changes; NULL: it is read as a whole every time
  hn_yaml_doc *noted;        // the reading that told so
  double *given;             // values of changing parameters
  bool sets_options;         // some factor does
  long readings;             // of the whole file
  hn_yaml **place;           // of factors that set one; NULL for the others
  char (*text)[VALUE_SIZE];  // values as text, which places point to
  hn_metric_work work;
  int *column;      // where the columns of the metrics stand in a result
  hn_model *spare;  // of the last run: the next is read into it
  hn_workshop *workshop;
};

// ---- values into a model ---------------------------------------------------------------------

void hn_factor_text(const hn_factor *factor, double value, char *out, size_t size) {
  // the shortest text that reads as the same double: what runs is what the table says
  char number[HN_NUMBER_SIZE];
  if (factor->word) {
    hn_copy_text(out, size, factor->word[(int)value]);
    return;
  }
  hn_number_text(number, value);
  hn_copy_text(out, size, number);
}

// items of a list go by their number alone: 'velocity.y' is no 'velocity.0'
static const hn_yaml *below(const hn_yaml *node, const char *word) {
  // eight digits at most: atoi() is asked for nothing that an int cannot hold
  bool number = *word && strlen(word) < 9 && strspn(word, "0123456789") == strlen(word);
  if (node->kind == HN_YAML_LIST) return number ? hn_yaml_item(node, atoi(word)) : NULL;
  return hn_yaml_get(node, word);
}

// an entry that the file does not have: its map gets one
// So that initial values may vary where the file is content with their defaults. A key that is none
// is found out by the reader of models, which knows them all.
static hn_yaml *add_entry(hn_yaml_doc *doc, hn_yaml *map, const char *word) {
  // memory of the tree, which is freed with it
  hn_yaml *entry = hn_yaml_take(doc, sizeof *entry), *key = hn_yaml_take(doc, sizeof *key);
  char *text = hn_yaml_take(doc, strlen(word) + 1);
  if (!entry || !key || !text) return NULL;
  strcpy(text, word);
  *key = (hn_yaml){.kind = HN_YAML_SCALAR, .line = map->line, .column = map->column, .text = text};
  *entry = (hn_yaml){.kind = HN_YAML_SCALAR, .line = map->line, .column = map->column, .key = key};
  // at its end: places that were found before keep theirs
  hn_yaml **end = &map->first;
  while (*end) end = &(*end)->next;
  *end = entry;
  map->count++;
  return entry;
}

// the node a path such as "bodies.crank.velocity.0" leads to
// Found once, then only their texts change: m->place[i]->text points to m->text[i] from here on.
static hn_status find_place(hn_yaml_doc *doc, const char *path, hn_yaml **out,
                            char message[HN_MESSAGE]) {
  const hn_yaml *node = hn_yaml_root(doc);
  for (const char *rest = path;;) {
    // names of a model have 63 characters at most
    char word[64];
    size_t length = strcspn(rest, ".");
    snprintf(word, sizeof word, "%.*s", (int)length, rest);
    const hn_yaml *next = below(node, word);
    // the tree was made for this worker alone
    if (!next && !rest[length] && node->kind == HN_YAML_MAP) {
      *out = add_entry(doc, (hn_yaml *)node, word);
      return *out ? HN_OK : hn_fail(message, HN_ERR_MEMORY, "out of memory");
    }
    if (!next)
      return hn_fail(message, HN_ERR_MODEL, "the model file has no '%.*s'%s",
                     (int)(rest + length - path), path,
                     node->kind == HN_YAML_LIST ? " (items of a list are '.0', '.1' ...)" : "");
    node = next;
    if (!rest[length]) break;
    rest += length + 1;
  }
  if (node->kind != HN_YAML_SCALAR)
    return hn_fail(message, HN_ERR_MODEL, "'%s' is no single value of the model file (%s)", path,
                   node->kind == HN_YAML_LIST ? "say which of its items by '.0', '.1' ..."
                                              : "say which of its keys");
  *out = (hn_yaml *)node;
  return HN_OK;
}

// Factors may change numbers that are read again alone. Those that set words change what is read,
// and a parameter that the study sets in all runs is not the factor's.
static bool open_refill(hn_member *m) {
  const hn_study *study = m->study;
  bool numbers = true;
  for (int i = 0; i < study->factors; i++) {
    const hn_factor *f = &study->factor[i];
    numbers = numbers && (f->target == HN_SET_OPTION || !f->word);
    m->sets_options = m->sets_options || f->target == HN_SET_OPTION;
    for (int k = 0; k < study->parameters; k++)
      if (f->target == HN_SET_PARAMETER && strcmp(f->path, study->parameter[k]) == 0)
        numbers = false;
  }
  if (!numbers) return true;
  m->refill = hn_refill_create();
  m->given = calloc((size_t)study->factors + 1, sizeof *m->given);
  bool good = m->refill && m->given;
  for (int i = 0; i < study->factors && good; i++) {
    const hn_factor *f = &study->factor[i];
    if (f->target == HN_SET_PARAMETER) good = hn_refill_parameter(m->refill, f->path);
    if (f->target == HN_SET_PLACE) good = hn_refill_place(m->refill, m->place[i]);
  }
  return good;
}

hn_status hn_member_open(const hn_study *study, hn_member **out, char message[HN_MESSAGE]) {
  size_t factors = (size_t)study->factors + 1;
  hn_member *m = calloc(1, sizeof *m);
  *out = NULL;
  // what is missing is NULL, which hn_member_close knows
  if (!m) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  m->study = study;
  m->place = calloc(factors, sizeof *m->place);
  m->text = calloc(factors, sizeof *m->text);
  m->memory = hn_memory_create();
  m->workshop = hn_workshop_create(false);
  m->column = calloc((size_t)study->metrics.columns + 1, sizeof *m->column);
  hn_yaml_error error;
  hn_status status = m->place && m->text && m->memory && m->workshop && m->column
                         ? hn_metric_work_open(&study->metrics, &m->work)
                         : HN_ERR_MEMORY;
  if (status) {
    hn_fail(message, status, "out of memory");
  } else if (!(m->doc = hn_yaml_parse(study->model_text, study->model_length, &error))) {
    status = hn_fail(message, error.status, "%.200s:%d:%d: %s", study->model_file, error.line,
                     error.column, error.message);
  }
  for (int i = 0; i < study->factors && !status; i++) {
    // parameters and options are set by name, without a place
    const hn_factor *f = &study->factor[i];
    if (f->target != HN_SET_PLACE) continue;
    status = find_place(m->doc, f->path, &m->place[i], message);
    if (status) continue;
    // texts of all runs of this worker are written into m->text[i]: the tree need not be touched
    // again
    m->place[i]->text = m->text[i];
    // messages point into the file only where its text stands
    m->place[i]->verbatim = false;
    m->place[i]->note = HN_YAML_CHANGES;
  }
  if (!status && !open_refill(m)) status = hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (status) {
    hn_member_close(m);
    return status;
  }
  *out = m;
  return HN_OK;
}

void hn_member_close(hn_member *member) {
  if (!member) return;
  hn_refill_destroy(member->refill);
  hn_yaml_destroy(member->noted);
  hn_yaml_destroy(member->doc);
  hn_memory_destroy(member->memory);
  hn_workshop_destroy(member->workshop);
  hn_metric_work_close(&member->work);
  hn_model_destroy(member->spare);
  free(member->place);
  free(member->text);
  free(member->given);
  free(member->column);
  free(member);
}

static hn_status set_option(hn_model *model, const char *name, const char *value, char *message,
                            // in the model's own options: they override what the file says
                            size_t size) {
  hn_options *options = hn_model_options(model);
  // a preset is meant as a whole
  if (strcmp(name, "method") == 0)
    options->solver[0] = options->correction[0] = options->integrator[0] = 0;
  return hn_options_set(options, name, value, message, size);
}

static hn_status set_options(const hn_member *member, hn_model *model, char *message, size_t size) {
  const hn_study *study = member->study;
  // in this order: a factor overrides what the study sets for all runs
  hn_status status = HN_OK;
  for (int i = 0; i < study->options && !status; i++)
    status = set_option(model, study->option[i], study->option_value[i], message, size);
  for (int i = 0; i < study->factors && !status; i++)
    if (study->factor[i].target == HN_SET_OPTION)
      status = set_option(model, study->factor[i].path, member->text[i], message, size);
  return status;
}

// what the metrics need is recorded, and nothing else
static hn_status set_columns(const hn_study *study, hn_model *model) {
  // what the file asks for goes: columns cost time in every step that is recorded
  for (int i = 0; i < model->output_count; i++) free(model->output[i]);
  model->output_count = 0;
  hn_status status = HN_OK;
  for (int i = 0; i < study->metrics.columns && !status; i++)
    status = hn_add_output(model, study->metrics.column[i]);
  return status;
}

// empty as if it were new, with room for as much as was in it
static void use_again(hn_model *model) {
  hn_model_clear(model);
  for (int i = 0; i < model->override_count; i++)
    free(model->override[i].name), free(model->override[i].text);
  model->override_count = 0;
}

// memory of a model is most of what reading costs: it is used again
// a view shares the tree and has marks of its own about what was read
// nothing is left with the caller where this fails
static hn_status override_parameters(const hn_study *study, const double *factors,
                                     hn_model *model) {
  char text[VALUE_SIZE];
  hn_status status = HN_OK;
  for (int i = 0; i < study->factors && !status; i++) {
    if (study->factor[i].target != HN_SET_PARAMETER) continue;
    hn_factor_text(&study->factor[i], factors[i], text, sizeof text);
    status = hn_model_override(model, study->factor[i].path, text);
  }
  // a parameter that the study sets for all runs is no factor (read.c): the order does not matter
  for (int i = 0; i < study->parameters && !status; i++)
    status = hn_model_override(model, study->parameter[i], study->parameter_value[i]);
  return status;
}

// The first reading that succeeds tells what changes; its tree's memory is what that refers to.
static hn_status read_whole(hn_member *member, hn_model *model) {
  hn_refill *refill = member->refill;
  bool note = refill && !member->noted;
  hn_yaml_doc *view = hn_yaml_borrow(member->doc);
  if (!view) return HN_ERR_MEMORY;
  hn_status status =
      hn_model_read(model, view, member->study->model_file, member->memory, note ? refill : NULL);
  if (note && !status)
    member->noted = view;
  else
    hn_yaml_destroy(view);
  return status;
}

// Parameters are set before the file is read, since everything in it may depend on them; options
// are set after it, since they override what it says.
static hn_status read_model(hn_member *member, const double *factors, bool all_columns,
                            hn_model *model) {
  use_again(model);
  member->readings++;
  hn_status status = override_parameters(member->study, factors, model);
  if (!status) status = read_whole(member, model);
  if (!status && !all_columns) status = set_columns(member->study, model);
  if (status) return status;
  model->refilled_by = hn_refill_number(member->refill);
  model->refilled_all = all_columns;
  model->refilled_options = model->options;
  return HN_OK;
}

// Only what changes, where that is known and the model is one that was read here before.
static bool refill_model(hn_member *member, const double *factors, bool all_columns,
                         hn_model *model) {
  const hn_study *study = member->study;
  if (!member->refill || !hn_refill_ready(member->refill) ||
      model->refilled_by != hn_refill_number(member->refill) || model->refilled_all != all_columns)
    return false;
  int given = 0;
  for (int i = 0; i < study->factors; i++)
    if (study->factor[i].target == HN_SET_PARAMETER) member->given[given++] = factors[i];
  model->options = model->refilled_options;
  return hn_refill_model(member->refill, model, member->memory, member->given);
}

long hn_member_readings(const hn_member *member) {
  return member->readings;
}

hn_status hn_member_model(hn_member *member, const double *factors, bool all_columns,
                          hn_model **out, char *message, size_t size) {
  const hn_study *study = member->study;
  hn_model *model = *out ? *out : hn_model_create();
  hn_status status = model ? HN_OK : HN_ERR_MEMORY;
  *out = NULL;
  for (int i = 0; i < study->factors; i++)
    if (study->factor[i].target != HN_SET_PARAMETER)
      hn_factor_text(&study->factor[i], factors[i], member->text[i], VALUE_SIZE);
  bool whole = !status && !refill_model(member, factors, all_columns, model);
  if (whole) status = read_model(member, factors, all_columns, model);
  if (status)
    snprintf(message, size, "%s", model ? hn_model_error(model) : "out of memory");
  else if (whole || member->sets_options)
    status = set_options(member, model, message, size);
  // those of all members, where no factor sets one
  if (!status && whole && !member->sets_options) model->refilled_options = model->options;
  if (status)
    hn_model_destroy(model);
  else
    *out = model;
  return status;
}

// ---- the run ---------------------------------------------------------------------------------

// the system does not outlive the member, whose workshop it uses
static hn_status compile(hn_member *member, hn_model *model, hn_system **out) {
  model->workshop = member->workshop;
  hn_status status = hn_compile(out, model);
  model->workshop = NULL;
  return status;
}

// what the run is asked between steps: is it to end?
typedef struct watch {
  hn_member *member;
  hn_result *result;
  int seen, stopped;  // rows looked at; the row that ends the run, or -1
  const atomic_bool *stop;
  bool given_up;
} watch;

// which columns a result has depends on the model, and the model on the factors: looked up in every
// run
static bool find_columns(hn_member *member, const hn_result *result, char message[256]) {
  const hn_metrics *m = &member->study->metrics;
  // columns of metrics by name to columns of this result by number
  for (int i = 0; i < m->columns; i++) {
    member->column[i] = hn_result_find(result, m->column[i]);
    if (member->column[i] >= 0) continue;
    snprintf(message, 256, "column '%s' is not recorded in this run", m->column[i]);
    return false;
  }
  return true;
}

// a factor hides a parameter of its name, also where it sets something else
void hn_member_constants(const hn_member *member, const hn_model *model, const double *factors,
                         double *constant) {
  const hn_study *study = member->study;
  const hn_metrics *m = &study->metrics;
  for (int i = 0; i < m->constants; i++) {
    // a constant that the model does not have is NAN: so are metrics that read it
    constant[i] = NAN;
    (void)hn_model_parameter(model, m->constant[i], &constant[i]);
    for (int k = 0; k < study->factors; k++)
      if (strcmp(study->factor[k].name, m->constant[i]) == 0) constant[i] = factors[k];
  }
}

static const double *find_constants(hn_member *member, const hn_model *model,
                                    const double *factors) {
  double *constant = member->work.inputs + HN_IN_CONSTANT;
  hn_member_constants(member, model, factors, constant);
  return constant;
}

hn_status hn_member_back(hn_member *member, const hn_result *result, int rows, int which, double *z,
                         double *constant, char message[HN_MESSAGE]) {
  return hn_metrics_back(&member->study->metrics, &member->work, result, rows, member->column,
                         which, z, constant, message);
}

// has one of the rows recorded since ended the run?
// Rows, not steps, decide: what ends a run is then a function of the table, whatever steps the
// method takes.
static bool look(watch *w) {
  const hn_metrics *m = &w->member->study->metrics;
  char message[256];
  // without a condition no run stops; one that has stopped stays so
  if (!m->stop || w->stopped >= 0) return w->stopped >= 0;
  // a column that is missing is told when the row is measured
  if (w->seen == 0 && !find_columns(w->member, w->result, message)) return false;
  for (; w->seen < hn_result_rows(w->result); w->seen++)
    if (hn_metrics_stops(m, &w->member->work, hn_result_row(w->result, w->seen),
                         w->member->column)) {
      w->stopped = w->seen;
      return true;
    }
  return false;
}

// false ends the run; why is told by given_up and stopped
static bool on_step(void *user, double t, double duration) {
  watch *w = user;
  (void)t, (void)duration;
  // relaxed: nothing is read that the flag would have to order
  w->given_up = w->stop && atomic_load_explicit(w->stop, memory_order_relaxed);
  return !w->given_up && !look(w);
}

bool hn_member_measure_with(hn_member *member, const double *constant, const hn_result *result,
                            int rows, hn_run_row *row) {
  const hn_study *study = member->study;
  const hn_metrics *m = &study->metrics;
  double *out = row->values + study->factors;
  if (!find_columns(member, result, row->message)) return false;
  // constants are inputs of the formulas, in places of their own (metric.h)
  for (int i = 0; i < m->constants; i++) member->work.inputs[HN_IN_CONSTANT + i] = constant[i];
  if (hn_metrics_measure(m, &member->work, result, rows, member->column, out)) {
    snprintf(row->message, sizeof row->message, "out of memory");
    return false;
  }
  // a NAN violates what it stands in: both comparisons are false
  row->feasible = true;
  for (int i = 0; i < m->constraints; i++) {
    double violation = out[m->metrics + i];
    bool kept = m->constraint[i].strict ? violation < 0 : violation <= 0;
    row->feasible = row->feasible && kept;
  }
  return true;
}

bool hn_member_measure(hn_member *member, const hn_model *model, const hn_result *result, int rows,
                       hn_run_row *row) {
  return hn_member_measure_with(member, find_constants(member, model, row->values), result, rows,
                                row);
}

// the first that failed; one sentence is all a row has room for
static void tell_audit(hn_run_row *row, const hn_summary *s) {
  for (int i = 0; i < s->audit_count; i++) {
    const hn_audit_item *item = &s->audit[i];
    if (item->pass) continue;
    snprintf(row->message, sizeof row->message, "audit: %s %.3g %s, limit %.3g, at t=%.6g%s%s",
             item->name, item->worst, item->unit, item->limit, item->time, *item->where ? " " : "",
             item->where);
    return;
  }
  snprintf(row->message, sizeof row->message, "audit: nothing was audited");
}

// the library that writes HDF5 is not made for several threads
static void keep_result(const hn_result *result, const char *folder, hn_run_row *row) {
  static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
  char path[512], message[HN_MESSAGE];
  // names sort in the order of runs
  snprintf(path, sizeof path, "%s/run-%06ld.h5", folder, row->k);
  pthread_mutex_lock(&writing);
  hn_status status = hn_result_write(result, path, message, sizeof message);
  pthread_mutex_unlock(&writing);
  // the row keeps what it has to say of the run
  if (status && !row->message[0]) snprintf(row->message, sizeof row->message, "%.250s", message);
}

// what the run came to, with metrics where there are any
// Stopped runs are audited like finished ones, so that `feasible` means the same for both.
static void judge(watch *w, hn_sim *sim, const hn_model *model, hn_status status, hn_run_row *row) {
  // a condition that held at the last row ends the run as well
  bool stopped = look(w) && (!status || status == HN_ERR_INTERRUPTED);
  if (status && !stopped) {
    row->status = HN_ROW_FAILED;
    snprintf(row->message, sizeof row->message, "%.250s", hn_sim_error(sim));
    return;
  }
  hn_motion_error error;
  // what was stopped has not been compared with its companion yet
  if (status && strcmp(hn_model_options((hn_model *)model)->verify, "off") != 0)
    (void)hn_verify(sim, &error);
  hn_summary summary;
  hn_sim_summary(sim, &summary);
  // rows after the one that ended the run do not count
  int rows = stopped ? w->stopped + 1 : hn_result_rows(w->result);
  row->status = stopped ? HN_ROW_STOPPED : HN_ROW_DONE;
  if (stopped)
    snprintf(row->message, sizeof row->message, "stopped at t=%.9g",
             hn_result_row(w->result, w->stopped)[0]);
  // columns that are not there make the row a failure, and say which
  if (!hn_member_measure(w->member, model, w->result, rows, row)) {
    row->status = HN_ROW_FAILED;
    return;
  }
  if (summary.verdict == HN_AUDIT_FAILED) {
    // a run that fails its audit is no candidate of a search
    row->status = HN_ROW_AUDIT;
    row->feasible = false;
    tell_audit(row, &summary);
  }
}

// for fits: rows are all that counts, and a run that fails its audit is none
hn_status hn_member_result(hn_member *member, const double *factors, hn_result **out, char *message,
                           size_t size) {
  hn_model *model = member->spare;
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_summary summary;
  *out = NULL;
  // out of the member while it is used: a failure destroys it
  member->spare = NULL;
  hn_status status = hn_member_model(member, factors, false, &model, message, size);
  if (!status) {
    status = compile(member, model, &system);
    if (status) snprintf(message, size, "%s", hn_model_error(model));
  }
  if (!status) status = hn_sim_create(&sim, system, hn_model_options(model), message, size);
  if (!status) {
    // without a watch: fits know no condition that stops
    status = hn_run(sim, out, NULL, NULL);
    if (status) snprintf(message, size, "%s", hn_sim_error(sim));
    hn_sim_summary(sim, &summary);
  }
  if (!status && summary.verdict == HN_AUDIT_FAILED) {
    // a row only for its message
    hn_run_row row = {0};
    tell_audit(&row, &summary);
    snprintf(message, size, "%s", row.message);
    status = HN_ERR_STEP;
  }
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  // what hn_member_model left: NULL after a failure
  member->spare = model;
  return status;
}

bool hn_run_is_kept(const hn_study *study, long k) {
  if (study->keep_every && k % study->keep_every == 0) return true;
  for (int i = 0; i < study->keeps; i++)
    if (study->keep_run[i] == k) return true;
  return false;
}

// A model that cannot be made is a row (refused), not an error of the study: designs reach into
// corners where no mechanism closes.
bool hn_member_run(hn_member *member, hn_run_row *row, const char *keep, const atomic_bool *stop) {
  hn_model *model = member->spare;
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  member->spare = NULL;
  watch w = {.member = member, .stopped = -1, .stop = stop};
  // who is kept records what the model asks for
  bool kept = keep && hn_run_is_kept(member->study, row->k);
  row->message[0] = 0;
  row->feasible = false;
  // until something else is known
  row->status = HN_ROW_REFUSED;
  hn_status status =
      hn_member_model(member, row->values, kept, &model, row->message, sizeof row->message);
  // what was said by others stands in the message already
  if (!status) status = compile(member, model, &system);
  if (status && model) snprintf(row->message, sizeof row->message, "%.250s", hn_model_error(model));
  if (!status)
    status =
        hn_sim_create(&sim, system, hn_model_options(model), row->message, sizeof row->message);
  if (!status) {
    find_constants(member, model, row->values);
    // a run that is given up has no row, and no file
    status = hn_run(sim, &w.result, on_step, &w);
    if (!w.given_up) judge(&w, sim, model, status, row);
    if (kept && w.result && !w.given_up) keep_result(w.result, keep, row);
  }
  hn_result_destroy(w.result);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  member->spare = model;
  return !w.given_up;
}

// ---- the engine ------------------------------------------------------------------------------

static hn_status open_library(const hn_study *study, void **state, char message[HN_MESSAGE]) {
  return hn_member_open(study, (hn_member **)state, message);
}

static int run_library(void *state, const hn_run_batch *batch) {
  int done = 0;
  while (done < batch->count && !atomic_load_explicit(batch->stop, memory_order_relaxed) &&
         hn_member_run(state, &batch->rows[done], batch->keep, batch->stop))
    done++;
  return done;
}

static void close_library(void *state) {
  hn_member_close(state);
}

const hn_engine hn_engine_library = {
    .name = "library",
    .help = "every run by itself, by the library; any model, any method",
    .batch = 1,
    .open = open_library,
    .run = run_library,
    .close = close_library,
};
