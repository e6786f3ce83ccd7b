// compare.c: holon compare. Runs one model by many methods and steps, and measures each.
//
// The reference runs first, by `default` at a tight tolerance and with steps no longer than the
// shortest compared; a second run, by another integrator in other coordinates, tells how far it can
// be trusted. The others follow, several at a time. Each has a simulation of its own on the one
// compiled system, so nothing depends on how many run side by side, except the time on the clock.
#include "compare.h"
#include "terminal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: holon compare MODEL [OPTIONS]\n\n"
    "Runs one model by many methods and prints what each costs and how well it does: violation of\n"
    "the constraints, energy, error against a reference run, work and time.\n\n"
    "  --methods A,B,...    methods to compare, see 'holon methods' (default: all)\n"
    "  --steps H1,H2,...    fixed steps [s] (default: the model's, or 1e-3)\n"
    "  --tolerances R,...   relative tolerances of adaptive methods (default: the model's rtol)\n"
    "  --work-precision     error against time: steps 1e-2 to 1e-4, tolerances 1e-4 to 1e-10 "
    "unless\n"
    "                       given; tells the time each method takes for errors of 1e-3 to 1e-9\n"
    "  --duration T         simulated time [s]\n"
    "  --set NAME=VALUE     change a parameter of the model (repeatable)\n"
    "  --option NAME=VALUE  change an option of all runs, see 'holon methods' (repeatable)\n"
    "  -o, --out DIR        write the table and plots into this folder\n"
    "  --html FILE          write a page with all methods laid over each other, in motion and "
    "charts\n"
    "  -j, --jobs N         runs at a time (default: one for each processor)\n"
    "  --limit T            processor time a run may take [s] (default: 20)\n"
    "  --json               print one JSON object in place of the table\n"
    "  -h, --help           this text\n\n"
    "The reference is the method 'default' with rtol 1e-11 and no step longer than the shortest\n"
    "compared; a second run by other means verifies it. Time is that of the processor; 'ratio'\n"
    "divides it by that of 'standard' with the same step. Files: table.csv,\n"
    "position_violation.svg, velocity_violation.svg, energy.svg,\n"
    "time_ratio.svg, work_precision.svg; with --work-precision table.csv, work_precision.md,\n"
    "work_precision.svg.\n\n"
    "Exit codes: 0 done (the reference and one method at least), 1 failed, 2 wrong usage or "
    "model.\n\n"
    "  holon compare four_bar.yaml --out comparison\n"
    "  holon compare four_bar.yaml --methods standard,baumgarte --steps 4e-3,2e-3,1e-3\n";

static const double decade_step[] = {1e-2, 1e-3, 1e-4}, decade_rtol[] = {1e-4, 1e-6, 1e-8, 1e-10};
static const double reference_rtol = 1e-11, second_rtol = 1e-10, fallback_step = 1e-3;
// of the reference: the processor time its second run may take, in times of the first and at least
static const double second_patience = 20, second_least = 5;

typedef struct arguments {
  const char *model, *out, *html;
  bool json, work_precision;
  int jobs;
  double limit;  // [s] of processor time for a run
  bool *chosen;  // one for each preset
  int methods;   // how many presets there are
  int step_count, rtol_count, set_count, option_count;
  double *step, *rtol;
  setting *set, *option;
} arguments;

// ---- arguments -----------------------------------------------------------------------------

// the table of the library is asked, not counted here
static int count_methods(void) {
  int n = 0;
  while (hn_method_at(n)) n++;
  return n;
}

// in place: commas of the list become ends
static bool choose_methods(const command *self, char *list, arguments *a) {
  for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
    int i = 0;
    while (i < a->methods && strcmp(hn_method_at(i)->name, word) != 0) i++;
    if (i < a->methods) {
      a->chosen[i] = true;
      continue;
    }
    enum { MOST = 64 };
    const char *names[MOST];
    int count = 0;
    // names in one array, as nearest() wants them
    for (; count < a->methods && count < MOST; count++) names[count] = hn_method_at(count)->name;
    const char *near = nearest(word, count, names);
    if (near)
      usage_error(self, "no method '%s' (did you mean '%s'?)", word, near);
    else
      usage_error(self, "no method '%s' (see 'holon methods')", word);
    return false;
  }
  return true;
}

