// gltf.c: the moving mechanism for other viewers, as one binary file (glTF 2.0, .glb).
//
// Every body is a node that an animation moves and turns; what is drawn of it hangs below: its
// shape, or bars from its centre of mass to its joints. All of them are one of three meshes of unit
// size, or the surface of one of several shapes. A file is a header, the description (JSON) and the
// numbers of meshes and motion.
#include "io/report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/shape_surface.h"

enum {
  AROUND = 24,             // sides of a round mesh
  MOST_FRAMES = 2000,      // of the animation; longer results are thinned out
  MOST_TRIANGLES = 20000,  // of one shape
  MESHES = 3,
  COLOURS = 6
};
typedef enum mesh_kind { CUBE, CYLINDER, BALL } mesh_kind;

// ---- numbers -------------------------------------------------------------------------------

typedef struct bytes {
  unsigned char *data;
  size_t used, room;
  bool failed;
} bytes;

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
static void put_word(bytes *b, uint32_t x) {
  unsigned char c[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                        (unsigned char)(x >> 24)};
  put(b, c, 4);
}

static void put_float(bytes *b, double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  put_word(b, bits);
}

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
  solid *solid;  // in the order of bodies and their shapes
  int solids, solid_room;
  hn_json json;
  hn_text text;
} scene;

static accessor *open_accessor(scene *s, int width, bool index) {
  if (!hn_grow((void **)&s->list, &s->capacity, s->count, sizeof *s->list)) {
    s->buffer.failed = true;
    return NULL;
  }
  accessor *a = &s->list[s->count++];
  *a = (accessor){.at = s->buffer.used, .width = width, .index = index};
  for (int k = 0; k < 3; k++) a->least[k] = INFINITY, a->most[k] = -INFINITY;
  return a;
}

static void put_vector(scene *s, accessor *a, const double *x) {
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
static void make_cylinder(mesh *m) {
  for (int i = 0; i <= AROUND; i++) {
    double a = 2 * acos(-1) * i / AROUND, c = cos(a), s = sin(a);
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
      double a = 2 * acos(-1) * i / AROUND;
      add_corner(m, cos(a), sin(a), z, 0, 0, 2 * z);
      if (i && end) add_triangle(m, middle, middle + i, middle + i + 1);
      if (i && !end) add_triangle(m, middle, middle + i + 1, middle + i);
    }
  }
}

// radius 1
static void make_ball(mesh *m) {
  for (int k = 0; k <= AROUND / 2; k++)
    for (int i = 0; i <= AROUND; i++) {
      double a = 2 * acos(-1) * i / AROUND, b = acos(-1) * k / (AROUND / 2.0);
      double x = sin(b) * cos(a), y = sin(b) * sin(a), z = cos(b);
      add_corner(m, x, y, z, x, y, z);
      if (i == 0 || k == 0) continue;
      int here = m->corners - 1, above = here - AROUND - 1;
      add_triangle(m, above - 1, here - 1, here);
      add_triangle(m, above - 1, here, above);
    }
}

static void put_mesh(scene *s, mesh_kind kind) {
  enum { ROOM = 8 * AROUND * AROUND };
  mesh m = {.corner = calloc(ROOM, sizeof *m.corner), .index = calloc(ROOM, sizeof *m.index)};
  if (!m.corner || !m.index) {
    s->buffer.failed = true;
  } else {
    if (kind == CUBE) make_cube(&m);
    if (kind == CYLINDER) make_cylinder(&m);
    if (kind == BALL) make_ball(&m);
    for (int part = 0; part < 3; part++) {
      accessor *a = open_accessor(s, part < 2 ? 3 : 1, part == 2);
      if (!a) break;
      s->mesh[kind][part] = s->count - 1;
      for (int i = 0; i < m.corners && part < 2; i++)
        put_vector(s, a, part ? m.corner[i].normal : m.corner[i].at);
      for (int i = 0; i < m.indices && part == 2; i++) put_word(&s->buffer, m.index[i]);
      if (part == 2) a->count = m.indices;
    }
  }
  free(m.corner), free(m.index);
}

// ---- several shapes ------------------------------------------------------------------------

