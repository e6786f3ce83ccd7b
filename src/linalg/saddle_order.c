// saddle_order.c: in which order the bodies and groups are eliminated.
//
// Greedy: of all nodes that may go, take the one that costs least now; equal costs go first to
// the node that waits for the fewest others (short dependency chains run in parallel inside the
// processor), then to the lower index, so that the order is the same everywhere.
//
// A body may always go: its pivot is W plus something positive. A group may not: before enough
// bodies are gone its pivot is singular even when J has full row rank. The rule: let find(b) be
// the nearest living body at or above b in the spanning tree, the ground where there is none.
// Group g may go when find(b) is the same for all its bodies (and is the ground when g acts on
// the ground: it has one body only, lists one of size 0, or is said to). For a joint between a body
// and its parent this means: when the body is gone.
//
// Why this is safe: by the rule the eliminated groups fall into clusters, one for each living
// body x (or the ground), and touch only x and the dead bodies below it. The pivots are regular
// when the rows of each cluster, without the columns of x, have full rank. These rows do not act
// on the ground, so whatever velocity x has, the dead bodies can move along with it and leave
// every row at zero: the columns of x depend on the others and their absence lowers no rank.
// A constraint that is not indifferent to such a common motion acts on the ground in this sense.
// Without parents every body hangs on the ground and the rule asks for all bodies of the group.
#include "linalg/saddle_internal.h"

#include <limits.h>

// everything the greedy loop keeps; one entry per node unless said otherwise
typedef struct greedy {
  hn_saddle_order *o;
  const hn_saddle_graph *graph;
  hn_arena arena;
  int *head;  // first incidence of the node, -1 when it has none
  int *dead;
  int *level;     // longest chain of pivots this one waits for
  long *degree;   // how many living neighbours
  long *sum;      // their sizes together
  long *penalty;  // groups: what spoiling the diagonal pivots of neighbours will cost
  long *cost;
  int *heap;        // eligible living nodes
  int *heap_place;  // where a node lies in the heap, -1 when it does not
  int nheap;
  int *up;          // nbody + 1: towards find(b); the last entry is the ground
  int *depth;       // nbody + 1: in the spanning tree
  int *watch_head;  // bodies: the groups that wait for this one
  int *watch_next;  // groups (indexed as nodes)
} greedy;

static void layout(greedy *s, hn_arena *a, int nbody, int nnode) {
  s->head = HN_TAKE(a, int, nnode);
  s->dead = HN_TAKE(a, int, nnode);
  s->level = HN_TAKE(a, int, nnode);
  s->degree = HN_TAKE(a, long, nnode);
  s->sum = HN_TAKE(a, long, nnode);
  s->penalty = HN_TAKE(a, long, nnode);
  s->cost = HN_TAKE(a, long, nnode);
  s->heap = HN_TAKE(a, int, nnode);
  s->heap_place = HN_TAKE(a, int, nnode);
  s->up = HN_TAKE(a, int, nbody + 1);
  s->depth = HN_TAKE(a, int, nbody + 1);
  s->watch_head = HN_TAKE(a, int, nbody);
  s->watch_next = HN_TAKE(a, int, nnode);
}

static void order_layout(hn_saddle_order *o, hn_arena *a) {
  o->size = HN_TAKE(a, int, o->nnode);
  o->pivot = HN_TAKE(a, int, o->nnode);
  o->position = HN_TAKE(a, int, o->nnode);
  o->first = HN_TAKE(a, int, o->nnode + 2);
  o->touched = HN_TAKE(a, int, o->nnode);
}

void hn_saddle_order_clear(hn_saddle_order *o) {
  free(o->arena.base);
  free(o->link);
  free(o->edge);
  free(o->table);
}

// room for one more element in an array that doubles; 0 when out of memory
static int grow(void **array, int *capacity, int count, size_t size) {
  if (count < *capacity) return 1;
  int wanted = *capacity < 64 ? 64 : 2 * *capacity;
  void *grown = realloc(*array, (size_t)wanted * size);
  if (!grown) return 0;
  *array = grown;
  *capacity = wanted;
  return 1;
}

// ---- edges ----

static unsigned hash(int a, int b) {
  uint64_t x = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9e3779b97f4a7c15u;
  return (unsigned)(x >> 32);
}

// the place in the table where the edge {a, b} is or would be
static int table_place(const hn_saddle_order *o, int a, int b) {
  int lo = a < b ? a : b, hi = a < b ? b : a, mask = o->table_size - 1;
  int at = (int)(hash(lo, hi) & (unsigned)mask);
  while (o->table[at]) {
    const hn_saddle_edge *e = &o->edge[o->table[at] - 1];
    if (e->node[0] == lo && e->node[1] == hi) break;
    at = (at + 1) & mask;
  }
  return at;
}