static bool choose_steps(const command *self, char *list, arguments *a) {
  for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
    // the text goes through the reader of options: units and formulas are understood
    hn_options scratch = hn_options_default();
    char message[256];
    if (hn_options_set(&scratch, "step", word, message, sizeof message)) {
      usage_error(self, "--steps: %s", message);
      return false;
    }
    if (!(scratch.step > 0)) {
      usage_error(self, "--steps needs positive numbers, not '%s'", word);
      return false;
    }
    a->step[a->step_count++] = scratch.step;
  }
  return true;
}

static bool choose_tolerances(const command *self, char *list, arguments *a) {
  for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
    hn_options scratch = hn_options_default();
    char message[256];
    if (hn_options_set(&scratch, "rtol", word, message, sizeof message)) {
      usage_error(self, "--tolerances: %s", message);
      return false;
    }
    a->rtol[a->rtol_count++] = scratch.rtol;
  }
  return true;
}

static bool choose_jobs(const command *self, const char *text, arguments *a) {
  // %c finds what stands behind the number
  char rest;
  if (sscanf(text, "%d%c", &a->jobs, &rest) == 1 && a->jobs >= 1 && a->jobs <= 1024) return true;
  usage_error(self, "--jobs needs a number from 1 to 1024, not '%s'", text);
  return false;
}

static bool choose_limit(const command *self, const char *text, arguments *a) {
  char rest;
  if (sscanf(text, "%lf%c", &a->limit, &rest) == 1 && a->limit > 0) return true;
  usage_error(self, "--limit needs a number of seconds, not '%s'", text);
  return false;
}

// what the comparison varies by itself cannot be set as well
static bool check_options(const command *self, const arguments *a) {
  // options that the comparison would overwrite
  static const char *const own[] = {"method", "solver", "correction", "integrator", "step"};
  hn_options scratch = hn_options_default();
  char message[256];
  for (int i = 0; i < a->option_count; i++) {
    // others are the same for all methods
    const setting *s = &a->option[i];
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
      if (strcmp(s->name, own[k]) == 0) {
        usage_error(self, "'%s' is what is compared; use --methods and --steps", s->name);
        return false;
      }
    if (hn_options_set(&scratch, s->name, s->value, message, sizeof message)) {
      usage_error(self, "%s", message);
      return false;
    }
  }
  return true;
}

enum {
  OPTION_METHODS = 256,
  OPTION_STEPS,
  OPTION_TOLERANCES,
  OPTION_WORK,
  OPTION_DURATION,
  OPTION_SET,
  OPTION_OPTION,
  OPTION_HTML,
  OPTION_LIMIT,
  OPTION_JSON
};
static const struct option options[] = {
    {"methods", required_argument, NULL, OPTION_METHODS},
    {"steps", required_argument, NULL, OPTION_STEPS},
    {"tolerances", required_argument, NULL, OPTION_TOLERANCES},
    {"work-precision", no_argument, NULL, OPTION_WORK},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"set", required_argument, NULL, OPTION_SET},
    {"option", required_argument, NULL, OPTION_OPTION},
    {"out", required_argument, NULL, 'o'},
    {"html", required_argument, NULL, OPTION_HTML},
    {"jobs", required_argument, NULL, 'j'},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {0},
};

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case OPTION_METHODS:
      if (!choose_methods(self, optarg, a)) return CODE_USAGE;
      break;
    case OPTION_STEPS:
      if (!choose_steps(self, optarg, a)) return CODE_USAGE;
      break;
    case OPTION_TOLERANCES:
      if (!choose_tolerances(self, optarg, a)) return CODE_USAGE;
      break;
    case OPTION_WORK: a->work_precision = true; break;
    // a duration is an option like others
    case OPTION_DURATION: a->option[a->option_count++] = (setting){"duration", optarg}; break;
    case OPTION_SET:
      if (!split_setting(self, "set", optarg, &a->set[a->set_count++])) return CODE_USAGE;
      break;
    case OPTION_OPTION:
      if (!split_setting(self, "option", optarg, &a->option[a->option_count++])) return CODE_USAGE;
      break;
    case 'o': a->out = optarg; break;
    case 'j':
      if (!choose_jobs(self, optarg, a)) return CODE_USAGE;
      break;
    case OPTION_LIMIT:
      if (!choose_limit(self, optarg, a)) return CODE_USAGE;
      break;
    case OPTION_HTML: a->html = optarg; break;
    case OPTION_JSON: a->json = true; break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  a->model = single_operand(self, argc, argv, "model file");
  bool good =
      a->model && check_options(self, a) && make_folder(self, a->out) && check_html(self, a->html);
  return good ? -1 : CODE_USAGE;
}

