// workshop.c: see workshop.h.
#include "compile/workshop.h"

#include <stdlib.h>
#include <string.h>

// A compilation has a plan of each kind of coordinates and one of assembly, if something is held;
// members with other rows have others. Whoever comes late keeps his own.
enum { MOST_PLANS = 16 };

typedef struct kept_plan {
  int *key, count;
  hn_saddle_plan *plan;
} kept_plan;

struct hn_workshop {
  bool bare, known;
  hn_options options;  // found good
  int plans;
  kept_plan plan[MOST_PLANS];
  unsigned char *block[HN_BENCHES];
  size_t room[HN_BENCHES];
  bool taken[HN_BENCHES];
};

hn_workshop *hn_workshop_create(bool bare) {
  hn_workshop *w = calloc(1, sizeof *w);
  if (w) w->bare = bare;
  return w;
}

void hn_workshop_destroy(hn_workshop *w) {
  for (int i = 0; w && i < w->plans; i++) {
    free(w->plan[i].key);
    hn_saddle_plan_destroy(w->plan[i].plan);
  }
  for (int i = 0; w && i < HN_BENCHES; i++) free(w->block[i]);
  free(w);
}

bool hn_workshop_bare(const hn_workshop *w) {
  return w && w->bare;
}

// one that is in use already is not given out twice
bool hn_workshop_take(hn_workshop *w, hn_bench_place place, hn_arena *a) {
  size_t size = a->used;
  if (!w || w->taken[place]) return hn_arena_allocate(a);
  w->taken[place] = true;
  if (w->room[place] >= size) {
    a->base = w->block[place];
    memset(a->base, 0, size);
    a->used = a->structs = 0;
    return true;
  }
  free(w->block[place]);
  w->room[place] = 0;
  w->taken[place] = hn_arena_allocate(a);
  w->block[place] = a->base;
  if (a->base) w->room[place] = size;
  return a->base;
}

void hn_workshop_give(hn_workshop *w, hn_bench_place place, hn_arena *a) {
  if (w && w->taken[place] && a->base == w->block[place])
    w->taken[place] = false;
  else
    free(a->base);
  a->base = NULL;
}

hn_saddle_plan *hn_workshop_plan(const hn_workshop *w, const int *key, int count) {
  for (int i = 0; w && i < w->plans; i++)
    if (w->plan[i].count == count && memcmp(w->plan[i].key, key, (size_t)count * sizeof *key) == 0)
      return w->plan[i].plan;
  return NULL;
}

bool hn_workshop_keep_plan(hn_workshop *w, const int *key, int count, hn_saddle_plan *plan) {
  int *copy = w && w->plans < MOST_PLANS ? malloc((size_t)count * sizeof *copy) : NULL;
  if (!copy) return false;
  memcpy(copy, key, (size_t)count * sizeof *copy);
  w->plan[w->plans++] = (kept_plan){copy, count, plan};
  return true;
}

// byte for byte: padding that differs costs a check
bool hn_workshop_knows(const hn_workshop *w, const hn_options *options) {
  return w && w->known && memcmp(&w->options, options, sizeof *options) == 0;
}

void hn_workshop_know(hn_workshop *w, const hn_options *options) {
  if (!w) return;
  memcpy(&w->options, options, sizeof *options);
  w->known = true;
}
