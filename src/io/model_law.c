// model_law.c: numbers of a file that read signals.
//
// Stiffness, damping, preload and free length of a spring, and gravity, are numbers; where they
// read a signal they are written as the formulas they stand for:
//
//   spring   law: preload + stiffness (length - free) + damping rate
//   gravity  a force m g on every body, named '<body>_weight'; formulas of x, y, z are a field
//
// Such a force has no potential: what changes its stiffness does work on it, and that is counted.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "io/model_reader.h"

static bool in_section(const hn_scope *scope, const char *section, const char *word) {
  const hn_yaml *map = hn_yaml_get(scope->map, section);
  return map && map->kind == HN_YAML_MAP && hn_yaml_get(map, word);
}

// Signals, states, controllers and events are all signals to a formula.
static bool has_signal(const hn_scope *scope, const char *word) {
  return in_section(scope, "signals", word) || in_section(scope, "states", word) ||
         in_section(scope, "controllers", word) || in_section(scope, "events", word);
}

// a signal that a state or controller brings along: "torque_sum" of the controller `torque`
static bool brings_signal(const hn_scope *scope, const char *word) {
  for (const char *line = strchr(word, '_'); line; line = strchr(line + 1, '_')) {
    char stem[64];
    snprintf(stem, sizeof stem, "%.*s", (int)(line - word), word);
    if (in_section(scope, "states", stem) || in_section(scope, "controllers", stem)) return true;
  }
  return false;
}

// "leg.u": the signal u of a part that is used; scopes of parts are known when joints are read
static bool part_has_signal(const hn_reader *reader, const char *full) {
  const hn_scope *part = reader->scope;
  while (part->outer) part = part->outer;
  for (; part; part = part->next) {
    size_t n = strlen(part->prefix);
    if (n && strncmp(full, part->prefix, n) == 0 &&
        (has_signal(part, full + n) || brings_signal(part, full + n)))
      return true;
  }
  return false;
}

// In the part being read, or in what is around it: the innermost thing of that name counts, which
// may be a parameter.
static bool is_signal(const hn_reader *reader, const char *word) {
  for (const hn_scope *scope = reader->scope; scope; scope = scope->outer) {
    char full[192];
    int n = snprintf(full, sizeof full, "%s%s", scope->prefix, word);
    if (has_signal(scope, word)) return true;
    if (n < 0 || (size_t)n >= sizeof full) continue;
    if (hn_model_find_parameter(reader->model, full, (size_t)n) >= 0) return false;
    if (brings_signal(scope, word) || (strchr(word, '.') && part_has_signal(reader, full)))
      return true;
  }
  return false;
}

// Word by word, before the signals are there: what the file will describe is in its sections.
bool hn_reads_signals(const hn_reader *reader, const hn_yaml *node) {
  if (!node || node->kind != HN_YAML_SCALAR) return false;
  for (const char *s = node->text; *s;) {
    char word[64];
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.') n++;
    // of a longer word the beginning: it is no name
    memcpy(word, s, n < 63 ? n : 63);
    word[n < 63 ? n : 63] = 0;
    // a digit in front: a number
    bool named = n && !isdigit((unsigned char)*s);
    if (named && is_signal(reader, word)) return true;
    s += n ? n : 1;
  }
  return false;
}

static const char *const keys[] = {"stiffness", "damping", "preload", "free"};

static void append(char *out, size_t size, const char *before, const char *text,
                   const char *behind) {
  size_t used = strlen(out);
  snprintf(out + used, size - used, "%s(%s)%s", before, text, behind);
}

// NULL in *law where all numbers are numbers, and the spring keeps its potential.
hn_status hn_read_spring_law(hn_reader *reader, const hn_yaml *map, const char *measure,
                             const char **law) {
  const hn_yaml *given[4], *first = NULL;
  const char *text[4];
  // room for brackets and signs
  size_t size = 64 + strlen(measure);
  *law = NULL;
  for (int i = 0; i < 4; i++) {
    given[i] = hn_yaml_get(map, keys[i]);
    // the one that messages point to
    if (!first && hn_reads_signals(reader, given[i])) first = given[i];
  }
  if (!first) return HN_OK;
  for (int i = 0; i < 4; i++) {
    if (given[i] && (given[i]->kind != HN_YAML_SCALAR || hn_yaml_is_empty(given[i])))
      return hn_read_fail(reader, given[i], HN_ERR_SYNTAX, "%s must be a number or a formula",
                          keys[i]);
    // names get the prefix of the part
    text[i] = "0";
    hn_status status = given[i] ? hn_scope_formula(reader, given[i], &text[i]) : HN_OK;
    if (status) return status;
    size += strlen(text[i]);
  }
  static const char *const others[] = {"law", "coefficients", "table"};
  for (int i = 0; i < 3; i++)
    if (hn_yaml_get(map, others[i]))
      return hn_read_fail(reader, first, HN_ERR_MODEL,
                          "%s reads a signal, which does not go together with '%s' (write one law)",
                          first->key->text, others[i]);
  // "relaxed as assembled" is a number, found when the model is compiled
  if (given[0] && !given[3])
    return hn_read_fail(reader, first, HN_ERR_MODEL,
                        "%s reads a signal: say by 'free' where the spring is relaxed",
                        first->key->text);
  char *out = hn_yaml_take(reader->doc, size);
  if (!out) return hn_read_fail_memory(reader);
  out[0] = 0;
  append(out, size, "", text[2], " + ");
  append(out, size, "", text[0], "*(");
  snprintf(out + strlen(out), size - strlen(out), "%s - ", measure);
  append(out, size, "", text[3], ")");
  append(out, size, " + ", text[1], "*rate");
  *law = out;
  return HN_OK;
}

