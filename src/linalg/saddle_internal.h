// saddle_internal.h: what the ordering, the plan and the numeric part of the saddle solver share.
//
// Nodes of the elimination graph are the bodies 0..nbody-1 followed by the groups. Blocks of the
// symmetric matrix K = [W J^T; J -D] couple them; an edge is a nonzero block off the diagonal.
#ifndef HN_SADDLE_INTERNAL_H
#define HN_SADDLE_INTERNAL_H

#include "linalg/saddle.h"

// one block off the diagonal of K, in the lists of both its nodes
typedef struct hn_saddle_edge {
  int node[2];
  int next[2];  // the next incidence (2 * edge + end) of node[0] and of node[1], -1 at the end
  int block;    // where the block lies in J, -1 for fill
  int pin;      // this block is a pin's, see hn_saddle_graph
} hn_saddle_edge;

// the order of elimination and the graph it filled in
typedef struct hn_saddle_order {
  int nbody, nnode, npivot;
  hn_arena arena;  // holds the arrays below, one entry per node unless said otherwise
  int *size;       // velocities or rows; nodes of size 0 take no part
  int *pivot;      // npivot nodes in the order of elimination
  int *position;   // where a node stands in pivot[], -1 for size 0
  int *first;      // npivot + 1: the later neighbours of pivot t are link[first[t]] ...
  int *touched;    // an earlier pivot changed the diagonal block of this one
  int *link;       // edges as 2 * edge + end, this end being the pivot; in the order of elimination
  int nlink, link_capacity;
  long code_size;        // ints of the records below for all pivots
  hn_saddle_edge *edge;  // grown
  int nedge, edge_capacity;
  int *table;  // hash of node pairs, holds edge + 1
  int table_size;
} hn_saddle_order;

static inline int hn_saddle_link_pivot(const hn_saddle_order *order, int link) {
  return order->edge[link / 2].node[link % 2];
}
static inline int hn_saddle_link_later(const hn_saddle_order *order, int link) {
  return order->edge[link / 2].node[1 - link % 2];
}

// 0 when out of memory; call hn_saddle_order_clear in any case
int hn_saddle_order_find(hn_saddle_order *order, const hn_saddle_graph *graph);
void hn_saddle_order_clear(hn_saddle_order *order);
// the edge between two nodes, -1 when there is none
int hn_saddle_order_edge(const hn_saddle_order *order, int a, int b);
// multiply-adds of one pivot of size n whose later neighbours have `sum` rows together
long hn_saddle_pivot_flops(int n, long sum, int diagonal);

// the program: one record of ints per pivot,
//   header                  the HN_REC_ fields below
//   degree times            the HN_NEAR_ fields of a later neighbour
//   for i < degree, j <= i  destination of the update of block (i, j); ~destination when this is
//                           the first value written there
// Neighbours come in the order of elimination, so block (i, j) is one of pivot j's.
enum {
  HN_REC_SHAPE,   // which code serves this pivot: HN_SHAPE_DIAGONAL, HN_SHAPE_FULL, HN_SHAPE_PINS,
                  // HN_SHAPE_CHAIN
  HN_REC_AT,      // a body's place in x, ~place in l for a group
  HN_REC_SIZE,    // n
  HN_REC_DEGREE,  // how many neighbours
  HN_REC_PIVOT,   // the collected pivot block, n x n, lower half valid; -1: P = W, B lies in J
  HN_REC_FACTOR,  // 1/p, E below its diagonal unless P = W, then the L blocks: see saddle.c
  HN_REC_HEADER
};
enum {
  HN_NEAR_AT,      // as HN_REC_AT
  HN_NEAR_SIZE,    // m
  HN_NEAR_SOURCE,  // the m x n block B, in J or in block
  HN_NEAR_INTS
};

// shapes that have their own straight-line code: the size n of the pivot and the size m that all
// its neighbours have, m = 0 when they differ or are rare. All other n take plain loops (0, 0)
// clang-format off
#define HN_SADDLE_DIAGONAL_SHAPES(X)                                                               \
  X(1, 0) X(2, 0) X(3, 0) X(4, 0) X(6, 0) X(3, 2) X(6, 3) X(6, 5)
#define HN_SADDLE_FULL_SHAPES(X)                                                                   \
  X(1, 0) X(2, 0) X(3, 0) X(4, 0) X(5, 0) X(6, 0) X(2, 2) X(3, 3) X(5, 5)
// clang-format on
enum { HN_SHAPE_LARGEST = 6 };
#define HN_SHAPE_DIAGONAL(n, m) (8 * (n) + (m))
#define HN_SHAPE_FULL(n, m)     (64 + 8 * (n) + (m))
#define HN_SHAPE_PINS           63   // a diagonal body in the plane, held by pins alone
#define HN_SHAPE_TWO_PINS       62   // by two of them
#define HN_SHAPE_CHAIN          127  // two rows with two later ones as neighbours, or none

// a block of J that must lie in `block` before elimination starts; from = -1: zeros
typedef struct hn_saddle_copy {
  int from, to, rows, cols;
  int transpose;  // of the block in J, whose rows and cols these are
} hn_saddle_copy;

// one summand of the reference value of the rows of a group: J_k W^-1 J_k^T of a body that goes
// before the group but is not diagonal (those that are add theirs on the way)
typedef struct hn_saddle_scale {
  int block;  // in J
  int body;   // place in x
  int row;    // place in l
  int rows, cols;
} hn_saddle_scale;

struct hn_saddle_plan {
  hn_arena arena;  // holds the plan itself
  int nv, rows, npivot;
  int widest;  // largest size of a node
  int ncopy, nscale;
  long storage, flops;
  int *code;   // the records
  int *start;  // npivot + 1: where they begin
  hn_saddle_copy *copy;
  hn_saddle_scale *scale;
};

#endif
