// plot.c: line charts of results, written as SVG.
//
// Panels are stacked and have a common x axis; what has another unit gets a panel of its own.
// Columns are chosen first, then ranges are found, then everything is laid out, and only then
// drawn; each step is one function below. Colours are those of Okabe and Ito
// (jfly.uni-koeln.de/color), which people with any kind of colour vision tell apart; their yellow
// is left out because it vanishes on white.
#include "io/io.h"
#include "io/svg.h"
#include "record/result.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Seven colours, then the same with dashes: 21 curves at the most can be told apart.
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};
static const char *const dashes[] = {"", " stroke-dasharray=\"7 3\"",
                                     " stroke-dasharray=\"2 2.5\""};
// for a curve that lies upon one, two ... others, which show through the gaps
static const char *const open_dashes[] = {"", " stroke-dasharray=\"11 5\"",
                                          " stroke-dasharray=\"7 9\"",
                                          " stroke-dasharray=\"3.5 12.5\""};
enum { MOST_UPON = sizeof open_dashes / sizeof *open_dashes - 1 };
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };
enum { MOST_STYLES = COLOURS * DASHES, MOST_SERIES = 4 * MOST_STYLES, MANY_POINTS = 4000 };

// sizes [px]
static const double tick_font = 12, label_font = 13, title_font = 15;
// a line of the legend, a sample of the curve, the gap behind it, the longest name
static const double legend_line = 19, legend_sample = 24, legend_gap = 7, legend_name = 200;
// of a curve; between panels; below these sizes nothing can be read
static const double line_width = 1.6, panel_gap = 26, smallest_panel = 50, smallest_width = 150;

typedef struct series {
  int column, panel;
  int style;       // counts within the panel
  int upon;        // so many curves drawn before would be hidden by this one
  double before;   // the x last seen
  char name[200];  // as shown: long names are cut
} series;

typedef struct panel {
  int group;  // as the caller numbers them
  const char *unit;
  int count;      // series in it
  double lo, hi;  // of the values to be shown; lo > hi when there are none
  hn_axis y;
  char label[300];  // beside the y axis
  bool legend;      // a single series is named at the axis instead
  double top, height;
} panel;

// Filled step by step: columns, ranges, layout; drawing changes nothing in it any more.
typedef struct figure {
  const hn_result *result;
  const char *title, *label;
  bool log_x, log_y;
  int x_column;
  bool equal;    // a metre is as long along x as along y
  double *zero;  // numbers below are round-off
  bool ordered;  // x goes back on no curve
  hn_axis x;
  int series_count, panel_count;
  series series[MOST_SERIES];
  panel panels[MOST_SERIES];
  double width, height, left, right;  // left, right: edges of the panels
} figure;

// ---- what to show --------------------------------------------------------------------------

// A suggestion by spelling, or a column that contains the word.
static hn_status no_column(const hn_result *result, const char *name, char message[HN_MESSAGE]) {
  int n = result->columns;
  const char **names = calloc((size_t)n + 1, sizeof *names);
  if (!names) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  // pointers to the result's names, and a NULL
  for (int i = 0; i < n; i++) names[i] = hn_result_name(result, i);
  const char *hint = hn_nearest(name, names);
  // "angle" is no misspelling of "crank.angle", but surely meant it
  for (int i = 0; i < n && !hint; i++)
    if (*name && strstr(names[i], name)) hint = names[i];
  free(names);
  if (hint)
    return hn_fail(message, HN_ERR_ARGUMENT, "no column '%s' (did you mean '%s'?)", name, hint);
  return hn_fail(message, HN_ERR_ARGUMENT, "no column '%s' among the %d of the result", name, n);
}

