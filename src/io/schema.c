// schema.c: the JSON Schema (draft 2020-12) of the model format, from the reader's own tables.
//
// Editors that know it complete keys, show their meaning and underline mistakes. What a schema
// cannot say (names that must exist, masses that make sense) is left to the reader.
//
// Written by hand as text, piece by piece: a tree of values would only be walked once. Numbers may
// be strings everywhere, since formulas and units are written so. Types of joints and forces are
// told apart by if/then, one branch for each type, so that editors complete only the keys of that
// type.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "forces/force.h"
#include "io/model_reader.h"
#include "joints/joint.h"
#include "sim/options.h"

static void put(hn_json *j, const char *text) {
  hn_json_raw(j, text);
}

static void put_number(hn_json *j, double x) {
  char text[HN_NUMBER_SIZE];
  hn_number_text(text, x);
  put(j, text);
}

// separates members; *first is true before the first one
// with a line break, so that the file can be read
static void put_comma(hn_json *j, bool *first) {
  put(j, *first ? "\n" : ",\n");
  *first = false;
}

// as a JSON list
static void put_words(hn_json *j, const char *words) {
  char word[64];
  put(j, "[");
  for (int i = 0; hn_word_at(words, i, word, sizeof word); i++) {
    if (i) put(j, ", ");
    hn_json_quoted(j, word);
  }
  put(j, "]");
}

// units stand behind in brackets, as in the help of the program
static void put_description(hn_json *j, const char *help, const char *unit) {
  char text[512];
  if (*unit)
    snprintf(text, sizeof text, "%s [%s]", help, unit);
  else
    snprintf(text, sizeof text, "%s", help);
  put(j, "\"description\": ");
  hn_json_quoted(j, text);
}

// ---- one field -----------------------------------------------------------------------------

// Ranges are checked for plain numbers; a formula could be anything.
// strings pass everywhere: they may be formulas
static void put_number_kind(hn_json *j, hn_range range) {
  switch (range) {
  case HN_RANGE_ANY: put(j, "\"$ref\": \"#/$defs/number\""); return;
  case HN_RANGE_NOT_ZERO:
    put(j, "\"anyOf\": [{\"type\": \"number\", \"not\": {\"const\": 0}}, {\"type\": \"string\"}]");
    return;
  case HN_RANGE_POSITIVE:
    put(j, "\"anyOf\": [{\"type\": \"number\", \"exclusiveMinimum\": 0}, {\"type\": \"string\"}]");
    return;
  case HN_RANGE_NOT_NEGATIVE:
    put(j, "\"anyOf\": [{\"type\": \"number\", \"minimum\": 0}, {\"type\": \"string\"}]");
    return;
  }
}

static void put_words_kind(hn_json *j, const hn_field *field) {
  if (field->kind == HN_FIELD_BITS) {
    // one word, or several in a list
    put(j, "\"anyOf\": [{\"enum\": ");
    put_words(j, field->words);
    put(j, "}, {\"type\": \"array\", \"items\": {\"enum\": ");
    put_words(j, field->words);
    put(j, "}}]");
  } else if (field->words) {
    put(j, "\"enum\": ");
    put_words(j, field->words);
  } else {
    // booleans of YAML are what editors check for
    put(j, field->kind == HN_FIELD_FLAG ? "\"type\": \"boolean\"" : "\"type\": \"string\"");
  }
}

// number of items of a list, the same at both ends
static void put_items(hn_json *j, const char *what, int count) {
  char text[160];
  snprintf(text, sizeof text,
           "\"type\": \"array\", \"items\": {%s}, \"minItems\": %d, \"maxItems\": %d", what, count,
           count);
  put(j, text);
}

