// beside.c: states inside of a step, pulled onto the constraints; and those in a singular place.
//
// What a step's dense output is off across the rows is taken away, but for an instant in a singular
// place there are motions that the rows say nothing of, and errors along these stay. There the
// state is that of a cubic between two others, a little before and behind, where the rows hold the
// mechanism again.
#include "sim/pull.h"

#include <string.h>

enum { SIDES = 2, WIDER = 6 };
static const double little = 1e-3;  // of a radian, or of the model's length, to either side
static const double unlike = 1e-5;  // pivot ratio from which on rows hold the mechanism

struct hn_beside {
  double *y[SIDES], *rate[SIDES];
};

void hn_beside_layout(hn_sim *sim, hn_arena *arena) {
  if (!sim->sys->rows) return;
  struct hn_beside *b = HN_TAKE(arena, struct hn_beside, 1), plan;
  for (int i = 0; i < SIDES; i++) {
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

static void between(const hn_sim *sim, const struct hn_beside *b, double h, double s, double *y) {
  double one = (1 + 2 * s) * (1 - s) * (1 - s), two = s * s * (3 - 2 * s);
  double three = h * s * (1 - s) * (1 - s), four = -h * s * s * (1 - s);
  for (int i = 0; i < sim->state.n; i++)
    y[i] = one * b->y[0][i] + two * b->y[1][i] + three * b->rate[0][i] + four * b->rate[1][i];
  hn_normalise(sim->sys, y);
}

// stays as it is where there are no such states on both sides within the step
static void from_both_sides(hn_sim *sim, double t, double *y) {
  const struct hn_beside *b = sim->rows.beside;
  double way = little / sim->step.speed[1];
  for (int pass = 0; pass < WIDER; pass++, way *= 2) {
    double first = fmax(t - way, sim->state.t_old), last = fmin(t + way, sim->state.t);
    if (!firm(sim, first, b->y[0], b->rate[0]) || !firm(sim, last, b->y[1], b->rate[1])) continue;
    between(sim, b, last - first, (t - first) / (last - first), y);
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
