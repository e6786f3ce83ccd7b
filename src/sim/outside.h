// outside.h: a run whose steps somebody else makes (model exchange of FMI).
//
// States are set as often as stages need it and nothing is decided then: rows that come and go stay
// as they are, also a little behind a gap. Indicators are the switching functions of forces and of
// those rows; where one of them has changed its sign hn_outside_event does what follows: an impact,
// contact, lift-off, sticking, sliding, a joint that comes or goes.
#ifndef HN_OUTSIDE_H
#define HN_OUTSIDE_H

#include "sim/sim.h"

// at the start of the run: on which side each function of a force is
void hn_outside_begin(hn_sim *sim, double *scratch, bool *side);
void hn_outside_set(hn_sim *sim, double t, const double *q, const double *v, const double *x);
hn_status hn_outside_rates(hn_sim *sim, double *ydot);  // layout of sim->state.y
int hn_outside_indicators(const hn_sim *sim);
void hn_outside_indicate(hn_sim *sim, double *value);
// the state stands: angles are counted from here
void hn_outside_accept(hn_sim *sim);
// *moved: velocities are others now, in sim->state.y. Forces remember where they were switched
hn_status hn_outside_event(hn_sim *sim, double *scratch, bool *side, bool *was, bool *moved);

// who is told after every step of the method on the way to `end`, and answers where to stop; what
// he asks of the run changes nothing
typedef struct hn_listener {
  double (*tell)(void *who, double end);
  void *who;
} hn_listener;

// as hn_advance. event: NULL, or no further than the first instant where something switches or an
// event of the model comes true, and whether it came to one. listener: NULL, or told on the way
hn_status hn_outside_advance(hn_sim *sim, double t, bool *event, const hn_listener *listener);
// and what happens there, which otherwise is the beginning of the next step; *moved: something did
hn_status hn_events_happen(hn_sim *sim, bool *moved);

#endif
