// csv.c: results as comma-separated values (RFC 4180, lines end in LF).
//
//   time [s],crank.angle [rad],energy.total [J]
//   0,1.5707963267948966,12.5
//
// The header is the first line, so that spreadsheets and data-frame readers need no settings.
// Numbers are the shortest texts that read back as the same bits; `nan` stands for no value. Notes
// stand in a file beside it (notes.c).
// The reader takes CR LF, blank lines and comments (#) too, among them a title: "# holon: TITLE". A
// last line without its end may have been cut inside a number: it is left out, and a note says so.
#include "io/io.h"
#include "record/result.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- writing -------------------------------------------------------------------------------

enum { BUFFER = 1 << 16 };

// name and unit as one header cell. A name without unit that itself ends in ']' gets an empty unit,
// or its end would be read back as one. Quotes keep blanks, and what looks like a comment or a byte
// order mark.
// Names are the library's own and need quotes almost never; results may come from elsewhere.
static void write_heading(hn_save *save, const char *name, const char *unit, bool first) {
  // names of columns have a unit in brackets behind them
  size_t n = strlen(name);
  bool bracketed = *unit || (n && name[n - 1] == ']');
  bool quoted = n == 0 || strpbrk(name, ",\"\r\n") || strpbrk(unit, ",\"\r\n") ||
                strchr("# \t\xef", name[0]) || strchr(" \t", name[n - 1]);
  if (!first) hn_save_bytes(save, ",", 1);
  if (quoted) hn_save_bytes(save, "\"", 1);
  for (int part = 0; part < 2; part++) {
    const char *s = part ? unit : name;
    if (part && bracketed) hn_save_bytes(save, " [", 2);
    for (; *s; s++) hn_save_bytes(save, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    if (part && bracketed) hn_save_bytes(save, "]", 1);
  }
  if (quoted) hn_save_bytes(save, "\"", 1);
}

// HN_NUMBER_SIZE is enough for any number, so that the text is written without looking at its room.
// free() it; NULL: out of memory
char *hn_csv_rows(const hn_result *result, int from, int count, size_t *length) {
  int columns = result->columns;
  size_t row_size = (size_t)columns * (HN_NUMBER_SIZE + 1);
  char *text = malloc((size_t)(count > 0 ? count : 1) * row_size), *at = text;
  for (int row = from; text && row < from + count; row++) {
    const double *value = hn_result_row(result, row);
    for (int i = 0; i < columns; i++) {
      at += hn_number_text(at, value[i]);
      *at++ = i + 1 < columns ? ',' : '\n';
    }
  }
  *length = text ? (size_t)(at - text) : 0;
  return text;
}

// In pieces of about 64 kB; false: out of memory.
static bool write_rows(hn_save *save, const hn_result *result) {
  // bytes of a row are bounded by its numbers' longest texts
  int step = BUFFER / ((HN_NUMBER_SIZE + 1) * result->columns) + 1;
  for (int row = 0; row < result->rows && !save->error; row += step) {
    int count = result->rows - row < step ? result->rows - row : step;
    size_t length;
    char *text = hn_csv_rows(result, row, count, &length);
    if (!text) return false;
    hn_save_bytes(save, text, length);
    free(text);
  }
  return true;
}

// Notes first where the file is incomplete, last where it is complete: at no instant does a file
// stand there that looks better than it is.
hn_status hn_csv_write(const hn_result *result, const char *path, const char *incomplete,
                       char message[HN_MESSAGE]) {
  // the notes' file is written before or after, never at once
  hn_save save;
  // a file never stands there without being said to be incomplete, if it is
  hn_status status = incomplete ? hn_notes_write(result, path, incomplete, message) : HN_OK;
  if (!status) status = hn_save_open(&save, path, message);
  if (status) return status;
  for (int i = 0; i < result->columns; i++)
    write_heading(&save, hn_result_name(result, i), hn_result_unit(result, i), i == 0);
  hn_save_bytes(&save, "\n", 1);
  if (!write_rows(&save, result)) {
    hn_save_drop(&save);
    return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  }
  status = hn_save_close(&save, message);
  if (!status && !incomplete) status = hn_notes_write(result, path, NULL, message);
  return status;
}

// ---- reading -------------------------------------------------------------------------------

typedef struct reader {
  // end: of the last whole line
  const char *path;
  char *at, *end;  // what is still to be read; *end is zero
  int line;        // of `at`, from 1
  char *message;
} reader;

// one cell: blanks around it removed, quotes undone in place
typedef struct cell {
  char *text;
  size_t length;
  bool quoted;
  bool last;  // of its line
} cell;

static bool blank(char c) {
  // carriage returns are blanks at the end of a line
  return c == ' ' || c == '\t' || c == '\r';
}

// a cell as it may be shown in a message: short, without control characters
// Forty characters are enough to recognise a cell.
static const char *shown(const cell *c, char out[48]) {
  size_t n = c->length < 40 ? c->length : 40;
  // zeros too, which would end the text
  for (size_t i = 0; i < n; i++) out[i] = c->text[i] ? c->text[i] : '?';
  snprintf(out + n, 48 - n, "%s", c->length > n ? "..." : "");
  hn_make_printable(out);
  return out;
}

// steps over the comma or line end that closes a cell
// The end of the file ends the line as well.
static void close_cell(reader *r, cell *c) {
  c->last = r->at == r->end || *r->at == '\n';
  if (r->at == r->end) return;
  if (*r->at == '\n') r->line++;
  r->at++;
}

// Undone in place: what is left is never longer. A line break inside of quotes counts as a line.
static hn_status next_quoted(reader *r, cell *c) {
  int opened = r->line;
  char *from = r->at + 1, *to = from;
  *c = (cell){.text = from, .quoted = true};
  // the zero behind the end is no quote
  while (from < r->end && (*from != '"' || from[1] == '"')) {
    if (*from == '"') from++;  // two quotes stand for one
    if (*from == '\n') r->line++;
    *to++ = *from++;
  }
  if (from == r->end)
    return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%d: a quoted cell has no closing quote", r->path,
                   opened);
  c->length = (size_t)(to - c->text);
  // behind the closing quote
  r->at = from + 1;
  while (r->at < r->end && blank(*r->at)) r->at++;
  if (r->at < r->end && *r->at != ',' && *r->at != '\n')
    return hn_fail(r->message, HN_ERR_SYNTAX,
                   "%s:%d: after a closing quote there must be a comma or the end of the line",
                   r->path, r->line);
  close_cell(r, c);
  return HN_OK;
}

