// gltf_data.c: numbers of a .glb file: meshes of unit size, surfaces of shapes and flexible bodies.
//
// Numbers are written as they will stand in the file, 4 bytes each, so that every accessor begins
// at a multiple of four. Normals are needed for round meshes only; flat surfaces are shaded by the
// viewer.
#include "base/elementary.h"
#include "io/gltf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/shape_surface.h"

enum {
  AROUND = 24,            // sides of a round mesh
  MOST_TRIANGLES = 20000  // of one shape
};

// ---- numbers -------------------------------------------------------------------------------

static void put(bytes *b, const void *from, size_t size) {
  if (b->failed) return;
  if (b->used + size > b->room) {
    size_t room = 2 * b->room + size + 4096;
    unsigned char *grown = realloc(b->data, room);
    if (!grown) {
      b->failed = true;
      return;
    }
    b->data = grown, b->room = room;
  }
  memcpy(b->data + b->used, from, size);
  b->used += size;
}

// little-endian, on every machine
void hn_gltf_word(bytes *b, uint32_t x) {
  unsigned char c[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                        (unsigned char)(x >> 24)};
  put(b, c, 4);
}

static void put_float(bytes *b, double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  hn_gltf_word(b, bits);
}

// Valid until the next one is opened, for the list may move.
accessor *hn_gltf_open(scene *s, int width, bool index) {
  if (!hn_grow((void **)&s->list, &s->capacity, s->count, sizeof *s->list)) {
    s->buffer.failed = true;
    return NULL;
  }
  accessor *a = &s->list[s->count++];
  *a = (accessor){.at = s->buffer.used, .width = width, .index = index};
  for (int k = 0; k < 3; k++) a->least[k] = INFINITY, a->most[k] = -INFINITY;
  return a;
}

// Bounds are those of the rounded numbers, which validators compare.
void hn_gltf_vector(scene *s, accessor *a, const double *x) {
  for (int k = 0; k < a->width; k++) {
    put_float(&s->buffer, x[k]);
    if (k < 3)
      a->least[k] = fmin(a->least[k], (float)x[k]), a->most[k] = fmax(a->most[k], (float)x[k]);
  }
  a->count++;
}

// ---- meshes of unit size -------------------------------------------------------------------

typedef struct corner {
  double at[3], normal[3];
} corner;

typedef struct mesh {
  corner *corner;
  uint32_t *index;
  int corners, indices;
} mesh;

static void add_corner(mesh *m, double x, double y, double z, double u, double v, double w) {
  m->corner[m->corners++] = (corner){{x, y, z}, {u, v, w}};
}

static void add_triangle(mesh *m, int a, int b, int c) {
  m->index[m->indices++] = (uint32_t)a;
  m->index[m->indices++] = (uint32_t)b;
  m->index[m->indices++] = (uint32_t)c;
}

// edges of length 1
// Four corners a face, since normals differ; wound counter-clockwise seen from outside.
static void make_cube(mesh *m) {
  for (int face = 0; face < 6; face++) {
    int axis = face / 2, first = m->corners;
    double sign = face % 2 ? 1 : -1;
    for (int k = 0; k < 4; k++) {
      double x[3], n[3] = {0, 0, 0};
      x[axis] = sign / 2, n[axis] = sign;
      x[(axis + 1) % 3] = (k % 2 ? 0.5 : -0.5) * sign, x[(axis + 2) % 3] = k / 2 ? 0.5 : -0.5;
      add_corner(m, x[0], x[1], x[2], n[0], n[1], n[2]);
    }
    add_triangle(m, first, first + 1, first + 3);
    add_triangle(m, first, first + 3, first + 2);
  }
}

// radius 1, along z from -1/2 to 1/2
// Sides and caps have corners of their own; the seam has two, so that each has one normal.
static void make_cylinder(mesh *m) {
  for (int i = 0; i <= AROUND; i++) {
    double a = 2 * hn_pi * i / AROUND, c = hn_cos(a), s = hn_sin(a);
    add_corner(m, c, s, -0.5, c, s, 0);
    add_corner(m, c, s, 0.5, c, s, 0);
    if (i == 0) continue;
    int k = m->corners - 4;
    add_triangle(m, k, k + 2, k + 3);
    add_triangle(m, k, k + 3, k + 1);
  }
  for (int end = 0; end < 2; end++) {
    double z = end - 0.5;
    int middle = m->corners;
    add_corner(m, 0, 0, z, 0, 0, 2 * z);
    for (int i = 0; i <= AROUND; i++) {
      double a = 2 * hn_pi * i / AROUND;
      add_corner(m, hn_cos(a), hn_sin(a), z, 0, 0, 2 * z);
      if (i && end) add_triangle(m, middle, middle + i, middle + i + 1);
      if (i && !end) add_triangle(m, middle, middle + i + 1, middle + i);
    }
  }
}

