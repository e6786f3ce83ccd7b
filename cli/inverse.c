// inverse.c: holon inverse. What drivers must do for the motion they prescribe.
#include "analysis.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon inverse MODEL [OPTIONS]\n\n"
    "Finds the forces and torques with which drivers produce the motion they prescribe (- reads\n"
    "standard input), closed loops included: effort and power of each over time.\n\n"
    "  -o, --out FILE     write them: FILE.csv, FILE.h5 or FILE.npz\n"
    "  --motion FILE      write the motion too, with the columns of a run\n"
    "  --duration T       time to move through [s]\n"
    "  --output-step S    interval between recorded rows [s]\n"
    "  --html FILE        a page that shows it\n"
    "  --set NAME=VALUE   change a parameter of the model (repeatable)\n"
    "  --json             print one JSON object\n"
    "  -h, --help         this text\n\n"
    "Where everything is driven there is no error of integration. What is left free moves by the\n"
    "laws of dynamics. A driver with 'by: NAME' prescribes a motion that the motor or spring NAME\n"
    "brings about, not a force along the motion itself (a load that follows a path while winch "
    "and\n"
    "trolley act): then the efforts of these are found. Such a motion must start from rest.\n\n"
    "Exit codes: 0 done, 1 the motion cannot be followed to its end (the result up to there is\n"
    "kept), 2 wrong usage or model.\n\n"
    "  holon inverse robot.yaml --out efforts.csv\n"
    "  holon plot efforts.csv --y shoulder.effort,elbow.effort\n";

enum { OPTION_MOTION = ANALYSIS_OWN };
static const struct option options[] = {
    {"motion", required_argument, NULL, OPTION_MOTION},
    ANALYSIS_TIME,
    ANALYSIS_OPTIONS,
};

// the only option of its own: where the motion goes
static int own(const command *self, void *user, int c) {
  (void)c;
  *(const char **)user = optarg;
  return check_result_path(self, optarg) ? -1 : CODE_USAGE;
}

typedef struct effort {
  char name[96];
  const char *unit;
  double peak, peak_time, rms;
  double power, work;  // largest [W], and the integral [J]
  bool infinite;       // for an instant, where the motion has a kink
} effort;

// column of another quantity of the same element, -1 when there is none
// names of columns: ELEMENT.QUANTITY
static int sibling(const hn_result *r, const char *element, const char *quantity) {
  char name[160];
  snprintf(name, sizeof name, "%s.%s", element, quantity);
  return hn_result_find(r, name);
}

// by the trapezoidal rule over the rows; what was found between them replaces it (complete)
static void summarise(const hn_result *r, int column, effort *e) {
  int rows = hn_result_rows(r), power = sibling(r, e->name, "power");
  double last_t = 0, last_p = 0, last_s = 0, squares = 0, span = 0;
  for (int i = 0; i < rows; i++) {
    const double *row = hn_result_row(r, i);
    double x = row[column], p = power < 0 ? 0 : row[power];
    // the sign of the largest stays
    if (i == 0 || fabs(x) > fabs(e->peak)) e->peak = x, e->peak_time = row[0];
    if (fabs(p) > fabs(e->power)) e->power = p;
    if (i > 0) {
      double h = row[0] - last_t;
      e->work += 0.5 * h * (p + last_p);
      squares += 0.5 * h * (x * x + last_s);
      span += h;
    }
    last_t = row[0], last_p = p, last_s = x * x;
  }
  // of one instant there is no mean
  e->rms = span > 0 ? sqrt(squares / span) : fabs(e->peak);
}

// the next effort after column *at; false when there is none
static bool next_effort(const hn_result *r, int *at, effort *e) {
  for (; *at < hn_result_columns(r); ++*at) {
    const char *name = hn_result_name(r, *at);
    if (!text_ends(name, ".effort")) continue;
    // each driver and actuator has one column of this name
    *e = (effort){.unit = hn_result_unit(r, *at)};
    snprintf(e->name, sizeof e->name, "%.*s", (int)(strlen(name) - strlen(".effort")), name);
    summarise(r, (*at)++, e);
    return true;
  }
  return false;
}

// peaks, work and mean squares found between rows too take the place of those of the rows
static void complete(const hn_inverse_info *info, int number, effort *e) {
  // the struct has the first ones; of more the rows have to do
  if (number >= info->efforts || number >= (int)(sizeof info->effort / sizeof *info->effort))
    return;
  const hn_effort *x = &info->effort[number];
  e->peak = x->peak, e->peak_time = x->peak_time, e->rms = x->rms;
  e->power = x->peak_power, e->work = x->work;
  e->infinite = x->infinite;
}

// what is round-off beside the others of its unit is zero; a power's over the whole time for work
static void drop_round_off(const hn_result *r, const double *zero, int column, effort *e) {
  int power = sibling(r, e->name, "power"), rows = hn_result_rows(r);
  double span = rows ? hn_result_row(r, rows - 1)[0] - hn_result_row(r, 0)[0] : 0;
  // a peak of round-off has no instant either
  if (fabs(e->peak) <= zero[column]) e->peak = e->peak_time = 0;
  if (e->rms <= zero[column]) e->rms = 0;
  // force columns without power of their own
  if (power < 0) return;
  if (fabs(e->power) <= zero[power]) e->power = 0;
  if (fabs(e->work) <= zero[power] * span) e->work = 0;
}

