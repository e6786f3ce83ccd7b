// yaml.c: the tree that a document is read into, and what it may not hold.
//
// Memory of a document is one pool, released at once. Limits are kept here, where nodes are made:
// depth, number of nodes, anchors, and the weight of aliases, by which a few lines could stand for
// billions of values. Nodes are never changed once they are closed, so that aliases may share them.
#include "io/yaml_reader.h"

#include "base/pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hn_yaml_doc {
  hn_pool pool;   // nodes, texts and whatever readers take
  hn_yaml *root;  // NULL: nothing was in it
};

void *hn_yaml_take(hn_yaml_doc *doc, size_t size) {
  return hn_pool_take(&doc->pool, size);
}

void hn_yaml_empty(hn_yaml_doc *view) {
  hn_pool_empty(&view->pool);
}

void hn_yaml_destroy(hn_yaml_doc *doc) {
  if (!doc) return;
  hn_pool_free(&doc->pool);
  free(doc);
}

// Studies read one document in several threads: each needs memory of its own for what reading
// makes, and none for the tree.
hn_yaml_doc *hn_yaml_borrow(const hn_yaml_doc *doc) {
  hn_yaml_doc *view = calloc(1, sizeof *view);
  // its pool is its own; the root is shared
  if (view) view->root = doc->root;
  return view;
}

// ---- failures ------------------------------------------------------------------------------

// Marks count from zero, messages from one. The last failure stands; callers stop at the first.
bool hn_yaml_fail(hn_yaml_reader *r, hn_yaml_mark mark, const char *format, ...) {
  va_list args;
  va_start(args, format);
  // too long a sentence is cut
  vsnprintf(r->error->message, sizeof r->error->message, format, args);
  va_end(args);
  r->error->status = HN_ERR_SYNTAX;
  r->error->line = mark.line + 1;
  r->error->column = mark.column + 1;
  return false;
}

bool hn_yaml_fail_memory(hn_yaml_reader *r) {
  *r->error = (hn_yaml_error){.status = HN_ERR_MEMORY, .message = "out of memory"};
  return false;
}

// ---- building the tree ---------------------------------------------------------------------

// small files cannot swell by aliases, large ones may hold much
static int64_t most_nodes(const hn_yaml_reader *r) {
  int64_t large = (int64_t)(r->end - r->text) - HN_YAML_LARGE;
  return HN_YAML_NODES + HN_YAML_DENSITY * (large > 0 ? large : 0);
}

static hn_yaml *new_node(hn_yaml_reader *r, hn_yaml_kind kind, hn_yaml_mark mark) {
  // counted before memory is asked for
  if (++r->nodes > most_nodes(r)) {
    hn_yaml_fail(r, mark, "more than %lld values", (long long)most_nodes(r));
    return NULL;
  }
  hn_yaml *node = hn_yaml_take(r->doc, sizeof *node);
  if (!node) {
    hn_yaml_fail_memory(r);
    return NULL;
  }
  // the column fits: no line is longer than the largest file
  *node = (hn_yaml){
      .kind = kind, .line = mark.line + 1, .column = (unsigned)(mark.column + 1) & 0x7ffffffu};
  return node;
}

static const char *copy_text(hn_yaml_reader *r, const char *text, size_t length) {
  char *copy = hn_pool_text(&r->doc->pool, text, length);
  if (!copy) hn_yaml_fail_memory(r);
  return copy;
}

// puts a node into the map or list that is open
// In a map key and value take turns: a node that comes while no key waits is the key.
static bool attach(hn_yaml_reader *r, hn_yaml *node, hn_yaml_mark mark) {
  if (r->depth == 0) {
    r->doc->root = node;
    return true;
  }
  // what was opened last is what this belongs to
  hn_yaml *parent = r->open[r->depth - 1];
  const hn_yaml **key = &r->key[r->depth - 1];
  if (parent->kind == HN_YAML_MAP && !*key) {
    if (node->kind != HN_YAML_SCALAR) return hn_yaml_fail(r, mark, "a key must be a word");
    *key = node;
    return true;
  }
  // an entry of a map points to its key, one of a list to NULL
  node->key = *key;
  *key = NULL;
  hn_yaml **last = &r->last[r->depth - 1];
  if (*last)
    (*last)->next = node;
  else
    parent->first = node;
  *last = node;
  parent->count++;
  return true;
}

static bool set_anchor(hn_yaml_reader *r, hn_yaml_name name, const hn_yaml *node,
                       hn_yaml_mark mark) {
  if (!name.text) return true;
  // a fixed array, searched through for each alias
  if (r->anchor_count == HN_YAML_ANCHORS)
    return hn_yaml_fail(r, mark, "more than %d anchors", HN_YAML_ANCHORS);
  const char *copy = copy_text(r, name.text, name.length);
  if (!copy) return false;
  r->anchors[r->anchor_count++] = (hn_yaml_anchor){copy, node};
  return true;
}

