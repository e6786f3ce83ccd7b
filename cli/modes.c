// modes.c: holon modes. Natural frequencies, damping and mode shapes.
#include "analysis.h"
#include "terminal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon modes MODEL [OPTIONS]\n\n"
    "Linearises a model on its constraints (- reads standard input) and lists the modes: "
    "frequency,\n"
    "damping, eigenvalue, and what moves most.\n\n"
    "  --at WHERE        equilibrium (the default), initial, or a time [s] to which it is run\n"
    "  --frozen          take a state that is no steady motion as it is in that instant\n"
    "  -o, --out FILE    write the mode shapes: FILE.csv, .h5 or .npz, a row for every mode\n"
    "  --html FILE       a page in which modes are picked and seen moving\n"
    "  --animate FILE    write one mode as a result that can be played and plotted\n"
    "  --mode N          which one; the first when not given\n"
    "  --bode FILE       write the frequency responses from all inputs to all signals: FILE.svg "
    "draws\n"
    "                    them, FILE.csv, .h5 or .npz has the numbers\n"
    "  --from F, --to F  between these frequencies [Hz]; 0.01 and 100 when not given\n"
    "  --matrices FILE   write the state space [A B; Y D]: FILE.csv, .h5 or .npz;\n"
    "                    FILE.m: A, B, C and D as text for MATLAB and Octave\n"
    "  --amplitude A     its largest coordinate [m, rad]; a tenth of the model when not given\n"
    "  --set NAME=VALUE  change a parameter of the model (repeatable)\n"
    "  --json            print one JSON object\n"
    "  -h, --help        this text\n\n"
    "A mode moves as exp(re t) cos(im t); damping is -re / |s|. Shapes give the motion of every\n"
    "body and joint coordinate, the largest 1. A state in motion must be one of a steady motion "
    "(a\n"
    "rotating guide, a top, a wheel that rolls); its modes are seen from axes that move along. "
    "Other\n"
    "states are refused: eigenvalues of a frozen instant do not say how motions grow.\n\n"
    "Exit codes: 0 done, 1 no equilibrium was found or the run to a time failed, 2 wrong usage or\n"
    "model, or a state that is neither an equilibrium nor a steady motion.\n\n"
    "  holon modes four_bar.yaml\n"
    "  holon modes robot.yaml --at initial --out shapes.csv --animate mode2.csv --mode 2\n";

typedef struct arguments {
  const char *at, *animate, *bode, *matrices;  // paths; `at` as it was typed
  double time, amplitude, from, to;            // [s], [m or rad] with 0: chosen, [Hz], [Hz]
  int mode;                                    // from 1
  bool frozen;  // a state that is no steady motion is taken all the same
} arguments;

enum {
  // numbers of our own begin where those of all analyses end
  OPTION_AT = ANALYSIS_OWN,
  OPTION_ANIMATE,
  OPTION_MODE,
  OPTION_AMPLITUDE,
  OPTION_FROZEN,
  OPTION_BODE,
  OPTION_FROM,
  OPTION_TO,
  OPTION_MATRICES
};
static const struct option options[] = {
    {"at", required_argument, NULL, OPTION_AT},
    {"frozen", no_argument, NULL, OPTION_FROZEN},
    {"animate", required_argument, NULL, OPTION_ANIMATE},
    {"mode", required_argument, NULL, OPTION_MODE},
    {"amplitude", required_argument, NULL, OPTION_AMPLITUDE},
    {"bode", required_argument, NULL, OPTION_BODE},
    {"from", required_argument, NULL, OPTION_FROM},
    {"to", required_argument, NULL, OPTION_TO},
    {"matrices", required_argument, NULL, OPTION_MATRICES},
    ANALYSIS_OPTIONS,
};

