// check.c: generic checks of definitions, driven by the tables of keys.
//
// A table row knows kind, range and place of a value, so that one function checks bodies, joints,
// forces and all the rest. Zero means "not given" in a definition; whether a zero was written is
// known to the reader alone, which asks hn_broken_rule itself.
#include "model/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "expr/expr.h"
#include "expr/internal.h"

// Comparisons are written so that NaN breaks none of them: it is refused before, as no finite
// number.
const char *hn_broken_rule(hn_range range, double value, bool given) {
  // a zero that was not written means "default" and breaks no rule
  bool zero = value == 0 && given;
  switch (range) {
  case HN_RANGE_ANY: return NULL;
  case HN_RANGE_POSITIVE: return value < 0 || zero ? "be positive" : NULL;
  case HN_RANGE_NOT_NEGATIVE: return value < 0 ? "not be negative" : NULL;
  case HN_RANGE_NOT_ZERO: return zero ? "not be zero" : NULL;
  }
  return NULL;
}

static hn_status check_number(hn_model *model, const char *path, const char *what, double value,
                              hn_range range, const char *hint) {
  if (!isfinite(value)) return hn_element_fail(model, path, "%s must be a finite number", what);
  // beyond it squares and products of a few such numbers would soon leave what doubles can tell
  if (fabs(value) > HN_LARGEST)
    return hn_element_fail(model, path, "%s must not be larger than %g in size", what, HN_LARGEST);
  const char *rule = hn_broken_rule(range, value, false);
  if (!rule) return HN_OK;
  return hn_element_fail(model, path, "%s must %s%s%s", what, rule, hint ? "; " : "",
                         hint ? hint : "");
}

hn_status hn_check_number(hn_model *model, const char *path, const char *what, double value,
                          hn_range range) {
  return check_number(model, path, what, value, range, NULL);
}

// The path of an item is put together only where it is needed: most are right.
static hn_status check_numbers(hn_model *model, const char *key, const double *x, int count) {
  for (int i = 0; i < count; i++) {
    char path[64];
    // NaN fails this comparison too, and is told apart below
    if (fabs(x[i]) <= HN_LARGEST) continue;
    snprintf(path, sizeof path, "%s.%d", key, i);
    hn_status status = hn_check_number(model, path, key, x[i], HN_RANGE_ANY);
    if (status) return status;
  }
  return HN_OK;
}

// ---- formulas ------------------------------------------------------------------------------

typedef struct names {
  const hn_model *model;
  const hn_block_def *block;  // whose coordinates hide units; NULL: none
  int count;
} names;

// the coordinate itself or its rate
// Rates of coordinates are written as calls of a member (theta.rate), which the parser knows.
static bool is_coordinate(const hn_block_def *block, const char *name, size_t length) {
  for (int i = 0; block && i < block->coordinate_count; i++) {
    // strings of a definition are terminated, names in a formula are not
    size_t size = strlen(block->coordinates[i].name);
    if (length == size && memcmp(name, block->coordinates[i].name, size) == 0) return true;
  }
  return false;
}

// parameters have their value; every other name is a new variable, except units, which mean a
// unit unless they are the time
// Only the syntax is looked at: what a name stands for is found out in compile, where all elements
// are known.
static hn_node accept_name(void *user, hn_graph *graph, const char *name, size_t length) {
  names *known = user;
  double value;
  // parameters have their values by now
  if (hn_model_constant(known->model, name, length, &value)) return hn_graph_constant(graph, value);
  // t is the time in formulas, though it is the tonne in numbers
  bool is_time = length == 1 && *name == 't';
  const hn_unit *unit = hn_unit_find(name, length);
  if (!is_time && !is_coordinate(known->block, name, length) && unit && !unit->gives_way)
    return -1;  // the parser makes a unit of it where one can stand
  // the numbers of inputs do not matter: nothing is evaluated
  return hn_graph_input(graph, known->count++);
}

hn_status hn_formula_status(const char *message) {
  return strcmp(message, "out of memory") == 0 ? HN_ERR_MEMORY : HN_ERR_SYNTAX;
}

// `from` characters into the value of the key
// The place of an error counts in the text of the key, `from` characters further on.
static hn_status check_part(hn_model *model, const hn_block_def *block, const char *path,
                            const char *what, const char *text, size_t length, int from) {
  // coordinates of the block as variables, in place of units of their name
  names known = {model, block, 0};
  hn_expr_error error = {0};
  // thrown away again: compile parses each formula anew, with all elements known
  hn_graph *graph = hn_graph_create();
  if (!graph) return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  hn_node node = hn_graph_parse(graph, text, length, accept_name, &known, &error);
  hn_graph_destroy(graph);
  if (node >= 0) return HN_OK;
  return hn_element_fail_at(model, hn_formula_status(error.message), path, from + error.column,
                            "%s: %s", what, error.message);
}

