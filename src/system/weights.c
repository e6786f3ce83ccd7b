// weights.c: by what rows that depend on each other share reactions.
//
// Rows measure lengths (stiffness in N/m) or angles (N m/rad). Without numbers of its own a row has
// the weight of its joint, times the square of the model's length where it is about angles: so the
// shares do not depend on the unit of length.
#include "system/builder.h"

#include <stdlib.h>

// Rows of points are lengths, sums of measures are angles if all of them are. Rows with formulas of
// their own (customs, blocks) count as lengths.
static void mark_angles(hn_system *sys) {
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    bool angular = row->terms > 0;
    for (int k = 0; k < row->terms; k++) {
      hn_measure_type type = sys->measure[sys->term[row->first_term + k].measure].type;
      angular &= type != HN_M_DOT2 && type != HN_M_DISTANCE && type != HN_M_SURFACE &&
                 type != HN_M_SLIP && type != HN_M_EDGES;
    }
    sys->angular_row[row->row] = angular;
  }
}

void hn_weigh_coupling(hn_system *sys, const hn_coupling *c) {
  for (int k = 0; k < c->rows; k++) {
    sys->stiffness[c->row[k]] = c->K[k * (c->rows + 1)];
    sys->stiffness_given[c->row[k]] = sys->coupled[c->row[k]] = true;
  }
  sys->weighted = true;
  sys->preloaded |= c->preload != NULL;
}

hn_status hn_weigh_rows(hn_system *sys) {
  sys->angular_row = calloc((size_t)sys->rows + 1, sizeof(bool));
  sys->stiffness = malloc(((size_t)sys->rows + 1) * sizeof(double));
  sys->stiffness_given = calloc((size_t)sys->rows + 1, sizeof(bool));
  sys->coupled = calloc((size_t)sys->rows + 1, sizeof(bool));
  if (!sys->angular_row || !sys->stiffness || !sys->stiffness_given || !sys->coupled)
    return HN_ERR_MEMORY;
  mark_angles(sys);
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    const hn_sys_joint *j = &sys->joint[group->joint];
    for (int r = 0; r < group->rows; r++) {
      int row = group->row0 + r;
      double unit = sys->angular_row[row] ? sys->length * sys->length : 1;
      sys->stiffness[row] = j->own_stiffness ? j->own_stiffness[r] : j->stiffness * unit;
      sys->stiffness_given[row] = j->own_stiffness;
    }
    sys->weighted |= j->own_stiffness || j->stiffness != 1;
    sys->preloaded |= j->preload != NULL;
  }
  for (int i = 0; i < sys->couplings; i++) hn_weigh_coupling(sys, &sys->coupling[i]);
  return HN_OK;
}

void hn_preload(const hn_system *sys, double *lambda) {
  for (int i = 0; i < sys->rows; i++) lambda[i] = 0;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    const double *preload = sys->joint[group->joint].preload;
    for (int r = 0; preload && r < group->rows; r++) lambda[group->row0 + r] = preload[r];
  }
  for (int i = 0; i < sys->couplings; i++) {
    const hn_coupling *c = &sys->coupling[i];
    for (int k = 0; c->preload && k < c->rows; k++) lambda[c->row[k]] += c->preload[k];
  }
}
