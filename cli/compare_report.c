// compare_report.c: a comparison as a table, as JSON, and as a folder of files.
#include "compare.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// refused before it began, or failed on the way
static const char *status_word(const trial *t) {
  return t->refused ? "refused" : t->status ? "failed" : "done";
}

bool drawn_step(const comparison *c, const trial *t) {
  return t->step == 0 || t->step == c->shortest;
}

// ---- for people ----------------------------------------------------------------------------

// as many as print_comparison has headings
enum { CELLS = 10 };

// one digit of what differs by powers of ten, two of the rest: the table fits the screen
static const char *size_text(char out[CELL], double x, bool known) {
  if (!known || isnan(x)) return "-";
  // most numbers of the table differ by orders of magnitude
  snprintf(out, CELL, x == 0 ? "0" : "%.0e", x);
  return out;
}

// an error that does not stand out from what is not known of the reference is told as a bound
static const char *error_text(char out[CELL], const comparison *c, const trial *t) {
  if (isnan(t->error)) return "-";
  // twice the doubt: what both runs could be off by together
  bool hidden = !isnan(c->doubt) && t->error < 2 * c->doubt;
  snprintf(out, CELL, hidden ? "<%.0e" : "%.0e", hidden ? 2 * c->doubt : t->error);
  return t->error == 0 && !hidden ? "0" : out;
}

static const char *audit_word(const trial *t) {
  // of what failed nothing was judged to the end
  if (t->status || t->summary.verdict == HN_NOT_AUDITED) return "-";
  return t->summary.audit_pass ? "pass" : "FAIL";
}

static void fill_row(const char **row, char text[CELLS][CELL], const comparison *c,
                     const trial *t) {
  bool ran = t->rows > 0;
  const double sizes[] = {t->position_max, t->velocity_max, t->energy_drift};
  row[0] = t->method;
  // "~": the method chooses its steps, and is asked for this accuracy
  snprintf(text[1], CELL, t->step > 0 ? "%.4g" : "~%.0e", t->step > 0 ? t->step : t->rtol);
  row[1] = text[1];
  for (int i = 0; i < 3; i++) row[2 + i] = size_text(text[2 + i], sizes[i], ran);
  row[5] = error_text(text[5], c, t);
  row[6] = audit_word(t);
  snprintf(text[7], CELL, "%ld", t->evaluations);
  snprintf(text[8], CELL, "%.2g", t->cpu);
  snprintf(text[9], CELL, "%.3g", t->ratio);
  row[7] = ran ? text[7] : "-";
  row[8] = ran ? text[8] : "-";
  // in the place of the ratio: why there is none
  row[9] = t->status ? status_word(t) : isnan(t->ratio) ? "-" : text[9];
}

// how far the errors can be believed
void print_reference(const comparison *c) {
  if (c->reference.status) return;
  int indent = printf("reference: ");
  char text[400];
  // verified by nobody is less than verified and bad
  if (isnan(c->doubt))
    snprintf(text, sizeof text, "not verified, no second run: %s", c->second);
  else if (c->doubt > 1e-3)
    snprintf(
        text, sizeof text,
        "NOT VERIFIED: two runs by different means are %.1e apart; the motion is chaotic, or "
        "something in it is too short to be seen: a shorter duration or shorter steps may help",
        c->doubt);
  else
    snprintf(text, sizeof text, "two runs by different means agree to %.1e", c->doubt);
  print_wrapped(stdout, indent, text);
}

