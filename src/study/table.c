// table.c: rows of a study in memory, and columns by number.
#include "study/table.h"

#include "record/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- columns ---------------------------------------------------------------------------------

const char *hn_study_name(const hn_study *study) {
  return study->name;
}

const char *hn_study_model_path(const hn_study *study) {
  return study->model_file;
}

const char *hn_study_design(const hn_study *study) {
  return study->design->name;
}

long hn_study_runs(const hn_study *study) {
  return study->runs;
}

bool hn_study_keeps(const hn_study *study) {
  return study->keep_every > 0 || study->keeps > 0;
}

int hn_study_columns(const hn_study *study, int count[3]) {
  // factors, metrics, constraints, in the order in which they stand in a row
  int counts[3] = {study->factors, study->metrics.metrics, study->metrics.constraints};
  if (count) memcpy(count, counts, sizeof counts);
  return counts[0] + counts[1] + counts[2];
}

bool hn_study_column_at(const hn_study *study, int index, hn_study_column *column) {
  const hn_metrics *m = &study->metrics;
  if (index < 0 || index >= hn_study_columns(study, NULL)) return false;
  if (index < study->factors) {
    const hn_factor *f = &study->factor[index];
    *column = (hn_study_column){
        .kind = HN_FACTOR,
        .name = f->name,
        .unit = f->unit,
        .word_count = f->word ? f->levels : 0,
        .words = f->word,
        // plots have a logarithmic axis for it
        .logarithmic = f->law == HN_LAW_LOG || f->law == HN_LAW_LOGNORMAL,
    };
    return true;
  }
  index -= study->factors;
  bool metric = index < m->metrics;
  const hn_measure_formula *f = metric ? &m->metric[index] : &m->constraint[index - m->metrics];
  *column = (hn_study_column){.kind = metric ? HN_METRIC : HN_CONSTRAINT,
                              .name = f->name,
                              .unit = f->unit,
                              .formula = f->formula};
  return true;
}

// words of the store and of CSV files: they may be added to, never changed
const char *hn_row_status_text(hn_row_status status) {
  static const char *const text[] = {"done", "stopped", "audit", "failed", "refused"};
  // a number from outside may be none of them
  return (int)status >= 0 && (int)status < 5 ? text[status] : "?";
}

// ---- rows ------------------------------------------------------------------------------------

hn_study_table *hn_table_create(int columns) {
  hn_study_table *table = calloc(1, sizeof *table);
  if (table) table->columns = columns;
  return table;
}

void hn_study_table_destroy(hn_study_table *table) {
  if (!table) return;
  for (long i = 0; i < table->rows; i++) free(table->row[i].message);
  // each message has memory of its own, everything else lies in two blocks
  free(table->row);
  free(table->values);
  free(table);
}

// doubling; a table whose values did not grow keeps its old capacity
// 256 rows fit most studies without growing again
static bool grow(hn_study_table *table) {
  long capacity = table->capacity ? 2 * table->capacity : 256;
  // the old block stays where it was if the second one fails: nothing is lost
  hn_table_row *row = realloc(table->row, (size_t)capacity * sizeof *row);
  if (!row) return false;
  table->row = row;
  // a table without columns has a block all the same: NULL would read as a failure
  size_t width = (size_t)table->columns + 1;
  double *values = realloc(table->values, (size_t)capacity * width * sizeof *values);
  if (!values) return false;
  table->values = values;
  table->capacity = capacity;
  return true;
}

// messages are rare: each has memory of its own
hn_status hn_table_add(hn_study_table *table, const hn_run_row *row) {
  if (table->rows == table->capacity && !grow(table)) return HN_ERR_MEMORY;
  hn_table_row *to = &table->row[table->rows];
  *to = (hn_table_row){row->k, row->status, row->feasible, NULL};
  // the row is not counted yet: a failure here leaves the table as it was
  if (row->message[0] && !(to->message = hn_strdup(row->message))) return HN_ERR_MEMORY;
  memcpy(table->values + table->rows * table->columns, row->values,
         (size_t)table->columns * sizeof(double));
  table->rows++;
  return HN_OK;
}

static int by_run(const void *a, const void *b) {
  long x = ((const hn_table_row *)a)->run, y = ((const hn_table_row *)b)->run;
  return (x > y) - (x < y);
}

