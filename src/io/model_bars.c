// model_bars.c: bodies that are described by points: bars from one to another, plates between
// several.
//
// Where the points are the body is: position and orientation follow, and unless told otherwise its
// looks, mass and inertia. What is measured here are points of the world, where parts have been
// put, turned and mirrored already.
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "io/model_reader.h"
#include "model/polygon.h"

// corners of a spatial plate lie in a plane to this part of its size
static const double flat_to = 1e-9;
// a plate that says nothing of its thickness has this part of its size
static const double thin = 1.0 / 40;

// ---- bars ----------------------------------------------------------------------------------

// x along the bar, z as near to `up` as can be
// Where the bar goes along `up` any y across it will do: nothing tells the directions apart.
static void aim(const double along[3], const double up[3], double q[4]) {
  double x[3], y[3], z[3], R[9];
  v3_scale(x, 1 / v3_norm(along), along);
  v3_cross(y, up, x);
  if (v3_norm(y) <= 1e-9 * v3_norm(up)) v3_perpendicular(y, x);
  v3_scale(y, 1 / v3_norm(y), y);
  v3_cross(z, x, y);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  q_from_matrix(q, R);
}

// Of a capsule that goes from end to end of a bar its two halves of a ball are a part.
static hn_status check_capsules(hn_reader *reader, const hn_yaml *node, const hn_body_def *def,
                                double length) {
  for (int i = 0; i < def->shape_count; i++) {
    const hn_shape *s = &def->shapes[i].shape;
    if (s->kind == HN_SHAPE_CAPSULE && s->length <= 0)
      return hn_read_fail(reader, node, HN_ERR_MODEL,
                          "a capsule with a radius of %g m is longer than the bar, %g m", s->radius,
                          length);
  }
  return HN_OK;
}

// what points say already must not be said again
static hn_status check_others(hn_reader *reader, const hn_yaml *map, const hn_body_def *def,
                              const hn_yaml *points, const char *others, const char *why) {
  char key[32];
  for (int i = 0; hn_word_at(others, i, key, sizeof key); i++)
    if (hn_yaml_get(map, key))
      return hn_read_fail(reader, hn_yaml_get(map, key)->key, HN_ERR_MODEL, "%s follows from %s",
                          key, why);
  if (def->kind != HN_SPATIAL && def->kind != HN_PLANAR)
    return hn_read_fail(reader, points->key, HN_ERR_MODEL, "a point mass has no extent");
  return HN_OK;
}

// The frame lies in the middle, x along the bar: shapes without a length get that of the bar.
static hn_status read_bar(hn_reader *reader, const hn_yaml *map, hn_body_def *def) {
  const hn_yaml *from = hn_yaml_get(map, "from"), *to = hn_yaml_get(map, "to");
  const hn_yaml *up = hn_yaml_get(map, "up");
  if (!from || !to)
    return hn_read_fail(reader,
                        from ? from->key
                        : to ? to->key
                             : up->key,
                        HN_ERR_MODEL,
                        "a bar goes from one point to another: both 'from' and 'to' are needed");
  hn_status status =
      check_others(reader, map, def, from, "position angle orientation", "'from' and 'to'");
  if (status) return status;
  double a[3], b[3], d[3], z[3] = {0, 0, 1};
  status = hn_read_position(reader, from, "from", a);
  if (!status) status = hn_read_position(reader, to, "to", b);
  reader->unit = NULL;  // a direction
  if (!status && up) status = hn_read_direction(reader, up, "up", true, z);
  hn_scope_direction(reader->scope, z);
  if (status) return status;
  v3_sub(d, b, a);
  if (v3_norm(d) == 0)
    return hn_read_fail(reader, to, HN_ERR_MODEL, "'from' and 'to' are one point");
  if (up && def->kind == HN_PLANAR)
    return hn_read_fail(reader, up, HN_ERR_MODEL, "z of a planar body is the world's");
  for (int i = 0; i < 3; i++) def->position[i] = (a[i] + b[i]) / 2;
  if (def->kind == HN_PLANAR)
    def->angle = hn_atan2(d[1], d[0]);
  else
    aim(d, z, def->orientation);
  hn_place_shapes(map, def, v3_norm(d));
  return check_capsules(reader, to, def, v3_norm(d));
}

// ---- plates --------------------------------------------------------------------------------

typedef struct plate {
  int count;
  double *corner;     // in the world, from the first one
  double *outline;    // in the plate's plane
  double x[3], y[3];  // axes of the plane
  double size;        // the farthest from the first
  double first[3];    // in the world
} plate;

