// inertia.h: mass and inertia of a body, from its shape where they are not given.
#ifndef HN_INERTIA_H
#define HN_INERTIA_H

#include "model/model.h"

// fills mass, inertia and centre of mass, and checks that such a body can exist; `shapes` are its
// own copies of what def->shapes names, whose materials become densities
hn_status hn_inertia_complete(hn_model *model, hn_body_def *def, hn_shape_def *shapes);
// eigenvalues of the symmetric matrix xx yy zz xy xz yz, ascending
void hn_inertia_principal(const double inertia[6], double moment[3]);

#endif
