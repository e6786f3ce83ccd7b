// study.h: what commands on many runs share.
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "common.h"

#include <holon/study.h>

// a whole number in an argument; false, and said so, when it is none
bool whole_number(const command *self, const char *name, const char *text, long least, long most,
                  long *out);

#endif
