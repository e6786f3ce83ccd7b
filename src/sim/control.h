// control.h: controllers of a run, control.c.
#ifndef HN_CONTROL_H
#define HN_CONTROL_H

#include "sim/sim.h"

void hn_control_layout(hn_sim *sim, hn_arena *arena);
// the state was set from outside: values are where they start, and what is due is done
hn_status hn_control_start(hn_sim *sim);
// the next instant at which a value may change; INFINITY: none is known
double hn_control_next(const hn_sim *sim);
double hn_control_last(const hn_sim *sim, double until);  // the last one until then; -inf: none
// what is to be done at the current state, where a step has ended
hn_status hn_control_act(hn_sim *sim);
// samples taken since the state was set, those at that instant not counted
long hn_control_samples(const hn_sim *sim);
// some controller is a function of the caller
bool hn_control_called(const hn_system *sys);

// library.c: functions of controllers that lie in shared libraries
hn_status hn_library_load(hn_sim *sim);
void hn_library_close(hn_sim *sim);

#endif
