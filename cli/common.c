// common.c: arguments, models, tables.
#include "common.h"
#include "terminal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- arguments -----------------------------------------------------------------------------

// once memory was short the exit code is that of a failure, whatever else is said
static bool memory_short;

bool ran_out_of_memory(void) {
  return memory_short;
}

int usage_error(const command *self, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  // texts of the library begin with other words, too
  if (strstr(text, "out of memory")) {
    fprintf(stderr, "holon: %s\n", text);
    memory_short = true;
    return CODE_FAILED;
  }
  fprintf(stderr, "%sholon:%s %s", tone_on(stderr, TONE_BAD), tone_off(stderr), text);
  fprintf(stderr, "\nsee 'holon %s%s--help'\n", self ? self->name : "", self ? " " : "");
  return CODE_USAGE;
}

static int smallest(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

// Letters to insert, remove, replace or swap with the next. d[i][k] makes the first k letters of b
// of the first i of a.
static int edit_distance(const char *a, const char *b) {
  enum { LONGEST = 40 };
  int d[LONGEST + 1][LONGEST + 1], n = (int)strlen(a), m = (int)strlen(b);
  // no option is as long
  if (n > LONGEST || m > LONGEST) return n + m;
  for (int i = 0; i <= n; i++) {
    for (int k = 0; k <= m; k++) {
      if (i == 0 || k == 0) {
        d[i][k] = i + k;
        continue;
      }
      int differ = a[i - 1] != b[k - 1];
      d[i][k] = smallest(d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + differ);
      // two letters swapped are one slip
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        d[i][k] = smallest(d[i][k], d[i - 2][k - 2] + 1, d[i][k]);
    }
  }
  return d[n][m];
}

// what other programs call commands and options, and ours
static const char *const also_called[][2] = {{"simulate", "run"},
                                             {"sim", "run"},
                                             {"solve", "run"},
                                             {"exec", "run"},
                                             {"validate", "check"},
                                             {"lint", "check"},
                                             {"animate", "view"},
                                             {"show", "view"},
                                             {"open", "view"},
                                             {"render", "picture"},
                                             {"screenshot", "picture"},
                                             {"draw", "picture"},
                                             {"equilibrium", "statics"},
                                             {"eigen", "modes"},
                                             {"eigenmodes", "modes"},
                                             {"frequencies", "modes"},
                                             {"linearise", "modes"},
                                             {"linearize", "modes"},
                                             {"sweep", "study"},
                                             {"convert", "import"},
                                             {"chart", "plot"},
                                             {"graph", "plot"},
                                             {"create", "new"},
                                             {"init", "new"},
                                             {"examples", "models"},
                                             {"export", "code"},
                                             {"output", "out"},
                                             {"time", "duration"},
                                             {"t-end", "duration"},
                                             {"end", "duration"},
                                             {"dt", "step"},
                                             {"timestep", "step"},
                                             {"param", "set"},
                                             {"parameter", "set"},
                                             {"silent", "quiet"},
                                             {"solver", "method"},
                                             {"threads", "jobs"},
                                             {"page", "html"},
                                             {"report", "html"}};

const char *nearest(const char *word, int count, const char *const *names) {
  const char *best = NULL;
  for (size_t k = 0; k < sizeof also_called / sizeof *also_called; k++)
    for (int i = 0; i < count && strcmp(word, also_called[k][0]) == 0; i++)
      if (strcmp(names[i], also_called[k][1]) == 0) return names[i];
  size_t length = strlen(word);
  // a third of the letters may be wrong
  int most = length < 3 ? 1 : (int)(length + 2) / 3;
  for (int i = 0; i < count; i++) {
    int d = edit_distance(word, names[i]);
    // the beginning of a longer word counts as nearly right
    if (length >= 2 && strncmp(word, names[i], length) == 0) d = 1;
    // a nearer one takes its place: the first of equal ones stays
    if (d <= most) most = d - 1, best = names[i];
  }
  return best;
}

const struct option help_only[] = {{"help", no_argument, NULL, 'h'}, {0}};

enum { MOST_NAMES = 64 };

// getopt's string: a colon behind those with a value
// the short options are those that are letters
static void short_options(char *text, const struct option *options) {
  *text++ = ':';  // a missing value is told from an unknown option
  for (; options->name; options++) {
    if (options->val > 127 || !isalpha(options->val)) continue;
    *text++ = (char)options->val;
    if (options->has_arg) *text++ = ':';
  }
  *text = 0;
}

// names the option table of the library knows are set in another way
static bool is_run_option(const char *name) {
  for (int i = 0; i < hn_option_count(); i++)
    if (strcmp(hn_option_at(i)->name, name) == 0) return true;
  return false;
}

static void unknown_option(const command *self, const char *text, const struct option *options) {
  const char *names[MOST_NAMES] = {NULL};
  char word[48];
  int count = 0, begin = 0;
  bool settable = false;
  // "--step=1": the word without its value
  snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
  for (; options->name && count < MOST_NAMES; options++) {
    names[count++] = options->name;
    // getopt takes abbreviations that are unique
    begin += strncmp(options->name, word, strlen(word)) == 0;
    settable = settable || strcmp(options->name, "option") == 0;
  }
  const char *near = nearest(word, count, names);
  // options of a run are set by name in another option
  if (settable && is_run_option(word))
    usage_error(self, "unknown option '--%s' (set it with --option %s=VALUE)", word, word);
  else if (begin > 1)
    usage_error(self, "'--%s' stands for more than one option", word);
  else if (near)
    usage_error(self, "unknown option '--%s' (did you mean '--%s'?)", word, near);
  else
    usage_error(self, "unknown option '--%s'", word);
}

static const char *option_name(const struct option *options, int val) {
  for (; options->name; options++)
    if (options->val == val) return options->name;
  return "";
}

int next_option(const command *self, int argc, char **argv, const struct option *options) {
  char letters[2 * MOST_NAMES + 2];
  short_options(letters, options);
  // getopt would say it in its own words
  opterr = 0;
  int c = getopt_long(argc, argv, letters, options, NULL);
  if (c == OPTION_HELP) print_usage(stdout, self->usage);
  if (c != '?' && c != ':') return c;
  // getopt stands behind what it could not use
  const char *known = option_name(options, optopt), *text = argv[optind - 1];
  if (c == ':')
    usage_error(self, "option '--%s' needs a value", known);
  else if (optopt && *known)
    usage_error(self, "option '--%s' takes no value", known);
  else if (optopt)
    usage_error(self, "unknown option '-%c'", optopt);
  else
    // argument as it was given, without its dashes
    unknown_option(self, strncmp(text, "--", 2) == 0 ? text + 2 : text, options);
  return OPTION_WRONG;
}

const char *single_operand(const command *self, int argc, char **argv, const char *what) {
  if (argc - optind == 1) {
    // what is read is never written over
    note_input(argv[optind]);
    return argv[optind];
  }
  if (argc == optind)
    usage_error(self, "'%s' needs a %s", self->name, what);
  else
    usage_error(self, "'%s' takes one %s, not also '%s'", self->name, what, argv[optind + 1]);
  return NULL;
}

bool split_setting(const command *self, const char *option, char *text, setting *out) {
  // "=x" and "x=" name nothing
  char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    usage_error(self, "--%s needs NAME=VALUE, not '%s'", option, text);
    return false;
  }
  // in place: argv may be changed
  *equals = 0;
  *out = (setting){text, equals + 1};
  return true;
}

