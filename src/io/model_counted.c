// model_counted.c: uses by their numbers, as "link[k + 1].bar": neighbours of a repeated part.
//
// What stands in the brackets is counted out where the name is read, by parameters and the number
// of the repetition that reads it; from then on it is a name as any other, "link3.bar". So joints
// between neighbours are described once, in a use that is itself repeated.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/model_reader.h"

// may it stand in a name?
static bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// numbers of uses; as many as there may be (model_parts.c)
enum { LARGEST = 100000 };

// A node with another text, so that messages have the right column of the whole; what is counted
// out is no number of the file, hence neither kept nor refilled.
hn_status hn_read_whole(hn_reader *reader, const hn_yaml *node, const char *from, size_t length,
                        const char *what, int *out) {
  hn_yaml part = *node;
  struct hn_memory *memory = reader->memory;
  double x = 0;
  char *text = hn_yaml_take(reader->doc, length + 1);
  *out = 0;
  // formulas may be longer than any buffer
  if (!text) return hn_read_fail_memory(reader);
  memcpy(text, from, length);
  text[length] = 0;
  part.text = text;
  // no line is longer than a column can count
  unsigned before = (unsigned)(from - node->text) + (part.quoted ? 1 : 0);
  if (part.verbatim) part.column = (part.column + before) & HN_YAML_COLUMN;
  part.quoted = false;
  part.note = 0;
  reader->memory = NULL;
  hn_status status = hn_read_quantity(reader, &part, what, "", &x);
  reader->memory = memory;
  if (!status && !(fabs(x) <= LARGEST && x == floor(x)))
    return hn_read_fail(reader, &part, HN_ERR_MODEL, "%s: '%.40s' must be a whole number", what,
                        text);
  *out = (int)x;
  return status;
}

// A bracket behind a name; any other means nothing here, and is left to whoever reads the text.
static const char *next_bracket(const char *s) {
  const char *open = strchr(s, '[');
  while (open && (open == s || !is_of_name(open[-1]))) open = strchr(open + 1, '[');
  return open;
}

// one bracket, whose number goes to `out`
static hn_status read_bracket(hn_reader *reader, const hn_yaml *node, const char *open,
                              const char **close, int *out) {
  const char *name = open;
  *close = strchr(open, ']');
  while (name > node->text && (is_of_name(name[-1]) || name[-1] == '.')) name--;
  if (!*close) return hn_read_fail(reader, node, HN_ERR_SYNTAX, "'%.60s': ']' is missing", name);
  size_t length = (size_t)(*close - open) - 1;
  char what[80];
  snprintf(what, sizeof what, "the number of '%.*s'", (int)(open - name < 60 ? open - name : 60),
           name);
  // nobody needs them, and a file of nothing but brackets would be as deep as it is long
  if (memchr(open + 1, '[', length))
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s cannot have brackets in brackets", what);
  // "link[]" would be read as a value that is missing
  if (strspn(open + 1, " ") >= length)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s is missing", what);
  hn_status status = hn_read_whole(reader, node, open + 1, length, what, out);
  if (!status && *out < 0)
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s, '%.*s', must not be negative: it is %d",
                        what, (int)(length < 40 ? length : 40), open + 1, *out);
  return status;
}

// A number takes no more than ten characters, with its brackets at least three.
hn_status hn_read_counted(hn_reader *reader, const hn_yaml *node, const char **out) {
  const char *s = node->text, *open = next_bracket(s), *close;
  *out = s;
  if (!open) return HN_OK;
  size_t size = strlen(s) + 1;
  for (const char *c = s; *c; c++) size += *c == '[' ? 10 : 0;
  char *text = hn_yaml_take(reader->doc, size), *to = text;
  if (!text) return hn_read_fail_memory(reader);
  for (; open; open = next_bracket(s)) {
    int number;
    hn_status status = read_bracket(reader, node, open, &close, &number);
    if (status) return status;
    to += sprintf(to, "%.*s%d", (int)(open - s), s, number);
    s = close + 1;
  }
  strcpy(to, s);
  *out = text;
  // another number may mean another body: nothing of the model would stay as it is
  hn_refill_refuse(reader);
  return HN_OK;
}

// ---- numbers there are not -----------------------------------------------------------------

static const hn_scope *first_scope(const hn_reader *reader) {
  const hn_scope *scope = reader->scope;
  while (scope->outer) scope = scope->outer;
  return scope;
}

// "row.link12." of "row." and "link": its number; -1: another use
static int number_of(const char *prefix, const char *outer, const char *stem, size_t length) {
  size_t before = strlen(outer);
  if (strncmp(prefix, outer, before) != 0 || strncmp(prefix + before, stem, length) != 0) return -1;
  const char *digits = prefix + before + length;
  size_t n = strspn(digits, "0123456789");
  int number = -1;
  if (n > 0 && n < 9 && strcmp(digits + n, ".") == 0) sscanf(digits, "%d", &number);
  return number;
}

// Whoever counted too far is told how far there is something.
bool hn_count_hint(const hn_reader *reader, const char *text, size_t size, char *hint) {
  for (const char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
    size_t stem = (size_t)(dot - text), digits = 0;
    while (stem > 0 && text[stem - 1] >= '0' && text[stem - 1] <= '9') stem--, digits++;
    int wanted = -1, first = LARGEST + 1, last = -1;
    if (digits > 0 && digits < 9) sscanf(text + stem, "%d", &wanted);
    for (const hn_scope *in = reader->scope; in && wanted >= 0 && last < 0; in = in->outer)
      for (const hn_scope *s = first_scope(reader); s; s = s->next) {
        int n = number_of(s->prefix, in->prefix, text, stem);
        // there is one: the fault lies elsewhere
        if (n == wanted) first = last = wanted;
        if (n < 0 || first == wanted) continue;
        if (n < first) first = n;
        if (n > last) last = n;
      }
    if (last < 0 || (wanted >= first && wanted <= last)) continue;
    snprintf(hint, size, "'%.*s' has the numbers %d to %d, and not %d",
             (int)(stem < 60 ? stem : 60), text, first, last, wanted);
    return true;
  }
  return false;
}