// ---- measures of one run -------------------------------------------------------------------

typedef enum column_kind { OTHER, LENGTH, ANGLE, QUATERNION } column_kind;

// a quaternion is known by its first component
static column_kind kind_of(const hn_result *r, int column) {
  const char *unit = hn_result_unit(r, column);
  if (strcmp(unit, "m") == 0) return LENGTH;
  if (strcmp(unit, "rad") == 0) return ANGLE;
  bool four = *unit == 0 && text_ends(hn_result_name(r, column), ".q0");
  return four && column + 3 < hn_result_columns(r) ? QUATERNION : OTHER;
}

// what an error is relative to: the largest length of the reference, unless all are round-off (a
// wheel on its axle goes nowhere), and its largest angle when that is more than 1
static void find_scales(const hn_result *reference, double *length, double *angle) {
  // angles below one radian count as one: a joint that hardly turns is no reason for large errors
  *length = 0, *angle = 1;
  for (int i = 1; i < hn_result_columns(reference); i++) {
    column_kind kind = kind_of(reference, i);
    for (int row = 0; row < hn_result_rows(reference); row++) {
      double x = fabs(hn_result_row(reference, row)[i]);
      if (kind == LENGTH) *length = fmax(*length, x);
      if (kind == ANGLE) *angle = fmax(*angle, x);
    }
  }
  if (!(*length > 1e-9)) *length = 1;
}

// full turns are no difference, nor is the sign of a whole quaternion
static double difference(column_kind kind, const double *x, const double *y) {
  static const double turn = 6.283185307179586476925;
  if (kind == LENGTH) return fabs(*x - *y);
  if (kind == ANGLE) return fabs(remainder(*x - *y, turn));
  double dot = 0, most = 0;
  for (int k = 0; k < 4; k++) dot += x[k] * y[k];
  // q and -q are the same orientation
  for (int k = 0; k < 4; k++) most = fmax(most, fabs(x[k] - (dot < 0 ? -y[k] : y[k])));
  return most;
}

// the largest relative difference of positions, at the times both have recorded
static double error_of(const hn_result *result, const hn_result *reference) {
  double length, angle, worst = 0;
  int rows = hn_result_rows(result);
  // a run that failed has fewer rows
  if (rows > hn_result_rows(reference)) rows = hn_result_rows(reference);
  find_scales(reference, &length, &angle);
  // other coordinates may leave some columns out
  bool same = hn_result_columns(result) == hn_result_columns(reference);
  for (int row = 0; row < rows; row++) {
    const double *x = hn_result_row(result, row), *y = hn_result_row(reference, row);
    // rows belong together at equal times only
    if (fabs(x[0] - y[0]) > 1e-9 * fmax(1, fabs(y[0]))) break;
    for (int i = 1; i < hn_result_columns(result); i++) {
      column_kind kind = kind_of(result, i);
      if (kind == OTHER) continue;
      // components of quaternions are of the size of one
      double scale = kind == LENGTH ? length : kind == ANGLE ? angle : 1;
      int of = same ? i : hn_result_find(reference, hn_result_name(result, i));
      if (of < 0) continue;
      double d = difference(kind, x + i, y + of) / scale;
      // a number that is none is worse than any error
      if (isnan(d)) return d;
      worst = fmax(worst, d);
    }
  }
  return worst;
}

