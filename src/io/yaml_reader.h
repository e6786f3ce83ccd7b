// yaml_reader.h: how the text of a document becomes a tree; private to src/io/yaml*.c.
//
// Characters and scalars are yaml_scan.c, maps and lists yaml_grammar.c; both hand what they find
// to yaml.c, which builds the tree and keeps its limits.
#ifndef HN_YAML_READER_H
#define HN_YAML_READER_H

#include "io/yaml.h"

typedef struct hn_yaml_mark {
  int line, column;  // from 0, in characters
} hn_yaml_mark;

typedef struct hn_yaml_name {
  const char *text;  // NULL: there is none
  size_t length;
} hn_yaml_name;

// what a scalar says, before it has a place in the tree
typedef struct hn_yaml_scalar {
  hn_yaml_mark mark;
  const char *text;  // valid until the next scalar is read
  size_t length;
  bool quoted, verbatim;
} hn_yaml_scalar;

typedef struct hn_yaml_anchor {
  const char *name;
  const hn_yaml *node;
} hn_yaml_anchor;

// One struct for the whole reading: position in the text, the scalar at hand, and the tree so far.
// The grammar of YAML needs to know whether a key may begin at a place, which is `fresh`: at the
// start of a line, behind '-' and '?', but not behind a ':'.
typedef struct hn_yaml_reader {
  // the text
  const char *text, *at, *end;
  int line, column;  // of `at`
  int flow;          // how many [ and { are open
  int indent;        // of what they stand in
  bool fresh;        // a key or an entry of a list may begin here
  char *scratch;     // the scalar read last, where it does not stand in the text as it is
  size_t used, size;
  // the tree
  hn_yaml_doc *doc;
  hn_yaml_error *error;
  hn_yaml *open[HN_YAML_DEPTH];       // maps and lists that are being read
  hn_yaml *last[HN_YAML_DEPTH];       // what each of them got last; NULL: it is empty
  const hn_yaml *key[HN_YAML_DEPTH];  // key that waits for its value
  int depth;
  long nodes;
  hn_yaml_anchor anchors[HN_YAML_ANCHORS];
  int anchor_count;
} hn_yaml_reader;

// ---- failures (yaml.c): they return false ---------------------------------------------------

__attribute__((format(printf, 3, 4))) bool hn_yaml_fail(hn_yaml_reader *r, hn_yaml_mark mark,
                                                        const char *format, ...);
bool hn_yaml_fail_memory(hn_yaml_reader *r);

// ---- the tree (yaml.c) ----------------------------------------------------------------------

bool hn_yaml_add_scalar(hn_yaml_reader *r, const hn_yaml_scalar *scalar, hn_yaml_name anchor);
bool hn_yaml_add_alias(hn_yaml_reader *r, hn_yaml_name name, hn_yaml_mark mark);
bool hn_yaml_open(hn_yaml_reader *r, hn_yaml_kind kind, hn_yaml_name anchor, hn_yaml_mark mark);
bool hn_yaml_close(hn_yaml_reader *r, hn_yaml_mark mark);

// ---- characters (yaml_scan.c) ---------------------------------------------------------------

// the byte k further on; 0 past the end
static inline unsigned char hn_yaml_peek(const hn_yaml_reader *r, size_t k) {
  return (size_t)(r->end - r->at) > k ? (unsigned char)r->at[k] : 0;
}

static inline hn_yaml_mark hn_yaml_here(const hn_yaml_reader *r) {
  return (hn_yaml_mark){r->line, r->column};
}

bool hn_yaml_is_blank_or_end(const hn_yaml_reader *r, size_t k);  // blank, tab, line break, end
void hn_yaml_skip(hn_yaml_reader *r, int characters);             // within a line
bool hn_yaml_at_marker(const hn_yaml_reader *r);                  // of a document: --- or ...
bool hn_yaml_check_text(hn_yaml_reader *r);                       // is it text at all?
// to what comes next, over blanks, comments and line breaks
bool hn_yaml_skip_space(hn_yaml_reader *r);

// ---- scalars (yaml_scan.c) ------------------------------------------------------------------

bool hn_yaml_starts_plain(const hn_yaml_reader *r);
// further lines of a plain or block scalar are indented by more than `indent`
bool hn_yaml_read_plain(hn_yaml_reader *r, int indent, hn_yaml_scalar *out);
bool hn_yaml_read_quoted(hn_yaml_reader *r, hn_yaml_scalar *out);
bool hn_yaml_read_block(hn_yaml_reader *r, int indent, hn_yaml_scalar *out);
// the name after & or *
bool hn_yaml_read_name(hn_yaml_reader *r, hn_yaml_name *out);

// ---- the whole (yaml_grammar.c) -------------------------------------------------------------

bool hn_yaml_read_document(hn_yaml_reader *r);

#endif
