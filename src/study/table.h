// table.h: rows of a study in memory.
#ifndef HN_TABLE_H
#define HN_TABLE_H

#include "study/engine.h"

// numbers of a row are apart from it: sorting and statistics want one or the other
typedef struct hn_table_row {
  long run;
  hn_row_status status;
  bool feasible;
  char *message;  // NULL: none
} hn_table_row;

struct hn_study_table {
  int columns;
  long rows, capacity;
  hn_table_row *row;
  double *values;  // rows x columns
};

hn_study_table *hn_table_create(int columns);  // NULL: out of memory
// a copy of the row at the end
hn_status hn_table_add(hn_study_table *table, const hn_run_row *row);
void hn_table_sort(hn_study_table *table);  // by run

hn_status hn_table_write_csv(const hn_study *study, const hn_study_table *table, const char *path,
                             char message[HN_MESSAGE]);

#endif
