// report.c: one HTML file that shows a run: the page of viewer/ with model and numbers put in.
//
// The template is one HTML file with everything inside and a mark where data goes; report_data.c
// packs the numbers, report_model.c describes the mechanism, report_live.c adds what a page that
// computes needs. The same description goes to pages that are served (hn_report_pack_data), without
// the HTML.
#include "io/report.h"
#include "io/embed.h"
#include "model/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A page of 32 MB in base64 still opens in a second or two.
static const double default_limit = 24e6;  // [bytes] of numbers

// where the data goes in the template
static const char mark[] = "<!--holon-data-->";

// ---- what is said about a run --------------------------------------------------------------

// numbers stand in the blob: `at` counts bytes in it, `count` numbers
static void put_block(hn_json *j, const char *key, const hn_blob_range *b) {
  hn_json_open(j, key, '{');
  hn_json_number(j, "at", (double)b->at);
  hn_json_number(j, "count", (double)b->count);
  hn_json_text(j, "type", b->wide ? "f64" : "f32");
  hn_json_close(j, '}');
}

// Items that are not known are left out: the page shows what was measured.
static void put_audit(hn_json *j, const hn_summary *s) {
  // as `holon run` says it
  hn_json_flag(j, "pass", s->audit_pass);
  hn_json_open(j, "audit", '[');
  for (int i = 0; i < s->audit_count; i++) {
    const hn_audit_item *item = &s->audit[i];
    if (!item->known) continue;
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", item->name);
    hn_json_text(j, "unit", item->unit);
    hn_json_number(j, "worst", item->worst);
    hn_json_number(j, "limit", item->limit);
    hn_json_number(j, "time", item->time);
    hn_json_text(j, "where", item->where);
    hn_json_flag(j, "pass", item->pass);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

static void put_summary(hn_json *j, const hn_summary *s) {
  hn_json_open(j, "summary", '{');
  hn_json_text(j, "method", s->method);
  hn_json_text(j, "solver", s->solver);
  hn_json_text(j, "correction", s->correction);
  hn_json_text(j, "integrator", s->integrator);
  hn_json_text(j, "coordinates", s->coordinates);
  hn_json_number(j, "time", s->time);
  hn_json_number(j, "wall", s->wall);
  hn_json_number(j, "steps", (double)s->steps);
  hn_json_number(j, "rejected", (double)s->rejected);
  hn_json_number(j, "evaluations", (double)s->evaluations);
  hn_json_number(j, "factorisations", (double)s->factorisations);
  hn_json_number(j, "regularised", (double)s->regularised);
  hn_json_number(j, "events", (double)s->events);
  hn_json_number(j, "switches", (double)s->switches);
  hn_json_number(j, "energy_drift", s->energy_drift);
  put_audit(j, s);
  hn_json_close(j, '}');
}

// Tracks say whose they are by index, and which quantities stand in them, in order.
static void put_frames(hn_json *j, const hn_packed_run *p) {
  hn_json_open(j, "frames", '{');
  // every stride-th row has a frame
  hn_json_number(j, "stride", p->stride);
  hn_json_number(j, "bodies", p->bodies);
  put_block(j, "time", &p->frame_time);
  put_block(j, "pose", &p->frame_pose);
  put_block(j, "track", &p->frame_track);
  put_block(j, "deformed", &p->frame_deformed);
  hn_json_open(j, "tracks", '[');
  for (int i = 0; i < p->tracks; i++) {
    const hn_track *t = &p->track[i];
    hn_json_open(j, NULL, '{');
    hn_json_number(j, t->force ? "force" : "joint", t->element);
    hn_json_open(j, "names", '[');
    for (int k = 0; k < t->count; k++) hn_json_text(j, NULL, t->name[k]);
    hn_json_close(j, ']');
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_close(j, '}');
}

// `zero` is what counts as round-off in each column: charts draw it as zero.
static void put_columns(hn_json *j, const hn_packed_run *p, const hn_result *r) {
  hn_json_open(j, "columns", '{');
  // of long runs the smallest and largest value of so many rows; 0: all of them
  hn_json_number(j, "per_pair", p->per_pair);
  put_block(j, "time", &p->time);
  put_block(j, "data", &p->columns);
  hn_json_open(j, "names", '[');
  // column 0 is the time
  for (int i = 1; i < r->columns; i++) hn_json_text(j, NULL, hn_result_name(r, i));
  hn_json_close(j, ']');
  hn_json_open(j, "units", '[');
  for (int i = 1; i < r->columns; i++) hn_json_text(j, NULL, hn_result_unit(r, i));
  hn_json_close(j, ']');
  hn_json_numbers(j, "zero", p->zero + 1, r->columns - 1);
  hn_json_close(j, '}');
}

// what is looked at first, and what it is called
// Chosen from the first run (record/choice.c), by names, which other runs may have or not.
static void put_charts(hn_json *j, const hn_result *r) {
  hn_curves chart[HN_CHARTS];
  int count = hn_result_choose(r, chart);
  hn_json_open(j, "charts", '[');
  for (int i = 0; i < count; i++) {
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "title", chart[i].title);
    hn_json_open(j, "names", '[');
    for (int k = 0; k < chart[i].count; k++)
      hn_json_text(j, NULL, hn_result_name(r, chart[i].column[k]));
    hn_json_close(j, ']');
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

static void put_run(hn_json *j, const hn_report_run *run, const hn_packed_run *p) {
  const char *method = run->summary ? run->summary->method : NULL;
  hn_json_open(j, NULL, '{');
  // what the caller calls it, else how it was computed, else what it is of
  hn_json_text(j, "label", run->label ? run->label : method ? method : run->result->title);
  hn_json_text(j, "message", run->message);
  hn_json_number(j, "rows", run->result->rows);
  if (run->summary) put_summary(j, run->summary);
  put_frames(j, p);
  put_columns(j, p, run->result);
  hn_json_close(j, '}');
}

// ---- what is said about the model ----------------------------------------------------------

static void put_names(hn_json *j, const char *key, const char *const *name, int count) {
  hn_json_open(j, key, '[');
  for (int i = 0; i < count; i++) hn_json_text(j, NULL, name[i]);
  hn_json_close(j, ']');
}

// What `holon check` says, for whoever opens the page later.
static void put_check(hn_json *j, const hn_check *c) {
  hn_json_open(j, "check", '{');
  hn_json_number(j, "bodies", c->bodies);
  hn_json_number(j, "joints", c->joints);
  hn_json_number(j, "forces", c->forces);
  hn_json_number(j, "velocities", c->velocities);
  hn_json_number(j, "rows", c->rows);
  hn_json_number(j, "rank", c->rank);
  hn_json_number(j, "dof", c->dof);
  hn_json_number(j, "dof_counted", c->dof_counted);
  hn_json_number(j, "moved", c->moved);
  hn_json_text(j, "coordinates", c->coordinates);
  put_names(j, "redundant", c->redundant, c->redundant_count);
  const hn_redundancy *r = c->redundancy;
  hn_json_open(j, "dependencies", '[');
  for (int i = 0; r && i < r->dependency_count; i++) hn_json_text(j, NULL, r->dependency[i].text);
  hn_json_close(j, ']');
  // NULL: redundancy was not analysed
  put_names(j, "undetermined", r ? (const char *const *)r->undetermined : NULL,
            r ? r->undetermined_count : 0);
  hn_json_close(j, '}');
}

// options that were chosen, and those everybody asks for
// Offsets and kinds come from the table of options, so that a new option appears here by itself.
static void put_settings(hn_json *j, const hn_options *options) {
  static const char asked_for[] = "method duration step output_step rtol coordinates";
  hn_json_open(j, "settings", '[');
  const hn_option *row;
  for (int i = 0; (row = hn_option_row(i)); i++) {
    const char *field = (const char *)options + row->offset;
    double number = row->words ? 0 : *(const double *)(const void *)field;
    // comparison by words and numbers; the default is part of the table
    bool chosen =
        row->words ? strcmp(field, row->info.fallback) != 0 : fabs(number - row->value) > 0;
    if (!chosen && !hn_word_in(row->info.name, asked_for)) continue;
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", row->info.name);
    if (row->words)
      hn_json_text(j, "value", field);
    else
      hn_json_number(j, "value", number);
    hn_json_text(j, "unit", row->info.unit);
    hn_json_text(j, "help", row->info.help);
    hn_json_flag(j, "chosen", chosen);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

static void put_report(hn_json *j, const hn_report *report, const hn_packed_run *packed) {
  const hn_model *model = report->model;
  hn_json_open(j, NULL, '{');
  // the page refuses formats it does not know
  hn_json_number(j, "format", 1);
  hn_json_text(j, "generator", hn_version());
  if (report->methods) hn_json_text(j, "kind", "methods");
  if (report->pick) hn_json_text(j, "kind", "pick");
  hn_json_text(j, "title", model ? hn_model_name(model) : report->run[0].result->title);
  if (model) {
    hn_report_model(j, model, report->system);
    put_check(j, hn_system_check(report->system));
    put_settings(j, report->options ? report->options : &model->options);
  } else {
    // without a model the page knows bodies by names of columns
    put_names(j, "bodies", (const char *const *)packed[0].name, packed[0].bodies);
  }
  hn_json_open(j, "runs", '[');
  for (int i = 0; i < report->run_count; i++) put_run(j, &report->run[i], &packed[i]);
  hn_json_close(j, ']');
  // what the first run shows is shown of the others too
  put_charts(j, report->run[0].result);
  if (report->live) hn_report_live(j, report);
  hn_json_close(j, '}');
}

// ---- the file ------------------------------------------------------------------------------

static hn_status check_live(const hn_report *r, const char *path, char text[HN_MESSAGE]) {
  if (!r->live) return HN_OK;
  if (!hn_report_can_live())
    return hn_fail(text, HN_ERR_UNSUPPORTED,
                   "%s: this build has no library for pages that compute (docs/building.md)", path);
  if (!r->model || !r->model->text)
    return hn_fail(text, HN_ERR_ARGUMENT, "%s: a page that computes needs the text of the model",
                   path);
  return HN_OK;
}

// `path` is only named in messages; whether it can be written is seen when it is.
static hn_status check_arguments(const hn_report *r, const char *path, char text[HN_MESSAGE]) {
  // in this order, so that the message is about the first thing that is wrong
  if (!r || !path) return hn_fail(text, HN_ERR_ARGUMENT, "no report or no path to write");
  if (r->run_count < 1 || !r->run) return hn_fail(text, HN_ERR_ARGUMENT, "a report needs a run");
  if (r->model && !r->system)
    return hn_fail(text, HN_ERR_ARGUMENT, "a report with a model needs the compiled system, too");
  for (int i = 0; i < r->run_count; i++)
    if (hn_result_rows(r->run[i].result) < 1)
      return hn_fail(text, HN_ERR_ARGUMENT, "%s: nothing was recorded, so nothing can be shown",
                     path);
  return check_live(r, path, text);
}

static void put_text(hn_save *save, const char *text) {
  hn_save_bytes(save, text, strlen(text));
}

// title and description in the page's head, for lists of files and programs that show links
// Text of an element, where only < and & matter.
static void put_title(hn_save *save, const char *title) {
  put_text(save, "<title>");
  for (; *title; title++) {
    // '>' may stand as it is
    if (*title == '<')
      put_text(save, "&lt;");
    else if (*title == '&')
      put_text(save, "&amp;");
    else
      hn_save_bytes(save, title, 1);
  }
  put_text(save, " \xc2\xb7 holon</title>\n");
}

// The limit is for all runs together.
static hn_status pack_runs(const hn_report *report, hn_packed_run *packed, hn_blob *blob) {
  // each run has an equal part
  double limit = report->data_limit > 0 ? report->data_limit : default_limit;
  hn_status status = HN_OK;
  for (int i = 0; i < report->run_count && !status; i++)
    status = hn_report_pack(&packed[i], i ? &packed[0] : NULL, report->run[i].result, report->model,
                            report->system, limit / report->run_count, blob);
  return status;
}

static hn_status put_numbers(const hn_report *report, hn_packed_run *packed, hn_save *save) {
  // a type that browsers do not run
  put_text(save, "<script type=\"text/plain\" id=\"holon-blob\">");
  hn_blob blob = {.save = save};
  hn_status status = pack_runs(report, packed, &blob);
  if (!status) hn_blob_end(&blob);
  return status;
}

// of a page that computes: compressed
static hn_status put_packed(const hn_report *report, hn_packed_run *packed, hn_save *save) {
  hn_text numbers = {0};
  hn_blob blob = {.bytes = &numbers, .brief = true};
  hn_status status = pack_runs(report, packed, &blob);
  bool good =
      !status && !numbers.failed && hn_report_numbers(save, &numbers, packed, report->run_count);
  free(numbers.text);
  return status ? status : good ? HN_OK : HN_ERR_MEMORY;
}

// Blob before description: the description says where in the blob things are.
static hn_status put_page(const hn_report *report, hn_packed_run *packed, hn_save *save) {
  // a text like others, with a zero behind it
  const char *page = (const char *)hn_embedded_report->data, *place = strstr(page, mark);
  hn_save_bytes(save, page, (size_t)(place - page));
  put_title(save, report->model ? hn_model_name(report->model) : report->run[0].result->title);
  hn_status status =
      report->live ? put_packed(report, packed, save) : put_numbers(report, packed, save);
  if (status) return status;
  put_text(save, "</script>\n<script type=\"application/json\" id=\"holon-data\">");
  hn_json j = {.save = save};
  put_report(&j, report, packed);
  put_text(save, "</script>\n");
  // behind the data: the page can be drawn while it loads
  place += strlen(mark);
  if (report->live) {
    hn_report_library(save);
    return hn_report_script(save, place) ? HN_OK : HN_ERR_MEMORY;
  }
  put_text(save, place);
  return HN_OK;
}

static void free_packed(hn_packed_run *packed, int count) {
  for (int i = 0; packed && i < count; i++) hn_packed_free(&packed[i]);
  free(packed);
}

// The caller frees both; on failure there is nothing to free.
hn_status hn_report_pack_data(const hn_report *report, hn_report_data *data) {
  // set first, so that a failure leaves nothing to free
  hn_text json = {0}, numbers = {0};
  *data = (hn_report_data){0};
  if (!report || !report->run || report->run_count < 1) return HN_ERR_ARGUMENT;
  hn_packed_run *packed = calloc((size_t)report->run_count, sizeof *packed);
  // numbers the page has already are packed all the same, for their places, but not kept
  hn_blob blob = {.bytes = report->numbers_known ? NULL : &numbers};
  hn_status status = packed ? pack_runs(report, packed, &blob) : HN_ERR_MEMORY;
  if (!status) put_report(&(hn_json){.text = &json}, report, packed);
  free_packed(packed, report->run_count);
  if (json.failed || numbers.failed) status = HN_ERR_MEMORY;
  if (status) {
    free(json.text), free(numbers.text);
    return status;
  }
  *data = (hn_report_data){json.text, numbers.text, numbers.used};
  return HN_OK;
}

// By the ending: .glb and .svg are other writers with the same arguments.
hn_status hn_report_write(const hn_report *report, const char *path, char *message, size_t size) {
  char text[HN_MESSAGE] = "";
  hn_save save;
  hn_packed_run *packed = NULL;
  hn_status status = check_arguments(report, path, text);
  if (!status && (hn_path_ends(path, ".glb") || hn_path_ends(path, ".svg"))) {
    status = hn_path_ends(path, ".glb") ? hn_gltf_write(report, path, text)
                                        : hn_report_svg(report, path, text);
    if (message && size) snprintf(message, size, "%s", text);
    return status;
  }
  // a build without the viewer
  if (!status && !hn_embedded_report->data)
    status = hn_fail(text, HN_ERR_UNSUPPORTED, "%s: this build has no report page in it", path);
  if (!status) {
    packed = calloc((size_t)report->run_count, sizeof *packed);
    if (!packed) status = hn_fail(text, HN_ERR_MEMORY, "%s: out of memory", path);
  }
  if (!status) status = hn_save_open(&save, path, text);
  if (!status) {
    hn_status failed = put_page(report, packed, &save);
    if (failed) {
      // nothing half-written takes the place of an older file
      hn_save_drop(&save);
      status = hn_fail(text, failed, "%s: out of memory", path);
    } else {
      status = hn_save_close(&save, text);
    }
  }
  if (packed) free_packed(packed, report->run_count);
  if (message && size) snprintf(message, size, "%s", text);
  return status;
}

// Before compiling: columns are chosen then.
void hn_report_prepare(hn_model *model) {
  model->keep_poses = true;
}
