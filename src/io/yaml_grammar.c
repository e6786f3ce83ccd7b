// yaml_grammar.c: maps and lists of a YAML document, by indentation and in brackets.
//
// Every function that reads something leaves the reader at what comes next. A map begins where a
// scalar turns out to be a key, so scalars are read first and put into the tree afterwards.
//
// The subset: one document, block and flow collections, plain, quoted and block scalars, anchors
// and aliases. No tags, no multiple documents, no complex keys. What libyaml accepts of that is
// accepted here, and what it refuses is refused; a test compares the two on random texts.
#include "io/yaml_reader.h"

#include <string.h>

// what stands before a value, and where
typedef struct properties {
  hn_yaml_mark mark;
  hn_yaml_name anchor;
  bool any;
} properties;

// a scalar or alias that may be a key
typedef struct word {
  properties before;
  bool alias;
  hn_yaml_name name;  // of an alias
  hn_yaml_scalar scalar;
} word;

// What begins here is told by its first character, after anchors: the heart of the grammar.
static bool block_node(hn_yaml_reader *r, int indent, bool in_map);
static bool flow_node(hn_yaml_reader *r);
static bool flow_rest(hn_yaml_reader *r, const properties *before);

static bool at_indicator(const hn_yaml_reader *r, char c) {
  // ": " and "- ": a blank makes them signs
  return hn_yaml_peek(r, 0) == (unsigned char)c && hn_yaml_is_blank_or_end(r, 1);
}

static bool at_end(const hn_yaml_reader *r) {
  return r->at == r->end || hn_yaml_at_marker(r);
}

// A value that is not written is an empty scalar, at the place where it would be.
static bool add_empty(hn_yaml_reader *r, const properties *before, hn_yaml_mark mark) {
  // the place is known, and stands in the file as nothing
  hn_yaml_scalar nothing = {.mark = mark, .text = "", .verbatim = true};
  if (before && before->any) nothing.mark = before->mark, nothing.verbatim = false;
  return hn_yaml_add_scalar(r, &nothing, before ? before->anchor : (hn_yaml_name){0});
}

static hn_yaml_mark mark_of(const properties *before, hn_yaml_mark mark) {
  return before->any ? before->mark : mark;
}

// something stands where nothing of the kind may
// Guesses the likeliest slip: an unquoted text with ": " in it, a list that begins behind its key.
// `line` is where the map or list began
static bool fail_leftover(hn_yaml_reader *r, const char *expected, int line) {
  hn_yaml_mark mark = hn_yaml_here(r);
  if (at_indicator(r, ':'))
    return hn_yaml_fail(r, mark, "a ':' cannot stand here (a text with ': ' in it needs quotes)");
  if (at_indicator(r, '-') && !r->fresh)
    return hn_yaml_fail(r, mark, "a list begins in a line of its own");
  return hn_yaml_fail(r, mark, "%s is expected here, as in line %d", expected, line + 1);
}

// ---- what stands before a value ------------------------------------------------------------

static bool fail_tag(hn_yaml_reader *r) {
  int length = 0;
  // as much of it as a message needs
  while (length < 60 && !hn_yaml_is_blank_or_end(r, (size_t)length)) length++;
  return hn_yaml_fail(r, hn_yaml_here(r), "tags are not understood ('%.*s')", length, r->at);
}

// an anchor, in the line where the reader stands
// An anchor belongs to what follows it, in its line or below.
static bool read_properties(hn_yaml_reader *r, properties *out) {
  *out = (properties){.mark = hn_yaml_here(r)};
  if (hn_yaml_peek(r, 0) == '&') {
    out->any = true;
    if (!hn_yaml_read_name(r, &out->anchor) || !hn_yaml_skip_space(r)) return false;
    // "&a : b" would make a key of nothing
    if (r->line == out->mark.line && (r->flow ? hn_yaml_peek(r, 0) == ':' : at_indicator(r, ':')))
      return hn_yaml_fail(r, hn_yaml_here(r), "a key must be a word");
  }
  return hn_yaml_peek(r, 0) != '!' || fail_tag(r);
}

// ---- words: scalars and aliases ------------------------------------------------------------

static bool starts_word(const hn_yaml_reader *r) {
  unsigned char c = hn_yaml_peek(r, 0);
  return c == '*' || c == '"' || c == '\'' || hn_yaml_starts_plain(r);
}

