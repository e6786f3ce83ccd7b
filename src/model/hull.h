// hull.h: the convex hull of points in space, as triangles.
#ifndef HN_HULL_H
#define HN_HULL_H

#include "model/trimesh.h"

enum { HN_HULL_POINTS = 1000000 };  // more are refused, as meshes of so many triangles are

// Triangles that enclose all points, counter-clockwise seen from outside; points inside, and those
// nearer to a triangle than 1e-11 of the whole, are no corners. HN_ERR_MODEL: fewer than four
// points, or all in one place, line or plane, or numbers that are none; hn_trimesh_free() the rest
hn_status hn_hull_wrap(hn_trimesh *out, const double *points, int count, char message[HN_MESSAGE]);

#endif
