// xml.h: an XML document as a tree of elements, each with its place in the file.
//
// Text is kept of elements that have nothing else in them, up to a length. Hostile files are
// refused before they cost time or memory: declarations of entities, size, depth and number of
// elements. Elements and attributes remember whether anybody looked at them, so that what nobody
// understood can be told.
#ifndef HN_XML_H
#define HN_XML_H

#include "base/base.h"
#include "base/pool.h"

enum {
  HN_XML_SIZE = 64 << 20,  // bytes of a document
  HN_XML_DEPTH = 400,      // nesting of elements
  HN_XML_ELEMENTS = 2 << 20,
  HN_XML_TEXT = 1000  // characters of an element's text; longer ones are none
};

typedef struct hn_xml_attribute {
  const char *name, *value;
  bool seen;
  struct hn_xml_attribute *next;
} hn_xml_attribute;

typedef struct hn_xml {
  const char *name;  // with its prefix: "drake:joint"
  const char *file;
  int line, column;  // 1-based
  bool seen;
  const char *text;  // without blanks around it; NULL: none
  hn_xml_attribute *attribute;
  struct hn_xml *parent, *first, *last, *next;
} hn_xml;

// the root, in memory of the pool; NULL, and "file:line:column: ..." on failure. `depth` counts the
// elements around it
hn_xml *hn_xml_parse(hn_pool *pool, const char *text, size_t length, const char *file, int depth,
                     hn_status *status, char message[HN_MESSAGE]);

// these look, and so mark what they find
const char *hn_xml_get(hn_xml *element, const char *attribute);         // NULL when there is none
hn_xml *hn_xml_child(hn_xml *element, const char *name);                // the first; NULL: none
const char *hn_xml_text(hn_xml *element, const char *child);            // of that; NULL: none
hn_xml *hn_xml_next(hn_xml *element, hn_xml *after, const char *name);  // NULL name: whatever it is
// the element, and with `all` everything in it, is known and needs no more attention
void hn_xml_pass(hn_xml *element, bool all);

#endif
