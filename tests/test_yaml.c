// test_yaml.c: the reader of YAML against libyaml, on files that are right, wrong and damaged.
//
// libyaml's events are written down as a text, our tree is written down in the same way: kind,
// place, quotes and text of every node, aliases in full. Both must agree on whether a document is
// right, and if so on every letter. What we refuse by rules of our own (tags, keys that are no
// words, keys given twice ...) libyaml may accept.
#include "io/yaml.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <yaml.h>

#include "test.h"

// ---- a tree as text ------------------------------------------------------------------------

enum { MOST = 1 << 20, DEEPEST = 64, ANCHORS = 200 };

typedef struct dump {
  char *text;
  size_t used;
  bool full;
} dump;

// are places written, too? libyaml ends a last line that has no end, so that what is missing there
// stands in the next one
static bool with_places;

__attribute__((format(printf, 2, 3))) static void say(dump *d, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = d->full ? 0 : vsnprintf(d->text + d->used, MOST - d->used, format, args);
  va_end(args);
  if (n < 0 || d->used + (size_t)n >= MOST)
    d->full = true;
  else
    d->used += (size_t)n;
}

static void say_place(dump *d, const char *kind, int line, int column) {
  say(d, "(%s %d:%d", kind, with_places ? line : 0, with_places ? column : 0);
}

static void say_ours(dump *d, const hn_yaml *node) {
  static const char *const kind[] = {"scalar", "list", "map"};
  say_place(d, kind[node->kind], node->line, node->column);
  if (node->kind == HN_YAML_SCALAR) say(d, " %d%d [%s]", node->quoted, node->verbatim, node->text);
  for (const hn_yaml *e = node->first; e && !d->full; e = e->next) {
    if (e->key) say_ours(d, e->key);
    say_ours(d, e);
  }
  say(d, ")");
}

// ---- libyaml -------------------------------------------------------------------------------

typedef struct known {
  char name[64];
  size_t at, length;  // what stands after the place of the node; 0 while it is open
  char kind[8];
} known;

typedef struct theirs {
  yaml_parser_t parser;
  dump out;
  known anchor[ANCHORS];
  int anchors;
  const char *refused;  // by a rule of ours
  int line;             // of libyaml's complaint
} theirs;

static int remember(theirs *t, const yaml_char_t *name, const char *kind) {
  if (!name || t->anchors == ANCHORS) return -1;
  known *k = &t->anchor[t->anchors];
  snprintf(k->name, sizeof k->name, "%s", (const char *)name);
  snprintf(k->kind, sizeof k->kind, "%s", kind);
  k->at = t->out.used, k->length = 0;
  return t->anchors++;
}

static void recall(theirs *t, const char *name, yaml_mark_t m, bool key) {
  for (int i = t->anchors - 1; i >= 0; i--) {
    const known *k = &t->anchor[i];
    if (strncmp(k->name, name, sizeof k->name - 1) != 0) continue;
    if (!k->length || (key && strcmp(k->kind, "scalar") != 0)) break;
    say_place(&t->out, k->kind, (int)m.line + 1, (int)m.column + 1);
    if (t->out.full || t->out.used + k->length + 8 > MOST) {
      t->out.full = true;
      return;
    }
    memcpy(t->out.text + t->out.used, t->out.text + k->at, k->length);
    // the text of an alias does not stand where the alias does
    if (strcmp(k->kind, "scalar") == 0) t->out.text[t->out.used + 2] = '0';
    t->out.used += k->length;
    t->out.text[t->out.used] = 0;
    return;
  }
  // what comes after the room is full is not kept
  if (!t->out.full) t->refused = "alias";
}

