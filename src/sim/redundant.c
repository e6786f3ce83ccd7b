// redundant.c: which of the dependent rows are solved for, along the motion.
//
// Rows that repeat others are left out (compliance HN_LEFT_OUT, multiplier 0). The choice made at
// the start can become a bad one: as the mechanism moves, the rows kept may come close to dependent
// while one left out would serve. When the pivots say so, the choice is made anew at the state
// reached, by the same scaled, column-pivoted QR as at the start.
#include "sim/sim.h"

#include "compile/compile.h"
#include "linalg/dense_step.h"

enum { LARGEST = 400 };  // rows up to which a dense choice is affordable on the way
static const double poor_pivot = 1e-4, tolerance = 1e-8;

void hn_redundant_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  if (!sys->redundant || sys->rows > LARGEST) return;
  sim->choice = HN_TAKE(arena, hn_cod, 1);
  hn_cod scratch = {0};
  hn_cod_layout(arena->base ? sim->choice : &scratch, arena, sys->nv, sys->rows);
}

void hn_redundant_choose(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_cod *f = sim->choice;
  if (!f || sim->weakest > poor_pivot) return;
  hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sys->nq);
  // J row by row is its transpose column by column
  hn_jacobian_dense(&sim->work, f->a);
  hn_scale_rows(sys, f->a);
  hn_cod_factor(f, tolerance, sys->rows);
  // fewer independent rows than usual: a singular place, where any choice is poor
  if (f->rank != sys->rows - sys->redundant) return;
  bool changed = false;
  for (int k = 0; k < sys->rows; k++) {
    double D = k < f->rank ? 0 : HN_LEFT_OUT;
    changed |= sim->D[f->pivot[k]] != D;
    sim->D[f->pivot[k]] = D;
  }
  if (!changed) return;
  sim->reselected++;
  sim->fresh = false;
  sim->ydot_valid = false;
}
