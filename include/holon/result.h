// result.h: recorded columns: kept, chosen, written, read, plotted; models as units of other
// simulators.
#ifndef HOLON_RESULT_H
#define HOLON_RESULT_H

#include <holon/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// A table: rows of numbers under named columns, the first of which is time where a run made it.
// Pointers into it are valid until a row is appended or the result destroyed.
typedef struct hn_result hn_result;

// run to options.duration, recording every output_step. On failure the result holds everything
// up to the failure and hn_sim_error() explains; *out is set whenever memory allows.
// *out is there, with the rows so far, whenever progress is called
HN_API hn_status hn_run(hn_sim *sim, hn_result **out, hn_progress_fn progress, void *user);
// A run and the companion that verifies it may go side by side, in threads or processes of their
// own (option `verify`: estimate). One run does all that hn_run does but for verifying, and for
// what the option `beam_check` asks; *states is what it keeps for that, NULL: nothing.
typedef struct hn_track hn_track;
HN_API hn_status hn_run_unverified(hn_sim *sim, hn_result **out, hn_track **states,
                                   hn_progress_fn progress, void *user);
// The other, of an equal system, stands where that one began, and runs the companion:
// numbers for programs of the same version only, to be freed by hn_free. *numbers is NULL where
// which companion it is can only be chosen afterwards, or where it fails or is stopped
HN_API hn_status hn_companion(hn_sim *sim, double **numbers, size_t *count, hn_progress_fn progress,
                              void *user);
// With these numbers, or NULL: none, the first one is verified; the summary says it from then on,
// as after hn_run. The states are gone then
HN_API void hn_run_verify(hn_sim *sim, hn_track *states, const double *beside, size_t count,
                          hn_progress_fn progress, void *user);
// in place of hn_run_verify; NULL is allowed
HN_API void hn_track_destroy(hn_track *states);
// an empty result, for data of your own: name its columns, then fill rows; NULL: out of memory
HN_API hn_result *hn_result_create(const char *title, int columns);
// names a column of such a result; both texts are copied
HN_API hn_status hn_result_set_column(hn_result *result, int column, const char *name,
                                      const char *unit);
HN_API double *hn_result_append(hn_result *result);  // a new row to fill, or NULL
HN_API void hn_result_destroy(hn_result *result);    // NULL is allowed

HN_API int hn_result_rows(const hn_result *result);                      // 0 of NULL
HN_API int hn_result_columns(const hn_result *result);                   // column 0 is time
HN_API const char *hn_result_name(const hn_result *result, int column);  // NULL past the last
HN_API const char *hn_result_unit(const hn_result *result,
                                  int column);  // "" where it has none; NULL past the last
HN_API const double *hn_result_row(const hn_result *result,
                                   int row);  // one number for every column
// what must be known to read the numbers: which reactions are a matter of choice, singular places
HN_API int hn_result_notes(const hn_result *result);                    // how many there are
HN_API const char *hn_result_note(const hn_result *result, int index);  // NULL past the end
// names are compared letter by letter
HN_API int hn_result_find(const hn_result *result, const char *name);  // column, or -1

// What a first look at a result shows: coordinates that move, speeds of shafts that turn, efforts
// of drivers and motors, the largest forces, energies. Curves of a chart have one unit and like
// sizes; residuals and round-off are never among them. Returns how many charts there are.
// most charts, and most curves in one
enum { HN_CHARTS = 6, HN_CHART_CURVES = 4 };
// one chart
typedef struct hn_curves {
  const char *title, *unit;     // of its vertical axis
  int count;                    // curves
  int column[HN_CHART_CURVES];  // which columns
} hn_curves;
// room for HN_CHARTS of them
HN_API int hn_result_choose(const hn_result *result, hn_curves chart[HN_CHARTS]);
// for every column, the size below which its numbers are round-off of the largest ones of its unit
// (torques also of what forces do along lengths; multipliers and parts of quaternions have no unit
// and count by themselves), and are shown as zero; 0 for columns that are about errors
HN_API hn_status hn_result_round_off(const hn_result *result, double *zero);

