// analysis.h: what the commands share that analyse a model in place of running it.
#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "common.h"

typedef struct analysis {
  const char *path;  // of the model
  const char *out;   // of the result, NULL: none
  const char *html;  // of a page, NULL: none
  bool json;
  const char *duration, *output_step;  // as given; NULL: the model's
  int set_count;
  setting *set;
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
} analysis;

// options every analysis has, and those of analyses over time; they go into the table of each
enum {
  ANALYSIS_SET = 256,
  ANALYSIS_JSON,
  ANALYSIS_HTML,
  ANALYSIS_DURATION,
  ANALYSIS_OUTPUT_STEP,
  ANALYSIS_OWN
};
#define ANALYSIS_TIME                                                                              \
  {"duration", required_argument, NULL, ANALYSIS_DURATION}, {                                      \
    "output-step", required_argument, NULL, ANALYSIS_OUTPUT_STEP                                   \
  }
#define ANALYSIS_OPTIONS                                                                           \
  {"out", required_argument, NULL, 'o'}, {"html", required_argument, NULL, ANALYSIS_HTML},         \
      {"set", required_argument, NULL, ANALYSIS_SET}, {"json", no_argument, NULL, ANALYSIS_JSON},  \
      {"help", no_argument, NULL, 'h'}, {                                                          \
    0                                                                                              \
  }

// a plain number, all of the text
bool analysis_number(const char *text, double *x);
// one of them: an exit code, or -1 to go on
int analysis_option(const command *self, analysis *a, int c);
// the model file and a free place to write to; an exit code, or -1 to go on
int analysis_operand(const command *self, analysis *a, int argc, char **argv);

// a command: parses with `options` (those not shared go to `own`, which answers like
// analysis_option), opens the model and calls `work`, whose answer is the exit code
typedef struct analysis_job {
  const struct option *options;
  int (*own)(const command *self, void *user, int c);
  int (*work)(analysis *a, void *user);
  void *user;
} analysis_job;
int analysis_run(const command *self, int argc, char **argv, const analysis_job *job);

// says what the sim reports on standard error, and in JSON; returns CODE_FAILED
int analysis_failed(const analysis *a, const char *message);
// writes a result, says so where `what` is not NULL; an exit code
int analysis_save(const analysis *a, const hn_result *result, const char *path, const char *what);
// the page of some runs, where one is asked for; an exit code
int analysis_page(const analysis *a, const hn_report_run *run, int count, bool pick);
// "pendulum: 1 body, 1 joint, 0 forces, 1 degree of freedom"
void analysis_heading(const analysis *a);
// opens the JSON object with model, file and status
void analysis_json(const analysis *a, json *j);
// where prescribed motions are not smooth, in sentences and as a list
void print_kinks(const hn_kinks *kinks);
void json_kinks(json *j, const hn_kinks *kinks);
// a driver that moves at the time of a state of rest, which holds it still: as a sentence that ends
// with where to look for the driven motion, and in JSON
void print_held_driver(const analysis *a, const char *lead);
void json_held_driver(const analysis *a, json *j);
// one line for each body, joint and force with its values in a row; rates and energies left out
void analysis_row(const hn_result *result, int row);

#endif
