// model_points.c: named points.
//
// A point is given by numbers or by a construction from other points: along a line, where circles
// meet, mirrored. The arithmetic of a linkage is done here, once, and not in the file.
//
// Constructions work in the axes of the scope (hn_scope): inside of a part points are told from one
// another there, and go to the world when they are kept. Circles and crossing lines are planar:
// they lie parallel to x-y, as linkages are drawn; spheres and feet of perpendiculars are spatial.
// Where two points answer the same description the file must say which, by a word that keeps its
// meaning when lengths change: left or right of the way from A to B, first or last along a line.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "io/model_reader.h"

// lengths that agree to this part of themselves are equal; circles that miss by less do touch
// Twelve digits: lengths of a file that were rounded by another program to sixteen still touch.
static const double close_to = 1e-12;

// ---- what a point may be called ------------------------------------------------------------

static const char *point_names(hn_reader *reader) {
  const hn_model *model = reader->model;
  size_t size = 1;
  for (int i = 0; i < model->point_count; i++) size += strlen(model->point[i].name) + 1;
  char *list = hn_yaml_take(reader->doc, size), *out = list;
  if (!list) return "";
  *out = 0;
  for (int i = 0; i < model->point_count; i++)
    out += sprintf(out, "%s%s", i ? " " : "", model->point[i].name);
  return list;
}

// "A.x" in any number: the point is looked up from the innermost scope outwards, and its coordinate
// is that of the scope being read, where a part may be turned.
bool hn_point_coordinate(const hn_reader *reader, const char *name, size_t length, double *value) {
  char point[64];
  if (length < 3 || length - 2 >= sizeof point || name[length - 2] != '.') return false;
  memcpy(point, name, length - 2);
  point[length - 2] = 0;
  bool axis = memchr("xyz", name[length - 1], 3);
  int index = axis ? hn_scope_find(reader, point, hn_model_find_point) : -1;
  if (index < 0) return false;
  hn_refill_touch_points(reader);
  double x[3];
  v3_copy(x, reader->model->point[index].at);
  hn_scope_local(reader->scope, x);
  *value = x[name[length - 1] - 'x'];
  return true;
}

// As described, before assembly: points and parts are put on bodies where the file says these are.
static void described_turn(const hn_body_def *def, double R[9]) {
  double q[4];
  memcpy(q, def->orientation, sizeof q);
  if (def->kind == HN_PLANAR)
    q[0] = hn_cos(def->angle / 2), q[1] = q[2] = 0, q[3] = hn_sin(def->angle / 2);
  q_normalise(q);
  q_matrix(R, q);
}

// R takes axes of the frame (or body) to the world, x is its origin there.
void hn_described_pose(const hn_model *model, int body, int frame, double R[9], double x[3]) {
  const hn_body_def *def = &model->body[body].def;
  double r[3], T[9], F[9], q[4];
  described_turn(def, R);
  v3_copy(x, def->position);
  if (frame < 0) return;
  m3_mulv(r, R, model->frame[frame].def.position);
  v3_add(x, x, r);
  memcpy(q, model->frame[frame].def.orientation, sizeof q);
  q_normalise(q);
  q_matrix(F, q);
  m3_mul(T, R, F);
  memcpy(R, T, sizeof T);
}

void hn_place_in_body(const hn_body_def *def, const double at[3], double local[3]) {
  double R[9], d[3];
  described_turn(def, R);
  v3_sub(d, at, def->position);
  m3_tmulv(local, R, d);
}

