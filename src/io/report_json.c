// report_json.c: JSON inside an HTML page: no character may end the script element around it.
#include "io/report.h"

#include <math.h>
#include <string.h>

static void put(hn_json *j, const char *text) {
  hn_save_bytes(j->save, text, strlen(text));
}

static void put_string(hn_json *j, const char *text) {
  put(j, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    char escaped[8];
    // "<" could begin "</script>" or "<!--"; all others are escaped because JSON wants it
    if (c == '"' || c == '\\' || c == '<' || c < 32) {
      snprintf(escaped, sizeof escaped, "\\u%04x", c);
      put(j, escaped);
    } else {
      hn_save_bytes(j->save, text, 1);
    }
  }
  put(j, "\"");
}

static void begin(hn_json *j, const char *key) {
  if (j->comma) put(j, ",");
  j->comma = true;
  if (!key) return;
  put_string(j, key);
  put(j, ":");
}

void hn_json_open(hn_json *j, const char *key, char bracket) {
  begin(j, key);
  hn_save_bytes(j->save, &bracket, 1);
  j->comma = false;
}

void hn_json_close(hn_json *j, char bracket) {
  hn_save_bytes(j->save, &bracket, 1);
  j->comma = true;
}

void hn_json_text(hn_json *j, const char *key, const char *text) {
  begin(j, key);
  if (text)
    put_string(j, text);
  else
    put(j, "null");
}

void hn_json_number(hn_json *j, const char *key, double x) {
  char text[HN_NUMBER_SIZE];
  begin(j, key);
  if (!isfinite(x)) {
    put(j, "null");
  } else {
    hn_number_text(text, x);
    put(j, text);
  }
}

void hn_json_numbers(hn_json *j, const char *key, const double *x, int count) {
  hn_json_open(j, key, '[');
  for (int i = 0; i < count; i++) hn_json_number(j, NULL, x[i]);
  hn_json_close(j, ']');
}

void hn_json_flag(hn_json *j, const char *key, bool x) {
  begin(j, key);
  put(j, x ? "true" : "false");
}
