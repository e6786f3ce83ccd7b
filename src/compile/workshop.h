// workshop.h: what compilations of models that are alike have in common.
//
// Members of a study differ in numbers: bodies and rows hang together as those of the member
// before, so that the order in which they are eliminated need not be found again. Whoever compiles
// many such models one after the other lends them a workshop (hn_model.workshop); systems compiled
// with it use what it holds and must be destroyed before it. One thread at a time.
#ifndef HN_WORKSHOP_H
#define HN_WORKSHOP_H

#include "system/build.h"

typedef struct hn_workshop hn_workshop;
// `bare`: nobody asks what assembly changed (hn_check.body and the sentences about it), and who
// compiles sees to the columns himself
hn_workshop *hn_workshop_create(bool bare);  // NULL: out of memory
void hn_workshop_destroy(hn_workshop *workshop);
bool hn_workshop_bare(const hn_workshop *workshop);  // of none: no

// work space, by who uses it: allocated for an arena that was measured, zeroed, and given back. A
// workshop keeps the blocks; without one they come and go
typedef enum hn_bench_place { HN_BENCH_ASSEMBLY, HN_BENCH_RANK, HN_BENCHES } hn_bench_place;
bool hn_workshop_take(hn_workshop *workshop, hn_bench_place place, hn_arena *arena);
void hn_workshop_give(hn_workshop *workshop, hn_bench_place place, hn_arena *arena);

// the plan for a graph that is described by these numbers; NULL: there is none yet
hn_saddle_plan *hn_workshop_plan(const hn_workshop *workshop, const int *key, int count);
// from now on it is the workshop's; false: it could not be kept, and stays whose it was
bool hn_workshop_keep_plan(hn_workshop *workshop, const int *key, int count, hn_saddle_plan *plan);

// are these options those that were found good last?
bool hn_workshop_knows(const hn_workshop *workshop, const hn_options *options);
void hn_workshop_know(hn_workshop *workshop, const hn_options *options);

#endif
