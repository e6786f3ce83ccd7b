// order.c: approximate minimum degree, by SuiteSparse's AMD where it is there and the graph is
// large (small.h).
//
// Our own keeps the graph of what is left as AMD does (P. Amestoy, T. A. Davis, I. S. Duff, 1996):
// eliminated nodes live on as elements, the sets of neighbours they had. A node that is eliminated
// takes in its elements; its degree is bounded from above by the sizes of the sets it belongs to.
#include "linalg/order.h"

#include <stdlib.h>
#include <string.h>

#ifndef HN_MINIMAL
#include <amd.h>

#include "linalg/small.h"
#endif

typedef struct list {  // grows by doubling
  int *item, count, room;
} list;

typedef struct graph {
  int n;
  list *near,
      *sets;   // of a node: neighbours left, elements it belongs to; of an element: its nodes
  char *gone;  // 1: eliminated, an element; 2: an element taken in by another
  int *mark, stamp;
  int *degree, *first, *next, *last;  // nodes of equal degree, doubly linked
} graph;

// a list of its own for each node: total memory is that of the graph
static bool append(list *l, int item) {
  if (l->count == l->room) {
    int room = 2 * l->room + 4, *grown = realloc(l->item, (size_t)room * sizeof *grown);
    if (!grown) return false;
    l->item = grown, l->room = room;
  }
  l->item[l->count++] = item;
  return true;
}

// in front of its degree's list
static void insert(graph *g, int node, int degree) {
  g->degree[node] = degree;
  g->last[node] = -1;
  g->next[node] = g->first[degree];
  if (g->first[degree] >= 0) g->last[g->first[degree]] = node;
  g->first[degree] = node;
}

static void take_out(graph *g, int node) {
  if (g->last[node] >= 0)
    g->next[g->last[node]] = g->next[node];
  else
    g->first[g->degree[node]] = g->next[node];
  if (g->next[node] >= 0) g->last[g->next[node]] = g->last[node];
}

// who is left of a node's neighbours and of its elements' nodes: the element it becomes.
// Elements that are taken in are gone for good: their nodes are all in the new one, and their
// memory is free.
static bool collect(graph *g, int node, list *element) {
  // k = -1: its own neighbours, then those of its elements
  g->mark[node] = ++g->stamp;
  for (int k = -1; k < g->sets[node].count; k++) {
    int set = k < 0 ? node : g->sets[node].item[k];
    // taken in by another: its nodes are seen there
    if (k >= 0 && g->gone[set] == 2) continue;
    for (int i = 0; i < g->near[set].count; i++) {
      int other = g->near[set].item[i];
      if (g->gone[other] || g->mark[other] == g->stamp) continue;
      g->mark[other] = g->stamp;
      if (!append(element, other)) return false;
    }
    if (k >= 0) {
      g->gone[set] = 2;
      free(g->near[set].item);
      g->near[set] = (list){0};
    }
  }
  return true;
}

// a node of the new element sees the others by it alone.
// The bound counts a neighbour as often as it is in several sets: never too small, which is all
// that is asked of it.
static bool update(graph *g, int node, int element) {
  list *near = &g->near[node], *sets = &g->sets[node];
  int kept = 0, bound = g->near[element].count - 1;
  for (int i = 0; i < near->count; i++)
    // what the new element covers needs no mention of its own
    if (!g->gone[near->item[i]] && g->mark[near->item[i]] != g->stamp)
      near->item[kept++] = near->item[i];
  near->count = kept;
  bound += kept;
  kept = 0;
  for (int i = 0; i < sets->count; i++)
    // elements taken in are forgotten
    if (g->gone[sets->item[i]] == 1 && sets->item[i] != element) {
      bound += g->near[sets->item[i]].count - 1;
      sets->item[kept++] = sets->item[i];
    }
  sets->count = kept;
  if (!append(sets, element)) return false;
  take_out(g, node);
  insert(g, node, bound < g->n - 1 ? bound : g->n - 1);
  return true;
}

static bool eliminate_all(graph *g, int *order) {
  // least: no node has a smaller degree; goes down again by what `update` says
  for (int k = 0, least = 0; k < g->n; k++) {
    while (g->first[least] < 0) least++;
    int node = g->first[least];
    list element = {0};
    take_out(g, node);
    bool ok = collect(g, node, &element);
    free(g->near[node].item);
    g->near[node] = element;
    if (!ok) return false;
    g->gone[node] = 1;
    order[k] = node;
    // every node of the new element has it now
    for (int i = 0; i < element.count; i++) {
      if (!update(g, element.item[i], node)) return false;
      if (g->degree[element.item[i]] < least) least = g->degree[element.item[i]];
    }
  }
  return true;
}

static bool begin(graph *g, const int *start, const int *other) {
  size_t n = (size_t)g->n + 1;
  g->near = calloc(n, sizeof *g->near), g->sets = calloc(n, sizeof *g->sets);
  g->gone = calloc(n, 1), g->mark = calloc(n, sizeof(int));
  g->degree = calloc(n, sizeof(int)), g->first = calloc(n, sizeof(int));
  g->next = calloc(n, sizeof(int)), g->last = calloc(n, sizeof(int));
  if (!g->near || !g->sets || !g->gone || !g->mark || !g->degree || !g->first || !g->next ||
      !g->last)
    return false;
  for (int i = 0; i < g->n; i++) g->first[i] = -1;
  // in reverse, so that equal degrees go by their numbers
  for (int i = g->n - 1; i >= 0; i--) {
    for (int k = start[i]; k < start[i + 1]; k++)
      // i itself is no neighbour
      if (other[k] != i && !append(&g->near[i], other[k])) return false;
    insert(g, i, g->near[i].count < g->n - 1 ? g->near[i].count : g->n - 1);
  }
  return true;
}

bool hn_order_least_fill(int n, const int *start, const int *other, int *order) {
#ifndef HN_MINIMAL
  if (n > HN_SMALL) {
    double control[AMD_CONTROL], info[AMD_INFO];
    // AMD_OK_BUT_JUMBLED is as good
    amd_defaults(control);
    return amd_order(n, start, other, order, control, info) >= AMD_OK;
  }
#endif
  graph g = {.n = n};
  bool ok = begin(&g, start, other) && eliminate_all(&g, order);
  for (int i = 0; g.near && g.sets && i < n; i++) free(g.near[i].item), free(g.sets[i].item);
  free(g.near), free(g.sets), free(g.gone), free(g.mark);
  free(g.degree), free(g.first), free(g.next), free(g.last);
  return ok;
}
