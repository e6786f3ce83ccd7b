// expr.c: the text of a formula turned into nodes, by recursive descent.
//
//   binary  = unary { operator unary }            by precedence, see the table of operators
//   unary   = ("-" | "+" | "!") unary | power
//   power   = primary [ ("^" | "**") unary ]
//   primary = number [ unit ] | name | name "(" binary { "," binary } ")" | "(" binary ")"
//
// Every parse_ function answers a node, or -1 after it has written the error.
#include "base/base.h"
#include "expr/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  TEXT_LIMIT = 10000,  // characters of a formula
  DEPTH_LIMIT = 200,   // nesting of parentheses, calls, signs and powers
  DIGIT_LIMIT = 200,   // digits of a number
  ARGUMENT_LIMIT = 5,  // arguments of the function with the most of them
  SHOWN = 40           // characters of a name repeated in a message
};

// One pass over the text without a list of tokens: at most one word is looked ahead. Errors are
// written where they are found, with their column, and -1 goes up through all levels.
typedef struct parser {
  const char *text;  // not ended by a zero byte
  size_t length, at;
  hn_graph *graph;
  hn_resolve_fn resolve;  // the caller's names and what they are looked up in
  void *user;
  hn_expr_error *error;
  int depth;         // of parse_unary in itself
  int after_unit;    // the next value follows "quantity *" or "quantity /": bare units count
  int was_quantity;  // the last value was a number with unit, or a bare unit
} parser;

// a name in the text and where it stands
typedef struct word {
  const char *text;
  size_t length, at;
} word;

static hn_node parse_binary(parser *p, int weakest);
static hn_node parse_unary(parser *p);

// ---- messages ----

__attribute__((format(printf, 3, 4))) static hn_node fail(parser *p, size_t at, const char *format,
                                                          ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(p->error->message, sizeof p->error->message, format, args);
  va_end(args);
  p->error->column = (int)at + 1;
  return -1;
}

static hn_node fail_memory(parser *p, size_t at) {
  return fail(p, at, "out of memory");
}

static int shown(word w) {
  return w.length < SHOWN ? (int)w.length : SHOWN;
}

// names for "did you mean" and for is_function: those of the table, and those written out as
// several operations
static const char *const function_names[] = {
#define HN_X(op, name, arity, commutes, value) name,
    HN_FUNCTIONS(HN_X)
#undef HN_X
        "smoothstep",
    "clamp",
    NULL,
};

// "what 'word'", with "did you mean" when one of the names is near
static hn_node fail_unknown(parser *p, const char *what, word w, const char *const *names) {
  char copy[SHOWN + 1];
  snprintf(copy, sizeof copy, "%.*s", shown(w), w.text);
  // one letter is near to any other letter
  const char *near = names && w.length > 1 && w.length <= SHOWN ? hn_nearest(copy, names) : NULL;
  if (near) return fail(p, w.at, "%s '%s'; did you mean '%s'?", what, copy, near);
  return fail(p, w.at, "%s '%s'", what, copy);
}

// "m2", "s2": a unit and its power, as others write it; the unit's name, or NULL
static const char *power_of(word w) {
  if (w.length < 2 || w.text[w.length - 1] < '2' || w.text[w.length - 1] > '9') return NULL;
  const hn_unit *unit = hn_unit_find(w.text, w.length - 1);
  return unit ? unit->name : NULL;
}

enum { UNIT_NAMES = 128 };  // more than there are units; the last place stays NULL

static void unit_names(const char *names[UNIT_NAMES]) {
  for (int i = 0; i < UNIT_NAMES; i++) names[i] = NULL;
  for (int i = 0; i < UNIT_NAMES - 1 && hn_unit_at(i); i++) names[i] = hn_unit_at(i)->name;
}

static hn_node fail_unit(parser *p, word w) {
  const char *power = power_of(w);
  if (power)
    return fail(p, w.at, "unknown unit '%.*s'; did you mean '%s^%c'?", shown(w), w.text, power,
                w.text[w.length - 1]);
  const char *names[UNIT_NAMES];
  unit_names(names);
  return fail_unknown(p, "unknown unit", w, names);
}

static hn_node fail_operator(parser *p, word w) {
  char copy[SHOWN + 1];
  const char *names[UNIT_NAMES];
  unit_names(names);
  snprintf(copy, sizeof copy, "%.*s", shown(w), w.text);
  const char *near = w.length > 1 && w.length <= SHOWN ? hn_nearest(copy, names) : NULL;
  if (near)
    return fail(p, w.at, "missing operator before '%s', or a unit: did you mean '%s'?", copy, near);
  return fail(p, w.at, "missing operator before '%s', which is no unit", copy);
}

