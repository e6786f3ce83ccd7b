// build_spread.c: mass between bodies: where it stands among the masses of all coordinates.
#include "system/builder.h"
#include "system/pair.h"

#include <stdlib.h>
#include <string.h>

void hn_build_spread(hn_builder *b, int body_a, int body_b, const double G[64]) {
  hn_system *sys = b->sys;
  hn_sys_spread *x =
      hn_builder_room(b, (void **)&sys->spread, &b->spread_capacity, sys->spreads, sizeof *x);
  if (!x) return;
  x->a = body_a, x->b = body_b;
  memcpy(x->G, G, sizeof x->G);
  hn_build_need_kin(b, body_a);
  hn_build_need_kin(b, body_b);
  sys->spreads++;
}

// one body, or two: `first` says where the places of a body by itself begin, -1: not listed yet.
// Several beams may meet in a node: its own block is listed once and they add to it, while blocks
// between two bodies belong to one beam each. Linear velocities have scalar masses, so of their 3 x
// 3 blocks the diagonal alone.
static void list_places(hn_system *sys, hn_sys_spread *x, int i, int j, int *first) {
  hn_mass_entries *e = sys->mass_entries;
  const hn_sys_body *a = &sys->body[i ? x->b : x->a], *b = &sys->body[j ? x->b : x->a];
  int row[6], column[6], rows = hn_twist_slots(a, row), columns = hn_twist_slots(b, column);
  int known = i == j ? first[i ? x->b : x->a] : -1;
  if (i == j && known < 0) first[i ? x->b : x->a] = e->count;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      int *place = &x->place[12 * (6 * i + row[r]) + 6 * j + column[c]];
      // linear velocities along other axes never meet; the diagonal is among those of all bodies
      if (row[r] < 3 && column[c] < 3 && row[r] != column[c]) continue;
      if (i == j && r == c) {
        *place = a->v0 + r;
      } else if (known >= 0) {
        *place = known++;
      } else {
        *place = e->count;
        e->row[e->count] = a->v0 + r;
        e->col[e->count++] = b->v0 + c;
      }
    }
}

void hn_builder_spreads(hn_builder *b) {
  hn_system *sys = b->sys;
  if (!sys->spreads) return;
  int *first = malloc((size_t)sys->bodies * sizeof *first);
  bool ok = first && hn_mass_entries_extend(sys, 144 * sys->spreads);
  for (int i = 0; ok && i < sys->bodies; i++) first[i] = -1;
  for (int n = 0; ok && n < sys->spreads; n++) {
    hn_sys_spread *x = &sys->spread[n];
    for (int k = 0; k < 144; k++) x->place[k] = -1;
    for (int k = 0; k < 4; k++) list_places(sys, x, k / 2, k % 2, first);
  }
  free(first);
  if (!ok) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
}
