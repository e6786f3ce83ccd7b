// parts.c: connected groups of bodies, and the energy of each.
//
// Joints, forces between bodies and blocks connect; the ground does not. What happens in one part
// says nothing about another, and an error of a small one must not hide behind the energy of a
// large one.
#include "system/crowd.h"

#include <stdlib.h>
#include <string.h>

// parent[i] <= i throughout.
static int root_of(const int *parent, int body) {
  while (parent[body] != body) body = parent[body];
  return body;
}

static void connect(int *parent, int a, int b) {
  if (!a || !b) return;
  a = root_of(parent, a), b = root_of(parent, b);
  // the smaller number stays: the order of parts is that of the model
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

static void connect_measure(const hn_system *sys, int *parent, int with, int measure) {
  connect(parent, with, sys->measure[measure].a);
  connect(parent, with, sys->measure[measure].b);
}

hn_status hn_find_parts(hn_system *sys) {
  int *parent = sys->part = malloc(((size_t)sys->bodies + 1) * sizeof *sys->part);
  if (!parent) return HN_ERR_MEMORY;
  for (int i = 0; i < sys->bodies; i++) parent[i] = i;
  for (int i = 0; i < sys->joints; i++) connect(parent, sys->joint[i].a.body, sys->joint[i].b.body);
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = 1; k < group->bodies; k++)
      connect(parent, sys->group_body[group->first], sys->group_body[group->first + k]);
  }
  for (int i = 0; i < sys->blocks; i++) {
    const hn_sys_block *b = &sys->block[i];
    for (int k = 1; k < b->n; k++) connect(parent, b->body, b->body + k);
    for (int k = b->n; k < b->measures; k++) connect_measure(sys, parent, b->body, b->measure[k]);
  }
  for (int i = 0; i < sys->flexibles; i++)
    for (int k = 1; k < sys->flexible[i].reduced->n; k++)
      connect(parent, sys->flexible[i].first, hn_flexible_body(&sys->flexible[i], k));
  for (int i = 0; i < sys->batches; i++)
    for (int k = 0; k < sys->batch[i].count; k++)
      connect(parent, sys->batch[i].ends[k].a, sys->batch[i].ends[k].b);
  hn_crowd crowd;
  for (int i = 1; hn_crowd_of(sys, &crowd) && i < crowd.members; i++)
    connect(parent, crowd.member[0].body, crowd.member[i].body);
  // roots stand before their members, so that numbers can take the place of parents in order
  for (int i = 1; i < sys->bodies; i++) parent[i] = root_of(parent, i);
  int *number = calloc((size_t)sys->bodies + 1, sizeof *number);
  if (!number) return HN_ERR_MEMORY;
  for (int i = 1; i < sys->bodies; i++)
    if (parent[i] == i) number[i] = sys->parts++;
  for (int i = 1; i < sys->bodies; i++) parent[i] = number[parent[i]];
  parent[0] = -1;
  free(number);
  return HN_OK;
}

// Bodies of flexible ones have no mass of their own here: theirs comes with the flexible body.
static double kinetic_energy(const hn_work *work, const hn_sys_body *b) {
  const double *v = work->v + b->v0;
  int linear = hn_body_linear(b), turns = b->nv - linear;
  double T = 0;
  for (int k = 0; k < linear; k++) T += b->mass * v[k] * v[k];
  for (int k = 0; k < turns; k++)
    T += b->inertia[turns == 1 ? 2 : k] * v[linear + k] * v[linear + k];
  return 0.5 * T;
}

static double gravity_energy(const hn_work *work, const hn_sys_body *b) {
  double V = 0;
  int n = b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT ? 2 : 3;
  for (int k = 0; k < n; k++) V -= b->mass * work->sys->gravity[k] * work->q[b->q0 + k];
  return V;
}

static double block_kinetic(const hn_work *work, const hn_sys_block *b) {
  const double *v = work->v + work->sys->body[b->body].v0, *M = work->mass_values + b->mass_first;
  double T = 0;
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < b->n; j++) T += M[i * b->n + j] * v[i] * v[j];
  return 0.5 * T;
}

// what a force just added to potential and power, which are taken back to zero.
// Elements are evaluated one at a time, and what work->potential and work->power have then is that
// element's alone.
static void take(hn_work *work, int part, bool may_work, double *potential, bool *works) {
  if (part >= 0) {
    potential[part] += work->potential;
    works[part] |= may_work || work->power != 0;
  }
  work->potential = work->power = 0;
}

static int part_of_row(const hn_system *sys, int row) {
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    if (row >= group->row0 && row < group->row0 + group->rows && group->bodies)
      return sys->part[sys->group_body[group->first]];
  }
  return 0;
}

void hn_part_energies(hn_work *work, double *forces, double *kinetic, double *potential,
                      bool *works) {
  const hn_system *sys = work->sys;
  double V = work->potential, power = work->power;
  memset(kinetic, 0, (size_t)sys->parts * sizeof *kinetic);
  memset(potential, 0, (size_t)sys->parts * sizeof *potential);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind == HN_SCALAR) continue;
    kinetic[sys->part[i]] += kinetic_energy(work, b);
    potential[sys->part[i]] += gravity_energy(work, b);
  }
  // forces are asked one by one; what they add to the bodies is of no interest
  memcpy(forces, work->f, (size_t)sys->bv * sizeof *forces);
  work->potential = work->power = 0;
  for (int i = 0; i < sys->blocks; i++) {
    const hn_sys_block *b = &sys->block[i];
    kinetic[sys->part[b->body]] += block_kinetic(work, b);
    hn_block_force(work, i);
    take(work, sys->part[b->body], true, potential, works);
  }
  for (int i = 0; i < sys->flexibles; i++) {
    int part = sys->part[sys->flexible[i].first];
    kinetic[part] += hn_flexible_kinetic(work, i);
    hn_flexible_force(work, i);
    take(work, part, false, potential, works);
  }
  for (int i = 0; i < sys->spreads; i++) {
    int part = sys->part[sys->spread[i].b];
    kinetic[part] += hn_spread_kinetic(work, i);
    hn_spread_force(work, i);
    take(work, part, false, potential, works);
  }
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *batch = &sys->batch[i];
    for (int k = 0; k < batch->count; k++) {
      const struct hn_batch_ends *e = &batch->ends[k];
      batch->ops->eval(sys, work, 1, batch->data + (size_t)k * batch->ops->data_size);
      take(work, sys->part[e->a ? e->a : e->b], e->works, potential, works);
    }
  }
  memcpy(work->f, forces, (size_t)sys->bv * sizeof *forces);
  work->potential = V, work->power = power;
  // impacts may lose energy at any time
  for (int i = 0; i < sys->unilaterals; i++) works[part_of_row(sys, sys->unilateral[i].row)] = true;
  hn_crowd crowd;
  if (hn_crowd_of(sys, &crowd)) works[sys->part[crowd.member[0].body]] = true;
  // rows that do work
  for (int g = 0; sys->rheonomic && g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    if (!group->bodies) continue;
    for (int k = 0; k < group->rows; k++)
      works[sys->part[sys->group_body[group->first]]] |= work->phi_t[group->row0 + k] != 0;
  }
}
