// test_hostile.c: model files that were made to do harm.
//
// The example models are taken apart and written anew with one thing changed: numbers beyond all
// bounds, text that steers terminals or would be code, deep nesting, names that are too long, odd,
// double or somebody else's, entries missing, repeated or of another kind, formulas without end,
// bytes changed. Whatever it is, the program ends with exit code 0, 1, 2 or 3 and prints nothing
// that could steer a terminal. The number of a case is its seed.
//
// Under sanitizers, which make everything slow, every sixth case is tried.
#include "program.h"

#include "io/yaml.h"

enum { CASES = 2400, LARGEST = 1 << 18, MOST_MODELS = 200 };

static int every;  // of the cases one that is tried

static size_t below(size_t n) {
  return (size_t)test_random(0, (double)n);
}

// ---- writing a model anew ------------------------------------------------------------------

typedef enum change {
  NOTHING,
  TEXT,       // a value becomes a text
  KEY,        // a key becomes a text
  REMOVE,     // an entry is left out
  REPEAT,     // an entry comes twice
  MANY,       // an entry comes fifty times
  EMPTY_MAP,  // a value becomes something else
  EMPTY_LIST,
  DEEP,
  CHANGES
} change;

typedef struct writer {
  char *out;
  size_t used;
  int at, target;  // nodes are counted
  change what;
  const char *text;
} writer;

static void put(writer *w, const char *text) {
  size_t n = strlen(text);
  if (w->used + n + 1 >= LARGEST) return;
  memcpy(w->out + w->used, text, n + 1);
  w->used += n;
}

static void put_text(writer *w, const char *text) {
  put(w, "\"");
  for (; *text; text++) {
    char c[8] = {*text, 0};
    if (*text == '"' || *text == '\\') snprintf(c, sizeof c, "\\%c", *text);
    if ((unsigned char)*text < 0x20 || *text == 0x7f)
      snprintf(c, sizeof c, "\\x%02x", (unsigned)(unsigned char)*text);
    put(w, c);
  }
  put(w, "\"");
}

static void put_deep(writer *w) {
  for (int i = 0; i < 200; i++) put(w, i % 2 ? "[" : "{\"a\": ");
  put(w, "1");
  for (int i = 199; i >= 0; i--) put(w, i % 2 ? "]" : "}");
}

static void put_node(writer *w, const hn_yaml *node);

static void put_value(writer *w, const hn_yaml *node) {
  if (node->kind == HN_YAML_SCALAR) {
    if (!node->quoted && !*node->text)
      put(w, "~");
    else
      put_text(w, node->text);
    return;
  }
  bool map = node->kind == HN_YAML_MAP;
  put(w, map ? "{" : "[");
  for (const hn_yaml *e = node->first; e; e = e->next) put_node(w, e);
  put(w, map ? "}" : "]");
}

static void put_entry(writer *w, const hn_yaml *node, change what) {
  if (node->key) {
    put_text(w, what == KEY ? w->text : node->key->text);
    put(w, ": ");
  }
  switch (what) {
  case TEXT: put_text(w, w->text); break;
  case EMPTY_MAP: put(w, "{}"); break;
  case EMPTY_LIST: put(w, "[]"); break;
  case DEEP: put_deep(w); break;
  default: put_value(w, node);
  }
  put(w, ", ");
}

static void put_node(writer *w, const hn_yaml *node) {
  bool here = w->at++ == w->target;
  change what = here ? w->what : NOTHING;
  int times = what == REMOVE ? 0 : what == REPEAT ? 2 : what == MANY ? 50 : 1;
  for (int i = 0; i < times; i++) put_entry(w, node, what);
}

static int write_model(char *out, const hn_yaml *root, int target, change what, const char *text) {
  writer w = {.out = out, .target = target, .what = what, .text = text};
  put(&w, "{");
  for (const hn_yaml *e = root->first; e; e = e->next) put_node(&w, e);
  put(&w, "}\n");
  return w.at;
}

// ---- models --------------------------------------------------------------------------------

typedef struct source {
  const char *name;
  hn_yaml_doc *doc;
  int nodes;
} source;
static source models[MOST_MODELS];
static int model_count;
static char text[LARGEST], path[512];

