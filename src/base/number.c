// number.c: the shortest decimal text of a double, fast.
//
// The way of J. Jeon (Dragonbox: a new floating-point binary-to-decimal conversion algorithm,
// 2020). Numbers that round to the double c 2^q lie between the middles to its neighbours.
// Everything is multiplied by 10^-k so that the width d of that interval is 100 to 1000. Its upper
// end is z; where a multiple of 1000 below z, the first one, is nearer than d, it lies inside and
// is the shortest text. Else multiples of 100 lie there, and the nearest to the double is taken.
// One product says z; its whole part decides nearly always, and where it does not, single bits of
// further products do. The text is always one of the shortest, and of these the nearest.
#include "base/file.h"
#include "base/powers_of_ten.h"

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

// digits 10^exponent
typedef struct decimal {
  uint64_t digits;
  int exponent;
} decimal;

// x y = *high 2^64 + what is returned
static uint64_t multiply(uint64_t x, uint64_t y, uint64_t *high) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide)x * y;
  *high = (uint64_t)(product >> 64);
  return (uint64_t)product;
// by halves of 32 digits: no sum below exceeds 64
#else
  uint64_t mask = 0xffffffffu, xh = x >> 32, xl = x & mask, yh = y >> 32, yl = y & mask;
  uint64_t middle = (xl * yl >> 32) + (xh * yl & mask) + (xl * yh & mask);
  *high = xh * yh + (xh * yl >> 32) + (xl * yh >> 32) + (middle >> 32);
  return x * y;
#endif
}

// floor(x / 2^bits), |x| < 2^(bits + 10): a shift to the right of something negative is nobody's
// promise
static int shift_down(int64_t x, int bits) {
  return (int)((uint64_t)(x + (INT64_C(1024) << bits)) >> bits) - 1024;
}

// 10^power as a significand of 128 bits
static const uint64_t *power(int power) {
  return power_of_ten[power - HN_FIRST_POWER];
}

// floor(log2(10^power)), right for all powers of the table
static int log2_of_power(int power) {
  return shift_down(power * INT64_C(1741647), 19);
}

// floor(x g 2^(shift - 128)), where it is odd; *whole: nothing was cut off
static bool odd(uint64_t x, const uint64_t g[2], int shift, bool *whole) {
  uint64_t high, unused, low = multiply(x, g[1], &high);
  high += multiply(x, g[0], &unused);
  *whole = (high << shift | low >> (64 - shift)) == 0;
  return high >> (64 - shift) & 1;
}

// A power of two: the neighbour below is at half the distance. c = 2^52
static decimal shortest_power(int q) {
  int k = shift_down(q * INT64_C(631305) - 261663, 21);  // floor(log10(3/4 2^q))
  int shift = q + log2_of_power(-k);
  uint64_t g = power(-k)[0];
  uint64_t low = (g - (g >> 54)) >> (11 - shift), high = (g + (g >> 53)) >> (11 - shift);
  // the lower end is a whole number for these two only
  if (q != 2 && q != 3) low++;
  uint64_t tens = high / 10;
  if (tens * 10 >= low) return (decimal){tens, k + 1};
  uint64_t near = ((g >> (10 - shift)) + 1) / 2;
  // as near to the even one below, for this one only
  if (q == -77 && near % 2)
    near--;
  else if (near < low)
    near++;
  return (decimal){near, k};
}

