// shape.c: shapes of bodies: are they any, where are they, what do they hold.
//
// About the centre, m the mass:
//   box a b c           m (b^2 + c^2) / 12 about x, and so on
//   sphere r            2/5 m r^2
//   cylinder r l        m r^2 / 2 along, m (3 r^2 + l^2) / 12 across
//   rod l (r)           m r^2 / 2 along, m l^2 / 12 across
//   capsule r l         its cylinder and a ball cut in two, see capsule()
// Tubes, cones and revolutions are areas turned about an axis: with the moments of the area
// A(i, j) of x^i z^j, x the distance from the axis,
//   volume 2 pi A(1, 0), inertia along 2 pi A(3, 0), across pi A(3, 0) + 2 pi A(1, 2)
#include "model/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/check.h"
#include "model/hull.h"
#include "model/polygon.h"

static const double pi = 3.14159265358979323846;

// ---- checks --------------------------------------------------------------------------------

typedef struct checked {
  hn_model *model;   // gets the message
  const char *path;  // of the shape: "shape.*", "shapes.2.*"
  char key[96];      // of the member being checked
} checked;

// In the struct's own buffer: one at a time.
static const char *key_of(checked *c, const char *key) {
  snprintf(c->key, sizeof c->key, "%s.%s", c->path, key);
  return c->key;
}

// where it is said is only found out for what is wrong: most members of a study are right
static hn_status check_at(checked *c, const char *place, const char *key, double value,
                          hn_range range) {
  // also false for NaN, which hn_check_number tells apart
  if (fabs(value) <= HN_LARGEST && !hn_broken_rule(range, value, false)) return HN_OK;
  return hn_check_number(c->model, key_of(c, place), key, value, range);
}

static hn_status check_positive(checked *c, const char *key, double value) {
  return check_at(c, key, key, value, HN_RANGE_POSITIVE);
}

static hn_status need(checked *c, const char *key, double value) {
  hn_status status = check_positive(c, key, value);  // zero means "not given" and passes
  if (!status && value == 0) return hn_element_fail(c->model, key_of(c, key), "%s is missing", key);
  return status;
}

// A planar body may leave out the edge across the plane.
static hn_status check_box(checked *c, const hn_shape *s, bool flat) {
  static const char *const key[] = {"size.0", "size.1", "size.2"};
  for (int i = 0; i < 3; i++) {
    hn_status status = check_at(c, key[i], "size", s->size[i], HN_RANGE_POSITIVE);
    if (status) return status;
    // numbers are zero where they were left out
    if (s->size[i] == 0 && !(flat && i == 2))
      return hn_element_fail(c->model, key_of(c, key[i]),
                             "all three edges of a box must be positive");
  }
  return HN_OK;
}

static hn_status check_vector(checked *c, const char *key, const double *x, int count) {
  hn_status status = HN_OK;
  // by items, though the message names the key alone: outlines have many
  for (int i = 0; i < count && !status; i++) status = check_at(c, key, key, x[i], HN_RANGE_ANY);
  return status;
}

// Directions of any length but nearly none.
static hn_status check_place(checked *c, const hn_shape_def *s) {
  hn_status status = check_vector(c, "axis", s->shape.axis, 3);
  if (!status) status = check_vector(c, "position", s->position, 3);
  if (!status) status = check_vector(c, "orientation", s->orientation, 4);
  if (!status) status = check_vector(c, "scale", s->scale, 3);
  double length = v3_norm(s->shape.axis);
  // a unit vector is made of it, so none that is nearly zero
  if (!status && length > 0 && length < 1e-12)
    return hn_element_fail(c->model, key_of(c, "axis"), "axis is too short to have a direction");
  return status;
}

// the corners are only referred to: the polygon must not outlive the shape
static hn_polygon polygon_of(const hn_shape_def *s) {
  return (hn_polygon){s->outline, s->outline_count, s->holes, s->hole_corners, s->hole_count};
}

