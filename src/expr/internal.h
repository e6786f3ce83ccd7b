// expr_internal.h: what the files of the expression compiler share: the table of operations, their
// values, and the nodes of the graph.
//
//   expr.c             text -> nodes
//   expr_units.c       the units
//   expr_graph.c       nodes, simplification
//   expr_derivative.c  node -> derivative node
//   expr_switches.c    node -> node without decisions
//   expr_program.c     nodes -> program, run
//   bounds.c           a program over intervals of its inputs
#ifndef HN_EXPR_INTERNAL_H
#define HN_EXPR_INTERNAL_H

#include "base/elementary.h"
#include "expr/expr.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// operations written with operators: X(enumerator, arguments, commutes, value). What depends on
// something that is not a number is none either, conditions included; but for KNOWN, which is not
// for users: it takes another formula where the first is not a number
#define HN_OPERATORS(X)                                                                            \
  X(NEG, 1, 0, -a)                                                                                 \
  X(ADD, 2, 1, a + b)                                                                              \
  X(SUB, 2, 0, a - b)                                                                              \
  X(MUL, 2, 1, (a * b))                                                                            \
  X(DIV, 2, 0, a / b)                                                                              \
  X(LT, 2, 0, a < b ? 1 : a >= b ? 0 : NAN)                                                        \
  X(LE, 2, 0, a <= b ? 1 : a > b ? 0 : NAN)                                                        \
  X(EQ, 2, 1, a == b ? 1 : a < b || a > b ? 0 : NAN)                                               \
  X(NE, 2, 1, a == b ? 0 : a < b || a > b ? 1 : NAN)                                               \
  X(AND, 2, 1, a == 0 || b == 0 ? 0 : a == a && b == b ? 1 : NAN)                                  \
  X(OR, 2, 1, (a == a && a != 0) || (b == b && b != 0) ? 1 : a == 0 && b == 0 ? 0 : NAN)           \
  X(NOT, 1, 0, a == 0 ? 1 : a == a ? 0 : NAN)                                                      \
  X(KNOWN, 3, 0, a == a ? b : c)

// operations written as functions: X(enumerator, name, arguments, commutes, value)
#define HN_FUNCTIONS(X)                                                                            \
  X(IF, "if", 3, 0, a == 0 ? c : a == a ? b : NAN)                                                 \
  X(POW, "pow", 2, 0, hn_power(a, b))                                                              \
  X(SIN, "sin", 1, 0, hn_sin(a))                                                                   \
  X(COS, "cos", 1, 0, hn_cos(a))                                                                   \
  X(TAN, "tan", 1, 0, hn_tan(a))                                                                   \
  X(ASIN, "asin", 1, 0, hn_asin(a))                                                                \
  X(ACOS, "acos", 1, 0, hn_acos(a))                                                                \
  X(ATAN, "atan", 1, 0, hn_atan(a))                                                                \
  X(ATAN2, "atan2", 2, 0, hn_atan2(a, b))                                                          \
  X(SINH, "sinh", 1, 0, hn_sinh(a))                                                                \
  X(COSH, "cosh", 1, 0, hn_cosh(a))                                                                \
  X(TANH, "tanh", 1, 0, hn_tanh(a))                                                                \
  X(EXP, "exp", 1, 0, hn_exp(a))                                                                   \
  X(LOG, "log", 1, 0, hn_log(a))                                                                   \
  X(LOG10, "log10", 1, 0, hn_log10(a))                                                             \
  X(SQRT, "sqrt", 1, 0, sqrt(a))                                                                   \
  X(ABS, "abs", 1, 0, fabs(a))                                                                     \
  X(SIGN, "sign", 1, 0, a > 0 ? 1 : a < 0 ? -1 : a)                                                \
  X(MIN, "min", 2, 1, a < b || a != a ? a : b)                                                     \
  X(MAX, "max", 2, 1, a > b || a != a ? a : b)                                                     \
  X(HYPOT, "hypot", 2, 1, hn_hypot(a, b))                                                          \
  X(FLOOR, "floor", 1, 0, floor(a))                                                                \
  X(CEIL, "ceil", 1, 0, ceil(a))                                                                   \
  X(MOD, "mod", 2, 0, hn_modulo(a, b))                                                             \
  X(STEP, "step", 1, 0, a < 0 ? 0 : a >= 0 ? 1 : a)

typedef enum hn_op {
  HN_OP_CONSTANT,
  HN_OP_INPUT,
#define HN_X(op, arity, commutes, value) HN_OP_##op,
  HN_OPERATORS(HN_X)
#undef HN_X
#define HN_X(op, name, arity, commutes, value) HN_OP_##op,
      HN_FUNCTIONS(HN_X)
#undef HN_X
          HN_OP_COUNT
} hn_op;

typedef struct hn_op_info {
  const char *name;  // NULL when it is no function
  int arity;
  int commutes;
} hn_op_info;

extern const hn_op_info hn_op_table[HN_OP_COUNT];

