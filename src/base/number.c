// number.c: the shortest decimal text of a double, fast.
//
// The Schubfach way (R. Giulietti, The Schubfach way to render doubles, 2020). Numbers that round
// to the double v = c 2^q lie between the middles to its neighbours. Let 10^k be the largest power
// of ten not above the width of that interval: then one to ten multiples of 10^k lie in it, and a
// multiple of 10^(k+1) lies there if a shorter text exists at all. Bounds and v are multiplied by
// 10^-k, kept to 128 bits, and rounded to odd, which decides all comparisons as exact numbers
// would. The text is always one of the shortest, and of these the nearest.
#include "base/file.h"
#include "base/powers_of_ten.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

// floor(g x / 2^128), its last bit set if anything was cut off
// The last bit stands for all digits that were cut off: comparisons with multiples of two or four
// then come out as with the exact product. 1 in the middle word is no remainder: the table is
// rounded up, by less than that.
static uint64_t scale_to_odd(const uint64_t g[2], uint64_t x) {
  uint64_t low, middle, high;
  multiply(g[1], x, &low);
  middle = multiply(g[0], x, &high) + low;
  high += middle < low;
  return high | (middle > 1);
}

// floor(x / 2^bits) where a shift to the right of something negative is nobody's promise
static int shift_down(int x, int bits) {
  return x >= 0 ? x >> bits : -((-x + (1 << bits) - 1) >> bits);
}

// a finite x > 0
static decimal shortest(double x) {
  uint64_t bits, hidden = (uint64_t)1 << 52;
  memcpy(&bits, &x, sizeof bits);
  // sign is dropped by the caller: x > 0
  int exponent = (int)(bits >> 52 & 0x7ff);
  // below the smallest normal number there is no hidden digit
  uint64_t c = (bits & (hidden - 1)) | (exponent ? hidden : 0);
  int q = exponent ? exponent - 1075 : -1074;

  // at a power of two the neighbour below is at half the distance
  // the smallest normal one has neighbours at the same distance on both sides
  int closer = c == hidden && exponent > 1;
  int k = shift_down(q * 1262611 - closer * 524031, 22);  // floor(log10(2^q)), 3/4 of it if closer
  int shift = q + shift_down(-k * 1741647, 19) + 1;       // of 10^-k, floor(log2(10^-k)) = 127
  // fits the table for all doubles: -k is -292 for the largest and 324 for the smallest
  const uint64_t *g = power_of_ten[-k - HN_FIRST_POWER];
  uint64_t out = c & 1;  // the ends of the interval belong to it if c is even
  uint64_t low = scale_to_odd(g, (4 * c - 2 + (uint64_t)closer) << shift) + out;
  // four times everything: middles between neighbours are then whole, and a quarter for the nearer
  // one
  uint64_t v = scale_to_odd(g, 4 * c << shift);
  uint64_t high = scale_to_odd(g, (4 * c + 2) << shift) - out;

  // a shorter text first: one of the two multiples of ten beside v, if exactly one lies inside
  uint64_t s = v / 4, tens = s / 10;
  bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
  if (s >= 10 && below != above) return (decimal){tens + above, k + 1};
  // else one of the two whole numbers beside v, if exactly one lies inside
  below = low <= 4 * s, above = 4 * s + 4 <= high;
  if (below != above) return (decimal){s + above, k};
  // both do: the nearer one, and the even one of two as near
  return (decimal){s + (v > 4 * s + 2 || (v == 4 * s + 2 && s % 2)), k};
}

// eight digits of x < 10^8, leading zeros too
static void eight_digits(char *out, uint32_t x) {
  // two digits at a time: divisions are what this costs
  static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                              "34353637383940414243444546"
                              "47484950515253545556575859606162636465666768697071727374757677787980"
                              "81828384858687888990919293"
                              "949596979899";
  uint32_t upper = x / 10000, lower = x % 10000;
  memcpy(out, pairs + 2 * (upper / 100), 2), memcpy(out + 2, pairs + 2 * (upper % 100), 2);
  memcpy(out + 4, pairs + 2 * (lower / 100), 2), memcpy(out + 6, pairs + 2 * (lower % 100), 2);
}

enum { DIGITS = 17 };  // a double is told by 17 digits, some by fewer

// digits without zeros at either end, and how many; *exponent belongs to the last one. What follows
// them may be read
static const char *write_digits(char buffer[2 * DIGITS], decimal x, int *count, int *exponent) {
  // digits < 10^17: one, eight and eight
  uint64_t upper = x.digits / 100000000;
  buffer[0] = (char)('0' + upper / 100000000);
  eight_digits(buffer + 1, (uint32_t)(upper % 100000000));
  eight_digits(buffer + 9, (uint32_t)(x.digits % 100000000));
  // zeros behind them, for texts that are copied by a fixed length
  memset(buffer + DIGITS, '0', DIGITS);
  int first = 0, end = DIGITS;
  // digits > 0, so both ends are found
  while (buffer[first] == '0') first++;
  while (buffer[end - 1] == '0') end--;
  *count = end - first;
  *exponent = x.exponent + DIGITS - end;
  return buffer + first;
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
  if (isnan(x)) return snprintf(out, HN_NUMBER_SIZE, "nan");
  if (isinf(x)) return snprintf(out, HN_NUMBER_SIZE, x < 0 ? "-inf" : "inf");
  char *o = out, buffer[2 * DIGITS];
  if (signbit(x)) *o++ = '-', x = -x;  // -0 keeps its sign
  if (x == 0) return *o++ = '0', *o = 0, (int)(o - out);

  // as many characters are copied as there may be, which is faster than as many as there are
  int n, k;
  const char *d = write_digits(buffer, shortest(x), &n, &k);
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