// A panel for each group and unit: things of different units have no common axis. A column that was
// named twice is drawn once.
static hn_status add_series(figure *f, int column, int group, char message[HN_MESSAGE]) {
  const char *unit = hn_result_unit(f->result, column);
  int p = 0;
  // the panel it belongs to, or a new one
  while (p < f->panel_count &&
         (f->panels[p].group != group || strcmp(f->panels[p].unit, unit) != 0))
    p++;
  for (int i = 0; i < f->series_count; i++)
    if (f->series[i].column == column && f->series[i].panel == p) return HN_OK;
  if (p < f->panel_count && f->panels[p].count == MOST_STYLES)
    return hn_fail(message, HN_ERR_ARGUMENT,
                   "more than %d columns in one panel: no reader could tell them apart",
                   MOST_STYLES);
  if (f->series_count == MOST_SERIES)
    return hn_fail(message, HN_ERR_ARGUMENT, "more than %d columns in one plot", MOST_SERIES);

  if (p == f->panel_count) f->panels[f->panel_count++] = (panel){.group = group, .unit = unit};
  series *s = &f->series[f->series_count++];
  *s = (series){.column = column, .panel = p, .style = f->panels[p].count++};
  // the legend's room decides how much of a name is shown
  hn_text_fit(s->name, sizeof s->name, hn_result_name(f->result, column), legend_name, tick_font);
  return HN_OK;
}

// Patterns choose all columns they match but the one along x.
static hn_status choose_columns(figure *f, const hn_plot *plot, char message[HN_MESSAGE]) {
  const hn_result *r = f->result;
  f->x_column = plot->x ? hn_result_find(r, plot->x) : 0;
  if (f->x_column < 0) return no_column(r, plot->x, message);
  if (plot->y_count < 1 || !plot->y)
    return hn_fail(message, HN_ERR_ARGUMENT, "no columns to plot; name one at least");
  for (int i = 0; i < plot->y_count; i++) {
    const char *name = plot->y[i] ? plot->y[i] : "";
    // without groups all are in the first one
    int column = hn_result_find(r, name), matches = 0, group = plot->panel ? plot->panel[i] : 0;
    hn_status status = HN_OK;
    if (column >= 0) {
      status = add_series(f, column, group, message);
    } else if (strpbrk(name, "*?")) {
      // a pattern that matches nothing is a mistake, like a name that is not there
      for (int c = 0; c < r->columns && !status; c++)
        if (c != f->x_column && hn_glob(name, hn_result_name(r, c)))
          status = add_series(f, c, group, message), matches++;
      if (!matches) status = hn_fail(message, HN_ERR_ARGUMENT, "no column matches '%s'", name);
    } else {
      status = no_column(r, name, message);
    }
    if (status) return status;
  }
  return HN_OK;
}

// numbers near the largest double would overflow the arithmetic of the axes
static bool usable(double value, bool log) {
  return fabs(value) < 1e300 && (!log || value > 0);
}

// as it is drawn: what is round-off lies on the line of zero; magnitudes are shown as they are
static double shown(const figure *f, const double *row, int column) {
  return !f->log_y && fabs(row[column]) < f->zero[column] ? 0 : row[column];
}

// Only points that will be drawn count. `ordered` decides whether columns of pixels may be thinned,
// and whether x gets a margin.
static void find_ranges(figure *f, double *x_lo, double *x_hi) {
  *x_lo = INFINITY, *x_hi = -INFINITY;
  // the wrong way round, until a value comes
  for (int p = 0; p < f->panel_count; p++) f->panels[p].lo = INFINITY, f->panels[p].hi = -INFINITY;
  f->ordered = true;
  for (int i = 0; i < f->series_count; i++) f->series[i].before = -INFINITY;
  // `before` is per curve: gaps of one say nothing about another
  for (int row = 0; row < f->result->rows; row++) {
    const double *value = hn_result_row(f->result, row);
    double x = value[f->x_column];
    if (!usable(x, f->log_x)) continue;
    *x_lo = fmin(*x_lo, x), *x_hi = fmax(*x_hi, x);
    for (int i = 0; i < f->series_count; i++) {
      series *s = &f->series[i];
      panel *p = &f->panels[s->panel];
      double y = shown(f, value, s->column);
      if (!usable(y, f->log_y)) continue;
      p->lo = fmin(p->lo, y), p->hi = fmax(p->hi, y);
      if (x < s->before) f->ordered = false;
      s->before = x;
    }
  }
  // no row can be shown: an axis is drawn all the same
  if (*x_lo > *x_hi) *x_lo = f->log_x ? 0.1 : 0, *x_hi = 1;
}

