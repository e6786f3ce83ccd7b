// expr_switches.c: formulas with their decisions taken out.
//
// Comparisons, step, abs, sign, min and max decide by the sign of something, floor, ceil and mod by
// a whole number, atan2 by the side of its cut. hn_graph_hold makes of that a switching function s,
// and of the decision an input that is 1 for s > 0 and 0 otherwise, so that a formula can be held
// on one of its smooth pieces:
//
//   a < b    s = b - a   input             abs(x)     s = x        if(input, x, -x)
//   a <= b   s = a - b   !input            sign(x)    s = x, -x    input1 - input2
//   step(x)  s = -x      !input            min(a, b)  s = a - b    if(input, b, a)
//                                          max(a, b)  s = a - b    if(input, a, b)
//
//   floor(x)    s changes its sign at every whole number: the input tells whether it is even, and
//               that number is taken which is so and next to x, up to a half away
//   ceil(x)     -floor(-x)                 mod(a, b)   a - b floor(a/b)
//   atan2(y, x) s is above zero from the cut down to -3/4 pi, where nothing happens; the angle goes
//               on beyond the cut by an eighth of a turn
//
// At s = 0 the result is that of the formula itself. Decisions by == and !=, and by a bare number,
// stay as they are, and so do jumps within something that is only compared: s jumps with them, and
// changes its sign there or does not.
//
// Roots, logarithms and broken powers do not go on beyond their end: if(x > 0, x^1.5, 0) held on
// its first side is not a number a little below zero, and a step that cannot look beyond a
// switching point would never get there. Where a held formula is not a number it is what it is when
// not held.
#include "expr/internal.h"

#include <stdlib.h>

typedef struct holder {
  hn_graph *graph;
  bool ends;  // the formula has pieces that do not go on beyond their end
  int first_input;
  hn_node *function;
  int count, room;
} holder;

// a node without decisions: as a value, as switching functions see it, and as it was
typedef struct rewritten {
  hn_node value, seen, plain;
} rewritten;

static rewritten both(hn_node x) {
  return (rewritten){x, x, x};
}

// what is held, or where that is not a number, what it is when not held
static hn_node known(const holder *h, hn_node held, hn_node plain) {
  return h->ends ? hn_graph_apply(h->graph, HN_OP_KNOWN, held, held, plain) : held;
}

// the input that tells the sign of a - b
// the list grows with every decision: room is what was counted before
static hn_node decide(holder *h, rewritten a, rewritten b) {
  hn_node s = hn_graph_sub(h->graph, a.seen, b.seen);
  if (s >= 0) s = known(h, s, hn_graph_sub(h->graph, a.plain, b.plain));
  if (s < 0 || h->count == h->room) return -1;
  h->function[h->count] = s;
  return hn_graph_input(h->graph, h->first_input + h->count++);
}

static hn_node add(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_apply(g, HN_OP_ADD, a, b, -1);
}

// short names for the lines below
static hn_node mul(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_apply(g, HN_OP_MUL, a, b, -1);
}

// the same operation for both
static rewritten choose(hn_graph *g, hn_node which, rewritten a, rewritten b) {
  return (rewritten){hn_graph_apply(g, HN_OP_IF, which, a.value, b.value),
                     hn_graph_apply(g, HN_OP_IF, which, a.seen, b.seen), -1};
}

static rewritten minus(hn_graph *g, rewritten x) {
  hn_node zero = hn_graph_constant(g, 0);
  return (rewritten){hn_graph_sub(g, zero, x.value), hn_graph_sub(g, zero, x.seen),
                     hn_graph_sub(g, zero, x.plain)};
}

// a whole number is on its upper side, however near
static const double just_above = 1e-300;