// One definition for each kind of field; shared ones are in $defs.
// without a default: compilers warn of a kind that has no case
static void put_kind(hn_json *j, const hn_field *field) {
  switch (field->kind) {
  case HN_FIELD_NUMBER: put_number_kind(j, field->range); return;
  case HN_FIELD_VECTOR:
    put(j, field->items == 1
               ? "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]"
               : "\"$ref\": \"#/$defs/vector\"");
    return;
  case HN_FIELD_POSITION: put(j, "\"$ref\": \"#/$defs/position\""); return;
  // a direction, or a place
  case HN_FIELD_POINT:
    put(j,
        field->items == 3 ? "\"$ref\": \"#/$defs/direction\"" : "\"$ref\": \"#/$defs/position\"");
    return;
  case HN_FIELD_CORNERS:
    put(j, "\"type\": \"array\", \"minItems\": 3, \"items\": {\"$ref\": \"#/$defs/position\"}");
    return;
  case HN_FIELD_DIRECTION:
    put(j, field->items == HN_BETWEEN_POINTS ? "\"$ref\": \"#/$defs/direction\""
                                             : "\"$ref\": \"#/$defs/axis\"");
    return;
  case HN_FIELD_NUMBERS: put_items(j, "\"$ref\": \"#/$defs/number\"", field->items); return;
  case HN_FIELD_FLAG:
  case HN_FIELD_CHOICE:
  case HN_FIELD_BITS:
  case HN_FIELD_WORD: put_words_kind(j, field); return;
  case HN_FIELD_FORMULA: put(j, "\"$ref\": \"#/$defs/formula\""); return;
  case HN_FIELD_FORMULAS:
    put(j, field->items == 1
               ? "\"anyOf\": [{\"$ref\": \"#/$defs/formula\"}, {\"$ref\": \"#/$defs/formulas\"}]"
               : "\"$ref\": \"#/$defs/formulas\"");
    return;
  case HN_FIELD_LIST:
    put(j, "\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": \"#/$defs/number\"}");
    return;
  case HN_FIELD_MATRIX:
    put(j, "\"type\": \"array\", \"minItems\": 1, \"items\": {\"anyOf\": [{\"$ref\": "
           "\"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
           "\"#/$defs/number\"}}]}");
    return;
  case HN_FIELD_WORDS:
    put(j, "\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}");
    return;
  case HN_FIELD_PAIRS: put(j, "\"$ref\": \"#/$defs/pairs\""); return;
  case HN_FIELD_MATRIX6: put(j, "\"$ref\": \"#/$defs/matrix6\""); return;
  case HN_FIELD_END: put(j, "\"$ref\": \"#/$defs/end\""); return;
  case HN_FIELD_ORIENTATION: put(j, "\"$ref\": \"#/$defs/orientation\""); return;
  case HN_FIELD_INERTIA: put(j, "\"$ref\": \"#/$defs/inertia\""); return;
  case HN_FIELD_SOFT: put(j, "\"$ref\": \"#/$defs/soft\""); return;
  case HN_FIELD_SHAPE: put(j, "\"$ref\": \"#/$defs/shape\""); return;
  case HN_FIELD_SHAPES:
    put(j, "\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": \"#/$defs/shape\"}");
    return;
  case HN_FIELD_FACTORS:
    put(j, "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/row3\"}]");
    return;
  // corners of hulls have three numbers
  case HN_FIELD_OUTLINE:
    if (field->items == 3)
      put(j, "\"type\": \"array\", \"minItems\": 4, \"items\": {\"$ref\": \"#/$defs/row3\"}");
    else
      put(j, "\"$ref\": \"#/$defs/outline\"");
    return;
  case HN_FIELD_HOLES:
    put(j, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/outline\"}");
    return;
  case HN_FIELD_COUNT: put(j, "\"$ref\": \"#/$defs/number\""); return;
  case HN_FIELD_PROFILE: put(j, "\"$ref\": \"#/$defs/profile\""); return;
  case HN_FIELD_POSITIONS:
    put(j, "\"type\": \"array\", \"minItems\": 2, \"items\": {\"$ref\": \"#/$defs/position\"}");
    return;
  case HN_FIELD_PLACES:
    put(j, "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}");
    return;
  // free text
  case HN_FIELD_NOTE: put(j, "\"type\": \"string\""); return;
  case HN_FIELD_INTERFACES:
    put(j, "\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"anyOf\": "
           "[{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
           "\"#/$defs/number\"}}]}");
    return;
  case HN_FIELD_FRAMES: put(j, "\"$ref\": \"#/$defs/frames\""); return;
  case HN_FIELD_COORDINATES: put(j, "\"$ref\": \"#/$defs/coordinates\""); return;
  case HN_FIELD_EQUATIONS:
    put(j, field->items == 1
               ? "\"anyOf\": [{\"$ref\": \"#/$defs/equations\"}, {\"type\": \"array\", "
                 "\"items\": {\"$ref\": \"#/$defs/formula\"}}]"
               : "\"$ref\": \"#/$defs/equations\"");
    return;
  case HN_FIELD_ROWS:
    put(j, "\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"$ref\": "
           "\"#/$defs/formula\"}}");
    return;
  }
}