// ---- characters and words ----

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// the character at an offset from here, blank beyond the end
static char look(const parser *p, size_t offset) {
  return p->at + offset < p->length ? p->text[p->at + offset] : ' ';
}

static void skip_blanks(parser *p) {
  for (; p->at < p->length; p->at++) {
    char c = p->text[p->at];
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') break;
  }
}

// skip blanks, then the given text if it is next
static int take(parser *p, const char *token) {
  skip_blanks(p);
  size_t n = strlen(token);
  if (p->length - p->at < n || memcmp(p->text + p->at, token, n) != 0) return 0;
  p->at += n;
  return 1;
}

static int number_is_next(const parser *p) {
  return is_digit(look(p, 0)) || (look(p, 0) == '.' && is_digit(look(p, 1)));
}

// letters, digits and _, parts joined by single dots
static word read_word(parser *p) {
  word w = {p->text + p->at, 0, p->at};
  while (is_letter(look(p, 0)) || is_digit(look(p, 0)) ||
         (look(p, 0) == '.' && (is_letter(look(p, 1)) || is_digit(look(p, 1)))))
    p->at++;
  w.length = p->at - w.at;
  // by hand instead of isalpha: letters must not depend on the locale
  return w;
}

static int word_is(word w, const char *text) {
  return strlen(text) == w.length && memcmp(w.text, text, w.length) == 0;
}

// a character that fits nowhere
static hn_node fail_character(parser *p) {
  unsigned char c = (unsigned char)p->text[p->at];
  const char *ascii = hn_ascii_for(p->text + p->at, p->length - p->at);
  if (ascii) return fail(p, p->at, "only ASCII text is allowed: write '%s'", ascii);
  if (c == ',' && p->at > 0 && is_digit(p->text[p->at - 1]) && is_digit(look(p, 1)))
    return fail(p, p->at, "unexpected character ',' (a number has a decimal point)");
  if (c == '=') return fail(p, p->at, "unexpected '=', write '==' to compare");
  if (c > ' ' && c < 127) return fail(p, p->at, "unexpected character '%c'", c);
  return fail(p, p->at, "unexpected byte 0x%02X, only ASCII text is allowed", c);
}

// the text goes on where an operator, a closing parenthesis or the end was expected
static hn_node fail_rest(parser *p) {
  if (is_letter(look(p, 0)) || is_digit(look(p, 0))) {
    // the most frequent slip: "2 x" or "3(x + 1)"
    word w = read_word(p);
    return fail(p, w.at, "missing operator before '%.*s'", shown(w), w.text);
  }
  if (look(p, 0) == '(') return fail(p, p->at, "missing operator before '('");
  return fail_character(p);
}

static hn_node fail_no_value(parser *p) {
  if (p->at >= p->length) return fail(p, p->at, "a value is missing at the end");
  if (strchr("+-*/^<>=&|!),", look(p, 0)) && look(p, 0))
    return fail(p, p->at, "a value is missing before '%c'", look(p, 0));
  return fail_character(p);
}

// ---- values ----

// pass on a node the parser made: failure of the graph is lack of memory, and a constant that
// could not be folded is not finite
static hn_node checked(parser *p, size_t at, hn_node n) {
  double value = 0;
  if (n < 0) return fail_memory(p, at);
  int constant = hn_graph_is_constant(p->graph, n, &value);
  if (constant ? !isfinite(value) : p->graph->nodes[n].inputs == 0)
    return fail(p, at, "value is not finite");
  return n;
}

static hn_node resolve(const parser *p, word w) {
  if (!p->resolve) return -1;
  // what a resolver answers is not trusted to be a node of this graph
  hn_node n = p->resolve(p->user, p->graph, w.text, w.length);
  return n >= 0 && n < p->graph->count ? n : -1;
}

