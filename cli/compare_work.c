// compare_work.c: error against processor time, method by method.
//
// A method's runs with falling steps or tolerances are points (time, error); between two of them
// both are taken to follow a power law. What a reader wants to know is the time that an error
// takes.
#include "compare.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED = 4, COLUMNS = 4 + WANTED };
static const double wanted[WANTED] = {1e-3, 1e-5, 1e-7, 1e-9};
static const char *const heading[COLUMNS] = {"method", "runs", "error", "time [s]",
                                             "1e-3",   "1e-5", "1e-7",  "1e-9"};

// what one method reached
typedef struct effort {
  const char *method;
  int runs;
  bool refused;
  double error, cpu;    // of the most accurate run; NAN: none finished
  double time[WANTED];  // [s] for the errors wanted; NAN: not reached
} effort;

static bool counts(const trial *t) {
  return !t->status && t->cpu > 0 && isfinite(t->error);
}

// the time for an error between those of two runs
static double between(const trial *a, const trial *b, double error) {
  double span = log(a->error / b->error);
  if (!(span > 0)) return a->cpu;
  double part = log(a->error / error) / span;
  return a->cpu * pow(b->cpu / a->cpu, part);
}

// the least time that reaches the error: by a run itself, or between a run that does not and the
// next
static double time_for(const trial *t, int count, double error) {
  double least = NAN;
  const trial *before = NULL;
  for (int i = 0; i < count; i++) {
    if (!counts(&t[i])) continue;
    double time = NAN;
    if (t[i].error <= error)
      time = before && before->error > error ? between(before, &t[i], error) : t[i].cpu;
    if (!(time >= least)) least = isnan(time) ? least : time;
    before = &t[i];
  }
  return least;
}

// the method whose runs begin at `first`; returns where the next one's do
static int measure(const comparison *c, int first, effort *e) {
  int end = first;
  *e = (effort){.method = c->trial[first].method, .refused = true, .error = NAN, .cpu = NAN};
  while (end < c->count && strcmp(c->trial[end].method, e->method) == 0) {
    const trial *t = &c->trial[end++];
    e->refused = e->refused && t->refused;
    if (!counts(t)) continue;
    e->runs++;
    if (!(t->error >= e->error)) e->error = t->error, e->cpu = t->cpu;
  }
  for (int k = 0; k < WANTED; k++) e->time[k] = time_for(c->trial + first, end - first, wanted[k]);
  return end;
}

static const char *time_text(char out[CELL], double x) {
  if (isnan(x)) return "-";
  snprintf(out, CELL, "%.2g", x);
  return out;
}

static void fill(const char **row, char text[COLUMNS][CELL], const comparison *c, const effort *e) {
  bool hidden = !isnan(c->doubt) && e->error < 2 * c->doubt;
  row[0] = e->method;
  snprintf(text[1], CELL, "%d", e->runs);
  row[1] = e->refused ? "refused" : e->runs ? text[1] : "failed";
  snprintf(text[2], CELL, hidden ? "<%.0e" : "%.0e", hidden ? 2 * c->doubt : e->error);
  row[2] = isnan(e->error) ? "-" : text[2];
  row[3] = time_text(text[3], e->cpu);
  for (int k = 0; k < WANTED; k++) row[4 + k] = time_text(text[4 + k], e->time[k]);
}

// cells of all methods, a heading first; NULL: out of memory. `text` holds what cells point to
static const char **table(const comparison *c, int *rows, char (**text)[COLUMNS][CELL]) {
  const char **cells = calloc(((size_t)c->count + 1) * COLUMNS, sizeof *cells);
  *text = calloc((size_t)c->count + 1, sizeof **text);
  *rows = 1;
  if (!cells || !*text) {
    fputs("holon: out of memory\n", stderr);
    free(cells);
    return NULL;
  }
  memcpy(cells, heading, sizeof heading);
  for (int i = 0; i < c->count; (*rows)++) {
    effort e;
    i = measure(c, i, &e);
    fill(cells + (size_t)*rows * COLUMNS, (*text)[*rows], c, &e);
  }
  return cells;
}

void print_work(const comparison *c) {
  char(*text)[COLUMNS][CELL];
  int rows;
  const char **cells = table(c, &rows, &text);
  if (cells) {
    printf("%s: %g s simulated, %d rows recorded\n", c->name, c->duration, c->reference.rows);
    print_reference(c);
    fputs("error: relative, of the most accurate run, and its time; then the times [s] of the\n"
          "processor that errors of 1e-3, 1e-5, 1e-7, 1e-9 take; - : not reached\n\n",
          stdout);
    print_table(stdout, "lrrrrrrr", rows, cells);
  }
  free(cells);
  free(text);
}

static bool write_markdown(const comparison *c, const char *folder) {
  char path[PATH_SIZE];
  output o;
  char(*text)[COLUMNS][CELL];
  int rows;
  const char **cells = table(c, &rows, &text);
  bool good = cells && join_path(path, folder, "work_precision.md") && output_open(&o, path);
  if (good) {
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < COLUMNS; k++) fprintf(o.stream, "| %s ", cells[i * COLUMNS + k]);
      fputs(i ? "|\n" : "|\n|---|---|---|---|---|---|---|---|\n", o.stream);
    }
    good = output_close(&o);
  }
  free(cells);
  free(text);
  return good;
}

bool write_work(const comparison *c, const char *folder) {
  return write_comparison_table(c, folder) && write_markdown(c, folder) &&
         draw_work_precision(c, folder);
}
