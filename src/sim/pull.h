// pull.h: what runs, solvers and corrections share of pulling a state back to its constraints.
#ifndef HN_PULL_H
#define HN_PULL_H

#include "sim/sim.h"

// gaps.c: what each row solved for is to stay open by (rows) where joints that repeat others miss
// them, with the factors of [M -J^T; J D] at the state last evaluated; NULL when none do
void hn_share_layout(hn_sim *sim, hn_arena *arena);
const double *hn_share_gap(hn_sim *sim);

// damp.c: near a singular configuration factorises anew, with M, and rows other than those that D
// (may be NULL) leaves out damped by a part of their squares; true when it did
bool hn_damp_rows(hn_sim *sim, const double *D, double damping);

// restore_energy.c: scales the free motion so that the total energy is that of the start
hn_status hn_restore_energy(hn_sim *sim, double t, double *y, double *moved);

#endif
