// options.h: the table behind hn_options, for the model reader and the schema.
#ifndef HN_OPTIONS_H
#define HN_OPTIONS_H

#include "base/base.h"

typedef struct hn_option {
  hn_option_info info;
  size_t offset;                      // of the field in hn_options
  const char *(*word_at)(int index);  // allowed words, NULL past the end; NULL for numbers
  double value;                       // numbers: default and allowed range
  double low, high;
  bool automatic;  // 0 (or the empty word) is allowed too: it leaves the choice to holon
} hn_option;

const hn_option *hn_option_find(const char *name);  // NULL when unknown
const hn_option *hn_option_row(int index);          // NULL past the end

#endif
