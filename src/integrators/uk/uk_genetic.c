// uk_genetic.c: the UK optimisation equation of a step by a genetic algorithm.
//
// A real-coded one: individuals are accelerations in a box about the best known ones. A generation
// keeps its best individual; the others are children of parents that won a tournament of two, each
// gene blended between theirs and a little beyond (BLX-0.5), some of them mutated. When a
// generation is done the box shrinks about the best individual, so that precision grows at a steady
// rate; when the best one lies near its edge, it grows again. The numbers are pseudo-random with a
// fixed seed: the same run gives the same result.
//
// It finds the global minimum where a gradient cannot, costs thousands of evaluations a step, and
// is here to compare with.
#include "integrators/uk/uk_newmark.h"

#include <string.h>

enum { ROUNDS = 40, GENERATIONS = 8 };
static const double shrink = 0.5, mutation = 0.1, blend = 0.5;

// xorshift in [0, 1)
static double draw(hn_uk *u) {
  u->seed ^= u->seed << 13;
  u->seed ^= u->seed >> 7;
  u->seed ^= u->seed << 17;
  return (double)(u->seed >> 11) / 9007199254740992.0;
}

static int tournament(hn_uk *u, const double *cost) {
  int i = (int)(draw(u) * HN_UK_POPULATION), j = (int)(draw(u) * HN_UK_POPULATION);
  return cost[i] <= cost[j] ? i : j;
}

static int best_of(const double *cost) {
  int best = 0;
  for (int i = 1; i < HN_UK_POPULATION; i++)
    if (cost[i] < cost[best]) best = i;
  return best;
}

static void breed(hn_sim *sim, hn_uk *u, const double *old, const double *old_cost, double *young,
                  double *cost, double width) {
  int nv = sim->sys->nv, elite = best_of(old_cost);
  memcpy(young, old + (size_t)elite * (size_t)nv, (size_t)nv * sizeof(double));
  cost[0] = old_cost[elite];
  for (int i = 1; i < HN_UK_POPULATION; i++) {
    const double *p = old + (size_t)tournament(u, old_cost) * (size_t)nv;
    const double *q = old + (size_t)tournament(u, old_cost) * (size_t)nv;
    double *child = young + (size_t)i * (size_t)nv;
    for (int k = 0; k < nv; k++) {
      double s = -blend + (1 + 2 * blend) * draw(u);
      child[k] = p[k] + s * (q[k] - p[k]);
      if (draw(u) < mutation) child[k] += width * (draw(u) + draw(u) + draw(u) - 1.5);
    }
    cost[i] = hn_uk_cost_of(sim, u, child);
  }
}

static void settle(hn_sim *sim, hn_uk *u, double width) {
  int nv = sim->sys->nv;
  double *old = u->genes, *young = u->genes + (size_t)HN_UK_POPULATION * (size_t)nv;
  for (int i = 0; i < HN_UK_POPULATION; i++) {
    double *one = old + (size_t)i * (size_t)nv;
    for (int k = 0; k < nv; k++) one[k] = u->a[k] + (i ? width * (2 * draw(u) - 1) : 0);
    u->cost[i] = hn_uk_cost_of(sim, u, one);
  }
  double *old_cost = u->cost, *cost = u->cost + HN_UK_POPULATION;
  for (int g = 0; g < GENERATIONS; g++) {
    breed(sim, u, old, old_cost, young, cost, width);
    double *t = old;
    old = young, young = t;
    t = old_cost;
    old_cost = cost, cost = t;
  }
  memcpy(u->a, old + (size_t)best_of(old_cost) * (size_t)nv, (size_t)nv * sizeof(double));
}

hn_status hn_uk_genetic(hn_sim *sim, hn_uk *u) {
  int nv = sim->sys->nv;
  double size = 1, tolerance = fmax(sim->opt.iteration_tol, 1e-9);
  hn_uk_evaluate(sim, u, u->a);
  hn_uk_scale(sim, u);
  for (int i = 0; i < nv; i++) size = fmax(size, fabs(u->a[i]));
  double width = 0.1 * size;
  for (int round = 0; round < ROUNDS && width > tolerance * size; round++) {
    double moved = 0;
    memcpy(u->trial, u->a, (size_t)nv * sizeof(double));
    settle(sim, u, width);
    for (int i = 0; i < nv; i++) moved = fmax(moved, fabs(u->a[i] - u->trial[i]));
    width = moved > width ? 2 * width : shrink * width;
  }
  return HN_OK;
}
