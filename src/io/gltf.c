// gltf.c: the moving mechanism for other viewers, as one binary file (glTF 2.0, .glb).
//
// Every body is a node that an animation moves and turns; what is drawn of it hangs below: its
// shape, or bars from its centre of mass to its joints. All of them are one of three meshes of unit
// size, or the surface of one of several shapes. Flexible bodies hang below their frames, with a
// target for every number of their deformation, which the animation weighs. A file is a header, the
// description (JSON) and the numbers of meshes and motion.
#include "io/gltf.h"
#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 2000 };  // of the animation; longer results are thinned out

// ---- colours -------------------------------------------------------------------------------

// what the user says of a body, or of the beam or flexible body that it is a piece of; NULL:
// nothing
// Pieces of a beam or of a flexible body have its colour.
static const char *color_of(const scene *s, int body) {
  int node, flexible;
  bool frame;
  const hn_model_beam *beam = hn_beam_of(s->model, body, &node);
  if (beam) return hn_color_of(s->model, beam->def.name);
  flexible = hn_flexible_of(s->model, body, &frame);
  return hn_color_of(s->model, flexible >= 0 ? s->model->flexible[flexible].name
                                             : s->model->body[body].def.name);
}

// COLOURS in turn for bodies without one; those with a colour get materials of their own behind
// them.
static void choose_colours(scene *s) {
  // an array over bodies, the ground included, so that indices are those of the model
  int rgb[3];
  s->colour = calloc((size_t)s->model->body_count, sizeof *s->colour);
  s->colours = COLOURS;
  // one flag for whatever fails in between: asked once, before anything is written
  s->buffer.failed = s->buffer.failed || !s->colour;
  // counted without the ground, so that the first body has the first colour
  for (int i = 1; s->colour && i < s->model->body_count; i++)
    s->colour[i] = hn_color(color_of(s, i), rgb) ? s->colours++ : (i - 1) % COLOURS;
}

// ---- flexible bodies -----------------------------------------------------------------------

// deformations over time; nothing is drawn of a body without corners
static bool is_drawn(const scene *s, int index) {
  return s->model->flexible[index].reduced->drawn.corners > 0;
}

// Weights of morph targets over time: one number of the deformation each.
static void put_weights(scene *s, int index) {
  hn_deformed deformed;
  double *p = malloc(((size_t)s->model->flexible[index].reduced->n + 1) * sizeof *p);
  bool ok = hn_deformed_find(&deformed, s->result, s->model, index) && p;
  accessor *a = ok ? hn_gltf_open(s, 1, false) : NULL;
  // an accessor of as many numbers as there are weights in all frames
  for (int i = 0; a && i < s->frames; i++) {
    hn_deformed_at(&deformed, hn_result_row(s->result, i * s->stride), p);
    // side by side: all weights of a frame
    for (int k = 0; k < deformed.size; k++) hn_gltf_vector(s, a, p + k);
  }
  s->buffer.failed = s->buffer.failed || !a;
  hn_deformed_free(&deformed);
  free(p);
}

// the mesh of the i-th one comes behind all others; meshes without corners are not there
static int mesh_of(const scene *s, int index) {
  // unit meshes in all colours, then surfaces of shapes, then these
  int mesh = MESHES * s->colours + s->solids;
  for (int i = 0; i < index; i++) mesh += is_drawn(s, i);
  return mesh;
}

