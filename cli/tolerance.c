// tolerance.c: holon tolerance. How far joints that are out of place move everything else.
#include "analysis.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon tolerance MODEL [OPTIONS]\n\n"
    "How far the bodies and joint coordinates of a model (- reads standard input) are moved by\n"
    "joints that are not quite in place: at most, likely (root of the sum of squares), and by\n"
    "which joint most. Drivers count as joints; what is free moves as little as the masses "
    "allow.\n\n"
    "  --gap L            how far joints may be out of place [m] (default: 1e-4)\n"
    "  --tilt A           by what angle they may be off [rad] (default: 1e-3)\n"
    "  --at T             run the model to this time first [s]\n"
    "  --of NAME          only this body, joint, or one coordinate of it\n"
    "  -o, --out FILE     every displacement per metre or radian by which a row is open:\n"
    "                     FILE.csv, .h5 or .npz\n"
    "  --set NAME=VALUE   change a parameter of the model (repeatable)\n"
    "  --json             print one JSON object\n"
    "  -h, --help         this text\n\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage or model.\n\n"
    "  holon tolerance slider_crank.yaml --gap 5e-5\n"
    "  holon tolerance slider_crank.yaml --at 0.2 --of slider.x --json\n";

// numbers of our own begin where those of all analyses end
enum { OPTION_GAP = ANALYSIS_OWN, OPTION_TILT, OPTION_AT, OPTION_OF };
enum { FIXED = 2 };  // columns of the table before the displacements
static const struct option options[] = {{"gap", required_argument, NULL, OPTION_GAP},
                                        {"tilt", required_argument, NULL, OPTION_TILT},
                                        {"at", required_argument, NULL, OPTION_AT},
                                        {"of", required_argument, NULL, OPTION_OF},
                                        ANALYSIS_OPTIONS};

typedef struct arguments {
  double gap, tilt, at;  // the first two: by how much [m], [rad]; at [s]: 0 is the described state
  const char *of;        // NULL: everything is told
} arguments;

static int own(const command *self, void *user, int c) {
  arguments *o = user;
  double *to = c == OPTION_GAP ? &o->gap : c == OPTION_TILT ? &o->tilt : &o->at;
  if (c == OPTION_OF) {
    o->of = optarg;
    return -1;
  }
  // zero is allowed: joints in place, but off by an angle
  if (analysis_number(optarg, to) && *to >= 0) return -1;
  return usage_error(self, "--%s needs a number that is not negative, not '%s'",
                     c == OPTION_GAP    ? "gap"
                     : c == OPTION_TILT ? "tilt"
                                        : "at",
                     optarg);
}

// what a column comes to over all rows
// both sums are of sizes. `most`: all rows are open by their limits, each in its worst sense; the
// root of `squares`: they are independent of each other
typedef struct total {
  double most, squares, largest;
  int row;  // of the constraints, whose part is the largest; -1: none
} total;

static total add_up(const arguments *o, const hn_result *table, int column) {
  total sum = {.row = -1};
  for (int i = 0; i < hn_result_rows(table); i++) {
    const double *line = hn_result_row(table, i);
    // the first two columns: which row of the constraints is open, and whether that is an angle
    int row = (int)line[0];
    // to first order: the displacement per metre or radian, times the size of the opening
    double part = fabs(line[column]) * (line[1] != 0 ? o->tilt : o->gap);
    sum.most += part;
    sum.squares += part * part;
    if (part > sum.largest) sum.largest = part, sum.row = row;
  }
  return sum;
}

// "rod", "rod.x": is it the column itself, or what stands before its point?
static bool wanted(const arguments *o, const char *column) {
  size_t n = o->of ? strlen(o->of) : 0;
  return !o->of || (strncmp(column, o->of, n) == 0 && (!column[n] || column[n] == '.'));
}

// displacements that are round-off beside what moves them say nothing
static bool moves(const arguments *o, const total *t) {
  return t->largest > 1e-9 * fmax(o->gap, o->tilt);
}

