// statics.c: holon statics. Where a mechanism comes to rest, and whether it stays there.
#include "analysis.h"
#include "run.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon statics MODEL [OPTIONS]\n\n"
    "Finds a state of rest in which all forces balance (- reads standard input), says whether it\n"
    "is stable, and lists positions, reactions and forces there. Drivers stand still.\n\n"
    "  -o, --out FILE    write that state: FILE.csv, .h5 or .npz, one row with every column\n"
    "  --until T         follow the equilibria from t = 0 to T: the load is what formulas of t "
    "say;\n"
    "                    limit points and buckling loads on the way are told, every point is a "
    "row\n"
    "  --branch SIDE     with --until: go on along the first branch that crosses, + or -\n"
    "  --nearest         the nearest equilibrium of any kind; without it, the one where friction\n"
    "                    would bring the mechanism to rest\n"
    "  --html FILE       a page that shows it\n"
    "  --set NAME=VALUE  change a parameter of the model (repeatable)\n"
    "  --json            print one JSON object\n"
    "  -h, --help        this text\n\n"
    "Stability is that of the stiffness in the directions the joints leave free: stable when all\n"
    "are held, indifferent when some are not, unstable when some are pushed away. Reactions that\n"
    "redundant joints share are split by the stiffness of the joints, equally when they have "
    "none.\n\n"
    "Exit codes: 0 found, 1 there is none or it was not found, 2 wrong usage or model, 3 beams "
    "have\n"
    "too few elements (beam_check).\n\n"
    "  holon statics four_bar.yaml\n"
    "  holon statics pendulum.yaml --nearest --out upright.csv\n"
    "  holon statics frame.yaml --until 1.5 --branch + --out buckled.csv\n";

enum { OPTION_NEAREST = ANALYSIS_OWN, OPTION_UNTIL, OPTION_BRANCH };
static const struct option options[] = {{"nearest", no_argument, NULL, OPTION_NEAREST},
                                        {"until", required_argument, NULL, OPTION_UNTIL},
                                        {"branch", required_argument, NULL, OPTION_BRANCH},
                                        ANALYSIS_OPTIONS};

// goal for a single state; path for --until
typedef struct request {
  hn_statics_goal goal;
  bool along;  // a path
  hn_path_def path;
} request;

// words of the table and of JSON
static const char *const stability[] = {[HN_STABLE] = "stable",
                                        [HN_INDIFFERENT] = "indifferent",
                                        [HN_UNSTABLE] = "unstable",
                                        [HN_UNDECIDED] = "undecided"};

// where the equilibrium is not smooth, or not that of a mechanism
static void print_doubts(const hn_equilibrium *e) {
  if (e->sides > 1)
    printf("  kink         a force switches exactly here, %d sides meet: %s\n", e->sides,
           e->jump           ? "it jumps"
           : e->sides_differ ? "stability differs by side, the worst is given"
                             : "all are alike");
  if (e->rows_lost > 0)
    printf("  singular     %d row%s of the joints dependent only in this place: some free\n"
           "               directions are none nearby, and stability cannot be told from here\n",
           e->rows_lost, e->rows_lost == 1 ? " is" : "s are");
  // below zero: nothing is free that could be followed
  if (e->rows_lost < 0)
    printf("  singular     the joints cannot be closed along the free directions of this place:\n"
           "               stability cannot be told from here\n");
}

// one sentence for what decides: the first that applies
static void print_stability(const hn_equilibrium *e) {
  printf("  stability    %s", stability[e->stability]);
  if (e->stability == HN_UNDECIDED) {
    printf(": see below\n");
  } else if (e->dof == 0) {
    // without free directions there is no stiffness to judge
    printf(": nothing is free to move\n");
  } else if (e->jump) {
    printf(": by a force that jumps\n");
  } else if (e->circulatory) {
    printf(": some forces have no potential; judged by the motion they cause\n");
  } else if (e->unstable) {
    printf(": %d of %d free direction%s pushed away%s", e->unstable, e->dof,
           e->dof == 1 ? " is" : "s are", e->sides_differ ? " to one side" : "");
    // the rate of growth is the root of the negative stiffness to mass
    printf(", at first as exp(%.4g t)\n", sqrt(-e->softest));
  } else if (e->indifferent) {
    printf(": in %d of %d free direction%s nothing holds it\n", e->indifferent, e->dof,
           plural(e->dof));
  } else {
    printf(": all free directions are held, the softest with %.4g Hz\n",
           sqrt(e->softest) / (2 * 3.14159265358979323846));
  }
  print_doubts(e);
}

