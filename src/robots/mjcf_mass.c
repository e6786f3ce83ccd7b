// mjcf_mass.c: mass and inertia of MJCF bodies, given or from their shapes.
//
// Geoms have a mass, or a density (1000 kg/m^3 when not given) times their volume. Sizes are halves
// of edges, lengths and heights, as in the file.
#include "robots/mjcf.h"

#include "base/vec.h"
#include "model/inertia.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// R I R^T
static void turn_inertia(const double R[9], double I[9]) {
  double A[9];
  m3_mul(A, R, I);
  m3_mult(I, A, R);
}

// fullinertia is xx yy zz xy xz yz; products are elements of the matrix.
void hn_mjcf_inertial(hn_mjcf *m, hn_xml *node, const hn_xml *class, hn_robot_link *link) {
  hn_mjcf_element e = {m, node, "", class};
  hn_rigid place;
  double mass = 0, x[6], I[9] = {0};
  hn_mjcf_place(&e, &place);
  if (!hn_robot_number(m->robot, node, "mass", &mass) || mass < 0)
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "<inertial> needs a mass that is not negative");
  if (hn_robot_numbers(m->robot, node, "fullinertia", x, 6, 6)) {
    double full[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
    memcpy(I, full, sizeof full);
  } else if (hn_robot_numbers(m->robot, node, "diaginertia", x, 3, 3)) {
    for (int i = 0; i < 3; i++) I[4 * i] = x[i];
  }
  turn_inertia(place.R, I);
  hn_robot_add_mass(link, mass, place.p, I);
}

// ---- shapes --------------------------------------------------------------------------------

typedef struct solid {
  double volume, inertia[3];  // principal, of unit mass
} solid;

