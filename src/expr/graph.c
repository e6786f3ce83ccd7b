// expr_graph.c: the nodes of formulas: made once each, folded and simplified as they are made.
//
// Every node goes through intern(), which returns the existing node when an equal one is known.
// The simplifications keep three shapes canonical, on which the others rely:
//   constant factors stand first,  MUL(constant, y), and are pulled out of products
//   constant summands stand first, ADD(constant, y); x - constant is such a sum
//   signs are pulled out of products and quotients, and merge into constant factors
// Merged constants, as in 2*(3*x) or 1+(2+x), may change the last digit of a result; 0*x, 0/x and
// x-x become 0 even when x is not finite. The rest is exact up to the sign of zero.
#include "base/base.h"
#include "expr/internal.h"

#include <stdlib.h>
#include <string.h>

enum { NODE_LIMIT = 1 << 26 };  // keeps every size computed from the count within int

const hn_op_info hn_op_table[HN_OP_COUNT] = {[HN_OP_CONSTANT] = {NULL, 0, 0},
                                             [HN_OP_INPUT] = {NULL, 0, 0},
#define HN_X(op, arity, commutes, value) [HN_OP_##op] = {NULL, arity, commutes},
                                             HN_OPERATORS(HN_X)
#undef HN_X
#define HN_X(op, name, arity, commutes, value) [HN_OP_##op] = {name, arity, commutes},
                                                 HN_FUNCTIONS(HN_X)
#undef HN_X
};

hn_graph *hn_graph_create(void) {
  return calloc(1, sizeof(hn_graph));
}

void hn_graph_destroy(hn_graph *graph) {
  if (!graph) return;
  free(graph->nodes);
  free(graph->slots);
  free(graph->derivatives);
  free(graph);
}