int hn_saddle_order_edge(const hn_saddle_order *o, int a, int b) {
  return o->table_size ? o->table[table_place(o, a, b)] - 1 : -1;
}

// keep the table at most half full
static int table_grow(hn_saddle_order *o) {
  if (2 * (o->nedge + 1) <= o->table_size) return 1;
  int size = o->table_size ? 2 * o->table_size : 256;
  int *table = calloc((size_t)size, sizeof *table);
  if (!table) return 0;
  free(o->table);
  o->table = table;
  o->table_size = size;
  for (int e = 0; e < o->nedge; e++)
    table[table_place(o, o->edge[e].node[0], o->edge[e].node[1])] = e + 1;
  return 1;
}

static int add_edge(greedy *s, int a, int b, int block, int pin) {
  hn_saddle_order *o = s->o;
  void *edge = o->edge;
  int ok = grow(&edge, &o->edge_capacity, o->nedge, sizeof *o->edge);
  o->edge = edge;
  if (!ok || !table_grow(o)) return 0;
  int at = table_place(o, a, b), e = o->nedge++;
  int lo = a < b ? a : b, hi = a < b ? b : a;
  o->edge[e] = (hn_saddle_edge){{lo, hi}, {s->head[lo], s->head[hi]}, block, pin};
  o->table[at] = e + 1;
  s->head[lo] = 2 * e;
  s->head[hi] = 2 * e + 1;
  s->degree[a]++, s->degree[b]++;
  s->sum[a] += o->size[b];
  s->sum[b] += o->size[a];
  return 1;
}

// ---- heap of the nodes that may go, least cost on top ----

static int before(const greedy *s, int a, int b) {
  if (s->cost[a] != s->cost[b]) return s->cost[a] < s->cost[b];
  if (s->level[a] != s->level[b]) return s->level[a] < s->level[b];
  return a < b;
}

static void heap_put(greedy *s, int at, int node) {
  s->heap[at] = node;
  s->heap_place[node] = at;
}

static void heap_sift(greedy *s, int at) {
  int node = s->heap[at];
  for (int up; at > 0 && before(s, node, s->heap[up = (at - 1) / 2]); at = up)
    heap_put(s, at, s->heap[up]);
  for (int down; (down = 2 * at + 1) < s->nheap; at = down) {
    if (down + 1 < s->nheap && before(s, s->heap[down + 1], s->heap[down])) down++;
    if (!before(s, s->heap[down], node)) break;
    heap_put(s, at, s->heap[down]);
  }
  heap_put(s, at, node);
}

static int heap_pop(greedy *s) {
  int node = s->heap[0], last = s->heap[--s->nheap];
  s->heap_place[node] = -1;
  if (s->nheap > 0) {
    heap_put(s, 0, last);
    heap_sift(s, 0);
  }
  return node;
}

// ---- cost ----

long hn_saddle_pivot_flops(int n, long sum, int diagonal) {
  long updates = n + n * sum + (sum * sum + sum) / 2 * n;  // half of each block on the diagonal
  return diagonal ? updates : updates + (long)n * (n * n - 1) / 3 + (long)n * (n - 1) / 2 * sum;
}

// the same with what goes on beside the multiply-adds: a constant for the pivot, for each
// neighbour and each pair of them, divisions and copies of pivots that are not diagonal; fitted
// to measured times
static long price(int n, long sum, long degree, int diagonal) {
  long beside = 30 + 10 * degree + 4 * degree * (degree + 1);
  return hn_saddle_pivot_flops(n, sum, diagonal) + beside + (diagonal ? 0 : 20 * n + n * sum);
}

// what it costs later when the pivot of a body is no longer diagonal
static long spoil(long n) {
  return n * n * n;
}

// to be called when anything in the cost of a node has changed
static void update(greedy *s, int node) {
  int diagonal = node < s->o->nbody && !s->o->touched[node];
  s->cost[node] =
      price(s->o->size[node], s->sum[node], s->degree[node], diagonal) + s->penalty[node];
  if (s->heap_place[node] >= 0) heap_sift(s, s->heap_place[node]);
}

static void offer(greedy *s, int node) {
  s->heap_place[node] = s->nheap;
  s->heap[s->nheap++] = node;
  heap_sift(s, s->nheap - 1);
}

