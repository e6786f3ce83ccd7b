// model_shapes.c: shapes of bodies.
//
// One of the four shapes that a body can have alone, without a place or colour of its own, stays
// what it is; all others are lists of shapes.
#include <string.h>

#include "base/vec.h"
#include "io/model_reader.h"
#include "model/shape.h"

// ---- areas ---------------------------------------------------------------------------------

// x and y of every corner; of points in space z, too
// In the axes of the shape; any unit of length. Fewer than four points are refused by who makes a
// hull of them.
static hn_status read_corners(hn_reader *reader, const hn_yaml *node, const char *what, int each,
                              double *out) {
  if (node->kind != HN_YAML_LIST || (each == 2 && node->count < 3))
    return hn_read_fail(reader, node, HN_ERR_SYNTAX,
                        each == 2 ? "%s must be a list of three corners or more"
                                  : "%s must be a list of points, three numbers each",
                        what);
  for (const hn_yaml *e = node->first; e; e = e->next) {
    // exactly as many numbers as a corner has
    if (e->kind != HN_YAML_LIST || e->count != each)
      return hn_read_fail(reader, e, HN_ERR_SYNTAX,
                          each == 2 ? "a corner of %s must be two numbers"
                                    : "each of %s must be three numbers",
                          what);
    for (const hn_yaml *x = e->first; x; x = x->next) {
      hn_status status = hn_read_number(reader, x, what, out++);
      if (status) return status;
    }
  }
  return HN_OK;
}

// What is no list has no count: read_corners refuses it.
hn_status hn_read_outline(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                          hn_shape_def *def) {
  // a hull has points in space
  int each = field->items == 3 ? 3 : 2;
  double *x = hn_yaml_take(reader->doc, (size_t)each * ((size_t)node->count + 1) * sizeof *x);
  if (!x) return hn_read_fail_memory(reader);
  def->outline = x;
  def->outline_count = node->count;
  return read_corners(reader, node, field->key, each, x);
}

hn_status hn_read_holes(hn_reader *reader, const hn_yaml *node, hn_shape_def *def) {
  if (node->kind != HN_YAML_LIST)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "holes must be a list of outlines");
  size_t corners = 0;
  // counts of what is no list are zero, and refused below
  for (const hn_yaml *e = node->first; e; e = e->next) corners += (size_t)e->count;
  double *x = hn_yaml_take(reader->doc, 2 * (corners + 1) * sizeof *x);
  int *count = hn_yaml_take(reader->doc, ((size_t)node->count + 1) * sizeof *count);
  if (!x || !count) return hn_read_fail_memory(reader);
  def->holes = x;
  def->hole_corners = count;
  for (const hn_yaml *e = node->first; e; e = e->next) {
    hn_status status = read_corners(reader, e, "a hole", 2, x);
    if (status) return status;
    x += 2 * e->count;
    count[def->hole_count++] = e->count;
  }
  return HN_OK;
}

// ---- shapes --------------------------------------------------------------------------------

static hn_status read_one(hn_reader *reader, const hn_yaml *node, hn_shape_def *shape) {
  int kind = 0;
  const char *unit = reader->unit;
  // sizes within have units of their own
  reader->unit = NULL;
  hn_status status = hn_read_kind(reader, node, "shape", hn_shape_at, &kind, shape);
  shape->shape.kind = (hn_shape_kind)kind;
  reader->unit = unit;
  return status;
}

// a body alone can have it
// Older files and simple ones have such a shape, which pictures centre in the centre of mass.
static bool is_plain(const hn_shape_def *s) {
  return s->shape.kind <= HN_SHAPE_ROD && hn_largest(s->position, 3) == 0 &&
         hn_largest(s->orientation, 4) == 0 && !s->color && !s->only_drawn;
}

hn_status hn_read_shape(hn_reader *reader, const hn_yaml *node, hn_body_def *def) {
  hn_shape_def *shape = hn_yaml_take(reader->doc, sizeof *shape);
  if (!shape) return hn_read_fail_memory(reader);
  *shape = (hn_shape_def){0};
  hn_status status = read_one(reader, node, shape);
  if (status) return status;
  const hn_yaml *keys = node->first;
  if (is_plain(shape) && !hn_yaml_get(keys, "position")) {
    // a single shape has its density from here
    status = hn_shape_settle(reader->model, "shape.*", shape);
    def->shape = shape->shape;
    return status;
  }
  if (def->shapes)
    return hn_read_fail(reader, node, HN_ERR_MODEL, "shape and shapes are both given");
  def->shapes = shape;
  def->shape_count = 1;
  return HN_OK;
}

