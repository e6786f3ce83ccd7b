// study.c: holon study. Many runs of one model: a table of variants that survives anything.
#include "ranks.h"
#include "terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: holon study STUDY.yaml [OPTIONS]\n"
    "       holon study status STORE.db\n"
    "       holon study export STORE.db --out FILE.csv|FILE.h5|FILE.npz\n"
    "       holon study merge STORE.db\n\n"
    "Runs a model as often as a study file says, with other values each time, and keeps a row of\n"
    "metrics for every run in a database. Whatever ends it, --resume goes on with the rows there\n"
    "are; the table is the same for any number of jobs, any order and any interruption.\n\n"
    "  -o, --out STORE.db   where rows are kept (STUDY.db beside the study file); for export: the\n"
    "                       table to be written\n"
    "  --resume             go on with a store that is there already\n"
    "  --jobs N             runs at a time (one for each processor)\n"
    "  --shard I/N          only every N-th run, from the I-th (0 to N-1) on, to "
    "STORE.db.part.I-of-N\n"
    "  --on ENGINE          who computes: library, lanes, gpu; see 'holon study engines' (also\n"
    "                       --engine)\n"
    "  --csv FILE           write the table when it is complete\n"
    "  --html FILE          write a page: scatter matrix, parallel coordinates, effects ...\n"
    "  --show K             say what run K is: its values, and how to repeat it; run nothing\n"
    "  --json               print one JSON object in place of the summary\n"
    "  -q, --quiet          print nothing but errors (and JSON, when asked for)\n"
    "  -h, --help           this text\n\n"
    "mpirun holon study STUDY.yaml shares the runs out between ranks (one job each).\n"
    "Trajectories that the study asks to keep ('keep:') go to the folder STORE.db.runs. Ctrl-C\n"
    "stops and keeps what is done. docs/commands/study.md describes the file.\n\n"
    "Exit codes: 0 all runs are done (rows may tell of failures), 1 stopped or a file could not "
    "be\n"
    "written, 2 wrong usage or study.\n\n"
    "  holon study four_bar.study.yaml --csv four_bar.csv\n"
    "  holon study four_bar.study.yaml --resume\n"
    "  holon study status four_bar.study.db\n";

// letters are their own numbers; words begin behind them
enum {
  OPTION_RESUME = 256,
  OPTION_JOBS,
  OPTION_SHARD,
  OPTION_ENGINE,
  OPTION_CSV,
  OPTION_HTML,
  OPTION_SHOW,
  OPTION_JSON,
};
static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"resume", no_argument, NULL, OPTION_RESUME},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"shard", required_argument, NULL, OPTION_SHARD},
    {"on", required_argument, NULL, OPTION_ENGINE},
    {"engine", required_argument, NULL, OPTION_ENGINE},
    {"csv", required_argument, NULL, OPTION_CSV},
    {"html", required_argument, NULL, OPTION_HTML},
    {"show", required_argument, NULL, OPTION_SHOW},
    {"json", no_argument, NULL, OPTION_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

typedef struct arguments {
  const char *path, *out, *csv, *html, *engine;
  int jobs, shard, shards;
  long show;  // -1: none
  bool resume, json, quiet;
  char store[512], keep[600];
} arguments;

// ---- arguments -----------------------------------------------------------------------------

// also of optimise and fit
bool whole_number(const command *self, const char *name, const char *text, long least, long most,
                  long *out) {
  char *end;
  // a text that goes on behind the number is none
  *out = strtol(text, &end, 10);
  if (end != text && !*end && *out >= least && *out <= most) return true;
  usage_error(self, "--%s takes a whole number from %ld on, not '%s'", name, least, text);
  return false;
}

// a study shared out by hand, without MPI: every process gets each N-th run
static bool parse_shard(const command *self, const char *text, arguments *a) {
  char tail;
  // %c would take what must not be there
  if (sscanf(text, "%d/%d%c", &a->shard, &a->shards, &tail) == 2 && a->shards > 0 &&
      a->shard >= 0 && a->shard < a->shards)
    return true;
  usage_error(self, "--shard takes I/N with I from 0 to N-1, not '%s'", text);
  return false;
}

// before the study is read: misspelt, it would fail only when runs begin
static bool known_engine(const command *self, const char *name) {
  const char *names[16];
  int count = 0;
  while (count < 16 && (names[count] = hn_study_engine_at(count, NULL))) {
    if (strcmp(names[count], name) == 0) return true;
    count++;
  }
  const char *near = nearest(name, count, names);
  usage_error(self, near ? "no engine '%s' (did you mean '%s'?)" : "no engine '%s'", name, near);
  return false;
}

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c;
  long number;
  // the commands share the options; who does not use one is not told
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': a->out = optarg; break;
    case 'q': a->quiet = true; break;
    case OPTION_RESUME: a->resume = true; break;
    case OPTION_JSON: a->json = true; break;
    case OPTION_CSV: a->csv = optarg; break;
    case OPTION_HTML: a->html = optarg; break;
    case OPTION_JOBS:
      if (!whole_number(self, "jobs", optarg, 1, 4096, &number)) return CODE_USAGE;
      a->jobs = (int)number;
      break;
    case OPTION_SHOW:
      if (!whole_number(self, "show", optarg, 0, 1000000000000, &a->show)) return CODE_USAGE;
      break;
    case OPTION_SHARD:
      if (!parse_shard(self, optarg, a)) return CODE_USAGE;
      break;
    case OPTION_ENGINE:
      a->engine = optarg;
      if (!known_engine(self, optarg)) return CODE_USAGE;
      break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  a->path = single_operand(self, argc, argv, "study file");
  if (!a->path) return CODE_USAGE;
  // before hours are spent on what cannot be written
  if (a->csv && not_writable(a->csv))
    return usage_error(self, "%s: cannot be written: %s", a->csv, not_writable(a->csv));
  if (!check_html(self, a->html)) return CODE_USAGE;
  return -1;
}