// an exit code, or -1 to go on
static int own(const command *self, void *user, int c) {
  arguments *o = user;
  double x;
  switch (c) {
  case OPTION_AT:
    o->at = optarg;
    // words first: a time is anything else that is a number
    if (strcmp(optarg, "equilibrium") == 0 || strcmp(optarg, "initial") == 0) return -1;
    if (analysis_number(optarg, &o->time) && o->time >= 0) return -1;
    return usage_error(self, "--at needs 'equilibrium', 'initial' or a time, not '%s'", optarg);
  case OPTION_FROZEN: o->frozen = true; return -1;
  case OPTION_ANIMATE:
    o->animate = optarg;
    return check_result_path(self, optarg) ? -1 : CODE_USAGE;
  case OPTION_BODE:
    o->bode = optarg;
    return text_ends(optarg, ".svg") || check_result_path(self, optarg) ? -1 : CODE_USAGE;
  case OPTION_MATRICES:
    o->matrices = optarg;
    return text_ends(optarg, ".m") || check_result_path(self, optarg) ? -1 : CODE_USAGE;
  case OPTION_FROM:
  case OPTION_TO:
    // logarithmic axes have no zero
    if (analysis_number(optarg, &x) && x > 0) {
      *(c == OPTION_FROM ? &o->from : &o->to) = x;
      return -1;
    }
    return usage_error(self, "--%s needs a positive frequency, not '%s'",
                       c == OPTION_FROM ? "from" : "to", optarg);
  case OPTION_MODE:
    if (!analysis_number(optarg, &x) || x < 1 || x > 1e6 || x != floor(x))
      return usage_error(self, "--mode needs a number from 1, not '%s'", optarg);
    o->mode = (int)x;
    return -1;
  default:
    if (!analysis_number(optarg, &o->amplitude) || !(o->amplitude > 0))
      return usage_error(self, "--amplitude needs a positive number, not '%s'", optarg);
    return -1;
  }
}

// the state to linearise at; false: hn_sim_error() explains
static bool go_there(analysis *a, const arguments *o) {
  if (strcmp(o->at, "equilibrium") == 0) return !hn_statics(a->sim, HN_REST, NULL, NULL);
  // 'initial' is where the sim stands; a time is run to, with all events on the way
  return strcmp(o->at, "initial") == 0 || !hn_advance(a->sim, o->time);
}

// the quantity with the largest entry in a row of the table of shapes; joints before bodies when
// they are the same
static const char *largest(const hn_result *shapes, int row) {
  const char *name = "";
  double most = 0;
  int real = 0;
  const double *x = hn_result_row(shapes, row);
  // columns come as real parts, then imaginary ones of the same names with _im behind
  while (real < hn_result_columns(shapes) && !text_ends(hn_result_name(shapes, real), "_im"))
    real++;
  // six columns in front describe the mode itself
  for (int i = 6; i < real; i++) {
    int imaginary = hn_result_columns(shapes) > real ? i - 6 + real : i;
    double size = imaginary == i ? fabs(x[i]) : hypot(x[i], x[imaginary]);
    // joints stand behind bodies: of equal ones the later
    if (size >= most * (1 - 1e-9)) most = size, name = hn_result_name(shapes, i);
  }
  return name;
}

static void print_table_of(const hn_modes *modes, const hn_result *shapes) {
  // a table of thousands helps nobody
  enum { MOST = 40, COLUMNS = 6 };
  const char *cells[(MOST + 1) * COLUMNS] = {"mode",     "frequency [Hz]", "damping",
                                             "re [1/s]", "im [1/s]",       "largest motion"};
  char text[MOST][COLUMNS][CELL];
  int shown = modes->count < MOST ? modes->count : MOST;
  for (int i = 0; i < shown; i++) {
    const hn_mode *mode = &modes->mode[i];
    const double value[] = {mode->frequency, mode->damping, mode->re, mode->im};
    snprintf(text[i][0], CELL, "%d", i + 1);
    for (int k = 0; k < 4; k++) snprintf(text[i][k + 1], CELL, "%.6g", value[k]);
    for (int k = 0; k < 5; k++) cells[(i + 1) * COLUMNS + k] = text[i][k];
    cells[(i + 1) * COLUMNS + 5] = largest(shapes, i);
  }
  if (shown)
    print_table(stdout, "rrrrrl", shown + 1, cells);
  else
    printf("  Nothing is free to move.\n");
  if (shown < modes->count) printf("  (%d more; --out writes all)\n", modes->count - shown);
  putchar('\n');
}

