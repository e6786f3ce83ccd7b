// optimise.c: holon optimise. The values of a study's factors for which a metric is best.
#include "study.h"
#include "terminal.h"

#include <unistd.h>

static const char usage[] =
    "usage: holon optimise STUDY.yaml [OPTIONS]\n\n"
    "Searches the ranges of the factors for the values at which a metric is least (or largest) "
    "and\n"
    "all constraints are kept, as the section 'optimise:' of a study file says. All runs are kept\n"
    "in a database; --resume goes on with it as if nothing had happened.\n\n"
    "  -o, --out STORE.db  where runs are kept (STUDY.db beside the study file)\n"
    "  --resume            go on with a store that is there already\n"
    "  --jobs N            runs at a time (one for each processor)\n"
    "  --html FILE         write a page: how the search went, scatter matrix ...\n"
    "  --json              print one JSON object in place of the summary\n"
    "  -q, --quiet         print nothing but errors (and JSON, when asked for)\n"
    "  -h, --help          this text\n\n"
    "Exit codes: 0 found, 1 stopped, or no run keeps all constraints, 2 wrong usage or study.\n\n"
    "  holon optimise four_bar.yaml --html search.html\n";

enum { OPTION_RESUME = 256, OPTION_JOBS, OPTION_HTML, OPTION_JSON };
static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"resume", no_argument, NULL, OPTION_RESUME},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"html", required_argument, NULL, OPTION_HTML},
    {"json", no_argument, NULL, OPTION_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

typedef struct arguments {
  const char *path, *out, *html;
  long jobs;
  bool resume, json, quiet;
  char store[512];  // where runs are kept: `out`, or a name made of that of the study
} arguments;

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': a->out = optarg; break;
    case 'q': a->quiet = true; break;
    case OPTION_RESUME: a->resume = true; break;
    case OPTION_JSON: a->json = true; break;
    case OPTION_HTML: a->html = optarg; break;
    case OPTION_JOBS:
      if (!whole_number(self, "jobs", optarg, 1, 4096, &a->jobs)) return CODE_USAGE;
      break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  // pages are looked at before the search begins: it may take hours
  a->path = single_operand(self, argc, argv, "study file");
  if (!a->path || !check_html(self, a->html)) return CODE_USAGE;
  return name_store(self, a->path, a->out, a->store) ? -1 : CODE_USAGE;
}

// called by the search between runs: false ends it, with what there is
static bool on_progress(void *user, const hn_study_progress *p) {
  char text[64];
  // at most: a search may converge before
  snprintf(text, sizeof text, "%ld of at most %ld runs", p->done, p->runs);
  bar_draw(user, p->runs > 0 ? (double)p->done / (double)p->runs : 0, text);
  return !stop_wanted();
}

static void print_optimum(const hn_study *study, const hn_optimum *o) {
  hn_study_column c;
  char number[CELL];
  printf("%s: %s after %ld runs (%s, %ld steps), best is run %ld%s\n", hn_study_name(study),
         o->converged ? "converged" : "not converged", o->evaluations, o->method, o->generations,
         o->run, o->feasible ? "" : ", which does not keep all constraints");
  // factors, metrics and constraints of the best run
  for (int i = 0; hn_study_column_at(study, i, &c); i++)
    printf("  %-10s %-24s %s\n", c.name, number_text(number, o->values[i]), c.unit);
}

static void print_json(const hn_study *study, const hn_optimum *o) {
  hn_study_column c;
  json j = {0};
  json_open(&j, NULL, '{');
  json_integer(&j, "run", o->run);
  json_string(&j, "method", o->method);
  json_flag(&j, "converged", o->converged);
  json_flag(&j, "feasible", o->feasible);
  json_integer(&j, "evaluations", o->evaluations);
  json_integer(&j, "generations", o->generations);
  json_open(&j, "values", '{');
  for (int i = 0; hn_study_column_at(study, i, &c); i++) json_number(&j, c.name, o->values[i]);
  json_close(&j);
  json_close(&j);
  putchar('\n');
}

static int execute(const arguments *a, const hn_study *study) {
  char message[512];
  progress_bar bar;
  bar_begin(&bar, a->path, a->quiet);
  hn_optimum *o = NULL;
  hn_study_options run = {.jobs = (int)a->jobs,
                          .store = a->store,
                          .resume = a->resume,
                          .progress = on_progress,
                          .user = &bar};
  catch_signals();
  hn_status status = hn_study_optimise(study, &run, &o, message, sizeof message);
  bar_end(&bar);
  // nothing was found, or nothing begun; a search that was stopped has a best run all the same
  if (!o) return study_failed(a->path, status, message);
  if (a->json)
    print_json(study, o);
  else if (!a->quiet)
    print_optimum(study, o);
  // a best run that breaks constraints is none
  int code = status || !o->feasible ? CODE_FAILED : CODE_DONE;
  if (status) fputs("holon: stopped; --resume goes on\n", stderr);
  hn_optimum_destroy(o);
  // the page is of the store: also of a search that was stopped
  if (!a->html) return code;
  int page = write_study_page(a->store, a->html);
  return page ? page : code;
}

static int run(const command *self, int argc, char **argv) {
  arguments a = {0};
  hn_study *study;
  int code = parse(self, argc, argv, &a);
  if (code >= 0) return code;
  code = open_study(a.path, &study);
  if (code != CODE_DONE) return code;
  code = execute(&a, study);
  hn_study_destroy(study);
  return code;
}

const command command_optimise = {
    .name = "optimise",
    .help = "find the values for which a metric is best",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "study",
};
