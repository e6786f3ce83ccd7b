// slopes.h: forces and masses of a system at any state, and their derivatives by differences.
#ifndef SLOPES_H
#define SLOPES_H

#include "sim/sim.h"
#include "test.h"

typedef struct bench {
  const hn_system *sys;
  hn_work work;
  hn_arena arena;
} bench;

static inline bench bench_open(const hn_system *sys) {
  bench b = {.sys = sys};
  hn_work_layout(&b.work, &b.arena, sys);
  CHECK(hn_arena_allocate(&b.arena));
  hn_work_layout(&b.work, &b.arena, sys);
  return b;
}

// f, or M a
static inline void sample(bench *b, const double *q, const double *v, const double *a,
                          double *out) {
  hn_eval_all(&b->work, 0, q, v);
  if (a)
    hn_mass_mul(&b->work, a, out);
  else
    memcpy(out, b->work.f, (size_t)b->sys->nv * sizeof *out);
}

// derivative by coordinate (or velocity) j, of the fourth order
static inline void slope(bench *b, const double *q, const double *v, const double *a, int j,
                         bool velocity, double *out) {
  enum { N = 32 };
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double h = 1e-3, one[N];
  memset(out, 0, (size_t)b->sys->nv * sizeof *out);
  for (int k = 0; k < 4; k++) {
    double q1[N], v1[N], d[N] = {0};
    memcpy(q1, q, (size_t)b->sys->nq * sizeof *q);
    memcpy(v1, v, (size_t)b->sys->nv * sizeof *v);
    if (velocity)
      v1[j] += at[k] * h;
    else
      d[j] = at[k] * h, hn_retract(b->sys, q1, d);
    sample(b, q1, v1, a, one);
    for (int i = 0; i < b->sys->nv; i++) out[i] += weight[k] * one[i] / (12 * h);
  }
}

// v . M v / 2
static inline double kinetic(bench *b, const double *q, const double *v) {
  enum { N = 32 };
  double y[N], sum = 0;
  sample(b, q, v, v, y);
  for (int i = 0; i < b->sys->nv; i++) sum += 0.5 * v[i] * y[i];
  return sum;
}

// Forces that velocities bring keep the energy: their power, less that of dampers, is what the
// kinetic energy loses where velocities stay and the masses move on
static inline void check_power(bench *b, const double *q, const double *v) {
  enum { N = 32 };
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1}, still[N] = {0};
  const double h = 1e-3;
  double q1[N], d[N], with[N], without[N], gain = 0, rise = 0, size = 0;
  sample(b, q, v, NULL, with);
  double loss = b->work.power;
  sample(b, q, still, NULL, without);
  for (int i = 0; i < b->sys->nv; i++) {
    gain += v[i] * (with[i] - without[i]);
    size += fabs(v[i] * (with[i] - without[i]));
  }
  for (int j = 0; j < 4; j++) {
    memcpy(q1, q, (size_t)b->sys->nq * sizeof *q1);
    for (int i = 0; i < b->sys->nv; i++) d[i] = at[j] * h * v[i];
    hn_retract(b->sys, q1, d);
    rise += weight[j] * kinetic(b, q1, v) / (12 * h);
  }
  CHECK_REL(gain, loss - rise, size, 1e-8);
}

#endif
