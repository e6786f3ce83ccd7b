// report_model.c: the mechanism as the report page draws it.
//
// Points and axes are given in the frames of the bodies as the user described them; body -1 is the
// ground. The compiled system knows where joints and forces sit, so nothing is located twice.
//
// The page knows joints and forces by type and draws each by its mounts; what is drawn of shapes is
// the page's own affair, which gets their numbers. Meshes and deformations come as triangles,
// rounded and thinned, since a page must stay of a size that can be sent by mail.
#include "base/elementary.h"
#include "io/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/shape.h"
#include "system/terrain.h"

// pages draw the triangles of a hull as those of a mesh
static const char *const kinds[] = {NULL,      "box",  "cylinder",  "sphere",     "rod",  "tube",
                                    "capsule", "cone", "extrusion", "revolution", "mesh", "mesh"};

// A body's single shape, centred in its centre of mass. Zero length of an axis means not given.
static void put_shape(hn_json *j, const hn_shape *s) {
  static const double x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};
  if (s->kind == HN_SHAPE_NONE) return;
  hn_json_open(j, "shape", '{');
  hn_json_text(j, "kind", kinds[s->kind]);
  if (s->kind == HN_SHAPE_BOX) hn_json_numbers(j, "size", s->size, 3);
  if (s->kind != HN_SHAPE_BOX) hn_json_number(j, "radius", s->radius);
  if (s->kind == HN_SHAPE_CYLINDER || s->kind == HN_SHAPE_ROD) {
    bool given = s->axis[0] != 0 || s->axis[1] != 0 || s->axis[2] != 0;
    const double *fallback = s->kind == HN_SHAPE_ROD ? x_axis : z_axis;
    hn_json_number(j, "length", s->length);
    hn_json_numbers(j, "axis", given ? s->axis : fallback, 3);
  }
  hn_json_close(j, '}');
}

void hn_report_color(hn_json *j, const char *color) {
  int rgb[3];
  char text[8];
  if (!hn_color(color, rgb)) return;
  snprintf(text, sizeof text, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
  hn_json_text(j, "color", text);
}

// what is said about an element beside the mechanics
static void put_note(hn_json *j, const hn_model *model, const char *name) {
  const char *text = hn_description_of(model, name);
  if (text) hn_json_text(j, "description", text);
  hn_report_color(j, hn_color_of(model, name));
}

// Corners x, y one after the other; holes as a list of such lists.
static void put_area(hn_json *j, const hn_shape_def *s) {
  const double *hole = s->holes;
  hn_json_numbers(j, "outline", s->outline, 2 * s->outline_count);
  hn_json_open(j, "holes", '[');
  for (int k = 0; k < s->hole_count; k++) {
    hn_json_numbers(j, NULL, hole, 2 * s->hole_corners[k]);
    hole += 2 * s->hole_corners[k];
  }
  hn_json_close(j, ']');
}

// one of several: along z of its own axes, which stand row by row in those of the body
// Meshes are referred to by their number among those of the model, which are written once.
static void put_solid(hn_json *j, const hn_model *model, const hn_shape_def *s) {
  static const double one[3] = {1, 1, 1};
  double R[9];
  hn_shape_axes(s, R);
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "kind", kinds[s->shape.kind]);
  hn_json_numbers(j, "at", s->position, 3);
  hn_json_numbers(j, "axes", R, 9);
  hn_report_color(j, s->color);
  if (s->shape.kind == HN_SHAPE_BOX) hn_json_numbers(j, "size", s->shape.size, 3);
  if (s->shape.radius > 0 || s->shape.kind == HN_SHAPE_ROD)
    hn_json_number(j, "radius", hn_shape_radius(&s->shape));
  if (s->shape.length > 0) hn_json_number(j, "length", s->shape.length);
  if (s->shape.kind == HN_SHAPE_TUBE) hn_json_number(j, "inner", s->inner_radius);
  if (s->shape.kind == HN_SHAPE_CONE) hn_json_number(j, "end", s->end_radius);
  bool hull = s->shape.kind == HN_SHAPE_HULL;
  if (s->outline && !hull) put_area(j, s);
  if (s->shape.kind == HN_SHAPE_MESH || hull) {
    hn_json_number(j, "mesh", (int)(hn_shape_mesh(model, s) - model->mesh));
    hn_json_numbers(j, "scale", hn_largest(s->scale, 3) > 0 ? s->scale : one, 3);
  }
  hn_json_close(j, '}');
}