// a point, or the origin of a body or frame in the described configuration; in the scope's axes
// Points hide bodies of the same name, which model_bodies.c refuses to add for that reason.
static hn_status read_named(hn_reader *reader, const hn_yaml *node, double x[3]) {
  const hn_model *model = reader->model;
  const hn_yaml *later;
  const char *name;
  hn_status status = hn_read_counted(reader, node, &name);
  if (status) return status;
  int index = hn_scope_find(reader, name, hn_model_find_point), body, frame;
  if (index >= 0) {
    hn_refill_touch_points(reader);
    v3_copy(x, model->point[index].at);
  } else if (hn_scope_end(reader, name, &body, &frame)) {
    double R[9];
    hn_refill_touch_bodies(reader);
    hn_described_pose(model, body, frame, R, x);
  } else if (hn_is_plain_number(node)) {
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "a place is [x, y, z] or a point, not '%.60s'",
                        node->text);
  } else if ((later = hn_section_below(reader, node, "points", name))) {
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "point '%.60s' is described further down, in line %d: a point uses those "
                        "before it",
                        name, later->line);
  } else if (strncmp(model->subject, "point ", 6) == 0 &&
             hn_section_describes(reader, "bodies", name)) {
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "'%.60s' belongs to a body, and points are read before bodies: write this "
                        "place where it is used, or put the body at a point",
                        name);
  } else if ((later = hn_section_below(reader, node, "bodies", name))) {
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "body '%.60s' is described further down, in line %d: a place uses bodies "
                        "before it",
                        later->text, later->line);
  } else if (model->point_count == 0) {
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "no point named '%.60s' (the model has no points; a place is [x, y, z])",
                        name);
  } else {
    return hn_read_fail_word(reader, node, HN_ERR_MODEL, "no point named", name,
                             point_names(reader));
  }
  hn_scope_local(reader->scope, x);
  return HN_OK;
}

// Constructions nest: the circle's centre may itself be one. Depth is that of the document.
static hn_status read_local(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]);

// ---- constructions -------------------------------------------------------------------------

static hn_status point_at(hn_reader *reader, const hn_yaml *map, const char *key, double x[3]) {
  return read_local(reader, hn_yaml_get(map, key), key, x);
}

static hn_status number_at(hn_reader *reader, const hn_yaml *map, const char *key, double *x) {
  const char *unit = strcmp(key, "angle") == 0 ? "rad" : strcmp(key, "part") == 0 ? "" : "m";
  return hn_read_quantity(reader, hn_yaml_get(map, key), key, unit, x);
}

// a list of `count` items, with what it should hold for the message
// Shape of the value before its contents, so that the message says what was expected as a whole.
static hn_status need_list(hn_reader *reader, const hn_yaml *node, const char *key, int count,
                           const char *wanted) {
  if (node->kind == HN_YAML_LIST && node->count == count) return HN_OK;
  return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must be %s", key, wanted);
}

// Two points that are one have no direction, which every construction with a line divides by.
static hn_status read_line(hn_reader *reader, const hn_yaml *node, const char *key, double a[3],
                           double b[3]) {
  hn_status status = need_list(reader, node, key, 2, "two points, [A, B]");
  if (!status) status = read_local(reader, node->first, key, a);
  if (!status) status = read_local(reader, node->first->next, key, b);
  if (status) return status;
  if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2])
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s: the two points are one", key);
  return HN_OK;
}

static hn_status read_round(hn_reader *reader, const hn_yaml *node, const char *key, double a[3],
                            double *radius) {
  hn_status status = need_list(reader, node, key, 2, "a centre and a radius, [A, r]");
  if (!status) status = read_local(reader, node->first, key, a);
  if (!status) status = hn_read_quantity(reader, node->first->next, "radius", "m", radius);
  if (!status && !(*radius > 0))
    return hn_read_fail(reader, node->first->next, HN_ERR_MODEL, "radius must be positive");
  return status;
}

// which of two solutions: true for the second word
static hn_status read_side(hn_reader *reader, const hn_yaml *map, const char *first,
                           const char *second, bool *out) {
  const hn_yaml *node = hn_yaml_get(map, "side");
  char words[32];
  snprintf(words, sizeof words, "%s %s", first, second);
  if (!node || node->kind != HN_YAML_SCALAR || hn_yaml_is_empty(node))
    return hn_read_fail(reader, node ? node : map, HN_ERR_MODEL,
                        "there are two such points: side must be %s or %s", first, second);
  if (!hn_word_in(node->text, words))
    return hn_read_fail_word(reader, node, HN_ERR_MODEL, "side cannot be", node->text, words);
  *out = strcmp(node->text, second) == 0;
  return HN_OK;
}