// FILE.csv or FILE.h5 by ending; written beside and renamed, so nothing half-written is left. Notes
// of FILE.csv go to FILE.csv.notes.txt, which vanishes where there are none
// .npz (numpy) is written as well; HN_ERR_ARGUMENT: another ending
HN_API hn_status hn_result_write(const hn_result *result, const char *path, char *message,
                                 size_t size);
// the same file again: all digits, names, units and notes
// *out is the caller's; notes of a CSV file are read from the file beside it
HN_API hn_status hn_result_read(hn_result **out, const char *path, char *message, size_t size);
// The file of a run that goes on (.csv or .h5): every update adds the rows recorded since, so that
// whatever ends the program leaves a file that can be read. It says that it is incomplete, with
// `text`; reading it gives a note "incomplete: TEXT". hn_result_write() replaces it at the end.
typedef struct hn_stream hn_stream;
HN_API hn_stream *
hn_stream_create(const char *path);  // NULL: out of memory. Nothing is written yet
HN_API hn_status hn_stream_update(hn_stream *stream, const hn_result *result, const char *text,
                                  char *message, size_t size);
// the same, and rows that a CSV file holds are let go of, but for the last: a run of any length
// needs no more memory. What was let go of cannot be written anew, so hn_stream_end() completes the
// file: rows that it has then, 0 when nothing was let go of (hn_result_write() does it), -1 after a
// failure
HN_API hn_status hn_stream_drain(hn_stream *stream, hn_result *result, const char *text,
                                 char *message, size_t size);
HN_API long hn_stream_end(hn_stream *stream, const hn_result *result, char *message, size_t size);
HN_API void hn_stream_destroy(hn_stream *stream);  // leaves the file as it is

// Lines over a common x axis, as SVG. Columns of different units get panels of their own; `panel`
// parts them further.
typedef struct hn_plot {
  const char *title;     // above it
  const char *x;         // column (NULL: time)
  const char *const *y;  // columns; * and ? match any text
  int y_count;           // how many patterns
  bool log_y;            // logarithmic; what is not positive is left out
  int width, height;     // [px] 0: default
  bool log_x;            // likewise
  const char *label;     // beside the vertical axes, before the unit (NULL: what the names share)
  const int *panel;      // a number for each y: equal ones share a panel (NULL: all)
  bool free_scale;       // x and y of one unit may have scales of their own
} hn_plot;
// writes it, whole or not at all; a pattern that matches no column is refused
HN_API hn_status hn_plot_write(const hn_result *result, const hn_plot *plot, const char *path,
                               char *message, size_t size);

// A unit for co-simulation and model exchange (FMU): an archive of description, model and binary.
// Inputs and outputs are the model's, parameters its parameters.
typedef struct hn_fmu_def {
  int version;         // of the standard: 2 or 3
  const void *binary;  // shared library of all FMUs (holon_fmu), which reads the model
  size_t binary_size;  // [bytes]
  // code written for the model in its place, with steps of the classical Runge-Kutta method
  bool coded;    // compiled into the binary
  bool sources;  // put into the archive
  double step;   // [s] the longest (0: the model's)
  // documentation/index.html, such as the report page of a run (NULL: a table of the variables)
  const char *page;
  size_t page_size;  // [bytes]
} hn_fmu_def;
// from the text of a model file; `name` stands for it in messages
// nothing is at `path` after a failure that was not there before
HN_API hn_status hn_fmu_write(const char *text, size_t length, const char *name,
                              const hn_fmu_def *def, const char *path, char *message, size_t size);
// The same code by itself, for controllers: texts of NAME.h and NAME.c, hn_free() them. step [s]:
// the longest (0: the model's)
HN_API hn_status hn_unit_code(const char *text, size_t length, const char *file, const char *name,
                              double step, char **header, char **source, char *message,
                              size_t size);

#ifdef __cplusplus
}
#endif
#endif