// ---- layout --------------------------------------------------------------------------------

// "name [unit]", or one of them when the other is empty
static void name_quantity(char *out, size_t size, int length, const char *name, const char *unit) {
  char printed[100];
  hn_text_unit(printed, sizeof printed, unit);
  // "[unit]" alone where there is no name
  snprintf(out, size, !*unit ? "%.*s" : length ? "%.*s [%s]" : "%.*s[%s]", length, name, printed);
}

static void name_column(char *out, size_t size, const hn_result *result, int column) {
  const char *name = hn_result_name(result, column);
  name_quantity(out, size, (int)strlen(name), name, hn_result_unit(result, column));
}

// What the names of a panel have in common: their last part (crank.angle, rod.angle), else their
// first (energy.kinetic, energy.total). Returns its length, 0 when there is nothing.
// So that an axis of "crank.angle" and "rod.angle" is called angle.
static int shared_part(const figure *f, int index, const char **part) {
  const char *first = NULL;
  bool head = true, tail = true;
  for (int i = 0; i < f->series_count; i++) {
    if (f->series[i].panel != index) continue;
    const char *name = hn_result_name(f->result, f->series[i].column);
    if (!first) first = name;
    const char *a = strrchr(first, '.'), *b = strrchr(name, '.');
    size_t n = strcspn(first, ".");
    tail = tail && a && b && strcmp(a, b) == 0;
    head = head && first[n] && strncmp(first, name, n + 1) == 0;
  }
  // names without a dot have no last part
  *part = tail && first ? strrchr(first, '.') + 1 : first;
  return !first ? 0 : tail ? (int)strlen(*part) : head ? (int)strcspn(first, ".") : 0;
}

// Beside the axis, along its height and half of the gap to either side.
static bool label_fits(const panel *p) {
  return hn_text_width(p->label, label_font) <= p->height + panel_gap / 2;
}

// a single series is named at its axis when the name fits there; several share a legend, and the
// axis shows what they have in common
// From the whole name to nothing but a unit, whichever fits first.
static void choose_label(figure *f, int index) {
  panel *p = &f->panels[index];
  p->legend = p->count > 1 || f->label;
  // one curve, and no label from the caller
  if (p->count == 1 && !f->label) {
    int i = 0;
    while (f->series[i].panel != index) i++;
    name_column(p->label, sizeof p->label, f->result, f->series[i].column);
    p->legend = !label_fits(p);
  }
  if (!p->legend) return;
  const char *part = f->label;
  int length = part ? (int)strlen(part) : shared_part(f, index, &part);
  name_quantity(p->label, sizeof p->label, length, part, p->unit);
  if (!label_fits(p)) name_quantity(p->label, sizeof p->label, 0, "", p->unit);
  // "[-]" with a dash: no name and no unit
  if (!*p->label) snprintf(p->label, sizeof p->label, "[\xe2\x80\x93]");
}

static int legend_rows(const panel *p) {
  int rows = (int)(p->height / legend_line);
  return rows < 1 ? 1 : rows;
}

// width of one column of the legend
static double legend_column(const figure *f, int index) {
  double width = 0;
  for (int i = 0; i < f->series_count; i++)
    if (f->series[i].panel == index)
      width = fmax(width, hn_text_width(f->series[i].name, tick_font));
  return legend_sample + legend_gap + width + 12;
}