// leaves the reader after it
// `indent` is that of the collection around: further lines of a plain scalar stand deeper.
static bool read_word(hn_yaml_reader *r, int indent, const properties *before, word *out) {
  unsigned char c = hn_yaml_peek(r, 0);
  // the place is that of the word, behind its anchor
  *out = (word){.before = *before, .alias = c == '*', .scalar.mark = hn_yaml_here(r)};
  bool ok;
  if (c == '*' && before->any)
    return hn_yaml_fail(r, hn_yaml_here(r), "an alias cannot have an anchor");
  if (c == '*')
    ok = hn_yaml_read_name(r, &out->name);
  else if (c == '"' || c == '\'')
    ok = hn_yaml_read_quoted(r, &out->scalar);
  else
    ok = hn_yaml_read_plain(r, indent, &out->scalar);
  // its text does not begin where the value is said to
  if (before->any) out->scalar.verbatim = false;
  return ok && hn_yaml_skip_space(r);
}

static hn_yaml_mark word_mark(const word *w) {
  return mark_of(&w->before, w->scalar.mark);
}

static bool add_word(hn_yaml_reader *r, const word *w) {
  if (w->alias) return hn_yaml_add_alias(r, w->name, w->scalar.mark);
  hn_yaml_scalar scalar = w->scalar;
  scalar.mark = word_mark(w);
  return hn_yaml_add_scalar(r, &scalar, w->before.anchor);
}

// does a ':' make the word before it a key? Both stand in one line
// A key stands in one line with its colon, else a plain text over several lines could become one.
static bool is_key(const hn_yaml_reader *r, const word *w) {
  if (r->line != word_mark(w).line) return false;
  // in brackets no blank is needed behind a quoted key: JSON has none
  return r->flow ? hn_yaml_peek(r, 0) == ':' : at_indicator(r, ':');
}

// ---- in brackets ---------------------------------------------------------------------------

// the value after a ':' in brackets
static bool flow_value(hn_yaml_reader *r) {
  hn_yaml_skip(r, 1);
  if (!hn_yaml_skip_space(r)) return false;
  unsigned char c = hn_yaml_peek(r, 0);
  // nothing stands before the next sign
  return c == ',' || c == ']' || c == '}' ? add_empty(r, NULL, hn_yaml_here(r)) : flow_node(r);
}

// `? key : value`, of which the value may be missing
static bool flow_explicit(hn_yaml_reader *r) {
  hn_yaml_skip(r, 1);
  if (!hn_yaml_skip_space(r)) return false;
  unsigned char c = hn_yaml_peek(r, 0);
  if (c == ':' || c == ',' || c == ']' || c == '}')
    return hn_yaml_fail(r, hn_yaml_here(r), "a key must be a word");
  if (!flow_node(r)) return false;
  return hn_yaml_peek(r, 0) == ':' ? flow_value(r) : add_empty(r, NULL, hn_yaml_here(r));
}

// In {...} a key without colon has an empty value.
static bool flow_map_entry(hn_yaml_reader *r) {
  properties before;
  word key;
  if (hn_yaml_peek(r, 0) == '?') return flow_explicit(r);
  if (!read_properties(r, &before)) return false;
  unsigned char c = hn_yaml_peek(r, 0);
  if (c == '[' || c == '{') return hn_yaml_fail(r, hn_yaml_here(r), "a key must be a word");
  // an anchor alone is an empty key
  if (before.any && (c == ',' || c == '}'))
    return add_empty(r, &before, before.mark) && add_empty(r, NULL, hn_yaml_here(r));
  if (!starts_word(r) || hn_yaml_at_marker(r))
    return hn_yaml_fail(r, hn_yaml_here(r), "a key is expected here");
  if (!read_word(r, r->indent, &before, &key)) return false;
  // asked before the word is put into the tree
  bool value = is_key(r, &key);
  if (!add_word(r, &key)) return false;
  return value ? flow_value(r) : add_empty(r, NULL, hn_yaml_here(r));
}

