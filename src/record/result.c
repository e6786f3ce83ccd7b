// result.c: recorded columns in memory, and the choice of the file format by the path's ending.
#include "record/result.h"

#include "io/io.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

hn_result *hn_result_create(const char *title, int columns) {
  if (columns < 1) return NULL;
  hn_result *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->title = hn_strdup(title ? title : "");
  r->column = calloc((size_t)columns, sizeof *r->column);
  if (!r->title || !r->column) {
    hn_result_destroy(r);
    return NULL;
  }
  hn_make_printable(r->title);
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
  char **grown = realloc(result->note, ((size_t)result->notes + 1) * sizeof *grown);
  if (!grown) return HN_ERR_MEMORY;
  result->note = grown;
  grown[result->notes] = hn_strdup(text ? text : "");
  if (!grown[result->notes]) return HN_ERR_MEMORY;
  for (char *c = grown[result->notes]; *c; c++)
    if (*c == '\n' || *c == '\r') *c = ' ';
  hn_make_printable(grown[result->notes]);
  result->notes++;
  return HN_OK;
}

hn_status hn_result_reserve(hn_result *result, int rows) {
  if (rows <= result->capacity) return HN_OK;
  size_t row = (size_t)result->columns * sizeof(double);
  if ((size_t)rows > SIZE_MAX / row) return HN_ERR_MEMORY;
  double *grown = realloc(result->data, (size_t)rows * row);
  if (!grown) return HN_ERR_MEMORY;
  result->data = grown;
  result->capacity = rows;
  return HN_OK;
}

double *hn_result_append(hn_result *result) {
  if (result->rows == result->capacity) {
    int capacity = result->capacity;
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

int hn_result_find(const hn_result *result, const char *name) {
  for (int i = 0; i < hn_result_columns(result); i++)
    if (strcmp(hn_result_name(result, i), name) == 0) return i;
  return -1;
}

// a format: how its files end, and what handles them
typedef struct format {
  const char *ending;
  hn_status (*write)(const hn_result *result, const char *path, char message[HN_MESSAGE]);
  hn_status (*read)(hn_result **out, const char *path, char message[HN_MESSAGE]);
} format;

static const format formats[] = {
    {".csv", hn_csv_write, hn_csv_read},
    {".h5", hn_hdf5_write, hn_hdf5_read},
    {".hdf5", hn_hdf5_write, hn_hdf5_read},
};

static const format *format_of(const char *path) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (hn_path_ends(path, formats[i].ending)) return &formats[i];
  return NULL;
}

// the caller's buffer may be absent or smaller than a message
static hn_status answer(hn_status status, const char *text, char *message, size_t size) {
  if (message && size) snprintf(message, size, "%s", status ? text : "");
  return status;
}

hn_status hn_result_write(const hn_result *result, const char *path, char *message, size_t size) {
  char text[HN_MESSAGE] = "";
  hn_status status;
  const format *f = path ? format_of(path) : NULL;
  if (!result || !path)
    status = hn_fail(text, HN_ERR_ARGUMENT, "%s to write", path ? "no result" : "no path");
  else if (!f)
    status = hn_fail(text, HN_ERR_ARGUMENT, "%s: a result file ends in .csv or .h5", path);
  else
    status = f->write(result, path, text);
  return answer(status, text, message, size);
}

hn_status hn_result_read(hn_result **out, const char *path, char *message, size_t size) {
  char text[HN_MESSAGE] = "";
  hn_status status;
  *out = NULL;
  const format *f = path ? format_of(path) : NULL;
  if (!path)
    status = hn_fail(text, HN_ERR_ARGUMENT, "no path to read");
  else if (!f)
    status = hn_fail(text, HN_ERR_ARGUMENT, "%s: a result file ends in .csv or .h5", path);
  else
    status = f->read(out, path, text);
  return answer(status, text, message, size);
}