static void statistics(const double *x, int n, double *most, double *mean) {
  *most = *mean = 0;
  for (int i = 0; i < n; i++) {
    if (!isnan(*most) && !(x[i] <= *most)) *most = x[i];  // the first NaN stays
    *mean += x[i] / n;
  }
}

// copies the curves, so that the whole result need not be kept
static bool keep_curves(trial *t, const hn_result *result) {
  static const char *const name[CURVES] = {"time", "residual.position_sq", "residual.velocity_sq",
                                           "energy.balance"};
  int rows = hn_result_rows(result);
  double *block = calloc((size_t)rows * CURVES + 1, sizeof *block);
  if (!block) return false;
  for (int k = 0; k < CURVES; k++) {
    int column = hn_result_find(result, name[k]);
    t->curve[k] = block + (size_t)k * (size_t)rows;
    for (int i = 0; i < rows && column >= 0; i++) t->curve[k][i] = hn_result_row(result, i)[column];
  }
  t->rows = rows;
  statistics(t->curve[CURVE_POSITION], rows, &t->position_max, &t->position_mean);
  statistics(t->curve[CURVE_VELOCITY], rows, &t->velocity_max, &t->velocity_mean);
  return true;
}

// the same model in the coordinates that methods need; the first are those of the model
enum { FAMILIES = 3 };
typedef struct families {
  hn_system *system[FAMILIES];
  int count;
} families;

// a sim in the first coordinates that the method copes with; what the first say when none does
static hn_status begin(const families *f, const hn_options *chosen, hn_sim **sim, char *message,
                       size_t size) {
  // others are tried only where these are what stands against it
  hn_status first = hn_sim_create(sim, f->system[0], chosen, message, size);
  char other[256];
  for (int i = 1; i < f->count && first == HN_ERR_UNSUPPORTED && !*sim; i++)
    if (hn_sim_create(sim, f->system[i], chosen, other, sizeof other) == HN_OK) return HN_OK;
  return first;
}

// a run that takes too long is stopped, so that one slow method does not hold up all
// asked between steps: processor time of this thread
static bool within_limit(void *user, double t, double duration) {
  (void)t, (void)duration;
  return thread_time() < *(const double *)user;
}

// runs one trial; the result is returned for the reference, which the others are measured by
static hn_result *attempt(trial *t, const families *f, const hn_options *chosen, double limit) {
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  t->error = t->ratio = NAN;
  // what is compared with the reference needs no companion
  hn_options own = *chosen;
  snprintf(own.verify, sizeof own.verify, "off");
  t->status = begin(f, &own, &sim, t->message, sizeof t->message);
  t->refused = t->status != HN_OK;
  if (t->refused) return NULL;
  // of the thread: other trials run beside it
  double began = thread_time(), end = began + limit;
  t->status = hn_run(sim, &result, within_limit, &end);
  t->cpu = thread_time() - began;
  if (t->status == HN_ERR_INTERRUPTED)
    snprintf(t->message, sizeof t->message, "t=%.6g: stopped after %g s (--limit)", hn_time(sim),
             limit);
  else if (t->status)
    snprintf(t->message, sizeof t->message, "%s", hn_sim_error(sim));
  hn_sim_summary(sim, &t->summary);
  t->reached = t->summary.time;
  t->wall = t->summary.wall;
  t->evaluations = t->summary.evaluations;
  t->energy_drift = t->summary.energy_drift;
  hn_sim_destroy(sim);
  if (result && !keep_curves(t, result) && !t->status) {
    t->status = HN_ERR_MEMORY;
    snprintf(t->message, sizeof t->message, "out of memory");
  }
  return result;
}

// ---- all runs ------------------------------------------------------------------------------

// the parts of the model's own method go
static void set_method(hn_options *o, const char *method) {
  snprintf(o->method, sizeof o->method, "%s", method);
  o->solver[0] = o->correction[0] = o->integrator[0] = 0;
}

