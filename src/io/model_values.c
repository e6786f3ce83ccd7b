// model_values.c: values of a model file turned into fields of definitions.
//
// What a value may be follows from the kind of its field; whether it makes sense is decided by
// the hn_add_ functions, for files and C programs alike. Here only what they cannot see is
// checked: zero written where zero would mean "not given".
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "expr/expr.h"
#include "io/model_reader.h"
#include "model/check.h"

// A zero is refused here where it would mean "not given" to everybody after this.
static hn_status read_number_field(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                                   void *def, double *value) {
  hn_status status = hn_read_number(reader, node, field->key, value);
  if (status) return status;
  // for numbers the member at `extra` is a bool: this one was written
  if (field->extra) *(bool *)((char *)def + field->extra) = true;
  // true: a zero that is read here was written
  const char *rule = hn_broken_rule(field->range, *value, true);
  if (!rule) return HN_OK;
  return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must %s%s%s", field->key, rule,
                      field->hint ? "; " : "", field->hint ? field->hint : "");
}

// A single number stands for what is about z: torques and spins in the plane.
static hn_status read_vector_field(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                                   double x[3]) {
  // the field says so by items: for a place a single number would mean nothing
  if (node->kind == HN_YAML_SCALAR && field->items == 1) {
    x[0] = x[1] = 0;
    return hn_read_number(reader, node, field->key, &x[2]);
  }
  return hn_read_vector(reader, node, field->key, x);
}

// ---- lists, tables, matrices ---------------------------------------------------------------

// Memory of the document, which the model copies when the element is added.
static hn_status read_list(hn_reader *reader, const hn_field *field, const hn_yaml *node, void *def,
                           const double **out) {
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail_kind(reader, node, field->key, "a list of numbers");
  // one more than needed: none is no lack of memory
  double *x = hn_yaml_take(reader->doc, ((size_t)node->count + 1) * sizeof *x);
  if (!x) return hn_read_fail_memory(reader);
  *out = x;
  // for lists the member at `extra` counts
  *(int *)(void *)((char *)def + field->extra) = node->count;
  return hn_read_numbers(reader, node, field->key, 0, node->count, x);
}

static hn_status read_pairs(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                            void *def, const double **out) {
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail_kind(reader, node, field->key, "a list of pairs");
  // two numbers each
  double *x = hn_yaml_take(reader->doc, (2 * (size_t)node->count + 1) * sizeof *x);
  if (!x) return hn_read_fail_memory(reader);
  *out = x;
  *(int *)(void *)((char *)def + field->extra) = node->count;
  for (const hn_yaml *e = node->first; e; e = e->next, x += 2) {
    // each pair has its own place in the file for the message
    if (e->kind != HN_YAML_LIST || e->count != 2)
      return hn_read_fail(reader, e, HN_ERR_SYNTAX, "%s must be a list of pairs", field->key);
    hn_status status = hn_read_numbers(reader, e, field->key, 2, 2, x);
    if (status) return status;
  }
  return HN_OK;
}

// rows of a square matrix
static hn_status read_rows(hn_reader *reader, const hn_yaml *node, const char *what, int n,
                           double *x) {
  for (const hn_yaml *row = node->first; row; row = row->next, x += n) {
    hn_status status = hn_read_numbers(reader, row, what, n, n, x);
    if (status) return status;
  }
  return HN_OK;
}

