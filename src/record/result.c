// result.c: recorded columns in memory.
#include "record/result.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A table of numbers with named columns and nothing else: what a run records, and what a file
// holds. Readers take
// NULL for a table without anything in it.
hn_result *hn_result_create(const char *title, int columns) {
  if (columns < 1) return NULL;
  hn_result *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  // texts come from model files and end up in terminals and pages
  r->title = hn_strdup(title ? title : "");
  r->column = calloc((size_t)columns, sizeof *r->column);
  if (!r->title || !r->column) {
    // handles what is half made: absent columns count as none
    hn_result_destroy(r);
    return NULL;
  }
  hn_make_printable(r->title);
  // set last, so that a result that failed has no columns to release
  r->columns = columns;
  return r;
}

void hn_result_destroy(hn_result *result) {
  if (!result) return;
  for (int i = 0; i < result->columns; i++) {
    free(result->column[i].name);
    free(result->column[i].unit);
  }
  for (int i = 0; i < result->notes; i++) free(result->note[i]);
  free(result->note);
  free(result->column);
  free(result->title);
  free(result->data);
  free(result);
}

hn_status hn_result_set_column(hn_result *result, int column, const char *name, const char *unit) {
  // both copies are there before the old ones go
  if (column < 0 || column >= result->columns) return HN_ERR_ARGUMENT;
  char *new_name = hn_strdup(name ? name : "");
  char *new_unit = hn_strdup(unit ? unit : "");
  if (!new_name || !new_unit) {
    free(new_name);
    free(new_unit);
    return HN_ERR_MEMORY;
  }
  hn_make_printable(new_name);
  hn_make_printable(new_unit);
  hn_result_column *c = &result->column[column];
  free(c->name);
  free(c->unit);
  *c = (hn_result_column){new_name, new_unit};
  return HN_OK;
}

hn_status hn_result_add_note(hn_result *result, const char *text) {
  // one at a time: there are few
  char **grown = realloc(result->note, ((size_t)result->notes + 1) * sizeof *grown);
  if (!grown) return HN_ERR_MEMORY;
  result->note = grown;
  grown[result->notes] = hn_strdup(text ? text : "");
  if (!grown[result->notes]) return HN_ERR_MEMORY;
  // a file has one line for each
  for (char *c = grown[result->notes]; *c; c++)
    if (*c == '\n' || *c == '\r') *c = ' ';
  hn_make_printable(grown[result->notes]);
  result->notes++;
  return HN_OK;
}

// never less than there is; rows are not touched
hn_status hn_result_reserve(hn_result *result, int rows) {
  if (rows <= result->capacity) return HN_OK;
  size_t row = (size_t)result->columns * sizeof(double);
  // the product would overflow
  if ((size_t)rows > SIZE_MAX / row) return HN_ERR_MEMORY;
  double *grown = realloc(result->data, (size_t)rows * row);
  if (!grown) return HN_ERR_MEMORY;
  result->data = grown;
  result->capacity = rows;
  return HN_OK;
}

// what went to a file is dropped, but for the last row: whoever asks for the present state reads it
void hn_result_let_go(hn_result *result) {
  if (result->rows < 2) return;
  size_t columns = (size_t)result->columns, last = (size_t)result->rows - 1;
  memmove(result->data, result->data + last * columns, columns * sizeof(double));
  result->gone += (long)last;  // so that rows can be counted all the same
  result->rows = 1;
}

// The caller fills the row that it is given. Its address holds until the next append; NULL: out of
// memory.
double *hn_result_append(hn_result *result) {
  if (result->rows == result->capacity) {
    int capacity = result->capacity;
    // half as much again would not fit in an int
    if (capacity > INT_MAX / 3 * 2) return NULL;
    capacity = capacity < 64 ? 64 : capacity + capacity / 2;
    if (hn_result_reserve(result, capacity)) return NULL;
  }
  return result->data + (size_t)result->rows++ * (size_t)result->columns;
}

int hn_result_rows(const hn_result *result) {
  return result ? result->rows : 0;
}

int hn_result_columns(const hn_result *result) {
  return result ? result->columns : 0;
}

// empty while it was not set; NULL: there is no such column
const char *hn_result_name(const hn_result *result, int column) {
  if (!result || column < 0 || column >= result->columns) return NULL;
  return result->column[column].name ? result->column[column].name : "";
}

const char *hn_result_unit(const hn_result *result, int column) {
  if (!result || column < 0 || column >= result->columns) return NULL;
  return result->column[column].unit ? result->column[column].unit : "";
}

int hn_result_notes(const hn_result *result) {
  return result ? result->notes : 0;
}

const char *hn_result_note(const hn_result *result, int index) {
  return result && index >= 0 && index < result->notes ? result->note[index] : NULL;
}

const double *hn_result_row(const hn_result *result, int row) {
  if (!result || row < 0 || row >= result->rows) return NULL;
  return result->data + (size_t)row * (size_t)result->columns;
}

// the first of that name; -1: there is none
int hn_result_find(const hn_result *result, const char *name) {
  for (int i = 0; i < hn_result_columns(result); i++)
    if (strcmp(hn_result_name(result, i), name) == 0) return i;
  return -1;
}
