// test_format.c: model files in their usual form. They say the same before and after, keep every
// comment, and what is in the usual form stays as it is.
#include <holon/holon.h>

#include <dirent.h>

#include "io/yaml.h"
#include "test.h"

// ---- the same document? ----------------------------------------------------------------------

static bool same(const hn_yaml *a, const hn_yaml *b) {
  if (a->kind != b->kind || a->count != b->count) return false;
  if (a->kind == HN_YAML_SCALAR)
    return strcmp(a->text, b->text) == 0 && hn_yaml_is_empty(a) == hn_yaml_is_empty(b);
  const hn_yaml *p = a->first, *q = b->first;
  for (; p; p = p->next, q = q->next)
    if (!same(p, q) || (p->key && strcmp(p->key->text, q->key->text) != 0)) return false;
  return true;
}

static bool same_text(const char *a, const char *b) {
  hn_yaml_error error;
  hn_yaml_doc *p = hn_yaml_parse(a, strlen(a), &error), *q = hn_yaml_parse(b, strlen(b), &error);
  bool equal = p && q && same(hn_yaml_root(p), hn_yaml_root(q));
  hn_yaml_destroy(p), hn_yaml_destroy(q);
  return equal;
}

// all properties at once; the formatted text, free() it
static char *check_text(const char *text, const char *name) {
  char message[512] = "";
  char *usual = hn_format_text(text, strlen(text), name, message, sizeof message);
  if (!CHECK(usual != NULL)) {
    printf("  %s: %s\n%s\n", name, message, text);
    return NULL;
  }
  char *again = hn_format_text(usual, strlen(usual), name, message, sizeof message);
  if (!CHECK(same_text(text, usual))) printf("  %s says something else\n", name);
  if (!CHECK(again && strcmp(usual, again) == 0)) printf("  %s changes again\n%s\n", name, text);
  hn_free(again);
  // no blanks at the ends of lines but in texts, no two empty lines there, one line end at the end
  size_t n = strlen(usual);
  CHECK(n && usual[n - 1] == '\n');
  return usual;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = file ? calloc(1, 1 << 20) : NULL;
  if (text && fread(text, 1, (1 << 20) - 1, file) == 0) text[0] = 0;
  if (file) fclose(file);
  return text;
}

// ---- files -----------------------------------------------------------------------------------