static void load_models(size_t longest) {
  const char *name;
  for (int i = 0; (name = hn_example_name(i)) && model_count < MOST_MODELS; i++) {
    const char *model = hn_example_text(i);
    if (strlen(model) > longest) continue;
    hn_yaml_error error;
    source *m = &models[model_count++];
    *m = (source){.name = name, .doc = hn_yaml_parse(model, strlen(model), &error)};
    if (CHECK(m->doc != NULL)) m->nodes = write_model(text, hn_yaml_root(m->doc), -1, NOTHING, "");
  }
}

static bool save(size_t length) {
  FILE *f = fopen(path, "wb");
  bool good = f && fwrite(text, 1, length, f) == length;
  if (f && fclose(f)) good = false;
  return good;
}

// ---- what is printed -----------------------------------------------------------------------

static bool harmless(char *said) {
  static char copy[SAID];
  char *rest = NULL;
  for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    snprintf(copy, sizeof copy, "%s", line);
    hn_make_printable(copy);
    if (strcmp(copy, line) != 0) return false;
  }
  return true;
}

// text of the model is in comments only
static bool commented(const char *code) {
  for (const char *at = code; (at = strstr(at, "INJECTED")); at++) {
    const char *line = at;
    while (line > code && line[-1] != '\n') line--;
    if (strncmp(line, "//", 2) != 0) return false;
  }
  return true;
}

// the program on the file; `shown` is said when something is wrong
static int call(const char *command, const char *shown) {
  char words[700], what[900];
  snprintf(words, sizeof words, "%s %s", command, path);
  snprintf(what, sizeof what, "%s: %s", shown, command);
  program_watch(60, what);
  int code = program(words);
  alarm(0);
  bool good = code >= 0 && code <= 3, written = strcmp(command, "code") == 0;
  good = CHECK(good) && CHECK(!written || commented(said_out)) && CHECK(harmless(said_out)) &&
         CHECK(harmless(said_err));
  if (!good) printf("%s: exit code %d\n%.2000s\n", what, code, text);
  return code;
}

// ---- tests ---------------------------------------------------------------------------------

static const char *const payloads[] = {
    "x\nINJECTED",
    "x\nint system(const char *); INJECTED\n//",
    "\x1b[2J\x1b]0;INJECTED\x07",
    "x\rINJECTED",
    "INJECTED\\",
    "*/ INJECTED /*",
    "INJECTED \?\?/",
    "\xc2\x9b"
    "31mINJECTED",
    "\xe2\x80\xae"
    "DETCEJNI INJECTED",
    "\xe2\x80\xa8"
    "INJECTED",
    "%s%n%s%d INJECTED",
    "\"; INJECTED \"",
    "</script><script>INJECTED",
    "$(INJECTED) `INJECTED`",
    "INJECTED\x7f\x08\x08",
};
enum { PAYLOADS = sizeof payloads / sizeof *payloads };

// every key and every value of the models as a text that would steer or be code
static void test_every_text(void) {
  int tried = 0, accepted = 0;
  for (int m = 0; m < model_count; m++) {
    for (int k = m % every; k < models[m].nodes; k += every)
      for (int key = 0; key < 2; key++) {
        char shown[200];
        const char *payload = payloads[(size_t)(tried++ % PAYLOADS)];
        write_model(text, hn_yaml_root(models[m].doc), k, key ? KEY : TEXT, payload);
        snprintf(shown, sizeof shown, "%s, node %d, %s", models[m].name, k, key ? "key" : "value");
        if (!CHECK(save(strlen(text)))) return;
        if (call("check", shown) != 0) continue;
        accepted++;
        call("code", shown);
        call("run --duration 1e-3 --option max_steps=5000", shown);
      }
  }
  printf("%d texts, of which %d make a model\n", tried, accepted);
}

static const char *const words[] = {"1e308",
                                    "-1e308",
                                    "1e-308",
                                    "nan",
                                    "inf",
                                    "-inf",
                                    "1e999",
                                    "-1",
                                    "0",
                                    "-0",
                                    "1e13",
                                    "1e12",
                                    "99999999999999999999",
                                    "0x10",
                                    "1e",
                                    "1 m m",
                                    "1 kg/s^99",
                                    "",
                                    " ",
                                    "~",
                                    "true",
                                    "ground",
                                    "t",
                                    "t^t^t^t^t^t^t",
                                    "1/0",
                                    "sqrt(-1)",
                                    "0/0",
                                    "exp(exp(exp(exp(9))))",
                                    "abs(",
                                    "((((",
                                    "))))",
                                    "sin()",
                                    "a.b.c.d.e",
                                    "*",
                                    "?",
                                    "&a *a",
                                    "!!python/object",
                                    "<<",
                                    "b",
                                    "1e-300*t",
                                    "sin(1e300*t)",
                                    "max(1,2,3,4,5,6)",
                                    "\xf0\x9f\x9a\x80",
                                    "\xed\xa0\x80",
                                    "\xff\xfe",
                                    "\xc3",
                                    "a\xcc\x81\xcc\x81\xcc\x81",
                                    "..",
                                    "/dev/zero"};
