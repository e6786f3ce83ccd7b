// engine.h: who computes the rows of a study.
//
// An engine is one table: it is given numbers of runs and fills in their rows. Every worker (a
// thread) opens it once and calls it with batches of its own; nothing is shared between workers but
// the study, which nobody changes. To add one: a file with a `const hn_engine` at its end, a line
// in engines.c.
//
// What an engine must keep to:
//  - A row is a function of (study, k). It must not depend on who else is in the batch, how large
//    the batch is, or which worker has it: members that share lanes or a device have to come out as
//    they would alone.
//  - Every row is filled, whatever happens: status, message, metrics and constraints. Members that
//    need something the engine has not got (events, refused steps, singular places) are finished by
//    hn_member_run, which is what the engine `library` does for all.
//  - Engines may differ from each other by round-off only; each row is audited as by the library.
#ifndef HN_ENGINE_H
#define HN_ENGINE_H

#include "study/study.h"

#include <stdatomic.h>

// Rows are plain data, so that engines, stores and searches can hand them on; `message` has a fixed
// size, since a batch of thousands must not allocate.
// what becomes of one run; `values` has room for all columns of the study and comes with the
// factors filled in and NAN behind them
typedef struct hn_run_row {
  long k;                // number of the run
  hn_row_status status;  // how it ended
  bool feasible;
  double *values;
  char message[256];
} hn_run_row;

// what an engine is handed at once
typedef struct hn_run_batch {
  hn_run_row *rows;  // rows[i].k says which
  int count;
  const char *keep;         // folder for trajectories; NULL: none
  const atomic_bool *stop;  // becomes true when the study is to end: rows may be left undone then
} hn_run_batch;

// points given one by one, in the place of the study's design
typedef struct hn_points {
  long first;  // number of the first run
  int count;
  const double *values;  // count x factors
  hn_run_row *rows;      // filled; those that are known are left alone
  const bool *known;
} hn_points;

typedef struct hn_engine {
  const char *name, *help;
  int batch;  // members it wants to be given at once at least, while there are so many
  // the state of one worker. HN_ERR_UNSUPPORTED and a sentence: it cannot do this study
  hn_status (*open)(const hn_study *study, void **state, char message[HN_MESSAGE]);
  // how many rows, from the first, were filled: all of them unless the study is to end
  int (*run)(void *state, const hn_run_batch *batch);
  void (*close)(void *state);
} hn_engine;

const hn_engine *hn_engine_find(const char *name);  // NULL: the first; NULL when there is none

// ---- member.c: one run by the library --------------------------------------------------------

// the workshop of one worker: the model file read once, buffers that are used again
typedef struct hn_member hn_member;
hn_status hn_member_open(const hn_study *study, hn_member **out, char message[HN_MESSAGE]);
void hn_member_close(hn_member *member);
// the model of run k: parameters, places and options set, nothing compiled yet. The caller destroys
// *out, or comes with it again: what another run left there is gone then, and its memory is used.
// NULL at first, and after a failure. With `all_columns` what the model asks to be recorded stays;
// otherwise only what the metrics need is
hn_status hn_member_model(hn_member *member, const double *factors, bool all_columns,
                          hn_model **out, char *message, size_t size);
// how often the whole file was read for it
long hn_member_readings(const hn_member *member);
// is the trajectory of run k to be kept?
bool hn_run_is_kept(const hn_study *study, long k);
// a whole run into its row; false: the study is to end, and the row is not there
bool hn_member_run(hn_member *member, hn_run_row *row, const char *keep, const atomic_bool *stop);
// the recorded columns of a run, audited; on failure the message says what is wrong
hn_status hn_member_result(hn_member *member, const double *factors, hn_result **out, char *message,
                           size_t size);
// metrics and constraints from a recorded result up to row `rows`; `model`: for its parameters.
// false and row->message: a column is not there
bool hn_member_measure(hn_member *member, const hn_model *model, const hn_result *result, int rows,
                       hn_run_row *row);
// the same, where the model has become another since: `constant` as hn_member_constants() said
bool hn_member_measure_with(hn_member *member, const double *constant, const hn_result *result,
                            int rows, hn_run_row *row);
// constants that the metrics read: parameters of the model, factors
void hn_member_constants(const hn_member *member, const hn_model *model, const double *factors,
                         double *constant);
// of the run measured last: hn_metrics_back
hn_status hn_member_back(hn_member *member, const hn_result *result, int rows, int which, double *z,
                         double *constant, char message[HN_MESSAGE]);

#endif
