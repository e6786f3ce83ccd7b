#include "system/kkt.h"

#include <math.h>

void hn_kkt_layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys) {
  kkt->one = HN_TAKE(arena, double, sys->nv);
  if (sys->mass_entries) {
    hn_kkt_general_layout(&kkt->general, arena, sys);
  } else if (sys->tree) {
    hn_tree_factor_layout(&kkt->tree, arena, sys);
    hn_saddle_layout(&kkt->saddle, arena, sys->tree->plan);
  } else {
    hn_saddle_layout(&kkt->saddle, arena, sys->plan);
  }
  if (!arena->base) return;
  for (int i = 0; i < sys->nv; i++) kkt->one[i] = 1;
}

bool hn_kkt_create(hn_kkt *kkt, const hn_system *sys) {
  return !sys->mass_entries || hn_kkt_general_create(&kkt->general, sys);
}

void hn_kkt_release(hn_kkt *kkt) {
  hn_sparse_destroy(kkt->general.sparse);
  kkt->general.sparse = NULL;
}

void hn_kkt_factor(hn_kkt *kkt, const hn_work *work, hn_weight weight, const double *D) {
  const hn_system *sys = work->sys;
  if (sys->mass_entries) {
    double ratio = hn_kkt_general_factor(&kkt->general, work, weight, D);
    kkt->singular = ratio < 0;
    kkt->pivot_ratio = fmax(ratio, 0);
    // pivots of the whole matrix mean something against those at the start only
    if (sys->natural && sys->natural->rcond > 0)
      kkt->pivot_ratio = fmin(1, kkt->pivot_ratio / sys->natural->rcond);
    return;
  }
  if (sys->tree) {
    hn_tree_factorise(&kkt->tree, work, weight == HN_WEIGHT_ONE);
    kkt->pivot_ratio = 1;
    if (!sys->rows) return;
    hn_tree_loops(&kkt->tree, work);
    hn_saddle_factor(&kkt->saddle, kkt->one, kkt->tree.JT, D);
    kkt->pivot_ratio = kkt->saddle.pivot_ratio * kkt->tree.shrink;
    return;
  }
  hn_saddle_factor(&kkt->saddle, weight == HN_WEIGHT_MASS ? sys->mass : kkt->one, work->J, D);
  kkt->pivot_ratio = kkt->saddle.pivot_ratio;
}

void hn_kkt_solve(const hn_kkt *kkt, const hn_work *work, double *x, double *l) {
  const hn_system *sys = work->sys;
  if (sys->mass_entries && kkt->singular) {
    for (int i = 0; i < sys->nv; i++) x[i] = NAN;
    for (int i = 0; i < sys->rows; i++) l[i] = NAN;
  } else if (sys->mass_entries) {
    hn_kkt_general_solve(&kkt->general, sys, x, l);
  } else if (!sys->tree) {
    hn_saddle_solve(&kkt->saddle, x, l);
  } else {
    hn_tree_back(&kkt->tree, work, x);
    if (sys->rows) hn_saddle_solve(&kkt->saddle, x, l);
    hn_tree_forward(&kkt->tree, work, x);
  }
}

void hn_kkt_factor_solve(hn_kkt *kkt, const hn_work *work, const double *D, double *x, double *l) {
  const hn_system *sys = work->sys;
  if (sys->mass_entries) {
    hn_kkt_factor(kkt, work, HN_WEIGHT_MASS, D);
    hn_kkt_solve(kkt, work, x, l);
  } else if (!sys->tree) {
    hn_saddle_factor_solve(&kkt->saddle, sys->mass, work->J, D, x, l);
    kkt->pivot_ratio = kkt->saddle.pivot_ratio;
  } else {
    hn_tree_factorise_back(&kkt->tree, work, x);
    kkt->pivot_ratio = 1;
    if (sys->rows) {
      hn_tree_loops(&kkt->tree, work);
      hn_saddle_factor_solve(&kkt->saddle, kkt->one, kkt->tree.JT, D, x, l);
      kkt->pivot_ratio = kkt->saddle.pivot_ratio * kkt->tree.shrink;
    }
    hn_tree_forward(&kkt->tree, work, x);
  }
}