// a key with all its rows: they differ in kind
// Two rows at the most differ in kind within one type.
static void put_key(hn_json *j, const hn_family *family, const hn_type_info *type,
                    const hn_field *fields, const hn_field *field) {
  // rows with `types` count for theirs alone, so that few are left
  const hn_field *other = NULL;
  for (const hn_field *row = fields; row->key; row++)
    if (row != field && strcmp(row->key, field->key) == 0 && hn_field_applies(family, type, row))
      other = row;
  hn_json_quoted(j, field->key);
  put(j, ": {");
  // either of both, each with its own help
  if (other) {
    put(j, "\"anyOf\": [{");
    put_kind(j, field);
    put(j, ", ");
    put_description(j, field->help, field->unit);
    put(j, "}, {");
    put_kind(j, other);
    put(j, ", ");
    put_description(j, other->help, other->unit);
    put(j, "}]}");
    return;
  }
  put_kind(j, field);
  put(j, ", ");
  put_description(j, field->help, field->unit);
  put(j, "}");
}

// "properties": {...}, "additionalProperties": false
// additionalProperties false: a mistyped key is underlined.
static void put_properties(hn_json *j, const hn_family *family, const hn_type_info *type,
                           const hn_field *fields) {
  bool first = true;
  put(j, "\"properties\": {");
  // "type" is no row of the table, but a key of every joint and force
  if (type) {
    put_comma(j, &first);
    put(j, "\"type\": true");
  }
  for (const hn_field *field = fields; field->key; field++) {
    if (!hn_field_applies(family, type, field)) continue;
    // a key with several rows is written once, with all of them
    bool seen = false;
    for (const hn_field *row = fields; row < field; row++)
      seen = seen || (strcmp(row->key, field->key) == 0 && hn_field_applies(family, type, row));
    if (seen) continue;
    put_comma(j, &first);
    put_key(j, family, type, fields, field);
  }
  put(j, "},\n\"additionalProperties\": false");
}

// the same with further properties
static void put_properties_open(hn_json *j, const hn_field *fields, const char *more) {
  put(j, "\"properties\": {");
  for (const hn_field *field = fields; field->key; field++) {
    put_key(j, NULL, NULL, fields, field);
    put(j, ", ");
  }
  put(j, more);
  put(j, "},\n\"additionalProperties\": false");
}

// ---- joints and forces ---------------------------------------------------------------------

// a direction may come from a frame instead, so it is not demanded here
// Either ends or a joint, where a type allows both.
// required by the type, as far as the schema can know it
static void put_required(hn_json *j, const hn_family *family, const hn_type_info *type) {
  bool first = true, either = hn_type_has_ends(type) && hn_type_has_joint(type);
  put(j, ",\n\"required\": [");
  for (const hn_field *field = family->fields; field->key; field++) {
    bool required = hn_word_in(field->key, type->required) && field->kind != HN_FIELD_DIRECTION &&
                    field->kind != HN_FIELD_END && hn_field_applies(family, type, field);
    // of the two ends b is demanded: a is the ground where it is left out
    if (field->kind == HN_FIELD_END)
      required = hn_type_has_ends(type) && !either && strcmp(field->key, "b") == 0;
    if (!required) continue;
    if (!first) put(j, ", ");
    first = false;
    hn_json_quoted(j, field->key);
  }
  put(j, "]");
  // either b or the joint acted on
  if (!either) return;
  put(j, ",\n\"anyOf\": [{\"required\": [\"b\"]}, {\"required\": [");
  hn_json_quoted(j, family == &hn_joint_family ? "joint_a" : "joint");
  put(j, "]}]");
}

