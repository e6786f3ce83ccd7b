// snapshot.c: holon picture. A mechanism at one instant, as PNG or SVG.
//
// PNG pictures are taken of the report page by a browser without a window; where there is none, and
// for paths in .svg, the library draws a plain projection.
#include "common.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: holon picture MODEL [OPTIONS]\n\n"
    "Runs a model to an instant and draws it there.\n\n"
    "  --at T              the instant [s] (default: the start)\n"
    "  -o, --out FILE      FILE.png or FILE.svg (default: the model's name with .png)\n"
    "  --size WxH          of a PNG picture, in pixels (default: 1200x800)\n"
    "  --set NAME=VALUE    change a parameter of the model (repeatable)\n"
    "  -h, --help          this text\n\n"
    "PNG pictures are those of the report page, taken by chromium without a window (HN_CHROMIUM\n"
    "names another one). Where there is none, a plain SVG drawing is written in its place.\n\n"
    "Exit codes: 0 done, 1 the run failed or the file could not be written, 2 wrong usage or "
    "model.\n\n"
    "  holon picture four_bar.yaml --at 2.5 --out four_bar.png\n"
    "  holon picture four_bar.yaml --out four_bar.svg\n";

enum { PATH_SIZE = 1024, OPTION_AT = 256, OPTION_SIZE, OPTION_SET };

typedef struct arguments {
  const char *model;
  char out[PATH_SIZE];
  double at;
  int width, height;
  int set_count;
  setting *set;
} arguments;

static const struct option options[] = {
    {"at", required_argument, NULL, OPTION_AT},
    {"out", required_argument, NULL, 'o'},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"set", required_argument, NULL, OPTION_SET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

// ---- arguments -----------------------------------------------------------------------------

// in the folder where the program runs
static void default_path(arguments *a) {
  const char *slash = strrchr(a->model, '/'), *name = slash ? slash + 1 : a->model;
  const char *dot = strrchr(name, '.');
  int stem = dot > name ? (int)(dot - name) : (int)strlen(name);
  // 7 letters of "picture"
  snprintf(a->out, sizeof a->out, "%.*s.png", strcmp(name, "-") ? stem : 7,
           strcmp(name, "-") ? name : "picture");
}

static int parse_one(const command *self, arguments *a, int c) {
  char rest;
  switch (c) {
  case OPTION_AT:
    // %c finds what stands behind the number
    if (sscanf(optarg, "%lf%c", &a->at, &rest) == 1 && isfinite(a->at) && a->at >= 0) return -1;
    return usage_error(self, "--at needs a time that is not negative, not '%s'", optarg);
  case OPTION_SIZE:
    if (sscanf(optarg, "%dx%d%c", &a->width, &a->height, &rest) == 2 && a->width >= 100 &&
        a->width <= 8000 && a->height >= 100 && a->height <= 8000)
      return -1;
    return usage_error(self, "--size needs WIDTHxHEIGHT from 100x100 to 8000x8000, not '%s'",
                       optarg);
  case OPTION_SET:
    return split_setting(self, "set", optarg, &a->set[a->set_count++]) ? -1 : CODE_USAGE;
  case 'o':
    if (strlen(optarg) >= sizeof a->out) return usage_error(self, "--out: the path is too long");
    strcpy(a->out, optarg);
    return -1;
  case OPTION_HELP: return CODE_DONE;
  default: return CODE_USAGE;
  }
}

static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c, code = -1;
  while (code < 0 && (c = next_option(self, argc, argv, options)) != OPTION_END)
    code = parse_one(self, a, c);
  if (code >= 0) return code;
  a->model = single_operand(self, argc, argv, "model file");
  if (!a->model) return CODE_USAGE;
  // after the model is known: its name is that of the picture
  if (!*a->out) default_path(a);
  if (!text_ends(a->out, ".png") && !text_ends(a->out, ".svg"))
    return usage_error(self, "%s: a picture ends in .png or .svg", a->out);
  const char *reason = not_writable(a->out);
  if (reason) return usage_error(self, "%s: cannot be written: %s", a->out, reason);
  return -1;
}

// ---- the browser ---------------------------------------------------------------------------

// a program of that name on the path
static bool on_path(const char *name, char found[PATH_SIZE]) {
  const char *list = getenv("PATH");
  while (list && *list) {
    int n = (int)strcspn(list, ":");
    if (snprintf(found, PATH_SIZE, "%.*s/%s", n, list, name) < PATH_SIZE &&
        access(found, X_OK) == 0)
      return true;
    list += n + (list[n] == ':');
  }
  return false;
}

// given: that one, or none
static bool find_browser(char found[PATH_SIZE]) {
  static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
  const char *given = getenv("HN_CHROMIUM");
  if (given) return snprintf(found, PATH_SIZE, "%s", given) < PATH_SIZE && access(found, X_OK) == 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (on_path(names[i], found)) return true;
  return false;
}

// Waits for a program to end, but not for ever: now and then a browser comes to a halt while it
// starts
static bool wait_for(pid_t child) {
  static const struct timespec pause = {.tv_nsec = 20000000};
  const char *given = getenv("HN_CHROMIUM_SECONDS");
  double limit = given ? atof(given) : 30;  // it takes five
  int state = 0;
  for (int i = 0; i < 50 * limit; i++) {
    pid_t ended = waitpid(child, &state, WNOHANG);
    if (ended) return ended == child && state == 0;
    nanosleep(&pause, NULL);
  }
  // what hangs may not listen to anything else
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return false;
}