// asked of the summary, where the check of beams puts it
// of the whole summary one part
static hn_beam_error beams_of(const analysis *a) {
  hn_summary s;
  hn_sim_summary(a->sim, &s);
  return s.beams;
}

static void tell_beams(const analysis *a) {
  hn_beam_error e = beams_of(a);
  print_beams(&e);
}

static void put_beams_of(const analysis *a, json *j) {
  hn_beam_error e = beams_of(a);
  put_beams(j, &e);
}

// fewer elements than the limit asks for: as a run whose audit failed
static int judged(const analysis *a, int code) {
  hn_beam_error e = beams_of(a);
  double limit = hn_model_options(a->model)->audit_beams;
  // positions and forces: nothing has a velocity here
  bool off = e.known && !(fmax(e.relative[0], e.relative[2]) <= limit);
  if (off)
    fprintf(stderr,
            "holon: %s: too few elements in its beams: off by %.2g of the range (audit_beams is "
            "%g; 'elements' of the beams decides)\n",
            a->path, fmax(e.relative[0], e.relative[2]), limit);
  return off && code == CODE_DONE ? CODE_AUDIT : code;
}

static void print_equilibrium(const analysis *a, const hn_equilibrium *e, const hn_result *row) {
  analysis_heading(a);
  printf("  found in     %d iteration%s, residual %.2g\n", e->iterations, plural(e->iterations),
         e->residual);
  printf("  moved        %.4g [m, rad] at most from the described state\n", e->moved);
  print_stability(e);
  printf("  reactions    %s\n", e->sharing);
  tell_beams(a);
  print_held_driver(a, "\nDRIVEN: ");
  putchar('\n');
  analysis_row(row, 0);
  putchar('\n');
}

// numbers of the state itself; the values below are the row that --out writes
static void print_json(const analysis *a, const hn_equilibrium *e, const hn_result *row) {
  json j = {0};
  analysis_json(a, &j);
  json_string(&j, "stability", stability[e->stability]);
  json_integer(&j, "iterations", e->iterations);
  json_number(&j, "residual", e->residual);
  json_number(&j, "moved", e->moved);
  json_integer(&j, "free_directions", e->dof);
  json_integer(&j, "unstable_directions", e->unstable);
  json_integer(&j, "indifferent_directions", e->indifferent);
  json_number(&j, "softest", e->softest);
  json_flag(&j, "circulatory", e->circulatory);
  json_integer(&j, "sides", e->sides);
  json_flag(&j, "sides_differ", e->sides_differ);
  json_flag(&j, "jump", e->jump);
  json_integer(&j, "rows_lost", e->rows_lost);
  json_string(&j, "sharing", e->sharing);
  json_held_driver(a, &j);
  put_beams_of(a, &j);
  json_open(&j, "values", '{');
  for (int i = 0; i < hn_result_columns(row); i++)
    json_number(&j, hn_result_name(row, i), hn_result_row(row, 0)[i]);
  json_close(&j);
  json_close(&j);
}

// ---- along a growing load ------------------------------------------------------------------

// kinds of points: where the load turns round, or where another path crosses
// t is the load here, not a time
static void print_path(const analysis *a, const hn_path *p) {
  analysis_heading(a);
  printf("  followed     to t = %.6g in %d steps, %d repeated shorter\n", p->reached, p->steps,
         p->rejected);
  // in the order in which they were passed
  for (int i = 0; i < p->points; i++)
    printf("  %-12s t = %.8g\n", p->point[i].limit ? "limit point" : "buckling", p->point[i].time);
  if (p->switched)
    printf("  branch       the path goes on along the one that crosses at the first\n");
  if (p->unstable)
    printf("  stability    unstable at the end: %d direction%s pushed away\n", p->unstable,
           p->unstable == 1 ? " is" : "s are");
  else
    printf("  stability    stable at the end\n");
  tell_beams(a);
  putchar('\n');
}