// oneOf of constants with descriptions: editors show these in their lists.
static void put_family(hn_json *j, const hn_family *family) {
  const hn_type_info *type;
  // first which types there are, then the keys of each
  put(j, "{\n\"type\": \"object\",\n\"required\": [\"type\"],\n"
         "\"properties\": {\"type\": {\"oneOf\": [");
  bool first = true;
  for (int i = 0; (type = family->type_at(i)); i++) {
    put_comma(j, &first);
    put(j, "{\"const\": ");
    hn_json_quoted(j, type->name);
    put(j, ", ");
    put_description(j, type->help, "");
    put(j, "}");
  }
  // branches by type: only one is looked at
  put(j, "]}},\n\"allOf\": [");
  first = true;
  for (int i = 0; (type = family->type_at(i)); i++) {
    put_comma(j, &first);
    put(j, "{\"if\": {\"required\": [\"type\"], \"properties\": {\"type\": {\"const\": ");
    hn_json_quoted(j, type->name);
    put(j, "}}},\n\"then\": {\n");
    put_properties(j, family, type, family->fields);
    put_required(j, family, type);
    put(j, "}}");
  }
  put(j, "]}");
}

// ---- options, shapes, sections -------------------------------------------------------------

// Words of methods and their parts come from their own tables.
static void put_option(hn_json *j, const hn_option *option) {
  hn_json_quoted(j, option->info.name);
  put(j, ": {");
  if (option->words) {
    const char *word;
    // words of other floors come by hn_option_word()
    bool listed = false;
    put(j, "\"enum\": [");
    for (int i = 0; (word = hn_option_word(option, i)); i++) {
      listed = listed || strcmp(word, option->info.fallback) == 0;
      if (i) put(j, ", ");
      hn_json_quoted(j, word);
    }
    // the default may be none of the words ("" leaves the choice)
    if (!listed) {
      if (hn_option_word(option, 0)) put(j, ", ");
      hn_json_quoted(j, option->info.fallback);
    }
    put(j, "]");
  } else {
    // formulas are strings; 0 where it means that holon chooses
    put(j, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"number\", \"minimum\": ");
    put_number(j, option->low);
    put(j, ", \"maximum\": ");
    put_number(j, option->high);
    put(j, option->automatic ? "}, {\"const\": 0}]" : "}]");
  }
  put(j, ", ");
  put_description(j, option->info.help, option->info.unit);
  put(j, "}");
}

static void put_options(hn_json *j) {
  bool first = true;
  // an empty section is null in YAML
  put(j, "{\"type\": [\"object\", \"null\"], \"properties\": {");
  for (int i = 0; hn_option_row(i); i++) {
    put_comma(j, &first);
    put_option(j, hn_option_row(i));
  }
  put(j, "},\n\"additionalProperties\": false}");
}

static void put_shapes(hn_json *j, const hn_shape_info *(*at)(int)) {
  bool first = true;
  // exactly one key, the kind
  put(j, "{\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1,\n\"properties\": {");
  for (int i = 0; at(i); i++) {
    put_comma(j, &first);
    hn_json_quoted(j, at(i)->name);
    put(j, ": {\"type\": \"object\", ");
    put_description(j, at(i)->help, "");
    put(j, ",\n");
    put_properties(j, NULL, NULL, at(i)->fields);
    put(j, "}");
  }
  put(j, "},\n\"additionalProperties\": false}");
}

// names as hn_model_is_name() has them, 63 characters long
static const char names[] = "\"propertyNames\": {\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]{0,62}$\"}";

static void put_map_of(hn_json *j, const char *what, const char *extra) {
  put(j, "{\"type\": [\"object\", \"null\"], ");
  put(j, names);
  put(j, extra);
  // what: the definition that each of the entries follows
  put(j, ", \"additionalProperties\": {\"$ref\": \"#/$defs/");
  put(j, what);
  put(j, "\"}}");
}

// numbers, the name of a point, body or frame, or a construction
static void put_position(hn_json *j) {
  put(j, "{\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"type\": \"string\"}, {\"type\": "
         "\"object\", \"oneOf\": [");
  // each way to construct a point has its own set of keys
  for (int i = 0; hn_construction_keys(i); i++) {
    put(j, i ? ",\n{\"required\": " : "{\"required\": ");
    put_words(j, hn_construction_keys(i));
    put(j, "}");
  }
  put(j, "]}]}");
}

