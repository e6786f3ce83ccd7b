// sheet.c: runs one below the other in one table. Each has its own columns, empty elsewhere, so
// that times need not agree; differences are taken at the times of the later run.
#include "sheet.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the files -----------------------------------------------------------------------------

// the file's name without folder and ending
void name_variant(variant *v) {
  const char *slash = strrchr(v->path, '/'), *name = slash ? slash + 1 : v->path;
  const char *dot = strrchr(name, '.');
  snprintf(v->label, sizeof v->label, "%.*s", dot > name ? (int)(dot - name) : (int)strlen(name),
           name);
}

int read_variants(variant *v, int count, char *const *paths) {
  char message[512];
  for (int i = 0; i < count; i++) {
    v[i].path = paths[i];
    name_variant(&v[i]);
    // files of one name in several folders
    for (int k = 0; k < i; k++)
      if (strcmp(v[k].label, v[i].label) == 0)
        // 59 letters fit a label: the beginning of a path tells folders apart
        snprintf(v[i].label, sizeof v[i].label, "%.59s", paths[i]);
    hn_status status = hn_result_read(&v[i].result, paths[i], message, sizeof message);
    if (status) {
      fprintf(stderr, "holon: %s\n", message);
      return status == HN_ERR_MEMORY ? CODE_FAILED : CODE_USAGE;
    }
    say_incomplete(paths[i], v[i].result);
  }
  return CODE_DONE;
}

void free_variants(variant *v, int count) {
  for (int i = 0; i < count; i++) hn_result_destroy(v[i].result);
}

// ---- columns -------------------------------------------------------------------------------

typedef struct source {
  int column;  // of the first result
  int panel;
  int run;
  bool difference;
} source;

typedef struct builder {
  const variant *v;
  int count;
  bool degrees, difference;
  source *list;
  int sources;
} builder;

// degrees are for people: angles in degrees, speeds in turns a minute
static void shown_unit(const char *unit, bool degrees, const char **text, double *factor) {
  static const double turn = 6.283185307179586;
  *text = unit, *factor = 1;
  if (!degrees) return;
  // the sign of degrees in UTF-8
  if (strcmp(unit, "rad") == 0) *text = "\xc2\xb0", *factor = 360 / turn;
  if (strcmp(unit, "rad/s") == 0) *text = "rpm", *factor = 60 / turn;
  if (strcmp(unit, "rad/s^2") == 0) *text = "\xc2\xb0/s^2", *factor = 360 / turn;
}

static bool matches(const char *pattern, const char *name) {
  return strcmp(pattern, name) == 0 ||
         (strpbrk(pattern, "*?") && fnmatch(pattern, name, FNM_NOESCAPE) == 0);
}

static void collect(builder *b, const hn_plot *wanted) {
  const hn_result *first = b->v[0].result;
  for (int i = 0; i < wanted->y_count; i++)
    for (int c = 1; c < hn_result_columns(first); c++) {
      if (!matches(wanted->y[i], hn_result_name(first, c))) continue;
      // even panels are for curves, odd ones behind them for differences
      int panel = 2 * (wanted->panel ? wanted->panel[i] : 0);
      for (int run = 0; run < b->count; run++)
        b->list[b->sources++] = (source){c, panel, run, false};
      for (int run = 1; run < b->count && b->difference; run++)
        b->list[b->sources++] = (source){c, panel + 1, run, true};
    }
}

// ---- rows ----------------------------------------------------------------------------------

// a column between the times it was recorded at; NaN beyond
static double value_at(const hn_result *r, int column, double t) {
  int low = 0, high = hn_result_rows(r) - 1;
  if (high < 0 || t < hn_result_row(r, 0)[0] || t > hn_result_row(r, high)[0]) return NAN;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (hn_result_row(r, middle)[0] <= t)
      low = middle;
    else
      high = middle;
  }
  const double *a = hn_result_row(r, low), *b = hn_result_row(r, high);
  double part = b[0] > a[0] ? (t - a[0]) / (b[0] - a[0]) : 0;
  // recorded values stay what they are
  if (part <= 0 || part >= 1) return part <= 0 ? a[column] : b[column];
  return a[column] + part * (b[column] - a[column]);
}