// 512: paths of parts, runs and locks are made of it
bool name_store(const command *self, const char *study, const char *out, char store[512]) {
  const char *from = out ? out : study;
  // room for the endings that parts of a store have
  size_t length = strlen(from);
  if (length > 400) {
    usage_error(self, "%.60s...: the path is too long", from);
    return false;
  }
  if (!out && text_ends(from, ".yaml")) length -= 5;
  snprintf(store, 512, out ? "%.*s" : "%.*s.db", (int)length, from);
  return true;
}

// ---- progress ------------------------------------------------------------------------------

typedef struct meter {
  progress_bar bar;
  const holon_mpi *mpi;  // other ranks may want something of this one
} meter;

// from the thread that called hn_study_run, ten times a second
static bool on_progress(void *user, const hn_study_progress *p) {
  meter *m = user;
  // MPI makes progress only while somebody asks it
  if (m->mpi) m->mpi->serve();
  if (m->bar.shown) {
    long bad = p->count[HN_ROW_AUDIT] + p->count[HN_ROW_FAILED] + p->count[HN_ROW_REFUSED];
    char text[120], wrong[40] = "";
    if (bad) snprintf(wrong, sizeof wrong, ", %ld not good", bad);
    snprintf(text, sizeof text, "%ld of %ld runs, %.3g/s%s", p->done, p->runs, p->rate, wrong);
    bar_draw(&m->bar, p->runs > 0 ? (double)p->done / (double)p->runs : 0, text);
  }
  // Ctrl-C: what is in flight is finished and kept
  return !stop_wanted();
}

// ---- what is told --------------------------------------------------------------------------

// also of a store that others are writing to
static void print_info(const char *store, const hn_store_info *info) {
  printf("%s: %ld of %ld runs", store, info->rows, info->runs);
  if (info->parts) printf(" (in %ld part%s)", info->parts, info->parts == 1 ? "" : "s");
  putchar('\n');
  for (int i = 0; i < 5; i++)
    if (info->count[i])
      printf("  %-9s %ld\n", hn_row_status_text((hn_row_status)i), info->count[i]);
  printf("  feasible  %ld\n", info->feasible);
}

// the same keys with and without an error: programs look at "error"
static void print_info_json(const char *store, const hn_store_info *info, hn_status status,
                            const char *message) {
  json j = {0};
  json_open(&j, NULL, '{');
  json_string(&j, "store", store);
  json_integer(&j, "runs", info->runs);
  json_integer(&j, "rows", info->rows);
  json_integer(&j, "parts", info->parts);
  json_integer(&j, "feasible", info->feasible);
  json_open(&j, "status", '{');
  for (int i = 0; i < 5; i++)
    json_integer(&j, hn_row_status_text((hn_row_status)i), info->count[i]);
  json_close(&j);
  if (status)
    json_string(&j, "error", message);
  else
    json_null(&j, "error");
  json_close(&j);
  putchar('\n');
}

