// report_svg.c: a plain drawing of a mechanism at one instant: outlines of shapes, bars to joints.
//
// Needs no browser. What is far is drawn first; each body is the outline of its shape seen from the
// front of a planar mechanism, or from above the side of a spatial one, without perspective.
//
// The painter's algorithm by bodies, and within a body by triangles: right where bodies do not
// interlace, which is enough for a picture in a document. Convex shapes are drawn as their
// silhouette, the convex hull of their corners as seen.
#include "base/elementary.h"
#include "io/report.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/shape_surface.h"

// pixels; CIRCLE points of a round outline, two of them for a cylinder
enum { WIDTH = 800, HEIGHT = 560, MARGIN = 40, CIRCLE = 24, MOST_POINTS = 2 * CIRCLE };

static const char *const colours[] = {"#4a86b8", "#e3a23c", "#3fa388", "#c98aae",
                                      "#7fb9de", "#d9794a", "#b7a83f", "#8a84c4"};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct piece {
  bool known;
  double p[3], R[9];  // pose
  int count;          // corners of its outline, 0: no shape
  double corner[MOST_POINTS][2];
  double middle[2], depth;  // of the centre of mass, as seen
} piece;

// one side of a shape, where a body has several
typedef struct facet {
  double corner[3][2], depth;
  int rgb[3];
} facet;

typedef struct drawing {
  const hn_model *model;
  const hn_system *sys;
  const double *row;
  double across[3], up[3], towards[3];  // axes of the picture, in the world
  double low[2], high[2];               // of all that is drawn
  double scale, width;                  // pixels for a metre; half the width of a bar [m]
  piece *body;                          // 1 ...
  int *order;                           // the farthest first
  hn_trimesh *bent;                     // flexible bodies as they are deformed, in their frames
  bool failed;                          // out of memory
} drawing;

// ---- where things are ----------------------------------------------------------------------

// Gravity says what is up; without it y of a planar and z of a spatial mechanism does. Looking
// slightly from above and from the right shows three sides of a box.
static void choose_view(drawing *d) {
  const hn_model *m = d->model;
  bool planar = true;
  for (int i = 1; i < m->body_count; i++)
    planar = planar && (m->body[i].def.kind == HN_PLANAR || m->body[i].def.kind == HN_PLANAR_POINT);
  // y or z, unless gravity says otherwise
  double up[3] = {0, planar ? 1 : 0, planar ? 0 : 1};
  double g = sqrt(v3_dot(m->gravity, m->gravity));
  for (int k = 0; k < 3 && g > 0; k++) up[k] = -m->gravity[k] / g;
  // a planar one is seen from where z points to
  double from[3] = {0, 0, 1};
  if (!planar) {
    const double usual[3] = {0.72, -1, 0}, y_up[3] = {0.75, 0, 1}, other[3] = {0, 0.7, 1};
    v3_copy(from, fabs(up[2]) > 0.7 ? usual : fabs(up[1]) > 0.7 ? y_up : other);
    // from a little above, whatever is up
    for (int k = 0; k < 3; k++) from[k] += 0.5 * up[k];
  }
  double n = sqrt(v3_dot(from, from));
  for (int k = 0; k < 3; k++) d->towards[k] = from[k] / n;
  // what is up in the picture has no part towards the viewer
  double along = v3_dot(up, d->towards);
  for (int k = 0; k < 3; k++) up[k] -= along * d->towards[k];
  n = sqrt(v3_dot(up, up));
  // seen along gravity there is no up: y will do
  for (int k = 0; k < 3; k++) d->up[k] = n > 1e-9 ? up[k] / n : (k == 1);
  v3_cross(d->across, d->up, d->towards);
}

static double number(const double *row, int column, double fallback) {
  return column < 0 ? fallback : row[column];
}

// By the columns of the result; a body whose place was not recorded is not drawn.
static void find_pose(const drawing *d, const hn_pose_columns *c, piece *b) {
  // z may be missing: planar bodies have none
  b->known = c->position[0] >= 0 && c->position[1] >= 0;
  for (int k = 0; k < 3; k++) b->p[k] = number(d->row, c->position[k], 0);
  // not turned, where only places were recorded
  double q[4] = {1, 0, 0, 0};
  if (c->angle >= 0) {
    q[0] = hn_cos(d->row[c->angle] / 2);
    q[3] = hn_sin(d->row[c->angle] / 2);
  } else if (c->quaternion[0] >= 0) {
    for (int k = 0; k < 4; k++) q[k] = number(d->row, c->quaternion[k], 0);
  }
  // written out, so that a quaternion slightly off is drawn as it is
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  for (int k = 0; k < 9; k++) b->R[k] = R[k];
}

