// model_yaml.c: a model file, section by section, into an hn_model.
//
// Order in the file is free: parameters are read first, bodies before joints, joints before
// forces. Any error leaves an empty model and one sentence that says where and what.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "io/io.h"
#include "io/model_reader.h"
#include "model/options.h"

// ---- sections without elements -------------------------------------------------------------

// Control characters would reach terminals and titles.
static hn_status read_text_section(hn_reader *reader, const char *name, bool several_lines,
                                   char **out) {
  // sections of text stand in the file alone, not in parts
  const hn_yaml *node = hn_yaml_get(hn_yaml_root(reader->doc), name);
  hn_section_enter(reader, name);
  if (!node || hn_yaml_is_empty(node)) return HN_OK;
  if (node->kind != HN_YAML_SCALAR)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "must be a text");
  // texts may have several lines, names may not
  const char *control = hn_find_control(node->text);
  while (control && several_lines && (*control == '\n' || *control == '\t'))
    control = hn_find_control(control + 1);
  if (control)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        several_lines ? "must not have control characters in it"
                                      : "must be one line without control characters");
  // owned by the model
  *out = hn_strdup(node->text);
  return *out ? HN_OK : hn_read_fail_memory(reader);
}

// the number of a repeated use is a parameter of the part
// "i", or what `for` calls it: a number that the part's formulas may use.
static hn_status read_index(hn_reader *reader) {
  const hn_scope *scope = reader->scope;
  // only where a use has several copies
  if (!scope->repeated) return HN_OK;
  const char *name = hn_scope_name(reader, scope->variable);
  // under the prefix of this copy, so that each has its own
  return name ? hn_model_set_parameter(reader->model, name, scope->index) : HN_ERR_MEMORY;
}

// what a use gives is read where the use stands
// Values given by `with` are formulas of the scope around the part, its own are those of the part.
static hn_status read_parameter(hn_reader *reader, const hn_yaml *e, double *value) {
  // parts stand alone but for what `with` says
  const hn_scope *scope = reader->scope;
  const hn_yaml *given = scope->with ? hn_yaml_get(scope->with, e->key->text) : NULL;
  if (!given) return hn_read_number(reader, e, "value", value);
  // names in the value are those of whoever uses the part; the number of the copy is known there
  // too
  hn_reader_enter(reader, scope->outer);
  reader->index = scope->repeated ? &scope->index : NULL;
  reader->variable = scope->variable;
  hn_status status = hn_read_number(reader, given, "value", value);
  hn_reader_enter(reader, scope);
  reader->index = NULL;
  return status;
}

// Each may use those before it. Units are kept, so that formulas of parameters are checked as well.
static hn_status read_parameters(hn_reader *reader) {
  const hn_yaml *section = NULL;
  hn_status status = read_index(reader);
  if (!status) status = hn_section_open(reader, "parameters", &section);
  if (status || !section) return status;
  for (const hn_yaml *e = section->first; e; e = e->next) {
    double value;
    const char *name;
    hn_section_entry(reader, "parameter", e);
    hn_refill_begin(reader);
    status = read_parameter(reader, e, &value);
    // in formulas of a part it could not be told from the element's own quantity
    if (!status && reader->scope->outer &&
        hn_word_in(e->key->text, "length rate value angle x y i"))
      return hn_read_fail(reader, e->key, HN_ERR_MODEL,
                          "a parameter of a part cannot have the name of a quantity of its "
                          "elements (rename it)");
    if (!status) status = hn_section_name(reader, e, &name);
    if (!status) status = hn_model_set_parameter(reader->model, name, value);
    if (status) return status;
    // what its units said, for formulas that use it
    hn_model_set_dimension(reader->model, name, reader->dimension);
    // pages have no slider for one that follows from others
    hn_model_mark_given(reader->model, name, !reader->scope->outer && !reader->referring);
    hn_refill_keep(reader, HN_REFILL_PARAMETER,
                   hn_model_find_parameter(reader->model, name, strlen(name)), e, NULL, 0);
  }
  return HN_OK;
}

static hn_status read_points(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "points", &section);
  return status || !section ? status : hn_read_points(reader, section);
}

