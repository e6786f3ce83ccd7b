// pile.c: bodies in a heap, or a tower: all that have a box, a sphere or hulls as their shape may
// touch each other and a plane of the ground. They are rigid; impulses and friction between them
// are found step by step (integrators/moreau). Nothing acts here.
#include "forces/force.h"
#include "model/shape.h"
#include "system/builder.h"
#include "system/crowd.h"
#include "system/polytope.h"

#include <stdlib.h>

// the shape of a body in its inner frame; false: it has none that can touch
static bool take_shape(const hn_sys_body *body, const hn_shape *shape, hn_solid *o) {
  // half edges of a box, or the radius three times: what both have in common is the reach
  *o = (hn_solid){.box = shape->kind == HN_SHAPE_BOX};
  if (body->kind != HN_SPATIAL || (!o->box && shape->kind != HN_SHAPE_SPHERE)) return false;
  for (int k = 0; k < 3; k++) o->half[k] = o->box ? 0.5 * shape->size[k] : shape->radius;
  // a sphere about the centre that holds the solid, for the broad phase
  o->reach = o->box ? v3_norm(o->half) : shape->radius;
  // from the inner frame to the user's, along which the box lies
  m3_transpose(o->R, body->info->axes);
  return true;
}

// a hull among the shapes of a body, about its centre of mass and along the axes of its frame
static bool take_hull(hn_builder *builder, int body, const hn_shape_def *s, hn_solid *o) {
  *o = (hn_solid){.hull = hn_build_hull(builder, body, s)};
  if (!o->hull) return false;
  hn_polytope p = hn_polytope_of(o->hull);
  m3_transpose(o->R, builder->sys->body[body].info->axes);
  for (int i = 0; i < p.corners; i++) o->reach = fmax(o->reach, v3_norm(p.corner + 3 * i));
  return true;
}

// a box as a hull, for the hulls that it meets
static bool box_hull(hn_builder *builder, int body, hn_solid *o) {
  o->hull = hn_build_box(builder, body, o->half);
  return o->hull != NULL;
}

// hulls of a body that are more than drawn, up to the list's end; below zero after a failure
static int take_hulls(hn_builder *builder, int body, hn_member *list) {
  const hn_body_def *def = &builder->model->body[body].def;
  int count = 0;
  // bodies in the plane, and points, touch nothing
  if (builder->sys->body[body].kind != HN_SPATIAL) return 0;
  for (int i = 0; i < def->shape_count; i++) {
    const hn_shape_def *s = &def->shapes[i];
    if (s->shape.kind != HN_SHAPE_HULL || s->only_drawn) continue;
    // list NULL: only counts
    if (list && !take_hull(builder, body, s, &list[count].solid)) return -1;
    count++;
  }
  return count;
}

// bodies of one joint do not touch each other (crowd.c): only of these the joints have to be asked
static bool is_joined(const hn_system *sys, int body) {
  // grounded joints count as well
  for (int i = 0; i < sys->joints; i++)
    if (sys->joint[i].a.body == body || sys->joint[i].b.body == body) return true;
  return false;
}

// those of the whole model
static hn_status gather(hn_builder *builder, hn_crowd_plane *plane) {
  const hn_system *sys = builder->sys;
  // hulls are counted first, to know how much room is needed
  const hn_model *model = builder->model;
  int count = 0, hulls = 0;
  // body 0 is the ground
  for (int i = 1; i < model->body_count; i++) hulls += take_hulls(builder, i, NULL);
  hn_member *list = calloc((size_t)model->body_count + (size_t)hulls + 1, sizeof *list);
  if (!list) return hn_build_fail(builder, HN_ERR_MEMORY, "out of memory");
  for (int i = 1; i < model->body_count; i++) {
    hn_member *m = &list[count];
    // one solid of its own shape, or all its hulls
    int own = take_shape(&sys->body[i], &model->body[i].def.shape, &m->solid);
    if (!own) own = take_hulls(builder, i, m);
    // where there are hulls a box must be one as well, to meet them
    if (own < 0 || (hulls && m->solid.box && !box_hull(builder, i, &m->solid))) break;
    for (int k = 0; k < own; k++) m[k].body = i, m[k].joined = is_joined(sys, i);
    if (own) hn_build_need_kin(builder, i);
    count += own;
  }
  if (hn_build_status(builder)) {
    free(list);
    return hn_build_status(builder);
  }
  // structs of numbers, kept as such
  // (hn_build_keep keeps doubles: the size of the struct is a multiple of theirs)
  size_t numbers = (size_t)count * sizeof *list / sizeof(double);
  plane->members = count;
  plane->member = (const hn_member *)(const void *)hn_build_keep(
      builder, (const double *)(void *)list, (int)numbers);
  free(list);
  if (count) return hn_build_status(builder);
  return hn_build_fail(
      builder, HN_ERR_MODEL,
      "no body in space has a box, a sphere or a hull as its shape: nothing can touch");
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  const hn_mount *a = hn_mount_a(builder);
  hn_crowd crowd;
  // the plane is that of `at` and `axis` on the ground
  hn_crowd_plane plane = {.coulomb = def->coulomb, .restitution = def->restitution};
  v3_copy(plane.point, a->s);
  for (int i = 0; i < 3; i++) plane.normal[i] = a->R[3 * i + 2];
  // another pile of the model has gathered them: its list serves, only planes differ
  if (hn_crowd_of(builder->sys, &crowd))
    plane.members = crowd.members, plane.member = crowd.member;
  else if (gather(builder, &plane))
    return hn_build_status(builder);
  hn_build_force(builder, &hn_crowd_ops, &plane);
  return hn_build_status(builder);
}

const hn_force_type hn_force_pile = {
    .info =
        {.name = "pile",
         .help =
             "all bodies that are boxes, spheres or hulls may touch each other, and a plane of the "
             "ground",
         .keys = "at axis coulomb restitution",
         .required = ""},
    .build = build,
};