// radius 1
// Rings of latitude from pole to pole.
static void make_ball(mesh *m) {
  for (int k = 0; k <= AROUND / 2; k++)
    for (int i = 0; i <= AROUND; i++) {
      double a = 2 * hn_pi * i / AROUND, b = hn_pi * k / (AROUND / 2.0);
      double x = hn_sin(b) * hn_cos(a), y = hn_sin(b) * hn_sin(a), z = hn_cos(b);
      add_corner(m, x, y, z, x, y, z);
      if (i == 0 || k == 0) continue;
      int here = m->corners - 1, above = here - AROUND - 1;
      add_triangle(m, above - 1, here - 1, here);
      add_triangle(m, above - 1, here, above);
    }
}

void hn_gltf_unit_mesh(scene *s, mesh_kind kind) {
  enum { ROOM = 8 * AROUND * AROUND };
  mesh m = {.corner = calloc(ROOM, sizeof *m.corner), .index = calloc(ROOM, sizeof *m.index)};
  if (!m.corner || !m.index) {
    s->buffer.failed = true;
  } else {
    if (kind == CUBE) make_cube(&m);
    if (kind == CYLINDER) make_cylinder(&m);
    if (kind == BALL) make_ball(&m);
    for (int part = 0; part < 3; part++) {
      accessor *a = hn_gltf_open(s, part < 2 ? 3 : 1, part == 2);
      if (!a) break;
      s->mesh[kind][part] = s->count - 1;
      for (int i = 0; i < m.corners && part < 2; i++)
        hn_gltf_vector(s, a, part ? m.corner[i].normal : m.corner[i].at);
      for (int i = 0; i < m.indices && part == 2; i++) hn_gltf_word(&s->buffer, m.index[i]);
      if (part == 2) a->count = m.indices;
    }
  }
  free(m.corner), free(m.index);
}

// ---- several shapes ------------------------------------------------------------------------

// The material's number counts shapes with colours behind all others (put_own_materials of gltf.c).
static void put_solid(scene *s, int body, const hn_shape_def *shape) {
  hn_trimesh all, few = {0};
  bool ok = hn_grow((void **)&s->solid, &s->solid_room, s->solids, sizeof *s->solid) &&
            !hn_shape_surface(&all, s->model, shape);
  if (ok) {
    ok = !hn_trimesh_thin(&few, &all, MOST_TRIANGLES);
    hn_trimesh_free(&all);
  }
  accessor *a = ok ? hn_gltf_open(s, 3, false) : NULL;
  s->buffer.failed = s->buffer.failed || !a;
  if (!a) return;
  // colours of their own come behind those of bodies
  s->solid[s->solids] =
      (solid){s->count - 1, shape->color ? s->colours + s->solids : s->colour[body]};
  s->solids++;
  for (int i = 0; i < few.corners; i++) hn_gltf_vector(s, a, few.corner[i]);
  a = hn_gltf_open(s, 1, true);
  for (int i = 0; a && i < 3 * few.triangles; i++)
    hn_gltf_word(&s->buffer, (uint32_t)few.triangle[i / 3][i % 3]);
  if (a) a->count = 3 * few.triangles;
  hn_trimesh_free(&few);
}

void hn_gltf_solids(scene *s) {
  for (int i = 1; i < s->model->body_count; i++) {
    const hn_body_def *d = &s->model->body[i].def;
    for (int k = 0; k < d->shape_count; k++) put_solid(s, i, &d->shapes[k]);
  }
}

// ---- flexible bodies -----------------------------------------------------------------------

void hn_gltf_bent(scene *s, int index) {
  const hn_drawn *d = &s->model->flexible[index].reduced->drawn;
  accessor *a = hn_gltf_open(s, 3, false);
  s->bent[index] = s->count - 1;
  for (int i = 0; a && i < d->corners; i++) hn_gltf_vector(s, a, d->place + 3 * i);
  a = hn_gltf_open(s, 1, true);
  for (int i = 0; a && i < 3 * d->triangles; i++)
    hn_gltf_word(&s->buffer, (uint32_t)d->triangle[i / 3][i % 3]);
  if (a) a->count = 3 * d->triangles;
  for (int k = 0; k < d->shapes; k++) {
    a = hn_gltf_open(s, 3, false);
    for (int i = 0; a && i < d->corners; i++)
      hn_gltf_vector(s, a, d->shape + 3 * ((size_t)i * (size_t)d->shapes + (size_t)k));
  }
}
