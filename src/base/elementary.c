// elementary.c: see elementary.h.
//
// One way for all: the argument is taken to a short interval, where a polynomial of a few terms
// does, and put together again with numbers from tables. What would be lost by rounding on the way
// is carried along in a second double (wide), as far as it can be seen in the result. The numbers
// are made by scripts/elementary.py.
#include "base/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/elementary_tables.h"

// ---- numbers in two parts: what the first leaves is in the second ----

typedef struct wide {
  double high, low;
} wide;

// unions, not pointers: compilers may take those for different objects
static inline uint64_t bits_of(double x) {
  union {
    double x;
    uint64_t bits;
  } u = {x};
  return u.bits;
}
static inline double of_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double x;
  } u = {bits};
  return u.x;
}

// a + b, |a| >= |b| or a = 0 (Dekker)
static inline wide ordered_sum(double a, double b) {
  double s = a + b;
  return (wide){s, (a - s) + b};
}
// a + b (Knuth)
static inline wide sum(double a, double b) {
  double s = a + b, t = s - a;
  return (wide){s, (a - (s - t)) + (b - t)};
}
// a b, by halves of 26 digits whose products are exact (Veltkamp, Dekker); |a|, |b| < 2^990
static inline wide product(double a, double b) {
  double p = a * b, s = 0x8000001p0 * a, t = 0x8000001p0 * b;
  double a1 = s - (s - a), b1 = t - (t - b), a2 = a - a1, b2 = b - b1;
  return (wide){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}
// error of the next three: a few units of 2^-104 of the result
static inline wide wide_sum(wide a, wide b) {
  wide s = sum(a.high, b.high);
  return ordered_sum(s.high, s.low + (a.low + b.low));
}
static inline wide wide_product(wide a, wide b) {
  wide p = product(a.high, b.high);
  return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
static inline wide wide_quotient(wide a, wide b) {
  // one step of Newton's on what the first quotient leaves; |b| is far from where products end
  double q = a.high / b.high;
  wide p = product(q, b.high);
  return ordered_sum(q, (((a.high - p.high) - p.low) + (a.low - q * b.low)) / b.high);
}
static inline wide wide_root(wide a) {
  double s = sqrt(a.high);
  if (s == 0) return (wide){0, 0};  // not 0 / 0
  wide p = product(s, s);
  return ordered_sum(s, (((a.high - p.high) - p.low) + a.low) / (2 * s));
}
static inline wide negative(wide a) {
  return (wide){-a.high, -a.low};
}
// x 2^k, x about 1, |k| <= 1100: the first product is exact
static double scaled(double x, int k) {
  int half = k / 2;
  return x * of_bits((uint64_t)(1023 + half) << 52) * of_bits((uint64_t)(1023 + k - half) << 52);
}

// ---- sine, cosine, tangent ----

// of r + rest, |r| <= pi/4. The first term is exact, and what rounding does to the others is small
// beside it
// z = r^2; the series of the sine without its first term, and what `rest` adds by the cosine
static inline double sine_terms_of(double r, double rest, double z) {
  const double *s = sine_terms;
  double p = s[0] + z * (s[1] + z * (s[2] + z * (s[3] + z * (s[4] + z * s[5]))));
  return r * z * p + rest * (1 - 0.5 * z);
}
static inline double sine_near(double r, double rest) {
  return r + sine_terms_of(r, rest, r * r);
}
static inline double cosine_terms_of(double r, double rest, double z) {
  const double *c = cosine_terms;
  double p = c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * (c[4] + z * c[5]))));
  return z * z * p - r * rest;
}
// 1 - z/2 is rounded once, and what that loses is put back
static inline double cosine_near(double r, double rest) {
  double z = r * r, h = 0.5 * z, w = 1 - h;
  return w + (((1 - w) - h) + cosine_terms_of(r, rest, z));
}

// x = n pi/2 + r + rest, |r| <= pi/4; n is returned, its last two binary digits are right.
//
// For |n| <= 2^19 (Cody and Waite): products with pieces of 33 digits are exact, and so are the
// differences: either they are so small that all their digits fit, or Dekker's sum holds.
#define NEAR_TURNS 8e5
static inline unsigned quarters_near(double x, double *r, double *rest) {
  const double shift = 0x1.8p52, *piece = quarter_pieces;
  // adding 1.5 2^52 leaves no digits behind the point: n is rounded, and stands in the last bits of
  // the sum, modulo 2^32 for the caller's two
  double n = x * 0x1.45f306dc9c883p-1 + shift, k = n - shift;
  double a = x - k * piece[0], w = k * piece[1], b = a - w, z = k * piece[2], c = b - z;
  double t = (((a - b) - w) + ((b - c) - z)) - k * piece[3];
  // again in two parts, since beside a multiple of pi/2 only the small one is left
  *r = c + t;
  *rest = (c - *r) + t;
  return (unsigned)bits_of(n);
}