// The widest of all panels: their right edges are aligned.
static double legend_width(const figure *f) {
  double width = 0;
  for (int i = 0; i < f->panel_count; i++) {
    const panel *p = &f->panels[i];
    // as many columns as the rows need
    int columns = (p->count + legend_rows(p) - 1) / legend_rows(p);
    if (p->legend) width = fmax(width, columns * legend_column(f, i));
  }
  return width;
}

// fits the y axis of a panel and answers how much room its labels need
// A tick every 38 pixels of a linear axis, 24 of a logarithmic one.
static double fit_panel(panel *p, bool log) {
  // an axis needs a range
  bool empty = p->lo > p->hi;
  double lo = empty ? (log ? 0.1 : 0) : p->lo, hi = empty ? 1 : p->hi;
  hn_axis_fit(&p->y, lo, hi, log, (int)(p->height / (log ? 24 : 38)), 0.04);
  p->y.start = p->top + p->height;
  p->y.length = -p->height;
  double width = 0;
  char label[200];
  // of all labels, so that panels have one left edge
  for (int i = 0; i < p->y.count; i++)
    width = fmax(width, hn_axis_label(&p->y, i, tick_font, label, sizeof label));
  return width;
}

// as many ticks as there is room for their labels side by side
// Ticks are taken away until labels stand apart; their width depends on the ticks chosen.
static void fit_x(figure *f, double lo, double hi) {
  double length = f->right - f->left, widest, apart;
  char label[200];
  // labels with exponents are narrower
  int ticks = (int)(length / (f->log_x ? 50 : 75));
  do {
    hn_axis_fit(&f->x, lo, hi, f->log_x, ticks, f->ordered ? 0 : 0.04);
    f->x.start = f->left;
    f->x.length = length;
    widest = 0;
    for (int i = 0; i < f->x.count; i++)
      widest = fmax(widest, hn_axis_label(&f->x, i, tick_font, label, sizeof label));
    // the narrowest gap between two ticks
    apart = length;
    for (int i = 1; i < f->x.count; i++)
      apart = fmin(apart, hn_axis_tick_pixel(&f->x, i) - hn_axis_tick_pixel(&f->x, i - 1));
  } while (widest + 12 > apart && --ticks > 1);
}

// the axis that has room to spare shows more, so that circles are round
// Paths in a plane (x against y) must not be distorted: the range with room to spare is widened.
static void make_equal(figure *f, double x_lo, double x_hi) {
  panel *p = &f->panels[0];
  double per_x = (x_hi - x_lo) / (f->right - f->left), per_y = (p->hi - p->lo) / p->height;
  // 1.08: some room around the path
  double per = 1.08 * fmax(per_x, per_y);
  // a point has no size
  if (!(per > 0) || p->lo > p->hi) return;
  double x_half = per * (f->right - f->left) / 2, y_half = per * p->height / 2;
  double x = (x_lo + x_hi) / 2, y = (p->lo + p->hi) / 2;
  hn_axis_fit(&p->y, y - y_half, y + y_half, false, (int)(p->height / 38), 0);
  p->y.start = p->top + p->height;
  p->y.length = -p->height;
  hn_axis_fit(&f->x, x - x_half, x + x_half, false, (int)((f->right - f->left) / 75), 0);
  f->x.start = f->left;
  f->x.length = f->right - f->left;
}