// constructions with circles and crossing lines lie in one plane parallel to x-y
// Relative to how far out the points are: places in metres and in micrometres are treated alike.
static hn_status one_height(hn_reader *reader, const hn_yaml *node, const double a[3],
                            const double b[3]) {
  double size = v3_norm(a) + v3_norm(b);
  if (fabs(a[2] - b[2]) <= close_to * size) return HN_OK;
  return hn_read_fail(reader, node, HN_ERR_MODEL, "its points must have one z (%g and %g)", a[2],
                      b[2]);
}

// sqrt of the square of a half chord that may be a rounding below zero; negative when it is more
// Circles that touch miss each other by rounding half of the time; the chord is zero then. `scale`
// is a length of the construction, by whose square the difference is judged.
static double half_chord(double square, double scale) {
  if (square >= 0) return sqrt(square);
  return square > -close_to * scale * scale ? 0 : -1;
}

static hn_status by_offset(hn_reader *reader, const hn_yaml *map, double x[3]) {
  double offset[3];
  hn_status status = point_at(reader, map, "from", x);
  if (!status) status = hn_read_vector(reader, hn_yaml_get(map, "offset"), "offset", offset);
  if (!status) v3_add(x, x, offset);
  return status;
}

static hn_status by_angle(hn_reader *reader, const hn_yaml *map, double x[3]) {
  double distance, angle;
  hn_status status = point_at(reader, map, "from", x);
  if (!status) status = number_at(reader, map, "distance", &distance);
  if (!status) status = number_at(reader, map, "angle", &angle);
  if (status) return status;
  x[0] += distance * hn_cos(angle);
  x[1] += distance * hn_sin(angle);
  return HN_OK;
}

// By a part of the way, or by a distance; both may lead beyond the ends, backwards too.
static hn_status on_line(hn_reader *reader, const hn_yaml *map, double x[3]) {
  const hn_yaml *part = hn_yaml_get(map, "part");
  double b[3], d[3], step;
  hn_status status = point_at(reader, map, "from", x);
  if (!status) status = point_at(reader, map, "to", b);
  if (!status) status = number_at(reader, map, part ? "part" : "distance", &step);
  if (status) return status;
  v3_sub(d, b, x);
  double length = v3_norm(d);
  if (length == 0)
    return hn_read_fail(reader, map, HN_ERR_MODEL, "from and to are one point: no line");
  v3_addto(x, part ? step : step / length, d);
  return HN_OK;
}

// With d the distance of the centres, the chord crosses their line at along = (d^2 + r^2 - s^2) /
// 2d and is half sqrt(r^2 - along^2) long. Differences of squares are written as products, which
// loses no digits where circles almost touch. Left of the way from A to B is +90 degrees.
static hn_status where_circles_meet(hn_reader *reader, const hn_yaml *map, double x[3]) {
  const hn_yaml *node = hn_yaml_get(map, "circles");
  double a[3], b[3], r, s, d[3];
  bool right;
  hn_status status = need_list(reader, node, "circles", 2, "two circles, [[A, r], [B, s]]");
  if (!status) status = read_round(reader, node->first, "circles", a, &r);
  if (!status) status = read_round(reader, node->first->next, "circles", b, &s);
  if (!status) status = one_height(reader, node, a, b);
  if (!status) status = read_side(reader, map, "left", "right", &right);
  if (status) return status;
  v3_sub(d, b, a);
  double apart = v3_norm(d);
  if (apart == 0) return hn_read_fail(reader, node, HN_ERR_MODEL, "circles: they have one centre");
  double along = (apart * apart + (r - s) * (r + s)) / (2 * apart);
  double across = half_chord((r - along) * (r + along), r + s);
  if (across < 0)
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "circles: they do not meet (centres %.6g m apart, radii %.6g m and %.6g m)",
                        apart, r, s);
  const double u[2] = {d[0] / apart, d[1] / apart};
  if (right) across = -across;
  v3_set(x, a[0] + along * u[0] - across * u[1], a[1] + along * u[1] + across * u[0], a[2]);
  return HN_OK;
}