// why some did not finish; said once for a method that gives the same reason with every step
static void print_reasons(const comparison *c) {
  const char *before = "";
  for (int i = 0; i < c->count; i++) {
    const trial *t = &c->trial[i];
    char place[96] = "";
    if (!t->status) continue;
    if (!*before) fputs("\nnot finished\n\n", stdout);
    // trials of a method stand together
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
  static const char *const heading[CELLS] = {"method", "step",  "phi^2", "phi'^2", "drift",
                                             "error",  "audit", "evals", "time",   "ratio"};
  // heading and reference come before the trials
  size_t rows = (size_t)c->count + 2;
  const char **cells = calloc(rows * CELLS, sizeof *cells);
  char(*text)[CELLS][CELL] = calloc(rows, sizeof *text);
  if (cells && text) {
    memcpy(cells, heading, sizeof heading);
    fill_row(cells + CELLS, text[0], c, &c->reference);
    for (int i = 0; i < c->count; i++)
      fill_row(cells + (size_t)(i + 2) * CELLS, text[i + 1], c, &c->trial[i]);
    printf("%s: %g s simulated, %d rows recorded\n", c->name, c->duration, c->reference.rows);
    print_reference(c);
    fputs("phi^2, phi'^2: violation of the constraints and its rate, squares summed,\n"
          "largest; step [s], or ~ tolerance; drift: of the energy, relative; time: of the\n"
          "processor [s]\n\n",
          stdout);
    print_table(stdout, "lrrrrrrrrr", (int)rows, cells);
    print_reasons(c);
  } else {
    fputs("holon: out of memory\n", stderr);
  }
  free(cells);
  free(text);
}

// ---- JSON ----------------------------------------------------------------------------------

static void put_trial(json *j, const char *key, const trial *t) {
  // NAN + x is NAN: null in JSON
  double unknown = t->rows > 0 ? 0 : NAN;  // added to what a run without rows does not have
  json_open(j, key, '{');
  json_string(j, "method", t->method);
  // one of the two was given
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
  json_string(j, "audit", audit_word(t));
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
  json_number(&j, "reference_doubt", c->doubt);
  json_open(&j, "runs", '[');
  put_trial(&j, NULL, &c->reference);
  for (int i = 0; i < c->count; i++) put_trial(&j, NULL, &c->trial[i]);
  json_close(&j);
  json_close(&j);
}

// ---- files ---------------------------------------------------------------------------------

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
  fprintf(out, ",%ld,%s,%s,\"", t->evaluations, audit_word(t), status_word(t));
  // quotation marks are doubled
  for (const char *s = t->status ? t->message : ""; *s; s++)
    fputs(*s == '"' ? "\"\"" : (char[]){*s, 0}, out);
  fputs("\"\n", out);
}

bool write_comparison_table(const comparison *c, const char *folder) {
  char path[PATH_SIZE];
  output o;
  if (!join_path(path, folder, "table.csv") || !output_open(&o, path)) return false;
  fputs("method,step,rtol,position_sq_max,position_sq_mean,velocity_sq_max,velocity_sq_mean,"
        "energy_drift,error,wall_s,cpu_s,ratio,evaluations,audit,status,message\n",
        o.stream);
  put_row(o.stream, &c->reference);
  for (int i = 0; i < c->count; i++) put_row(o.stream, &c->trial[i]);
  return output_close(&o);
}

// ---- plots ---------------------------------------------------------------------------------

// charts of many curves go on in files of their own: name.svg, name_2.svg ...
// a chart of more curves than colours could not be read
static bool draw_part(chart *c, int part, const char *folder, const char *name) {
  char path[PATH_SIZE], full[64];
  if (part == 0)
    snprintf(full, sizeof full, "%s.svg", name);
  else
    snprintf(full, sizeof full, "%s_%d.svg", name, part + 1);
  return join_path(path, folder, full) && draw_chart(c, path);
}

// curves over time, one for each method, by its finest step
static bool draw_over_time(const comparison *c, const char *folder, const char *name,
                           const char *what, int which, const char *unit) {
  curve curves[MOST_CURVES];
  char title[200];
  snprintf(title, sizeof title, "%.80s: %s, step %g s", c->name, what, c->shortest);
  chart picture = {.title = title, .label = what, .unit = unit, .log_y = true, .curves = curves};
  int part = 0;
  bool good = true;
  for (int i = 0; i < c->count && good; i++) {
    const trial *t = &c->trial[i];
    // others have no curves, or have been drawn by a finer step
    if (t->rows == 0 || !drawn_step(c, t)) continue;
    if (picture.count == MOST_CURVES) {
      good = draw_part(&picture, part++, folder, name);
      picture.count = 0;
    }
    curves[picture.count++] = (curve){t->method, t->rows, t->curve[CURVE_TIME], t->curve[which]};
  }
  return good && (picture.count == 0 || draw_part(&picture, part, folder, name));
}