static hn_status read_corners(hn_reader *reader, const hn_yaml *list, plate *p) {
  if (list->kind != HN_YAML_LIST || list->count < 3)
    return hn_read_fail(reader, list, HN_ERR_SYNTAX,
                        "corners must be a list of three points or "
                        "more (a bar goes 'from' one 'to' another)");
  p->count = list->count;
  p->corner = hn_yaml_take(reader->doc, 3 * (size_t)p->count * sizeof *p->corner);
  p->outline = hn_yaml_take(reader->doc, 2 * (size_t)p->count * sizeof *p->outline);
  if (!p->corner || !p->outline) return hn_read_fail_memory(reader);
  double *at = p->corner;
  for (const hn_yaml *e = list->first; e; e = e->next, at += 3) {
    hn_status status = hn_read_position(reader, e, "a corner", at);
    if (status) return status;
  }
  v3_copy(p->first, p->corner);
  for (int i = 0; i < p->count; i++) {
    double *d = p->corner + 3 * i;
    v3_sub(d, d, p->first);
    p->size = fmax(p->size, v3_norm(d));
  }
  return HN_OK;
}

// z: that of the world, or the side from which the corners of the part turn counter-clockwise
static hn_status find_plane(hn_reader *reader, const hn_yaml *list, const hn_body_def *def,
                            plate *p, double z[3]) {
  const double *d = p->corner;
  if (v3_norm(d + 3) <= flat_to * p->size)
    return hn_read_fail(reader, list, HN_ERR_MODEL, "the first two corners are one point");
  v3_scale(p->x, 1 / v3_norm(d + 3), d + 3);
  double area[3] = {0}, part[3];
  for (int i = 1; i + 1 < p->count; i++) {
    v3_cross(part, d + 3 * i, d + 3 * (i + 1));
    v3_add(area, area, part);
  }
  // twice the area; that of a needle is round-off
  if (v3_norm(area) <= flat_to * p->size * p->size)
    return hn_read_fail(reader, list, HN_ERR_MODEL, "the corners enclose no area");
  if (def->kind == HN_PLANAR)
    v3_set(z, 0, 0, 1);
  else
    v3_scale(z, (reader->scope->mirrored ? -1 : 1) / v3_norm(area), area);
  double off, worst = flat_to * p->size;
  const hn_yaml *out = NULL;
  int number = 0, k = 0;
  for (const hn_yaml *e = list->first; e; e = e->next, k++)
    if ((off = fabs(v3_dot(d + 3 * k, z))) > worst) worst = off, out = e, number = k + 1;
  if (out)
    return hn_read_fail(reader, out, HN_ERR_MODEL,
                        "the corners do not lie in a plane: number %d is %.3g m off", number,
                        worst);
  v3_cross(p->y, z, p->x);
  return HN_OK;
}

// Corners as seen from the middle of the area, where the frame lies.
static hn_status find_middle(hn_reader *reader, const hn_yaml *list, plate *p, double middle[2]) {
  char message[HN_MESSAGE];
  const double origin[2] = {0, 0};
  const hn_polygon area = {.outline = p->outline, .count = p->count};
  for (int i = 0; i < p->count; i++) {
    p->outline[2 * i] = v3_dot(p->corner + 3 * i, p->x);
    p->outline[2 * i + 1] = v3_dot(p->corner + 3 * i, p->y);
  }
  // the places it tells of are those in the plane, which nobody wrote
  if (hn_polygon_check(&area, message))
    return hn_read_fail(
        reader, list, HN_ERR_MODEL, "%.400s",
        p->count > HN_POLYGON_CORNERS
            ? message
            : "the sides of the plate cross or touch (corners are listed around it)");
  double whole = hn_polygon_moment(&area, origin, 0, 0);
  middle[0] = hn_polygon_moment(&area, origin, 1, 0) / whole;
  middle[1] = hn_polygon_moment(&area, origin, 0, 1) / whole;
  // a mirrored body has its own y turned round, and its shapes with it (hn_flip_shapes)
  double sign = reader->scope->mirrored ? -1 : 1;
  for (int i = 0; i < p->count; i++) {
    p->outline[2 * i] -= middle[0];
    p->outline[2 * i + 1] = sign * (p->outline[2 * i + 1] - middle[1]);
  }
  return HN_OK;
}

