// saddle_plan.c: turns the order of elimination into the program that a factorisation runs.
//
// Storage: first the blocks that are collected while elimination proceeds (pivot blocks, and the
// coupling blocks of pivots that cannot read theirs in J), then for each pivot in turn its
// inverse and its L blocks, so that both sweeps of a solve run through memory in one direction.
#include "linalg/saddle_internal.h"

#include <limits.h>

// what the passes over the order share
typedef struct builder {
  hn_saddle_order order;
  hn_arena arena;
  int *at;             // nodes: place in x or ~place in l
  int *pivot_block;    // nodes: the collected pivot block
  int *pivot_written;  // nodes: whether something was put there
  int *edge_block;     // edges: the collected block, -1 when it is read in J
  int *edge_written;
  long used;  // doubles of block handed out
} builder;

// twice: to measure, then to place
static void builder_layout(builder *b, hn_arena *a) {
  b->at = HN_TAKE(a, int, b->order.nnode);
  b->pivot_block = HN_TAKE(a, int, b->order.nnode);
  b->pivot_written = HN_TAKE(a, int, b->order.nnode);
  b->edge_block = HN_TAKE(a, int, b->order.nedge);
  b->edge_written = HN_TAKE(a, int, b->order.nedge);
}

static void plan_layout(hn_saddle_plan *p, hn_arena *a, long code_size) {
  p->code = HN_TAKE(a, int, code_size);
  p->start = HN_TAKE(a, int, p->npivot + 1);
  p->copy = HN_TAKE(a, hn_saddle_copy, p->ncopy);
  p->scale = HN_TAKE(a, hn_saddle_scale, p->nscale);
}

// its pivot block is W and nothing was added to it
static int is_diagonal(const hn_saddle_order *o, int node) {
  return node < o->nbody && !o->touched[node];
}

// Numbers beyond INT_MAX are found out at the end (build): the plan is thrown away then.
static int take(builder *b, long count) {
  int at = (int)b->used;  // counted in long, so that overflow shows
  b->used += count;
  return at;
}

// hand out the collected blocks and count the lists.
// Blocks of a body that nothing touches are read in J as they lie; all others are copied to where
// fill can be added.
static void place_blocks(builder *b, hn_saddle_plan *plan) {
  const hn_saddle_order *o = &b->order;
  // first pass over the order: how much of everything
  for (int t = 0; t < o->npivot; t++) {
    int p = o->pivot[t], n = o->size[p], diagonal = is_diagonal(o, p);
    long sum = 0;
    if (n > plan->widest) plan->widest = n;
    // a full pivot needs a block of its own
    if (!diagonal) {
      b->pivot_block[p] = take(b, (long)n * n);
      // nobody adds to it: someone must clear it
      plan->ncopy += !o->touched[p];
    }
    for (int i = o->first[t]; i < o->first[t + 1]; i++) {
      int e = o->link[i] / 2, size = o->size[hn_saddle_link_later(o, o->link[i])];
      sum += size;
      // of a diagonal pivot the couplings stay in J
      b->edge_block[e] = diagonal ? -1 : take(b, (long)n * size);
      // from the graph, not fill: there is something to copy
      int from_graph = !diagonal && o->edge[e].block >= 0;
      b->edge_written[e] = from_graph;
      plan->ncopy += from_graph;
      // natural sizes of rows from bodies that are not diagonal
      plan->nscale += from_graph && p < o->nbody;
    }
    plan->flops += hn_saddle_pivot_flops(n, sum, diagonal);
  }
}

