// pile.h: impulses of many contacts with friction on one velocity, by sweeps.
//
// v is a velocity, row i of a contact has the rate J_i v + b_i, and a unit of impulse along it
// changes v by R_i. Normal rows: x >= 0, rate >= 0, one of them zero. Rows of a friction, one or
// two: |x| <= coefficient times x of its normal row; below that the rate is zero, at it the impulse
// stands against the rate (cones.h). Rows know nothing of matrices between them: one sweep costs
// what J and R have in numbers.
#ifndef HN_PILE_H
#define HN_PILE_H

#include "base/arena.h"

// rows of numbers with their places; row i is from start[i] to start[i + 1]
typedef struct hn_strips {
  int most;  // numbers there is room for
  int *start, *place;
  double *value;
} hn_strips;

typedef struct hn_pile {
  int velocities;  // numbers of v
  int most, rows;
  hn_strips gradient, response;
  double *b, *x;        // x: impulses, from where the sweeps start
  double *own;          // J_i R_i
  double *across;       // J_i R_k of the two rows of a friction, at the first of them
  double *coefficient;  // of the friction on a normal row
  int *rubs;            // how many rows of it follow a normal row: 0, 1, 2; -1: it is one of these
  // sweeps: from where the last one began; x and v after the one before; x of the best one
  double *from, *last, *v_last, *best;
} hn_pile;

void hn_pile_layout(hn_pile *pile, hn_arena *arena, int velocities, int rows, int gradients,
                    int responses);
void hn_pile_clear(hn_pile *pile);
// one number more in the row being written
bool hn_strip_add(hn_strips *strips, int row, int place, double value);
// the row written last is complete: rubs as above
void hn_pile_row(hn_pile *pile, double b, double x, int rubs, double coefficient);
// rate of a row
double hn_pile_rate(const hn_pile *pile, int row, const double *v);
// v and x <- solution; returns how far rates were changed in the last sweep, relative to `size` or
// what the largest impulse does to the rate of its own row, whichever is larger (*size says it).
// Ends where that is below `tolerance`, or after so many sweeps; *sweeps says how many there were
double hn_pile_solve(hn_pile *pile, double *v, double *size, double tolerance, int *sweeps);

#endif
