// unilateral.c: rows that come and go.
//
// A row that is off stays where it was planned, as zeros: in the value, its rate, the Jacobian and
// the right-hand side. Together with a compliance that leaves it out of the solution
// (HN_LEFT_OUT) it takes no part in anything, in whatever coordinates and by whatever back end of
// the saddle-point system, and nobody who looks at rows has to ask whether they are there.
#include "system/system.h"

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

void hn_clear_absent(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->unilaterals; i++) {
    int row = sys->unilateral[i].row;
    if (work->on && work->on[i]) {
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

// a reaction with one direction goes through zero in a smooth way: where that happens friction has
// a kink, or bodies part, and steps end
double hn_hold_press(const hn_work *work, int hold) {
  const hn_hold *h = &work->sys->hold[hold];
  const double *F = work->load + 6 * h->load;
  if (h->press > 0) return h->press;
  double N = v3_norm(F);
  return (h->line || h->normal >= 0) && work->held && v3_dot(F, work->held[hold].facing) < 0 ? -N
                                                                                             : N;
}

// what all that hold together with a row have to bear, in units of that row, and can bear
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
