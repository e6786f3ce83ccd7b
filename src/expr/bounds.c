// bounds.c: what a program can give while its inputs go through ranges (interval arithmetic).
//
// Every operation gives a range that contains all its values. Rounding is not directed: what uses
// the bounds allows for a few units in the last place. Decisions that go either way inside the
// ranges give both answers and are counted.
#include "base/elementary.h"
#include "expr/internal.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef hn_bounds range;

// NaN comes of infinities (inf - inf, 0/0 at an end): nothing is known then, which is safe
static range of(double low, double high) {
  if (!(low <= high)) return (range){-INFINITY, INFINITY};  // NaN: anything
  return (range){low, high};
}

// both orders of the ends
static range span(double a, double b) {
  return a < b ? of(a, b) : of(b, a);
}

// 0 times infinity is 0: the factor that is zero wins everywhere but at a point
static double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

// of two numbers, without a call. Where one is none anything may come, which `of` sees or allows
// for
static double lesser(double a, double b) {
  return a < b ? a : b;
}
static double greater(double a, double b) {
  return a > b ? a : b;
}

// the range of values at four corners
static range about(double a, double b, double c, double d) {
  return of(lesser(lesser(a, b), lesser(c, d)), greater(greater(a, b), greater(c, d)));
}

// the extremes of a product lie at its corners
static range multiply(range a, range b) {
  return about(times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
               times(a.high, b.high));
}

// of what is multiplied by itself: never negative
static range square(range a) {
  range r = span(a.low * a.low, a.high * a.high);
  if (a.low <= 0 && a.high >= 0) r.low = 0;
  return r;
}

// across a pole both infinities are reached
static range divide(range a, range b) {
  if (b.low <= 0 && b.high >= 0) return of(-INFINITY, INFINITY);
  return multiply(a, span(1 / b.low, 1 / b.high));
}

// does a + k period lie in the range for some whole k?
static int meets(range x, double a, double period) {
  return floor((x.high - a) / period) >= ceil((x.low - a) / period);
}

static range sine(range x) {
  // a whole turn has both extremes; within less, the ends and the crests inside decide
  if (!(x.high - x.low < 2 * pi)) return of(-1, 1);
  range r = span(hn_sin(x.low), hn_sin(x.high));
  if (meets(x, pi / 2, 2 * pi)) r.high = 1;
  if (meets(x, -pi / 2, 2 * pi)) r.low = -1;
  return r;
}

static range even(range x, double (*f)(double)) {
  // falling before zero and rising behind it: the least value is inside, where zero is
  if (x.low <= 0 && x.high >= 0) return of(f(0), fmax(f(x.low), f(x.high)));
  return span(f(x.low), f(x.high));
}

static range power(range a, range b) {
  // Whole exponents are defined for all bases: odd ones rise, even ones have a least value at zero.
  // Negative ones go by the quotient, which knows the pole.
  if (b.low == b.high && b.low == floor(b.low) && fabs(b.low) < 1e9) {
    double n = b.low;
    if (n == 2) return square(a);
    if (n < 0) return divide(of(1, 1), power(a, of(-n, -n)));
    if (fmod(n, 2) != 0) return of(hn_power(a.low, n), hn_power(a.high, n));
    range r = span(hn_power(a.low, n), hn_power(a.high, n));
    if (a.low <= 0 && a.high >= 0) r.low = n == 0 ? 1 : 0;
    return r;
  }
  if (!(a.low >= 0)) return of(-INFINITY, INFINITY);
  // each of the two alone makes it rise or fall, so the extremes are at corners
  return about(hn_pow(a.low, b.low), hn_pow(a.low, b.high), hn_pow(a.high, b.low),
               hn_pow(a.high, b.high));
}

static range angle(range y, range x) {
  // across the cut, or about the origin, anything may come
  if (x.low <= 0 && y.low <= 0 && y.high >= 0) return of(-pi, pi);
  // the angle of a box that does not meet the cut is least and largest at corners
  return about(hn_atan2(y.low, x.low), hn_atan2(y.low, x.high), hn_atan2(y.high, x.low),
               hn_atan2(y.high, x.high));
}

// Beyond the domain of the function there is no value: the part that has some is what counts.
static range clamped(range x, double (*f)(double), double low, double high) {
  return span(f(fmin(fmax(x.low, low), high)), f(fmin(fmax(x.high, low), high)));
}

