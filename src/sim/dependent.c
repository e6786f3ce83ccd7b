// dependent.c: which rows depend on each other at a singular configuration, and whose they are.
//
// The rows of the whole model in reference coordinates, columns over sqrt(m) and rows of length
// one, give S = J J^T. Its eigenvalues that vanish here are the rows lost. With a small d between
// them and the others,
//
//   P = d (S + d)^-1
//
// is all but the projector onto the null space: applied to a vector in general position it shows
// who takes part, and d log det(S + d) / d log d, its trace, says how many. The saddle-point
// factorisation with compliance d gives both, so that the cost is linear in the size of the model.
#include "base/elementary.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

struct hn_dependent {
  const hn_system *all;  // the system that has all rows of the model, in reference coordinates
  hn_work own_work;      // its work space, where the run is in other coordinates
  hn_saddle own_saddle;  // its factors, where the run has others
  hn_work *work;
  hn_saddle *saddle;
  double *size, *D, *z, *x;  // rows each; nv
  double *l;                 // rows of the run
};

static const double widest = 5e-3;  // singular values above are no sign of dependency
enum { PASSES = 3 };                // of the projector
static const double apart = 10;     // between the two values of d
static const double largest = 0.1;  // part of a joint that is named, against the largest
static const double feigned =
    1e-4;  // singular value that the errors of a state inside a step feign

void hn_dependent_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys, *all = sys->reference ? sys->reference : sys;
  struct hn_dependent *d = HN_TAKE(arena, struct hn_dependent, 1), place = {.all = all};
  if (all != sys) hn_work_layout(&place.own_work, arena, all);
  bool shared = all == sys && !sys->mass_entries;
  if (!shared) hn_saddle_layout(&place.own_saddle, arena, all->plan);
  place.size = HN_TAKE(arena, double, all->rows);
  place.D = HN_TAKE(arena, double, all->rows);
  place.z = HN_TAKE(arena, double, all->rows);
  place.x = HN_TAKE(arena, double, all->nv);
  place.l = HN_TAKE(arena, double, sys->rows);
  if (!arena->base) return;
  *d = place;
  d->own_work.on = sim->stage.work.on, d->own_work.shift = sim->stage.work.shift;
  d->own_work.face = sim->stage.work.face;
  d->work = all != sys ? &d->own_work : &sim->stage.work;
  d->saddle = shared ? &sim->stage.kkt.saddle : &d->own_saddle;
  sim->watch.dependent = d;
}

// a vector that no dependency is orthogonal to
static double general(int i) {
  return (i % 2 ? -1 : 1) * (0.5 + 7919 * (i + 1) % 101 / 101.0);
}

// the joints with a large part in l, which belongs to the rows of sys
static void name_joints(const hn_system *sys, const double *l, char *text, size_t size) {
  size_t used = 0;
  int more = 0, said = 0;
  double most = 0;
  text[0] = 0;
  for (int i = 0; i < sys->rows; i++) most = fmax(most, fabs(l[i]));
  for (int j = 0; j < sys->joints; j++) {
    if (sys->joint[j].group < 0) continue;
    const hn_group *g = &sys->group[sys->joint[j].group];
    double part = 0;
    for (int i = 0; i < g->rows; i++) part = fmax(part, fabs(l[g->row0 + i]));
    if (!(part >= largest * most)) continue;
    if (said == 8 || used + strlen(sys->joint[j].name) + 24 > size) {
      more++;
      continue;
    }
    used +=
        (size_t)snprintf(text + used, size - used, "%s%s", said ? ", " : "", sys->joint[j].name);
    said++;
  }
  if (more) snprintf(text + used, size - used, " and %d more", more);
}

// factorises with compliance d; returns log det(S + d), but for a constant
static double factor(struct hn_dependent *d, double compliance) {
  for (int i = 0; i < d->all->rows; i++) d->D[i] = compliance * d->size[i];
  hn_saddle_factor(d->saddle, d->all->mass, d->work->J, d->D);
  return hn_saddle_log_determinant(d->saddle);
}

// rows that are dependent here but not in general; the dependency is left in d->z.
// Two factorisations and three solutions. Rows that are redundant anywhere are taken off the count
static int rows_lost(hn_sim *sim, double sigma) {
  struct hn_dependent *d = sim->watch.dependent;
  const hn_system *all = d->all;
  if (all != sim->sys) {
    hn_eval_poses(&sim->stage.work);
    hn_eval_jacobian(d->work, sim->stage.work.t, sim->stage.work.q, sim->stage.work.v);
  }
  hn_row_sizes(d->work, d->size);
  for (int i = 0; i < all->rows; i++)
    if (!(d->size[i] > 0)) d->size[i] = 1;
  double edge = fmin(20 * sigma + feigned, widest), compliance = edge * edge;
  double below = factor(d, compliance), above = factor(d, compliance *= apart);
  for (int i = 0; i < all->rows; i++) d->z[i] = general(i) * sqrt(d->size[i]);
  for (int pass = 0; pass < PASSES; pass++) {
    memset(d->x, 0, (size_t)all->nv * sizeof(double));
    hn_saddle_solve(d->saddle, d->x, d->z);
    for (int i = 0; i < all->rows; i++)
      d->z[i] *= compliance * (pass < PASSES - 1 ? d->size[i] : sqrt(d->size[i]));
  }
  return (int)lrint((above - below) / hn_log(apart)) - all->redundant;
}

// the joints that take part where the rows solved for are nearest to dependent
static void name_weakest(hn_sim *sim, hn_singular_place *place) {
  const hn_system *sys = sim->sys;
  double *l = sim->watch.dependent->l, *size = sim->room.r2;
  hn_row_sizes(&sim->stage.work, size);
  for (int i = 0; i < sys->rows; i++) {
    bool out = sim->rows.D && sim->rows.D[i] > 0;
    if (!(size[i] > 0)) size[i] = 1;
    sim->rows.D_soft[i] = out ? sim->rows.D[i] : 1e-10 * size[i];
    l[i] = out ? 0 : general(i) / sqrt(size[i]);
  }
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D_soft);
  for (int pass = 0; pass < PASSES; pass++) {
    memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, l);
    double most = 0;
    for (int i = 0; i < sys->rows; i++) most = fmax(most, fabs(l[i]) * sqrt(size[i]));
    for (int i = 0; i < sys->rows; i++)
      l[i] *= (pass < PASSES - 1 ? size[i] : sqrt(size[i])) / (most > 0 ? most : 1);
  }
  name_joints(sys, l, place->joints, sizeof place->joints);
}

bool hn_dependent_rows(hn_sim *sim, double sigma, hn_singular_place *place) {
  struct hn_dependent *d = sim->watch.dependent;
  place->rows_lost = rows_lost(sim, sigma);
  // among redundant rows the permanent dependencies would hide the new one
  if (d->all->redundant)
    name_weakest(sim, place);
  else
    name_joints(d->all, d->z, place->joints, sizeof place->joints);
  return place->rows_lost > 0;
}
