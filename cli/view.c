// view.c: holon view. A report page of a result file, or of a model that is run for it.
//
// Without --html the page goes into a temporary folder; its address is printed, and where there is
// a desktop it is opened.
#include "sheet.h"
#include "terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: holon view RESULT...|MODEL [OPTIONS]\n\n"
    "Writes a report page: the mechanism moving in 3-D, charts of everything recorded, the "
    "summary.\n"
    "A model is run first; result files (.csv, .h5) are shown as they are, several of them laid "
    "over\n"
    "each other on one timeline.\n\n"
    "  --html FILE        where the page goes; without it, to a temporary file that is opened in\n"
    "                     the browser when there is a desktop\n"
    "  --live             the page computes: sliders for parameters and inputs, the model's text,\n"
    "                     a new run at every change; works from disk, without network\n"
    "  --model MODEL      the model a result file belongs to, for the shapes of bodies and joints\n"
    "  --set NAME=VALUE   change a parameter of the model (repeatable)\n"
    "  --no-open          print the address only\n"
    "  -h, --help         this text\n\n"
    "The page is one file, needs no network, and opens from disk in any browser.\n\n"
    "Exit codes: 0 done, 1 the run failed or a file could not be written, 2 wrong usage or model,\n"
    "3 the run finished but its audit failed.\n\n"
    "  holon view four_bar.yaml\n"
    "  holon view --live four_bar.yaml --html four_bar.html\n"
    "  holon view four_bar.csv --model four_bar.yaml --html four_bar.html\n"
    "  holon view light.csv heavy.csv --model four_bar.yaml\n";

enum { PATH_SIZE = 1024 };

typedef struct arguments {
  const char *operand, *html, *model;
  char *const *results;  // further result files
  int more;
  bool stay;  // do not open it
  bool live;
  int set_count;
  setting *set;
} arguments;

// what is shown, and what it was made of; sim only where a model was run
typedef struct view {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_result *result;
  variant *others;  // laid over it
  hn_summary summary;
  char message[512];
  hn_status status;  // of the run
} view;

// ---- arguments -----------------------------------------------------------------------------

enum { OPTION_HTML = 256, OPTION_MODEL, OPTION_SET, OPTION_STAY, OPTION_LIVE };
static const struct option options[] = {
    {"html", required_argument, NULL, OPTION_HTML},
    {"model", required_argument, NULL, OPTION_MODEL},
    {"set", required_argument, NULL, OPTION_SET},
    {"no-open", no_argument, NULL, OPTION_STAY},
    {"live", no_argument, NULL, OPTION_LIVE},
    {"help", no_argument, NULL, 'h'},
    {0},
};

// the ending decides: a model has another one
static bool is_result(const char *path) {
  return text_ends(path, ".csv") || text_ends(path, ".h5") || text_ends(path, ".hdf5");
}

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case OPTION_HTML: a->html = optarg; break;
    case OPTION_MODEL: a->model = optarg; break;
    case OPTION_STAY: a->stay = true; break;
    case OPTION_LIVE: a->live = true; break;
    case OPTION_SET:
      if (!split_setting(self, "set", optarg, &a->set[a->set_count++])) return CODE_USAGE;
      break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  // what is read must not be written over by the page
  if (a->model) note_input(a->model);
  bool several = argc - optind > 1;
  for (int i = optind; several && i < argc; i++) {
    if (!is_result(argv[i]))
      return usage_error(self, "several files must be results (.csv, .h5), and '%s' is none",
                         argv[i]);
    note_input(argv[i]);
  }
  // several results have a first one, like a single one
  a->operand = several ? argv[optind] : single_operand(self, argc, argv, "result or model file");
  a->results = &argv[optind + (several ? 1 : 0)];
  a->more = several ? argc - optind - 1 : 0;
  if (!a->operand || !check_html(self, a->html)) return CODE_USAGE;
  if (a->model && !is_result(a->operand))
    return usage_error(self, "--model goes with a result file, and '%s' is none", a->operand);
  if (a->live && is_result(a->operand))
    return usage_error(self, "--live goes with a model, and '%s' is a result", a->operand);
  // a result cannot be computed anew: nothing says by what
  if (!check_live(self, a->live, a->operand)) return CODE_USAGE;
  if (a->set_count && is_result(a->operand) && !a->model)
    return usage_error(self, "--set changes a model; add --model");
  return -1;
}

// ---- what is shown -------------------------------------------------------------------------

// also for results, where the model gives shapes and joints
static bool read_model(const arguments *a, const char *path, view *v) {
  v->model = hn_model_create();
  if (!v->model) {
    fputs("holon: out of memory\n", stderr);
    return false;
  }
  // the page carries the text of the model
  if (a->live) hn_model_keep_text(v->model);
  hn_status status = load_model(v->model, path, a->set, a->set_count);
  hn_report_prepare(v->model);
  if (!status) status = compile_model(&v->system, v->model, path, false);
  if (status) fprintf(stderr, "%s\n", hn_model_error(v->model));
  return !status;
}

static int read_result(const arguments *a, view *v) {
  if (hn_result_read(&v->result, a->operand, v->message, sizeof v->message)) {
    fprintf(stderr, "holon: %s\n", v->message);
    return CODE_USAGE;
  }
  say_incomplete(a->operand, v->result);
  if (a->more) {
    v->others = calloc((size_t)a->more, sizeof *v->others);
    if (!v->others) {
      fputs("holon: out of memory\n", stderr);
      return CODE_FAILED;
    }
    int code = read_variants(v->others, a->more, a->results);
    if (code != CODE_DONE) {
      hn_result_destroy(v->result);
      v->result = NULL;
      return code;
    }
  }
  return !a->model || read_model(a, a->model, v) ? CODE_DONE : CODE_USAGE;
}

