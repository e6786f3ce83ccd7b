// crowd.c: who may touch whom, and where.
//
// The members lie in cells of a grid as wide as the largest of them; only those in neighbouring
// cells are looked at, so that the search takes as long as there are members, wherever they are.
#include "system/crowd.h"

#include <string.h>

enum { TOUCHES = 12, OF_A_HULL = 3 * HN_NEAR_MOST };  // room for so many points a member
enum { ROUND = 1 << 20 };                             // cells along an axis, then they come again

// they act in the impulses of a step alone
static void nothing(const hn_system *sys, hn_work *work, int count, const void *data) {
  (void)sys, (void)work, (void)count, (void)data;
}

static void no_tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                       hn_tangent *tangent) {
  (void)sys, (void)work, (void)count, (void)data, (void)tangent;
}

const hn_force_ops hn_crowd_ops = {
    .name = "pile",
    .data_size = sizeof(hn_crowd_plane),
    .eval = nothing,
    .tangent = no_tangent,
};

bool hn_crowd_of(const hn_system *sys, hn_crowd *crowd) {
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (b->ops != &hn_crowd_ops) continue;
    const hn_crowd_plane *plane = (const hn_crowd_plane *)(const void *)b->data;
    *crowd = (hn_crowd){.members = plane->members,
                        .member = plane->member,
                        .planes = b->count,
                        .plane = plane,
                        .name = b->name[0]};
    return true;
  }
  return false;
}

// ---- searching -----------------------------------------------------------------------------

static int buckets(int members) {
  int n = 16;
  while (n < 2 * members) n *= 2;
  return n;
}

void hn_crowd_layout(hn_crowd_room *room, hn_arena *arena, const hn_crowd *crowd) {
  int n = crowd->members;
  room->most = 8;
  for (int i = 0; i < n; i++)
    room->most += crowd->member[i].solid.hull && !crowd->member[i].solid.box ? OF_A_HULL : TOUCHES;
  room->touch = HN_TAKE_NUMBERS(arena, hn_touch, room->most);
  room->solid = HN_TAKE_NUMBERS(arena, hn_solid, n);
  room->cell = HN_TAKE(arena, int, 3 * n);
  room->head = HN_TAKE(arena, int, buckets(n));
  room->next = HN_TAKE(arena, int, n);
  room->partner = HN_TAKE(arena, int, n);
}

static unsigned bucket(const int cell[3], int count) {
  // M. Teschner et al., Optimized spatial hashing for collision detection, VMV 2003
  unsigned h =
      (unsigned)cell[0] * 73856093u ^ (unsigned)cell[1] * 19349663u ^ (unsigned)cell[2] * 83492791u;
  return h & ((unsigned)count - 1);
}

// Cells are numbered round and round, so that an int holds them however far things fly, and every
// cell has its two neighbours. Who shares one by that is told apart by distance.
static int cell_of(double x) {
  // exact, as ROUND is a power of two
  double at = floor(x) - ROUND * floor(floor(x) / ROUND);
  return at >= 0 && at < ROUND ? (int)at : 0;  // what is no number lies anywhere
}

// solids in world axes, and their cells
static void place(const hn_crowd *crowd, hn_crowd_room *room, const hn_work *work, double width) {
  int count = buckets(crowd->members);
  for (int i = 0; i < count; i++) room->head[i] = -1;
  // from the last to the first, so that lists are in order
  for (int i = crowd->members - 1; i >= 0; i--) {
    const hn_member *m = &crowd->member[i];
    const hn_kin *kin = &work->kin[m->body];
    hn_solid *s = &room->solid[i];
    *s = m->solid;
    v3_copy(s->p, kin->p);
    m3_mul(s->R, kin->R, m->solid.R);
    int *cell = room->cell + 3 * i;
    for (int k = 0; k < 3; k++) cell[k] = cell_of(s->p[k] / width);
    unsigned at = bucket(cell, count);
    room->next[i] = room->head[at];
    room->head[at] = i;
  }
}