// x y = *high 2^64 + what is returned
// whole numbers of 128 bits, for compilers without them
static uint64_t multiply(uint64_t x, uint64_t y, uint64_t *high) {
  uint64_t mask = 0xffffffffu, xh = x >> 32, xl = x & mask, yh = y >> 32, yl = y & mask;
  uint64_t middle = (xl * yl >> 32) + (xh * yl & mask) + (xl * yh & mask);
  *high = xh * yh + (xh * yl >> 32) + (xl * yh >> 32) + (middle >> 32);
  return x * y;
}

// The same for larger x (Payne and Hanek): x = m 2^e times 2/pi, of which those digits are left out
// that give multiples of 4, and those that are not seen behind 190 digits: no double is nearer to a
// multiple of pi/2 than 2^-61
static unsigned quarters_far(double x, double *r, double *rest) {
  // the hidden digit is always there: x is large here
  uint64_t bits = bits_of(x), m = (bits & 0xfffffffffffffu) | (uint64_t)1 << 52;
  // the first digit of 2/pi that is not dropped; 62 leave two digits before the point and those of
  // m
  int from = (int)(bits >> 52 & 0x7ff) - 1075 + 62, s = from & 63;
  const uint64_t *word = two_over_pi + (from >> 6);
  uint64_t w[3], t[3], high, carry;
  // of the largest x the last word read is one but the last
  for (int i = 0; i < 3; i++) w[i] = s ? word[i] << s | word[i + 1] >> (64 - s) : word[i];
  // from the lowest word up, what is above 192 digits being whole turns
  t[2] = multiply(m, w[2], &carry);
  t[1] = multiply(m, w[1], &high) + carry;
  high += t[1] < carry;
  t[0] = m * w[0] + high;  // may wrap round: multiples of 2^64 are whole turns as well
  // two digits before the point
  unsigned n = (unsigned)(t[0] >> 62);
  uint64_t f[3] = {t[0] << 2 | t[1] >> 62, t[1] << 2 | t[2] >> 62, t[2] << 2};
  bool back = f[0] >> 63;
  // to the nearer multiple: more than half of the next quarter is less than a half before it
  if (back) {
    n++;
    for (int i = 0; i < 3; i++) f[i] = ~f[i];
  }
  // x is never so near that the first word and a few digits more were all zero
  int zeros = 0;
  for (; zeros < 64 && !(f[0] >> 63); zeros++)
    f[0] = f[0] << 1 | f[1] >> 63, f[1] = f[1] << 1 | f[2] >> 63, f[2] <<= 1;
  // f is now a fraction with its first digit set: 53 digits of it, and the next 64
  double unit = of_bits((uint64_t)(1023 - 53 - zeros) << 52);
  double first = (double)(f[0] >> 11) * unit;
  double second = (double)(f[0] << 53 | f[1] >> 11) * 0x1p-64 * unit;
  wide part = wide_product(ordered_sum(first, second), (wide){quarter_turn[0], quarter_turn[1]});
  // r has the sign of x unless it was counted back
  bool minus = back != (bits >> 63 == 1);
  *r = minus ? -part.high : part.high;
  *rest = minus ? -part.low : part.low;
  return bits >> 63 ? 0u - n : n;
}
static inline unsigned quarters(double x, double *r, double *rest) {
  return fabs(x) <= NEAR_TURNS ? quarters_near(x, r, rest) : quarters_far(x, r, rest);
}

#define EIGHTH_TURN 0x1.921fb54442d18p-1  // pi/4 as a double: below no quarter is to be taken off
#define TINY        0x1p-27               // x and x^3 have no digit in common

double hn_sin(double x) {
  double size = fabs(x), r, rest;
  // sine(-0) is -0: returned as it is
  if (size <= EIGHTH_TURN) return size < TINY ? x : sine_near(x, 0);
  if (!(size < INFINITY)) return x - x;  // infinity: NaN; NaN stays
  unsigned n = quarters(x, &r, &rest);
  double o = n & 1 ? cosine_near(r, rest) : sine_near(r, rest);
  // n counts quarters: the third and fourth change the sign
  return n & 2 ? -o : o;
}