// numbers, or rows of numbers, one after the other
static hn_status read_matrix(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                             void *def, const double **out) {
  // an empty list is left to read_list(), whose count of zero is refused by the checks
  if (node->kind != HN_YAML_LIST || !node->first || node->first->kind != HN_YAML_LIST)
    return read_list(reader, field, node, def, out);
  int columns = node->first->count;
  // rows are counted before there is memory for them: what a file holds fits into an int, a product
  // of numbers that it does not hold need not
  for (const hn_yaml *row = node->first; row; row = row->next) {
    if (row->kind != HN_YAML_LIST)
      return hn_read_fail_kind(reader, row, field->key, "a list of rows");
    if (row->count != columns)
      return hn_read_fail(reader, row, HN_ERR_SYNTAX, "%s must have %d numbers, not %d%s",
                          field->key, columns, row->count, hn_read_comma_hint(row));
  }
  double *x = hn_yaml_take(reader->doc, ((size_t)node->count * (size_t)columns + 1) * sizeof *x);
  if (!x) return hn_read_fail_memory(reader);
  *out = x;
  // whether rows and columns make a square is for the element to say
  *(int *)(void *)((char *)def + field->extra) = node->count * columns;
  return read_rows(reader, node, field->key, columns, x);
}

// Six numbers are a diagonal.
static hn_status read_matrix6(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                              const double **out) {
  // numbers or rows of numbers, six of either
  if (node->kind != HN_YAML_LIST || node->count != 6)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        "%s must be six diagonal values or six rows of six", field->key);
  double *x = hn_yaml_take(reader->doc, 36 * sizeof *x), diagonal[6];
  if (!x) return hn_read_fail_memory(reader);
  memset(x, 0, 36 * sizeof *x);
  *out = x;
  // a first row decides; another kind behind it is refused where it is read
  if (node->first->kind == HN_YAML_LIST) return read_rows(reader, node, field->key, 6, x);
  hn_status status = hn_read_numbers(reader, node, field->key, 6, 6, diagonal);
  for (int i = 0; i < 6 && !status; i++) x[7 * i] = diagonal[i];
  return status;
}

// ---- words ---------------------------------------------------------------------------------

static hn_status read_text(hn_reader *reader, const char *what, const hn_yaml *node,
                           const char *wanted, const char **out) {
  if (node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
    return hn_read_fail_kind(reader, node, what, wanted);
  // the document's text lives as long as the definition being read
  if (node->note == HN_YAML_CHANGES) hn_refill_refuse(reader);
  *out = node->text;
  return HN_OK;
}

// the same, with the names of elements in it in full
// Names of a part get their prefix; in the file itself the text stays as it is.
static hn_status read_formula(hn_reader *reader, const char *what, const char *unit,
                              const hn_yaml *node, const char **out) {
  hn_status status = read_text(reader, what, node, "a formula", out);
  if (!status) status = hn_read_formula_units(reader, node, what, unit);
  if (status) return status;
  return hn_scope_formula(reader, node, out);
}

static hn_status read_reference(hn_reader *reader, const char *what, const hn_yaml *node,
                                const char *wanted, const char **out) {
  // elements may be described later in the file, so that only the prefix is put before the name
  hn_status status = read_text(reader, what, node, wanted, out);
  if (status) return status;
  return hn_scope_reference(reader, node, out);
}

// Which names a word has in it follows from the key: rows are those of joints, inputs are formulas,
// modes are nobody's names.
static hn_status read_words(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                            void *def, const char *const **out) {
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail_kind(reader, node, field->key, "a list of words");
  const char **word = hn_yaml_take(reader->doc, ((size_t)node->count + 1) * sizeof *word);
  if (!word) return hn_read_fail_memory(reader);
  *out = word;
  *(int *)(void *)((char *)def + field->extra) = node->count;
  bool rows = strcmp(field->key, "rows") == 0, formulas = strcmp(field->key, "inputs") == 0;
  hn_status status = HN_OK;
  for (const hn_yaml *e = node->first; e && !status; e = e->next, word++)
    status = rows       ? read_reference(reader, field->key, e, "a list of words", word)
             : formulas ? read_formula(reader, field->key, field->unit, e, word)
                        : read_text(reader, field->key, e, "a list of words", word);
  return status;
}

// index of one of the words
// Lists of words are short; unknown ones get a suggestion.
static hn_status read_choice(hn_reader *reader, const char *what, const hn_yaml *node,
                             const char *words, int *index) {
  const char *text = "";
  hn_status status = read_text(reader, what, node, "a word", &text);
  if (status) return status;
  // the index is that of the constant in its enum
  char word[64];
  for (*index = 0; hn_word_at(words, *index, word, sizeof word); ++*index)
    if (strcmp(word, text) == 0) return HN_OK;
  char unknown[64];
  snprintf(unknown, sizeof unknown, "%s cannot be", what);
  return hn_read_fail_word(reader, node, HN_ERR_SYNTAX, unknown, text, words);
}

static hn_status read_flag(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                           bool *out) {
  int index;
  // the second word is the true one
  hn_status status =
      read_choice(reader, field->key, node, field->words ? field->words : "false true", &index);
  *out = !status && index == 1;
  return status;
}

// One word or several.
static hn_status read_bits(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                           unsigned *out) {
  int index;
  hn_status status = HN_OK;
  if (node->kind == HN_YAML_SCALAR) {
    status = read_choice(reader, field->key, node, field->words, &index);
    if (!status) *out = 1u << index;
    return status;
  }
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail_kind(reader, node, field->key, "a list of words");
  for (const hn_yaml *e = node->first; e && !status; e = e->next) {
    status = read_choice(reader, field->key, e, field->words, &index);
    // the order says nothing, and a word may come twice
    if (!status) *out |= 1u << index;
  }
  return status;
}

static hn_status read_formulas(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                               const char *out[3]) {
  // in the plane, like torques
  if (node->kind == HN_YAML_SCALAR && field->items == 1)
    return read_formula(reader, field->key, field->unit, node, &out[2]);
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail_kind(reader, node, field->key, "a list of formulas");
  // two components leave the third at NULL, which is zero
  if (node->count < 2 || node->count > 3)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must have 2 or 3 components, not %d%s",
                        field->key, node->count, hn_read_comma_hint(node));
  for (const hn_yaml *e = node->first; e; e = e->next, out++) {
    hn_status status = read_formula(reader, field->key, field->unit, e, out);
    if (status) return status;
  }
  return HN_OK;
}

