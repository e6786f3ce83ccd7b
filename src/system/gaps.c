// gaps.c: see gaps.h.
#include "system/gaps.h"

#include "base/rotation.h"
#include "system/curve.h"
#include "system/ground.h"
#include "system/polytope.h"
#include "system/terrain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the gap is sign (s - offset), s what the surface makes of the point of b
static hn_gap *add(hn_gaps *g, const hn_mount *a, const hn_mount *b, const hn_surface *surface,
                   double sign, double offset) {
  hn_gap *o = &g->gap[g->count];
  *o = (hn_gap){.a = *a, .b = *b, .surface = surface, .sign = sign, .offset = offset};
  snprintf(o->label, sizeof o->label, g->count ? "gap_%d" : "gap", g->count + 1);
  g->count++;
  return o;
}

// the point of a mount moved along its axes
static hn_mount moved(const hn_mount *mount, double x, double y, double z) {
  hn_mount o = *mount;
  double d[3] = {x, y, z}, step[3];
  m3_mulv(step, mount->R, d);
  v3_add(o.s, o.s, step);
  return o;
}

static bool fail(hn_builder *builder, const char *why) {
  hn_build_fail(builder, HN_ERR_MODEL, "%s", why);
  return false;
}

// a ball in a socket, or a journal in a bearing, by its own radius
static void hollow(const hn_gaps_def *def, hn_gaps *g) {
  g->radius = def->radius;
  g->other = -(def->radius + def->clearance);
  for (int i = 0; i < g->count; i++) g->gap[i].arm = def->radius;
}

static bool spherical(hn_builder *builder, const hn_gaps_def *def, hn_gaps *g) {
  (void)builder;
  add(g, &g->a, &g->b, &hn_surface_centre, -1, def->clearance);
  hollow(def, g);
  return true;
}

// what is longer than a point needs bodies that have an orientation
static bool turn(hn_builder *builder, const hn_gaps *g) {
  if (hn_build_rotates(builder, g->a.body) && hn_build_rotates(builder, g->b.body)) return true;
  return fail(builder, "needs bodies that can turn, and one is a point (clearance-spherical does "
                       "not)");
}

// In space a journal touches by its two ends, each a point that stays within the clearance of the
// axis of a; tilting is limited by both together.
static bool journal(hn_builder *builder, const hn_gaps_def *def, hn_gaps *g) {
  if (!turn(builder, g)) return false;
  bool shoulders = strcmp(def->type, "clearance-revolute") == 0;
  if (hn_build_planar(builder)) {
    if (!shoulders) return fail(builder, "planar bodies do not slide along z: clearance-revolute");
    if (g->a.R[8] < 1 - 1e-9)
      return fail(builder, "planar bodies turn about z: leave `axis` out or give 0 0 1");
    return spherical(builder, def, g);
  }
  if (!(def->length > 0))
    return fail(builder, "needs the length of the bearing, which holds the axis at both ends");
  // both ends of the journal
  for (int k = -1; k <= 1; k += 2) {
    hn_mount end = moved(&g->b, 0, 0, 0.5 * k * def->length);
    add(g, &g->a, &end, &hn_surface_axis, -1, def->clearance);
  }
  hollow(def, g);
  double axial = def->axial_clearance > 0 ? def->axial_clearance : def->clearance;
  for (int k = -1; k <= 1 && shoulders; k += 2)
    add(g, &g->a, &g->b, &hn_surface_plane, k, -k * axial);
  return true;
}

