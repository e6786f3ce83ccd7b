// series.c: points over time, their interpolation, and the CSV columns they come from.
//
//   hold    the value of the last point
//   linear  straight lines
//   cubic   the spline with two continuous derivatives; its first and its last two cells are one
//           cubic each ("not a knot"), so that cubic data come out exactly
//
// Outside, the first and the last value hold; splines go on straight, so that their rate is
// continuous.
//
// The second derivatives m of the spline solve a tridiagonal system,
//
//   h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (s_i - s_(i-1)),
//
// with h the cells and s their slopes; m_0 = m_1 - h_0 (m_2 - m_1) / h_1 is put into the first row,
// and likewise at the other end (de Boor, A Practical Guide to Splines, chapter IV).
//
// Files are read twice in pieces of fixed size: once to count the rows, once to keep two numbers of
// each. A file of many columns and ten million rows takes 16 bytes of memory per row, 24 with cubic
// interpolation.
#include "model/series.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "expr/expr.h"

// longer lines are no CSV; so many rows would be 4 GB
enum { LONGEST_LINE = 1 << 16, MOST_ROWS = 1 << 28 };

// ---- life ----------------------------------------------------------------------------------

static void destroy(hn_series *s) {
  if (!s) return;
  free(s->time), free(s->value), free(s->second);
  free(s);
}

static hn_series *make(int count, hn_interpolation kind) {
  hn_series *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  // the maker's own share
  s->users = 1;
  s->count = count;
  s->kind = kind;
  s->time = malloc((size_t)count * sizeof(double));
  s->value = malloc((size_t)count * sizeof(double));
  if (s->time && s->value) return s;
  destroy(s);
  return NULL;
}

hn_series *hn_series_share(hn_series *series) {
  __atomic_add_fetch(&series->users, 1, __ATOMIC_RELAXED);
  return series;
}

void hn_series_release(hn_series *series) {
  if (series && __atomic_sub_fetch(&series->users, 1, __ATOMIC_ACQ_REL) == 0) destroy(series);
}

// ---- interpolation -------------------------------------------------------------------------

// cells begin with their number, count - 1 of them
static double width(const hn_series *s, int i) {
  return s->time[i + 1] - s->time[i];
}

static double slope(const hn_series *s, int i) {
  return (s->value[i + 1] - s->value[i]) / width(s, i);
}

// Thomas' algorithm: elimination downwards keeps `upper` and m, then back upwards. Rows are
// diagonally dominant, so nothing is exchanged
static bool spline(hn_series *s) {
  int n = s->count;
  double *m = s->second = calloc((size_t)n, sizeof(double));
  if (!m) return false;
  if (n < 3) return true;  // a line
  if (n == 3) {            // a parabola
    // three points: not-a-knot leaves one parabola
    m[0] = m[1] = m[2] = 2 * (slope(s, 1) - slope(s, 0)) / (s->time[2] - s->time[0]);
    return true;
  }
  double *upper = malloc((size_t)n * sizeof(double));
  if (!upper) return false;
  for (int i = 1; i < n - 1; i++) {
    double a = width(s, i - 1), c = width(s, i), b = 2 * (a + c);
    double right = 6 * (slope(s, i) - slope(s, i - 1)), before = i > 1 ? a : 0;
    double after = i < n - 2 ? c : 0;
    // m_0 and m_(n-1) put in by the conditions of the ends
    if (i == 1) b += a * (1 + a / c), after -= a * a / c;
    if (i == n - 2) b += c * (1 + c / a), before -= c * c / a;
    double pivot = b - (i > 1 ? before * upper[i - 1] : 0);
    upper[i] = after / pivot;
    m[i] = (right - (i > 1 ? before * m[i - 1] : 0)) / pivot;
  }
  for (int i = n - 3; i > 0; i--) m[i] -= upper[i] * m[i + 1];
  // and found again from them
  m[0] = m[1] - width(s, 0) / width(s, 1) * (m[2] - m[1]);
  m[n - 1] = m[n - 2] + width(s, n - 2) / width(s, n - 3) * (m[n - 2] - m[n - 3]);
  free(upper);
  return true;
}

