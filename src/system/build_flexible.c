// build_flexible.c: flexible bodies: where their masses stand among those of all coordinates.
#include "system/builder.h"

#include <stdlib.h>

// a velocity's own entry in G; along world axes, which turn against those of G, the largest.
// Only for scaling, hence the largest of three: along world axes it would depend on how the body
// lies.
static double size_of(const hn_reduced *o, int i) {
  double most = o->G[(size_t)i * (size_t)(o->size + 1)];
  for (int k = i - i % 6; i % 6 < 3 && k < i - i % 6 + 3; k++)
    most = fmax(most, o->G[(size_t)k * (size_t)(o->size + 1)]);
  return most;
}

void hn_builder_flexible_bodies(hn_system *sys, const hn_model *model) {
  for (int f = 0; f < model->flexible_count; f++) {
    const hn_model_flexible *x = &model->flexible[f];
    for (int i = 0; i < 6 * x->reduced->interfaces; i++) {
      hn_sys_body *b = &sys->body[x->first_body + i / 6];
      b->shared = true;
      sys->mass[b->v0 + i % 6] = size_of(x->reduced, i);
    }
  }
}

// entries on the diagonal of interfaces are among those of all bodies, at the velocity's number.
// Between modes and themselves the masses are constant and belong to the block of the modes;
// everything else depends on how the interfaces lie and is written anew with every Jacobian.
static bool list_masses(hn_system *sys, hn_sys_flexible *x) {
  int n = x->reduced->n, inner = 6 * x->reduced->interfaces;
  x->place = malloc((size_t)n * (size_t)n * sizeof *x->place);
  if (!x->place || !hn_mass_entries_extend(sys, n * n)) return false;
  hn_mass_entries *e = sys->mass_entries;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int row = hn_flexible_velocity(sys, x, i), col = hn_flexible_velocity(sys, x, j);
      int *place = &x->place[i * n + j];
      *place = i >= inner && j >= inner ? -1 : i == j ? row : e->count;
      if (*place != e->count) continue;
      e->row[e->count] = row;
      e->col[e->count++] = col;
    }
  return true;
}

void hn_builder_flexibles(hn_builder *b) {
  hn_system *sys = b->sys;
  const hn_model *model = b->model;
  if (!model->flexible_count) return;
  sys->flexible = calloc((size_t)model->flexible_count, sizeof *sys->flexible);
  for (int f = 0; sys->flexible && f < model->flexible_count; f++) {
    const hn_model_flexible *from = &model->flexible[f];
    hn_sys_flexible *x = &sys->flexible[sys->flexibles++];
    x->first = from->first_body;
    x->modes = from->block >= 0 ? sys->block[from->block].body : 0;
    x->damping = from->damping;
    x->reduced = hn_reduced_share(from->reduced);
    if (!list_masses(sys, x)) break;
    int room = hn_flexible_room(x->reduced);
    if (room > sys->flexible_room) sys->flexible_room = room;
    for (int i = 0; i < x->reduced->interfaces; i++) hn_build_need_kin(b, x->first + i);
  }
  if (!sys->flexible || !sys->mass_entries || !sys->flexible[sys->flexibles - 1].place)
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
}
