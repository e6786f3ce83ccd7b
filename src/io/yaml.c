// yaml.c: libyaml's events turned into a tree.
#include "io/yaml.h"

#include "base/pool.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hn_yaml_doc {
  hn_pool pool;
  hn_yaml *root;
};

void *hn_yaml_take(hn_yaml_doc *doc, size_t size) {
  return hn_pool_take(&doc->pool, size);
}

void hn_yaml_destroy(hn_yaml_doc *doc) {
  if (!doc) return;
  hn_pool_free(&doc->pool);
  free(doc);
}

hn_yaml_doc *hn_yaml_borrow(const hn_yaml_doc *doc) {
  hn_yaml_doc *view = calloc(1, sizeof *view);
  if (view) view->root = doc->root;
  return view;
}

#ifdef HN_NO_YAML

hn_yaml_doc *hn_yaml_parse(const char *text, size_t length, hn_yaml_error *error) {
  (void)text, (void)length;
  *error = (hn_yaml_error){.status = HN_ERR_UNSUPPORTED,
                           .message = "holon was built without libyaml: models are built in C"};
  return NULL;
}

#else

#include <yaml.h>

// ---- loader --------------------------------------------------------------------------------

typedef struct anchor {
  const char *name;
  const hn_yaml *node;
} anchor;

typedef struct loader {
  yaml_parser_t parser;
  const char *text;
  size_t length;
  hn_yaml_doc *doc;
  hn_yaml_error *error;
  hn_yaml *open[HN_YAML_DEPTH];       // maps and lists that are being read
  const hn_yaml *key[HN_YAML_DEPTH];  // key that waits for its value
  int depth, documents;
  long nodes;
  anchor anchors[HN_YAML_ANCHORS];
  int anchor_count;
} loader;

__attribute__((format(printf, 3, 4))) static bool fail(loader *l, yaml_mark_t mark,
                                                       const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(l->error->message, sizeof l->error->message, format, args);
  va_end(args);
  l->error->status = HN_ERR_SYNTAX;
  l->error->line = (int)mark.line + 1;
  l->error->column = (int)mark.column + 1;
  return false;
}

static bool fail_memory(loader *l) {
  *l->error = (hn_yaml_error){.status = HN_ERR_MEMORY, .message = "out of memory"};
  return false;
}

// the line with this number, not terminated
static const char *find_line(const loader *l, size_t number, size_t *length) {
  const char *line = l->text, *end = l->text + l->length;
  for (; number > 0 && line < end; number--) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    line = newline ? newline + 1 : end;
  }
  const char *newline = memchr(line, '\n', (size_t)(end - line));
  *length = (size_t)((newline ? newline : end) - line);
  return line;
}

// does a tab stand where the scanner stopped, or before?
static bool tab_is_to_blame(const loader *l, yaml_mark_t mark) {
  size_t length;
  const char *line = find_line(l, mark.line, &length);
  size_t blank = 0;
  while (blank < length && (line[blank] == ' ' || line[blank] == '\t')) blank++;
  return (mark.column < length && line[mark.column] == '\t') || memchr(line, '\t', blank);
}

static yaml_mark_t mark_of_byte(const loader *l, size_t offset) {
  yaml_mark_t mark = {0};
  for (size_t i = 0; i < offset && i < l->length; i++) {
    mark.column++;
    if (l->text[i] == '\n') mark.line++, mark.column = 0;
  }
  return mark;
}

// what libyaml found wrong, in our words
static bool fail_parser(loader *l) {
  const yaml_parser_t *p = &l->parser;
  const char *problem = p->problem ? p->problem : "not well formed";
  if (p->error == YAML_MEMORY_ERROR) return fail_memory(l);
  if (p->error == YAML_READER_ERROR)
    return fail(l, mark_of_byte(l, p->problem_offset), "this is no text: %s", problem);
  if (tab_is_to_blame(l, p->problem_mark))
    return fail(l, p->problem_mark, "a tab cannot be used to indent (use blanks)");
  if (p->context && p->context_mark.line != p->problem_mark.line)
    return fail(l, p->problem_mark, "%s (%s that starts in line %d)", problem, p->context,
                (int)p->context_mark.line + 1);
  if (p->context) return fail(l, p->problem_mark, "%s (%s)", problem, p->context);
  return fail(l, p->problem_mark, "%s", problem);
}

