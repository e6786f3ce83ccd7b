// plot.c: holon plot. Draws columns of a result as SVG, or lists them.
#include "sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon plot RESULT... [OPTIONS]\n\n"
    "Draws columns of result files (.csv or .h5) over time as an SVG picture. Several files are\n"
    "laid over each other.\n\n"
    "  --y NAME[,NAME...]  columns to draw; * and ? match any text. Each --y is a panel\n"
    "  --x NAME            column along the horizontal axis (default: time)\n"
    "  --degrees           angles in degrees, speeds in turns per minute\n"
    "  --difference        with several results: also each of them less the first\n"
    "  --free-scale        x and y of one unit need not have the same scale\n"
    "  --log, --log-y      logarithmic vertical axes\n"
    "  --log-x             logarithmic horizontal axis\n"
    "  --title TEXT        title of the picture\n"
    "  --label TEXT        title of the vertical axes (default: what the names share)\n"
    "  --width N           width in pixels (default: 800)\n"
    "  --height N          height in pixels (default: by the number of panels)\n"
    "  --size WxH          both, such as 900x600\n"
    "  -o, --out FILE.svg  where to write it (default: RESULT with the ending .svg)\n"
    "  --list              print the columns with units and ranges; draw nothing\n"
    "  -h, --help          this text\n\n"
    "Columns of different units get panels of their own in any case. Without --y what tells most "
    "is\n"
    "drawn: coordinates that move, speeds of shafts, efforts, the largest forces, energies. "
    "Numbers\n"
    "that are round-off of larger ones of their unit are drawn as zero.\n\n"
    "Exit codes: 0 done, 1 a file cannot be written, 2 wrong usage or result file.\n\n"
    "  holon plot four_bar.csv --list\n"
    "  holon plot four_bar.csv --y crank.angle,coupler.angle --out angles.svg\n"
    "  holon plot four_bar.csv --x coupler.x --y coupler.y\n"
    "  holon plot light.csv heavy.csv --y crank.angle --difference\n"
    "  holon plot four_bar.csv --y 'energy.*' --y crank.angle --y 'crank.v?' --height 700\n"
    "  holon plot four_bar.csv --y 'residual.*' --log\n";

typedef struct arguments {
  char *const *results;  // paths
  int count;
  char *out;  // owned
  bool list, degrees, difference;
  hn_plot plot;
  const char **y;  // the array of plot.y
  int *panel;      // that of plot.panel
  int panels;
} arguments;

// ---- list ----------------------------------------------------------------------------------

static void range(const hn_result *result, int column, double *low, double *high) {
  // stays NaN where there is no number at all
  *low = *high = NAN;
  for (int i = 0; i < hn_result_rows(result); i++) {
    double x = hn_result_row(result, i)[column];
    *low = fmin(*low, x);  // these pass over NaN
    *high = fmax(*high, x);
  }
}

static int list_columns(const arguments *a, const hn_result *result) {
  enum { COLUMNS = 4 };
  int n = hn_result_columns(result);
  const char **cells = calloc((size_t)(n + 1) * COLUMNS, sizeof *cells);
  char(*text)[2][CELL] = calloc((size_t)n, sizeof *text);
  if (!cells || !text) {
    free(cells);
    // whatever is there of the two
    free(text);
    fputs("holon: out of memory\n", stderr);
    return CODE_FAILED;
  }
  cells[0] = "column", cells[1] = "unit", cells[2] = "smallest", cells[3] = "largest";
  for (int i = 0; i < n; i++) {
    // heading first
    const char **row = &cells[(i + 1) * COLUMNS];
    double low, high;
    range(result, i, &low, &high);
    snprintf(text[i][0], CELL, "%.6g", low);
    snprintf(text[i][1], CELL, "%.6g", high);
    row[0] = hn_result_name(result, i), row[1] = hn_result_unit(result, i);
    row[2] = text[i][0], row[3] = text[i][1];
  }
  printf("%s: %d rows of %d columns\n\n", a->results[0], hn_result_rows(result), n);
  print_table(stdout, "llrr", n + 1, cells);
  free(cells);
  free(text);
  return CODE_DONE;
}

// ---- draw ----------------------------------------------------------------------------------

