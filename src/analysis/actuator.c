// actuator.c: efforts of given forces for given accelerations.
//
//   M a = f0 + J^T lambda + B tau,   so   (Z^T B) tau = Z^T (M a - f0),   J^T lambda = the rest,
// f0 without the actuators' laws, Z the directions the rows leave free. Friction that depends on
// lambda is brought to a fixed point.
#include "analysis/actuator.h"

#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

hn_status hn_actuator_find(hn_sim *sim, const char *name, hn_actuator *out) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    for (int k = 0; k < b->count; k++) {
      if (strcmp(b->name[k], name) != 0) continue;
      if (b->ops->eval != hn_along_eval)
        return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                           "force '%s' cannot be an actuator: only motor, spring and "
                           "torsion-spring have one effort",
                           name);
      *out = (hn_actuator){b->name[k], (const hn_along *)(const void *)b->data + k};
      return HN_OK;
    }
  }
  return hn_sim_fail(sim, HN_ERR_ARGUMENT, "there is no force '%s'", name);
}

// the library adds forces to work->f: it is lent a vector of ours
void hn_actuator_direction(const hn_actuator *actuator, hn_work *work, double *b) {
  double *f = work->f;
  memset(b, 0, (size_t)work->sys->nv * sizeof(double));
  work->f = b;
  hn_apply_measure(work->sys, work, actuator->along->measure, actuator->along->sign);
  work->f = f;
}

double hn_actuator_law(const hn_actuator *actuator, const hn_work *work) {
  const hn_along *e = actuator->along;
  return hn_law_eval(&e->law, work->sys, work, e->measure).force;
}

double hn_actuator_rate(const hn_actuator *actuator, const hn_work *work) {
  return actuator->along->sign * work->mval[actuator->along->measure].rate;
}

typedef struct problem {
  hn_manifold *m;
  int count;
  const hn_actuator *list;
  double *B;        // count x nv, vector after vector
  double *ZB, *Zr;  // free x count, free
  double *r, *f;    // M a - f0 without friction, forces without friction
  double *rest;     // what the rows must carry
  double *effort;
} problem;

static void layout(problem *p, hn_arena *arena) {
  size_t nv = (size_t)p->m->sys->nv, n = (size_t)p->count;
  size_t wide = nv * n, small = (size_t)p->m->free * n;
  p->B = HN_TAKE(arena, double, wide);
  p->ZB = HN_TAKE(arena, double, small);
  p->Zr = HN_TAKE(arena, double, p->m->free);
  p->r = HN_TAKE(arena, double, nv);
  p->f = HN_TAKE(arena, double, nv);
  p->rest = HN_TAKE(arena, double, nv);
}

// efforts that act on fewer directions than are free cannot bring any motion about
static hn_status singular(const problem *p) {
  return hn_sim_fail(p->m->sim, HN_ERR_SINGULAR,
                     "t=%.6g: the actuators cannot produce this motion: their efforts do not act "
                     "on all of it independently",
                     p->m->sim->stage.work.t);
}

// efforts and multipliers with the friction of the last multipliers; *change of the latter
// friction of the last multipliers counts as a given force
static hn_status solve_once(problem *p, const double *friction, double *change, double *size) {
  hn_manifold *m = p->m;
  const hn_system *sys = m->sys;
  size_t nv = (size_t)sys->nv;
  // friction of the last multipliers counts as given
  for (size_t i = 0; i < nv; i++) p->rest[i] = p->r[i] - friction[i];
  for (int z = 0; z < m->free; z++) {
    const double *Z = m->Z + (size_t)z * nv;
    p->Zr[z] = 0;
    for (size_t i = 0; i < nv; i++) p->Zr[z] += Z[i] * p->rest[i];
  }
  int rank;
  if (!hn_dense_lstsq(m->free, p->count, p->ZB, p->Zr, 1e-10, p->effort, &rank))
    return hn_sim_fail(m->sim, HN_ERR_MEMORY, "out of memory");
  // efforts that do not reach every free direction leave part of the motion unexplained
  if (rank < m->free) return singular(p);
  for (int k = 0; k < p->count; k++)
    for (size_t i = 0; i < nv; i++) p->rest[i] -= p->B[(size_t)k * nv + i] * p->effort[k];
  // J^T lambda = rest in the scaled form of the decomposition
  for (size_t i = 0; i < nv; i++) p->rest[i] /= m->root[i];
  if (sys->rows) hn_cod_solve(&m->cod, p->rest, m->r);
  *change = *size = 0;
  for (int i = 0; i < sys->rows; i++) {
    double lambda = m->r[i] * m->size[i];
    *change = fmax(*change, fabs(lambda - m->sim->stage.work.lambda[i]));
    *size = fmax(*size, fabs(lambda));
    m->sim->stage.work.lambda[i] = lambda;
  }
  return HN_OK;
}

