// xml.c: expat's events turned into a tree.
//
// Expat checks that the document is well formed and turns entities and encodings into UTF-8; here
// its events become elements in a pool, in the order of the file. The functions that look for
// something mark what they find: hn_robot_tell_unseen reports the rest, so that nothing a file says
// is passed over in silence. Depth, number of elements and length of texts are limited while they
// come.
#include "robots/xml.h"

#include <stdio.h>
#include <string.h>

// Linear in the attributes of one element, of which there are few.
const char *hn_xml_get(hn_xml *element, const char *attribute) {
  if (!element) return NULL;
  for (hn_xml_attribute *a = element->attribute; a; a = a->next)
    if (strcmp(a->name, attribute) == 0) return a->seen = true, a->value;
  return NULL;
}

// Going through all children of one name this way is linear in all of them together, since the
// search goes on where it stopped.
hn_xml *hn_xml_next(hn_xml *element, hn_xml *after, const char *name) {
  if (!element) return NULL;
  for (hn_xml *e = after ? after->next : element->first; e; e = e->next)
    if (!name || strcmp(e->name, name) == 0) return e->seen = true, e;
  return NULL;
}

hn_xml *hn_xml_child(hn_xml *element, const char *name) {
  return hn_xml_next(element, NULL, name);
}

const char *hn_xml_text(hn_xml *element, const char *child) {
  hn_xml *e = hn_xml_child(element, child);
  return e ? e->text : NULL;
}

// Recursion is as deep as the document, which hn_xml_parse has limited.
void hn_xml_pass(hn_xml *element, bool all) {
  element->seen = true;
  if (!all) return;
  for (hn_xml_attribute *a = element->attribute; a; a = a->next) a->seen = true;
  for (hn_xml *e = element->first; e; e = e->next) hn_xml_pass(e, true);
}

#ifndef HN_HAVE_EXPAT

hn_xml *hn_xml_parse(hn_pool *pool, const char *text, size_t length, const char *file, int depth,
                     hn_status *status, char message[HN_MESSAGE]) {
  (void)pool, (void)text, (void)length, (void)depth;
  *status = hn_fail(message, HN_ERR_UNSUPPORTED,
                    "%.200s: holon was built without expat and cannot read XML", file);
  return NULL;
}

#else

#include <expat.h>

// State of one parse. `open` is the innermost element that is not closed yet, whose parent leads
// outwards; `text` collects characters since the last tag and is thrown away where another element
// begins.
typedef struct reader {
  XML_Parser parser;
  hn_pool *pool;
  const char *file;
  hn_xml *root, *open;
  int depth, count;
  char text[HN_XML_TEXT + 1];  // since the last tag
  int length;
  hn_status status;
  char *message;
} reader;

// Stops expat as well, so that no further event comes; the first reason stays.
static void refuse(reader *r, hn_status status, const char *what) {
  if (r->status) return;
  r->status = hn_fail(r->message, status, "%.200s:%lu:%lu: %s", r->file,
                      (unsigned long)XML_GetCurrentLineNumber(r->parser),
                      (unsigned long)XML_GetCurrentColumnNumber(r->parser) + 1, what);
  XML_StopParser(r->parser, XML_FALSE);
}

// In the order of the file, which messages about them follow.
static hn_xml_attribute *copy_attributes(reader *r, const char **pairs) {
  hn_xml_attribute *first = NULL, **end = &first;
  for (; *pairs; pairs += 2) {
    hn_xml_attribute *a = hn_pool_take(r->pool, sizeof *a);
    if (!a) return refuse(r, HN_ERR_MEMORY, "out of memory"), NULL;
    *a = (hn_xml_attribute){.name = hn_pool_text(r->pool, pairs[0], strlen(pairs[0])),
                            .value = hn_pool_text(r->pool, pairs[1], strlen(pairs[1]))};
    if (!a->name || !a->value) return refuse(r, HN_ERR_MEMORY, "out of memory"), NULL;
    *end = a, end = &a->next;
  }
  return first;
}