// Revolutions lie on one side of their axis: the other side would be counted with negative volume.
static hn_status check_area(checked *c, const hn_shape_def *s) {
  char message[HN_MESSAGE];
  const hn_polygon p = polygon_of(s);
  const double *loop;
  int count;
  if (!s->outline || s->outline_count < 1)
    return hn_element_fail(c->model, key_of(c, "outline"), "outline is missing");
  if (s->hole_count < 0 || (s->hole_count > 0 && (!s->holes || !s->hole_corners)))
    return hn_element_fail(c->model, key_of(c, "holes"), "holes are missing");
  // loop 0 is the outline, the others are holes
  for (int k = 0; (loop = hn_polygon_loop(&p, k, &count)); k++) {
    hn_status status = check_vector(c, k ? "holes" : "outline", loop, 2 * count);
    if (status) return status;
    // of a revolution x is the distance from the axis, y goes along it
    for (int i = 0; i < count && s->shape.kind == HN_SHAPE_REVOLUTION; i++)
      if (loop[2 * i] < 0)
        return hn_element_fail(c->model, key_of(c, "outline"),
                               "corner %d has a negative distance from the axis", i + 1);
  }
  if (!hn_polygon_check(&p, message)) return HN_OK;
  // what is wrong with it is told by corner and coordinates
  return hn_element_fail(c->model, key_of(c, "outline"), "%.400s", message);
}

static hn_status check_tube(checked *c, const hn_shape_def *s) {
  hn_status status = need(c, "radius", s->shape.radius);
  if (!status) status = need(c, "length", s->shape.length);
  // a tube without a hole is a cylinder
  if (!status) status = need(c, "inner_radius", s->inner_radius);
  if (!status && s->inner_radius >= s->shape.radius)
    return hn_element_fail(c->model, key_of(c, "inner_radius"),
                           "inner_radius must be smaller than radius");
  return status;
}

// Name of the surface a shape is drawn by, and holds its mass in, among those of the model: the
// path of a mesh, and for hulls what they are made of, number by number. NULL: out of memory;
// free() it
static char *surface_name(const hn_shape_def *s) {
  // a hull of a file is another surface than the file itself
  if (s->shape.kind != HN_SHAPE_HULL) return hn_strdup(s->file);
  size_t numbers = s->file ? 0 : 3 * (size_t)s->outline_count;
  // "-0x1.fffffffffffffp-1022 " is the longest number there is
  size_t room = 8 + (s->file ? strlen(s->file) : 26 * numbers);
  char *name = malloc(room);
  if (!name) return NULL;
  size_t used = (size_t)snprintf(name, room, "hull %s", s->file ? s->file : "");
  for (size_t i = 0; i < numbers; i++)
    used += (size_t)snprintf(name + used, room - used, "%a ", s->outline[i]);
  return name;
}

hn_model_mesh *hn_shape_mesh(const hn_model *model, const hn_shape_def *s) {
  char *name = surface_name(s);
  hn_model_mesh *known = name ? hn_model_mesh_known(model, name) : NULL;
  free(name);
  return known;
}

// The hull is made once, of the file's corners as they are: its scale counts afterwards, as that of
// meshes does.
static hn_status make_hull(checked *c, const hn_shape_def *s, const char *name) {
  char message[HN_MESSAGE];
  hn_status status = HN_OK;
  const double *point = s->outline;
  int count = s->outline_count;
  // of another shape, or of the same one read before
  if (hn_model_mesh_known(c->model, name)) return HN_OK;
  if (s->file) {
    const hn_model_mesh *m = hn_model_mesh_load(c->model, s->file, message, &status);
    if (!m) return hn_element_fail_at(c->model, status, key_of(c, "file"), 0, "%.400s", message);
    // may have moved: only the pointer of this load is good
    point = m->mesh.corner ? m->mesh.corner[0] : NULL;
    count = m->mesh.corners;
  }
  hn_trimesh hull;
  // the hull owns its corners; the file's stay with the mesh
  status = hn_hull_wrap(&hull, point, count, message);
  if (!status && !hn_model_mesh_keep(c->model, name, &hull))
    status = hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (!status) return HN_OK;
  return hn_element_fail_at(c->model, status, key_of(c, s->file ? "file" : "points"), 0, "%.400s",
                            message);
}

static hn_status check_scale(checked *c, const hn_shape_def *s) {
  // all three zero: not given, so no scale
  int zero = (s->scale[0] == 0) + (s->scale[1] == 0) + (s->scale[2] == 0);
  if (zero == 0 || zero == 3) return HN_OK;
  return hn_element_fail(c->model, key_of(c, "scale"), "scale must not be zero");
}

