// backward.h: what the arguments and the start of a member are worth to its rows.
//
// z says what each column of each row is worth to somebody (the derivative of his number with
// respect to it). The steps of the member are gone through backward, each with its projections, and
// out comes what its start and its arguments are worth: for any number of arguments in one pass.
// The functions that do it are the adjoints of those that carry members (members.h), taken from the
// same formulas.
//
// States in which formulas were evaluated are kept on the way forth. Where a run is too long for
// that, some states are, and the pieces between them are run once more on the way back.
#ifndef HN_BACKWARD_H
#define HN_BACKWARD_H

#include "code/members.h"

typedef struct hn_backward_sizes {
  int nq, nv, turns, arguments, columns;
  int table;   // numbers made of the arguments,
  int valued;  // of which the first so many are worth something
  int state;   // q, v, turns, their rates, and what an audit wants to know
  int kept;    // numbers of a step
} hn_backward_sizes;

typedef struct hn_backward_code {
  hn_backward_sizes sizes;
  void *handle;
  // arguments to table, and back
  void (*prepare)(const double *p, double *c);
  void (*prepare_back)(const double *p, const double *z, double *worth);
  // steps number `from` to from + steps - 1 of a run that began at 0
  void (*forth)(const double *c, double *state, double h, long from, long steps, long every,
                double *rows, double *kept);
  void (*back)(const double *c, const double *kept, const double *last, double h, long from,
               long steps, long every, const double *z, double *bar, double *worth);
} hn_backward_code;

// written, compiled, loaded; hn_backward_unload in any case. plan->tangent does not count
hn_status hn_backward_create(hn_backward_code *code, const hn_members_plan *plan, char *message,
                             size_t size);
void hn_backward_unload(hn_backward_code *code);

// one member and its rows
typedef struct hn_passage {
  const double *p, *start;  // arguments; q, v and counted angles
  double h;
  long steps, every;
  double *rows;              // (steps / every + 1) x columns
  double end[HN_END_COUNT];  // as of members
} hn_passage;

typedef struct hn_backward_work hn_backward_work;
// room for runs of so many steps; most: bytes for states that are kept (0: 256 MiB). NULL: out of
// memory
hn_backward_work *hn_backward_open(const hn_backward_code *code, long steps, long every,
                                   size_t most);
void hn_backward_close(hn_backward_work *work);
void hn_backward_forth(hn_backward_work *work, hn_passage *passage);
// of the passage gone forth last: what its start (q, v) and its arguments are worth
void hn_backward_back(hn_backward_work *work, const hn_passage *passage, const double *z,
                      double *start, double *arguments);

#endif