// gravity that reads signals, time or places is a force on every body, and read when these are
// there
// Numbers and parameters make a constant; signals, time and places make a field. x, y and z count
// as places unless a parameter has that name.
static bool gravity_changes(hn_reader *reader) {
  const hn_yaml *node = hn_yaml_get(hn_yaml_root(reader->doc), "gravity");
  bool changes = false;
  // t is the time; x, y and z where no parameter has their names
  char places[8] = "t", *end = places + 1;
  for (char c = 'x'; c <= 'z'; c++) {
    double value;
    if (hn_model_constant(reader->model, &c, 1, &value)) continue;
    *end++ = ' ', *end++ = c;
  }
  // anything else is refused by hn_read_vector() with its own message
  if (!node || node->kind != HN_YAML_LIST || node->count < 2 || node->count > 3) return false;
  for (const hn_yaml *e = node->first; e; e = e->next) {
    if (e->kind != HN_YAML_SCALAR) return false;
    // a signal, or a place
    changes = changes || hn_reads_signals(reader, e) || hn_reads_words(e->text, places);
  }
  return changes;
}

static hn_status read_weights(hn_reader *reader) {
  // as forces, once bodies and signals are there
  if (!gravity_changes(reader)) return HN_OK;
  const hn_yaml *node = hn_yaml_get(hn_yaml_root(reader->doc), "gravity");
  hn_section_enter(reader, "gravity");
  reader->model->now = hn_read_place(node);
  return hn_read_weights(reader, node);
}

// Messages speak of the model here: the section is one line.
hn_status hn_read_gravity(hn_reader *reader) {
  const hn_yaml *node = hn_yaml_get(hn_yaml_root(reader->doc), "gravity");
  hn_section_enter(reader, "model");
  if (!node || gravity_changes(reader)) return HN_OK;
  if (hn_is_plain_number(node))
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        "gravity has a direction: write [0, -9.81] in the plane, [0, 0, -9.81] in "
                        "space");
  reader->model->gravity_place = hn_read_place(node);
  hn_refill_begin(reader);
  reader->unit = "m/s^2";
  hn_status status = hn_read_vector(reader, node, "gravity", reader->model->gravity);
  reader->unit = NULL;
  hn_refill_keep(reader, HN_REFILL_GRAVITY, 0, node, NULL, 0);
  return status;
}

// a quantity and its value, or a map of value and rate
// The quantity is the key, with whatever formula it is.
hn_status hn_read_start(hn_reader *reader, const hn_yaml *e, hn_start_def *def) {
  *def = (hn_start_def){.quantity = e->key->text, .value_given = e->kind != HN_YAML_MAP};
  return e->kind == HN_YAML_MAP ? hn_read_fields(reader, e, NULL, hn_start_fields, NULL, "", def)
                                : hn_read_number(reader, e, "value", &def->value);
}

static hn_status read_start(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "start", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next) {
    // a single number is the value; a map says which of the two is given
    hn_start_def def;
    hn_section_entry(reader, "start", e);
    hn_refill_begin(reader);
    status = hn_read_start(reader, e, &def);
    if (!status) status = hn_add_start(reader->model, &def);
    if (!status)
      hn_refill_keep(reader, HN_REFILL_START, reader->model->start_count - 1, e, NULL, 0);
  }
  return status;
}

static hn_status read_solve(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "solve", &section);
  // while parameters are being solved for, the section is not read again
  if (status || !section || reader->model->solving) return status;
  hn_refill_refuse(reader);
  return hn_solve_parameters(reader, section);
}

// a file by itself does not have machine code compiled and loaded: whoever runs it decides
// Compiling runs a compiler and loads what it made: a file from somebody else may not do that.
// "written" only prepares, and is harmless
static void hold_native(hn_model *model) {
  bool machine = hn_word_in(model->options.code, "native auto");
  if (model->trusted || !machine) return;
  snprintf(model->options.code, sizeof model->options.code, "library");
  model->wants_native = true;
}

// Values go through the table of options as text, which checks them as it does those of the command
// line.
static hn_status read_simulation(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "simulation", &section);
  if (status || !section) return status;
  for (const hn_yaml *e = section->first; e; e = e->next) {
    const char *name = e->key->text, *text = e->text;
    // the table has names, ranges and words
    const hn_option *option = hn_option_find(name);
    char message[256], number[HN_NUMBER_SIZE];
    if (option && !option->words) {
      // numbers may use parameters, which the option table knows nothing of
      double value;
      status = hn_read_quantity(reader, e, name, option->info.unit, &value);
      if (status) return status;
      // as text with all digits, since the table takes texts
      hn_number_text(number, value);
      text = number;
    } else if (option && e->kind != HN_YAML_SCALAR) {
      return hn_read_fail(reader, e, HN_ERR_SYNTAX, "%s must be a word", name);
    }
    // an unknown name is refused by the same function, which has suggestions
    status =
        hn_options_set(&reader->model->options, name, option ? text : "", message, sizeof message);
    if (status)
      return hn_read_fail(reader, option ? e : e->key,
                          status == HN_ERR_MEMORY ? status : HN_ERR_MODEL, "%s", message);
  }
  hold_native(reader->model);
  return HN_OK;
}

