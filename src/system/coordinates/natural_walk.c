// natural_walk.c: bodies in natural coordinates from the ground outwards, and an order in which
// matrices over coordinates and rows are eliminated with little fill.
//
// Neighbours are bodies that share a generator or a row. A coordinate belongs to the first body
// that has it, a row to the last body that owns one of its coordinates. Eliminated are the bodies
// from the last to the first, the coordinates of each before its rows, so that every row meets
// something to divide by.
#include "system/coordinates/natural.h"

#include <stdlib.h>

int hn_natural_width(const hn_system *sys, int body) {
  hn_body_kind kind = sys->body[body].kind;
  return kind == HN_PLANAR || kind == HN_PLANAR_POINT ? 2 : 3;
}

// Two lists by counting: the first pass counts into places two further on, the second fills, which
// leaves the starts where they belong.
static bool make_lists(hn_natural_walk *w, const hn_system *sys) {
  const hn_natural *n = hn_natural_own(sys);
  size_t nv = (size_t)sys->nv, bodies = (size_t)sys->bodies;
  w->body_start = calloc(nv + 2, sizeof(int));
  w->row_start = calloc(nv + 2, sizeof(int));
  w->body = malloc((12 * bodies + 1) * sizeof(int));
  w->row = malloc(((size_t)n->start[sys->rows] + 1) * sizeof(int));
  w->order = malloc(bodies * sizeof(int));
  if (!w->body_start || !w->row_start || !w->body || !w->row || !w->order) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 1; b < sys->bodies; b++)
      for (int k = 0; k < n->body[b].count; k++)
        for (int c = 0; n->body[b].g[k].index >= 0 && c < hn_natural_width(sys, b); c++) {
          int *at = &w->body_start[n->body[b].g[k].index + c + 2 - pass];
          if (pass) w->body[*at] = b;
          ++*at;
        }
    for (int i = 0; i < sys->rows; i++)
      for (int e = n->start[i]; e < n->start[i + 1]; e++) {
        int *at = &w->row_start[n->column[e] + 2 - pass];
        if (pass) w->row[*at] = i;
        ++*at;
      }
    for (int j = 0; !pass && j < sys->nv; j++) {
      w->body_start[j + 2] += w->body_start[j + 1];
      w->row_start[j + 2] += w->row_start[j + 1];
    }
  }
  return true;
}

// the bodies seen so far stand in w->order; those up to `begin` have been visited
typedef struct visitor {
  hn_natural_walk *w;
  bool *seen;
  int end;
} visitor;

static void see(visitor *v, int body) {
  if (v->seen[body]) return;
  v->seen[body] = true;
  v->w->order[v->end++] = body;
}

static void see_neighbours(visitor *v, const hn_natural *n, int j) {
  const hn_natural_walk *w = v->w;
  for (int r = w->row_start[j]; r < w->row_start[j + 1]; r++)
    for (int e = n->start[w->row[r]]; e < n->start[w->row[r] + 1]; e++)
      for (int b = w->body_start[n->column[e]]; b < w->body_start[n->column[e] + 1]; b++)
        see(v, w->body[b]);
  for (int b = w->body_start[j]; b < w->body_start[j + 1]; b++) see(v, w->body[b]);
}

// fixed generators, or a joint's row that touches no other body
static bool grounded(const hn_natural_walk *w, const hn_system *sys, int body) {
  const hn_natural *n = hn_natural_own(sys);
  for (int k = 0; k < n->body[body].count; k++) {
    int first = n->body[body].g[k].index;
    if (first < 0) return true;
    for (int r = w->row_start[first]; r < w->row_start[first + 1]; r++) {
      int row = w->row[r], inside = 0;
      if (n->row[row].body > 0) continue;
      for (int e = n->start[row]; e < n->start[row + 1]; e++)
        for (int b = w->body_start[n->column[e]]; b < w->body_start[n->column[e] + 1]; b++)
          inside += w->body[b] == body;
      if (inside == n->start[row + 1] - n->start[row]) return true;
    }
  }
  return false;
}

// Breadth first from all bodies that touch the ground at once, then from the first body not reached
// yet.
bool hn_natural_walk_create(hn_natural_walk *w, const hn_system *sys) {
  const hn_natural *n = hn_natural_own(sys);
  visitor v = {.w = w, .seen = calloc((size_t)sys->bodies, sizeof(bool))};
  *w = (hn_natural_walk){0};
  bool ok = v.seen && make_lists(w, sys);
  for (int b = 1; b < sys->bodies && ok; b++)
    if (grounded(w, sys, b)) see(&v, b);
  for (int next = 1; next <= sys->bodies && ok; next++) {
    for (; w->count < v.end; w->count++) {
      int b = w->order[w->count];
      for (int k = 0; k < n->body[b].count; k++)
        for (int c = 0; n->body[b].g[k].index >= 0 && c < hn_natural_width(sys, b); c++)
          see_neighbours(&v, n, n->body[b].g[k].index + c);
    }
    if (next < sys->bodies && !v.seen[next]) see(&v, next);
  }
  free(v.seen);
  return ok;
}

void hn_natural_walk_release(hn_natural_walk *w) {
  free(w->body_start), free(w->body), free(w->row_start), free(w->row), free(w->order);
}

// Chains come out with bounded fill: a body that goes leaves couplings with the one before it
// alone.
bool hn_natural_order(const hn_system *sys, int *order) {
  const hn_natural *n = hn_natural_own(sys);
  hn_natural_walk w;
  int *owner = malloc(((size_t)sys->nv + 1) * sizeof(int)), count = 0;
  int *last = malloc(((size_t)sys->rows + 1) * sizeof(int));
  bool ok = hn_natural_walk_create(&w, sys) && owner && last;
  for (int j = 0; ok && j < sys->nv; j++) owner[j] = -1;
  for (int o = 0; ok && o < w.count; o++) {
    const hn_natural_body *b = &n->body[w.order[o]];
    for (int k = 0; k < b->count; k++)
      for (int c = 0; b->g[k].index >= 0 && c < hn_natural_width(sys, w.order[o]); c++)
        if (owner[b->g[k].index + c] < 0) owner[b->g[k].index + c] = o;
  }
  for (int i = 0; ok && i < sys->rows; i++) {
    last[i] = 0;
    for (int e = n->start[i]; e < n->start[i + 1]; e++)
      if (owner[n->column[e]] > last[i]) last[i] = owner[n->column[e]];
  }
  // by counting: what belongs to body o goes to places that lie one after the other
  int *start = calloc((size_t)sys->bodies + 1, sizeof(int));
  ok = ok && start;
  for (int pass = 0; ok && pass < 2; pass++) {
    for (int j = 0; j < sys->nv; j++)
      pass ? (void)(order[start[owner[j]]++] = j) : (void)start[owner[j]]++;
    for (int i = 0; i < sys->rows; i++)
      pass ? (void)(order[start[last[i]]++] = sys->nv + i) : (void)start[last[i]]++;
    for (int o = w.count - 1; !pass && o >= 0; o--) {
      int here = start[o];
      start[o] = count;
      count += here;
    }
  }
  free(start), free(owner), free(last);
  hn_natural_walk_release(&w);
  return ok;
}