// in a list `key: value` is a map of one entry
static bool flow_list_entry(hn_yaml_reader *r) {
  hn_yaml_mark mark = hn_yaml_here(r);
  hn_yaml_name no_anchor = {0};
  properties before;
  word w;
  // "[? a : b]"
  if (hn_yaml_peek(r, 0) == '?')
    return hn_yaml_open(r, HN_YAML_MAP, no_anchor, mark) && flow_explicit(r) &&
           hn_yaml_close(r, hn_yaml_here(r));
  if (!read_properties(r, &before)) return false;
  if (!starts_word(r) || hn_yaml_at_marker(r)) {
    if (!flow_rest(r, &before)) return false;
    bool key = r->line == mark.line && hn_yaml_peek(r, 0) == ':';
    return !key || hn_yaml_fail(r, mark, "a key must be a word");
  }
  if (!read_word(r, r->indent, &before, &w)) return false;
  if (!is_key(r, &w)) return add_word(r, &w);
  return hn_yaml_open(r, HN_YAML_MAP, no_anchor, word_mark(&w)) && add_word(r, &w) &&
         flow_value(r) && hn_yaml_close(r, hn_yaml_here(r));
}

// Line breaks are blanks here; a comma may stand before the closing bracket.
static bool flow_collection(hn_yaml_reader *r, const properties *before) {
  bool map = hn_yaml_peek(r, 0) == '{';
  unsigned char close = map ? '}' : ']';
  hn_yaml_mark mark = hn_yaml_here(r);
  if (!hn_yaml_open(r, map ? HN_YAML_MAP : HN_YAML_LIST, before->anchor, mark_of(before, mark)))
    return false;
  r->flow++;
  hn_yaml_skip(r, 1);
  if (!hn_yaml_skip_space(r)) return false;
  for (bool first = true; hn_yaml_peek(r, 0) != close; first = false) {
    if (!first && r->at < r->end) {
      if (map && hn_yaml_peek(r, 0) == '[')
        return hn_yaml_fail(r, hn_yaml_here(r),
                            "a name with brackets stands in quotes between { and }");
      if (hn_yaml_peek(r, 0) != ',')
        return hn_yaml_fail(r, hn_yaml_here(r),
                            "',' or '%c' is expected here (the '%c' is in line %d)", close,
                            map ? '{' : '[', mark.line + 1);
      hn_yaml_skip(r, 1);
      // a comma may be the last
      if (!hn_yaml_skip_space(r)) return false;
      if (hn_yaml_peek(r, 0) == close) break;
    }
    if (r->at == r->end)
      return hn_yaml_fail(r, hn_yaml_here(r), "the file ends before the '%c' of line %d is closed",
                          map ? '{' : '[', mark.line + 1);
    if (!(map ? flow_map_entry(r) : flow_list_entry(r))) return false;
  }
  hn_yaml_mark end = hn_yaml_here(r);
  // behind a bracket no key begins
  r->flow--;
  r->fresh = false;
  hn_yaml_skip(r, 1);
  return hn_yaml_close(r, end) && hn_yaml_skip_space(r);
}

// a value that is no word
static bool flow_rest(hn_yaml_reader *r, const properties *before) {
  unsigned char c = hn_yaml_peek(r, 0);
  if (c == '[' || c == '{') return flow_collection(r, before);
  if (before->any && (c == ',' || c == ']' || c == '}')) return add_empty(r, before, before->mark);
  return hn_yaml_fail(r, hn_yaml_here(r), "a value is expected here");
}

static bool flow_node(hn_yaml_reader *r) {
  properties before;
  word w;
  if (!read_properties(r, &before)) return false;
  if (!starts_word(r) || hn_yaml_at_marker(r)) return flow_rest(r, &before);
  return read_word(r, r->indent, &before, &w) && add_word(r, &w);
}

// ---- by indentation ------------------------------------------------------------------------

// does a value follow that belongs to what is indented by `indent`? The entries of a list may stand
// below the key they belong to, and so may the sign of a block of text
// A list may stand in the column of its key; anything else must be deeper, or the value is empty.
static bool has_node(const hn_yaml_reader *r, int indent, bool in_map) {
  if (at_end(r)) return false;
  if (r->column != indent || !r->fresh) return r->column > indent;
  unsigned char c = hn_yaml_peek(r, 0);
  return c == '|' || c == '>' || (in_map && at_indicator(r, '-'));
}

// the value after a ':' or '-' that was just passed
static bool block_value(hn_yaml_reader *r, int indent, bool in_map) {
  // in this line, or below
  hn_yaml_mark mark = hn_yaml_here(r);
  if (!hn_yaml_skip_space(r)) return false;
  return has_node(r, indent, in_map) ? block_node(r, indent, in_map) : add_empty(r, NULL, mark);
}

static bool map_value(hn_yaml_reader *r, int column, bool explicit) {
  hn_yaml_skip(r, 1);
  // behind ": " no key may begin in the same line
  r->fresh = explicit;
  return block_value(r, column, true);
}

