// compare_report.c: a comparison as a table, as JSON, and as a folder of files.
//
// Curves of different runs are joined in a CSV file that lives only until the library has read it
// and drawn the plot.
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *status_word(const trial *t) {
  return t->refused ? "refused" : t->status ? "failed" : "done";
}

static bool drawn_step(const comparison *c, const trial *t) {
  return t->step == 0 || t->step == c->shortest;
}

// ---- for people ----------------------------------------------------------------------------

enum { CELLS = 12 };

static const char *value_text(char out[CELL], double x, bool known) {
  return known && !isnan(x) ? short_text(out, x) : "-";
}

static void fill_row(const char **row, char text[CELLS][CELL], const trial *t) {
  bool ran = t->rows > 0;
  row[0] = t->method;
  if (t->step > 0)
    row[1] = number_text(text[1], t->step);
  else
    snprintf(text[1], CELL, "rtol %.3g", t->rtol), row[1] = text[1];
  row[2] = value_text(text[2], t->position_max, ran);
  row[3] = value_text(text[3], t->position_mean, ran);
  row[4] = value_text(text[4], t->velocity_max, ran);
  row[5] = value_text(text[5], t->velocity_mean, ran);
  row[6] = value_text(text[6], t->energy_drift, ran);
  row[7] = value_text(text[7], t->error, ran);
  snprintf(text[8], CELL, "%ld", t->evaluations);
  row[8] = ran ? text[8] : "-";
  row[9] = value_text(text[9], t->cpu, ran);
  row[10] = value_text(text[10], t->ratio, ran);
  row[11] = status_word(t);
}

// why some did not finish; said once for a method that gives the same reason with every step
static void print_reasons(const comparison *c) {
  const char *before = "";
  for (int i = 0; i < c->count; i++) {
    const trial *t = &c->trial[i];
    char place[96] = "";
    if (!t->status) continue;
    if (!*before) fputs("\nnot finished\n\n", stdout);
    bool repeated = i > 0 && t->refused && c->trial[i - 1].refused &&
                    strcmp(t->method, c->trial[i - 1].method) == 0;
    before = t->method;
    if (repeated) continue;
    if (!t->refused && t->step > 0) snprintf(place, sizeof place, ", step %g s", t->step);
    int indent = printf("  %s%s, %s: ", t->method, place, status_word(t));
    print_wrapped(stdout, indent < 40 ? indent : 4, t->message);
  }
}

void print_comparison(const comparison *c) {
  static const char *const heading[CELLS] = {
      "method",       "step [s]", "max |phi|^2", "mean |phi|^2", "max |phi'|^2", "mean |phi'|^2",
      "energy drift", "error",    "evaluations", "time [s]",     "ratio",        "status"};
  size_t rows = (size_t)c->count + 2;
  const char **cells = calloc(rows * CELLS, sizeof *cells);
  char(*text)[CELLS][CELL] = calloc(rows, sizeof *text);
  if (cells && text) {
    memcpy(cells, heading, sizeof heading);
    fill_row(cells + CELLS, text[0], &c->reference);
    for (int i = 0; i < c->count; i++)
      fill_row(cells + (size_t)(i + 2) * CELLS, text[i + 1], &c->trial[i]);
    printf("%s: %g s simulated, %d rows recorded\n", c->name, c->duration, c->reference.rows);
    fputs("phi: violation of the constraints, phi': its rate; squares summed over all of them\n\n",
          stdout);
    print_table(stdout, "lrrrrrrrrrrl", (int)rows, cells);
    print_reasons(c);
  } else {
    fputs("holon: out of memory\n", stderr);
  }
  free(cells);
  free(text);
}

// ---- JSON ----------------------------------------------------------------------------------

