// model_parts.c: sub-assemblies, described once and used where they are wanted: which part, where
// it is put, how often.
//
// A use makes a scope (model_scope.c) for each of its repetitions, in which the sections of the
// part are read as if they stood in the file. Repetitions are turned about an axis, evenly over the
// circle, or moved on by a step; the number of the repetition is a parameter in them. Depth, number
// of uses and the values they stand for together are limited, since parts use parts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "io/model_reader.h"

// 100 000 uses are more bodies than can be simulated; a hundred parts in each other, ten times
// each, would be more than there are atoms.
enum {
  DEEPEST = 16,        // parts in parts
  MOST_USES = 100000,  // of all parts together
};

// what a use says about where and how often; everything else of it is sections
#define PLACING "part with at angle orientation mirror base repeat for about centre step"
// what a part may describe; names of sections are those of a file
#define SECTIONS                                                                                   \
  "description parameters points bodies beams flexible joints forces blocks couplings signals "    \
  "states "                                                                                        \
  "controllers events parts use"
const char hn_part_sections[] = SECTIONS;
const char hn_use_keys[] = PLACING " " SECTIONS;

// ---- one use -------------------------------------------------------------------------------

// rotation by an angle about a direction
// Rodrigues, by the quaternion; the axis may have any length.
static void rotation(double R[9], const double axis[3], double angle) {
  double q[4] = {hn_cos(angle / 2)}, s = hn_sin(angle / 2) / v3_norm(axis);
  for (int i = 0; i < 3; i++) q[i + 1] = s * axis[i];
  q_matrix(R, q);
}

// exact where it can be: quarter turns leave no dust in the numbers
// cos(pi/2) is 6e-17, which would show up in every position of a model that is turned by a quarter.
static void clean(double R[9]) {
  for (int i = 0; i < 9; i++) {
    // only what rounding made: 1e-15 is a few units of the last place of one
    double whole = round(R[i]);
    if (fabs(R[i] - whole) < 1e-15) R[i] = whole;
  }
}

// An angle is about z, which is how planar parts are turned.
static hn_status read_turn(hn_reader *reader, const hn_yaml *use, double R[9]) {
  const hn_yaml *angle = hn_yaml_get(use, "angle"), *turn = hn_yaml_get(use, "orientation");
  // identity, also where what follows fails
  m3_identity(R);
  if (angle && turn)
    return hn_read_fail(reader, angle->key, HN_ERR_MODEL,
                        "angle or orientation, not both, say how it is turned");
  if (angle) {
    double phi;
    hn_status status = hn_read_quantity(reader, angle, "angle", "rad", &phi);
    if (!status) rotation(R, (double[3]){0, 0, 1}, phi);
    clean(R);
    return status;
  }
  if (!turn) return HN_OK;
  // as if it were a key of a body
  static const hn_field field = {.key = "orientation", .kind = HN_FIELD_ORIENTATION};
  double q[4] = {1};
  hn_status status = hn_read_field(reader, &field, turn, q);
  q_normalise(q);
  q_matrix(R, q);
  clean(R);
  return status;
}

// A plane by its two axes; the third one changes its sign.
static hn_status read_mirror(hn_reader *reader, const hn_yaml *node, double S[9]) {
  const char *const planes[] = {"yz", "xz", "xy"};
  m3_identity(S);
  for (int i = 0; i < 3 && node->kind == HN_YAML_SCALAR; i++)
    if (strcmp(node->text, planes[i]) == 0) {
      // diagonal element of that axis
      S[4 * i] = -1;
      return HN_OK;
    }
  return hn_read_fail(reader, node, HN_ERR_MODEL, "mirror must be a plane: xy, xz or yz");
}

// `about`: x, y, z or a direction
static hn_status read_about(hn_reader *reader, const hn_yaml *node, double axis[3]) {
  v3_set(axis, 0, 0, 0);
  // "x y" would be a word in the list, too: one letter only
  if (node->kind == HN_YAML_SCALAR && hn_word_in(node->text, "x y z") && !node->text[1]) {
    axis[node->text[0] - 'x'] = 1;
    return HN_OK;
  }
  hn_status status =
      node->kind == HN_YAML_LIST
          ? hn_read_vector(reader, node, "about", axis)
          : hn_read_fail(reader, node, HN_ERR_SYNTAX, "about must be x, y, z or a direction");
  if (!status && v3_dot(axis, axis) == 0)
    return hn_read_fail(reader, node, HN_ERR_MODEL, "about must not be zero");
  return status;
}

