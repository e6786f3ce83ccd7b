// shape_surface.h: shapes as triangles, for what draws nothing else.
#ifndef HN_SHAPE_SURFACE_H
#define HN_SHAPE_SURFACE_H

#include "model/model.h"

// in the frame of the body, counter-clockwise seen from outside; hn_trimesh_free() it. Round shapes
// are a little smaller than they are
hn_status hn_shape_surface(hn_trimesh *out, const hn_model *model, const hn_shape_def *s);

#endif