// of a finite number > 0
static decimal shortest(uint64_t bits) {
  enum { HUNDRED = 100, THOUSAND = 1000 };
  uint64_t hidden = (uint64_t)1 << 52, c = bits & (hidden - 1);
  int q = (int)(bits >> 52) - 1075;
  // below the smallest normal number there is no hidden digit
  if (q == -1075)
    q++;
  else if (c == 0)
    return shortest_power(q);
  else
    c |= hidden;

  int k = shift_down(q * INT64_C(315653), 20) - 2;  // floor(log10(2^q)): then 100 <= width < 1000
  const uint64_t *g = power(-k);
  int shift = q + log2_of_power(-k);  // 6 to 9
  uint64_t width = g[0] >> (63 - shift), even = ~c & 1;
  // the upper end (2 c + 1) / 2, doubled as everything is
  uint64_t z, fraction, carried;
  fraction = multiply((2 * c + 1) << shift, g[0], &z);
  (void)multiply((2 * c + 1) << shift, g[1], &carried);
  fraction += carried, z += fraction < carried;

  uint64_t thousands = z / THOUSAND, left = z - thousands * THOUSAND;
  bool whole;
  if (left < width) {
    // the upper end itself belongs to the interval if c is even
    if (left || fraction || even) return (decimal){thousands, k + 3};
    thousands--, left = THOUSAND;
  } else if (left == width) {
    // so close to the lower end that its fraction decides
    bool above = odd(2 * c - 1, g, shift, &whole);
    if (above || (whole && even)) return (decimal){thousands, k + 3};
  }
  // the multiple of 100 that is nearest to the middle
  uint64_t from = left - width / 2 + HUNDRED / 2, hundreds = from / HUNDRED;
  uint64_t digits = 10 * thousands + hundreds;
  if (from != hundreds * HUNDRED) return (decimal){digits, k + 2};
  // half way between two as far as whole numbers tell
  bool parity = odd(2 * c, g, shift, &whole);
  if (parity != ((from ^ (HUNDRED / 2)) & 1) || (whole && digits % 2)) digits--;
  return (decimal){digits, k + 2};
}

// Eight digits each of two numbers below 10^8, as numbers, the first one in the lowest byte:
// halves, pairs and single digits are told apart at once in all parts of a number, by products with
// 2^40 / 10^4, 2^19 / 100 and 2^16 / 10, rounded up, which is exact for what stands there. Where
// the processor has vectors both numbers are done at once.
#ifdef __SSE2__
static void tell_digits(uint64_t digits[2], uint64_t first, uint64_t last) {
  __m128i x = _mm_set_epi64x((long long)last, (long long)first);
  __m128i upper = _mm_srli_epi64(_mm_mul_epu32(x, _mm_set1_epi64x(109951163)), 40);
  __m128i lower = _mm_sub_epi64(x, _mm_mul_epu32(upper, _mm_set1_epi64x(10000)));
  x = _mm_add_epi64(upper, _mm_slli_epi64(lower, 32));
  upper = _mm_srli_epi32(_mm_mulhi_epu16(x, _mm_set1_epi32(5243)), 3);
  lower = _mm_sub_epi32(x, _mm_mullo_epi16(upper, _mm_set1_epi32(100)));
  x = _mm_add_epi32(upper, _mm_slli_epi32(lower, 16));
  upper = _mm_mulhi_epu16(x, _mm_set1_epi16(6554));
  lower = _mm_sub_epi16(x, _mm_mullo_epi16(upper, _mm_set1_epi16(10)));
  _mm_storeu_si128((__m128i *)digits, _mm_add_epi16(upper, _mm_slli_epi16(lower, 8)));
}
#else
static uint64_t eight_digits(uint64_t x) {
  uint64_t upper = x * 109951163 >> 40, halves = upper + ((x - 10000 * upper) << 32);
  upper = (halves * 5243 >> 19) & UINT64_C(0x7f0000007f);
  uint64_t pairs = upper + ((halves - 100 * upper) << 16);
  // 2^10 / 10 here: larger products would run into the part beside
  upper = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
  return upper + ((pairs - 10 * upper) << 8);
}

static void tell_digits(uint64_t digits[2], uint64_t first, uint64_t last) {
  digits[0] = eight_digits(first), digits[1] = eight_digits(last);
}
#endif

enum { DIGITS = 17 };  // a double is told by 17 digits, some by fewer

