// model_numbers.c: numbers of a model file, with names and units, and what is said where they are
// wrong.
//
// A number is a formula of parameters and points that is computed while it is read, with units: "60
// deg", "2*L", "A.x + 10 mm". Its dimension is found from the same text a second time
// (expr/dimension.h), so that a mass in metres is refused where it stands.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "expr/expr.h"
#include "io/model_reader.h"
#include "model/check.h"

// ---- messages ------------------------------------------------------------------------------

hn_place hn_read_place(const hn_yaml *node) {
  return (hn_place){.line = node->line, .column = node->column};
}

// Only where the text stands in one piece in the file; else the place of the value has to do.
hn_place hn_read_place_in(const hn_yaml *node, int character) {
  hn_place place = {.line = node->line, .column = node->column};
  // characters of the text are columns of the file then; quotes take one
  if (node->kind == HN_YAML_SCALAR && node->verbatim && character > 0)
    place.column += character - 1 + (node->quoted ? 1 : 0);
  return place;
}

hn_status hn_read_fail(hn_reader *reader, const hn_yaml *node, hn_status status, const char *format,
                       ...) {
  char text[HN_MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  // the subject is the element that is being read
  return hn_model_fail(reader->model, hn_read_place(node), status, "%s: %s", reader->model->subject,
                       text);
}

// keys that are no words: what their commas, colons and equals signs were meant for
static const char *slip_of_key(const char *what, const char *word) {
  if (strcmp(what, "unknown key") != 0) return NULL;
  if (strspn(word, "0123456789") == strlen(word)) return "a number has a decimal point, no comma";
  if (strchr(word, ':')) return "a blank is missing behind ':'";
  if (strchr(word, '=')) return "a key ends with ':'";
  return NULL;
}

// Lists of more than 240 characters help nobody.
hn_status hn_read_fail_word(hn_reader *reader, const hn_yaml *node, hn_status status,
                            const char *what, const char *word, const char *words) {
  char near[64];
  const char *slip = slip_of_key(what, word);
  if (slip) return hn_read_fail(reader, node, status, "%s '%.60s' (%s)", what, word, slip);
  // spelled as the file has it, cut where it is long
  if (hn_nearest_in(word, words, near, sizeof near))
    return hn_read_fail(reader, node, status, "%s '%.60s' (did you mean '%s'?)", what, word, near);
  if (!*words || strlen(words) > 240)
    return hn_read_fail(reader, node, status, "%s '%.60s'", what, word);
  return hn_read_fail(reader, node, status, "%s '%.60s' (known: %s)", what, word, words);
}

bool hn_is_plain_number(const hn_yaml *node) {
  if (node->kind != HN_YAML_SCALAR || !*node->text) return false;
  char *end;
  strtod(node->text, &end);
  return *end == 0;
}

static const char *kind_text(const hn_yaml *node) {
  if (hn_yaml_is_empty(node)) return "nothing";
  if (hn_is_plain_number(node)) return "a number";
  return node->kind == HN_YAML_MAP ? "a map" : node->kind == HN_YAML_LIST ? "a list" : "a word";
}

hn_status hn_read_fail_kind(hn_reader *reader, const hn_yaml *node, const char *what,
                            const char *wanted) {
  if (hn_yaml_is_empty(node))
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s has no value", what);
  return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must be %s, not %s", what, wanted,
                      kind_text(node));
}

hn_status hn_read_fail_memory(hn_reader *reader) {
  return hn_model_fail(reader->model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
}

// ---- numbers -------------------------------------------------------------------------------

typedef struct lookup {
  const hn_reader *reader;
  char unknown[64];  // the last name that was not found
  bool found;        // some name was
} lookup;

// the number of a repeated use that is being placed
static bool is_variable(const hn_reader *reader, const char *name, size_t length) {
  return reader->index && strlen(reader->variable) == length &&
         memcmp(name, reader->variable, length) == 0;
}

// the name in a scope, in full; 0: it is too long to be one
// On the stack: names are looked up for every number of a file.
static size_t in_scope(const hn_scope *scope, const char *name, size_t length, char full[192]) {
  // no name of a model is so long
  size_t before = strlen(scope->prefix);
  if (before + length >= 192) return 0;
  memcpy(full, scope->prefix, before);
  memcpy(full + before, name, length);
  full[before + length] = 0;
  return before + length;
}

// by the name it has in the innermost scope that knows it
// From the innermost scope outwards; a part sees what is around it.
bool hn_read_name(const hn_reader *reader, const char *name, size_t length, int *parameter,
                  double *value) {
  char full[192];
  *parameter = -1;
  if (is_variable(reader, name, length)) {
    // an int; formulas know numbers
    *value = *reader->index;
    return true;
  }
  for (const hn_scope *scope = reader->scope; scope; scope = scope->outer) {
    size_t n = in_scope(scope, name, length, full);
    if (n == 0) break;
    *parameter = hn_model_find_parameter(reader->model, full, n);
    // known further out
    if (*parameter < 0) continue;
    *value = reader->model->parameter[*parameter].value;
    if (reader->model->parameter[*parameter].changes) hn_refill_touch(reader, NULL);
    return true;
  }
  return hn_point_coordinate(reader, name, length, value);
}

// The last unknown name is kept for a suggestion.
static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  lookup *l = user;
  double value;
  int parameter;
  // a name was met: the number depends on it
  if (hn_read_name(l->reader, name, length, &parameter, &value)) {
    l->found = true;
    return hn_graph_constant(graph, value);
  }
  // too long a name is no near miss of any
  snprintf(l->unknown, sizeof l->unknown, "%.*s", length < 64 ? (int)length : 0, name);
  return -1;
}