// ---- building the tree ---------------------------------------------------------------------

// small files cannot swell by aliases, large ones may hold much
static int64_t most_nodes(const loader *l) {
  int64_t large = (int64_t)l->length - HN_YAML_LARGE;
  return HN_YAML_NODES + HN_YAML_DENSITY * (large > 0 ? large : 0);
}

static hn_yaml *new_node(loader *l, hn_yaml_kind kind, yaml_mark_t mark) {
  if (++l->nodes > most_nodes(l)) {
    fail(l, mark, "more than %lld values", (long long)most_nodes(l));
    return NULL;
  }
  hn_yaml *node = hn_yaml_take(l->doc, sizeof *node);
  if (!node) {
    fail_memory(l);
    return NULL;
  }
  *node = (hn_yaml){.kind = kind, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
  return node;
}

static const char *copy_text(loader *l, const void *text, size_t length) {
  char *copy = hn_yaml_take(l->doc, length + 1);
  if (!copy) {
    fail_memory(l);
    return NULL;
  }
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

// puts a node into the map or list that is open
static bool attach(loader *l, hn_yaml *node, yaml_mark_t mark) {
  if (l->depth == 0) {
    l->doc->root = node;
    return true;
  }
  hn_yaml *parent = l->open[l->depth - 1];
  const hn_yaml **key = &l->key[l->depth - 1];
  if (parent->kind == HN_YAML_MAP && !*key) {
    if (node->kind != HN_YAML_SCALAR) return fail(l, mark, "a key must be a word");
    *key = node;
    return true;
  }
  node->key = *key;
  *key = NULL;
  if (parent->last)
    parent->last->next = node;
  else
    parent->first = node;
  parent->last = node;
  parent->count++;
  return true;
}

static bool set_anchor(loader *l, const yaml_char_t *name, const hn_yaml *node, yaml_mark_t mark) {
  if (!name) return true;
  if (l->anchor_count == HN_YAML_ANCHORS)
    return fail(l, mark, "more than %d anchors", HN_YAML_ANCHORS);
  const char *copy = copy_text(l, name, strlen((const char *)name));
  if (!copy) return false;
  l->anchors[l->anchor_count++] = (anchor){copy, node};
  return true;
}

static bool refuse_tag(loader *l, const yaml_char_t *tag, yaml_mark_t mark) {
  return !tag || fail(l, mark, "tags are not understood ('%.60s')", (const char *)tag);
}

static bool add_scalar(loader *l, const yaml_event_t *event) {
  yaml_mark_t mark = event->start_mark;
  const char *value = (const char *)event->data.scalar.value;
  size_t length = event->data.scalar.length;
  if (!refuse_tag(l, event->data.scalar.tag, mark)) return false;
  if (memchr(value, 0, length)) return fail(l, mark, "a zero character is not allowed in a text");
  hn_yaml *node = new_node(l, HN_YAML_SCALAR, mark);
  if (!node || !(node->text = copy_text(l, value, length))) return false;
  yaml_scalar_style_t style = event->data.scalar.style;
  node->weight = 1;
  node->quoted = style != YAML_PLAIN_SCALAR_STYLE;
  bool quotes =
      style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  node->verbatim = event->end_mark.line == mark.line &&
                   event->end_mark.column - mark.column == length + (quotes ? 2 : 0);
  return attach(l, node, mark) && set_anchor(l, event->data.scalar.anchor, node, mark);
}

static bool open_node(loader *l, hn_yaml_kind kind, const yaml_char_t *name, const yaml_char_t *tag,
                      yaml_mark_t mark) {
  if (!refuse_tag(l, tag, mark)) return false;
  if (l->depth == HN_YAML_DEPTH)
    return fail(l, mark, "nested more than %d levels deep", HN_YAML_DEPTH);
  hn_yaml *node = new_node(l, kind, mark);
  if (!node || !attach(l, node, mark) || !set_anchor(l, name, node, mark)) return false;
  l->key[l->depth] = NULL;
  l->open[l->depth++] = node;
  return true;
}

static int compare_keys(const void *a, const void *b) {
  const hn_yaml *x = (*(hn_yaml *const *)a)->key, *y = (*(hn_yaml *const *)b)->key;
  int order = strcmp(x->text, y->text);
  if (order == 0) order = (x->line > y->line) - (x->line < y->line);
  return order ? order : (x->column > y->column) - (x->column < y->column);
}

// sorting finds equal keys of large maps quickly
static bool refuse_duplicates(loader *l, const hn_yaml *map) {
  if (map->count < 2) return true;
  const hn_yaml **entry = malloc((size_t)map->count * sizeof *entry);
  if (!entry) return fail_memory(l);
  int count = 0;
  for (const hn_yaml *e = map->first; e; e = e->next) entry[count++] = e;
  qsort(entry, (size_t)count, sizeof *entry, compare_keys);
  const hn_yaml *first = NULL, *second = NULL;
  for (int i = 1; i < count && !second; i++)
    if (strcmp(entry[i - 1]->key->text, entry[i]->key->text) == 0)
      first = entry[i - 1]->key, second = entry[i]->key;
  free(entry);
  if (!second) return true;
  yaml_mark_t mark = {.line = (size_t)second->line - 1, .column = (size_t)second->column - 1};
  return fail(l, mark, "'%.60s' is given twice (first in line %d)", second->text, first->line);
}

// brackets opened and not closed in a text
static int open_brackets(const char *text) {
  int open = 0;
  for (; *text; text++) open += (*text == '(') - (*text == ')');
  return open;
}

// inside {...} a comma ends a value: "{motion: min(t, 1)}" reads as a value "min(t" and a key "1)"
static bool refuse_split_formula(loader *l, const hn_yaml *map) {
  for (const hn_yaml *e = map->first; e && e->next; e = e->next) {
    bool cut = e->kind == HN_YAML_SCALAR && !e->quoted && open_brackets(e->text) > 0;
    if (!cut || !hn_yaml_is_empty(e->next)) continue;
    yaml_mark_t mark = {.line = (size_t)e->line - 1, .column = (size_t)e->column - 1};
    return fail(l, mark, "a comma inside {...} ends the value '%.60s' (put the formula in quotes)",
                e->text);
  }
  return true;
}

static bool close_node(loader *l, yaml_mark_t mark) {
  hn_yaml *node = l->open[--l->depth];
  int64_t weight = 1;
  for (const hn_yaml *e = node->first; e; e = e->next) weight += e->weight + (e->key ? 1 : 0);
  if (weight > most_nodes(l))
    return fail(l, mark, "aliases stand for more than %lld values", (long long)most_nodes(l));
  node->weight = (int)weight;
  return node->kind == HN_YAML_LIST ||
         (refuse_split_formula(l, node) && refuse_duplicates(l, node));
}

// an alias shares what is below the node it stands for
static bool add_alias(loader *l, const yaml_event_t *event) {
  yaml_mark_t mark = event->start_mark;
  const char *name = (const char *)event->data.alias.anchor;
  const hn_yaml *target = NULL;
  for (int i = 0; i < l->anchor_count; i++)
    if (strcmp(l->anchors[i].name, name) == 0) target = l->anchors[i].node;  // the last one counts
  if (!target) return fail(l, mark, "there is no anchor '%.60s'", name);
  if (target->weight == 0)
    return fail(l, mark, "alias '%.60s' stands inside what it stands for", name);
  hn_yaml *node = new_node(l, target->kind, mark);
  if (!node) return false;
  int line = node->line, column = node->column;
  *node = *target;
  node->line = line, node->column = column;
  node->key = NULL, node->next = NULL;
  node->verbatim = false;
  return attach(l, node, mark);
}

static bool add_event(loader *l, const yaml_event_t *event) {
  yaml_mark_t mark = event->start_mark;
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (l->documents++ == 0) return true;
    return fail(l, mark, "a second document starts here (a file holds one model)");
  case YAML_SCALAR_EVENT: return add_scalar(l, event);
  case YAML_ALIAS_EVENT: return add_alias(l, event);
  case YAML_SEQUENCE_START_EVENT:
    return open_node(l, HN_YAML_LIST, event->data.sequence_start.anchor,
                     event->data.sequence_start.tag, mark);
  case YAML_MAPPING_START_EVENT:
    return open_node(l, HN_YAML_MAP, event->data.mapping_start.anchor,
                     event->data.mapping_start.tag, mark);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return close_node(l, mark);
  default: return true;
  }
}

// libyaml needs quadratic time for many of these, and tags are not understood anyway
static bool refuse_tag_directives(loader *l) {
  const char *line = l->text, *end = l->text + l->length;
  for (yaml_mark_t mark = {0}; line < end; mark.line++) {
    if (end - line >= 4 && memcmp(line, "%TAG", 4) == 0)
      return fail(l, mark, "tags are not understood");
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    line = newline ? newline + 1 : end;
  }
  return true;
}

static bool load(loader *l) {
  if (!refuse_tag_directives(l)) return false;
  for (bool done = false; !done;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&l->parser, &event)) return fail_parser(l);
    done = event.type == YAML_STREAM_END_EVENT;
    bool ok = add_event(l, &event);
    yaml_event_delete(&event);
    if (!ok) return false;
  }
  yaml_mark_t start = {0};
  return l->doc->root || fail(l, start, "the file is empty");
}

