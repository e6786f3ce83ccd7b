// spoiled.c: who is no number any more, where a run fails.
//
// A root of something that has become negative, a division by what has become zero: error control
// shortens its steps before such a place until nothing is left of them, fixed steps run into it,
// and neither knows why. When a run has failed, the way ahead of its last state is looked at, from
// near to far, and the first state, force, or row that depends on time, that is no number there is
// named.
#include "base/elementary.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

static bool finite(const double *x, int n) {
  bool good = true;
  for (int i = 0; i < n; i++) good = good && isfinite(x[i]);
  return good;
}

// a force by itself, at the state last evaluated with all forces
static bool force_spoils(const hn_sim *sim, hn_work *work, const hn_batch *b, int k) {
  // alone, so that a NaN is this one's
  memset(work->f, 0, (size_t)sim->sys->bv * sizeof(double));
  work->power = 0;
  b->ops->eval(sim->sys, work, 1, b->data + (size_t)k * b->ops->data_size);
  return !finite(work->f, sim->sys->bv) || !isfinite(work->power);
}

static bool named_here(const hn_sim *sim, hn_work *work, double t, char *text, size_t size) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->rows; i++)
    if (!isfinite(work->phi[i]) || !isfinite(work->phi_t[i]) || !isfinite(work->gamma[i])) {
      snprintf(text, size, "'%.60s' is not a number at t = %.9g s", sys->row_name[i], t);
      return true;
    }
  for (int i = 0; i < sys->states; i++)
    if (!isfinite(hn_run_expression(sys, work, sys->state[i].expression, NULL))) {
      snprintf(text, size, "the rate of state '%.60s' is not a number at t = %.9g s",
               sys->state[i].name, t);
      return true;
    }
  for (int i = 0; i < sys->batches; i++)
    for (int k = 0; k < sys->batch[i].count; k++)
      if (force_spoils(sim, work, &sys->batch[i], k)) {
        snprintf(text, size, "force '%.60s' is not a number at t = %.9g s", sys->batch[i].name[k],
                 t);
        return true;
      }
  return false;
}

bool hn_spoiled(hn_sim *sim, char *text, size_t size) {
  enum { PLACES = 20 };
  const hn_system *sys = sim->sys;
  const double *q = sim->state.y, *v = q + sys->nq;
  double reach = 2 * fmax(sim->step.h_last, fmax(sim->step.h, sim->opt.step));
  double *trial = sim->step.y_stage;
  reach = fmax(reach, 1e-9 * sim->opt.duration);
  bool found = false;
  double *rate = sim->step.y_new;  // of the states
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
  hn_eval_all(&sim->stage.work, sim->state.t, q, v);
  hn_state_rates(&sim->stage.work, rate);
  for (int i = 0; i <= PLACES && !found; i++) {
    double ahead = i ? reach * hn_pow(10, 0.5 * (i - PLACES)) : 0, t = sim->state.t + ahead;
    for (int k = 0; k < sys->nv; k++) sim->room.v[k] = ahead * v[k];
    memcpy(trial, q, (size_t)sim->state.n * sizeof(double));
    hn_retract(sys, trial, sim->room.v);
    for (int k = 0; k < sys->states; k++) trial[sim->state.x + k] += ahead * rate[k];
    hn_give_states(&sim->stage.work, trial + sim->state.x);
    hn_eval_all(&sim->stage.work, t, trial, v);
    found = named_here(sim, &sim->stage.work, t, text, size);
  }
  hn_state_moved(sim);
  return found;
}