static void put_solid(scene *s, int body, const hn_shape_def *shape) {
  hn_trimesh all, few = {0};
  bool ok = hn_grow((void **)&s->solid, &s->solid_room, s->solids, sizeof *s->solid) &&
            !hn_shape_surface(&all, s->model, shape);
  if (ok) {
    ok = !hn_trimesh_thin(&few, &all, MOST_TRIANGLES);
    hn_trimesh_free(&all);
  }
  accessor *a = ok ? open_accessor(s, 3, false) : NULL;
  s->buffer.failed = s->buffer.failed || !a;
  if (!a) return;
  // colours of their own come behind those of bodies
  s->solid[s->solids] =
      (solid){s->count - 1, shape->color ? COLOURS + s->solids : (body - 1) % COLOURS};
  s->solids++;
  for (int i = 0; i < few.corners; i++) put_vector(s, a, few.corner[i]);
  a = open_accessor(s, 1, true);
  for (int i = 0; a && i < 3 * few.triangles; i++)
    put_word(&s->buffer, (uint32_t)few.triangle[i / 3][i % 3]);
  if (a) a->count = 3 * few.triangles;
  hn_trimesh_free(&few);
}

static void put_solids(scene *s) {
  for (int i = 1; i < s->model->body_count; i++) {
    const hn_body_def *d = &s->model->body[i].def;
    for (int k = 0; k < d->shape_count; k++) put_solid(s, i, &d->shapes[k]);
  }
}

// ---- motion --------------------------------------------------------------------------------

static void pose_at(const hn_pose_columns *p, const double *row, double x[3], double q[4]) {
  for (int k = 0; k < 3; k++) x[k] = p->position[k] < 0 ? 0 : row[p->position[k]];
  q[0] = 1, q[1] = q[2] = q[3] = 0;
  if (p->angle >= 0) q[0] = cos(row[p->angle] / 2), q[3] = sin(row[p->angle] / 2);
  if (p->quaternion[0] >= 0)
    for (int k = 0; k < 4; k++) q[k] = row[p->quaternion[k]];
}

// positions, then rotations with the scalar last, of one body
static void put_motion(scene *s, const hn_pose_columns *p) {
  double last[4] = {1, 0, 0, 0};
  for (int part = 0; part < 2; part++) {
    accessor *a = open_accessor(s, part ? 4 : 3, false);
    if (!a) return;
    for (int i = 0; i < s->frames; i++) {
      double x[3], q[4];
      pose_at(p, hn_result_row(s->result, i * s->stride), x, q);
      // the shorter way from one to the next
      double same = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3];
      for (int k = 0; k < 4; k++) last[k] = q[k] = same < 0 ? -q[k] : q[k];
      put_vector(s, a, part ? (double[4]){q[1], q[2], q[3], q[0]} : x);
    }
  }
}

// ---- the description -----------------------------------------------------------------------

// a mesh of unit size, put in its place below a body; z of it along `axis`
static void put_part(scene *s, int colour, mesh_kind kind, const double at[3], const double axis[3],
                     const double scale[3]) {
  double R[9], q[4], x[3], y[3], z[3], n = v3_norm(axis);
  v3_scale(z, 1 / n, axis);
  v3_perpendicular(x, z);
  v3_cross(y, z, x);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  if (kind == CUBE) m3_identity(R);
  q_from_matrix(q, R);
  hn_json *j = &s->json;
  hn_json_open(j, NULL, '{');
  hn_json_number(j, "mesh", (int)kind * COLOURS + colour);
  hn_json_numbers(j, "translation", at, 3);
  hn_json_numbers(j, "rotation", (double[4]){q[1], q[2], q[3], q[0]}, 4);
  hn_json_numbers(j, "scale", scale, 3);
  hn_json_close(j, '}');
}

// bars from the centre of mass to the joints; counts, and writes when asked to
static int put_bars(scene *s, int body, bool write) {
  const hn_system *sys = s->sys;
  const hn_body_info *info = sys->body[body].info;
  int count = 0;
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < 2; k++) {
      const hn_mount *m = k ? &sys->joint[i].b : &sys->joint[i].a;
      double d[3], at[3];
      if (m->body != body || sys->joint[i].coupler) continue;
      m3_mulv(d, info->axes, m->s);
      double length = v3_norm(d);
      if (!(length > 1e-9)) continue;
      v3_copy(at, info->com);
      v3_addto(at, 0.5, d);
      if (write)
        put_part(s, (body - 1) % COLOURS, CYLINDER, at, d, (double[3]){s->bar, s->bar, length});
      count++;
    }
  return count;
}

