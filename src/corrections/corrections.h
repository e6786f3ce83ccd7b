// corrections.h: corrections after a step, one file each, one row in table.c.
#ifndef HN_CORRECTIONS_H
#define HN_CORRECTIONS_H

#include "sim/pull.h"

extern const hn_correction_type hn_correction_none, hn_correction_mass,
    hn_correction_mass_augmented, hn_correction_direct, hn_correction_partition,
    hn_correction_hybrid;

// how a projection measures the change it makes
typedef struct hn_projector {
  // at the state last evaluated, counting itself; hn_is_factored says that sim->stage.kkt has
  // the factors of the equations of motion there. True when rows are damped, by that part of their
  // squares where the projector has no way of its own: some are close to dependent
  bool (*factor)(hn_sim *sim, double damping);
  // sim->room.v = least change with J x = -residual; position level: nonholonomic rows get zero
  void (*pull)(hn_sim *sim, const double *residual, bool holonomic_only);
  bool shares;  // rows that cannot all be met are met in the sense of least squares
} hn_projector;

// project.c: Newton's method with the projector's steps for positions, then velocities
hn_status hn_project(hn_sim *sim, const hn_projector *projector, double t, double *q, double *v,
                     double *moved);
// the same for mass-orthogonal projections, by machine code where the system has it
hn_status hn_project_mass(hn_sim *sim, const hn_projector *projector, double t, double *q,
                          double *v, double *moved);
// sim->room.r = -residual in the rows that take part, 0 in the others
void hn_project_rows(hn_sim *sim, const double *residual, bool holonomic_only);

#endif