// Points into the text of the file, which is changed by quotes only.
static hn_status next_cell(reader *r, cell *c) {
  // the end has a zero: looking there is safe
  while (r->at < r->end && blank(*r->at)) r->at++;
  if (*r->at == '"') return next_quoted(r, c);
  *c = (cell){.text = r->at};
  while (r->at < r->end && *r->at != ',' && *r->at != '\n') r->at++;
  char *stop = r->at;
  while (stop > c->text && blank(stop[-1])) stop--;
  c->length = (size_t)(stop - c->text);
  close_cell(r, c);
  return HN_OK;
}

// the text of a comment that begins with the mark
static bool comment(char *start, char *stop, const char *mark, cell *out) {
  size_t length = strlen(mark);
  if (strncmp(start, mark, length) != 0) return false;
  char *text = start + length;
  while (text < stop && blank(*text)) text++;
  while (stop > text && blank(stop[-1])) stop--;
  *out = (cell){.text = text, .length = (size_t)(stop - text)};
  return true;
}

// moves to the next line with content; false at the end of the file. A comment may give the
// title, when one is asked for
// Lines of blanks and comments do not count; their numbers do.
static bool next_line(reader *r, cell *title) {
  // the title of older files stands in a comment
  static const char mark[] = "# holon:";
  cell found;
  while (r->at < r->end) {
    char *start = r->at;
    // a line of nothing but blanks
    while (blank(*start)) start++;
    if (start < r->end && *start != '\n' && *start != '#') return true;
    char *stop = memchr(start, '\n', (size_t)(r->end - start));
    if (!stop) stop = r->end;
    if (title && !title->text && comment(start, stop, mark, &found)) *title = found;
    r->at = stop < r->end ? stop + 1 : stop;
    r->line++;
  }
  return false;
}

// the whole cell as a number; *overflow tells why not
// strtod stops at the comma; what it leaves of the cell is no number. inf and nan are values, while
// a number too large for a double is a mistake.
// hexadecimal numbers are taken as well, as strtod() does
static bool number(const cell *c, double *value, bool *overflow) {
  *overflow = false;
  if (c->length == 0) return false;
  char *stop;
  *value = strtod(c->text, &stop);
  if (stop != c->text + c->length) return false;
  bool sign = c->text[0] == '-' || c->text[0] == '+';
  // "inf" was written, or has come of too many digits
  *overflow = isinf(*value) && !strchr("iI", c->text[sign]);
  return !*overflow;
}

// "name [unit]"
// The last " [" begins the unit, since names may have brackets themselves.
static hn_status set_heading(hn_result *result, int column, cell *c) {
  char *name = c->text, *unit = NULL;
  name[c->length] = 0;
  if (c->length > 2 && name[c->length - 1] == ']') {
    // from the end, since the unit is the last
    for (char *s = name + c->length - 2; s > name && !unit; s--)
      if (s[-1] == ' ' && s[0] == '[') unit = s - 1;
    if (unit) {
      name[c->length - 1] = 0;
      *unit = 0;
      unit += 2;
    }
  }
  return hn_result_set_column(result, column, name, unit);
}

