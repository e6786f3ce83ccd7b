// kkt.c: the back end of a saddle-point system, and the one for blocks of bodies.
#include "system/kkt.h"

// Masses that are no constant diagonal of bodies are served by the sparse matrix, in whatever
// coordinates.
void hn_kkt_layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys) {
  kkt->ops = sys->mass_entries ? &hn_kkt_general : sys->coordinates->kkt;
  kkt->one = HN_TAKE(arena, double, sys->nv);
  kkt->ops->layout(kkt, arena, sys);
  if (!arena->base) return;
  for (int i = 0; i < sys->nv; i++) kkt->one[i] = 1;
}

bool hn_kkt_create(hn_kkt *kkt, const hn_system *sys) {
  return !kkt->ops->create || kkt->ops->create(kkt, sys);
}

void hn_kkt_release(hn_kkt *kkt) {
  if (kkt->ops && kkt->ops->release) kkt->ops->release(kkt);
}

void hn_kkt_outside(hn_kkt *kkt, hn_outside *o) {
  if (kkt->ops->outside) kkt->ops->outside(kkt, o);
}

// ---- blocks --------------------------------------------------------------------------------

static void layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys) {
  hn_saddle_layout(&kkt->saddle, arena, sys->plan);
}

static void factor(hn_kkt *kkt, const hn_work *work, hn_weight weight, const double *D) {
  const double *W = weight == HN_WEIGHT_MASS ? work->sys->mass : kkt->one;
  hn_saddle_factor(&kkt->saddle, W, work->J, D);
  kkt->pivot_ratio = kkt->saddle.pivot_ratio;
}

static void solve(const hn_kkt *kkt, const hn_work *work, double *x, double *l) {
  (void)work;
  hn_saddle_solve(&kkt->saddle, x, l);
}

static void factor_solve(hn_kkt *kkt, const hn_work *work, const double *D, double *x, double *l) {
  hn_saddle_factor_solve(&kkt->saddle, work->sys->mass, work->J, D, x, l);
  kkt->pivot_ratio = kkt->saddle.pivot_ratio;
}

const hn_kkt_ops hn_kkt_blocks = {
    .layout = layout, .factor = factor, .solve = solve, .factor_solve = factor_solve};