// Heights first, then the axes beside them, which need to know how much room labels take, then x.
static hn_status lay_out(figure *f, const hn_plot *plot, char message[HN_MESSAGE]) {
  int n = f->panel_count;
  double top = *f->title ? 54 : panel_gap, bottom = 56, most = 0;
  // high enough for the legend of the panel with most curves
  for (int i = 0; i < n; i++) most = fmax(most, f->panels[i].count);
  double panel_default = fmax(n == 1 ? 340 : n == 2 ? 200 : 150, most * legend_line);
  f->width = plot->width > 0 ? plot->width : 800;
  f->height =
      plot->height > 0 ? plot->height : top + bottom + n * panel_default + (n - 1) * panel_gap;

  // what the caller asked for is divided evenly
  double height = (f->height - top - bottom - (n - 1) * panel_gap) / n, labels = 0;
  for (int i = 0; i < n; i++) {
    panel *p = &f->panels[i];
    p->height = fmax(height, smallest_panel);
    p->top = top + i * (height + panel_gap);
    choose_label(f, i);
    labels = fmax(labels, fit_panel(p, f->log_y));
  }
  // x was ranged before; its axis is fitted when its length is known
  double legend = legend_width(f), x_lo = f->x.lo, x_hi = f->x.hi;
  f->left = 14 + label_font + 8 + labels + 9;
  f->right = f->width - (legend > 0 ? legend + 26 : 36);
  // said with the size that would do
  if (height < smallest_panel || f->right - f->left < smallest_width)
    return hn_fail(message, HN_ERR_ARGUMENT,
                   "%.0f x %.0f px is too small for %d panel%s with their labels; at least %.0f x "
                   "%.0f are needed",
                   f->width, f->height, n, n == 1 ? "" : "s",
                   ceil(fmax(f->width, f->width + smallest_width - (f->right - f->left))),
                   ceil(fmax(f->height, f->height + n * (smallest_panel - height))));
  fit_x(f, x_lo, x_hi);
  if (f->equal) make_equal(f, x_lo, x_hi);
  return HN_OK;
}

// whether curve b, where both have values, runs almost everywhere within a line's width of a
// Pixel by pixel in height, nine tenths of the rows: curves of a method and its reference often
// agree.
static bool hides(const figure *f, const series *b, const series *a) {
  const panel *p = &f->panels[b->panel];
  int both = 0, near = 0;
  for (int row = 0; row < f->result->rows; row++) {
    const double *value = hn_result_row(f->result, row);
    double ya = shown(f, value, a->column), yb = shown(f, value, b->column);
    if (!usable(value[f->x_column], f->log_x) || !usable(ya, f->log_y) || !usable(yb, f->log_y))
      continue;
    both++;
    near += fabs(hn_axis_pixel(&p->y, ya) - hn_axis_pixel(&p->y, yb)) < line_width;
  }
  return both > 1 && near > 0.9 * both;
}

// only where colours alone tell the curves of a panel apart
// At most seven curves a panel are compared with each other.
static void find_hidden(figure *f) {
  for (int i = 0; i < f->series_count; i++) {
    series *b = &f->series[i];
    // more curves have dashes already, which tell them apart
    if (f->panels[b->panel].count > COLOURS) continue;
    for (int k = 0; k < i; k++)
      if (f->series[k].panel == b->panel && hides(f, b, &f->series[k])) b->upon++;
    if (b->upon > MOST_UPON) b->upon = MOST_UPON;
  }
}

// ---- drawing -------------------------------------------------------------------------------

static const char *colour_of(const series *s) {
  return colours[s->style % COLOURS];
}

static const char *dash_of(const series *s) {
  return s->upon ? open_dashes[s->upon] : dashes[s->style / COLOURS];
}

// Gaps where a value cannot be shown: nothing is drawn across them.
static void draw_series(const figure *f, int index, hn_text *svg) {
  const series *s = &f->series[index];
  const panel *p = &f->panels[s->panel];
  char name[300];
  name_column(name, sizeof name, f->result, s->column);
  hn_text_add(svg,
              // colour and stroke once for the whole curve
              "<g class=\"series\" fill=\"none\" color=\"%s\" stroke=\"currentColor\"%s><title>",
              colour_of(s), dash_of(s));
  hn_text_xml(svg, name);
  hn_text_add(svg, "</title>\n");

  // thinned by columns of pixels where there are far more points than pixels
  hn_curve curve = {.svg = svg, .columns = f->ordered && f->result->rows > MANY_POINTS};
  for (int row = 0; row < f->result->rows; row++) {
    const double *value = hn_result_row(f->result, row);
    double y = shown(f, value, s->column);
    if (!usable(value[f->x_column], f->log_x) || !usable(y, f->log_y)) {
      // the curve ends, and begins anew
      hn_curve_gap(&curve);
      continue;
    }
    hn_curve_point(&curve, hn_axis_pixel(&f->x, value[f->x_column]), hn_axis_pixel(&p->y, y));
  }
  hn_curve_gap(&curve);
  hn_text_add(svg, "</g>\n");
}