// a + t u = c + s v: t is the ratio of two cross products (Cramer's rule in the plane).
static hn_status where_lines_meet(hn_reader *reader, const hn_yaml *map, double x[3]) {
  const hn_yaml *node = hn_yaml_get(map, "lines");
  double a[3], b[3], c[3], d[3], u[3], v[3], w[3];
  hn_status status = need_list(reader, node, "lines", 2, "two lines, [[A, B], [C, D]]");
  if (!status) status = read_line(reader, node->first, "lines", a, b);
  if (!status) status = read_line(reader, node->first->next, "lines", c, d);
  if (!status) status = one_height(reader, node, a, b);
  if (!status) status = one_height(reader, node, a, c);
  if (!status) status = one_height(reader, node, a, d);
  if (status) return status;
  v3_sub(u, b, a);
  v3_sub(v, d, c);
  v3_sub(w, c, a);
  double turn = u[0] * v[1] - u[1] * v[0];
  if (fabs(turn) <= close_to * v3_norm(u) * v3_norm(v))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "lines: they are parallel");
  v3_copy(x, a);
  v3_addto(x, (w[0] * v[1] - w[1] * v[0]) / turn, u);
  return HN_OK;
}

// in space the circle stands for the sphere
// The foot of the centre on the line, and half a chord from there in either direction.
static hn_status where_line_meets_circle(hn_reader *reader, const hn_yaml *map, double x[3]) {
  const hn_yaml *node = hn_yaml_get(map, "line");
  double a[3], b[3], c[3], r, u[3], w[3];
  bool last;
  hn_status status = read_line(reader, node, "line", a, b);
  if (!status) status = read_round(reader, hn_yaml_get(map, "circle"), "circle", c, &r);
  if (!status) status = read_side(reader, map, "first", "last", &last);
  if (status) return status;
  v3_sub(u, b, a);
  v3_scale(u, 1 / v3_norm(u), u);
  v3_sub(w, c, a);
  double along = v3_dot(u, w), off[3];
  v3_copy(off, w);
  v3_addto(off, -along, u);
  double away = v3_norm(off);
  double chord = half_chord((r - away) * (r + away), r);
  if (chord < 0)
    return hn_read_fail(reader, node, HN_ERR_MODEL,
                        "the line passes the circle's centre at %.6g m, beyond its radius of %.6g "
                        "m",
                        away, r);
  v3_copy(x, a);
  v3_addto(x, along + (last ? chord : -chord), u);
  return HN_OK;
}

// in a coordinate plane, or in the plane through two points along z
// Away from a line the point goes twice its distance across: away = (u x w) / u.u, times u turned
// by a quarter.
static hn_status mirrored(hn_reader *reader, const hn_yaml *map, double x[3]) {
  const hn_yaml *across = hn_yaml_get(map, "across");
  hn_status status = point_at(reader, map, "mirror", x);
  if (status) return status;
  const char *const planes[] = {"yz", "xz", "xy"};
  for (int i = 0; i < 3 && across->kind == HN_YAML_SCALAR; i++)
    if (strcmp(across->text, planes[i]) == 0) {
      x[i] = -x[i];
      return HN_OK;
    }
  if (across->kind != HN_YAML_LIST)
    return hn_read_fail(reader, across, HN_ERR_MODEL,
                        "across must be a plane (xy, xz, yz) or two points of a line");
  double a[3], b[3], u[3], w[3];
  status = read_line(reader, across, "across", a, b);
  if (status) return status;
  v3_sub(u, b, a);
  v3_sub(w, x, a);
  u[2] = w[2] = 0;
  double uu = v3_dot(u, u);
  if (uu == 0)
    return hn_read_fail(reader, across, HN_ERR_MODEL, "across: the line must not be along z");
  double away = (u[0] * w[1] - u[1] * w[0]) / uu;
  x[0] += 2 * away * u[1];
  x[1] -= 2 * away * u[0];
  return HN_OK;
}

// Also outside of the two points: a line has no ends.
static hn_status foot_on_line(hn_reader *reader, const hn_yaml *map, double x[3]) {
  double a[3], b[3], p[3], u[3], w[3];
  hn_status status = point_at(reader, map, "foot", p);
  if (!status) status = read_line(reader, hn_yaml_get(map, "on"), "on", a, b);
  if (status) return status;
  v3_sub(u, b, a);
  v3_sub(w, p, a);
  v3_copy(x, a);
  v3_addto(x, v3_dot(u, w) / v3_dot(u, u), u);
  return HN_OK;
}