// rows of one run have numbers in its own columns
static bool add_rows(const builder *b, sheet *s, int run, const int *column, const double *zero,
                     const char *x) {
  const hn_result *r = b->v[run].result;
  int x_column = x ? hn_result_find(r, x) : 0;
  const char *unit;
  double x_factor;
  // the unit may differ from run to run: each has its factor
  shown_unit(x_column < 0 ? "" : hn_result_unit(r, x_column), b->degrees, &unit, &x_factor);
  for (int i = 0; i < hn_result_rows(r); i++) {
    const double *from = hn_result_row(r, i);
    double *row = hn_result_append(s->result);
    if (!row) return false;
    row[0] = x_column < 0 ? NAN : x_factor * from[x_column];
    for (int k = 0; k < b->sources; k++) {
      const source *c = &b->list[k];
      row[k + 1] = NAN;
      // a column that this run does not have stays empty
      if (c->run != run || column[c->column] < 0) continue;
      double factor, y = from[column[c->column]];
      shown_unit(hn_result_unit(r, column[c->column]), b->degrees, &unit, &factor);
      // at times of the later run: those of the first need not be the same
      if (c->difference)
        y -= value_at(b->v[0].result, c->column, from[0]);
      else if (fabs(y) < zero[column[c->column]])
        y = 0;
      row[k + 1] = factor * y;
    }
  }
  return true;
}

// the columns of a run by those of the first, and its round-off
static bool add_run(const builder *b, sheet *s, int run, const hn_plot *wanted) {
  const hn_result *first = b->v[0].result, *r = b->v[run].result;
  int n = hn_result_columns(first);
  int *column = calloc((size_t)n, sizeof *column);
  double *zero = calloc((size_t)hn_result_columns(r), sizeof *zero);
  bool good = column && zero;
  // magnitudes on a logarithmic axis are shown as they are
  if (good && !wanted->log_y) good = !hn_result_round_off(r, zero);
  for (int i = 0; good && i < n; i++) column[i] = hn_result_find(r, hn_result_name(first, i));
  good = good && add_rows(b, s, run, column, zero, wanted->x);
  free(column);
  free(zero);
  return good;
}

static bool name_columns(const builder *b, sheet *s, const char *x) {
  const hn_result *first = b->v[0].result;
  int x_column = x ? hn_result_find(first, x) : 0;
  const char *unit;
  double factor;
  if (x_column < 0) x_column = 0;
  shown_unit(hn_result_unit(first, x_column), b->degrees, &unit, &factor);
  if (hn_result_set_column(s->result, 0, hn_result_name(first, x_column), unit)) return false;
  for (int k = 0; k < b->sources; k++) {
    const source *c = &b->list[k];
    const char *name = hn_result_name(first, c->column);
    char text[400];
    shown_unit(hn_result_unit(first, c->column), b->degrees, &unit, &factor);
    if (b->count == 1)
      snprintf(text, sizeof text, "%s", name);
    else if (c->difference)
      // a minus sign, not a hyphen
      snprintf(text, sizeof text, "%s, %s \xe2\x88\x92 %s", name, b->v[c->run].label,
               b->v[0].label);
    else
      snprintf(text, sizeof text, "%s, %s", name, b->v[c->run].label);
    if (hn_result_set_column(s->result, k + 1, text, unit)) return false;
    s->y[k] = hn_result_name(s->result, k + 1);
    s->panel[k] = c->panel;
  }
  s->y_count = b->sources;
  return true;
}

bool make_sheet(sheet *s, const hn_plot *wanted, const variant *v, int count, bool degrees,
                bool difference) {
  *s = (sheet){0};
  // a column may match every pattern, as itself and as a difference, in every run
  size_t most =
      (size_t)hn_result_columns(v[0].result) * (size_t)wanted->y_count * 2 * (size_t)count;
  builder b = {.v = v, .count = count, .degrees = degrees, .difference = difference};
  b.list = calloc(most + 1, sizeof *b.list);
  if (!b.list) return false;
  collect(&b, wanted);
  s->result = hn_result_create(wanted->title ? wanted->title : v[0].label, b.sources + 1);
  s->y = calloc((size_t)b.sources + 1, sizeof *s->y);
  s->panel = calloc((size_t)b.sources + 1, sizeof *s->panel);
  bool good = s->result && s->y && s->panel && name_columns(&b, s, wanted->x);
  for (int run = 0; run < count && good; run++) good = add_run(&b, s, run, wanted);
  free(b.list);
  if (!good) free_sheet(s);
  return good;
}

void free_sheet(sheet *s) {
  hn_result_destroy(s->result);
  free(s->y);
  free(s->panel);
  *s = (sheet){0};
}