// the other sides of a kink
static void print_sides(const analysis *a, const hn_linear *linear) {
  enum { SHOWN = 4 };  // side 0 is that of the tables above
  printf(
      "KINK: a force switches exactly here, %d sides meet. The modes above hold on one of them,\n"
      "as long as the motion stays there.\n\n",
      linear->sides);
  for (int side = 1; side < linear->sides && side < SHOWN; side++) {
    hn_linear *other = NULL;
    hn_modes *modes = NULL;
    hn_result *shapes = NULL;
    // a side that cannot be linearised leaves the others
    printf("Side %d of %d:\n\n", side + 1, linear->sides);
    if (hn_linearise_side(a->sim, side, &other) || hn_modes_create(&modes, other) ||
        hn_modes_table(a->sim, modes, &shapes))
      printf("  %s\n\n", hn_sim_error(a->sim));
    else
      print_table_of(modes, shapes);
    if (other && !other->equilibrium) printf("  The force jumps: this side is not in balance.\n\n");
    hn_result_destroy(shapes);
    hn_modes_destroy(modes);
    hn_linear_destroy(other);
  }
  if (linear->sides > SHOWN) printf("(%d more sides)\n\n", linear->sides - SHOWN);
}

static void print_modes(const analysis *a, const arguments *o, const hn_linear *linear,
                        const hn_modes *modes, const hn_result *shapes) {
  analysis_heading(a);
  print_table_of(modes, shapes);
  // modes on one side are not those on the other
  if (linear->sides > 1) print_sides(a, linear);
  if (linear->equilibrium) {
    printf("Linearised at an equilibrium%s.\n", linear->conservative ? "; nothing is damped" : "");
    // a driver stands still in these modes
    if (linear->rest) print_held_driver(a, "DRIVEN: ");
  } else if (linear->steady) {
    printf("Linearised about a steady motion (steady to %.1g), as seen from axes that move along:\n"
           "%s.\n",
           linear->unsteady, linear->seen_from);
  } else if (linear->sides > 1) {
    printf("Linearised where forces switch.\n");
  } else {
    printf("Frozen: the state (--at %s) is %s. These are the eigenvalues of\n"
           "one instant; they do not say how motions grow or decay.\n",
           o->at, linear->rest ? "at rest but not in balance, or singular" : "in motion");
  }
}

static void print_json(const analysis *a, const arguments *o, const hn_linear *linear,
                       const hn_modes *modes, const hn_result *shapes) {
  json j = {0};
  analysis_json(a, &j);
  json_string(&j, "at", o->at);
  json_flag(&j, "equilibrium", linear->equilibrium);
  json_flag(&j, "rest", linear->rest);
  if (linear->equilibrium && linear->rest) json_held_driver(a, &j);
  json_integer(&j, "sides", linear->sides > 1 ? linear->sides : 1);
  json_flag(&j, "steady", linear->steady);
  json_flag(&j, "frozen", !linear->equilibrium && !linear->steady);
  if (linear->steady) {
    // relative change of what should be steady
    json_number(&j, "unsteady", linear->unsteady);
    json_string(&j, "seen_from", linear->seen_from);
  }
  json_integer(&j, "modes", modes->count);
  json_open(&j, "mode_list", '[');
  // all of them, whatever a table shows
  for (int i = 0; i < modes->count; i++) {
    const hn_mode *mode = &modes->mode[i];
    json_open(&j, NULL, '{');
    json_number(&j, "frequency", mode->frequency);
    json_number(&j, "natural", mode->natural);
    json_number(&j, "damping", mode->damping);
    json_number(&j, "re", mode->re);
    json_number(&j, "im", mode->im);
    json_string(&j, "largest", largest(shapes, i));
    json_close(&j);
  }
  json_close(&j);
  json_close(&j);
}

