// reproduce_bauchau2008.h: parts of the review in files of their own.
#ifndef CLI_REPRODUCE_BAUCHAU2008_H
#define CLI_REPRODUCE_BAUCHAU2008_H

#include "reproduce.h"

// section 2; false: a run failed, and the report says so
bool index_reduction(report *r);

#endif
