// balance.h: what is unbalanced in a position, for the analyses of states of rest.
#ifndef HN_BALANCE_H
#define HN_BALANCE_H

#include "analysis/linear.h"

// All of these read or write the work space of m->sim; `still` is nv zeros of the caller's.
// accelerations a of the released mechanism; their size, and that of the forces that make them up
hn_status hn_unbalanced(hn_manifold *m, double t, const double *q, const double *still, double *a,
                        double *size, double *scale);
// stiffness in the free velocities, m x m: rolling joints leave fewer of these than positions
void hn_free_stiffness(const hn_linear *l, double *K);
// basis of the free directions, vector after vector
void hn_free_basis(const hn_linear *l, double *U);
// what is unbalanced at the accelerations a, in the free directions
void hn_free_part(hn_manifold *m, const double *U, int dof, const double *a, double *g);
// M a with the masses last evaluated; the numbers stay until m->y is used again
const double *hn_times_mass(hn_manifold *m, const double *a);
// the displacement (nv) with these free components
void hn_free_whole(const hn_system *sys, const double *U, int dof, const double *z, double *d);

#endif
