// collada.c: COLLADA files: what the visual scene shows, each geometry where its nodes put it.
//
// Lengths are in the file's <unit>. <up_axis> is not looked at: the viewers that robot files are
// made with do not turn meshes either, and files carry whatever their program wrote there. The
// colour is the diffuse one of the geometry with most triangles.
#include "model/collada.h"

#include "base/elementary.h"
#include "base/vec.h"
#include "model/markup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  INSTANCES = 2000,  // of nodes and geometries
  NESTED = 32,       // nodes in nodes
  INPUTS = 64,       // numbers that belong to a corner
};
static const double largest = 1e12;                            // as everywhere in a model
static const size_t most_text = (size_t)2 * HN_TRIMESH_BYTES;  // with what is read again

// x = a y + b
typedef struct place {
  double a[3][3], b[3];
} place;

typedef struct scene {
  hn_markup markup;
  hn_trimesh_finder *find;
  const char *path;
  char *message;
  double unit;
  int instances, most;  // most: triangles of the geometry whose colour is taken
  size_t text;          // characters of numbers so far
  // positions of the geometry at hand, and which they are
  double (*point)[3];
  int points, vertices;
} scene;

static hn_status fail(const scene *s, int element, const char *what) {
  return hn_fail(s->message, HN_ERR_SYNTAX, "%.300s:%d: %s", s->path,
                 s->markup.element[element].line, what);
}

static hn_status no_memory(const scene *s) {
  return hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
}

static int child(const scene *s, int parent, const char *name) {
  return hn_markup_child(&s->markup, parent, name);
}

static int named_by(const scene *s, int element, const char *attribute) {
  return element < 0
             ? -1
             : hn_markup_find(&s->markup, hn_markup_attribute(&s->markup, element, attribute));
}

// ---- numbers -------------------------------------------------------------------------------

// the next number before `end`; false: there is none, or it is none
// The text has a zero behind its end, and '<' before that: strtod stops there.
static bool take_number(const char **at, const char *end, double *x) {
  char *stop;
  while (*at < end && (**at == ' ' || **at == '\n' || **at == '\t' || **at == '\r')) (*at)++;
  if (*at == end) return false;
  *x = strtod(*at, &stop);
  bool good = stop > *at && stop <= end && fabs(*x) <= largest;
  *at = stop;
  return good;
}

static bool take_index(const char **at, const char *end, int *index) {
  double x;
  bool good = take_number(at, end, &x) && x >= 0 && x < 3.0 * HN_TRIMESH_TRIANGLES && x == floor(x);
  *index = good ? (int)x : -1;
  return good;
}

static hn_status numbers_of(const scene *s, int element, double *x, int count) {
  const char *at = s->markup.element[element].text.at;
  const char *end = at + s->markup.element[element].text.length;
  for (int i = 0; i < count; i++)
    if (!take_number(&at, end, &x[i])) return fail(s, element, "a number is missing or wrong");
  return HN_OK;
}

// an attribute that counts something
static int count_of(const scene *s, int element, const char *name, int otherwise) {
  hn_piece p = hn_markup_attribute(&s->markup, element, name);
  const char *at = p.at;
  int n = otherwise;
  if (at && !take_index(&at, p.at + p.length, &n)) return -1;
  return n;
}

// ---- places --------------------------------------------------------------------------------

// q first, then p.
static place joined(const place *p, const place *q) {
  place r;
  for (int i = 0; i < 3; i++) {
    r.b[i] = p->b[i];
    for (int k = 0; k < 3; k++) {
      r.b[i] += p->a[i][k] * q->b[k];
      r.a[i][k] = 0;
      for (int j = 0; j < 3; j++) r.a[i][k] += p->a[i][j] * q->a[j][k];
    }
  }
  return r;
}

// about an axis, by degrees
// Rodrigues' formula; an axis of no length turns nothing.
static place turned(const double x[4]) {
  double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), angle = x[3] * hn_pi / 180;
  double c = hn_cos(angle), d = hn_sin(angle);
  double u[3] = {n > 0 ? x[0] / n : 0, n > 0 ? x[1] / n : 0, n > 0 ? x[2] / n : 0};
  place p = {.b = {0, 0, 0}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) p.a[i][k] = (i == k ? c : 0) + (1 - c) * u[i] * u[k];
  p.a[0][1] -= d * u[2], p.a[1][0] += d * u[2];
  p.a[0][2] += d * u[1], p.a[2][0] -= d * u[1];
  p.a[1][2] -= d * u[0], p.a[2][1] += d * u[0];
  return p;
}