// A zero character would end every text early, and hide what follows it.
bool hn_yaml_add_scalar(hn_yaml_reader *r, const hn_yaml_scalar *scalar, hn_yaml_name anchor) {
  hn_yaml_mark mark = scalar->mark;
  // escapes can make zeros
  if (scalar->length && memchr(scalar->text, 0, scalar->length))
    return hn_yaml_fail(r, mark, "a zero character is not allowed in a text");
  hn_yaml *node = new_node(r, HN_YAML_SCALAR, mark);
  if (!node || !(node->text = copy_text(r, scalar->text, scalar->length))) return false;
  node->quoted = scalar->quoted;
  node->verbatim = scalar->verbatim;
  // anchors of scalars are set when they are whole
  return attach(r, node, mark) && set_anchor(r, anchor, node, mark);
}

// Attached before it is filled: anchors may be referred to inside, which is refused by the weight
// of zero that an open node has.
bool hn_yaml_open(hn_yaml_reader *r, hn_yaml_kind kind, hn_yaml_name anchor, hn_yaml_mark mark) {
  if (r->depth == HN_YAML_DEPTH)
    return hn_yaml_fail(r, mark, "nested more than %d levels deep", HN_YAML_DEPTH);
  hn_yaml *node = new_node(r, kind, mark);
  if (!node || !attach(r, node, mark) || !set_anchor(r, anchor, node, mark)) return false;
  r->key[r->depth] = NULL;
  r->last[r->depth] = NULL;
  r->open[r->depth++] = node;
  return true;
}

// FNV-1a
static uint32_t hash_of(const char *text) {
  uint32_t h = 2166136261u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
  return h;
}

// is some key of a map there twice? -1: out of memory
// Entries of models are maps of a few keys, which are compared one by one; sections have thousands.
static int has_duplicates(const hn_yaml *map) {
  enum { FEW = 12 };
  if (map->count <= FEW) {
    for (const hn_yaml *e = map->first; e; e = e->next)
      for (const hn_yaml *f = map->first; f != e; f = f->next)
        if (*e->key->text == *f->key->text && strcmp(e->key->text, f->key->text) == 0) return 1;
    return 0;
  }
  // at most half full
  size_t size = 16;
  while (size < 2 * (size_t)map->count) size *= 2;
  const hn_yaml **slot = calloc(size, sizeof *slot);
  if (!slot) return -1;
  bool found = false;
  for (const hn_yaml *e = map->first; e && !found; e = e->next) {
    size_t at = hash_of(e->key->text) & (size - 1);
    for (; slot[at] && !found; at = (at + 1) & (size - 1))
      found = strcmp(slot[at]->key->text, e->key->text) == 0;
    slot[at] = e;  // also over the equal one: the search ends then
  }
  free(slot);
  return found;
}

static int compare_keys(const void *a, const void *b) {
  // by text, then by place, so that the second of two is told
  const hn_yaml *x = (*(hn_yaml *const *)a)->key, *y = (*(hn_yaml *const *)b)->key;
  int order = strcmp(x->text, y->text);
  if (order == 0) order = (x->line > y->line) - (x->line < y->line);
  return order ? order : (x->column > y->column) - (x->column < y->column);
}

// YAML leaves open which of two equal keys counts: a file that has both is wrong. Of several that
// are there twice the first of the alphabet is told.
static bool refuse_duplicates(hn_yaml_reader *r, const hn_yaml *map) {
  int twice = has_duplicates(map);
  if (twice == 0) return true;
  // found, or no memory to look
  const hn_yaml **entry = twice < 0 ? NULL : malloc((size_t)map->count * sizeof *entry);
  if (!entry) return hn_yaml_fail_memory(r);
  int count = 0;
  for (const hn_yaml *e = map->first; e; e = e->next) entry[count++] = e;
  qsort(entry, (size_t)count, sizeof *entry, compare_keys);
  const hn_yaml *first = NULL, *second = NULL;
  for (int i = 1; i < count && !second; i++)
    if (strcmp(entry[i - 1]->key->text, entry[i]->key->text) == 0)
      first = entry[i - 1]->key, second = entry[i]->key;
  free(entry);
  if (!second) return true;
  hn_yaml_mark mark = {second->line - 1, (int)second->column - 1};
  return hn_yaml_fail(r, mark, "'%.60s' is given twice (first in line %d)", second->text,
                      first->line);
}

// brackets opened and not closed in a text
static int open_brackets(const char *text) {
  int open = 0;
  // as far as they say: quotes are of no account here
  for (; *text; text++) open += (*text == '(') - (*text == ')');
  return open;
}