// names and their formulas, or {formula, unit}
static hn_status read_columns(hn_reader *reader, const hn_yaml *map) {
  hn_status status = HN_OK;
  for (const hn_yaml *e = map->first; e && !status; e = e->next) {
    // texts belong to the document: the model copies them
    hn_column_def def = {.name = e->key->text};
    hn_section_entry(reader, "column", e);
    if (e->kind == HN_YAML_MAP)
      status = hn_read_fields(reader, e, NULL, hn_column_fields, NULL, "", &def);
    else if (e->kind == HN_YAML_SCALAR)
      def.formula = e->text;
    else
      status = hn_read_fail(reader, e, HN_ERR_SYNTAX, "must be a formula");
    if (!status) status = hn_add_column(reader->model, &def);
  }
  return status;
}

// Patterns choose among all columns, maps add columns of their own.
static hn_status read_outputs(hn_reader *reader) {
  const hn_yaml *node = hn_yaml_get(hn_yaml_root(reader->doc), "outputs");
  hn_section_enter(reader, "outputs");
  if (!node || hn_yaml_is_empty(node)) return HN_OK;
  if (node->kind == HN_YAML_MAP) return read_columns(reader, node);
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        "must be a list of patterns, or a map of names to formulas");
  hn_status status = HN_OK;
  for (const hn_yaml *e = node->first; e && !status; e = e->next) {
    // each pattern has its own place for messages
    hn_section_enter(reader, "outputs");
    reader->model->now = hn_read_place(e);
    if (e->kind == HN_YAML_MAP)
      status = read_columns(reader, e);
    else if (e->kind == HN_YAML_SCALAR)
      status = hn_add_output(reader->model, e->text);
    else
      status = hn_read_fail(reader, e, HN_ERR_SYNTAX, "a pattern must be a word");
  }
  return status;
}

// the origin of the body, in the described configuration
// types that are at no place: gears, motors on a coordinate
// two points: each end has its own
// a mechanism drawn in its configuration has joints where b begins
// type by name, with a suggestion
// numbers that may be zero are demanded here, where it is known what was written
// behind the placing: origins of bodies are in world axes already
// keys that the law has read are not read as fields again
// see hn_section_each(): here with a map at hand
// the section is walked again for places in messages; indices count along
// behind forces that beams and flexible bodies have brought along
// ---- what is said beside the mechanics ------------------------------------------------------

// Description and colour belong to no definition: they are kept by the names of elements.
static hn_status read_note(hn_reader *reader, const hn_yaml *e) {
  const char *name, *text[2] = {NULL, NULL};
  static const char *const key[2] = {"description", "color"};
  // short forms ("a formula") have no room for notes
  if (e->kind != HN_YAML_MAP) return HN_OK;
  for (int i = 0; i < 2; i++) {
    const hn_yaml *node = hn_yaml_get(e, key[i]);
    if (!node) continue;
    if (node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
      return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must be a text", key[i]);
    text[i] = node->text;
  }
  if (!text[0] && !text[1]) return HN_OK;
  // by its full name, as it stands in the model
  hn_status status = hn_section_name(reader, e, &name);
  return status ? status : hn_describe(reader->model, name, text[0], text[1]);
}

static hn_status read_notes(hn_reader *reader) {
  static const struct {
    const char *section, *kind;
  } all[] = {{"bodies", "body"},           {"beams", "beam"},     {"flexible", "flexible body"},
             {"joints", "joint"},          {"forces", "force"},   {"blocks", "block"},
             {"couplings", "coupling"},    {"signals", "signal"}, {"states", "state"},
             {"controllers", "controller"}};
  hn_status status = HN_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
    status = hn_section_each(reader, all[i].section, all[i].kind, read_note);
  return status;
}

// ---- the whole file ------------------------------------------------------------------------

// Before anything is read, so that a mistyped section is told and not its consequences.
static hn_status check_sections(hn_reader *reader) {
  const hn_yaml *root = hn_yaml_root(reader->doc);
  hn_section_enter(reader, "model");
  if (root->kind != HN_YAML_MAP)
    return hn_read_fail(reader, root, HN_ERR_SYNTAX,
                        "a model file is a map of sections (bodies, joints, forces ...)");
  for (const hn_yaml *e = root->first; e; e = e->next) {
    // compared with the table, in whatever order
    int i = 0;
    while (hn_section_at(i) && strcmp(hn_section_at(i)->key, e->key->text) != 0) i++;
    if (hn_section_at(i)) continue;
    if (hn_word_in(e->key->text, "model factors metrics design optimise fit"))
      return hn_read_fail(reader, e->key, HN_ERR_SYNTAX,
                          "unknown section '%s' (it is one of a study: 'holon study' and the like "
                          "read those)",
                          e->key->text);
    // long enough for all of them
    char words[400] = "";
    for (i = 0; hn_section_at(i); i++)
      snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i ? " " : "",
               hn_section_at(i)->key);
    return hn_read_fail_word(reader, e->key, HN_ERR_SYNTAX, "unknown section", e->key->text, words);
  }
  return HN_OK;
}