// its shapes, when it has several, from number `first` on
static int put_shapes(scene *s, int body, int first, bool write) {
  const hn_body_def *d = &s->model->body[body].def;
  for (int k = 0; k < d->shape_count && write; k++) {
    hn_json_open(&s->json, NULL, '{');
    hn_json_number(&s->json, "mesh", MESHES * COLOURS + first + k);
    hn_json_close(&s->json, '}');
  }
  return d->shape_count;
}

static int put_look(scene *s, int body, bool write) {
  static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
  const hn_body_def *d = &s->model->body[body].def;
  const hn_shape *shape = &d->shape;
  const double *axis = hn_largest(shape->axis, 3) > 0 ? shape->axis
                       : shape->kind == HN_SHAPE_ROD  ? along
                                                      : up;
  double r = shape->radius > 0 ? shape->radius : shape->length / 100;
  int colour = (body - 1) % COLOURS;
  switch ((int)shape->kind) {
  case HN_SHAPE_BOX:
    if (write) put_part(s, colour, CUBE, d->com, up, shape->size);
    return 1;
  case HN_SHAPE_SPHERE:
    if (write) put_part(s, colour, BALL, d->com, up, (double[3]){r, r, r});
    return 1;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_ROD:
    if (write) put_part(s, colour, CYLINDER, d->com, axis, (double[3]){r, r, shape->length});
    return 1;
  default: break;
  }
  int bars = put_bars(s, body, write);
  if (bars) return bars;
  r = 2 * s->bar;
  if (write) put_part(s, colour, BALL, d->com, up, (double[3]){r, r, r});
  return 1;
}

// node 0 turns z upwards, then come the bodies, then what is drawn of them
static void put_nodes(scene *s) {
  hn_json *j = &s->json;
  int bodies = s->model->body_count - 1, next = 1 + bodies;
  double g[3];
  hn_model_gravity(s->model, g);
  bool flat = fabs(g[1]) > fabs(g[2]);
  hn_json_open(j, "nodes", '[');
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", hn_model_name(s->model));
  // y is up there
  if (!flat) hn_json_numbers(j, "rotation", (double[4]){-sqrt(0.5), 0, 0, sqrt(0.5)}, 4);
  hn_json_open(j, "children", '[');
  for (int i = 1; i <= bodies; i++) hn_json_number(j, NULL, i);
  hn_json_close(j, ']');
  hn_json_close(j, '}');
  for (int i = 1; i <= bodies; i++) {
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", s->model->body[i].def.name);
    hn_json_open(j, "children", '[');
    int count = s->model->body[i].def.shape_count;
    for (int n = count ? count : put_look(s, i, false); n > 0; n--) hn_json_number(j, NULL, next++);
    hn_json_close(j, ']');
    hn_json_close(j, '}');
  }
  for (int i = 1, first = 0; i <= bodies; i++) {
    int shapes = put_shapes(s, i, first, true);
    if (!shapes) put_look(s, i, true);
    first += shapes;
  }
  hn_json_close(j, ']');
}

static void put_material(hn_json *j, const double colour[4]) {
  hn_json_open(j, NULL, '{');
  hn_json_open(j, "pbrMetallicRoughness", '{');
  hn_json_numbers(j, "baseColorFactor", colour, 4);
  hn_json_number(j, "metallicFactor", 0.2);
  hn_json_number(j, "roughnessFactor", 0.6);
  hn_json_close(j, '}');
  hn_json_close(j, '}');
}

