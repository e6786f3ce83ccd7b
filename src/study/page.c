// page.c: a study as one page for a browser: the template of viewer/ with the table put in.
#include "base/json.h"
#include "io/embed.h"
#include "study/optimise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 20000 };  // shown; more would be a cloud without points

// where the template wants its data
static const char mark[] = "<!--holon-data-->";

// pages are built into the library (io/embed.h): none are read from a folder
static const hn_embedded_file *template_page(void) {
  const hn_embedded_file *file = hn_embedded_report;
  while (file->name && strcmp(file->name, "study") != 0) file++;
  return file->name ? file : NULL;
}

static void put_columns(hn_json *j, const hn_study *study) {
  // in the order of hn_study_kind
  static const char *const kinds[] = {"factor", "metric", "constraint"};
  hn_study_column c;
  hn_json_open(j, "columns", '[');
  // columns come with what the page needs for axes and tables
  for (int i = 0; hn_study_column_at(study, i, &c); i++) {
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", c.name);
    hn_json_text(j, "unit", c.unit);
    hn_json_text(j, "kind", kinds[c.kind]);
    if (c.formula) hn_json_text(j, "formula", c.formula);
    if (c.logarithmic) hn_json_flag(j, "log", true);
    // rows hold numbers of words: the page puts the words in their places
    if (c.words) {
      hn_json_open(j, "words", '[');
      for (int k = 0; k < c.word_count; k++) hn_json_text(j, NULL, c.words[k]);
      hn_json_close(j, ']');
    }
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

// what was searched for: the page tells how it went on
static void put_search(hn_json *j, const hn_study *study) {
  const struct hn_optimise *o = study->optimise;
  if (!o) return;
  hn_json_open(j, "optimise", '{');
  hn_json_text(j, "method", o->way->name);
  // of the metric among all columns: factors stand before it
  hn_json_number(j, "column", study->factors + o->metric);
  hn_json_flag(j, "maximise", o->maximise);
  hn_json_close(j, '}');
}

// A page knows all rows, and puts the command of one together when it is asked for: `head` is what
// all of them have in common, `factors` the option of each and what stands before its value. A
// study that sets places of the file has no such command: holon study --show writes the model out.
// the pieces of hn_study_command()
static void put_command(hn_json *j, const hn_study *study) {
  bool places = false;
  for (int i = 0; i < study->factors; i++)
    places = places || study->factor[i].target == HN_SET_PLACE;
  // texts are made apart, since they become values of the outer one
  hn_text head = {0}, file = {0};
  hn_study_command_head(study, &head);
  hn_study_command_word(&file, study->file);
  hn_json_open(j, "command", '{');
  if (places) hn_json_text(j, "show", file.text);
  hn_json_text(j, "head", head.text);
  hn_json_open(j, "factors", '[');
  for (int i = 0; i < study->factors; i++) {
    char text[300];
    snprintf(text, sizeof text, "%.250s=", study->factor[i].path);
    hn_json_open(j, NULL, '[');
    hn_json_text(j, NULL, hn_study_command_option(&study->factor[i]));
    hn_json_text(j, NULL, text);
    hn_json_close(j, ']');
  }
  hn_json_close(j, ']');
  hn_json_close(j, '}');
  free(head.text);
  free(file.text);
}

static void put_effect(hn_json *j, const hn_study *study, const double *first,
                       const double *total) {
  // in the order of factors, as values stand in rows
  hn_json_open(j, "factors", '[');
  for (int i = 0; i < study->factors; i++) {
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", study->factor[i].name);
    hn_json_number(j, "first", first[i]);
    hn_json_number(j, "total", total[i]);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

// metrics that do not vary are left out
static void put_effects(hn_json *j, const hn_study *study, const hn_study_table *table) {
  // 256: the most factors a study may have
  double first[256], total[256];
  hn_json_open(j, "effects", '{');
  // what the numbers mean is said by the page in these words
  hn_json_text(j, "how",
               study->base
                   ? "Sobol's indices: part of a metric's variance that a factor brings "
                     "about alone (blue), and with others (grey)."
                   : "Part of a metric's variance that a factor brings about alone, from "
                     "means in slices of it; a design 'saltelli' gives total effects, too.");
  hn_json_open(j, "metrics", '[');
  for (int m = 0; m < study->metrics.metrics; m++) {
    if (!hn_study_effects(study, table, m, first, total)) continue;
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", study->metrics.metric[m].name);
    put_effect(j, study, first, total);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_close(j, '}');
}

// every n-th row where there are too many; statistics were computed of all
static void put_rows(hn_json *j, const hn_study_table *table) {
  hn_study_row row;
  // a stride, not a random choice: pages of one table are the same
  long stride = (table->rows + MOST_ROWS - 1) / MOST_ROWS;
  hn_json_open(j, "rows", '[');
  for (long i = 0; hn_study_table_row(table, i, &row); i += stride > 0 ? stride : 1) {
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "run", (double)row.run);
    hn_json_text(j, "status", hn_row_status_text(row.status));
    hn_json_flag(j, "feasible", row.feasible);
    if (row.message[0]) hn_json_text(j, "message", row.message);
    hn_json_numbers(j, "values", row.values, table->columns);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

// viewer/ reads these keys: see there before changing one
static void put_data(hn_json *j, const hn_study *study, const hn_study_table *table) {
  // as many as there are statuses (hn_row_status)
  long count[5] = {0};
  for (long i = 0; i < table->rows; i++) count[table->row[i].status]++;
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", study->name);
  hn_json_text(j, "model", study->model_file);
  hn_json_text(j, "design", study->design->name);
  hn_json_number(j, "runs", (double)study->runs);
  hn_json_number(j, "done", (double)table->rows);
  hn_json_open(j, "count", '{');
  for (int i = 0; i < 5; i++)
    hn_json_number(j, hn_row_status_text((hn_row_status)i), (double)count[i]);
  hn_json_close(j, '}');
  put_columns(j, study);
  put_search(j, study);
  put_command(j, study);
  put_effects(j, study, table);
  put_rows(j, table);
  hn_json_close(j, '}');
}

// written as it is made: a large table is never in memory twice
hn_status hn_study_page(const hn_study *study, const hn_study_table *table, const char *path,
                        char *message, size_t size) {
  char text[HN_MESSAGE];
  const hn_embedded_file *page = template_page();
  // the mark is looked for before the file is opened: nothing is left behind on failure
  const char *at = page ? strstr((const char *)page->data, mark) : NULL;
  if (!at) {
    snprintf(message, size, "this library was built without its pages");
    return HN_ERR_UNSUPPORTED;
  }
  hn_save save;
  hn_status status = hn_save_open(&save, path, text);
  if (!status) {
    static const char before[] = "<script type=\"application/json\" id=\"holon-study\">";
    hn_json j = {.save = &save};
    hn_save_bytes(&save, page->data, (size_t)(at - (const char *)page->data));
    hn_save_bytes(&save, before, strlen(before));
    put_data(&j, study, table);
    hn_save_bytes(&save, "</script>", 9);
    at += strlen(mark);
    hn_save_bytes(&save, at, strlen(at));
    status = hn_save_close(&save, text);
  }
  if (status) snprintf(message, size, "%s", text);
  return status;
}
