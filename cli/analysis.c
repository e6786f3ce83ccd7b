// analysis.c: arguments, model and answers of the commands that analyse a model.
#include "analysis.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// also numbers that strtod would take half of
bool analysis_number(const char *text, double *x) {
  char *end;
  *x = strtod(text, &end);
  return end != text && !*end && isfinite(*x);
}

// options that all analyses have; each command has its own besides
int analysis_option(const command *self, analysis *a, int c) {
  switch (c) {
  case 'o': a->out = optarg; return -1;
  case ANALYSIS_HTML: a->html = optarg; return -1;
  case ANALYSIS_JSON: a->json = true; return -1;
  case ANALYSIS_DURATION: a->duration = optarg; return -1;
  case ANALYSIS_OUTPUT_STEP: a->output_step = optarg; return -1;
  case ANALYSIS_SET:
    return split_setting(self, "set", optarg, &a->set[a->set_count++]) ? -1 : CODE_USAGE;
  case OPTION_HELP: return CODE_DONE;
  default: return CODE_USAGE;
  }
}

// the text as it was given: units are those of the library's options
static hn_status set_times(const analysis *a, hn_options *options, char *message, size_t size) {
  hn_status status = HN_OK;
  if (a->duration) status = hn_options_set(options, "duration", a->duration, message, size);
  if (a->output_step && !status)
    status = hn_options_set(options, "output_step", a->output_step, message, size);
  return status;
}

int analysis_operand(const command *self, analysis *a, int argc, char **argv) {
  hn_options scratch = hn_options_default();
  char message[256];
  // times are tried on options of nobody, so that a mistake is one of usage
  a->path = single_operand(self, argc, argv, "model file");
  if (!a->path || !check_result_path(self, a->out) || !check_html(self, a->html)) return CODE_USAGE;
  return set_times(a, &scratch, message, sizeof message) ? usage_error(self, "%s", message) : -1;
}

// ---- the model -----------------------------------------------------------------------------

static int refuse(const analysis *a, hn_status status, const char *message) {
  fprintf(stderr, "%s\n", message);
  if (a->json) {
    json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "file", a->path);
    json_string(&j, "status", "refused");
    json_string(&j, "message", message);
    json_close(&j);
  }
  // a model that cannot be analysed is the user's affair, memory is not
  return status == HN_ERR_MEMORY ? CODE_FAILED : CODE_USAGE;
}

// in reference coordinates, by the usual method: an exit code, or -1 to go on
static int open_model(analysis *a) {
  char message[512];
  a->model = hn_model_create();
  if (!a->model) return refuse(a, HN_ERR_MEMORY, "out of memory");
  hn_status status = load_model(a->model, a->path, a->set, a->set_count);
  hn_options *options = hn_model_options(a->model);
  // analyses are of the equations, whatever method or code the model asks for
  static const char *const fixed[][2] = {
      {"coordinates", "reference"}, {"method", "default"}, {"solver", ""},
      {"correction", ""},           {"integrator", ""},    {"code", "library"}};
  for (size_t i = 0; !status && i < sizeof fixed / sizeof *fixed; i++)
    status = hn_options_set(options, fixed[i][0], fixed[i][1], message, sizeof message);
  if (!status) status = set_times(a, options, message, sizeof message);
  // before the system is made: it decides what is recorded
  if (a->html) hn_report_prepare(a->model);
  if (!status) status = compile_model(&a->system, a->model, a->path, a->json);
  if (status) return refuse(a, status, hn_model_error(a->model));
  status = hn_sim_create(&a->sim, a->system, options, message, sizeof message);
  return status ? refuse(a, status, message) : -1;
}

int analysis_run(const command *self, int argc, char **argv, const analysis_job *job) {
  analysis a = {.set = calloc((size_t)argc, sizeof *a.set)};
  int code = -1, c;
  if (!a.set) return fputs("holon: out of memory\n", stderr), CODE_FAILED;
  while (code < 0 && (c = next_option(self, argc, argv, job->options)) != OPTION_END)
    // numbers from ANALYSIS_OWN on belong to the command
    code = c >= ANALYSIS_OWN ? job->own(self, job->user, c) : analysis_option(self, &a, c);
  if (code < 0) code = analysis_operand(self, &a, argc, argv);
  if (code < 0) code = open_model(&a);
  if (code < 0) code = job->work(&a, job->user);
  hn_sim_destroy(a.sim);
  hn_system_destroy(a.system);
  hn_model_destroy(a.model);
  free(a.set);
  return code;
}

// ---- answers -------------------------------------------------------------------------------

