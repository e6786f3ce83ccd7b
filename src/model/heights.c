// heights.c: see heights.h.
//
// A file is a table: x along its first line, y down its first column, heights where they cross; the
// corner says nothing. Commas, semicolons, tabs or blanks between; lines that are empty or begin
// with # are passed over. Metres.
#include "model/heights.h"

#include "base/file.h"
#include "model/check.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 24 };  // numbers of a table

typedef struct table {
  const char *path;
  char *message;
  double *number;  // all of them, line by line
  int capacity, count, columns, lines;
} table;

static hn_status broken(const table *t, long line, const char *what) {
  return hn_fail(t->message, HN_ERR_SYNTAX, "%s:%ld: %s", t->path, line, what);
}

static hn_status add(table *t, double x) {
  if (t->count >= MOST) return hn_fail(t->message, HN_ERR_SYNTAX, "%s: is too large", t->path);
  if (!hn_grow((void **)&t->number, &t->capacity, t->count, sizeof *t->number))
    return hn_fail(t->message, HN_ERR_MEMORY, "out of memory");
  t->number[t->count++] = x;
  return HN_OK;
}

static size_t blanks(const char *s) {
  return strspn(s, " \t\r");
}

// cuts the next field off; *more: another follows
static char *take_field(char **s, bool *more) {
  char *start = *s + blanks(*s), *end = start + strcspn(start, ",; \t\r");
  char *next = end + blanks(end);
  *more = *next != 0;
  if (*next == ',' || *next == ';') next++;
  *end = 0;
  *s = next;
  return start;
}

// the numbers of one line; the corner may be anything
static hn_status read_line(table *t, char *s, long line) {
  bool more = true;
  for (int column = 0; more; column++) {
    char *text = take_field(&s, &more), *stop;
    bool corner = t->lines == 0 && column == 0;
    double x = strtod(text, &stop);
    if (!corner && (!*text || *stop || !isfinite(x))) return broken(t, line, "no finite number");
    hn_status status = add(t, corner ? 0 : x);
    if (status) return status;
  }
  return HN_OK;
}

static hn_status read_lines(table *t, char *text) {
  long line = 1;
  hn_status status = HN_OK;
  for (char *s = text, *next; s && *s && !status; s = next, line++) {
    next = strchr(s, '\n');
    if (next) *next++ = 0;
    s += blanks(s);
    if (!*s || *s == '#') continue;
    int before = t->count;
    status = read_line(t, s, line);
    if (status) break;
    if (t->lines++ == 0)
      t->columns = t->count;
    else if (t->count - before != t->columns)
      return broken(t, line, "has not as many numbers as the first line");
  }
  return status;
}

// x, y and heights from the numbers of a table, in a block of their own
static double *sort(const table *t, const hn_heights *h) {
  int nx = t->columns - 1, ny = t->lines - 1;
  double *room = malloc(((size_t)nx + (size_t)ny + (size_t)nx * (size_t)ny) * sizeof *room);
  if (!room) return NULL;
  double *x = room, *y = x + nx, *z = y + ny;
  memcpy(x, t->number + 1, (size_t)nx * sizeof *x);
  for (int j = 0; j < ny; j++) {
    const double *from = t->number + (size_t)(j + 1) * (size_t)t->columns;
    y[j] = from[0];
    memcpy(z + (size_t)j * (size_t)nx, from + 1, (size_t)nx * sizeof *z);
  }
  *h->x = x, *h->y = y, *h->height = z;
  *h->nx = nx, *h->ny = ny, *h->count = nx * ny;
  return room;
}

static hn_status read_table(hn_model *model, const hn_heights *h, double **room) {
  char message[HN_MESSAGE], *text = NULL;
  size_t length;
  char *path = hn_model_path(model, h->file);
  table t = {.path = path, .message = message};
  hn_status status = path ? hn_load_named(&text, &length, path, message)
                          : hn_fail(message, HN_ERR_MEMORY, "out of memory");
  // numbers have a point, whatever the user's language
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  if (!status) status = read_lines(&t, text);
  if (plain) uselocale(before), freelocale(plain);
  if (!status && (t.lines < 3 || t.columns < 3))
    status = hn_fail(message, HN_ERR_SYNTAX,
                     "%s: needs x along the first line, y down the first column, two of each at "
                     "least",
                     path);
  if (!status && !(*room = sort(&t, h))) status = hn_fail(message, HN_ERR_MEMORY, "out of memory");
  free(text), free(path), free(t.number);
  return status ? hn_element_fail_at(model, status, "file", 0, "%.400s", message) : HN_OK;
}

static hn_status check_axis(hn_model *model, const char *key, const double *x, int count) {
  if (!x || count < 2)
    return hn_element_fail(model, key, "a terrain needs %s, two numbers at least", key);
  for (int i = 1; i < count; i++)
    if (!(x[i] > x[i - 1]))
      return hn_element_fail(model, key, "%s must ascend: %g is followed by %g", key, x[i - 1],
                             x[i]);
  return HN_OK;
}

hn_status hn_heights_complete(hn_model *model, const hn_heights *h, double **room) {
  bool terrain = h->surface && strcmp(h->surface, "terrain") == 0;
  const char *key = *h->height ? "heights" : *h->x ? "grid_x" : *h->y ? "grid_y" : NULL;
  *room = NULL;
  if (!terrain && (key || h->file))
    return hn_element_fail(model, key ? key : "file", "%s belongs to a surface of kind terrain",
                           key ? key : "file");
  if (!terrain) return HN_OK;
  if (key && h->file)
    return hn_element_fail(model, key, "the ground is given twice: by '%s' and by a file", key);
  if (!key && !h->file)
    return hn_element_fail(model, "surface",
                           "a terrain needs a file, or grid_x, grid_y and heights");
  hn_status status = h->file ? read_table(model, h, room) : HN_OK;
  if (!status) status = check_axis(model, h->file ? "file" : "grid_x", *h->x, *h->nx);
  if (!status) status = check_axis(model, h->file ? "file" : "grid_y", *h->y, *h->ny);
  if (status) return status;
  if (!*h->height || *h->count % *h->nx || *h->count / *h->nx != *h->ny)
    return hn_element_fail(model, "heights",
                           "heights must have %d rows (grid_y) of %d numbers (grid_x), not %d "
                           "numbers in all",
                           *h->ny, *h->nx, *h->height ? *h->count : 0);
  return HN_OK;
}