// ---- ends ----------------------------------------------------------------------------------

static const char *body_name(const hn_model *model, int index, int scope) {
  // its scope is that of the list, which names of bodies do not need
  (void)scope;
  return model->body[index].def.name;
}
static const char *frame_name(const hn_model *model, int index, int body) {
  const hn_frame_def *def = &model->frame[index].def;
  // NULL is left out of the list
  return def->body.id == body ? def->name : NULL;
}

// no such body, or none with such a frame
// Says which half is wrong: the body, or a frame that this body does not have.
static hn_status fail_end(hn_reader *reader, const hn_yaml *node, const char *text) {
  const hn_model *model = reader->model;
  char hint[160];
  if (hn_count_hint(reader, text, sizeof hint, hint))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s", hint);
  // the last dot: names from parts have dots in them
  char name[64];
  const char *dot = strrchr(text, '.');
  snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - text) : (int)strlen(text), text);
  int body, frame;
  // without a dot there is only a body that could be wrong
  if (!dot || !hn_scope_end(reader, name, &body, &frame) || frame >= 0) {
    const char *bodies = hn_read_names(reader, model->body_count, 0, body_name);
    char near[64];
    // bodies of parts have dots in their names
    bool whole = dot && hn_nearest_in(text, bodies, near, sizeof near);
    return hn_read_fail_word(reader, node, HN_ERR_MODEL, "no body named", whole ? text : name,
                             bodies);
  }
  char what[96];
  snprintf(what, sizeof what, "'%s' has no frame", name);
  return hn_read_fail_word(reader, node, HN_ERR_MODEL, what, dot + 1,
                           hn_read_names(reader, model->frame_count, body, frame_name));
}