// when the diagonal pivot of a body is spoilt its neighbours need no longer hesitate to do so.
// A diagonal pivot is inverted by divisions alone; the first update makes it full.
static void touch(greedy *s, int node) {
  if (s->o->touched[node]) return;
  s->o->touched[node] = 1;
  if (node >= s->o->nbody) return;
  for (int i = s->head[node]; i >= 0; i = s->o->edge[i / 2].next[i % 2]) {
    int other = hn_saddle_link_later(s->o, i);
    if (other < s->o->nbody || s->dead[other]) continue;
    s->penalty[other] -= spoil(s->o->size[node]);
    update(s, other);
  }
}

// ---- when a group may go ----

static int find(greedy *s, int body) {
  while (s->up[body] != body) body = s->up[body] = s->up[s->up[body]];
  return body;
}

// offer the group, or let it wait for the lowest body that stands in its way.
// Called when a group is new, and again whenever the body it waits for has gone
static void consider(greedy *s, int group) {
  const hn_saddle_graph *g = s->graph;
  int ground = g->nbody, from = g->group_start[group], to = g->group_start[group + 1];
  int same = 1, lowest = ground;
  int seen = to - from < 2 || (g->grounded && g->grounded[group]) ? ground : -1;
  for (int i = from; i < to; i++) {
    int top = find(s, g->body_size[g->group_body[i]] ? g->group_body[i] : ground);
    if (seen >= 0 && top != seen) same = 0;
    if (s->depth[top] > s->depth[lowest]) lowest = top;
    seen = top;
  }
  if (same) {
    offer(s, g->nbody + group);
  } else {
    s->watch_next[g->nbody + group] = s->watch_head[lowest];
    s->watch_head[lowest] = group;
  }
}

static void bury(greedy *s, int body) {
  int parent = s->graph->parent ? s->graph->parent[body] : -1;
  s->up[body] = parent >= 0 && s->graph->body_size[parent] ? parent : s->graph->nbody;
  int group = s->watch_head[body];
  while (group >= 0) {
    int next = s->watch_next[s->graph->nbody + group];
    consider(s, group);
    group = next;
  }
}

// depth in the tree; the way down is remembered in watch_head, not yet in use
static void find_depths(greedy *s) {
  const hn_saddle_graph *g = s->graph;
  for (int b = 0; b < g->nbody; b++) {
    int below = -1, at = b;
    while (at >= 0 && s->depth[at] == 0) {
      s->watch_head[at] = below;
      below = at;
      at = g->parent && g->body_size[at] ? g->parent[at] : -1;
    }
    int depth = at >= 0 ? s->depth[at] : 0;
    for (; below >= 0; below = s->watch_head[below]) s->depth[below] = ++depth;
  }
}

// ---- elimination ----

// Neighbours become a clique: fill. Their costs are brought up to date when all edges are there.
static int eliminate(greedy *s, int p) {
  hn_saddle_order *o = s->o;
  int from = o->nlink;
  s->dead[p] = 1;
  o->position[p] = o->npivot;
  o->pivot[o->npivot++] = p;
  for (int i = s->head[p]; i >= 0; i = o->edge[i / 2].next[i % 2]) {
    if (s->dead[hn_saddle_link_later(o, i)]) continue;
    void *link = o->link;
    int ok = grow(&link, &o->link_capacity, o->nlink, sizeof *o->link);
    o->link = link;
    if (!ok) return 0;
    o->link[o->nlink++] = i;
  }
  o->first[o->npivot] = o->nlink;
  long degree = o->nlink - from;
  o->code_size += HN_REC_HEADER + HN_NEAR_INTS * degree + degree * (degree + 1) / 2;
  if (o->code_size > INT_MAX) return 0;
  for (int i = from; i < o->nlink; i++) {
    int a = hn_saddle_link_later(o, o->link[i]);
    s->degree[a]--;
    s->sum[a] -= o->size[p];
    if (s->level[a] <= s->level[p]) s->level[a] = s->level[p] + 1;
    for (int j = from; j < i; j++) {
      int b = hn_saddle_link_later(o, o->link[j]);
      if (hn_saddle_order_edge(o, a, b) < 0 && !add_edge(s, a, b, -1, 0)) return 0;
    }
  }
  for (int i = from; i < o->nlink; i++) {
    int a = hn_saddle_link_later(o, o->link[i]);
    touch(s, a);
    update(s, a);
  }
  if (p < o->nbody) bury(s, p);
  return 1;
}