// waits for a picture of a page; the browser says nothing, whatever it thinks
static bool take(const char *browser, const arguments *a, const char *page, const char *png) {
  char address[2 * PATH_SIZE], shot[PATH_SIZE + 32], size[64], profile[PATH_SIZE + 32];
  // the page stands still, shows nothing but the mechanism, and that at this instant
  snprintf(address, sizeof address, "file://%s#still&picture&t=%.17g", page, a->at);
  snprintf(shot, sizeof shot, "--screenshot=%s", png);
  snprintf(size, sizeof size, "--window-size=%d,%d", a->width, a->height);
  // a profile of its own: another browser may be running
  snprintf(profile, sizeof profile, "--user-data-dir=%.*s", (int)(strrchr(page, '/') - page), page);
  pid_t child = fork();
  if (child == 0) {
    // it would talk about fonts and GPUs
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(127);
    execl(browser, browser, "--headless", "--no-sandbox", "--use-angle=swiftshader",
          "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--hide-scrollbars",
          "--no-first-run", "--disable-background-networking", "--disable-component-update",
          "--disable-sync", "--disable-extensions", "--virtual-time-budget=4000", profile, size,
          shot, address, (char *)NULL);
    _exit(127);
  }
  // the exit code alone says too little: is there a picture?
  return child > 0 && wait_for(child) && access(png, R_OK) == 0;
}

// bytes of one file into another, which is written whole or not at all
static bool copy(const char *from, const char *to) {
  FILE *in = fopen(from, "rb");
  output o;
  char block[8192];
  size_t n;
  if (!in) return false;
  bool good = output_open(&o, to);
  if (good) {
    while ((n = fread(block, 1, sizeof block, in)) > 0) fwrite(block, 1, n, o.stream);
    good = output_close(&o);
  }
  fclose(in);
  return good;
}

static void remove_folder(const char *folder) {
  pid_t child = fork();
  // rm knows how to go through folders; names are our own
  if (child == 0) {
    execlp("rm", "rm", "-rf", folder, (char *)NULL);
    _exit(127);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

static bool photograph(const arguments *a, const hn_report *report, const char *browser) {
  const char *base = getenv("TMPDIR");
  char folder[PATH_SIZE], page[PATH_SIZE + 16], png[PATH_SIZE + 16], message[512];
  snprintf(folder, sizeof folder, "%s/holon-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) return false;
  snprintf(page, sizeof page, "%s/page.html", folder);
  snprintf(png, sizeof png, "%s/page.png", folder);
  bool good = !hn_report_write(report, page, message, sizeof message);
  // a second time where the first one came to nothing
  good = good && (take(browser, a, page, png) || take(browser, a, page, png)) && copy(png, a->out);
  remove_folder(folder);
  return good;
}

// ---- the model -----------------------------------------------------------------------------

static int draw(arguments *a, const hn_report *report) {
  char browser[PATH_SIZE], message[512];
  bool png = text_ends(a->out, ".png");
  if (png && find_browser(browser) && photograph(a, report, browser)) {
    printf("picture: %s\n", a->out);
    return CODE_DONE;
  }
  if (png) {
    // the ending takes as many letters as the other
    strcpy(a->out + strlen(a->out) - 4, ".svg");
    fprintf(stderr, "holon: no chromium could take the picture; a plain drawing takes its place\n");
  }
  if (hn_report_write(report, a->out, message, sizeof message)) {
    fprintf(stderr, "holon: %s\n", message);
    return CODE_FAILED;
  }
  printf("picture: %s\n", a->out);
  return CODE_DONE;
}

static int run_model(arguments *a, hn_model *model, hn_system **system, hn_sim **sim,
                     hn_result **result) {
  char message[512], text[CELL];
  hn_status status = load_model(model, a->model, a->set, a->set_count);
  hn_report_prepare(model);
  // a run of no length is that of the start
  if (!status && a->at > 0)
    status = hn_options_set(hn_model_options(model), "duration", number_text(text, a->at), message,
                            sizeof message);
  if (!status) status = compile_model(system, model, a->model, false);
  if (status) {
    fprintf(stderr, "%s\n", hn_model_error(model));
    return CODE_USAGE;
  }
  if (hn_sim_create(sim, *system, hn_model_options(model), message, sizeof message)) {
    fprintf(stderr, "%s: %s\n", a->model, message);
    return CODE_USAGE;
  }
  progress_bar bar;
  bar_begin(&bar, a->model, false);
  hn_status ran = hn_run(*sim, result, bar_step, &bar);
  bar_end(&bar);
  if (!ran) return CODE_DONE;
  fprintf(stderr, "FAILED: %s\n", hn_sim_error(*sim));
  return CODE_FAILED;
}

static int execute(arguments *a) {
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  // what went wrong has been told by run_model
  int code = model ? run_model(a, model, &system, &sim, &result) : CODE_FAILED;
  if (code == CODE_DONE) {
    const hn_report_run run = {.result = result};
    const hn_report report = {
        .model = model, .system = system, .run = &run, .run_count = 1, .at = a->at};
    code = draw(a, &report);
  }
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  arguments a = {.width = 1200, .height = 800};
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

const command command_picture = {
    .name = "picture",
    .help = "draw a model at an instant: PNG or SVG",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