// `? key`, and below it perhaps `: value`
static bool map_explicit(hn_yaml_reader *r, int column) {
  hn_yaml_skip(r, 1);
  r->fresh = true;
  if (!block_value(r, column, true)) return false;
  // the value stands in the column of the '?'
  if (!at_end(r) && r->column == column && at_indicator(r, ':')) return map_value(r, column, true);
  return add_empty(r, NULL, hn_yaml_here(r));
}

// `start` is the first key of the map, which messages point to as an example.
static bool map_entry(hn_yaml_reader *r, int column, hn_yaml_mark start) {
  properties before;
  word key;
  if (at_indicator(r, '?')) return map_explicit(r, column);
  if (!read_properties(r, &before)) return false;
  unsigned char c = hn_yaml_peek(r, 0);
  if (c == '[' || c == '{') return hn_yaml_fail(r, hn_yaml_here(r), "a key must be a word");
  if (!starts_word(r)) return fail_leftover(r, "a key", start.line);
  if (!read_word(r, column, &before, &key)) return false;
  if (!is_key(r, &key))
    return hn_yaml_fail(r, word_mark(&key), "a ':' is expected after this key, as in line %d",
                        start.line + 1);
  return add_word(r, &key) && map_value(r, column, false);
}

// a map whose keys stand in one column; its first key, unless explicit, has been read
// All keys in one column: deeper ones belong to values, less deep ones to a map around.
static bool block_map(hn_yaml_reader *r, int column, const properties *before, const word *first) {
  hn_yaml_mark start = first ? word_mark(first) : hn_yaml_here(r);
  if (!hn_yaml_open(r, HN_YAML_MAP, before->anchor, mark_of(before, start))) return false;
  if (!(first ? add_word(r, first) && map_value(r, column, false) : map_explicit(r, column)))
    return false;
  while (!at_end(r) && !(r->fresh && r->column < column)) {
    // something deeper that belongs to nothing
    if (!r->fresh || r->column > column) return fail_leftover(r, "a key", start.line);
    if (!map_entry(r, column, start)) return false;
  }
  return hn_yaml_close(r, hn_yaml_here(r));
}

// a list whose '-' stand in one column; `in_map`: perhaps that of the key it belongs to
// The entries' column is that of the first '-'.
static bool block_list(hn_yaml_reader *r, int indent, const properties *before) {
  hn_yaml_mark start = hn_yaml_here(r);
  int column = r->column;
  if (!hn_yaml_open(r, HN_YAML_LIST, before->anchor, mark_of(before, start))) return false;
  for (;;) {
    hn_yaml_skip(r, 1);
    r->fresh = true;
    if (!block_value(r, column, false)) return false;
    if (at_end(r) || (r->fresh && r->column < column)) break;
    if (r->fresh && r->column == column && at_indicator(r, '-')) continue;
    // what stands below the key is the next key
    if (r->fresh && r->column == column && column == indent) break;
    return fail_leftover(r, "a '-'", start.line);
  }
  return hn_yaml_close(r, hn_yaml_here(r));
}

static bool block_text(hn_yaml_reader *r, int indent, const properties *before) {
  hn_yaml_scalar scalar;
  if (!hn_yaml_read_block(r, indent, &scalar)) return false;
  scalar.mark = mark_of(before, scalar.mark);
  return hn_yaml_add_scalar(r, &scalar, before->anchor) && hn_yaml_skip_space(r);
}

// brackets; no key, however much the ':' after them would like it
// `fresh` tells whether a key could have stood there.
static bool block_flow(hn_yaml_reader *r, int indent, const properties *before, bool fresh) {
  hn_yaml_mark mark = mark_of(before, hn_yaml_here(r));
  r->indent = indent;
  if (!flow_collection(r, before)) return false;
  bool key = fresh && r->line == mark.line && at_indicator(r, ':');
  return !key || hn_yaml_fail(r, mark, "a key must be a word");
}

// Two anchors are possible: one of the whole map, in the line above, and one of its first key.
static bool block_word(hn_yaml_reader *r, int indent, const properties *outer,
                       const properties *inner, int column, bool fresh) {
  word w;
  if (!read_word(r, indent, inner, &w)) return false;
  if (fresh && is_key(r, &w)) return block_map(r, column, outer, &w);
  if (outer->any && inner->any) return hn_yaml_fail(r, inner->mark, "a second anchor of one value");
  if (outer->any && w.alias)
    return hn_yaml_fail(r, w.scalar.mark, "an alias cannot have an anchor");
  // what it says is known, where it begins is not
  if (outer->any) w.before = *outer, w.scalar.verbatim = false;
  return add_word(r, &w);
}