// of every shape, so that its number says which
static void put_own_materials(scene *s) {
  for (int i = 1; i < s->model->body_count; i++) {
    const hn_body_def *d = &s->model->body[i].def;
    for (int k = 0; k < d->shape_count; k++) {
      double colour[4] = {0.5, 0.5, 0.5, 1};
      int rgb[3];
      // factors of light, not of what a screen is told
      if (hn_color(d->shapes[k].color, rgb))
        for (int c = 0; c < 3; c++) colour[c] = pow(rgb[c] / 255.0, 2.2);
      put_material(&s->json, colour);
    }
  }
}

static void put_solid_meshes(scene *s) {
  hn_json *j = &s->json;
  for (int k = 0; k < s->solids; k++) {
    hn_json_open(j, NULL, '{');
    hn_json_open(j, "primitives", '[');
    hn_json_open(j, NULL, '{');
    hn_json_open(j, "attributes", '{');
    hn_json_number(j, "POSITION", s->solid[k].accessor);
    hn_json_close(j, '}');
    hn_json_number(j, "indices", s->solid[k].accessor + 1);
    hn_json_number(j, "material", s->solid[k].material);
    hn_json_close(j, '}');
    hn_json_close(j, ']');
    hn_json_close(j, '}');
  }
}

static void put_meshes(scene *s) {
  static const double colour[COLOURS][4] = {{0.24, 0.47, 0.71, 1}, {0.85, 0.45, 0.20, 1},
                                            {0.35, 0.63, 0.35, 1}, {0.72, 0.27, 0.30, 1},
                                            {0.53, 0.42, 0.68, 1}, {0.55, 0.55, 0.50, 1}};
  hn_json *j = &s->json;
  hn_json_open(j, "materials", '[');
  for (int c = 0; c < COLOURS; c++) put_material(j, colour[c]);
  put_own_materials(s);
  hn_json_close(j, ']');
  hn_json_open(j, "meshes", '[');
  for (int k = 0; k < MESHES; k++)
    for (int c = 0; c < COLOURS; c++) {
      hn_json_open(j, NULL, '{');
      hn_json_open(j, "primitives", '[');
      hn_json_open(j, NULL, '{');
      hn_json_open(j, "attributes", '{');
      hn_json_number(j, "POSITION", s->mesh[k][0]);
      hn_json_number(j, "NORMAL", s->mesh[k][1]);
      hn_json_close(j, '}');
      hn_json_number(j, "indices", s->mesh[k][2]);
      hn_json_number(j, "material", c);
      hn_json_close(j, '}');
      hn_json_close(j, ']');
      hn_json_close(j, '}');
    }
  put_solid_meshes(s);
  hn_json_close(j, ']');
}

static void put_animation(scene *s, int time) {
  static const char *const path[] = {"translation", "rotation"};
  hn_json *j = &s->json;
  int channels = 2 * (s->model->body_count - 1);
  hn_json_open(j, "animations", '[');
  hn_json_open(j, NULL, '{');
  hn_json_open(j, "samplers", '[');
  for (int i = 0; i < channels; i++) {
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "input", time);
    hn_json_number(j, "output", time + 1 + i);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_open(j, "channels", '[');
  for (int i = 0; i < channels; i++) {
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "sampler", i);
    hn_json_open(j, "target", '{');
    hn_json_number(j, "node", 1 + i / 2);
    hn_json_text(j, "path", path[i % 2]);
    hn_json_close(j, '}');
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_close(j, '}');
  hn_json_close(j, ']');
}