// the blocks of J that are not read in place, and the rows' reference values from those bodies
static void write_lists(builder *b, hn_saddle_plan *plan) {
  const hn_saddle_order *o = &b->order;
  hn_saddle_copy *copy = plan->copy;
  hn_saddle_scale *scale = plan->scale;
  // a group without bodies gets its pivot block from nobody
  for (int i = o->nbody; i < o->nnode; i++)
    if (o->size[i] && !o->touched[i])
      *copy++ = (hn_saddle_copy){-1, b->pivot_block[i], o->size[i], o->size[i], 0};
  for (int e = 0; e < o->nedge; e++) {
    if (o->edge[e].block < 0 || b->edge_block[e] < 0) continue;
    int body = o->edge[e].node[0], group = o->edge[e].node[1];
    // whoever goes first has the block with its own columns
    int body_first = o->position[body] < o->position[group];
    *copy++ = (hn_saddle_copy){.from = o->edge[e].block,
                               .to = b->edge_block[e],
                               .rows = o->size[group],
                               .cols = o->size[body],
                               .transpose = !body_first};
    if (body_first)
      *scale++ = (hn_saddle_scale){.block = o->edge[e].block,
                                   .body = b->at[body],
                                   .row = ~b->at[group],
                                   .rows = o->size[group],
                                   .cols = o->size[body]};
  }
}

static int has_code(int shape) {
  switch (shape) {
#define HN_X(n, m) case HN_SHAPE_DIAGONAL(n, m):
    HN_SADDLE_DIAGONAL_SHAPES(HN_X)
#undef HN_X
#define HN_X(n, m) case HN_SHAPE_FULL(n, m):
    HN_SADDLE_FULL_SHAPES(HN_X)
#undef HN_X
    return 1;
  default: return 0;
  }
}

// the best code for a pivot of size n whose neighbours all have size m (0 when they do not).
// Code for the exact shape, else for the size of the pivot, else plain loops.
static int best_shape(int diagonal, int n, int m) {
  // shapes are numbers 8 n + m
  int base = diagonal ? HN_SHAPE_DIAGONAL(0, 0) : HN_SHAPE_FULL(0, 0);
  if (n > HN_SHAPE_LARGEST) return base;
  int any = base + HN_SHAPE_DIAGONAL(n, 0), exact = base + HN_SHAPE_DIAGONAL(n, m);
  // exact shapes exist for the few that make up most mechanisms
  if (m <= HN_SHAPE_LARGEST && has_code(exact)) return exact;
  return has_code(any) ? any : base;
}

// a destination, marked when it is written for the first time
static int destination(int block, int *written) {
  // ~: the first to write sets, so that nothing is cleared
  int mark = *written ? block : ~block;
  *written = 1;
  return mark;
}

// Destinations are found by the hash of node pairs here, once, so that a factorisation follows a
// list of numbers.
static int *write_record(builder *b, int t, int *code) {
  const hn_saddle_order *o = &b->order;
  int p = o->pivot[t], n = o->size[p], degree = o->first[t + 1] - o->first[t];
  int diagonal = is_diagonal(o, p), common = 0, pins = diagonal && n == 3, *rec = code;
  int chain = p >= o->nbody && n == 2 && degree <= 1;
  const int *link = o->link ? o->link + o->first[t] : NULL;
  code += HN_REC_HEADER;
  rec[HN_REC_AT] = b->at[p];
  rec[HN_REC_SIZE] = n;
  rec[HN_REC_DEGREE] = degree;
  rec[HN_REC_PIVOT] = diagonal ? -1 : b->pivot_block[p];
  // 1/p and, of full pivots, E
  rec[HN_REC_FACTOR] = take(b, diagonal ? n : (long)n * (n + 1) / 2);
  for (int i = 0; i < degree; i++, code += HN_NEAR_INTS) {
    int node = hn_saddle_link_later(o, link[i]), e = link[i] / 2, size = o->size[node];
    take(b, (long)n * size);
    code[HN_NEAR_AT] = b->at[node];
    code[HN_NEAR_SIZE] = size;
    code[HN_NEAR_SOURCE] = diagonal ? o->edge[e].block : b->edge_block[e];
    // zero as soon as two neighbours differ
    common = i == 0 || common == size ? size : 0;
    pins = pins && o->edge[e].pin;
    chain = chain && node >= o->nbody && size == 2;
  }
  // all pairs of neighbours, j <= i, in the order in which elimination writes
  rec[HN_REC_SHAPE] = pins    ? (degree == 2 ? HN_SHAPE_TWO_PINS : HN_SHAPE_PINS)
                      : chain ? HN_SHAPE_CHAIN
                              : best_shape(diagonal, n, common);
  for (int i = 0; i < degree; i++) {
    int later = hn_saddle_link_later(o, link[i]);
    for (int j = 0; j < i; j++) {
      int e = hn_saddle_order_edge(o, later, hn_saddle_link_later(o, link[j]));
      *code++ = destination(b->edge_block[e], &b->edge_written[e]);
    }
    *code++ = destination(b->pivot_block[later], &b->pivot_written[later]);
  }
  return code;
}

