// unit.h: one model as plain C with inputs, outputs and steps: what a controller computes along
// with its loop, or what stands in an FMU. Nothing but libm is needed, no memory is asked for.
//
// A unit is a struct without pointers: copying it copies its state. Its motion y is q, v and the
// states of first order; outputs are columns of the model.
#ifndef HN_UNIT_H
#define HN_UNIT_H

#include "code/arguments.h"

// Parameters that may be set: numbers of the model are linear in them, the arguments of its
// formulas first, then its start: q, v, the states of first order, counted angles.
typedef struct hn_unit_tuning {
  const hn_arguments *arguments;
  int parameters;
  const char *const *name;
  const double *value;  // of the parameters
  int numbers;
  const double *base;   // at those values
  const double *slope;  // numbers x parameters
} hn_unit_tuning;

typedef struct hn_unit_plan {
  const hn_system *sys;
  hn_columns_wanted outputs;     // open
  const hn_unit_tuning *tuning;  // NULL: all parameters are constants
  const char *const *output_name;
  const double *state, *input;  // of first order, from outside: at the start
  double step;                  // the largest
  // Forces may switch: on which side they are is decided where steps end, so that what happens
  // within a step is felt from its end on. Else they are refused
  bool deciding;
  const char *name;  // of the unit: an identifier of C
} hn_unit_plan;

typedef struct hn_unit_text {
  char *header, *source;  // NAME.h, NAME.c; free() them
} hn_unit_text;

// HN_ERR_UNSUPPORTED: not all of it has formulas, and message says what
hn_status hn_unit_write(const hn_unit_plan *plan, hn_unit_text *out, char *message, size_t size);

#endif