static void put_accessors(scene *s) {
  static const char *const type[] = {NULL, "SCALAR", NULL, "VEC3", "VEC4"};
  hn_json *j = &s->json;
  hn_json_open(j, "bufferViews", '[');
  for (int i = 0; i < s->count; i++) {
    const accessor *a = &s->list[i];
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "buffer", 0);
    hn_json_number(j, "byteOffset", (double)a->at);
    hn_json_number(j, "byteLength", 4.0 * a->count * a->width);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_open(j, "accessors", '[');
  for (int i = 0; i < s->count; i++) {
    const accessor *a = &s->list[i];
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "bufferView", i);
    hn_json_number(j, "componentType", a->index ? 5125 : 5126);
    hn_json_number(j, "count", a->count);
    hn_json_text(j, "type", type[a->width]);
    if (!a->index && a->width < 4) {
      hn_json_numbers(j, "min", a->least, a->width);
      hn_json_numbers(j, "max", a->most, a->width);
    }
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

static void describe(scene *s, int time) {
  hn_json *j = &s->json;
  hn_json_open(j, NULL, '{');
  hn_json_open(j, "asset", '{');
  hn_json_text(j, "version", "2.0");
  hn_json_text(j, "generator", "holon");
  hn_json_close(j, '}');
  hn_json_number(j, "scene", 0);
  hn_json_open(j, "scenes", '[');
  hn_json_open(j, NULL, '{');
  hn_json_numbers(j, "nodes", (double[1]){0}, 1);
  hn_json_close(j, '}');
  hn_json_close(j, ']');
  put_nodes(s);
  put_meshes(s);
  put_animation(s, time);
  put_accessors(s);
  hn_json_open(j, "buffers", '[');
  hn_json_open(j, NULL, '{');
  hn_json_number(j, "byteLength", (double)s->buffer.used);
  hn_json_close(j, '}');
  hn_json_close(j, ']');
  hn_json_close(j, '}');
}

// ---- the file ------------------------------------------------------------------------------

static hn_status write_file(scene *s, const char *path, char message[HN_MESSAGE]) {
  hn_save save;
  bytes head = {0};
  size_t blank = (4 - s->text.used % 4) % 4, json = s->text.used + blank;
  hn_status status = hn_save_open(&save, path, message);
  if (status) return status;
  put_word(&head, 0x46546c67);  // glTF
  put_word(&head, 2);
  put_word(&head, (uint32_t)(12 + 8 + json + 8 + s->buffer.used));
  put_word(&head, (uint32_t)json);
  put_word(&head, 0x4e4f534a);  // JSON
  if (head.failed) {
    hn_save_drop(&save);
    return hn_fail(message, HN_ERR_MEMORY, "%.200s: out of memory", path);
  }
  hn_save_bytes(&save, head.data, head.used);
  hn_save_bytes(&save, s->text.text, s->text.used);
  hn_save_bytes(&save, "   ", blank);
  head.used = 0;
  put_word(&head, (uint32_t)s->buffer.used);
  put_word(&head, 0x004e4942);  // BIN
  hn_save_bytes(&save, head.data, head.used);
  hn_save_bytes(&save, s->buffer.data, s->buffer.used);
  free(head.data);
  return hn_save_close(&save, message);
}

hn_status hn_gltf_write(const hn_report *report, const char *path, char message[HN_MESSAGE]) {
  scene s = {.report = report,
             .model = report->model,
             .sys = report->system,
             .result = report->run[0].result};
  if (!s.model || s.model->body_count < 2 || s.model->block_count)
    return hn_fail(message, HN_ERR_UNSUPPORTED,
                   "%.200s: a moving picture needs a model of bodies, without blocks", path);
  s.json.text = &s.text;
  int rows = hn_result_rows(s.result);
  s.stride = (rows + MOST_FRAMES - 1) / MOST_FRAMES;
  s.frames = (rows + s.stride - 1) / s.stride;
  s.bar = 0.015 * (s.sys->length > 0 ? s.sys->length : 1);
  for (int k = 0; k < MESHES; k++) put_mesh(&s, (mesh_kind)k);
  put_solids(&s);
  int time = s.count;
  accessor *a = open_accessor(&s, 1, false);
  for (int i = 0; i < s.frames && a; i++) put_vector(&s, a, hn_result_row(s.result, i * s.stride));
  for (int i = 1; i < s.model->body_count; i++) {
    hn_pose_columns pose;
    hn_find_pose(s.result, s.model->body[i].def.name, &pose);
    put_motion(&s, &pose);
  }
  if (!s.buffer.failed) describe(&s, time);
  hn_status status = HN_OK;
  if (s.buffer.failed || s.text.failed)
    status = hn_fail(message, HN_ERR_MEMORY, "%.200s: out of memory", path);
  else if (s.buffer.used > UINT32_MAX / 2)
    status = hn_fail(message, HN_ERR_UNSUPPORTED, "%.200s: larger than 2 GiB", path);
  else
    status = write_file(&s, path, message);
  free(s.buffer.data), free(s.list), free(s.text.text), free(s.solid);
  return status;
}