// ---- hash-consing ----

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Bits of the value, not the value: 0 and -0 have different ones, and NaN has some.
static uint64_t hash_of(const hn_graph_node *n) {
  uint64_t h = bits_of(n->value) + (uint64_t)n->op;
  for (int i = 0; i < 3; i++) {
    h ^= (uint64_t)(uint32_t)n->args[i];
    h *= 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  return h;
}

static int same(const hn_graph_node *a, const hn_graph_node *b) {
  // the bits of the value, so that 0 and -0 stay apart and NaN equals itself
  return a->op == b->op && memcmp(a->args, b->args, sizeof a->args) == 0 &&
         bits_of(a->value) == bits_of(b->value);
}

// the slot that holds an equal node, or the free one where it belongs
static int find_slot(const hn_graph *g, const hn_graph_node *key) {
  // open addressing with steps of one; the table is at most half full, so that searches end soon
  int i = (int)(hash_of(key) & (uint64_t)(g->slot_count - 1));
  while (g->slots[i] && !same(&g->nodes[g->slots[i] - 1], key)) i = (i + 1) & (g->slot_count - 1);
  return i;
}

// keep the table at most half full
static int grow_slots(hn_graph *g) {
  if (2 * (g->count + 1) <= g->slot_count) return 1;
  // twice as large each time, and all nodes placed anew: constant time on the average
  int wanted = g->slot_count ? 2 * g->slot_count : 64;
  int *slots = calloc((size_t)wanted, sizeof *slots);
  if (!slots) return 0;
  free(g->slots);
  g->slots = slots;
  g->slot_count = wanted;
  for (int n = 0; n < g->count; n++) slots[find_slot(g, &g->nodes[n])] = n + 1;
  return 1;
}

// the one place where nodes are made
static hn_node intern(hn_graph *g, const hn_graph_node *key) {
  if (g->slot_count) {
    int slot = find_slot(g, key);
    if (g->slots[slot]) return g->slots[slot] - 1;
  }
  // numbers of nodes must not overflow what asks for them by int
  if (g->count >= NODE_LIMIT || !grow_slots(g) ||
      !hn_grow((void **)&g->nodes, &g->capacity, g->count, sizeof *g->nodes)) {
    g->failed = 1;
    return -1;
  }
  g->nodes[g->count] = *key;
  g->slots[find_slot(g, key)] = g->count + 1;
  return g->count++;
}

// ---- numbers of a model ----

// order matters: the shape is a hash of the sequence of all questions
static void mix(hn_tape *tape, uint64_t what) {
  uint64_t h = (tape->shape ^ what) * 0x9e3779b97f4a7c15u;
  tape->shape = h ^ (h >> 29);
}

void hn_graph_note(hn_graph *g, long what) {
  if (hn_graph_only_asks(g)) mix(g->tape, (uint64_t)what);
}

// questions that are no operations have numbers behind them
enum { ASK_CONSTANT = HN_OP_COUNT, ASK_NUMBER };

// nodes are fewer than 2^26: the first two and the operation fill a word of their own
static inline hn_node ask(hn_graph *g, int what, hn_node a, hn_node b) {
  if (a < 0 || g->asked >= NODE_LIMIT) return -1;
  mix(g->tape, (uint64_t)what << 54 ^ (uint64_t)(uint32_t)b << 27 ^ (uint64_t)(uint32_t)a);
  return g->asked++;
}

hn_node hn_graph_ask(hn_graph *g, int what, hn_node a, hn_node b, hn_node c) {
  if (c >= 0) hn_graph_note(g, c);
  return ask(g, what, a, b);
}

// whoever skips work makes up for the nodes it would have made, so that later numbers agree
void hn_graph_stand_in(hn_graph *g, long what, hn_node *nodes, int count) {
  hn_graph_note(g, what);
  for (int i = 0; i < count; i++) nodes[i] = g->asked < NODE_LIMIT ? g->asked++ : -1;
}

hn_node hn_graph_number(hn_graph *g, double value) {
  hn_tape *tape = g->tape;
  if (!tape) return hn_graph_constant(g, value);
  if (tape->count >= tape->capacity &&
      !hn_grow((void **)&tape->value, &tape->capacity, tape->count, sizeof *tape->value)) {
    g->failed = 1;
    return -1;
  }
  int k = tape->count++;
  tape->value[k] = value;
  // nothing but the number and the place of the question are wanted
  if (tape->only) return ask(g, ASK_NUMBER, k, -1);
  // what differs between members of a family is an input; the rest is folded as in any model
  bool lifted = k < tape->known && tape->input[k] >= 0;
  return lifted ? hn_graph_input(g, tape->input[k]) : hn_graph_constant(g, value);
}

hn_node hn_graph_constant(hn_graph *g, double value) {
  // constants are part of the shape: members with other ones are other families
  if (hn_graph_only_asks(g)) {
    hn_graph_note(g, (long)bits_of(value));
    return ask(g, ASK_CONSTANT, 0, -1);
  }
  return intern(g, &(hn_graph_node){HN_OP_CONSTANT, {-1, -1, -1}, value, 0, -1});
}

hn_node hn_graph_input(hn_graph *g, int index) {
  if (index < 0) return -1;
  if (hn_graph_only_asks(g)) return ask(g, HN_OP_INPUT, index, -1);
  return intern(g, &(hn_graph_node){HN_OP_INPUT, {index, -1, -1}, 0, hn_input_bit(index), -1});
}

// ---- questions ----

static int valid(const hn_graph *g, hn_node n) {
  return n >= 0 && n < g->count;
}

int hn_graph_is_constant(const hn_graph *g, hn_node n, double *value) {
  if (!valid(g, n) || g->nodes[n].op != HN_OP_CONSTANT) return 0;
  if (value) *value = g->nodes[n].value;
  return 1;
}

// arguments are older than what uses them: one pass downwards reaches everything
void hn_graph_mark(const hn_graph *g, unsigned char *mark) {
  for (int n = g->count - 1; n >= 0; n--) {
    if (!mark[n]) continue;
    for (int i = 0; i < hn_op_table[g->nodes[n].op].arity; i++) mark[g->nodes[n].args[i]] = 1;
  }
}

int hn_graph_depends(const hn_graph *g, hn_node n, int input) {
  if (!valid(g, n) || input < 0) return 0;
  // exact for the first 63 inputs, "perhaps" for the others
  if (!(g->nodes[n].inputs & hn_input_bit(input))) return 0;
  if (input < 63) return 1;
  // the inputs from 63 on share a bit: look whether this one is below the node
  unsigned char *mark = calloc((size_t)g->count, 1);
  if (!mark) return 1;  // "perhaps" is the safe answer
  mark[n] = 1;
  hn_graph_mark(g, mark);
  int found = 0;
  for (int i = 0; i <= n && !found; i++)
    found = mark[i] && g->nodes[i].op == HN_OP_INPUT && g->nodes[i].args[0] == input;
  free(mark);
  return found;
}

// ---- making nodes ----

// the node for op without any rewriting beyond folding constants and ordering arguments
static hn_node make(hn_graph *g, hn_op op, hn_node a, hn_node b, hn_node c) {
  hn_graph_node key = {op, {a, b, c}, 0, 0, -1};
  int arity = hn_op_table[op].arity, all_constant = 1;
  double v[3] = {0};
  for (int i = 0; i < 3; i++) {
    if (i >= arity) {
      // arguments that the operation does not have are forgotten, so that equal nodes are equal
      key.args[i] = -1;
      continue;
    }
    if (!valid(g, key.args[i])) return -1;
    all_constant &= hn_graph_is_constant(g, key.args[i], &v[i]);
    key.inputs |= g->nodes[key.args[i]].inputs;
  }
  if (all_constant) {
    // what is not finite stays an operation, so that "constant" always means a usable number
    // a NaN or infinity as a constant would spread through simplifications as if it were a number
    double value = hn_op_value(op, v[0], v[1], v[2]);
    if (isfinite(value)) return hn_graph_constant(g, value);
  }
  // constants first, then older nodes first
  if (hn_op_table[op].commutes) {
    int constant_a = hn_graph_is_constant(g, a, NULL),
        constant_b = hn_graph_is_constant(g, b, NULL);
    if (constant_a != constant_b ? constant_b : b < a) key.args[0] = b, key.args[1] = a;
  }
  return intern(g, &key);
}

static hn_node make2(hn_graph *g, hn_op op, hn_node a, hn_node b) {
  return make(g, op, a, b, -1);
}

static int is_op(const hn_graph *g, hn_node n, hn_op op) {
  return g->nodes[n].op == op;
}

static hn_node arg(const hn_graph *g, hn_node n, int i) {
  return g->nodes[n].args[i];
}

// write a node as coefficient * rest
// without making nodes: only looks
static double coefficient(const hn_graph *g, hn_node n, hn_node *rest) {
  double k;
  *rest = n;
  if (is_op(g, n, HN_OP_NEG)) {
    *rest = arg(g, n, 0);
    return -1;
  }
  if (is_op(g, n, HN_OP_MUL) && hn_graph_is_constant(g, arg(g, n, 0), &k)) {
    *rest = arg(g, n, 1);
    return k;
  }
  return 1;
}

// a node without coefficient; merging is limited to these, so that rewriting never recurses far
// x, but neither -x nor 3*x
static int is_bare(const hn_graph *g, hn_node n) {
  hn_node rest;
  coefficient(g, n, &rest);
  return rest == n;
}

// k * n where n is left as it is
static hn_node scaled(hn_graph *g, double k, hn_node n) {
  if (k == 1) return n;
  if (k == -1) return make(g, HN_OP_NEG, n, -1, -1);
  return make2(g, HN_OP_MUL, hn_graph_constant(g, k), n);
}

// *sum = a + b, and whether that is exact: constants of sums are merged only then, since
// (x - 1e9) + 1e-9 must not become x - 1e9
static int exact_sum(double a, double b, double *sum) {
  *sum = a + b;
  double b_part = *sum - a;
  return *sum - b_part == a && b_part == b;
}

static hn_node negate(hn_graph *g, hn_node a) {
  double k;
  hn_node rest;
  if (!valid(g, a)) return -1;
  // plain: as written, nothing is merged or pulled out
  if (g->plain) return make(g, HN_OP_NEG, a, -1, -1);
  // -(a - b) = b - a and -(k + y) = -k - y, exact in floating point
  if (is_op(g, a, HN_OP_SUB)) return make2(g, HN_OP_SUB, arg(g, a, 1), arg(g, a, 0));
  if ((is_op(g, a, HN_OP_ADD) || is_op(g, a, HN_OP_DIV)) &&
      hn_graph_is_constant(g, arg(g, a, 0), &k)) {
    hn_op op = is_op(g, a, HN_OP_ADD) ? HN_OP_SUB : HN_OP_DIV;
    rest = arg(g, a, 1);
    return make2(g, op, hn_graph_constant(g, -k), rest);
  }
  k = coefficient(g, a, &rest);
  return scaled(g, -k, rest);
}

// constant k + n
static hn_node add_constant(hn_graph *g, double k, hn_node n) {
  double other, sum;
  if (!valid(g, n) || k == 0) return n;
  // (c + y) and (c - y) take the constant in, where no digit is lost
  if ((is_op(g, n, HN_OP_ADD) || is_op(g, n, HN_OP_SUB)) &&
      hn_graph_is_constant(g, arg(g, n, 0), &other) && exact_sum(k, other, &sum)) {
    hn_op op = g->nodes[n].op;
    hn_node rest = arg(g, n, 1);
    if (sum != 0) return make2(g, op, hn_graph_constant(g, sum), rest);
    return op == HN_OP_ADD ? rest : negate(g, rest);
  }
  if (is_op(g, n, HN_OP_NEG)) return make2(g, HN_OP_SUB, hn_graph_constant(g, k), arg(g, n, 0));
  return make2(g, HN_OP_ADD, hn_graph_constant(g, k), n);
}

hn_node hn_graph_add(hn_graph *g, hn_node a, hn_node b) {
  if (hn_graph_only_asks(g)) return ask(g, HN_OP_ADD, a, b);
  if (g->plain) return make2(g, HN_OP_ADD, a, b);
  if (!valid(g, a) || !valid(g, b)) return -1;
  double ka = 0, kb = 0;
  int constant_a = hn_graph_is_constant(g, a, &ka), constant_b = hn_graph_is_constant(g, b, &kb);
  if (constant_a && constant_b) return make2(g, HN_OP_ADD, a, b);
  if (constant_a) return add_constant(g, ka, b);
  if (constant_b) return add_constant(g, kb, a);

  // multiples of the same thing
  // 2x + 3x = 5x, x - x = 0
  hn_node rest_a, rest_b;
  ka = coefficient(g, a, &rest_a);
  kb = coefficient(g, b, &rest_b);
  if (rest_a == rest_b && isfinite(ka + kb))
    return hn_graph_mul(g, hn_graph_constant(g, ka + kb), rest_a);

  if (is_op(g, b, HN_OP_NEG)) return make2(g, HN_OP_SUB, a, rest_b);
  if (is_op(g, a, HN_OP_NEG)) return make2(g, HN_OP_SUB, b, rest_a);
  return make2(g, HN_OP_ADD, a, b);
}

hn_node hn_graph_sub(hn_graph *g, hn_node a, hn_node b) {
  if (hn_graph_only_asks(g)) return ask(g, HN_OP_SUB, a, b);
  if (g->plain) return make2(g, HN_OP_SUB, a, b);
  if (!valid(g, a) || !valid(g, b)) return -1;
  double kb = 0;
  int constant_a = hn_graph_is_constant(g, a, NULL), constant_b = hn_graph_is_constant(g, b, &kb);
  if (constant_a && constant_b) return make2(g, HN_OP_SUB, a, b);
  // x - x is 0, whatever x is; see expr.h for what that means where x is not finite
  if (a == b) return hn_graph_constant(g, 0);
  if (constant_b) return add_constant(g, -kb, a);
  return hn_graph_add(g, a, negate(g, b));
}

hn_node hn_graph_mul(hn_graph *g, hn_node a, hn_node b) {
  if (hn_graph_only_asks(g)) return ask(g, HN_OP_MUL, a, b);
  if (g->plain) return make2(g, HN_OP_MUL, a, b);
  if (!valid(g, a) || !valid(g, b)) return -1;
  hn_node rest_a, rest_b;
  double k;
  // so that constants are first from here on
  if (hn_graph_is_constant(g, b, NULL)) {
    if (hn_graph_is_constant(g, a, NULL)) return make2(g, HN_OP_MUL, a, b);
    return hn_graph_mul(g, b, a);
  }
  double kb = coefficient(g, b, &rest_b);
  if (hn_graph_is_constant(g, a, &k)) {
    if (k == 0) return hn_graph_constant(g, 0);
    // k (c y) = (k c) y, as long as the product neither overflows nor loses digits as a subnormal
    if (rest_b != b && is_bare(g, rest_b) && isnormal(k * kb)) return scaled(g, k * kb, rest_b);
    // k (c / y) = (k c) / y
    if (is_op(g, b, HN_OP_DIV) && hn_graph_is_constant(g, arg(g, b, 0), &kb) && isnormal(k * kb))
      return make2(g, HN_OP_DIV, hn_graph_constant(g, k * kb), arg(g, b, 1));
    return scaled(g, k, b);
  }
  // (ka x) (kb y) = (ka kb) (x y)
  double ka = coefficient(g, a, &rest_a);
  if (is_bare(g, rest_a) && is_bare(g, rest_b) && isnormal(ka * kb))
    return scaled(g, ka * kb, make2(g, HN_OP_MUL, rest_a, rest_b));
  return make2(g, HN_OP_MUL, a, b);
}

hn_node hn_graph_div(hn_graph *g, hn_node a, hn_node b) {
  if (hn_graph_only_asks(g)) return ask(g, HN_OP_DIV, a, b);
  if (g->plain) return make2(g, HN_OP_DIV, a, b);
  if (!valid(g, a) || !valid(g, b)) return -1;
  double ka = 0, kb = 0;
  int constant_a = hn_graph_is_constant(g, a, &ka), constant_b = hn_graph_is_constant(g, b, &kb);
  if (constant_a && constant_b) return make2(g, HN_OP_DIV, a, b);
  if (constant_a && ka == 0) return hn_graph_constant(g, 0);

  hn_node rest;
  if (constant_b) {
    int exponent;
    // dividing by a power of two is multiplying by its inverse
    // exact, unlike the inverse of other numbers
    if (fabs(frexp(kb, &exponent)) == 0.5 && isnormal(1 / kb))
      return hn_graph_mul(g, hn_graph_constant(g, 1 / kb), a);
    // (ka x) / kb = (ka / kb) x: one more rounding than written, within a digit
    ka = coefficient(g, a, &rest);
    if (is_op(g, a, HN_OP_MUL) && rest != a && is_bare(g, rest) && isnormal(ka / kb))
      return scaled(g, ka / kb, rest);
  }
  // signs go outside
  if (is_op(g, a, HN_OP_NEG)) return negate(g, hn_graph_div(g, arg(g, a, 0), b));
  if (is_op(g, b, HN_OP_NEG)) return negate(g, hn_graph_div(g, a, arg(g, b, 0)));
  return make2(g, HN_OP_DIV, a, b);
}

// Small powers without pow: faster, and exact where they are. The square shares its factor.
static hn_node power(hn_graph *g, hn_node a, hn_node b) {
  if (!valid(g, a) || !valid(g, b)) return -1;
  double k;
  if (hn_graph_is_constant(g, b, &k)) {
    if (k == 0 && !g->plain) return hn_graph_constant(g, 1);
    if (k == 1) return a;
    if (k == 2) return hn_graph_mul(g, a, a);
    if (k == 0.5) return make(g, HN_OP_SQRT, a, -1, -1);
    if (k == -1) return hn_graph_div(g, hn_graph_constant(g, 1), a);
  }
  return make2(g, HN_OP_POW, a, b);
}

// the side that is not chosen is dropped when the condition is a constant
static hn_node choose(hn_graph *g, hn_node condition, hn_node a, hn_node b) {
  if (!valid(g, condition) || !valid(g, a) || !valid(g, b)) return -1;
  double k;
  if (g->plain) return make(g, HN_OP_IF, condition, a, b);
  if (hn_graph_is_constant(g, condition, &k)) return k != 0 ? a : b;
  if (a == b) return a;
  return make(g, HN_OP_IF, condition, a, b);
}

hn_node hn_graph_apply(hn_graph *g, hn_op op, hn_node a, hn_node b, hn_node c) {
  if (hn_graph_only_asks(g)) return hn_graph_ask(g, (int)op, a, b, c);
  switch (op) {
  case HN_OP_NEG: return negate(g, a);
  case HN_OP_ADD: return hn_graph_add(g, a, b);
  case HN_OP_SUB: return hn_graph_sub(g, a, b);
  case HN_OP_MUL: return hn_graph_mul(g, a, b);
  case HN_OP_DIV: return hn_graph_div(g, a, b);
  case HN_OP_POW: return power(g, a, b);
  case HN_OP_IF: return choose(g, a, b, c);
  default: return make(g, op, a, b, c);
  }
}