// where the k-th of n uses goes, against the first: turned about an axis, or moved on
// About an axis through `centre`: x -> R x + (c - R c). Both kinds together make a screw.
static hn_status read_pattern(hn_reader *reader, const hn_yaml *use, int k, int n, double R[9],
                              double x[3]) {
  const hn_yaml *about = hn_yaml_get(use, "about"), *step = hn_yaml_get(use, "step");
  const hn_yaml *centre = hn_yaml_get(use, "centre");
  double axis[3], c[3] = {0, 0, 0}, Rc[3], d[3] = {0, 0, 0};
  hn_status status = HN_OK;
  m3_identity(R);
  v3_set(x, 0, 0, 0);
  if (about) {
    status = read_about(reader, about, axis);
    // in the axes of the scope, where the pattern counts
    if (!status && centre) {
      status = hn_read_position(reader, centre, "centre", c);
      hn_scope_local(reader->scope, c);
    }
    if (status) return status;
    // evenly over the circle: the last one does not meet the first
    rotation(R, axis, 2 * hn_pi * k / n);
    clean(R);
    m3_mulv(Rc, R, c);
    v3_sub(x, c, Rc);
  }
  if (step) status = hn_read_vector(reader, step, "step", d);
  // the k-th has gone k steps
  v3_addto(x, k, d);
  return status;
}

// the frame a part is put on: a body or a frame of one, as described; what it calls ground
// Without a base a part stands where the scope around it does, and has its ground.
static hn_status read_base(hn_reader *reader, const hn_yaml *use, hn_scope *scope) {
  const hn_yaml *node = hn_yaml_get(use, "base");
  const hn_scope *outer = reader->scope;
  // what is around, unless there is a base
  memcpy(scope->Q, outer->Q, sizeof scope->Q);
  v3_copy(scope->p, outer->p);
  scope->base = outer->base;
  if (!node) return HN_OK;
  int body, frame;
  const char *name = NULL;
  hn_status status = node->kind == HN_YAML_SCALAR ? hn_read_counted(reader, node, &name) : HN_OK;
  if (status) return status;
  if (!name || !hn_scope_end(reader, name, &body, &frame))
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "base must be a body or body.frame that stands before");
  const hn_model *model = reader->model;
  scope->base = body ? model->body[body].def.name : NULL;  // the ground itself: NULL
  hn_described_pose(model, body, frame, scope->Q, scope->p);
  clean(scope->Q);
  return HN_OK;
}

// outer place, then pattern, then `at` and turn, then the mirror
// Q = Q_outer P R S and p = Q_outer (P at + x) + p_outer, P and x being the pattern's.
static hn_status place_use(hn_reader *reader, const hn_yaml *use, int k, int n, hn_scope *scope) {
  double R[9], S[9], P[9], x[3], at[3] = {0, 0, 0}, T[9], U[9], y[3];
  const hn_yaml *mirror = hn_yaml_get(use, "mirror"), *place = hn_yaml_get(use, "at");
  hn_status status = read_base(reader, use, scope);
  if (!status) status = read_pattern(reader, use, k, n, P, x);
  if (!status) status = read_turn(reader, use, R);
  m3_identity(S);
  if (!status && mirror) status = read_mirror(reader, mirror, S);
  if (!status && place) {
    // numbers are counted in the base, named places are where they are
    if (place->kind == HN_YAML_LIST) {
      status = hn_read_vector(reader, place, "at", at);
    } else {
      status = hn_read_position(reader, place, "at", at);
      hn_scope_local(scope, at);
    }
  }
  if (status) return status;
  m3_mulv(y, P, at);
  v3_add(x, x, y);
  // from the base to the world
  hn_scope_point(scope, x);
  v3_copy(scope->p, x);
  m3_mul(T, P, R);
  m3_mul(U, T, S);
  m3_mul(T, scope->Q, U);
  clean(T);
  memcpy(scope->Q, T, sizeof T);
  // a mirror in a mirror is none
  scope->mirrored = reader->scope->mirrored != (mirror != NULL);
  return HN_OK;
}