static void say_scalar(theirs *t, const yaml_event_t *e) {
  yaml_mark_t m = e->start_mark;
  const char *text = (const char *)e->data.scalar.value;
  size_t length = e->data.scalar.length;
  yaml_scalar_style_t style = e->data.scalar.style;
  bool quotes =
      style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  bool verbatim =
      e->end_mark.line == m.line && e->end_mark.column - m.column == length + (quotes ? 2 : 0);
  if (e->data.scalar.tag) t->refused = "tag";
  if (memchr(text, 0, length)) t->refused = "zero";
  say_place(&t->out, "scalar", (int)m.line + 1, (int)m.column + 1);
  int anchor = remember(t, e->data.scalar.anchor, "scalar");
  say(&t->out, " %d%d [%s])", style != YAML_PLAIN_SCALAR_STYLE, verbatim, text);
  if (anchor >= 0) t->anchor[anchor].length = t->out.used - t->anchor[anchor].at;
}

typedef struct level {
  bool map;
  int items, anchor;
} level;

// one event; false at the end
static bool take(theirs *t, const yaml_event_t *e, level *open, int *depth, int *documents) {
  level *top = &open[*depth];
  bool key = top->map && top->items % 2 == 0;
  bool map = e->type == YAML_MAPPING_START_EVENT;
  switch (e->type) {
  case YAML_DOCUMENT_START_EVENT:
    if ((*documents)++) t->refused = "second document";
    if (e->data.document_start.tag_directives.start != e->data.document_start.tag_directives.end)
      t->refused = "tags";
    return true;
  case YAML_SCALAR_EVENT: say_scalar(t, e), top->items++; return true;
  case YAML_ALIAS_EVENT:
    recall(t, (const char *)e->data.alias.anchor, e->start_mark, key), top->items++;
    return true;
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    if (key) t->refused = "key";
    if (map ? e->data.mapping_start.tag : e->data.sequence_start.tag) t->refused = "tag";
    if (*depth == DEEPEST - 1) t->refused = "depth";
    if (t->refused) return false;
    top->items++;
    say_place(&t->out, map ? "map" : "list", (int)e->start_mark.line + 1,
              (int)e->start_mark.column + 1);
    open[++*depth] = (level){
        .map = map,
        .anchor = remember(t, map ? e->data.mapping_start.anchor : e->data.sequence_start.anchor,
                           map ? "map" : "list")};
    return true;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    say(&t->out, ")");
    if (top->anchor >= 0) t->anchor[top->anchor].length = t->out.used - t->anchor[top->anchor].at;
    (*depth)--;
    return true;
  default: return e->type != YAML_STREAM_END_EVENT;
  }
}

// does libyaml understand it?
static bool read_theirs(theirs *t, const char *text, size_t length) {
  level open[DEEPEST] = {{.anchor = -1}};
  int depth = 0, documents = 0;
  t->anchors = 0, t->refused = NULL, t->out.used = 0, t->out.full = false, t->out.text[0] = 0;
  if (!yaml_parser_initialize(&t->parser)) return false;
  yaml_parser_set_encoding(&t->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&t->parser, (const unsigned char *)text, length);
  bool good = true;
  for (bool more = true; more && good && !t->refused;) {
    yaml_event_t event;
    good = yaml_parser_parse(&t->parser, &event);
    if (!good) t->line = (int)t->parser.problem_mark.line + 1;
    if (!good) break;
    more = take(t, &event, open, &depth, &documents);
    yaml_event_delete(&event);
  }
  if (good && !documents) t->refused = "empty";
  yaml_parser_delete(&t->parser);
  return good;
}

// ---- both ----------------------------------------------------------------------------------

static char ours_text[MOST], theirs_text[MOST];
static theirs other = {.out = {.text = theirs_text}};
static struct { long right, wrong, same_line; } seen;

// rules that libyaml does not know
static bool own_rule(const char *message) {
  static const char *const words[] = {"given twice",    "a comma inside",  "zero character",
                                      "nested more",    "stands inside",   "stand for more",
                                      "more than",      "no anchor",       "a key must be a word",
                                      "not understood", "second document", "the file is empty"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(message, words[i])) return true;
  return false;
}

