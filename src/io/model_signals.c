// model_signals.c: signals, states, controllers and events of a model file.
//
// All of these become signals of the model; what is theirs besides is read here, as maps of names
// to formulas are in no table of fields.
#include "io/model_reader.h"

#include <stdlib.h>
#include <string.h>

// A formula alone, or a map.
hn_status hn_read_signals(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "signals", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next) {
    // zeros: keys that are not given
    hn_signal_def def = {0};
    hn_section_entry(reader, "signal", e);
    status = hn_section_name(reader, e, &def.name);
    if (status) return status;
    if (e->kind == HN_YAML_SCALAR)
      status = hn_read_formula(reader, e, &def.formula);
    else if (e->kind == HN_YAML_MAP)
      status = hn_read_fields(reader, e, NULL, hn_signal_fields, NULL, "", &def);
    else
      status = hn_read_fail(reader, e, HN_ERR_SYNTAX, "must be a formula or a map of keys");
    if (!status) status = hn_add_signal(reader->model, &def);
  }
  return status;
}

// a state by its rate, or a ready-made process
static hn_status read_state(hn_reader *reader, const hn_yaml *e) {
  hn_signal_def def = {0};
  hn_process_def process = {0};
  // set by the process, by its name
  const hn_type_info *type = NULL;
  hn_status status = hn_section_name(reader, e, &def.name);
  process.name = def.name;
  if (status) return status;
  if (e->kind == HN_YAML_SCALAR) {
    status = hn_read_formula(reader, e, &def.rate);
    return status ? status : hn_add_signal(reader->model, &def);
  }
  if (e->kind != HN_YAML_MAP)
    return hn_read_fail(reader, e, HN_ERR_SYNTAX, "must be a formula or a map of keys");
  // a type makes it a process
  if (!hn_yaml_get(e, "type")) {
    status = hn_read_fields(reader, e, NULL, hn_state_fields, NULL, "", &def);
    if (!status && !def.rate)
      status = hn_read_fail(reader, e, HN_ERR_MODEL, "a state needs a rate, or a type");
    return status ? status : hn_add_signal(reader->model, &def);
  }
  status = hn_read_type(reader, &hn_process_family, e, &type);
  if (!status)
    status =
        hn_read_fields(reader, e, &hn_process_family, hn_process_fields, type, "type", &process);
  if (!status) status = hn_check_present(reader, &hn_process_family, type, e);
  if (status) return status;
  process.type = type->name;
  return hn_add_process(reader->model, &process);
}

// a map of words to formulas, or with `start` to maps of next and start; room for all of them
// arrays of the map's length; word and formula point into the document, start is own
typedef struct word_list {
  int count;
  const char **word, **formula;
  double *start;
} word_list;

static void word_list_free(word_list *w) {
  free((void *)w->word), free((void *)w->formula), free(w->start);
}

// `start` allows {next: formula, start: number}, which memories of controllers have.
static hn_status read_word(hn_reader *reader, const hn_yaml *e, bool start, word_list *w) {
  const hn_yaml *formula = e;
  int k = w->count++;
  hn_status status = HN_OK;
  // also where what follows is wrong: counts and arrays agree
  w->word[k] = e->key->text;
  if (start && e->kind == HN_YAML_MAP) {
    for (const hn_yaml *x = e->first; x && !status; x = x->next)
      if (strcmp(x->key->text, "start") == 0)
        status = hn_read_number(reader, x, "start", &w->start[k]);
      else if (strcmp(x->key->text, "next") != 0)
        status = hn_read_fail_word(reader, x->key, HN_ERR_MODEL, "unknown key", x->key->text,
                                   "next start");
    formula = hn_yaml_get(e, "next");
  }
  // an empty one too
  if (!status && (!formula || formula->kind != HN_YAML_SCALAR || hn_yaml_is_empty(formula)))
    status = hn_read_fail(reader, e, HN_ERR_SYNTAX, "'%.60s' needs a formula", e->key->text);
  if (!status) status = hn_read_formula(reader, formula, &w->formula[k]);
  return status;
}

static hn_status read_words(hn_reader *reader, const hn_yaml *map, const char *key, bool start,
                            word_list *w) {
  const hn_yaml *node = hn_yaml_get(map, key);
  if (!node || hn_yaml_is_empty(node)) return HN_OK;
  if (node->kind != HN_YAML_MAP)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must be a map of names to formulas", key);
  // one more than needed: none of nothing is NULL
  size_t room = (size_t)node->count + 1;
  w->word = calloc(room, sizeof *w->word);
  w->formula = calloc(room, sizeof *w->formula);
  w->start = calloc(room, sizeof *w->start);
  if (!w->word || !w->formula || !w->start) return hn_read_fail_memory(reader);
  hn_status status = HN_OK;
  for (const hn_yaml *e = node->first; e && !status; e = e->next)
    status = read_word(reader, e, start, w);
  return status;
}

// A library runs code of its own: only in files that the caller trusts.
static hn_status read_controller(hn_reader *reader, const hn_yaml *e) {
  hn_controller_def def = {0};
  word_list memory = {0}, transitions = {0};
  hn_status status = hn_need_map(reader, e);
  if (!status) status = hn_section_name(reader, e, &def.name);
  if (!status)
    status =
        hn_read_fields(reader, e, NULL, hn_controller_fields, NULL, "memory transitions", &def);
  // said at the key, before anything is loaded
  if (!status && def.library && !reader->model->trusted)
    status = hn_read_fail(reader, hn_yaml_get(e, "library"), HN_ERR_MODEL,
                          "a model file may not have a library loaded by itself (run it with "
                          "--trust, or call hn_model_trust, when it is from somebody you trust)");
  if (!status) status = read_words(reader, e, "memory", true, &memory);
  if (!status) status = read_words(reader, e, "transitions", false, &transitions);
  // NULL and 0 where the map is not there
  def.memory = memory.word, def.memory_next = memory.formula, def.memory_start = memory.start;
  def.memory_count = memory.count;
  def.transitions = transitions.word, def.guards = transitions.formula;
  def.transition_count = transitions.count;
  if (!status) status = hn_add_controller(reader->model, &def);
  // the model has copies
  word_list_free(&memory), word_list_free(&transitions);
  return status;
}

hn_status hn_read_controllers(hn_reader *reader) {
  return hn_section_each(reader, "controllers", "controller", read_controller);
}

static hn_status read_event(hn_reader *reader, const hn_yaml *e) {
  hn_event_def def = {0};
  hn_status status = hn_section_name(reader, e, &def.name);
  // the short form is the condition itself
  const hn_yaml *when = e->kind == HN_YAML_MAP ? hn_yaml_get(e, "when") : e;
  if (!status && e->kind == HN_YAML_MAP)
    status = hn_read_fields(reader, e, NULL, hn_event_fields, NULL, "", &def);
  if (!status && (!when || when->kind != HN_YAML_SCALAR || hn_yaml_is_empty(when)))
    status = hn_read_fail(reader, e, HN_ERR_SYNTAX, "needs a condition ('when')");
  if (!status) status = hn_read_formula(reader, when, &def.when);
  return status ? status : hn_add_event(reader->model, &def);
}

hn_status hn_read_events(hn_reader *reader) {
  return hn_section_each(reader, "events", "event", read_event);
}

hn_status hn_read_states(hn_reader *reader) {
  return hn_section_each(reader, "states", "state", read_state);
}