static hn_series *finished(hn_series *s) {
  if (s->kind != HN_CUBIC || spline(s)) return s;
  destroy(s);
  return NULL;
}

hn_series *hn_series_create(const double *pairs, int count, hn_interpolation kind) {
  hn_series *s = make(count, kind);
  for (int i = 0; s && i < count; i++) s->time[i] = pairs[2 * i], s->value[i] = pairs[2 * i + 1];
  return s ? finished(s) : NULL;
}

int hn_series_cell(const hn_series *s, double t, int near) {
  // cells are half open: at a point the one that begins there
  int low = -1, high = s->count;  // the answer is in [low, high)
  if (near < -1) near = -1;
  if (near >= s->count) near = s->count - 1;
  // most questions are about the cell asked for last, or the next one
  for (int i = near; i <= near + 1 && i < s->count; i++) {
    bool begun = i < 0 || t >= s->time[i], ended = i + 1 < s->count && t >= s->time[i + 1];
    if (begun && !ended) return i;
  }
  while (high - low > 1) {
    // bisection with both ends outside of what can be asked
    int middle = low + (high - low) / 2;
    if (t >= s->time[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

void hn_series_at(const hn_series *s, int cell, double t, double out[3]) {
  // outside, the nearest point
  int last = s->count - 1, end = cell < 0 ? 0 : last;
  out[1] = out[2] = 0;
  out[0] = s->value[cell < 0 ? 0 : cell];
  if ((cell < 0 || cell >= last) && s->kind == HN_CUBIC && last > 0) {
    // value and slope at the end, from the last cell there
    hn_series_at(s, end ? last - 1 : 0, s->time[end], out);
    out[0] = s->value[end] + out[1] * (t - s->time[end]);
    out[2] = 0;
    return;
  }
  if (cell < 0 || cell >= last || s->kind == HN_HOLD) return;
  double h = width(s, cell), x = t - s->time[cell];
  if (s->kind == HN_LINEAR) {
    out[1] = slope(s, cell);
    out[0] += out[1] * x;
    return;
  }
  double a = s->second[cell], jerk = (s->second[cell + 1] - a) / h;
  // a cubic by its second derivatives: rate at the start of the cell
  double rate = slope(s, cell) - h * (2 * a + s->second[cell + 1]) / 6;
  out[0] += x * (rate + x * (0.5 * a + x * jerk / 6));
  out[1] = rate + x * (a + 0.5 * x * jerk);
  out[2] = a + x * jerk;
}

// rows that repeat the value (hold) or go on straight (linear) are no news
double hn_series_next(const hn_series *s, int cell) {
  // the value at a point is that of both cells, but for `hold`; slopes tell kinks of lines
  for (int i = cell + 1; i < s->count; i++) {
    double here[3], then[3];
    if (s->kind == HN_CUBIC) return s->time[i];
    hn_series_at(s, i - 1, s->time[i], here);
    hn_series_at(s, i, s->time[i], then);
    if (here[0] != then[0] || here[1] != then[1]) return s->time[i];
  }
  return INFINITY;
}

// ---- files ---------------------------------------------------------------------------------

typedef struct reader {
  const char *path;
  FILE *stream;
  long line;  // number of the one in `text`
  char *text;
  char separator;
  int column[2];     // time, value; from 0
  double factor[2];  // to SI units
  char *message;
} reader;

static hn_status broken(const reader *r, const char *what) {
  return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%ld: %s", r->path, r->line, what);
}

// the next line with numbers; false at the end of the file or after a failure
static bool next_line(reader *r, hn_status *status) {
  while (fgets(r->text, LONGEST_LINE, r->stream)) {
    size_t n = strlen(r->text);
    // a byte order mark
    // some programs begin UTF-8 with it; it would be part of the first name
    if (r->line++ == 0 && strncmp(r->text, "\xef\xbb\xbf", 3) == 0)
      memmove(r->text, r->text + 3, (n -= 3) + 1);
    // no newline although the room is full: a part of a line
    if (n + 4 >= LONGEST_LINE && r->text[n - 1] != '\n') {
      *status = broken(r, "the line is longer than 65535 characters (is this a CSV file?)");
      return false;
    }
    // blank lines and remarks
    char *s = r->text + strspn(r->text, " \t");
    if (*s && !strchr("#\r\n", *s)) return true;
  }
  if (ferror(r->stream)) *status = hn_fail(r->message, HN_ERR_FILE, "%s: cannot be read", r->path);
  return false;
}

// where the cell that begins at s ends: at a separator, or with its line. Quotes around a cell hide
// separators in it; two of them stand for one
static const char *end_of_cell(const char *s, const char separator[3]) {
  s += strspn(s, " ");
  if (*s == '"')
    for (s++; *s && *s != '\n' && (*s != '"' || s[1] == '"'); s++)
      if (*s == '"') s++;
  while (*s && *s != '\n' && *s != '\r' && *s != separator[0] && *s != separator[1] &&
         *s != separator[2])
    s++;
  return s;
}

// the k-th cell of the line; NULL: it has no such. `length` without blanks and quotes around it
static const char *cell_at(const reader *r, int k, size_t *length) {
  const char separator[3] = {r->separator, r->separator, r->separator};
  // from the start of the line, since two columns of it are wanted
  const char *s = r->text, *end = end_of_cell(s, separator);
  for (; k > 0; k--) {
    if (*end != r->separator) return NULL;
    s = end + 1, end = end_of_cell(s, separator);
  }
  // quotes around a cell do not count
  while (s < end && (*s == ' ' || *s == '\t' || *s == '"')) s++;
  while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '"')) end--;
  *length = (size_t)(end - s);
  return s;
}

static bool number_at(const reader *r, int k, double *value) {
  size_t length;
  char *stop;
  const char *s = cell_at(r, k, &length);
  if (!s || length == 0) return false;
  // the cell has no end of its own: strtod() stops at the separator, or else it is no number
  *value = strtod(s, &stop);
  return stop == s + length;
}

// "name [unit]": cuts the unit off, and its factor
static hn_status split_unit(const reader *r, char *name, double *factor) {
  size_t n = strlen(name);
  *factor = 1;
  // the last bracket, since names may have some
  char *open = n && name[n - 1] == ']' ? strrchr(name, '[') : NULL;
  if (!open) return HN_OK;
  char unit[80];
  name[n - 1] = 0;
  // "1 ms" is read as any number with a unit
  snprintf(unit, sizeof unit, "1 %s", open + 1);
  while (open > name && open[-1] == ' ') open--;
  *open = 0;
  hn_expr_error error;
  // no unit is no factor
  if (!unit[2] || hn_parse_number(unit, strlen(unit), NULL, NULL, factor, &error)) return HN_OK;
  return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%ld: column '%.60s': unit '%.60s': %s", r->path,
                 r->line, name, unit + 2, error.message);
}

// which column is meant, from the header (the line that is there) where the file has one
static hn_status find_column(reader *r, bool header, const char *wanted, int which) {
  char known[256] = "", name[160];
  size_t length;
  const char *s;
  // of a header a name of digits is a number too
  int number = wanted ? atoi(wanted) : which + 1;
  bool by_number = !wanted || wanted[strspn(wanted, "0123456789")] == 0;
  r->factor[which] = 1;
  for (int k = 0; (s = cell_at(r, k, &length)); k++) {
    double factor;
    // longer names are cut, which compares false
    snprintf(name, sizeof name, "%.*s", (int)(length < 150 ? length : 150), s);
    hn_status status = header ? split_unit(r, name, &factor) : HN_OK;
    bool meant = by_number ? k == number - 1 : header && strcmp(name, wanted) == 0;
    if (meant && status) return status;
    if (meant) {
      r->column[which] = k;
      if (header) r->factor[which] = factor;
      return HN_OK;
    }
    // for the message, as many as there is room for
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s'%s'", used ? ", " : "", name);
  }
  if (by_number)
    return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%ld: there is no column %d", r->path, r->line,
                   number);
  if (!header)
    return hn_fail(r->message, HN_ERR_SYNTAX,
                   "%s:%ld: no header names a column '%.60s' (give its number)", r->path, r->line,
                   wanted);
  return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%ld: no column '%.60s' (there are %s)", r->path,
                 r->line, wanted, known);
}

