// mesh.h: surfaces of triangles, from STL and OBJ files.
//
//   mesh_read.c  the files
//   mesh.c       is it closed, which way is out, what does it hold; fewer triangles for pictures
#ifndef HN_MESH_H
#define HN_MESH_H

#include "base/base.h"

enum {
  HN_MESH_BYTES = 128 << 20,    // of a file
  HN_MESH_TRIANGLES = 1000000,  // of a mesh
  HN_MESH_PARTS = 1000,         // separate closed surfaces of one
};

typedef struct hn_mesh {
  int corners, corner_room;
  double (*corner)[3];  // no two are equal
  int triangles, triangle_room;
  int (*triangle)[3];  // numbers of corners, no two equal; counter-clockwise seen from outside
} hn_mesh;

// The format is that of the path's ending, .stl (text or binary) or .obj; `message` says with the
// path, and the line where there is one, what is wrong. hn_mesh_free() what was read
hn_status hn_mesh_load(hn_mesh *mesh, const char *path, char message[HN_MESSAGE]);
// the same of a file's content, with a zero behind its end; `path` stands for it in messages
hn_status hn_mesh_parse(hn_mesh *mesh, const char *text, size_t length, const char *path,
                        char message[HN_MESSAGE]);
void hn_mesh_free(hn_mesh *mesh);

// Pieces of a reader. A corner's number, the same for the same place; -1: out of memory. free() the
// finder's slots in the end
typedef struct hn_mesh_finder {
  hn_mesh *mesh;
  int *slot;  // number of a corner + 1; 0: free
  size_t slots;
} hn_mesh_finder;
int hn_mesh_corner(hn_mesh_finder *finder, const double at[3]);
// a triangle of three of them, left out where two are the same; false: out of memory
bool hn_mesh_triangle(hn_mesh *mesh, int a, int b, int c);

// corners times these factors; an odd number of negative ones turns the triangles round
void hn_mesh_scale(hn_mesh *mesh, const double factor[3]);

// Does the surface enclose a volume: every edge passed as often one way as the other, and no part
// turned inside out, unless it is a hollow of another? Then all triangles face outwards. HN_OK, or
// why not: HN_ERR_MODEL, HN_ERR_MEMORY
hn_status hn_mesh_close(hn_mesh *mesh, char message[HN_MESSAGE]);

// what a closed surface holds: volume, its centre, and its moments of inertia about the centre at
// density 1, xx yy zz xy xz yz. Exact but for rounding. Parts that overlap count twice
void hn_mesh_content(const hn_mesh *mesh, double *volume, double centre[3], double inertia[6]);

// about as many triangles as asked for, or fewer: corners that are close become one
hn_status hn_mesh_thin(hn_mesh *out, const hn_mesh *mesh, int triangles);

#endif