static void put_trial(json *j, const char *key, const trial *t) {
  double unknown = t->rows > 0 ? 0 : NAN;  // added to what a run without rows does not have
  json_open(j, key, '{');
  json_string(j, "method", t->method);
  json_number(j, "step", t->step > 0 ? t->step : NAN);
  json_number(j, "rtol", t->step > 0 ? NAN : t->rtol);
  json_string(j, "status", status_word(t));
  json_string(j, "message", t->status ? t->message : "");
  json_number(j, "t_end", t->reached);
  json_integer(j, "rows", t->rows);
  json_number(j, "position_sq_max", t->position_max + unknown);
  json_number(j, "position_sq_mean", t->position_mean + unknown);
  json_number(j, "velocity_sq_max", t->velocity_max + unknown);
  json_number(j, "velocity_sq_mean", t->velocity_mean + unknown);
  json_number(j, "energy_drift", t->energy_drift + unknown);
  json_number(j, "error", t->error);
  json_integer(j, "evaluations", t->evaluations);
  json_number(j, "wall_s", t->wall + unknown);
  json_number(j, "cpu_s", t->cpu + unknown);
  json_number(j, "ratio", t->ratio);
  json_close(j);
}

void print_comparison_json(const comparison *c) {
  json j = {0};
  json_open(&j, NULL, '{');
  json_string(&j, "model", c->name);
  json_string(&j, "file", c->path);
  json_number(&j, "duration", c->duration);
  json_open(&j, "runs", '[');
  put_trial(&j, NULL, &c->reference);
  for (int i = 0; i < c->count; i++) put_trial(&j, NULL, &c->trial[i]);
  json_close(&j);
  json_close(&j);
}

// ---- files ---------------------------------------------------------------------------------

enum { PATH_SIZE = 4096 };

typedef struct file {
  char path[PATH_SIZE];
  FILE *out;
} file;

static bool make_path(char path[PATH_SIZE], const char *folder, const char *name) {
  if (snprintf(path, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE) return true;
  fprintf(stderr, "holon: %s: %s\n", folder, strerror(ENAMETOOLONG));
  return false;
}

static bool open_file(file *f, const char *folder, const char *name) {
  if (!make_path(f->path, folder, name)) return false;
  f->out = fopen(f->path, "w");
  if (!f->out) fprintf(stderr, "holon: %s: cannot be written: %s\n", f->path, strerror(errno));
  return f->out != NULL;
}

static bool close_file(file *f) {
  bool bad = ferror(f->out);
  if (!fclose(f->out) && !bad) return true;
  fprintf(stderr, "holon: %s: cannot be written\n", f->path);
  remove(f->path);
  return false;
}

// nothing stands for a value that is not known
static void put_value(FILE *out, double x) {
  char text[CELL];
  fprintf(out, ",%s", isnan(x) ? "" : number_text(text, x));
}

static void put_row(FILE *out, const trial *t) {
  double unknown = t->rows > 0 ? 0 : NAN;
  const double value[] = {t->position_max, t->position_mean, t->velocity_max, t->velocity_mean,
                          t->energy_drift, t->error,         t->wall,         t->cpu};
  fputs(t->method, out);
  put_value(out, t->step > 0 ? t->step : NAN);
  put_value(out, t->step > 0 ? NAN : t->rtol);
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) put_value(out, value[i] + unknown);
  put_value(out, t->ratio);
  fprintf(out, ",%ld,%s,\"", t->evaluations, status_word(t));
  for (const char *s = t->status ? t->message : ""; *s; s++)
    fputs(*s == '"' ? "\"\"" : (char[]){*s, 0}, out);
  fputs("\"\n", out);
}

static bool write_table(const comparison *c, const char *folder) {
  file f;
  if (!open_file(&f, folder, "table.csv")) return false;
  fputs("method,step,rtol,position_sq_max,position_sq_mean,velocity_sq_max,velocity_sq_mean,"
        "energy_drift,error,wall_s,cpu_s,ratio,evaluations,status,message\n",
        f.out);
  put_row(f.out, &c->reference);
  for (int i = 0; i < c->count; i++) put_row(f.out, &c->trial[i]);
  return close_file(&f);
}

