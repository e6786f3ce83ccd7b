// study.h: what commands on many runs share.
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "common.h"

#include <holon/study.h>

// reads a study file; any other exit code than CODE_DONE: it was said why not
int open_study(const char *path, hn_study **study);
// the exit code of a library's refusal, which is said; messages that begin with `path` have a place
int study_failed(const char *path, hn_status status, const char *message);
// the page of a store
int write_study_page(const char *store, const char *path);
// STUDY.yaml becomes STUDY.db unless `out` names another; false, and said so: the path is too long
bool name_store(const command *self, const char *study, const char *out, char store[512]);
// a whole number in an argument; false, and said so, when it is none
bool whole_number(const command *self, const char *name, const char *text, long least, long most,
                  long *out);

#endif