// the map of its sections, and the file that stands in
// The nearest scope that has a part of the name; what stands in a file of its own is read there.
static hn_status find_part(hn_reader *reader, const hn_yaml *use, const hn_yaml **map,
                           const char **file) {
  const hn_yaml *node = hn_yaml_get(use, "part");
  // sections in the use itself, which is its own part
  *map = use;
  *file = reader->scope->file;
  if (!node) return HN_OK;
  if (node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "part must be the name of one");
  char known[256] = "";
  for (const hn_scope *scope = reader->scope; scope; scope = scope->outer) {
    const hn_yaml *parts = hn_yaml_get(scope->map, "parts");
    if (!parts || parts->kind != HN_YAML_MAP) continue;
    *map = hn_yaml_get(parts, node->text);
    // NULL for the file itself
    *file = scope->file;
    // a part that stands in a file
    if (*map && (*map)->kind == HN_YAML_MAP && hn_yaml_get(*map, "file"))
      return hn_include(reader, *map, scope->file, map, file);
    if (*map && (*map)->kind == HN_YAML_MAP) return HN_OK;
    if (*map) return hn_read_fail(reader, *map, HN_ERR_SYNTAX, "a part is a map of sections");
    // names of all scopes, for the message
    for (const hn_yaml *e = parts->first; e; e = e->next) {
      size_t used = strlen(known);
      snprintf(known + used, sizeof known - used, "%s%s", used ? " " : "", e->key->text);
    }
  }
  return hn_read_fail_word(reader, node, HN_ERR_MODEL, "no part named", node->text, known);
}

// keys of a use: how it is placed and, without a part, the sections themselves
static hn_status check_use(hn_reader *reader, const hn_yaml *use) {
  // with a part the sections are the part's
  const char *words = hn_yaml_get(use, "part") ? PLACING : hn_use_keys;
  for (const hn_yaml *e = use->first; e; e = e->next)
    if (!hn_word_in(e->key->text, words))
      return hn_read_fail_word(reader, e->key, HN_ERR_SYNTAX, "unknown key", e->key->text, words);
  if (hn_yaml_get(use, "repeat") && hn_yaml_get(use, "for"))
    return hn_read_fail(reader, hn_yaml_get(use, "for")->key, HN_ERR_MODEL,
                        "repeat or for, not both, say how often");
  // a pattern of one would mean nothing
  if (!hn_yaml_get(use, "repeat") && !hn_yaml_get(use, "for"))
    for (const hn_yaml *e = use->first; e; e = e->next)
      if (hn_word_in(e->key->text, "about centre step"))
        return hn_read_fail(reader, e->key, HN_ERR_MODEL, "%s needs 'repeat' or 'for'",
                            e->key->text);
  if (hn_yaml_get(use, "centre") && !hn_yaml_get(use, "about"))
    return hn_read_fail(reader, hn_yaml_get(use, "centre")->key, HN_ERR_MODEL,
                        "centre needs 'about'");
  return HN_OK;
}

// a file that is a part may be a model by itself: how that is run is its own affair
// A model file used as a part may say how it is run by itself, which does not count here.
static hn_status check_part(hn_reader *reader, const hn_yaml *map, const hn_yaml *use,
                            const char *file) {
  // only a file of its own has more than sections
  bool own = file != reader->scope->file;
  if (map == use) return HN_OK;
  for (const hn_yaml *e = map->first; e; e = e->next)
    if (!hn_word_in(e->key->text, hn_part_sections) &&
        !(own && hn_word_in(e->key->text, "name gravity simulation outputs")))
      return hn_read_fail_word(reader, e->key, HN_ERR_SYNTAX, "a part has no", e->key->text,
                               hn_part_sections);
  return HN_OK;
}

