// fmu.h: a model as the unit of a co-simulation (FMI 2.0 and 3.0).
//
//   fmu.c          one instance by the library: variables, time, states; no word of FMI in it
//   description.c  modelDescription.xml, and the page of documentation
//   archive.c      the file: description, model or code, binary
//   code.c         the model as code of its own (code/unit.h)
//   tuning.c       parameters that such code keeps
//   fmi2.c, fmi3.c the functions of the two standards, in the binary of an FMU only (HN_FMU)
//   instance.h     what they ask of an instance
//   coded.c        an instance by code of its own; adjoint.c is of both
//
// The binary of the library is the same for all models: it reads the model file among the
// resources. Code of its own is compiled into a binary when the FMU is made, or where it is used.
#ifndef HN_FMU_H
#define HN_FMU_H

#include "code/unit.h"
#include "fmu/instance.h"
#include "model/model.h"
#include "sim/sim.h"

#include <stdio.h>

typedef enum hn_fmu_role {
  HN_FMU_TIME,
  HN_FMU_PARAMETER,
  HN_FMU_INPUT,
  HN_FMU_OUTPUT,
  HN_FMU_INDICATOR,
  HN_FMU_STATE,
  HN_FMU_RATE  // of the state of the same index
} hn_fmu_role;

typedef struct hn_fmu_variable {
  hn_fmu_role role;
  int index;  // parameter, input, column, state
  char name[128];
  const char *unit;
  double start;  // parameters, inputs, states
} hn_fmu_variable;

// tuning.c: parameters that code of its own keeps (code/unit.h)
typedef struct hn_tuning {
  hn_columns_wanted columns;
  int count;
  int *number;        // which of the model's parameters they are
  double *all;        // values of all parameters of the model
  const char **name;  // and their names
  hn_arguments arguments;
  int numbers;
  double *base, *slope;
} hn_tuning;

struct hn_fmu {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
  char *text, *file;  // the model file and its name
  size_t length;
  int count;  // variables; a value reference is an index here
  hn_fmu_variable *variable;
  int states;
  double *y;          // states of the integration from outside
  double *parameter;  // values, those of the variables in their order
  int parameters;
  double *row;              // columns at the state `row_stamp`
  unsigned long row_stamp;  // 0: none
  bool changed;             // parameters were set since the model was compiled
  double *given;            // states that were set where the run begins; NAN: as the model has them
  bool moved;               // it has left its start
  double start;             // time at which it begins
  bool exchange;            // others integrate it
  // what switches: their functions, on which side those of forces are, and were
  int indicators;
  double *indicator;
  bool *side, *was;
  bool coded;  // compiled for code of its own: coordinates suit that
  hn_tuning tuning;
  char message[HN_MESSAGE];
};

// from the text of a model file; `file` stands for it in messages. NULL: out of memory. On failure
// fmu->message says why
hn_status hn_fmu_create(hn_fmu **out, const char *text, size_t length, const char *file,
                        bool coded);

// the model with the parameters as they are; fmu.c
hn_status hn_fmu_compile(hn_fmu *fmu);
// tuning.c; hn_tuning_clear in any case
hn_status hn_tuning_find(hn_tuning *tuning, hn_fmu *fmu);
void hn_tuning_clear(hn_tuning *tuning);
hn_columns_wanted hn_fmu_outputs(hn_fmu *fmu);  // formulas of the outputs

// code.c: NAME.h and NAME.c of the model, which was compiled for it. step: as of hn_unit_code;
// deciding: forces may switch where steps end, which integrators from outside would not see
hn_status hn_fmu_code(hn_fmu *fmu, const char *name, double step, bool deciding, hn_unit_text *out,
                      char message[HN_MESSAGE]);

// can others integrate it?
bool hn_fmu_exchanges(const hn_fmu *fmu);

// what an archive and its binary must agree on: 38 characters
void hn_fmu_token(char out[40], const char *text, size_t length);
// modelDescription.xml; free() it, NULL: out of memory. sources: it lists them (FMI 2)
char *hn_fmu_describe(const hn_fmu *fmu, int version, const char *identifier, bool sources);
// documentation/index.html, for those who give none: the variables; free() it
char *hn_fmu_page(const hn_fmu *fmu);

#endif