// an override that met no parameter is a mistyped name
static hn_status check_overrides(hn_model *model) {
  for (int i = 0; i < model->override_count; i++) {
    // the first will do: the others are found one by one
    if (model->override[i].used) continue;
    char known[256] = "the model has none";
    for (int k = 0; k < model->parameter_count; k++) {
      size_t used = k ? strlen(known) : 0;
      snprintf(known + used, sizeof known - used, "%s%s",
               // what there is, as far as the message has room
               k ? ", " : "parameters: ", model->parameter[k].name);
    }
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MODEL, "no parameter '%.60s' (%s)",
                         model->override[i].name, known);
  }
  return HN_OK;
}

// the file's name without folders and ending
static hn_status name_after_file(hn_model *model) {
  if (model->name) return HN_OK;
  // also of a name without folders
  const char *slash = strrchr(model->file, '/');
  model->name = hn_strdup(slash ? slash + 1 : model->file);
  if (!model->name) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  char *dot = strrchr(model->name, '.');
  // a hidden file has no ending
  if (dot && dot != model->name) *dot = 0;
  hn_make_printable(model->name);
  return HN_OK;
}

// what is described in a scope, and in those of the parts it uses: bodies have to be there before
// a part can be put on them
// Depth first: a use is read where it stands, after the bodies it may be put on, and linked to the
// list of scopes, along which joints and forces are read afterwards.
static hn_status read_scope(hn_reader *reader, hn_scope *scope) {
  const hn_yaml *use;
  // parts append themselves to the list in the order in which they are met
  if (scope->outer) hn_refill_refuse(reader);
  if (scope->outer) reader->last = reader->last->next = scope;
  hn_reader_enter(reader, scope);
  // inner scopes need what stands before them: parameters, points, bodies
  hn_status status = read_parameters(reader);
  if (!status) status = read_points(reader);
  // the ground belongs to the file
  if (!status && !scope->outer) status = hn_read_ground(reader);
  if (!status) status = hn_read_bodies(reader);
  if (!status) status = hn_read_beams(reader);
  if (!status) status = hn_read_flexibles(reader);
  if (!status) status = hn_section_open(reader, "use", &use);
  for (const hn_yaml *e = !status && use ? use->first : NULL; e && !status; e = e->next)
    status = hn_read_use(reader, e, read_scope);
  return status;
}

// the same of every scope, in the order in which they were met
static hn_status in_all(hn_reader *reader, const hn_scope *top, hn_status (*read)(hn_reader *)) {
  hn_status status = HN_OK;
  // counts elements through all scopes
  reader->checked = 0;
  for (const hn_scope *scope = top; scope && !status; scope = scope->next) {
    hn_reader_enter(reader, scope);
    status = read(reader);
  }
  // what follows is about the file again
  if (!status) hn_reader_enter(reader, top);
  return status;
}

