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
  bool quiet, known;
  hn_options options;  // found good
  int plans;
  kept_plan plan[MOST_PLANS];
};

hn_workshop *hn_workshop_create(bool quiet) {
  hn_workshop *w = calloc(1, sizeof *w);
  if (w) w->quiet = quiet;
  return w;
}

void hn_workshop_destroy(hn_workshop *w) {
  for (int i = 0; w && i < w->plans; i++) {
    free(w->plan[i].key);
    hn_saddle_plan_destroy(w->plan[i].plan);
  }
  free(w);
}

bool hn_workshop_quiet(const hn_workshop *w) {
  return w && w->quiet;
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
