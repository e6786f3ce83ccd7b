// arguments.h: which numbers of a model are arguments of the code written for it.
//
// Members of a family are the same model with other parameters. Their formulas ask for numbers in
// the same order and for nothing else that differs, or they are none: what is asked is compared as
// a whole (hn_tape.shape), and so is every number that is no argument. What parameters mean is not
// known here, and need not be: a mass that becomes zero, a row that becomes redundant, a joint that
// moves otherwise show themselves as another shape.
#ifndef HN_ARGUMENTS_H
#define HN_ARGUMENTS_H

#include "code/formulas.h"

// A family is a set of numbers, not of meanings: two parameters that always go together are one
// argument, a parameter that moves twenty numbers is twenty, and one that changes nothing is none.
// formulas beyond the equations: what rows of results hold
typedef struct hn_columns_wanted {
  int count;
  // -1: out of memory; where there is no formula f->missing says why
  hn_node (*formula)(void *user, hn_formulas *f, int k);
  void *user;
  bool open;  // inputs and states of first order may be read, see hn_formulas
} hn_columns_wanted;

typedef struct hn_arguments {
  hn_columns_wanted columns;
  int first;         // input of the formulas that is argument 0
  uint64_t shape;    // of the formulas
  int nq, nv, rows;  // and of the state
  int switches, memories, unilaterals;
  int numbers;    // that formulas ask for
  double *value;  // those of the model first seen
  int *input;     // per number: first + argument, -1: all members have the same
  int count;      // arguments
  int *number;    // per argument: the number it is; others may have it too
} hn_arguments;

// begins with one member: it has no arguments. hn_arguments_clear in any case
hn_status hn_arguments_begin(hn_arguments *a, const hn_system *sys,
                             const hn_columns_wanted *columns, char *message, size_t size);
// equations, counted angles and columns of a member, all that numbers are asked for
hn_status hn_arguments_formulas(const hn_columns_wanted *columns, hn_formulas *f,
                                const hn_system *sys, hn_tape *tape, hn_node *column);
// numbers in which this member differs become arguments. HN_ERR_UNSUPPORTED: it is of another shape
hn_status hn_arguments_widen(hn_arguments *a, const hn_system *member);
// the arguments of a member. HN_ERR_UNSUPPORTED: it differs in something else
hn_status hn_arguments_read(const hn_arguments *a, const hn_system *member, double *p);
void hn_arguments_clear(hn_arguments *a);

#endif