static range modulo(range a, range b, int *open) {
  // within one period it only rises
  if (b.low == b.high && b.low != 0 && floor(a.low / b.low) == floor(a.high / b.low))
    return span(hn_modulo(a.low, b.low), hn_modulo(a.high, b.low));
  ++*open;
  // a jump may be inside: anything between zero and the divisor
  double most = fmax(fabs(b.low), fabs(b.high));
  return of(b.low < 0 ? -most : 0, b.high > 0 ? most : 0);
}

// truth of a number: 1 certainly, 0 certainly not, -1 either
// NaN cannot come here: `of` has made ranges of it
static int truth(range x) {
  if (x.low > 0 || x.high < 0) return 1;
  return x.low == 0 && x.high == 0 ? 0 : -1;
}

// an answer that may be open
static range answer(int known, int *open) {
  if (known >= 0) return of(known, known);
  ++*open;
  return of(0, 1);
}

// known where the ranges lie apart; touching ends decide for <= and > only
static range less(range a, range b, int or_equal, int *open) {
  int yes = or_equal ? a.high <= b.low : a.high < b.low;
  int no = or_equal ? a.low > b.high : a.low >= b.high;
  return answer(yes ? 1 : no ? 0 : -1, open);
}

static range equal(range a, range b, int *open) {
  // two ranges equal each other for certain only where both are points
  if (a.high < b.low || b.high < a.low) return of(0, 0);
  return answer(a.low == a.high && b.low == b.high ? a.low == b.low : -1, open);
}

// three-valued logic; what decides a side is counted where it is compared, so that nothing is
// counted here
static range logic(hn_op op, range a, range b) {
  int x = truth(a), y = truth(b);
  if (op == HN_OP_NOT) return x < 0 ? of(0, 1) : of(!x, !x);
  if (op == HN_OP_AND) {
    if (x == 0 || y == 0) return of(0, 0);
    return x == 1 && y == 1 ? of(1, 1) : of(0, 1);
  }
  if (x == 1 || y == 1) return of(1, 1);
  return x == 0 && y == 0 ? of(0, 0) : of(0, 1);
}

static range choose(range condition, range a, range b, int *open) {
  // an open condition leaves both answers: the range about both
  int x = truth(condition);
  if (x == 1) return a;
  if (x == 0) return b;
  ++*open;
  return of(fmin(a.low, b.low), fmax(a.high, b.high));
}

static range monotone(hn_op op, range a) {  // of functions that rise everywhere
  return of(hn_op_value(op, a.low, 0, 0), hn_op_value(op, a.high, 0, 0));
}

static range operate(hn_op op, range a, range b, range c, int *open) {
  switch (op) {
  case HN_OP_NEG: return of(-a.high, -a.low);
  case HN_OP_ADD: return of(a.low + b.low, a.high + b.high);
  case HN_OP_SUB: return of(a.low - b.high, a.high - b.low);
  case HN_OP_MUL: return multiply(a, b);
  case HN_OP_DIV: return divide(a, b);
  // Each of these counts in `open` where its sides or pieces are not certain, whether the values
  // differ or not.
  case HN_OP_LT: return less(a, b, 0, open);
  case HN_OP_LE: return less(a, b, 1, open);
  case HN_OP_EQ: return equal(a, b, open);
  case HN_OP_NE: return logic(HN_OP_NOT, equal(a, b, open), b);
  case HN_OP_AND:
  case HN_OP_OR:
  case HN_OP_NOT: return logic(op, a, b);
  case HN_OP_IF: return choose(a, b, c, open);
  case HN_OP_KNOWN: return of(fmin(b.low, c.low), fmax(b.high, c.high));
  case HN_OP_POW: return power(a, b);
  case HN_OP_SIN: return sine(a);
  case HN_OP_COS: return sine(of(a.low + pi / 2, a.high + pi / 2));
  case HN_OP_TAN:
    // between its poles it rises
    if (!(a.high - a.low < pi) || meets(a, pi / 2, pi)) return of(-INFINITY, INFINITY);
    return monotone(op, a);
  case HN_OP_ASIN: return clamped(a, hn_asin, -1, 1);
  case HN_OP_ACOS: return clamped(a, hn_acos, -1, 1);
  // the cut is along negative x, where y goes through zero
  case HN_OP_ATAN2: *open += b.low < 0 && a.low < 0 && a.high >= 0; return angle(a, b);
  case HN_OP_COSH: return even(a, hn_cosh);
  case HN_OP_LOG: return clamped(a, hn_log, 0, INFINITY);
  case HN_OP_LOG10: return clamped(a, hn_log10, 0, INFINITY);
  case HN_OP_SQRT: return clamped(a, sqrt, 0, INFINITY);
  case HN_OP_ABS: *open += a.low < 0 && a.high > 0; return even(a, fabs);
  case HN_OP_SIGN:
  case HN_OP_STEP:
    // step jumps at zero from below, sign has a value of its own at zero
    *open += op == HN_OP_STEP ? a.low < 0 && a.high >= 0
                              : (a.low < 0) != (a.high < 0) || (a.low > 0) != (a.high > 0);
    return monotone(op, a);
  case HN_OP_MIN:
    // which of the two it is, is open where the ranges overlap
    *open += a.low < b.high && b.low < a.high;
    return of(fmin(a.low, b.low), fmin(a.high, b.high));
  case HN_OP_MAX:
    *open += a.low < b.high && b.low < a.high;
    return of(fmax(a.low, b.low), fmax(a.high, b.high));
  case HN_OP_HYPOT: {
    range x = even(a, fabs), y = even(b, fabs);
    return of(hn_hypot(x.low, y.low), hn_hypot(x.high, y.high));
  }
  case HN_OP_FLOOR:
  case HN_OP_CEIL: {
    range r = monotone(op, a);
    *open += r.low != r.high;
    // different whole numbers at the ends: a jump lies between
    return r;
  }
  case HN_OP_MOD: return modulo(a, b, open);
  case HN_OP_ATAN:
  case HN_OP_SINH:
  case HN_OP_TANH:
  case HN_OP_EXP: return monotone(op, a);
  case HN_OP_CONSTANT:
  case HN_OP_INPUT:
  case HN_OP_COUNT: break;
  }
  return of(-INFINITY, INFINITY);
}

