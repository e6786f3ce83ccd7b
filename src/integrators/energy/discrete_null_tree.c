// discrete_null_tree.c: the tree of bodies behind discrete_null.h, and which rows belong where.
//
// Bodies come from the ground outwards (natural_walk.c). A coordinate belongs to the first body
// that has it; bodies to which none belongs need no twist. The parent is the body visited earlier
// that holds a body by most rows.
#include "integrators/energy/discrete_null.h"

#include <stdlib.h>
#include <string.h>

// lists grow one by one: they are made once, when the run is created
static bool add_item(int **list, int *count, int value) {
  int *grown = realloc(*list, ((size_t)*count + 1) * sizeof(int));
  if (!grown) return false;
  *list = grown;
  grown[(*count)++] = value;
  return true;
}

static int twist_size(const hn_system *sys, int body) {
  hn_body_kind kind = sys->body[body].kind;
  return kind == HN_SPATIAL ? 6 : kind == HN_PLANAR_POINT ? 2 : 3;
}

// among the generators of a body
static bool has(const hn_natural *n, int body, int first) {
  for (int k = 0; k < n->body[body].count; k++)
    if (n->body[body].g[k].index == first) return true;
  return false;
}

static bool is_rigidity(const hn_system *sys, int row) {
  return hn_natural_own(sys)->row[row].body > 0;
}

static bool own(hn_null_space *s, const hn_natural_walk *v) {
  const hn_system *sys = s->sys;
  for (int k = 0; k < sys->nv; k++) s->owner[k] = -1;
  for (int b = 0; b < sys->bodies; b++) s->of_body[b] = -1;
  for (int o = 0; o < v->count; o++) {
    int body = v->order[o];
    const hn_natural_body *of = &hn_natural_own(sys)->body[body];
    hn_null_node *n = &s->node[s->nodes];
    for (int k = 0; k < of->count; k++)
      for (int c = 0; of->g[k].index >= 0 && c < hn_natural_width(sys, body); c++) {
        int j = of->g[k].index + c;
        if (s->owner[j] >= 0) continue;
        s->owner[j] = s->nodes;
        s->first[j] = of->g[k].index;
        s->vector[j] = of->g[k].vector;
        if (!add_item(&n->own, &n->owns, j)) return false;
      }
    if (!n->owns) continue;
    n->body = body, n->size = twist_size(sys, body);
    s->of_body[body] = s->nodes++;
  }
  return true;
}

// ---- parents -------------------------------------------------------------------------------

// the node a row hangs on, besides b: -1 none, -2 several
static int other_end(const hn_null_space *s, int row, int b) {
  const hn_natural *n = hn_natural_own(s->sys);
  int other = -1;
  for (int e = n->start[row]; e < n->start[row + 1]; e++) {
    int node = s->owner[n->column[e]];
    if (node == b || node == other) continue;
    if (node > b || other >= 0) return -2;
    other = node;
  }
  return other;
}

// counts: per node, and before them the ground: rows that hold the body looked at
static void choose_parent(hn_null_space *s, const hn_natural_walk *v, int *counts, int b) {
  const hn_natural *n = hn_natural_own(s->sys);
  hn_null_node *node = &s->node[b];
  const hn_natural_body *of = &n->body[node->body];
  int *count = counts + 1;
  memset(counts, 0, ((size_t)b + 1) * sizeof(int));
  for (int k = 0; k < of->count; k++) {
    int first = of->g[k].index;
    // a generator in common weighs as much as three rows
    if (first < 0) count[-1] += 3;
    if (first < 0 || s->owner[first] == b) continue;
    for (int i = v->body_start[first]; i < v->body_start[first + 1]; i++) {
      int other = s->of_body[v->body[i]];
      if (other >= 0 && other < b) count[other] += 3;
    }
  }
  for (int k = 0; k < node->owns; k++) {
    int j = node->own[k];
    for (int r = v->row_start[j]; r < v->row_start[j + 1]; r++) {
      // rows that hang on one earlier node alone, or on none
      int other = other_end(s, v->row[r], b);
      if (other >= -1 && !is_rigidity(s->sys, v->row[r])) count[other]++;
    }
  }
  node->parent = -1;
  for (int k = 0; k < b; k++)
    if (count[k] > count[node->parent]) node->parent = k;
}

// ---- rows ----------------------------------------------------------------------------------

// is a rigidity row met by the twist of a node that has all its generators? The one of the body it
// is named after does, fixed generators being links or loops; others may have the same pair
static bool met_by(const hn_null_space *s, const double *J, int row, int node) {
  const hn_natural *n = hn_natural_own(s->sys);
  double sum[6] = {0}, size = 0;
  if (s->node[node].body == n->row[row].body) return true;
  for (int e = n->start[row]; e < n->start[row + 1]; e++) {
    int j = n->column[e];
    double E[6];
    if (!has(n, s->node[node].body, s->first[j])) return false;
    hn_null_row(s, &s->node[node].mid, s->node[node].size, j, s->sys->q0, E);
    for (int k = 0; k < s->node[node].size; k++) sum[k] += J[e] * E[k];
    size += fabs(J[e]);
  }
  for (int k = 0; k < s->node[node].size; k++)
    if (fabs(sum[k]) > 1e-9 * size * fmax(1, s->sys->length)) return false;
  return true;
}

