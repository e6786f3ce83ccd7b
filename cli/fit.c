// fit.c: holon fit. The values of a study's factors for which runs come nearest to measurements.
#include "study.h"
#include "terminal.h"

#include <math.h>
#include <unistd.h>

static const char usage[] =
    "usage: holon fit STUDY.yaml [OPTIONS]\n\n"
    "Finds the values of the factors, within their ranges, for which the columns of a run come\n"
    "nearest to measured ones, as the section 'fit:' of a study file says, and how well these\n"
    "values are known: standard deviations and correlations.\n\n"
    "  -o, --out FILE  write measured and modelled columns: FILE.csv, FILE.h5 or FILE.npz\n"
    "  --plot FILE     draw the residuals (SVG)\n"
    "  --jobs N        runs at a time (one for each processor)\n"
    "  --json          print one JSON object in place of the summary\n"
    "  -q, --quiet     print nothing but errors (and JSON, when asked for)\n"
    "  -h, --help      this text\n\n"
    "Exit codes: 0 converged, 1 it failed, was stopped or did not converge, 2 wrong usage or "
    "study.\n\n"
    "  holon fit wishbone.yaml --plot residuals.svg\n";

enum { OPTION_PLOT = 256, OPTION_JOBS, OPTION_JSON };
static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"json", no_argument, NULL, OPTION_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

typedef struct arguments {
  const char *path, *out, *plot;
  long jobs;
  bool json, quiet;
} arguments;

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': a->out = optarg; break;
    case 'q': a->quiet = true; break;
    case OPTION_PLOT: a->plot = optarg; break;
    case OPTION_JSON: a->json = true; break;
    case OPTION_JOBS:
      // as many as hn_study_fit starts threads
      if (!whole_number(self, "jobs", optarg, 1, 256, &a->jobs)) return CODE_USAGE;
      break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  a->path = single_operand(self, argc, argv, "study file");
  if (!a->path || !check_result_path(self, a->out)) return CODE_USAGE;
  if (a->plot && not_writable(a->plot))
    return usage_error(self, "%s: cannot be written: %s", a->plot, not_writable(a->plot));
  return -1;
}

static bool on_progress(void *user, const hn_study_progress *p) {
  // how many iterations it takes is not known: no bar
  char text[64];
  snprintf(text, sizeof text, "iteration %ld", p->done);
  bar_draw(user, -1, text);
  return !stop_wanted();
}

// correlations that are nearly one: one factor makes up for the other, and both are poorly known,
// whatever the residuals say
static void print_correlations(const hn_study *study, const hn_fitted *f) {
  hn_study_column a, b;
  // below the diagonal: each pair once
  for (int i = 0; i < f->factors; i++)
    for (int k = 0; k < i; k++) {
      // covariances to correlations: over both standard deviations
      double r = f->covariance[i * f->factors + k] / (f->error[i] * f->error[k]);
      // NaN where a deviation is zero: passed over
      if (!(fabs(r) > 0.95)) continue;
      (void)hn_study_column_at(study, i, &a), (void)hn_study_column_at(study, k, &b);
      printf("  %s and %s are hardly told apart: correlation %.4f\n", b.name, a.name, r);
    }
}

static void print_fit(const hn_study *study, const hn_fitted *f) {
  hn_study_column c;
  // points: measured numbers, of all columns
  printf("%s: %s after %d iteration%s (%ld runs), %d measured values\n", hn_study_name(study),
         f->converged ? "converged" : "not converged", f->iterations, plural(f->iterations),
         f->runs, f->points);
  for (int i = 0; i < f->factors; i++) {
    (void)hn_study_column_at(study, i, &c);
    printf("  %-12s %.9g +- %.3g %s%s\n", c.name, f->value[i], f->error[i], c.unit,
           f->at_end[i] ? "  (at the end of its range)" : "");
  }
  // of weighted residuals: one is what was asked for
  printf("  residuals: standard deviation %.4g\n", sqrt(f->variance));
  print_correlations(study, f);
}

static void print_json(const hn_study *study, const hn_fitted *f) {
  hn_study_column c;
  json j = {0};
  json_open(&j, NULL, '{');
  json_flag(&j, "converged", f->converged);
  json_integer(&j, "iterations", f->iterations);
  json_integer(&j, "runs", f->runs);
  json_integer(&j, "points", f->points);
  json_number(&j, "variance", f->variance);
  json_open(&j, "factors", '{');
  for (int i = 0; i < f->factors; i++) {
    (void)hn_study_column_at(study, i, &c);
    json_open(&j, c.name, '{');
    json_number(&j, "value", f->value[i]);
    json_number(&j, "error", f->error[i]);
    json_flag(&j, "at_end", f->at_end[i]);
    json_close(&j);
  }
  json_close(&j);
  json_open(&j, "covariance", '[');
  for (int i = 0; i < f->factors * f->factors; i++) json_number(&j, NULL, f->covariance[i]);
  json_close(&j);
  json_close(&j);
  putchar('\n');
}

static bool save(const arguments *a, const hn_fitted *f) {
  char message[512];
  // all residuals, whatever columns there are
  static const char *const y[] = {"*.residual"};
  hn_plot plot = {.title = "residuals", .y = y, .y_count = 1};
  hn_status status = HN_OK;
  if (a->out) status = hn_result_write(f->residuals, a->out, message, sizeof message);
  if (!status && a->plot)
    status = hn_plot_write(f->residuals, &plot, a->plot, message, sizeof message);
  if (status) fprintf(stderr, "holon: %s\n", message);
  return !status;
}

static int execute(const arguments *a, const hn_study *study) {
  char message[512];
  progress_bar bar;
  bar_begin(&bar, a->path, a->quiet);
  hn_fitted *f = NULL;
  // fits keep nothing: no store
  hn_study_options run = {.jobs = (int)a->jobs, .progress = on_progress, .user = &bar};
  catch_signals();
  hn_status status = hn_study_fit(study, &run, &f, message, sizeof message);
  bar_end(&bar);
  if (status) {
    int code = study_failed(a->path, status, message);
    // a fit that fails is no mistake of the call, but for a missing section
    return status == HN_ERR_ARGUMENT ? code : CODE_FAILED;
  }
  if (a->json)
    print_json(study, f);
  else if (!a->quiet)
    print_fit(study, f);
  // not converged is no success, though the numbers are told
  int code = save(a, f) && f->converged ? CODE_DONE : CODE_FAILED;
  hn_fitted_destroy(f);
  return code;
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

const command command_fit = {
    .name = "fit",
    .help = "find the values for which runs meet measurements",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "study",
};