// the corners of a block against walls across axis k of a, `half` from the middle of the guide;
// y: half the other edge, 0 in the plane.
// Corners are points of b, walls planes of a: eight corners before two pairs of walls are sixteen
// gaps, four in the plane.
static void walls(const hn_gaps_def *def, hn_gaps *g, int k, double half, double other) {
  hn_mount wall = hn_mount_cycled(&g->a, k);
  for (int side = -1; side <= 1; side += 2)
    for (int end = -1; end <= 1; end += 2)
      for (int edge = -1; edge <= (other > 0 ? 1 : -1); edge += 2) {
        double across[2] = {edge * other, edge * other};
        across[k] = side * half;
        hn_mount corner = moved(&g->b, across[0], across[1], 0.5 * end * def->length);
        add(g, &wall, &corner, &hn_surface_plane, -side, side * (half + def->clearance));
      }
}

static bool prismatic(hn_builder *builder, const hn_gaps_def *def, hn_gaps *g) {
  bool oriented_a, oriented_b, planar = hn_build_planar(builder);
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  g->other = NAN;  // a corner
  if (!turn(builder, g)) return false;
  if (!(def->length > 0 && def->height > 0))
    return fail(builder, "needs length and height of the block");
  if (planar) {
    if (!hn_build_axis_in_plane(builder, &g->a) || !hn_build_axis_in_plane(builder, &g->b))
      return false;
    walls(def, g, HN_AXIS_X, 0.5 * def->height, 0);
    return true;
  }
  if (!(def->width > 0)) return fail(builder, "needs the width of the block, as it is in space");
  double p[3], R[9];
  hn_build_pose(builder, &g->a, p, R);
  if (!oriented_a && R[8] < 1 - 1e-9)
    return fail(builder,
                "needs a frame of a with an orientation: height along its x, width along its y, "
                "the way of the block along z");
  walls(def, g, HN_AXIS_X, 0.5 * def->height, 0.5 * def->width);
  walls(def, g, HN_AXIS_Y, 0.5 * def->width, 0.5 * def->height);
  return true;
}

// ---- a ball and a surface ------------------------------------------------------------------

typedef struct kind {
  const char *name;
  const hn_surface *surface;
  bool in_plane;  // the axis of a lies in the plane of planar bodies
  bool round;     // radius_a says how far it stands off its middle
} kind;

