// arguments.c: see arguments.h.
#include "code/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hn_status hn_arguments_formulas(const hn_columns_wanted *columns, hn_formulas *f,
                                const hn_system *sys, hn_tape *tape, hn_node *column) {
  hn_status status = hn_formulas_build_on(f, sys, tape, columns->open ? HN_OPEN : HN_CLOSED);
  // counted angles are among the formulas whether columns read them or not
  for (int i = 0; !status && i < sys->measures; i++)
    if (sys->measure[i].turn >= 0) hn_measure_jet(f, i);
  for (int k = 0; !status && k < columns->count; k++) {
    hn_node node = columns->formula(columns->user, f, k);
    if (column) column[k] = node;
    // the first thing that is missing
    if (f->missing[0])
      status = HN_ERR_UNSUPPORTED;
    else if (node < 0)
      status = HN_ERR_MEMORY;
  }
  return status;
}

// numbers and shape of a system; free(tape->value) in any case
// The tape listens while formulas are built: every number they take from the model, in order, and a
// nothing is built: only numbers and shape
// hash of everything else they ask. With `only` nothing is built. `expected`: so many numbers.
static hn_status ask(const hn_columns_wanted *columns, const hn_system *sys, int expected,
                     hn_tape *tape, hn_formulas *f) {
  *tape = (hn_tape){.only = true};
  if (expected && (tape->value = malloc((size_t)expected * sizeof *tape->value)))
    tape->capacity = expected;
  hn_status status = hn_arguments_formulas(columns, f, sys, tape, NULL);
  hn_formulas_clear(f);
  return status;
}

// one member has nothing to differ from: all numbers are constants
hn_status hn_arguments_begin(hn_arguments *a, const hn_system *sys,
                             const hn_columns_wanted *columns, char *message, size_t size) {
  hn_tape tape;
  hn_formulas f;
  // sizes of the first member, with which others are compared
  *a = (hn_arguments){.columns = *columns,
                      .nq = sys->nq,
                      .nv = sys->nv,
                      .rows = sys->rows,
                      .switches = sys->switches,
                      .memories = sys->memories,
                      .unilaterals = sys->unilaterals};
  hn_status status = ask(columns, sys, 0, &tape, &f);
  a->first = f.in_p;
  a->shape = tape.shape;
  a->numbers = tape.count;
  a->value = tape.value;
  a->input = calloc((size_t)tape.count + 1, sizeof *a->input);
  a->number = calloc((size_t)tape.count + 1, sizeof *a->number);
  if (!status && (!a->input || !a->number)) status = HN_ERR_MEMORY;
  // -1: a constant
  for (int i = 0; !status && i < a->numbers; i++) a->input[i] = -1;
  if (status == HN_ERR_UNSUPPORTED)
    snprintf(message, size, "no code can be written for %s", f.missing);
  else if (status)
    snprintf(message, size, "out of memory");
  return status;
}

void hn_arguments_clear(hn_arguments *a) {
  free(a->value), free(a->input), free(a->number);
  *a = (hn_arguments){0};
}

// the bits: what differs in the last digit differs
static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

// the shape is a hash of 64 bits; sizes are compared beside it since they bound arrays
static bool fits(const hn_arguments *a, const hn_system *member, const hn_tape *tape) {
  return tape->shape == a->shape && tape->count == a->numbers && member->nq == a->nq &&
         member->nv == a->nv && member->rows == a->rows && member->switches == a->switches &&
         member->memories == a->memories && member->unilaterals == a->unilaterals;
}

// every number is looked at, also those that are no arguments: a member that differs in one of them
// would be computed with another's
hn_status hn_arguments_read(const hn_arguments *a, const hn_system *member, double *p) {
  hn_tape tape;
  hn_formulas f;
  hn_status status = ask(&a->columns, member, a->numbers, &tape, &f);
  if (!status && !fits(a, member, &tape)) status = HN_ERR_UNSUPPORTED;
  for (int k = 0; !status && k < a->count; k++) p[k] = tape.value[a->number[k]];
  // arguments that stand for several numbers must fit all of them
  for (int i = 0; !status && i < a->numbers; i++) {
    double known = a->input[i] < 0 ? a->value[i] : p[a->input[i] - a->first];
    if (!same(tape.value[i], known)) status = HN_ERR_UNSUPPORTED;
  }
  free(tape.value);
  return status;
}

// numbers that were one argument, or none, and now differ from each other are several: each goes to
// the first before it that was the same and still is
static void part(hn_arguments *a, const double *value, const int *before) {
  int count = 0;
  for (int i = 0; i < a->numbers; i++) {
    // an argument stays one; a constant becomes one where it differs
    bool differs = before[i] >= 0 || !same(a->value[i], value[i]);
    a->input[i] = -1;
    if (!differs) continue;
    // the same argument as an earlier number that goes along with it
    for (int k = 0; k < count && a->input[i] < 0; k++) {
      int other = a->number[k];
      if (before[other] == before[i] && same(value[other], value[i]) &&
          same(a->value[other], a->value[i]))
        a->input[i] = a->first + k;
    }
    if (a->input[i] >= 0) continue;
    a->number[count] = i;
    a->input[i] = a->first + count++;
  }
  a->count = count;
}

hn_status hn_arguments_widen(hn_arguments *a, const hn_system *member) {
  hn_tape tape;
  hn_formulas f;
  // as it was: `part` writes over a->input
  hn_status status = ask(&a->columns, member, a->numbers, &tape, &f);
  int *before = malloc(((size_t)a->numbers + 1) * sizeof *before);
  if (!status && !before) status = HN_ERR_MEMORY;
  if (!status && !fits(a, member, &tape)) status = HN_ERR_UNSUPPORTED;
  if (!status) {
    memcpy(before, a->input, (size_t)a->numbers * sizeof *before);
    part(a, tape.value, before);
  }
  free(before);
  free(tape.value);
  return status;
}