// s = y (1 - y) for even numbers, (1 - y) (2 - y) for odd ones, with y = mod(x, 2)
static hn_node hold_floor(holder *h, rewritten x) {
  hn_graph *g = h->graph;
  hn_node zero = hn_graph_constant(g, 0), half = hn_graph_constant(g, 0.5);
  hn_node one = hn_graph_constant(g, 1), two = hn_graph_constant(g, 2);
  hn_node little = hn_graph_constant(g, just_above);
  // y in [0, 2): even numbers below 1, odd ones above
  hn_node y = hn_graph_apply(g, HN_OP_MOD, x.seen, two, -1), up = hn_graph_sub(g, one, y);
  hn_node s = hn_graph_apply(g, HN_OP_IF, hn_graph_apply(g, HN_OP_LT, y, one, -1),
                             add(g, mul(g, y, up), little),
                             hn_graph_sub(g, mul(g, up, hn_graph_sub(g, two, y)), little));
  hn_node is_even = decide(h, both(s), both(zero));
  hn_node even = hn_graph_apply(g, HN_OP_FLOOR, mul(g, half, add(g, x.value, half)), -1, -1);
  hn_node odd =
      hn_graph_apply(g, HN_OP_FLOOR, mul(g, half, hn_graph_sub(g, x.value, half)), -1, -1);
  return hn_graph_apply(g, HN_OP_IF, is_even, mul(g, two, even), add(g, one, mul(g, two, odd)));
}

static hn_node hold_angle(holder *h, rewritten y, rewritten x) {
  static const double pi = 3.14159265358979323846;
  hn_graph *g = h->graph;
  hn_node zero = hn_graph_constant(g, 0), turn = hn_graph_constant(g, 2 * pi);
  hn_node low = hn_graph_constant(g, -7 * pi / 8), high = hn_graph_constant(g, 7 * pi / 8);
  hn_node s = hn_graph_apply(g, HN_OP_MAX, y.seen, hn_graph_sub(g, x.seen, y.seen), -1);
  hn_node above = decide(h, both(add(g, s, hn_graph_constant(g, just_above))), both(zero));
  hn_node angle = hn_graph_apply(g, HN_OP_ATAN2, y.value, x.value, -1);
  hn_node over = hn_graph_apply(g, HN_OP_IF, hn_graph_apply(g, HN_OP_LT, angle, low, -1),
                                add(g, angle, turn), angle);
  hn_node under = hn_graph_apply(g, HN_OP_IF, hn_graph_apply(g, HN_OP_LT, high, angle, -1),
                                 hn_graph_sub(g, angle, turn), angle);
  // each piece goes on beyond the cut
  return hn_graph_apply(g, HN_OP_IF, above, over, under);
}

// one operation on arguments already rewritten
static rewritten rewrite(holder *h, hn_op op, const rewritten x[3]) {
  hn_graph *g = h->graph;
  // comparisons see `seen`: what jumps inside jumps for them, too
  rewritten zero = both(hn_graph_constant(g, 0)), a = x[0], b = x[1];
  switch (op) {
  case HN_OP_LT: return both(decide(h, b, a));
  case HN_OP_LE: return both(hn_graph_apply(g, HN_OP_NOT, decide(h, a, b), -1, -1));
  case HN_OP_STEP: return both(hn_graph_apply(g, HN_OP_NOT, decide(h, zero, a), -1, -1));
  case HN_OP_ABS: return choose(g, decide(h, a, zero), x[0], minus(g, x[0]));
  // two inputs, since zero is neither: positive less negative
  case HN_OP_SIGN: {
    hn_node positive = decide(h, a, zero);
    return both(hn_graph_sub(g, positive, decide(h, zero, a)));
  }
  case HN_OP_MIN: return choose(g, decide(h, a, b), x[1], x[0]);
  case HN_OP_MAX: return choose(g, decide(h, a, b), x[0], x[1]);
  default:
    return (rewritten){hn_graph_apply(g, op, x[0].value, x[1].value, x[2].value),
                       hn_graph_apply(g, op, x[0].seen, x[1].seen, x[2].seen), -1};
  }
}

// one of those that jump, as a value
static hn_node hold_jump(holder *h, hn_op op, const rewritten x[3]) {
  hn_graph *g = h->graph;
  switch (op) {
  case HN_OP_FLOOR: return hold_floor(h, x[0]);
  case HN_OP_CEIL: return hn_graph_sub(g, hn_graph_constant(g, 0), hold_floor(h, minus(g, x[0])));
  case HN_OP_MOD: {
    // turns is the quotient whose whole part is taken off
    rewritten turns = {hn_graph_apply(g, HN_OP_DIV, x[0].value, x[1].value, -1),
                       hn_graph_apply(g, HN_OP_DIV, x[0].seen, x[1].seen, -1), -1};
    return hn_graph_sub(g, x[0].value, mul(g, x[1].value, hold_floor(h, turns)));
  }
  default: return hold_angle(h, x[0], x[1]);
  }
}