// digits 10^exponent where one rounding gives it: both factors are exact. False: not here
static int is_simple(const char *digits, int count, int exponent, double *value) {
  static const double power[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  double whole = 0;
  // whole numbers of 15 digits and powers up to 10^22 are doubles
  if (count > 15 || exponent < -22 || exponent > 22) return 0;
  for (int i = 0; i < count; i++) whole = 10 * whole + (digits[i] - '0');
  *value = exponent < 0 ? whole / power[-exponent] : whole * power[exponent];
  return 1;
}

// "e-12", by hand: numbers of 17 digits are what members of studies are given
static void put_exponent(char *at, int exponent) {
  char digits[12];
  int n = 0;
  *at++ = 'e';
  if (exponent < 0) *at++ = '-', exponent = -exponent;
  do digits[n++] = (char)('0' + exponent % 10);
  while (exponent /= 10);
  while (n > 0) *at++ = digits[--n];
  *at = 0;
}

// Read a decimal number. strtod follows the locale's decimal point, so it is given the digits
// without one and a shifted exponent: "1.25e3" as "125e1".
static int read_number(parser *p, double *value) {
  char digits[DIGIT_LIMIT + 16];
  int count = 0, after_point = 0, seen_point = 0, exponent = 0;
  size_t start = p->at;
  for (;; p->at++) {
    // digits and at most one point; a second point is left over, and refused as rest
    char c = look(p, 0);
    if (c == '.' && !seen_point) {
      seen_point = 1;
    } else if (is_digit(c)) {
      if (count == DIGIT_LIMIT) return fail(p, start, "number has too many digits"), 0;
      digits[count++] = c;
      after_point += seen_point;
    } else {
      break;
    }
  }
  // an e that no digit follows is no exponent, but the constant e or a unit
  int sign = look(p, 1) == '-' || look(p, 1) == '+';
  if ((look(p, 0) == 'e' || look(p, 0) == 'E') && is_digit(look(p, 1 + (size_t)sign))) {
    int negative = look(p, 1) == '-';
    for (p->at += 1 + (size_t)sign; is_digit(look(p, 0)); p->at++)
      // saturates: beyond 10000 it is out of range anyhow
      if (exponent < 10000) exponent = 10 * exponent + (look(p, 0) - '0');
    if (negative) exponent = -exponent;
  }
  if (count && is_simple(digits, count, exponent - after_point, value)) return 1;
  put_exponent(digits + count, exponent - after_point);
  *value = strtod(digits, NULL);
  if (!isfinite(*value)) return fail(p, start, "number out of range"), 0;
  return 1;
}

// number * factor; dividing by 1000 instead of multiplying by 0.001 makes 9 mm exactly 0.009
// 1/0.001 is 1000 exactly, and division by it rounds correctly; 1/factor is no whole number for
// inches
static double in_si(double number, double factor) {
  double inverse = round(1 / factor);
  return factor < 1 && 1 / inverse == factor ? number / inverse : number * factor;
}

static int is_function(word w) {
  for (int i = 0; function_names[i]; i++)
    if (word_is(w, function_names[i])) return 1;
  return 0;
}

// the unit after a number, with its own power: *value becomes SI
static int parse_suffix(parser *p, double *value) {
  word w = read_word(p);
  // a name of the caller that is also a unit is not decided here: the text must say which it means
  const hn_unit *unit = hn_unit_find(w.text, w.length);
  hn_node meant = resolve(p, w);
  skip_blanks(p);
  if (!unit && meant < 0 && !is_function(w) && !word_is(w, "pi") && !word_is(w, "e"))
    return fail_unit(p, w), 0;
  // a word that the caller may come to know: a product without its sign, or a wrong unit
  if (!unit && meant >= 0 && look(p, 0) != '(') return fail_operator(p, w), 0;
  if (!unit || look(p, 0) == '(')
    return fail(p, w.at, "missing operator before '%.*s'", shown(w), w.text), 0;
  // where the file's signals are not known yet, any name may be one of them
  if (meant >= 0 && (!unit->gives_way || hn_graph_is_constant(p->graph, meant, NULL)))
    return fail(p, w.at, "'%s' is a unit and also a %s here; write '*' for the product", unit->name,
                hn_graph_is_constant(p->graph, meant, NULL) ? "parameter" : "variable"),
           0;
  p->was_quantity = 1;
  if (!take(p, "^") && !take(p, "**")) {
    *value = in_si(*value, unit->factor);
    return 1;
  }
  size_t at = p->at;
  double exponent;
  hn_node n = parse_unary(p);
  if (n < 0) return 0;
  // a power may be written as a formula: mm^(1+1)
  if (!hn_graph_is_constant(p->graph, n, &exponent))
    return fail(p, at, "the power of a unit must be a constant"), 0;
  *value *= hn_power(unit->factor, exponent);
  p->was_quantity = 1;
  return 1;
}

static hn_node parse_number(parser *p) {
  size_t at = p->at;
  double value;
  if (!read_number(p, &value)) return -1;
  skip_blanks(p);
  if (is_letter(look(p, 0)) && !parse_suffix(p, &value)) return -1;
  return checked(p, at, hn_graph_constant(p->graph, value));
}

// the closing parenthesis of the one at `open`
static int close_group(parser *p, size_t open) {
  if (take(p, ")")) return 1;
  if (p->at < p->length) return fail_rest(p), 0;
  fail(p, p->at, "missing ')' to close the '(' at column %d", (int)open + 1);
  return 0;
}

// ---- functions ----

// quintic from y0 at x0 to y1 at x1: with u = (x - x0)/(x1 - x0),
// y = y0 + (y1 - y0) u^3 (10 - 15 u + 6 u^2); y0 for u <= 0, y1 for u >= 1
static hn_node smoothstep(parser *p, size_t at, const hn_node v[ARGUMENT_LIMIT]) {
  hn_graph *g = p->graph;
  double width;
  hn_node x = v[0], x0 = v[1], y0 = v[2], x1 = v[3], y1 = v[4];
  // u is parsed once and used six times: nodes are shared, so it costs nothing
  hn_node span = hn_graph_sub(g, x1, x0), one = hn_graph_constant(g, 1);
  if (hn_graph_is_constant(g, span, &width) && width == 0)
    return fail(p, at, "smoothstep needs x0 and x1 to differ");
  hn_node u = hn_graph_div(g, hn_graph_sub(g, x, x0), span);
  hn_node s = hn_graph_mul(g, u, hn_graph_constant(g, 6));
  s = hn_graph_mul(g, u, hn_graph_add(g, s, hn_graph_constant(g, -15)));
  s = hn_graph_add(g, s, hn_graph_constant(g, 10));
  s = hn_graph_mul(g, s, hn_graph_mul(g, u, hn_graph_mul(g, u, u)));
  hn_node y = hn_graph_add(g, y0, hn_graph_mul(g, hn_graph_sub(g, y1, y0), s));
  // ends are chosen, not clamped: a polynomial beyond its range would be huge, and its derivatives
  // wrong
  y = hn_graph_apply(g, HN_OP_IF, hn_graph_apply(g, HN_OP_LE, one, u, -1), y1, y);
  hn_node below = hn_graph_apply(g, HN_OP_LE, u, hn_graph_constant(g, 0), -1);
  return checked(p, at, hn_graph_apply(g, HN_OP_IF, below, y0, y));
}

// x between low and high
static hn_node clamp(parser *p, size_t at, const hn_node v[ARGUMENT_LIMIT]) {
  // bounds that are formulas cannot be compared here; then high wins over x, and low over high
  hn_graph *g = p->graph;
  double low, high;
  if (hn_graph_is_constant(g, v[1], &low) && hn_graph_is_constant(g, v[2], &high) && low > high)
    return fail(p, at, "clamp(x, low, high) needs low <= high, got %.6g and %.6g", low, high);
  hn_node y = hn_graph_apply(g, HN_OP_MIN, v[0], v[2], -1);
  return checked(p, at, hn_graph_apply(g, HN_OP_MAX, y, v[1], -1));
}

static hn_node call(parser *p, word name, const hn_node *args, int count) {
  int is_smoothstep = word_is(name, "smoothstep"), is_clamp = word_is(name, "clamp");
  // of the table unless it is one of the two written out
  int wanted = is_smoothstep ? 5 : is_clamp ? 3 : 0;
  hn_op op = HN_OP_COUNT;
  for (int i = 0; i < HN_OP_COUNT && !wanted; i++)
    if (hn_op_table[i].name && word_is(name, hn_op_table[i].name)) {
      op = (hn_op)i;
      wanted = hn_op_table[i].arity;
    }
  if (count != wanted)
    return fail(p, name.at, "%.*s takes %d argument%s, got %d", shown(name), name.text, wanted,
                wanted == 1 ? "" : "s", count);
  if (is_smoothstep) return smoothstep(p, name.at, args);
  // arguments beyond the arity are -1, which the graph does not look at
  if (is_clamp) return clamp(p, name.at, args);
  return checked(p, name.at, hn_graph_apply(p->graph, op, args[0], args[1], args[2]));
}

static hn_node parse_call(parser *p, word name) {
  size_t open = p->at++;
  if (!is_function(name)) return fail_unknown(p, "unknown function", name, function_names);
  hn_node args[ARGUMENT_LIMIT] = {-1, -1, -1, -1, -1};
  int count = 0;
  skip_blanks(p);
  // f() has no arguments, and says so by its count
  if (look(p, 0) != ')') {
    do {
      hn_node n = parse_binary(p, 0);
      if (n < 0) return -1;
      if (count < ARGUMENT_LIMIT) args[count] = n;
      count++;
    } while (take(p, ","));
  }
  if (!close_group(p, open)) return -1;
  p->was_quantity = 0;
  return call(p, name, args, count);
}

// ---- the levels of the grammar ----

static hn_node parse_name(parser *p, int unit_allowed) {
  word w = read_word(p);
  skip_blanks(p);
  // A name means, in this order: a function if "(" follows; what the caller knows; a unit where one
  // may stand; pi and e.
  if (look(p, 0) == '(') return parse_call(p, w);
  hn_node n = resolve(p, w);
  // the resolver found it, but had no memory for it
  if (n < 0 && p->graph->failed) return fail_memory(p, w.at);
  const hn_unit *unit = hn_unit_find(w.text, w.length);
  // where there is a time, "30 deg/s*t" has it in it, and no tonnes
  bool time = n >= 0 && word_is(w, "t") && !hn_graph_is_constant(p->graph, n, NULL);
  if (n >= 0 && unit && unit_allowed && !unit->gives_way && !time)
    return fail(p, w.at,
                "'%s' after a unit is a unit and also a %s here; write the product the other way "
                "round, or rename it",
                unit->name, hn_graph_is_constant(p->graph, n, NULL) ? "parameter" : "variable");
  if (n >= 0) return checked(p, w.at, n);
  if (unit && unit_allowed) {
    p->was_quantity = 1;
    return checked(p, w.at, hn_graph_constant(p->graph, unit->factor));
  }
  if (word_is(w, "pi"))
    return checked(p, w.at, hn_graph_constant(p->graph, 3.14159265358979323846));
  if (word_is(w, "e")) return checked(p, w.at, hn_graph_constant(p->graph, 2.71828182845904523536));
  if (unit)
    return fail(p, w.at, "unknown name '%s'; a unit must follow a number, as in 1 %s", unit->name,
                unit->name);
  if (is_function(w))
    return fail(p, w.at, "'%.*s' is a function and needs (...)", shown(w), w.text);
  if (unit_allowed && power_of(w)) return fail_unit(p, w);
  return fail_unknown(p, "unknown name", w, w.length == 2 ? (const char *[]){"pi", NULL} : NULL);
}

static hn_node parse_primary(parser *p) {
  // who follows "quantity *" is told here, and nobody further inside, but through parentheses
  int unit_allowed = p->after_unit;
  p->after_unit = 0;
  p->was_quantity = 0;
  skip_blanks(p);
  if (number_is_next(p)) return parse_number(p);
  if (is_letter(look(p, 0))) return parse_name(p, unit_allowed);
  size_t open = p->at;
  if (!take(p, "(")) return fail_no_value(p);
  p->after_unit = unit_allowed;
  hn_node n = parse_binary(p, 0);
  return n >= 0 && close_group(p, open) ? n : -1;
}

static hn_node parse_power(parser *p) {
  hn_node base = parse_primary(p);
  if (base < 0) return -1;
  // the power of a quantity is one: m^2 may go on with bare units
  int quantity = p->was_quantity;
  skip_blanks(p);
  size_t at = p->at;
  if (!take(p, "^") && !take(p, "**")) return base;
  hn_node exponent = parse_unary(p);
  if (exponent < 0) return -1;
  p->was_quantity = quantity;
  return checked(p, at, hn_graph_apply(p->graph, HN_OP_POW, base, exponent, -1));
}

static hn_node parse_signed(parser *p) {
  skip_blanks(p);
  size_t at = p->at;
  if (take(p, "+")) return parse_unary(p);
  int minus = take(p, "-");
  // "!" binds as tightly as a sign: !a == b is (!a) == b
  if (!minus && !take(p, "!")) return parse_power(p);
  hn_node n = parse_unary(p);
  if (n < 0) return -1;
  return checked(p, at, hn_graph_apply(p->graph, minus ? HN_OP_NEG : HN_OP_NOT, n, -1, -1));
}

// all recursion passes here, so here it is limited
static hn_node parse_unary(parser *p) {
  if (p->depth >= DEPTH_LIMIT)
    return fail(p, p->at, "nested too deeply, more than %d levels", DEPTH_LIMIT);
  p->depth++;
  hn_node n = parse_signed(p);
  p->depth--;
  return n;
}

enum { COMPARISON = 3, PRODUCT = 5 };

// longer tokens first
static const struct binary {
  const char *token;
  int strength;
  hn_op op;
  int swapped;  // a > b is b < a
} operators[] = {
    {"||", 1, HN_OP_OR, 0},          {"&&", 2, HN_OP_AND, 0},
    {"<=", COMPARISON, HN_OP_LE, 0}, {">=", COMPARISON, HN_OP_LE, 1},
    {"==", COMPARISON, HN_OP_EQ, 0}, {"!=", COMPARISON, HN_OP_NE, 0},
    {"<", COMPARISON, HN_OP_LT, 0},  {">", COMPARISON, HN_OP_LT, 1},
    {"+", 4, HN_OP_ADD, 0},          {"-", 4, HN_OP_SUB, 0},
    {"*", PRODUCT, HN_OP_MUL, 0},    {"/", PRODUCT, HN_OP_DIV, 0},
};

// the operator that comes next, not yet taken
// tokens are tried in the order of the table: "<=" before "<"
static const struct binary *next_operator(parser *p) {
  skip_blanks(p);
  size_t at = p->at;
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
    if (take(p, operators[i].token)) {
      p->at = at;
      return &operators[i];
    }
  return NULL;
}

// a chain of operators that bind at least as strongly as `weakest`
static hn_node parse_binary(parser *p, int weakest) {
  hn_node left = parse_unary(p);
  // a < b < c would compare a truth value with c
  int compared = 0;
  while (left >= 0) {
    const struct binary *op = next_operator(p);
    if (!op || op->strength < weakest) break;
    size_t at = p->at;
    if (op->strength == COMPARISON && compared)
      return fail(p, at, "comparisons cannot be chained, join them with '&&'");
    compared = op->strength == COMPARISON;
    p->at += strlen(op->token);
    p->after_unit = op->strength == PRODUCT && p->was_quantity;
    // left associative: the right side takes only what binds more strongly
    hn_node right = parse_binary(p, op->strength + 1);
    if (right < 0) return -1;
    hn_node a = op->swapped ? right : left, b = op->swapped ? left : right;
    left = checked(p, at, hn_graph_apply(p->graph, op->op, a, b, -1));
  }
  return left;
}

// ---- entry points ----

hn_node hn_graph_parse(hn_graph *graph, const char *text, size_t length, hn_resolve_fn resolve_fn,
                       void *user, hn_expr_error *error) {
  hn_expr_error unread = {0};
  parser p = {.text = text, .length = length, .graph = graph, .resolve = resolve_fn, .user = user};
  // nobody reads it, but everybody may write
  p.error = error ? error : &unread;
  *p.error = (hn_expr_error){0};
  skip_blanks(&p);
  if (p.at == length) return fail(&p, 0, "empty expression");
  if (length > TEXT_LIMIT)
    return fail(&p, TEXT_LIMIT, "expression longer than %d characters", TEXT_LIMIT);
  hn_node n = parse_binary(&p, 0);
  // anything left over is named: a missing operator in most cases
  if (n < 0) return -1;
  skip_blanks(&p);
  return p.at < length ? fail_rest(&p) : n;
}

// nothing but a number: most values of models are
static int is_number(const char *text, size_t length, double *value) {
  hn_expr_error unread = {0};
  // without a graph: files of large models are numbers, and a graph for each would cost more than
  // reading them
  parser p = {.text = text, .length = length, .error = &unread};
  double size;
  int negative = look(&p, 0) == '-';
  p.at += (size_t)negative;
  if (length > TEXT_LIMIT || !number_is_next(&p) || !read_number(&p, &size)) return 0;
  if (p.at < length) return 0;
  *value = negative ? -size : size;
  return 1;
}

int hn_parse_number(const char *text, size_t length, hn_resolve_fn resolve_fn, void *user,
                    double *value, hn_expr_error *error) {
  hn_expr_error unread = {0};
  if (is_number(text, length, value)) return 1;
  parser p = {.error = error ? error : &unread};
  hn_graph *graph = hn_graph_create();
  if (!graph) return fail_memory(&p, 0), 0;
  // as written: a program of the same formula gives the same last digit
  graph->plain = true;
  hn_node n = hn_graph_parse(graph, text, length, resolve_fn, user, error);
  int ok = n >= 0 && hn_graph_is_constant(graph, n, value);
  if (n >= 0 && !ok) fail(&p, 0, "must be a constant");
  hn_graph_destroy(graph);
  return ok;
}
