// export.c: the table of a study as a file.
#include "base/file.h"
#include "study/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// quoted where the reader of a CSV file would take it for something else
static void put_text(hn_save *save, const char *text) {
  // as RFC 4180 has it: quotation marks inside are doubled
  if (!strpbrk(text, ",\"\n")) {
    hn_save_bytes(save, text, strlen(text));
    return;
  }
  hn_save_bytes(save, "\"", 1);
  for (; *text; text++) hn_save_bytes(save, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  hn_save_bytes(save, "\"", 1);
}

// numbers that are not there stay empty
static void put_value(hn_save *save, const hn_study_column *c, double value) {
  char number[HN_NUMBER_SIZE];
  hn_save_bytes(save, ",", 1);
  // NAN is what was not computed; readers of CSV take an empty field for that
  if (isnan(value)) return;
  if (c->words) {
    put_text(save, c->words[(int)value]);
    return;
  }
  int length = hn_number_text(number, value);
  hn_save_bytes(save, number, (size_t)length);
}

// text that is no number (words, messages) stays text here; HDF5 has numbers and notes (table.c)
hn_status hn_table_write_csv(const hn_study *study, const hn_study_table *table, const char *path,
                             char message[HN_MESSAGE]) {
  hn_save save;
  hn_study_column c;
  hn_study_row row;
  char text[64];
  // nothing was made yet: the reason stands in message
  hn_status status = hn_save_open(&save, path, message);
  if (status) return status;
  hn_save_bytes(&save, "run,status,feasible", 19);
  for (int i = 0; hn_study_column_at(study, i, &c); i++) {
    hn_save_bytes(&save, ",", 1);
    put_text(&save, c.name);
  }
  hn_save_bytes(&save, ",message\n", 9);
  // rows as they are in the table: sorted by run
  for (long r = 0; hn_study_table_row(table, r, &row); r++) {
    int length = snprintf(text, sizeof text, "%ld,%s,%d", row.run, hn_row_status_text(row.status),
                          row.feasible);
    hn_save_bytes(&save, text, (size_t)length);
    for (int i = 0; hn_study_column_at(study, i, &c); i++) put_value(&save, &c, row.values[i]);
    hn_save_bytes(&save, ",", 1);
    put_text(&save, row.message);
    hn_save_bytes(&save, "\n", 1);
  }
  // written whole or not at all (base/file.h)
  return hn_save_close(&save, message);
}

// the study comes from the store itself: files of that time need not be there any more
hn_status hn_store_export(const char *store, const char *path, char *message, size_t size) {
  hn_study *study = NULL;
  hn_study_table *table = NULL;
  hn_result *result = NULL;
  char text[HN_MESSAGE];
  // both are read: the study says what columns are, the table has only numbers
  hn_status status = hn_store_study(store, &study, message, size);
  if (!status) status = hn_store_table(store, &table, message, size);
  if (!status && hn_path_ends(path, ".csv")) {
    status = hn_table_write_csv(study, table, path, text);
    if (status) snprintf(message, size, "%s", text);
  } else if (!status) {
    status = hn_study_table_result(study, table, &result);
    if (status)
      snprintf(message, size, "out of memory");
    else
      // formats by the ending of the path, as for results of runs
      status = hn_result_write(result, path, message, size);
  }
  hn_result_destroy(result);
  hn_study_table_destroy(table);
  hn_study_destroy(study);
  return status;
}