// what is given to the part must be a parameter of it
// Parameters are the interface of a part: what it does not have cannot be given to it.
static hn_status check_arguments(hn_reader *reader, const hn_yaml *with, const hn_yaml *map) {
  if (with->kind != HN_YAML_MAP)
    return hn_read_fail(reader, with, HN_ERR_SYNTAX, "with must be a map of parameters");
  const hn_yaml *parameters = hn_yaml_get(map, "parameters");
  char words[256] = "";
  // as many names as there is room for
  for (const hn_yaml *e = parameters && parameters->kind == HN_YAML_MAP ? parameters->first : NULL;
       e; e = e->next) {
    size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s%s", used ? " " : "", e->key->text);
  }
  for (const hn_yaml *e = with->first; e; e = e->next)
    if (!parameters || parameters->kind != HN_YAML_MAP || !hn_yaml_get(parameters, e->key->text))
      return hn_read_fail_word(reader, e->key, HN_ERR_MODEL, "the part has no parameter",
                               e->key->text, words);
  return HN_OK;
}

// numbers and name of repeated uses
// `first` is 0 for repeat, or where `for` begins.
typedef struct series {
  int first, count;
  const char *variable;
} series;

// "k in 1..n": the ends may be formulas. Names of quantities are reserved, because formulas of
// springs and blocks read these.
static hn_status read_for(hn_reader *reader, const hn_yaml *node, series *s) {
  // blanks around `in`, so that a name may contain it
  const char *in = node->kind == HN_YAML_SCALAR ? strstr(node->text, " in ") : NULL;
  const char *dots = in ? strstr(in, "..") : NULL;
  int last = 0;
  char *name = in ? hn_yaml_take(reader->doc, (size_t)(in - node->text) + 1) : NULL;
  if (!dots) return hn_read_fail(reader, node, HN_ERR_SYNTAX, "for must be written as k in 1..3");
  if (!name) return hn_read_fail_memory(reader);
  memcpy(name, node->text, (size_t)(in - node->text));
  name[in - node->text] = 0;
  if (!hn_model_is_name(name))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "for: bad name '%.40s' (%s)", name,
                        hn_name_rule);
  // coordinates of blocks and quantities of springs are read by bare names
  if (hn_model_formula_word(name) || hn_word_in(name, "length rate value angle x y z t"))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "for: the name '%s' is reserved", name);
  s->variable = name;
  hn_status status = hn_read_whole(reader, node, in + 4, (size_t)(dots - in - 4), "for", &s->first);
  bool follows = reader->referring;
  if (!status) status = hn_read_whole(reader, node, dots + 2, strlen(dots + 2), "for", &last);
  follows = follows || reader->referring;
  // 1..n-1 may be nothing: the joints of a chain of one link
  if (!status && (s->first < 0 || last < s->first - (follows ? 1 : 0)))
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "for must go upwards, from 0 or more: %d..%d is none", s->first, last);
  s->count = last - s->first + 1;
  return status;
}

// A count hides what is around the use, in the part as well: a stiffness k would be 1, 2, 3 there.
static hn_status check_variable(hn_reader *reader, const hn_yaml *use, const series *s) {
  const hn_yaml *how = hn_yaml_get(use, "for");
  if (!how) how = hn_yaml_get(use, "repeat");
  if (!how || !hn_scope_has_value(reader->scope, s->variable)) return HN_OK;
  return hn_read_fail(
      reader, how, HN_ERR_MODEL, "the count '%s' would hide what is called '%s' around it (%s)",
      s->variable, s->variable,
      hn_yaml_get(use, "for") ? "count with another name" : "name the count: 'for: n in 0..5'");
}

static hn_status read_count(hn_reader *reader, const hn_yaml *use, int *count) {
  // at most MOST_USES, which fits an int
  const hn_yaml *repeat = hn_yaml_get(use, "repeat");
  double n = 1;
  hn_status status = repeat ? hn_read_quantity(reader, repeat, "repeat", "", &n) : HN_OK;
  if (!status && !(n >= 1 && n <= MOST_USES && n == floor(n)))
    return hn_read_fail(reader, repeat, HN_ERR_MODEL, "repeat must be a whole number from 1 to %d",
                        MOST_USES);
  *count = (int)n;
  return status;
}

