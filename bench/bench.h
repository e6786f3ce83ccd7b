// bench.h: what all benchmarks share: clocks, medians, comparison of things side by side, fits.
//
// Tables are printed as Markdown, one row per call of printf, so that the text on the screen and
// the one in RESULTS.md are the same. C17 and C++17.
#ifndef HN_BENCH_H
#define HN_BENCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// seconds on the wall and seconds of processor time of this process
typedef struct bench_time {
  double wall, cpu;
} bench_time;

static inline double bench_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline bench_time bench_now(void) {
  bench_time t;
  t.wall = bench_clock(CLOCK_MONOTONIC);
  t.cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
  return t;
}

static inline bench_time bench_since(bench_time start) {
  bench_time t = bench_now();
  t.wall -= start.wall;
  t.cpu -= start.cpu;
  return t;
}

static inline int bench_ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// sorts x
static inline double bench_median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, bench_ascending);
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

// ---- several things side by side -------------------------------------------------------------

enum { BENCH_ROUNDS = 64, BENCH_ITEMS = 256 };

// run(user, repeat) does its work `repeat` times
typedef struct bench_item {
  const char *name;
  void (*run)(void *user, long repeat);
  void *user;
  long repeat;     // of one batch, found by bench_compare
  bench_time one;  // [s] once: median over the batches
} bench_item;

// how often an item must be repeated to last `seconds` of processor time; warms it up on the way
static inline long bench_calibrate(const bench_item *item, double seconds) {
  for (long repeat = 1;; repeat *= 2) {
    bench_time start = bench_now();
    item->run(item->user, repeat);
    double spent = bench_since(start).cpu;
    if (spent < 0.1 * seconds && repeat < 1L << 40) continue;
    double wanted = (double)repeat * seconds / spent;
    return wanted > 1 ? (long)wanted : 1;
  }
}

// times every item `rounds` times in batches of `seconds`, one item after the other in every
// round: what else the machine does at the moment then meets all of them alike
static inline void bench_compare(bench_item *item, int count, int rounds, double seconds) {
  static double wall[BENCH_ITEMS][BENCH_ROUNDS], cpu[BENCH_ITEMS][BENCH_ROUNDS];
  if (count > BENCH_ITEMS) count = BENCH_ITEMS;
  if (rounds > BENCH_ROUNDS) rounds = BENCH_ROUNDS;
  for (int i = 0; i < count; i++) item[i].repeat = bench_calibrate(&item[i], seconds);
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < count; i++) {
      bench_time start = bench_now();
      item[i].run(item[i].user, item[i].repeat);
      bench_time spent = bench_since(start);
      wall[i][r] = spent.wall / (double)item[i].repeat;
      cpu[i][r] = spent.cpu / (double)item[i].repeat;
    }
  for (int i = 0; i < count; i++) {
    item[i].one.wall = bench_median(wall[i], rounds);
    item[i].one.cpu = bench_median(cpu[i], rounds);
  }
}

// ---- numbers ---------------------------------------------------------------------------------

// exponent p of t = c n^p, least squares on the logarithms
static inline double bench_exponent(const double *n, const double *t, int count) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    double u = log(n[i]), v = log(t[i]);
    x += u, y += v, xx += u * u, xy += u * v;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

// the value of NAME=value among the arguments, or the fallback
static inline double bench_argument(int argc, char **argv, const char *name, double fallback) {
  size_t length = strlen(name);
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
      return strtod(argv[i] + length + 1, NULL);
  return fallback;
}

#endif