// three spheres, by the plane of their centres
// Trilateration: axes u along the first two centres and v across in their plane, n normal to it.
// The first two spheres give px, the third py, the first again the height; front is on the side of
// n, from which the centres run counter-clockwise.
static hn_status where_spheres_meet(hn_reader *reader, const hn_yaml *map, double x[3]) {
  const hn_yaml *node = hn_yaml_get(map, "spheres"), *item;
  double c[3][3], r[3], u[3], v[3], n[3], w[3];
  bool back;
  hn_status status =
      need_list(reader, node, "spheres", 3, "three spheres, [[A, r], [B, s], [C, t]]");
  item = status ? NULL : node->first;
  for (int i = 0; item && !status; i++, item = item->next)
    status = read_round(reader, item, "spheres", c[i], &r[i]);
  if (!status) status = read_side(reader, map, "front", "back", &back);
  if (status) return status;
  v3_sub(u, c[1], c[0]);
  v3_sub(w, c[2], c[0]);
  v3_cross(n, u, w);
  double apart = v3_norm(u), area = v3_norm(n);
  if (area <= close_to * (apart * apart + v3_dot(w, w)))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "spheres: the centres lie on one line");
  v3_scale(u, 1 / apart, u);
  v3_scale(n, 1 / area, n);
  v3_cross(v, n, u);
  double i = v3_dot(u, w), j = v3_dot(v, w);
  double px = (apart * apart + (r[0] - r[1]) * (r[0] + r[1])) / (2 * apart);
  double py = ((r[0] - r[2]) * (r[0] + r[2]) + i * i + j * j - 2 * i * px) / (2 * j);
  double height = half_chord(r[0] * r[0] - px * px - py * py, r[0] + r[1] + r[2]);
  if (height < 0) return hn_read_fail(reader, node, HN_ERR_MODEL, "spheres: the three do not meet");
  v3_copy(x, c[0]);
  v3_addto(x, px, u);
  v3_addto(x, py, v);
  v3_addto(x, back ? -height : height, n);
  return HN_OK;
}

// ways to construct a point: all of `keys` are there, `side` may be added where it is asked for
// A construction is a row: the schema and the documentation read the keys from here.
static const struct construction {
  const char *keys;
  hn_status (*find)(hn_reader *, const hn_yaml *, double[3]);
  bool sides;
} constructions[] = {
    {"from offset", by_offset, false},
    {"from distance angle", by_angle, false},
    {"from to distance", on_line, false},
    {"from to part", on_line, false},
    {"circles", where_circles_meet, true},
    {"lines", where_lines_meet, false},
    {"line circle", where_line_meets_circle, true},
    {"spheres", where_spheres_meet, true},
    {"mirror across", mirrored, false},
    {"foot on", foot_on_line, false},
};
enum { CONSTRUCTIONS = sizeof constructions / sizeof *constructions };

const char *hn_construction_keys(int index) {
  return index >= 0 && index < CONSTRUCTIONS ? constructions[index].keys : NULL;
}

// the map has exactly the keys of this construction
// Exactly these keys: "from to distance" must not be taken for "from distance angle" with one
// missing.
static bool fits(const struct construction *c, const hn_yaml *map) {
  char word[32];
  int count = 0;
  for (; hn_word_at(c->keys, count, word, sizeof word); count++)
    if (!hn_yaml_get(map, word)) return false;
  return map->count == count + (c->sides && hn_yaml_get(map, "side"));
}

// Where no row fits, an unknown key is the likeliest mistake; else all ways are told.
static hn_status construct(hn_reader *reader, const hn_yaml *map, double x[3]) {
  char words[160] = "side", ways[256] = "", word[32];
  for (int i = 0; i < CONSTRUCTIONS; i++) {
    if (fits(&constructions[i], map)) return constructions[i].find(reader, map, x);
    for (int k = 0; hn_word_at(constructions[i].keys, k, word, sizeof word); k++)
      if (!hn_word_in(word, words))
        snprintf(words + strlen(words), sizeof words - strlen(words), " %s", word);
    snprintf(ways + strlen(ways), sizeof ways - strlen(ways), "%s%s", i ? "; " : "",
             constructions[i].keys);
  }
  for (const hn_yaml *e = map->first; e; e = e->next)
    if (!hn_word_in(e->key->text, words))
      return hn_read_fail_word(reader, e->key, HN_ERR_SYNTAX, "unknown key", e->key->text, words);
  return hn_read_fail(reader, map, HN_ERR_SYNTAX, "a point is constructed by (%s)", ways);
}