// forces that follow the multipliers, in `out`
// power is summed up by the same functions, and is none of ours
static void friction_of(problem *p, double *out) {
  hn_work *w = &p->m->sim->stage.work;
  const hn_system *sys = p->m->sys;
  size_t bytes = (size_t)sys->nv * sizeof(double);
  memset(out, 0, bytes);
  if (!sys->reactive) return;
  // sums over bodies go where f points: the forces found before must stay as they are
  hn_find_loads(p->m->sim);
  double *f = w->f, power = w->power;
  w->f = out;
  for (int i = 0; i < sys->batches; i++)
    if (sys->batch[i].ops->reactive)
      sys->batch[i].ops->reactive(sys, w, sys->batch[i].count, sys->batch[i].data);
  w->f = f;
  w->power = power;
}

// a contraction where friction is below self-locking; 100 rounds are far more than it takes
static hn_status solve(problem *p, const double *a) {
  hn_manifold *m = p->m;
  const hn_system *sys = m->sys;
  hn_work *w = &m->sim->stage.work;
  size_t nv = (size_t)sys->nv;
  // f0: what acts without the actuators, whose laws are taken out below
  for (size_t i = 0; i < nv; i++) p->r[i] = hn_own_mass(sys, (int)i) * a[i] - w->r[i];
  for (int k = 0; k < p->count; k++) {
    double *b = p->B + (size_t)k * nv, law = hn_actuator_law(&p->list[k], w);
    hn_actuator_direction(&p->list[k], w, b);
    for (size_t i = 0; i < nv; i++) p->r[i] += law * b[i];
    for (int z = 0; z < m->free; z++) {
      double sum = 0;
      for (size_t i = 0; i < nv; i++) sum += m->Z[(size_t)z * nv + i] * b[i];
      p->ZB[z * p->count + k] = sum;
    }
  }
  for (int pass = 0; pass < 100; pass++) {
    double change = 0, size = 0;
    friction_of(p, p->f);
    hn_status status = solve_once(p, p->f, &change, &size);
    // relative to the largest multiplier: below that rounding alone changes
    if (status || !sys->reactive || change <= 1e-13 * size) return status;
  }
  return hn_sim_fail(m->sim, HN_ERR_SINGULAR,
                     "t=%.6g: friction and reactions do not settle (a self-locking joint?)", w->t);
}

hn_status hn_actuator_solve(hn_manifold *m, const double *a, int count, const hn_actuator *list,
                            double *effort) {
  hn_manifold_factor(m, false);
  if (count != m->free)
    return hn_sim_fail(m->sim, HN_ERR_ARGUMENT,
                       "%d actuator%s for %d degree%s of freedom: there must be as many", count,
                       count == 1 ? "" : "s", m->free, m->free == 1 ? "" : "s");
  problem p = {.m = m, .count = count, .list = list, .effort = effort};
  hn_arena arena = {0};
  layout(&p, &arena);
  if (!hn_arena_allocate(&arena)) return hn_sim_fail(m->sim, HN_ERR_MEMORY, "out of memory");
  layout(&p, &arena);
  hn_status status = solve(&p, a);
  free(arena.base);
  return status;
}

hn_status hn_inverse_efforts(hn_sim *sim, const double *a, int count, const char *const *force,
                             double *effort) {
  hn_manifold *m;
  hn_status status = hn_manifold_create(&m, sim);
  if (status) return status;
  hn_actuator *list = calloc((size_t)count + 1, sizeof *list);
  double *copy = malloc(((size_t)sim->sys->nv + 1) * sizeof(double));
  if (!list || !copy) status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  for (int i = 0; i < count && !status; i++) status = hn_actuator_find(sim, force[i], &list[i]);
  if (!status) {
    // a may be the sim's own accelerations
    // evaluating everything would overwrite accelerations that lie in the sim itself
    memcpy(copy, a, (size_t)sim->sys->nv * sizeof(double));
    hn_eval_all(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
    status = hn_actuator_solve(m, copy, count, list, effort);
  }
  free(list), free(copy);
  hn_manifold_destroy(m);
  return status;
}