double hn_cos(double x) {
  double size = fabs(x), r, rest;
  if (size <= EIGHTH_TURN) return cosine_near(x, 0);
  if (!(size < INFINITY)) return x - x;
  unsigned n = quarters(x, &r, &rest);
  double o = n & 1 ? sine_near(r, rest) : cosine_near(r, rest);
  // the cosine is a quarter ahead
  return (n + 1) & 2 ? -o : o;
}

void hn_sincos(double x, double *sine, double *cosine) {
  double size = fabs(x), r = x, rest = 0;
  if (size <= EIGHTH_TURN) {
    *sine = size < TINY ? x : sine_near(x, 0);
    *cosine = cosine_near(x, 0);
    return;
  }
  if (!(size < INFINITY)) {
    *sine = *cosine = x - x;
    return;
  }
  // sine and cosine of the rest are both needed anyhow
  unsigned n = quarters(x, &r, &rest);
  double s = sine_near(r, rest), c = cosine_near(r, rest);
  double even = n & 1 ? c : s, odd = n & 1 ? s : c;
  *sine = n & 2 ? -even : even;
  *cosine = (n + 1) & 2 ? -odd : odd;
}

double hn_tan(double x) {
  double size = fabs(x), r = x, rest = 0;
  if (size < TINY) return x;
  if (!(size < INFINITY)) return x - x;
  unsigned n = size <= EIGHTH_TURN ? 0 : quarters(x, &r, &rest);
  // both in two parts: a quotient of rounded numbers would be off by up to two units
  wide s = ordered_sum(r, sine_terms_of(r, rest, r * r)), z = product(r, r);
  double w = 1 - 0.5 * z.high;
  // what 1 - z/2 loses, to twice the digits
  double left = ((1 - w) - 0.5 * z.high) - 0.5 * z.low;
  wide c = ordered_sum(w, left + cosine_terms_of(r, rest, z.high));
  // -1/tan after an odd number of quarters, for the period is a half turn
  return n & 1 ? -wide_quotient(c, s).high : wide_quotient(s, c).high;
}

// ---- angles ----

// of the ray to (x, y), 0 <= y <= x: the angle of (16, k) and what is left of it,
//   atan(y/x) = atan(c) + atan((y - c x) / (x + c y)),  c = k/16
static wide angle_below_diagonal(wide y, wide x) {
  // to the nearest of 17 rays, so that what is left is below 1/32
  int k = (int)(16 * (y.high / x.high) + 0.5);
  double c = 0.0625 * k;
  if (k) {
    wide cx = product(c, x.high), cy = product(c, y.high);
    wide s = sum(y.high, -cx.high), t = ordered_sum(x.high, cy.high);
    y = ordered_sum(s.high, s.low + ((y.low - c * x.low) - cx.low));
    x = ordered_sum(t.high, t.low + ((x.low + c * cy.low) + cy.low));
  }
  // atan u by its series, u up to 1/32: the sixth term is the last one seen
  wide u = wide_quotient(y, x);
  double z = u.high * u.high;
  double p = z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11)))));
  wide o = ordered_sum(arc_table[k][0], u.high);
  return ordered_sum(o.high, o.low + (arc_table[k][1] + (u.low + u.high * p)));
}
// the same for x, y >= 0
static wide angle(wide y, wide x) {
  if (y.high <= x.high) return angle_below_diagonal(y, x);
  wide quarter = {quarter_turn[0], quarter_turn[1]};
  return wide_sum(quarter, negative(angle_below_diagonal(x, y)));
}
// pi - a: of a ray to the left
static inline double supplement(wide a) {
  return wide_sum((wide){half_turn[0], half_turn[1]}, negative(a)).high;
}