// the transformations of a node, one after the other
// A matrix is 4 x 4 by rows, of which the last one says nothing.
static hn_status place_node(const scene *s, int node, place *p) {
  const hn_markup *m = &s->markup;
  for (int i = node + 1; i < m->element[node].end; i = m->element[i].end) {
    hn_piece name = m->element[i].name;
    place q = {.a = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .b = {0, 0, 0}};
    double x[16];
    hn_status status = HN_OK;
    if (hn_piece_is(name, "matrix")) {
      status = numbers_of(s, i, x, 16);
      for (int k = 0; k < 12 && !status; k++)
        *(k % 4 < 3 ? &q.a[k / 4][k % 4] : &q.b[k / 4]) = x[k];
    } else if (hn_piece_is(name, "translate")) {
      status = numbers_of(s, i, q.b, 3);
    } else if (hn_piece_is(name, "scale")) {
      status = numbers_of(s, i, x, 3);
      for (int k = 0; k < 3 && !status; k++) q.a[k][k] = x[k];
    } else if (hn_piece_is(name, "rotate")) {
      status = numbers_of(s, i, x, 4);
      if (!status) q = turned(x);
    } else if (hn_piece_is(name, "skew") || hn_piece_is(name, "lookat")) {
      status = fail(s, i, "nodes are placed by matrix, translate, rotate and scale");
    } else {
      continue;
    }
    if (status) return status;
    *p = joined(p, &q);
  }
  return HN_OK;
}

// geometries may be shown again and again
static hn_status note_text(scene *s, int element) {
  s->text += s->markup.element[element].text.length;
  return s->text > most_text ? fail(s, element, "too much is shown again and again") : HN_OK;
}

// ---- one geometry --------------------------------------------------------------------------

// the positions that an input of semantic VERTEX means
// <vertices> refers to a <source> of numbers; strides of more than three have something else
// behind. Points are kept until another geometry is asked for.
static hn_status read_points(scene *s, int vertices) {
  const hn_markup *m = &s->markup;
  if (vertices == s->vertices) return HN_OK;
  int input = child(s, vertices, "input");
  while (input >= 0 && !hn_piece_is(hn_markup_attribute(m, input, "semantic"), "POSITION"))
    input = hn_markup_next(m, vertices, "input", input);
  int source = named_by(s, input, "source"), list = child(s, source, "float_array");
  int accessor = child(s, child(s, source, "technique_common"), "accessor");
  if (list < 0 || accessor < 0) return fail(s, vertices, "there are no positions of corners");
  int stride = count_of(s, accessor, "stride", 1), first = count_of(s, accessor, "offset", 0);
  int count = count_of(s, accessor, "count", 0);
  if (stride < 3 || stride > INPUTS || first < 0 || count < 0)
    return fail(s, accessor, "positions are three numbers each");
  const char *at = m->element[list].text.at, *end = at + m->element[list].text.length;
  hn_status status = note_text(s, list);
  if (status) return status;
  // a number takes two characters: no more memory than the file is long
  if ((size_t)count * (size_t)stride > m->element[list].text.length / 2 + 1)
    return fail(s, list, "there are fewer numbers than it says");
  free(s->point);
  s->vertices = -1;
  s->point = malloc(((size_t)count + 1) * sizeof *s->point);
  if (!s->point) return no_memory(s);
  double x;
  for (int i = 0; i < first; i++)
    if (!take_number(&at, end, &x)) return fail(s, list, "a number is missing or wrong");
  for (s->points = 0; s->points < count; s->points++)
    for (int k = 0; k < stride; k++) {
      if (!take_number(&at, end, &x)) return fail(s, list, "a number is missing or wrong");
      if (k < 3) s->point[s->points][k] = x;
    }
  s->vertices = vertices;
  return HN_OK;
}

// corners as they come in a list of indices
typedef struct corners {
  const char *at, *end;
  int element, stride, offset;
  const place *p;
} corners;