// Targets are displacements for a weight of one, as the deformation p is counted.
static void put_bent_meshes(scene *s) {
  hn_json *j = &s->json;
  for (int i = 0; i < s->model->flexible_count; i++) {
    const hn_drawn *d = &s->model->flexible[i].reduced->drawn;
    if (!is_drawn(s, i)) continue;  // no mesh without corners: the format forbids it
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", s->model->flexible[i].name);
    hn_json_open(j, "primitives", '[');
    hn_json_open(j, NULL, '{');
    // three accessors in a row: corners, triangles, then one for each target
    hn_json_open(j, "attributes", '{');
    hn_json_number(j, "POSITION", s->bent[i]);
    hn_json_close(j, '}');
    hn_json_number(j, "indices", s->bent[i] + 1);
    // the colour of its first interface is that of the body
    hn_json_number(j, "material", s->colour[s->model->flexible[i].first_body]);
    if (d->shapes) {
      hn_json_open(j, "targets", '[');
      for (int k = 0; k < d->shapes; k++) {
        hn_json_open(j, NULL, '{');
        hn_json_number(j, "POSITION", s->bent[i] + 2 + k);
        hn_json_close(j, '}');
      }
      hn_json_close(j, ']');
    }
    hn_json_close(j, '}');
    hn_json_close(j, ']');
    // what is shown before the animation starts
    if (d->shapes) {
      hn_json_open(j, "weights", '[');
      for (int k = 0; k < d->shapes; k++) hn_json_number(j, NULL, 0);
      hn_json_close(j, ']');
    }
    hn_json_close(j, '}');
  }
}

// ---- motion --------------------------------------------------------------------------------

// columns that are not there: the origin, and no turn
static void pose_at(const hn_pose_columns *p, const double *row, double x[3], double q[4]) {
  for (int k = 0; k < 3; k++) x[k] = p->position[k] < 0 ? 0 : row[p->position[k]];
  q[0] = 1, q[1] = q[2] = q[3] = 0;
  if (p->angle >= 0) q[0] = hn_cos(row[p->angle] / 2), q[3] = hn_sin(row[p->angle] / 2);
  if (p->quaternion[0] >= 0)
    for (int k = 0; k < 4; k++) q[k] = row[p->quaternion[k]];
}

// positions, then rotations with the scalar last, of one body
// Rotations take the shorter way: q and -q are one rotation, but viewers interpolate between
// numbers.
static void put_motion(scene *s, const hn_pose_columns *p) {
  double last[4] = {1, 0, 0, 0};
  // first all places, then all turns: two accessors
  for (int part = 0; part < 2; part++) {
    accessor *a = hn_gltf_open(s, part ? 4 : 3, false);
    if (!a) return;
    for (int i = 0; i < s->frames; i++) {
      double x[3], q[4];
      pose_at(p, hn_result_row(s->result, i * s->stride), x, q);
      // the shorter way from one to the next
      double same = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3];
      for (int k = 0; k < 4; k++) last[k] = q[k] = same < 0 ? -q[k] : q[k];
      // the format has the scalar last, holon first
      hn_gltf_vector(s, a, part ? (double[4]){q[1], q[2], q[3], q[0]} : x);
    }
  }
}

// ---- the description -----------------------------------------------------------------------

// a mesh of unit size, put in its place below a body; z of it along `axis`
// Unit meshes are scaled, turned and moved: three meshes serve all bars, boxes and balls.
static void put_part(scene *s, int colour, mesh_kind kind, const double at[3], const double axis[3],
                     const double scale[3]) {
  // any two axes across will do for what is round
  double R[9], q[4], x[3], y[3], z[3], n = v3_norm(axis);
  v3_scale(z, 1 / n, axis);
  v3_perpendicular(x, z);
  v3_cross(y, z, x);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  // edges of a cube are along the axes of the body
  if (kind == CUBE) m3_identity(R);
  q_from_matrix(q, R);
  hn_json *j = &s->json;
  hn_json_open(j, NULL, '{');
  // by kind, then by colour: see put_meshes()
  hn_json_number(j, "mesh", (int)kind * s->colours + colour);
  hn_json_numbers(j, "translation", at, 3);
  hn_json_numbers(j, "rotation", (double[4]){q[1], q[2], q[3], q[0]}, 4);
  hn_json_numbers(j, "scale", scale, 3);
  hn_json_close(j, '}');
}

// bars from the centre of mass to the joints; counts, and writes when asked to
// Counting and writing go the same way, so that numbers of nodes agree with what is written.
static int put_bars(scene *s, int body, bool write) {
  const hn_system *sys = s->sys;
  const hn_body_info *info = sys->body[body].info;
  int count = 0;
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < 2; k++) {
      const hn_mount *m = k ? &sys->joint[i].b : &sys->joint[i].a;
      double d[3], at[3];
      // couplers are at no place
      if (m->body != body || sys->joint[i].coupler) continue;
      // mounts are given in the principal axes of the body
      m3_mulv(d, info->axes, m->s);
      double length = v3_norm(d);
      // in the centre itself there is nothing to draw
      if (!(length > 1e-9)) continue;
      v3_copy(at, info->com);
      v3_addto(at, 0.5, d);
      if (write) put_part(s, s->colour[body], CYLINDER, at, d, (double[3]){s->bar, s->bar, length});
      count++;
    }
  return count;
}