enum { WORDS = sizeof words / sizeof *words };

// a long text of one kind or another
static const char *long_text(void) {
  static char out[24000];
  static const char *const parts[] = {"(",  "a",        "sin(", "-",  "1+",
                                      "t*", "\xc3\xa4", "!",    "2^", "."};
  const char *part = parts[below(10)];
  size_t n = strlen(part), length = 10 + below(20000);
  out[0] = 0;
  for (size_t used = 0; used + n < length; used += n) memcpy(out + used, part, n + 1);
  return out;
}

// some other text of the same model: names of others, words that belong elsewhere
static const char *other_text(const hn_yaml *node, int *left) {
  for (const hn_yaml *e = node->first; e; e = e->next) {
    if (e->key && (*left)-- == 0) return e->key->text;
    if (e->kind == HN_YAML_SCALAR && (*left)-- == 0) return e->text;
    const char *found = e->kind == HN_YAML_SCALAR ? NULL : other_text(e, left);
    if (found) return found;
  }
  return NULL;
}

static const char *some_text(const source *m) {
  int left = (int)below((size_t)m->nodes);
  const char *found;
  switch ((int)below(4)) {
  case 0: return payloads[below(PAYLOADS)];
  case 1: return long_text();
  case 2: found = other_text(hn_yaml_root(m->doc), &left); return found ? found : "x";
  default: return words[below(WORDS)];
  }
}

static size_t spoil_bytes(void) {
  size_t length = strlen(text);
  for (size_t k = below(6); k > 0 && length > 8; k--) {
    size_t at = below(length);
    if (below(8) == 0)
      length = at + 1;
    else
      text[at] =
          (char)(below(3) ? "{}[]:,\"\\'&*#|>-%@!?\t\n \x01\x80\xff"[below(26)] : (char)below(256));
  }
  return length;
}

static void test_family(void) {
  static const char *const commands[] = {"check --json",
                                         "run --duration 1e-6 --option max_steps=5000",
                                         "statics",
                                         "modes --at initial",
                                         "code",
                                         "kinematics",
                                         "inverse --duration 1e-3",
                                         "run --duration 1e-3 --option max_steps=5000 --json"};
  int codes[4] = {0};
  for (int n = 0; n < CASES; n += every) {
    char shown[200];
    test_seed = 0x9e3779b97f4a7c15ull * (unsigned long long)(n + 1);
    for (int i = 0; i < 4; i++) (void)test_random(0, 1);
    const source *m = &models[below((size_t)model_count)];
    change what = (change)(1 + below(CHANGES - 1));
    if (below(3) == 0) what = TEXT;
    int node = (int)below((size_t)m->nodes);
    write_model(text, hn_yaml_root(m->doc), node, what, some_text(m));
    size_t length = below(6) == 0 ? spoil_bytes() : strlen(text);
    snprintf(shown, sizeof shown, "case %d, %s", n, m->name);
    if (!CHECK(save(length))) return;
    int code = call("check", shown);
    if (code >= 0 && code <= 3) codes[code]++;
    if (code == 0 || n % 16 == 0) call(commands[below(8)], shown);
  }
  printf("%d files: %d accepted, %d failed, %d refused\n", CASES / every, codes[0], codes[1],
         codes[2]);
}

int main(void) {
  every = run_quickly() ? 6 : 1;
  program_begin();
  test_scratch(path, sizeof path, "hostile.yaml");
  load_models(1800);
  printf("%d models\n", model_count);
  CHECK(model_count >= 8);
  RUN(test_every_text);
  RUN(test_family);
  for (int i = 0; i < model_count; i++) hn_yaml_destroy(models[i].doc);
  unlink(path);
  return test_end();
}
