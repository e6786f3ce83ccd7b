// result.h: recorded columns. Rows are appended while a run goes on; the struct is the file.
#ifndef HN_RESULT_H
#define HN_RESULT_H

#include "base/base.h"

typedef struct hn_result_column {
  char *name;  // "<element>.<quantity>"
  char *unit;  // "m/s", "" for none
} hn_result_column;

struct hn_result {
  char *title;  // model name
  int columns, rows, capacity;
  hn_result_column *column;
  double *data;  // rows x columns, row by row
  long gone;     // rows before these, which are in a file and kept no longer
  int notes;
  char **note;  // what must be known to read the numbers, one line each
};

// line breaks become blanks
hn_status hn_result_add_note(hn_result *result, const char *text);
// room for `rows` rows in advance, so that recording rarely reallocates
hn_status hn_result_reserve(hn_result *result, int rows);
// keeps the last row only
void hn_result_let_go(hn_result *result);

#endif