static bool new_loop(hn_null_space *s, hn_null_loop loop) {
  hn_null_loop *grown = realloc(s->loop, ((size_t)s->loops + 1) * sizeof *grown);
  if (!grown) return false;
  s->loop = grown;
  s->loop[s->loops++] = loop;
  return true;
}

// a row belongs to the last of its nodes: all others it touches are known by then
static bool place_row(hn_null_space *s, const hn_natural_walk *v, const double *J, int row) {
  const hn_natural *n = hn_natural_own(s->sys);
  int last = -1;
  for (int e = n->start[row]; e < n->start[row + 1]; e++)
    if (s->owner[n->column[e]] > last) last = s->owner[n->column[e]];
  if (last < 0) return true;  // nothing moves
  hn_null_node *node = &s->node[last];
  if (is_rigidity(s->sys, row)) {
    int j = n->column[n->start[row]];
    for (int i = v->body_start[j]; i < v->body_start[j + 1]; i++) {
      int k = s->of_body[v->body[i]];
      if (k >= 0 && met_by(s, J, row, k))
        return add_item(&node->rigid, &node->rigids, row) && add_item(&node->all, &node->alls, row);
    }
  }
  bool tree = true;
  for (int e = n->start[row]; e < n->start[row + 1]; e++) {
    int j = n->column[e];
    if (s->owner[j] == last) continue;
    tree = tree && node->parent >= 0 && has(n, s->node[node->parent].body, s->first[j]);
  }
  if (tree) return add_item(&node->row, &node->rows, row) && add_item(&node->all, &node->alls, row);
  return new_loop(s, (hn_null_loop){.row = row});
}

// generators that belong to other bodies
static bool place_links(hn_null_space *s, int b) {
  const hn_natural *n = hn_natural_own(s->sys);
  hn_null_node *node = &s->node[b];
  const hn_natural_body *of = &n->body[node->body];
  bool ok = true;
  for (int k = 0; k < of->count && ok; k++) {
    int first = of->g[k].index, p = node->parent;
    if (first >= 0 && s->owner[first] == b) continue;
    // the parent, or the ground, has it too: part of how the twist follows; else a loop, one per
    // component
    bool held = first < 0 ? p < 0 : p >= 0 && has(n, s->node[p].body, first);
    if (held) {
      ok = add_item(&node->link, &node->links, k);
      continue;
    }
    s->hidden = true;
    for (int c = 0; c < hn_natural_width(s->sys, node->body) && ok; c++)
      ok = new_loop(s, (hn_null_loop){.row = -1,
                                      .node = b,
                                      .owner = first < 0 ? -1 : s->owner[first],
                                      .link = k,
                                      .component = c});
  }
  return ok;
}

static bool touch(hn_null_loop *l, int node) {
  for (int i = 0; i < l->nodes; i++)
    if (l->at[i] == node) return true;
  return add_item(&l->at, &l->nodes, node);
}

static bool place_loops(hn_null_space *s) {
  const hn_natural *n = hn_natural_own(s->sys);
  bool ok = true;
  for (int k = 0; k < s->loops && ok; k++) {
    hn_null_loop *l = &s->loop[k];
    if (l->row < 0) ok = touch(l, l->node) && (l->owner < 0 || touch(l, l->owner));
    for (int e = l->row < 0 ? 0 : n->start[l->row]; l->row >= 0 && e < n->start[l->row + 1]; e++)
      ok = ok && touch(l, s->owner[n->column[e]]);
    l->mid = malloc((6 * (size_t)l->nodes + 1) * sizeof(double));
    l->end = malloc((6 * (size_t)l->nodes + 1) * sizeof(double));
    ok = ok && l->mid && l->end;
  }
  return ok;
}

// rows and links are placed by the parents, so these come first
bool hn_null_tree(hn_null_space *s, const double *J) {
  hn_natural_walk v = {0};
  int *counts = malloc(((size_t)s->sys->bodies + 1) * sizeof(int));
  bool ok = hn_natural_walk_create(&v, s->sys) && counts && own(s, &v);
  for (int b = 0; b < s->nodes && ok; b++) {
    choose_parent(s, &v, counts, b);
    hn_null_origin(s, &s->node[b], s->sys->q0, s->node[b].mid.o);
  }
  for (int i = 0; i < s->sys->rows && ok; i++) ok = place_row(s, &v, J, i);
  for (int b = 0; b < s->nodes && ok; b++) ok = place_links(s, b);
  ok = ok && place_loops(s);
  s->columns = 1 + s->loops;
  hn_natural_walk_release(&v);
  free(counts);
  return ok;
}
