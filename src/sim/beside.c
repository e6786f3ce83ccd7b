// beside.c: states inside of a step, pulled onto the constraints; and those in a singular place.
//
// What a step's dense output is off across the rows is taken away, but for an instant in a singular
// place there are motions that the rows say nothing of, and errors along these stay. There the
// state is that of a polynomial through others a little before and behind, and their rates, where
// the rows hold the mechanism again: of degree 7 through four of them, as they may be far away, or
// a cubic through two.
#include "sim/pull.h"

#include <string.h>

enum { SIDES = 2, NODES = 4, WIDER = 6 };
static const double little = 1e-3;  // of a radian, or of the model's length, to either side
static const double unlike = 1e-5;  // pivot ratio from which on rows hold the mechanism

struct hn_beside {
  double *y[NODES], *rate[NODES];
};

void hn_beside_layout(hn_sim *sim, hn_arena *arena) {
  if (!sim->sys->rows) return;
  struct hn_beside *b = HN_TAKE(arena, struct hn_beside, 1), plan;
  for (int i = 0; i < NODES; i++) {
    plan.y[i] = HN_TAKE(arena, double, sim->state.n);
    plan.rate[i] = HN_TAKE(arena, double, sim->state.n);
  }
  if (!arena->base) return;
  *b = plan;
  sim->rows.beside = b;
}

static hn_status pull(hn_sim *sim, double t, double *y) {
  hn_stage_left(sim);
  sim->rows.damped = 1, sim->rows.open = NAN;
  return hn_correct(sim, t, y, NULL);
}

hn_status hn_pull_inside(hn_sim *sim, double t, double *y) {
  bool stepping = sim->stage.stepping;
  sim->stage.stepping = true;
  hn_status status = pull(sim, t, y);
  sim->stage.stepping = stepping;
  return status;
}

// the state at time t and its rates; false: there are none, or rows do not hold it there either
static bool firm(hn_sim *sim, double t, double *y, double *rate) {
  if (t < sim->state.t)
    hn_dense(sim, t, y);
  else
    memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  sim->stage.stepping = true;
  return !pull(sim, t, y) && !(sim->rows.damped < unlike) && !hn_derivative(sim, t, y, rate);
}

// Hermite's polynomial through n states and their rates, at time t
static void between(const hn_sim *sim, const double *at, int n, double t, double *y) {
  const struct hn_beside *b = sim->rows.beside;
  double value[NODES], slope[NODES];
  for (int i = 0; i < n; i++) {
    double part = 1, falls = 0, past = t - at[i];
    for (int k = 0; k < n; k++)
      if (k != i) part *= (t - at[k]) / (at[i] - at[k]), falls += 1 / (at[i] - at[k]);
    value[i] = (1 - 2 * past * falls) * part * part;
    slope[i] = past * part * part;
  }
  for (int i = 0; i < sim->state.n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += value[k] * b->y[k][i] + slope[k] * b->rate[k][i];
    y[i] = sum;
  }
  hn_normalise(sim->sys, y);
}

// states so far to either side of t, but within the step; false: rows do not hold them
static bool look_beside(hn_sim *sim, double t, double way, double *at, int first) {
  const struct hn_beside *b = sim->rows.beside;
  at[first] = fmax(t - way, sim->state.t_old), at[first + 1] = fmin(t + way, sim->state.t);
  for (int i = first; i < first + SIDES; i++)
    if (!firm(sim, at[i], b->y[i], b->rate[i])) return false;
  return true;
}

// stays as it is where there are no such states on both sides within the step
static void from_both_sides(hn_sim *sim, double t, double *y) {
  double way = little / sim->step.speed[1], at[NODES];
  for (int pass = 0; pass < WIDER; pass++, way *= 2) {
    if (!look_beside(sim, t, way, at, 0)) continue;
    // as far again, where the step is that long
    bool room = t - 1.5 * way > sim->state.t_old && t + 1.5 * way < sim->state.t;
    bool far = room && look_beside(sim, t, 2 * way, at, SIDES);
    between(sim, at, far ? NODES : SIDES, t, y);
    return;
  }
}

hn_status hn_correct_inside(hn_sim *sim, double t, double *y) {
  bool stepping = sim->stage.stepping;
  sim->stage.stepping = true;
  hn_status status = pull(sim, t, y);
  // what holds or lets go within the step is not to be asked of states beside this one
  bool steady = !sim->sys->unilaterals && !sim->sys->memories && !sim->sys->switches;
  if (!status && sim->rows.damped < unlike && steady && !hn_leaves(sim)) from_both_sides(sim, t, y);
  sim->stage.stepping = stepping;
  hn_stage_left(sim);
  return status;
}