static bool differs(const char *text, size_t length, char why[512]) {
  hn_yaml_error error;
  with_places = length && text[length - 1] == '\n';
  // a block of exactly its size, so that sanitizers see a read past its end
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  hn_yaml_doc *doc = hn_yaml_parse(exact, length, &error);
  free(exact);
  bool good = read_theirs(&other, text, length);
  bool wrong = false;
  if (!doc) {
    wrong = good && !other.refused && !own_rule(error.message);
    snprintf(why, 512, "refused by us alone: %d:%d: %s", error.line, error.column, error.message);
    seen.wrong++;
    if (!good) seen.same_line += error.line == other.line;
  } else if (!good || other.refused) {
    wrong = true;
    snprintf(why, 512, "refused by them alone: line %d: %s", other.line,
             good                   ? other.refused
             : other.parser.problem ? other.parser.problem
                                    : "");
  } else {
    dump ours = {.text = ours_text};
    say_ours(&ours, hn_yaml_root(doc));
    wrong = !ours.full && !other.out.full && strcmp(ours_text, theirs_text) != 0;
    size_t at = 0;
    while (wrong && ours_text[at] && ours_text[at] == theirs_text[at]) at++;
    at = at > 60 ? at - 60 : 0;
    snprintf(why, 512, "\n  ours   %.150s\n  theirs %.150s", ours_text + at, theirs_text + at);
    seen.right++;
  }
  hn_yaml_destroy(doc);
  return wrong;
}

static bool compare(const char *text, size_t length, const char *about) {
  char why[512];
  bool wrong = differs(text, length, why);
  if (!CHECK(!wrong)) {
    printf("%s: %s\n", about, why);
    if (length < 200) printf("----\n%.*s\n----\n", (int)length, text);
  }
  return !wrong;
}

// ---- documents -----------------------------------------------------------------------------

static char *load(const char *folder, const char *name, size_t *length) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = malloc(1 << 20);
  *length = text ? fread(text, 1, 1 << 20, file) : 0;
  fclose(file);
  return text;
}

static const char *const snippets[] = {
    "a: 1\nb: [1, 2,\n 3]\nc: {x: 1, 'y': \"z\", w}\n",
    "a:\n- 1\n- - 2\n  - 3\n-\n  b: 1\n  c: 2\n- d: 4\n  e:\n  - 5\nf: 6\n",
    "a: &x {p: 1}\nb: *x\nc: &y\n  - *x\nd: &z\ne: *z\n",
    "&k a: 1\n*k : 2\n",
    "a: |\n  one\n   two\n\n  three\n\nb: >-\n  one\n  two\n\n  three\n   four\n  five\n\n\nc: "
    "|+\n  x\n\n\nd: >1\n  y\n",
    "a: one two\n  three\n\n  four # no\nb: \"x\n  y\\\n  z\\n\\x41\\u00e9\\U0001F600\\t\"\nc: "
    "'it''s\n\n  so'\n",
    "? a\n: b\n? c\n? - d\n",
    "[a: 1, ? b : 2, {c}, [d, [e]], 'f': g, \"h\":i]\n",
    "--- # comment\na: 1\n...\n",
    "%YAML 1.1\n---\na: 1\n",
    "---\n",
    "",
    "# nothing\n",
    "a\n",
    "a b\n c\n",
    "\xc3\xa9t\xc3\xa9: na\xc3\xafve # \xe2\x82\xac\n\xe2\x82\xac: [\xc3\xa9, x]\n",
    "a: 1\r\nb: >\r\n  x\r\n  y\r\nc: 'd\r\n  e'\r\n",
    "a: x:y\nb: -1\nc: ?d\ne: :f\ng: a#b\nh: \"x\"# c\n",
    "a: [-1, -, ?x]\n",
    "{\"a\":1,\"b\":[true,null],\"c\":{\"d\":\"e\"}}",
    "a:\tb\nc: [1,\t2]\n",
    "a:\n  - b\n c: 1\n",
    "a: \"x\" y\n",
    "- a\n- b\nc: 1\n",
    "a: |\n x\n\ty\n",
    "a:\n|\n x\n",
    "a: {b: c\n",
    "a: 'b\n",
    "a: {x: 1, y: 2}}\n",
    "key: [a, b]: c\n",
    "a: b\n---\nc: d\n",
    "a: &x &y 1\n",
    "a: &x\n  &y k: 1\n",
    "a: &x\n  &y 1\n",
    "a: !!int 3\n",
    "a: @b\n",
    "a: `b\n",
    "a: %b\n",
    "a: \"\\q\"\n",
    "a: \"\\'\"\n",
    "a: \"\\/\"\n",
    "a: |0\n x\n",
    "a: |12\n x\n",
    "a: > x\n y\n",
    "a: [b,,c]\n",
    "a: [,]\n",
    "a: {,}\n",
    "a: {:}\n",
    "a: {b:}\n",
    "a: {b:c}\n",
    "a: [b:c]\n",
    "a: [b :c, d]\n",
    "a: [\"b\" : c]\n",
    "a: [b\n : c]\n",
    "a: {b\n : c}\n",
    "a: {? b\n : c}\n",
    ": a\n",
    "? \n",
    "a:\n  b:\n    c: 1\n   d: 2\n",
    "a: - b\n",
    "a: *b c\n",
    "a: x\n  b: y\n",
    "a: x\n b\n c: y\n",
    " a: 1\n b: 2\n",
    " a: 1\nb: 2\n",
    "a: 1\n b: 2\n",
    "a: \xe2\x80\xa8 b\nc: 'd\xe2\x80\xa8 e'\n",
    "a: |\n  x\xc2\x85  y\n",
    "[\n--- a\n]\n",
    "\"a\n--- b\"\n",
    "a: \"b\n\n  c\\\n\n  d\"\n",
    "a: >\n\n  x\n   y\n  z\n\n   w\n\n  v\n",
    "a: |2\n   x\n  y\nb: 1\n",
    "- |\n x\n- >\n y\n-\n",
    "a: [1, 2] # c\nb: 3\n",
    "a: [1, # c\n 2]\n",
    "a: b #c\n  d\n",
    "a: b\n#c\n  d\n",
};