double hn_atan2(double y, double x) {
  if (isnan(x) || isnan(y)) return x + y;
  double a = fabs(y), b = fabs(x), o;
  bool left = bits_of(x) >> 63;
  if (a == 0) {
    // also of two zeros, by their signs, as C wants it: atan2(0, -0) is pi
    o = left ? half_turn[0] : a;
  } else if (isinf(a) && isinf(b)) {
    o = left ? 1.5 * quarter_turn[0] : 0.5 * quarter_turn[0];
  } else if (a * 0x1p-60 > b || isinf(a)) {
    // what is added to a quarter turn is not seen; products above could end there
    o = quarter_turn[0];
  } else if (b * 0x1p-60 > a || isinf(b)) {
    o = left ? half_turn[0] : a / b;
  } else {
    // far from where products end
    double most = a > b ? a : b, unit = most > 0x1p400 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1;
    wide w = angle((wide){a * unit, 0}, (wide){b * unit, 0});
    o = left ? supplement(w) : w.high;
  }
  return copysign(o, y);
}

double hn_atan(double x) {
  double size = fabs(x);
  // atan(x) = x - x^3/3: not seen
  if (size < TINY) return x;
  // pi/2 - 1/x: not seen
  if (size > 0x1p60) return copysign(quarter_turn[0], x);
  if (isnan(x)) return x;
  return copysign(angle((wide){size, 0}, (wide){1, 0}).high, x);
}

// sqrt(1 - x^2), |x| <= 1
// 1 - x^2 in two parts: near 1 most of it cancels, and the product is kept whole for that
static wide other_leg(double x) {
  wide p = product(x, x), s = ordered_sum(1, -p.high);
  return wide_root(ordered_sum(s.high, s.low - p.low));
}

double hn_asin(double x) {
  double size = fabs(x);
  if (size < TINY) return x;
  // NaN for what is no sine, and for NaN
  if (!(size <= 1)) return NAN;
  // the angle of a triangle with hypotenuse 1, which keeps its digits near 1 where the series of
  // the arc sine ends
  return copysign(angle((wide){size, 0}, other_leg(size)).high, x);
}

double hn_acos(double x) {
  double size = fabs(x);
  if (!(size <= 1)) return NAN;
  // from its sine and cosine, not pi/2 - asin: that has no digits left near 1
  wide o = angle(other_leg(size), (wide){size, 0});
  return x < 0 ? supplement(o) : o.high;
}

// ---- exponential ----

// x = k ln 2 / 64 + r + rest, |r| <= ln 2 / 128; |x| < 1500
static inline int64_t steps(double x, double *r, double *rest) {
  const double shift = 0x1.8p52;  // as in quarters_near()
  double n = x * 0x1.71547652b82fep+6 + shift, k = n - shift;
  double a = x - k * power_step[0], b = k * power_step[1];
  *r = a - b;
  *rest = (a - *r) - b;
  // as whole numbers: those of n count up in its last bits
  return (int64_t)(bits_of(n) - bits_of(shift));
}
// exp(r) - 1 - r
// r is at most 0.0055: the next term is below 2^-60
static inline double exp_terms(double r) {
  return r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720)))));
}
// exp(x + more) as a number of about 1, and the power of two it is to be taken times
static inline double exp_near(double x, double more, int64_t *power) {
  double r, rest;
  int64_t k = steps(x, &r, &rest);
  // & 63 is the remainder that is not negative, of negative k too
  const double *t = power_table[k & 63];
  *power = (k - (k & 63)) / 64;
  return t[0] + (t[1] + t[0] * (r + ((rest + more) + exp_terms(r + more))));
}
// the same in two parts
static wide exp_wide(double x, int *power) {
  double r, rest;
  // small terms are added to each other before the large one
  int64_t k = steps(x, &r, &rest);
  const double *t = power_table[k & 63];
  *power = (int)((k - (k & 63)) / 64);
  wide p = product(t[0], r), s = ordered_sum(t[0], p.high);
  double small = t[0] * (rest + exp_terms(r)) + t[1] * (1 + r);
  return ordered_sum(s.high, s.low + (p.low + small));
}

// beyond them, with the margin that rounding of x needs, there is nothing but infinity or 0
#define LARGEST_EXPONENT  709.782712893384
#define SMALLEST_EXPONENT (-745.1332191019412)

// exp(x + more), |more| below the last digit of x or about
static double exp_sum(double x, double more) {
  int64_t power;
  // the power goes into the exponent's bits where that cannot overflow them
  if (!(fabs(x) < 708)) {
    if (isnan(x)) return x;
    if (x > LARGEST_EXPONENT + 0.001) return INFINITY;
    if (x < SMALLEST_EXPONENT - 0.001) return 0;
    // near the ends by two products, so that denormal numbers are rounded once and infinity is
    // reached when it is time
    double o = exp_near(x, more, &power);
    return scaled(o, (int)power);
  }
  double o = exp_near(x, more, &power);
  return of_bits(bits_of(o) + ((uint64_t)power << 52));
}

