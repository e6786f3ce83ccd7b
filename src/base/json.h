// json.h: JSON, written to a file or into a text that grows.
#ifndef HN_JSON_H
#define HN_JSON_H

#include "base/file.h"

// a text that grows; `failed` when memory ran out, and then nothing is added any more
typedef struct hn_text {
  char *text;  // with a zero at its end; NULL while empty
  size_t used, size;
  bool failed;
} hn_text;

void hn_text_bytes(hn_text *text, const void *bytes, size_t length);

typedef struct hn_json {
  hn_save *save;  // one of the two is set
  hn_text *text;
  bool comma;  // before the next item
} hn_json;

// key NULL: an item of a list, or the outermost one
void hn_json_open(hn_json *j, const char *key, char bracket);
void hn_json_close(hn_json *j, char bracket);
void hn_json_text(hn_json *j, const char *key, const char *text);  // NULL is written as null
void hn_json_number(hn_json *j, const char *key, double x);        // null when it is not finite
void hn_json_numbers(hn_json *j, const char *key, const double *x, int count);
void hn_json_flag(hn_json *j, const char *key, bool x);

// pieces: text as it is, and a string in quotes
void hn_json_raw(hn_json *j, const char *text);
void hn_json_quoted(hn_json *j, const char *text);

#endif