// error over time spent, a curve through the steps of each method
bool draw_work_precision(const comparison *c, const char *folder) {
  curve curves[MOST_CURVES];
  char title[200];
  snprintf(title, sizeof title, "%.80s: error and time", c->name);
  chart picture = {.title = title,
                   .x = "processor time",
                   .x_unit = "s",
                   .label = "relative error",
                   .unit = "",
                   .log_x = true,
                   .log_y = true,
                   .curves = curves};
  // one block for x and y: curves point into it
  double *x = calloc(2 * (size_t)c->count + 1, sizeof *x), *y = x + c->count;
  int part = 0, used = 0;
  bool good = x != NULL;
  for (int i = 0; i < c->count && good; i++) {
    const trial *t = &c->trial[i];
    // logarithmic axes: a time of zero has no place
    if (t->status || !(t->cpu > 0) || !isfinite(t->error)) continue;
    bool same = picture.count && strcmp(curves[picture.count - 1].name, t->method) == 0;
    if (!same && picture.count == MOST_CURVES) {
      good = draw_part(&picture, part++, folder, "work_precision");
      picture.count = 0;
    }
    // a method's trials stand together: its curve goes on
    if (!same) curves[picture.count++] = (curve){t->method, 0, x + used, y + used};
    curves[picture.count - 1].count++;
    x[used] = t->cpu;
    y[used++] = t->error;
  }
  good = good && (picture.count == 0 || draw_part(&picture, part, folder, "work_precision"));
  free(x);
  return good;
}

// nothing when `standard` is not among the methods
static bool draw_ratios(const comparison *c, const char *folder) {
  char path[PATH_SIZE], title[100];
  const char **names = calloc((size_t)c->count + 1, sizeof *names);
  double *ratios = calloc((size_t)c->count + 1, sizeof *ratios);
  int bars = 0;
  bool good = names && ratios && join_path(path, folder, "time_ratio.svg");
  // bars of the finest step alone
  for (int i = 0; i < c->count && good; i++)
    if (drawn_step(c, &c->trial[i]) && !isnan(c->trial[i].ratio)) {
      names[bars] = c->trial[i].method;
      ratios[bars++] = c->trial[i].ratio;
    }
  snprintf(title, sizeof title, "processor time relative to standard, step %g s", c->shortest);
  if (good && bars) good = draw_bars(title, bars, names, ratios, path);
  free(names);
  free(ratios);
  return good;
}

// pictures of an earlier comparison must not be taken for this one's
static bool remove_old(const char *folder) {
  // those that a comparison of fewer methods does not overwrite
  static const char *const names[] = {"position_violation_2.svg", "velocity_violation_2.svg",
                                      "energy_2.svg", "work_precision_2.svg", "time_ratio.svg"};
  char path[PATH_SIZE];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!join_path(path, folder, names[i])) return false;
    remove(path);
  }
  return true;
}

bool write_comparison(const comparison *c, const char *folder) {
  static const char length[] = "m^2 or rad^2", speed[] = "m^2/s^2 or rad^2/s^2";
  return remove_old(folder) && write_comparison_table(c, folder) &&
         draw_over_time(c, folder, "position_violation", "violation |Φ|²", CURVE_POSITION,
                        length) &&
         draw_over_time(c, folder, "velocity_violation", "rate of violation |dΦ/dt|²",
                        CURVE_VELOCITY, speed) &&
         draw_over_time(c, folder, "energy", "energy imbalance", CURVE_ENERGY, "J") &&
         draw_ratios(c, folder) && draw_work_precision(c, folder);
}