static int animate(analysis *a, const arguments *o, const hn_modes *modes) {
  hn_result *motion = NULL;
  if (!o->animate) return CODE_DONE;
  int code;
  if (hn_modes_animate(a->sim, modes, o->mode - 1, o->amplitude, &motion)) {
    fprintf(stderr, "holon: %s\n", hn_sim_error(a->sim));
    code = CODE_FAILED;
  } else {
    // the animation is a result like that of a run
    code = analysis_save(a, motion, o->animate, "animation");
  }
  hn_result_destroy(motion);
  return code;
}

// one page in which a mode is picked and seen
static int page_of_modes(analysis *a, const arguments *o, const hn_modes *modes) {
  // each mode is a run in the page: 24 are as many as a list can hold
  enum { MOST = 24 };
  hn_report_run run[MOST];
  char label[MOST][64];
  int count = 0, code = CODE_DONE;
  if (!a->html) return code;
  for (int i = 0; i < modes->count && i < MOST; i++) {
    hn_result *motion = NULL;
    // a mode that cannot be shown leaves the others
    if (hn_modes_animate(a->sim, modes, i, o->amplitude, &motion)) {
      hn_result_destroy(motion);
      continue;
    }
    snprintf(label[count], sizeof label[count], "mode %d: %.4g Hz, damping %.3g", i + 1,
             modes->mode[i].frequency, modes->mode[i].damping);
    run[count] = (hn_report_run){.label = label[count], .result = motion};
    count++;
  }
  if (!count) {
    fprintf(stderr, "holon: no mode can be shown: %s\n", hn_sim_error(a->sim));
    return CODE_FAILED;
  }
  code = analysis_page(a, run, count, true);
  // the page points to results as constants
  for (int i = 0; i < count; i++) hn_result_destroy((hn_result *)(uintptr_t)run[i].result);
  return code;
}

// gains in one panel, phases in another: their units differ
static int draw_responses(analysis *a, const hn_result *response, const char *path) {
  static const char *const all[] = {"*.gain", "*.phase"};
  const hn_plot plot = {.x = "frequency", .y = all, .y_count = 2, .log_x = true};
  char message[512];
  if (!hn_plot_write(response, &plot, path, message, sizeof message)) return CODE_DONE;
  (void)a;
  fprintf(stderr, "holon: %s\n", message);
  return CODE_FAILED;
}

static int bode(analysis *a, const arguments *o, const hn_linear *linear) {
  // points over the range, evenly on its logarithm
  enum { POINTS = 400 };
  hn_result *response = NULL;
  int code = CODE_DONE;
  if (!o->bode) return code;
  // a range that is none, or a model without inputs
  if (hn_frequency_response(a->sim, linear, o->from, o->to, POINTS, &response)) {
    fprintf(stderr, "holon: %s\n", hn_sim_error(a->sim));
    code = CODE_USAGE;
  } else if (text_ends(o->bode, ".svg")) {
    code = draw_responses(a, response, o->bode);
  } else {
    code = analysis_save(a, response, o->bode, "responses");
  }
  hn_result_destroy(response);
  return code;
}

// a block of the table as a matrix; 17 digits, so that numbers come back as they were
static void write_block(FILE *out, const char *name, const hn_result *table, int row0, int rows,
                        int column0, int columns) {
  // MATLAB has no literal for an empty matrix of given size
  if (!rows || !columns) {
    fprintf(out, "%s = zeros(%d, %d);\n", name, rows, columns);
    return;
  }
  fprintf(out, "%s = [\n", name);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++)
      // rows end with a newline, which both programs read as the end of a row
      fprintf(out, "%s%.17g%s", k ? " " : "  ", hn_result_row(table, row0 + i)[column0 + k],
              k + 1 < columns ? "" : "\n");
  fputs("];\n", out);
}

static void write_names(FILE *out, const char *name, const hn_result *table, int first, int count) {
  fprintf(out, "%s = {", name);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s'%s'", i ? ", " : "", hn_result_name(table, first + i));
  fputs("};\n", out);
}

