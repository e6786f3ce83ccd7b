// sliding.h: motions along a switching point of formulas, sliding.c.
#ifndef HN_SLIDING_H
#define HN_SLIDING_H

#include "sim/sim.h"

enum { HN_SURFACES = 8 };  // most that are slid along at once

// which formulas are between their two sides, and how
typedef struct hn_slide {
  int count;              // surfaces slid along
  int lead[HN_SURFACES];  // a switching function of each
  int *surface;           // per function: number of its surface, counted from one; 0: none
  bool *across;           // per function: the sides on the other side of the surfaces
  int *formula;           // per expression, as for functions
  double *between;        // per expression: weight of the sides across; NAN: it does not slide
} hn_slide;

struct hn_sliding {
  int functions;               // of formulas and forces; 0: this method does not slide
  hn_slide now, then;          // in the next step; in the last one
  hn_slide *active;            // that of the two that forces are held to; NULL: none
  double weight[HN_SURFACES];  // last found
  double back;    // time in which the motion returns to its surfaces; INFINITY: it is not asked to
  double stride;  // half the time over which rates of functions are taken
  double *state, *y, *ydot, *value, *rate, *from;  // scratch
};

void hn_sliding_layout(struct hn_sliding *s, const hn_sim *sim, hn_arena *arena, int functions);
void hn_sliding_reset(const hn_sim *sim, struct hn_sliding *s);
// a step was taken: `then` becomes what is now
void hn_sliding_keep(const hn_sim *sim, struct hn_sliding *s);
// forces and rates are those of `which` on these sides; NULL: free
void hn_sliding_hold(hn_sim *sim, struct hn_sliding *s, hn_slide *which, const bool *side);
// functions went over from the sides `before` to `side` at the current state, where `noise` has no
// sign: does the motion slide along them from now on?
hn_status hn_sliding_enter(hn_sim *sim, struct hn_sliding *s, const bool *before, const bool *side,
                           const double *noise, bool *slides);
// of functions that are slid along: positive (on its side) as long as the motion cannot leave
void hn_sliding_values(hn_sim *sim, struct hn_sliding *s, double t, const double *y,
                       const bool *side, double *value);
// the motion leaves surface k, on the side that the weights last found say
void hn_sliding_leave(const hn_sim *sim, struct hn_sliding *s, int k, bool *side);

#endif