// "body" or "body.frame"
// Frames are handed on as index + 1, so that zero means none.
static hn_status read_end(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                          hn_end *out) {
  const char *text = "";
  hn_status status = read_text(reader, field->key, node, "a body or body.frame", &text);
  if (!status) status = hn_read_counted(reader, node, &text);
  if (status) return status;
  int frame;
  // 0 is the ground, which is a body as any other here
  if (!hn_scope_end(reader, text, &out->body.id, &frame)) return fail_end(reader, node, text);
  if (frame < 0) return HN_OK;
  out->frame.id = frame + 1;
  return HN_OK;
}

// ---- orientation, inertia, shape -----------------------------------------------------------

static void turn_about(double q[4], const double axis[3], double angle) {
  // q times a turn about an axis of the frame reached so far: by half the angle, as quaternions
  // have it
  double turn[4], o[4], s = hn_sin(angle / 2) / v3_norm(axis);
  turn[0] = hn_cos(angle / 2);
  for (int i = 0; i < 3; i++) turn[i + 1] = s * axis[i];
  q_mul(o, q, turn);
  memcpy(q, o, sizeof o);
}

// Any length of quaternion and axis: they are made unit ones later.
static hn_status read_orientation(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                                  double q[4]) {
  hn_orientation_def def = {0};
  if (node->kind != HN_YAML_MAP)
    return hn_read_fail_kind(reader, node, field->key,
                             "a map with quaternion, or axis and angle, or euler and sequence");
  hn_status status = hn_read_fields(reader, node, NULL, hn_orientation_fields, NULL, "", &def);
  if (status) return status;
  // members cannot tell a zero from nothing, so the map is asked
  bool quaternion = hn_yaml_get(node, "quaternion"), axis = hn_yaml_get(node, "axis");
  bool angle = hn_yaml_get(node, "angle"), euler = hn_yaml_get(node, "euler");
  bool sequence = hn_yaml_get(node, "sequence");
  if (axis != angle || euler != sequence || quaternion + axis + euler != 1)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        "%s needs quaternion, or axis and angle, or euler and sequence",
                        field->key);
  const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // begins with no turn
  q[0] = 1, q[1] = q[2] = q[3] = 0;
  if (quaternion) {
    memcpy(q, def.quaternion, sizeof def.quaternion);
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
      return hn_read_fail(reader, hn_yaml_get(node, "quaternion"), HN_ERR_MODEL,
                          "quaternion must not be zero");
  } else if (axis) {
    turn_about(q, def.axis, def.angle);
  } else if (def.sequence) {
    // each rotation is about an axis turned by those before it
    // "xyz" are the three axes by their letters
    for (int i = 0; i < 3; i++) turn_about(q, unit[def.sequence[i] - 'x'], def.euler[i]);
  }
  return HN_OK;
}

static hn_status read_inertia_map(hn_reader *reader, const hn_yaml *node, double inertia[6]) {
  // products of inertia may be left out: they are zero then
  const char words[] = "xx yy zz xy xz yz";
  for (const hn_yaml *e = node->first; e; e = e->next) {
    int index;
    hn_status status = read_choice(reader, "an entry of inertia", e->key, words, &index);
    // the value stands at its key
    if (!status) status = hn_read_number(reader, e, "inertia", &inertia[index]);
    if (status) return status;
  }
  return HN_OK;
}