static void put_solids(hn_json *j, const hn_model *model, const hn_body_def *d) {
  if (d->shape_count == 0) return;
  hn_json_open(j, "shapes", '[');
  for (int i = 0; i < d->shape_count; i++) put_solid(j, model, &d->shapes[i]);
  hn_json_close(j, ']');
}

// ---- surfaces from files -------------------------------------------------------------------

// triangles of one, and of all of them: more would only be dead weight
enum { MOST_DRAWN = 20000, ALL_DRAWN = 200000 };

// a hundred-thousandth of the size is all that can be seen
// Five digits after the leading one of the largest number: shorter text, the same picture.
static void put_rounded(hn_json *j, const char *key, const double *x, size_t count) {
  double steps = hn_pow(10, ceil(5 - hn_log10(fmax(hn_largest(x, count), 1e-12))));
  hn_json_open(j, key, '[');
  for (size_t i = 0; i < count; i++) hn_json_number(j, NULL, round(x[i] * steps) / steps);
  hn_json_close(j, ']');
}

static void put_triangles(hn_json *j, const int (*triangle)[3], int count) {
  hn_json_open(j, "triangles", '[');
  for (int k = 0; k < 3 * count; k++) hn_json_number(j, NULL, triangle[k / 3][k % 3]);
  hn_json_close(j, ']');
}

