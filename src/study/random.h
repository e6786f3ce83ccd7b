// random.h: random numbers that are a function of where they stand.
//
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011)
// turns a counter and a key into 128 bits. The key is the seed of a study, the counter says which
// run, which factor and what for, so that nobody has to draw in any order.
#ifndef HN_RANDOM_H
#define HN_RANDOM_H

#include <stdint.h>

void hn_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// what numbers are drawn for: streams with nothing in common
enum { HN_DRAW_SAMPLE, HN_DRAW_ORDER, HN_DRAW_SHIFT, HN_DRAW_SEARCH, HN_DRAW_NOISE };
// 64 random bits of draw number `index` for `what` in dimension `dimension`
uint64_t hn_random_bits(uint64_t seed, uint64_t index, int dimension, int what);
// in (0, 1), never its ends: (i + 1/2) / 2^53
double hn_random_open(uint64_t seed, uint64_t index, int dimension, int what);

// a random permutation of 0 ... n-1, one place of it: a keyed Feistel network on the smallest even
// number of bits that holds n, walked until it falls below n
uint64_t hn_random_place(uint64_t seed, int dimension, uint64_t n, uint64_t index);

// x with P(X < x) = p for the standard normal X; p in (0, 1)
double hn_normal_quantile(double p);

// Sobol's sequence, dimension 0 ... HN_SOBOL_DIMENSIONS-1, point `index` (from 0, in Gray-code
// order), as 52 bits below the point
enum { HN_SOBOL_DIMENSIONS = 64, HN_SOBOL_BITS = 52 };
uint64_t hn_sobol_bits(int dimension, uint64_t index);

#endif
