// ground.h: ground with a border, and who came beyond it.
#ifndef HN_GROUND_H
#define HN_GROUND_H

#include "system/build.h"

// a point of b must stay over a terrain of these numbers on a; false after a failure
bool hn_build_ground(hn_builder *builder, const hn_mount *a, const hn_mount *b, const double *size);
// the first whose point is beyond the border at the poses in `work`, and where it is in the axes of
// the ground; NULL: none is
const hn_ground *hn_ground_left(const hn_work *work, double where[3]);

#endif