// ---- plots ---------------------------------------------------------------------------------

// as many curves as the library tells apart
enum { MOST_CURVES = 21 };

typedef struct picture {
  const char *folder, *name;
  const char *x;
  char title[200];
  int count;  // of curves
  const trial *curve[MOST_CURVES];
} picture;

// draws what the joined CSV holds, and removes it
static bool draw(const picture *p, int part, const char *csv) {
  char path[PATH_SIZE], name[64], message[512];
  const char *names[MOST_CURVES];
  hn_result *joined = NULL;
  for (int i = 0; i < p->count; i++) names[i] = p->curve[i]->method;
  hn_plot plot = {.title = p->title, .x = p->x, .y = names, .y_count = p->count, .log_y = true};
  if (part == 0)
    snprintf(name, sizeof name, "%s.svg", p->name);
  else
    snprintf(name, sizeof name, "%s_%d.svg", p->name, part + 1);
  bool good = make_path(path, p->folder, name);
  if (good) {
    hn_status status = hn_result_read(&joined, csv, message, sizeof message);
    if (!status) status = hn_plot_write(joined, &plot, path, message, sizeof message);
    if (status) fprintf(stderr, "holon: %s\n", message);
    good = !status;
  }
  hn_result_destroy(joined);
  remove(csv);
  return good;
}

static const char joined_name[] = ".joined.csv";

static void put_heading(FILE *out, const picture *p, const char *x_unit, const char *y_unit) {
  fprintf(out, "%s [%s]", p->x, x_unit);
  for (int i = 0; i < p->count; i++) fprintf(out, ",%s [%s]", p->curve[i]->method, y_unit);
  fputc('\n', out);
}

// curves over time; all runs record at the same times, but some end early
static bool draw_over_time(picture *p, int part, int which, const char *unit) {
  file f;
  char text[CELL];
  const trial *longest = p->curve[0];
  p->x = "time";
  for (int i = 1; i < p->count; i++)
    if (p->curve[i]->rows > longest->rows) longest = p->curve[i];
  if (!open_file(&f, p->folder, joined_name)) return false;
  put_heading(f.out, p, "s", unit);
  for (int row = 0; row < longest->rows; row++) {
    fputs(number_text(text, longest->curve[CURVE_TIME][row]), f.out);
    for (int i = 0; i < p->count; i++) {
      const trial *t = p->curve[i];
      double x = row < t->rows ? fabs(t->curve[which][row]) : NAN;
      fprintf(f.out, ",%s", isfinite(x) ? number_text(text, x) : "nan");
    }
    fputc('\n', f.out);
  }
  return close_file(&f) && draw(p, part, f.path);
}

// error over time spent: one row for each run, with a value in the column of its method
static bool draw_work(picture *p, int part, const comparison *c) {
  file f;
  char text[CELL];
  p->x = "processor time";
  if (!open_file(&f, p->folder, joined_name)) return false;
  put_heading(f.out, p, "log10 s", "relative error");
  for (int k = 0; k < c->count; k++) {
    const trial *t = &c->trial[k];
    if (t->status || !(t->cpu > 0) || !isfinite(t->error)) continue;
    fputs(number_text(text, log10(t->cpu)), f.out);
    for (int i = 0; i < p->count; i++)
      fprintf(f.out, ",%s",
              strcmp(t->method, p->curve[i]->method) == 0 ? number_text(text, t->error) : "nan");
    fputc('\n', f.out);
  }
  return close_file(&f) && draw(p, part, f.path);
}

