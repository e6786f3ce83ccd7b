// read.c: a study file, section by section, into an hn_study.
//
// The study is checked as a whole before anything runs: a model is made of the values of its first
// run and compiled, so that names of columns, parameters and places are known to be right.
#include "study/read.h"
#include "base/file.h"
#include "io/model_reader.h"
#include "model/options.h"
#include "robots/import.h"
#include "study/search.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// every word that may stand at the top of a study file: others are told with the nearest of them
static const char sections[] = "name description model design factors correlations options metrics "
                               "constraints stop keep parameters optimise fit";

// everything a study points to is in its pool: destroying it frees a few blocks, and no error path
// has anything to give back
void *hn_study_take(hn_study_reader *r, size_t size) {
  void *out = hn_pool_take(&r->study->pool, size);
  if (out) memset(out, 0, size);
  return out;
}

const char *hn_study_text(hn_study_reader *r, const char *text) {
  // copies: the document that texts point into is gone when the study is used
  return hn_pool_text(&r->study->pool, text, strlen(text));
}

// the readers of models put r->in.model->subject in front of their sentences; so do those here
void hn_study_enter(hn_study_reader *r, const char *kind, const char *name) {
  snprintf(r->in.model->subject, sizeof r->in.model->subject, name ? "%s '%.60s'" : "%s%s", kind,
           // 60: names are told, not repeated
           name ? name : "");
}

// a section without anything in it (`metrics:`) is as good as none
hn_status hn_study_section(hn_study_reader *r, const char *name, hn_yaml_kind kind,
                           const hn_yaml **out) {
  const hn_yaml *node = hn_yaml_get(hn_yaml_root(r->in.doc), name);
  hn_study_enter(r, name, NULL);
  // what a caller does not find he takes for absent: out is NULL
  *out = NULL;
  if (!node || hn_yaml_is_empty(node)) return HN_OK;
  if (node->kind != kind)
    return hn_read_fail(&r->in, node, HN_ERR_SYNTAX, "must be %s",
                        kind == HN_YAML_MAP    ? "a map of keys and values"
                        : kind == HN_YAML_LIST ? "a list"
                                               : "a word");
  *out = node;
  return HN_OK;
}

