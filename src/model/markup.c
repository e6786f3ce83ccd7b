// markup.c: see markup.h.
#include "model/markup.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
  hn_markup *markup;
  const char *at, *counted, *path;  // counted: lines are known up to here
  char *message;
  // open: numbers of the elements that are open, outermost first
  int line, open[HN_MARKUP_DEPTH], depth;
} reader;

// Lines are counted when they are wanted, from where the last count stopped: linear in all.
static hn_status broken(reader *r, const char *what) {
  for (; r->counted < r->at; r->counted++) r->line += *r->counted == '\n';
  return hn_fail(r->message, HN_ERR_SYNTAX, "%.300s:%d: %s", r->path, r->line, what);
}

// what XML calls white space; the locale is not asked
static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c) {
  // bytes above 127 are letters of other scripts: none of ours, but names
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == ':' || c == '.' || (unsigned char)c >= 128;
}

static hn_piece take_name(reader *r) {
  const char *start = r->at;
  while (is_name(*r->at)) r->at++;
  return (hn_piece){start, (size_t)(r->at - start)};
}

// behind the words that end it
static hn_status skip_past(reader *r, const char *end) {
  const char *found = strstr(r->at, end);
  // the text has a zero behind its end, so strstr() ends
  if (!found) return broken(r, "a remark has no end");
  r->at = found + strlen(end);
  return HN_OK;
}

// Its end is where the next element would stand, behind all of its descendants.
static hn_status close_element(reader *r) {
  r->at += 2;  // "</"
  hn_piece name = take_name(r);
  while (is_blank(*r->at)) r->at++;
  if (*r->at != '>') return broken(r, "an element is not closed by '>'");
  if (!r->depth) return broken(r, "an element is closed that is not open");
  hn_element *e = &r->markup->element[r->open[--r->depth]];
  if (e->name.length != name.length || memcmp(e->name.at, name.at, name.length) != 0)
    return broken(r, "another element is open than the one that is closed");
  // the number the next element will have
  e->end = r->markup->count;
  r->at++;
  return HN_OK;
}

// Attributes are left as a piece of text and looked at when asked for: quotes may hold '>'.
static hn_status open_element(reader *r) {
  hn_markup *m = r->markup;
  r->at++;
  if (r->depth == HN_MARKUP_DEPTH) return broken(r, "elements are nested too deep");
  if (m->count == HN_MARKUP_ELEMENTS) return broken(r, "there are too many elements");
  // XML has one root: what follows it belongs to no file of ours
  if (m->count && !r->depth) return broken(r, "there is a second root");
  if (!hn_grow((void **)&m->element, &m->room, m->count, sizeof *m->element))
    return hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
  // so that each line is counted once
  for (; r->counted < r->at; r->counted++) r->line += *r->counted == '\n';
  hn_element e = {.name = take_name(r), .line = r->line};
  e.parent = r->depth ? r->open[r->depth - 1] : -1;
  if (!e.name.length) return broken(r, "'<' begins an element, which has a name");
  e.attributes.at = r->at;
  // up to the '>' outside of quotes
  for (char quote = 0; quote || *r->at != '>'; r->at++) {
    if (!*r->at || *r->at == '<') return broken(r, "an element is not closed by '>'");
    // the other quote inside of quotes is a letter
    if (quote ? *r->at == quote : *r->at == '"' || *r->at == '\'') quote = quote ? 0 : *r->at;
  }
  e.attributes.length = (size_t)(r->at - e.attributes.at);
  // "<a/>" has neither text nor children
  bool empty = r->at[-1] == '/';
  r->at++;
  e.text = (hn_piece){r->at, empty ? 0 : strcspn(r->at, "<")};
  e.end = m->count + 1;
  if (!empty) r->open[r->depth++] = m->count;
  m->element[m->count++] = e;
  return HN_OK;
}

// No zero inside of the text, so that string functions stop at its end.
hn_status hn_markup_read(hn_markup *markup, const char *text, size_t length, const char *path,
                         char message[HN_MESSAGE]) {
  reader r = {.markup = markup, .at = text, .counted = text, .path = path, .line = 1};
  hn_status status = HN_OK;
  *markup = (hn_markup){0};
  r.message = message;
  // the format allows no zero, and pieces would end early
  if (strlen(text) != length) return broken(&r, "there is a zero in the text");
  while (!status && *(r.at += strcspn(r.at, "<"))) {
    if (r.at[1] == '?')
      status = skip_past(&r, "?>");
    else if (strncmp(r.at, "<!--", 4) == 0)
      status = skip_past(&r, "-->");
    else if (r.at[1] == '!')
      status = broken(&r, "declarations are not read");
    else
      status = r.at[1] == '/' ? close_element(&r) : open_element(&r);
  }
  if (!status && r.depth) status = broken(&r, "an element is not closed");
  if (!status && !markup->count) status = broken(&r, "there is no element");
  // the caller frees the elements in any case
  return status;
}

// ---- questions -----------------------------------------------------------------------------

bool hn_piece_is(hn_piece piece, const char *word) {
  return strlen(word) == piece.length && memcmp(piece.at, word, piece.length) == 0;
}

// Anew for each question; files have few attributes and long texts.
// a piece without address: there is no such attribute
hn_piece hn_markup_attribute(const hn_markup *markup, int element, const char *name) {
  hn_piece all = markup->element[element].attributes;
  const char *s = all.at, *end = all.at + all.length;
  while (s < end) {
    while (s < end && !is_name(*s)) s++;
    hn_piece key = {s, 0};
    while (s < end && is_name(*s)) s++;
    key.length = (size_t)(s - key.at);
    // what stands between the name and the quote is '='
    while (s < end && *s != '"' && *s != '\'') s++;
    if (s == end) break;
    const char *value = s + 1;
    // to the same quote
    for (s = value; s < end && *s != value[-1];) s++;
    if (s == end) break;
    if (hn_piece_is(key, name)) return (hn_piece){value, (size_t)(s - value)};
    s++;
  }
  return (hn_piece){NULL, 0};
}

int hn_markup_next(const hn_markup *markup, int parent, const char *name, int after) {
  // children lie between an element and its end, each skipped as a whole
  int i = after == parent ? parent + 1 : markup->element[after].end;
  for (; i < markup->element[parent].end; i = markup->element[i].end)
    if (hn_piece_is(markup->element[i].name, name)) return i;
  return -1;
}

int hn_markup_child(const hn_markup *markup, int parent, const char *name) {
  return parent < 0 ? -1 : hn_markup_next(markup, parent, name, parent);
}

// Linear in the elements, for each reference: a few thousand at the most.
int hn_markup_find(const hn_markup *markup, hn_piece address) {
  if (address.length < 2 || *address.at != '#') return -1;
  for (int i = 0; i < markup->count; i++) {
    hn_piece id = hn_markup_attribute(markup, i, "id");
    if (id.length == address.length - 1 && memcmp(id.at, address.at + 1, id.length) == 0) return i;
  }
  return -1;
}