// of joints that come and go, those that are there, or are not
// joints that come and go are taken as they are at the state that is analysed
static void print_coming(const analysis *a, bool there, const char *label, const char *meaning) {
  enum { SHOWN = 6 };
  char text[600] = "";
  int count = 0;
  for (int id = 1; id <= hn_system_joint_count(a->system); id++) {
    hn_joint joint = {id};
    if (!hn_joint_comes_and_goes(a->system, joint) || hn_joint_there(a->sim, joint) != there)
      continue;
    size_t used = strlen(text);
    // six names are enough to know which
    if (count++ < SHOWN)
      snprintf(text + used, sizeof text - used, "%s'%.60s'", used ? ", " : "",
               hn_joint_name(a->system, joint));
  }
  if (!count) return;
  size_t used = strlen(text);
  if (count > SHOWN) snprintf(text + used, sizeof text - used, " and %d more", count - SHOWN);
  used = strlen(text);
  snprintf(text + used, sizeof text - used, " (%s)", meaning);
  printf("  %-13s", label);
  print_wrapped(stdout, 15, text);
}

// exit code 1: the question was right, and has no answer here
int analysis_failed(const analysis *a, const char *message) {
  fprintf(stderr, "FAILED: %s\n", message);
  if (a->json) {
    json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "model", hn_model_name(a->model));
    json_string(&j, "file", a->path);
    json_string(&j, "status", "failed");
    json_string(&j, "message", message);
    json_close(&j);
  }
  return CODE_FAILED;
}

int analysis_save(const analysis *a, const hn_result *result, const char *path, const char *what) {
  char message[512];
  if (!path) return CODE_DONE;
  // checked again: what could be written at the start need not be writable now
  const char *reason = not_writable(path);
  if (reason) {
    fprintf(stderr, "holon: %s: cannot be written: %s\n", path, reason);
    return CODE_FAILED;
  }
  if (hn_result_write(result, path, message, sizeof message)) {
    fprintf(stderr, "holon: %s\n", message);
    return CODE_FAILED;
  }
  int rows = hn_result_rows(result);
  // JSON stays alone on stdout
  if (!a->json && what)
    printf("%s: %s, %d row%s of %d columns\n", what, path, rows, plural(rows),
           hn_result_columns(result));
  return CODE_DONE;
}

int analysis_page(const analysis *a, const hn_report_run *run, int count, bool pick) {
  char message[512];
  // a page of no rows would show nothing
  if (!a->html || count < 1 || hn_result_rows(run[0].result) < 1) return CODE_DONE;
  const hn_report report = {
      .model = a->model, .system = a->system, .run = run, .run_count = count, .pick = pick};
  if (hn_report_write(&report, a->html, message, sizeof message)) {
    fprintf(stderr, "holon: %s\n", message);
    return CODE_FAILED;
  }
  if (!a->json) printf("report: %s, opens in any browser\n", a->html);
  return CODE_DONE;
}

void analysis_heading(const analysis *a) {
  const hn_check *check = hn_system_check(a->system);
  printf("%s: %d bod%s, %d joint%s, %d force%s, %d degree%s of freedom\n\n",
         hn_model_name(a->model), check->bodies, check->bodies == 1 ? "y" : "ies", check->joints,
         plural(check->joints), check->forces, plural(check->forces), check->dof,
         plural(check->dof));
  print_coming(a, true, "held", "they come and go; taken as there for good, both ways");
  print_coming(a, false, "left out", "they come and go, and are not there");
}

void print_held_driver(const analysis *a, const char *lead) {
  double rate;
  const char *unit, *name = hn_statics_holds(a->sim, &rate, &unit);
  if (!name) return;
  printf("%s'%s' moves with %.4g %s at t = %.4g and is held still here.\n"
         "Small motions about the driven motion: 'holon modes --at initial'.\n",
         lead, name, rate, unit, hn_time(a->sim));
}

void json_held_driver(const analysis *a, json *j) {
  double rate;
  const char *name = hn_statics_holds(a->sim, &rate, NULL);
  if (!name) return;
  json_string(j, "held_driver", name);
  json_number(j, "held_driver_rate", rate);
}

void analysis_json(const analysis *a, json *j) {
  const hn_check *check = hn_system_check(a->system);
  json_open(j, NULL, '{');
  json_string(j, "model", hn_model_name(a->model));
  json_string(j, "file", a->path);
  json_string(j, "status", "done");
  json_string(j, "message", "");
  json_integer(j, "bodies", check->bodies);
  json_integer(j, "joints", check->joints);
  json_integer(j, "forces", check->forces);
  json_integer(j, "dof", check->dof);
  // two lists, always there, mostly empty
  for (int there = 1; there >= 0; there--) {
    json_open(j, there ? "held" : "left_out", '[');
    for (int id = 1; id <= hn_system_joint_count(a->system); id++)
      if (hn_joint_comes_and_goes(a->system, (hn_joint){id}) &&
          hn_joint_there(a->sim, (hn_joint){id}) == there)
        json_string(j, NULL, hn_joint_name(a->system, (hn_joint){id}));
    json_close(j);
  }
}

// neither about the whole model nor about how well it was computed
static bool is_of_elements(const char *element) {
  return *element && strcmp(element, "energy") != 0 && strcmp(element, "constraints") != 0 &&
         strcmp(element, "residual") != 0;
}