// Sections that are maps of elements are alike; the others are spelled out.
// by key; what is not named here is a short text
static void put_section(hn_json *j, const char *key) {
  if (strcmp(key, "parameters") == 0)
    put_map_of(j, "number", "");
  else if (strcmp(key, "points") == 0)
    put_map_of(j, "position", "");
  else if (strcmp(key, "gravity") == 0)
    put(j, "{\"$ref\": \"#/$defs/vector\"}");
  else if (strcmp(key, "simulation") == 0)
    put_options(j);
  else if (strcmp(key, "ground") == 0)
    put(j, "{\"type\": [\"object\", \"null\"], \"properties\": {\"frames\": {\"$ref\": "
           "\"#/$defs/frames\"}}, \"additionalProperties\": false}");
  else if (strcmp(key, "bodies") == 0)
    put_map_of(j, "body", "");
  else if (strcmp(key, "beams") == 0)
    put_map_of(j, "beam", "");
  else if (strcmp(key, "flexible") == 0)
    put_map_of(j, "flexible", "");
  else if (strcmp(key, "joints") == 0)
    put_map_of(j, "joint", "");
  else if (strcmp(key, "forces") == 0)
    put_map_of(j, "force", "");
  else if (strcmp(key, "blocks") == 0)
    put_map_of(j, "block", "");
  else if (strcmp(key, "couplings") == 0)
    put_map_of(j, "coupling", "");
  else if (strcmp(key, "parts") == 0)
    put_map_of(j, "part", "");
  else if (strcmp(key, "use") == 0)
    put_map_of(j, "use", "");
  else if (strcmp(key, "signals") == 0)
    put_map_of(j, "signal", "");
  else if (strcmp(key, "states") == 0)
    put_map_of(j, "state", "");
  else if (strcmp(key, "controllers") == 0)
    put_map_of(j, "controller", "");
  else if (strcmp(key, "events") == 0)
    put_map_of(j, "event", "");
  else if (strcmp(key, "start") == 0)
    put_map_of(j, "start", "");
  // conditions are formulas of columns; the key is the parameter
  else if (strcmp(key, "solve") == 0)
    put(j, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"type\": \"string\"}}");
  else if (strcmp(key, "outputs") == 0)
    put(j, "{\"anyOf\": [{\"$ref\": \"#/$defs/columns\"}, {\"type\": [\"array\", \"null\"], "
           "\"items\": {\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/columns\"}]}}]}");
  else
    put(j, "{\"type\": [\"string\", \"number\", \"null\"]}");
}

// a part is sections; a use of one says where and how often, or has the sections itself
static void put_parts(hn_json *j) {
  char word[32];
  // sections of a part are those of a file, but for what belongs to the whole
  put(j, ",\n\"part\": {\"type\": \"object\", \"propertyNames\": {\"enum\": ");
  char sections[400];
  snprintf(sections, sizeof sections, "file %s", hn_part_sections);
  put_words(j, sections);
  put(j, "}, \"properties\": {\"file\": {\"type\": \"string\"},\n");
  for (int i = 0; hn_word_at(hn_part_sections, i, word, sizeof word); i++) {
    if (i) put(j, ",\n");
    hn_json_quoted(j, word);
    put(j, ": ");
    put_section(j, word);
  }
  // of a use only the names of keys: it may have the sections of a part in itself
  put(j, "}},\n\"use\": {\"type\": \"object\", \"propertyNames\": {\"enum\": ");
  put_words(j, hn_use_keys);
  put(j, "}}");
}