static solid box(const double s[3]) {
  solid o = {.volume = 8 * s[0] * s[1] * s[2]};
  for (int i = 0; i < 3; i++)
    o.inertia[i] = (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 3;
  return o;
}

static solid ellipsoid(const double s[3]) {
  solid o = {.volume = 4.0 / 3 * pi * s[0] * s[1] * s[2]};
  for (int i = 0; i < 3; i++)
    o.inertia[i] = (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 5;
  return o;
}

static solid cylinder(double r, double h) {
  double across = (3 * r * r + 4 * h * h) / 12;
  return (solid){2 * pi * r * r * h, {across, across, r * r / 2}};
}

// a cylinder with half spheres on both ends
// Each half sphere's centre lies 3/8 r beyond the cylinder's end: about the middle that adds
// H^2/4 + 3/8 H r to the 2/5 r^2 of a whole ball.
static solid capsule(double r, double h) {
  double H = 2 * h, middle = pi * r * r * H, ends = 4.0 / 3 * pi * r * r * r;
  double volume = middle + ends, a = middle / volume, b = ends / volume, ball = 0.4 * r * r;
  double across = a * (3 * r * r + H * H) / 12 + b * (ball + H * (3 * r + 2 * H) / 8);
  return (solid){volume, {across, across, a * r * r / 2 + b * ball}};
}

// groups that are shown unless somebody asks for others
// MuJoCo's viewer shows groups 0 to 2 when it starts.
static const double shown = 2;

// A geom's own colour before that of its material; NULL leaves it to the drawing.
static const char *color_of(hn_mjcf *m, const hn_mjcf_element *e) {
  double rgba[4] = {0.5, 0.5, 0.5, 1};
  const char *material = hn_mjcf_get(e, "material");
  if (hn_mjcf_numbers(e, "rgba", rgba, 4, 4)) return hn_robot_color(m->robot, rgba);
  hn_xml *asset = material ? hn_mjcf_asset(m, "material", material) : NULL;
  if (!asset || !hn_robot_numbers(m->robot, asset, "rgba", rgba, 4, 4)) return NULL;
  return hn_robot_color(m->robot, rgba);
}

static void draw(hn_mjcf *m, const hn_mjcf_element *e, hn_robot_link *link, hn_robot_shape *shape,
                 const char *type, const double s[3], double group) {
  static const char *const drawn = "box sphere capsule cylinder mesh";
  if (group > shown || !hn_word_in(type, drawn)) return;
  shape->kind = type;
  v3_set(shape->size, s[0], 2 * s[1], 0);
  if (strcmp(type, "box") == 0) v3_scale(shape->size, 2, s);
  shape->color = color_of(m, e);
  hn_robot_draw(m->robot, link, shape);
}

// half sizes in the order of the axes; false: the geom has no volume of its own
// fromto gives the length; what is given besides is the radius, or the half width of both edges.
static bool read_size(hn_mjcf *m, const hn_mjcf_element *e, const char *type, double length,
                      double s[3]) {
  int least = strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0      ? 3
              : strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0 ? 2
                                                                              : 1;
  s[0] = s[1] = s[2] = 0;
  hn_mjcf_numbers(e, "size", s, 0, 3);
  if (length > 0) {
    // along z from point to point; other shapes are as thick in both directions
    if (least == 3)
      s[2] = length / 2, s[1] = s[0];
    else
      s[1] = length / 2;
  }
  for (int i = 0; i < least; i++)
    if (!(s[i] > 0))
      hn_robot_fail(m->robot, e->node, HN_ERR_MODEL, "<geom> of type %.20s: size %d is missing",
                    type, i + 1);
  return !m->robot->status;
}

// Attributes of contact and looks are passed here; mjcf_touch.c and color_of look at those they
// need.
static void read_geom(const hn_mjcf_element *e, const hn_rigid *frame, hn_mjcf_geom_def *g,
                      double *length) {
  static const char harmless[] =
      "name rgba material group contype conaffinity condim friction solref solimp margin gap "
      "priority user mesh hfield fitscale solmix";
  *g = (hn_mjcf_geom_def){
      .type = hn_mjcf_get(e, "type"), .mesh = hn_mjcf_get(e, "mesh"), .density = 1000};
  if (!g->type) g->type = g->mesh ? "mesh" : "sphere";
  hn_mjcf_pass(e->node, harmless);
  hn_mjcf_span(e, &g->place, length);
  g->given = hn_mjcf_number(e, "mass", &g->mass);
  hn_mjcf_number(e, "density", &g->density);
  hn_mjcf_number(e, "group", &g->group);
  g->shell = hn_mjcf_flag(e, "shellinertia", false);
  hn_rigid_mul(&g->place, frame, &g->place);
}

// `unit` is the inertia of mass one about the centre, in the axes of the geom; it is changed.
static void weigh(hn_mjcf *m, hn_xml *node, hn_robot_link *link, const hn_mjcf_geom_def *g,
                  double volume, const double centre[3], double unit[9]) {
  double mass = g->given ? g->mass : g->density * volume, com[3];
  if (g->shell) hn_robot_wrong(m->robot, node, "shellinertia");
  if (mass < 0) hn_robot_fail(m->robot, node, HN_ERR_MODEL, "the mass of a geom is negative");
  for (int i = 0; i < 9; i++) unit[i] *= mass;
  turn_inertia(g->place.R, unit);
  hn_rigid_point(com, &g->place, centre);
  hn_robot_add_mass(link, mass, com, unit);
}

static void weigh_solid(hn_mjcf *m, hn_xml *node, hn_robot_link *link, const hn_mjcf_geom_def *g) {
  const double *s = g->s, middle[3] = {0, 0, 0};
  double I[9] = {0};
  solid o = strcmp(g->type, "box") == 0         ? box(s)
            : strcmp(g->type, "ellipsoid") == 0 ? ellipsoid(s)
            : strcmp(g->type, "cylinder") == 0  ? cylinder(s[0], s[1])
            : strcmp(g->type, "capsule") == 0   ? capsule(s[0], s[1])
                                                : ellipsoid((double[3]){s[0], s[0], s[0]});
  for (int i = 0; i < 3; i++) I[4 * i] = o.inertia[i];
  weigh(m, node, link, g, o.volume, middle, I);
}

// ---- meshes --------------------------------------------------------------------------------

// does it bulge everywhere? Too many triangles to look at count as no
// By all corners against all triangles. MuJoCo takes the convex hull for the mass unless the mesh
// says exact; where the mesh is convex both are the same.
static bool is_convex(const hn_trimesh *mesh) {
  if ((double)mesh->triangles * mesh->corners > 1e8) return false;
  for (int i = 0; i < mesh->triangles; i++) {
    const double *a = mesh->corner[mesh->triangle[i][0]];
    double u[3], v[3], n[3], d[3];
    v3_sub(u, mesh->corner[mesh->triangle[i][1]], a);
    v3_sub(v, mesh->corner[mesh->triangle[i][2]], a);
    v3_cross(n, u, v);
    for (int k = 0; k < mesh->corners; k++) {
      v3_sub(d, mesh->corner[k], a);
      if (v3_dot(n, d) > 1e-7 * v3_norm(n) * (v3_norm(u) + v3_norm(v))) return false;
    }
  }
  return true;
}

static void weigh_mesh(hn_mjcf *m, hn_xml *node, hn_robot_link *link, const hn_mjcf_geom_def *g,
                       hn_trimesh *mesh, bool exact) {
  char message[HN_MESSAGE];
  double volume, centre[3], x[6];
  if (hn_trimesh_close(mesh, message)) {
    hn_robot_wrong(m->robot, node, "mass of a mesh that is not closed");
    return;
  }
  if (!exact && !is_convex(mesh))
    hn_robot_approximated(m->robot, node,
                          "the mass is that of what the mesh encloses, not of its convex hull");
  hn_trimesh_content(mesh, &volume, centre, x);
  double I[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
  for (int i = 0; i < 9; i++) I[i] /= volume;
  weigh(m, node, link, g, volume, centre, I);
}

// the file of an asset: its own folder, or that of the settings
static const char *mesh_file(hn_mjcf *m, hn_xml *asset) {
  const char *file = hn_xml_get(asset, "file"), *slash;
  if (!file) return "";
  if (m->strip && (slash = strrchr(file, '/'))) file = slash + 1;
  if (!m->mesh_folder || !*m->mesh_folder || *file == '/') return file;
  size_t n = strlen(m->mesh_folder);
  bool closed = m->mesh_folder[n - 1] == '/';
  return hn_robot_text(m->robot, "%s%s%s", m->mesh_folder, closed ? "" : "/", file);
}

// Corners of the file, times the scale, are counted from refpos and refquat. Without mass a mesh
// that cannot be read is only not drawn.
static void read_mesh(hn_mjcf *m, const hn_mjcf_element *e, hn_robot_link *link,
                      hn_mjcf_geom_def *g, bool massive) {
  hn_robot *robot = m->robot;
  hn_xml *asset = g->mesh ? hn_mjcf_asset(m, "mesh", g->mesh) : NULL;
  hn_robot_shape shape = {.scale = {1, 1, 1}};
  hn_trimesh mesh;
  hn_rigid from = hn_rigid_none, back;
  char why[200] = "no such mesh among the assets";
  double q[4] = {1, 0, 0, 0};
  if (asset) {
    hn_mjcf_element a = hn_mjcf_open(m, asset, "mesh", NULL);
    hn_mjcf_numbers(&a, "scale", shape.scale, 3, 3);
    hn_robot_numbers(robot, asset, "refpos", from.p, 3, 3);
    hn_robot_numbers(robot, asset, "refquat", q, 4, 4);
    q_matrix(from.R, q);
    shape.file = mesh_file(m, asset);
  }
  if (robot->status) return;
  if (!asset || !hn_robot_open_mesh(robot, &shape.file, &mesh, why)) {
    if (massive)
      hn_robot_wrong(robot, e->node, "mass of a mesh: %s", why);
    else
      hn_robot_ignored(robot, e->node, "%s: not drawn", why);
    return;
  }
  hn_trimesh_scale(&mesh, shape.scale);
  // corners are counted from there
  hn_rigid_inverse(&back, &from);
  hn_rigid_mul(&g->place, &g->place, &back);
  const char *way = asset ? hn_xml_get(asset, "inertia") : NULL;
  if (massive) weigh_mesh(m, e->node, link, g, &mesh, way && strcmp(way, "exact") == 0);
  hn_trimesh_free(&mesh);
  shape.place = g->place;
  draw(m, e, link, &shape, "mesh", g->s, g->group);
}

// `link` NULL: a geom of the world, which can be touched and has no mass. A density or mass of zero
// is how files take a geom out of the inertia.
void hn_mjcf_geom(hn_mjcf *m, hn_xml *node, const hn_xml *class, const hn_rigid *frame,
                  hn_robot_link *link, bool massive) {
  hn_mjcf_element e = hn_mjcf_open(m, node, "geom", class);
  hn_mjcf_geom_def g;
  double length;
  read_geom(&e, frame, &g, &length);
  bool plain = hn_word_in(g.type, "sphere capsule ellipsoid cylinder box") && !g.mesh;
  if (m->robot->status || (plain && !read_size(m, &e, g.type, length, g.s))) return;
  hn_mjcf_touch(m, &e, &g, link ? -2 : -1);
  if (strcmp(g.type, "plane") == 0) hn_mjcf_pass(node, "size");
  if (!link || strcmp(g.type, "plane") == 0) return;
  massive = massive && g.group >= m->group[0] && g.group <= m->group[1] &&
            (g.given ? g.mass != 0 : g.density != 0);
  if (strcmp(g.type, "mesh") == 0) {
    read_mesh(m, &e, link, &g, massive);
    return;
  }
  if (hn_word_in(g.type, "hfield sdf") || g.mesh) {
    if (massive)
      hn_robot_wrong(m->robot, node, "mass of a geom of type %.20s%s", g.type,
                     g.mesh ? " (a mesh)" : "");
    else
      hn_robot_ignored(m->robot, node, "geom of type %.20s is not drawn", g.type);
    return;
  }
  if (!plain) {
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "unknown type of geom: '%.40s'", g.type);
    return;
  }
  hn_robot_shape shape = {.place = g.place};
  draw(m, &e, link, &shape, g.type, g.s, g.group);
  if (massive) weigh_solid(m, node, link, &g);
}

// ---- settings for all bodies ---------------------------------------------------------------

// boundinertia raises the principal moments in MuJoCo, here those about the axes of the body: the
// same where these are principal, and said where they are not.
static void bound(hn_mjcf *m, hn_robot_link *l) {
  double moment[3], *I = l->inertia;
  if (l->mass < m->bound_mass) l->mass = m->bound_mass;
  hn_inertia_principal((double[6]){I[0], I[4], I[8], I[1], I[2], I[5]}, moment);
  if (moment[0] < m->bound_inertia) {
    if (I[1] != 0 || I[2] != 0 || I[5] != 0)
      hn_robot_approximated(m->robot, l->node, "boundinertia acts along the axes of '%.60s'",
                            hn_robot_called(l));
    for (int i = 0; i < 3; i++)
      if (I[4 * i] < m->bound_inertia) I[4 * i] = m->bound_inertia;
    hn_inertia_principal((double[6]){I[0], I[4], I[8], I[1], I[2], I[5]}, moment);
  }
  if (m->balance && moment[0] + moment[1] < moment[2])
    for (int i = 0; i < 9; i++) I[i] = i % 4 ? 0 : (moment[0] + moment[1] + moment[2]) / 3;
}

// settotalmass scales all masses and inertias by one factor, after the bounds.
void hn_mjcf_settle_mass(hn_mjcf *m) {
  hn_robot *robot = m->robot;
  double total = 0;
  for (int i = 0; i < robot->links; i++)
    if (!robot->link[i].carrier) bound(m, &robot->link[i]);
  for (int i = 0; i < robot->links; i++) total += robot->link[i].mass;
  if (!(m->total_mass > 0) || !(total > 0)) return;
  for (int i = 0; i < robot->links; i++) {
    robot->link[i].mass *= m->total_mass / total;
    for (int k = 0; k < 9; k++) robot->link[i].inertia[k] *= m->total_mass / total;
  }
}