static void print_efforts(const analysis *a, const hn_inverse_info *info, const hn_result *r) {
  enum { MOST = 40, COLUMNS = 7 };
  const char *cells[(MOST + 1) * COLUMNS] = {"effort of", "peak",           "at t [s]", "rms",
                                             "unit",      "peak power [W]", "work [J]"};
  char text[MOST][COLUMNS][96];
  effort e;
  int count = 0;
  double *zero = calloc((size_t)hn_result_columns(r), sizeof *zero);
  if (zero) hn_result_round_off(r, zero);
  // column 0 is the time
  for (int at = 1; count < MOST && next_effort(r, &at, &e); count++) {
    complete(info, count, &e);
    if (zero) drop_round_off(r, zero, at - 1, &e);
    const double value[] = {e.peak, e.peak_time, e.rms, 0, e.power, e.work};
    snprintf(text[count][0], sizeof text[count][0], "%s", e.name);
    for (int k = 1; k < COLUMNS; k++)
      snprintf(text[count][k], sizeof text[count][k], "%.5g", value[k - 1]);
    // words take the place of numbers that there are not
    if (e.infinite) snprintf(text[count][1], sizeof text[count][1], "infinite");
    if (e.infinite) snprintf(text[count][2], sizeof text[count][2], "at kinks");
    for (int k = 0; k < COLUMNS; k++) cells[(count + 1) * COLUMNS + k] = text[count][k];
    cells[(count + 1) * COLUMNS + 4] = e.unit;
  }
  free(zero);
  analysis_heading(a);
  print_table(stdout, "lrrrlrr", count + 1, cells);
  putchar('\n');
  print_kinks(&info->kinks);
  if (!info->seen_through)
    printf(
        "The motions are too ragged to be looked through: between rows something may be missed.\n");
  if (info->program)
    // a program is integrated, unlike a motion that geometry fixes
    printf(
        "The motion is not determined by geometry: it was solved with a step of %.3g s. Against\n"
        "twice that step the efforts change by %.2g of the largest.\n",
        info->step, info->error);
}

static void print_json(const analysis *a, const hn_inverse_info *info, const hn_result *r,
                       const char *message) {
  json j = {0};
  effort e;
  int number = 0;
  json_open(&j, NULL, '{');
  json_string(&j, "model", hn_model_name(a->model));
  json_string(&j, "file", a->path);
  json_string(&j, "status", message ? "failed" : "done");
  json_string(&j, "message", message ? message : "");
  json_integer(&j, "dof", hn_system_check(a->system)->dof);
  json_integer(&j, "rows", hn_result_rows(r));
  json_flag(&j, "program", info->program);
  if (info->program) {
    json_number(&j, "step", info->step);
    json_number(&j, "error", info->error);
  }
  json_open(&j, "efforts", '[');
  for (int at = 1; next_effort(r, &at, &e);) {
    complete(info, number++, &e);
    json_open(&j, NULL, '{');
    json_string(&j, "name", e.name);
    json_string(&j, "unit", e.unit);
    json_number(&j, "peak", e.peak);
    json_number(&j, "peak_time", e.peak_time);
    json_number(&j, "rms", e.rms);
    json_number(&j, "peak_power", e.power);
    json_number(&j, "work", e.work);
    json_flag(&j, "infinite", e.infinite);
    json_close(&j);
  }
  json_close(&j);
  json_kinks(&j, &info->kinks);
  json_close(&j);
}

static int work(analysis *a, void *user) {
  // the path came through the table of options
  const char *motion_path = *(const char **)user;
  hn_inverse_info info;
  hn_result *result = NULL, *motion = NULL;
  wait_begin(a->path, a->json);
  hn_status status = hn_inverse(a->sim, &info, &result, motion_path || a->html ? &motion : NULL);
  wait_end();
  // what the model or the call is at fault for
  bool refused =
      status == HN_ERR_MODEL || status == HN_ERR_UNSUPPORTED || status == HN_ERR_ARGUMENT;
  int code = refused ? CODE_USAGE : status ? CODE_FAILED : CODE_DONE;
  if (a->json)
    // JSON also tells of failures; a table of half a motion would mislead
    print_json(a, &info, result, status ? hn_sim_error(a->sim) : NULL);
  else if (!status)
    print_efforts(a, &info, result);
  if (status) fprintf(stderr, "FAILED: %s\n", hn_sim_error(a->sim));
  // what was found up to a failure is kept
  if (hn_result_rows(result) > 0) {
    int saved = analysis_save(a, result, a->out, status ? "what was computed is kept" : "result");
    if (!saved && motion && motion_path) saved = analysis_save(a, motion, motion_path, "motion");
    const hn_report_run run = {.label = "inverse dynamics", .result = motion ? motion : result};
    if (!saved) saved = analysis_page(a, &run, 1, false);
    if (saved) code = saved;
  }
  hn_result_destroy(motion);
  hn_result_destroy(result);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  const char *motion = NULL;
  return analysis_run(self, argc, argv, &(analysis_job){options, own, work, &motion});
}

const command command_inverse = {
    .name = "inverse",
    .help = "forces and torques that drivers need for their motion",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
