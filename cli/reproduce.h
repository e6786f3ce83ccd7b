// reproduce.h: papers whose examples the program computes anew, and the report it writes of them.
//
// A paper is one file cli/reproduce_<name>.c that ends with one `const paper`, and a row of the
// table in reproduce.c. Its function runs the example models and tells the report what the paper
// states and what was found; the report does the rest: the tables on the screen, the pages and
// pictures in the folder, the count of verdicts.
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "picture.h"

typedef struct report report;

typedef struct paper_request {
  bool quick;      // less work: shorter runs, or none repeated for their times
  report *report;  // to be told everything
} paper_request;

typedef struct paper {
  const char *name;
  const char *title;                         // authors, title, year
  const char *summary;                       // one line
  int (*run)(const paper_request *request);  // an exit code, usually CODE_DONE
} paper;

extern const paper paper_marques2017, paper_castro2025, paper_uk2018, paper_gonzalez2013,
    paper_bauchau2008;

// names of the papers; NULL past the end
const char *paper_name(int index);

// ---- the report ----------------------------------------------------------------------------
//
// A report is a list of items: headings, texts, claims with their verdicts, figures. It is told on
// the screen as it grows, and written as report.md and as the page report.html when it is complete
// (reproduce_page.c).

// text for people: plain words, `names` in backquotes
void report_heading(report *r, const char *text);
__attribute__((format(printf, 2, 3))) void report_text(report *r, const char *format, ...);

typedef enum verdict { AGREES, DIFFERS, FAILS, NO_CLAIM } verdict;
// a claim agrees, or is explained when what our reason says instead is what was found; or it fails
verdict judge(bool agrees, bool explained);

// a row of a table of claims: rows first, then report_table. What holon found is the format's text.
// `reason` says why it differs; a difference without a reason (NULL) fails, and the paper is not
// reproduced
__attribute__((format(printf, 6, 7))) void report_claim(report *r, const char *quantity,
                                                        const char *published, verdict v,
                                                        const char *reason, const char *format,
                                                        ...);
// a row of the same table for something the paper gives no figure of
__attribute__((format(printf, 3, 4))) void report_value(report *r, const char *quantity,
                                                        const char *format, ...);
void report_table(report *r);

// a picture, drawn only when there is a folder; `file` is its name there, `caption` says which
// figure of the paper it is and what is to be seen
void report_chart(report *r, const char *file, const char *caption, const chart *c);
void report_bars(report *r, const char *file, const char *caption, const char *title, int count,
                 const char *const *names, const double *values);
// something went wrong that ends the reproduction; returns CODE_FAILED
__attribute__((format(printf, 2, 3))) int report_failure(report *r, const char *format, ...);

// ---- runs ----------------------------------------------------------------------------------

typedef struct experiment {
  hn_result *result;
  hn_summary summary;
  int coordinates, rows;  // of the system
  int redundant;          // rows that repeat others
  double cpu;             // [s] processor time of the run
  char message[256];      // why it failed
} experiment;

// options that win over those of all experiments: to break a method on purpose. They are kept, not
// copied, and end with a row without a name
void experiment_override(const setting *options);
// the text of a model: one of cli/papers, or an example of the library; NULL: there is none
const char *paper_model(const char *name);
// runs the model of that name; options and parameters end with a row
// without a name. false: it failed, and e->message says why; what was recorded stands
bool experiment_run(experiment *e, const char *example, const setting *set, const setting *options);
void experiment_free(experiment *e);
// the value of a column in a row; NAN where there is no such column
double experiment_at(const experiment *e, int row, const char *column);
// column `name` over time, in memory of its own; count 0 when there is no such column
curve experiment_curve(const experiment *e, const char *label, const char *name);
void curve_free(curve *c);
// largest magnitude and mean over the points first <= i < end
double curve_max(const curve *c, int first, int end);
double curve_mean(const curve *c, int first, int end);

#endif
