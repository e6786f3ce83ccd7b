// expr.h: formulas as a shared graph with exact symbolic derivatives.
//
// Text is parsed into nodes of an hn_graph. Equal nodes are one node (hash-consing), constants are
// folded and trivial operations simplified, so derivatives of derivatives stay small. A list of
// nodes is compiled into a straight-line program over registers; running it allocates nothing.
//
// Grammar, weakest first: || && comparisons (< <= > >= == !=, not chained) + - * / unary - + !
// and ^ (right associative, also **; -x^2 is -(x^2), 2^-3 is allowed); parentheses, decimal
// numbers, names with dots ("hinge.angle"), the constants pi and e, and the functions
// sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt abs sign min max hypot floor
// ceil mod pow, step(x) (0 for x<0, else 1), if(cond, a, b), clamp(x, low, high), and
// smoothstep(x, x0, y0, x1, y1): the quintic from y0 to y1 with zero slope and curvature at both
// ends, constant outside. A name followed by ( is a function; any other name is looked up by the
// caller's resolver first.
//
// Units: a number takes a unit name as suffix ("60 deg", "5mm"), which may carry its own power
// ("3 mm^2" is 3e-6). After * or / a quantity with unit goes on with bare units: "5 km/h",
// "9.81 m/s^2", "15 N*m/(rad/s)"; there the caller's names win over units. Values become SI.
// "5 t" is refused where t is a variable, since it looks like a product.
//
// Truth is "not zero"; comparisons and logic give 0 or 1. Both branches of if(...) are evaluated,
// but only the chosen one reaches the result, even when the other is NaN. mod(a, b) has the sign
// of b. A constant part that is not finite ("1/0") is an error of the text.
//
// At points where a function has no derivative: abs, sign, step, floor, ceil, comparisons, min,
// max, if and mod give that of a neighbouring piece or 0; hypot gives 0 at the origin; sqrt and
// powers below 1 give inf at 0, and NaN when the inner derivative vanishes there too (0*inf);
// atan2 gives NaN at the origin. x^1.5 has derivative 0 at 0. 0*x, 0/x and x-x become 0 for all x.
#ifndef HN_EXPR_H
#define HN_EXPR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hn_graph hn_graph;
typedef int hn_node;  // index into the graph; negative means failure

hn_graph *hn_graph_create(void);  // NULL when out of memory
void hn_graph_destroy(hn_graph *graph);

hn_node hn_graph_constant(hn_graph *graph, double value);
// the input variable number `index` (0, 1, ...) of compiled programs
hn_node hn_graph_input(hn_graph *graph, int index);

// turns a name met in the text into a node: return hn_graph_constant(...) for a parameter,
// hn_graph_input(...) for a variable, or -1 when the name is unknown
typedef hn_node (*hn_resolve_fn)(void *user, hn_graph *graph, const char *name, size_t length);

typedef struct hn_expr_error {
  int column;         // 1-based position in the text
  char message[160];  // "unknown name 'foo'"
} hn_expr_error;

// parse text; -1 and *error on failure. Depth and length are limited, so hostile text is refused
// with a message instead of exhausting the stack.
hn_node hn_graph_parse(hn_graph *graph, const char *text, size_t length, hn_resolve_fn resolve,
                       void *user, hn_expr_error *error);