// the scope of the k-th of n uses, linked to the list of all
// Everything lives in the document's memory. Places of the use itself may read the number of the
// repetition, hence reader->index while it is placed.
static hn_status open_use(hn_reader *reader, const hn_yaml *use, const hn_yaml *map,
                          const char *file, const series *s, int k, hn_scope **out) {
  hn_scope *scope = hn_yaml_take(reader->doc, sizeof *scope);
  char name[96];
  bool repeated = hn_yaml_get(use, "repeat") || hn_yaml_get(use, "for");
  // "leg0." ..., or "leg." of a single one
  snprintf(name, sizeof name, repeated ? "%.64s%d." : "%.64s.", use->key->text, s->first + k);
  const char *prefix = scope ? hn_scope_name(reader, name) : NULL;
  // the name of a use in the file itself is on the stack
  // hn_scope_name() gives back its argument where the scope has no prefix
  char *kept = prefix ? hn_yaml_take(reader->doc, strlen(prefix) + 1) : NULL;
  if (!kept) return hn_read_fail_memory(reader);
  strcpy(kept, prefix);
  *scope = (hn_scope){.outer = reader->scope,
                      .map = map,
                      .file = file,
                      .prefix = kept,
                      .with = hn_yaml_get(use, "with"),
                      .repeated = repeated,
                      .variable = s->variable,
                      .index = s->first + k,
                      .depth = reader->scope->depth + 1};
  if (scope->depth > DEEPEST)
    return hn_read_fail(reader, use->key, HN_ERR_MODEL,
                        "parts are nested deeper than %d (does one use itself?)", DEEPEST);
  reader->weight += map->weight;
  // before anything is read: the product of nested repetitions grows fast
  if (++reader->uses > MOST_USES || reader->weight > HN_YAML_NODES)
    return hn_read_fail(reader, use->key, HN_ERR_MODEL, "too many parts are used");
  *out = scope;
  if (repeated) reader->index = &scope->index, reader->variable = scope->variable;
  hn_status status = place_use(reader, use, k, s->count, scope);
  reader->index = NULL;
  return status;
}

// `read` is read_scope of model_yaml.c, handed in since files may not call upwards.
hn_status hn_read_use(hn_reader *reader, const hn_yaml *use,
                      hn_status (*read)(hn_reader *reader, hn_scope *scope)) {
  const hn_scope *outer = reader->scope;
  const hn_yaml *map;
  const char *file;
  series s = {.count = 1, .variable = "i"};
  // messages are about the use until the scope's own elements are read
  snprintf(reader->model->subject, sizeof reader->model->subject, "use '%.60s'", use->key->text);
  reader->model->now = hn_read_place(use->key);
  if (use->kind != HN_YAML_MAP)
    return hn_read_fail(reader, use, HN_ERR_SYNTAX, "must be a map of keys and values");
  if (!hn_model_is_name(use->key->text))
    return hn_read_fail(reader, use->key, HN_ERR_MODEL,
                        "bad name (letters, digits and _, not starting with a digit)");
  hn_status status = check_use(reader, use);
  if (!status) status = find_part(reader, use, &map, &file);
  // the part's own file, for what is wrong in it
  if (!status) reader->model->reading = file;
  if (!status) status = check_part(reader, map, use, file);
  if (!status) hn_reader_enter(reader, outer);
  if (!status && hn_yaml_get(use, "with"))
    status = check_arguments(reader, hn_yaml_get(use, "with"), map);
  if (!status)
    status = hn_yaml_get(use, "for") ? read_for(reader, hn_yaml_get(use, "for"), &s)
                                     : read_count(reader, use, &s.count);
  if (!status) status = check_variable(reader, use, &s);
  for (int k = 0; k < s.count && !status; k++) {
    hn_scope *scope = NULL;
    // reading the part before has left another subject
    snprintf(reader->model->subject, sizeof reader->model->subject, "use '%.60s'", use->key->text);
    status = open_use(reader, use, map, file, &s, k, &scope);
    if (!status) status = read(reader, scope);
    if (!status) hn_reader_enter(reader, outer);
  }
  return status;
}