static bool block_node(hn_yaml_reader *r, int indent, bool in_map) {
  properties outer = {0}, inner;
  int line = r->line, column = r->column;
  bool fresh = r->fresh;
  if (!read_properties(r, &inner)) return false;
  if (inner.any && r->line != line) {
    // an anchor at the end of a line is that of what follows as a whole
    outer = inner;
    if (!has_node(r, indent, in_map)) return add_empty(r, &outer, outer.mark);
    // from the next line on the anchor counts for all of it
    fresh = r->fresh, column = r->column, line = r->line;
    if (!read_properties(r, &inner)) return false;
    if (inner.any && r->line != line)
      return hn_yaml_fail(r, inner.mark, "a second anchor of one value");
  }
  if (inner.any && at_end(r) && !outer.any) return add_empty(r, &inner, inner.mark);
  const properties *before = outer.any ? &outer : &inner;
  unsigned char c = hn_yaml_peek(r, 0);
  if (at_indicator(r, '-') && r->fresh) return block_list(r, indent, before);
  if (at_indicator(r, '?') && r->fresh) return block_map(r, column, before, NULL);
  if (outer.any && inner.any && !starts_word(r))
    return hn_yaml_fail(r, inner.mark, "a second anchor of one value");
  if (c == '[' || c == '{') return block_flow(r, indent, before, fresh);
  if (c == '|' || c == '>') return block_text(r, indent, before);
  if (starts_word(r)) return block_word(r, indent, &outer, &inner, column, fresh);
  if (at_indicator(r, ':') || at_indicator(r, '-')) return fail_leftover(r, "a value", r->line);
  return hn_yaml_fail(r, hn_yaml_here(r), "a value cannot begin with '%c' (put it in quotes)", c);
}

// ---- the document --------------------------------------------------------------------------

// %YAML 1.1 or 1.2
static bool read_directive(hn_yaml_reader *r) {
  static const char version[] = "%YAML 1.";
  size_t length = strlen(version);
  bool known = (size_t)(r->end - r->at) > length && memcmp(r->at, version, length) == 0;
  if (known) known = hn_yaml_peek(r, length) == '1' || hn_yaml_peek(r, length) == '2';
  if (!known || !hn_yaml_is_blank_or_end(r, length + 1))
    return hn_yaml_fail(r, hn_yaml_here(r),
                        hn_yaml_peek(r, 1) == 'T' ? "tags are not understood"
                                                  : "this directive is not understood");
  hn_yaml_skip(r, (int)length + 1);
  return hn_yaml_skip_space(r);
}

// nothing may follow but ends of the document
static bool read_rest(hn_yaml_reader *r) {
  while (hn_yaml_at_marker(r) && hn_yaml_peek(r, 0) == '.') {
    hn_yaml_skip(r, 3);
    if (!hn_yaml_skip_space(r)) return false;
    if (r->at < r->end && !hn_yaml_at_marker(r)) break;
  }
  return r->at == r->end ||
         hn_yaml_fail(r, hn_yaml_here(r), "a second document starts here (a file holds one model)");
}

// A directive, a marker, one node, the end.
bool hn_yaml_read_document(hn_yaml_reader *r) {
  if (!hn_yaml_skip_space(r)) return false;
  bool directive = hn_yaml_peek(r, 0) == '%' && r->column == 0;
  if (directive && !read_directive(r)) return false;
  bool marked = hn_yaml_at_marker(r) && hn_yaml_peek(r, 0) == '-';
  if (directive && !marked)
    return hn_yaml_fail(r, hn_yaml_here(r), "'---' is expected after a directive");
  if (r->at == r->end) return true;
  if (marked) {
    hn_yaml_skip(r, 3);
    r->fresh = false;
    if (!hn_yaml_skip_space(r)) return false;
    if (!(at_end(r) ? add_empty(r, NULL, hn_yaml_here(r)) : block_node(r, -1, false))) return false;
  } else if (hn_yaml_at_marker(r)) {
    return hn_yaml_fail(r, hn_yaml_here(r), "the document ends before it begins");
  } else if (!block_node(r, -1, false)) {
    return false;
  }
  if (!at_end(r)) return fail_leftover(r, "the end of the file", r->line);
  return read_rest(r);
}
