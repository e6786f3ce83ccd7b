// uk_genetic.c: the UK optimisation equation of a step by a genetic algorithm.
//
// A real-coded one: individuals are accelerations, at first in a box about the last ones. A child
// is its parent moved towards the best individual and along the difference of two others (Storn &
// Price 1997), so that children spread as the population does, in every direction alike: it
// narrows to the minimum at a steady rate, whatever the conditioning, and widens where the minimum
// lies outside. The better of parent and child goes on; the best one always does. It ends when the
// population has shrunk to the tolerance. The numbers are pseudo-random with a fixed seed: the same
// run gives the same result.
//
// It finds the global minimum where a gradient cannot, costs thousands of evaluations a step, and
// is here to compare with.
#include "integrators/uk/uk_newmark.h"

#include <string.h>

enum { GENERATIONS = 2000 };
static const double attraction = 0.5, least_stretch = 0.4, most_stretch = 0.9;

// xorshift in [0, 1)
static double draw(hn_uk *u) {
  u->seed ^= u->seed << 13;
  u->seed ^= u->seed >> 7;
  u->seed ^= u->seed << 17;
  return (double)(u->seed >> 11) / 9007199254740992.0;
}

static int pick(hn_uk *u) {
  return (int)(draw(u) * HN_UK_POPULATION);
}

static int best_of(const double *cost) {
  int best = 0;
  for (int i = 1; i < HN_UK_POPULATION; i++)
    if (cost[i] < cost[best]) best = i;
  return best;
}

static double *individual(const hn_uk *u, int i, int nv) {
  return u->genes + (size_t)i * (size_t)nv;
}

// one generation; returns the best individual
static int breed(hn_sim *sim, hn_uk *u, int best) {
  int nv = sim->sys->nv;
  double *child = individual(u, HN_UK_POPULATION, nv);
  for (int i = 0; i < HN_UK_POPULATION; i++) {
    double *parent = individual(u, i, nv);
    const double *p = individual(u, pick(u), nv), *q = individual(u, pick(u), nv);
    const double *first = individual(u, best, nv);
    double stretch = least_stretch + (most_stretch - least_stretch) * draw(u);
    double pull = attraction * draw(u);
    for (int k = 0; k < nv; k++)
      child[k] = parent[k] + pull * (first[k] - parent[k]) + stretch * (p[k] - q[k]);
    double cost = hn_uk_cost_of(sim, u, child);
    if (!(cost <= u->cost[i])) continue;
    memcpy(parent, child, (size_t)nv * sizeof(double));
    u->cost[i] = cost;
    if (cost < u->cost[best]) best = i;
  }
  return best;
}

// largest distance of any individual from the best one
static double spread(const hn_uk *u, int nv, int best) {
  double worst = 0;
  for (int i = 0; i < HN_UK_POPULATION; i++)
    for (int k = 0; k < nv; k++)
      worst = fmax(worst, fabs(individual(u, i, nv)[k] - individual(u, best, nv)[k]));
  return worst;
}

hn_status hn_uk_genetic(hn_sim *sim, hn_uk *u) {
  int nv = sim->sys->nv;
  double size = 1, tolerance = fmax(sim->opt.iteration_tol, 1e-10);
  hn_uk_evaluate(sim, u, u->a);
  hn_uk_scale(sim, u);
  for (int i = 0; i < nv; i++) size = fmax(size, fabs(u->a[i]));
  for (int i = 0; i < HN_UK_POPULATION; i++) {
    double *one = individual(u, i, nv);
    // the first individual is what the last step says
    for (int k = 0; k < nv; k++) one[k] = u->a[k] + (i ? 0.1 * size * (2 * draw(u) - 1) : 0);
    u->cost[i] = hn_uk_cost_of(sim, u, one);
  }
  int best = best_of(u->cost);
  for (int g = 0; g < GENERATIONS; g++) {
    best = breed(sim, u, best);
    // it takes many generations to shrink: looked at now and then
    if (g % 8 == 7 && spread(u, nv, best) <= tolerance * size) break;
  }
  memcpy(u->a, individual(u, best, nv), (size_t)nv * sizeof(double));
  return HN_OK;
}