// ---- models and files ----------------------------------------------------------------------

hn_status load_model(hn_model *model, const char *path, const setting *set, int set_count) {
  // overrides come before the file, which is read with them
  for (int i = 0; i < set_count; i++) {
    hn_status status = hn_model_override(model, set[i].name, set[i].value);
    if (status == HN_ERR_MEMORY) memory_short = true;
    if (status) return status;
  }
  note_input(path);
  // "-" is standard input, which has no name
  hn_status status = hn_model_load(model, strcmp(path, "-") == 0 ? "/dev/stdin" : path);
  if (status == HN_ERR_MEMORY) memory_short = true;
  return status;
}

hn_status compile_model(hn_system **system, hn_model *model, const char *path, bool quiet) {
  wait_begin(path, quiet);
  hn_status status = hn_compile(system, model);
  wait_end();
  return status;
}

bool read_whole(const char *path, bytes *out) {
  FILE *file = fopen(path, "rb");
  size_t room = 0;
  *out = (bytes){0};
  if (!file) return false;
  // as long as something comes: pipes have no size
  for (size_t got = 1; got > 0; out->length += got) {
    if (room - out->length < 65536) {
      room = 2 * room + 131072;
      char *grown = realloc(out->data, room);
      if (!grown) break;
      out->data = grown;
    }
    got = fread(out->data + out->length, 1, room - out->length, file);
  }
  bool good = feof(file) && !ferror(file);
  fclose(file);
  // a folder opens, but cannot be read: nothing is left to callers then
  if (!good) free(out->data), *out = (bytes){0};
  return good;
}

