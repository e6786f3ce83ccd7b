// expr_switches.c: formulas with their decisions taken out.
//
// Comparisons, step, abs, sign, min and max decide by the sign of something. hn_graph_hold makes
// that something a switching function s, and the decision an input that is 1 for s > 0 and 0
// otherwise, so that a formula can be held on one of its smooth pieces:
//
//   a < b    s = b - a   input             abs(x)     s = x        if(input, x, -x)
//   a <= b   s = a - b   !input            sign(x)    s = x, -x    input1 - input2
//   step(x)  s = -x      !input            min(a, b)  s = a - b    if(input, b, a)
//                                          max(a, b)  s = a - b    if(input, a, b)
//
// At s = 0 the result is that of the formula itself. Decisions by == and !=, by a bare number, and
// those in floor, ceil and mod stay as they are.
#include "expr/internal.h"

#include <stdlib.h>

typedef struct holder {
  hn_graph *graph;
  int first_input;
  hn_node *function;
  int count, room;
} holder;

// the input that tells the sign of a - b
static hn_node decide(holder *h, hn_node a, hn_node b) {
  hn_node s = hn_graph_sub(h->graph, a, b);
  if (s < 0 || h->count == h->room) return -1;
  h->function[h->count] = s;
  return hn_graph_input(h->graph, h->first_input + h->count++);
}

// one operation on arguments already rewritten
static hn_node rewrite(holder *h, hn_op op, hn_node a, hn_node b, hn_node c) {
  hn_graph *g = h->graph;
  hn_node zero = hn_graph_constant(g, 0);
  switch (op) {
  case HN_OP_LT: return decide(h, b, a);
  case HN_OP_LE: return hn_graph_apply(g, HN_OP_NOT, decide(h, a, b), -1, -1);
  case HN_OP_STEP: return hn_graph_apply(g, HN_OP_NOT, decide(h, zero, a), -1, -1);
  case HN_OP_ABS:
    return hn_graph_apply(g, HN_OP_IF, decide(h, a, zero), a, hn_graph_sub(g, zero, a));
  case HN_OP_SIGN: {
    hn_node positive = decide(h, a, zero);
    return hn_graph_sub(g, positive, decide(h, zero, a));
  }
  case HN_OP_MIN: return hn_graph_apply(g, HN_OP_IF, decide(h, a, b), b, a);
  case HN_OP_MAX: return hn_graph_apply(g, HN_OP_IF, decide(h, a, b), a, b);
  default: return hn_graph_apply(g, op, a, b, c);
  }
}

static int decisions(hn_op op) {
  switch (op) {
  case HN_OP_LT:
  case HN_OP_LE:
  case HN_OP_STEP:
  case HN_OP_ABS:
  case HN_OP_MIN:
  case HN_OP_MAX: return 1;
  case HN_OP_SIGN: return 2;
  default: return 0;
  }
}

int hn_graph_decisions(const hn_graph *g, hn_node node) {
  if (node < 0 || node >= g->count) return 0;
  unsigned char *mark = calloc((size_t)g->count, 1);
  if (!mark) return -1;
  int count = 0;
  mark[node] = 1;
  hn_graph_mark(g, mark);
  for (int n = 0; n <= node; n++)
    if (mark[n]) count += decisions(g->nodes[n].op);
  free(mark);
  return count;
}

hn_node hn_graph_hold(hn_graph *g, hn_node node, int first_input, hn_node *function, int room) {
  if (node < 0 || node >= g->count) return -1;
  holder h = {g, first_input, function, 0, room};
  hn_node *held = calloc((size_t)node + 1, sizeof *held);
  unsigned char *mark = calloc((size_t)g->count, 1);
  hn_node result = -1;
  if (held && mark) {
    mark[node] = 1;
    hn_graph_mark(g, mark);
    // arguments come before the nodes that use them
    for (int n = 0; n <= node; n++) {
      if (!mark[n]) continue;
      hn_graph_node old = g->nodes[n];  // a copy: nodes move when the graph grows
      hn_node x[3] = {-1, -1, -1};
      int arity = hn_op_table[old.op].arity;
      for (int i = 0; i < arity; i++) x[i] = held[old.args[i]];
      held[n] = arity ? rewrite(&h, old.op, x[0], x[1], x[2]) : n;
    }
    result = h.count == room ? held[node] : -1;
  }
  free(held);
  free(mark);
  return result;
}

// does the node depend on nothing but inputs that are held?
static bool is_held(const hn_graph *g, hn_node n, const bool *held, int inputs) {
  for (int i = 0; i < inputs; i++)
    if (!held[i] && hn_graph_depends(g, n, i)) return false;
  return true;
}

hn_condition hn_graph_condition(const hn_graph *g, hn_node node, const bool *held, int inputs) {
  const hn_graph_node *n = &g->nodes[node];
  if (is_held(g, node, held, inputs)) return HN_CONDITION;
  switch (n->op) {
  case HN_OP_LT:
  case HN_OP_LE: return HN_CONDITION;
  case HN_OP_EQ:
  case HN_OP_NE: return HN_CONDITION_OF_AN_INSTANT;
  case HN_OP_AND:
  case HN_OP_OR:
  case HN_OP_NOT:
  case HN_OP_IF: {
    hn_condition worst = HN_CONDITION;
    for (int i = 0; i < hn_op_table[n->op].arity && worst == HN_CONDITION; i++)
      worst = hn_graph_condition(g, n->args[i], held, inputs);
    return worst;
  }
  default: return HN_NO_CONDITION;
  }
}