// the separator is what the first cell ends with: comma, semicolon or tabulator
static hn_status read_header(reader *r, const char *time, const char *column, bool *header) {
  hn_status status = HN_OK;
  double value;
  if (!next_line(r, &status)) return status ? status : broken(r, "the file has no rows");
  char found = *end_of_cell(r->text, ",;\t");
  r->separator = found && strchr(",;\t", found) ? found : ',';
  // a first cell that is no number makes a header
  *header = !number_at(r, 0, &value);
  status = find_column(r, *header, time, 0);
  if (!status) status = find_column(r, *header, column, 1);
  if (!status && r->column[0] == r->column[1]) return broken(r, "time and value are one column");
  return status;
}

// one row; the times ascend
static hn_status read_row(const reader *r, hn_series *s, int i) {
  double x[2];
  for (int k = 0; k < 2; k++) {
    if (!number_at(r, r->column[k], &x[k]) || !isfinite(x[k])) {
      char what[64];
      snprintf(what, sizeof what, "no finite number in column %d", r->column[k] + 1);
      return broken(r, what);
    }
    x[k] *= r->factor[k];
  }
  // NaN was refused; equal times would be a jump, which interpolation cannot make
  if (i > 0 && !(x[0] > s->time[i - 1])) return broken(r, "the times do not ascend");
  s->time[i] = x[0], s->value[i] = x[1];
  return HN_OK;
}