static void documents(void) {
  for (size_t i = 0; i < sizeof snippets / sizeof *snippets; i++)
    compare(snippets[i], strlen(snippets[i]), "snippet");
}

typedef void visit(const char *text, size_t length, const char *name, uint32_t *seed);

static void for_folder(const char *folder, visit *f, uint32_t *seed) {
  struct dirent **list;
  int count = scandir(folder, &list, NULL, alphasort);
  CHECK(count > 0);
  for (int i = 0; i < count; i++) {
    size_t length = 0;
    char *text = list[i]->d_name[0] == '.' ? NULL : load(folder, list[i]->d_name, &length);
    if (text) f(text, length, list[i]->d_name, seed);
    free(text);
    free(list[i]);
  }
  if (count >= 0) free(list);
}

static void as_it_is(const char *text, size_t length, const char *name, uint32_t *seed) {
  (void)seed;
  compare(text, length, name);
}

static void files(void) {
  for_folder("models", as_it_is, NULL);
  for_folder("tests/bad", as_it_is, NULL);
  for_folder("tests/fuzz/corpus_model", as_it_is, NULL);
}

// ---- damaged -------------------------------------------------------------------------------

static uint32_t draw(uint32_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
  return *seed;
}

// one random change of a text with room for 16 bytes more; its new length
static size_t damage(char *text, size_t length, uint32_t *seed) {
  static const char *const piece[] = {" ",
                                      "  ",
                                      "\n",
                                      "\n  ",
                                      "\t",
                                      ":",
                                      ": ",
                                      "- ",
                                      "-",
                                      "? ",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      ",",
                                      ", ",
                                      "#",
                                      " # ",
                                      "'",
                                      "\"",
                                      "\\",
                                      "|\n",
                                      ">\n ",
                                      "&a ",
                                      "*a",
                                      "!",
                                      "%",
                                      "@",
                                      "a",
                                      "1",
                                      "---",
                                      "...",
                                      "\r\n",
                                      "\xc3\xa9",
                                      "\n---\n",
                                      "\n- ",
                                      "\xe2\x80\xa8",
                                      "\\\n",
                                      "|-",
                                      ">+",
                                      "''",
                                      "?",
                                      "<",
                                      "&a\n"};
  size_t at = length ? draw(seed) % length : 0;
  switch (draw(seed) % 5) {
  case 0: {  // something is left out
    size_t n = 1 + draw(seed) % 6;
    if (at + n > length) n = length - at;
    memmove(text + at, text + at + n, length - at - n);
    return length - n;
  }
  case 1:
  case 2:
  case 3: {  // something is put in
    const char *p = piece[draw(seed) % (sizeof piece / sizeof *piece)];
    size_t n = strlen(p);
    memmove(text + at + n, text + at, length - at);
    memcpy(text + at, p, n);
    return length + n;
  }
  default:  // the end is missing, or a byte is another
    if (draw(seed) % 4 == 0) return at;
    if (length) text[at] = " \n:-[]{},#'\"a"[draw(seed) % 13];
    return length;
  }
}