hn_status hn_read_shapes(hn_reader *reader, const hn_yaml *node, hn_body_def *def) {
  if (node->kind != HN_YAML_LIST || node->count < 1)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "shapes must be a list of shapes");
  if (def->shapes)
    return hn_read_fail(reader, node, HN_ERR_MODEL, "shape and shapes are both given");
  hn_shape_def *shape = hn_yaml_take(reader->doc, (size_t)node->count * sizeof *shape);
  if (!shape) return hn_read_fail_memory(reader);
  memset(shape, 0, (size_t)node->count * sizeof *shape);
  def->shapes = shape;
  for (const hn_yaml *e = node->first; e; e = e->next) {
    hn_status status = read_one(reader, e, &shape[def->shape_count++]);
    // counted as they are read: what failed is not looked at
    if (status) return status;
  }
  return HN_OK;
}

// ---- bars ----------------------------------------------------------------------------------

static bool is_long(hn_shape_kind kind) {
  return kind == HN_SHAPE_ROD || kind == HN_SHAPE_CYLINDER || kind == HN_SHAPE_TUBE ||
         kind == HN_SHAPE_CAPSULE || kind == HN_SHAPE_CONE;
}

// A capsule reaches beyond its middle by a radius at each end.
static void follow_bar(hn_shape *shape, double length) {
  if (!is_long(shape->kind) || length == 0) return;
  // the middle part alone is its length
  if (shape->kind == HN_SHAPE_CAPSULE) length -= 2 * shape->radius;
  if (shape->length == 0) shape->length = length;
  if (v3_dot(shape->axis, shape->axis) == 0) v3_set(shape->axis, 1, 0, 0);
}

// of those that have a middle
static bool has_middle(hn_shape_kind kind) {
  return is_long(kind) || kind == HN_SHAPE_BOX || kind == HN_SHAPE_SPHERE;
}

// A bar that says nothing of its looks and inertia is a thin rod.
void hn_place_shapes(const hn_yaml *map, hn_body_def *def, double length) {
  const hn_yaml *alone = hn_yaml_get(map, "shape");
  bool any = alone || hn_yaml_get(map, "shapes") || hn_yaml_get(map, "inertia");
  // nothing said about its looks
  if (!any && length > 0) def->shape.kind = HN_SHAPE_ROD;
  follow_bar(&def->shape, length);
  hn_shape_def *shapes = (hn_shape_def *)def->shapes;  // memory of the document
  for (int i = 0; i < def->shape_count; i++) follow_bar(&shapes[i].shape, length);
  if (alone && def->shape_count == 1 && has_middle(shapes->shape.kind) &&
      !hn_yaml_get(alone->first, "position"))
    v3_copy(shapes->position, def->com);
}

// ---- mirrored parts ------------------------------------------------------------------------

static void flip_corners(const double *points, int count, int each) {
  double *x = (double *)points;  // memory of the document
  for (int i = 0; i < count; i++) x[each * i + 1] = -x[each * i + 1];
}

// Mirrored at the x-z plane of the body: quaternions keep w and y, outlines turn round.
void hn_flip_shapes(hn_body_def *def) {
  def->shape.axis[1] = -def->shape.axis[1];
  // const for others: here it is memory of the document
  hn_shape_def *shapes = (hn_shape_def *)def->shapes;
  for (int i = 0; i < def->shape_count; i++) {
    hn_shape_def *s = &shapes[i];
    s->shape.axis[1] = -s->shape.axis[1];
    s->position[1] = -s->position[1];
    // a rotation seen in a mirror across y: x and z parts turn round
    s->orientation[1] = -s->orientation[1];
    s->orientation[3] = -s->orientation[3];
    bool hull = s->shape.kind == HN_SHAPE_HULL, from_file = s->file != NULL;
    if (hull && !from_file) flip_corners(s->outline, s->outline_count, 3);
    // no scale is one of ones
    if (from_file && hn_largest(s->scale, 3) == 0) v3_set(s->scale, 1, 1, 1);
    if (from_file) s->scale[1] = -s->scale[1];
    if (s->shape.kind != HN_SHAPE_EXTRUSION) continue;
    flip_corners(s->outline, s->outline_count, 2);
    const double *hole = s->holes;
    for (int k = 0; k < s->hole_count; k++) {
      flip_corners(hole, s->hole_corners[k], 2);
      hole += 2 * s->hole_corners[k];
    }
  }
}