static const char *parameter_name(const hn_model *model, int index, int scope) {
  (void)scope;
  return model->parameter[index].name;
}
// Memory of the document; "" without any.
const char *hn_read_names(hn_reader *reader, int count, int scope,
                          const char *(*name_at)(const hn_model *, int, int)) {
  const char *name;
  size_t size = 1;
  // length first, then the words
  for (int i = 0; i < count; i++)
    if ((name = name_at(reader->model, i, scope))) size += strlen(name) + 1;
  char *list = hn_yaml_take(reader->doc, size), *out = list;
  if (!list) return "";
  for (int i = 0; i < count; i++)
    if ((name = name_at(reader->model, i, scope))) {
      if (out > list) *out++ = ' ';
      memcpy(out, name, strlen(name)), out += strlen(name);
    }
  *out = 0;
  return list;
}

// nan, inf, infinity, with sign and with YAML's dot
static bool is_not_finite(const char *text) {
  if (*text == '-' || *text == '+') text++;
  if (*text == '.') text++;
  if (!*text || !strchr("nNiI", *text)) return false;
  return strcasecmp(text, "nan") == 0 || strcasecmp(text, "inf") == 0 ||
         strcasecmp(text, "infinity") == 0;
}

// ---- what units say ------------------------------------------------------------------------

// A repetition's number has no dimension that is known.
static bool parameter_dimension(const hn_reader *reader, const char *name, size_t length,
                                hn_dimension *dimension) {
  char full[192];
  if (is_variable(reader, name, length)) return true;
  // inner scopes hide outer ones, as values do
  for (const hn_scope *scope = reader->scope; scope; scope = scope->outer) {
    size_t n = in_scope(scope, name, length, full);
    if (n > 0 && hn_model_dimension(reader->model, full, n, dimension)) return true;
  }
  return false;
}

static bool dimension_in_number(void *user, const char *name, size_t length,
                                hn_dimension *dimension) {
  double ignored;
  if (parameter_dimension(user, name, length, dimension)) return true;
  if (!hn_point_coordinate(user, name, length, &ignored)) return false;
  *dimension = (hn_dimension){.known = true, .m = 1};
  return true;
}

// "mass must be in kg, and 3 mm is a length"
// An unknown dimension passes: numbers without units are SI.
static hn_status check_units(hn_reader *reader, const hn_yaml *node, const char *what,
                             hn_name_dimension names) {
  char message[160], words[60];
  int column = 0;
  // not known, unless something says so
  reader->dimension = (hn_dimension){0};
  if (!hn_formula_dimension(node->text, strlen(node->text), names, reader, &reader->dimension,
                            message, &column))
    return hn_model_fail(reader->model, hn_read_place_in(node, column), HN_ERR_MODEL, "%s: %s: %s",
                         reader->model->subject, what, message);
  // NULL: any unit will do
  if (!reader->unit || hn_unit_allows(reader->unit, reader->dimension)) return HN_OK;
  hn_dimension_words(reader->dimension, words, sizeof words);
  if (!*reader->unit)
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "%s must be a number without unit, and '%.40s' is %s", what, node->text,
                        words);
  return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must be in %s, and '%.40s' is %s", what,
                      reader->unit, node->text, words);
}

// In a formula a name may be anything that moves: only parameters are known. What has the name of a
// unit is one where no name hides it, and there may be signals of which nothing is read yet.
static bool dimension_in_formula(void *user, const char *name, size_t length,
                                 hn_dimension *dimension) {
  const hn_reader *reader = user;
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  if (strcmp(word, "t") == 0 || (reader->own && hn_yaml_get(reader->own, word))) return true;
  if (parameter_dimension(reader, name, length, dimension)) return true;
  const hn_unit *unit = hn_unit_find(name, length);
  return !unit || unit->gives_way;
}

// unit: of the key; "" is that of keys whose formulas may be of any dimension
hn_status hn_read_formula_units(hn_reader *reader, const hn_yaml *node, const char *what,
                                const char *unit) {
  const char *old = reader->unit;
  reader->unit = *unit ? unit : NULL;
  hn_status status = check_units(reader, node, what, dimension_in_formula);
  reader->unit = old;
  return status;
}

