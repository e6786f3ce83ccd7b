// json.c: JSON that may also stand inside an HTML page: no character ends the script element around
// it.
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hn_text_bytes(hn_text *t, const void *bytes, size_t length) {
  if (t->failed) return;
  // one more for the zero at the end
  if (t->used + length + 1 > t->size) {
    size_t size = 2 * t->size + length + 1024;  // doubles: bytes are copied twice on average
    char *grown = realloc(t->text, size);
    if (!grown) {
      // what was there stays valid and is released by its owner
      t->failed = true;
      return;
    }
    t->text = grown, t->size = size;
  }
  memcpy(t->text + t->used, bytes, length);
  t->used += length;
  t->text[t->used] = 0;
}

// to wherever this writer writes
static void put_bytes(hn_json *j, const char *bytes, size_t length) {
  if (j->text)
    hn_text_bytes(j->text, bytes, length);
  else
    hn_save_bytes(j->save, bytes, length);
}

void hn_json_raw(hn_json *j, const char *text) {
  put_bytes(j, text, strlen(text));
}

void hn_json_quoted(hn_json *j, const char *text) {
  hn_json_raw(j, "\"");
  for (; *text; text++) {
    // signed char would make bytes above 127 negative and so "below 32"
    unsigned char c = (unsigned char)*text;
    char escaped[8];  // \u, four digits, zero
    if (c == '"' || c == '\\') {
      hn_json_raw(j, "\\");
      put_bytes(j, text, 1);
    } else if (c == '<' || c < 32) {
      // "<" could begin "</script>" or "<!--"
      snprintf(escaped, sizeof escaped, "\\u%04x", c);
      hn_json_raw(j, escaped);
    } else {
      // UTF-8 goes through as it is
      put_bytes(j, text, 1);
    }
  }
  hn_json_raw(j, "\"");
}

// a comma goes before every item but the first of its bracket
static void begin(hn_json *j, const char *key) {
  if (j->comma) hn_json_raw(j, ",");
  j->comma = true;
  if (!key) return;
  hn_json_quoted(j, key);
  hn_json_raw(j, ":");
}

void hn_json_open(hn_json *j, const char *key, char bracket) {
  begin(j, key);
  put_bytes(j, &bracket, 1);
  j->comma = false;  // nothing stands before the first item
}

void hn_json_close(hn_json *j, char bracket) {
  put_bytes(j, &bracket, 1);
  j->comma = true;  // the closed list is an item of the one around it
}

void hn_json_text(hn_json *j, const char *key, const char *text) {
  begin(j, key);
  if (text)
    hn_json_quoted(j, text);
  else
    hn_json_raw(j, "null");
}

void hn_json_number(hn_json *j, const char *key, double x) {
  char text[HN_NUMBER_SIZE];
  begin(j, key);
  // JSON has no word for it; readers of the page take null for a gap
  if (!isfinite(x)) {
    hn_json_raw(j, "null");
  } else {
    hn_number_text(text, x);
    hn_json_raw(j, text);
  }
}

void hn_json_numbers(hn_json *j, const char *key, const double *x, int count) {
  hn_json_open(j, key, '[');
  for (int i = 0; i < count; i++) hn_json_number(j, NULL, x[i]);
  hn_json_close(j, ']');
}

void hn_json_flag(hn_json *j, const char *key, bool x) {
  begin(j, key);
  hn_json_raw(j, x ? "true" : "false");
}
