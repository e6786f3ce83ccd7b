// weights.c: by what rows that depend on each other share reactions.
//
// Rows measure lengths (stiffness in N/m) or angles (N m/rad). Without numbers of its own a row has
// the weight of its joint, times the square of the model's length where it is about angles: so the
// shares do not depend on the unit of length.
#include "system/builder.h"

#include <stdlib.h>

static void mark_angles(hn_system *sys) {
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    bool angular = row->terms > 0;
    for (int k = 0; k < row->terms; k++) {
      hn_measure_type type = sys->measure[sys->term[row->first_term + k].measure].type;
      angular &= type != HN_M_DOT2 && type != HN_M_DISTANCE;
    }
    sys->angular_row[row->row] = angular;
  }
}

hn_status hn_weigh_rows(hn_system *sys) {
  sys->angular_row = calloc((size_t)sys->rows + 1, sizeof(bool));
  sys->stiffness = malloc(((size_t)sys->rows + 1) * sizeof(double));
  if (!sys->angular_row || !sys->stiffness) return HN_ERR_MEMORY;
  mark_angles(sys);
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    const hn_sys_joint *j = &sys->joint[group->joint];
    for (int r = 0; r < group->rows; r++) {
      int row = group->row0 + r;
      double own = sys->angular_row[row] ? sys->length * sys->length : 1;
      if (j->coupling) own = j->coupling[r * (group->rows + 1)];
      sys->stiffness[row] = j->stiffness * own;
    }
    sys->weighted |= j->coupling || j->stiffness != 1;
    sys->preloaded |= j->preload != NULL;
  }
  return HN_OK;
}
