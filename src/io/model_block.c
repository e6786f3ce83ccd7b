// model_block.c: blocks of a model file, parts given by their equations.
#include <string.h>

#include "io/model_reader.h"

static hn_status need(hn_reader *reader, const hn_yaml *node, hn_yaml_kind kind, const char *what,
                      const char *wanted) {
  // nothing counts as none of the kinds
  if (node->kind == kind && !hn_yaml_is_empty(node)) return HN_OK;
  return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must be %s", what, wanted);
}

// Before all other keys: equations are written in them, and the mass matrix has their number.
static hn_status read_coordinates(hn_reader *reader, const hn_yaml *node, hn_block_def *def) {
  hn_status status = need(reader, node, HN_YAML_MAP, "coordinates", "a map of names");
  if (status) return status;
  size_t bytes = ((size_t)node->count + 1) * sizeof *def->coordinates;
  hn_coordinate_def *c = hn_yaml_take(reader->doc, bytes);
  if (!c) return hn_read_fail_memory(reader);
  // all of it: hn_read_fields() sets what is written
  memset(c, 0, bytes);
  def->coordinates = c;
  def->coordinate_count = node->count;
  for (const hn_yaml *e = node->first; e && !status; e = e->next, c++) {
    c->name = e->key->text;
    // in formulas of a part it could not be told from these
    const char *other;
    status = hn_scope_formula(reader, e->key, &other);
    if (status) return status;
    // rewritten: the name means something else in formulas of the part
    if (strcmp(other, c->name) != 0)
      return hn_read_fail(reader, e->key, HN_ERR_MODEL,
                          "a parameter or signal of the part has the name of the coordinate "
                          "(rename one of them)");
    if (e->kind == HN_YAML_MAP)
      status = hn_read_fields(reader, e, NULL, hn_coordinate_fields, NULL, "", c);
    else
      status = hn_read_number(reader, e, c->name, &c->value);
  }
  return status;
}

// Forces are named by the coordinate they act on, constraints by any name or none.
static hn_status read_equations(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                                const hn_equation **out, int *count) {
  bool list = node->kind == HN_YAML_LIST && field->items == 1;
  // an empty list has no equations
  if (hn_yaml_is_empty(node)) return HN_OK;
  if (node->kind != HN_YAML_MAP && !list)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must be a %s of formulas", field->key,
                        field->items == 1 ? "list or a map" : "map");
  hn_equation *e = hn_yaml_take(reader->doc, ((size_t)node->count + 1) * sizeof *e);
  if (!e) return hn_read_fail_memory(reader);
  *out = e;
  *count = node->count;
  for (const hn_yaml *item = node->first; item; item = item->next, e++) {
    hn_status status = need(reader, item, HN_YAML_SCALAR, field->key, "formulas");
    if (status) return status;
    *e = (hn_equation){.name = list ? NULL : item->key->text};
    status = hn_scope_formula(reader, item, &e->formula);
    // forces are named by what they act on
    // by the offset, since the key alone would be compared as text
    if (!status && field->offset == offsetof(hn_block_def, forces) && e->name)
      status = hn_scope_reference(reader, item->key, &e->name);
    if (status) return status;
  }
  return HN_OK;
}

// n rows of n formulas; checked as a whole before any is kept.
static hn_status read_rows(hn_reader *reader, const hn_yaml *node, hn_block_def *def) {
  int n = def->coordinate_count;
  hn_status status = need(reader, node, HN_YAML_LIST, "mass_matrix", "a list of rows");
  if (status) return status;
  const char **m = hn_yaml_take(reader->doc, ((size_t)n * (size_t)n + 1) * sizeof *m);
  if (!m) return hn_read_fail_memory(reader);
  def->mass_matrix = m;
  // counted first: memory has room for n n and no more
  bool square = node->count == n;
  for (const hn_yaml *row = node->first; row && square; row = row->next)
    square = row->kind == HN_YAML_LIST && row->count == n;
  if (!square)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        "mass_matrix must have %d rows of %d formulas, one for each coordinate", n,
                        n);
  for (const hn_yaml *row = node->first; row; row = row->next)
    for (const hn_yaml *e = row->first; e; e = e->next) {
      status = need(reader, e, HN_YAML_SCALAR, "mass_matrix", "formulas");
      if (status) return status;
      status = hn_scope_formula(reader, e, m++);
      if (status) return status;
    }
  return HN_OK;
}

static hn_status read_key(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                          hn_block_def *def) {
  switch (field->kind) {
  case HN_FIELD_COORDINATES: return HN_OK;  // read before the others
  case HN_FIELD_ROWS: return read_rows(reader, node, def);
  case HN_FIELD_EQUATIONS:
    // which of three lists it is
    if (field->offset == offsetof(hn_block_def, forces))
      return read_equations(reader, field, node, &def->forces, &def->force_count);
    if (field->offset == offsetof(hn_block_def, constraints))
      return read_equations(reader, field, node, &def->constraints, &def->constraint_count);
    return read_equations(reader, field, node, &def->velocity_constraints,
                          &def->velocity_constraint_count);
  default: return hn_read_field(reader, field, node, def);
  }
}

hn_status hn_read_block(hn_reader *reader, const hn_yaml *map) {
  hn_block_def def = {.name = hn_scope_name(reader, map->key->text)};
  if (!def.name) return hn_read_fail_memory(reader);
  hn_status status = need(reader, map, HN_YAML_MAP, "a block", "a map of keys and values");
  const hn_yaml *coordinates = status ? NULL : hn_yaml_get(map, "coordinates");
  if (coordinates) status = read_coordinates(reader, coordinates, &def);
  reader->own = coordinates;
  for (const hn_yaml *e = map->first; e && !status; e = e->next) {
    // the table of keys, in its order
    const hn_field *field = hn_block_fields;
    char words[128] = "coordinates kinetic_energy mass_matrix potential forces constraints "
                      "velocity_constraints description";
    // tables end with a row without key
    while (field->key && strcmp(field->key, e->key->text) != 0) field++;
    status = field->key ? read_key(reader, field, e, &def)
                        : hn_read_fail_word(reader, e->key, HN_ERR_SYNTAX, "unknown key",
                                            e->key->text, words);
  }
  reader->own = NULL;
  if (status) return status;
  return hn_add_block(reader->model, &def).id < 0 ? reader->model->failure : HN_OK;
}