// nothing is run: a row says what it would be
// numbers as they are set; a word where a factor chooses among words
static int show(const hn_study *study, long k) {
  double values[256];
  hn_study_column c;
  char number[CELL];
  if (hn_study_values(study, k, values)) {
    fprintf(stderr, "holon: there is no run %ld: they go from 0 to %ld\n", k,
            hn_study_runs(study) - 1);
    return CODE_USAGE;
  }
  printf("run %ld of %s\n", k, hn_study_name(study));
  for (int i = 0; hn_study_column_at(study, i, &c) && c.kind == HN_FACTOR; i++)
    printf("  %s = %s %s\n", c.name,
           c.words ? c.words[(int)values[i]] : number_text(number, values[i]), c.unit);
  char *text = hn_study_command(study, k);
  // a study that sets places of the file has no command of its own: --show is that
  if (text && strncmp(text, "holon run", 9) == 0) printf("%s\n", text);
  hn_free(text);
  return CODE_DONE;
}

// ---- the study -----------------------------------------------------------------------------

int open_study(const char *path, hn_study **study) {
  char message[512];
  hn_status status = hn_study_load(study, path, message, sizeof message);
  if (!status) return CODE_DONE;
  fprintf(stderr, "%s\n", message);
  // memory may be there another time
  return status == HN_ERR_MEMORY ? CODE_FAILED : CODE_USAGE;
}

// texts that begin with the path of the file have their place in front
int study_failed(const char *path, hn_status status, const char *message) {
  fprintf(stderr, strncmp(message, path, strlen(path)) == 0 ? "%s\n" : "holon: %s\n", message);
  return status == HN_ERR_MEMORY || status == HN_ERR_FILE || status == HN_ERR_INTERRUPTED
             ? CODE_FAILED
             : CODE_USAGE;
}

static int failed(const arguments *a, hn_status status, const char *message) {
  return study_failed(a->path, status, message);
}

// of all rows of the store, not of those of this call
static int export_table(const arguments *a, const char *path) {
  char message[512];
  hn_status status = hn_store_export(a->store, path, message, sizeof message);
  return status ? failed(a, status, message) : CODE_DONE;
}

// of the store alone: the study file may have changed, or be gone
int write_study_page(const char *store, const char *path) {
  char message[512];
  hn_study *study = NULL;
  hn_study_table *table = NULL;
  hn_status status = hn_store_study(store, &study, message, sizeof message);
  if (!status) status = hn_store_table(store, &table, message, sizeof message);
  if (!status) status = hn_study_page(study, table, path, message, sizeof message);
  hn_study_table_destroy(table);
  hn_study_destroy(study);
  return status ? study_failed(store, status, message) : CODE_DONE;
}

// what this process has to do with the store: alone all of it, among ranks a part
static hn_status compute(const arguments *a, const hn_study *study, const ranks *r, meter *m,
                         char *message, size_t size) {
  char part[32];
  hn_study_counter counter = {.workers = r->size};
  // zero is the default of all that is not said
  hn_study_options o = {
      .engine = a->engine,
      .jobs = a->jobs,
      .shard = a->shard,
      .shards = a->shards,
      .store = a->store,
      .resume = a->resume,
      .keep = hn_study_keeps(study) ? a->keep : NULL,
      .progress = on_progress,
      .user = m,
  };
  if (!r->mpi) return hn_study_run(study, &o, NULL, message, size);
  // parts are told apart by the ranks that write them
  snprintf(part, sizeof part, "rank-%d", r->rank);
  counter.next = r->mpi->next;
  o.part = part;
  o.counter = &counter;
  // parts of an earlier attempt were taken in by rank 0: what is there is to be gone on with
  o.resume = true;
  // ranks are as many as there are processors as a rule
  if (!o.jobs) o.jobs = 1;
  hn_status status = HN_OK;
  // one prepares, all wait: parts may be opened only on a store that is there
  if (r->rank == 0) status = hn_store_prepare(study, a->store, a->resume, message, size);
  if (r->mpi->agree((int)status)) return status ? status : HN_ERR_FILE;
  status = hn_study_run(study, &o, NULL, message, size);
  // a part is taken in when nobody writes to it any more
  int worst = r->mpi->largest((int)status);
  if (r->rank == 0 && (!status || status == HN_ERR_INTERRUPTED)) {
    hn_status merged = hn_store_merge(a->store, message, size);
    if (merged) status = merged;
  }
  return status ? status : (hn_status)worst;
}