// ---- positions --------------------------------------------------------------------

// in the axes of the scope
static hn_status read_local(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]) {
  if (node->kind == HN_YAML_SCALAR && !hn_yaml_is_empty(node)) return read_named(reader, node, x);
  hn_status status = node->kind == HN_YAML_MAP ? construct(reader, node, x)
                                               : hn_read_vector(reader, node, what, x);
  if (!status && !(hn_largest(x, 3) <= HN_LARGEST))
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must not be farther than %g m", what,
                        HN_LARGEST);
  return status;
}

hn_status hn_read_position(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]) {
  const char *outer = reader->unit;
  reader->unit = "m";
  hn_status status = read_local(reader, node, what, x);
  reader->unit = outer;
  if (!status) hn_scope_point(reader->scope, x);
  return status;
}

// x, y, z or one of them turned round
static bool is_axis(const hn_yaml *node, double x[3]) {
  if (node->kind != HN_YAML_SCALAR) return false;
  const char *text = node->text;
  double sign = *text == '-' ? -1 : 1;
  if (*text == '-') text++;
  if (*text < 'x' || *text > 'z' || text[1]) return false;
  v3_set(x, 0, 0, 0);
  x[*text - 'x'] = sign;
  return true;
}

// from one point to another, in the axes of the scope as numbers are
static hn_status read_way(hn_reader *reader, const hn_yaml *map, const char *what, double x[3]) {
  const hn_yaml *from = hn_yaml_get(map, "from"), *to = hn_yaml_get(map, "to");
  const char *outer = reader->unit;
  double a[3];
  if (!from || !to || map->count != 2)
    return hn_read_fail(reader, map, HN_ERR_SYNTAX,
                        "%s must be x, y, z, three numbers, or 'from' one point 'to' another",
                        what);
  reader->unit = "m";
  hn_status status = read_local(reader, from, "from", a);
  if (!status) status = read_local(reader, to, "to", x);
  reader->unit = outer;
  if (!status) v3_sub(x, x, a);
  return status;
}

hn_status hn_read_direction(hn_reader *reader, const hn_yaml *node, const char *what, bool points,
                            double x[3]) {
  if (is_axis(node, x)) return HN_OK;
  if (node->kind == HN_YAML_SCALAR)
    return hn_read_fail(reader, node, HN_ERR_SYNTAX, "%s must be x, y, z or a list of numbers",
                        what);
  hn_status status = points && node->kind == HN_YAML_MAP ? read_way(reader, node, what, x)
                                                         : hn_read_vector(reader, node, what, x);
  if (!status && v3_dot(x, x) == 0)
    return hn_read_fail(reader, node, HN_ERR_MODEL, "%s must not be zero", what);
  return status;
}

// In the order of the file, each from those before it.
hn_status hn_read_points(hn_reader *reader, const hn_yaml *section) {
  hn_model *model = reader->model;
  for (const hn_yaml *e = section->first; e; e = e->next) {
    double x[3];
    snprintf(model->subject, sizeof model->subject, "point '%.60s'", e->key->text);
    model->now = hn_read_place(e->key);
    hn_refill_begin(reader);
    hn_status status = hn_read_position(reader, e, "a point", x);
    if (!status && !hn_model_is_name(e->key->text))
      return hn_read_fail(reader, e->key, HN_ERR_MODEL, "bad name (%s)", hn_name_rule);
    const char *name = status ? NULL : hn_scope_name(reader, e->key->text);
    if (!status) status = name ? hn_model_add_point(model, name, x) : HN_ERR_MEMORY;
    if (status) return status;
    hn_refill_keep(reader, HN_REFILL_POINT, model->point_count - 1, e, NULL, 0);
  }
  return HN_OK;
}
