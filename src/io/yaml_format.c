// yaml_format.c: a model file in its usual form, with everything that is said in it.
//
// The text is looked at line by line. A line that begins an entry is moved to its level: two
// columns for each, list items one level below their key. What goes on from the line before (lists
// and maps in brackets, texts in quotes, long and block texts) moves along with it. Comments keep
// the level they stand at. Inside of brackets commas and colons are followed by a blank, and the
// brackets by none; more blanks are left, because they align. At most one empty line separates
// entries. Order, numbers, quotes and comments stay what they are.
//
// The new text is read again: should it say anything else than the old one, it is thrown away.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "io/yaml.h"

enum { DEPTH = 2 * HN_YAML_DEPTH + 8 };

// a map or list by indentation: its column in the file, and in the new text
typedef struct level {
  bool list;
  int from, to;
} level;

// a line of its own that says nothing: a comment, or empty (length 0)
typedef struct aside {
  const char *text;
  int length, column;
} aside;

// Lines come in, text goes out; what a line means follows from the levels that are open, and from
// whether brackets or quotes go on from the line before.
typedef struct formatter {
  const char *at, *end;
  hn_text out;
  level level[DEPTH];
  int depth;
  bool open;      // the last entry has no value yet: what is deeper is its value
  int shift;      // by which lines that go on are moved
  int flow;       // brackets that are open
  char quote;     // that is open, or 0
  bool start;     // a value begins here: quotes and brackets are what they look like
  char previous;  // character that is no blank
  aside *aside;
  int asides, aside_room;
  bool failed;
} formatter;

static void put(formatter *f, const char *text, size_t length) {
  hn_text_bytes(&f->out, text, length);
}

static void put_blanks(formatter *f, int count) {
  while (count-- > 0) put(f, " ", 1);
}

// Blanks at the end of a line say nothing outside of block texts, which put_block writes itself.
static void end_line(formatter *f) {
  while (f->out.used && f->out.text[f->out.used - 1] == ' ') f->out.text[--f->out.used] = 0;
  put(f, "\n", 1);
}

static const level *top(const formatter *f) {
  return f->depth ? &f->level[f->depth - 1] : NULL;
}

// One level more; the columns it had and will have.
static void push(formatter *f, bool list, int from, int to) {
  if (f->depth < DEPTH)
    f->level[f->depth++] = (level){list, from, to};
  else
    f->failed = true;  // the reader refuses such a file
}

// ---- lines ---------------------------------------------------------------------------------

typedef struct line {
  const char *text;
  int length, column;  // without what ends it and blanks there; of its first character
} line;