// `depth` was begun by the caller with the elements around an included file, so that files that
// include each other cannot nest deeper than one file could.
static void on_start(void *user, const char *name, const char **pairs) {
  reader *r = user;
  if (r->status) return;
  if (++r->depth > HN_XML_DEPTH) {
    refuse(r, HN_ERR_SYNTAX, "elements are nested too deep");
    return;
  }
  if (++r->count > HN_XML_ELEMENTS) {
    refuse(r, HN_ERR_SYNTAX, "too many elements");
    return;
  }
  hn_xml *e = hn_pool_take(r->pool, sizeof *e);
  if (!e) {
    refuse(r, HN_ERR_MEMORY, "out of memory");
    return;
  }
  *e = (hn_xml){.name = hn_pool_text(r->pool, name, strlen(name)),
                .file = r->file,
                .line = (int)XML_GetCurrentLineNumber(r->parser),
                .column = (int)XML_GetCurrentColumnNumber(r->parser) + 1,
                .attribute = copy_attributes(r, pairs),
                .parent = r->open};
  if (!e->name) {
    refuse(r, HN_ERR_MEMORY, "out of memory");
    return;
  }
  if (!r->open)
    r->root = e;
  else if (r->open->last)
    r->open->last->next = e;
  else
    r->open->first = e;
  if (r->open) r->open->last = e;
  r->open = e;
  r->length = 0;
}

// Expat hands out text in pieces as it likes. Blanks before the first character are left out here,
// those at the end in keep_text; a text that is too long is counted but not kept.
static void on_text(void *user, const char *text, int length) {
  reader *r = user;
  for (int i = 0; i < length && r->length <= HN_XML_TEXT; i++) {
    if (r->length == 0 && strchr(" \t\r\n", text[i])) continue;
    if (r->length < HN_XML_TEXT) r->text[r->length] = text[i];
    r->length++;
  }
}

// what stood between the tags of an element without others in it
static void keep_text(reader *r) {
  while (r->length > 0 && r->length <= HN_XML_TEXT && strchr(" \t\r\n", r->text[r->length - 1]))
    r->length--;
  if (r->length > 0 && r->length <= HN_XML_TEXT && !r->open->first) {
    r->open->text = hn_pool_text(r->pool, r->text, (size_t)r->length);
    if (!r->open->text) refuse(r, HN_ERR_MEMORY, "out of memory");
  }
  r->length = 0;
}

static void on_end(void *user, const char *name) {
  reader *r = user;
  (void)name;
  if (r->status) return;
  r->depth--;
  keep_text(r);
  r->open = r->open->parent;
}

// Entities are how a few lines swell to gigabytes, or reach for files elsewhere; no robot format
// needs one.
static void on_entity(void *user, const char *name, int is_parameter, const char *value, int length,
                      const char *base, const char *system, const char *public,
                      const char *notation) {
  (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system;
  (void)public, (void)notation;
  refuse(user, HN_ERR_SYNTAX, "declares an entity, which robot files have no need of");
}

// `length` fits an int for expat, since HN_XML_SIZE does. The parser belongs to this call alone,
// the tree to the pool.
hn_xml *hn_xml_parse(hn_pool *pool, const char *text, size_t length, const char *file, int depth,
                     hn_status *status, char message[HN_MESSAGE]) {
  reader r = {.pool = pool, .file = file, .depth = depth, .message = message};
  if (length > HN_XML_SIZE) {
    *status =
        hn_fail(message, HN_ERR_SYNTAX, "%.200s: larger than %d MiB", file, HN_XML_SIZE >> 20);
    return NULL;
  }
  r.parser = XML_ParserCreate(NULL);
  if (!r.parser) return *status = hn_fail(message, HN_ERR_MEMORY, "out of memory"), NULL;
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, on_start, on_end);
  XML_SetCharacterDataHandler(r.parser, on_text);
  XML_SetEntityDeclHandler(r.parser, on_entity);
  if (XML_Parse(r.parser, text, (int)length, XML_TRUE) != XML_STATUS_OK && !r.status) {
    enum XML_Error code = XML_GetErrorCode(r.parser);
    char what[160];
    // expat knows the place, and not which element is still open there
    if ((code == XML_ERROR_TAG_MISMATCH || code == XML_ERROR_NO_ELEMENTS) && r.open)
      snprintf(what, sizeof what, "%s: <%.60s> of line %d is open", XML_ErrorString(code),
               r.open->name, r.open->line);
    else
      snprintf(what, sizeof what, "%s", XML_ErrorString(code));
    refuse(&r, code == XML_ERROR_NO_MEMORY ? HN_ERR_MEMORY : HN_ERR_SYNTAX, what);
  }
  XML_ParserFree(r.parser);
  *status = r.status;
  return r.status ? NULL : r.root;
}

#endif
