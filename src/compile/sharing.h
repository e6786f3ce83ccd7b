// sharing.h: reactions of rows that depend on each other.
#ifndef HN_SHARING_H
#define HN_SHARING_H

#include "system/system.h"

// work space for one system in reference coordinates, in the caller's arena
typedef struct hn_sharing {
  const hn_system *sys;
  hn_saddle saddle;
  double *weight;          // of velocities, nv
  double *D;               // compliance of the rows
  double *force, *x;       // nv
  double *part, *found;    // rows
  double violation;        // of the constraints, to be set before the calls below
  double feigned;          // force that a violation can make of self-stress
  double *preload;         // rows; only where the model gives one
  double *z, *g, *p, *Hp;  // rows; only where some are coupled
} hn_sharing;

// of the constraints, relative to the size of the model; at the run's own coordinates, which know
// how often an angle has gone round
double hn_sharing_violation(const hn_work *work);
void hn_sharing_layout(hn_sharing *s, hn_arena *arena, const hn_system *sys);
// lambda (rows) <- the multipliers with the same force J^T lambda that the rows' stiffness asks
// for, plus the preload; at the state last evaluated with its Jacobian
void hn_sharing_apply(hn_sharing *s, const hn_work *work, double *lambda);
// the same where the force on the velocities is known, s->force (used up), and lambda tells how
// large multipliers are; false: the rows cannot carry all of it, and lambda is as it was
bool hn_sharing_carry(hn_sharing *s, const hn_work *work, double *lambda);
// lambda (rows), where given[row] is not set, <- what carries s->force (forces on the velocities,
// used up) together with the rows that are given, as far as the rows can
void hn_sharing_complete(hn_sharing *s, const hn_work *work, const bool *given, double *lambda);
// lambda (rows) <- the preload the joints can hold among themselves
void hn_sharing_preload(hn_sharing *s, const hn_work *work, double *lambda);

// the rule in words: how the reactions of this system are found
void hn_sharing_describe(const hn_system *sys, char *text, size_t size);

#endif
