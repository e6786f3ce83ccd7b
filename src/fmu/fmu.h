// fmu.h: a model as the unit of a co-simulation (FMI 2.0 and 3.0).
//
//   fmu.c          one instance: variables, time, states; no word of FMI in it
//   description.c  modelDescription.xml
//   archive.c      the file: description, model, binary
//   fmi2.c, fmi3.c the functions of the two standards, in the binary of an FMU only (HN_FMU)
//
// The binary is the same for all models: it reads the model file among the resources.
#ifndef HN_FMU_H
#define HN_FMU_H

#include "model/model.h"
#include "sim/sim.h"

#include <stdio.h>

typedef enum hn_fmu_role {
  HN_FMU_TIME,
  HN_FMU_PARAMETER,
  HN_FMU_INPUT,
  HN_FMU_OUTPUT,
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

typedef struct hn_fmu {
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
  char message[HN_MESSAGE];
} hn_fmu;

// from the text of a model file; `file` stands for it in messages. NULL: out of memory. On failure
// fmu->message says why
hn_status hn_fmu_create(hn_fmu **out, const char *text, size_t length, const char *file);
void hn_fmu_destroy(hn_fmu *fmu);
// the model anew with the parameters as they are, at its start
hn_status hn_fmu_restart(hn_fmu *fmu, double time);

hn_status hn_fmu_reset(hn_fmu *fmu);  // as it was when it was made

hn_status hn_fmu_get(hn_fmu *fmu, unsigned reference, double *value);
hn_status hn_fmu_set(hn_fmu *fmu, unsigned reference, double value);
hn_status hn_fmu_advance(hn_fmu *fmu, double time);

// integration from outside: y is positions, velocities and the model's states
hn_status hn_fmu_set_states(hn_fmu *fmu, double time, const double *y);
hn_status hn_fmu_rates(hn_fmu *fmu, double *rate);
// the largest violation of the constraints, positions and velocities
double hn_fmu_violation(hn_fmu *fmu);
// onto the constraints
hn_status hn_fmu_project(hn_fmu *fmu);

// all of it as bytes, hn_free() them; and back
hn_status hn_fmu_save(hn_fmu *fmu, void **bytes, size_t *length);
hn_status hn_fmu_load(hn_fmu *fmu, const void *bytes, size_t length);

// what an archive and its binary must agree on: 38 characters
void hn_fmu_token(char out[40], const char *text, size_t length);
// modelDescription.xml; free() it, NULL: out of memory
char *hn_fmu_describe(const hn_fmu *fmu, int version, const char *identifier);

#endif
