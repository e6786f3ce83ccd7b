// expr_derivative.c: exact derivatives of nodes as nodes.
//
// The derivative of each node is found from those of its arguments by the chain rule and kept in
// the graph, so common parts are differentiated once and the result grows linearly with the node.
// Arguments are visited with a stack of our own: long formulas do not deepen the call stack.
#include "base/base.h"
#include "expr/internal.h"

#include <stdlib.h>

#define LN10 2.30258509299404568402

// the derivative when it is known without work, -1 when not
// a node that does not depend on the input is not looked at at all
static hn_node known(hn_graph *g, hn_node n, int input) {
  const hn_graph_node *node = &g->nodes[n];
  if (!(node->inputs & hn_input_bit(input))) return hn_graph_constant(g, 0);
  if (node->op == HN_OP_INPUT) return hn_graph_constant(g, node->args[0] == input ? 1 : 0);
  // the list is short: as many entries as inputs the node was differentiated by
  for (int i = node->derivatives; i >= 0; i = g->derivatives[i].next)
    if (g->derivatives[i].input == input) return g->derivatives[i].result;
  return -1;
}

// nodes have a chain each, all in one array
static int remember(hn_graph *g, hn_node n, int input, hn_node result) {
  if (!hn_grow((void **)&g->derivatives, &g->derivative_capacity, g->derivative_count,
               sizeof *g->derivatives))
    return 0;
  g->derivatives[g->derivative_count] =
      (hn_known_derivative){input, result, g->nodes[n].derivatives};
  g->nodes[n].derivatives = g->derivative_count++;
  return 1;
}

// short names for the formulas below
static hn_node num(hn_graph *g, double value) {
  return hn_graph_constant(g, value);
}
static hn_node fn(hn_graph *g, hn_op op, hn_node a) {
  return hn_graph_apply(g, op, a, -1, -1);
}
static hn_node fn2(hn_graph *g, hn_op op, hn_node a, hn_node b) {
  return hn_graph_apply(g, op, a, b, -1);
}
static hn_node choose(hn_graph *g, hn_node condition, hn_node a, hn_node b) {
  return hn_graph_apply(g, HN_OP_IF, condition, a, b);
}
static hn_node add(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_add(g, a, b);
}
static hn_node sub(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_sub(g, a, b);
}
static hn_node mul(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_mul(g, a, b);
}
static hn_node quo(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_div(g, a, b);
}

// is a derivative zero on one of its pieces, as that of max(x, 0) is?
static bool has_flat_pieces(const hn_graph *g, hn_node n, int depth) {
  const hn_graph_node *node = &g->nodes[n];
  if (node->op == HN_OP_IF || node->op == HN_OP_KNOWN) return true;
  bool linear = node->op == HN_OP_NEG || node->op == HN_OP_ADD || node->op == HN_OP_SUB ||
                node->op == HN_OP_MUL || node->op == HN_OP_DIV;
  for (int i = 0; linear && depth > 0 && i < hn_op_table[node->op].arity; i++)
    if (has_flat_pieces(g, node->args[i], depth - 1)) return true;
  return false;
}

// slope times da. The slope of a root is infinite at zero, where sqrt(max(x, 0)) rests for all x
// below, that of asin at one, where asin(min(x, 1)) does: there nothing changes, whatever the slope
static hn_node chain(hn_graph *g, hn_node slope, hn_node da) {
  hn_node product = mul(g, slope, da);
  if (product < 0 || !has_flat_pieces(g, da, 6)) return product;
  return choose(g, da, product, num(g, 0));
}

// (a^b)' = b a^(b-1) a' + a^b log(a) b', written so that nothing is divided by a; the logarithm at
// a = 0 is taken as 0, which gives the limit for b > 0
static hn_node power_rule(hn_graph *g, hn_node self, hn_node a, hn_node b, hn_node da, hn_node db) {
  // b a^(b-1) instead of a^b b/a, which has no value at a = 0
  hn_node lower = fn2(g, HN_OP_POW, a, sub(g, b, num(g, 1)));
  hn_node base_part = chain(g, mul(g, b, lower), da);
  double zero;
  if (hn_graph_is_constant(g, db, &zero) && zero == 0) return base_part;
  // 0 log 0 has no value, its limit with the power in front is 0
  hn_node log_a = choose(g, a, fn(g, HN_OP_LOG, a), num(g, 0));
  return add(g, base_part, mul(g, mul(g, self, log_a), db));
}