// Where thinning fails for want of memory the entry stays empty, so that numbers keep their
// meaning.
static void put_meshes(hn_json *j, const hn_model *model) {
  if (model->mesh_count == 0) return;
  int most = ALL_DRAWN / model->mesh_count;
  hn_json_open(j, "meshes", '[');
  for (int i = 0; i < model->mesh_count; i++) {
    hn_trimesh few;
    hn_json_open(j, NULL, '{');
    if (!hn_trimesh_thin(&few, &model->mesh[i].mesh, most < MOST_DRAWN ? most : MOST_DRAWN)) {
      put_rounded(j, "corners", few.corner ? few.corner[0] : NULL, 3 * (size_t)few.corners);
      put_triangles(j, (const int(*)[3])few.triangle, few.triangles);
      hn_trimesh_free(&few);
    }
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

// ---- bodies --------------------------------------------------------------------------------

static void put_points(hn_json *j, const hn_model *model, int body) {
  hn_json_open(j, "points", '[');
  for (int i = 0; i < model->frame_count; i++) {
    const hn_frame_def *f = &model->frame[i].def;
    if (f->body.id != body) continue;
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", f->name);
    hn_json_numbers(j, "at", f->position, 3);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

// Points are frames in body axes; above 200 bodies nobody could tell them apart.
static void put_body(hn_json *j, const hn_model *model, int body) {
  static const char *const kind[] = {"spatial", "planar", "point", "planar-point"};
  const hn_body_def *d = &model->body[body].def;
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", d->name);
  hn_json_text(j, "kind", kind[d->kind]);
  put_note(j, model, d->name);
  hn_json_number(j, "mass", d->mass);
  hn_json_numbers(j, "inertia", d->inertia, 6);
  hn_json_numbers(j, "com", d->com, 3);
  put_shape(j, &d->shape);
  put_solids(j, model, d);
  // frames of large models would only be dead weight
  if (model->body_count <= 200) put_points(j, model, body);
  hn_json_close(j, '}');
}

// Mounts of the system are in principal axes about the centre of mass; users think in the frame
// they described the body in.
void hn_mount_place(const hn_system *sys, const hn_mount *m, double at[3], double R[9]) {
  const hn_sys_body *b = &sys->body[m->body];
  if (m->body == 0) {
    v3_copy(at, m->s);
    for (int k = 0; k < 9; k++) R[k] = m->R[k];
  } else {
    m3_mulv(at, b->info->axes, m->s);
    v3_add(at, at, b->info->com);
    m3_mul(R, b->info->axes, m->R);
  }
}

static void put_mount(hn_json *j, const char *key, const hn_system *sys, const hn_mount *m) {
  double at[3], R[9];
  hn_mount_place(sys, m, at, R);
  hn_json_open(j, key, '{');
  hn_json_number(j, "body", m->body - 1);
  hn_json_numbers(j, "at", at, 3);
  hn_json_numbers(j, "axes", R, 9);
  hn_json_close(j, '}');
}

// a plane that balls and wheels touch: ground is drawn there
static void put_plane(hn_json *j, const char *type, const char *surface) {
  if (strcmp(type, "contact") == 0 && (!surface || strcmp(surface, "plane") == 0))
    hn_json_flag(j, "plane", true);
}

// how far a journal can go from the middle of its bearing: its orbit is drawn within
static void put_clearance(hn_json *j, const char *type, double clearance) {
  if (strcmp(type, "clearance-revolute") == 0 || strcmp(type, "clearance-cylindrical") == 0)
    hn_json_number(j, "clearance", clearance);
}

static void put_curve(hn_json *j, const double *points, int count, bool closed) {
  if (!points || !count) return;
  hn_json_numbers(j, "points", points, count);
  hn_json_flag(j, "closed", closed);
}

// point i of those that cut each cell into so many
static double grid_at(const double *line, int cells, int i, int fine) {
  int cell = i / fine < cells ? i / fine : cells - 1;
  return line[cell] + (line[cell + 1] - line[cell]) * (i - cell * fine) / fine;
}

// between the points of the grid the page draws flat: it gets more of them, as long as they are few
static void put_terrain(hn_json *j, const hn_grid *grid) {
  enum { MOST = 10000, FINEST = 4 };
  size_t size = grid->height ? hn_terrain_size(grid) : 0;
  double *data = size ? malloc(size * sizeof *data) : NULL;
  if (!data || hn_terrain_fit(grid, data)) {
    free(data);
    return;
  }
  int cells[2] = {grid->nx - 1, grid->ny - 1}, fine = FINEST;
  while (fine > 1 && (double)(fine * cells[0]) * (fine * cells[1]) > MOST) fine--;
  double many = (double)cells[0] * cells[1] / MOST;
  int coarse = many > 1 ? (int)ceil(sqrt(many)) : 1;
  hn_json_open(j, "terrain", '{');
  for (int k = 0; k < 3; k++) {
    const double *line = k == 1 ? grid->y : grid->x;
    hn_json_open(j, k == 0 ? "x" : k == 1 ? "y" : "z", '[');
    for (int b = 0; b <= (k == 2 ? fine * cells[1] : 0); b += coarse)
      for (int a = 0; a <= fine * cells[k == 1]; a += coarse) {
        double at = grid_at(line, cells[k == 1], a, fine);
        hn_json_number(
            j, NULL, k < 2 ? at : hn_terrain_height(data, at, grid_at(grid->y, cells[1], b, fine)));
      }
    hn_json_close(j, ']');
  }
  hn_json_close(j, '}');
  free(data);
}

// where a coordinate ends; a ratchet's place moves
static void put_limit(hn_json *j, const hn_joint_def *d) {
  if (d->ratchet > 0 || d->joint_b) return;
  if (d->coordinate) hn_json_text(j, "coordinate", d->coordinate);
  if (d->lower_given) hn_json_number(j, "lower", d->lower);
  if (d->upper_given) hn_json_number(j, "upper", d->upper);
}

// handle 0: rows of a block, which have no place. Couplers have no place of their own either, but
// name the joints they couple.
static void put_joint(hn_json *j, const hn_model *model, const hn_system *sys, int index) {
  const hn_sys_joint *joint = &sys->joint[index];
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", joint->name);
  hn_json_text(j, "type", joint->type);
  put_note(j, model, joint->name);
  if (joint->handle < 1) {
    // constraints of a block: equations without a place
    hn_json_close(j, '}');
    return;
  }
  const hn_joint_def *d = &model->joint[joint->handle - 1].def;
  if (d->joint_a) {
    // couples coordinates of other joints: it has no place of its own
    hn_json_text(j, "joint_a", d->joint_a);
    hn_json_text(j, "joint_b", d->joint_b);
    hn_json_number(j, "ratio", d->ratio);
    if (strcmp(joint->type, "limit") == 0) put_limit(j, d);
  } else {
    put_mount(j, "a", sys, &joint->a);
    put_mount(j, "b", sys, &joint->b);
  }
  if (d->radius > 0) hn_json_number(j, "radius", d->radius);
  if (strcmp(joint->type, "rope") == 0) hn_json_number(j, "length", d->length);
  put_clearance(j, joint->type, d->clearance);
  put_plane(j, d->type, d->surface);
  put_curve(j, d->points, d->point_count, d->closed);
  put_terrain(j, &(hn_grid){d->grid_x_count, d->grid_y_count, d->grid_x, d->grid_y, d->heights});
  static const double up[3] = {0, 0, 1};
  bool tilted = d->normal[0] != 0 || d->normal[1] != 0 || d->normal[2] < 0;
  if (d->radius > 0) hn_json_numbers(j, "normal", tilted ? d->normal : up, 3);
  hn_json_close(j, '}');
}

// force_mount has two places for each force, a and b.
static void put_force(hn_json *j, const hn_model *model, const hn_system *sys, int index) {
  const hn_force_def *d = &model->force[index].def;
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", d->name);
  hn_json_text(j, "type", d->type);
  put_note(j, model, d->name);
  if (d->joint) {
    hn_json_text(j, "joint", d->joint);
  } else {
    put_mount(j, "a", sys, &sys->force_mount[2 * index]);
    put_mount(j, "b", sys, &sys->force_mount[2 * index + 1]);
  }
  if (d->radius > 0) hn_json_number(j, "radius", d->radius);
  put_clearance(j, d->type, d->clearance);
  put_plane(j, d->type, d->surface);
  put_curve(j, d->points, d->point_count, d->closed);
  put_terrain(j, &(hn_grid){d->grid_x_count, d->grid_y_count, d->grid_x, d->grid_y, d->heights});
  if (d->body_axes) hn_json_flag(j, "body_axes", true);
  // a damper without spring is drawn as one
  bool elastic = d->stiffness > 0 || d->coefficient_count > 0 || d->table_count > 0;
  hn_json_flag(j, "elastic", elastic);
  hn_json_close(j, '}');
}

static void put_profile(hn_json *j, const char *key, const hn_profile *p) {
  if (p->kind == HN_PROFILE_NONE || p->kind == HN_PROFILE_NUMBERS) return;
  hn_json_open(j, key, '{');
  if (p->radius > 0) hn_json_number(j, "radius", p->radius);
  if (p->width > 0) hn_json_number(j, "width", p->width);
  if (p->height > 0) hn_json_number(j, "height", p->height);
  hn_json_close(j, '}');
}

// which bodies and forces are nodes and elements; rods are springs to look at
// Nodes and elements follow each other: the first of each and their number say it all.
static void put_beam(hn_json *j, const hn_model *model, const hn_model_beam *beam) {
  char element[160];
  if (beam->def.kind != HN_SPATIAL && beam->def.kind != HN_PLANAR) return;
  snprintf(element, sizeof element, "%s.element1", beam->def.name);
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", beam->def.name);
  put_note(j, model, beam->def.name);
  hn_json_number(j, "first", beam->first_body - 1);
  hn_json_number(j, "elements", beam->def.elements);
  hn_json_number(j, "force", hn_model_find_force(model, element));
  put_profile(j, "profile", &beam->def.profile);
  put_profile(j, "profile_end", &beam->def.profile_end);
  hn_json_close(j, '}');
}

// corners lie in the axes of its frame, which is the body `first`; shapes are three numbers for
// each number of the deformation, corner by corner
static void put_flexible(hn_json *j, const hn_model *model, const hn_model_flexible *f) {
  const hn_drawn *d = &f->reduced->drawn;
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", f->name);
  put_note(j, model, f->name);
  hn_json_number(j, "first", f->first_body - 1);
  hn_json_number(j, "interfaces", f->reduced->interfaces);
  hn_json_number(j, "size", d->shapes);
  put_rounded(j, "corners", d->place, 3 * (size_t)d->corners);
  put_rounded(j, "shapes", d->shape, 3 * (size_t)d->corners * (size_t)d->shapes);
  put_triangles(j, (const int(*)[3])d->triangle, d->triangles);
  hn_json_close(j, '}');
}

// The order of members is that in which the page wants to read them: bodies before what refers to
// them.
void hn_report_model(hn_json *j, const hn_model *model, const hn_system *sys) {
  hn_json_open(j, "model", '{');
  hn_json_text(j, "description", model->description);
  hn_json_numbers(j, "gravity", model->gravity, 3);
  hn_json_open(j, "bodies", '[');
  for (int i = 1; i < model->body_count; i++) put_body(j, model, i);
  hn_json_close(j, ']');
  put_meshes(j, model);
  hn_json_open(j, "ground", '{');
  put_points(j, model, 0);
  hn_json_close(j, '}');
  hn_json_open(j, "beams", '[');
  for (int i = 0; i < model->beam_count; i++) put_beam(j, model, &model->beam[i]);
  hn_json_close(j, ']');
  hn_json_open(j, "flexibles", '[');
  for (int i = 0; i < model->flexible_count; i++) put_flexible(j, model, &model->flexible[i]);
  hn_json_close(j, ']');
  hn_json_open(j, "joints", '[');
  for (int i = 0; i < sys->joints; i++) put_joint(j, model, sys, i);
  hn_json_close(j, ']');
  hn_json_open(j, "forces", '[');
  for (int i = 0; i < model->force_count; i++) put_force(j, model, sys, i);
  hn_json_close(j, ']');
  hn_json_close(j, '}');
}
