// events.h: switching functions and where they stand, between events.c, which steps, and locate.c,
// which finds where they change sign.
#ifndef HN_EVENTS_H
#define HN_EVENTS_H

#include "sim/sliding.h"

enum { HN_EVENT_PARTS = 4 };  // stretches of a step, in whose ends functions are looked at

struct hn_events {
  int count;       // switching functions
  int forces;      // those of forces, which come first; the others are of rows that come and go
  bool known;      // side and value belong to the current state
  bool restart;    // the last step ended with an event
  double *noise;   // per function: values this small have no sign
  bool *side;      // g > 0
  bool *before;    // the same during the last step
  bool *from;      // sides from which those functions came that went over at its end
  bool *scratch;   // the same once more
  double *slack;   // of functions that were slid along: by this much they may lie beyond
  double *last;    // when each function switched last
  int *crowd;      // how often in a row it did so at once after the time before
  double longest;  // of the steps so far
  int early;       // steps in a row that ended for an event which was not yet there
  double reach;    // the next step shortened for an event has at least this size; usually 0
  double *slope;   // at the end of the last step, of how far it lies before; NAN: not known
  double *value;   // g in HN_EVENT_PARTS + 1 points of the step, ends included, and once more for
                   // scratch
  double *y;       // state inside the step
  double *acts;    // forces on bodies and rates of states on either side of a function
  bool lost;       // a switching function was not a number
  struct hn_sliding sliding;
};

// all functions at a state, into value
void hn_events_evaluate(hn_sim *sim, double t, const double *y, double *value);
// how far function i lies beyond its switching point; negative before it
double hn_events_beyond(const hn_sim *sim, int i, double value);
// the same at time t of the last step; leaves all functions there in the last part of `value`
double hn_events_beyond_at(hn_sim *sim, int i, double t);
// time that can be told apart
double hn_events_resolution(const hn_sim *sim);
// the first change of sign in the last step, and of which function; INFINITY when there is none.
// Leaves the functions at the end of the step in the last but one part of `value`.
double hn_events_first(hn_sim *sim, int *which);

#endif
