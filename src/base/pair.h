// pair.h: two numbers that the processor takes at a time, which plain x86-64 and ARM can do.
#ifndef HN_TWO_DOUBLES_H
#define HN_TWO_DOUBLES_H

// inlined always: vectors handed over in a call make another interface where the processor has
// wider ones
#define HN_INLINE static inline __attribute__((always_inline))

// as an array of double has it
// gcc must be told to unroll nested loops of constant length altogether; clang does
#ifdef __clang__
#define HN_UNROLL
#else
#define HN_UNROLL _Pragma("GCC unroll 16")
#endif

typedef double hn_pair __attribute__((vector_size(16)));
typedef double hn_pair_anywhere __attribute__((vector_size(16), aligned(8)));

HN_INLINE hn_pair hn_pair_load(const double *a) {
  return *(const hn_pair_anywhere *)a;
}
HN_INLINE void hn_pair_store(double *a, hn_pair v) {
  *(hn_pair_anywhere *)a = v;
}
// (sum of a, sum of b)
HN_INLINE hn_pair hn_pair_sums(hn_pair a, hn_pair b) {
  return (hn_pair){a[0], b[0]} + (hn_pair){a[1], b[1]};
}

HN_INLINE double hn_pair_sum(hn_pair a) {
  return a[0] + a[1];
}

#endif