// what a first look wants to see, as the library knows it
// charts of the library are panels here
static void choose_columns(arguments *a, const hn_result *result) {
  hn_curves chart[HN_CHARTS];
  int count = hn_result_choose(result, chart);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < chart[i].count; k++) {
      a->panel[a->plot.y_count] = i;
      a->y[a->plot.y_count++] = hn_result_name(result, chart[i].column[k]);
    }
  // a result in which nothing moves still has columns
  for (int i = 1; !count && i < hn_result_columns(result) && i <= HN_CHART_CURVES; i++)
    a->y[a->plot.y_count++] = hn_result_name(result, i);
}

static hn_status write_plot(const arguments *a, const variant *v, char *message, size_t size) {
  // what cannot be drawn of the first is refused with its own names
  // patterns that match nothing are told by the library, which knows the names
  hn_status status = hn_plot_write(v[0].result, &a->plot, a->out, message, size);
  // one result in its own units needs no table of its own
  if (status || (a->count == 1 && !a->degrees)) return status;
  sheet s;
  if (!make_sheet(&s, &a->plot, v, a->count, a->degrees, a->difference)) {
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  hn_plot plot = a->plot;
  // a column along x is in the table as its first
  plot.x = plot.x ? hn_result_name(s.result, 0) : NULL;
  plot.y = s.y;
  plot.y_count = s.y_count;
  plot.panel = s.panel;
  status = hn_plot_write(s.result, &plot, a->out, message, size);
  free_sheet(&s);
  return status;
}

static int draw(arguments *a, const variant *v) {
  const char *reason = not_writable(a->out);
  if (reason) {
    fprintf(stderr, "holon: %s: cannot be written: %s\n", a->out, reason);
    return CODE_FAILED;
  }
  if (a->plot.y_count == 0) choose_columns(a, v[0].result);
  char message[512];
  hn_status status = write_plot(a, v, message, sizeof message);
  if (!status) {
    printf("plot: %s\n", a->out);
    return CODE_DONE;
  }
  fprintf(stderr, "holon: %s\n", message);
  // what was wrong with the files is told; with the words, how to see the right ones
  if (status != HN_ERR_ARGUMENT) return CODE_FAILED;
  fprintf(stderr, "see 'holon plot %s --list'\n", a->results[0]);
  return CODE_USAGE;
}

// ---- the command ---------------------------------------------------------------------------

// an exit code, or -1 to go on
static int parse_size(const command *self, const char *text, hn_plot *plot) {
  char rest;
  if (sscanf(text, "%dx%d%c", &plot->width, &plot->height, &rest) == 2 && plot->width >= 100 &&
      plot->width <= 10000 && plot->height >= 100 && plot->height <= 10000)
    return -1;
  return usage_error(self, "--size needs WIDTHxHEIGHT from 100x100 to 10000x10000, not '%s'", text);
}

static int parse_pixels(const command *self, const char *option, const char *text, int *pixels) {
  char rest;
  if (sscanf(text, "%d%c", pixels, &rest) == 1 && *pixels >= 100 && *pixels <= 10000) return -1;
  return usage_error(self, "--%s needs pixels from 100 to 10000, not '%s'", option, text);
}

// splits the list in place
static void add_columns(arguments *a, char *list) {
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
    // equal numbers share a panel
    a->panel[a->plot.y_count] = a->panels;
    a->y[a->plot.y_count++] = name;
  }
  a->panels++;
}

// the ending replaced by .svg
static char *default_path(const char *result) {
  const char *dot = strrchr(result, '.'), *slash = strrchr(result, '/');
  const char *name = slash ? slash + 1 : result;
  // a dot in front is no ending
  size_t stem = dot && dot > name ? (size_t)(dot - result) : strlen(result);
  char *path = malloc(stem + sizeof ".svg");
  if (!path) return NULL;
  memcpy(path, result, stem);
  memcpy(path + stem, ".svg", sizeof ".svg");
  return path;
}

enum {
  OPTION_LOG_X = 256,
  OPTION_LOG_Y,
  OPTION_TITLE,
  OPTION_LABEL,
  OPTION_SIZE,
  OPTION_WIDTH,
  OPTION_HEIGHT,
  OPTION_LIST,
  OPTION_DEGREES,
  OPTION_DIFFERENCE,
  OPTION_FREE,
  OPTION_X,
  OPTION_Y
};
static const struct option options[] = {
    {"y", required_argument, NULL, OPTION_Y},
    {"x", required_argument, NULL, OPTION_X},
    {"log", no_argument, NULL, OPTION_LOG_Y},
    {"log-x", no_argument, NULL, OPTION_LOG_X},
    {"log-y", no_argument, NULL, OPTION_LOG_Y},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"label", required_argument, NULL, OPTION_LABEL},
    {"width", required_argument, NULL, OPTION_WIDTH},
    {"height", required_argument, NULL, OPTION_HEIGHT},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"out", required_argument, NULL, 'o'},
    {"list", no_argument, NULL, OPTION_LIST},
    {"degrees", no_argument, NULL, OPTION_DEGREES},
    {"difference", no_argument, NULL, OPTION_DIFFERENCE},
    {"free-scale", no_argument, NULL, OPTION_FREE},
    {"help", no_argument, NULL, 'h'},
    {0},
};