// zero bytes at the lower end, at the upper end; 8 in all of them
static int zeros_first(uint64_t digits) {
  int n = 0;
  // rarely more than one: numbers have 16 or 17 digits
  while (n < 8 && !(digits >> 8 * n & 0xff)) n++;
  return n;
}
static int zeros_last(uint64_t digits) {
  int n = 0;
  while (n < 8 && !(digits << 8 * n >> 56)) n++;
  return n;
}

static void put_digits(char *out, uint64_t digits) {
  digits += UINT64_C(0x3030303030303030);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(out, &digits, 8);
#else
  for (int i = 0; i < 8; i++) out[i] = (char)(digits >> 8 * i & 0xff);
#endif
}

// digits without zeros at either end, and how many; *exponent belongs to the last one. What follows
// them may be read
static const char *write_digits(char buffer[2 * DIGITS], decimal x, int *count, int *exponent) {
  // digits < 10^17: one, eight and eight
  uint64_t upper = x.digits / 100000000, top = upper / 100000000;
  uint64_t digits[2];
  tell_digits(digits, upper - top * 100000000, x.digits - upper * 100000000);
  uint64_t first = digits[0], last = digits[1];
  buffer[0] = (char)('0' + top);
  put_digits(buffer + 1, first), put_digits(buffer + 9, last);
  // zeros behind them, for texts that are copied by a fixed length
  memset(buffer + DIGITS, '0', DIGITS);
  // digits > 0, so both ends are found
  int ahead = top ? 0 : 1 + (first ? zeros_first(first) : 8 + zeros_first(last));
  int behind = last ? zeros_last(last) : 8 + (first ? zeros_last(first) : 8);
  *count = DIGITS - ahead - behind;
  *exponent = x.exponent + behind;
  return buffer + ahead;
}

static char *write_exponent(char *o, int e) {
  *o++ = 'e';
  *o++ = e < 0 ? '-' : '+';
  if (e < 0) e = -e;
  // two digits at least, as printf() has it
  if (e >= 100) *o++ = (char)('0' + e / 100);
  *o++ = (char)('0' + e / 10 % 10);
  *o++ = (char)('0' + e % 10);
  return o;
}

int hn_number_text(char out[HN_NUMBER_SIZE], double x) {
  static const uint64_t infinite = UINT64_C(0x7ff0000000000000);
  uint64_t bits;
  char *o = out, buffer[2 * DIGITS];
  memcpy(&bits, &x, sizeof bits);
  *o = '-', o += bits >> 63;  // -0 keeps its sign
  bits &= ~(UINT64_C(1) << 63);
  if (bits == 0) return memcpy(o, "0", 2), (int)(o + 1 - out);
  if (bits > infinite) return memcpy(out, "nan", 4), 3;
  if (bits == infinite) return memcpy(o, "inf", 4), (int)(o + 3 - out);

  // as many characters are copied as there may be, which is faster than as many as there are
  int n, k;
  const char *d = write_digits(buffer, shortest(bits), &n, &k);
  int point = n + k;  // digits before the decimal point
  // plain notation where it is not longer than an exponent: 0.0001 and 12345678901234567 are the
  // last ones
  if (point > DIGITS || point < -3) {
    o[0] = d[0], o[1] = '.';  // the zero of a single digit is overwritten by the exponent
    memcpy(o + 2, d + 1, DIGITS - 1);
    o = write_exponent(o + (n > 1 ? n + 1 : 1), point - 1);
  } else if (point <= 0) {
    memcpy(o, "0.000", 5);
    memcpy(o + 2 - point, d, DIGITS), o += 2 - point + n;
  } else {
    memcpy(o, d, DIGITS);
    // what stood at the point is copied on first, then overwritten
    if (point < n) memcpy(o + point + 1, d + point, DIGITS - 1), o[point] = '.';
    o += point < n ? n + 1 : point;
  }
  *o = 0;
  return (int)(o - out);
}
