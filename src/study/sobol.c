// sobol.c: Sobol's sequence.
//
// Direction numbers of S. Joe and F. Y. Kuo, Constructing Sobol sequences with better
// two-dimensional projections, SIAM J. Sci. Comput. 30 (2008), 2635-2654 (their table
// new-joe-kuo-6, the first 64 dimensions): a primitive polynomial over {0, 1}, its bits from the
// highest power down, and the numbers m_1 ... m_s that begin the recursion, s being its degree,
//   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s),   v_k = m_k / 2^k.
// The first dimension is van der Corput's sequence: all m are 1. Points come in the order of
// Antonov and Saleev: point i is the sum (^) of the v_k at the ones of the Gray code of i.
#include "study/random.h"

static const struct {
  uint16_t polynomial, m[10];
} table[HN_SOBOL_DIMENSIONS - 1] = {
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
    {333, {1, 3, 1, 11, 27, 43, 71, 9}},
    {351, {1, 1, 7, 15, 21, 11, 81, 45}},
    {355, {1, 3, 7, 3, 25, 31, 65, 79}},
    {357, {1, 3, 1, 1, 19, 11, 3, 205}},
    {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}},
    {391, {1, 3, 3, 3, 15, 9, 79, 71}},
    {397, {1, 3, 7, 11, 15, 39, 119, 27}},
    {425, {1, 1, 3, 1, 11, 31, 97, 225}},
    {451, {1, 1, 1, 3, 23, 43, 57, 177}},
    {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}},
    {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};

// bits of the polynomial: its highest power is the degree
// the place of the highest bit
static int degree(unsigned polynomial) {
  int s = -1;
  for (; polynomial; polynomial >>= 1) s++;
  return s;
}

// v_1 ... of a dimension, as numbers below 2^HN_SOBOL_BITS
// made anew for every point: a few hundred operations beside a run of a model
static void directions(int dimension, uint64_t v[HN_SOBOL_BITS]) {
  uint64_t m[HN_SOBOL_BITS];
  // the first dimension has no polynomial
  int s = dimension ? degree(table[dimension - 1].polynomial) : 0;
  for (int k = 0; k < HN_SOBOL_BITS; k++) {
    if (dimension == 0) {
      m[k] = 1;
    } else if (k < s) {
      m[k] = table[dimension - 1].m[k];
    } else {
      // the last two terms of the recursion; those between follow where the polynomial has a one
      m[k] = m[k - s] ^ m[k - s] << s;
      for (int i = 1; i < s; i++)
        if (table[dimension - 1].polynomial >> (s - i) & 1) m[k] ^= m[k - i] << i;
    }
    // m_k / 2^k with the point behind 52 bits: m_k is odd and below 2^k, so that every v_k has its
    // own highest bit
    v[k] = m[k] << (HN_SOBOL_BITS - 1 - k);
  }
}

// point i by itself, without those before it
uint64_t hn_sobol_bits(int dimension, uint64_t index) {
  // Gray code: neighbours differ in one bit, and any index is reached directly
  uint64_t v[HN_SOBOL_BITS], x = 0, gray = index ^ index >> 1;
  directions(dimension, v);
  // bits behind the highest one of the index add nothing
  for (int k = 0; k < HN_SOBOL_BITS && gray >> k; k++)
    if (gray >> k & 1) x ^= v[k];
  return x;
}