// does the method choose its steps by itself? The first key of an integrator is what rules it; some
// that are ruled by `step` have a control of their steps as well, which is not what is compared
static bool chooses_steps(const hn_method_info *method) {
  const hn_type_info *type;
  for (int i = 0; (type = hn_integrator_at(i)); i++)
    if (strcmp(type->name, method->integrator) == 0) return strncmp(type->keys, "rtol", 4) == 0;
  return false;
}

typedef struct work {
  const families *families;
  const hn_options *base;
  const hn_result *reference;  // NULL: there is none
  // rows of trials belong to one thread each
  comparison *c;
  pthread_mutex_t lock;
  int next, done;    // under the lock
  progress_bar bar;  // under the lock
  const char *last;  // the method that began last
  bool keep;         // results are wanted for a page
  double limit;      // [s] of processor time for a run
} work;

// fixed step or tolerance: a trial has one of them
static void run_trial(const work *w, trial *t) {
  hn_options chosen = *w->base;
  set_method(&chosen, t->method);
  if (t->step > 0)
    chosen.step = t->step;
  else
    chosen.rtol = t->rtol;
  hn_result *result = attempt(t, w->families, &chosen, w->limit);
  if (!t->status && w->reference) t->error = error_of(result, w->reference);
  // of a page only the finest step is drawn
  if (w->keep && drawn_step(w->c, t))
    t->result = result;
  else
    hn_result_destroy(result);
}

static void draw_progress(work *w) {
  char text[96];
  snprintf(text, sizeof text, "%d of %d runs, %s", w->done, w->c->count, w->last);
  bar_draw(&w->bar, (double)w->done / (w->c->count > 0 ? w->c->count : 1), text);
}

// trials in order: a thread takes the next that nobody has
static void *worker(void *user) {
  work *w = user;
  pthread_mutex_lock(&w->lock);
  while (w->next < w->c->count) {
    trial *t = &w->c->trial[w->next++];
    w->last = t->method;
    draw_progress(w);
    pthread_mutex_unlock(&w->lock);
    run_trial(w, t);
    pthread_mutex_lock(&w->lock);
    w->done++;
    draw_progress(w);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

// this thread works, too, so threads that cannot be had are only missed
static void run_all(work *w, int jobs) {
  // -1 where the system does not know: no other thread then
  if (jobs <= 0) jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (jobs > w->c->count) jobs = w->c->count;
  pthread_t *thread = calloc((size_t)(jobs > 0 ? jobs : 1), sizeof *thread);
  int started = 0;
  bar_begin(&w->bar, "compare", false);
  pthread_mutex_init(&w->lock, NULL);
  while (thread && started < jobs - 1 && !pthread_create(&thread[started], NULL, worker, w))
    started++;
  worker(w);
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&w->lock);
  free(thread);
  bar_end(&w->bar);
}

// a second run shares neither the integrator nor, where there are others, the coordinates of the
// first; what both say is taken for true
static void verify_reference(comparison *c, const families *f, const hn_options *base,
                             const hn_result *reference) {
  families other = {.system = {f->system[f->count > 1 ? 1 : 0]}, .count = 1};
  const char *integrator = c->reference.summary.integrator;
  hn_options chosen = *base;
  set_method(&chosen, "explicit");
  // never the one that the reference used
  if (strcmp(integrator, "dopri5") == 0)
    snprintf(chosen.integrator, sizeof chosen.integrator, "dop853");
  chosen.rtol = second_rtol;
  chosen.step = c->shortest;
  trial second = {.method = "explicit"};
  // a second opinion may take longer than the first, within reason
  double patience = fmax(second_patience * c->reference.cpu, second_least);
  hn_result *result = attempt(&second, &other, &chosen, patience);
  if (!second.status) c->doubt = error_of(result, reference);
  snprintf(c->second, sizeof c->second, "%s", second.status ? second.message : "");
  free(second.curve[0]);
  hn_result_destroy(result);
}

// no longer than the shortest step, so that its rows and events are as fine as any
static hn_result *run_reference(comparison *c, const families *f, const hn_options *base) {
  hn_options chosen = *base;
  set_method(&chosen, "default");
  chosen.rtol = reference_rtol;
  chosen.step = c->shortest;
  c->reference = (trial){.method = "reference", .rtol = chosen.rtol};
  c->doubt = NAN;
  hn_result *result = attempt(&c->reference, f, &chosen, INFINITY);
  if (!c->reference.status) verify_reference(c, f, base, result);
  return result;
}

static bool list_trials(const arguments *a, comparison *c) {
  bool all = true;
  for (int i = 0; i < a->methods; i++) all = all && !a->chosen[i];
  // one list of steps, one of tolerances: a method uses one of them
  size_t runs = (size_t)(a->step_count > a->rtol_count ? a->step_count : a->rtol_count);
  c->trial = calloc((size_t)a->methods * runs + 1, sizeof *c->trial);
  if (!c->trial) return false;
  for (int i = 0; i < a->methods; i++) {
    const char *method = hn_method_at(i)->name;
    if (!all && !a->chosen[i]) continue;
    bool adaptive = chooses_steps(hn_method_at(i));
    for (int k = 0; k < a->rtol_count && adaptive; k++)
      c->trial[c->count++] = (trial){.method = method, .rtol = a->rtol[k]};
    for (int k = 0; k < a->step_count && !adaptive; k++)
      c->trial[c->count++] = (trial){.method = method, .step = a->step[k]};
  }
  c->shortest = a->step[0];
  for (int k = 1; k < a->step_count; k++) c->shortest = fmin(c->shortest, a->step[k]);
  return true;
}

// by processor time against the method `standard` with the same step
static void find_ratios(comparison *c) {
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < c->count; k++) {
      const trial *s = &c->trial[k];
      if (strcmp(s->method, "standard") != 0 || s->step != c->trial[i].step) continue;
      if (!s->status && !c->trial[i].status && s->cpu > 0)
        c->trial[i].ratio = c->trial[i].cpu / s->cpu;
    }
}