static void damaged(const char *text, size_t length, const char *name, uint32_t *seed) {
  char about[128];
  uint32_t start = *seed;
  // a part of a long file is as good as the whole, and quicker
  size_t part = length > 1200 ? 1200 : length, from = 0;
  if (length > part) {
    from = draw(seed) % (length - part);
    while (from > 0 && text[from - 1] != '\n') from--;
  }
  char *copy = malloc(part + 16 * 6);
  memcpy(copy, text + from, part);
  for (uint32_t i = 1 + draw(seed) % 5; i > 0; i--) part = damage(copy, part, seed);
  snprintf(about, sizeof about, "%s, seed %u", name, start);
  char why[512];
  if (!CHECK(!differs(copy, part, why))) printf("%s: %s\n%.*s\n", about, why, (int)part, copy);
  free(copy);
}

static void damaged_files(void) {
  enum { ROUNDS = 12 };
  uint32_t seed = 20240u;
  for (int i = 0; i < ROUNDS; i++) {
    for_folder("models", damaged, &seed);
    for_folder("tests/bad", damaged, &seed);
  }
  for (int i = 0; i < 150; i++)
    for (size_t k = 0; k < sizeof snippets / sizeof *snippets; k++)
      damaged(snippets[k], strlen(snippets[k]), "snippet", &seed);
  printf("%ld right, %ld wrong, of these %ld refused in the line libyaml names\n", seen.right,
         seen.wrong, seen.same_line);
}

// a key that is there twice is found in maps of any length, wherever it stands, and where it is not
// it is not
static void keys_given_twice(void) {
  static const int lengths[] = {2, 3, 12, 13, 14, 100, 5000};
  char *text = malloc(16 * 5001);
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    int n = lengths[k], from[] = {0, n / 2, n - 1};
    for (int a = -1; a < 3; a++) {
      size_t used = 0;
      for (int i = 0; i < n; i++) used += (size_t)sprintf(text + used, "k%d: 1\n", i);
      if (a >= 0) used += (size_t)sprintf(text + used, "k%d: 1\n", from[a]);
      hn_yaml_error error;
      hn_yaml_doc *doc = hn_yaml_parse(text, used, &error);
      char wanted[80];
      if (a >= 0) {
        snprintf(wanted, sizeof wanted, "'k%d' is given twice (first in line %d)", from[a],
                 from[a] + 1);
        CHECK(!doc);
        CHECK_STR(error.message, wanted);
        CHECK(error.line == n + 1);
      } else {
        CHECK(doc && hn_yaml_root(doc)->count == n);
      }
      hn_yaml_destroy(doc);
    }
  }
  free(text);
}

// the column of a value behind a line of a million characters
static void long_lines(void) {
  enum { LONG = 1000000 };
  char *text = malloc(LONG + 16);
  memset(text, 'x', LONG);
  memcpy(text, "['", 2);
  memcpy(text + LONG, "', z]", 6);
  hn_yaml_error error;
  hn_yaml_doc *doc = hn_yaml_parse(text, LONG + 5, &error);
  const hn_yaml *z = doc ? hn_yaml_item(hn_yaml_root(doc), 1) : NULL;
  CHECK(z && z->column == LONG + 4);
  hn_yaml_destroy(doc);
  free(text);
}

int main(void) {
  RUN(keys_given_twice);
  RUN(long_lines);
  RUN(documents);
  RUN(files);
  RUN(damaged_files);
  return test_end();
}
