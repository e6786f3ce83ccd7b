// model_include.c: parts that stand in files of their own.
//
//   parts: {gripper: {file: parts/gripper.yaml}}
//
// The path is counted from the folder of the file that names it, and leads into that folder or
// below it: a model cannot reach what it was not put beside. A file that includes itself, by
// whatever way, is refused with that way.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "io/model_reader.h"

struct hn_included {
  struct hn_included *next;  // of the list, the last one read first
  const char *path;          // the model keeps it
  hn_yaml_doc *doc;
};

void hn_included_free(hn_reader *reader) {
  while (reader->included) {
    struct hn_included *first = reader->included;
    reader->included = first->next;
    hn_yaml_destroy(first->doc);
    free(first);
  }
}

// neither absolute nor upwards
// Also no drive letters: a file may be read on other systems.
static bool stays_below(const char *path) {
  if (*path == '/' || *path == '\\' || (path[0] && path[1] == ':')) return false;
  // each step of the path
  for (const char *s = path; s; s = strchr(s, '/')) {
    if (*s == '/') s++;
    if (strncmp(s, "..", 2) == 0 && (s[2] == '/' || !s[2])) return false;
  }
  return true;
}

// folder of `from` and `path`, kept by the model; NULL: out of memory
// The path is kept by the model, since scopes and messages point to it.
// `from` has the folder
static const char *join(hn_model *model, const char *from, const char *path) {
  const char *slash = from ? strrchr(from, '/') : NULL;
  size_t folder = slash ? (size_t)(slash - from) + 1 : 0;
  char *out = malloc(folder + strlen(path) + 1);
  if (out && !hn_grow((void **)&model->included, &model->included_capacity, model->included_count,
                      sizeof *model->included)) {
    free(out);
    return NULL;
  }
  if (!out) return NULL;
  memcpy(out, from ? from : "", folder);
  strcpy(out + folder, path);
  model->included[model->included_count++] = out;
  return out;
}

// "a.yaml includes b.yaml includes a.yaml"
// From the inside out through the scopes; files that two scopes share are told once.
static hn_status check_circle(hn_reader *reader, const hn_yaml *node, const char *path) {
  const char *own = reader->model->file ? reader->model->file : "";
  // the innermost first
  char way[400] = "";
  const char *last = NULL;
  bool found = false;
  for (const hn_scope *scope = reader->scope; scope && !found; scope = scope->outer) {
    const char *file = scope->file ? scope->file : own;
    if (last && strcmp(file, last) == 0) continue;
    char before[400];
    snprintf(before, sizeof before, "%s", way);
    snprintf(way, sizeof way, "%.120s includes %.260s", file, before);
    last = file;
    found = strcmp(file, path) == 0;
  }
  if (!found) return HN_OK;
  return hn_read_fail(reader, node, HN_ERR_MODEL, "a file includes itself: %s%.120s", way, path);
}

// Messages of the included file name it, with its own lines.
static hn_status load(hn_reader *reader, const hn_yaml *node, const char *path,
                      struct hn_included *one) {
  char *text = NULL, message[HN_MESSAGE];
  size_t length = 0;
  // path and message are those of the system
  hn_yaml_error error = {0};
  hn_status status = hn_load_named(&text, &length, path, message);
  if (status) return hn_read_fail(reader, node, status, "%s", message);
  one->doc = hn_yaml_parse(text, length, &error);
  free(text);
  if (!one->doc)
    return hn_model_fail(reader->model, (hn_place){error.line, error.column, path}, error.status,
                         "%s", error.message);
  if (hn_yaml_root(one->doc)->kind == HN_YAML_MAP) return HN_OK;
  return hn_model_fail(reader->model, (hn_place){1, 1, path}, HN_ERR_SYNTAX,
                       "a part is a map of sections");
}

// A file used by several parts is read once for each model.
hn_status hn_include(hn_reader *reader, const hn_yaml *part, const char *from, const hn_yaml **map,
                     const char **file) {
  const hn_yaml *node = hn_yaml_get(part, "file");
  // what is wrong with the part stands where the part is named
  reader->model->reading = from;
  // beside the file only a description may be said
  for (const hn_yaml *e = part->first; e; e = e->next)
    if (!hn_word_in(e->key->text, "file description"))
      return hn_read_fail(reader, e->key, HN_ERR_MODEL,
                          "a part stands in a file or here, not both ('%.60s')", e->key->text);
  if (node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "file must be a path");
  if (!stays_below(node->text) || hn_find_control(node->text))
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "file '%.80s' must be beside this one or in a folder below it (no '..', no "
                        "absolute path)",
                        node->text);
  const char *path = join(reader->model, from ? from : reader->model->file, node->text);
  if (!path) return hn_read_fail_memory(reader);
  hn_status status = check_circle(reader, node, path);
  // by the path as it is written: two ways to one file read it twice
  struct hn_included *one = reader->included;
  while (one && strcmp(one->path, path) != 0) one = one->next;
  if (!status && !one) {
    one = calloc(1, sizeof *one);
    if (!one) return hn_read_fail_memory(reader);
    one->path = path;
    one->next = reader->included;
    reader->included = one;
    status = load(reader, node, path, one);
  }
  if (status) return status;
  *map = hn_yaml_root(one->doc);
  *file = one->path;
  return HN_OK;
}