static bool is_xml(const bytes *b) {
  size_t i = 0;
  // white space and the byte order mark of UTF-8
  while (i < b->length && strchr(" \t\r\n\xef\xbb\xbf", b->data[i]) && b->data[i]) i++;
  return i < b->length && b->data[i] == '<';
}

// of units, which keep the text; commands that only run a model have load_model()
hn_status read_model_text(const char *path, bytes *out, char *message, size_t size) {
  char *model, *report;
  // "-" is standard input, which has no name
  const char *file = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
  if (!read_whole(file, out)) {
    snprintf(message, size, "%s: cannot be read", path);
    return HN_ERR_FILE;
  }
  if (!is_xml(out)) return HN_OK;
  // robot files become the model file they stand for
  free(out->data);
  *out = (bytes){0};
  hn_status status = hn_import(file, false, &model, &report, message, size);
  if (status) return status;
  *out = (bytes){model, strlen(model)};
  hn_free(report);
  return HN_OK;
}

bool step_option(const char *text, double *step) {
  // by the library's own reader, so that units of time are understood
  hn_options scratch = {0};
  char message[256];
  if (hn_options_set(&scratch, "step", text, message, sizeof message)) return false;
  *step = scratch.step;
  return scratch.step > 0;
}

bool text_ends(const char *text, const char *ending) {
  size_t n = strlen(text), m = strlen(ending);
  if (n < m) return false;
  for (text += n - m; *text; text++, ending++)
    // endings in any case of letters
    if (tolower((unsigned char)*text) != *ending) return false;
  return true;
}

bool check_html(const command *self, const char *path) {
  if (!path) return true;
  if (!text_ends(path, ".html") && !text_ends(path, ".htm")) {
    usage_error(self, "%s: a report page ends in .html", path);
    return false;
  }
  // now, and not when everything has been computed
  const char *reason = not_writable(path);
  if (reason) usage_error(self, "%s: cannot be written: %s", path, reason);
  return !reason;
}

bool check_live(const command *self, bool live, const char *page) {
  if (!live) return true;
  if (!page) usage_error(self, "--live goes with --html: it is the page that computes");
  bool can = hn_report_can_live();
  if (page && !can)
    usage_error(self, "this build has no pages that compute: clang with wasi-libc was missing when "
                      "it was built");
  return page && can;
}

// files that were read: nothing is written over them. Eight are more than most commands read; of
// more the oldest are forgotten
static struct {
  dev_t device;
  ino_t file;
} inputs[8];
static int input_count;