// Without the line's end and what is blank before it.
static bool next_line(formatter *f, line *l) {
  if (f->at >= f->end) return false;
  const char *stop = memchr(f->at, '\n', (size_t)(f->end - f->at));
  if (!stop) stop = f->end;
  const char *from = f->at, *to = stop;
  f->at = stop < f->end ? stop + 1 : f->end;
  while (to > from && (to[-1] == '\r' || to[-1] == ' ' || to[-1] == '\t')) to--;
  l->column = 0;
  while (from < to && *from == ' ') from++, l->column++;
  l->text = from;
  l->length = (int)(to - from);
  return true;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// ---- comments and empty lines --------------------------------------------------------------

static void keep_aside(formatter *f, const line *l) {
  if (!hn_grow((void **)&f->aside, &f->aside_room, f->asides, sizeof *f->aside))
    f->failed = true;
  else
    f->aside[f->asides++] = (aside){l->text, l->length, l->column};
}

// the level a comment stands at: the deepest that does not begin to its right
// A comment belongs to what is below it or above it: the levels of both are looked at.
static int column_of(const formatter *f, int column, const level *before, int depth) {
  int from = -1, to = 0;
  for (int i = 0; i < depth + f->depth; i++) {
    const level *l = i < depth ? &before[i] : &f->level[i - depth];
    if (l->from <= column && l->from >= from) from = l->from, to = l->to;
  }
  return to;
}

// before an entry; `before`: the levels that were open above it
// Empty lines in a row become one, and none stands at the start.
static void put_asides(formatter *f, const level *before, int depth) {
  for (int i = 0; i < f->asides; i++) {
    const aside *a = &f->aside[i];
    bool again = i > 0 && f->aside[i - 1].length == 0;
    if (a->length == 0 && (again || !f->out.used)) continue;
    if (a->length) put_blanks(f, column_of(f, a->column, before, depth));
    put(f, a->text, (size_t)a->length);
    end_line(f);
  }
  f->asides = 0;
}

// inside of a value every empty line counts
static void put_inner_asides(formatter *f) {
  for (int i = 0; i < f->asides; i++) {
    if (f->aside[i].length) put_blanks(f, f->aside[i].column + f->shift);
    put(f, f->aside[i].text, (size_t)f->aside[i].length);
    end_line(f);
  }
  f->asides = 0;
}

// ---- values --------------------------------------------------------------------------------

// a character inside of quotes; how many were taken
// Quotes of a kind end by that kind, unless doubled or escaped.
static int put_quoted(formatter *f, const char *s, const char *end) {
  int count = 1;
  if (f->quote == '"' && *s == '\\' && s + 1 < end)
    count = 2;
  else if (f->quote == '\'' && *s == '\'' && s + 1 < end && s[1] == '\'')
    count = 2;
  else if (*s == f->quote)
    f->quote = 0, f->start = false;
  put(f, s, (size_t)count);
  f->previous = s[count - 1];
  return count;
}

// before what ends a value, unless there is none
static void drop_blanks(formatter *f, size_t begin) {
  if (f->previous == ':') return;
  while (f->out.used > begin && f->out.text[f->out.used - 1] == ' ') f->out.used--;
}

// a bracket, comma or colon of a list or map in brackets; how many characters were taken, 0: none
// Marks count only where a value may begin or inside of brackets: else they are part of a text.
static int put_mark(formatter *f, const char *s, const char *end, size_t begin) {
  char c = *s, next = s + 1 < end ? s[1] : ' ';
  const char *after = s + 1;
  if ((c == '[' || c == '{') && (f->start || f->flow)) {
    f->flow++, f->start = true;
    put(f, s, 1);
    while (after < end && is_blank(*after)) after++;
    // a comment keeps its distance
    if (after < end && *after == '#') after = s + 1;
  } else if ((c == ']' || c == '}') && f->flow) {
    f->flow--, f->start = false;
    drop_blanks(f, begin);
    put(f, s, 1);
  } else if (c == ',' && f->flow) {
    f->start = true;
    drop_blanks(f, begin);
    put(f, s, 1);
    if (!is_blank(next)) put(f, " ", 1);
  } else if (c == ':' && f->flow && (is_blank(next) || f->previous == '"')) {
    f->start = true;
    put(f, s, 1);
    if (!is_blank(next)) put(f, " ", 1);
  } else {
    return 0;
  }
  f->previous = c;
  return (int)(after - s);
}

// an anchor before a value, or nothing
static int put_anchor(formatter *f, const char *s, const char *end) {
  const char *after = s;
  if (!f->start || *s != '&') return 0;
  while (after < end && !is_blank(*after) && !strchr(",[]{}", *after)) after++;
  put(f, s, (size_t)(after - s));
  return (int)(after - s);
}

// the rest of a line: values, what separates them, a comment
// Character by character; a '#' begins a comment behind a blank only.
static void put_rest(formatter *f, const char *s, const char *end) {
  size_t begin = f->out.used;
  const char *first = s;
  while (s < end) {
    int taken = 0;
    if (f->quote) {
      s += put_quoted(f, s, end);
      continue;
    }
    if (*s == '#' && (s == first || is_blank(s[-1]))) {
      put(f, s, (size_t)(end - s));
      return;
    }
    taken = put_anchor(f, s, end);
    if (!taken) taken = put_mark(f, s, end, begin);
    if (!taken) {
      taken = 1;
      if ((*s == '"' || *s == '\'') && f->start) f->quote = *s;
      put(f, s, 1);
      if (!is_blank(*s)) f->start = false, f->previous = *s;
    }
    s += taken;
  }
}

// is there a value, apart from an anchor and a comment?
static bool has_value(const char *s, const char *end) {
  while (s < end && is_blank(*s)) s++;
  if (s < end && *s == '&') {
    while (s < end && !is_blank(*s)) s++;
    while (s < end && is_blank(*s)) s++;
  }
  return s < end && *s != '#';
}

// ---- block texts ---------------------------------------------------------------------------

// what begins with | or >: where its header is, or NULL
static const char *block_header(const char *s, const char *end) {
  while (s < end && is_blank(*s)) s++;
  if (s < end && *s == '&') {
    while (s < end && !is_blank(*s)) s++;
    while (s < end && is_blank(*s)) s++;
  }
  return s < end && (*s == '|' || *s == '>') ? s : NULL;
}

// its lines, moved together, with all their blanks
// Its lines move by the same distance, however deep they are against each other.
static void put_block(formatter *f, const char *header, const char *end) {
  int parent = f->depth ? top(f)->from : -1, target = f->depth ? top(f)->to : -2;
  bool keep = false, given = false;
  for (const char *s = header; s < end && !is_blank(*s); s++) {
    keep = keep || *s == '+';
    given = given || (*s >= '1' && *s <= '9');
  }
  int base = -1, empty = 0;
  for (;;) {
    const char *before = f->at;
    line l;
    if (!next_line(f, &l)) break;
    // blanks at the end of a line are part of the text
    const char *stop = f->at > before && f->at[-1] == '\n' ? f->at - 1 : f->at;
    if (stop > before && stop[-1] == '\r') stop--;
    const char *from = before;
    while (from < stop && *from == ' ') from++;
    int column = (int)(from - before);
    if (from == stop && (base < 0 || column <= base)) {
      empty++;
      continue;
    }
    // it ends with what is less deep; within the parent this can only be a comment
    if (column <= parent || (!given && column < base)) {
      f->at = before;
      break;
    }
    if (base < 0) base = column;
    while (empty > 0) put(f, "\n", 1), empty--;
    put_blanks(f, given ? column + target - parent : column - base + target + 2);
    put(f, from, (size_t)(stop - from));
    put(f, "\n", 1);
  }
  for (; keep && empty > 0; empty--) put(f, "\n", 1);
  if (empty > 0) keep_aside(f, &(line){.text = ""});
}

// ---- entries -------------------------------------------------------------------------------

static bool is_item(const char *s, const char *end) {
  return s < end && *s == '-' && (s + 1 == end || is_blank(s[1]));
}

// the colon after a key, or NULL
// Where no key can stand (a bracket, a quote that is not followed by a colon) there is none.
static const char *colon_of(const char *s, const char *end) {
  const char *first = s;
  if (s < end && strchr("[{|>#", *s)) return NULL;
  if (s < end && (*s == '"' || *s == '\'')) {
    char quote = *s++;
    for (; s < end && *s != quote; s++)
      if (quote == '"' && *s == '\\') s++;
    s++;
    while (s < end && is_blank(*s)) s++;
    return s < end && *s == ':' ? s : NULL;
  }
  for (; s < end; s++) {
    if (*s == '#' && s > first && is_blank(s[-1])) return NULL;
    if (*s == ':' && (s + 1 == end || is_blank(s[1]))) return s;
  }
  return NULL;
}

// the level of an entry that begins a line
// Deeper levels end here; a list may stand in the column of its key.
static void find_level(formatter *f, bool list, int column) {
  while (f->depth && (top(f)->from > column || (!list && top(f)->list && top(f)->from == column)))
    f->depth--;
  const level *above = top(f);
  if (above && above->from == column && above->list == list) return;
  push(f, list, column, above ? above->to + 2 : 0);
}

static int new_column(const formatter *f) {
  size_t begin = f->out.used;
  while (begin && f->out.text[begin - 1] != '\n') begin--;
  return (int)(f->out.used - begin);
}

// marks of list items and keys at the start of a line; what is left is a value
// "- - key: value" opens three levels in one line.
static void put_entry(formatter *f, const line *l) {
  level before[DEPTH];
  int depth = f->depth, column = l->column;
  const char *s = l->text, *end = s + l->length, *colon = NULL;
  bool first = true;
  memcpy(before, f->level, sizeof before);
  for (; is_item(s, end) && !f->failed; first = false) {
    if (first)
      find_level(f, true, column), put_asides(f, before, depth), put_blanks(f, top(f)->to);
    else
      push(f, true, column, top(f)->to + 2);
    const char *after = s + 1;
    while (after < end && is_blank(*after)) after++;
    column += (int)(after - s);
    put(f, "- ", 2);
    s = after;
  }
  if (f->failed) return;
  colon = colon_of(s, end);
  if (colon && first) {
    find_level(f, false, column), put_asides(f, before, depth);
    if (!f->failed) put_blanks(f, top(f)->to);
  } else if (colon) {
    push(f, false, column, top(f)->to + 2);
  } else if (first) {
    put_asides(f, before, depth);
    put_blanks(f, f->depth ? top(f)->to + 2 : 0);
  }
  f->shift = new_column(f) - column;
  f->start = true, f->previous = 0;
  if (colon) {
    while (colon > s && is_blank(colon[-1])) colon--;
    put(f, s, (size_t)(colon - s));
    put(f, ":", 1);
    s = strchr(colon, ':') + 1;
  }
  f->open = !has_value(s, end);
  const char *header = block_header(s, end);
  put_rest(f, s, end);
  end_line(f);
  if (header) put_block(f, header, end);
}

// a line that goes on with what the line before has begun
// Never less deep than its entry, so that it still belongs to it.
static void put_more(formatter *f, const line *l) {
  bool closing = l->length && (*l->text == ']' || *l->text == '}');
  int least = f->depth ? top(f)->to + (closing ? 0 : 2) : 0, column = l->column + f->shift;
  put_inner_asides(f);
  put_blanks(f, column > least ? column : least);
  put_rest(f, l->text, l->text + l->length);
  end_line(f);
}

static void put_line(formatter *f, const line *l) {
  bool inside = f->quote || f->flow;
  bool comment = l->length && *l->text == '#' && !f->quote;
  bool mark = l->column == 0 && !inside && l->length >= 3 &&
              (!strncmp(l->text, "---", 3) || !strncmp(l->text, "...", 3) || *l->text == '%');
  if (l->length == 0 || (comment && !inside)) {
    keep_aside(f, l);
  } else if (inside) {
    put_more(f, l);
  } else if (mark) {
    put_asides(f, NULL, 0);
    f->depth = 0, f->open = true;
    put(f, l->text, (size_t)l->length);
    end_line(f);
  } else if (f->depth && !f->open && l->column > top(f)->from) {
    put_more(f, l);
  } else {
    put_entry(f, l);
  }
}

// ---- is it the same? -----------------------------------------------------------------------

// Values, kinds, quotes and order; places and comments do not count.
static bool same(const hn_yaml *a, const hn_yaml *b) {
  if (a->kind != b->kind || a->count != b->count || a->quoted != b->quoted) return false;
  if (a->kind == HN_YAML_SCALAR) return strcmp(a->text, b->text) == 0;
  const hn_yaml *p = a->first, *q = b->first;
  for (; p && q; p = p->next, q = q->next)
    if (!same(p, q) || (p->key && strcmp(p->key->text, q->key->text) != 0)) return false;
  return !p && !q;
}

// The proof that nothing was changed, for every file, by the reader itself.
static hn_status compare(const hn_yaml_doc *old, const hn_text *text, const char *name,
                         char message[HN_MESSAGE]) {
  hn_yaml_error error = {0};
  hn_yaml_doc *doc = hn_yaml_parse(text->text, text->used, &error);
  bool equal = doc && same(hn_yaml_root(old), hn_yaml_root(doc));
  hn_yaml_destroy(doc);
  if (equal) return HN_OK;
  return hn_fail(message, HN_ERR_UNSUPPORTED,
                 "%.200s: is written in a way that cannot be brought into the usual form; it is "
                 "left as it is",
                 name);
}

static hn_status format(formatter *f, const hn_yaml_doc *old, const char *name,
                        char message[HN_MESSAGE]) {
  line l;
  f->open = true;
  if (f->end - f->at >= 3 && memcmp(f->at, "\xef\xbb\xbf", 3) == 0) f->at += 3;
  while (!f->failed && next_line(f, &l)) put_line(f, &l);
  // empty lines at the end are none
  while (f->asides && f->aside[f->asides - 1].length == 0) f->asides--;
  level before[DEPTH];
  memcpy(before, f->level, sizeof before);
  put_asides(f, before, f->depth);
  if (f->out.failed || !f->out.text)
    return hn_fail(message, HN_ERR_MEMORY, "%.200s: out of memory", name);
  return compare(old, &f->out, name, message);
}

// free() it; NULL and a message where the file is no YAML, or cannot be laid out.
char *hn_format_text(const char *text, size_t length, const char *name, char *message,
                     size_t size) {
  hn_yaml_error error = {0};
  char why[HN_MESSAGE] = "";
  formatter f = {.at = text, .end = text + length};
  hn_yaml_doc *doc = hn_yaml_parse(text, length, &error);
  hn_status status = HN_OK;
  if (!doc)
    status = hn_fail(why, error.status, "%.200s:%d:%d: %s", name, error.line, error.column,
                     error.message);
  else
    status = format(&f, doc, name, why);
  hn_yaml_destroy(doc);
  free(f.aside);
  if (!status) return f.out.text;
  free(f.out.text);
  if (message && size) snprintf(message, size, "%s", why);
  return NULL;
}
