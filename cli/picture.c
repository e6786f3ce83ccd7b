// picture.c: charts by the library's plots, bars by hand.
#include "picture.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// too long a path is refused: one that is cut names another file
bool join_path(char path[PATH_SIZE], const char *folder, const char *name) {
  if (snprintf(path, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE) return true;
  fprintf(stderr, "holon: %s: %s\n", folder, strerror(ENAMETOOLONG));
  return false;
}

// the curve with the most points when its abscissas begin like those of all others, else NULL
static const curve *common_points(const chart *c) {
  const curve *most = &c->curves[0];
  for (int i = 1; i < c->count; i++)
    if (c->curves[i].count > most->count) most = &c->curves[i];
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < c->curves[i].count; k++)
      if (c->curves[i].x[k] != most->x[k]) return NULL;
  return most;
}

// one row at x; only curves first .. last have their point k there
static bool put_point(hn_result *r, const chart *c, double x, int first, int last, int k) {
  double *row = hn_result_append(r);
  if (!row) return false;
  row[0] = x;
  for (int i = 0; i < c->count; i++) {
    // what a curve does not have here is NaN: plots leave gaps
    double y = i >= first && i <= last && k < c->curves[i].count ? c->curves[i].y[k] : NAN;
    // logarithms are of sizes: errors have signs
    row[i + 1] = c->log_y ? fabs(y) : y;
  }
  return true;
}

// all curves beside each other, or one after the other when they share no abscissas
static hn_status join_curves(const chart *c, hn_result *r) {
  bool good = !hn_result_set_column(r, 0, c->x ? c->x : "time", c->x ? c->x_unit : "s");
  for (int i = 0; i < c->count; i++)
    good = good && !hn_result_set_column(r, i + 1, c->curves[i].name, c->unit);
  const curve *common = common_points(c);
  for (int k = 0; common && good && k < common->count; k++)
    good = put_point(r, c, common->x[k], 0, c->count - 1, k);
  for (int i = 0; !common && i < c->count; i++)
    for (int k = 0; good && k < c->curves[i].count; k++)
      good = put_point(r, c, c->curves[i].x[k], i, i, k);
  return good ? HN_OK : HN_ERR_MEMORY;
}

bool draw_chart(const chart *c, const char *path) {
  const char *names[MOST_CURVES];
  char message[512] = "out of memory";
  hn_result *joined = hn_result_create(c->title, c->count + 1);
  for (int i = 0; i < c->count; i++) names[i] = c->curves[i].name;
  hn_plot plot = {.title = c->title,
                  .y = names,
                  .y_count = c->count,
                  .label = c->label,
                  .log_x = c->log_x,
                  .log_y = c->log_y};
  hn_status status = joined ? join_curves(c, joined) : HN_ERR_MEMORY;
  const char *reason = not_writable(path);
  if (!status && reason) {
    snprintf(message, sizeof message, "%s: cannot be written: %s", path, reason);
    status = HN_ERR_FILE;
  }
  if (!status) status = hn_plot_write(joined, &plot, path, message, sizeof message);
  if (status) fprintf(stderr, "holon: %s\n", message);
  hn_result_destroy(joined);
  return !status;
}

bool draw_bars(const char *title, int count, const char *const *names, const double *values,
               const char *path) {
  // pixels; LEFT is room for names
  enum { LEFT = 190, BAR = 560, LINE = 24, TOP = 50 };
  output o;
  if (!output_open(&o, path)) return false;
  FILE *out = o.stream;
  // the line at 1 is always in the picture
  double most = 1;
  for (int i = 0; i < count; i++) most = fmax(most, values[i]);
  int width = LEFT + BAR + 80, height = TOP + count * LINE + 16, y = TOP;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
          "%d\" fill=\"#222\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
          "<text x=\"%d\" y=\"28\" font-size=\"15\" font-weight=\"600\" text-anchor=\"middle\">"
          "%s</text>\n",
          width, height, width, height, width / 2, title);
  for (int i = 0; i < count; i++, y += LINE)
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#0072b2\"/>\n",
            LEFT - 8, y + 16, names[i], LEFT, y + 3, BAR * values[i] / most, LINE - 6);
  fprintf(out, "<path stroke=\"#d55e00\" stroke-dasharray=\"4 3\" d=\"M%.1f %dV%d\"/>\n",
          LEFT + BAR / most, TOP, y);
  // numbers last and with a white rim, for the line crosses some of them
  fprintf(out, "<g stroke=\"#fff\" stroke-width=\"4\" paint-order=\"stroke\">\n");
  y = TOP;
  for (int i = 0; i < count; i++, y += LINE)
    fprintf(out, "<text x=\"%.1f\" y=\"%d\">%.3g</text>\n", LEFT + BAR * values[i] / most + 6,
            y + 16, values[i]);
  fprintf(out, "</g>\n</svg>\n");
  return output_close(&o);
}
