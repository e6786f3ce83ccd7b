// state.c: states of first order: their rates, and how they follow from the motion.
//
// In an implicit step a state obeys x = c + h r x'(x, m), in an equilibrium 0 = x'(x, m), both
//
//   keep x = constant + rate x'(x, m),
//
// where m are the measured quantities the rates depend on. Newton's iteration finds x, and
//
//   dx/dm = (keep - rate dx'/dx)^-1 rate dx'/dm
//
// is what the states add to every derivative by the motion: they need no place among the unknowns
// of the step, and the tangents of forces that read them are exact.
#include "base/vec.h"
#include "system/pair.h"
#include "system/system.h"

#include <float.h>
#include <string.h>

enum { MOST_ITERATIONS = 30 };

double hn_state_floor(const hn_system *sys, int state) {
  return sys->state[state].size > 0 ? sys->state[state].size : 1e-6;
}

void hn_give_states(hn_work *work, const double *x) {
  memcpy(work->state, x, (size_t)work->sys->states * sizeof(double));
}

void hn_state_rates(const hn_work *work, double *rate) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->states; i++)
    rate[i] = hn_run_expression(sys, work, sys->state[i].expression, NULL);
}

// the rate of state i, with its derivatives added to a row of each matrix
static double rate_of(const hn_work *work, int i, double factor, double *by_state,
                      double *by_seen) {
  const hn_system *sys = work->sys;
  const hn_expression *e = &sys->expression[sys->state[i].expression];
  const hn_signal *signal = &sys->signal[e->first_signal];
  const double *gradient;
  double rate = hn_run_expression(sys, work, sys->state[i].expression, &gradient);
  for (int k = 0; k < e->signals; k++) {
    if (signal[k].kind == HN_SIGNAL_STATE) by_state[signal[k].index] += factor * gradient[1 + k];
    if (signal[k].seen) by_seen[signal[k].seen - 1] += factor * gradient[1 + k];
  }
  return rate;
}

// factorises keep - rate dx'/dx, leaves rate dx'/dm in the gain and the residual in `off`.
// With `begin`, states that are given keep their values: their row of the matrix is that of the
// identity, and their gain zero.
static void set_up(hn_work *work, double *off) {
  const hn_system *sys = work->sys;
  const hn_state_rule *rule = work->rule;
  hn_lu *lu = &work->state_matrix;
  size_t n = (size_t)sys->states, seen = (size_t)sys->seen;
  memset(lu->a, 0, n * n * sizeof(double));
  memset(work->gain, 0, n * seen * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    double *row = lu->a + i * n, *gain = work->gain + i * seen;
    bool fixed = rule->begin && !sys->state[i].steady;
    off[i] = 0;
    if (!fixed) {
      double rate = rate_of(work, (int)i, -rule->rate, row, gain);
      off[i] = (rule->constant ? rule->constant[i] : 0) + rule->rate * rate -
               rule->keep * work->state[i];
      for (size_t k = 0; k < seen; k++) gain[k] = -gain[k];
    }
    row[i] += fixed ? 1 : rule->keep;
  }
  hn_lu_factor(lu, 1e-60, lu->n);  // states have all kinds of units
}

// the gain from what set_up has left in its place
static void find_gain(hn_work *work) {
  const hn_system *sys = work->sys;
  size_t seen = (size_t)sys->seen;
  double *column = work->state_room + 2 * sys->states, *moved = column + sys->states;
  for (size_t k = 0; k < seen; k++) {
    for (int i = 0; i < sys->states; i++) column[i] = work->gain[(size_t)i * seen + k];
    hn_lu_solve(&work->state_matrix, column, moved);
    for (int i = 0; i < sys->states; i++) work->gain[(size_t)i * seen + k] = moved[i];
  }
}

bool hn_state_gains(hn_work *work) {
  set_up(work, work->state_room);
  if (work->state_matrix.rank < work->sys->states) return false;
  find_gain(work);
  return true;
}

void hn_state_solve(const hn_work *work, const double *b, double *x) {
  hn_lu_solve(&work->state_matrix, b, x);
}

// j d, of 12 numbers on the twists of two bodies and one per velocity
static double along(const hn_system *sys, const hn_direction *at, const double j[12],
                    const double *d) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const hn_sys_body *b = &sys->body[side ? at->b : at->a];
    const int *column = hn_twist_columns(b->kind);
    for (int k = 0; k < b->nv; k++) sum += j[6 * side + column[k]] * d[b->v0 + k];
  }
  return sum;
}

void hn_state_follow_change(const hn_work *work, const double *dq, const double *dv, double *x) {
  const hn_system *sys = work->sys;
  for (int k = 0; k < sys->seen; k++) {
    const hn_signal *signal = &sys->state_sees[k];
    hn_direction at = hn_direction_measure(sys, work, signal->measure);
    double change = 0, turning[12];
    if (signal->kind == HN_SIGNAL_RATE) {
      hn_rate_gradient(sys, work, signal->measure, turning);
      change = along(sys, &at, at.j, dv) + along(sys, &at, turning, dq);
    } else {
      change = along(sys, &at, at.j, dq);
    }
    for (int i = 0; i < sys->states; i++)
      x[i] += work->gain[(size_t)i * (size_t)sys->seen + (size_t)k] * change;
  }
}

// Starts from the states of the last call, as stages of a step are near each other. NAN in the
// states is how a failure is seen by whoever evaluates
bool hn_follow_states(hn_work *work) {
  const hn_system *sys = work->sys;
  int n = sys->states;
  double *off = work->state_room, *change = off + n;
  double last = INFINITY;
  bool settled = false;
  for (int pass = 0; pass < MOST_ITERATIONS && !settled; pass++) {
    double size = 0;
    set_up(work, off);
    if (work->state_matrix.rank < n) break;
    hn_lu_solve(&work->state_matrix, off, change);
    for (int i = 0; i < n; i++) {
      work->state[i] += change[i];
      double part = fabs(change[i]) / fmax(fabs(work->state[i]), hn_state_floor(sys, i));
      size = hn_worse(size, part);
    }
    if (isnan(size)) break;
    // what does not fall any more is round-off
    settled = size <= 4 * DBL_EPSILON || (size < 1e-9 && size >= 0.5 * last);
    last = size;
  }
  for (int i = 0; i < n && !settled; i++) work->state[i] = NAN;
  if (settled) find_gain(work);
  return settled;
}