static hn_status read_rows(reader *r, hn_series **out, const char *time, const char *column,
                           hn_interpolation kind) {
  bool header = true;
  long rows = 0;
  hn_status status = read_header(r, time, column, &header);
  // without a header the first line is a row
  if (!header) rows = 1;
  while (!status && next_line(r, &status)) rows++;
  // a header alone
  if (!status && rows == 0) return broken(r, "the file has no rows");
  if (!status && rows > MOST_ROWS) return broken(r, "the file has too many rows");
  if (status) return status;
  hn_series *s = make((int)rows, kind);
  // the second pass; lines are counted anew for messages
  rewind(r->stream);
  r->line = 0;
  (void)next_line(r, &status);
  if (header) (void)next_line(r, &status);
  for (int i = 0; s && i < rows && !status; i++) {
    status = read_row(r, s, i);
    // another program may write to it meanwhile: the array has room for what was counted
    if (!status && i + 1 < rows && !next_line(r, &status) && !status)
      status = broken(r, "the file changes while it is read");
  }
  if (status) {
    destroy(s);
    return status;
  }
  *out = s ? finished(s) : NULL;
  return *out ? HN_OK : hn_fail(r->message, HN_ERR_MEMORY, "%s: out of memory", r->path);
}

hn_status hn_series_read(hn_series **out, const char *path, const char *time, const char *column,
                         hn_interpolation kind, char message[HN_MESSAGE]) {
  reader r = {.path = path, .message = message};
  struct stat about;
  *out = NULL;
  // pipes and devices never end
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return hn_fail(message, HN_ERR_FILE, "%s: is no file", path);
  r.stream = fopen(path, "rb");
  if (!r.stream) return hn_fail(message, HN_ERR_FILE, "%s: cannot be read", path);
  r.text = malloc(LONGEST_LINE);
  // numbers have a point, whatever the user's language
  // for this thread only
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  hn_status status = r.text ? read_rows(&r, out, time, column, kind)
                            : hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (plain) uselocale(before), freelocale(plain);
  free(r.text);
  fclose(r.stream);
  return status;
}