static void each(const char *folder, bool usual, int least) {
  DIR *dir = opendir(folder);
  struct dirent *entry;
  int count = 0;
  while (dir && (entry = readdir(dir))) {
    char path[512];
    if (!strstr(entry->d_name, ".yaml")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    char *text = read_file(path);
    hn_yaml_error error;
    hn_yaml_doc *doc = text ? hn_yaml_parse(text, strlen(text), &error) : NULL;
    char *formatted = doc ? check_text(text, path) : NULL;
    // the models of the project are in the usual form
    if (usual && formatted && !CHECK(strcmp(text, formatted) == 0)) printf("  %s\n", path);
    count += formatted != NULL;
    hn_yaml_destroy(doc);
    hn_free(formatted);
    free(text);
  }
  if (dir) closedir(dir);
  CHECK(count >= least);
}

static void files(void) {
  each("models", true, 40);
  each("cli/papers", true, 3);
  each("tests/bad", false, 150);
  each("studies", false, 1);
}

// every line twice as deep, ends of lines as elsewhere: the same form comes out
static void deeper(void) {
  const char *const names[] = {"models/four_bar.yaml", "models/v6_engine.yaml",
                               "models/stewart_platform.yaml"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = read_file(names[i]), *usual, *deep = NULL;
    if (!CHECK(text != NULL)) continue;
    size_t used = 0;
    deep = malloc(4 * strlen(text) + 16);
    for (const char *s = text; *s;) {
      size_t blanks = strspn(s, " "), length = strcspn(s, "\n");
      memset(deep + used, ' ', 2 * blanks), used += 2 * blanks;
      memcpy(deep + used, s + blanks, length - blanks), used += length - blanks;
      used += (size_t)sprintf(deep + used, "\r\n");
      s += length + (s[length] == '\n');
    }
    deep[used] = 0;
    usual = check_text(deep, names[i]);
    if (usual) CHECK_STR(usual, text);
    hn_free(usual);
    free(text), free(deep);
  }
}

// ---- by example ------------------------------------------------------------------------------

static void example(const char *text, const char *expected) {
  char *usual = check_text(text, "example");
  if (usual) CHECK_STR(usual, expected);
  hn_free(usual);
}

static void examples(void) {
  example("a:   1   # why\n\n\n\nb: 2\n\n\n", "a:   1   # why\n\nb: 2\n");
  example("a:\n- 1\n-   b: 2\n    c: 3\n", "a:\n  - 1\n  - b: 2\n    c: 3\n");
  example("a: { b: 1,c: [ 1,2 , 3 ],  d:   4 }\n", "a: {b: 1, c: [1, 2, 3],  d:   4}\n");
  example("a: {b: , c: \"x,y\", d: 'it''s ,'}\n", "a: {b: , c: \"x,y\", d: 'it''s ,'}\n");
  example("{\"a\":1,\"b\":[]}", "{\"a\": 1, \"b\": []}\n");
  example("a:\n      b: 1\n      # at b\n   # between\n# at a\nc: 2\n",
          "a:\n  b: 1\n  # at b\n# between\n# at a\nc: 2\n");
  example("a: |\n     x  \n       y\n\n\n     z\n\n\nb: 1\n",
          "a: |\n  x  \n    y\n\n\n  z\n\nb: 1\n");
  example("a:\n    b: long\n      text\n\n      on\n", "a:\n  b: long\n    text\n\n    on\n");
  example("a:\n    b: {c: 1,\n        # inside\n        d: 2}\n",
          "a:\n  b: {c: 1,\n      # inside\n      d: 2}\n");
  example("a: &x {b: 1}\nc:\n    *x\n", "a: &x {b: 1}\nc:\n  *x\n");
  example("a: x # y\nb: x#y\nc: it's, [no] list\n", "a: x # y\nb: x#y\nc: it's, [no] list\n");
  example("- - 1\n  - 2\n-\n  - 3\n", "- - 1\n  - 2\n-\n  - 3\n");
}

static void refused(void) {
  char message[300] = "";
  CHECK(hn_format_text("a: [1, 2", 8, "x.yaml", message, sizeof message) == NULL);
  CHECK(strncmp(message, "x.yaml:1:", 9) == 0);
  CHECK(hn_format_text("", 0, "x.yaml", NULL, 0) == NULL);
}

// ---- anything --------------------------------------------------------------------------------

static unsigned long seed = 12345;

static int pick(int n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int)((seed >> 33) % (unsigned long)n);
}

typedef struct writer {
  char text[60000];
  size_t used;
  int comments, nodes;
} writer;

static void put(writer *w, const char *text) {
  if (w->used + strlen(text) + 1 < sizeof w->text)
    w->used += (size_t)sprintf(w->text + w->used, "%s", text);
}

static void put_indent(writer *w, int indent) {
  for (int i = 0; i < indent; i++) put(w, " ");
}

static void put_end(writer *w) {
  char text[40];
  if (pick(6) == 0) snprintf(text, sizeof text, "  # note %d", w->comments++), put(w, text);
  put(w, pick(9) == 0 ? "   \n" : "\n");
}

static void put_asides(writer *w, int indent) {
  while (pick(4) == 0) {
    char text[40];
    if (pick(2)) {
      put(w, pick(3) ? "\n" : "   \n");
    } else {
      put_indent(w, pick(3) ? indent : pick(indent + 4));
      snprintf(text, sizeof text, "# note %d\n", w->comments++);
      put(w, text);
    }
  }
}

static void put_scalar(writer *w) {
  static const char *const scalar[] = {"1",         "2 mm",    "x*y - 3", "\"a, {b} # c\"",
                                       "'it''s'",   "a#b",     "-1e-3",   "hypot(x)",
                                       "\"q\\\"\"", "it's so", "true",    "~"};
  put(w, scalar[pick(12)]);
}