// ---- the command ---------------------------------------------------------------------------

static hn_status load(const arguments *a, hn_model *model, families *f) {
  static const char *const other[] = {"reference", "natural"};
  // coordinates are changed on the model's options and set back
  hn_options *o = hn_model_options(model);
  char message[256];
  hn_status status = load_model(model, a->model, a->set, a->set_count);
  // checked before: only memory can be missing
  for (int i = 0; i < a->option_count && !status; i++)
    status = hn_options_set(o, a->option[i].name, a->option[i].value, message, sizeof message);
  // all columns are compared, whatever the model wants recorded
  if (!status) status = hn_add_output(model, "*");
  if (!status) status = compile_model(&f->system[f->count++], model, a->model, false);
  // where the model leaves the coordinates open, every method gets those it needs
  for (int i = 0; i < 2 && !status && strcmp(o->coordinates, "auto") == 0; i++) {
    snprintf(o->coordinates, sizeof o->coordinates, "%s", other[i]);
    // a family that cannot be compiled is one that no method gets
    if (hn_compile(&f->system[f->count], model) == HN_OK) f->count++;
    snprintf(o->coordinates, sizeof o->coordinates, "auto");
  }
  return status;
}

// what was not said: the model's own step and tolerance, or decades of them
static void choose_defaults(arguments *a, const hn_options *base) {
  const int steps = sizeof decade_step / sizeof *decade_step,
            tolerances = sizeof decade_rtol / sizeof *decade_rtol;
  bool steps_open = a->step_count == 0, rtol_open = a->rtol_count == 0;
  // decades only where nothing was said
  for (int i = 0; i < steps && a->work_precision && steps_open; i++)
    a->step[a->step_count++] = decade_step[i];
  if (a->step_count == 0) a->step[a->step_count++] = base->step > 0 ? base->step : fallback_step;
  for (int i = 0; i < tolerances && a->work_precision && rtol_open; i++)
    a->rtol[a->rtol_count++] = decade_rtol[i];
  if (a->rtol_count == 0) a->rtol[a->rtol_count++] = base->rtol;
}