// inside {...} a comma ends a value: "{motion: min(t, 1)}" reads as a value "min(t" and a key "1)"
// The commonest slip of people who write formulas into {...}: without this the message would be
// about an unknown key "1)".
static bool refuse_split_formula(hn_yaml_reader *r, const hn_yaml *map) {
  for (const hn_yaml *e = map->first; e && e->next; e = e->next) {
    bool cut = e->kind == HN_YAML_SCALAR && !e->quoted && open_brackets(e->text) > 0;
    if (!cut || !hn_yaml_is_empty(e->next)) continue;
    hn_yaml_mark mark = {e->line - 1, (int)e->column - 1};
    if (*e->text == '(' && open_brackets(e->text) == 1 && strchr(e->next->key->text, ')'))
      return hn_yaml_fail(r, mark,
                          "a comma inside {...} ends the value '%.60s' (a list stands in [...], a "
                          "formula in quotes)",
                          e->text);
    return hn_yaml_fail(r, mark,
                        "a comma inside {...} ends the value '%.60s' (put the formula in quotes)",
                        e->text);
  }
  return true;
}

// 0 while a map or list is open
static int weight_of(const hn_yaml *node) {
  return node->kind == HN_YAML_SCALAR ? 1 : node->weight;
}

// The weight of a tree counts every alias in full, in 64 bits: each child has fewer than the limit.
bool hn_yaml_close(hn_yaml_reader *r, hn_yaml_mark mark) {
  hn_yaml *node = r->open[--r->depth];
  int64_t weight = 1;
  // keys are values as well
  for (const hn_yaml *e = node->first; e; e = e->next) weight += weight_of(e) + (e->key ? 1 : 0);
  if (weight > most_nodes(r))
    return hn_yaml_fail(r, mark, "aliases stand for more than %lld values",
                        (long long)most_nodes(r));
  node->weight = (int)weight;
  return node->kind == HN_YAML_LIST ||
         (refuse_split_formula(r, node) && refuse_duplicates(r, node));
}

// an alias shares what is below the node it stands for
// A copy of the node itself with its own place, sharing what is below; names are searched linearly,
// HN_YAML_ANCHORS at most.
bool hn_yaml_add_alias(hn_yaml_reader *r, hn_yaml_name name, hn_yaml_mark mark) {
  // of a long name the beginning is enough
  const hn_yaml *target = NULL;
  int width = name.length < 60 ? (int)name.length : 60;
  for (int i = 0; i < r->anchor_count; i++)  // the last one counts
    if (strlen(r->anchors[i].name) == name.length &&
        memcmp(r->anchors[i].name, name.text, name.length) == 0)
      target = r->anchors[i].node;
  if (!target) return hn_yaml_fail(r, mark, "there is no anchor '%.*s'", width, name.text);
  if (weight_of(target) == 0)
    return hn_yaml_fail(r, mark, "alias '%.*s' stands inside what it stands for", width, name.text);
  hn_yaml *node = new_node(r, target->kind, mark);
  if (!node) return false;
  hn_yaml here = *node;
  // a copy of the head: what is below is shared, and never changed
  *node = *target;
  node->line = here.line, node->column = here.column;
  node->key = NULL, node->next = NULL;
  node->verbatim = false;
  return attach(r, node, mark);
}

hn_yaml_doc *hn_yaml_parse(const char *text, size_t length, hn_yaml_error *error) {
  *error = (hn_yaml_error){0};  // also of an earlier call
  if (length > HN_YAML_SIZE) {
    error->status = HN_ERR_SYNTAX;
    snprintf(error->message, sizeof error->message, "the file is larger than %d MiB",
             HN_YAML_SIZE >> 20);
    return NULL;
  }
  // too large for the stack: arrays of open nodes and anchors
  hn_yaml_reader *r = calloc(1, sizeof *r);
  hn_yaml_doc *doc = calloc(1, sizeof *doc);
  bool ok = false;
  if (r && doc) {
    *r = (hn_yaml_reader){
        .text = text, .at = text, .end = text + length, .fresh = true, .doc = doc, .error = error};
    ok = hn_yaml_check_text(r) && hn_yaml_read_document(r);
    if (ok && !doc->root) ok = hn_yaml_fail(r, (hn_yaml_mark){0}, "the file is empty");
    free(r->scratch);
  } else {
    *error = (hn_yaml_error){.status = HN_ERR_MEMORY, .message = "out of memory"};
  }
  free(r);
  if (ok) return doc;
  hn_yaml_destroy(doc);
  return NULL;
}

// ---- looking at it -------------------------------------------------------------------------

const hn_yaml *hn_yaml_root(const hn_yaml_doc *doc) {
  return doc->root;
}

// Linear, since maps of a model file have few entries; sections of many elements are walked
// instead.
// NULL for what is no map, so that calls can be nested
const hn_yaml *hn_yaml_get(const hn_yaml *map, const char *key) {
  if (!map || map->kind != HN_YAML_MAP) return NULL;
  for (const hn_yaml *e = map->first; e; e = e->next)
    if (*e->key->text == *key && strcmp(e->key->text, key) == 0) return e;
  return NULL;
}

const hn_yaml *hn_yaml_item(const hn_yaml *list, int index) {
  const hn_yaml *e = list && list->kind == HN_YAML_LIST ? list->first : NULL;
  while (e && index-- > 0) e = e->next;
  return e;
}

bool hn_yaml_is_empty(const hn_yaml *node) {
  // "null" in quotes is a word
  if (node->kind != HN_YAML_SCALAR || node->quoted) return false;
  return !*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}
