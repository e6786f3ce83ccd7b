// sheet.h: columns of one or several results laid out for one plot.
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "common.h"

typedef struct variant {
  const char *path;
  char label[64];  // the file's name, short
  hn_result *result;
} variant;

// reads all files and names them apart; says itself what is wrong, and answers an exit code then
int read_variants(variant *v, int count, char *const *paths);
// the label by the path
void name_variant(variant *v);
void free_variants(variant *v, int count);

typedef struct sheet {
  hn_result *result;  // owned, as are the lists
  const char **y;
  int *panel;
  int y_count;
} sheet;

// `wanted` names columns of the first result (with * and ?); false: out of memory. degrees: angles
// in degrees, speeds in turns per minute. difference: also each run less the first
bool make_sheet(sheet *s, const hn_plot *wanted, const variant *v, int count, bool degrees,
                bool difference);
void free_sheet(sheet *s);

#endif
