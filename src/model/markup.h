// markup.h: the elements of an XML text, in place: names, attributes and texts are pieces of it.
//
// For files that are mostly long lists of numbers (COLLADA), and in builds without expat. No
// declarations, no CDATA; names and addresses are compared as they stand, entities are not
// resolved.
#ifndef HN_MARKUP_H
#define HN_MARKUP_H

#include "base/base.h"

enum {
  HN_MARKUP_DEPTH = 64,
  HN_MARKUP_ELEMENTS = 200000,
};

typedef struct hn_piece {
  const char *at;
  size_t length;
} hn_piece;

typedef struct hn_element {
  hn_piece name, attributes, text;  // text: up to the first element in it
  int parent, end, line;            // end: behind its last descendant
} hn_element;

// elements in the order of the file; the root is 0
typedef struct hn_markup {
  hn_element *element;
  int count, room;
} hn_markup;

// `text` has a zero behind its end; free() markup->element in any case. message: "path:line: ..."
hn_status hn_markup_read(hn_markup *markup, const char *text, size_t length, const char *path,
                         char message[HN_MESSAGE]);

bool hn_piece_is(hn_piece piece, const char *word);
hn_piece hn_markup_attribute(const hn_markup *markup, int element, const char *name);
// the next child of this name behind `after` (or its first: after = parent); -1: none
int hn_markup_next(const hn_markup *markup, int parent, const char *name, int after);
int hn_markup_child(const hn_markup *markup, int parent, const char *name);
// the element with the id that an address "#id" names; -1: none
int hn_markup_find(const hn_markup *markup, hn_piece address);

#endif