double hn_exp(double x) {
  return exp_sum(x, 0);
}

// ---- logarithms ----

// of (x + rest) 2^k, x > 0 and normal, |rest| below its last digit. x = m 2^n with c m about 1:
//   log x = n ln 2 - log c + log(1 + z),  z = c m - 1
static wide log_wide(double x, double rest, int k) {
  // subtracting the first m makes intervals: the 7 bits below the exponent tell which of 128, the
  // exponent's own are n
  uint64_t bits = bits_of(x), above = bits - 0x3fe6800000000000u;
  int j = (int)(above >> 45 & 127), n = (int)((int64_t)(above & 0xfff0000000000000u) / (1LL << 52));
  double m = of_bits(bits - (above & 0xfff0000000000000u)), c = log_inverse[j];
  // the first half of m times c is exact, and so is all of z but its last digits
  double half = of_bits(bits_of(m) & 0xfffffffff8000000u);
  wide z = sum(c * half - 1, c * (m - half));
  // what the argument has beyond a double, brought to the scale of m
  if (rest != 0) z = sum(z.high, z.low + c * scaled(rest, -n));
  double h = z.high;
  // log(1 + h) = h - h^2/2 + ...: these two are kept whole, the rest is small
  wide square = product(h, h);
  double p = -1.0 / 8 + h * (1.0 / 9 + h * (-1.0 / 10));
  p = 1.0 / 3 + h * (-1.0 / 4 + h * (1.0 / 5 + h * (-1.0 / 6 + h * (1.0 / 7 + h * p))));
  double low = (z.low - 0.5 * square.low) + h * (square.high * p - z.low);
  // n ln 2 - log c + h - h^2/2 from the largest to the smallest; all that rounding leaves is summed
  // up in low
  k += n;
  wide a = ordered_sum(k * log_2[0], log_table[j][0]), b = sum(a.high, h);
  wide d = sum(b.high, -0.5 * square.high);
  low += (a.low + b.low) + (d.low + (k * log_2[1] + log_table[j][1]));
  return ordered_sum(d.high, low);
}
// of x > 0 and finite
// denormal numbers are taken into the range first
static wide log_positive(double x) {
  return x < 0x1p-1022 ? log_wide(x * 0x1p54, 0, -54) : log_wide(x, 0, 0);
}
// where there is no logarithm, or none but this
static bool log_special(double x, double *o) {
  if (x > 0 && x < INFINITY) return false;  // neither zero, negative, infinite nor NaN
  *o = x == 0 ? -INFINITY : x < 0 ? NAN : x;
  return true;
}

double hn_log(double x) {
  double o;
  return log_special(x, &o) ? o : log_positive(x).high;
}

double hn_log10(double x) {
  double o;
  if (log_special(x, &o)) return o;
  // by a division through ln 10 in two parts: 10^k gives k
  return wide_product(log_positive(x), (wide){log_10_inverse[0], log_10_inverse[1]}).high;
}

double hn_log1p(double x) {
  double o;
  // log(1 + x) = x there, and -0 stays
  if (fabs(x) < 0x1p-54) return x;
  if (log_special(1 + x, &o)) return o;
  // x beside 1 is in s.low, which the logarithm takes in; of a large x the 1 is not seen
  wide s = sum(1, x);
  return log_wide(s.high, x < 0x1p60 ? s.low : 0, 0).high;
}

// ---- powers ----

static bool is_integer(double y) {
  return floor(y) == y;
}
// all doubles from 2^53 on are even
static bool is_odd(double y) {
  return fabs(y) < 0x1p53 && is_integer(y) && !is_integer(0.5 * y);
}

// where x or y is zero or not finite
static double pow_special(double x, double y) {
  if (y == 0) return 1;
  // 1 to any power is 1, as the standard has it
  if (isnan(x) || isnan(y)) return x == 1 ? 1 : x + y;
  if (isinf(y)) {
    double size = fabs(x);
    return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITY : 0;
  }
  // x^y of 0 or infinity is 0 or infinity
  double o = (x == 0) == (y > 0) ? 0 : INFINITY;
  return is_odd(y) ? copysign(o, x) : o;
}

