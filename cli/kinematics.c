// kinematics.c: holon kinematics. The motion of a mechanism whose drivers leave nothing free.
#include "analysis.h"
#include "terminal.h"

#include <math.h>

static const char usage[] =
    "usage: holon kinematics MODEL [OPTIONS]\n\n"
    "Moves a model (- reads standard input) all of whose degrees of freedom are driven: "
    "positions,\n"
    "velocities, accelerations from geometry alone, and the reactions that belong to them. There "
    "is\n"
    "no error of integration, and no step to choose.\n\n"
    "  -o, --out FILE     write the result: FILE.csv, .h5 or .npz, the columns of a run and\n"
    "                     accelerations\n"
    "  --duration T       time to move through [s]\n"
    "  --output-step S    interval between recorded rows [s]\n"
    "  --html FILE        a page that shows it\n"
    "  --set NAME=VALUE   change a parameter of the model (repeatable)\n"
    "  --json             print one JSON object\n"
    "  -h, --help         this text\n\n"
    "What is not driven is named. Singular positions that were passed are listed with time and\n"
    "joint; in a dead position, which the drivers cannot leave, the result ends.\n\n"
    "Exit codes: 0 done, 1 a dead position was met (the result up to there is kept), 2 wrong "
    "usage,\n"
    "or a model that cannot be moved so.\n\n"
    "  holon kinematics slider_crank.yaml --out motion.csv\n"
    "  holon kinematics robot.yaml --duration 2 --output-step 1e-3 --json\n";

// nothing of its own: there is no step and no method to choose
static const struct option options[] = {ANALYSIS_TIME, ANALYSIS_OPTIONS};

// only the first singular positions are kept by the library; all are counted
static int shown_singular(const hn_kinematics_info *info) {
  int most = (int)(sizeof info->singular / sizeof *info->singular);
  return info->singular_count < most ? info->singular_count : most;
}

static void print_motion(const analysis *a, const hn_kinematics_info *info) {
  analysis_heading(a);
  printf("  moved        %d row%s, %ld step%s between them, up to t = %.6g s\n", info->rows,
         plural(info->rows), info->steps, plural((int)info->steps), hn_time(a->sim));
  // the worst of all rows: where iterations end, of the size of rounding
  printf("  violation    %.2g of positions [m, rad], %.2g of velocities [m/s, rad/s]\n",
         info->position, info->velocity);
  // of the rows, drivers among them: zero where these lose their grip
  printf("  conditioning %.2g at worst, t = %.6g s (0 is singular)\n", info->weakest,
         info->weakest_time);
  printf("  reactions    %s\n", info->sharing);
  // what is asked of the drivers: a corner of a formula shows as an enormous acceleration
  if (info->fastest_driver)
    printf("  drivers      accelerate by %.4g [m/s^2, rad/s^2] at most: '%s',\n"
           "               t = %.6g s%s\n",
           fabs(info->fastest), info->fastest_driver, info->fastest_time,
           info->looked ? " (between rows too)" : "");
  // the motion went on along the branch it came on; others close the joints as well
  for (int i = 0; i < shown_singular(info); i++)
    printf("  singular     t = %.6g s, joint '%s': passed on the same branch\n",
           info->singular[i].time, info->singular[i].joint);
  if (info->singular_count > shown_singular(info))
    printf("               and %d more\n", info->singular_count - shown_singular(info));
  putchar('\n');
  // corners of the formulas that motions are given by
  print_kinks(&info->kinks);
  // between rows the formulas are looked at as finely as it takes, up to a limit
  if (!info->seen_through)
    printf(
        "The motions are too ragged to be looked through: between rows something may be missed.\n");
}

static void print_json(const analysis *a, const hn_kinematics_info *info, const char *message) {
  // the same keys whether it went well or not: what was not computed is zero or empty
  json j = {0};
  const hn_check *check = hn_system_check(a->system);
  json_open(&j, NULL, '{');
  json_string(&j, "model", hn_model_name(a->model));
  json_string(&j, "file", a->path);
  json_string(&j, "status", message ? "failed" : "done");
  json_string(&j, "message", message ? message : "");
  json_integer(&j, "dof", check->dof);
  json_integer(&j, "rows", info->rows);
  json_integer(&j, "steps", info->steps);
  json_number(&j, "position", info->position);
  json_number(&j, "velocity", info->velocity);
  json_number(&j, "conditioning", info->weakest);
  json_number(&j, "conditioning_time", info->weakest_time);
  json_string(&j, "sharing", info->sharing);
  json_number(&j, "fastest", info->fastest);
  json_number(&j, "fastest_time", info->fastest_time);
  json_string(&j, "fastest_driver", info->fastest_driver ? info->fastest_driver : "");
  json_integer(&j, "looked_between_rows", info->looked);
  json_kinks(&j, &info->kinks);
  json_integer(&j, "singular", info->singular_count);
  json_open(&j, "singular_positions", '[');
  for (int i = 0; i < shown_singular(info); i++) {
    json_open(&j, NULL, '{');
    json_number(&j, "time", info->singular[i].time);
    json_string(&j, "joint", info->singular[i].joint);
    json_close(&j);
  }
  json_close(&j);
  json_close(&j);
}

static int work(analysis *a, void *user) {
  (void)user;
  hn_kinematics_info info;  // filled in in any case
  hn_result *result = NULL;
  wait_begin(a->path, a->json);
  hn_status status = hn_kinematics(a->sim, &info, &result);
  wait_end();
  // a model that is not for this analysis is a question put wrongly; a dead position is not
  int code = status == HN_ERR_MODEL || status == HN_ERR_UNSUPPORTED ? CODE_USAGE
             : status                                               ? CODE_FAILED
                                                                    : CODE_DONE;
  if (a->json)
    print_json(a, &info, status ? hn_sim_error(a->sim) : NULL);
  else if (!status)
    print_motion(a, &info);
  if (status) fprintf(stderr, "FAILED: %s\n", hn_sim_error(a->sim));
  if (info.rows > 0 && result) {
    // up to a dead position there is a motion, and it is kept
    int saved = analysis_save(a, result, a->out, status ? "what was computed is kept" : "result");
    const hn_report_run run = {.label = "kinematics", .result = result};
    if (!saved) saved = analysis_page(a, &run, 1, false);
    if (saved) code = saved;
  }
  hn_result_destroy(result);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  return analysis_run(self, argc, argv, &(analysis_job){options, NULL, work, NULL});
}

const command command_kinematics = {
    .name = "kinematics",
    .help = "motion of a mechanism whose drivers leave nothing free",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
