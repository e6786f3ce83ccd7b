// write.h: formulas as C source: functions of a state, statement by statement. What stands around
// them is the business of those who call: write.c itself (one model), members.c (many members of a
// family).
#ifndef HN_WRITE_H
#define HN_WRITE_H

#include "code/formulas.h"

#include <stdio.h>

// an array of answers; without a name: the value of the function, which must be the last
typedef struct hn_answer {
  const char *name;
  const hn_node *node;
  int count;
} hn_answer;

// what functions look like
typedef struct hn_signature {
  const char *inner, *outer;  // words before functions that are parts, and before whole ones
  const char *arguments, *names;
  const char *unused;  // statements that keep compilers quiet
} hn_signature;

// Set up by a designated initialiser with f, type, numbers, prefix and signature; hn_write_begin
// makes the rest.
typedef struct hn_writer {
  const hn_formulas *f;
  FILE *out;
  const char *type;     // of numbers
  const char *numbers;  // what stands before those of the model: "", or a macro
  const char *prefix;   // before names of functions
  bool members;         // operations come in the forms that members_text.h has
  int arguments;        // of members; inputs behind them are those of a direction, of q, v and the
  bool directions;      // arguments, which are handed in behind what they are of, or else numbers z
  const hn_signature *signature;
  int longest;       // statements of a function
  const int *table;  // per node: its place among numbers known beforehand, -1: none; NULL: none are
  bool used[HN_OP_COUNT];
  // per node
  unsigned char *mark;  // needed
  int *part;            // in which part it is computed
  int *slot;            // where it is handed on, -1: nowhere
  int *known;           // the last part that has it at hand
  int parts, slots;
  hn_arena arena;
  char *text;
  size_t length;
} hn_writer;

bool hn_write_begin(hn_writer *w);            // false: out of memory; hn_write_end in any case
char *hn_write_end(hn_writer *w, bool good);  // the text, free() it; NULL: out of memory
void hn_write_number(const hn_writer *w, double value);
// marks what answers need, and remembers which operations these are
void hn_write_need(hn_writer *w, const hn_answer *a, int answers);
void hn_write_operations(const hn_writer *w);  // functions for those remembered
void hn_write_function(hn_writer *w, const char *name, const char *comment, const hn_answer *a,
                       int answers);

#endif
