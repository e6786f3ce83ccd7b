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