// Statements that MATLAB and Octave run, and others read with a line of code. Names of states and
// inputs are those of the table's columns; its rows have none, so that outputs are asked for.
static int write_script(const analysis *a, const hn_result *table, const hn_linear *l,
                        const char *path) {
  // z, u and the model's states: displacements, velocities, states
  int n = l->n + l->m + l->states;
  output o;
  if (!output_open(&o, path)) return CODE_FAILED;
  fprintf(o.stream, "%% dx/dt = A x + B u, y = C x + D u, written by holon %s\n", hn_version());
  // rows of states first, then outputs; columns of states first, then inputs
  write_block(o.stream, "A", table, 0, n, 0, n);
  write_block(o.stream, "B", table, 0, n, n, l->inputs);
  write_block(o.stream, "C", table, n, l->outputs, 0, n);
  write_block(o.stream, "D", table, n, l->outputs, n, l->inputs);
  write_names(o.stream, "states", table, 0, n);
  write_names(o.stream, "inputs", table, n, l->inputs);
  fputs("outputs = {", o.stream);
  for (int i = 0; i < l->outputs; i++)
    fprintf(o.stream, "%s'%s'", i ? ", " : "", hn_signal_name(a->system, i));
  fputs("};\n", o.stream);
  if (!output_close(&o)) return CODE_FAILED;
  // JSON stays alone on stdout
  if (!a->json) printf("matrices: %s\n", path);
  return CODE_DONE;
}

static int matrices(analysis *a, const arguments *o, const hn_linear *linear) {
  hn_result *table = NULL;
  if (!o->matrices) return CODE_DONE;
  int code = CODE_FAILED;
  if (hn_linear_table(a->sim, linear, &table))
    fprintf(stderr, "holon: %s\n", hn_sim_error(a->sim));
  else if (text_ends(o->matrices, ".m"))
    code = write_script(a, table, linear, o->matrices);
  else
    code = analysis_save(a, table, o->matrices, "matrices");
  hn_result_destroy(table);
  return code;
}

static int work(analysis *a, void *user) {
  const arguments *o = user;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  hn_result *shapes = NULL;
  int code = CODE_FAILED;
  hn_status status = HN_OK;
  // finding the state may take longer than the modes
  wait_begin(a->path, a->json);
  bool there = go_there(a, o);
  if (there) status = hn_linearise(a->sim, &linear);
  // as it is, if asked for: eigenvalues of an instant
  if (status == HN_ERR_UNSUPPORTED && o->frozen) status = hn_linearise_frozen(a->sim, &linear);
  bool solved = there && !status && !hn_modes_create(&modes, linear);
  bool told = solved && !hn_modes_table(a->sim, modes, &shapes);
  wait_end();
  if (!there || status) {
    analysis_failed(a, hn_sim_error(a->sim));
    // a state that is neither is a question put wrongly
    if (status == HN_ERR_UNSUPPORTED) code = CODE_USAGE;
  } else if (!solved)
    analysis_failed(a, "the eigenvalues could not be computed");
  else if (!told)
    analysis_failed(a, hn_sim_error(a->sim));
  else {
    if (a->json)
      print_json(a, o, linear, modes, shapes);
    else
      print_modes(a, o, linear, modes, shapes);
    // files in turn; the first that cannot be written ends it
    code = analysis_save(a, shapes, a->out, "shapes");
    if (code == CODE_DONE) code = animate(a, o, modes);
    if (code == CODE_DONE) code = page_of_modes(a, o, modes);
    if (code == CODE_DONE) code = bode(a, o, linear);
    if (code == CODE_DONE) code = matrices(a, o, linear);
  }
  hn_result_destroy(shapes);
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  // a hundredth of a hertz to a hundred covers machines
  arguments o = {.at = "equilibrium", .mode = 1, .from = 0.01, .to = 100};
  return analysis_run(self, argc, argv, &(analysis_job){options, own, work, &o});
}

const command command_modes = {
    .name = "modes",
    .help = "natural frequencies, damping and mode shapes",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