// The line of zero is darker where it is in the range.
static void draw_grid(const figure *f, const panel *p, hn_text *svg) {
  hn_text_add(svg, "<path class=\"grid\" fill=\"none\" stroke=\"#e4e4e4\" d=\"");
  for (int i = 0; i < p->y.count; i++)
    hn_text_add(svg, "M%.2f %.2fH%.2f", f->left, hn_axis_tick_pixel(&p->y, i), f->right);
  for (int i = 0; i < f->x.count; i++)
    hn_text_add(svg, "M%.2f %.2fV%.2f", hn_axis_tick_pixel(&f->x, i), p->top, p->top + p->height);
  hn_text_add(svg, "\"/>\n");
  // the line of zero is what most curves are read against
  // ticks are counted from `first`: that of zero is minus that, if there is no offset
  int zero = (int)-p->y.first;
  if (!p->y.log && p->y.offset == 0 && p->y.first <= 0 && zero < p->y.count)
    hn_text_add(svg, "<path stroke=\"#a8a8a8\" d=\"M%.2f %.2fH%.2f\"/>\n", f->left,
                hn_axis_tick_pixel(&p->y, zero), f->right);
}

static void draw_y_axis(const figure *f, const panel *p, hn_text *svg) {
  char label[400];
  double at;
  hn_text_add(svg, "<path fill=\"none\" stroke=\"#333\" d=\"");
  for (int i = 0; i < p->y.count; i++)
    hn_text_add(svg, "M%.2f %.2fh-5", f->left, hn_axis_tick_pixel(&p->y, i));
  // smaller ticks between the numbers of a logarithmic axis
  for (int i = 0; hn_axis_minor_pixel(&p->y, i, &at); i++)
    hn_text_add(svg, "M%.2f %.2fh-2.5", f->left, at);
  hn_text_add(svg, "M%.2f %.2fV%.2fH%.2f\"/>\n", f->left, p->top, p->top + p->height, f->right);

  hn_text_add(svg, "<g class=\"y-ticks\" text-anchor=\"end\" font-size=\"%g\">\n", tick_font);
  for (int i = 0; i < p->y.count; i++) {
    hn_axis_label(&p->y, i, tick_font, label, sizeof label);
    hn_text_add(svg, "<text x=\"%.2f\" y=\"%.2f\" dy=\"0.35em\">%s</text>\n", f->left - 9,
                hn_axis_tick_pixel(&p->y, i), label);
  }
  hn_text_add(svg, "</g>\n");
  // what all labels have in common stands above the axis
  hn_axis_common(&p->y, tick_font, label, sizeof label);
  if (*label)
    hn_text_add(svg, "<text class=\"y-common\" x=\"%.2f\" y=\"%.2f\" font-size=\"%g\">%s</text>\n",
                f->left - 4, p->top - 8, tick_font, label);

  double middle = p->top + p->height / 2, x = 14 + label_font / 2;
  hn_text_add(svg,
              "<text text-anchor=\"middle\" font-size=\"%g\" dy=\"0.35em\" "
              "transform=\"translate(%.2f %.2f) rotate(-90)\">",
              label_font, x, middle);
  hn_text_xml(svg, p->label);
  hn_text_add(svg, "</text>\n");
}

