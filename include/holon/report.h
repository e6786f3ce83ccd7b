// report.h: one page that shows a run.
#ifndef HOLON_REPORT_H
#define HOLON_REPORT_H

#include <holon/result.h>

#ifdef __cplusplus
extern "C" {
#endif

// one run in a report; the first is the one looked at, the others are laid over it
typedef struct hn_report_run {
  const char *label;          // NULL: the method's name
  const hn_result *result;    // rows of all body poses, see hn_report_prepare
  const hn_summary *summary;  // NULL: not known
  const char *message;        // why it ended early; NULL: it did not
} hn_report_run;
// What is to be on the page. Everything in it stays the caller's, and has to live until the call
// returns.
typedef struct hn_report {
  const hn_model *model;      // NULL: bodies are known by their recorded positions only
  const hn_system *system;    // compiled from the model; needed with it
  const hn_options *options;  // of the run (NULL: the model's)
  const hn_report_run *run;   // at least one
  int run_count;              // how many
  double data_limit;          // [bytes] of packed numbers; more are thinned out (0: 24 MB)
  bool methods;               // the runs differ by their methods only: violations are shown as well
  double at;                  // [s] the instant of a picture
  bool pick;                  // the runs are alternatives, such as modes: one is shown at a time
  // The page computes: it carries the library as WebAssembly and the text of the model, which was
  // told to keep it (hn_model_keep_text). Options that were set beside the file are named here,
  // "method=rk4", since the file does not have them.
  bool live;                        // needs hn_report_can_live()
  const char *const *live_options;  // "NAME=VALUE"
  int live_option_count;            // how many
  // hn_report_pack_data was asked for the same rows before: it says what has been learnt about them
  // since, such as the audit, and leaves the numbers out, which are where they were
  bool numbers_known;
} hn_report;
// Writes the page, whole or not at all; `message` (size bytes) says why not. Nothing is fetched
// from a network when it is opened. one HTML file: the mechanism moving in 3-D, charts, summary;
// with a path in .glb glTF 2.0, moving; in .svg a plain drawing of the mechanism at the instant
// `at`
HN_API hn_status hn_report_write(const hn_report *report, const char *path, char *message,
                                 size_t size);
// is the library for pages that compute part of this build?
// decided when the library was built
HN_API bool hn_report_can_live(void);
// what such a page shows of a run: the JSON text and the numbers that a page holds; hn_free() both
typedef struct hn_report_data {
  char *json;     // everything but the rows
  void *numbers;  // the rows, packed
  size_t size;    // of the numbers [bytes]
} hn_report_data;
// nothing is to be freed after a failure
HN_API hn_status hn_report_pack_data(const hn_report *report, hn_report_data *data);
// a report needs the poses of all bodies: where the model restricts its outputs, they are recorded
// nevertheless. call it before hn_compile
// without restricted outputs nothing changes
HN_API void hn_report_prepare(hn_model *model);

#ifdef __cplusplus
}
#endif
#endif