// Registers hold ranges in place of numbers; the code is the same that numbers run through.
int hn_program_bounds(const hn_program *p, const hn_bounds *inputs, hn_bounds *registers,
                      hn_bounds *outputs) {
  hn_bounds *r = registers;
  int open = 0;
  for (int i = 0; i < p->constant_count; i++) r[i] = of(p->constants[i], p->constants[i]);
  for (int i = 0; i < p->input_count; i++) r[p->constant_count + i] = inputs[p->inputs[i]];
  const hn_instruction *end = p->code + p->code_count;
  for (const hn_instruction *i = p->code; i < end; i++)
    r[i->to] = i->op == HN_OP_MUL && i->a == i->b
                   ? square(r[i->a])
                   : operate(i->op, r[i->a], r[i->b], r[i->c], &open);
  for (int i = 0; i < p->output_count; i++) outputs[i] = r[p->outputs[i]];
  return open;
}

// what an operation decides, as a number that differs where it decides otherwise
// (two states with the same decisions are on the same smooth piece of all formulas)
static double decision(hn_op op, double a, double b) {
  switch (op) {
  case HN_OP_LT: return a < b;
  case HN_OP_LE: return a <= b;
  case HN_OP_EQ:
  case HN_OP_NE: return a == b;
  case HN_OP_IF: return a != 0;
  case HN_OP_ABS: return a < 0;
  case HN_OP_STEP:
  case HN_OP_SIGN: return hn_op_value(op, a, 0, 0);
  case HN_OP_MIN:
  case HN_OP_MAX: return a < b;
  case HN_OP_FLOOR: return floor(a);
  case HN_OP_CEIL: return ceil(a);
  // which turn of the period
  case HN_OP_MOD: return floor(a / b);
  // which side of the cut
  case HN_OP_ATAN2: return a < 0 && b < 0;
  default: return 0;
  }
}

// FNV-like mixing of the bits of all decisions, in order; a multiplier of the golden ratio spreads
// them over the word
unsigned long long hn_program_decided(const hn_program *p, const double *inputs,
                                      double *registers) {
  double *r = registers;
  unsigned long long sum = 0;
  for (int i = 0; i < p->constant_count; i++) r[i] = p->constants[i];
  for (int i = 0; i < p->input_count; i++) r[p->constant_count + i] = inputs[p->inputs[i]];
  const hn_instruction *end = p->code + p->code_count;
  for (const hn_instruction *i = p->code; i < end; i++) {
    double taken = decision(i->op, r[i->a], r[i->b]);
    r[i->to] = hn_op_value(i->op, r[i->a], r[i->b], r[i->c]);
    unsigned long long bits;
    memcpy(&bits, &taken, sizeof bits);
    sum = (sum ^ bits) * 0x9E3779B97F4A7C15ull;
    sum ^= sum >> 29;
  }
  return sum;
}