static int compare(arguments *a, const hn_model *model, const families *f, const hn_options *base) {
  comparison c = {.path = a->model, .name = hn_model_name(model), .duration = base->duration};
  c.work_precision = a->work_precision;
  choose_defaults(a, base);
  if (!list_trials(a, &c)) {
    fputs("holon: out of memory\n", stderr);
    return CODE_FAILED;
  }
  hn_result *reference = run_reference(&c, f, base);
  work w = {.families = f, .base = base, .c = &c, .keep = a->html, .limit = a->limit};
  // without a reference there are no errors, but everything else
  if (!c.reference.status) w.reference = reference;
  run_all(&w, a->jobs);
  c.reference.result = reference;
  find_ratios(&c);

  // one that finishes is enough for a table
  int finished = 0;
  bool memory = true;
  for (int i = 0; i < c.count; i++) {
    finished += c.trial[i].status == HN_OK;
    memory = memory && c.trial[i].status != HN_ERR_MEMORY;
  }
  int code = !c.reference.status && finished && memory ? CODE_DONE : CODE_FAILED;
  // a model that nothing can run is at fault itself
  if (c.reference.refused && !finished) code = CODE_USAGE;
  if (a->json)
    print_comparison_json(&c);
  else if (a->work_precision)
    print_work(&c);
  else
    print_comparison(&c);
  fflush(stdout);
  // tables over time, or over accuracy
  bool (*write)(const comparison *, const char *) =
      a->work_precision ? write_work : write_comparison;
  if (a->out && finished && !write(&c, a->out)) code = CODE_FAILED;
  if (a->html && finished) {
    if (!write_comparison_page(&c, model, f->system[0], a->html))
      code = CODE_FAILED;
    else if (!a->json)
      printf("report: %s, opens in any browser\n", a->html);
  }
  if (c.reference.status) fprintf(stderr, "holon: the reference failed: %s\n", c.reference.message);
  if (!finished) fputs("holon: no method finished\n", stderr);
  if (!memory) fputs("holon: a method ran out of memory\n", stderr);
  // curves of a trial are one block, which the first of them begins
  free(c.reference.curve[0]);
  hn_result_destroy(c.reference.result);
  for (int i = 0; i < c.count; i++) {
    free(c.trial[i].curve[0]);
    hn_result_destroy(c.trial[i].result);
  }
  free(c.trial);
  return code;
}

static int execute(arguments *a) {
  hn_model *model = hn_model_create();
  families f = {0};
  hn_status status = model ? load(a, model, &f) : HN_ERR_MEMORY;
  int code = CODE_USAGE;
  if (status) {
    if (status == HN_ERR_MEMORY) code = CODE_FAILED;
    fprintf(stderr, "%s\n", model ? hn_model_error(model) : "holon: out of memory");
  } else {
    code = compare(a, model, &f, hn_model_options(model));
  }
  for (int i = 0; i < f.count; i++) hn_system_destroy(f.system[i]);
  hn_model_destroy(model);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  // no more steps than characters, and a few by default
  size_t most = 8;
  for (int i = 0; i < argc; i++) most += strlen(argv[i]);
  // 20 s: what a method that needs more has to say can be asked for by --limit
  arguments a = {.methods = count_methods(), .limit = 20};
  a.chosen = calloc((size_t)a.methods + 1, sizeof *a.chosen);
  a.step = calloc(most, sizeof *a.step);
  a.rtol = calloc(most, sizeof *a.rtol);
  a.set = calloc((size_t)argc, sizeof *a.set);
  a.option = calloc((size_t)argc, sizeof *a.option);
  int code = CODE_FAILED;
  if (a.chosen && a.step && a.rtol && a.set && a.option) {
    code = parse(self, argc, argv, &a);
    if (code < 0) code = execute(&a);
  } else {
    fputs("holon: out of memory\n", stderr);
  }
  free(a.chosen);
  free(a.step);
  free(a.rtol);
  free(a.set);
  free(a.option);
  return code;
}

const command command_compare = {
    .name = "compare",
    .help = "run a model by many methods and compare them",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