hn_yaml_doc *hn_yaml_parse(const char *text, size_t length, hn_yaml_error *error) {
  *error = (hn_yaml_error){0};
  if (length > HN_YAML_SIZE) {
    error->status = HN_ERR_SYNTAX;
    snprintf(error->message, sizeof error->message, "the file is larger than %d MiB",
             HN_YAML_SIZE >> 20);
    return NULL;
  }
  loader *l = calloc(1, sizeof *l);
  hn_yaml_doc *doc = calloc(1, sizeof *doc);
  bool ok = false;
  if (l && doc && yaml_parser_initialize(&l->parser)) {
    l->text = text, l->length = length, l->doc = doc, l->error = error;
    yaml_parser_set_encoding(&l->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&l->parser, (const unsigned char *)text, length);
    ok = load(l);
    yaml_parser_delete(&l->parser);
  } else {
    *error = (hn_yaml_error){.status = HN_ERR_MEMORY, .message = "out of memory"};
  }
  free(l);
  if (ok) return doc;
  hn_yaml_destroy(doc);
  return NULL;
}

#endif

// ---- looking at it -------------------------------------------------------------------------

const hn_yaml *hn_yaml_root(const hn_yaml_doc *doc) {
  return doc->root;
}

const hn_yaml *hn_yaml_get(const hn_yaml *map, const char *key) {
  if (!map || map->kind != HN_YAML_MAP) return NULL;
  for (const hn_yaml *e = map->first; e; e = e->next)
    if (strcmp(e->key->text, key) == 0) return e;
  return NULL;
}

const hn_yaml *hn_yaml_item(const hn_yaml *list, int index) {
  const hn_yaml *e = list && list->kind == HN_YAML_LIST ? list->first : NULL;
  while (e && index-- > 0) e = e->next;
  return e;
}

bool hn_yaml_is_empty(const hn_yaml *node) {
  if (node->kind != HN_YAML_SCALAR || node->quoted) return false;
  return !*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}
