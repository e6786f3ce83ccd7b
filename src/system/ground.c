// ground.c: see ground.h.
//
// Surfaces have no way to say that a point is where nothing is known of them: evaluations in the
// middle of a step may look there, and find the ground going on straight. What counts is where
// steps end.
#include "system/ground.h"

#include "system/builder.h"
#include "system/terrain.h"

#include <string.h>

bool hn_build_ground(hn_builder *builder, const hn_mount *a, const hn_mount *b,
                     const double *size) {
  hn_system *sys = builder->sys;
  hn_ground *g = hn_builder_room(builder, (void **)&sys->ground, &builder->ground_capacity,
                                 sys->grounds, sizeof *g);
  size_t length = strlen(builder->element) + 1;
  char *name = g ? hn_pool_characters(&sys->names, length) : NULL;
  if (g && !name) hn_build_fail(builder, HN_ERR_MEMORY, "out of memory");
  if (!name) return false;
  *g = (hn_ground){
      .name = memcpy(name, builder->element, length), .a = a->body, .b = b->body, .size = size};
  v3_copy(g->sa, a->s), v3_copy(g->sb, b->s);
  memcpy(g->Ma, a->R, sizeof g->Ma);
  sys->grounds++;
  hn_build_need_kin(builder, g->a);
  hn_build_need_kin(builder, g->b);
  return true;
}

const hn_ground *hn_ground_left(const hn_work *work, double where[3]) {
  for (int i = 0; i < work->sys->grounds; i++) {
    const hn_ground *g = &work->sys->ground[i];
    const hn_kin *a = &work->kin[g->a], *b = &work->kin[g->b];
    double ra[3], rb[3], d[3], inner[3];
    m3_mulv(ra, a->R, g->sa);
    m3_mulv(rb, b->R, g->sb);
    for (int k = 0; k < 3; k++) d[k] = b->p[k] + rb[k] - a->p[k] - ra[k];
    m3_tmulv(inner, a->R, d);
    m3_tmulv(where, g->Ma, inner);
    if (hn_terrain_beyond(g->size, where) > 0) return g;
  }
  return NULL;
}
