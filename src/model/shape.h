// shape.h: shapes of bodies: are they any, where are they, what do they hold.
//
//   shape.c    checks, places, moments
//   polygon.c  areas
//   trimesh*.c   surfaces from files
//   hull.c     convex hulls
//   look.c     materials and colours
#ifndef HN_SHAPE_H
#define HN_SHAPE_H

#include "model/model.h"

// at density 1, body axes: volume, its centre, inertia about that (xx yy zz xy xz yz)
typedef struct hn_content {
  double volume, centre[3], inertia[6];
} hn_content;

// names of materials and colours, blank-separated
extern const char hn_material_words[], hn_color_words[];
double hn_material_density(const char *name);  // [kg/m^3]; 0: there is none
// refuses what is no colour, at the key of that path
hn_status hn_check_color(hn_model *model, const char *path, const char *color);

// `path` is where the shape stands: "shape.*" or "shapes.2.*". `flat`: a box needs no third edge
hn_status hn_shape_check(hn_model *model, const char *path, const hn_shape_def *s, bool flat);
// the density of its material in place of the name
hn_status hn_shape_settle(hn_model *model, const char *path, hn_shape_def *s);
hn_status hn_shape_content(hn_model *model, const char *path, const hn_shape_def *s,
                           hn_content *content);
// axes of the shape in those of the body: what has a direction lies along z of them
void hn_shape_axes(const hn_shape_def *s, double R[9]);
// one of the four shapes a body alone can have: its mass, and its inertia where the mass is m
double hn_shape_mass(const hn_shape *s);
void hn_shape_moments(double inertia[6], const hn_shape *s, double m);
// the radius of a rod is its length / 100 unless it is given
double hn_shape_radius(const hn_shape *s);
// the same as one of several
hn_shape_def hn_shape_alone(const hn_body_def *def);

// copies of all that shapes point to, files by their whole paths; NULL: out of memory
hn_shape_def *hn_shapes_copy(const hn_model *model, const hn_shape_def *shapes, int count);
void hn_shapes_free(const hn_shape_def *shapes, int count);

// a file that the model reads once and keeps; NULL and a message: it cannot be read
hn_model_mesh *hn_model_mesh_load(hn_model *model, const char *path, char message[HN_MESSAGE],
                                  hn_status *status);
// one that was read before; NULL: none
hn_model_mesh *hn_model_mesh_known(const hn_model *model, const char *path);
// a surface that was made; NULL: out of memory
hn_model_mesh *hn_model_mesh_keep(hn_model *model, const char *name, hn_trimesh *mesh);
// the surface of a mesh or hull that hn_shape_check() has seen, before its scale; NULL: none
hn_model_mesh *hn_shape_mesh(const hn_model *model, const hn_shape_def *s);
void hn_model_meshes_free(hn_model *model);

#endif