// the centre of mass of a body as described, world
static void centre(const hn_body_def *d, double at[3]) {
  // about z, by half the angle
  double q[4] = {hn_cos(d->angle / 2), 0, 0, hn_sin(d->angle / 2)}, R[9], r[3];
  if (d->kind == HN_SPATIAL) memcpy(q, d->orientation, sizeof q);
  q_normalise(q);
  q_matrix(R, q);
  m3_mulv(r, R, d->com);
  v3_add(at, d->position, r);
}

// where the centre of mass is in formulas: the body itself, or a frame made for it
// Formulas read places of bodies' origins and frames; the centre of mass needs a frame where it is
// neither.
static hn_status centre_name(hn_reader *reader, int body, char name[160]) {
  hn_model *model = reader->model;
  const hn_body_def *d = &model->body[body].def;
  snprintf(name, 160, "%.80s", d->name);
  if (d->com[0] == 0 && d->com[1] == 0 && d->com[2] == 0) return HN_OK;
  hn_frame_def frame = {.name = "weight_centre", .body = {body}};
  // formulas read the centre through a frame of this name
  v3_copy(frame.position, d->com);
  snprintf(name, 160, "%.80s.%s", d->name, frame.name);
  if (hn_model_find_frame(model, body, frame.name) >= 0) return HN_OK;
  return hn_add_frame(model, &frame).id < 0 ? model->failure : HN_OK;
}

static bool is_word(const char *c) {
  return isalnum((unsigned char)*c) || *c == '_' || *c == '.';
}

bool hn_reads_words(const char *text, const char *words) {
  for (const char *s = text; *s;) {
    size_t n = 0;
    char word[64];
    while (is_word(s + n)) n++;
    memcpy(word, s, n < 63 ? n : 63);
    word[n < 63 ? n : 63] = 0;
    if (n && hn_word_in(word, words)) return true;
    s += n ? n : 1;
  }
  return false;
}

// m * (formula), in which x, y, z that are no parameters are those of the centre of mass
// Room for every character to be a place name: longer than needed, and never too short.
static char *weight_formula(hn_reader *reader, double mass, const char *text, const char *centre) {
  size_t size = 40 + (strlen(centre) + 8) * (strlen(text) + 1);
  char *out = hn_yaml_take(reader->doc, size);
  if (!out) return NULL;
  int used = hn_plain_text(out, size, "%.17g*(", mass);
  for (const char *s = text; *s;) {
    size_t n = 0;
    double value;
    while (is_word(s + n)) n++;
    // one letter, and no parameter
    bool place =
        n == 1 && *s >= 'x' && *s <= 'z' && !hn_model_constant(reader->model, s, 1, &value);
    if (place)
      used += snprintf(out + used, size - (size_t)used, "%s.%c", centre, *s);
    else
      used += snprintf(out + used, size - (size_t)used, "%.*s", (int)(n ? n : 1), s);
    s += n ? n : 1;
  }
  snprintf(out + used, size - (size_t)used, ")");
  return out;
}

// One force for each body with mass, in its centre: the field at the centre stands for that over
// the body, which is exact where it is linear.
// the number of bodies before frames are made for them
hn_status hn_read_weights(hn_reader *reader, const hn_yaml *gravity) {
  hn_model *model = reader->model;
  int bodies = model->body_count;
  // their weight acts on all of their nodes
  hn_refill_touch_bodies(reader);
  if (model->flexible_count)
    return hn_read_fail(reader, gravity, HN_ERR_UNSUPPORTED,
                        "gravity as a field does not act on flexible bodies, which this model has "
                        "(give numbers)");
  for (int i = 1; i < bodies; i++) {
    const hn_body_def *body = &model->body[i].def;
    char name[96], place[160], *text[3] = {NULL, NULL, NULL};
    if (body->mass == 0) continue;
    if (centre_name(reader, i, place)) return model->failure;
    // may have moved: a frame was added
    body = &model->body[i].def;
    enum { LONGEST = 63 - 7 };  // of a name that "_weight" is put behind
    if (strlen(body->name) > LONGEST)
      return hn_read_fail(
          reader, gravity, HN_ERR_MODEL,
          "gravity as a field is a force '<body>_weight': body '%s' needs a name of "
          "at most %d characters",
          body->name, LONGEST);
    hn_force_def def = {.name = name, .type = "force", .b = {.body = {i}}};
    snprintf(name, sizeof name, "%s_weight", body->name);
    centre(body, def.at);
    const hn_yaml *e = gravity->first;
    for (int k = 0; k < 3 && e; k++, e = e->next) {
      text[k] = weight_formula(reader, body->mass, e->text, place);
      if (!text[k]) return hn_read_fail_memory(reader);
      def.components[k] = text[k];
    }
    if (hn_add_force(model, &def).id < 0) return model->failure;
  }
  return HN_OK;
}