hn_status hn_check_formula(hn_model *model, const char *path, const char *what, const char *text) {
  return check_part(model, NULL, path, what, text, strlen(text), 0);
}

// ==, <=, >= and != are comparisons of conditions.
const char *hn_equals_sign(const char *text) {
  for (const char *s = text; (s = strchr(s, '=')); s++) {
    if (s[1] == '=') {
      s++;  // a comparison
    } else if (s == text || !strchr("<>!", s[-1])) {
      return s;
    }
  }
  return NULL;
}

// sides of an equation are formulas of their own, each with its own place in the text
hn_status hn_check_equation(hn_model *model, const hn_block_def *block, const char *path,
                            const char *what, const char *text) {
  const char *sign = hn_equals_sign(text);
  if (!sign) return check_part(model, block, path, what, text, strlen(text), 0);
  int from = (int)(sign - text) + 1;
  hn_status status = check_part(model, block, path, what, text, (size_t)(sign - text), 0);
  return status ? status : check_part(model, block, path, what, sign + 1, strlen(sign + 1), from);
}

static hn_status check_formulas(hn_model *model, const char *key, const char *const *text) {
  for (int i = 0; i < 3; i++) {
    char path[64];
    if (!text[i]) continue;  // a component left out is zero
    snprintf(path, sizeof path, "%s.%d", key, i);
    hn_status status = hn_check_formula(model, path, key, text[i]);
    if (status) return status;
  }
  return HN_OK;
}

// ---- one row -------------------------------------------------------------------------------

static hn_status check_direction(hn_model *model, const char *key, const double x[3]) {
  hn_status status = check_numbers(model, key, x, 3);
  // 1e-12 is far below any length that a user writes as a direction, and far above where squares
  // end
  double largest = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
  if (!status && largest > 0 && largest < 1e-12)
    return hn_element_fail(model, key, "%s is too short to have a direction", key);
  return status;
}

// Pairs ascend strictly: interpolation divides by the distance.
static hn_status check_array(hn_model *model, const hn_field *field, const double *x, int count) {
  const char *key = field->key;
  // its count is fixed, and no member tells it
  if (field->kind == HN_FIELD_MATRIX6) return check_numbers(model, key, x, 36);
  bool pairs = field->kind == HN_FIELD_PAIRS;
  // a formula of interpolation needs an interval
  if (count < (pairs ? 2 : 1))
    return hn_element_fail(model, key, pairs ? "%s needs at least two pairs" : "%s is empty", key);
  for (int i = 0; i < (pairs ? 2 * count : count); i++) {
    char path[64];
    if (pairs)
      snprintf(path, sizeof path, "%s.%d.%d", key, i / 2, i % 2);
    else
      snprintf(path, sizeof path, "%s.%d", key, i);
    hn_status status = hn_check_number(model, path, key, x[i], HN_RANGE_ANY);
    if (status) return status;
    // the item itself is named, of a table that may have thousands of lines
    if (pairs && i >= 2 && i % 2 == 0 && x[i] <= x[i - 2])
      return hn_element_fail(model, path, "%s must ascend: %g follows %g", key, x[i], x[i - 2]);
  }
  return HN_OK;
}

static hn_status check_soft(hn_model *model, const hn_soft *soft) {
  // zeros are defaults here as everywhere
  hn_status status =
      hn_check_number(model, "soft.stiffness", "stiffness", soft->stiffness, HN_RANGE_POSITIVE);
  return status ? status
                : hn_check_number(model, "soft.damping", "damping", soft->damping,
                                  HN_RANGE_NOT_NEGATIVE);
}

// Kinds that need more than their row are checked by who knows them; here they pass.
static hn_status check_row(hn_model *model, const hn_field *field, const void *def) {
  const void *at = (const char *)def + field->offset;
  // of a row all kinds look at the same place, as what it is
  const char *key = field->key;
  switch (field->kind) {
  case HN_FIELD_NUMBER:
    return check_number(model, key, key, *(const double *)at, field->range, field->hint);
  case HN_FIELD_VECTOR:
  case HN_FIELD_POSITION: return check_numbers(model, key, at, 3);
  case HN_FIELD_DIRECTION: return check_direction(model, key, at);
  case HN_FIELD_FACTORS: return check_numbers(model, key, at, 3);
  case HN_FIELD_NUMBERS: return check_numbers(model, key, at, field->items);
  case HN_FIELD_ORIENTATION: return check_numbers(model, key, at, 4);
  case HN_FIELD_INERTIA: return check_numbers(model, key, at, 6);
  case HN_FIELD_SOFT: return check_soft(model, at);
  case HN_FIELD_FORMULA: return hn_check_formula(model, key, key, *(const char *const *)at);
  case HN_FIELD_FORMULAS: return check_formulas(model, key, at);
  case HN_FIELD_LIST:
  case HN_FIELD_PAIRS:
  case HN_FIELD_MATRIX:
  case HN_FIELD_MATRIX6: {
    // 36 for a matrix of six
    int count = field->extra ? *(const int *)((const char *)def + field->extra) : 0;
    return check_array(model, field, *(const double *const *)at, count);
  }
  case HN_FIELD_WORD:
    if (!**(const char *const *)at) return hn_element_fail(model, key, "%s is empty", key);
    return HN_OK;
  // no default: a new kind must be put here or above
  case HN_FIELD_FLAG:
  case HN_FIELD_CHOICE:
  case HN_FIELD_BITS:
  case HN_FIELD_END:
  case HN_FIELD_SHAPE:
  case HN_FIELD_SHAPES:
  case HN_FIELD_OUTLINE:
  case HN_FIELD_HOLES:
  case HN_FIELD_COUNT:
  case HN_FIELD_PROFILE:
  case HN_FIELD_POSITIONS:
  case HN_FIELD_PLACES:
  case HN_FIELD_INTERFACES:
  case HN_FIELD_COORDINATES:
  case HN_FIELD_EQUATIONS:
  case HN_FIELD_ROWS:
  case HN_FIELD_WORDS:
  case HN_FIELD_POINT:
  case HN_FIELD_CORNERS:
  case HN_FIELD_NOTE:
  case HN_FIELD_FRAMES: return HN_OK;
  }
  return HN_OK;
}