static hn_status check_hull(checked *c, const hn_shape_def *s) {
  bool points = s->outline && s->outline_count > 0, file = s->file && *s->file;
  // either, not both, not none
  if (points == file)
    return hn_element_fail(c->model, key_of(c, file ? "file" : "points"),
                           file ? "points and file are both given"
                                : "a hull needs points, or a file with them");
  hn_status status = check_scale(c, s);
  // what is given in a file was checked when it was read
  if (!status && points) status = check_vector(c, "points", s->outline, 3 * s->outline_count);
  if (status) return status;
  char *name = surface_name(s);
  status = name ? make_hull(c, s, name)
                : hn_element_fail_at(c->model, HN_ERR_MEMORY, c->path, 0, "out of memory");
  free(name);
  return status;
}

// The file is read here, once for each model; whether it is closed is asked when its mass is.
static hn_status check_mesh(checked *c, const hn_shape_def *s) {
  if (!s->file || !*s->file) return hn_element_fail(c->model, key_of(c, "file"), "file is missing");
  hn_status status = check_scale(c, s);
  if (status) return status;
  char message[HN_MESSAGE];
  if (hn_model_mesh_load(c->model, s->file, message, &status)) return HN_OK;
  return hn_element_fail_at(c->model, status, key_of(c, "file"), 0, "%.400s", message);
}

static hn_status check_kind(checked *c, const hn_shape_def *s, bool flat) {
  double radius = s->shape.radius, length = s->shape.length;
  hn_status status = HN_OK;
  // no default: compilers warn of a kind without a case
  switch (s->shape.kind) {
  case HN_SHAPE_NONE: return HN_OK;
  case HN_SHAPE_BOX: return check_box(c, &s->shape, flat);
  case HN_SHAPE_SPHERE: return need(c, "radius", radius);
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_CAPSULE:
    status = need(c, "radius", radius);
    // a cylinder needs both
    return status ? status : need(c, "length", length);
  case HN_SHAPE_ROD:
    // a rod may be a line, whose radius is only drawn
    status = check_positive(c, "radius", radius);
    return status ? status : need(c, "length", length);
  case HN_SHAPE_TUBE: return check_tube(c, s);
  case HN_SHAPE_CONE:
    status = need(c, "radius", radius);
    if (!status) status = need(c, "length", length);
    // 0: it ends in a point
    return status ? status : check_positive(c, "end_radius", s->end_radius);
  case HN_SHAPE_EXTRUSION:
    status = check_area(c, s);
    return status ? status : need(c, "length", length);
  case HN_SHAPE_REVOLUTION: return check_area(c, s);
  case HN_SHAPE_MESH: return check_mesh(c, s);
  case HN_SHAPE_HULL: return check_hull(c, s);
  }
  return hn_element_fail(c->model, c->path, "there is no shape number %d", (int)s->shape.kind);
}

// NULL is no colour, which is fine.
hn_status hn_check_color(hn_model *model, const char *path, const char *color) {
  // as red, green and blue, which nobody needs here
  int rgb[3];
  char near[64];
  if (!color || hn_color(color, rgb)) return HN_OK;
  // into `near`, which the list is too long to point into
  const char *meant = hn_nearest_in(color, hn_color_words, near, sizeof near);
  if (meant)
    return hn_element_fail(model, path, "no color '%.40s' (did you mean '%s'?)", color, meant);
  return hn_element_fail(model, path, "no color '%.40s' (there are %s, and \"#rrggbb\")", color,
                         hn_color_words);
}

hn_status hn_shape_check(hn_model *model, const char *path, const hn_shape_def *s, bool flat) {
  checked c = {.model = model, .path = path};
  hn_status status = check_positive(&c, "density", s->shape.density);
  if (!status) status = check_place(&c, s);
  if (!status) status = check_kind(&c, s, flat);
  if (!status && s->color) status = hn_check_color(model, key_of(&c, "color"), s->color);
  // a material or density would be dropped in silence
  if (!status && s->only_drawn && (s->shape.density > 0 || s->material))
    return hn_element_fail(model, key_of(&c, s->material ? "material" : "density"),
                           "what is only drawn has no mass");
  return status;
}