// its number in the mesh; -1: none is left
// Indices of a corner stand side by side, one for each input; `offset` is that of the position.
static hn_status take_corner(scene *s, corners *c, int *number) {
  int index = -1;
  for (int k = 0; k < c->stride; k++) {
    int n;
    if (!take_index(&c->at, c->end, &n)) return fail(s, c->element, "a corner is missing or wrong");
    if (k == c->offset) index = n;
  }
  if (index < 0 || index >= s->points)
    return fail(s, c->element, "a corner is named that is not there");
  double x[3];
  for (int i = 0; i < 3; i++) {
    x[i] = c->p->b[i];
    for (int k = 0; k < 3; k++) x[i] += c->p->a[i][k] * s->point[index][k];
    x[i] *= s->unit;
    if (!(fabs(x[i]) <= largest)) return fail(s, c->element, "a corner is too far away");
  }
  *number = hn_trimesh_corner(s->find, x);
  return *number < 0 ? no_memory(s) : HN_OK;
}

static double determinant(const place *p) {
  const double(*a)[3] = p->a;
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

// how the corners of a list make triangles: of a polygon or fan from its first, of a strip from the
// last two, every second one turned round
typedef enum way { POLYGON, STRIP } way;

// A place with a negative determinant mirrors: triangles turn round.
static hn_status take_polygon(scene *s, corners *c, int count, way w) {
  bool mirrored = determinant(c->p) < 0;
  int a = 0, b = 0, here = 0;
  for (int k = 0; k < count; k++) {
    hn_status status = take_corner(s, c, &here);
    if (status) return status;
    bool turn = mirrored != (w == STRIP && k % 2);
    if (s->find->mesh->triangles >= HN_TRIMESH_TRIANGLES)
      return hn_fail(s->message, HN_ERR_UNSUPPORTED, "%.300s: more than %d triangles", s->path,
                     HN_TRIMESH_TRIANGLES);
    if (k >= 2 && !hn_trimesh_triangle(s->find->mesh, a, turn ? here : b, turn ? b : here))
      return no_memory(s);
    if (k == 0 || (k >= 2 && w == STRIP)) a = k ? b : here;
    b = here;
  }
  return HN_OK;
}

// corners left in a list
static int corners_left(const corners *c) {
  corners left = *c;
  int n = 0, index;
  while (take_index(&left.at, left.end, &index)) n++;
  return n / c->stride;
}

// <triangles>, <polylist>, <polygons>, <trifans>, <tristrips>
// <p> may occur several times; vcount has the corners of all polygons of a list.
static hn_status read_faces(scene *s, int faces, const place *p) {
  const hn_markup *m = &s->markup;
  corners c = {.stride = 1, .offset = -1, .p = p};
  int vertices = -1;
  for (int i = child(s, faces, "input"); i >= 0; i = hn_markup_next(m, faces, "input", i)) {
    int offset = count_of(s, i, "offset", 0);
    if (offset < 0 || offset >= INPUTS) return fail(s, i, "wrong offset");
    if (offset + 1 > c.stride) c.stride = offset + 1;
    if (!hn_piece_is(hn_markup_attribute(m, i, "semantic"), "VERTEX")) continue;
    c.offset = offset, vertices = named_by(s, i, "source");
  }
  if (vertices < 0) return fail(s, faces, "there are no positions of corners");
  hn_status status = read_points(s, vertices);
  hn_piece name = m->element[faces].name;
  bool threes = hn_piece_is(name, "triangles");
  int counts = hn_piece_is(name, "polylist") ? child(s, faces, "vcount") : -1;
  if (hn_piece_is(name, "polylist") && counts < 0) return fail(s, faces, "vcount is missing");
  for (int i = child(s, faces, "p"); i >= 0 && !status; i = hn_markup_next(m, faces, "p", i)) {
    if ((status = note_text(s, i))) break;
    c.element = i, c.at = m->element[i].text.at, c.end = c.at + m->element[i].text.length;
    int n = corners_left(&c), left = n;
    hn_piece list = counts >= 0 ? m->element[counts].text : (hn_piece){NULL, 0};
    for (const char *at = list.at; left > 0 && !status; left -= n) {
      if (threes) n = 3;
      if (counts >= 0 && !take_index(&at, list.at + list.length, &n))
        return fail(s, counts, "there are fewer polygons than corners");
      status = take_polygon(s, &c, n, hn_piece_is(name, "tristrips") ? STRIP : POLYGON);
    }
  }
  if (!status && child(s, faces, "ph") >= 0)
    status = fail(s, faces, "polygons with holes are not read");
  return status;
}

static hn_status read_geometry(scene *s, int geometry, const place *p) {
  static const char *const kind[] = {"triangles", "polylist", "polygons", "trifans", "tristrips"};
  int mesh = child(s, geometry, "mesh");
  hn_status status = HN_OK;
  for (int k = 0; k < 5 && mesh >= 0; k++)
    for (int i = child(s, mesh, kind[k]); i >= 0 && !status;
         i = hn_markup_next(&s->markup, mesh, kind[k], i))
      status = read_faces(s, i, p);
  return status;
}

// ---- looks ---------------------------------------------------------------------------------

// the diffuse colour of the material that is bound to an instance
// Down the chain instance, material, effect; nothing of it has to be there.
static void take_color(scene *s, int instance, int triangles) {
  const hn_markup *m = &s->markup;
  int bound = child(s, child(s, instance, "bind_material"), "technique_common");
  int material = named_by(s, child(s, bound, "instance_material"), "target");
  int effect = named_by(s, child(s, material, "instance_effect"), "url");
  if (effect < 0 || triangles <= s->most) return;
  for (int i = effect; i < m->element[effect].end; i++) {
    int color = hn_piece_is(m->element[i].name, "diffuse") ? child(s, i, "color") : -1;
    double x[3];
    if (color < 0 || numbers_of(s, color, x, 3)) continue;
    int c[3];
    for (int k = 0; k < 3; k++) c[k] = (int)(255 * fmin(1, fmax(0, x[k])) + 0.5);
    hn_trimesh *mesh = s->find->mesh;
    snprintf(mesh->color, sizeof mesh->color, "#%02x%02x%02x", c[0], c[1], c[2]);
    s->most = triangles;
    return;
  }
}

// ---- the scene -----------------------------------------------------------------------------

// Nodes may show others again (instance_node): their number and depth are limited.
static hn_status read_node(scene *s, int node, place p, int depth) {
  const hn_markup *m = &s->markup;
  if (depth > NESTED) return fail(s, node, "nodes are nested too deep");
  hn_status status = place_node(s, node, &p);
  for (int i = node + 1; i < m->element[node].end && !status; i = m->element[i].end) {
    hn_piece name = m->element[i].name;
    bool geometry = hn_piece_is(name, "instance_geometry");
    bool again = hn_piece_is(name, "instance_node"), inner = hn_piece_is(name, "node");
    if ((geometry || again || inner) && ++s->instances > INSTANCES)
      return fail(s, i, "there are too many nodes");
    int what = inner ? i : geometry || again ? named_by(s, i, "url") : -1;
    if ((geometry || again) && what < 0) return fail(s, i, "what it shows is not in the file");
    if (what < 0) continue;
    int before = s->find->mesh->triangles;
    status = geometry ? read_geometry(s, what, &p) : read_node(s, what, p, depth + 1);
    if (geometry && !status) take_color(s, i, s->find->mesh->triangles - before);
  }
  return status;
}

// The scene that <scene> names, or the first one.
static hn_status read_scene(scene *s) {
  int scenes = child(s, 0, "library_visual_scenes");
  int shown = named_by(s, child(s, child(s, 0, "scene"), "instance_visual_scene"), "url");
  if (shown < 0) shown = child(s, scenes, "visual_scene");
  if (shown < 0) return fail(s, 0, "there is no visual scene");
  hn_piece meter = {NULL, 0};
  int unit = child(s, child(s, 0, "asset"), "unit");
  if (unit >= 0) meter = hn_markup_attribute(&s->markup, unit, "meter");
  const char *at = meter.at;
  if (at && (!take_number(&at, meter.at + meter.length, &s->unit) || !(s->unit > 0)))
    return fail(s, unit, "a unit is a number above zero");
  place here = {.a = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .b = {0, 0, 0}};
  return read_node(s, shown, here, 0);
}

hn_status hn_collada_read(hn_trimesh_finder *finder, const char *text, size_t length,
                          const char *path, char message[HN_MESSAGE]) {
  scene s = {.find = finder, .path = path, .message = message, .unit = 1, .vertices = -1};
  hn_status status = hn_markup_read(&s.markup, text, length, path, message);
  if (!status && !hn_piece_is(s.markup.element[0].name, "COLLADA"))
    status = fail(&s, 0, "this is no COLLADA file");
  if (!status) status = read_scene(&s);
  free(s.markup.element), free(s.point);
  return status;
}
