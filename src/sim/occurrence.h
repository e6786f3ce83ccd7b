// occurrence.h: events of a run, occurrence.c.
#ifndef HN_OCCURRENCE_H
#define HN_OCCURRENCE_H

#include "sim/sim.h"

void hn_occurrence_layout(hn_sim *sim, hn_arena *arena);
// the state was set from outside: nothing has happened yet
void hn_occurrence_reset(hn_sim *sim);
// the condition of a controller that is an event has become true
hn_status hn_occurrence_note(hn_sim *sim, int controller);
// a run goes on, whatever ended the one before
void hn_occurrence_go_on(hn_sim *sim);
// said in the notes of a result
hn_status hn_occurrence_tell(const hn_sim *sim, hn_result *result);

#endif