// Columns of samples beside the panel, as many rows as fit its height.
static void draw_legend(const figure *f, int index, hn_text *svg) {
  const panel *p = &f->panels[index];
  double column = legend_column(f, index);
  int rows = legend_rows(p), k = 0;
  hn_text_add(svg, "<g class=\"legend\" font-size=\"%g\">\n", tick_font);
  for (int i = 0; i < f->series_count; i++) {
    if (f->series[i].panel != index) continue;
    // column by column, from the top
    int across = k / rows, down = k % rows;
    double x = f->right + 18 + across * column;
    double y = p->top + (down + 0.5) * legend_line;
    hn_text_add(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"M%.2f %.2fh%g\"/>",
                colour_of(&f->series[i]), dash_of(&f->series[i]), x, y, legend_sample);
    hn_text_add(svg, "<text x=\"%.2f\" y=\"%.2f\" dy=\"0.35em\">", x + legend_sample + legend_gap,
                y);
    hn_text_xml(svg, f->series[i].name);
    hn_text_add(svg, "</text>\n");
    k++;
  }
  hn_text_add(svg, "</g>\n");
}

static void draw_panel(const figure *f, int index, hn_text *svg) {
  const panel *p = &f->panels[index];
  hn_text_add(svg, "<g class=\"panel\">\n");
  draw_grid(f, p, svg);
  hn_text_add(svg, "<g stroke-width=\"%g\" stroke-linejoin=\"round\">\n", line_width);
  for (int i = 0; i < f->series_count; i++)
    if (f->series[i].panel == index) draw_series(f, i, svg);
  hn_text_add(svg, "</g>\n");
  draw_y_axis(f, p, svg);
  if (p->legend) draw_legend(f, index, svg);
  // nothing but gaps
  if (p->lo > p->hi)
    hn_text_add(svg,
                "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" fill=\"#777\" "
                "text-anchor=\"middle\">no %svalues</text>\n",
                (f->left + f->right) / 2, p->top + p->height / 2, label_font,
                f->log_x || f->log_y ? "positive " : "");
  hn_text_add(svg, "</g>\n");
}

// ticks under every panel, numbers under the last
static void draw_x_axis(const figure *f, hn_text *svg) {
  const panel *last = &f->panels[f->panel_count - 1];
  double bottom = last->top + last->height;
  char label[400], name[300], cut[300];
  hn_text_add(svg, "<path fill=\"none\" stroke=\"#333\" d=\"");
  for (int p = 0; p < f->panel_count; p++) {
    double at, y = f->panels[p].top + f->panels[p].height;
    for (int i = 0; i < f->x.count; i++)
      hn_text_add(svg, "M%.2f %.2fv5", hn_axis_tick_pixel(&f->x, i), y);
    for (int i = 0; hn_axis_minor_pixel(&f->x, i, &at); i++)
      hn_text_add(svg, "M%.2f %.2fv2.5", at, y);
  }
  hn_text_add(svg, "\"/>\n<g class=\"x-ticks\" text-anchor=\"middle\" font-size=\"%g\">\n",
              tick_font);
  for (int i = 0; i < f->x.count; i++) {
    hn_axis_label(&f->x, i, tick_font, label, sizeof label);
    hn_text_add(svg, "<text x=\"%.2f\" y=\"%.2f\">%s</text>\n", hn_axis_tick_pixel(&f->x, i),
                bottom + 19, label);
  }
  hn_text_add(svg, "</g>\n");

  double common = hn_axis_common(&f->x, tick_font, label, sizeof label);
  if (*label)
    hn_text_add(svg,
                "<text class=\"x-common\" x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" "
                "text-anchor=\"end\">%s</text>\n",
                f->right, bottom + 41, tick_font, label);
  name_column(name, sizeof name, f->result, f->x_column);
  // beside what the labels have in common, on both sides of the middle
  hn_text_fit(cut, sizeof cut, name, f->right - f->left - 2 * common, label_font);
  hn_text_add(svg,
              "<text class=\"x-label\" x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" "
              "text-anchor=\"middle\">",
              (f->left + f->right) / 2, bottom + 41, label_font);
  hn_text_xml(svg, cut);
  hn_text_add(svg, "</text>\n");
}

