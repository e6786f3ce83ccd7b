// study.h: many runs of one model.
//
// A study says which factors of a model vary, how, and what is to be known of every run (metrics,
// constraints). Run number k of it is a function of the study and of k alone: its row is the same,
// bit by bit, whoever computes it, when, and in which order (docs/commands/study.md).
//
//   hn_study        what is asked: factors, design, metrics              read from a file
//   hn_study_run    computes rows, in parallel; keeps them in a store    survives whatever ends it
//   hn_study_table  the rows, in the order of the runs
#ifndef HOLON_STUDY_H
#define HOLON_STUDY_H

#include <holon/holon.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- 1. Studies ------------------------------------------------------------------------------

// A study never changes once it is read. It keeps the text of its model.
typedef struct hn_study hn_study;

// reads a study file and the model it names; errors read "file:line:column: what is wrong (hint)"
HN_API hn_status hn_study_load(hn_study **out, const char *path, char *message, size_t size);
// the same from memory. `name` stands for the file in messages; a model is looked for beside it.
// `model`, if not NULL, is the text of the model, and `model_name` stands for its file
HN_API hn_status hn_study_parse(hn_study **out, const char *text, size_t length, const char *name,
                                const char *model, const char *model_name, char *message,
                                size_t size);
HN_API void hn_study_destroy(hn_study *study);            // NULL is allowed
HN_API const char *hn_study_name(const hn_study *study);  // as the file says; the study owns it
HN_API const char *hn_study_model_path(const hn_study *study);  // of the model file
HN_API const char *hn_study_design(const hn_study *study);      // "latin-hypercube"
HN_API long hn_study_runs(const hn_study *study);               // they are counted from 0
HN_API bool hn_study_keeps(const hn_study *study);              // trajectories of some runs

// columns of the table: factors, then metrics, then constraints
typedef enum hn_study_kind { HN_FACTOR, HN_METRIC, HN_CONSTRAINT } hn_study_kind;
typedef struct hn_study_column {
  hn_study_kind kind;        // which of the three
  const char *name, *unit;   // the study owns them
  const char *formula;       // of metrics and constraints; NULL for factors
  int word_count;            // a factor of words: its values are their numbers from 0
  const char *const *words;  // NULL: numbers
  bool logarithmic;          // a factor spread over orders of magnitude
} hn_study_column;
// returns how many there are in all
HN_API int hn_study_columns(const hn_study *study, int count[3]);  // of each kind; may be NULL
// by number from 0; false past the last
HN_API bool hn_study_column_at(const hn_study *study, int index, hn_study_column *column);

// values of the factors in run k, with room for all of them; HN_ERR_ARGUMENT: there is no such run
HN_API hn_status hn_study_values(const hn_study *study, long k, double *values);
// the model of run k, ready to be compiled; on failure `message` explains
// the caller destroys it
HN_API hn_status hn_study_model(const hn_study *study, long k, hn_model **out, char *message,
                                size_t size);
// "holon run four_bar.yaml --set crank=2.1 ...": the same run alone; hn_free() it, NULL: no memory
HN_API char *hn_study_command(const hn_study *study, long k);

// ---- 2. Rows ---------------------------------------------------------------------------------

// how a run ended
typedef enum hn_row_status {
  HN_ROW_DONE,     // finished, and the audit passed
  HN_ROW_STOPPED,  // by a condition of the study: metrics are those up to there
  HN_ROW_AUDIT,    // finished, but the audit failed; metrics are there, to be used with care
  HN_ROW_FAILED,   // the run broke off: no metrics
  HN_ROW_REFUSED,  // no model can be made of these values: no metrics
} hn_row_status;
// one word; "?" where it is no status
HN_API const char *hn_row_status_text(hn_row_status status);

// one run; what it points to belongs to the table
typedef struct hn_study_row {
  long run;              // its number
  hn_row_status status;  // how it ended
  bool feasible;         // it is audited, or stopped as asked, and keeps all constraints
  const double *values;  // of all columns; NAN where there is none. A constraint is kept where its
                         // value is at most 0
  const char *message;   // why it is not HN_ROW_DONE; "" when it is
} hn_study_row;

