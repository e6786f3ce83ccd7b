// polytope.h: convex solids by their corners, faces and edges, for contact.
//
// All of it is one array of numbers, which systems keep as they keep those of a curve.
#ifndef HN_POLYTOPE_H
#define HN_POLYTOPE_H

#include "base/base.h"
#include "system/surface.h"

// of a solid that touches: beyond that every step would look at millions of pairs of edges
enum { HN_POLYTOPE_CORNERS = 512 };

// pointers into such an array
typedef struct hn_polytope {
  int corners, faces, edges;
  const double *corner;  // x, y, z of each
  const double *plane;   // of each face: normal outwards, and n . x on it
  const double *first;  // of each face: where its corners begin in `loop`; one more behind the last
  const double *loop;   // numbers of corners, counter-clockwise seen from outside
  const double *edge;   // of each: corner, corner, face to the left of the way, face to the right
} hn_polytope;
hn_polytope hn_polytope_of(const double *data);

// Of the triangles of a convex hull, moved to where it is: those in one plane, to 1e-6 of the
// whole, are one face. Numbers to be freed, how many in *size; NULL and a message: too many
// corners, faces too narrow to tell apart, out of memory
double *hn_polytope_make(const double (*corner)[3], int corners, const int (*triangle)[3],
                         int triangles, int *size, hn_status *status, char message[HN_MESSAGE]);

// distance from it; inside that from the plane of the nearest face, below zero
extern const hn_surface hn_surface_hull;
// from the plane of one face alone, whose four numbers are its data
extern const hn_surface hn_surface_face;
// how far a point before a face is from the nearest of its edges, below zero beside it
double hn_polytope_margin(const hn_polytope *p, int face, const double x[3]);
// unit directions from a corner along its edges; returns how many, of `most` that there is room for
int hn_polytope_spokes(const hn_polytope *p, int corner, double (*along)[3], int most);

#endif