hn_status hn_study_word(hn_study_reader *r, const hn_yaml *node, const char *what,
                        const char **out) {
  if (node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
    return hn_read_fail(&r->in, node, HN_ERR_SYNTAX, "%s must be a word", what);
  *out = hn_study_text(r, node->text);
  return *out ? HN_OK : hn_read_fail_memory(&r->in);
}

// doubles count exactly up to 9e15; NAN fails the first comparison
hn_status hn_study_whole(hn_study_reader *r, const hn_yaml *node, const char *what, double least,
                         double most, double *out) {
  double x;
  hn_status status = hn_read_number(&r->in, node, what, &x);
  if (status) return status;
  // of whole numbers a double is exact: nothing is rounded by the cast of the caller
  if (x == floor(x) && x >= least && x <= most) return *out = x, HN_OK;
  return hn_read_fail(&r->in, node, HN_ERR_MODEL, "%s must be a whole number from %.0f to %.0f",
                      what, least, most);
}

hn_status hn_study_keys(hn_study_reader *r, const hn_yaml *map, const char *known) {
  // a word that nobody reads would be a setting without effect
  for (const hn_yaml *e = map->first; e; e = e->next)
    if (!hn_word_in(e->key->text, known))
      return hn_read_fail_word(&r->in, e->key, HN_ERR_SYNTAX, "unknown key", e->key->text, known);
  return HN_OK;
}

static hn_status read_name(hn_study_reader *r) {
  const hn_yaml *node;
  // the description is for people: it only has to be a text
  hn_status status = hn_study_section(r, "description", HN_YAML_SCALAR, &node);
  if (!status) status = hn_study_section(r, "name", HN_YAML_SCALAR, &node);
  if (status) return status;
  if (node) {
    if (hn_find_control(node->text))
      return hn_read_fail(&r->in, node, HN_ERR_SYNTAX,
                          "must be one line without control characters");
    return hn_study_word(r, node, "name", &r->study->name);
  }
  // without a name the study is called as its file is
  const char *slash = strrchr(r->study->file, '/');
  r->study->name = hn_study_text(r, slash ? slash + 1 : r->study->file);
  return r->study->name ? HN_OK : hn_read_fail_memory(&r->in);
}

// ---- the model -------------------------------------------------------------------------------

// beside the study file, unless the path is absolute
// files name each other by paths from where they lie, not from where the program was started
static const char *path_beside(hn_study_reader *r, const char *path) {
  const char *slash = strrchr(r->study->file, '/');
  if (path[0] == '/' || !slash) return hn_study_text(r, path);
  size_t folder = (size_t)(slash - r->study->file) + 1;
  char *out = hn_study_take(r, folder + strlen(path) + 1);
  if (!out) return NULL;
  memcpy(out, r->study->file, folder);
  strcpy(out + folder, path);
  return out;
}

const char *hn_study_path(hn_study_reader *r, const char *path) {
  return path_beside(r, path);
}

// a robot file is made a model file at once: places of factors are those of the latter
static hn_status take_model(hn_study_reader *r, const hn_yaml *node, const char *text,
                            size_t length) {
  hn_study *study = r->study;
  char message[HN_MESSAGE], *yaml = NULL, *report = NULL;
  if (hn_import_is_robot(text, length, study->model_file)) {
    hn_status status =
        hn_import_text(text, length, study->model_file, false, &yaml, &report, message);
    if (status) return hn_read_fail(&r->in, node, status, "%s", message);
    text = yaml, length = strlen(yaml);
  }
  // a copy with the study: stores keep it as it was read
  study->model_text = hn_pool_text(&study->pool, text, length);
  study->model_length = length;
  free(yaml), free(report);
  return study->model_text ? HN_OK : hn_read_fail_memory(&r->in);
}

// an example of the library goes by its name
static const char *example_text(const char *name) {
  for (int i = 0; hn_example_name(i); i++)
    if (strcmp(hn_example_name(i), name) == 0) return hn_example_text(i);
  return NULL;
}

// a file of that name wins over an example of the library
static hn_status read_model(hn_study_reader *r, const char *given, const char *given_name) {
  hn_study *study = r->study;
  const hn_yaml *node;
  hn_status status = hn_study_section(r, "model", HN_YAML_SCALAR, &node);
  if (status) return status;
  // texts given win: the study comes from a store, which has both
  if (given) {
    study->model_file = hn_study_text(r, given_name ? given_name : "model");
    return study->model_file ? take_model(r, hn_yaml_root(r->in.doc), given, strlen(given))
                             : hn_read_fail_memory(&r->in);
  }
  if (!node)
    return hn_read_fail(&r->in, hn_yaml_root(r->in.doc), HN_ERR_MODEL,
                        "is missing: 'model: FILE.yaml' says what is studied");
  study->model_file = path_beside(r, node->text);
  // the path is tried even if there is an example of that name
  if (!study->model_file) return hn_read_fail_memory(&r->in);
  char message[HN_MESSAGE], *text = NULL;
  size_t length;
  status = hn_load_named(&text, &length, study->model_file, message);
  // only what cannot be read is looked for among examples
  const char *example = status ? example_text(node->text) : NULL;
  if (example) {
    study->model_file = hn_study_text(r, node->text);
    return study->model_file ? take_model(r, node, example, strlen(example))
                             : hn_read_fail_memory(&r->in);
  }
  status = status ? hn_read_fail(&r->in, node, status, "%s", message)
                  : take_model(r, node, text, length);
  free(text);
  return status;
}

// ---- options ---------------------------------------------------------------------------------

// parameters of the model that all runs have in common
static hn_status read_parameters(hn_study_reader *r) {
  const hn_yaml *section;
  hn_study *study = r->study;
  hn_status status = hn_study_section(r, "parameters", HN_YAML_MAP, &section);
  if (status || !section) return status;
  study->parameter = hn_study_take(r, (size_t)section->count * sizeof *study->parameter);
  study->parameter_value = hn_study_take(r, (size_t)section->count * sizeof *study->parameter);
  if (!study->parameter || !study->parameter_value) return hn_read_fail_memory(&r->in);
  for (const hn_yaml *e = section->first; e && !status; e = e->next) {
    // a parameter set twice would be set to the last, and rows tell of the other
    for (int i = 0; i < study->factors; i++)
      if (study->factor[i].target == HN_SET_PARAMETER &&
          strcmp(study->factor[i].path, e->key->text) == 0)
        return hn_read_fail(&r->in, e->key, HN_ERR_MODEL,
                            "'%.60s' varies: factor '%s' sets it in every run", e->key->text,
                            study->factor[i].name);
    // as a text: what its units and formulas mean is known where the model is read
    status = hn_study_word(r, e, "a parameter", &study->parameter_value[study->parameters]);
    study->parameter[study->parameters] = hn_study_text(r, e->key->text);
    if (!study->parameter[study->parameters]) return hn_read_fail_memory(&r->in);
    study->parameters++;
  }
  return status;
}

// Values are tried on options of their own, so that a mistake is told at its line and not by every
// run.
static hn_status read_options(hn_study_reader *r) {
  const hn_yaml *section;
  hn_study *study = r->study;
  hn_status status = hn_study_section(r, "options", HN_YAML_MAP, &section);
  if (status || !section) return status;
  // with the defaults: what a value does to others is looked at there
  hn_options scratch = hn_options_default();
  study->option = hn_study_take(r, (size_t)section->count * sizeof *study->option);
  study->option_value = hn_study_take(r, (size_t)section->count * sizeof *study->option_value);
  if (!study->option || !study->option_value) return hn_read_fail_memory(&r->in);
  for (const hn_yaml *e = section->first; e && !status; e = e->next) {
    const hn_option *option = hn_option_find(e->key->text);
    char message[256], number[HN_NUMBER_SIZE];
    // a list or map has no text: the option says so
    const char *text = e->kind == HN_YAML_SCALAR ? e->text : "";
    double value;
    // numbers may be formulas and have units; their value is what runs get, with all its digits
    if (option && !option->words) {
      status = hn_read_number(&r->in, e, e->key->text, &value);
      if (status) return status;
      hn_number_text(number, value);
      text = number;
    }
    // A study file comes from somebody else as often as a model does; neither may have the C
    // compiler started.
    if (strcmp(e->key->text, "code") == 0)
      return hn_read_fail(&r->in, e, HN_ERR_MODEL, "machine code is no matter of a study file");
    status = hn_options_set(&scratch, e->key->text, text, message, sizeof message);
    if (status) return hn_read_fail(&r->in, option ? e : e->key, HN_ERR_MODEL, "%s", message);
    study->option[study->options] = hn_study_text(r, e->key->text);
    study->option_value[study->options] = hn_study_text(r, text);
    if (!study->option[study->options] || !study->option_value[study->options])
      return hn_read_fail_memory(&r->in);
    study->options++;
  }
  return status;
}

// ---- metrics ---------------------------------------------------------------------------------

// factors of words have no number that a formula could read
// for formulas of metrics: names that stand for numbers of the run
static bool is_factor(const void *user, const char *name, size_t length) {
  const hn_study *study = user;
  for (int i = 0; i < study->factors; i++)
    if (strlen(study->factor[i].name) == length && memcmp(study->factor[i].name, name, length) == 0)
      return !study->factor[i].word;
  return false;
}

// the place inside the formula, as far as the file has it in one line
static hn_status formula_failed(hn_study_reader *r, const hn_yaml *node, hn_status status,
                                const hn_metric_error *error) {
  // formulas over several lines have no place of their own
  return hn_model_fail(r->in.model, hn_read_place_in(node, error->column), status, "%s: %s",
                       r->in.model->subject, error->message);
}

// all of them are columns of one table, beside those that every table has
static bool name_taken(const hn_study *study, const char *name) {
  // also names of columns that every table has: a metric of that name could not be told from it
  const hn_metrics *m = &study->metrics;
  for (int i = 0; i < m->metrics; i++)
    if (strcmp(m->metric[i].name, name) == 0) return true;
  for (int i = 0; i < m->constraints; i++)
    if (strcmp(m->constraint[i].name, name) == 0) return true;
  return hn_study_factor(study, name) >= 0 ||
         hn_word_in(name, "run status feasible message t time");
}

static hn_status check_name(hn_study_reader *r, const hn_yaml *e) {
  // the same rule as for bodies and joints, since formulas read metrics by their names
  if (!hn_model_is_name(e->key->text))
    return hn_read_fail(&r->in, e->key, HN_ERR_MODEL, "bad name (%s)", hn_name_rule);
  if (name_taken(r->study, e->key->text))
    return hn_read_fail(&r->in, e->key, HN_ERR_MODEL, "the name is taken");
  return HN_OK;
}

// in the order of the file: a metric may read those before it
static hn_status read_metric(hn_study_reader *r, const hn_yaml *e) {
  const hn_yaml *formula = e;
  const char *unit = NULL;
  hn_study_enter(r, "metric", e->key->text);
  hn_status status = check_name(r, e);
  // the long form has a unit that was given; the short one takes that of its columns
  if (!status && e->kind == HN_YAML_MAP) {
    const hn_yaml *given = hn_yaml_get(e, "unit");
    status = hn_study_keys(r, e, "formula unit");
    if (!status && given) status = hn_study_word(r, given, "unit", &unit);
    formula = hn_yaml_get(e, "formula");
  }
  if (status) return status;
  if (!formula || formula->kind != HN_YAML_SCALAR || hn_yaml_is_empty(formula))
    return hn_read_fail(&r->in, e, HN_ERR_SYNTAX, "needs a formula");
  hn_metric_error error;
  status = hn_metrics_add(&r->study->metrics, &r->names, e->key->text, unit, formula->text, &error);
  return status ? formula_failed(r, formula, status, &error) : HN_OK;
}

static hn_status read_constraint(hn_study_reader *r, const hn_yaml *e) {
  hn_study_enter(r, "constraint", e->key->text);
  hn_status status = check_name(r, e);
  if (status) return status;
  if (e->kind != HN_YAML_SCALAR)
    return hn_read_fail(&r->in, e, HN_ERR_SYNTAX, "must be a comparison: 'peak <= 500'");
  hn_metric_error error;
  status = hn_metrics_constrain(&r->study->metrics, &r->names, e->key->text, e->text, &error);
  return status ? formula_failed(r, e, status, &error) : HN_OK;
}

static hn_status read_stop(hn_study_reader *r) {
  const hn_yaml *node;
  hn_status status = hn_study_section(r, "stop", HN_YAML_SCALAR, &node);
  if (status || !node) return status;
  hn_metric_error error;
  status = hn_metrics_stop(&r->study->metrics, &r->names, node->text, &error);
  return status ? formula_failed(r, node, status, &error) : HN_OK;
}

// numbers of runs that there are not are refused, not passed over
static hn_status read_keep(hn_study_reader *r) {
  const hn_yaml *node = hn_yaml_get(hn_yaml_root(r->in.doc), "keep");
  hn_study *study = r->study;
  double number = 0;
  hn_study_enter(r, "keep", NULL);
  if (!node || hn_yaml_is_empty(node)) return HN_OK;
  if (node->kind == HN_YAML_SCALAR && strcmp(node->text, "all") == 0) {
    // keep_every counts from run 0
    study->keep_every = 1;
    return HN_OK;
  }
  if (node->kind == HN_YAML_MAP) {
    const hn_yaml *every = hn_yaml_get(node, "every");
    hn_status status = hn_study_keys(r, node, "every");
    if (!status && every) status = hn_study_whole(r, every, "every", 1, INT_MAX, &number);
    if (!status && every) study->keep_every = (int)number;
    return status;
  }
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail(&r->in, node, HN_ERR_SYNTAX,
                        "is 'all', '{every: 100}' or a list of numbers of runs");
  // one more than there are: an empty list is no failure of memory
  long *run = hn_study_take(r, ((size_t)node->count + 1) * sizeof *run);
  if (!run) return hn_read_fail_memory(&r->in);
  study->keep_run = run;
  hn_status status = HN_OK;
  for (const hn_yaml *e = node->first; e && !status; e = e->next) {
    status = hn_study_whole(r, e, "a run", 0, (double)study->runs - 1, &number);
    run[study->keeps++] = (long)number;
  }
  return status;
}

static hn_status read_formulas(hn_study_reader *r) {
  const hn_yaml *section;
  // column 0 of the metrics is time, even if there are no metrics
  if (hn_metrics_begin(&r->study->metrics)) return hn_read_fail_memory(&r->in);
  hn_status status = hn_study_section(r, "metrics", HN_YAML_MAP, &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next)
    status = read_metric(r, e);
  if (!status) status = hn_study_section(r, "constraints", HN_YAML_MAP, &section);
  for (const hn_yaml *e = !status && section ? section->first : NULL; e && !status; e = e->next)
    status = read_constraint(r, e);
  if (!status) status = read_stop(r);
  return status;
}

// ---- the whole file --------------------------------------------------------------------------

// the model with the values of one run, compiled: what columns are there?
// With all columns, so that metrics may read any of them. A design may begin in a corner where
// nothing closes: up to a hundred runs are tried.
static hn_status check_model(hn_study_reader *r) {
  hn_study *study = r->study;
  char message[HN_MESSAGE];
  hn_member *member = NULL;
  // 256: the most factors a study may have
  double values[256];
  hn_study_enter(r, "model", NULL);
  hn_status status = hn_member_open(study, &member, message);
  hn_status last = status;
  // somewhere among the first runs there is one that can be built; others are rows that say why not
  for (long k = 0; !status && k < study->runs && k < 100; k++) {
    hn_design_values(study, k, values);
    last = hn_member_model(member, values, true, &r->base, message, sizeof message);
    // the compiler needs a model with all its bodies closed: assembly is part of it
    if (!last) last = hn_compile(&r->system, r->base);
    if (!last) break;
    // the reader leaves no model where it failed, and its message stands
    if (r->base) snprintf(message, sizeof message, "%s", hn_model_error(r->base));
    hn_model_destroy(r->base);
    r->base = NULL;
  }
  hn_member_close(member);
  if (last)
    return hn_read_fail(&r->in, hn_yaml_root(r->in.doc), last, "%s%s", message,
                        study->runs > 1 && !status ? " (no run among the first 100 can be built)"
                                                   : "");
  // factors may be used in formulas wherever parameters may
  r->names = (hn_metric_names){r->system, r->base, is_factor, study};
  return HN_OK;
}

// The order is that of dependence: factors before what names them, the design before a first run,
// the model before formulas of its columns, metrics before what is optimised.
static hn_status read_document(hn_study_reader *r, const char *model, const char *model_name) {
  const hn_yaml *root = hn_yaml_root(r->in.doc);
  hn_study_enter(r, "study", NULL);
  if (root->kind != HN_YAML_MAP)
    return hn_read_fail(&r->in, root, HN_ERR_SYNTAX,
                        "a study file is a map of sections (model, factors, metrics ...)");
  for (const hn_yaml *e = root->first; e; e = e->next)
    // sections are told before any of them is read: the first slip of a file is often a word
    if (hn_word_in(e->key->text, "gravity simulation bodies joints forces points parts use"))
      return hn_read_fail(&r->in, e->key, HN_ERR_SYNTAX,
                          "unknown section '%s' (it is one of a model: a study names the file with "
                          "'model: FILE.yaml')",
                          e->key->text);
    else if (!hn_word_in(e->key->text, sections))
      return hn_read_fail_word(&r->in, e->key, HN_ERR_SYNTAX, "unknown section", e->key->text,
                               sections);
  hn_status status = read_name(r);
  if (!status) status = read_model(r, model, model_name);
  if (!status) status = hn_study_read_factors(r);
  if (!status) status = hn_study_read_correlations(r);
  if (!status) status = read_options(r);
  if (!status) status = read_parameters(r);
  if (!status) status = hn_search_read(r);
  // a search brought its own
  if (!status && !r->study->design) status = hn_study_read_design(r);
  if (!status) status = read_keep(r);
  if (!status) status = check_model(r);
  if (!status) status = read_formulas(r);
  if (!status) status = hn_search_check(r);
  return status;
}

// an empty model lends its machinery for messages with file, line and hint
hn_status hn_study_parse(hn_study **out, const char *text, size_t length, const char *name,
                         const char *model, const char *model_name, char *message, size_t size) {
  *out = NULL;
  hn_study *study = calloc(1, sizeof *study);
  hn_model *words = hn_model_create();  // where messages and numbers are made
  hn_status status = study && words ? HN_OK : HN_ERR_MEMORY;
  hn_study_reader r = {.study = study, .in = {.model = words}};
  // formulas of numbers in a study see constants and units, and no parameters: an empty scope
  hn_scope top = {.prefix = "", .Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  hn_yaml_error error;
  if (!status) {
    study->file = hn_study_text(&r, name ? name : "study");
    study->text = hn_pool_text(&study->pool, text, length);
    // messages begin with the name of the file, as those of models do
    words->file = hn_strdup(name ? name : "study");
    if (!study->file || !study->text || !words->file) status = HN_ERR_MEMORY;
  }
  if (status) {
    snprintf(message, size, "out of memory");
  } else if (!(r.in.doc = hn_yaml_parse(text, length, &error))) {
    // a text that is no YAML has no tree, and its place comes from the parser
    status = hn_model_fail(words, (hn_place){.line = error.line, .column = error.column},
                           error.status, "%s", error.message);
  } else {
    top.map = hn_yaml_root(r.in.doc);
    r.in.scope = r.in.last = &top;
    status = read_document(&r, model, model_name);
  }
  if (status && words) snprintf(message, size, "%s", hn_model_error(words));
  // the first model and its system were there to be asked only
  hn_system_destroy(r.system);
  hn_model_destroy(r.base);
  hn_yaml_destroy(r.in.doc);
  hn_model_destroy(words);
  if (status)
    hn_study_destroy(study);
  else
    *out = study;
  return status;
}

// the path is the name: files beside it are found from there
hn_status hn_study_load(hn_study **out, const char *path, char *message, size_t size) {
  char text[HN_MESSAGE], *bytes = NULL;
  size_t length;
  *out = NULL;
  hn_status status = hn_load_file(&bytes, &length, path, text);
  if (status)
    snprintf(message, size, "%s", text);
  else
    status = hn_study_parse(out, bytes, length, path, NULL, NULL, message, size);
  free(bytes);
  return status;
}

void hn_study_destroy(hn_study *study) {
  if (!study) return;
  // formulas are not in the pool: programs and graphs have memory of their own
  hn_metrics_end(&study->metrics);
  hn_pool_free(&study->pool);
  free(study);
}
