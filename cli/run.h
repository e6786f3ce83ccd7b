// run.h: what a run came to, and how it is told.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "common.h"

typedef struct outcome {
  const char *path;  // of the model
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_result *result;
  double duration;  // [s] asked for
  hn_status status;
  char message[512];  // why it failed
  hn_summary summary;
  const char *written;  // path of the result; NULL: none was written
  const char *report;   // path of the report page; NULL: none was written
  long streamed;        // rows that went into the result as they came; 0: it is written at the end
  char unwritten[512];  // why the last of them did not; streamed is -1 then
  bool unsaved;         // one of them could not be written
  int code;             // exit code
} outcome;

// for people, on standard output
void print_outcome(const outcome *o);
// what went wrong, on standard error
void print_verdict(const outcome *o);
// one object on standard output
void print_outcome_json(const outcome *o);
// the same when the model could not be run at all
void print_refusal_json(const outcome *o);
// what the number of elements of beams does, where that was asked for
void print_beams(const hn_beam_error *e);
void put_beams(json *j, const hn_beam_error *e);

#endif
