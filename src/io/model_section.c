// model_section.c: sections, their entries, and what messages call them.
//
// A section is a map of names to elements. While one is read, model->locate finds places of its
// keys in the file: the checks of the model know keys by path ("shape.*.radius") and nothing of
// YAML.
#include "io/model_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the node at a path such as "shape.*.radius" or "table.3.1" below the element; as far as it goes
// As far along the path as the file goes; `character` counts in the text found there.
static hn_place locate(const void *user, const char *path, int character) {
  const hn_yaml *node = user;
  if (node->kind == HN_YAML_MAP) {
    bool first = true;
    while (*path && node->kind != HN_YAML_SCALAR) {
      char word[64];
      size_t length = strcspn(path, ".");
      snprintf(word, sizeof word, "%.*s", (int)length, path);
      const hn_yaml *below = node->kind == HN_YAML_LIST ? hn_yaml_item(node, atoi(word))
                             : strcmp(word, "*") == 0   ? node->first
                                                        : hn_yaml_get(node, word);
      if (!below && first) return (hn_place){0};
      if (!below) break;
      node = below;
      first = false;
      path += length;
      if (*path == '.') path++;
    }
  }
  return hn_read_place_in(node, character);
}

// starts reading an element: messages name it, and point into it
// Elements of parts are named in full, cut where that is too long for a message.
void hn_section_entry(hn_reader *reader, const char *kind, const hn_yaml *entry) {
  hn_model *model = reader->model;
  if (*reader->scope->prefix)
    snprintf(model->subject, sizeof model->subject, "%s '%.40s%.60s'", kind, reader->scope->prefix,
             entry->key->text);
  else
    hn_model_subject(model, kind, entry->key->text, NULL);
  model->now = hn_read_place(entry->key);
  model->now.file = model->reading;
  model->locate = locate;
  model->locate_user = entry;
}

// the name of an element, in full
hn_status hn_section_name(hn_reader *reader, const hn_yaml *entry, const char **name) {
  if (!hn_model_is_name(entry->key->text))
    return hn_read_fail(reader, entry->key, HN_ERR_MODEL, "bad name (%s)", hn_name_rule);
  if (hn_word_in(entry->key->text, "energy residual time t ground") && reader->scope->outer)
    return hn_read_fail(reader, entry->key, HN_ERR_MODEL, "the name is reserved");
  *name = hn_scope_name(reader, entry->key->text);
  return *name ? HN_OK : hn_read_fail_memory(reader);
}

// Names of sections are words of the library, shorter than the subject's room.
void hn_section_enter(hn_reader *reader, const char *name) {
  memcpy(reader->model->subject, name, strlen(name) + 1);  // a word of this file
  reader->model->locate = NULL;
}

// a section that is a map; NULL when it is absent or empty
hn_status hn_section_open(hn_reader *reader, const char *name, const hn_yaml **out) {
  const hn_yaml *section = hn_yaml_get(reader->scope->map, name);
  *out = NULL;
  hn_section_enter(reader, name);
  if (!section || hn_yaml_is_empty(section)) return HN_OK;
  if (section->kind != HN_YAML_MAP)
    return hn_read_fail(reader, section, HN_ERR_SYNTAX, "must be a map of names");
  *out = section;
  return HN_OK;
}

const hn_yaml *hn_section_describes(const hn_reader *reader, const char *section,
                                    const char *name) {
  size_t length = strcspn(name, ".");
  for (const hn_scope *scope = reader->scope; scope; scope = scope->outer) {
    const hn_yaml *map = hn_yaml_get(scope->map, section);
    if (!map || map->kind != HN_YAML_MAP) continue;
    for (const hn_yaml *e = map->first; e; e = e->next)
      if (strncmp(e->key->text, name, length) == 0 && !e->key->text[length]) return e->key;
  }
  return NULL;
}

const hn_yaml *hn_section_below(const hn_reader *reader, const hn_yaml *node, const char *section,
                                const char *name) {
  const hn_yaml *e = hn_section_describes(reader, section, name);
  bool below = e && (e->line > node->line || (e->line == node->line && e->column > node->column));
  return below ? e : NULL;
}

// every entry of a section by the same function
hn_status hn_section_each(hn_reader *reader, const char *name, const char *kind,
                          hn_status (*read)(hn_reader *reader, const hn_yaml *entry)) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, name, &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next) {
    hn_section_entry(reader, kind, e);
    status = read(reader, e);
  }
  return status;
}

hn_status hn_need_map(hn_reader *reader, const hn_yaml *node) {
  if (node->kind == HN_YAML_MAP) return HN_OK;
  return hn_read_fail(reader, node, HN_ERR_SYNTAX, "must be a map of keys and values");
}

// looks up the type; other keys depend on it
// Many types are listed by a command; few are listed in the message.
hn_status hn_read_type(hn_reader *reader, const hn_family *family, const hn_yaml *map,
                       const hn_type_info **type) {
  hn_status status = hn_need_map(reader, map);
  if (status) return status;
  const hn_yaml *node = hn_yaml_get(map, "type");
  if (!node) {
    const hn_place place = reader->model->now;
    return hn_model_fail(reader->model, place, HN_ERR_MODEL, "%s: type is missing",
                         reader->model->subject);
  }
  if (node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "type must be a word");
  *type = hn_family_type(family, node->text);
  if (*type) return HN_OK;
  char what[32], words[512] = "";
  snprintf(what, sizeof what, "no %s type", family->word);
  const hn_type_info *t;
  for (int i = 0; (t = family->type_at(i)); i++) {
    size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s%s", used ? " " : "", t->name);
  }
  char near[64];
  if (strlen(words) > 240 && !hn_nearest_in(node->text, words, near, sizeof near))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s '%.60s' ('holon %ss' lists them)", what,
                        node->text, family->word);
  return hn_read_fail_word(reader, node, HN_ERR_MODEL, what, node->text, words);
}

// keys the definition cannot tell from zero must be there when they are required
hn_status hn_check_present(hn_reader *reader, const hn_family *family, const hn_type_info *type,
                           const hn_yaml *map) {
  bool on_joint = hn_yaml_get(map, "joint") || hn_yaml_get(map, "joint_a");
  bool ends = hn_type_has_ends(type) && !on_joint;
  if (ends && hn_type_has_joint(type) && !hn_yaml_get(map, "a") && !hn_yaml_get(map, "b"))
    return HN_OK;  // neither ends nor joint: hn_add says what it may have
  // most types require no number, and have their second end: nothing to be looked for
  if (!*type->required && (!ends || hn_yaml_get(map, "b"))) return HN_OK;
  for (const hn_field *field = family->fields; field->key; field++) {
    bool required = field->kind == HN_FIELD_NUMBER && hn_word_in(field->key, type->required);
    // a is the ground unless told otherwise
    if (field->kind == HN_FIELD_END) required = ends && strcmp(field->key, "b") == 0;
    if (required && !hn_yaml_get(map, field->key))
      return hn_model_fail(reader->model, reader->model->now, HN_ERR_MODEL, "%s: %s needs '%s'",
                           reader->model->subject, type->name, field->key);
  }
  return HN_OK;
}

// a formula, with names of a part in full
hn_status hn_read_formula(hn_reader *reader, const hn_yaml *node, const char **out) {
  if (node->kind == HN_YAML_SCALAR && node->note == HN_YAML_CHANGES) hn_refill_refuse(reader);
  return hn_scope_formula(reader, node, out);
}
