// yaml.h: a YAML (or JSON) document as a tree of nodes, each with its place in the file.
//
// Values are text; what a word means is decided by the reader, so none of YAML's implicit types
// can surprise anybody. Hostile files are refused before they cost time or memory: size, depth,
// number of nodes and the weight of aliases are limited.
#ifndef HN_YAML_H
#define HN_YAML_H

#include "base/base.h"

enum {
  HN_YAML_SIZE = 64 << 20,  // bytes of a document
  HN_YAML_DEPTH = 32,       // nesting of maps and lists
  // nodes, with every alias counted in full: this many, and so many for each byte of large files
  HN_YAML_NODES = 8000000,
  HN_YAML_DENSITY = 4,
  HN_YAML_LARGE = 1 << 20,
  HN_YAML_ANCHORS = 1000,
  HN_YAML_CHANGES = -1,
  HN_YAML_COLUMN = (1 << 27) - 1,  // the largest that a node has room for
};

typedef enum hn_yaml_kind { HN_YAML_SCALAR, HN_YAML_LIST, HN_YAML_MAP } hn_yaml_kind;

// Files of large models have millions of nodes: each is 48 bytes.
typedef struct hn_yaml {
  int line;              // 1-based
  unsigned column : 27;  // 1-based, in characters; no line is longer than HN_YAML_SIZE
  unsigned kind : 2;     // hn_yaml_kind
  bool quoted : 1;       // scalar: it was written in quotes
  bool verbatim : 1;     // scalar: its text stands in one line of the file just as it is here
  int count;             // items of a list, entries of a map
  union {
    int weight;  // map, list: nodes of this tree, itself included; 0 while it is being read
    int note;    // scalar: by which a reader knows it again (model_memory.c); 0: not at all,
                 // HN_YAML_CHANGES: its text is another one every time
  };
  const char *text;           // scalar: terminated, without zeros inside
  const struct hn_yaml *key;  // the key of an entry of a map
  struct hn_yaml *next;       // next item or entry
  struct hn_yaml *first;      // items of a list, values of a map
} hn_yaml;

typedef struct hn_yaml_doc hn_yaml_doc;

typedef struct hn_yaml_error {
  hn_status status;
  int line, column;
  char message[256];
} hn_yaml_error;

// NULL and *error on failure
hn_yaml_doc *hn_yaml_parse(const char *text, size_t length, hn_yaml_error *error);
void hn_yaml_destroy(hn_yaml_doc *doc);
// the same tree with memory of its own, for reading it again and again; NULL: out of memory. It
// lives no longer than the document
hn_yaml_doc *hn_yaml_borrow(const hn_yaml_doc *doc);
void hn_yaml_empty(hn_yaml_doc *view);  // what was taken of a borrowed one's memory is free again
const hn_yaml *hn_yaml_root(const hn_yaml_doc *doc);
// memory that lives as long as the document; NULL when there is none left
void *hn_yaml_take(hn_yaml_doc *doc, size_t size);

const hn_yaml *hn_yaml_get(const hn_yaml *map, const char *key);  // NULL when there is none
const hn_yaml *hn_yaml_item(const hn_yaml *list, int index);
bool hn_yaml_is_empty(const hn_yaml *node);  // nothing was written, or null

#endif