// a picture of curves, or several when there are more than one can hold; `unit` NULL: over work
static bool draw_curves(const comparison *c, const char *folder, const char *name,
                        const char *title, int which, const char *unit) {
  int part = 0, next = 0;
  bool good = true;
  while (good && next < c->count) {
    picture p = {.folder = folder, .name = name};
    if (unit)
      snprintf(p.title, sizeof p.title, "%.80s: %s, step %g s", c->name, title, c->shortest);
    else
      snprintf(p.title, sizeof p.title, "%.80s: %s", c->name, title);
    for (; next < c->count && p.count < MOST_CURVES; next++) {
      const trial *t = &c->trial[next];
      bool wanted = unit ? t->rows > 0 : !t->status && t->cpu > 0 && isfinite(t->error);
      // one curve for each method: by its finest step, or through all of them
      if (unit && !drawn_step(c, t)) continue;
      bool again = p.count > 0 && strcmp(p.curve[p.count - 1]->method, t->method) == 0;
      if (wanted && !again) p.curve[p.count++] = t;
    }
    if (p.count == 0) break;
    good = unit ? draw_over_time(&p, part, which, unit) : draw_work(&p, part, c);
    part++;
  }
  return good;
}

// bars with names; nothing when `standard` is not among the methods
static bool draw_ratios(const comparison *c, const char *folder) {
  enum { LEFT = 190, BAR = 560, LINE = 24, TOP = 50 };
  double most = 0;
  int bars = 0;
  for (int i = 0; i < c->count; i++)
    if (drawn_step(c, &c->trial[i]) && !isnan(c->trial[i].ratio))
      bars++, most = fmax(most, c->trial[i].ratio);
  if (bars == 0) return true;
  file f;
  if (!open_file(&f, folder, "time_ratio.svg")) return false;
  int width = LEFT + BAR + 80, height = TOP + bars * LINE + 16, y = TOP;
  fprintf(f.out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
          "%d\" fill=\"#222\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
          "<text x=\"%d\" y=\"28\" font-size=\"15\" font-weight=\"600\" text-anchor=\"middle\">"
          "processor time relative to standard, step %g s</text>\n",
          width, height, width, height, width / 2, c->shortest);
  for (int i = 0; i < c->count; i++) {
    const trial *t = &c->trial[i];
    if (!drawn_step(c, t) || isnan(t->ratio)) continue;
    double length = BAR * t->ratio / most;
    fprintf(f.out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#0072b2\"/>"
            "<text x=\"%.1f\" y=\"%d\">%.3g</text>\n",
            LEFT - 8, y + 16, t->method, LEFT, y + 3, length, LINE - 6, LEFT + length + 6, y + 16,
            t->ratio);
    y += LINE;
  }
  // where the standard ends
  fprintf(f.out, "<path stroke=\"#d55e00\" stroke-dasharray=\"4 3\" d=\"M%.1f %dV%d\"/>\n</svg>\n",
          LEFT + BAR / most, TOP, y);
  return close_file(&f);
}

// pictures of an earlier comparison must not be taken for this one's
static bool remove_old(const char *folder) {
  static const char *const names[] = {"position_violation_2.svg", "velocity_violation_2.svg",
                                      "energy_2.svg", "work_precision_2.svg", "time_ratio.svg"};
  char path[PATH_SIZE];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!make_path(path, folder, names[i])) return false;
    remove(path);
  }
  return true;
}

bool write_comparison(const comparison *c, const char *folder) {
  static const char length[] = "m^2 or rad^2", speed[] = "m^2/s^2 or rad^2/s^2";
  return remove_old(folder) && write_table(c, folder) &&
         draw_curves(c, folder, "position_violation", "violation |phi|^2", CURVE_POSITION,
                     length) &&
         draw_curves(c, folder, "velocity_violation", "its rate |phi'|^2", CURVE_VELOCITY, speed) &&
         draw_curves(c, folder, "energy", "energy imbalance", CURVE_ENERGY, "J") &&
         draw_ratios(c, folder) &&
         draw_curves(c, folder, "work_precision", "error and time", 0, NULL);
}