void note_input(const char *path) {
  struct stat info;
  int most = (int)(sizeof inputs / sizeof *inputs);
  // pipes and devices may be written to while they are read
  if (stat(strcmp(path, "-") == 0 ? "/dev/stdin" : path, &info) || !S_ISREG(info.st_mode)) return;
  inputs[input_count % most].device = info.st_dev;
  inputs[input_count++ % most].file = info.st_ino;
}

const char *not_writable(const char *path) {
  struct stat info;
  int most = (int)(sizeof inputs / sizeof *inputs);
  // links and other spellings of a path are the same file
  for (int i = 0; i < most && i < input_count && stat(path, &info) == 0; i++)
    if (inputs[i].device == info.st_dev && inputs[i].file == info.st_ino)
      return "it is the file that is read";
  return hn_file_refusal(path);
}

bool output_open(output *o, const char *path) {
  const char *reason = not_writable(path);
  *o = (output){.path = path};
  // in memory first: nothing is written unless all of it can be
  if (!reason && !(o->stream = open_memstream(&o->text, &o->length))) reason = "out of memory";
  if (reason) fprintf(stderr, "holon: %s: cannot be written: %s\n", path, reason);
  return !reason;
}

bool output_close(output *o) {
  char message[512] = "out of memory";
  // the stream is closed in any case, and tells what it could not keep
  bool bad = ferror(o->stream) || o->cut;
  bad = fclose(o->stream) != 0 || bad || !o->text;
  bad = bad || hn_file_write(o->path, o->text, o->length, message, sizeof message);
  if (bad) fprintf(stderr, "holon: %s\n", message);
  free(o->text);
  return !bad;
}

void say_incomplete(const char *path, const hn_result *result) {
  static const char word[] = "incomplete: ";
  const char *note;
  for (int i = 0; (note = hn_result_note(result, i)); i++)
    if (strncmp(note, word, strlen(word)) == 0)
      fprintf(stderr, "holon: %s is incomplete: %s\n", path, note + strlen(word));
}

// an existing folder is as good as a new one
bool make_folder(const command *self, const char *folder) {
  struct stat info;
  if (!folder) return true;
  bool good = (!mkdir(folder, 0777) || errno == EEXIST) && !stat(folder, &info);
  if (good && !S_ISDIR(info.st_mode)) good = false, errno = ENOTDIR;
  if (good) good = !access(folder, W_OK | X_OK);
  if (!good) usage_error(self, "%s: cannot be written: %s", folder, strerror(errno));
  return good;
}

// of this thread alone: other work on the machine does not count
double thread_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool check_result_path(const command *self, const char *path) {
  if (!path) return true;
  bool csv = text_ends(path, ".csv"), hdf5 = text_ends(path, ".h5") || text_ends(path, ".hdf5");
  if (!csv && !hdf5 && !text_ends(path, ".npz")) {
    usage_error(self, "%s: a result file ends in .csv, .h5 or .npz", path);
    return false;
  }
  // /dev/null is no folder: nothing can be there
  // reading tells whether the format is known at all, even where there is nothing to read
  hn_result *none = NULL;
  if (hdf5 && hn_result_read(&none, "/dev/null/none.h5", NULL, 0) == HN_ERR_UNSUPPORTED) {
    usage_error(self, "%s: holon was built without HDF5; use a .csv file", path);
    return false;
  }
  const char *reason = not_writable(path);
  if (reason) usage_error(self, "%s: cannot be written: %s", path, reason);
  return !reason;
}

// ---- text ----------------------------------------------------------------------------------

enum { COLUMNS = 16 };  // most of a table

static int filled(int columns, int rows, const char *const *cells, int column) {
  int count = 0;
  for (int r = 1; r < rows; r++) count += *cells[r * columns + column] != 0;
  return count;
}