double hn_pow(double x, double y) {
  if (y == 0 || x == 0 || !(fabs(x) < INFINITY) || !(fabs(y) < INFINITY)) return pow_special(x, y);
  double sign = 1, size = fabs(x);
  if (x < 0) {
    // no real number
    if (!is_integer(y)) return NAN;
    // (-1)^odd
    if (is_odd(y)) sign = -1;
  }
  if (size == 1) return sign;
  wide l = log_positive(size);
  // so far out all is decided, and products would end
  if (fabs(y) > 0x1p64) return sign * ((l.high > 0) == (y > 0) ? INFINITY : 0);
  // 1 + y log x: not seen
  if (fabs(y) < 0x1p-64) return sign;
  wide p = product(y, l.high);
  p = ordered_sum(p.high, p.low + y * l.low);
  // p.low counts as much as the last digits of p.high; far outside only the direction does
  return sign * exp_sum(p.high, fabs(p.high) < 1000 ? p.low : 0);
}

// ---- hyperbolic functions ----

// below, e^x - e^-x would lose what the series keeps
#define SERIES_ENDS 0x1p-5

static inline wide wide_scaled(wide a, int k) {
  double unit = of_bits((uint64_t)(1023 + k) << 52);
  return (wide){a.high * unit, a.low * unit};
}
// (e^x + sign e^-x) / 2, x > 0
static double half_sum(double x, double sign) {
  int power;
  if (!(x < 711)) return x;  // what is no number, or infinite
  wide e = exp_wide(x, &power);
  // e^-x is below the last digit
  if (x > 40) return scaled(e.high, power - 1);
  e = wide_scaled(e, power - 1);
  // e is halved already: 1/4 over it is half of e^-x
  wide back = wide_quotient((wide){0.25 * sign, 0}, e);
  return wide_sum(e, back).high;
}

double hn_sinh(double x) {
  double size = fabs(x), z = x * x;
  if (size < TINY) return x;
  if (size < SERIES_ENDS)
    return x + x * z * (1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040 + z * (1.0 / 362880))));
  // the product makes infinity of what is large and NaN of NaN
  return copysign(size < 711 ? half_sum(size, -1) : size * INFINITY, x);
}

double hn_cosh(double x) {
  double size = fabs(x);
  return size < 711 ? half_sum(size, 1) : size * INFINITY;
}

double hn_tanh(double x) {
  double size = fabs(x), z = x * x;
  if (size < TINY) return x;
  if (size < SERIES_ENDS)
    return x + x * z *
                   (-1.0 / 3 + z * (2.0 / 15 + z * (-17.0 / 315 +
                                                    z * (62.0 / 2835 + z * (-1382.0 / 155925)))));
  // 1 - 2 e^-44 is 1
  if (size > 22) return copysign(1, x);
  if (isnan(x)) return x;
  int power;
  wide e = exp_wide(2 * size, &power), one = {1, 0};
  // (e^2x - 1) / (e^2x + 1), both in two parts
  e = wide_scaled(e, power);
  return copysign(wide_quotient(wide_sum(e, negative(one)), wide_sum(e, one)).high, x);
}

// log(x + sqrt(x^2 + 1)) = log(1 + x + x^2 / (1 + sqrt(x^2 + 1)))
double hn_asinh(double x) {
  double size = fabs(x);
  if (size < TINY || !(size < INFINITY)) return x;
  // log(2 x): of the root only x is seen
  if (size > 0x1p30) return copysign(log_wide(size, 0, 1).high, x);
  wide square = product(size, size), one = {1, 0};
  wide root = wide_root(wide_sum(one, square));
  wide more = wide_sum(wide_quotient(square, wide_sum(one, root)), (wide){size, 0});
  wide s = wide_sum(one, more);
  // of the sum no digit is lost, however little there is beside one
  s = sum(s.high, s.low);
  return copysign(log_wide(s.high, s.low, 0).high, x);
}

// ---- length ----

double hn_hypot(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (isinf(a) || isinf(b)) return INFINITY;
  if (a < b) {
    double swap = a;
    a = b, b = swap;
  }
  // b^2 is not seen beside a^2
  if (!(b * 0x1p54 > a)) return a + b;  // or one is zero or no number
  double unit = a > 0x1p400 ? 0x1p600 : b < 0x1p-400 ? 0x1p-600 : 1;
  // a power of two: exact
  a /= unit, b /= unit;
  wide p = product(a, a), q = product(b, b), s = ordered_sum(p.high, q.high);
  return unit * wide_root(ordered_sum(s.high, s.low + (p.low + q.low))).high;
}