// One number is that about z, for planar bodies; who may have it is checked by model_bodies.c.
static hn_status read_inertia(hn_reader *reader, const hn_yaml *node, double inertia[6]) {
  if (node->kind == HN_YAML_SCALAR) {
    hn_status status = hn_read_number(reader, node, "inertia", &inertia[2]);
    if (!status && inertia[2] < 0)
      return hn_read_fail(reader, node, HN_ERR_MODEL, "inertia must not be negative");
    return status;
  }
  if (node->kind == HN_YAML_MAP) return read_inertia_map(reader, node, inertia);
  if (node->count != 3)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        "inertia must have three principal values or three rows, not %d",
                        node->count);
  if (node->first->kind != HN_YAML_LIST)
    return hn_read_numbers(reader, node, "inertia", 3, 3, inertia);
  double I[9];
  hn_status status = read_rows(reader, node, "inertia", 3, I);
  if (status) return status;
  // 1e-9: numbers of CAD programs have that many digits
  double skew = fmax(fabs(I[1] - I[3]), fmax(fabs(I[2] - I[6]), fabs(I[5] - I[7])));
  if (skew > 1e-9 * (fabs(I[0]) + fabs(I[4]) + fabs(I[8])))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "inertia must be symmetric");
  // the upper triangle
  const double values[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  memcpy(inertia, values, sizeof values);
  return HN_OK;
}

static int kind_named(const hn_shape_info *(*at)(int), const char *name) {
  for (int i = 0; at(i); i++)
    if (strcmp(at(i)->name, name) == 0) return i;
  return -1;
}

// "{box: {size: ...}, color: red}": the colour is the box's
static hn_status refuse_kinds(hn_reader *reader, const hn_yaml *node, const char *what,
                              const hn_shape_info *(*at)(int)) {
  const char *kind = NULL;
  const hn_yaml *beside = NULL;
  int kinds = 0;
  for (const hn_yaml *entry = node->first; entry; entry = entry->next) {
    if (kind_named(at, entry->key->text) >= 0)
      kind = entry->key->text, kinds++;
    else if (!beside)
      beside = entry;
  }
  if (kinds == 1 && beside)
    return hn_read_fail(reader, beside->key, HN_ERR_SYNTAX,
                        "'%.40s' goes inside the braces of '%s', as in %s: {%s: {..., %.40s: ...}}",
                        beside->key->text, kind, what, kind, beside->key->text);
  return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                      "%s must name one kind of %s, not %d (as in %s: {%s: {...}})", what, what,
                      node->count, what, at(0)->name);
}

// "shape: {box: {size: ...}}": the kind is the only key.
hn_status hn_read_kind(hn_reader *reader, const hn_yaml *node, const char *what,
                       const hn_shape_info *(*at)(int), int *kind, void *def) {
  if (node->kind != HN_YAML_MAP) return hn_read_fail_kind(reader, node, what, "a map");
  if (node->count != 1) return refuse_kinds(reader, node, what, at);
  // names are compared first, a suggestion costs more
  int index = kind_named(at, node->first->key->text);
  if (index < 0) {
    char words[128] = "";
    for (int i = 0; at(i); i++)
      snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i ? " " : "",
               at(i)->name);
    hn_status status = read_choice(reader, what, node->first->key, words, &index);
    if (status) return status;
  }
  // kinds count from 1: 0 is none
  *kind = index + 1;
  if (node->first->kind != HN_YAML_MAP)
    return hn_read_fail_kind(reader, node->first, at(index)->name, "a map");
  return hn_read_fields(reader, node->first, NULL, at(index)->fields, NULL, "", def);
}

static hn_status read_profile(hn_reader *reader, const hn_yaml *node, hn_profile *profile) {
  int kind = 0;
  hn_status status = hn_read_kind(reader, node, "profile", hn_profile_at, &kind, profile);
  profile->kind = (hn_profile_kind)kind;
  return status;
}

// ---- beams ---------------------------------------------------------------------------------

// Whole numbers are read as numbers, so that parameters may give them.
static hn_status read_count_field(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                                  int *count) {
  double n;
  hn_status status = hn_read_number(reader, node, field->key, &n);
  // NaN is no whole number either
  if (!status && !(n >= 1 && n <= 1e6 && n == floor(n)))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must be a whole number, 1 or more",
                        field->key);
  *count = (int)n;
  return status;
}