// ---- the whole table -----------------------------------------------------------------------

// `force` and `torque` share their place in the definition: a row that does not apply is no
// mistake when another one for the same place does
static bool place_is_used(const hn_family *family, const hn_field *fields, const hn_type_info *type,
                          size_t offset) {
  for (const hn_field *field = fields; field->key; field++)
    if (field->offset == offset && hn_field_applies(family, type, field)) return true;
  return false;
}

// a required number whose zero makes sense cannot be missed here; the reader can
// Zero is a sensible value for these kinds: the reader checks that they are written.
static bool is_missing(const hn_field *field, const void *def) {
  // false, the ground and the origin can all be meant
  bool zero_makes_sense = field->kind == HN_FIELD_VECTOR || field->kind == HN_FIELD_POSITION ||
                          field->kind == HN_FIELD_END || field->kind == HN_FIELD_FLAG;
  if (field->kind == HN_FIELD_NUMBER)
    zero_makes_sense = field->range == HN_RANGE_ANY || field->range == HN_RANGE_NOT_NEGATIVE;
  return !zero_makes_sense && !hn_field_is_set(field, def);
}

// a key may have several rows, one of them is enough
// A direction may come from an oriented frame of either end.
static hn_status check_required(hn_model *model, const hn_family *family, const hn_field *fields,
                                const hn_type_info *type, const void *def) {
  bool framed = false;
  if (!*type->required) return HN_OK;
  // ends are not named in `required`: whether a type has them follows from its other keys
  for (const hn_field *field = fields; field->key; field++)
    if (field->kind == HN_FIELD_END)
      framed = framed || ((const hn_end *)((const char *)def + field->offset))->frame.id != 0;
  for (const hn_field *field = fields; field->key; field++) {
    if (!hn_word_in(field->key, type->required)) continue;
    bool missing = !(framed && field->kind == HN_FIELD_DIRECTION);  // a frame has directions
    for (const hn_field *row = fields; row->key; row++)
      if (strcmp(row->key, field->key) == 0 && hn_field_applies(family, type, row) &&
          !is_missing(row, def))
        missing = false;
    if (missing) return hn_element_fail(model, "type", "%s needs '%s'", type->name, field->key);
  }
  return HN_OK;
}

hn_status hn_check_fields(hn_model *model, const hn_family *family, const hn_field *fields,
                          const hn_type_info *type, const void *def) {
  for (const hn_field *field = fields; field->key; field++) {
    if (!hn_field_is_set(field, def)) continue;  // most rows of most elements
    if (hn_field_applies(family, type, field)) {
      hn_status status = check_row(model, field, def);
      if (status) return status;
    } else if (!place_is_used(family, fields, type, field->offset)) {
      return hn_element_fail(model, field->key, "%s has no '%s'", type->name, field->key);
    }
  }
  return type ? check_required(model, family, fields, type, def) : HN_OK;
}

// For names that formulas read alone: signals, events, columns.
hn_status hn_check_word(hn_model *model, const char *name) {
  double value;
  // other elements first: their columns may be read in formulas too
  hn_status status = hn_model_check_name(model, name);
  if (status) return status;
  if (hn_model_formula_word(name))
    return hn_element_fail(model, NULL, "the name is a word of the formula language");
  // a unit would be read as one: "3*m" with m as a signal is 3 metres to whoever reads it
  const hn_unit *unit = hn_unit_find(name, strlen(name));
  if (unit && !unit->gives_way) return hn_element_fail(model, NULL, "the name is that of a unit");
  if (hn_model_constant(model, name, strlen(name), &value))
    return hn_element_fail(model, NULL, "there is already a parameter of this name");
  return HN_OK;
}