// The column that goes below its row where a table is too wide by `excess`: one of words ('l';
// numbers are worth nothing without their column), but not the first, which names the row. Of those
// that are wide enough the one with fewest words takes fewest lines, else the widest; -1: none
static int column_below(const char *align, const int *width, int rows, const char *const *cells,
                        int excess) {
  int columns = (int)strlen(align), best = -1, fewest = rows;
  for (int k = 1; k < columns; k++)
    if (align[k] == 'l' && width[k] >= excess && filled(columns, rows, cells, k) < fewest)
      best = k, fewest = filled(columns, rows, cells, k);
  for (int k = 1; k < columns && fewest == rows; k++)
    if (align[k] == 'l' && (best < 0 || width[k] > width[best])) best = k;
  return best;
}

static int table_width(int columns, const int *width, int gap) {
  int sum = 2 - gap;
  for (int k = 0; k < columns; k++) sum += width[k] ? width[k] + gap : 0;
  return sum;
}

void print_table(FILE *out, const char *align, int rows, const char *const *cells) {
  int columns = (int)strlen(align), width[COLUMNS] = {0}, gap = 2, below = -1;
  for (int i = 0; i < rows * columns; i++) {
    // bytes, not letters: names are ASCII
    int n = (int)strlen(cells[i]);
    if (n > width[i % columns]) width[i % columns] = n;
  }
  // in a narrow terminal the columns move together, and if need be one of them lies below
  if (table_width(columns, width, gap) > terminal_width(out)) gap = 1;
  int excess = table_width(columns, width, gap) - terminal_width(out);
  if (excess > 0) below = column_below(align, width, rows, cells, excess);
  for (int r = 0; r < rows; r++) {
    int pending = 2;  // blanks are held back, so that no line ends with one
    for (int k = 0; k < columns; k++) {
      const char *cell = cells[r * columns + k];
      int n = (int)strlen(cell), pad = width[k] - n;
      if (width[k] == 0 || k == below) continue;
      if (align[k] == 'r') pending += pad;
      int verdict = verdict_tone(cell);
      if (n)
        fprintf(out, "%*s%s%s%s", pending, "", verdict < 0 ? "" : tone_on(out, (tone)verdict), cell,
                verdict < 0 ? "" : tone_off(out));
      if (n) pending = 0;
      // cells of words are filled up behind, numbers in front
      pending += align[k] == 'r' ? gap : pad + gap;
    }
    if (below >= 0 && r && *cells[r * columns + below])
      fprintf(out, "\n    %s %s", cells[below], cells[r * columns + below]);
    fputc('\n', out);
  }
}

void print_wrapped(FILE *out, int indent, const char *text) {
  int column = indent;
  while (*text) {
    text += strspn(text, " ");
    int n = (int)strcspn(text, " ");
    if (n == 0) break;
    // a word longer than the line stands alone on it
    if (column > indent && column + 1 + n > SCREEN) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    }
    column += fprintf(out, "%s%.*s", column > indent ? " " : "", n, text);
    text += n;
  }
  fputc('\n', out);
}

const char *number_text(char out[CELL], double x) {
  // 15 digits read best, 17 always suffice
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, CELL, "%.*g", digits, x);
    if (strtod(out, NULL) == x) break;
  }
  return out;
}

const char *short_text(char out[CELL], double x) {
  snprintf(out, CELL, "%.3g", x);
  return out;
}

const char *plural(int count) {
  return count == 1 ? "" : "s";
}

void print_names(FILE *out, int count, const char *const *name, int indent) {
  enum { SHOWN = 12 };
  // 12 of 80 letters and their commas fit
  char text[SHOWN * 96] = "";
  size_t used = 0;
  int shown = count < SHOWN ? count : SHOWN;
  for (int i = 0; i < shown; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.80s", i ? ", " : "", name[i]);
  if (count > shown) snprintf(text + used, sizeof text - used, " and %d more", count - shown);
  print_wrapped(out, indent, text);
}

void print_redundant(FILE *out, const hn_check *check, int indent) {
  print_names(out, check->redundant_count, check->redundant, indent);
}