// its shapes, when it has several, from number `first` on
static int put_shapes(scene *s, int body, int first, bool write) {
  const hn_body_def *d = &s->model->body[body].def;
  // numbers of meshes: behind the unit ones, in the order of bodies and shapes
  for (int k = 0; k < d->shape_count && write; k++) {
    hn_json_open(&s->json, NULL, '{');
    hn_json_number(&s->json, "mesh", MESHES * s->colours + first + k);
    hn_json_close(&s->json, '}');
  }
  return d->shape_count;
}

// a node of a beam has the beam around it, up to the middles of its elements
// Half of the elements on both sides, so that pieces meet in the middle.
static void put_piece(scene *s, const hn_model_beam *beam, int node) {
  double before = hn_beam_piece(s->model, beam, node - 1), half[2];
  double after = hn_beam_piece(s->model, beam, node), length = 0.5 * (before + after);
  // pieces before and behind the node are of different length where its neighbours are
  const double at[3] = {0.25 * (after - before), 0, 0}, along[3] = {1, 0, 0};
  bool round = beam->def.profile.radius > 0 || !(beam->def.profile.width > 0);
  int colour = s->colour[beam->first_body];
  // half of the section's width and height there
  hn_beam_thickness(beam, (double)node / beam->def.elements, 0.5 * s->bar, half);
  if (round)
    put_part(s, colour, CYLINDER, at, along, (double[3]){half[0], half[0], length});
  else
    put_part(s, colour, CUBE, at, along, (double[3]){length, 2 * half[0], 2 * half[1]});
}

// Number of nodes that are drawn of a body: shape, beam, flexible, bars or a ball.
// with write = false nothing is written: node numbers have to be known before
static int put_look(scene *s, int body, bool write) {
  bool frame;
  int node;
  const hn_model_beam *beam = hn_beam_of(s->model, body, &node);
  if (beam && write) put_piece(s, beam, node);
  if (beam) return 1;
  int flexible = hn_flexible_of(s->model, body, &frame);
  // a flexible body hangs below its frame, the first interface; the others show nothing
  if (flexible >= 0) {
    bool seen = frame && is_drawn(s, flexible);
    if (seen && write) {
      hn_json_open(&s->json, NULL, '{');
      hn_json_number(&s->json, "mesh", mesh_of(s, flexible));
      hn_json_close(&s->json, '}');
    }
    return seen;
  }
  static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
  const hn_body_def *d = &s->model->body[body].def;
  const hn_shape *shape = &d->shape;
  const double *axis = hn_largest(shape->axis, 3) > 0 ? shape->axis
                       : shape->kind == HN_SHAPE_ROD  ? along
                                                      : up;
  // as thick as a rod of unknown radius is drawn everywhere
  double r = shape->radius > 0 ? shape->radius : shape->length / 100;
  int colour = s->colour[body];
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
  // without a shape: how it is joined to others is what can be shown
  int bars = put_bars(s, body, write);
  if (bars) return bars;
  r = 2 * s->bar;
  if (write) put_part(s, colour, BALL, d->com, up, (double[3]){r, r, r});
  return 1;
}