static void put_sections(hn_json *j) {
  bool first = true;
  put(j, "\"properties\": {");
  // in the order of the table, which is the best one to write
  for (int i = 0; hn_section_at(i); i++) {
    put_comma(j, &first);
    hn_json_quoted(j, hn_section_at(i)->key);
    put(j, ": {");
    put_description(j, hn_section_at(i)->help, "");
    // allOf: a description beside a $ref is allowed, but editors of older drafts drop it
    put(j, ", \"allOf\": [");
    put_section(j, hn_section_at(i)->key);
    put(j, "]}");
  }
  // a file without anything that moves is refused by the reader too
  put(j, "},\n\"anyOf\": [{\"required\": [\"bodies\"]}, {\"required\": [\"beams\"]}, "
         "{\"required\": [\"flexible\"]}, "
         "{\"required\": [\"blocks\"]}, "
         "{\"required\": [\"use\"]}],\n"
         "\"additionalProperties\": false,\n");
}

// kinds of values, as far as they do not depend on the tables
// Definitions that no table knows; patterns follow hn_model_is_name.
static const char values[] =
    "\"number\": {\"type\": [\"number\", \"string\"], \"description\": \"a number, a quantity such "
    "as \\\"60 deg\\\", or a formula of the parameters\"},\n"
    "\"axis\": {\"anyOf\": [{\"enum\": [\"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\"]}, "
    "{\"$ref\": \"#/$defs/vector\"}]},\n"
    "\"direction\": {\"anyOf\": [{\"$ref\": \"#/$defs/axis\"}, {\"type\": \"object\", "
    "\"required\": [\"from\", \"to\"], \"properties\": {\"from\": {\"$ref\": "
    "\"#/$defs/position\"}, \"to\": {\"$ref\": \"#/$defs/position\"}}, "
    "\"additionalProperties\": false}]},\n"
    "\"vector\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, "
    "\"maxItems\": 3},\n"
    "\"formula\": {\"type\": [\"number\", \"string\"]},\n"
    "\"formulas\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/formula\"}, \"minItems\": "
    "2, \"maxItems\": 3},\n"
    "\"pairs\": {\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"array\", \"items\": "
    "{\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, \"maxItems\": 2}},\n"
    "\"row3\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 3, "
    "\"maxItems\": 3},\n"
    "\"outline\": {\"type\": \"array\", \"minItems\": 3, \"items\": {\"type\": \"array\", "
    "\"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, \"maxItems\": 2}},\n"
    "\"row6\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 6, "
    "\"maxItems\": 6},\n"
    "\"matrix6\": {\"anyOf\": [{\"$ref\": \"#/$defs/row6\"}, {\"type\": \"array\", \"items\": "
    "{\"$ref\": \"#/$defs/row6\"}, \"minItems\": 6, \"maxItems\": 6}]},\n"
    "\"inertia\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/row3\"}, "
    "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/row3\"}, \"minItems\": 3, \"maxItems\": "
    "3}, {\"type\": \"object\", \"propertyNames\": {\"enum\": [\"xx\", \"yy\", \"zz\", \"xy\", "
    "\"xz\", \"yz\"]}, \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}]},\n"
    "\"end\": {\"type\": \"string\", \"pattern\": "
    "\"^[A-Za-z_][A-Za-z0-9_]*(\\\\.[A-Za-z_][A-Za-z0-9_]*)?$\"},\n";

// bodies, joints, forces, and what they are made of
static void put_elements(hn_json *j) {
  // in three ways, of which exactly one is there
  put(j, "\"orientation\": {\"type\": \"object\",\n\"oneOf\": [{\"required\": [\"quaternion\"]}, "
         "{\"required\": [\"axis\", \"angle\"]}, {\"required\": [\"euler\", \"sequence\"]}],\n");
  put_properties(j, NULL, NULL, hn_orientation_fields);
  put(j, "},\n\"soft\": {\"type\": \"object\", \"required\": [\"stiffness\"],\n");
  put_properties(j, NULL, NULL, hn_soft_fields);
  put(j, "},\n\"shape\": ");
  put_shapes(j, hn_shape_at);
  put(j, ",\n\"profile\": ");
  put_shapes(j, hn_profile_at);
  put_parts(j);
  put(j, ",\n\"position\": ");
  put_position(j);
  // a frame is a place, the name of a point, or a map
  put(j, ",\n\"frame\": {\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"type\": \"string\"}, "
         "{\"type\": \"object\",\n");
  put_properties(j, NULL, NULL, hn_frame_fields);
  put(j, "}]},\n\"frames\": ");
  put_map_of(j, "frame", "");
  put(j, ",\n\"body\": {\"type\": \"object\",\n");
  put_properties(j, NULL, NULL, hn_body_fields);
  put(j, "},\n\"beam\": {\"type\": \"object\", \"required\": [\"elements\"],\n");
  put_properties(j, NULL, NULL, hn_beam_fields);
  put(j, "},\n\"flexible\": {\"type\": \"object\", \"required\": [\"interface\"],\n");
  put_properties(j, NULL, NULL, hn_flexible_fields);
  put(j, "},\n\"joint\": ");
  put_family(j, &hn_joint_family);
  put(j, ",\n\"force\": ");
  put_family(j, &hn_force_family);
}