static hn_status read_positions(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                                void *def, const double **out) {
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail_kind(reader, node, field->key, "a list of points");
  // a few bytes more, so that none is no failure
  double *x = hn_yaml_take(reader->doc, (size_t)node->count * 3 * sizeof *x + 8);
  if (!x) return hn_read_fail_memory(reader);
  int count = 0;
  for (const hn_yaml *e = node->first; e; e = e->next, count++) {
    hn_status status = hn_read_position(reader, e, field->key, x + 3 * count);
    if (status) return status;
  }
  *out = x;
  *(int *)(void *)((char *)def + field->extra) = count;
  return HN_OK;
}

static hn_status read_places(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                             void *def, const hn_beam_place **out) {
  if (node->kind != HN_YAML_MAP)
    return hn_read_fail_kind(reader, node, field->key, "a map of names and lengths");
  hn_beam_place *place = hn_yaml_take(reader->doc, (size_t)node->count * sizeof *place + 8);
  if (!place) return hn_read_fail_memory(reader);
  int count = 0;
  for (const hn_yaml *e = node->first; e; e = e->next, count++) {
    // names are checked when the beam is added
    place[count].name = e->key->text;
    hn_status status = hn_read_number(reader, e, e->key->text, &place[count].at);
    if (status) return status;
  }
  *out = place;
  *(int *)(void *)((char *)def + field->extra) = count;
  return HN_OK;
}

static hn_status read_nodes(hn_reader *reader, const hn_yaml *node, hn_interface *out) {
  bool list = node->kind == HN_YAML_LIST;
  // one node without brackets, or a list
  int *number = hn_yaml_take(reader->doc, ((size_t)(list ? node->count : 1) + 1) * sizeof *number);
  if (!number) return hn_read_fail_memory(reader);
  out->nodes = number;
  for (const hn_yaml *e = list ? node->first : node; e; e = list ? e->next : NULL) {
    double x;
    hn_status status = hn_read_number(reader, e, "interface", &x);
    if (status) return status;
    // numbers of nodes are whatever their program counted
    if (!(x >= 0 && x <= 1e9 && x == floor(x)))
      return hn_read_fail(reader, e, HN_ERR_MODEL, "the number of a node must be whole");
    number[out->node_count++] = (int)x;
  }
  return HN_OK;
}

static hn_status read_interfaces(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                                 void *def, const hn_interface **out) {
  if (node->kind != HN_YAML_MAP)
    return hn_read_fail_kind(reader, node, field->key, "a map of names and nodes");
  hn_interface *one = hn_yaml_take(reader->doc, ((size_t)node->count + 1) * sizeof *one);
  if (!one) return hn_read_fail_memory(reader);
  int count = 0;
  for (const hn_yaml *e = node->first; e; e = e->next, count++) {
    one[count] = (hn_interface){.name = e->key->text};
    hn_status status = read_nodes(reader, e, &one[count]);
    if (status) return status;
  }
  *out = one;
  *(int *)(void *)((char *)def + field->extra) = count;
  return HN_OK;
}

static hn_status read_soft(hn_reader *reader, const hn_yaml *node, hn_soft *soft) {
  if (node->kind != HN_YAML_MAP) return hn_read_fail_kind(reader, node, "soft", "a map");
  hn_status status = hn_read_fields(reader, node, NULL, hn_soft_fields, NULL, "", soft);
  // zero, and one that was left out
  if (!status && !(soft->stiffness > 0))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "soft needs a stiffness");
  return status;
}

// ---- any field -----------------------------------------------------------------------------

// directions have any length, and gains, weights and such may have any unit
// NULL lets any unit pass, "" none. Ratios and coefficients have none, and a unit there is a slip.
static const char *unit_of(const hn_field *field) {
  bool counted = field->unit && *field->unit;
  if (field->kind == HN_FIELD_DIRECTION) return NULL;
  // a field without unit (gain, weight) takes whatever the user counts in
  return counted ? field->unit : hn_word_in(field->key, "ratio coulomb restitution") ? "" : NULL;
}