// node 0 turns z upwards, then come the bodies, then what is drawn of them
// glTF has y upwards: models with gravity along y stay, others are turned by a quarter about x.
static void put_nodes(scene *s) {
  hn_json *j = &s->json;
  int bodies = s->model->body_count - 1, next = 1 + bodies;
  double g[3];
  hn_model_gravity(s->model, g);
  // gravity along y: the model was drawn upright in the plane
  bool flat = fabs(g[1]) > fabs(g[2]);
  hn_json_open(j, "nodes", '[');
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", hn_model_name(s->model));
  // y is up there
  // -90 degrees about x: z becomes y
  if (!flat) hn_json_numbers(j, "rotation", (double[4]){-sqrt(0.5), 0, 0, sqrt(0.5)}, 4);
  hn_json_open(j, "children", '[');
  for (int i = 1; i <= bodies; i++) hn_json_number(j, NULL, i);
  hn_json_close(j, ']');
  hn_json_close(j, '}');
  for (int i = 1; i <= bodies; i++) {
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", s->model->body[i].def.name);
    // children are named before their own nodes are written
    int count = s->model->body[i].def.shape_count;
    if (!count) count = put_look(s, i, false);
    if (count) hn_json_open(j, "children", '[');
    for (int n = count; n > 0; n--) hn_json_number(j, NULL, next++);
    if (count) hn_json_close(j, ']');
    hn_json_close(j, '}');
  }
  // in the same order as they were counted
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
  // a little of a metal, neither polished nor dull
  hn_json_numbers(j, "baseColorFactor", colour, 4);
  hn_json_number(j, "metallicFactor", 0.2);
  hn_json_number(j, "roughnessFactor", 0.6);
  hn_json_close(j, '}');
  hn_json_close(j, '}');
}

// sRGB to linear by the power 2.2, which is near enough to the exact curve.
static void put_own_material(scene *s, const char *color) {
  // grey, where no colour was given
  double colour[4] = {0.5, 0.5, 0.5, 1};
  int rgb[3];
  // factors of light, not of what a screen is told
  if (hn_color(color, rgb))
    for (int c = 0; c < 3; c++) colour[c] = hn_pow(rgb[c] / 255.0, 2.2);
  put_material(&s->json, colour);
}

// of bodies that have one, then of every shape, so that its number says which
static void put_own_materials(scene *s) {
  // in the order in which choose_colours() numbered them
  for (int i = 1; i < s->model->body_count; i++)
    if (s->colour[i] >= COLOURS) put_own_material(s, color_of(s, i));
  for (int i = 1; i < s->model->body_count; i++) {
    const hn_body_def *d = &s->model->body[i].def;
    for (int k = 0; k < d->shape_count; k++) put_own_material(s, d->shapes[k].color);
  }
}

static void put_solid_meshes(scene *s) {
  hn_json *j = &s->json;
  for (int k = 0; k < s->solids; k++) {
    hn_json_open(j, NULL, '{');
    hn_json_open(j, "primitives", '[');
    hn_json_open(j, NULL, '{');
    hn_json_open(j, "attributes", '{');
    // no normals: viewers make flat ones, which edges of solids need
    hn_json_number(j, "POSITION", s->solid[k].accessor);
    hn_json_close(j, '}');
    hn_json_number(j, "indices", s->solid[k].accessor + 1);
    hn_json_number(j, "material", s->solid[k].material);
    hn_json_close(j, '}');
    hn_json_close(j, ']');
    hn_json_close(j, '}');
  }
}