static hn_saddle_plan *build(builder *b) {
  const hn_saddle_order *o = &b->order;
  hn_saddle_plan plan = {.npivot = o->npivot};
  // bodies in x and groups in l, in the order of the graph
  for (int i = 0; i < o->nnode; i++) {
    int body = i < o->nbody, *count = body ? &plan.nv : &plan.rows;
    b->at[i] = body ? *count : ~*count;
    *count += o->size[i];
  }
  place_blocks(b, &plan);
  // the plan itself lies at the beginning of its arena
  HN_TAKE(&plan.arena, hn_saddle_plan, 1);
  plan_layout(&plan, &plan.arena, o->code_size);
  if (!hn_arena_allocate(&plan.arena)) return NULL;
  hn_saddle_plan *result = HN_TAKE(&plan.arena, hn_saddle_plan, 1);
  plan_layout(&plan, &plan.arena, o->code_size);
  write_lists(b, &plan);
  int *code = plan.code;
  for (int t = 0; t < o->npivot; t++) {
    plan.start[t] = (int)(code - plan.code);
    code = write_record(b, t, code);
  }
  plan.start[o->npivot] = (int)(code - plan.code);
  // numbers of block; places are ints
  plan.storage = b->used;
  *result = plan;
  if (b->used <= INT_MAX) return result;
  free(plan.arena.base);
  return NULL;
}

hn_saddle_plan *hn_saddle_plan_create(const hn_saddle_graph *graph) {
  builder b = {0};
  hn_saddle_plan *plan = NULL;
  if (hn_saddle_order_find(&b.order, graph)) {
    builder_layout(&b, &b.arena);
    if (hn_arena_allocate(&b.arena)) {
      builder_layout(&b, &b.arena);
      plan = build(&b);
    }
  }
  hn_saddle_order_clear(&b.order);
  free(b.arena.base);
  return plan;
}

void hn_saddle_plan_destroy(hn_saddle_plan *plan) {
  if (plan) free(plan->arena.base);
}

int hn_saddle_plan_nv(const hn_saddle_plan *plan) {
  return plan->nv;
}

int hn_saddle_plan_rows(const hn_saddle_plan *plan) {
  return plan->rows;
}

long hn_saddle_plan_storage(const hn_saddle_plan *plan) {
  return plan->storage;
}

long hn_saddle_plan_flops(const hn_saddle_plan *plan) {
  return plan->flops;
}

// `lost` is set by who has lost something
void hn_saddle_layout(hn_saddle *saddle, hn_arena *arena, const hn_saddle_plan *plan) {
  saddle->plan = plan;
  saddle->lost = NULL;
  saddle->block = HN_TAKE(arena, double, plan->storage);
  saddle->work = HN_TAKE(arena, double, plan->rows + plan->widest);
}

void hn_saddle_plan_unknowns(const hn_saddle_plan *plan, int *order) {
  for (int t = 0; t < plan->npivot; t++) {
    const int *record = plan->code + plan->start[t];
    int at = record[HN_REC_AT], first = at < 0 ? plan->nv + ~at : at;
    for (int i = 0; i < record[HN_REC_SIZE]; i++) *order++ = first + i;
  }
}