// d node / d input; -1 when out of memory. Piecewise functions are differentiated piecewise.
hn_node hn_graph_derivative(hn_graph *graph, hn_node node, int input);
// 1 and *value when the node is a constant
int hn_graph_is_constant(const hn_graph *graph, hn_node node, double *value);
// 1 when the node depends on the input
int hn_graph_depends(const hn_graph *graph, hn_node node, int input);
// how often the node decides by the sign of something (comparisons, step, abs, sign, min, max);
// -1 when out of memory
int hn_graph_decisions(const hn_graph *graph, hn_node node);
// the same formula with its decisions replaced by inputs, numbered from first_input: input k is 1
// where function[k] > 0 and 0 elsewhere. On a side that is not its own it goes on as that side
// does, or, where that is not a number, as the formula itself. room is what hn_graph_decisions
// says; -1 when out of memory
hn_node hn_graph_hold(hn_graph *graph, hn_node node, int first_input, hn_node *function, int room);
// 1 when a side of it has an end beyond which it is not a number, and may have no slope there; -1
// when out of memory
int hn_graph_has_ends(const hn_graph *graph, hn_node node);
// arithmetic on nodes, simplified
hn_node hn_graph_add(hn_graph *graph, hn_node a, hn_node b);
hn_node hn_graph_sub(hn_graph *graph, hn_node a, hn_node b);
hn_node hn_graph_mul(hn_graph *graph, hn_node a, hn_node b);
hn_node hn_graph_div(hn_graph *graph, hn_node a, hn_node b);

// a compiled straight-line program, immutable and shareable between threads
typedef struct hn_program hn_program;
hn_program *hn_program_compile(const hn_graph *graph, const hn_node *outputs, int output_count);
void hn_program_destroy(hn_program *program);
int hn_program_registers(const hn_program *program);
// run it: `registers` is scratch of hn_program_registers() doubles
void hn_program_run(const hn_program *program, const double *inputs, double *registers,
                    double *outputs);
// the same; 0 as soon as something on the way is not finite
int hn_program_run_finite(const hn_program *program, const double *inputs, double *registers,
                          double *outputs);
int hn_program_outputs(const hn_program *program);
// the inputs a program reads: their numbers, *count of them
const int *hn_program_inputs(const hn_program *program, int *count);
// the derivatives of one of its outputs with respect to these, in that order; NULL: out of memory
hn_program *hn_program_gradient(const hn_program *program, int output);
// the same on nodes of another graph instead of numbers
void hn_program_replay(const hn_program *program, hn_graph *graph, const hn_node *inputs,
                       hn_node *registers, hn_node *outputs);

// Can the instant be found in which a formula becomes true? `held` says which inputs change in
// single instants only; whatever depends on nothing else is a condition in any form. What moves
// equals something for no time at all, and a bare number has no sign to watch.
typedef enum hn_condition {
  HN_CONDITION,
  HN_NO_CONDITION,
  HN_CONDITION_OF_AN_INSTANT,
} hn_condition;
hn_condition hn_graph_condition(const hn_graph *graph, hn_node node, const bool *held, int inputs);

// a range of values
typedef struct hn_bounds {
  double low, high;
} hn_bounds;
// bounds of the outputs while the inputs go through ranges of theirs; they are not tight, but get
// so as the ranges shrink. Returns how many decisions (comparisons, abs, min, floor ...) are open,
// so that 0 says that the formulas are smooth there. `registers`: as for hn_program_run
int hn_program_bounds(const hn_program *program, const hn_bounds *inputs, hn_bounds *registers,
                      hn_bounds *outputs);
// what all decisions of a program come to (comparisons, signs, whole parts), as one number: it is
// another one where a decision is
unsigned long long hn_program_decided(const hn_program *program, const double *inputs,
                                      double *registers);

// one unit name; value in SI = number * factor
typedef struct hn_unit {
  const char *name;
  double factor;
  const char *dimension;  // "length", "force", ...
  bool gives_way;         // to names of the file that are called like it
} hn_unit;
// the units by index, NULL after the last
const hn_unit *hn_unit_at(int index);
// the unit called so, or NULL
const hn_unit *hn_unit_find(const char *name, size_t length);

// parse a plain number with an optional unit, or a constant expression: "60 deg", "2*pi",
// "5 mm". Returns 1 on success.
int hn_parse_number(const char *text, size_t length, hn_resolve_fn resolve, void *user,
                    double *value, hn_expr_error *error);

#endif