// a model in place of a result, a column behind it: an exit code, or -1 to go on
static int check_operand(const command *self, const char *name, bool first) {
  static const char ends[] = "a result file ends in .csv, .h5 or .npz";
  if (text_ends(name, ".yaml") || text_ends(name, ".yml") || text_ends(name, ".urdf"))
    return usage_error(self, "%s: %s ('holon run %s --out FILE.csv' makes one)", name, ends, name);
  bool result = text_ends(name, ".csv") || text_ends(name, ".h5") || text_ends(name, ".hdf5") ||
                text_ends(name, ".npz");
  if (first || result) return -1;
  return usage_error(self, "%s: %s (a column is drawn by '--y %s')", name, ends, name);
}

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  const char *out = NULL;
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case OPTION_Y: add_columns(a, optarg); break;
    case OPTION_X: a->plot.x = optarg; break;
    case OPTION_LOG_X: a->plot.log_x = true; break;
    case OPTION_LOG_Y: a->plot.log_y = true; break;
    case OPTION_TITLE: a->plot.title = optarg; break;
    case OPTION_LABEL: a->plot.label = optarg; break;
    case OPTION_LIST: a->list = true; break;
    case OPTION_DEGREES: a->degrees = true; break;
    case OPTION_DIFFERENCE: a->difference = true; break;
    case OPTION_FREE: a->plot.free_scale = true; break;
    case OPTION_SIZE:
      if (parse_size(self, optarg, &a->plot) >= 0) return CODE_USAGE;
      break;
    case OPTION_WIDTH:
      if (parse_pixels(self, "width", optarg, &a->plot.width) >= 0) return CODE_USAGE;
      break;
    case OPTION_HEIGHT:
      if (parse_pixels(self, "height", optarg, &a->plot.height) >= 0) return CODE_USAGE;
      break;
    case 'o': out = optarg; break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  a->results = &argv[optind];
  a->count = argc - optind;
  // single_operand says what is missing
  if (a->count < 1) return single_operand(self, argc, argv, "result file") ? -1 : CODE_USAGE;
  for (int i = 0; i < a->count; i++) {
    if (check_operand(self, a->results[i], i == 0) >= 0) return CODE_USAGE;
    note_input(a->results[i]);
  }
  if (a->difference && a->count < 2)
    return usage_error(self, "--difference needs two results at least");
  if (a->list && a->count > 1) return usage_error(self, "--list shows one result");
  if (out && !text_ends(out, ".svg")) return usage_error(self, "%s: a plot ends in .svg", out);
  // owned: freed by run
  a->out = out ? strdup(out) : default_path(a->results[0]);
  return a->out ? -1 : CODE_FAILED;
}

static int plot(arguments *a) {
  variant *v = calloc((size_t)a->count, sizeof *v);
  if (!v) {
    fputs("holon: out of memory\n", stderr);
    return CODE_FAILED;
  }
  int code = read_variants(v, a->count, a->results);
  if (code == CODE_DONE) code = a->list ? list_columns(a, v[0].result) : draw(a, v);
  free_variants(v, a->count);
  free(v);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  // no more names than characters, and a few for the default choice
  size_t most = HN_CHARTS * HN_CHART_CURVES;
  for (int i = 0; i < argc; i++) most += strlen(argv[i]);
  arguments a = {.y = calloc(most, sizeof *a.y), .panel = calloc(most, sizeof *a.panel)};
  a.plot.y = a.y;
  a.plot.panel = a.panel;
  int code = CODE_FAILED;
  if (a.y && a.panel) code = parse(self, argc, argv, &a);
  if (code < 0) code = plot(&a);
  free(a.out);
  free(a.y);
  free(a.panel);
  return code;
}

const command command_plot = {
    .name = "plot",
    .help = "draw columns of a result as SVG, or list them",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "result",
};