// what says where things are and what acts; not how fast they move
static bool is_still_quantity(const char *quantity) {
  static const char *const moving[] = {"vx", "vy", "vz", "omega", "wx", "wy", "wz", "rate"};
  for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
    if (strcmp(quantity, moving[i]) == 0) return false;
  // local axes say the same as the world's
  return !text_ends(quantity, "_rate") && strncmp(quantity, "local_", 6) != 0;
}

// quantities of an element, each unit behind the last one that has it
typedef struct element_text {
  char name[96], line[2048];
  size_t used;
  const char *unit;  // of the last quantity; NULL: there is none yet
  int shown, hidden;
} element_text;

// cut where the line is full: what is not shown is counted
__attribute__((format(printf, 2, 3))) static void add_text(element_text *t, const char *format,
                                                           ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(t->line + t->used, sizeof t->line - t->used, format, args);
  va_end(args);
  t->used += strlen(t->line + t->used);
}

static void add_unit(element_text *t, const char *end) {
  add_text(t, "%s%s%s", *t->unit ? " " : "", t->unit, end);
}

static void add_quantity(element_text *t, const char *name, double x, const char *unit) {
  // 200 are kept back for the last quantity and its unit
  if (t->used > sizeof t->line - 200) return;
  if (t->unit && strcmp(t->unit, unit) != 0) add_unit(t, ",");
  add_text(t, "%s%s=%.6g", t->unit ? " " : "", name, x);
  t->unit = unit;
}

// the line so far is finished
static void next_element(element_text *t, const char *name, size_t length) {
  // 60 elements are as much as anybody reads
  enum { INDENT = 16, MOST = 60 };
  if (t->unit && t->shown < MOST) {
    add_unit(t, "");
    printf("  %-*s", INDENT - 2, t->name);
    // a long name stands above its numbers
    if (strlen(t->name) > INDENT - 3) printf("\n%*s", INDENT, "");
    print_wrapped(stdout, INDENT, t->line);
    t->shown++;
  } else if (t->unit) {
    t->hidden++;
  }
  snprintf(t->name, sizeof t->name, "%.*s", (int)length, name);
  t->line[0] = 0;
  t->used = 0;
  t->unit = NULL;
}

void analysis_row(const hn_result *result, int row) {
  // columns of an element stand together
  const double *value = hn_result_row(result, row);
  int columns = hn_result_columns(result);
  double *zero = calloc((size_t)columns, sizeof *zero);
  element_text t = {0};
  // round-off is nobody's business here
  if (zero) hn_result_round_off(result, zero);
  for (int i = 1; i < columns; i++) {
    const char *name = hn_result_name(result, i), *dot = strrchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : 0;
    // the name as a whole: 'arm' is not the beginning of 'arm2'
    if (strncmp(name, t.name, n) != 0 || t.name[n]) next_element(&t, name, n);
    if (!dot || !is_of_elements(t.name) || !is_still_quantity(dot + 1)) continue;
    double x = zero && fabs(value[i]) <= zero[i] ? 0 : value[i];
    add_quantity(&t, dot + 1, x, hn_result_unit(result, i));
  }
  // the last one waits for its end
  next_element(&t, "", 0);
  if (t.hidden) printf("  (%d more; --json lists all)\n", t.hidden);
  free(zero);
}

// the struct holds the first ones, and counts all
static int listed(const hn_kinks *kinks) {
  int most = (int)(sizeof kinks->kink / sizeof *kinks->kink);
  return kinks->count < most ? kinks->count : most;
}

void print_kinks(const hn_kinks *kinks) {
  for (int i = 0; i < listed(kinks); i++) {
    const hn_kink *k = &kinks->kink[i];
    if (k->order == 0)
      printf("JUMP: the motion of '%s' jumps by %.6g %s at t = %.9g s.\n", k->driver, k->jump,
             k->angular ? "rad" : "m", k->time);
    else
      printf("KINK: the rate of '%s' jumps by %.6g %s at t = %.9g s: accelerations, efforts and\n"
             "reactions are infinite for that instant and in no row.\n",
             k->driver, k->jump, k->angular ? "rad/s" : "m/s", k->time);
  }
  if (kinks->count > listed(kinks)) printf("(%d more)\n", kinks->count - listed(kinks));
}

void json_kinks(json *j, const hn_kinks *kinks) {
  json_integer(j, "kinks", kinks->count);
  json_open(j, "kink_list", '[');
  for (int i = 0; i < listed(kinks); i++) {
    json_open(j, NULL, '{');
    json_number(j, "time", kinks->kink[i].time);
    json_string(j, "driver", kinks->kink[i].driver);
    json_integer(j, "order", kinks->kink[i].order);
    json_number(j, "jump", kinks->kink[i].jump);
    json_close(j);
  }
  json_close(j);
}