// members after i that may be near it, in order; returns how many.
// Of a pair the lower number looks for the higher. Sorted by insertion: they are few.
static int partners(const hn_crowd *crowd, hn_crowd_room *room, int i, double margin) {
  const hn_solid *s = &room->solid[i];
  int count = 0, size = buckets(crowd->members);
  for (int k = 0; k < 27; k++) {
    const int *own = room->cell + 3 * i;
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    int cell[3];
    for (int c = 0; c < 3; c++) cell[c] = (own[c] + step[c] + ROUND) % ROUND;
    for (int j = room->head[bucket(cell, size)]; j >= 0; j = room->next[j]) {
      const hn_solid *o = &room->solid[j];
      double d[3], most = s->reach + o->reach + margin;
      // cells far apart may share a bucket
      if (j <= i || memcmp(room->cell + 3 * j, cell, sizeof cell) != 0) continue;
      v3_sub(d, o->p, s->p);
      if (v3_dot(d, d) > most * most) continue;
      int at = count++;
      for (; at > 0 && room->partner[at - 1] > j; at--) room->partner[at] = room->partner[at - 1];
      room->partner[at] = j;
    }
  }
  return count;
}

// joints keep those they join apart
static bool joined(const hn_system *sys, int a, int b) {
  for (int i = 0; i < sys->joints; i++) {
    int p = sys->joint[i].a.body, q = sys->joint[i].b.body;
    if ((p == a && q == b) || (p == b && q == a)) return true;
  }
  return false;
}

static bool keep(const hn_crowd *crowd, hn_crowd_room *room, const hn_work *work, int a, int b,
                 const hn_crowd_plane *law, const hn_near *near, int count) {
  int body_a = a < 0 ? 0 : crowd->member[a].body;
  int body_b = crowd->member[b].body;
  if (room->count + count > room->most) return false;
  for (int k = 0; k < count; k++) {
    hn_touch *t = &room->touch[room->count++];
    *t = (hn_touch){.a = a, .b = b, .body_a = body_a, .body_b = body_b, .near = near[k]};
    t->restitution = law->restitution, t->coulomb = law->coulomb;
    // the ground's centre of mass is the origin
    v3_copy(t->arm_a, near[k].on_a);
    if (body_a) v3_sub(t->arm_a, near[k].on_a, work->kin[body_a].p);
    v3_sub(t->arm_b, near[k].on_b, work->kin[body_b].p);
  }
  return true;
}

static bool before_planes(const hn_crowd *crowd, hn_crowd_room *room, const hn_work *work, int i,
                          double margin) {
  hn_near near[HN_NEAR_MOST];
  for (int p = 0; p < crowd->planes; p++) {
    const hn_crowd_plane *plane = &crowd->plane[p];
    int count = hn_touch_plane(plane->point, plane->normal, &room->solid[i], margin, near);
    if (!keep(crowd, room, work, -1 - p, i, plane, near, count)) return false;
  }
  return true;
}

// Cells are as wide as the largest member and the margin together, so that whoever is near enough
// is in a cell next to it. Points come in a fixed order, by which impulses of the last step are
// found again (hn_touch_order).
bool hn_crowd_find(const hn_crowd *crowd, hn_crowd_room *room, const hn_work *work, double margin) {
  hn_near near[HN_NEAR_MOST];
  double width = 0;
  for (int i = 0; i < crowd->members; i++) width = fmax(width, 2 * crowd->member[i].solid.reach);
  room->count = 0;
  place(crowd, room, work, width + margin);
  for (int i = 0; i < crowd->members; i++) {
    if (!before_planes(crowd, room, work, i, margin)) return false;
    int count = partners(crowd, room, i, margin);
    for (int k = 0; k < count; k++) {
      int j = room->partner[k];
      const hn_member *m = &crowd->member[i], *o = &crowd->member[j];
      // a body may have several solids
      if (m->body == o->body) continue;
      if (m->joined && o->joined && joined(work->sys, m->body, o->body)) continue;
      int points = hn_touch_solids(&room->solid[i], &room->solid[j], margin, near);
      if (!keep(crowd, room, work, i, j, crowd->plane, near, points)) return false;
    }
  }
  return true;
}

int hn_touch_order(const hn_touch *x, const hn_touch *y) {
  // members one by one: planes before them, then the members after them
  int first = (x->a < 0 ? x->b : x->a) - (y->a < 0 ? y->b : y->a);
  if (first) return first;
  if ((x->a < 0) != (y->a < 0)) return x->a < 0 ? -1 : 1;
  return x->a < 0 ? y->a - x->a : x->b - y->b;
}
