// unilateral.c: rows that come and go.
//
// A row that is off stays where it was planned, as zeros: in the value, its rate, the Jacobian and
// the right-hand side. Together with a compliance that leaves it out of the solution
// (HN_LEFT_OUT) it takes no part in anything, in whatever coordinates and by whatever back end of
// the saddle-point system, and nobody who looks at rows has to ask whether they are there.
#include "system/edges.h"

#include <string.h>

static void clear_jacobian(hn_work *work, int row) {
  const hn_system *sys = work->sys;
  const hn_group *g = &sys->group[sys->joint[sys->row_joint[row]].group];
  for (int k = g->first; k < g->first + g->bodies; k++) {
    int nv = sys->body[sys->group_body[k]].nv;
    double *J = work->J + sys->block_offset[k] + (row - g->row0) * nv;
    memset(J, 0, (size_t)nv * sizeof(double));
  }
}

void hn_hold_turn(const hn_work *work, const hn_hold *hold, double R[9]) {
  const hn_measure *m = &work->sys->measure[hold->spin - 1];
  m3_tmul(R, work->kin[m->a].R, work->kin[m->b].R);
}

// By how much a ball joint has turned since it came to rest, along the axis of a row: the spin has
// no integral of its own, but turns this small have
static double turned(const hn_work *work, const hn_hold *hold, const double rest[9], int k) {
  const hn_measure *m = &work->sys->measure[hold->spin - 1 + k];
  double R[9], D[9];
  hn_hold_turn(work, hold, R);
  m3_mult(D, R, rest);
  double turn[3] = {0.5 * (D[7] - D[5]), 0.5 * (D[2] - D[6]), 0.5 * (D[3] - D[1])};
  return v3_dot(m->ua, turn);
}

// angle of b against a, bodies of the plane
static double angle_between(const hn_work *work, const hn_measure *m) {
  const hn_sys_body *a = &work->sys->body[m->a], *b = &work->sys->body[m->b];
  return (b->nq ? work->q[b->q0 + 2] : 0) - (a->nq ? work->q[a->q0 + 2] : 0);
}

void hn_hold_place(const hn_work *work, const hn_hold *hold, double rest[6]) {
  hn_measure room;
  const hn_measure *m = hn_measure_held(&work->sys->measure[hold->anchor - 1], work, &room);
  if (m->other) {
    hn_edge_place(m, &work->kin[m->a], &work->kin[m->b], rest);
    return;
  }
  hn_slip_place(m, &work->kin[m->a], &work->kin[m->b], rest);
  if (hn_slip_rolls(m)) rest[3] = angle_between(work, m);
}

// how far a point on a surface is from its place, or what rolls from where it should be by now
static double slipped(const hn_work *work, const hn_measure *given, const double rest[6]) {
  hn_measure room;
  const hn_measure *m = hn_measure_held(given, work, &room);
  const hn_kin *a = &work->kin[m->a], *b = &work->kin[m->b];
  if (m->other) return hn_edge_slip_since(m, a, b, rest);
  if (!hn_slip_rolls(m)) return hn_slip_since(m, a, b, rest);
  return hn_slip_rolled(m, a, b, rest, angle_between(work, m) - rest[3]);
}

// Neither has the slip of a point on a surface, but where it holds the point stays in one place
static void stay(hn_work *work, int i, int row) {
  const hn_system *sys = work->sys;
  int h = sys->unilateral[i].hold - 1;
  if (h < 0 || !work->held) return;
  const hn_hold *hold = &sys->hold[h];
  if (hold->anchor) {
    const hn_measure *m = &sys->measure[hold->anchor - 1 + i - hold->first];
    work->phi[row] = slipped(work, m, work->held[h].rest);
  }
  if (!hold->spin) return;
  work->phi[row] = hold->radius * turned(work, hold, work->held[h].rest, i - hold->first);
}

// work->on NULL: none of them is there, as while models are compiled.
void hn_clear_absent(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->unilaterals; i++) {
    int row = sys->unilateral[i].row;
    if (work->on && work->on[i]) {
      stay(work, i, row);
      if (work->shift) work->phi[row] -= work->shift[i];
      continue;
    }
    work->phi[row] = 0;
    if (level >= 1) {
      work->psi[row] = 0;
      clear_jacobian(work, row);
    }
    if (level >= 2) work->gamma[row] = 0;
  }
}

bool hn_comes_and_goes(const hn_system *sys, int row) {
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->unilateral[i].row == row) return true;
  return false;
}

const double *hn_hold_reaction(const hn_work *work, const hn_hold *hold, double *N) {
  const double *F = work->load + 6 * hold->load + (hold->by_torque > 0 ? 3 : 0);
  *N = v3_norm(F) * (hold->by_torque > 0 ? hold->by_torque : 1);
  return F;
}

// a reaction with one direction goes through zero in a smooth way: where that happens friction has
// a kink, or bodies part, and steps end
double hn_hold_press(const hn_work *work, int hold) {
  const hn_hold *h = &work->sys->hold[hold];
  double N;
  const double *F = hn_hold_reaction(work, h, &N);
  if (h->press > 0) return h->press;
  return (h->line || h->normal >= 0) && work->held && v3_dot(F, work->held[hold].facing) < 0 ? -N
                                                                                             : N;
}

// what all that hold together with a row have to bear, in units of that row, and can bear.
// Frictions that hold one and the same motion cannot be told apart by it: one row is solved for,
// the bearer, and each bears the same part of what it could.
static void sum_holds(const hn_work *work, int bearer, double *total, double *limit) {
  const hn_system *sys = work->sys;
  int own = sys->unilateral[bearer].hold - 1;
  *total = work->lambda[sys->unilateral[bearer].row];
  *limit = sys->hold[own].sticking * fabs(hn_hold_press(work, own));
  for (int h = 0; h < sys->holds; h++) {
    if (work->held[h].bearer != bearer) continue;
    *total += work->held[h].worth * work->carried[h];
    *limit += fabs(work->held[h].worth) * sys->hold[h].sticking * fabs(hn_hold_press(work, h));
  }
}

static double share_of(const hn_work *work, int h, double total, double limit) {
  double own = work->sys->hold[h].sticking * fabs(hn_hold_press(work, h));
  return limit > 0 ? copysign(total * own / limit, total * work->held[h].worth) : 0;
}

double hn_share_holds(hn_work *work, bool set) {
  const hn_system *sys = work->sys;
  double change = 0, most = 0;
  if (!work->held) return 0;
  for (int i = 0; i < sys->unilaterals; i++) {
    bool bears = sys->unilateral[i].hold > 0 && work->on && work->on[i];
    double total, limit;
    if (!bears) continue;
    sum_holds(work, i, &total, &limit);
    most = fmax(most, limit);
    for (int h = 0; h < sys->holds; h++) {
      if (work->held[h].bearer != i) continue;
      double F = share_of(work, h, total, limit);
      change = fmax(change, fabs(F - work->carried[h]));
      if (set) work->carried[h] = F;
    }
  }
  return change > 0 ? change / most : 0;
}
