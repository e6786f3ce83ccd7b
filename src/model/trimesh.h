// trimesh.h: surfaces of triangles, from STL, OBJ and COLLADA files.
//
//   trimesh_read.c  the files (collada.c)
//   trimesh.c       is it closed, which way is out, what does it hold; fewer triangles for pictures
#ifndef HN_TRIMESH_H
#define HN_TRIMESH_H

#include "base/base.h"

enum {
  HN_TRIMESH_BYTES = 128 << 20,    // of a file
  HN_TRIMESH_TRIANGLES = 1000000,  // of a mesh
  HN_TRIMESH_PARTS = 1000,         // separate closed surfaces of one
};

typedef struct hn_trimesh {
  int corners, corner_room;
  double (*corner)[3];  // no two are equal
  int triangles, triangle_room;
  int (*triangle)[3];  // numbers of corners, no two equal; counter-clockwise seen from outside
  char color[8];       // "#rrggbb", or "" where the file has none
} hn_trimesh;

// The format is that of the path's ending, .stl (text or binary), .obj or .dae; `message` says with
// the path, and the line where there is one, what is wrong. hn_trimesh_free() what was read
hn_status hn_trimesh_load(hn_trimesh *mesh, const char *path, char message[HN_MESSAGE]);
// the same of a file's content, with a zero behind its end; `path` stands for it in messages
hn_status hn_trimesh_parse(hn_trimesh *mesh, const char *text, size_t length, const char *path,
                           char message[HN_MESSAGE]);
void hn_trimesh_free(hn_trimesh *mesh);

// Pieces of a reader. A corner's number, the same for the same place; -1: out of memory. free() the
// finder's slots in the end
typedef struct hn_trimesh_finder {
  hn_trimesh *mesh;
  int *slot;  // number of a corner + 1; 0: free
  size_t slots;
} hn_trimesh_finder;
int hn_trimesh_corner(hn_trimesh_finder *finder, const double at[3]);
// a triangle of three of them, left out where two are the same; false: out of memory
bool hn_trimesh_triangle(hn_trimesh *mesh, int a, int b, int c);

// corners times these factors; an odd number of negative ones turns the triangles round
void hn_trimesh_scale(hn_trimesh *mesh, const double factor[3]);

// Does the surface enclose a volume: every edge passed as often one way as the other, and no part
// turned inside out, unless it is a hollow of another? Then all triangles face outwards. HN_OK, or
// why not: HN_ERR_MODEL, HN_ERR_MEMORY
hn_status hn_trimesh_close(hn_trimesh *mesh, char message[HN_MESSAGE]);

// what a closed surface holds: volume, its centre, and its moments of inertia about the centre at
// density 1, xx yy zz xy xz yz. Exact but for rounding. Parts that overlap count twice
void hn_trimesh_content(const hn_trimesh *mesh, double *volume, double centre[3],
                        double inertia[6]);

// about as many triangles as asked for, or fewer: corners that are close become one
hn_status hn_trimesh_thin(hn_trimesh *out, const hn_trimesh *mesh, int triangles);

#endif