static void put_key(writer *w, int k) {
  char key[24];
  snprintf(key, sizeof key, pick(8) ? "key%d" : "\"key %d\"", k);
  put(w, key);
  if (pick(12) == 0) put(w, " ");
  put(w, ":");
}

// in brackets, now and then over several lines
static void put_flow(writer *w, int depth, int indent) {
  bool map = pick(2);
  int count = pick(4);
  put(w, map ? "{" : "[");
  if (pick(4) == 0) put(w, "  ");
  for (int i = 0; i < count; i++) {
    if (i) put(w, pick(3) ? ", " : pick(2) ? "," : " ,  ");
    if (i && pick(5) == 0) {
      put(w, "\n");
      put_indent(w, indent + 1 + pick(6));
    }
    char key[24];
    snprintf(key, sizeof key, "k%d: ", i);
    if (map) put(w, key);
    if (depth > 0 && pick(3) == 0)
      put_flow(w, depth - 1, indent);
    else
      put_scalar(w);
  }
  if (pick(4) == 0) put(w, " ");
  put(w, map ? "}" : "]");
}

static void put_block_text(writer *w, int indent) {
  static const char *const head[] = {" |\n", " >-\n", " |+\n", " >\n", " |-  # note\n"};
  int extra = 1 + pick(5), which = pick(5);
  put(w, head[which]);
  for (int i = 0; i < 1 + pick(4); i++) {
    put_indent(w, indent + extra + (i ? pick(3) : 0));
    put(w, pick(4) ? "words: of # text, {and [more\n" : "x  \n\n");
  }
}

static void put_node(writer *w, int depth, int indent);

static void put_value(writer *w, int depth, int indent) {
  int kind = pick(10);
  w->nodes++;
  if (depth > 0 && kind < 3) {
    // below: deeper, or a list in the column of its key
    put_end(w);
    put_node(w, depth - 1, indent + 1 + pick(5));
  } else if (kind == 3) {
    put_block_text(w, indent);
  } else if (kind == 4) {
    put(w, " long\n");
    put_indent(w, indent + 1 + pick(4));
    put(w, "text");
    put_end(w);
  } else {
    put(w, pick(5) ? " " : "    ");
    if (kind < 7)
      put_flow(w, 2, indent);
    else
      put_scalar(w);
    put_end(w);
  }
}

static void put_node(writer *w, int depth, int indent) {
  bool map = pick(3) > 0;
  int count = 1 + pick(4);
  for (int i = 0; i < count; i++) {
    put_asides(w, indent);
    put_indent(w, indent);
    if (map) {
      put_key(w, i);
      put_value(w, depth, indent);
    } else if (pick(4) == 0) {
      put(w, "-   ");
      put_key(w, 0);
      put_value(w, depth, indent + 4);
      put_indent(w, indent + 4);
      put(w, "b: 1\n");
    } else {
      put(w, "-");
      put_value(w, depth, indent);
    }
  }
}

// comments in the order in which they are numbered
static int count_notes(const char *text) {
  int count = 0;
  for (const char *s = text; (s = strstr(s, "# note ")); s++) count++;
  return count;
}

static void anything(void) {
  static writer w;
  int formatted = 0;
  for (int round = 0; round < 3000; round++) {
    w = (writer){0};
    put_node(&w, pick(4), 0);
    hn_yaml_error error;
    hn_yaml_doc *doc = hn_yaml_parse(w.text, w.used, &error);
    if (!doc) continue;  // not all that is put together is YAML
    hn_yaml_destroy(doc);
    char *usual = check_text(w.text, "random");
    formatted += usual != NULL;
    if (usual && !CHECK(count_notes(usual) == count_notes(w.text))) printf("%s\n", w.text);
    hn_free(usual);
    if (test_failed > 5) break;
  }
  CHECK(formatted > 2000);
}

int main(void) {
  RUN(files);
  RUN(deeper);
  RUN(examples);
  RUN(refused);
  RUN(anything);
  return test_end();
}