static bool jumps(hn_op op) {
  return op == HN_OP_FLOOR || op == HN_OP_CEIL || op == HN_OP_MOD || op == HN_OP_ATAN2;
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

enum { USED = 1, VALUE = 2 };

// nodes that the formula uses, and those whose values go into its own: what is only compared, and
// decides between others, may jump as it likes
static unsigned char *marks_of(const hn_graph *g, hn_node node) {
  unsigned char *mark = calloc((size_t)g->count, 1);
  if (!mark) return NULL;
  mark[node] = USED;
  // arguments are older, so one pass downwards hands VALUE on
  hn_graph_mark(g, mark);
  mark[node] |= VALUE;
  for (int n = node; n >= 0; n--) {
    hn_op op = g->nodes[n].op;
    bool compares = op == HN_OP_LT || op == HN_OP_LE || op == HN_OP_EQ || op == HN_OP_NE ||
                    op == HN_OP_STEP || op == HN_OP_SIGN;
    // the condition of `if` is only compared
    for (int i = op == HN_OP_IF; i < hn_op_table[op].arity && !compares; i++)
      mark[g->nodes[n].args[i]] |= mark[n] & VALUE;
  }
  return mark;
}

int hn_graph_decisions(const hn_graph *g, hn_node node) {
  if (node < 0 || node >= g->count) return 0;
  unsigned char *mark = marks_of(g, node);
  if (!mark) return -1;
  int count = 0;
  for (int n = 0; n <= node; n++) {
    // used anywhere: comparisons count also where nothing but a truth value comes of them
    if (mark[n] & USED) count += decisions(g->nodes[n].op);
    if (mark[n] & VALUE) count += jumps(g->nodes[n].op);
  }
  free(mark);
  return count;
}

// is there anything that is not a number for some arguments that are? Whole powers, and quotients,
// are but where they have a pole.
static bool has_ends(const hn_graph *g, hn_node node, const unsigned char *mark) {
  for (int n = 0; n <= node; n++) {
    double power;
    switch (mark[n] & USED ? g->nodes[n].op : HN_OP_CONSTANT) {
    case HN_OP_SQRT:
    case HN_OP_LOG:
    case HN_OP_LOG10:
    case HN_OP_ASIN:
    case HN_OP_ACOS: return true;
    case HN_OP_POW:
      if (!hn_graph_is_constant(g, g->nodes[n].args[1], &power) || power != floor(power))
        return true;
      break;
    default: break;
    }
  }
  return false;
}

int hn_graph_has_ends(const hn_graph *g, hn_node node) {
  unsigned char *mark = node >= 0 && node < g->count ? marks_of(g, node) : NULL;
  int ends = mark ? has_ends(g, node, mark) : -1;
  free(mark);
  return ends;
}

hn_node hn_graph_hold(hn_graph *g, hn_node node, int first_input, hn_node *function, int room) {
  if (node < 0 || node >= g->count) return -1;
  rewritten *held = calloc((size_t)node + 1, sizeof *held);
  unsigned char *mark = marks_of(g, node);
  hn_node result = -1;
  holder h = {g, mark && has_ends(g, node, mark), first_input, function, 0, room};
  if (held && mark) {
    // arguments come before the nodes that use them
    for (int n = 0; n <= node; n++) {
      if (!(mark[n] & USED)) continue;
      hn_graph_node old = g->nodes[n];  // a copy: nodes move when the graph grows
      rewritten x[3] = {both(-1), both(-1), both(-1)};
      int arity = hn_op_table[old.op].arity;
      for (int i = 0; i < arity; i++) x[i] = held[old.args[i]];
      held[n] = arity ? rewrite(&h, old.op, x) : both(n);
      if (mark[n] & VALUE && jumps(old.op)) held[n].value = hold_jump(&h, old.op, x);
      held[n].plain = n;
    }
    // fewer functions than counted would leave inputs without meaning
    result = h.count == room && held[node].value >= 0 ? known(&h, held[node].value, node) : -1;
  }
  free(held);
  free(mark);
  return result;
}

// does the node depend on nothing but inputs that are held?
// held inputs change only between steps, where everything is looked at anew
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
  // a condition made of conditions is as good as the worst of them
  case HN_OP_IF: {
    hn_condition worst = HN_CONDITION;
    for (int i = 0; i < hn_op_table[n->op].arity && worst == HN_CONDITION; i++)
      worst = hn_graph_condition(g, n->args[i], held, inputs);
    return worst;
  }
  default: return HN_NO_CONDITION;
  }
}