static void print_path_json(const analysis *a, const hn_path *p) {
  json j = {0};
  analysis_json(a, &j);
  json_number(&j, "reached", p->reached);
  json_integer(&j, "steps", p->steps);
  json_integer(&j, "rejected", p->rejected);
  json_integer(&j, "unstable_directions", p->unstable);
  json_flag(&j, "switched", p->switched);
  put_beams_of(a, &j);
  json_open(&j, "points", '[');
  for (int i = 0; i < p->points; i++) {
    json_open(&j, NULL, '{');
    json_string(&j, "kind", p->point[i].limit ? "limit" : "buckling");
    json_number(&j, "time", p->point[i].time);
    json_close(&j);
  }
  json_close(&j);
  json_close(&j);
}

// the rows up to a failure are not written: a path has no end then
static int follow(analysis *a, const request *r) {
  hn_path p;
  hn_result *rows = NULL;
  int code;
  wait_begin(a->path, a->json);
  hn_status status = hn_statics_path(a->sim, &r->path, &p, &rows);
  wait_end();
  if (status) {
    code = analysis_failed(a, hn_sim_error(a->sim));
    if (status == HN_ERR_UNSUPPORTED) code = CODE_USAGE;
  } else {
    if (a->json)
      print_path_json(a, &p);
    else
      print_path(a, &p);
    // the page plays the path as if the load were the time
    const hn_report_run run = {.label = "equilibria", .result = rows};
    code = analysis_save(a, rows, a->out, "result");
    if (code == CODE_DONE) code = analysis_page(a, &run, 1, false);
    code = judged(a, code);
  }
  hn_result_destroy(rows);
  return code;
}

static int own(const command *self, void *user, int c) {
  request *r = user;
  if (c == OPTION_NEAREST) r->goal = HN_NEAREST;
  if (c == OPTION_UNTIL) {
    char *end;
    r->path.until = strtod(optarg, &end);
    // negative: the path may be followed the other way
    if (end == optarg || *end || !isfinite(r->path.until) || r->path.until == 0)
      return usage_error(self, "--until takes a number other than 0");
    r->along = true;
  }
  if (c == OPTION_BRANCH) {
    if (strcmp(optarg, "+") != 0 && strcmp(optarg, "-") != 0)
      return usage_error(self, "--branch takes + or -");
    r->path.branch = *optarg == '+' ? 1 : -1;
  }
  return -1;
}

static int work(analysis *a, void *user) {
  const request *r = user;
  // --until decides which of two analyses it is
  if (r->along) return follow(a, r);
  if (r->path.branch) {
    fprintf(stderr, "holon statics: --branch belongs to --until: without it no path is left\n");
    return CODE_USAGE;
  }
  hn_equilibrium e;
  hn_result *row = NULL;
  int code;
  wait_begin(a->path, a->json);
  hn_status status = hn_statics(a->sim, r->goal, &e, &row);
  wait_end();
  if (status) {
    code = analysis_failed(a, hn_sim_error(a->sim));
    if (status == HN_ERR_UNSUPPORTED) code = CODE_USAGE;
  } else {
    if (a->json)
      print_json(a, &e, row);
    else
      print_equilibrium(a, &e, row);
    // one row: a page that stands still
    const hn_report_run run = {.label = "equilibrium", .result = row};
    code = analysis_save(a, row, a->out, "result");
    if (code == CODE_DONE) code = analysis_page(a, &run, 1, false);
    code = judged(a, code);
  }
  hn_result_destroy(row);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  request r = {.goal = HN_REST};
  return analysis_run(self, argc, argv, &(analysis_job){options, own, work, &r});
}

const command command_statics = {
    .name = "statics",
    .help = "equilibrium, its stability, and the reactions there",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
