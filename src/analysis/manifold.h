// manifold.h: the constraints of one state, for the analyses.
//
// At a state the rows J are scaled by M^-1/2 and to unit length and decomposed; that gives
//   Z     a basis of what they leave free, J Z = 0, orthonormal in the mass: Z^T M Z = 1
//   J^+   the change of least kinetic energy that meets given row values
//   J^T+  multipliers of a force that the rows can carry
// Dependent rows do no harm. The work space is the sim's own.
//
// J^+ alone comes from the sim's sparse factorisation, at a cost linear in the bodies; the dense
// decomposition is made where a basis is asked for, and in singular places.
#ifndef HN_MANIFOLD_H
#define HN_MANIFOLD_H

#include "linalg/dense_step.h"
#include "sim/sim.h"

// Made for one analysis and destroyed with it; nothing of it outlives a change of the sim's state
// but the memory. All scratch members may be overwritten by any function below.
typedef struct hn_manifold {
  hn_sim *sim;
  const hn_system *sys;
  hn_arena arena;
  hn_arena dense;  // of cod and Z, made when they are needed first
  hn_cod cod;
  bool general;      // masses are no diagonal, or zero: `root` is of their sizes, Z as said above
  bool driven;       // nothing is free: J^+ is all that is asked for
  bool is_sparse;    // the last decomposition was the sparse one
  bool damped;       // and met dependent rows
  long count[2];     // decompositions made: sparse, dense
  const bool *skip;  // per row: never takes part; NULL: all do
  int free;          // nv - rank
  double *Z;         // free x nv, vector after vector
  double *root;      // nv: square root of the mass
  double *size;      // rows: factor that brings a row to unit length, 0 when it takes no part
  double *trial;     // nq
  double *x, *y;     // scratch, nv
  double *r, *r2;    // scratch, rows
} hn_manifold;

// the mass of a velocity: 0 for bodies without, where sys->mass only says of which size it is
static inline double hn_own_mass(const hn_system *sys, int v) {
  bool diagonal = sys->singular_mass && !hn_mass_varies(sys);
  return diagonal ? sys->mass_entries->value[v] : sys->mass[v];
}

// refuses systems the analyses cannot deal with; hn_sim_error() explains
hn_status hn_manifold_create(hn_manifold **out, hn_sim *sim);
// the same without room for a basis, for mechanisms whose drivers leave nothing free
hn_status hn_manifold_create_driven(hn_manifold **out, hn_sim *sim);
// the same as the first, for linearisations and statics: flexible bodies are no obstacle
hn_status hn_manifold_create_general(hn_manifold **out, hn_sim *sim);
void hn_manifold_destroy(hn_manifold *m);

// decomposes the Jacobian last evaluated in sim->stage.work; fills Z
void hn_manifold_factor(hn_manifold *m, bool holonomic_only);
// x (nv): the least with J x = r
void hn_manifold_pull(hn_manifold *m, const double *r, double *x);
// smallest singular value that counts, estimated, and the row nearest to depending on others
double hn_manifold_weakest(const hn_manifold *m);
int hn_manifold_weakest_row(const hn_manifold *m);

// moves q onto the position rows at time t by Newton's method; HN_ERR_ASSEMBLY when that fails.
// evaluates and factors the holonomic rows on the way
hn_status hn_manifold_close(hn_manifold *m, double t, double *q);
// least change of v that meets all rows at (t, q); evaluates and factors
void hn_manifold_velocity(hn_manifold *m, double t, const double *q, double *v);

// accelerations and multipliers at (t, q, v) in sim->stage.a and work.lambda. `still`: rows that
// depend on time stand still (a statics problem)
hn_status hn_manifold_accelerate(hn_manifold *m, double t, const double *q, const double *v,
                                 bool still);
// shares the reaction J^T lambda among dependent rows by the stiffness X of their joints,
//   lambda = lambda_0 + X J (J^T X J)^+ J^T (lambda - lambda_0),   lambda_0 the preload,
// least norm where none is given; nothing changes when no row is redundant. Returns the rule in
// words
const char *hn_manifold_share(hn_manifold *m, double *lambda);

// Analyses hold rows that come and go both ways. The joint of one that would have to pull by the
// multipliers in sim->stage.work.lambda, NULL: none, which is when what was found is what would be
const char *hn_manifold_pulling(const hn_manifold *m);

// the joint coordinates (or bodies) in which the free motion shows, "rail.translation, hinge.angle"
void hn_manifold_free_names(hn_manifold *m, char *text, size_t size);

// largest translation in lengths of the model, or rotation, of a displacement
double hn_displacement_size(const hn_system *sys, const double *d);

#endif