// Each kind of element needs those before it: bodies, then joints, forces and blocks, then what
// refers to them by name, then what is said about all of them.
static hn_status read_document(hn_reader *reader) {
  hn_model *model = reader->model;
  // the file: no prefix, not turned, at the origin
  hn_scope top = {.map = hn_yaml_root(reader->doc), .prefix = "", .Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  reader->scope = reader->last = &top;
  hn_status status = check_sections(reader);
  if (!status) status = read_text_section(reader, "name", false, &model->name);
  if (!status) status = read_text_section(reader, "description", true, &model->description);
  // before anything else, since it reads the file again with other values
  if (!status) status = read_solve(reader);
  if (!status) status = read_scope(reader, &top);
  // bodies, beams, flexible bodies or blocks
  if (!status) status = hn_need_bodies(reader);
  if (!status) status = hn_read_gravity(reader);
  if (!status) status = read_simulation(reader);
  // a joint may name a body of any scope
  // forces of beams are there already
  if (!status) status = in_all(reader, &top, hn_read_joints);
  reader->first_force = model->force_count;
  if (!status) status = in_all(reader, &top, hn_read_forces);
  if (!status) status = in_all(reader, &top, hn_read_blocks);
  if (!status) status = in_all(reader, &top, hn_check_joints);
  if (!status) status = in_all(reader, &top, hn_check_forces);
  if (!status) status = in_all(reader, &top, hn_read_couplings);
  if (!status) status = in_all(reader, &top, hn_read_signals);
  if (!status) status = in_all(reader, &top, hn_read_states);
  if (!status) status = in_all(reader, &top, hn_read_controllers);
  if (!status) status = in_all(reader, &top, hn_read_events);
  if (!status) status = in_all(reader, &top, read_notes);
  if (!status) status = read_weights(reader);
  if (!status) status = read_start(reader);
  if (!status) status = read_outputs(reader);
  if (!status) status = check_overrides(model);
  return status ? status : name_after_file(model);
}

// A model that a program has begun to build is not mixed with a file.
// the ground alone
static bool is_empty(const hn_model *model) {
  return model->body_count == 1 && model->frame_count == 0 && model->joint_count == 0 &&
         model->force_count == 0 && model->block_count == 0 && !model->file;
}

static hn_status begin_file(hn_model *model, const char *name) {
  if (!is_empty(model))
    return hn_model_fail(model, (hn_place){0}, HN_ERR_ARGUMENT,
                         "a file can only be read into an empty model");
  model->file = hn_strdup(name ? name : "model");
  if (!model->file) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  // a name set before reading is only a default
  free(model->name);
  model->name = NULL;
  return HN_OK;
}

// A refused file leaves an empty model, which can be read into again.
static hn_status end_file(hn_model *model, hn_status status) {
  // pointers into the reader, which is gone by now
  model->locate = NULL;
  model->locate_user = NULL;
  model->now = (hn_place){0};
  model->reading = NULL;
  if (status) hn_model_clear(model);
  return status;
}

// From a tree that is there already: studies read one file thousands of times.
// the tree is not changed, so that threads may share it
hn_status hn_model_read(hn_model *model, hn_yaml_doc *doc, const char *name, hn_memory *memory,
                        hn_refill *refill) {
  hn_status status = begin_file(model, name);
  if (status) return status;
  hn_reader reader = {.model = model, .doc = doc, .memory = memory, .refill = refill};
  hn_refill_note(&reader);
  status = read_document(&reader);
  // parts' files are released with the reader, trees that are kept elsewhere are not
  hn_refill_noted(&reader, status);
  hn_included_free(&reader);
  return end_file(model, status);
}

// a copy for whoever wants the text later
static hn_status keep_text(hn_model *model, const char *text, size_t length) {
  if (!model->keep_text) return HN_OK;
  model->text = malloc(length + 1);
  if (!model->text) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  memcpy(model->text, text, length);
  model->text[length] = 0;
  model->text_length = length;
  return HN_OK;
}

hn_status hn_model_parse(hn_model *model, const char *text, size_t length, const char *name) {
  if (!model || !text) return HN_ERR_ARGUMENT;
  hn_status status = begin_file(model, name);
  // before parsing: also a broken file is wanted by whoever shows it
  if (!status) status = keep_text(model, text, length);
  if (status) return status;
  hn_yaml_error error;
  hn_reader reader = {.model = model, .doc = hn_yaml_parse(text, length, &error)};
  status = reader.doc ? read_document(&reader)
                      : hn_model_fail(model, (hn_place){.line = error.line, .column = error.column},
                                      error.status, "%s", error.message);
  hn_included_free(&reader);
  hn_yaml_destroy(reader.doc);
  return end_file(model, status);
}
