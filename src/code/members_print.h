// members_print.h: what the writers of code for members share: members.c (a member through time),
// backward.c (what its rows are worth, backward).
#ifndef HN_MEMBERS_PRINT_H
#define HN_MEMBERS_PRINT_H

#include "code/members.h"
#include "code/write.h"

// formulas of a model, what members add to them, and the writer; used for one text
typedef struct hn_printer {
  const hn_members_plan *plan;
  hn_formulas f;
  hn_writer w;
  // with directions each has room for its derivatives behind it
  hn_node *qdot, *a;
  hn_node *next_q, *next_v;  // after a projection
  hn_node *column;
  hn_node *turn, *turn_rate;  // angles that are counted
  hn_node energies[2];
  // what must stay above zero, and its rate where it is a function of places alone, else zero
  hn_node *watch, *watch_rate;
  int watched;
  int *table;          // per node, see hn_writer
  unsigned char *own;  // per node: depends on arguments, on nothing else
  int table_count;
  bool turns;  // some formula reads a counted angle
  bool moves;  // projections change something
  hn_arena arena;
} hn_printer;

// formulas of all parts of a step; hn_printer_end in any case
hn_status hn_printer_begin(hn_printer *p, const hn_members_plan *plan, char *message, size_t size);
hn_status hn_printer_end(hn_printer *p, hn_status status, char *message, size_t size);
// which nodes depend on arguments only; which of them what these answers need has to read
void hn_printer_own(hn_printer *p);
void hn_printer_table(hn_printer *p, const hn_answer *a, int answers);
bool hn_printer_prepare(hn_printer *p);  // writes holon_prepare; false: out of memory
// what functions of a state are given
extern const hn_signature hn_state_signature;
hn_writer hn_printer_writer(hn_printer *p);  // for functions of the state

// watch.c: what is looked at where steps end; false: out of memory. Some things cannot be: then
// f.missing says so
bool hn_printer_watch(hn_printer *p);

// tangent.c: derivatives along the direction of a member, behind what they are of
bool hn_printer_differentiate(hn_printer *p);

#endif