// derivative of a function of one argument with respect to it
static hn_node outer(hn_graph *g, hn_op op, hn_node self, hn_node a) {
  hn_node one = num(g, 1);
  switch (op) {
  case HN_OP_SIN: return fn(g, HN_OP_COS, a);
  case HN_OP_COS: return fn(g, HN_OP_NEG, fn(g, HN_OP_SIN, a));
  case HN_OP_TAN: return add(g, one, mul(g, self, self));
  case HN_OP_ASIN:
  case HN_OP_ACOS: {
    // (1-a)(1+a) keeps its digits near 1, where 1-a^2 loses them
    hn_node root = fn(g, HN_OP_SQRT, mul(g, sub(g, one, a), add(g, one, a)));
    return quo(g, num(g, op == HN_OP_ASIN ? 1 : -1), root);
  }
  case HN_OP_ATAN: return quo(g, one, add(g, one, mul(g, a, a)));
  case HN_OP_SINH: return fn(g, HN_OP_COSH, a);
  case HN_OP_COSH: return fn(g, HN_OP_SINH, a);
  case HN_OP_TANH: return sub(g, one, mul(g, self, self));
  case HN_OP_EXP: return self;
  case HN_OP_LOG: return quo(g, one, a);
  case HN_OP_LOG10: return quo(g, num(g, 1 / LN10), a);
  case HN_OP_SQRT: return quo(g, num(g, 0.5), self);
  case HN_OP_ABS: return fn(g, HN_OP_SIGN, a);
  default: return num(g, 0);  // sign, step, floor, ceil and ! are constant piece by piece
  }
}

// derivative of node n from those of its arguments
static hn_node rule(hn_graph *g, hn_node n, const hn_node d[3]) {
  hn_op op = g->nodes[n].op;
  hn_node a = g->nodes[n].args[0], b = g->nodes[n].args[1];
  hn_node da = d[0], db = d[1];
  switch (op) {
  case HN_OP_NEG: return fn(g, HN_OP_NEG, da);
  case HN_OP_ADD: return add(g, da, db);
  case HN_OP_SUB: return sub(g, da, db);
  // the product rule; hn_graph_mul drops what is zero
  case HN_OP_MUL: return add(g, mul(g, da, b), mul(g, a, db));
  // (a/b)' = (a' - (a/b) b') / b uses the quotient again, and needs no b^2
  case HN_OP_DIV: return quo(g, sub(g, da, mul(g, n, db)), b);
  case HN_OP_POW: return power_rule(g, n, a, b, da, db);
  case HN_OP_IF: return choose(g, a, db, d[2]);
  // the same comparison as in the value, so that value and slope are of one side also where a = b
  case HN_OP_KNOWN: return hn_graph_apply(g, HN_OP_KNOWN, a, db, d[2]);
  case HN_OP_MIN: return choose(g, fn2(g, HN_OP_LT, a, b), da, db);
  case HN_OP_MAX: return choose(g, fn2(g, HN_OP_LT, b, a), da, db);
  // a - b floor(a/b), piece by piece
  case HN_OP_MOD: return sub(g, da, mul(g, fn(g, HN_OP_FLOOR, quo(g, a, b)), db));
  case HN_OP_HYPOT: {
    // 0 at the origin, as for abs
    hn_node slope = add(g, mul(g, quo(g, a, n), da), mul(g, quo(g, b, n), db));
    return choose(g, n, slope, num(g, 0));
  }
  case HN_OP_ATAN2: {
    hn_node square = add(g, mul(g, a, a), mul(g, b, b));
    return quo(g, sub(g, mul(g, b, da), mul(g, a, db)), square);
  }
  case HN_OP_LT:
  case HN_OP_LE:
  case HN_OP_EQ:
  case HN_OP_NE:
  case HN_OP_AND:
  case HN_OP_OR: return num(g, 0);
  case HN_OP_SQRT:
  case HN_OP_ASIN:
  case HN_OP_ACOS: return chain(g, outer(g, op, n, a), da);
  default: return mul(g, outer(g, op, n, a), da);
  }
}