static int start(greedy *s) {
  const hn_saddle_graph *g = s->graph;
  hn_saddle_order *o = s->o;
  for (int i = 0; i < o->nnode; i++) {
    o->size[i] = i < g->nbody ? g->body_size[i] : g->group_size[i - g->nbody];
    o->position[i] = s->head[i] = s->heap_place[i] = -1;
    s->dead[i] = o->size[i] == 0;
  }
  find_depths(s);
  for (int b = 0; b < g->nbody; b++) s->watch_head[b] = -1;
  for (int b = 0; b <= g->nbody; b++) s->up[b] = b;
  for (int k = 0; k < g->ngroup; k++) {
    if (g->group_size[k] == 0) continue;
    for (int i = g->group_start[k]; i < g->group_start[k + 1]; i++) {
      int b = g->group_body[i];
      if (g->body_size[b] == 0) continue;
      if (!add_edge(s, b, g->nbody + k, g->block_offset[i], g->pin && g->pin[i])) return 0;
      s->penalty[g->nbody + k] += spoil(g->body_size[b]);
    }
  }
  for (int i = 0; i < o->nnode; i++) update(s, i);
  for (int b = 0; b < g->nbody; b++)
    if (g->body_size[b]) offer(s, b);
  for (int k = 0; k < g->ngroup; k++)
    if (g->group_size[k]) consider(s, k);
  return 1;
}

// ---- the final sequence ----

// bodies that nothing touched may go at any time before their first neighbour; just before it is
// best. What they add to is then still at hand, and while the processor waits for the divisions
// of one group it can work on the next bodies
static void delay_bodies(greedy *s) {
  hn_saddle_order *o = s->o;
  int *head = s->head, *next = s->heap, *pivot = s->heap_place, count = 0;
  for (int i = 0; i < o->nnode; i++) head[i] = -1;
  for (int t = o->npivot - 1; t >= 0; t--) {
    int p = o->pivot[t], first = o->npivot;
    if (p >= o->nbody || o->touched[p]) continue;
    for (int i = o->first[t]; i < o->first[t + 1]; i++) {
      int place = o->position[hn_saddle_link_later(o, o->link[i])];
      if (place < first) first = place;
    }
    if (first == o->npivot) continue;
    next[p] = head[o->pivot[first]];
    head[o->pivot[first]] = p;
    o->position[p] = -1;
  }
  for (int t = 0; t < o->npivot; t++) {
    int p = o->pivot[t];
    if (o->position[p] < 0) continue;
    for (int b = head[p]; b >= 0; b = next[b]) pivot[count++] = b;
    pivot[count++] = p;
  }
  for (int t = 0; t < count; t++) {
    o->pivot[t] = pivot[t];
    o->position[pivot[t]] = t;
  }
}

// to = from sorted by the place of one end of the links, otherwise in the same order; afterwards
// first[t] is where those of place t begin
static void sort_links(hn_saddle_order *o, const int *from, int *to, int later) {
  memset(o->first, 0, ((size_t)o->npivot + 2) * sizeof *o->first);
  for (int i = 0; i < o->nlink; i++) {
    int node = later ? hn_saddle_link_later(o, from[i]) : hn_saddle_link_pivot(o, from[i]);
    o->first[o->position[node] + 2]++;
  }
  for (int t = 0; t < o->npivot; t++) o->first[t + 2] += o->first[t + 1];
  for (int i = 0; i < o->nlink; i++) {
    int node = later ? hn_saddle_link_later(o, from[i]) : hn_saddle_link_pivot(o, from[i]);
    to[o->first[o->position[node] + 1]++] = from[i];
  }
}

static int schedule(greedy *s) {
  hn_saddle_order *o = s->o;
  int *sorted = malloc(((size_t)o->nlink + 1) * sizeof *sorted);
  if (!sorted) return 0;
  delay_bodies(s);
  // by pivot, and for each pivot in the order of elimination
  sort_links(o, o->link, sorted, 1);
  sort_links(o, sorted, o->link, 0);
  free(sorted);
  return 1;
}

int hn_saddle_order_find(hn_saddle_order *o, const hn_saddle_graph *graph) {
  memset(o, 0, sizeof *o);
  o->nbody = graph->nbody;
  o->nnode = graph->nbody + graph->ngroup;
  greedy s = {.o = o, .graph = graph};
  order_layout(o, &o->arena);
  layout(&s, &s.arena, o->nbody, o->nnode);
  int ok = hn_arena_allocate(&o->arena) && hn_arena_allocate(&s.arena);
  if (ok) {
    order_layout(o, &o->arena);
    layout(&s, &s.arena, o->nbody, o->nnode);
    ok = start(&s);
    while (ok && s.nheap > 0) ok = eliminate(&s, heap_pop(&s));
    ok = ok && schedule(&s);
  }
  free(s.arena.base);
  return ok;
}