// what the store says, not what this process did
static int report(const arguments *a, hn_status status, const char *message) {
  hn_store_info info;
  char trouble[512];
  if (hn_store_status(a->store, &info, trouble, sizeof trouble))
    return failed(a, HN_ERR_FILE, trouble);
  if (a->json)
    print_info_json(a->store, &info, status, message);
  else if (!a->quiet)
    print_info(a->store, &info);
  if (status) {
    // the rows are safe: only the rest is missing
    fprintf(stderr, "holon: stopped; --resume goes on\n");
    return CODE_FAILED;
  }
  int code = a->csv ? export_table(a, a->csv) : CODE_DONE;
  return code == CODE_DONE && a->html ? write_study_page(a->store, a->html) : code;
}

static int execute(const arguments *a, const hn_study *study, const ranks *r) {
  // where this rank is fine and another was not
  char message[512] = "another rank failed";
  meter m = {.mpi = r->mpi};
  // one bar for all: that of rank 0
  bar_begin(&m.bar, a->path, a->quiet || r->rank != 0);
  catch_signals();
  hn_status status = compute(a, study, r, &m, message, sizeof message);
  bar_end(&m.bar);
  bool broken = status && status != HN_ERR_INTERRUPTED;
  // rank 0 tells; the others say it by their codes
  if (r->rank > 0) return broken || status ? CODE_FAILED : CODE_DONE;
  return broken ? failed(a, status, message) : report(a, status, message);
}

static int run_study(const command *self, int argc, char **argv) {
  arguments a = {.show = -1};
  hn_study *study;
  int code = parse(self, argc, argv, &a);
  if (code >= 0) return code;
  if (!name_store(self, a.path, a.out, a.store)) return CODE_USAGE;
  // beside the store, which the trajectories belong to
  snprintf(a.keep, sizeof a.keep, "%s.runs", a.store);
  code = open_study(a.path, &study);
  if (code != CODE_DONE) return code;
  ranks r;
  // a search has no design whose runs could be shared out
  if (strcmp(hn_study_design(study), "search") == 0) {
    fprintf(stderr, "%s: chooses its points itself: 'holon optimise' and 'holon fit' run it\n",
            a.path);
    code = CODE_USAGE;
  } else if (a.show >= 0) {
    code = show(study, a.show);
  } else if (hn_study_keeps(study) && !make_folder(self, a.keep)) {
    code = CODE_USAGE;
  } else if (ranks_begin(&r)) {
    code = execute(&a, study, &r);
    ranks_end(&r);
  } else {
    code = CODE_FAILED;
  }
  hn_study_destroy(study);
  return code;
}

// ---- stores --------------------------------------------------------------------------------

// status, export and merge take the same words, of which most mean nothing to them
static int run_store(const command *self, int argc, char **argv, const char *what) {
  arguments a = {.show = -1};
  char message[512];
  hn_store_info info;
  int code = parse(self, argc, argv, &a);
  if (code >= 0) return code;
  snprintf(a.store, sizeof a.store, "%.500s", a.path);
  if (strcmp(what, "export") == 0) {
    if (!a.out) return usage_error(self, "export needs --out FILE.csv, FILE.h5 or FILE.npz");
    if (!check_result_path(self, a.out)) return CODE_USAGE;
    return export_table(&a, a.out);
  }
  hn_status status = HN_OK;
  if (strcmp(what, "merge") == 0) status = hn_store_merge(a.store, message, sizeof message);
  if (!status) status = hn_store_status(a.store, &info, message, sizeof message);
  if (status) return failed(&a, status, message);
  if (a.json)
    print_info_json(a.store, &info, HN_OK, "");
  else if (!a.quiet)
    print_info(a.store, &info);
  return CODE_DONE;
}

static int print_engines(void) {
  const char *name, *help;
  for (int i = 0; (name = hn_study_engine_at(i, &help)); i++) printf("%-11s %s\n", name, help);
  return CODE_DONE;
}

static int run(const command *self, int argc, char **argv) {
  // a study file cannot be called so: it has an ending
  const char *word = argc > 1 ? argv[1] : "";
  if (strcmp(word, "engines") == 0) return print_engines();
  if (strcmp(word, "status") == 0 || strcmp(word, "export") == 0 || strcmp(word, "merge") == 0)
    return run_store(self, argc - 1, argv + 1, word);
  return run_study(self, argc, argv);
}

const command command_study = {
    .name = "study",
    .help = "run a model many times with other values, keep a table",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "study",
};