// A rod's density is mass per length, for which the area of its section is needed.
hn_status hn_shape_settle(hn_model *model, const char *path, hn_shape_def *s) {
  checked c = {.model = model, .path = path};
  if (!s->material) return HN_OK;
  // 0: no such material, since there is none without density
  double density = hn_material_density(s->material), r = s->shape.radius;
  if (density == 0)
    return hn_element_fail(model, key_of(&c, "material"), "no material '%.40s'", s->material);
  if (s->shape.density > 0)
    return hn_element_fail(model, key_of(&c, "material"),
                           "material and density are both given (one follows from the other)");
  if (s->shape.kind == HN_SHAPE_ROD && r == 0)
    return hn_element_fail(model, key_of(&c, "material"),
                           "a rod of some material needs its radius");
  // mass per length of a rod, so the section counts
  s->shape.density = s->shape.kind == HN_SHAPE_ROD ? density * pi * r * r : density;
  return HN_OK;
}

// ---- places --------------------------------------------------------------------------------

static bool has_axis(hn_shape_kind kind) {
  return kind == HN_SHAPE_CYLINDER || kind == HN_SHAPE_ROD || kind == HN_SHAPE_TUBE ||
         kind == HN_SHAPE_CAPSULE || kind == HN_SHAPE_CONE || kind == HN_SHAPE_REVOLUTION;
}

// Columns of R are the shape's axes: its own orientation, then z along the axis. x and y are
// arbitrary for what is round, but always the same.
void hn_shape_axes(const hn_shape_def *s, double R[9]) {
  // y is z x x, so that the three are right-handed
  double Q[9], A[9], q[4], z[3] = {0, 0, 1}, x[3], y[3];
  memcpy(q, s->orientation, sizeof q);
  if (hn_largest(q, 4) == 0) q[0] = 1;  // not given: the body's axes
  q_normalise(q);
  q_matrix(Q, q);
  if (!has_axis(s->shape.kind)) {
    memcpy(R, Q, sizeof Q);
    return;
  }
  if (hn_largest(s->shape.axis, 3) > 0) v3_scale(z, 1 / v3_norm(s->shape.axis), s->shape.axis);
  // bars are along x, as their bodies are made (from, to)
  else if (s->shape.kind == HN_SHAPE_ROD)
    v3_set(z, 1, 0, 0);
  // the same axes as without a direction, and no perpendicular, which would be another
  if (z[2] == 1)
    v3_set(x, 1, 0, 0);
  else
    v3_perpendicular(x, z);
  v3_cross(y, z, x);
  // as columns
  for (int i = 0; i < 3; i++) A[3 * i] = x[i], A[3 * i + 1] = y[i], A[3 * i + 2] = z[i];
  m3_mul(R, Q, A);
}

double hn_shape_radius(const hn_shape *s) {
  // as thick as it is drawn
  return s->kind == HN_SHAPE_ROD && s->radius == 0 ? s->length / 100 : s->radius;
}

hn_shape_def hn_shape_alone(const hn_body_def *def) {
  // its centre is where the body's is
  hn_shape_def s = {.shape = def->shape};
  v3_copy(s.position, def->com);
  return s;
}

// ---- what they hold, along z ---------------------------------------------------------------

// about its centre, z along
static void set_axial(hn_content *c, double volume, double along, double across) {
  *c = (hn_content){.volume = volume, .inertia = {across, across, along}};
}

// two halves of a ball at the ends of a cylinder: their centres are 3/8 r from the cut
static void capsule(hn_content *c, double r, double l) {
  double cylinder = pi * r * r * l, ball = 4.0 / 3 * pi * r * r * r;
  set_axial(c, cylinder + ball, cylinder * r * r / 2 + ball * 0.4 * r * r,
            cylinder * (3 * r * r + l * l) / 12 + ball * (0.4 * r * r + l * l / 4 + 0.375 * l * r));
}

// Pappus' theorem and its like: moments of the area, times 2 pi x.
static void turned(hn_content *c, const hn_polygon *p) {
  const double zero[2] = {0, 0};
  double first = hn_polygon_moment(p, zero, 1, 0), third = hn_polygon_moment(p, zero, 3, 0);
  const double middle[2] = {0, hn_polygon_moment(p, zero, 1, 1) / first};
  set_axial(c, 2 * pi * first, 2 * pi * third,
            // moments of the area about its own middle: far up the axis no digits are lost
            pi * third + 2 * pi * hn_polygon_moment(p, middle, 1, 2));
  c->centre[2] = middle[1];
}

