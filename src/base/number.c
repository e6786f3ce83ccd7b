// number.c: the shortest decimal text of a double, fast.
//
// Grisu2 (F. Loitsch, Printing floating-point numbers quickly and accurately with integers,
// PLDI 2010). The double v and the middles m-, m+ between it and its neighbours are multiplied by
// a power of ten kept to 64 bits. Digits of m+ are produced until what is left is less than the
// distance to m-: every number in between reads back as v. The interval is narrowed by the error
// of the arithmetic, so the answer is always right and, in a few cases of a thousand, a digit or
// more longer than needed. Ten times the speed of trying %.15g, %.16g, %.17g and reading back.
#include "base/file.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// f 2^e
typedef struct scaled {
  uint64_t f;
  int e;
} scaled;

// 10^(-348 + 8 i), significand of 64 bits, rounded to nearest
static const uint64_t power_of_ten[] = {
    0xfa8fd5a0081c0288u, 0xbaaee17fa23ebf76u, 0x8b16fb203055ac76u, 0xcf42894a5dce35eau,
    0x9a6bb0aa55653b2du, 0xe61acf033d1a45dfu, 0xab70fe17c79ac6cau, 0xff77b1fcbebcdc4fu,
    0xbe5691ef416bd60cu, 0x8dd01fad907ffc3cu, 0xd3515c2831559a83u, 0x9d71ac8fada6c9b5u,
    0xea9c227723ee8bcbu, 0xaecc49914078536du, 0x823c12795db6ce57u, 0xc21094364dfb5637u,
    0x9096ea6f3848984fu, 0xd77485cb25823ac7u, 0xa086cfcd97bf97f4u, 0xef340a98172aace5u,
    0xb23867fb2a35b28eu, 0x84c8d4dfd2c63f3bu, 0xc5dd44271ad3cdbau, 0x936b9fcebb25c996u,
    0xdbac6c247d62a584u, 0xa3ab66580d5fdaf6u, 0xf3e2f893dec3f126u, 0xb5b5ada8aaff80b8u,
    0x87625f056c7c4a8bu, 0xc9bcff6034c13053u, 0x964e858c91ba2655u, 0xdff9772470297ebdu,
    0xa6dfbd9fb8e5b88fu, 0xf8a95fcf88747d94u, 0xb94470938fa89bcfu, 0x8a08f0f8bf0f156bu,
    0xcdb02555653131b6u, 0x993fe2c6d07b7facu, 0xe45c10c42a2b3b06u, 0xaa242499697392d3u,
    0xfd87b5f28300ca0eu, 0xbce5086492111aebu, 0x8cbccc096f5088ccu, 0xd1b71758e219652cu,
    0x9c40000000000000u, 0xe8d4a51000000000u, 0xad78ebc5ac620000u, 0x813f3978f8940984u,
    0xc097ce7bc90715b3u, 0x8f7e32ce7bea5c70u, 0xd5d238a4abe98068u, 0x9f4f2726179a2245u,
    0xed63a231d4c4fb27u, 0xb0de65388cc8ada8u, 0x83c7088e1aab65dbu, 0xc45d1df942711d9au,
    0x924d692ca61be758u, 0xda01ee641a708deau, 0xa26da3999aef774au, 0xf209787bb47d6b85u,
    0xb454e4a179dd1877u, 0x865b86925b9bc5c2u, 0xc83553c5c8965d3du, 0x952ab45cfa97a0b3u,
    0xde469fbd99a05fe3u, 0xa59bc234db398c25u, 0xf6c69a72a3989f5cu, 0xb7dcbf5354e9beceu,
    0x88fcf317f22241e2u, 0xcc20ce9bd35c78a5u, 0x98165af37b2153dfu, 0xe2a0b5dc971f303au,
    0xa8d9d1535ce3b396u, 0xfb9b7cd9a4a7443cu, 0xbb764c4ca7a44410u, 0x8bab8eefb6409c1au,
    0xd01fef10a657842cu, 0x9b10a4e5e9913129u, 0xe7109bfba19c0c9du, 0xac2820d9623bf429u,
    0x80444b5e7aa7cf85u, 0xbf21e44003acdd2du, 0x8e679c2f5e44ff8fu, 0xd433179d9c8cb841u,
    0x9e19db92b4e31ba9u, 0xeb96bf6ebadf77d9u, 0xaf87023b9bf0ee6bu,
};
enum { FIRST_POWER = -348, POWER_STRIDE = 8 };

// exponent that belongs to a significand in the table: floor(k log2(10)) - 63, in integers
static int power_exponent(int k) {
  int scaled_log = k * 217706;  // log2(10) 2^16
  return (scaled_log >= 0 ? scaled_log / 65536 : -((65535 - scaled_log) / 65536)) - 63;
}