static void draw_title(const figure *f, hn_text *svg) {
  double middle = (f->left + f->right) / 2;
  char cut[400];
  // as wide as it may be without leaving the picture on either side
  hn_text_fit(cut, sizeof cut, f->title, 2 * fmin(middle, f->width - middle) - 20, title_font);
  hn_text_add(svg,
              "<text class=\"title\" x=\"%.2f\" y=\"27\" font-size=\"%g\" font-weight=\"600\" "
              "text-anchor=\"middle\">",
              middle, title_font);
  hn_text_xml(svg, cut);
  hn_text_add(svg, "</text>\n");
}

static void draw(const figure *f, hn_text *svg) {
  hn_text_add(svg,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
              "viewBox=\"0 0 %.0f %.0f\" fill=\"#222\" font-family=\"Helvetica Neue, Helvetica, "
              "Arial, Liberation Sans, DejaVu Sans, sans-serif\">\n",
              f->width, f->height, f->width, f->height);
  if (*f->title) {
    hn_text_add(svg, "<title>");
    hn_text_xml(svg, f->title);
    hn_text_add(svg, "</title>\n");
  }
  // white behind all of it: pages may be dark
  hn_text_add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
  if (*f->title) draw_title(f, svg);
  for (int i = 0; i < f->panel_count; i++) draw_panel(f, i, svg);
  draw_x_axis(f, svg);
  hn_text_add(svg, "</svg>\n");
}

// ---- the public function -------------------------------------------------------------------

// The figure is on the stack, some tens of kilobytes; only the limits of round-off are to be freed.
static hn_status write_plot(const hn_result *result, const hn_plot *plot, const char *path,
                            char message[HN_MESSAGE]) {
  if (!result || !plot || !path) return hn_fail(message, HN_ERR_ARGUMENT, "nothing to plot");
  if (!hn_path_ends(path, ".svg"))
    return hn_fail(message, HN_ERR_ARGUMENT,
                   "%s: plots are written as SVG; the path must end in "
                   ".svg",
                   path);

  figure f = {.result = result, .log_x = plot->log_x, .log_y = plot->log_y, .label = plot->label};
  f.title = plot->title ? plot->title : result->title;
  hn_status status = choose_columns(&f, plot, message);
  if (status) return status;
  f.zero = calloc((size_t)result->columns, sizeof *f.zero);
  if (!f.zero || hn_result_round_off(result, f.zero)) {
    free(f.zero);
    return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  }
  find_ranges(&f, &f.x.lo, &f.x.hi);
  const char *x_unit = hn_result_unit(result, f.x_column);
  f.equal = !plot->free_scale && f.panel_count == 1 && f.x_column > 0 && *x_unit && !f.log_x &&
            !f.log_y && strcmp(x_unit, f.panels[0].unit) == 0;
  status = lay_out(&f, plot, message);
  hn_text svg = {0};
  if (!status) {
    find_hidden(&f);
    draw(&f, &svg);
  }
  free(f.zero);
  if (status) return status;
  hn_save save;
  if (svg.failed)
    status = hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  else
    status = hn_save_open(&save, path, message);
  if (!status) {
    hn_save_bytes(&save, svg.data, svg.length);
    status = hn_save_close(&save, message);
  }
  free(svg.data);
  return status;
}

hn_status hn_plot_write(const hn_result *result, const hn_plot *plot, const char *path,
                        char *message, size_t size) {
  // a decimal point is a point, whatever language the host program speaks
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t previous = c_locale ? uselocale(c_locale) : (locale_t)0;
  char text[HN_MESSAGE] = "";
  hn_status status = write_plot(result, plot, path, text);
  if (c_locale) {
    uselocale(previous);
    freelocale(c_locale);
  }
  if (message && size) snprintf(message, size, "%s", text);
  return status;
}
