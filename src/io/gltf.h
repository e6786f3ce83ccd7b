// gltf.h: parts of the writer of .glb files, private to it.
#ifndef HN_GLTF_H
#define HN_GLTF_H

#include <stdint.h>

#include "io/report.h"

enum { MESHES = 3, COLOURS = 6 };
typedef enum mesh_kind { CUBE, CYLINDER, BALL } mesh_kind;

typedef struct bytes {
  unsigned char *data;
  size_t used, room;
  bool failed;
} bytes;

// a run of numbers in the buffer, and what is said of it
typedef struct accessor {
  size_t at;
  int count, width;  // vectors, and numbers of each
  bool index;        // whole numbers
  double least[3], most[3];
} accessor;

// one of several shapes of a body, in the body's frame; its corners stand in one accessor, the
// triangles in the next
typedef struct solid {
  int accessor, material;
} solid;

// Everything on the way to the file: what is drawn, numbers so far, and the description.
typedef struct scene {
  const hn_report *report;
  const hn_model *model;
  const hn_system *sys;
  const hn_result *result;
  bytes buffer;
  accessor *list;
  int count, capacity;
  int stride, frames;
  double bar;  // [m] radius of bars
  int mesh[MESHES][3];
  int *colour;   // per body: its material; one of COLOURS, or of its own behind these
  int colours;   // of both kinds
  solid *solid;  // in the order of bodies and their shapes
  int solids, solid_room;
  int *bent;  // per flexible body: accessor of its corners; triangles, then targets follow
  hn_json json;
  hn_text text;
} scene;

void hn_gltf_word(bytes *b, uint32_t x);
// NULL when out of memory
accessor *hn_gltf_open(scene *s, int width, bool index);
void hn_gltf_vector(scene *s, accessor *a, const double *x);

void hn_gltf_unit_mesh(scene *s, mesh_kind kind);
void hn_gltf_solids(scene *s);           // of all bodies
void hn_gltf_bent(scene *s, int index);  // a flexible body: corners, triangles, targets

#endif