// rows carry their place along while they are sorted, and numbers follow
// Without memory for it the rows stay in the order in which they came: still all of them, each with
// its number.
void hn_table_sort(hn_study_table *table) {
  size_t width = (size_t)table->columns * sizeof(double);
  bool sorted = true;
  // rows of one worker come in order; so do those of a store
  for (long i = 1; i < table->rows; i++)
    sorted = sorted && table->row[i - 1].run < table->row[i].run;
  if (sorted) return;
  struct both {
    hn_table_row row;
    long from;
  } *list = malloc((size_t)table->rows * sizeof *list);
  // one byte: nothing to sort is no failure
  double *values = malloc((size_t)table->rows * width + 1);
  if (list && values) {
    for (long i = 0; i < table->rows; i++) list[i].row = table->row[i], list[i].from = i;
    qsort(list, (size_t)table->rows, sizeof *list, by_run);
    for (long i = 0; i < table->rows; i++) {
      table->row[i] = list[i].row;
      memcpy(values + i * table->columns, table->values + list[i].from * table->columns, width);
    }
    memcpy(table->values, values, (size_t)table->rows * width);
  }
  free(list);
  free(values);
}

long hn_study_table_rows(const hn_study_table *table) {
  return table ? table->rows : 0;
}

bool hn_study_table_row(const hn_study_table *table, long index, hn_study_row *row) {
  if (!table || index < 0 || index >= table->rows) return false;
  const hn_table_row *from = &table->row[index];
  *row = (hn_study_row){from->run, from->status, from->feasible,
                        table->values + index * table->columns, from->message ? from->message : ""};
  return true;
}

// ---- as a result -----------------------------------------------------------------------------

// status and words are numbers in a result, as notes of the file say
// a result has numbers only: what they stand for is said in notes
static hn_status name_columns(const hn_study *study, hn_result *result) {
  hn_status status = hn_result_set_column(result, 0, "run", "");
  if (!status) status = hn_result_set_column(result, 1, "status", "");
  if (!status) status = hn_result_set_column(result, 2, "feasible", "");
  if (!status)
    status = hn_result_add_note(result,
                                "status: 0 done, 1 stopped, 2 audit failed, 3 failed, 4 refused");
  hn_study_column c;
  // behind the three that every row has
  for (int i = 0; !status && hn_study_column_at(study, i, &c); i++) {
    status = hn_result_set_column(result, i + 3, c.name, c.unit);
    for (int k = 0; k < c.word_count && !status; k++) {
      char text[240];
      snprintf(text, sizeof text, "%s: %d %s", c.name, k, c.words[k]);
      status = hn_result_add_note(result, text);
    }
  }
  return status;
}

hn_status hn_study_table_result(const hn_study *study, const hn_study_table *table,
                                hn_result **out) {
  *out = hn_result_create(study->name, table->columns + 3);
  if (!*out) return HN_ERR_MEMORY;
  hn_status status = name_columns(study, *out);
  for (long i = 0; i < table->rows && !status; i++) {
    double *row = hn_result_append(*out);
    // the caller has *out, and destroys it
    if (!row) return HN_ERR_MEMORY;
    row[0] = (double)table->row[i].run;
    row[1] = table->row[i].status;
    row[2] = table->row[i].feasible;
    memcpy(row + 3, table->values + i * table->columns, (size_t)table->columns * sizeof(double));
  }
  return status;
}

// ---- one of them alone -----------------------------------------------------------------------

// a run of a study looked at alone has what the model asks to be recorded, which its row has not
// as the study's own runs make it, but with all columns
hn_status hn_study_model(const hn_study *study, long k, hn_model **out, char *message,
                         size_t size) {
  char text[HN_MESSAGE];
  hn_member *member = NULL;
  // 256: the most factors a study may have (read_design.c)
  double values[256];
  *out = NULL;
  hn_status status = hn_study_values(study, k, values);
  if (status) {
    snprintf(message, size, "there is no run %ld: they go from 0 to %ld", k, study->runs - 1);
    return status;
  }
  status = hn_member_open(study, &member, text);
  if (status)
    snprintf(message, size, "%s", text);
  else
    status = hn_member_model(member, values, true, out, message, size);
  hn_member_close(member);
  return status;
}