// rows in the order of the runs; some may be missing
typedef struct hn_study_table hn_study_table;
HN_API void hn_study_table_destroy(hn_study_table *table);     // NULL is allowed
HN_API long hn_study_table_rows(const hn_study_table *table);  // those there are
// by index from 0, which is not the number of the run where some are missing
// `row` is filled with pointers into the table; false: there is no such row
HN_API bool hn_study_table_row(const hn_study_table *table, long index, hn_study_row *row);
// numbers only: run, status, feasible, then all columns; words are told in the notes
// the caller destroys *out, also after a failure, which HN_ERR_MEMORY alone is
HN_API hn_status hn_study_table_result(const hn_study *study, const hn_study_table *table,
                                       hn_result **out);

// Sobol's indices of a metric (by number from 0): the part of its variance that each factor brings
// about alone and, where the design is `saltelli` (NAN otherwise), with the others. false: too few
// rows, or the metric does not vary
// both arrays have room for all factors
HN_API bool hn_study_effects(const hn_study *study, const hn_study_table *table, int metric,
                             double *first, double *total);
// a page for a browser: scatter matrix, parallel coordinates, heat map, effects, distributions
// written whole or not at all
HN_API hn_status hn_study_page(const hn_study *study, const hn_study_table *table, const char *path,
                               char *message, size_t size);

// ---- 3. Running ------------------------------------------------------------------------------

// how far a study is
typedef struct hn_study_progress {
  long runs, done;       // of this part of the study; those found in the store included
  long found;            // in the store, at the beginning
  long count[5];         // of each hn_row_status, of the rows computed now
  double seconds, rate;  // since the beginning; runs a second
} hn_study_progress;
// asked now and then; false ends the study, and what is done is kept
typedef bool (*hn_study_progress_fn)(void *user, const hn_study_progress *progress);

// hands out numbers 0, 1, 2 ... to all who work on a study, in this process or in others
typedef struct hn_study_counter {
  long (*next)(void *user, long count);  // the first of `count` that are the caller's from now on
  void *user;                            // handed to `next` as it is
  int workers;                           // how many processes share it
} hn_study_counter;

// how a study is run; zero is the default of everything
typedef struct hn_study_options {
  const char *engine;  // see hn_study_engine_at(); NULL: the first
  int jobs;            // threads (0: one for each processor)
  int shard, shards;   // only runs k with k mod shards == shard (shards 0: all)
  const char *store;   // database file; NULL: rows are kept in memory only
  const char *part;    // write to STORE.part.PART, which hn_store_merge takes in (NULL: with shards
                       // "SHARD-of-SHARDS", otherwise to the store itself)
  bool resume;         // go on with the store as it is; otherwise it must not be there yet
  const char *keep;    // folder for the trajectories that the study asks to be kept; NULL: none
  hn_study_progress_fn progress;    // NULL: nobody is asked
  void *user;                       // handed to `progress` as it is
  const hn_study_counter *counter;  // NULL: one of its own
} hn_study_options;

// Computes what is missing. *table (may be NULL) gets all rows that are there. HN_ERR_INTERRUPTED:
// stopped by `progress`.
// `message` (size bytes) says what is wrong, also with the study
HN_API hn_status hn_study_run(const hn_study *study, const hn_study_options *options,
                              hn_study_table **table, char *message, size_t size);
// the kinds of engines, by number; NULL past the end
// the first is what options without one mean; `help` may be NULL
HN_API const char *hn_study_engine_at(int index, const char **help);

// ---- 4. Searches -----------------------------------------------------------------------------

// The values for which a metric is least, and all constraints kept (section `optimise` of a study),
// by the method named there. With a store it can be resumed, and its rows are those of a study
typedef struct hn_optimum {
  long run;                       // which row is the best
  double *values;                 // of all columns there
  bool feasible;                  // it keeps the constraints
  bool converged;                 // otherwise evaluations ran out
  long evaluations, generations;  // runs, and steps from one place to the next
  double spread;                  // step size at the end, as part of the ranges
  const char *method;             // by which it was found
} hn_optimum;
// the methods there are, by number; NULL past the end
// `help` may be NULL
HN_API const char *hn_study_method_at(int index, const char **help);
// *out is the caller's: hn_optimum_destroy
// HN_ERR_ARGUMENT: the study has no section `optimise`. What was found before `progress` stopped it
// is there
HN_API hn_status hn_study_optimise(const hn_study *study, const hn_study_options *options,
                                   hn_optimum **out, char *message, size_t size);
