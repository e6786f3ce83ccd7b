// restore_energy.c: the total energy as one more condition of a correction.
//
// E = T + V - w, w the work of forces without potential, must be what it was at the start. The
// velocities are changed along x, the projection of v to the motions the rows leave free (x = v
// when no row moves by itself): the shortest way in the kinetic-energy norm, and the constraints
// stay met. x is orthogonal to v - x in that norm, so with X = x.M x
//   T(v + s x) = T(v) + X (s + s^2 / 2)   and   (1 + s)^2 = 1 - 2 (E - E0) / X.
// Close to rest energy is no measure of velocity: there nothing is done.
#include "sim/pull.h"

#include <string.h>

static const double slow = 0.05;  // largest part of the free kinetic energy changed at once

hn_status hn_restore_energy(hn_sim *sim, double t, double *y, double *moved) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  double *v = y + sys->nq, X = 0;
  hn_give_states(w, y + sim->state.x);
  hn_eval_all(w, t, y, v);
  hn_kkt_factor(&sim->stage.kkt, w, HN_WEIGHT_MASS, sim->rows.D);
  sim->count.factorisations++;
  hn_mass_mul(w, v, sim->room.v);
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, w, sim->room.v, sim->room.r);
  // accelerations are computed anew before anybody looks at them
  hn_mass_mul(w, sim->room.v, sim->stage.a);
  for (int i = 0; i < sys->nv; i++) X += sim->room.v[i] * sim->stage.a[i];
  double excess =
      hn_kinetic_energy(w) + hn_potential_energy(w) - y[sim->state.w] - sim->audit.energy0;
  if (!(2 * fabs(excess) < slow * X)) return HN_OK;
  double s = sqrt(1 - 2 * excess / X) - 1;
  for (int i = 0; i < sys->nv; i++) {
    if (moved) *moved = fmax(*moved, fabs(s * sim->room.v[i]) / sim->step.scale_y[sys->nq + i]);
    v[i] += s * sim->room.v[i];
  }
  return HN_OK;
}