// upper 64 bits of the product, rounded
static scaled multiply(scaled a, scaled b) {
  uint64_t mask = 0xffffffffu;
  uint64_t ah = a.f >> 32, al = a.f & mask, bh = b.f >> 32, bl = b.f & mask;
  uint64_t hl = ah * bl, lh = al * bh;
  uint64_t middle = (al * bl >> 32) + (hl & mask) + (lh & mask) + ((uint64_t)1 << 31);
  return (scaled){ah * bh + (hl >> 32) + (lh >> 32) + (middle >> 32), a.e + b.e + 64};
}

static scaled normalise(scaled a) {
  while (!(a.f >> 63)) a.f <<= 1, a.e--;
  return a;
}

// digits stand above w; step down towards it while the text stays inside the interval
static void approach(char *last, uint64_t rest, uint64_t delta, uint64_t unit, uint64_t distance) {
  while (rest < distance && delta - rest >= unit &&
         (rest + unit < distance || distance - rest > rest + unit - distance)) {
    (*last)--;
    rest += unit;
  }
}

// digits of `high` down to what tells it from high - delta; *k is the decimal exponent of the last
static int digits(char *out, scaled w, scaled high, uint64_t delta, int *k) {
  uint64_t one = (uint64_t)1 << -high.e, distance = high.f - w.f;
  uint32_t whole = (uint32_t)(high.f >> -high.e);
  uint64_t fraction = high.f & (one - 1);
  int count = 0;

  uint32_t unit = 1000000000;
  int kappa = 10;  // digits of `whole` still to come
  while (kappa > 1 && whole < unit) unit /= 10, kappa--;
  for (; kappa > 0; unit /= 10) {
    out[count++] = (char)('0' + whole / unit);
    whole %= unit;
    kappa--;
    uint64_t rest = ((uint64_t)whole << -high.e) + fraction;
    if (rest <= delta) {
      approach(out + count - 1, rest, delta, (uint64_t)unit << -high.e, distance);
      *k += kappa;
      return count;
    }
  }
  for (uint64_t scale = 1;;) {
    fraction *= 10, delta *= 10, scale *= 10;
    out[count++] = (char)('0' + (fraction >> -high.e));
    fraction &= one - 1;
    kappa--;
    if (fraction < delta) {
      approach(out + count - 1, fraction, delta, one, distance * scale);
      *k += kappa;
      return count;
    }
  }
}

// significant digits of a finite x > 0 and the decimal exponent of the last one
static int shortest(char *out, double x, int *k) {
  uint64_t bits, hidden = (uint64_t)1 << 52;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff);
  scaled v = {bits & (hidden - 1), exponent ? exponent - 1075 : -1074};
  if (exponent) v.f |= hidden;

  // at a power of two the neighbour below is at half the distance
  scaled high = normalise((scaled){2 * v.f + 1, v.e - 1});
  scaled low = v.f == hidden && exponent > 1 ? (scaled){4 * v.f - 1, v.e - 2}
                                             : (scaled){2 * v.f - 1, v.e - 1};
  low.f <<= low.e - high.e;
  low.e = high.e;

  // the power that brings the exponent into -60 .. -32, so that the whole part has 32 bits
  int wanted = (int)ceil((-61 - high.e) * 0.30102999566398120);
  int index = (wanted - FIRST_POWER + POWER_STRIDE - 1) / POWER_STRIDE;
  int p = FIRST_POWER + POWER_STRIDE * index;
  scaled power = {power_of_ten[index], power_exponent(p)};
  scaled w = multiply(normalise(v), power);
  high = multiply(high, power), low = multiply(low, power);
  high.f--, low.f++;
  *k = -p;
  return digits(out, w, high, high.f - low.f, k);
}

int hn_number_text(char out[HN_NUMBER_SIZE], double x) {
  if (isnan(x)) return snprintf(out, HN_NUMBER_SIZE, "nan");
  if (isinf(x)) return snprintf(out, HN_NUMBER_SIZE, x < 0 ? "-inf" : "inf");
  char *o = out, d[20];
  if (signbit(x)) *o++ = '-', x = -x;
  if (x == 0) return *o++ = '0', *o = 0, (int)(o - out);

  int k, n = shortest(d, x, &k);
  int point = n + k;  // digits before the decimal point
  if (point > 17 || point < -3) {
    *o++ = d[0];
    if (n > 1) *o++ = '.';
    memcpy(o, d + 1, (size_t)(n - 1)), o += n - 1;
    return (int)(o - out) + snprintf(o, 8, "e%+03d", point - 1);
  }
  if (point <= 0) {
    memcpy(o, "0.000", (size_t)(2 - point)), o += 2 - point;
    memcpy(o, d, (size_t)n), o += n;
  } else if (point >= n) {
    memcpy(o, d, (size_t)n), o += n;
    memset(o, '0', (size_t)(point - n)), o += point - n;
  } else {
    memcpy(o, d, (size_t)point), o += point;
    *o++ = '.';
    memcpy(o, d + point, (size_t)(n - point)), o += n - point;
  }
  *o = 0;
  return (int)(o - out);
}