// the small powers of mechanics without the cost of pow()
static inline double hn_power(double a, double b) {
  if (b == 3) return a * a * a;
  if (b == 4) return (a * a) * (a * a);
  return hn_pow(a, b);
}

// remainder with the sign of b
static inline double hn_modulo(double a, double b) {
  double r = fmod(a, b);
  if (r == 0) return 0;
  return (r < 0) != (b < 0) ? r + b : r;
}

// the meaning of every operation, used both to fold constants and to run programs, so that the
// two cannot differ
static inline double hn_op_value(hn_op op, double a, double b, double c) {
  switch (op) {
#define HN_X(op, arity, commutes, value)                                                           \
  case HN_OP_##op: return value;
    HN_OPERATORS(HN_X)
#undef HN_X
#define HN_X(op, name, arity, commutes, value)                                                     \
  case HN_OP_##op: return value;
    HN_FUNCTIONS(HN_X)
#undef HN_X
  case HN_OP_CONSTANT:
  case HN_OP_INPUT:
  case HN_OP_COUNT: break;
  }
  return NAN;
}

// arguments come before the node that uses them, so ascending order is evaluation order
typedef struct hn_graph_node {
  hn_op op;
  int args[3];      // nodes, unused ones -1; args[0] of an input is its number
  double value;     // of a constant
  uint64_t inputs;  // bit k: depends on input k; bit 63: on some input from 63 on
  int derivatives;  // first entry in the list of known derivatives, or -1
} hn_graph_node;

// one known derivative of a node; the entries of a node are chained
typedef struct hn_known_derivative {
  int input;
  hn_node result;
  int next;
} hn_known_derivative;

// Numbers of a model in the order in which formulas ask for them. Two models whose formulas ask the
// same questions (shape) differ in these numbers only; those that differ can be inputs
typedef struct hn_tape {
  double *value;
  int count, capacity;
  const int *input;  // per number: the input that stands for it, -1: a constant
  int known;         // how many it says that of; those behind are constants
  bool only;         // no nodes are made: nothing but numbers and shape is wanted
  uint64_t shape;    // with `only`: all questions asked, none of them simplified
} hn_tape;

struct hn_graph {
  hn_tape *tape;  // NULL: numbers are constants
  bool plain;     // operations stay as they are written: a program of them does to inputs what
                  // folding does to constants, to the last digit
  int asked;      // nodes that were asked for while none are made
  hn_graph_node *nodes;
  int count, capacity;
  int failed;  // out of memory
  int *slots;  // open hash table of node + 1, 0 when empty
  int slot_count;
  hn_known_derivative *derivatives;
  int derivative_count, derivative_capacity;
};

// any operation on nodes, simplified; arguments beyond its arity are ignored. Like all functions
// that make nodes it answers -1 when an argument is -1, so calls can be nested without checks.
hn_node hn_graph_apply(hn_graph *graph, hn_op op, hn_node a, hn_node b, hn_node c);

// a number of the model, see hn_tape
hn_node hn_graph_number(hn_graph *graph, double value);
// with hn_tape.only: what else the formulas depend on
void hn_graph_note(hn_graph *graph, long what);
static inline bool hn_graph_only_asks(const hn_graph *graph) {
  return graph->tape && graph->tape->only;
}
// the node that stands for an answer nobody wants; members of a study ask for thousands
hn_node hn_graph_ask(hn_graph *graph, int what, hn_node a, hn_node b, hn_node c);
// `count` of them at once, for operations that depend on `what` alone and on what was asked before,
// and ask for no number of the model
void hn_graph_stand_in(hn_graph *graph, long what, hn_node *nodes, int count);

// the bit of hn_graph_node.inputs that stands for an input
static inline uint64_t hn_input_bit(int input) {
  return (uint64_t)1 << (input < 63 ? input : 63);
}

// dot[n]: derivative of each of the first `count` nodes in the direction in which input k changes
// by the node of_input(user, k), -1: not at all. false: out of memory
bool hn_graph_tangent(hn_graph *graph, int count, hn_node (*of_input)(void *user, int input),
                      void *user, hn_node *dot);
// The other way round. bar[n] (first `count` nodes) comes in with what a change of node n is worth
// by itself, -1: nothing, and goes out with what it is worth by all that depends on it, too. What
// is below leaves is not looked at
bool hn_graph_adjoint(hn_graph *graph, int count, const unsigned char *leaf, hn_node *bar);

// mark[i] = 1 for all nodes needed by the marked ones; mark has graph->count bytes
void hn_graph_mark(const hn_graph *graph, unsigned char *mark);

// straight-line code over registers
typedef struct hn_instruction {
  hn_op op;
  int to, a, b, c;  // registers; unused ones are 0
} hn_instruction;

struct hn_program {
  int constant_count, input_count, code_count, output_count, register_count;
  double *constants;  // loaded into the first registers
  int *inputs;        // which inputs go into the registers after them
  hn_instruction *code;
  int *outputs;  // registers
};

#endif