static void cone(hn_content *c, const hn_shape_def *s) {
  double r = s->shape.radius, e = s->end_radius, h = s->shape.length / 2;
  // its section, on one side of the axis: a trapezium, or a triangle if one radius is 0
  const double outline[8] = {0, -h, r, -h, e, h, 0, h};
  turned(c, &(hn_polygon){.outline = outline, .count = 4});
}

static void tube(hn_content *c, const hn_shape_def *s) {
  double r = s->shape.radius, i = s->inner_radius, h = s->shape.length / 2;
  // a rectangle away from the axis
  const double outline[8] = {i, -h, r, -h, r, h, i, h};
  turned(c, &(hn_polygon){.outline = outline, .count = 4});
}

// Moments about the first corner, then about the centre: origin far away costs no digits.
static void extrusion(hn_content *c, const hn_shape_def *s) {
  const hn_polygon p = polygon_of(s);
  double area = hn_polygon_moment(&p, s->outline, 0, 0), l = s->shape.length;
  const double o[2] = {s->outline[0] + hn_polygon_moment(&p, s->outline, 1, 0) / area,
                       s->outline[1] + hn_polygon_moment(&p, s->outline, 0, 1) / area};
  double xx = hn_polygon_moment(&p, o, 2, 0) * l, yy = hn_polygon_moment(&p, o, 0, 2) * l;
  double zz = area * l * l * l / 12;
  // xx yy zz xy xz yz; the product is negative, as the inertia tensor has it
  *c = (hn_content){area * l,
                    {o[0], o[1], 0},
                    {yy + zz, xx + zz, xx + yy, -hn_polygon_moment(&p, o, 1, 1) * l, 0, 0}};
}

// the inertia of what is stretched along the axes
// Second moments C = (tr I / 2) 1 - I scale with the product of two factors and the volume; the
// inertia follows from them again.
static void stretch(hn_content *c, const double factor[3]) {
  // the trace of the inertia is twice that of the second moments
  double *I = c->inertia, half = (I[0] + I[1] + I[2]) / 2;
  double C[6] = {half - I[0], half - I[1], half - I[2], -I[3], -I[4], -I[5]};
  // negative factors mirror: moments have the sign of both, the volume has none
  double f[3] = {1, 1, 1}, volume;
  if (hn_largest(factor, 3) > 0) v3_copy(f, factor);
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  volume = fabs(f[0] * f[1] * f[2]);
  for (int k = 0; k < 6; k++) C[k] *= volume * f[row[k]] * f[column[k]];
  for (int k = 0; k < 3; k++) c->centre[k] *= f[k];
  c->volume *= volume;
  // back again: I = (tr C) 1 - C
  I[0] = C[1] + C[2], I[1] = C[0] + C[2], I[2] = C[0] + C[1];
  for (int k = 3; k < 6; k++) I[k] = -C[k];
}

// Closing orders the triangles, and is remembered with its outcome.
static hn_status mesh(hn_model *model, const char *path, const hn_shape_def *s, hn_content *c) {
  hn_model_mesh *m = hn_shape_mesh(model, s);
  char key[96];
  // without one the mesh was never read: a caller's mistake, no user's
  if (!m) return HN_ERR_ARGUMENT;  // hn_shape_check has read it
  // once per model, since it sorts all edges
  if (!m->tried) m->open = hn_trimesh_close(&m->mesh, m->why);
  m->tried = true;
  snprintf(key, sizeof key, "%s.file", path);
  if (m->open)
    return hn_element_fail_at(model, m->open, key, 0,
                              "%.120s: %.250s (only_drawn: true takes it for the picture alone)",
                              s->file ? s->file : "hull", m->why);
  // as the file has it, then stretched
  hn_trimesh_content(&m->mesh, &c->volume, c->centre, c->inertia);
  stretch(c, s->scale);
  return HN_OK;
}

// I = across 1 + (along - across) u u^T.
static void axial_inertia(double inertia[6], double along, double across, const double axis[3],
                          const double fallback[3]) {
  // the axis of the shape, or the one it has if none was given
  double u[3], length = v3_norm(axis);
  if (length > 0)
    v3_scale(u, 1 / length, axis);
  else
    v3_copy(u, fallback);
  double d = along - across;
  for (int i = 0; i < 3; i++) inertia[i] = across + d * u[i] * u[i];
  inertia[3] = d * u[0] * u[1], inertia[4] = d * u[0] * u[2], inertia[5] = d * u[1] * u[2];
}