// A first line of numbers only is data without header: columns could not be named.
// a header of numbers is a table without one
static hn_status read_header(reader *r, hn_result **out) {
  cell title = {0}, *heading = NULL;
  int count = 0, capacity = 0, numbers = 0, line = 0;
  hn_status status = HN_OK;
  if (!next_line(r, &title))
    return hn_fail(r->message, HN_ERR_SYNTAX,
                   "%s:%d: the file is empty; its first line must name the columns", r->path,
                   r->line);
  // of the header: quotes in it may have line breaks
  line = r->line;
  do {
    void *array = heading;
    if (!hn_grow(&array, &capacity, count, sizeof *heading)) {
      status = hn_fail(r->message, HN_ERR_MEMORY, "%s: out of memory", r->path);
      break;
    }
    heading = array;
    cell *c = &heading[count++];
    status = next_cell(r, c);
    double value;
    bool overflow;
    if (!status && !c->quoted && number(c, &value, &overflow)) numbers++;
    if (!status && !c->quoted && c->length == 0)
      status =
          hn_fail(r->message, HN_ERR_SYNTAX, "%s:%d: column %d has no name", r->path, line, count);
    // a zero would cut the name
    if (!status && memchr(c->text, 0, c->length))
      status = hn_fail(r->message, HN_ERR_SYNTAX, "%s:%d: column %d: a name cannot have zero bytes",
                       r->path, line, count);
  } while (!status && !heading[count - 1].last);

  if (!status && numbers == count)
    status = hn_fail(r->message, HN_ERR_SYNTAX,
                     "%s:%d: no header: the first line must name the columns, as in "
                     "'time [s],crank.angle [rad]'",
                     r->path, line);
  if (!status) {
    if (title.text) title.text[title.length] = 0;
    *out = hn_result_create(title.text, count);
    if (!*out) status = HN_ERR_MEMORY;
    for (int i = 0; i < count && !status; i++) status = set_heading(*out, i, &heading[i]);
    if (status) hn_fail(r->message, status, "%s: out of memory", r->path);
  }
  free(heading);
  return status;
}

// Cells beyond the header are counted, so that the message can say how many there are.
// a row is there when it is half read; failing ends the whole
static hn_status read_row(reader *r, hn_result *result) {
  int line = r->line, count = 0;
  double *row = hn_result_append(result);
  if (!row) return hn_fail(r->message, HN_ERR_MEMORY, "%s: out of memory", r->path);
  cell c;
  do {
    hn_status status = next_cell(r, &c);
    if (status) return status;
    if (count < result->columns) {
      bool overflow;
      char text[48];
      if (!number(&c, &row[count], &overflow))
        return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%d: column '%s': '%s' is %s", r->path, line,
                       hn_result_name(result, count), shown(&c, text),
                       overflow   ? "too large for a double"
                       : c.length ? "not a number"
                                  : "empty (write nan where there is no value)");
    }
    count++;
  } while (!c.last);
  if (count != result->columns)
    return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%d: %d value%s, but the header names %d column%s",
                   r->path, line, count, count == 1 ? "" : "s", result->columns,
                   result->columns == 1 ? "" : "s");
  return HN_OK;
}

// the end of the last line that has one; the number of the line behind it, 0: there is none
// A program that was stopped may have written half a number, which would read as another one.
static char *end_of_lines(char *text, char *end, int *cut) {
  char *stop = end;
  // at the beginning of the last line
  while (stop > text && stop[-1] != '\n') stop--;
  *cut = 0;
  // blanks alone are no line
  for (const char *s = stop; s < end && !*cut; s++)
    if (!blank(*s)) *cut = 1;
  for (const char *s = text; *cut && s < stop; s++) *cut += *s == '\n';
  return *cut ? stop : end;
}

static hn_status note_cut(hn_result *result, int line) {
  char text[96];
  snprintf(text, sizeof text, "incomplete: the file ends inside line %d, which is left out", line);
  return hn_result_add_note(result, text);
}

// The whole file in memory, with a zero behind its end; cells are pieces of it.
hn_status hn_csv_read(hn_result **out, const char *path, char message[HN_MESSAGE]) {
  char *text;
  size_t length;
  *out = NULL;
  hn_status status = hn_load_file(&text, &length, path, message);
  if (status) return status;

  // a decimal point is a point, whatever language the host program speaks
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t previous = c_locale ? uselocale(c_locale) : (locale_t)0;

  int cut;
  char *end = end_of_lines(text, text + length, &cut);
  // a header alone has no numbers to be cut
  if (cut == 1) end = text + length, cut = 0;
  *end = 0;
  reader r = {.path = path, .at = text, .end = end, .line = 1, .message = message};
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at += 3;  // byte order mark
  status = read_header(&r, out);
  while (!status && *out && next_line(&r, NULL)) status = read_row(&r, *out);
  if (!status && *out) status = hn_notes_read(*out, path, message);
  if (!status && cut && *out && note_cut(*out, cut))
    status = hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);

  if (c_locale) {
    uselocale(previous);
    freelocale(c_locale);
  }
  free(text);
  if (status) {
    hn_result_destroy(*out);
    *out = NULL;
  }
  return status;
}
