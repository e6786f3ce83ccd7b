// pile.c: bodies in a heap, or a tower: all that have a box or a sphere as their shape may touch
// each other and a plane of the ground. They are rigid; impulses and friction between them are
// found step by step (integrators/moreau). Nothing acts here.
#include "forces/force.h"
#include "system/builder.h"
#include "system/crowd.h"

#include <stdlib.h>

// the shape of a body in its inner frame; false: it has none that can touch
static bool take_shape(const hn_sys_body *body, const hn_shape *shape, hn_solid *o) {
  *o = (hn_solid){.box = shape->kind == HN_SHAPE_BOX};
  if (body->kind != HN_SPATIAL || (!o->box && shape->kind != HN_SHAPE_SPHERE)) return false;
  for (int k = 0; k < 3; k++) o->half[k] = o->box ? 0.5 * shape->size[k] : shape->radius;
  o->reach = o->box ? v3_norm(o->half) : shape->radius;
  m3_transpose(o->R, body->info->axes);
  return true;
}

// bodies of one joint do not touch each other (crowd.c): only of these the joints have to be asked
static bool is_joined(const hn_system *sys, int body) {
  for (int i = 0; i < sys->joints; i++)
    if (sys->joint[i].a.body == body || sys->joint[i].b.body == body) return true;
  return false;
}

// those of the whole model
static hn_status gather(hn_builder *builder, hn_crowd_plane *plane) {
  const hn_system *sys = builder->sys;
  const hn_model *model = builder->model;
  hn_member *list = calloc((size_t)model->body_count + 1, sizeof *list);
  int count = 0;
  if (!list) return hn_build_fail(builder, HN_ERR_MEMORY, "out of memory");
  for (int i = 1; i < model->body_count; i++) {
    hn_member *m = &list[count];
    if (!take_shape(&sys->body[i], &model->body[i].def.shape, &m->solid)) continue;
    m->body = i;
    m->joined = is_joined(sys, i);
    hn_build_need_kin(builder, i);
    count++;
  }
  // structs of numbers, kept as such
  size_t numbers = (size_t)count * sizeof *list / sizeof(double);
  plane->members = count;
  plane->member = (const hn_member *)(const void *)hn_build_keep(
      builder, (const double *)(void *)list, (int)numbers);
  free(list);
  if (count) return hn_build_status(builder);
  return hn_build_fail(builder, HN_ERR_MODEL,
                       "no body in space has a box or a sphere as its shape: nothing can touch");
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  const hn_mount *a = hn_mount_a(builder);
  hn_crowd crowd;
  hn_crowd_plane plane = {.coulomb = def->coulomb, .restitution = def->restitution};
  v3_copy(plane.point, a->s);
  for (int i = 0; i < 3; i++) plane.normal[i] = a->R[3 * i + 2];
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
             "all bodies that are boxes or spheres may touch each other, and a plane of the ground",
         .keys = "at axis coulomb restitution",
         .required = ""},
    .build = build,
};