static void print_totals(const analysis *a, const arguments *o, const hn_result *table) {
  int width = 10;
  analysis_heading(a);
  printf("  joints out of place by %g m and off by %g rad, at t = %.6g s\n\n", o->gap, o->tilt,
         hn_time(a->sim));
  // as wide as the longest name
  for (int c = FIXED; c < hn_result_columns(table); c++)
    width = (int)fmax(width, (double)strlen(hn_result_name(table, c)));
  printf("  %-*s  %10s  %10s       %s\n", width, "", "at most", "likely", "mostly by");
  for (int c = FIXED; c < hn_result_columns(table); c++) {
    total t = add_up(o, table, c);
    if (!wanted(o, hn_result_name(table, c)) || !moves(o, &t)) continue;
    printf("  %-*s  %10.3g  %10.3g  %-3s  %s (%.0f %%)\n", width, hn_result_name(table, c), t.most,
           sqrt(t.squares), hn_result_unit(table, c), hn_system_row_name(a->system, t.row),
           100 * t.largest / t.most);
  }
}

static void print_json(const analysis *a, const arguments *o, const hn_result *table) {
  json j = {0};
  analysis_json(a, &j);
  json_number(&j, "gap", o->gap);
  json_number(&j, "tilt", o->tilt);
  json_number(&j, "time", hn_time(a->sim));
  json_open(&j, "displacements", '[');
  for (int c = FIXED; c < hn_result_columns(table); c++) {
    // those that stand still are listed too: a program looks for names
    total t = add_up(o, table, c);
    if (!wanted(o, hn_result_name(table, c))) continue;
    json_open(&j, NULL, '{');
    json_string(&j, "name", hn_result_name(table, c));
    json_string(&j, "unit", hn_result_unit(table, c));
    json_number(&j, "at_most", t.most);
    json_number(&j, "likely", sqrt(t.squares));
    json_string(&j, "mostly_by", t.row < 0 ? "" : hn_system_row_name(a->system, t.row));
    json_close(&j);
  }
  json_close(&j);
  json_close(&j);
}

// a name that meets no column is a mistake, not an empty table
static bool known(const arguments *o, const hn_result *table) {
  for (int c = FIXED; c < hn_result_columns(table); c++)
    if (wanted(o, hn_result_name(table, c))) return true;
  return false;
}

// a name that meets no column, with the one that was probably meant
static int unknown_name(const arguments *o, const hn_result *table) {
  enum { MOST = 200 };
  const char *names[MOST];
  int count = 0;
  for (int c = FIXED; c < hn_result_columns(table) && count < MOST; c++)
    names[count++] = hn_result_name(table, c);
  const char *near = nearest(o->of, count, names);
  fprintf(stderr, "holon: --of %s: no such body, joint or coordinate ", o->of);
  if (near)
    fprintf(stderr, "(did you mean '%s'?)\n", near);
  else
    fprintf(stderr, "(those of 'holon check')\n");
  return CODE_USAGE;
}

static int work(analysis *a, void *user) {
  const arguments *o = user;
  hn_result *table = NULL;
  // the answer is that of a state: the same joint matters more near a dead position
  hn_status status = o->at > 0 ? hn_advance(a->sim, o->at) : HN_OK;
  if (!status) status = hn_tolerances(a->sim, &table);
  if (status) return analysis_failed(a, hn_sim_error(a->sim));
  int code = CODE_DONE;
  if (!known(o, table)) {
    code = unknown_name(o, table);
  } else if (a->json) {
    print_json(a, o, table);
  } else {
    print_totals(a, o, table);
  }
  // the file has all columns, whatever --of shows
  if (!code) code = analysis_save(a, table, a->out, "table");
  hn_result_destroy(table);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  arguments o = {.gap = 1e-4, .tilt = 1e-3};
  return analysis_run(self, argc, argv, &(analysis_job){options, own, work, &o});
}

const command command_tolerance = {
    .name = "tolerance",
    .help = "how far joints that are out of place move everything",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
