// members.h: code that carries many members of a family through time at once.
//
// One text, three ways to compile it: for the processor member by member, for the processor with
// HOLON_LANES members in the lanes of its vectors, and for a GPU with a thread a member (CUDA). A
// member has its own arguments (arguments.h) and its own start; all take the same steps of an
// explicit Runge-Kutta method, each followed by projections onto the constraints.
//
// Members lie side by side: number k of member i is at [k * count + i].
#ifndef HN_MEMBERS_H
#define HN_MEMBERS_H

#include "code/arguments.h"

// an explicit Runge-Kutta method: row s of a (width numbers) has the weights of the stages before s
typedef struct hn_stepper {
  int stages, width;
  const double *c, *a, *b;
} hn_stepper;

// everything in it stays the caller's and must live until the text is written
typedef struct hn_members_plan {
  const hn_system *sys;           // a member: the formulas are its
  const hn_arguments *arguments;  // in what others differ, and what rows hold
  hn_stepper stepper;
  int corrections;  // projections after every step
  // Everything comes twice: itself, and its derivative in a direction that is a member's own.
  // Arguments, coordinates, velocities and columns are followed by those of the direction; what is
  // differentiated are the steps taken, projections included
  bool tangent;
  // Members in which something switches, or a gap closes, are looked for where steps end
  // (HN_END_SWITCH): what the code says of them is worth nothing. Else models with such things are
  // refused
  bool leaving;
  bool deciding;  // sides are decided anew where steps end; gaps are refused
} hn_members_plan;

// what becomes of a member, behind its last coordinates and velocities
enum {
  HN_END_WORK,      // of forces without potential
  HN_END_FIRMNESS,  // the least; NaN where something was no number
  HN_END_FIRM,      // that of the first step
  HN_END_POSITION,  // largest violation of positions at rows,
  HN_END_VELOCITY,  // and of velocities
  HN_END_BALANCE,   // largest energy imbalance at rows,
  HN_END_TURNOVER,  // and the largest energy there was to be balanced
  HN_END_DOUBT,     // largest distance of a counted angle from where it was expected [rad]
  HN_END_SWITCH,    // how near switching functions came to zero; below: one of them passed it
  HN_END_COUNT
};

// what members are made of
// lengths of what the code is handed, per member
typedef struct hn_members_sizes {
  int nq, nv, turns;
  int sides;    // switching functions: 1 or 0; then what forces remember
  int table;    // numbers made of the arguments (hn_members_code.prepare)
  int columns;  // of a row
  int start;    // q, v, angles that are counted and their rates, sides
  int end;      // q, v, HN_END_COUNT
} hn_members_sizes;

// The same text goes to the C compiler and to NVRTC; macros at its top make the difference
// (members_text.h).
typedef struct hn_members_text {
  char *text;  // free() it
  hn_members_sizes sizes;
  // a function that libraries of processors and devices round each in its own way; NULL: none
  const char *rounded;
} hn_members_text;

// how members compute
typedef enum hn_members_numbers {
  HN_NUMBERS_FAST,   // products go into sums as they are, where the machine can do so
  HN_NUMBERS_EXACT,  // the same bits in lanes of any width and on a device (angles below 1e5)
  HN_NUMBERS_SINGLE  // of 32 bits; devices only
} hn_members_numbers;

// `sizes` are those of what the code is given and gives: with directions, twice the model's.
// HN_ERR_UNSUPPORTED: not all of it has formulas, and message says what
hn_status hn_members_write(const hn_members_plan *plan, hn_members_text *out, char *message,
                           size_t size);

// ---- on the processor: members_native.c --------------------------------------------------------

// arguments to table, one member
typedef void (*hn_prepare_fn)(const double *p, double *c);
// `steps` steps of h from t0; a row at the start and after every `every` steps. rows may be NULL:
// they are looked at all the same. `count` is a multiple of the lanes
typedef void (*hn_members_fn)(long count, const double *table, const double *start, double t0,
                              double h, long steps, long every, double *rows, double *end);

typedef struct hn_members_code {
  void *handle;
  int lanes;
  hn_prepare_fn prepare;
  hn_members_fn run;
} hn_members_code;

// the most lanes this processor is good for
int hn_members_lanes(void);
// compiled and loaded, from the cache where it is there; clear it in any case
hn_status hn_members_compile(hn_members_code *code, const hn_members_text *text, int lanes,
                             hn_members_numbers numbers, char *message, size_t size);
void hn_members_unload(hn_members_code *code);

#endif