// One case for each kind of field; `at` is the member that the row names.
static hn_status read_any(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                          void *def) {
  void *at = (char *)def + field->offset;
  hn_status status = HN_OK;
  switch (field->kind) {
  case HN_FIELD_NUMBER: return read_number_field(reader, field, node, def, at);
  case HN_FIELD_VECTOR: return read_vector_field(reader, field, node, at);
  case HN_FIELD_POSITION: return hn_read_position(reader, node, field->key, at);
  case HN_FIELD_DIRECTION:
    return hn_read_direction(reader, node, field->key, field->items == HN_BETWEEN_POINTS, at);
  case HN_FIELD_NUMBERS:
    return hn_read_numbers(reader, node, field->key, field->items, field->items, at);
  case HN_FIELD_FLAG: return read_flag(reader, field, node, at);
  case HN_FIELD_CHOICE: return read_choice(reader, field->key, node, field->words, at);
  case HN_FIELD_BITS: return read_bits(reader, field, node, at);
  case HN_FIELD_WORD:
    if (field->words) {
      int index;
      status = read_choice(reader, field->key, node, field->words, &index);
      if (status) return status;  // a word that is none of them is refused
    }
    // names of joints get the prefix of the part they stand in
    if (hn_word_in(field->key, "joint joint_a joint_b by"))
      return read_reference(reader, field->key, node, "a word", at);
    return read_text(reader, field->key, node, "a word", at);
  case HN_FIELD_FORMULA: return read_formula(reader, field->key, field->unit, node, at);
  case HN_FIELD_FORMULAS: return read_formulas(reader, field, node, at);
  case HN_FIELD_LIST: return read_list(reader, field, node, def, at);
  case HN_FIELD_PAIRS: return read_pairs(reader, field, node, def, at);
  case HN_FIELD_MATRIX: return read_matrix(reader, field, node, def, at);
  case HN_FIELD_WORDS: return read_words(reader, field, node, def, at);
  case HN_FIELD_MATRIX6: return read_matrix6(reader, field, node, at);
  case HN_FIELD_END: return read_end(reader, field, node, at);
  case HN_FIELD_ORIENTATION: return read_orientation(reader, field, node, at);
  case HN_FIELD_INERTIA:
    if (field->extra) *(bool *)((char *)def + field->extra) = true;
    return read_inertia(reader, node, at);
  case HN_FIELD_SOFT: return read_soft(reader, node, at);
  case HN_FIELD_SHAPE: return hn_read_shape(reader, node, def);
  case HN_FIELD_SHAPES: return hn_read_shapes(reader, node, def);
  case HN_FIELD_OUTLINE: return hn_read_outline(reader, field, node, def);
  case HN_FIELD_HOLES: return hn_read_holes(reader, node, def);
  case HN_FIELD_FACTORS:
    // three factors, or one for all
    if (node->kind != HN_YAML_SCALAR) return hn_read_numbers(reader, node, field->key, 3, 3, at);
    status = hn_read_number(reader, node, field->key, at);
    ((double *)at)[1] = ((double *)at)[2] = ((double *)at)[0];
    return status;
  case HN_FIELD_COUNT: return read_count_field(reader, field, node, at);
  case HN_FIELD_PROFILE: return read_profile(reader, node, at);
  case HN_FIELD_POSITIONS: return read_positions(reader, field, node, def, at);
  case HN_FIELD_PLACES: return read_places(reader, field, node, def, at);
  case HN_FIELD_INTERFACES: return read_interfaces(reader, field, node, def, at);
  // read by those who need more than the field: blocks, bars, notes, frames
  case HN_FIELD_COORDINATES:
  case HN_FIELD_EQUATIONS:
  case HN_FIELD_ROWS:
  case HN_FIELD_POINT:
  case HN_FIELD_CORNERS:
  case HN_FIELD_NOTE:
  case HN_FIELD_FRAMES: break;
  }
  return HN_OK;
}