// Every unit mesh in every colour: a mesh has its material, and a material cannot be changed by a
// node.
static void put_meshes(scene *s) {
  // linear light, soft enough for shaded surfaces
  static const double colour[COLOURS][4] = {{0.24, 0.47, 0.71, 1}, {0.85, 0.45, 0.20, 1},
                                            {0.35, 0.63, 0.35, 1}, {0.72, 0.27, 0.30, 1},
                                            {0.53, 0.42, 0.68, 1}, {0.55, 0.55, 0.50, 1}};
  hn_json *j = &s->json;
  hn_json_open(j, "materials", '[');
  for (int c = 0; c < COLOURS; c++) put_material(j, colour[c]);
  put_own_materials(s);
  hn_json_close(j, ']');
  hn_json_open(j, "meshes", '[');
  // number = kind times colours + colour
  for (int k = 0; k < MESHES; k++)
    for (int c = 0; c < s->colours; c++) {
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
  put_bent_meshes(s);
  hn_json_close(j, ']');
}

static void put_channel(hn_json *j, int sampler, int node, const char *path) {
  hn_json_open(j, NULL, '{');
  hn_json_number(j, "sampler", sampler);
  hn_json_open(j, "target", '{');
  hn_json_number(j, "node", node);
  hn_json_text(j, "path", path);
  hn_json_close(j, '}');
  hn_json_close(j, '}');
}

// the node that a flexible body is drawn by: nodes of bodies come first, then what hangs below
// By counting as put_nodes does.
static int node_of(scene *s, int index) {
  // nodes of the bodies are 1 ... body_count - 1
  int body = s->model->flexible[index].first_body, node = s->model->body_count;
  for (int i = 1; i < body; i++) {
    int count = s->model->body[i].def.shape_count;
    node += count ? count : put_look(s, i, false);
  }
  return node;
}

static bool is_weighed(const scene *s, int index) {
  return is_drawn(s, index) && s->model->flexible[index].reduced->drawn.shapes > 0;
}

// Samplers share the times; outputs follow each other in the buffer as they were written.
static void put_animation(scene *s, int time) {
  static const char *const path[] = {"translation", "rotation"};
  hn_json *j = &s->json;
  // two of every body but the ground
  int channels = 2 * (s->model->body_count - 1), all = channels;
  for (int i = 0; i < s->model->flexible_count; i++) all += is_weighed(s, i);
  hn_json_open(j, "animations", '[');
  hn_json_open(j, NULL, '{');
  hn_json_open(j, "samplers", '[');
  for (int i = 0; i < all; i++) {
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "input", time);
    // outputs stand behind the times, in the order they were put in
    hn_json_number(j, "output", time + 1 + i);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_open(j, "channels", '[');
  // node 1 is the first body
  for (int i = 0; i < channels; i++) put_channel(j, i, 1 + i / 2, path[i % 2]);
  for (int i = 0, k = channels; i < s->model->flexible_count; i++)
    if (is_weighed(s, i)) put_channel(j, k++, node_of(s, i), "weights");
  hn_json_close(j, ']');
  hn_json_close(j, '}');
  hn_json_close(j, ']');
}

// One view for each accessor; min and max are required for positions.
static void put_accessors(scene *s) {
  // by numbers in a vector: 1, 3 or 4
  static const char *const type[] = {NULL, "SCALAR", NULL, "VEC3", "VEC4"};
  hn_json *j = &s->json;
  hn_json_open(j, "bufferViews", '[');
  for (int i = 0; i < s->count; i++) {
    const accessor *a = &s->list[i];
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "buffer", 0);
    hn_json_number(j, "byteOffset", (double)a->at);
    // numbers of four bytes each
    hn_json_number(j, "byteLength", 4.0 * a->count * a->width);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_open(j, "accessors", '[');
  for (int i = 0; i < s->count; i++) {
    const accessor *a = &s->list[i];
    hn_json_open(j, NULL, '{');
    hn_json_number(j, "bufferView", i);
    // unsigned int and float, as the format numbers them
    hn_json_number(j, "componentType", a->index ? 5125 : 5126);
    hn_json_number(j, "count", a->count);
    hn_json_text(j, "type", type[a->width]);
    // of rotations nobody asks
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
  // one scene of one node
  hn_json_numbers(j, "nodes", (double[1]){0}, 1);
  hn_json_close(j, '}');
  hn_json_close(j, ']');
  put_nodes(s);
  put_meshes(s);
  put_animation(s, time);
  put_accessors(s);
  hn_json_open(j, "buffers", '[');
  hn_json_open(j, NULL, '{');
  // without an address (uri) the buffer is the second chunk of the file
  hn_json_number(j, "byteLength", (double)s->buffer.used);
  hn_json_close(j, '}');
  hn_json_close(j, ']');
  hn_json_close(j, '}');
}

// ---- the file ------------------------------------------------------------------------------

// Header, chunk of JSON filled up with blanks, chunk of numbers; all lengths are multiples of four.
static hn_status write_file(scene *s, const char *path, char message[HN_MESSAGE]) {
  hn_save save;
  bytes head = {0};
  // chunks begin at multiples of four
  size_t blank = (4 - s->text.used % 4) % 4, json = s->text.used + blank;
  hn_status status = hn_save_open(&save, path, message);
  if (status) return status;
  // "glTF" with its first letter in the lowest byte
  hn_gltf_word(&head, 0x46546c67);  // glTF
  hn_gltf_word(&head, 2);
  // length of the whole, headers included
  hn_gltf_word(&head, (uint32_t)(12 + 8 + json + 8 + s->buffer.used));
  hn_gltf_word(&head, (uint32_t)json);
  hn_gltf_word(&head, 0x4e4f534a);  // JSON
  if (head.failed) {
    hn_save_drop(&save);
    return hn_fail(message, HN_ERR_MEMORY, "%.200s: out of memory", path);
  }
  hn_save_bytes(&save, head.data, head.used);
  hn_save_bytes(&save, s->text.text, s->text.used);
  hn_save_bytes(&save, "   ", blank);
  head.used = 0;
  hn_gltf_word(&head, (uint32_t)s->buffer.used);
  hn_gltf_word(&head, 0x004e4942);  // BIN
  hn_save_bytes(&save, head.data, head.used);
  hn_save_bytes(&save, s->buffer.data, s->buffer.used);
  free(head.data);
  return hn_save_close(&save, message);
}

// Results of more rows than MOST_FRAMES are thinned, which viewers interpolate.
// the report's first run is shown
hn_status hn_gltf_write(const hn_report *report, const char *path, char message[HN_MESSAGE]) {
  scene s = {.report = report,
             .model = report->model,
             .sys = report->system,
             .result = report->run[0].result};
  // modes are drawn by their body; other blocks have no place in space
  int modal = 0;  // blocks that are modes of flexible bodies
  for (int i = 0; s.model && i < s.model->flexible_count; i++)
    modal += s.model->flexible[i].block >= 0;
  if (!s.model || s.model->body_count < 2 || s.model->block_count > modal)
    return hn_fail(message, HN_ERR_UNSUPPORTED,
                   "%.200s: a moving picture needs a model of bodies, without blocks", path);
  s.json.text = &s.text;
  int rows = hn_result_rows(s.result);
  // every stride-th row
  s.stride = (rows + MOST_FRAMES - 1) / MOST_FRAMES;
  s.frames = (rows + s.stride - 1) / s.stride;
  // thickness of bars: seen, and not in the way
  s.bar = 0.015 * (s.sys->length > 0 ? s.sys->length : 1);
  choose_colours(&s);
  if (s.buffer.failed) return hn_fail(message, HN_ERR_MEMORY, "%.200s: out of memory", path);
  for (int k = 0; k < MESHES; k++) hn_gltf_unit_mesh(&s, (mesh_kind)k);
  hn_gltf_solids(&s);
  s.bent = calloc((size_t)s.model->flexible_count + 1, sizeof *s.bent);
  s.buffer.failed = s.buffer.failed || !s.bent;
  for (int i = 0; s.bent && i < s.model->flexible_count; i++)
    if (is_drawn(&s, i)) hn_gltf_bent(&s, i);
  // accessors of meshes are written before those of the motion
  int time = s.count;
  accessor *a = hn_gltf_open(&s, 1, false);
  for (int i = 0; i < s.frames && a; i++)
    hn_gltf_vector(&s, a, hn_result_row(s.result, i * s.stride));
  for (int i = 1; i < s.model->body_count; i++) {
    hn_pose_columns pose;
    hn_find_pose(s.result, s.model->body[i].def.name, &pose);
    put_motion(&s, &pose);
  }
  for (int i = 0; i < s.model->flexible_count; i++)
    if (is_weighed(&s, i)) put_weights(&s, i);
  if (!s.buffer.failed) describe(&s, time);
  // sizes of the format are 32 bits wide
  hn_status status = HN_OK;
  if (s.buffer.failed || s.text.failed)
    status = hn_fail(message, HN_ERR_MEMORY, "%.200s: out of memory", path);
  else if (s.buffer.used > UINT32_MAX / 2)
    status = hn_fail(message, HN_ERR_UNSUPPORTED, "%.200s: larger than 2 GiB", path);
  else
    status = write_file(&s, path, message);
  // each is NULL where it was not reached
  free(s.buffer.data), free(s.list), free(s.text.text), free(s.solid), free(s.bent), free(s.colour);
  return status;
}