static const kind kinds[] = {
    {"plane", &hn_surface_plane, true, false},   {"sphere", &hn_surface_centre, false, true},
    {"cylinder", &hn_surface_axis, false, true}, {"capsule", &hn_surface_segment, true, true},
    {"box", &hn_surface_box, false, false},      {"hull", &hn_surface_hull, false, false},
    {"curve", &hn_surface_curve, false, false},  {"terrain", &hn_surface_terrain, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const kind *find_kind(hn_builder *builder, const char *name) {
  const char *names[KINDS + 1] = {0};
  for (int i = 0; i < KINDS; i++) {
    names[i] = kinds[i].name;
    if (strcmp(name, names[i]) == 0) return &kinds[i];
  }
  const char *near = hn_nearest(name, names);
  hn_build_fail(builder, HN_ERR_MODEL, "no surface '%s'%s%s%s", name,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  return NULL;
}

static bool fit_curve(hn_builder *builder, const hn_gaps_def *def, hn_gap *gap) {
  int count = def->point_count / 2, least = def->closed ? 4 : 2;
  if (count < least || def->point_count % 2)
    return fail(builder, "needs points, pairs of x and y: two at least, of a closed curve four");
  int size = hn_curve_size(count, def->closed);
  double *data = malloc((size_t)size * sizeof *data);
  hn_status status = data ? hn_curve_fit(def->points, count, def->closed, data) : HN_ERR_MEMORY;
  if (!status) gap->size = hn_build_keep(builder, data, size);
  free(data);
  if (status == HN_ERR_MEMORY) hn_build_fail(builder, status, "out of memory");
  if (status == HN_ERR_MODEL)
    fail(builder,
         "points: two that follow each other are the same (a closed curve goes on from the "
         "last to the first by itself)");
  return !status;
}

// A ball that is rounder than a hollow touches in two places, of which a gap knows one
static bool fits(hn_builder *builder, const hn_gap *gap) {
  double where[2], hollow = hn_terrain_hollow(gap->size, where);
  if (!(gap->arm + gap->rim >= hollow)) return true;
  hn_build_fail(
      builder, HN_ERR_MODEL,
      "a hollow of the terrain at x = %.6g, y = %.6g has a radius of %.3g m, which a ball "
      "of %.3g m does not touch in one place (smaller balls, several of them, or wider "
      "hollows)",
      where[0], where[1], hollow, gap->arm);
  return false;
}

static bool fit_terrain(hn_builder *builder, const hn_gaps_def *def, hn_gap *gap) {
  const hn_grid grid = {def->grid_x_count, def->grid_y_count, def->grid_x, def->grid_y,
                        def->heights};
  if (hn_build_planar(builder))
    return fail(builder, "a terrain is ground in space: planar bodies have curves");
  if (def->inside) return fail(builder, "nobody is inside of a terrain: bodies stay above it");
  size_t size = hn_terrain_size(&grid);
  if (!size) return fail(builder, "its terrain has too many heights");
  double *data = malloc(size * sizeof *data);
  hn_status status = data ? hn_terrain_fit(&grid, data) : HN_ERR_MEMORY;
  if (!status) gap->size = hn_build_keep(builder, data, (int)size);
  free(data);
  if (status) hn_build_fail(builder, status, "out of memory");
  return gap->size && fits(builder, gap) && hn_build_ground(builder, &gap->a, &gap->b, gap->size);
}

// solids of the plane go on beyond it, by so much that their ends are never near
static double beyond(const double half[3]) {
  return 4 * (half[0] + half[1]);
}

// half of its edges, of which one is without end in the plane
static bool box_size(hn_builder *builder, const hn_gaps_def *def, double half[3]) {
  bool planar = hn_build_planar(builder);
  for (int i = 0; i < 3; i++) half[i] = 0.5 * def->size[i];
  if (!(half[0] > 0 && half[1] > 0 && (planar || half[2] > 0)))
    return fail(builder, "needs the size of the box, three edges");
  if (planar) half[2] = INFINITY;
  return true;
}

// numbers of a surface, and the mount it has: a capsule begins at `at` and goes along the axis
static bool size_of(hn_builder *builder, const kind *k, const hn_gaps_def *def, hn_gap *gap) {
  if (k->surface == &hn_surface_segment) {
    if (!(def->length > 0)) return fail(builder, "needs a length, from end to end of its middle");
    gap->a = hn_mount_cycled(&gap->a, HN_AXIS_Y);  // z becomes x
    gap->size = hn_build_keep(builder, &def->length, 1);
  }
  if (k->surface == &hn_surface_curve) return fit_curve(builder, def, gap);
  if (k->surface == &hn_surface_terrain) return fit_terrain(builder, def, gap);
  if (k->surface == &hn_surface_box) {
    double half[3];
    if (!box_size(builder, def, half)) return false;
    gap->size = hn_build_keep(builder, half, 3);
    if (hn_build_planar(builder)) half[2] = beyond(half);
    if (!(def->radius > 0)) gap->solid = hn_build_box(builder, gap->a.body, half);
  }
  if (k->surface == &hn_surface_hull) {
    hn_mount own = hn_build_body_frame(builder, gap->a.body);
    v3_set(gap->a.s, 0, 0, 0);
    memcpy(gap->a.R, own.R, sizeof own.R);
    gap->size = hn_build_solid(builder, gap->a.body);
    if (!(def->radius > 0)) gap->solid = gap->size;
    return gap->size;
  }
  return true;
}

// Boxes, curves and terrains lie as a's frame does that has an orientation, else as the body
// itself; an axis turns these the shortest way until z lies along it
static void lie(const hn_builder *builder, const double *axis, hn_mount *a) {
  bool oriented_a, oriented_b, given = v3_dot(axis, axis) > 0;
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  if (oriented_a && !given) return;
  double own[9], *R = a->R;
  hn_mount body = hn_build_body_frame(builder, a->body);
  memcpy(own, body.R, sizeof own);
  for (int k = 0; oriented_a && k < 3; k++) {
    double world[3], inner[3];
    hn_build_frame_axis(builder, k, world);
    hn_build_direction(builder, a->body, world, inner);
    for (int i = 0; i < 3; i++) own[3 * i + k] = inner[i];
  }
  double z[3] = {R[2], R[5], R[8]}, from[3] = {own[2], own[5], own[8]};
  for (int k = 0; k < 3; k++) {
    double x[3] = {own[k], own[3 + k], own[6 + k]};
    if (given) hn_rotation_carry(x, from, z, (double[3]){x[0], x[1], x[2]});
    for (int i = 0; i < 3; i++) R[3 * i + k] = x[i];
  }
}

static bool is_wheel(hn_builder *builder, const hn_gaps_def *def, const hn_gaps *g) {
  bool a, b;
  hn_build_oriented(builder, &a, &b);
  if (hn_build_planar(builder))
    return fail(builder, "rim is of a wheel in space: in the plane it is a disc, with a radius");
  if (!hn_build_rotates(builder, g->b.body)) return fail(builder, "a point mass is no wheel");
  if (!(v3_dot(def->axis_b, def->axis_b) > 0) && !b)
    return fail(builder, "needs axis_b, the axis of the wheel (or a frame of b whose z it is)");
  if (def->inside) return fail(builder, "a wheel cannot be inside of a surface");
  if (g->gap[0].surface == &hn_surface_hull)
    return fail(builder, "a wheel does not touch hulls (planes, boxes, spheres, capsules, curves "
                         "and terrains it does)");
  return true;
}

// ---- blocks and hulls ----------------------------------------------------------------------

// a convex solid, along the axes of its mount
typedef struct solid {
  hn_mount mount;
  const double *data;  // polytope.h
} solid;

// its edges along the axes of b's frame, or of b itself: length along x, height along z (in the
// plane y), width along y
static bool edges_of(hn_builder *builder, const hn_gaps_def *def, const hn_gaps *g, bool planar,
                     double half[3]) {
  if (!hn_build_rotates(builder, g->b.body))
    return fail(builder, "a point mass is no block: leave length, width and height out");
  if (planar && def->width > 0)
    return fail(builder, "a block of the plane has no width: length along x and height along y");
  if (!(def->length > 0 && def->height > 0 && (planar || def->width > 0)))
    return fail(builder, planar ? "a block needs length and height, along x and y of its body"
                                : "a block needs length, width and height, along x, y and z of "
                                  "its body");
  const double edge[3] = {def->length, planar ? def->height : def->width, planar ? 0 : def->height};
  for (int i = 0; i < (planar ? 2 : 3); i++) {
    half[i] = 0.5 * edge[i] - def->radius;
    if (!(half[i] > 0))
      return fail(builder, "the radius of its edges must be less than half of a block's length, "
                           "width and height");
  }
  return true;
}

// the solid that b is, by its edges or its shape; those with round edges without the radius
static bool solid_of_b(hn_builder *builder, const hn_gaps_def *def, const hn_gaps *g, solid *o) {
  bool planar = hn_build_planar(builder), oriented_a, oriented_b;
  double half[3] = {0, 0, 0};
  *o = (solid){.mount = g->b};
  if (v3_dot(def->axis_b, def->axis_b) > 0 || def->rim > 0)
    return fail(builder, "a block lies as its body, or as the frame of b that has an orientation: "
                         "leave axis_b and rim out");
  if (def->inside) return fail(builder, "a block stands before a surface, not inside of it");
  hn_mount own = hn_build_body_frame(builder, g->b.body);
  if (def->hull) {
    if (def->length > 0 || def->width > 0 || def->height > 0)
      return fail(builder, "b is the hull that its shape is: leave length, width and height out");
    o->data = hn_build_solid(builder, g->b.body);
    v3_set(o->mount.s, 0, 0, 0);
    memcpy(o->mount.R, own.R, sizeof own.R);
    return o->data;
  }
  if (!edges_of(builder, def, g, planar, half)) return false;
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  if (!oriented_b) memcpy(o->mount.R, own.R, sizeof own.R);
  if (planar) half[2] = beyond(half);
  o->data = hn_build_box(builder, g->b.body, half);
  return o->data;
}

// Every corner of `of` before the surface on a, or where edges are round the ball in it: that is
// all a solid touches a plane with, however it lies. In the plane those above it stand for corners
static bool corners(hn_builder *builder, const solid *of, const hn_mount *a,
                    const hn_surface *surface, const double *before, double radius, hn_gaps *g) {
  bool planar = hn_build_planar(builder);
  hn_polytope p = hn_polytope_of(of->data);
  for (int i = 0; i < p.corners; i++) {
    const double *x = p.corner + 3 * i;
    if (planar && x[2] < 0) continue;
    if (g->count == HN_MOST_GAPS) {
      hn_build_fail(builder, HN_ERR_MODEL,
                    "a hull of %d corners has too many to touch one by one (%d in all: take a "
                    "coarser mesh, or a pile)",
                    p.corners, HN_MOST_GAPS);
      return false;
    }
    hn_mount corner = moved(&of->mount, x[0], x[1], planar ? 0 : x[2]);
    hn_gap *gap = add(g, a, &corner, surface, 1, radius);
    gap->arm = radius;
    gap->solid = gap->size = before;
    if (before) gap->spokes = hn_polytope_spokes(&p, i, gap->spoke, HN_MOST_SPOKES);
  }
  return true;
}

static bool before_plane(hn_builder *builder, const hn_gaps_def *def, const hn_mount *a,
                         hn_gaps *g) {
  solid b;
  g->radius = def->radius;
  g->other = def->radius > 0 ? 0 : NAN;
  return solid_of_b(builder, def, g, &b) &&
         corners(builder, &b, a, &hn_surface_plane, NULL, def->radius, g);
}

// the solid that a is: a box of this size at the mount, or its shape
static bool solid_of_a(hn_builder *builder, const kind *k, const hn_gaps_def *def,
                       const hn_mount *a, solid *o) {
  double half[3];
  *o = (solid){.mount = *a};
  if (k->surface == &hn_surface_hull) {
    hn_mount own = hn_build_body_frame(builder, a->body);
    v3_set(o->mount.s, 0, 0, 0);
    memcpy(o->mount.R, own.R, sizeof own.R);
    o->data = hn_build_solid(builder, a->body);
    return o->data;
  }
  if (!box_size(builder, def, half)) return false;
  if (hn_build_planar(builder)) half[2] = beyond(half);
  o->data = hn_build_box(builder, a->body, half);
  return o->data;
}

// as many pairs of edges as may bear at once, where one face lies across another
static bool edges(const solid *a, const solid *b, hn_gaps *g) {
  for (int i = 0; i < HN_MOST_EDGES && g->count < HN_MOST_GAPS; i++) {
    hn_gap *gap = add(g, &a->mount, &b->mount, &hn_surface_hull, 1, 0);
    gap->solid = gap->size = a->data;
    gap->other = b->data;
  }
  return true;
}

// Two solids: corners of b before the faces of a, and those of a before the faces of b; in space
// edges of both that cross
static bool before_solid(hn_builder *builder, const kind *k, const hn_gaps_def *def,
                         const hn_mount *mount, hn_gaps *g) {
  solid a, b;
  if (def->radius > 0)
    return fail(builder, "edges of solids that meet are sharp: leave radius out");
  g->other = NAN;
  return solid_of_a(builder, k, def, mount, &a) && solid_of_b(builder, def, g, &b) &&
         corners(builder, &b, &a.mount, &hn_surface_hull, a.data, 0, g) &&
         corners(builder, &a, &b.mount, &hn_surface_hull, b.data, 0, g) &&
         (hn_build_planar(builder) || edges(&a, &b, g));
}

// s is measured from the middle of what is round: outside g = s - (radius_a + radius), inside g =
// (radius_a - radius) - s.
static bool contact(hn_builder *builder, const hn_gaps_def *def, hn_gaps *g) {
  const kind *k = find_kind(builder, def->surface ? def->surface : "plane");
  if (!k) return false;
  hn_mount a = g->a;
  if (!hn_build_rotates(builder, a.body))
    return fail(builder, "a is a point mass and carries no surface (let it be body b)");
  if (k->in_plane && hn_build_planar(builder) && !hn_build_axis_in_plane(builder, &a)) return false;
  bool lies = k->surface == &hn_surface_box || k->surface == &hn_surface_curve ||
              k->surface == &hn_surface_terrain;
  if (lies) lie(builder, def->axis, &a), g->a = a;
  if (k->round && !(def->radius_a > 0))
    return fail(builder, "needs radius_a, the radius of the surface of a");
  if (def->inside && !(def->radius_a > def->radius) && k->round)
    return fail(builder, "a ball inside needs a radius_a larger than its own radius");
  bool capsule = k->surface == &hn_surface_segment;
  bool before = k->surface == &hn_surface_box || k->surface == &hn_surface_hull;
  if (def->hull || def->height > 0 || def->width > 0 || (def->length > 0 && !capsule)) {
    if (k->surface == &hn_surface_plane) return before_plane(builder, def, &a, g);
    if (before) return before_solid(builder, k, def, &a, g);
    return fail(builder, "a block or hull stands before a plane, a box or a hull");
  }
  double sign = def->inside ? -1 : 1, round = k->round ? def->radius_a : 0;
  hn_gap *gap = add(g, &a, &g->b, k->surface, sign, round + sign * def->radius);
  gap->arm = def->radius;
  gap->rim = def->rim;
  if (def->rim > 0 && !is_wheel(builder, def, g)) return false;
  g->radius = def->radius;
  g->other = def->rim > 0                       ? NAN
             : k->surface == &hn_surface_plane  ? 0
             : k->surface == &hn_surface_centre ? sign * def->radius_a
                                                : NAN;
  return size_of(builder, k, def, gap);
}

bool hn_gaps_find(hn_builder *builder, const hn_gaps_def *def, hn_gaps *out) {
  *out = (hn_gaps){.a = *hn_mount_a(builder), .b = *hn_mount_b(builder)};
  if (strcmp(def->type, "contact") == 0) return contact(builder, def, out);
  if (strcmp(def->type, "clearance-prismatic") == 0) return prismatic(builder, def, out);
  if (strcmp(def->type, "clearance-spherical") == 0) return spherical(builder, def, out);
  return journal(builder, def, out);
}

static int measure_of(hn_builder *builder, const hn_gap *gap) {
  if (gap->other) return hn_build_edges(builder, &gap->a, gap->solid, &gap->b, gap->other);
  bool ball = !(gap->rim > 0);
  if (ball && gap->surface == &hn_surface_centre)
    return hn_build_distance(builder, &gap->a, &gap->b);
  if (ball && gap->surface == &hn_surface_plane)
    return hn_build_dot2(builder, &gap->a, HN_AXIS_Z, &gap->b);
  return hn_build_surface(builder, &gap->a, gap->surface, gap->size, &gap->b, gap->rim);
}

int hn_gap_measure(hn_builder *builder, const hn_gap *gap) {
  int measure = measure_of(builder, gap);
  bool turns = hn_build_rotates(builder, gap->b.body);
  hn_build_arm(builder, measure, turns ? gap->sign * gap->arm : 0);
  return measure;
}