// Formulas at the top of this file; a rod is thin across, but has a radius along.
void hn_shape_moments(double inertia[6], const hn_shape *shape, double m) {
  const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  // edges, or radius and length
  const double *s = shape->size;
  double r = hn_shape_radius(shape), l = shape->length;
  memset(inertia, 0, 6 * sizeof *inertia);
  if (shape->kind == HN_SHAPE_BOX)
    for (int i = 0; i < 3; i++)
      inertia[i] = m * (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 12;
  if (shape->kind == HN_SHAPE_SPHERE) inertia[0] = inertia[1] = inertia[2] = 0.4 * m * r * r;
  if (shape->kind == HN_SHAPE_CYLINDER)
    axial_inertia(inertia, m * r * r / 2, m * (3 * r * r + l * l) / 12, shape->axis, z);
  if (shape->kind == HN_SHAPE_ROD)
    axial_inertia(inertia, m * r * r / 2, m * l * l / 12, shape->axis, x);
}

double hn_shape_mass(const hn_shape *shape) {
  double r = shape->radius;
  if (shape->kind == HN_SHAPE_BOX)
    return shape->density * shape->size[0] * shape->size[1] * shape->size[2];
  if (shape->kind == HN_SHAPE_CYLINDER) return shape->density * pi * r * r * shape->length;
  if (shape->kind == HN_SHAPE_SPHERE) return shape->density * 4 / 3 * pi * r * r * r;
  return shape->kind == HN_SHAPE_ROD ? shape->density * shape->length : 0;
}

static void basic(hn_content *c, const hn_shape *given) {
  hn_shape s = *given;
  // rods without a radius count as thin ones
  double r = hn_shape_radius(&s);
  // such that the mass is the volume
  s.density = s.kind == HN_SHAPE_ROD ? pi * r * r : 1;
  v3_set(s.axis, 0, 0, 1);
  c->volume = hn_shape_mass(&s);
  hn_shape_moments(c->inertia, &s, c->volume);
}

// in axes of its own
static hn_status content_of(hn_model *model, const char *path, const hn_shape_def *s,
                            hn_content *c) {
  *c = (hn_content){0};
  switch (s->shape.kind) {
  case HN_SHAPE_BOX:
  case HN_SHAPE_SPHERE:
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_ROD: basic(c, &s->shape); break;
  case HN_SHAPE_TUBE: tube(c, s); break;
  case HN_SHAPE_CAPSULE: capsule(c, s->shape.radius, s->shape.length); break;
  case HN_SHAPE_CONE: cone(c, s); break;
  case HN_SHAPE_EXTRUSION: extrusion(c, s); break;
  case HN_SHAPE_REVOLUTION: {
    const hn_polygon p = polygon_of(s);
    turned(c, &p);
    break;
  }
  case HN_SHAPE_MESH:
  case HN_SHAPE_HULL: return mesh(model, path, s, c);
  case HN_SHAPE_NONE: break;
  }
  return HN_OK;
}

static void turn_inertia(double I[6], const double R[9]) {
  const double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  double T[9], B[9];
  m3_mul(T, R, A);
  // I' = R I R^T, of six numbers about the centre
  m3_mult(B, T, R);
  I[0] = B[0], I[1] = B[4], I[2] = B[8], I[3] = B[1], I[4] = B[2], I[5] = B[5];
}

// At density one; the caller multiplies.
hn_status hn_shape_content(hn_model *model, const char *path, const hn_shape_def *s,
                           hn_content *content) {
  double R[9], centre[3];
  // about the shape's own axes first, then turned and moved to the body's
  hn_status status = content_of(model, path, s, content);
  if (status) return status;
  hn_shape_axes(s, R);
  m3_mulv(centre, R, content->centre);
  v3_add(content->centre, s->position, centre);
  turn_inertia(content->inertia, R);
  return HN_OK;
}

// ---- copies --------------------------------------------------------------------------------

static const void *copied(const void *from, size_t count, size_t size, bool *ok) {
  // false stays false: after one failure nothing more is allocated
  if (!from || !count || !*ok) return NULL;
  void *to = malloc(count * size);
  *ok = to != NULL;
  if (to) memcpy(to, from, count * size);
  return to;
}

static size_t corners_of_holes(const hn_shape_def *s) {
  size_t sum = 0;
  for (int k = 0; s->hole_corners && k < s->hole_count; k++)  // below zero only from programs
    sum += s->hole_corners[k] > 0 ? (size_t)s->hole_corners[k] : 0;
  return sum;
}

// Counts below zero come from programs, and are refused later: nothing is copied for them.
hn_shape_def *hn_shapes_copy(const hn_model *model, const hn_shape_def *shapes, int count) {
  hn_shape_def *own = calloc((size_t)count, sizeof *own);
  bool ok = own != NULL;
  for (int i = 0; i < count && own; i++) {
    const hn_shape_def *s = &shapes[i];
    hn_shape_def *o = &own[i];
    *o = *s;
    // corners of a hull have three numbers, those of areas two
    size_t each = s->shape.kind == HN_SHAPE_HULL ? 3 : 2;
    o->outline = copied(s->outline, each * (size_t)(s->outline_count > 0 ? s->outline_count : 0),
                        sizeof(double), &ok);
    o->holes = copied(s->holes, 2 * corners_of_holes(s), sizeof(double), &ok);
    o->hole_corners =
        copied(s->hole_corners, (size_t)(s->hole_count > 0 ? s->hole_count : 0), sizeof(int), &ok);
    // relative to the folder of the model, so that the copy can be used from anywhere
    o->file = s->file && ok ? hn_model_path(model, s->file) : NULL;
    o->material = ok ? hn_strdup(s->material) : NULL;
    o->color = ok ? hn_strdup(s->color) : NULL;
    ok = ok && (o->file || !s->file) && (o->material || !s->material) && (o->color || !s->color);
  }
  if (ok) return own;
  // pointers of the caller's are gone by now: all are copies or NULL
  hn_shapes_free(own, own ? count : 0);
  return NULL;
}

void hn_shapes_free(const hn_shape_def *shapes, int count) {
  // const for callers; these are copies of ours
  for (int i = 0; i < count; i++) {
    const hn_shape_def *s = &shapes[i];
    free((void *)s->outline), free((void *)s->holes), free((void *)s->hole_corners);
    free((void *)s->file), free((void *)s->material), free((void *)s->color);
  }
  free((void *)shapes);
}

// ---- files ---------------------------------------------------------------------------------

// By path, as it is opened: two ways to write one path are two meshes.
hn_model_mesh *hn_model_mesh_known(const hn_model *model, const char *path) {
  // few surfaces, each looked up once per shape
  for (int i = 0; i < model->mesh_count; i++)
    if (strcmp(model->mesh[i].path, path) == 0) return &model->mesh[i];
  return NULL;
}

// takes the mesh, and frees it where there is no memory to keep it
hn_model_mesh *hn_model_mesh_keep(hn_model *model, const char *name, hn_trimesh *mesh) {
  hn_model_mesh one = {.path = hn_strdup(name), .mesh = *mesh};
  if (one.path && hn_grow((void **)&model->mesh, &model->mesh_capacity, model->mesh_count,
                          sizeof *model->mesh)) {
    // the mesh is taken over as it is: its arrays belong to the model from here on
    model->mesh[model->mesh_count] = one;
    return &model->mesh[model->mesh_count++];
  }
  hn_trimesh_free(mesh);
  free(one.path);
  return NULL;
}

// The pointer is good until the next mesh is loaded.
hn_model_mesh *hn_model_mesh_load(hn_model *model, const char *path, char message[HN_MESSAGE],
                                  hn_status *status) {
  hn_trimesh mesh = {0};
  hn_model_mesh *known = hn_model_mesh_known(model, path);
  *status = HN_OK;
  if (known) return known;
  *status = hn_trimesh_load(&mesh, path, message);
  if (*status) return NULL;
  known = hn_model_mesh_keep(model, path, &mesh);
  if (!known) *status = hn_fail(message, HN_ERR_MEMORY, "out of memory");
  return known;
}

void hn_model_meshes_free(hn_model *model) {
  for (int i = 0; i < model->mesh_count; i++) {
    hn_trimesh_free(&model->mesh[i].mesh);
    free(model->mesh[i].path);
  }
  model->mesh_count = 0;
}