hn_status hn_read_quantity(hn_reader *reader, const hn_yaml *node, const char *what,
                           const char *unit, double *value) {
  const char *old = reader->unit;
  reader->unit = unit;
  hn_status status = hn_read_number(reader, node, what, value);
  reader->unit = old;
  return status;
}

// a name that no formula here knows: described further down, or misspelt
static hn_status fail_name(hn_reader *reader, const hn_yaml *node, const char *what,
                           const char *name, const hn_expr_error *error) {
  hn_model *model = reader->model;
  hn_place place = hn_read_place_in(node, error->column);
  bool parameter = strncmp(model->subject, "parameter ", 10) == 0;
  const hn_yaml *below = hn_section_below(reader, node, "parameters", name);
  if (!below && strchr(name, '.') && hn_section_describes(reader, "points", name)) {
    if (parameter)
      return hn_model_fail(model, place, HN_ERR_MODEL,
                           "%s: %s: '%s' belongs to a point, and parameters are read before "
                           "points: write this formula where it is used",
                           model->subject, what, name);
    below = hn_section_below(reader, node, "points", name);
  }
  if (below)
    return hn_model_fail(model, place, HN_ERR_MODEL,
                         "%s: %s: '%s' is described further down, in line %d: numbers use what "
                         "stands before them",
                         model->subject, what, name, below->line);
  const char *known = hn_read_names(reader, model->parameter_count, 0, parameter_name);
  char near[64];
  bool hint = hn_nearest_in(name, known, near, sizeof near);
  return hn_model_fail(model, place, hn_formula_status(error->message),
                       hint ? "%s: %s: %s (did you mean '%s'?)" : "%s: %s: %s", model->subject,
                       what, error->message, near);
}

// Syntax, then value, then dimension; `referring` tells whether it mentions anything, which makes
// it no number of its own (hn_parameter.given).
hn_status hn_read_number(hn_reader *reader, const hn_yaml *node, const char *what, double *value) {
  hn_model *model = reader->model;
  if (node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
    return hn_read_fail_kind(reader, node, what, "a number");
  if (node->note == HN_YAML_CHANGES) hn_refill_touch(reader, node);
  if (node->note > 0 && hn_memory_recall(reader, node, value) && fabs(*value) <= HN_LARGEST)
    return HN_OK;
  hn_yaml counted = *node;
  hn_status status = hn_read_counted(reader, node, &counted.text);
  if (status) return status;
  if (counted.text != node->text) {
    // another text at every reading: columns are not those of the file, and it is not kept
    counted.verbatim = false, counted.note = HN_YAML_CHANGES;
    node = &counted;
  }
  if (is_not_finite(node->text))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must be a finite number", what);
  // a value beyond the limit is read again, for the message
  lookup l = {.reader = reader};
  hn_expr_error error = {0};
  if (!hn_parse_number(node->text, strlen(node->text), resolve, &l, value, &error)) {
    // the parser has one sentence for names it does not know
    if (strncmp(error.message, "unknown name", 12) == 0 && l.unknown[0])
      return fail_name(reader, node, what, l.unknown, &error);
    return hn_model_fail(model, hn_read_place_in(node, error.column),
                         hn_formula_status(error.message), "%s: %s: %s", model->subject, what,
                         error.message);
  }
  reader->referring = l.found;
  if (!isfinite(*value))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must be a finite number", what);
  if (fabs(*value) > HN_LARGEST)
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must not be larger than %g in size", what,
                        HN_LARGEST);
  status = check_units(reader, node, what, dimension_in_number);
  if (!status) hn_memory_keep(reader, node);
  return status;
}

// what to say of a list that has too many values: commas of a formula part it
const char *hn_read_comma_hint(const hn_yaml *list) {
  for (const hn_yaml *e = list->first; e; e = e->next) {
    int open = 0;
    if (e->kind != HN_YAML_SCALAR || !e->verbatim) continue;
    for (const char *c = e->text; *c; c++) open += (*c == '(') - (*c == ')');
    if (open > 0) return " (a formula with a comma stands in quotes)";
  }
  return "";
}

hn_status hn_read_numbers(hn_reader *reader, const hn_yaml *node, const char *what, int least,
                          int most, double *x) {
  if (node->kind != HN_YAML_LIST) return hn_read_fail_kind(reader, node, what, "a list of numbers");
  if (node->count < least || node->count > most) {
    char wanted[32];
    // "3", or "2 or 3"
    snprintf(wanted, sizeof wanted, least == most ? "%d" : "%d or %d", least, most);
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must have %s numbers, not %d%s", what,
                        wanted, node->count, hn_read_comma_hint(node));
  }
  int i = 0;
  for (const hn_yaml *e = node->first; e; e = e->next) {
    hn_status status = hn_read_number(reader, e, what, &x[i++]);
    if (status) return status;
  }
  return HN_OK;
}

hn_status hn_read_vector(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]) {
  // also where two numbers follow
  x[2] = 0;
  return hn_read_numbers(reader, node, what, 2, 3, x);
}
