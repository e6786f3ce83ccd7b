// json.c: JSON on standard output, one line for each value down to the second level.
#include "common.h"

#include <math.h>
#include <string.h>

// bytes of the UTF-8 character that starts here, 0 when it is none
static int character_length(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  int n = u[0] < 0x80   ? 1
          : u[0] < 0xc2 ? 0
          : u[0] < 0xe0 ? 2
          : u[0] < 0xf0 ? 3
          : u[0] < 0xf5 ? 4
                        : 0;
  // followers begin with 10
  for (int i = 1; i < n; i++)
    if ((u[i] & 0xc0) != 0x80) return 0;
  // too long forms, surrogates, beyond the last character
  if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f)) return 0;
  if ((u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f)) return 0;
  return n;
}

static void put_string(const char *text) {
  putchar('"');
  while (*text) {
    int n = character_length(text);
    // control characters are escaped, whatever they stand for
    unsigned char c = (unsigned char)*text;
    if (n == 0)
      fputs("\\ufffd", stdout);  // a file name may be anything
    else if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      printf("\\u%04x", c);
    else
      fwrite(text, 1, (size_t)n, stdout);
    text += n ? n : 1;
  }
  putchar('"');
}

static void begin_value(json *j, const char *key) {
  // down to the second level a line for each value
  if (j->started) putchar(',');
  if (j->depth > 0 && j->depth <= 2)
    printf("\n%*s", 2 * j->depth, "");
  else if (j->started)
    putchar(' ');
  j->started = true;
  if (!key) return;
  put_string(key);
  fputs(": ", stdout);
}

void json_open(json *j, const char *key, char bracket) {
  begin_value(j, key);
  putchar(bracket);
  // at most eight levels are ever open
  j->close[j->depth++] = bracket == '{' ? '}' : ']';
  j->started = false;
}

// an empty list stays on its line
void json_close(json *j) {
  char bracket = j->close[--j->depth];
  if (j->started && j->depth < 2) printf("\n%*s", 2 * j->depth, "");
  putchar(bracket);
  if (j->depth == 0) putchar('\n');
  j->started = true;
}

void json_string(json *j, const char *key, const char *text) {
  begin_value(j, key);
  put_string(text);
}

void json_number(json *j, const char *key, double x) {
  // JSON has no numbers that are none
  char text[CELL];
  begin_value(j, key);
  fputs(isfinite(x) ? number_text(text, x) : "null", stdout);
}

void json_integer(json *j, const char *key, long x) {
  begin_value(j, key);
  printf("%ld", x);
}

void json_flag(json *j, const char *key, bool x) {
  begin_value(j, key);
  fputs(x ? "true" : "false", stdout);
}

void json_null(json *j, const char *key) {
  begin_value(j, key);
  fputs("null", stdout);
}

void json_names(json *j, const char *key, int count, const char *const *name) {
  json_open(j, key, '[');
  for (int i = 0; i < count; i++) json_string(j, NULL, name[i]);
  json_close(j);
}

void json_redundant(json *j, const hn_check *check) {
  json_names(j, "redundant_rows", check->redundant_count, check->redundant);
}

void json_start(json *j, const hn_check *check) {
  json_number(j, "moved", check->moved);
  json_number(j, "turned", check->turned);
  json_names(j, "start", check->note_count, check->note);
  json_open(j, "changes", '[');
  for (int i = 0; i < check->body_count; i++) {
    const hn_check_body *b = &check->body[i];
    bool velocity = b->velocity_given && (b->velocity_change > 1e-12 || b->spin_change > 1e-12);
    if (b->moved <= 1e-12 && b->turned <= 1e-12 && !velocity) continue;
    json_open(j, NULL, '{');
    json_string(j, "body", b->name);
    json_number(j, "moved", b->moved);
    json_number(j, "turned", b->turned);
    json_number(j, "velocity_change", velocity ? b->velocity_change : 0);
    json_number(j, "spin_change", velocity ? b->spin_change : 0);
    json_close(j);
  }
  json_close(j);
}