// blocks, couplings, starts, events, columns
static void put_equations(hn_json *j) {
  // a number is the value at the start
  put(j, ",\n\"coordinate\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": "
         "\"object\",\n");
  put_properties(j, NULL, NULL, hn_coordinate_fields);
  put(j, "}]},\n\"coordinates\": ");
  put_map_of(j, "coordinate", ", \"minProperties\": 1");
  put(j,
      ",\n\"equations\": {\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"$ref\": "
      "\"#/$defs/formula\"}},\n\"block\": {\"type\": \"object\", \"required\": "
      "[\"coordinates\"],\n");
  put_properties(j, NULL, NULL, hn_block_fields);
  put(j, "},\n\"coupling\": {\"type\": \"object\", \"required\": [\"rows\"], \"oneOf\": "
         "[{\"required\": [\"stiffness\"]}, {\"required\": [\"compliance\"]}],\n");
  put_properties(j, NULL, NULL, hn_coupling_fields);
  // a value, or value and rate
  put(j, "},\n\"start\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"object\",\n");
  put_properties(j, NULL, NULL, hn_start_fields);
  put(j, "}]},\n\"event\": {\"anyOf\": [{\"$ref\": \"#/$defs/formula\"}, {\"type\": \"object\", "
         "\"required\": [\"when\"],\n");
  put_properties(j, NULL, NULL, hn_event_fields);
  put(j,
      "}]},\n\"columns\": {\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"$ref\": "
      "\"#/$defs/formula\"}, {\"type\": \"object\", \"oneOf\": [{\"required\": [\"formula\"]}, "
      "{\"required\": [\"integral\"]}],\n");
  put_properties(j, NULL, NULL, hn_column_fields);
}

// signals, states, controllers
static void put_signals(hn_json *j) {
  // braces that the last function left open are closed first: columns end here
  put(j, "}]}},\n\"signal\": {\"anyOf\": [{\"$ref\": \"#/$defs/formula\"}, {\"type\": \"object\",\n"
         "\"oneOf\": [{\"required\": [\"formula\"]}, {\"required\": [\"input\"]}, {\"required\": "
         "[\"table\"]}, {\"required\": [\"file\"]}],\n");
  put_properties(j, NULL, NULL, hn_signal_fields);
  put(j, "}]},\n\"state\": {\"anyOf\": [{\"$ref\": \"#/$defs/formula\"}, {\"type\": \"object\",\n"
         "\"required\": [\"rate\"],\n");
  put_properties(j, NULL, NULL, hn_state_fields);
  // a state is its rate, a map with a rate, or a process with a type
  put(j, "}, ");
  put_family(j, &hn_process_family);
  put(j, "]},\n\"controller\": {\"type\": \"object\",\n\"allOf\": [{");
  // keys that no table has, being maps of their own
  put_properties_open(j, hn_controller_fields,
                      "\"memory\": {\"type\": \"object\"}, \"transitions\": {\"type\": "
                      "\"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/formula\"}}");
}

// free() it; NULL: out of memory
char *hn_schema_json(void) {
  hn_text schema = {0};
  hn_json j = {.text = &schema};
  put(&j, "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
          "\"title\": \"holon model\",\n\"type\": \"object\",\n");
  put_sections(&j);
  put(&j, "\"$defs\": {\n");
  put(&j, values);
  put_elements(&j);
  put_equations(&j);
  put_signals(&j);
  put(&j, "}]}}}\n");
  if (!schema.failed) return schema.text;
  free(schema.text);
  return NULL;
}