static int run_model(const arguments *a, view *v) {
  if (!read_model(a, a->operand, v)) return CODE_USAGE;
  if (hn_sim_create(&v->sim, v->system, hn_model_options(v->model), v->message,
                    sizeof v->message)) {
    fprintf(stderr, "%s: %s\n", a->operand, v->message);
    return CODE_USAGE;
  }
  // the run is that of the file: nothing is set here but parameters
  progress_bar bar;
  bar_begin(&bar, a->operand, false);
  v->status = hn_run(v->sim, &v->result, bar_step, &bar);
  bar_end(&bar);
  hn_sim_summary(v->sim, &v->summary);
  if (v->status) {
    snprintf(v->message, sizeof v->message, "%s", hn_sim_error(v->sim));
    fprintf(stderr, "FAILED: %s\n", v->message);
    return CODE_FAILED;
  }
  if (v->summary.audit_pass) return CODE_DONE;
  // the page is written all the same: it is where one looks
  fputs("AUDIT FAILED: the page says where\n", stderr);
  return CODE_AUDIT;
}

// ---- where it goes -------------------------------------------------------------------------

// TMPDIR/holon-XXXXXX/NAME.html
static bool temporary_path(const char *operand, char path[PATH_SIZE]) {
  const char *folder = getenv("TMPDIR"), *slash = strrchr(operand, '/');
  const char *name = slash ? slash + 1 : operand;
  // standard input has no name
  if (strcmp(name, "-") == 0) name = "report";
  int stem = (int)strcspn(name, "."), size = PATH_SIZE;
  int n = snprintf(path, PATH_SIZE, "%s/holon-XXXXXX", folder && *folder ? folder : "/tmp");
  // the folder is the user's own, with a name that nobody can guess
  if (n < size - 1 && mkdtemp(path)) {
    int m = snprintf(path + n, (size_t)(size - n), "/%.*s.html", stem, name);
    if (m < size - n) return true;
    errno = ENAMETOOLONG;
  }
  fprintf(stderr, "holon: no temporary folder: %s (use --html FILE)\n", strerror(errno));
  return false;
}

// UTF-8 goes byte by byte, as addresses have it
static void print_encoded(const char *text) {
  for (; *text; text++) {
    bool plain = strchr("/-_.~", *text) || (*text >= '0' && *text <= '9') ||
                 (*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'z');
    printf(plain ? "%c" : "%%%02X", (unsigned char)*text);
  }
}

static void print_address(const char *path) {
  char folder[PATH_SIZE];
  fputs("file://", stdout);
  // browsers want whole paths
  if (*path != '/' && getcwd(folder, sizeof folder)) {
    print_encoded(folder);
    putchar('/');
  }
  print_encoded(path);
  putchar('\n');
}

static void open_page(const char *path) {
  const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  // without a desktop there is nothing to open it
  if (!(x11 && *x11) && !(wayland && *wayland)) return;
  fflush(stdout);
  // the browser stays open: nobody waits for it
  if (fork() != 0) return;
  // without xdg-open the address is all there is
  if (freopen("/dev/null", "w", stderr)) execlp("xdg-open", "xdg-open", path, (char *)NULL);
  _exit(127);
}

static int show(const arguments *a, view *v) {
  char path[PATH_SIZE], message[512];
  // a page that nobody asked for goes where temporary files go
  if (!a->html && !temporary_path(a->operand, path)) return CODE_FAILED;
  if (a->html && strlen(a->html) >= sizeof path) return CODE_FAILED;
  if (a->html) strcpy(path, a->html);
  hn_report_run *run = calloc((size_t)a->more + 1, sizeof *run);
  if (!run) {
    fputs("holon: out of memory\n", stderr);
    return CODE_FAILED;
  }
  // labels tell runs apart: one alone has none
  variant first = {.path = a->operand};
  if (a->more) name_variant(&first);
  run[0] = (hn_report_run){.result = v->result, .summary = v->sim ? &v->summary : NULL};
  if (a->more) run[0].label = first.label;
  if (v->status) run[0].message = v->message;
  for (int i = 0; i < a->more; i++)
    run[i + 1] = (hn_report_run){.result = v->others[i].result, .label = v->others[i].label};
  hn_report report = {.model = v->model,
                      .system = v->system,
                      .run = run,
                      .run_count = a->more + 1,
                      .live = a->live};
  hn_status status = hn_report_write(&report, path, message, sizeof message);
  free(run);
  if (status) {
    fprintf(stderr, "holon: %s\n", message);
    return CODE_FAILED;
  }
  print_address(path);
  if (!a->html && !a->stay) open_page(path);
  return CODE_DONE;
}

static int execute(const arguments *a) {
  view v = {0};
  int code = is_result(a->operand) ? read_result(a, &v) : run_model(a, &v);
  if (v.result && hn_result_rows(v.result) > 0) {
    // a failed run has its page too; its code stays
    int shown = show(a, &v);
    if (code == CODE_DONE) code = shown;
  }
  hn_result_destroy(v.result);
  if (v.others) free_variants(v.others, a->more);
  free(v.others);
  hn_sim_destroy(v.sim);
  hn_system_destroy(v.system);
  hn_model_destroy(v.model);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  arguments a = {0};
  a.set = calloc((size_t)argc, sizeof *a.set);
  if (!a.set) {
    fputs("holon: out of memory\n", stderr);
    return CODE_FAILED;
  }
  int code = parse(self, argc, argv, &a);
  if (code < 0) code = execute(&a);
  free(a.set);
  return code;
}

const command command_view = {
    .name = "view",
    .help = "look at a result or model: a page with the motion in 3-D and charts",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model or result",
};