// a point of a body (0: ground) in the picture [m], and how near it is
// Along `towards` without perspective: lengths across can be compared.
static double project(drawing *d, int body, const double at[3], double out[2]) {
  double world[3];
  v3_copy(world, at);
  if (body > 0) {
    m3_mulv(world, d->body[body].R, at);
    v3_add(world, world, d->body[body].p);
  }
  out[0] = v3_dot(world, d->across);
  out[1] = v3_dot(world, d->up);
  return v3_dot(world, d->towards);
}

// `reach` to all sides, for what is round
static void include(drawing *d, const double p[2], double reach) {
  for (int k = 0; k < 2; k++) {
    d->low[k] = fmin(d->low[k], p[k] - reach);
    d->high[k] = fmax(d->high[k], p[k] + reach);
  }
}

// ---- outlines ------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
  const double *p = a, *q = b;
  // by x, then by y: the chain needs both
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static double turn(const double o[2], const double p[2], const double q[2]) {
  // twice the area of a triangle; above zero: counter-clockwise
  return (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
}

// the convex hull in place; its size
// Andrew's monotone chain: lower, then upper half of the points sorted by place.
static int hull(double (*p)[2], int count) {
  double out[2 * MOST_POINTS + 2][2];
  int n = 0;
  if (count < 3) return count;
  qsort(p, (size_t)count, sizeof *p, by_place);
  for (int pass = 0; pass < 2; pass++) {
    int start = n;
    // points on the way back are those of the way there, the other way round
    for (int i = 0; i < count; i++) {
      const double *q = p[pass ? count - 1 - i : i];
      // what turns right or goes straight on is no corner
      while (n >= start + 2 && turn(out[n - 2], out[n - 1], q) <= 0) n--;
      out[n][0] = q[0], out[n++][1] = q[1];
    }
    // the last point of one half is the first of the other
    n--;
  }
  if (n > MOST_POINTS) n = MOST_POINTS;
  for (int i = 0; i < n; i++) p[i][0] = out[i][0], p[i][1] = out[i][1];
  return n;
}

// a corner of a shape, from the centre of mass
static void add_corner(drawing *d, int body, const double local[3]) {
  piece *b = &d->body[body];
  double at[3];
  // no outline has more: see MOST_POINTS
  if (b->count == MOST_POINTS) return;
  v3_add(at, d->model->body[body].def.com, local);
  project(d, body, at, b->corner[b->count]);
  include(d, b->corner[b->count++], 0);
}

static void add_box(drawing *d, int body, const hn_shape *s) {
  for (int k = 0; k < 8; k++) {
    const double at[3] = {(k & 1 ? 0.5 : -0.5) * s->size[0], (k & 2 ? 0.5 : -0.5) * s->size[1],
                          (k & 4 ? 0.5 : -0.5) * s->size[2]};
    add_corner(d, body, at);
  }
}

// two circles at the ends of an axis; rods are a little thick
// Two circles of CIRCLE points at the ends: their hull is the silhouette of a cylinder.
static void add_round(drawing *d, int body, const hn_shape *s, double radius) {
  bool given = s->axis[0] != 0 || s->axis[1] != 0 || s->axis[2] != 0;
  // rods along x, cylinders along z, where no axis is given
  double axis[3] = {s->kind == HN_SHAPE_ROD, 0, s->kind != HN_SHAPE_ROD}, e[3], f[3];
  if (given) v3_copy(axis, s->axis);
  double n = sqrt(v3_dot(axis, axis));
  for (int k = 0; k < 3; k++) axis[k] /= n;
  // any direction across will do, one that is not nearly along
  const double other[3] = {fabs(axis[0]) < 0.6, fabs(axis[0]) >= 0.6, 0};
  v3_cross(e, axis, other);
  n = sqrt(v3_dot(e, e));
  for (int k = 0; k < 3; k++) e[k] /= n;
  v3_cross(f, axis, e);
  for (int i = 0; i < MOST_POINTS; i++) {
    // first the one end, then the other
    double angle = 2 * 3.14159265358979323846 * i / CIRCLE, half = i < CIRCLE ? 0.5 : -0.5, at[3];
    for (int k = 0; k < 3; k++)
      at[k] = half * s->length * axis[k] + radius * (hn_cos(angle) * e[k] + hn_sin(angle) * f[k]);
    add_corner(d, body, at);
  }
}

static void add_ball(drawing *d, int body, double radius) {
  piece *b = &d->body[body];
  for (int i = 0; i < CIRCLE; i++) {
    double angle = 2 * 3.14159265358979323846 * i / CIRCLE;
    // a circle from wherever it is seen
    b->corner[i][0] = b->middle[0] + radius * hn_cos(angle);
    b->corner[i][1] = b->middle[1] + radius * hn_sin(angle);
  }
  b->count = CIRCLE;
  include(d, b->middle, radius);
}

// A beam's node has its mass inside of the element: the node itself must be in the picture too.
static void add_shape(drawing *d, int body) {
  const hn_body_def *def = &d->model->body[body].def;
  const hn_shape *s = &def->shape;
  piece *b = &d->body[body];
  int node;
  const double origin[3] = {0};
  b->depth = project(d, body, def->com, b->middle);
  include(d, b->middle, 0);
  if (hn_beam_of(d->model, body, &node)) {  // whose mass lies further in
    double end[2];
    project(d, body, origin, end);
    include(d, end, 0);
  }
  if (s->kind == HN_SHAPE_BOX) add_box(d, body, s);
  if (s->kind == HN_SHAPE_SPHERE) add_ball(d, body, s->radius);
  if (s->kind == HN_SHAPE_CYLINDER) add_round(d, body, s, s->radius);
  // a thin rod is seen as a line of some thickness
  if (s->kind == HN_SHAPE_ROD) add_round(d, body, s, fmax(s->radius, 0.02 * s->length));
  // outlines of what is convex are hulls
  b->count = hull(b->corner, b->count);
}

// ---- several shapes ------------------------------------------------------------------------

enum { MOST_FACETS = 4000 };  // of one shape

// the surface of one of them; false: out of memory
// Thinned to MOST_FACETS; free it with hn_trimesh_free().
static bool surface_of(const drawing *d, int body, int k, hn_trimesh *few) {
  hn_trimesh all;
  if (hn_shape_surface(&all, d->model, &d->model->body[body].def.shapes[k])) return false;
  bool ok = !hn_trimesh_thin(few, &all, MOST_FACETS);
  hn_trimesh_free(&all);
  return ok;
}

// surfaces are made twice, for the bounds and when drawn: less memory than keeping all of them
static void include_shapes(drawing *d, int body) {
  for (int k = 0; k < d->model->body[body].def.shape_count; k++) {
    hn_trimesh m = {0};
    if (!surface_of(d, body, k, &m)) {
      d->failed = true;
      return;
    }
    for (int i = 0; i < m.corners; i++) {
      double p[2];
      project(d, body, m.corner[i], p);
      include(d, p, 0);
    }
    hn_trimesh_free(&m);
  }
}

// ---- flexible bodies -----------------------------------------------------------------------

// its corners where they are at the instant; the triangles stay those of the model
// Corners are this drawing's own, triangles those of the model.
static bool bend(drawing *d, const hn_result *result, int index) {
  const hn_drawn *drawn = &d->model->flexible[index].reduced->drawn;
  hn_trimesh *m = &d->bent[index];
  // arrays of this drawing, as large as the model's
  hn_deformed shape;
  bool ok = hn_deformed_find(&shape, result, d->model, index);
  double *p = malloc(((size_t)drawn->shapes + 1) * sizeof *p);
  m->corner = malloc(((size_t)drawn->corners + 1) * sizeof *m->corner);
  ok = ok && p && m->corner;
  if (ok) {
    hn_deformed_at(&shape, d->row, p);
    hn_drawn_at(drawn, p, m->corner);
    m->corners = drawn->corners;
    m->triangles = drawn->triangles;
    m->triangle = drawn->triangle;
  }
  hn_deformed_free(&shape);
  free(p);
  return ok;
}

static void include_bent(drawing *d, const hn_result *result, int index) {
  int body = d->model->flexible[index].first_body;
  if (!d->body[body].known) return;
  if (!bend(d, result, index)) {
    d->failed = true;
    return;
  }
  const hn_trimesh *m = &d->bent[index];
  for (int i = 0; i < m->corners; i++) {
    double p[2];
    project(d, body, m->corner[i], p);
    include(d, p, 0);
  }
}

// ---- sides ---------------------------------------------------------------------------------

// what faces away is not seen; what faces upwards and forwards is lighter
// Light from above and from the viewer; the factors keep every side visible and none white.
static bool make_facet(drawing *d, int body, const hn_trimesh *m, int i, const int rgb[3],
                       facet *out) {
  double x[3][3], a[3], b[3], n[3], world[3];
  out->depth = 0;
  for (int k = 0; k < 3; k++) {
    v3_copy(x[k], m->corner[m->triangle[i][k]]);
    out->depth += project(d, body, x[k], out->corner[k]) / 3;
  }
  v3_sub(a, x[1], x[0]);
  v3_sub(b, x[2], x[0]);
  v3_cross(n, a, b);
  m3_mulv(world, d->body[body].R, n);
  double facing = v3_dot(world, d->towards), size = v3_norm(world);
  // faces away, or is seen from its edge
  if (!(facing > 0)) return false;
  // between about a half and one of its colour
  double light = 0.62 + 0.28 * facing / size + 0.16 * v3_dot(world, d->up) / size;
  for (int k = 0; k < 3; k++) out->rgb[k] = (int)fmin(255, fmax(0, light * rgb[k]));
  return true;
}

static int by_depth(const void *a, const void *b) {
  double p = ((const facet *)a)->depth, q = ((const facet *)b)->depth;
  return (p > q) - (p < q);
}

typedef struct facets {
  facet *list;
  int count, room;
} facets;

static void add_facets(drawing *d, int body, const hn_trimesh *m, const int rgb[3], facets *f) {
  // room for one more, used only if the facet is seen
  for (int i = 0; !d->failed && i < m->triangles; i++) {
    d->failed = !hn_grow((void **)&f->list, &f->room, f->count, sizeof *f->list);
    if (!d->failed && make_facet(d, body, m, i, rgb, &f->list[f->count])) f->count++;
  }
}

// all that is seen of a body's shapes, or of a flexible one, the farthest first; how many
// The caller frees the list, also where it is empty.
static int find_facets(drawing *d, int body, const int own[3], facet **out) {
  const hn_body_def *def = &d->model->body[body].def;
  facets f = {0};
  bool frame;
  int flexible = hn_flexible_of(d->model, body, &frame);
  if (flexible >= 0) add_facets(d, body, &d->bent[flexible], own, &f);
  for (int k = 0; k < def->shape_count && !d->failed; k++) {
    hn_trimesh m = {0};
    // shapes have the colour of the body where they have none
    int rgb[3] = {own[0], own[1], own[2]};
    hn_color(def->shapes[k].color, rgb);
    d->failed = !surface_of(d, body, k, &m);
    if (!d->failed) add_facets(d, body, &m, rgb, &f);
    hn_trimesh_free(&m);
  }
  if (f.count) qsort(f.list, (size_t)f.count, sizeof *f.list, by_depth);
  *out = f.list;
  return f.count;
}

// ---- drawing -------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void put(hn_save *svg, const char *format, ...) {
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  // cut where the text is longer, which numbers never are
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (n > 0) hn_save_bytes(svg, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

// names are what the user wrote
// Numeric entities need no table; control characters have no place in XML.
static void put_xml(hn_save *svg, const char *text) {
  for (; *text; text++) {
    if (*text == '<' || *text == '>' || *text == '&')
      put(svg, "&#%d;", *text);
    else if ((unsigned char)*text >= ' ')
      hn_save_bytes(svg, text, 1);
  }
}

static double px(const drawing *d, double x) {
  // the middle of what is drawn lies in the middle of the picture
  return WIDTH / 2.0 + d->scale * (x - (d->low[0] + d->high[0]) / 2);
}

static double py(const drawing *d, double y) {
  // likewise, but y goes down in pictures
  return HEIGHT / 2.0 - d->scale * (y - (d->low[1] + d->high[1]) / 2);
}

// bars to the joints of a body; a ball where it has neither joints nor shape
// From the centre of mass to each joint: a mechanism of bodies without shapes is a linkage to look
// at.
static void draw_bars(drawing *d, int body, hn_save *svg) {
  const piece *b = &d->body[body];
  int joints = 0;
  for (int i = 0; i < d->sys->joints; i++) {
    const hn_mount *const end[] = {&d->sys->joint[i].a, &d->sys->joint[i].b};
    // no place: rows of a block, and joints that couple others
    if (d->sys->joint[i].handle < 1 || d->model->joint[d->sys->joint[i].handle - 1].def.joint_a)
      continue;
    for (int k = 0; k < 2; k++) {
      double at[3], R[9], p[2];
      if (end[k]->body != body) continue;
      joints++;
      hn_mount_place(d->sys, end[k], at, R);
      project(d, body, at, p);
      put(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke-width=\"%.1f\"/>", px(d, b->middle[0]),
          py(d, b->middle[1]), px(d, p[0]), py(d, p[1]), 2 * d->scale * d->width);
    }
  }
  // at least four pixels, so that it is seen
  if (!joints && !b->count)
    put(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", px(d, b->middle[0]),
        py(d, b->middle[1]), fmax(4, 2 * d->scale * d->width));
}

// the element behind a node of a beam: a cubic that leaves along the axes of both nodes, as thick
// as the section from its narrower side
// A Bezier curve with its handles a third of the length along the nodes' axes is the cubic of a
// beam.
static void draw_element(drawing *d, const hn_model_beam *beam, int k, hn_save *svg) {
  int body = beam->first_body + k;
  double length = hn_beam_piece(d->model, beam, k), half[2], p[4][2];
  // behind the last node there is no element
  if (k == beam->def.elements || !d->body[body + 1].known) return;
  hn_beam_thickness(beam, (k + 0.5) / beam->def.elements, 0.4 * d->width, half);
  for (int i = 0; i < 4; i++) {
    const double at[3] = {i == 1 ? length / 3 : i == 2 ? -length / 3 : 0, 0, 0};
    // the first two points belong to this node, the others to the next
    project(d, body + (i > 1), at, p[i]);
  }
  put(svg, "<path fill=\"none\" stroke-width=\"%.1f\" d=\"M%.1f %.1fC",
      2 * d->scale * fmin(half[0], half[1]), px(d, p[0][0]), py(d, p[0][1]));
  for (int i = 1; i < 4; i++) put(svg, " %.1f %.1f", px(d, p[i][0]), py(d, p[i][1]));
  put(svg, "\"/>");
}

// strokes of the same colour close the gaps between them
static void draw_facets(drawing *d, int body, const int own[3], hn_save *svg) {
  facet *f;
  int count = find_facets(d, body, own, &f);
  for (int i = 0; i < count; i++) {
    char colour[8];
    snprintf(colour, sizeof colour, "#%02x%02x%02x", f[i].rgb[0] & 255, f[i].rgb[1] & 255,
             f[i].rgb[2] & 255);
    put(svg, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\".6\" d=\"", colour, colour);
    for (int k = 0; k < 3; k++)
      put(svg, "%c%.1f %.1f", k ? 'L' : 'M', px(d, f[i].corner[k][0]), py(d, f[i].corner[k][1]));
    put(svg, "Z\"/>");
  }
  free(f);
}

static void draw_body(drawing *d, int body, hn_save *svg) {
  const piece *b = &d->body[body];
  const char *colour = colours[(body - 1) % COLOURS];
  const char *name = d->model->body[body].def.name;
  char own[8];
  int rgb[3];
  bool frame;
  // interfaces of a flexible body are drawn with its frame
  int node, flexible = hn_flexible_of(d->model, body, &frame);
  const hn_model_beam *beam = hn_beam_of(d->model, body, &node);
  if (!b->known || (flexible >= 0 && !frame)) return;
  if (flexible >= 0) name = d->model->flexible[flexible].name;
  // all pieces of a beam look alike
  if (beam) name = beam->def.name, colour = colours[(beam->first_body - 1) % COLOURS];
  if (hn_color(hn_color_of(d->model, name), rgb)) {
    snprintf(own, sizeof own, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
    colour = own;
  }
  // titles are shown by browsers when the pointer rests on something
  put(svg, "<g fill=\"%s\" stroke=\"%s\" stroke-linecap=\"round\"><title>", colour, colour);
  put_xml(svg, name);
  if (hn_description_of(d->model, name)) {
    put(svg, ": ");
    put_xml(svg, hn_description_of(d->model, name));
  }
  put(svg, "</title>");
  if ((flexible >= 0 || d->model->body[body].def.shape_count) && hn_color(colour, rgb))
    draw_facets(d, body, rgb, svg);
  else if (beam)
    draw_element(d, beam, node, svg);
  else if (!b->count)
    draw_bars(d, body, svg);
  if (b->count) {
    // a dark line around shapes tells them from each other
    put(svg, "<path stroke=\"#333\" stroke-width=\"1\" stroke-linejoin=\"round\" d=\"");
    for (int i = 0; i < b->count; i++)
      put(svg, "%c%.1f %.1f", i ? 'L' : 'M', px(d, b->corner[i][0]), py(d, b->corner[i][1]));
    put(svg, "Z\"/>");
  }
  put(svg, "</g>\n");
}

// where a mount is in the picture; false: its body was not recorded
static bool mount_pixels(drawing *d, const hn_mount *end, double *x, double *y) {
  double at[3], R[9], p[2];
  if (end->body && !d->body[end->body].known) return false;
  hn_mount_place(d->sys, end, at, R);
  project(d, end->body, at, p);
  *x = px(d, p[0]), *y = py(d, p[1]);
  return true;
}

// Joints with the ground stand on a small triangle, there; what slides along a line, or is held by
// a massless link, is joined to where that begins.
static void draw_joints(drawing *d, hn_save *svg) {
  for (int i = 0; i < d->sys->joints; i++) {
    const hn_sys_joint *joint = &d->sys->joint[i];
    if (joint->handle < 1 || d->model->joint[joint->handle - 1].def.joint_a) continue;
    bool apart = hn_word_in(joint->type,
                            "prismatic cylindrical screw point-on-line revolute-prismatic distance "
                            "universal-spherical revolute-spherical rope");
    // the circle is at the mount of b, or of a where b is the ground
    const hn_mount *end = joint->b.body ? &joint->b : &joint->a;
    const hn_mount *other = joint->b.body ? &joint->a : &joint->b;
    double x, y, from[2];
    if (!mount_pixels(d, end, &x, &y)) continue;
    bool known = apart && mount_pixels(d, other, &from[0], &from[1]);
    if (known)
      put(svg, "<path stroke=\"#7c8793\" d=\"M%.1f %.1fL%.1f %.1f\"/>", from[0], from[1], x, y);
    bool ground = !joint->a.body || !joint->b.body;
    if (ground)
      put(svg, "<path fill=\"#7c8793\" d=\"M%.1f %.1fl-8 14h16z\"/>", known ? from[0] : x,
          known ? from[1] : y);
    put(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#fff\" stroke=\"#333\"><title>", x, y);
    put_xml(svg, joint->name);
    put(svg, "</title></circle>\n");
  }
}

static void draw(drawing *d, double t, hn_save *svg) {
  put(svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
      "%d\" font-family=\"Helvetica Neue, Helvetica, Arial, sans-serif\">\n<title>",
      WIDTH, HEIGHT, WIDTH, HEIGHT);
  put_xml(svg, hn_model_name(d->model));
  put(svg, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
  for (int i = 0; i < d->model->body_count - 1; i++) draw_body(d, d->order[i], svg);
  draw_joints(d, svg);
  put(svg, "<text x=\"14\" y=\"%d\" font-size=\"13\" fill=\"#444\">t = %.6g s</text>\n</svg>\n",
      HEIGHT - 14, t);
}

// ---- the file ------------------------------------------------------------------------------

// By insertion: bodies are few, and mostly in order from one picture to the next.
static void sort_bodies(drawing *d) {
  int n = d->model->body_count - 1;
  for (int i = 0; i < n; i++) {
    int k = i;
    for (; k > 0 && d->body[d->order[k - 1]].depth > d->body[i + 1].depth; k--)
      d->order[k] = d->order[k - 1];
    d->order[k] = i + 1;
  }
}

// Everything that will be drawn is put into the bounds first; the scale follows from those.
static void lay_out(drawing *d, const hn_result *result) {
  d->low[0] = d->low[1] = INFINITY;
  d->high[0] = d->high[1] = -INFINITY;
  choose_view(d);
  // poses first: joints are at places of bodies
  for (int i = 1; i < d->model->body_count; i++) {
    hn_pose_columns c;
    hn_find_pose(result, d->model->body[i].def.name, &c);
    find_pose(d, &c, &d->body[i]);
    if (d->body[i].known) add_shape(d, i), include_shapes(d, i);
  }
  for (int i = 0; i < d->model->flexible_count && !d->failed; i++) include_bent(d, result, i);
  for (int i = 0; i < d->sys->joints; i++) {
    const hn_mount *const end[] = {&d->sys->joint[i].a, &d->sys->joint[i].b};
    if (d->sys->joint[i].handle < 1 || d->model->joint[d->sys->joint[i].handle - 1].def.joint_a)
      continue;
    for (int k = 0; k < 2; k++) {
      double at[3], R[9], p[2];
      if (end[k]->body && !d->body[end[k]->body].known) continue;
      hn_mount_place(d->sys, end[k], at, R);
      project(d, end[k]->body, at, p);
      include(d, p, 0);
    }
  }
  double w = d->high[0] - d->low[0], h = d->high[1] - d->low[1];
  // nothing that could be drawn: a picture of one metre to each side
  if (!(w >= 0)) d->low[0] = d->low[1] = -1, d->high[0] = d->high[1] = 1, w = h = 2;
  double size = fmax(fmax(w, h), 1e-9);
  // the smaller scale of both directions, so that all of it is in the picture; lines have some
  // height
  d->scale = fmin((WIDTH - 2 * MARGIN) / fmax(w, 1e-3 * size),
                  (HEIGHT - 2 * MARGIN) / fmax(h, 1e-3 * size));
  d->width = 0.008 * size;
  sort_bodies(d);
}

// the recorded row next to an instant
// Linear: one picture looks once.
static int nearest_row(const hn_result *r, double t) {
  int best = 0;
  // of two rows as near the first
  for (int i = 1; i < r->rows; i++)
    if (fabs(hn_result_row(r, i)[0] - t) < fabs(hn_result_row(r, best)[0] - t)) best = i;
  return best;
}

static hn_status write_drawing(drawing *d, const hn_result *r, const char *path,
                               char message[HN_MESSAGE]) {
  // bounds before the file is opened: what fails there leaves no file
  hn_save save;
  lay_out(d, r);
  hn_status status = hn_save_open(&save, path, message);
  if (status) return status;
  draw(d, d->row[0], &save);
  if (!d->failed) return hn_save_close(&save, message);
  hn_save_drop(&save);
  return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
}

hn_status hn_report_svg(const hn_report *report, const char *path, char message[HN_MESSAGE]) {
  const hn_result *r = report->run[0].result;
  if (!report->model)
    return hn_fail(message, HN_ERR_ARGUMENT, "%s: a drawing needs the model of the result", path);
  drawing d = {.model = report->model, .sys = report->system};
  size_t n = (size_t)d.model->body_count;
  // rows were counted by the caller
  d.row = hn_result_row(r, nearest_row(r, report->at));
  d.body = calloc(n, sizeof *d.body);
  d.order = calloc(n, sizeof *d.order);
  d.bent = calloc((size_t)d.model->flexible_count + 1, sizeof *d.bent);
  // numbers have a point, whatever the user's language
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t previous = c_locale ? uselocale(c_locale) : (locale_t)0;
  hn_status status = d.body && d.order && d.bent
                         ? write_drawing(&d, r, path, message)
                         : hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  if (c_locale) {
    uselocale(previous);
    freelocale(c_locale);
  }
  // only corners were made here
  for (int i = 0; d.bent && i < d.model->flexible_count; i++) free(d.bent[i].corner);
  free(d.bent);
  free(d.body);
  free(d.order);
  return status;
}