// find the derivative of n, whose arguments' derivatives are known; or push those that are not
static int visit(hn_graph *g, hn_node n, int input, int **stack, int *capacity, int *count) {
  hn_node d[3] = {-1, -1, -1};
  int arity = hn_op_table[g->nodes[n].op].arity, missing = 0;
  for (int i = 0; i < arity; i++) {
    hn_node argument = g->nodes[n].args[i];
    d[i] = known(g, argument, input);
    if (d[i] >= 0) continue;
    if (!hn_grow((void **)stack, capacity, *count, sizeof **stack)) return 0;
    // it stays on the stack below them, and is visited again when they are known
    (*stack)[(*count)++] = argument;
    missing = 1;
  }
  if (missing) return 1;
  hn_node result = rule(g, n, d);
  return result >= 0 && remember(g, n, input, result);
}

hn_node hn_graph_derivative(hn_graph *g, hn_node node, int input) {
  if (hn_graph_only_asks(g)) return hn_graph_ask(g, -1, node, input, -1);
  if (node < 0 || node >= g->count || input < 0) return -1;
  int *stack = NULL, capacity = 0, count = 0, ok = 1;
  // both constants known() needs exist from here on, so its -1 only means "not yet"
  // out of memory shows here then, not as an endless loop
  if (num(g, 0) < 0 || num(g, 1) < 0) return -1;
  ok = hn_grow((void **)&stack, &capacity, count, sizeof *stack);
  if (ok) stack[count++] = node;
  while (ok && count > 0) {
    hn_node top = stack[count - 1];
    if (known(g, top, input) >= 0)
      count--;
    else
      ok = visit(g, top, input, &stack, &capacity, &count);
  }
  free(stack);
  return ok ? known(g, node, input) : -1;
}

// ---- many at once ----

// derivatives of all nodes along one direction, which says how inputs change
bool hn_graph_tangent(hn_graph *g, int count, hn_node (*of_input)(void *user, int input),
                      void *user, hn_node *dot) {
  // nodes are in the order of evaluation, one pass makes all. New nodes lie behind `count` and are
  // not visited.
  hn_node zero = num(g, 0);
  for (hn_node n = 0; n < count; n++) {
    hn_node d[3] = {zero, zero, zero};
    int arity = hn_op_table[g->nodes[n].op].arity;
    bool changes = false;
    // nothing below it changes
    if (g->nodes[n].op == HN_OP_INPUT) {
      dot[n] = of_input(user, g->nodes[n].args[0]);
      if (dot[n] < 0) dot[n] = zero;
      continue;
    }
    for (int i = 0; i < arity; i++) {
      d[i] = dot[g->nodes[n].args[i]];
      changes = changes || d[i] != zero;
    }
    dot[n] = changes ? rule(g, n, d) : zero;
    if (dot[n] < 0) return false;
  }
  return !g->failed;
}

// what a change of each node is worth, from what one of the marked is worth; against the order of
// evaluation
bool hn_graph_adjoint(hn_graph *g, int count, const unsigned char *leaf, hn_node *bar) {
  // Backward: from outputs to inputs, each node hands what it is worth on to its arguments, times
  // its slope along them. With as many inputs as nodes have it costs as much as one derivative.
  hn_node zero = num(g, 0), one = num(g, 1);
  for (hn_node n = count - 1; n >= 0; n--) {
    hn_op op = g->nodes[n].op;
    if (bar[n] < 0) bar[n] = zero;
    if (bar[n] == zero || leaf[n]) continue;
    for (int i = 0; i < hn_op_table[op].arity; i++) {
      hn_node argument = g->nodes[n].args[i], d[3] = {zero, zero, zero};
      // constants need no derivative
      if (g->nodes[argument].inputs == 0) continue;
      d[i] = one;
      hn_node part = mul(g, bar[n], rule(g, n, d));
      bar[argument] = bar[argument] < 0 ? part : add(g, bar[argument], part);
      if (bar[argument] < 0) return false;
    }
  }
  return !g->failed;
}
