// computed.h: columns that are formulas of other columns.
#ifndef HN_COMPUTED_H
#define HN_COMPUTED_H

#include "model/model.h"
#include "system/system.h"

// names of columns and signals that the model's formulas read; they are recorded as well. To be
// released with hn_names_free
typedef struct hn_names {
  int count, capacity;
  char **name;
} hn_names;
hn_status hn_computed_names(hn_model *model, hn_names *names);
bool hn_names_have(const hn_names *names, const char *name);
void hn_names_free(hn_names *names);

// all other columns are there, and these too; their formulas become programs
hn_status hn_computed_create(hn_system *sys, hn_model *model);
void hn_computed_destroy(hn_system *sys);
// number k of them, from what stands before it in the row
double hn_computed_value(const hn_work *work, int k, const double *row);

#endif