HN_API void hn_optimum_destroy(hn_optimum *optimum);  // NULL is allowed

// The values for which runs come nearest to measured columns (section `fit`): least squares by
// Levenberg and Marquardt
typedef struct hn_fitted {
  int factors, points, iterations;  // points: measured numbers compared
  long runs;                        // it took
  bool converged;                   // otherwise it ended early
  double *value, *error;            // estimates and their standard deviations
  bool *at_end;                     // an estimate lies at the end of its range
  double *covariance;               // factors x factors
  double variance;                  // of the residuals; of weighted ones 1 is expected
  hn_result *residuals;             // time, then COLUMN.measured, COLUMN.model, COLUMN.residual
} hn_fitted;
// *out is the caller's: hn_fitted_destroy
// HN_ERR_ARGUMENT: the study has no section `fit`; HN_ERR_SINGULAR: the measurements do not
// determine all factors
HN_API hn_status hn_study_fit(const hn_study *study, const hn_study_options *options,
                              hn_fitted **out, char *message, size_t size);
HN_API void hn_fitted_destroy(hn_fitted *fitted);  // NULL is allowed

// ---- 5. Derivatives --------------------------------------------------------------------------

// Exact derivatives of runs with respect to the factors of a study (parameters, initial values,
// places): of the steps taken, projections onto the constraints included, by code that is written
// and compiled for the model. Methods and models are those of the engine `lanes`. What has no code
// (impacts, forces that switch, states ...) is run by the library in steps of one length, and
// differences of eighth order, whose error is known, take the place of code, through all events;
// where neighbours meet other events, conditions stop runs or the audit fails, it is refused in
// words
typedef struct hn_slopes hn_slopes;
typedef enum hn_way {
  HN_FORWARD,   // along every factor: cost grows with the factors
  HN_BACKWARD,  // from every metric: cost grows with the metrics, whatever the number of factors
} hn_way;
// one thread at a time; the study has to live as long
HN_API hn_status hn_slopes_open(const hn_study *study, hn_slopes **out, char *message, size_t size);
// what it made is released; results stay the caller's
HN_API void hn_slopes_close(hn_slopes *slopes);  // NULL is allowed
// metrics, then constraints, where the factors have these values (may be NULL), and their
// derivatives: row i of `derivatives` is that of metric or constraint i, with a number for every
// factor
HN_API hn_status hn_slopes_metrics(hn_slopes *slopes, const double *factors, hn_way way,
                                   double *values, double *derivatives, char *message, size_t size);
// the run itself: time, columns that the study reads, then COLUMN.by.FACTOR for each of them
// *out is the caller's
HN_API hn_status hn_slopes_rows(hn_slopes *slopes, const double *factors, hn_result **out,
                                char *message, size_t size);

// ---- 6. Stores -------------------------------------------------------------------------------

// A database (SQLite) with the study, its model and the rows. Who computes for it without sharing
// memory writes a part of his own, STORE.part.NAME, which hn_store_merge takes in.
typedef struct hn_store_info {
  long runs, rows, parts;  // of the study; done; parts not yet taken in
  long count[5];           // of each hn_row_status
  long feasible;           // rows that are
} hn_store_info;
// no row is changed or added: other processes may be writing meanwhile
HN_API hn_status hn_store_status(const char *store, hn_store_info *info, char *message,
                                 size_t size);
// the study it is of, as it was when the store was made
// *out is the caller's, and needs neither the store nor the files any more
HN_API hn_status hn_store_study(const char *store, hn_study **out, char *message, size_t size);
// all rows that are in it
// runs that are missing are not in it
HN_API hn_status hn_store_table(const char *store, hn_study_table **out, char *message,
                                size_t size);
// makes the store, or, with `resume`, sees that it is of this study and takes in its parts: for one
// process to do before several write parts of it
HN_API hn_status hn_store_prepare(const hn_study *study, const char *store, bool resume,
                                  char *message, size_t size);
// rows of all parts lying beside the store go into it, and the parts go
HN_API hn_status hn_store_merge(const char *store, char *message, size_t size);
// FILE.csv or FILE.h5, written whole or not at all
HN_API hn_status hn_store_export(const char *store, const char *path, char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
