// orientation.c: see orientation.h.
//
// The pattern of the independent rows never changes: symbolic analysis is done once, and each sign
// costs a numeric factorisation. Row and column interchanges flip the sign of the determinant alike
// every time, so that changes of it are those of the mechanism.
#include "analysis/orientation.h"

#include "linalg/sparse.h"

#include <stdlib.h>
#include <string.h>

struct hn_orientation {
  hn_sparse *sparse;  // NULL: the rows are not square
  int *from;          // where in J its values stand
};

void hn_orientation_destroy(hn_orientation *o) {
  if (!o) return;
  hn_sparse_destroy(o->sparse);
  free(o->from);
  free(o);
}

// calls `put` for every number of J in a row that counts
typedef void (*put_fn)(void *user, int row, int column, int from);
// groups hold the rows of a joint, dense on its bodies; rows left out as redundant have number -1
static void walk(const hn_system *sys, const int *number, put_fn put, void *user) {
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int r = 0; r < group->rows; r++) {
      if (!sys->active[group->row0 + r]) continue;
      for (int k = group->first; k < group->first + group->bodies; k++) {
        const hn_sys_body *b = &sys->body[sys->group_body[k]];
        for (int c = 0; c < b->nv; c++)
          put(user, number[group->row0 + r], b->v0 + c, sys->block_offset[k] + r * b->nv + c);
      }
    }
  }
}

// compressed columns, filled in two rounds; groups come in the order of their rows
typedef struct pattern {
  int *start, *next, *row, *from;
} pattern;

// first round: how many numbers each column has
static void count(void *user, int row, int column, int from) {
  (void)row, (void)from;
  ((pattern *)user)->start[column + 1]++;
}

// second round: where each of them goes, and where in J it comes from
static void fill(void *user, int row, int column, int from) {
  pattern *p = user;
  int at = p->next[column]++;
  p->row[at] = row;
  p->from[at] = from;
}

// where rows are not square there is nothing to factor, and every sign is 0
hn_orientation *hn_orientation_create(const hn_system *sys) {
  size_t nv = (size_t)sys->nv;
  hn_orientation *o = calloc(1, sizeof *o);
  pattern p = {calloc(nv + 2, sizeof(int)), calloc(nv + 1, sizeof(int)),
               calloc((size_t)sys->j_size + 1, sizeof(int)), NULL};
  int *number = calloc((size_t)sys->rows + 1, sizeof(int)), kept = 0;
  bool ok = o && p.start && p.next && p.row && number;
  if (ok) {
    for (int i = 0; i < sys->rows; i++) number[i] = sys->active[i] ? kept++ : -1;
    o->from = p.from = calloc((size_t)sys->j_size + 1, sizeof(int));
    ok = o->from;
  }
  if (ok && kept == sys->nv) {
    walk(sys, number, count, &p);
    for (size_t i = 0; i < nv; i++) p.start[i + 1] += p.start[i], p.next[i] = p.start[i];
    walk(sys, number, fill, &p);
    o->sparse = hn_sparse_create(sys->nv, p.start, p.row);
    ok = o->sparse;
  }
  free(p.start), free(p.next), free(p.row), free(number);
  if (ok) return o;
  hn_orientation_destroy(o);
  return NULL;
}

int hn_orientation_sign(hn_orientation *o, const hn_work *work) {
  if (!o->sparse) return 0;
  double *value = hn_sparse_values(o->sparse);
  int entries = hn_sparse_entries(o->sparse);
  for (int i = 0; i < entries; i++) value[i] = work->J[o->from[i]];
  return hn_sparse_factor(o->sparse) ? hn_sparse_sign(o->sparse) : 0;
}
