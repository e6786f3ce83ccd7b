// run.c: holon run. Simulates a model, writes the result, reports how it went.
//
// Whatever happens after the first step, what was computed is kept: a failure, an interrupt or a
// failed audit still leaves a complete file of the rows up to there.
#include "run.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: holon run MODEL [OPTIONS]\n\n"
    "Simulates a model (YAML, JSON or a robot file; - reads standard input) and reports how it "
    "went.\n\n"
    "  -o, --out FILE       write the result: FILE.csv, FILE.h5 or FILE.npz\n"
    "  --html FILE          write a report page: the motion in 3-D, charts, the summary\n"
    "  --live               that page computes: sliders, the model's text, a new run at once\n"
    "  --glb FILE           write the moving mechanism for other viewers (glTF 2.0)\n"
    "  --duration T         simulated time [s]\n"
    "  --method NAME        how to solve it, see 'holon methods'\n"
    "  --step S             fixed step, or largest step of an adaptive method [s]\n"
    "  --rtol R             relative tolerance of adaptive methods\n"
    "  --set NAME=VALUE     change a parameter of the model (repeatable)\n"
    "  --option NAME=VALUE  change any option listed by 'holon methods' (repeatable)\n"
    "  --trust              the model file may have machine code compiled (code: native in it)\n"
    "  --json               print one JSON object in place of the summary\n"
    "  -q, --quiet          print nothing but errors (and JSON, when asked for)\n"
    "  -h, --help           this text\n\n"
    "What is given here wins over the model's 'simulation:' section; --method also replaces the\n"
    "solver, correction and integrator named there. Ctrl-C stops the run and keeps the result up\n"
    "to that point; a long run puts its rows into the file as it goes on.\n\n"
    "Exit codes: 0 done and audited, 1 failed or stopped (the result up to there is kept),\n"
    "2 wrong usage or model, 3 finished but the audit failed.\n\n"
    "  holon run four_bar.yaml --out four_bar.csv --html four_bar.html\n"
    "  holon run four_bar.yaml --method baumgarte --step 1e-3 --option alpha=20 --json\n"
    "  holon run pendulum.yaml --set length=0.5 --duration 3\n";

typedef struct arguments {
  const char *model, *out, *html, *glb;
  bool json, quiet, trust, live;
  int set_count, option_count;
  setting *set;     // parameters of the model
  setting *option;  // of the run, in the order given: the last of one name counts
} arguments;

// ---- arguments -----------------------------------------------------------------------------

static hn_status apply_option(hn_options *options, const setting *s, char *message, size_t size) {
  // a preset is meant as a whole
  // parts of the model's own method would be mixed into it
  if (strcmp(s->name, "method") == 0)
    options->solver[0] = options->correction[0] = options->integrator[0] = 0;
  return hn_options_set(options, s->name, s->value, message, size);
}

// wrong options are found before a model is read
static bool check_options(const command *self, const arguments *a) {
  hn_options scratch = hn_options_default();
  char message[256];
  for (int i = 0; i < a->option_count; i++)
    if (apply_option(&scratch, &a->option[i], message, sizeof message)) {
      usage_error(self, "%s", message);
      return false;
    }
  return true;
}

// words that are letters are their own numbers
enum {
  OPTION_SET = 256,
  OPTION_OPTION,
  OPTION_JSON,
  OPTION_HTML,
  OPTION_GLB,
  OPTION_TRUST,
  OPTION_LIVE,
  OPTION_NAMED
};
static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"html", required_argument, NULL, OPTION_HTML},
    {"glb", required_argument, NULL, OPTION_GLB},
    {"duration", required_argument, NULL, OPTION_NAMED + 0},
    {"method", required_argument, NULL, OPTION_NAMED + 1},
    {"step", required_argument, NULL, OPTION_NAMED + 2},
    {"rtol", required_argument, NULL, OPTION_NAMED + 3},
    {"set", required_argument, NULL, OPTION_SET},
    {"option", required_argument, NULL, OPTION_OPTION},
    {"trust", no_argument, NULL, OPTION_TRUST},
    {"live", no_argument, NULL, OPTION_LIVE},
    {"json", no_argument, NULL, OPTION_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool check_glb(const command *self, const char *path) {
  if (!path) return true;
  const char *reason = text_ends(path, ".glb") ? not_writable(path) : "it does not end in .glb";
  if (reason) usage_error(self, "%s: cannot be written: %s", path, reason);
  return !reason;
}

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  // options of the run that have a word of their own
  static const char *const named[] = {"duration", "method", "step", "rtol"};
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': a->out = optarg; break;
    case 'q': a->quiet = true; break;
    case OPTION_TRUST: a->trust = true; break;
    case OPTION_LIVE: a->live = true; break;
    case OPTION_JSON: a->json = true; break;
    case OPTION_HTML: a->html = optarg; break;
    case OPTION_GLB: a->glb = optarg; break;
    case OPTION_SET:
      if (!split_setting(self, "set", optarg, &a->set[a->set_count++])) return CODE_USAGE;
      break;
    case OPTION_OPTION:
      if (!split_setting(self, "option", optarg, &a->option[a->option_count++])) return CODE_USAGE;
      break;
    case OPTION_HELP: return CODE_DONE;
    case OPTION_WRONG: return CODE_USAGE;
    // the table of options has these words in the order of `named`
    default: a->option[a->option_count++] = (setting){named[c - OPTION_NAMED], optarg}; break;
    }
  // everything that can be wrong is told before anything is computed
  a->model = single_operand(self, argc, argv, "model file");
  bool good = a->model && check_options(self, a) && check_result_path(self, a->out) &&
              check_html(self, a->html) && check_glb(self, a->glb) &&
              check_live(self, a->live, a->html);
  return good ? -1 : CODE_USAGE;
}

