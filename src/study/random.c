// random.c: Philox, permutations, quantiles of the normal distribution.
#include "study/random.h"
#include "base/elementary.h"

#include <math.h>

static void multiply(uint32_t a, uint32_t b, uint32_t *high, uint32_t *low) {
  uint64_t product = (uint64_t)a * b;
  *high = (uint32_t)(product >> 32);
  *low = (uint32_t)product;
}

// constants and rounds are those of the paper; tests/test_study.c has its published answers
void hn_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  enum { ROUNDS = 10 };
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int r = 0; r < ROUNDS; r++) {
    uint32_t high0, low0, high1, low1;
    multiply(0xD2511F53u, c[0], &high0, &low0);
    multiply(0xCD9E8D57u, c[2], &high1, &low1);
    uint32_t next[4] = {high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0};
    for (int i = 0; i < 4; i++) c[i] = next[i];
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

uint64_t hn_random_bits(uint64_t seed, uint64_t index, int dimension, int what) {
  uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)dimension,
                         (uint32_t)what};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, out[4];
  hn_philox(counter, key, out);
  return (uint64_t)out[1] << 32 | out[0];
}

double hn_random_open(uint64_t seed, uint64_t index, int dimension, int what) {
  return ((double)(hn_random_bits(seed, index, dimension, what) >> 11) + 0.5) * 0x1p-53;
}

// four rounds of a balanced Feistel network, whose rounds are Philox's bits, are a permutation
// whatever these bits are
// the number of the round is part of the counter, in bits that no half reaches
static uint64_t shuffle(uint64_t seed, int dimension, int half, uint64_t x) {
  uint64_t mask = ((uint64_t)1 << half) - 1, left = x >> half, right = x & mask;
  for (int round = 0; round < 4; round++) {
    uint64_t f = hn_random_bits(seed, right | (uint64_t)round << 56, dimension, HN_DRAW_ORDER);
    uint64_t next = left ^ (f & mask);
    left = right;
    right = next;
  }
  return left << half | right;
}

// Cycle walking: the permutation of the power of four around n, followed until it comes back below
// n; on average less than four steps.
uint64_t hn_random_place(uint64_t seed, int dimension, uint64_t n, uint64_t index) {
  int half = 1;
  while (half < 31 && ((uint64_t)1 << (2 * half)) < n) half++;
  uint64_t x = index;
  do x = shuffle(seed, dimension, half, x);
  while (x >= n);
  return x;
}

// Newton's method with Halley's correction on the distribution function, from the first terms of
// its asymptotic expansion; of the side where erfc is small, so that no digit is lost
// erfc of the C library is right to the last bits, and with it the quantile; tables of coefficients
// would have their own errors
double hn_normal_quantile(double p) {
  double q = p < 0.5 ? p : 1 - p;
  if (!(q > 0)) return p < 0.5 ? -INFINITY : p >= 0.5 ? INFINITY : NAN;
  double r = sqrt(-2 * hn_log(q));
  // Hastings' rational approximation, error below 5e-4
  double x = r - (2.515517 + r * (0.802853 + r * 0.010328)) /
                     (1 + r * (1.432788 + r * (0.189269 + r * 0.001308)));
  static const double root_two = 1.4142135623730951, density = 0.39894228040143268;
  for (int i = 0; i < 4; i++) {
    double e = 0.5 * erfc(x / root_two) - q;          // what lies beyond x, and should
    double u = e / (density * hn_exp(-0.5 * x * x));  // Newton's step
    double step = u / (1 - 0.5 * x * u);
    x += step;
    if (fabs(step) <= 1e-15 * fabs(x)) break;
  }
  return p < 0.5 ? -x : x;
}
