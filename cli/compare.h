// compare.h: runs of one model by many methods, and how they are told.
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "common.h"

// what is kept of every recorded row
enum { CURVE_TIME, CURVE_POSITION, CURVE_VELOCITY, CURVE_ENERGY, CURVES };

// one run: a method with one step
typedef struct trial {
  const char *method;
  double step;  // [s]; 0: the method chooses its own
  double rtol;  // of those that do
  hn_status status;
  bool refused;  // the method cannot deal with the model
  char message[256];
  int rows;
  double *curve[CURVES];               // rows values each; owned, in one block
  double position_max, position_mean;  // of the squared violation over the rows
  double velocity_max, velocity_mean;  // the same of its rate
  double energy_drift;                 // worst imbalance, relative
  double error;                        // against the reference; NAN: unknown
  double reached;                      // [s]
  double wall, cpu;                    // [s]
  double ratio;                        // of processor time to `standard`; NAN: unknown
  long evaluations;
  hn_result *result;  // all that was recorded, where a page is wanted; owned
  hn_summary summary;
} trial;

typedef struct comparison {
  const char *path;  // of the model
  const char *name;
  double duration, shortest;  // [s] simulated; the smallest fixed step
  trial reference;
  double doubt;         // how far a second run is from the reference; NAN: there is none
  char second[256];     // why not
  bool work_precision;  // error against time is what is asked for
  int count;
  trial *trial;  // in the order of the presets, then of the steps or tolerances
} comparison;

// is this the run that stands for its method in pictures: with the finest step?
bool drawn_step(const comparison *c, const trial *t);
// for people, on standard output
void print_comparison(const comparison *c);
// one object on standard output
void print_comparison_json(const comparison *c);
// the table and the plots; says what went wrong
bool write_comparison(const comparison *c, const char *folder);
// error against time (compare_work.c): a table on standard output; a folder with its table, the
// same as Markdown and the picture
void print_work(const comparison *c);
bool write_work(const comparison *c, const char *folder);
// parts of write_comparison that write_work has as well
bool write_comparison_table(const comparison *c, const char *folder);
bool draw_work_precision(const comparison *c, const char *folder);
void print_reference(const comparison *c);
// all runs in one report page; says what went wrong
bool write_comparison_page(const comparison *c, const hn_model *model, const hn_system *system,
                           const char *path);

#endif
