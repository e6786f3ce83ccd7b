// turns.c: angles in space are read off directions and know nothing of full turns, so these are
// counted.
//
// At every evaluation an angle is taken on the turn nearest to where it is expected: the driver
// that moves it says where, gears say the same of the angles behind them, and all others go on from
// the last accepted state at the rate they had there. A step may be as long as it likes while that
// is right to within half a turn; how sure it was is seen at the end of the step.
#include "system/coordinates/coordinates.h"
#include "system/measure.h"

#include <stdlib.h>
#include <string.h>

static const double whole = 2 * 3.14159265358979323846;
// an angle that is off by more than this from what its rates say may be on another turn
static const double sure = 0.5 * 3.14159265358979323846;

// the only term of a row that is not expected yet; -1: there are none, several, or others than
// counted angles.
// Gears hold two angles to each other, drivers one to time: where all but one are known, the last
// one is.
static int open_term(const hn_system *sys, const hn_row *row) {
  int open = -1;
  for (int k = row->first_term; k < row->first_term + row->terms; k++) {
    int turn = sys->measure[sys->term[k].measure].turn;
    if (turn < 0) return -1;
    if (sys->turn[turn].known) continue;
    if (open >= 0) return -1;
    open = k;
  }
  return open;
}

// angles that follow from time alone, in the order in which they do
static void find_followers(hn_system *sys) {
  for (int before = -1; before != sys->followers;) {
    before = sys->followers;
    for (int i = 0; i < sys->rowcount; i++) {
      int term = open_term(sys, &sys->row[i]);
      // a limit, grip or gate says nothing of where an angle is while it is not there
      if (term < 0 || hn_comes_and_goes(sys, sys->row[i].row)) continue;
      int turn = sys->measure[sys->term[term].measure].turn;
      sys->turn[turn].known = true;
      sys->follower[sys->followers++] = (hn_follower){.turn = turn, .row = i, .term = term};
    }
  }
}

hn_status hn_plan_turns(hn_system *sys) {
  sys->turn = calloc((size_t)sys->turns + 1, sizeof *sys->turn);
  sys->follower = calloc((size_t)sys->turns + 1, sizeof *sys->follower);
  if (!sys->turn || !sys->follower) return HN_ERR_MEMORY;
  // those behind the measures' are of coordinates, which use them
  for (int i = 0; i < sys->turns; i++) sys->turn[i] = (hn_turn){.measure = -1, .used = true};
  for (int i = 0; i < sys->measures; i++)
    if (sys->measure[i].turn >= 0)
      sys->turn[sys->measure[i].turn] =
          (hn_turn){.measure = i, .used = sys->measure[i].used_by_force};
  for (int i = 0; i < sys->constraint_measures; i++) {
    int turn = sys->measure[sys->constraint_measure[i]].turn;
    if (turn >= 0) sys->turn[turn].used = true;
  }
  for (int i = 0; i < sys->force_measures; i++) {
    int turn = sys->measure[sys->force_measure[i]].turn;
    if (turn >= 0) sys->turn[turn].used = true;
  }
  if (sys->coordinates->know_turns) sys->coordinates->know_turns(sys);
  find_followers(sys);
  return HN_OK;
}

// where the other terms of its row and its motion put an angle
static double follow(const hn_work *work, const hn_follower *f, double t) {
  const hn_system *sys = work->sys;
  const hn_row *row = &sys->row[f->row];
  double sum = row->constant, motion[3] = {0};
  if (row->motion >= 0) hn_run_motion(work, row->motion, t, motion);
  sum += motion[0];
  for (int k = row->first_term; k < row->first_term + row->terms; k++)
    if (k != f->term)
      sum -= sys->term[k].coefficient * work->near[sys->measure[sys->term[k].measure].turn];
  return sum / sys->term[f->term].coefficient;
}

void hn_expect_turns(hn_work *work, double t) {
  double way = t - work->turn_t;
  for (int i = 0; i < work->sys->turns; i++)
    work->near[i] = work->turn[i] + way * work->turn_rate[i];
}

void hn_follow_turns(hn_work *work, double t) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->followers; i++) {
    double there = follow(work, &sys->follower[i], t);
    if (isfinite(there)) work->near[sys->follower[i].turn] = there;
  }
}

void hn_expect_turns_at(hn_work *work, double t, const double *q) {
  const hn_system *sys = work->sys;
  if (!hn_turns_lag(sys)) return;
  hn_expect_turns(work, t);
  if (sys->coordinates->read_turns) sys->coordinates->read_turns(work, q);
  hn_follow_turns(work, t);
}

// the mean rate over a step says once more on which turn it ends.
// By the trapezoidal rule from both ends. What is more than a quarter turn off that, or has changed
// its rate by more than half a turn over the step, might as well be on another turn: somebody who
// can shorten the step is told (work->turn_doubt).
static double count(hn_work *work, int turn, double value, double rate) {
  const hn_turn *of = &work->sys->turn[turn];
  double way = work->t - work->turn_t, change = way * (rate - work->turn_rate[turn]);
  if (of->known || !(way > 0)) return value;
  double middle = work->turn[turn] + way * work->turn_rate[turn] + 0.5 * change;
  double missed = whole * rint((middle - value) / whole);
  bool doubtful = missed != 0 || fabs(change) > 2 * sure || fabs(value + missed - middle) > sure;
  if (doubtful && of->used) work->turn_doubt = turn;
  return value + missed;
}

void hn_count_turn(hn_work *work, int turn, double value, double rate, bool moving) {
  work->turn[turn] = moving && work->sys->turn ? count(work, turn, value, rate) : value;
  work->turn_rate[turn] = moving ? rate : 0;
}

void hn_accept_turns(hn_work *work, bool moving) {
  const hn_system *sys = work->sys;
  size_t bytes = (size_t)sys->turns * sizeof(double);
  hn_mval x = {0};
  if (!sys->turns) return;
  memcpy(work->turn_before, work->turn, bytes);
  memcpy(work->rate_before, work->turn_rate, bytes);
  work->t_before = work->turn_t;
  work->turn_doubt = -1;
  for (int m = 0; m < sys->measures; m++) {
    if (sys->measure[m].turn < 0) continue;
    hn_eval_measure(&sys->measure[m], work, &x, moving);
    hn_count_turn(work, sys->measure[m].turn, x.value, x.rate, moving);
  }
  if (sys->coordinates->accept_turns) sys->coordinates->accept_turns(work, moving);
  work->turn_t = work->t;
}

void hn_copy_turns(hn_work *work, const hn_work *from) {
  size_t bytes = (size_t)work->sys->turns * sizeof(double);
  memcpy(work->turn, from->turn, bytes);
  memcpy(work->turn_rate, from->turn_rate, bytes);
  work->turn_t = from->turn_t;
}

void hn_take_back_turns(hn_work *work) {
  size_t bytes = (size_t)work->sys->turns * sizeof(double);
  memcpy(work->turn, work->turn_before, bytes);
  memcpy(work->turn_rate, work->rate_before, bytes);
  work->turn_t = work->t_before;
  work->turn_doubt = -1;
}