// An extrusion without an outline has that of the plate. A plate that says nothing of its looks is
// a thin one, drawn only where its inertia is given.
static hn_status shape_plate(hn_reader *reader, const hn_yaml *map, const plate *p,
                             hn_body_def *def) {
  bool any = def->shape_count > 0 || def->shape.kind != HN_SHAPE_NONE;
  if (!any) {
    hn_shape_def *own = hn_yaml_take(reader->doc, sizeof *own);
    if (!own) return hn_read_fail_memory(reader);
    *own = (hn_shape_def){.shape = {.kind = HN_SHAPE_EXTRUSION},
                          .only_drawn = hn_yaml_get(map, "inertia") != NULL};
    def->shapes = own;
    def->shape_count = 1;
  }
  hn_shape_def *shapes = (hn_shape_def *)def->shapes;  // memory of the document
  for (int i = 0; i < def->shape_count; i++) {
    hn_shape_def *s = &shapes[i];
    if (s->shape.kind != HN_SHAPE_EXTRUSION || s->outline) continue;
    s->outline = p->outline;
    s->outline_count = p->count;
    if (s->shape.length == 0) s->shape.length = thin * p->size;
  }
  return HN_OK;
}

static hn_status read_plate(hn_reader *reader, const hn_yaml *map, hn_body_def *def) {
  const hn_yaml *list = hn_yaml_get(map, "corners");
  plate p = {0};
  double z[3], middle[2] = {0, 0};
  hn_status status =
      check_others(reader, map, def, list, "position angle orientation from to up", "'corners'");
  if (!status) status = read_corners(reader, list, &p);
  if (!status) status = find_plane(reader, list, def, &p, z);
  if (!status) status = find_middle(reader, list, &p, middle);
  if (status) return status;
  for (int i = 0; i < 3; i++)
    def->position[i] = p.first[i] + middle[0] * p.x[i] + middle[1] * p.y[i];
  if (def->kind == HN_PLANAR)
    def->angle = hn_atan2(p.x[1], p.x[0]);
  else
    aim(p.x, z, def->orientation);
  hn_place_shapes(map, def, 0);
  return shape_plate(reader, map, &p, def);
}

// ---- both ----------------------------------------------------------------------------------

hn_status hn_read_by_points(hn_reader *reader, const hn_yaml *map, hn_body_def *def) {
  if (hn_yaml_get(map, "corners")) return read_plate(reader, map, def);
  if (hn_yaml_get(map, "from") || hn_yaml_get(map, "to") || hn_yaml_get(map, "up"))
    return read_bar(reader, map, def);
  hn_place_shapes(map, def, 0);
  return HN_OK;
}

bool hn_is_by_points(const hn_yaml *map) {
  return hn_yaml_get(map, "from") || hn_yaml_get(map, "corners");
}

// where the point is on the body, as that is described
hn_status hn_read_point_frame(hn_reader *reader, const hn_yaml *end, hn_frame_def *def) {
  hn_model *model = reader->model;
  int point = hn_scope_find(reader, end->text, hn_model_find_point);
  hn_refill_touch_points(reader);
  hn_refill_touch_bodies(reader);
  hn_place_in_body(&model->body[def->body.id].def, model->point[point].at, def->position);
  return HN_OK;
}

// Only named points: a bar from [0, 0] has no name to call its end by.
static hn_status read_frame(hn_reader *reader, const hn_yaml *end, hn_body body) {
  hn_model *model = reader->model;
  if (end->kind != HN_YAML_SCALAR || !hn_model_is_name(end->text)) return HN_OK;
  if (hn_scope_find(reader, end->text, hn_model_find_point) < 0) return HN_OK;
  hn_frame_def def = {.name = end->text, .body = body};
  hn_refill_begin(reader);
  hn_status status = hn_read_point_frame(reader, end, &def);
  if (status) return status;
  model->now = hn_read_place(end);
  int index = model->frame_count;
  if (hn_add_frame(model, &def).id < 0) return model->failure;
  hn_refill_keep(reader, HN_REFILL_END, index, end, NULL, 0);
  return HN_OK;
}

hn_status hn_read_point_frames(hn_reader *reader, const hn_yaml *map, hn_body body) {
  const hn_yaml *ends[2] = {hn_yaml_get(map, "from"), hn_yaml_get(map, "to")};
  const hn_yaml *corners = hn_yaml_get(map, "corners");
  hn_status status = HN_OK;
  for (int i = 0; i < 2 && !status; i++)
    if (ends[i]) status = read_frame(reader, ends[i], body);
  for (const hn_yaml *e = corners ? corners->first : NULL; e && !status; e = e->next)
    status = read_frame(reader, e, body);
  return status;
}
