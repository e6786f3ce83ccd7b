// orientation.h: on which side of singular positions a driven mechanism stands.
//
// Where drivers leave nothing free the independent rows of J are square, and the sign of their
// determinant changes where the mechanism passes a singular position. It comes from a sparse
// factorisation, at a cost linear in the bodies.
#ifndef HN_ORIENTATION_H
#define HN_ORIENTATION_H

#include "system/system.h"

// Mechanisms have several signs where several joints turn over; one sign for all of them misses
// places in which two do at the same time (kinematics.c looks at singular values there).
typedef struct hn_orientation hn_orientation;
// NULL: out of memory
hn_orientation *hn_orientation_create(const hn_system *sys);
void hn_orientation_destroy(hn_orientation *o);
// the sign at the Jacobian last evaluated; 0: singular, or the rows are not square
int hn_orientation_sign(hn_orientation *o, const hn_work *work);

#endif