hn_status hn_read_field(hn_reader *reader, const hn_field *field, const hn_yaml *node, void *def) {
  // nested: an inertia within a body has its own unit
  const char *outer = reader->unit;
  reader->unit = unit_of(field);
  hn_status status = read_any(reader, field, node, def);
  reader->unit = outer;
  return status;
}

// ---- all fields of a map -------------------------------------------------------------------

// of the rows with this key that apply, the first that takes such a node, else the last
// A list is taken by rows that want one, anything else by the others.
static const hn_field *find_row(const hn_family *family, const hn_field *fields,
                                const hn_type_info *type, const hn_yaml *node) {
  const hn_field *found = NULL;
  const char *key = node->key->text;
  for (const hn_field *field = fields; field->key; field++) {
    // most differ in their first letter
    if (*field->key != *key || strcmp(field->key, key) != 0) continue;
    if (!hn_field_applies(family, type, field)) continue;
    found = field;
    bool wants_list = field->kind == HN_FIELD_PAIRS || field->kind == HN_FIELD_LIST;
    if (wants_list == (node->kind == HN_YAML_LIST)) break;
  }
  return found;
}

// which types have a key that this one has not, the first few: "; screw has it"; nothing where most
// have it
static void say_who_has(const hn_family *family, const char *key, size_t size, char *words) {
  enum { NAMED = 4 };
  const hn_type_info *type;
  int found = 0, types = 0;
  words[0] = '\0';
  for (; (type = family->type_at(types)); types++) {
    if (!hn_type_has_key(family, type, key) || ++found > NAMED) continue;
    size_t used = strlen(words);
    snprintf(words + used, size - used, "%s%s", found > 1 ? ", " : "; ", type->name);
  }
  size_t used = strlen(words);
  const char *have = found > NAMED ? " and others have" : found > 1 ? " have" : " has";
  if (found) snprintf(words + used, size - used, "%s it", have);
  if (2 * found > types) words[0] = '\0';
}

// "revolute has no 'pitch'", or "unknown key 'mas'", with the keys there are
// The keys that this type has; of another type's key it is said that this one has none.
static hn_status fail_key(hn_reader *reader, const hn_family *family, const hn_field *fields,
                          const hn_type_info *type, const hn_yaml *key) {
  char words[512] = "", what[96] = "unknown key";
  bool other = false;
  if (type) snprintf(words, sizeof words, "type");
  for (const hn_field *field = fields; field->key; field++) {
    if (type && strcmp(field->key, key->text) == 0)
      snprintf(what, sizeof what, "%s has no", type->name), other = true;
    if (!hn_field_applies(family, type, field) || hn_word_in(field->key, words)) continue;
    size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s%s", used ? " " : "", field->key);
  }
  // what other types have is not mistyped
  if (other && strlen(words) <= 240) {
    char who[120];
    say_who_has(family, key->text, sizeof who, who);
    return hn_read_fail(reader, key, HN_ERR_SYNTAX, "%s '%.60s' (known: %s%s)", what, key->text,
                        words, who);
  }
  return hn_read_fail_word(reader, key, HN_ERR_SYNTAX, what, key->text, words);
}

// In the order of the file: the first mistake is told.
hn_status hn_read_fields(hn_reader *reader, const hn_yaml *map, const hn_family *family,
                         const hn_field *fields, const hn_type_info *type, const char *skip,
                         void *def) {
  for (const hn_yaml *e = map->first; e; e = e->next) {
    if (hn_word_in(e->key->text, skip)) continue;
    const hn_field *field = find_row(family, fields, type, e);
    if (!field) return fail_key(reader, family, fields, type, e->key);
    bool open = hn_refill_open_field(reader);
    hn_status status = hn_read_field(reader, field, e, def);
    hn_refill_close_field(reader, open, field, e);
    if (status) return status;
  }
  return HN_OK;
}
