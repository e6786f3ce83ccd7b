// compare_html.c: the runs of a comparison laid over each other in one report page.
//
// The reference is the one drawn solid; of every method the run with the finest step is laid over
// it.
#include "compare.h"

#include <stdlib.h>

static hn_report_run page_run(const trial *t) {
  hn_report_run run = {.label = t->method, .result = t->result, .summary = &t->summary};
  if (t->status) run.message = t->message;
  return run;
}

bool write_comparison_page(const comparison *c, const hn_model *model, const hn_system *system,
                           const char *path) {
  hn_report_run *run = calloc((size_t)c->count + 1, sizeof *run);
  hn_report report = {.model = model, .system = system, .run = run, .methods = true};
  char message[512];
  if (!run) {
    fputs("holon: out of memory\n", stderr);
    return false;
  }
  if (hn_result_rows(c->reference.result) > 0) run[report.run_count++] = page_run(&c->reference);
  for (int i = 0; i < c->count; i++)
    if (hn_result_rows(c->trial[i].result) > 0) run[report.run_count++] = page_run(&c->trial[i]);
  hn_status status = hn_report_write(&report, path, message, sizeof message);
  if (status) fprintf(stderr, "holon: %s\n", message);
  free(run);
  return !status;
}