// ---- interrupts and progress ---------------------------------------------------------------

typedef struct progress {
  progress_bar bar;
  hn_stream *stream;  // NULL: nothing is to be written
  bool failed;        // it cannot be written now; the end will tell
  double due;         // [s] when the file gets what was recorded since
  bool spare;         // rows that the file has are wanted by nobody else
  hn_result *const *result;
} progress;

// of the wall, which nobody sets back
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// numbers of recorded rows that may stay in memory when the file has them: 16 MB
static const double kept_numbers = 2e6;

static bool full(const progress *p) {
  // memory that is let go of must be worth the writing
  const hn_result *r = *p->result;
  return p->spare && (double)hn_result_rows(r) * hn_result_columns(r) > kept_numbers;
}

// seconds between two writings, which may take a twentieth of the time
static const double stream_pause = 2, stream_share = 20;

// what is not written now is written at the end, or then said to fail
static void keep_rows(progress *p, double t, double duration) {
  // files that take long are written less often
  char text[96], message[512];
  double began = now();
  snprintf(text, sizeof text, "t = %.9g of %.9g s", t, duration);
  hn_status status = full(p)
                         ? hn_stream_drain(p->stream, *p->result, text, message, sizeof message)
                         : hn_stream_update(p->stream, *p->result, text, message, sizeof message);
  if (status) p->failed = true;
  double took = now() - began;
  p->due = now() + (took * stream_share > stream_pause ? took * stream_share : stream_pause);
}

// between steps, in the thread of the run
static bool on_step(void *user, double t, double duration) {
  progress *p = user;
  if (p->stream && !p->failed && (now() > p->due || full(p))) keep_rows(p, t, duration);
  return bar_step(&p->bar, t, duration);
}

// ---- the run -------------------------------------------------------------------------------

// model, system and sim; on failure o->message explains
static hn_status prepare(const arguments *a, outcome *o) {
  o->model = hn_model_create();
  if (!o->model) {
    snprintf(o->message, sizeof o->message, "out of memory");
    return HN_ERR_MEMORY;
  }
  hn_options *chosen = hn_model_options(o->model);
  char message[480];
  if (a->trust) hn_model_trust(o->model);
  if (a->live) hn_model_keep_text(o->model);
  hn_status status = load_model(o->model, a->model, a->set, a->set_count);
  // poses of all bodies are wanted for pictures, whatever is recorded
  if (a->html || a->glb) hn_report_prepare(o->model);
  // rows of a large model are gigabytes; programs are told how many columns there are
  if (!a->out && !a->html && !a->glb && !a->json) hn_model_unread(o->model);
  // checked before: only memory can be missing
  // the model's own options are changed: they are those of the run
  for (int i = 0; i < a->option_count && !status; i++) {
    status = apply_option(chosen, &a->option[i], message, sizeof message);
    if (status) {
      snprintf(o->message, sizeof o->message, "%s: %s", a->model, message);
      return status;
    }
  }
  // silence would look as if the file had been obeyed
  if (!status && !a->quiet && hn_model_wants_native(o->model) && !strcmp(chosen->code, "library"))
    fprintf(
        stderr,
        "holon: %s asks for 'code: native' or 'auto', which a file alone cannot switch on: the\n"
        "library's own code is used (--option code=native, or --trust, follows it)\n",
        a->model);
  if (!status) status = compile_model(&o->system, o->model, a->model, a->quiet);
  if (status) {
    snprintf(o->message, sizeof o->message, "%s", hn_model_error(o->model));
    return status;
  }
  o->duration = chosen->duration;
  status = hn_sim_create(&o->sim, o->system, chosen, message, sizeof message);
  if (status) snprintf(o->message, sizeof o->message, "%s: %s", a->model, message);
  return status;
}

