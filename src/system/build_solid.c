// build_solid.c: convex solids that touch: what bodies are as their shapes, or boxes by their
// edges, as numbers (polytope.h) that the system keeps.
#include "model/shape.h"
#include "system/builder.h"
#include "system/polytope.h"

#include <stdlib.h>

static const double *keep(hn_builder *builder, const double (*corner)[3], int corners,
                          const int (*triangle)[3], int triangles, int body) {
  char message[HN_MESSAGE];
  hn_status status;
  int size;
  double *data = hn_polytope_make(corner, corners, triangle, triangles, &size, &status, message);
  const double *kept = data ? hn_build_keep(builder, data, size) : NULL;
  free(data);
  if (status)
    hn_build_fail(builder, status, "body '%.60s': %.300s", builder->model->body[body].def.name,
                  message);
  return kept;
}

// corner: turned as the shape is, moved, counted from the centre of mass
static void place(const hn_builder *builder, int body, const hn_shape_def *s, const double at[3],
                  double o[3]) {
  double R[9];
  hn_shape_axes(s, R);
  m3_mulv(o, R, at);
  v3_add(o, o, s->position);
  v3_sub(o, o, builder->sys->body[body].info->com);
}

// corners by the bits of i: x, y, z below or above; triangles counter-clockwise from outside
static const double *box(hn_builder *builder, int body, const hn_shape_def *s,
                         const double half[3]) {
  static const int t[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  double x[8][3];
  for (int i = 0; i < 8; i++) {
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = (i >> k & 1 ? 1 : -1) * half[k];
    if (s)
      place(builder, body, s, at, x[i]);
    else
      v3_copy(x[i], at);
  }
  return keep(builder, (const double(*)[3])x, 8, t, 12, body);
}

const double *hn_build_box(hn_builder *builder, int body, const double half[3]) {
  return box(builder, body, NULL, half);
}

// an odd number of negative factors turns the triangles round
const double *hn_build_hull(hn_builder *builder, int body, const hn_shape_def *s) {
  // read before: the file of triangles is the model's
  const hn_model_mesh *known = hn_shape_mesh(builder->model, s);
  if (!known) return NULL;
  int corners = known->mesh.corners, triangles = known->mesh.triangles;
  // f: factors along the axes of the file
  double(*x)[3] = malloc((size_t)corners * sizeof *x), f[3] = {1, 1, 1};
  int(*t)[3] = malloc((size_t)triangles * sizeof *t);
  if (hn_largest(s->scale, 3) > 0) v3_copy(f, s->scale);
  bool turned = f[0] * f[1] * f[2] < 0;
  for (int i = 0; i < corners && x && t; i++) {
    double here[3];
    for (int k = 0; k < 3; k++) here[k] = f[k] * known->mesh.corner[i][k];
    place(builder, body, s, here, x[i]);
  }
  for (int i = 0; i < triangles && x && t; i++)
    // 0, 2, 1 in place of 0, 1, 2
    for (int k = 0; k < 3; k++) t[i][k] = known->mesh.triangle[i][turned && k ? 3 - k : k];
  const double *solid = NULL;
  if (x && t)
    solid = keep(builder, (const double(*)[3])x, corners, (const int(*)[3])t, triangles, body);
  else
    hn_build_fail(builder, HN_ERR_MEMORY, "out of memory");
  free(x), free(t);
  return solid;
}

const double *hn_build_solid(hn_builder *builder, int body) {
  const hn_body_def *def = &builder->model->body[body].def;
  const hn_shape_def *only = NULL;
  int found = def->shape.kind == HN_SHAPE_BOX;
  for (int i = 0; i < def->shape_count && body; i++) {
    const hn_shape_def *s = &def->shapes[i];
    if (s->only_drawn || (s->shape.kind != HN_SHAPE_BOX && s->shape.kind != HN_SHAPE_HULL))
      continue;
    only = s;
    found++;
  }
  if (body && builder->sys->body[body].kind == HN_SPATIAL && found == 1) {
    const hn_shape *s = only ? &only->shape : &def->shape;
    const double half[3] = {0.5 * s->size[0], 0.5 * s->size[1], 0.5 * s->size[2]};
    if (s->kind == HN_SHAPE_BOX) return box(builder, body, only, half);
    return hn_build_hull(builder, body, only);
  }
  if (!body)
    hn_build_fail(builder, HN_ERR_MODEL,
                  "the ground has no shape (surface: box with its size, or plane)");
  else if (builder->sys->body[body].kind != HN_SPATIAL)
    hn_build_fail(builder, HN_ERR_MODEL,
                  "body '%.60s' is no hull, as it does not move in space (blocks of the plane have "
                  "length and height, a's box a size)",
                  def->name);
  else
    hn_build_fail(builder, HN_ERR_MODEL,
                  "body '%.60s' has %s as its shape, which says what touches (length, width and "
                  "height, or a's size, say it, too)",
                  def->name, found ? "several boxes or hulls" : "no box and no hull");
  return NULL;
}
