// redundant.c: which of the dependent rows are solved for, along the motion.
//
// Rows that repeat others are left out (compliance HN_LEFT_OUT, multiplier 0). The choice made at
// the start can become a bad one: as the mechanism moves, the rows kept may come close to dependent
// while one left out would serve. When the pivots say so, the choice is made anew at the state
// reached, by the same scaled, column-pivoted QR as at the start, or, among many rows, by the
// pivots of the factorisation. Long steps of explicit integrators, and rows recorded on their way,
// may meet such places inside: there it is made where they are evaluated. Rows that come and go
// have no part in it: which of them bear is decided where they come (contact.c, gates.c), and the
// others must do without them when they go.
#include "sim/sim.h"

#include "compile/compile.h"
#include "linalg/dense_step.h"

#include <string.h>

enum { LARGEST = 400 };  // rows up to which a dense choice is affordable on the way
static const double poor_pivot = 1e-4;
// gaps come back divided by what is kept: with one that is no rounding, a choice is doubted earlier
static const double rounding = 1e-10, poor_with_gap = 2e-2, worse_with_gap = 0.5;
static const double worse = 0.1;  // part of the best pivots of a choice below which it is doubted

void hn_redundant_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  if (!sys->redundant || sys->rows > LARGEST) return;
  sim->rows.choice = HN_TAKE(arena, hn_cod, 1);
  hn_cod scratch = {0};
  hn_cod_layout(arena->base ? sim->rows.choice : &scratch, arena, sys->nv, sys->rows);
}

// D becomes the choice; true when it is another one
static bool take(hn_sim *sim, double *D) {
  bool changed = false;
  for (int i = 0; i < sim->sys->unilaterals; i++) {
    // hidden rows look independent or not by chance: what was decided for them stays
    int row = sim->sys->unilateral[i].row;
    D[row] = sim->rows.D[row];
  }
  for (int i = 0; i < sim->sys->rows; i++) {
    changed |= sim->rows.D[i] != D[i];
    sim->rows.D[i] = D[i];
  }
  return changed;
}

// by the scaled, column-pivoted QR
static bool choose_dense(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_cod *f = sim->rows.choice;
  hn_rank_rows(&sim->stage.work, HN_METRIC_MASS, f->a, sim->room.r);  // row by row: the transpose
  for (int i = 0; i < sys->unilaterals; i++)
    memset(f->a + (size_t)sys->unilateral[i].row * (size_t)sys->nv, 0,
           (size_t)sys->nv * sizeof(double));
  // rows that miss those they repeat by a gap differ from them by about as much, here more, there
  // less: they do not count, wherever they stand to the tolerance
  hn_cod_factor(f, sys->rank_tolerance, sys->rows - sys->redundant);
  // fewer independent rows than usual: a singular place, where any choice is poor
  if (f->rank != sys->rows - sys->redundant) return false;
  for (int k = 0; k < sys->rows; k++) sim->rows.D_soft[f->pivot[k]] = k < f->rank ? 0 : HN_LEFT_OUT;
  return take(sim, sim->rows.D_soft);
}

// by the pivots themselves
static bool choose_sparse(hn_sim *sim) {
  if (!hn_kkt_choose_rows(&sim->stage.kkt, &sim->stage.work, sim->sys->redundant, sim->rows.D_soft))
    return false;
  // another choice throws away the derivative and factors of the state: it must be clearly better
  return sim->stage.kkt.pivot_ratio > 2 * sim->watch.weakest && take(sim, sim->rows.D_soft);
}

void hn_redundant_choose(hn_sim *sim) {
  bool gap = sim->sys->gap > rounding;
  if (sim->watch.weakest > (gap ? poor_with_gap : poor_pivot)) {
    sim->rows.tried = 1;
    return;
  }
  // not again before pivots are clearly worse than the last time: where joints miss each other two
  // choices may each look better seen from the other, and methods with memory begin anew for both
  if ((gap || !sim->rows.choice) && sim->watch.weakest > 0.3 * sim->rows.tried) return;
  sim->rows.tried = sim->watch.weakest;
  hn_contact_hide(sim, true);
  hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
  bool other = sim->rows.choice ? choose_dense(sim) : choose_sparse(sim);
  hn_contact_hide(sim, false);
  if (!other) return;
  sim->rows.reselected++;
  hn_state_moved(sim);
}

// Pivots are squares of singular values. Before these are so small that a singular place is
// foreseen another choice is looked for; not again where there was none, before they are clearly
// worse
bool hn_redundant_here(hn_sim *sim) {
  static const double near = HN_NEAR_SINGULAR * HN_NEAR_SINGULAR;
  double ratio = sim->stage.kkt.pivot_ratio;
  if (!sim->rows.choice || sim->method.integrator->stands_alone) return false;
  sim->rows.firm = hn_greater(sim->rows.firm, ratio);
  bool gap = sim->sys->gap > rounding;
  if (!(ratio < (gap ? poor_with_gap : near)) ||
      !(ratio < (gap ? worse_with_gap : worse) * sim->rows.firm))
    return false;
  sim->rows.firm = ratio;
  if (!choose_dense(sim)) return false;
  sim->rows.reselected++;
  return true;
}