// from here on what was computed is kept
static void simulate(const arguments *a, outcome *o) {
  progress p = {0};
  bar_begin(&p.bar, a->model, a->quiet);
  // the first rows come after two seconds: short runs are written once
  p.due = now() + stream_pause;
  p.result = &o->result;
  p.stream = a->out ? hn_stream_create(a->out) : NULL;
  // whoever draws the motion wants all of it; other files are written at once
  p.spare = a->out && text_ends(a->out, ".csv") && !a->html && !a->glb;
  catch_signals();
  o->status = hn_run(o->sim, &o->result, on_step, &p);
  // rows that only the file has are completed by it
  o->streamed = hn_stream_end(p.stream, o->result, o->unwritten, sizeof o->unwritten);
  hn_stream_destroy(p.stream);
  bar_end(&p.bar);
  if (o->status) snprintf(o->message, sizeof o->message, "%s", hn_sim_error(o->sim));
  hn_sim_summary(o->sim, &o->summary);
  // what the options ask for is refused before anything is computed
  if (o->status)
    o->code = o->status == HN_ERR_ARGUMENT ? CODE_USAGE : CODE_FAILED;
  else
    o->code = o->summary.audit_pass ? CODE_DONE : CODE_AUDIT;
}

// the first reason stands; the code says that something is missing
static void not_saved(outcome *o, const char *message) {
  fprintf(stderr, "holon: %s\n", message);
  if (!o->status) snprintf(o->message, sizeof o->message, "%s", message);
  o->code = CODE_FAILED;
  o->unsaved = true;
}

// a page that computes is told what was set beside the file
static void save_page(const arguments *a, outcome *o, hn_report report) {
  char message[512];
  // texts live until the page is written
  char(*text)[200] = calloc((size_t)a->option_count + 1, sizeof *text);
  const char **list = calloc((size_t)a->option_count + 1, sizeof *list);
  hn_status status = text && list ? HN_OK : HN_ERR_MEMORY;
  snprintf(message, sizeof message, "out of memory");
  for (int i = 0; i < a->option_count && !status; i++) {
    snprintf(text[i], sizeof *text, "%s=%s", a->option[i].name, a->option[i].value);
    list[i] = text[i];
  }
  report.live = a->live;
  report.live_options = list;
  report.live_option_count = a->option_count;
  if (!status) status = hn_report_write(&report, a->html, message, sizeof message);
  free(text);
  free(list);
  if (status)
    not_saved(o, message);
  else
    o->report = a->html;
}

static void save(const arguments *a, outcome *o) {
  if (!o->result || hn_result_rows(o->result) == 0) return;
  // signals meant for the run must not end the program while it writes
  forget_stop();
  // after a failure too: the rows up to there
  char message[512];
  if (o->streamed < 0) {
    not_saved(o, o->unwritten);
  } else if (o->streamed > 0) {
    o->written = a->out;
  } else if (a->out) {
    if (hn_result_write(o->result, a->out, message, sizeof message))
      not_saved(o, message);
    else
      o->written = a->out;
  }
  hn_report_run run = {.result = o->result, .summary = &o->summary};
  // a report says why the run ended early
  if (o->status) run.message = o->message;
  hn_report report = {.model = o->model, .system = o->system, .run = &run, .run_count = 1};
  if (a->html) save_page(a, o, report);
  if (a->glb && hn_report_write(&report, a->glb, message, sizeof message)) not_saved(o, message);
}

static int execute(const arguments *a) {
  outcome o = {.path = a->model};
  o.status = prepare(a, &o);
  if (o.status) {
    // nothing was computed yet
    o.code = o.status == HN_ERR_MEMORY ? CODE_FAILED : CODE_USAGE;
    // on stderr for people, on stdout for programs
    fprintf(stderr, "%s\n", o.message);
    if (a->json) print_refusal_json(&o);
  } else {
    simulate(a, &o);
    save(a, &o);
    // wrong usage has been told already
    if (a->json)
      print_outcome_json(&o);
    else if (!a->quiet && o.code != CODE_USAGE)
      print_outcome(&o);
    // the verdict comes behind what was printed, also where both go to one file
    fflush(stdout);
    print_verdict(&o);
  }
  hn_result_destroy(o.result);
  hn_sim_destroy(o.sim);
  hn_system_destroy(o.system);
  hn_model_destroy(o.model);
  return o.code;
}

static int run(const command *self, int argc, char **argv) {
  arguments a = {0};
  a.set = calloc((size_t)argc, sizeof *a.set);
  a.option = calloc((size_t)argc, sizeof *a.option);
  int code = CODE_FAILED;
  if (a.set && a.option) {
    code = parse(self, argc, argv, &a);
    if (code < 0) code = execute(&a);
  } else {
    fputs("holon: out of memory\n", stderr);
  }
  free(a.set);
  free(a.option);
  return code;
}

const command command_run = {
    .name = "run",
    .help = "simulate a model, write the result, audit it",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
